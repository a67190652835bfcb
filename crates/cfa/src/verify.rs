//! Checks that a program is well formed. Runs after every pass in debug builds; linear in the program.
//!
//! # Invariants
//! - Ids are in range: locations of edges, variables of places, procedures of calls, call strings of everything.
//! - An edge stays inside one procedure or leads to the error location. Nothing enters an entry; nothing leaves an exit or the error.
//!   Only `Return` and `Halt` lead to an exit.
//! - `Return` leads to the exit of its procedure and carries a value of its type, none for `void`.
//! - Parameters are locals of their procedure; locals belong to it; each variable has one owner.
//! - Expressions and places are typed as [`crate::expr`] says; conditions are `Bool`; an assigned value has the type of its place;
//!   arguments and results of calls have the types the procedure names.
//! - An operation names only globals and variables of its own procedure.
//! - `address_taken` is set on a variable if the address of a place in it is taken somewhere.

mod exprs;

use crate::expr::{ExprId, PlaceId};
use crate::program::{CallString, EdgeId, LocId, Op, ProcId, Program, VarId, VarKind};
use crate::types::{Type, TypeId, Types};
use exprs::{Checked, Owner};
use index_vec::index_vec;
use std::fmt;

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub at: Site,
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    Program,
    Proc(ProcId),
    Var(VarId),
    Loc(LocId),
    Edge(EdgeId),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Site::Program => write!(f, "program: ")?,
            Site::Proc(id) => write!(f, "procedure {}: ", id.index())?,
            Site::Var(id) => write!(f, "variable {}: ", id.index())?,
            Site::Loc(id) => write!(f, "location L{}: ", id.index())?,
            Site::Edge(id) => write!(f, "edge {}: ", id.index())?,
        }
        f.write_str(&self.what)
    }
}

/// All violations, in the order of the program.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier { program, exprs: Checked::new(program), found: Vec::new() };
    verifier.shape();
    // Everything else relies on ids that exist.
    if verifier.found.is_empty() {
        verifier.operations();
    }
    if verifier.found.is_empty() { Ok(()) } else { Err(verifier.found) }
}

/// Stops a debug build that made a broken program.
///
/// # Panics
/// If the program is not well formed: a bug of what made it.
#[track_caller]
pub fn debug_verify(program: &Program, after: &str) {
    if cfg!(debug_assertions)
        && let Err(found) = verify(program)
    {
        let shown: Vec<String> = found.iter().take(10).map(ToString::to_string).collect();
        panic!("the program is broken after {after} ({} violations):\n{}", found.len(), shown.join("\n"));
    }
}

struct Verifier<'a> {
    program: &'a Program,
    exprs: Checked<'a>,
    found: Vec<Violation>,
}

