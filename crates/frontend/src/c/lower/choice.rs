//! Operators that evaluate one side only: `&&`, `||`, `?:`. With side effects they become branches, otherwise lazy expressions.

use super::super::scan::marker;
use super::{Lower, Res, Val};
use craig_base::Span;
use craig_cfa::{BinOp, Op, Type, TypeId, Types};
use lang_c::ast::{self, BinaryOperator as B, Expression as E, UnaryOperator as U};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// `&&` and `||` where a value is wanted.
    pub fn logical(&mut self, node: &'a Node<ast::BinaryOperatorExpression>, span: Span) -> Res<Val> {
        let ast::BinaryOperatorExpression { operator, lhs, rhs } = &node.node;
        let and = operator.node == B::LogicalAnd;
        if is_simple(rhs) {
            let a = self.rvalue_of(lhs)?;
            let a = self.truth(a, span)?;
            let a = self.bounded(a, span);
            let b = self.rvalue_of(rhs)?;
            let b = self.truth(b, span)?;
            let op = if and { BinOp::And } else { BinOp::Or };
            return Ok(Val::Expr(self.p.exprs.binary(&self.p.types, op, a, b)));
        }
        let int = self.int_ty();
        let result = self.temp(int, span);
        let (yes, no, end) = (self.new_loc(span), self.new_loc(span), self.new_loc(span));
        let middle = self.new_loc(span);
        if and {
            self.condition(lhs, middle, no)?;
        } else {
            self.condition(lhs, yes, middle)?;
        }
        self.cur = middle;
        self.condition(rhs, yes, no)?;
        for (start, value) in [(yes, 1), (no, 0)] {
            self.cur = start;
            let value = self.p.exprs.int(&self.p.types, value, int);
            self.emit(Op::Assign(result, value), span);
            self.goto(end, span);
        }
        self.cur = end;
        let value = self.p.exprs.read(result);
        Ok(Val::Expr(self.p.exprs.is_nonzero(&self.p.types, value)))
    }

    pub fn conditional(&mut self, node: &'a Node<ast::ConditionalExpression>) -> Res<Val> {
        let span = self.span(node);
        let ast::ConditionalExpression { condition, then_expression, else_expression } = &node.node;
        if is_elvis(then_expression) {
            return self.elvis(condition, else_expression, span);
        }
        let ty = self.conditional_type(then_expression, else_expression, span)?;
        let scalar = ty != Types::VOID && !self.p.types.is_aggregate(ty);
        // A constant condition decides here, but the type is that of both branches.
        if let Some(value) = self.constant_condition(condition)? {
            let chosen = if value { then_expression } else { else_expression };
            if !scalar {
                return self.expr(chosen);
            }
            let value = self.rvalue_of(chosen)?;
            return self.convert(value, ty, span).map(Val::Expr);
        }
        if self.unevaluated {
            return Ok(if ty == Types::VOID { Val::Void } else { Val::Place(self.temp(ty, span)) });
        }
        if scalar && is_simple(then_expression) && is_simple(else_expression) {
            let c = self.rvalue_of(condition)?;
            let c = self.truth(c, span)?;
            let c = self.bounded(c, span);
            let a = self.rvalue_of(then_expression)?;
            let a = self.convert(a, ty, span)?;
            let b = self.rvalue_of(else_expression)?;
            let b = self.convert(b, ty, span)?;
            return Ok(Val::Expr(self.p.exprs.ite(c, a, b)));
        }
        let result = (ty != Types::VOID).then(|| self.temp(ty, span));
        let (yes, no, end) = (self.new_loc(span), self.new_loc(span), self.new_loc(span));
        self.condition(condition, yes, no)?;
        for (start, branch) in [(yes, then_expression), (no, else_expression)] {
            self.cur = start;
            match result {
                Some(place) => self.store_expression(place, branch, span)?,
                None => self.discard(branch)?,
            }
            self.goto(end, span);
        }
        self.cur = end;
        Ok(match result {
            Some(place) if scalar => Val::Expr(self.p.exprs.read(place)),
            Some(place) => Val::Place(place),
            None => Val::Void,
        })
    }

    /// `a ?: b`.
    pub fn elvis(&mut self, condition: &'a Node<E>, otherwise: &'a Node<E>, span: Span) -> Res<Val> {
        let ty = self.conditional_type(condition, otherwise, span)?;
        let value = self.rvalue_of(condition)?;
        let value = self.save(value, span);
        let truth = self.truth(value, span)?;
        let result = self.temp(ty, span);
        let (yes, no) = self.branch(truth, span);
        let end = self.new_loc(span);
        self.cur = yes;
        let value = self.convert_for(result, value, span)?;
        self.emit(Op::Assign(result, value), span);
        self.goto(end, span);
        self.cur = no;
        self.store_expression(result, otherwise, span)?;
        self.goto(end, span);
        self.cur = end;
        Ok(Val::Expr(self.p.exprs.read(result)))
    }

    /// The truth of a condition that is constant.
    pub fn constant_condition(&mut self, node: &'a Node<E>) -> Res<Option<bool>> {
        if !is_simple(node) {
            return Ok(None);
        }
        let (before, cur) = (self.unevaluated, self.cur);
        self.unevaluated = true;
        let value = self.rvalue_of(node);
        (self.unevaluated, self.cur) = (before, cur);
        let span = self.span(node);
        let truth = self.truth(value?, span)?;
        Ok(self.p.exprs.as_bool(truth))
    }

    /// C11 6.5.15: the type of `c ? a : b`.
    pub fn conditional_type(&mut self, a: &'a Node<E>, b: &'a Node<E>, span: Span) -> Res<TypeId> {
        let (ta, tb) = (self.type_of(a)?, self.type_of(b)?);
        let (ta, tb) = (self.decayed(ta), self.decayed(tb));
        if ta == tb && (self.p.types.is_aggregate(ta) || ta == Types::VOID) {
            return Ok(ta);
        }
        match (self.p.types.get(ta).clone(), self.p.types.get(tb).clone()) {
            (Type::Void, _) | (_, Type::Void) => Ok(Types::VOID),
            (Type::Ptr(to), Type::Ptr(other)) => {
                // A null pointer constant takes the other type, anything else with void gives void.
                if to == Types::VOID && self.is_null_constant(a) {
                    return Ok(tb);
                }
                Ok(if other == Types::VOID && !self.is_null_constant(b) { tb } else { ta })
            }
            (Type::Ptr(_), Type::Int(_)) => Ok(ta),
            (Type::Int(_), Type::Ptr(_)) => Ok(tb),
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => {
                let (za, zb) = (self.zero(ta), self.zero(tb));
                let (common, _) = self.usual_conversions(za, zb);
                Ok(self.p.exprs.ty(common))
            }
            (Type::Record(_), Type::Record(_)) => Ok(ta),
            _ => self.error("the branches of `?:` have types that do not go together", span),
        }
    }

    pub fn is_null_constant(&mut self, node: &'a Node<E>) -> bool {
        is_simple(node) && matches!(self.try_const_int(node), Ok(Some(0)))
    }
}

