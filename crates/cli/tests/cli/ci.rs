//! What `craig check` writes for continuous integration.

use crate::support::{Folder, Ran, craig};
use serde_json::Value;

const SAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 3 && x + 1 < 0) reach_error();
    return 0;
}
";

const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int twice(int n) { return 2 * n; }
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 9) return 0;
    int y = twice(x);
    if (y == 14) reach_error();
    return 0;
}
";

const OPEN: &str = "extern void reach_error(void);
int main(void) {
    void *where = &&there;
    goto *where;
    reach_error();
there:
    return 0;
}
";

/// A safe, an unsafe and an undecided program, and what is none.
fn four(name: &str, options: &[&str]) -> (Folder, Ran) {
    let folder = Folder::new(name);
    folder.write("safe.c", SAFE);
    folder.write("unsafe.c", UNSAFE);
    folder.write("open.c", OPEN);
    folder.write("a <b> & \"c\".c", "int main(void) { return 1 +; }\n");
    let files = ["check", "safe.c", "unsafe.c", "open.c", "a <b> & \"c\".c"];
    let ran = craig(&[&files, options].concat(), &folder.0);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    (folder, ran)
}

#[test]
fn sarif_has_results_and_steps() {
    let (folder, _) = four("ci-sarif", &["--arith", "int", "--sarif", "r.sarif"]);
    let text = std::fs::read_to_string(folder.0.join("r.sarif")).expect("a file");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "craig");
    let results = run["results"].as_array().expect("results");
    let kinds: Vec<&Value> = results.iter().map(|result| &result["kind"]).collect();
    assert_eq!(kinds, ["pass", "fail", "open"]);
    let levels: Vec<&Value> = results.iter().map(|result| &result["level"]).collect();
    assert_eq!(levels, ["none", "error", "none"]);
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().expect("rules").iter().map(|rule| &rule["id"]).collect();
    assert!(results.iter().all(|result| rules.contains(&&result["ruleId"])), "{text}");
    let at = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], "unsafe.c");
    assert_eq!((&at["region"]["startLine"], &at["region"]["startColumn"]), (&8.into(), &18.into()));
    let steps = results[1]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let line = |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!(steps.iter().filter_map(line).collect::<Vec<u64>>(), [5, 6, 7, 3, 8]);
    assert_eq!(steps[0]["state"]["x"]["text"], "7");
    assert_eq!(steps[3]["nestingLevel"], 1);
    // The proof leans on it that nothing overflows.
    let note = &results[0]["relatedLocations"][0];
    assert_eq!(note["message"]["text"], "Assumed: no signed overflow in line 5.");
    let wrong = &run["invocations"][0];
    assert_eq!(wrong["executionSuccessful"], false);
    let place = &wrong["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20%3Cb%3E%20%26%20%22c%22.c");
}

#[test]
fn junit_has_a_case_for_each_program() {
    let (folder, _) = four("ci-junit", &["--junit", "r.xml"]);
    let text = std::fs::read_to_string(folder.0.join("r.xml")).expect("a file");
    assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""), "{text}");
    for part in [
        "<testcase name=\"safe.c\" classname=\"unreach-call\"",
        "<failure message=\"The error can be reached (unreach-call): the execution was replayed.\" type=\"UNSAFE\">",
        "<skipped message=\"Not decided (unreach-call): unsupported: ",
        "<testcase name=\"a &lt;b&gt; &amp; &quot;c&quot;.c\"",
        "type=\"REFUSED\">",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    assert_eq!(text.matches("<testcase ").count(), text.matches("</testcase>").count());
}

#[test]
fn problem_lines_name_file_and_line() {
    let (_folder, ran) = four("ci-github", &["--github", "--arith", "int"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{ran:?}");
    assert_eq!(
        lines[0],
        "::notice file=safe.c,line=5,col=1,title=craig%3A SAFE::Assumed: no signed overflow in line 5."
    );
    let unsafe_line = "::error file=unsafe.c,line=8,col=18,title=craig%3A UNSAFE::The error can be reached (unreach-call): the execution was replayed.";
    assert_eq!(lines[1], unsafe_line);
    assert!(lines[2].starts_with("::warning file=open.c,line="), "{ran:?}");
    assert!(lines[3].starts_with("::error file=a <b> & \"c\".c,line=1,col="), "{ran:?}");
}

#[test]
fn several_programs_end_with_a_table() {
    let (_folder, ran) = four("ci-table", &[]);
    let at = ran.stdout.find("\n4 programs: 1 SAFE, 1 UNSAFE, 1 UNKNOWN, 1 REFUSED\n").expect("a table");
    let rows: Vec<Vec<&str>> =
        ran.stdout[at..].lines().skip(2).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[1][..2], ["unsafe.c", "UNSAFE"]);
    assert_eq!(rows[1][4..], ["line", "8"]);
}
