//! The file of results: one JSON object a line, the first one saying how they were made.
//!
//! A line is written as soon as its task has ended, so that an interrupted run loses nothing that had ended. A later run with the same
//! [`Header`] goes on where the first one stopped; a last line without its end is what an interruption left behind, and is dropped.

use crate::record::{Key, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Name of the file in its folder.
pub const FILE: &str = "results.jsonl";

/// What decides about a result besides the task itself. Results under different headers are never mixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the measured `craig`.
    pub craig: String,
    /// Fingerprint of its executable.
    pub build: String,
    /// `None`: the program limits only wall-clock time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu_limit_s: Option<f64>,
    pub time_limit_s: f64,
    pub memory_limit_mb: f64,
    /// Arguments of `craig check` beyond those that a task needs.
    pub options: Vec<String>,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { craig, build, cpu_limit_s, time_limit_s, memory_limit_mb, options } = self;
        let cpu = cpu_limit_s.map_or_else(String::new, |s| format!("{s} s of CPU time, "));
        let options = [&["check".to_string()], options.as_slice()].concat().join(" ");
        write!(
            f,
            "craig {craig} (build {build}), `{options}`, {cpu}{time_limit_s} s of wall-clock time and {memory_limit_mb} MB a task"
        )
    }
}

impl Header {
    /// The limit on CPU time; wall-clock time where there is none.
    pub fn limit_s(&self) -> f64 {
        self.cpu_limit_s.unwrap_or(self.time_limit_s)
    }

    /// What differs, for people.
    fn differences(&self, other: &Header) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, there: String, here: String| {
            if there != here {
                differences.push(format!("{what}: {there} there, {here} here"));
            }
        };
        let options = |h: &Header| format!("`{}`", h.options.join(" "));
        compare("version", self.craig.clone(), other.craig.clone());
        compare("build", self.build.clone(), other.build.clone());
        let cpu = |h: &Header| h.cpu_limit_s.map_or_else(|| "none".into(), |s| format!("{s} s"));
        compare("CPU limit", cpu(self), cpu(other));
        compare("time limit", format!("{} s", self.time_limit_s), format!("{} s", other.time_limit_s));
        compare(
            "memory limit",
            format!("{} MB", self.memory_limit_mb),
            format!("{} MB", other.memory_limit_mb),
        );
        compare("options", options(self), options(other));
        differences
    }
}

/// What a file of results holds.
#[derive(Debug, Clone)]
pub struct Results {
    pub header: Header,
    pub records: Vec<Record>,
}

impl Results {
    /// The records, by what identifies them in other results too.
    pub fn by_key(&self) -> BTreeMap<Key, &Record> {
        self.records.iter().map(|record| (record.key(), record)).collect()
    }

    /// Reads a file, or the file of a folder. The message names what is wrong with it.
    pub fn read(path: &Path) -> Result<Results, String> {
        let file = if path.is_dir() { path.join(FILE) } else { path.to_path_buf() };
        let text = std::fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let (results, _) = parse(&file, &text)?;
        results.ok_or_else(|| format!("{}: no results", file.display()))
    }
}

/// The results and the length of the text up to the end of its last whole line.
fn parse(file: &Path, text: &[u8]) -> Result<(Option<Results>, u64), String> {
    let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let mut lines = text[..whole].split_inclusive(|b| *b == b'\n').enumerate();
    let wrong = |number: usize, what: &str, e: &dyn fmt::Display| {
        format!("{}:{}: {what}: {e}", file.display(), number + 1)
    };
    let Some((_, first)) = lines.next() else { return Ok((None, 0)) };
    let header =
        serde_json::from_slice(first).map_err(|e| wrong(0, "not the head of a file of results", &e))?;
    let mut records = Vec::new();
    for (number, line) in lines {
        records.push(serde_json::from_slice(line).map_err(|e| wrong(number, "not a result", &e))?);
    }
    Ok((Some(Results { header, records }), whole as u64))
}

