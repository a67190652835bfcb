//! The encoder of a program: states, fresh values, single operations.

use crate::expr::Eval;
use crate::memory::{Address, CellId, CellKind, Layout, ObjectId, ObjectKind, SiteId};
use crate::part::{Part, number};
use crate::range::{Range, Ranges, word_range};
use crate::regions::MOST_BYTES;
use crate::state::{State, address_sort, cell_sort, sort};
use crate::{Arith, Options};
use craig_cfa::{CallString, EdgeId, ExprId, Halt, Lang, Name, Op, PlaceId, ProcId, Program, TypeId};
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
    /// The addresses of the sites.
    sites: IndexVec<SiteId, TermId>,
    /// May a pointer be any number?
    pub(crate) numbers: bool,
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
    /// Where something begins whose content is chosen and not listed: it is what is read there first.
    pub opened: Vec<TermId>,
    /// The operation is not modelled: any state may follow.
    pub unsupported: Option<Name>,
}

/// An operation that has no encoding of its own: a call that was not inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uninlined(pub ProcId);

impl<'p> Encoder<'p> {
    /// For a program with this layout.
    pub fn new(program: &'p Program, layout: &'p Layout, terms: Rc<Terms>, options: Options) -> Self {
        let names = unique(layout.cells().iter().map(|cell| &cell.name)).into();
        let sort = address_sort(program, options.arith);
        let sites = unique(layout.sites().iter().map(|site| &site.name));
        let sites = sites.iter().map(|name| terms.symbol(name, sort)).collect();
        let numbers = program.makes_pointers_of_numbers();
        Encoder { program, terms, layout, options, ranges: RefCell::default(), names, sites, numbers }
    }

    /// The first piece of program, with what is known of addresses.
    pub fn part(&self) -> Part {
        let mut part = Part::new();
        part.constraints = self.places();
        part
    }

    /// The addresses that nobody knows, each a symbol that means the same everywhere.
    pub fn sites(&self) -> &IndexVec<SiteId, TermId> {
        &self.sites
    }

    /// Bounds of an integer or pointer expression.
    pub fn range(&self, e: ExprId) -> Option<Range> {
        self.ranges.borrow_mut().of(self.program, e)
    }

    /// Where something lies.
    pub fn address(&self, address: Address) -> TermId {
        let offset = self.distance(address.offset);
        match address.site {
            Some(site) => self.plus(self.sites[site], offset),
            None => offset,
        }
    }

    /// The sum of an address and a distance.
    pub(crate) fn plus(&self, address: TermId, distance: TermId) -> TermId {
        match self.options.arith {
            Arith::Int => self.terms.add(address, distance),
            Arith::Bv => self.terms.bv_add(address, distance),
        }
    }

