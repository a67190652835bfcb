//! Witnesses in the format of SV-COMP, written and checked by the binary.

use crate::support::{Folder, craig};

const SAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned int n = 0, at = 0;
    int limit = __VERIFIER_nondet_int();
    if (limit < 0 || limit > 900000) return 0;
    while (at < (unsigned)limit) {
        at = at + 3;
        n = n + 1;
    }
    if (at != 3 * n) reach_error();
    return 0;
}
";

const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x * 3 == 51) reach_error();
    return 0;
}
";

/// The program, its witness, and what `check` ended with.
fn written(name: &str, program: &str, code: i32) -> (Folder, String) {
    let folder = Folder::new(name);
    folder.write("p.c", program);
    let ran = craig(&["check", "p.c", "--witness", "w.yml", "-q"], &folder.0);
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let text = std::fs::read_to_string(folder.0.join("w.yml")).expect("a witness");
    (folder, text)
}

#[test]
fn a_proof_is_written_and_accepted() {
    let (folder, text) = written("yaml-safe", SAFE, 0);
    for part in [
        "- entry_type: invariant_set",
        "format_version: '2.0'",
        "name: craig",
        "specification: CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "data_model: ILP32",
        "language: C",
        "type: loop_invariant",
        "line: 7",
        "column: 5",
        "function: main",
        "format: c_expression",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    let ran = craig(&["check-witness", "p.c", "--witness", "w.yml"], &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("The invariants of the witness are a proof.\n"), "{ran:?}");
}

#[test]
fn an_execution_is_written_and_followed() {
    let (folder, text) = written("yaml-unsafe", UNSAFE, 1);
    assert!(text.contains("value: \\result == 17"), "{text}");
    assert!(text.contains("type: target"), "{text}");
    let ran = craig(&["check-witness", "p.c", "--witness", "w.yml", "-q"], &folder.0);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "UNSAFE\n"));
    folder.write("w.yml", text.replace("== 17", "== 18"));
    let ran = craig(&["check-witness", "p.c", "--witness", "w.yml", "-q"], &folder.0);
    let refused = "UNKNOWN (witness: it is followed by no run)\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), refused));
}

#[test]
fn a_wrong_invariant_is_told() {
    let (folder, text) = written("yaml-wrong", SAFE, 0);
    let start = text.find("      value: ").expect("an invariant");
    let end = start + text[start..].find('\n').expect("its end");
    folder.write("w.yaml", format!("{}      value: at < 9{}", &text[..start], &text[end..]));
    let ran = craig(&["check-witness", "p.c", "--witness", "w.yaml", "-q"], &folder.0);
    let refused = "UNKNOWN (witness: the invariant of line 7 does not hold)\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), refused), "{ran:?}");
}

#[test]
fn a_witness_belongs_to_its_program_and_reading() {
    let (folder, text) = written("yaml-other", SAFE, 0);
    let refused = |options: &[&str], what: &str| {
        let ran = craig(&[&["check-witness", "p.c", "--witness", "w.yml"], options].concat(), &folder.0);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains(what), "{ran:?}");
    };
    refused(&["--64"], "w.yml: task.data_model: ILP32, but the program is read with LP64");
    refused(&["--property", "no-overflow"], "task.specification");
    folder.write("p.c", format!("{SAFE}\n"));
    refused(&[], "this is a witness of another program");
    folder.write("w.yml", &text[..text.len() / 2]);
    refused(&[], "w.yml: ");
}

#[test]
fn graphml_has_the_same_content() {
    for (name, program, code, parts) in [
        ("graphml-safe", SAFE, 0, ["correctness_witness", "enterLoopHead\">true", "key=\"invariant\">"]),
        (
            "graphml-unsafe",
            UNSAFE,
            1,
            ["violation_witness", "key=\"assumption\">\\result == 17<", "key=\"violation\">true"],
        ),
    ] {
        let folder = Folder::new(name);
        folder.write("p.c", program);
        let ran = craig(&["check", "p.c", "--witness", "w.graphml", "-q"], &folder.0);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        let text = std::fs::read_to_string(folder.0.join("w.graphml")).expect("a witness");
        parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is missing in\n{text}"));
        for tag in ["node", "edge", "graph", "graphml"] {
            let starts = text.matches(&format!("<{tag} ")).count();
            assert_eq!(starts, text.matches(&format!("</{tag}>")).count(), "{text}");
        }
        let ran = craig(&["check-witness", "p.c", "--witness", "w.graphml"], &folder.0);
        assert_eq!(ran.code, Some(3), "{ran:?}");
    }
}
