//! `guaranteed`: literals that always hold behind an edge do not help to exclude anything there.
//!
//! Definition (IC3CFA, guaranteed literals): drop `p` if the transition alone implies `p` behind it. Semantically: the solver is asked, once for each edge and literal, about all
//! that are new at once. Without the technique syntactically: the literal is true once the edge's assignments are put in, or is one of its conditions.

use super::{Technique, relind_wep};
use crate::formulas::Formula;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::generalise::Entered;
use craig_cfa::BlockId;
use craig_logic::{Evaluator, TermId};
use craig_smt::Purpose;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
    let terms = Rc::clone(&engine.bench.terms);
    let (mut left, mut open) = (Vec::new(), Vec::new());
    for &literal in entered.cube.literals() {
        let before = engine.steps.before(block, &formula, literal);
        if terms.is_true(before) || formula.constraints.contains(&before) {
            continue;
        }
        // What no operation of the block changes it guarantees only if it asks for it.
        let changed = || formula.changed.iter().any(|(slot, _)| mentions(engine, literal, *slot));
        if !engine.on.has(Technique::Guaranteed) || !changed() {
            left.push(literal);
            continue;
        }
        engine.tallies.tried(Technique::Guaranteed);
        match engine.guaranteed.known.get(&(block, literal)) {
            Some(true) => engine.tallies.hit(Technique::Guaranteed, 1),
            Some(false) => left.push(literal),
            None => open.push((literal, before)),
        }
    }
    open.retain(|(literal, before)| {
        let refuted = relind_wep::refutes(engine, block, *before);
        if refuted {
            engine.guaranteed.known.insert((block, *literal), false);
            left.push(*literal);
        }
        !refuted
    });
    for literal in ask(engine, block, &formula, &mut open) {
        engine.guaranteed.known.insert((block, literal), false);
        left.push(literal);
    }
    for (literal, _) in open {
        engine.guaranteed.known.insert((block, literal), true);
        engine.tallies.hit(Technique::Guaranteed, 0);
    }
    Ok(Cube::new(left))
}

/// Takes those literals out that the block does not guarantee, or that take too much work. One question is about all that are left: a step behind which one is false mostly shows that for
/// others as well.
fn ask(
    engine: &mut Engine<'_>,
    block: BlockId,
    formula: &Formula,
    open: &mut Vec<(TermId, TermId)>,
) -> Vec<TermId> {
    let (terms, smt) = (Rc::clone(&engine.bench.terms), engine.bench.smt.clone());
    let mut out = Vec::new();
    if open.is_empty() {
        return out;
    }
    let mut session = smt.session();
    session.set_work_limit(WORK);
    let befores: Vec<TermId> = open.iter().map(|(_, before)| *before).collect();
    let mut known = formula.constraints.clone();
    known.extend(engine.steps.ranges(&[&known[..], &befores[..]].concat()));
    known.into_iter().for_each(|k| session.assert(k));
    while !open.is_empty() {
        let one = terms.or(open.iter().map(|(_, before)| terms.not(*before)));
        let status = smt.as_part_of(Purpose::Generalisation, || session.check_assuming(&[one]));
        if status.is_unsat() {
            break;
        }
        let mut refuted = Vec::new();
        if let Some(step) = status.is_sat().then(|| session.model()).flatten() {
            let mut values = Evaluator::new(&terms, &step);
            refuted.extend(open.extract_if(.., |(_, before)| !values.holds(*before)));
            relind_wep::learn(engine, block, step);
        }
        if refuted.is_empty() {
            refuted = std::mem::take(open);
        }
        out.extend(refuted.into_iter().map(|(literal, _)| literal));
    }
    out
}

fn mentions(engine: &Engine<'_>, literal: TermId, slot: u32) -> bool {
    let symbol = engine.bench.slots.symbols[slot as usize];
    let terms = &engine.bench.terms;
    terms.as_symbol(symbol).is_some_and(|s| terms.symbols_of(literal).binary_search(&s).is_ok())
}
