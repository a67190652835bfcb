//! Figures of the front end over sets of tasks.
//!
//! Each task is one run of `craig cfa FILE --summary`, which prints a [`Summary`] as one line of JSON. A task is either given a program
//! (exit 0), refused with a diagnostic (exit 3), over its time, or broken: a panic, a signal or an exit that means nothing here.

use crate::pool;
use crate::process::{self, Ending, Finished, Limits};
use crate::table::Table;
use crate::task::{Set, Task};
use craig_base::Budget;
use craig_cfa::{DataModel, Op, Program};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What `craig cfa --summary` says about a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub file: String,
    /// Procedures with edges, the entry included.
    pub procedures: usize,
    pub variables: usize,
    /// Locations with edges; entry, exit and error are always among them.
    pub locations: usize,
    pub edges: usize,
    pub operations: usize,
    /// Blocks, if their graph was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<usize>,
    /// Operations that are not modelled, by construct.
    pub unsupported: BTreeMap<String, usize>,
    /// Seconds from the file to the program that is summed up.
    pub wall_s: f64,
}

impl Summary {
    pub fn of(file: &Path, program: &Program, wall: Duration) -> Self {
        let mut unsupported = BTreeMap::new();
        for (op, _) in program.ops() {
            if let Op::Unsupported(construct) = op {
                *unsupported.entry(construct.to_string()).or_insert(0) += 1;
            }
        }
        // Passes leave behind procedures that nothing calls any more, without edges.
        let entry = &program.procs[program.entry];
        let mut locations = BTreeSet::from([entry.entry, entry.exit, program.error]);
        locations.extend(program.edges.iter().flat_map(|e| [e.from, e.to]));
        let mut procedures = BTreeSet::from([program.entry]);
        procedures.extend(program.edges.iter().map(|e| program.locs[e.from].proc));
        Summary {
            file: file.display().to_string(),
            procedures: procedures.len(),
            variables: program.vars.len(),
            locations: locations.len(),
            edges: program.edges.len(),
            operations: program.ops().count(),
            blocks: None,
            unsupported,
            wall_s: wall.as_secs_f64(),
        }
    }
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadEnd {
    /// It became a program.
    Cfa,
    /// Exit 3 with a diagnostic.
    Refused,
    TimedOut,
    /// A panic, a signal, or output that is not a summary.
    Broken,
}

/// One line of the results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    pub set: String,
    pub task: String,
    pub outcome: ReadEnd,
    /// The diagnostic, or how it broke.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<Summary>,
    pub bytes: u64,
    pub wall_s: f64,
    pub cpu_s: f64,
    pub max_rss_mb: f64,
}

#[derive(Debug)]
pub struct Config {
    /// The `craig` to run.
    pub program: PathBuf,
    pub jobs: usize,
    pub limits: Limits,
    /// Folder for `frontend.jsonl`.
    pub out: Option<PathBuf>,
    pub progress: bool,
    pub budget: Budget,
}

/// All that was measured.
#[derive(Debug, Default)]
pub struct Figures {
    /// By set, in the order given: its name, its records in the order of the set, and how many tasks were skipped.
    pub sets: Vec<(String, Vec<Record>, usize)>,
    /// The run was ended from outside.
    pub cancelled: bool,
}

/// Is the task in a language that a front end reads? Those with a data model are C.
fn is_read(task: &Task) -> bool {
    task.model.is_some() || task.path.extension().is_some_and(|e| e == "bpl" || e == "rem")
}

