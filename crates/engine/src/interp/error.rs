//! The attribute E: existential error interpolants (RSE, III.B).
//!
//! The end of an infeasible path, from after its last reachable state back as far as it is feasible for some state, is a way to the error that others may take. Where such a suffix begins, E
//! has what its states look like: an interpolant between it and the path that could not take it, which is the negation of the one between that path and it. That over-approximates, so
//! a hit (what is known at a node implies E) is no answer, as the document has it, but directs the search: the path to the node with the suffix behind it is
//! asked for, and only a run of all of it counts. With exact E the precondition of the suffix itself is asked for, which is satisfiability of path and suffix and no implication.

use super::ErrorInterpolants;
use super::steps::{Beside, Steps};
use crate::counterexample;
use crate::explain::{Explained, Provenance};
use crate::path::Path;
use crate::refine::{Conflict, Refiner};
use crate::run::Observer;
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Model, TermId};
use craig_verdict::{Counterexample, Reason};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Some hundredths of a second in any case, and of the work of the search little more: E has more to say of small programs.
const FREE: u64 = 200_000;
const SHARE: u64 = 64;
/// Suffixes of a location, the newest; and so many of them are asked for at a node. Not tuned.
const MOST: usize = 8;
const ASKED: usize = 3;
/// A suffix that was refuted so often is not asked for again; nor are the suffixes of a location that were refuted so often together.
const REFUTED: u32 = 3;
const IN_VAIN: u32 = 12;
/// Longer suffixes are not kept.
const LONGEST: usize = 16;
/// Work for finding out whether a suffix, or a path with it, is feasible; one that takes more is not worth it.
const WORK: u32 = 100_000;

#[derive(Debug)]
struct Suffix {
    /// Contains all states that can take it.
    over: TermId,
    blocks: Vec<BlockId>,
    refuted: u32,
}

#[derive(Debug)]
pub struct Errors {
    kind: ErrorInterpolants,
    at: FxHashMap<LocId, Vec<Suffix>>,
    /// How often suffixes were refuted at a location.
    in_vain: FxHashMap<LocId, u32>,
    pub steps: Steps,
    pub confirmed: u64,
    pub refuted: u64,
    /// Blocks of suffixes that nobody had to search for.
    pub saved: u64,
}

impl Errors {
    pub fn new(kind: ErrorInterpolants, solver: &Beside) -> Self {
        let (at, in_vain) = (FxHashMap::default(), FxHashMap::default());
        let steps = Steps::new(solver, SHARE, FREE);
        Errors { kind, at, in_vain, steps, confirmed: 0, refuted: 0, saved: 0 }
    }

    /// Learns from an infeasible path to the error and what explains it.
    pub fn learn(
        &mut self,
        bench: &Workbench<'_>,
        path: &Path,
        conflict: &Conflict,
        found: &[Explained],
        observer: &mut dyn Observer,
    ) -> Result<(), Reason> {
        if !self.steps.has_plenty(bench) {
            return Ok(());
        }
        let (terms, length) = (Rc::clone(&bench.terms), path.blocks.len());
        let over = |position: usize| {
            let interpolant =
                |e: &&Explained| e.cut + 1 == position && matches!(e.by, Provenance::Interpolant(..));
            match found.iter().find(interpolant) {
                Some(e) => Some(terms.not(e.formula)),
                // Behind the last reachable state the path says nothing: its interpolant is false.
                None if position > *conflict.parts.end() => Some(terms.tru()),
                None if self.kind == ErrorInterpolants::Exact => Some(terms.tru()),
                None => None,
            }
        };
        let positions = length.saturating_sub(LONGEST).max(1)..length;
        let known: Vec<(usize, TermId)> = positions.filter_map(|p| Some((p, over(p)?))).collect();
        let Some((lowest, _)) = known.first() else { return Ok(()) };
        let first = self.feasible_suffix(bench, path, conflict, found, *lowest)?;
        for (position, over) in known.into_iter().filter(|(position, _)| *position >= first) {
            let (program, loc) = (bench.program(), path.locs[position]);
            observer.detail(&|| {
                let line = program.source.line(program.locs[loc].span);
                let over = if terms.is_true(over) { "true".into() } else { terms.c(over) };
                format!("  L{} (line {line}): E has {over}", loc.index())
            });
            let blocks: Vec<BlockId> = path.blocks[position..].iter().map(|(block, _)| *block).collect();
            let here = self.at.entry(loc).or_default();
            match here.iter_mut().find(|s| s.blocks == blocks) {
                Some(known) => known.over = terms.or([known.over, over]),
                None => here.push(Suffix { over, blocks, refuted: 0 }),
            }
            here.drain(..here.len().saturating_sub(MOST));
        }
        Ok(())
    }

