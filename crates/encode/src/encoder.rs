//! The encoder of a program: states, fresh values, single operations.

use crate::expr::Eval;
use crate::memory::{
    Candidate, CellId, CellKind, CopyLeaf, Layout, LeafAccess, ObjectId, ObjectKind, RangeAccess,
};
use crate::part::{Part, number};
use crate::range::{Range, Ranges, word_range};
use crate::state::{State, address_sort, cell_sort, sort};
use crate::{Arith, Options};
use craig_cfa::{
    CallString, Choice, Const, EdgeId, ExprId, ExprKind, Halt, Lang, Name, Op, PlaceId, ProcId, Program,
    RecordKind, Type, TypeId, Types, VarKind,
};
use craig_logic::{Sort, TermId, Terms};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Turns operations of one program into terms of one store.
#[derive(Debug)]
pub struct Encoder<'p> {
    pub program: &'p Program,
    pub terms: Rc<Terms>,
    pub layout: &'p Layout,
    pub options: Options,
    ranges: RefCell<Ranges>,
    /// Names of the cells' symbols.
    names: IndexVec<CellId, Name>,
}

/// An arbitrary value that an operation chose: where, and the symbol that stands for it.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Byte offset in the chosen object, and bit for bit-fields.
    pub offset: u64,
    pub bit: u8,
    pub ty: TypeId,
    /// A symbol, or an element of an array that nothing is known of.
    pub symbol: TermId,
    /// Chosen as bytes: content of fresh memory, or of a union.
    pub memory: bool,
}

/// What an operation does beyond changing the state.
#[derive(Debug, Default)]
pub struct Effect {
    /// The run goes on only if this holds.
    pub guard: Option<TermId>,
    pub chosen: Vec<Chosen>,
    /// The operation is not modelled: any state may follow.
    pub unsupported: Option<Name>,
}

/// An operation that has no encoding of its own: a call that was not inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uninlined(pub ProcId);

impl<'p> Encoder<'p> {
    /// For a program with this layout.
    pub fn new(program: &'p Program, layout: &'p Layout, terms: Rc<Terms>, options: Options) -> Self {
        let names = unique_names(layout);
        Encoder { program, terms, layout, options, ranges: RefCell::default(), names }
    }

    /// Bounds of an integer or pointer expression.
    pub fn range(&self, e: ExprId) -> Option<Range> {
        self.ranges.borrow_mut().of(self.program, e)
    }

    /// A numeral of the sort of addresses.
    pub fn address(&self, value: u64) -> TermId {
        match address_sort(self.program, self.options.arith) {
            Sort::BitVec(width) => self.terms.bv_big(value.into(), width),
            _ => number(&self.terms, i128::from(value)),
        }
    }

    pub(crate) fn any_address(&self, part: &mut Part) -> TermId {
        let sort = address_sort(self.program, self.options.arith);
        let symbol = self.terms.fresh("address", sort);
        if self.options.arith == Arith::Int {
            part.bound(&self.terms, symbol, 0, (1 << self.program.types.model.pointer_bits()) - 1);
        }
        symbol
    }

    /// A fresh symbol for any value of a scalar type.
    pub fn arbitrary(&self, ty: TypeId, prefix: &str, part: &mut Part) -> TermId {
        let sort = sort(self.program, &self.terms, self.options.arith, ty);
        let symbol = self.terms.fresh(prefix, sort);
        self.in_type(symbol, ty, part);
        symbol
    }

    /// Requires an integer to lie within its type.
    fn in_type(&self, term: TermId, ty: TypeId, part: &mut Part) {
        if self.terms.sort(term) == Sort::Int
            && let Some(Range { low, high }) = word_range(self.program, ty)
        {
            part.bound(&self.terms, term, low, high);
        }
    }

