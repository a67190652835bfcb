//! Which engines run, in which arithmetic, and how their answers become one.
//!
//! Remopla programs go to the engine for pushdown systems. For all others `auto` lets bounded model checking and predicate abstraction take turns: the one finds shallow errors and proves what ends soon, the other
//! finds invariants. What each does about a task is a search ([`crate::search`]). Where a proof in mathematical integers assumes that nothing overflows, bit-vectors may try
//! to do without the assumption. They may only remove it, never turn SAFE into UNSAFE: a run that overflows has no meaning in C.
//!
//! A certificate may be refused because dead code, which passes cut away, says more of pointers than the engine knew. It is then looked for
//! once more in the whole program.
//!
//! A path through what is not modelled ends the search for a proof. Executions are looked for a little longer, in the program without it.
//!
//! Recursion is unfolded ([`crate::depth`]): an engine that meets a call which its task does not follow goes on with a deeper one. In turns with that it works on the program with contracts
//! in place of recursive calls, where there can be some.
//!
//! A run that contradicts one proof of a program casts doubt on all of them: after it there may be an UNSAFE, but no SAFE.

use crate::answer::{Answer, Attempt};
use crate::depth::{Depths, Stage};
use crate::search::{Found, Search, attempt, hunt_work, may_change};
use crate::turns::take_turns;
use clap::ValueEnum;
use craig_base::{Budget, Stop, Timer};
use craig_cfa::expr::Node;
use craig_cfa::pass::{Guard, PrepareOptions};
use craig_cfa::{BinOp, ExprId, ExprKind, Lang, Program, graph};
use craig_encode::Arith;
use craig_engine::{Engine, Observer, Selection, Stats, Task};
use craig_frontend::Reading;
use craig_verdict::{Reason, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The engines of `auto`, by name, in the order of their turns: for programs without loops, which unrolling decides at once, and for others.
const WITHOUT_LOOPS: [&str; 2] = ["bmc", "predicate"];
const WITH_LOOPS: [&str; 3] = ["predicate", "bmc", "ic3"];
/// Loops over products: their invariants are equations, which runs show to `interp`. For all programs with loops it takes 1.13 times as long as `predicate`, for one more that is decided.
const WITH_PRODUCTS: [&str; 3] = ["interp", "bmc", "ic3"];
/// Recursion: what runs tell, executions and shallow proofs by unfolding, proofs for every depth by summaries.
const RECURSIVE: [&str; 4] = ["runs", "bmc", "spacer", "predicate"];
/// Who works with contracts in place of recursive calls, after runs have shown some.
const RELATED: &str = "predicate";
const AFTER_RUNS: usize = 1;
/// Remopla has few bits and much recursion: its own engine.
const PUSHDOWN: [&str; 1] = ["pushdown"];

/// How an engine meets recursive calls, if it knows no calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// Followed to some depth.
    Unfolded,
    /// With contracts in their place.
    Related,
}

/// How machine integers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Arithmetic {
    /// As mathematical integers; as bit-vectors where that does not settle it
    #[default]
    Auto,
    /// As mathematical integers: signed operations are taken not to overflow, all else wraps around exactly
    Int,
    /// As bit-vectors: everything wraps around
    Bv,
}

/// How the proof behind SAFE is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Checking {
    /// With memory divided as the engines divide it
    #[default]
    Cells,
    /// Then once more in flat memory: one array of bytes, nothing known of where pointers point. A proof that fails there is UNKNOWN
    Flat,
}

/// What the user wants.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub selection: Selection,
    pub arithmetic: Arithmetic,
    pub prepare: PrepareOptions,
    pub checking: Checking,
    /// A proof that assumes anything is UNKNOWN.
    pub strict: bool,
}

