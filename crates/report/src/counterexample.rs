//! Runs as source lines with the values that changed.

use crate::value::{address, show};
use craig_base::Source;
use craig_cfa::interp::{Run, Step, Target, Value};
use craig_cfa::print::Printer;
use craig_cfa::{Choice, EdgeId, Name, Op, Program, VarKind};
use craig_encode::memory::ObjectKey;
use craig_verdict::Violation;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt::Write;

/// Rows of a counterexample that are shown when not all are wanted: from its start, and before the error.
const FIRST: usize = 30;
const LAST: usize = 50;

/// Where an object lies, in a program that looks at addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub object: String,
    pub address: String,
}

/// Where the execution needs objects to lie.
pub fn places(program: &Program, violation: &Violation) -> Vec<Place> {
    let name = |key: &ObjectKey| match key {
        ObjectKey::Var(var, _) => Some(program.vars.get(*var)?.name.to_string()),
        ObjectKey::Alloc(edge, _) => {
            let line = program.source.line(program.edges.get(*edge)?.span);
            Some(format!("what line {line} allocates"))
        }
        ObjectKey::Proc(_) => None,
    };
    let placed = violation.places.iter();
    let named = placed.filter_map(|p| Some((name(&p.object.as_ref()?.0)?, p.address)));
    named.map(|(object, address)| Place { object, address: format!("{address:#x}") }).collect()
}

/// The same as a line of text; none if it does not matter.
pub fn places_text(program: &Program, violation: &Violation) -> String {
    let places: Vec<String> =
        places(program, violation).iter().map(|p| format!("{} at {}", p.object, p.address)).collect();
    if places.is_empty() { String::new() } else { format!("Where objects lie: {}\n", places.join(", ")) }
}

/// One source line of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    pub line: u32,
    /// Calls that are open, from the entry on.
    pub depth: usize,
    pub text: String,
    /// What changed there: `x = 3`.
    pub values: Vec<String>,
    /// The function that the line is in.
    #[serde(skip)]
    pub function: Name,
    /// Those of the values that are parameters of a call.
    #[serde(skip)]
    pub arguments: Vec<String>,
    /// The edges that were taken there.
    #[serde(skip)]
    pub edges: Vec<EdgeId>,
}

/// The run as source lines with the values that changed, calls indented. Frames that repeat and the middle of a long run are left out unless
/// `all` is wanted.
pub fn text(program: &Program, run: &Run, all: bool) -> String {
    render(rows(program, run), all, run.trace.dropped)
}

/// The run as source lines with the values that changed.
pub fn rows(program: &Program, run: &Run) -> Vec<Row> {
    let printer = Printer::new(program);
    let mut rows: Vec<Row> = Vec::new();
    let ours = |step: &&Step| program.locs[program.edges[step.edge].from].proc != program.entry;
    let outermost = run.trace.steps.iter().filter(ours).filter(|s| written(program, s));
    let outermost = outermost.map(|s| s.depth).min().unwrap_or(0);
    for step in run.trace.steps.iter().filter(|step| written(program, step)) {
        let edge = &program.edges[step.edge];
        let line = program.source.line(edge.span);
        let depth = step.depth.saturating_sub(outermost);
        let values = changes(program, &printer, step);
        let arguments = if matches!(edge.op, Op::Call(_)) { values.clone() } else { Vec::new() };
        match rows.last_mut() {
            Some(row) if row.line == line && row.depth == depth => {
                row.values.extend(values);
                row.arguments.extend(arguments);
                row.edges.push(step.edge);
            }
            _ => {
                let function = program.procs[program.locs[edge.from].proc].name.clone();
                let (text, edges) = (line_text(&program.source, edge.span), vec![step.edge]);
                rows.push(Row { line, depth, text, values, arguments, function, edges });
            }
        }
    }
    rows.iter_mut().for_each(|row| row.values = merge(&row.values));
    rows
}

