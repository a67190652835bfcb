//! `relind-wep`: relative inductiveness with preconditions, asked of a solver that remembers its answers.
//!
//! Definition (IC3CFA, alternative relative inductiveness): instead of the frame, the edge and the cube over symbols for the state behind, ask for the frame and the precondition of the cube. Values that the
//! program chooses stay free in it, so it is exact; over a loop the negated cube stays. The paper gives as reasons why that is better that preconditions are there already, that questions are smaller, and that
//! the solver caches: it is asked for formulas over one state, which come again.
//!
//! The cache is this module. What the solver refuted stays refuted, for every cube with the literals that it needed, in every frame that is as strong: of at most the lowest level whose lemmas it
//! needed, and later.
//! A model stays one as long as the frame has its state, and answers for every cube that it leads into; evaluating the lemmas that came since tells. So a lemma that
//! could not be pushed, and a literal that could not be dropped, are often not asked about again; and a model of an edge behind which a literal is false shows that the edge does not guarantee it.

use super::{Technique, pred_cubes};
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::steps::{Answer, Question};
use craig_cfa::BlockId;
use craig_logic::{Evaluator, Model, TermId, Terms};
use craig_smt::Purpose;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// So many models, and so many refutations, are kept for a block, those that were used last.
const KEPT: usize = 300;

/// The solver's answers about a block; the newest, or used last, at the end.
#[derive(Debug, Default)]
struct Known {
    models: Vec<Step>,
    refuted: Vec<Refuted>,
}

/// A step over a block.
#[derive(Debug)]
struct Step {
    model: Rc<Model>,
    /// It begins in all frames from this level on, as far as the lemmas tell that were looked at.
    least: u32,
    /// Lemmas of the location before the block that were looked at.
    seen: usize,
    /// What terms before the block are in the model.
    values: FxHashMap<TermId, bool>,
}

impl Step {
    fn new(model: Rc<Model>, least: u32, seen: usize) -> Step {
        Step { model, least, seen, values: FxHashMap::default() }
    }

    fn holds(&mut self, terms: &Terms, formula: TermId) -> bool {
        let model = &self.model;
        *self.values.entry(formula).or_insert_with(|| Evaluator::new(terms, model).holds(formula))
    }
}

/// No step from a state of `F(level, l)` outside the one cube leads into the other.
#[derive(Debug)]
struct Refuted {
    level: u32,
    outside: Option<Cube>,
    cube: Cube,
}

impl Refuted {
    fn answers(&self, question: Question<'_>) -> bool {
        let hypothesis = match (&self.outside, question.outside) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(then), Some(now)) => now.is_within(then),
        };
        self.level >= question.level && hypothesis && self.cube.is_within(question.cube)
    }
}

#[derive(Debug, Default)]
pub struct Answers {
    blocks: FxHashMap<BlockId, Known>,
    /// The model of the last answer about a block, if it was remembered.
    last: FxHashMap<BlockId, Rc<Model>>,
}

/// Asks whether a step leads into a cube, unless that is known; about a literal to be dropped, unless the lemmas before the block tell.
pub fn ask(engine: &mut Engine<'_>, question: Question<'_>) -> Result<Answer, Reason> {
    let unreached = engine.frames.is_unreached(engine.from(question.block), question.level);
    if unreached {
        return engine.steps.ask(&mut engine.bench, &engine.frames, question);
    }
    let remembers = engine.on.has(Technique::RelindWep);
    if remembers {
        engine.answers.last.remove(&question.block);
        if let Some(answer) = recall(engine, question)? {
            engine.tallies.tried(Technique::RelindWep);
            engine.tallies.hit(Technique::RelindWep, 1);
            return Ok(answer);
        }
    }
    if question.purpose == Purpose::Generalisation
        && let Some(cube) = pred_cubes::find(engine, question)?
    {
        if remembers {
            let outside = question.outside.filter(|_| cube.len() == question.cube.len()).cloned();
            refuted(engine, question.block, Refuted { level: question.level, outside, cube: cube.clone() });
        }
        return Ok(Answer::Blocked(cube));
    }
    let before = engine.steps.asked;
    let answer = engine.steps.ask(&mut engine.bench, &engine.frames, question)?;
    if remembers && engine.steps.asked > before {
        engine.tallies.tried(Technique::RelindWep);
        remember(engine, question, &answer)?;
    }
    Ok(answer)
}

