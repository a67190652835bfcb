//! Interpolants of small programs, as people see them.

use craig_base::Budget;
use craig_logic::{Sort, TermId, Terms};
use craig_smt::Smt;
use craig_smt::interpolate::{self, Hints, Interpolants, Method, NoInterpolant, Options, Strength, Tree};
use std::rc::Rc;

struct World {
    t: Rc<Terms>,
    smt: Smt,
}

impl World {
    fn new() -> World {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).unwrap();
        World { t, smt }
    }

    fn int(&self, name: &str) -> TermId {
        self.t.symbol(name, Sort::Int)
    }

    /// The symbols of some variables after `step` steps.
    fn state(&self, names: &[&str], step: usize) -> Vec<TermId> {
        names.iter().map(|n| self.int(&format!("{n}{step}"))).collect()
    }

    fn sequence(&self, parts: &[TermId], hints: &Hints, options: &Options) -> Interpolants {
        let found = interpolate::sequence(&self.smt, parts, hints, options).unwrap();
        interpolate::check_sequence(&self.smt, parts, &found.formulas).unwrap();
        found
    }

    fn printed(&self, found: &Interpolants) -> Vec<String> {
        found.formulas.iter().map(|f| self.t.c(*f)).collect()
    }
}

/// `s = 0; i = 0; while (*) { s += 2; i++; } assert(s == 2 * i)`, unrolled.
fn counting_loop(w: &World, times: usize) -> (Vec<TermId>, Hints) {
    let t = &*w.t;
    let states: Vec<Vec<TermId>> = (0..=times).map(|k| w.state(&["s", "i"], k)).collect();
    let mut parts = vec![t.and([t.eq(states[0][0], t.int(0)), t.eq(states[0][1], t.int(0))])];
    for k in 0..times {
        let (now, next) = (&states[k], &states[k + 1]);
        parts.push(t.and([t.eq(next[0], t.add(now[0], t.int(2))), t.eq(next[1], t.add(now[1], t.int(1)))]));
    }
    let last = &states[times];
    parts.push(t.distinct(last[0], t.add(last[1], last[1])));
    (parts, Hints { states, candidates: Vec::new() })
}

#[test]
fn counting_loop_gives_the_invariant_at_every_cut() {
    for times in [6, 11] {
        let w = World::new();
        let (parts, hints) = counting_loop(&w, times);
        let expected: Vec<String> = (0..=times).map(|k| format!("s{k} == 2 * i{k}")).collect();
        let found = w.sequence(&parts, &hints, &Options::default());
        assert_eq!(w.printed(&found), expected);
        // Other layers find it without candidates, too.
        for method in [Method::Proof, Method::Farkas, Method::Spacer] {
            let found = w.sequence(&parts, &Hints::default(), &Options::only(&[method]));
            assert_eq!(w.printed(&found), expected, "{method:?}");
        }
    }
}

/// `n = x; y = z = 0; while (x != 0) { .. } assert(n == y + z)`, with the loop body as one block: units move between `x`, `y` and `z`.
fn large_block_loop(w: &World, times: usize) -> (Vec<TermId>, Hints) {
    let t = &*w.t;
    let n = w.int("n");
    let zero = t.int(0);
    let names = ["x", "y", "z"];
    let state = |k| w.state(&names, k);
    let first = state(0);
    let mut parts = vec![t.and([t.eq(n, first[0]), t.eq(first[1], zero), t.eq(first[2], zero)])];
    for k in 0..times {
        let (now, next) = (state(k), state(k + 1));
        let middle: Vec<TermId> = names.iter().map(|v| w.int(&format!("{v}{k}m"))).collect();
        let step = |a: TermId, b: TermId, by: i64| t.eq(b, t.add(a, t.int(by)));
        // x++ y--, or nothing; y++ z--, or nothing; x-- z++, or nothing.
        let either = |a: (TermId, TermId), b: (TermId, TermId)| {
            t.or([
                t.and([step(a.0, a.1, 0), step(b.0, b.1, 0)]),
                t.and([step(a.0, a.1, 1), step(b.0, b.1, -1)]),
            ])
        };
        parts.push(t.and([
            t.distinct(now[0], zero),
            either((now[0], middle[0]), (now[1], middle[1])),
            either((middle[1], next[1]), (now[2], middle[2])),
            either((middle[2], next[2]), (middle[0], next[0])),
        ]));
    }
    let last = state(times);
    parts.push(t.and([t.eq(last[0], zero), t.distinct(n, t.add(last[1], last[2]))]));
    let states = (0..=times).map(|k| [vec![n], state(k)].concat()).collect();
    (parts, Hints { states, candidates: Vec::new() })
}

