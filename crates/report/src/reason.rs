//! Why there is no verdict, in words.

use craig_base::{Diagnostic, Source};
use craig_smt::Undecided;
use craig_verdict::{Contradicted, CutPoint, NoProgress, Reason, Refusal, flat};

/// The reason in one line, with its place.
pub fn text(reason: &Reason, source: &Source) -> String {
    match reason.span() {
        Some(span) => format!("{}, line {}", words(reason), source.line(span)),
        None => words(reason),
    }
}

/// The reason in one line.
pub fn words(reason: &Reason) -> String {
    match reason {
        Reason::Stopped(stop) => stop.to_string(),
        Reason::Unsupported { what, .. } => format!("unsupported: {what}"),
        Reason::Recursion { procedure, .. } => format!("recursion: {procedure}"),
        Reason::Contract(procedure) => {
            format!("contract: too little is known of what calls of {procedure} do")
        }
        Reason::InlineLimit { operations, limit } => {
            format!("inline-limit: {operations} operations after inlining, the limit is {limit}")
        }
        Reason::Refinement(NoProgress::NothingNew) => {
            "refinement: nothing new for a path that is no execution".into()
        }
        Reason::Refinement(NoProgress::NoInterpolant(why)) => format!("refinement: {why}"),
        Reason::Solver(undecided) => format!("solver: {}", undecided_words(undecided)),
        Reason::BddNodes(full) => format!("bdd-nodes: more than {} nodes", full.limit),
        Reason::NormalForm { limit } => {
            format!("dnf: the predecessors of a block have more than {limit} cubes")
        }
        Reason::Assignments { limit } => format!("assignments: an abstract state has more than {limit}"),
        Reason::NotReplayed(finding) => format!("not replayed: {}", finding.end),
        Reason::Certificate(refusal) => format!("certificate: {}", refusal_words(refusal)),
        Reason::UnknownMemory => {
            "unknown memory: integers do not follow memory that is accessed in more than one way".into()
        }
        Reason::Contradiction(found) => format!("contradiction: {}", contradicted(&found.what)),
        Reason::FlatMemory { from, to } => format!("flat memory: {}", not_implied(from, to)),
        Reason::Assumes(1) => "assumptions: the proof assumes what is said above".into(),
        Reason::Assumes(count) => format!("assumptions: the proof assumes {count} things"),
        Reason::Narrowed { bits } => format!("narrowed: no error with integers of {bits} bits"),
        Reason::Internal(what) => format!("internal: {what}"),
    }
}

fn undecided_words(undecided: &Undecided) -> String {
    match undecided {
        Undecided::Stopped(stop) => stop.to_string(),
        Undecided::Work => "a question was too much work".into(),
        Undecided::NoModel => "a model that cannot be read".into(),
        Undecided::Incomplete(words) => words.clone(),
    }
}

fn refusal_words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Symbol(name) => format!("`{name}` is not a part of the program's state"),
        Refusal::Twice(name) => format!("`{name}` stands for two things"),
        Refusal::Sort { symbol, sort } => format!("`{symbol}` is of sort {sort}"),
        Refusal::Address { object, address, fault } => format!("address {address} of {object}: {fault}"),
        Refusal::Location { line: 0 } => "the program has no such location".into(),
        Refusal::Location { line } => format!("the program has no such location (line {line})"),
        Refusal::Edge { edge } => format!("the program has no assumption on edge {edge}"),
        Refusal::Procedure { procedure } => format!("the program has no procedure {procedure}"),
        Refusal::Scope { symbol, line: 0 } => format!("a formula may not speak of `{symbol}`"),
        Refusal::Scope { symbol, line } => format!("the formula of line {line} may not speak of `{symbol}`"),
        // One that belongs to no line, or whose line is not named.
        Refusal::Formula { line: 0, message } => format!("a formula cannot be read: {message}"),
        Refusal::Formula { line, message } => format!("formula of line {line}: {message}"),
        Refusal::NotImplied { from, to } => not_implied(from, to),
        Refusal::ReachesError => "unwinding reaches the error".into(),
        Refusal::Undecided(undecided) => undecided_words(undecided),
    }
}

/// What a run did that a proof excludes.
fn contradicted(what: &Contradicted) -> String {
    match what {
        Contradicted::Error => "a run reaches the error".into(),
        Contradicted::Unsupported(what) => format!("a run needs what is not modelled: {what}"),
        Contradicted::Invariant { .. } => "an invariant is false on a run".into(),
        Contradicted::Unreached => "a run comes to a loop to which none should come".into(),
        Contradicted::Access { .. } => "a run goes to memory where the layout knows of no way".into(),
        Contradicted::Never { .. } => "a run takes an edge that none should take".into(),
    }
}

fn not_implied(from: &CutPoint, to: &CutPoint) -> String {
    format!("the formula of {} does not follow from that of {}", cut(to), cut(from))
}

/// What the checker in flat memory said, as a sentence.
pub fn flat_words(outcome: &flat::Outcome) -> String {
    match outcome {
        flat::Outcome::Shown { .. } => "The proof holds in flat memory as well.".into(),
        flat::Outcome::NotShown { from, to } => {
            format!("The proof fails in flat memory: {}.", not_implied(from, to))
        }
        flat::Outcome::NotTranslatable(why) => format!("The proof cannot be told in flat memory: {why}."),
        flat::Outcome::Undecided(why) => format!("Not decided in flat memory: {}.", words(why)),
    }
}

fn cut(cut: &CutPoint) -> String {
    match cut {
        CutPoint::Start => "the start".into(),
        CutPoint::Error => "the error".into(),
        CutPoint::Line(line) => format!("line {line}"),
        CutPoint::Entry(name) => format!("the entry of {name}"),
        CutPoint::Return(name) => format!("the return of {name}"),
    }
}

/// A note that points at the place of the reason, if it has one.
pub fn note(reason: &Reason) -> Option<Diagnostic> {
    let message = match reason {
        Reason::Unsupported { what, .. } => format!("a path needs what is not modelled: {what}"),
        Reason::NotReplayed(finding) => {
            format!("the path found is no execution of the program: {}", finding.end)
        }
        Reason::Contradiction(found) => format!("the proof was accepted, but {}", contradicted(&found.what)),
        _ => return None,
    };
    Some(Diagnostic::note(message).at(reason.span()?))
}
