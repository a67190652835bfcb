//! The four conditions of an interpolant, asked of the solver.

use super::Tree;
use super::vocabulary::Vocabulary;
use crate::session::{Smt, Undecided};
use craig_logic::TermId;
use std::fmt;

/// What is wrong with interpolants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The interpolant of this node uses a symbol that is not shared.
    Vocabulary(usize),
    /// The interpolants of the children and the formula of this node do not imply its interpolant. With an empty
    /// left side this is "A implies I"; along a sequence it is inductiveness; at the root "I and B are unsatisfiable".
    Step(usize),
    /// Not decided.
    Unknown(usize, Undecided),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Vocabulary(node) => write!(f, "interpolant {node} uses a symbol that is not shared"),
            Violation::Step(node) => write!(f, "interpolant {node} does not follow from those before it"),
            Violation::Unknown(node, reason) => {
                write!(f, "interpolant {node} could not be checked: {reason}")
            }
        }
    }
}

impl std::error::Error for Violation {}

/// Checks one formula per node (the root's must be `false`). Steps that all hold imply that each interpolant follows
/// from its subtree and contradicts the rest.
pub fn check(
    smt: &Smt,
    tree: &Tree,
    shared: &[Vocabulary],
    interpolants: &[TermId],
) -> Result<(), Violation> {
    let terms = smt.terms();
    for node in 0..tree.formulas.len() {
        let interpolant = interpolants[node];
        let is_root = node == tree.root();
        if is_root && !terms.is_false(interpolant) {
            return Err(Violation::Step(node));
        }
        if !is_root && !shared[node].covers(terms, interpolant) {
            return Err(Violation::Vocabulary(node));
        }
        if terms.is_true(interpolant) {
            continue;
        }
        let mut premises = vec![tree.formulas[node]];
        premises.extend(tree.children(node).map(|c| interpolants[c]));
        match smt.entails(&premises, interpolant) {
            Ok(true) => {}
            Ok(false) => return Err(Violation::Step(node)),
            Err(reason) => return Err(Violation::Unknown(node, reason)),
        }
    }
    Ok(())
}