#[test]
fn large_block_loop_gives_the_invariant_at_every_cut() {
    for times in [1, 2, 3] {
        let w = World::new();
        let (parts, hints) = large_block_loop(&w, times);
        let found = w.sequence(&parts, &hints, &Options::default());
        let expected: Vec<String> = (0..=times).map(|k| format!("n == x{k} + y{k} + z{k}")).collect();
        assert_eq!(w.printed(&found), expected);
    }
}

#[test]
fn parity_gives_a_congruence() {
    let w = World::new();
    let t = &*w.t;
    let (x, a, b) = (w.int("x"), w.int("a"), w.int("b"));
    let parts = [t.eq(x, t.add(a, a)), t.eq(x, t.add(t.add(b, b), t.int(1)))];
    for method in [Method::Proof, Method::Farkas, Method::Strongest] {
        let found = w.sequence(&parts, &Hints::default(), &Options::only(&[method]));
        assert_eq!(w.printed(&found), ["x % 2 == 0"], "{method:?}");
    }
}

/// `X := 0; Y := 0; assume(Z != 0); assume(X != 0)`.
#[test]
fn only_the_relevant_predicate_is_found() {
    let w = World::new();
    let t = &*w.t;
    let (x, y, z) = (w.int("X"), w.int("Y"), w.int("Z"));
    let zero = t.int(0);
    let parts = [t.eq(x, zero), t.eq(y, zero), t.distinct(z, zero), t.distinct(x, zero)];
    let found = w.sequence(&parts, &Hints::default(), &Options::default());
    assert_eq!(w.printed(&found), ["X == 0", "X == 0", "X == 0"]);
    // The same with statements as relations between states, where the strongest interpolants gather what
    // is not relevant; with relations the default still finds the predicate.
    let states: Vec<Vec<TermId>> = (0..5).map(|k| w.state(&["X", "Y", "Z"], k)).collect();
    let keep =
        |k: usize, which: &[usize]| t.and(which.iter().map(|v| t.eq(states[k + 1][*v], states[k][*v])));
    let parts = [
        t.and([t.eq(states[1][0], zero), keep(0, &[1, 2])]),
        t.and([t.eq(states[2][1], zero), keep(1, &[0, 2])]),
        t.and([t.distinct(states[2][2], zero), keep(2, &[0, 1, 2])]),
        t.and([t.distinct(states[3][0], zero), keep(3, &[0, 1, 2])]),
    ];
    let hints = Hints { states: states[1..].to_vec(), candidates: Vec::new() };
    let found = w.sequence(&parts, &hints, &Options::default());
    assert_eq!(w.printed(&found), ["X1 == 0", "X2 == 0", "X3 == 0"]);
    let strongest = w.sequence(&parts, &hints, &Options::only(&[Method::Strongest])).formulas[2];
    let all = t.and([t.eq(states[3][0], zero), t.eq(states[3][1], zero), t.distinct(states[3][2], zero)]);
    assert!(w.smt.check(&[t.xor(strongest, all)]).is_unsat());
    let weakest = w.sequence(&parts, &hints, &Options::only(&[Method::Weakest])).formulas[1];
    let either = t.or([t.eq(states[2][0], zero), t.eq(states[2][2], zero)]);
    assert!(w.smt.check(&[t.xor(weakest, either)]).is_unsat());
}

