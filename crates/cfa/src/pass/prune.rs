//! Cuts what cannot matter for reaching the error: RSE, section IV.A.
//!
//! The paper goes backwards from the error through one graph. Here procedures call each other, so that three things are
//! computed, each by one linear search:
//! 1. forwards from the entry, the locations that control can reach (a call is passed only if the callee can return);
//! 2. `errs`: locations from which the error can be reached before their procedure returns, in it or in what it calls;
//! 3. `exit_useful`: procedures after whose return some caller can still reach the error.
//!
//! A location stays if it is reachable and `errs`, or if it can reach the exit of a procedure whose exit is useful: a callee that
//! cannot reach the error is still run for its effects if control comes back. The target of a call whose callee may
//! reach the error but after which nothing can stays as a dead end.
//!
//! Invariants: no edge is added or changed; entry and exit of procedures and the error location always stay. A `Halt` is never
//! passed.
//!
//! The way back: a loop head that is cut because it cannot reach the error has the invariant `true`, one that cannot be reached none.

use super::compact::compact;
use super::{Back, Passed, Site};
use crate::graph::{self, CallGraph, call_graph};
use crate::program::{Edge, Graph, LocId, Op, ProcId, Program};
use craig_base::{Budget, Stop};
use index_vec::{IndexVec, index_vec};

pub fn prune(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    let useful = Useful::new(program, budget)?;
    budget.check_memory()?;
    let mut result = program.clone();
    result.edges.retain(|edge| useful.edge(program, edge));
    let heads = graph::order(program, &program.graph()).loop_head;
    let dropped =
        heads.into_iter_enumerated().filter(|(id, head)| *head && useful.reached[*id] && !useful.loc[*id]);
    let harmless = dropped.map(|(id, _)| Site::of_loc(program, id)).collect();
    Ok(Passed { program: compact(result, budget)?, back: Back { harmless, ..Back::default() } })
}

/// What can matter for reaching the error.
struct Useful {
    /// Control can reach it.
    reached: IndexVec<LocId, bool>,
    /// The locations that stay.
    loc: IndexVec<LocId, bool>,
    /// From the entry of the procedure the error can be reached before it returns.
    errs: IndexVec<ProcId, bool>,
    /// From the entry of the procedure its exit can be reached.
    returns: IndexVec<ProcId, bool>,
}

impl Useful {
    fn new(program: &Program, budget: &Budget) -> Result<Self, Stop> {
        let graph = program.graph();
        let calls = call_graph(program);
        let to_exit = backwards(program, &graph, &calls, program.procs.iter().map(|p| p.exit), false, None);
        let returns: IndexVec<ProcId, bool> = program.procs.iter().map(|p| to_exit[p.entry]).collect();
        budget.check()?;
        let reached = forwards(program, &graph, &returns);
        budget.check()?;
        let errs = backwards(program, &graph, &calls, [program.error].into_iter(), true, Some(&returns));
        let exit_useful = useful_exits(program, &calls, &reached, &errs, &to_exit, &returns);
        let loc = program
            .locs
            .iter_enumerated()
            .map(|(id, l)| reached[id] && (errs[id] || to_exit[id] && exit_useful[l.proc]))
            .collect();
        let errs = program.procs.iter().map(|p| errs[p.entry]).collect();
        Ok(Useful { reached, loc, errs, returns })
    }

    fn edge(&self, program: &Program, edge: &Edge) -> bool {
        if !self.loc[edge.from] {
            return false;
        }
        match &edge.op {
            Op::Halt(_) => false,
            Op::Call(call) => self.errs[call.proc] || self.returns[call.proc] && self.loc[edge.to],
            _ => edge.to == program.error || self.loc[edge.to],
        }
    }
}

fn callee(op: &Op) -> Option<ProcId> {
    match op {
        Op::Call(call) => Some(call.proc),
        _ => None,
    }
}

/// Locations from which a path inside their procedure leads to one of the targets. A call is passed if its callee returns: if
/// `returns` says so or, without it, once the entry of the callee is found. With `into`, entering a callee whose entry is found
/// counts as well.
fn backwards(
    program: &Program,
    graph: &Graph,
    calls: &CallGraph,
    targets: impl Iterator<Item = LocId>,
    into: bool,
    returns: Option<&IndexVec<ProcId, bool>>,
) -> IndexVec<LocId, bool> {
    let mut found = index_vec![false; program.locs.len()];
    let mut stack: Vec<LocId> = targets.collect();
    stack.iter().for_each(|&l| found[l] = true);
    let mark = |stack: &mut Vec<LocId>, found: &mut IndexVec<LocId, bool>, loc: LocId| {
        if !std::mem::replace(&mut found[loc], true) {
            stack.push(loc);
        }
    };
    while let Some(loc) = stack.pop() {
        for &id in &graph.pred[loc] {
            let edge = &program.edges[id];
            let passes = match &edge.op {
                Op::Halt(_) => false,
                op => callee(op).is_none_or(|p| match returns {
                    Some(returns) => returns[p],
                    None => found[program.procs[p].entry],
                }),
            };
            if passes {
                mark(&mut stack, &mut found, edge.from);
            }
        }
        let proc = program.locs[loc].proc;
        if loc == program.procs[proc].entry && loc != program.error {
            for &id in &calls.callers[proc] {
                let edge = &program.edges[id];
                if into || returns.is_none() && found[edge.to] {
                    mark(&mut stack, &mut found, edge.from);
                }
            }
        }
    }
    found
}

