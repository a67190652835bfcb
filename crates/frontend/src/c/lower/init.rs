//! Initialisers (C11 6.7.9).
//!
//! First a plan: which sub-object gets which expression, with designators and elided braces resolved. Then the assignments. The
//! plan also tells the length of an array that is declared without one.

use super::{Lower, Res, Val};
use craig_cfa::{Op, PlaceId, RecordKind, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;
use std::slice;

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(u32),
    Index(u64),
}

/// Sub-object and the expression for it.
type Plan<'a> = Vec<(Vec<Step>, &'a Node<ast::Expression>)>;

/// The items of one brace-enclosed list, consumed from the front.
struct Items<'a> {
    rest: slice::Iter<'a, Node<ast::InitializerListItem>>,
}

impl<'a> Items<'a> {
    fn peek(&self) -> Option<&'a ast::InitializerListItem> {
        self.rest.as_slice().first().map(|n| &n.node)
    }
}

impl<'a> Lower<'a> {
    /// Gives a place its initial value. Of a global or static object the bytes are zero already.
    pub fn initialise(&mut self, place: PlaceId, init: &'a Node<ast::Initializer>, is_zero: bool) -> Res<()> {
        let span = self.span(init);
        let ty = self.p.exprs.place(place).ty;
        if !self.p.types.is_aggregate(ty) {
            if let ast::Initializer::List(items) = &init.node
                && items.iter().any(|i| !i.node.designation.is_empty())
            {
                return self.error("a designator for something that is no array, struct or union", span);
            }
            return match scalar(init) {
                Some(e) => self.store_expression(place, e, span),
                None if is_zero => Ok(()),
                None => {
                    let zero = self.zero(ty);
                    self.emit(Op::Assign(place, zero), span);
                    Ok(())
                }
            };
        }
        let mut plan = Plan::new();
        self.plan(ty, init, &mut Vec::new(), &mut plan)?;
        let whole = matches!(&plan[..], [(path, _)] if path.is_empty());
        if !is_zero && !whole {
            let zero = self.zero(ty);
            self.emit(Op::Assign(place, zero), span);
        }
        for (path, e) in plan {
            let mut target = place;
            for step in path {
                target = self.sub_place(target, step);
            }
            self.initialise_leaf(target, e, is_zero)?;
        }
        Ok(())
    }

    fn initialise_leaf(&mut self, target: PlaceId, e: &'a Node<ast::Expression>, is_zero: bool) -> Res<()> {
        let span = self.span(e);
        let ty = self.p.exprs.place(target).ty;
        if let (Type::Array { elem, len }, Some(literal)) = (self.p.types.get(ty).clone(), string_of(e)) {
            let (mut bytes, _) = self.string_bytes(literal, Some(elem))?;
            let size = self.p.types.size_of(elem).unwrap_or(1) * len.unwrap_or(0);
            bytes.resize(size as usize, 0);
            let value = self.p.exprs.constant(craig_cfa::Const::Bytes(bytes.into()), ty);
            self.emit(Op::Assign(target, value), span);
            return Ok(());
        }
        if is_zero && !self.p.types.is_aggregate(ty) {
            // Zero over zero is not worth an operation.
            let value = self.rvalue_of(e)?;
            let value = self.convert_for(target, value, span)?;
            if self.p.exprs.as_bits(value) != Some(0) {
                self.emit(Op::Assign(target, value), span);
            }
            return Ok(());
        }
        self.store_expression(target, e, span)
    }

    /// The type with the length that the initialiser gives it.
    pub fn complete_array(&mut self, ty: TypeId, init: &'a Node<ast::Initializer>) -> Res<TypeId> {
        let Type::Array { elem, len: None } = *self.p.types.get(ty) else { return Ok(ty) };
        let mut plan = Plan::new();
        let longest = self.plan(ty, init, &mut Vec::new(), &mut plan)?;
        let len = match (longest, &plan[..]) {
            (_, [(path, e)]) if path.is_empty() => match string_of(e) {
                Some(literal) => {
                    let (bytes, _) = self.string_bytes(literal, Some(elem))?;
                    bytes.len() as u64 / self.p.types.size_of(elem).unwrap_or(1)
                }
                None => return self.error("this cannot initialise an array", self.span(init)),
            },
            (n, _) => n,
        };
        Ok(self.p.types.array(elem, len))
    }

