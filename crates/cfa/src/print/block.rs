//! Blocks as text: `op1 ; op2` and `op1 || op2` as in LBE, linear in the size of the region.
//!
//! The graph of a region is reduced: a node with one edge in and one out joins them with `;`, parallel edges join with
//! `||`. Structured code reduces to one expression. What remains is printed from the entry to each exit; a node that several
//! edges leave gets a name `R2.7` (node 7 of region 2) and its own line, so that everything is printed once.

use super::Printer;
use crate::blocks::{Region, RegionId};
use std::fmt::Write;

/// Longest text on one line.
const WIDTH: u32 = 90;
/// Indentation does not grow beyond this.
const DEEPEST: usize = 40;

#[derive(Debug, Clone, Copy)]
struct Id(u32);

#[derive(Debug)]
enum Kind {
    Op(String),
    Name(u32),
    Seq(Id, Id),
    Alt(Vec<Id>),
}

#[derive(Debug)]
struct Text {
    kind: Kind,
    /// Characters on one line.
    width: u32,
    /// The first operation, to keep the order of the program.
    first: u32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    from: u32,
    text: Id,
}

/// The texts of one region.
#[derive(Debug)]
pub(super) struct Texts<'a> {
    region: &'a Region,
    id: RegionId,
    arena: Vec<Text>,
    /// For exits and named nodes: the paths from the entry or from named nodes.
    of: Vec<Option<Id>>,
    named: Vec<u32>,
}

impl<'a> Texts<'a> {
    pub fn new(printer: &Printer<'_>, id: RegionId, region: &'a Region) -> Self {
        let nodes = region.nodes();
        let mut texts = Texts { region, id, arena: Vec::new(), of: vec![None; nodes], named: Vec::new() };
        let mut links: Vec<Vec<Link>> = vec![Vec::new(); nodes];
        let mut out_degree = vec![0u32; nodes];
        for (i, edge) in region.edges.iter().enumerate() {
            let op = printer.op(&printer.program.edges[edge.edge].op);
            let width = op.chars().count() as u32;
            let text = texts.add(Kind::Op(op), width, i as u32);
            links[edge.to as usize].push(Link { from: edge.from, text });
            out_degree[edge.from as usize] += 1;
        }
        texts.reduce(&mut links, &mut out_degree);
        texts.assemble(&links, &out_degree);
        texts
    }

    fn add(&mut self, kind: Kind, width: u32, first: u32) -> Id {
        self.arena.push(Text { kind, width, first });
        Id(self.arena.len() as u32 - 1)
    }

    fn text(&self, id: Id) -> &Text {
        &self.arena[id.0 as usize]
    }

    /// Width with the parentheses that alternatives need inside a sequence.
    fn part_width(&self, id: Id) -> u32 {
        let text = self.text(id);
        text.width.saturating_add(if matches!(text.kind, Kind::Alt(_)) { 2 } else { 0 })
    }

    fn seq(&mut self, a: Id, b: Id) -> Id {
        let width = self.part_width(a).saturating_add(3).saturating_add(self.part_width(b));
        let first = self.text(a).first;
        self.add(Kind::Seq(a, b), width, first)
    }

    fn alt(&mut self, mut parts: Vec<Id>) -> Id {
        if let [one] = parts[..] {
            return one;
        }
        parts.sort_by_key(|&p| self.text(p).first);
        let width = parts.iter().fold(0u32, |sum, &p| sum.saturating_add(self.text(p).width + 4)) - 4;
        let first = self.text(parts[0]).first;
        self.add(Kind::Alt(parts), width, first)
    }

    /// Joins parallel edges and cuts out nodes with one edge in and one out, node by node in topological order.
    fn reduce(&mut self, links: &mut [Vec<Link>], out_degree: &mut [u32]) {
        const NONE: usize = usize::MAX;
        // Where the edges that come from a node are collected.
        let mut slot = vec![NONE; links.len()];
        for node in 1..links.len() {
            let mut groups: Vec<(u32, Vec<Id>)> = Vec::new();
            let mut todo = std::mem::take(&mut links[node]);
            todo.reverse();
            while let Some(mut link) = todo.pop() {
                while let from = link.from as usize
                    && from != 0
                    && out_degree[from] == 1
                    && let [before] = links[from][..]
                {
                    link = Link { from: before.from, text: self.seq(before.text, link.text) };
                    links[from].clear();
                    out_degree[from] = 0;
                }
                let from = link.from as usize;
                if slot[from] == NONE {
                    slot[from] = groups.len();
                    groups.push((link.from, vec![link.text]));
                    continue;
                }
                let group = &mut groups[slot[from]].1;
                group.push(link.text);
                out_degree[from] -= 1;
                if out_degree[from] == 1 && from != 0 {
                    // All that leaves that node comes here: perhaps it can be cut out now.
                    let parts = std::mem::take(group);
                    slot[from] = NONE;
                    let text = self.alt(parts);
                    todo.push(Link { from: link.from, text });
                }
            }
            for (from, parts) in groups.into_iter().filter(|(_, parts)| !parts.is_empty()) {
                slot[from as usize] = NONE;
                let text = self.alt(parts);
                links[node].push(Link { from, text });
            }
        }
    }

