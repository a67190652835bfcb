//! README.md shows what the program really prints.

use crate::support::{craig, root};

/// The examples: a command line after `$`, and what follows it up to the next command or the end of the indented text.
fn examples(text: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match (line.strip_prefix("    $ craig "), line.strip_prefix("    ")) {
            (Some(command), _) => {
                examples.push((command.into(), String::new()));
                open = true;
            }
            (None, Some(shown)) if open => {
                let (_, output) = examples.last_mut().unwrap();
                *output += &format!("{shown}\n");
            }
            // Empty lines do not end the indented text.
            (None, None) if open && line.is_empty() => examples.last_mut().unwrap().1.push('\n'),
            _ => open = false,
        }
    }
    examples
}

#[test]
fn the_readme_tells_the_truth() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut checked = 0;
    for (command, shown) in examples(&readme) {
        // Files that are not bundled cannot be tried.
        if !command.contains("examples/") {
            continue;
        }
        let args: Vec<&str> = command.split_whitespace().collect();
        let ran = craig(&args, &root());
        let lines =
            |text: &str| text.trim_end().lines().map(|l| l.trim_end().to_string()).collect::<Vec<_>>();
        assert_eq!(lines(&shown), lines(&(ran.stdout + &ran.stderr)), "craig {command}");
        checked += 1;
    }
    assert!(checked >= 3, "only {checked} examples found");
}

#[test]
fn the_thirteen_programs_have_their_verdicts() {
    let folder = root().join("examples");
    let set = std::fs::read_to_string(folder.join("slicing/table1.tsv")).unwrap();
    for line in set.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, _, file, expected, _] = columns[..] else { panic!("{line}") };
        let ran = craig(&["check", "-q", "--engine", "predicate", file], &folder);
        assert_eq!(ran.stdout.trim_end(), expected, "{file}");
    }
    assert_eq!(set.lines().count(), 13);
}
