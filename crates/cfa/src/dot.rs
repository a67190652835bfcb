//! The program as a picture for Graphviz.
//!
//! One cluster per procedure; the entry is a house, the exit an inverted one, the error a red octagon, loop heads are double circles.
//! Calls that remain are drawn bold. Labels are wrapped at spaces and cut when they grow long.

use crate::graph;
use crate::print::Printer;
use crate::program::{LocId, Op, Program};
use index_vec::index_vec;
use std::fmt::Write;

/// Characters on one line of a label.
const LINE: usize = 48;
/// Lines of a label.
const LINES: usize = 14;

pub fn dot(program: &Program) -> String {
    let printer = Printer::new(program);
    let order = graph::order(program, &program.graph());
    let mut out = String::from(
        "digraph program {\n  node [fontname=\"monospace\", fontsize=10, shape=circle];\n  edge [fontname=\"monospace\", fontsize=9];\n  compound=true;\n",
    );
    let mut used = index_vec![false; program.locs.len()];
    used[program.procs[program.entry].entry] = true;
    used[program.procs[program.entry].exit] = true;
    for edge in &program.edges {
        used[edge.from] = true;
        used[edge.to] = true;
        let proc = program.locs[edge.from].proc;
        used[program.procs[proc].entry] = true;
        used[program.procs[proc].exit] = true;
    }
    let mut locs_of = index_vec![Vec::new(); program.procs.len()];
    for (id, loc) in program.locs.iter_enumerated() {
        if used[id] && id != program.error {
            locs_of[loc.proc].push(id);
        }
    }
    for (id, locs) in locs_of.iter_enumerated().filter(|(_, l)| !l.is_empty()) {
        let name = escape(&program.procs[id].name);
        let _ = writeln!(out, "  subgraph cluster_{} {{\n    label=\"{name}\";", id.index());
        for &loc in locs {
            let _ = writeln!(out, "    {};", node(program, &printer, loc, order.loop_head[loc]));
        }
        out.push_str("  }\n");
    }
    let error = program.error;
    let _ = writeln!(
        out,
        "  n{} [label=\"ERROR\", shape=octagon, style=filled, fillcolor=\"#f4b6b6\"];",
        error.index()
    );
    for edge in &program.edges {
        let style = match edge.op {
            Op::Call(_) => ", style=bold",
            Op::Unsupported(_) => ", color=orange",
            _ => "",
        };
        let _ = writeln!(
            out,
            "  n{} -> n{} [label=\"{}\"{style}];",
            edge.from.index(),
            edge.to.index(),
            label(&printer.op(&edge.op))
        );
    }
    out.push_str("}\n");
    out
}

fn node(program: &Program, printer: &Printer<'_>, loc: LocId, loop_head: bool) -> String {
    let proc = &program.procs[program.locs[loc].proc];
    let mut text = printer.loc(loc);
    if let Some(label) = &program.locs[loc].label {
        let _ = write!(text, "\n{label}");
    }
    let shape = if loc == proc.entry {
        ", shape=house"
    } else if loc == proc.exit {
        ", shape=invhouse"
    } else if loop_head {
        ", shape=doublecircle"
    } else {
        ""
    };
    format!("n{} [label=\"{}\"{shape}]", loc.index(), escape(&text))
}

/// Wraps at spaces, cuts, escapes; every line is left-aligned.
fn label(text: &str) -> String {
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in text.split(' ') {
        // A word that is longer than a line is cut.
        let word: String = match word.char_indices().nth(2 * LINE) {
            Some((at, _)) => format!("{}…", &word[..at]),
            None => word.into(),
        };
        let n = word.chars().count();
        if width > 0 && width + 1 + n > LINE {
            if lines.len() == LINES {
                lines.push("…".into());
                break;
            }
            lines.push(String::new());
            width = 0;
        }
        let line = lines.last_mut().expect("never empty");
        if width > 0 {
            line.push(' ');
        }
        line.push_str(&word);
        width += n + 1;
    }
    if let [one] = &lines[..] {
        return escape(one);
    }
    lines.iter().map(|l| escape(l) + "\\l").collect()
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out
}
