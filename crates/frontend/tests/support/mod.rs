//! What the tests of the front end share: seeded random numbers, loading texts, running programs, calling gcc.

// Every test target uses its own part of this.
#![allow(dead_code)]

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Overflow, RunEnd, Zero};
use craig_cfa::{DataModel, Op, Program, verify};
use craig_frontend::{LoadError, Reading, Rejected, c};
use std::path::Path;
use std::process::Command;

pub const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

/// Pseudo-random numbers that depend on the seed alone (SplitMix64).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// A number from the environment, for long runs by hand.
pub fn setting(name: &str, ordinary: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(ordinary)
}

pub fn reading(model: DataModel) -> Reading {
    Reading { model, ..Reading::default() }
}

/// Loads a text and checks the program.
pub fn load_with(text: &str, reading: &Reading) -> Result<Program, Rejected> {
    let loaded = c::load_text("test.c", text, reading, &Budget::unlimited());
    let program = loaded.map_err(LoadError::rejected)?.program;
    verify::verify(&program).unwrap_or_else(|v| panic!("{v:#?}\n{text}"));
    Ok(program)
}

pub fn load(text: &str, model: DataModel) -> Program {
    match load_with(text, &reading(model)) {
        Ok(program) => program,
        Err(rejected) => {
            let line = |d: &craig_base::Diagnostic| {
                Some(rejected.source.as_ref()?.line_text(d.span?).0.chars().take(2000).collect::<String>())
            };
            let lines: Vec<_> = rejected.diagnostics.iter().filter_map(line).collect();
            panic!("{model:?}: {}\n{}", messages(&rejected).join("\n"), lines.join("\n"))
        }
    }
}

/// The messages about a text with `line:column`.
pub fn messages(rejected: &Rejected) -> Vec<String> {
    let place = |d: &craig_base::Diagnostic| match (&rejected.source, d.span) {
        (Some(source), Some(span)) => {
            let place = source.position(span);
            format!("{}:{}: {}", place.line, place.column, d.message)
        }
        _ => d.message.clone(),
    };
    rejected.diagnostics.iter().map(place).collect()
}

/// The constant that a global variable is initialised with; `None` if it is no constant.
pub fn initial_value(program: &Program, name: &str) -> Option<i128> {
    let var = program.vars.position(|v| &*v.name == name).unwrap_or_else(|| panic!("no variable {name}"));
    let mut assigned = program.ops().filter_map(|(op, _)| match op {
        Op::Assign(place, value) if program.exprs.root_var(*place) == Some(var) => Some(*value),
        _ => None,
    });
    match assigned.next() {
        Some(value) => program.exprs.as_int(&program.types, value),
        // Globals are zero, so an initialiser of zero is no operation.
        None => Some(0),
    }
}

/// Interprets a program, signed operations wrapping around; what it printed, and how it ended.
pub fn interpret(program: &Program) -> (String, RunEnd) {
    let mut out = Vec::new();
    let config = Config { overflow: Overflow::Wrap, ..Config::default() };
    let run = interp::run(program, &config, &mut Zero, &mut out);
    (String::from_utf8_lossy(&out).into_owned(), run.end)
}

pub fn flag(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// What gcc says of a text that it only checks: its errors.
pub fn gcc_checks(text: &str, model: DataModel) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("test.c");
    std::fs::write(&file, text).unwrap();
    let done =
        Command::new("gcc").args(["-w", "-fsyntax-only", flag(model)]).arg(&file).output().expect("gcc runs");
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// What a text prints that gcc compiles and the machine runs; `None` if gcc cannot link for this data model.
pub fn gcc_runs(text: &str, model: DataModel) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    if model == DataModel::Ilp32 && link(dir.path(), "int main(void) { return 0; }", model).is_err() {
        return None;
    }
    link(dir.path(), text, model).unwrap_or_else(|errors| panic!("gcc refuses: {errors}"));
    let done = Command::new(dir.path().join("test")).output().unwrap();
    assert!(done.status.success(), "{:?}\n{text}", done.status);
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn link(dir: &Path, text: &str, model: DataModel) -> Result<(), String> {
    let file = dir.join("test.c");
    std::fs::write(&file, text).unwrap();
    let done = Command::new("gcc")
        .args(["-w", "-fwrapv", flag(model), "-o"])
        .arg(dir.join("test"))
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).lines().take(20).collect::<Vec<_>>().join("\n");
    if done.status.success() { Ok(()) } else { Err(errors) }
}

/// Our constants and gcc's: every expression that we fold must have that value under gcc, which `_Static_assert` tells. Gives the
/// number of expressions that we fold.
pub fn agree(prelude: &str, exprs: &[String], model: DataModel, seed: u64) -> usize {
    let mut text = format!("{prelude}\n");
    for (i, e) in exprs.iter().enumerate() {
        text.push_str(&format!("long long v{i} = (long long)({e});\n"));
    }
    text.push_str("int main(void) {\n");
    for i in 0..exprs.len() {
        text.push_str(&format!("v{i};\n"));
    }
    text.push('}');
    let program = load(&text, model);
    let mut check = format!("{prelude}\n");
    let mut folded = 0;
    for (i, e) in exprs.iter().enumerate() {
        let Some(value) = initial_value(&program, &format!("v{i}")) else { continue };
        folded += 1;
        let bits = value as i64 as u64;
        check.push_str(&format!(
            "_Static_assert((unsigned long long)({e}) == {bits}ULL, \"ours {value}\");\n"
        ));
    }
    if let Err(errors) = gcc_checks(&check, model) {
        let start = errors.lines().take(40).collect::<Vec<_>>().join("\n");
        panic!("seed {seed}, {model:?}:\n{start}\n{prelude}");
    }
    folded
}
