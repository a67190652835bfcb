//! Reading and writing cells.
//!
//! A scalar cell is its value, an array its values by address. Memory that is accessed in more than one way (unions, byte views,
//! objects walked by bytes) is an array of bytes: exact on bit-vectors, where values are put together and taken apart; in integer
//! arithmetic such memory holds arbitrary values.

use crate::Arith;
use crate::encoder::Encoder;
use crate::expr::Eval;
use crate::memory::outside::Given;
use crate::memory::{Access, Address, Candidate, CellId, CellKind, LeafAccess, Otherwise, PAGE, Stretch};
use crate::part::{Outside, Part, Read};
use crate::state::{State, sort};
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, PlaceId, PlaceKind, Type, TypeId, Types};
use craig_logic::{Rat, Sort, TermId, Terms};

/// Which bits, from the address of an access on, and the type of the value in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    pub ty: TypeId,
    /// The first of its bits in the byte at the address; not 0 for bit-fields only.
    pub bit: u8,
    pub bits: u32,
}

impl Slice {
    /// All of a leaf.
    pub fn of(leaf: &LeafAccess) -> Slice {
        Slice { ty: leaf.ty, bit: leaf.bit, bits: leaf.bits }
    }

    fn bytes(self) -> u32 {
        (u32::from(self.bit) + self.bits).div_ceil(8)
    }
}

impl<'p> Encoder<'p> {
    /// The bits of a place of scalar type.
    pub(crate) fn slice(&self, place: PlaceId) -> Slice {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let ty = exprs.place(place).ty;
        let field = match exprs.place(place).kind {
            PlaceKind::Field(of, index) => match *types.get(exprs.place(of).ty) {
                Type::Record(r) => types.records[r].fields.get(index as usize),
                _ => None,
            },
            _ => None,
        };
        match field.and_then(|f| f.bit).zip(types.as_word(ty)) {
            Some((bit, word)) => Slice { ty, bit, bits: u32::from(word.width) },
            None => Slice { ty, bit: 0, bits: types.size_of(ty).map_or(0, |s| s as u32 * 8) },
        }
    }

    /// Does it take an address to say which cell, or where in it?
    pub(crate) fn needs_address(&self, candidates: &[Candidate]) -> bool {
        let by_address = |c: &Candidate| !matches!(self.layout.cells()[c.cell].kind, CellKind::Scalar { .. });
        candidates.len() > 1 || candidates.iter().any(by_address)
    }

    /// Stores a value at a place of scalar type.
    pub fn write(&self, place: PlaceId, value: TermId, state: &mut State, part: &mut Part) {
        let Access { candidates, exact, elsewhere } = self.layout.access(place);
        let needs = elsewhere && !candidates.is_empty() || self.needs_address(candidates);
        let address = needs.then(|| Eval::new(self, state, part).address(place));
        if let Some(address) = address {
            Eval::new(self, state, part).given(Node::Place(place), address, None);
        }
        self.write_candidates((candidates, exact), address, value, self.slice(place), state, part);
    }

    /// Stores a value in one of the candidates: in the only one if that is `exact`, otherwise where the address is.
    pub(crate) fn write_candidates(
        &self,
        (candidates, exact): (&[Candidate], bool),
        address: Option<TermId>,
        value: TermId,
        slice: Slice,
        state: &mut State,
        part: &mut Part,
    ) {
        let t = &self.terms;
        let here = |at: Address| address.map(|a| t.eq(a, self.address(at)));
        for candidate in candidates {
            let info = &self.layout.cells()[candidate.cell];
            let old = state.cells[candidate.cell];
            state.cells[candidate.cell] = match (info.kind, address) {
                (CellKind::Bytes, _) if self.options.arith == Arith::Int => continue,
                // Cells share no address: where it is not meant it is not seen.
                (CellKind::Bytes, Some(address)) => self.store_bits(old, address, value, slice),
                (CellKind::Array, Some(address)) => {
                    let value = Eval::new(self, state, part).reinterpret(value, slice.ty, info.ty);
                    t.store(old, address, value)
                }
                (CellKind::Array | CellKind::Bytes, None) => continue,
                (CellKind::Scalar { .. }, _) => {
                    let value = Eval::new(self, state, part).reinterpret(value, slice.ty, info.ty);
                    // Without an address it is the only one.
                    match candidate.address.filter(|_| !exact).and_then(here) {
                        Some(condition) => t.ite(condition, value, old),
                        None => value,
                    }
                }
            };
        }
    }

