//! Cubes: conjunctions of literals over the symbols of the state. A lemma is the negation of one.

use craig_logic::{TermId, Terms};
use std::rc::Rc;

/// Literals, ascending, each once. The empty cube is every state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(Rc<[TermId]>);

impl Cube {
    pub fn new(literals: impl IntoIterator<Item = TermId>) -> Cube {
        let mut literals: Vec<TermId> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.dedup();
        Cube(literals.into())
    }

    /// Every state.
    pub fn all() -> Cube {
        Cube(Rc::new([]))
    }

    /// The conjuncts of a formula without disjunctions; `None` if it has some.
    pub fn of(terms: &Terms, formula: TermId) -> Option<Cube> {
        let literals = terms.conjuncts(formula);
        let plain = |literal: &TermId| !terms.is_connective(terms.atom(*literal).0);
        literals.iter().all(plain).then(|| Cube::new(literals.iter().copied().filter(|l| !terms.is_true(*l))))
    }

    pub fn literals(&self) -> &[TermId] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, literal: TermId) -> bool {
        self.0.binary_search(&literal).is_ok()
    }

    /// Are all literals among those of the other? Then its states are among mine.
    pub fn is_within(&self, other: &Cube) -> bool {
        let mut rest = other.0.iter();
        self.0.len() <= other.0.len()
            && self.0.iter().all(|mine| rest.by_ref().find(|o| *o >= mine) == Some(mine))
    }

    pub fn without(&self, literal: TermId) -> Cube {
        Cube(self.0.iter().copied().filter(|l| *l != literal).collect())
    }

    pub fn union(&self, other: &Cube) -> Cube {
        Cube::new(self.0.iter().chain(other.0.iter()).copied())
    }

    /// The literals for which `keep` says so.
    pub fn filter(&self, mut keep: impl FnMut(TermId) -> bool) -> Cube {
        Cube(self.0.iter().copied().filter(|l| keep(*l)).collect())
    }

    pub fn formula(&self, terms: &Terms) -> TermId {
        terms.and(self.0.iter().copied())
    }

    /// That a state is none of these.
    pub fn lemma(&self, terms: &Terms) -> TermId {
        terms.or(self.0.iter().map(|l| terms.not(*l)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn subsets_and_lemmas() {
        let terms = Terms::new();
        let [p, q, r] = ["p", "q", "r"].map(|n| terms.symbol(n, Sort::Bool));
        let (all, pq, pqr) = (Cube::all(), Cube::new([q, p, p]), Cube::new([r, q, p]));
        assert_eq!(pq.len(), 2);
        assert!(all.is_within(&pq) && pq.is_within(&pqr) && pq.is_within(&pq));
        assert!(!pqr.is_within(&pq) && !Cube::new([q, r]).is_within(&pq));
        assert_eq!(pqr.without(r), pq);
        assert_eq!(pq.union(&Cube::new([r])), pqr);
        assert!(terms.is_false(all.lemma(&terms)));
        assert_eq!(Cube::of(&terms, pq.formula(&terms)), Some(pq));
        assert_eq!(Cube::of(&terms, terms.or([p, terms.and([q, r])])), None);
    }
}
