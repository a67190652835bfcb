//! Guesses about where pointers point.
//!
//! A proof over cells need not say where pointers point: the division of memory into cells knows. Here nothing does. So facts of the
//! form "this pointer is null or points at one of these objects" are guessed from the text of the program and then checked like the formulas
//! of the certificate: those that no segment breaks, given all the others, are invariants. A wrong guess costs time, nothing else.

use super::Model;
use super::layout::{Home, MEM, ObjId, State};
use super::space::Space;
use craig_cfa::{ExprId, ExprKind, Op, PlaceId, PlaceKind, Type, TypeId, Types};
use craig_logic::TermId;
use std::collections::{BTreeMap, BTreeSet};

/// Objects that one pointer may point at; of more nothing is guessed.
const MOST_TARGETS: usize = 24;
/// Places in one object that are told apart.
const MOST_OFFSETS: usize = 8;
/// Pointers in one variable that are looked at.
const MOST_POINTERS: usize = 32;
/// Rounds until what pointers hold has spread.
const ROUNDS: usize = 40;

/// Where a pointer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Part(usize),
    Leaf(ObjId, u64),
    /// Somewhere behind a pointer.
    Elsewhere,
}

/// An object, and the byte in it; `None`: any.
type Target = (ObjId, Option<u64>);

/// A pointer that is kept somewhere points at one of these.
#[derive(Debug, Clone)]
pub(super) struct Guess {
    node: Node,
    targets: Vec<Target>,
    null: bool,
    /// Distance of the pointed-to elements from the start of an object: a multiple of this.
    step: u64,
}

impl Guess {
    /// The guess, said of a state.
    pub fn holds(&self, model: &Model<'_>, state: &State, space: &mut Space) -> TermId {
        let t = &model.terms;
        let pointer = match self.node {
            Node::Part(part) => state.0[part],
            Node::Leaf(object, offset) => {
                let at = space.plus(state.0[model.layout.objects[object].base], offset);
                space.word(state.0[MEM], at, u64::from(model.width()) / 8)
            }
            Node::Elsewhere => return t.tru(),
        };
        let null = t.eq(pointer, space.address(0));
        let mut any = vec![t.and([t.bool(self.null), null])];
        for &(object, offset) in &self.targets {
            let region = model.region(object, state);
            let points = match offset {
                Some(offset) => t.eq(pointer, space.plus(region.base, offset)),
                None => {
                    let distance = space.distance(region.base, pointer);
                    let inside = t.bv_ule(distance, region.size);
                    match self.step.is_power_of_two() && self.step > 1 {
                        true => {
                            let bits = self.step.trailing_zeros();
                            t.and([inside, t.eq(t.extract(bits - 1, 0, distance), t.bv(0, bits))])
                        }
                        false => inside,
                    }
                }
            };
            any.push(t.and([region.alive, points]));
        }
        t.or(any)
    }
}

/// What may be worth trying, for every pointer of the program.
pub(super) fn guesses(model: &Model<'_>) -> Vec<Guess> {
    let mut spread = Spread { model, held: BTreeMap::new(), types: BTreeMap::new() };
    spread.declared();
    for _ in 0..ROUNDS {
        let before: usize = spread.held.values().map(BTreeSet::len).sum();
        for edge in &model.program.edges {
            spread.op(&edge.op, edge.origin, edge.calls);
        }
        if spread.held.values().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let mut all = Vec::new();
    for (node, targets) in &spread.held {
        if targets.len() > MOST_TARGETS {
            continue;
        }
        if targets.is_empty() {
            all.push(Guess { node: *node, targets: Vec::new(), null: true, step: 1 });
            continue;
        }
        let step = spread.types.get(node).and_then(|ty| model.program.types.size_of(*ty)).unwrap_or(1);
        let exact: Vec<Target> = targets.iter().copied().collect();
        let objects: BTreeSet<Target> = targets.iter().map(|(object, _)| (*object, None)).collect();
        for null in [false, true] {
            all.push(Guess { node: *node, targets: exact.clone(), null, step });
            let targets = objects.iter().copied().collect();
            all.push(Guess { node: *node, targets, null, step: 1 });
        }
    }
    all
}

/// What pointers may hold, as the text suggests it.
struct Spread<'a> {
    model: &'a Model<'a>,
    held: BTreeMap<Node, BTreeSet<Target>>,
    /// What the pointer at a node points to.
    types: BTreeMap<Node, TypeId>,
}