    fn byte_address(&self, address: TermId, byte: u32) -> TermId {
        if byte == 0 { address } else { self.terms.bv_add(address, self.distance(byte.into())) }
    }

    /// The bytes of an array that a slice touches, as one bit-vector.
    fn load_bytes(&self, bytes: TermId, address: TermId, slice: Slice) -> TermId {
        let t = &self.terms;
        let byte = |i| t.select(bytes, self.byte_address(address, i));
        (1..slice.bytes()).fold(byte(0), |low, i| t.concat(byte(i), low))
    }

    /// So many bits of an array of bytes, from a bit of the byte at an address on.
    pub fn bits_at(&self, bytes: TermId, address: TermId, bit: u8, bits: u32) -> TermId {
        let all = self.load_bytes(bytes, address, Slice { ty: Types::BYTE, bit, bits });
        self.terms.extract(u32::from(bit) + bits - 1, bit.into(), all)
    }

    /// The value of a slice of an array of bytes.
    pub(crate) fn load_bits(&self, bytes: TermId, address: TermId, slice: Slice) -> TermId {
        let t = &self.terms;
        match sort(self.program, t, self.options.arith, slice.ty) {
            // A byte that is not zero is true, as machines test it.
            Sort::BitVec(1) if slice.bits == 8 => {
                let byte = self.bits_at(bytes, address, 0, 8);
                t.ite(t.eq(byte, t.bv(0, 8)), t.bv(0, 1), t.bv(1, 1))
            }
            Sort::BitVec(width) => self.bits_at(bytes, address, slice.bit, width.min(slice.bits)),
            _ => self.load_bytes(bytes, address, slice),
        }
    }

    /// An array of bytes with a value stored in a slice.
    pub(crate) fn store_bits(
        &self,
        mut bytes: TermId,
        address: TermId,
        value: TermId,
        slice: Slice,
    ) -> TermId {
        let t = &self.terms;
        let mut all = resized(t, value, slice.bits);
        let (first, end) = (u32::from(slice.bit), u32::from(slice.bit) + slice.bits);
        let room = slice.bytes() * 8;
        if first > 0 || end < room {
            let old = self.load_bytes(bytes, address, slice);
            if first > 0 {
                all = t.concat(all, t.extract(first - 1, 0, old));
            }
            if end < room {
                all = t.concat(t.extract(room - 1, end, old), all);
            }
        }
        for i in 0..slice.bytes() {
            bytes = t.store(bytes, self.byte_address(address, i), t.extract(i * 8 + 7, i * 8, all));
        }
        bytes
    }

    /// Does an address lie in one of the ranges?
    pub(crate) fn lies_in(&self, address: TermId, ranges: &[Stretch]) -> TermId {
        let t = &self.terms;
        let within = |range: &Stretch| {
            let (low, high) = (self.address(range.start), self.address(range.start.plus(range.len)));
            match self.options.arith {
                Arith::Int => t.and([t.le(low, address), t.lt(address, high)]),
                Arith::Bv => t.and([t.bv_ule(low, address), t.bv_ult(address, high)]),
            }
        };
        t.or(ranges.iter().map(within))
    }
}

/// A bit-vector of another width: zeros in front, or the low bits.
pub(crate) fn resized(t: &Terms, value: TermId, bits: u32) -> TermId {
    match t.sort(value) {
        Sort::BitVec(width) if width < bits => t.zero_ext(bits - width, value),
        Sort::BitVec(width) if width > bits => t.extract(bits - 1, 0, value),
        _ => value,
    }
}

