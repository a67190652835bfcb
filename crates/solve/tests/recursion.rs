//! Recursive programs, each with a twin that reaches the error: by unfolding, by summaries, by runs, and by `auto`, which is not told how.

mod common;

use common::HEAD;
use craig_base::Budget;
use craig_cfa::{EdgeId, Op, Program};
use craig_encode::Arith;
use craig_engine::{Control, Engine, Selection, Silent, Task};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Answer, Arithmetic, Plan, solve};
use craig_verdict::certificate::{Certificate, NeverTaken, Procedures, Proof, Summary};
use craig_verdict::{Outcome, Reason, Verdict, check, prove};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A safe program, and a piece of its text with another that makes the error reachable.
type Pair = (&'static str, &'static str, &'static str);

/// Decided for every depth, by summaries.
const SUMMARIES: &[Pair] = &[
    (
        "int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); } \
         int main() { int x = __VERIFIER_nondet_int(); if (x <= 101 && f(x) != 91) reach_error(); }",
        "!= 91",
        "== 91",
    ),
    (
        "int sum(int n, int m) { return n <= 0 ? m : sum(n - 1, m + 1); } \
         int main() { int n = __VERIFIER_nondet_int(); if (n >= 0 && sum(n, 7) != n + 7) reach_error(); }",
        "m + 1",
        "m + 2",
    ),
    (
        "int bound(int x) { if (x == 0) return 0; int r = bound(x - 1) + 1; return r > 4 ? 4 : r; } \
         int main() { if (bound(__VERIFIER_nondet_int()) > 4) reach_error(); }",
        "> 4 ? 4",
        "> 6 ? 6",
    ),
    (
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } \
         int main() { int n = __VERIFIER_nondet_int(), r; if (n < 0) return 0; r = even(n); if (r != 0 && r != 1) reach_error(); }",
        "? 1 : odd",
        "? 2 : odd",
    ),
    (
        "int depth; void down(int n) { depth++; if (n > 0) down(n - 1); depth--; } \
         int main() { down(__VERIFIER_nondet_int()); if (depth != 0) reach_error(); }",
        "depth--",
        "if (n < 3) depth--",
    ),
    (
        "int count; void b(int n); void a(int n) { count++; if (n > 1) b(n - 1); } void b(int n) { if (n > 1) a(n - 1); count--; } \
         int main() { count = 0; a(__VERIFIER_nondet_int()); if (count < -1000000) return 0; if (count > 1) reach_error(); }",
        "if (n > 1) a(n - 1); count--",
        "if (n > 1) a(n - 1); count++",
    ),
    (
        "int gcd(int a, int b) { if (a == b) return a; if (a > b) return gcd(a - b, b); return gcd(a, b - a); } \
         int main() { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a < 1 || b < 1) return 0; \
         if (gcd(a, b) > a) reach_error(); }",
        "gcd(a, b) > a",
        "gcd(a, b) >= a",
    ),
    (
        "int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); } \
         int main() { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); if (m < 0 || n < 0) return 0; \
         if (ack(m, n) < n) reach_error(); }",
        "< n)",
        "< n + 2)",
    ),
    (
        "int lock; void work(int n) { if (lock) reach_error(); lock = 1; lock = 0; if (n > 0) work(n - 1); } \
         int main() { work(__VERIFIER_nondet_int()); }",
        "lock = 0; if (n > 0) work(n - 1)",
        "if (n > 0) work(n - 1); lock = 0",
    ),
    (
        "int half(int n) { return n <= 1 ? 0 : half(n - 2) + 1; } \
         int main() { int n = __VERIFIER_nondet_int(), h; if (n < 0) return 0; h = half(n); if (2 * h > n) reach_error(); }",
        "half(n - 2) + 1",
        "half(n - 2) + 2",
    ),
    (
        "int search(int low, int high) { if (low >= high) return low; int middle = low + (high - low) / 2; \
         return __VERIFIER_nondet_int() ? search(low, middle) : search(middle + 1, high); } \
         int main() { int n = __VERIFIER_nondet_int(), at; if (n < 1 || n > 1000) return 0; at = search(0, n); \
         if (at < 0 || at > n) reach_error(); }",
        "at > n)",
        "at >= n)",
    ),
    (
        "int twice(int n) { return n <= 0 ? 0 : twice(n - 1) + 2; } \
         int main() { int n = __VERIFIER_nondet_int(); if (n >= 0 && twice(n) != 2 * n) reach_error(); }",
        "? 0 : twice",
        "? 1 : twice",
    ),
    // Which procedure is called, a pointer says.
    (
        "int last; void second(int n); void first(int n) { void (*next)(int) = second; if (last == 1) reach_error(); last = 1; if (n > 0) next(n - 1); } \
         void second(int n) { void (*next)(int) = first; last = 2; if (n > 0) next(n - 1); } \
         int main() { first(__VERIFIER_nondet_int()); }",
        "last = 2;",
        "last = n == 2 ? 1 : 2;",
    ),
    // Nothing ends the recursion, and nothing comes behind it.
    (
        "int down(int n) { return down(n - 1); } int f(int n) { n = down(n); return n > 3 ? 3 : n; } \
         int main() { f(__VERIFIER_nondet_int()); reach_error(); }",
        "int down(int n) { return",
        "int down(int n) { return n < 0 ? 0 :",
    ),
];

