//! Witnesses in the format that tools of SV-COMP exchange: from an answer, and back to one.
//!
//! Nothing is taken from a file but hints. Its invariants become errors of the program where they do not hold; if the checker takes them
//! for a proof of that program, they are one, and if not, engines look for one within the budget. Its waypoints shut out all runs that do not follow them;
//! a run to the error that engines find there is replayed on the program as it is.

use crate::answer::Answer;
use crate::strategy::{Checking, Plan, solve};
use craig_base::Budget;
use craig_cfa::{EdgeId, Program};
use craig_encode::Arith;
use craig_engine::candidates::candidates;
use craig_engine::{Observer, Task as EngineTask};
use craig_frontend::c::notes::{Note, Way, What};
use craig_frontend::{LoadError, Loaded, Property, Reading, c};
use craig_verdict::exchange::yaml::{
    self, Action, Constraint, ConstraintValue, Entry, Invariant, InvariantItem, InvariantKind, Location,
    Metadata, Producer, SegmentItem, Task, Waypoint, WaypointItem, WaypointKind,
};
use craig_verdict::exchange::{claims, inputs};
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::replay::{chooses, replay};
use craig_verdict::{Reason, Verdict, Violation, judge_in_flat_memory, prove};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What a witness says of itself.
#[derive(Debug, Clone)]
pub struct About {
    /// The program as it was named.
    pub file: String,
    /// SHA-256 of its bytes.
    pub hash: String,
    pub uuid: String,
    /// As ISO 8601 has it.
    pub creation_time: String,
    pub version: String,
}

/// The property as property files write it.
pub fn specification(property: &Property, entry: Option<&str>) -> String {
    let what = match property {
        Property::Default => "call(reach_error())".into(),
        Property::Call(function) => format!("call({function}())"),
        Property::Label(label) => format!("label({label})"),
        Property::NoOverflow => "overflow".into(),
    };
    format!("CHECK( init({}()), LTL(G ! {what}) )", entry.unwrap_or("main"))
}

/// The witness of a verdict; none for UNKNOWN.
pub fn entries(answer: &Answer, about: &About, budget: &Budget) -> Option<Vec<Entry>> {
    let program = &*answer.source;
    let reading = &answer.reading;
    let file_name = about.file.clone();
    let metadata = Metadata {
        format_version: yaml::VERSION.into(),
        uuid: about.uuid.clone(),
        creation_time: about.creation_time.clone(),
        producer: Producer { name: "craig".into(), version: about.version.clone(), command_line: None },
        task: Task {
            input_files: vec![file_name.clone()],
            input_file_hashes: BTreeMap::from([(file_name.clone(), about.hash.clone())]),
            specification: specification(&reading.property, reading.entry.as_deref()),
            data_model: format!("{:?}", reading.model).to_uppercase(),
            language: "C".into(),
        },
    };
    let location = |span, function: &str| {
        let (line, column) = program.source.place(span)?;
        let function = Some(function.to_string());
        Some(Location { file_name: file_name.clone(), line, column: Some(column), function })
    };
    let entry = match &answer.verdict {
        Verdict::Unknown(_) => return None,
        Verdict::Safe(certificate, _) => {
            let item = |claim: claims::Claim| {
                let kind = match claim.of_loop {
                    true => InvariantKind::LoopInvariant,
                    false => InvariantKind::LocationInvariant,
                };
                let location = location(claim.span, &claim.function)?;
                let (value, format) = (claim.holds, "c_expression".into());
                Some(InvariantItem { invariant: Invariant { kind, location, value, format } })
            };
            let found = claims::claims(program, certificate);
            Entry::InvariantSet { metadata, content: found.into_iter().filter_map(item).collect() }
        }
        Verdict::Unsafe(violation, run) => {
            let follow = |kind, location, constraint| {
                let waypoint = Waypoint { kind, action: Action::Follow, location, constraint };
                SegmentItem { segment: vec![WaypointItem { waypoint }] }
            };
            let mut content = Vec::new();
            let results = inputs::results(program, violation, reading.signed_wrap, budget);
            for result in results.unwrap_or_default() {
                let last = craig_base::Span { start: result.span.end - 1, end: result.span.end };
                let Some(location) = location(last, &result.function) else { continue };
                let format = Some("ext_c_expression".into());
                let constraint = Constraint { value: ConstraintValue::Text(result.holds), format };
                content.push(follow(WaypointKind::FunctionReturn, location, Some(constraint)));
            }
            let edge = &program.edges[run.trace.steps.back()?.edge];
            let function = &program.procs[program.locs[edge.from].proc].name;
            content.push(follow(WaypointKind::Target, location(edge.span, function)?, None));
            Entry::ViolationSequence { metadata, content }
        }
    };
    Some(vec![entry])
}