pub(super) fn is_elvis(node: &Node<E>) -> bool {
    matches!(&node.node, E::Identifier(name) if name.node.name == marker::ELVIS)
}

/// Free of side effects, and small enough to be part of a larger expression?
pub(super) fn is_simple(node: &Node<E>) -> bool {
    fn walk(node: &Node<E>, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match &node.node {
            E::Identifier(_) | E::Constant(_) | E::StringLiteral(_) | E::SizeOfTy(_) | E::SizeOfVal(_) => {
                true
            }
            E::AlignOf(_) | E::OffsetOf(_) => true,
            E::Member(m) => walk(&m.node.expression, budget),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement => false,
                _ => walk(&u.node.operand, budget),
            },
            E::Cast(c) => walk(&c.node.expression, budget),
            E::BinaryOperator(b) => {
                let assigns = matches!(
                    b.node.operator.node,
                    B::Assign
                        | B::AssignMultiply
                        | B::AssignDivide
                        | B::AssignModulo
                        | B::AssignPlus
                        | B::AssignMinus
                        | B::AssignShiftLeft
                        | B::AssignShiftRight
                        | B::AssignBitwiseAnd
                        | B::AssignBitwiseXor
                        | B::AssignBitwiseOr
                );
                !assigns && walk(&b.node.lhs, budget) && walk(&b.node.rhs, budget)
            }
            E::Conditional(c) => {
                !is_elvis(&c.node.then_expression)
                    && walk(&c.node.condition, budget)
                    && walk(&c.node.then_expression, budget)
                    && walk(&c.node.else_expression, budget)
            }
            E::Comma(list) => list.iter().all(|e| walk(e, budget)),
            E::Call(call) => {
                let known = matches!(&call.node.callee.node, E::Identifier(name)
                    if matches!(name.node.name.as_str(), "__builtin_expect" | "__builtin_constant_p"));
                known && call.node.arguments.iter().all(|e| walk(e, budget))
            }
            E::GenericSelection(_) | E::CompoundLiteral(_) | E::VaArg(_) | E::Statement(_) => false,
        }
    }
    walk(node, &mut 100)
}
