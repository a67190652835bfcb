//! What engines that work on one task tell each other: formulas that may hold at locations.
//!
//! Interpolants of one are candidates for lemmas of another, lemmas are candidates for interpolants. Nobody relies on them: who takes one asks whether it holds. Engines have terms of their own, so formulas travel as
//! text over the symbols of the state, which have the same names everywhere.

use craig_cfa::LocId;
use craig_encode::Arith;
use craig_logic::{TermId, Terms};
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many are kept; later ones are lost.
const KEPT: usize = 2000;
/// Larger formulas are of no use to others.
const NODES: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Fact {
    arith: Arith,
    loc: LocId,
    text: Arc<str>,
}

#[derive(Debug, Default)]
struct Board {
    /// In the order in which they came, each with who gave it.
    facts: Vec<(u32, Fact)>,
    known: FxHashSet<Fact>,
    members: u32,
}

/// The formulas of all who work on a task.
#[derive(Debug, Default)]
pub struct Facts(Mutex<Board>);

impl Facts {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one engine among those.
#[derive(Debug)]
pub struct Member {
    facts: Arc<Facts>,
    me: u32,
    arith: Arith,
    seen: usize,
}

impl Member {
    pub fn new(facts: &Arc<Facts>, arith: Arith) -> Member {
        let mut board = facts.board();
        board.members += 1;
        let me = board.members;
        drop(board);
        Member { facts: Arc::clone(facts), me, arith, seen: 0 }
    }

    /// Tells the others.
    pub fn give(&self, terms: &Terms, loc: LocId, formula: TermId) {
        if terms.is_true(formula) || terms.is_false(formula) || terms.postorder(&[formula]).len() > NODES {
            return;
        }
        let fact = Fact { arith: self.arith, loc, text: terms.smt(formula).into() };
        let mut board = self.facts.board();
        if board.facts.len() < KEPT && board.known.insert(fact.clone()) {
            board.facts.push((self.me, fact));
        }
    }

    /// What others told since this was asked last.
    pub fn take(&mut self, terms: &Terms) -> Vec<(LocId, TermId)> {
        let board = self.facts.board();
        let news = board.facts[self.seen..].iter().filter(|(by, f)| *by != self.me && f.arith == self.arith);
        let found =
            news.filter_map(|(_, fact)| Some((fact.loc, terms.read_term(&fact.text).ok()?))).collect();
        self.seen = board.facts.len();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn others_hear_what_is_said_once() {
        let facts: Arc<Facts> = Arc::default();
        let [mut a, mut b] = [(); 2].map(|()| Member::new(&facts, Arith::Int));
        let mut other = Member::new(&facts, Arith::Bv);
        let (mine, yours) = (Terms::new(), Terms::new());
        let [x, _] = [&mine, &yours].map(|t| t.symbol("x", Sort::Int));
        let loc = LocId::from_raw(7);
        let fact = mine.le(x, mine.int(3));
        a.give(&mine, loc, fact);
        a.give(&mine, loc, fact);
        a.give(&mine, loc, mine.tru());
        assert_eq!(a.take(&mine), []);
        let heard: Vec<(LocId, String)> = b.take(&yours).iter().map(|(l, f)| (*l, yours.smt(*f))).collect();
        assert_eq!(heard, [(loc, mine.smt(fact))]);
        assert_eq!(b.take(&yours), []);
        assert_eq!(other.take(&yours), []);
        // Of symbols that are not known nothing can be said.
        let z = mine.symbol("z", Sort::Int);
        a.give(&mine, loc, mine.le(z, mine.int(3)));
        assert_eq!(b.take(&yours), []);
    }
}
