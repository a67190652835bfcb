//! `craig bench`: measurements over sets of tasks, the comparison of several, and sets of random programs.

use crate::args::{Bench, Talk, Variation};
use crate::code::Code;
use crate::host;
use craig_base::Budget;
use craig_bench::compare::Comparison;
use craig_bench::programs::Programs;
use craig_bench::summary::Summary;
use craig_bench::sweep::{self, SweepError, Target};
use craig_bench::{Limits, Results, Set, frontend, generate, task, variants};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn run(args: &Bench, talk: Talk, budget: &Budget) -> Code {
    let result = match (&args.compare, args.generate) {
        (Some(runs), _) => {
            let names = runs.iter().map(|run| run_name(run)).collect::<Vec<_>>().join("-");
            let out = args.out.clone().unwrap_or_else(|| format!("out/compare-{names}").into());
            compare(args, runs, &out, talk)
        }
        (None, Some(count)) => generate(args, count, talk),
        (None, None) if args.frontend => measure_frontend(args, talk, budget),
        (None, None) => sweep(args, talk, budget),
    };
    match result {
        Ok(code) | Err(code) => code,
    }
}

fn sweep(args: &Bench, talk: Talk, budget: &Budget) -> Result<Code, Code> {
    let sets = sets(args)?;
    let cpu = args.cpu_limit.unwrap_or(Duration::from_secs(15));
    let config = sweep::Config {
        jobs: jobs(args),
        cpu,
        time: args.time_limit.unwrap_or(2 * cpu + Duration::from_secs(2)),
        memory: args.memory_limit.unwrap_or(4_000_000_000),
        options: args.options.clone(),
        fresh: args.fresh,
        progress: talk > Talk::Quiet,
        budget: budget.clone(),
    };
    let names = sets.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("+");
    let kind = match (&args.interleave, &args.vary[..]) {
        (Some(_), _) => "interleave",
        (None, []) => "bench",
        (None, _) => "vary",
    };
    let out = args.out.clone().unwrap_or_else(|| format!("out/{kind}-{names}").into());
    let program = program(args)?;
    if !args.vary.is_empty() {
        return vary(args, &sets, &program, &out, config, talk);
    }
    let Some(other) = &args.interleave else {
        let target = Target { program, out };
        let summary = sweep::sweep(&sets, &target, &config).map_err(fail_sweep)?;
        show(args, &summary.short())?;
        write_summary(&summary, &target.out, talk)?;
        return Ok(judge(&[summary]));
    };
    let targets =
        [Target { program, out: out.join("a") }, Target { program: absolute(other)?, out: out.join("b") }];
    let summaries = sweep::interleave(&sets, [&targets[0], &targets[1]], &config).map_err(fail_sweep)?;
    for (summary, target) in summaries.iter().zip(&targets) {
        write_summary(summary, &target.out, talk)?;
    }
    let compared = compare(args, &targets.map(|t| t.out), &out, talk)?;
    Ok(if compared == Code::DONE { judge(&summaries) } else { compared })
}

/// One run for each value of the options that vary.
fn vary(
    args: &Bench,
    sets: &[Set],
    program: &Path,
    out: &Path,
    config: sweep::Config,
    talk: Talk,
) -> Result<Code, Code> {
    let (mut names, mut results, mut summaries) = (Vec::new(), Vec::new(), Vec::new());
    for Variation { option, values } in &args.vary {
        for value in values {
            let name = match value {
                Some(value) if args.vary.len() == 1 => value.clone(),
                Some(value) => format!("{option} {value}"),
                None => "default".into(),
            };
            let mut options = args.options.clone();
            options.extend(value.iter().flat_map(|value| [format!("--{option}"), value.clone()]));
            let folder = name.replace(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c), "-");
            let target = Target { program: program.into(), out: out.join(folder) };
            tell(talk, &format!("{name}:"));
            let summary = sweep::sweep(sets, &target, &sweep::Config { options, ..config.clone() })
                .map_err(fail_sweep)?;
            write_summary(&summary, &target.out, talk)?;
            results.push(Results::read(&target.out).map_err(fail)?);
            names.push(name);
            summaries.push(summary);
        }
    }
    let table = variants::to_markdown(&names, &results, &args.show);
    show(args, &table)?;
    write(&out.join("variants.md"), &table)?;
    tell(talk, &format!("written: variants.md in {}", out.display()));
    Ok(judge(&summaries))
}

fn write_summary(summary: &Summary, out: &Path, talk: Talk) -> Result<(), Code> {
    write(&out.join("summary.md"), &summary.to_markdown())?;
    write(&out.join("tasks.md"), &summary.tasks_to_markdown())?;
    tell(talk, &format!("written: summary.md, tasks.md and results.jsonl in {}", out.display()));
    Ok(())
}

fn judge(summaries: &[Summary]) -> Code {
    if !summaries.iter().all(Summary::is_clean) {
        Code::Unsafe
    } else if !summaries.iter().all(Summary::is_complete) {
        Code::Unknown
    } else {
        Code::DONE
    }
}

fn fail_sweep(failure: SweepError) -> Code {
    match failure {
        SweepError::Input(message) => fail(message),
        SweepError::Run(message) => {
            fail(message);
            Code::Unknown
        }
    }
}

