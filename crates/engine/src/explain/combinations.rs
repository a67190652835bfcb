//! Which values of discrete variables come together.
//!
//! Explanations speak of the values of discrete variables ([`crate::discrete`]) a few at a time, as far as a path goes: of a protocol they say in which states the error is one round away, then
//! two, and so on. Such a variable that explanations mention at a location for the second time counts there from then on, and which of all their values come together where they count is found
//! out at once: the least fixpoint of the Boolean abstraction to these values, from the start of the program. It is inductive, so it can be added to every label.
//!
//! Tried instead: for each two values a formula that they do not come together, of which the inductive ones stay. That costs a question for each pair that does come together, and the protocols of the
//! SSH programs need three variables (s3_srvr_8: not decided in 20 s, as without it; s3_srvr_1-1: half as much time again as without).

use crate::abstraction::{Abstraction, Post};
use crate::discrete::Discrete;
use crate::options::Abstraction as Kind;
use crate::precision::{Precision, Predicates, Scope};
use crate::workbench::Workbench;
use craig_cfa::LocId;
use craig_logic::TermId;
use craig_smt::bdd::{Bdd, BooleanFunction};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};

/// Combinations that the variables at a location may have at most: a protocol of 40 states with some flags. Variables that would make them more do not count.
const COMBINATIONS: usize = 4096;
/// Of these so many may come together behind one block.
const ASSIGNMENTS: usize = 400;
/// Work for a fixpoint; one that takes more is given up, and there is no other. Some seconds.
const WORK: u64 = 20_000_000;

#[derive(Debug)]
pub struct Combinations {
    /// Made when it is needed: it takes its memory at once.
    abstraction: Option<Abstraction>,
    predicates: Predicates,
    precision: Precision,
    mentioned: FxHashSet<(LocId, u32)>,
    /// The variables that count at a location, and how many combinations of values they have.
    counted: FxHashMap<LocId, (FxHashSet<u32>, usize)>,
    /// Some variable counts that did not when the last fixpoint was found.
    due: bool,
    /// A fixpoint was too much work.
    given_up: bool,
}

impl Default for Combinations {
    fn default() -> Self {
        Combinations {
            abstraction: None,
            predicates: Predicates::default(),
            precision: Precision::new(Scope::Location),
            mentioned: FxHashSet::default(),
            counted: FxHashMap::default(),
            due: false,
            given_up: false,
        }
    }
}

impl Combinations {
    /// Takes down what a formula at a location speaks of.
    pub fn note(&mut self, bench: &Workbench<'_>, discrete: &Discrete, loc: LocId, formula: TermId) {
        if self.given_up {
            return;
        }
        for slot in bench.slots.of(&bench.terms, &[formula]) {
            let values = discrete.atoms(slot).count();
            if values < 2 || self.mentioned.insert((loc, slot)) {
                continue;
            }
            let (slots, combinations) = self.counted.entry(loc).or_insert_with(|| (FxHashSet::default(), 1));
            if slots.contains(&slot) || *combinations * values > COMBINATIONS {
                continue;
            }
            slots.insert(slot);
            *combinations *= values;
            let bdds = &self
                .abstraction
                .get_or_insert_with(|| Abstraction::new(bench, Kind::Boolean).with_limit(ASSIGNMENTS))
                .bdds;
            let atoms = discrete.atoms(slot);
            let new: Vec<_> =
                atoms.map(|atom| self.predicates.add(&bench.terms, &bench.slots, bdds, atom).0).collect();
            self.precision.add(bench.program(), loc, &self.predicates, &new);
            self.due = true;
        }
    }

    /// What holds of the variables that count, by location, if some count that did not.
    pub fn found(&mut self, bench: &mut Workbench<'_>) -> Result<BTreeMap<LocId, TermId>, Reason> {
        if !std::mem::take(&mut self.due) {
            return Ok(BTreeMap::new());
        }
        match self.fixpoint(bench) {
            Ok(Some(found)) => Ok(found),
            Ok(None) | Err(Reason::Assignments { .. } | Reason::BddNodes(_)) => {
                self.given_up = true;
                Ok(BTreeMap::new())
            }
            Err(why) => Err(why),
        }
    }

    /// The least fixpoint; nothing if it is too much work.
    fn fixpoint(&mut self, bench: &mut Workbench<'_>) -> Result<Option<BTreeMap<LocId, TermId>>, Reason> {
        let Combinations { abstraction: Some(abstraction), predicates, precision, .. } = self else {
            return Ok(None);
        };
        let (graph, program) = (bench.graph.clone(), bench.task.program());
        let everything = abstraction.bdds.constant(true);
        let mut reached: BTreeMap<LocId, Bdd> = BTreeMap::from([(bench.entry(), everything.clone())]);
        let mut open = VecDeque::from([(bench.entry(), everything)]);
        let before = bench.budget.spent();
        while let Some((loc, state)) = open.pop_front() {
            for block in graph.leaving(loc) {
                let to = graph.block(*block).to;
                if to == program.error {
                    continue;
                }
                if bench.budget.spent() - before > WORK {
                    return Ok(None);
                }
                bench.budget.check()?;
                let formula = bench.formula(*block)?;
                let precision = precision.at(program, to);
                let known = reached.get(&to);
                let post = abstraction.post(*block, &formula, &state, predicates, &precision, known)?;
                if let Post::States { state: new, .. } = post {
                    let all = match known {
                        Some(known) => known.or(&new).map_err(|e| abstraction.full(e))?,
                        None => new.clone(),
                    };
                    reached.insert(to, all);
                    open.push_back((to, new));
                }
            }
        }
        let formula = |(loc, state): (LocId, Bdd)| (loc, abstraction.formula(&state, predicates));
        Ok(Some(reached.into_iter().map(formula).collect()))
    }
}
