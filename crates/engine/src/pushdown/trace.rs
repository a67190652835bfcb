//! An execution out of a graph of counterexamples (PDS, 4.3.2).
//!
//! From the top down, at each node a state is kept from which the weakest interpolant does not hold: from there some way of the graph leads to
//! the error, and one step of it is taken. At a call that returns, an exit of the callee is picked that its strongest formula allows and from
//! which the error is still reached; how the callee gets there is then found in the same way in its own part of the
//! graph, with that exit as the goal.
//!
//! What a walk needs to go from values to values, [`Run`], is also that of the search backwards.

use super::concrete::Concrete;
use super::dag::{Dag, DagEdge, DagId, EdgeKind};
use super::interpolants::{Formulas, Scheme};
use super::space::{BitId, Version};
use super::symbolic::Update;
use super::system::{PointKind, RuleId, RuleKind, UnitId, functions};
use super::{Halt, Res};
use craig_cfa::interp::Value;
use craig_cfa::{Op, Type};
use craig_encode::Arith;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction};
use craig_verdict::{Counterexample, Passage, Pick, Reason};
use dashu::integer::IBig;
use rustc_hash::FxHashMap;

/// Values of variables of the diagrams.
pub type Valuation = FxHashMap<BddVar, bool>;

/// An execution as it grows.
pub struct Run<'a> {
    concrete: &'a Concrete<'a>,
    steps: Vec<Passage>,
}

/// Formulas that exclude a goal, for the nodes that lead to it within one stack of activations.
type Towards = FxHashMap<DagId, Bdd>;

struct Walk<'a> {
    scheme: &'a Scheme<'a>,
    strongest: &'a Formulas,
    run: Run<'a>,
}

pub fn execution(scheme: &Scheme<'_>, strongest: &Formulas) -> Res<Counterexample> {
    let mut walk = Walk { scheme, strongest, run: Run::new(scheme.concrete) };
    let goals = scheme.dag.errors.iter().map(|error| (*error, scheme.concrete.space.constant(false)));
    let towards = walk.towards(goals.collect())?;
    let dag = scheme.dag;
    let tops = dag.order.iter().copied().filter(|node| dag.nodes[*node].top);
    for top in tops {
        let Some(formula) = towards.get(&top) else { continue };
        let from = scheme.at_top(top).and(&formula.not()?)?;
        if from.satisfiable() {
            let state = scheme.concrete.system.state(dag.nodes[top].point);
            let values = walk.run.pick(&from, &Valuation::default())?;
            let values = walk.run.complete(values, &state);
            walk.down(top, values, &towards)?;
            return Ok(walk.run.finish());
        }
    }
    Err(lost("no way from the top"))
}

pub fn lost(what: &str) -> Halt {
    Reason::Internal(format!("a counterexample of a pushdown system gets lost: {what}")).into()
}

impl<'a> Walk<'a> {
    fn concrete(&self) -> &'a Concrete<'a> {
        self.scheme.concrete
    }

