//! Programs that were written to deceive: they look at memory as bytes, carry addresses in numbers, ask how objects lie, call through
//! pointers of other types. `auto` must be right about each, or say UNKNOWN with a reason.
//!
//! Each program of `deceive/` begins with comments that say what is expected:
//!
//! | line | meaning |
//! |---|---|
//! | `// expect: unsafe` | some execution reaches the error: SAFE would be wrong |
//! | `// expect: safe` | none does: UNSAFE would be wrong |
//! | `// expect: safe!`, `unsafe!` | the same, and UNKNOWN is not enough |
//! | `// assuming: KIND` | SAFE is no mistake if it names an assumption of this kind |
//! | `// data: 64` | the data model, `32` or `64`; without it the program means the same in both, and both are tried |
//! | `// externs: havoc` | functions without body may do something |
//! | `// values: 1, 2` | values with which the interpreter reaches the error; the rest is zero |
//! | `// not run: WHY` | the interpreter need not reach the error: it has one layout of memory, and runs no undefined calls |
//!
//! What is allowed of a layout: objects are not at null, aligned, disjoint, in range. Nothing else is.

use craig_base::Budget;
use craig_cfa::DataModel;
use craig_cfa::interp::{self, Chooser, Config, Random, RunEnd, Values, Zero};
use craig_engine::Silent;
use craig_frontend::Externs;
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Answer, Plan, Reading, ledger, solve};
use craig_verdict::{Reason, Refusal, Verdict};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Work for one program: what is decided needs less than a tenth of it.
const WORK: u64 = 3_000_000;
const STEPS: u64 = 1_000_000;
/// Runs of a safe program that must not reach the error.
const RUNS: u64 = 20;

/// Programs about which `auto` is wrong today. Whoever mends one takes it from the list, until there is none.
const KNOWN_WRONG: &[&str] = &[
    // The order of evaluation is assumed, see docs/c-semantics.md.
    "value_argument_order",
];

/// Programs that are to be decided and are not yet.
const UNDECIDED: &[&str] = &["layout_live_allocations_holds"];

/// Programs whose error the interpreter should reach and does not yet.
const NOT_RUN: &[&str] = &[];

#[derive(Debug, Default)]
struct Deceiver {
    name: String,
    text: String,
    safe: bool,
    decided: bool,
    /// A kind of assumption under which it is safe.
    assuming: Option<String>,
    models: Vec<DataModel>,
    values: Vec<i128>,
    externs: Externs,
    /// The interpreter reaches the error, if there is one.
    run: bool,
}

impl Deceiver {
    fn new(name: String, text: String) -> Deceiver {
        let mut program = Deceiver {
            name,
            run: true,
            models: vec![DataModel::Ilp32, DataModel::Lp64],
            ..Deceiver::default()
        };
        let comments = text.lines().map_while(|line| line.strip_prefix("// "));
        let mut expected = false;
        for (key, value) in comments.filter_map(|line| line.split_once(": ")) {
            match (key, value) {
                ("expect", verdict) => {
                    program.decided = verdict.ends_with('!');
                    program.safe = match verdict.trim_end_matches('!') {
                        "safe" => true,
                        "unsafe" => false,
                        other => panic!("{}: expect: {other}", program.name),
                    };
                    expected = true;
                }
                ("assuming", kind) => program.assuming = Some(kind.into()),
                ("data", "32") => program.models = vec![DataModel::Ilp32],
                ("data", "64") => program.models = vec![DataModel::Lp64],
                ("values", list) => {
                    program.values = list.split(", ").map(|v| v.parse().expect("a number")).collect();
                }
                ("externs", "havoc") => program.externs = Externs::Havoc,
                ("not run", _) => program.run = false,
                _ => {}
            }
        }
        assert!(expected, "{} says nothing about what is expected", program.name);
        Deceiver { text, ..program }
    }

    fn load(&self, model: DataModel) -> (craig_cfa::Program, Reading) {
        let reading = Reading { model, externs: self.externs, ..Reading::default() };
        let name = format!("{}.c", self.name);
        let loaded = load_text(&name, &self.text, &reading, &Budget::unlimited());
        (loaded.unwrap_or_else(|e| panic!("{name}: {e:?}")).program, reading)
    }

    /// What `auto` says.
    fn answer(&self, model: DataModel) -> Answer {
        let (program, reading) = self.load(model);
        let budget = Budget::unlimited().with_work(WORK);
        solve(Arc::new(program), reading, &Plan::default(), &budget, &mut Silent)
    }

