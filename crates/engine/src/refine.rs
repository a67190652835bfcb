//! Refinement: is a path of blocks an execution, and if not, which part of it is not?
//!
//! [`Refiner::examine`] answers both; why that part is infeasible is for the explainer to say ([`crate::explain`]).

use crate::counterexample;
use crate::discrete::Discrete;
use crate::domains::Domains;
use crate::explain::{Heuristic, Heuristics, Memory};
use crate::facts::Member;
use crate::formulas::Formula;
use crate::options::RefinementOptions;
use crate::path::{Path, Paths};
use crate::run::Stats;
use crate::slots::Slots;
use crate::task::Task;
use crate::workbench::Workbench;
use craig_base::{Budget, Timer};
use craig_cfa::BlockId;
use craig_encode::Arith;
use craig_logic::{TermId, Terms};
use craig_smt::clauses::Clauses;
use craig_smt::interpolate::Method;
use craig_smt::{Session, Smt, Status, Undecided};
use craig_verdict::{Counterexample, Reason};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
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

/// Work for a question about a part of a path; a question that is more work is left to a longer part. About a tenth of a second.
const SUFFIX_WORK: u32 = 500_000;

/// So many ends of a path are asked about one by one, each longer by a part than the one before; then each is longer by half.
const ONE_BY_ONE: usize = 4;

/// Parts of up to so many blocks are looked at one by one ([`Refiner::shortest`]): with 4 or 8 fewer random programs were decided.
const LONGEST: usize = 20;

/// Work for a question about one of them, some thousandths of a second: where blocks are so large that it is not enough, what is known before a part makes it shorter.
const SHORTEST_WORK: u32 = 20_000;

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
    pub refiner: Refiner,
}

impl<'t> Parts<'t> {
    pub fn new(
        task: &'t Task,
        arith: Arith,
        options: &RefinementOptions,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let mut bench = Workbench::new(task, arith, options.blocks.kind(), budget)?;
        let discrete = Rc::new(Discrete::new(&bench)?);
        let mut domains = match options.heuristics.has(Heuristic::Domains) {
            true => Domains::new(&bench)?,
            false => Domains::default(),
        };
        if options.heuristics.has(Heuristic::Ranges) {
            domains = domains.with_ranges(bench.ranges());
        }
        bench.domains = Rc::new(domains);
        let refiner = Refiner::new(&bench, discrete, options.interpolation.method(), options.heuristics);
        Ok(Parts { bench, refiner })
    }
}

/// Checks paths and explains those that are no executions.
#[derive(Debug)]
pub struct Refiner {
    pub(crate) smt: Smt,
    /// The one method of interpolation to use; otherwise all that there are, and what the rungs add to them.
    pub(crate) method: Option<Method>,
    pub heuristics: Heuristics,
    pub(crate) terms: Rc<Terms>,
    pub(crate) slots: Rc<Slots>,
    pub(crate) paths: Paths,
    pub(crate) domains: Rc<Domains>,
    pub(crate) discrete: Rc<Discrete>,
    pub(crate) member: Member,
    pub(crate) memory: Memory,
    pub(crate) clauses: Clauses,
    /// Blocks that can be passed one after the other, as far as is known.
    passable: FxHashSet<Vec<BlockId>>,
    pub stats: RefineStats,
}

impl Refiner {
    pub fn new(
        bench: &Workbench<'_>,
        discrete: Rc<Discrete>,
        method: Option<Method>,
        heuristics: Heuristics,
    ) -> Self {
        let (terms, slots) = (Rc::clone(&bench.terms), Rc::clone(&bench.slots));
        Refiner {
            smt: bench.smt.clone(),
            method,
            heuristics,
            paths: Paths::new(bench),
            domains: Rc::clone(&bench.domains),
            terms,
            slots,
            discrete,
            member: Member::new(&bench.task.facts, bench.encoder.options.arith),
            memory: Memory::default(),
            clauses: Clauses::default(),
            passable: FxHashSet::default(),
            stats: RefineStats::default(),
        }
    }

    pub fn report(&self, stats: &mut Stats) {
        self.stats.report(stats);
        self.memory.report(stats);
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

    /// The shortest part of a path that cannot be passed whatever is known before it, and the last of these; `None` if there is none of few blocks, or if the path carries values of discrete variables: on protocols
    /// what is known makes parts short. Which parts can be passed is remembered: paths share most of theirs.
    pub fn shortest(
        &mut self,
        bench: &mut Workbench<'_>,
        blocks: &[BlockId],
    ) -> Result<Option<(Path, Conflict)>, Reason> {
        let path = self.paths.path(&bench.formulas(blocks.iter().copied())?, &[]);
        let start = Timer::start();
        let whole = Conflict { parts: 0..=blocks.len().saturating_sub(1), known: self.terms.tru() };
        if self.carries_values(&path, &whole) {
            return Ok(None);
        }
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SHORTEST_WORK);
        let parts = (2..=blocks.len().min(LONGEST))
            .flat_map(|n| (0..=formulas.len() - n).rev().map(move |first| first..first + n));
        let mut found = None;
        for part in parts {
            if self.passable.contains(&blocks[part.clone()]) {
                continue;
            }
            match session.check_assuming(&formulas[part.clone()]) {
                Status::Unsat => {
                    found = Some(Conflict { parts: part.start..=part.end - 1, known: self.terms.tru() });
                    break;
                }
                Status::Unknown(why) if !why.gave_up() => return Err(why.into()),
                Status::Sat | Status::Unknown(_) => {
                    self.passable.insert(blocks[part].to_vec());
                }
            }
        }
        self.stats.feasibility += start.elapsed();
        Ok(found.map(|conflict| (path, conflict)))
    }

