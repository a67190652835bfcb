//! The program as a picture for Graphviz.
//!
//! One cluster per procedure; the entry is a house, the exit an inverted one, the error a red octagon, loop heads are double circles.
//! Calls that remain are drawn bold. Labels are wrapped and cut when they grow long. Nodes of a block that its text names are explained in
//! a note beside the location where it begins.

use crate::blocks::{BlockGraph, RegionId};
use crate::graph::{self, Order};
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
    let ends = program.edges.iter().flat_map(|e| [e.from, e.to]);
    picture(program, &printer, &order, ends, |out| {
        for edge in &program.edges {
            let style = match edge.op {
                Op::Call(_) => ", style=bold",
                Op::Unsupported(_) | Op::Deeper(_) => ", color=orange",
                _ => "",
            };
            arrow(out, edge.from, edge.to, &printer.op(&edge.op), style);
        }
    })
}

/// The graph of blocks.
pub fn blocks(program: &Program, graph: &BlockGraph) -> String {
    let printer = Printer::new(program);
    let ends = graph.blocks().iter().flat_map(|b| [b.from, b.to]);
    picture(program, &printer, &graph.order, ends, |out| {
        for (id, region) in graph.regions().iter_enumerated() {
            let (named, exits) = printer.region_texts(id, region);
            note(out, id, region.head(), &named);
            for (to, text) in region.exits.iter().zip(exits) {
                arrow(out, region.head(), *to, &text, "");
            }
        }
    })
}

/// The frame of a picture: the locations by procedure, then the arrows.
fn picture(
    program: &Program,
    printer: &Printer<'_>,
    order: &Order,
    ends: impl Iterator<Item = LocId>,
    arrows: impl FnOnce(&mut String),
) -> String {
    let mut out = String::from(
        "digraph program {\n  node [fontname=\"monospace\", fontsize=10, shape=circle];\n  edge [fontname=\"monospace\", fontsize=9];\n",
    );
    let mut used = index_vec![false; program.locs.len()];
    let entry = &program.procs[program.entry];
    for end in ends.chain([entry.entry, entry.exit]) {
        used[end] = true;
        if end != program.error {
            let proc = &program.procs[program.locs[end].proc];
            used[proc.entry] = true;
            used[proc.exit] = true;
        }
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
            let _ = writeln!(out, "    {};", node(program, printer, loc, order.loop_head[loc]));
        }
        out.push_str("  }\n");
    }
    let error = program.error;
    let _ = writeln!(
        out,
        "  n{} [label=\"ERROR\", shape=octagon, style=filled, fillcolor=lightpink];",
        error.index()
    );
    arrows(&mut out);
    out.push_str("}\n");
    out
}

fn arrow(out: &mut String, from: LocId, to: LocId, text: &str, style: &str) {
    let (from, to) = (from.index(), to.index());
    let _ = writeln!(out, "  n{from} -> n{to} [label=\"{}\"{style}];", label(text));
}

/// The named nodes of a region, beside the location it stands at.
fn note(out: &mut String, region: RegionId, at: LocId, named: &[String]) {
    if named.is_empty() {
        return;
    }
    let mut lines: Vec<String> = named.iter().take(LINES).map(|text| label(text)).collect();
    lines.iter_mut().filter(|l| !l.ends_with("\\l")).for_each(|l| l.push_str("\\l"));
    if named.len() > LINES {
        lines.push("…\\l".into());
    }
    let (r, n) = (region.index(), at.index());
    let _ = writeln!(out, "  r{r} [label=\"{}\", shape=note];", lines.concat());
    let _ = writeln!(out, "  n{n} -> r{r} [style=dotted, dir=none];");
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

/// A text as a label: wraps behind `;` and before `||` and `&&`, else at spaces; cuts, escapes; every line is left-aligned, if there are several.
pub fn label(text: &str) -> String {
    let mut lines = vec![String::new()];
    let mut width = 0;
    let mut put = |piece: &str| {
        let n = piece.chars().count();
        if width > 0 && width + 1 + n > LINE {
            lines.push(String::new());
            width = 0;
        }
        let line = lines.last_mut().expect("never empty");
        if width > 0 {
            line.push(' ');
        }
        line.push_str(piece);
        width += n + 1;
        lines.len() <= LINES
    };
    let words: Vec<&str> = text.split(' ').collect();
    let mut rest = &words[..];
    'pieces: while !rest.is_empty() {
        let end = (1..rest.len()).find(|&i| rest[i - 1] == ";" || matches!(rest[i], "||" | "&&"));
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        let whole = piece.join(" ");
        if whole.chars().count() <= LINE {
            if !put(&whole) {
                break;
            }
            continue;
        }
        for word in piece {
            // A word that is longer than two lines is cut.
            let cut = word.char_indices().nth(2 * LINE).map(|(at, _)| format!("{}…", &word[..at]));
            if !put(cut.as_deref().unwrap_or(word)) {
                break 'pieces;
            }
        }
    }
    if let [one] = &lines[..] {
        return escape(one);
    }
    if lines.len() > LINES {
        lines[LINES] = "…".into();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;
    use crate::testing::{Build, figure_2};
    use craig_base::Budget;
    use insta::assert_snapshot;

    #[test]
    fn the_second_figure_of_lbe() {
        let program = figure_2();
        let graph = BlockGraph::new(&program, Blocks::Large, &Budget::unlimited()).expect("no limit");
        assert_snapshot!(blocks(&program, &graph), @r#"
        digraph program {
          node [fontname="monospace", fontsize=10, shape=circle];
          edge [fontname="monospace", fontsize=9];
          subgraph cluster_0 {
            label="main";
            n1 [label="L1", shape=house];
            n2 [label="L2", shape=invhouse];
            n3 [label="L3", shape=doublecircle];
          }
          n0 [label="ERROR", shape=octagon, style=filled, fillcolor=lightpink];
          n1 -> n3 [label="skip"];
          n3 -> n3 [label="[0 < i] ; ([x == 1] ; z = 0 || [x != 1] ;\lz = 1) ; i = i - 1\l"];
          n3 -> n2 [label="[!(0 < i)] ; return 0"];
        }
        "#);
    }

    #[test]
    fn labels_are_wrapped_cut_and_escaped() {
        let mut b = Build::new();
        let name = "a\"\\b".to_string() + &" word".repeat(200) + &"x".repeat(500);
        let (entry, l) = (b.entry(), b.loc());
        b.edge(entry, l, Op::Unsupported(name.into()));
        let shown = dot(&b.program);
        let line = shown.lines().find(|l| l.contains("->")).expect("an edge");
        assert!(line.contains(r#"a\"\\b word"#), "{line}");
        assert!(line.ends_with(r#"…\l", color=orange];"#), "{line}");
        assert!(line.len() < 1000, "{line}");
    }
}
