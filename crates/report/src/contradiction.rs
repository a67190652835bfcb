//! A run that is at odds with a proof: what it did, and how to repeat it.

use crate::value::show;
use craig_cfa::interp::Value;
use craig_cfa::print::Printer;
use craig_cfa::{EdgeId, Op, Program};
use craig_encode::memory::ObjectKey;
use craig_verdict::certificate::Object;
use craig_verdict::replay::Given;
use craig_verdict::{Contradicted, Contradiction};
use serde::Serialize;
use std::fmt::Write;

/// Values of a run that are shown.
const SHOWN: usize = 50;

/// As JSON has it.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// `error`, `unsupported`, `invariant`, `unreached`, `never` or `access`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The invariant that is false, in SMT-LIB, and the values of its symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<String>,
    /// The place that lies where it is not known to lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    pub steps: u64,
    /// What the nondeterministic functions returned, in order.
    pub values: Vec<String>,
    /// Every choice that is not zero, as witnesses write it.
    pub choices: Vec<Given>,
}

impl Record {
    pub fn new(program: &Program, found: &Contradiction) -> Record {
        let kind = match &found.what {
            Contradicted::Error => "error",
            Contradicted::Unsupported(_) => "unsupported",
            Contradicted::Invariant { .. } => "invariant",
            Contradicted::Unreached => "unreached",
            Contradicted::Never { .. } => "never",
            Contradicted::Access { .. } => "access",
        };
        let access = match &found.what {
            Contradicted::Access { place, object, offset } => {
                let (place, object) = (Printer::new(program).place(*place), object_text(program, object));
                Some(format!("{place} at byte {offset} of {object}"))
            }
            _ => None,
        };
        let (formula, state) = match &found.what {
            Contradicted::Invariant { formula, values } => (Some(formula.clone()), equations(values)),
            _ => (None, Vec::new()),
        };
        Record {
            kind,
            line: found.span.map(|span| program.source.line(span)),
            formula,
            state,
            access,
            steps: found.steps,
            values: values(program, found),
            choices: found.run.choices.clone(),
        }
    }
}

fn object_text(program: &Program, object: &Object) -> String {
    match &object.0 {
        ObjectKey::Var(var, _) => program.vars[*var].name.to_string(),
        ObjectKey::Alloc(edge, _) => {
            format!("what line {} allocated", program.source.line(program.edges[*edge].span))
        }
        ObjectKey::Proc(proc) => program.procs[*proc].name.to_string(),
    }
}

fn equations(values: &[(String, String)]) -> Vec<String> {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect()
}

/// What the nondeterministic functions returned, in order.
fn values(program: &Program, found: &Contradiction) -> Vec<String> {
    let text = |(edge, value): &(EdgeId, Value)| match &program.edges[*edge].op {
        Op::Havoc(place, _) => show(program, program.exprs.place(*place).ty, value),
        _ => None,
    };
    found.values.iter().map(|chosen| text(chosen).unwrap_or_else(|| "?".into())).collect()
}

/// What is told above the verdict.
pub fn text(program: &Program, found: &Contradiction) -> String {
    let record = Record::new(program, found);
    let mut out = "A proof was found and checked, but a run of the program contradicts it. This is a bug of craig: please report it with the program.\n".to_string();
    let place = record.line.map(|line| format!(" of line {line}")).unwrap_or_default();
    if let Some(formula) = &record.formula {
        let _ = writeln!(out, "  invariant{place}: {formula}");
        let _ = writeln!(out, "  false with {}", record.state.join(", "));
    }
    if let Some(access) = &record.access {
        let _ = writeln!(out, "  access{place}: {access}");
    }
    let shown = |list: Vec<String>| {
        let more = list.len().checked_sub(SHOWN).filter(|n| *n > 0);
        let text = list[..list.len().min(SHOWN)].join(",");
        more.map_or(text.clone(), |more| format!("{text},... ({more} more, all in --json)"))
    };
    let _ = writeln!(out, "  after {} steps of the run", record.steps);
    if !record.values.is_empty() {
        let _ = writeln!(out, "  with --values {}", shown(record.values));
    }
    let choice = |given: &Given| {
        let part = if given.offset > 0 { format!("+{}", given.offset) } else { String::new() };
        format!("edge {}.{}{part} {}", given.edge, given.occurrence, String::from(given.value.clone()))
    };
    if !record.choices.is_empty() {
        let choices = record.choices.iter().map(choice).collect();
        let _ = writeln!(out, "  with these choices and zero for all others: {}", shown(choices));
    }
    out
}
