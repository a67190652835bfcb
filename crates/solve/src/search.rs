//! What one engine does about one task: attempts, the arithmetic of each, and what is taken to be defined on the way.
//!
//! Machine integers are mathematical integers at first. Where a path of these does not replay, or the solver has no answer, bit-vectors take over.
//!
//! A path that meets undefined behaviour before the error is neither an execution nor the end of the search. The operation is taken to be defined from then on
//! ([`craig_cfa::pass::guard()`]), the certificate lists it, and the engine begins again. Before that an execution is looked for in which the environment gives objects.
//! A proof that leans on such an operation counts only if some run carries it out.

use crate::answer::Attempt;
use crate::strategy::{Arithmetic, Checking, Plan};
use craig_base::{Budget, Timer};
use craig_cfa::defined::Rule;
use craig_cfa::interp::{RunEnd, Undefined};
use craig_cfa::pass::{Guard, PrepareOptions, Unfolding, guard};
use craig_cfa::{Lang, Op, Program, graph};
use craig_encode::Arith;
use craig_encode::memory::outside::Give;
use craig_engine::{Control, Engine, Observer, Task};
use craig_verdict::gate::Runs;
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::{Finding, NoProgress, Outcome, Reason, Verdict, judge_in_flat_memory, judge_within};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// What the environment is taken to give, one after the other.
const GIVES: [Give; 2] = [Give::Starts, Give::Inside];

/// What one engine came to: a verdict, and its attempts, of which the last has it.
pub struct Found {
    pub verdict: Verdict,
    pub attempts: Vec<Attempt>,
    /// What it worked on last.
    pub task: Arc<Task>,
}

impl Found {
    /// Another try, which may have a verdict that counts. The decisive attempt stays the last.
    pub fn try_again(&mut self, other: Found, counts: impl Fn(&Verdict) -> bool) {
        let attempts = other.attempts.into_iter();
        if !matches!(other.verdict, Verdict::Unknown(_)) && counts(&other.verdict) {
            self.verdict = other.verdict;
            self.task = other.task;
            self.attempts.extend(attempts);
        } else {
            self.attempts.splice(0..0, attempts);
        }
    }
}

/// What one engine does about one task.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    pub task: &'a Arc<Task>,
    /// The passes that made the task.
    pub prepare: &'a PrepareOptions,
    pub engine: &'a Engine,
    pub plan: &'a Plan,
}

impl Search<'_> {
    /// The task with operations that are taken to be defined.
    fn guarded(&self, guards: &BTreeSet<Guard>, hunting: Option<Give>, budget: &Budget) -> Option<Arc<Task>> {
        if guards.is_empty() && hunting.is_none() {
            return Some(Arc::clone(self.task));
        }
        self.task.guarded(guards, hunting, self.prepare, budget).ok()
    }

    /// In integers and then, if need be, in bit-vectors. A path that meets undefined behaviour is no execution, and no end: the operation is taken to be defined from
    /// then on, and the search begins again.
    pub fn run(&self, guards: &BTreeSet<Guard>, budget: &Budget, observer: &mut dyn Observer) -> Found {
        let plan = self.plan;
        let mut arith = if plan.arithmetic == Arithmetic::Bv { Arith::Bv } else { Arith::Int };
        let mut task = self.guarded(guards, None, budget).unwrap_or_else(|| Arc::clone(self.task));
        let mut attempts = Vec::new();
        let mut hunted = false;
        // What integers came to, if that is what bit-vectors are to better.
        let mut first: Option<(Verdict, Arc<Task>)> = None;
        loop {
            let (mut verdict, mut attempt) =
                attempt(&task, self.engine, arith, plan.checking, budget, observer);
            if let (Verdict::Safe(..), Some(kept)) = (&verdict, self.never_kept(&task, budget, observer)) {
                attempt.reason = Some(kept.clone());
                verdict = Verdict::Unknown(kept);
            }
            attempts.push(attempt);
            if first.is_none() && !hunted && matches!(verdict, Verdict::Unknown(Reason::NotReplayed(_))) {
                hunted = true;
                for give in GIVES {
                    let found = self.hunt(&task, give, arith, &mut attempts, budget, observer);
                    if let Some(found) = found {
                        return found;
                    }
                }
            }
            if let Some(next) =
                more_guards(&task, &verdict).and_then(|guards| self.guarded(&guards, None, budget))
            {
                task = next;
                continue;
            }
            if first.is_none()
                && arith == Arith::Int
                && may_change(plan, &task.source)
                && is_inexact(&verdict)
            {
                first = Some((verdict, Arc::clone(&task)));
                arith = Arith::Bv;
                continue;
            }
            let Some((before, task_before)) = first else { return Found { verdict, attempts, task } };
            let contradicted = matches!(before, Verdict::Unknown(Reason::Contradiction(_)));
            let better = match verdict {
                Verdict::Unsafe(..) => true,
                Verdict::Safe(..) => !contradicted,
                Verdict::Unknown(Reason::Stopped(_)) => false,
                Verdict::Unknown(_) => !contradicted,
            };
            if better {
                return Found { verdict, attempts, task };
            }
            // The attempt that the verdict comes from stays the last.
            let last = attempts.iter().rposition(|attempt| attempt.arith == Arith::Int).unwrap_or(0);
            attempts[last..].rotate_left(1);
            return Found { verdict: before, attempts, task: task_before };
        }
    }

    /// An execution in which the environment gives objects, looked for with about as much work as was done before. Operations on its way are taken to be defined as
    /// need be.
    fn hunt(
        &self,
        here: &Task,
        give: Give,
        arith: Arith,
        attempts: &mut Vec<Attempt>,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Option<Found> {
        let budget = budget.with_work(hunt_work(budget.spent()));
        // Where nothing is given the search would be the one before.
        let mut task =
            self.guarded(&here.guards, Some(give), &budget).filter(|task| task.hunting.is_some())?;
        let tried = attempts.len();
        loop {
            let (verdict, attempt) =
                attempt(&task, self.engine, arith, self.plan.checking, &budget, observer);
            attempts.push(attempt);
            if let Verdict::Unsafe(..) = verdict {
                return Some(Found { verdict, attempts: std::mem::take(attempts), task });
            }
            match more_guards(&task, &verdict).and_then(|guards| self.guarded(&guards, Some(give), &budget)) {
                Some(next) => task = next,
                None => break,
            }
        }
        // It says nothing that no execution was found.
        attempts.truncate(tried);
        None
    }
}

