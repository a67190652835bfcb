//! Expressions. Values stay pure expressions; side effects become edges, in the order of evaluation.
//!
//! C leaves the order of most operands open; we take them from left to right. The value of an assignment or an increment is
//! saved in a temporary, because it must not change with later side effects of the same full expression. A plain read is not
//! saved: if a later operand changes what it reads, C allows both results.
//!
//! `&&`, `||` and `?:` become branches if an operand has side effects or is large, and lazy expressions otherwise.

use super::call::Want;
use super::choice::{is_elvis, is_simple};
use super::{Lower, Res, Symbol, Val};
use craig_base::Span;
use craig_cfa::{DataModel, ExprId, LocId, Op, PlaceId, PlaceKind, Type, TypeId, Types, UnOp};
use lang_c::ast::{self, BinaryOperator as B, Expression as E, UnaryOperator as U};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// The value of an expression.
    pub fn rvalue_of(&mut self, node: &'a Node<E>) -> Res<ExprId> {
        let val = self.expr(node)?;
        let span = self.span(node);
        self.rvalue(val, span)
    }

    pub fn expr(&mut self, node: &'a Node<E>) -> Res<Val> {
        self.pace.step()?;
        let span = self.span(node);
        match &node.node {
            E::Identifier(name) => self.identifier(&name.node.name, span),
            E::Constant(constant) => self.constant(constant).map(Val::Expr),
            E::StringLiteral(literal) => self.string_place(literal).map(Val::Place),
            E::GenericSelection(selection) => self.generic_selection(selection),
            E::Member(member) => self.member_access(member),
            E::Call(call) => self.call(call, Want::Value),
            E::CompoundLiteral(literal) => self.compound_literal(literal),
            E::SizeOfTy(of) => {
                let ty = self.type_name(&of.node.0)?;
                self.size_of(ty, span)
            }
            E::SizeOfVal(of) => {
                if let E::Identifier(name) = &of.node.0.node
                    && let Some(Symbol::Vla { size, .. }) = self.lookup(&name.node.name)
                {
                    return Ok(Val::Expr(self.p.var_expr(size)));
                }
                if let Some(rows) = self.row_of_array(&of.node.0) {
                    return Ok(self.size_of_row(rows));
                }
                let ty = self.type_of(&of.node.0)?;
                self.size_of(ty, span)
            }
            E::AlignOf(of) => {
                let (ty, aligned) = self.aligned_type_name(&of.node.0)?;
                let align = aligned.unwrap_or(self.p.types.align_of(ty));
                Ok(Val::Expr(self.size_const(align)))
            }
            E::UnaryOperator(unary) => self.unary(unary, true),
            E::Cast(cast) => self.cast(cast),
            E::BinaryOperator(binary) => self.binary_operator(binary, true),
            E::Conditional(conditional) => self.conditional(conditional),
            E::Comma(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(Val::Void) };
                for e in first {
                    self.discard(e)?;
                }
                self.expr(last)
            }
            E::OffsetOf(of) => self.offset_of(of),
            E::VaArg(arg) => self.va_arg(arg, span),
            E::Statement(statement) => self.statement_expression(statement),
        }
    }

    /// Evaluates for the side effects alone.
    pub fn discard(&mut self, node: &'a Node<E>) -> Res<()> {
        match &node.node {
            E::BinaryOperator(binary) => match binary.node.operator.node {
                B::LogicalAnd | B::LogicalOr if !is_simple(node) => {
                    let span = self.span(node);
                    let end = self.new_loc(span);
                    self.condition(node, end, end)?;
                    self.cur = end;
                    Ok(())
                }
                _ => self.binary_operator(binary, false).map(|_| ()),
            },
            E::UnaryOperator(unary) => self.unary(unary, false).map(|_| ()),
            E::Call(call) => self.call(call, Want::Nothing).map(|_| ()),
            E::Comma(list) => list.iter().try_for_each(|e| self.discard(e)),
            E::Cast(cast) => self.discard(&cast.node.expression),
            E::Conditional(c) if !is_simple(node) => {
                let span = self.span(node);
                let (yes, no, end) = (self.new_loc(span), self.new_loc(span), self.new_loc(span));
                self.condition(&c.node.condition, yes, no)?;
                for (start, branch) in [(yes, &c.node.then_expression), (no, &c.node.else_expression)] {
                    self.cur = start;
                    if !is_elvis(branch) {
                        self.discard(branch)?;
                    }
                    self.goto(end, span);
                }
                self.cur = end;
                Ok(())
            }
            _ => self.expr(node).map(|_| ()),
        }
    }

    /// Evaluates a condition: goes to `yes` or `no`.
    pub fn condition(&mut self, node: &'a Node<E>, yes: LocId, no: LocId) -> Res<()> {
        let span = self.span(node);
        match &node.node {
            E::BinaryOperator(b) if b.node.operator.node == B::LogicalAnd => {
                let middle = self.new_loc(span);
                self.condition(&b.node.lhs, middle, no)?;
                self.cur = middle;
                self.condition(&b.node.rhs, yes, no)
            }
            E::BinaryOperator(b) if b.node.operator.node == B::LogicalOr => {
                let middle = self.new_loc(span);
                self.condition(&b.node.lhs, yes, middle)?;
                self.cur = middle;
                self.condition(&b.node.rhs, yes, no)
            }
            E::UnaryOperator(u) if u.node.operator.node == U::Negate => {
                self.condition(&u.node.operand, no, yes)
            }
            _ => {
                let value = self.rvalue_of(node)?;
                let truth = self.truth(value, span)?;
                self.branch_to(truth, yes, no, span);
                Ok(())
            }
        }
    }

    /// `place = e`.
    pub fn store_expression(&mut self, place: PlaceId, e: &'a Node<E>, span: Span) -> Res<()> {
        let val = match &e.node {
            // A call writes its result straight into a variable.
            E::Call(call) if matches!(self.p.exprs.place(place).kind, PlaceKind::Var(_)) => {
                self.call(call, Want::Into(place))?
            }
            _ => self.expr(e)?,
        };
        if let Val::Place(from) = val
            && from == place
        {
            return Ok(());
        }
        let value = self.rvalue(val, self.span(e))?;
        let value = self.convert_for(place, value, span)?;
        let value = self.bounded(value, span);
        self.emit(Op::Assign(place, value), span);
        Ok(())
    }

    // Names.

    fn identifier(&mut self, name: &str, span: Span) -> Res<Val> {
        match self.lookup(name) {
            Some(Symbol::Var(var) | Symbol::Vla { pointer: var, .. })
                if self.p.vars[var].proc.is_some_and(|proc| proc != self.p.entry)
                    && self.is_static_value() =>
            {
                self.not_constant(span)
            }
            Some(Symbol::Var(var)) => Ok(Val::Place(self.p.var_place(var))),
            Some(Symbol::Vla { pointer, rows: (_, count), .. }) => {
                if count > 0 {
                    self.not_modelled("an array with rows of variable length as a whole", span);
                }
                let pointer = self.p.var_expr(pointer);
                Ok(Val::Place(self.array_at(pointer)))
            }
            Some(Symbol::Param(ty)) => Ok(Val::Place(self.temp(ty, span))),
            Some(Symbol::Global(g)) => {
                if self.globals[g].external {
                    if self.globals[g].weak {
                        self.not_modelled("a weak symbol", span);
                    } else if is_made_by_the_linker(name) {
                        self.not_modelled("a symbol of the linker", span);
                    }
                }
                let var = self.reference_global(g);
                Ok(Val::Place(self.p.var_place(var)))
            }
            Some(Symbol::Func(f)) => Ok(Val::Func(f)),
            Some(Symbol::Enumerator(value, ty)) => Ok(Val::Expr(self.p.exprs.int(&self.p.types, value, ty))),
            Some(Symbol::Typedef(..)) => self.error(format!("`{name}` is a type, not a value"), span),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let mut bytes = self.func.map_or(Vec::new(), |f| self.funcs[f].name.as_bytes().to_vec());
                bytes.push(0);
                let char_ty = self.char_ty();
                Ok(Val::Place(self.bytes_place(bytes.into(), char_ty, self.func, span)))
            }
            None => self.error(format!("`{name}` is not declared"), span),
        }
    }

    fn member_access(&mut self, node: &'a Node<ast::MemberExpression>) -> Res<Val> {
        let span = self.span(node);
        let name = &node.node.identifier.node.name;
        let base = self.expr(&node.node.expression)?;
        let mut place = match node.node.operator.node {
            ast::MemberOperator::Direct => match base {
                Val::Place(place) => place,
                _ => return self.error(format!("`.{name}` of something that is no struct or union"), span),
            },
            ast::MemberOperator::Indirect => {
                let pointer = self.rvalue(base, span)?;
                let pointer = self.bounded(pointer, span);
                match self.p.types.pointee(self.p.exprs.ty(pointer)) {
                    Some(to) => self.p.exprs.deref(pointer, to),
                    None => return self.error(format!("`->{name}` of something that is no pointer"), span),
                }
            }
        };
        let ty = self.p.exprs.place(place).ty;
        let Some(record) = self.record_of(ty) else {
            return self.error(format!("member `{name}` of something that is no struct or union"), span);
        };
        let Some(path) = self.member_path(record, name) else {
            let what = if self.p.types.records[record].complete {
                "has no member"
            } else {
                "is incomplete: no member"
            };
            return self.error(format!("`{}` {what} `{name}`", self.type_text(ty)), span);
        };
        for field in path {
            place = self.p.exprs.field(&self.p.types, place, field);
        }
        Ok(Val::Place(place))
    }

    fn generic_selection(&mut self, node: &'a Node<ast::GenericSelection>) -> Res<Val> {
        // The scanner's way to say that a call of `__builtin_types_compatible_p` is meant.
        let compatible = match &node.node.expression.node {
            ast::Expression::Cast(cast) => match &cast.node.expression.node {
                ast::Expression::Identifier(name) if name.node.name == COMPATIBLE => {
                    Some(&cast.node.type_name)
                }
                _ => None,
            },
            _ => None,
        };
        let ty = match compatible {
            Some(name) => self.type_name(name)?,
            None => self.type_of(&node.node.expression)?,
        };
        let ty = self.decayed(ty);
        let (mut default, mut chosen, mut sure) = (None, None, true);
        for association in &node.node.associations {
            match &association.node {
                ast::GenericAssociation::Type(t) => {
                    let other = self.type_name(&t.node.type_name)?;
                    let same = match (self.p.types.get(ty), self.p.types.get(other)) {
                        // What is asked for are the types behind the pointers, without qualifiers.
                        (Type::Ptr(a), Type::Ptr(b)) if compatible.is_some() => self.is_same_type(*a, *b),
                        _ => self.is_same_type(ty, other),
                    };
                    sure &= same.is_some();
                    if other == ty {
                        chosen = chosen.or(Some(&*t.node.expression));
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(&**e),
            }
        }
        let Some(e) = chosen.or(default) else {
            return self
                .error("no association of `_Generic` has the type of the expression", self.span(node));
        };
        if !sure {
            let message = "a choice between types that are not told apart";
            let constant = self.unevaluated || self.is_static_value();
            match compatible {
                // Asked for a constant this is a static assertion, as the macros of Linux make them: the program is one that compiles.
                Some(_) if constant => {}
                None if constant => return self.error(message, self.span(node)),
                _ => self.not_modelled(message, self.span(node)),
            }
        }
        self.expr(e)
    }

    /// Are two types compatible? `None`: for us they are one type or two, for C it may be otherwise. We do not tell apart what has
    /// the same values, nor qualifiers of what a pointer points to, and we do tell apart types of which one says less.
    fn is_same_type(&self, a: TypeId, b: TypeId) -> Option<bool> {
        let types = &self.p.types;
        match (types.get(a), types.get(b)) {
            (Type::Ptr(x), Type::Ptr(y)) => self.is_same_type(*x, *y).filter(|same| !same),
            (Type::Array { elem: x, len: n }, Type::Array { elem: y, len: m }) => {
                let same = self.is_same_type(*x, *y);
                match (n, m) {
                    _ if same == Some(false) => same,
                    (Some(n), Some(m)) if n != m => Some(false),
                    (Some(_), Some(_)) => same,
                    _ => None,
                }
            }
            (Type::Func(_), Type::Func(_)) => None,
            (Type::Int(x), Type::Int(y)) if x == y => {
                let spelled = &self.spelled;
                let otherwise = match (types.model, x.width) {
                    (_, 8) => x.signed && spelled.signed_char,
                    (DataModel::Ilp32, 32) => spelled.long,
                    (DataModel::Lp64, 64) => spelled.long_long,
                    _ => false,
                };
                // Enumerations are compatible with a type of integers, but not with each other.
                (!otherwise && spelled.enumerations < 2).then_some(true)
            }
            _ => Some(a == b),
        }
    }

    // Operators.

    fn cast(&mut self, node: &'a Node<ast::CastExpression>) -> Res<Val> {
        let span = self.span(node);
        let ty = self.type_name(&node.node.type_name)?;
        if ty == Types::VOID {
            self.discard(&node.node.expression)?;
            return Ok(Val::Void);
        }
        let value = self.rvalue_of(&node.node.expression)?;
        if let Type::Record(r) = *self.p.types.get(ty)
            && self.p.exprs.ty(value) != ty
            && self.p.types.records[r].kind == craig_cfa::RecordKind::Union
        {
            return self.cast_to_union(r, ty, value, span);
        }
        let value = self.convert(value, ty, span)?;
        match *self.p.exprs.kind(value) {
            craig_cfa::ExprKind::Read(place) if self.p.types.is_aggregate(ty) => Ok(Val::Place(place)),
            _ => Ok(Val::Expr(value)),
        }
    }

    /// GNU C: a value as the member of its type.
    fn cast_to_union(
        &mut self,
        record: craig_cfa::RecordId,
        ty: TypeId,
        value: ExprId,
        span: Span,
    ) -> Res<Val> {
        let from = self.p.exprs.ty(value);
        let Some(field) = self.p.types.records[record].fields.iter().position(|f| f.ty == from) else {
            return self.error("the union has no member of this type", span);
        };
        let place = self.temp(ty, span);
        let member = self.p.exprs.field(&self.p.types, place, field as u32);
        self.emit(Op::Assign(member, value), span);
        Ok(Val::Place(place))
    }

    /// `used`: does anybody look at the value?
    fn unary(&mut self, node: &'a Node<ast::UnaryOperatorExpression>, used: bool) -> Res<Val> {
        let span = self.span(node);
        let operand = &node.node.operand;
        match node.node.operator.node {
            U::PostIncrement => self.step(operand, &B::Plus, true, used, span),
            U::PostDecrement => self.step(operand, &B::Minus, true, used, span),
            U::PreIncrement => self.step(operand, &B::Plus, false, used, span),
            U::PreDecrement => self.step(operand, &B::Minus, false, used, span),
            U::Address => match self.expr(operand)? {
                Val::Place(place) => {
                    if self.is_bit_field(place) {
                        return self.error("the address of a bit-field", span);
                    }
                    Ok(Val::Expr(self.address_of(place)))
                }
                function @ Val::Func(_) => self.rvalue(function, span).map(Val::Expr),
                _ => self.error("the address of something that has none", span),
            },
            U::Indirection => {
                let pointer = self.rvalue_of(operand)?;
                let pointer = self.bounded(pointer, span);
                match self.p.types.pointee(self.p.exprs.ty(pointer)) {
                    Some(to) => Ok(Val::Place(self.p.exprs.deref(pointer, to))),
                    None => self.error("`*` of something that is no pointer", span),
                }
            }
            U::Plus | U::Minus | U::Complement => {
                let value = self.rvalue_of(operand)?;
                if !self.is_arithmetic(value) {
                    return self.error("this operator needs a number", span);
                }
                let value = self.promote(value);
                let value = self.bounded(value, span);
                Ok(Val::Expr(match node.node.operator.node {
                    U::Plus => value,
                    U::Minus => self.p.exprs.unary(&self.p.types, UnOp::Neg, value),
                    _ if self.p.types.is_float(self.p.exprs.ty(value)) => {
                        return self.error("this operator needs an integer", span);
                    }
                    _ => self.p.exprs.unary(&self.p.types, UnOp::BitNot, value),
                }))
            }
            U::Negate => {
                let value = self.rvalue_of(operand)?;
                let truth = self.truth(value, span)?;
                Ok(Val::Expr(self.p.exprs.not(truth)))
            }
        }
    }

    /// `++` and `--`.
    fn step(&mut self, operand: &'a Node<E>, op: &B, post: bool, used: bool, span: Span) -> Res<Val> {
        let place = self.modifiable(operand, span)?;
        let mut old = self.p.exprs.read(place);
        if post && used {
            old = self.save(old, span);
        }
        let int = self.int_ty();
        let one = self.p.exprs.int(&self.p.types, 1, int);
        let new = self.binary(op, old, one, span)?;
        let new = self.convert_for(place, new, span)?;
        if post || !used {
            self.emit(Op::Assign(place, new), span);
            return Ok(Val::Expr(old));
        }
        let new = self.save(new, span);
        self.emit(Op::Assign(place, new), span);
        Ok(Val::Expr(new))
    }

    /// Are we in the initialiser of an object that lives as long as the program?
    pub fn is_static_value(&self) -> bool {
        self.in_start && !self.unevaluated
    }

    pub fn not_constant<T>(&self, span: Span) -> Res<T> {
        self.error("the initialiser of a static object must be constant", span)
    }

    fn modifiable(&mut self, node: &'a Node<E>, span: Span) -> Res<PlaceId> {
        if self.is_static_value() {
            return self.not_constant(span);
        }
        match self.expr(node)? {
            Val::Place(place)
                if !matches!(self.p.types.get(self.p.exprs.place(place).ty), Type::Array { .. }) =>
            {
                Ok(place)
            }
            _ => self.error("only an object can be assigned to", span),
        }
    }

    pub fn is_bit_field(&self, place: PlaceId) -> bool {
        match self.p.exprs.place(place).kind {
            PlaceKind::Field(of, field) => self
                .record_of(self.p.exprs.place(of).ty)
                .is_some_and(|r| self.p.types.records[r].fields[field as usize].bit.is_some()),
            _ => false,
        }
    }

    fn binary_operator(&mut self, node: &'a Node<ast::BinaryOperatorExpression>, used: bool) -> Res<Val> {
        let span = self.span(node);
        let ast::BinaryOperatorExpression { operator, lhs, rhs } = &node.node;
        match &operator.node {
            B::Index => self.subscript(lhs, rhs, span),
            B::LogicalAnd | B::LogicalOr => self.logical(node, span),
            B::Assign => {
                let place = self.modifiable(lhs, span)?;
                if !used {
                    self.store_expression(place, rhs, span)?;
                    return Ok(Val::Void);
                }
                let ty = self.p.exprs.place(place).ty;
                let value = self.rvalue_of(rhs)?;
                let value = self.convert_for(place, value, span)?;
                if self.p.types.is_aggregate(ty) {
                    self.emit(Op::Assign(place, value), span);
                    return Ok(Val::Place(place));
                }
                let value = self.save(value, span);
                self.emit(Op::Assign(place, value), span);
                Ok(Val::Expr(value))
            }
            B::AssignMultiply => self.compound_assignment(lhs, &B::Multiply, rhs, used, span),
            B::AssignDivide => self.compound_assignment(lhs, &B::Divide, rhs, used, span),
            B::AssignModulo => self.compound_assignment(lhs, &B::Modulo, rhs, used, span),
            B::AssignPlus => self.compound_assignment(lhs, &B::Plus, rhs, used, span),
            B::AssignMinus => self.compound_assignment(lhs, &B::Minus, rhs, used, span),
            B::AssignShiftLeft => self.compound_assignment(lhs, &B::ShiftLeft, rhs, used, span),
            B::AssignShiftRight => self.compound_assignment(lhs, &B::ShiftRight, rhs, used, span),
            B::AssignBitwiseAnd => self.compound_assignment(lhs, &B::BitwiseAnd, rhs, used, span),
            B::AssignBitwiseXor => self.compound_assignment(lhs, &B::BitwiseXor, rhs, used, span),
            B::AssignBitwiseOr => self.compound_assignment(lhs, &B::BitwiseOr, rhs, used, span),
            op => {
                let a = self.rvalue_of(lhs)?;
                let b = self.rvalue_of(rhs)?;
                self.binary(op, a, b, span).map(Val::Expr)
            }
        }
    }

    fn compound_assignment(
        &mut self,
        lhs: &'a Node<E>,
        op: &B,
        rhs: &'a Node<E>,
        used: bool,
        span: Span,
    ) -> Res<Val> {
        let place = self.modifiable(lhs, span)?;
        let b = self.rvalue_of(rhs)?;
        let a = self.p.exprs.read(place);
        let value = self.binary(op, a, b, span)?;
        let mut value = self.convert_for(place, value, span)?;
        if used {
            value = self.save(value, span);
        }
        let value = self.bounded(value, span);
        self.emit(Op::Assign(place, value), span);
        Ok(if used { Val::Expr(value) } else { Val::Void })
    }

    fn subscript(&mut self, lhs: &'a Node<E>, rhs: &'a Node<E>, span: Span) -> Res<Val> {
        if let Some(row) = self.row_at(lhs, rhs, span)? {
            return Ok(row);
        }
        let base = self.expr(lhs)?;
        // An array that is named directly needs no address.
        if let Val::Place(place) = base
            && matches!(self.p.types.get(self.p.exprs.place(place).ty), Type::Array { .. })
        {
            let index = self.rvalue_of(rhs)?;
            let index = self.promote(index);
            let index = self.bounded(index, span);
            if self.p.types.as_int(self.p.exprs.ty(index)).is_none() {
                return self.error("an index must be an integer", span);
            }
            return Ok(Val::Place(self.p.exprs.index(&self.p.types, place, index)));
        }
        let a = self.rvalue(base, span)?;
        let b = self.rvalue_of(rhs)?;
        let sum = self.binary(&B::Plus, a, b, span)?;
        let sum = self.bounded(sum, span);
        match self.p.types.pointee(self.p.exprs.ty(sum)) {
            Some(to) => Ok(Val::Place(self.p.exprs.deref(sum, to))),
            None => self.error("an index into something that is neither array nor pointer", span),
        }
    }
}

/// What [`Lower::generic_selection`] knows the question for compatible types by.
const COMPATIBLE: &str = "__builtin_types_compatible_p";

/// Is it where the linker lets a section begin or end?
fn is_made_by_the_linker(name: &str) -> bool {
    name.starts_with("__start_")
        || name.starts_with("__stop_")
        || matches!(name, "_end" | "_edata" | "_etext" | "__bss_start")
}
