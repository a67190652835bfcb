//! `interpolate`: interpolants instead of subsets.
//!
//! Definition (IC3CFA, interpolation): what excludes the cube need not be a subset of its literals. With `A` the cube behind the edge and `B` the frame before it and the edge, an interpolant is implied by the
//! cube and still excluded. Over a loop `B` has the negated cube as well. What excludes it over all edges is the conjunction of their interpolants; of one that is no cube
//! each disjunct is excluded.
//!
//! Two kinds of interpolants are looked for. First, of an obligation that is new, sums of two bounds that it has, or of all: the cube implies them, and a question for each edge tells whether they are excluded. Where what the bounds
//! are about moves in step (`i >= 200` and `j <= 99`, then `i >= 199` and `j <= 98`, ..) the sum stays (`i - j >= 101`), and one lemma excludes all of these obligations, as the paper's `y <= 0` does. Then, of what is left of the
//! cube after literals were dropped, which is less to interpolate, those that our own refutation of the step gives (`smt::interpolate`, method `proof`), as large as possible, without any question to Z3.
//!
//! These lie close to the frame: at an obligation that comes back at every level they may count on with it (`x >= 3`, `x >= 5`, ..). Then subsets of the cube, whose
//! constants are those of the program, have their turn. Sums get one try.
//!
//! Measured on the set `ic3` (3 to 5 s of CPU time, the first of these 10 s): interpolants of the layer `farkas`, which asks Z3, 94 solved and 32,996 calls; of `proof` without sums 91 (seq, down and fragtest_simple lost, whose sums `farkas` finds by
//! chance) and 14,879; of `proof` with sums 94 and 6,890. Rejected: `farkas` for obligations that come back (nested takes 6,806 calls instead of 1,756); sums for these as well (1,756 instead of 1,284).

use super::Technique;
use crate::ic3::cube::Cube;
use crate::ic3::{Engine, Met};
use craig_cfa::LocId;
use craig_logic::{Linear, LinearLiteral, Rat, Relation, TermId};
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant, Options, Strength};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// An obligation that was met so often gets no more interpolants.
const OFTEN: u32 = 3;

/// Entries of linear programs for an interpolant: tens of milliseconds. Frames have many disjunctions, and their programs may get large.
const ENTRIES: u64 = 1_000_000;

/// Where so many more cubes had no interpolant, or none that is larger, than had one, no more are tried.
const PATIENCE: usize = 8;

/// Units of work for a question about a sum.
const WORK: u32 = 300_000;
/// Sums that are tried for one cube.
const SUMS: usize = 8;

/// What is known of a location.
#[derive(Debug, Default)]
struct Place {
    /// Cubes in vain: the frames of the next level are hardly other ones.
    barren: FxHashSet<Cube>,
    found: usize,
    /// Cubes of which no sum is excluded.
    apart: FxHashSet<Cube>,
    summed: usize,
}

#[derive(Debug, Default)]
pub struct Places(FxHashMap<LocId, Place>);

/// The cube, or larger ones that contain it and are excluded, too.
pub fn weaken(
    engine: &mut Engine<'_>,
    loc: LocId,
    level: u32,
    cube: Cube,
    met: u32,
) -> Result<Vec<Cube>, Reason> {
    if !engine.on.has(Technique::Interpolate) || met >= OFTEN || !worth(engine, &cube) {
        return Ok(vec![cube]);
    }
    let place = engine.interpolated.0.entry(loc).or_default();
    if place.barren.contains(&cube) || place.barren.len() >= PATIENCE + place.found {
        return Ok(vec![cube]);
    }
    engine.tallies.tried(Technique::Interpolate);
    let larger = larger(engine, loc, level, &cube)?;
    let place = engine.interpolated.0.entry(loc).or_default();
    match larger {
        Some(mut larger) => {
            place.found += 1;
            engine.tallies.hit(Technique::Interpolate, 0);
            for cube in &mut larger {
                if let Some(sum) = sum(engine, loc, level, cube, met)? {
                    *cube = sum;
                }
            }
            Ok(larger)
        }
        None => {
            place.barren.insert(cube.clone());
            Ok(vec![cube])
        }
    }
}

fn larger(engine: &mut Engine<'_>, loc: LocId, level: u32, cube: &Cube) -> Result<Option<Vec<Cube>>, Reason> {
    let terms = std::rc::Rc::clone(&engine.bench.terms);
    let mut found = Vec::new();
    for block in engine.entering(loc) {
        match interpolant(engine, block, loc, level, cube)? {
            Some(formula) => found.push(formula),
            None => return Ok(None),
        }
    }
    let whole = terms.and(found);
    let cubes: Option<Vec<Cube>> = terms.disjuncts(whole).iter().map(|d| Cube::of(&terms, *d)).collect();
    Ok(cubes.filter(|cubes| *cubes != [cube.clone()]))
}

