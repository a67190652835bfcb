//! `craig check-witness`: a proof checked, or an execution replayed, that was found earlier.

use crate::args::{CheckWitness, Talk};
use crate::code::Code;
use crate::{host, input};
use craig_base::Budget;
use craig_report::text;
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::witness::{Claim, Witness};
use craig_verdict::{Reason, check, replay};

pub fn run(args: &CheckWitness, talk: Talk, budget: &Budget) -> Code {
    verify(args, talk, budget).unwrap_or_else(|code| code)
}

fn verify(args: &CheckWitness, talk: Talk, budget: &Budget) -> Result<Code, Code> {
    let complain = |message: String| {
        host::eprint(&format!("error: {}: {message}", args.witness.display()));
        Code::Usage
    };
    let bytes = std::fs::read(&args.witness).map_err(|e| complain(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| complain("this is no text".into()))?;
    let witness = Witness::read(&text).map_err(complain)?;
    let reading = input::recorded(&args.input.reading, args.signed_wrap)?;
    if witness.reading != reading {
        return Err(complain(format!(
            "the witness is about another reading of the program: {:?}, not {reading:?}",
            witness.reading
        )));
    }
    let source = input::load(&args.input.file, &args.input.reading)?;
    let limits = budget.with_time(args.time_limit);
    match &witness.claim {
        Claim::Safe { certificate } => match check(&source, certificate, args.signed_wrap, &limits) {
            Ok(checked) => {
                host::print(|out| {
                    if talk > Talk::Quiet {
                        let (locations, calls) = (checked.locations, checked.solver_calls);
                        writeln!(out, "The proof holds: {locations} locations, {calls} solver calls.")?;
                    }
                    writeln!(out, "SAFE")
                })?;
                Ok(Code::Safe)
            }
            Err(reason) => refused("proof", &reason, talk),
        },
        Claim::Unsafe { violation } => {
            match replay(&source, violation, args.signed_wrap, REPLAY_STEPS, &limits) {
                Ok(run) => {
                    host::print(|out| {
                        if talk > Talk::Quiet {
                            writeln!(out, "The execution reaches the error after {} steps:", run.steps)?;
                            write!(out, "{}", text::counterexample(&source, &run, talk >= Talk::Verbose))?;
                        }
                        writeln!(out, "UNSAFE")
                    })?;
                    Ok(Code::Unsafe)
                }
                Err(reason) => refused("execution", &reason, talk),
            }
        }
    }
}

fn refused(what: &str, reason: &Reason, talk: Talk) -> Result<Code, Code> {
    host::print(|out| {
        if talk > Talk::Quiet {
            writeln!(out, "The {what} is refused.")?;
        }
        writeln!(out, "UNKNOWN ({reason})")
    })?;
    Ok(Code::Unknown)
}
