//! `craig cfa`: the control-flow automaton of a program.

use crate::args::{Blocks, Cfa, Switch, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::Diagnostic;
use craig_bench::frontend::Summary;
use craig_cfa::pass::inline::Kept;
use craig_cfa::{Program, dot, pass};
use std::time::Instant;

pub fn run(args: &Cfa, talk: Talk) -> Code {
    show(args, talk).err().unwrap_or(Code::DONE)
}

fn show(args: &Cfa, talk: Talk) -> Result<(), Code> {
    let start = Instant::now();
    let program = transform(input::load(&args.input)?, args, talk)?;
    let summary = Summary::of(&args.input.file, &program, start.elapsed());
    if talk >= Talk::Verbose {
        host::eprint(&format!(
            "{} procedures, {} locations, {} edges in {:.3} s",
            summary.procedures, summary.locations, summary.edges, summary.wall_s
        ));
    }
    host::print(|out| {
        if args.summary {
            serde_json::to_writer(&mut *out, &summary)?;
            writeln!(out)
        } else if args.dot {
            out.write_all(dot::dot(&program).as_bytes())
        } else {
            write!(out, "{program}")
        }
    })
}

/// The passes that were asked for.
fn transform(mut program: Program, args: &Cfa, talk: Talk) -> Result<Program, Code> {
    let large = args.blocks == Blocks::Large;
    let prune = args.prune.map_or(large, |p| p == Switch::On);
    if large {
        let inlined = pass::inline(&program, args.inline_limit).map_err(|e| {
            let diagnostic = Diagnostic::error(format!("the calls cannot be inlined: {e}"))
                .help("--inline-limit N allows for more");
            diag::print(&diagnostic, None);
            Code::Unknown
        })?;
        if talk > Talk::Quiet {
            for (proc, why) in &inlined.kept {
                let why = match why {
                    Kept::Recursive => "recursive",
                    Kept::Variadic => "variadic",
                };
                host::eprint(&format!("note: {} is {why} and not inlined", program.procs[*proc].name));
            }
        }
        program = inlined.program;
    }
    if prune {
        program = pass::prune(&program);
    }
    if large {
        program = pass::summarise(&program);
    }
    Ok(program)
}