impl Plan {
    /// The engines that run, in the order of their turns, and how many of them get the most.
    fn engines(&self, depths: &Depths) -> (Vec<(Engine, Calls)>, usize) {
        if let Some(engine) = &self.selection.only {
            let unfolded = (engine.clone(), Calls::Unfolded);
            if depths.has_contracts() && !engine.takes_procedures() {
                return (vec![(engine.clone(), Calls::Related), unfolded], 2);
            }
            return (vec![unfolded], 1);
        }
        let stage = depths.plain();
        let program = stage.task.program();
        let (names, main) = match program.lang {
            Lang::Remopla => (&PUSHDOWN[..], 1),
            _ if stage.task.is_recursive() => (&RECURSIVE[..], 3),
            _ if graph::size(program).loops == 0 => (&WITHOUT_LOOPS[..], 1),
            _ if multiplies(program) => (&WITH_PRODUCTS[..], 1),
            _ => (&WITH_LOOPS[..], 1),
        };
        let named = |name: &&str| Some((self.selection.engine(name)?.clone(), Calls::Unfolded));
        let mut engines: Vec<(Engine, Calls)> = names.iter().filter_map(named).collect();
        if depths.has_contracts() {
            let related = self.selection.engine(RELATED).cloned().map(|engine| (engine, Calls::Related));
            engines.splice(AFTER_RUNS..AFTER_RUNS, related);
            return (engines, main + 1);
        }
        (engines, main)
    }
}

/// Whether two numbers are multiplied of which neither is a constant.
fn multiplies(program: &Program) -> bool {
    let open =
        |e: ExprId| !program.types.is_float(program.exprs.ty(e)) && program.exprs.as_const(e).is_none();
    let mut found = false;
    let parts = program.ops().map(|(op, _)| op.parts());
    let roots = parts.flat_map(|parts| parts.exprs.into_iter().map(Node::Expr)).collect();
    program.exprs.visit_all(roots, &mut Default::default(), &mut |node| {
        if let Node::Expr(e) = node
            && let ExprKind::Binary(BinOp::Mul, a, b) = *program.exprs.kind(e)
        {
            found |= open(a) && open(b);
        }
    });
    found
}

