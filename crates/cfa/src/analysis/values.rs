//! The values that variables may have at each location: constants and small sets, along the flow of control.
//!
//! Looked at are integers and pointers that nothing points at, so that only operations which name them change them. Each has, at each location that a
//! run may reach, at most so many values, or any. Sets come from constants, copies and conversions; arithmetic is done on constants only, so that
//! a counter is given up in its second round. A condition that none of the values makes true is no way on, and one that some make true leaves
//! these: conditional constant propagation (SCCP) with sets.
//!
//! Calls that are not inlined: a procedure may be called with anything, and changes every global that some operation of the program writes.
//!
//! Invariant, when it is done: what holds at the start of an edge and what the edge does imply what holds at its end. So these facts together are
//! an inductive invariant of the program, and a certificate can say them.

use super::table::Table;
use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, Node, PlaceKind, UnOp};
use crate::graph;
use crate::program::{Edge, LocId, Op, Program, VarId};
use crate::types::Types;
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// More values are not few: the protocols of the SSH programs have up to 40.
pub const MOST: usize = 64;
/// Nodes of an expression that are looked at: what is shared inside one is seen again.
const FUEL: u32 = 10_000;

/// A few values, as bits: at least one, ascending. Truth values are 0 and 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Set {
    One(u128),
    Few(Rc<[u128]>),
}

impl Set {
    /// None if there are too many, or none at all.
    fn of(mut values: Vec<u128>) -> Option<Set> {
        values.sort_unstable();
        values.dedup();
        match values[..] {
            [] => None,
            [one] => Some(Set::One(one)),
            _ => (values.len() <= MOST).then(|| Set::Few(values.into())),
        }
    }

    pub fn values(&self) -> &[u128] {
        match self {
            Set::One(one) => std::slice::from_ref(one),
            Set::Few(few) => few,
        }
    }

    /// The only value.
    pub fn one(&self) -> Option<u128> {
        match self {
            Set::One(one) => Some(*one),
            Set::Few(_) => None,
        }
    }

    fn map(&self, f: impl Fn(u128) -> u128) -> Option<Set> {
        Set::of(self.values().iter().map(|v| f(*v)).collect())
    }

    fn union(&self, other: &Set) -> Option<Set> {
        Set::of(self.values().iter().chain(other.values()).copied().collect())
    }
}

/// What is known at a location: variables that are not in it may have any value.
pub type State = Table<Set>;

/// The values at every location.
#[derive(Debug)]
pub struct Values {
    at: IndexVec<LocId, Option<State>>,
    tracked: IndexVec<VarId, bool>,
    /// The globals that some operation writes.
    globals: Vec<VarId>,
}

impl Values {
    pub fn new(program: &Program, budget: &Budget) -> Result<Values, Stop> {
        let tracked: IndexVec<VarId, bool> =
            program.vars.iter().map(|v| !v.address_taken && program.types.as_word(v.ty).is_some()).collect();
        let at = index_vec![None; program.locs.len()];
        let mut values = Values { at, tracked, globals: globals_written(program) };
        values.solve(program, budget)?;
        Ok(values)
    }

    /// What is known at a location; none if no run comes there.
    pub fn at(&self, loc: LocId) -> Option<&State> {
        self.at[loc].as_ref()
    }

    /// What is known behind an edge of the program; none if no run takes it.
    pub fn behind(&self, program: &Program, edge: &Edge) -> Option<State> {
        let mut state = self.at(edge.from)?.clone();
        self.step(program, edge, &mut state).then_some(state)
    }

    /// What an expression may be at a location; none if it may be anything.
    pub fn of(&self, program: &Program, state: &State, e: ExprId) -> Option<Set> {
        Eval { program, state, fuel: FUEL }.expr(e)
    }

