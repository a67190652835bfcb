//! Statements.

use super::{Lower, Res, Symbol, Val};
use craig_base::Span;
use craig_cfa::{BinOp, Choice, ExprId, LeanKind, LocId, Name, Op, Type, Types};
use lang_c::ast::{self, Statement as S};
use lang_c::span::Node;
use std::collections::BTreeMap;

/// An open `switch`.
pub(super) struct Switch {
    /// First and last value, and where they lead.
    cases: Vec<(i128, i128, LocId, Span)>,
    /// The same ranges, to find a value that stands twice.
    ranges: BTreeMap<i128, i128>,
    default: Option<LocId>,
    /// Type of the controlling expression.
    ty: craig_cfa::TypeId,
}

impl<'a> Lower<'a> {
    pub fn statement(&mut self, node: &'a Node<S>) -> Res<()> {
        self.pace.step()?;
        let span = self.span(node);
        if !matches!(node.node, S::Compound(_) | S::Labeled(_)) {
            self.notes_before(span)?;
        }
        match &node.node {
            S::Compound(items) => self.scoped(|l| items.iter().try_for_each(|item| l.block_item(item))),
            S::Expression(None) => Ok(()),
            S::Expression(Some(e)) => self.discard(e),
            S::Labeled(labeled) => self.labeled(labeled),
            S::If(statement) => self.if_statement(&statement.node, span),
            S::Switch(statement) => self.switch(&statement.node, span),
            S::While(statement) => {
                let ast::WhileStatement { expression, statement: body } = &statement.node;
                let head = self.loop_head(span)?;
                let (start, end) = (self.new_loc(self.span(body)), self.new_loc(span));
                let (yes, no) = self.noted_branches(span, start, end);
                self.condition(expression, yes, no)?;
                self.cur = start;
                self.loop_body(body, head, end)?;
                self.goto(head, span);
                self.cur = end;
                Ok(())
            }
            S::DoWhile(statement) => {
                let ast::DoWhileStatement { statement: body, expression } = &statement.node;
                let head = self.loop_head(span)?;
                let (test, end) = (self.new_loc(self.span(expression)), self.new_loc(span));
                self.loop_body(body, test, end)?;
                self.goto(test, span);
                self.cur = test;
                let (yes, no) = self.noted_branches(span, head, end);
                self.condition(expression, yes, no)?;
                self.cur = end;
                Ok(())
            }
            S::For(statement) => self.scoped(|l| l.for_statement(&statement.node, span)),
            S::Goto(label) => {
                self.leave_by_goto(&label.node.name, span);
                Ok(())
            }
            S::Continue => self.jump(self.jumps.continues.last().copied(), "continue", span),
            S::Break => self.jump(self.jumps.breaks.last().copied(), "break", span),
            S::Return(value) => self.return_statement(value.as_deref(), span),
            S::Asm(asm) => self.asm(&asm.node, span),
        }
    }

