//! `craig check` over sets of tasks: every task in a process of its own, results kept as they come.
//!
//! `check` watches its limits itself and says which one it met. The limits that are set from outside lie a bit above and catch only
//! what does not listen; a task that they end is counted with the reason `time limit, killed` or `memory limit, killed`.

use crate::pool;
use crate::process::{self, Ending, Limits};
use crate::record::{Class, Key, Record, key};
use crate::results::{Header, Writer};
use crate::summary::Summary;
use crate::task::{Set, Task};
use craig_base::Budget;
use craig_cfa::DataModel;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Debug)]
pub struct Config {
    /// The `craig` to run.
    pub program: PathBuf,
    pub jobs: usize,
    pub time: Duration,
    /// Bytes of resident memory.
    pub memory: u64,
    /// Further arguments of `craig check`.
    pub options: Vec<String>,
    /// Folder for the results.
    pub out: PathBuf,
    /// Drop results that are there already.
    pub fresh: bool,
    pub progress: bool,
    pub budget: Budget,
}

/// Why a sweep did not take place or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Nothing was run: the arguments, the sets or earlier results do not fit.
    Input(String),
    /// Something went wrong on the way.
    Run(String),
}

/// Runs every task that has no result yet.
pub fn sweep(sets: &[Set], config: &Config) -> Result<Summary, Failure> {
    check_sets(sets).map_err(Failure::Input)?;
    let header = header(config)?;
    let (mut writer, known) = Writer::open(&config.out, &header, config.fresh).map_err(Failure::Input)?;
    let mut known: BTreeMap<Key, Record> = known.into_iter().map(|r| (r.key(), r)).collect();

    let tasks: Vec<(&str, &Task)> =
        sets.iter().flat_map(|s| s.tasks.iter().map(|t| (s.name.as_str(), t))).collect();
    let mut results: Vec<Option<Record>> = Vec::new();
    for (set, task) in &tasks {
        let mut record = known.remove(&key(set, task));
        if let Some(record) = &mut record {
            record.classify(task.expected);
        }
        results.push(record);
    }
    let open: Vec<usize> = (0..tasks.len()).filter(|n| results[*n].is_none()).collect();
    let mut failure = None;
    let mut tally = Tally::default();
    results.iter().flatten().for_each(|r| tally.count(r.class));
    pool::for_each(
        &open,
        config.jobs,
        config.progress,
        |n| run_task(tasks[*n].0, tasks[*n].1, config),
        |n, result| {
            let result = result.map_err(|e| format!("cannot run {}: {e}", config.program.display()));
            match result.transpose().map(|r| r.and_then(|r| writer.add(&r).map(|()| r))) {
                None => {}
                Some(Ok(record)) => {
                    tally.count(record.class);
                    results[open[n]] = Some(record);
                }
                Some(Err(e)) => {
                    failure.get_or_insert(e);
                    config.budget.cancel();
                }
            }
            tally.to_string()
        },
    );
    match failure {
        Some(failure) => Err(Failure::Run(failure)),
        None => Ok(Summary::new(
            header,
            sets.iter().map(|s| s.name.clone()).collect(),
            results.into_iter().flatten().collect(),
            tasks.len(),
        )),
    }
}

/// Every task has to have a name of its own among the results, and a file.
fn check_sets(sets: &[Set]) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for (number, set) in sets.iter().enumerate() {
        for task in &set.tasks {
            match seen.insert(key(&set.name, task), number) {
                Some(other) if other == number => {
                    return Err(format!("the set {} names {} twice", set.name, task.name));
                }
                Some(_) => return Err(format!("two sets are named {}: run them one by one", set.name)),
                None => {}
            }
            if !task.path.is_file() {
                return Err(format!(
                    "the set {} names {}, but there is no file {}",
                    set.name,
                    task.name,
                    task.path.display()
                ));
            }
        }
    }
    if seen.is_empty() {
        return Err("there is no task to run".into());
    }
    Ok(())
}

/// The program by its proper name, whatever its file is called: messages mention it.
fn craig(config: &Config) -> Command {
    let mut command = Command::new(&config.program);
    command.arg0("craig");
    command
}

/// Arguments of `craig check` for every task.
fn common_arguments(config: &Config) -> Vec<String> {
    let mut arguments = vec![
        "check".to_string(),
        "--json".into(),
        "--time-limit".into(),
        format!("{}s", config.time.as_secs_f64()),
        "--memory-limit".into(),
        format!("{}B", config.memory),
    ];
    arguments.extend(config.options.iter().cloned());
    arguments
}

