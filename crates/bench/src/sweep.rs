//! `craig check` over sets of tasks: every task in a process of its own, results kept as they come.
//!
//! `check` watches its limits itself and says which one it met. The limits that are set from outside lie a bit above and catch only
//! what does not listen; a task that they end is counted with a reason that ends in `killed`.
//!
//! Two builds can be measured in one run: each task with both, one right after the other, so that what disturbs the machine disturbs both.

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

#[derive(Debug, Clone)]
pub struct Config {
    pub jobs: usize,
    /// Processor time of a task.
    pub cpu: Duration,
    /// Wall-clock time of a task.
    pub time: Duration,
    /// Bytes of resident memory.
    pub memory: u64,
    /// Further arguments of `craig check`.
    pub options: Vec<String>,
    /// Drop results that are there already.
    pub fresh: bool,
    pub progress: bool,
    pub budget: Budget,
}

/// What is measured, and where its results go.
#[derive(Debug, Clone)]
pub struct Target {
    /// The `craig` to run.
    pub program: PathBuf,
    /// Folder for the results.
    pub out: PathBuf,
}

/// Why a sweep did not take place or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweepError {
    /// Nothing was run: the arguments, the sets or earlier results do not fit.
    Input(String),
    /// Something went wrong on the way.
    Run(String),
}

/// One build with its results so far.
struct Side<'a> {
    build: Build<'a>,
    writer: Writer,
    /// One for each task.
    results: Vec<Option<Record>>,
    tally: Tally,
}

impl<'a> Side<'a> {
    fn open(target: &'a Target, tasks: &[(&str, &Task)], config: &Config) -> Result<Self, SweepError> {
        let build = Build::ask(&target.program, config)?;
        let (writer, known) =
            Writer::open(&target.out, &build.header, config.fresh).map_err(SweepError::Input)?;
        let mut known: BTreeMap<Key, Record> = known.into_iter().map(|r| (r.key(), r)).collect();
        let mut results: Vec<Option<Record>> = Vec::new();
        for (set, task) in tasks {
            let mut record = known.remove(&key(set, task));
            if let Some(record) = &mut record {
                record.classify(task.expected);
            }
            results.push(record);
        }
        let mut tally = Tally::default();
        results.iter().flatten().for_each(|r| tally.count(r.class));
        Ok(Side { build, writer, results, tally })
    }

    fn keep(&mut self, task: usize, record: Record) -> Result<(), String> {
        self.writer.add(&record)?;
        self.tally.count(record.class);
        self.results[task] = Some(record);
        Ok(())
    }
}

/// Runs every task that has no result yet.
pub fn sweep(sets: &[Set], target: &Target, config: &Config) -> Result<Summary, SweepError> {
    let [summary] = run(sets, [target], config)?;
    Ok(summary)
}

/// The same for two builds at once. Which of them goes first alternates from task to task.
pub fn interleave(sets: &[Set], targets: [&Target; 2], config: &Config) -> Result<[Summary; 2], SweepError> {
    run(sets, targets, config)
}

fn run<const N: usize>(
    sets: &[Set],
    targets: [&Target; N],
    config: &Config,
) -> Result<[Summary; N], SweepError> {
    check_sets(sets).map_err(SweepError::Input)?;
    let tasks: Vec<(&str, &Task)> =
        sets.iter().flat_map(|s| s.tasks.iter().map(|t| (s.name.as_str(), t))).collect();
    let mut sides =
        targets.iter().map(|target| Side::open(target, &tasks, config)).collect::<Result<Vec<_>, _>>()?;
    // Each task with the sides that have no result for it.
    let open: Vec<(usize, Vec<usize>)> = (0..tasks.len())
        .map(|task| {
            let mut missing: Vec<usize> =
                (0..N).filter(|side| sides[*side].results[task].is_none()).collect();
            if task % 2 == 1 {
                missing.reverse();
            }
            (task, missing)
        })
        .filter(|(_, missing)| !missing.is_empty())
        .collect();
    let builds: Vec<Build> = sides.iter().map(|side| side.build.clone()).collect();
    let mut failure = None;
    pool::for_each(
        &open,
        config.jobs,
        config.progress,
        |(task, missing)| {
            let (set, task) = tasks[*task];
            missing.iter().map(|side| Ok((*side, run_task(set, task, &builds[*side], config)?))).collect()
        },
        |n, results: Result<Vec<(usize, Option<Record>)>, String>| {
            let kept = results.and_then(|results| {
                // An interrupted pair is run again as a pair.
                let whole: Option<Vec<_>> = results.into_iter().map(|(side, r)| Some((side, r?))).collect();
                whole
                    .unwrap_or_default()
                    .into_iter()
                    .try_for_each(|(side, record)| sides[side].keep(open[n].0, record))
            });
            if let Err(e) = kept {
                failure.get_or_insert(e);
                config.budget.cancel();
            }
            sides.iter().map(|side| side.tally.to_string()).collect::<Vec<_>>().join(" | ")
        },
    );
    if let Some(failure) = failure {
        return Err(SweepError::Run(failure));
    }
    let names: Vec<String> = sets.iter().map(|s| s.name.clone()).collect();
    let mut sides = sides.into_iter();
    Ok(targets.map(|_| {
        let side = sides.next().expect("one for each target");
        let records = side.results.into_iter().flatten().collect();
        Summary::new(side.build.header, names.clone(), records, tasks.len())
    }))
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

/// A program, and how it is called.
#[derive(Debug, Clone)]
struct Build<'a> {
    program: &'a Path,
    /// Of `craig check`, for every task.
    arguments: Vec<String>,
    header: Header,
}