    /// Does a suffix lead from the end of a path, of which the label is known, to the error? Then the execution.
    pub fn hit(
        &mut self,
        bench: &mut Workbench<'_>,
        refiner: &mut Refiner,
        label: TermId,
        path: &[BlockId],
    ) -> Result<Option<Counterexample>, Reason> {
        let Some(loc) = path.last().map(|block| bench.graph.block(*block).to) else { return Ok(None) };
        let in_vain = self.in_vain.entry(loc).or_default();
        let Some(suffixes) = self.at.get_mut(&loc).filter(|_| *in_vain < IN_VAIN) else { return Ok(None) };
        // A single block to the error is what the search looks at next in any case.
        let worth = |s: &&mut Suffix| s.refuted < REFUTED && s.blocks.len() > 1;
        for suffix in suffixes.iter_mut().rev().filter(worth).take(ASKED) {
            if !self.steps.may_ask(bench) {
                return Ok(None);
            }
            if self.kind == ErrorInterpolants::Over && !self.steps.implies(bench, label, suffix.over)? {
                continue;
            }
            // First from the label, which takes less to refute.
            let blocks = bench.formulas(suffix.blocks.iter().copied())?;
            let end = refiner.path_from(label, &blocks);
            if ask(&mut self.steps, bench, &end)?.is_some() {
                let blocks = bench.formulas(path.iter().chain(&suffix.blocks).copied())?;
                let whole = refiner.path(&blocks);
                if let Some(model) = ask(&mut self.steps, bench, &whole)? {
                    self.steps.was_useful();
                    self.confirmed += 1;
                    self.saved += suffix.blocks.len() as u64;
                    return counterexample::of_path(&bench.encoder, &whole, &model).map(Some);
                }
            }
            suffix.refuted += 1;
            *in_vain += 1;
            self.refuted += 1;
        }
        Ok(None)
    }

    /// Where the longest suffix begins that is found to be feasible: behind the last reachable state, or before, as far as somebody wants to know and no question takes too
    /// much work.
    fn feasible_suffix(
        &mut self,
        bench: &Workbench<'_>,
        path: &Path,
        conflict: &Conflict,
        found: &[Explained],
        lowest: usize,
    ) -> Result<usize, Reason> {
        let out_of_reach = found.iter().filter(|e| bench.terms.is_false(e.formula)).map(|e| e.cut);
        let last = out_of_reach.min().unwrap_or(*conflict.parts.end());
        let mut first = (last + 1).min(path.parts.len());
        let lowest = lowest.max(*conflict.parts.start() + 1);
        if first <= lowest {
            return Ok(first);
        }
        let mut session = self.steps.session(bench, WORK)?;
        // Behind the last reachable state nothing was asked yet, but is asserted with what lies before it.
        let mut parts: Vec<TermId> = path.parts[first..].iter().map(|part| part.formula).collect();
        while first > lowest && self.steps.may_ask(bench) {
            parts.push(path.parts[first - 1].formula);
            if self.steps.check(bench, &mut session, &parts)?.is_none() {
                break;
            }
            first -= 1;
            parts.clear();
        }
        Ok(first)
    }
}

/// A model of a path, if one is found.
fn ask(steps: &mut Steps, bench: &Workbench<'_>, path: &Path) -> Result<Option<Model>, Reason> {
    let parts: Vec<TermId> = path.parts.iter().map(|part| part.formula).collect();
    let mut session = steps.session(bench, WORK)?;
    steps.check(bench, &mut session, &parts)
}