impl Verifier<'_> {
    fn report(&mut self, at: Site, what: impl Into<String>) {
        self.found.push(Violation { at, what: what.into() });
    }

    fn require(&mut self, holds: bool, at: Site, what: &str) {
        if !holds {
            self.report(at, what);
        }
    }

    /// Ids, ownership, ends of edges.
    fn shape(&mut self) {
        let program = self.program;
        let (locs, procs, vars) = (program.locs.len(), program.procs.len(), program.vars.len());
        let string = |calls: CallString| calls.index() < program.calls.len();
        if program.entry.index() >= procs || program.error.index() >= locs {
            return self.report(Site::Program, "entry or error does not exist");
        }
        for (id, loc) in program.locs.iter_enumerated() {
            self.require(loc.proc.index() < procs, Site::Loc(id), "its procedure does not exist");
            self.require(string(loc.calls), Site::Loc(id), "its call string does not exist");
        }
        for (id, var) in program.vars.iter_enumerated() {
            let at = Site::Var(id);
            self.require(var.proc.is_none_or(|p| p.index() < procs), at, "its procedure does not exist");
            self.require(
                matches!(var.kind, VarKind::Global | VarKind::Literal) == var.proc.is_none(),
                at,
                "globals have no procedure, others have one",
            );
            self.require(string(var.calls), at, "its call string does not exist");
            self.require(var.ty.index() < program.types.len(), at, "its type does not exist");
        }
        if !self.found.is_empty() {
            return;
        }
        let mut is_local = index_vec![false; vars];
        let mut special = index_vec![false; locs];
        special[program.error] = true;
        for (id, proc) in program.procs.iter_enumerated() {
            let at = Site::Proc(id);
            for loc in [proc.entry, proc.exit] {
                let fresh = loc.index() < locs && !std::mem::replace(&mut special[loc], true);
                self.require(fresh, at, "entry and exit are its own locations");
                let inside = loc.index() < locs && program.locs[loc].proc == id;
                self.require(inside, at, "entry and exit lie inside");
            }
            self.require(proc.ret.index() < program.types.len(), at, "its type does not exist");
            for &local in &proc.locals {
                let own = local.index() < vars
                    && program.vars[local].proc == Some(id)
                    && !std::mem::replace(&mut is_local[local], true);
                self.require(own, at, "a local belongs to it and is named once");
            }
            let own = proc.params.iter().all(|&p| p.index() < vars && program.vars[p].proc == Some(id));
            self.require(own, at, "parameters are its locals");
        }
        for (id, var) in program.vars.iter_enumerated() {
            self.require(var.proc.is_none() || is_local[id], Site::Var(id), "its procedure does not list it");
        }
        for (id, edge) in program.edges.iter_enumerated() {
            let at = Site::Edge(id);
            if edge.from.index() >= locs || edge.to.index() >= locs {
                self.report(at, "an end does not exist");
                continue;
            }
            self.require(string(edge.calls), at, "its call string does not exist");
            let proc = &program.procs[program.locs[edge.from].proc];
            let inside = program.locs[edge.to].proc == program.locs[edge.from].proc;
            self.require(inside || edge.to == program.error, at, "leads into another procedure");
            self.require(edge.from != program.error, at, "leaves the error");
            self.require(edge.from != proc.exit, at, "leaves an exit");
            self.require(edge.to != program.procs[program.locs[edge.to].proc].entry, at, "enters an entry");
            let to_exit = matches!(edge.op, Op::Return(_) | Op::Halt(_));
            self.require(to_exit || edge.to != proc.exit, at, "enters an exit without returning");
        }
    }

    fn operations(&mut self) {
        let program = self.program;
        for (id, edge) in program.edges.iter_enumerated() {
            let proc = program.locs[edge.from].proc;
            let returns = edge.to == program.procs[proc].exit;
            self.op(&edge.op, proc, returns, Site::Edge(id));
        }
    }

    /// The type of an expression after checking it and whose variables it names.
    fn expr(&mut self, e: ExprId, proc: ProcId, at: Site) -> Option<TypeId> {
        match self.exprs.expr(e) {
            Ok(owner) => {
                self.owner(owner, proc, at);
                Some(self.program.exprs.ty(e))
            }
            Err(what) => {
                self.report(at, what);
                None
            }
        }
    }

    fn place(&mut self, p: PlaceId, proc: ProcId, at: Site) -> Option<TypeId> {
        match self.exprs.place(p) {
            Ok(owner) => {
                self.owner(owner, proc, at);
                Some(self.program.exprs.place(p).ty)
            }
            Err(what) => {
                self.report(at, what);
                None
            }
        }
    }

    fn owner(&mut self, owner: Owner, proc: ProcId, at: Site) {
        let own = match owner {
            Owner::Global => true,
            Owner::Proc(p) => p == proc,
            Owner::Mixed => false,
        };
        self.require(own, at, "names a variable of another procedure");
    }

    /// `returns`: it leads to the exit of its procedure.
    fn op(&mut self, op: &Op, proc: ProcId, returns: bool, at: Site) {
        let program = self.program;
        let parts = op.parts();
        let before = self.found.len();
        for &e in &parts.exprs {
            self.expr(e, proc, at);
        }
        if let Some(p) = parts.written {
            self.place(p, proc, at);
        }
        if self.found.len() > before {
            return;
        }
        let ty = |e: ExprId| program.exprs.ty(e);
        let place_ty = |p: PlaceId| program.exprs.place(p).ty;
        let is_int = |e: ExprId| program.types.as_int(ty(e)).is_some();
        let is_ptr = |e: ExprId| program.types.is_ptr(ty(e));
        match op {
            Op::Assume(c) => self.require(ty(*c) == Types::BOOL, at, "assumes what is no truth value"),
            Op::Assign(p, e) => self.require(ty(*e) == place_ty(*p), at, "assigns a value of another type"),
            Op::Call(call) => {
                let Some(callee) = program.procs.get(call.proc) else {
                    return self.report(at, "calls what does not exist");
                };
                let count = call.args.len() == callee.params.len()
                    || callee.variadic && call.args.len() > callee.params.len();
                self.require(count, at, "wrong number of arguments");
                let fit = callee.params.iter().zip(&call.args).all(|(&p, &a)| program.vars[p].ty == ty(a));
                self.require(fit, at, "an argument is not of the type of its parameter");
                let result = call.ret.is_none_or(|p| place_ty(p) == callee.ret);
                self.require(result, at, "the result goes to a place of another type");
            }
            Op::Return(value) => {
                self.require(returns, at, "returns to what is not the exit");
                let ret = program.procs[proc].ret;
                let fits = match value {
                    Some(e) => ty(*e) == ret,
                    None => matches!(program.types.get(ret), Type::Void),
                };
                self.require(fits, at, "returns a value of another type");
            }
            Op::Alloc { dst, size, .. } => {
                self.require(is_int(*size), at, "the size is no integer");
                self.require(
                    program.types.is_ptr(place_ty(*dst)),
                    at,
                    "an address goes to what is no pointer",
                );
            }
            Op::Realloc { dst, ptr, size } => {
                self.require(is_int(*size) && is_ptr(*ptr), at, "reallocates what is no pointer");
                self.require(
                    program.types.is_ptr(place_ty(*dst)),
                    at,
                    "an address goes to what is no pointer",
                );
            }
            Op::Free(ptr) => self.require(is_ptr(*ptr), at, "frees what is no pointer"),
            Op::MemSet { dst, byte, len } => {
                self.require(is_ptr(*dst) && is_int(*byte) && is_int(*len), at, "memset of other types");
            }
            Op::MemCopy { dst, src, len, .. } => {
                self.require(is_ptr(*dst) && is_ptr(*src) && is_int(*len), at, "memcpy of other types");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
