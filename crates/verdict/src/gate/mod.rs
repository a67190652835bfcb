//! The last gate before SAFE: do runs agree with the proof?
//!
//! Engines and checker share the analysis of storage and the encoding; what these get wrong, both believe. The interpreter shares
//! neither. So before a certificate that the checker accepted becomes a verdict, the source program is run many times for a little while,
//! with the ends of types, numbers that the program mentions, and random ones. A run contradicts the proof that
//! - reaches the error, or what is not modelled,
//! - comes to a location where an invariant is false, or to a loop head without one, to which no run comes,
//! - returns from a procedure whose summary is false, or that never returns,
//! - takes an edge that is claimed never to be taken,
//! - reads or writes bytes that the layout of the checker does not know the place to name.
//!
//! Such a run shows a bug of ours, and there is no verdict. Runs that end in undefined behaviour or by a limit say nothing.
//!
//! The same program and the same work before give the same runs: seeds come from the text, effort is counted in steps.

mod access;
mod claims;
mod contracts;
mod formula;

use crate::certificate::{Certificate, Object, Proof};
use crate::check::Ground;
use crate::outcome::Reason;
use crate::replay::{Given, ValueText, Violation};
use claims::Claims;
use contracts::Contracts;
use craig_base::{Budget, Span};
use craig_cfa::interp::guess::{Guess, Mood, mentioned, seed_of};
use craig_cfa::interp::{Chooser, Config, Key, Overflow, Recording, Run, RunEnd, Runner, Value, Watch};
use craig_cfa::{Choice, EdgeId, Op, PlaceId, Program};
use craig_encode::Arith;
use formula::Seen;

/// What the runs came by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Runs {
    pub runs: u64,
    pub steps: u64,
    /// Formulas that were true where a run passed.
    pub evaluated: u64,
    /// Formulas that could not be evaluated there.
    pub skipped: u64,
    /// Accesses to memory that were compared with the layout.
    pub accesses: u64,
}

/// A run that cannot be, if the proof is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    pub what: Contradicted,
    pub span: Option<Span>,
    /// Steps to there.
    pub steps: u64,
    /// What the nondeterministic functions returned, in order, and the edges of the calls.
    pub values: Vec<(EdgeId, Value)>,
    /// All choices that are not zero, and how the run read overflow.
    pub run: Violation,
}

/// Which claim it contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradicted {
    /// That no run reaches the error.
    Error,
    /// That no run needs what is not modelled.
    Unsupported(String),
    /// A formula of the certificate, with the values of its symbols.
    Invariant { formula: String, values: Vec<(String, String)> },
    /// That no run comes to a loop head without formula.
    Unreached,
    /// That no run takes an edge.
    Never { edge: EdgeId },
    /// That a place names other bytes than these of an object.
    Access { place: PlaceId, object: Object, offset: u64 },
}

/// The moods of the first runs, and of those that work allows beyond them.
const FIRST: [Mood; 12] = [
    Mood::Always(0),
    Mood::Always(1),
    Mood::Always(-1),
    Mood::Least,
    Mood::Greatest,
    Mood::Small,
    Mood::Mentioned,
    Mood::Mixed,
    Mood::Small,
    Mood::Mentioned,
    Mood::Mixed,
    Mood::Wide,
];
const MORE: [Mood; 4] = [Mood::Mixed, Mood::Small, Mood::Mentioned, Mood::Wide];
/// Steps of each of the first runs: together about a millisecond.
const STEPS: u64 = 2000;
/// Where runs are short there are more of them: until so many steps or runs.
const SHORT_STEPS: u64 = 10_000;
const SHORT_RUNS: u64 = 64;
/// Steps of all runs: one for so many units of work before, some per cent of the time that took; at most about a second's.
const WORK_PER_STEP: u64 = 16;
const MOST_STEPS: u64 = 20_000_000;
/// Steps that take as long as a unit of work.
const STEPS_PER_WORK: u64 = 4;
/// Bytes that a run may hold.
const MEMORY: u64 = 1 << 26;
/// Choices of a contradiction that are told.
const CHOICES: usize = 10_000;

