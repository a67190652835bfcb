//! Puts probes in front of the operations of a program.

use craig_cfa::{
    BinOp, EdgeId, ExprId, ExprKind, Exprs, LocId, Op, PlaceId, PlaceKind, ProcId, Program, TypeId, VarId,
    VarKind,
};
use std::collections::HashMap;

/// What an added edge tells.
#[derive(Debug, Clone, Copy)]
pub enum Probe {
    Base(VarId),
    Address(PlaceId),
    /// Of the place whose address was told last.
    Value,
    Pointer(ExprId),
    Number(ExprId),
}

pub struct Probed {
    pub program: Program,
    pub probes: HashMap<EdgeId, Probe>,
}

struct Builder {
    p: Program,
    probes: HashMap<EdgeId, Probe>,
    temps: HashMap<(ProcId, TypeId), PlaceId>,
}

pub fn instrument(program: &Program) -> Probed {
    let mut b = Builder { p: program.clone(), probes: HashMap::new(), temps: HashMap::new() };
    let graph = program.graph();
    for (loc, out) in graph.succ.iter_enumerated() {
        if out.is_empty() {
            continue;
        }
        let proc = program.locs[loc].proc;
        let mut at = loc;
        if loc == program.procs[proc].entry {
            let globals = program.vars.iter_enumerated().filter(|(_, v)| v.proc.is_none()).map(|(id, _)| id);
            let own = program.procs[proc].locals.iter().copied();
            let vars: Vec<VarId> =
                if proc == program.entry { globals.chain(own).collect() } else { own.collect() };
            for var in vars {
                if program.types.size_of(program.vars[var].ty).is_some() {
                    let place = b.p.var_place(var);
                    at = b.address(at, proc, place, None, Probe::Base(var));
                }
            }
        }
        for &id in out {
            let mut found = Vec::new();
            collect(program, &program.edges[id].op, &mut found);
            for (what, guard) in found {
                at = match what {
                    What::Place(place, read) => b.place(at, proc, place, read, guard),
                    What::Pointer(e) => b.number(at, proc, e, Probe::Pointer(e)),
                    What::Number(e) => b.number(at, proc, e, Probe::Number(e)),
                };
            }
        }
        for &id in out {
            b.p.edges[id].from = at;
        }
    }
    Probed { program: b.p, probes: b.probes }
}

#[derive(Clone, Copy)]
enum What {
    Place(PlaceId, bool),
    Pointer(ExprId),
    Number(ExprId),
}

fn collect(program: &Program, op: &Op, found: &mut Vec<(What, Option<ExprId>)>) {
    let exprs = &program.exprs;
    let parts = op.parts();
    let mut walk = Walk { exprs, found, guards: Vec::new() };
    for &e in &parts.exprs {
        walk.expr(e);
    }
    if let Some(p) = parts.written {
        walk.inside(p);
        // The result of a call goes to the place as it is after the call.
        if !matches!(op, Op::Call(_)) {
            walk.found.push((What::Place(p, false), None));
        }
    }
    match op {
        Op::MemSet { dst, len, .. } => {
            found.push((What::Pointer(*dst), None));
            found.push((What::Number(*len), None));
        }
        Op::MemCopy { dst, src, len, .. } => {
            found.push((What::Pointer(*dst), None));
            found.push((What::Pointer(*src), None));
            found.push((What::Number(*len), None));
        }
        Op::Alloc { size, .. } => found.push((What::Number(*size), None)),
        Op::Realloc { ptr, size, .. } => {
            found.push((What::Pointer(*ptr), None));
            found.push((What::Number(*size), None));
        }
        _ => {}
    }
}

/// Walks an expression as it is evaluated; `guards` says when.
struct Walk<'a> {
    exprs: &'a Exprs,
    found: &'a mut Vec<(What, Option<ExprId>)>,
    /// Conditions under which this part is evaluated: an expression and whether it holds.
    guards: Vec<(ExprId, bool)>,
}

impl Walk<'_> {
    fn expr(&mut self, e: ExprId) {
        match *self.exprs.kind(e) {
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b) => {
                self.expr(a);
                self.guards.push((a, op != BinOp::Or));
                self.expr(b);
                self.guards.pop();
            }
            ExprKind::Ite(c, a, b) => {
                self.expr(c);
                for (branch, holds) in [(a, true), (b, false)] {
                    self.guards.push((c, holds));
                    self.expr(branch);
                    self.guards.pop();
                }
            }
            ExprKind::Read(p) => {
                self.inside(p);
                if self.guards.is_empty() {
                    self.found.push((What::Place(p, true), None));
                } else if let [(guard, true)] = self.guards[..] {
                    self.found.push((What::Place(p, true), Some(guard)));
                }
            }
            ExprKind::AddrOf(p) => self.inside(p),
            _ => {
                let children: Vec<ExprId> = self.exprs.children(e).collect();
                children.into_iter().for_each(|c| self.expr(c));
            }
        }
    }

    fn inside(&mut self, p: PlaceId) {
        match self.exprs.place(p).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(e) => self.expr(e),
            PlaceKind::Field(q, _) => self.inside(q),
            PlaceKind::Index(q, e) => {
                self.inside(q);
                self.expr(e);
            }
        }
    }
}

impl Builder {
    fn temp(&mut self, proc: ProcId, ty: TypeId) -> PlaceId {
        if let Some(&place) = self.temps.get(&(proc, ty)) {
            return place;
        }
        let var = self.p.add_var("probe".into(), ty, VarKind::Temp, Some(proc), Default::default());
        let place = self.p.var_place(var);
        self.temps.insert((proc, ty), place);
        place
    }

    fn step(&mut self, at: LocId, proc: ProcId, value: ExprId, guard: Option<ExprId>, probe: Probe) -> LocId {
        let ty = self.p.exprs.ty(value);
        let dst = self.temp(proc, ty);
        let value = match guard {
            Some(guard) => {
                let zero = self.p.exprs.constant(craig_cfa::Const::Bits(0), ty);
                self.p.exprs.ite(guard, value, zero)
            }
            None => value,
        };
        let next = self.p.add_loc(proc, Default::default());
        let edge = self.p.add_edge(at, next, Op::Assign(dst, value), Default::default());
        self.probes.insert(edge, probe);
        next
    }

    fn address(
        &mut self,
        at: LocId,
        proc: ProcId,
        place: PlaceId,
        guard: Option<ExprId>,
        probe: Probe,
    ) -> LocId {
        let size_t = self.p.types.size_t();
        let address = self.p.exprs.addr_of(&mut self.p.types, place);
        let address = self.p.exprs.cast(&self.p.types, address, size_t);
        self.step(at, proc, address, guard, probe)
    }

    fn place(&mut self, at: LocId, proc: ProcId, place: PlaceId, read: bool, guard: Option<ExprId>) -> LocId {
        let at = self.address(at, proc, place, guard, Probe::Address(place));
        let ty = self.p.exprs.place(place).ty;
        if !read || self.p.types.is_aggregate(ty) {
            return at;
        }
        let value = self.p.exprs.read(place);
        self.step(at, proc, value, guard, Probe::Value)
    }

    fn number(&mut self, at: LocId, proc: ProcId, e: ExprId, probe: Probe) -> LocId {
        let size_t = self.p.types.size_t();
        let value = self.p.exprs.cast(&self.p.types, e, size_t);
        self.step(at, proc, value, None, probe)
    }
}