impl<'a> Build<'a> {
    /// Asks the program for its version, which limits it knows, and whether it takes the arguments at all: better now than in the
    /// message of every task.
    fn ask(program: &'a Path, config: &Config) -> Result<Self, SweepError> {
        let ask = |arguments: &[String]| {
            let limits = Limits { wall: Some(Duration::from_secs(60)), ..Limits::default() };
            let finished = process::run(craig(program).args(arguments), &limits, &config.budget)
                .map_err(|e| SweepError::Input(format!("cannot run {}: {e}", program.display())))?;
            match finished.ending {
                Ending::Exit(0) => Ok(finished.stdout),
                ending => {
                    let told = finished.stderr.trim();
                    let told = told.strip_prefix("error: ").unwrap_or(told);
                    Err(SweepError::Input(format!("`craig {}` ({ending}): {told}", arguments.join(" "))))
                }
            }
        };
        let version = ask(&["--version".into()])?;
        let knows_cpu = ask(&["check".into(), "--help".into()])?.contains("--cpu-limit");
        // A program that watches only the clock gets the shorter limit there.
        let (cpu, time) =
            if knows_cpu { (Some(config.cpu), config.time) } else { (None, config.time.min(config.cpu)) };
        let seconds = |limit: Duration| format!("{}s", limit.as_secs_f64());
        let mut arguments = vec!["check".to_string(), "--json".into()];
        arguments.extend(cpu.iter().flat_map(|cpu| ["--cpu-limit".into(), seconds(*cpu)]));
        arguments.extend(["--time-limit".into(), seconds(time)]);
        arguments.extend(["--memory-limit".into(), format!("{}B", config.memory)]);
        arguments.extend(config.options.iter().cloned());
        ask(&[&arguments[..], &["--help".into()]].concat())?;
        let build = fingerprint(program)
            .map_err(|e| SweepError::Input(format!("cannot read {}: {e}", program.display())))?;
        let header = Header {
            craig: version.trim().trim_start_matches("craig ").to_string(),
            build,
            cpu_limit_s: cpu.map(|cpu| cpu.as_secs_f64()),
            time_limit_s: time.as_secs_f64(),
            memory_limit_mb: config.memory as f64 / 1e6,
            options: config.options.clone(),
        };
        Ok(Build { program, arguments, header })
    }
}