    /// Bounds of what a cell holds, in a run without signed overflow: none where the sort says it all, or nothing is known.
    pub fn cell_range(&self, cell: CellId) -> Option<Range> {
        let info = &self.layout.cells()[cell];
        let integer = self.options.arith == Arith::Int && matches!(info.kind, CellKind::Scalar { .. });
        integer.then(|| word_range(self.program, info.ty)).flatten()
    }

    /// The name of a cell's symbol; unique in the program.
    fn cell_symbol(&self, cell: CellId, version: Option<u32>) -> TermId {
        let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
        let name = &self.names[cell];
        let name = match version {
            Some(v) => format!("{name}#{v}"),
            None => name.to_string(),
        };
        self.terms.symbol(&name, sort.unwrap_or(Sort::Bool))
    }

    /// The state in which every cell is its own symbol, the vocabulary of invariants; or a numbered copy of it.
    pub fn symbols(&self, version: Option<u32>) -> State {
        let cells = self.layout.cells().indices().map(|c| self.cell_symbol(c, version)).collect();
        let heap = match version {
            Some(v) => format!("heap#{v}"),
            None => "heap".into(),
        };
        State { cells, heap: self.terms.symbol(&heap, address_sort(self.program, self.options.arith)) }
    }

    /// The state at the start: globals are zero, the rest is arbitrary.
    pub fn initial(&self, part: &mut Part) -> State {
        let cells = self.layout.cells().indices().map(|c| self.initial_cell(c, part)).collect();
        State { cells, heap: self.address(self.layout.heap_start()) }
    }

    fn initial_cell(&self, cell: CellId, part: &mut Part) -> TermId {
        let info = &self.layout.cells()[cell];
        let global = info.leaves.iter().all(|(object, _)| self.is_global(*object));
        match (info.kind, self.zero(info.ty)) {
            (CellKind::Scalar { .. }, Some(zero)) if global => zero,
            (CellKind::Array, Some(zero)) if global => {
                let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
                self.terms.const_array(sort.expect("an array has a sort"), zero)
            }
            (CellKind::Scalar { .. }, _) => self.arbitrary(info.ty, &format!("{}#", info.name), part),
            (CellKind::Array, Some(zero)) => self.zero_globals(cell, zero),
            (CellKind::Array, None) => self.any_array(cell),
            (CellKind::Opaque, _) => self.terms.tru(),
        }
    }

    /// An arbitrary array that is zero where global variables lie in it.
    fn zero_globals(&self, cell: CellId, zero: TermId) -> TermId {
        let mut array = self.any_array(cell);
        let mut globals: Vec<ObjectId> = self.layout.cells()[cell].leaves.iter().map(|(o, _)| *o).collect();
        globals.dedup();
        for object in globals.into_iter().filter(|o| self.is_global(*o)) {
            let Some(base) = self.layout.object_base(object) else { continue };
            let leaves = self.layout.object_leaves(object);
            for leaf in leaves.iter().filter(|l| l.candidates.iter().any(|c| c.cell == cell)) {
                for offset in elements(leaf).unwrap_or_default() {
                    array = self.terms.store(array, self.address(base + offset), zero);
                }
            }
        }
        array
    }

    /// A variable that is zero when the program starts.
    fn is_global(&self, object: ObjectId) -> bool {
        match self.layout.objects()[object].kind {
            ObjectKind::Var(v) => {
                self.program.vars[v].kind == VarKind::Global && self.program.lang == Lang::C
            }
            _ => false,
        }
    }

    fn any_array(&self, cell: CellId) -> TermId {
        let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
        let name = format!("{}#", self.layout.cells()[cell].name);
        self.terms.fresh(&name, sort.expect("an array has a sort"))
    }

    /// Zero of a type that has one in C.
    fn zero(&self, ty: TypeId) -> Option<TermId> {
        let types = &self.program.types;
        match sort(self.program, &self.terms, self.options.arith, ty) {
            Sort::BitVec(width) => Some(self.terms.bv(0, width)),
            Sort::Int if types.as_word(ty).is_some() || types.is_float(ty) => Some(self.terms.int(0)),
            _ => None,
        }
    }

