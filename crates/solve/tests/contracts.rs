//! Recursive Boogie programs with contracts: given ones are checked at calls and returns, right ones are of no more help than the bodies, wrong ones are errors, missing ones are found.

use craig_base::Budget;
use craig_engine::{Engine, Selection, Silent, pushdown};
use craig_frontend::{Reading, boogie};
use craig_report::text;
use craig_solve::{Answer, Plan, solve};
use craig_verdict::Verdict;
use craig_verdict::certificate::Proof;
use std::sync::Arc;

/// Work for a program: some seconds.
const WORK: u64 = 30_000_000;

fn ask(body: &str) -> Answer {
    let budget = Budget::unlimited().with_work(WORK);
    let reading = Reading::default();
    let loaded = boogie::load_text("test.bpl", body, &reading, &budget).expect("a program");
    let only = Some(Engine::Pushdown(pushdown::Options::default()));
    let plan = Plan { selection: Selection { only, ..Selection::default() }, ..Plan::default() };
    solve(Arc::new(loaded.program), reading, &plan, &budget, &mut Silent)
}

fn says(body: &str, verdict: &str) {
    let answer = ask(body);
    assert_eq!(text::verdict(&answer), verdict, "{body}");
    if let Verdict::Safe(certificate, _) = answer.verdict {
        assert!(matches!(certificate.proof, Proof::Procedures(_)), "{body}");
    }
}

/// A recursive sum with a contract, and a caller that needs to know something of it.
fn sum(requires: &str, ensures: &str, claim: &str) -> String {
    format!(
        "procedure sum(n: int) returns (r: int) {requires} {ensures} \
         {{ var rest: int; if (n == 0) {{ r := 0; }} else {{ call rest := sum(n - 1); r := rest + n; }} }} \
         procedure main(k: int) requires k >= 0; {{ var s: int; call s := sum(k); assert {claim}; }}"
    )
}

#[test]
fn right_contracts() {
    says(&sum("requires n >= 0;", "ensures r >= n;", "s >= k"), "SAFE");
    says(&sum("requires n >= 0;", "ensures r >= n;", "s > k"), "UNSAFE");
}

/// What the caller needs is more than what is given.
#[test]
fn weak_contracts() {
    says(&sum("requires n >= 0;", "ensures r >= 0;", "s >= k"), "SAFE");
    says(&sum("", "ensures r >= 0 || n < 0;", "s >= k"), "SAFE");
}

#[test]
fn missing_contracts() {
    says(&sum("", "", "s >= k"), "SAFE");
    says(&sum("", "", "s >= k + 1"), "UNSAFE");
}

#[test]
fn wrong_contracts() {
    // At the return, deep inside.
    says(&sum("requires n >= 0;", "ensures r > n;", "s >= k"), "UNSAFE");
    // At the recursive call.
    says(&sum("requires n >= 1;", "ensures r >= n;", "s >= k"), "UNSAFE");
    // At the call from outside.
    let text = sum("requires n >= 0;", "ensures r >= n;", "s >= k");
    says(&text.replacen("requires k >= 0", "requires k >= 0 - 1", 1), "UNSAFE");
    // Contradictory: nobody may call it.
    says(&sum("requires n > 0 && n < 0;", "ensures false;", "s >= k"), "UNSAFE");
}

/// A global that is given back as it was, through procedures that call each other.
#[test]
fn globals_and_mutual_recursion() {
    let text = "var g: int; \
        procedure a(n: int) modifies g; ensures g == old(g); { g := g + 1; if (n > 0) { call b(n - 1); } g := g - 1; } \
        procedure b(n: int) modifies g; ensures g == old(g); { g := g - 2; if (n > 1) { call a(n - 2); } g := g + 2; } \
        procedure main(n: int) modifies g; { g := 7; call a(n); assert g == 7; }";
    says(text, "SAFE");
    says(&text.replace("ensures g == old(g);", ""), "SAFE");
    says(&text.replacen("g := g + 2", "g := g + 3", 1), "UNSAFE");
}

/// A procedure without body is what its contract says.
#[test]
fn contracts_without_body() {
    let text = "procedure next(n: int) returns (r: int); requires n > 0; ensures r < n; ensures r >= 0; \
        procedure down(n: int) returns (r: int) requires n >= 0; \
        { var m: int; if (n == 0) { r := 0; } else { call m := next(n); call r := down(m); } } \
        procedure main(n: int) requires n >= 0; { var r: int; call r := down(n); assert r == 0; }";
    says(text, "SAFE");
    says(&text.replacen("ensures r >= 0;", "", 1), "UNSAFE");
    says(&text.replacen("requires n > 0;", "requires n > 1;", 1), "UNSAFE");
}
