//! `craig run` on small programs, end to end.
//!
//! A program begins with what is to be seen, as comments: `//% run: ARGUMENTS` begins a case; `//% exit: N` is its exit code, each
//! `//% out: LINE` a line of its output (all of them), each `//% err: TEXT` a text that stands somewhere on stderr.

use crate::support;
use std::fmt::Write;

#[derive(Debug, Default)]
struct Case {
    args: Vec<String>,
    exit: i32,
    out: String,
    err: Vec<String>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for directive in text.lines().filter_map(|l| l.strip_prefix("//% ")) {
        let (key, value) = directive.split_once(':').expect("a directive has a colon");
        let value = value.strip_prefix(' ').unwrap_or(value);
        if key == "run" {
            let args = value.split_whitespace().map(Into::into).collect();
            cases.push(Case { args, ..Case::default() });
            continue;
        }
        let case = cases.last_mut().expect("a case begins with `run`");
        match key {
            "exit" => case.exit = value.parse().expect("an exit code"),
            "out" => case.out += &format!("{value}\n"),
            "err" => case.err.push(value.into()),
            _ => panic!("unknown directive `{key}`"),
        }
    }
    cases
}

#[test]
fn programs_do_what_they_say() {
    let folder = support::programs();
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".c"))
        .collect();
    names.sort();
    assert!(names.len() > 10, "the programs are there");
    let (mut wrong, mut count) = (String::new(), 0);
    for name in &names {
        let cases = cases(&std::fs::read_to_string(folder.join(name)).unwrap());
        assert!(!cases.is_empty(), "{name} says what is to be seen");
        for case in cases {
            count += 1;
            let mut args = vec!["run", name];
            args.extend(case.args.iter().map(String::as_str));
            let ran = support::craig(&args, &folder);
            let missing: Vec<&String> = case.err.iter().filter(|e| !ran.stderr.contains(*e)).collect();
            if ran.code != Some(case.exit) || ran.stdout != case.out || !missing.is_empty() {
                let _ = writeln!(wrong, "expected {case:?}\nfound {ran:#?}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "of {count} runs these were wrong:\n{wrong}");
}