#[test]
fn strength_moves_the_bound() {
    let w = World::new();
    let t = &*w.t;
    let x = w.int("x");
    let parts = [t.le(x, t.int(3)), t.ge(x, t.int(10))];
    for (strength, expected) in [(Strength::Strong, "x <= 3"), (Strength::Weak, "x <= 9")] {
        for method in [Method::Proof, Method::Farkas] {
            let options = Options { strength, ..Options::only(&[method]) };
            assert_eq!(w.printed(&w.sequence(&parts, &Hints::default(), &options)), [expected], "{method:?}");
        }
    }
    // Strong keeps the parts of a fact apart.
    let y = w.int("y");
    let parts = [t.and([t.le(x, t.int(0)), t.le(y, t.int(0))]), t.ge(t.add(x, y), t.int(1))];
    for (strength, expected) in [(Strength::Strong, "x <= 0 && y <= 0"), (Strength::Simple, "x + y <= 0")] {
        let options = Options { strength, ..Options::only(&[Method::Farkas]) };
        assert_eq!(w.printed(&w.sequence(&parts, &Hints::default(), &options)), [expected]);
    }
}

/// `k = 0; k++; assume(k <= 0)`: half of an equation is enough beside an inequality; beside an equation all of it is kept.
#[test]
fn refutations_keep_equations_only_beside_equations() {
    let w = World::new();
    let t = &*w.t;
    let (k, l) = (w.int("k"), w.int("l"));
    let start = t.eq(k, t.int(0));
    let step = t.eq(l, t.add(k, t.int(1)));
    let only = Options::only(&[Method::Proof]);
    let found = w.sequence(&[start, step, t.le(l, t.int(0))], &Hints::default(), &only);
    assert_eq!(w.printed(&found), ["k >= 0", "l >= 1"]);
    let found = w.sequence(&[start, step, t.eq(l, t.int(5))], &Hints::default(), &only);
    assert_eq!(w.printed(&found), ["k == 0", "l == 1"]);
}

/// A remainder by a number that is told by bounds of a quotient: `x = 0; x += 2` leaves `x % 2 == 0`, not `x == 2`.
#[test]
fn refutations_find_remainders_among_bounds() {
    let w = World::new();
    let t = &*w.t;
    let (x, y, quotient) = (w.int("x"), w.int("y"), w.int("q"));
    let rest = t.sub(y, t.add(quotient, quotient));
    let parts = [
        t.eq(x, t.int(0)),
        t.eq(y, t.add(x, t.int(2))),
        t.and([t.ge(rest, t.int(0)), t.le(rest, t.int(1)), t.distinct(rest, t.int(0))]),
    ];
    let found = w.sequence(&parts, &Hints::default(), &Options::only(&[Method::Proof]));
    assert_eq!(w.printed(&found), ["x % 2 == 0", "y % 2 == 0"]);
}

#[test]
fn what_the_engine_knows_is_tried_first() {
    let w = World::new();
    let t = &*w.t;
    let x = w.int("x");
    let parts = [t.eq(x, t.int(3)), t.eq(x, t.int(4))];
    let hints = Hints { states: Vec::new(), candidates: vec![vec![t.le(x, t.int(7)), t.le(x, t.int(3))]] };
    let found = w.sequence(&parts, &hints, &Options::default());
    assert_eq!(w.printed(&found), ["x <= 3"]);
}

/// Two procedure bodies below a caller: `f` returns its argument plus one, `g` twice its argument; the caller wants
/// `g(f(x)) == 2 * x`.
#[test]
fn trees_summarise_calls() {
    let w = World::new();
    let t = &*w.t;
    let v: Vec<TermId> = ["fin", "fout", "gin", "gout", "x", "r", "l"].iter().map(|n| w.int(n)).collect();
    let f = t.and([t.eq(v[6], v[0]), t.eq(v[1], t.add(v[6], t.int(1)))]);
    let g = t.eq(v[3], t.add(v[2], v[2]));
    let caller = t.and([t.eq(v[0], v[4]), t.eq(v[2], v[1]), t.eq(v[5], v[3]), t.eq(v[5], t.add(v[4], v[4]))]);
    let tree = Tree { formulas: vec![f, g, caller], parents: vec![2, 2] };
    for method in Method::ALL {
        let found = interpolate::tree(&w.smt, &tree, &Hints::default(), &Options::only(&[method])).unwrap();
        interpolate::check_tree(&w.smt, &tree, &found.formulas).unwrap();
        assert_eq!(found.formulas.len(), 2);
    }
}

