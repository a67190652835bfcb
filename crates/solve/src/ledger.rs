//! The ledger: all that a verdict leans on, each with its kind, its place and a sentence.
//!
//! Behind SAFE stand operations that the proof takes to be defined: those that the certificate lists, because a path met undefined behaviour there, and signed operations that the checker
//! could not show to stay in their types. Beside them stands what the front end leaves out of the program and what lies on a way to the error, and that what the environment gives lies apart. Behind UNSAFE stands what
//! the environment is assumed to do on the run.

use crate::answer::Answer;
use craig_base::Span;
use craig_cfa::analysis::matters::matters;
use craig_cfa::defined::Rule;
use craig_cfa::interp::{Run, Value};
use craig_cfa::{Choice, Edge, EdgeId, Lean, LeanKind, LocId, Maker, Op, PlaceId, PlaceKind, Program};
use craig_frontend::Externs;
use craig_verdict::replay::{Given, OutsideObject};
use craig_verdict::{Certificate, Checked, Verdict, Violation};
use std::collections::BTreeSet;

/// One thing that is assumed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    /// A name that stays, for tools.
    pub kind: &'static str,
    pub span: Option<Span>,
    /// Goes on from "assuming", or from "assuming that" if it says what something does.
    pub text: String,
}

impl Assumption {
    /// Does it say that something does not happen, rather than what something does?
    pub fn is_absence(&self) -> bool {
        self.text.starts_with("no ")
    }
}

/// All that the answer leans on, by kind and place.
pub fn ledger(answer: &Answer) -> Vec<Assumption> {
    match &answer.verdict {
        Verdict::Safe(certificate, checked) => {
            of_proof(&answer.source, answer.reading.externs, certificate, checked)
        }
        Verdict::Unsafe(violation, run) => behind_run(answer, violation, run).into_iter().collect(),
        Verdict::Unknown(_) => answer.withheld.clone(),
    }
}

/// All that a proof leans on that the checker accepted.
pub fn of_proof(
    source: &Program,
    externs: Externs,
    certificate: &Certificate,
    checked: &Checked,
) -> Vec<Assumption> {
    let overflows = checked.may_overflow.iter().map(|span| undefined(Rule::Overflow, *span));
    let span_of = |edge| source.edges.get(edge).map_or(Span::default(), |edge: &Edge| edge.span);
    let guards = certificate.assumed.iter().map(|guard| undefined(guard.rule, span_of(guard.edge)));
    let mut found: BTreeSet<Assumption> = overflows.chain(guards).collect();
    let given: Vec<&Edge> = source.edges.iter().filter(|edge| gives(source, &edge.op)).collect();
    if !source.leans.is_empty() || !given.is_empty() {
        let matters = matters(source);
        let counts = |lean: &&Lean| lean.at.is_none_or(|at| matters[at]);
        found.extend(source.leans.iter().filter(counts).map(|lean| left_out(lean, externs)));
        if has_accesses(source) {
            found.extend(given.into_iter().filter(|edge| matters[edge.from]).map(|edge| apart(edge.span)));
        }
    }
    found.into_iter().collect()
}

/// Does the environment give a pointer there?
fn gives(source: &Program, op: &Op) -> bool {
    match op {
        Op::Alloc { maker, .. } => *maker == Maker::Environment,
        Op::Havoc(place, Choice::Extern(_) | Choice::Entry) => {
            source.types.is_ptr(source.exprs.place(*place).ty)
        }
        _ => false,
    }
}

/// Is anything accessed through a pointer?
fn has_accesses(source: &Program) -> bool {
    let places = (0..source.exprs.place_count()).map(PlaceId::from_usize);
    places.map(|place| source.exprs.place(place).kind).any(|kind| matches!(kind, PlaceKind::Deref(_)))
}

fn apart(span: Span) -> Assumption {
    let text = "a pointer that the environment gives is null or leads to an object of its own".into();
    Assumption { kind: "environment", span: Some(span), text }
}

fn undefined(rule: Rule, span: Span) -> Assumption {
    let text = match rule {
        Rule::Overflow => "no signed overflow",
        Rule::Division => "no division by zero",
        Rule::Shift => "no shift by less than zero or by as much as the width",
        Rule::Access => "no access through null or outside of an object that is there",
    };
    Assumption { kind: rule.name(), span: Some(span), text: text.into() }
}

fn left_out(lean: &Lean, externs: Externs) -> Assumption {
    let what = &lean.what;
    let (kind, text) = match lean.kind {
        LeanKind::Extern => ("extern", format!("{what}, which has no body, {}", effect(externs))),
        LeanKind::Allocation => ("allocation", format!("{what} does not fail")),
        LeanKind::Asm => ("asm", "assembler changes its outputs and nothing else".into()),
        LeanKind::Volatile => {
            ("volatile", format!("{what}, which is volatile, changes only where the program writes it"))
        }
        LeanKind::Format => {
            ("format", format!("the format that {what} is given writes through no argument (%n)"))
        }
        LeanKind::Handler => ("handler", format!("what {what} is given never runs")),
    };
    Assumption { kind, span: Some(lean.span), text }
}

fn behind_run(answer: &Answer, violation: &Violation, run: &Run) -> BTreeSet<Assumption> {
    let source: &Program = &answer.source;
    let passed: BTreeSet<LocId> = run.trace.steps.iter().map(|step| source.edges[step.origin].from).collect();
    let on_it = |lean: &&Lean| lean.at.is_none_or(|at| passed.contains(&at));
    let mut found: BTreeSet<Assumption> =
        source.leans.iter().filter(on_it).map(|lean| left_out(lean, answer.reading.externs)).collect();
    if !violation.outside.is_empty() {
        let count = violation.outside.len();
        let text = format!("the environment gives {count} object{}", if count == 1 { "" } else { "s" });
        found.insert(Assumption { kind: "environment", span: None, text });
    }
    found.extend(violation.choices.iter().filter_map(|given| uninitialised(source, violation, given)));
    found
}

/// That a variable points to an object of the environment which the program does not initialise.
fn uninitialised(source: &Program, violation: &Violation, given: &Given) -> Option<Assumption> {
    let Value::Bits(bits) = given.value.0 else { return None };
    let edge = source.edges.get(EdgeId::from_raw(given.edge))?;
    let Op::Havoc(place, Choice::Uninit) = edge.op else { return None };
    let there = |object: &OutsideObject| (bits as u64).wrapping_sub(object.address) < object.size;
    let var = &source.vars[source.exprs.root_var(place)?];
    violation.outside.iter().any(there).then(|| Assumption {
        kind: "environment",
        span: Some(edge.span),
        text: format!("{}, which is not initialised, points to one of them", var.name),
    })
}

/// What functions without body do.
pub fn effect(externs: Externs) -> &'static str {
    match externs {
        Externs::Pure => "returns any value and changes nothing",
        Externs::Havoc => {
            "returns any value, changes at most globals, variables that it is given and one object behind each other pointer, and calls at most what it is given, at once"
        }
        Externs::Error => "is not modelled",
    }
}
