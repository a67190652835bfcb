//! `craig bench` with a stand-in for the program that is measured, and with results and sets that cannot be read.

use crate::support::{Folder, craig, root};

/// A set of files that the stand-in answers by their names.
fn set(folder: &Folder, name: &str, tasks: &[(&str, &str)]) {
    std::fs::create_dir_all(folder.0.join("sets")).unwrap();
    let mut lines = String::new();
    for (task, expected) in tasks {
        folder.write(task, "");
        lines += &format!("{task}\t{expected}\tILP32\n");
    }
    folder.write(&format!("sets/{name}.tsv"), lines);
}

fn bench(folder: &Folder, args: &[&str]) -> crate::support::Ran {
    let stand_in = root().join("crates/bench/tests/stand-in.sh");
    let program = ["bench", "--program", stand_in.to_str().unwrap()];
    craig(&[&program, args].concat(), &folder.0)
}

#[test]
fn a_sweep_is_summed_up_continued_and_compared() {
    let folder = Folder::new("bench-sweep");
    set(&folder, "tiny", &[("safe.c", "SAFE"), ("bug.c", "UNSAFE"), ("asm.c", "SAFE")]);
    let sweep = ["sets/tiny.tsv", "--time-limit", "100s"];
    let ran = bench(&folder, &[&sweep[..], &["--limit", "1"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = bench(&folder, &sweep);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("| tiny | 3     | 1    | 1      |"), "{}", ran.stdout);
    assert!(ran.stdout.contains("| unsupported | 1"), "{}", ran.stdout);
    assert!(ran.stderr.contains("out/bench-tiny"), "{}", ran.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    assert_eq!(read("seen").lines().count(), 3, "no task is run twice");
    assert_eq!(read("out/bench-tiny/results.jsonl").lines().count(), 4);
    assert!(read("out/bench-tiny/summary.md").contains(&ran.stdout));
    assert!(read("out/bench-tiny/tasks.md").contains("| bug.c"));

    // Other options: neither mixed nor dropped unasked.
    let other = [&sweep[..], &["--", "--engine", "bmc"]].concat();
    let ran = bench(&folder, &other);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("options: `` there, `--engine bmc` here"), "{}", ran.stderr);
    let ran = bench(&folder, &[&["--out", "bmc", "--fresh"], &other[..]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");

    let ran = craig(&["bench", "--compare", "out/bench-tiny", "bmc/results.jsonl"], &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("# tiny against bmc\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("3 tasks have a result in both"), "{}", ran.stdout);
    assert!(read("out/compare-tiny-bmc/compare.md").starts_with(&ran.stdout));
    assert!(read("out/compare-tiny-bmc/scatter.svg").starts_with("<svg "));
    assert!(read("out/compare-tiny-bmc/figures.svg").starts_with("<svg "));
    assert!(read("out/compare-tiny-bmc/programs.md").contains("| bug.c"));

    let ran = craig(&["bench", "--compare", "out/bench-tiny", "bmc", "bmc", "--out", "three"], &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("# tiny, bmc, bmc\n"), "{}", ran.stdout);
    assert!(read("three/programs.md").starts_with(&ran.stdout));
    assert!(!folder.0.join("three/compare.md").exists(), "that is for two runs");
}

#[test]
fn options_vary_in_one_table() {
    let folder = Folder::new("bench-vary");
    set(&folder, "tiny", &[("safe.c", "SAFE"), ("asm.c", "SAFE")]);
    let args = ["sets/tiny.tsv", "--time-limit", "100s", "--vary", "engine=bmc,-", "--vary", "blocks=large"];
    let ran = bench(&folder, &[&args[..], &["--show", "solver_calls,cpu_s", "--", "--arith", "bv"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("| task   | engine bmc"), "{}", ran.stdout);
    assert!(ran.stdout.contains("| default ") && ran.stdout.contains("| blocks large |"), "{}", ran.stdout);
    assert!(ran.stdout.contains("| asm.c  | unsupported "), "{}", ran.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    assert_eq!(read("out/vary-tiny/variants.md"), ran.stdout);
    let header =
        |run: &str| read(&format!("out/vary-tiny/{run}/results.jsonl")).lines().next().unwrap().to_string();
    assert!(
        header("engine-bmc").contains(r#""options":["--arith","bv","--engine","bmc"]"#),
        "{}",
        header("engine-bmc")
    );
    assert!(header("default").contains(r#""options":["--arith","bv"]"#), "{}", header("default"));
    for wrong in ["engine", "engine=", "=a,b"] {
        let ran = bench(&folder, &["sets/tiny.tsv", "--vary", wrong]);
        assert_eq!(ran.code, Some(3), "{wrong}: {ran:?}");
    }
}

#[test]
fn random_programs_are_a_set() {
    let folder = Folder::new("bench-generate");
    let ran = craig(&["bench", "--generate", "3", "--seed", "8", "--out", "new/random"], &folder.0);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let first = read("new/random/random-009.bpl");
    craig(&["bench", "--generate", "1", "--seed", "9", "--out", "again", "-q"], &folder.0);
    assert_eq!(first, read("again/random-009.bpl"));
    for set in ["random", "random-c"] {
        let ran = bench(&folder, &[&format!("new/random/{set}.tsv"), "--time-limit", "100s"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("3     | 0    | 0      |"), "{}", ran.stdout);
    }
    for bad in [
        &["--generate", "0x"][..],
        &["--generate", "1", "set.tsv"],
        &["--seed", "1", "set.tsv"],
        &["--generate", "1", "--fresh"],
    ] {
        assert_eq!(craig(&[&["bench"], bad].concat(), &folder.0).code, Some(3), "{bad:?}");
    }
    folder.write("file", "");
    let ran = craig(&["bench", "--generate", "1", "--out", "file"], &folder.0);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("cannot write file"), "{}", ran.stderr);
}

#[test]
fn wrong_verdicts_and_crashes_show_in_the_exit_code() {
    let folder = Folder::new("bench-wrong");
    set(&folder, "wrong", &[("safe.c", "UNSAFE")]);
    set(&folder, "crash", &[("crash.c", "SAFE")]);
    set(&folder, "odd", &[("odd.c", "SAFE")]);
    for (name, code, words) in
        [("wrong", 1, "| wrong | wrong | safe.c |"), ("crash", 1, "signal 11"), ("odd", 0, "| odd | 1 ")]
    {
        let ran = bench(&folder, &[&format!("sets/{name}.tsv")]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new("bench-bad");
    set(&folder, "good", &[("safe.c", "SAFE")]);
    folder.write("sets/columns.tsv", "safe.c\tSAFE\tILP32\nsafe.c SAFE\n");
    folder.write("sets/missing-task.tsv", "gone.c\tSAFE\tILP32\n");
    folder.write("broken.jsonl", "no JSON\n");
    for (args, words) in [
        (&["bench"][..], "SET.tsv"),
        (&["bench", "sets/none.tsv"], "sets/none.tsv"),
        (&["bench", "sets/columns.tsv"], "sets/columns.tsv:2: 3 or 5 columns"),
        (&["bench", "sets/missing-task.tsv"], "gone.c"),
        (&["bench", "sets/good.tsv", "--filter", "nothing"], "no task"),
        (&["bench", "sets/good.tsv", "--program", "no-such-craig"], "no-such-craig"),
        (&["bench", "sets/good.tsv", "--jobs", "0"], "--jobs"),
        (&["bench", "sets/good.tsv", "--frontend", "--", "--engine", "bmc"], "cannot be used with"),
        (&["bench", "--compare", "a"], "2 values"),
        (&["bench", "--compare", "broken.jsonl", "broken.jsonl"], "broken.jsonl:1: not the head"),
        (&["bench", "--compare", "missing", "broken.jsonl"], "missing"),
        (&["bench", "--compare", "a", "b", "--frontend"], "cannot be used with"),
    ] {
        let ran = craig(args, &folder.0);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(words), "{ran:?}");
    }
    let ran = bench(&folder, &["sets/good.tsv", "--", "--nonsense"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("unexpected argument '--nonsense'"), "{ran:?}");
    assert!(!folder.0.join("out").exists(), "nothing was begun");
}