/// The same in the format 1.0.
pub fn graphml(answer: &Answer, about: &About, budget: &Budget) -> Option<String> {
    let entries = entries(answer, about, budget)?;
    let callees = match &answer.verdict {
        Verdict::Unsafe(violation, _) => {
            let results = inputs::results(&answer.source, violation, answer.reading.signed_wrap, budget);
            results.unwrap_or_default().into_iter().map(|result| result.callee).collect()
        }
        _ => Vec::new(),
    };
    Some(craig_verdict::exchange::graphml::write(entries.first()?, &callees))
}

/// What became of a witness.
#[derive(Debug)]
pub enum Validation {
    /// The program is safe and the invariants hold; `alone`: they are a proof, nobody had to help.
    Holds { answer: Box<Answer>, alone: bool },
    /// Engines could not tell.
    Open(Box<Answer>),
    /// A run of the program makes an invariant false, or reaches the error all the same (`error`).
    Refuted { answer: Box<Answer>, error: bool },
    /// A run along the waypoints reaches the error. The answer is about the program as it is.
    Followed { answer: Box<Answer>, waypoints: usize, of: usize },
    /// No run along the waypoints does.
    NotFollowed(Reason),
    /// There is no run along the waypoints that reaches the error: proved.
    NoSuchRun,
    /// These lines have no place for what the witness says of them.
    Lost(Vec<u32>),
}

