//! Operations on diagrams that keep to a budget.
//!
//! `oxidd`'s own operations end when they are done or when there is no room. One of them may take minutes, in which no limit is kept and no work counted. These here do the same, on the same nodes and
//! with the same table of results (an entry means the same for both), and look at a budget every so many steps. An operation that has to end returns the error
//! of one that found no room, and the [`Pace`] knows better ([`Pace::stopped`]).
//!
//! Diagrams have complement edges: a node has a positive `then` edge, and negation is a mark on an edge. So there is one conjunction, and all others are that with marks.

use craig_base::{Budget, Stop};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{HasLevel, InnerNode, LevelNo, Manager, Node};
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache, LevelView};
use oxidd_rules_bdd::complement_edge::{BCDDOp, BCDDTerminal, EdgeTag};
use std::cell::Cell;
use std::cmp::min;

/// Steps of operations between two looks at the budget: a few milliseconds.
const STRIDE: u32 = 1 << 13;
/// Units of the solver's work that take about as long as a step (a product of numbers with 11 bits: some three million steps a second).
const UNITS_A_STEP: u64 = 2;

/// What operations spend, and whether they had to end.
#[derive(Debug)]
pub struct Pace {
    budget: Budget,
    left: Cell<u32>,
    stopped: Cell<Option<Stop>>,
}

impl Pace {
    pub fn new(budget: Budget) -> Pace {
        Pace { budget, left: Cell::new(STRIDE), stopped: Cell::new(None) }
    }

    /// Why an operation ended before it was done, if one did.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }

    fn step(&self) -> AllocResult<()> {
        match self.left.get() {
            0 => self.look(),
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }

    #[cold]
    fn look(&self) -> AllocResult<()> {
        self.budget.spend(u64::from(STRIDE) * UNITS_A_STEP);
        match self.budget.check() {
            Ok(()) => {
                self.left.set(STRIDE);
                Ok(())
            }
            Err(stop) => {
                self.stopped.set(Some(stop));
                Err(OutOfMemory)
            }
        }
    }
}

/// The operations in one manager.
pub struct Apply<'a, M: Manager> {
    pub manager: &'a M,
    pub pace: &'a Pace,
}

type Made<M> = AllocResult<Own<<M as Manager>::Edge>>;