fn refuted(engine: &mut Engine<'_>, block: BlockId, refuted: Refuted) {
    keep(&mut engine.answers.blocks.entry(block).or_default().refuted, refuted);
}

/// The model of the last question about a block, which was answered with [`Answer::Reached`].
pub fn model(engine: &mut Engine<'_>, block: BlockId) -> Result<Rc<Model>, Reason> {
    match engine.answers.last.get(&block) {
        Some(model) => Ok(Rc::clone(model)),
        None => engine.steps.model(block).map(Rc::new),
    }
}

/// Whether a step is known behind which the literal, a term before the block, is false.
pub fn refutes(engine: &mut Engine<'_>, block: BlockId, before: TermId) -> bool {
    let Some(known) = engine.answers.blocks.get_mut(&block) else { return false };
    let terms = &engine.bench.terms;
    known.models.iter_mut().any(|step| !step.holds(terms, before))
}

fn recall(engine: &mut Engine<'_>, question: Question<'_>) -> Result<Option<Answer>, Reason> {
    let formula = engine.bench.formula(question.block)?;
    let from = engine.from(question.block);
    let Some(known) = engine.answers.blocks.get_mut(&question.block) else { return Ok(None) };
    if let Some(i) = known.refuted.iter().rposition(|r| r.answers(question)) {
        let found = known.refuted.remove(i);
        let cube = found.cube.clone();
        known.refuted.push(found);
        return Ok(Some(Answer::Blocked(cube)));
    }
    let literals = question.cube.literals().iter();
    let mut needed: Vec<TermId> =
        literals.map(|l| engine.steps.before(question.block, &formula, *l)).collect();
    let terms = &engine.bench.terms;
    needed.extend(question.outside.map(|cube| cube.lemma(terms)));
    // A symbol that the solver did not see has its default, which must be a value of its type.
    needed.extend(engine.steps.ranges(&needed));
    let logged = engine.frames.logged(from);
    let leads = |step: &mut Step| {
        for lemma in engine.frames.news(from, step.seen) {
            if lemma.level >= step.least && !step.holds(terms, lemma.cube.lemma(terms)) {
                step.least = lemma.level + 1;
            }
        }
        step.seen = logged;
        step.least <= question.level && needed.iter().all(|formula| step.holds(terms, *formula))
    };
    let mut i = known.models.len();
    while i > 0 {
        i -= 1;
        if leads(&mut known.models[i]) {
            let step = known.models.remove(i);
            engine.answers.last.insert(question.block, Rc::clone(&step.model));
            known.models.push(step);
            return Ok(Some(Answer::Reached));
        }
    }
    Ok(None)
}

fn remember(engine: &mut Engine<'_>, question: Question<'_>, answer: &Answer) -> Result<(), Reason> {
    match answer {
        Answer::Blocked(cube) => {
            let outside = question.outside.filter(|_| engine.steps.outside_needed).cloned();
            let level = engine.steps.level_enough;
            refuted(engine, question.block, Refuted { level, outside, cube: cube.clone() });
        }
        Answer::Reached => {
            let model = Rc::new(engine.steps.model(question.block)?);
            let seen = engine.frames.logged(engine.from(question.block));
            engine.answers.last.insert(question.block, Rc::clone(&model));
            let known = engine.answers.blocks.entry(question.block).or_default();
            keep(&mut known.models, Step::new(model, question.level, seen));
        }
        Answer::Open => {}
    }
    Ok(())
}

/// Remembers a step over a block from any state.
pub fn learn(engine: &mut Engine<'_>, block: BlockId, model: Model) {
    if engine.on.has(Technique::RelindWep) {
        let known = engine.answers.blocks.entry(block).or_default();
        keep(&mut known.models, Step::new(Rc::new(model), 0, 0));
    }
}

fn keep<T>(all: &mut Vec<T>, new: T) {
    if all.len() >= KEPT {
        all.remove(0);
    }
    all.push(new);
}

/// The literals of the cube that a refutation needed. It is remembered: the questions whether the others can be dropped are answered already.
pub fn reduce(engine: &mut Engine<'_>, core: &Cube, cube: Cube) -> Cube {
    if !engine.on.has(Technique::RelindWep) {
        return cube;
    }
    engine.tallies.tried(Technique::RelindWep);
    let fewer = cube.filter(|l| core.contains(l));
    if fewer.len() < cube.len() {
        engine.tallies.hit(Technique::RelindWep, cube.len() - fewer.len());
    }
    fewer
}
