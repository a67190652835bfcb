//! The steps of a run. Bounded: only the last ones are kept.

use super::value::Value;
use crate::expr::PlaceId;
use crate::program::{CallString, EdgeId, ProcId, VarId};
use std::collections::VecDeque;

/// An executed edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Edge of the program that ran; inside a block, an edge of that block.
    pub edge: EdgeId,
    /// Edge of the source program, and the calls it was inlined through.
    pub origin: EdgeId,
    pub calls: CallString,
    /// Open calls before the step.
    pub depth: usize,
    /// What it wrote, scalars and mathematical values only: the parameters at a call, the place of the result at a return.
    pub writes: Vec<Write>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub target: Target,
    pub value: Value,
    /// Where it points, if it is a pointer to something of the program that has a name.
    pub points: Option<Points>,
}

/// Where a pointer leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// To this byte of a variable, or just past its end.
    In(VarId, u64),
    To(ProcId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Place(PlaceId),
    /// A parameter.
    Var(VarId),
}

/// The last steps of a run.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub steps: VecDeque<Step>,
    /// Steps before those kept.
    pub dropped: u64,
    limit: usize,
}

impl Trace {
    pub(super) fn new(limit: usize) -> Self {
        Trace { steps: VecDeque::new(), dropped: 0, limit }
    }

    pub(super) fn push(&mut self, step: Step) {
        if self.steps.len() >= self.limit {
            self.steps.pop_front();
            self.dropped += 1;
        }
        self.steps.push_back(step);
    }

    pub(super) fn write(&mut self, target: Target, value: Value, points: Option<Points>) {
        if let Some(step) = self.steps.back_mut() {
            step.writes.push(Write { target, value, points });
        }
    }
}
