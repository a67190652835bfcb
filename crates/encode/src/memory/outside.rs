//! Objects that the environment gives.
//!
//! Content of fresh memory, of what externs return and of what the entry is given may be pointers. The analysis of pointers knows nothing that they point to: to a proof every read through
//! one is arbitrary, whatever was written. To show an execution that is not enough, since an interpreter needs an object there. With [`Layout::give_outside`] the scalars that are
//! accessed through such pointers get cells, one for each width, and an access needs an object of the environment where it goes: one of [`COUNT`] for each type that is pointed to, all of them apart
//! from each other and from what the program makes. Where a pointer may lead to something of the program as well, the cells stand beside those of the program.
//!
//! An object has room for the largest type, and behind it lies as much that belongs to nothing: a step of less than that leads out of no object into another.
//!
//! [`Give::Starts`]: what a pointer points to begins where an object of its type begins. [`Give::Inside`]: anywhere in any object, as steps through an array, pointers to members and casts need it. The
//! first is asked first: there two types never share bytes, which the cells would not show.
//!
//! Allocations whose size is open are small then.
//!
//! This says less than what environments may do. So it is good for finding executions, which are then replayed with these objects, and for no proof.

use super::addresses::Address;
use super::foreign::{Foreign, root};
use super::{Candidate, Cell, CellId, CellKind, Layout, Owner, Seen, Stretch, solved};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, ExprKind, Op, PlaceId, Program, Type, TypeId};
use rustc_hash::FxHashMap;

/// Objects of one type.
pub const COUNT: u64 = 16;
/// Room in each is at least this.
const LEAST: u64 = 1 << 12;

/// What an allocation of open size gets at most: the interpreter has so much for each.
const MOST: u64 = 1 << 20;

/// Where pointers of the environment lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Give {
    /// To where an object of their type begins.
    Starts,
    /// Anywhere in an object. Memory of the program that nobody has written to may hold such pointers as well.
    Inside,
}

/// An access that may be one to what the environment gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// The pointer that begins where an object begins; none if the access may lie anywhere in one.
    pub pointer: Option<ExprId>,
    /// Where the objects that it may lie in begin, a multiple of all that they take, and how many these are.
    pub start: u64,
    pub count: u64,
    /// Bytes of each; the next one begins twice as far behind. A power of two.
    pub room: u64,
    /// So many bytes are accessed.
    pub bytes: u64,
    /// All that lies below this address is the program's, if it may be that as well.
    pub area: Option<u64>,
}

impl Given {
    /// From one object to the next.
    pub fn stride(&self) -> u64 {
        2 * self.room
    }

    /// An access lies at a multiple of this: what is accessed as one type does not overlap.
    pub fn unit(&self) -> u64 {
        1 << self.bytes.max(1).trailing_zeros()
    }
}

impl Layout {
    /// Makes cells for what the environment gives. Is there anything that it could give?
    pub fn give_outside(
        &mut self,
        program: &Program,
        seen: &Seen,
        give: Give,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let (exprs, types) = (&program.exprs, &program.types);
        let Some(area) = Area::new(program, give) else { return Ok(false) };
        let wild = match give {
            Give::Starts => Foreign::default(),
            Give::Inside => {
                let numbers = program.makes_pointers_of_numbers();
                let (mut found, _) = solved(program, seen, numbers, false, budget)?;
                Foreign::new(&mut found, true, budget)?
            }
        };
        let mut pace = Pace::new(budget);
        let mut cells: FxHashMap<Class, CellId> = FxHashMap::default();
        for place in (0..exprs.place_count()).map(PlaceId::from_usize) {
            pace.step()?;
            let (start, end, _) = self.access.get(place).copied().unwrap_or_default();
            let mixed = start < end;
            let may_be = || self.elsewhere.contains(&Node::Place(place)) || wild.is_behind(program, place);
            if !self.is_accessed(place) || mixed && !may_be() {
                continue;
            }
            let ty = exprs.place(place).ty;
            let class = match types.get(ty) {
                Type::Float(_) => Class::Float(ty),
                Type::Int(_) | Type::Ptr(_) => match types.as_word(ty) {
                    Some(word) => Class::Word(word.width),
                    None => continue,
                },
                _ => continue,
            };
            let (Some(pointer), Some(bytes)) = (root(program, place), types.size_of(ty)) else { continue };
            let Some(given) = area.access(program, pointer, bytes, mixed) else { continue };
            let cell = *cells.entry(class).or_insert_with(|| {
                let name = format!("*outside.{}", self.cells.len()).into();
                let (kind, owner) = (CellKind::Array, Owner::Program);
                let (leaves, ranges) = (Vec::new(), Some(vec![area.stretch()]));
                self.cells.push(Cell { name, ty, kind, leaves, ranges, shared: false, owner })
            });
            let at = self.candidates.len() as u32;
            self.candidates.extend_from_within(start as usize..end as usize);
            self.candidates.push(Candidate { cell, address: None });
            self.elsewhere.insert(Node::Place(place));
            self.access[place] = (at, self.candidates.len() as u32, false);
            self.given.insert(Node::Place(place), given);
        }
        for e in (0..exprs.len()).map(ExprId::from_usize) {
            if let ExprKind::Valid(pointer, bytes) = *exprs.kind(e)
                && self.valid(e, bytes).is_none()
            {
                let given = area.access(program, pointer, bytes, !self.leads_nowhere(e));
                self.given.extend(given.map(|given| (Node::Expr(e), given)));
            }
        }
        let open = |op: &Op| matches!(op, Op::Alloc { size, .. } | Op::Realloc { size, .. } if exprs.as_bits(*size).is_none());
        self.small = true;
        Ok(!self.given.is_empty() || program.edges.iter().any(|edge| open(&edge.op)))
    }