    fn block_item(&mut self, item: &'a Node<ast::BlockItem>) -> Res<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => {
                self.notes_before(self.span(item))?;
                self.local_declaration(d)
            }
            ast::BlockItem::StaticAssert(a) => self.static_assert(a),
            ast::BlockItem::Statement(s) => self.statement(s),
        }
    }

    fn jump(&mut self, to: Option<(LocId, usize)>, word: &str, span: Span) -> Res<()> {
        match to {
            Some((to, depth)) => {
                self.clean_up(depth, span);
                self.goto(to, span);
                self.dead_end(span);
                Ok(())
            }
            None => self.error(format!("`{word}` stands outside of what it could leave"), span),
        }
    }

    /// A location of its own for the head of a loop.
    fn loop_head(&mut self, span: Span) -> Res<LocId> {
        let head = self.new_loc(span);
        self.goto(head, span);
        self.cur = head;
        self.notes_of_loop(span)?;
        Ok(head)
    }

    fn loop_body(&mut self, body: &'a Node<S>, next: LocId, end: LocId) -> Res<()> {
        let depth = self.cleanups.depth();
        self.jumps.continues.push((next, depth));
        self.jumps.breaks.push((end, depth));
        let result = self.statement(body);
        self.jumps.continues.pop();
        self.jumps.breaks.pop();
        result
    }

    fn if_statement(&mut self, statement: &'a ast::IfStatement, span: Span) -> Res<()> {
        let (yes, no) = (self.new_loc(self.span(&statement.then_statement)), self.new_loc(span));
        let (then, otherwise) = self.noted_branches(span, yes, no);
        self.condition(&statement.condition, then, otherwise)?;
        self.cur = yes;
        self.statement(&statement.then_statement)?;
        match &statement.else_statement {
            None => {
                self.goto(no, span);
                self.cur = no;
            }
            Some(otherwise) => {
                let end = self.new_loc(span);
                self.goto(end, span);
                self.cur = no;
                self.statement(otherwise)?;
                self.goto(end, span);
                self.cur = end;
            }
        }
        Ok(())
    }

    fn for_statement(&mut self, statement: &'a ast::ForStatement, span: Span) -> Res<()> {
        match &statement.initializer.node {
            ast::ForInitializer::Empty => {}
            ast::ForInitializer::Expression(e) => self.discard(e)?,
            ast::ForInitializer::Declaration(d) => self.local_declaration(d)?,
            ast::ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let head = self.loop_head(span)?;
        let (start, step, end) =
            (self.new_loc(self.span(&statement.statement)), self.new_loc(span), self.new_loc(span));
        match &statement.condition {
            Some(condition) => {
                let (yes, no) = self.noted_branches(span, start, end);
                self.condition(condition, yes, no)?;
            }
            None => self.goto(start, span),
        }
        self.cur = start;
        self.loop_body(&statement.statement, step, end)?;
        self.goto(step, span);
        self.cur = step;
        if let Some(step) = &statement.step {
            self.discard(step)?;
        }
        self.goto(head, span);
        self.cur = end;
        Ok(())
    }

    pub fn label(&mut self, name: &str, span: Span) -> LocId {
        if let Some((loc, _, _)) = self.labels.get(name) {
            return *loc;
        }
        let loc = self.new_loc(span);
        self.labels.insert(name.into(), (loc, false, span));
        loc
    }

    fn labeled(&mut self, node: &'a Node<ast::LabeledStatement>) -> Res<()> {
        let span = self.span(&node.node.label);
        match &node.node.label.node {
            _ if self.unevaluated => {}
            ast::Label::Identifier(name) => {
                let name = name.node.name.as_str();
                let here = self.label(name, span);
                let entry = self.labels.get_mut(name).expect("`label` made the entry");
                if entry.1 {
                    return self.error(format!("label `{name}` is defined twice"), span);
                }
                (entry.1, entry.2) = (true, span);
                self.p.locs[here].label = Some(name.into());
                self.p.locs[here].span = span;
                self.goto(here, span);
                self.come_in(here);
                self.cleanups.label(name);
                self.notes_before(span)?;
                if self.error_label.as_deref() == Some(name) {
                    self.reach_error(span);
                }
            }
            ast::Label::Case(value) => {
                let value = self.case_value(value)?;
                self.case(value, value, span)?;
            }
            ast::Label::CaseRange(range) => {
                let (low, high) = (self.case_value(&range.node.low)?, self.case_value(&range.node.high)?);
                self.case(low, high, span)?;
            }
            ast::Label::Default => {
                let here = self.new_loc(span);
                self.goto(here, span);
                self.come_in(here);
                match self.jumps.switches.last_mut() {
                    Some(switch) if switch.default.is_none() => switch.default = Some(here),
                    Some(_) => return self.error("a second `default`", span),
                    None => return self.error("`default` outside of a switch", span),
                }
            }
        }
        self.statement(&node.node.statement)
    }

    /// The value of a case label, in the type of the controlling expression.
    fn case_value(&mut self, node: &'a Node<ast::Expression>) -> Res<i128> {
        let value = self.const_int(node)?;
        let Some(ty) = self.jumps.switches.last().map(|s| s.ty) else {
            return self.error("`case` outside of a switch", self.span(node));
        };
        let constant = self.p.exprs.int(&self.p.types, value, ty);
        Ok(self.p.exprs.as_int(&self.p.types, constant).expect("a constant that was just made"))
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Res<()> {
        let here = self.new_loc(span);
        self.goto(here, span);
        self.come_in(here);
        let Some(switch) = self.jumps.switches.last_mut() else {
            return self.error("`case` outside of a switch", span);
        };
        if low > high {
            // An empty range: nothing leads here.
            return Ok(());
        }
        if switch.ranges.range(..=high).next_back().is_some_and(|(_, &end)| end >= low) {
            return self.error("this case stands twice in the switch", span);
        }
        switch.ranges.insert(low, high);
        switch.cases.push((low, high, here, span));
        Ok(())
    }

    fn switch(&mut self, statement: &'a ast::SwitchStatement, span: Span) -> Res<()> {
        let value = self.rvalue_of(&statement.expression)?;
        let value = self.promote(value);
        let ty = self.p.exprs.ty(value);
        if self.p.types.as_int(ty).is_none() {
            return self.error("a switch needs an integer", span);
        }
        let value = self.save(value, span);
        let dispatch = self.cur;
        let end = self.new_loc(span);
        self.jumps.switches.push(Switch { cases: Vec::new(), ranges: BTreeMap::new(), default: None, ty });
        self.jumps.breaks.push((end, self.cleanups.depth()));
        self.dead_end(span);
        let body = self.statement(&statement.statement);
        self.goto(end, span);
        self.jumps.breaks.pop();
        let switch = self.jumps.switches.pop().expect("pushed above");
        body?;
        self.cur = dispatch;
        for &(low, high, to, span) in &switch.cases {
            self.pace.step()?;
            let is_it = self.in_range(value, low, high);
            let next = self.new_loc(span);
            self.branch_to(is_it, to, next, span);
            self.cur = next;
        }
        self.goto(switch.default.unwrap_or(end), span);
        self.cur = end;
        Ok(())
    }

    fn in_range(&mut self, value: ExprId, low: i128, high: i128) -> ExprId {
        let ty = self.p.exprs.ty(value);
        let (low_e, high_e) =
            (self.p.exprs.int(&self.p.types, low, ty), self.p.exprs.int(&self.p.types, high, ty));
        if low == high {
            return self.p.exprs.binary(&self.p.types, BinOp::Eq, value, low_e);
        }
        let above = self.p.exprs.binary(&self.p.types, BinOp::Le, low_e, value);
        let below = self.p.exprs.binary(&self.p.types, BinOp::Le, value, high_e);
        self.p.exprs.and(above, below)
    }

    fn return_statement(&mut self, value: Option<&'a Node<ast::Expression>>, span: Span) -> Res<()> {
        let (exit, ret) = (self.p.procs[self.proc].exit, self.p.procs[self.proc].ret);
        let value = match value {
            Some(e) if ret == Types::VOID => {
                self.discard(e)?;
                None
            }
            Some(e) => {
                let value = self.rvalue_of(e)?;
                let value = self.convert(value, ret, span)?;
                Some(self.bounded(value, span))
            }
            None if ret == Types::VOID => None,
            None => {
                let place = self.temp(ret, span);
                self.emit(Op::Havoc(place, Choice::Uninit), span);
                Some(self.p.exprs.read(place))
            }
        };
        let value = match value {
            Some(value) if self.cleanups.depth() > 0 => Some(self.save(value, span)),
            value => value,
        };
        self.clean_up(0, span);
        if !self.unevaluated {
            self.p.add_edge(self.cur, exit, Op::Return(value), span);
        }
        self.dead_end(span);
        Ok(())
    }

    /// `({ ...; value; })`.
    pub fn statement_expression(&mut self, node: &'a Node<S>) -> Res<Val> {
        let span = self.span(node);
        let S::Compound(items) = &node.node else { return self.error("a statement cannot stand here", span) };
        self.scoped(|l| {
            let Some((last, first)) = items.split_last() else { return Ok(Val::Void) };
            let depth = l.cleanups.depth();
            for item in first {
                l.block_item(item)?;
            }
            let value = l.last_value(last)?;
            if l.cleanups.depth() > depth {
                l.not_modelled("a variable with a function to clean up inside an expression", span);
            }
            Ok(value)
        })
    }

    fn last_value(&mut self, item: &'a Node<ast::BlockItem>) -> Res<Val> {
        let mut statement = match &item.node {
            ast::BlockItem::Statement(s) => s,
            _ => {
                self.block_item(item)?;
                return Ok(Val::Void);
            }
        };
        // `({ label: value; })`
        while let S::Labeled(labeled) = &statement.node {
            if !matches!(labeled.node.label.node, ast::Label::Identifier(_)) || self.unevaluated {
                break;
            }
            let name = match &labeled.node.label.node {
                ast::Label::Identifier(name) => name.node.name.as_str(),
                _ => break,
            };
            let span = self.span(&labeled.node.label);
            let here = self.label(name, span);
            if let Some(entry) = self.labels.get_mut(name) {
                entry.1 = true;
            }
            self.goto(here, span);
            self.cur = here;
            statement = &labeled.node.statement;
        }
        match &statement.node {
            S::Expression(Some(e)) => self.expr(e),
            _ => {
                self.statement(statement)?;
                Ok(Val::Void)
            }
        }
    }

    /// Assembler: its outputs become arbitrary. An empty template only stops compilers from optimising.
    fn asm(&mut self, asm: &'a ast::AsmStatement, span: Span) -> Res<()> {
        let ast::AsmStatement::GnuExtended(asm) = asm else {
            self.lean(LeanKind::Asm, "asm", span);
            return Ok(());
        };
        // An empty template only keeps compilers from optimising.
        let empty = asm.template.node.iter().all(|part| part.trim_matches('"').trim().is_empty());
        if !empty {
            self.lean(LeanKind::Asm, "asm", span);
        }
        let width = self.p.types.model.pointer_bits();
        let mut gives_addresses = false;
        for output in &asm.outputs {
            let ty = self.type_of(&output.node.variable_name)?;
            gives_addresses |= self.p.types.as_word(ty).is_none_or(|word| word.width >= width);
        }
        for input in &asm.inputs {
            let ty = self.type_of(&input.node.variable_name)?;
            match self.p.types.get(ty) {
                Type::Ptr(_) | Type::Array { .. } if gives_addresses => {
                    let address = self.rvalue_of(&input.node.variable_name)?;
                    self.make_known(address, span);
                }
                _ => self.discard(&input.node.variable_name)?,
            }
        }
        for output in &asm.outputs {
            if let Val::Place(place) = self.expr(&output.node.variable_name)? {
                let ty = self.p.exprs.place(place).ty;
                if self.p.types.is_ptr(ty) {
                    let before = self.p.exprs.read(place);
                    self.make_known(before, span);
                }
                if ty != Types::VOID && !self.is_function_type(ty) {
                    self.emit(Op::Havoc(place, Choice::Asm), span);
                }
            }
        }
        Ok(())
    }

    /// Code that we do not read knows the address, and may give it to us again.
    fn make_known(&mut self, address: ExprId, span: Span) {
        let number = self.p.types.size_t();
        let known = self.temp(number, span);
        let address = self.p.exprs.cast(&self.p.types, address, number);
        self.emit(Op::Assign(known, address), span);
    }

    /// Is the name one of a function that the text defines?
    pub fn defined_function(&self, name: &str) -> Option<super::FuncId> {
        match self.scopes[0].symbols.get(&Name::from(name)) {
            Some(Symbol::Func(f)) if self.funcs[*f].definition.is_some() => Some(*f),
            _ => None,
        }
    }
}
