//! What engines get and give.

use craig_encode::Arith;

/// What every engine is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    pub arith: Arith,
    pub signed_wrap: bool,
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
    pub fn set(&mut self, name: &'static str, value: f64) {
        match self.counters.iter_mut().find(|(n, _)| *n == name) {
            Some((_, v)) => *v = value,
            None => self.counters.push((name, value)),
        }
    }
}
