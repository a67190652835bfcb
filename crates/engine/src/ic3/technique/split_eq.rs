//! `split-eq`, beyond the paper: an equation of numbers is two literals.
//!
//! Definition: `x = c` in a cube becomes `x <= c` and `x >= c`, of which generalisation may drop one. Not for variables that take few values: there the equation
//! is what matters.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use craig_logic::{Rat, Relation};

pub fn split(engine: &mut Engine<'_>, cube: Cube) -> Cube {
    if !engine.on.has(Technique::SplitEq) {
        return cube;
    }
    let (terms, slots) = (&engine.bench.terms, &engine.bench.slots);
    let mut literals = Vec::new();
    for &literal in cube.literals() {
        let discrete = |slot: &u32| engine.discrete.slots().any(|d| d == *slot);
        match terms.linear_literal(literal) {
            Some(found)
                if found.relation == Relation::Eq && !slots.of(terms, &[literal]).iter().all(discrete) =>
            {
                literals.push(terms.le_zero(&found.linear, found.sort, false));
                literals.push(terms.le_zero(&found.linear.scaled(&Rat::MINUS_ONE), found.sort, false));
            }
            _ => literals.push(literal),
        }
    }
    let split = Cube::new(literals);
    engine.tallies.tried(Technique::SplitEq);
    if split != cube {
        engine.tallies.hit(Technique::SplitEq, 0);
    }
    split
}
