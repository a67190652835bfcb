//! Refinement: is a path of blocks an execution, and if not, why?
//!
//! [`Refiner::examine`] answers the first question, and names a short part of the path that is infeasible by itself. [`Refiner::refine`] answers the
//! second: a ladder of explanations ([`crate::explain`]), tried until one says something that the engine takes.

use crate::counterexample;
use crate::discrete::Discrete;
use crate::explain::Rung;
use crate::facts::Member;
use crate::options::RefinementOptions;
use crate::path::{Path, Paths};
use crate::run::{Observer, Stats};
use crate::task::Task;
use crate::workbench::Workbench;
use craig_base::{Budget, Timer};
use craig_cfa::{BlockId, LocId};
use craig_encode::Arith;
use craig_logic::{TermId, Terms};
use craig_smt::interpolate::{Method, NoInterpolant};
use craig_smt::{Smt, Status, Undecided};
use craig_verdict::{Counterexample, NoProgress, Reason};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::Duration;

/// What a path is.
#[derive(Debug)]
pub enum Examined {
    Execution(Counterexample),
    Infeasible(Path, Conflict),
}

/// Parts of a path that contradict each other, together with what is known of the state before them.
#[derive(Debug, Clone)]
pub struct Conflict {
    pub parts: RangeInclusive<usize>,
    /// Over the symbols of the path; `true` if nothing is needed.
    pub known: TermId,
}

/// What came of a ladder.
#[derive(Debug)]
pub enum Refined<T> {
    /// An explanation was taken.
    Taken(T),
    /// None was; why the last rung that had none had none.
    Stuck(NoProgress),
}

impl<T> Refined<T> {
    /// For those who cannot go on without.
    pub fn or_stop(self) -> Result<T, Reason> {
        match self {
            Refined::Taken(found) => Ok(found),
            Refined::Stuck(why) => Err(Reason::Refinement(why)),
        }
    }
}

/// Whether the next path is to be explained without what the tree knows, after so many refinements. What the tree knows makes
/// explanations short, but they may only count on from it (`i <= 1`, `i <= 2`, ..): where few were not enough, every other one
/// goes without. Most programs that need no such help are done after 4 refinements.
pub fn looks_back(refinements: u64) -> bool {
    const FEW: u64 = 4;
    refinements >= FEW && refinements.is_multiple_of(2)
}

/// Work for a question about a part of a path; a question that is more work is left to the next longer part. About a tenth of a second.
const SUFFIX_WORK: u32 = 500_000;

/// Of what others found at a location the newest are candidates.
const HEARD: usize = 20;

/// Counters of [`Refiner`].
#[derive(Debug, Default, Clone)]
pub struct RefineStats {
    pub refinements: u64,
    pub interpolations: u64,
    /// Interpolants by the method that gave them.
    pub computed: BTreeMap<Method, u64>,
    pub candidates: u64,
    pub fallbacks: u64,
    /// Number of atoms of each interpolant that is neither true nor false.
    pub atoms: Vec<u32>,
    /// Of finding out whether paths are executions.
    pub feasibility: Duration,
    /// Of explaining why they are not.
    pub explanation: Duration,
}

impl RefineStats {
    /// Time of all refinement.
    pub fn time(&self) -> Duration {
        self.feasibility + self.explanation
    }

    pub fn report(&self, stats: &mut Stats) {
        stats.set("refinements", self.refinements as f64);
        stats.set("interpolations", self.interpolations as f64);
        for (name, method) in [
            ("interp_proof", Method::Proof),
            ("interp_farkas", Method::Farkas),
            ("interp_spacer", Method::Spacer),
            ("interp_strongest", Method::Strongest),
            ("interp_weakest", Method::Weakest),
        ] {
            stats.set(name, self.computed.get(&method).copied().unwrap_or(0) as f64);
        }
        stats.set("interp_candidates", self.candidates as f64);
        stats.set("fallbacks", self.fallbacks as f64);
        let mut atoms = self.atoms.clone();
        atoms.sort_unstable();
        stats.set("interpolant_atoms_median", f64::from(atoms.get(atoms.len() / 2).copied().unwrap_or(0)));
        stats.set("feasibility_s", self.feasibility.as_secs_f64());
        stats.set("explanation_s", self.explanation.as_secs_f64());
        stats.time("refinement_s", self.time());
    }
}

/// What a search that refines along paths starts with.
#[derive(Debug)]
pub struct Parts<'t> {
    pub bench: Workbench<'t>,
    pub discrete: Rc<Discrete>,
    pub refiner: Refiner,
}

