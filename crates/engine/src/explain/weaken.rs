//! Bounds in interpolants that are moved as far as the next interpolant allows.
//!
//! The numbers in an interpolant depend on the whole path: `x >= 372` behind one way to a location, `x >= 46` behind another, where all that the rest of both paths needs is `x >= -134`. Labels with other numbers
//! for the same reason do not cover each other, and split nodes again and again. From the last cut to the first, each bound of the clauses that are left ([`super::shorten`]) goes to the
//! furthest number with which the next part still leads to the next interpolant, so that it depends on the rest of the path alone.
//!
//! Where that only counts on, it is left alone: a bound that would get a third number at its location stays what the whole path made of it, and so do bounds of variables that take few values.
//!
//! The furthest number is looked for between the bound and the sum's value in a model without it, in halves: each step is one question about one part.

use crate::path::PathPart;
use crate::refine::Refiner;
use craig_cfa::LocId;
use craig_logic::{Evaluator, Linear, LinearLiteral, Rat, Relation, Sort, TermId, Value};
use craig_smt::{Session, Status};
use std::rc::Rc;

/// Clauses with more literals in all stay as they are: each may cost [`STEPS`] questions, and long ones are met once. With all of them the random programs of SLICE spent most of
/// their time here.
const LITERALS: usize = 8;
/// Questions about a bound: numbers of programs are not larger than some thousands. If these are not enough, the bound stays where it is known to be right.
const STEPS: usize = 14;
/// Work for a question; one that takes more ends the search for that bound. Some hundredths of a second.
const WORK: u32 = 200_000;

impl Refiner {
    /// Whether clauses at a location have bounds that may be moved, and are few enough for it.
    pub(super) fn has_bounds(&self, clauses: &[TermId], loc: LocId) -> bool {
        let literals: Vec<TermId> = clauses.iter().flat_map(|c| self.terms.disjuncts(*c).to_vec()).collect();
        literals.len() <= LITERALS && literals.iter().any(|l| self.bound(*l, loc).is_some())
    }

    /// The bound that a literal is, if it may be moved at a location.
    fn bound(&self, literal: TermId, loc: LocId) -> Option<LinearLiteral> {
        let bound = self.terms.linear_literal(literal)?;
        let discrete = |slot: &u32| self.discrete.atoms(*slot).next().is_some();
        let moves = bound.relation == Relation::Le
            && bound.sort == Sort::Int
            && !self.slots.of(&self.terms, &[literal]).iter().all(discrete)
            && !self.memory.moved.is_known(loc, &bound.linear);
        moves.then_some(bound)
    }

    /// Moves the bounds of clauses behind a part, at a location; the session knows what they contradict.
    pub(super) fn weaken(
        &mut self,
        session: &mut Session,
        clauses: &mut [TermId],
        loc: LocId,
        here: &PathPart,
    ) {
        let terms = Rc::clone(&self.terms);
        session.set_work_limit(WORK);
        for i in 0..clauses.len() {
            let mut literals: Vec<TermId> = terms.disjuncts(clauses[i]).to_vec();
            for j in 0..literals.len() {
                let Some(bound) = self.bound(literals[j], loc) else { continue };
                let clauses_left = clauses.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, c)| *c);
                let excluded = literals.iter().enumerate().filter(|(k, _)| *k != j);
                let rest = clauses_left.chain(excluded.map(|(_, l)| terms.not(*l)));
                let rest: Vec<TermId> = rest.map(|f| self.paths.behind(f, here)).collect();
                if let Some(room) = self.room(session, &rest, &bound, here) {
                    let moved = terms.le_zero(&shifted(&bound, &room), Sort::Int, false);
                    if self.memory.moved.note(&terms, loc, &[moved], |_| false) {
                        continue;
                    }
                    literals[j] = moved;
                    clauses[i] = terms.or(literals.iter().copied());
                }
            }
        }
    }

    /// By how much a bound can be moved; `None` if not at all, or if it is not needed.
    fn room(
        &self,
        session: &mut Session,
        rest: &[TermId],
        bound: &LinearLiteral,
        here: &PathPart,
    ) -> Option<Rat> {
        let terms = &self.terms;
        let sum = self.paths.behind(terms.from_linear(&bound.linear, Sort::Int), here);
        // The bound is `sum <= 0`. What it has to exclude has a sum of at least `low`, and of `high` at times.
        let mut low = Rat::ONE;
        let mut high: Option<Rat> = None;
        for step in 0..STEPS {
            let most = high.as_ref().map(|high| match step {
                // Models are mostly corners: the first may be the one.
                1 => high - &Rat::ONE,
                _ => ((&low + high) / Rat::from(2)).floor(),
            });
            let mut question = rest.to_vec();
            question.extend(most.as_ref().map(|most| {
                let below = terms.le_zero(&shifted(bound, most), Sort::Int, false);
                self.paths.behind(below, here)
            }));
            match (session.check_assuming(&question), most) {
                (Status::Sat, _) => {
                    let model = session.model()?;
                    let Value::Num(value) = Evaluator::new(terms, &model).eval(sum) else { return None };
                    high = Some(value);
                }
                (Status::Unsat, Some(most)) => low = &most + &Rat::ONE,
                (Status::Unsat, None) => return None,
                (Status::Unknown(_), _) => break,
            }
            if high.as_ref().is_some_and(|high| *high <= low) {
                break;
            }
        }
        (low > Rat::ONE).then(|| low - Rat::ONE)
    }
}

/// The left side of a bound, less by a number.
fn shifted(bound: &LinearLiteral, by: &Rat) -> Linear {
    Linear { constant: &bound.linear.constant - by, ..bound.linear.clone() }
}
