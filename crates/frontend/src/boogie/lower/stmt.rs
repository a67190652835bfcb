//! Statements.

use super::super::hir::{Claim, Expr, Stmt, StmtKind, Var};
use super::Lower;
use craig_base::Span;
use craig_cfa::{Choice, ExprId, LocId, Name, Op, VarId};
use rustc_hash::FxHashSet;

impl Lower<'_> {
    pub fn stmts(&mut self, stmts: &[Stmt], labels: &[Name]) {
        for stmt in stmts {
            if self.has_ended() {
                return;
            }
            self.p.locs[self.cur].span = stmt.span;
            self.stmt(stmt, labels);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, labels: &[Name]) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Label(label) => {
                let loc = self.label(*label, span);
                self.p.locs[loc].span = span;
                self.p.locs[loc].label = Some(labels[*label].clone());
                self.goto(loc, span);
                self.cur = loc;
            }
            StmtKind::Assert(e) => {
                let holds = self.value(e);
                self.check(holds, span);
            }
            StmtKind::Assume(e) => {
                let holds = self.value(e);
                self.assume(holds, span);
            }
            StmtKind::Havoc(vars) => self.havoc_all(vars, span),
            StmtKind::Assign(pairs) => self.assign_all(pairs, span),
            StmtKind::Call { outs, callee, args } => self.call(outs, *callee, args, span),
            StmtKind::If { cond, yes, no } => {
                let end = self.new_loc(span);
                let (yes_start, no_start) = self.branch(cond.as_ref(), span);
                self.frame.around.push(end);
                for (start, block) in [(yes_start, yes), (no_start, no)] {
                    self.cur = start;
                    self.stmts(block, labels);
                    self.goto(end, span);
                }
                self.frame.around.pop();
                self.cur = end;
            }
            StmtKind::While { cond, invariants, body } => {
                self.while_loop(cond.as_ref(), invariants, body, labels, span);
            }
            StmtKind::Goto(targets) => {
                for (&target, way) in targets.iter().zip(self.ways(targets.len(), span)) {
                    self.cur = way;
                    let loc = self.label(target, span);
                    self.goto(loc, span);
                }
                self.dead_end(span);
            }
            StmtKind::Break(around) => {
                self.goto(self.frame.around[*around], span);
                self.dead_end(span);
            }
            StmtKind::Return => {
                self.goto(self.frame.leave, span);
                self.dead_end(span);
            }
            StmtKind::Unsupported(construct) => self.not_modelled(construct, span),
        }
    }

    fn label(&mut self, label: usize, span: Span) -> LocId {
        match self.frame.labels[label] {
            Some(loc) => loc,
            None => {
                let loc = self.new_loc(span);
                self.frame.labels[label] = Some(loc);
                loc
            }
        }
    }

    /// The first locations of both branches. Without condition, both may be taken.
    fn branch(&mut self, cond: Option<&Expr>, span: Span) -> (LocId, LocId) {
        let Some(cond) = cond else {
            let ways = self.ways(2, span);
            return (ways[0], ways[1]);
        };
        let at = cond.span;
        let cond = self.value(cond);
        let (yes, no) = (self.new_loc(span), self.new_loc(span));
        match self.p.exprs.as_bool(cond) {
            Some(true) => self.goto(yes, at),
            Some(false) => self.goto(no, at),
            None => {
                let negated = self.p.exprs.not(cond);
                self.p.add_edge(self.cur, yes, Op::Assume(cond), at);
                self.p.add_edge(self.cur, no, Op::Assume(negated), at);
            }
        }
        (yes, no)
    }

    /// The invariants are checked whenever the head is reached: at entry and after each iteration.
    fn while_loop(
        &mut self,
        cond: Option<&Expr>,
        invariants: &[Claim],
        body: &[Stmt],
        labels: &[Name],
        span: Span,
    ) {
        let (head, end) = (self.new_loc(span), self.new_loc(span));
        self.goto(head, span);
        self.cur = head;
        for claim in invariants {
            let holds = self.value(&claim.expr);
            if claim.free {
                self.assume(holds, claim.expr.span);
            } else {
                self.check(holds, claim.expr.span);
            }
        }
        let (inside, outside) = self.branch(cond, span);
        self.frame.around.push(end);
        self.cur = inside;
        self.stmts(body, labels);
        self.goto(head, span);
        self.frame.around.pop();
        self.cur = outside;
        self.goto(end, span);
        self.cur = end;
    }

    /// First all variables, then their `where` clauses, which may speak of each other.
    fn havoc_all(&mut self, vars: &[Var], span: Span) {
        for &var in vars {
            if let Some(var) = self.var(var) {
                self.havoc_as(var, Choice::Nondet, span);
            }
        }
        for &var in vars {
            match var {
                Var::Global(id) => self.assume_global_where(id),
                Var::Local(local) => self.assume_local_where(local),
            }
        }
    }

    /// All values are those before the statement: stored first where an earlier assignment would change a later value.
    fn assign_all(&mut self, pairs: &[(Var, Expr)], span: Span) {
        let mut todo: Vec<(VarId, ExprId)> = Vec::new();
        for (var, value) in pairs {
            let value = self.value(value);
            if let Some(var) = self.var(*var) {
                todo.push((var, value));
            }
        }
        let mut written = FxHashSet::default();
        for (var, value) in &mut todo {
            if self.reads(*value, &written) {
                *value = self.save(*value, span);
            }
            written.insert(*var);
        }
        for (var, value) in todo {
            self.assign(var, value, span);
        }
    }
}
