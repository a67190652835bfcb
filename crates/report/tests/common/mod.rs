//! Answers about small programs.

#![allow(dead_code, reason = "each test uses a part of it")]

use craig_base::Budget;
use craig_engine::{Engine, Selection, Silent};
use craig_frontend::{Reading, boogie, c};
use craig_report::text;
use craig_solve::{Answer, Arithmetic, Plan, solve};
use std::sync::Arc;

pub const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

/// The answer about a C program without its head, in integers; its first line is line 2.
pub fn answer(body: &str, engine: &str, reading: Reading) -> Answer {
    answer_in(body, Some(engine), Arithmetic::Int, reading, &Budget::unlimited())
}

/// `engine`: by name; `None` is what fits the program.
pub fn answer_in(
    body: &str,
    engine: Option<&str>,
    arithmetic: Arithmetic,
    mut reading: Reading,
    budget: &Budget,
) -> Answer {
    let loaded = c::load_text("test.c", &format!("{HEAD}{body}"), &reading, &Budget::unlimited());
    let loaded = loaded.expect("a program");
    reading.property = loaded.property;
    let by_name = |name: &str| Engine::all().into_iter().find(|e| e.name() == name).expect("an engine");
    let selection = Selection { only: engine.map(by_name), ..Selection::default() };
    let plan = Plan { selection, arithmetic, ..Plan::default() };
    solve(Arc::new(loaded.program), reading, &plan, budget, &mut Silent)
}

/// The answer on recursion that goes deeper than is allowed.
pub fn recursive() -> Answer {
    // By reference: there are no contracts in place of its calls.
    let body = "int f(int *p, int n) { return n > 0 ? f(p, n - 1) : *p; }\nint main() { int x = 0; if (f(&x, __VERIFIER_nondet_int())) reach_error(); }";
    let loaded = c::load_text("test.c", &format!("{HEAD}{body}"), &Reading::default(), &Budget::unlimited());
    let only = Engine::all().into_iter().find(|e| e.name() == "bmc");
    let mut plan = Plan { selection: Selection { only, ..Selection::default() }, ..Plan::default() };
    plan.prepare.inline_limit = Some(100);
    let (reading, budget) = (Reading::default(), Budget::unlimited());
    solve(Arc::new(loaded.expect("a program").program), reading, &plan, &budget, &mut Silent)
}

pub fn boogie_answer(text: &str, engine: &str) -> Answer {
    let loaded = boogie::load_text("test.bpl", text, &Reading::default(), &Budget::unlimited());
    let only = Engine::all().into_iter().find(|e| e.name() == engine);
    let plan = Plan { selection: Selection { only, ..Selection::default() }, ..Plan::default() };
    let program = Arc::new(loaded.expect("a program").program);
    solve(program, Reading::default(), &plan, &Budget::unlimited(), &mut Silent)
}

/// As the command line prints it.
pub fn shown(answer: &Answer, all: bool) -> String {
    format!("{}{}", text::evidence(answer, all), text::verdict(answer))
}
