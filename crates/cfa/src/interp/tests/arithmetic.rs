//! Operations in programs against [`crate::arith`], which is itself tested against Rust.

use super::*;
use crate::arith;
use crate::expr::{ExprKind, UnOp};
use proptest::prelude::*;

fn int_types() -> impl Strategy<Value = IntTy> {
    let widths = prop::sample::select(vec![1u16, 3, 8, 16, 31, 32, 63, 64, 65, 128]);
    (widths, any::<bool>()).prop_map(|(width, signed)| IntTy::new(width, signed))
}

/// Values near the interesting ones.
fn values() -> impl Strategy<Value = u128> {
    let corners = prop::sample::select(vec![
        0,
        1,
        u128::MAX,
        1 << 127,
        (1 << 127) - 1,
        1 << 31,
        (1 << 31) - 1,
        1 << 63,
        (1 << 63) - 1,
    ]);
    prop_oneof![corners, 0u128..130, any::<u128>(), (0u128..130).prop_map(u128::wrapping_neg)]
}

/// Stores the operands in variables and returns the expression made of their values, with the outcome of main returning it.
fn outcome(
    types: &[IntTy],
    operands: &[u128],
    overflow: Overflow,
    make: impl Fn(&mut Build, &[ExprId]) -> ExprId,
) -> RunEnd {
    let mut b = Build::new(DataModel::Lp64);
    let mut read = Vec::new();
    for (&ty, &v) in types.iter().zip(operands) {
        let ty = b.p.types.int(ty.width, ty.signed);
        let place = b.local("x", ty);
        let value = b.int(v.cast_signed(), ty);
        b.assign(place, value);
        read.push(b.read(place));
    }
    let e = make(&mut b, &read);
    let result_ty = b.p.exprs.ty(e);
    let e = if result_ty == Types::BOOL {
        let int = b.int_ty();
        b.p.exprs.intern(ExprKind::Cast(e), int)
    } else {
        e
    };
    b.finish(e);
    b.run_with(&Config { overflow, ..Config::default() }, &mut Zero).0.end
}

fn ended(v: u128, ty: IntTy) -> RunEnd {
    RunEnd::Ended { status: Some(arith::to_i128(v, ty)) }
}

fn expected(
    result: Result<u128, arith::Undefined>,
    ty: IntTy,
    overflow: Overflow,
) -> Result<RunEnd, Undefined> {
    match result {
        Ok(v) => Ok(ended(v, ty)),
        Err(arith::Undefined::Overflow(v)) if overflow == Overflow::Wrap => Ok(ended(v, ty)),
        Err(arith::Undefined::Overflow(_)) => Err(Undefined::SignedOverflow),
        Err(arith::Undefined::DivisionByZero) => Err(Undefined::DivisionByZero),
        Err(arith::Undefined::ShiftAmount) => Err(Undefined::ShiftAmount),
    }
}

fn told(outcome: RunEnd) -> Result<RunEnd, Undefined> {
    match outcome {
        RunEnd::Undefined(kind, _) => Err(kind),
        other => Ok(other),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn binary_operations(ty in int_types(), x in values(), y in values(), wrap in any::<bool>()) {
        let overflow = if wrap { Overflow::Wrap } else { Overflow::Undefined };
        let (x, y) = (arith::truncate(x, ty), arith::truncate(y, ty));
        for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor] {
            let got = outcome(&[ty, ty], &[x, y], overflow, |b, v| b.bin(op, v[0], v[1]));
            prop_assert_eq!(told(got), expected(arith::binary(op, x, y, ty), ty, overflow), "{:?}", op);
        }
        let order = arith::compare(x, y, ty);
        for (op, holds) in [(BinOp::Eq, order.is_eq()), (BinOp::Ne, order.is_ne()), (BinOp::Lt, order.is_lt()), (BinOp::Le, order.is_le())] {
            let got = outcome(&[ty, ty], &[x, y], overflow, |b, v| b.bin(op, v[0], v[1]));
            prop_assert_eq!(got, RunEnd::Ended { status: Some(i128::from(holds)) }, "{:?}", op);
        }
        for op in [BinOp::Add, BinOp::Sub, BinOp::Mul] {
            let got = outcome(&[ty, ty], &[x, y], overflow, |b, v| b.p.exprs.overflows(&b.p.types, op, v[0], v[1]));
            prop_assert_eq!(got, RunEnd::Ended { status: Some(i128::from(arith::overflows(op, x, y, ty))) });
        }
    }

    #[test]
    fn shifts(ty in int_types(), amount_ty in int_types(), x in values(), n in values()) {
        let (x, n) = (arith::truncate(x, ty), arith::truncate(n, amount_ty));
        for op in [BinOp::Shl, BinOp::Shr] {
            let got = outcome(&[ty, amount_ty], &[x, n], Overflow::Undefined, |b, v| b.bin(op, v[0], v[1]));
            prop_assert_eq!(told(got), expected(arith::shift(op, x, n, ty, amount_ty), ty, Overflow::Undefined));
        }
    }

    #[test]
    fn conversions_and_signs(from in int_types(), to in int_types(), x in values()) {
        let x = arith::truncate(x, from);
        let got = outcome(&[from], &[x], Overflow::Undefined, |b, v| {
            let ty = b.p.types.int(to.width, to.signed);
            b.cast(v[0], ty)
        });
        prop_assert_eq!(got, ended(arith::convert(x, from, to), to));
        let got = outcome(&[from], &[x], Overflow::Undefined, |b, v| b.p.exprs.unary(&b.p.types, UnOp::Neg, v[0]));
        prop_assert_eq!(told(got), expected(arith::negate(x, from), from, Overflow::Undefined));
        let got = outcome(&[from], &[x], Overflow::Undefined, |b, v| b.p.exprs.unary(&b.p.types, UnOp::BitNot, v[0]));
        prop_assert_eq!(got, ended(arith::truncate(!x, from), from));
    }
}
