//! Aggregates and ranges of bytes: assignments of structs, `memset`, `memcpy`, fresh memory.
//!
//! A range is written leaf by leaf ([`LeafAccess`]). A leaf that the range covers in part keeps its other bytes on bit-vectors;
//! in integer arithmetic it becomes arbitrary.

use crate::Arith;
use crate::access::{Slice, resized};
use crate::encoder::{Chosen, Effect, Encoder};
use crate::expr::Eval;
use crate::memory::{Candidate, CellId, CellKind, CopyLeaf, Covered, LeafAccess, RangeAccess};
use crate::part::{Part, number};
use crate::state::{State, cell_sort, sort};
use craig_cfa::{
    CallString, Choice, Const, EdgeId, ExprId, ExprKind, PlaceId, RecordKind, Type, TypeId, Types,
};
use craig_logic::{Sort, TermId};

/// What a range of bytes is filled with.
#[derive(Clone, Copy)]
enum Content<'a> {
    Uniform(u8),
    /// These bytes, then zeros.
    Text(&'a [u8]),
}

impl Content<'_> {
    /// The bits from an offset on.
    fn bits(self, offset: u64, bytes: u64) -> u128 {
        let byte = |at: u64| match self {
            Content::Uniform(byte) => byte,
            Content::Text(text) => usize::try_from(at).ok().and_then(|at| text.get(at)).copied().unwrap_or(0),
        };
        (0..bytes.min(16)).rev().fold(0, |bits, i| bits << 8 | u128::from(byte(offset + i)))
    }
}

