use super::*;
use crate::Name;

fn nondet() -> Choice {
    Choice::Nondet(Name::from("__VERIFIER_nondet_int"))
}

/// Reads two values in a loop and fails if they are 3 and 4.
fn two_values() -> (Build, EdgeId) {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let (x, y, i) = (b.local("x", int), b.local("y", int), b.local("i", int));
    let (zero, one, two, three, four) = (b.n(0), b.n(1), b.n(2), b.n(3), b.n(4));
    b.assign(i, zero);
    let head = b.at;
    let iv = b.read(i);
    let more = b.bin(BinOp::Lt, iv, two);
    let done = b.branch(more);
    let xv = b.read(x);
    b.assign(y, xv);
    let edge = b.op(Op::Havoc(x, nondet()));
    let next = b.bin(BinOp::Add, iv, one);
    b.assign(i, next);
    b.goto(head);
    b.at = done;
    let yv = b.read(y);
    let (a, c) = (b.bin(BinOp::Ne, yv, three), b.bin(BinOp::Ne, xv, four));
    let safe = b.p.exprs.or(a, c);
    b.check(safe);
    b.ret(None);
    (b, edge)
}

#[test]
fn listed_values_are_used_in_order() {
    let (b, _) = two_values();
    for (list, error, left) in
        [(vec![3, 4], true, 0), (vec![4, 3], false, 0), (vec![3], false, 0), (vec![3, 4, 5], true, 1)]
    {
        let mut values = Values::new(list, Zero);
        let (run, _) = b.run_with(&Config::default(), &mut values);
        assert_eq!(run.end == RunEnd::Error, error);
        assert_eq!(values.left(), left);
    }
}

#[test]
fn keys_are_edge_and_occurrence() {
    let (b, edge) = two_values();
    let mut keyed = Keyed::default();
    let key = |occurrence| Key::Value { edge, occurrence, offset: 0, bit: 0 };
    keyed.values.insert(key(0), Value::Bits(3));
    keyed.values.insert(key(1), Value::Bits(4));
    assert_eq!(b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Error);
    keyed.values.remove(&key(1));
    assert_eq!(b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Ended { status: None });
}

#[test]
fn a_recorded_run_repeats() {
    let (b, _) = two_values();
    for seed in 0..20 {
        let config = Config { trace: 1000, ..Config::default() };
        let mut random = Random::new(seed);
        let mut recording = Recording::new(&mut random, 100);
        let (first, _) = b.run_with(&config, &mut recording);
        assert_eq!(recording.asked.len(), 2);
        let mut keyed = recording.keyed();
        let (second, _) = b.run_with(&config, &mut keyed);
        assert_eq!(first.end, second.end);
        assert_eq!(first.trace.steps, second.trace.steps);
    }
}

#[test]
fn random_values_are_of_their_type() {
    let mut random = Random::new(1);
    let mut seen = std::collections::BTreeSet::new();
    for occurrence in 0..1000 {
        let key = Key::Value { edge: EdgeId::from_raw(7), occurrence, offset: 0, bit: 0 };
        for (width, signed) in [(1, false), (5, true), (32, true), (64, false), (128, true)] {
            let int = IntTy::new(width, signed);
            let v = random.bits(&key, None, Scalar::Int(int));
            assert!(v <= crate::arith::mask(width));
            assert_eq!(v, random.bits(&key, None, Scalar::Int(int)));
            if width == 32 {
                seen.insert(v);
            }
        }
        assert!(random.bits(&key, None, Scalar::Bool) <= 1);
    }
    assert!(
        seen.len() > 100 && seen.contains(&0) && seen.contains(&0xffff_ffff) && seen.contains(&0x8000_0000)
    );
}

#[test]
fn an_arbitrary_struct_is_chosen_leaf_by_leaf() {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let (flag, bits) = (b.p.types.int(1, false), b.p.types.int(3, false));
    let ints = b.p.types.array(int, 2);
    let s = b.record(
        RecordKind::Struct,
        16,
        &[(int, 0, None), (flag, 4, None), (bits, 5, Some(0)), (bits, 5, Some(3)), (ints, 8, None)],
    );
    let place = b.local("s", s);
    let edge = b.op(Op::Havoc(place, Choice::Uninit));
    let mut keyed = Keyed::default();
    let key = |offset, bit| Key::Value { edge, occurrence: 0, offset, bit };
    for (offset, bit, v) in [(0, 0, -5i32), (4, 0, 3), (5, 0, 6), (5, 3, 5), (12, 0, 9)] {
        keyed.values.insert(key(offset, bit), Value::Bits(u128::from(v.cast_unsigned())));
    }
    let check = |b: &mut Build, place: PlaceId, expected: i128| {
        let v = b.read(place);
        let expected = b.int(expected, b.p.exprs.ty(v));
        let same = b.bin(BinOp::Eq, v, expected);
        b.check(same);
    };
    for (field, expected) in [(0, -5), (1, 1), (2, 6), (3, 5)] {
        let field = b.field(place, field);
        check(&mut b, field, expected);
    }
    let array = b.field(place, 4);
    for (i, expected) in [(0, 0), (1, 9)] {
        let i = b.n(i);
        let element = b.index(array, i);
        check(&mut b, element, expected);
    }
    b.ret(None);
    assert_eq!(b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Ended { status: None });
}