#[test]
fn failures_are_answers() {
    let w = World::new();
    let t = &*w.t;
    let x = w.int("x");
    let none = Hints::default();
    let run = |parts: &[TermId], options: &Options| interpolate::sequence(&w.smt, parts, &none, options);
    assert_eq!(
        run(&[t.le(x, t.int(3)), t.ge(x, t.int(1))], &Options::default()),
        Err(NoInterpolant::Satisfiable)
    );
    assert_eq!(run(&[], &Options::default()), Err(NoInterpolant::Malformed));
    let none_left = run(&[t.eq(x, t.int(3)), t.eq(x, t.int(4))], &Options::only(&[]));
    assert!(matches!(none_left, Err(NoInterpolant::NoMethod { cut: 0, .. })));
    let tree = Tree { formulas: vec![t.fls(), t.tru()], parents: vec![0] };
    assert_eq!(interpolate::tree(&w.smt, &tree, &none, &Options::default()), Err(NoInterpolant::Malformed));
    // One part is enough; a false part anywhere makes the rest trivial.
    assert_eq!(run(&[t.fls()], &Options::default()).unwrap().formulas, []);
    let found = run(&[t.le(x, t.int(1)), t.fls(), t.le(x, t.int(2))], &Options::default()).unwrap();
    assert_eq!(found.formulas, [t.tru(), t.fls()]);
}

/// `a[i] = 7; i++; a[i] = 8; j = i - 1; assert(a[j] == 7)`, a part for each statement.
fn written_and_read(w: &World) -> Vec<TermId> {
    let t = &*w.t;
    let array = |k: usize| t.symbol(&format!("a{k}"), t.array_sort(Sort::Int, Sort::Int));
    let (i, next, j) = (w.int("i0"), w.int("i1"), w.int("j"));
    vec![
        t.eq(array(1), t.store(array(0), i, t.int(7))),
        t.eq(next, t.add(i, t.int(1))),
        t.eq(array(2), t.store(array(1), next, t.int(8))),
        t.eq(j, t.sub(next, t.int(1))),
        t.distinct(t.select(array(2), j), t.int(7)),
    ]
}

#[test]
fn what_arrays_hold_is_named_by_what_both_sides_of_a_cut_know() {
    let w = World::new();
    let parts = written_and_read(&w);
    let found = w.sequence(&parts, &Hints::default(), &Options::only(&[Method::Proof]));
    assert_eq!(w.printed(&found), ["a1[i0] == 7", "a1[i1 - 1] == 7", "a2[i1 - 1] == 7", "a2[j] == 7"]);
}

#[test]
fn trees_have_arrays_too() {
    // Two leaves write, the root reads what both wrote.
    let w = World::new();
    let t = &*w.t;
    let array = |name: &str| t.symbol(name, t.array_sort(Sort::Int, Sort::Int));
    let (i, k) = (w.int("i"), w.int("k"));
    let (a, b, c) = (array("a"), array("b"), array("c"));
    let tree = Tree {
        formulas: vec![
            t.and([t.eq(b, t.store(a, i, t.int(1))), t.eq(k, t.add(i, t.int(3)))]),
            t.eq(c, t.store(array("d"), k, t.int(2))),
            t.ge(t.select(b, t.sub(k, t.int(3))), t.select(c, k)),
        ],
        parents: vec![2, 2],
    };
    let options = Options::only(&[Method::Proof]);
    let found = interpolate::tree(&w.smt, &tree, &Hints::default(), &options).unwrap();
    assert_eq!(w.printed(&found), ["b[k - 3] <= 1", "c[k] >= 2"]);
}

#[test]
fn an_index_that_no_side_can_name_is_left_to_other_layers() {
    // Both indices lie between 0 and 0, and say so to nobody else.
    let w = World::new();
    let t = &*w.t;
    let array = |name: &str| t.symbol(name, t.array_sort(Sort::Int, Sort::Int));
    let (i, j) = (w.int("i"), w.int("j"));
    let (a, b) = (array("a"), array("b"));
    let square = |x: TermId| t.mul(x, x);
    let parts = [
        t.and([
            t.eq(b, t.store(a, square(i), t.int(1))),
            t.le(square(i), t.int(0)),
            t.ge(square(i), t.int(0)),
        ]),
        t.and([t.eq(t.select(b, square(j)), t.int(0)), t.le(square(j), t.int(0)), t.ge(square(j), t.int(0))]),
    ];
    let options = Options::only(&[Method::Proof]);
    let answer = interpolate::sequence(&w.smt, &parts, &Hints::default(), &options);
    assert!(matches!(answer, Err(NoInterpolant::NoMethod { cut: 0, .. })), "{answer:?}");
    w.sequence(&parts, &Hints::default(), &Options::only(&[Method::Spacer]));
}

