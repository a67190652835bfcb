//! Encoded arithmetic against `craig_cfa::arith`, operation by operation: the solver must find the value that the machine computes,
//! and, where the encoding is exact, no other.

use craig_base::Budget;
use craig_cfa::{BinOp, IntTy, UnOp, arith};
use craig_encode::int::{Int, Operand};
use craig_encode::part::Part;
use craig_encode::{bv, range::Range};
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_smt::Smt;
use std::rc::Rc;

struct Bench {
    smt: Smt,
    terms: Rc<Terms>,
    a: TermId,
    b: TermId,
}

impl Bench {
    fn new() -> Self {
        let terms = Rc::new(Terms::new());
        let (a, b) = (terms.symbol("a", Sort::Int), terms.symbol("b", Sort::Int));
        Bench { smt: Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap(), terms, a, b }
    }

    fn number(&self, value: i128) -> TermId {
        self.terms.numeral(&Rat::from_ibig(value.into()), Sort::Int)
    }

    /// May the encoded operation give this value for these operands?
    fn allows(
        &self,
        constraints: &[TermId],
        result: TermId,
        x: i128,
        y: i128,
        expected: i128,
        negated: bool,
    ) -> bool {
        let t = &self.terms;
        let equal = t.eq(result, self.number(expected));
        let mut all = constraints.to_vec();
        all.extend([t.eq(self.a, self.number(x)), t.eq(self.b, self.number(y))]);
        all.push(if negated { t.not(equal) } else { equal });
        self.smt.check(&all).is_sat()
    }
}

const OPS: [BinOp; 10] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::BitAnd,
    BinOp::BitOr,
    BinOp::BitXor,
];

fn machine(op: BinOp, x: u128, y: u128, ty: IntTy, wrap: bool) -> Option<i128> {
    let result = match op {
        BinOp::Shl | BinOp::Shr => arith::shift(op, x, y, ty, ty),
        _ => arith::binary(op, x, y, ty),
    };
    match result {
        Ok(v) => Some(arith::to_i128(v, ty)),
        Err(arith::Undefined::Overflow(v)) if wrap => Some(arith::to_i128(v, ty)),
        Err(_) => None,
    }
}

/// Values worth trying in a type.
fn values(ty: IntTy) -> Vec<u128> {
    let (low, high) = arith::bounds(ty);
    let mut all = vec![
        0,
        1,
        2,
        3,
        5,
        low,
        high,
        high - 1,
        arith::truncate(u128::MAX, ty),
        arith::truncate(low + 1, ty),
    ];
    all.push(arith::truncate(0x5a5a_5a5a_5a5a_5a5a, ty));
    all.sort_unstable();
    all.dedup();
    all
}

fn types() -> Vec<IntTy> {
    [4, 8, 32, 64].into_iter().flat_map(|w| [IntTy::new(w, false), IntTy::new(w, true)]).collect()
}

#[test]
fn integers_with_two_variables() {
    let bench = Bench::new();
    for ty in types().into_iter().filter(|ty| ty.width != 4) {
        for op in OPS {
            for wrap in [false, true] {
                let mut part = Part::new();
                let range = Range::of(ty).unwrap();
                let (a, b) = (Operand { term: bench.a, range }, Operand { term: bench.b, range });
                let result = Int { terms: &bench.terms, part: &mut part, wrap }.binary(op, a, b, ty);
                for &x in &values(ty) {
                    for &y in &values(ty) {
                        let Some(expected) = machine(op, x, y, ty, wrap) else { continue };
                        let (x, y) = (arith::to_i128(x, ty), arith::to_i128(y, ty));
                        let case = format!("{x} {op:?} {y} = {expected} in {ty:?}, wrap {wrap}");
                        assert!(
                            bench.allows(&part.constraints, result, x, y, expected, false),
                            "{case}: not allowed"
                        );
                        if matches!(op, BinOp::Add | BinOp::Sub) {
                            assert!(
                                !bench.allows(&part.constraints, result, x, y, expected, true),
                                "{case}: not exact"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn integers_with_a_constant_are_exact() {
    let bench = Bench::new();
    for ty in types() {
        for op in OPS {
            for constant in values(ty) {
                let c = arith::to_i128(constant, ty);
                let mut part = Part::new();
                let a = Operand { term: bench.a, range: Range::of(ty).unwrap() };
                let b = Operand { term: bench.number(c), range: Range::exactly(c) };
                let result = Int { terms: &bench.terms, part: &mut part, wrap: true }.binary(op, a, b, ty);
                for &x in &values(ty) {
                    let Some(expected) = machine(op, x, constant, ty, true) else { continue };
                    let x = arith::to_i128(x, ty);
                    let case = format!("{x} {op:?} {c} = {expected} in {ty:?}");
                    assert!(
                        bench.allows(&part.constraints, result, x, 0, expected, false),
                        "{case}: not allowed"
                    );
                    let many_runs = matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor)
                        && constant == arith::truncate(0x5a5a_5a5a_5a5a_5a5a, ty)
                        && ty.width > 8;
                    if !many_runs {
                        assert!(
                            !bench.allows(&part.constraints, result, x, 0, expected, true),
                            "{case}: not exact"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn conversions_and_unary_operators_are_exact() {
    let bench = Bench::new();
    for from in types() {
        for to in types() {
            let mut part = Part::new();
            let a = Operand { term: bench.a, range: Range::of(from).unwrap() };
            let result = Int { terms: &bench.terms, part: &mut part, wrap: false }.wrapped(a, to);
            for &x in &values(from) {
                let expected = arith::to_i128(arith::convert(x, from, to), to);
                let x = arith::to_i128(x, from);
                assert!(
                    bench.allows(&part.constraints, result, x, 0, expected, false),
                    "{x} {from:?} {to:?}"
                );
                assert!(
                    !bench.allows(&part.constraints, result, x, 0, expected, true),
                    "{x} {from:?} {to:?}"
                );
            }
        }
        let mut part = Part::new();
        let a = Operand { term: bench.a, range: Range::of(from).unwrap() };
        let result = Int { terms: &bench.terms, part: &mut part, wrap: false }.unary(UnOp::BitNot, a, from);
        for &x in &values(from) {
            let expected = arith::to_i128(arith::truncate(!x, from), from);
            let x = arith::to_i128(x, from);
            assert!(!bench.allows(&part.constraints, result, x, 0, expected, true), "~{x} {from:?}");
        }
    }
}

#[test]
fn bit_vectors_are_exact() {
    let terms = Terms::new();
    for ty in types() {
        let constant = |v: u128| terms.bv_big(dashu::Integer::from(v), u32::from(ty.width));
        for op in OPS {
            for x in values(ty) {
                for y in values(ty) {
                    if let Some(expected) = machine(op, x, y, ty, true) {
                        let result = bv::binary(&terms, op, constant(x), constant(y), ty);
                        let expected = constant(arith::truncate(expected.cast_unsigned(), ty));
                        assert_eq!(result, expected, "{x} {op:?} {y} in {ty:?}");
                    }
                }
            }
        }
    }
}