    fn dag(&self) -> &'a Dag {
        self.scheme.dag
    }

    /// The weakest formulas with which the goals are not reached.
    fn towards(&self, goals: Vec<(DagId, Bdd)>) -> Res<Towards> {
        let dag = self.dag();
        let mut above = vec![false; dag.nodes.len()];
        let mut waiting: Vec<DagId> = goals.iter().map(|(goal, _)| *goal).collect();
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut above[node.index()], true) {
                waiting.extend(dag.nodes[node].ins.iter().map(|edge| dag.edges[*edge].from));
            }
        }
        let mut found: Towards = goals.into_iter().collect();
        for node in dag.order.iter().rev() {
            self.scheme.budget.check()?;
            if !above[node.index()] || found.contains_key(node) {
                continue;
            }
            let mut formula = self.concrete().space.constant(true);
            for edge in &dag.nodes[*node].outs {
                let edge = &dag.edges[*edge];
                if edge.from == *node
                    && let Some(target) = found.get(&edge.to)
                {
                    formula = formula.and(&self.scheme.weakest_before(edge, target, self.strongest)?)?;
                }
            }
            found.insert(*node, formula);
        }
        Ok(found)
    }

    /// Goes on from a node with a state from which the goal is reached, until there.
    fn down(&mut self, mut node: DagId, mut values: Valuation, towards: &Towards) -> Res<()> {
        loop {
            let kind = self.concrete().system.points[self.dag().nodes[node].point].kind;
            let at_goal = !self.dag().nodes[node].outs.iter().any(|edge| {
                let edge = &self.dag().edges[*edge];
                edge.from == node && towards.contains_key(&edge.to)
            });
            if kind == PointKind::Error || at_goal {
                return Ok(());
            }
            self.scheme.budget.check()?;
            let dag = self.dag();
            let mut next = None;
            for edge in dag.nodes[node].outs.iter().map(|edge| dag.edges[*edge]) {
                if edge.from == node
                    && let Some(target) = towards.get(&edge.to)
                {
                    next = self.over(&edge, target, &values)?;
                    if next.is_some() {
                        node = edge.to;
                        break;
                    }
                }
            }
            values = next.ok_or_else(|| lost("no way on"))?;
        }
    }

    /// Over an edge, if from here the target's formula can be made false.
    fn over(&mut self, edge: &DagEdge, target: &Bdd, values: &Valuation) -> Res<Option<Valuation>> {
        let concrete = self.concrete();
        let escapes = self.scheme.weakest_before(edge, target, self.strongest)?;
        if self.run.holds(&escapes, values) {
            return Ok(None);
        }
        let system = concrete.system;
        let goal = target.not()?;
        match edge.kind {
            EdgeKind::Rule(rule) => {
                let found = self.run.pick(&concrete.leading(rule, &goal)?, values)?;
                self.run.take(rule, found).map(Some)
            }
            EdgeKind::Enter(callee) => {
                let begins = self.run.begin(callee, values);
                Ok(Some(self.run.complete(begins, &system.units[callee].locals)))
            }
            EdgeKind::Eval(rule, exit) => {
                let RuleKind::Eval { callee } = system.rules[rule].kind else { return Err(lost("no call")) };
                let exits = concrete.exit_at_pivot(callee, &self.strongest[exit])?;
                let returned = concrete.leading(rule, &goal)?;
                let found = self.run.returned(callee, &exits.and(&returned)?, values)?;
                let found = found.ok_or_else(|| lost("a callee that does not return"))?;
                self.callee(exit, &system.outputs(callee), &found)?;
                self.run.take(rule, found).map(Some)
            }
        }
    }

    /// The way of a callee from the values it began with (inner) to an exit.
    fn callee(&mut self, exit: DagId, outputs: &[BitId], values: &Valuation) -> Res<()> {
        let concrete = self.concrete();
        let (system, space) = (concrete.system, concrete.space);
        let unit = system.points[self.dag().nodes[exit].point].unit;
        let mut begins = self.run.begin(unit, values);
        let mut goal: Vec<(BddVar, bool)> = Vec::new();
        for bit in system.inputs(unit) {
            let entry = space.var(Version::Entry, bit);
            let value = begins.get(&space.var(Version::Now, bit)).copied().unwrap_or(false);
            goal.push((entry, value));
            begins.insert(entry, value);
        }
        for bit in outputs {
            let var = space.var(Version::Now, *bit);
            goal.push((var, values.get(&var).copied().unwrap_or(false)));
        }
        goal.sort_unstable_by_key(|(var, _)| std::cmp::Reverse(*var));
        let goal = space.bdds.cube(&goal)?.not()?;
        let towards = self.towards(vec![(exit, goal)])?;
        let begins = self.run.complete(begins, &system.units[unit].locals);
        let tops: Vec<DagId> =
            self.dag().order.iter().copied().filter(|n| self.dag().nodes[*n].top).collect();
        for top in tops {
            if let Some(formula) = towards.get(&top)
                && !self.run.holds(formula, &begins)
            {
                return self.down(top, begins, &towards);
            }
        }
        Err(lost("a callee that does not come to its exit"))
    }
}

