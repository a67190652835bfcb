//! Which variables of a program are discrete, and with which values.

mod common;

use common::{AS_WRITTEN, boogie, c, task};
use craig_base::Budget;
use craig_cfa::{Blocks, Program};
use craig_encode::Arith;
use craig_engine::discrete::Discrete;
use craig_engine::workbench::Workbench;
use insta::assert_snapshot;
use std::fmt::Write;
use std::sync::Arc;

/// One line for each discrete variable: its comparisons with its values. Where the heap ends is none.
fn discrete(source: Arc<Program>) -> String {
    let task = task(source, &AS_WRITTEN);
    let bench = Workbench::new(&task, Arith::Int, Blocks::default(), &Budget::unlimited()).expect("no limit");
    let discrete = Discrete::new(&bench).expect("no limit");
    let heap = bench.slots.symbols.len() as u32 - 1;
    discrete.slots().filter(|slot| *slot != heap).fold(String::new(), |mut text, slot| {
        let atoms: Vec<String> = discrete.atoms(slot).map(|atom| bench.terms.c(atom)).collect();
        let _ = writeln!(text, "{}", atoms.join(", "));
        text
    })
}

#[test]
fn constants_only() {
    let program = boogie(
        "procedure main() { var state, mode: int; state := 1; mode := 0; \
         while (*) { if (state == 1) { state := 2; } else { state := 1; mode := 7; } } assert mode != 3; }",
    );
    assert_snapshot!(discrete(program), @r"
    state == 1, state == 2
    mode == 0, mode == 7
    ");
}

/// A variable that is never written has no values; one that is havocked may have any.
#[test]
fn unknown_values() {
    let program = boogie(
        "var never: int; procedure main() { var any, flag: int; havoc any; flag := 0; if (any > 0) { flag := 1; } \
         assert flag < 2 && never == never; }",
    );
    assert_snapshot!(discrete(program), @r"
    flag == 0, flag == 1
    ");
}

#[test]
fn copies_carry_values() {
    let program = boogie(
        "procedure main() { var a, b, c, other: int; a := 1; b := 2; while (*) { c := a; a := b; b := c; } \
         c := if a < b then 5 else b; havoc other; a := a; assert c != 9; }",
    );
    assert_snapshot!(discrete(program), @r"
    a == 1, a == 2, a == 5
    b == 1, b == 2, b == 5
    c == 1, c == 2, c == 5
    ");
}

/// What has many values spoils whatever it is copied to, over any number of copies.
#[test]
fn a_copy_of_what_is_not_discrete_is_not() {
    let program = boogie(
        "procedure main() { var i, a, b, flag: int; i := 0; flag := 0; while (*) { b := a; a := i; i := i + 1; flag := 1; } \
         assert b <= i || flag == 0; }",
    );
    assert_snapshot!(discrete(program), @r"
    flag == 0, flag == 1
    ");
}

#[test]
fn an_array_is_not_discrete_but_what_is_beside_it_is() {
    let program = c("int a[4], state = 3; struct s { int on; int count; } s;\n\
        int main() { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0; a[i] = 1; state = 4; s.on = 1;\n\
        while (__VERIFIER_nondet_int()) { s.count++; s.on = !s.on ? 1 : 0; }\n\
        if (a[0] + state + s.on == 77) reach_error(); }");
    assert_snapshot!(discrete(program), @r"
    state == 0, state == 3, state == 4
    s.on == 0, s.on == 1
    t.2 == 0
    ");
}

/// Globals of C begin with zero, locals with anything that is mostly overwritten.
#[test]
fn initial_values_of_c() {
    let program = c("int global, set = 5; unsigned char small = 200;\n\
        int main() { int local; local = 2; if (__VERIFIER_nondet_int()) { global = -1; set = 6; small = 0; }\n\
        if (global + set + local + small == 77) reach_error(); }");
    assert_snapshot!(discrete(program), @r"
    global == 0, global == -1
    set == 0, set == 5, set == 6
    small == 0, small == 200
    t.2 == 0
    local == 2
    ");
}

fn chain(values: usize) -> String {
    let assignments: String = (0..values).map(|v| format!("if (*) {{ x := {v}; }}\n")).collect();
    format!(
        "procedure main() {{ var x, copy: int; x := 0; {assignments} copy := x; assert copy < {values}; }}"
    )
}

#[test]
fn more_than_64_values_are_not_few() {
    let count = |values: usize| {
        let text = discrete(boogie(&chain(values)));
        text.lines().map(|line| line.split(", ").count()).collect::<Vec<usize>>()
    };
    assert_eq!(count(64), [64, 64]);
    assert_eq!(count(65), [] as [usize; 0]);
}