impl Eval<'_, '_> {
    /// The value stored at a place of scalar type.
    pub fn read(&mut self, place: PlaceId) -> TermId {
        if self.encoder.layout.is_loose_place(place) {
            return self.arbitrary(self.encoder.program.exprs.place(place).ty);
        }
        let Access { candidates, elsewhere, .. } = self.encoder.layout.access(place);
        let needs = elsewhere && !candidates.is_empty() || self.encoder.needs_address(candidates);
        let address = needs.then(|| self.address(place));
        let slice = self.encoder.slice(place);
        let value = self.read_candidates((candidates, elsewhere), address, slice);
        if let Some(address) = address {
            self.given(Node::Place(place), address, Some((slice.ty, value)));
            if slice.bit == 0 && !candidates.iter().all(|c| self.is_scalar(c.cell)) {
                self.part.reads.push(Read { address, ty: slice.ty, value });
            }
        }
        value
    }

    fn is_scalar(&self, cell: CellId) -> bool {
        matches!(self.encoder.layout.cells()[cell].kind, CellKind::Scalar { .. })
    }

    /// Writes down an access to what the environment gives, if it may be one: what the path needs.
    fn given(&mut self, access: Node, address: TermId, read: Option<(TypeId, TermId)>) {
        let Some(given) = self.encoder.layout.given(access) else { return };
        let pointer = given.pointer.map(|pointer| self.expr(pointer));
        let (base, here) = match self.encoder.options.arith {
            Arith::Int => self.given_int(given, pointer, address),
            Arith::Bv => self.given_bv(given, pointer, address),
        };
        let t = &self.encoder.terms;
        let own = given.area.map(|area| {
            let area = self.encoder.distance(area);
            match self.encoder.options.arith {
                Arith::Int => t.lt(address, area),
                Arith::Bv => t.bv_ult(address, area),
            }
        });
        let needs = t.or(own.into_iter().chain([here]));
        let read = read.map(|(ty, value)| (address, ty, value));
        self.part.outside.push(Outside { base, size: given.room, here, needs, read });
    }

    /// The object of the environment that an access lies in, and whether there is one.
    fn given_int(&mut self, given: Given, pointer: Option<TermId>, address: TermId) -> (TermId, TermId) {
        let t = &self.encoder.terms;
        let times = |count: u64, what| t.scale(&Rat::from_ibig(count.into()), what);
        let from_to =
            |what, last: u64| t.and([t.le(t.int(0), what), t.le(what, self.encoder.distance(last))]);
        let which = t.fresh("given", Sort::Int);
        let base = t.add(self.encoder.distance(given.start), times(given.stride(), which));
        let room = given.room - given.bytes;
        let lies = match pointer {
            Some(pointer) => t.and([t.eq(pointer, base), from_to(t.sub(address, base), room)]),
            None => {
                let step = t.fresh("given", Sort::Int);
                let at = t.add(base, times(given.unit(), step));
                t.and([t.eq(address, at), from_to(step, room / given.unit())])
            }
        };
        (base, t.and([from_to(which, given.count - 1), lies]))
    }

    fn given_bv(&mut self, given: Given, pointer: Option<TermId>, address: TermId) -> (TermId, TermId) {
        let t = &self.encoder.terms;
        let width = u32::from(self.encoder.program.types.model.pointer_bits());
        let (low, unit) = (given.stride().trailing_zeros(), given.unit().trailing_zeros());
        let base = t.concat(t.extract(width - 1, low, address), t.bv(0, low));
        let end = given.start + given.count * given.stride();
        let (first, end) = (self.encoder.distance(given.start), self.encoder.distance(end));
        let last = self.encoder.distance(given.room - given.bytes);
        let mut needs = vec![t.bv_ule(first, base), t.bv_ult(base, end)];
        needs.push(t.bv_ule(t.bv_sub(address, base), last));
        match pointer {
            Some(pointer) => needs.push(t.eq(pointer, base)),
            None if unit > 0 => needs.push(t.eq(t.extract(unit - 1, 0, address), t.bv(0, unit))),
            None => {}
        }
        (base, t.and(needs))
    }

