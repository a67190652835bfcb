//! Two sweeps side by side.
//!
//! Only tasks with a result in both are compared. Ratios are B / A on the tasks that both solved, so that below 1 B is better; CPU times
//! count at least [`FLOOR_S`] there, because what is shorter is the time to start a process.

use crate::record::{Record, VerdictWord};
use crate::results::Results;
use crate::scatter::{self, Point};
use crate::summary::{Counts, median};
use crate::table::Table;
use std::fmt::Write as _;

/// The shortest CPU time that tells something.
pub const FLOOR_S: f64 = 0.01;

/// How many tasks are named whose times changed most.
const NAMED: usize = 10;

/// A change of time that is named: by more than this factor, and at least [`NOTICED_S`] on one side.
const NOTICED_FACTOR: f64 = 1.5;
const NOTICED_S: f64 = 0.5;

#[derive(Debug)]
pub struct Comparison<'a> {
    names: [String; 2],
    sides: [&'a Results; 2],
    /// Tasks that both have a result for, in the order of A.
    pairs: Vec<(&'a Record, &'a Record)>,
}

/// The pairs of one part: a set, or all of them.
#[derive(Debug, Default)]
struct Split<'a> {
    both: Vec<(&'a Record, &'a Record)>,
    only_a: Vec<(&'a Record, &'a Record)>,
    only_b: Vec<(&'a Record, &'a Record)>,
}

impl<'a> Split<'a> {
    fn of(pairs: impl Iterator<Item = (&'a Record, &'a Record)>) -> Self {
        let mut split = Split::default();
        for (a, b) in pairs {
            match (a.class.is_solved(), b.class.is_solved()) {
                (true, true) => split.both.push((a, b)),
                (true, false) => split.only_a.push((a, b)),
                (false, true) => split.only_b.push((a, b)),
                (false, false) => {}
            }
        }
        split
    }

    /// Both figures of the tasks that both solved, where both have one.
    fn figures(&self, figure: impl Fn(&Record) -> Option<f64>) -> Figures {
        Figures(self.both.iter().filter_map(|(a, b)| figure(a).zip(figure(b))).collect())
    }
}

/// Pairs of positive numbers.
struct Figures(Vec<(f64, f64)>);

impl Figures {
    fn sums(&self) -> (f64, f64) {
        self.0.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a, y + b))
    }

    fn ratio_of_sums(&self) -> Option<f64> {
        let (a, b) = self.sums();
        (a > 0.0).then_some(b / a)
    }

    fn ratios(&self) -> Vec<f64> {
        self.0.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0).map(|(a, b)| b / a).collect()
    }

    fn median_ratio(&self) -> Option<f64> {
        median(self.ratios())
    }

    fn geometric_mean(&self) -> Option<f64> {
        let ratios = self.ratios();
        let logs: f64 = ratios.iter().map(|r| r.ln()).sum();
        (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
    }
}

fn cpu(record: &Record) -> Option<f64> {
    Some(record.cpu_s.max(FLOOR_S))
}

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |v| format!("{v:.2}"))
}

impl<'a> Comparison<'a> {
    /// The names stand in titles: those of the folders, say.
    pub fn new(names: [String; 2], a: &'a Results, b: &'a Results) -> Self {
        let other = b.by_key();
        let pairs = a.records.iter().filter_map(|r| Some((r, *other.get(&r.key())?))).collect();
        Comparison { names, sides: [a, b], pairs }
    }

    pub fn to_markdown(&self) -> String {
        let [a, b] = &self.names;
        let mut text = format!("# {a} against {b}\n\n");
        for (letter, name, side) in [("A", a, self.sides[0]), ("B", b, self.sides[1])] {
            let _ = writeln!(text, "- {letter} = {name}: {}, {} results", side.header, side.records.len());
        }
        let _ = writeln!(text, "\n{} tasks have a result in both.", self.pairs.len());
        let split = Split::of(self.pairs.iter().copied());
        let mut section = |title: &str, table: Table| {
            if !table.is_empty() {
                let _ = write!(text, "\n{title}\n\n{}", table.to_markdown());
            }
        };
        section("Verdicts:", self.verdicts(&split));
        section("Cost on the tasks that both solved, ratios are B / A:", costs(&split));
        section("By set:", self.by_set());
        section("Contradictions, SAFE against UNSAFE:", self.contradictions());
        section("Lost, solved by A only:", names(&split.only_a, |(_, b)| b));
        section("Gained, solved by B only:", names(&split.only_b, |(a, _)| a));
        section("Largest changes of CPU time:", changes(&split));
        text
    }

    /// The table of contradictions, if there are any, under the names of the runs.
    pub fn contradictions_to_markdown(&self) -> Option<String> {
        let [a, b] = &self.names;
        let title = format!("Contradictions, A = {a} against B = {b}:");
        self.has_contradictions().then(|| format!("{title}\n\n{}", self.contradictions().to_markdown()))
    }

    /// Is there a task that one run calls SAFE and the other UNSAFE?
    pub fn has_contradictions(&self) -> bool {
        !self.contradictions().is_empty()
    }

