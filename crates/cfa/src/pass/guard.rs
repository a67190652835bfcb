//! Operations that are taken to be defined: an assumption stands before each.
//!
//! What C leaves undefined is no error of reachability and ends a run, so that a proof need only speak of runs that do not come by it. A [`Guard`] names an operation
//! of a program and a [`Rule`] that it is taken to keep. The locations, edges and variables of the program keep their ids; what is new comes behind them. So
//! executions of the result are executions of the program by the same choices, and what is known of its edges is known of those of the program.
//!
//! The assumption stands at the location where the edge begins, before all edges that leave it: the two sides of a branch evaluate the same.

use crate::defined::{Breaks, Rule};
use crate::program::{EdgeId, LocId, Op, Program};
use craig_base::{Budget, Pace, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// An operation of the source program, and what it is taken to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard {
    pub edge: EdgeId,
    pub rule: Rule,
}

/// The program in which these hold. Guards of edges that it does not have are left out.
pub fn guard(program: &Program, guards: &BTreeSet<Guard>, budget: &Budget) -> Result<Program, Stop> {
    let mut pace = Pace::new(budget);
    let mut result = program.clone();
    let mut at: BTreeMap<LocId, BTreeSet<Guard>> = BTreeMap::new();
    for guard in guards {
        if let Some(edge) = program.edges.get(guard.edge) {
            at.entry(edge.from).or_default().insert(*guard);
        }
    }
    let mut tables: BTreeMap<Rule, Breaks> = BTreeMap::new();
    for (loc, guards) in at {
        pace.step()?;
        let mut last = loc;
        for Guard { edge, rule } in guards {
            let (op, span) = (program.edges[edge].op.clone(), program.edges[edge].span);
            let table = tables.entry(rule).or_insert_with(|| Breaks::new(rule));
            let broken = table.op(&mut result.exprs, &mut result.types, &op);
            if result.exprs.as_bool(broken) == Some(false) {
                continue;
            }
            let kept = result.exprs.not(broken);
            let next = result.add_loc(program.locs[loc].proc, program.locs[loc].span);
            result.add_edge(last, next, Op::Assume(kept), span);
            last = next;
        }
        for id in program.edges.indices() {
            if program.edges[id].from == loc {
                result.edges[id].from = last;
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinOp;
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    #[test]
    fn assumptions_stand_before_all_edges_of_a_location_and_ids_stay() {
        let mut b = Build::new();
        let (x, y) = (b.global("x"), b.global("y"));
        let (entry, l, m, n) = (b.entry(), b.loc(), b.loc(), b.loc());
        let sum = b.cmp(BinOp::Add, x, 1);
        b.assign(entry, l, x, sum);
        let (xv, yv) = (b.get(x), b.get(y));
        let quotient = b.bin(BinOp::Div, xv, yv);
        let ten = b.num(10);
        let small = b.bin(BinOp::Lt, quotient, ten);
        b.branch(l, small, m, n);
        b.ret(m, xv);
        b.ret(n, yv);
        let of = |edge: u32, rule| Guard { edge: EdgeId::from_raw(edge), rule };
        let guards =
            [of(0, Rule::Overflow), of(0, Rule::Division), of(2, Rule::Division), of(1, Rule::Overflow)];
        let result =
            guard(&b.program, &guards.into_iter().collect(), &Budget::unlimited()).expect("no limit");
        debug_verify(&result, "guard");
        for (id, edge) in b.program.edges.iter_enumerated() {
            assert_eq!((&result.edges[id].op, result.edges[id].to), (&edge.op, edge.to));
        }
        assert_snapshot!(result, @r"
        global x: i32
        global y: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> L6: [!overflows(x + 1)]
          L3 -> L7: [!(y == -1 && x == -2147483648)]
          L4 -> L2: return x
          L5 -> L2: return y
          L6 -> L3: x = x + 1
          L7 -> L8: [y != 0]
          L8 -> L4: [x / y < 10]
          L8 -> L5: [!(x / y < 10)]
        ");
    }
}
