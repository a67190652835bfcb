//! Statements.

use super::super::ast::{self, Ident, StmtKind as Ast};
use super::super::hir::{Claim, Expr, ExprKind, Stmt, StmtKind, Var};
use super::super::types::Subst;
use super::{Checker, Scope, error, twice};
use crate::Res;
use craig_base::Span;
use craig_cfa::Name;
use rustc_hash::FxHashMap;

/// An `if` or `while` around a statement.
struct Around {
    is_loop: bool,
    labels: Vec<Name>,
}

/// What a body needs beyond its scope.
#[derive(Default)]
struct Body {
    labels: FxHashMap<Name, usize>,
    names: Vec<Name>,
    around: Vec<Around>,
}

impl Checker<'_> {
    /// The statements, and the names of the labels.
    pub fn body(&mut self, body: &ast::Body, scope: &mut Scope) -> Res<(Vec<Stmt>, Vec<Name>)> {
        let mut b = Body::default();
        collect_labels(&body.stmts, &mut b)?;
        let stmts = self.stmts(&body.stmts, scope, &mut b)?;
        Ok((stmts, b.names))
    }

    fn stmts(&mut self, stmts: &[ast::Stmt], scope: &mut Scope, b: &mut Body) -> Res<Vec<Stmt>> {
        let mut out = Vec::with_capacity(stmts.len());
        // Labels right before the statement.
        let mut labels: Vec<Name> = Vec::new();
        for stmt in stmts {
            self.pace.step()?;
            let own = std::mem::take(&mut labels);
            if let Ast::Label(name) = &stmt.kind {
                labels = own;
                labels.push(name.clone());
                out.push(Stmt { kind: StmtKind::Label(b.labels[name]), span: stmt.span });
                continue;
            }
            let kind = self.stmt(stmt, own, scope, b)?;
            out.push(Stmt { kind, span: stmt.span });
        }
        Ok(out)
    }

    fn stmt(
        &mut self,
        stmt: &ast::Stmt,
        labels: Vec<Name>,
        scope: &mut Scope,
        b: &mut Body,
    ) -> Res<StmtKind> {
        Ok(match &stmt.kind {
            Ast::Label(name) => StmtKind::Label(b.labels[name]),
            Ast::Assert(e) => StmtKind::Assert(self.truth(e, scope)?),
            Ast::Assume(e) => StmtKind::Assume(self.truth(e, scope)?),
            Ast::Havoc(names) => {
                StmtKind::Havoc(names.iter().map(|n| self.variable(n, scope)).collect::<Res<_>>()?)
            }
            Ast::Assign(targets, values) => self.assign(targets, values, stmt.span, scope)?,
            Ast::Call { outs, name, args } => self.call(outs, name, args, scope)?,
            Ast::If { cond, yes, no } => {
                let cond = cond.as_ref().map(|c| self.truth(c, scope)).transpose()?;
                b.around.push(Around { is_loop: false, labels });
                let yes = self.stmts(yes, scope, b)?;
                let no = self.stmts(no, scope, b)?;
                b.around.pop();
                StmtKind::If { cond, yes, no }
            }
            Ast::While { cond, invariants, body } => {
                let cond = cond.as_ref().map(|c| self.truth(c, scope)).transpose()?;
                let mut claims = Vec::new();
                for invariant in invariants {
                    let expr = self.truth(&invariant.expr, scope)?;
                    claims.push(Claim { expr, free: invariant.free });
                }
                b.around.push(Around { is_loop: true, labels });
                let body = self.stmts(body, scope, b)?;
                b.around.pop();
                StmtKind::While { cond, invariants: claims, body }
            }
            Ast::Goto(names) => {
                let mut targets = Vec::new();
                for name in names {
                    match b.labels.get(&name.name) {
                        Some(&label) => targets.push(label),
                        None => return error(format!("there is no label `{}`", name.name), name.span),
                    }
                }
                StmtKind::Goto(targets)
            }
            Ast::Break(None) => match b.around.iter().rposition(|a| a.is_loop) {
                Some(at) => StmtKind::Break(at),
                None => return error("`break` outside of a loop", stmt.span),
            },
            Ast::Break(Some(label)) => match b.around.iter().rposition(|a| a.labels.contains(&label.name)) {
                Some(at) => StmtKind::Break(at),
                None => {
                    let message = format!("`{}` labels no `while` or `if` around this `break`", label.name);
                    return error(message, label.span);
                }
            },
            Ast::Return => StmtKind::Return,
            Ast::Unsupported(what) => StmtKind::Unsupported(what),
        })
    }

    /// Something that may be assigned.
    fn variable(&mut self, name: &Ident, scope: &Scope) -> Res<Var> {
        if let Some(&local) = scope.locals.get(&name.name) {
            if local < scope.ins {
                return error(format!("parameter `{}` cannot be changed", name.name), name.span);
            }
            return Ok(Var::Local(local));
        }
        match self.global_by_name.get(&name.name) {
            Some(&id) if !self.globals[id].constant => {
                if !scope.modifies.contains(&id) {
                    return not_modified(&name.name, "is changed here", name.span);
                }
                Ok(Var::Global(id))
            }
            Some(_) => error(format!("constant `{}` cannot be changed", name.name), name.span),
            None => error(format!("`{}` is not declared", name.name), name.span),
        }
    }

    fn read(&self, var: Var, scope: &Scope, span: Span) -> Expr {
        let ty = match var {
            Var::Local(local) => scope.local_tys[local],
            Var::Global(id) => self.globals[id].ty,
        };
        Expr { kind: ExprKind::Var(var), ty, span }
    }

    fn assign(
        &mut self,
        targets: &[ast::Target],
        values: &[ast::Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Res<StmtKind> {
        if targets.len() != values.len() {
            let message = format!("{} values for {} variables", values.len(), targets.len());
            return error(message, span);
        }
        let mut pairs: Vec<(Var, Expr)> = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            let var = self.variable(&target.name, scope)?;
            if pairs.iter().any(|(v, _)| *v == var) {
                return error(format!("`{}` is assigned twice at once", target.name.name), target.name.span);
            }
            let value = self.expr(value, scope)?;
            // `m[i][j] := v` is `m := m[i := m[i][j := v]]`: on the way in `m`, `m[i]`, on the way out the stores.
            let mut maps = vec![self.read(var, scope, target.name.span)];
            let mut indices = Vec::new();
            for (n, (index, at)) in target.indices.iter().enumerate() {
                let index = self.exprs(index, scope)?;
                if n + 1 < target.indices.len() {
                    let map = maps[n].clone();
                    let (kind, ty) = self.select(map, index.clone(), *at)?;
                    maps.push(Expr { kind, ty, span: *at });
                }
                indices.push((index, *at));
            }
            let mut value = value;
            if indices.is_empty() {
                self.require(&value, maps[0].ty)?;
            }
            for (map, (index, at)) in maps.into_iter().zip(indices).rev() {
                let (kind, ty) = self.store(map, index, value, at)?;
                value = Expr { kind, ty, span: at };
            }
            pairs.push((var, value));
        }
        Ok(StmtKind::Assign(pairs))
    }

    fn call(&mut self, outs: &[Ident], name: &Ident, args: &[ast::Expr], scope: &mut Scope) -> Res<StmtKind> {
        let Some(&callee) = self.procedure_by_name.get(&name.name) else {
            return error(format!("procedure `{}` is not declared", name.name), name.span);
        };
        let args = self.exprs(args, scope)?;
        let mut vars = Vec::new();
        for out in outs {
            let var = self.variable(out, scope)?;
            if vars.contains(&var) {
                return twice_assigned(out);
            }
            vars.push(var);
        }
        let procedure = &self.procedures[callee];
        if let Some(id) = procedure.modifies.iter().find(|g| !scope.modifies.contains(*g)) {
            let what = format!("may be changed by `{}`", name.name);
            return not_modified(&self.globals[*id].name, &what, name.span);
        }
        if procedure.ins.len() != args.len() {
            let (n, m) = (procedure.ins.len(), args.len());
            return error(format!("procedure `{}` takes {n} arguments, not {m}", name.name), name.span);
        }
        if procedure.outs.len() != outs.len() {
            let (n, m) = (procedure.outs.len(), outs.len());
            return error(format!("procedure `{}` returns {n} values, not {m}", name.name), name.span);
        }
        let params = &self.procedure_scopes[callee].params;
        let mut subst = Subst::default();
        for (formal, arg) in procedure.ins.iter().zip(&args) {
            if !self.tys.unify(formal.ty, arg.ty, params, &mut subst) {
                let (expected, found) = (self.tys.show(formal.ty), self.tys.show(arg.ty));
                return error(format!("expected type {expected}, found {found}"), arg.span);
            }
        }
        for ((formal, var), out) in procedure.outs.iter().zip(&vars).zip(outs) {
            let ty = self.read(*var, scope, out.span).ty;
            if !self.tys.unify(formal.ty, ty, params, &mut subst) {
                let (found, expected) = (self.tys.show(formal.ty), self.tys.show(ty));
                let message = format!("`{}` is of type {expected}, the result of type {found}", out.name);
                return error(message, out.span);
            }
        }
        Ok(StmtKind::Call { outs: vars, callee, args })
    }
}

fn not_modified<T>(name: &str, what: &str, span: Span) -> Res<T> {
    let message = format!("`{name}` {what} but is not in the `modifies` clause of this procedure");
    error(message, span)
}

fn twice_assigned<T>(out: &Ident) -> Res<T> {
    error(format!("`{}` is assigned twice at once", out.name), out.span)
}

/// Labels of the whole body: a `goto` may lead forwards and out of blocks.
fn collect_labels(stmts: &[ast::Stmt], b: &mut Body) -> Res<()> {
    for stmt in stmts {
        match &stmt.kind {
            Ast::Label(name) => {
                if b.labels.insert(name.clone(), b.names.len()).is_some() {
                    return twice("label", &Ident { name: name.clone(), span: stmt.span });
                }
                b.names.push(name.clone());
            }
            Ast::If { yes, no, .. } => {
                collect_labels(yes, b)?;
                collect_labels(no, b)?;
            }
            Ast::While { body, .. } => collect_labels(body, b)?,
            _ => {}
        }
    }
    Ok(())
}