/// `p = malloc(n)`, and the byte at `at` in it.
fn fresh(n: i128, at: i128) -> (Build, EdgeId) {
    let mut b = Build::new(DataModel::Lp64);
    let byte = b.p.types.int(8, false);
    let ptr = b.ptr_ty(byte);
    let p = b.local("p", ptr);
    let (size, at) = (b.size(n), b.size(at));
    let edge = b.op(Op::Alloc { dst: p, size, zero: false, stack: false, maker: Maker::Program });
    let pointer = b.read(p);
    let address = b.p.exprs.ptr_add(&b.p.types, pointer, at);
    let place = b.deref(address);
    let (first, again) = (b.read(place), b.local("x", byte));
    b.assign(again, first);
    let second = b.read(again);
    let same = b.bin(BinOp::Eq, first, second);
    b.check(same);
    b.finish(first);
    (b, edge)
}

#[test]
fn fresh_memory_is_chosen_when_touched() {
    for (n, at) in [(10, 5), (100_000, 50_000), (100_000_000, 99_999_999)] {
        let (b, edge) = fresh(n, at);
        assert_eq!(b.status(), 0);
        let mut keyed = Keyed::default();
        let start = (at as u64 - 2).max(1);
        let key = Key::Value { edge, occurrence: 0, offset: start, bit: 0 };
        keyed.values.insert(key, Value::bytes_of_word(0x0403_0201, 4));
        let (run, _) = b.run_with(&Config::default(), &mut keyed);
        assert_eq!(run.end, RunEnd::Ended { status: Some(3) });
        let different: std::collections::BTreeSet<_> = (0..50)
            .map(|seed| match b.run_with(&Config::default(), &mut Random::new(seed)).0.end {
                RunEnd::Ended { status } => status,
                other => panic!("{other}"),
            })
            .collect();
        assert!(different.len() > 3);
    }
}

#[test]
fn recorded_memory_repeats() {
    let (b, _) = fresh(10_000, 9_000);
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut recording = Recording::new(&mut random, 100);
        let (first, _) = b.run_with(&Config::default(), &mut recording);
        let (second, _) = b.run_with(&Config::default(), &mut recording.keyed());
        assert_eq!(first.end, second.end);
    }
}

#[test]
fn the_chooser_picks_among_enabled_edges() {
    let mut b = Build::new(DataModel::Ilp32);
    let (yes, no) = (b.p.exprs.bool(true), b.p.exprs.bool(false));
    let (start, exit, error) = (b.at, b.p.procs[b.proc].exit, b.p.error);
    b.edge(start, error, Op::Assume(no));
    b.edge(start, exit, Op::Assume(yes));
    let taken = b.edge(start, error, Op::Skip);
    let blocked = b.edge(start, error, Op::Assume(no));
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
    let mut keyed = Keyed::default();
    keyed.branches.insert((start, 0), taken);
    assert_eq!(b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Error);
    keyed.branches.insert((start, 0), blocked);
    assert_eq!(b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Ended { status: None });
    let errors =
        (0..40).filter(|&seed| b.run_with(&Config::default(), &mut Random::new(seed)).0.end == RunEnd::Error);
    assert!((5..35).contains(&errors.count()));
}

/// A counterexample does not name what is zero. What lies behind a single bit, or beside it, does not make it one.
#[test]
fn single_bits_among_others() {
    let key = |offset, bit| Key::Value { edge: EdgeId::from_raw(0), occurrence: 0, offset, bit };
    let flag = Scalar::Int(IntTy { width: 1, signed: false });
    let mut keyed = Keyed::default();
    keyed.values.insert(key(1, 0), Value::Bits(1));
    keyed.values.insert(key(2, 1), Value::Bits(1));
    for (offset, bit, expected) in [(0, 0, 0), (1, 0, 1), (2, 0, 0), (2, 1, 1), (2, 2, 0), (3, 0, 0)] {
        assert_eq!(keyed.bits(&key(offset, bit), None, flag), expected, "{offset} {bit}");
    }
    // A byte that was chosen as such is true if it is not zero.
    keyed.values.insert(key(4, 0), Value::Bytes([2, 1].into()));
    assert_ne!(keyed.bits(&key(4, 0), None, flag), 0);
}
