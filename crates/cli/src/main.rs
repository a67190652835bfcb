//! The `craig` program.
//!
//! | module | holds |
//! |---|---|
//! | [`args`] | the command line as types; what `--help` says |
//! | [`input`] | from arguments to a loaded program, properties included |
//! | [`check`], [`witness`], [`cfa`], [`run`], [`mod@bench`] | one subcommand each |
//! | [`diag`] | diagnostics with the user's source line underlined |
//! | [`host`] | the frame of every command: big stack, panics, Ctrl-C, closed pipes |
//! | [`code`] | exit codes |

mod args;
mod bench;
mod cfa;
mod check;
mod code;
mod diag;
mod host;
mod input;
mod run;
mod witness;

use clap::Parser;
use code::Code;
use std::process::ExitCode;

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
    host::guarded(move || match cli.command {
        args::Command::Check(args) => check::run(&args, talk, &budget),
        args::Command::CheckWitness(args) => witness::run(&args, talk, &budget),
        args::Command::Cfa(args) => cfa::run(&args, talk, &budget),
        args::Command::Run(args) => run::run(&args, talk, &budget),
        args::Command::Bench(args) => bench::run(&args, talk, &budget),
    })
    .into()
}
