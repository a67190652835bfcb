//! The scalars inside of variables, by their byte offsets.

use craig_cfa::{PlaceId, Program, Type, TypeId, Types, VarId};

/// A scalar inside of a value of some type.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    pub ty: TypeId,
    /// Of a bit-field the first of its bits in the byte at its offset.
    pub bit: Option<u8>,
    way: Vec<Step>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Field(u32),
    Element(u64),
}

/// The scalar of a wanted type that begins at an offset of a type. Of several (the members of a union, bit-fields in one byte) the first.
pub(crate) fn find(
    types: &Types,
    ty: TypeId,
    offset: u64,
    wanted: impl Fn(TypeId) -> bool + Copy,
) -> Option<Scalar> {
    let deeper = |step: Step, ty: TypeId, offset: u64, bit: Option<u8>| {
        let mut found = find(types, ty, offset, wanted)?;
        found.way.insert(0, step);
        found.bit = found.bit.or(bit);
        Some(found)
    };
    match types.get(ty) {
        Type::Void | Type::Func(_) => None,
        Type::Array { elem, len } => {
            let size = types.size_of(*elem).filter(|size| *size > 0)?;
            let index = offset / size;
            let inside = len.is_some_and(|len| index < len);
            inside.then(|| deeper(Step::Element(index), *elem, offset % size, None))?
        }
        Type::Record(record) => {
            let fields = (0u32..).zip(&types.records[*record].fields);
            fields
                .filter(|(_, field)| field.offset <= offset)
                .find_map(|(i, field)| deeper(Step::Field(i), field.ty, offset - field.offset, field.bit))
        }
        _ => (offset == 0 && wanted(ty)).then(|| Scalar { ty, bit: None, way: Vec::new() }),
    }
}

impl Scalar {
    /// As C writes the way to it: `[2].f`.
    pub fn path(&self, types: &Types, mut ty: TypeId) -> String {
        let mut path = String::new();
        for step in &self.way {
            match (*step, types.get(ty)) {
                (Step::Element(index), Type::Array { elem, .. }) => {
                    path.push_str(&format!("[{index}]"));
                    ty = *elem;
                }
                (Step::Field(field), Type::Record(record)) => {
                    let field = &types.records[*record].fields[field as usize];
                    // Members of what has no name are reached without.
                    if !field.name.is_empty() {
                        path.push_str(&format!(".{}", field.name));
                    }
                    ty = field.ty;
                }
                _ => break,
            }
        }
        path
    }

    /// Its place in a variable.
    pub fn place(&self, program: &mut Program, var: VarId) -> PlaceId {
        let start = program.var_place(var);
        let index_ty = program.types.size_t();
        let Program { exprs, types, .. } = program;
        self.way.iter().fold(start, |place, step| match *step {
            Step::Field(field) => exprs.field(types, place, field),
            Step::Element(index) => {
                let index = exprs.int(types, index.into(), index_ty);
                exprs.index(types, place, index)
            }
        })
    }
}
