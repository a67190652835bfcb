//! Limits are kept while a program is read, whatever the stage; large texts take time in proportion to their size.

use craig_base::{Budget, Stop};
use craig_frontend::{LoadError, Loaded, Property, Reading, boogie, c, load};
use std::fmt::Write as _;
use std::time::Duration;

fn read(text: &str, budget: &Budget) -> Result<Loaded, LoadError> {
    match text.contains("procedure main") {
        true => boogie::load_text("test.bpl", text, &Reading::default(), budget),
        false => c::load_text("test.c", text, &Reading::default(), budget),
    }
}

fn stop(result: Result<Loaded, LoadError>) -> Option<Stop> {
    match result {
        Err(LoadError::Stopped(stop)) => Some(stop),
        _ => None,
    }
}

/// Texts with this many parts of one kind.
fn texts(n: usize) -> Vec<String> {
    let many = |part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    vec![
        format!("int a[{n}] = {{{}}}; int main(void) {{ return a[0]; }}", many(&|i| format!("{i}, "))),
        format!(
            "struct {{ int x, y; }} a[{n}] = {{{}}}; int main(void) {{ return a[0].y; }}",
            many(&|i| format!("[{}] = {{ {i}, .y = 2 }}, ", n - 1 - i))
        ),
        format!(
            "union {{ struct {{ int x, y; }} s; int z[{n}]; }} a = {{{}}}; int main(void) {{ return a.z[0]; }}",
            many(&|i| format!(".z[{i}] = {i}, "))
        ),
        format!("int main(void) {{ int x = 0; {} return x; }}", many(&|i| format!("x = x + {i}; "))),
        format!("{} int main(void) {{ return 0; }}", many(&|i| format!("int f{i}(void) {{ return {i}; }} "))),
        format!("procedure main() {{ var x: int; {} }}", many(&|i| format!("x := x + {i}; "))),
        format!(
            "{} procedure main() {{ assert c0 >= 0; }}",
            many(&|i| format!("const c{i}: int; axiom c{i} == c{} + 1; ", i + 1))
        ) + &format!("const c{n}: int;"),
    ]
}

#[test]
fn nothing_is_read_without_a_budget() {
    for text in texts(3) {
        assert!(read(&text, &Budget::unlimited()).is_ok(), "{text}");
        let over = Budget::unlimited();
        over.cancel();
        // Shorter than the distance between two looks at the budget, except for what a front end does between its stages.
        if !text.contains("procedure main") {
            assert_eq!(stop(read(&text, &over)), Some(Stop::Cancelled), "{text}");
        }
    }
}

#[test]
fn every_stage_looks_at_the_budget() {
    for text in texts(1000) {
        let whole = Budget::unlimited().with_work(u64::MAX);
        assert!(read(&text, &whole).is_ok(), "{text}");
        let needed = u64::MAX - whole.work_left().unwrap();
        assert!(needed > 1000, "{needed}: {text}");
        // Stops in one stage after the other.
        for part in 1..10 {
            let budget = Budget::unlimited().with_work(needed * part / 10);
            assert_eq!(stop(read(&text, &budget)), Some(Stop::Work), "{part} of 10: {text}");
        }
    }
}

/// Work is counted by steps, so that this does not depend on the machine.
#[test]
fn work_grows_with_the_text_and_no_faster() {
    let work = |text: &String| {
        let budget = Budget::unlimited().with_work(u64::MAX);
        read(text, &budget).unwrap_or_else(|e| panic!("{e:?}"));
        u64::MAX - budget.work_left().unwrap()
    };
    for (small, large) in texts(1000).iter().zip(&texts(8000)) {
        assert!(work(large) < 10 * work(small) + 10_000, "{} {}", work(large), work(small));
    }
}

#[test]
fn functions_that_expand_without_end_are_stopped() {
    let mut text = String::new();
    for i in 0..60 {
        writeln!(text, "function f{i}(x: int): int {{ f{}(2 * x) + f{}(2 * x + 1) }}", i + 1, i + 1).unwrap();
    }
    text.push_str("function f60(x: int): int { x } procedure main() { assert f0(1) > 0; }");
    assert_eq!(stop(read(&text, &Budget::unlimited().with_work(100_000))), Some(Stop::Work));
}

#[test]
fn the_preprocessor_ends_with_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endless.c");
    // Every macro is twice the one before it.
    let mut text = "#define A0 1 + 1\n".to_string();
    for i in 1..60 {
        writeln!(text, "#define A{i} A{} + A{}", i - 1, i - 1).unwrap();
    }
    text.push_str("int main(void) { return A59; }\n");
    std::fs::write(&path, text).unwrap();
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    assert_eq!(stop(load(&path, &Reading::default(), &budget)), Some(Stop::Time));
}

#[test]
fn the_property_is_the_one_that_is_checked() {
    let property = |text: &str, property: Property| {
        let reading = Reading { property, ..Reading::default() };
        let loaded = c::load_text("test.c", text, &reading, &Budget::unlimited());
        loaded.unwrap_or_else(|e| panic!("{text}: {e:?}")).property
    };
    let (label, call) = (
        "int main(void) { ERROR: return 1; }",
        "void reach_error(void); int main(void) { ERROR: return 1; }",
    );
    assert_eq!(property(label, Property::Default), Property::Label("ERROR".into()));
    assert_eq!(property(call, Property::Default), Property::Default);
    assert_eq!(property(label, Property::Call("f".into())), Property::Call("f".into()));
    assert_eq!(property(label, Property::NoOverflow), Property::NoOverflow);
    assert_eq!(property(call, Property::Label("bad".into())), Property::Label("bad".into()));
}
