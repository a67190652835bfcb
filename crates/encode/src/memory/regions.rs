//! Aggregates and ranges of bytes: the leaves in them.
//!
//! Offsets are relative to the beginning of the range, so that one answer holds for all objects the range may lie in. A leaf
//! inside folded arrays stands for many scalars: one [`Dim`] per array, outermost first.

use super::folds::{Fold, UNBOUNDED};
use super::leaves::Leaf;
use super::{Access, Candidate, CellId, CellKind, Layout, ObjectId};
use craig_cfa::{ExprId, PlaceId, TypeId};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A dimension of a leaf: it is there `count` times, every `stride` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dim {
    pub stride: u64,
    /// `None` if the number is not known.
    pub count: Option<u64>,
}

/// A leaf of an aggregate or a range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafAccess {
    /// Byte from the beginning of the range.
    pub offset: u64,
    /// First bit in that byte, and number of bits: 0 and all bits of the type, except for bit-fields.
    pub bit: u8,
    pub bits: u32,
    pub ty: TypeId,
    /// As in [`super::Access`]: compared with the address of the range plus `offset` (plus the steps of `dims`).
    pub candidates: Vec<Candidate>,
    /// There is one candidate, and the range lies in its object. With others where the range may lie but no such leaf is, it is to be
    /// compared with the address as well.
    pub exact: bool,
    pub dims: Vec<Dim>,
    pub covered: Covered,
}

/// How much of a leaf lies in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Covered {
    Whole,
    /// So many bytes from its byte `first` on; the leaf's offset is that of the first of these.
    Bytes {
        first: u32,
        count: u32,
    },
    /// Some of it.
    Part,
}

impl LeafAccess {
    /// Where it may lie.
    pub fn access(&self) -> Access<'_> {
        Access { candidates: &self.candidates, exact: self.exact }
    }

    /// Where it lies in its range, each element of an array for itself; `None` if there are more than `most`, or their number is
    /// not known.
    pub fn elements(&self, most: u64) -> Option<Vec<u64>> {
        let mut all = vec![self.offset];
        for dim in &self.dims {
            let count = dim.count.filter(|count| count.saturating_mul(all.len() as u64) <= most)?;
            all = all.iter().flat_map(|at| (0..count).map(move |i| at + i * dim.stride)).collect();
        }
        Some(all)
    }
}

/// What an operation on a range of bytes touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeAccess {
    /// The length is known: these leaves and no others.
    Leaves(Vec<LeafAccess>),
    /// The length is not known: some bytes of some of these cells. The objects tell which addresses of arrays.
    Cells { cells: Vec<CellId>, objects: Vec<ObjectId> },
}

/// A scalar that a copy writes, and what it takes it from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyLeaf {
    pub to: LeafAccess,
    /// One leaf for a leaf that is covered whole, one for each byte of one that is covered in part; none: the copy leaves an arbitrary value.
    pub from: Vec<LeafAccess>,
}

/// A leaf of one object, seen from the beginning of a range.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Part {
    offset: u64,
    bit: u8,
    bits: i64,
    kind: super::LeafKind,
    dims: Vec<Dim>,
    covered: Covered,
}

impl Layout {
    /// The scalar leaves of an aggregate place that some operation reads or writes. Leaves that no operation accesses as scalars do
    /// not exist: nobody can see them.
    pub fn leaves(&self, place: PlaceId) -> Vec<LeafAccess> {
        let targets = self.place_targets.get(&place).map_or(&[][..], |t| t);
        self.thin(self.leaves_at(targets, self.place_size.get(&place).copied()))
    }

    /// What setting `len` bytes at a pointer touches; the pointer is one of a `MemSet`, a `MemCopy` or the buffer of an output function.
    pub fn range(&self, pointer: ExprId, len: Option<u64>) -> RangeAccess {
        let targets = self.pointer_targets.get(&pointer).map_or(&[][..], |t| t);
        match len {
            Some(_) => RangeAccess::Leaves(self.thin(self.leaves_at(targets, len))),
            None => self.cells_at(targets),
        }
    }

    /// The scalars that an assignment of aggregates moves.
    pub fn copy(&self, dst: PlaceId, src: PlaceId) -> Vec<CopyLeaf> {
        let to = self.place_targets.get(&dst).map_or(&[][..], |t| t);
        let from = self.place_targets.get(&src).map_or(&[][..], |t| t);
        let len = self.place_size.get(&dst).copied();
        self.pair(self.leaves_at(to, len), self.leaves_at(from, len))
    }

