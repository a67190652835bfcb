//! Interpolants without what the next one does not need.
//!
//! A refutation says more than once what it uses more than once, and its formulas have what one of its cases needs. From the last cut to the first, each interpolant becomes
//! clauses ([`craig_smt::clauses`]), and of these only those stay that the next part and the next interpolant need, by the core of one question. Both sides stay
//! satisfied: what is left follows from the interpolant, and the next one follows from it.
//!
//! Where the formula speaks of discrete variables the clauses exclude their values one by one: `f != 5` may be all that is needed of `f == 1 || f == 2 || f == 3`.

use super::{Explained, Heuristic, Plan};
use crate::domains::Domain;
use crate::formulas::Formula;
use crate::path::{Path, PathPart};
use crate::refine::{Conflict, Refiner};
use craig_cfa::LocId;
use craig_logic::TermId;
use craig_smt::Status;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Refiner {
    /// Shortens the interpolants of all cuts of a conflict.
    pub(super) fn shorten(&mut self, path: &Path, conflict: &Conflict, plan: &Plan, found: &mut [Explained]) {
        let weaken = plan.weaken && self.heuristics.has(Heuristic::Weaken);
        debug_assert_eq!(found.len() + 1, conflict.parts.clone().count());
        let mut goal = self.terms.fls();
        for explained in found.iter_mut().rev() {
            let (here, next) = (&path.parts[explained.cut], &path.parts[explained.cut + 1]);
            let (loc, block) = (path.locs[explained.cut + 1], &path.blocks[explained.cut + 1].1);
            let domains = self.domains(explained.formula, loc, block);
            goal = self.needed_for(explained.formula, &domains, here, next, goal, weaken.then_some(loc));
            explained.formula = goal;
        }
    }

    /// The values of the variables of a formula that the next block takes for granted.
    fn domains(&self, formula: TermId, loc: LocId, next: &Formula) -> Vec<Domain> {
        let mut slots = self.slots.of(&self.terms, &[formula]);
        slots.retain(|slot| next.speaks_of.binary_search(slot).is_ok());
        slots.into_iter().filter_map(|slot| self.domains.of(loc, slot).map(Rc::clone)).collect()
    }

    /// What is needed of a formula behind a part so that the next part leads to the goal.
    fn needed_for(
        &mut self,
        formula: TermId,
        domains: &[Domain],
        here: &PathPart,
        next: &PathPart,
        goal: TermId,
        weaken: Option<LocId>,
    ) -> TermId {
        let terms = Rc::clone(&self.terms);
        if terms.is_true(formula) || terms.is_false(formula) {
            return formula;
        }
        let clauses = match domains.is_empty() {
            true => None,
            false => {
                let domains: Vec<&[TermId]> = domains.iter().map(|domain| &**domain).collect();
                self.clauses.within(&terms, formula, &domains)
            }
        };
        let clauses = clauses.unwrap_or_else(|| self.clauses.of(&terms, formula));
        let weaken = weaken.filter(|loc| self.has_bounds(&clauses, *loc));
        if let [single] = clauses[..]
            && weaken.is_none()
        {
            return single;
        }
        let mut session = self.smt.session();
        session.assert(next.formula);
        session.assert(terms.not(self.paths.behind(goal, next)));
        let behind: Vec<TermId> = clauses.iter().map(|c| self.paths.behind(*c, here)).collect();
        match session.check_assuming(&behind) {
            Status::Unsat => {
                let core: FxHashSet<TermId> = session.core().into_iter().collect();
                let needed = clauses.iter().zip(&behind).filter(|(_, b)| core.contains(b));
                let mut needed: Vec<TermId> = needed.map(|(clause, _)| *clause).collect();
                if let Some(loc) = weaken {
                    self.weaken(&mut session, &mut needed, loc, here);
                }
                terms.and(needed)
            }
            Status::Sat | Status::Unknown(_) => formula,
        }
    }
}
