//! Values as C writes them.

use craig_cfa::interp::Value;
use craig_cfa::{Program, Type, TypeId, arith};

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
