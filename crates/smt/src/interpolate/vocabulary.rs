//! Which symbols may occur in the interpolant of a cut.

use craig_logic::{FunId, Op, SymbolId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// A set of symbols and functions, with the terms already looked at.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub symbols: FxHashSet<SymbolId>,
    pub functions: FxHashSet<FunId>,
    known: RefCell<FxHashMap<TermId, bool>>,
}

impl Vocabulary {
    /// What occurs in the terms.
    pub fn of(terms: &Terms, roots: &[TermId]) -> Vocabulary {
        Vocabulary {
            symbols: terms.symbols_of_all(roots).into_iter().collect(),
            functions: terms.functions_of_all(roots).into_iter().collect(),
            known: RefCell::default(),
        }
    }

    /// What occurs in both.
    pub fn shared(&self, other: &Vocabulary) -> Vocabulary {
        Vocabulary {
            symbols: self.symbols.intersection(&other.symbols).copied().collect(),
            functions: self.functions.intersection(&other.functions).copied().collect(),
            known: RefCell::default(),
        }
    }

    /// Whether the term has no other symbols and functions.
    pub fn covers(&self, terms: &Terms, term: TermId) -> bool {
        if let Op::Symbol(symbol) = terms.op(term) {
            return self.symbols.contains(&symbol);
        }
        if let Some(known) = self.known.borrow().get(&term) {
            return *known;
        }
        let covered = terms.postorder(&[term]).into_iter().all(|t| match terms.op(t) {
            Op::Symbol(symbol) => self.symbols.contains(&symbol),
            Op::Apply(function) => self.functions.contains(&function),
            _ => true,
        });
        self.known.borrow_mut().insert(term, covered);
        covered
    }

    /// The symbols of the terms that are not in this set, ascending.
    pub fn others(&self, terms: &Terms, roots: &[TermId]) -> Vec<SymbolId> {
        let mut all = terms.symbols_of_all(roots);
        all.retain(|s| !self.symbols.contains(s));
        all
    }
}
