//! `reach`, beyond the paper: states that runs reach are kept as facts.
//!
//! Definition: the entry has no frame, so that a step from there that leads into a cube is the beginning of a run. The state behind it is reached for good: a cube that has such a state, with
//! whatever literals, is not excluded over that block, and the question need not be asked.

use super::{Technique, relind_wep};
use crate::ic3::Engine;
use crate::ic3::steps::{Answer, Question};
use craig_cfa::BlockId;
use craig_logic::{Evaluator, Model};
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// So many are kept for a block, the newest.
const KEPT: usize = 30;

#[derive(Debug, Default)]
pub struct Reached(FxHashMap<BlockId, Vec<Rc<Model>>>);

/// Asks whether a step leads into a cube, unless that is known.
pub fn ask(engine: &mut Engine<'_>, question: Question<'_>) -> Result<Answer, Reason> {
    let keeps = engine.on.has(Technique::Reach) && engine.from(question.block) == engine.bench.entry();
    if keeps {
        engine.tallies.tried(Technique::Reach);
        if is_known(engine, question)? {
            engine.tallies.hit(Technique::Reach, 1);
            return Ok(Answer::Reached);
        }
    }
    let answer = relind_wep::ask(engine, question)?;
    if keeps && answer == Answer::Reached {
        let model = engine.model(question.block)?;
        let known = engine.reached.0.entry(question.block).or_default();
        if known.len() >= KEPT {
            known.remove(0);
        }
        known.push(model);
    }
    Ok(answer)
}

fn is_known(engine: &mut Engine<'_>, question: Question<'_>) -> Result<bool, Reason> {
    let formula = engine.bench.formula(question.block)?;
    let Some(models) = engine.reached.0.get(&question.block) else { return Ok(false) };
    let literals = question.cube.literals().iter();
    let before: Vec<_> = literals.map(|l| engine.steps.before(question.block, &formula, *l)).collect();
    let terms = &engine.bench.terms;
    let has = |model: &Rc<Model>| {
        let mut values = Evaluator::new(terms, model);
        before.iter().all(|literal| values.holds(*literal))
    };
    Ok(models.iter().rev().any(has))
}
