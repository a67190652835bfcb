//! Statements.

use super::super::ast::{Alternative, Ident, Stmt, StmtKind};
use super::{Lower, shown, wrong};
use crate::Res;
use craig_base::Span;
use craig_cfa::{ExprId, LocId, Op};

impl Lower<'_> {
    /// Statements, and the label right before the first of them.
    pub fn stmts<'s>(&mut self, mut label: Option<&'s Ident>, stmts: &'s [Stmt]) -> Res<()> {
        for stmt in stmts {
            self.pace.step()?;
            self.p.locs[self.cur].span = stmt.span;
            let here = label.take();
            if let Some(label) = here {
                self.rules_beside(label, Some(stmt))?;
            }
            if let StmtKind::Label(name) = &stmt.kind {
                label = Some(name);
            }
            self.instances = 0;
            self.stmt(here, stmt)?;
        }
        match label {
            Some(label) => self.rules_beside(label, None),
            None => Ok(()),
        }
    }

    /// A statement, and the label right before it.
    fn stmt(&mut self, label: Option<&Ident>, stmt: &Stmt) -> Res<()> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Label(label) => {
                let loc = self.label(label)?;
                self.p.locs[loc].span = span;
                self.goto(loc, span);
                self.come_to(loc, label);
            }
            StmtKind::Skip(None) => {}
            StmtKind::Skip(Some(condition)) => {
                let holds = self.holds(condition)?;
                self.assume(holds, span);
            }
            StmtKind::Assign(assigns) => self.assigns(assigns, span)?,
            StmtKind::Call { result, callee, args, along } => {
                self.call(result.as_ref(), callee, args, along, span)?;
            }
            StmtKind::If(alternatives) => {
                let end = self.new_loc(span);
                self.alternatives(alternatives, end, None, span)?;
                self.cur = end;
            }
            StmtKind::Do(alternatives) => {
                // Going round comes to the label again, and to the rules for it.
                let head = match label.and_then(|label| self.frame.labels.get(&label.name)) {
                    Some(&head) => head,
                    None => {
                        let head = self.new_loc(span);
                        self.goto(head, span);
                        self.cur = head;
                        head
                    }
                };
                let end = self.new_loc(span);
                self.frame.loops.push(end);
                self.alternatives(alternatives, head, self.leave_loops.then_some(end), span)?;
                self.frame.loops.pop();
                self.cur = end;
            }
            StmtKind::Goto { label, along } => {
                self.assigns(along, span)?;
                let loc = self.label(label)?;
                self.goto(loc, span);
                self.dead_end(span);
            }
            StmtKind::Break => {
                let Some(&end) = self.frame.loops.last() else {
                    return wrong("`break` outside of `do`", span);
                };
                self.goto(end, span);
                self.dead_end(span);
            }
            StmtKind::Return(value) => {
                self.return_value(value.as_ref(), span)?;
                self.dead_end(span);
            }
        }
        Ok(())
    }

    /// The location of a label of this module.
    fn label(&mut self, label: &Ident) -> Res<LocId> {
        let module = &self.p.procs[self.frame.proc].name;
        match self.labels.get(&label.name) {
            None => return wrong(format!("there is no label {}", shown(label)), label.span),
            Some((home, _)) if home != module => {
                return wrong(format!("label {} stands in module `{home}`", shown(label)), label.span);
            }
            Some(_) => {}
        }
        Ok(self.point(label))
    }

    /// The location of a label or a symbol in this procedure.
    pub fn point(&mut self, label: &Ident) -> LocId {
        if let Some(&loc) = self.frame.labels.get(&label.name) {
            return loc;
        }
        let loc = self.new_loc(label.span);
        self.frame.labels.insert(label.name.clone(), loc);
        loc
    }

    /// The label stands here. Nothing comes after the one that is an error.
    pub fn come_to(&mut self, loc: LocId, label: &Ident) {
        self.p.locs[loc].label = Some(label.name.clone());
        self.cur = loc;
        if label.name == self.error_label {
            self.p.add_edge(loc, self.p.error, Op::Skip, label.span);
            self.dead_end(label.span);
        }
    }

    /// Every alternative leads to `next`; where none holds, to `otherwise`.
    fn alternatives(
        &mut self,
        alternatives: &[Alternative],
        next: LocId,
        otherwise: Option<LocId>,
        span: Span,
    ) -> Res<()> {
        let (mut holds, mut oks, mut guards) = (Vec::new(), Vec::new(), Vec::new());
        for alternative in alternatives {
            if let Some(guard) = &alternative.guard {
                let (e, ok) = self.condition(guard)?;
                guards.push(self.p.exprs.and(ok, e));
                holds.push(e);
                oks.push(ok);
            }
        }
        let none = self.none_holds(holds, oks);
        let mut ways = self.ways(&guards, span);
        ways.push(none);
        let from = self.cur;
        for (alternative, way) in alternatives.iter().zip(ways) {
            self.cur = from;
            self.enter(way, span);
            self.stmts(None, &alternative.stmts)?;
            self.goto(next, span);
        }
        if let Some(otherwise) = otherwise
            && alternatives.iter().all(|a| a.guard.is_some())
        {
            self.cur = from;
            self.enter(none, span);
            self.goto(otherwise, span);
        }
        Ok(())
    }

    /// All conditions have a value, and it is false.
    fn none_holds(&mut self, holds: Vec<ExprId>, oks: Vec<ExprId>) -> ExprId {
        let any = self.any(holds);
        let none = self.p.exprs.not(any);
        let ok = self.all(oks);
        self.p.exprs.and(ok, none)
    }

    /// A location behind the condition, in any case one of its own.
    pub fn enter(&mut self, condition: ExprId, span: Span) {
        let op = match self.p.exprs.as_bool(condition) {
            Some(false) => return self.dead_end(span),
            Some(true) => Op::Skip,
            None => Op::Assume(condition),
        };
        self.emit(op, span);
    }
}