/// Reads the program with what the entries say of it, and decides.
pub fn validate(
    file: &Path,
    reading: &Reading,
    entries: &[Entry],
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Validation, LoadError> {
    let violated = entries.iter().any(|entry| matches!(entry, Entry::ViolationSequence { .. }));
    if violated {
        violation(file, reading, entries, plan, budget, observer)
    } else {
        invariants(file, reading, entries, plan, budget, observer)
    }
}

fn note(location: &Location, what: What) -> Note {
    let (line, column) = (location.line, location.column);
    Note { line, column, function: location.function.clone(), what }
}

fn invariants(
    file: &Path,
    reading: &Reading,
    entries: &[Entry],
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Validation, LoadError> {
    let mut notes = Vec::new();
    for entry in entries {
        let Entry::InvariantSet { content, .. } = entry else { continue };
        for InvariantItem { invariant } in content {
            let of_loop = invariant.kind == InvariantKind::LoopInvariant;
            notes
                .push(note(&invariant.location, What::Invariant { of_loop, holds: invariant.value.clone() }));
        }
    }
    let annotated = c::load_with(file, reading, &notes, budget)?;
    if !annotated.lost.is_empty() {
        return Ok(Validation::Lost(annotated.lost.iter().map(|i| notes[*i].line).collect()));
    }
    let Loaded { program, property, .. } = annotated.loaded;
    let source = Arc::new(program);
    let reading = Reading { property, ..reading.clone() };
    if let Some(answer) = alone(&source, &reading, plan, budget) {
        return Ok(Validation::Holds { answer: Box::new(answer), alone: true });
    }
    let answer = Box::new(solve(source, reading.clone(), plan, budget, observer));
    Ok(match &answer.verdict {
        Verdict::Safe(..) => Validation::Holds { answer, alone: false },
        Verdict::Unknown(_) => Validation::Open(answer),
        Verdict::Unsafe(found, _) => {
            let plain = c::load(file, &reading, budget)?.program;
            let same = translated(&answer.source, &plain, found);
            let error = replay(&plain, &same, reading.signed_wrap, REPLAY_STEPS, budget).is_ok();
            Validation::Refuted { answer, error }
        }
    })
}

/// What the checker says if the invariants are all that there is.
fn alone(source: &Arc<Program>, reading: &Reading, plan: &Plan, budget: &Budget) -> Option<Answer> {
    let task = EngineTask::new(Arc::clone(source), reading.signed_wrap, &plan.prepare, budget).ok()?;
    [Arith::Int, Arith::Bv].into_iter().find_map(|arith| {
        let certificate = candidates(&task, arith, budget).ok()?;
        let checked = prove(source, &certificate, reading.signed_wrap, budget).ok()?;
        let mut verdict = Verdict::Safe(certificate, checked);
        if plan.checking == Checking::Flat {
            verdict = judge_in_flat_memory(source, verdict, reading.signed_wrap, budget);
        }
        matches!(verdict, Verdict::Safe(..)).then(|| Answer {
            source: Arc::clone(source),
            reading: reading.clone(),
            verdict,
            attempts: Vec::new(),
            decisive: None,
            second_opinion: None,
            externs: task.externs(),
            vacuous: task.is_vacuous(),
            withheld: Vec::new(),
        })
    })
}

/// Waypoints by segments: what of them the front end can be told.
fn waypoints(entries: &[Entry]) -> Vec<Vec<Note>> {
    let mut segments = Vec::new();
    let content = entries.iter().find_map(|entry| match entry {
        Entry::ViolationSequence { content, .. } => Some(content),
        Entry::InvariantSet { .. } => None,
    });
    for SegmentItem { segment } in content.into_iter().flatten() {
        let mut notes = Vec::new();
        for WaypointItem { waypoint } in segment {
            let value = waypoint.constraint.as_ref().map(|constraint| &constraint.value);
            let text = || match value {
                Some(ConstraintValue::Text(text)) => Some(text.clone()),
                Some(ConstraintValue::Truth(truth)) => Some(u8::from(*truth).to_string()),
                Some(ConstraintValue::Number(number)) => Some(number.to_string()),
                None => None,
            };
            let way = match waypoint.kind {
                WaypointKind::Assumption => text().map(Way::Assumption),
                WaypointKind::Branching => match value {
                    Some(ConstraintValue::Truth(truth)) => Some(Way::Branch(*truth)),
                    Some(ConstraintValue::Text(text)) => text.parse().ok().map(Way::Branch),
                    // The cases of a switch are no places of ours.
                    _ => None,
                },
                WaypointKind::FunctionEnter => Some(Way::Enter),
                WaypointKind::FunctionReturn => Some(Way::Return(text())),
                WaypointKind::Target => Some(Way::Target),
            };
            let avoid = waypoint.action == Action::Avoid;
            notes.extend(way.map(|way| note(&waypoint.location, What::Waypoint { segment: 0, avoid, way })));
        }
        segments.push(notes);
    }
    segments
}

/// The notes of all segments that still have something to follow, numbered.
fn numbered(segments: &[Vec<Note>]) -> Vec<Note> {
    let follows = |notes: &&Vec<Note>| {
        notes.iter().any(|note| matches!(note.what, What::Waypoint { avoid: false, .. }))
    };
    let mut all = Vec::new();
    for (number, notes) in (0..).zip(segments.iter().filter(follows)) {
        all.extend(notes.iter().cloned().map(|mut note| {
            if let What::Waypoint { segment, .. } = &mut note.what {
                *segment = number;
            }
            note
        }));
    }
    all
}

fn violation(
    file: &Path,
    reading: &Reading,
    entries: &[Entry],
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Validation, LoadError> {
    let plain = c::load(file, reading, budget)?;
    let reading = Reading { property: plain.property, ..reading.clone() };
    let plain = Arc::new(plain.program);
    if reading.property == Property::NoOverflow {
        let what = "a violation of `no-overflow` from a file".into();
        return Ok(Validation::NotFollowed(Reason::Unsupported { what, span: craig_base::Span::default() }));
    }
    let mut segments = waypoints(entries);
    let of = segments.iter().map(Vec::len).sum();
    // What has no place in the text cannot be followed; the rest may lead to the error all the same.
    let (annotated, waypoints) = loop {
        let notes = numbered(&segments);
        let annotated = c::load_with(file, &reading, &notes, budget)?;
        let is_target = |note: &Note| matches!(note.what, What::Waypoint { way: Way::Target, .. });
        let lost: Vec<&Note> = annotated
            .lost
            .iter()
            .map(|i| &notes[*i])
            .filter(|note| !(is_target(note) && note.line == 0))
            .collect();
        if lost.is_empty() {
            break (annotated, notes.len());
        }
        let same = |a: &Note, b: &Note| {
            let plain = |note: &Note| match &note.what {
                What::Waypoint { avoid, way, .. } => Some((*avoid, way.clone())),
                What::Invariant { .. } => None,
            };
            (a.line, a.column, plain(a)) == (b.line, b.column, plain(b))
        };
        for notes in &mut segments {
            // The error is somewhere else, then.
            notes
                .iter_mut()
                .filter(|note| is_target(note) && lost.iter().any(|l| same(l, note)))
                .for_each(|note| (note.line, note.column, note.function) = (0, None, None));
            notes.retain(|note| note.line == 0 || !lost.iter().any(|l| same(l, note)));
        }
    };
    let guided = Arc::new(annotated.loaded.program);
    let answer = solve(Arc::clone(&guided), reading.clone(), plan, budget, observer);
    let found = match answer.verdict {
        Verdict::Unsafe(found, _) => found,
        Verdict::Safe(..) => return Ok(Validation::NoSuchRun),
        Verdict::Unknown(reason) => return Ok(Validation::NotFollowed(reason)),
    };
    let found = translated(&guided, &plain, &found);
    Ok(match replay(&plain, &found, reading.signed_wrap, REPLAY_STEPS, budget) {
        Ok(run) => {
            let verdict = Verdict::Unsafe(found, Box::new(run));
            let answer = Box::new(Answer { source: plain, reading, verdict, ..answer_parts(&guided) });
            Validation::Followed { answer, waypoints, of }
        }
        Err(reason) => Validation::NotFollowed(reason),
    })
}

/// What an answer has besides its verdict.
fn answer_parts(source: &Arc<Program>) -> Answer {
    Answer {
        source: Arc::clone(source),
        reading: Reading::default(),
        verdict: Verdict::Unknown(Reason::Internal("no verdict".into())),
        attempts: Vec::new(),
        decisive: None,
        second_opinion: None,
        externs: Default::default(),
        vacuous: false,
        withheld: Vec::new(),
    }
}

/// The choices of a run of one reading of a text, as choices of another reading of it: what chooses is the same in both, in the same order.
fn translated(from: &Program, to: &Program, found: &Violation) -> Violation {
    let places = |program: &Program| {
        let mut places: BTreeMap<_, Vec<EdgeId>> = BTreeMap::new();
        for (id, edge) in program.edges.iter_enumerated().filter(|(_, edge)| chooses(&edge.op)) {
            let kind = match edge.op {
                craig_cfa::Op::Havoc(..) => 0,
                craig_cfa::Op::Alloc { .. } => 1,
                _ => 2,
            };
            places.entry((edge.span.start, edge.span.end, kind)).or_default().push(id);
        }
        places
    };
    let (here, there) = (places(from), places(to));
    let mut map: BTreeMap<u32, u32> = BTreeMap::new();
    for (place, edges) in here {
        let others = there.get(&place).into_iter().flatten();
        map.extend(edges.iter().zip(others).map(|(a, b)| (a.index() as u32, b.index() as u32)));
    }
    let mut found = found.clone();
    // Variables have other numbers there.
    found.places.clear();
    found.choices.retain_mut(|given| match map.get(&given.edge) {
        Some(edge) => {
            given.edge = *edge;
            true
        }
        None => false,
    });
    found
}
