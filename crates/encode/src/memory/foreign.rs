//! Which pointers may be of the environment.
//!
//! The analysis of pointers follows what the program stores. What the environment stored, in what the entry is given, in what functions without body return and in variables that
//! are defined elsewhere, may point to objects that the analysis does not know ([`super::outside`]), beside those that it does. Which expressions may be such a pointer is found here,
//! object by object: an object that may hold one may hold one anywhere. An access through it may lie elsewhere than where the analysis says.
//!
//! Numbers count where the program makes pointers of numbers. Memory that nobody has written to, of a local or an allocation, holds no pointer: to access something
//! through one is undefined.

use super::constraints::{Constraints, Value};
use super::objects::ObjectId;
use super::targets;
use craig_base::{Budget, Pace, Stop};
use craig_cfa::{Choice, Edge, ExprId, ExprKind, Maker, Op, PlaceId, PlaceKind, Program, Type};
use index_vec::{IndexVec, index_vec};

/// What may be a pointer of the environment; empty if nothing is.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    exprs: IndexVec<ExprId, bool>,
}

impl Foreign {
    /// `untouched`: what nobody has written to may hold such pointers, too. Then executions are looked for.
    pub fn new(found: &mut Constraints<'_>, untouched: bool, budget: &Budget) -> Result<Foreign, Stop> {
        let program = found.program;
        let comes_in = |op: &Op| match op {
            Op::Havoc(_, choice) => untouched || *choice != Choice::Uninit,
            Op::Alloc { maker, .. } => untouched || *maker != Maker::Program,
            _ => false,
        };
        if !program.edges.iter().any(|edge| comes_in(&edge.op)) && !program.vars.iter().any(|var| var.larger)
        {
            return Ok(Foreign::default());
        }
        let mut search = Search::new(found, untouched, budget)?;
        while std::mem::take(&mut search.changed) {
            search.pass(found, budget)?;
        }
        Ok(Foreign { exprs: search.exprs })
    }

    /// May it be a pointer of the environment?
    pub fn is_foreign(&self, e: ExprId) -> bool {
        self.exprs.get(e).copied().unwrap_or_default()
    }

    /// Does a place lie behind such a pointer?
    pub fn is_behind(&self, program: &Program, place: PlaceId) -> bool {
        !self.exprs.is_empty() && root(program, place).is_some_and(|pointer| self.is_foreign(pointer))
    }
}

/// The objects that an address may lie in.
pub(super) fn objects_at(found: &mut Constraints<'_>, address: Value) -> Vec<ObjectId> {
    let mut objects: Vec<ObjectId> = targets(found, address).into_iter().map(|(object, _)| object).collect();
    objects.sort_unstable();
    objects.dedup();
    objects
}

/// The pointer that a place lies behind.
pub(super) fn root(program: &Program, mut place: PlaceId) -> Option<ExprId> {
    loop {
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => return None,
            PlaceKind::Deref(pointer) => return Some(pointer),
            PlaceKind::Field(of, _) | PlaceKind::Index(of, _) => place = of,
        }
    }
}

struct Search<'p> {
    program: &'p Program,
    exprs: IndexVec<ExprId, bool>,
    /// What may hold such a pointer.
    objects: IndexVec<ObjectId, bool>,
    /// What nobody has written to counts.
    untouched: bool,
    /// The objects that a place may lie in; none for places that no operation names.
    places: IndexVec<PlaceId, Option<Vec<ObjectId>>>,
    changed: bool,
}