    /// A number of bytes, of the sort of addresses.
    pub fn distance(&self, value: u64) -> TermId {
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
        let global = !info.leaves.is_empty() && info.leaves.iter().all(|(object, _)| self.is_global(*object));
        match (info.kind, self.zero(info.ty)) {
            (CellKind::Scalar { .. }, Some(zero)) if global => zero,
            (CellKind::Array, Some(zero)) if global => {
                let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
                self.terms.const_array(sort.expect("an array has a sort"), zero)
            }
            (CellKind::Scalar { .. }, _) => self.arbitrary(info.ty, &format!("{}#", info.name), part),
            (CellKind::Array, Some(zero)) => self.zero_globals(cell, zero),
            (CellKind::Array, None) => self.any_array(cell),
            (CellKind::Bytes, _) => self.initial_bytes(cell, global),
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
                for offset in self.elements(leaf).unwrap_or_default() {
                    array = self.terms.store(array, self.address(base.plus(offset)), zero);
                }
            }
        }
        array
    }

    /// Bytes at the start: those of global variables are zero.
    fn initial_bytes(&self, cell: CellId, global: bool) -> TermId {
        let Some(sort) = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell) else {
            return self.terms.tru();
        };
        let zero = self.terms.bv(0, 8);
        if global {
            return self.terms.const_array(sort, zero);
        }
        let mut bytes = self.any_array(cell);
        let mut objects: Vec<ObjectId> = self.layout.cells()[cell].leaves.iter().map(|(o, _)| *o).collect();
        objects.dedup();
        for object in objects.into_iter().filter(|o| self.is_global(*o)) {
            let size = self.layout.objects()[object].size.filter(|s| *s <= MOST_BYTES);
            let Some((base, size)) = self.layout.object_base(object).zip(size) else { continue };
            for offset in 0..size {
                bytes = self.terms.store(bytes, self.address(base.plus(offset)), zero);
            }
        }
        bytes
    }

    /// A variable that is zero when the program starts.
    fn is_global(&self, object: ObjectId) -> bool {
        match self.layout.objects()[object].kind {
            ObjectKind::Var(v) => self.program.vars[v].proc.is_none() && self.program.lang == Lang::C,
            _ => false,
        }
    }

    fn any_array(&self, cell: CellId) -> TermId {
        let sort = cell_sort(self.program, &self.terms, self.options.arith, self.layout, cell);
        let name = format!("{}#", self.layout.cells()[cell].name);
        self.terms.fresh(&name, sort.expect("an array has a sort"))
    }

    /// Zero of a type that has one in C.
    pub(crate) fn zero(&self, ty: TypeId) -> Option<TermId> {
        let types = &self.program.types;
        match sort(self.program, &self.terms, self.options.arith, ty) {
            Sort::BitVec(width) => Some(self.terms.bv(0, width)),
            Sort::Int if types.as_word(ty).is_some() || types.is_float(ty) => Some(self.terms.int(0)),
            _ => None,
        }
    }

    /// Forgets everything about a cell.
    pub fn forget(&self, cell: CellId, state: &mut State, part: &mut Part) {
        let info = &self.layout.cells()[cell];
        state.cells[cell] = match info.kind {
            CellKind::Scalar { .. } => self.arbitrary(info.ty, &format!("{}#", info.name), part),
            CellKind::Array => self.any_array(cell),
            CellKind::Bytes if self.options.arith == Arith::Int => return,
            CellKind::Bytes => self.any_array(cell),
        };
    }

    /// What is known of where the next object of the heap goes.
    pub fn heap_range(&self, heap: TermId) -> Option<TermId> {
        let start = self.address(self.layout.heap_start());
        (self.options.arith == Arith::Int).then(|| self.terms.le(start, heap))
    }

    /// Forgets where the next object of the heap goes.
    pub fn forget_heap(&self, state: &mut State, part: &mut Part) {
        let sort = address_sort(self.program, self.options.arith);
        let old = std::mem::replace(&mut state.heap, self.terms.fresh("heap#", sort));
        // Numbers do not wrap around: it only moves on.
        if self.options.arith == Arith::Int {
            part.require(&self.terms, self.terms.le(old, state.heap));
        }
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
            // Behind it is nothing but the error.
            Op::Deeper(proc) => effect.unsupported = Some(self.program.procs[*proc].name.clone()),
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

    /// The value that a scalar place has in a state.
    pub fn read(&self, place: PlaceId, state: &State, part: &mut Part) -> TermId {
        Eval::new(self, state, part).read(place)
    }

    /// The value of an expression in a state.
    pub fn eval(&self, e: ExprId, state: &State, part: &mut Part) -> TermId {
        Eval::new(self, state, part).expr(e)
    }
}

/// Names, made different where inlining copied a variable.
fn unique<'a>(names: impl Iterator<Item = &'a Name>) -> Vec<Name> {
    let mut seen: FxHashMap<&Name, u32> = FxHashMap::default();
    names
        .map(|name| {
            let count = seen.entry(name).or_insert(0);
            *count += 1;
            if *count == 1 { name.clone() } else { format!("{name}@{count}").into() }
        })
        .collect()
}
