//! Calls.

use super::super::hir::{Expr, ProcedureId, Var};
use super::{Env, Lower};
use craig_base::Span;
use craig_cfa::{Call, ExprId, Op, VarId};

impl Lower<'_> {
    pub fn call(&mut self, outs: &[Var], callee: ProcedureId, args: &[Expr], span: Span) {
        let args: Vec<ExprId> = args.iter().map(|a| self.value(a)).collect();
        let procedure = &self.hir.procedures[callee];
        for claim in procedure.requires.iter().filter(|c| !c.free) {
            let env = Env { locals: args.clone(), one_state: true };
            let holds = self.value_in(&claim.expr, env);
            self.check(holds, span);
        }
        let outs: Vec<VarId> = outs.iter().filter_map(|v| self.var(*v)).collect();
        if procedure.generic {
            // Its types would have to be told apart call by call.
            self.not_modelled("call of a procedure with type parameters", span);
            return;
        }
        let single = (procedure.outs.len() == 1).then(|| self.place(outs[0]));
        self.enter_calls(callee, args, single, span);
        let results = self.results[callee].clone();
        for (out, result) in outs.into_iter().zip(results) {
            let value = self.p.var_expr(result);
            self.assign(out, value, span);
        }
    }

    /// Any of the implementations is called.
    pub fn enter_calls(
        &mut self,
        callee: ProcedureId,
        args: Vec<ExprId>,
        ret: Option<craig_cfa::PlaceId>,
        span: Span,
    ) {
        let next = self.new_loc(span);
        let procs = self.procs_of(callee);
        for (proc, way) in procs.iter().zip(self.ways(procs.len(), span)) {
            let call = Call { proc: *proc, args: args.clone(), ret };
            self.p.add_edge(way, next, Op::Call(Box::new(call)), span);
        }
        self.cur = next;
    }

    /// The variable that is assigned.
    pub fn var(&mut self, var: Var) -> Option<VarId> {
        match var {
            Var::Global(id) => Some(self.global(id)),
            Var::Local(local) => self.local_var(local),
        }
    }
}