    /// Does a run reach the error?
    fn errs(&self, model: DataModel, mut chooser: impl Chooser) -> bool {
        let config = Config { steps: STEPS, ..Config::default() };
        let run = interp::run(&self.load(model).0, &config, &mut chooser, &mut std::io::sink());
        run.end == RunEnd::Error
    }
}

/// The programs of a class.
fn programs(class: &str) -> Vec<Deceiver> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/deceive");
    let entries = fs::read_dir(folder).expect("the folder of the programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let programs = paths.into_iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        Deceiver::new(name, fs::read_to_string(&path).expect("a text"))
    });
    programs.filter(|program| program.name.starts_with(class)).collect()
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Right,
    Undecided,
    Wrong,
}

/// A refused certificate and an internal error are no reasons but mistakes.
fn said(program: &Deceiver, answer: &Answer) -> Said {
    match &answer.verdict {
        Verdict::Safe(..) if program.safe => Said::Right,
        Verdict::Safe(..) if let Some(kind) = &program.assuming => {
            let named = ledger(answer).iter().any(|assumed| assumed.kind == kind);
            if named { Said::Right } else { Said::Wrong }
        }
        Verdict::Unsafe(..) if !program.safe => Said::Right,
        Verdict::Unknown(Reason::Certificate(Refusal::Undecided(_))) => Said::Undecided,
        Verdict::Safe(..) | Verdict::Unsafe(..) => Said::Wrong,
        Verdict::Unknown(Reason::Certificate(_) | Reason::Internal(_)) => Said::Wrong,
        Verdict::Unknown(_) => Said::Undecided,
    }
}

/// Where what was found is not what is known.
fn news(class: &str, what: &str, found: &[(String, String)], known: &[&str]) -> Vec<String> {
    let new = found.iter().filter(|(name, _)| !known.contains(&&**name));
    let new = new.map(|(name, words)| format!("{name} is {what}: {words}"));
    let known = known.iter().filter(|name| name.starts_with(class));
    let mended = known.filter(|name| found.iter().all(|(n, _)| n != **name));
    new.chain(mended.map(|name| format!("{name} is no longer {what}: take it from the list"))).collect()
}

/// Asks `auto` and the interpreter about a class of programs.
fn check(class: &str) {
    let (mut wrong, mut undecided, mut not_run) = (Vec::new(), Vec::new(), Vec::new());
    let programs = programs(class);
    assert!(!programs.is_empty());
    for program in programs {
        // The worst of the data models counts.
        let answers = program.models.iter().map(|model| {
            let answer = program.answer(*model);
            (said(&program, &answer), format!("{model:?}: {}", text::verdict(&answer)))
        });
        let (said, words) = answers.max().expect("a data model");
        match said {
            Said::Wrong => wrong.push((program.name.clone(), words)),
            Said::Undecided if program.decided => undecided.push((program.name.clone(), words)),
            _ => {}
        }
        for &model in &program.models {
            if program.safe {
                let errs = (0..RUNS).any(|seed| program.errs(model, Random::new(seed)));
                assert!(!errs, "{}: a run reaches the error", program.name);
            } else if program.run && !program.errs(model, Values::new(program.values.clone(), Zero)) {
                not_run.push((program.name.clone(), format!("{model:?}")));
            }
        }
    }
    let news = [
        news(class, "wrong", &wrong, KNOWN_WRONG),
        news(class, "undecided", &undecided, UNDECIDED),
        news(class, "not run", &not_run, NOT_RUN),
    ]
    .concat();
    assert!(news.is_empty(), "\n{}", news.join("\n"));
}

/// An access may touch every byte of the object that its pointer came from.
#[test]
fn extent() {
    check("extent");
}

/// An address that became a number, bytes or another type is still one.
#[test]
fn provenance() {
    check("provenance");
}

/// Where objects lie is open.
#[test]
fn layout() {
    check("layout");
}

/// A call goes where its pointer points, whatever its type says.
#[test]
fn call() {
    check("call");
}

/// Numbers, conversions, attributes, and the way that control takes mean what they mean to GCC.
#[test]
fn value() {
    check("value");
}

/// What an environment may do is done, or named; undefined behaviour on the way is neither an error nor the end.
#[test]
fn env() {
    check("env");
}

/// What random programs found, made small.
#[test]
fn fuzz() {
    check("fuzz");
}
