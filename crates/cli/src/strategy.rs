//! Which engines run, and how their answers become a verdict.
//!
//! `auto` runs bounded model checking for a short while, then predicate abstraction, then bounded model checking for what is left. Machine integers are mathematical integers at first.
//! Where a path of these does not replay, bit-vectors take over; where a proof in these assumes that nothing overflows, bit-vectors may try to
//! do without the assumption.

use crate::args;
use craig_base::Budget;
use craig_cfa::pass::prepare::{Blocks, PrepareOptions, Prepared, prepare};
use craig_cfa::{Choice, Lang, Name, Op, Program, graph};
use craig_encode::Arith;
use craig_engine::run::{Observer, RunOptions, Stats};
use craig_engine::{blocks, bmc, impact, predicate, slicing};
use craig_verdict::{Outcome, Reason, Verdict, judge};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What the user wants.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub engine: args::Engine,
    pub predicate: predicate::Options,
    pub slicing: slicing::Options,
    pub impact: impact::Options,
    pub arith: args::Arith,
    pub signed_wrap: bool,
    pub inline_limit: usize,
}

/// A verdict and how it was found.
#[derive(Debug)]
pub struct Answer {
    pub verdict: Verdict,
    pub engine: &'static str,
    pub arith: Arith,
    pub stats: Stats,
    /// Functions without body whose result the program that was decided uses.
    pub externs: BTreeSet<Name>,
    /// Nothing leads to the error.
    pub vacuous: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Bmc,
    Predicate,
    Slicing,
    Impact,
}

/// An engine to run: the part of the remaining time that it gets, and how long at most.
#[derive(Debug, Clone, Copy)]
struct Turn {
    engine: Engine,
    part: f64,
    most: Duration,
}

impl Turn {
    const fn new(engine: Engine, part: f64, most: Duration) -> Turn {
        Turn { engine, part, most }
    }

    fn budget(self, whole: &Budget) -> Budget {
        let time = whole.time_left().map_or(self.most, |left| left.mul_f64(self.part).min(self.most));
        if time == Duration::MAX { whole.clone() } else { whole.with_time(time) }
    }
}

/// The engines of a strategy, in order.
fn turns(engine: args::Engine) -> &'static [Turn] {
    use Engine::{Bmc, Impact, Predicate, Slicing};
    const SHORT: Duration = Duration::from_secs(1);
    const AUTO: [Turn; 3] = [
        Turn::new(Bmc, 0.1, SHORT),
        Turn::new(Predicate, 0.8, Duration::MAX),
        Turn::new(Bmc, 1.0, Duration::MAX),
    ];
    const BMC: [Turn; 1] = [Turn::new(Bmc, 1.0, Duration::MAX)];
    const PREDICATE: [Turn; 1] = [Turn::new(Predicate, 1.0, Duration::MAX)];
    const SLICING: [Turn; 1] = [Turn::new(Slicing, 1.0, Duration::MAX)];
    const IMPACT: [Turn; 1] = [Turn::new(Impact, 1.0, Duration::MAX)];
    match engine {
        args::Engine::Auto => &AUTO,
        args::Engine::Bmc => &BMC,
        args::Engine::Predicate => &PREDICATE,
        args::Engine::Slicing => &SLICING,
        args::Engine::Impact => &IMPACT,
    }
}

/// What bit-vectors may take when integers gave a proof that assumes no overflow: half as long again, at least and at most so long.
fn second_opinion(first: Duration) -> Duration {
    (first / 2).clamp(Duration::from_millis(500), Duration::from_secs(10))
}

