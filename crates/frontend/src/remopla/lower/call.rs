//! Calls and results.
//!
//! Assignments that come along with a call are made before the callee is entered; arguments are read before them. The place of the
//! result is found when the callee has returned.

use super::super::ast::{Arg, Assign, Expr, Ident, Place};
use super::super::types::Shape;
use super::expr::Target;
use super::{Lower, Param, shown, wrong};
use crate::Res;
use craig_base::Span;
use craig_cfa::{Call, Choice, ExprId, Op, PlaceKind, VarId};

impl Lower<'_> {
    pub fn call(
        &mut self,
        result: Option<&Place>,
        callee: &Ident,
        args: &[Arg],
        along: &[Assign],
        span: Span,
    ) -> Res<()> {
        let Some(signature) = self.signatures.get(&callee.name).cloned() else {
            return wrong(format!("there is no module {}", shown(callee)), callee.span);
        };
        if args.len() != signature.params.len() {
            let (wanted, found) = (signature.params.len(), args.len());
            return wrong(
                format!("module {} takes {wanted} arguments, here are {found}", shown(callee)),
                span,
            );
        }
        let (mut values, mut oks) = (Vec::new(), Vec::new());
        for (arg, Param { shape, .. }) in args.iter().zip(&signature.params) {
            match arg {
                Arg::Value(expr) => {
                    let value = self.value(expr)?;
                    let (e, ok) = self.fit(&value, shape, expr.span)?;
                    values.push(e);
                    oks.push(ok);
                }
                Arg::Undef(at) => {
                    let var = self.temp("any", shape.ty, *at);
                    values.push(self.any_argument(var, shape, Choice::Nondet("undef".into()), span));
                }
            }
        }
        for Param { name, shape } in &signature.given {
            let var = self.temp(name, shape.ty, span);
            values.push(self.any_argument(var, shape, Choice::Uninit, span));
        }
        let (jobs, ok) = self.jobs(along, span)?;
        oks.push(ok);
        let ok = self.all(oks);
        self.assume(ok, span);
        for value in &mut values {
            if self.is_changed(&jobs, *value) {
                *value = self.save(*value, span);
            }
        }
        self.write(jobs, span)?;
        let Some(place) = result else {
            self.emit(Op::Call(Box::new(Call { proc: signature.proc, args: values, ret: None })), span);
            return Ok(());
        };
        let Some(shape) = signature.result else {
            return wrong(format!("module {} gives no result", shown(callee)), callee.span);
        };
        let target = self.target(place)?;
        if target.shape == shape && self.is_fixed(&target) {
            let call = Call { proc: signature.proc, args: values, ret: Some(target.place) };
            self.emit(Op::Call(Box::new(call)), span);
            return Ok(());
        }
        let var = self.temp("result", shape.ty, span);
        let temp = self.p.var_place(var);
        self.emit(Op::Call(Box::new(Call { proc: signature.proc, args: values, ret: Some(temp) })), span);
        let given = self.p.exprs.read(temp);
        let always = self.p.exprs.bool(true);
        let given = self.stored(given, shape, always);
        let (e, ok) = self.fit(&given, &target.shape, place.span)?;
        let ok = self.p.exprs.and(target.ok, ok);
        self.assume(ok, span);
        self.emit(Op::Assign(target.place, e), span);
        Ok(())
    }

    /// An arbitrary value, in this variable.
    pub fn any_argument(&mut self, var: VarId, shape: &Shape, why: Choice, span: Span) -> ExprId {
        let place = self.p.var_place(var);
        self.havoc(place, shape, why, span);
        self.p.exprs.read(place)
    }

    /// Is the place the same whatever the callee does, and is it there?
    fn is_fixed(&self, target: &Target) -> bool {
        let mut place = target.place;
        loop {
            match self.p.exprs.place(place).kind {
                PlaceKind::Var(_) => return self.p.exprs.as_bool(target.ok) == Some(true),
                PlaceKind::Field(of, _) => place = of,
                PlaceKind::Index(of, at) if self.p.exprs.as_const(at).is_some() => place = of,
                PlaceKind::Index(..) | PlaceKind::Deref(_) => return false,
            }
        }
    }

    pub fn return_value(&mut self, value: Option<&Expr>, span: Span) -> Res<()> {
        let name = self.p.procs[self.frame.proc].name.clone();
        let result = self.signatures.get(&name).and_then(|s| s.result.clone());
        let value: Option<ExprId> = match (value, result) {
            (None, None) => None,
            (Some(expr), Some(shape)) => {
                let value = self.value(expr)?;
                let (e, ok) = self.fit(&value, &shape, expr.span)?;
                self.assume(ok, span);
                Some(e)
            }
            (Some(expr), None) => return wrong(format!("module `{name}` gives no result"), expr.span),
            (None, Some(_)) => return wrong(format!("module `{name}` gives a result"), span),
        };
        let exit = self.p.procs[self.frame.proc].exit;
        self.p.add_edge(self.cur, exit, Op::Return(value), span);
        Ok(())
    }
}
