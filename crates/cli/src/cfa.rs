//! `craig cfa`: the control-flow automaton of a program, or its graph of blocks.

use crate::args::{Cfa, Switch, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::{Budget, Diagnostic, Stop};
use craig_bench::frontend::Summary;
use craig_cfa::pass::{Kept, PrepareOptions, prepare};
use craig_cfa::print::Printer;
use craig_cfa::{BlockGraph, Blocks, Program, dot};
use std::time::Instant;

pub fn run(args: &Cfa, talk: Talk, budget: &Budget) -> Code {
    show(args, talk, budget).err().unwrap_or(Code::DONE)
}

fn show(args: &Cfa, talk: Talk, budget: &Budget) -> Result<(), Code> {
    let start = Instant::now();
    let stopped = |stop: Stop| {
        host::eprint(&format!("UNKNOWN ({stop})"));
        Code::Unknown
    };
    let reading = input::reading(&args.input.reading, false)?;
    let source = input::load(&args.input.file, &reading, budget)?.program;
    let kind = args.blocks.kind();
    let program = transform(&source, args, kind, talk, budget)?;
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
    let text = match (kind, args.dot) {
        (Blocks::Single, false) => program.to_string(),
        (Blocks::Single, true) => dot::dot(&program),
        (kind, picture) => {
            let graph = BlockGraph::new(&program, kind, budget).map_err(stopped)?;
            if picture { dot::blocks(&program, &graph) } else { Printer::new(&program).blocks(&graph) }
        }
    };
    host::print(|out| out.write_all(text.as_bytes()))
}

/// The passes that were asked for. Blocks come with inlining and folding, as the engines see the program, but without slicing:
/// what is shown is the whole program.
fn transform(
    program: &Program,
    args: &Cfa,
    kind: Blocks,
    talk: Talk,
    budget: &Budget,
) -> Result<Program, Code> {
    let blocks = kind != Blocks::Single;
    let options = PrepareOptions {
        prune: args.prune.map_or(blocks, |p| p == Switch::On),
        fold: blocks,
        cone: false,
        inline_limit: blocks.then_some(args.inline_limit),
    };
    let prepared = prepare(program, &options, budget).map_err(|stop| {
        host::eprint(&format!("UNKNOWN ({stop})"));
        Code::Unknown
    })?;
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
