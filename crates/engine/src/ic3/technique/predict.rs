//! `predict`, beyond the paper: lemmas from counterexamples to propagation.
//!
//! Definition: a lemma of the level below excludes the cube by its literals, and was kept from this level by a step into a state of it. That lemma with one more literal of the cube, one that is false in the
//! state, may hold here: it is tried before anything is dropped. What kept lemmas back is remembered when they are pushed.

use super::Technique;
use crate::ic3::cube::Cube;
use crate::ic3::{Engine, Met};
use craig_cfa::LocId;
use craig_logic::Evaluator;
use craig_verdict::Reason;

/// Lemmas that are tried for one cube.
const TRIES: usize = 3;
/// Units of work for a question.
const WORK: u32 = 300_000;

/// A lemma that excludes the cube, which is relative inductive.
pub fn lemma(engine: &mut Engine<'_>, cube: &Cube, loc: LocId, level: u32) -> Result<Option<Cube>, Reason> {
    if !engine.on.has(Technique::Predict) || level < 2 {
        return Ok(None);
    }
    for candidate in candidates(engine, cube, loc, level)? {
        engine.tallies.tried(Technique::Predict);
        if let Met::Excluded(_) = engine.exclude(&candidate, loc, level, WORK)? {
            engine.tallies.hit(Technique::Predict, cube.len().saturating_sub(1));
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

fn candidates(engine: &mut Engine<'_>, cube: &Cube, loc: LocId, level: u32) -> Result<Vec<Cube>, Reason> {
    let below = engine.frames.at(loc).iter().filter(|l| l.level == level - 1 && l.cube.is_within(cube));
    let below: Vec<Cube> = below.map(|l| l.cube.clone()).collect();
    let mut found = Vec::new();
    for lemma in below {
        let Some((block, model)) = engine.witnesses.of(loc, &lemma, level - 1) else { continue };
        let formula = engine.bench.formula(block)?;
        let mut values = Evaluator::new(&engine.bench.terms, model);
        for &literal in cube.literals().iter().filter(|l| !lemma.contains(**l)) {
            let before = engine.steps.before(block, &formula, literal);
            if !values.holds(before) {
                found.push(lemma.union(&Cube::new([literal])));
            }
        }
    }
    found.truncate(TRIES);
    Ok(found)
}
