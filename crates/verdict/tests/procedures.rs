//! Proofs that speak of procedures one by one: those that hold are accepted, those that cheat are refused.

mod common;

use common::{boogie, c, words};
use craig_base::Budget;
use craig_cfa::{LocId, Program, graph};
use craig_encode::Arith;
use craig_verdict::certificate::{Certificate, Invariant, Moment, Procedures, Proof, Summary, Symbol};
use craig_verdict::check::Ground;
use craig_verdict::witness::{Claim, RecordedReading, Witness};
use craig_verdict::{Contradicted, Reason, flat, gate, prove};

/// A proof by procedures: what they need by name, what holds at loop heads by line, what they do by name.
#[derive(Debug, Clone)]
struct Given<'a> {
    requires: Vec<(&'a str, &'a str)>,
    lines: Vec<(u32, &'a str)>,
    ensures: Vec<(&'a str, &'a str)>,
}

impl<'a> Given<'a> {
    fn new(
        requires: &[(&'a str, &'a str)],
        lines: &[(u32, &'a str)],
        ensures: &[(&'a str, &'a str)],
    ) -> Given<'a> {
        Given { requires: requires.into(), lines: lines.into(), ensures: ensures.into() }
    }

    fn certificate(&self, program: &Program, arith: Arith) -> Certificate {
        let entry = |name: &str| {
            let proc = program.proc_by_name(name).expect("a procedure of this name");
            program.procs[proc].entry
        };
        let requires = self.requires.iter().map(|(name, formula)| at(entry(name), formula));
        let lines = self.lines.iter().map(|(line, formula)| at(head(program, *line), formula));
        let ensures = self.ensures.iter().map(|(name, formula)| {
            Summary::new(program, program.proc_by_name(name).expect("a procedure"), (*formula).into())
        });
        let proof = Procedures {
            symbols: symbols(program, arith),
            invariants: requires.chain(lines).collect(),
            summaries: ensures.collect(),
        };
        Certificate::new(arith, Proof::Procedures(proof))
    }

    fn said(&self, program: &Program, arith: Arith) -> String {
        judged(program, &self.certificate(program, arith))
    }
}

/// Nothing is asked of main, and nothing promised.
const MAIN: (&str, &str) = ("main", "true");

/// Of programs with main and f.
fn f<'a>(requires: &'a str, ensures: &'a str) -> Given<'a> {
    Given::new(&[MAIN, ("f", requires)], &[], &[MAIN, ("f", ensures)])
}

fn at(location: LocId, formula: &str) -> Invariant {
    Invariant::new(location, &[], 0, formula.into())
}

fn head(program: &Program, line: u32) -> LocId {
    let heads = graph::order(program, &program.graph()).loop_head;
    let here = |loc: &LocId| heads[*loc] && program.source.line(program.locs[*loc].span) == line;
    program.locs.indices().find(here).expect("a loop head in this line")
}

/// Every variable that is a scalar: `g` now, `old.g` when the procedure was entered; those of procedures as `f.x`. The result of whichever procedure has
/// one first is `result`.
fn symbols(program: &Program, arith: Arith) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut add = |symbol: Option<Symbol>| {
        if let Some(symbol) = symbol.filter(|new| symbols.iter().all(|s| s.symbol != new.symbol)) {
            symbols.push(symbol);
        }
    };
    for (id, var) in program.vars.iter_enumerated() {
        let name = match var.proc {
            Some(proc) => format!("{}.{}", program.procs[proc].name, var.name),
            None => var.name.to_string(),
        };
        add(Symbol::now(program, arith, &name, id, 0));
        add(Symbol::entry(program, arith, &format!("old.{name}"), id, 0));
    }
    for proc in &program.procs {
        add(Symbol::result(program, arith, "result", proc.ret, 0));
    }
    symbols
}

/// What checker and gate say of a proof.
fn judged(program: &Program, certificate: &Certificate) -> String {
    words(prove(program, certificate, false, &Budget::unlimited()))
}

const SUM: &str = "
procedure sum(n: int) returns (s: int)
{
  if (n <= 0) { s := 0; }
  else { call s := sum(n - 1); s := s + n; }
}
procedure main()
{
  var n, s: int;
  havoc n;
  assume n >= 0;
  call s := sum(n);
  assert s + s == n * (n + 1);
}
";

fn sum<'a>() -> Given<'a> {
    let gauss = "(= (+ result result) (* old.sum.n (+ old.sum.n 1)))";
    Given::new(&[MAIN, ("sum", "(>= sum.n 0)")], &[], &[MAIN, ("sum", gauss)])
}

const PARITY: &str = "
var g: int;
procedure even(n: int) returns (b: bool)
  modifies g;
{
  g := g + 1;
  if (n == 0) { b := true; }
  else { call b := odd(n - 1); }
}
procedure odd(n: int) returns (b: bool)
  modifies g;
{
  g := g + 1;
  if (n == 0) { b := false; }
  else { call b := even(n - 1); }
}
procedure main()
  modifies g;
{
  var n, before: int;
  var b: bool;
  havoc n;
  assume n >= 0;
  before := g;
  call b := even(n);
  assert b <==> n mod 2 == 0;
  assert g == before + n + 1;
}
";

fn parity<'a>() -> Given<'a> {
    Given::new(
        &[MAIN, ("even", "(>= even.n 0)"), ("odd", "(>= odd.n 0)")],
        &[],
        &[
            MAIN,
            ("even", "(and (= result (= (mod old.even.n 2) 0)) (= g (+ old.g old.even.n 1)))"),
            ("odd", "(and (= result (= (mod old.odd.n 2) 1)) (= g (+ old.g old.odd.n 1)))"),
        ],
    )
}

/// A loop that calls, nested calls, two calls in one segment, and a procedure that calls itself and has a local of its own.
const CALLS: &str = "
var g: int;
procedure bump(by: int)
  modifies g;
{
  g := g + by;
}
procedure twice(by: int)
  modifies g;
{
  call bump(by);
  call bump(by);
}
procedure down(n: int)
  modifies g;
{
  var mine: int;
  mine := n;
  if (n > 0) {
    call down(n - 1);
    assert mine == n;
    call bump(1);
  }
}
procedure main()
  modifies g;
{
  var i: int;
  g := 0;
  i := 0;
  while (i < 10)
  {
    call twice(3);
    i := i + 1;
  }
  assert g == 60;
  call down(5);
  assert g == 65;
}
";

