//! `craig cfa`, end to end.

use crate::support::{Folder, Ran, craig, root};

fn cfa(folder: &Folder, args: &[&str]) -> Ran {
    let mut all = vec!["cfa"];
    all.extend(args);
    let ran = craig(&all, &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

/// A number of the summary.
fn number(summary: &Ran, key: &str) -> u64 {
    let value: serde_json::Value = serde_json::from_str(&summary.stdout).unwrap();
    value[key].as_u64().unwrap_or_else(|| panic!("{key} in {summary:?}"))
}

/// Locations with an edge: a summarised program keeps those that nothing leads to only as names.
fn edges(text: &str) -> Vec<(String, String)> {
    let arrow = |line: &str| -> Option<(String, String)> {
        let (from, rest) = line.trim().split_once(" -> ")?;
        let (to, _) = rest.split_once(':')?;
        Some((from.to_string(), to.to_string()))
    };
    text.lines().filter_map(arrow).collect()
}

#[test]
fn the_automaton_as_text() {
    for blocks in ["single", "large"] {
        let ran = craig(&["cfa", "examples/lock.c", "--blocks", blocks], &root());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!(format!("lock_{blocks}"), ran.stdout);
    }
}

#[test]
fn the_automaton_as_a_picture() {
    let ran = craig(&["cfa", "examples/lock.c", "--dot"], &root());
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.starts_with("digraph") && ran.stdout.trim_end().ends_with('}'), "{}", ran.stdout);
}

/// LBE, Fig. 1 (a): all of it becomes one edge to the exit and one to the error.
#[test]
fn large_blocks_swallow_branches() {
    let folder = Folder::new("fig1");
    folder.write(
        "fig1.c",
        "int nondet(void);
         int main(void) {
             int p1 = nondet(), p2 = nondet(), p3 = nondet(), x1, x2, x3;
             if (p1) { x1 = 1; }
             if (p2) { x2 = 2; }
             if (p3) { x3 = 3; }
             if (p1) { if (x1 != 1) goto ERROR; }
             if (p2) { if (x2 != 2) goto ERROR; }
             if (p3) { if (x3 != 3) goto ERROR; }
             return 0;
         ERROR:
             return 1;
         }\n",
    );
    let text = cfa(&folder, &["fig1.c", "--blocks", "large", "--prune", "off"]).stdout;
    let edges = edges(&text);
    assert_eq!(edges.len(), 2, "{text}");
    assert_eq!(edges[0].0, edges[1].0, "{text}");
    assert_eq!(edges.iter().filter(|(_, to)| to == "ERROR").count(), 1, "{text}");
}

#[test]
fn blocks_are_linear_in_the_program() {
    let folder = Folder::new("chain");
    let size = |ifs: usize| {
        let body: String = (0..ifs).map(|n| format!("if (nondet()) x += {n};\n")).collect();
        folder.write(
            "chain.c",
            format!("int nondet(void); void reach_error(void);\nint main(void) {{ int x = 0;\n{body} if (x == 7) reach_error(); return 0; }}\n"),
        );
        let summary = cfa(&folder, &["chain.c", "--blocks", "large", "--summary"]);
        assert!(number(&summary, "blocks") <= 3, "{summary:?}");
        number(&summary, "operations")
    };
    let (small, large) = (size(100), size(1000));
    assert!(large <= 11 * small, "{small} operations with 100 branches, {large} with 1000");
}

#[test]
fn pruning_cuts_what_cannot_reach_the_error() {
    let folder = Folder::new("prune");
    folder.write(
        "prune.c",
        "int nondet(void); void reach_error(void);
         int idle(int n) { while (n > 0) n--; return n; }
         int main(void) { if (nondet()) return idle(5); reach_error(); return 0; }\n",
    );
    let count = |prune: &str| number(&cfa(&folder, &["prune.c", "--summary", "--prune", prune]), "edges");
    assert!(count("on") < count("off"));
}

#[test]
fn inlining_has_a_limit() {
    let folder = Folder::new("limit");
    folder.write("calls.c", "int f(void) { return 1; }\nint main(void) { return f() + f() + f(); }\n");
    let ran = craig(&["cfa", "calls.c", "--blocks", "large", "--inline-limit", "3"], &folder.0);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("the limit is 3") && ran.stderr.contains("--inline-limit"), "{ran:?}");
}
