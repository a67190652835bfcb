//! Abstract objects: what a program can point at, and how often each exists.
//!
//! Every variable is an object, and every allocating edge. An object is *once* if at any time at most
//! one concrete object stands behind it and if that one always has the same address: globals, variables of the entry procedure
//! (inlining made them: one per call string) and allocations that lie on no cycle of the entry procedure.
//!
//! Four kinds of objects have no address and exist only so that values can flow through them: results of procedures that are
//! still called, the bytes on their way in a copy between pointers, and what stands for any exposed object. Procedures
//! are objects that nothing is read from or written to.

use super::constants::Constants;
use craig_cfa::graph::loc_components;
use craig_cfa::{CallString, EdgeId, LocId, Maker, Name, Op, ProcId, Program, TypeId, VarId};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

index_vec::define_index_type! { pub struct ObjectId = u32; }

/// Names an object in every version of a program: passes keep origins and call strings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKey {
    /// Variable of the source program and the calls it was inlined through, outermost first.
    Var(VarId, Vec<EdgeId>),
    /// Allocating edge of the source program and the calls.
    Alloc(EdgeId, Vec<EdgeId>),
    Proc(ProcId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    Var(VarId),
    /// Origin of the edge and its call string.
    Alloc(EdgeId, CallString),
    /// What a procedure that is still called returns.
    Result(ProcId),
    /// Arguments beyond the named ones, of all calls.
    /// What a copy between pointers has read and not yet written.
    Transit,
    /// Whatever a number may be the address of.
    Wild,
    Proc(ProcId),
}

#[derive(Debug, Clone)]
pub struct Object {
    pub kind: ObjectKind,
    pub name: Name,
    /// Of variables and results.
    pub ty: Option<TypeId>,
    /// In bytes, where it is known.
    pub size: Option<u64>,
    /// What its address is a multiple of.
    pub align: u64,
    pub once: bool,
    /// May something point at it?
    pub addressed: bool,
    /// Is nothing known of what it holds at first?
    pub arbitrary: bool,
    /// Made by the environment; it may be an object that a pointer to it is compared with.
    pub outside: bool,
    /// May it be larger than it says?
    pub larger: bool,
}

/// All objects of a program; more of the kinds without address are added while constraints are made.
#[derive(Debug)]
pub(super) struct Objects {
    pub list: IndexVec<ObjectId, Object>,
    pub var: IndexVec<VarId, ObjectId>,
    pub alloc: FxHashMap<(EdgeId, CallString), ObjectId>,
}

impl Objects {
    pub fn new(program: &Program, constants: &Constants<'_>) -> Self {
        let types = &program.types;
        let graph = program.graph();
        let called = called(program);
        let mut list = IndexVec::with_capacity(program.vars.len());
        let mut var = IndexVec::with_capacity(program.vars.len());
        for (id, v) in program.vars.iter_enumerated() {
            let once = v.proc.is_none_or(|p| p == program.entry && !called[p]);
            var.push(list.push(Object {
                kind: ObjectKind::Var(id),
                name: v.name.clone(),
                ty: Some(v.ty),
                // An array of unknown length is as long as it likes.
                size: types.size_of(v.ty).filter(|&s| s > 0),
                align: program.align_of(id),
                once,
                addressed: v.address_taken,
                arbitrary: false,
                outside: false,
                larger: v.larger,
            }));
        }
        let mut objects = Objects { list, var, alloc: FxHashMap::default() };
        let components = loc_components(program, &graph);
        let of = |loc: LocId| components.of[loc.index()];
        for edge in &program.edges {
            let proc = program.locs[edge.from].proc;
            // Not executed twice without leaving the procedure.
            let once = proc == program.entry && !called[proc] && of(edge.from) != of(edge.to);
            objects.alloc(program, constants, &edge.op, (edge.origin, edge.calls), edge.span, once);
        }
        objects
    }

    fn alloc(
        &mut self,
        program: &Program,
        constants: &Constants<'_>,
        op: &Op,
        at: (EdgeId, CallString),
        span: craig_base::Span,
        once: bool,
    ) {
        let (size, word) = match *op {
            Op::Alloc { size, stack, zero, .. } => (
                size,
                if stack {
                    "alloca"
                } else if zero {
                    "calloc"
                } else {
                    "malloc"
                },
            ),
            Op::Realloc { size, .. } => (size, "realloc"),
            _ => return,
        };
        let arbitrary = !matches!(*op, Op::Alloc { zero: true, .. });
        let outside = matches!(*op, Op::Alloc { maker: Maker::Choice, .. });
        let larger = matches!(*op, Op::Alloc { maker: Maker::Choice | Maker::Environment, .. });
        let size = constants.bits(size).and_then(|v| u64::try_from(v).ok());
        let align = program.align_of_alloc(op);
        if let Some(&known) = self.alloc.get(&at) {
            // The same source edge twice in the program: two concrete objects may be alive.
            let object = &mut self.list[known];
            object.once = false;
            object.size = object.size.zip(size).map(|(a, b)| a.max(b));
            return;
        }
        let name = format!("{word}@{}", program.source.line(span)).into();
        let kind = ObjectKind::Alloc(at.0, at.1);
        let id = self.list.push(Object {
            kind,
            name,
            ty: None,
            size,
            align,
            once,
            addressed: true,
            arbitrary,
            outside,
            larger,
        });
        self.alloc.insert(at, id);
    }
}

/// Procedures that some edge calls.
pub(super) fn called(program: &Program) -> IndexVec<ProcId, bool> {
    let mut called = index_vec![false; program.procs.len()];
    for edge in &program.edges {
        if let Op::Call(call) = &edge.op {
            called[call.proc] = true;
        }
    }
    called
}
