//! What a proof has to show, asked segment by segment: that formulas at cuts are inductive, or that unwinding comes to an end.
//!
//! A proof in integer arithmetic speaks of runs without signed overflow. So each segment is asked about with operations that wrap around first: if it preserves the
//! formulas then, nothing is assumed. That is so where what may overflow has nothing to do with the error: all 55 proofs of predicate abstraction for the programs of `LBE`. If it is not shown that way within a
//! limit of work, it is asked about as engines read it; then one question tells whether any operation leaves its type, and if so the proof
//! leans on it, and the lines are listed: each model names some operations that overflow.
//!
//! The readings can be mixed: all segments hold of the runs that wrap around. A segment of the second kind without overflow is the same in both readings.
//!
//! Listing first and asking nothing about wrapping around took up to 20 questions a segment (in drivers without loops: one segment), and the whole search once
//! more in bit-vectors to get rid of the lines again.

use crate::check::Checked;
use crate::expand::{Cuts, Flow};
use crate::outcome::{CutPoint, Reason, Refusal};
use crate::question::Question;
use crate::segment::{Calls, Point, Segment, Walker};
use craig_base::{Budget, Span};
use craig_cfa::{ExprId, LocId};
use craig_encode::{Encoder, Part, State};
use craig_logic::{Evaluator, Substituter, Substitution, TermId};
use craig_smt::bdd::refute::{Diagrams, contradict};
use craig_smt::{Smt, Status, Undecided};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Terms of a question, and units of the solver's work on it, before diagrams are tried. Questions about proofs in words stay below.
const LARGE: usize = 400;
const SOON: u32 = 100_000;
/// Least work for the question whether a proof holds where operations wrap around: about a tenth of a second's. For a segment it may be a part of all that was done
/// so far, for an unwinding as much again, since that is what it takes.
const WRAPPED: u64 = 700_000;
const WRAPPED_PART: u64 = 8;

/// A program that is cut, and who decides.
pub(crate) struct Checker<'a> {
    pub encoder: &'a Encoder<'a>,
    pub flow: &'a Flow,
    pub cuts: &'a Cuts,
    pub overflow: &'a [Option<ExprId>],
    pub calls: &'a dyn Calls,
    pub smt: &'a Smt,
    /// The same with operations that wrap around, if those of `encoder` do not.
    pub wrapping: Option<&'a Encoder<'a>>,
    /// The proof may have come from diagrams: these are tried before the solver.
    pub diagrams: Option<&'a Diagrams>,
    pub budget: &'a Budget,
}

