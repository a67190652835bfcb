//! Replay: does the trace of an engine really run into the error?
//!
//! The interpreter runs the source program with the choices of the trace, each keyed by the source edge and the number of
//! earlier runs over it, so that passes cannot misalign them; a choice that the trace does not name is zero. It shares no
//! code with the encoding. Signed overflow is read as the arithmetic of the trace reads it.

use crate::outcome::{Choice, Reason, Trace};
use craig_base::Budget;
use craig_cfa::interp::{self, Config, Key, Keyed, Outcome, Overflow, Run, Value};
use craig_cfa::{EdgeId, Op, Program};
use craig_encode::Arith;
use rustc_hash::FxHashMap;

/// A run that reached the error.
#[derive(Debug)]
pub struct Replayed {
    pub run: Run,
    pub choices: Keyed,
}

/// Runs the trace on the source program. `steps` bounds the run.
pub fn replay(
    source: &Program,
    trace: &Trace,
    signed_wrap: bool,
    steps: u64,
    budget: &Budget,
) -> Result<Replayed, Reason> {
    let mut choices = keyed(source, trace);
    let overflow = if signed_wrap || trace.arith == Arith::Bv { Overflow::Wrap } else { Overflow::Undefined };
    const KEPT_STEPS: usize = 100_000;
    let config = Config { overflow, steps, trace: KEPT_STEPS, budget: budget.clone(), ..Config::default() };
    let run = interp::run(source, &config, &mut choices, &mut std::io::sink());
    match &run.outcome {
        Outcome::Error => Ok(Replayed { run, choices }),
        Outcome::Stopped(stop) => Err(Reason::Stopped(*stop)),
        Outcome::Unsupported(what) => Err(Reason::Unsupported(
            what.as_str().into(),
            run.at.as_ref().map(|at| at.span).unwrap_or_default(),
        )),
        other => Err(Reason::NotReplayed(other.to_string(), run.at.as_ref().map(|at| at.span))),
    }
}

/// The choices of the trace under their keys.
fn keyed(source: &Program, trace: &Trace) -> Keyed {
    let mut keyed = Keyed::default();
    let mut occurrences: FxHashMap<EdgeId, u64> = FxHashMap::default();
    for step in &trace.steps {
        if !matches!(source.edges[step.origin].op, Op::Havoc(..) | Op::Alloc { .. } | Op::Realloc { .. }) {
            continue;
        }
        let occurrence = occurrences.entry(step.origin).or_insert(0);
        for choice in &step.choices {
            let Choice { offset, bit, size, bits, memory } = *choice;
            let key = Key::Value { edge: step.origin, occurrence: *occurrence, offset, bit };
            let value =
                if memory { Value::bytes_of_word(bits, usize::from(size)) } else { Value::Bits(bits) };
            keyed.values.insert(key, value);
        }
        *occurrence += 1;
    }
    keyed
}
