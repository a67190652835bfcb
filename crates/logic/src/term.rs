//! The store of hash-consed terms.
//!
//! A [`Terms`] owns every term of one engine thread; a [`TermId`] names one of them. Equal terms have equal ids, so
//! comparing, hashing and caching are those of a `u32`. Terms are never freed while the store lives.
//!
//! Invariants, kept by the constructors in the sibling modules (`boolean`, `arith`, `bitvec`, `array`):
//! - the arguments of a term have smaller ids than the term, so ascending ids are a topological order;
//! - terms are normalised as the constructors say; nothing outside this crate can make one that is not.
//!
//! The store has interior mutability so that constructors take `&self` and nest: `t.and([t.le(x, y), t.not(p)])`.
//! It is `Send` and not `Sync`: each thread has its own.

use crate::num::Rat;
use crate::sort::{ArraySort, Sort};
use hashbrown::HashTable;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Names a term of a [`Terms`] store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// Position in the store; dense, so usable as an index of side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a symbol (a free constant) of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub(crate) u32);

impl SymbolId {
    /// Position in the symbol table; dense.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names an uninterpreted function of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunId(pub(crate) u32);

impl FunId {
    /// Position in the function table; dense.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a number that does not fit [`Op::Num`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NumId(u32);

/// Arguments of a term, copied out of the store.
pub type Args = SmallVec<[TermId; 4]>;

/// The head of a term. Comments give the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    True,
    False,
    Symbol(SymbolId),
    /// A number; the sort of the term says whether it is an integer, a real or an (unsigned) bit-vector.
    Num(i64),
    BigNum(NumId),
    Not,
    And,
    Or,
    /// Condition, then, else; of any sort.
    Ite,
    /// Two terms of one sort. Arithmetic: a linear sum without constant, and a number.
    Eq,
    /// A linear sum without constant whose first coefficient is positive, and a number.
    Le,
    /// Like `Le`; reals only.
    Lt,
    Add,
    /// A number and a term that is neither sum nor number, or several such terms (non-linear).
    Mul,
    /// Euclidean, as in SMT-LIB: the remainder is not negative.
    Div,
    Mod,
    /// An integer as a real.
    ToReal,
    Apply(FunId),
    /// Array, index.
    Select,
    /// Array, index, element.
    Store,
    /// The array of the term's sort with this element everywhere.
    ConstArray,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    Concat,
    /// Highest and lowest bit kept.
    Extract(u32, u32),
    /// Bits added on top.
    ZeroExt(u32),
    SignExt(u32),
    BvUle,
    BvUlt,
    BvSle,
    BvSlt,
    /// The unsigned value of a bit-vector.
    BvToInt,
    /// An integer modulo two to the width of the term's sort.
    IntToBv,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    op: Op,
    sort: Sort,
    start: u32,
    len: u32,
}

#[derive(Debug, Clone)]
struct Symbol {
    sort: Sort,
    term: TermId,
}

/// Signature of an uninterpreted function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub domain: Vec<Sort>,
    pub range: Sort,
}

type FxIndexMap<K, V> = IndexMap<K, V, FxBuildHasher>;

#[derive(Debug, Default)]
struct Inner {
    nodes: Vec<Node>,
    /// Hash of each node, so that growing the table does not visit the nodes.
    hashes: Vec<u32>,
    args: Vec<TermId>,
    table: HashTable<TermId>,
    symbols: FxIndexMap<Arc<str>, Symbol>,
    functions: FxIndexMap<Arc<str>, Arc<Signature>>,
    arrays: IndexSet<(Sort, Sort), FxBuildHasher>,
    numbers: IndexSet<Rat, FxBuildHasher>,
    fresh: u64,
}

/// A store of terms.
#[derive(Debug)]
pub struct Terms {
    inner: RefCell<Inner>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

const FALSE: TermId = TermId(0);
const TRUE: TermId = TermId(1);

fn hash_node(op: Op, sort: Sort, args: &[TermId]) -> u32 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    // The sort follows from the rest except for numbers and constant arrays.
    if args.len() <= 1 {
        sort.hash(&mut hasher);
    }
    for arg in args {
        hasher.write_u32(arg.0);
    }
    (hasher.finish() >> 32) as u32
}

/// The table wants both ends of a 64-bit hash to be well mixed.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Inner {
    fn args_of(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term.index()];
        &self.args[node.start as usize..(node.start + node.len) as usize]
    }
}

