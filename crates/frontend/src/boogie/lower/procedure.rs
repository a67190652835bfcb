//! Procedures.
//!
//! An implementation becomes: snapshots of the globals that `old` names; arbitrary results and locals; what may be assumed at entry
//! (`where` clauses, free preconditions); the body; the postconditions, checked or, if free, assumed; the return. Ordinary
//! preconditions are not assumed here: the callers check them, and the start assumes them for the entry.
//!
//! A procedure without implementation becomes one that assumes the same at entry, changes what it may change and does what its
//! postconditions say. (Boogie itself, which looks at one procedure at a time, ignores free preconditions at calls; when it inlines, it
//! assumes them.)

use super::super::hir::{Claim, GlobalId, Implementation, Local, Procedure, ProcedureId};
use super::{Env, Frame, Lower};
use craig_base::Span;
use craig_cfa::{Choice, ExprId, Op, ProcId, Types, VarId, VarKind};

impl<'a> Lower<'a> {
    /// The procedures that a call of this one may enter.
    pub fn procs_of(&mut self, id: ProcedureId) -> Vec<ProcId> {
        if let Some(procs) = &self.procs[id] {
            return procs.clone();
        }
        let procedure = &self.hir.procedures[id];
        let ret = match procedure.outs.as_slice() {
            [out] => self.ty(out.ty),
            outs => {
                for out in outs.iter().filter(|_| outs.len() > 1) {
                    let name = format!("{}.{}", procedure.name, out.name).into();
                    let ty = self.ty(out.ty);
                    let var = self.p.add_var(name, ty, VarKind::Global, None, out.span);
                    self.results[id].push(var);
                }
                Types::VOID
            }
        };
        let mut procs = Vec::new();
        for n in 0..procedure.implementations.len().max(1) {
            let name =
                if n == 0 { procedure.name.clone() } else { format!("{}#{}", procedure.name, n + 1).into() };
            let span = procedure.implementations.get(n).map_or(procedure.span, |i| i.span);
            let proc = self.p.add_proc(name, ret, span);
            for (i, declared) in procedure.ins.iter().enumerate() {
                // The names of the implementation are those that its statements use.
                let param = procedure.implementations.get(n).map_or(declared, |imp| &imp.locals[i]);
                let ty = self.ty(param.ty);
                let var = self.p.add_var(param.name.clone(), ty, VarKind::Param, Some(proc), param.span);
                self.p.procs[proc].params.push(var);
            }
            procs.push(proc);
        }
        self.procs[id] = Some(procs.clone());
        self.queue.push_back(id);
        procs
    }

    /// The code of everything that was called and has none yet.
    pub fn drain(&mut self) {
        while let Some(id) = self.queue.pop_front() {
            if self.has_ended() {
                return;
            }
            let procedure = &self.hir.procedures[id];
            let procs = self.procs_of(id);
            if procedure.implementations.is_empty() {
                self.contract(id, procedure, procs[0]);
            }
            for (implementation, &proc) in procedure.implementations.iter().zip(&procs) {
                self.implementation(id, procedure, implementation, proc);
            }
        }
    }

    fn enter(&mut self, proc: ProcId, span: Span, labels: usize) {
        let leave = self.p.add_loc(proc, span);
        self.frame = Frame { labels: vec![None; labels], ..Frame::new(proc, leave) };
        self.cur = self.p.procs[proc].entry;
    }

    /// Parameters, results and locals become what local variables stand for.
    fn bind(&mut self, proc: ProcId, rest: &[Local]) {
        let mut vars = self.p.procs[proc].params.clone();
        for local in rest {
            let ty = self.ty(local.ty);
            vars.push(self.p.add_var(local.name.clone(), ty, VarKind::Local, Some(proc), local.span));
        }
        let locals = vars.iter().map(|v| self.p.var_expr(*v)).collect();
        self.env = Env { locals, one_state: false };
    }