impl Encoder<'_> {
    pub(crate) fn assign(&self, place: PlaceId, value: ExprId, state: &mut State, part: &mut Part) {
        let ty = self.program.exprs.place(place).ty;
        if !self.program.types.is_aggregate(ty) {
            let value = Eval::new(self, state, part).stored(value);
            self.write(place, value, state, part);
            return;
        }
        let to = Eval::new(self, state, part).address(place);
        let leaves = || self.layout.leaves(place);
        match self.program.exprs.kind(value) {
            ExprKind::Read(source) => {
                let from = Eval::new(self, state, part).address(*source);
                self.copy(&self.layout.copy(place, *source), to, from, state, part);
            }
            ExprKind::Const(Const::Zero) => self.fill(&leaves(), to, Content::Uniform(0), state, part),
            ExprKind::Const(Const::Bytes(text)) => self.fill(&leaves(), to, Content::Text(text), state, part),
            _ => leaves().iter().for_each(|leaf| self.forget_leaf(leaf, state, part)),
        }
    }

    fn forget_leaf(&self, leaf: &LeafAccess, state: &mut State, part: &mut Part) {
        for candidate in &leaf.candidates {
            self.forget(candidate.cell, state, part);
        }
    }

    pub(crate) fn forget_range(&self, range: &RangeAccess, state: &mut State, part: &mut Part) {
        match range {
            RangeAccess::Leaves(leaves) => leaves.iter().for_each(|leaf| self.forget_leaf(leaf, state, part)),
            RangeAccess::Cells { cells, .. } => cells.iter().for_each(|cell| self.forget(*cell, state, part)),
        }
    }

    fn offset(&self, base: TermId, offset: u64) -> TermId {
        self.plus(base, self.distance(offset))
    }

    /// Puts a value where a leaf lies. Of a leaf that the range covers in part, the value is the covered bytes.
    fn put(&self, leaf: &LeafAccess, address: TermId, value: TermId, state: &mut State, part: &mut Part) {
        let t = &self.terms;
        let (first, count) = match leaf.covered {
            Covered::Whole => {
                let slice = Slice::of(leaf);
                let candidates = (&leaf.candidates[..], leaf.exact);
                return self.write_candidates(candidates, Some(address), value, slice, state, part);
            }
            Covered::Bytes { first, count } if self.options.arith == Arith::Bv => (first, count),
            _ => return self.forget_leaf(leaf, state, part),
        };
        // `address` is that of the first covered byte.
        let start = t.bv_sub(address, self.distance(first.into()));
        for candidate in &leaf.candidates {
            let alone = std::slice::from_ref(candidate);
            let covered = Slice { ty: Types::BYTE, bit: 0, bits: count * 8 };
            let old = state.cells[candidate.cell];
            if self.layout.cells()[candidate.cell].kind == CellKind::Bytes {
                state.cells[candidate.cell] = self.store_bits(old, address, value, covered);
                continue;
            }
            let held =
                Eval::new(self, state, part).read_candidates((alone, false), Some(start), Slice::of(leaf));
            let Sort::BitVec(width) = t.sort(held) else {
                self.forget(candidate.cell, state, part);
                continue;
            };
            let (low, high) = (first * 8, (first + count) * 8);
            let all = resized(t, held, leaf.bits);
            let mut new = value;
            if low > 0 {
                new = t.concat(new, t.extract(low - 1, 0, all));
            }
            if high < leaf.bits {
                new = t.concat(t.extract(leaf.bits - 1, high, all), new);
            }
            let new = resized(t, new, width);
            let meant = candidate.address.filter(|_| !leaf.exact);
            let new = match meant.map(|at| t.eq(start, self.address(at))) {
                Some(here) => t.ite(here, new, held),
                None => new,
            };
            self.write_candidates((alone, true), Some(start), new, Slice::of(leaf), state, part);
        }
    }

    /// Moves scalars from one range to another; both are read before anything is written.
    fn copy(&self, leaves: &[CopyLeaf], to: TermId, from: TermId, state: &mut State, part: &mut Part) {
        let values: Vec<Option<Vec<(u64, TermId)>>> =
            leaves.iter().map(|leaf| self.copied(leaf, from, state, part)).collect();
        for (leaf, values) in leaves.iter().zip(values) {
            let Some(values) = values else {
                self.forget_leaf(&leaf.to, state, part);
                continue;
            };
            for (offset, value) in values {
                self.put(&leaf.to, self.offset(to, offset), value, state, part);
            }
        }
    }

    /// The values that a copy takes, with the offsets where they go.
    fn copied(
        &self,
        leaf: &CopyLeaf,
        from: TermId,
        state: &State,
        part: &mut Part,
    ) -> Option<Vec<(u64, TermId)>> {
        let mut read = |source: &LeafAccess, offset: u64, ty: TypeId| {
            let slice = Slice { ty, ..Slice::of(source) };
            let address = Some(self.offset(from, offset));
            Eval::new(self, state, part).read_candidates(
                (&source.candidates, source.elsewhere),
                address,
                slice,
            )
        };
        match (&leaf.from[..], leaf.to.covered) {
            ([source], Covered::Whole) => {
                let (written, read_at) = (self.elements(&leaf.to)?, self.elements(source)?);
                let values = read_at.into_iter().map(|at| read(source, at, leaf.to.ty));
                Some(written.into_iter().zip(values).collect())
            }
            (bytes @ [_, ..], Covered::Bytes { .. }) if self.options.arith == Arith::Bv => {
                let all = bytes.iter().map(|byte| read(byte, byte.offset, Types::BYTE));
                let value = all.reduce(|low, high| self.terms.concat(high, low))?;
                Some(vec![(leaf.to.offset, value)])
            }
            _ => None,
        }
    }

    fn fill(
        &self,
        leaves: &[LeafAccess],
        base: TermId,
        content: Content<'_>,
        state: &mut State,
        part: &mut Part,
    ) {
        for leaf in leaves {
            self.fill_leaf(leaf, base, content, state, part);
        }
    }

    fn fill_leaf(
        &self,
        leaf: &LeafAccess,
        base: TermId,
        content: Content<'_>,
        state: &mut State,
        part: &mut Part,
    ) {
        let uniform = match content {
            Content::Uniform(byte) => byte,
            Content::Text(_) => 0,
        };
        let all = self.fill_all(leaf, uniform, state);
        let written = match (content, self.elements(leaf)) {
            (Content::Uniform(_), _) if all => return,
            (_, Some(elements)) => elements,
            (Content::Text(text), None) if all => {
                let used = text.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1) as u64;
                match leaf.dims[..] {
                    [dim] if used / dim.stride.max(1) <= MOST_STORES => (0..dim.count.unwrap_or(0))
                        .map(|i| leaf.offset + i * dim.stride)
                        .take_while(|at| *at < used)
                        .collect(),
                    _ => return self.forget_leaf(leaf, state, part),
                }
            }
            _ => return self.forget_leaf(leaf, state, part),
        };
        let floats = self.program.types.is_float(leaf.ty) && self.options.arith == Arith::Int;
        for at in written {
            let value = match leaf.covered {
                Covered::Whole => {
                    let bits = content.bits(at, u64::from(leaf.bits.div_ceil(8)) + 1) >> leaf.bit;
                    if self.zero(leaf.ty).is_none() || floats && bits != 0 {
                        return self.forget_leaf(leaf, state, part);
                    }
                    self.bits(bits, leaf.ty)
                }
                Covered::Bytes { count, .. } if self.options.arith == Arith::Bv => {
                    self.terms.bv_big(content.bits(at, count.into()).into(), count * 8)
                }
                _ => return self.forget_leaf(leaf, state, part),
            };
            self.put(leaf, self.offset(base, at), value, state, part);
        }
    }

    /// If a leaf is all that an array holds: the array with one byte everywhere.
    fn fill_all(&self, leaf: &LeafAccess, byte: u8, state: &mut State) -> bool {
        let [Candidate { cell, .. }] = leaf.candidates[..] else { return false };
        let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
        let Some(sort @ Sort::Array(_)) = sort.filter(|_| self.is_all_of(leaf, cell)) else { return false };
        let info = &self.layout.cells()[cell];
        let ty = if info.kind == CellKind::Bytes { Types::BYTE } else { info.ty };
        if self.program.types.is_float(ty) && byte != 0 && self.options.arith == Arith::Int {
            return false;
        }
        let value = self.bits(Content::Uniform(byte).bits(0, 16), ty);
        state.cells[cell] = self.terms.const_array(sort, value);
        true
    }

    /// Is the leaf all that the cell holds: every element of one array in an object that exists once?
    fn is_all_of(&self, leaf: &LeafAccess, cell: CellId) -> bool {
        let [(object, _)] = self.layout.cells()[cell].leaves[..] else { return false };
        leaf.exact
            && leaf.covered == Covered::Whole
            && self.layout.objects()[object].once
            && self
                .layout
                .object_leaves(object)
                .iter()
                .filter(|all| all.candidates.iter().any(|c| c.cell == cell))
                .all(|all| all.dims == leaf.dims)
    }

    /// Bits as a value of a type.
    pub fn bits(&self, bits: u128, ty: TypeId) -> TermId {
        match (sort(self.program, &self.terms, self.options.arith, ty), self.program.types.as_word(ty)) {
            (Sort::BitVec(width), _) => self.terms.bv_big(bits.into(), width),
            (_, Some(word)) => {
                let value = craig_cfa::arith::truncate(bits, word);
                number(&self.terms, craig_cfa::arith::to_i128(value, word))
            }
            _ => self.terms.numeral(&craig_logic::Rat::from_ibig(bits.into()), Sort::Int),
        }
    }

    pub(crate) fn havoc(
        &self,
        place: PlaceId,
        choice: &Choice,
        state: &mut State,
        part: &mut Part,
        effect: &mut Effect,
    ) {
        let ty = self.program.exprs.place(place).ty;
        let prefix = match choice {
            Choice::Nondet(_) => "nondet",
            Choice::Extern(_) => "extern",
            Choice::Uninit => "uninit",
            Choice::Entry => "entry",
            Choice::Asm => "asm",
            Choice::Way => "way",
        };
        if !self.program.types.is_aggregate(ty) {
            let symbol = self.arbitrary(ty, prefix, part);
            effect.chosen.push(Chosen { offset: 0, bit: 0, ty, symbol, memory: false });
            self.write(place, symbol, state, part);
            return;
        }
        let base = Eval::new(self, state, part).address(place);
        for leaf in self.layout.leaves(place) {
            // Unions are chosen as bytes.
            let in_union = |offset| in_union(&self.program.types, ty, offset);
            self.choose_leaf(&leaf, base, prefix, &in_union, state, part, effect);
        }
    }

    /// Gives a leaf any value, one that the run chooses.
    #[allow(clippy::too_many_arguments)]
    fn choose_leaf(
        &self,
        leaf: &LeafAccess,
        base: TermId,
        prefix: &str,
        as_bytes: &dyn Fn(u64) -> bool,
        state: &mut State,
        part: &mut Part,
        effect: &mut Effect,
    ) {
        let Some(elements) = self.elements(leaf).filter(|_| leaf.covered == Covered::Whole) else {
            if effect.opened.is_empty() {
                effect.opened.push(base);
            }
            return self.forget_leaf(leaf, state, part);
        };
        let in_bytes = self.options.arith == Arith::Bv && self.is_in_bytes(leaf);
        for offset in elements {
            let mut choose = |offset: u64, leaf: &LeafAccess, memory: bool, state: &mut State| {
                let symbol = self.arbitrary(leaf.ty, prefix, part);
                effect.chosen.push(Chosen { offset, bit: leaf.bit, ty: leaf.ty, symbol, memory });
                self.put(leaf, self.offset(base, offset), symbol, state, part);
            };
            if !in_bytes {
                choose(offset, leaf, as_bytes(offset), state);
                continue;
            }
            let byte = LeafAccess { bit: 0, bits: 8, ty: Types::BYTE, ..leaf.clone() };
            for at in 0..u64::from(leaf.bits.div_ceil(8)) {
                choose(offset + at, &byte, true, state);
            }
        }
    }

    fn is_in_bytes(&self, leaf: &LeafAccess) -> bool {
        leaf.candidates.iter().all(|c| self.layout.cells()[c.cell].kind == CellKind::Bytes)
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn allocate(
        &self,
        dst: PlaceId,
        size: ExprId,
        zero_content: bool,
        site: (EdgeId, CallString),
        state: &mut State,
        part: &mut Part,
        effect: &mut Effect,
    ) {
        let once = self.layout.alloc_base(site.0, site.1);
        let object = self.layout.alloc_object(site.0, site.1);
        let scattered = object.filter(|o| self.layout.is_scattered(*o));
        let base = match once {
            Some(base) => self.address(base),
            // One of many: anywhere, or at the next free address.
            None => {
                let size = self.eval(size, state, part);
                match scattered {
                    Some(object) => self.scattered(size, self.layout.objects()[object].align, part),
                    None => {
                        let end = self.plus(state.heap, size);
                        std::mem::replace(&mut state.heap, self.plus(end, self.distance(32)))
                    }
                }
            }
        };
        if let Some(most) =
            self.layout.most_allocated().filter(|_| self.program.exprs.as_bits(size).is_none())
        {
            let (t, size, most) = (&self.terms, self.eval(size, state, part), self.distance(most));
            effect.guard = Some(match self.options.arith {
                Arith::Int => t.le(size, most),
                Arith::Bv => t.bv_ule(size, most),
            });
        }
        // Has nobody written there before?
        let mut listed = true;
        let untouched = scattered.is_none() && !object.is_some_and(|o| self.layout.is_shared(o));
        for leaf in object.map_or(Vec::new(), |o| self.layout.object_leaves(o)) {
            let known = self.elements(&leaf).filter(|_| leaf.covered == Covered::Whole);
            match (zero_content, known) {
                (true, known) if once.is_some() || known.is_some() => {
                    self.fill_leaf(&leaf, base, Content::Uniform(0), state, part);
                }
                (false, Some(_)) if once.is_some() && leaf.dims.is_empty() || !untouched => {
                    self.choose_leaf(&leaf, base, "fresh", &|_| true, state, part, effect);
                }
                // What the array holds is arbitrary already.
                (false, Some(elements)) => {
                    for offset in elements {
                        let mut eval = Eval::new(self, state, part);
                        let address = Some(self.offset(base, offset));
                        let symbol =
                            eval.read_candidates((&leaf.candidates, false), address, Slice::of(&leaf));
                        let (bit, ty) = (leaf.bit, leaf.ty);
                        effect.chosen.push(Chosen { offset, bit, ty, symbol, memory: true });
                    }
                }
                (false, None) if untouched => listed = false,
                (zero, _) => {
                    listed &= zero;
                    self.forget_leaf(&leaf, state, part);
                }
            }
        }
        if !listed {
            effect.opened.push(base);
        }
        self.write(dst, base, state, part);
    }

    pub(crate) fn mem_set(&self, dst: ExprId, byte: ExprId, len: ExprId, state: &mut State, part: &mut Part) {
        match (self.layout.range(dst, self.layout.known_length(len)), self.program.exprs.as_bits(byte)) {
            (RangeAccess::Leaves(leaves), Some(byte)) => {
                let base = self.eval(dst, state, part);
                self.fill(&leaves, base, Content::Uniform(byte as u8), state, part);
            }
            (RangeAccess::Leaves(leaves), None) => {
                let base = self.eval(dst, state, part);
                leaves.iter().for_each(|leaf| self.repeat(leaf, base, byte, state, part));
            }
            (range, _) => self.forget_range(&range, state, part),
        }
    }

    /// Fills a leaf with a byte that is not constant.
    fn repeat(&self, leaf: &LeafAccess, base: TermId, byte: ExprId, state: &mut State, part: &mut Part) {
        match (self.repeated(leaf, byte, state, part), self.elements(leaf)) {
            (Some(value), Some(elements)) => {
                elements.iter().for_each(|at| self.put(leaf, self.offset(base, *at), value, state, part));
            }
            _ => self.forget_leaf(leaf, state, part),
        }
    }

    /// What a leaf, or its covered bytes, is then: in integer arithmetic known of single bytes.
    fn repeated(&self, leaf: &LeafAccess, byte: ExprId, state: &State, part: &mut Part) -> Option<TermId> {
        let t = &self.terms;
        let whole = leaf.covered == Covered::Whole;
        if self.options.arith == Arith::Int {
            let is_byte = self.program.types.as_int(leaf.ty).is_some_and(|int| int.width == 8);
            let mut eval = Eval::new(self, state, part);
            return (whole && is_byte).then(|| eval.cast(byte, leaf.ty));
        }
        let bytes = match leaf.covered {
            Covered::Whole => leaf.bits.div_ceil(8),
            Covered::Bytes { count, .. } => count,
            Covered::Part => return None,
        };
        let byte = resized(t, self.eval(byte, state, part), 8);
        let value = (1..bytes).fold(byte, |value, _| t.concat(value, byte));
        match sort(self.program, t, Arith::Bv, leaf.ty) {
            _ if leaf.bit != 0 => None,
            _ if !whole => Some(value),
            Sort::BitVec(width) => Some(resized(t, value, width)),
            _ => None,
        }
    }

    pub(crate) fn mem_copy(&self, dst: ExprId, src: ExprId, len: ExprId, state: &mut State, part: &mut Part) {
        match self.layout.known_length(len) {
            Some(len) => {
                let (to, from) = (self.eval(dst, state, part), self.eval(src, state, part));
                self.copy(&self.layout.copy_range(dst, src, len), to, from, state, part);
            }
            None => self.forget_range(&self.layout.range(dst, None), state, part),
        }
    }

    /// Where a leaf lies in its range, each element of an array for itself; `None` if these are too many or their number is not known.
    pub(crate) fn elements(&self, leaf: &LeafAccess) -> Option<Vec<u64>> {
        leaf.elements(if self.is_in_bytes(leaf) { MOST_BYTES } else { MOST_ELEMENTS })
    }
}

/// Elements of an array that are stored one by one; of more, nothing is known.
const MOST_ELEMENTS: u64 = 64;
/// The same for bytes.
pub(crate) const MOST_BYTES: u64 = 256;
/// Characters of a string that are stored one by one.
const MOST_STORES: u64 = 256;

/// Does a byte of a value of the type belong to a union?
fn in_union(types: &Types, ty: TypeId, offset: u64) -> bool {
    match types.get(ty) {
        Type::Array { elem, .. } => {
            let size = types.size_of(*elem).unwrap_or(0);
            size > 0 && in_union(types, *elem, offset % size)
        }
        Type::Record(r) if types.records[*r].kind == RecordKind::Union => true,
        Type::Record(r) => types.records[*r].fields.iter().any(|field| {
            let end = field.offset + types.size_of(field.ty).unwrap_or(0);
            (field.offset..end).contains(&offset) && in_union(types, field.ty, offset - field.offset)
        }),
        _ => false,
    }
}
