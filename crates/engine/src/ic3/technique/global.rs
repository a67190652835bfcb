//! `global`, beyond the paper: obligations that follow each other are excluded together.
//!
//! Definition: the last few obligations of a run to the error at one location have a state each. What these states have in common though they differ is what the loop keeps: linear combinations of
//! numbers that have the same value in all of them, remainders of numbers that move by multiples of some `d`, and bounds that they have all gone beyond. A cube that says that of the states at hand, and what the obligation says of all
//! that does not move, is a conjecture: if it is relative inductive, it becomes a lemma. The same goes for literals of the last three obligations that differ in their constants only, by the same distance twice:
//! the combination of two such in which the constant stays is implied by the obligation and does not count on. So constants that count on (`i = 999`, `i = 997`, ..) end, as in GSpacer, where
//! clusters of lemmas are generalised by linear combinations.

use super::Technique;
use crate::ic3::cube::Cube;
use crate::ic3::queue::{Obligation, ObligationId};
use crate::ic3::{Engine, Met};
use crate::run::Observer;
use craig_cfa::LocId;
use craig_logic::{Linear, LinearLiteral, Rat, Relation, Sort, TermId, Terms, kernel};
use craig_verdict::Reason;
use rustc_hash::FxHashSet;

/// So many states are compared at most, and so many at least.
const POINTS: usize = 6;
const LEAST: usize = 3;
/// Numbers that move, of which combinations are looked for.
const MOVING: usize = 8;

/// Units of work for a question about a conjecture, as for one about a literal: remainders can be hard.
const WORK: u32 = 300_000;

/// Conjectures that were tried, with the level.
#[derive(Debug, Default)]
pub struct Conjectures(FxHashSet<(LocId, Cube, u32)>);