    /// The picture of the CPU times of all tasks that at least one side solved.
    pub fn to_svg(&self) -> String {
        let point = |(a, b): &(&Record, &Record)| Point {
            name: a.task.clone(),
            x: a.class.is_solved().then_some(a.cpu_s),
            y: b.class.is_solved().then_some(b.cpu_s),
        };
        let points: Vec<Point> = self.pairs.iter().map(point).collect();
        let limits = [0, 1].map(|n| self.sides[n].header.limit_s());
        scatter::svg([&self.names[0], &self.names[1]], &points, limits[0].max(limits[1]))
    }

    fn verdicts(&self, split: &Split) -> Table {
        let mut table = Table::new(&["", "A", "B"]);
        let a = Counts::of(self.pairs.iter().map(|p| p.0));
        let b = Counts::of(self.pairs.iter().map(|p| p.1));
        let mut row = |title: &str, figure: &dyn Fn(&Counts) -> String| {
            table.row([title.to_string(), figure(&a), figure(&b)]);
        };
        row("solved", &|c| c.solved().to_string());
        row("correct SAFE", &|c| c.correct_safe.to_string());
        row("correct UNSAFE", &|c| c.correct_unsafe.to_string());
        row("wrong", &|c| c.wrong().to_string());
        row("unknown", &|c| c.unknown.to_string());
        row("errors", &|c| c.errors().to_string());
        row("score", &|c| format!("{} of {}", c.score, c.best_score));
        table.row(["solved by both".into(), split.both.len().to_string(), split.both.len().to_string()]);
        table.row([
            "solved by it alone".into(),
            split.only_a.len().to_string(),
            split.only_b.len().to_string(),
        ]);
        table
    }

    fn by_set(&self) -> Table {
        let mut sets: Vec<&str> = Vec::new();
        for (a, _) in &self.pairs {
            if !sets.contains(&a.set.as_str()) {
                sets.push(&a.set);
            }
        }
        let mut table = Table::new(&[
            "set",
            "tasks",
            "both",
            "only A",
            "only B",
            "score A",
            "score B",
            "CPU ratio (geometric mean)",
        ]);
        if sets.len() < 2 {
            return table;
        }
        for set in sets.into_iter().map(Some).chain([None]) {
            let part = || self.pairs.iter().copied().filter(|(a, _)| set.is_none_or(|set| a.set == set));
            let split = Split::of(part());
            let score = |side: fn((&'a Record, &'a Record)) -> &'a Record| {
                part().map(|p| side(p).score()).sum::<i64>().to_string()
            };
            table.row([
                set.unwrap_or("all").to_string(),
                part().count().to_string(),
                split.both.len().to_string(),
                split.only_a.len().to_string(),
                split.only_b.len().to_string(),
                score(|p| p.0),
                score(|p| p.1),
                ratio(split.figures(cpu).geometric_mean()),
            ]);
        }
        table
    }

    /// One of the two is wrong, whatever is on record.
    fn contradictions(&self) -> Table {
        let mut table = Table::new(&["set", "task", "expected", "A", "B"]);
        for (a, b) in &self.pairs {
            if let (Some(x), Some(y)) = (a.verdict(), b.verdict())
                && matches!(
                    (x, y),
                    (VerdictWord::Safe, VerdictWord::Unsafe) | (VerdictWord::Unsafe, VerdictWord::Safe)
                )
            {
                let cells = [a.set.clone(), a.task.clone(), a.expected.to_string()];
                table.row(cells.into_iter().chain([x.to_string(), y.to_string()]));
            }
        }
        table
    }
}

fn costs(split: &Split) -> Table {
    let mut table = Table::new(&["", "A", "B", "ratio of sums", "median ratio", "geometric mean"]);
    let mut row = |title: &str, decimals: usize, figures: Figures| {
        if figures.0.is_empty() {
            return;
        }
        let (a, b) = figures.sums();
        table.row([
            title.into(),
            format!("{a:.decimals$}"),
            format!("{b:.decimals$}"),
            ratio(figures.ratio_of_sums()),
            ratio(figures.median_ratio()),
            ratio(figures.geometric_mean()),
        ]);
    };
    row("CPU s", 1, split.figures(cpu));
    row("solver calls", 0, split.figures(|r| r.stat("solver_calls")));
    row("MB", 0, split.figures(|r| Some(r.max_rss_mb)));
    table
}

/// Tasks that one side solved, with the reason of the other.
fn names<'a>(pairs: &[(&'a Record, &'a Record)], other: fn((&'a Record, &'a Record)) -> &'a Record) -> Table {
    let mut table = Table::new(&["set", "task", "verdict", "CPU s", "the other one"]);
    for &(a, b) in pairs {
        let loser = other((a, b));
        let winner = if std::ptr::eq(loser, a) { b } else { a };
        table.row([
            winner.set.clone(),
            winner.task.clone(),
            winner.verdict().map_or_else(String::new, |v| v.to_string()),
            format!("{:.2}", winner.cpu_s),
            match loser.long_reason() {
                reason if reason.is_empty() => loser.class.to_string(),
                reason => format!("{}: {reason}", loser.class),
            },
        ]);
    }
    table
}