    /// The scalars that a `MemCopy` of a known length moves.
    pub fn copy_range(&self, dst: ExprId, src: ExprId, len: u64) -> Vec<CopyLeaf> {
        let to = self.pointer_targets.get(&dst).map_or(&[][..], |t| t);
        let from = self.pointer_targets.get(&src).map_or(&[][..], |t| t);
        self.pair(self.leaves_at(to, Some(len)), self.leaves_at(from, Some(len)))
    }

    /// All leaves of an object, with offsets from its beginning: for its initial content, and to forget it.
    pub fn object_leaves(&self, object: ObjectId) -> Vec<LeafAccess> {
        self.thin(self.leaves_at(&[(object, 0)], self.objects[object].size))
    }

    /// Leaves out what others cover that lie in the same bytes: a range of bytes is written once.
    fn thin(&self, mut leaves: Vec<LeafAccess>) -> Vec<LeafAccess> {
        const MOST: u64 = 1024;
        let mut order: Vec<usize> = (0..leaves.len()).collect();
        order.sort_by_key(|&i| (leaves[i].covered != Covered::Whole, leaves[i].bits));
        let mut written: FxHashMap<Vec<CellId>, FxHashSet<u64>> = FxHashMap::default();
        let mut keep = vec![true; leaves.len()];
        for i in order {
            let leaf = &leaves[i];
            let in_bytes = |c: &Candidate| self.cells[c.cell].kind == CellKind::Bytes;
            if !leaf.candidates.iter().all(in_bytes) {
                continue;
            }
            let Some(elements) = leaf.elements(MOST) else { continue };
            let bytes = match leaf.covered {
                Covered::Whole if leaf.bit == 0 && leaf.bits.is_multiple_of(8) => u64::from(leaf.bits / 8),
                Covered::Bytes { count, .. } => count.into(),
                _ => continue,
            };
            let cells: Vec<CellId> = leaf.candidates.iter().map(|c| c.cell).collect();
            let written = written.entry(cells).or_default();
            let all = || elements.iter().flat_map(|&at| at..at + bytes);
            keep[i] = !all().all(|at| written.contains(&at));
            written.extend(all());
        }
        let mut keep = keep.into_iter();
        leaves.retain(|_| keep.next() == Some(true));
        leaves
    }

    fn pair(&self, to: Vec<LeafAccess>, from: Vec<LeafAccess>) -> Vec<CopyLeaf> {
        let same = |a: &LeafAccess, b: &LeafAccess| {
            (a.offset, a.bit, a.bits, &a.dims) == (b.offset, b.bit, b.bits, &b.dims)
                && b.covered == Covered::Whole
        };
        let byte_at = |at: u64| {
            let is_it = |f: &&LeafAccess| (f.offset, f.bits) == (at, 8) && f.covered == Covered::Whole;
            from.iter().filter(|f| f.dims.is_empty()).find(is_it).cloned()
        };
        let source = |to: &LeafAccess| match to.covered {
            Covered::Whole => from.iter().find(|f| same(to, f)).map(|f| vec![f.clone()]),
            Covered::Bytes { count, .. } => {
                (0..u64::from(count)).map(|i| byte_at(to.offset + i)).collect::<Option<Vec<_>>>()
            }
            Covered::Part => None,
        };
        let pair = |to: LeafAccess| CopyLeaf { from: source(&to).unwrap_or_default(), to };
        self.thin(to).into_iter().map(pair).collect()
    }

    fn leaves_at(&self, targets: &[(ObjectId, i64)], len: Option<u64>) -> Vec<LeafAccess> {
        let mut found: IndexMap<Part, Vec<u32>, FxBuildHasher> = IndexMap::default();
        for &(object, offset) in targets {
            for (leaf, part) in self.parts(object, offset, len) {
                found.entry(part).or_default().push(leaf);
            }
        }
        let mut result: Vec<LeafAccess> = found
            .into_iter()
            .filter_map(|(part, leaves)| {
                let ty = self.leaf(*leaves.first()?).ty;
                let candidates = self.candidates_of(leaves.into_iter());
                let exact = candidates.len() == 1 && targets.len() == 1;
                let Part { offset, bit, bits, dims, covered, .. } = part;
                let bits = bits as u32;
                Some(LeafAccess { offset, bit, bits, ty, candidates, exact, dims, covered })
            })
            .collect();
        result.sort_by_key(|l| (l.offset, l.bit, l.bits));
        result
    }