    /// Plans for an object of this type at `path`. Gives the number of elements that an array gets.
    fn plan(
        &mut self,
        ty: TypeId,
        init: &'a Node<ast::Initializer>,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<u64> {
        match &init.node {
            ast::Initializer::Expression(e) => {
                plan.push((path.clone(), e));
                Ok(0)
            }
            ast::Initializer::List(list) => {
                // `{ "text" }` for an array of characters, `{ x }` for a scalar.
                if let [only] = &list[..]
                    && only.node.designation.is_empty()
                    && let ast::Initializer::Expression(e) = &only.node.initializer.node
                    && (!self.p.types.is_aggregate(ty) || self.takes_string(ty, e))
                {
                    plan.push((path.clone(), e));
                    return Ok(0);
                }
                let mut items = Items { rest: list.iter() };
                let used = self.plan_list(ty, &mut items, true, path, plan)?;
                Ok(used)
            }
        }
    }

    /// Fills the members of an aggregate from the items. With `braced` the list is this object's own: designators are for it and
    /// everything is consumed; otherwise braces were elided and it takes what it needs.
    fn plan_list(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        braced: bool,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<u64> {
        let mut next = 0;
        let mut longest = 0;
        while let Some(item) = items.peek() {
            if !item.designation.is_empty() {
                if !braced {
                    break;
                }
                items.rest.next();
                next = self.plan_designated(ty, &item.designation, &item.initializer, path, plan)?;
                longest = longest.max(next);
                continue;
            }
            let Some((step, sub)) = self.member(ty, next) else {
                if !braced {
                    break;
                }
                // More than fits: C forbids it, compilers ignore it.
                items.rest.next();
                continue;
            };
            path.push(step);
            let result = self.plan_member(sub, items, path, plan);
            path.pop();
            result?;
            next += 1;
            longest = longest.max(next);
        }
        Ok(longest)
    }

    fn plan_member(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<()> {
        let Some(item) = items.peek() else { return Ok(()) };
        let aggregate = self.p.types.is_aggregate(ty);
        match &item.initializer.node {
            ast::Initializer::Expression(e) if aggregate && !self.takes_string(ty, e) => {
                // An expression of this very type initialises the whole; otherwise its braces were left out.
                if self.record_of(ty).is_some() && self.type_of(e)? == ty {
                    items.rest.next();
                    plan.push((path.clone(), e));
                    return Ok(());
                }
                let before = items.rest.as_slice().len();
                self.plan_list(ty, items, false, path, plan)?;
                if items.rest.as_slice().len() == before {
                    // An empty object takes nothing: do not stand still.
                    items.rest.next();
                }
                Ok(())
            }
            _ => {
                items.rest.next();
                self.plan(ty, &item.initializer, path, plan).map(|_| ())
            }
        }
    }

    /// `.a[2].b = init`. Gives the position behind the first designator.
    fn plan_designated(
        &mut self,
        ty: TypeId,
        designators: &'a [Node<ast::Designator>],
        init: &'a Node<ast::Initializer>,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<u64> {
        let Some((first, rest)) = designators.split_first() else {
            self.plan(ty, init, path, plan)?;
            return Ok(0);
        };
        let span = self.span(first);
        let depth = path.len();
        let (from, to, sub) = match &first.node {
            ast::Designator::Member(name) => {
                let found = self.record_of(ty).and_then(|r| self.member_path(r, &name.node.name));
                let Some(fields) = found else {
                    return self.error(format!("no member `{}`", name.node.name), span);
                };
                let mut sub = ty;
                for &field in &fields {
                    let record = self.record_of(sub).expect("the path leads through records");
                    sub = self.p.types.records[record].fields[field as usize].ty;
                    path.push(Step::Field(field));
                }
                self.plan_designated(sub, rest, init, path, plan)?;
                path.truncate(depth);
                return Ok(u64::from(fields[0]) + 1);
            }
            ast::Designator::Index(e) => {
                let index = self.const_size(e)?;
                (index, index, ty)
            }
            ast::Designator::Range(range) => {
                (self.const_size(&range.node.from)?, self.const_size(&range.node.to)?, ty)
            }
        };
        let Type::Array { elem, len } = *self.p.types.get(sub) else {
            return self.error("an index designator for something that is no array", span);
        };
        if len.is_some_and(|len| to >= len) {
            return self.error("this element is outside of the array", span);
        }
        const LARGEST_RANGE: u64 = 1 << 20;
        if to < from || to - from > LARGEST_RANGE {
            return self.error("this range of elements cannot be initialised", span);
        }
        for index in from..=to {
            path.push(Step::Index(index));
            let result = self.plan_designated(elem, rest, init, path, plan);
            path.truncate(depth);
            result?;
        }
        Ok(to + 1)
    }

    /// The `n`th sub-object that takes an initialiser.
    fn member(&self, ty: TypeId, n: u64) -> Option<(Step, TypeId)> {
        match *self.p.types.get(ty) {
            Type::Array { elem, len } => len.is_none_or(|l| n < l).then_some((Step::Index(n), elem)),
            Type::Record(r) => {
                let record = &self.p.types.records[r];
                if record.kind == RecordKind::Union && n > 0 {
                    return None;
                }
                let field = record.fields.get(n as usize)?;
                Some((Step::Field(n as u32), field.ty))
            }
            _ => None,
        }
    }

    fn takes_string(&self, ty: TypeId, e: &Node<ast::Expression>) -> bool {
        match *self.p.types.get(ty) {
            Type::Array { elem, .. } => string_of(e).is_some() && self.p.types.as_int(elem).is_some(),
            _ => false,
        }
    }

    /// A compound literal: an unnamed object with an initialiser.
    pub fn compound_literal(&mut self, node: &'a Node<ast::CompoundLiteral>) -> Res<Val> {
        let span = self.span(node);
        let ty = self.type_name(&node.node.type_name)?;
        let items = &node.node.initializer_list;
        let mut plan = Plan::new();
        if !self.p.types.is_aggregate(ty) {
            let place = self.temp(ty, span);
            let first = items.first().and_then(|i| scalar(&i.node.initializer));
            match first {
                Some(e) => self.store_expression(place, e, span)?,
                None => {
                    let zero = self.zero(ty);
                    self.emit(Op::Assign(place, zero), span);
                }
            }
            return Ok(Val::Place(place));
        }
        let mut list = Items { rest: items.iter() };
        let longest = match items.first().map(|i| &i.node.initializer.node) {
            Some(ast::Initializer::Expression(e)) if items.len() == 1 && self.takes_string(ty, e) => {
                plan.push((Vec::new(), e));
                0
            }
            _ => self.plan_list(ty, &mut list, true, &mut Vec::new(), &mut plan)?,
        };
        let ty = match (self.p.types.get(ty).clone(), &plan[..]) {
            (Type::Array { elem, len: None }, [(path, e)]) if path.is_empty() => {
                let literal = string_of(e).expect("only a string initialises a whole array");
                let (bytes, _) = self.string_bytes(literal, Some(elem))?;
                let len = bytes.len() as u64 / self.p.types.size_of(elem).unwrap_or(1);
                self.p.types.array(elem, len)
            }
            (Type::Array { elem, len: None }, _) => self.p.types.array(elem, longest),
            _ => ty,
        };
        let place = self.temp(ty, span);
        let zero = self.zero(ty);
        self.emit(Op::Assign(place, zero), span);
        for (path, e) in plan {
            let mut target = place;
            for step in path {
                target = self.sub_place(target, step);
            }
            self.initialise_leaf(target, e, false)?;
        }
        Ok(Val::Place(place))
    }

    fn sub_place(&mut self, place: PlaceId, step: Step) -> PlaceId {
        match step {
            Step::Field(f) => self.p.exprs.field(&self.p.types, place, f),
            Step::Index(i) => {
                let index = self.size_const(i);
                self.p.exprs.index(&self.p.types, place, index)
            }
        }
    }
}

/// The expression of `x`, `{ x }`, `{ { x } }`; `None` for `{}`.
fn scalar(init: &Node<ast::Initializer>) -> Option<&Node<ast::Expression>> {
    match &init.node {
        ast::Initializer::Expression(e) => Some(e),
        ast::Initializer::List(items) => items.first().and_then(|i| scalar(&i.node.initializer)),
    }
}

fn string_of(e: &Node<ast::Expression>) -> Option<&Node<ast::StringLiteral>> {
    match &e.node {
        ast::Expression::StringLiteral(literal) => Some(literal),
        _ => None,
    }
}
