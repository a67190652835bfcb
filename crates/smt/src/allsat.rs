//! All-SAT: the strongest Boolean combination of given predicates that a formula implies, as a BDD.
//!
//! The formula is what a session asserts. Models are taken, the assignment of each joins the result and is excluded by a
//! clause, until there is none: one query for each assignment, and one more. Predicates have proxies, of which assignments are read
//! and clauses are made ([`Session::proxies`]): no model is built, and no clause is simplified or kept as a term. (On the parallel port driver with
//! predicates for the whole program models were half of the time, most of that for making them compact, and of the rest two thirds
//! went into what is relevant in which clause: [`crate::Smt::enumerating_session`].)
//!
//! Tried and rejected: cubes of assumptions from a BDD of the assignments not looked at yet, pruned by cores (with many
//! predicates that exclude each other, `s = 1`, `s = 2`, .., every pair costs a query; in the solver one conflict does);
//! a query for each predicate first, to drop those that are entailed or refuted (they do not multiply assignments, and
//! mostly there are fewer assignments than predicates).
//!
//! Exact: an assignment is in the result only if some model has it. Dropping a literal from a model's assignment
//! without a check for the flipped one would admit states that do not exist.

#![allow(
    clippy::mutable_key_type,
    reason = "a BDD hashes by the node it names; only the count of its owners changes"
)]

use crate::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfNodes};
use crate::session::{Session, Status, Undecided};
use craig_logic::{TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllSatError {
    Undecided(Undecided),
    OutOfNodes(OutOfNodes),
    /// More assignments than allowed.
    TooMany {
        limit: usize,
    },
}

impl fmt::Display for AllSatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllSatError::Undecided(why) => write!(f, "{why}"),
            AllSatError::OutOfNodes(full) => write!(f, "{full}"),
            AllSatError::TooMany { limit } => write!(f, "more than {limit} assignments of predicates"),
        }
    }
}

impl std::error::Error for AllSatError {}

impl From<Undecided> for AllSatError {
    fn from(why: Undecided) -> Self {
        AllSatError::Undecided(why)
    }
}

impl From<OutOfNodes> for AllSatError {
    fn from(full: OutOfNodes) -> Self {
        AllSatError::OutOfNodes(full)
    }
}

/// The assignments of the predicates that the session's assertions allow. Each predicate has its own BDD variable;
/// more than `limit` assignments are an error.
pub fn enumerate(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    predicates: &[(BddVar, TermId)],
    limit: usize,
) -> Result<Bdd, AllSatError> {
    let literals = session.proxies(&predicates.iter().map(|(_, term)| *term).collect::<Vec<_>>());
    let vars: Vec<BddVar> = predicates.iter().map(|(var, _)| *var).collect();
    session.push();
    let result = search(session, terms, bdds, &vars, &literals, limit);
    session.pop();
    result
}

fn search(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    vars: &[BddVar],
    literals: &[TermId],
    limit: usize,
) -> Result<Bdd, AllSatError> {
    let mut result = bdds.constant(false);
    for _ in 0..=limit {
        match session.check() {
            Status::Unsat => return Ok(result),
            Status::Unknown(why) => return Err(why.into()),
            Status::Sat if vars.is_empty() => return Ok(bdds.constant(true)),
            Status::Sat => {}
        }
        let values = session.truths(literals).ok_or(Undecided::NoModel)?;
        let assignment: Vec<(BddVar, bool)> = vars.iter().copied().zip(values.iter().copied()).collect();
        let cube = bdds.cube(&assignment)?;
        result = bdds.within(|| result.or(&cube))?;
        let found = literals.iter().zip(values).map(|(l, value)| if value { *l } else { terms.not(*l) });
        session.exclude(&found.collect::<Vec<_>>());
    }
    Err(AllSatError::TooMany { limit })
}

/// The formula that a BDD over predicates stands for, linear in the nodes of the BDD.
pub fn formula(terms: &Terms, bdds: &Bdds, term_of: &dyn Fn(BddVar) -> TermId, bdd: &Bdd) -> TermId {
    // Nodes are hashed by their identity, which does not change.
    #[allow(clippy::mutable_key_type)]
    fn visit(
        terms: &Terms,
        bdds: &Bdds,
        term_of: &dyn Fn(BddVar) -> TermId,
        bdd: &Bdd,
        done: &mut FxHashMap<Bdd, TermId>,
    ) -> TermId {
        if let Some(known) = done.get(bdd) {
            return *known;
        }
        // No deeper than there are variables.
        let result = match bdds.split(bdd) {
            None => terms.bool(bdd.satisfiable()),
            Some((var, when_true, when_false)) => {
                let high = visit(terms, bdds, term_of, &when_true, done);
                let low = visit(terms, bdds, term_of, &when_false, done);
                terms.ite(term_of(var), high, low)
            }
        };
        done.insert(bdd.clone(), result);
        result
    }
    visit(terms, bdds, term_of, bdd, &mut FxHashMap::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Smt;
    use craig_base::Budget;
    use craig_logic::Sort;
    use std::rc::Rc;

    #[test]
    fn the_abstraction_is_exact() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).unwrap();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let bdds = Bdds::new(1 << 12, 1 << 10);
        let terms = [t.ge(x, t.int(0)), t.ge(x, t.int(5)), t.eq(x, y), t.ge(y, t.int(3)), t.le(x, t.int(9))];
        let predicates: Vec<(BddVar, TermId)> = terms.iter().map(|p| (bdds.new_var(), *p)).collect();
        let mut session = smt.session();
        session.assert(t.and([t.ge(x, t.int(1)), t.le(x, t.int(7))]));
        let bdd = enumerate(&mut session, &t, &bdds, &predicates, 100).unwrap();
        // Every assignment is in the result exactly when it has a model.
        for bits in 0..32u32 {
            let full: Vec<(BddVar, bool)> =
                predicates.iter().enumerate().map(|(i, (v, _))| (*v, bits >> i & 1 == 1)).collect();
            let literals: Vec<TermId> = full
                .iter()
                .zip(&terms)
                .map(|((_, positive), p)| if *positive { *p } else { t.not(*p) })
                .collect();
            let inside = bdds.cube(&full).unwrap().and(&bdd).unwrap().satisfiable();
            assert_eq!(inside, session.check_assuming(&literals).is_sat(), "{bits:05b}");
        }
        let term_of = |var| predicates.iter().find(|(v, _)| *v == var).unwrap().1;
        let abstraction = formula(&t, &bdds, &term_of, &bdd);
        session.assert(t.not(abstraction));
        assert!(session.check().is_unsat());
    }

    #[test]
    fn limits_and_contradictions() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).unwrap();
        let bdds = Bdds::new(1 << 12, 1 << 10);
        let predicates: Vec<(BddVar, TermId)> =
            (0..8).map(|i| (bdds.new_var(), t.symbol(&format!("p{i}"), Sort::Bool))).collect();
        let mut session = smt.session();
        let too_many = enumerate(&mut session, &t, &bdds, &predicates, 100);
        assert_eq!(too_many.err(), Some(AllSatError::TooMany { limit: 100 }));
        session.assert(t.fls());
        let none = enumerate(&mut session, &t, &bdds, &predicates, 100).unwrap();
        assert!(!none.satisfiable());
    }
}