fn calls<'a>() -> Given<'a> {
    Given::new(
        &[MAIN, ("bump", "true"), ("twice", "true"), ("down", "(>= down.n 0)")],
        &[(31, "(and (= g (* 6 main.i)) (<= 0 main.i) (<= main.i 10))")],
        &[
            MAIN,
            ("bump", "(= g (+ old.g old.bump.by))"),
            ("twice", "(= g (+ old.g (* 2 old.twice.by)))"),
            ("down", "(= g (+ old.g old.down.n))"),
        ],
    )
}

#[test]
fn proofs_that_hold() {
    assert_eq!(sum().said(&boogie(SUM), Arith::Int), "accepted");
    assert_eq!(parity().said(&boogie(PARITY), Arith::Int), "accepted");
    assert_eq!(calls().said(&boogie(CALLS), Arith::Int), "accepted");
}

/// Puts one formula in the place of another.
fn with<'a>(list: &[(&'a str, &'a str)], name: &str, formula: &'a str) -> Vec<(&'a str, &'a str)> {
    list.iter().map(|(n, f)| if *n == name { (*n, formula) } else { (*n, *f) }).collect()
}

fn without<'a>(list: &[(&'a str, &'a str)], name: &str) -> Vec<(&'a str, &'a str)> {
    list.iter().copied().filter(|(n, _)| *n != name).collect()
}

#[test]
fn proofs_that_do_not() {
    let program = boogie(SUM);
    let said = |given: Given<'_>| given.said(&program, Arith::Int);
    let needs = |name: &str, formula| Given { requires: with(&sum().requires, name, formula), ..sum() };
    let does = |name: &str, formula| Given { ensures: with(&sum().ensures, name, formula), ..sum() };
    let entry_of_sum =
        "certificate: the formula of the entry of sum does not follow from that of the entry of";
    let return_of_sum =
        "certificate: the formula of the return of sum does not follow from that of the entry of sum";
    // Too much is asked for: where sum calls itself, and in main.
    assert_eq!(said(needs("sum", "(>= sum.n 1)")), format!("{entry_of_sum} main"));
    assert_eq!(said(needs("sum", "false")), format!("{entry_of_sum} main"));
    // Too little: the summary does not follow, and callers may do anything.
    assert_eq!(said(needs("sum", "true")), return_of_sum);
    // Too much is promised.
    let even_more = "(and (= (+ result result) (* old.sum.n (+ old.sum.n 1))) (= result (* 2 old.sum.n)))";
    assert_eq!(said(does("sum", even_more)), return_of_sum);
    assert_eq!(said(does("sum", "false")), return_of_sum);
    // Too little.
    let error = "certificate: the formula of the error does not follow from that of the entry of main";
    assert_eq!(said(does("sum", "(>= result 0)")), error);
    assert_eq!(said(does("sum", "true")), error);
    // A procedure that is entered, one that returns.
    assert_eq!(
        said(Given { requires: without(&sum().requires, "sum"), ..sum() }),
        format!("{entry_of_sum} main")
    );
    assert_eq!(said(Given { ensures: without(&sum().ensures, "sum"), ..sum() }), return_of_sum);
    let no_main = Given { requires: without(&sum().requires, "main"), ..sum() };
    assert_eq!(
        said(no_main),
        "certificate: the formula of the entry of main does not follow from that of the start"
    );
    let no_return = Given { ensures: without(&sum().ensures, "main"), ..sum() };
    assert_eq!(
        said(no_return),
        "certificate: the formula of the return of main does not follow from that of the entry of main"
    );
    assert_eq!(
        said(Given::new(&[], &[], &[])),
        "certificate: the formula of the entry of main does not follow from that of the start"
    );
}

#[test]
fn globals_change_and_locals_stay() {
    let program = boogie(CALLS);
    let said = |given: Given<'_>| given.said(&program, Arith::Int);
    let does = |name: &str, formula| Given { ensures: with(&calls().ensures, name, formula), ..calls() };
    // A summary that leaves a global open leaves it open.
    assert_eq!(
        said(does("bump", "true")),
        "certificate: the formula of the return of twice does not follow from that of the entry of twice"
    );
    // One that keeps it does not hold.
    let kept = boogie(
        "var g: int;\nprocedure f() modifies g; { g := g + 1; }\nprocedure main() modifies g; { call f(); }",
    );
    assert_eq!(
        f("true", "(= g old.g)").said(&kept, Arith::Int),
        "certificate: the formula of the return of f does not follow from that of the entry of f"
    );
    assert_eq!(
        said(does("twice", "(and (= g (+ old.g (* 2 old.twice.by))) (> g old.g))")),
        "certificate: the formula of the return of twice does not follow from that of the entry of twice"
    );
    // The summary of one procedure says nothing of another with the same parameters.
    assert_eq!(
        said(Given { ensures: without(&calls().ensures, "bump"), ..calls() }),
        "certificate: the formula of the return of bump does not follow from that of the entry of bump"
    );
    // A loop that calls needs a formula, and one that holds.
    let lines = |formula| Given { lines: vec![(31, formula)], ..calls() };
    let line = "certificate: the formula of line 31 does not follow from that of";
    assert_eq!(said(Given { lines: Vec::new(), ..calls() }), format!("{line} the entry of main"));
    let stays = "(and (= g (* 6 main.i)) (<= 0 main.i) (<= main.i 10) (= g 0))";
    assert_eq!(said(lines(stays)), format!("{line} line 31"));
    assert_eq!(
        said(lines("(= g (* 6 main.i))")),
        "certificate: the formula of the error does not follow from that of line 31"
    );
}

