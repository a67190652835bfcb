//! Tables of one sweep.

use crate::record::{Class, Record, VerdictWord};
use crate::results::Header;
use crate::table::Table;
use crate::task::Expected;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The results of a sweep.
#[derive(Debug, Clone)]
pub struct Summary {
    pub header: Header,
    /// Names of the sets, in the order given.
    pub sets: Vec<String>,
    /// In the order of the sets.
    pub records: Vec<Record>,
    /// How many there would be if nothing had interrupted it.
    pub tasks: usize,
}

/// What is counted over some records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub tasks: usize,
    pub correct_safe: usize,
    pub correct_unsafe: usize,
    pub wrong_safe: usize,
    pub wrong_unsafe: usize,
    pub unknown: usize,
    pub unrecorded: usize,
    pub unchecked: usize,
    pub refused: usize,
    pub crashed: usize,
    pub score: i64,
    /// The score if every verdict on record were found.
    pub best_score: i64,
    /// CPU seconds of the solved tasks, together and their median.
    pub cpu_s: f64,
    pub median_s: Option<f64>,
}

impl Counts {
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut counts = Counts::default();
        let mut times = Vec::new();
        for record in records {
            counts.tasks += 1;
            let safe = record.verdict() == Some(VerdictWord::Safe);
            *match record.class {
                Class::Correct if safe => &mut counts.correct_safe,
                Class::Correct => &mut counts.correct_unsafe,
                Class::Wrong if safe => &mut counts.wrong_safe,
                Class::Wrong => &mut counts.wrong_unsafe,
                Class::Unknown => &mut counts.unknown,
                Class::Unrecorded => &mut counts.unrecorded,
                Class::Unchecked => &mut counts.unchecked,
                Class::Refused => &mut counts.refused,
                Class::Crash => &mut counts.crashed,
            } += 1;
            counts.score += record.score();
            counts.best_score += match record.expected {
                Expected::Safe => 2,
                Expected::Unsafe => 1,
                Expected::Unknown => 0,
            };
            if record.class.is_solved() {
                times.push(record.cpu_s);
            }
        }
        // An empty `sum` would be -0.
        counts.cpu_s = times.iter().fold(0.0, |sum, t| sum + t);
        counts.median_s = median(times);
        counts
    }

    pub fn solved(&self) -> usize {
        self.correct_safe + self.correct_unsafe + self.unrecorded
    }

    pub fn wrong(&self) -> usize {
        self.wrong_safe + self.wrong_unsafe
    }

    pub fn errors(&self) -> usize {
        self.unchecked + self.refused + self.crashed
    }
}

pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Rows of the records by set, and one for all where there are several sets.
pub fn by_set<'a>(sets: &[String], records: &'a [Record]) -> Vec<(String, Vec<&'a Record>)> {
    let part = |set: &String| (set.clone(), records.iter().filter(|r| r.set == *set).collect());
    let mut parts: Vec<_> = sets.iter().map(part).collect();
    if sets.len() > 1 {
        parts.push(("all".into(), records.iter().collect()));
    }
    parts
}

impl Summary {
    pub fn new(header: Header, sets: Vec<String>, records: Vec<Record>, tasks: usize) -> Self {
        Summary { header, sets, records, tasks }
    }

    /// Was every task run?
    pub fn is_complete(&self) -> bool {
        self.records.len() == self.tasks
    }

    /// No wrong verdict, no verdict without evidence, no crash.
    pub fn is_clean(&self) -> bool {
        !self.records.iter().any(|r| r.class.is_bug())
    }

    /// For the terminal: figures, and by name what has to be repaired.
    pub fn short(&self) -> String {
        let mut text = self.overview().to_markdown();
        self.section(&mut text, "Unknown, by reason:", self.reasons());
        self.section(&mut text, "To be repaired:", self.list(Class::is_bug));
        if !self.is_complete() {
            let _ = writeln!(
                text,
                "\n{} of {} tasks have a result; the same command goes on from there.",
                self.records.len(),
                self.tasks
            );
        }
        text
    }

