//! Programs in Remopla, end to end: verdicts with both readings, witnesses, runs, and what is no program.

use crate::support::{Folder, Ran, craig, root};

/// Every construct that becomes something else in memory or control: an error that cannot be reached, and one change that makes it
/// reachable.
const PROGRAMS: [(&str, &str, &str); 5] = [
    (
        "int g[4](3); struct s { int v[2](2); bool b; } t;
         module int(6) sum(int a[4](3)) { int r(6), i(3); r = 0, i = 0;
           do :: i < 4 -> r = r + a[i]; a[i] = 0; i = i + 1; :: else -> return r; od }
         module struct s flip(struct s x) { x.b = !x.b, x.v[0] = x.v[1], x.v[1] = x.v[0]; return x; }
         module void main() { int r(6); struct s u;
           A i (0,3) g[i] = i; r = sum(g); u = flip(t); u = flip(u);
           if :: r != 6 || g[3] != 3 || u.b != t.b || u.v[0] != t.v[0] -> error: skip; :: else -> skip; fi }",
        "u = flip(u);",
        "skip;",
    ),
    (
        "int x(4), y(4), n(4);
         module void main() { n = 0; y = x;
           do :: y != 0 -> y = y & (y - 1); n = n + 1; :: else -> break; od
           if :: n > 4 || (x ^ x) != 0 || ((x >> 2) | 3) < 3 -> error: skip; :: else -> skip; fi }",
        "n > 4",
        "n > 3",
    ),
    (
        "enum e { a, b, c } x[3]; int k(2);
         module void main() {
           if :: E i (0,2) (x[i] != a && x[i] != b && x[i] != c) -> error: skip; :: else -> skip; fi
           k = undef; x[k] = undef; x[0] != a; k != 2;
           if :: x[0] == a || k == 2 -> goto error; :: else -> skip; fi }",
        "x[0] != a;",
        "x[0] != b;",
    ),
    (
        "int x(3), y(3);
         module void main() { x = 0, y = 1;
           do :: x < 5 -> x = x + 1, y = x; :: x > 2 -> x = y, y = x; break; :: y > 3 -> break; od
           if :: x == y -> error: skip; :: else -> skip; fi }",
        "y = x; :: x",
        "y = x + 1; :: x",
    ),
    (
        "int g(4);
         module void add(int n(3)) { int twice(4); begin: g = g + twice; }
         module void main() { int l(3), r(2); g = 0, r = 2;
           a: skip (r == 0); if :: g != 4 * l -> error: skip; :: else -> skip; fi }
         q <a> --> q <add a> (r > 0 && l < 4 && n' == l && twice' == 2 * n' && r'' == r - 1)
         q <begin> --> q < > (n == 0 && g' == g)",
        "twice' == 2 * n'",
        "twice' == n'",
    ),
];

fn check(folder: &Folder, text: &str, args: &[&str]) -> Ran {
    folder.write("p.rem", text);
    let mut all = vec!["check", "p.rem"];
    all.extend(args);
    craig(&all, &folder.0)
}

#[test]
fn verdicts_of_every_engine() {
    let folder = Folder::new("remopla-verdicts");
    for (text, what, instead) in PROGRAMS {
        for engine in ["bmc", "predicate"] {
            let ran = check(&folder, text, &["-q", "--engine", engine]);
            assert_eq!(ran.stdout, "SAFE\n", "{engine}: {text}\n{}", ran.stderr);
            let changed = text.replacen(what, instead, 1);
            assert_ne!(text, changed);
            let ran = check(&folder, &changed, &["-q", "--engine", engine, "--arith", "bv"]);
            assert_eq!(ran.stdout, "UNSAFE\n", "{engine}: {changed}\n{}", ran.stderr);
        }
    }
}

/// Figure 6.3 is safe if a value that does not fit has no successor, and unsafe if it wraps around.
#[test]
fn both_readings_and_their_witnesses() {
    let text =
        std::fs::read_to_string(root().join("benchmarks/pushdown/loop_invariant.rem")).expect("a program");
    let folder = Folder::new("remopla-readings");
    for (options, verdict) in [(&[][..], "SAFE\n"), (&["--overflow", "wrap"][..], "UNSAFE\n")] {
        let with = |args: &[&'static str]| [args, options].concat();
        let ran = check(&folder, &text, &with(&["-q", "--witness", "w.json"]));
        assert_eq!(ran.stdout, verdict, "{}", ran.stderr);
        let again = craig(&with(&["check-witness", "p.rem", "--witness", "w.json", "-q"]), &folder.0);
        assert_eq!(again.stdout, verdict, "{}", again.stderr);
        let other = if options.is_empty() { "wrap" } else { "block" };
        let args = ["check-witness", "p.rem", "--witness", "w.json", "--overflow", other];
        let refused = craig(&args, &folder.0);
        assert_eq!(refused.code, Some(3));
        assert!(refused.stderr.contains("reading.overflow"), "{}", refused.stderr);
    }
}

#[test]
fn properties_and_what_is_no_program() {
    let folder = Folder::new("remopla-refused");
    let text = "module void main() { bad: skip; }";
    assert_eq!(check(&folder, text, &["-q", "--property", "label(bad)"]).stdout, "UNSAFE\n");
    for (text, args, message) in [
        (text, &[][..], "error: there is no label `error`"),
        (text, &["--property", "label(worse)"][..], "error: there is no label `worse`"),
        (text, &["--property", "no-overflow"][..], "error: the property speaks of overflow"),
        ("module void main() { x = 1; }", &[][..], "error: there is no variable `x`"),
        (
            "module void main() { error: skip; }\nq <main> --> q <a>",
            &[][..],
            "error: `a` is no label in module `main`\n --> p.rem:2:17",
        ),
        ("module void main() { ", &[][..], "error: this is never closed by `}`"),
        ("\u{0}\u{1}", &[][..], "error: `\\0` cannot stand in a Remopla program"),
    ] {
        let ran = check(&folder, text, args);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""), "{text}");
        assert!(ran.stderr.starts_with(message), "{text}\n{}", ran.stderr);
    }
    let long = format!("module void main() {{ {} }}", "skip ".repeat(1 << 18));
    let ran = check(&folder, &long, &[]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.len() < 4000, "{}", ran.stderr.len());
    // Without a label there is something to run and to look at.
    for command in ["run", "cfa"] {
        folder.write("p.rem", text);
        assert_eq!(craig(&[command, "p.rem"], &folder.0).code, Some(0), "{command}");
    }
}

#[test]
fn runs_take_values() {
    let folder = Folder::new("remopla-run");
    let text = "int x(3), y(3); module void main() { x = undef; y = undef; if :: x + y == 9 -> error: skip; :: else -> skip; fi }";
    folder.write("p.rem", text);
    assert_eq!(craig(&["run", "p.rem", "--values", "4,5"], &folder.0).code, Some(1));
    assert_eq!(craig(&["run", "p.rem", "--values", "4,4"], &folder.0).code, Some(0));
    let text = "int x(3); module void main() { x = 3; do :: x > 0 -> x = x - 1; od error: skip; }";
    folder.write("p.rem", text);
    assert_eq!(craig(&["run", "p.rem"], &folder.0).code, Some(0));
    assert_eq!(craig(&["run", "p.rem", "--do", "leave"], &folder.0).code, Some(1));
    let text = "int x(3); module void main() { a: skip (false); b: if :: x == 5 -> error: skip; :: else -> skip; fi }
                q <a> --> q <b> (x' > 2)";
    folder.write("p.rem", text);
    assert_eq!(craig(&["run", "p.rem", "--values", "5"], &folder.0).code, Some(1));
    assert_eq!(craig(&["run", "p.rem", "--values", "4"], &folder.0).code, Some(0));
}

/// The examples do what they say.
#[test]
fn examples() {
    let folder = root().join("examples/pushdown");
    for (program, options, verdict) in [
        ("counter.rem", &[][..], "SAFE\n"),
        ("counter.rem", &["--overflow", "wrap"][..], "SAFE\n"),
        ("lost_token.rem", &[][..], "UNSAFE\n"),
    ] {
        let ran = craig(&[&["check", "-q", program], options].concat(), &folder);
        assert_eq!(ran.stdout, verdict, "{program}\n{}", ran.stderr);
    }
    assert_eq!(craig(&["run", "hanoi.rem"], &folder).code, Some(0));
    assert_eq!(craig(&["cfa", "parity.rem"], &folder).code, Some(0));
}

/// A graph for each cycle, the last of which is the one with the execution.
#[test]
fn pictures_of_cycles() {
    let folder = Folder::new("remopla-dot");
    let text = "int x(3);
        module void up() { x = x + 1; }
        module void main() { x = 0; up(); up(); if :: x == TWO -> error: skip; :: else -> skip; fi }";
    for (number, verdict) in [("2", "UNSAFE\n"), ("3", "SAFE\n")] {
        let out = format!("{number}/pictures");
        let ran = check(&folder, &text.replace("TWO", number), &["-q", "--stats", "--dot", &out]);
        assert!(ran.stdout.ends_with(verdict), "{}{}", ran.stdout, ran.stderr);
        let cycles = ran.stdout.lines().find_map(|line| line.strip_prefix("cycles"));
        let cycles: usize = cycles.and_then(|count| count.trim().parse().ok()).expect("cycles");
        let last = if verdict == "UNSAFE\n" { cycles + 1 } else { cycles };
        assert!(last >= 1, "{cycles}");
        let found = std::fs::read_dir(folder.0.join(&out)).expect("a new folder").count();
        assert_eq!(found, last);
        for cycle in 1..=last {
            let path = folder.0.join(&out).join(format!("cycle-{cycle}.dot"));
            let picture =
                std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert!(
                picture.starts_with("digraph counterexamples {") && picture.ends_with("}\n"),
                "{picture}"
            );
            for word in ["up returned", "strongest: ", "label=\"push\"", "style=dashed"] {
                assert!(picture.contains(word), "{word}: {picture}");
            }
            assert_eq!(picture.contains("chosen: "), cycle <= cycles, "{picture}");
        }
    }
    let ran = check(&folder, &text.replace("TWO", "3"), &["--engine", "bmc", "--dot", "none"]);
    assert!(ran.stderr.contains("nothing was drawn"), "{}", ran.stderr);
    // The folder is a file, lies in one, or belongs to two programs; what is to be written is there as a folder.
    folder.write("file", "");
    let ran = check(&folder, &text.replace("TWO", "3"), &["--dot", "both", "p.rem"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(ran.stderr.contains("--dot takes one FILE"), "{}", ran.stderr);
    for place in ["file", "file/pictures"] {
        let ran = check(&folder, &text.replace("TWO", "3"), &["--dot", place]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        let message = format!("error: pictures cannot be written to {place}: ");
        assert!(ran.stderr.starts_with(&message), "{}", ran.stderr);
    }
    std::fs::create_dir_all(folder.0.join("taken/cycle-1.dot")).expect("a folder");
    let ran = check(&folder, &text.replace("TWO", "3"), &["--dot", "taken"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(ran.stderr.contains("error: pictures cannot be written to taken: "), "{}", ran.stderr);
}

/// Without abstraction the search goes either way; an abstraction is searched forwards.
#[test]
fn both_directions() {
    let folder = Folder::new("remopla-directions");
    let text = "int x(3);
        module void up() { x = x + 1; }
        module void main() { x = 0; up(); up(); if :: x == TWO -> error: skip; :: else -> skip; fi }";
    let plain = ["-q", "--engine", "pushdown", "--abstraction", "off", "--search"];
    for (number, verdict) in [("2", "UNSAFE\n"), ("3", "SAFE\n")] {
        for direction in ["post", "pre"] {
            let ran = check(&folder, &text.replace("TWO", number), &[&plain[..], &[direction]].concat());
            assert_eq!(ran.stdout, verdict, "{direction}: {}", ran.stderr);
        }
    }
    for args in [&["--search", "pre"][..], &["--engine", "pushdown", "--search", "pre"]] {
        let ran = check(&folder, text, args);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        assert!(ran.stderr.contains("--search pre needs --abstraction off"), "{}", ran.stderr);
    }
}
