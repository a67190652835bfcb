//! Why there is no verdict, in words: every reason there is.

use craig_base::{Source, Span, Stop};
use craig_cfa::interp::{Limit, RunEnd, Undefined};
use craig_cfa::{EdgeId, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_report::explain::topic;
use craig_report::reason;
use craig_smt::Undecided;
use craig_smt::bdd::OutOfNodes;
use craig_smt::interpolate::{Method, NoInterpolant};
use craig_verdict::certificate::{AddressFault, Object};
use craig_verdict::replay::{Given, ValueText, Violation};
use craig_verdict::{Contradicted, Contradiction, CutPoint, Finding, NoProgress, Reason, Refusal, flat};
use insta::assert_snapshot;

/// Key, words with their place, and the note at that place.
fn told(reasons: &[Reason]) -> String {
    let source = Source::new("test.c", "int first;\nint second;\n".into(), false);
    let line = |reason: &Reason| {
        assert!(topic(reason.key()).is_some(), "`craig explain {}` knows nothing", reason.key());
        let note = reason::note(reason).map(|note| format!("\n  {}", note.message)).unwrap_or_default();
        format!("{}: {}{note}\n", reason.key(), reason::text(reason, &source))
    };
    reasons.iter().map(line).collect()
}

/// In the second line.
fn there() -> Span {
    Span::new(11, 14)
}

#[test]
fn limits() {
    let stops = [Stop::Time, Stop::Cpu, Stop::Memory, Stop::Work, Stop::Cancelled].map(Reason::Stopped);
    assert_snapshot!(told(&stops), @r"
    time-limit: time limit
    cpu-limit: CPU limit
    memory-limit: memory limit
    work-limit: work limit
    interrupted: interrupted
    ");
}

#[test]
fn programs_that_are_too_much() {
    assert_snapshot!(told(&[
        Reason::Unsupported { what: "computed goto".into(), span: there() },
        Reason::Unsupported { what: "computed goto".into(), span: Span::default() },
        Reason::recursion("f".into()),
        Reason::Contract("f".into()),
        Reason::InlineLimit { operations: 2000, limit: 1000 },
    ]), @r"
    unsupported: unsupported: computed goto, line 2
      a path needs what is not modelled: computed goto
    unsupported: unsupported: computed goto
    recursion: recursion: f
    contract: contract: too little is known of what calls of f do
    inline-limit: inline-limit: 2000 operations after inlining, the limit is 1000
    ");
}

#[test]
fn engines_that_give_up() {
    let none = NoInterpolant::NoMethod { cut: 3, tried: vec![(Method::Farkas, "not linear".into())] };
    assert_snapshot!(told(&[
        Reason::Refinement(NoProgress::NothingNew),
        Reason::Refinement(NoProgress::NoInterpolant(none)),
        Reason::Solver(Undecided::Work),
        Reason::Solver(Undecided::NoModel),
        Reason::Solver(Undecided::Incomplete("(incomplete quantifiers)".into())),
        Reason::Solver(Undecided::Stopped(Stop::Work)),
        Reason::BddNodes(OutOfNodes { limit: 1000 }),
        Reason::Assignments { limit: 64 },
        Reason::NormalForm { limit: 2000 },
        Reason::Internal("a bug".into()),
    ]), @r"
    refinement: refinement: nothing new for a path that is no execution
    refinement: refinement: no interpolant at cut 3: Farkas: not linear;
    solver: solver: a question was too much work
    solver: solver: a model that cannot be read
    solver: solver: (incomplete quantifiers)
    solver: solver: work limit
    bdd-nodes: bdd-nodes: more than 1000 nodes
    assignments: assignments: an abstract state has more than 64
    dnf: dnf: the predecessors of a block have more than 2000 cubes
    internal: internal: a bug
    ");
}

#[test]
fn paths_that_are_no_executions() {
    let ends = [
        RunEnd::Undefined(Undefined::SignedOverflow, "1 + 2 in 8 bits".into()),
        RunEnd::Undefined(Undefined::NullDereference, String::new()),
        RunEnd::Ended { status: Some(3) },
        RunEnd::Ended { status: None },
        RunEnd::Blocked,
        RunEnd::Aborted,
        RunEnd::Limit(Limit::Steps),
    ];
    let found = ends.map(|end| Reason::NotReplayed(Finding { end, edge: None, span: Some(there()) }));
    assert_snapshot!(told(&found), @r"
    not-replayed: not replayed: signed overflow: 1 + 2 in 8 bits, line 2
      the path found is no execution of the program: signed overflow: 1 + 2 in 8 bits
    not-replayed: not replayed: null dereference, line 2
      the path found is no execution of the program: null dereference
    not-replayed: not replayed: ended with status 3, line 2
      the path found is no execution of the program: ended with status 3
    not-replayed: not replayed: ended, line 2
      the path found is no execution of the program: ended
    not-replayed: not replayed: stopped at an assumption that does not hold, line 2
      the path found is no execution of the program: stopped at an assumption that does not hold
    not-replayed: not replayed: aborted, line 2
      the path found is no execution of the program: aborted
    not-replayed: not replayed: step limit, line 2
      the path found is no execution of the program: step limit
    ");
    assert_snapshot!(told(&[Reason::NotReplayed(Finding { end: RunEnd::Aborted, edge: None, span: None })]), @r"not-replayed: not replayed: aborted");
}

fn object() -> Object {
    Object(ObjectKey::Var(VarId::from_raw(3), vec![EdgeId::from_raw(12), EdgeId::from_raw(40)]))
}

#[test]
fn certificates_that_are_refused() {
    let refusals = [
        Refusal::Symbol("x".into()),
        Refusal::Twice("x".into()),
        Refusal::Sort { symbol: "x".into(), sort: "(_ BitVec 8)".into() },
        Refusal::Address { object: object(), address: 12, fault: AddressFault::NullPage },
        Refusal::Address { object: object(), address: 8193, fault: AddressFault::NotAligned },
        Refusal::Address { object: object(), address: 1 << 40, fault: AddressFault::Outside },
        Refusal::Address { object: object(), address: 8192, fault: AddressFault::NoSuchObject },
        Refusal::Address { object: object(), address: 8192, fault: AddressFault::Overlaps(object()) },
        Refusal::Location { line: 7 },
        Refusal::Location { line: 0 },
        Refusal::Edge { edge: 12 },
        Refusal::Procedure { procedure: 5 },
        Refusal::Scope { symbol: "x".into(), line: 7 },
        Refusal::Scope { symbol: "x".into(), line: 0 },
        Refusal::Formula { line: 7, message: "1:2: no term".into() },
        Refusal::Formula { line: 0, message: "1:2: no term".into() },
        Refusal::NotImplied { from: CutPoint::Start, to: CutPoint::Line(7) },
        Refusal::NotImplied { from: CutPoint::Line(7), to: CutPoint::Error },
        Refusal::NotImplied { from: CutPoint::Entry("f".into()), to: CutPoint::Return("f".into()) },
        Refusal::ReachesError,
        Refusal::Undecided(Undecided::Work),
    ];
    assert_snapshot!(told(&refusals.map(Reason::Certificate)), @r"
    certificate: certificate: `x` is not a part of the program's state
    certificate: certificate: `x` stands for two things
    certificate: certificate: `x` is of sort (_ BitVec 8)
    certificate: certificate: address 12 of v3@12.40: nothing lies below 4096
    certificate: certificate: address 8193 of v3@12.40: not a multiple of 16
    certificate: certificate: address 1099511627776 of v3@12.40: it ends outside the first quarter of the address space
    certificate: certificate: address 8192 of v3@12.40: the program has no such object
    certificate: certificate: address 8192 of v3@12.40: it overlaps v3@12.40
    certificate: certificate: the program has no such location (line 7)
    certificate: certificate: the program has no such location
    certificate: certificate: the program has no assumption on edge 12
    certificate: certificate: the program has no procedure 5
    certificate: certificate: the formula of line 7 may not speak of `x`
    certificate: certificate: a formula may not speak of `x`
    certificate: certificate: formula of line 7: 1:2: no term
    certificate: certificate: a formula cannot be read: 1:2: no term
    certificate: certificate: the formula of line 7 does not follow from that of the start
    certificate: certificate: the formula of the error does not follow from that of line 7
    certificate: certificate: the formula of the return of f does not follow from that of the entry of f
    certificate: certificate: unwinding reaches the error
    certificate: certificate: a question was too much work
    ");
    let flat = Reason::FlatMemory { from: CutPoint::Line(7), to: CutPoint::Error };
    assert_snapshot!(told(&[flat]), @"flat-memory: flat memory: the formula of the error does not follow from that of line 7");
    assert_snapshot!(told(&[Reason::UnknownMemory]), @"unknown-memory: unknown memory: integers do not follow memory that is accessed in more than one way");
    // A limit is a limit, wherever it was met.
    let stopped = Refusal::Undecided(Undecided::Stopped(Stop::Time));
    assert_eq!(Reason::from(stopped), Reason::Stopped(Stop::Time));
    assert_eq!(Reason::from(Undecided::Stopped(Stop::Cpu)), Reason::Stopped(Stop::Cpu));
}

#[test]
fn flat_memory() {
    let outcomes = [
        flat::Outcome::Shown { solver_calls: 3 },
        flat::Outcome::NotShown { from: CutPoint::Start, to: CutPoint::Line(7) },
        flat::Outcome::NotTranslatable(flat::NotTranslatable::Maps),
        flat::Outcome::NotTranslatable(flat::NotTranslatable::Procedures),
        flat::Outcome::NotTranslatable(flat::NotTranslatable::Symbol("x".into())),
        flat::Outcome::Undecided(Reason::Stopped(Stop::Time)),
    ];
    let words: Vec<String> =
        outcomes.iter().map(|o| format!("{}: {}", o.key(), reason::flat_words(o))).collect();
    assert_snapshot!(words.join("\n"), @r"
    shown: The proof holds in flat memory as well.
    not-shown: The proof fails in flat memory: the formula of line 7 does not follow from that of the start.
    not-translatable: The proof cannot be told in flat memory: maps.
    not-translatable: The proof cannot be told in flat memory: it speaks of procedures one by one.
    not-translatable: The proof cannot be told in flat memory: `x` is no part of memory.
    undecided: Not decided in flat memory: time limit.
    ");
}

#[test]
fn runs_that_are_at_odds_with_a_proof() {
    let edge = EdgeId::from_raw(3);
    let values = vec![("x".to_string(), "4".to_string())];
    let kinds = [
        Contradicted::Error,
        Contradicted::Unsupported("computed goto".into()),
        Contradicted::Invariant { formula: "(<= x 3)".into(), values },
        Contradicted::Unreached,
        Contradicted::Never { edge },
        Contradicted::Access { place: craig_cfa::PlaceId::from_raw(0), object: object(), offset: 4 },
    ];
    let found = kinds.map(|what| {
        let value = ValueText(craig_cfa::interp::Value::Bits(7));
        let choices = vec![Given { edge: 3, occurrence: 0, offset: 0, bit: 0, value }];
        let run = Violation { arith: Arith::Int, places: Vec::new(), outside: Vec::new(), choices };
        let found = Contradiction { what, span: Some(there()), steps: 12, values: Vec::new(), run };
        Reason::Contradiction(Box::new(found))
    });
    assert_snapshot!(told(&found), @r"
    contradiction: contradiction: a run reaches the error, line 2
      the proof was accepted, but a run reaches the error
    contradiction: contradiction: a run needs what is not modelled: computed goto, line 2
      the proof was accepted, but a run needs what is not modelled: computed goto
    contradiction: contradiction: an invariant is false on a run, line 2
      the proof was accepted, but an invariant is false on a run
    contradiction: contradiction: a run comes to a loop to which none should come, line 2
      the proof was accepted, but a run comes to a loop to which none should come
    contradiction: contradiction: a run takes an edge that none should take, line 2
      the proof was accepted, but a run takes an edge that none should take
    contradiction: contradiction: a run goes to memory where the layout knows of no way, line 2
      the proof was accepted, but a run goes to memory where the layout knows of no way
    ");
}