/// Asks the program for its version, and whether it takes the arguments at all: better now than in the message of every task.
fn header(config: &Config) -> Result<Header, Failure> {
    let ask = |arguments: &[String]| {
        let mut command = craig(config);
        let limits = Limits { wall: Some(Duration::from_secs(60)), ..Limits::default() };
        let finished = process::run(command.args(arguments), &limits, &config.budget)
            .map_err(|e| Failure::Input(format!("cannot run {}: {e}", config.program.display())))?;
        match finished.ending {
            Ending::Exit(0) => Ok(finished.stdout),
            ending => {
                let told = finished.stderr.trim();
                let told = told.strip_prefix("error: ").unwrap_or(told);
                Err(Failure::Input(format!("`craig {}` ({ending}): {told}", arguments.join(" "))))
            }
        }
    };
    let version = ask(&["--version".into()])?;
    let mut arguments = common_arguments(config);
    arguments.push("--help".into());
    ask(&arguments)?;
    let build = fingerprint(&config.program)
        .map_err(|e| Failure::Input(format!("cannot read {}: {e}", config.program.display())))?;
    Ok(Header {
        craig: version.trim().trim_start_matches("craig ").to_string(),
        build,
        time_limit_s: config.time.as_secs_f64(),
        memory_limit_mb: config.memory as f64 / 1e6,
        options: config.options.clone(),
    })
}

/// Tells one build from another (FNV-1a over the words of the file).
fn fingerprint(program: &Path) -> io::Result<String> {
    let bytes = std::fs::read(program)?;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 32;
    }
    Ok(format!("{hash:016x}"))
}

/// `Ok(None)`: the run was cancelled before the task had ended.
fn run_task(set: &str, task: &Task, config: &Config) -> io::Result<Option<Record>> {
    if config.budget.check().is_err() {
        return Ok(None);
    }
    let mut command = craig(config);
    command.args(common_arguments(config));
    match task.model {
        Some(DataModel::Ilp32) => drop(command.arg("--32")),
        Some(DataModel::Lp64) => drop(command.arg("--64")),
        None => {}
    }
    command.arg("--").arg(&task.path);
    let finished = process::run(&mut command, &outer_limits(config), &config.budget)?;
    Ok((finished.ending != Ending::Cancelled).then(|| Record::new(set, task, &finished)))
}

fn outer_limits(config: &Config) -> Limits {
    let grace = config.time / 10 + Duration::from_secs(2);
    Limits {
        cpu: Some(config.time + grace),
        // On a busy machine the clock runs ahead of the CPU time.
        wall: Some(2 * config.time + 5 * grace),
        memory: None,
        resident: Some(config.memory + config.memory / 10),
    }
}

/// Counts for the progress bar.
#[derive(Debug, Default)]
struct Tally {
    solved: usize,
    unknown: usize,
    wrong: usize,
    errors: usize,
}