#[test]
fn no_index_is_half_a_symbol() {
    // `2 * i == k` names the index only as half of `k`.
    let w = World::new();
    let t = &*w.t;
    let array = |name: &str| t.symbol(name, t.array_sort(Sort::Int, Sort::Int));
    let (i, j, k) = (w.int("i"), w.int("j"), w.int("k"));
    let (a, b) = (array("a"), array("b"));
    let twice = |x: TermId| t.add(x, x);
    let parts = [
        t.and([t.eq(b, t.store(a, i, t.int(1))), t.eq(twice(i), k)]),
        t.and([t.eq(t.select(b, j), t.int(0)), t.eq(twice(j), k)]),
    ];
    let found = interpolate::sequence(&w.smt, &parts, &Hints::default(), &Options::only(&[Method::Proof]));
    assert!(matches!(found, Err(NoInterpolant::NoMethod { cut: 0, .. })), "{found:?}");
}

/// `i = 0; while (i < n) i++; assert(i == n)` of machine integers, where `n` is not negative, unrolled.
#[test]
fn words_are_explained_as_words() {
    let w = World::new();
    let t = &*w.t;
    let word = |name: &str| t.symbol(name, Sort::BitVec(32));
    let n = word("n");
    let i: Vec<TermId> = (0..4).map(|k| word(&format!("i{k}"))).collect();
    let mut parts = vec![t.and([t.eq(i[0], t.bv(0, 32)), t.bv_sle(t.bv(0, 32), n)])];
    for k in 0..3 {
        parts.push(t.and([t.bv_slt(i[k], n), t.eq(i[k + 1], t.bv_add(i[k], t.bv(1, 32)))]));
    }
    parts.push(t.and([t.bv_sle(n, i[3]), t.distinct(i[3], n)]));
    let found =
        w.sequence(&parts, &Hints::default(), &Options { words: true, ..Options::only(&[Method::Proof]) });
    assert_eq!(found.formulas, [t.tru(), t.tru(), t.tru(), t.bv_sle(i[3], n)]);
}

#[test]
fn sums_of_words_get_room() {
    // Nothing wraps around that is added here, and the interpolant says so with more bits.
    let w = World::new();
    let t = &*w.t;
    let byte = |name: &str| t.symbol(name, Sort::BitVec(8));
    let (a, b) = (byte("a"), byte("b"));
    let wide = |x: TermId| t.zero_ext(8, x);
    let parts = [
        t.bv_ule(t.bv_add(wide(a), wide(b)), t.bv(300, 16)),
        t.and([t.bv_ule(t.bv(200, 8), a), t.bv_ule(t.bv(101, 8), b)]),
    ];
    let found =
        w.sequence(&parts, &Hints::default(), &Options { words: true, ..Options::only(&[Method::Proof]) });
    let sum = t.bv_add(t.zero_ext(2, a), t.zero_ext(2, b));
    assert_eq!(found.formulas, [t.bv_sle(sum, t.bv(300, 10))]);
}

#[test]
fn pieces_of_words_are_quotients_and_remainders() {
    // The low half of a word is odd, its double is not.
    let w = World::new();
    let t = &*w.t;
    let x = t.symbol("x", Sort::BitVec(32));
    let y = t.symbol("y", Sort::BitVec(32));
    let parts = [
        t.and([t.eq(y, t.bv_shl(x, t.bv(1, 32))), t.bv_ule(x, t.bv(1000, 32))]),
        t.eq(t.bv_and(t.extract(15, 0, y), t.bv(1, 16)), t.bv(1, 16)),
    ];
    let found =
        w.sequence(&parts, &Hints::default(), &Options { words: true, ..Options::only(&[Method::Proof]) });
    assert!(found.formulas.iter().all(|f| t.atoms(&[*f]).len() <= 2), "{:?}", w.printed(&found));
}
