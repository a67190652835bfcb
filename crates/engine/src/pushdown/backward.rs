//! `pre*` by saturation: the search backwards from the error, without abstraction. PDS compares the two directions in 6.2.2 and leaves this one to
//! Schwoon's thesis; what is here is `post*` (2.3, [`super::saturation`]) turned round.
//!
//! A diagram for each control point says from which values of now the running activation may come to an *end*. There are two: the error, in it or in a
//! callee that does not return; or its own return, and then the diagram relates the values of now (version `Now`) to those that it leaves behind
//! (globals and result, version `Next`, which no preimage needs for itself). A bit of its own says which end is meant.
//!
//! | | `post*` | `pre*` |
//! |---|---|---|
//! | a procedure is related to | the values with which it began | those with which it returns |
//! | of these are looked at | those with which it is called | those from which a caller may come to an end |
//! | what is known of a call | the exit of the callee | its entry |
//! | a call takes | pivot and exit to the point behind it | the point behind it and the entry to the pivot |
//!
//! So the relation of a procedure between entry and return, its *summary*, is exact for returns that some caller has a use for, and says nothing of others.
//!
//! # Proofs
//! If no run begins with values from which the error may be reached, the complement is a proof. With `E` for the values that may lead to the error at a point, `F` for the relation
//! to returns there, `S` for `F` at the entry of the procedure, and `U` for the returns that some caller has a use for:
//!
//! - at an entry: `not E`;
//! - inside: `not E`, and whatever return is possible from here was possible at the entry: `forall Next. F implies S(Entry, Next)`;
//! - summary: `U implies S`, with the values of now for those that are left behind.
//!
//! All of it is inductive: with a rule `E` and `F` hold at its source if they hold at its target; behind a call they hold only with returns in `U`, for which the summary gives
//! `S`, so that they hold before the call.
//!
//! # Executions
//! Increments come later than those that they lead to. So the walk from the start, at each node to one that it came from, ends; a call puts the point behind it on a stack until the callee
//! has returned.

use super::concrete::Concrete;
use super::saturation::{Increments, Node, NodeId, Origin, Witness};
use super::space::{BitId, Place, Version};
use super::system::{PointId, PointKind, RuleId, RuleKind, UnitId};
use super::trace::{Run, Valuation, lost};
use super::{Res, Stopping};
use craig_base::Budget;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Substitution};
use craig_verdict::Counterexample;
use index_vec::IndexVec;

/// The rules of a system backwards.
pub struct Backward<'a> {
    concrete: &'a Concrete<'a>,
    /// The bit that says that an activation returns, else it comes to the error. It is an abstract one, which without abstraction nobody needs: it lies
    /// above all values in the order.
    returns: BddVar,
    /// The bit is set (which is also the cube of it), or not.
    to_return: Bdd,
    to_error: Bdd,
    units: IndexVec<UnitId, Ends>,
    /// What any procedure leaves behind, when it does (`Next`) and in the caller (`Now`).
    next_cube: Bdd,
    outputs_cube: Bdd,
    /// Rules by where they lead.
    into: IndexVec<PointId, Vec<RuleId>>,
    pivots: IndexVec<UnitId, Vec<PointId>>,
}

/// How a procedure ends.
struct Ends {
    /// The values of now are those that it leaves behind.
    leaves: Bdd,
    locals_cube: Bdd,
    /// Parts of the result that this procedure has not.
    others_cube: Bdd,
    /// A summary as the caller sees it: what the callee began with (inner) and left behind (now).
    at_pivot: Substitution,
    /// A summary as the callee sees it: what it began with (entry) and leaves behind.
    now_to_entry: Substitution,
    next_to_now: Substitution,
}

/// A point behind a call: the rule that leads there, its node, and the states where the call has returned.
struct Behind {
    rule: RuleId,
    node: NodeId,
    returned: Bdd,
}

