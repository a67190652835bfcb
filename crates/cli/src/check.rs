//! `craig check`: the verdict on programs.

use crate::args::{Check, Talk};
use crate::code::Code;
use crate::{diag, exchange, host, input};
use craig_base::{Budget, Stop};
use craig_cfa::pass::PrepareOptions;
use craig_engine::{Observer, Progress};
use craig_report::ci::{Finding, github, junit, sarif, table};
use craig_report::harness::{NoHarness, harness};
use craig_report::json::Record;
use craig_report::page::page;
use craig_report::{reason, text};
use craig_solve::{Answer, LoadError, Plan, Reading, load, solve_aloud, witness};
use craig_verdict::Verdict;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub fn run(args: &Check, talk: Talk, budget: &Budget) -> Code {
    if args.witness.is_some() && args.files.len() > 1 {
        host::eprint("error: a witness belongs to one program: --witness takes one FILE");
        return Code::Usage;
    }
    if args.harness.is_some() && args.files.len() > 1 {
        host::eprint("error: a harness belongs to one program: --harness takes one FILE");
        return Code::Usage;
    }
    if args.dot.is_some() && args.files.len() > 1 {
        host::eprint("error: pictures belong to one program: --dot takes one FILE");
        return Code::Usage;
    }
    let reading = match input::reading(&args.reading, args.signed_wrap) {
        Ok(reading) => reading,
        Err(code) => return code,
    };
    let mut worst = Code::Safe;
    let mut findings = Vec::new();
    for file in &args.files {
        let code = one(file, args, &reading, talk, budget, &mut findings).unwrap_or_else(|code| code);
        // What could not be read counts most, then errors, then what is open.
        let rank = |code: Code| match code {
            Code::Usage => 3,
            Code::Unsafe => 2,
            Code::Unknown => 1,
            Code::Safe => 0,
        };
        if rank(code) > rank(worst) {
            worst = code;
        }
        if budget.check().is_err() {
            break;
        }
    }
    tell_all(args, talk, &findings).map_or_else(|code| code, |()| worst)
}

/// What is told of all programs together.
fn tell_all(args: &Check, talk: Talk, findings: &[Finding]) -> Result<(), Code> {
    let write = |path: &Option<PathBuf>, text: fn(&[Finding]) -> String| match path {
        None => Ok(()),
        Some(path) => std::fs::write(path, text(findings)).map_err(|e| {
            host::eprint(&format!("error: results cannot be written to {}: {e}", path.display()));
            Code::Usage
        }),
    };
    write(&args.sarif, sarif::text)?;
    write(&args.junit, junit::text)?;
    let as_text = !args.json && !args.svcomp && !args.github;
    if as_text && args.files.len() > 1 && talk > Talk::Quiet {
        host::print(|out| write!(out, "\n{}", table::text(findings)))?;
    }
    Ok(())
}

