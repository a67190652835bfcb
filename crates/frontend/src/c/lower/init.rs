//! Initialisers (C11 6.7.9).
//!
//! First a plan: which sub-object gets which expression, with designators and elided braces resolved. Then the assignments. The
//! plan also tells the length of an array that is declared without one.

use super::plan::{Plan, Step};
use super::{Lower, Res, Val};
use craig_cfa::{Op, PlaceId, RecordKind, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;
use std::slice;

/// The items of one brace-enclosed list, consumed from the front.
struct Items<'a> {
    /// The initialiser of an item whose designators are done with.
    designated: Option<&'a Node<ast::Initializer>>,
    rest: slice::Iter<'a, Node<ast::InitializerListItem>>,
    /// Was there a designator, so that a sub-object may come a second time?
    jumped: bool,
}

impl<'a> Items<'a> {
    fn new(list: &'a [Node<ast::InitializerListItem>]) -> Self {
        Items { designated: None, rest: list.iter(), jumped: false }
    }

    fn peek(&self) -> Option<(&'a [Node<ast::Designator>], &'a Node<ast::Initializer>)> {
        let next = || self.rest.as_slice().first().map(|n| (&n.node.designation[..], &*n.node.initializer));
        self.designated.map(|init| (&[][..], init)).or_else(next)
    }

    fn advance(&mut self) {
        if self.designated.take().is_none() {
            self.rest.next();
        }
    }

    fn len(&self) -> usize {
        self.rest.len() + usize::from(self.designated.is_some())
    }
}

impl<'a> Lower<'a> {
    /// Gives a place its initial value. Of a global or static object the bytes are zero already.
    pub fn initialise(&mut self, place: PlaceId, init: &'a Node<ast::Initializer>, is_zero: bool) -> Res<()> {
        let span = self.span(init);
        let ty = self.p.exprs.place(place).ty;
        if !self.p.types.is_aggregate(ty) {
            return match self.scalar(init)? {
                Some(e) => self.store_expression(place, e, span),
                None if is_zero => Ok(()),
                None => {
                    let zero = self.zero(ty);
                    self.emit(Op::Assign(place, zero), span);
                    Ok(())
                }
            };
        }
        let mut plan = Plan::default();
        self.plan(ty, init, &mut Vec::new(), &mut plan)?;
        if !is_zero && plan.whole().is_none() {
            let zero = self.zero(ty);
            self.emit(Op::Assign(place, zero), span);
        }
        self.follow(place, plan, is_zero)
    }

    /// The assignments of a plan.
    fn follow(&mut self, place: PlaceId, plan: Plan<'a>, is_zero: bool) -> Res<()> {
        for (path, e) in plan.entries() {
            self.pace.step()?;
            let mut target = place;
            let mut flexible = false;
            for step in path {
                flexible |= self.is_open_array(self.p.exprs.place(target).ty);
                target = self.sub_place(target, step);
            }
            if flexible || self.is_open_array(self.p.exprs.place(target).ty) {
                // The object would be larger than its type.
                let span = self.span(e);
                self.not_modelled("initialiser of a flexible array member", span);
                continue;
            }
            self.initialise_leaf(target, e, is_zero)?;
        }
        Ok(())
    }

