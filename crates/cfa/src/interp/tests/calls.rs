use super::*;

/// `int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }`
pub(super) fn fibonacci(n: i128) -> Build {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let f = b.begin("f", int);
    let p = b.param("n", int);
    let (x, y) = (b.local("x", int), b.local("y", int));
    let (value, one, two) = (b.read(p), b.n(1), b.n(2));
    let small = b.bin(BinOp::Lt, value, two);
    let large = b.branch(small);
    b.ret(Some(value));
    b.at = large;
    let (before, before2) = (b.bin(BinOp::Sub, value, one), b.bin(BinOp::Sub, value, two));
    b.call(f, &[before], Some(x));
    b.call(f, &[before2], Some(y));
    let (xv, yv) = (b.read(x), b.read(y));
    let sum = b.bin(BinOp::Add, xv, yv);
    b.ret(Some(sum));
    b.main();
    let r = b.local("r", int);
    let arg = b.n(n);
    b.call(f, &[arg], Some(r));
    let value = b.read(r);
    b.finish(value);
    b
}

#[test]
fn recursion_has_frames_of_its_own() {
    let b = fibonacci(15);
    assert_eq!(b.status(), 610);
    let run = b.run();
    assert_eq!((run.depth, run.max_depth), (0, 15));
}

/// `void f(int n) { if (n) f(n - 1); else reach_error(); }`
fn deep(n: i128) -> Build {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let f = b.begin("f", Types::VOID);
    let p = b.param("n", int);
    let (value, one) = (b.read(p), b.n(1));
    let more = b.p.exprs.is_nonzero(&b.p.types, value);
    b.check(more);
    let less = b.bin(BinOp::Sub, value, one);
    b.call(f, &[less], None);
    b.ret(None);
    b.main();
    let arg = b.n(n);
    b.call(f, &[arg], None);
    b.ret(None);
    b
}

#[test]
fn recursion_may_be_deep() {
    let b = deep(90_000);
    let run = b.run();
    assert_eq!((run.end, run.depth), (RunEnd::Error, 90_001));
    assert_eq!(run.stack.len(), 1000);
    let (run, _) = b.run_with(&Config { depth: 100, ..Config::default() }, &mut Zero);
    assert_eq!((run.end, run.depth), (RunEnd::Limit(Limit::Depth), 100));
}

#[test]
fn a_local_is_dead_after_its_function() {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let ptr = b.ptr_ty(int);
    let f = b.begin("f", ptr);
    let x = b.local("x", int);
    let seven = b.n(7);
    b.assign(x, seven);
    let address = b.addr(x);
    b.ret(Some(address));
    b.main();
    let p = b.local("p", ptr);
    b.call(f, &[], Some(p));
    let pointer = b.read(p);
    let place = b.deref(pointer);
    let value = b.read(place);
    b.finish(value);
    let (kind, text) = b.undefined();
    assert_eq!(kind, Undefined::UseAfterReturn);
    assert!(text.contains("`x`"), "{text}");
}

#[test]
fn structs_are_passed_by_value() {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let pair = b.record(RecordKind::Struct, 8, &[(int, 0, None), (int, 4, None)]);
    let swap = b.begin("swap", pair);
    let s = b.param("s", pair);
    let t = b.local("t", pair);
    let (s0, s1, t0, t1) = (b.field(s, 0), b.field(s, 1), b.field(t, 0), b.field(t, 1));
    let (a, c) = (b.read(s0), b.read(s1));
    b.assign(t0, c);
    b.assign(t1, a);
    let zero = b.n(0);
    b.assign(s0, zero);
    let result = b.read(t);
    b.ret(Some(result));
    b.main();
    let (x, y) = (b.local("x", pair), b.local("y", pair));
    let (x0, x1) = (b.field(x, 0), b.field(x, 1));
    let (one, two) = (b.n(1), b.n(2));
    b.assign(x0, one);
    b.assign(x1, two);
    let whole = b.read(x);
    b.call(swap, &[whole], Some(y));
    let (y0, y1) = (b.field(y, 0), b.field(y, 1));
    let (ten, hundred) = (b.n(10), b.n(100));
    let (r0, r1, r2) = (b.read(y0), b.read(y1), b.read(x0));
    let r1 = b.bin(BinOp::Mul, r1, ten);
    let r2 = b.bin(BinOp::Mul, r2, hundred);
    let sum = b.bin(BinOp::Add, r0, r1);
    let sum = b.bin(BinOp::Add, sum, r2);
    b.finish(sum);
    assert_eq!(b.status(), 112);
}

#[test]
fn functions_have_addresses() {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let f = b.begin("f", Types::VOID);
    let g = b.begin("g", Types::VOID);
    b.main();
    let func = b.p.types.intern(Type::Func(FuncTy {
        params: [].into(),
        ret: Types::VOID,
        variadic: false,
        unprototyped: false,
    }));
    let ptr = b.ptr_ty(func);
    let p = b.local("p", ptr);
    let address = |b: &mut Build, f| b.p.exprs.intern(crate::ExprKind::ProcAddr(f), ptr);
    let (to_f, to_g) = (address(&mut b, f), address(&mut b, g));
    b.assign(p, to_f);
    let value = b.read(p);
    let (is_f, is_not_g) = (b.bin(BinOp::Eq, value, to_f), b.bin(BinOp::Ne, value, to_g));
    b.check(is_f);
    b.check(is_not_g);
    let int_ptr = b.ptr_ty(int);
    let wrong = b.cast(value, int_ptr);
    let place = b.deref(wrong);
    let read = b.read(place);
    b.finish(read);
    let (kind, text) = b.undefined();
    assert_eq!(kind, Undefined::InvalidPointer);
    assert!(text.ends_with("which is the function `f`"), "{text}");
}
