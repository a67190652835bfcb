//! Accesses of runs against what the layout of the checker claims: which bytes a place may name.
//!
//! The layout knows the places of the expanded program; a run those of the source program. Expansion copies expressions as they are, so
//! that walking both side by side finds which is which. [`Accesses::covered`] is all that asks the layout.

use crate::check::Whole;
use craig_cfa::interp::Thing;
use craig_cfa::{CallString, EdgeId, ExprId, ExprKind, Exprs, Op, PlaceId, PlaceKind, Program};
use craig_encode::memory::{Address, ObjectKey};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::mem::discriminant;

/// An edge of the source program under a string of calls.
type Site = (EdgeId, CallString);
type Places = FxHashMap<PlaceId, PlaceId>;

pub(super) struct Accesses<'a> {
    source: &'a Program,
    ground: &'a Whole,
    copies: OnceCell<FxHashMap<Site, Vec<EdgeId>>>,
    /// For each site the places of the source and their copies.
    places: RefCell<FxHashMap<Site, Places>>,
}

impl<'a> Accesses<'a> {
    pub fn new(source: &'a Program, ground: &'a Whole) -> Accesses<'a> {
        Accesses { source, ground, copies: OnceCell::new(), places: RefCell::default() }
    }

    /// Does the layout know that the place may lie there? `None` if it keeps no track of the place.
    pub fn covered(&self, site: Site, place: PlaceId, key: &ObjectKey, offset: u64) -> Option<bool> {
        let place = *self.places.borrow_mut().entry(site).or_insert_with(|| self.pairs(site)).get(&place)?;
        let layout = &self.ground.layout;
        if !layout.is_accessed(place) {
            return None;
        }
        let object = layout.find_object(key)?;
        let leaf = (object, layout.normal_offset(object, offset));
        let base = layout.object_base(object);
        let there = |at: Address| base.map(|base| base.plus(offset)) == Some(at);
        let mut candidates = layout.access(place).candidates.iter();
        Some(candidates.any(|c| layout.cells()[c.cell].leaves.contains(&leaf) && c.address.is_none_or(there)))
    }

    /// The object as the layout names it.
    pub fn name(&self, thing: Thing) -> ObjectKey {
        let calls = &self.ground.expanded.program.calls;
        match thing {
            Thing::Var(var, of) => ObjectKey::Var(var, calls.path(of)),
            Thing::Alloc(edge, of) => ObjectKey::Alloc(edge, calls.path(of)),
            Thing::Proc(proc) => ObjectKey::Proc(proc),
        }
    }

    fn pairs(&self, site: Site) -> Places {
        let expanded = &self.ground.expanded.program;
        let copies = self.copies.get_or_init(|| {
            let mut copies: FxHashMap<Site, Vec<EdgeId>> = FxHashMap::default();
            for (id, edge) in expanded.edges.iter_enumerated() {
                copies.entry((edge.origin, edge.calls)).or_default().push(id);
            }
            copies
        });
        let mut walk = Walk { from: &self.source.exprs, to: &expanded.exprs, found: Places::default() };
        let copies = copies.get(&site).into_iter().flatten().map(|id| &expanded.edges[*id].op);
        match &self.source.edges[site.0].op {
            // One assignment for each argument.
            Op::Call(call) => {
                let handed = copies.filter_map(|op| match op {
                    Op::Assign(_, value) => Some(*value),
                    _ => None,
                });
                call.args.iter().zip(handed).for_each(|(from, to)| walk.expr(*from, to));
            }
            own => copies.for_each(|copy| walk.op(own, copy)),
        }
        walk.found
    }
}

/// Walks an expression and its copy side by side.
struct Walk<'a> {
    from: &'a Exprs,
    to: &'a Exprs,
    found: Places,
}

impl Walk<'_> {
    fn op(&mut self, from: &Op, to: &Op) {
        match (from, to) {
            (Op::Assume(a), Op::Assume(b))
            | (Op::Return(Some(a)), Op::Assign(_, b) | Op::Return(Some(b))) => {
                self.expr(*a, *b);
            }
            (Op::Assign(p, a), Op::Assign(q, b)) => {
                self.place(*p, *q);
                self.expr(*a, *b);
            }
            (Op::Havoc(p, _), Op::Havoc(q, _)) => self.place(*p, *q),
            (Op::Alloc { dst: p, size: a, .. }, Op::Alloc { dst: q, size: b, .. }) => {
                self.place(*p, *q);
                self.expr(*a, *b);
            }
            (Op::Free(a), Op::Free(b)) => self.expr(*a, *b),
            _ => {}
        }
    }

    fn expr(&mut self, from: ExprId, to: ExprId) {
        if discriminant(self.from.kind(from)) != discriminant(self.to.kind(to)) {
            return;
        }
        match (self.from.kind(from), self.to.kind(to)) {
            (ExprKind::Read(p) | ExprKind::AddrOf(p), ExprKind::Read(q) | ExprKind::AddrOf(q)) => {
                self.place(*p, *q);
            }
            _ => {
                let (a, b): (Vec<_>, Vec<_>) =
                    (self.from.children(from).collect(), self.to.children(to).collect());
                a.into_iter().zip(b).for_each(|(a, b)| self.expr(a, b));
            }
        }
    }

    fn place(&mut self, from: PlaceId, to: PlaceId) {
        let (kind, copy) = (self.from.place(from).kind, self.to.place(to).kind);
        if discriminant(&kind) != discriminant(&copy) || self.found.insert(from, to).is_some() {
            return;
        }
        match (kind, copy) {
            (PlaceKind::Deref(a), PlaceKind::Deref(b)) => self.expr(a, b),
            (PlaceKind::Field(p, _), PlaceKind::Field(q, _)) => self.place(p, q),
            (PlaceKind::Index(p, a), PlaceKind::Index(q, b)) => {
                self.place(p, q);
                self.expr(a, b);
            }
            _ => {}
        }
    }
}
