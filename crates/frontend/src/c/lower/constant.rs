//! What is known of an expression without evaluating it: its type, the value of a constant.

use super::{Lower, Res, Val};
use craig_base::Span;
use craig_cfa::{PlaceId, Type, TypeId, Types};
use lang_c::ast::{self, Expression as E};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// The type of an expression that is not evaluated.
    pub fn type_of(&mut self, node: &'a Node<E>) -> Res<TypeId> {
        // Asked again at every level of nested conditionals: without memory that would be exponential.
        let key = std::ptr::from_ref(node);
        if let Some(&ty) = self.types_of.get(&key) {
            return Ok(ty);
        }
        let (before, cur) = (self.unevaluated, self.cur);
        self.unevaluated = true;
        let val = self.expr(node);
        (self.unevaluated, self.cur) = (before, cur);
        let ty = match val? {
            Val::Place(place) => self.p.exprs.place(place).ty,
            Val::Expr(e) => self.p.exprs.ty(e),
            Val::Func(f) => self.funcs[f].ty,
            Val::Void => Types::VOID,
        };
        let ty = if ty == Types::BOOL { self.int_ty() } else { ty };
        self.types_of.insert(key, ty);
        Ok(ty)
    }

    pub fn size_of(&mut self, ty: TypeId, span: Span) -> Res<Val> {
        let size = match self.p.types.get(ty) {
            // GNU C.
            Type::Void | Type::Func(_) => Some(1),
            _ => self.p.types.size_of(ty).filter(|_| self.has_size(ty)),
        };
        match size {
            Some(size) => Ok(Val::Expr(self.size_const(size))),
            None => self.error("sizeof a type that is not complete", span),
        }
    }

    /// The value of an integer constant expression; `None` if it is not constant.
    pub fn try_const_int(&mut self, node: &'a Node<E>) -> Res<Option<i128>> {
        let (before, cur) = (self.unevaluated, self.cur);
        self.unevaluated = true;
        let value = self.rvalue_of(node);
        (self.unevaluated, self.cur) = (before, cur);
        let value = self.promote(value?);
        Ok(self.p.exprs.as_int(&self.p.types, value))
    }

    pub fn const_int(&mut self, node: &'a Node<E>) -> Res<i128> {
        match self.try_const_int(node)? {
            Some(value) => Ok(value),
            None => self.error("this must be an integer constant", self.span(node)),
        }
    }

    /// A constant that counts something.
    pub fn const_size(&mut self, node: &'a Node<E>) -> Res<u64> {
        let value = self.const_int(node)?;
        match u64::try_from(value) {
            Ok(size) => Ok(size),
            Err(_) => self.error("this must not be negative", self.span(node)),
        }
    }

    pub fn offset_of(&mut self, node: &'a Node<ast::OffsetOfExpression>) -> Res<Val> {
        let span = self.span(node);
        let ty = self.type_name(&node.node.type_name)?;
        let pointer = self.p.types.ptr(ty);
        let null = self.zero(pointer);
        let mut place = self.p.exprs.deref(null, ty);
        let designator = &node.node.designator.node;
        place = self.offset_member(place, &designator.base.node.name, span)?;
        for member in &designator.members {
            place = match &member.node {
                ast::OffsetMember::Member(name) | ast::OffsetMember::IndirectMember(name) => {
                    self.offset_member(place, &name.node.name, span)?
                }
                ast::OffsetMember::Index(e) => {
                    let index = self.rvalue_of(e)?;
                    if !matches!(self.p.types.get(self.p.exprs.place(place).ty), Type::Array { .. }) {
                        return self.error("an index into something that is no array", span);
                    }
                    self.p.exprs.index(&self.p.types, place, index)
                }
            };
        }
        let address = self.address_of(place);
        let size_t = self.p.types.size_t();
        self.convert(address, size_t, span).map(Val::Expr)
    }

    pub fn offset_member(&mut self, mut place: PlaceId, name: &str, span: Span) -> Res<PlaceId> {
        let path = self.record_of(self.p.exprs.place(place).ty).and_then(|r| self.member_path(r, name));
        let Some(path) = path else { return self.error(format!("no member `{name}`"), span) };
        for field in path {
            place = self.p.exprs.field(&self.p.types, place, field);
        }
        Ok(place)
    }
}