impl Search<'_> {
    /// An assumption that no run keeps is none: a proof that leans on it says only that the program is undefined there. For each operation that is taken to be defined a run is
    /// looked for that comes so far that it is carried out; says where none is found.
    fn never_kept(&self, task: &Task, budget: &Budget, observer: &mut dyn Observer) -> Option<Reason> {
        let Guard { edge, rule } =
            *task.guards.iter().find(|of| !self.is_kept(task, **of, budget, observer))?;
        let kind = match rule {
            Rule::Access => Undefined::InvalidPointer,
            Rule::Division => Undefined::DivisionByZero,
            Rule::Shift => Undefined::ShiftAmount,
            Rule::Overflow => Undefined::SignedOverflow,
        };
        let end = RunEnd::Undefined(kind, "no run is found that gets past this".into());
        let span = task.plain.edges.get(edge).map(|edge| edge.span);
        Some(Reason::NotReplayed(Finding { end, edge: Some(edge), span }))
    }

    /// Is there a run that carries an operation out as it is taken to be? The error of the program is put behind the assumption.
    fn is_kept(&self, task: &Task, of: Guard, budget: &Budget, observer: &mut dyn Observer) -> bool {
        let found = self.plan.selection.engine("bmc").and_then(|engine| {
            let budget = budget.with_work(hunt_work(0));
            let mut program = match &task.relations {
                None => Program::clone(&task.source),
                // Contracts allow for more than runs do.
                Some(_) => guard(&task.plain, &task.guards, &budget).ok()?,
            };
            let nowhere = program.exprs.bool(false);
            // Of the edges that leave a location a run takes one: only that of the operation is left.
            let from = program.edges[of.edge].from;
            for edge in &mut program.edges {
                if edge.to == program.error || edge.from == from {
                    edge.op = Op::Assume(nowhere);
                }
            }
            program.edges[of.edge].op = Op::Skip;
            program.edges[of.edge].to = program.error;
            let unfolded = task.relations.as_ref().map(|_| self.prepare.unfolded(Unfolding::first()));
            let prepare = unfolded.as_ref().unwrap_or(self.prepare);
            let reaches = Task::new(Arc::new(program), task.signed_wrap, prepare, &budget).ok()?;
            let reaches = Arc::new(reaches);
            let given = |give| {
                let task = reaches.guarded(&BTreeSet::new(), Some(give), prepare, &budget).ok();
                task.filter(|task| task.hunting.is_some())
            };
            let mut tasks = std::iter::once(Some(Arc::clone(&reaches))).chain(GIVES.map(given)).flatten();
            tasks.find_map(|task| {
                let ariths = [Arith::Int, Arith::Bv].into_iter();
                ariths
                    .map(|arith| attempt(&task, engine, arith, Checking::Cells, &budget, observer).0)
                    .find(is_execution)
            })
        });
        found.is_some()
    }
}