pub fn not<E: oxidd::Edge<Tag = EdgeTag>>(f: Ref<'_, E>) -> Ref<'_, E> {
    f.with_tag(!f.tag())
}

fn not_owned<E: oxidd::Edge<Tag = EdgeTag>>(f: Own<E>) -> Own<E> {
    let tag = f.tag();
    f.with_tag(!tag)
}

impl<'a, M> Apply<'a, M>
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal> + HasApplyCache<M, BCDDOp>,
    M::InnerNode: HasLevel,
{
    fn guard(&self, edge: Own<M::Edge>) -> EdgeDropGuard<'a, M> {
        EdgeDropGuard::new(self.manager, edge)
    }

    fn constant(&self, value: bool) -> Made<M> {
        let one = self.manager.get_terminal(BCDDTerminal)?;
        Ok(if value { one } else { not_owned(one) })
    }

    /// What remains of a function when the variable of a level is true, and when it is false.
    fn cofactors<'f>(
        &self,
        f: Ref<'f, M::Edge>,
        node: &'f M::InnerNode,
        level: LevelNo,
    ) -> (Ref<'f, M::Edge>, Ref<'f, M::Edge>) {
        if node.level() != level {
            return (f, f);
        }
        let (then, otherwise) = (node.child(0), node.child(1));
        match f.tag() {
            EdgeTag::None => (then, otherwise),
            EdgeTag::Complemented => (not(then), not(otherwise)),
        }
    }

    /// The function that asks the variable of a level first.
    fn node(&self, level: LevelNo, then: EdgeDropGuard<'a, M>, otherwise: EdgeDropGuard<'a, M>) -> Made<M> {
        if *then == *otherwise {
            return Ok(then.into_edge());
        }
        let (then, otherwise) = (then.into_edge(), otherwise.into_edge());
        let tag = then.tag();
        let children = match tag {
            EdgeTag::None => [then, otherwise],
            EdgeTag::Complemented => [not_owned(then), not_owned(otherwise)],
        };
        let node = M::InnerNode::new(level, children);
        Ok(self.manager.level(level).get_or_insert(node)?.with_tag(tag))
    }

    pub fn and(&self, f: Ref<'_, M::Edge>, g: Ref<'_, M::Edge>) -> Made<M> {
        let m = self.manager;
        let (fnode, gnode) = match self.simple_and(f, g) {
            Simple::Is(done) => return done,
            Simple::Not(fnode, gnode) => (fnode, gnode),
        };
        let (f, fnode, g, gnode) = if f < g { (f, fnode, g, gnode) } else { (g, gnode, f, fnode) };
        if let Some(known) = m.apply_cache().get(m, BCDDOp::And, &[f, g]) {
            return Ok(known);
        }
        self.pace.step()?;
        let level = min(fnode.level(), gnode.level());
        let ((ft, fe), (gt, ge)) = (self.cofactors(f, fnode, level), self.cofactors(g, gnode, level));
        let then = self.guard(self.and(ft, gt)?);
        let otherwise = self.guard(self.and(fe, ge)?);
        let made = self.node(level, then, otherwise)?;
        m.apply_cache().add(m, BCDDOp::And, &[f, g], made.borrowed());
        Ok(made)
    }

    /// The conjunction, if it is easily said; else the nodes of both.
    fn simple_and<'f>(&self, f: Ref<'f, M::Edge>, g: Ref<'f, M::Edge>) -> Simple<'f, M>
    where
        'a: 'f,
    {
        let m = self.manager;
        if f == g {
            return Simple::Is(Ok(m.clone_edge(f)));
        }
        if f == not(g) {
            return Simple::Is(self.constant(false));
        }
        let (constant, other) = match (m.get_node(f), m.get_node(g)) {
            (Node::Inner(fnode), Node::Inner(gnode)) => return Simple::Not(fnode, gnode),
            (Node::Terminal(_), _) => (f, g),
            (_, Node::Terminal(_)) => (g, f),
        };
        Simple::Is(match constant.tag() {
            EdgeTag::None => Ok(m.clone_edge(other)),
            EdgeTag::Complemented => self.constant(false),
        })
    }

    pub fn or(&self, f: Ref<'_, M::Edge>, g: Ref<'_, M::Edge>) -> Made<M> {
        Ok(not_owned(self.and(not(f), not(g))?))
    }

    pub fn xor(&self, f: Ref<'_, M::Edge>, g: Ref<'_, M::Edge>) -> Made<M> {
        let m = self.manager;
        if f == g || f == not(g) {
            return self.constant(f != g);
        }
        let (fnode, gnode) = match (m.get_node(f), m.get_node(g)) {
            (Node::Inner(fnode), Node::Inner(gnode)) => (fnode, gnode),
            (Node::Terminal(_), _) => return Ok(self.marked(g, f)),
            (_, Node::Terminal(_)) => return Ok(self.marked(f, g)),
        };
        let (f, fnode, g, gnode) = if f < g { (f, fnode, g, gnode) } else { (g, gnode, f, fnode) };
        if let Some(known) = m.apply_cache().get(m, BCDDOp::Xor, &[f, g]) {
            return Ok(known);
        }
        self.pace.step()?;
        let level = min(fnode.level(), gnode.level());
        let ((ft, fe), (gt, ge)) = (self.cofactors(f, fnode, level), self.cofactors(g, gnode, level));
        let then = self.guard(self.xor(ft, gt)?);
        let otherwise = self.guard(self.xor(fe, ge)?);
        let made = self.node(level, then, otherwise)?;
        m.apply_cache().add(m, BCDDOp::Xor, &[f, g], made.borrowed());
        Ok(made)
    }

    /// A function, or its negation if the constant is true.
    fn marked(&self, f: Ref<'_, M::Edge>, constant: Ref<'_, M::Edge>) -> Own<M::Edge> {
        let copy = self.manager.clone_edge(f);
        if constant.tag() == EdgeTag::None { not_owned(copy) } else { copy }
    }

    /// `f ? g : h`
    pub fn ite(&self, f: Ref<'_, M::Edge>, g: Ref<'_, M::Edge>, h: Ref<'_, M::Edge>) -> Made<M> {
        let m = self.manager;
        let Node::Inner(fnode) = m.get_node(f) else {
            return Ok(m.clone_edge(if f.tag() == EdgeTag::None { g } else { h }));
        };
        if g == h {
            return Ok(m.clone_edge(g));
        }
        if g == not(h) {
            return Ok(not_owned(self.xor(f, g)?));
        }
        if f == g || f == not(h) || f == not(g) || f == h {
            // The condition decides one of the branches.
            return if f == g {
                self.or(f, h)
            } else if f == not(h) {
                self.or(not(f), g)
            } else if f == not(g) {
                self.and(not(f), h)
            } else {
                self.and(f, g)
            };
        }
        let (gnode, hnode) = match (m.get_node(g), m.get_node(h)) {
            (Node::Inner(gnode), Node::Inner(hnode)) => (gnode, hnode),
            (Node::Terminal(_), _) if g.tag() == EdgeTag::None => return self.or(f, h),
            (Node::Terminal(_), _) => return self.and(not(f), h),
            (_, Node::Terminal(_)) if h.tag() == EdgeTag::None => return self.or(not(f), g),
            (_, Node::Terminal(_)) => return self.and(f, g),
        };
        if let Some(known) = m.apply_cache().get(m, BCDDOp::Ite, &[f, g, h]) {
            return Ok(known);
        }
        self.pace.step()?;
        let level = min(fnode.level(), min(gnode.level(), hnode.level()));
        let (ft, fe) = self.cofactors(f, fnode, level);
        let ((gt, ge), (ht, he)) = (self.cofactors(g, gnode, level), self.cofactors(h, hnode, level));
        let then = self.guard(self.ite(ft, gt, ht)?);
        let otherwise = self.guard(self.ite(fe, ge, he)?);
        let made = self.node(level, then, otherwise)?;
        m.apply_cache().add(m, BCDDOp::Ite, &[f, g, h], made.borrowed());
        Ok(made)
    }

    /// The variables of a cube from a level on.
    fn from<'f>(
        &self,
        mut cube: Ref<'f, M::Edge>,
        level: LevelNo,
    ) -> Option<(Ref<'f, M::Edge>, &'f M::InnerNode)>
    where
        'a: 'f,
    {
        loop {
            match self.manager.get_node(cube) {
                Node::Inner(node) if node.level() >= level => return Some((cube, node)),
                Node::Inner(node) => cube = node.child(0),
                Node::Terminal(_) => return None,
            }
        }
    }

    /// Without the variables of a cube.
    pub fn exists(&self, f: Ref<'_, M::Edge>, cube: Ref<'_, M::Edge>) -> Made<M> {
        let m = self.manager;
        let Node::Inner(fnode) = m.get_node(f) else { return Ok(m.clone_edge(f)) };
        let level = fnode.level();
        let Some((cube, first)) = self.from(cube, level) else { return Ok(m.clone_edge(f)) };
        if let Some(known) = m.apply_cache().get(m, BCDDOp::Exists, &[f, cube]) {
            return Ok(known);
        }
        self.pace.step()?;
        let (ft, fe) = self.cofactors(f, fnode, level);
        let goes = first.level() == level;
        let rest = if goes { first.child(0) } else { cube };
        let then = self.guard(self.exists(ft, rest)?);
        let otherwise = self.guard(self.exists(fe, rest)?);
        let made = match goes {
            true => self.or(then.borrowed(), otherwise.borrowed())?,
            false => self.node(level, then, otherwise)?,
        };
        m.apply_cache().add(m, BCDDOp::Exists, &[f, cube], made.borrowed());
        Ok(made)
    }

    /// The conjunction without the variables of a cube.
    pub fn and_exists(&self, f: Ref<'_, M::Edge>, g: Ref<'_, M::Edge>, cube: Ref<'_, M::Edge>) -> Made<M> {
        let m = self.manager;
        let (fnode, gnode) = match self.simple_and(f, g) {
            Simple::Is(done) => {
                let done = self.guard(done?);
                return self.exists(done.borrowed(), cube);
            }
            Simple::Not(fnode, gnode) => (fnode, gnode),
        };
        let (f, fnode, g, gnode) = if f < g { (f, fnode, g, gnode) } else { (g, gnode, f, fnode) };
        let level = min(fnode.level(), gnode.level());
        let Some((cube, first)) = self.from(cube, level) else { return self.and(f, g) };
        if let Some(known) = m.apply_cache().get(m, BCDDOp::ExistAnd, &[f, g, cube]) {
            return Ok(known);
        }
        self.pace.step()?;
        let ((ft, fe), (gt, ge)) = (self.cofactors(f, fnode, level), self.cofactors(g, gnode, level));
        let goes = first.level() == level;
        let rest = if goes { first.child(0) } else { cube };
        let then = self.guard(self.and_exists(ft, gt, rest)?);
        let made = if goes && self.is_true(then.borrowed()) {
            then.into_edge()
        } else {
            let otherwise = self.guard(self.and_exists(fe, ge, rest)?);
            match goes {
                true => self.or(then.borrowed(), otherwise.borrowed())?,
                false => self.node(level, then, otherwise)?,
            }
        };
        m.apply_cache().add(m, BCDDOp::ExistAnd, &[f, g, cube], made.borrowed());
        Ok(made)
    }

    fn is_true(&self, f: Ref<'_, M::Edge>) -> bool {
        matches!(self.manager.get_node(f), Node::Terminal(_)) && f.tag() == EdgeTag::None
    }

    /// With functions in place of the variables of levels; what is below the last of these stays. Results are remembered for `id`.
    pub fn substitute(&self, f: Ref<'_, M::Edge>, by: &[EdgeDropGuard<'_, M>], id: u32) -> Made<M> {
        let m = self.manager;
        let Node::Inner(node) = m.get_node(f) else { return Ok(m.clone_edge(f)) };
        let Some(replaced) = by.get(node.level() as usize) else { return Ok(m.clone_edge(f)) };
        let cache = m.apply_cache();
        if let Some(([known], [])) = cache.get_extended(m, BCDDOp::Substitute, (&[f], &[id])) {
            return Ok(known);
        }
        self.pace.step()?;
        let (ft, fe) = self.cofactors(f, node, node.level());
        let then = self.guard(self.substitute(ft, by, id)?);
        let otherwise = self.guard(self.substitute(fe, by, id)?);
        let made = self.ite(replaced.borrowed(), then.borrowed(), otherwise.borrowed())?;
        cache.add_extended(m, BCDDOp::Substitute, (&[f], &[id]), (&[made.borrowed()], &[]));
        Ok(made)
    }

    /// For [`Apply::substitute`]: what each level becomes, from what variables become.
    pub fn levels<'r>(
        &self,
        pairs: impl Iterator<Item = (LevelNo, Ref<'r, M::Edge>)>,
    ) -> AllocResult<Vec<EdgeDropGuard<'a, M>>>
    where
        M::Edge: 'r,
    {
        let mut given: Vec<(LevelNo, Ref<'r, M::Edge>)> = pairs.collect();
        given.sort_unstable_by_key(|(level, _)| *level);
        let mut by = Vec::new();
        for (level, function) in given {
            while by.len() < level as usize {
                let (one, zero) = (self.guard(self.constant(true)?), self.guard(self.constant(false)?));
                by.push(self.guard(self.node(by.len() as LevelNo, one, zero)?));
            }
            by.push(self.guard(self.manager.clone_edge(function)));
        }
        Ok(by)
    }
}