impl Terms {
    pub fn new() -> Self {
        let terms = Terms { inner: RefCell::new(Inner::default()) };
        let f = terms.mk(Op::False, &[], Sort::Bool);
        let t = terms.mk(Op::True, &[], Sort::Bool);
        assert_eq!((f, t), (FALSE, TRUE));
        terms
    }

    /// Number of terms in the store.
    pub fn len(&self) -> usize {
        self.inner.borrow().nodes.len()
    }

    /// A store always holds `true` and `false`.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Makes or finds the term. Callers are the normalising constructors of this crate.
    pub(crate) fn mk(&self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        let inner = &mut *self.inner.borrow_mut();
        let hash = hash_node(op, sort, args);
        let (nodes, arena) = (&inner.nodes, &inner.args);
        let same = |t: &TermId| {
            let n = &nodes[t.index()];
            n.op == op && n.sort == sort && &arena[n.start as usize..(n.start + n.len) as usize] == args
        };
        if let Some(found) = inner.table.find(spread(hash), same) {
            return *found;
        }
        let id = TermId(u32::try_from(inner.nodes.len()).expect("fewer than 2^32 terms"));
        debug_assert!(args.iter().all(|a| *a < id), "arguments come before the term");
        let start = inner.args.len() as u32;
        inner.args.extend_from_slice(args);
        inner.nodes.push(Node { op, sort, start, len: args.len() as u32 });
        inner.hashes.push(hash);
        let hashes = &inner.hashes;
        inner.table.insert_unique(spread(hash), id, |t| spread(hashes[t.index()]));
        id
    }

    pub fn op(&self, term: TermId) -> Op {
        self.inner.borrow().nodes[term.index()].op
    }

    pub fn sort(&self, term: TermId) -> Sort {
        self.inner.borrow().nodes[term.index()].sort
    }

    /// The arguments, copied.
    pub fn args(&self, term: TermId) -> Args {
        Args::from_slice(self.inner.borrow().args_of(term))
    }

    /// The argument at a position, which must exist.
    pub fn arg(&self, term: TermId, position: usize) -> TermId {
        self.inner.borrow().args_of(term)[position]
    }

    /// Calls `f` with each argument; it must not make terms.
    pub fn for_each_arg(&self, term: TermId, mut f: impl FnMut(TermId)) {
        for arg in self.inner.borrow().args_of(term) {
            f(*arg);
        }
    }

