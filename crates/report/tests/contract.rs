//! Proofs that speak of procedures, as text and JSON.

mod common;

use common::{boogie_answer, shown};
use craig_base::Budget;
use craig_cfa::{Program, VarId};
use craig_encode::Arith;
use craig_report::{Cost, contract, json};
use craig_solve::Answer;
use craig_verdict::certificate::{Certificate, Invariant, Procedures, Proof, Summary, Symbol};
use craig_verdict::{Outcome, judge};
use insta::assert_snapshot;

const TEXT: &str = "
var g: int;
procedure sum(n: int) returns (s: int)
  modifies g;
{
  g := g + 1;
  if (n <= 0) { s := 0; }
  else { call s := sum(n - 1); s := s + n; }
}
procedure idle()
{
  while (true) { }
}
procedure main()
  modifies g;
{
  var s: int;
  g := 0;
  while (*)
  {
    call s := sum(2);
  }
  assert g >= 0;
  if (g < 0) { call idle(); }
  if (*) { call idle(); }
}
";

fn variable(program: &Program, name: &str) -> VarId {
    program.vars.iter_enumerated().find(|(_, var)| &*var.name == name).expect("a variable of this name").0
}

fn proof(program: &Program) -> Procedures {
    let (g, n) = (variable(program, "g"), variable(program, "n"));
    let proc = |name: &str| program.proc_by_name(name).expect("a procedure");
    let entry = |name: &str, formula: &str| {
        let loc = program.procs[proc(name)].entry;
        Invariant::new(loc, &[], program.source.line(program.locs[loc].span), formula.into())
    };
    let heads = craig_cfa::graph::order(program, &program.graph()).loop_head;
    let head = |name: &str, formula: &str| {
        let here = |loc: &craig_cfa::LocId| heads[*loc] && program.locs[*loc].proc == proc(name);
        let loc = program.locs.indices().find(here).expect("a loop");
        Invariant::new(loc, &[], program.source.line(program.locs[loc].span), formula.into())
    };
    let summary = |name: &str, formula: &str| Summary::new(program, proc(name), formula.into());
    let sum = proc("sum");
    let symbols = [
        Symbol::now(program, Arith::Int, "x1", g, 0),
        Symbol::entry(program, Arith::Int, "x2", g, 0),
        Symbol::entry(program, Arith::Int, "x3", n, 0),
        // The name of something else.
        Symbol::result(program, Arith::Int, "g", program.procs[sum].ret, 0),
    ];
    Procedures {
        symbols: symbols.into_iter().flatten().collect(),
        invariants: vec![
            entry("main", "true"),
            entry("sum", "(and (>= x3 0) (>= x1 0))"),
            entry("idle", "true"),
            head("main", "(>= x1 0)"),
            head("idle", "true"),
        ],
        summaries: vec![summary("main", "true"), summary("sum", "(and (>= g x3) (> x1 x2))")],
    }
}

fn answer() -> Answer {
    let mut answer = boogie_answer(TEXT, "predicate");
    let program = answer.source.clone();
    let certificate = Certificate::new(Arith::Int, Proof::Procedures(proof(&program)));
    answer.verdict = judge(&program, Outcome::Safe(certificate), false, &Budget::unlimited());
    answer
}

#[test]
fn for_people() {
    assert_snapshot!(shown(&answer(), false), @r"
    Proof with 2 contracts and 2 invariants (checked):
      sum(n): requires g >= 0 && n >= 0; ensures result >= old(n) && g > old(g)
      idle(): never returns
      line 19: g >= 0
      line 12: true
    Nothing is assumed.
    SAFE
    ");
}

#[test]
fn for_tools() {
    let record = json::Record::new("test.bpl", &answer(), &Cost::default(), false);
    let text = serde_json::to_string_pretty(&record).expect("JSON");
    let from = text.find("\"certificate\"").expect("a certificate");
    let to = text.find("\"stats\"").expect("counters");
    assert_snapshot!(text[from..to], @r#"
    "certificate": {
        "checked": true,
        "kind": "procedures",
        "locations": 7,
        "solver_calls": 2
      },
      "invariants": [
        {
          "line": 19,
          "formula": "g >= 0"
        },
        {
          "line": 12,
          "formula": "true"
        }
      ],
      "contracts": [
        {
          "procedure": "main()",
          "line": 14,
          "requires": "true",
          "ensures": "true"
        },
        {
          "procedure": "sum(n)",
          "line": 3,
          "requires": "g >= 0 && n >= 0",
          "ensures": "result >= old(n) && g > old(g)"
        },
        {
          "procedure": "idle()",
          "line": 10,
          "requires": "true"
        }
      ],
    "#);
}

#[test]
fn nothing_is_said_or_much() {
    let program = answer().source;
    assert_snapshot!(contract::text(&program, &Procedures::default(), &[]), @"No path leads to the error (checked).");
    let given = proof(&program);
    // Formulas that cannot be read stand as they are, long ones are cut.
    let long = (0..40).map(|i| format!("(>= (+ x1 (* {i} x2)) {i})"));
    let long = format!("(or {})", long.collect::<Vec<_>>().join(" "));
    let long = Procedures {
        invariants: vec![Invariant { formula: "(odd x1)".into(), ..given.invariants[3].clone() }],
        summaries: vec![
            Summary { formula: "(>= x1 0)".into(), ..given.summaries[1].clone() },
            Summary { formula: "(or (= x1 x2) (= x1 5))".into(), ..given.summaries[1].clone() },
            Summary { formula: long, ..given.summaries[0].clone() },
        ],
        ..given
    };
    assert_snapshot!(contract::text(&program, &long, &[]), @r"
    Proof with 2 contracts and 1 invariant (checked):
      main():
        never entered
        ensures g >= 0 || g + old(g) >= 1 || g + 2 * old(g) >= 2 || g + 3 * old(g) >= 3 || g + 4 * old(g) >= 4 || g + 5 * old(g) >= 5 || g + 6 * old(g) >= 6 || g + 7 * old(g) >= 7 || g + 8 * old(g) >= 8 || g + 9 * old(g) >= 9 || g + 10 * old(g) >= 10 || g + 11 * old(g) >= 11 || g + 12 * old(g) >= 12 || g + 13 * old ...
      sum(n): never entered; ensures g >= 0 && (g == 5 || g == old(g))
      line 19: (odd x1)
    ");
}
