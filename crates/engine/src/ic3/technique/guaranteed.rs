//! `guaranteed`: literals that always hold behind an edge do not help to exclude anything there.
//!
//! Definition (IC3CFA, guaranteed literals): drop `p` if the transition alone implies `p` behind it. Semantically: the solver is asked, once for each edge and literal. Without the
//! technique syntactically: the literal is true once the edge's assignments are put in, or is one of its conditions.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::generalise::Entered;
use craig_cfa::BlockId;
use craig_logic::TermId;
use craig_smt::Purpose;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;

/// Units of work for a question.
const WORK: u32 = 100_000;

#[derive(Debug, Default)]
pub struct Guaranteed {
    known: FxHashMap<(BlockId, TermId), bool>,
}

/// The literals that are not guaranteed.
pub fn drop(engine: &mut Engine<'_>, entered: Entered<'_>) -> Result<Cube, Reason> {
    let block = entered.barred.block;
    let formula = engine.bench.formula(block)?;
    let terms = std::rc::Rc::clone(&engine.bench.terms);
    let mut left = Vec::new();
    for &literal in entered.cube.literals() {
        let before = engine.steps.before(block, &formula, literal);
        if terms.is_true(before) || formula.constraints.contains(&before) {
            continue;
        }
        if !engine.on.has(Technique::Guaranteed)
            || !formula.changed.iter().any(|(slot, _)| mentions(engine, literal, *slot))
        {
            // What no operation of the block changes it guarantees only if it asks for it.
            left.push(literal);
            continue;
        }
        let known = engine.guaranteed.known.get(&(block, literal)).copied();
        let holds = match known {
            Some(holds) => holds,
            None => {
                let mut question = formula.constraints.clone();
                question.push(terms.not(before));
                question.extend(engine.steps.ranges(&question));
                let smt = &engine.bench.smt;
                let status = smt.as_part_of(Purpose::Generalisation, || {
                    let mut session = smt.session();
                    session.set_work_limit(WORK);
                    question.iter().for_each(|q| session.assert(*q));
                    session.check()
                });
                let holds = status.is_unsat();
                engine.guaranteed.known.insert((block, literal), holds);
                holds
            }
        };
        engine.tallies.tried(Technique::Guaranteed);
        if holds {
            engine.tallies.hit(Technique::Guaranteed, usize::from(known.is_some()));
        } else {
            left.push(literal);
        }
    }
    Ok(Cube::new(left))
}

fn mentions(engine: &Engine<'_>, literal: TermId, slot: u32) -> bool {
    let symbol = engine.bench.slots.symbols[slot as usize];
    let terms = &engine.bench.terms;
    terms.as_symbol(symbol).is_some_and(|s| terms.symbols_of(literal).binary_search(&s).is_ok())
}