#[test]
fn what_formulas_may_speak_of() {
    let program = boogie(CALLS);
    let said = |given: Given<'_>| given.said(&program, Arith::Int);
    let needs = |name: &str, formula| Given { requires: with(&calls().requires, name, formula), ..calls() };
    let does = |name: &str, formula| Given { ensures: with(&calls().ensures, name, formula), ..calls() };
    let line = |formula| Given { lines: vec![(31, formula)], ..calls() };
    // Locals have no value at the entry.
    assert_eq!(said(line("(= old.main.i 0)")), "certificate: a formula may not speak of `old.main.i`");
    assert_eq!(
        said(does("down", "(= old.down.mine 0)")),
        "certificate: the formula of line 14 may not speak of `old.down.mine`"
    );
    assert_eq!(said(needs("down", "(= down.mine 0)")), "certificate: a formula may not speak of `down.mine`");
    // Locals and parameters are gone when a procedure returns.
    let line_14 = "certificate: the formula of line 14 may not speak of";
    assert_eq!(said(does("down", "(= down.mine 0)")), format!("{line_14} `down.mine`"));
    assert_eq!(said(does("down", "(= down.n 0)")), format!("{line_14} `down.n`"));
    // Those of others are never there: not those of callers, and not those of callees.
    assert_eq!(said(does("down", "(= main.i 0)")), format!("{line_14} `main.i`"));
    assert_eq!(
        said(does("twice", "(= old.bump.by 0)")),
        "certificate: the formula of line 8 may not speak of `old.bump.by`"
    );
    assert_eq!(said(needs("twice", "(= bump.by 0)")), "certificate: a formula may not speak of `bump.by`");
    assert_eq!(said(line("(= down.n 0)")), "certificate: a formula may not speak of `down.n`");
    // Results are those of returns, of procedures that have one.
    let program = boogie(SUM);
    let said = |given: Given<'_>| given.said(&program, Arith::Int);
    let needs = |formula| Given { requires: with(&sum().requires, "sum", formula), ..sum() };
    assert_eq!(said(needs("(= result 0)")), "certificate: a formula may not speak of `result`");
    let void = Given { ensures: with(&sum().ensures, "main", "(= result 0)"), ..sum() };
    assert_eq!(said(void), "certificate: the formula of line 7 may not speak of `result`");
    // Names that are no symbols of the proof, though the checker has such a symbol for itself.
    assert_eq!(said(needs("(= n 0)")), "certificate: a formula cannot be read: `n` is not declared");
    assert_eq!(
        said(needs("(= unknown 0)")),
        "certificate: a formula cannot be read: 1:4: `unknown` is not declared"
    );
    assert_eq!(said(needs("(+ sum.n 0)")), "certificate: a formula cannot be read: not a formula");
}

/// Symbols as they stand in a certificate, changed.
fn forged(program: &Program, given: &Given<'_>, arith: Arith, change: impl Fn(&mut Procedures)) -> String {
    let mut certificate = given.certificate(program, arith);
    let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("it is one by procedures") };
    change(proof);
    judged(program, &certificate)
}

fn symbol<'p>(proof: &'p mut Procedures, name: &str) -> &'p mut Symbol {
    proof.symbols.iter_mut().find(|s| s.symbol == name).expect("a symbol of this name")
}

#[test]
fn forged_symbols() {
    let program = boogie(SUM);
    let said = |change: &dyn Fn(&mut Procedures)| forged(&program, &sum(), Arith::Int, change);
    assert_eq!(said(&|_| {}), "accepted");
    assert_eq!(said(&|p| symbol(p, "sum.n").sort = "Bool".into()), "certificate: `sum.n` is of sort Int");
    assert_eq!(
        said(&|p| symbol(p, "sum.n").word = Some(32)),
        "certificate: `sum.n` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "sum.n").offset = 4),
        "certificate: `sum.n` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "sum.n").variable = None),
        "certificate: `sum.n` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "sum.n").variable = Some(1_000_000.into())),
        "certificate: `sum.n` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "result").variable = Some(0.into())),
        "certificate: `result` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "result").sort = "Real".into()),
        "certificate: `result` is not a part of the program's state"
    );
    assert_eq!(
        said(&|p| symbol(p, "sum.n").symbol = "result".into()),
        "certificate: `result` stands for two things"
    );
    // The value of now for that at the entry.
    let now = |p: &mut Procedures| symbol(p, "old.sum.n").moment = Moment::Now;
    assert_eq!(said(&now), "certificate: the formula of line 2 may not speak of `old.sum.n`");
    // That of the caller's variable of the same name.
    let callers = |p: &mut Procedures| {
        let var = symbol(p, "main.n").variable;
        symbol(p, "old.sum.n").variable = var;
    };
    assert_eq!(said(&callers), "certificate: the formula of line 2 may not speak of `old.sum.n`");
    // Places that are none.
    assert_eq!(
        said(&|p| p.invariants[0].location = 1_000_000),
        "certificate: the program has no such location"
    );
    let exit = program.procs[program.proc_by_name("sum").expect("a procedure")].exit;
    for loc in [exit, program.error] {
        let there = |p: &mut Procedures| p.invariants[0].location = loc.raw();
        assert_eq!(said(&there), "certificate: the program has no such location");
    }
    assert_eq!(said(&|p| p.invariants[0].calls = vec![0]), "certificate: the program has no such location");
    assert_eq!(said(&|p| p.summaries[0].procedure = 77), "certificate: the program has no procedure 77");
    // Two formulas of one place hold together.
    let twice = |p: &mut Procedures| {
        let more = Summary { formula: "(= result 0)".into(), ..p.summaries[1].clone() };
        p.summaries.push(more);
    };
    assert_eq!(
        said(&twice),
        "certificate: the formula of the return of sum does not follow from that of the entry of sum"
    );
}

#[test]
fn who_calls_himself_keeps_his_locals_and_loses_the_globals() {
    let text = "
var g: int;
procedure f(n: int)
  modifies g;
{
  var a: int;
  a := g;
  g := 7;
  if (n > 0) { call f(n - 1); WHAT }
  g := 0;
}
procedure main() modifies g; { call f(3); }
";
    let given = |ensures| f("true", ensures);
    let said = |what: &str, ensures| given(ensures).said(&boogie(&text.replace("WHAT", what)), Arith::Int);
    assert_eq!(said("assert g == 0;", "(= g 0)"), "accepted");
    let error = "certificate: the formula of the error does not follow from that of the entry of f";
    assert_eq!(said("assert g == 0;", "true"), error);
    assert_eq!(said("assert g == 7;", "(= g 0)"), error);
    // The same variable before and behind the call, not that of the callee.
    let text = "
procedure f(n: int)
{
  var a, b: int;
  havoc a;
  b := a;
  if (n > 0) { call f(n - 1); assert CLAIM; }
}
procedure main() { call f(3); }
";
    let said = |claim: &str| given("true").said(&boogie(&text.replace("CLAIM", claim)), Arith::Int);
    assert_eq!(said("a == b"), "accepted");
    assert_eq!(said("a == 0"), error);
    // A local that nobody set is not that of the caller.
    let text = "
procedure f(n: int)
{
  var a: int;
  if (n > 0) { a := 1; call f(n - 1); assert a == 1; }
  else { assert a == 1; }
}
procedure main() { call f(3); }
";
    assert_eq!(given("true").said(&boogie(text), Arith::Int), error);
}

