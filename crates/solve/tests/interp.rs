//! Reachability, safety and error interpolants: the document's example, the programs on which it is unsound if read literally, and all its options.

mod common;

use common::{BLOCKS, BOTH, Case, HEAD, counter};
use craig_base::Budget;
use craig_cfa::Blocks;
use craig_cfa::pass::PrepareOptions;
use craig_engine::explain::Heuristics;
use craig_engine::interp::{Attributes, Beyond, ErrorInterpolants, Options, Prune, Weighing};
use craig_engine::options::{Interpolation, RefinementOptions};
use craig_engine::{Engine, Observer, Progress, Selection, Stats};
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Arithmetic, Plan, Reading, solve};
use std::sync::Arc;

/// The document's configurations: R, RE, RS, RSE, RS+W, RSE+W.
fn modes() -> [Options; 6] {
    use Attributes::{R, Re, Rs, Rse};
    let of = |(interp, weights)| Options { interp, weights, ..Options::default() };
    [
        (R, Weighing::Off),
        (Re, Weighing::Off),
        (Rs, Weighing::Off),
        (Rse, Weighing::Off),
        (Rs, Weighing::Mean),
        (Rse, Weighing::Mean),
    ]
    .map(of)
}

fn run(body: &str, options: Options, arith: Arithmetic) -> (String, Stats) {
    common::run(body, Engine::Interp(options), arith)
}

/// Programs on which the document's rules give wrong answers.
const UNSOUND: [(&str, &str, &str); 6] = [
    (
        "S prunes by the path, covering by the region",
        "int main() { int x; switch (__VERIFIER_nondet_int()) { case 0: x = 0; break; case 1: x = 1; break; default: x = 5; } \
         if (x > 3) reach_error(); }",
        "UNSAFE",
    ),
    (
        "the last reachable state has another edge",
        "int main() { int x = __VERIFIER_nondet_int(), y = 0; if (x > 3) y = 1; \
         if (x == 0) { if (y) reach_error(); } else if (x == 7) { if (y == 1) reach_error(); } }",
        "UNSAFE",
    ),
    (
        "two paths say different things of one location",
        "int main() { int x = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), y; \
         if (k == 0) y = 1; else if (k == 1) y = 2; else y = x; \
         if (y == 3 && k < 2) reach_error(); if (y == 4) reach_error(); }",
        "UNSAFE",
    ),
    (
        "a loop comes back with other states",
        "int main() { int i = 0, n = __VERIFIER_nondet_int(); while (i < n) { if (i > 4) reach_error(); i++; } }",
        "UNSAFE",
    ),
    (
        "a loop is safe as a whole",
        "int main() { int i = 0, n = __VERIFIER_nondet_int(), s = 0; while (i < n) { if (s > 1) reach_error(); s = 1 - s; i++; } }",
        "SAFE",
    ),
    (
        "what holds at one call does not hold at the other",
        "void use(int x) { if (x > 3) reach_error(); } int main() { int y = __VERIFIER_nondet_int(); use(1); \
         if (y < 9) use(y); }",
        "UNSAFE",
    ),
];

#[test]
fn right_where_the_document_is_unsound() {
    for (what, body, expected) in UNSOUND {
        for options in modes() {
            for blocks in BLOCKS {
                for error_interp in [ErrorInterpolants::Over, ErrorInterpolants::Exact] {
                    let options = Options { refinement: blocks.into(), error_interp, ..options };
                    assert_eq!(run(body, options, Arithmetic::Int).0, expected, "{what}: {options:?}");
                }
            }
        }
    }
}

/// Both calls are safe, each for its own reason: what is known of the one is not taken for the other.
#[test]
fn a_callee_with_two_call_sites() {
    let body = "int limit; void use(int x) { if (x > limit) reach_error(); } \
        int main() { int i; limit = 10; for (i = 0; i < 10; i++) use(i); limit = 20; for (; i < 20; i++) use(i); }";
    for options in modes() {
        for arith in BOTH {
            assert_eq!(run(body, options, arith).0, "SAFE", "{options:?}");
        }
    }
}

#[test]
fn all_options() {
    for (body, expected) in common::SMALL {
        for options in modes() {
            for blocks in BLOCKS {
                for (prune, weights) in [(Prune::On, options.weights), (Prune::Off, Weighing::Max)] {
                    for beyond in [Beyond::NONE, Beyond::ALL] {
                        let options =
                            Options { refinement: blocks.into(), prune, weights, beyond, ..options };
                        assert_eq!(run(body, options, Arithmetic::Int).0, expected, "{options:?}: {body}");
                    }
                }
            }
        }
    }
}

/// In all modes with large and adjustable blocks, what engines with invariants decide.
#[test]
fn all_modes_decide() {
    for options in modes() {
        for Case { body, expected, .. } in common::all() {
            assert_eq!(run(&body, options, Arithmetic::Int).0, expected, "{options:?}: {body}");
        }
    }
}