impl Spread<'_> {
    /// The pointers that the types of variables in memory have.
    fn declared(&mut self) {
        for (var, home) in self.model.layout.homes.iter_enumerated() {
            if let Home::Memory(object) = *home {
                let mut found = Vec::new();
                pointers(&self.model.program.types, self.model.program.vars[var].ty, 0, &mut found);
                for (offset, ty) in found {
                    let node = Node::Leaf(object, offset);
                    self.held.entry(node).or_default();
                    self.types.extend(self.model.program.types.pointee(ty).map(|to| (node, to)));
                }
            }
        }
    }

    fn op(&mut self, op: &Op, edge: craig_cfa::EdgeId, calls: craig_cfa::CallString) {
        let types = &self.model.program.types;
        match op {
            Op::Assign(place, e) => {
                let ty = self.model.program.exprs.place(*place).ty;
                if types.is_ptr(ty) {
                    let targets = self.targets(*e);
                    self.hold(self.node(*place), ty, targets);
                } else if let (true, ExprKind::Read(source)) =
                    (types.is_aggregate(ty), self.model.program.exprs.kind(*e))
                {
                    self.copy(*place, *source, ty);
                }
            }
            Op::Alloc { dst, .. } | Op::Realloc { dst, .. } => {
                if let Some(object) = self.model.layout.site(edge, calls) {
                    let ty = self.model.program.exprs.place(*dst).ty;
                    self.hold(self.node(*dst), ty, [(object, Some(0))].into());
                }
            }
            _ => {}
        }
    }

    /// An aggregate is assigned: its pointers are.
    fn copy(&mut self, to: PlaceId, from: PlaceId, ty: TypeId) {
        let mut found = Vec::new();
        pointers(&self.model.program.types, ty, 0, &mut found);
        let leaf = |node: Node, offset: u64| match node {
            Node::Leaf(object, start) => Node::Leaf(object, start + offset),
            other => other,
        };
        let (to, from) = (self.node(to), self.node(from));
        for (offset, ty) in found {
            let targets = self.read(leaf(from, offset));
            self.hold(leaf(to, offset), ty, targets);
        }
    }

    fn hold(&mut self, node: Node, ty: TypeId, targets: BTreeSet<Target>) {
        if let Some(to) = self.model.program.types.pointee(ty) {
            self.types.insert(node, to);
        }
        let held = self.held.entry(node).or_default();
        for (object, offset) in targets {
            if held.contains(&(object, None)) || held.len() > MOST_TARGETS {
                continue;
            }
            let places = held.iter().filter(|(o, _)| *o == object).count();
            if offset.is_none() || places >= MOST_OFFSETS {
                held.retain(|(o, _)| *o != object);
                held.insert((object, None));
            } else {
                held.insert((object, offset));
            }
        }
    }

    fn node(&self, place: PlaceId) -> Node {
        let exprs = &self.model.program.exprs;
        let home = exprs.root_var(place).map(|var| self.model.layout.homes[var]);
        match (home, self.offset(place)) {
            (Some(Home::Plain(part)), _) => Node::Part(part),
            (Some(Home::Memory(object)), Some(offset)) => Node::Leaf(object, offset),
            _ => Node::Elsewhere,
        }
    }

    /// Bytes from the root of a place, if that is one number.
    fn offset(&self, place: PlaceId) -> Option<u64> {
        let (exprs, types) = (&self.model.program.exprs, &self.model.program.types);
        match exprs.place(place).kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => Some(0),
            PlaceKind::Field(of, index) => {
                let Type::Record(record) = types.get(exprs.place(of).ty) else { return None };
                Some(self.offset(of)? + types.records[*record].fields[index as usize].offset)
            }
            PlaceKind::Index(of, index) => {
                let index = u64::try_from(exprs.as_int(types, index)?).ok()?;
                self.offset(of)?.checked_add(index.checked_mul(types.size_of(exprs.place(place).ty)?)?)
            }
        }
    }

    /// What the address of a place points at.
    fn addressed(&self, place: PlaceId) -> BTreeSet<Target> {
        let exprs = &self.model.program.exprs;
        let offset = self.offset(place);
        let mut root = place;
        loop {
            match exprs.place(root).kind {
                PlaceKind::Field(of, _) | PlaceKind::Index(of, _) => root = of,
                PlaceKind::Var(var) => {
                    return match self.model.layout.homes[var] {
                        Home::Memory(object) => [(object, offset)].into(),
                        _ => BTreeSet::new(),
                    };
                }
                PlaceKind::Deref(pointer) => return moved(self.targets(pointer), offset),
            }
        }
    }

    fn read(&self, node: Node) -> BTreeSet<Target> {
        let mut all = self.held.get(&node).cloned().unwrap_or_default();
        // A place in memory may be written through a pointer.
        if !matches!(node, Node::Part(_)) {
            all.extend(self.held.get(&Node::Elsewhere).into_iter().flatten());
        }
        all
    }

    fn targets(&self, e: ExprId) -> BTreeSet<Target> {
        let (exprs, types) = (&self.model.program.exprs, &self.model.program.types);
        match *exprs.kind(e) {
            ExprKind::AddrOf(place) => self.addressed(place),
            ExprKind::Read(place) => self.read(self.node(place)),
            ExprKind::PtrAdd(pointer, count) => {
                let size = types.pointee(exprs.ty(e)).and_then(|to| types.size_of(to)).unwrap_or(1);
                let bytes = exprs.as_int(types, count).map(|n| (n as u64).wrapping_mul(size));
                moved(self.targets(pointer), bytes)
            }
            ExprKind::Cast(inner) => self.targets(inner),
            ExprKind::Ite(_, a, b) => self.targets(a).union(&self.targets(b)).copied().collect(),
            ExprKind::ProcAddr(proc) => {
                self.model.layout.procs.get(&proc).map(|object| (*object, Some(0))).into_iter().collect()
            }
            _ => BTreeSet::new(),
        }
    }
}

/// The pointers in a value of a type: where, and their types. Of very many, the first ones.
fn pointers(types: &Types, ty: TypeId, offset: u64, found: &mut Vec<(u64, TypeId)>) {
    match types.get(ty) {
        _ if found.len() >= MOST_POINTERS => {}
        Type::Ptr(_) => found.push((offset, ty)),
        Type::Array { elem, len } => {
            let size = types.size_of(*elem).unwrap_or(0);
            for i in 0..len.unwrap_or(0).min(MOST_POINTERS as u64) {
                pointers(types, *elem, offset + i * size, found);
            }
        }
        Type::Record(record) => {
            for field in &types.records[*record].fields {
                pointers(types, field.ty, offset + field.offset, found);
            }
        }
        _ => {}
    }
}

/// The targets so many bytes further on; `None`: anywhere.
fn moved(targets: BTreeSet<Target>, bytes: Option<u64>) -> BTreeSet<Target> {
    let further = |offset: Option<u64>| Some(offset?.wrapping_add(bytes?));
    targets.into_iter().map(|(object, offset)| (object, further(offset))).collect()
}