/// Runs are short: unfolding ends.
const SHALLOW: &[Pair] = &[
    (
        "int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } int main() { if (fact(5) != 120) reach_error(); }",
        "120",
        "121",
    ),
    (
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } \
         int main() { int n = __VERIFIER_nondet_int(); if (n >= 0 && n < 6 && fib(n) > 5) reach_error(); }",
        "> 5",
        "> 4",
    ),
    (
        "int moves; void hanoi(int n, int from, int to, int via) { if (n == 0) return; hanoi(n - 1, from, via, to); moves++; hanoi(n - 1, via, to, from); } \
         int main() { hanoi(3, 0, 2, 1); if (moves != 7) reach_error(); }",
        "!= 7",
        "== 7",
    ),
    (
        "void down(int *n) { if (*n > 0) { (*n)--; down(n); } } \
         int main() { int n = __VERIFIER_nondet_int(); if (n > 5) return 0; down(&n); if (n > 0) reach_error(); }",
        "if (n > 0) reach",
        "if (n == 0) reach",
    ),
    (
        "void swap(int *a, int *b, int times) { int t = *a; *a = *b; *b = t; if (times > 1) swap(a, b, times - 1); } \
         int main() { int x = 1, y = 2; swap(&x, &y, 3); if (x != 2 || y != 1) reach_error(); }",
        "&y, 3)",
        "&y, 4)",
    ),
    (
        "struct node { int value; struct node *next; }; int length(struct node *n) { return n ? 1 + length(n->next) : 0; } \
         int main() { struct node a = { 1, 0 }, b = { 2, &a }, c = { 3, &b }; if (length(&c) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "struct node { int value; struct node *next; }; int sum(struct node *n) { return n ? n->value + sum(n->next) : 0; } \
         int main() { struct node *list = 0; for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->value = i; n->next = list; list = n; } \
         if (sum(list) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "struct tree { int key; struct tree *left, *right; }; int size(struct tree *t) { return t ? size(t->left) + 1 + size(t->right) : 0; } \
         int main() { struct tree a = { 1, 0, 0 }, b = { 3, 0, 0 }, c = { 2, &a, &b }; if (size(&c) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "int a[4] = { 1, 3, 5, 7 }; int find(int key, int low, int high) { if (low >= high) return -1; int m = (low + high) / 2; \
         if (a[m] == key) return m; return a[m] < key ? find(key, m + 1, high) : find(key, low, m); } \
         int main() { int key = __VERIFIER_nondet_int(), at = find(key, 0, 4); if (at >= 0 && a[at] != key) reach_error(); }",
        "at >= 0 && a[at] != key",
        "at >= 0 && a[at] == key",
    ),
    (
        "int apply(int (*f)(int), int n) { return n <= 0 ? 0 : f(n) + apply(f, n - 1); } int one(int n) { return 1; } int self(int n) { return n; } \
         int main() { if (apply(one, 3) != 3 || apply(self, 3) != 6) reach_error(); }",
        "!= 6",
        "== 6",
    ),
    (
        "int power(int b, int e) { if (e == 0) return 1; int h = power(b, e / 2); return e % 2 ? h * h * b : h * h; } \
         int main() { if (power(2, 10) != 1024) reach_error(); }",
        "1024",
        "1023",
    ),
    (
        "int pong(int n); int turns; int ping(int n) { turns++; return n ? pong(n - 1) : 0; } int pong(int n) { turns++; return n ? ping(n - 1) : 1; } \
         int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; ping(n); if (turns != n + 1) reach_error(); }",
        "turns != n + 1",
        "turns == n + 1",
    ),
    (
        "int main(int argc) { if (argc < 0 || argc > 3) return 0; if (argc > 0) return main(argc - 1) + 1; return 0; } ",
        "return main(argc - 1) + 1;",
        "{ int r = main(argc - 1) + 1; if (r == 3) reach_error(); return r; }",
    ),
    (
        "int g; int f(int n) { if (n == 0) { g = 5; return 0; } return f(n - 1); } int main() { f(4); if (g != 5) reach_error(); }",
        "g = 5",
        "g = 6",
    ),
    (
        "unsigned bits(unsigned n) { return n ? (n & 1) + bits(n >> 1) : 0; } int main() { if (bits(11) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
];

/// More calls than are unfolded, but one run.
const ONE_RUN: &[Pair] = &[
    (
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main() { if (fib(19) != 4181) reach_error(); }",
        "!= 4181",
        "== 4181",
    ),
    (
        "int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); } \
         int main() { if (ack(2, 5) != 13) reach_error(); }",
        "!= 13",
        "== 13",
    ),
    (
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } \
         int main() { if (!even(150)) reach_error(); }",
        "even(150)",
        "even(151)",
    ),
];

