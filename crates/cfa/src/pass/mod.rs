//! Passes from program to program.
//!
//! | pass | does |
//! |---|---|
//! | [`overflow`](mod@overflow) | makes every signed overflow an error |
//! | [`guard`](mod@guard) | assumes that operations are defined |
//! | [`inline`](mod@inline) | puts bodies in place of calls, of recursive ones to some depth |
//! | [`fold`](mod@fold) | folds constants, removes edges that do nothing |
//! | [`prune`](mod@prune) | cuts what control cannot reach and what cannot reach the error |
//! | [`cone`](mod@cone) | drops operations that no assumption depends on |
//! | [`prepare`](mod@prepare) | all of these in their order |
//!
//! A pass takes a program and returns a new one with its own ids, and the way back. The greater part of that is in the program:
//! locations, edges and variables carry their origin in the program that the front end made (see [`crate::program`]), so that an
//! execution of the new program names one of the source program. What else an invariant of the new program needs to be one of the source
//! program is a [`Back`]. Procedures keep their ids. Every pass but the first two keeps whether the error can be reached, and by which choices.

mod compact;
pub mod cone;
pub mod fold;
pub mod guard;
pub mod inline;
pub mod overflow;
pub mod prepare;
pub mod prune;

pub use cone::cone;
pub use fold::fold;
pub use guard::{Guard, guard};
pub use inline::{Inlined, NotInlined, TooLarge, Unfolded, Unfolding, inline};
pub use overflow::overflow;
pub use prepare::{PrepareOptions, Prepared, prepare};
pub use prune::prune;

use crate::analysis::Facts;
use crate::program::{Edge, EdgeId, LocId, Program, VarId};

/// What a pass made of a program.
#[derive(Debug, Clone)]
pub struct Passed {
    pub program: Program,
    pub back: Back,
}

/// The way back for invariants: facts about the source program that a pass used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Back {
    /// Values of variables that were used. Every invariant of the result needs those of its location beside it.
    pub values: Facts,
    /// Edges that no run takes because of these values.
    pub never: Vec<Site<EdgeId>>,
    /// Loop heads that are no longer there because the error cannot be reached from them: any state will do there.
    pub harmless: Vec<Site<LocId>>,
}

/// Something of the source program under a string of calls, outermost first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site<T> {
    pub origin: T,
    pub calls: Vec<EdgeId>,
}

impl Site<EdgeId> {
    pub fn of_edge(program: &Program, edge: &Edge) -> Self {
        Site { origin: edge.origin, calls: program.calls.path(edge.calls) }
    }

    /// Of a call: the string of calls inside.
    pub fn string(&self) -> Vec<EdgeId> {
        self.calls.iter().copied().chain([self.origin]).collect()
    }
}

impl Site<LocId> {
    pub fn of_loc(program: &Program, loc: LocId) -> Self {
        let loc = &program.locs[loc];
        Site { origin: loc.origin, calls: program.calls.path(loc.calls) }
    }
}

impl Site<VarId> {
    pub fn of_var(program: &Program, var: VarId) -> Self {
        let var = &program.vars[var];
        Site { origin: var.origin, calls: program.calls.path(var.calls) }
    }
}

impl Back {
    /// The way back through another pass first, then through this one.
    pub fn after(&mut self, last: Back) {
        self.values.extend(last.values);
        self.never.extend(last.never);
        self.harmless.extend(last.harmless);
    }
}

#[cfg(test)]
mod tests;
