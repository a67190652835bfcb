//! `craig check-witness`: a proof checked, or an execution replayed, that was found earlier.

use crate::args::{CheckWitness, Talk};
use crate::code::Code;
use crate::{exchange, host, input};
use craig_base::Budget;
use craig_report::{assumption, contradiction, counterexample, reason};
use craig_solve::ledger;
use craig_solve::witness::{Confirmed, confirm, recorded};
use craig_verdict::Reason;
use craig_verdict::witness::{Claim, Witness};

pub fn run(args: CheckWitness, talk: Talk, budget: &Budget) -> Code {
    let mut limits = budget.with_time(args.time_limit);
    if let Some(cpu) = args.cpu_limit {
        limits = limits.with_cpu(cpu);
    }
    let part = limits.clone();
    let work = move |tell: &mut dyn FnMut(Code)| {
        tell(verify(&args, talk, &part).unwrap_or_else(|code| code));
    };
    host::patiently(&limits, host::GRACE, work).unwrap_or_else(host::unknown)
}

fn verify(args: &CheckWitness, talk: Talk, limits: &Budget) -> Result<Code, Code> {
    let complain = |message: String| {
        host::eprint(&format!("error: {}: {message}", args.witness.display()));
        Code::Usage
    };
    let bytes = std::fs::read(&args.witness).map_err(|e| complain(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| complain("this is no text".into()))?;
    if exchange::is_graphml(&args.witness) {
        return Err(complain("GraphML is written but not read: ask for YAML".into()));
    }
    if exchange::is_yaml(&args.witness) {
        return exchange::check(args, &text, talk, limits, &complain);
    }
    let witness = Witness::read(&text).map_err(complain)?;
    let mut reading = input::reading(&args.input.reading, args.signed_wrap)?;
    let loaded = input::load(&args.input.file, &reading, limits)?;
    reading.property = loaded.property;
    let here = recorded(&reading);
    if let Some((key, recorded, here)) = witness.reading.difference(&here) {
        return Err(complain(format!("reading.{key}: {recorded}, but the program is read with {here}")));
    }
    let source = &loaded.program;
    let found = confirm(source, &witness, reading.signed_wrap, args.check, limits);
    host::print(|out| {
        if talk > Talk::Quiet {
            match (&found, &witness.claim) {
                (Ok(Confirmed::Safe(checked)), claim) => {
                    let (locations, calls) = (checked.locations, checked.solver_calls);
                    writeln!(out, "The proof holds: {locations} locations, {calls} solver calls.")?;
                    if let Claim::Safe { certificate } = claim {
                        let assumed = ledger::of_proof(source, reading.externs, certificate, checked);
                        write!(out, "{}", assumption::of_proof(&source.source, &assumed))?;
                    }
                    if let Some(outcome) = &checked.flat {
                        writeln!(out, "{}", reason::flat_words(outcome))?;
                    }
                }
                (Ok(Confirmed::Unsafe(run)), claim) => {
                    writeln!(out, "The execution reaches the error after {} steps:", run.steps)?;
                    write!(out, "{}", counterexample::text(source, run, talk >= Talk::Verbose))?;
                    if let Claim::Unsafe { violation } = claim {
                        write!(out, "{}", counterexample::places_text(source, violation))?;
                    }
                }
                (Err(Reason::Contradiction(found)), _) => {
                    write!(out, "{}", contradiction::text(source, found))?;
                }
                (Err(_), Claim::Safe { .. }) => writeln!(out, "The proof is refused.")?,
                (Err(_), Claim::Unsafe { .. }) => writeln!(out, "The execution is refused.")?,
            }
        }
        match &found {
            Ok(Confirmed::Safe(_)) => writeln!(out, "SAFE"),
            Ok(Confirmed::Unsafe(_)) => writeln!(out, "UNSAFE"),
            Err(why) => writeln!(out, "UNKNOWN ({})", reason::text(why, &source.source)),
        }
    })?;
    Ok(match found {
        Ok(Confirmed::Safe(_)) => Code::Safe,
        Ok(Confirmed::Unsafe(_)) => Code::Unsafe,
        Err(_) => Code::Unknown,
    })
}
