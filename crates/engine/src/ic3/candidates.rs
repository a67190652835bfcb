//! What others found ([`crate::facts`]) as candidates for lemmas.
//!
//! A formula that may hold at a location is a lemma for each disjunct of its negation, an atom may hold either way. At each level it is asked which are relative inductive; those are added, the others are asked again
//! a few levels up.

use super::cube::Cube;
use super::{Engine, Met};
use craig_cfa::LocId;
use craig_verdict::Reason;

/// A candidate that failed so often goes.
const TRIES: u32 = 3;
/// Candidates that wait at most.
const WAITING: usize = 300;
/// Units of work for a question.
const WORK: u32 = 300_000;

#[derive(Debug, Default)]
pub struct Candidates {
    /// With how often each failed.
    waiting: Vec<(LocId, Cube, u32)>,
    pub tried: u64,
    pub taken: u64,
}

/// Adds the candidates that hold at the present level.
pub fn add(engine: &mut Engine<'_>) -> Result<(), Reason> {
    let terms = std::rc::Rc::clone(&engine.bench.terms);
    for (loc, formula) in engine.member.take(&terms) {
        let atom = !terms.is_connective(terms.atom(formula).0);
        let lemmas = [Some(formula), atom.then(|| terms.not(formula))];
        for lemma in lemmas.into_iter().flatten() {
            let cubes = terms
                .disjuncts(terms.not(lemma))
                .iter()
                .filter_map(|d| Cube::of(&terms, *d))
                .collect::<Vec<_>>();
            engine.candidates.waiting.extend(cubes.into_iter().map(|cube| (loc, cube, 0)));
        }
    }
    engine.candidates.waiting.truncate(WAITING);
    let level = engine.level;
    for (loc, cube, failed) in std::mem::take(&mut engine.candidates.waiting) {
        if engine.frames.excluding(loc, level, &cube).is_some() || engine.bench.graph.entering(loc).is_empty()
        {
            continue;
        }
        engine.candidates.tried += 1;
        match engine.exclude(&cube, loc, level, WORK)? {
            Met::Excluded(_) => {
                engine.candidates.taken += 1;
                engine.add(loc, &[cube], level);
            }
            Met::From(_) if failed + 1 < TRIES => engine.candidates.waiting.push((loc, cube, failed + 1)),
            Met::From(_) => {}
        }
    }
    Ok(())
}