/// Runs the program against a certificate that the checker accepted.
pub fn pass(
    source: &Program,
    ground: &Ground<'_>,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Runs, Reason> {
    let wrap = signed_wrap || certificate.arith == Arith::Bv;
    let gate = Gate {
        source,
        runner: Runner::new(source),
        claims: match (ground, &certificate.proof) {
            (Ground::Whole(ground), _) => Told::Whole(Box::new(Claims::new(source, ground, certificate))),
            (Ground::Procedures(ground), Proof::Procedures(given)) => {
                let unreached = ground.unreached();
                Told::Procedures(Box::new(Contracts::new(source, unreached, given, certificate.arith)))
            }
            // Of the program with relations there are no runs.
            (Ground::Relations(_), Proof::Relations(given)) => {
                Told::Procedures(Box::new(Contracts::new(source, Vec::new(), &given.contracts, Arith::Int)))
            }
            (Ground::Procedures(_) | Ground::Relations(_), _) => {
                return Err(Reason::Internal("the ground of another proof".into()));
            }
        },
        overflow: if wrap { Overflow::Wrap } else { Overflow::Undefined },
        budget,
    };
    let allowed = (budget.spent() / WORK_PER_STEP).min(MOST_STEPS);
    let (seed, mentioned) = (seed_of(source.source.text()), mentioned(source));
    let mut seen = Runs::default();
    let mut steps = STEPS;
    for n in 0.. {
        let mood = match FIRST.get(n) {
            Some(mood) => *mood,
            None if seen.steps >= allowed && (seen.runs >= SHORT_RUNS || seen.steps >= SHORT_STEPS) => break,
            None => MORE[(n - FIRST.len()) % MORE.len()],
        };
        if n >= FIRST.len() && (n - FIRST.len()).is_multiple_of(MORE.len()) {
            // What is deep in loops is seen by few long runs.
            steps = (steps * 2).min(allowed.max(STEPS));
        }
        let guess = Guess::new(mood, seed.wrapping_add(n as u64), mentioned.clone());
        let (end, asked) = gate.once(guess, steps, &mut seen)?;
        if !asked {
            // All runs are this one: one as long as allowed is enough.
            if end == RunEnd::Limit(craig_cfa::interp::Limit::Steps) && allowed > steps {
                gate.once(Guess::new(mood, seed, mentioned.clone()), allowed, &mut seen)?;
            }
            break;
        }
    }
    Ok(seen)
}

struct Gate<'a> {
    source: &'a Program,
    runner: Runner<'a>,
    claims: Told<'a>,
    overflow: Overflow,
    budget: &'a Budget,
}

/// What the proof claims.
enum Told<'a> {
    Whole(Box<Claims<'a>>),
    Procedures(Box<Contracts<'a>>),
}

impl Gate<'_> {
    /// One run. How it ended, and whether it chose anything.
    fn once(&self, guess: Guess, steps: u64, seen: &mut Runs) -> Result<(RunEnd, bool), Reason> {
        let mut chooser = guess.clone();
        let (run, here) = self.run(&mut chooser, steps);
        seen.runs += 1;
        seen.steps += run.steps + here.cost;
        seen.evaluated += here.evaluated;
        seen.skipped += here.skipped;
        seen.accesses += here.accesses;
        self.budget.spend((run.steps + here.cost) / STEPS_PER_WORK);
        match self.contradicted(&run, here) {
            Some((what, span)) => Err(Reason::Contradiction(Box::new(self.told(what, span, guess, steps)))),
            None => match run.end {
                RunEnd::Stopped(stop) => Err(Reason::Stopped(stop)),
                end => Ok((end, chooser.asked)),
            },
        }
    }

    fn run(&self, chooser: &mut dyn Chooser, steps: u64) -> (Run, Seen) {
        let config = Config {
            overflow: self.overflow,
            steps,
            memory: MEMORY,
            budget: self.budget.clone(),
            ..Config::default()
        };
        match &self.claims {
            Told::Whole(claims) => {
                let mut tour = claims::Tour::new(claims, steps);
                let (calls, locs) = (claims.calls(), &claims.locs);
                let run = self.runner.run(&config, chooser, Watch { calls, locs, watcher: &mut tour });
                (run, tour.seen)
            }
            Told::Procedures(contracts) => {
                let mut tour = contracts::Tour::new(contracts, steps);
                let (calls, locs) = (&self.source.calls, &contracts.locs);
                let run = self.runner.run(&config, chooser, Watch { calls, locs, watcher: &mut tour });
                (run, tour.seen)
            }
        }
    }

    /// What a run contradicts, and where.
    fn contradicted(&self, run: &Run, seen: Seen) -> Option<(Contradicted, Option<Span>)> {
        let here = run.at.as_ref().map(|at| at.span);
        match &run.end {
            RunEnd::Error => Some((Contradicted::Error, here)),
            RunEnd::Unsupported(what) => {
                let edge = &self.source.edges[run.at.as_ref()?.edge];
                let claimed = matches!(edge.op, Op::Unsupported(_)) && edge.to == self.source.error;
                claimed.then(|| (Contradicted::Unsupported(what.clone()), here))
            }
            RunEnd::Watched => seen.found.map(|(what, span)| (what, Some(span))),
            _ => None,
        }
    }

    /// The run once more, to tell how to repeat it.
    fn told(&self, what: Contradicted, span: Option<Span>, mut guess: Guess, steps: u64) -> Contradiction {
        let mut recording = Recording::new(&mut guess, CHOICES);
        let (run, _) = self.run(&mut recording, steps);
        let mut contradiction = Contradiction {
            what,
            span: span.filter(|span| span.end > span.start),
            steps: run.steps,
            values: Vec::new(),
            run: Violation {
                places: Vec::new(),
                outside: Vec::new(),
                arith: if self.overflow == Overflow::Wrap { Arith::Bv } else { Arith::Int },
                choices: Vec::new(),
            },
        };
        for (key, why, value) in &recording.asked {
            let Key::Value { edge, occurrence, offset, bit } = *key else { continue };
            if matches!(why, Some(Choice::Nondet(_))) {
                contradiction.values.push((edge, value.clone()));
            }
            if *value != Value::Bits(0) {
                let (edge, value) = (edge.index() as u32, ValueText(value.clone()));
                contradiction.run.choices.push(Given { edge, occurrence, offset, bit, value });
            }
        }
        contradiction
    }
}
