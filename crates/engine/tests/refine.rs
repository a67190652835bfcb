//! Paths of blocks: executions, conflicts, and what each attempt says about a conflict.

mod common;

use common::{AS_WRITTEN, boogie, task};
use craig_base::Budget;
use craig_cfa::{BlockId, Blocks};
use craig_encode::Arith;
use craig_engine::Silent;
use craig_engine::discrete::Discrete;
use craig_engine::explain::{Explained, Heuristics, Plan, Provenance, Refined, Rung};
use craig_engine::options::Interpolation;
use craig_engine::refine::{Conflict, Examined, Refiner};
use craig_engine::workbench::Workbench;
use craig_logic::TermId;
use craig_verdict::{Counterexample, NoProgress};
use insta::assert_snapshot;
use std::rc::Rc;

static ALL: [Rung; 5] = [Rung::Tuples, Rung::Default, Rung::Strong, Rung::Weak, Rung::PathAtoms];

/// Nothing but what a rung says.
fn only(rung: Rung) -> Plan {
    let at = ALL.iter().position(|r| *r == rung).expect("one of all");
    Plan { ladder: &ALL[at..=at], all_values: false, candidates: false, weaken: false }
}

/// What a test works with: a program as blocks, and a path to the error.
struct Setting<'t> {
    bench: Workbench<'t>,
    refiner: Refiner,
    path: Vec<BlockId>,
}

/// Works on the first path to the error of the shortest that have at least so many blocks.
fn with<T>(
    program: &str,
    blocks: Blocks,
    at_least: usize,
    method: Interpolation,
    work: impl FnOnce(&mut Setting<'_>) -> T,
) -> T {
    let task = task(boogie(program), &AS_WRITTEN);
    let bench = Workbench::new(&task, Arith::Int, blocks, &Budget::unlimited()).expect("no limit");
    let discrete = Rc::new(Discrete::new(&bench).expect("no limit"));
    let refiner = Refiner::new(&bench, discrete, method.method(), Heuristics::ALL);
    let mut path = Vec::new();
    assert!((at_least..at_least + 20).any(|length| find(&bench, length, &mut path)), "no such path");
    work(&mut Setting { bench, refiner, path })
}

fn find(bench: &Workbench<'_>, length: usize, path: &mut Vec<BlockId>) -> bool {
    let at = path.last().map_or(bench.entry(), |b| bench.graph.block(*b).to);
    if at == bench.program().error || path.len() == length {
        return at == bench.program().error && path.len() == length;
    }
    bench.graph.leaving(at).iter().any(|&block| {
        path.push(block);
        let found = find(bench, length, path);
        if !found {
            path.pop();
        }
        found
    })
}

impl Setting<'_> {
    /// A formula over the variables of the program; they are named as they are there.
    fn read(&self, text: &str) -> TermId {
        let symbols: Vec<(String, TermId)> =
            self.bench.slots.symbols.iter().map(|s| (self.bench.terms.c(*s), *s)).collect();
        let names = symbols.iter().map(|(name, symbol)| (name.as_str(), *symbol));
        self.bench.terms.read_term_with(text, names).expect("a formula")
    }

    /// `known`: nodes of the path, and what is known there.
    fn examine(&mut self, known: &[(usize, &str)]) -> Examined {
        let mut all = vec![self.bench.terms.tru(); self.path.len() + 1];
        known.iter().for_each(|(node, text)| all[*node] = self.read(text));
        self.refiner.examine(&mut self.bench, self.path.clone(), &[], &all).expect("an answer")
    }

    fn conflict(&mut self, known: &[(usize, &str)]) -> (craig_engine::path::Path, Conflict) {
        match self.examine(known) {
            Examined::Infeasible(path, conflict) => (path, conflict),
            Examined::Execution(found) => panic!("an execution: {found:?}"),
        }
    }

    /// The formulas of an explanation, each with the line of its cut.
    fn lines(&self, found: &[Explained]) -> String {
        let program = self.bench.program();
        let line = |Explained { cut, formula, .. }: &Explained| {
            let loc = self.bench.graph.block(self.path[*cut]).to;
            format!(
                "  cut {cut}, line {}: {}\n",
                program.source.line(program.locs[loc].span),
                self.bench.terms.c(*formula)
            )
        };
        found.iter().map(line).collect()
    }

    fn explain(&mut self, attempt: Rung, known: &[(usize, &str)]) -> String {
        let (path, conflict) = self.conflict(known);
        let found = self
            .refiner
            .explain(&path, &conflict, &only(attempt), &[], &mut Silent, |found| Ok(Some(found.to_vec())));
        match found.expect("no limit") {
            Refined::Taken(found) => self.lines(&found),
            Refined::Stuck(why) => format!("  {why:?}\n"),
        }
    }
}

