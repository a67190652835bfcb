//! Values as C writes them.

use craig_cfa::interp::{Points, Value};
use craig_cfa::{Program, Type, TypeId, Types, arith};

/// A value of a type; `None` for what has no short text (structs, maps).
pub fn show(program: &Program, ty: TypeId, value: &Value) -> Option<String> {
    let types = &program.types;
    match (value, types.get(ty)) {
        (Value::Bits(bits), Type::Bool) => Some((*bits != 0).to_string()),
        (Value::Bits(bits), Type::Int(int)) => Some(integer(*bits, *int)),
        (Value::Bits(0), Type::Ptr(_)) => Some("NULL".into()),
        (Value::Bits(bits), Type::Ptr(_)) => Some(format!("{bits:#x}")),
        (Value::Bits(bits), Type::Float(_)) => match types.size_of(ty) {
            Some(4) => Some(f32::from_bits(*bits as u32).to_string()),
            Some(8) => Some(f64::from_bits(*bits as u64).to_string()),
            _ => None,
        },
        (Value::Bits(bits), Type::Opaque(_)) => Some(format!("element {bits}")),
        (Value::Int(number), _) => Some(number.to_string()),
        (Value::Real(number), _) => Some(number.to_string()),
        _ => None,
    }
}

fn integer(bits: u128, ty: craig_cfa::IntTy) -> String {
    if ty.signed { arith::to_i128(bits, ty).to_string() } else { bits.to_string() }
}

/// A pointer of a type as C writes the address: `&buf[3]`, `&s.next`, `f`.
pub fn address(program: &Program, points: Points, ty: TypeId) -> String {
    match points {
        Points::To(proc) => program.procs[proc].name.to_string(),
        Points::In(var, offset) => {
            let (var, to) = (&program.vars[var], program.types.pointee(ty));
            let (path, rest) = path(&program.types, var.ty, offset, to);
            let rest = if rest > 0 { format!(" + {rest}") } else { String::new() };
            format!("&{}{path}{rest}", var.name)
        }
    }
}

/// The way to what lies at an offset of a type and has the wanted type, or is a scalar; and the bytes that are left.
fn path(types: &Types, mut ty: TypeId, mut offset: u64, wanted: Option<TypeId>) -> (String, u64) {
    let mut text = String::new();
    loop {
        let found = Some(ty) == wanted || wanted.is_some_and(|wanted| types.size_of(wanted).is_none());
        if offset == 0 && found {
            return (text, offset);
        }
        match types.get(ty) {
            Type::Array { elem, .. } => {
                let size = types.size_of(*elem).filter(|size| *size > 0);
                let Some(size) = size else { return (text, offset) };
                text.push_str(&format!("[{}]", offset / size));
                (offset, ty) = (offset % size, *elem);
            }
            Type::Record(record) => {
                let holds = |field: &&craig_cfa::Field| {
                    let size = types.size_of(field.ty).unwrap_or(0);
                    field.bit.is_none() && (field.offset..field.offset + size).contains(&offset)
                };
                let mut fields = types.records[*record].fields.iter();
                let Some(field) = fields.find(holds) else { return (text, offset) };
                if !field.name.is_empty() {
                    text.push_str(&format!(".{}", field.name));
                }
                (offset, ty) = (offset - field.offset, field.ty);
            }
            _ => return (text, offset),
        }
    }
}
