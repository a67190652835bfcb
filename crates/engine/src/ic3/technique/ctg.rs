//! `ctg`: counterexamples to generalisation are excluded, too.
//!
//! Definition (IC3CFA, CTGs): a smaller cube is not relative inductive because a state of the frame before steps into it. If that state, or a cube around it, can be excluded there in turn, it is, and the
//! smaller cube is tried again. Only a few in a row, and not those of the counterexamples themselves: the paper found that more costs more than it gives.
//!
//! Tried and taken back: only for obligations that were met before, those that are hard (`docs/results.md`).

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::steps::{Answer, Question};
use crate::ic3::{Met, generalise};
use craig_verdict::Reason;

/// So many are excluded for one literal.
const TRIES: usize = 3;
/// Units of work for a question.
const WORK: u32 = 300_000;

/// After the question was answered with [`Answer::Reached`]: whether it is answered otherwise once the states that show it are excluded.
pub fn drops(engine: &mut Engine<'_>, question: Question<'_>) -> Result<Option<Cube>, Reason> {
    let (from, level) = (engine.from(question.block), question.level);
    if from == engine.bench.entry() || level == 0 {
        return Ok(None);
    }
    // No counterexamples to the generalisation of these.
    let on = engine.on;
    engine.on = on.without(Technique::Ctg);
    let mut dropped = None;
    for _ in 0..TRIES {
        engine.tallies.tried(Technique::Ctg);
        let model = engine.model(question.block)?;
        let found = crate::ic3::predecessor::of_model(
            &mut engine.bench,
            &mut engine.sequences,
            question.block,
            question.cube,
            &model,
        )?;
        let state = found.cube;
        let Met::Excluded(needed) = engine.exclude(&state, from, level, WORK)? else { break };
        let lemma = generalise::generalise(engine, &state, from, level, &needed)?;
        engine.add(from, &[lemma], level);
        match engine.ask(question)? {
            Answer::Blocked(core) => {
                engine.tallies.hit(Technique::Ctg, 0);
                dropped = Some(core);
                break;
            }
            Answer::Reached => {}
            Answer::Open => break,
        }
    }
    engine.on = on;
    Ok(dropped)
}