/// Runs every task that a front end reads; the others are counted as skipped.
pub fn measure(sets: &[Set], config: &Config) -> io::Result<Figures> {
    let jobs: Vec<(usize, &Task)> = sets
        .iter()
        .enumerate()
        .flat_map(|(n, set)| set.tasks.iter().filter(|t| is_read(t)).map(move |t| (n, t)))
        .collect();
    let mut lines = match &config.out {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            Some(io::BufWriter::new(std::fs::File::create(folder.join("frontend.jsonl"))?))
        }
        None => None,
    };
    let mut results: Vec<Option<Record>> = vec![None; jobs.len()];
    let mut failure = None;
    pool::for_each(
        &jobs,
        config.jobs,
        config.progress,
        |(set, task)| run_task(&sets[*set].name, task, config),
        |index, result| {
            match result.and_then(|r| write_line(lines.as_mut(), &r).map(|()| r)) {
                Ok(record) => results[index] = Some(record),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    failure.get_or_insert(e);
                    config.budget.cancel();
                }
            }
            String::new()
        },
    );
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(mut lines) = lines {
        lines.flush()?;
    }
    let mut figures = Figures {
        sets: sets
            .iter()
            .map(|s| (s.name.clone(), Vec::new(), s.tasks.iter().filter(|t| !is_read(t)).count()))
            .collect(),
        cancelled: config.budget.check().is_err(),
    };
    for ((set, _), record) in jobs.iter().zip(results) {
        figures.sets[*set].1.extend(record);
    }
    Ok(figures)
}

fn write_line(lines: Option<&mut impl io::Write>, record: &Record) -> io::Result<()> {
    let Some(lines) = lines else { return Ok(()) };
    serde_json::to_writer(&mut *lines, record)?;
    lines.write_all(b"\n")
}

/// `Err` of kind `Interrupted`: the run was cancelled before the task had ended.
fn run_task(set: &str, task: &Task, config: &Config) -> io::Result<Record> {
    let interrupted = || io::Error::from(io::ErrorKind::Interrupted);
    config.budget.check().map_err(|_| interrupted())?;
    let mut command = Command::new(&config.program);
    command.arg("cfa").arg("--summary").arg(match task.model {
        Some(DataModel::Lp64) => "--64",
        _ => "--32",
    });
    command.arg("--").arg(&task.path);
    let finished = process::run(&mut command, &config.limits, &config.budget)?;
    if finished.ending == Ending::Cancelled {
        return Err(interrupted());
    }
    let (outcome, message, summary) = judge(&finished);
    Ok(Record {
        set: set.to_string(),
        task: task.name.clone(),
        outcome,
        message,
        summary,
        bytes: std::fs::metadata(&task.path).map_or(0, |m| m.len()),
        wall_s: finished.wall.as_secs_f64(),
        cpu_s: finished.cpu.as_secs_f64(),
        max_rss_mb: finished.max_rss as f64 / 1e6,
    })
}

fn judge(finished: &Finished) -> (ReadEnd, Option<String>, Option<Summary>) {
    let message = || Some(diagnostic(&finished.stderr));
    match finished.ending {
        Ending::TimeLimit | Ending::CpuLimit => (ReadEnd::TimedOut, None, None),
        Ending::Exit(0) => match serde_json::from_str(&finished.stdout) {
            Ok(summary) => (ReadEnd::Cfa, None, Some(summary)),
            Err(e) => (ReadEnd::Broken, Some(format!("no summary on its output: {e}")), None),
        },
        Ending::Exit(3) => (ReadEnd::Refused, message(), None),
        ending => (ReadEnd::Broken, Some(format!("{ending}: {}", diagnostic(&finished.stderr))), None),
    }
}

/// The first error of a rendered diagnostic with its place, on one line.
pub(crate) fn diagnostic(stderr: &str) -> String {
    let mut lines = stderr.lines().map(str::trim);
    let Some(first) = lines.by_ref().find(|l| !l.is_empty()) else { return "no message".into() };
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match lines.find_map(|l| l.strip_prefix("--> ")) {
        // Long paths say nothing that the task's name does not: line and column are enough.
        Some(place) => {
            let mut numbers: Vec<&str> = place.rsplitn(3, ':').collect();
            numbers.pop();
            numbers.reverse();
            format!("{first} (at {})", numbers.join(":"))
        }
        None => first.to_string(),
    }
}