impl<'t> Parts<'t> {
    pub fn new(
        task: &'t Task,
        arith: Arith,
        options: &RefinementOptions,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let bench = Workbench::new(task, arith, options.blocks.kind(), budget)?;
        let discrete = Rc::new(Discrete::new(&bench)?);
        let refiner = Refiner::new(&bench, Rc::clone(&discrete), options.interpolation.method());
        Ok(Parts { bench, discrete, refiner })
    }
}

/// Checks paths and explains those that are no executions.
#[derive(Debug)]
pub struct Refiner {
    pub(crate) smt: Smt,
    /// The one method of interpolation to use; otherwise all that there are, and what the rungs add to them.
    pub(crate) method: Option<Method>,
    pub(crate) terms: Rc<Terms>,
    pub(crate) paths: Paths,
    pub(crate) discrete: Rc<Discrete>,
    member: Member,
    /// What others found, by location: worth a try.
    heard: FxHashMap<LocId, Vec<TermId>>,
    pub stats: RefineStats,
}

impl Refiner {
    pub fn new(bench: &Workbench<'_>, discrete: Rc<Discrete>, method: Option<Method>) -> Self {
        let terms = Rc::clone(&bench.terms);
        let paths =
            Paths::new(Rc::clone(&terms), Rc::clone(&bench.slots), std::sync::Arc::clone(&bench.graph));
        let member = Member::new(&bench.task.facts, bench.encoder.options.arith);
        let stats = RefineStats::default();
        let heard = FxHashMap::default();
        Refiner { smt: bench.smt.clone(), method, terms, paths, discrete, member, heard, stats }
    }

    /// Is the path from the entry an execution? If not, a short part of it near its end that is infeasible. `known` holds at the nodes
    /// of the path; `labels` as well, and are part of its formulas ([`Paths::path`]).
    pub fn examine(
        &mut self,
        bench: &mut Workbench<'_>,
        blocks: impl IntoIterator<Item = BlockId>,
        labels: &[TermId],
        known: &[TermId],
    ) -> Result<Examined, Reason> {
        let blocks = bench.formulas(blocks)?;
        let path = self.paths.path(&blocks, labels);
        let start = Timer::start();
        let conflict = self.conflict(&path, known);
        self.stats.feasibility += start.elapsed();
        match conflict? {
            Ok(conflict) => Ok(Examined::Infeasible(path, conflict)),
            Err(mut session) => {
                let model = session.require_model()?;
                counterexample::of_path(&bench.encoder, &path, &model).map(Examined::Execution)
            }
        }
    }

    /// A short part of the path near its end that is infeasible; or the session that found the whole path feasible.
    ///
    /// Parts are added from the end until they contradict each other or what is `known` of the state before them, formulas over
    /// the symbols of the state that hold at the nodes of the path. The core tells which of the last parts are not needed, and
    /// whether what is known is. A question about a part that is too much work is left to the next longer one.
    ///
    /// Tried and rejected: parts alone, without what is known. On the SSH programs their contradictions go back to the start of
    /// the path, and a path of 15 large blocks costs seconds to refute and to interpolate; with it 5 blocks are enough.
    fn conflict(
        &mut self,
        path: &Path,
        known: &[TermId],
    ) -> Result<Result<Conflict, craig_smt::Session>, Reason> {
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        for first in (0..formulas.len()).rev() {
            let known = match first.checked_sub(1) {
                Some(before) => self.paths.behind(known[first], &path.parts[before]),
                None => self.terms.tru(),
            };
            if first == 0 {
                session.set_work_limit(0);
            }
            let mut question = formulas[first..].to_vec();
            question.push(known);
            match session.check_assuming(&question) {
                Status::Sat => {}
                Status::Unsat => return Ok(Ok(self.needed(&formulas, &session.core(), first, known))),
                Status::Unknown(why) if why.gave_up() && first > 0 => {}
                Status::Unknown(why) => return Err(why.into()),
            }
        }
        Ok(Err(session))
    }

