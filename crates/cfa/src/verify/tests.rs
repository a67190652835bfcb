use super::*;
use crate::testing::Build;
use crate::{BinOp, Const, ExprKind};

/// Breaks a sound program and says what is found.
fn broken<T>(change: impl FnOnce(&mut Build, LocId) -> T) -> String {
    let mut b = Build::new();
    let x = b.global("x");
    let (entry, l) = (b.entry(), b.loc());
    b.set(entry, l, x, 1);
    b.ret_num(l, 0);
    assert_eq!(verify(&b.program), Ok(()));
    change(&mut b, l);
    let found = verify(&b.program).expect_err("the program is broken");
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn edges_keep_to_their_procedure() {
    assert_eq!(broken(|b, l| b.edge(l, b.entry(), Op::Skip)), "edge 2: enters an entry");
    assert_eq!(broken(|b, l| b.edge(b.exit(), l, Op::Skip)), "edge 2: leaves an exit");
    assert_eq!(broken(|b, l| b.edge(b.error(), l, Op::Skip)), "edge 2: leaves the error");
    assert_eq!(broken(|b, l| b.edge(l, b.exit(), Op::Skip)), "edge 2: enters an exit without returning");
    assert_eq!(broken(|b, _| b.program.edges[0].to = LocId::from_raw(99)), "edge 0: an end does not exist");
    assert_eq!(
        broken(|b, l| {
            b.proc("f");
            let inside = b.loc();
            b.edge(l, inside, Op::Skip);
        }),
        "edge 2: leads into another procedure"
    );
    assert_eq!(
        broken(|b, l| {
            let value = b.num(0);
            b.edge(b.entry(), l, Op::Return(Some(value)));
        }),
        "edge 2: returns to what is not the exit"
    );
    assert_eq!(
        broken(|b, l| b.edge(l, b.exit(), Op::Return(None))),
        "edge 2: returns a value of another type"
    );
}

#[test]
fn operations_are_typed() {
    assert_eq!(
        broken(|b, l| {
            let e = b.num(1);
            b.assume(l, l, e);
        }),
        "edge 2: assumes what is no truth value"
    );
    assert_eq!(
        broken(|b, l| {
            let x = b.global("y");
            let e = b.program.exprs.bool(true);
            b.assign(l, l, x, e);
        }),
        "edge 2: assigns a value of another type"
    );
    assert_eq!(
        broken(|b, l| {
            let (a, t) = (b.num(1), b.program.exprs.bool(true));
            let e = b.program.exprs.intern(ExprKind::Binary(BinOp::Eq, a, t), Types::BOOL);
            b.assume(l, l, e);
        }),
        "edge 2: operands of different types"
    );
    assert_eq!(
        broken(|b, l| {
            let int = b.int;
            let e = b.program.exprs.constant(Const::Bits(u128::MAX), int);
            b.assign(l, l, VarId::from_raw(0), e);
        }),
        "edge 2: a constant that its type does not have"
    );
    assert_eq!(
        broken(|b, l| {
            let f = b.proc("f");
            b.param("a");
            b.proc = b.program.entry;
            b.call(l, l, f, vec![], None);
        }),
        "edge 2: wrong number of arguments"
    );
}

#[test]
fn variables_are_their_own() {
    assert_eq!(
        broken(|b, l| {
            b.proc("f");
            let y = b.local("y");
            b.proc = b.program.entry;
            b.set(l, l, y, 1);
        }),
        "edge 2: names a variable of another procedure"
    );
    assert_eq!(
        broken(|b, l| {
            let y = b.local("y");
            let address = b.address(y);
            let ty = b.program.exprs.ty(address);
            let p = b.var_of("p", ty);
            b.assign(l, l, p, address);
            b.program.vars[y].address_taken = false;
        }),
        "edge 2: takes the address of a variable that is not marked"
    );
}

#[test]
fn long_programs_are_checked_without_recursion() {
    let mut b = Build::new();
    let x = b.global("x");
    let mut e = b.get(x);
    for _ in 0..200_000 {
        let one = b.num(1);
        e = b.bin(BinOp::Add, e, one);
    }
    let (entry, l) = (b.entry(), b.loc());
    b.assign(entry, l, x, e);
    b.ret_num(l, 0);
    assert_eq!(verify(&b.program), Ok(()));
    assert!(b.program.to_string().ends_with("…\n  L3 -> L2: return 0\n"));
}
