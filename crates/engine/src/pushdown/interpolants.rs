//! Interpolants over a graph of counterexamples (PDS, chapters 3 to 6).
//!
//! The *strongest* one of a node says what all ways from the top to the node imply, the *weakest* what makes all ways from the node to the error
//! impossible. If the strongest one at the error is not false, there is an execution among the ways. Others lie in between, and whoever
//! chooses one keeps the *tracking property*: with a rule the chosen formula of its source implies that of its target (4.3.4). All
//! choices here go from the bottom up, and take for a node the weakest formula that keeps the property, or a stronger one:
//!
//! - conciliated (6.3): without the variables that the strongest interpolant does not speak of; and before a call, if that may be taken, without what the callee does (not in the
//!   paper, whose conciliation looks at one formula at a time);
//! - skip (6.4): the formula of the target itself, if it may be taken; at a call that of the point behind it, as if the callee
//!   did nothing, so that nothing is asked of the callee.
//!
//! Both look at the strongest interpolants; where a callee does not return on the ways of the graph, these are false behind the call, and everything would
//! be allowed, at the price of refining the callee. Instead they look at a *guide*: the same formulas, but a callee that does not return may do
//! anything (not in the paper, whose quicksort returns).
//!
//! `conciliated-down` is the dual of conciliation, from the top down (the end of 4.3.4): the strongest formula that keeps the property, without the variables that the
//! weakest does not speak of.

use super::concrete::Concrete;
use super::dag::{Dag, DagEdge, DagId, DagNode, EdgeKind, Role};
use super::system::{PointKind, RuleKind};
use super::{Interpolants, Res};
use craig_base::Budget;
use craig_smt::bdd::{Bdd, BooleanFunction};
use index_vec::IndexVec;

/// A formula for each node of a graph.
pub type Formulas = IndexVec<DagId, Bdd>;

/// The computation schemes over one graph.
#[derive(Clone, Copy)]
pub struct Scheme<'a> {
    pub concrete: &'a Concrete<'a>,
    pub dag: &'a Dag,
    pub budget: &'a Budget,
}

