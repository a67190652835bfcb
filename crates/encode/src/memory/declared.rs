//! What the declared type of an object says about its bytes: the C name of an offset.

use craig_cfa::{RecordKind, Type, TypeId, Types};
use std::fmt::Write as _;

/// `.f[2].g` for `bits` at an offset of a type. `is_folded` says whether the elements of the array at an offset are one; they print as `[]`.
pub(super) fn path(
    types: &Types,
    mut ty: TypeId,
    offset: i64,
    bit: u8,
    bits: i64,
    is_folded: &dyn Fn(i64, i64) -> bool,
) -> Option<String> {
    let mut text = String::new();
    let mut base = 0i64;
    loop {
        let at = offset - base;
        match types.get(ty) {
            Type::Array { elem, .. } => {
                let size = types.size_of(*elem).unwrap_or(0) as i64;
                if size == 0 || at < 0 {
                    return None;
                }
                if is_folded(base, size) {
                    text.push_str("[]");
                } else {
                    let _ = write!(text, "[{}]", at / size);
                }
                base += at / size * size;
                ty = *elem;
            }
            Type::Record(r) => {
                let record = &types.records[*r];
                let holds = |f: &&craig_cfa::Field| {
                    let start = f.offset as i64;
                    match f.bit {
                        Some(b) => start == at && b == bit,
                        None => {
                            let size = types.size_of(f.ty).unwrap_or(0) as i64;
                            let open = matches!(types.get(f.ty), Type::Array { .. }) && size == 0;
                            start <= at && (at < start + size || open)
                        }
                    }
                };
                // Of the members of a union, rather one that is such a scalar.
                let is_it = |f: &&craig_cfa::Field| {
                    holds(f)
                        && !types.is_aggregate(f.ty)
                        && types.size_of(f.ty) == Some(bits.unsigned_abs() / 8)
                };
                let field = record.fields.iter().find(is_it).or_else(|| record.fields.iter().find(holds))?;
                if !field.name.is_empty() {
                    let _ = write!(text, ".{}", field.name);
                } else if record.kind == RecordKind::Struct && !types.is_aggregate(field.ty) {
                    return None;
                }
                base += field.offset as i64;
                ty = field.ty;
                if field.bit.is_some() {
                    return Some(text);
                }
            }
            _ => return (at == 0).then_some(text),
        }
    }
}