    /// The variables below the roots that something is known of.
    pub fn known_in(&self, program: &Program, state: &State, roots: Vec<Node>) -> Vec<VarId> {
        let mut known = Vec::new();
        program.exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
            if let Node::Place(p) = node
                && let PlaceKind::Var(v) = program.exprs.place(p).kind
                && state.get(v).is_some()
            {
                known.push(v);
            }
        });
        known
    }

    fn solve(&mut self, program: &Program, budget: &Budget) -> Result<(), Stop> {
        let flow = program.graph();
        let order = graph::order(program, &flow);
        let mut start = State::new(program.vars.len());
        for (v, _) in program.vars.iter_enumerated().filter(|(v, var)| self.tracked[*v] && var.proc.is_none())
        {
            start.set(v, Some(Set::One(0)));
        }
        let mut open: BTreeSet<(u32, LocId)> = BTreeSet::new();
        for (id, proc) in program.procs.iter_enumerated() {
            let mut state = start.clone();
            if id != program.entry {
                self.globals.iter().for_each(|v| state.set(*v, None));
            }
            self.at[proc.entry] = Some(state);
            open.extend(order.position[proc.entry].map(|at| (at, proc.entry)));
        }
        let mut pace = Pace::new(budget);
        while let Some((_, loc)) = open.pop_first() {
            for id in &flow.succ[loc] {
                pace.step()?;
                let edge = &program.edges[*id];
                let Some(mut state) = self.at[loc].clone() else { continue };
                if !self.step(program, edge, &mut state) {
                    continue;
                }
                let changed = match &mut self.at[edge.to] {
                    Some(known) => known.join(&state, &Set::union),
                    none => {
                        *none = Some(state);
                        true
                    }
                };
                if changed {
                    open.extend(order.position[edge.to].map(|at| (at, edge.to)));
                }
            }
        }
        Ok(())
    }

    /// Takes an edge; false if no run does.
    fn step(&self, program: &Program, edge: &Edge, state: &mut State) -> bool {
        let exprs = &program.exprs;
        match &edge.op {
            Op::Skip | Op::Return(_) => {}
            Op::Assume(e) => return self.assume(program, state, *e, true),
            Op::Halt(_) => return false,
            Op::Assign(p, e) => {
                if let Some(v) = exprs.root_var(*p).filter(|v| self.tracked[*v]) {
                    let value = match exprs.place(*p).kind {
                        PlaceKind::Var(_) => self.of(program, state, *e),
                        _ => None,
                    };
                    state.set(v, value);
                }
            }
            op => {
                let parts = op.parts();
                if let Some(v) = parts.written.and_then(|p| exprs.root_var(p)) {
                    state.set(v, None);
                }
                if matches!(op, Op::Call(_)) {
                    self.globals.iter().for_each(|v| state.set(*v, None));
                }
            }
        }
        true
    }

    /// Takes a condition, or its negation, for true; false if it cannot be.
    fn assume(&self, program: &Program, state: &mut State, e: ExprId, positive: bool) -> bool {
        let exprs = &program.exprs;
        match (exprs.kind(e), positive) {
            (ExprKind::Unary(UnOp::Not, a), _) => return self.assume(program, state, *a, !positive),
            (ExprKind::Binary(BinOp::And, a, b), true) | (ExprKind::Binary(BinOp::Or, a, b), false) => {
                return self.assume(program, state, *a, positive)
                    && self.assume(program, state, *b, positive);
            }
            (ExprKind::Binary(BinOp::Implies, a, b), false) => {
                return self.assume(program, state, *a, true) && self.assume(program, state, *b, false);
            }
            _ => {}
        }
        if let Some(Set::One(value)) = self.of(program, state, e) {
            return value == u128::from(positive);
        }
        for v in self.known_in(program, state, vec![Node::Expr(e)]) {
            let Some(few @ Set::Few(_)) = state.get(v).cloned() else { continue };
            let mut with = state.clone();
            let fits = |value: &u128| {
                with.set(v, Some(Set::One(*value)));
                self.of(program, &with, e) != Some(Set::One(u128::from(!positive)))
            };
            let left: Vec<u128> = few.values().iter().copied().filter(fits).collect();
            if left.is_empty() {
                return false;
            }
            state.set(v, Set::of(left));
        }
        if let (ExprKind::Binary(BinOp::Eq, a, b), true) | (ExprKind::Binary(BinOp::Ne, a, b), false) =
            (exprs.kind(e), positive)
        {
            for (this, other) in [(*a, *b), (*b, *a)] {
                if let ExprKind::Read(p) = *exprs.kind(this)
                    && let PlaceKind::Var(v) = exprs.place(p).kind
                    && self.tracked[v]
                    && state.get(v).is_none()
                {
                    let value = self.of(program, state, other);
                    state.set(v, value);
                }
            }
        }
        true
    }
}

/// The globals that some operation writes.
fn globals_written(program: &Program) -> Vec<VarId> {
    let roots = program.ops().filter_map(|(op, _)| op.parts().written);
    let mut written: Vec<VarId> =
        roots.filter_map(|p| program.exprs.root_var(p)).filter(|v| program.vars[*v].proc.is_none()).collect();
    written.sort_unstable();
    written.dedup();
    written
}

