//! `craig cfa`: the control-flow automaton of a program, or its graph of blocks.

use crate::args::{Cfa, Switch, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::{Budget, Diagnostic, Stop};
use craig_bench::frontend::Summary;
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_cfa::print::Printer;
use craig_cfa::{BlockGraph, Blocks, Program, dot};
use std::time::Instant;

pub fn run(args: &Cfa, talk: Talk, budget: &Budget) -> Code {
    show(args, talk, budget).err().unwrap_or(Code::DONE)
}

fn show(args: &Cfa, talk: Talk, budget: &Budget) -> Result<(), Code> {
    let start = Instant::now();
    let reading = input::reading(&args.input.reading, false)?;
    let source = input::load(&args.input.file, &reading, budget)?.program;
    let kind = args.blocks.kind();
    let program = transform(&source, args, kind, talk, budget)?;
    let graph = match kind {
        Blocks::Single => None,
        kind => Some(BlockGraph::new(&program, kind, budget).map_err(stopped)?),
    };
    let blocks = graph.as_ref().map(|graph| graph.blocks().len());
    let summary = Summary { blocks, ..Summary::of(&args.input.file, &program, start.elapsed()) };
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
    let text = match (&graph, args.dot) {
        (None, false) => program.to_string(),
        (None, true) => dot::dot(&program),
        (Some(graph), false) => Printer::new(&program).blocks(graph),
        (Some(graph), true) => dot::blocks(&program, graph),
    };
    host::print(|out| out.write_all(text.as_bytes()))
}

fn stopped(stop: Stop) -> Code {
    host::eprint(&format!("UNKNOWN ({stop})"));
    Code::Unknown
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
        unfolding: None,
    };
    let prepared = prepare(program, &options, budget).map_err(stopped)?;
    if let Some(too_large) = prepared.too_large {
        let diagnostic = Diagnostic::error(format!("the calls cannot be inlined: {too_large}"))
            .help("--inline-limit N allows for more");
        diag::print(&diagnostic, None);
        return Err(Code::Unknown);
    }
    if talk > Talk::Quiet {
        for proc in &prepared.kept_calls {
            host::eprint(&format!("note: {} is recursive and not inlined", program.procs[*proc].name));
        }
    }
    Ok(prepared.program)
}
