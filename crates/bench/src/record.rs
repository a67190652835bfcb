//! What became of one task: how the process ended, what `craig check --json` said, and how that compares with the verdict on record.
//!
//! A verdict counts only with its evidence: a SAFE whose certificate was checked, an UNSAFE whose trace was replayed. One without is
//! an error of its own, except that a wrong verdict is wrong in any case.

use crate::process::{Ending, Finished};
use crate::task::{Expected, Task};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The answer of `craig check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum VerdictWord {
    Safe,
    Unsafe,
    Unknown,
}

impl VerdictWord {
    /// The exit code that goes with it.
    fn exit_code(self) -> i32 {
        match self {
            VerdictWord::Safe => 0,
            VerdictWord::Unsafe => 1,
            VerdictWord::Unknown => 2,
        }
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            VerdictWord::Safe => "SAFE",
            VerdictWord::Unsafe => "UNSAFE",
            VerdictWord::Unknown => "UNKNOWN",
        })
    }
}

/// How a result compares with what is on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Correct,
    Wrong,
    /// SAFE or UNSAFE with its evidence where no verdict is on record.
    Unrecorded,
    /// No answer, with a reason; a run that was ended at a limit is one of these.
    Unknown,
    /// SAFE without a checked certificate or UNSAFE without a replayed trace.
    Unchecked,
    /// The program was refused as input (exit 3).
    Refused,
    /// A panic, a signal, output that is no result, or an exit code that contradicts it.
    Crash,
}

impl Class {
    /// An answer that counts.
    pub fn is_solved(self) -> bool {
        matches!(self, Class::Correct | Class::Unrecorded)
    }

    /// Something to repair before any figure is believed.
    pub fn is_bug(self) -> bool {
        matches!(self, Class::Wrong | Class::Unchecked | Class::Crash)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Class::Correct => "correct",
            Class::Wrong => "wrong",
            Class::Unrecorded => "unrecorded",
            Class::Unknown => "unknown",
            Class::Unchecked => "unchecked",
            Class::Refused => "refused",
            Class::Crash => "crash",
        })
    }
}

/// One line of the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub set: String,
    pub task: String,
    /// Table and row of the paper that the task stands for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub row: Option<String>,
    pub expected: Expected,
    pub class: Class,
    pub ending: Ending,
    /// What the process said on stderr, shortened to its first error; only where it gave no result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// What the process used, seen from outside. What a second opinion took, which comes after the verdict, is not counted as processor time.
    pub wall_s: f64,
    pub cpu_s: f64,
    pub max_rss_mb: f64,
    /// The object that `craig check --json` printed, as it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub check: Option<Value>,
}

/// What identifies a task among the results: set, path, and the row it stands for.
pub type Key = (String, String, Option<(String, String)>);

pub fn key(set: &str, task: &Task) -> Key {
    (set.to_string(), task.name.clone(), task.row.clone())
}

impl Record {
    pub fn new(set: &str, task: &Task, finished: &Finished) -> Self {
        // The first object on its output; a line with the verdict for people may follow.
        let mut objects = serde_json::Deserializer::from_str(&finished.stdout).into_iter::<Value>();
        let check = objects.next().and_then(Result::ok).filter(Value::is_object);
        let message = check.is_none().then(|| crate::frontend::diagnostic(&finished.stderr));
        let second = check.as_ref().and_then(|check| check.get("second_opinion_s")?.as_f64());
        let cpu = (finished.cpu.as_secs_f64() - second.unwrap_or(0.0)).max(0.0);
        let (table, row) = task.row.clone().unzip();
        let mut record = Record {
            set: set.to_string(),
            task: task.name.clone(),
            table,
            row,
            expected: task.expected,
            class: Class::Crash,
            ending: finished.ending,
            message,
            wall_s: thousandths(finished.wall.as_secs_f64()),
            cpu_s: thousandths(cpu),
            max_rss_mb: thousandths(finished.max_rss as f64 / 1e6),
            check,
        };
        record.classify(task.expected);
        record
    }

    /// Compares with the verdict on record, which may have been corrected since the task ran.
    pub fn classify(&mut self, expected: Expected) {
        self.expected = expected;
        self.class = match (self.ending, self.verdict()) {
            (Ending::TimeLimit | Ending::CpuLimit | Ending::MemoryLimit | Ending::Cancelled, _) => {
                Class::Unknown
            }
            (Ending::Signal(_), _) => Class::Crash,
            (Ending::Exit(3), _) => Class::Refused,
            (Ending::Exit(code), Some(verdict)) if code == verdict.exit_code() => match (verdict, expected) {
                (VerdictWord::Unknown, _) if self.reason() == "internal" => Class::Crash,
                (VerdictWord::Unknown, _) => Class::Unknown,
                (VerdictWord::Safe, Expected::Unsafe) | (VerdictWord::Unsafe, Expected::Safe) => Class::Wrong,
                _ if !self.is_checked() => Class::Unchecked,
                (_, Expected::Unknown) => Class::Unrecorded,
                _ => Class::Correct,
            },
            (Ending::Exit(_), _) => Class::Crash,
        };
    }

    pub fn key(&self) -> Key {
        (self.set.clone(), self.task.clone(), self.table.clone().zip(self.row.clone()))
    }

    /// The verdict that was printed; a process that was ended from outside gave none.
    pub fn verdict(&self) -> Option<VerdictWord> {
        let Ending::Exit(_) = self.ending else { return None };
        VerdictWord::deserialize(self.check.as_ref()?.get("verdict")?).ok()
    }

    /// Does the verdict come with its evidence?
    fn is_checked(&self) -> bool {
        let flag = |pointer| self.check.as_ref().and_then(|c| c.pointer(pointer)).and_then(Value::as_bool);
        match self.verdict() {
            Some(VerdictWord::Safe) => flag("/certificate/checked") == Some(true),
            Some(VerdictWord::Unsafe) => flag("/replay/ok") == Some(true),
            _ => false,
        }
    }

    /// The kind of reason for an UNKNOWN: its key, or in results without one what stands before the first `:`.
    pub fn reason(&self) -> String {
        let key = self.check.as_ref().and_then(|c| c.get("reason_key")?.as_str());
        if let (Ending::Exit(_), Some(key)) = (self.ending, key) {
            return key.to_string();
        }
        let long = self.long_reason();
        long.split(':').next().unwrap_or_default().trim().to_string()
    }

    /// The whole reason where there is no verdict, or the message where there is no result.
    pub fn long_reason(&self) -> String {
        match self.ending {
            // Told from the limits that `check` watches itself: it should not have come to this.
            Ending::TimeLimit => "time limit, killed".into(),
            Ending::CpuLimit => "CPU limit, killed".into(),
            Ending::MemoryLimit => "memory limit, killed".into(),
            _ => match (&self.message, self.check.as_ref().and_then(|c| c.get("reason")?.as_str())) {
                (Some(message), _) => format!("{}: {message}", self.ending),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => String::new(),
            },
        }
    }

    /// A counter of the engine.
    pub fn stat(&self, name: &str) -> Option<f64> {
        self.check.as_ref()?.get("stats")?.get(name)?.as_f64()
    }

    pub fn engine(&self) -> &str {
        self.check.as_ref().and_then(|c| c.get("engine")?.as_str()).unwrap_or_default()
    }

    /// Points as in the software verification competition.
    pub fn score(&self) -> i64 {
        match (self.class, self.verdict()) {
            (Class::Correct, Some(VerdictWord::Safe)) => 2,
            (Class::Correct, Some(VerdictWord::Unsafe)) => 1,
            (Class::Wrong, Some(VerdictWord::Safe)) => -32,
            (Class::Wrong, Some(VerdictWord::Unsafe)) => -16,
            _ => 0,
        }
    }
}

/// Measured figures are not better than this, and lines stay short.
fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::time::Duration;

    pub fn task(name: &str, expected: Expected) -> Task {
        Task { name: name.into(), path: name.into(), expected, model: None, row: None }
    }

    pub fn finished(ending: Ending, stdout: &str) -> Finished {
        Finished {
            ending,
            wall: Duration::from_millis(1500),
            cpu: Duration::from_millis(1250),
            max_rss: 64_000_000,
            stdout: stdout.into(),
            stderr: "error: oh\n".into(),
        }
    }

    /// A result with the verdict, after this many seconds and solver calls.
    pub fn solved(name: &str, expected: Expected, verdict: VerdictWord, cpu_s: f64, calls: u64) -> Record {
        let reason = if verdict == VerdictWord::Unknown { r#""time limit: frames""# } else { "null" };
        let stdout = format!(
            r#"{{"verdict":"{verdict}","reason":{reason},"engine":"bmc","certificate":{{"checked":true}},"replay":{{"ok":true}},"stats":{{"solver_calls":{calls}}}}}"#
        );
        let mut record =
            Record::new("dev", &task(name, expected), &finished(Ending::Exit(verdict.exit_code()), &stdout));
        record.cpu_s = cpu_s;
        record
    }

    #[test]
    fn results_are_compared_with_the_record() {
        const SAFE: &str = r#"{"verdict":"SAFE","certificate":{"checked":true,"locations":3}}"#;
        const UNSAFE: &str = r#"{"verdict":"UNSAFE","replay":{"ok":true,"values":[1]}}"#;
        const BARE: &str = r#"{"verdict":"SAFE","certificate":{"checked":false}}"#;
        const NO_REPLAY: &str = r#"{"verdict":"UNSAFE","certificate":{"checked":true}}"#;
        const UNKNOWN: &str = r#"{"verdict":"UNKNOWN","reason":"unsupported: asm, line 3"}"#;
        const INTERNAL: &str = r#"{"verdict":"UNKNOWN","reason":"internal: index out of bounds"}"#;
        const KEYED: &str = r#"{"verdict":"UNKNOWN","reason":"a panic","reason_key":"internal"}"#;
        let safe_and_verdict = format!("{SAFE}\nSAFE\n");
        for (expected, ending, stdout, class, score) in [
            (Expected::Safe, Ending::Exit(0), SAFE, Class::Correct, 2),
            (Expected::Safe, Ending::Exit(0), safe_and_verdict.as_str(), Class::Correct, 2),
            (Expected::Unsafe, Ending::Exit(1), UNSAFE, Class::Correct, 1),
            (Expected::Unsafe, Ending::Exit(0), SAFE, Class::Wrong, -32),
            (Expected::Unsafe, Ending::Exit(0), BARE, Class::Wrong, -32),
            (Expected::Safe, Ending::Exit(1), UNSAFE, Class::Wrong, -16),
            (Expected::Safe, Ending::Exit(0), BARE, Class::Unchecked, 0),
            (Expected::Unsafe, Ending::Exit(1), NO_REPLAY, Class::Unchecked, 0),
            (Expected::Unknown, Ending::Exit(1), UNSAFE, Class::Unrecorded, 0),
            (Expected::Unknown, Ending::Exit(0), BARE, Class::Unchecked, 0),
            (Expected::Safe, Ending::Exit(2), UNKNOWN, Class::Unknown, 0),
            (Expected::Unknown, Ending::Exit(2), UNKNOWN, Class::Unknown, 0),
            (Expected::Safe, Ending::Exit(2), INTERNAL, Class::Crash, 0),
            (Expected::Safe, Ending::Exit(2), KEYED, Class::Crash, 0),
            (Expected::Safe, Ending::TimeLimit, "", Class::Unknown, 0),
            (Expected::Safe, Ending::CpuLimit, "", Class::Unknown, 0),
            (Expected::Safe, Ending::MemoryLimit, "", Class::Unknown, 0),
            // Ended from outside while it was already answering: no answer.
            (Expected::Unsafe, Ending::TimeLimit, SAFE, Class::Unknown, 0),
            (Expected::Safe, Ending::Signal(11), SAFE, Class::Crash, 0),
            (Expected::Safe, Ending::Exit(3), "", Class::Refused, 0),
            (Expected::Safe, Ending::Exit(1), SAFE, Class::Crash, 0),
            (Expected::Safe, Ending::Exit(0), "", Class::Crash, 0),
            (Expected::Safe, Ending::Exit(0), "[1]", Class::Crash, 0),
            (Expected::Safe, Ending::Exit(0), r#"{"verdict":"MAYBE"}"#, Class::Crash, 0),
        ] {
            let record = Record::new("dev", &task("a.c", expected), &finished(ending, stdout));
            assert_eq!((record.class, record.score()), (class, score), "{ending} {stdout}");
        }
    }

    #[test]
    fn reasons_are_cut_to_their_kind() {
        let reason = |ending, stdout: &str| {
            Record::new("dev", &task("a.c", Expected::Safe), &finished(ending, stdout)).reason()
        };
        let unknown = r#"{"verdict":"UNKNOWN","reason":"unsupported: asm, line 3"}"#;
        assert_eq!(reason(Ending::Exit(2), unknown), "unsupported");
        let keyed = r#"{"verdict":"UNKNOWN","reason":"asm, line 3","reason_key":"unsupported"}"#;
        assert_eq!(reason(Ending::Exit(2), keyed), "unsupported");
        assert_eq!(reason(Ending::TimeLimit, keyed), "time limit, killed");
        assert_eq!(reason(Ending::CpuLimit, ""), "CPU limit, killed");
        let no_reason = r#"{"verdict":"SAFE","reason":null,"reason_key":null}"#;
        assert_eq!(reason(Ending::Exit(0), no_reason), "");
        assert_eq!(reason(Ending::Signal(6), ""), "signal 6");
    }

    #[test]
    fn a_record_survives_its_line() {
        let mut task = task("a.c", Expected::Safe);
        task.row = Some(("safe".into(), "a".into()));
        let stdout = r#"{"verdict":"SAFE","new_key":[1,{"x":null}],"certificate":{"checked":true}}"#;
        let record = Record::new("lbe", &task, &finished(Ending::Exit(0), stdout));
        let line = serde_json::to_string(&record).unwrap();
        assert!(
            line.contains(r#""ending":{"exit":0}"#) && line.contains(r#""new_key":[1,{"x":null}]"#),
            "{line}"
        );
        let back: Record = serde_json::from_str(&line).unwrap();
        assert_eq!((back.key(), &back), (key("lbe", &task), &record));
    }
}
