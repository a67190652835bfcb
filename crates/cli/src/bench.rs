//! `craig bench`: measurements over sets of tasks.

use crate::args::{Bench, Talk};
use crate::code::Code;
use crate::host;
use craig_base::Budget;
use craig_bench::frontend::{self, Config};
use craig_bench::{Limits, Set};
use std::num::NonZero;

pub fn run(args: &Bench, talk: Talk, budget: &Budget) -> Code {
    match measure(args, talk, budget) {
        Ok(code) | Err(code) => code,
    }
}

fn measure(args: &Bench, talk: Talk, budget: &Budget) -> Result<Code, Code> {
    let fail = |message: String| {
        host::eprint(&format!("error: {message}"));
        Code::Usage
    };
    let sets: Vec<Set> = args.sets.iter().map(|s| Set::read(s)).collect::<Result<_, _>>().map_err(fail)?;
    let program =
        std::env::current_exe().map_err(|e| fail(format!("cannot find this program's own file: {e}")))?;
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let config = Config {
        program,
        jobs: args.jobs.map_or(processors, usize::from),
        limits: Limits { wall: Some(args.time_limit), cpu: None, memory: Some(args.memory_limit) },
        out: args.out.clone(),
        progress: talk > Talk::Quiet,
        budget: budget.clone(),
    };
    let figures =
        frontend::measure(&sets, &config).map_err(|e| fail(format!("the measurement stopped: {e}")))?;
    let text = figures.to_markdown();
    if let Some(file) = &args.md {
        std::fs::write(file, &text).map_err(|e| fail(format!("cannot write {}: {e}", file.display())))?;
    }
    host::print(|out| out.write_all(text.as_bytes()))?;
    Ok(if figures.is_clean() && !figures.cancelled { Code::DONE } else { Code::Unknown })
}
