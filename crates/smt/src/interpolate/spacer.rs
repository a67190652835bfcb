//! Interpolants from Z3's Spacer.
//!
//! One uninterpreted relation per cut over the shared symbols; a rule per node says that the children's relations
//! and the node's formula give the node's relation; the query is the root. The formulas of the relations are
//! the interpolants. They are not trusted: the caller checks the four conditions before use.

use super::Tree;
use super::tidy;
use super::vocabulary::Vocabulary;
use crate::horn::{self, Clauses, FunctionsAsArrays, Rule, Solved};
use crate::session::Smt;
use craig_logic::TermId;

/// A formula per node, the root's being `false`; `shared` gives the vocabulary of each node's cut.
pub fn interpolate(smt: &Smt, tree: &Tree, shared: &[Vocabulary]) -> Result<Vec<TermId>, String> {
    let terms = &**smt.terms();
    // Functions that are shared are arguments, as arrays.
    let arrays = FunctionsAsArrays::new(terms, &tree.formulas);
    let root = tree.root();
    let arguments = |(node, vocabulary): (usize, &Vocabulary)| {
        let mut arguments: Vec<TermId> = vocabulary.symbols.iter().map(|s| terms.symbol_term(*s)).collect();
        arguments.extend(vocabulary.functions.iter().map(|f| arrays.symbol(*f)));
        arguments.sort_unstable();
        if node == root { Vec::new() } else { arguments }
    };
    let relations: Vec<Vec<TermId>> = shared.iter().enumerate().map(arguments).collect();
    let fact = |node: usize| (node, relations[node].clone());
    let rules = tree.formulas.iter().enumerate().map(|(node, formula)| Rule {
        from: tree.children(node).map(fact).collect(),
        formula: arrays.encode(terms, *formula),
        to: fact(node),
    });
    let clauses = Clauses { rules: rules.collect(), query: root, relations };
    let formulas = match horn::solve(smt, &clauses, false).map_err(|why| why.to_string())? {
        Solved::Empty(formulas) => formulas,
        Solved::Derived(_) => return Err("spacer found the problem satisfiable".into()),
    };
    let mut result = Vec::new();
    for (node, formula) in formulas.into_iter().enumerate() {
        if node == root {
            result.push(terms.fls());
            continue;
        }
        let decoded = arrays.decode(terms, formula)?;
        result.push(tidy::conjunction(terms, &terms.conjuncts(decoded)));
    }
    Ok(result)
}
