//! The program as text: what people and snapshot tests look at.
//!
//! ```text
//! global x: i32
//!
//! proc main(argc: i32) -> i32    // entry L1, exit L2
//!   local i: i32
//!   L1 -> L3: i = 0    // line 3
//!   L3 -> L4: [i < argc]    // line 4
//! loop:
//!   L4 -> ERROR: skip
//! ```
//!
//! Expressions print as in C with the fewest parentheses. Types: `i32`, `u8` (signed and unsigned integers of a width), `bool`
//! (truth values), `f64`, `T*`, `T[10]`, records by their name, `int`, `real` and `[int]bool` in Boogie. An assumption is
//! `[e]` as in LBE. Arbitrary values: `nondet()`, `uninit`, `extern f()`, `entry()`, `asm`. Blocks print with `;` and `||`,
//! see [`block`].
//!
//! A variable prints with its name; the second and later ones of that name in one scope print as `name@2`, `name@3`. Text
//! of one expression is cut at [`EXPR_LIMIT`] characters, because expressions are shared and may be exponentially larger as text.

pub mod block;
pub mod expr;

use crate::blocks::{BlockGraph, Region, RegionId};
use crate::expr::{ExprId, PlaceId};
use crate::program::{Choice, Halt, LocId, Op, ProcId, Program, VarId};
use crate::types::{RecordId, RecordKind, Type, TypeId};
use craig_base::Span;
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// Characters of one expression that are printed.
pub const EXPR_LIMIT: usize = 2000;
/// How deep the text of a type goes.
const TYPE_DEPTH: u32 = 30;

/// Prints parts of one program. Making it takes time linear in the number of variables; keep it for many texts.
#[derive(Debug)]
pub struct Printer<'a> {
    pub(crate) program: &'a Program,
    names: IndexVec<VarId, String>,
}

impl Program {
    pub fn expr_text(&self, e: ExprId) -> String {
        Printer::new(self).expr(e)
    }

    pub fn place_text(&self, p: PlaceId) -> String {
        Printer::new(self).place(p)
    }

    pub fn op_text(&self, op: &Op) -> String {
        Printer::new(self).op(op)
    }

    pub fn type_text(&self, ty: TypeId) -> String {
        Printer::type_of(self, ty, TYPE_DEPTH)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self).program())
    }
}

impl<'a> Printer<'a> {
    pub fn new(program: &'a Program) -> Self {
        Printer { program, names: names(program) }
    }

    /// A name that no other variable of the same scope has.
    pub fn var(&self, var: VarId) -> &str {
        self.names.get(var).map_or("?", String::as_str)
    }

    pub fn loc(&self, loc: LocId) -> String {
        if loc == self.program.error { "ERROR".into() } else { format!("L{}", loc.index()) }
    }

    pub fn ty(&self, ty: TypeId) -> String {
        Self::type_of(self.program, ty, TYPE_DEPTH)
    }

    fn type_of(program: &Program, ty: TypeId, depth: u32) -> String {
        if depth == 0 {
            return "…".into();
        }
        let part = |ty: TypeId| Self::type_of(program, ty, depth - 1);
        let list = |tys: &[TypeId]| tys.iter().map(|&t| part(t)).collect::<Vec<_>>().join(", ");
        match program.types.get(ty) {
            Type::Void => "void".into(),
            Type::Bool => "bool".into(),
            Type::Int(int) => format!("{}{}", if int.signed { 'i' } else { 'u' }, int.width),
            Type::Float(float) => format!("{float:?}").to_lowercase(),
            Type::Ptr(to) => format!("{}*", part(*to)),
            Type::Array { elem, len } => {
                format!("{}[{}]", part(*elem), len.map_or(String::new(), |n| n.to_string()))
            }
            Type::Record(r) => record_name(program, *r),
            Type::Func(f) => {
                let dots = if f.variadic { ", ..." } else { "" };
                format!("fn({}{dots}) -> {}", list(&f.params), part(f.ret))
            }
            Type::MathInt => "int".into(),
            Type::MathReal => "real".into(),
            Type::Map { index, elem } => format!("[{}]{}", list(index), part(*elem)),
            Type::Opaque(name) => name.to_string(),
        }
    }

