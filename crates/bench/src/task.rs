//! Sets of tasks.
//!
//! A set is a text file in a folder `sets`, one task a line, its columns separated by tabs: path of the program (relative to the
//! folder above `sets`), expected verdict, data model (`ILP32`, `LP64`, or `-` where the language has none). Two more columns may stand
//! in front: table and row of a paper that the task stands for; path and verdict may then come in either order. Empty lines and
//! lines that begin with `#` are skipped.

use craig_cfa::DataModel;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The verdict that is on record for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Expected {
    Safe,
    Unsafe,
    /// Not recorded.
    Unknown,
}

impl Expected {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "SAFE" => Some(Expected::Safe),
            "UNSAFE" => Some(Expected::Unsafe),
            "UNKNOWN" => Some(Expected::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Expected::Safe => "SAFE",
            Expected::Unsafe => "UNSAFE",
            Expected::Unknown => "UNKNOWN",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Path as the set names it: the task's name in every result.
    pub name: String,
    /// Where the program lies.
    pub path: PathBuf,
    pub expected: Expected,
    /// `None` where the language has no data model.
    pub model: Option<DataModel>,
    /// Table and row of a paper.
    pub row: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Name of the file without its ending.
    pub name: String,
    pub tasks: Vec<Task>,
}

impl Set {
    /// Reads a set; the message names file and line of what is wrong with it.
    pub fn read(file: &Path) -> Result<Set, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        // `sets/dev.tsv` has no parent above `sets` in its text: the working folder it is.
        let folder = file.parent().unwrap_or(Path::new(""));
        let root = match folder.parent() {
            Some(root) if folder != Path::new("") => root.to_path_buf(),
            _ => folder.join(".."),
        };
        let tasks = parse(&text, &root).map_err(|(n, what)| format!("{}:{n}: {what}", file.display()))?;
        Ok(Set { name, tasks })
    }
}

/// The tasks whose path contains `filter`, and of these at most `limit`, spread evenly over all sets.
pub fn select(sets: Vec<Set>, filter: Option<&str>, limit: Option<usize>) -> Vec<Set> {
    let wanted = |task: &Task| filter.is_none_or(|f| task.name.contains(f));
    let total = sets.iter().flat_map(|s| &s.tasks).filter(|t| wanted(t)).count();
    let kept = limit.unwrap_or(total).min(total);
    let mut number = 0;
    // The n-th of `total` is kept when `n * kept / total` has just grown.
    let mut keep = |task: &Task| {
        if !wanted(task) {
            return false;
        }
        number += 1;
        number * kept / total > (number - 1) * kept / total
    };
    let part = |mut set: Set| {
        set.tasks.retain(&mut keep);
        set
    };
    sets.into_iter().map(part).collect()
}

fn parse(text: &str, root: &Path) -> Result<Vec<Task>, (usize, String)> {
    let mut tasks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let task = parse_line(line, root).map_err(|what| (number + 1, what))?;
        tasks.push(task);
    }
    Ok(tasks)
}

fn parse_line(line: &str, root: &Path) -> Result<Task, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let (row, [first, second, model]) = match *columns.as_slice() {
        [a, b, c] => (None, [a, b, c]),
        [table, row, a, b, c] => (Some((table.to_string(), row.to_string())), [a, b, c]),
        _ => return Err(format!("3 or 5 columns separated by tabs expected, {} found", columns.len())),
    };
    let (name, expected) = match (Expected::parse(first), Expected::parse(second)) {
        (None, Some(expected)) => (first, expected),
        (Some(expected), None) => (second, expected),
        _ => return Err("one column must be SAFE, UNSAFE or UNKNOWN and one a path".into()),
    };
    let model = match model {
        "ILP32" => Some(DataModel::Ilp32),
        "LP64" => Some(DataModel::Lp64),
        "-" => None,
        other => return Err(format!("the data model is ILP32, LP64 or -, not `{}`", other.escape_debug())),
    };
    Ok(Task { name: name.to_string(), path: root.join(name), expected, model, row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_lines_are_read() {
        let text = "# a set\nsv/a.c\tSAFE\tILP32\n\nsv/b.c\tUNSAFE\tLP64\r\nx.bpl\tUNKNOWN\t-\nbug\tb.c\tUNSAFE\tsv/c.c\tILP32\n";
        let tasks = parse(text, Path::new("/bench")).unwrap();
        let short: Vec<_> =
            tasks.iter().map(|t| (t.path.to_str().unwrap(), t.expected, t.model, t.row.is_some())).collect();
        assert_eq!(
            short,
            [
                ("/bench/sv/a.c", Expected::Safe, Some(DataModel::Ilp32), false),
                ("/bench/sv/b.c", Expected::Unsafe, Some(DataModel::Lp64), false),
                ("/bench/x.bpl", Expected::Unknown, None, false),
                ("/bench/sv/c.c", Expected::Unsafe, Some(DataModel::Ilp32), true),
            ]
        );
    }

    #[test]
    fn a_selection_is_spread_evenly() {
        let set = |name: &str, n: usize| {
            let lines: String = (0..n).map(|i| format!("{name}/{i}.c\tSAFE\t-\n")).collect();
            Set { name: name.into(), tasks: parse(&lines, Path::new("")).unwrap() }
        };
        let selected = |filter, limit| {
            let sets = select(vec![set("a", 6), set("b", 4)], filter, limit);
            sets.iter().flat_map(|s| &s.tasks).map(|t| t.name.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(selected(None, Some(5)), "a/1.c a/3.c a/5.c b/1.c b/3.c");
        assert_eq!(selected(Some("b/"), Some(2)), "b/1.c b/3.c");
        assert_eq!(selected(Some("b/"), Some(100)), "b/0.c b/1.c b/2.c b/3.c");
        assert_eq!(selected(Some("/1"), None), "a/1.c b/1.c");
        assert_eq!(selected(Some("nothing"), Some(3)), "");
    }

    #[test]
    fn wrong_lines_are_named() {
        for text in ["a.c SAFE ILP32", "a.c\tTRUE\tILP32", "a.c\tSAFE\tLLP64", "SAFE\tSAFE\t-", "a\tb\tc\td"]
        {
            let (line, message) = parse(&format!("\n{text}\n"), Path::new("")).unwrap_err();
            assert_eq!(line, 2, "{message}");
        }
    }
}
