//! The explainer: why a part of a path is infeasible, in formulas over the state at its cuts.
//!
//! An engine has a [`Plan`]: which ways to find formulas it wants, in its order (the ladder of [`Rung`]s), and what is added to what they say. They are tried until
//! one says something that the engine takes. Every formula tells where it comes from ([`Provenance`]). What goes beyond the papers has switches
//! ([`Heuristics`]), so that what each is good for can be measured, and the algorithms of the papers be run as they stand.
//!
//! | module | holds |
//! |---|---|
//! | [`heuristics`] | the switches |
//! | [`rungs`] | the ways to find formulas |
//! | [`shorten`] | interpolants without what the next one does not need |
//! | [`weaken`] | bounds that are moved as far as the next interpolant allows |
//! | [`tuples`] | interpolants that name the values of discrete variables |
//! | [`repetition`] | explanations that repeat each other with other numbers |
//! | [`inductive`] | what of all that was found is inductive |
//! | [`combinations`] | which values of discrete variables come together |
//! | [`drift`] | bounds that count on, and relations that would stop them |

pub mod combinations;
pub mod drift;
pub mod heuristics;
pub mod inductive;
pub mod repetition;
pub mod rungs;
mod shorten;
pub mod tuples;
mod weaken;

use crate::formulas::Formula;
use crate::path::Path;
use crate::refine::{Conflict, Refiner};
use crate::run::{Observer, Stats};
use crate::slots::Slots;
use craig_base::Timer;
use craig_cfa::{BlockId, LocId};
use craig_logic::{TermId, Terms};
use craig_smt::interpolate::{NoInterpolant, Origin, Strength, tidy};
use craig_verdict::{NoProgress, Reason};
use drift::Drift;
pub use heuristics::{Heuristic, Heuristics};
use repetition::Repetition;
pub use rungs::Rung;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// How an engine wants its paths explained.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Tried in this order.
    pub ladder: &'static [Rung],
    /// All values of a discrete variable join what is said of it at a location for the second time. Once is no reason: an abstraction that
    /// knows all values of all variables is too much work. (At once, the abstract states of the NT drivers with large blocks were the product of all flags.)
    pub all_values: bool,
    /// Formulas that were found at a location before are tried as interpolants there, where they fit: that is what makes the labels of a loop
    /// converge instead of counting on.
    pub candidates: bool,
    /// Bounds in interpolants are moved ([`weaken`]). Not for predicates, of which each bound is one that an abstraction has to decide.
    pub weaken: bool,
}

/// A formula over the symbols of the state at a cut (cut `i` is behind part `i` of the path).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explained {
    pub cut: usize,
    pub formula: TermId,
    pub by: Provenance,
}

/// Where a formula comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// An interpolant over discrete variables.
    Tuples,
    Interpolant(Strength, Origin),
    /// An atom of the path.
    PathAtom,
    /// Another value of a discrete variable that was mentioned again.
    AllValues,
    /// A relation between bounds that count on. Whether it holds, nobody knows.
    Guess,
}

impl Provenance {
    const COUNTED: [&'static str; 5] = [
        "explained_tuples",
        "explained_interpolants",
        "explained_path_atoms",
        "explained_all_values",
        "explained_guesses",
    ];

    fn counter(self) -> usize {
        match self {
            Provenance::Tuples => 0,
            Provenance::Interpolant(..) => 1,
            Provenance::PathAtom => 2,
            Provenance::AllValues => 3,
            Provenance::Guess => 4,
        }
    }