/// The same by summaries that speak of what pointers lead to: globals, and variables of `main`.
const REFERENCES: &[Pair] = &[
    (
        "int total; void add(int *to, int n) { if (n <= 0) return; *to = *to + n; add(to, n - 1); } \
         int main() { add(&total, __VERIFIER_nondet_int()); if (total < 0) reach_error(); }",
        "+ n;",
        "- n;",
    ),
    (
        "void down(int *p) { if (*p > 0) { --*p; down(p); } } \
         int main() { int x = __VERIFIER_nondet_int(); if (x < 0) return 0; down(&x); if (x != 0) reach_error(); }",
        "!= 0",
        "== 0",
    ),
    (
        "void swap(int *p, int *q, int n) { int t = *p; *p = *q; *q = t; if (n > 1) swap(p, q, n - 2); } \
         int main() { int x = 1, y = 2; swap(&x, &y, __VERIFIER_nondet_int()); if (x + y != 3) reach_error(); }",
        "*q = t",
        "*q = n",
    ),
    (
        "struct s { int a, b; } s; void set(int *p, int n) { if (n > 0) set(p, n - 1); else *p = 3; } \
         int main() { set(&s.b, __VERIFIER_nondet_int()); if (s.a != 0 || s.b != 3) reach_error(); }",
        "s.a != 0",
        "s.a == 0",
    ),
];

/// Work for a program: some seconds.
const WORK: u64 = 30_000_000;

fn load(body: &str) -> Arc<Program> {
    let text = format!("{HEAD}{body}");
    let loaded = load_text("test.c", &text, &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.expect("a program").program)
}

fn auto(body: &str) -> Answer {
    let budget = Budget::unlimited().with_work(WORK);
    solve(load(body), Reading::default(), &Plan::default(), &budget, &mut Silent)
}