impl<'a> Run<'a> {
    pub fn new(concrete: &'a Concrete<'a>) -> Run<'a> {
        Run { concrete, steps: Vec::new() }
    }

    pub fn finish(self) -> Counterexample {
        Counterexample { arith: Arith::Bv, places: Vec::new(), steps: self.steps }
    }

    /// Values that make a formula true, where some are given.
    pub fn find(&self, formula: &Bdd, given: &Valuation) -> Res<Option<Valuation>> {
        let bdds = &self.concrete.space.bdds;
        let mut literals: Vec<(BddVar, bool)> = given.iter().map(|(var, value)| (*var, *value)).collect();
        literals.sort_unstable_by_key(|(var, _)| std::cmp::Reverse(*var));
        let here = formula.and(&bdds.cube(&literals)?)?;
        Ok(bdds.pick(&here).map(|cube| {
            let mut values = given.clone();
            values.extend(cube);
            values
        }))
    }

    pub fn pick(&self, formula: &Bdd, given: &Valuation) -> Res<Valuation> {
        self.find(formula, given)?.ok_or_else(|| lost("a state that does not lead on"))
    }

    fn holds(&self, function: &Bdd, values: &Valuation) -> bool {
        function.eval(values.iter().map(|(var, value)| (var.0, *value)))
    }

    /// All of these bits have a value; what nobody asked for is zero.
    pub fn complete(&self, mut values: Valuation, bits: &[BitId]) -> Valuation {
        for bit in bits {
            values.entry(self.concrete.space.var(Version::Now, *bit)).or_insert(false);
        }
        values
    }

    /// The inputs of a callee, of which the caller that waits for it knows.
    pub fn begin(&self, callee: UnitId, values: &Valuation) -> Valuation {
        let space = self.concrete.space;
        let value = |bit: &BitId| values.get(&space.var(Version::Inner, *bit)).copied().unwrap_or(false);
        let inputs = self.concrete.system.inputs(callee);
        inputs.iter().map(|bit| (space.var(Version::Now, *bit), value(bit))).collect()
    }

    /// Values where a call has returned, of a caller that waits with these: globals and the result are those that the callee leaves.
    pub fn returned(&self, callee: UnitId, formula: &Bdd, values: &Valuation) -> Res<Option<Valuation>> {
        let Concrete { system, space, .. } = self.concrete;
        let mut waits = values.clone();
        for bit in &system.globals {
            waits.remove(&space.var(Version::Now, *bit));
        }
        let found = self.find(formula, &waits)?;
        Ok(found.map(|found| self.complete(found, &system.outputs(callee))))
    }

    /// Goes over the edges of a rule, with values before it that say also what it leaves open, to those behind it.
    pub fn take(&mut self, rule: RuleId, mut values: Valuation) -> Res<Valuation> {
        let Concrete { system, space, .. } = self.concrete;
        let action = &system.rules[rule].action;
        for var in &action.open {
            values.entry(*var).or_insert(false);
        }
        self.pass(rule, &values)?;
        let mut after = values.clone();
        for (bit, f) in functions(space, &action.updates)? {
            after.insert(space.var(Version::Now, bit), self.holds(&f, &values));
        }
        after.retain(|var, _| !matches!(space.find(*var), Some((_, Version::Inner))));
        for var in &action.open {
            after.remove(var);
        }
        match &system.rules[rule].kind {
            RuleKind::Push { args, .. } => {
                let mut inner = Valuation::default();
                for bit in &system.globals {
                    let value = after.get(&space.var(Version::Now, *bit)).copied().unwrap_or(false);
                    inner.insert(space.var(Version::Inner, *bit), value);
                }
                for Update { bits, value } in args {
                    for (bit, f) in bits.iter().zip(value.bits(&space.circuits)?) {
                        inner.insert(space.var(Version::Inner, *bit), self.holds(f, &values));
                    }
                }
                after.extend(inner);
            }
            RuleKind::Eval { callee } => {
                for bit in &system.units[*callee].result {
                    after.remove(&space.var(Version::Now, *bit));
                }
            }
            RuleKind::Step | RuleKind::Pop => {}
        }
        Ok(after)
    }

    /// The edges of a rule as steps of the execution.
    fn pass(&mut self, rule: RuleId, values: &Valuation) -> Res<()> {
        let program = self.concrete.system.program;
        for step in &self.concrete.system.rules[rule].action.steps {
            let edge = &program.edges[step.edge];
            if let Op::Unsupported(what) = &edge.op {
                return Err(Reason::Unsupported { what: what.clone(), span: edge.span }.into());
            }
            let picks = step.open.iter().map(|open| {
                let mut word: u128 = 0;
                for (i, var) in open.vars.iter().enumerate().take(128) {
                    word |= u128::from(values.get(var).copied().unwrap_or(false)) << i;
                }
                let value = match program.types.get(open.ty) {
                    Type::MathInt => {
                        let width = open.vars.len().clamp(1, 127);
                        let sign = word >> (width - 1) & 1 == 1;
                        let value = word as i128 - if sign { 1 << width } else { 0 };
                        Value::Int(IBig::from(value))
                    }
                    _ => Value::Bits(word),
                };
                Pick { offset: open.offset, bit: open.bit, value }
            });
            self.steps.push(Passage::choosing(step.edge, picks.collect()));
        }
        Ok(())
    }
}
