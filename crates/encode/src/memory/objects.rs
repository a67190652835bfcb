//! Abstract objects: what a program can point at, and how often each exists.
//!
//! Design, section 3, "Memory". Every variable is an object, and every allocating edge. An object is *once* if at any time at most
//! one concrete object stands behind it and if that one always has the same address: globals, variables of the entry procedure
//! (inlining made them: one per call string) and allocations that lie on no cycle of the entry procedure. An edge inside a region lies on a cycle
//! if it can reach an exit of the region from which control comes back to the location that owns the region.
//!
//! Three kinds of objects have no address and exist only so that values can flow through them: results of procedures that are
//! still called, variadic arguments, and the bytes on their way in a copy between pointers.

use super::constants::Constants;
use craig_cfa::graph::loc_components;
use craig_cfa::{CallString, EdgeId, Graph, Name, Op, ProcId, Program, RegionId, TypeId, VarId};
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
    VarArgs,
    /// What a copy between pointers has read and not yet written.
    Transit,
}

#[derive(Debug, Clone)]
pub struct Object {
    pub kind: ObjectKind,
    pub name: Name,
    /// Of variables and results.
    pub ty: Option<TypeId>,
    /// In bytes, where it is known.
    pub size: Option<u64>,
    pub once: bool,
    /// May something point at it?
    pub addressed: bool,
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
                once,
                addressed: v.address_taken,
            }));
        }
        let mut objects = Objects { list, var, alloc: FxHashMap::default() };
        let cycles = Cycles::new(program, &graph);
        for (id, edge) in program.edges.iter_enumerated() {
            let proc = program.locs[edge.from].proc;
            let free = proc == program.entry && !called[proc];
            match edge.op {
                Op::Block(_) => {}
                _ => objects.alloc(
                    program,
                    constants,
                    &edge.op,
                    (edge.origin, edge.calls),
                    edge.span,
                    free && !cycles.edge[id],
                ),
            }
        }
        for (id, region) in program.regions.iter_enumerated() {
            let Some(owner) = cycles.owner[id] else { continue };
            let proc = program.locs[owner].proc;
            let free = proc == program.entry && !called[proc];
            for (inner, &cyclic) in region.edges.iter().zip(&cycles.inner[id]) {
                let at = (inner.origin, inner.calls);
                objects.alloc(program, constants, &inner.op, at, inner.span, free && !cyclic);
            }
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
        let size = constants.bits(size).and_then(|v| u64::try_from(v).ok());
        if let Some(&known) = self.alloc.get(&at) {
            // The same source edge twice in the program: two concrete objects may be alive.
            let object = &mut self.list[known];
            object.once = false;
            object.size = object.size.zip(size).map(|(a, b)| a.max(b));
            return;
        }
        let name = format!("{word}@{}", program.source.line(span)).into();
        let kind = ObjectKind::Alloc(at.0, at.1);
        let id = self.list.push(Object { kind, name, ty: None, size, once, addressed: true });
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

/// Which edges can be executed twice without leaving their procedure.
struct Cycles {
    edge: IndexVec<EdgeId, bool>,
    /// The location that a region belongs to; `None` if no block uses the region.
    owner: IndexVec<RegionId, Option<craig_cfa::LocId>>,
    inner: IndexVec<RegionId, Vec<bool>>,
}

impl Cycles {
    fn new(program: &Program, graph: &Graph) -> Self {
        let components = loc_components(program, graph);
        let of = |loc: craig_cfa::LocId| components.of[loc.index()];
        let mut cycles = Cycles {
            edge: program.edges.iter().map(|e| of(e.from) == of(e.to)).collect(),
            owner: index_vec![None; program.regions.len()],
            inner: program.regions.iter().map(|r| vec![false; r.edges.len()]).collect(),
        };
        // Nodes of each region from which control can come back.
        let mut back: IndexVec<RegionId, Vec<bool>> =
            program.regions.iter().map(|r| vec![false; (r.inner + r.exits) as usize]).collect();
        for (id, edge) in program.edges.iter_enumerated() {
            if let Op::Block(block) = edge.op {
                let block = program.blocks[block];
                cycles.owner[block.region] = Some(edge.from);
                back[block.region][block.exit as usize] |= cycles.edge[id];
            }
        }
        for (id, region) in program.regions.iter_enumerated() {
            let back = &mut back[id];
            // Edges are in topological order.
            for (i, inner) in region.edges.iter().enumerate().rev() {
                if back[inner.to as usize] {
                    back[inner.from as usize] = true;
                    cycles.inner[id][i] = true;
                }
            }
        }
        cycles
    }
}
