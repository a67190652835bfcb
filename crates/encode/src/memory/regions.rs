//! Aggregates and ranges of bytes: the leaves in them.
//!
//! Offsets are relative to the beginning of the range, so that one answer holds for all objects the range may lie in. A leaf
//! inside folded arrays stands for many scalars: one [`Dim`] per array, outermost first. Elements that a range covers in part are
//! leaves of their own.

use super::folds::{Fold, UNBOUNDED};
use super::leaves::Leaf;
use super::starts::Start;
use super::{Candidate, CellId, CellKind, Layout, LeafKind, ObjectId};
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, PlaceId, TypeId, Types};
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
    /// There is one candidate, and the range lies where it is. Otherwise the address says whether it is meant at all.
    pub exact: bool,
    /// The range may be something of the environment that no candidate names.
    pub elsewhere: bool,
    /// Wherever the range may begin, it has this leaf.
    pub everywhere: bool,
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

    /// Each element of an array for itself.
    fn singles(&self) -> Option<Vec<LeafAccess>> {
        let all = self.elements(MOST)?.into_iter();
        Some(all.map(|offset| LeafAccess { offset, dims: Vec::new(), ..self.clone() }).collect())
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

/// Elements of an array that are told apart when it is copied.
const MOST: u64 = 1024;

/// A leaf of one object, seen from the beginning of a range.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Part {
    offset: u64,
    bit: u8,
    bits: i64,
    kind: LeafKind,
    dims: Vec<Dim>,
    covered: Covered,
}

impl Part {
    fn of(leaf: &Leaf, offset: i64, dims: Vec<Dim>, covered: Covered) -> Part {
        let (bit, bits, kind) = (leaf.extent.bit(), leaf.extent.bits, leaf.extent.kind);
        Part { offset: offset.max(0) as u64, bit, bits, kind, dims, covered }
    }

    /// A row of bytes.
    fn bytes(offset: i64, count: Option<i64>) -> Part {
        let dims = vec![Dim { stride: 1, count: count.map(|count| count.max(0) as u64) }];
        let (bit, bits, kind) = (0, 8, LeafKind::Word(8));
        Part { offset: offset.max(0) as u64, bit, bits, kind, dims, covered: Covered::Whole }
    }
}

/// An array around a leaf: how far its elements are apart, and how many have the leaf, if that is known.
#[derive(Debug, Clone, Copy)]
struct Level {
    stride: i64,
    count: Option<i64>,
}

/// Bytes of an object.
#[derive(Debug, Clone, Copy)]
struct Range {
    start: i64,
    end: i64,
}

impl Range {
    /// The parts of the range that a leaf is. It lies at `at`, and in the further elements of these arrays, outermost first.
    fn cover(self, leaf: &Leaf, at: i64, levels: &[Level], add: &mut impl FnMut(Part)) {
        let size = leaf.extent.end_offset() - leaf.extent.offset();
        let Some((outer, inner)) = levels.split_first() else {
            let (first, last) = (at.max(self.start), (at + size).min(self.end));
            if first >= last {
                return;
            }
            let covered = if last - first == size {
                Covered::Whole
            } else if leaf.extent.is_bytes() {
                Covered::Bytes { first: (first - at) as u32, count: (last - first) as u32 }
            } else {
                Covered::Part
            };
            return add(Part::of(leaf, first - self.start, Vec::new(), covered));
        };
        // How far the leaf goes in one element.
        let further = inner.iter().map(|level| Some((level.count? - 1).max(0) * level.stride));
        let reach = further.sum::<Option<i64>>().map_or(UNBOUNDED, |further| further.saturating_add(size));
        if reach > outer.stride {
            // What lies across elements is kept as bytes.
            let all = outer.count.map_or(UNBOUNDED, |count| (count - 1).max(0) * outer.stride);
            let (first, last) =
                (at.max(self.start), at.saturating_add(all).saturating_add(reach).min(self.end));
            if first < last {
                add(Part::bytes(first - self.start, (last != UNBOUNDED).then(|| last - first)));
            }
            return;
        }
        let count = outer.count.unwrap_or(UNBOUNDED);
        // The elements that lie in the range as a whole.
        let from = -(at - self.start).div_euclid(outer.stride);
        let from = from.clamp(0, count);
        let to = match self.end {
            UNBOUNDED => count,
            end => ((end - at - reach).div_euclid(outer.stride) + 1).clamp(from, count),
        };
        if from < to {
            let dim = |stride: i64, count: Option<i64>| {
                let count = count.map(|count| count.max(0) as u64);
                Dim { stride: stride as u64, count }
            };
            let mut dims = vec![dim(outer.stride, (to != UNBOUNDED).then(|| to - from))];
            dims.extend(inner.iter().map(|level| dim(level.stride, level.count)));
            add(Part::of(leaf, at + from * outer.stride - self.start, dims, Covered::Whole));
        }
        // And those at its ends.
        for i in [from - 1, to] {
            if (0..count).contains(&i) {
                self.cover(leaf, at + i * outer.stride, inner, add);
            }
        }
    }
}