    /// The sort of arrays from `index` to `element`.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        let (position, _) = self.inner.borrow_mut().arrays.insert_full((index, element));
        Sort::Array(ArraySort(position as u32))
    }

    /// Index and element sort of an array sort.
    pub fn array_parts(&self, sort: Sort) -> Option<(Sort, Sort)> {
        match sort {
            Sort::Array(a) => self.inner.borrow().arrays.get_index(a.0 as usize).copied(),
            _ => None,
        }
    }

    /// The symbol of this name. A name has one sort: asking for it with another is a bug of the caller, who can
    /// look first with [`Terms::find_symbol`].
    pub fn symbol(&self, name: &str, sort: Sort) -> TermId {
        if let Some(term) = self.find_symbol(name) {
            assert_eq!(self.sort(term), sort, "the symbol {name} has another sort");
            return term;
        }
        let id = SymbolId(self.inner.borrow().symbols.len() as u32);
        let term = self.mk(Op::Symbol(id), &[], sort);
        self.inner.borrow_mut().symbols.insert(name.into(), Symbol { sort, term });
        term
    }

    /// The symbol of this name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<TermId> {
        self.inner.borrow().symbols.get(name).map(|s| s.term)
    }

    /// A symbol that did not exist before; its name starts with `prefix`.
    pub fn fresh(&self, prefix: &str, sort: Sort) -> TermId {
        loop {
            let number = {
                let mut inner = self.inner.borrow_mut();
                inner.fresh += 1;
                inner.fresh
            };
            let name = format!("{prefix}!{number}");
            if self.find_symbol(&name).is_none() {
                return self.symbol(&name, sort);
            }
        }
    }

    /// The symbol when the term is one.
    pub fn as_symbol(&self, term: TermId) -> Option<SymbolId> {
        match self.op(term) {
            Op::Symbol(id) => Some(id),
            _ => None,
        }
    }

    pub fn symbol_name(&self, symbol: SymbolId) -> Arc<str> {
        let inner = self.inner.borrow();
        Arc::clone(inner.symbols.get_index(symbol.index()).expect("a symbol of this store").0)
    }

    pub fn symbol_sort(&self, symbol: SymbolId) -> Sort {
        self.inner.borrow().symbols[symbol.index()].sort
    }

    pub fn symbol_term(&self, symbol: SymbolId) -> TermId {
        self.inner.borrow().symbols[symbol.index()].term
    }

    pub fn symbol_count(&self) -> usize {
        self.inner.borrow().symbols.len()
    }

    /// The uninterpreted function of this name. A name has one signature.
    pub fn function(&self, name: &str, domain: &[Sort], range: Sort) -> FunId {
        let mut inner = self.inner.borrow_mut();
        if let Some((position, _, signature)) = inner.functions.get_full(name) {
            assert!(
                signature.domain == domain && signature.range == range,
                "the function {name} has another signature"
            );
            return FunId(position as u32);
        }
        let signature = Arc::new(Signature { domain: domain.to_vec(), range });
        FunId(inner.functions.insert_full(name.into(), signature).0 as u32)
    }

    /// The function of this name, if there is one.
    pub fn find_function(&self, name: &str) -> Option<FunId> {
        self.inner.borrow().functions.get_index_of(name).map(|i| FunId(i as u32))
    }

    pub fn function_name(&self, function: FunId) -> Arc<str> {
        let inner = self.inner.borrow();
        Arc::clone(inner.functions.get_index(function.index()).expect("a function of this store").0)
    }

    pub fn signature(&self, function: FunId) -> Arc<Signature> {
        Arc::clone(&self.inner.borrow().functions[function.index()])
    }

    /// A number of an arithmetic or bit-vector sort. The caller has brought it into range.
    pub(crate) fn mk_number(&self, value: &Rat, sort: Sort) -> TermId {
        let op = match value.to_i64() {
            Some(n) => Op::Num(n),
            None => Op::BigNum(NumId(self.inner.borrow_mut().numbers.insert_full(value.clone()).0 as u32)),
        };
        self.mk(op, &[], sort)
    }

    /// The value of a number (integer, real, or unsigned value of a bit-vector).
    pub fn number(&self, term: TermId) -> Option<Rat> {
        let inner = self.inner.borrow();
        match inner.nodes[term.index()].op {
            Op::Num(n) => Some(Rat::from(n)),
            Op::BigNum(NumId(i)) => Some(inner.numbers[i as usize].clone()),
            _ => None,
        }
    }

    pub fn is_number(&self, term: TermId) -> bool {
        matches!(self.op(term), Op::Num(_) | Op::BigNum(_))
    }

    /// Every term reachable from the roots, arguments before the terms that use them, without repetition.
    pub fn postorder(&self, roots: &[TermId]) -> Vec<TermId> {
        let inner = self.inner.borrow();
        let mut seen: rustc_hash::FxHashSet<TermId> = roots.iter().copied().collect();
        let mut found: Vec<TermId> = seen.iter().copied().collect();
        let mut next = 0;
        while next < found.len() {
            let term = found[next];
            next += 1;
            for arg in inner.args_of(term) {
                if seen.insert(*arg) {
                    found.push(*arg);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids() {
        let t = Terms::new();
        let x = t.symbol("x", Sort::Int);
        assert_eq!(x, t.symbol("x", Sort::Int));
        assert_ne!(x, t.fresh("x", Sort::Int));
        let f = t.function("f", &[Sort::Int], Sort::Int);
        assert_eq!(t.apply(f, &[x]), t.apply(f, &[x]));
        assert_ne!(t.int(1), t.real(&Rat::ONE));
        let a = t.array_sort(Sort::Int, Sort::Bool);
        assert_eq!(t.array_parts(a), Some((Sort::Int, Sort::Bool)));
    }

    #[test]
    fn postorder_has_arguments_first() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let f = t.and([t.le(x, y), t.le(y, t.int(3))]);
        let order = t.postorder(&[f]);
        assert_eq!(order.last(), Some(&f));
        for (i, term) in order.iter().enumerate() {
            t.for_each_arg(*term, |a| assert!(order[..i].contains(&a)));
        }
    }
}