/// The file while a run adds to it.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// Opens the file of a folder, made by a run with the same header or not there yet, and gives what it holds already. With
    /// `fresh`, what was there is dropped.
    pub fn open(folder: &Path, header: &Header, fresh: bool) -> Result<(Writer, Vec<Record>), String> {
        let path = folder.join(FILE);
        let fail = |e: io::Error| format!("cannot write {}: {e}", path.display());
        std::fs::create_dir_all(folder).map_err(fail)?;
        let mut options = File::options();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fail)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{} is being written by another run", path.display()));
            }
            // Not every file system has locks: without them it is up to the user.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut text = Vec::new();
        if !fresh {
            file.read_to_end(&mut text).map_err(fail)?;
        }
        let (results, whole) = parse(&path, &text)
            .map_err(|e| format!("{e}\n--fresh drops the file, --out DIR writes elsewhere"))?;
        let differences = results.as_ref().map_or_else(Vec::new, |r| r.header.differences(header));
        if !differences.is_empty() {
            return Err(format!(
                "{} was made by another kind of run ({})\n--fresh drops it, --out DIR writes elsewhere",
                path.display(),
                differences.join("; ")
            ));
        }
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fail)?;
        let mut writer = Writer { path: path.clone(), file };
        match results {
            Some(results) => Ok((writer, results.records)),
            None => writer.line(header).map_err(fail).map(|()| (writer, Vec::new())),
        }
    }

    pub fn add(&mut self, record: &Record) -> Result<(), String> {
        self.line(record).map_err(|e| format!("cannot write {}: {e}", self.path.display()))
    }

    /// In one piece: what is interrupted has no line end.
    fn line(&mut self, object: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(object)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::record::VerdictWord;
    use crate::record::tests::solved;
    use crate::task::Expected;

    pub fn header() -> Header {
        Header {
            craig: "0.1.0".into(),
            build: "1234".into(),
            cpu_limit_s: Some(15.0),
            time_limit_s: 32.0,
            memory_limit_mb: 4000.0,
            options: vec!["--engine".into(), "bmc".into()],
        }
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let records =
            ["a.c", "b.c"].map(|name| solved(name, Expected::Safe, VerdictWord::Safe, 1.0, 10)).to_vec();
        let (mut writer, none) = Writer::open(&path, &header(), false).unwrap();
        assert_eq!(none, []);
        writer.add(&records[0]).unwrap();
        assert!(Writer::open(&path, &header(), false).unwrap_err().contains("another run"));
        // Interrupted in the middle of a line.
        writer.file.write_all(br#"{"set":"dev","#).unwrap();
        drop(writer);
        assert_eq!(Results::read(&path).unwrap().records, records[..1]);
        let (mut writer, first) = Writer::open(&path, &header(), false).unwrap();
        assert_eq!(first, records[..1]);
        writer.add(&records[1]).unwrap();
        drop(writer);
        assert_eq!(Results::read(&path.join(FILE)).unwrap().records, records);

        let other = Header { time_limit_s: 60.0, options: Vec::new(), ..header() };
        let message = Writer::open(&path, &other, false).unwrap_err();
        assert!(message.contains("time limit: 32 s there, 60 s here; options: `--engine bmc`"), "{message}");
        assert_eq!(Writer::open(&path, &other, true).unwrap().1, []);
        assert_eq!(Results::read(&path).unwrap().header, other);
    }

    #[test]
    fn broken_files_are_named_with_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let head = serde_json::to_string(&header()).unwrap();
        for (text, words) in [
            ("", "no results"),
            ("{\"craig\":", "no results"),
            ("hello\n", ":1: not the head"),
            (&format!("{head}\n\n"), ":2: not a result"),
            (&format!("{head}\n{{}}\n"), ":2: not a result"),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = Results::read(folder.path()).unwrap_err();
            assert!(message.contains(words), "{message}");
            // What holds nothing yet may be begun anew; what is something else is not overwritten.
            assert_eq!(Writer::open(folder.path(), &header(), false).is_ok(), words == "no results");
        }
        assert!(Results::read(&folder.path().join("missing")).unwrap_err().contains("missing"));
    }
}