/// Is it code that somebody wrote? A call from outside counts if it has arguments.
fn written(program: &Program, step: &Step) -> bool {
    let edge = &program.edges[step.edge];
    let ours = program.locs[edge.from].proc != program.entry;
    let given = matches!(edge.op, Op::Call(_)) && !step.writes.is_empty();
    (ours || given) && edge.span.end > edge.span.start
}

/// What the text asserts that does not hold at the end of the run: "assertion `x != 3` failed".
pub fn failed(program: &Program, run: &Run) -> Option<String> {
    let last = &program.edges[run.trace.steps.back()?.edge];
    let (_, text) = program.asserted.iter().find(|(span, _)| *span == last.span)?;
    let text: Vec<&str> = text.split_whitespace().collect();
    Some(format!("assertion `{}` failed", text.join(" ")))
}

/// The same as a line of text, if there is something to say.
pub fn failed_text(program: &Program, run: &Run) -> String {
    let at = run.trace.steps.back().map_or(0, |step| program.source.line(program.edges[step.edge].span));
    failed(program, run).map_or_else(String::new, |what| format!("  {what} (line {at})\n"))
}

fn line_text(source: &Source, span: craig_base::Span) -> String {
    let (text, _) = source.line_text(span);
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(100).collect()
}

fn changes(program: &Program, printer: &Printer<'_>, step: &Step) -> Vec<String> {
    let op = &program.edges[step.edge].op;
    let mut changes = Vec::new();
    for write in &step.writes {
        let (name, ty) = match write.target {
            Target::Var(var) => (printer.var(var).to_string(), program.vars[var].ty),
            Target::Place(place) => {
                let ty = program.exprs.place(place).ty;
                let root = program.exprs.root_var(place);
                if root.is_some_and(|var| program.vars[var].kind == VarKind::Temp) {
                    match op {
                        Op::Havoc(_, Choice::Nondet(function) | Choice::Extern(function)) => {
                            (format!("{function}()"), ty)
                        }
                        // The value of a call within an expression.
                        Op::Return(Some(_)) => {
                            changes.extend(show(program, ty, &write.value).map(|v| format!("returns {v}")));
                            continue;
                        }
                        _ => continue,
                    }
                } else {
                    (printer.place(place), ty)
                }
            }
        };
        let leads = write.points.map(|points| address(program, points, ty));
        if let Some(value) = leads.or_else(|| show(program, ty, &write.value)) {
            changes.push(format!("{name} = {value}"));
        }
    }
    changes
}

/// The rows that are shown, and how many were left out behind the first ones.
pub fn shown<T>(mut rows: Vec<T>, all: bool) -> (Vec<T>, usize) {
    let left_out = if all { 0 } else { rows.len().saturating_sub(FIRST + LAST) };
    if left_out > 0 {
        rows.drain(FIRST..FIRST + left_out);
    }
    (rows, left_out)
}

/// A line of a counterexample.
enum Entry {
    Row(Row),
    /// Frames like those around it, one in the other.
    Folded {
        depth: usize,
        text: String,
    },
}

/// So many equal frames in a row are shown one by one.
const FRAMES: usize = 4;
/// Rows of a frame, or of several that call each other in turn, that are compared.
const FRAME_ROWS: usize = 16;

/// Of frames that repeat (the same lines, each time so many calls deeper, or so many less deep) the first and the last.
fn fold(rows: Vec<Row>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rows = VecDeque::from(rows);
    while !rows.is_empty() {
        let found = (1..=FRAME_ROWS).map(|period| (period, repeated(&rows, period)));
        let often = found.filter(|(_, times)| *times >= FRAMES);
        // Of equally long repetitions the one of the shortest frame.
        let Some((period, times)) = often.rev().max_by_key(|(period, times)| period * times) else {
            entries.extend(rows.pop_front().map(Entry::Row));
            continue;
        };
        let deeper = rows[period].depth > rows[0].depth;
        let mut names: Vec<Name> = Vec::new();
        for row in rows.iter().take(period) {
            if !names.contains(&row.function) {
                names.push(row.function.clone());
            }
        }
        entries.extend(rows.drain(..period).map(Entry::Row));
        let depth = rows[0].depth;
        rows.drain(..period * (times - 1));
        let what = if deeper { "calls of" } else { "returns from" };
        let text = format!("... {} more {what} {} (-v shows all)", times - 1, names.join(", "));
        entries.push(Entry::Folded { depth, text });
        entries.extend(rows.drain(..period).map(Entry::Row));
    }
    entries
}