fn with(body: &str, engine: &str) -> Answer {
    let only = Engine::all().into_iter().find(|e| e.name() == engine);
    let plan = Plan {
        selection: Selection { only, ..Selection::default() },
        arithmetic: Arithmetic::Int,
        ..Plan::default()
    };
    solve(load(body), Reading::default(), &plan, &Budget::unlimited().with_work(WORK), &mut Silent)
}

fn all() -> impl Iterator<Item = &'static Pair> {
    SUMMARIES.iter().chain(SHALLOW).chain(ONE_RUN)
}

/// `auto` is never wrong, finds every error, and proves all but a few.
#[test]
fn recursive_programs_and_their_twins() {
    let mut open = Vec::new();
    for (body, piece, other) in all() {
        let found = auto(body);
        assert!(!matches!(found.verdict, Verdict::Unsafe(..)), "{body}");
        if let Verdict::Unknown(reason) = &found.verdict {
            open.push(format!("{}: {body}", reason.key()));
        }
        let twin = body.replacen(piece, other, 1);
        assert_ne!(twin, **body);
        assert_eq!(text::verdict(&auto(&twin)), "UNSAFE", "{twin}");
    }
    assert!(all().count() == 32 && open.len() <= 6, "{open:#?}");
}

/// Summaries hold for every depth: the proof has procedures, not calls.
#[test]
fn summaries_are_proofs_for_every_depth() {
    let mut proved = 0;
    for (body, ..) in SUMMARIES {
        if let Verdict::Safe(certificate, _) = with(body, "spacer").verdict {
            assert!(matches!(certificate.proof, Proof::Procedures(_)), "{body}");
            proved += 1;
        }
    }
    assert!(proved >= 8, "{proved} of {}", SUMMARIES.len());
    for (body, piece, other) in REFERENCES {
        let Verdict::Safe(certificate, _) = with(body, "spacer").verdict else { panic!("{body}") };
        assert!(matches!(certificate.proof, Proof::Procedures(_)), "{body}");
        let twin = body.replacen(piece, other, 1);
        assert_eq!(text::verdict(&auto(&twin)), "UNSAFE", "{twin}");
        assert!(refused(&load(&twin), &certificate), "{twin}");
    }
}

/// What runs have in common is guessed, and proved: parity is none of what interpolants come to.
#[test]
fn runs_suggest_contracts() {
    let parity = "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } \
         int main() { int n = __VERIFIER_nondet_int(); if (n >= 0 && even(n) != (n % 2 == 0)) reach_error(); }";
    let one_run = "int id(int n) { return n == 0 ? 0 : id(n - 1) + 1; } int main() { if (id(300) != 300) reach_error(); }";
    for (body, piece, other) in [(parity, "? 0 : even", "? 2 : even"), (one_run, "!= 300", "!= 301")] {
        let Verdict::Safe(certificate, _) = with(body, "runs").verdict else { panic!("{body}") };
        let Proof::Procedures(proof) = &certificate.proof else { panic!("{body}") };
        // No table: few words for all values.
        assert!(proof.summaries.iter().all(|summary| summary.formula.len() < 200), "{proof:?}");
        let twin = body.replacen(piece, other, 1);
        assert_eq!(text::verdict(&with(&twin, "runs")), "UNSAFE", "{twin}");
        assert!(refused(&load(&twin), &certificate));
    }
}

/// Every engine that works on terms goes as deep as it must.
#[test]
fn every_engine_unfolds() {
    let deep = "int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; } \
         int main() { int n = __VERIFIER_nondet_int(); if (n < 30 && f(n) > 29) reach_error(); }";
    for engine in Engine::on_terms() {
        assert_eq!(text::verdict(&with(deep, engine.name())), "SAFE", "{}", engine.name());
        let twin = deep.replace("> 29", "> 28");
        assert_eq!(text::verdict(&with(&twin, engine.name())), "UNSAFE", "{}", engine.name());
    }
}

