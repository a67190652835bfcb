//! What engines get and give.

use craig_base::Budget;
use craig_cfa::pass::prepare::Prepared;
use craig_encode::Encoder;
use craig_encode::memory::AddressMap;
use craig_logic::Terms;
use craig_smt::Smt;
use craig_verdict::{Outcome, Reason};
use std::rc::Rc;

/// What every engine is told: how the program is read.
pub use craig_encode::Options as RunOptions;

/// Lets an engine work with a solver and an encoder on one store of terms.
pub fn with_solver<'p>(
    prepared: &'p Prepared,
    options: &RunOptions,
    budget: &Budget,
    work: impl FnOnce(&Smt, Encoder<'p>) -> Result<Outcome, Reason>,
) -> Outcome {
    let terms = Rc::new(Terms::new());
    let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Solver(e.to_string()));
    let outcome = smt.and_then(|smt| {
        let encoder = Encoder::new(&prepared.program, terms, *options, &AddressMap::default());
        work(&smt, encoder)
    });
    outcome.unwrap_or_else(Outcome::Unknown)
}

/// How far an engine is, for people who wait.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// A few words: `depth 12`.
    pub phase: String,
    pub solver_calls: u64,
}

/// Receives progress while an engine runs.
pub trait Observer {
    fn progress(&mut self, progress: &Progress);

    /// What an engine found on the way, such as interpolants, for those who ask for it: the text is only made if wanted.
    fn detail(&mut self, _text: &dyn Fn() -> String) {}
}

/// Nobody looks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}
}

/// Counters under their names in the JSON (design, section 8); only what the engine has.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    pub counters: Vec<(&'static str, f64)>,
}

impl Stats {
    /// What the solver was asked.
    pub fn solver(&mut self, smt: &Smt) {
        let solver = smt.stats();
        self.set("solver_calls", solver.checks as f64);
        self.set("solver_s", solver.time.as_secs_f64());
    }

    pub fn set(&mut self, name: &'static str, value: f64) {
        match self.counters.iter_mut().find(|(n, _)| *n == name) {
            Some((_, v)) => *v = value,
            None => self.counters.push((name, value)),
        }
    }
}