#[test]
fn the_first_procedure_may_be_called_too() {
    let text = "int g;\nint main(void) {\n if (g == 3) return 0;\n g = g + 1;\n int r = main();\n if (r != 0 || g != 3) reach_error();\n return 0; }";
    let program = c(text);
    let ensures = "(and (= result 0) (= g 3))";
    let given = |requires: &[(&'static str, &'static str)], ensures| {
        Given::new(requires, &[], &[("main", ensures)]).said(&program, Arith::Int)
    };
    assert_eq!(given(&[("main", "(and (<= 0 g) (<= g 3))")], ensures), "accepted");
    // What holds when the program starts does not hold when it calls itself.
    assert_eq!(
        given(&[("main", "(= g 0)")], ensures),
        "certificate: the formula of the entry of main does not follow from that of the entry of main"
    );
    assert_eq!(
        given(&[("main", "(and (<= 1 g) (<= g 3))")], ensures),
        "certificate: the formula of the entry of main does not follow from that of the start"
    );
    assert_eq!(
        given(&[], ensures),
        "certificate: the formula of the entry of main does not follow from that of the start"
    );
    let error = "certificate: the formula of the error does not follow from that of the entry of main";
    assert_eq!(given(&[("main", "(and (<= 0 g) (<= g 3))")], "(= g 3)"), error);
}

#[test]
fn arguments_are_read_before_parameters_are_set() {
    // The second argument is the old value of the first parameter.
    let text = "
procedure f(a: int, b: int)
{
  if (a > 0) { call f(a - 1, a); }
  assert a < b;
}
procedure main() { call f(3, 4); }
";
    let program = boogie(text);
    let given = |requires| f(requires, "true");
    assert_eq!(given("(= f.b (+ f.a 1))").said(&program, Arith::Int), "accepted");
    assert_eq!(
        given("(= f.b f.a)").said(&program, Arith::Int),
        "certificate: the formula of the entry of f does not follow from that of the entry of main"
    );
    // A parameter that changes has its first value in the summary.
    let text = "
procedure f(a: int) returns (r: int)
{
  var b: int;
  b := a;
  while (b > 0) { b := b - 1; }
  r := a;
}
procedure main() { var r: int; call r := f(3); assert r == 3; }
";
    let given = |line| {
        let ensures = [MAIN, ("f", "(= result old.f.a)")];
        Given::new(&[MAIN, ("f", "true")], &[(6, line)], &ensures)
    };
    assert_eq!(given("(= f.a old.f.a)").said(&boogie(text), Arith::Int), "accepted");
    assert_eq!(
        given("true").said(&boogie(text), Arith::Int),
        "certificate: the formula of the return of f does not follow from that of line 6"
    );
}

#[test]
fn machine_integers() {
    let text = "unsigned char g;\nvoid f(unsigned char n) {\n if (n == 0) return;\n g = g + 1;\n f(n - 1); }\n\
        int main(void) {\n f(200);\n f(100);\n if (g != 44) reach_error();\n return 0; }";
    let program = c(text);
    let given = |zero, ensures| Given { requires: vec![("main", zero), ("f", "true")], ..f("true", ensures) };
    let bits = |ensures| given("(= g #x00)", ensures).said(&program, Arith::Bv);
    assert_eq!(bits("(= g (bvadd old.g old.f.n))"), "accepted");
    let not = "certificate: the formula of the return of f does not follow from that of the entry of f";
    assert_eq!(bits("(and (= g (bvadd old.g old.f.n)) (= g old.f.n))"), not);
    assert_eq!(bits("(and (= g (bvadd old.g old.f.n)) (bvuge g old.g))"), not);
    let wide = |p: &mut Procedures| symbol(p, "g").sort = "(_ BitVec 16)".into();
    let given_f = f("true", "true");
    assert_eq!(forged(&program, &given_f, Arith::Bv, wide), "certificate: `g` is of sort (_ BitVec 8)");
    let wide = |p: &mut Procedures| symbol(p, "g").word = Some(16);
    assert_eq!(
        forged(&program, &given_f, Arith::Bv, wide),
        "certificate: `g` is not a part of the program's state"
    );
    let signed = |p: &mut Procedures| symbol(p, "g").word = Some(-8);
    assert_eq!(
        forged(&program, &given_f, Arith::Bv, signed),
        "certificate: `g` is not a part of the program's state"
    );
    // On integers values wrap around exactly, and lie in their types.
    let ints = |ensures| given("(= g 0)", ensures).said(&program, Arith::Int);
    assert_eq!(ints("(= g (mod (+ old.g old.f.n) 256))"), "accepted");
    assert_eq!(ints("(and (= g (mod (+ old.g old.f.n) 256)) (= g (+ old.g old.f.n)))"), not);
}