/// The examined path in a line: the values of an execution, or the parts that contradict each other.
fn examined(program: &str, blocks: Blocks, at_least: usize, known: &[(usize, &str)]) -> String {
    with(program, blocks, at_least, Interpolation::Layers, |setting| match setting.examine(known) {
        Examined::Execution(found) => execution(setting, &found),
        Examined::Infeasible(path, conflict) => {
            let known = match setting.bench.terms.is_true(conflict.known) {
                true => String::new(),
                false => " and what is known before them".to_string(),
            };
            format!("parts {:?} of {} contradict each other{known}", conflict.parts, path.parts.len())
        }
    })
}

fn execution(setting: &Setting<'_>, found: &Counterexample) -> String {
    let source = &setting.bench.task.source;
    let passage = |step: &craig_verdict::Passage| {
        let line = source.source.line(source.edges[step.edge].span);
        let picks: Vec<String> = step.picks.iter().map(|p| format!("{:?}", p.value)).collect();
        if picks.is_empty() { line.to_string() } else { format!("{line} ({})", picks.join(", ")) }
    };
    let steps: Vec<String> = found.steps.iter().map(passage).collect();
    format!("execution over lines {}", steps.join(", "))
}

/// What every attempt says.
fn explained(program: &str, blocks: Blocks, at_least: usize, known: &[(usize, &str)]) -> String {
    with(program, blocks, at_least, Interpolation::Layers, |setting| {
        let each = ALL.map(|attempt| format!("{attempt:?}:\n{}", setting.explain(attempt, known)));
        each.concat()
    })
}

const STRAIGHT: &str = "procedure main() {
  var x, y: int;
  x := 1;
  y := 7;
  y := y + x;
  x := x + 1;
  assert x == 2; }";

const COUNT: &str = "procedure main() {
  var i, n: int;
  i := 0;
  while (i < n) {
    i := i + 1;
  }
  assert i <= n || n < 0; }";

/// A protocol, 1, 2, 3, 1, ..; the error wants 4.
const PROTOCOL: &str = "procedure main() {
  var s, seen: int;
  s := 1;
  seen := 0;
  while (*) {
    if (s == 1) { s := 2; } else if (s == 2) { s := 3; seen := 1; } else if (s == 3) { s := 1; }
  }
  assert s != 4; }";

#[test]
fn a_path_is_an_execution_or_a_conflict() {
    let reached = "procedure main() {
      var x: int;
      havoc x;
      assert x != 7; }";
    assert_snapshot!(examined(reached, Blocks::Single, 1, &[]), @r"execution over lines 1, 2 (Int(0)), 3 (Int(7)), 4");
    assert_snapshot!(examined(STRAIGHT, Blocks::Single, 1, &[]), @r"parts 3..=7 of 8 contradict each other");
    assert_snapshot!(examined(COUNT, Blocks::default(), 4, &[]), @r"parts 2..=3 of 4 contradict each other");
}

/// What does not belong to the contradiction is left out at either end; what is known shortens it further.
#[test]
fn what_is_known_shortens_a_conflict() {
    assert_snapshot!(examined(PROTOCOL, Blocks::default(), 5, &[]), @r"parts 0..=4 of 5 contradict each other");
    assert_snapshot!(examined(PROTOCOL, Blocks::default(), 5, &[(3, "(= s 3)")]), @r"parts 3..=4 of 5 contradict each other and what is known before them");
    assert_snapshot!(examined(PROTOCOL, Blocks::default(), 5, &[(3, "(= seen 1)")]), @r"parts 0..=4 of 5 contradict each other");
}

