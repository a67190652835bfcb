//! Leaves: the scalars that an object is made of, as the program uses it.
//!
//! A leaf is a range of bits of an object that is accessed as one scalar. Leaves come from accesses, for objects with and
//! without a type alike; what is never accessed has none. Copies are no accesses, but what is read of the copy must be there in the
//! original: a leaf of the destination is a leaf of the source.
//!
//! Invariant: two leaves of an object overlap only if both are of one *group*. Overlapping accesses that are not the same (unions, byte
//! views, a scalar across the elements of a folded array) form a group; it is kept as bytes.
//!
//! Accesses are the same if they have the same bits, the same width and both are integers or pointers, or floats of one format.

use super::folds::{Fold, UNBOUNDED};
use super::objects::ObjectId;
use super::solver::{Copy, Shape};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::{FloatTy, PlaceId, PlaceKind, Program, Type, TypeId, Types};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;

/// What kind of scalar lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeafKind {
    /// An integer of so many bits, or a pointer.
    Word(u16),
    Float(u8),
    /// A mathematical value, a map, a truth value: the whole variable.
    Other(TypeId),
}

/// Bits of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Extent {
    /// From the beginning of the object.
    pub start: i64,
    pub bits: i64,
    pub kind: LeafKind,
}

impl Extent {
    fn byte(offset: i64) -> Extent {
        Extent { start: offset.saturating_mul(8), bits: 8, kind: LeafKind::Word(8) }
    }

    pub fn end(&self) -> i64 {
        self.start.saturating_add(self.bits)
    }

    pub fn offset(&self) -> i64 {
        self.start.div_euclid(8)
    }

    pub fn bit(&self) -> u8 {
        self.start.rem_euclid(8) as u8
    }

    /// Does it take whole bytes?
    pub fn is_bytes(&self) -> bool {
        self.bit() == 0 && self.bits % 8 == 0
    }

    fn moved(self, offset: i64) -> Extent {
        Extent { start: offset * 8 + i64::from(self.bit()), ..self }
    }

    /// Behind its last byte.
    pub fn end_offset(&self) -> i64 {
        self.end().saturating_add(7).div_euclid(8)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub object: ObjectId,
    pub extent: Extent,
    /// Of the first access.
    pub ty: TypeId,
    /// A place that names it, for its name.
    pub place: Option<PlaceId>,
    /// Some access to it is one to a pointer, some is none.
    pub pointer: bool,
    pub number: bool,
    /// Some operation writes bytes of it that are no part of a value.
    pub cut: bool,
    /// The group it belongs to.
    pub group: Option<u32>,
}

/// The leaves of all objects, by object and position.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    pub list: Vec<Leaf>,
    /// Where those of each object begin; one more than there are objects.
    first: Vec<u32>,
    pub groups: u32,
}

/// The bits that a scalar place takes at an offset of an object.
pub(super) fn extent_of(program: &Program, place: PlaceId, offset: i64) -> Option<Extent> {
    let p = program.exprs.place(place);
    let bit = match p.kind {
        PlaceKind::Field(of, index) => match *program.types.get(program.exprs.place(of).ty) {
            Type::Record(r) => program.types.records[r].fields.get(index as usize).and_then(|f| f.bit),
            _ => None,
        },
        _ => None,
    };
    let mut extent = extent_of_type(program, p.ty, offset)?;
    if let (Some(bit), LeafKind::Word(width)) = (bit, extent.kind) {
        extent.start += i64::from(bit);
        extent.bits = i64::from(width);
    }
    Some(extent)
}

pub(super) fn extent_of_type(program: &Program, ty: TypeId, offset: i64) -> Option<Extent> {
    let types = &program.types;
    let kind = match types.get(ty) {
        Type::Int(_) | Type::Ptr(_) => LeafKind::Word(types.as_word(ty)?.width),
        Type::Float(f) => LeafKind::Float(match f {
            FloatTy::F32 => 0,
            FloatTy::F64 => 1,
            FloatTy::F80 => 2,
            FloatTy::F128 => 3,
        }),
        Type::Void | Type::Func(_) | Type::Array { .. } | Type::Record(_) => return None,
        Type::Bool | Type::MathInt | Type::MathReal | Type::Map { .. } | Type::Opaque(_) => {
            return Some(Extent { start: offset.checked_mul(8)?, bits: 8, kind: LeafKind::Other(ty) });
        }
    };
    let size = i64::try_from(types.size_of(ty)?).ok()?;
    Some(Extent { start: offset.checked_mul(8)?, bits: size.checked_mul(8)?, kind })
}