    fn snapshot<'o>(&mut self, olds: impl Iterator<Item = &'o GlobalId>, span: Span) {
        for &id in olds {
            if self.frame.olds.contains_key(&id) {
                continue;
            }
            let global = self.global(id);
            let (name, ty) = (format!("old.{}", self.p.vars[global].name), self.p.vars[global].ty);
            let var = self.p.add_var(name.into(), ty, VarKind::Temp, Some(self.frame.proc), span);
            let now = self.p.var_expr(global);
            self.assign(var, now, span);
            self.frame.olds.insert(id, var);
        }
    }

    /// The variable that a local is.
    pub fn local_var(&self, local: usize) -> Option<VarId> {
        let place = self.p.exprs.place_in(self.env.locals[local])?;
        self.p.exprs.root_var(place)
    }

    pub fn assume_local_where(&mut self, local: usize) {
        if let Some(wher) = self.frame.wheres.get(local).copied().flatten() {
            let holds = self.value(wher);
            self.assume(holds, wher.span);
        }
    }

    pub fn assume_claims<'c>(&mut self, claims: impl Iterator<Item = &'c Claim>) {
        for claim in claims {
            let holds = self.value(&claim.expr);
            self.assume(holds, claim.expr.span);
        }
    }

    fn implementation(
        &mut self,
        id: ProcedureId,
        procedure: &'a Procedure,
        implementation: &'a Implementation,
        proc: ProcId,
    ) {
        self.enter(proc, implementation.end, implementation.labels.len());
        let ins = procedure.ins.len();
        self.bind(proc, &implementation.locals[ins..]);
        self.snapshot(procedure.olds.iter().chain(&implementation.olds), implementation.span);
        for local in ins..implementation.locals.len() {
            if let Some(var) = self.local_var(local) {
                self.havoc(var, Choice::Uninit, implementation.locals[local].span);
            }
        }
        self.frame.wheres = procedure.ins.iter().chain(&procedure.outs).map(|l| l.wher.as_ref()).collect();
        let own = implementation.locals[self.frame.wheres.len()..].iter();
        self.frame.wheres.extend(own.map(|l| l.wher.as_ref()));
        (0..implementation.locals.len()).for_each(|local| self.assume_local_where(local));
        self.assume_claims(procedure.requires.iter().filter(|c| c.free));

        self.stmts(&implementation.body, &implementation.labels);

        self.goto(self.frame.leave, implementation.end);
        self.cur = self.frame.leave;
        for claim in &procedure.ensures {
            let holds = self.value(&claim.expr);
            if claim.free {
                self.assume(holds, claim.expr.span);
            } else {
                self.check(holds, claim.expr.span);
            }
        }
        self.leave(id, procedure, implementation.end);
    }

    /// A procedure that is given by its contract only.
    fn contract(&mut self, id: ProcedureId, procedure: &'a Procedure, proc: ProcId) {
        let span = procedure.span;
        self.enter(proc, span, 0);
        self.bind(proc, &procedure.outs);
        self.snapshot(procedure.olds.iter(), span);
        self.frame.wheres = procedure.ins.iter().chain(&procedure.outs).map(|l| l.wher.as_ref()).collect();
        (0..procedure.ins.len()).for_each(|local| self.assume_local_where(local));
        self.assume_claims(procedure.requires.iter().filter(|c| c.free));
        for &global in &procedure.modifies {
            let var = self.global(global);
            self.havoc_as(var, Choice::Extern, span);
        }
        for i in 0..procedure.outs.len() {
            if let Some(var) = self.local_var(procedure.ins.len() + i) {
                self.havoc_as(var, Choice::Extern, span);
            }
        }
        for &global in &procedure.modifies {
            self.assume_global_where(global);
        }
        (0..procedure.outs.len()).for_each(|out| self.assume_local_where(procedure.ins.len() + out));
        self.assume_claims(procedure.ensures.iter());
        self.leave(id, procedure, span);
    }

    pub fn assume_global_where(&mut self, global: GlobalId) {
        if let Some(wher) = &self.hir.globals[global].wher {
            let holds = self.value(wher);
            self.assume(holds, wher.span);
        }
    }

    fn leave(&mut self, id: ProcedureId, procedure: &Procedure, span: Span) {
        let first = procedure.ins.len();
        let outs: Vec<ExprId> = self.env.locals[first..first + procedure.outs.len()].to_vec();
        let value = match *outs.as_slice() {
            [out] => Some(out),
            _ => {
                let results = self.results[id].clone();
                for (var, out) in results.into_iter().zip(outs) {
                    self.assign(var, out, span);
                }
                None
            }
        };
        let exit = self.p.procs[self.frame.proc].exit;
        self.p.add_edge(self.cur, exit, Op::Return(value), span);
    }
}