fn one(
    file: &Path,
    args: &Check,
    reading: &Reading,
    talk: Talk,
    budget: &Budget,
    findings: &mut Vec<Finding>,
) -> Result<Code, Code> {
    let clock = host::Clock::start();
    let album = args.dot.as_deref().map(Album::new).transpose()?;
    let mut limits = budget.with_time(args.time_limit).with_memory(args.memory_limit);
    if let Some(cpu) = args.cpu_limit {
        limits = limits.with_cpu(cpu);
    }
    let prepare = PrepareOptions { inline_limit: Some(args.inline_limit), ..PrepareOptions::default() };
    let plan = Plan {
        selection: args.selection.clone(),
        arithmetic: args.arith,
        prepare,
        checking: args.check,
        strict: args.strict,
    };
    let mut line = ProgressLine::new(talk, args.json, album.clone());
    let work = {
        let (file, reading, limits, mut line) =
            (file.to_path_buf(), reading.clone(), limits.clone(), line.clone());
        move |tell: &mut dyn FnMut(Result<Answer, LoadError>)| {
            let loaded = match load(&file, &reading, &limits) {
                Ok(loaded) => loaded,
                Err(error) => return tell(Err(error)),
            };
            if let Some(rejected) = loaded.nothing {
                return tell(Err(rejected.into()));
            }
            // What is checked is what the program was read for.
            let reading = Reading { property: loaded.property, ..reading };
            let source = Arc::new(loaded.program);
            let answer =
                solve_aloud(source, reading, &plan, &limits, &mut line, &mut |found| tell(Ok(found)));
            tell(Ok(answer));
        }
    };
    let found =
        host::patiently(&limits, host::GRACE, work).unwrap_or_else(|stop| Err(LoadError::Stopped(stop)));
    line.end();
    let answer = match found {
        Ok(answer) => answer,
        Err(LoadError::Rejected(rejected)) => {
            let (name, source) = (file.to_string_lossy(), rejected.source.as_deref());
            let cost = clock.cost();
            let finding = Finding::rejected(&name, reading, source, &rejected.diagnostics, &cost);
            if args.github {
                host::print(|out| write!(out, "{}", github::text(&finding)))?;
            }
            findings.push(finding);
            diag::report(&rejected);
            return Err(Code::Usage);
        }
        Err(LoadError::Stopped(stop)) => {
            let finding = Finding::stopped(&file.to_string_lossy(), reading, stop, &clock.cost());
            tell_stopped(file, args, reading, talk, stop, &clock, &finding)?;
            findings.push(finding);
            return Ok(Code::Unknown);
        }
    };
    if let Some(path) = &args.witness {
        write_witness(path, file, &answer, &limits)?;
    }
    if let Some(path) = &args.harness {
        write_harness(path, file, &answer, talk, &limits)?;
    }
    if let Some(folder) = &args.report {
        write_page(folder, file, &answer, &clock)?;
    }
    if let Some(album) = album {
        album.close(talk)?;
    }
    let finding = Finding::of(&file.to_string_lossy(), &answer, &clock.cost());
    tell(file, args, talk, &answer, &clock, &finding)?;
    findings.push(finding);
    Ok(match &answer.verdict {
        Verdict::Safe(..) => Code::Safe,
        Verdict::Unsafe(..) => Code::Unsafe,
        Verdict::Unknown(_) => Code::Unknown,
    })
}

/// The limit came before there was anything to tell.
fn tell_stopped(
    file: &Path,
    args: &Check,
    reading: &Reading,
    talk: Talk,
    stop: Stop,
    clock: &host::Clock,
    finding: &Finding,
) -> Result<(), Code> {
    host::print(|out| {
        if args.github {
            return write!(out, "{}", github::text(finding));
        }
        if args.json {
            let record = Record::stopped(&file.to_string_lossy(), reading, stop, &clock.cost());
            serde_json::to_writer(&mut *out, &record)?;
            return out.write_all(b"\n");
        }
        write_name(out, file, args, talk)?;
        match args.svcomp {
            true => writeln!(out, "UNKNOWN"),
            false => writeln!(out, "UNKNOWN ({stop})"),
        }
    })
}

/// One of several files is named above what is told of it.
fn write_name(out: &mut dyn Write, file: &Path, args: &Check, talk: Talk) -> io::Result<()> {
    if args.files.len() > 1 && talk > Talk::Quiet {
        writeln!(out, "{}:", file.display())?;
    }
    Ok(())
}

fn write_witness(path: &Path, file: &Path, answer: &Answer, limits: &Budget) -> Result<(), Code> {
    let text = match exchange::is_yaml(path) || exchange::is_graphml(path) {
        true => exchange::text(path, file, answer, limits)?,
        false => {
            let name = file.to_string_lossy();
            witness::of_answer(&name, &answer.reading, answer).map(|witness| witness.to_text())
        }
    };
    let Some(text) = text else { return Ok(()) };
    std::fs::write(path, text).map_err(|e| {
        host::eprint(&format!("error: the witness cannot be written to {}: {e}", path.display()));
        Code::Usage
    })
}

/// Only UNSAFE has one.
fn write_harness(path: &Path, file: &Path, answer: &Answer, talk: Talk, limits: &Budget) -> Result<(), Code> {
    let made = match harness(answer, file, path, limits) {
        Ok(made) => made,
        Err(NoHarness::NotUnsafe) => return Ok(()),
        Err(why) => {
            host::eprint(&format!("note: there is no harness: {}", why.words()));
            return Ok(());
        }
    };
    if !made.missing.is_empty() && talk > Talk::Quiet {
        host::eprint(&format!("note: the harness does not give: {}", made.missing.join(", ")));
    }
    std::fs::write(path, made.text).map_err(|e| {
        host::eprint(&format!("error: the harness cannot be written to {}: {e}", path.display()));
        Code::Usage
    })
}

