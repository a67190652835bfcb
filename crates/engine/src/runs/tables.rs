//! What the procedures of a run did, as a table, and the table as a proof.

use super::numbers::{Numbers, Said, Values};
use craig_cfa::interp::{Here, Watcher};
use craig_cfa::{ProcId, Program, graph};
use craig_encode::Arith;
use craig_verdict::Certificate;
use index_vec::{IndexVec, index_vec};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Rows of the table of a procedure. A question about a body has a case for each.
const ROWS: usize = 200;

pub struct Tables<'p> {
    source: &'p Program,
    numbers: Numbers<'p>,
    /// Open activations: values when they were entered.
    open: Vec<Option<Values>>,
    /// For each procedure, by the values at its entry, those when it returned.
    rows: IndexVec<ProcId, BTreeMap<Values, Option<Values>>>,
    /// There is more than a table holds, or what has no number.
    beyond: bool,
}

impl<'p> Tables<'p> {
    pub fn new(source: &'p Program) -> Tables<'p> {
        let rows = index_vec![BTreeMap::new(); source.procs.len()];
        let loops = graph::order(source, &source.graph()).loop_head.iter().any(|head| *head);
        Tables { source, numbers: Numbers::new(source), open: Vec::new(), rows, beyond: loops }
    }

    fn enter(&mut self, here: &Here<'_, '_, '_>, proc: ProcId) {
        let values = self.numbers.at_entry(here, proc);
        self.beyond |= values.is_none();
        self.open.truncate(here.depth() - 1);
        if let Some(values) = &values {
            self.rows[proc].entry(values.clone()).or_insert(None);
            self.beyond |= self.rows[proc].len() > ROWS;
        }
        self.open.push(values);
    }

    fn leave(&mut self, here: &Here<'_, '_, '_>, proc: ProcId) {
        let Some(entered) = self.open.get(here.depth() - 1).cloned().flatten() else { return };
        let values = self.numbers.at_exit(here, proc);
        self.beyond |= values.is_none();
        self.rows[proc].insert(entered, values);
    }

    /// What the run did, as a proof.
    pub fn certificate(&self, arith: Arith) -> Option<Certificate> {
        if self.beyond {
            return None;
        }
        let mut said = Said::new(self.source, arith);
        for proc in self.numbers.called() {
            let entry = said.entry(&self.numbers, proc)?;
            let exit = said.exit(&self.numbers, proc)?;
            let rows = &self.rows[proc];
            let terms = said.terms();
            let needs = terms.or(rows.keys().map(|values| said.are(&entry, values)));
            let row = |(before, after): (&Values, &Option<Values>)| {
                let after = after.as_ref().map_or(terms.fls(), |after| said.are(&exit, after));
                terms.or([terms.not(said.are(&entry, before)), after])
            };
            let does = terms.and(rows.iter().map(row));
            said.needs(proc, needs);
            said.ensures(proc, does);
        }
        Some(said.certificate())
    }
}

impl Watcher for Tables<'_> {
    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
        if self.beyond {
            return ControlFlow::Continue(());
        }
        let loc = here.loc();
        let proc = self.source.locs[loc].proc;
        if loc == self.source.procs[proc].entry {
            self.enter(here, proc);
        } else if loc == self.source.procs[proc].exit {
            self.leave(here, proc);
        }
        ControlFlow::Continue(())
    }
}