    /// Forgets everything about a cell.
    fn forget(&self, cell: CellId, state: &mut State, part: &mut Part) {
        let info = &self.layout.cells()[cell];
        state.cells[cell] = match info.kind {
            CellKind::Scalar { .. } => self.arbitrary(info.ty, &format!("{}#", info.name), part),
            CellKind::Array => self.any_array(cell),
            CellKind::Opaque => return,
        };
    }

    /// Changes the state as the operation does.
    pub fn op(
        &self,
        op: &Op,
        origin: EdgeId,
        calls: CallString,
        state: &mut State,
        part: &mut Part,
    ) -> Result<Effect, Uninlined> {
        let mut effect = Effect::default();
        match op {
            Op::Free(_) | Op::Return(_) => {}
            Op::Skip | Op::Assume(_) => return Ok(self.unchanging(op, state, part)),
            Op::Halt(Halt::Exit(_) | Halt::Abort | Halt::Undefined(_)) => {
                effect.guard = Some(self.terms.fls())
            }
            Op::Assign(place, value) => self.assign(*place, *value, state, part),
            Op::Havoc(place, choice) => self.havoc(*place, choice, state, part, &mut effect),
            Op::Alloc { dst, size, zero, .. } => {
                self.allocate(*dst, *size, *zero, (origin, calls), state, part, &mut effect);
            }
            Op::Realloc { dst, size, .. } => {
                self.allocate(*dst, *size, false, (origin, calls), state, part, &mut effect);
            }
            Op::MemSet { dst, byte, len } => self.mem_set(*dst, *byte, *len, state, part),
            Op::MemCopy { dst, src, len, .. } => self.mem_copy(*dst, *src, *len, state, part),
            Op::Output(output) => {
                if let Some(dst) = output.buffer() {
                    self.forget_range(&self.layout.range(dst, None), state, part);
                }
                if let Some(ret) = output.ret {
                    let ty = self.program.exprs.place(ret).ty;
                    let value = self.arbitrary(ty, "output", part);
                    self.write(ret, value, state, part);
                }
            }
            Op::Unsupported(what) => {
                for cell in self.layout.cells().indices() {
                    self.forget(cell, state, part);
                }
                effect.unsupported = Some(what.clone());
            }
            Op::VarArgs(_) => {
                for cell in self.layout.cells().indices() {
                    self.forget(cell, state, part);
                }
                effect.unsupported = Some("variadic arguments".into());
            }
            Op::Call(call) => return Err(Uninlined(call.proc)),
        }
        Ok(effect)
    }

    /// An operation that changes nothing: an assumption or `skip`.
    pub(crate) fn unchanging(&self, op: &Op, state: &State, part: &mut Part) -> Effect {
        let guard = match op {
            Op::Assume(e) => Some(self.eval(*e, state, part)),
            _ => None,
        };
        Effect { guard, ..Effect::default() }
    }

    /// The value of an expression in a state.
    pub fn eval(&self, e: ExprId, state: &State, part: &mut Part) -> TermId {
        Eval::new(self, state, part).expr(e)
    }

    fn assign(&self, place: PlaceId, value: ExprId, state: &mut State, part: &mut Part) {
        let ty = self.program.exprs.place(place).ty;
        if !self.program.types.is_aggregate(ty) {
            let value = self.eval(value, state, part);
            self.write(place, value, state, part);
            return;
        }
        let to = Eval::new(self, state, part).address(place);
        match self.program.exprs.kind(value) {
            ExprKind::Read(source) => {
                let from = Eval::new(self, state, part).address(*source);
                self.copy(&self.layout.copy(place, *source), to, from, state, part);
            }
            ExprKind::Const(Const::Zero) => {
                for leaf in self.layout.leaves(place) {
                    let zero = self.zero(leaf.ty);
                    self.fill_leaf(&leaf, to, zero, state, part);
                }
            }
            ExprKind::Const(Const::Bytes(bytes)) => self.write_bytes(place, bytes, to, state, part),
            _ => {
                for leaf in self.layout.leaves(place) {
                    self.forget_leaf(&leaf, state, part);
                }
            }
        }
    }

