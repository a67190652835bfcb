//! Structs, unions and enumerations by their tags.

use super::{Lower, Res, Symbol};
use craig_base::Span;
use craig_cfa::{Name, RecordKind, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Lower<'a> {
    pub fn enum_specifier(&mut self, node: &'a Node<ast::EnumType>) -> Res<TypeId> {
        let tag = node.node.identifier.as_ref().map(|i| Name::from(i.node.name.as_str()));
        let int = self.int_ty();
        if node.node.enumerators.is_empty() {
            let known =
                tag.as_ref().and_then(|t| self.scopes.iter().rev().find_map(|s| s.tags.get(t)).copied());
            if known.is_some_and(|ty| self.record_of(ty).is_some()) {
                return self.error("this tag is that of a struct or union", self.span(node));
            }
            // GCC gives an enumeration without negative members the type unsigned int; so it is for one not seen yet.
            return Ok(known.unwrap_or_else(|| self.p.types.int(32, false)));
        }
        self.spelled.enumerations += 1;
        let (mut next, mut smallest, mut largest) = (0i128, 0i128, 0i128);
        let fits_int = |v: i128| i32::try_from(v).is_ok();
        let mut wide = Vec::new();
        for enumerator in &node.node.enumerators {
            self.pace.step()?;
            if let Some(e) = &enumerator.node.expression {
                next = self.const_int(e)?;
            }
            if i64::try_from(next).is_err() && u64::try_from(next).is_err() {
                return self.error("the value of an enumerator fits no type", self.span(enumerator));
            }
            let name = &enumerator.node.identifier.node.name;
            let span = self.span(enumerator);
            // Seen by the members after it; the type of those that are no int may still change.
            let ty = if fits_int(next) {
                int
            } else {
                wide.push((name, next));
                let width = if u32::try_from(next).is_ok() { 32 } else { 64 };
                self.p.types.int(width, next < 0)
            };
            self.declare(name, Symbol::Enumerator(next, ty), span)?;
            smallest = smallest.min(next);
            largest = largest.max(next);
            next += 1;
        }
        let narrow = if smallest < 0 {
            fits_int(smallest) && fits_int(largest)
        } else {
            u32::try_from(largest).is_ok()
        };
        let width = if narrow { 32 } else { 64 };
        let ty = self.p.types.int(width, smallest < 0);
        // GCC: an enumerator that is no int has the type of its enumeration.
        for (name, value) in wide {
            self.define(name, Symbol::Enumerator(value, ty));
        }
        if let Some(tag) = tag {
            self.scopes.last_mut().expect("the file scope is always there").tags.insert(tag, ty);
        }
        Ok(ty)
    }

    /// An enumeration that was just read gets the smallest type that holds its members.
    pub fn packed_enumeration(&mut self, node: &ast::EnumType) -> TypeId {
        let (mut smallest, mut largest) = (0, 0);
        for enumerator in &node.enumerators {
            if let Some(Symbol::Enumerator(value, _)) = self.lookup(&enumerator.node.identifier.node.name) {
                (smallest, largest) = (value.min(smallest), value.max(largest));
            }
        }
        let fits = |width: &u16| match smallest < 0 {
            true => smallest >= -(1 << (width - 1)) && largest < 1 << (width - 1),
            false => largest < 1 << width,
        };
        let width = [8, 16, 32].into_iter().find(fits).unwrap_or(64);
        let ty = self.p.types.int(width, smallest < 0);
        if let Some(tag) = &node.identifier {
            let tags = &mut self.scopes.last_mut().expect("the file scope is always there").tags;
            tags.insert(tag.node.name.as_str().into(), ty);
        }
        ty
    }

    pub fn record_specifier(&mut self, node: &'a Node<ast::StructType>) -> Res<TypeId> {
        let kind = match node.node.kind.node {
            ast::StructKind::Struct => RecordKind::Struct,
            ast::StructKind::Union => RecordKind::Union,
        };
        let tag = node.node.identifier.as_ref().map(|i| Name::from(i.node.name.as_str()));
        let span = self.span(node);
        let Some(members) = &node.node.declarations else {
            let Some(tag) = tag else { return self.error("a struct without name and members", span) };
            let known = self.scopes.iter().rev().find_map(|s| s.tags.get(&tag)).copied();
            if let Some(ty) = known {
                self.same_kind(ty, kind, span)?;
            }
            return Ok(known.unwrap_or_else(|| self.new_tag(tag, kind)));
        };
        // A definition: completes an incomplete one of the same scope, or is new.
        let here = tag.as_ref().and_then(|t| self.scopes.last().and_then(|s| s.tags.get(t)).copied());
        if let Some(ty) = here {
            self.same_kind(ty, kind, span)?;
        }
        let ty = match here {
            Some(ty) if self.record_of(ty).is_some_and(|r| !self.p.types.records[r].complete) => ty,
            Some(ty) if self.record_of(ty).is_some() => {
                return self.error(format!("`{}` is defined twice", tag.as_deref().unwrap_or("")), span);
            }
            _ => match tag {
                Some(tag) => self.new_tag(tag, kind),
                None => {
                    let record = self.p.types.new_record("".into(), kind);
                    self.p.types.intern(Type::Record(record))
                }
            },
        };
        let record = self.record_of(ty).expect("it was just made or found to be a record");
        self.lay_out(record, members)?;
        Ok(ty)
    }

    /// A tag belongs to one of struct, union and enum.
    fn same_kind(&self, ty: TypeId, kind: RecordKind, span: Span) -> Res<()> {
        match self.record_of(ty) {
            Some(r) if self.p.types.records[r].kind == kind => Ok(()),
            _ => self.error("this tag is already that of another kind of type", span),
        }
    }

    fn new_tag(&mut self, tag: Name, kind: RecordKind) -> TypeId {
        let record = self.p.types.new_record(tag.clone(), kind);
        let ty = self.p.types.intern(Type::Record(record));
        self.scopes.last_mut().expect("the file scope is always there").tags.insert(tag, ty);
        ty
    }

    pub fn record_of(&self, ty: TypeId) -> Option<craig_cfa::RecordId> {
        match self.p.types.get(ty) {
            Type::Record(r) => Some(*r),
            _ => None,
        }
    }
}
