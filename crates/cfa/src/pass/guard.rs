//! Operations that are taken to be defined: an assumption stands before each.
//!
//! What C leaves undefined is no error of reachability and ends a run, so that a proof need only speak of runs that do not come by it. A [`Guard`] names an operation
//! of a program and a [`Rule`] that it is taken to keep. The locations, edges and variables of the program keep their ids; what is new comes behind them. So
//! executions of the result are executions of the program by the same choices, and what is known of its edges is known of those of the program.
//!
//! The assumption stands before the edge, and before others that leave the same location and evaluate the same: the two sides of a branch. Other edges of the location are
//! left alone.

use crate::defined::{Breaks, Rule};
use crate::expr::ExprId;
use crate::program::{EdgeId, LocId, Op, Program};
use craig_base::{Budget, Pace, Stop};
use rustc_hash::FxHashMap;
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
    let mut tables: BTreeMap<Rule, Breaks> = BTreeMap::new();
    let mut breaks = |result: &mut Program, edge: EdgeId, rule: Rule| {
        let table = tables.entry(rule).or_insert_with(|| Breaks::new(rule, program));
        let broken = table.op(&mut result.exprs, &mut result.types, &program.edges[edge].op);
        (result.exprs.as_bool(broken) != Some(false)).then_some(broken)
    };
    let mut at: BTreeMap<LocId, BTreeSet<(Rule, ExprId)>> = BTreeMap::new();
    for &Guard { edge, rule } in guards {
        pace.step()?;
        if edge < program.edges.next_idx()
            && let Some(broken) = breaks(&mut result, edge, rule)
        {
            at.entry(program.edges[edge].from).or_default().insert((rule, broken));
        }
    }
    let rules: BTreeSet<Rule> = guards.iter().map(|guard| guard.rule).collect();
    // Where a location leads to under assumptions.
    let mut behind: FxHashMap<(LocId, ExprId), LocId> = FxHashMap::default();
    for edge in program.edges.indices() {
        pace.step()?;
        let Some(assumed) = at.get(&program.edges[edge].from) else { continue };
        let (mut last, span) = (program.edges[edge].from, program.edges[edge].span);
        let (proc, place) = (program.locs[last].proc, program.locs[last].span);
        for &rule in &rules {
            let Some(broken) = breaks(&mut result, edge, rule).filter(|b| assumed.contains(&(rule, *b)))
            else {
                continue;
            };
            last = *behind.entry((last, broken)).or_insert_with(|| {
                let kept = result.exprs.not(broken);
                let next = result.add_loc(proc, place);
                result.add_edge(last, next, Op::Assume(kept), span);
                next
            });
        }
        result.edges[edge].from = last;
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