impl Tally {
    fn count(&mut self, class: Class) {
        match class {
            Class::Correct | Class::Unrecorded => self.solved += 1,
            Class::Unknown => self.unknown += 1,
            Class::Wrong => self.wrong += 1,
            Class::Unchecked | Class::Refused | Class::Crash => self.errors += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} solved, {} unknown", self.solved, self.unknown)?;
        if self.wrong > 0 {
            write!(f, ", {} WRONG", self.wrong)?;
        }
        if self.errors > 0 {
            write!(f, ", {} errors", self.errors)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Verdict;
    use crate::results::{FILE, Results};
    use crate::task::Expected;
    use tempfile::TempDir;

    fn folder_with(names: &[&str]) -> (TempDir, Set) {
        let folder = tempfile::tempdir().unwrap();
        let tasks = names.iter().map(|name| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            Task {
                name: name.to_string(),
                path,
                expected: Expected::Safe,
                model: Some(DataModel::Lp64),
                row: None,
            }
        });
        let tasks = tasks.collect();
        (folder, Set { name: "tiny".into(), tasks })
    }

    fn config(folder: &TempDir) -> Config {
        Config {
            program: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in.sh"),
            jobs: 2,
            time: Duration::from_secs(100),
            memory: 1 << 30,
            options: vec!["--engine".into(), "bmc".into()],
            out: folder.path().join("out"),
            fresh: false,
            progress: false,
            budget: Budget::unlimited(),
        }
    }

    fn seen(folder: &TempDir) -> Vec<String> {
        let text = std::fs::read_to_string(folder.path().join("seen")).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn every_task_gets_a_result_and_is_not_run_again() {
        let (folder, mut set) = folder_with(&["safe.c", "bug.c", "crash.c", "odd.c", "other.c"]);
        let classes = |s: &Summary| s.records.iter().map(|r| r.class).collect::<Vec<_>>();
        let expected = [Class::Correct, Class::Wrong, Class::Crash, Class::Refused, Class::Unknown];
        let summary = sweep(std::slice::from_ref(&set), &config(&folder)).unwrap();
        assert_eq!(classes(&summary), expected);
        let arguments = seen(&folder).into_iter().find(|l| l.ends_with("safe.c")).unwrap();
        assert!(
            arguments.starts_with(
                "check --json --time-limit 100s --memory-limit 1073741824B --engine bmc --64 -- "
            ),
            "{arguments}"
        );

        let results = Results::read(&folder.path().join("out")).unwrap();
        assert_eq!((results.records.len(), results.header.craig.as_str()), (5, "9.9.9"));
        // The set has grown and a verdict was corrected: only the new task is run.
        let (_other, grown) = folder_with(&["safe.c"]);
        set.tasks[1].expected = Expected::Unsafe;
        set.tasks.push(Task { name: "new-safe.c".into(), ..grown.tasks[0].clone() });
        let summary = sweep(&[set], &config(&folder)).unwrap();
        assert_eq!(
            classes(&summary),
            [Class::Correct, Class::Correct, Class::Crash, Class::Refused, Class::Unknown, Class::Correct]
        );
        assert_eq!(seen(&folder).len(), 4, "a refused file is not among them");
        let text = std::fs::read_to_string(folder.path().join("out").join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 7);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_does_not_listen_is_ended() {
        let (folder, set) = folder_with(&["late.c"]);
        let config = Config { time: Duration::from_millis(1), ..config(&folder) };
        let summary = sweep(&[set], &config).unwrap();
        let record = &summary.records[0];
        assert_eq!((record.class, record.verdict()), (Class::Unknown, None::<Verdict>));
        assert_eq!(record.reason(), "time limit, killed");
    }

    #[test]
    fn a_cancelled_run_keeps_what_it_has() {
        let (folder, set) = folder_with(&["safe.c", "bug.c"]);
        let first = Set { tasks: set.tasks[..1].to_vec(), ..set.clone() };
        sweep(&[first], &config(&folder)).unwrap();
        // Cancelled while the second task runs.
        let (late, late_set) = folder_with(&["late.c"]);
        let mut both = set.clone();
        both.tasks[1] = late_set.tasks[0].clone();
        let budget = config(&late).budget;
        let interrupt = budget.clone();
        let waiting = late.path().join("seen");
        let summary = std::thread::scope(|scope| {
            scope.spawn(move || {
                while !waiting.exists() {
                    std::thread::yield_now();
                }
                interrupt.cancel();
            });
            sweep(&[both], &Config { budget, ..config(&folder) }).unwrap()
        });
        assert_eq!((summary.records.len(), summary.tasks, summary.is_complete()), (1, 2, false));
    }

    #[test]
    fn what_cannot_work_is_said_before_the_first_task() {
        let (folder, set) = folder_with(&["safe.c"]);
        let refuse = |sets: &[Set], config: &Config, words: &str| match sweep(sets, config) {
            Err(Failure::Input(message)) => assert!(message.contains(words), "{message}"),
            other => panic!("{other:?}"),
        };
        let one = std::slice::from_ref(&set);
        let nonsense = Config { options: vec!["--nonsense".into()], ..config(&folder) };
        refuse(one, &nonsense, "unexpected argument '--nonsense'");
        refuse(one, &Config { program: "/no/craig".into(), ..config(&folder) }, "/no/craig");
        refuse(&[set.clone(), set.clone()], &config(&folder), "two sets are named tiny");
        let twice = Set { tasks: vec![set.tasks[0].clone(), set.tasks[0].clone()], ..set.clone() };
        refuse(&[twice], &config(&folder), "twice");
        let missing =
            Set { tasks: vec![Task { path: "/no/a.c".into(), ..set.tasks[0].clone() }], ..set.clone() };
        refuse(&[missing], &config(&folder), "no file /no/a.c");
        refuse(&[Set { tasks: Vec::new(), ..set }], &config(&folder), "no task");
        assert!(!folder.path().join("out").exists());
    }
}