/// What a copy takes values from.
struct Sources {
    leaves: Vec<LeafAccess>,
    /// Those that are there wherever the range begins and are covered whole, by offset and bits; elements of arrays for themselves.
    singles: FxHashMap<(u64, u8, u32), LeafAccess>,
}

impl Sources {
    fn new(from: Vec<LeafAccess>) -> Sources {
        let leaves: Vec<LeafAccess> =
            from.into_iter().filter(|l| l.everywhere && l.covered == Covered::Whole).collect();
        let mut singles = FxHashMap::default();
        for leaf in leaves.iter().filter_map(LeafAccess::singles).flatten() {
            singles.entry((leaf.offset, leaf.bit, leaf.bits)).or_insert(leaf);
        }
        Sources { leaves, singles }
    }

    fn of(&self, to: &LeafAccess) -> Option<Vec<LeafAccess>> {
        match to.covered {
            Covered::Whole if to.dims.is_empty() => {
                self.singles.get(&(to.offset, to.bit, to.bits)).map(|f| vec![f.clone()])
            }
            Covered::Whole => {
                let same = |f: &&LeafAccess| {
                    (f.offset, f.bit, f.bits, &f.dims) == (to.offset, to.bit, to.bits, &to.dims)
                };
                self.leaves.iter().find(same).map(|f| vec![f.clone()])
            }
            Covered::Bytes { count, .. } => {
                let byte = |i: u64| self.singles.get(&(to.offset + i, 0, 8)).cloned();
                (0..u64::from(count)).map(byte).collect()
            }
            Covered::Part => None,
        }
    }
}

impl Layout {
    /// The scalar leaves of an aggregate place that some operation reads or writes. Leaves that no operation accesses as scalars do
    /// not exist: nobody can see them.
    pub fn leaves(&self, place: PlaceId) -> Vec<LeafAccess> {
        self.thin(self.place_leaves(place, self.place_size.get(&place).copied()))
    }

    /// What setting `len` bytes at a pointer touches; the pointer is one of a `MemSet`, a `MemCopy` or the buffer of an output function.
    pub fn range(&self, pointer: ExprId, len: Option<u64>) -> RangeAccess {
        let targets = self.pointer_targets.get(&pointer).map_or(&[][..], |t| t);
        match len {
            Some(_) => RangeAccess::Leaves(self.thin(self.pointer_leaves(pointer, len))),
            None => self.cells_at(targets),
        }
    }

    /// The scalars that an assignment of aggregates moves.
    pub fn copy(&self, dst: PlaceId, src: PlaceId) -> Vec<CopyLeaf> {
        let len = self.place_size.get(&dst).copied();
        self.pair(self.place_leaves(dst, len), self.place_leaves(src, len))
    }

    /// The scalars that a `MemCopy` of a known length moves.
    pub fn copy_range(&self, dst: ExprId, src: ExprId, len: u64) -> Vec<CopyLeaf> {
        self.pair(self.pointer_leaves(dst, Some(len)), self.pointer_leaves(src, Some(len)))
    }

    /// All leaves of an object, with offsets from its beginning: for its initial content, and to forget it.
    pub fn object_leaves(&self, object: ObjectId) -> Vec<LeafAccess> {
        self.thin(self.leaves_at(&[Start::of(object)], false, self.objects[object].size))
    }

    fn place_leaves(&self, place: PlaceId, len: Option<u64>) -> Vec<LeafAccess> {
        let targets = self.place_targets.get(&place).map_or(&[][..], |t| t);
        self.leaves_at(targets, self.elsewhere.contains(&Node::Place(place)), len)
    }

    fn pointer_leaves(&self, pointer: ExprId, len: Option<u64>) -> Vec<LeafAccess> {
        let targets = self.pointer_targets.get(&pointer).map_or(&[][..], |t| t);
        self.leaves_at(targets, self.elsewhere.contains(&Node::Expr(pointer)), len)
    }

