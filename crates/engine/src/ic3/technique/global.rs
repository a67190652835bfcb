//! `global`, beyond the paper: obligations that follow each other are excluded together.
//!
//! Definition: the last few obligations of a run to the error at one location have a state each. What these states have in common though they differ is what the loop keeps: linear combinations of
//! numbers that have the same value in all of them, and remainders of numbers that move by multiples of some `d`. A cube that says that of the states at hand, and what the obligation says of all
//! that does not move, is a conjecture: if it is relative inductive, it becomes a lemma. So constants that count on (`i = 999`, `i = 997`, ..) end, as in GSpacer, where
//! clusters of lemmas are generalised by linear combinations.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::queue::{Obligation, ObligationId};
use craig_cfa::LocId;
use craig_logic::{Linear, Rat, Sort, TermId};
use rustc_hash::FxHashSet;

/// So many states are compared at most, and so many at least.
const POINTS: usize = 6;
const LEAST: usize = 3;
/// Numbers that move, of which combinations are looked for.
const MOVING: usize = 8;

/// Conjectures that were tried, with the level.
#[derive(Debug, Default)]
pub struct Conjectures(FxHashSet<(LocId, Cube, u32)>);

/// Cubes that may exclude an obligation and those that it follows; each is given once for a level.
pub fn conjectures(engine: &mut Engine<'_>, id: ObligationId, level: u32) -> Vec<Cube> {
    if !engine.on.has(Technique::Global) {
        return Vec::new();
    }
    let (loc, found) = (engine.queue.get(id).loc, common(engine, id));
    let fresh = found.into_iter().filter(|c| engine.conjectures.0.insert((loc, c.clone(), level)));
    fresh.collect()
}

/// The states of the obligation and of its successors at the same location.
fn points<'a>(engine: &'a Engine<'_>, id: ObligationId) -> Vec<&'a Obligation> {
    let first = engine.queue.get(id);
    let mut found = vec![first];
    let mut at = first;
    while found.len() < POINTS
        && let Some(next) = at.next.1
    {
        at = engine.queue.get(next);
        if at.loc == first.loc {
            found.push(at);
        }
    }
    found
}

fn common(engine: &Engine<'_>, id: ObligationId) -> Vec<Cube> {
    let points = points(engine, id);
    if points.len() < LEAST {
        return Vec::new();
    }
    let terms = &engine.bench.terms;
    let first = points[0];
    // Numbers that move, with how far from state to state.
    let mut moving: Vec<(TermId, &Rat, Vec<Rat>)> = Vec::new();
    for (symbol, value) in first.state.iter() {
        let values: Option<Vec<&Rat>> = points.iter().map(|p| p.value(*symbol)).collect();
        let Some(values) = values else { continue };
        let moves: Vec<Rat> = values.windows(2).map(|w| w[1] - w[0]).collect();
        if moves.iter().any(|m| !m.is_zero()) && moving.len() < MOVING {
            moving.push((*symbol, value, moves));
        }
    }
    let still = first.cube.filter(|l| {
        let symbols = terms.symbols_of(l);
        moving.iter().all(|(s, ..)| terms.as_symbol(*s).is_none_or(|s| symbols.binary_search(&s).is_err()))
    });
    let mut literals = Vec::new();
    for (symbol, value, moves) in &moving {
        let step = moves.iter().fold(Rat::ZERO, |gcd, m| if gcd.is_zero() { m.abs() } else { gcd.gcd(m) });
        if step.is_integer() && step > Rat::ONE && terms.sort(*symbol) == Sort::Int {
            let remainder = terms.numeral(&value.div_mod(&step).1, Sort::Int);
            literals.push(terms.eq(terms.modulo(*symbol, terms.numeral(&step, Sort::Int)), remainder));
        }
    }
    for sort in [Sort::Int, Sort::Real] {
        let of_sort: Vec<_> = moving.iter().filter(|(s, ..)| terms.sort(*s) == sort).collect();
        let columns: Vec<&[Rat]> = of_sort.iter().map(|(.., moves)| &moves[..]).collect();
        for weights in kept(&columns) {
            let mut linear = Linear::default();
            for ((symbol, value, _), weight) in of_sort.iter().zip(&weights) {
                linear = linear.plus(weight, &Linear::monomial(*symbol));
                linear.constant = &linear.constant - &(*value * weight);
            }
            literals.push(terms.eq_zero(&linear, sort));
            literals.push(terms.le_zero(&linear, sort, false));
            literals.push(terms.le_zero(&linear.scaled(&Rat::MINUS_ONE), sort, false));
        }
    }
    let says = |l: &TermId| !terms.is_true(*l) && !terms.is_false(*l);
    literals.into_iter().filter(says).map(|l| still.union(&Cube::new([l]))).collect()
}

/// Weights of the columns with which their sum is zero in every row; each but the first few columns is one, alone with those.
fn kept(columns: &[&[Rat]]) -> Vec<Vec<Rat>> {
    let rows = columns.first().map_or(0, |c| c.len());
    let mut matrix: Vec<Vec<Rat>> =
        (0..rows).map(|r| columns.iter().map(|c| c[r].clone()).collect()).collect();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns.len() {
        let row = pivots.len();
        let Some(found) = (row..rows).find(|r| !matrix[*r][column].is_zero()) else { continue };
        matrix.swap(row, found);
        let inverse = matrix[row][column].recip();
        matrix[row].iter_mut().for_each(|x| *x = &*x * &inverse);
        let pivot = matrix[row].clone();
        for (r, other) in matrix.iter_mut().enumerate() {
            let factor = other[column].clone();
            if r != row && !factor.is_zero() {
                other.iter_mut().zip(&pivot).for_each(|(x, p)| *x = &*x - &(&factor * p));
            }
        }
        pivots.push(column);
    }
    let free = (0..columns.len()).filter(|c| !pivots.contains(c));
    let weights = |free: usize| {
        let mut weights = vec![Rat::ZERO; columns.len()];
        weights[free] = Rat::ONE;
        for (row, pivot) in pivots.iter().enumerate() {
            weights[*pivot] = -&matrix[row][free];
        }
        weights
    };
    free.map(weights).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_motions_keep() {
        let row = |numbers: &[i64]| numbers.iter().map(|n| Rat::from(*n)).collect::<Vec<_>>();
        // x by 1, y by 2: y - 2x stays.
        let (x, y) = (row(&[1, 1]), row(&[2, 2]));
        assert_eq!(kept(&[&x, &y]), [row(&[-2, 1])]);
        // (1, 2, 1) and (2, 1, 1): a + b - 3c stays.
        let (a, b, c) = (row(&[1, 2, 1]), row(&[2, 1, 2]), row(&[1, 1, 1]));
        let found = kept(&[&a, &b, &c]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0][0], found[0][1]);
        assert_eq!(&found[0][0] * &Rat::from(-3), found[0][2]);
        assert_eq!(kept(&[&a, &b]), Vec::<Vec<Rat>>::new());
        assert_eq!(kept(&[]), Vec::<Vec<Rat>>::new());
    }
}
