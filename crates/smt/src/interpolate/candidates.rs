//! Candidates: formulas that may be the interpolant of a cut, worth a try before or instead of one that is computed.
//!
//! They are the interpolant of the cut before, renamed (a valid repetition is an inductive invariant found at once), and what the caller knows.

use super::prover::Prover;
use super::vocabulary::Vocabulary;
use super::{Hints, Interpolants, Method, Options, Origin, Tree, tidy};
use crate::session::Smt;
use craig_logic::{Substitution, TermId, Terms};

/// What may fit at a cut: the interpolants before, renamed, and what the caller knows.
pub fn known(
    terms: &Terms,
    tree: &Tree,
    hints: &Hints,
    shared: &[Vocabulary],
    node: usize,
    found: &[TermId],
) -> Known {
    let mut renamed = Vec::new();
    for child in tree.children(node) {
        if let (Some(from), Some(to)) = (hints.states.get(child), hints.states.get(node))
            && from.len() == to.len()
        {
            let map: Substitution = from.iter().copied().zip(to.iter().copied()).collect();
            renamed.push(terms.substitute(found[child], &map));
        }
    }
    let told = hints.candidates.get(node).map(Vec::as_slice).unwrap_or(&[]);
    let usable = |t: &TermId| !terms.is_true(*t) && !terms.is_false(*t) && shared[node].covers(terms, *t);
    Known {
        renamed: tidy::unique(renamed.into_iter().filter(usable).collect()),
        told: tidy::unique(told.iter().copied().filter(usable).collect()),
    }
}

/// Formulas over the symbols of a cut that may be its interpolant.
pub struct Known {
    /// Each alone.
    renamed: Vec<TermId>,
    /// As many as hold together.
    told: Vec<TermId>,
}

impl Known {
    fn contains(&self, formula: TermId) -> bool {
        self.renamed.contains(&formula)
    }

    fn is_empty(&self) -> bool {
        self.renamed.is_empty() && self.told.is_empty()
    }
}

/// What follows from the left and contradicts the right. Two questions decide about a candidate.
pub fn fitting(prover: &mut Prover, known: &Known, left: &[TermId], right: &[TermId]) -> Option<TermId> {
    for candidate in &known.renamed {
        if prover.unsat(right, &[*candidate]) && prover.implied(left, *candidate) {
            return Some(*candidate);
        }
    }
    // Of what the caller knows, all that holds on the left, if together it is enough.
    if known.told.is_empty() || !prover.unsat(right, &known.told) {
        return None;
    }
    let mut holding = known.told.clone();
    holding.retain(|fact| prover.implied(left, *fact));
    if !prover.unsat(right, &holding) {
        return None;
    }
    let core = prover.core();
    holding.retain(|f| core.contains(f));
    Some(tidy::conjunction(&prover.terms, &holding))
}

/// Interpolants of a refutation, with what is known in their place where that does as well: it follows from what is before, and the interpolant
/// behind follows from it. Both are questions about one part, so they are cheap where the whole is not.
pub fn simpler(
    smt: &Smt,
    tree: &Tree,
    hints: &Hints,
    options: &Options,
    shared: &[Vocabulary],
    mut formulas: Vec<TermId>,
) -> Interpolants {
    let terms = smt.terms();
    let mut prover = None;
    let mut origins = Vec::new();
    for node in 0..tree.root() {
        let here = formulas[node];
        let trivial = terms.is_true(here) || terms.is_false(here);
        let mut origin = if trivial { Origin::Core } else { Origin::Computed(Method::Proof) };
        if options.candidates && !trivial {
            let known = known(terms, tree, hints, shared, node, &formulas);
            if known.contains(here) {
                origin = Origin::Candidate;
            } else if !known.is_empty() {
                let prover = prover.get_or_insert_with(|| Prover::new(smt));
                let below: Vec<TermId> =
                    tree.children(node).map(|c| formulas[c]).chain([tree.formulas[node]]).collect();
                let parent = tree.parents[node];
                let mut behind = vec![tree.formulas[parent]];
                behind.extend(tree.children(parent).filter(|c| *c != node).map(|c| formulas[c]));
                behind.extend(formulas.get(parent).map(|f| terms.not(*f)));
                if let Some(found) = fitting(prover, &known, &below, &behind) {
                    formulas[node] = found;
                    origin = Origin::Candidate;
                }
            }
        }
        origins.push(origin);
    }
    Interpolants { formulas, origins }
}
