//! Witness files that somebody changed: numbers, addresses, objects, formulas, signs, locations, calls, or the text itself.
//!
//! The witness of a small program is changed in every way that is tried. What is still accepted has to be true: a changed proof must stand
//! many more runs than the last gate makes, and a changed execution must run into the error. Every changed witness is also held
//! against a twin of the program with the opposite verdict: there it must always be refused.

mod common;

use common::HEAD;
use craig_base::Budget;
use craig_cfa::Program;
use craig_engine::{Engine, Selection, Silent, bmc, predicate, pushdown};
use craig_frontend::{c, remopla};
use craig_solve::witness::{Confirmed, confirm, of_answer};
use craig_solve::{Arithmetic, Checking, Plan, Reading, solve};
use craig_verdict::check::Ground;
use craig_verdict::gate;
use craig_verdict::witness::{Claim, Witness};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A safe program, and a piece of its text with another that makes the error reachable.
struct Pair {
    body: &'static str,
    piece: &'static str,
    other: &'static str,
    arith: Arithmetic,
    proof: Proof,
}

/// What kind of proof the safe program gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Invariants,
    Unwinding,
    /// The program is in Remopla.
    Procedures,
}

const fn pair(body: &'static str, piece: &'static str, other: &'static str) -> Pair {
    Pair { body, piece, other, arith: Arithmetic::Int, proof: Proof::Invariants }
}

const fn modules(body: &'static str, piece: &'static str, other: &'static str) -> Pair {
    Pair { proof: Proof::Procedures, ..pair(body, piece, other) }
}

const COUNT: &str = "int main() { int i = 0; while (__VERIFIER_nondet_int()) { if (i == 7) i = 0; else i = i + 1; } if (i > 7) reach_error(); }";

const PAIRS: &[Pair] = &[
    pair(COUNT, "i == 7", "i == 9"),
    Pair { arith: Arithmetic::Bv, ..pair(COUNT, "i == 7", "i == 9") },
    // Addresses of variables.
    pair(
        "int x, y; int main() { int *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 1; if (x && y) reach_error(); }",
        "*p = 1",
        "*p = 1; y = 1; x = 1",
    ),
    // Addresses of functions, and calls of them.
    pair(
        "int one(int v) { return v; } int two(int v) { return v + 1; } \
         int main() { int (*f)(int) = one; while (__VERIFIER_nondet_int()) f = f == one ? two : one; if (f(1) > 2) reach_error(); }",
        "v + 1",
        "v + 2",
    ),
    // Strings of calls.
    pair(
        "int next(int v) { while (v > 3) v = 0; return v + 1; } \
         int main() { int v = 0, w = 0; while (__VERIFIER_nondet_int()) { v = next(v); w = next(w); } if (v + w > 8) reach_error(); }",
        "v > 3",
        "v > 5",
    ),
    // Constant globals, and edges that are never taken.
    pair(
        "int step = 2, mode = 1; int main() { int i = 0; while (__VERIFIER_nondet_int()) { \
         if (mode == 0) while (__VERIFIER_nondet_int()) i = i + 1; if (i < 6) i = i + step; } if (i > 7) reach_error(); }",
        "step = 2",
        "step = 5",
    ),
    // Signs and widths.
    pair(
        "int main() { unsigned char c = 250; short s = -3; while (__VERIFIER_nondet_int()) { c = c + 2; s = s < -1 ? s + 1 : -3; } \
         if (c % 2 == 1 || s >= 0) reach_error(); }",
        "c + 2",
        "c + 1",
    ),
    // Fields.
    pair(
        "struct s { char tag; int low; int high; } s; int main() { s.low = 0; s.high = 5; \
         while (__VERIFIER_nondet_int()) if (s.low < s.high) s.low = s.low + 1; if (s.low > 5) reach_error(); }",
        "s.low < s.high",
        "s.low <= s.high",
    ),
    // What is allocated.
    pair(
        "int main() { int *p = malloc(8); p[0] = 0; p[1] = 3; while (__VERIFIER_nondet_int()) if (p[0] < p[1]) p[0] = p[0] + 1; \
         if (p[0] > 3) reach_error(); }",
        "p[1] = 3",
        "p[1] = 4",
    ),
    // Loops that end.
    Pair {
        proof: Proof::Unwinding,
        ..pair(
            "int a[3]; int main() { int s = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) s += a[i]; if (s != 3) reach_error(); }",
            "a[i] = i",
            "a[i] = i + 1",
        )
    },
];