/// Decides whether the error of a program can be reached. `reading` has the property that was taken when it was loaded.
pub fn solve(
    source: Arc<Program>,
    reading: Reading,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Answer {
    solve_aloud(source, reading, plan, budget, observer, &mut |_| ())
}

/// As [`solve`]. An answer that is judged goes to `judged` before anything else is waited for or tried: to be told if the rest
/// does not end in time.
pub fn solve_aloud(
    source: Arc<Program>,
    reading: Reading,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
    judged: &mut dyn FnMut(Answer),
) -> Answer {
    let before = budget.spent();
    let prepare =
        plan.selection.only.as_ref().map_or(plan.prepare.clone(), |only| only.passes(&plan.prepare));
    let depths = match Depths::new(Arc::clone(&source), reading.signed_wrap, &prepare, budget) {
        Ok(depths) => depths,
        Err(reason) => return Answer::without_attempt(source, reading, reason),
    };
    let (engines, main) = plan.engines(&depths);
    let pursue = |(engine, calls): &(Engine, Calls), budget: &Budget, observer: &mut dyn Observer| match calls
    {
        Calls::Unfolded => go_deeper(&depths, engine, plan, budget, observer),
        Calls::Related => by_contracts(&depths, engine, plan, budget, observer),
    };
    let answer = |verdict: Verdict, attempts: Vec<Attempt>, decisive: usize, task: &Task| Answer {
        source: Arc::clone(&source),
        reading: reading.clone(),
        verdict,
        attempts,
        decisive: Some(decisive),
        second_opinion: None,
        externs: task.externs(),
        vacuous: task.is_vacuous(),
        withheld: Vec::new(),
    };
    let told = |answer: Answer| if plan.strict { answer.strictly() } else { answer };
    let mut contradicted = false;
    let mut found: Vec<Found> = match &engines[..] {
        [only] => vec![pursue(only, budget, observer)],
        several => {
            let works = several.iter().map(|engine| {
                move |budget: &Budget, observer: &mut dyn Observer| pursue(engine, budget, observer)
            });
            take_turns(works.collect(), main, budget, observer, |found: &Found| {
                contradicted |= contradiction(&found.attempts).is_some();
                let decided = match found.verdict {
                    Verdict::Safe(..) => !contradicted,
                    Verdict::Unsafe(..) => true,
                    Verdict::Unknown(_) => false,
                };
                if decided {
                    let (attempts, task) = (found.attempts.clone(), &found.task);
                    let decisive = attempts.len() - 1;
                    judged(told(answer(found.verdict.clone(), attempts, decisive, task)));
                }
                decided
            })
        }
    };
    let best = nearest(&found);
    let decisive = found[..=best].iter().map(|f| f.attempts.len()).sum::<usize>() - 1;
    let none = Verdict::Unknown(Reason::Stopped(Stop::Cancelled));
    let verdict = std::mem::replace(&mut found[best].verdict, none);
    let task = Arc::clone(&found[best].task);
    let attempts = found.into_iter().flat_map(|f| f.attempts).collect();
    let mut answer = answer(verdict, attempts, decisive, &task);
    if !answer.may_overflow().is_empty() && may_change(plan, &task.source) {
        judged(told(answer.clone()));
        let work = second_opinion(budget.spent() - before);
        let timer = Timer::start();
        let (verdict, mut attempt) =
            attempt(&task, &engines[best].0, Arith::Bv, plan.checking, &budget.with_work(work), observer);
        attempt.second_opinion = true;
        answer.second_opinion = Some(timer.elapsed());
        answer.attempts.push(attempt);
        if let Verdict::Safe(..) = verdict {
            answer.verdict = verdict;
            answer.decisive = Some(answer.attempts.len() - 1);
        }
    }
    if let (Verdict::Safe(..), Some(at)) = (&answer.verdict, contradiction(&answer.attempts)) {
        answer.verdict = answer.attempts[at].reason.clone().map_or(answer.verdict, Verdict::Unknown);
        answer.decisive = Some(at);
    }
    told(answer)
}

/// The first attempt whose proof a run contradicts.
fn contradiction(attempts: &[Attempt]) -> Option<usize> {
    attempts.iter().position(|attempt| matches!(attempt.reason, Some(Reason::Contradiction(_))))
}

/// The one with a verdict; otherwise one that a run contradicts, otherwise the last that ended by itself, otherwise the last.
fn nearest(found: &[Found]) -> usize {
    let rank = |found: &Found| match &found.verdict {
        Verdict::Unknown(Reason::Stopped(Stop::Cancelled)) => 0,
        // A program that is not for it, while others may be at work still: no reason of the program's.
        Verdict::Unknown(Reason::Unsupported { .. }) if is_for_procedures(found) => 0,
        Verdict::Unknown(Reason::Contradiction(_)) => 3,
        // Something else is tried beside it.
        Verdict::Unknown(_) if found.task.relations.is_some() => 0,
        Verdict::Unknown(Reason::Stopped(_)) => 1,
        Verdict::Unknown(_) => 2,
        _ => 4,
    };
    (0..found.len()).max_by_key(|i| rank(&found[*i])).unwrap_or(0)
}

/// Was the last attempt one on procedures as they are? Pointers are often not for those.
fn is_for_procedures(found: &Found) -> bool {
    let by_name = |name: &str| Engine::all().into_iter().find(|engine| engine.name() == name);
    found
        .attempts
        .last()
        .and_then(|last| by_name(last.engine))
        .is_some_and(|engine| engine.takes_procedures())
}

/// Work that bit-vectors may do when integers gave a proof that assumes no overflow: about half as long again as it took so far; at
/// least half a second's, at most ten seconds'. A unit takes about eight times as long on bit-vectors as on integers.
fn second_opinion(first: u64) -> u64 {
    (first / 16).clamp(400_000, 8_000_000)
}

/// One engine, on deeper and deeper tasks as long as it meets calls that these do not follow. What was taken to be defined stays so.
fn go_deeper(
    depths: &Depths,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let mut stage = if engine.takes_procedures() { Arc::clone(depths.plain()) } else { depths.first() };
    let mut before: Vec<Attempt> = Vec::new();
    let mut guards = BTreeSet::new();
    for number in 0.. {
        let start = budget.spent();
        let mut found = pursue_stage(&stage, &guards, engine, plan, budget, observer);
        found.attempts.splice(0..0, std::mem::take(&mut before));
        let Verdict::Unknown(Reason::Recursion { deeper, .. }) = &found.verdict else { return found };
        let deeper = deeper.clone();
        if deeper.is_empty() || errors_first(&stage, engine, plan, (budget, start), observer, &mut found) {
            return found;
        }
        let next = depths.deeper(number, &deeper, budget);
        match next {
            Ok(Some(next)) => stage = next,
            Ok(None) => return found,
            Err(reason) => {
                found.verdict = Verdict::Unknown(reason);
                return found;
            }
        }
        guards.clone_from(&found.task.guards);
        before = found.attempts;
    }
    unreachable!("stages are counted without end")
}

/// Least work for an execution among calls that are followed: as long as small programs take.
const SHALLOW: u64 = 350_000;

/// An engine that came to a call which its task does not follow may have passed by an error: most stop at the first path that they find. Looked for without such calls, with as much work as was done
/// since `start`. Bounded model checking does that by itself.
fn errors_first(
    stage: &Stage,
    engine: &Engine,
    plan: &Plan,
    (budget, start): (&Budget, u64),
    observer: &mut dyn Observer,
    found: &mut Found,
) -> bool {
    let budget = budget.with_work((budget.spent() - start).max(SHALLOW));
    let is_bmc = matches!(engine, Engine::Bmc(_));
    let Some(task) = (!is_bmc).then(|| stage.modelled(&budget)).flatten() else { return false };
    let arith = if plan.arithmetic == Arithmetic::Bv { Arith::Bv } else { Arith::Int };
    let (verdict, attempt) = attempt(task, engine, arith, plan.checking, &budget, observer);
    let is_execution = matches!(verdict, Verdict::Unsafe(..));
    if is_execution {
        found.try_again(Found { verdict, attempts: vec![attempt], task: Arc::clone(task) }, |_| true);
    }
    is_execution
}

/// One engine on the program with contracts in place of recursive calls.
fn by_contracts(
    depths: &Depths,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    match depths.related(budget) {
        Ok(stage) => {
            if let Some(relations) = &stage.task.relations {
                observer.detail(&|| relations.text(&stage.task.plain));
            }
            pursue_stage(&stage, &BTreeSet::new(), engine, plan, budget, observer)
        }
        Err(reason) => {
            let (engine, stats) = (engine.name(), Stats::default());
            let arith = Arith::Int;
            let attempt =
                Attempt { engine, arith, stats, reason: Some(reason.clone()), second_opinion: false };
            let task = Arc::clone(&depths.plain().task);
            Found { verdict: Verdict::Unknown(reason), attempts: vec![attempt], task }
        }
    }
}

/// One engine on one stage: on its task, and where that is refused or not modelled, on what the task leaves out or without it.
fn pursue_stage(
    stage: &Stage,
    guards: &BTreeSet<Guard>,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let start = budget.spent();
    let search = Search { task: &stage.task, prepare: &stage.prepare, engine, plan };
    let mut found = search.run(guards, budget, observer);
    let guards = found.task.guards.clone();
    match found.verdict {
        Verdict::Unknown(Reason::Certificate(_)) => {
            if let Some(task) = stage.whole(budget) {
                let search = Search { task, prepare: &stage.prepare.whole(), ..search };
                found.try_again(search.run(&guards, budget, observer), |_| true);
            }
        }
        Verdict::Unknown(Reason::Unsupported { .. }) => {
            let budget = budget.with_work(hunt_work(budget.spent() - start));
            if let Some(task) = stage.modelled(&budget) {
                // Of what was found in the program without what is not modelled, executions count.
                let is_execution = |verdict: &Verdict| matches!(verdict, Verdict::Unsafe(..));
                let search = Search { task, ..search };
                found.try_again(search.run(&guards, &budget, observer), is_execution);
            }
        }
        _ => {}
    }
    found
}

impl Answer {
    fn without_attempt(source: Arc<Program>, reading: Reading, reason: Reason) -> Answer {
        Answer {
            source,
            reading,
            verdict: Verdict::Unknown(reason),
            attempts: Vec::new(),
            decisive: None,
            second_opinion: None,
            externs: BTreeSet::new(),
            vacuous: false,
            withheld: Vec::new(),
        }
    }
}
