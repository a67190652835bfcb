use super::*;
use crate::Name;
use crate::expr::{ExprKind, UnOp};
use dashu::integer::IBig;
use dashu::rational::RBig;

struct Boogie {
    b: Build,
    int: TypeId,
    map: TypeId,
}

fn boogie() -> Boogie {
    let mut b = Build::in_lang(Lang::Boogie, DataModel::Lp64);
    let int = b.p.types.intern(Type::MathInt);
    let map = b.p.types.intern(Type::Map { index: [int].into(), elem: int });
    Boogie { b, int, map }
}

impl Boogie {
    fn n(&mut self, v: i64) -> ExprId {
        self.b.p.exprs.constant(Const::Int(IBig::from(v)), self.int)
    }

    fn select(&mut self, map: PlaceId, i: ExprId) -> ExprId {
        let map = self.b.read(map);
        self.b.p.exprs.intern(ExprKind::Select(map, [i].into()), self.int)
    }

    fn store(&mut self, map: PlaceId, i: ExprId, v: ExprId) -> ExprId {
        let m = self.b.read(map);
        self.b.p.exprs.intern(ExprKind::Store(m, [i].into(), v), self.map)
    }

    fn check_eq(&mut self, a: ExprId, c: ExprId) {
        let same = self.b.bin(BinOp::Eq, a, c);
        self.b.check(same);
    }

    fn ends(&mut self) {
        self.b.ret(None);
        for trace in [0, 100] {
            let (run, _) = self.b.run_with(&Config { trace, ..Config::default() }, &mut Random::new(3));
            assert_eq!(run.end, RunEnd::Ended { status: None });
        }
    }
}

#[test]
fn integers_are_unbounded() {
    let mut t = boogie();
    let x = t.b.local("x", t.int);
    let big = t.n(i64::MAX);
    t.b.assign(x, big);
    let v = t.b.read(x);
    let square = t.b.bin(BinOp::Mul, v, v);
    t.b.assign(x, square);
    let v = t.b.read(x);
    let expected = IBig::from(i64::MAX) * IBig::from(i64::MAX);
    let expected = t.b.p.exprs.constant(Const::Int(expected), t.int);
    t.check_eq(v, expected);
    let below = t.b.bin(BinOp::Lt, big, v);
    t.b.check(below);
    t.ends();
}

#[test]
fn division_is_euclidean() {
    let mut t = boogie();
    for (x, y, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)] {
        let (x, y, quotient, rest) = (t.n(x), t.n(y), t.n(quotient), t.n(rest));
        let q = t.b.bin(BinOp::EDiv, x, y);
        t.check_eq(q, quotient);
        let r = t.b.bin(BinOp::ERem, x, y);
        t.check_eq(r, rest);
    }
    // By zero: some value, always the same one.
    let (x, zero) = (t.n(5), t.n(0));
    let q = t.b.bin(BinOp::EDiv, x, zero);
    let negated = t.b.p.exprs.intern(ExprKind::Unary(UnOp::Neg, q), t.int);
    let q2 = t.b.p.exprs.intern(ExprKind::Unary(UnOp::Neg, negated), t.int);
    t.check_eq(q, q2);
    t.ends();
}

#[test]
fn reals_are_exact() {
    let mut t = boogie();
    let real = t.b.p.types.intern(Type::MathReal);
    let seventh = RBig::from(1) / RBig::from(7);
    let third = t.b.p.exprs.constant(Const::Real(seventh), real);
    let seven = t.n(7);
    let seven = t.b.p.exprs.intern(ExprKind::Cast(seven), real);
    let product = t.b.bin(BinOp::Mul, third, seven);
    let one = t.b.bin(BinOp::RDiv, seven, seven);
    t.check_eq(product, one);
    let half_up = t.b.bin(BinOp::Sub, third, one);
    let floor = t.b.p.exprs.intern(ExprKind::Cast(half_up), t.int);
    let minus_one = t.n(-1);
    t.check_eq(floor, minus_one);
    t.ends();
}

