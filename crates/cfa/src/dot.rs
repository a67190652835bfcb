//! The program as a picture for Graphviz.
//!
//! One cluster per procedure; the entry is a house, the exit an inverted one, the error a red octagon, loop heads are double circles.
//! Calls that remain are drawn bold. Labels are wrapped and cut when they grow long. Nodes of a block that its text names are explained in
//! a note beside the location where it begins.

use crate::graph;
use crate::print::Printer;
use crate::program::{LocId, Op, Program, RegionId};
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
        "digraph program {\n  node [fontname=\"monospace\", fontsize=10, shape=circle];\n  edge [fontname=\"monospace\", fontsize=9];\n",
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
        "  n{} [label=\"ERROR\", shape=octagon, style=filled, fillcolor=lightpink];",
        error.index()
    );
    // The texts of the blocks that leave one location belong together.
    let mut texts = None;
    for edge in &program.edges {
        let style = match edge.op {
            Op::Call(_) => ", style=bold",
            Op::Unsupported(_) => ", color=orange",
            _ => "",
        };
        let text = match edge.op {
            Op::Block(id) => {
                let block = program.blocks[id];
                if texts.as_ref().is_none_or(|(region, _)| *region != block.region) {
                    let (named, exits) = printer.region_texts(block.region);
                    note(&mut out, block.region, edge.from, &named);
                    texts = Some((block.region, exits));
                }
                let exit = block.exit - program.regions[block.region].inner;
                texts.as_ref().map_or("", |(_, exits)| &exits[exit as usize]).to_string()
            }
            _ => printer.op(&edge.op),
        };
        let (from, to) = (edge.from.index(), edge.to.index());
        let _ = writeln!(out, "  n{from} -> n{to} [label=\"{}\"{style}];", label(&text));
    }
    out.push_str("}\n");
    out
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

/// Wraps behind `;` and before `||` and `&&`, else at spaces; cuts, escapes; every line is left-aligned.
fn label(text: &str) -> String {
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
    use crate::testing::{Build, figure_2};
    use insta::assert_snapshot;

    #[test]
    fn the_second_figure_of_document_003() {
        assert_snapshot!(dot(&crate::pass::summarise(&figure_2())), @r#"
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
