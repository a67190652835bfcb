use super::*;

/// `for (i = 0; i < n; i++) sum += i;` and returns `sum`.
pub(super) fn sum_loop(n: i128) -> Build {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let (i, sum) = (b.local("i", int), b.local("sum", int));
    let (zero, one, n) = (b.n(0), b.n(1), b.n(n));
    b.assign(i, zero);
    b.assign(sum, zero);
    let head = b.at;
    let i_value = b.read(i);
    let below = b.bin(BinOp::Lt, i_value, n);
    let out = b.branch(below);
    let sum_value = b.read(sum);
    let more = b.bin(BinOp::Add, sum_value, i_value);
    b.assign(sum, more);
    let next = b.bin(BinOp::Add, i_value, one);
    b.assign(i, next);
    b.goto(head);
    b.at = out;
    b.finish(sum_value);
    b
}

#[test]
fn a_loop_runs() {
    let b = sum_loop(100);
    assert_eq!(b.status(), 4950);
    assert_eq!(b.run().steps, 2 + 4 * 100 + 2);
}

#[test]
fn limits_end_a_run() {
    let b = sum_loop(100);
    let (run, _) = b.run_with(&Config { steps: 50, ..Config::default() }, &mut Zero);
    assert_eq!((run.end, run.steps), (RunEnd::Limit(Limit::Steps), 50));
    let config = Config::default();
    config.budget.cancel();
    let (run, _) = b.run_with(&config, &mut Zero);
    assert_eq!(run.end, RunEnd::Stopped(craig_base::Stop::Cancelled));
}

#[test]
fn signed_overflow_is_undefined_or_wraps() {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let x = b.local("x", int);
    let (max, one) = (b.n(i128::from(i32::MAX)), b.n(1));
    b.assign(x, max);
    let value = b.read(x);
    let more = b.bin(BinOp::Add, value, one);
    b.finish(more);
    assert_eq!(b.undefined(), (Undefined::SignedOverflow, "2147483647 + 1 in 32 bits".into()));
    let config = Config { overflow: Overflow::Wrap, ..Config::default() };
    let (run, _) = b.run_with(&config, &mut Zero);
    assert_eq!(run.end, RunEnd::Ended { status: Some(i128::from(i32::MIN)) });
}

#[test]
fn undefined_arithmetic_is_told() {
    for (op, operand, kind) in [
        (BinOp::Div, 0, Undefined::DivisionByZero),
        (BinOp::Rem, 0, Undefined::DivisionByZero),
        (BinOp::Shl, 32, Undefined::ShiftAmount),
        (BinOp::Shr, -1, Undefined::ShiftAmount),
    ] {
        let mut b = Build::new(DataModel::Ilp32);
        let int = b.int_ty();
        let x = b.local("x", int);
        let operand = b.n(operand);
        b.assign(x, operand);
        let (seven, value) = (b.n(7), b.read(x));
        let e = b.bin(op, seven, value);
        let edge = b.assign(x, e);
        let run = b.run();
        assert!(matches!(run.end, RunEnd::Undefined(k, _) if k == kind), "{}", run.end);
        assert_eq!(run.at.unwrap().edge, edge);
    }
}

#[test]
fn logic_is_lazy() {
    // p != 0 && *p == 1
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let ptr = b.ptr_ty(int);
    let p = b.local("p", ptr);
    let pointer = b.read(p);
    let set = b.p.exprs.is_nonzero(&b.p.types, pointer);
    let at = b.deref(pointer);
    let (value, one) = (b.read(at), b.n(1));
    let is_one = b.bin(BinOp::Eq, value, one);
    let both = b.p.exprs.and(set, is_one);
    let no = b.branch(both);
    b.goto(no);
    b.at = no;
    b.ret(None);
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
}

#[test]
fn ends_of_runs() {
    let mut b = Build::new(DataModel::Ilp32);
    let no = b.p.exprs.bool(false);
    b.check(no);
    let run = b.run();
    assert_eq!((run.end, run.steps), (RunEnd::Error, 2));

    let mut b = Build::new(DataModel::Ilp32);
    let no = b.p.exprs.bool(false);
    let edge = b.op(Op::Assume(no));
    let run = b.run();
    assert_eq!((run.end, run.at.unwrap().edge), (RunEnd::Blocked, edge));

    let mut b = Build::new(DataModel::Ilp32);
    let status = b.n(-3);
    b.op(Op::Halt(Halt::Exit(status)));
    assert_eq!(b.status(), -3);

    let mut b = Build::new(DataModel::Ilp32);
    b.op(Op::Halt(Halt::Abort));
    assert_eq!(b.run().end, RunEnd::Aborted);

    let mut b = Build::new(DataModel::Ilp32);
    b.op(Op::Unsupported("setjmp".into()));
    assert_eq!(b.run().end, RunEnd::Unsupported("setjmp".into()));

    // A location without edges that is no exit.
    let b = Build::new(DataModel::Ilp32);
    let run = b.run();
    assert_eq!((run.end, run.at), (RunEnd::Blocked, None));
}