impl Figures {
    /// Did every task end with a program or a diagnostic?
    pub fn is_clean(&self) -> bool {
        let broken = |r: &Record| matches!(r.outcome, ReadEnd::Broken | ReadEnd::TimedOut);
        !self.sets.iter().any(|(_, records, _)| records.iter().any(broken))
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.overview().to_markdown());
        let mut section = |title: &str, table: Table| {
            if !table.is_empty() {
                let _ = writeln!(text, "{title}\n\n{}", table.to_markdown());
            }
        };
        section("Operations that are not modelled, by construct:", self.constructs());
        section("Tasks without a program:", self.failures());
        if self.cancelled {
            text.push_str("The run was interrupted: the figures cover the tasks that had ended.\n");
        }
        text
    }

    fn overview(&self) -> Table {
        let mut table = Table::new(&[
            "set",
            "tasks",
            "CFA",
            "share",
            "refused",
            "broken",
            "timed out",
            "skipped",
            "tasks with unsupported",
            "unsupported operations",
            "largest file",
            "most memory",
            "slowest",
        ]);
        for (name, records, skipped) in &self.sets {
            table.row(overview_row(name, records, *skipped));
        }
        if self.sets.len() > 1 {
            let all: Vec<Record> = self.sets.iter().flat_map(|(_, r, _)| r.iter().cloned()).collect();
            table.row(overview_row("all", &all, self.sets.iter().map(|s| s.2).sum()));
        }
        table
    }

    fn constructs(&self) -> Table {
        let mut table = Table::new(&["set", "construct", "operations", "tasks"]);
        for (name, records, _) in &self.sets {
            let mut constructs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            for (construct, count) in
                records.iter().filter_map(|r| r.summary.as_ref()).flat_map(|s| &s.unsupported)
            {
                let entry = constructs.entry(construct).or_default();
                *entry = (entry.0 + count, entry.1 + 1);
            }
            let mut constructs: Vec<_> = constructs.into_iter().collect();
            constructs
                .sort_by_key(|(construct, (operations, _))| (std::cmp::Reverse(*operations), *construct));
            for (construct, (operations, tasks)) in constructs {
                table.row([name.clone(), construct.into(), operations.to_string(), tasks.to_string()]);
            }
        }
        table
    }

    fn failures(&self) -> Table {
        let mut table = Table::new(&["set", "task", "outcome", "message"]);
        for (name, records, _) in &self.sets {
            for record in records.iter().filter(|r| r.outcome != ReadEnd::Cfa) {
                let outcome = match record.outcome {
                    ReadEnd::Refused => "refused",
                    ReadEnd::TimedOut => "timed out",
                    _ => "broken",
                };
                table.row([
                    name.clone(),
                    record.task.clone(),
                    outcome.into(),
                    record.message.clone().unwrap_or_default(),
                ]);
            }
        }
        table
    }
}

fn overview_row(name: &str, records: &[Record], skipped: usize) -> Vec<String> {
    let count = |outcome| records.iter().filter(|r| r.outcome == outcome).count();
    let with_cfa = count(ReadEnd::Cfa);
    let share =
        if records.is_empty() { "-".into() } else { format!("{:.1} %", percent(with_cfa, records.len())) };
    let unsupported: Vec<usize> = records
        .iter()
        .filter_map(|r| r.summary.as_ref())
        .map(|s| s.unsupported.values().sum())
        .filter(|n| *n > 0)
        .collect();
    let most = |key: fn(&Record) -> f64| records.iter().max_by(|a, b| key(a).total_cmp(&key(b)));
    let base = |r: &Record| r.task.rsplit('/').next().unwrap_or_default().to_string();
    let cost = |r: &Record| format!("{:.2} s, {:.0} MB", r.wall_s, r.max_rss_mb);
    let largest = most(|r| r.bytes as f64)
        .map(|r| format!("{} ({:.2} MB): {}", base(r), r.bytes as f64 / 1e6, cost(r)))
        .unwrap_or_default();
    let hungriest = most(|r| r.max_rss_mb).map(|r| format!("{}: {}", base(r), cost(r))).unwrap_or_default();
    let slowest = most(|r| r.wall_s).map(|r| format!("{}: {}", base(r), cost(r))).unwrap_or_default();
    vec![
        name.to_string(),
        records.len().to_string(),
        with_cfa.to_string(),
        share,
        count(ReadEnd::Refused).to_string(),
        count(ReadEnd::Broken).to_string(),
        count(ReadEnd::TimedOut).to_string(),
        skipped.to_string(),
        unsupported.len().to_string(),
        unsupported.iter().sum::<usize>().to_string(),
        largest,
        hungriest,
        slowest,
    ]
}

