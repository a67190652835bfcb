//! Which engines run, and how their answers become a verdict.

use crate::args;
use craig_base::Budget;
use craig_cfa::pass::prepare::{PrepareOptions, Prepared, prepare};
use craig_cfa::{Choice, Lang, Name, Op, Program, graph};
use craig_encode::Arith;
use craig_engine::bmc;
use craig_engine::run::{Observer, RunOptions, Stats};
use craig_verdict::{Outcome, Reason, Verdict, judge};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What the user wants.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub engine: args::Engine,
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

/// Bit-vectors may take so much longer than integers took, when integers gave a proof that assumes no overflow.
const SECOND_OPINION: u32 = 2;
const SECOND_OPINION_LEAST: Duration = Duration::from_millis(500);

pub fn solve(source: &Program, plan: &Plan, budget: &Budget, observer: &mut dyn Observer) -> Answer {
    let started = Instant::now();
    let options = PrepareOptions { inline_limit: Some(plan.inline_limit), ..PrepareOptions::default() };
    let prepared = prepare(source, &options);
    let first = match plan.arith {
        args::Arith::Bv => Arith::Bv,
        args::Arith::Int | args::Arith::Auto => Arith::Int,
    };
    let mut answer = attempt(source, &prepared, plan, first, budget, observer);
    if plan.arith != args::Arith::Auto || source.lang != Lang::C {
        return answer;
    }
    match &answer.verdict {
        Verdict::Safe(_, checked) if !checked.may_overflow.is_empty() => {
            let time = (started.elapsed() * SECOND_OPINION).max(SECOND_OPINION_LEAST);
            let second = attempt(source, &prepared, plan, Arith::Bv, &budget.with_time(time), observer);
            if matches!(second.verdict, Verdict::Safe(..)) {
                answer = second;
            }
        }
        Verdict::Unknown(Reason::NotReplayed(..) | Reason::Solver(_) | Reason::Certificate(_)) => {
            let second = attempt(source, &prepared, plan, Arith::Bv, budget, observer);
            if !matches!(second.verdict, Verdict::Unknown(Reason::Stopped(_))) {
                answer = second;
            }
        }
        _ => {}
    }
    answer
}

/// One engine in one arithmetic.
fn attempt(
    source: &Program,
    prepared: &Prepared,
    plan: &Plan,
    arith: Arith,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Answer {
    let program = &prepared.program;
    let mut stats = Stats::default();
    let size = graph::size(program);
    stats.set("locations", size.locs as f64);
    stats.set("edges", size.edges as f64);
    let options = RunOptions { arith, signed_wrap: plan.signed_wrap };
    let (engine, outcome) = match (prepared.too_large, plan.engine) {
        (Some(too_large), _) => ("none", Outcome::Unknown(Reason::InlineLimit(too_large.limit))),
        (None, args::Engine::Auto | args::Engine::Bmc) => {
            ("bmc", bmc::run(prepared, &options, budget, observer, &mut stats))
        }
    };
    let verdict = judge(source, outcome, plan.signed_wrap, budget);
    let externs = program.ops().filter_map(|(op, _)| match op {
        Op::Havoc(_, Choice::Extern(name)) => Some(name.clone()),
        _ => None,
    });
    let vacuous = program.edges.iter().all(|edge| edge.to != program.error);
    Answer { verdict, engine, arith, stats, externs: externs.collect(), vacuous }
}