    /// Leaves out what others cover that lie in the same bytes: a range of bytes is written once.
    fn thin(&self, mut leaves: Vec<LeafAccess>) -> Vec<LeafAccess> {
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
        let sources = Sources::new(from);
        let mut pairs = Vec::new();
        for to in self.thin(to) {
            match (to.covered, sources.of(&to)) {
                (_, Some(from)) => pairs.push(CopyLeaf { from, to }),
                (Covered::Whole, None) if !to.dims.is_empty() => match to.singles() {
                    Some(all) => {
                        pairs.extend(
                            all.into_iter()
                                .map(|to| CopyLeaf { from: sources.of(&to).unwrap_or_default(), to }),
                        );
                    }
                    None => pairs.push(CopyLeaf { from: Vec::new(), to }),
                },
                _ => pairs.push(CopyLeaf { from: Vec::new(), to }),
            }
        }
        pairs
    }

    fn leaves_at(&self, starts: &[Start], elsewhere: bool, len: Option<u64>) -> Vec<LeafAccess> {
        let mut found: IndexMap<Part, (Vec<u32>, FxHashSet<usize>), FxBuildHasher> = IndexMap::default();
        for (i, start) in starts.iter().enumerate() {
            for (leaf, part) in self.parts(start, len) {
                let (leaves, of) = found.entry(part).or_default();
                leaves.push(leaf);
                of.insert(i);
            }
        }
        let mut result: Vec<LeafAccess> = found
            .into_iter()
            .filter_map(|(part, (leaves, of))| {
                let first = self.leaf(*leaves.first()?);
                // Among bytes a truth value is a byte: somebody may have written more into it than a bit.
                let narrow =
                    matches!(first.extent.kind, LeafKind::Word(width) if i64::from(width) < part.bits);
                let in_bytes = || leaves.iter().any(|leaf| self.leaf(*leaf).group.is_some());
                let byte = part.kind != first.extent.kind || narrow && in_bytes();
                let ty = if byte { Types::BYTE } else { first.ty };
                let candidates = self.candidates_of(leaves.into_iter());
                let exact = candidates.len() == 1 && starts.len() == 1 && !elsewhere;
                let everywhere = of.len() == starts.len();
                let Part { offset, bit, bits, dims, covered, .. } = part;
                let bits = bits as u32;
                Some(LeafAccess {
                    offset,
                    bit,
                    bits,
                    ty,
                    candidates,
                    exact,
                    elsewhere,
                    everywhere,
                    dims,
                    covered,
                })
            })
            .collect();
        result.sort_by_key(|l| (l.offset, l.bit, l.bits));
        result
    }

    /// The leaves of one object in a range.
    fn parts(&self, start: &Start, len: Option<u64>) -> Vec<(u32, Part)> {
        let shape = &self.shapes[start.object];
        let size = self.objects[start.object].size.and_then(|s| i64::try_from(s).ok()).unwrap_or(UNBOUNDED);
        let len = len.and_then(|l| i64::try_from(l).ok()).unwrap_or(UNBOUNDED);
        let end = start.at.saturating_add(len).min(size);
        let mut parts = Vec::new();
        for i in self.leaves.of(start.object) {
            let leaf = &self.leaves.list[i];
            let mut add = |part: Part| parts.push((i as u32, part));
            if matches!(leaf.extent.kind, LeafKind::Other(_)) {
                add(Part::of(leaf, 0, Vec::new(), Covered::Whole));
                continue;
            }
            if shape.whole {
                // Whatever lies there, it is a row of bytes.
                add(Part::bytes(0, (end != UNBOUNDED).then(|| end - start.at)));
                continue;
            }
            // A range that stays in one element of the array that it begins in sees this element only.
            let loose = |f: &Fold| start.is_loose_in(f);
            let around = shape.folds.at(leaf.extent.offset()).filter(|f| !(loose(f) && end <= f.first_end()));
            let count = |f: &Fold| {
                let room = f.end.saturating_sub(leaf.extent.end_offset());
                (f.end != UNBOUNDED && !loose(f)).then(|| room.div_euclid(f.stride) + 1)
            };
            let levels: Vec<Level> = around.map(|f| Level { stride: f.stride, count: count(f) }).collect();
            let range = Range { start: start.at, end };
            range.cover(leaf, leaf.extent.offset(), &levels, &mut add);
        }
        parts
    }

    fn cells_at(&self, starts: &[Start]) -> RangeAccess {
        let mut cells = Vec::new();
        let mut objects = Vec::new();
        for start in starts {
            objects.push(start.object);
            cells.extend(self.parts(start, None).iter().filter_map(|(i, _)| self.leaf_cell[*i as usize]));
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
            for start in targets {
                for (leaf, part) in self.parts(start, len) {
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
