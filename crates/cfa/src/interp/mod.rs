//! The concrete interpreter: runs a program bit by bit, with memory, as C and the comments of the IR say.
//!
//! It is the judge of every counterexample, and therefore shares no code with the encoding into formulas. A program that a pass made
//! runs as well.
//!
//! | module | holds |
//! |---|---|
//! | [`end`] | what a run ended with, in types and in words |
//! | [`chooser`] | where arbitrary values come from |
//! | [`guess`] | arbitrary values for many short runs |
//! | [`value`] | values and Boogie's maps |
//! | [`trace`] | the steps of a run, for people and for replay |
//! | [`watch`] | looking at a run from outside |
//! | `code` | the program made ready: steps by location, storage of variables |
//! | `machine` | the state and the main loop |
//! | `step` | one operation |
//! | `havoc` | arbitrary values of any type |
//! | `eval` | expressions with machine values |
//! | `fast` | the short way through expressions of at most 64 bits |
//! | `math` | expressions with mathematical values |
//! | `place` | from places to storage, reads and writes |
//! | `memory` | objects of bytes and their addresses |
//! | `float` | floats by their bits |
//! | `output`, `format` | `printf` and its family |
//!
//! # Meaning where C leaves a choice
//! - Variables live in memory only if they are aggregates or their address is taken; all others in slots of their frame. Locals start
//!   as zeros: it is the front end that makes what is uninitialised arbitrary, with a `Havoc`.
//! - Memory objects have addresses with unmapped gaps between them. An access must lie in one live object. `a[i]` must lie in `a`, and
//!   `p[i]` in the object that `p` points into, even if the address is one of another object.
//! - A conversion of a float to an integer type that does not have its value is undefined behaviour and ends the run.
//! - The result of a call is stored when the call returns, into the place as it is then.
//! - A location with several outgoing edges: all guards are evaluated, and if more than one holds the [`Chooser`] picks. Undefined
//!   behaviour in a guard ends the run.

pub mod chooser;
mod code;
pub mod end;
mod eval;
mod fast;
mod float;
mod format;
pub mod guess;
mod havoc;
mod machine;
mod math;
mod memory;
mod output;
mod place;
mod step;
pub mod trace;
pub mod value;
pub mod watch;

#[cfg(test)]
mod tests;

pub use chooser::{Chooser, Key, Keyed, Random, Recording, Scalar, Values, Zero};
pub use end::{At, Limit, Run, RunEnd, Undefined};
pub use trace::{Points, Step, Target, Trace, Write};
pub use value::{MapValue, Rest, Value};
pub use watch::{Here, Thing, Watch, Watcher};

use crate::{EdgeId, Program, VarId};
use craig_base::Budget;
use std::collections::BTreeMap;
use std::io;

/// What a signed operation does whose result leaves its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overflow {
    /// It is undefined behaviour and ends the run.
    #[default]
    Undefined,
    /// It wraps around, as with `-fwrapv`.
    Wrap,
}

/// How to run.
#[derive(Debug, Clone)]
pub struct Config {
    pub overflow: Overflow,
    /// Edges to execute at most.
    pub steps: u64,
    /// Calls inside each other at most.
    pub depth: usize,
    /// Bytes that the objects of the program may hold, with what it costs to keep them.
    pub memory: u64,
    /// Where objects lie.
    pub places: Places,
    /// Objects that are there before the program starts, apart from each other: what the environment gives. Pointers to them are chosen.
    pub outside: Vec<Outside>,
    /// How many steps of the trace to keep, the last ones; 0 for none.
    pub trace: usize,
    pub budget: Budget,
}

/// Where the objects of a run lie: C leaves it open, and a program may look. What is named lies where it is said if that is possible, the
/// rest anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Objects by what makes them, and the open calls, outermost first.
    pub at: BTreeMap<(Made, Vec<EdgeId>), u64>,
    /// From here on lies what is not named.
    pub rest: Option<u64>,
}

/// An object of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    pub address: u64,
    /// All that it holds at first.
    pub bytes: Vec<u8>,
}

/// What makes an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Made {
    Var(VarId),
    /// An edge that allocates.
    By(EdgeId),
}

impl Default for Config {
    fn default() -> Self {
        Config {
            overflow: Overflow::default(),
            steps: u64::MAX,
            depth: 100_000,
            memory: 1 << 30,
            places: Places::default(),
            outside: Vec::new(),
            trace: 0,
            budget: Budget::unlimited(),
        }
    }
}

/// Runs the program from its entry. What it prints goes to `out`.
pub fn run(program: &Program, config: &Config, chooser: &mut dyn Chooser, out: &mut dyn io::Write) -> Run {
    let code = code::Code::new(program);
    machine::Machine::new(program, &code, config, chooser, out, None).run()
}

/// A program made ready for many runs.
#[derive(Debug)]
pub struct Runner<'p> {
    program: &'p Program,
    code: code::Code<'p>,
}

impl<'p> Runner<'p> {
    pub fn new(program: &'p Program) -> Self {
        Runner { program, code: code::Code::new(program) }
    }

    /// Runs the program from its entry while somebody looks. What it prints is lost.
    pub fn run(&self, config: &Config, chooser: &mut dyn Chooser, watch: Watch<'_>) -> Run {
        let mut out = io::sink();
        let watch = Watch { watcher: &mut *watch.watcher, ..watch };
        machine::Machine::new(self.program, &self.code, config, chooser, &mut out, Some(watch)).run()
    }
}