/// A search as it goes.
struct Saturation<'a> {
    backward: &'a Backward<'a>,
    found: Increments,
    /// By the procedure that is called.
    behind: IndexVec<UnitId, Vec<Behind>>,
    /// Nodes at entries, and the summaries that they give.
    summaries: IndexVec<UnitId, Vec<(NodeId, Bdd)>>,
}

impl<'a> Backward<'a> {
    pub fn new(concrete: &'a Concrete<'a>) -> Res<Backward<'a>> {
        let Concrete { system, space, .. } = concrete;
        let to_return = space.abstract_bit(Place::Now, 0)?;
        let returns = space.abstract_var(Place::Now, 0);
        let mut results: Vec<BitId> = system.units.iter().flat_map(|u| u.result.iter().copied()).collect();
        results.sort_unstable();
        results.dedup();
        let mut units = IndexVec::new();
        for id in system.units.indices() {
            let (unit, outputs) = (&system.units[id], system.outputs(id));
            let others: Vec<BitId> = results.iter().copied().filter(|b| !unit.result.contains(b)).collect();
            let inputs = system.inputs(id);
            let rename = |from: Version, to: Version, bits: &[BitId]| -> Vec<(BddVar, Bdd)> {
                bits.iter().map(|bit| (space.var(from, *bit), space.bit(to, *bit).clone())).collect()
            };
            let began = rename(Version::Now, Version::Inner, &inputs);
            let left = rename(Version::Next, Version::Now, &outputs);
            units.push(Ends {
                leaves: space.equal(Version::Now, Version::Next, &outputs)?,
                locals_cube: space.cube_of(Version::Now, &unit.locals)?,
                others_cube: space.cube_of(Version::Now, &others)?,
                at_pivot: space.bdds.substitution(began.into_iter().chain(left)),
                now_to_entry: space.renaming(Version::Now, Version::Entry, &inputs),
                next_to_now: space.renaming(Version::Next, Version::Now, &outputs),
            });
        }
        let mut outputs = system.globals.clone();
        outputs.extend(results);
        let mut into: IndexVec<PointId, Vec<RuleId>> = system.points.iter().map(|_| Vec::new()).collect();
        for (id, rule) in system.rules.iter_enumerated() {
            into[rule.to].push(id);
        }
        let mut pivots: IndexVec<UnitId, Vec<PointId>> = system.units.iter().map(|_| Vec::new()).collect();
        for (id, point) in system.points.iter_enumerated() {
            if let PointKind::Pivot { callee } = point.kind {
                pivots[callee].push(id);
            }
        }
        Ok(Backward {
            concrete,
            returns,
            to_error: to_return.not()?,
            to_return,
            units,
            next_cube: space.cube_of(Version::Next, &outputs)?,
            outputs_cube: space.cube_of(Version::Now, &outputs)?,
            into,
            pivots,
        })
    }

    /// Those of the states that lead to one of the ends.
    fn only(&self, end: &Bdd, states: &Bdd) -> Res<Bdd> {
        Ok(self.concrete.space.bdds.and_exists(states, end, &self.to_return)?)
    }

    /// The returns of a callee from which its caller comes to an end.
    fn used(&self, rule: RuleId, callee: UnitId, returned: &Bdd) -> Res<Bdd> {
        let system = self.concrete.system;
        let caller = &self.units[system.points[system.rules[rule].from].unit];
        let Ends { leaves, others_cube, .. } = &self.units[callee];
        let forgotten = caller.locals_cube.and(others_cube)?.and(&self.next_cube)?.and(&self.to_return)?;
        Ok(self.concrete.space.bdds.exists(returned, &forgotten)?.and(leaves)?.and(&self.to_return)?)
    }

    /// The summary of a procedure as its callers see it, from states at its entry.
    fn summary_at_pivot(&self, unit: UnitId, entry: &Bdd) -> Res<Bdd> {
        let returns = self.only(&self.to_return, entry)?;
        Ok(self.units[unit].at_pivot.apply(&self.concrete.may_begin(unit, &returns)?)?)
    }

    /// All states from which the error is reached, and what is needed to know them.
    pub fn pre(&self, stop: Stopping, budget: &Budget) -> Res<Witness> {
        let system = self.concrete.system;
        let mut saturation = Saturation {
            backward: self,
            found: Increments::new(system, self.concrete.space.constant(false)),
            behind: system.units.iter().map(|_| Vec::new()).collect(),
            summaries: system.units.iter().map(|_| Vec::new()).collect(),
        };
        for unit in &system.units {
            saturation.give(unit.error, self.to_error.clone(), Origin::Start);
        }
        while let Some(node) = saturation.found.next(self.concrete.space, budget)? {
            let Node { point, states, .. } = &saturation.found.witness.nodes[node];
            if *point == system.start() && self.starts(states)?.satisfiable() {
                saturation.found.witness.errors.push(node);
                if stop == Stopping::First {
                    break;
                }
            }
            saturation.leave(node)?;
        }
        Ok(saturation.found.witness)
    }

    /// Those with which runs begin that come to the error.
    fn starts(&self, states: &Bdd) -> Res<Bdd> {
        Ok(states.and(&self.to_error)?.and(&self.concrete.starts)?)
    }

    /// What the complement of the states that were found says of a point.
    pub fn claim(&self, witness: &Witness, point: PointId) -> Res<Bdd> {
        let system = self.concrete.system;
        let unit = system.points[point].unit;
        let Ends { now_to_entry, next_to_now, .. } = &self.units[unit];
        let entry = system.units[unit].entry;
        let at_entry = self.concrete.may_begin(unit, &witness.known[entry])?;
        let no_error = |states: &Bdd| Res::Ok(self.only(&self.to_error, states)?.not()?);
        let returns = self.only(&self.to_return, &witness.known[point])?;
        let summary = || Res::Ok(now_to_entry.apply(&self.only(&self.to_return, &at_entry)?)?);
        match system.points[point].kind {
            PointKind::Exit => Ok(self
                .concrete
                .space
                .bdds
                .exists(&returns, &self.next_cube)?
                .imp(&next_to_now.apply(&summary()?)?)?),
            _ if point == entry => no_error(&at_entry),
            _ => {
                let bdds = &self.concrete.space.bdds;
                let possible = bdds.forall_implies(&returns, &summary()?, &self.next_cube)?;
                Ok(possible.and(&no_error(&witness.known[point])?)?)
            }
        }
    }

    /// An execution that comes to the error.
    pub fn execution(&self, witness: &Witness, budget: &Budget) -> Res<Counterexample> {
        let system = self.concrete.system;
        let mut run = Run::new(self.concrete);
        let mut node = *witness.errors.first().ok_or_else(|| lost("no start"))?;
        let start = self.starts(&witness.nodes[node].states)?;
        let mut values = run.pick(&start, &Valuation::default())?;
        // Callers that wait: the rule behind the call with the values before it, and where it leads.
        let mut waiting: Vec<(RuleId, Valuation, NodeId)> = Vec::new();
        loop {
            budget.check()?;
            let at = &witness.nodes[node];
            values = run.complete(values, &system.state(at.point));
            match system.points[at.point].kind {
                PointKind::Error => return Ok(run.finish()),
                PointKind::Exit => {
                    let (rule, returned, behind) = waiting.pop().ok_or_else(|| lost("nobody waits"))?;
                    (node, values) = (behind, run.take(rule, returned)?);
                }
                _ => (node, values) = self.on(witness, at, &values, &mut run, &mut waiting)?,
            }
        }
    }

    /// From a node with values of it to one that it came from.
    fn on(
        &self,
        witness: &Witness,
        at: &Node,
        values: &Valuation,
        run: &mut Run<'_>,
        waiting: &mut Vec<(RuleId, Valuation, NodeId)>,
    ) -> Res<(NodeId, Valuation)> {
        let Concrete { system, space, .. } = self.concrete;
        let states = |node: NodeId| &witness.nodes[node].states;
        let entry_of = |node: NodeId| system.points[witness.nodes[node].point].unit;
        for origin in &at.origins {
            match *origin {
                Origin::Start => {}
                Origin::Rule(rule, to) => {
                    if let Some(found) = run.find(&self.concrete.leading(rule, states(to))?, values)? {
                        return Ok((to, run.take(rule, found)?));
                    }
                }
                Origin::Enter(entry) => {
                    let mut begins = run.begin(entry_of(entry), values);
                    begins.insert(self.returns, false);
                    if values.get(&self.returns) == Some(&false)
                        && let Some(found) = run.find(states(entry), &begins)?
                    {
                        return Ok((entry, found));
                    }
                }
                Origin::Eval(rule, behind, entry) => {
                    let callee = entry_of(entry);
                    let summary = self.summary_at_pivot(callee, states(entry))?;
                    let returned = self.concrete.leading(rule, states(behind))?;
                    let Some(found) = run.returned(callee, &summary.and(&returned)?, values)? else {
                        continue;
                    };
                    let mut begins = run.begin(callee, values);
                    begins.insert(self.returns, true);
                    for bit in system.outputs(callee) {
                        let left = found.get(&space.var(Version::Now, bit)).copied().unwrap_or(false);
                        begins.insert(space.var(Version::Next, bit), left);
                    }
                    waiting.push((rule, found, behind));
                    return Ok((entry, run.pick(states(entry), &begins)?));
                }
            }
        }
        Err(lost("no way on"))
    }
}

