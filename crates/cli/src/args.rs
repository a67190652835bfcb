//! The command line.

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use craig_cfa::{BlockEnd, Blocks};
use craig_engine::Selection;
use craig_engine::options::{BlockKind, BlockOptions};
use craig_frontend::{Externs, Loops, Overflow};
use craig_solve::{Arithmetic, Checking};
use std::path::PathBuf;
use std::time::Duration;

const EXIT_CODES: &str = "\
Exit codes:
  0  SAFE; for commands without a verdict: done
  1  UNSAFE
  2  UNKNOWN: could not be decided or finished; the message says why
  3  bad usage, or input that cannot be read as a program";

const CHECK_EXIT_CODES: &str = "\
Exit codes (of several files the worst: 3, then 1, then 2):
  0  SAFE
  1  UNSAFE
  2  UNKNOWN; the reason stands in the last line
  3  bad usage, or input that cannot be read as a program";

const RUN_EXIT_CODES: &str = "\
Exit codes (not the program's own status, which stands on stderr):
  0  the program ended: it returned, exited, aborted, or an assumption did not hold
  1  the error was reached
  2  could not be decided: undefined behaviour, a limit, something not modelled
  3  bad usage, or input that cannot be read as a program";

const BENCH_EXAMPLES: &str = "\
Examples:
  craig bench sets/dev.tsv                                     a whole set, results in out/bench-dev
  craig bench sets/dev.tsv --limit 20 --time-limit 5s          a quick look at some of it
  craig bench sets/*.tsv --out out/large -- --blocks large     several sets, with options of `craig check`
  craig bench --compare out/single out/large                   what that changed: tables and a scatter plot
  craig bench --frontend sets/dev.tsv                          figures of the front end";

const BENCH_EXIT_CODES: &str = "\
Exit codes:
  0  done: no wrong verdict, no verdict without evidence, no crash
  1  done, but one of these occurred; with --compare: the runs contradict each other
  2  could not be finished; with --frontend: a task broke or ran out of time
  3  bad usage, or a set or file of results that cannot be read";

const EXAMPLES: &str = "\
Examples:
  craig check prog.c                    SAFE with a checked proof, UNSAFE with an execution, or UNKNOWN
  craig check prog.c --json --stats     ... as one JSON object
  craig check prog.c --witness w.json   ... and keep the proof or the execution in a file
  craig check-witness prog.c --witness w.json
  craig cfa prog.c                      the control-flow automaton of a program, as text
  craig cfa prog.c --dot | dot -Tsvg    ... as a picture
  craig cfa prog.c --blocks large       ... with large blocks
  craig run prog.c --values 3,-1        execute it; __VERIFIER_nondet_* give 3, then -1
  craig run prog.c --seed 7             ... with random values
  craig bench sets/dev.tsv              verdicts, score and cost over a set of tasks
  craig explain recursion               what a reason, an assumption or a verdict means
  craig completions bash                completions for a shell
  craig help cfa                        all options of a command";

/// Craig, a software model checker
///
/// Reads a program and a safety property. Every command takes C (`.c` files go through the system's preprocessor, `.i` files are
/// taken as they are) and Boogie (`.bpl`).
#[derive(Debug, Parser)]
#[command(name = "craig", version, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Say more (every attempt of an engine, long counterexamples as a whole); twice: what engines find on the way
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", display_order = 100)]
    verbose: u8,

    /// Say nothing but results and errors
    #[arg(short, long, global = true, display_order = 101)]
    quiet: bool,
}

/// How much is said on stderr beyond results and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    Quiet,
    Normal,
    Verbose,
    Everything,
}

impl Cli {
    pub fn talk(&self) -> Talk {
        match (self.quiet, self.verbose) {
            (true, _) => Talk::Quiet,
            (false, 0) => Talk::Normal,
            (false, 1) => Talk::Verbose,
            _ => Talk::Everything,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide whether a program can reach its error
    ///
    /// The last line is the verdict: SAFE with a proof that an independent checker accepted, UNSAFE with an execution that the
    /// interpreter replayed, or UNKNOWN with the reason.
    #[command(after_help = CHECK_EXIT_CODES)]
    Check(Check),
    /// Check a proof or replay an execution that was written with --witness
    ///
    /// A witness in the format 2.0 of SV-COMP (`.yml`, `.yaml`) may come from any tool. Its invariants are accepted if they hold and the program is
    /// safe: the checker takes them for a proof, or engines find one within the limits. Its waypoints are accepted if a run along them reaches the error.
    #[command(after_help = CHECK_EXIT_CODES)]
    CheckWitness(CheckWitness),
    /// Show the control-flow automaton of a program
    Cfa(Cfa),
    /// Execute a program with the interpreter
    ///
    /// Bit-precise and with memory. Undefined behaviour (overflow, access out of bounds, ...) ends the run and is named. What the
    /// program prints goes to stdout; how it ended, with its own exit status, goes to stderr.
    #[command(after_help = RUN_EXIT_CODES)]
    Run(Run),
    /// Measure over sets of tasks
    ///
    /// Runs `craig check --json` on every task of the sets, each in a process of its own under limits, compares the verdicts with those on
    /// record and prints a summary: correct, wrong, unknown by reason, score. `results.jsonl` in the folder of results gets a line as soon as a
    /// task has ended; after Ctrl-C the same command goes on where it stopped. `summary.md` has the tables, `tasks.md` a line for each task.
    #[command(after_help = format!("{BENCH_EXAMPLES}\n\n{BENCH_EXIT_CODES}"))]
    Bench(Bench),
    /// Say what a verdict, a reason of UNKNOWN, an assumption or a group of options means
    Explain(Explain),
    /// Write completions for a shell to stdout
    Completions(Completions),
    /// Write manual pages, one for each command
    Man(Man),
}

#[derive(Debug, Args)]
pub struct Explain {
    /// As it stands in the answer (`not replayed`, `signed-overflow`); without it all topics are listed
    pub topic: Option<String>,
}

#[derive(Debug, Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Folder for the pages
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// What commands that read one program take.
#[derive(Debug, Args)]
pub struct Input {
    /// The program
    pub file: PathBuf,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How a program is read.
#[derive(Debug, Args)]
pub struct ReadingArgs {
    /// Property file of SV-COMP, or one of: unreach-call, no-overflow, error-label, label(NAME)
    ///
    /// Without it, a call of `reach_error` or `__VERIFIER_error` and a failed `assert` are errors; in a program that calls no such
    /// function and has a label `ERROR`, reaching that label is. In Remopla the label `error` is the error.
    #[arg(long, value_name = "FILE.prp|NAME", help_heading = "Program")]
    pub property: Option<String>,

    /// Function where runs begin [default: the property file's, else main]
    #[arg(long, value_name = "NAME", help_heading = "Program")]
    pub entry: Option<String>,

    /// Data model ILP32: int, long and pointers have 32 bits (the default)
    #[arg(long = "32", conflicts_with = "lp64", help_heading = "Program")]
    pub ilp32: bool,

    /// Data model LP64: long and pointers have 64 bits
    #[arg(long = "64", help_heading = "Program")]
    pub lp64: bool,

    /// What a function without a body does beyond returning any value of its type
    #[arg(long, value_enum, default_value_t, help_heading = "Program")]
    pub externs: Externs,

    /// Let `malloc` return null as well
    #[arg(long, help_heading = "Program")]
    pub malloc_may_fail: bool,

    /// What happens in Remopla to a value that does not fit where it is stored
    #[arg(long, value_enum, default_value_t, help_heading = "Program")]
    pub overflow: Overflow,

    /// What `do` does in Remopla when none of its conditions holds and it has no `else`
    #[arg(long = "do", value_name = "HOW", value_enum, default_value_t, help_heading = "Program")]
    pub loops: Loops,

    /// Folder where the preprocessor looks for included files
    #[arg(short = 'I', value_name = "DIR", help_heading = "Program")]
    pub include_dirs: Vec<PathBuf>,

    /// Macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Program")]
    pub defines: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The programs
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,

    #[command(flatten)]
    pub selection: Selection,

    /// How machine integers are read
    #[arg(long, value_enum, default_value_t)]
    pub arith: Arithmetic,

    /// Answer UNKNOWN instead of SAFE if the proof assumes anything
    #[arg(long)]
    pub strict: bool,

    /// Let signed overflow wrap around; otherwise it is undefined, and a proof may assume that it does not happen
    #[arg(long)]
    pub signed_wrap: bool,

    /// How the proof behind SAFE is checked
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub check: Checking,

    /// Operations after inlining at most
    #[arg(long, value_name = "N", default_value_t = craig_cfa::pass::inline::DEFAULT_LIMIT)]
    pub inline_limit: usize,

    /// Wall-clock limit for each file (`90`, `90s`, `15min`, `500ms`)
    #[arg(long, value_name = "TIME", default_value = "900s", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Duration,

    /// Limit on the processor time for each file, on top of the wall-clock limit
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub cpu_limit: Option<Duration>,

    /// Limit on the memory of the whole process (`2GB`, `500MB`)
    #[arg(long, value_name = "SIZE", default_value = "15GB", value_parser = size, help_heading = "Limits")]
    pub memory_limit: u64,

    /// Print one JSON object a file
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Print what the engine counted
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Print the verdict as SV-COMP wants it: TRUE, FALSE(PROPERTY) or UNKNOWN
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub svcomp: bool,

    /// File for the proof or the execution; `craig check-witness` reads it (one program only)
    ///
    /// `FILE.yml` or `FILE.yaml` is a witness in the format 2.0 of SV-COMP, `FILE.graphml` in its format 1.0, both for C; anything else is one of Craig's own, as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,

    /// C file that gives the program the inputs of the execution behind UNSAFE: compiled beside it by gcc (the command stands in its
    /// head), it aborts at the error (one program only)
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,

    /// File for all results in SARIF 2.1.0: verdicts, steps of counterexamples, assumptions
    #[arg(long, value_name = "FILE.sarif", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// File for all results in JUnit XML: a test case for each program
    #[arg(long, value_name = "FILE.xml", help_heading = "Output")]
    pub junit: Option<PathBuf>,

    /// Folder for a page about each program that any browser shows: the run step by step, the proof beside the source, the
    /// control-flow automaton, what engines did. It needs no network
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Print problem lines as workflows of GitHub read them, instead of text
    #[arg(long, conflicts_with_all = ["json", "svcomp"], help_heading = "Output")]
    pub github: bool,

    /// Folder for what engines refine: `pushdown` draws the counterexamples of each cycle for Graphviz, the others write the paths that they
    /// interpolate as SMT-LIB scripts (one program only)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub dot: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CheckWitness {
    #[command(flatten)]
    pub input: Input,

    /// The witness
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    /// Let signed overflow wrap around
    #[arg(long)]
    pub signed_wrap: bool,

    /// How a proof is checked
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub check: Checking,

    /// Wall-clock limit (`90`, `90s`, `15min`, `500ms`)
    #[arg(long, value_name = "TIME", default_value = "900s", value_parser = duration)]
    pub time_limit: Duration,

    /// Limit on the processor time, on top of the wall-clock limit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub cpu_limit: Option<Duration>,
}

#[derive(Debug, Args)]
pub struct Cfa {
    #[command(flatten)]
    pub input: Input,

    /// Print text (the default)
    #[arg(long, conflicts_with_all = ["dot", "summary"])]
    pub text: bool,

    /// Print a graph for Graphviz
    #[arg(long, conflicts_with = "summary")]
    pub dot: bool,

    /// Print one line of JSON: the program's size and what in it is not modelled
    #[arg(long)]
    pub summary: bool,

    #[command(flatten)]
    pub blocks: ShownBlocks,

    /// Cut away what cannot reach the error [default: on with blocks, else off]
    #[arg(long, value_enum, value_name = "SWITCH")]
    pub prune: Option<Switch>,

    /// Operations after inlining at most
    #[arg(long, value_name = "N", default_value_t = craig_cfa::pass::inline::DEFAULT_LIMIT)]
    pub inline_limit: usize,
}

/// What one edge of a picture or text is.
#[derive(Debug, Clone, Copy, Args)]
pub struct ShownBlocks {
    /// What one edge is: an operation, or a block; then calls are inlined
    #[arg(long, value_enum, value_name = "KIND", default_value = "single")]
    pub blocks: BlockKind,

    /// Where adjustable blocks end: `loop` heads, `loop+call`, or after so many operations
    #[arg(long, value_name = "WHERE", default_value_t)]
    pub block_end: BlockEnd,
}

impl ShownBlocks {
    pub fn kind(self) -> Blocks {
        BlockOptions { blocks: self.blocks, block_end: self.block_end }.kind()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub input: Input,

    /// Results of the `__VERIFIER_nondet_*` functions, in order
    #[arg(long, value_name = "1,2,3", value_delimiter = ',', allow_hyphen_values = true, value_parser = integer)]
    pub values: Vec<i128>,

    /// Random values for all else that is left open; without it they are zero
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Operations to execute at most
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// Let signed overflow wrap around; otherwise it is undefined and ends the run
    #[arg(long)]
    pub signed_wrap: bool,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// Sets of tasks: tab-separated path, expected verdict, data model; paths are relative to the folder above the set's folder
    #[arg(required_unless_present_any = ["compare", "generate"], value_name = "SET.tsv")]
    pub sets: Vec<PathBuf>,

    /// Compare earlier runs, two or more: their folders, or files of results
    #[arg(long, num_args = 2.., value_name = "RUN", conflicts_with_all = ["sets", "frontend"])]
    pub compare: Option<Vec<PathBuf>>,

    /// Write so many random programs over integers, in Boogie and C, and sets of them: random.tsv, random-c.tsv
    #[arg(long, value_name = "N", conflicts_with_all = ["sets", "frontend", "compare"])]
    pub generate: Option<u64>,

    /// The first of the seeds of the random programs
    #[arg(long, value_name = "N", default_value_t = 1, requires = "generate")]
    pub seed: u64,

    /// Measure the front end instead: which tasks become a program, what in them is not modelled, time and memory
    #[arg(long)]
    pub frontend: bool,

    /// Only tasks whose path contains this text
    #[arg(long, value_name = "TEXT", help_heading = "Tasks")]
    pub filter: Option<String>,

    /// At most so many tasks, spread evenly over the sets
    #[arg(long, value_name = "N", help_heading = "Tasks")]
    pub limit: Option<usize>,

    /// Tasks side by side [default: half of the processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Tasks")]
    pub jobs: Option<u16>,

    /// Limit on the CPU time of a task (`90`, `90s`, `15min`, `500ms`) [default: 15s; none with --frontend]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Tasks")]
    pub cpu_limit: Option<Duration>,

    /// Limit on the wall-clock time of a task [default: twice the CPU limit and 2s; 60s with --frontend]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Tasks")]
    pub time_limit: Option<Duration>,

    /// Memory limit of a task (`2GB`, `500MB`) [default: 4GB; 8GB of address space with --frontend]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Tasks")]
    pub memory_limit: Option<u64>,

    /// Measure this build of craig instead of the one that is running
    #[arg(long, value_name = "FILE", help_heading = "Tasks")]
    pub program: Option<PathBuf>,

    /// Measure a second build in the same run, each task right after or before the first: results in DIR/a and DIR/b, compared at
    /// the end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["frontend", "compare", "generate"], help_heading = "Tasks")]
    pub interleave: Option<PathBuf>,

    /// Measure with each value of an option of `craig check`, and show what each counted in one table: `--vary interpolants=weakest,both`;
    /// a value `-` leaves the option out. Given more than once, the runs of all are in the table
    #[arg(long, value_name = "OPTION=V,V", value_parser = variation, conflicts_with_all = ["frontend", "compare", "generate", "interleave"], help_heading = "Tasks")]
    pub vary: Vec<Variation>,

    /// What the table of `--vary` shows: counters of `--stats`, cpu_s, wall_s, max_rss_mb
    #[arg(
        long,
        value_name = "COUNTERS",
        value_delimiter = ',',
        default_value = "cpu_s",
        requires = "vary",
        help_heading = "Results"
    )]
    pub show: Vec<String>,

    /// Folder for the results [default: out/bench-SET, out/vary-SET, out/interleave-SET, out/compare-RUN-RUN, out/random; none with --frontend]
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub out: Option<PathBuf>,

    /// Drop the results that are in the folder already instead of continuing them
    #[arg(long, conflicts_with_all = ["frontend", "compare", "generate"], help_heading = "Results")]
    pub fresh: bool,

    /// File for a copy of what is printed
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub md: Option<PathBuf>,

    /// Options of `craig check` for every task: `-- --engine predicate --blocks large`
    #[arg(last = true, value_name = "OPTION", conflicts_with_all = ["frontend", "compare", "generate"])]
    pub options: Vec<String>,
}

/// Decimal or, after `0x`, hexadecimal, with an optional sign.
fn integer(text: &str) -> Result<i128, String> {
    let (sign, digits) = match text.trim() {
        t if t.starts_with('-') => (-1, &t[1..]),
        t => (1, t.strip_prefix('+').unwrap_or(t)),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    match i128::from_str_radix(digits, radix) {
        // No second sign.
        Ok(value) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => Ok(sign * value),
        _ => Err("an integer is expected".into()),
    }
}

/// A number with an optional unit: the number and the rest.
fn number(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let value: f64 = text[..end].parse().map_err(|_| "a number with a unit is expected".to_string())?;
    Ok((value, text[end..].trim()))
}

/// An option with several values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variation {
    /// Without its dashes.
    pub option: String,
    /// None leaves the option out.
    pub values: Vec<Option<String>>,
}

fn variation(text: &str) -> Result<Variation, String> {
    let (option, values) = text
        .split_once('=')
        .filter(|(option, values)| !option.is_empty() && !values.is_empty())
        .ok_or("an option and its values, as in blocks=single,large")?;
    let values = values.split(',').map(|value| (value != "-").then(|| value.to_string())).collect();
    Ok(Variation { option: option.trim_start_matches('-').into(), values })
}

fn duration(text: &str) -> Result<Duration, String> {
    let (value, unit) = number(text)?;
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time: ms, s, min or h")),
    };
    Duration::try_from_secs_f64(value * seconds).map_err(|_| "too long".into())
}

fn size(text: &str) -> Result<u64, String> {
    let (value, unit) = number(text)?;
    let bytes = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "KB" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        "KIB" => 1024.0,
        "MIB" => 1024.0 * 1024.0,
        "GIB" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("`{unit}` is no unit of size: B, KB, MB or GB")),
    };
    Ok((value * bytes) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn integers_are_read() {
        assert_eq!(integer("42"), Ok(42));
        assert_eq!(integer(" -0x10 "), Ok(-16));
        assert_eq!(integer("+7"), Ok(7));
        for bad in ["", "-", "--1", "+-1", "0x", "1 2", "0x-1", "-0x-1", "é", "1e3"] {
            assert!(integer(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn units_are_read() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5 min"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(size("1.5GB"), Ok(1_500_000_000));
        assert_eq!(size("2 GiB"), Ok(2 << 30));
        for bad in ["", "s", "-1s", "1 fortnight", "1e400h", "1.2.3"] {
            assert!(duration(bad).is_err() && size(bad).is_err(), "{bad}");
        }
    }
}