/// Whether an operation is easily done; if not, the nodes of what it is done with.
enum Simple<'f, M: Manager> {
    Is(Made<M>),
    Not(&'f M::InnerNode, &'f M::InnerNode),
}

#[cfg(test)]
mod tests {
    use crate::bdd::{Bdd, BddVar, Bdds, BooleanFunction};
    use craig_base::{Budget, Stop};
    use proptest::prelude::*;

    const VARS: usize = 5;

    /// A function by its values, one bit for each assignment.
    fn function(bdds: &Bdds, vars: &[BddVar], values: u32) -> Bdd {
        let mut all = bdds.constant(false);
        for assignment in (0..1 << VARS).filter(|a| values >> a & 1 == 1) {
            let literal = |i: usize| (vars[i], assignment >> i & 1 == 1);
            let cube = bdds.cube(&(0..VARS).rev().map(literal).collect::<Vec<_>>()).unwrap();
            all = BooleanFunction::or(&all, &cube).unwrap();
        }
        all
    }

    fn values(f: &Bdd) -> u32 {
        let holds = |a: u32| f.eval((0..VARS as u32).map(|i| (i, a >> i & 1 == 1)));
        (0..1 << VARS).map(|a| u32::from(holds(a)) << a).sum()
    }

    /// The values without a variable.
    fn without(values: u32, var: usize) -> u32 {
        let both = |a: usize| values >> (a & !(1 << var)) & 1 | values >> (a | 1 << var) & 1;
        (0..1 << VARS).map(|a| both(a) << a).sum()
    }