/// The region of a loop head is inductive after one path, and saves the successors that others cover.
#[test]
fn loop_heads_become_full() {
    let body = "int main() { int i = 0, n = __VERIFIER_nondet_int(); while (i < n) { i += 2; } if (i < 0) reach_error(); }";
    let explored = |interp| {
        let (verdict, stats) = run(body, Options { interp, ..Options::default() }, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        if interp == Attributes::Rs {
            assert!(counter(&stats, "s_full_heads") >= 1.0 && counter(&stats, "saved_by_s") >= 1.0);
        }
        counter(&stats, "explored")
    };
    assert!(explored(Attributes::Rs) < explored(Attributes::R));
}

/// From two of the states of a protocol no run comes to the error, whatever the flag is: no path says that, S finds it out.
#[test]
fn values_from_which_the_error_is_out_of_reach() {
    let body = "int main() { int state = 0, flag = 0; for (;;) { \
        if (state == 0) state = __VERIFIER_nondet_int() ? 1 : 3; else if (state == 1) state = 2; \
        else if (state == 2) { if (flag) reach_error(); state = 0; } \
        else if (state == 3) { flag = 1; state = 4; } else state = 3; } }";
    let explored = |interp| {
        let (verdict, stats) = run(body, Options { interp, ..Options::default() }, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        assert_eq!(counter(&stats, "saved_by_s") >= 1.0, interp == Attributes::Rs);
        counter(&stats, "explored")
    };
    assert!(explored(Attributes::Rs) < explored(Attributes::R));
}

/// What an engine tells on the way.
#[derive(Default)]
struct Told(Vec<String>);

impl Observer for Told {
    fn progress(&mut self, _: &Progress) {}

    fn detail(&mut self, text: &dyn Fn() -> String) {
        self.0.push(text());
    }
}

impl Told {
    /// The lines of which that was told.
    fn lines(&self, what: &str) -> Vec<u32> {
        let line = |text: &String| {
            let line = text.strip_suffix(what)?.split("(line ").nth(1)?;
            line.split(')').next()?.parse().ok()
        };
        self.0.iter().filter_map(line).collect()
    }
}

/// Runs on a program as it is written, single blocks, paths explained as the document does, with interpolants as strong as can be: its predicates are equations.
fn as_written(text: &str, options: Options) -> (String, Stats, Told) {
    let refinement = RefinementOptions {
        interpolation: Interpolation::Strongest,
        heuristics: Heuristics::NONE,
        ..Blocks::Single.into()
    };
    let options = Options { refinement, ..options };
    let budget = Budget::unlimited();
    let reading = Reading::default();
    let loaded = load_text("exa.c", text, &reading, &budget).expect("a program");
    let selection = Selection { only: Some(Engine::Interp(options)), ..Selection::default() };
    let prepare = PrepareOptions { fold: false, cone: false, ..PrepareOptions::default() };
    let plan = Plan { selection, prepare, arithmetic: Arithmetic::Int, ..Plan::default() };
    let mut told = Told::default();
    let answer = solve(Arc::new(loaded.program), reading, &plan, &budget, &mut told);
    let stats = answer.decisive().map(|a| a.stats.clone()).unwrap_or_default();
    (text::verdict(&answer), stats, told)
}

/// The document's exa.c (II.D), by what can be recovered of it: a line is one of its locations. Eight paths, of which the last is real: `a`
/// and `i` choose what is added to `s`, the odd ones end at `l8`, the even ones would end at `l11`.
fn exa() -> String {
    let lines = [
        "int main() { int s = 1, a = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int();",
        "l2: if (a == 0) goto l3; goto l12;",
        "l3: if (i == 0) goto l4; goto l5;",
        "l4: s = s + 2; goto l6;",
        "l5: s = s + 1;",
        "l6: ;",
        "l7: if (s <= 3) goto l8; goto l10;",
        "l8: ;",
        "l9: return 0;",
        "l10: ;",
        "l11: reach_error();",
        "l12: if (i != 0) goto l13; goto l14;",
        "l13: s = s + 1; goto l15;",
        "l14: s = s + 4;",
        "l15: if (s <= 3) goto l8; goto l10; }",
    ];
    format!("{} {}", HEAD.trim(), lines.join("\n"))
}

fn of(interp: Attributes, weights: Weighing, prune: Prune) -> Options {
    Options { interp, weights, prune, beyond: "weakest".parse().expect("a switch"), ..Options::default() }
}

/// R: three paths are found to be none, the others that end at `l8` are cut there.
#[test]
fn example_with_reachability() {
    let (verdict, stats, told) = as_written(&exa(), of(Attributes::R, Weighing::Off, Prune::Off));
    assert_eq!(verdict, "UNSAFE");
    assert_eq!(counter(&stats, "refinements"), 3.0);
    // The jumps to `l8` at the end of lines 7 and 15 count as `l8`.
    let covered = told.lines(": covered");
    assert!(covered.len() >= 3 && covered.iter().all(|line| [7, 8, 15].contains(line)), "{covered:?}");
}

/// RS: what p2 says of `l6` is enough for p3, which is cut there.
#[test]
fn example_with_safety() {
    let (verdict, stats, told) = as_written(&exa(), of(Attributes::Rs, Weighing::Off, Prune::Off));
    assert_eq!(verdict, "UNSAFE");
    assert!(told.lines(": safe by S").contains(&6), "{:?}", told.0);
    let (_, without, _) = as_written(&exa(), of(Attributes::R, Weighing::Off, Prune::Off));
    assert!(counter(&stats, "refinements") < counter(&without, "refinements"));
    assert!(counter(&stats, "explored") < counter(&without, "explored"));
}

/// RE: what p6 says of `l15` leads p7 from there to the error.
#[test]
fn example_with_errors() {
    let (verdict, stats, told) = as_written(&exa(), of(Attributes::Re, Weighing::Off, Prune::Off));
    assert_eq!(verdict, "UNSAFE");
    assert_eq!(told.lines(": leads to the error by E"), [15], "{:?}", told.0);
    assert_eq!(counter(&stats, "e_confirmed"), 1.0);
    // Behind the last reachable state the way to the error is open for all: E(l10) is true.
    assert!(told.lines(": E has true").contains(&10), "{:?}", told.0);
}

/// `l8` and `l9` cannot reach the error; cut away, nothing is left to cover there.
#[test]
fn example_pruned() {
    for interp in [Attributes::R, Attributes::Rse] {
        let explored = |prune| {
            let (verdict, stats, told) = as_written(&exa(), of(interp, Weighing::Off, prune));
            assert_eq!(verdict, "UNSAFE");
            assert!(prune == Prune::Off || !told.0.iter().any(|t| t.contains("(line 8)")));
            counter(&stats, "explored")
        };
        // What cannot reach the error is full from the start: S saves what pruning cuts away.
        let (on, off) = (explored(Prune::On), explored(Prune::Off));
        assert!(on < off || interp == Attributes::Rse && on == off, "{on}, {off}");
    }
}

/// With weights the third path is the real one: of the two places that choose, both have been full on the side that was seen (IV.B). The choices have to follow each other for
/// that, which the document's description of the other paths does not allow.
#[test]
fn example_with_weights() {
    let lines = [
        "int main() { int s = 1, a = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int();",
        "if (i == 0) goto l4; goto l5;",
        "l4: s = s + 1; goto l6;",
        "l5: s = s + 2;",
        "l6: if (a == 0) goto l7; goto l12;",
        "l7: if (s > 4) goto l10; return 0;",
        "l10: reach_error();",
        "l12: s = s + 2; if (s > 4) goto l10; }",
    ];
    let text = format!("{} {}", HEAD.trim(), lines.join("\n"));
    let refinements = |weights| {
        let (verdict, stats, _) = as_written(&text, of(Attributes::Rs, weights, Prune::On));
        assert_eq!(verdict, "UNSAFE");
        counter(&stats, "refinements")
    };
    assert_eq!(refinements(Weighing::Mean), 1.0);
    assert_eq!(refinements(Weighing::Max), 1.0);
    assert!(refinements(Weighing::Off) > 1.0);
}

/// A sum that a loop keeps: runs show it.
#[test]
fn relations_that_runs_show() {
    let bodies = [
        "int main() { int n = __VERIFIER_nondet_int(), a = n, b = 0, c = 0; if (n < 0 || n > 1000) return 0; \
         while (a > 0) { a--; if (__VERIFIER_nondet_int()) b++; else c = c + 1; } if (a + b + c != n) reach_error(); }",
    ];
    for body in bodies {
        for interp in [Attributes::Rs, Attributes::Rse] {
            let (verdict, stats) = run(body, Options { interp, ..Options::default() }, Arithmetic::Int);
            assert_eq!(verdict, "SAFE", "{body}");
            assert!(counter(&stats, "s_full_heads") >= 1.0 && counter(&stats, "saved_by_s") >= 1.0);
        }
    }
}

/// Three ways to a place, each with a number of its own; then the programs on which the document is unsound.
#[test]
fn all_paths_at_once() {
    let lines = [
        "int main() { int x, n = __VERIFIER_nondet_int();",
        "if (n == 0) x = 1; else if (n == 1) x = 2; else x = 3;",
        "if (x > 4) reach_error(); }",
    ];
    let text = format!("{} {}", HEAD.trim(), lines.join("\n"));
    let refinements = |beyond: &str| {
        let beyond = beyond.parse().expect("switches");
        let options = Options { interp: Attributes::R, beyond, ..Options::default() };
        let (verdict, stats, _) = as_written(&text, options);
        assert_eq!(verdict, "SAFE");
        counter(&stats, "refinements")
    };
    assert!(refinements("dag") <= refinements("off"));
    for (what, body, expected) in UNSOUND {
        for blocks in BLOCKS {
            let beyond = "dag".parse().expect("a switch");
            let options = Options { refinement: blocks.into(), beyond, ..Options::default() };
            assert_eq!(run(body, options, Arithmetic::Int).0, expected, "{what}: {options:?}");
        }
    }
}