#[test]
fn arrays_and_records() {
    let text = "struct pair { int x; unsigned char y[2]; } p;\nint a[4];\n\
        void set(int i, int v) {\n if (i < 0) return;\n a[i] = v;\n p.y[1] = 7;\n set(i - 1, v); }\n\
        int main(void) {\n p.x = 5;\n set(3, 9);\n if (a[0] != 9 || a[3] != 9 || p.x != 5 || p.y[1] != 7) reach_error();\n return 0; }";
    let program = c(text);
    for arith in [Arith::Int, Arith::Bv] {
        let number = |n: i64| match arith {
            Arith::Int => n.to_string(),
            Arith::Bv => format!("#x{n:08x}"),
        };
        let (zero, three) = (number(0), number(3));
        let (at_least, seven) = match arith {
            Arith::Int => (">=", "7"),
            Arith::Bv => ("bvsge", "#x07"),
        };
        let requires = format!("({at_least} {three} set.i)");
        let element = |i: i64| {
            format!(
                "(=> ({at_least} old.set.i {n}) (= a{i} old.set.v)) (=> (not ({at_least} old.set.i {n})) (= a{i} old.a{i}))",
                n = number(i)
            )
        };
        let ensures = |y: &str| {
            let elements: String = (0..4).map(element).collect();
            format!("(and {elements} (= x old.x) (= y (ite ({at_least} old.set.i {zero}) {y} old.y)))")
        };
        let said = |ensures: &str| {
            let (requires, ensures) = ([MAIN, ("set", &requires)], [MAIN, ("set", ensures)]);
            let given = Given::new(&requires, &[], &ensures);
            let mut certificate = given.certificate(&program, arith);
            let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("by procedures") };
            let var = |name: &str| {
                program.vars.iter_enumerated().find(|(_, v)| &*v.name == name).expect("a variable").0
            };
            let mut add = |name: &str, of: &str, offset: u64| {
                let var = var(of);
                proof.symbols.extend(Symbol::now(&program, arith, name, var, offset));
                proof.symbols.extend(Symbol::entry(&program, arith, &format!("old.{name}"), var, offset));
            };
            (0..4).for_each(|i| add(&format!("a{i}"), "a", 4 * i));
            add("x", "p", 0);
            add("y", "p", 5);
            judged(&program, &certificate)
        };
        assert_eq!(said(&ensures(seven)), "accepted", "{arith:?}");
        let not =
            "certificate: the formula of the return of set does not follow from that of the entry of set";
        let all = ensures(seven);
        assert_eq!(said(&format!("(and {all} (= y {}))", seven.replace('7', "6"))), not);
        assert_eq!(said(&format!("(and {all} (= a0 old.a0))")), not);
        // The wrong element.
        let error = "certificate: the formula of the error does not follow from that of the entry of main";
        assert_eq!(said(&all.replace("(= a0 old.set.v)", "(= a1 old.set.v)")), error);
    }
}

