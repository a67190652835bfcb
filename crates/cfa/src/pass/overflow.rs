//! The property `no-overflow`: every signed operation that may leave its type gets a check before it.
//!
//! For each operation of the program one expression says whether evaluating its parts overflows ([`crate::defined`]). An edge
//! `l -op-> m` becomes `l -[check]-> error`, `l -[!check]-> l'`, `l' -op-> m`; edges of one location with the same check (the two
//! sides of a branch) share `l'`. Runs before other passes.

use crate::defined::{Breaks, Rule};
use crate::expr::ExprId;
use crate::program::{Edge, Loc, LocId, Op, Program};
use craig_base::{Budget, Pace, Stop};
use rustc_hash::FxHashMap;

pub fn overflow(program: &Program, budget: &Budget) -> Result<Program, Stop> {
    let mut pace = Pace::new(budget);
    let mut result = program.clone();
    result.edges.clear();
    let mut checks = Breaks::new(Rule::Overflow, program);
    // The location behind a check.
    let mut behind: FxHashMap<(LocId, ExprId), LocId> = FxHashMap::default();
    for edge in &program.edges {
        pace.step()?;
        let check = checks.op(&mut result.exprs, &mut result.types, &edge.op);
        if result.exprs.as_bool(check) == Some(false) {
            result.edges.push(edge.clone());
            continue;
        }
        let from = match behind.get(&(edge.from, check)) {
            Some(&loc) => loc,
            None => {
                let loc = result.locs.push(Loc { label: None, ..program.locs[edge.from].clone() });
                let passed = result.exprs.not(check);
                let error = Edge { to: program.error, op: Op::Assume(check), ..edge.clone() };
                let go_on = Edge { to: loc, op: Op::Assume(passed), ..edge.clone() };
                result.edges.push(error);
                result.edges.push(go_on);
                behind.insert((edge.from, check), loc);
                loc
            }
        };
        result.edges.push(Edge { from, ..edge.clone() });
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use crate::{BinOp, UnOp};
    use insta::assert_snapshot;

    #[test]
    fn checks_stand_before_the_operation_and_are_lazy() {
        let mut b = Build::new();
        let (x, y) = (b.global("x"), b.global("y"));
        let (entry, l, m, n) = (b.entry(), b.loc(), b.loc(), b.loc());
        let sum = b.cmp(BinOp::Add, x, 1);
        b.assign(entry, l, x, sum);
        let small = b.cmp(BinOp::Lt, x, 10);
        let (xv, yv) = (b.get(x), b.get(y));
        let product = b.bin(BinOp::Mul, xv, yv);
        let hundred = b.num(100);
        let large = b.bin(BinOp::Lt, hundred, product);
        let both = b.bin(BinOp::And, small, large);
        b.branch(l, both, m, n);
        let quotient = b.bin(BinOp::Div, xv, yv);
        b.ret(m, quotient);
        let minus = b.program.exprs.unary(&b.program.types, UnOp::Neg, xv);
        b.ret(n, minus);
        let result = overflow(&b.program, &Budget::unlimited()).expect("no limit");
        debug_verify(&result, "overflow");
        assert_snapshot!(result, @r"
        global x: i32
        global y: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> ERROR: [overflows(x + 1)]
          L1 -> L6: [!overflows(x + 1)]
          L3 -> ERROR: [x < 10 && overflows(x * y)]
          L3 -> L7: [!(x < 10 && overflows(x * y))]
          L4 -> ERROR: [y == -1 && x == -2147483648]
          L4 -> L8: [!(y == -1 && x == -2147483648)]
          L5 -> ERROR: [overflows(0 - x)]
          L5 -> L9: [!overflows(0 - x)]
          L6 -> L3: x = x + 1
          L7 -> L4: [x < 10 && 100 < x * y]
          L7 -> L5: [!(x < 10 && 100 < x * y)]
          L8 -> L2: return x / y
          L9 -> L2: return -x
        ");
    }
}