const MODULES: &[Pair] = &[
    // Two variables that a procedure changes in the same way.
    modules(
        "define DEFAULT_INT_BITS 3 int X, Y; \
         module void both() { do :: true -> X = X + 1; Y = Y + 1; :: true -> break; od } \
         module void main() { X = 2, Y = 2; both(); both(); if :: X != Y -> goto error; :: else -> return; fi error: skip; }",
        "Y = Y + 1",
        "Y = Y + X",
    ),
    // A result of recursion.
    modules(
        "define DEFAULT_INT_BITS 4 \
         module int(4) down(int n) { int r; if :: n == 0 -> return 0; :: else -> r = down(n - 1); fi return r; } \
         module void main() { int n, r; n = undef; r = down(n); if :: r != 0 -> goto error; :: else -> return; fi error: skip; }",
        "return r;",
        "return n;",
    ),
    // Procedures that call each other.
    modules(
        "define DEFAULT_INT_BITS 3 bool b; module bool even(int n); \
         module bool odd(int n) { bool r; if :: n == 0 -> return false; :: else -> r = even(n - 1); fi return r; } \
         module bool even(int n) { bool r; if :: n == 0 -> return true; :: else -> r = odd(n - 1); fi return r; } \
         module void main() { int n; bool r, s; n = undef; r = even(n); s = odd(n); if :: r <=> s -> goto error; :: else -> return; fi error: skip; }",
        "return true",
        "return false",
    ),
    // The error is in a callee.
    modules(
        "define DEFAULT_INT_BITS 4 int depth; \
         module void go(int n) { if :: n > 9 -> goto error; :: else -> skip; fi if :: n < depth -> go(n + 1); :: else -> return; fi return; error: skip; } \
         module void main() { depth = undef; skip (depth <= 9); go(0); }",
        "depth <= 9",
        "depth <= 10",
    ),
    // What a procedure keeps.
    modules(
        "define DEFAULT_INT_BITS 3 int a[3], g; \
         module void swap(int i, int j) { a[i] = a[j], a[j] = a[i]; g = undef; } \
         module void main() { int x; a[0] = x, a[1] = 1, a[2] = 1; swap(0, 1); swap(0, 1); if :: a[2] != 1 || a[0] != x -> goto error; :: else -> return; fi error: skip; }",
        "a[j] = a[i]; g",
        "a[j] = a[i]; a[2]",
    ),
];

/// Changes of each witness that are tried.
const MOST: usize = 120;

impl Pair {
    fn load(&self, body: &str) -> Program {
        let (reading, budget) = (Reading::default(), Budget::unlimited());
        let loaded = match self.proof {
            Proof::Procedures => remopla::load_text("test.rem", body, &reading, &budget),
            _ => c::load_text("test.c", &format!("{HEAD}{body}"), &reading, &budget),
        };
        loaded.unwrap_or_else(|e| panic!("{body}: {e:?}")).program
    }

    fn witness(&self, body: &str, engine: Engine) -> Witness {
        let budget = Budget::unlimited();
        let selection = Selection { only: Some(engine), ..Selection::default() };
        let plan = Plan { selection, arithmetic: self.arith, ..Plan::default() };
        let answer = solve(Arc::new(self.load(body)), Reading::default(), &plan, &budget, &mut Silent);
        let reading = Reading { property: answer.reading.property.clone(), ..Reading::default() };
        of_answer("test", &reading, &answer).unwrap_or_else(|| panic!("{body}: {:?}", answer.verdict))
    }

    fn prover(&self) -> Engine {
        match self.proof {
            Proof::Invariants => Engine::Predicate(predicate::Options::default()),
            Proof::Unwinding => Engine::Bmc(bmc::Options::default()),
            Proof::Procedures => {
                Engine::Pushdown(pushdown::Options { domain: pushdown::Domain::Bdd, ..Default::default() })
            }
        }
    }
}

