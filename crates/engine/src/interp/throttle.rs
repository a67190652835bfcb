//! What may be spent on what only might help: a share of all work of the solver, and a little at once.

use craig_smt::Smt;

/// One part in so many of all work.
const SHARE: u64 = 6;
/// Work that is free: some tenths of a second.
const FREE: u64 = 1_500_000;

#[derive(Debug, Default)]
pub struct Throttle {
    spent: u64,
}

impl Throttle {
    /// Whether there is something left.
    pub fn allows(&self, smt: &Smt) -> bool {
        self.spent * SHARE <= smt.stats().work + FREE * SHARE
    }

    /// Counts what was spent since the solver had done so much work.
    pub fn spend(&mut self, smt: &Smt, since: u64) {
        self.spent += smt.stats().work - since;
    }
}