    /// The value that one of the candidates holds, or something of the environment if it may lie elsewhere: that may be any. The address is there if it takes one to tell.
    pub fn read_candidates(
        &mut self,
        (candidates, elsewhere): (&[Candidate], bool),
        address: Option<TermId>,
        slice: Slice,
    ) -> TermId {
        let t = &self.encoder.terms;
        let mut result = match self.encoder.layout.otherwise(candidates) {
            Otherwise::Nothing => None,
            Otherwise::Unclear(_) => Some(self.arbitrary(slice.ty)),
            Otherwise::Among(mut told, last) => {
                // Of what lies nobody knows where it is not known whether the address leads there.
                let ranges = last.filter(|_| elsewhere).and_then(|cell| self.encoder.layout.ranges(cell));
                told.extend(last.zip(ranges));
                let mut result = match elsewhere {
                    true => Some(self.arbitrary(slice.ty)),
                    false => last.map(|cell| self.held(cell, address, slice)),
                };
                for (cell, ranges) in told {
                    let value = self.held(cell, address, slice);
                    result = Some(match (result, address) {
                        (Some(rest), Some(address)) => {
                            t.ite(self.encoder.lies_in(address, ranges), value, rest)
                        }
                        _ => value,
                    });
                }
                result
            }
        };
        if elsewhere && result.is_none() {
            result = Some(self.arbitrary(slice.ty));
        }
        // Where none of them lies is undefined behaviour: the last needs no comparison.
        for candidate in candidates.iter().rev() {
            let Some(at) = candidate.address else { continue };
            let value = match candidates.len() > 1 && self.encoder.layout.cells()[candidate.cell].shared {
                // What lies there now may be another of them.
                true => self.arbitrary(slice.ty),
                false => self.held(candidate.cell, address, slice),
            };
            result = Some(match (result, address) {
                (Some(rest), Some(address)) => t.ite(t.eq(address, self.encoder.address(at)), value, rest),
                _ => value,
            });
        }
        result.unwrap_or_else(|| self.arbitrary(slice.ty))
    }

    /// Can so many bytes be accessed at a pointer? No more is said than what that implies.
    pub fn is_valid(&mut self, question: ExprId, pointer: ExprId, bytes: u64) -> TermId {
        let address = self.expr(pointer);
        self.given(Node::Expr(question), address, None);
        if let Some(ranges) = self.encoder.layout.valid(question, bytes) {
            return self.encoder.lies_in(address, &ranges);
        }
        let t = &self.encoder.terms;
        let width = self.encoder.program.types.model.pointer_bits();
        let last = ((1u128 << width) - u128::from(PAGE) - u128::from(bytes)) as u64;
        let (low, high) = (self.encoder.distance(PAGE), self.encoder.distance(last));
        match self.encoder.options.arith {
            Arith::Int => t.and([t.le(low, address), t.le(address, high)]),
            Arith::Bv => t.and([t.bv_ule(low, address), t.bv_ule(address, high)]),
        }
    }

    /// What a cell holds at an address.
    fn held(&mut self, cell: CellId, address: Option<TermId>, slice: Slice) -> TermId {
        let t = &self.encoder.terms;
        let info = &self.encoder.layout.cells()[cell];
        let held = self.state.cells[cell];
        match (info.kind, address) {
            (CellKind::Scalar { .. }, _) => self.reinterpret(held, info.ty, slice.ty),
            (CellKind::Array, Some(address)) => {
                self.bound_element(held, address, info.ty);
                self.reinterpret(t.select(held, address), info.ty, slice.ty)
            }
            (CellKind::Bytes, Some(address)) if self.encoder.options.arith == Arith::Bv => {
                self.encoder.load_bits(held, address, slice)
            }
            _ => self.arbitrary(slice.ty),
        }
    }
}