    fn is_open_array(&self, ty: TypeId) -> bool {
        matches!(self.p.types.get(ty), Type::Array { len: None, .. })
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
        let mut plan = Plan::default();
        let longest = self.plan(ty, init, &mut Vec::new(), &mut plan)?;
        let len = match plan.whole() {
            Some(e) => match string_of(e) {
                Some(literal) => {
                    let (bytes, _) = self.string_bytes(literal, Some(elem))?;
                    bytes.len() as u64 / self.p.types.size_of(elem).unwrap_or(1)
                }
                None => return self.error("this cannot initialise an array", self.span(init)),
            },
            None => longest,
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
                plan.push(path, e);
                Ok(0)
            }
            ast::Initializer::List(list) => {
                if !self.p.types.is_aggregate(ty) {
                    if let Some(e) = self.scalar(init)? {
                        plan.push(path, e);
                    }
                    return Ok(0);
                }
                // `{ "text" }` for an array of characters.
                if let [only] = &list[..]
                    && only.node.designation.is_empty()
                    && let ast::Initializer::Expression(e) = &only.node.initializer.node
                    && self.takes_string(ty, e)
                {
                    plan.push(path, e);
                    return Ok(0);
                }
                let mut items = Items::new(list);
                self.plan_list(ty, &mut items, 0, true, path, plan)
            }
        }
    }

    /// Fills the members of an aggregate from the items, beginning with the `next`. With `braced` the list is this object's own:
    /// designators are for it and everything is consumed; otherwise braces were elided and it takes what it needs.
    fn plan_list(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        mut next: u64,
        braced: bool,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<u64> {
        let mut longest = next;
        while let Some((designators, init)) = items.peek() {
            self.pace.step()?;
            if !designators.is_empty() {
                if !braced {
                    break;
                }
                items.advance();
                (items.designated, items.jumped) = (Some(init), true);
                let steps = self.designated(ty, designators)?;
                next = self.plan_designated(ty, &steps, items, path, plan)?;
                longest = longest.max(next);
                continue;
            }
            let Some((step, sub)) = self.member(ty, next) else {
                if !braced {
                    break;
                }
                // More than fits: C forbids it, compilers ignore it.
                items.advance();
                continue;
            };
            if items.jumped {
                self.choose_member(ty, step, path, plan);
            }
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
        let Some((_, init)) = items.peek() else { return Ok(()) };
        let aggregate = self.p.types.is_aggregate(ty);
        match &init.node {
            ast::Initializer::Expression(e) if aggregate && !self.takes_string(ty, e) => {
                // An expression of this very type initialises the whole; otherwise its braces were left out.
                if self.record_of(ty).is_some() && self.type_of(e)? == ty {
                    items.advance();
                    plan.push(path, e);
                    return Ok(());
                }
                let before = items.len();
                self.plan_list(ty, items, 0, false, path, plan)?;
                if items.len() == before {
                    // An empty object takes nothing: do not stand still.
                    items.advance();
                }
                Ok(())
            }
            _ => {
                items.advance();
                // A list of its own initialises the whole sub-object anew.
                if items.jumped && matches!(init.node, ast::Initializer::List(_)) {
                    plan.forget(path);
                }
                self.plan(ty, init, path, plan).map(|_| ())
            }
        }
    }

    /// The way that designators lead: positions from and to, and whether they are members. `.a` may lead through anonymous members.
    fn designated(
        &mut self,
        mut ty: TypeId,
        designators: &'a [Node<ast::Designator>],
    ) -> Res<Vec<(u64, u64, bool)>> {
        let mut steps = Vec::new();
        for designator in designators {
            let span = self.span(designator);
            let (from, to) = match &designator.node {
                ast::Designator::Member(name) => {
                    let found = self.record_of(ty).and_then(|r| self.member_path(r, &name.node.name));
                    let Some(fields) = found else {
                        return self.error(format!("no member `{}`", name.node.name), span);
                    };
                    for field in fields {
                        let record = self.record_of(ty).expect("the path leads through records");
                        ty = self.p.types.records[record].fields[field as usize].ty;
                        steps.push((u64::from(field), u64::from(field), true));
                    }
                    continue;
                }
                ast::Designator::Index(e) => {
                    let index = self.const_size(e)?;
                    (index, index)
                }
                ast::Designator::Range(range) => {
                    (self.const_size(&range.node.from)?, self.const_size(&range.node.to)?)
                }
            };
            let Type::Array { elem, len } = *self.p.types.get(ty) else {
                return self.error("an index designator for something that is no array", span);
            };
            if len.is_some_and(|len| to >= len) {
                return self.error("this element is outside of the array", span);
            }
            const LARGEST_RANGE: u64 = 1 << 20;
            if to < from || to - from > LARGEST_RANGE {
                return self.error("this range of elements cannot be initialised", span);
            }
            steps.push((from, to, false));
            ty = elem;
        }
        Ok(steps)
    }

    /// `.a[2].b = init`, and what follows in the list for the rest of the innermost sub-objects. Gives the position behind the first
    /// designator.
    fn plan_designated(
        &mut self,
        ty: TypeId,
        steps: &[(u64, u64, bool)],
        items: &mut Items<'a>,
        path: &mut Vec<Step>,
        plan: &mut Plan<'a>,
    ) -> Res<u64> {
        let Some((&(from, to, is_field), rest)) = steps.split_first() else {
            self.plan_member(ty, items, path, plan)?;
            return Ok(0);
        };
        self.choose_member(ty, step_to(from, is_field), path, plan);
        for position in from..=to {
            self.pace.step()?;
            let step = step_to(position, is_field);
            let sub = self.sub_type(ty, step);
            path.push(step);
            let mut alone = Items { designated: items.designated, rest: [].iter(), jumped: true };
            let items = if position == to { &mut *items } else { &mut alone };
            let mut result = self.plan_designated(sub, rest, items, path, plan);
            if let (Ok(next), false) = (&result, rest.is_empty()) {
                result = self.plan_list(sub, items, *next, false, path, plan);
            }
            path.pop();
            result?;
        }
        Ok(to + 1)
    }

    /// The expression of `x`, `{ x }`, `{ { x } }`; `None` for `{}`. What follows it in a list is ignored, as GCC does.
    fn scalar(&self, init: &'a Node<ast::Initializer>) -> Res<Option<&'a Node<ast::Expression>>> {
        let items = match &init.node {
            ast::Initializer::Expression(e) => return Ok(Some(e)),
            ast::Initializer::List(items) => items,
        };
        if let Some(item) = items.iter().find(|i| !i.node.designation.is_empty()) {
            return self
                .error("a designator for something that is no array, struct or union", self.span(item));
        }
        items.first().map_or(Ok(None), |i| self.scalar(&i.node.initializer))
    }

    /// The last member of a union that is named is the one that counts.
    fn choose_member(&self, ty: TypeId, step: Step, path: &[Step], plan: &mut Plan<'a>) {
        if self.record_of(ty).is_some_and(|r| self.p.types.records[r].kind == RecordKind::Union) {
            plan.forget_others(path, step);
        }
    }

    fn sub_type(&self, ty: TypeId, step: Step) -> TypeId {
        match (self.p.types.get(ty), step) {
            (Type::Record(r), Step::Field(f)) => self.p.types.records[*r].fields[f as usize].ty,
            (Type::Array { elem, .. }, Step::Index(_)) => *elem,
            _ => unreachable!("a step into something that has no parts"),
        }
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
        let mut plan = Plan::default();
        if !self.p.types.is_aggregate(ty) {
            let place = self.temp(ty, span);
            let first = items.first().map_or(Ok(None), |i| self.scalar(&i.node.initializer))?;
            match first {
                Some(e) => self.store_expression(place, e, span)?,
                None => {
                    let zero = self.zero(ty);
                    self.emit(Op::Assign(place, zero), span);
                }
            }
            return Ok(Val::Place(place));
        }
        let mut list = Items::new(items);
        let longest = match items.first().map(|i| &i.node.initializer.node) {
            Some(ast::Initializer::Expression(e)) if items.len() == 1 && self.takes_string(ty, e) => {
                plan.push(&[], e);
                0
            }
            _ => self.plan_list(ty, &mut list, 0, true, &mut Vec::new(), &mut plan)?,
        };
        let ty = match (self.p.types.get(ty).clone(), plan.whole()) {
            (Type::Array { elem, len: None }, Some(e)) => {
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
        self.follow(place, plan, false)?;
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

fn step_to(position: u64, is_field: bool) -> Step {
    if is_field { Step::Field(position as u32) } else { Step::Index(position) }
}

fn string_of(e: &Node<ast::Expression>) -> Option<&Node<ast::StringLiteral>> {
    match &e.node {
        ast::Expression::StringLiteral(literal) => Some(literal),
        _ => None,
    }
}
