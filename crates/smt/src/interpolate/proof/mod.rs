//! Interpolants of all cuts from one refutation.
//!
//! The parts become clauses ([`clauses`]) that a small solver which keeps its proof ([`sat`]) searches for models. What makes the parts true in
//! a model is held against arithmetic ([`theory`], [`bounds`]); what contradicts it becomes a lemma with a proof ([`lemma`]), and the search goes on. When
//! there is no model any more, interpolants are read off the refutation ([`partial`], [`graph`]): of all cuts at once, inductive by construction.
//!
//! Why it is cheap: a path of blocks is refuted once, at about the price of finding out that it is infeasible, where other layers ask the solver
//! again at each cut. What arrays hold joins in as facts about single elements ([`arrays`]). Why it is not the only layer: cuts through whole numbers that mix symbols of both sides, products, functions and bit-vectors are not
//! known here; terms of these kinds are taken as they are, and if that is not enough to refute the parts the layer says so.
//!
//! Equations stay atoms: splitting them into bounds takes fewer rounds and ruins the predicates that come of it (as a prototype showed).

mod arrays;
mod bounds;
mod clauses;
mod graph;
mod lemma;
mod partial;
mod sat;
mod theory;

use super::simplex::Effort;
use super::{Strength, Tree, Vocabulary};
use arrays::Arrays;
use clauses::Clauses;
use craig_logic::{TermId, Terms};
use sat::Answer;
use theory::{Found, Theory};

/// Interpolants for all nodes but the root, or why there are none. `shared` are the vocabularies of the cuts.
pub fn interpolate(
    terms: &Terms,
    tree: &Tree,
    shared: &[Vocabulary],
    strength: Strength,
    effort: &Effort,
) -> Result<Vec<TermId>, &'static str> {
    // Weak interpolants of a tree are not inductive ([`partial`]).
    let chain = tree.parents.iter().enumerate().all(|(child, parent)| *parent == child + 1);
    let strength = if strength == Strength::Weak && !chain { Strength::Simple } else { strength };
    let mut clauses = Clauses::new(terms);
    for (part, formula) in tree.formulas.iter().enumerate() {
        clauses.assert(*formula, part);
    }
    let mut theory = Theory::default();
    theory.prepare(&mut clauses);
    let mut arrays = Arrays::default();
    loop {
        match clauses.sat.solve(effort) {
            Answer::GivenUp => return Err("the clauses are too hard"),
            Answer::Refuted(empty) => {
                return Ok(partial::interpolants(&clauses, &theory.lemmas, tree, strength, empty));
            }
            Answer::Model => {}
        }
        let literals = clauses.justification();
        match theory.examine(&mut clauses, &literals, effort) {
            Found::More => {}
            Found::Possible if arrays.examine(&mut clauses, &theory, &literals, tree, shared) => {}
            Found::Possible => return Err("linear arithmetic and reads of arrays do not refute it"),
            Found::GivenUp(why) => return Err(why),
        }
    }
}
