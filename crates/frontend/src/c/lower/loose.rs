//! Which functions may be called through a pointer of another type.
//!
//! A pointer to a function keeps its type as long as the program keeps to types. It gets another one where it is cast, or where memory
//! that holds it is seen as another type: through a union, or through a pointer that is cast (to `void *` and back as well). What lies
//! behind pointers that are cast is told apart by its offset alone.
//!
//! Calls with another type go to the functions that such a way leads to. That others are not reached is left to proofs: each call asks for them
//! ([`craig_cfa::ExprKind::Leads`]). So a way that is missed costs an answer, and one too many a branch. Not followed is what changes
//! the offset: byte pointers that move between two casts, pointers to functions that are read as data and stored elsewhere, an
//! array of structs seen as an array of structs of another size. Nor are pointers followed from such memory to other memory. Both
//! were tried: in drivers every function is then a target of every call.

use craig_base::{Pace, Stop};
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, ExprKind, Op, ProcId, Program, RecordKind, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a pointer to a function may be held as.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Held {
    /// A pointer to that type of function.
    Function(TypeId),
    /// Another pointer or a number, by a cast.
    Cast,
    /// The same, read from memory.
    Copied,
    /// So many bytes behind a pointer that is cast.
    Memory(u64),
    /// Written through a pointer that steps over such memory, to any offset.
    Written,
    /// Read through one.
    Read,
}

#[derive(Default)]
pub struct Loose {
    ways: FxHashMap<Held, FxHashSet<Held>>,
    /// Where the address of a function itself is cast to.
    addresses: FxHashMap<ProcId, FxHashSet<Held>>,
    /// Types of memory behind pointers that are cast.
    memory: FxHashSet<TypeId>,
}

impl Loose {
    /// `more`: expressions that are to become part of the program.
    pub fn of(program: &Program, more: impl Iterator<Item = ExprId>, pace: &mut Pace) -> Result<Loose, Stop> {
        let mut loose = Loose::default();
        let mut stack: Vec<Node> = more.map(Node::Expr).collect();
        for (op, _) in program.ops() {
            pace.step()?;
            let parts = op.parts();
            stack.extend(parts.exprs.iter().map(|&e| Node::Expr(e)));
            stack.extend(parts.written.iter().map(|&p| Node::Place(p)));
            match *op {
                Op::MemCopy { dst, src, .. } => {
                    loose.recast(program, program.exprs.ty(src), program.exprs.ty(dst));
                }
                // The result points to nothing in particular.
                Op::Realloc { dst, ptr, .. } => {
                    loose.recast(program, program.exprs.ty(ptr), program.exprs.place(dst).ty);
                }
                _ => {}
            }
        }
        program.exprs.visit_all(stack, &mut FxHashSet::default(), &mut |node| match node {
            Node::Expr(e) => {
                let to = program.exprs.ty(e);
                if let ExprKind::Cast(inner) = *program.exprs.kind(e) {
                    match *program.exprs.kind(inner) {
                        ExprKind::Const(_) => {}
                        ExprKind::ProcAddr(proc) => {
                            let to = function(program, to).map_or(Held::Cast, Held::Function);
                            loose.addresses.entry(proc).or_default().insert(to);
                        }
                        _ => loose.cast(program, program.exprs.ty(inner), to),
                    }
                }
            }
            Node::Place(p) => {
                let ty = program.exprs.place(p).ty;
                if is_union(program, ty) {
                    loose.seen_otherwise(program, ty);
                }
            }
        });
        Ok(loose)
    }

    /// How many ways are known.
    pub fn known(&self) -> usize {
        self.ways.values().map(FxHashSet::len).sum()
    }

    /// The types that a pointer to the function, which is of type `ty`, may have.
    pub fn types(&self, proc: ProcId, ty: TypeId) -> FxHashSet<TypeId> {
        let mut seen: FxHashSet<Held> = FxHashSet::default();
        let mut types = FxHashSet::default();
        let mut todo: Vec<Held> = vec![Held::Function(ty)];
        todo.extend(self.addresses.get(&proc).into_iter().flatten());
        while let Some(held) = todo.pop() {
            if seen.insert(held) {
                todo.extend(self.ways.get(&held).into_iter().flatten());
                if let Held::Function(ty) = held {
                    types.insert(ty);
                }
            }
        }
        types
    }

    fn way(&mut self, from: Held, to: Held) {
        self.ways.entry(from).or_default().insert(to);
    }

    /// Memory at an offset, which pointers that step over it reach as well.
    fn offset(&mut self, offset: u64) -> Held {
        let memory = Held::Memory(offset);
        self.way(Held::Written, memory);
        self.way(memory, Held::Read);
        memory
    }

    /// A value of one type becomes one of another.
    pub fn cast(&mut self, program: &Program, from: TypeId, to: TypeId) {
        if from == to {
            return;
        }
        match (function(program, from), function(program, to)) {
            (None, None) => self.recast(program, from, to),
            (Some(f), None) => self.way(Held::Function(f), Held::Cast),
            (Some(f), Some(g)) => self.way(Held::Function(f), Held::Function(g)),
            (None, Some(g)) => {
                self.way(Held::Cast, Held::Function(g));
                self.way(Held::Copied, Held::Function(g));
            }
        }
    }

    /// Pointers to memory: what is there may be seen as either type.
    fn recast(&mut self, program: &Program, a: TypeId, b: TypeId) {
        let (a, b) = (program.types.pointee(a), program.types.pointee(b));
        if a != b {
            a.into_iter().chain(b).for_each(|ty| self.seen_otherwise(program, ty));
        }
    }

    fn seen_otherwise(&mut self, program: &Program, ty: TypeId) {
        if !self.memory.insert(ty) {
            return;
        }
        if matches!(program.types.get(ty), Type::Record(_) | Type::Array { .. }) {
            return self.leaves(program, ty, 0);
        }
        self.way(Held::Written, Held::Read);
        match function(program, ty) {
            Some(f) => {
                self.way(Held::Function(f), Held::Written);
                self.way(Held::Read, Held::Function(f));
            }
            None => {
                self.way(Held::Cast, Held::Written);
                self.way(Held::Read, Held::Copied);
            }
        }
    }

    fn leaves(&mut self, program: &Program, ty: TypeId, offset: u64) {
        match program.types.get(ty) {
            Type::Array { elem, .. } if !program.types.is_aggregate(*elem) => {
                self.seen_otherwise(program, *elem);
            }
            // The elements hold the same types.
            Type::Array { elem, .. } => self.leaves(program, *elem, offset),
            Type::Record(r) => {
                for field in &program.types.records[*r].fields {
                    self.leaves(program, field.ty, offset + field.offset);
                }
            }
            _ => {
                let memory = self.offset(offset);
                match function(program, ty) {
                    Some(f) => {
                        self.way(Held::Function(f), memory);
                        self.way(memory, Held::Function(f));
                    }
                    None => {
                        self.way(Held::Cast, memory);
                        self.way(memory, Held::Copied);
                    }
                }
            }
        }
    }
}

/// The type of the function that a pointer of this type points to.
fn function(program: &Program, ty: TypeId) -> Option<TypeId> {
    program.types.pointee(ty).filter(|&to| matches!(program.types.get(to), Type::Func(_)))
}

fn is_union(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Record(r) if program.types.records[*r].kind == RecordKind::Union)
}