/// Evaluates an expression to all that it may be.
struct Eval<'a> {
    program: &'a Program,
    state: &'a State,
    fuel: u32,
}

impl Eval<'_> {
    fn expr(&mut self, e: ExprId) -> Option<Set> {
        self.fuel = self.fuel.checked_sub(1)?;
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let ty = exprs.ty(e);
        match *exprs.kind(e) {
            ExprKind::Const(Const::Bits(v)) => types.as_word(ty).map(|_| Set::One(v)),
            ExprKind::Const(Const::Bool(v)) => Some(Set::One(u128::from(v))),
            ExprKind::Read(p) => match exprs.place(p).kind {
                PlaceKind::Var(v) => self.state.get(v).cloned(),
                _ => None,
            },
            ExprKind::Unary(UnOp::Not, a) => self.expr(a)?.map(|v| 1 - v),
            ExprKind::Unary(op, a) => {
                let (int, v) = (types.as_int(ty)?, self.expr(a)?.one()?);
                match op {
                    UnOp::Neg => arith::negate(v, int).ok().map(Set::One),
                    _ => Some(Set::One(arith::truncate(!v, int))),
                }
            }
            ExprKind::Cast(a) => {
                let to = types.as_word(ty)?;
                let from = exprs.ty(a);
                if from == Types::BOOL {
                    return self.expr(a).or_else(|| Set::of(vec![0, 1]));
                }
                let from = types.as_word(from)?;
                self.expr(a)?.map(|v| arith::convert(v, from, to))
            }
            ExprKind::Ite(c, a, b) => match self.expr(c) {
                Some(Set::One(1)) => self.expr(a),
                Some(Set::One(_)) => self.expr(b),
                _ => self.expr(a)?.union(&self.expr(b)?),
            },
            ExprKind::Binary(op, a, b) if op.is_logic() => self.logic(op, a, b),
            ExprKind::Binary(op, a, b) => {
                let int = types.as_word(exprs.ty(a))?;
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                if op.is_comparison() {
                    return compare(op, &x, &y, int);
                }
                let (x, y) = (x.one()?, y.one()?);
                match op {
                    BinOp::Shl | BinOp::Shr => {
                        let amount = types.as_word(exprs.ty(b))?;
                        arith::shift(op, x, y, int, amount).ok().map(Set::One)
                    }
                    BinOp::EDiv | BinOp::ERem | BinOp::RDiv => None,
                    _ => arith::binary(op, x, y, int).ok().map(Set::One),
                }
            }
            ExprKind::Overflows(op, a, b) => {
                let int = types.as_int(exprs.ty(a))?;
                let (x, y) = (self.expr(a)?.one()?, self.expr(b)?.one()?);
                Some(Set::One(u128::from(arith::overflows(op, x, y, int))))
            }
            _ => None,
        }
    }

    fn logic(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<Set> {
        let truth = |set: Option<Set>| set.and_then(|s| s.one()).map(|v| v == 1);
        let (x, y) = (truth(self.expr(a)), truth(self.expr(b)));
        let known = match (op, x, y) {
            (BinOp::And, Some(false), _) | (BinOp::And, _, Some(false)) => Some(false),
            (BinOp::Or, Some(true), _) | (BinOp::Or, _, Some(true)) => Some(true),
            (BinOp::Implies, Some(false), _) | (BinOp::Implies, _, Some(true)) => Some(true),
            (BinOp::And, Some(x), Some(y)) => Some(x && y),
            (BinOp::Or, Some(x), Some(y)) => Some(x || y),
            (BinOp::Implies, Some(x), Some(y)) => Some(!x || y),
            (BinOp::Iff, Some(x), Some(y)) => Some(x == y),
            _ => None,
        };
        known.map(|v| Set::One(u128::from(v)))
    }
}