    /// The formulas of a path from the entry.
    pub fn path(&mut self, blocks: &[(BlockId, Rc<Formula>)]) -> Path {
        self.paths.path(blocks, &[])
    }

    /// The formulas of a path from states of which something is known.
    pub fn path_from(&mut self, known: TermId, blocks: &[(BlockId, Rc<Formula>)]) -> Path {
        let mut labels = vec![self.terms.tru(); blocks.len() + 1];
        labels[0] = known;
        self.paths.path(blocks, &labels)
    }

    /// A formula as clauses, where these are few.
    pub fn clauses(&mut self, formula: TermId) -> Vec<TermId> {
        self.clauses.of(&self.terms, formula)
    }

    /// Is the path from the entry an execution? For those who do not want to know why not.
    pub fn execution(
        &mut self,
        bench: &mut Workbench<'_>,
        blocks: impl IntoIterator<Item = BlockId>,
    ) -> Result<Option<Counterexample>, Reason> {
        let blocks = bench.formulas(blocks)?;
        let path = self.paths.path(&blocks, &[]);
        let start = Timer::start();
        let mut session = self.smt.session();
        path.parts.iter().for_each(|part| session.assert(part.formula));
        let feasible = session.check().decided();
        self.stats.feasibility += start.elapsed();
        if !feasible? {
            return Ok(None);
        }
        let model = session.require_model()?;
        counterexample::of_path(&bench.encoder, &path, &model).map(Some)
    }

    /// A short part of the path near its end that is infeasible; or the session that found the whole path feasible.
    ///
    /// Parts are added from the end until they contradict each other or what is `known` of the state before them, formulas over
    /// the symbols of the state that hold at the nodes of the path. The core tells which of the last parts are not needed, and
    /// whether what is known is. A question about a part that is too much work is left to a longer one.
    ///
    /// Tried and rejected: parts alone, without what is known. On the SSH programs their contradictions go back to the start of
    /// the path, and a path of 15 large blocks costs seconds to refute and to interpolate; with it 5 blocks are enough.
    fn conflict(&mut self, path: &Path, known: &[TermId]) -> Result<Result<Conflict, Session>, Reason> {
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        let in_parts = self.heuristics.has(Heuristic::Part);
        let mut first = if in_parts { formulas.len() } else { 0 };
        loop {
            let length = formulas.len() - first;
            first = first.saturating_sub(if length < ONE_BY_ONE { 1 } else { length / 2 });
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
                Status::Sat if first == 0 => return Ok(Err(session)),
                Status::Sat => {}
                Status::Unsat if in_parts => {
                    return Ok(Ok(self.needed(&formulas, &session.core(), first, known)));
                }
                Status::Unsat => return Ok(Ok(Conflict { parts: 0..=formulas.len() - 1, known })),
                Status::Unknown(why) if why.gave_up() && first > 0 => {}
                Status::Unknown(why) => return Err(why.into()),
            }
        }
    }

    /// The shortest prefix of an infeasible path that is infeasible, if it has fewer parts to explain than the conflict that is known. Of the prefixes that a path may be
    /// refuted by, one is as good as another for R; what is shorter says less that is of no use.
    pub fn prefix(&mut self, path: &Path, known: &Conflict) -> Result<Option<Conflict>, Reason> {
        let start = Timer::start();
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        let mut found = None;
        for end in 0..*known.parts.end() {
            match session.check_assuming(&formulas[..=end]) {
                Status::Unsat => {
                    found = Some(self.needed(&formulas, &session.core(), 0, self.terms.tru()));
                    break;
                }
                Status::Unknown(why) if !why.gave_up() => return Err(why.into()),
                Status::Sat | Status::Unknown(_) => {}
            }
        }
        self.stats.feasibility += start.elapsed();
        Ok(found.filter(|f| f.parts.clone().count() < known.parts.clone().count()))
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
}

/// From the first to the last formula of a core.
fn span(formulas: &[TermId], core: &[TermId]) -> Option<RangeInclusive<usize>> {
    let needed = |f: &TermId| core.contains(f);
    Some(formulas.iter().position(needed)?..=formulas.iter().rposition(needed)?)
}
