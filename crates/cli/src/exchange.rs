//! Witnesses in the format of SV-COMP: what they say of themselves, and what became of those that are checked.

use crate::args::{CheckWitness, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::Budget;
use craig_engine::Silent;
use craig_report::{reason, text as words};
use craig_solve::exchange::{About, Validation, entries, graphml, specification, validate};
use craig_solve::{Answer, LoadError, Plan, Property};
use craig_verdict::Verdict;
use craig_verdict::exchange::yaml::{self, Entry};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Does the ending of the file ask for that format?
pub fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml")
}

/// Is it the older format, which is only written?
pub fn is_graphml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "graphml")
}

/// The witness of an answer as text; none for UNKNOWN and for programs that are not C.
pub fn text(path: &Path, file: &Path, answer: &Answer, limits: &Budget) -> Result<Option<String>, Code> {
    if answer.source.lang != craig_cfa::Lang::C {
        host::eprint("note: there is no witness: this format is for programs in C");
        return Ok(None);
    }
    let bytes = std::fs::read(file).map_err(|e| {
        host::eprint(&format!("error: {} cannot be read again: {e}", file.display()));
        Code::Usage
    })?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut about = About {
        file: file.to_string_lossy().into_owned(),
        hash: hex(&Sha256::digest(&bytes)),
        uuid: String::new(),
        creation_time: iso_8601(now),
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let Some(without) = entries(answer, &about, limits) else { return Ok(None) };
    about.uuid = uuid(yaml::write(&without).as_bytes());
    Ok(match is_graphml(path) {
        true => graphml(answer, &about, limits),
        false => entries(answer, &about, limits).map(|entries| yaml::write(&entries)),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A UUID made of what it names (version 8 of RFC 9562): another text or time has another.
fn uuid(content: &[u8]) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(content)[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Seconds since 1970 as date and time.
fn iso_8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that the odd day is the last one. Eras have 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (year + era * 400, month + 3) } else { (year + era * 400 + 1, month - 9) };
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Checks a witness that any tool may have written.
pub fn check(
    args: &CheckWitness,
    text: &str,
    talk: Talk,
    limits: &Budget,
    complain: &dyn Fn(String) -> Code,
) -> Result<Code, Code> {
    let found = yaml::read(text).map_err(complain)?;
    let mut reading = input::reading(&args.input.reading, args.signed_wrap)?;
    for entry in &found {
        agree(entry, &args.input.file, &mut reading).map_err(complain)?;
    }
    let plan = Plan { checking: args.check, ..Plan::default() };
    let validated = validate(&args.input.file, &reading, &found, &plan, limits, &mut Silent);
    let validated = validated.map_err(|error| match error {
        LoadError::Stopped(stop) => host::unknown(stop),
        LoadError::Rejected(rejected) => {
            diag::report(&rejected);
            Code::Usage
        }
    })?;
    let (said, verdict, code) = told(&validated, talk);
    host::print(|out| {
        if talk > Talk::Quiet {
            write!(out, "{said}")?;
        }
        writeln!(out, "{verdict}")
    })?;
    Ok(code)
}

/// Is the witness about this program, read in this way? Its property is taken where none is asked for.
fn agree(entry: &Entry, file: &Path, reading: &mut craig_solve::Reading) -> Result<(), String> {
    let task = &entry.metadata().task;
    let model = format!("{:?}", reading.model).to_uppercase();
    if task.data_model != model {
        return Err(format!("task.data_model: {}, but the program is read with {model}", task.data_model));
    }
    let (property, _) = Property::parse(&task.specification)
        .map_err(|wrong| format!("task.specification: {}", wrong.message))?;
    if reading.property == Property::Default {
        reading.property = property;
    } else if reading.property.to_string() != property.to_string() {
        let here = specification(&reading.property, reading.entry.as_deref());
        return Err(format!("task.specification: {}, but checked is {here}", task.specification));
    }
    let bytes = std::fs::read(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
    let hash = hex(&Sha256::digest(&bytes));
    if task.input_file_hashes.values().all(|other| !other.eq_ignore_ascii_case(&hash)) {
        return Err("task.input_file_hashes: this is a witness of another program".into());
    }
    Ok(())
}

/// What is said of a witness, the verdict, and the code for it.
fn told(validated: &Validation, talk: Talk) -> (String, String, Code) {
    let all = talk >= Talk::Verbose;
    let unknown = |why: &str| format!("UNKNOWN (witness: {why})");
    let by = |answer: &Answer| answer.decisive().map_or("an engine", |attempt| attempt.engine);
    match validated {
        Validation::Holds { answer, alone } => {
            let how = match alone {
                true => "The invariants of the witness are a proof.\n".to_string(),
                false => format!("The invariants of the witness hold; {} completed the proof.\n", by(answer)),
            };
            (format!("{how}{}", words::evidence(answer, all)), "SAFE".into(), Code::Safe)
        }
        Validation::Open(answer) => {
            let why = match &answer.verdict {
                Verdict::Unknown(why) => reason::text(why, &answer.source.source),
                _ => String::new(),
            };
            let said = "The invariants of the witness are no proof, and none was found with them.\n";
            (said.into(), format!("UNKNOWN ({why})"), Code::Unknown)
        }
        Validation::Refuted { answer, error: true } => {
            let said =
                format!("The witness is wrong: the error can be reached.\n{}", words::evidence(answer, all));
            (said, "UNSAFE".into(), Code::Unsafe)
        }
        Validation::Refuted { answer, error: false } => {
            let line = match &answer.verdict {
                Verdict::Unsafe(_, run) => run.trace.steps.back().map(|step| {
                    let program = &answer.source;
                    program.source.line(program.edges[step.edge].span)
                }),
                _ => None,
            };
            let line = line.map(|line| format!(" of line {line}")).unwrap_or_default();
            let said = format!("The witness is wrong.\n{}", words::evidence(answer, all));
            (said, unknown(&format!("the invariant{line} does not hold")), Code::Unknown)
        }
        Validation::Followed { answer, waypoints, of } => {
            let said = format!(
                "A run along {waypoints} of {of} waypoints reaches the error.\n{}",
                words::evidence(answer, all)
            );
            (said, "UNSAFE".into(), Code::Unsafe)
        }
        Validation::NotFollowed(why) => {
            let said = "No run along the waypoints was found.\n";
            (said.into(), format!("UNKNOWN ({})", reason::words(why)), Code::Unknown)
        }
        Validation::NoSuchRun => {
            let said = "No run along the waypoints reaches the error (proved).\n";
            (said.into(), unknown("it is followed by no run"), Code::Unknown)
        }
        Validation::Lost(lines) => {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            let why = format!("there is no place for what it says of line {}", lines.join(", "));
            (String::new(), unknown(&why), Code::Unknown)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_names() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(iso_8601(4_107_542_399), "2100-02-28T23:59:59Z");
        let one = uuid(b"a");
        assert_eq!(one.len(), 36);
        assert_ne!(one, uuid(b"b"));
        assert_eq!(&one[14..15], "8");
    }
}
