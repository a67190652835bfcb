//! Lists of variadic arguments.
//!
//! A `va_list` of the program holds in its first four bytes a handle: a number that names a [`VaList`] here. Copies of these bytes (a
//! list passed to another function) name the same list, as they do with the array type that x86-64 uses.

use super::code::Class;
use super::end::{R, Undefined, internal, undefined};
use super::machine::Machine;
use super::place::{Addr, Spot};
use super::value::Value;
use crate::arith;
use crate::expr::{ExprId, PlaceId};
use crate::program::VaOp;
use crate::types::{IntTy, TypeId};

#[derive(Debug, Clone, Copy)]
pub(super) struct VaList {
    /// The frame whose arguments it lists: its depth and serial number.
    frame: usize,
    serial: u64,
    /// Arguments taken.
    next: usize,
}

impl Machine<'_, '_> {
    pub fn varargs(&mut self, op: &VaOp) -> R<()> {
        match *op {
            VaOp::Start { list } => {
                let Some(frame) = self.frames.last() else { return internal("va_start outside a procedure") };
                let start = VaList { frame: self.frames.len() - 1, serial: frame.serial, next: 0 };
                self.new_list(list, start)
            }
            VaOp::Copy { dst, src } => {
                let handle = self.handle_at(src)?;
                let list = self.list(handle)?;
                self.new_list(dst, list)
            }
            VaOp::Arg { list, dst } => {
                let handle = self.handle_at(list)?;
                let ty = self.p.exprs.place(dst).ty;
                let value = self.next_extra(handle, ty)?;
                self.write_value(dst, value)
            }
            // The handle stays what it is; a list that ended may not be used.
            VaOp::End { .. } => Ok(()),
        }
    }

    fn new_list(&mut self, place: PlaceId, list: VaList) -> R<()> {
        // Lists of frames that are gone are never used again; their entries at the end are.
        while let Some(last) = self.va_lists.last()
            && !self.is_open(last)
        {
            self.va_lists.pop();
        }
        self.va_lists.push(list);
        let handle = self.va_lists.len() as u128;
        match self.spot(place)? {
            Spot::Slot(slot) => match self.slots.get_mut(slot) {
                Some(s) => {
                    *s = handle;
                    Ok(())
                }
                None => internal("a variable of another procedure"),
            },
            Spot::Memory(at) => self.store_bytes(at, &(handle as u32).to_le_bytes()),
            Spot::Math(_) => internal("a va_list that is a mathematical value"),
        }
    }

    fn handle_at(&mut self, place: PlaceId) -> R<u32> {
        match self.spot(place)? {
            Spot::Slot(slot) => match self.slots.get(slot) {
                Some(v) => Ok(*v as u32),
                None => internal("a variable of another procedure"),
            },
            Spot::Memory(at) => self.handle_in_memory(at),
            Spot::Math(_) => internal("a va_list that is a mathematical value"),
        }
    }

    fn handle_in_memory(&mut self, at: Addr) -> R<u32> {
        let mut bytes = Vec::with_capacity(4);
        self.load_bytes(at, 4, &mut bytes)?;
        Ok(bytes.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b)))
    }

    /// The list that an argument of `vprintf` names: by its bytes, by a pointer to them, or as the handle itself.
    pub fn handle_of(&mut self, e: ExprId) -> R<u32> {
        match self.eval_value(e)? {
            Value::Bytes(bytes) => Ok(bytes.iter().take(4).rev().fold(0, |v, b| v << 8 | u32::from(*b))),
            Value::Bits(v) if self.mem.find(v as u64, 4).is_ok() => {
                self.handle_in_memory(Addr { addr: v as u64, bit: None, base: None })
            }
            Value::Bits(v) => Ok(v as u32),
            _ => internal("a va_list that is a mathematical value"),
        }
    }

    fn is_open(&self, list: &VaList) -> bool {
        self.frames.get(list.frame).is_some_and(|f| f.serial == list.serial)
    }

    fn list(&self, handle: u32) -> R<VaList> {
        match self.va_lists.get((handle as usize).wrapping_sub(1)) {
            Some(list) if self.is_open(list) => Ok(*list),
            Some(_) => undefined(Undefined::VarArgs, "the list belongs to a function that returned"),
            None => undefined(Undefined::VarArgs, "the list was not started"),
        }
    }

    /// The next argument with its type.
    pub fn take_extra(&mut self, handle: u32) -> R<(TypeId, Value)> {
        let list = self.list(handle)?;
        let start = self.frames[list.frame].extras + list.next;
        let end = self.frames.get(list.frame + 1).map_or(self.extras.len(), |f| f.extras);
        if start >= end {
            return undefined(Undefined::VarArgs, format!("there are only {} arguments", list.next));
        }
        self.va_lists[handle as usize - 1].next += 1;
        Ok(self.extras[start].clone())
    }

    fn next_extra(&mut self, handle: u32, want: TypeId) -> R<Value> {
        let (have, value) = self.take_extra(handle)?;
        match (self.code.class[have], self.code.class[want], value) {
            (Class::Word(from), Class::Word(to), Value::Bits(v)) if same_slot(from, to) => {
                Ok(Value::Bits(arith::convert(v, from, to)))
            }
            (from, to, value) if from == to && self.code.size[have] == self.code.size[want] => Ok(value),
            (Class::Bool, Class::Word(_), value) => Ok(value),
            _ => undefined(Undefined::VarArgs, "the argument is of another type"),
        }
    }
}

/// Do both types lie in an argument of the same size? Signedness may differ (C11 7.16.1.1).
fn same_slot(from: IntTy, to: IntTy) -> bool {
    let size = |int: IntTy| int.width.div_ceil(32).next_power_of_two();
    size(from) == size(to)
}