impl Checker<'_> {
    fn entry(&self) -> LocId {
        let program = self.encoder.program;
        program.procs[program.entry].entry
    }

    pub fn walk(&self, starts: Vec<Point>, part: Part) -> Result<Segment, Reason> {
        let Checker { encoder, flow, cuts, overflow, calls, .. } = *self;
        Walker { encoder, flow, cuts, overflow, calls }.walk(starts, part, self.budget)
    }

    fn ask(&self, status: Status) -> Result<bool, Refusal> {
        status.decided().map_err(Refusal::Undecided)
    }

    /// May this be? Proofs in words are the solver's; where they are large, or it takes long, diagrams may know.
    fn is_possible(&self, violation: TermId, question: &mut Question<'_>) -> Result<bool, Reason> {
        question.prepare(&[violation]);
        if let Some(diagrams) = self.diagrams {
            let terms = &self.encoder.terms;
            let facts: Vec<TermId> = question.facts.iter().copied().chain([violation]).collect();
            if terms.postorder(&facts).len() < LARGE {
                question.session.set_work_limit(SOON);
                let soon = question.session.check_assuming(&[violation]);
                question.session.set_work_limit(0);
                if !matches!(&soon, Status::Unknown(undecided) if undecided.gave_up()) {
                    return Ok(self.ask(soon)?);
                }
            }
            if contradict(terms, &facts, diagrams, self.budget)? {
                return Ok(false);
            }
        }
        Ok(self.ask(question.session.check_assuming(&[violation]))?)
    }

    /// Every segment preserves the formulas.
    pub fn inductive(&self, formulas: &BTreeMap<LocId, TermId>) -> Result<Checked, Reason> {
        let mut may_overflow = BTreeSet::new();
        let vocabulary = self.encoder.symbols(None);
        let cuts: Vec<LocId> =
            self.cuts.is_cut.iter_enumerated().filter(|(_, cut)| **cut).map(|(loc, _)| loc).collect();
        for start in cuts {
            if start == self.encoder.program.error || !self.flow.matters[start] {
                continue;
            }
            let shown = self.if_wrapped(self.budget.spent() / WRAPPED_PART, |checker| {
                match checker.claim(start, formulas)? {
                    Some(claim) => {
                        Ok(checker.violated(&claim, &mut checker.question(&claim, &[&vocabulary]))?.is_none())
                    }
                    None => Ok(true),
                }
            })?;
            if shown {
                continue;
            }
            let Some(claim) = self.claim(start, formulas)? else { continue };
            let mut question = self.question(&claim, &[&vocabulary]);
            if let Some(end) = self.violated(&claim, &mut question)? {
                let (from, to) = (self.cut(start), self.cut(end.unwrap_or(start)));
                return Err(Refusal::NotImplied { from, to }.into());
            }
            self.overflows(&claim, &mut question, &mut may_overflow)?;
        }
        Ok(Checked {
            locations: formulas.len(),
            may_overflow: may_overflow.into_iter().collect(),
            ..Checked::default()
        })
    }

    /// What the segment that begins at a cut has to show; none if no run comes there.
    fn claim(&self, start: LocId, formulas: &BTreeMap<LocId, TermId>) -> Result<Option<Claim>, Reason> {
        let terms = &self.encoder.terms;
        let mut part = Part::new();
        let (state, premise) = if start == self.entry() {
            (self.encoder.initial(&mut part), terms.tru())
        } else {
            (self.encoder.symbols(None), self.formula(start, formulas))
        };
        if terms.is_false(premise) {
            return Ok(None);
        }
        let point = Point { loc: start, guard: terms.tru(), state: Rc::new(state) };
        let segment = self.walk(vec![point], part)?;
        let violations = segment.ends.iter().map(|end| {
            let formula = self.after(self.formula(end.loc, formulas), &end.state);
            (end.loc, terms.and([end.guard, terms.not(formula)]))
        });
        Ok(Some(Claim { premise, violations: violations.collect(), segment }))
    }

    /// What has to hold at a cut.
    fn formula(&self, cut: LocId, formulas: &BTreeMap<LocId, TermId>) -> TermId {
        let terms = &self.encoder.terms;
        match formulas.get(&cut) {
            Some(formula) => *formula,
            // From there the error is out of reach anyway.
            None if !self.flow.leads[cut] => terms.tru(),
            None => terms.fls(),
        }
    }

    /// A question about a segment. `vocabulary`: the symbols of cells that the premise is over.
    pub fn question(&self, claim: &Claim, vocabulary: &[&State]) -> Question<'_> {
        let mut question = Question::new(self.encoder, self.smt, vocabulary);
        question.constrain(&claim.segment.part.constraints);
        question.assert(claim.premise);
        question
    }

    /// Does what has to hold at the ends of a segment follow from its premise? If not, where it may be violated, as far as that is known.
    pub fn violated(
        &self,
        claim: &Claim,
        question: &mut Question<'_>,
    ) -> Result<Option<Option<LocId>>, Reason> {
        let terms = &self.encoder.terms;
        let violations = &claim.violations;
        let any = terms.or(violations.iter().map(|(_, violation)| *violation));
        let possible = !terms.is_false(any) && self.is_possible(any, question)?;
        // What was not told says nothing about it; but whoever refuses a proof has asked with all.
        if !possible || question.prepare_all() && !self.is_possible(any, question)? {
            return Ok(None);
        }
        let end = question.session.model().and_then(|model| {
            let mut values = Evaluator::new(terms, &model);
            violations.iter().find(|(_, v)| values.holds(*v)).map(|(loc, _)| *loc)
        });
        Ok(Some(end))
    }

    /// Where signed operations of a segment may leave their types is written down.
    pub fn overflows(
        &self,
        claim: &Claim,
        question: &mut Question<'_>,
        may_overflow: &mut BTreeSet<Span>,
    ) -> Result<(), Reason> {
        let terms = &self.encoder.terms;
        let watched = &claim.segment.overflows;
        let mut rest: Vec<usize> = (0..watched.len()).filter(|&i| !terms.is_false(watched[i].1)).collect();
        // What no model names does not overflow.
        while !rest.is_empty() {
            let any = terms.or(rest.iter().map(|&i| watched[i].1));
            question.prepare(&[any]);
            match question.session.check_assuming(&[any]) {
                Status::Unsat => break,
                Status::Unknown(Undecided::Stopped(stop)) => return Err(Reason::Stopped(stop)),
                Status::Unknown(_) => {
                    may_overflow.extend(rest.iter().map(|&i| watched[i].0));
                    break;
                }
                Status::Sat => {}
            }
            let model = question.session.model();
            let before = rest.len();
            if let Some(model) = &model {
                let mut values = Evaluator::new(terms, model);
                rest.retain(|&i| {
                    let found = values.holds(watched[i].1);
                    if found {
                        may_overflow.insert(watched[i].0);
                    }
                    !found
                });
            }
            if rest.len() == before {
                may_overflow.extend(rest.iter().map(|&i| watched[i].0));
                break;
            }
        }
        Ok(())
    }

    /// Is something shown by a checker that reads operations as wrapping around? Not if that is too much work.
    fn if_wrapped(
        &self,
        work: u64,
        shown: impl FnOnce(&Checker<'_>) -> Result<bool, Reason>,
    ) -> Result<bool, Reason> {
        let Some(wrapping) = self.wrapping else { return Ok(false) };
        let overflow = vec![None; self.overflow.len()];
        let checker = Checker { encoder: wrapping, overflow: &overflow, wrapping: None, ..*self };
        let found = self.smt.limited(work.max(WRAPPED), || shown(&checker));
        self.budget.check()?;
        Ok(matches!(found, Ok(true)))
    }

    /// A formula over the state's symbols, said of a state.
    fn after(&self, formula: TermId, state: &State) -> TermId {
        let symbols = self.encoder.symbols(None);
        let mut map: Substitution =
            symbols.cells.iter().zip(&state.cells).map(|(symbol, value)| (*symbol, *value)).collect();
        map.insert(symbols.heap, state.heap);
        Substituter::new(&self.encoder.terms, &map).apply(formula)
    }

    fn cut(&self, loc: LocId) -> CutPoint {
        let program = self.encoder.program;
        if loc == program.error {
            return CutPoint::Error;
        }
        if loc == self.entry() {
            return CutPoint::Start;
        }
        CutPoint::Line(program.source.line(program.locs[loc].span))
    }

    /// Unwinds the loops until no run is left.
    pub fn unwind(&self) -> Result<Checked, Reason> {
        let mut found = None;
        let shown = self.if_wrapped(self.budget.spent(), |checker| {
            found = checker.unwound().ok();
            Ok(found.is_some())
        })?;
        match found.filter(|_| shown) {
            Some(checked) => Ok(checked),
            None => self.unwound(),
        }
    }

    fn unwound(&self) -> Result<Checked, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let mut checked = Checked::default();
        let mut may_overflow = BTreeSet::new();
        let mut part = self.encoder.part();
        let initial = self.encoder.initial(&mut part);
        let mut question = Question::new(self.encoder, self.smt, &[]);
        let is_possible = |question: &mut Question<'_>, term: TermId| {
            question.prepare(&[term]);
            question.session.check_assuming(&[term])
        };
        let mut points = vec![Point { loc: self.entry(), guard: terms.tru(), state: Rc::new(initial) }];
        while !points.is_empty() {
            self.budget.check_memory()?;
            checked.locations += points.len();
            let segment = self.walk(points, part)?;
            part = Part::new();
            question.constrain(&segment.part.constraints);
            let overflows: Vec<_> =
                segment.overflows.iter().filter(|(span, _)| !may_overflow.contains(span)).collect();
            let any = terms.or(overflows.iter().map(|(_, leaves)| *leaves));
            if !terms.is_false(any) && is_possible(&mut question, any) != Status::Unsat {
                for (span, leaves) in overflows {
                    if !may_overflow.contains(span) && is_possible(&mut question, *leaves) != Status::Unsat {
                        may_overflow.insert(*span);
                    }
                }
            }
            points = Vec::new();
            for end in segment.ends {
                let is_error = end.loc == self.encoder.program.error;
                let mut possible = self.ask(is_possible(&mut question, end.guard))?;
                if possible && is_error && question.prepare_all() {
                    possible = self.ask(is_possible(&mut question, end.guard))?;
                }
                if !possible {
                    question.assert(terms.not(end.guard));
                } else if is_error {
                    return Err(Refusal::ReachesError.into());
                } else {
                    points.push(end);
                }
            }
        }
        checked.may_overflow = may_overflow.into_iter().collect();
        Ok(checked)
    }
}

/// What a segment has to show: that from its premise no violation follows.
#[derive(Debug)]
pub(crate) struct Claim {
    pub premise: TermId,
    pub segment: Segment,
    /// At each cut where it ends, that what has to hold there does not.
    pub violations: Vec<(LocId, TermId)>,
}