/// Programs that reach the error because a callee changes what is not its own; none of the formulas says so. Who leaves too much as it was accepts them.
#[test]
fn what_callees_change_is_not_kept() {
    let nodes = "struct node { int v; struct node *up; };";
    let programs: &[(String, &[&str])] = &[
        // A variable of the caller, by its address.
        ("void set(int *p) { *p = 2; } int f(int n) { int x = 1; set(&x); if (x != 1) reach_error(); return n ? f(n - 1) : 0; } int main() { return f(2); }".into(), &["set", "f"]),
        // Of the same procedure.
        ("void f(int *p, int n) { int x = 1; if (p) *p = 2; if (n) f(&x, n - 1); if (x != 1) reach_error(); } int main() { f(0, 2); }".into(), &["f"]),
        // A parameter.
        ("int *g; void set() { *g = 2; } void f(int n) { g = &n; n = 1; set(); if (n != 1) reach_error(); } int main() { f(2); f(3); }".into(), &["set", "f"]),
        // Through what an earlier activation left behind.
        ("int *g; void f(int n) { int x = 1; if (n == 2) g = &x; if (n) f(n - 1); else *g = 2; if (x != 1) reach_error(); } int main() { f(2); }".into(), &["f"]),
        // A variable of `main`, by whom it calls last.
        ("void set(int *p) { *p = 2; } void via(int *p, int n) { if (n) via(p, n - 1); else set(p); } int main() { int x = 1; via(&x, 3); if (x != 1) reach_error(); }".into(), &["set", "via"]),
        // A global variable.
        ("int x; void set(int *p, int n) { if (n) set(p, n - 1); else *p = 2; } int main() { x = 1; set(&x, 2); if (x != 1) reach_error(); }".into(), &["set"]),
        // A field, an element, bytes.
        ("struct s { int a, b; }; void set(int *p) { p[1] = 2; } void f(int n) { struct s s; s.a = s.b = 1; set(&s.a); if (s.b != 1) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["set", "f"]),
        ("void set(int *p, int i) { p[i] = 2; } void f(int n) { int a[3] = {1, 1, 1}; set(a, n); if (a[1] != 1) reach_error(); if (n < 2) f(n + 1); } int main() { f(0); }".into(), &["set", "f"]),
        ("void *memset(void *, int, unsigned long); void set(int *p) { memset(p, 0, 4); } void f(int n) { int x = 1; set(&x); if (x != 1) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["set", "f"]),
        // What is allocated.
        ("void set(int *p) { *p = 2; } void f(int n) { int *p = malloc(4); *p = 1; set(p); if (*p != 1) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["set", "f"]),
        ("int *make(void) { return malloc(4); } void set(int *p) { *p = 2; } int main() { int *p = make(), *q = p; *p = 1; set(q); if (*p != 1) reach_error(); }".into(), &["make", "set"]),
        // A list of variables.
        (format!("{nodes} void f(struct node *up, int n) {{ struct node me; me.v = 1; me.up = up; if (n) f(&me, n - 1); else for (up = &me; up; up = up->up) up->v = 2; if (me.v != 1) reach_error(); }} int main() {{ f(0, 2); }}"), &["f"]),
        // A pointer itself.
        ("int a, b; void aim(int **pp) { *pp = &b; } void f(int n) { int *p = &a; aim(&p); if (p != &a) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["aim", "f"]),
        // Through arguments that have no names.
        ("void set(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); *__builtin_va_arg(ap, int *) = 2; __builtin_va_end(ap); } void f(int n) { int x = 1; set(1, &x); if (x != 1) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["set", "f"]),
        // Through a pointer to a procedure.
        ("void set(int *p) { *p = 2; } void call(void (*f)(int *), int *p) { f(p); } void f(int n) { int x = 1; call(set, &x); if (x != 1) reach_error(); if (n) f(n - 1); } int main() { f(1); }".into(), &["set", "call", "f"]),
    ];
    for (text, called) in programs {
        let program = c(text);
        let formulas: Vec<_> = [MAIN].into_iter().chain(called.iter().map(|name| (*name, "true"))).collect();
        for arith in [Arith::Int, Arith::Bv] {
            let loops: Vec<_> = program.locs.indices().filter(|loc| is_loop(&program, *loc)).collect();
            let mut certificate = Given::new(&formulas, &[], &formulas).certificate(&program, arith);
            let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("by procedures") };
            proof.invariants.extend(loops.into_iter().map(|loc| at(loc, "true")));
            let said = judged(&program, &certificate);
            assert!(
                said.starts_with("certificate: the formula of the error does not follow"),
                "{said}: {text}"
            );
        }
    }
}

fn is_loop(program: &Program, loc: LocId) -> bool {
    graph::order(program, &program.graph()).loop_head[loc]
}

/// What no pointer leads to stays; so does what only others lead to.
#[test]
fn what_callees_do_not_change_is_kept() {
    let said = |text: &str, called: &[&str]| {
        let formulas: Vec<_> = [MAIN].into_iter().chain(called.iter().map(|name| (*name, "true"))).collect();
        Given::new(&formulas, &[], &formulas).said(&c(text), Arith::Int)
    };
    let own = "void set(int *p) { *p = 2; } \
        int f(int n) { int x = 1, y = 1; set(&x); if (y != 1) reach_error(); return n ? f(n - 1) : 0; } int main() { return f(2); }";
    assert_eq!(said(own, &["set", "f"]), "accepted");
    let others = "int x, y; void set(int *p) { *p = 2; } int *look(void) { return &y; } int main() { y = 1; set(&x); if (*look() != 1 && y != 1) reach_error(); }";
    assert_eq!(said(others, &["set", "look"]), "accepted");
    // What is never called does not matter.
    assert_eq!(said("int f(int *p) { return *p; } int main() { return 0; }", &[]), "accepted");
}

/// Formulas may speak of what pointers lead to where it has a name: globals and variables of `main`, and what parameters were called with.
#[test]
fn names_of_memory() {
    let text = "void f(int *p, int n) {\n if (n > 0) { *p = *p + 1; f(p, n - 1); } }\n\
        int main() { int x = 0; f(&x, 3); if (x < 0) reach_error(); }";
    let program = c(text);
    let said = |ensures: &str| f("(>= main.x 0)", ensures).said(&program, Arith::Int);
    assert_eq!(said("(>= main.x old.main.x)"), "accepted");
    assert_eq!(said("(>= main.x 0)"), "accepted");
    let not = "certificate: the formula of the return of f does not follow from that of the entry of f";
    assert_eq!(said("(= main.x old.main.x)"), not);
    let mine = c(
        "int f(int n) { int x = n, *p = &n, *q = &x; *p = *q + 1; return n; } int main() { if (f(1) != 2) reach_error(); f(2); }",
    );
    let said = |ensures: &str| f("true", ensures).said(&mine, Arith::Int);
    assert_eq!(said("(= result (+ old.f.n 1))"), "accepted");
    assert_eq!(said("(= result (+ f.n 1))"), "certificate: the formula of line 2 may not speak of `f.n`");
    assert_eq!(said("(= f.x 1)"), "certificate: the formula of line 2 may not speak of `f.x`");
}

/// Where a variable lies, or what is allocated, another may lie when it is gone, and an address says nothing that C does not promise.
#[test]
fn addresses_of_activations_are_open() {
    let same = "int *g; int same(void) { int y; return g == &y; } void f(void) { int x; g = &x; } int main() { f(); if (same()) reach_error(); }";
    let freed = "void free(void *); int *g; int same(void) { int *p = malloc(4); int r = p == g; g = p; free(p); return r; } void f(void) { same(); } \
        int main() { f(); if (same()) reach_error(); }";
    let number = "unsigned long g; int same(void) { int y; return g == (unsigned long)&y; } void f(void) { int x; g = (unsigned long)&x; } \
        int main() { f(); if (same()) reach_error(); }";
    let aligned = "int same(void) { int x; return (unsigned long)&x % 16 == 4; } void f(void) { int x; same(); } int main() { f(); if (same()) reach_error(); }";
    let not = "certificate: the formula of the return of same does not follow from that of the entry of same";
    for text in [same, freed, number, aligned] {
        let program = c(text);
        for arith in [Arith::Int, Arith::Bv] {
            let none = if arith == Arith::Int { "(= result 0)" } else { "(= result #x00000000)" };
            let (requires, ensures) =
                ([MAIN, ("same", "true"), ("f", "true")], [MAIN, ("same", none), ("f", "true")]);
            assert_eq!(Given::new(&requires, &[], &ensures).said(&program, arith), not, "{text}");
        }
    }
    // Two that live at the same time are two, which nothing but the addresses says.
    let nested = "int inner(int *p) { int y; return p == &y; } int outer(void) { int x; return inner(&x); } int main() { if (!outer()) reach_error(); }";
    let open = [MAIN, ("inner", "true"), ("outer", "true")];
    let claimed = [MAIN, ("inner", "(= result 1)"), ("outer", "(= result 1)")];
    let not =
        "certificate: the formula of the return of inner does not follow from that of the entry of inner";
    assert_eq!(Given::new(&open, &[], &claimed).said(&c(nested), Arith::Int), not);
}

/// A variable of a block that is entered again may lie elsewhere each time: a program that can tell is not for this.
#[test]
fn memory_that_is_not_treated() {
    let program = c(
        "int *g; int f(int n) { int same = 0;\n for (int i = 0; i < 2; i++) { int x; same = g == &x; g = &x; }\n return n ? f(n - 1) : same; }\n\
        int main() { if (f(1)) reach_error(); }",
    );
    let refused = "unsupported: the address of a variable of a block in a loop in a proof by procedures";
    assert_eq!(f("true", "true").said(&program, Arith::Int), refused);
}

/// Where a pointer may lead to two procedures, a proof has to speak of both.
#[test]
fn pointers_to_procedures() {
    let program = c("int f(void) { return 3; } int h(void) { return 4; } \
         int main() { int (*p)(void) = __VERIFIER_nondet_int() ? f : h; if (p() < 3) reach_error(); return 0; }");
    let said = |requires: &[(&str, &str)], h: &str| {
        let ensures = [MAIN, ("f", "(= result 3)"), ("h", h)];
        Given::new(requires, &[], &ensures).said(&program, Arith::Int)
    };
    let both = [MAIN, ("f", "true"), ("h", "true")];
    assert_eq!(said(&both, "(= result 4)"), "accepted");
    let not = |end: &str, entry: &str| {
        format!("certificate: the formula of {end} does not follow from that of the entry of {entry}")
    };
    assert_eq!(said(&both, "(= result 5)"), not("the return of h", "h"));
    assert_eq!(said(&both, "true"), not("the error", "main"));
    assert_eq!(said(&both[..2], "(= result 4)"), not("the entry of h", "main"));
}

#[test]
fn signed_overflow_is_told() {
    let text = "int f(int n) {\n if (n <= 0) return 0;\n return f(n - 1) + 2; }\n\
        int main(void) {\n if (f(9) < 0) reach_error();\n return 0; }";
    let program = c(text);
    let lines = |requires, ensures| {
        let certificate = f(requires, ensures).certificate(&program, Arith::Int);
        let checked = prove(&program, &certificate, false, &Budget::unlimited()).expect("a proof");
        checked.may_overflow.iter().map(|span| program.source.line(*span)).collect::<Vec<_>>()
    };
    assert_eq!(lines("true", "(>= result 0)"), [4]);
    assert_eq!(
        lines(
            "(<= f.n 9)",
            "(and (>= result 0) (=> (> old.f.n 0) (= result (* 2 old.f.n))) (=> (<= old.f.n 0) (= result 0)))"
        ),
        [0u32; 0]
    );
}

#[test]
fn odd_widths_and_truth_values() {
    let text = "
function {:bvbuiltin \"bvadd\"} add3(a: bv3, b: bv3): bv3;
function {:bvbuiltin \"bvsub\"} sub5(a: bv5, b: bv5): bv5;
var g: bv3;
var seen: bool;
procedure f(n: bv5) returns (r: bv3)
  modifies g, seen;
{
  g := add3(g, 1bv3);
  seen := true;
  if (n == 0bv5) { r := g; }
  else { call r := f(sub5(n, 1bv5)); }
}
procedure main()
  modifies g, seen;
{
  var r: bv3;
  g := 0bv3;
  seen := false;
  call r := f(31bv5);
  assert r == 0bv3 && seen;
}
";
    let program = boogie(text);
    let after = "(bvadd old.g (bvadd ((_ extract 2 0) old.f.n) #b001))";
    let ensures = format!("(and (= g {after}) (= result g) seen)");
    assert_eq!(f("true", &ensures).said(&program, Arith::Bv), "accepted");
    let not = "certificate: the formula of the return of f does not follow from that of the entry of f";
    let wrong = format!("(and (= g {after}) (= result g) seen old.seen)");
    assert_eq!(f("true", &wrong).said(&program, Arith::Bv), not);
    let wrong = format!("(and (= g {after}) (= result g) seen (= result old.g))");
    assert_eq!(f("true", &wrong).said(&program, Arith::Bv), not);
}

#[test]
fn arrays_of_frames_and_records_by_value() {
    // The array of each activation is its own; records are handed over and returned.
    let text = "struct two { int a; int b; };\n\
        struct two turn(struct two t, int n) {\n int mine[3];\n mine[n & 1] = t.a;\n struct two u;\n u.a = t.b;\n u.b = t.a;\n \
        if (n > 0) { struct two r = turn(u, n - 1);\n if (mine[n & 1] != t.a) reach_error();\n return r; }\n return u; }\n\
        int main(void) {\n struct two t;\n t.a = 1;\n t.b = 2;\n t = turn(t, 6);\n if (t.a + t.b != 3) reach_error();\n return 0; }";
    let program = c(text);
    let turn = program.proc_by_name("turn").expect("a procedure");
    let param = program.procs[turn].params[0];
    let said = |ensures: &str| {
        let given = Given::new(&[MAIN, ("turn", "true")], &[], &[MAIN, ("turn", ensures)]);
        let mut certificate = given.certificate(&program, Arith::Bv);
        let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("by procedures") };
        for (offset, part) in [(0, "a"), (4, "b")] {
            let (t, r) = (format!("old.t.{part}"), format!("r.{part}"));
            proof.symbols.extend(Symbol::entry(&program, Arith::Bv, &t, param, offset));
            proof.symbols.extend(Symbol::result(&program, Arith::Bv, &r, program.procs[turn].ret, offset));
        }
        judged(&program, &certificate)
    };
    assert_eq!(said("(= (bvadd r.a r.b) (bvadd old.t.a old.t.b))"), "accepted");
    let not = "certificate: the formula of the return of turn does not follow from that of the entry of turn";
    assert_eq!(said("(and (= (bvadd r.a r.b) (bvadd old.t.a old.t.b)) (= r.a old.t.b))"), not);
    let error = "certificate: the formula of the error does not follow from that of the entry of main";
    assert_eq!(said("true"), error);
}

#[test]
fn runs_are_held_against_the_proof() {
    let program = boogie(PARITY);
    let certificate = parity().certificate(&program, Arith::Int);
    let runs = prove(&program, &certificate, false, &Budget::unlimited()).expect("a proof").runs;
    assert!(runs.runs > 5 && runs.evaluated > 20, "{runs:?}");
    assert_eq!(runs.skipped, 0);
}

/// What runs say of a proof that the checker did not look at.
fn met(program: &Program, given: &Given<'_>, arith: Arith) -> String {
    let certificate = given.certificate(program, arith);
    let budget = Budget::unlimited();
    let ground = Ground::new(program, &certificate, false, &budget).expect("no limit");
    match gate::pass(program, &ground, &certificate, false, &budget) {
        Ok(_) => "nothing".into(),
        Err(Reason::Contradiction(found)) => match found.what {
            Contradicted::Invariant { formula, values } => {
                let values: Vec<String> =
                    values.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("{formula} with {}", values.join(" "))
            }
            other => format!("{other:?}"),
        },
        Err(why) => panic!("{why:?}"),
    }
}

#[test]
fn runs_contradict_what_is_wrong() {
    let program = boogie(CALLS);
    let met = |program: &Program, given: Given<'_>| met(program, &given, Arith::Int);
    let needs = |name: &str, formula| Given { requires: with(&calls().requires, name, formula), ..calls() };
    let does = |name: &str, formula| Given { ensures: with(&calls().ensures, name, formula), ..calls() };
    assert_eq!(met(&program, calls()), "nothing");
    assert_eq!(met(&program, needs("down", "(>= down.n 1)")), "(not (<= down.n 0)) with down.n=0");
    // Values at the entry are those of the activation that returns: 1 is the first that is wrong.
    assert_eq!(met(&program, does("down", "(= g old.g)")), "(= (+ g (* (- 1) old.g)) 0) with g=61 old.g=60");
    assert_eq!(met(&program, does("bump", "(= old.bump.by 1)")), "(= old.bump.by 1) with old.bump.by=3");
    assert_eq!(
        met(&program, Given { lines: vec![(31, "(< main.i 10)")], ..calls() }),
        "(<= main.i 9) with main.i=10"
    );
    assert_eq!(met(&program, Given { lines: Vec::new(), ..calls() }), "Unreached");
    assert_eq!(met(&program, Given { requires: without(&calls().requires, "bump"), ..calls() }), "Unreached");
    assert_eq!(met(&program, Given { ensures: without(&calls().ensures, "down"), ..calls() }), "Unreached");
    // A run that reaches the error.
    let program = boogie("procedure f() { assert false; }\nprocedure main() { call f(); }");
    assert_eq!(met(&program, f("true", "true")), "Error");
}

#[test]
fn runs_know_results_and_parts() {
    let program = boogie(SUM);
    let does = |formula| Given { ensures: with(&sum().ensures, "sum", formula), ..sum() };
    assert_eq!(met(&program, &does("(= result 0)"), Arith::Int), "(= result 0) with result=1");
    let text = "unsigned char a[2];\nint f(int n) {\n if (n == 0) return -5;\n a[1] = n;\n return f(n - 1); }\nint main(void) { return f(3); }";
    let program = c(text);
    let given = f("true", "(and (= result (bvneg #x00000005)) (not (= y #x01)))");
    let mut certificate = given.certificate(&program, Arith::Bv);
    let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("by procedures") };
    let a = program.vars.iter_enumerated().find(|(_, v)| &*v.name == "a").expect("a variable").0;
    proof.symbols.extend(Symbol::now(&program, Arith::Bv, "y", a, 1));
    let budget = Budget::unlimited();
    let ground = Ground::new(&program, &certificate, false, &budget).expect("no limit");
    let Err(Reason::Contradiction(found)) = gate::pass(&program, &ground, &certificate, false, &budget)
    else {
        panic!("no contradiction")
    };
    let formula = "(not (= y (_ bv1 8)))".to_string();
    assert_eq!(found.what, Contradicted::Invariant { formula, values: vec![("y".into(), "1".into())] });
}

#[test]
fn in_flat_memory_it_is_not_told() {
    let program = boogie(SUM);
    let certificate = sum().certificate(&program, Arith::Int);
    let outcome = flat::check(&program, &certificate, false, &Budget::unlimited());
    assert_eq!(outcome, flat::Outcome::NotTranslatable(flat::NotTranslatable::Procedures));
}

#[test]
fn written_and_read_again() {
    let program = c(
        "struct s { int x; int y; } s;\nint f(int n) {\n if (n > 0) return f(n - 1);\n return s.y; }\nint main(void) { return f(3); }",
    );
    let given = Given::new(&[MAIN, ("f", "(>= f.n 0)")], &[], &[MAIN, ("f", "(= result y)")]);
    let mut certificate = given.certificate(&program, Arith::Int);
    let Proof::Procedures(proof) = &mut certificate.proof else { unreachable!("by procedures") };
    let s = program.vars.iter_enumerated().find(|(_, v)| &*v.name == "s").expect("a variable").0;
    proof.symbols.retain(|symbol| ["f.n", "result"].contains(&&*symbol.symbol));
    proof.symbols.extend(Symbol::now(&program, Arith::Int, "y", s, 4));
    let reading = RecordedReading {
        loops: None,
        overflow: None,
        data_model: "LP64".into(),
        entry: None,
        property: "default".into(),
        externs: "pure".into(),
        malloc_may_fail: false,
        signed_wrap: false,
    };
    let witness = Witness::new("test.c", reading, Claim::Safe { certificate: certificate.clone() });
    let text = witness.to_text();
    assert_eq!(Witness::read(&text).as_ref(), Ok(&witness));
    assert_eq!(judged(&program, &certificate), "accepted");
    insta::assert_snapshot!(text);
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Witness::read(&text.replacen(from, to, 1)).expect_err("it is wrong")
    };
    assert_eq!(
        wrong("\"moment\": \"now\"", "\"moment\": \"then\""),
        "certificate.symbols[0].moment: `then` is no moment"
    );
    assert_eq!(wrong("\"moment\": \"now\",", ""), "certificate.symbols[0]: the key `moment` is missing");
    assert_eq!(
        wrong("\"variable\": \"v", "\"variable\": \"p"),
        format!("certificate.symbols[0].variable: `p{}` names no variable", proof_var(&certificate))
    );
    assert_eq!(
        wrong("\"moment\": \"now\"", "\"moment\": \"result\""),
        "certificate.symbols[0].variable: a result is no variable"
    );
    assert_eq!(
        wrong("\"moment\": \"result\"", "\"moment\": \"now\""),
        "certificate.symbols[1]: the key `variable` is missing"
    );
    assert_eq!(
        wrong("\"offset\": 4", "\"offset\": -4"),
        "certificate.symbols[2].offset: -4 is no number from 0 to 18446744073709551615"
    );
    assert_eq!(
        wrong("\"word\": -32", "\"word\": 0"),
        "certificate.symbols[0].word: a machine integer has bits"
    );
    assert_eq!(
        wrong("\"symbol\": \"y\"", "\"symbol\": \"f.n\""),
        "certificate.symbols: the symbol `f.n` stands twice"
    );
    assert_eq!(wrong("\"symbol\": \"y\"", "\"symbol\": \"\""), "certificate.symbols[2]: a symbol has a name");
    assert_eq!(
        wrong("\"procedure\": ", "\"procedure\": -"),
        format!(
            "certificate.summaries[0].procedure: -{} is no number from 0 to 2147483646",
            program.proc_by_name("main").expect("main").index()
        )
    );
    assert_eq!(
        wrong("\"line\"", "\"calls\": [], \"line\""),
        "certificate.invariants[0]: the key `calls` is not known here"
    );
    assert_eq!(wrong("\"summaries\"", "\"never\""), "certificate: the key `never` is not known here");
    assert_eq!(
        wrong("\"procedures\"", "\"invariants\""),
        "certificate: the key `summaries` is not known here"
    );
    assert_eq!(
        wrong("\"procedures\"", "\"contracts\""),
        "certificate.proof: `contracts` is no kind of proof"
    );
}

/// The number of the variable of the first symbol.
fn proof_var(certificate: &Certificate) -> usize {
    let Proof::Procedures(proof) = &certificate.proof else { unreachable!("by procedures") };
    proof.symbols[0].variable.expect("a variable").index()
}
