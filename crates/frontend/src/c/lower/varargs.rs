//! Variadic arguments, as memory like all other.
//!
//! A call of a function that reads them puts them into a row of *slots*, a variable of the caller, and hands over a pointer to the first as one
//! argument more. A slot has a member for each kind of argument that the program knows, so that no two types share bytes, and a number that
//! says which of them holds the argument; behind the last argument stands a slot with the number 0. A `va_list` is a pointer to the next slot.
//! `va_arg` of a kind that the slot does not hold, or behind the end, is undefined in C and not modelled here: a proof has to show that no run does it.
//!
//! After the call all slots are empty, since a list does not outlive its function.

use super::{Lower, Res, Val};
use craig_base::Span;
use craig_cfa::{
    BinOp, DataModel, EdgeId, ExprId, Field, Op, PlaceId, ProcId, RecordId, RecordKind, Type, TypeId, Types,
    VarId, VarKind,
};
use indexmap::IndexMap;
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxBuildHasher;

#[derive(Default)]
pub(super) struct Varargs {
    slot: Option<RecordId>,
    list: Option<TypeId>,
    /// The parameter that each function that reads variadic arguments gets its row by.
    rows: IndexMap<ProcId, VarId, FxBuildHasher>,
}

impl<'a> Lower<'a> {
    fn slot(&mut self) -> RecordId {
        if let Some(slot) = self.varargs.slot {
            return slot;
        }
        let slot = self.p.types.new_record("__va_slot".into(), RecordKind::Struct);
        let kind = Field { name: "kind".into(), ty: self.int_ty(), offset: 0, bit: None };
        self.p.types.records[slot].fields.push(kind);
        self.varargs.slot = Some(slot);
        slot
    }

    fn slot_type(&mut self) -> TypeId {
        let slot = self.slot();
        self.p.types.intern(Type::Record(slot))
    }

    /// The member of a slot that holds arguments of the type. Types are of one kind where C lets one be passed and the other be read:
    /// with or without sign, pointers of any type.
    fn kind(&mut self, ty: TypeId) -> u32 {
        let member = match *self.p.types.get(ty) {
            Type::Int(int) => {
                let bytes = craig_cfa::types::storage_bytes(int.width).max(4);
                self.p.types.int(8 * bytes as u16, true)
            }
            Type::Ptr(_) => self.p.types.ptr(Types::VOID),
            _ => ty,
        };
        let slot = self.slot();
        let fields = &mut self.p.types.records[slot].fields;
        // The first is the number of the kind.
        let known = fields.iter().skip(1).position(|field| field.ty == member).map(|i| i + 1);
        let kind = known.unwrap_or_else(|| {
            let name = format!("v{}", fields.len());
            fields.push(Field { name: name.into(), ty: member, offset: 0, bit: None });
            fields.len() - 1
        });
        kind as u32
    }

