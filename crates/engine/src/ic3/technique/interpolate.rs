//! `interpolate`: interpolants instead of subsets.
//!
//! Definition (IC3CFA, interpolation): what excludes the cube need not be a subset of its literals. With `A` the cube behind the edge and `B` the frame before it and the edge, an interpolant is implied by the
//! cube and still excluded. Over a loop `B` has the negated cube as well. What excludes it over all edges is the conjunction of their interpolants; of one that is no cube
//! each disjunct is excluded.
//!
//! Interpolants lie close to the frame: at an obligation that comes back at every level they may count on with it (`x >= 3`, `x >= 5`, ..). Then subsets of the cube, whose
//! constants are those of the program, have their turn.
//!
//! It starts from what is left of the cube after literals were dropped: there is less to interpolate, and less of the cube in the result.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use craig_cfa::LocId;
use craig_logic::TermId;
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant, Options, Strength};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

/// An obligation that was met so often gets no more interpolants.
const OFTEN: u32 = 3;

/// Entries of linear programs for an interpolant: tens of milliseconds. Frames have many disjunctions, and their programs may get large.
const ENTRIES: u64 = 1_000_000;

/// Where so many more cubes had no interpolant, or none that is larger, than had one, no more are tried.
const PATIENCE: usize = 8;

/// What is known of a location.
#[derive(Debug, Default)]
struct Place {
    /// Cubes in vain: the frames of the next level are hardly other ones.
    barren: FxHashSet<Cube>,
    found: usize,
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
        Some(larger) => {
            place.found += 1;
            engine.tallies.hit(Technique::Interpolate, 0);
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
        methods: vec![Method::Farkas],
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