#[test]
fn maps_are_values() {
    let mut t = boogie();
    let (m, copy) = (t.b.global("m", t.map), t.b.local("copy", t.map));
    let (one, two, five) = (t.n(1), t.n(2), t.n(5));
    let zero = t.n(0);
    let entry = t.select(m, one);
    t.check_eq(entry, zero);
    let stored = t.store(m, one, five);
    t.b.assign(m, stored);
    let whole = t.b.read(m);
    t.b.assign(copy, whole);
    let stored = t.store(m, two, five);
    t.b.assign(m, stored);
    let (a, c, d) = (t.select(m, one), t.select(m, two), t.select(copy, two));
    t.check_eq(a, five);
    t.check_eq(c, five);
    t.check_eq(d, zero);
    let (x, y) = (t.b.read(m), t.b.read(copy));
    let differ = t.b.bin(BinOp::Ne, x, y);
    t.b.check(differ);
    let back = t.store(m, two, zero);
    t.b.assign(m, back);
    let same = t.b.bin(BinOp::Eq, x, y);
    t.b.check(same);
    t.ends();
}

#[test]
fn entries_of_an_arbitrary_map_are_choices_that_stay() {
    let mut t = boogie();
    let (m, copy, x) = (t.b.local("m", t.map), t.b.local("copy", t.map), t.b.local("x", t.int));
    let edge = t.b.op(Op::Havoc(m, Choice::Nondet(Name::from("havoc"))));
    let (seven, one) = (t.n(7), t.n(1));
    let first = t.select(m, seven);
    t.b.assign(x, first);
    let whole = t.b.read(m);
    t.b.assign(copy, whole);
    let stored = t.store(m, one, one);
    t.b.assign(m, stored);
    let (again, kept) = (t.select(m, seven), t.select(copy, seven));
    let value = t.b.read(x);
    t.check_eq(value, again);
    t.check_eq(value, kept);
    t.ends();
    // And a counterexample can name them.
    let nine = t.n(9);
    let not_nine = t.b.bin(BinOp::Ne, value, nine);
    let last = t.b.p.edges.last_idx();
    t.b.p.edges.remove(last);
    t.b.check(not_nine);
    t.b.ret(None);
    let map = Arc::new(Key::Value { edge, occurrence: 0, offset: 0, bit: 0 });
    let key = Key::Entry { map, index: [Value::Int(IBig::from(7))].into() };
    let mut keyed = Keyed::default();
    assert_eq!(t.b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Ended { status: None });
    keyed.values.insert(key, Value::Int(IBig::from(9)));
    assert_eq!(t.b.run_with(&Config::default(), &mut keyed).0.end, RunEnd::Error);
}

#[test]
fn functions_are_functions() {
    let mut t = boogie();
    let (x, y) = (t.b.local("x", t.int), t.b.local("y", t.int));
    let apply = |t: &mut Boogie, e: ExprId| {
        let ty = t.int;
        t.b.p.exprs.intern(ExprKind::Apply("f".into(), [e].into()), ty)
    };
    let (three, four) = (t.n(3), t.n(4));
    t.b.assign(x, four);
    let xv = t.b.read(x);
    let one = t.n(1);
    let less = t.b.bin(BinOp::Sub, xv, one);
    let (a, c) = (apply(&mut t, three), apply(&mut t, less));
    t.check_eq(a, c);
    let predicate = t.b.p.exprs.intern(ExprKind::Apply("p".into(), [three].into()), Types::BOOL);
    let same = t.b.bin(BinOp::Iff, predicate, predicate);
    t.b.check(same);
    t.b.assign(y, a);
    t.ends();
}

#[test]
fn bit_vectors_are_cut_and_joined() {
    let mut b = Build::in_lang(Lang::Boogie, DataModel::Lp64);
    let (bv8, bv16, bv4) = (b.p.types.int(8, false), b.p.types.int(16, false), b.p.types.int(4, false));
    let x = b.local("x", bv8);
    let v = b.int(0xab, bv8);
    b.assign(x, v);
    let value = b.read(x);
    let joined = b.p.exprs.intern(ExprKind::Concat(value, v), bv16);
    let expected = b.int(0xabab, bv16);
    let same = b.bin(BinOp::Eq, joined, expected);
    b.check(same);
    let middle = b.p.exprs.intern(ExprKind::Extract { of: joined, hi: 8, lo: 4 }, bv4);
    let expected = b.int(0xa, bv4);
    let same = b.bin(BinOp::Eq, middle, expected);
    b.check(same);
    b.ret(None);
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
}