    /// For `summary.md`: how the figures were made, and all that is worth a name.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# Benchmark: {}\n\n", self.sets.join(", "));
        let _ = writeln!(text, "{}.\n", self.header);
        text.push_str(&self.short());
        self.section(&mut text, "Refused:", self.list(|c| c == Class::Refused));
        self.section(&mut text, "No verdict on record:", self.list(|c| c == Class::Unrecorded));
        text.push_str(
            "\nScore: correct SAFE +2, correct UNSAFE +1, wrong SAFE -32, wrong UNSAFE -16; `of` is the score if every verdict on \
             record were found. CPU s and median s are of the solved tasks. `tasks.md` has a line for each task.\n",
        );
        text
    }

    /// For `tasks.md`.
    pub fn tasks_to_markdown(&self) -> String {
        let mut titles = vec![
            "set",
            "task",
            "expected",
            "verdict",
            "class",
            "CPU s",
            "MB",
            "solver calls",
            "engine",
            "reason",
        ];
        let with_rows = self.records.iter().any(|r| r.table.is_some());
        if with_rows {
            titles.splice(1..1, ["table", "row"]);
        }
        let mut table = Table::new(&titles);
        for record in &self.records {
            let mut cells = vec![
                record.set.clone(),
                record.task.clone(),
                record.expected.to_string(),
                record.verdict().map_or_else(|| "-".into(), |v| v.to_string()),
                record.class.to_string(),
                format!("{:.2}", record.cpu_s),
                format!("{:.0}", record.max_rss_mb),
                record.stat("solver_calls").map_or_else(String::new, |n| n.to_string()),
                record.engine().to_string(),
                record.long_reason(),
            ];
            if with_rows {
                let cell = |text: &Option<String>| text.clone().unwrap_or_default();
                cells.splice(1..1, [cell(&record.table), cell(&record.row)]);
            }
            table.row(cells);
        }
        format!("# Tasks\n\n{}", table.to_markdown())
    }

    fn section(&self, text: &mut String, title: &str, table: Table) {
        if !table.is_empty() {
            let _ = write!(text, "\n{title}\n\n{}", table.to_markdown());
        }
    }

    fn overview(&self) -> Table {
        let mut table = Table::new(&[
            "set",
            "tasks",
            "SAFE",
            "UNSAFE",
            "wrong SAFE",
            "wrong UNSAFE",
            "unknown",
            "unrecorded",
            "unchecked",
            "refused",
            "crashed",
            "score",
            "of",
            "CPU s",
            "median s",
        ]);
        for (name, records) in by_set(&self.sets, &self.records) {
            let counts = Counts::of(records);
            let numbers = [
                counts.tasks,
                counts.correct_safe,
                counts.correct_unsafe,
                counts.wrong_safe,
                counts.wrong_unsafe,
                counts.unknown,
                counts.unrecorded,
                counts.unchecked,
                counts.refused,
                counts.crashed,
            ];
            let figures = [
                counts.score.to_string(),
                counts.best_score.to_string(),
                format!("{:.1}", counts.cpu_s),
                counts.median_s.map_or_else(|| "-".into(), |m| format!("{m:.2}")),
            ];
            table.row([name].into_iter().chain(numbers.map(|n| n.to_string())).chain(figures));
        }
        table
    }

    fn reasons(&self) -> Table {
        let parts = by_set(&self.sets, &self.records);
        let titles: Vec<&str> =
            ["reason"].into_iter().chain(parts.iter().map(|(name, _)| name.as_str())).collect();
        let mut table = Table::new(&titles);
        // One count for each column.
        let mut reasons: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (column, (_, records)) in parts.iter().enumerate() {
            for record in records.iter().filter(|r| r.class == Class::Unknown) {
                reasons.entry(record.reason()).or_insert_with(|| vec![0; parts.len()])[column] += 1;
            }
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, counts)| Reverse(counts.last().copied()));
        for (reason, counts) in reasons {
            let reason = if reason.is_empty() { "(none given)".into() } else { reason };
            table.row([reason].into_iter().chain(counts.iter().map(ToString::to_string)));
        }
        table
    }

    /// The tasks of some classes by name.
    fn list(&self, wanted: impl Fn(Class) -> bool) -> Table {
        let mut table = Table::new(&["class", "set", "task", "expected", "verdict", "message"]);
        for record in self.records.iter().filter(|r| wanted(r.class)) {
            table.row([
                record.class.to_string(),
                record.set.clone(),
                record.task.clone(),
                record.expected.to_string(),
                record.verdict().map_or_else(|| record.ending.to_string(), |v| v.to_string()),
                record.long_reason(),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Ending;
    use crate::record::tests::{finished, solved, task};
    use crate::results::tests::header;

    fn summary() -> Summary {
        let records = vec![
            solved("a.c", Expected::Safe, VerdictWord::Safe, 1.0, 10),
            solved("b.c", Expected::Safe, VerdictWord::Safe, 4.0, 20),
            solved("c.c", Expected::Unsafe, VerdictWord::Unsafe, 2.0, 30),
            solved("d.c", Expected::Unsafe, VerdictWord::Safe, 100.0, 40),
            solved("e.c", Expected::Safe, VerdictWord::Unknown, 15.0, 50),
            solved("f.c", Expected::Unknown, VerdictWord::Unsafe, 3.0, 60),
            Record::new("lbe", &task("g|.c", Expected::Safe), &finished(Ending::Signal(11), "")),
            Record::new("lbe", &task("h.c", Expected::Safe), &finished(Ending::Exit(3), "")),
        ];
        Summary::new(header(), vec!["dev".into(), "lbe".into()], records, 9)
    }

    #[test]
    fn counts_are_right() {
        let counts = Counts::of(&summary().records);
        let expected = Counts {
            tasks: 8,
            correct_safe: 2,
            correct_unsafe: 1,
            wrong_safe: 1,
            unknown: 1,
            unrecorded: 1,
            refused: 1,
            crashed: 1,
            score: 2 + 2 + 1 - 32,
            best_score: 2 * 5 + 2,
            cpu_s: 10.0,
            median_s: Some(2.5),
            ..Counts::default()
        };
        assert_eq!(counts, expected);
        assert_eq!((counts.solved(), counts.wrong(), counts.errors()), (4, 1, 2));
        assert_eq!(Counts::of(&[]).median_s, None);
    }

    #[test]
    fn tables_read_well() {
        let summary = summary();
        assert!(!summary.is_clean() && !summary.is_complete());
        insta::assert_snapshot!(summary.to_markdown());
        insta::assert_snapshot!(summary.tasks_to_markdown());
    }
}
