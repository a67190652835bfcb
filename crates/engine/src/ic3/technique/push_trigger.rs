//! `push-trigger`, beyond the paper: a lemma is pushed again only when the state that kept it back is excluded.
//!
//! Definition: a lemma of level `i` stays behind because some state of `F(i, p)` steps into its cube. As long as the frame, which only gets stronger, still has that state, the
//! answer is the same, and evaluating the lemmas that came since tells that without the solver.

use super::{Technique, context, pred_cubes};
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::steps::{Answer, Question};
use craig_cfa::{BlockId, LocId};
use craig_logic::{Evaluator, Model};
use craig_smt::Purpose;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Units of work for a question.
const WORK: u32 = 300_000;

/// What kept a lemma back.
#[derive(Debug)]
struct Witness {
    block: BlockId,
    model: Rc<Model>,
    /// Lemmas of the location before the block that were looked at.
    seen: usize,
}

#[derive(Debug, Default)]
pub struct Witnesses(FxHashMap<(LocId, Cube, u32), Witness>);

impl Witnesses {
    /// The step that kept a lemma of a level back, if it is remembered.
    pub fn of(&self, loc: LocId, lemma: &Cube, level: u32) -> Option<(BlockId, &Model)> {
        self.0.get(&(loc, lemma.clone(), level)).map(|witness| (witness.block, &*witness.model))
    }
}

/// Pushes a lemma to the next level if it holds there.
pub fn push(engine: &mut Engine<'_>, loc: LocId, lemma: &Cube, level: u32) -> Result<(), Reason> {
    let key = (loc, lemma.clone(), level);
    let triggered = engine.on.has(Technique::PushTrigger);
    let remembers = triggered || engine.on.has(Technique::Predict);
    if triggered {
        engine.tallies.tried(Technique::PushTrigger);
        if still_there(engine, &key) {
            engine.tallies.hit(Technique::PushTrigger, engine.bench.graph.entering(loc).len());
            return Ok(());
        }
    }
    for block in engine.entering(loc) {
        let question =
            Question { block, level, cube: lemma, outside: None, limit: WORK, purpose: Purpose::Consecution };
        if context::exact(engine, block, lemma, level + 1).is_some()
            || pred_cubes::find(engine, question)?.is_some()
        {
            continue;
        }
        match engine.ask(question)? {
            Answer::Blocked(_) => {}
            Answer::Reached => {
                if remembers {
                    let model = engine.model(block)?;
                    let seen = engine.frames.logged(engine.from(block));
                    engine.witnesses.0.insert(key, Witness { block, model, seen });
                }
                return Ok(());
            }
            Answer::Open => return Ok(()),
        }
    }
    engine.witnesses.0.remove(&key);
    engine.add(loc, std::slice::from_ref(lemma), level + 1);
    Ok(())
}

/// Whether what kept the lemma back is still in its frame.
fn still_there(engine: &mut Engine<'_>, key: &(LocId, Cube, u32)) -> bool {
    let Some(witness) = engine.witnesses.0.get_mut(key) else { return false };
    let from = engine.bench.graph.block(witness.block).from;
    let terms = &engine.bench.terms;
    let mut values = Evaluator::new(terms, &witness.model);
    let news = engine.frames.news(from, witness.seen);
    let there = news.iter().filter(|l| l.level >= key.2).all(|l| values.holds(l.cube.lemma(terms)));
    if there {
        witness.seen = engine.frames.logged(from);
    } else {
        engine.witnesses.0.remove(key);
    }
    there
}
