//! `wep-split`: predecessors without a disjunctive normal form.
//!
//! Definition (IC3CFA, predecessor computation): a block is split into its sequential parts, which do not depend on the cube; the precondition of each is one cube. All parts of a large block are too
//! many, so a model chooses one at a time, and parts that contradict themselves never come up.
//!
//! Without the technique the precondition of the whole block is brought into disjunctive normal form, and every cube of it becomes an obligation, as on the slides: those as well that contradict themselves, or
//! have no state of the frame. Where values that the program chooses are left in a cube, these are projected away along a model, and then the cube must have one.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::parts::locals;
use crate::ic3::predecessor::{self, Predecessor};
use craig_cfa::BlockId;
use craig_logic::{Op, TermId, Terms};
use craig_smt::Purpose;
use craig_verdict::Reason;
use std::rc::Rc;

/// Cubes that a normal form may have.
const CUBES: usize = 2000;

/// The predecessor that the model of the last question about the block names.
pub fn predecessors(
    engine: &mut Engine<'_>,
    block: BlockId,
    cube: &Cube,
) -> Result<Vec<Predecessor>, Reason> {
    let model = engine.model(block)?;
    engine.tallies.tried(Technique::WepSplit);
    engine.tallies.hit(Technique::WepSplit, 0);
    predecessor::of_model(&mut engine.bench, &mut engine.sequences, block, cube, &model)
        .map(|found| vec![found])
}

/// All cubes of the normal form; those that need a model, if they have a state in common with `F(level, l)`.
pub fn by_normal_form(
    engine: &mut Engine<'_>,
    block: BlockId,
    cube: &Cube,
    level: u32,
) -> Result<Vec<Predecessor>, Reason> {
    let too_many = Reason::NormalForm { limit: CUBES };
    let Some(parts) = engine.sequences.all(&engine.bench, block, CUBES)? else { return Err(too_many) };
    let terms = Rc::clone(&engine.bench.terms);
    let from = engine.from(block);
    let frame = engine.frames.formula(&terms, from, level);
    let (mut found, mut made) = (Vec::new(), 0);
    for part in parts.iter() {
        let formulas = predecessor::precondition(&terms, part, cube);
        let formulas = part.closed(&terms, &engine.bench.slots, formulas);
        let Some(cubes) = normal_form(&terms, terms.and(formulas), CUBES - made) else {
            return Err(too_many);
        };
        made += cubes.len();
        for cube in cubes {
            engine.bench.budget.check()?;
            let slots = &engine.bench.slots;
            if cube.iter().all(|literal| locals(&terms, slots, *literal).is_empty()) {
                found.push(Predecessor { cube: Cube::new(cube), state: Rc::new([]) });
                continue;
            }
            let mut question = cube.clone();
            question.push(frame);
            question.extend(engine.steps.ranges(&question));
            let smt = engine.bench.smt.clone();
            let (status, model) = smt.as_part_of(Purpose::Consecution, || smt.check_model(&question));
            if status.decided()? {
                let model = model.ok_or(Reason::Solver(craig_smt::Undecided::NoModel))?;
                let whole = terms.and(cube.iter().copied());
                let cube = predecessor::project(&engine.bench, whole, &model)?;
                found.push(Predecessor { state: predecessor::state(&terms, &cube, &model), cube });
            }
        }
    }
    Ok(found)
}

/// The cubes of the disjunctive normal form; `None` if there are more than `limit`.
fn normal_form(terms: &Terms, formula: TermId, limit: usize) -> Option<Vec<Vec<TermId>>> {
    let (atom, positive) = terms.atom(formula);
    let args = terms.args(atom);
    let part = |arg: TermId| normal_form(terms, if positive { arg } else { terms.not(arg) }, limit);
    match terms.op(atom) {
        Op::True => Some(if positive { vec![Vec::new()] } else { Vec::new() }),
        Op::False => Some(if positive { Vec::new() } else { vec![Vec::new()] }),
        op @ (Op::And | Op::Or) if (op == Op::Or) == positive => {
            let mut all = Vec::new();
            for arg in args {
                all.extend(part(arg)?);
                if all.len() > limit {
                    return None;
                }
            }
            Some(all)
        }
        Op::And | Op::Or => {
            let mut all: Vec<Vec<TermId>> = vec![Vec::new()];
            for arg in args {
                let more = part(arg)?;
                if all.len() * more.len() > limit {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|a| more.iter().map(|b| a.iter().chain(b).copied().collect()))
                    .collect();
            }
            Some(all)
        }
        Op::Ite => {
            let (condition, a, b) = (args[0], args[1], args[2]);
            let branch = |c: TermId, t: TermId| terms.and([c, if positive { t } else { terms.not(t) }]);
            normal_form(terms, terms.or([branch(condition, a), branch(terms.not(condition), b)]), limit)
        }
        _ => Some(vec![vec![formula]]),
    }
}