/// Collects leaves and closes them under copies.
pub(super) struct Builder<'a> {
    program: &'a Program,
    shapes: &'a IndexVec<ObjectId, Shape>,
    found: IndexVec<ObjectId, Vec<Leaf>>,
    /// Where in `found`.
    known: FxHashMap<(ObjectId, Extent), u32>,
    todo: Vec<Leaf>,
    copies_into: IndexVec<ObjectId, Vec<u32>>,
    copies: &'a [Copy],
    fills: Vec<(ObjectId, i64, i64, bool)>,
}

impl<'a> Builder<'a> {
    pub fn new(program: &'a Program, shapes: &'a IndexVec<ObjectId, Shape>, copies: &'a [Copy]) -> Self {
        let mut copies_into = index_vec::index_vec![Vec::new(); shapes.len()];
        for (i, copy) in copies.iter().enumerate() {
            copies_into[copy.dst].push(i as u32);
        }
        Builder {
            program,
            shapes,
            found: index_vec::index_vec![Vec::new(); shapes.len()],
            known: FxHashMap::default(),
            todo: Vec::new(),
            copies_into,
            copies,
            fills: Vec::new(),
        }
    }

    /// The extent is normal.
    pub fn add(&mut self, object: ObjectId, extent: Extent, ty: TypeId, place: Option<PlaceId>) {
        let next = self.found[object].len() as u32;
        let at = *self.known.entry((object, extent)).or_insert(next);
        let is_pointer = self.program.types.is_ptr(ty);
        if at == next {
            let leaf =
                Leaf { object, extent, ty, place, pointer: false, number: false, cut: false, group: None };
            self.found[object].push(leaf);
            self.todo.push(leaf);
        }
        // What a copy made a leaf of is accessed as what it is in the copy.
        if place.is_some() {
            let leaf = &mut self.found[object][at as usize];
            leaf.pointer |= is_pointer;
            leaf.number |= !is_pointer;
        }
    }

    /// Bytes from an offset of an object on, `len` of them if that is known, are all set to one value, or each to any.
    pub fn fill(&mut self, object: ObjectId, offset: i64, len: Option<i64>, zero: bool) {
        self.fills.push((object, offset, len.unwrap_or(UNBOUNDED), zero));
    }

    /// Are bytes of a leaf filled with what is no part of a value? Null is one, if all of it is set.
    fn is_filled(shape: &Shape, extent: &Extent, start: i64, len: i64, zero: bool) -> bool {
        let (from, to, end) = (extent.offset(), extent.end_offset(), start.saturating_add(len));
        let folded = shape.whole || shape.folds.at(from).any(|f| start < f.end && f.start < end);
        match folded {
            true => !zero || len == UNBOUNDED || len % (to - from).max(1) != 0,
            false => start < to && from < end && !(zero && start <= from && to <= end),
        }
    }

    pub fn finish(mut self, budget: &Budget) -> Result<Leaves, Stop> {
        let mut pace = Pace::new(budget);
        while let Some(leaf) = self.todo.pop() {
            pace.step()?;
            for i in 0..self.copies_into[leaf.object].len() {
                let copy = self.copies[self.copies_into[leaf.object][i] as usize];
                match source_of(self.shapes, &copy, &leaf.extent) {
                    Source::Whole(offset) => {
                        self.add(copy.src, leaf.extent.moved(offset), leaf.ty, leaf.place);
                    }
                    Source::Bytes(bytes) => {
                        let at = self.known[&(leaf.object, leaf.extent)];
                        self.found[leaf.object][at as usize].cut |= !bytes.is_empty();
                        for offset in bytes {
                            self.add(copy.src, Extent::byte(offset), Types::BYTE, None);
                        }
                    }
                }
            }
        }
        for &(object, start, len, zero) in &self.fills {
            for leaf in &mut self.found[object] {
                pace.step()?;
                leaf.cut |= Self::is_filled(&self.shapes[object], &leaf.extent, start, len, zero);
            }
        }
        let mut leaves = Leaves::default();
        for (object, mut found) in self.found.into_iter_enumerated() {
            leaves.first.push(leaves.list.len() as u32);
            found.sort_by_key(|l| l.extent);
            budget.check()?;
            group(&mut found, &self.shapes[object], &mut leaves.groups);
            leaves.list.extend(found);
        }
        leaves.first.push(leaves.list.len() as u32);
        Ok(leaves)
    }
}

/// Where a copy takes the bytes of a leaf of its destination from.
enum Source {
    /// All of them, from this offset on.
    Whole(i64),
    /// Some, or none.
    Bytes(Vec<i64>),
}

