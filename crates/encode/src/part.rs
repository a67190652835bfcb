//! What encoding one piece of program collects.
//!
//! An expression becomes a term, but some operations (remainders, products that wrap around, bit operations) are cut out into a
//! fresh symbol with axioms. These belong to the piece: interpolation between two pieces then meets no function that it
//! cannot treat. Equal operations on equal operands share their symbol within a piece.

use craig_cfa::TypeId;
use craig_logic::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation that was cut out, as the key of its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cut {
    /// Euclidean quotient by a positive number.
    Quotient,
    /// C's quotient.
    Truncated,
    And(u16),
    Or(u16),
    Xor(u16),
    Shl(u16),
    Shr(u16),
}

/// An access that may be one to an object that the environment gives ([`crate::memory::outside`]).
#[derive(Debug, Clone)]
pub struct Outside {
    /// Where the object begins, and its size.
    pub base: TermId,
    pub size: u64,
    /// It is such an access.
    pub here: TermId,
    /// It is, or it is one to something of the program.
    pub needs: TermId,
    /// What is read of it: where, as which type, and the value.
    pub read: Option<(TermId, TypeId, TermId)>,
}

/// What is found at an address.
#[derive(Debug, Clone, Copy)]
pub struct Read {
    pub address: TermId,
    pub ty: TypeId,
    pub value: TermId,
}

/// Constraints and symbols of a piece of program.
#[derive(Debug, Default)]
pub struct Part {
    /// Hold together with what the piece does. Those that define cut-out operations can be satisfied for all operands.
    pub constraints: Vec<TermId>,
    /// What the operation that was encoded last did with objects of the environment, and what it needs of them. Whoever encodes operations takes it out.
    pub outside: Vec<Outside>,
    /// What it read of memory that is told apart by addresses.
    pub reads: Vec<Read>,
    cuts: FxHashMap<(Cut, TermId, TermId), TermId>,
    bounded: FxHashSet<TermId>,
}

impl Part {
    pub fn new() -> Self {
        Part::default()
    }

    pub fn require(&mut self, terms: &Terms, constraint: TermId) {
        if !terms.is_true(constraint) {
            self.constraints.push(constraint);
        }
    }

    /// `low <= term <= high`.
    pub fn bound(&mut self, terms: &Terms, term: TermId, low: i128, high: i128) {
        self.require(terms, terms.le(number(terms, low), term));
        self.require(terms, terms.le(term, number(terms, high)));
    }

    /// The same, if this was not done before in this piece.
    pub(crate) fn bound_once(&mut self, terms: &Terms, term: TermId, low: i128, high: i128) {
        if self.bounded.insert(term) {
            self.bound(terms, term, low, high);
        }
    }

    /// The symbol of a cut-out operation, and whether it is new, so that the caller gives its axioms.
    pub(crate) fn cut(&mut self, terms: &Terms, cut: Cut, a: TermId, b: TermId) -> (TermId, bool) {
        let mut new = false;
        let symbol = *self.cuts.entry((cut, a, b)).or_insert_with(|| {
            new = true;
            terms.fresh("op", Sort::Int)
        });
        (symbol, new)
    }

    /// All constraints as one formula.
    pub fn formula(&self, terms: &Terms) -> TermId {
        terms.and(self.constraints.iter().copied())
    }
}

/// An integer numeral.
pub(crate) fn number(terms: &Terms, value: i128) -> TermId {
    match i64::try_from(value) {
        Ok(small) => terms.int(small),
        Err(_) => terms.numeral(&craig_logic::Rat::from_ibig(value.into()), Sort::Int),
    }
}
