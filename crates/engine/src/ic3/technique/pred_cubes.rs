//! `pred-cubes`: generalisations are read off the lemmas of the predecessor.
//!
//! Definition (IC3CFA, predecessor cubes): the precondition of the cube over the edge is a set of literals. If the predecessor's frame has a lemma whose cube is among them, the literals of the cube from which
//! these came are enough to exclude it; conditions of the edge come from no literal. Every sequential part of a block has a precondition of its own, and what all
//! of them need is needed. A part whose precondition contradicts itself needs the literal that does, or none.
//!
//! That holds where preconditions are exact, literal by literal, which they are before any projection. No question is asked at all.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::generalise::Entered;
use craig_logic::TermId;
use craig_verdict::Reason;

/// Blocks with more parts are not looked at: all parts would have to be excluded.
const PARTS: usize = 16;

pub fn find(engine: &mut Engine<'_>, entered: Entered<'_>) -> Result<Option<Cube>, Reason> {
    if !engine.on.has(Technique::PredCubes) || engine.from(entered.block) == engine.bench.entry() {
        return Ok(None);
    }
    let Some(parts) = engine.sequences.all(&engine.bench, entered.block, PARTS)? else { return Ok(None) };
    engine.tallies.tried(Technique::PredCubes);
    let terms = &engine.bench.terms;
    let from = engine.from(entered.block);
    let mut needed: Vec<TermId> = Vec::new();
    for part in parts.iter() {
        let literals = entered.cube.literals();
        let before: Vec<TermId> = literals.iter().map(|l| part.before(terms, *l)).collect();
        if part.guard.iter().any(|g| terms.is_false(*g)) {
            continue;
        }
        if let Some(never) =
            before.iter().position(|b| terms.is_false(*b) || part.guard.contains(&terms.not(*b)))
        {
            needed.push(literals[never]);
            continue;
        }
        let whole = Cube::new(part.guard.iter().chain(&before).copied());
        let Some(lemma) = engine.frames.excluding(from, entered.level - 1, &whole) else { return Ok(None) };
        let guard = |b: &TermId| part.guard.contains(b);
        needed.extend(
            literals.iter().zip(&before).filter(|(_, b)| lemma.contains(**b) && !guard(b)).map(|(l, _)| *l),
        );
    }
    engine.tallies.hit(Technique::PredCubes, entered.cube.len());
    Ok(Some(Cube::new(needed)))
}