/// Recursion from which the error is out of reach stops nothing, however deep it goes.
#[test]
fn recursion_off_the_way() {
    let body = "int f(int n) { return n ? f(n - 1) : 0; } \
         int main() { int x = __VERIFIER_nondet_int(); if (x > 3 && x < 3) reach_error(); return f(x); }";
    for engine in Engine::on_terms() {
        assert_eq!(text::verdict(&with(body, engine.name())), "SAFE", "{}", engine.name());
    }
}

/// The proof of an unfolded program: it names calls that it does not follow.
fn unfolded() -> (Arc<Program>, Certificate) {
    // No contract stands for a call that hands over a pointer.
    let body = "int f(int n, int *p) { return n > 0 ? f(n - 1, p) + 1 : 0; } \
         int main() { int n = __VERIFIER_nondet_int(); if (n < 4 && f(n, 0) > 3) reach_error(); }";
    let Verdict::Safe(certificate, _) = with(body, "bmc").verdict else { panic!("safe") };
    assert!(!certificate.unfollowed.is_empty());
    (load(body), certificate)
}

fn refused(program: &Program, certificate: &Certificate) -> bool {
    check(program, certificate, false, &Budget::unlimited()).is_err()
}

/// What a certificate does not follow must be shown never to be called.
#[test]
fn calls_that_are_not_followed_are_checked() {
    let (program, whole) = unfolded();
    assert!(!refused(&program, &whole));
    let changed = |unfollowed: Vec<NeverTaken>| Certificate { unfollowed, ..whole.clone() };
    // Nothing says where recursion ends.
    let none = check(&program, &changed(Vec::new()), false, &Budget::unlimited());
    assert!(matches!(none, Err(Reason::Recursion { .. })), "{none:?}");
    // Calls that runs make: each of the deepest string of calls on its own.
    let deepest = whole.unfollowed.iter().max_by_key(|call| call.calls.len()).expect("one").clone();
    for length in 0..5.min(deepest.calls.len()) {
        let call = NeverTaken { edge: deepest.calls[length], calls: deepest.calls[..length].to_vec() };
        assert!(refused(&program, &changed(vec![call])), "{length}");
    }
    // An edge that is no call.
    let is_call = |id: &EdgeId| matches!(program.edges[*id].op, Op::Call(_));
    let other = program.edges.indices().find(|id| !is_call(id)).expect("other edges");
    let call = NeverTaken { edge: other.raw(), calls: Vec::new() };
    assert!(refused(&program, &changed([vec![call], whole.unfollowed.clone()].concat())));
    // The proof of another program: there runs go deeper.
    let deeper = load(
        "int f(int n, int *p) { return n > 0 ? f(n - 1, p) + 1 : 0; } \
         int main() { int n = __VERIFIER_nondet_int(); if (n < 400 && f(n, 0) > 3) reach_error(); }",
    );
    assert!(refused(&deeper, &whole));
}

/// The last gate knows calls that a proof says are never made.
#[test]
fn runs_contradict_calls_that_are_not_made() {
    let (program, whole) = unfolded();
    assert!(prove(&program, &whole, false, &Budget::unlimited()).is_ok());
}

/// Damaged summaries are refused unless they are proofs all the same: whatever is accepted for a twin would be a wrong proof.
#[test]
fn damaged_summaries_are_refused() {
    let budget = Budget::unlimited();
    let (mut damaged, mut accepted) = (0, 0);
    for (body, piece, other) in SUMMARIES.iter().chain(REFERENCES) {
        let program = load(body);
        let twin = load(&body.replacen(piece, other, 1));
        let task = Task::new(Arc::clone(&program), false, &Default::default(), &budget).expect("no limit");
        for name in ["spacer", "runs"] {
            let engine = Engine::all().into_iter().find(|e| e.name() == name).expect("an engine");
            let limited = budget.with_work(WORK);
            let mut silent = Silent;
            let mut control = Control::new(&limited, &mut silent);
            let Outcome::Safe(whole) = engine.run(&task, Arith::Int, &mut control) else { continue };
            let Proof::Procedures(proof) = &whole.proof else { panic!("procedures") };
            assert!(!refused(&program, &whole), "{name}: {body}");
            assert!(refused(&twin, &whole), "{name}: {body}");
            for mutant in mutants(proof) {
                damaged += 1;
                let mutant = Certificate::new(Arith::Int, Proof::Procedures(mutant));
                // The program is safe: what the checker accepts of it must at least not prove its twin, and the runs have their say.
                if !refused(&program, &mutant) {
                    accepted += 1;
                    assert!(prove(&program, &mutant, false, &budget).is_ok(), "{body}");
                }
                assert!(refused(&twin, &mutant), "{body}");
            }
        }
    }
    eprintln!("{damaged} damaged, {accepted} of them proofs all the same");
    assert!(damaged >= 200 && 2 * accepted < damaged, "{accepted} of {damaged}");
}