/// What a number may become.
fn numbers(old: &Value) -> Vec<Value> {
    let Some(n) = old.as_i64() else { return Vec::new() };
    let mut all = vec![n + 1, n - 1, -n, n + 16, n ^ 4, n + (1 << 32), 0, 4096];
    all.retain(|other| *other != n);
    let huge = [u64::MAX, u64::MAX - 15, 1 << 63].map(Value::from);
    all.into_iter().map(Value::from).chain(huge).collect()
}

/// What a text may become: other digits, other names, other relations, less of it.
fn texts(old: &str, names: &[String]) -> Vec<Value> {
    let mut all = Vec::new();
    let bytes = old.as_bytes();
    let mut at = 0;
    while at < old.len() {
        let end = at + old[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(old.len() - at);
        if end > at {
            if let Ok(number) = old[at..end].parse::<i128>() {
                for other in
                    [number + 1, number - 1, 0, number + 4].iter().filter(|n| **n >= 0 && **n != number)
                {
                    all.push(format!("{}{other}{}", &old[..at], &old[end..]));
                }
            }
            at = end;
        } else {
            at += old[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    for (one, other) in [
        ("<=", "<"),
        ("<=", ">="),
        ("(= ", "(distinct "),
        ("and", "or"),
        ("or", "and"),
        ("not", "="),
        ("bvsle", "bvule"),
    ] {
        if old.contains(one) {
            all.push(old.replacen(one, other, 1));
        }
    }
    for one in names.iter().filter(|one| old.contains(one.as_str())) {
        for other in names.iter().filter(|other| *other != one) {
            all.push(old.replacen(one.as_str(), other, 1));
        }
    }
    if bytes.contains(&b'(') {
        all.extend(["true".into(), "false".into(), format!("(not {old})"), old[..old.len() - 1].into()]);
    } else {
        let other = [
            "int",
            "bv",
            "Int",
            "Bool",
            "(_ BitVec 32)",
            "SAFE",
            "UNSAFE",
            "unwinding",
            "invariants",
            "v0",
            "v1",
            "p1",
            "",
        ];
        all.extend(other.map(str::to_string));
        all.extend(old.split_once('@').map(|(object, _)| object.to_string()));
    }
    all.retain(|text| text != old);
    all.into_iter().map(Value::from).collect()
}

/// All documents that come from one by one change at or below a place.
fn changes(value: &Value, names: &[String], put: &dyn Fn(Value) -> Value, out: &mut Vec<Value>) {
    match value {
        Value::Number(_) => out.extend(numbers(value).into_iter().map(put)),
        Value::String(text) => out.extend(texts(text, names).into_iter().map(put)),
        Value::Bool(flag) => out.push(put(Value::Bool(!flag))),
        Value::Null => {}
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let with = |new: Vec<Value>| put(Value::Array(new));
                let mut without = items.clone();
                without.remove(i);
                out.push(with(without));
                let mut twice = items.clone();
                twice.push(item.clone());
                out.push(with(twice));
                if i > 0 {
                    let mut swapped = items.clone();
                    swapped.swap(0, i);
                    out.push(with(swapped));
                }
                let inner = |new: Value| {
                    let mut all = items.clone();
                    all[i] = new;
                    put(Value::Array(all))
                };
                changes(item, names, &inner, out);
            }
        }
        Value::Object(entries) => {
            for (key, item) in entries {
                // What people read, and which file it was, makes no difference.
                if key == "line" || key == "file" {
                    continue;
                }
                let mut without = entries.clone();
                without.remove(key);
                out.push(put(Value::Object(without)));
                let inner = |new: Value| {
                    let mut all = entries.clone();
                    all.insert(key.clone(), new);
                    put(Value::Object(all))
                };
                changes(item, names, &inner, out);
            }
        }
    }
}

/// Changes of what stands at the same place in two entries: formulas and addresses that are exchanged.
fn exchanged(document: &Value, list: &str, key: &Value) -> Vec<Value> {
    let Some(items) = document["certificate"][list].as_array() else { return Vec::new() };
    let mut all = Vec::new();
    for i in 1..items.len() {
        let mut other = document.clone();
        let entries = &mut other["certificate"][list];
        let at = |entry: &mut Value| match key {
            Value::String(name) => entry[name.as_str()].take(),
            _ => entry[1].take(),
        };
        let (first, second) = (at(&mut entries[0]), at(&mut entries[i]));
        let set = |entry: &mut Value, new: Value| match key {
            Value::String(name) => entry[name.as_str()] = new,
            _ => entry[1] = new,
        };
        set(&mut entries[0], second);
        set(&mut entries[i], first);
        all.push(other);
    }
    all
}

/// The texts that come from a witness by one change, spread evenly over all of them.
fn mutants(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let symbols = document["certificate"]["symbols"].as_array().cloned().unwrap_or_default();
    let names: Vec<String> =
        symbols.iter().filter_map(|s| s["symbol"].as_str().map(str::to_string)).collect();
    let mut all = Vec::new();
    changes(&document, &names, &|new| new, &mut all);
    for list in ["invariants", "summaries"] {
        all.extend(exchanged(&document, list, &Value::from("formula")));
    }
    all.extend(exchanged(&document, "addresses", &Value::Null));
    let changed = all.iter().filter(|other| **other != document);
    let mut texts: Vec<String> = changed.map(Value::to_string).collect();
    texts.extend((1..8).map(|n| text[..text.len() * n / 8].to_string()));
    texts.dedup();
    let step = texts.len().div_ceil(MOST).max(1);
    texts.into_iter().step_by(step).collect()
}

/// Is a proof that the checker accepted at odds with any of many runs?
fn stands(program: &Program, witness: &Witness) -> bool {
    let Claim::Safe { certificate } = &witness.claim else { return true };
    let budget = Budget::unlimited();
    let ground = Ground::new(program, certificate, false, &budget).expect("no limit");
    // The gate takes the more steps the more work there was.
    budget.spend(2_000_000);
    gate::pass(program, &ground, certificate, false, &budget).is_ok()
}

/// Changes the proof of each safe program, and the execution of its twin, and counts what becomes of them.
fn change_all(pairs: &[Pair]) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in pairs {
        let twin = pair.body.replacen(pair.piece, pair.other, 1);
        assert_ne!(twin, pair.body);
        let proof = pair.witness(pair.body, pair.prover());
        // Other engines know no recursion.
        let finder = match pair.proof {
            Proof::Procedures => pair.prover(),
            _ => Engine::Bmc(bmc::Options::default()),
        };
        let execution = pair.witness(&twin, finder);
        let (safe, reaching) = (pair.load(pair.body), pair.load(&twin));
        for (whole, own, other) in [(&proof, &safe, &reaching), (&execution, &reaching, &safe)] {
            let holds = |program: &Program, witness: &Witness| {
                confirm(program, witness, false, Checking::Cells, &Budget::unlimited())
            };
            assert!(holds(own, whole).is_ok(), "{}", pair.body);
            assert!(holds(other, whole).is_err(), "{}", pair.body);
            for text in mutants(&whole.to_text()) {
                let Ok(forged) = Witness::read(&text) else {
                    *counts.entry("malformed").or_default() += 1;
                    continue;
                };
                assert!(holds(other, &forged).is_err(), "accepted for the twin of {}\n{text}", pair.body);
                match holds(own, &forged) {
                    Ok(Confirmed::Safe(_)) => {
                        assert!(std::ptr::eq(own, &safe), "{}\n{text}", pair.body);
                        assert!(stands(own, &forged), "a run contradicts\n{text}\nof {}", pair.body);
                        *counts.entry("still proofs").or_default() += 1;
                    }
                    Ok(Confirmed::Unsafe(_)) => {
                        assert!(std::ptr::eq(own, &reaching), "{}\n{text}", pair.body);
                        *counts.entry("still executions").or_default() += 1;
                    }
                    Err(_) => *counts.entry("refused").or_default() += 1,
                }
            }
        }
    }
    eprintln!("{counts:?}");
    counts
}

#[test]
fn no_change_makes_a_witness_lie() {
    let counts = change_all(PAIRS);
    let of = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    assert!(of("malformed") > 100 && of("refused") > 200, "{counts:?}");
    assert!(of("malformed") + of("refused") + of("still proofs") > 600, "{counts:?}");
}

#[test]
fn no_change_makes_a_proof_by_procedures_lie() {
    let counts = change_all(MODULES);
    let of = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    assert!(of("refused") > 200 && of("still proofs") > 10, "{counts:?}");
}