    /// How much an allocation gets at most, if that is not open.
    pub fn most_allocated(&self) -> Option<u64> {
        self.small.then_some(MOST)
    }

    /// What an access to a place, or an expression that asks for one, needs, if it may be one to what the environment gives.
    pub fn given(&self, access: Node) -> Option<Given> {
        self.given.get(&access).copied()
    }
}

/// What shares a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Word(u16),
    Float(TypeId),
}

/// Where the objects of the environment lie: in the upper half of the address space, those of one type side by side.
struct Area {
    give: Give,
    start: u64,
    room: u64,
    /// By the type that is pointed to.
    regions: FxHashMap<TypeId, u64>,
}

impl Area {
    /// `None` if there is no room.
    fn new(program: &Program, give: Give) -> Option<Area> {
        let (exprs, types) = (&program.exprs, &program.types);
        let mut regions = FxHashMap::default();
        let mut largest = LEAST;
        for place in (0..exprs.place_count()).map(PlaceId::from_usize) {
            let Some(pointer) = root(program, place) else { continue };
            for pointer in [pointer, origin(program, pointer)] {
                let Some(to) = types.pointee(exprs.ty(pointer)) else { continue };
                let next = regions.len() as u64;
                regions.entry(to).or_insert(next);
                largest = largest.max(types.size_of(to).unwrap_or(0));
            }
        }
        let room = largest.checked_next_power_of_two()?;
        let half = 1u64 << (types.model.pointer_bits() - 1);
        let taken = room.checked_mul(2 * COUNT)?.checked_mul(regions.len() as u64)?;
        (taken > 0 && taken <= half / 4 * 3).then_some(Area { give, start: half, room, regions })
    }

    fn size(&self) -> u64 {
        2 * self.room * COUNT * self.regions.len() as u64
    }

    fn stretch(&self) -> Stretch {
        Stretch { start: Address { site: None, offset: self.start }, len: self.size() }
    }

    /// An access of so many bytes behind a pointer. `mixed`: it may be one to something of the program.
    fn access(&self, program: &Program, pointer: ExprId, bytes: u64, mixed: bool) -> Option<Given> {
        let (room, area) = (self.room, mixed.then_some(self.start));
        if bytes > room {
            return None;
        }
        Some(match self.give {
            Give::Inside => {
                let count = COUNT * self.regions.len() as u64;
                Given { pointer: None, start: self.start, count, room, bytes, area }
            }
            Give::Starts => {
                let pointer = origin(program, pointer);
                let region = self.regions.get(&program.types.pointee(program.exprs.ty(pointer))?)?;
                let start = self.start + region * 2 * room * COUNT;
                Given { pointer: Some(pointer), start, count: COUNT, room, bytes, area }
            }
        })
    }
}

/// The pointer that an address was computed from, by members and steps.
fn origin(program: &Program, mut pointer: ExprId) -> ExprId {
    let exprs = &program.exprs;
    loop {
        let inner = match *exprs.kind(pointer) {
            ExprKind::AddrOf(place) => root(program, place),
            ExprKind::PtrAdd(from, _) if exprs.as_bits(from).is_none() => Some(from),
            _ => None,
        };
        match inner {
            Some(inner) => pointer = inner,
            None => return pointer,
        }
    }
}
