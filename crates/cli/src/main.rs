//! The `craig` program.
//!
//! | module | holds |
//! |---|---|
//! | [`args`] | the command line as types; what `--help` says |
//! | [`input`] | from arguments to a loaded program, properties included |
//! | [`check`], [`witness`], [`cfa`], [`run`], [`mod@bench`] | one subcommand each |
//! | [`explain`], [`shell`] | what the words of an answer mean; completions and manual pages |
//! | [`exchange`] | witnesses in the format of SV-COMP |
//! | [`diag`] | diagnostics with the user's source line underlined |
//! | [`host`] | the frame of every command: big stack, panics, Ctrl-C, closed pipes |
//! | [`code`] | exit codes |

mod args;
mod bench;
mod cfa;
mod check;
mod code;
mod diag;
mod exchange;
mod explain;
mod host;
mod input;
mod run;
mod shell;
mod witness;

use clap::Parser;
use code::Code;
use craig_base::Budget;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    craig_smt::keep_freed_memory();
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            let _ = message.print();
            let wanted = !message.use_stderr();
            return if wanted { ExitCode::SUCCESS } else { Code::Usage.into() };
        }
    };
    let budget = host::cancelled_by_ctrl_c();
    let talk = cli.talk();
    let code = host::guarded(move || match cli.command {
        args::Command::Check(args) => check::run(&args, talk, &budget),
        args::Command::CheckWitness(args) => witness::run(args, talk, &budget),
        args::Command::Cfa(args) => without_limits(&budget, host::GRACE, move |b| cfa::run(&args, talk, b)),
        args::Command::Run(args) => without_limits(&budget, host::GRACE, move |b| run::run(&args, talk, b)),
        args::Command::Explain(args) => explain::run(&args),
        args::Command::Completions(args) => shell::completions(&args),
        args::Command::Man(args) => shell::man(&args),
        args::Command::Bench(args) => {
            without_limits(&budget, BENCH_GRACE, move |b| bench::run(&args, talk, b))
        }
    });
    host::exit(code)
}

/// Results are written and other processes ended after Ctrl-C.
const BENCH_GRACE: Duration = Duration::from_secs(3);

/// A command that only Ctrl-C ends.
fn without_limits(
    budget: &Budget,
    grace: Duration,
    work: impl FnOnce(&Budget) -> Code + Send + 'static,
) -> Code {
    let part = budget.clone();
    host::patiently(budget, grace, move |tell| tell(work(&part))).unwrap_or_else(host::unknown)
}