/// Adds the first conjecture about an obligation and those that it follows that holds, as a lemma. Each is tried once at a level.
pub fn conjecture(
    engine: &mut Engine<'_>,
    id: ObligationId,
    level: u32,
    observer: &mut dyn Observer,
) -> Result<(), Reason> {
    if !engine.on.has(Technique::Global) {
        return Ok(());
    }
    let (loc, mut found) = (engine.queue.get(id).loc, drifting(engine, id));
    found.extend(common(engine, id));
    for cube in found {
        if engine.frames.excluding(loc, level, &cube).is_some() {
            return Ok(());
        }
        if !engine.conjectures.0.insert((loc, cube.clone(), level)) {
            continue;
        }
        engine.tallies.tried(Technique::Global);
        if let Met::Excluded(needed) = engine.exclude(&cube, loc, level, WORK)? {
            engine.tallies.hit(Technique::Global, 0);
            return engine.learn(&cube, loc, level, needed, u32::MAX, observer);
        }
    }
    Ok(())
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

/// May the symbol count on? Variables that take few values go from one to another in no order.
fn counts(engine: &Engine<'_>, symbol: TermId) -> bool {
    engine.bench.slots.slot(symbol).is_none_or(|slot| engine.discrete.slots().all(|d| d != slot))
}

fn common(engine: &Engine<'_>, id: ObligationId) -> Vec<Cube> {
    let points = points(engine, id);
    if points.len() < LEAST {
        return Vec::new();
    }
    let terms = &engine.bench.terms;
    let (first, mut conjectures) = (points[0], Vec::new());
    // Numbers that move, with how far from state to state.
    let mut moving: Vec<(TermId, &Rat, Vec<Rat>)> = Vec::new();
    for (symbol, value) in first.state.iter().filter(|(symbol, _)| counts(engine, *symbol)) {
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
        for weights in kernel(&columns) {
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
    conjectures.extend(literals.into_iter().filter(says).map(|l| still.union(&Cube::new([l]))));
    // Where a number goes out of the bounds that runs keep; last, because such a lemma may count on as well.
    let numbers = first.state.iter().filter(|(s, _)| terms.sort(*s).is_arithmetic() && counts(engine, *s));
    for (symbol, value) in numbers.take(MOVING) {
        let bound = terms.numeral(value, terms.sort(*symbol));
        conjectures.extend([terms.le(*symbol, bound), terms.ge(*symbol, bound)].map(|l| Cube::new([l])));
    }
    conjectures
}

/// `linear relation 0`, where the constant moves by `step` from obligation to obligation.
#[derive(Debug, Clone)]
struct Drifting {
    linear: Linear,
    relation: Relation,
    step: Rat,
    sort: Sort,
}

/// What the linear literals of a cube say, two bounds that meet as an equation.
fn linear_literals(terms: &Terms, cube: &Cube) -> Vec<LinearLiteral> {
    let mut found: Vec<LinearLiteral> =
        cube.literals().iter().filter_map(|l| terms.linear_literal(*l)).collect();
    let opposite =
        |l: &LinearLiteral| LinearLiteral { linear: l.linear.scaled(&Rat::MINUS_ONE), ..l.clone() };
    let bounds: Vec<LinearLiteral> = found.iter().filter(|l| l.relation == Relation::Le).cloned().collect();
    let met = bounds.iter().filter(|l| {
        l.linear.terms.first().is_some_and(|t| t.1.is_positive()) && bounds.contains(&opposite(l))
    });
    found.extend(met.map(|l| LinearLiteral { relation: Relation::Eq, ..l.clone() }));
    found
}

/// Combinations of literals whose constants move in step from obligation to obligation.
fn drifting(engine: &Engine<'_>, id: ObligationId) -> Vec<Cube> {
    let points = points(engine, id);
    let [a, b, c, ..] = points[..] else { return Vec::new() };
    let terms = &engine.bench.terms;
    let [now, next, last] = [a, b, c].map(|o| linear_literals(terms, &o.cube));
    let constant = |all: &[LinearLiteral], l: &LinearLiteral| {
        let same = |o: &&LinearLiteral| o.relation == l.relation && o.linear.terms == l.linear.terms;
        all.iter().find(same).map(|o| o.linear.constant.clone())
    };
    let mut moving: Vec<Drifting> = Vec::new();
    for l in &now {
        if let (Some(second), Some(third)) = (constant(&next, l), constant(&last, l)) {
            let step = &l.linear.constant - &second;
            if !step.is_zero() && step == &second - &third && moving.len() < MOVING {
                moving.push(Drifting { linear: l.linear.clone(), relation: l.relation, step, sort: l.sort });
            }
        }
    }
    let still = a.cube.filter(|l| b.cube.contains(l) && c.cube.contains(l));
    let mut literals = Vec::new();
    for (i, g) in moving.iter().enumerate() {
        let step = g.step.abs();
        if g.relation == Relation::Eq && step.is_integer() && step > Rat::ONE && g.sort == Sort::Int {
            let sum = terms.from_linear(&Linear { constant: Rat::ZERO, ..g.linear.clone() }, g.sort);
            let remainder = terms.numeral(&(-&g.linear.constant).div_mod(&step).1, g.sort);
            literals.push(terms.eq(terms.modulo(sum, terms.numeral(&step, g.sort)), remainder));
        }
        for (j, f) in moving.iter().enumerate() {
            let bounds = f.relation == Relation::Le && g.relation == Relation::Le && i < j;
            let opposite = f.step.is_negative() != g.step.is_negative();
            if i == j || f.sort != g.sort || !(g.relation == Relation::Eq || bounds && opposite) {
                continue;
            }
            // |step of g| * f - (+-step of f) * g: the constant stays, and f keeps its direction.
            let weight = if g.step.is_negative() { f.step.clone() } else { -&f.step };
            let linear = f.linear.scaled(&step).plus(&weight, &g.linear);
            literals.push(LinearLiteral { linear, relation: f.relation, sort: f.sort }.to_term(terms));
        }
    }
    let says = |l: &TermId| !terms.is_true(*l) && !terms.is_false(*l);
    literals.into_iter().filter(says).map(|l| still.union(&Cube::new([l]))).collect()
}
