//! What an engine gets beside its task, and gives beside its answer: budget, progress, counters.

use craig_base::Budget;
use craig_smt::{Purpose, Smt};
use craig_verdict::{Outcome, Reason};
use std::time::Duration;

/// The hold that others have on an engine that runs.
pub struct Control<'a> {
    pub budget: &'a Budget,
    pub observer: &'a mut dyn Observer,
    pub stats: Stats,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("budget", self.budget)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<'a> Control<'a> {
    pub fn new(budget: &'a Budget, observer: &'a mut dyn Observer) -> Self {
        Control { budget, observer, stats: Stats::default() }
    }
}

/// What a search comes to; why it does not, if it ends before.
pub type Found = Result<Outcome, Reason>;

/// An engine that is ready to go.
pub trait Search {
    fn check(&mut self, observer: &mut dyn Observer) -> Found;

    /// What it has counted so far.
    fn report(&self, stats: &mut Stats);
}

impl Control<'_> {
    /// Runs a search to its end; its counters are there however it ends.
    pub fn run(&mut self, mut search: impl Search) -> Found {
        let outcome = search.check(self.observer);
        search.report(&mut self.stats);
        outcome
    }
}

/// How far an engine is, for people who wait.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// A few words: `depth 12`.
    pub phase: String,
    pub solver_calls: u64,
}

/// Receives progress while an engine runs.
pub trait Observer: Send {
    fn progress(&mut self, progress: &Progress);

    /// What an engine found on the way, such as interpolants, for those who ask for it: the text is only made if wanted.
    fn detail(&mut self, _text: &dyn Fn() -> String) {}

    /// The same as a picture for Graphviz, under a name of its own.
    fn picture(&mut self, _name: &str, _dot: &dyn Fn() -> String) {}

    /// What is to be interpolated, as an SMT-LIB script with an assertion for each part.
    fn script(&mut self, _name: &str, _text: &dyn Fn() -> String) {}
}

/// Nobody looks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}
}

/// Counters under the names that the JSON has; only what the engine has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    pub counters: Vec<(&'static str, f64)>,
}

/// The counter of calls for a purpose.
fn counter(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Search => "calls_search",
        Purpose::Consecution => "calls_consecution",
        Purpose::Generalisation => "calls_generalisation",
        Purpose::Interpolation => "calls_interpolation",
        Purpose::Spacer => "calls_spacer",
        Purpose::Projection => "calls_projection",
        Purpose::Checking => "calls_checking",
    }
}

impl Stats {
    /// What the solver was asked.
    pub fn solver(&mut self, smt: &Smt) {
        let solver = smt.stats();
        self.set("solver_calls", solver.checks as f64);
        for (purpose, calls) in Purpose::ALL.into_iter().zip(solver.purposes) {
            if calls > 0 {
                self.set(counter(purpose), calls as f64);
            }
        }
        self.set("solver_work", solver.work as f64);
        self.time("solver_s", solver.time);
    }

    pub fn set(&mut self, name: &'static str, value: f64) {
        match self.counters.iter_mut().find(|(n, _)| *n == name) {
            Some((_, v)) => *v = value,
            None => self.counters.push((name, value)),
        }
    }

    /// A time, in seconds.
    pub fn time(&mut self, name: &'static str, time: Duration) {
        self.set(name, time.as_secs_f64());
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        self.counters.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }
}