/// Labels are a part of the formulas before and behind their node: a conflict with a label begins behind it.
#[test]
fn labels_are_part_of_the_path() {
    let conflict = |labels: &[(usize, &str)]| {
        with(PROTOCOL, Blocks::default(), 5, Interpolation::Layers, |setting| {
            let mut all = vec![setting.bench.terms.tru(); setting.path.len() + 1];
            labels.iter().for_each(|(node, text)| all[*node] = setting.read(text));
            let nothing = vec![setting.bench.terms.tru(); all.len()];
            let path = setting.path.clone();
            match setting.refiner.examine(&mut setting.bench, path, &all, &nothing).expect("an answer") {
                Examined::Execution(_) => panic!("no execution"),
                Examined::Infeasible(_, conflict) => conflict.parts,
            }
        })
    };
    assert_eq!(conflict(&[]), 0..=4);
    assert_eq!(conflict(&[(3, "(= s 3)")]), 3..=4);
    assert_eq!(conflict(&[(4, "(< s 4)")]), 4..=4);
}

/// Variables that nothing behind a part reads are not needed.
#[test]
fn what_a_path_needs() {
    with(STRAIGHT, Blocks::Single, 1, Interpolation::Layers, |setting| {
        let (path, _) = setting.conflict(&[]);
        let needed: Vec<TermId> =
            path.needed.iter().map(|s| setting.bench.slots.symbols[*s as usize]).collect();
        assert_eq!(needed, [setting.read("x")]);
    });
}

