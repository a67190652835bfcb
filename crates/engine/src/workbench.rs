//! What engines on terms work with, in one thread: terms, solver, encoder, the graph of blocks and the formulas of these.

use crate::domains::Domains;
use crate::formulas::Formula;
use crate::run::{Observer, Progress, Stats};
use crate::slots::Slots;
use crate::task::Task;
use craig_base::Budget;
use craig_cfa::{BlockGraph, BlockId, Blocks, LocId, Program};
use craig_encode::memory::CellId;
use craig_encode::{Arith, Encoder, NotEncoded, Options, Uninlined};
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_smt::Smt;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
pub struct Workbench<'t> {
    pub task: &'t Task,
    pub budget: Budget,
    pub graph: Arc<BlockGraph>,
    pub terms: Rc<Terms>,
    pub smt: Smt,
    pub encoder: Encoder<'t>,
    pub slots: Rc<Slots>,
    /// What is taken for granted of values before blocks; nothing unless the engine has it found out.
    pub domains: Rc<Domains>,
    formulas: FxHashMap<BlockId, Rc<Formula>>,
    /// Time that was spent on a certificate when the search had ended.
    pub(crate) certificate: Cell<Option<Duration>>,
}

impl<'t> Workbench<'t> {
    pub fn new(task: &'t Task, arith: Arith, blocks: Blocks, budget: &Budget) -> Result<Self, Reason> {
        budget.check()?;
        let graph = task.graph(blocks, budget)?;
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let options = Options { arith, signed_wrap: task.signed_wrap };
        let encoder = Encoder::new(task.program(), &task.layout, Rc::clone(&terms), options);
        let slots = Rc::new(Slots::new(&encoder));
        let (domains, formulas) = (Rc::default(), FxHashMap::default());
        let (budget, certificate) = (budget.clone(), Cell::default());
        Ok(Workbench { task, budget, graph, terms, smt, encoder, slots, domains, formulas, certificate })
    }

    pub fn program(&self) -> &'t Program {
        self.task.program()
    }

    /// Where runs begin.
    pub fn entry(&self) -> LocId {
        self.program().procs[self.program().entry].entry
    }

    /// The formula of a block, made once.
    pub fn formula(&mut self, block: BlockId) -> Result<Rc<Formula>, Reason> {
        if let Some(known) = self.formulas.get(&block) {
            return Ok(Rc::clone(known));
        }
        let made = Formula::new(&self.encoder, &self.slots, &self.graph, block, &self.budget);
        let made = Rc::new(made.map_err(|e| not_encoded(self.program(), e))?);
        self.formulas.insert(block, Rc::clone(&made));
        Ok(made)
    }

    /// Blocks with their formulas.
    pub fn formulas(
        &mut self,
        blocks: impl IntoIterator<Item = BlockId>,
    ) -> Result<Vec<(BlockId, Rc<Formula>)>, Reason> {
        blocks.into_iter().map(|block| Ok((block, self.formula(block)?))).collect()
    }

    /// For each slot, that its value lies in its type, where that says something. Runs without signed overflow keep to it; the checker
    /// takes it for granted at every cut as well.
    pub fn ranges(&self) -> Vec<Option<TermId>> {
        let (terms, layout) = (&self.terms, &self.task.layout);
        let range = |(cell, symbol): (CellId, &TermId)| {
            let range = self.encoder.cell_range(cell)?;
            let number = |n: i128| terms.numeral(&Rat::from_ibig(n.into()), Sort::Int);
            Some(terms.and([terms.le(number(range.low), *symbol), terms.le(*symbol, number(range.high))]))
        };
        let mut ranges: Vec<_> = layout.cells().indices().zip(&self.slots.symbols).map(range).collect();
        ranges.resize(self.slots.symbols.len(), None);
        ranges
    }

    pub fn progress(&self, observer: &mut dyn Observer, phase: String) {
        observer.progress(&Progress { phase, solver_calls: self.smt.stats().checks });
    }

    pub fn report(&self, stats: &mut Stats) {
        stats.set("blocks", self.graph.blocks().len() as f64);
        stats.set("places_seen", self.task.layout.sites().len().saturating_sub(1) as f64);
        if let Some(time) = self.certificate.get() {
            stats.time("certificate_s", time);
        }
        stats.solver(&self.smt);
    }
}

/// Why a block without formula ends an engine.
pub fn not_encoded(program: &Program, why: NotEncoded) -> Reason {
    match why {
        NotEncoded::Call(Uninlined(proc)) => Reason::recursion(program.procs[proc].name.clone()),
        NotEncoded::Stopped(stop) => Reason::Stopped(stop),
    }
}