impl Scheme<'_> {
    fn all(&self, value: bool) -> Formulas {
        self.dag.nodes.iter().map(|_| self.concrete.space.constant(value)).collect()
    }

    fn is_error(&self, node: DagId) -> bool {
        let point = self.dag.nodes[node].point;
        self.concrete.system.points[point].kind == PointKind::Error
    }

    /// What holds at a node that nothing comes before.
    pub fn at_top(&self, node: DagId) -> Bdd {
        let DagNode { role, point, .. } = &self.dag.nodes[node];
        match role {
            Role::Absolute if *point == self.concrete.system.start() => self.concrete.starts.clone(),
            Role::Absolute => self.concrete.space.constant(true),
            Role::Relational => self.concrete.begins(self.concrete.system.points[*point].unit).clone(),
        }
    }

    /// The strongest formula behind an edge.
    fn behind(&self, edge: &DagEdge, formulas: &Formulas) -> Res<Bdd> {
        let before = &formulas[edge.from];
        match edge.kind {
            EdgeKind::Rule(rule) => match self.concrete.system.rules[rule].kind {
                RuleKind::Push { .. } => self.concrete.push(rule, before),
                _ => self.concrete.step(rule, before),
            },
            EdgeKind::Enter(callee) => self.concrete.enter(callee, self.dag.nodes[edge.from].point, before),
            EdgeKind::Eval(rule, exit) => self.concrete.eval(rule, before, &formulas[exit]),
        }
    }

    /// From the top down: what holds at a node is what one of its edges leads to, made what it is to be by `settle`.
    fn top_down(
        &self,
        behind: impl Fn(&DagEdge, &Formulas) -> Res<Bdd>,
        settle: impl Fn(DagId, Bdd) -> Res<Bdd>,
    ) -> Res<Formulas> {
        let mut found = self.all(false);
        for &node in &self.dag.order {
            self.concrete.space.pause(self.budget)?;
            let mut formula = self.concrete.space.constant(false);
            if self.dag.nodes[node].top {
                formula = self.at_top(node);
            }
            for edge in &self.dag.nodes[node].ins {
                formula = formula.or(&behind(&self.dag.edges[*edge], &found)?)?;
            }
            found[node] = settle(node, formula)?;
        }
        Ok(found)
    }

    /// The strongest interpolants (3.3.3, 5.2.1).
    pub fn strongest(&self) -> Res<Formulas> {
        self.top_down(|edge, found| self.behind(edge, found), |_, formula| Ok(formula))
    }

    /// The weakest formula before an edge that makes sure of a formula behind it.
    pub fn weakest_before(&self, edge: &DagEdge, target: &Bdd, strongest: &Formulas) -> Res<Bdd> {
        match edge.kind {
            EdgeKind::Rule(rule) => match self.concrete.system.rules[rule].kind {
                RuleKind::Push { .. } => self.concrete.before_push(rule, target),
                _ => self.concrete.before_step(rule, target),
            },
            EdgeKind::Enter(callee) => self.concrete.before_enter(callee, target),
            EdgeKind::Eval(rule, exit) => {
                let returned = self.concrete.before_eval(rule, target)?;
                self.concrete.weakest_pivot(rule, &strongest[exit], &returned)
            }
        }
    }

    /// The same, said of the node `at`: the source of the edge, or the exit that it uses.
    fn before(&self, at: DagId, edge: &DagEdge, strongest: &Formulas, found: &Formulas) -> Res<Bdd> {
        match edge.kind {
            EdgeKind::Eval(rule, exit) if at == exit => {
                let returned = self.concrete.before_eval(rule, &found[edge.to])?;
                self.concrete.weakest_exit(rule, &found[edge.from], &returned)
            }
            _ => self.weakest_before(edge, &found[edge.to], strongest),
        }
    }

    /// The strongest formulas, but a callee that does not return on the ways of the graph may return with anything.
    fn guide(&self, strongest: &Formulas) -> Res<Formulas> {
        let behind = |edge: &DagEdge, found: &Formulas| match edge.kind {
            EdgeKind::Eval(rule, exit) => {
                let behind = self.concrete.eval(rule, &found[edge.from], &strongest[exit])?;
                match behind.satisfiable() {
                    true => Ok(behind),
                    false => self.concrete.eval_anything(rule, &found[edge.from]),
                }
            }
            _ => self.behind(edge, found),
        };
        self.top_down(behind, |_, formula| Ok(formula))
    }

    /// As if the edge changed nothing: may that be taken?
    fn skipped(
        &self,
        at: DagId,
        edge: &DagEdge,
        strongest: &Formulas,
        guide: &Formulas,
        found: &Formulas,
    ) -> Res<Option<Bdd>> {
        let bdds = &self.concrete.space.bdds;
        match edge.kind {
            EdgeKind::Rule(rule) if matches!(self.concrete.system.rules[rule].kind, RuleKind::Step) => {
                let candidate = &found[edge.to];
                let holds = bdds.implies(&guide[at], candidate)?;
                let tracks =
                    holds && bdds.implies(candidate, &self.concrete.before_step(rule, candidate)?)?;
                Ok(tracks.then(|| candidate.clone()))
            }
            EdgeKind::Eval(rule, exit) if at != exit => {
                let RuleKind::Eval { callee } = self.concrete.system.rules[rule].kind else {
                    return Ok(None);
                };
                let returned = self.concrete.before_eval(rule, &found[edge.to])?;
                if self.concrete.speaks_of_result(&returned)? {
                    return Ok(None);
                }
                let candidate = self.concrete.as_if_skipped(&returned)?;
                if !bdds.implies(&guide[at], &candidate)? {
                    return Ok(None);
                }
                let exit = self.concrete.exit_at_pivot(callee, &strongest[exit])?;
                Ok(bdds.implies(&exit.and(&candidate)?, &returned)?.then_some(candidate))
            }
            _ => Ok(None),
        }
    }

    /// Before a call what is asked whatever the callee does: may that be taken? Then nothing is asked of the callee.
    fn whatever(&self, at: DagId, edge: &DagEdge, guide: &Formulas, found: &Formulas) -> Res<Option<Bdd>> {
        let EdgeKind::Eval(rule, exit) = edge.kind else { return Ok(None) };
        if at == exit {
            return Ok(None);
        }
        let returned = self.concrete.before_eval(rule, &found[edge.to])?;
        let candidate = self.concrete.weakest_pivot(rule, &self.concrete.space.constant(true), &returned)?;
        Ok(self.concrete.space.bdds.implies(&guide[at], &candidate)?.then_some(candidate))
    }

    /// From the bottom up; with neither `skip` nor `conciliate` these are the weakest interpolants (3.3.2, 5.2.2).
    pub fn upwards(&self, strongest: &Formulas, skip: bool, conciliate: bool) -> Res<Formulas> {
        let guide = match skip || conciliate {
            true => self.guide(strongest)?,
            false => strongest.clone(),
        };
        let mut found = self.all(false);
        for &node in self.dag.order.iter().rev() {
            self.concrete.space.pause(self.budget)?;
            if self.is_error(node) {
                continue;
            }
            let mut formula = self.concrete.space.constant(true);
            for edge in &self.dag.nodes[node].outs {
                let edge = &self.dag.edges[*edge];
                let skipped = if skip { self.skipped(node, edge, strongest, &guide, &found)? } else { None };
                let simple = match skipped {
                    None if conciliate => self.whatever(node, edge, &guide, &found)?,
                    skipped => skipped,
                };
                let asked = match simple {
                    Some(candidate) => candidate,
                    None => self.before(node, edge, strongest, &found)?,
                };
                formula = formula.and(&asked)?;
            }
            found[node] = self.settle(node, formula, strongest, &guide, conciliate)?;
        }
        Ok(found)
    }

    /// What becomes of the formula that is asked of a node.
    fn settle(
        &self,
        node: DagId,
        mut formula: Bdd,
        strongest: &Formulas,
        guide: &Formulas,
        conciliate: bool,
    ) -> Res<Bdd> {
        let system = self.concrete.system;
        let point = self.dag.nodes[node].point;
        let unit = system.points[point].unit;
        if point == system.units[unit].entry {
            formula = self.concrete.inputs_only(unit, &formula)?;
        }
        if conciliate {
            // The guide counts if it is on the right side of what is asked.
            let guided = self.concrete.space.bdds.implies(&guide[node], &formula)?;
            let other = if guided { &guide[node] } else { &strongest[node] };
            formula = without(self.concrete, &formula, other, true)?;
        }
        Ok(formula)
    }

    /// From the top down, kept between the strongest and the weakest ones.
    pub fn downwards(&self, weakest: &Formulas) -> Res<Formulas> {
        let settle = |node, formula| without(self.concrete, &formula, &weakest[node], false);
        self.top_down(|edge, found| self.behind(edge, found), settle)
    }

    /// The predicates that a choice of interpolants gives: one or two formulas a node.
    pub fn choose(&self, interpolants: Interpolants, strongest: &Formulas) -> Res<Vec<Formulas>> {
        Ok(match interpolants {
            Interpolants::Strongest => vec![strongest.clone()],
            Interpolants::Weakest => vec![self.upwards(strongest, false, false)?],
            Interpolants::Both => vec![strongest.clone(), self.upwards(strongest, false, false)?],
            Interpolants::Conciliated => vec![self.upwards(strongest, false, true)?],
            Interpolants::ConciliatedDown => {
                let weakest = self.upwards(strongest, false, false)?;
                vec![self.downwards(&weakest)?]
            }
            Interpolants::Skip => vec![self.upwards(strongest, true, false)?],
            Interpolants::SkipConciliated => vec![self.upwards(strongest, true, true)?],
        })
    }

    /// In debug builds: the formulas are interpolants, and track.
    pub fn verify(&self, strongest: &Formulas, chosen: &Formulas) -> Res<()> {
        let bdds = &self.concrete.space.bdds;
        let weakest = self.upwards(strongest, false, false)?;
        for (node, formula) in chosen.iter_enumerated() {
            let name = || self.concrete.system.name(self.dag.nodes[node].point);
            assert!(bdds.implies(&strongest[node], formula)?, "not implied by the strongest: {}", name());
            // Where the callee's formula was chosen with a stronger pivot, the weakest one at its exit may be weaker or not comparable.
            let compare = self.dag.nodes[node].role == Role::Absolute;
            assert!(
                !compare || bdds.implies(formula, &weakest[node])?,
                "does not imply the weakest: {}",
                name()
            );
        }
        for edge in &self.dag.edges {
            let behind = self.behind(edge, chosen)?;
            let name = || self.concrete.system.name(self.dag.nodes[edge.to].point);
            assert!(bdds.implies(&behind, &chosen[edge.to])?, "does not track: {}", name());
        }
        Ok(())
    }
}

/// Without the variables that the other formula does not speak of: universally, so that it becomes stronger, or existentially.
fn without(concrete: &Concrete<'_>, formula: &Bdd, other: &Bdd, stronger: bool) -> Res<Bdd> {
    let bdds = &concrete.space.bdds;
    let kept = bdds.support(other);
    let gone = bdds.support(formula).into_iter().filter(|var| kept.binary_search(var).is_err());
    let cube = concrete.space.cube(gone)?;
    Ok(if stronger { bdds.forall(formula, &cube)? } else { bdds.exists(formula, &cube)? })
}