    pub fn op(&self, op: &Op) -> String {
        let e = |id: &ExprId| self.expr(*id);
        let p = |id: &PlaceId| self.place(*id);
        let list = |ids: &[ExprId]| ids.iter().map(e).collect::<Vec<_>>().join(", ");
        let to =
            |place: Option<PlaceId>| place.map_or(String::new(), |place| format!("{} = ", self.place(place)));
        match op {
            Op::Skip => "skip".into(),
            Op::Assume(c) => format!("[{}]", e(c)),
            Op::Assign(place, value) => format!("{} = {}", p(place), e(value)),
            Op::Havoc(place, choice) => {
                let value = match choice {
                    Choice::Nondet(_) => "nondet()".into(),
                    Choice::Uninit => "uninit".into(),
                    Choice::Extern(name) => format!("extern {name}()"),
                    Choice::Entry => "entry()".into(),
                    Choice::Asm => "asm".into(),
                    Choice::Way => "*".into(),
                };
                format!("{} = {value}", p(place))
            }
            Op::Call(call) => format!("{}{}({})", to(call.ret), self.proc_name(call.proc), list(&call.args)),
            Op::Return(None) => "return".into(),
            Op::Return(Some(value)) => format!("return {}", e(value)),
            Op::Alloc { dst, size, zero, stack, .. } => {
                let name = if *stack { "alloca" } else { "alloc" };
                let zero = if *zero { "_zero" } else { "" };
                format!("{} = {name}{zero}({})", p(dst), e(size))
            }
            Op::Realloc { dst, ptr, size } => format!("{} = realloc({}, {})", p(dst), e(ptr), e(size)),
            Op::Free(ptr) => format!("free({})", e(ptr)),
            Op::MemSet { dst, byte, len } => format!("memset({}, {}, {})", e(dst), e(byte), e(len)),
            Op::MemCopy { dst, src, len, may_overlap } => {
                let name = if *may_overlap { "memmove" } else { "memcpy" };
                format!("{name}({}, {}, {})", e(dst), e(src), e(len))
            }
            Op::Output(out) => format!("{}{}({})", to(out.ret), out.function, list(&out.args)),
            Op::Halt(Halt::Exit(status)) => format!("exit({})", e(status)),
            Op::Halt(Halt::Abort) => "abort()".into(),
            Op::Halt(Halt::Undefined(what)) => format!("undefined({what})"),
            Op::Unsupported(what) => format!("unsupported: {what}"),
            Op::Deeper(proc) => format!("deeper: {}", self.proc_name(*proc)),
        }
    }

    pub(crate) fn proc_name(&self, proc: ProcId) -> &str {
        self.program.procs.get(proc).map_or("?", |p| &p.name)
    }

    /// The named nodes of a region, each with its text, and the texts of its exits.
    pub(crate) fn region_texts(&self, id: RegionId, region: &Region) -> (Vec<String>, Vec<String>) {
        let texts = block::Texts::new(self, id, region);
        let named = texts.named().map(|n| format!("{} = {}", texts.name(n), texts.flat(n))).collect();
        let exits = (region.inner.len()..region.nodes()).map(|n| texts.flat(n as u32)).collect();
        (named, exits)
    }

    /// `    // line 12`, or nothing for what has no place in the text.
    fn line(&self, span: Span) -> String {
        if span == Span::default() {
            return String::new();
        }
        format!("    // line {}", self.program.source.line(span))
    }

    /// The whole program.
    pub fn program(&self) -> String {
        let program = self.program;
        let mut edges = index_vec![Vec::new(); program.procs.len()];
        for (id, edge) in program.edges.iter_enumerated() {
            edges[program.locs[edge.from].proc].push(id);
        }
        self.procs(|out, proc| {
            let mut edges = std::mem::take(&mut edges[proc]);
            edges.sort_by_key(|&e| (program.edges[e].from, e));
            let mut last = None;
            for edge in edges.iter().map(|e| &program.edges[*e]) {
                self.label(out, &mut last, edge.from);
                let (from, to) = (self.loc(edge.from), self.loc(edge.to));
                let _ = writeln!(out, "  {from} -> {to}: {}{}", self.op(&edge.op), self.line(edge.span));
            }
        })
    }

