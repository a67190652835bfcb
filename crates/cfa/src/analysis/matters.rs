//! Which locations lie on a way from the entry to the error, over calls and returns, whatever the values.

use crate::program::{LocId, Op, Program};
use index_vec::{IndexVec, index_vec};

/// For each location, whether control may come there and the error may be reached from there. Calls and returns are not matched: more may be told than is so.
pub fn matters(program: &Program) -> IndexVec<LocId, bool> {
    let mut steps: Vec<(LocId, LocId)> = Vec::new();
    for edge in &program.edges {
        match &edge.op {
            Op::Call(call) => {
                let callee = &program.procs[call.proc];
                steps.extend([(edge.from, callee.entry), (callee.exit, edge.to)]);
            }
            _ => steps.push((edge.from, edge.to)),
        }
    }
    let reached = closure(program, program.procs[program.entry].entry, steps.iter().copied());
    let leading = closure(program, program.error, steps.iter().map(|&(from, to)| (to, from)));
    reached.iter().zip(&leading).map(|(reached, leading)| *reached && *leading).collect()
}

fn closure(
    program: &Program,
    start: LocId,
    steps: impl Iterator<Item = (LocId, LocId)>,
) -> IndexVec<LocId, bool> {
    let mut next: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); program.locs.len()];
    for (from, to) in steps {
        next[from].push(to);
    }
    let mut found = index_vec![false; program.locs.len()];
    found[start] = true;
    let mut stack = vec![start];
    while let Some(loc) = stack.pop() {
        for &to in &next[loc] {
            if !std::mem::replace(&mut found[to], true) {
                stack.push(to);
            }
        }
    }
    found
}
