//! Variables that many activations have, and that pointers lead to, as memory that each activation allocates.
//!
//! Where procedures stand side by side there is one copy of each variable, however many activations have one. As long as only the running activation
//! can name it, that is enough: the copy is the variable of that activation. A variable whose address is taken is more: what an earlier activation did with its own may be
//! seen through a pointer, and two of them have two addresses. So such a variable becomes what a local array of variable length is already: an activation
//! that begins allocates it, a pointer of its own leads there, and every use of the variable goes through the pointer. The layout then has no variable to take for
//! one object; it knows allocations that are made again and again, and what may lie where another lay.
//!
//! A parameter keeps its variable for the value that it was called with, which is copied to where the pointer leads.
//!
//! Not changed are the entry of the program, if nobody calls it, and the one procedure that it calls in the end, once: their variables exist once, and
//! live as long as the program runs ([`craig_encode::memory::main_of`]).

use crate::outcome::Reason;
use craig_base::{Budget, Span};
use craig_cfa::rewrite::{Map, Rewriter};
use craig_cfa::{
    EdgeId, ExprId, ExprKind, Exprs, Maker, Op, PlaceId, PlaceKind, ProcId, Program, TypeId, Types, VarId,
    VarKind,
};
use craig_encode::memory::{ObjectKey, Seen, main_of};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

/// A program whose variables are each one object, or none that a pointer leads to.
#[derive(Debug)]
pub struct Framed {
    /// Locations, edges and variables of the source keep their ids.
    pub program: Program,
    /// The pointers that stand for variables.
    pub pointers: FxHashMap<VarId, VarId>,
    /// Where they are allocated.
    made: Vec<(VarId, EdgeId)>,
    /// Procedures that have one activation at most.
    pub once: IndexVec<ProcId, bool>,
}

impl Framed {
    pub fn new(
        source: &Program,
        reached: &IndexVec<ProcId, bool>,
        budget: &Budget,
    ) -> Result<Framed, Reason> {
        let mut once = index_vec![false; source.procs.len()];
        let called =
            |proc: ProcId| source.edges.iter().any(|e| matches!(&e.op, Op::Call(c) if c.proc == proc));
        if !called(source.entry) {
            once[source.entry] = true;
            main_of(source, budget)?.into_iter().for_each(|main| once[main] = true);
        }
        let mut framed =
            Framed { program: source.clone(), pointers: FxHashMap::default(), made: Vec::new(), once };
        let moved = |var: VarId| {
            let proc = source.vars[var].proc?;
            (source.vars[var].address_taken && reached[proc] && !framed.once[proc]).then_some(proc)
        };
        let moved: Vec<(VarId, ProcId)> =
            source.vars.indices().filter_map(|var| Some((var, moved(var)?))).collect();
        for &(var, proc) in &moved {
            framed.point(var, proc)?;
        }
        if !moved.is_empty() {
            framed.rewrite(source);
            framed.begin(source, &moved);
        }
        Ok(framed)
    }

    /// Makes the pointer to a variable.
    fn point(&mut self, var: VarId, proc: ProcId) -> Result<(), Reason> {
        let program = &mut self.program;
        let (ty, scope, span) = (program.vars[var].ty, program.vars[var].scope, program.vars[var].span);
        if program.types.size_of(ty).is_none_or(|size| size == 0) || program.vars[var].larger {
            return Err(unsupported("a variable of unknown size whose address is taken", span));
        }
        let name = format!("&{}", program.vars[var].name).into();
        let pointer = program.types.ptr(ty);
        let pointer = program.add_var(name, pointer, VarKind::Temp, Some(proc), span);
        program.vars[pointer].scope = scope;
        program.vars[var].address_taken = false;
        self.pointers.insert(var, pointer);
        Ok(())
    }