#[test]
fn attempts_on_a_straight_path() {
    assert_snapshot!(explained(STRAIGHT, Blocks::Single, 1, &[]), @r"
    Tuples:
    Default:
      cut 3, line 4: x == 1
      cut 4, line 5: x == 1
      cut 5, line 6: x == 1
      cut 6, line 7: x == 2
    Strong:
      cut 3, line 4: x == 1
      cut 4, line 5: x == 1
      cut 5, line 6: x == 1
      cut 6, line 7: x == 2
    Weak:
      cut 3, line 4: x == 1
      cut 4, line 5: x == 1
      cut 5, line 6: x == 1
      cut 6, line 7: x == 2
    PathAtoms:
      cut 6, line 7: x == 2
    ");
}

#[test]
fn attempts_on_a_loop() {
    assert_snapshot!(explained(COUNT, Blocks::default(), 4, &[]), @r"
    Tuples:
    Default:
      cut 2, line 4: i <= n
    Strong:
      cut 2, line 4: i <= n
    Weak:
      cut 2, line 4: i <= n
    PathAtoms:
      cut 2, line 4: i >= n
      cut 2, line 4: n <= -1
      cut 2, line 4: i > n
    ");
}

#[test]
fn attempts_on_a_protocol() {
    assert_snapshot!(explained(PROTOCOL, Blocks::default(), 5, &[]), @r"
    Tuples:
      cut 0, line 5: s == 1
      cut 1, line 5: s == 2
      cut 2, line 5: s == 3
      cut 3, line 5: s == 1
    Default:
      cut 0, line 5: s == 1
      cut 1, line 5: s == 2
      cut 2, line 5: s == 2 || s == 3
      cut 3, line 5: s == 1 || s == 2 || s == 3
    Strong:
      cut 0, line 5: s == 1
      cut 1, line 5: s == 2
      cut 2, line 5: s == 2 || s == 3
      cut 3, line 5: s == 1 || s == 2 || s == 3
    Weak:
      cut 0, line 5: s == 1
      cut 1, line 5: s != 4
      cut 2, line 5: s != 4
      cut 3, line 5: s != 4
    PathAtoms:
      cut 0, line 5: s == 1
      cut 0, line 5: s == 2
      cut 0, line 5: s == 3
      cut 1, line 5: s == 1
      cut 1, line 5: s == 2
      cut 1, line 5: s == 3
      cut 2, line 5: s == 1
      cut 2, line 5: s == 2
      cut 2, line 5: s == 3
      cut 3, line 5: s == 4
    ");
}

/// What is known before the conflict need not be explained again.
#[test]
fn attempts_with_something_known() {
    assert_snapshot!(explained(PROTOCOL, Blocks::default(), 5, &[(3, "(= s 3)")]), @r"
    Tuples:
      cut 3, line 5: s == 1 || s == 2 || s == 3
    Default:
      cut 3, line 5: s == 1 || s == 3
    Strong:
      cut 3, line 5: s == 1 || s == 3
    Weak:
      cut 3, line 5: s != 4
    PathAtoms:
      cut 3, line 5: s == 4
    ");
}

/// How many attempts were asked about, and what came of it, if what the one with this number says is taken.
fn ladder(method: Interpolation, heuristics: Heuristics, takes: Option<usize>) -> (usize, Refined<usize>) {
    with(PROTOCOL, Blocks::default(), 5, method, |setting| {
        setting.refiner.heuristics = heuristics;
        let (path, conflict) = setting.conflict(&[]);
        let mut asked = 0;
        let plan = Plan { ladder: &ALL, all_values: false, candidates: false, weaken: false };
        let refined = setting.refiner.explain(&path, &conflict, &plan, &[], &mut Silent, |_| {
            asked += 1;
            Ok((takes == Some(asked)).then_some(asked))
        });
        (asked, refined.expect("no limit"))
    })
}

#[test]
fn the_first_attempt_that_is_taken_ends_the_ladder() {
    let (asked, refined) = ladder(Interpolation::Layers, Heuristics::ALL, Some(3));
    assert_eq!(asked, 3);
    assert!(matches!(refined, Refined::Taken(3)));
    let (asked, refined) = ladder(Interpolation::Layers, Heuristics::ALL, None);
    assert_eq!(asked, ALL.len());
    assert!(matches!(refined, Refined::Stuck(NoProgress::NothingNew)));
}

#[test]
fn only_the_method_that_was_asked_for() {
    for method in
        [Interpolation::Farkas, Interpolation::Spacer, Interpolation::Strongest, Interpolation::Weakest]
    {
        let (asked, refined) = ladder(method, Heuristics::ALL, Some(1));
        assert_eq!(asked, 1, "{method:?}");
        assert!(matches!(refined, Refined::Taken(1)), "{method:?}");
        let (asked, _) = ladder(method, Heuristics::ALL, None);
        assert_eq!(asked, 1, "{method:?}");
    }
}

/// A bound goes as far as the rest of the path allows, wherever the path came from; but not on and on.
#[test]
fn bounds_are_moved() {
    let program = |start: i32, step: i32| {
        format!(
            "procedure main() {{
      var x, n: int;
      x := n; assume n >= {start};
      while (*) {{ x := x + {step}; }}
      assert x >= 3; }}"
        )
    };
    let said = |start, step, blocks, weaken| {
        with(&program(start, step), Blocks::default(), blocks, Interpolation::Layers, |setting| {
            let (path, conflict) = setting.conflict(&[]);
            let plan = Plan { ladder: &[Rung::Default], all_values: false, candidates: false, weaken };
            let refined = setting.refiner.explain(&path, &conflict, &plan, &[], &mut Silent, |found| {
                let terms = &setting.bench.terms;
                let interpolants = found.iter().filter(|f| f.by != Provenance::Guess);
                Ok(Some(interpolants.map(|f| terms.c(f.formula)).collect::<Vec<_>>()))
            });
            refined.expect("no limit").or_stop().expect("an explanation")
        })
    };
    for start in [10, 100] {
        assert_eq!(said(start, 1, 3, true), ["x >= 2", "x >= 3"], "{start}");
    }
    // Where that counts on, two are enough.
    let falling = said(100, -2, 6, true);
    assert_eq!(falling[falling.len() - 2..], ["x >= 5", "x >= 3"]);
    assert_eq!(falling[0], said(100, -2, 6, false)[0]);
}

/// The shortest part that contradicts itself may lie before one that is nearer to the end.
#[test]
fn the_shortest_part() {
    let program = "procedure main() {
      var x, y, z, w: int;
      havoc x; havoc y;
      y := 7;
      assume y == 3;
      x := 0; z := x; w := z;
      assert w == 0; }";
    with(program, Blocks::Single, 1, Interpolation::Layers, |setting| {
        let Setting { bench, refiner, path } = setting;
        let (found, conflict) = refiner.shortest(bench, path).expect("no limit").expect("such a part");
        assert_eq!(conflict.parts.clone().count(), 2, "{:?}", conflict.parts);
        assert!(bench.terms.is_true(conflict.known));
        let question: Vec<TermId> = conflict.parts.clone().map(|i| found.parts[i].formula).collect();
        assert!(bench.smt.check(&question).is_unsat());
        // What can be passed is remembered.
        let before = bench.smt.stats().checks;
        let (_, again) = refiner.shortest(bench, path).expect("no limit").expect("the same part");
        assert_eq!((again.parts, bench.smt.stats().checks), (conflict.parts.clone(), before + 1));
        let (_, nearest) = setting.conflict(&[]);
        assert!(nearest.parts.start() > conflict.parts.end(), "{:?}", nearest.parts);
        assert_eq!(nearest.parts.count(), 4);
    });
    let feasible = "procedure main() { var x: int; havoc x; x := x + 1; assert x != 3; }";
    with(feasible, Blocks::Single, 1, Interpolation::Layers, |setting| {
        let Setting { bench, refiner, path } = setting;
        assert!(refiner.shortest(bench, path).expect("no limit").is_none());
    });
}

/// As in the papers: one sequence of interpolants, of the whole path.
#[test]
fn without_heuristics() {
    let (asked, refined) = ladder(Interpolation::Layers, Heuristics::NONE, None);
    assert_eq!(asked, 1);
    assert!(matches!(refined, Refined::Stuck(NoProgress::NothingNew)));
    with(COUNT, Blocks::default(), 4, Interpolation::Layers, |setting| {
        setting.refiner.heuristics = Heuristics::NONE;
        let (path, conflict) = setting.conflict(&[(1, "(= i 0)")]);
        assert_eq!(conflict.parts, 0..=path.parts.len() - 1);
        assert!(setting.bench.terms.is_true(conflict.known));
        assert!(setting.refiner.leaves_out_known());
    });
}

/// The words of a method that cannot do it are those of the refinement.
#[test]
fn stuck_with_the_reason_of_the_last_attempt_that_had_none() {
    let product = "procedure main() {
      var x, y: int;
      havoc x;
      y := x * x;
      assert y >= 0; }";
    let stuck = with(product, Blocks::Single, 1, Interpolation::Farkas, |setting| {
        let (path, conflict) = setting.conflict(&[]);
        let plan = Plan { ladder: &ALL, all_values: false, candidates: false, weaken: false };
        let refined = setting.refiner.explain(&path, &conflict, &plan, &[], &mut Silent, |_| Ok(None::<()>));
        refined.expect("no limit").or_stop().expect_err("nothing is taken")
    });
    assert_snapshot!(craig_report::reason::words(&stuck), @r"refinement: no interpolant at cut 0: Farkas: a pair of cubes could not be separated;");
}

