//! All-SAT: the strongest Boolean combination of given predicates that a formula implies, as a BDD.
//!
//! The formula is what a session asserts. We keep the part of the assignments not looked at yet as a BDD and take
//! cubes from it: a refuted one removes everything that contains its core, so entailed and contradictory predicates
//! cost one query each; a satisfiable one gives a model, whose full assignment joins the result.
//!
//! Exact: an assignment is in the result only if some model has it. Dropping a literal from a model's assignment
//! without a check for the flipped one would admit states that do not exist (see the design on Boolean abstraction).

use crate::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfMemory};
use crate::session::{Answer, Reason, Session};
use craig_logic::{Evaluator, TermId, Terms};
use std::fmt;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllSatError {
    Solver(Reason),
    /// The BDD manager is full.
    OutOfMemory,
    /// More assignments than allowed.
    TooMany,
}

impl fmt::Display for AllSatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllSatError::Solver(reason) => write!(f, "{reason}"),
            AllSatError::OutOfMemory => f.write_str("the BDD manager is full"),
            AllSatError::TooMany => f.write_str("too many assignments"),
        }
    }
}

impl std::error::Error for AllSatError {}

impl From<OutOfMemory> for AllSatError {
    fn from(_: OutOfMemory) -> Self {
        AllSatError::OutOfMemory
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
    let mut result = bdds.constant(false);
    let mut open = bdds.constant(true);
    let mut found = 0;
    let term_of = |var: BddVar| predicates.iter().find(|(v, _)| *v == var).map(|(_, t)| *t);
    while let Some(cube) = bdds.pick(&open) {
        let literals: Vec<(TermId, (BddVar, bool))> = cube
            .iter()
            .filter_map(|(var, positive)| {
                let term = term_of(*var)?;
                Some((if *positive { term } else { terms.not(term) }, (*var, *positive)))
            })
            .collect();
        let assumptions: Vec<TermId> = literals.iter().map(|(t, _)| *t).collect();
        let assignment: Vec<(BddVar, bool)> = match session.check_assuming(&assumptions) {
            Answer::Unsat => {
                let core = session.core();
                literals.iter().filter(|(t, _)| core.contains(t)).map(|(_, l)| *l).collect()
            }
            Answer::Sat => {
                found += 1;
                if found > limit {
                    return Err(AllSatError::TooMany);
                }
                let Some(model) = session.model() else {
                    let words = "the model has values without a term".into();
                    return Err(AllSatError::Solver(Reason::GaveUp(words)));
                };
                let mut values = Evaluator::new(terms, &model);
                let full: Vec<(BddVar, bool)> =
                    predicates.iter().map(|(var, term)| (*var, values.holds(*term))).collect();
                result = result.or(&bdds.cube(&full)?)?;
                full
            }
            Answer::Unknown(reason) => return Err(AllSatError::Solver(reason)),
        };
        open = open.and(&bdds.cube(&assignment)?.not()?)?;
    }
    Ok(result)
}

/// The formula that a BDD over predicates stands for.
pub fn formula(
    terms: &Terms,
    bdds: &Bdds,
    predicates: &[(BddVar, TermId)],
    bdd: &Bdd,
) -> Result<TermId, OutOfMemory> {
    let cubes = bdds.cubes(bdd)?;
    let literal = |(var, positive): &(BddVar, bool)| {
        let (_, term) = predicates.iter().find(|(v, _)| v == var)?;
        Some(if *positive { *term } else { terms.not(*term) })
    };
    Ok(terms.or(cubes.iter().map(|cube| terms.and(cube.iter().filter_map(literal)))))
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
        let abstraction = formula(&t, &bdds, &predicates, &bdd).unwrap();
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
        assert_eq!(too_many.err(), Some(AllSatError::TooMany));
        session.assert(t.fls());
        let none = enumerate(&mut session, &t, &bdds, &predicates, 100).unwrap();
        assert!(!none.satisfiable());
    }
}
