//! Binary decision diagrams: `oxidd`'s, with complement edges, in one shared manager, and the small things it lacks.
//!
//! A [`Bdd`] is a handle that keeps its nodes alive. `oxidd`'s traits, which this module exports, have operations for small diagrams; those of [`Bdds`], and so those of circuits and
//! substitutions, keep to the budget of the manager ([`apply`]).

mod apply;
pub mod bits;
pub mod cover;
mod order;
pub mod refute;

use apply::{Apply, Pace, not};
use craig_base::{Budget, Stop};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
pub use oxidd::util::OutOfMemory;
use oxidd::util::{AllocResult, OptBool};
pub use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst};
use oxidd::{HasLevel, InnerNode, Manager, ManagerRef, Node, NodeID};
use oxidd::{Subst, Substitution as _};
use rustc_hash::FxHashSet;
use std::fmt;
use std::rc::Rc;

/// A Boolean function.
pub type Bdd = BCDDFunction;

/// Names a variable of a [`Bdds`] manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BddVar(pub u32);

/// A manager of BDDs. Clones share it.
#[derive(Clone)]
pub struct Bdds {
    manager: BCDDManagerRef,
    limit: usize,
    pace: Rc<Pace>,
}

type ManagerOf<'id> = <Bdd as Function>::Manager<'id>;

/// A manager has no room for another node. `oxidd`'s own error does not say how large the manager is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutOfNodes {
    /// Nodes that the manager has room for.
    pub limit: usize,
}

impl fmt::Display for OutOfNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "decision diagrams with more than {} nodes", self.limit)
    }
}

impl std::error::Error for OutOfNodes {}

impl fmt::Debug for Bdds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bdds").field("variables", &self.variables()).finish_non_exhaustive()
    }
}

impl Bdds {
    /// A manager for at most `nodes` nodes, with an apply cache of `cache` entries.
    pub fn new(nodes: usize, cache: usize) -> Bdds {
        Bdds::within_budget(nodes, cache, &Budget::unlimited())
    }

    /// One whose operations keep to a budget. What ends it is the error of an operation, as if there was no room, and [`Bdds::stopped`] says so.
    pub fn within_budget(nodes: usize, cache: usize, budget: &Budget) -> Bdds {
        let manager = oxidd::bcdd::new_manager(nodes, cache, 1);
        Bdds { manager, limit: nodes, pace: Rc::new(Pace::new(budget.clone())) }
    }

    /// Why an operation ended before it was done, if it was not for room.
    pub fn stopped(&self) -> Option<Stop> {
        self.pace.stopped()
    }

    /// An operation that keeps to the budget.
    fn apply(
        &self,
        operation: impl for<'id> FnOnce(&Apply<'_, ManagerOf<'id>>) -> AllocResult<Bdd>,
    ) -> AllocResult<Bdd> {
        self.manager.with_manager_shared(|manager| operation(&Apply { manager, pace: &self.pace }))
    }

