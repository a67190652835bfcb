//! `craig check`: the verdict on programs.

use crate::args::{self, Check, Talk};
use crate::code::Code;
use crate::strategy::{Answer, Plan, solve};
use crate::{diag, host, input};
use craig_base::{Budget, Diagnostic};
use craig_cfa::Program;
use craig_engine::arg::SearchOrder;
use craig_engine::blocks::Blocks;
use craig_engine::precision::Scope;
use craig_engine::refine::Method;
use craig_engine::run::{Observer, Progress};
use craig_engine::{impact, predicate, slicing};
use craig_frontend::Property;
use craig_report::json::{CertificateRecord, Record, ReplayRecord, number, round};
use craig_report::text;
use craig_verdict::witness::{Claim, Witness};
use craig_verdict::{Checked, Proof, Reason, Verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(args: &Check, talk: Talk, budget: &Budget) -> Code {
    if args.witness.is_some() && args.files.len() > 1 {
        host::eprint("error: a witness belongs to one program: --witness takes one FILE");
        return Code::Usage;
    }
    let mut worst = Code::Safe;
    for file in &args.files {
        let code = one(file, args, talk, budget);
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
    worst
}

fn one(file: &Path, args: &Check, talk: Talk, budget: &Budget) -> Code {
    let started = Instant::now();
    let source = match input::load(file, &args.reading) {
        Ok(source) => source,
        Err(code) => return code,
    };
    let plan = Plan {
        engine: args.engine,
        predicate: predicate_options(&args.tuning),
        slicing: slicing_options(&args.tuning),
        impact: impact_options(&args.tuning),
        arith: args.arith,
        signed_wrap: args.signed_wrap,
        inline_limit: args.inline_limit,
    };
    let limits = budget.with_time(args.time_limit).with_memory(args.memory_limit);
    let mut line = ProgressLine::new(talk, args.json);
    let answer = solve(&source, &plan, &limits, &mut line);
    line.end();
    if let Some(path) = &args.witness
        && let Err(code) = write_witness(path, file, args, &answer)
    {
        return code;
    }
    let told = match args.json {
        true => json(file, args, &source, &answer, started),
        false => people(file, args, talk, &source, &answer, started),
    };
    match (told, &answer.verdict) {
        (Err(code), _) => code,
        (Ok(()), Verdict::Safe(..)) => Code::Safe,
        (Ok(()), Verdict::Unsafe(..)) => Code::Unsafe,
        (Ok(()), Verdict::Unknown(_)) => Code::Unknown,
    }
}

fn predicate_options(args: &args::Tuning) -> predicate::Options {
    predicate::Options {
        blocks: blocks(args),
        abstraction: match args.abstraction {
            args::Abstraction::Cartesian => predicate::Kind::Cartesian,
            args::Abstraction::Boolean => predicate::Kind::Boolean,
        },
        precision: match args.precision {
            args::Precision::Location => Scope::Location,
            args::Precision::Procedure => Scope::Procedure,
            args::Precision::Global => Scope::Global,
        },
        order: order(args),
        interpolation: interpolation(args),
    }
}

fn slicing_options(args: &args::Tuning) -> slicing::Options {
    slicing::Options { blocks: blocks(args), interpolation: interpolation(args) }
}

fn impact_options(args: &args::Tuning) -> impact::Options {
    let (blocks, order, interpolation) = (blocks(args), order(args), interpolation(args));
    impact::Options { blocks, order, interpolation, ..impact::Options::default() }
}

fn order(args: &args::Tuning) -> SearchOrder {
    match args.order {
        args::Order::Bfs => SearchOrder::Bfs,
        args::Order::Dfs => SearchOrder::Dfs,
        args::Order::Topological => SearchOrder::Topological,
    }
}

fn blocks(args: &args::Tuning) -> Blocks {
    match args.blocks {
        args::AbstractionBlocks::Single => Blocks::Single,
        args::AbstractionBlocks::Large => Blocks::Large,
        args::AbstractionBlocks::Adjustable => Blocks::Adjustable(args.block_end),
    }
}

fn interpolation(args: &args::Tuning) -> Option<Method> {
    match args.interpolation {
        args::Interpolation::Layers => None,
        args::Interpolation::Farkas => Some(Method::Farkas),
        args::Interpolation::Spacer => Some(Method::Spacer),
        args::Interpolation::Strongest => Some(Method::Strongest),
        args::Interpolation::Weakest => Some(Method::Weakest),
    }
}

fn write_witness(path: &Path, file: &Path, args: &Check, answer: &Answer) -> Result<(), Code> {
    let claim = match &answer.verdict {
        Verdict::Safe(certificate, _) => Claim::Safe { certificate: certificate.clone() },
        Verdict::Unsafe(violation, _) => Claim::Unsafe { violation: violation.clone() },
        Verdict::Unknown(_) => return Ok(()),
    };
    let reading = input::recorded(&args.reading, args.signed_wrap)?;
    let witness = Witness::new(&file.to_string_lossy(), reading, claim);
    std::fs::write(path, witness.to_text()).map_err(|e| {
        host::eprint(&format!("error: the witness cannot be written to {}: {e}", path.display()));
        Code::Usage
    })
}

/// The object for tools.
fn json(file: &Path, args: &Check, source: &Program, answer: &Answer, started: Instant) -> Result<(), Code> {
    let usage = host::usage();
    let mut record = Record {
        file: file.to_string_lossy().into_owned(),
        verdict: answer.verdict.name(),
        property: property_name(args),
        engine: answer.engine.into(),
        arith: answer.arith.name(),
        wall_s: round(started.elapsed().as_secs_f64()),
        cpu_s: round(usage.cpu.as_secs_f64()),
        max_rss_mb: round(usage.peak_bytes as f64 / 1e6),
        externs: answer.externs.iter().map(ToString::to_string).collect(),
        ..Record::default()
    };
    for &(name, value) in &answer.stats.counters {
        record.stats.insert(name.into(), number(value));
    }
    match &answer.verdict {
        Verdict::Safe(certificate, checked) => {
            record.vacuous = answer.vacuous;
            record.assumes_no_overflow_at = overflow_lines(source, checked);
            record.certificate = Some(CertificateRecord {
                checked: true,
                kind: match certificate.proof {
                    Proof::Unwinding => "unwinding",
                    Proof::Invariants(_) => "invariants",
                },
                locations: checked.locations,
                solver_calls: checked.solver_calls,
            });
        }
        Verdict::Unsafe(_, run) => {
            let values = text::nondet_values(source, run);
            record.replay = Some(ReplayRecord { ok: true, steps: run.steps, values });
        }
        Verdict::Unknown(reason) => record.reason = Some(reason_text(source, reason)),
    }
    host::print(|out| {
        serde_json::to_writer(&mut *out, &record)?;
        out.write_all(b"\n")
    })
}

fn property_name(args: &Check) -> String {
    match input::options(&args.reading).map(|o| o.property) {
        Ok(Property::NoOverflow) => "no-overflow".into(),
        Ok(Property::Label(label)) => format!("error-label {label}"),
        _ => "unreach-call".into(),
    }
}

/// The reason with its place.
fn reason_text(source: &Program, reason: &Reason) -> String {
    match reason {
        Reason::Unsupported(_, span) | Reason::NotReplayed(_, Some(span)) if span.end > span.start => {
            format!("{reason}, line {}", source.source.line(*span))
        }
        _ => reason.to_string(),
    }
}

fn overflow_lines(source: &Program, checked: &Checked) -> Vec<u32> {
    let lines: BTreeSet<u32> = checked.may_overflow.iter().map(|span| source.source.line(*span)).collect();
    lines.into_iter().collect()
}

/// Text for people; the last line is the verdict.
fn people(
    file: &Path,
    args: &Check,
    talk: Talk,
    source: &Program,
    answer: &Answer,
    started: Instant,
) -> Result<(), Code> {
    if args.files.len() > 1 && talk > Talk::Quiet {
        host::print(|out| writeln!(out, "{}:", file.display()))?;
    }
    if let Verdict::Unknown(reason) = &answer.verdict
        && talk > Talk::Quiet
    {
        tell_reason(source, reason);
    }
    host::print(|out| {
        if talk > Talk::Quiet && !args.svcomp {
            match &answer.verdict {
                Verdict::Safe(certificate, checked) => {
                    proof(out, source, answer, &certificate.proof, checked)?
                }
                Verdict::Unsafe(_, run) => {
                    writeln!(out, "Counterexample of {} steps, replayed by the interpreter:", run.steps)?;
                    write!(out, "{}", text::counterexample(source, run, talk >= Talk::Verbose))?;
                }
                Verdict::Unknown(_) => {}
            }
        }
        if args.stats {
            stats(out, answer, started)?;
        }
        match (&answer.verdict, args.svcomp) {
            (Verdict::Unknown(reason), false) => writeln!(out, "UNKNOWN ({})", reason_text(source, reason)),
            (Verdict::Safe(..), true) => writeln!(out, "TRUE"),
            (Verdict::Unsafe(..), true) => writeln!(out, "FALSE({})", property_name(args)),
            (verdict, _) => writeln!(out, "{}", verdict.name()),
        }
    })
}

fn proof(
    out: &mut dyn Write,
    source: &Program,
    answer: &Answer,
    proof: &Proof,
    checked: &Checked,
) -> io::Result<()> {
    match proof {
        _ if answer.vacuous => writeln!(out, "Nothing leads to the error (checked)."),
        Proof::Unwinding => {
            writeln!(out, "All runs end without error: loops unwound to their end (checked).")
        }
        Proof::Invariants(found) if found.invariants.is_empty() => {
            writeln!(out, "No path leads to the error (checked).")
        }
        Proof::Invariants(found) => {
            let count = found.invariants.len();
            let word = if count == 1 { "invariant" } else { "invariants" };
            writeln!(out, "Proof with {count} {word} (checked):")?;
            write!(out, "{}", text::invariants(found))
        }
    }?;
    let lines = overflow_lines(source, checked);
    if !lines.is_empty() {
        writeln!(out, "Assuming no signed overflow at {}.", lines_text(&lines))?;
    }
    if !answer.externs.is_empty() {
        let names: Vec<&str> = answer.externs.iter().map(|name| &**name).collect();
        writeln!(out, "Functions without body return any value and change nothing: {}.", names.join(", "))?;
    }
    Ok(())
}

/// Numbers of lines that are listed.
const LINES: usize = 12;

fn lines_text(lines: &[u32]) -> String {
    let listed: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    match lines.len().checked_sub(LINES).filter(|n| *n > 0) {
        Some(more) => format!("{word} {} and {more} more", listed.join(", ")),
        None => format!("{word} {}", listed.join(", ")),
    }
}

fn stats(out: &mut dyn Write, answer: &Answer, started: Instant) -> io::Result<()> {
    let usage = host::usage();
    writeln!(out, "engine            {}", answer.engine)?;
    writeln!(out, "arithmetic        {}", answer.arith.name())?;
    for &(name, value) in &answer.stats.counters {
        writeln!(out, "{name:<17} {}", number(value))?;
    }
    if let Verdict::Safe(_, checked) = &answer.verdict {
        writeln!(out, "checker_calls     {}", checked.solver_calls)?;
    }
    writeln!(out, "wall_s            {:.3}", started.elapsed().as_secs_f64())?;
    writeln!(out, "cpu_s             {:.3}", usage.cpu.as_secs_f64())?;
    writeln!(out, "max_rss_mb        {:.1}", usage.peak_bytes as f64 / 1e6)
}

/// Where it ended, if the reason has a place.
fn tell_reason(source: &Program, reason: &Reason) {
    let (message, span) = match reason {
        Reason::Unsupported(what, span) => (format!("a path needs what is not modelled: {what}"), *span),
        Reason::NotReplayed(what, Some(span)) => {
            (format!("the path found is no execution of the program: {what}"), *span)
        }
        _ => return,
    };
    if span.end > span.start {
        diag::print(&Diagnostic::note(message).at(span), Some(&source.source));
    }
}

/// One line on a terminal that says how far the work is.
struct ProgressLine {
    bar: Option<ProgressBar>,
    /// Print what engines find on the way.
    details: bool,
}

impl ProgressLine {
    fn new(talk: Talk, quiet: bool) -> Self {
        if quiet || talk == Talk::Quiet {
            return ProgressLine { bar: None, details: false };
        }
        // Hidden by itself where no terminal is.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(120));
        ProgressLine { bar: Some(bar), details: talk == Talk::Everything }
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
}
