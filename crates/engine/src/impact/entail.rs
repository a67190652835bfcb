//! What labels imply. What can be read off the conjuncts is; the solver's answers are kept.

use super::unwinding::Label;
use crate::domains::Domains;
use crate::formulas::{Formula, Plain, Sessions};
use crate::slots::Slots;
use crate::workbench::Workbench;
use craig_cfa::BlockId;
use craig_logic::{TermId, Terms};
use craig_smt::Status;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Work for a question, some tenths of a second. One that takes more has the answer that is always right: not implied.
const WORK: u32 = 2_000_000;

#[derive(Debug)]
pub struct Entailment {
    terms: Rc<Terms>,
    state: Rc<Slots>,
    domains: Rc<Domains>,
    labels: Plain,
    implied: FxHashMap<(TermId, TermId), bool>,
    blocks: Sessions,
    through: FxHashMap<(BlockId, TermId, TermId), bool>,
    /// Formulas behind a block, as formulas over the state before it.
    before: FxHashMap<(BlockId, TermId), TermId>,
    slots_of: FxHashMap<TermId, Rc<[u32]>>,
}

impl Entailment {
    pub fn new(bench: &Workbench<'_>) -> Self {
        Entailment {
            terms: Rc::clone(&bench.terms),
            state: Rc::clone(&bench.slots),
            domains: Rc::clone(&bench.domains),
            labels: Plain::new(&bench.smt),
            implied: FxHashMap::default(),
            blocks: Sessions::new(bench),
            through: FxHashMap::default(),
            before: FxHashMap::default(),
            slots_of: FxHashMap::default(),
        }
    }

    /// Does one label imply the other?
    pub fn implies(&mut self, a: &Label, b: &Label) -> Result<bool, Reason> {
        for conjunct in &b.conjuncts {
            if !self.holds(a, *conjunct)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the label imply the formula?
    pub fn holds(&mut self, label: &Label, formula: TermId) -> Result<bool, Reason> {
        if self.terms.is_true(formula) || label.conjuncts.contains(&formula) {
            return Ok(true);
        }
        // No conjunct of a label is valid, so `true` implies none.
        if label.conjuncts.is_empty() {
            return Ok(false);
        }
        let key = (label.formula, formula);
        if let Some(known) = self.implied.get(&key) {
            return Ok(*known);
        }
        let mut question: Vec<TermId> = label.conjuncts.iter().copied().collect();
        question.push(self.terms.not(formula));
        for asked in [label.formula, formula] {
            question.extend(&*self.domains.ranges(&self.terms, &self.state, asked));
        }
        let implied = is_unsat(self.labels.check(&question, WORK))?;
        self.implied.insert(key, implied);
        Ok(implied)
    }

    /// Does the label imply that the formula holds behind the block? With `false`: is there no way through the block?
    pub fn holds_behind(
        &mut self,
        label: &Label,
        block: BlockId,
        made: &Formula,
        formula: TermId,
    ) -> Result<bool, Reason> {
        let (terms, state) = (&self.terms, &self.state);
        let before = || made.before(terms, state, formula);
        let before = *self.before.entry((block, formula)).or_insert_with(before);
        if label.conjuncts.contains(&before) {
            return Ok(true);
        }
        // Conjuncts that have no variable in common with the question have no say in it.
        let goal = self.slots(before);
        let slots = label.conjuncts.iter().flat_map(|c| self.slots(*c).to_vec()).collect::<Vec<_>>();
        let concerned = slots.iter().any(|s| made.reads.binary_search(s).is_ok() || goal.contains(s));
        let from = if concerned { label.formula } else { self.terms.tru() };
        let key = (block, from, before);
        if let Some(known) = self.through.get(&key) {
            return Ok(*known);
        }
        let session = self.blocks.get(block, made, &[from, before]);
        session.set_work_limit(WORK);
        let implied = is_unsat(session.check_assuming(&[from, self.terms.not(before)]))?;
        self.through.insert(key, implied);
        Ok(implied)
    }

    fn slots(&mut self, formula: TermId) -> Rc<[u32]> {
        let (terms, state) = (&self.terms, &self.state);
        let slots = || state.of(terms, &[formula]).into();
        Rc::clone(self.slots_of.entry(formula).or_insert_with(slots))
    }
}

fn is_unsat(status: Status) -> Result<bool, Reason> {
    match status {
        Status::Unsat => Ok(true),
        Status::Unknown(why) if !why.gave_up() => Err(why.into()),
        Status::Sat | Status::Unknown(_) => Ok(false),
    }
}
