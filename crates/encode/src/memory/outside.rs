//! Objects that the environment gives.
//!
//! Content of fresh memory, of what externs return and of what the entry is given may be pointers. The analysis of pointers knows nothing that they point to: to a proof every read through
//! one is arbitrary, whatever was written. To show an execution that is not enough, since an interpreter needs an object there. With [`Layout::give_outside`] the scalars that are
//! accessed through such pointers get cells, one for each type, and an access needs its pointer to be the start of an object of the environment: one of [`COUNT`] for each type that is
//! pointed to, all of them apart from each other and from what the program makes.
//!
//! This says less than what environments may do (no two types share bytes, nothing points into the middle of an object). So it is good for finding executions, which are then
//! replayed with these objects, and for no proof.

use super::foreign::root;
use super::{Candidate, Cell, CellId, CellKind, Layout, Owner};
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, ExprKind, PlaceId, Program, Type, TypeId};
use rustc_hash::FxHashMap;

/// Objects of one type.
pub const COUNT: u64 = 16;
/// Room for each is at least this.
const LEAST: u64 = 1 << 12;

/// Where objects lie that a pointer may point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// The pointer that is dereferenced.
    pub pointer: ExprId,
    /// The first of them, a multiple of all that they take; each takes `stride`, a power of two.
    pub start: u64,
    pub stride: u64,
}

impl Layout {
    /// Makes cells for what the environment gives. Is there anything that it could give?
    pub fn give_outside(&mut self, program: &Program) -> bool {
        let (exprs, types) = (&program.exprs, &program.types);
        let mut regions = Regions::new(program);
        let mut cells: FxHashMap<Option<TypeId>, CellId> = FxHashMap::default();
        for place in (0..exprs.place_count()).map(PlaceId::from_usize) {
            if !self.is_accessed(place) || !self.access(place).candidates.is_empty() {
                continue;
            }
            let ty = exprs.place(place).ty;
            if !matches!(types.get(ty), Type::Int(_) | Type::Ptr(_) | Type::Float(_)) {
                continue;
            }
            let Some(given) = root(program, place).and_then(|pointer| regions.of(pointer)) else { continue };
            let class = (!types.is_ptr(ty)).then_some(ty);
            let cell = *cells.entry(class).or_insert_with(|| {
                let name = format!("*outside.{}", self.cells.len()).into();
                let (kind, owner) = (CellKind::Array, Owner::Program);
                self.cells.push(Cell {
                    name,
                    ty,
                    kind,
                    leaves: Vec::new(),
                    ranges: None,
                    shared: false,
                    owner,
                })
            });
            let at = self.candidates.len() as u32;
            self.candidates.push(Candidate { cell, address: None });
            self.access[place] = (at, at + 1, true);
            self.given.insert(Node::Place(place), given);
        }
        for e in (0..exprs.len()).map(ExprId::from_usize) {
            if let ExprKind::Valid(pointer, _) = *exprs.kind(e)
                && self.leads_nowhere(e)
            {
                let given = regions.of(start_of(program, pointer));
                self.given.extend(given.map(|given| (Node::Expr(e), given)));
            }
        }
        !self.given.is_empty()
    }

    /// What an access to a place, or an expression that asks for one, needs, if it is one to what the environment gives.
    pub fn given(&self, access: Node) -> Option<Given> {
        self.given.get(&access).copied()
    }
}

/// Where the objects of each type lie.
struct Regions<'a> {
    program: &'a Program,
    known: FxHashMap<Option<TypeId>, (u64, u64)>,
    next: u64,
    end: u64,
}

impl<'a> Regions<'a> {
    /// In the upper half of the address space.
    fn new(program: &'a Program) -> Self {
        let half = 1u64 << (program.types.model.pointer_bits() - 1);
        Regions { program, known: FxHashMap::default(), next: half, end: half + half / 4 * 3 }
    }

    /// What a pointer may point to; `None` if there is no room for it.
    fn of(&mut self, pointer: ExprId) -> Option<Given> {
        let types = &self.program.types;
        let pointee = types.pointee(self.program.exprs.ty(pointer));
        let size = pointee.and_then(|ty| types.size_of(ty)).unwrap_or(0);
        let (next, end) = (&mut self.next, self.end);
        let (start, stride) = match self.known.get(&pointee) {
            Some(known) => *known,
            None => {
                let stride = size.max(LEAST).next_power_of_two();
                let start = next.next_multiple_of(COUNT * stride);
                if start + COUNT * stride > end {
                    return None;
                }
                *next = start + COUNT * stride;
                self.known.insert(pointee, (start, stride));
                (start, stride)
            }
        };
        Some(Given { pointer, start, stride })
    }
}

/// The pointer that an address was computed from.
fn start_of(program: &Program, mut pointer: ExprId) -> ExprId {
    loop {
        let inner = match *program.exprs.kind(pointer) {
            ExprKind::AddrOf(place) => root(program, place),
            _ => None,
        };
        match inner {
            Some(inner) => pointer = inner,
            None => return pointer,
        }
    }
}