pub fn solve(source: &Program, plan: &Plan, budget: &Budget, observer: &mut dyn Observer) -> Answer {
    let started = Instant::now();
    let mut job = Job { source, plan, large: OnceCell::new(), single: OnceCell::new(), observer };
    let exact_next = plan.arith == args::Arith::Auto && source.lang == Lang::C;
    let mut arith = if plan.arith == args::Arith::Bv { Arith::Bv } else { Arith::Int };
    let mut answer = None;
    for &turn in turns(plan.engine) {
        let limited = turn.budget(budget);
        let mut found = job.attempt(turn, arith, &limited);
        if exact_next && arith == Arith::Int && is_inexact(&found.verdict) {
            arith = Arith::Bv;
            let second = job.attempt(turn, arith, &limited);
            if !matches!(second.verdict, Verdict::Unknown(Reason::Stopped(_))) {
                found = second;
            }
        }
        let ended = !matches!(found.verdict, Verdict::Unknown(_)) || budget.check().is_err();
        answer = Some((turn, found));
        if ended {
            break;
        }
    }
    let (turn, mut answer) = answer.expect("a strategy has at least one engine");
    if let Verdict::Safe(_, checked) = &answer.verdict
        && exact_next
        && !checked.may_overflow.is_empty()
    {
        let time = second_opinion(started.elapsed());
        let second = job.attempt(turn, Arith::Bv, &budget.with_time(time));
        if matches!(second.verdict, Verdict::Safe(..)) {
            answer = second;
        }
    }
    answer
}

/// Might exact arithmetic do better?
fn is_inexact(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(Reason::NotReplayed(..) | Reason::Solver(_) | Reason::Certificate(_)))
}

struct Job<'a> {
    source: &'a Program,
    plan: &'a Plan,
    large: OnceCell<Prepared>,
    single: OnceCell<Prepared>,
    observer: &'a mut dyn Observer,
}

impl Job<'_> {
    /// One engine in one arithmetic.
    fn attempt(&mut self, turn: Turn, arith: Arith, budget: &Budget) -> Answer {
        let blocks = match turn.engine {
            Engine::Bmc => blocks::Blocks::Large,
            Engine::Predicate => self.plan.predicate.blocks,
            Engine::Slicing => self.plan.slicing.blocks,
            Engine::Impact => self.plan.impact.blocks,
        };
        let blocks = if blocks == blocks::Blocks::Large { Blocks::Large } else { Blocks::Single };
        let slot = if blocks == Blocks::Large { &self.large } else { &self.single };
        let prepared = slot.get_or_init(|| {
            let inline_limit = Some(self.plan.inline_limit);
            prepare(self.source, &PrepareOptions { inline_limit, blocks, ..PrepareOptions::default() })
        });
        let program = &prepared.program;
        let mut stats = Stats::default();
        let size = graph::size(program);
        stats.set("locations", size.locs as f64);
        stats.set("edges", size.edges as f64);
        stats.set("loops", size.loops as f64);
        let options = RunOptions { arith, signed_wrap: self.plan.signed_wrap };
        let (engine, outcome) = match (prepared.too_large, turn.engine) {
            (Some(too_large), _) => ("none", Outcome::Unknown(Reason::InlineLimit(too_large.limit))),
            (None, Engine::Bmc) => ("bmc", bmc::run(prepared, &options, budget, self.observer, &mut stats)),
            (None, Engine::Predicate) => {
                let own = &self.plan.predicate;
                ("predicate", predicate::run(prepared, &options, own, budget, self.observer, &mut stats))
            }
            (None, Engine::Slicing) => {
                let own = &self.plan.slicing;
                ("slicing", slicing::run(prepared, &options, own, budget, self.observer, &mut stats))
            }
            (None, Engine::Impact) => {
                let own = &self.plan.impact;
                ("impact", impact::run(prepared, &options, own, budget, self.observer, &mut stats))
            }
        };
        let verdict = judge(self.source, outcome, self.plan.signed_wrap, budget);
        let externs = program.ops().filter_map(|(op, _)| match op {
            Op::Havoc(_, Choice::Extern(name)) => Some(name.clone()),
            _ => None,
        });
        let vacuous = program.edges.iter().all(|edge| edge.to != program.error);
        Answer { verdict, engine, arith, stats, externs: externs.collect(), vacuous }
    }
}