    /// GCC's `__builtin_va_list`: an array of one record on x86-64, a pointer on i386.
    pub fn va_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.varargs.list {
            return ty;
        }
        let slot = self.slot_type();
        let next = self.p.types.ptr(slot);
        let ty = if self.p.types.model == DataModel::Lp64 {
            let record = self.p.types.new_record("__va_list_tag".into(), RecordKind::Struct);
            let r = &mut self.p.types.records[record];
            r.fields = vec![Field { name: "next".into(), ty: next, offset: 0, bit: None }];
            (r.size, r.align, r.complete) = (24, 8, true);
            let tag = self.p.types.intern(Type::Record(record));
            self.p.types.array(tag, 1)
        } else {
            next
        };
        self.varargs.list = Some(ty);
        ty
    }

    /// Where a `va_list`, be it a variable or a parameter, has its pointer to the next slot.
    fn next_of(&mut self, node: &'a Node<ast::Expression>) -> Res<PlaceId> {
        let span = self.span(node);
        let val = self.expr(node)?;
        let list = self.va_list_type();
        // Programs that went through CIL have types of their own.
        let seen_as = |l: &mut Self, place: PlaceId, ty: TypeId| {
            if l.p.exprs.place(place).ty == ty {
                return place;
            }
            let address = l.p.exprs.addr_of(&mut l.p.types, place);
            let pointer = l.p.types.ptr(ty);
            let pointer = l.p.exprs.cast(&l.p.types, address, pointer);
            l.p.exprs.deref(pointer, ty)
        };
        let Type::Array { elem: tag, .. } = *self.p.types.get(list) else {
            return match val {
                Val::Place(place) => Ok(seen_as(self, place, list)),
                _ => self.error("this is no va_list", span),
            };
        };
        let tag_place = match val {
            Val::Place(place) if self.p.exprs.place(place).ty == list => {
                let zero = self.size_const(0);
                self.p.exprs.index(&self.p.types, place, zero)
            }
            _ => {
                let pointer = self.rvalue(val, span)?;
                if !self.p.types.is_ptr(self.p.exprs.ty(pointer)) {
                    return self.error("this is no va_list", span);
                }
                let to_tag = self.p.types.ptr(tag);
                let pointer = self.p.exprs.cast(&self.p.types, pointer, to_tag);
                self.p.exprs.deref(pointer, tag)
            }
        };
        Ok(self.p.exprs.field(&self.p.types, tag_place, 0))
    }

    /// A pointer to the slots that are left in a list.
    pub fn next_variadic(&mut self, node: &'a Node<ast::Expression>) -> Res<ExprId> {
        let place = self.next_of(node)?;
        Ok(self.p.exprs.read(place))
    }

    /// `va_start`, `va_copy`, `va_end`.
    pub fn va_operation(&mut self, name: &str, args: &'a [Node<ast::Expression>], span: Span) -> Res<Val> {
        let Some(first) = args.first() else { return self.error(format!("`{name}` needs a va_list"), span) };
        let next = self.next_of(first)?;
        let value = match (name, args.get(1)) {
            ("va_start" | "stdarg_start", _) => {
                let Some(row) = self.row() else {
                    return self.error(format!("`{name}` in a function without variadic arguments"), span);
                };
                self.p.var_expr(row)
            }
            ("va_copy", Some(from)) => self.next_variadic(from)?,
            ("va_copy", None) => return self.error(format!("`{name}` needs two arguments"), span),
            // Whoever reads on is told.
            _ => self.zero(self.p.exprs.place(next).ty),
        };
        self.emit(Op::Assign(next, value), span);
        Ok(Val::Void)
    }

    /// The parameter that gives the function its variadic arguments.
    fn row(&mut self) -> Option<VarId> {
        let f = self.func.filter(|f| self.func_type_of(*f).variadic)?;
        if let Some(row) = self.varargs.rows.get(&self.proc) {
            return Some(*row);
        }
        let slot = self.slot_type();
        let ty = self.p.types.ptr(slot);
        let span = self.funcs[f].span;
        let row = self.p.add_var("va.row".into(), ty, VarKind::Param, Some(self.proc), span);
        self.varargs.rows.insert(self.proc, row);
        Some(row)
    }

    pub fn va_arg(&mut self, node: &'a Node<ast::VaArgExpression>, span: Span) -> Res<Val> {
        let ty = self.type_name(&node.node.type_name)?;
        if !self.has_size(ty) {
            return self.error("an argument of a type without size", span);
        }
        let list = self.next_of(&node.node.va_list)?;
        let kind = self.kind(ty);
        let next = self.p.exprs.read(list);
        let next = self.save(next, span);
        let slot = self.slot_type();
        let slot = self.p.exprs.deref(next, slot);
        let holds = self.p.exprs.field(&self.p.types, slot, 0);
        let holds = self.p.exprs.read(holds);
        let number = self.kind_number(kind);
        let is_it = self.p.exprs.binary(&self.p.types, BinOp::Eq, holds, number);
        let (yes, no) = self.branch(is_it, span);
        self.cur = no;
        self.not_modelled("a variadic argument that is not there or has another type", span);
        self.cur = yes;
        let value = self.p.exprs.field(&self.p.types, slot, kind);
        let value = self.p.exprs.read(value);
        let value = self.convert(value, ty, span)?;
        let dst = self.temp(ty, span);
        self.emit(Op::Assign(dst, value), span);
        let one = self.size_const(1);
        let behind = self.p.exprs.ptr_add(&self.p.types, next, one);
        self.emit(Op::Assign(list, behind), span);
        Ok(Val::Place(dst))
    }

    fn kind_number(&mut self, kind: u32) -> ExprId {
        let int = self.int_ty();
        self.p.exprs.int(&self.p.types, i128::from(kind), int)
    }

    /// Now all functions that read variadic arguments are known, and all kinds of them.
    pub fn complete_variadic_calls(&mut self) -> Res<()> {
        for call in (0..self.p.edges.len()).map(EdgeId::from_usize) {
            self.pace.step()?;
            if let Op::Call(called) = &self.p.edges[call].op
                && self.varargs.rows.contains_key(&called.proc)
            {
                self.pass_variadic(call);
            }
        }
        for (&proc, &row) in &self.varargs.rows {
            self.p.procs[proc].params.push(row);
            self.p.procs[proc].variadic = false;
        }
        self.lay_out_slots();
        Ok(())
    }

    /// The arguments beyond the named ones become one more, a pointer to a row of slots that the caller fills.
    fn pass_variadic(&mut self, id: EdgeId) {
        let edge = self.p.edges[id].clone();
        let Op::Call(mut call) = edge.op else { return };
        let span = edge.span;
        self.proc = self.p.locs[edge.from].proc;
        self.block = craig_cfa::ScopeId::ROOT;
        self.cur = edge.from;
        let extra = call.args.split_off(self.p.procs[call.proc].params.len());
        let slot = self.slot_type();
        let array = self.p.types.array(slot, extra.len() as u64 + 1);
        self.temps += 1;
        let row = self.temp_named(&format!("va.{}", self.temps), array, span);
        let mut slots = Vec::new();
        for i in 0..=extra.len() {
            let index = self.size_const(i as u64);
            slots.push(self.p.exprs.index(&self.p.types, row, index));
        }
        for (&slot, &value) in slots.iter().zip(&extra) {
            let kind = self.kind(self.p.exprs.ty(value));
            let member = self.p.exprs.field(&self.p.types, slot, kind);
            let value = self.p.exprs.cast(&self.p.types, value, self.p.exprs.place(member).ty);
            self.emit(Op::Assign(member, value), span);
            self.set_kind(slot, kind, span);
        }
        self.set_kind(slots[extra.len()], 0, span);
        call.args.push(self.p.exprs.addr_of(&mut self.p.types, slots[0]));
        let back = self.new_loc(span);
        let (before, behind) = (self.cur, edge.to);
        self.cur = back;
        for &slot in &slots[..extra.len()] {
            self.set_kind(slot, 0, span);
        }
        self.goto(behind, span);
        let edge = &mut self.p.edges[id];
        (edge.from, edge.to, edge.op) = (before, back, Op::Call(call));
    }

    fn set_kind(&mut self, slot: PlaceId, kind: u32, span: Span) {
        let place = self.p.exprs.field(&self.p.types, slot, 0);
        let number = self.kind_number(kind);
        self.emit(Op::Assign(place, number), span);
    }

    fn lay_out_slots(&mut self) {
        let Some(slot) = self.varargs.slot else { return };
        let types = &mut self.p.types;
        let mut fields = std::mem::take(&mut types.records[slot].fields);
        let (mut size, mut align) = (0u64, 1);
        for field in &mut fields {
            let own = types.align_of(field.ty);
            field.offset = size.next_multiple_of(own);
            size = field.offset + types.size_of(field.ty).unwrap_or(0);
            align = align.max(own);
        }
        let record = &mut types.records[slot];
        (record.fields, record.size) = (fields, size.next_multiple_of(align));
        (record.align, record.complete) = (align, true);
    }
}