    fn forget_leaf(&self, leaf: &LeafAccess, state: &mut State, part: &mut Part) {
        for candidate in &leaf.candidates {
            self.forget(candidate.cell, state, part);
        }
    }

    fn forget_range(&self, range: &RangeAccess, state: &mut State, part: &mut Part) {
        match range {
            RangeAccess::Leaves(leaves) => leaves.iter().for_each(|leaf| self.forget_leaf(leaf, state, part)),
            RangeAccess::Cells { cells, .. } => cells.iter().for_each(|cell| self.forget(*cell, state, part)),
        }
    }

    fn offset(&self, base: TermId, offset: u64) -> TermId {
        let offset = self.address(offset);
        match self.options.arith {
            Arith::Int => self.terms.add(base, offset),
            Arith::Bv => self.terms.bv_add(base, offset),
        }
    }

    /// Moves scalars from one range to another; both are read before anything is written.
    fn copy(&self, leaves: &[CopyLeaf], to: TermId, from: TermId, state: &mut State, part: &mut Part) {
        let values: Vec<Option<Vec<(u64, TermId)>>> = leaves
            .iter()
            .map(|leaf| {
                let source = leaf.from.as_ref().filter(|_| leaf.to.whole)?;
                let (written, read_at) = (elements(&leaf.to)?, elements(source)?);
                let mut read = |offset| {
                    let address = self.offset(from, offset);
                    Eval::new(self, state, part).read_candidates(
                        &source.candidates,
                        Some(address),
                        leaf.to.ty,
                    )
                };
                Some(written.into_iter().zip(read_at.into_iter().map(&mut read)).collect())
            })
            .collect();
        for (leaf, values) in leaves.iter().zip(values) {
            let Some(values) = values else {
                self.forget_leaf(&leaf.to, state, part);
                continue;
            };
            for (offset, value) in values {
                let address = self.offset(to, offset);
                self.write_candidates(&leaf.to.candidates, Some(address), value, leaf.to.ty, state, part);
            }
        }
    }