fn is_execution(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unsafe(..))
}

/// What is to be taken as defined after a path met undefined behaviour; none if that would change nothing.
fn more_guards(task: &Task, verdict: &Verdict) -> Option<BTreeSet<Guard>> {
    let Verdict::Unknown(Reason::NotReplayed(finding)) = verdict else { return None };
    let new = finding.broken().filter(|guard| !task.guards.contains(guard))?;
    let mut guards = task.guards.clone();
    guards.insert(new);
    Some(guards)
}

/// Work for the search for an execution when a path through what is not modelled was found: twice as much as before; at least a second's, at most
/// ten seconds'.
pub fn hunt_work(first: u64) -> u64 {
    (2 * first).clamp(7_000_000, 70_000_000)
}

/// May the arithmetic change?
pub fn may_change(plan: &Plan, source: &Program) -> bool {
    plan.arithmetic == Arithmetic::Auto && source.lang != Lang::Boogie
}

/// Steps of a replay where contracts said what calls did: about half a second's. What they leave open may make a run long.
const REPLAY_OF_GUESSES: u64 = 5_000_000;

/// Might exact arithmetic do better? What ran out of nodes or assignments would again.
fn is_inexact(verdict: &Verdict) -> bool {
    use Reason::{Certificate, Contradiction, FlatMemory, NotReplayed, Solver, UnknownMemory};
    let Verdict::Unknown(reason) = verdict else { return false };
    matches!(
        reason,
        NotReplayed(..) | Solver(_) | Certificate(_) | UnknownMemory | Contradiction(_) | FlatMemory { .. }
    )
}

/// One engine in one arithmetic, and the judgement on what it says.
pub fn attempt(
    task: &Task,
    engine: &Engine,
    arith: Arith,
    checking: Checking,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (Verdict, Attempt) {
    let mut control = Control::new(budget, observer);
    let size = graph::size(task.program());
    control.stats.set("locations", size.locs as f64);
    control.stats.set("edges", size.edges as f64);
    control.stats.set("loops", size.loops as f64);
    if let Some(relations) = &task.relations {
        control.stats.set("contracts", relations.contracts.summaries.len() as f64);
    }
    let timer = Timer::start();
    let mut outcome = engine.run(task, arith, &mut control);
    if let Outcome::Safe(certificate) = &mut outcome {
        certificate.assumed = task.guards.clone();
    }
    let mut contract = None;
    if let Some(relations) = &task.relations {
        (outcome, contract) = relations.back(&task.plain, outcome);
    }
    let mut stats = control.stats;
    stats.time("engine_s", timer.elapsed());
    let judged = match outcome {
        Outcome::Safe(_) => Some("check_s"),
        Outcome::Unsafe(_) => Some("replay_s"),
        Outcome::Unknown(_) => None,
    };
    let _at_once = budget.out_of_turn();
    let timer = Timer::start();
    if let (Outcome::Safe(_), true) = (&outcome, task.hunting.is_some() || task.modelled) {
        outcome = Outcome::Unknown(Reason::Refinement(NoProgress::NothingNew));
    }
    let steps = if contract.is_some() { REPLAY_OF_GUESSES } else { REPLAY_STEPS };
    let mut verdict = judge_within(steps, &task.plain, outcome, task.signed_wrap, budget);
    if let (Verdict::Unknown(Reason::NotReplayed(_)), Some(procedure)) = (&verdict, contract) {
        verdict = Verdict::Unknown(Reason::Contract(procedure));
    }
    let gate = match &verdict {
        Verdict::Safe(_, checked) => checked.gate,
        _ => Duration::ZERO,
    };
    if let Some(name) = judged {
        stats.time(name, timer.elapsed().saturating_sub(gate));
    }
    if let Verdict::Safe(_, checked) = &verdict {
        let Runs { runs, steps, evaluated, skipped, accesses } = checked.runs;
        stats.time("gate_s", gate);
        stats.set("gate_runs", runs as f64);
        stats.set("gate_steps", steps as f64);
        stats.set("gate_formulas", evaluated as f64);
        stats.set("gate_skipped", skipped as f64);
        stats.set("gate_accesses", accesses as f64);
    }
    if checking == Checking::Flat {
        let timer = Timer::start();
        verdict = judge_in_flat_memory(&task.plain, verdict, task.signed_wrap, budget);
        stats.time("flat_s", timer.elapsed());
    }
    let reason = match &verdict {
        Verdict::Unknown(reason) => Some(reason.clone()),
        _ => None,
    };
    (verdict, Attempt { engine: engine.name(), arith, stats, reason, second_opinion: false })
}
