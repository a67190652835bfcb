//! `craig cfa`: the control-flow automaton of a program.

use crate::args::{Cfa, Talk};
use crate::code::Code;
use crate::{host, input};
use craig_bench::frontend::Summary;
use std::time::Instant;

pub fn run(args: &Cfa, talk: Talk) -> Code {
    show(args, talk).err().unwrap_or(Code::DONE)
}

fn show(args: &Cfa, talk: Talk) -> Result<(), Code> {
    let start = Instant::now();
    let program = input::load(&args.input)?;
    let summary = Summary::of(&args.input.file, &program, start.elapsed());
    if talk >= Talk::Verbose {
        host::eprint(&format!(
            "{} procedures, {} locations, {} edges in {:.3} s",
            summary.procedures, summary.locations, summary.edges, summary.wall_s
        ));
    }
    if args.summary {
        return host::print(|out| {
            serde_json::to_writer(&mut *out, &summary)?;
            writeln!(out)
        });
    }
    Ok(())
}
