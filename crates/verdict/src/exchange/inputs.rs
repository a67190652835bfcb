//! What a run got from functions, as claims about the calls in the text.

use crate::replay::{Violation, choosing};
use craig_base::{Budget, Span};
use craig_cfa::interp::{Chooser, Key, Scalar};
use craig_cfa::{Choice, EdgeId, Graph, LocId, Op, Program, Type, arith};
use std::collections::BTreeMap;

/// A call whose result matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Result {
    /// The call.
    pub span: Span,
    /// Who calls.
    pub function: String,
    pub callee: String,
    /// What holds of `\result`, as C.
    pub holds: String,
}

/// Calls of a run that are told at most.
const MOST: usize = 10_000;

/// The results that functions without body gave, in order. `None` if the run does not reach the error.
pub fn results(
    program: &Program,
    violation: &Violation,
    signed_wrap: bool,
    budget: &Budget,
) -> Option<Vec<Result>> {
    let edges = choosing(program, violation, signed_wrap, MOST, budget)?;
    let graph = program.graph();
    let mut keyed = violation.keyed();
    let mut count: BTreeMap<EdgeId, u64> = BTreeMap::new();
    let mut results = Vec::new();
    for id in edges {
        let seen = count.entry(id).or_insert(0);
        let occurrence = *seen;
        *seen += 1;
        let edge = &program.edges[id];
        let Op::Havoc(place, Choice::Nondet(callee) | Choice::Extern(callee)) = &edge.op else { continue };
        let proc = program.locs[edge.from].proc;
        let is_call = program.source.snippet(edge.span).trim_end().ends_with(')');
        if proc == program.entry || !is_call || program.source.place(edge.span).is_none() {
            continue;
        }
        let key = Key::Value { edge: id, occurrence, offset: 0, bit: 0 };
        let holds = match program.types.get(program.exprs.place(*place).ty) {
            Type::Int(int) if int.width == 1 && is_pointer(program, &graph, id) => {
                let null = keyed.bits(&key, None, Scalar::Bool) != 0;
                format!("\\result {} 0", if null { "==" } else { "!=" })
            }
            Type::Int(int) => {
                let bits = arith::truncate(keyed.bits(&key, None, Scalar::Int(*int)), *int);
                match int.signed {
                    true => number(arith::to_i128(bits, *int)),
                    false => format!("\\result == {bits}{}", if int.width > 32 { "ull" } else { "u" }),
                }
            }
            _ => continue,
        };
        let function = program.procs[proc].name.to_string();
        results.push(Result { span: edge.span, function, callee: callee.to_string(), holds });
    }
    Some(results)
}

fn number(value: i128) -> String {
    match value {
        // The least numbers have no literals.
        _ if value == i128::from(i64::MIN) => "\\result == -9223372036854775807ll - 1".into(),
        _ if value == i128::from(i32::MIN) => "\\result == -2147483647 - 1".into(),
        _ => format!("\\result == {value}"),
    }
}

/// Is what the edge chooses whether a pointer is null?
fn is_pointer(program: &Program, graph: &Graph, edge: EdgeId) -> bool {
    let span = program.edges[edge].span;
    let next =
        |loc: LocId| graph.succ[loc].iter().map(|e| &program.edges[*e]).filter(move |e| e.span == span);
    let guards = next(program.edges[edge].to).filter(|e| matches!(e.op, Op::Assume(_)));
    guards.flat_map(|guard| next(guard.to)).any(|edge| matches!(edge.op, Op::Alloc { .. }))
}