fn source_of(shapes: &IndexVec<ObjectId, Shape>, copy: &Copy, extent: &Extent) -> Source {
    let (src, dst) = (&shapes[copy.src], &shapes[copy.dst]);
    let dst_at = dst.normal(copy.dst_at);
    let from = |offset: i64| src.normal(src.normal(copy.src_at).saturating_add(offset - dst_at));
    let end = dst_at.saturating_add(copy.len);
    if dst.whole || dst_at <= extent.offset() && extent.end_offset() <= end {
        return Source::Whole(from(extent.offset()));
    }
    if !extent.is_bytes() {
        return Source::Bytes(Vec::new());
    }
    Source::Bytes((extent.offset().max(dst_at)..extent.end_offset().min(end)).map(from).collect())
}

/// Finds the groups among the sorted leaves of one object.
fn group(leaves: &mut [Leaf], shape: &Shape, groups: &mut u32) {
    if leaves.len() < 2 && !shape.whole && shape.folds.is_empty() {
        return;
    }
    // Folds in which some leaf crosses the border of an element: everything there overlaps.
    let mut broken: Vec<(i64, i64)> = Vec::new();
    let byte = |n: i64| n.saturating_mul(8);
    for leaf in leaves.iter() {
        let (start, end) = (leaf.extent.offset(), leaf.extent.end_offset());
        if shape.whole {
            if end - start > 1 || leaf.extent.bit() != 0 || leaf.extent.bits != 8 {
                broken.push((i64::MIN, UNBOUNDED));
            }
            continue;
        }
        for fold in shape.folds.iter().filter(|f| start < f.end && f.start < end) {
            let Fold { start: first, end: last, .. } = *fold;
            if start < first || end > fold.first_end() {
                broken.push((byte(start.min(first)), byte(last.saturating_add(end - start))));
            }
        }
    }
    broken.sort_unstable();
    let mut broken = broken.into_iter().peekable();
    let mut i = 0;
    while i < leaves.len() {
        let first = i;
        let (begin, mut end) = (leaves[i].extent.start, leaves[i].extent.end());
        let mut overlap = false;
        loop {
            while let Some(&(from, to)) = broken.peek() {
                if to <= begin {
                    broken.next();
                } else if from < end {
                    overlap = true;
                    end = end.max(to);
                    broken.next();
                } else {
                    break;
                }
            }
            i += 1;
            if i >= leaves.len() || leaves[i].extent.start >= end {
                break;
            }
            overlap = true;
            end = end.max(leaves[i].extent.end());
        }
        if overlap {
            for leaf in &mut leaves[first..i] {
                leaf.group = Some(*groups);
            }
            *groups += 1;
        }
    }
}

impl Leaves {
    pub fn of(&self, object: ObjectId) -> std::ops::Range<usize> {
        self.first[object.index()] as usize..self.first[object.index() + 1] as usize
    }

    /// Where pointers lie in memory that is accessed as something else, too.
    pub fn mixed_pointers(&self) -> Vec<(ObjectId, i64)> {
        let mut pointers = vec![false; self.groups as usize];
        for leaf in &self.list {
            if let Some(group) = leaf.group {
                pointers[group as usize] |= leaf.pointer;
            }
        }
        let is_mixed = |leaf: &&Leaf| match leaf.group {
            Some(group) => pointers[group as usize],
            None => leaf.pointer && (leaf.number || leaf.cut),
        };
        self.list.iter().filter(is_mixed).map(|leaf| (leaf.object, leaf.extent.offset())).collect()
    }

    /// The leaves that share bytes with the one at an offset, itself among them.
    pub fn mixed_with(&self, object: ObjectId, offset: i64) -> impl Iterator<Item = (ObjectId, i64)> {
        let leaves = &self.list[self.of(object)];
        let here = |leaf: &&Leaf| leaf.extent.offset() == offset;
        let groups: Vec<Option<u32>> = leaves.iter().filter(here).map(|leaf| leaf.group).collect();
        let with = move |leaf: &&Leaf| {
            leaf.extent.offset() == offset || leaf.group.is_some() && groups.contains(&leaf.group)
        };
        leaves.iter().filter(with).map(|leaf| (leaf.object, leaf.extent.offset()))
    }

    pub fn find(&self, object: ObjectId, extent: Extent) -> Option<u32> {
        let range = self.of(object);
        let at = self.list[range.clone()].binary_search_by_key(&extent, |l| l.extent).ok()?;
        Some((range.start + at) as u32)
    }
}