/// Each method by itself, on a loop.
#[test]
fn methods() {
    let said = |method: Interpolation| {
        with(COUNT, Blocks::default(), 4, method, |setting| {
            format!("{method:?}:\n{}", setting.explain(Rung::Default, &[]))
        })
    };
    let all =
        [Interpolation::Farkas, Interpolation::Spacer, Interpolation::Strongest, Interpolation::Weakest];
    assert_snapshot!(all.map(said).concat(), @r"
    Farkas:
      cut 2, line 4: i <= n
    Spacer:
      cut 2, line 4: i <= n
    Strongest:
      cut 2, line 4: i <= n
    Weakest:
      cut 2, line 4: i <= n || n <= -1
    ");
}

/// Two rounds of the loop, whatever leads there: do they contradict what is to hold behind them?
#[test]
fn contradictions_with_what_is_to_hold_at_the_end() {
    let ask = |known: &str, end: &str| {
        with(COUNT, Blocks::default(), 4, Interpolation::Layers, |setting| {
            let (known, end) = (setting.read(known), setting.read(end));
            let inner = setting.path[1..3].to_vec();
            let found =
                setting.refiner.contradiction(&mut setting.bench, inner, known, end).expect("no limit");
            match found {
                Some((_, conflict)) => {
                    format!("{:?} with {}\n", conflict.parts, setting.bench.terms.smt(conflict.known))
                }
                None => "none\n".to_string(),
            }
        })
    };
    let asked =
        [("true", "(> i n)"), ("(>= i 0)", "(= i 0)"), ("(>= i 0)", "(= i 1)"), ("(>= i 0)", "(= i 2)")];
    assert_snapshot!(asked.map(|(known, end)| ask(known, end)).concat(), @r"
    1..=1 with true
    0..=1 with (not (<= i (- 1)))
    0..=1 with (not (<= i (- 1)))
    none
    ");
}