/// The proof with one formula dropped, made true or false, with another constant, operator or symbol.
fn mutants(proof: &Procedures) -> Vec<Procedures> {
    let mut mutants = Vec::new();
    let quoted = |symbol: &str| format!("|{symbol}|");
    let change = |formula: &str| {
        let mut changed = vec!["true".to_string(), "false".to_string(), format!("(not {formula})")];
        let digits: Vec<(usize, char)> = formula.char_indices().filter(|(_, c)| c.is_ascii_digit()).collect();
        for (at, digit) in digits.into_iter().take(4) {
            let other = if digit == '1' { "2" } else { "1" };
            changed.push(format!("{}{other}{}", &formula[..at], &formula[at + 1..]));
        }
        for (one, other) in
            [("(<= ", "(< "), ("(<= ", "(>= "), ("(and ", "(or "), ("(or ", "(and "), ("(+ ", "(- ")]
        {
            changed.push(formula.replacen(one, other, 1));
        }
        for pair in proof.symbols.windows(2).filter(|pair| pair[0].sort == pair[1].sort) {
            let [one, other] = [0, 1].map(|i| quoted(&pair[i].symbol));
            changed.extend([formula.replace(&one, &other), formula.replace(&other, &one)]);
        }
        changed.retain(|other| other != formula);
        changed
    };
    for i in 0..proof.summaries.len() {
        for formula in change(&proof.summaries[i].formula) {
            let mut mutant = proof.clone();
            mutant.summaries[i] = Summary { formula, ..mutant.summaries[i].clone() };
            mutants.push(mutant);
        }
        let mut mutant = proof.clone();
        mutant.summaries.remove(i);
        mutants.push(mutant);
    }
    for i in 0..proof.invariants.len() {
        for formula in change(&proof.invariants[i].formula) {
            let mut mutant = proof.clone();
            mutant.invariants[i].formula = formula;
            mutants.push(mutant);
        }
    }
    mutants
}

/// The programs of `benchmarks/recursion`: of twins the error is found, of no safe one, and most of these are proved.
#[test]
fn programs_of_our_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/recursion");
    let set = fs::read_to_string(folder.join("sets/recursion.tsv")).expect("the set");
    let (mut safe, mut proved) = (0, 0);
    for row in set.lines().filter(|row| !row.starts_with('#')) {
        let mut columns = row.split('\t');
        let (Some(name), Some(expected)) = (columns.next(), columns.next()) else { panic!("{row}") };
        let program = fs::read_to_string(folder.join(name)).expect("a program");
        let budget = Budget::unlimited().with_work(WORK / 4);
        let loaded = load_text(name, &program, &Reading::default(), &Budget::unlimited()).expect("a program");
        let plan = Plan::default();
        let found = solve(Arc::new(loaded.program), Reading::default(), &plan, &budget, &mut Silent);
        let verdict = text::verdict(&found);
        if expected == "SAFE" {
            assert_ne!(verdict, "UNSAFE", "{name}");
            (safe, proved) = (safe + 1, proved + usize::from(verdict == "SAFE"));
        } else {
            assert_eq!(verdict, expected, "{name}");
        }
    }
    assert!(safe == 39 && proved >= 28, "{proved} of {safe}");
}
