//! `ia`, beyond the paper: implicit predicate abstraction (IC3IA).
//!
//! Definition: every location has predicates, none at first. The predecessor of a cube is what a model of the step makes of the predicates before it, all of them, instead of a precondition: so there are
//! finitely many obligations at a location, and lemmas speak of predicates alone. Questions about steps are those of the program itself, because frames and cubes speak of predicates: the abstraction is never
//! computed. A chain of obligations from the entry to the error need not be an execution. If it is not, the atoms of interpolants along its blocks become predicates of the locations between, and obligations are looked
//! for anew; lemmas stay. Where a path gives no new predicate, obligations are preconditions from there on.

use super::Technique;
use crate::discrete::Discrete;
use crate::explain::{Explained, Heuristics, Plan, Refined, Rung};
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::predecessor::{self, Predecessor};
use crate::refine::{Examined, Refiner};
use crate::run::Observer;
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Evaluator, TermId};
use craig_verdict::{Counterexample, Reason};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How paths are explained.
const PLAN: Plan = Plan {
    ladder: &[Rung::Default, Rung::Strong, Rung::Weak, Rung::PathAtoms],
    all_values: false,
    candidates: false,
    weaken: false,
};

/// Predicates by location.
pub struct Abstraction {
    refiner: Refiner,
    predicates: FxHashMap<LocId, Vec<TermId>>,
}

impl Abstraction {
    pub fn new(bench: &Workbench<'_>, discrete: Rc<Discrete>) -> Abstraction {
        let refiner = Refiner::new(bench, discrete, None, Heuristics::ALL);
        Abstraction { refiner, predicates: FxHashMap::default() }
    }
}

/// What the model of the last question about the block makes of the predicates before it.
pub fn predecessors(engine: &mut Engine<'_>, block: BlockId) -> Result<Vec<Predecessor>, Reason> {
    let model = engine.model(block)?;
    engine.tallies.tried(Technique::Ia);
    let terms = &engine.bench.terms;
    let mut values = Evaluator::new(terms, &model);
    let known = engine.abstraction.predicates.get(&engine.from(block)).map_or(&[][..], |p| p);
    let literal = |p: &TermId| if values.holds(*p) { *p } else { terms.not(*p) };
    let cube = Cube::new(known.iter().map(literal));
    Ok(vec![Predecessor { state: predecessor::state(terms, &cube, &model), cube }])
}

/// The execution along blocks from the entry to the error; `None` if there is none, and there are predicates that tell why.
pub fn execution(
    engine: &mut Engine<'_>,
    blocks: Vec<BlockId>,
    observer: &mut dyn Observer,
) -> Result<Option<Counterexample>, Reason> {
    let Engine { bench, abstraction, .. } = engine;
    let terms = Rc::clone(&bench.terms);
    let nothing = vec![terms.tru(); blocks.len() + 1];
    let (path, conflict) = match abstraction.refiner.examine(bench, blocks, &[], &nothing)? {
        Examined::Execution(found) => return Ok(Some(found)),
        Examined::Infeasible(path, conflict) => (path, conflict),
    };
    let predicates = &mut abstraction.predicates;
    let refined = abstraction.refiner.explain(&path, &conflict, &PLAN, &[], observer, |found| {
        let mut new = false;
        for Explained { cut, formula, .. } in found {
            let known = predicates.entry(path.locs[cut + 1]).or_default();
            for atom in terms.atoms(&[*formula]) {
                if !known.contains(&atom) {
                    known.push(atom);
                    new = true;
                }
            }
        }
        Ok(new.then_some(()))
    })?;
    match refined {
        Refined::Taken(()) => engine.tallies.hit(Technique::Ia, 0),
        Refined::Stuck(_) => engine.on = engine.on.without(Technique::Ia),
    }
    engine.queue.forget();
    Ok(None)
}
