//! The program: procedures, locations, edges, operations.
//!
//! Locations and edges are numbered through the whole program. A procedure is entered at its entry location, which no edge
//! enters, and left at its exit location, which no edge leaves; `Return` is the operation that leads there. The error
//! location is one for the whole program and may be reached from any procedure. A run starts at the entry of [`Program::entry`]
//! with all global variables zero (front ends of other languages start with a `Havoc`); a run that can take no edge has ended
//! without error.
//!
//! # Where things came from
//! The program that a front end makes is the *source program*. Every location, edge and variable of a program that a pass made
//! carries its origin there: the id in the source program and the string of call edges through which it was inlined. Passes
//! compose without composing maps, and a result about any program can be told about the source program.

use crate::Name;
use crate::expr::{ExprId, ExprKind, Exprs, PlaceId, PlaceKind};
use crate::scopes::{ScopeId, Scopes};
use crate::types::{TypeId, Types};
use craig_base::{Source, Span};
use index_vec::IndexVec;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What `malloc` aligns to.
pub const HEAP_ALIGN: u64 = 16;

index_vec::define_index_type! { pub struct VarId = u32; }
index_vec::define_index_type! { pub struct ProcId = u32; }
index_vec::define_index_type! { pub struct LocId = u32; }
index_vec::define_index_type! { pub struct EdgeId = u32; }
index_vec::define_index_type! { pub struct CallString = u32; }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lang {
    C,
    Boogie,
    Remopla,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VarKind {
    Global,
    /// What a string literal stands for. It may share bytes with others.
    Literal,
    /// A local with a name in the source.
    Local,
    Param,
    /// Made by a front end or a pass; not shown to users.
    Temp,
}

#[derive(Debug, Clone)]
pub struct Var {
    pub name: Name,
    pub ty: TypeId,
    pub kind: VarKind,
    /// `None` for globals.
    pub proc: Option<ProcId>,
    /// May something point at it? If not, only places rooted at it touch it.
    pub address_taken: bool,
    /// Its alignment, if that is not the one of its type.
    pub align: Option<u64>,
    /// May it be larger than its type says? It is defined elsewhere.
    pub larger: bool,
    /// The part of its procedure that it lives in.
    pub scope: ScopeId,
    pub span: Span,
    /// Variable of the source program, and the calls it was inlined through.
    pub origin: VarId,
    pub calls: CallString,
}

#[derive(Debug, Clone)]
pub struct Proc {
    pub name: Name,
    pub params: Vec<VarId>,
    pub ret: TypeId,
    pub variadic: bool,
    pub entry: LocId,
    pub exit: LocId,
    /// Every local, parameter and temporary.
    pub locals: Vec<VarId>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Loc {
    pub proc: ProcId,
    pub span: Span,
    /// Name of a label standing here.
    pub label: Option<Name>,
    pub origin: LocId,
    pub calls: CallString,
}

#[derive(Debug, Clone)]
pub struct Edge {
    pub from: LocId,
    pub to: LocId,
    pub op: Op,
    pub span: Span,
    /// Edge of the source program.
    pub origin: EdgeId,
    pub calls: CallString,
}

/// Where an arbitrary value comes from. With the origin of its edge and the count of earlier runs over that edge it is the key
/// under which a counterexample names the value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Choice {
    /// `__VERIFIER_nondet_T()`, Boogie's `havoc`; carries the name of the function.
    Nondet(Name),
    /// A local before its first assignment.
    Uninit,
    /// The result of a function without body, or a variable defined elsewhere; carries its name.
    Extern(Name),
    /// A parameter of the entry.
    Entry,
    /// An output of an assembler statement.
    Asm,
    /// Which way control goes where the program leaves it open: Boogie's `if (*)`, `while (*)`, `goto` with several targets.
    Way,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    pub proc: ProcId,
    /// One per parameter, of the parameter's type; a variadic procedure may get more, which it does not look at.
    pub args: Vec<ExprId>,
    /// Where the result goes.
    pub ret: Option<PlaceId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Halt {
    /// `exit`, with the status.
    Exit(ExprId),
    Abort,
    /// Behaviour that C leaves undefined, such as a call through a null pointer.
    Undefined(&'static str),
}

/// Text for the terminal or a buffer: no meaning for verification beyond its result and the buffer, which becomes arbitrary. The
/// arguments are evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Output {
    /// `printf`, `puts`, `putchar`, `fprintf`, ...
    pub function: Name,
    /// As the function has them. In place of a `va_list` stands a pointer to a row of slots: records whose first member, an `int`, says which
    /// of the others holds the argument, and is 0 behind the last.
    pub args: Vec<ExprId>,
    pub ret: Option<PlaceId>,
}

impl Output {
    /// Where the text goes, if that is memory of the program.
    pub fn buffer(&self) -> Option<ExprId> {
        let name = self.function.strip_prefix("__builtin_").unwrap_or(&self.function);
        if !matches!(name, "sprintf" | "snprintf" | "vsprintf" | "vsnprintf") {
            return None;
        }
        self.args.first().copied()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    Skip,
    /// Go on only if true.
    Assume(ExprId),
    /// Value and place are of one type, aggregates included.
    Assign(PlaceId, ExprId),
    /// Any value of the place's type.
    Havoc(PlaceId, Choice),
    Call(Box<Call>),
    /// Only to the exit of the procedure.
    Return(Option<ExprId>),
    /// A fresh object of so many bytes; its address goes to the place. Never fails. `stack`: gone when the procedure returns. The
    /// content is zero or arbitrary (a choice of this edge).
    Alloc {
        dst: PlaceId,
        size: ExprId,
        zero: bool,
        stack: bool,
        maker: Maker,
    },
    /// A fresh object with the content of the old one as far as it fits; the old one is gone.
    Realloc {
        dst: PlaceId,
        ptr: ExprId,
        size: ExprId,
    },
    /// Freeing null does nothing.
    Free(ExprId),
    /// `memset`.
    MemSet {
        dst: ExprId,
        byte: ExprId,
        len: ExprId,
    },
    /// `memmove`; `memcpy` if the objects may not overlap.
    MemCopy {
        dst: ExprId,
        src: ExprId,
        len: ExprId,
        may_overlap: bool,
    },
    Output(Box<Output>),
    /// The run ends without error.
    Halt(Halt),
    /// A construct that is not modelled. A path through it has no meaning; an answer that needs one is UNKNOWN.
    Unsupported(Name),
    /// A recursive call that inlining does not follow, on an edge to the error: a proof has to show that no run makes it, and a path over it is
    /// no execution. Front ends make none.
    Deeper(ProcId),
}

/// Who makes an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Maker {
    Program,
    /// The environment: what the entry is given, or what a function without body returns. It may be larger than it says.
    Environment,
    /// The same, for a pointer that a run chooses. Proofs allow for it being an object of the program after all, one that such a pointer is compared with.
    Choice,
}

/// Something of the text that a program leaves out: what it means is assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lean {
    pub kind: LeanKind,
    /// The function or variable.
    pub what: Name,
    /// Where control is when it matters; `None`: everywhere.
    pub at: Option<LocId>,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeanKind {
    /// A function without body changes nothing, or what the reading says.
    Extern,
    /// An allocation does not fail.
    Allocation,
    /// Assembler changes its outputs and nothing else.
    Asm,
    /// What is volatile changes only where the program writes it.
    Volatile,
    /// A handler never runs.
    Handler,
    /// A format whose text is not known writes nothing.
    Format,
}

/// Strings of calls, as a tree: each is a shorter one and a call edge of the source program.
#[derive(Debug, Clone)]
pub struct CallStrings {
    set: IndexSet<(CallString, EdgeId), FxBuildHasher>,
}

impl Default for CallStrings {
    fn default() -> Self {
        let mut set = IndexSet::default();
        // The root refers to itself; its edge means nothing.
        set.insert((CallStrings::ROOT, EdgeId::from_raw(u32::MAX)));
        CallStrings { set }
    }
}

impl CallStrings {
    /// No call: code of the entry procedure.
    pub const ROOT: CallString = CallString { _raw: 0 };

    pub fn push(&mut self, calls: CallString, edge: EdgeId) -> CallString {
        CallString::from_usize(self.set.insert_full((calls, edge)).0)
    }

    /// The string with one more call, if the program has it.
    pub fn find(&self, calls: CallString, edge: EdgeId) -> Option<CallString> {
        self.set.get_index_of(&(calls, edge)).map(CallString::from_usize)
    }

    /// The string without its last call, and that call; `None` for the root.
    pub fn pop(&self, calls: CallString) -> Option<(CallString, EdgeId)> {
        (calls != Self::ROOT).then(|| self.set[calls.index()])
    }

    /// The calls from the entry procedure inwards.
    pub fn path(&self, mut calls: CallString) -> Vec<EdgeId> {
        let mut path = Vec::new();
        while let Some((outer, edge)) = self.pop(calls) {
            path.push(edge);
            calls = outer;
        }
        path.reverse();
        path
    }

    pub fn len(&self) -> usize {
        self.set.len()
    }

    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}

#[derive(Debug, Clone)]
pub struct Program {
    pub source: Arc<Source>,
    pub lang: Lang,
    pub types: Types,
    pub exprs: Exprs,
    pub vars: IndexVec<VarId, Var>,
    pub procs: IndexVec<ProcId, Proc>,
    pub locs: IndexVec<LocId, Loc>,
    pub edges: IndexVec<EdgeId, Edge>,
    pub calls: CallStrings,
    pub scopes: Scopes,
    /// What of the text is assumed, in the source program; passes do not keep it.
    pub leans: Vec<Lean>,
    /// What the text asserts, by the spans of the edges to the error, in the source program; passes do not keep it.
    pub asserted: Vec<(Span, Name)>,
    pub entry: ProcId,
    pub error: LocId,
    /// Functions without body that the text calls or points at. Meaning they have none beyond the operations that stand for their calls.
    pub outside: BTreeSet<Name>,
}

impl Program {
    /// Are there pointers that are made of numbers, or chosen? Then it matters which addresses become numbers.
    pub fn makes_pointers_of_numbers(&self) -> bool {
        let (exprs, types) = (&self.exprs, &self.types);
        let chosen = |op: &Op| match op {
            Op::Havoc(place, Choice::Nondet(_) | Choice::Asm) => types.is_ptr(exprs.place(*place).ty),
            _ => false,
        };
        let made = |e: ExprId| match *exprs.kind(e) {
            ExprKind::Cast(inner) => {
                let is_number = types.as_int(exprs.ty(inner)).is_some() && exprs.as_bits(inner) != Some(0);
                is_number && types.is_ptr(exprs.ty(e))
            }
            // From a constant address, null perhaps, by a number.
            ExprKind::PtrAdd(p, n) => exprs.as_bits(p).is_some() && exprs.as_bits(n).is_none(),
            _ => false,
        };
        let indexed = |p: PlaceId| match exprs.place(p).kind {
            PlaceKind::Index(of, n) => exprs.as_bits(n).is_none() && self.lies_at_constant(of),
            _ => false,
        };
        self.edges.iter().any(|edge| chosen(&edge.op))
            || (0..exprs.len()).map(ExprId::from_usize).any(made)
            || (0..exprs.place_count()).map(PlaceId::from_usize).any(indexed)
    }

    /// Is it a part of what lies at a constant address?
    fn lies_at_constant(&self, mut p: PlaceId) -> bool {
        loop {
            match self.exprs.place(p).kind {
                PlaceKind::Var(_) => return false,
                PlaceKind::Deref(e) => return self.exprs.as_bits(e).is_some(),
                PlaceKind::Field(of, _) | PlaceKind::Index(of, _) => p = of,
            }
        }
    }

    /// A program with one procedure, the entry, that has an entry and an exit location and no edge.
    pub fn new(source: Arc<Source>, lang: Lang, types: Types, entry_name: &str) -> Self {
        let mut program = Program {
            source,
            lang,
            types,
            exprs: Exprs::default(),
            vars: IndexVec::new(),
            procs: IndexVec::new(),
            locs: IndexVec::new(),
            edges: IndexVec::new(),
            calls: CallStrings::default(),
            scopes: Scopes::default(),
            leans: Vec::new(),
            asserted: Vec::new(),
            entry: ProcId::from_raw(0),
            error: LocId::from_raw(0),
            outside: BTreeSet::new(),
        };
        program.error = program.add_loc(ProcId::from_raw(0), Span::default());
        program.entry = program.add_proc(entry_name.into(), Types::VOID, Span::default());
        program
    }

    pub fn add_proc(&mut self, name: Name, ret: TypeId, span: Span) -> ProcId {
        let proc = self.procs.next_idx();
        let entry = self.add_loc(proc, span);
        let exit = self.add_loc(proc, span);
        self.procs.push(Proc {
            name,
            params: Vec::new(),
            ret,
            variadic: false,
            entry,
            exit,
            locals: Vec::new(),
            span,
        })
    }

    pub fn add_loc(&mut self, proc: ProcId, span: Span) -> LocId {
        let origin = self.locs.next_idx();
        self.locs.push(Loc { proc, span, label: None, origin, calls: CallStrings::ROOT })
    }

    pub fn add_edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) -> EdgeId {
        let origin = self.edges.next_idx();
        self.edges.push(Edge { from, to, op, span, origin, calls: CallStrings::ROOT })
    }

    /// A variable of a procedure, or a global one. Parameters are added to `params` by the caller.
    pub fn add_var(
        &mut self,
        name: Name,
        ty: TypeId,
        kind: VarKind,
        proc: Option<ProcId>,
        span: Span,
    ) -> VarId {
        let origin = self.vars.next_idx();
        if let Some(proc) = proc {
            self.procs[proc].locals.push(origin);
        }
        self.vars.push(Var {
            name,
            ty,
            kind,
            proc,
            address_taken: false,
            larger: false,
            align: None,
            scope: ScopeId::ROOT,
            span,
            origin,
            calls: CallStrings::ROOT,
        })
    }

    /// What the address of a variable is a multiple of.
    pub fn align_of(&self, var: VarId) -> u64 {
        self.vars[var].align.unwrap_or_else(|| self.types.align_of(self.vars[var].ty))
    }

    /// The place of a variable.
    pub fn var_place(&mut self, var: VarId) -> PlaceId {
        let ty = self.vars[var].ty;
        self.exprs.var(var, ty)
    }

    /// The value of a variable.
    pub fn var_expr(&mut self, var: VarId) -> ExprId {
        let place = self.var_place(var);
        self.exprs.read(place)
    }

    pub fn proc_by_name(&self, name: &str) -> Option<ProcId> {
        self.procs.iter_enumerated().find(|(_, p)| &*p.name == name).map(|(id, _)| id)
    }

    /// Edges by source and by target.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph {
            succ: index_vec::index_vec![Vec::new(); self.locs.len()],
            pred: index_vec::index_vec![Vec::new(); self.locs.len()],
        };
        for (id, edge) in self.edges.iter_enumerated() {
            graph.succ[edge.from].push(id);
            graph.pred[edge.to].push(id);
        }
        graph
    }

    /// Makes this the source program: everything in it is its own origin. For front ends that use a pass.
    pub fn become_source(&mut self) {
        for (id, var) in self.vars.iter_mut_enumerated() {
            (var.origin, var.calls) = (id, CallStrings::ROOT);
        }
        self.scopes.enter_copies(&self.locs);
        for (id, loc) in self.locs.iter_mut_enumerated() {
            (loc.origin, loc.calls) = (id, CallStrings::ROOT);
        }
        for (id, edge) in self.edges.iter_mut_enumerated() {
            (edge.origin, edge.calls) = (id, CallStrings::ROOT);
        }
        self.calls = CallStrings::default();
    }

    /// What an allocation aligns to: arrays of variable length as their elements, all others as `malloc` does.
    pub fn align_of_alloc(&self, op: &Op) -> u64 {
        self.array_of_variable_length(op).map_or(HEAP_ALIGN, |(elem, _)| self.types.align_of(elem))
    }

    /// What an allocation lives in: an array of variable length in its block, what `alloca` makes in its procedure.
    pub fn scope_of_alloc(&self, op: &Op) -> ScopeId {
        let root = self.array_of_variable_length(op).and_then(|(_, pointer)| self.exprs.root_var(pointer));
        root.map_or(ScopeId::ROOT, |var| self.vars[var].scope)
    }

    /// The elements, and where the pointer to them is kept.
    fn array_of_variable_length(&self, op: &Op) -> Option<(TypeId, PlaceId)> {
        let Op::Alloc { dst, stack: true, .. } = *op else { return None };
        let elem = self.types.pointee(self.exprs.place(dst).ty)?;
        (elem != Types::VOID).then_some((elem, dst))
    }

    /// Every operation of the program.
    pub fn ops(&self) -> impl Iterator<Item = (&Op, Span)> {
        self.edges.iter().map(|e| (&e.op, e.span))
    }
}