fn changes(split: &Split) -> Table {
    let mut table = Table::new(&["set", "task", "A, CPU s", "B, CPU s", "ratio"]);
    let factor = |(a, b): &(&Record, &Record)| b.cpu_s.max(FLOOR_S) / a.cpu_s.max(FLOOR_S);
    let size = |pair: &(&Record, &Record)| factor(pair).ln().abs();
    let mut changed: Vec<_> = split
        .both
        .iter()
        .filter(|(a, b)| a.cpu_s.max(b.cpu_s) >= NOTICED_S)
        .filter(|pair| size(pair) > NOTICED_FACTOR.ln())
        .collect();
    changed.sort_by(|x, y| size(y).total_cmp(&size(x)));
    for (a, b) in changed.into_iter().take(NAMED) {
        table.row([
            a.set.clone(),
            a.task.clone(),
            format!("{:.2}", a.cpu_s),
            format!("{:.2}", b.cpu_s),
            ratio(Some(factor(&(a, b)))),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::solved;
    use crate::results::tests::header;
    use crate::task::Expected::{self, Safe, Unsafe};

    fn results(tasks: &[(&str, Expected, VerdictWord, f64, u64)]) -> Results {
        let record = |&(name, expected, verdict, cpu, calls): &_| solved(name, expected, verdict, cpu, calls);
        Results { header: header(), records: tasks.iter().map(record).collect() }
    }

    fn sides() -> [Results; 2] {
        let a = results(&[
            ("same.c", Safe, VerdictWord::Safe, 1.0, 100),
            ("slower.c", Unsafe, VerdictWord::Unsafe, 1.0, 10),
            ("lost.c", Safe, VerdictWord::Safe, 2.0, 1),
            ("neither.c", Safe, VerdictWord::Unknown, 15.0, 1),
            ("contradicted.c", Safe, VerdictWord::Safe, 0.5, 1),
            ("only-there.c", Safe, VerdictWord::Safe, 1.0, 1),
        ]);
        let mut b = results(&[
            ("contradicted.c", Safe, VerdictWord::Unsafe, 0.5, 1),
            ("same.c", Safe, VerdictWord::Safe, 1.0, 25),
            ("slower.c", Unsafe, VerdictWord::Unsafe, 4.0, 10),
            ("lost.c", Safe, VerdictWord::Unknown, 15.0, 1),
            ("neither.c", Safe, VerdictWord::Unknown, 15.0, 1),
            ("won.c", Safe, VerdictWord::Safe, 1.0, 1),
        ]);
        b.header.options = vec!["--engine".into(), "ic3".into()];
        [a, b]
    }

    #[test]
    fn ratios_are_those_of_tasks_that_both_solved() {
        let [a, b] = sides();
        let comparison = Comparison::new(["old".into(), "new".into()], &a, &b);
        let split = Split::of(comparison.pairs.iter().copied());
        assert_eq!((split.both.len(), split.only_a.len(), split.only_b.len()), (2, 2, 0));
        let cpu = split.figures(cpu);
        assert_eq!((cpu.sums(), cpu.ratio_of_sums()), ((2.0, 5.0), Some(2.5)));
        assert_eq!((cpu.median_ratio(), cpu.geometric_mean()), (Some(2.5), Some(2.0)));
        let calls = split.figures(|r| r.stat("solver_calls"));
        assert_eq!(calls.geometric_mean(), Some(0.5));
    }

    #[test]
    fn ratios_are_told_for_each_set_and_for_all() {
        let sets = |mut results: Results| {
            results.records.iter_mut().filter(|r| r.task == "slower.c").for_each(|r| r.set = "lbe".into());
            results
        };
        let [a, b] = sides().map(sets);
        let text = Comparison::new(["old".into(), "new".into()], &a, &b).by_set().to_markdown();
        let row = |set: &str| {
            let line = text.lines().find(|l| l.contains(&format!("| {set} "))).unwrap();
            line.split('|').map(str::trim).filter(|c| !c.is_empty()).map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(row("dev"), ["dev", "4", "1", "2", "0", "6", "-14", "1.00"]);
        assert_eq!(row("lbe"), ["lbe", "1", "1", "0", "0", "1", "1", "4.00"]);
        assert_eq!(row("all"), ["all", "5", "2", "2", "0", "7", "-13", "2.00"]);
    }

    #[test]
    fn a_comparison_reads_well() {
        let [a, b] = sides();
        let comparison = Comparison::new(["old".into(), "new".into()], &a, &b);
        insta::assert_snapshot!(comparison.to_markdown());
        insta::assert_snapshot!(comparison.to_svg());
    }

    #[test]
    fn nothing_in_common_is_no_drama() {
        let [a, _] = sides();
        let empty = results(&[]);
        let comparison = Comparison::new(["old".into(), "new".into()], &a, &empty);
        assert!(comparison.to_markdown().contains("0 tasks have a result in both"));
        assert!(comparison.to_svg().ends_with("</svg>\n"));
    }
}