impl<'p> Search<'p> {
    fn new(found: &mut Constraints<'p>, untouched: bool, budget: &Budget) -> Result<Search<'p>, Stop> {
        let program = found.program;
        let mut pace = Pace::new(budget);
        let mut places = IndexVec::with_capacity(program.exprs.place_count());
        for place in (0..program.exprs.place_count()).map(PlaceId::from_usize) {
            pace.step()?;
            let address = found.known_address(place);
            places.push(address.map(|address| objects_at(found, address)));
        }
        let objects = found.solver.objects.iter().map(|object| object.larger).collect();
        let exprs = index_vec![false; program.exprs.len()];
        Ok(Search { program, exprs, objects, untouched, places, changed: true })
    }

    fn pass(&mut self, found: &mut Constraints<'p>, budget: &Budget) -> Result<(), Stop> {
        let mut pace = Pace::new(budget);
        // Parts have smaller numbers than what they are parts of.
        for e in (0..self.program.exprs.len()).map(ExprId::from_usize) {
            pace.step()?;
            self.exprs[e] = self.evaluate(e, found.numbers);
        }
        for edge in &self.program.edges {
            pace.step()?;
            self.op(found, edge);
        }
        Ok(())
    }

    fn evaluate(&self, e: ExprId, numbers: bool) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        if !numbers && types.as_int(exprs.ty(e)).is_some() {
            return false;
        }
        let is_behind = |place: PlaceId| root(self.program, place).is_some_and(|pointer| self.exprs[pointer]);
        match *exprs.kind(e) {
            ExprKind::Read(place) => match &self.places[place] {
                Some(objects) => is_behind(place) || objects.iter().any(|object| self.objects[*object]),
                None => true,
            },
            ExprKind::AddrOf(place) => is_behind(place),
            ExprKind::Ite(_, a, b) => self.exprs[a] || self.exprs[b],
            // A count is no address, unless it goes from a constant.
            ExprKind::PtrAdd(p, n) => self.exprs[p] || exprs.as_bits(p).is_some() && self.exprs[n],
            _ => exprs.children(e).any(|part| self.exprs[part]),
        }
    }

    fn op(&mut self, found: &mut Constraints<'p>, edge: &Edge) {
        match &edge.op {
            Op::Assign(place, e) if self.exprs[*e] => self.store(*place),
            Op::Havoc(place, choice) if self.is_given(*place, choice, found.numbers) => self.store(*place),
            Op::Call(call) => {
                let params = &self.program.procs[call.proc].params;
                for (param, arg) in params.iter().zip(&call.args) {
                    if self.exprs[*arg] {
                        self.mark(found.var[*param]);
                    }
                }
                if let (Some(place), Some(result)) = (call.ret, found.results[call.proc])
                    && self.objects[result]
                {
                    self.store(place);
                }
            }
            Op::Alloc { zero: false, .. } | Op::Realloc { .. } if self.untouched => {
                self.mark(found.alloc[&(edge.origin, edge.calls)]);
            }
            Op::Return(Some(e)) if self.exprs[*e] => {
                if let Some(result) = found.results[self.program.locs[edge.from].proc] {
                    self.mark(result);
                }
            }
            Op::MemCopy { dst, src, .. } if self.holds(found, *src) => {
                let to = found.known_value(*dst).map_or(Vec::new(), |value| objects_at(found, value));
                to.into_iter().for_each(|object| self.mark(object));
            }
            Op::Realloc { ptr, .. } if self.holds(found, *ptr) => {
                self.mark(found.alloc[&(edge.origin, edge.calls)]);
            }
            // What else stores something stores no pointer, or one to what it makes.
            _ => {}
        }
    }

    /// Does the environment choose a value there that may be a pointer?
    fn is_given(&self, place: PlaceId, choice: &Choice, numbers: bool) -> bool {
        let types = &self.program.types;
        let ty = self.program.exprs.place(place).ty;
        match (types.get(ty), choice) {
            (_, Choice::Uninit) => self.untouched && types.as_int(ty).is_none() && !types.is_float(ty),
            (_, Choice::Way) | (Type::Float(_), _) => false,
            // A number that a run chooses is made of nothing.
            (Type::Int(_), Choice::Nondet(_)) => false,
            (Type::Int(int), _) => numbers && int.width >= types.model.pointer_bits(),
            _ => true,
        }
    }

    /// May such a pointer lie in what a pointer points to?
    fn holds(&self, found: &mut Constraints<'_>, pointer: ExprId) -> bool {
        let objects = found.known_value(pointer).map_or(Vec::new(), |value| objects_at(found, value));
        self.exprs[pointer] || objects.iter().any(|object| self.objects[*object])
    }

    fn store(&mut self, place: PlaceId) {
        let objects = self.places[place].clone().unwrap_or_default();
        objects.into_iter().for_each(|object| self.mark(object));
    }

    fn mark(&mut self, object: ObjectId) {
        self.changed |= !std::mem::replace(&mut self.objects[object], true);
    }
}