/// The page `NAME.html` about the program.
fn write_page(folder: &Path, file: &Path, answer: &Answer, clock: &host::Clock) -> Result<(), Code> {
    let name = file.file_name().map_or("program".into(), |name| name.to_string_lossy().into_owned());
    // A preprocessed text has the lines of other files; which, its markers say.
    let preprocessed = file.extension().is_some_and(|kind| kind == "i");
    let text = if preprocessed { None } else { std::fs::read_to_string(file).ok() };
    let page = page(&file.to_string_lossy(), text.as_deref(), answer, &clock.cost());
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(format!("{name}.html")), page))
        .map_err(|e| {
            host::eprint(&format!("error: the page cannot be written to {}: {e}", folder.display()));
            Code::Usage
        })
}

fn tell(
    file: &Path,
    args: &Check,
    talk: Talk,
    answer: &Answer,
    clock: &host::Clock,
    finding: &Finding,
) -> Result<(), Code> {
    let all = talk >= Talk::Verbose;
    if all {
        host::eprint(text::attempts(answer).trim_end());
    }
    if args.json {
        let record = Record::new(&file.to_string_lossy(), answer, &clock.cost(), all);
        return host::print(|out| {
            serde_json::to_writer(&mut *out, &record)?;
            out.write_all(b"\n")
        });
    }
    if args.github {
        return host::print(|out| write!(out, "{}", github::text(finding)));
    }
    if talk > Talk::Quiet
        && let Verdict::Unknown(why) = &answer.verdict
        && let Some(note) = reason::note(why)
    {
        diag::print(&note, Some(&answer.source.source));
    }
    host::print(|out| {
        write_name(out, file, args, talk)?;
        if talk > Talk::Quiet && !args.svcomp {
            write!(out, "{}", text::evidence(answer, all))?;
        }
        if args.stats {
            write!(out, "{}", text::stats(answer, &clock.cost()))?;
        }
        match args.svcomp {
            true => writeln!(out, "{}", text::svcomp(answer)),
            false => writeln!(out, "{}", text::verdict(answer)),
        }
    })
}

/// The folder of `--dot`.
#[derive(Clone)]
struct Album {
    folder: PathBuf,
    /// Files so far, or why there is one that could not be written.
    written: Arc<Mutex<io::Result<usize>>>,
}

impl Album {
    fn new(folder: &Path) -> Result<Album, Code> {
        let album = Album { folder: folder.to_path_buf(), written: Arc::new(Mutex::new(Ok(0))) };
        std::fs::create_dir_all(folder).map_err(|e| album.fails(&e))?;
        Ok(album)
    }

    fn fails(&self, error: &io::Error) -> Code {
        host::eprint(&format!("error: pictures cannot be written to {}: {error}", self.folder.display()));
        Code::Usage
    }

    fn add(&self, name: &str, kind: &str, text: &dyn Fn() -> String) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(count) = &mut *written {
            match std::fs::write(self.folder.join(name).with_extension(kind), text()) {
                Ok(()) => *count += 1,
                Err(error) => *written = Err(error),
            }
        }
    }

    fn close(&self, talk: Talk) -> Result<(), Code> {
        match &*self.written.lock().unwrap_or_else(PoisonError::into_inner) {
            Ok(0) if talk > Talk::Quiet => {
                host::eprint("note: nothing was drawn: no engine has refined anything");
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => Err(self.fails(error)),
        }
    }
}

/// One line on a terminal that says how far the work is.
#[derive(Clone)]
struct ProgressLine {
    bar: Option<ProgressBar>,
    /// Print what engines find on the way.
    details: bool,
    album: Option<Album>,
}

impl ProgressLine {
    fn new(talk: Talk, quiet: bool, album: Option<Album>) -> Self {
        if quiet || talk == Talk::Quiet {
            return ProgressLine { bar: None, details: false, album };
        }
        // Hidden by itself where no terminal is.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(120));
        ProgressLine { bar: Some(bar), details: talk == Talk::Everything, album }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}, {} solver calls", progress.phase, progress.solver_calls));
        }
    }

    fn detail(&mut self, text: &dyn Fn() -> String) {
        if let (Some(bar), true) = (&self.bar, self.details) {
            bar.suspend(|| host::eprint(&text()));
        }
    }

    fn picture(&mut self, name: &str, dot: &dyn Fn() -> String) {
        if let Some(album) = &self.album {
            album.add(name, "dot", dot);
        }
    }

    fn script(&mut self, name: &str, text: &dyn Fn() -> String) {
        if let Some(album) = &self.album {
            album.add(name, "smt2", text);
        }
    }
}
