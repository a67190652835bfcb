//! How dear interpolation is, as ratios in one run, on random linear sequences:
//!
//!     cargo run --release -p craig-smt --example ratios -- [COUNT] [SEED]
//!
//! Processor time per sequence, with as much work as takes about 10 s: a plain check in a fresh session, interpolation with all layers, interpolation with spacer alone.
#![allow(clippy::print_stdout, reason = "a program for people")]

#[path = "../tests/random/mod.rs"]
mod random;

use craig_base::Budget;
use craig_base::budget::cpu_time;
use craig_logic::{TermId, Terms};
use craig_smt::interpolate::{self, Hints, Method, Options};
use craig_smt::{Smt, SolverStats};
use random::Family;
use std::rc::Rc;

/// In units of work.
const LIMIT: u64 = 70_000_000;
/// Sequences that take one way longer (in seconds) are named.
const SLOW: f64 = 0.3;

/// Processor time in seconds: unlike the clock on the wall it does not count other load.
fn timed(work: impl FnOnce()) -> f64 {
    let start = cpu_time();
    work();
    (cpu_time() - start).as_secs_f64()
}

/// The least of three times, which other load disturbs least; what takes long is taken once.
fn least(mut run: impl FnMut() -> f64) -> f64 {
    let first = run();
    if first > 0.5 { first } else { first.min(run()).min(run()) }
}

/// A solver that has not seen the parts, so that every way pays for the same translation.
fn solver(terms: &Rc<Terms>) -> Smt {
    Smt::new(Rc::clone(terms), Budget::unlimited()).expect("a solver")
}

fn plain(terms: &Rc<Terms>, parts: &[TermId]) -> f64 {
    let smt = solver(terms);
    timed(|| {
        let mut session = smt.session();
        parts.iter().for_each(|p| session.assert(*p));
        smt.limited(LIMIT, || session.check());
    })
}

fn layers(terms: &Rc<Terms>, parts: &[TermId], methods: &[Method]) -> (f64, bool, SolverStats) {
    let smt = solver(terms);
    let options =
        Options { verify: false, methods: methods.to_vec(), method_limit: LIMIT, ..Options::default() };
    let mut answered = false;
    let time = timed(|| {
        let found = smt.limited(LIMIT, || interpolate::sequence(&smt, parts, &Hints::default(), &options));
        answered = found.is_ok();
    });
    (time, answered, smt.stats())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments.first().and_then(|c| c.parse().ok()).unwrap_or(200);
    let mut seed: u64 = arguments.get(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    let (mut plains, mut ours, mut spacers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ours_answered, mut spacer_answered) = (0, 0);
    let (mut checks, mut solver_time) = (0, 0.0);
    let mut both = (0.0, 0.0);
    while plains.len() < count {
        seed += 1;
        let terms = Rc::new(Terms::new());
        let maker = solver(&terms);
        let Some(parts) = maker.limited(LIMIT, || random::sequence(&maker, Family::Linear, seed)) else {
            continue;
        };
        plains.push(least(|| plain(&terms, &parts)));
        let mut outcome = (false, SolverStats::default());
        let time = least(|| {
            let (time, answered, stats) = layers(&terms, &parts, &Method::ALL);
            outcome = (answered, stats);
            time
        });
        let (answered, stats) = outcome;
        checks += stats.checks;
        solver_time += stats.time.as_secs_f64();
        ours.push(time);
        ours_answered += usize::from(answered);
        let mut answered = false;
        let time = least(|| {
            let (time, found, _) = layers(&terms, &parts, &[Method::Spacer]);
            answered = found;
            time
        });
        spacers.push(time);
        spacer_answered += usize::from(answered);
        if outcome.0 && answered {
            both.0 += ours[ours.len() - 1];
            both.1 += time;
        }
        if ours[ours.len() - 1] > SLOW || time > SLOW {
            println!("  slow: seed {seed}: layers {:.2} s, spacer {time:.2} s", ours[ours.len() - 1]);
        }
    }
    let total = |v: &[f64]| v.iter().sum::<f64>();
    println!("{count} linear sequences");
    println!(
        "  plain check   total {:8.1} ms, median {:6.3} ms",
        1e3 * total(&plains),
        1e3 * median(&plains)
    );
    println!(
        "  all layers    total {:8.1} ms, median {:6.3} ms, answered {ours_answered}",
        1e3 * total(&ours),
        1e3 * median(&ours)
    );
    println!("    {checks} solver calls, {:.1} ms in the solver", 1e3 * solver_time);
    println!(
        "  spacer alone  total {:8.1} ms, median {:6.3} ms, answered {spacer_answered}",
        1e3 * total(&spacers),
        1e3 * median(&spacers)
    );
    let ratios: Vec<f64> = ours.iter().zip(&plains).map(|(a, b)| a / b).collect();
    println!("  layers / spacer, totals: {:.3}", total(&ours) / total(&spacers));
    println!("  the same where both answered: {:.3}", both.0 / both.1);
    println!(
        "  layers / plain, medians: {:.2}; median of the ratios: {:.2}",
        median(&ours) / median(&plains),
        median(&ratios)
    );
}