/// The program by its proper name, whatever its file is called: messages mention it.
fn craig(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg0("craig");
    command
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
fn run_task(set: &str, task: &Task, build: &Build, config: &Config) -> Result<Option<Record>, String> {
    if config.budget.check().is_err() {
        return Ok(None);
    }
    let mut command = craig(build.program);
    command.args(&build.arguments);
    match task.model {
        Some(DataModel::Ilp32) => drop(command.arg("--32")),
        Some(DataModel::Lp64) => drop(command.arg("--64")),
        None => {}
    }
    command.arg("--").arg(&task.path);
    let finished = process::run(&mut command, &outer_limits(config), &config.budget)
        .map_err(|e| format!("cannot run {}: {e}", build.program.display()))?;
    Ok((finished.ending != Ending::Cancelled).then(|| Record::new(set, task, &finished)))
}

fn outer_limits(config: &Config) -> Limits {
    let above = |limit: Duration| limit + limit / 10 + Duration::from_secs(2);
    Limits {
        cpu: Some(above(config.cpu)),
        wall: Some(above(config.time)),
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
    use crate::record::VerdictWord;
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

    fn target(folder: &TempDir, out: &str) -> Target {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in.sh");
        Target { program, out: folder.path().join(out) }
    }

    fn config() -> Config {
        Config {
            jobs: 2,
            cpu: Duration::from_secs(100),
            time: Duration::from_secs(200),
            memory: 1 << 30,
            options: vec!["--engine".into(), "bmc".into()],
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
        let summary = sweep(std::slice::from_ref(&set), &target(&folder, "out"), &config()).unwrap();
        assert_eq!(classes(&summary), expected);
        let arguments = seen(&folder).into_iter().find(|l| l.ends_with("safe.c")).unwrap();
        assert!(
            arguments.starts_with(
                "check --json --cpu-limit 100s --time-limit 200s --memory-limit 1073741824B --engine bmc --64 -- "
            ),
            "{arguments}"
        );

        let results = Results::read(&folder.path().join("out")).unwrap();
        assert_eq!((results.records.len(), results.header.craig.as_str()), (5, "9.9.9"));
        // The set has grown and a verdict was corrected: only the new task is run.
        let (_other, grown) = folder_with(&["safe.c"]);
        set.tasks[1].expected = Expected::Unsafe;
        set.tasks.push(Task { name: "new-safe.c".into(), ..grown.tasks[0].clone() });
        let summary = sweep(&[set], &target(&folder, "out"), &config()).unwrap();
        assert_eq!(
            classes(&summary),
            [Class::Correct, Class::Correct, Class::Crash, Class::Refused, Class::Unknown, Class::Correct]
        );
        assert_eq!(seen(&folder).len(), 4, "a refused file is not among them");
        let text = std::fs::read_to_string(folder.path().join("out").join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 7);
    }

    #[test]
    fn two_builds_take_turns() {
        let (folder, set) = folder_with(&["safe.c", "bug.c", "other.c"]);
        let old = folder.path().join("old-craig");
        std::os::unix::fs::symlink(target(&folder, "a").program, &old).unwrap();
        let targets = [target(&folder, "a"), Target { program: old, out: folder.path().join("b") }];
        let config = Config { jobs: 1, ..config() };
        let first = Set { tasks: set.tasks[..2].to_vec(), ..set.clone() };
        let run =
            |set: &Set| interleave(std::slice::from_ref(set), [&targets[0], &targets[1]], &config).unwrap();
        let [a, b] = run(&first);
        assert_eq!([a.records.len(), b.records.len()], [2, 2]);
        assert_eq!((a.header.cpu_limit_s, a.header.time_limit_s), (Some(100.0), 200.0));
        // What knows no limit on CPU time gets the same one on the clock.
        assert_eq!((b.header.cpu_limit_s, b.header.time_limit_s), (None, 100.0));
        let [a, b] = run(&set);
        assert_eq!([a.records.len(), b.records.len()], [3, 3]);
        // Each once, alternating which goes first.
        let order: Vec<(String, bool)> = seen(&folder)
            .iter()
            .map(|l| (l.rsplit('/').next().unwrap().to_string(), l.contains("--cpu-limit")))
            .collect();
        let expected = [("safe.c", [true, false]), ("bug.c", [false, true]), ("other.c", [true, false])];
        let expected = expected.map(|(name, sides)| sides.map(|side| (name.to_string(), side)));
        assert_eq!(order, expected.concat());
        assert_eq!(Results::read(&folder.path().join("b")).unwrap().records, b.records);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_does_not_listen_is_ended() {
        let (folder, set) = folder_with(&["late.c"]);
        let config = Config { cpu: Duration::from_millis(1), ..config() };
        let summary = sweep(&[set], &target(&folder, "out"), &config).unwrap();
        let record = &summary.records[0];
        assert_eq!((record.class, record.verdict()), (Class::Unknown, None::<VerdictWord>));
        assert_eq!(record.reason(), "CPU limit, killed");
    }

    #[test]
    fn a_cancelled_run_keeps_what_it_has() {
        let (folder, set) = folder_with(&["safe.c", "bug.c"]);
        let first = Set { tasks: set.tasks[..1].to_vec(), ..set.clone() };
        sweep(&[first], &target(&folder, "out"), &config()).unwrap();
        // Cancelled while the second task runs.
        let (late, late_set) = folder_with(&["late.c"]);
        let mut both = set.clone();
        both.tasks[1] = late_set.tasks[0].clone();
        let budget = config().budget;
        let interrupt = budget.clone();
        let waiting = late.path().join("seen");
        let summary = std::thread::scope(|scope| {
            scope.spawn(move || {
                while !waiting.exists() {
                    std::thread::yield_now();
                }
                interrupt.cancel();
            });
            sweep(&[both], &target(&folder, "out"), &Config { budget, ..config() }).unwrap()
        });
        assert_eq!((summary.records.len(), summary.tasks, summary.is_complete()), (1, 2, false));
    }

    #[test]
    fn what_cannot_work_is_said_before_the_first_task() {
        let (folder, set) = folder_with(&["safe.c"]);
        let refuse_with =
            |sets: &[Set], target: &Target, config: &Config, words: &str| match sweep(sets, target, config) {
                Err(SweepError::Input(message)) => assert!(message.contains(words), "{message}"),
                other => panic!("{other:?}"),
            };
        let here = target(&folder, "out");
        let refuse = |sets: &[Set], words: &str| refuse_with(sets, &here, &config(), words);
        let one = std::slice::from_ref(&set);
        let nonsense = Config { options: vec!["--nonsense".into()], ..config() };
        refuse_with(one, &here, &nonsense, "unexpected argument '--nonsense'");
        refuse_with(one, &Target { program: "/no/craig".into(), ..here.clone() }, &config(), "/no/craig");
        refuse(&[set.clone(), set.clone()], "two sets are named tiny");
        let twice = Set { tasks: vec![set.tasks[0].clone(), set.tasks[0].clone()], ..set.clone() };
        refuse(&[twice], "twice");
        let missing =
            Set { tasks: vec![Task { path: "/no/a.c".into(), ..set.tasks[0].clone() }], ..set.clone() };
        refuse(&[missing], "no file /no/a.c");
        refuse(&[Set { tasks: Vec::new(), ..set }], "no task");
        assert!(!folder.path().join("out").exists());
    }
}
