//! From a model of a path to the execution it names.

use craig_base::Span;
use craig_cfa::{Program, TypeId};
use craig_encode::block::Taken;
use craig_logic::{TermId, Value};
use craig_verdict::{Choice, Reason, Step};

/// The steps through one encoded block, last first. `value` is the value of a term of the block in the model.
///
/// Fails if the path needs an operation that is not modelled.
pub fn block_steps(
    program: &Program,
    edges: &[Taken],
    exit: u32,
    value: &mut dyn FnMut(TermId) -> Value,
) -> Result<Vec<Step>, Reason> {
    let mut steps = Vec::new();
    let mut node = exit;
    while node != 0 {
        let taken = edges.iter().find(|e| e.to == node && value(e.taken) == Value::Bool(true));
        let Some(taken) = taken else {
            return Err(Reason::Internal("the model names no path through a block".into()));
        };
        if let Some(what) = &taken.unsupported {
            return Err(Reason::Unsupported(what.clone(), span_of(program, taken)));
        }
        steps.push(step(program, taken, value));
        node = taken.from;
    }
    Ok(steps)
}

fn span_of(program: &Program, taken: &Taken) -> Span {
    let edges = program.edges.iter().filter(|e| e.origin == taken.origin).map(|e| e.span);
    let inner = program.regions.iter().flat_map(|r| &r.edges).filter(|e| e.origin == taken.origin);
    edges.chain(inner.map(|e| e.span)).next().unwrap_or_default()
}

fn step(program: &Program, taken: &Taken, value: &mut dyn FnMut(TermId) -> Value) -> Step {
    let choices = taken.chosen.iter().map(|chosen| Choice {
        offset: chosen.offset,
        bit: chosen.bit,
        size: program.types.size_of(chosen.ty).unwrap_or(8).min(16) as u8,
        bits: bits_of(&value(chosen.symbol), program, chosen.ty),
        memory: chosen.memory,
    });
    Step { origin: taken.origin, calls: taken.calls, choices: choices.collect() }
}

/// The bits of a value in a type.
fn bits_of(value: &Value, program: &Program, ty: TypeId) -> u128 {
    match value {
        Value::Bool(b) => u128::from(*b),
        Value::Num(n) => {
            let wrapped = craig_logic::bits::wrap(n.floor().numerator(), 128);
            let bits = u128::try_from(&wrapped).unwrap_or(0);
            match program.types.as_word(ty) {
                Some(word) => craig_cfa::arith::truncate(bits, word),
                None => bits,
            }
        }
        Value::Bv(_, bits) => u128::try_from(bits).unwrap_or(0),
        Value::Array(_) => 0,
    }
}
