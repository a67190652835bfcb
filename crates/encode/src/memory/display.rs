//! Names of cells, and the partition as text.

use super::declared;
use super::leaves::Leaf;
use super::{Address, CellKind, Layout, ObjectId, ObjectKind};
use craig_cfa::{ExprKind, Name, PlaceId, PlaceKind, Program, Type};
use std::fmt::{self, Write as _};

/// The name of a leaf, as C would write it.
pub(super) fn leaf_name(program: &Program, memory: &Layout, leaf: &Leaf) -> Name {
    let object = &memory.objects[leaf.object];
    let shape = &memory.shapes[leaf.object];
    let offset = leaf.extent.offset();
    let folded = |at: i64, size: i64| shape.whole || shape.folds.at(at).any(|f| f.stride <= size);
    if let Some(ty) = object.ty {
        if !program.types.is_aggregate(ty) && offset == 0 {
            return object.name.clone();
        }
        return match declared::path(&program.types, ty, offset, leaf.extent.bit(), leaf.extent.bits, &folded)
        {
            Some(path) => format!("{}{path}", object.name).into(),
            None => format!("{}+{offset}", object.name).into(),
        };
    }
    let elements = if shape.whole || shape.folds.at(offset).any(|f| f.start <= 0) { "[]" } else { "" };
    let path = leaf.place.map_or_else(String::new, |p| path_below(program, p));
    let star = if elements.is_empty() { "*" } else { "" };
    if path.is_empty() && offset != 0 {
        format!("{star}{}{elements}+{offset}", object.name).into()
    } else {
        format!("{star}{}{elements}{path}", object.name).into()
    }
}

/// `.f[].g`: the way from the variable or pointer at the root of a place.
fn path_below(program: &Program, mut place: PlaceId) -> String {
    let exprs = &program.exprs;
    let mut steps = Vec::new();
    loop {
        match exprs.place(place).kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => break,
            PlaceKind::Field(of, index) => {
                if let Type::Record(r) = *program.types.get(exprs.place(of).ty)
                    && let Some(field) = program.types.records[r].fields.get(index as usize)
                    && !field.name.is_empty()
                {
                    steps.push(format!(".{}", field.name));
                }
                place = of;
            }
            PlaceKind::Index(of, index) => {
                steps.push(match exprs.kind(index) {
                    ExprKind::Const(_) => {
                        format!("[{}]", exprs.as_int(&program.types, index).unwrap_or_default())
                    }
                    _ => "[]".into(),
                });
                place = of;
            }
        }
    }
    steps.reverse();
    steps.concat()
}

impl Layout {
    /// How many cells there are of each kind: scalars, arrays, bytes.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |f: &dyn Fn(&CellKind) -> bool| self.cells.iter().filter(|c| f(&c.kind)).count();
        (
            count(&|k| matches!(k, CellKind::Scalar { .. })),
            count(&|k| *k == CellKind::Array),
            count(&|k| *k == CellKind::Bytes),
        )
    }

    fn address_text(&self, address: Address) -> String {
        match address.site {
            Some(site) => format!("{}+{:#x}", self.sites[site].name, address.offset),
            None => format!("{:#x}", address.offset),
        }
    }

    fn object_name(&self, object: ObjectId) -> &str {
        &self.objects[object].name
    }
}

/// The cells, then the candidates of the places that have more than one or none.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, cell) in self.cells.iter_enumerated() {
            let kind = match cell.kind {
                CellKind::Scalar { address: Some(a) } => format!("scalar at {}", self.address_text(a)),
                CellKind::Scalar { address: None } => "scalar".into(),
                CellKind::Array => "array".into(),
                CellKind::Bytes => "bytes".into(),
            };
            let mut text = format!("c{} {}: {kind}", id.index(), cell.name);
            if cell.kind == CellKind::Array || cell.leaves.len() > 1 {
                let leaves: Vec<String> = cell
                    .leaves
                    .iter()
                    .map(|&(o, at)| {
                        let many = if self.objects[o].once { "" } else { "*" };
                        format!("{}{many}+{at}", self.object_name(o))
                    })
                    .collect();
                let _ = write!(text, " of {}", leaves.join(", "));
            }
            writeln!(f, "{text}")?;
        }
        for (object, shape) in self.shapes.iter_enumerated() {
            if matches!(
                self.objects[object].kind,
                ObjectKind::Transit | ObjectKind::Wild | ObjectKind::Proc(_)
            ) {
                continue;
            }
            if shape.whole {
                writeln!(f, "{}: all offsets are one", self.object_name(object))?;
            }
        }
        for (place, &(start, end, exact)) in self.access.iter_enumerated() {
            if exact || start == end {
                continue;
            }
            let names: Vec<String> = self.candidates[start as usize..end as usize]
                .iter()
                .map(|c| match c.address {
                    Some(a) => format!("c{} at {}", c.cell.index(), self.address_text(a)),
                    None => format!("c{}", c.cell.index()),
                })
                .collect();
            writeln!(f, "place {}: {}", place.index(), names.join(" | "))?;
        }
        Ok(())
    }
}