    /// Whether the parts of a path whose end is to satisfy `end` contradict each other or what is `known` of the state before them, in a few
    /// words of the solver's: a question that is too much work has the answer no.
    pub fn contradiction(
        &mut self,
        bench: &mut Workbench<'_>,
        blocks: impl IntoIterator<Item = BlockId>,
        known: TermId,
        end: TermId,
    ) -> Result<Option<(Path, Conflict)>, Reason> {
        let blocks = bench.formulas(blocks)?;
        let mut labels = vec![self.terms.tru(); blocks.len()];
        labels.push(end);
        let path = self.paths.path(&blocks, &labels);
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        let mut question = formulas.clone();
        question.push(known);
        match session.check_assuming(&question) {
            Status::Unknown(why @ Undecided::Stopped(_)) => Err(why.into()),
            Status::Sat | Status::Unknown(_) => Ok(None),
            Status::Unsat => {
                let conflict = self.needed(&formulas, &session.core(), 0, known);
                Ok(Some((path, conflict)))
            }
        }
    }

    /// The parts that a core needs, of those from `first` on and of what is known before them.
    fn needed(&self, formulas: &[TermId], core: &[TermId], first: usize, known: TermId) -> Conflict {
        let parts = span(formulas, core).unwrap_or(first..=first);
        match core.contains(&known) {
            true => Conflict { parts: first..=*parts.end(), known },
            false => Conflict { parts, known: self.terms.tru() },
        }
    }

    /// Explains a conflict: formulas over the symbols of the state at cuts inside of it (cut `i` is behind part `i`). The rungs of the ladder are
    /// tried in their order until `accept` takes what one says; if one method of interpolation was asked for, only those that use it. `candidates`,
    /// by cut, are worth a try; an empty list means that there are none.
    pub fn refine<T>(
        &mut self,
        path: &Path,
        conflict: &Conflict,
        ladder: &[Rung],
        candidates: &[Vec<TermId>],
        observer: &mut dyn Observer,
        mut accept: impl FnMut(Rung, &[(usize, TermId)]) -> Result<Option<T>, Reason>,
    ) -> Result<Refined<T>, Reason> {
        let mut stuck = NoProgress::NothingNew;
        let heard = self.heard(path, candidates);
        let candidates = heard.as_deref().unwrap_or(candidates);
        for &rung in ladder {
            if self.method.is_some() && rung != Rung::Default {
                continue;
            }
            if rung == Rung::Default {
                let name = format!("path-{}", self.stats.interpolations + 1);
                observer.script(&name, &|| self.terms.smt_script(&self.formulas(path, conflict)));
            }
            let start = Timer::start();
            let found = self.explain(path, conflict, rung, candidates);
            self.stats.explanation += start.elapsed();
            match found {
                Ok(found) => {
                    observer.detail(&|| describe(&self.terms, &path.locs, conflict, rung, &found));
                    if let Some(taken) = accept(rung, &found)? {
                        for (cut, formula) in &found {
                            self.member.give(&self.terms, path.locs[cut + 1], *formula);
                        }
                        return Ok(Refined::Taken(taken));
                    }
                }
                Err(NoInterpolant::Undecided(why)) => return Err(why.into()),
                Err(other) => stuck = NoProgress::NoInterpolant(other),
            }
            self.smt.budget().check()?;
        }
        Ok(Refined::Stuck(stuck))
    }
}

impl Refiner {
    /// The candidates with what others found at the locations of the path; `None` if that is nothing.
    fn heard(&mut self, path: &Path, candidates: &[Vec<TermId>]) -> Option<Vec<Vec<TermId>>> {
        for (loc, formula) in self.member.take(&self.terms) {
            self.heard.entry(loc).or_default().push(formula);
        }
        let at = |loc: &LocId| {
            self.heard.get(loc).map_or(&[][..], |known| &known[known.len().saturating_sub(HEARD)..])
        };
        if path.locs.iter().all(|loc| at(loc).is_empty()) {
            return None;
        }
        let cuts = path.locs[1..].iter().enumerate();
        Some(cuts.map(|(cut, loc)| [candidates.get(cut).map_or(&[][..], |c| c), at(loc)].concat()).collect())
    }
}

/// What was found about a path through these locations, each formula with its location.
fn describe(
    terms: &Terms,
    locs: &[LocId],
    conflict: &Conflict,
    rung: Rung,
    found: &[(usize, TermId)],
) -> String {
    let (parts, length) = (&conflict.parts, locs.len() - 1);
    let mut text = format!("parts {parts:?} of a path of {length} contradict each other ({rung:?})");
    for (cut, formula) in found {
        let _ = write!(text, "\n  L{}: {}", locs[cut + 1].index(), terms.c(*formula));
    }
    text
}

/// From the first to the last formula of a core.
fn span(formulas: &[TermId], core: &[TermId]) -> Option<RangeInclusive<usize>> {
    let needed = |f: &TermId| core.contains(f);
    Some(formulas.iter().position(needed)?..=formulas.iter().rposition(needed)?)
}
