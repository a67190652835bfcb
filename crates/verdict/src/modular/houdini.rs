//! Which of many guesses about procedures hold together (Houdini): from all of them those are dropped that some segment does not keep, until the rest is inductive. For engines
//! that guess; what is left is a proof only if [`Ground::check`] accepts it.
//!
//! Where a proof says nothing it claims that no run comes there. Whoever guesses and does not mean that adds `true`, which is always kept.

use super::{Claims, Ground, Said, Site};
use crate::certificate::{Procedures, Summary};
use crate::induction::{Checker, Claim};
use crate::outcome::Reason;
use crate::segment::{Point, Segment};
use craig_base::Budget;
use craig_cfa::{LocId, ProcId};
use craig_encode::{Encoder, Part, State};
use craig_logic::{Evaluator, TermId, Terms};
use craig_smt::{Smt, Status};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A formula of the proof, by its place in the lists of those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Guess {
    Invariant(LocId, usize),
    Summary(ProcId, usize),
}

impl Ground<'_> {
    /// The formulas that hold together, as long as nobody asks about the error. Where the proof says nothing, it says so still.
    pub fn kept(&self, budget: &Budget) -> Result<Procedures, Reason> {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let encoder = Encoder::new(&self.separated.program, &self.layout, terms, self.options);
        let now = encoder.symbols(None);
        let mut claims = super::Reader::new(self, &encoder).claims()?;
        let mut kept = self.given.clone();
        loop {
            let dropped = self.refuted(&encoder, &smt, &now, &claims, budget)?;
            if dropped.is_empty() {
                return Ok(kept);
            }
            drop_from(&mut claims, &mut kept, &dropped);
        }
    }

    /// Guesses that the segments do not keep, if the others hold.
    fn refuted(
        &self,
        encoder: &Encoder<'_>,
        smt: &Smt,
        now: &State,
        claims: &Claims,
        budget: &Budget,
    ) -> Result<BTreeSet<Guess>, Reason> {
        let flow = crate::expand::Flow::of_all(&self.separated.program);
        let cuts = self.cuts(&flow);
        let said = Said { ground: self, encoder, claims, changes: self.changes(encoder)? };
        let (wrapping, diagrams) = (None, None);
        let (flow, cuts, overflow) = (&flow, &cuts, &self.overflow);
        let checker =
            Checker { encoder, flow, cuts, overflow, calls: &said, smt, wrapping, diagrams, budget };
        let mut entry = now.clone();
        encoder.layout.cells().indices().for_each(|cell| {
            encoder.forget(cell, &mut entry, &mut Part::new());
        });
        encoder.forget_heap(&mut entry, &mut Part::new());
        let mut found = BTreeSet::new();
        for (start, _) in cuts.is_cut.iter_enumerated().filter(|(_, cut)| **cut) {
            if let Some(begun) = said.begin(&checker, start, now, &entry)? {
                refuted_behind(begun, &said, &checker, &[now, &entry], &mut found)?;
            }
        }
        Ok(found)
    }
}

/// Guesses that one segment does not keep.
fn refuted_behind(
    (premise, first, mut segment): (TermId, State, Segment),
    said: &Said<'_>,
    checker: &Checker<'_>,
    vocabulary: &[&State],
    found: &mut BTreeSet<Guess>,
) -> Result<(), Reason> {
    let terms = &said.encoder.terms;
    let Segment { part, ends, .. } = &mut segment;
    let mut open: Vec<(Guess, TermId)> = Vec::new();
    for end in ends.iter() {
        for (guess, formula) in said.guesses(end, &first, part) {
            open.push((guess, terms.and([end.guard, terms.not(formula)])));
        }
    }
    let claim = Claim { premise, segment, violations: Vec::new() };
    let mut question = checker.question(&claim, vocabulary);
    loop {
        open.retain(|(guess, violation)| !found.contains(guess) && !terms.is_false(*violation));
        let any = terms.or(open.iter().map(|(_, violation)| *violation));
        if terms.is_false(any) {
            return Ok(());
        }
        question.prepare(&[any]);
        question.prepare_all();
        let model = match question.session.check_assuming(&[any]) {
            Status::Unsat => return Ok(()),
            Status::Sat => question.session.model(),
            Status::Unknown(_) => None,
        };
        checker.budget.check()?;
        let before = found.len();
        if let Some(model) = model {
            let mut values = Evaluator::new(terms, &model);
            found.extend(open.iter().filter(|(_, violation)| values.holds(*violation)).map(|(g, _)| *g));
        }
        if found.len() == before {
            // All of them may be too much for the solver. What nobody knows even alone is no fact.
            for (guess, violation) in &open {
                if !matches!(question.session.check_assuming(&[*violation]), Status::Unsat) {
                    found.insert(*guess);
                }
                checker.budget.check()?;
            }
            return Ok(());
        }
    }
}

fn drop_from(claims: &mut Claims, kept: &mut Procedures, dropped: &BTreeSet<Guess>) {
    for guess in dropped.iter().rev() {
        // Lists of claims are in the order of the text.
        match *guess {
            Guess::Invariant(loc, at) => {
                claims.invariants.get_mut(&loc).expect("a guess").remove(at);
                remove_nth(&mut kept.invariants, at, |i| i.location == loc.raw());
            }
            Guess::Summary(proc, at) => {
                claims.summaries.get_mut(&proc).expect("a guess").remove(at);
                remove_nth(&mut kept.summaries, at, |s: &Summary| s.procedure == proc.raw());
            }
        }
    }
}

fn remove_nth<T>(list: &mut Vec<T>, n: usize, is: impl Fn(&T) -> bool) {
    let at = list.iter().enumerate().filter(|(_, item)| is(item)).map(|(at, _)| at).nth(n);
    at.into_iter().for_each(|at| drop(list.remove(at)));
}

impl Said<'_> {
    /// The formulas of an end of a segment, one by one.
    fn guesses(&self, end: &Point, entry: &State, part: &mut Part) -> Vec<(Guess, TermId)> {
        let (loc, now) = (end.loc, &*end.state);
        let (formulas, entry) = match self.ground.site(loc) {
            Site::Exit(proc) => (self.claims.summaries.get(&proc), entry),
            Site::Entry(_) => (self.claims.invariants.get(&loc), now),
            Site::Inside => (self.claims.invariants.get(&loc), entry),
            Site::Start | Site::Error => (None, entry),
        };
        let guess = |at| match self.ground.site(loc) {
            Site::Exit(proc) => Guess::Summary(proc, at),
            _ => Guess::Invariant(loc, at),
        };
        let between = super::Between { entry, now, at_call: false };
        let formulas = formulas.map_or(&[][..], |formulas| &formulas[..]).iter().enumerate();
        formulas.map(|(at, f)| (guess(at), self.say(std::slice::from_ref(f), between, part))).collect()
    }
}