#[test]
fn integers_convert_as_in_c() {
    // (signed char) 200, (unsigned) -1 < 1, -7 / 2, -7 % 2, 1u << 31
    let mut b = Build::new(DataModel::Ilp32);
    let (int, char_ty) = (b.int_ty(), b.char_ty());
    let unsigned = b.p.types.int(32, false);
    let x = b.local("x", int);
    let set = |b: &mut Build, v: i128| {
        let v = b.n(v);
        b.assign(x, v);
        b.read(x)
    };
    let check = |b: &mut Build, e: ExprId, expected: i128| {
        let ty = b.p.exprs.ty(e);
        let expected = b.int(expected, ty);
        let same = b.bin(BinOp::Eq, e, expected);
        b.check(same);
    };
    let v = set(&mut b, 200);
    let narrowed = b.cast(v, char_ty);
    let back = b.cast(narrowed, int);
    check(&mut b, back, -56);
    let v = set(&mut b, -1);
    let wide = b.cast(v, unsigned);
    let one = b.int(1, unsigned);
    let below = b.bin(BinOp::Lt, wide, one);
    let not_below = b.p.exprs.not(below);
    b.check(not_below);
    let v = set(&mut b, -7);
    let two = b.n(2);
    let (quotient, rest) = (b.bin(BinOp::Div, v, two), b.bin(BinOp::Rem, v, two));
    check(&mut b, quotient, -3);
    check(&mut b, rest, -1);
    let shifted = b.bin(BinOp::Shr, v, two);
    check(&mut b, shifted, -2);
    b.ret(None);
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
}

#[test]
fn floats_compute_like_the_machine() {
    let mut b = Build::new(DataModel::Lp64);
    let (int, f64t) = (b.int_ty(), b.p.types.intern(Type::Float(FloatTy::F64)));
    let f32t = b.p.types.intern(Type::Float(FloatTy::F32));
    let x = b.local("x", f64t);
    let tenth = b.p.exprs.constant(Const::Bits(u128::from(0.1f64.to_bits())), f64t);
    b.assign(x, tenth);
    let v = b.read(x);
    let three = b.n(3);
    let three = b.cast(three, f64t);
    let product = b.bin(BinOp::Mul, v, three);
    let point_three = b.p.exprs.constant(Const::Bits(u128::from(0.3f64.to_bits())), f64t);
    let above = b.bin(BinOp::Lt, point_three, product);
    b.check(above);
    let narrow = b.cast(v, f32t);
    let wide = b.cast(narrow, f64t);
    let changed = b.bin(BinOp::Ne, wide, v);
    b.check(changed);
    let negated = b.p.exprs.unary(&b.p.types, crate::UnOp::Neg, product);
    let ten = b.n(10);
    let ten = b.cast(ten, f64t);
    let scaled = b.bin(BinOp::Mul, negated, ten);
    let truncated = b.cast(scaled, int);
    b.finish(truncated);
    assert_eq!(b.status(), -3);
}

#[test]
fn floats_out_of_range_are_undefined() {
    let mut b = Build::new(DataModel::Lp64);
    let (int, f64t) = (b.int_ty(), b.p.types.intern(Type::Float(FloatTy::F64)));
    let big = b.p.exprs.constant(Const::Bits(u128::from(3e9f64.to_bits())), f64t);
    let e = b.cast(big, int);
    b.finish(e);
    assert_eq!(b.undefined(), (Undefined::FloatToInt, "3000000000 to signed 32 bits".into()));
}

#[test]
fn long_doubles_move_and_convert_but_do_not_compute() {
    let mut b = Build::new(DataModel::Ilp32);
    let (int, f80) = (b.int_ty(), b.p.types.intern(Type::Float(FloatTy::F80)));
    let a = b.p.types.array(f80, 2);
    let place = b.local("a", a);
    let (one, five) = (b.n(1), b.n(5));
    let element = b.index(place, one);
    let wide = b.cast(five, f80);
    b.assign(element, wide);
    let v = b.read(element);
    let back = b.cast(v, int);
    let same = b.bin(BinOp::Eq, back, five);
    b.check(same);
    let sum = b.bin(BinOp::Add, v, v);
    b.assign(element, sum);
    assert_eq!(b.run().end, RunEnd::Unsupported("long double arithmetic".into()));
}

#[test]
fn the_trace_keeps_the_last_steps_and_what_they_wrote() {
    let b = sum_loop(100);
    let (run, _) = b.run_with(&Config { trace: 6, ..Config::default() }, &mut Zero);
    assert_eq!(run.trace.steps.len(), 6);
    assert_eq!(run.trace.dropped, run.steps - 6);
    let writes: Vec<&Value> = run.trace.steps.iter().flat_map(|s| &s.writes).map(|w| &w.value).collect();
    assert_eq!(writes, [&Value::Bits(4950), &Value::Bits(100)]);
}
