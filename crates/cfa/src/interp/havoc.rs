//! Arbitrary values of any type, asked of the chooser leaf by leaf.

use super::chooser::{Key, Scalar};
use super::code::Class;
use super::end::{R, internal, unsupported};
use super::machine::Machine;
use super::memory::{bit_span, set_bits, word_into};
use super::place::{Access, Spot};
use super::value::{MapValue, Value};
use crate::expr::PlaceId;
use crate::program::{Choice, EdgeId};
use crate::types::{RecordKind, Type, TypeId};
use std::sync::Arc;

/// What a leaf of an aggregate is asked for with.
#[derive(Clone, Copy)]
struct Asker<'a> {
    edge: EdgeId,
    occurrence: u64,
    why: &'a Choice,
}

impl Machine<'_, '_> {
    pub fn havoc(&mut self, place: PlaceId, why: &Choice, origin: EdgeId) -> R<()> {
        let ty = self.p.exprs.place(place).ty;
        let occurrence = self.occurrence(origin);
        if self.code.class[ty] != Class::Bytes {
            let key = Key::Value { edge: origin, occurrence, offset: 0, bit: 0 };
            let value = self.choose(&key, Some(why), ty)?;
            return self.write_value(place, value);
        }
        let size = self.code.size[ty];
        if size == 0 {
            return Ok(());
        }
        let Spot::Memory(at) = self.spot(place)? else { return internal("an aggregate outside memory") };
        // Written at once: the leaves are chosen into a buffer.
        self.access(at, size, Access::Write)?;
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        bytes.resize(size as usize, 0);
        self.choose_leaves(Asker { edge: origin, occurrence, why }, ty, 0, &mut bytes)?;
        self.store_bytes(at, &bytes)?;
        self.buffer = bytes;
        Ok(())
    }

    /// Any value of a type without leaves.
    pub fn choose(&mut self, key: &Key, why: Option<&Choice>, ty: TypeId) -> R<Value> {
        let class = self.code.class[ty];
        let scalar = match (class, self.p.types.get(ty)) {
            (Class::Bool, _) => Scalar::Bool,
            (Class::Word(int), Type::Ptr(_)) => Scalar::Pointer(int.width),
            (Class::Word(int), _) => Scalar::Int(int),
            (Class::Float(f), _) => Scalar::Float(f),
            (Class::Opaque, _) => Scalar::Opaque,
            (_, Type::MathInt) => return Ok(Value::Int(self.chooser.int(key, why))),
            (_, Type::MathReal) => return Ok(Value::Real(Box::new(self.chooser.real(key, why)))),
            (_, Type::Map { .. }) => return Ok(Value::Map(Arc::new(MapValue::choice(key.clone())))),
            (Class::Bytes, _) => return unsupported("an arbitrary aggregate in a map"),
            _ => return internal("an arbitrary value of a type without values"),
        };
        Ok(Value::Bits(Self::normalise(class, self.chooser.bits(key, why, scalar))))
    }

    /// Fills `bytes`, the whole variable, from byte `offset` on with a value of the type.
    fn choose_leaves(&mut self, asker: Asker<'_>, ty: TypeId, offset: u64, bytes: &mut [u8]) -> R<()> {
        let p = self.p;
        let size = self.code.size[ty];
        match p.types.get(ty) {
            Type::Array { elem, len } => {
                let step = self.code.size[*elem];
                for i in 0..len.unwrap_or(0) {
                    self.choose_leaves(asker, *elem, offset + i * step, bytes)?;
                }
                Ok(())
            }
            Type::Record(r) if p.types.records[*r].kind == RecordKind::Union => {
                let Some(bytes) = window(bytes, offset, size) else {
                    return internal("a field outside its record");
                };
                self.chooser.fill(asker.edge, asker.occurrence, offset, bytes);
                Ok(())
            }
            Type::Record(r) => {
                for field in &p.types.records[*r].fields {
                    let at = offset + field.offset;
                    match (field.bit, self.code.class[field.ty]) {
                        (Some(bit), Class::Word(int)) => {
                            let v = self.leaf(asker, field.ty, at, bit)?;
                            let Some(bytes) = window(bytes, at, bit_span(bit, int.width)) else {
                                return internal("a bit-field outside its record");
                            };
                            set_bits(bytes, bit, int.width, v);
                        }
                        _ => self.choose_leaves(asker, field.ty, at, bytes)?,
                    }
                }
                Ok(())
            }
            _ => {
                let v = self.leaf(asker, ty, offset, 0)?;
                let Some(bytes) = window(bytes, offset, size) else {
                    return internal("a field outside its record");
                };
                word_into(bytes, v);
                Ok(())
            }
        }
    }

    fn leaf(&mut self, asker: Asker<'_>, ty: TypeId, offset: u64, bit: u8) -> R<u128> {
        let key = Key::Value { edge: asker.edge, occurrence: asker.occurrence, offset, bit };
        match self.choose(&key, Some(asker.why), ty)? {
            Value::Bits(v) => Ok(v),
            _ => internal("a mathematical value in memory"),
        }
    }
}

fn window(bytes: &mut [u8], offset: u64, len: u64) -> Option<&mut [u8]> {
    bytes.get_mut(offset as usize..(offset + len) as usize)
}