/// Comparisons of numbers can be weakened, unless they are about variables that take few values; all else is as weak as it gets.
fn worth(engine: &Engine<'_>, cube: &Cube) -> bool {
    let (terms, slots) = (&engine.bench.terms, &engine.bench.slots);
    let discrete = |slot: &u32| engine.discrete.slots().any(|d| d == *slot);
    cube.literals().iter().any(|literal| {
        terms.linear_literal(*literal).is_some() && !slots.of(terms, &[*literal]).iter().all(discrete)
    })
}

/// A formula that the cube implies and that is excluded behind the block.
fn interpolant(
    engine: &mut Engine<'_>,
    block: craig_cfa::BlockId,
    loc: LocId,
    level: u32,
    cube: &Cube,
) -> Result<Option<TermId>, Reason> {
    let terms = std::rc::Rc::clone(&engine.bench.terms);
    let from = engine.from(block);
    if engine.frames.is_unreached(from, level - 1) {
        return Ok(Some(terms.tru()));
    }
    let formula = engine.bench.formula(block)?;
    let (ends, equations) = engine.steps.behind(&formula, cube.literals());
    let mut before = formula.constraints.clone();
    before.extend(equations);
    before.push(engine.frames.formula(&terms, from, level - 1));
    if from == loc {
        before.push(cube.lemma(&terms));
    }
    before.extend(engine.steps.ranges(&before));
    let parts = [terms.and(ends), terms.and(before)];
    let options = Options {
        methods: vec![Method::Proof],
        strength: Strength::Weak,
        candidates: false,
        linear_limit: ENTRIES,
        refuted: true,
        ..Options::default()
    };
    engine.interpolations += 1;
    match interpolate::sequence(&engine.bench.smt, &parts, &Hints::default(), &options) {
        Ok(found) => Ok(Some(engine.steps.unprimed(found.formulas[0]))),
        Err(NoInterpolant::Undecided(why)) if !why.gave_up() => Err(why.into()),
        Err(_) => Ok(None),
    }
}

/// A sum of bounds that the cube has which is excluded, for obligations that were not met before.
pub fn sum(
    engine: &mut Engine<'_>,
    loc: LocId,
    level: u32,
    cube: &Cube,
    met: u32,
) -> Result<Option<Cube>, Reason> {
    if !engine.on.has(Technique::Interpolate) || met > 0 {
        return Ok(None);
    }
    let place = engine.interpolated.0.entry(loc).or_default();
    if place.apart.contains(cube) || place.apart.len() >= PATIENCE + place.summed {
        return Ok(None);
    }
    let sums = sums(engine, cube);
    for sum in &sums {
        if let Met::Excluded(_) = engine.exclude(sum, loc, level, WORK)? {
            engine.interpolated.0.entry(loc).or_default().summed += 1;
            return Ok(Some(sum.clone()));
        }
    }
    if !sums.is_empty() {
        engine.interpolated.0.entry(loc).or_default().apart.insert(cube.clone());
    }
    Ok(None)
}

/// Sums of bounds on numbers, of each two that do not speak of the same, and of all.
fn sums(engine: &Engine<'_>, cube: &Cube) -> Vec<Cube> {
    let (terms, slots) = (&engine.bench.terms, &engine.bench.slots);
    let discrete = |slot: &u32| engine.discrete.slots().any(|d| d == *slot);
    let mut bounds: Vec<LinearLiteral> = Vec::new();
    for literal in cube.literals().iter().filter(|l| !slots.of(terms, &[**l]).iter().any(discrete)) {
        let Some(said) = terms.linear_literal(*literal) else { continue };
        let opposite = said.linear.scaled(&Rat::MINUS_ONE);
        if matches!(said.relation, Relation::Le | Relation::Eq) {
            bounds.push(LinearLiteral { relation: Relation::Le, ..said.clone() });
        }
        if said.relation == Relation::Eq {
            bounds.push(LinearLiteral { linear: opposite, relation: Relation::Le, ..said });
        }
    }
    let about = |linear: &Linear| linear.terms.iter().map(|(m, _)| *m).collect::<BTreeSet<TermId>>();
    let mut found: Vec<Cube> = Vec::new();
    let mut add = |linear: &Linear, parts: &[&LinearLiteral]| {
        // Otherwise it is a weaker bound on what one of them bounds.
        let both = parts.iter().all(|part| !about(linear).is_subset(&about(&part.linear)));
        let literal = terms.le_zero(linear, parts[0].sort, false);
        if both && linear.terms.len() > 1 && !terms.is_true(literal) && found.len() < SUMS {
            found.push(Cube::new([literal]));
        }
    };
    for (i, a) in bounds.iter().enumerate() {
        for b in bounds[..i].iter().filter(|b| b.sort == a.sort) {
            add(&a.linear.plus(&Rat::ONE, &b.linear), &[a, b]);
        }
    }
    if let [first, second, rest @ ..] = &bounds[..]
        && !rest.is_empty()
        && bounds.iter().all(|b| b.sort == first.sort)
    {
        let start = first.linear.plus(&Rat::ONE, &second.linear);
        let all = rest.iter().fold(start, |sum, b| sum.plus(&Rat::ONE, &b.linear));
        add(&all, &bounds.iter().collect::<Vec<_>>());
    }
    found
}