/// How often the first so many rows come again, at once and each time by the same number of calls deeper or less deep.
fn repeated(rows: &VecDeque<Row>, period: usize) -> usize {
    let Some(next) = rows.get(period) else { return 0 };
    let shift = next.depth as isize - rows[0].depth as isize;
    if shift == 0 {
        return 0;
    }
    let again = |(old, new): &(&Row, &Row)| {
        new.line == old.line
            && new.function == old.function
            && new.depth as isize - old.depth as isize == shift
    };
    rows.iter().zip(rows.iter().skip(period)).take_while(again).count() / period
}

fn render(rows: Vec<Row>, all: bool, dropped: u64) -> String {
    let mut out = String::new();
    let digits = rows.iter().map(|r| r.line).max().unwrap_or(0).to_string().len().max(3);
    let entries = if all { rows.into_iter().map(Entry::Row).collect() } else { fold(rows) };
    let (entries, left_out) = shown(entries, all);
    let columns = |entry: &Entry| match entry {
        Entry::Row(r) => r.text.chars().count() + 2 * r.depth,
        Entry::Folded { .. } => 0,
    };
    let width = entries.iter().map(columns).max().unwrap_or(0).clamp(20, 60);
    if dropped > 0 {
        let _ = writeln!(out, "  ... {dropped} earlier steps");
    }
    for (i, entry) in entries.iter().enumerate() {
        if i == FIRST && left_out > 0 {
            let _ = writeln!(out, "  ... {left_out} lines left out (-v shows all)");
        }
        let indent = |depth: usize| "  ".repeat(depth.min(30));
        let row = match entry {
            Entry::Row(row) => row,
            Entry::Folded { depth, text } => {
                let _ = writeln!(out, "  {:>digits$} | {}{text}", "", indent(*depth));
                continue;
            }
        };
        let text = format!("{}{}", indent(row.depth), row.text);
        let values = row.values.join(", ");
        let line = format!("  {:>digits$} | {text:<width$}", row.line);
        let line = if values.is_empty() { line } else { format!("{line} | {values}") };
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The last value of each name, in order.
fn merge(values: &[String]) -> Vec<String> {
    let name = |value: &str| value.split(" = ").next().unwrap_or("").to_string();
    let mut merged: Vec<&String> = Vec::new();
    for value in values {
        merged.retain(|old| name(old) != name(value) || name(value).ends_with("()"));
        merged.push(value);
    }
    merged.into_iter().cloned().collect()
}

/// What the nondeterministic functions returned, in order.
pub fn nondet_values(program: &Program, run: &Run) -> Vec<String> {
    let steps = run.trace.steps.iter();
    let chosen = steps.filter(|s| matches!(program.edges[s.edge].op, Op::Havoc(_, Choice::Nondet(_))));
    chosen
        .flat_map(|step| &step.writes)
        .filter_map(|write| match (write.target, &write.value) {
            (Target::Place(place), value) => show_plain(program, program.exprs.place(place).ty, value),
            (Target::Var(var), value) => show_plain(program, program.vars[var].ty, value),
        })
        .collect()
}

fn show_plain(program: &Program, ty: craig_cfa::TypeId, value: &Value) -> Option<String> {
    show(program, ty, value).map(|text| if text == "NULL" { "0".into() } else { text })
}