fn generate(args: &Bench, count: u64, talk: Talk) -> Result<Code, Code> {
    let out = args.out.clone().unwrap_or_else(|| "out/random".into());
    generate::write(&out, args.seed, count).map_err(fail)?;
    let sets = generate::SETS.map(|(file, _)| file).join(" and ");
    tell(talk, &format!("written: {count} programs in Boogie and C, {sets} in {}", out.display()));
    Ok(Code::DONE)
}

/// Program by program; where there are two runs also in more detail.
fn compare(args: &Bench, runs: &[PathBuf], out: &Path, talk: Talk) -> Result<Code, Code> {
    let names: Vec<String> = runs.iter().map(|run| run_name(run)).collect();
    let sides: Vec<Results> =
        runs.iter().map(|run| Results::read(run)).collect::<Result<_, _>>().map_err(fail)?;
    std::fs::create_dir_all(out).map_err(|e| fail(format!("cannot write {}: {e}", out.display())))?;
    let pairs = (0..sides.len()).flat_map(|a| (a + 1..sides.len()).map(move |b| [a, b]));
    let pairs: Vec<Comparison> = pairs
        .map(|[a, b]| Comparison::new([names[a].clone(), names[b].clone()], &sides[a], &sides[b]))
        .collect();
    let programs = Programs::new(names, &sides);
    let picture = "![Size, verdicts, refinements and time of each program](figures.svg)";
    write(&out.join("programs.md"), &format!("{}\n{picture}\n", programs.to_markdown()))?;
    write(&out.join("figures.svg"), &programs.to_svg())?;
    let mut written = "programs.md and figures.svg".to_string();
    if let [only] = pairs.as_slice() {
        let text = only.to_markdown();
        write(&out.join("compare.md"), &format!("{text}\n![CPU time, A against B](scatter.svg)\n"))?;
        write(&out.join("scatter.svg"), &only.to_svg())?;
        written = format!("compare.md, scatter.svg, {written}");
        show(args, &text)?;
    } else {
        let contradictions: Vec<String> =
            pairs.iter().filter_map(Comparison::contradictions_to_markdown).collect();
        show(args, &[&[programs.totals()], contradictions.as_slice()].concat().join("\n"))?;
    }
    tell(talk, &format!("written: {written} in {}", out.display()));
    let contradict = pairs.iter().any(Comparison::has_contradictions);
    Ok(if contradict { Code::Unsafe } else { Code::DONE })
}

/// What a run is called in tables: its folder's name without the `bench-` of default names.
fn run_name(path: &Path) -> String {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    let name = folder.and_then(Path::file_name).or(path.file_stem()).unwrap_or_default().to_string_lossy();
    name.strip_prefix("bench-").unwrap_or(&name).to_string()
}

fn measure_frontend(args: &Bench, talk: Talk, budget: &Budget) -> Result<Code, Code> {
    let sets = sets(args)?;
    let config = frontend::Config {
        program: program(args)?,
        jobs: jobs(args),
        limits: Limits {
            wall: Some(args.time_limit.unwrap_or(Duration::from_secs(60))),
            cpu: args.cpu_limit,
            memory: Some(args.memory_limit.unwrap_or(8_000_000_000)),
            ..Limits::default()
        },
        out: args.out.clone(),
        progress: talk > Talk::Quiet,
        budget: budget.clone(),
    };
    let figures =
        frontend::measure(&sets, &config).map_err(|e| fail(format!("the measurement stopped: {e}")))?;
    show(args, &figures.to_markdown())?;
    Ok(if figures.is_clean() && !figures.cancelled { Code::DONE } else { Code::Unknown })
}

/// The tasks that are asked for.
fn sets(args: &Bench) -> Result<Vec<Set>, Code> {
    let sets: Vec<Set> = args.sets.iter().map(|s| Set::read(s)).collect::<Result<_, _>>().map_err(fail)?;
    Ok(task::select(sets, args.filter.as_deref(), args.limit))
}

fn jobs(args: &Bench) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    args.jobs.map_or((processors / 2).max(1), usize::from)
}

/// The `craig` to measure. On Linux this very one, even when a newer build takes its place meanwhile.
fn program(args: &Bench) -> Result<PathBuf, Code> {
    if let Some(program) = &args.program {
        return absolute(program);
    }
    let running = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    if running.exists() {
        return Ok(running);
    }
    std::env::current_exe().map_err(|e| fail(format!("cannot find this program's own file: {e}")))
}

/// Without a folder in front a program would be looked for on the PATH.
fn absolute(program: &Path) -> Result<PathBuf, Code> {
    std::path::absolute(program).map_err(|e| fail(format!("{}: {e}", program.display())))
}

/// Prints the text, and copies it where asked to.
fn show(args: &Bench, text: &str) -> Result<(), Code> {
    if let Some(file) = &args.md {
        write(file, text)?;
    }
    host::print(|out| out.write_all(text.as_bytes()))
}

fn write(file: &Path, text: &str) -> Result<(), Code> {
    std::fs::write(file, text).map_err(|e| fail(format!("cannot write {}: {e}", file.display())))
}

fn tell(talk: Talk, line: &str) {
    if talk > Talk::Quiet {
        host::eprint(line);
    }
}

/// Says what is wrong; the code for it.
fn fail(message: String) -> Code {
    host::eprint(&format!("error: {message}"));
    Code::Usage
}