    /// Puts the remaining edges together, each used once.
    fn assemble(&mut self, links: &[Vec<Link>], out_degree: &[u32]) {
        let inner = self.region.inner.len() as u32;
        // How control gets to a node from the entry: nothing to say for the entry itself.
        let mut way: Vec<Option<Id>> = vec![None; links.len()];
        for node in 1..links.len() {
            if links[node].is_empty() {
                continue;
            }
            let parts = links[node]
                .iter()
                .map(|link| match way[link.from as usize] {
                    Some(before) => self.seq(before, link.text),
                    None => link.text,
                })
                .collect();
            let text = self.alt(parts);
            if node as u32 >= inner {
                self.of[node] = Some(text);
            } else if out_degree[node] > 1 {
                self.of[node] = Some(text);
                self.named.push(node as u32);
                let width = self.name(node as u32).len() as u32;
                let first = self.text(text).first;
                way[node] = Some(self.add(Kind::Name(node as u32), width, first));
            } else {
                way[node] = Some(text);
            }
        }
    }

    /// Nodes with a line of their own, in topological order.
    pub fn named(&self) -> impl Iterator<Item = u32> + '_ {
        self.named.iter().copied()
    }

    pub fn name(&self, node: u32) -> String {
        format!("R{}.{node}", self.id.index())
    }

    pub fn flat(&self, node: u32) -> String {
        let mut out = String::new();
        if let Some(root) = self.of[node as usize] {
            self.print(&mut out, root, 0, true);
        }
        out
    }

    /// `head text line`, on several lines where one is too long.
    pub fn lines(&self, out: &mut String, node: u32, head: &str, line: &str) {
        out.push_str(head);
        if let Some(root) = self.of[node as usize] {
            if self.text(root).width <= WIDTH {
                out.push(' ');
                self.print(out, root, 0, true);
                out.push_str(line);
            } else {
                out.push_str(line);
                out.push_str("\n      ");
                self.print(out, root, 6, false);
            }
        }
        out.push('\n');
    }

    fn print(&self, out: &mut String, root: Id, indent: usize, flat: bool) {
        enum Item {
            Part(Id, usize, bool),
            /// In a sequence: alternatives take parentheses.
            Inside(Id, usize, bool),
            Str(&'static str),
            Break(usize),
        }
        let mut stack = vec![Item::Part(root, indent, flat)];
        while let Some(item) = stack.pop() {
            match item {
                Item::Str(s) => out.push_str(s),
                Item::Break(n) => {
                    let _ = write!(out, "\n{:1$}", "", n.min(DEEPEST));
                }
                Item::Inside(id, n, flat) => {
                    let sequence = matches!(self.text(id).kind, Kind::Seq(..));
                    let flat = flat || !sequence && self.part_width(id) <= WIDTH;
                    match self.text(id).kind {
                        Kind::Alt(_) if flat => {
                            stack.extend([Item::Str(")"), Item::Part(id, n, flat), Item::Str("(")]);
                        }
                        Kind::Alt(_) => stack.extend([
                            Item::Str(")"),
                            Item::Break(n),
                            Item::Part(id, n + 3, flat),
                            Item::Str("(  "),
                        ]),
                        _ => stack.push(Item::Part(id, n, flat)),
                    }
                }
                Item::Part(id, n, flat) => match &self.text(id).kind {
                    Kind::Op(op) => out.push_str(op),
                    Kind::Name(node) => out.push_str(&self.name(*node)),
                    Kind::Seq(a, b) => {
                        stack.push(Item::Inside(*b, n, flat));
                        if flat {
                            stack.push(Item::Str(" ; "));
                        } else {
                            stack.extend([Item::Break(n), Item::Str(" ;")]);
                        }
                        stack.push(Item::Inside(*a, n, flat));
                    }
                    Kind::Alt(parts) => {
                        for (i, &part) in parts.iter().enumerate().rev() {
                            let fits = flat || self.text(part).width <= WIDTH;
                            stack.push(Item::Part(part, n, fits));
                            if i > 0 && flat {
                                stack.push(Item::Str(" || "));
                            } else if i > 0 {
                                stack.extend([Item::Str("|| "), Item::Break(n.saturating_sub(3))]);
                            }
                        }
                    }
                },
            }
        }
    }
}