    /// Every use goes through the pointer.
    fn rewrite(&mut self, source: &Program) {
        let Program { exprs, edges, vars, .. } = &mut self.program;
        let mut through = FxHashMap::default();
        for (var, pointer) in &self.pointers {
            let place = exprs.var(*pointer, vars[*pointer].ty);
            through.insert(*var, exprs.read(place));
        }
        let mut through = Through(through);
        let mut rewriter = Rewriter::new(&source.exprs, &source.types);
        for edge in edges {
            edge.op = rewriter.op(&edge.op, exprs, &mut through);
        }
    }

    /// An activation allocates its variables before all else.
    fn begin(&mut self, source: &Program, moved: &[(VarId, ProcId)]) {
        let program = &mut self.program;
        let mut procs: Vec<ProcId> = moved.iter().map(|(_, proc)| *proc).collect();
        procs.sort_unstable();
        procs.dedup();
        for proc in procs {
            let entry = source.procs[proc].entry;
            let span = source.locs[entry].span;
            let mut ops: Vec<(VarId, Op)> = Vec::new();
            for &(var, _) in moved.iter().filter(|(_, of)| *of == proc) {
                let ty = program.vars[var].ty;
                let pointer = self.pointers[&var];
                let size_t = program.types.size_t();
                let size = program.types.size_of(ty).unwrap_or(0);
                let size = program.exprs.int(&program.types, size.into(), size_t);
                let dst = program.var_place(pointer);
                let maker = Maker::Program;
                ops.push((var, Op::Alloc { dst, size, zero: false, stack: true, maker }));
                if source.procs[proc].params.contains(&var) {
                    let pointer = program.var_expr(pointer);
                    let place = program.exprs.deref(pointer, ty);
                    ops.push((var, Op::Assign(place, program.var_expr(var))));
                }
            }
            let begun = program.add_loc(proc, span);
            for edge in source.edges.indices().filter(|edge| source.edges[*edge].from == entry) {
                program.edges[edge].from = begun;
            }
            let last = ops.len() - 1;
            let mut at = entry;
            for (i, (var, op)) in ops.into_iter().enumerate() {
                let to = if i == last { begun } else { program.add_loc(proc, span) };
                let allocates = matches!(op, Op::Alloc { .. });
                let edge = program.add_edge(at, to, op, span);
                self.made.extend(allocates.then_some((var, edge)));
                at = to;
            }
        }
    }

    /// What the program can tell of addresses. A variable of a block has one address here for the whole activation, and may have others each time that the
    /// block is entered; whoever can tell is not for this.
    pub fn seen(&self, budget: &Budget) -> Result<Seen, Reason> {
        let seen = Seen::new(&self.program, budget)?;
        for (var, made) in &self.made {
            if seen.is_reborn(*var) && seen.has(&ObjectKey::Alloc(*made, Vec::new())) {
                let span = self.program.vars[*var].span;
                return Err(unsupported("the address of a variable of a block in a loop", span));
            }
        }
        Ok(seen)
    }
}

fn unsupported(what: &str, span: Span) -> Reason {
    Reason::Unsupported { what: format!("{what} in a proof by procedures").into(), span }
}

/// Variables become what a pointer leads to.
struct Through(FxHashMap<VarId, ExprId>);

impl Map for Through {
    fn build(&mut self, to: &mut Exprs, _: &Types, kind: ExprKind, ty: TypeId) -> ExprId {
        if let ExprKind::AddrOf(place) = kind
            && let PlaceKind::Deref(pointer) = to.place(place).kind
            && to.ty(pointer) == ty
        {
            return pointer;
        }
        to.intern(kind, ty)
    }

    fn build_place(&mut self, to: &mut Exprs, kind: PlaceKind, ty: TypeId) -> PlaceId {
        match kind {
            PlaceKind::Var(var) => match self.0.get(&var) {
                Some(pointer) => to.deref(*pointer, ty),
                None => to.intern_place(kind, ty),
            },
            kind => to.intern_place(kind, ty),
        }
    }
}