    /// The leaves of one object in a range that begins at a normal offset.
    fn parts(&self, object: ObjectId, start: i64, len: Option<u64>) -> Vec<(u32, Part)> {
        let shape = &self.shapes[object];
        let size = self.objects[object].size.and_then(|s| i64::try_from(s).ok()).unwrap_or(UNBOUNDED);
        let len = len.and_then(|l| i64::try_from(l).ok()).unwrap_or(UNBOUNDED);
        let end = start.saturating_add(len).min(size);
        let mut parts = Vec::new();
        for i in self.leaves.of(object) {
            let leaf = &self.leaves.list[i];
            let (at, leaf_end) = (leaf.extent.offset(), leaf.extent.end_offset());
            let part = |offset: i64, dims: Vec<Dim>, covered: Covered| Part {
                offset: offset.max(0) as u64,
                bit: leaf.extent.bit(),
                bits: leaf.extent.bits,
                kind: leaf.extent.kind,
                dims,
                covered,
            };
            if shape.whole {
                // Wherever it fits.
                let room = end.saturating_sub(start).saturating_sub(leaf_end - at);
                let count = (end != UNBOUNDED).then_some(room.saturating_add(1).max(0) as u64);
                let covered = if room < 0 { Covered::Part } else { Covered::Whole };
                parts.push((i as u32, part(0, vec![Dim { stride: 1, count }], covered)));
                continue;
            }
            // Arrays that the range goes through; one that holds the whole range in one element is no dimension of it.
            let through: Vec<&Fold> =
                shape.folds.at(at).filter(|f| f.start > start || end > f.first_end()).collect();
            let dims: Vec<Dim> = through
                .iter()
                .map(|f| {
                    let last = f.end.min(end);
                    let count = (last != UNBOUNDED).then(|| match last - leaf_end {
                        room @ 0.. => (room / f.stride + 1) as u64,
                        _ => 0,
                    });
                    Dim { stride: f.stride as u64, count }
                })
                .collect();
            let is_machine = !matches!(leaf.extent.kind, super::LeafKind::Other(_));
            // From the middle of one element into the next: there a leaf may lie that is before the range in its element.
            let turns = shape.folds.at(at).any(|f| f.start < start && end > f.first_end());
            if is_machine && !turns && (leaf_end <= start || at >= end) {
                continue;
            }
            let covered =
                if !is_machine || !turns && start <= at && leaf_end <= end && !cuts(&through, leaf, end) {
                    Covered::Whole
                } else if !turns && dims.is_empty() && leaf.extent.is_bytes() {
                    let first = start.max(at);
                    Covered::Bytes { first: (first - at) as u32, count: (leaf_end.min(end) - first) as u32 }
                } else {
                    Covered::Part
                };
            parts.push((i as u32, part(at - start, dims, covered)));
        }
        parts
    }

    fn cells_at(&self, targets: &[(ObjectId, i64)]) -> RangeAccess {
        let mut cells = Vec::new();
        let mut objects = Vec::new();
        for &(object, offset) in targets {
            objects.push(object);
            cells.extend(
                self.parts(object, offset, None).iter().filter_map(|(i, _)| self.leaf_cell[*i as usize]),
            );
        }
        cells.sort_unstable();
        cells.dedup();
        objects.dedup();
        RangeAccess::Cells { cells, objects }
    }

    /// Leaves that one leaf of a range may be in several objects.
    pub(super) fn region_groups(&self, ranges: &[(ExprId, Option<u64>)]) -> Vec<Vec<u32>> {
        let mut groups = Vec::new();
        let places = self.place_targets.iter().map(|(p, t)| (t, self.place_size.get(p).copied()));
        let pointers = ranges.iter().filter_map(|(e, len)| self.pointer_targets.get(e).map(|t| (t, *len)));
        for (targets, len) in places.chain(pointers).filter(|(t, _)| t.len() > 1) {
            let mut found: FxHashMap<Part, Vec<u32>> = FxHashMap::default();
            for &(object, offset) in targets {
                for (leaf, part) in self.parts(object, offset, len) {
                    found.entry(part).or_default().push(leaf);
                }
            }
            groups.extend(found.into_values().filter(|g| g.len() > 1));
        }
        // The order of tables is not to be seen.
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}

/// Does a range that ends there end inside an element of one of the arrays, so that it covers a part of what the leaf stands for there? The
/// arrays are those around the leaf, outermost first, that the range goes through from their first elements on.
fn cuts(through: &[&Fold], leaf: &Leaf, end: i64) -> bool {
    let leaf_extent = (leaf.extent.offset(), leaf.extent.end_offset());
    let inner = through.iter().skip(1).map(|f| (f.start, f.end)).chain([leaf_extent]);
    through.iter().zip(inner).any(|(f, (from, to))| {
        let covered = (end - f.start) % f.stride;
        end < f.end && f.start + covered > from && f.start + covered < to
    })
}
