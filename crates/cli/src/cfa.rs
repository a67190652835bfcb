//! `craig cfa`: the control-flow automaton of a program.

use crate::args::{Blocks, Cfa, Switch, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::Diagnostic;
use craig_bench::frontend::Summary;
use craig_cfa::pass::inline::Kept;
use craig_cfa::pass::prepare::{self, PrepareOptions, prepare};
use craig_cfa::{Program, dot};
use std::time::Instant;

pub fn run(args: &Cfa, talk: Talk) -> Code {
    show(args, talk).err().unwrap_or(Code::DONE)
}

fn show(args: &Cfa, talk: Talk) -> Result<(), Code> {
    let start = Instant::now();
    let program = transform(input::load(&args.input.file, &args.input.reading)?, args, talk)?;
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

/// The passes that were asked for. Large blocks come with inlining and folding, as the engines see the program, but without slicing:
/// what is shown is the whole program.
fn transform(program: Program, args: &Cfa, talk: Talk) -> Result<Program, Code> {
    let large = args.blocks == Blocks::Large;
    let options = PrepareOptions {
        prune: args.prune.map_or(large, |p| p == Switch::On),
        fold: large,
        cone: false,
        inline_limit: large.then_some(args.inline_limit),
        blocks: if large { prepare::Blocks::Large } else { prepare::Blocks::Single },
    };
    let prepared = prepare(&program, &options);
    if let Some(too_large) = prepared.too_large {
        let diagnostic = Diagnostic::error(format!("the calls cannot be inlined: {too_large}"))
            .help("--inline-limit N allows for more");
        diag::print(&diagnostic, None);
        return Err(Code::Unknown);
    }
    if talk > Talk::Quiet {
        for (proc, why) in &prepared.kept_calls {
            let why = match why {
                Kept::Recursive => "recursive",
                Kept::Variadic => "variadic",
            };
            host::eprint(&format!("note: {} is {why} and not inlined", program.procs[*proc].name));
        }
    }
    Ok(prepared.program)
}
