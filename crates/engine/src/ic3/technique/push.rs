//! `push`, beyond the paper: a new lemma goes at once to the highest level where it holds.
//!
//! Definition: as long as the level is below the present one and the lemma's cube is relative inductive at the next level too, that level is taken. It spares the
//! obligations that would ask for the same lemma there.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::steps::{Answer, Question};
use craig_cfa::LocId;
use craig_smt::Purpose;
use craig_verdict::Reason;

/// Units of work for a question.
const WORK: u32 = 300_000;

pub fn highest(engine: &mut Engine<'_>, lemma: &Cube, loc: LocId, mut level: u32) -> Result<u32, Reason> {
    if !engine.on.has(Technique::Push) {
        return Ok(level);
    }
    while level < engine.level {
        engine.tallies.tried(Technique::Push);
        if !holds_at(engine, lemma, loc, level + 1, WORK)? {
            break;
        }
        engine.tallies.hit(Technique::Push, 0);
        level += 1;
    }
    Ok(level)
}

/// Is the cube relative inductive at a level?
pub fn holds_at(
    engine: &mut Engine<'_>,
    lemma: &Cube,
    loc: LocId,
    level: u32,
    limit: u32,
) -> Result<bool, Reason> {
    for block in engine.entering(loc) {
        let outside = (engine.from(block) == loc).then_some(lemma);
        let question =
            Question { block, level: level - 1, cube: lemma, outside, limit, purpose: Purpose::Consecution };
        if !matches!(engine.steps.ask(&mut engine.bench, &engine.frames, question)?, Answer::Blocked(_)) {
            return Ok(false);
        }
    }
    Ok(true)
}
