//! From a cube that is excluded to a lemma.
//!
//! For each block into the location a subset of the cube's literals is found that is enough to exclude it there; the lemma needs all of these. Blocks from the location to itself
//! come last: they may assume that the state before is not in the cube of the lemma, which is only known then.

use super::cube::Cube;
use super::steps::{Answer, Question};
use super::technique::{Technique, context, guaranteed, minimal};
use super::{Barred, Engine, Source, technique};
use craig_cfa::LocId;
use craig_smt::Purpose;
use craig_verdict::Reason;

/// Units of work for a question whether a literal can be dropped: about a twentieth of a second. One that takes more keeps the literal.
const WORK: u32 = 300_000;

/// A block into the location of a cube that is excluded there.
#[derive(Debug, Clone, Copy)]
pub struct Entered<'a> {
    /// The level at which the cube is excluded.
    pub level: u32,
    pub cube: &'a Cube,
    /// The block leads from the location to itself.
    pub loops: bool,
    /// What the other blocks need.
    pub others: &'a Cube,
    /// What is enough here, as far as is known.
    pub barred: &'a Barred,
}

/// A subset of the literals that is relative inductive as well.
pub fn generalise(
    engine: &mut Engine<'_>,
    cube: &Cube,
    loc: LocId,
    level: u32,
    needed: &[Barred],
) -> Result<Cube, Reason> {
    let mut lemma = Cube::all();
    let several = needed.iter().filter(|barred| engine.from(barred.block) == loc).count() > 1;
    for barred in needed {
        if barred.from == Source::Context {
            lemma = lemma.union(&barred.enough);
            continue;
        }
        let loops = engine.from(barred.block) == loc;
        let entered = Entered { level, cube, loops, others: &lemma, barred };
        let found = edge(engine, entered, several)?;
        lemma = lemma.union(&found);
    }
    Ok(lemma)
}

/// Literals that are enough to exclude the cube behind one block. `fixed`: the hypothesis of a loop is that the state is not in the cube itself,
/// however much is dropped; that holds together with what other loops need.
fn edge(engine: &mut Engine<'_>, entered: Entered<'_>, fixed: bool) -> Result<Cube, Reason> {
    if engine.frames.is_unreached(engine.from(entered.barred.block), entered.level - 1) {
        return Ok(Cube::all());
    }
    if let Some(known) = context::find(engine, entered).filter(|_| !(fixed && entered.loops)) {
        return Ok(known);
    }
    let mut rest = guaranteed::drop(engine, entered)?;
    match entered.barred.from {
        Source::Lemmas => rest = rest.filter(|l| entered.barred.enough.contains(l)),
        _ => rest = technique::relind_wep::reduce(engine, &entered.barred.enough, rest),
    }
    let kept = engine.on.has(Technique::Preds).then_some(entered.others);
    let hinted = minimal::hint(engine, entered);
    let mut tried = rest.literals().to_vec();
    tried.retain(|literal| {
        let spared = |kept: Option<&Cube>, technique: Technique, engine: &mut Engine<'_>| {
            let known = kept.is_some_and(|kept| kept.contains(*literal));
            if known {
                engine.tallies.tried(technique);
                engine.tallies.hit(technique, 1);
            }
            known
        };
        !spared(kept, Technique::Preds, engine) && !spared(hinted.as_ref(), Technique::Minimal, engine)
    });
    for literal in tried {
        if rest.contains(literal)
            && let Some(fewer) = drops(engine, entered, rest.without(literal), fixed)?
        {
            rest = fewer;
        }
    }
    context::note(engine, entered, &rest);
    Ok(rest)
}

/// If these literals, with those that other blocks need, are still enough, what is left of them.
fn drops(
    engine: &mut Engine<'_>,
    entered: Entered<'_>,
    fewer: Cube,
    fixed: bool,
) -> Result<Option<Cube>, Reason> {
    // The lemma will have these literals at least.
    let lemma = if entered.loops { fewer.union(entered.others) } else { fewer.clone() };
    let outside = entered.loops.then_some(if fixed { entered.cube } else { &lemma });
    let question = Question {
        block: entered.barred.block,
        level: entered.level - 1,
        cube: &lemma,
        outside,
        limit: WORK,
        purpose: Purpose::Generalisation,
    };
    let core = match engine.ask(question)? {
        Answer::Blocked(core) => Some(core),
        Answer::Reached if engine.on.has(Technique::Ctg) => technique::ctg::drops(engine, question)?,
        Answer::Reached | Answer::Open => None,
    };
    Ok(core.map(|core| technique::relind_wep::reduce(engine, &core, fewer)))
}