/// Rounded down to a tenth, so that 100 % means all.
fn percent(part: usize, whole: usize) -> f64 {
    (part * 1000 / whole) as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Expected;

    fn finished(ending: Ending, stdout: &str, stderr: &str) -> Finished {
        Finished {
            ending,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            max_rss: 0,
            stdout: stdout.into(),
            stderr: stderr.into(),
        }
    }

    #[test]
    fn outcomes_are_told_apart() {
        let summary = r#"{"file":"a.c","procedures":1,"variables":2,"locations":3,"edges":4,"operations":4,"unsupported":{"asm":1},"wall_s":0.5}"#;
        assert_eq!(judge(&finished(Ending::Exit(0), summary, "")).0, ReadEnd::Cfa);
        assert_eq!(judge(&finished(Ending::Exit(0), "", "")).0, ReadEnd::Broken);
        assert_eq!(judge(&finished(Ending::Exit(2), "", "UNKNOWN (internal)")).0, ReadEnd::Broken);
        assert_eq!(judge(&finished(Ending::Signal(6), "", "")).0, ReadEnd::Broken);
        assert_eq!(judge(&finished(Ending::TimeLimit, "", "")).0, ReadEnd::TimedOut);
        let text = "error: a nested function\n  --> sv/a:b.c:12:5\n   |\n12 |  int f() {}\n";
        let (outcome, message, _) = judge(&finished(Ending::Exit(3), "", text));
        assert_eq!((outcome, message.as_deref()), (ReadEnd::Refused, Some("a nested function (at 12:5)")));
    }

    #[test]
    fn a_run_over_a_set_gives_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let task = |name: &str, model| Task {
            name: name.into(),
            path: name.into(),
            expected: Expected::Safe,
            model,
            row: None,
        };
        let set = Set {
            name: "tiny".into(),
            tasks: vec![
                task("good.c", Some(DataModel::Ilp32)),
                task("odd.c", Some(DataModel::Lp64)),
                task("x.smt2", None),
                task("y.bpl", None),
            ],
        };
        let config = Config {
            program: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in.sh"),
            jobs: 2,
            limits: Limits::default(),
            out: Some(out.clone()),
            progress: false,
            budget: Budget::unlimited(),
        };
        let figures = measure(&[set], &config).unwrap();
        let (_, records, skipped) = &figures.sets[0];
        assert_eq!((records.len(), *skipped, figures.is_clean()), (3, 1, true));
        assert_eq!((records[0].outcome, records[1].outcome), (ReadEnd::Cfa, ReadEnd::Refused));
        let text = figures.to_markdown();
        assert!(text.contains("66.6 %") && text.contains("asm") && text.contains("odd.c"), "{text}");
        let lines = std::fs::read_to_string(out.join("frontend.jsonl")).unwrap();
        assert_eq!(lines.lines().filter(|l| serde_json::from_str::<Record>(l).is_ok()).count(), 3);
    }

    #[test]
    fn a_share_is_never_rounded_up() {
        assert_eq!(percent(2499, 2500), 99.9);
        assert_eq!(percent(7, 7), 100.0);
    }
}