    fn words(self) -> String {
        match self {
            Provenance::Tuples => "tuples".into(),
            Provenance::Interpolant(_, Origin::Core) => "core".into(),
            Provenance::Interpolant(_, Origin::Candidate) => "candidate".into(),
            Provenance::Interpolant(Strength::Simple, Origin::Computed(method)) => method.name().into(),
            Provenance::Interpolant(strength, Origin::Computed(method)) => {
                format!("{}, {}", method.name(), format!("{strength:?}").to_lowercase())
            }
            Provenance::PathAtom => "atom of the path".into(),
            Provenance::AllValues => "all values".into(),
            Provenance::Guess => "guess".into(),
        }
    }
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

/// Of what is known at a location the newest are candidates: each costs a question at every cut. First of what was found before, then of what others found.
const TRIED: usize = 32;
const HEARD: usize = 20;

/// Goals with more atoms are not guessed: each would be a predicate, and of a large block there may be hundreds.
const GOAL: usize = 4;

/// What explanations leave behind.
#[derive(Debug, Default)]
pub struct Memory {
    /// Slots that explanations spoke of at a location.
    mentioned: FxHashSet<(LocId, u32)>,
    drift: Drift,
    repetition: Repetition,
    /// Blocks of which it was guessed that they cannot be passed.
    asked: FxHashSet<BlockId>,
    /// Bounds that were moved.
    moved: Repetition,
    /// The last explanation repeated earlier ones.
    repeated: bool,
    /// What the engine knows does not count for the path at hand.
    left_out: bool,
    /// What was found and guessed, by location.
    found: FxHashMap<LocId, Vec<TermId>>,
    /// What others found, by location.
    heard: FxHashMap<LocId, Vec<TermId>>,
    /// Formulas by provenance.
    counted: [u64; Provenance::COUNTED.len()],
}

impl Memory {
    pub fn report(&self, stats: &mut Stats) {
        for (name, count) in Provenance::COUNTED.iter().zip(self.counted) {
            stats.set(name, count as f64);
        }
    }
}

impl Refiner {
    /// Explains a conflict: formulas over the symbols of the state at cuts inside of it. The rungs of the plan are tried in their order until `accept` takes
    /// what one says; if one method of interpolation was asked for, only those that use it. `more` is tried as an interpolant at every cut.
    pub fn explain<T>(
        &mut self,
        path: &Path,
        conflict: &Conflict,
        plan: &Plan,
        more: &[TermId],
        observer: &mut dyn Observer,
        mut accept: impl FnMut(&[Explained]) -> Result<Option<T>, Reason>,
    ) -> Result<Refined<T>, Reason> {
        let mut stuck = NoProgress::NothingNew;
        let candidates = self.candidates(path, plan, more);
        for &rung in plan.ladder {
            if !self.wanted(rung) {
                continue;
            }
            if rung == Rung::Default {
                let name = format!("path-{}", self.stats.interpolations + 1);
                observer.script(&name, &|| self.terms.smt_script(&self.formulas(path, conflict)));
            }
            if matches!(rung, Rung::Strong | Rung::Weak | Rung::PathAtoms) {
                self.stats.fallbacks += 1;
            }
            let start = Timer::start();
            let found = self.climb(path, conflict, rung, plan, &candidates);
            self.stats.explanation += start.elapsed();
            match found {
                Ok(mut found) => {
                    let repeats = self.add(path, conflict, plan, &mut found);
                    observer.detail(&|| describe(&self.terms, &path.locs, conflict, &found));
                    if let Some(taken) = accept(&found)? {
                        self.memory.repeated = repeats && !self.memory.left_out;
                        self.paths.ranged |= repeats;
                        self.taken(path, plan, &found);
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

    /// Whether the next path is to be explained without what the engine knows: from it, explanations only counted on, or there were none. Asked once for each path.
    pub fn leaves_out_known(&mut self) -> bool {
        let repeated = std::mem::take(&mut self.memory.repeated) && self.heuristics.has(Heuristic::Repeat);
        self.memory.left_out = repeated || !self.heuristics.has(Heuristic::Known);
        self.memory.left_out
    }

    /// Whether a path that could not be explained is worth another try, without what the engine knows.
    pub fn tries_again(&mut self) -> bool {
        self.memory.repeated = !self.memory.left_out && self.heuristics.has(Heuristic::Repeat);
        self.memory.repeated
    }

    fn wanted(&self, rung: Rung) -> bool {
        let switch = match rung {
            Rung::Default => return true,
            Rung::Tuples => Heuristic::Tuples,
            Rung::Strong | Rung::Weak | Rung::PathAtoms => Heuristic::Fallback,
        };
        self.method.is_none() && self.heuristics.has(switch)
    }

    /// What is worth a try at each cut.
    fn candidates(&mut self, path: &Path, plan: &Plan, more: &[TermId]) -> Vec<Vec<TermId>> {
        for (loc, formula) in self.member.take(&self.terms) {
            self.memory.heard.entry(loc).or_default().push(formula);
        }
        let newest = |of: &FxHashMap<LocId, Vec<TermId>>, loc: &LocId, most: usize| {
            of.get(loc).map_or(Vec::new(), |known| known[known.len().saturating_sub(most)..].to_vec())
        };
        let at = |loc: &LocId| {
            let mut all = Vec::new();
            if plan.candidates && self.heuristics.has(Heuristic::Candidates) {
                all.extend(newest(&self.memory.found, loc, TRIED));
                all.extend(more);
            }
            if self.heuristics.has(Heuristic::Facts) {
                all.extend(newest(&self.memory.heard, loc, HEARD));
            }
            all
        };
        path.locs[1..].iter().map(at).collect()
    }

    /// Adds to an explanation what the plan and the heuristics add; whether it repeats earlier ones.
    fn add(&mut self, path: &Path, conflict: &Conflict, plan: &Plan, found: &mut Vec<Explained>) -> bool {
        let Refiner { terms, slots, discrete, memory, heuristics, .. } = self;
        let mut more = Vec::new();
        let mut said: FxHashSet<(usize, TermId)> = found.iter().map(|f| (f.cut, f.formula)).collect();
        let mut repeats = false;
        for Explained { cut, formula, .. } in found.iter() {
            let (cut, loc) = (*cut, path.locs[cut + 1]);
            let mut atoms = terms.atoms(&[*formula]);
            if heuristics.has(Heuristic::Drift) {
                let guesses = memory.drift.note(terms, loc, &atoms);
                more.extend(everywhere(path, loc, &guesses));
                atoms.extend(guesses);
            }
            let is_discrete =
                |atom| slots.of(terms, &[atom]).iter().all(|slot| discrete.atoms(*slot).next().is_some());
            repeats |= memory.repetition.note(terms, loc, &atoms, is_discrete);
            if plan.all_values && heuristics.has(Heuristic::AllValues) {
                for slot in slots.of(terms, &atoms) {
                    if !memory.mentioned.insert((loc, slot)) {
                        let all = discrete.atoms(slot).filter(|formula| said.insert((cut, *formula)));
                        more.extend(all.map(|formula| Explained { cut, formula, by: Provenance::AllValues }));
                    }
                }
            }
        }
        found.extend(more);
        let last = *conflict.parts.end();
        if repeats && heuristics.has(Heuristic::Goal) && memory.asked.insert(path.blocks[last].0) {
            let goal = goal(terms, slots, &path.blocks[last].1);
            found.extend(everywhere(path, path.locs[last], goal.as_slice()));
        }
        repeats
    }

    /// Remembers an explanation that the engine took, and tells others.
    fn taken(&mut self, path: &Path, plan: &Plan, found: &[Explained]) {
        for Explained { cut, formula, by } in found {
            let loc = path.locs[cut + 1];
            self.memory.counted[by.counter()] += 1;
            if matches!(by, Provenance::Interpolant(..) | Provenance::Tuples) {
                self.member.give(&self.terms, loc, *formula);
            }
            if plan.candidates {
                let known = self.memory.found.entry(loc).or_default();
                // Of a guess it is guessed what is worth asking, not whether it holds.
                let opposite = (*by == Provenance::Guess).then(|| self.terms.not(*formula));
                for formula in self.terms.conjuncts(*formula).iter().copied().chain(opposite) {
                    if !self.terms.is_false(formula) && !known.contains(&formula) {
                        known.push(formula);
                    }
                }
            }
        }
    }
}

/// That a block cannot be passed, as far as the state alone decides: where explanations count on, that is what they could have said instead.
fn goal(terms: &Terms, slots: &Slots, block: &Formula) -> Option<TermId> {
    let of_state = |c: &&TermId| {
        terms.symbols_of(**c).iter().all(|symbol| slots.slot(terms.symbol_term(*symbol)).is_some())
    };
    let asked: Vec<TermId> = block.constraints.iter().filter(of_state).copied().collect();
    let goal = terms.not(tidy::conjunction(terms, &asked));
    (1..=GOAL).contains(&terms.atoms(&[goal]).len()).then_some(goal)
}

/// Guesses for a location, wherever a path comes there: what holds in a loop holds from the first time on.
fn everywhere(path: &Path, loc: LocId, guesses: &[TermId]) -> Vec<Explained> {
    let cuts = (0..path.blocks.len() - 1).filter(|cut| path.locs[cut + 1] == loc);
    let at = |cut| guesses.iter().map(move |g| Explained { cut, formula: *g, by: Provenance::Guess });
    cuts.flat_map(at).collect()
}

/// What was found about a path through these locations, each formula with its location and where it comes from.
fn describe(terms: &Terms, locs: &[LocId], conflict: &Conflict, found: &[Explained]) -> String {
    let (parts, length) = (&conflict.parts, locs.len() - 1);
    let mut text = format!("parts {parts:?} of a path of {length} contradict each other");
    for Explained { cut, formula, by } in found {
        let _ = write!(text, "\n  L{}: {} ({})", locs[cut + 1].index(), terms.c(*formula), by.words());
    }
    text
}