impl Saturation<'_> {
    /// As `post*` goes: callees before callers. Within a procedure from its end to its beginning.
    fn give(&mut self, point: PointId, states: Bdd, origin: Origin) {
        let system = self.backward.concrete.system;
        let unit = &system.units[system.points[point].unit];
        let rank = |point: PointId| system.points[point].rank;
        let turned = rank(unit.entry) + rank(unit.exit) - rank(point);
        self.found.give(turned, point, states, origin);
    }

    fn leave(&mut self, node: NodeId) -> Res<()> {
        let backward = self.backward;
        let Concrete { system, .. } = backward.concrete;
        let Node { point, states, .. } = &self.found.witness.nodes[node];
        let (point, states) = (*point, states.clone());
        let unit = system.points[point].unit;
        if system.units[unit].entry == point {
            let errors = states.and(&backward.to_error)?;
            if errors.satisfiable() {
                let enters = backward.concrete.may_enter(unit, &errors)?;
                for pivot in &backward.pivots[unit] {
                    self.give(*pivot, enters.clone(), Origin::Enter(node));
                }
            }
            let summary = backward.summary_at_pivot(unit, &states)?;
            if summary.satisfiable() {
                for i in 0..self.behind[unit].len() {
                    self.eval(unit, i, (node, &summary))?;
                }
                self.summaries[unit].push((node, summary));
            }
        }
        for rule in &backward.into[point] {
            let before = backward.concrete.may_lead(*rule, &states)?;
            match system.rules[*rule].kind {
                RuleKind::Eval { callee } => {
                    let used = backward.used(*rule, callee, &before)?;
                    self.give(system.units[callee].exit, used, Origin::Start);
                    self.behind[callee].push(Behind { rule: *rule, node, returned: before });
                    for i in 0..self.summaries[callee].len() {
                        let (entry, summary) = self.summaries[callee][i].clone();
                        self.eval(callee, self.behind[callee].len() - 1, (entry, &summary))?;
                    }
                }
                _ => self.give(system.rules[*rule].from, before, Origin::Rule(*rule, node)),
            }
        }
        Ok(())
    }

    /// Before a call, with what is known behind it and at the entry of the callee.
    fn eval(&mut self, callee: UnitId, behind: usize, (entry, summary): (NodeId, &Bdd)) -> Res<()> {
        let Behind { rule, node, returned } = &self.behind[callee][behind];
        let backward = self.backward;
        let bdds = &backward.concrete.space.bdds;
        let waits = bdds.and_exists(returned, summary, &backward.outputs_cube)?;
        let origin = Origin::Eval(*rule, *node, entry);
        self.give(backward.concrete.system.rules[*rule].from, waits, origin);
        Ok(())
    }
}