    /// The program as a graph of blocks.
    pub fn blocks(&self, graph: &BlockGraph) -> String {
        let program = self.program;
        let mut regions = index_vec![Vec::new(); program.procs.len()];
        for (id, region) in graph.regions().iter_enumerated() {
            regions[program.locs[region.head()].proc].push(id);
        }
        self.procs(|out, proc| {
            let mut regions = std::mem::take(&mut regions[proc]);
            regions.sort_by_key(|r| (graph.region(*r).head(), *r));
            let mut last = None;
            for (id, region) in regions.iter().map(|r| (*r, graph.region(*r))) {
                self.label(out, &mut last, region.head());
                let texts = block::Texts::new(self, id, region);
                for node in texts.named() {
                    texts.lines(out, node, &format!("  {} =", texts.name(node)), "");
                }
                let line = self.line(program.edges[region.edges[0].edge].span);
                for (i, to) in region.exits.iter().enumerate() {
                    let head = format!("  {} -> {}:", self.loc(region.head()), self.loc(*to));
                    texts.lines(out, (region.inner.len() + i) as u32, &head, &line);
                }
            }
        })
    }

    /// Globals, and procedures with what `code` says of them. What was inlined everywhere has nothing left to show.
    fn procs(&self, mut code: impl FnMut(&mut String, ProcId)) -> String {
        let program = self.program;
        let mut out = String::new();
        for (id, var) in program.vars.iter_enumerated().filter(|(_, v)| v.proc.is_none()) {
            let at = if var.address_taken { " (address taken)" } else { "" };
            let _ = writeln!(out, "global {}: {}{at}", self.var(id), self.ty(var.ty));
        }
        for id in program.procs.indices() {
            let mut lines = String::new();
            code(&mut lines, id);
            if lines.is_empty() && id != program.entry {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            self.head(&mut out, id);
            out.push_str(&lines);
        }
        out
    }

    fn head(&self, out: &mut String, id: ProcId) {
        let proc = &self.program.procs[id];
        let mut params: Vec<String> = proc
            .params
            .iter()
            .map(|&p| format!("{}: {}", self.var(p), self.ty(self.program.vars[p].ty)))
            .collect();
        if proc.variadic {
            params.push("...".into());
        }
        let _ = writeln!(
            out,
            "proc {}({}) -> {}    // entry {}, exit {}",
            proc.name,
            params.join(", "),
            self.ty(proc.ret),
            self.loc(proc.entry),
            self.loc(proc.exit)
        );
        for &local in proc.locals.iter().filter(|l| !proc.params.contains(l)) {
            let var = &self.program.vars[local];
            let at = if var.address_taken { " (address taken)" } else { "" };
            let _ = writeln!(out, "  local {}: {}{at}", self.var(local), self.ty(var.ty));
        }
    }

    /// The label of a location, before the first line about it.
    fn label(&self, out: &mut String, last: &mut Option<LocId>, loc: LocId) {
        if last.replace(loc) != Some(loc)
            && let Some(label) = &self.program.locs[loc].label
        {
            let _ = writeln!(out, "{label}:");
        }
    }
}

fn record_name(program: &Program, id: RecordId) -> String {
    let Some(record) = program.types.records.get(id) else { return "?".into() };
    if !record.name.is_empty() {
        return record.name.to_string();
    }
    let kind = match record.kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    };
    format!("{kind}#{}", id.index())
}

fn names(program: &Program) -> IndexVec<VarId, String> {
    let mut count: FxHashMap<(Option<ProcId>, &str), u32> = FxHashMap::default();
    let mut names = index_vec![String::new(); program.vars.len()];
    let globals = program.vars.iter_enumerated().filter(|(_, v)| v.proc.is_none());
    let locals = program.vars.iter_enumerated().filter(|(_, v)| v.proc.is_some());
    for (id, var) in globals.chain(locals) {
        let name: &str = if var.name.is_empty() { "tmp" } else { &var.name };
        let above = match var.proc {
            Some(_) => count.get(&(None, name)).copied().unwrap_or(0),
            None => 0,
        };
        let n = count.entry((var.proc, name)).or_insert(above);
        *n += 1;
        names[id] = if *n == 1 { name.to_string() } else { format!("{name}@{n}") };
    }
    names
}

#[cfg(test)]
mod tests;