fn compare(op: BinOp, x: &Set, y: &Set, int: crate::types::IntTy) -> Option<Set> {
    let mut found = None;
    for a in x.values() {
        for b in y.values() {
            let order = arith::compare(*a, *b, int);
            let holds = match op {
                BinOp::Eq => order.is_eq(),
                BinOp::Ne => order.is_ne(),
                BinOp::Lt => order.is_lt(),
                _ => order.is_le(),
            };
            if found.is_some_and(|known| known != holds) {
                return None;
            }
            found = Some(holds);
        }
    }
    found.map(|v| Set::One(u128::from(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::inline;
    use crate::testing::Build;
    use crate::testing::random::random_program;
    use crate::testing::walk::Walk;

    fn values(program: &Program) -> Values {
        Values::new(program, &Budget::unlimited()).expect("no limit")
    }

    fn known(values: &Values, loc: LocId, var: VarId) -> Option<Vec<u128>> {
        Some(values.at(loc)?.get(var)?.values().to_vec())
    }

    /// No run comes where none should, or with a value that was not foreseen; with calls and without.
    #[test]
    fn runs_keep_to_what_is_known() {
        let (mut seen, mut held) = (0u64, 0u64);
        for seed in 0..1000 {
            let program = random_program(seed);
            let inlined = inline(&program, None, 1_000_000, &Budget::unlimited()).expect("small").program;
            for program in [&program, &inlined] {
                let values = values(program);
                for choices in 0..4 {
                    Walk::new(program, choices).run_seen(300, |walk, loc| {
                        seen += 1;
                        let state = values.at(loc);
                        let state =
                            state.unwrap_or_else(|| panic!("seed {seed}: a run at {loc:?}\n{program}"));
                        for v in program.vars.indices() {
                            if let (Some(set), Some(value)) = (state.get(v), walk.value(v)) {
                                held += 1;
                                assert!(
                                    set.values().contains(&value),
                                    "seed {seed}: {v:?} is {value} at {loc:?}, not in {set:?}\n{program}"
                                );
                            }
                        }
                    });
                }
            }
        }
        assert!(seen > 100_000 && held > seen / 10, "{held} values at {seen} locations");
    }

    #[test]
    fn conditions_leave_what_makes_them_true() {
        let mut b = Build::new();
        let (s, t) = (b.global("s"), b.global("t"));
        let l: Vec<LocId> = (0..9).map(|_| b.loc()).collect();
        let entry = b.entry();
        // s is 1, 4 or 7.
        b.nondet(entry, l[0], t);
        let (c, d) = (b.cmp(BinOp::Eq, t, 0), b.cmp(BinOp::Eq, t, 1));
        b.set(l[0], l[1], s, 1);
        b.branch(l[1], c, l[2], l[3]);
        b.set(l[2], l[4], s, 4);
        b.branch(l[3], d, l[5], l[4]);
        b.set(l[5], l[4], s, 7);
        let less = b.cmp(BinOp::Lt, s, 5);
        b.branch(l[4], less, l[6], l[7]);
        let never = b.cmp(BinOp::Eq, s, 5);
        b.assume(l[4], l[8], never);
        let values = values(&b.program);
        assert_eq!(known(&values, l[4], s), Some(vec![1, 4, 7]));
        assert_eq!(known(&values, l[6], s), Some(vec![1, 4]));
        assert_eq!(known(&values, l[7], s), Some(vec![7]));
        assert!(values.at(l[8]).is_none());
        // An arbitrary value that was compared.
        assert_eq!(known(&values, l[2], t), Some(vec![0]));
        assert_eq!(known(&values, l[3], t), None);
        assert_eq!(known(&values, l[4], t), None);
    }

    #[test]
    fn counters_are_given_up() {
        let mut b = Build::new();
        let (i, step) = (b.global("i"), b.global("step"));
        let (head, body, out) = (b.loc(), b.loc(), b.loc());
        let entry = b.entry();
        b.set(entry, head, step, 2);
        let more = b.cmp(BinOp::Lt, i, 100);
        b.branch(head, more, body, out);
        let (iv, sv) = (b.get(i), b.get(step));
        let sum = b.bin(BinOp::Add, iv, sv);
        b.assign(body, head, i, sum);
        let values = values(&b.program);
        assert_eq!(known(&values, head, i), None);
        assert_eq!(known(&values, out, step), Some(vec![2]));
    }

    /// What a pointer leads to changes without its name.
    #[test]
    fn what_something_points_at_is_not_known() {
        let mut b = Build::new();
        let (x, y) = (b.global("x"), b.global("y"));
        let l = b.loc();
        let entry = b.entry();
        b.set(entry, l, x, 2);
        b.set(l, b.exit(), y, 3);
        b.address(x);
        b.program.vars[x].address_taken = true;
        let values = values(&b.program);
        assert_eq!(known(&values, b.exit(), x), None);
        assert_eq!(known(&values, b.exit(), y), Some(vec![3]));
    }
}