    pub fn and(&self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.and(a.as_edge(m), b.as_edge(m))?))
        })
    }

    pub fn or(&self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.or(a.as_edge(m), b.as_edge(m))?))
        })
    }

    pub fn xor(&self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.xor(a.as_edge(m), b.as_edge(m))?))
        })
    }

    /// `condition ? then : otherwise`
    pub fn ite(&self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.ite(condition.as_edge(m), then.as_edge(m), otherwise.as_edge(m))?))
        })
    }

    /// Without the variables of a cube.
    pub fn exists(&self, a: &Bdd, cube: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.exists(a.as_edge(m), cube.as_edge(m))?))
        })
    }

    /// What holds whatever the variables of a cube are.
    pub fn forall(&self, a: &Bdd, cube: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.exists(not(a.as_edge(m)), cube.as_edge(m))?))
        })?
        .not()
    }

    /// The error of an operation that returned [`OutOfMemory`].
    pub fn full(&self) -> OutOfNodes {
        OutOfNodes { limit: self.limit }
    }

    /// Runs operations of `oxidd` and says of an error how large the manager is.
    pub fn within<T>(&self, run: impl FnOnce() -> AllocResult<T>) -> Result<T, OutOfNodes> {
        run().map_err(|OutOfMemory| self.full())
    }

    pub fn variables(&self) -> u32 {
        self.manager.with_manager_shared(|m| m.num_vars())
    }

    /// Nodes in the manager, those that wait for collection included.
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|m| m.num_inner_nodes())
    }

    /// A new variable, below all others in the order.
    pub fn new_var(&self) -> BddVar {
        BddVar(self.manager.with_manager_exclusive(|m| m.add_vars(1).start))
    }

    pub fn var(&self, var: BddVar) -> Result<Bdd, OutOfNodes> {
        self.within(|| self.manager.with_manager_shared(|m| Bdd::var(m, var.0)))
    }

    pub fn constant(&self, value: bool) -> Bdd {
        self.manager.with_manager_shared(|m| if value { Bdd::t(m) } else { Bdd::f(m) })
    }

    /// The conjunction of literals, best in the order of variables: each step then puts one node on top.
    pub fn cube(&self, literals: &[(BddVar, bool)]) -> Result<Bdd, OutOfNodes> {
        let mut result = self.constant(true);
        for (var, positive) in literals.iter().rev() {
            let literal = self.var(*var)?;
            result = self.within(|| result.and(&if *positive { literal } else { literal.not()? }))?;
        }
        Ok(result)
    }

    /// The variable that the function asks first, and what remains when it is true and when it is false; `None` for a
    /// constant.
    pub fn split(&self, function: &Bdd) -> Option<(BddVar, Bdd, Bdd)> {
        let var = function.with_manager_shared(|m, edge| match m.get_node(edge) {
            Node::Inner(node) => Some(BddVar(m.level_to_var(node.level()))),
            Node::Terminal(_) => None,
        })?;
        let (when_true, when_false) = function.cofactors()?;
        Some((var, when_true, when_false))
    }

    /// Some cube of the function; `None` if it is false. Variables that do not matter are left out.
    pub fn pick(&self, function: &Bdd) -> Option<Vec<(BddVar, bool)>> {
        let cube = function.pick_cube(|_, _, _| false)?;
        let literal = |(var, value): (usize, OptBool)| match value {
            OptBool::None => None,
            OptBool::False => Some((BddVar(var as u32), false)),
            OptBool::True => Some((BddVar(var as u32), true)),
        };
        Some(cube.into_iter().enumerate().filter_map(literal).collect())
    }

    /// Disjoint cubes whose disjunction is the function.
    pub fn cubes(&self, function: &Bdd) -> Result<Vec<Vec<(BddVar, bool)>>, OutOfNodes> {
        let mut rest = function.clone();
        let mut found = Vec::new();
        while let Some(cube) = self.pick(&rest) {
            let inside = self.cube(&cube)?;
            rest = self.within(|| rest.and(&inside.not()?))?;
            found.push(cube);
        }
        Ok(found)
    }

    /// The variables that the function depends on, ascending. Diagrams are reduced: these are the variables of its nodes.
    pub fn support(&self, function: &Bdd) -> Vec<BddVar> {
        let mut levels = FxHashSet::default();
        function.with_manager_shared(|m, root| {
            let mut seen: FxHashSet<NodeID> = FxHashSet::default();
            let mut waiting = vec![root];
            while let Some(edge) = waiting.pop() {
                if let Node::Inner(node) = m.get_node(edge)
                    && seen.insert(edge.node_id())
                {
                    levels.insert(node.level());
                    waiting.extend(node.children());
                }
            }
            let mut found: Vec<BddVar> =
                levels.into_iter().map(|level| BddVar(m.level_to_var(level))).collect();
            found.sort_unstable();
            found
        })
    }

    /// A simultaneous substitution. Keep it where it is used again: results are remembered for it.
    pub fn substitution(&self, pairs: impl IntoIterator<Item = (BddVar, Bdd)>) -> Substitution {
        let (vars, functions): (Vec<u32>, Vec<Bdd>) = pairs.into_iter().map(|(var, by)| (var.0, by)).unzip();
        Substitution { bdds: self.clone(), subst: (!vars.is_empty()).then(|| Subst::new(vars, functions)) }
    }

    /// The conjunction of two functions without some variables, which are given as the cube of them: a relational product.
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.and_exists(a.as_edge(m), b.as_edge(m), cube.as_edge(m))?))
        })
    }

    /// What makes `a` imply `b` whatever the variables of the cube are.
    pub fn forall_implies(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> AllocResult<Bdd> {
        self.apply(|on| {
            let m = on.manager;
            Ok(Bdd::from_edge(m, on.and_exists(a.as_edge(m), not(b.as_edge(m)), cube.as_edge(m))?))
        })?
        .not()
    }

    /// Whether `a` implies `b`.
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<bool, OutOfNodes> {
        self.within(|| Ok(!self.and(a, &b.not()?)?.satisfiable()))
    }
}

/// See [`Bdds::substitution`].
pub struct Substitution {
    bdds: Bdds,
    /// None changes nothing.
    subst: Option<Subst<Bdd>>,
}

impl fmt::Debug for Substitution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Substitution").finish_non_exhaustive()
    }
}

impl Substitution {
    pub fn apply(&self, function: &Bdd) -> AllocResult<Bdd> {
        match &self.subst {
            Some(subst) => self.bdds.apply(|on| {
                let m = on.manager;
                let pairs = subst.pairs().map(|(var, by)| (m.var_to_level(var), by.as_edge(m)));
                let made = on.substitute(function.as_edge(m), &on.levels(pairs)?, subst.id())?;
                Ok(Bdd::from_edge(m, made))
            }),
            None => Ok(function.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_and_support() {
        let bdds = Bdds::new(1 << 12, 1 << 10);
        let v: Vec<BddVar> = (0..4).map(|_| bdds.new_var()).collect();
        let x: Vec<Bdd> = v.iter().map(|v| bdds.var(*v).unwrap()).collect();
        let f = x[0].and(&x[1]).unwrap().or(&x[3]).unwrap();
        assert_eq!(bdds.support(&f), [v[0], v[1], v[3]]);
        let cubes = bdds.cubes(&f).unwrap();
        let mut back = bdds.constant(false);
        for cube in &cubes {
            let c = bdds.cube(cube).unwrap();
            assert!(!back.and(&c).unwrap().satisfiable());
            back = back.or(&c).unwrap();
        }
        assert!(back == f);
        assert!(bdds.implies(&x[3], &f).unwrap());
        assert!(!bdds.implies(&f, &x[3]).unwrap());
    }
}