/// Locations that control can reach from the entry of the program.
fn forwards(program: &Program, graph: &Graph, returns: &IndexVec<ProcId, bool>) -> IndexVec<LocId, bool> {
    let mut found = index_vec![false; program.locs.len()];
    let start = program.procs[program.entry].entry;
    found[start] = true;
    let mut stack = vec![start];
    while let Some(loc) = stack.pop() {
        for &id in &graph.succ[loc] {
            let edge = &program.edges[id];
            let (next, inner) = match &edge.op {
                Op::Halt(_) => (None, None),
                op => match callee(op) {
                    Some(p) => (returns[p].then_some(edge.to), Some(program.procs[p].entry)),
                    None => (Some(edge.to), None),
                },
            };
            for to in next.into_iter().chain(inner) {
                if !std::mem::replace(&mut found[to], true) {
                    stack.push(to);
                }
            }
        }
    }
    found
}

/// Procedures after whose return the error can be reached: from the target of a call, or because the exit of the caller is useful.
fn useful_exits(
    program: &Program,
    calls: &CallGraph,
    reachable: &IndexVec<LocId, bool>,
    errs: &IndexVec<LocId, bool>,
    to_exit: &IndexVec<LocId, bool>,
    returns: &IndexVec<ProcId, bool>,
) -> IndexVec<ProcId, bool> {
    let mut useful: IndexVec<ProcId, bool> = index_vec![false; program.procs.len()];
    let mut stack = Vec::new();
    for (p, callers) in calls.callers.iter_enumerated() {
        let after = |to: LocId| reachable[to] && errs[to];
        if returns[p] && callers.iter().any(|&id| after(program.edges[id].to)) {
            useful[p] = true;
            stack.push(p);
        }
    }
    while let Some(caller) = stack.pop() {
        for &id in &calls.calls[caller] {
            let edge = &program.edges[id];
            let p = callee(&edge.op).expect("a call edge calls");
            if returns[p] && reachable[edge.to] && to_exit[edge.to] && !useful[p] {
                useful[p] = true;
                stack.push(p);
            }
        }
    }
    useful
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinOp;
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    /// `effect` never errs but control comes back; `fails` errs; after the second `effect` nothing matters; `unused` is not called.
    #[test]
    fn procedures_stay_for_their_effects() {
        let mut b = Build::new();
        let g = b.global("g");
        let effect = b.proc("effect");
        let (entry, l, late) = (b.entry(), b.loc(), b.loc());
        b.set(entry, l, g, 1);
        b.ret_num(l, 0);
        // Halts without coming back.
        let zero = b.cmp(BinOp::Eq, g, 0);
        b.assume(entry, late, zero);
        b.edge(late, l, Op::Halt(crate::Halt::Abort));
        let fails = b.proc("fails");
        let (entry, l, error) = (b.entry(), b.loc(), b.error());
        let c = b.cmp(BinOp::Eq, g, 1);
        b.branch(entry, c, error, l);
        b.ret_num(l, 0);
        b.proc("unused");
        let entry = b.entry();
        b.edge(entry, error, Op::Skip);
        b.proc = b.program.entry;
        let l: Vec<LocId> = (0..4).map(|_| b.loc()).collect();
        let entry = b.entry();
        b.call(entry, l[0], effect, vec![], None);
        b.call(l[0], l[1], fails, vec![], None);
        b.call(l[1], l[2], effect, vec![], None);
        b.ret_num(l[2], 0);
        let result = prune(&b.program, &Budget::unlimited()).expect("no limit").program;
        debug_verify(&result, "prune");
        assert_snapshot!(result, @r"
        global g: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> L10: effect()
          L10 -> L11: fails()

        proc effect() -> i32    // entry L3, exit L4
          L3 -> L5: g = 1
          L5 -> L4: return 0

        proc fails() -> i32    // entry L6, exit L7
          L6 -> ERROR: [g == 1]
        ");
    }
}
