//! `craig check --harness`: the file, compiled by gcc beside the program, aborts at the error.

use crate::support::{Folder, Ran, craig};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

const ABORTED: i32 = 6;

/// Checks the program, which is UNSAFE, and runs it with its harness. The text of the harness comes back.
fn aborts(name: &str, program: &str, options: &[&str]) -> String {
    let folder = Folder::new(&format!("harness-{name}"));
    folder.write("p.c", program);
    let ran = check(&folder, options);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr, "", "something is missing");
    let text = std::fs::read_to_string(folder.0.join("h.c")).expect("a harness");
    let command = text.lines().find(|line| line.starts_with("     gcc ")).expect("a command");
    let compile = command.trim().strip_suffix(" && ./harness").expect("a command that runs it");
    let line = format!("{compile} && exec ./harness");
    let output = Command::new("bash").args(["-c", &line]).current_dir(&folder.0).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(ABORTED), "{said}\n{text}");
    assert_eq!(said, "craig: the error is reached\n", "{text}");
    text
}

fn check(folder: &Folder, options: &[&str]) -> Ran {
    craig(&[&["check", "p.c", "--64", "--harness", "h.c"], options].concat(), &folder.0)
}

#[test]
fn results_of_functions_come_in_order() {
    let text = aborts(
        "order",
        "extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern int __VERIFIER_nondet_bool(void);
extern int sensor(int which);
extern void blink(int);
void reach_error(void) {}
int main(void) {
    __VERIFIER_nondet_int();
    int x = __VERIFIER_nondet_int();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int v = __VERIFIER_nondet_int();
        if (v < 10 * i || v > 10 * i + 5) return 0;
        sum += v;
        blink(v);
    }
    sensor(0);
    if (x != -77 || sum != 80) return 0;
    if (__VERIFIER_nondet_uchar() != 200 || __VERIFIER_nondet_short() != -7) return 0;
    if (__VERIFIER_nondet_longlong() != -5000000000ll || __VERIFIER_nondet_ulong() != ~0ul) return 0;
    if (__VERIFIER_nondet_bool() != 1) return 0;
    if (sensor(1) == -4) reach_error();
    return 0;
}
",
        &[],
    );
    // What nobody looks at is called all the same.
    assert!(text.contains("results[] = { 0, -77, 5, 15, 25, 35 }"), "{text}");
    assert!(text.contains("results[] = { 0, -4 }"), "{text}");
    assert!(text.contains("void blink() {}"), "{text}");
}

#[test]
fn floats_have_their_own_way_back() {
    let text = aborts(
        "float",
        "extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    double d = __VERIFIER_nondet_double();
    float f = __VERIFIER_nondet_float();
    if (__VERIFIER_nondet_int() == 5) reach_error();
    return 0;
}
",
        &[],
    );
    assert!(text.contains("double __VERIFIER_nondet_double()"), "{text}");
}

#[test]
fn pointers_lead_to_objects() {
    let text = aborts(
        "pointers",
        "#include <assert.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
extern struct node *find(int key);
extern int table[4];
extern int *best;
int main(void) {
    struct node *a = find(1), *b = find(2);
    int *own = malloc(4 * sizeof *own);
    if (a || !b || b->value != 31) return 0;
    if (table[2] != 9 || !best || *best != 12 || own[3] != -1) return 0;
    free(own);
    assert(b->next);
    return 0;
}
",
        &[],
    );
    assert!(text.contains("-Wl,--wrap=malloc"), "{text}");
}

#[test]
fn malloc_fails_where_it_did() {
    aborts(
        "malloc",
        "#include <assert.h>
#include <stdlib.h>
int main(void) {
    char *a = malloc(3), *b = malloc(5), *c = malloc(7);
    assert(!(a && !b && c));
    return 0;
}
",
        &["--malloc-may-fail"],
    );
}

#[test]
fn the_entry_gets_its_arguments() {
    let program = "extern void __VERIFIER_error(void);
int main(int argc, char **argv) {
    if (argc == 3 && argv) __VERIFIER_error();
    return 0;
}
int start(short a, unsigned b) {
    if (a == -3 && b == 4000000000u) __VERIFIER_error();
    return 0;
}
";
    aborts("main", program, &[]);
    let text = aborts("entry", program, &["--entry", "start"]);
    assert!(text.contains("return start(-3, 4000000000u);"), "{text}");
}

#[test]
fn structs_are_returned() {
    aborts(
        "struct",
        "struct pair { int a; long b; char c[3]; };
extern struct pair make(void);
extern void reach_error(void);
int main(void) {
    struct pair p = make();
    if (p.a == 7 && p.b == -9 && p.c[2] == 'x') reach_error();
    return 0;
}
",
        &[],
    );
}

#[test]
fn an_overflow_is_a_signal() {
    let text = aborts(
        "overflow",
        "extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 100 && x % 2) x = x * 2000;
    return x;
}
",
        &["--property", "no-overflow"],
    );
    assert!(text.contains("-fsanitize=signed-integer-overflow"), "{text}");
}

#[test]
fn what_no_file_can_give_is_said() {
    let folder = Folder::new("harness-missing");
    folder.write(
        "p.c",
        "extern void reach_error(void);\nint main(void) { int x; if (x == 5) reach_error(); return 0; }\n",
    );
    let ran = check(&folder, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let missing = "note: the harness does not give: what `x` holds before it is initialised (line 2)\n";
    assert_eq!(ran.stderr, missing);
    let text = std::fs::read_to_string(folder.0.join("h.c")).expect("a harness");
    assert!(text.contains("     - what `x` holds before it is initialised (line 2)"), "{text}");
}

#[test]
fn only_unsafe_has_one() {
    let folder = Folder::new("harness-none");
    folder.write("p.c", "extern void reach_error(void);\nint main(void) { int x = 1; if (x == 5) reach_error(); return 0; }\n");
    let ran = check(&folder, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!folder.0.join("h.c").exists());
    folder.write("q.c", "int main(void) { return 0; }");
    let ran = craig(&["check", "p.c", "q.c", "--harness", "h.c"], &folder.0);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}