    proptest! {
        /// Every operation against what it means for each assignment.
        #[test]
        fn operations_mean_what_they_say(a: u32, b: u32, c: u32, gone in 0_usize..1 << VARS) {
            let bdds = Bdds::new(1 << 12, 1 << 10);
            let vars: Vec<BddVar> = (0..VARS).map(|_| bdds.new_var()).collect();
            let (f, g, h) = (function(&bdds, &vars, a), function(&bdds, &vars, b), function(&bdds, &vars, c));
            prop_assert_eq!(values(&bdds.and(&f, &g).unwrap()), a & b);
            prop_assert_eq!(values(&bdds.or(&f, &g).unwrap()), a | b);
            prop_assert_eq!(values(&bdds.xor(&f, &g).unwrap()), a ^ b);
            prop_assert_eq!(values(&bdds.ite(&f, &g, &h).unwrap()), a & b | !a & c);
            let chosen = || (0..VARS).filter(|i| gone >> i & 1 == 1);
            let cube = bdds.cube(&chosen().map(|i| (vars[i], true)).collect::<Vec<_>>()).unwrap();
            let exists = |values: u32| chosen().fold(values, without);
            prop_assert_eq!(values(&bdds.exists(&f, &cube).unwrap()), exists(a));
            prop_assert_eq!(values(&bdds.forall(&f, &cube).unwrap()), !exists(!a));
            prop_assert_eq!(values(&bdds.and_exists(&f, &g, &cube).unwrap()), exists(a & b));
            prop_assert_eq!(values(&bdds.forall_implies(&f, &g, &cube).unwrap()), !exists(a & !b));
            prop_assert_eq!(bdds.implies(&f, &g).unwrap(), a & !b == 0);
            // Two variables at once, by functions that speak of both.
            let put = bdds.substitution([(vars[1], g.clone()), (vars[3], h.clone())]);
            let at = |x: u32| x & !0b01010 | (b >> x & 1) << 1 | (c >> x & 1) << 3;
            let expected: u32 = (0..1 << VARS).map(|x| (a >> at(x) & 1) << x).sum();
            prop_assert_eq!(values(&put.apply(&f).unwrap()), expected);
        }
    }

    /// An operation that takes long ends with the budget, spends work, and leaves no wrong result behind.
    #[test]
    fn an_operation_ends_with_its_budget() {
        const PAIRS: usize = 16;
        let build = |bdds: &Bdds| {
            // x0 = y0 and x1 = y1 ..., where all x come before all y: exponential.
            let vars: Vec<BddVar> = (0..2 * PAIRS).map(|_| bdds.new_var()).collect();
            let mut all = bdds.constant(true);
            for i in 0..PAIRS {
                let (x, y) = (bdds.var(vars[i]).unwrap(), bdds.var(vars[PAIRS + i]).unwrap());
                let same = bdds.xor(&x, &y).ok()?.not().ok()?;
                all = bdds.and(&all, &same).ok()?;
            }
            Some(all)
        };
        let budget = Budget::unlimited().with_work(20_000);
        let bdds = Bdds::within_budget(1 << 22, 1 << 16, &budget);
        assert!(build(&bdds).is_none());
        assert_eq!(bdds.stopped(), Some(Stop::Work));
        assert!(budget.spent() >= 20_000);
        assert!(build(&Bdds::new(1 << 22, 1 << 16)).is_some());
    }
}
