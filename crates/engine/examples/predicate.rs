//! Predicate abstraction on a file: `predicate FILE [single|large|adjustable|adjustable-call|adjustable-N] [cartesian|boolean]
//! [bfs|dfs|topological] [location|procedure|global] [int|bv] [NUMBERs] [stats] [details] [error-label]`.

use craig_base::Budget;
use craig_cfa::pass::prepare::{Blocks as Prepare, PrepareOptions, prepare};
use craig_encode::Arith;
use craig_engine::blocks::BlockEnd;
use craig_engine::precision::Scope;
use craig_engine::predicate::{self, Blocks, Kind, SearchOrder};
use craig_engine::run::{Observer, Progress, RunOptions, Stats};
use craig_frontend::Property;
use craig_verdict::{Outcome, replay};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tells details if wanted.
struct Watch(bool);

impl Observer for Watch {
    fn progress(&mut self, _: &Progress) {}

    fn detail(&mut self, text: &dyn Fn() -> String) {
        if self.0 {
            eprintln!("{}", text());
        }
    }
}

#[allow(clippy::print_stdout)]
fn main() {
    let stack = 1 << 30;
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).expect("a thread");
    println!("{}", thread.join().unwrap_or_else(|_| "UNKNOWN (internal)".into()));
}

fn work() -> String {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else { return "usage: predicate FILE [words]".into() };
    let mut options = predicate::Options::default();
    let mut run = RunOptions::default();
    let mut load = craig_frontend::Options::default();
    let mut limit = 15;
    let (mut print_stats, mut details) = (false, false);
    for word in args {
        match word.as_str() {
            "single" => options.blocks = Blocks::Single,
            "large" => options.blocks = Blocks::Large,
            "adjustable" => options.blocks = Blocks::Adjustable(BlockEnd::LoopHeads),
            "adjustable-call" => options.blocks = Blocks::Adjustable(BlockEnd::Calls),
            "cartesian" => options.abstraction = Kind::Cartesian,
            "boolean" => options.abstraction = Kind::Boolean,
            "bfs" => options.order = SearchOrder::Bfs,
            "dfs" => options.order = SearchOrder::Dfs,
            "topological" => options.order = SearchOrder::Topological,
            "location" => options.precision = Scope::Location,
            "procedure" => options.precision = Scope::Procedure,
            "global" => options.precision = Scope::Global,
            "int" => run.arith = Arith::Int,
            "bv" => run.arith = Arith::Bv,
            "stats" => print_stats = true,
            "details" => details = true,
            "error-label" => load.property = Property::by_name("error-label").unwrap_or_default(),
            _ => match (word.strip_prefix("adjustable-"), word.strip_suffix('s')) {
                (Some(n), _) => {
                    options.blocks = Blocks::Adjustable(BlockEnd::Operations(n.parse().unwrap_or(1)));
                }
                (_, Some(n)) => limit = n.parse().unwrap_or(limit),
                _ => return format!("unknown word {word}"),
            },
        }
    }
    let start = Instant::now();
    let program = match craig_frontend::load(Path::new(&file), &load) {
        Ok(program) => program,
        Err(failure) => return format!("unreadable: {:?}", failure.diagnostics.first()),
    };
    let blocks = if options.blocks == Blocks::Large { Prepare::Large } else { Prepare::Single };
    let prepared = prepare(&program, &PrepareOptions { blocks, ..PrepareOptions::default() });
    let ready = start.elapsed();
    let budget = Budget::unlimited().with_time(Duration::from_secs(limit)).with_memory(4 << 30);
    let mut stats = Stats::default();
    let outcome = predicate::run(&prepared, &run, &options, &budget, &mut Watch(details), &mut stats);
    let verdict = match outcome {
        Outcome::Safe(certificate) => {
            if std::env::var_os("SHOW").is_some() {
                format!("SAFE {certificate:?}")
            } else {
                "SAFE".into()
            }
        }
        Outcome::Unknown(reason) => format!("UNKNOWN ({reason})"),
        Outcome::Unsafe(trace) => match replay::replay(&program, &trace, false, 10_000_000, &budget) {
            Ok(_) => "UNSAFE".into(),
            Err(reason) => format!("UNKNOWN ({reason})"),
        },
    };
    let counters: Vec<String> = stats
        .counters
        .iter()
        .map(|(name, value)| format!("{name}={}", (value * 1000.0).round() / 1000.0))
        .collect();
    let total = start.elapsed().as_secs_f64();
    let ready = ready.as_secs_f64();
    let short = |n: &str| stats.counters.iter().find(|c| c.0 == n).map_or(0.0, |c| c.1);
    let summary = format!(
        "art={} ref={} pred={} max={} calls={} solver={:.2} abs={:.2} refine={:.2}",
        short("art_nodes"),
        short("refinements"),
        short("predicates_total"),
        short("predicates_max"),
        short("solver_calls"),
        short("solver_s"),
        short("abstraction_s"),
        short("refinement_s"),
    );
    if print_stats {
        format!("{verdict}\t{total:.2}s (ready {ready:.2}s)\n{}", counters.join("\n"))
    } else {
        format!("{verdict}\t{total:.2}s (ready {ready:.2}s)\t{summary}")
    }
}