impl Op {
    /// Expressions and places that the operation evaluates or writes, in order of evaluation.
    pub fn parts(&self) -> OpParts {
        let mut parts = OpParts::default();
        match self {
            Op::Skip | Op::Unsupported(_) | Op::Deeper(_) => {}
            Op::Return(None) | Op::Halt(Halt::Abort | Halt::Undefined(_)) => {}
            Op::Assume(e) | Op::Return(Some(e)) | Op::Free(e) | Op::Halt(Halt::Exit(e)) => {
                parts.exprs.push(*e)
            }
            Op::Assign(p, e) => {
                parts.exprs.push(*e);
                parts.written = Some(*p);
            }
            Op::Havoc(p, _) => parts.written = Some(*p),
            Op::Call(call) => {
                parts.exprs.extend(&call.args);
                parts.written = call.ret;
            }
            Op::Alloc { dst, size, .. } => {
                parts.exprs.push(*size);
                parts.written = Some(*dst);
            }
            Op::Realloc { dst, ptr, size } => {
                parts.exprs.extend([*ptr, *size]);
                parts.written = Some(*dst);
            }
            Op::MemSet { dst, byte, len } => parts.exprs.extend([*dst, *byte, *len]),
            Op::MemCopy { dst, src, len, .. } => parts.exprs.extend([*dst, *src, *len]),
            Op::Output(out) => {
                parts.exprs.extend(&out.args);
                parts.written = out.ret;
            }
        }
        parts
    }
}

/// See [`Op::parts`].
#[derive(Debug, Default, Clone)]
pub struct OpParts {
    pub exprs: Vec<ExprId>,
    pub written: Option<PlaceId>,
}

/// The edges at each location.
#[derive(Debug, Clone)]
pub struct Graph {
    pub succ: IndexVec<LocId, Vec<EdgeId>>,
    pub pred: IndexVec<LocId, Vec<EdgeId>>,
}
