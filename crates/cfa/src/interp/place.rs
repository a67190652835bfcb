//! From places to storage, reads and writes.

use super::Made;
use super::code::{Class, Storage};
use super::end::{Limit, R, RunEnd, Undefined, internal, undefined};
use super::float;
use super::machine::Machine;
use super::memory::{
    Fault, ObjId, Object, Owner, PAGE, State, bit_span, get_bits, set_bits, word_from, word_into,
};
use super::trace::Target;
use super::value::Value;
use super::watch::Thing;
use crate::arith;
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::{CallStrings, VarId};
use crate::types::{Type, TypeId};

/// Storage that a place names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    Slot(usize),
    Math(usize),
    Memory(Addr),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Addr {
    pub addr: u64,
    /// First bit, for a bit-field.
    pub bit: Option<u8>,
    /// The pointer that the address was computed from: the access must lie in the same object.
    pub base: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Machine<'_, '_> {
    fn slot(&self, global: bool, index: u32) -> usize {
        if global { index as usize } else { self.base + index as usize }
    }

    fn math_slot(&self, global: bool, index: u32) -> usize {
        if global { index as usize } else { self.value_base + index as usize }
    }

    /// Address of a variable that lives in memory. Its object is made at the first use.
    fn var_address(&mut self, var: VarId, slot: usize) -> R<u64> {
        let Some(&known) = self.slots.get(slot) else { return internal("a variable of another procedure") };
        if known != 0 {
            return Ok(known as u64);
        }
        let (ty, local) = (self.p.vars[var].ty, self.p.vars[var].proc.is_some());
        let align = self.p.align_of(var);
        let wanted = self.wanted(Made::Var(var));
        let id = self.alloc(self.code.size[ty], align, Owner::Var(var), wanted)?;
        self.name(id, |calls| Thing::Var(var, if local { calls } else { CallStrings::ROOT }));
        if local {
            self.objects.push(id);
        }
        let start = self.mem.object(id).start;
        self.slots[slot] = u128::from(start);
        Ok(start)
    }

    pub fn alloc(&mut self, size: u64, align: u64, owner: Owner, wanted: Option<u64>) -> R<ObjId> {
        self.mem.alloc(size, align, owner, wanted).map_err(|_| Box::new(RunEnd::Limit(Limit::Memory)))
    }

    pub fn spot(&mut self, place: PlaceId) -> R<Spot> {
        let p = self.p;
        match p.exprs.place(place).kind {
            PlaceKind::Var(var) => match self.code.storage[var] {
                Storage::Slot { global, index } => Ok(Spot::Slot(self.slot(global, index))),
                Storage::Math { global, index } => Ok(Spot::Math(self.math_slot(global, index))),
                Storage::Memory { global, index } => {
                    let addr = self.var_address(var, self.slot(global, index))?;
                    Ok(Spot::Memory(Addr { addr, bit: None, base: Some(addr) }))
                }
            },
            PlaceKind::Deref(pointer) => self.pointer(pointer).map(Spot::Memory),
            PlaceKind::Field(of, index) => {
                let Spot::Memory(at) = self.spot(of)? else { return internal("a field outside memory") };
                let Type::Record(record) = p.types.get(p.exprs.place(of).ty) else {
                    return internal("a field of no record");
                };
                let Some(field) = p.types.records[*record].fields.get(index as usize) else {
                    return internal("a field that the record does not have");
                };
                let addr = self.pointer_wrap(i128::from(at.addr) + i128::from(field.offset));
                Ok(Spot::Memory(Addr { addr, bit: field.bit, base: at.base }))
            }
            PlaceKind::Index(of, index) => {
                let Spot::Memory(at) = self.spot(of)? else { return internal("an element outside memory") };
                let size = self.code.size[p.exprs.place(place).ty];
                let index = self.eval_integer(index)?;
                let addr = i128::from(at.addr).wrapping_add(index.wrapping_mul(i128::from(size)));
                Ok(Spot::Memory(Addr { addr: self.pointer_wrap(addr), bit: None, base: at.base }))
            }
        }
    }

    /// An address modulo the size of the address space.
    pub fn pointer_wrap(&self, addr: i128) -> u64 {
        addr as u64 & arith::mask(self.p.types.model.pointer_bits()) as u64
    }

    /// A pointer with the pointer it was computed from, where the expression shows it.
    fn pointer(&mut self, e: ExprId) -> R<Addr> {
        let p = self.p;
        let expr = p.exprs.get(e);
        match expr.kind {
            ExprKind::PtrAdd(pointer, count) => {
                let at = self.pointer(pointer)?;
                let addr = self.pointer_add(at.addr, count, expr.ty)?;
                Ok(Addr { addr, bit: None, base: at.base.or(Some(at.addr)) })
            }
            ExprKind::Cast(inner) if p.types.is_ptr(p.exprs.ty(inner)) => self.pointer(inner),
            ExprKind::AddrOf(place) => match self.spot(place)? {
                Spot::Memory(at) => Ok(at),
                _ => internal("the address of a variable outside memory"),
            },
            _ => Ok(Addr { addr: self.eval_bits(e)? as u64, bit: None, base: None }),
        }
    }

    pub fn pointer_add(&mut self, addr: u64, count: ExprId, pointer: TypeId) -> R<u64> {
        let elem = self.p.types.pointee(pointer);
        let size = elem.and_then(|ty| self.p.types.size_of(ty)).unwrap_or(1);
        let count = self.eval_integer(count)?;
        Ok(self.pointer_wrap(i128::from(addr).wrapping_add(count.wrapping_mul(i128::from(size)))))
    }

    /// The bytes of an access: an object and the offset in it. Content that is open is chosen.
    pub fn access(&mut self, at: Addr, len: u64, access: Access) -> R<(ObjId, usize)> {
        let found = self.mem.find(at.addr, len);
        let strays = |object: &Object, base: u64| base.wrapping_sub(object.start) > object.size;
        let (id, offset) = match (found, at.base) {
            (Ok((id, offset)), Some(base)) if strays(self.mem.object(id), base) => {
                if let Some(fault) = self.mem.fault_from(base, at.addr) {
                    return self.fault(fault, at.addr, len, access);
                }
                (id, offset)
            }
            (Ok(found), _) => found,
            (Err(fault), base) => {
                let fault = base.and_then(|b| self.mem.fault_from(b, at.addr)).unwrap_or(fault);
                return self.fault(fault, at.addr, len, access);
            }
        };
        while let Some((edge, occurrence, start)) = self.mem.next_pending(id, offset, len as usize) {
            let data = self.mem.data_mut(id);
            let end = (start + PAGE).min(data.len());
            self.chooser.fill(edge, occurrence, start as u64, &mut data[start..end]);
        }
        Ok((id, offset))
    }

    /// Can so many bytes be accessed at a pointer?
    pub fn is_valid(&mut self, pointer: ExprId, bytes: u64) -> R<bool> {
        let at = self.pointer(pointer)?;
        match self.access(at, bytes, Access::Read) {
            Ok(_) => Ok(true),
            Err(end) if matches!(*end, RunEnd::Undefined(..)) => Ok(false),
            Err(end) => Err(end),
        }
    }

    fn owner_text(&self, owner: Owner, size: u64) -> String {
        match owner {
            Owner::Var(var) => format!("`{}` of {size} bytes", self.p.vars[var].name),
            Owner::Heap => format!("an allocated object of {size} bytes"),
            Owner::Stack => format!("an object of {size} bytes on the stack"),
        }
    }

    fn fault<T>(&self, fault: Fault, addr: u64, len: u64, access: Access) -> R<T> {
        let verb = match access {
            Access::Read => "read",
            Access::Write => "write",
        };
        let what = format!("{verb} of {len} byte{} at {addr:#x}", if len == 1 { "" } else { "s" });
        let (kind, rest) = match fault {
            Fault::Null => (Undefined::NullDereference, String::new()),
            Fault::Nothing => (Undefined::InvalidPointer, ", where there is no object".into()),
            Fault::Procedure(proc) => {
                (Undefined::InvalidPointer, format!(", which is the function `{}`", self.p.procs[proc].name))
            }
            Fault::Outside { owner, size, offset } => {
                let owner = self.owner_text(owner, size);
                (Undefined::OutOfBounds, format!(", which is offset {offset} of {owner}"))
            }
            Fault::Dead { owner, state } => {
                let owner = match owner {
                    Owner::Var(var) => format!("`{}`", self.p.vars[var].name),
                    Owner::Heap => "an object".into(),
                    Owner::Stack => "an object on the stack".into(),
                };
                match state {
                    State::Returned => (
                        Undefined::UseAfterReturn,
                        format!(", where {owner} of a function that returned was"),
                    ),
                    _ => (Undefined::UseAfterFree, format!(", where {owner} was freed")),
                }
            }
        };
        undefined(kind, what + &rest)
    }

    /// Cuts raw bits to a value of the class.
    pub fn normalise(class: Class, bits: u128) -> u128 {
        match class {
            // A byte that is not zero is true, as machines test it.
            Class::Word(int) if int.width == 1 => u128::from(bits != 0),
            Class::Word(int) => arith::truncate(bits, int),
            Class::Float(f) => bits & arith::mask(float::width(f)),
            Class::Bool => u128::from(bits != 0),
            _ => bits,
        }
    }

    /// The scalar at a place.
    pub fn read_bits(&mut self, place: PlaceId) -> R<u128> {
        let ty = self.p.exprs.place(place).ty;
        match self.spot(place)? {
            Spot::Slot(slot) => match self.slots.get(slot) {
                Some(v) => Ok(*v),
                None => internal("a variable of another procedure"),
            },
            Spot::Memory(at) => {
                let value = self.load(at, ty)?;
                if self.watch.is_some() {
                    self.touched(place, at.addr)?;
                }
                Ok(value)
            }
            Spot::Math(_) => internal("a mathematical value where a machine value is needed"),
        }
    }

    pub fn load(&mut self, at: Addr, ty: TypeId) -> R<u128> {
        let class = self.code.class[ty];
        if let (Some(bit), Class::Word(int)) = (at.bit, class) {
            let len = bit_span(bit, int.width);
            let (id, offset) = self.access(at, len, Access::Read)?;
            return Ok(get_bits(&self.mem.data(id)[offset..offset + len as usize], bit, int.width));
        }
        let len = self.scalar_size(class, ty)?;
        let (id, offset) = self.access(at, len, Access::Read)?;
        Ok(Self::normalise(class, word_from(&self.mem.data(id)[offset..offset + len as usize])))
    }

    fn scalar_size(&self, class: Class, ty: TypeId) -> R<u64> {
        match class {
            Class::Word(_) | Class::Float(_) => Ok(self.code.size[ty]),
            _ => internal("a value of this type has no place in memory"),
        }
    }

    pub fn write_bits(&mut self, place: PlaceId, v: u128) -> R<()> {
        let ty = self.p.exprs.place(place).ty;
        match self.spot(place)? {
            Spot::Slot(slot) => match self.slots.get_mut(slot) {
                Some(s) => *s = v,
                None => return internal("a variable of another procedure"),
            },
            Spot::Memory(at) => {
                self.store(at, ty, v)?;
                if self.watch.is_some() {
                    self.touched(place, at.addr)?;
                }
            }
            Spot::Math(_) => return internal("a machine value for a mathematical variable"),
        }
        if self.tracing {
            let value = Value::Bits(v);
            let points = self.points(ty, &value);
            self.trace.write(Target::Place(place), value, points);
        }
        Ok(())
    }

    pub fn store(&mut self, at: Addr, ty: TypeId, v: u128) -> R<()> {
        let class = self.code.class[ty];
        if let (Some(bit), Class::Word(int)) = (at.bit, class) {
            let len = bit_span(bit, int.width);
            let (id, offset) = self.access(at, len, Access::Write)?;
            set_bits(&mut self.mem.data_mut(id)[offset..offset + len as usize], bit, int.width, v);
            return Ok(());
        }
        let len = self.scalar_size(class, ty)?;
        let (id, offset) = self.access(at, len, Access::Write)?;
        word_into(&mut self.mem.data_mut(id)[offset..offset + len as usize], v);
        Ok(())
    }

    /// Bytes of an aggregate, appended to a buffer.
    pub fn load_bytes(&mut self, at: Addr, len: u64, into: &mut Vec<u8>) -> R<()> {
        if len > 0 {
            let (id, offset) = self.access(at, len, Access::Read)?;
            into.extend_from_slice(&self.mem.data(id)[offset..offset + len as usize]);
        }
        Ok(())
    }

    pub fn store_bytes(&mut self, at: Addr, bytes: &[u8]) -> R<()> {
        if !bytes.is_empty() {
            let (id, offset) = self.access(at, bytes.len() as u64, Access::Write)?;
            self.mem.data_mut(id)[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    /// The value at a place of any type.
    pub fn read_value(&mut self, place: PlaceId) -> R<Value> {
        let ty = self.p.exprs.place(place).ty;
        match self.code.class[ty] {
            Class::Bytes => {
                let Spot::Memory(at) = self.spot(place)? else {
                    return internal("an aggregate outside memory");
                };
                let mut bytes = Vec::new();
                self.load_bytes(at, self.code.size[ty], &mut bytes)?;
                Ok(Value::Bytes(bytes.into()))
            }
            Class::Math => match self.spot(place)? {
                Spot::Math(slot) => match self.values.get(slot) {
                    Some(v) => Ok(v.clone()),
                    None => internal("a variable of another procedure"),
                },
                _ => internal("a mathematical value in memory"),
            },
            _ => self.read_bits(place).map(Value::Bits),
        }
    }

    pub fn write_value(&mut self, place: PlaceId, value: Value) -> R<()> {
        match value {
            Value::Bits(v) => self.write_bits(place, v),
            Value::Bytes(bytes) => match self.spot(place)? {
                Spot::Memory(at) => self.store_bytes(at, &bytes),
                _ => internal("an aggregate for a variable outside memory"),
            },
            value => {
                let Spot::Math(slot) = self.spot(place)? else {
                    return internal("a mathematical value for a machine variable");
                };
                if self.tracing {
                    self.trace.write(Target::Place(place), value.clone(), None);
                }
                match self.values.get_mut(slot) {
                    Some(s) => *s = value,
                    None => return internal("a variable of another procedure"),
                }
                Ok(())
            }
        }
    }

    /// Gives a parameter its value.
    pub fn write_var(&mut self, var: VarId, value: Value) -> R<()> {
        match (self.code.storage[var], value) {
            (Storage::Slot { global, index }, Value::Bits(v)) => {
                let slot = self.slot(global, index);
                match self.slots.get_mut(slot) {
                    Some(s) => *s = v,
                    None => return internal("a parameter of another procedure"),
                }
                Ok(())
            }
            (Storage::Math { global, index }, value) => {
                let slot = self.math_slot(global, index);
                match self.values.get_mut(slot) {
                    Some(s) => *s = value,
                    None => return internal("a parameter of another procedure"),
                }
                Ok(())
            }
            (Storage::Memory { global, index }, value) => {
                let addr = self.var_address(var, self.slot(global, index))?;
                let at = Addr { addr, bit: None, base: None };
                match value {
                    Value::Bits(v) => self.store(at, self.p.vars[var].ty, v),
                    Value::Bytes(bytes) => self.store_bytes(at, &bytes),
                    _ => internal("a mathematical value for a variable in memory"),
                }
            }
            _ => internal("an argument of another kind than the parameter"),
        }
    }
}
