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
//! `[e]` as in document 003. Arbitrary values: `nondet()`, `uninit`, `extern f()`, `entry()`, `asm`. Blocks print with `;` and `||`,
//! see [`block`].
//!
//! A variable prints with its name; the second and later ones of that name in one scope print as `name@2`, `name@3`. Text
//! of one expression is cut at [`EXPR_LIMIT`] characters, because expressions are shared and may be exponentially larger as text.

pub mod block;
pub mod expr;

use crate::expr::{ExprId, PlaceId};
use crate::program::{BlockId, Choice, Edge, Halt, LocId, Op, ProcId, Program, RegionId, VaOp, VarId};
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
            Op::Alloc { dst, size, zero, stack } => {
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
            Op::VarArgs(va) => match &**va {
                VaOp::Start { list } => format!("va_start({})", p(list)),
                VaOp::Arg { list, dst } => format!("{} = va_arg({})", p(dst), p(list)),
                VaOp::Copy { dst, src } => format!("va_copy({}, {})", p(dst), p(src)),
                VaOp::End { list } => format!("va_end({})", p(list)),
            },
            Op::Halt(Halt::Exit(status)) => format!("exit({})", e(status)),
            Op::Halt(Halt::Abort) => "abort()".into(),
            Op::Halt(Halt::Undefined(what)) => format!("undefined({what})"),
            Op::Unsupported(what) => format!("unsupported: {what}"),
            Op::Block(id) => self.block_flat(*id),
        }
    }

    pub(crate) fn proc_name(&self, proc: ProcId) -> &str {
        self.program.procs.get(proc).map_or("?", |p| &p.name)
    }

    /// All paths of a block on one line. Nodes with a line of their own appear by name.
    fn block_flat(&self, id: BlockId) -> String {
        let block = self.program.blocks[id];
        block::Texts::new(self, block.region).flat(block.exit)
    }

    /// The named nodes of a region, each with its text, and the texts of its exits.
    pub(crate) fn region_texts(&self, region: RegionId) -> (Vec<String>, Vec<String>) {
        let texts = block::Texts::new(self, region);
        let named = texts.named().map(|n| format!("{} = {}", texts.name(n), texts.flat(n))).collect();
        let data = &self.program.regions[region];
        let exits = (data.inner..data.inner + data.exits).map(|n| texts.flat(n)).collect();
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
        let mut out = String::new();
        for (id, var) in program.vars.iter_enumerated().filter(|(_, v)| v.proc.is_none()) {
            let at = if var.address_taken { " (address taken)" } else { "" };
            let _ = writeln!(out, "global {}: {}{at}", self.var(id), self.ty(var.ty));
        }
        let mut edges = index_vec![Vec::new(); program.procs.len()];
        for (id, edge) in program.edges.iter_enumerated() {
            edges[program.locs[edge.from].proc].push(id);
        }
        for (id, mut edges) in edges.into_iter_enumerated() {
            // What was inlined everywhere has nothing left to show.
            if edges.is_empty() && id != program.entry {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            edges.sort_by_key(|&e| (program.edges[e].from, e));
            self.proc(&mut out, id, edges.iter().map(|&e| &program.edges[e]));
        }
        out
    }

    fn proc<'b>(&self, out: &mut String, id: ProcId, edges: impl Iterator<Item = &'b Edge>) {
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
        let (mut last_loc, mut last_region) = (None, None);
        for edge in edges {
            if last_loc != Some(edge.from) {
                last_loc = Some(edge.from);
                if let Some(label) = &self.program.locs[edge.from].label {
                    let _ = writeln!(out, "{label}:");
                }
            }
            let head = format!("  {} -> {}:", self.loc(edge.from), self.loc(edge.to));
            let line = self.line(edge.span);
            if let Op::Block(block) = edge.op {
                let block = self.program.blocks[block];
                self.block_lines(out, &mut last_region, block.region, block.exit, &head, &line);
            } else {
                let _ = writeln!(out, "{head} {}{line}", self.op(&edge.op));
            }
        }
    }

    /// The lines of one block, and before the first block of a region those of its named nodes.
    fn block_lines<'s>(
        &'s self,
        out: &mut String,
        last: &mut Option<(RegionId, block::Texts<'s>)>,
        region: RegionId,
        exit: u32,
        head: &str,
        line: &str,
    ) {
        if last.as_ref().is_none_or(|(r, _)| *r != region) {
            let texts = block::Texts::new(self, region);
            for node in texts.named() {
                let name = format!("  {} =", texts.name(node));
                texts.lines(out, node, &name, "");
            }
            *last = Some((region, texts));
        }
        if let Some((_, texts)) = last {
            texts.lines(out, exit, head, line);
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