    /// Gives a leaf of a range a value; `None`: any.
    fn fill_leaf(
        &self,
        leaf: &LeafAccess,
        base: TermId,
        value: Option<TermId>,
        state: &mut State,
        part: &mut Part,
    ) {
        let Some(value) = value.filter(|_| leaf.whole) else { return self.forget_leaf(leaf, state, part) };
        if let [Candidate { cell, .. }] = leaf.candidates[..]
            && self.is_all_of(leaf, cell)
            && let Some(sort @ Sort::Array(_)) =
                cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell)
        {
            let ty = self.layout.cells()[cell].ty;
            let value = Eval::new(self, state, part).reinterpret(value, leaf.ty, ty);
            state.cells[cell] = self.terms.const_array(sort, value);
            return;
        }
        let Some(elements) = elements(leaf) else { return self.forget_leaf(leaf, state, part) };
        for offset in elements {
            let address = self.offset(base, offset);
            self.write_candidates(&leaf.candidates, Some(address), value, leaf.ty, state, part);
        }
    }

    /// Is the leaf all that the cell holds: every element of one array in an object that exists once?
    fn is_all_of(&self, leaf: &LeafAccess, cell: CellId) -> bool {
        let [(object, _)] = self.layout.cells()[cell].leaves[..] else { return false };
        leaf.exact
            && self.layout.objects()[object].once
            && self
                .layout
                .object_leaves(object)
                .iter()
                .filter(|all| all.candidates.iter().any(|c| c.cell == cell))
                .all(|all| all.dims == leaf.dims)
    }

    /// A string literal into an array of characters.
    fn write_bytes(&self, place: PlaceId, bytes: &[u8], to: TermId, state: &mut State, part: &mut Part) {
        const MOST_STORES: u64 = 256;
        let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1) as u64;
        for leaf in self.layout.leaves(place) {
            let zero = self.zero(leaf.ty);
            self.fill_leaf(&leaf, to, zero, state, part);
            let size = u64::from(leaf.bits.div_ceil(8));
            let (stride, count) = match leaf.dims[..] {
                [] => (0, 1),
                [dim] if used / dim.stride.max(1) <= MOST_STORES => (dim.stride, dim.count.unwrap_or(0)),
                _ => {
                    self.forget_leaf(&leaf, state, part);
                    continue;
                }
            };
            for at in (0..count).map(|i| leaf.offset + i * stride).take_while(|at| *at < used) {
                let unit = bytes.get(at as usize..(at + size) as usize).unwrap_or(&[]);
                let value = unit.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b));
                let value = self.bits(value, leaf.ty);
                let address = self.offset(to, at);
                self.write_candidates(&leaf.candidates, Some(address), value, leaf.ty, state, part);
            }
        }
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

    fn havoc(
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
            let Some(elements) = elements(&leaf).filter(|_| leaf.whole) else {
                self.forget_leaf(&leaf, state, part);
                continue;
            };
            for offset in elements {
                let symbol = self.arbitrary(leaf.ty, prefix, part);
                // Unions are chosen as bytes.
                let memory = in_union(&self.program.types, ty, offset);
                effect.chosen.push(Chosen { offset, bit: leaf.bit, ty: leaf.ty, symbol, memory });
                let address = self.offset(base, offset);
                self.write_candidates(&leaf.candidates, Some(address), symbol, leaf.ty, state, part);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn allocate(
        &self,
        dst: PlaceId,
        size: ExprId,
        zero_content: bool,
        site: (EdgeId, CallString),
        state: &mut State,
        part: &mut Part,
        effect: &mut Effect,
    ) {
        let t = &self.terms;
        let once = self.layout.alloc_base(site.0, site.1);
        let base = once.map_or(state.heap, |base| self.address(base));
        if once.is_none() {
            // One of many: the next free address.
            let size = self.eval(size, state, part);
            let gap = self.address(32);
            state.heap = match self.options.arith {
                Arith::Int => t.add(t.add(base, size), gap),
                Arith::Bv => t.bv_add(t.bv_add(base, size), gap),
            };
        }
        let object = self.layout.alloc_object(site.0, site.1);
        for leaf in object.map_or(Vec::new(), |o| self.layout.object_leaves(o)) {
            let zero = self.zero(leaf.ty).filter(|_| zero_content);
            match (zero, elements(&leaf).filter(|_| leaf.whole)) {
                (Some(_), known) if once.is_some() || known.is_some() => {
                    self.fill_leaf(&leaf, base, zero, state, part);
                }
                (None, Some(elements)) => {
                    for offset in elements {
                        let address = self.offset(base, offset);
                        let symbol = match once {
                            Some(_) if leaf.dims.is_empty() => {
                                let symbol = self.arbitrary(leaf.ty, "fresh", part);
                                let to = &leaf.candidates;
                                self.write_candidates(to, Some(address), symbol, leaf.ty, state, part);
                                symbol
                            }
                            // Nobody has written there: what the array holds is arbitrary already.
                            _ => {
                                let mut eval = Eval::new(self, state, part);
                                eval.read_candidates(&leaf.candidates, Some(address), leaf.ty)
                            }
                        };
                        effect.chosen.push(Chosen {
                            offset,
                            bit: leaf.bit,
                            ty: leaf.ty,
                            symbol,
                            memory: true,
                        });
                    }
                }
                _ => {}
            }
        }
        self.write(dst, base, state, part);
    }

    fn mem_set(&self, dst: ExprId, byte: ExprId, len: ExprId, state: &mut State, part: &mut Part) {
        let byte = self.program.exprs.as_bits(byte);
        match (self.layout.range(dst, self.layout.known_length(len)), byte) {
            (RangeAccess::Leaves(leaves), Some(byte)) => {
                let base = self.eval(dst, state, part);
                let pattern = (0..16).fold(0u128, |p, _| p << 8 | byte & 0xff);
                for leaf in leaves {
                    let value = self.bits(pattern >> leaf.bit, leaf.ty);
                    self.fill_leaf(&leaf, base, Some(value), state, part);
                }
            }
            (range, _) => self.forget_range(&range, state, part),
        }
    }

    fn mem_copy(&self, dst: ExprId, src: ExprId, len: ExprId, state: &mut State, part: &mut Part) {
        match self.layout.known_length(len) {
            Some(len) => {
                let (to, from) = (self.eval(dst, state, part), self.eval(src, state, part));
                self.copy(&self.layout.copy_range(dst, src, len), to, from, state, part);
            }
            None => self.forget_range(&self.layout.range(dst, None), state, part),
        }
    }

    /// Does it take an address to say which cell, or where in it?
    pub(crate) fn needs_address(&self, candidates: &[Candidate]) -> bool {
        candidates.len() > 1 || candidates.iter().any(|c| self.layout.cells()[c.cell].kind == CellKind::Array)
    }

    /// Stores a value at a place of scalar type.
    pub fn write(&self, place: PlaceId, value: TermId, state: &mut State, part: &mut Part) {
        let ty = self.program.exprs.place(place).ty;
        let candidates = self.layout.access(place).candidates;
        let address = self.needs_address(candidates).then(|| Eval::new(self, state, part).address(place));
        self.write_candidates(candidates, address, value, ty, state, part);
    }

    fn write_candidates(
        &self,
        candidates: &[Candidate],
        address: Option<TermId>,
        value: TermId,
        ty: TypeId,
        state: &mut State,
        part: &mut Part,
    ) {
        let t = &self.terms;
        let here = |at: u64| address.map(|a| t.eq(a, self.address(at)));
        for candidate in candidates {
            let info = &self.layout.cells()[candidate.cell];
            let old = state.cells[candidate.cell];
            let value = match info.kind {
                CellKind::Opaque => continue,
                _ => Eval::new(self, state, part).reinterpret(value, ty, info.ty),
            };
            state.cells[candidate.cell] = match (info.kind, address) {
                (CellKind::Array, None) => continue,
                // Cells share no address: where it is not meant it is not seen.
                (CellKind::Array, Some(address)) => t.store(old, address, value),
                _ if candidates.len() == 1 => value,
                _ => {
                    let condition = match candidate.address {
                        Some(at) => here(at),
                        // None of the others.
                        None => Some(t.and(
                            candidates.iter().filter_map(|c| c.address).filter_map(here).map(|h| t.not(h)),
                        )),
                    };
                    match condition {
                        Some(condition) => t.ite(condition, value, old),
                        None => value,
                    }
                }
            };
        }
    }
}

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

/// Where a leaf lies in its range, each element of an array for itself; `None` if these are too many or their number is not known.
fn elements(leaf: &LeafAccess) -> Option<Vec<u64>> {
    const MOST: u64 = 64;
    let mut all = vec![leaf.offset];
    for dim in &leaf.dims {
        let count = dim.count.filter(|count| count.saturating_mul(all.len() as u64) <= MOST)?;
        all = all.iter().flat_map(|at| (0..count).map(move |i| at + i * dim.stride)).collect();
    }
    Some(all)
}

/// Names of cells, made different where inlining copied a variable.
fn unique_names(layout: &Layout) -> IndexVec<CellId, Name> {
    let mut seen: FxHashMap<Name, u32> = FxHashMap::default();
    layout
        .cells()
        .iter()
        .map(|cell| {
            let count = seen.entry(cell.name.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { cell.name.clone() } else { format!("{}@{count}", cell.name).into() }
        })
        .collect()
}
