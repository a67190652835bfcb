//! Paths of blocks: are they feasible, and if not, why (document 003, II.C; interpolation as in `solver.md`).
//!
//! A path becomes one formula per block. At the end of a block every slot of the state that changed gets a symbol of its own, equal
//! to what the block computes; a slot that did not change keeps the symbol it had. Slots that the rest of the path does not need
//! get no equation: a cone of influence for the path at hand. So what two neighbouring formulas share is the state
//! between them, and nothing dead in it; renaming brings an interpolant back to the vocabulary of predicates.

use crate::blocks::{BlockNo, Formula, Vocabulary};
use crate::discrete::Discrete;
use crate::run::Stats;
use crate::tuples;
use craig_cfa::LocId;
use craig_logic::{Model, Substituter, Substitution, TermId, Terms};
pub use craig_smt::interpolate::Method;
use craig_smt::interpolate::{self, Failure, Hints, Interpolants, Source, Strength};
use craig_smt::{Answer, Reason as SolverReason, Smt};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::Duration;

/// One block on a path.
#[derive(Debug)]
pub struct PathPart {
    /// What it does, with the equations of the state after it.
    pub formula: TermId,
    /// The state after it: a symbol per slot.
    pub state: Rc<Vec<TermId>>,
    /// From the terms of the block's formula to those of this part.
    map: Substitution,
}

impl PathPart {
    /// A term of the block's formula as it is on the path.
    pub fn instance(&self, terms: &Terms, term: TermId) -> TermId {
        terms.substitute(term, &self.map)
    }
}

/// A path as formulas.
#[derive(Debug)]
pub struct Path {
    pub parts: Vec<PathPart>,
    /// The slots that some cut needs.
    needed: Vec<u32>,
}

/// Whether a path can be executed.
#[derive(Debug)]
pub enum Feasibility {
    Feasible(Model),
    Infeasible(Segment),
}

/// Parts of a path that contradict each other, together with what is known of the state before them.
#[derive(Debug, Clone)]
pub struct Segment {
    pub parts: RangeInclusive<usize>,
    /// Over the symbols of the path; `true` if nothing is needed.
    pub known: TermId,
}

/// How to find interpolants; later ones are for paths on which the earlier ones gave nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The values of the discrete variables that a core carries over a cut. For segments that are not short: little work, and
    /// on protocols all that is needed.
    Values,
    /// Interpolants that name the values of the discrete variables.
    Tuples,
    /// Without elimination of symbols: its results are often large, and each of their atoms would become a predicate.
    Default,
    Strong,
    Weak,
    /// The atoms of the formulas behind each cut that speak of nothing but the state there.
    PathAtoms,
}

/// Whether the next path is to be explained without what the tree knows, after so many refinements. What the tree knows makes
/// explanations short, but they may only count on from it (`i <= 1`, `i <= 2`, ..): where few were not enough, every other one
/// goes without.
pub fn looks_back(refinements: u64) -> bool {
    const FEW: u64 = 4;
    refinements >= FEW && refinements.is_multiple_of(2)
}

pub const ATTEMPTS: [Attempt; 5] =
    [Attempt::Values, Attempt::Default, Attempt::Strong, Attempt::Weak, Attempt::PathAtoms];

/// For each method of interpolation but the linear one. A sixteenth of it is what Spacer gets first, and it is worth waiting
/// for: on paths of large blocks its interpolants are the smallest.
const METHOD_LIMIT: Duration = Duration::from_secs(32);

/// Work, in the solver's units, for a question about a part of a path.
const SUFFIX_WORK: u32 = 500_000;
/// Segments of fewer parts are cheap to interpolate.
const SHORT: usize = 4;

/// Counters of [`Refiner`].
#[derive(Debug, Default, Clone)]
pub struct RefineStats {
    pub interpolations: u64,
    pub farkas: u64,
    pub spacer: u64,
    pub strongest: u64,
    pub weakest: u64,
    pub candidates: u64,
    pub fallbacks: u64,
    /// Number of atoms of each interpolant that is neither true nor false.
    pub atoms: Vec<u32>,
}

impl RefineStats {
    pub fn report(&self, stats: &mut Stats) {
        stats.set("interpolations", self.interpolations as f64);
        stats.set("interp_farkas", self.farkas as f64);
        stats.set("interp_spacer", self.spacer as f64);
        stats.set("interp_strongest", self.strongest as f64);
        stats.set("interp_weakest", self.weakest as f64);
        stats.set("interp_candidates", self.candidates as f64);
        stats.set("fallbacks", self.fallbacks as f64);
        let mut atoms = self.atoms.clone();
        atoms.sort_unstable();
        stats.set("interpolant_atoms_median", f64::from(atoms.get(atoms.len() / 2).copied().unwrap_or(0)));
    }
}

/// Makes path formulas and interpolants.
#[derive(Debug)]
pub struct Refiner {
    smt: Smt,
    /// The one method of interpolation to use; otherwise all that there are, and what the attempts add to them ([`Refiner::allowed`]).
    method: Option<Method>,
    terms: Rc<Terms>,
    vocabulary: Rc<Vocabulary>,
    discrete: Rc<Discrete>,
    /// Symbols of blocks and slots of the state at positions of paths.
    copies: FxHashMap<(TermId, u32), TermId>,
    /// Symbols of a block's formula that are not of the state.
    locals: FxHashMap<BlockNo, Rc<[TermId]>>,
    pub stats: RefineStats,
}

impl Refiner {
    pub fn new(
        smt: &Smt,
        vocabulary: Rc<Vocabulary>,
        discrete: Rc<Discrete>,
        method: Option<Method>,
    ) -> Self {
        Refiner {
            smt: smt.clone(),
            method,
            terms: Rc::clone(smt.terms()),
            vocabulary,
            discrete,
            copies: FxHashMap::default(),
            locals: FxHashMap::default(),
            stats: RefineStats::default(),
        }
    }

    /// Those of the attempts that use the method asked for, if one is.
    pub fn allowed(&self, attempts: &[Attempt]) -> Vec<Attempt> {
        let allowed = |a: &Attempt| self.method.is_none() || *a == Attempt::Default;
        attempts.iter().copied().filter(allowed).collect()
    }

    fn copy(&mut self, symbol: TermId, position: u32) -> TermId {
        let terms = &self.terms;
        *self.copies.entry((symbol, position)).or_insert_with(|| {
            let name = terms.as_symbol(symbol).map(|s| terms.symbol_name(s));
            terms.fresh(&format!("{}#{position}", name.as_deref().unwrap_or("?")), terms.sort(symbol))
        })
    }

    fn locals(&mut self, block: BlockNo, formula: &Formula) -> Rc<[TermId]> {
        if let Some(known) = self.locals.get(&block) {
            return Rc::clone(known);
        }
        let mut roots = formula.constraints.clone();
        roots.extend(formula.changed.iter().map(|c| c.1));
        let symbols = self.terms.symbols_of_all(&roots);
        let found: Rc<[TermId]> = symbols
            .iter()
            .map(|s| self.terms.symbol_term(*s))
            .filter(|s| self.vocabulary.slot(*s).is_none())
            .collect();
        self.locals.insert(block, Rc::clone(&found));
        found
    }

    /// The formulas of a path. It starts with any state, unless it starts at the entry. `labels`, if any, hold at its nodes, first and
    /// last among them: each is part of what comes before the node and of what comes behind it, so that an explanation need not say
    /// it again.
    pub fn path(&mut self, blocks: &[(BlockNo, Rc<Formula>)], labels: &[TermId]) -> Path {
        let needs = self.needs(blocks, labels);
        let vocabulary = Rc::clone(&self.vocabulary);
        let mut state = Rc::new(vocabulary.symbols.clone());
        let mut parts = Vec::new();
        for (position, (block, formula)) in blocks.iter().enumerate() {
            let need = &needs[position];
            let mut map = Substitution::default();
            for local in self.locals(*block, formula).iter() {
                map.insert(*local, self.copy(*local, position as u32));
            }
            for (symbol, now) in vocabulary.symbols.iter().zip(state.iter()) {
                map.insert(*symbol, *now);
            }
            let terms = Rc::clone(&self.terms);
            let mut rename = Substituter::new(&terms, &map);
            let before = labels.get(position).copied();
            let mut conjuncts: Vec<TermId> =
                formula.constraints.iter().copied().chain(before).map(|c| rename.apply(c)).collect();
            let mut after = (*state).clone();
            for (slot, term) in &formula.changed {
                let symbol = self.copy(vocabulary.symbols[*slot as usize], position as u32);
                after[*slot as usize] = symbol;
                if need.contains(slot) {
                    conjuncts.push(terms.eq(symbol, rename.apply(*term)));
                }
            }
            state = Rc::new(after);
            let mut part = PathPart { formula: terms.tru(), state: Rc::clone(&state), map };
            let label = labels.get(position + 1).map(|label| terms.substitute(*label, &self.to_path(&part)));
            conjuncts.extend(label);
            part.formula = terms.and(conjuncts);
            parts.push(part);
        }
        let mut needed: Vec<u32> = needs.into_iter().flatten().collect();
        needed.sort_unstable();
        needed.dedup();
        Path { parts, needed }
    }

    /// The formulas of a path and of something that is to hold of the state at its end.
    pub fn path_to(&mut self, blocks: &[(BlockNo, Rc<Formula>)], end: TermId) -> Path {
        let mut labels = vec![self.terms.tru(); blocks.len()];
        labels.push(end);
        self.path(blocks, &labels)
    }

    /// For each block the slots of the state after it that the labels and the rest of the path needs.
    fn needs(&self, blocks: &[(BlockNo, Rc<Formula>)], labels: &[TermId]) -> Vec<FxHashSet<u32>> {
        let label =
            |node: usize| self.vocabulary.slots_of(&self.terms, labels.get(node..=node).unwrap_or(&[]));
        let mut needs: Vec<FxHashSet<u32>> =
            (0..blocks.len()).map(|i| label(i + 1).into_iter().collect()).collect();
        for i in (1..blocks.len()).rev() {
            let formula = &blocks[i].1;
            let mut roots = Vec::new();
            let mut before: FxHashSet<u32> = formula.reads.iter().copied().collect();
            for slot in &needs[i] {
                match formula.after(*slot) {
                    Some(term) => roots.push(term),
                    None => {
                        before.insert(*slot);
                    }
                }
            }
            before.extend(self.vocabulary.slots_of(&self.terms, &roots));
            needs[i - 1].extend(before);
        }
        needs
    }

    /// Is the path feasible? If not, a short part of it near its end that is not.
    ///
    /// Parts are added from the end until they contradict each other or what is `known` of the state before them, formulas over
    /// the vocabulary of predicates that hold at the nodes of the path. The core tells which of the last parts are not needed, and
    /// whether what is known is. A question about a part that is too much work is left to the next longer one.
    ///
    /// Tried and rejected: parts alone, without what is known. On the SSH programs their contradictions go back to the start of
    /// the path, and a path of 15 large blocks costs seconds to refute and to interpolate; with it 5 blocks are enough.
    pub fn feasibility(&mut self, path: &Path, known: &[TermId]) -> Result<Feasibility, Reason> {
        let terms = Rc::clone(&self.terms);
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        for first in (0..formulas.len()).rev() {
            let known = match first.checked_sub(1) {
                Some(before) => terms.substitute(known[first], &self.to_path(&path.parts[before])),
                None => terms.tru(),
            };
            if first == 0 {
                session.set_work_limit(0);
            }
            let mut question = formulas[first..].to_vec();
            question.push(known);
            match session.check_assuming(&question) {
                Answer::Sat => {}
                Answer::Unsat => {
                    let segment = self.segment(&formulas, &session.core(), first, known);
                    return Ok(Feasibility::Infeasible(segment));
                }
                Answer::Unknown(SolverReason::GaveUp(_)) if first > 0 => {}
                Answer::Unknown(reason) => return Err(reason.into()),
            }
        }
        let model = session.model().ok_or_else(|| Reason::Solver("a model that cannot be read".into()))?;
        Ok(Feasibility::Feasible(model))
    }

    /// Whether the parts of a path contradict each other or what is `known` of the state before them, in a few words of the solver's:
    /// a question that is too much work has the answer no.
    pub fn contradiction(&mut self, path: &Path, known: TermId) -> Result<Option<Segment>, Reason> {
        let formulas: Vec<TermId> = path.parts.iter().map(|p| p.formula).collect();
        let mut session = self.smt.session();
        session.set_work_limit(SUFFIX_WORK);
        let mut question = formulas.clone();
        question.push(known);
        match session.check_assuming(&question) {
            Answer::Sat | Answer::Unknown(SolverReason::GaveUp(_)) => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
            Answer::Unsat => Ok(Some(self.segment(&formulas, &session.core(), 0, known))),
        }
    }

    /// The parts that a core needs, of those from `first` on and of what is known before them.
    fn segment(&self, formulas: &[TermId], core: &[TermId], first: usize, known: TermId) -> Segment {
        let parts = span(formulas, core).unwrap_or(first..=first);
        match core.contains(&known) {
            true => Segment { parts: first..=*parts.end(), known },
            false => Segment { parts, known: self.terms.tru() },
        }
    }

    /// From the vocabulary of predicates to the state after a part.
    fn to_path(&self, part: &PathPart) -> Substitution {
        self.vocabulary.symbols.iter().copied().zip(part.state.iter().copied()).collect()
    }

    /// Formulas over the vocabulary of predicates at cuts inside the segment (cut `i` is behind part `i`): interpolants, or atoms.
    /// `candidates`, by cut and over the same vocabulary, are worth a try; an empty list means that there are none.
    pub fn explain(
        &mut self,
        path: &Path,
        segment: &Segment,
        attempt: Attempt,
        candidates: &[Vec<TermId>],
    ) -> Result<Vec<(usize, TermId)>, Failure> {
        if !matches!(attempt, Attempt::Values | Attempt::Tuples | Attempt::Default) {
            self.stats.fallbacks += 1;
        }
        let mut options = interpolate::Options { method_limit: METHOD_LIMIT, ..Default::default() };
        match attempt {
            Attempt::Default if let Some(method) = self.method => options.methods = vec![method],
            Attempt::Values if segment.parts.clone().count() < SHORT => {
                return Ok(Vec::new());
            }
            Attempt::Values => return Ok(self.values(path, segment)),
            Attempt::Tuples => return Ok(self.tuples(path, segment)),
            Attempt::Default => options.methods = vec![Method::Farkas, Method::Spacer],
            Attempt::Strong => options.strength = Strength::Strong,
            Attempt::Weak => options.strength = Strength::Weak,
            Attempt::PathAtoms => return Ok(self.path_atoms(path, &segment.parts)),
        }
        let parts = &path.parts[segment.parts.clone()];
        let formulas = self.reduced(path, segment);
        let state = |p: &PathPart| path.needed.iter().map(|s| p.state[*s as usize]).collect();
        let candidates = segment.parts.clone().filter_map(|cut| {
            let here = self.to_path(&path.parts[cut]);
            Some(candidates.get(cut)?.iter().map(|c| self.terms.substitute(*c, &here)).collect())
        });
        let hints = Hints { states: parts.iter().map(state).collect(), candidates: candidates.collect() };
        self.stats.interpolations += 1;
        let found = interpolate::sequence(&self.smt, &formulas, &hints, &options)?;
        self.count(&found);
        let renamed = found.formulas.iter().zip(parts).zip(segment.parts.clone());
        Ok(renamed.map(|((f, part), cut)| (cut, self.renamed(*f, part))).collect())
    }

    /// The conjuncts of contradictory formulas that a core needs. Less is to be explained then, and what is left out cannot
    /// get into an explanation.
    fn reduced(&self, path: &Path, segment: &Segment) -> Vec<TermId> {
        const ROUNDS: usize = 4;
        let mut formulas: Vec<TermId> = path.parts[segment.parts.clone()].iter().map(|p| p.formula).collect();
        formulas[0] = self.terms.and([segment.known, formulas[0]]);
        let mut parts: Vec<Vec<TermId>> =
            formulas.iter().map(|f| self.terms.conjuncts(*f).to_vec()).collect();
        let mut size = parts.iter().map(Vec::len).sum::<usize>();
        for _ in 0..ROUNDS {
            let all: Vec<TermId> = parts.iter().flatten().copied().collect();
            let mut session = self.smt.session();
            if !session.check_assuming(&all).is_unsat() {
                break;
            }
            let core: FxHashSet<TermId> = session.core().into_iter().collect();
            parts.iter_mut().for_each(|p| p.retain(|c| core.contains(c)));
            let before = std::mem::replace(&mut size, parts.iter().map(Vec::len).sum());
            if size * 10 > before * 9 {
                break;
            }
        }
        parts.into_iter().map(|p| self.terms.and(p)).collect()
    }

    /// A formula over the state after a part, over the vocabulary of predicates.
    fn renamed(&self, formula: TermId, part: &PathPart) -> TermId {
        let back = part.state.iter().copied().zip(self.vocabulary.symbols.iter().copied());
        self.terms.substitute(formula, &back.collect())
    }

    /// For each cut inside the segment the discrete slots that the formulas, which stand for its parts, speak of on both sides.
    fn carried(&self, path: &Path, segment: &Segment, formulas: &[TermId]) -> Vec<Vec<u32>> {
        let symbols: Vec<FxHashSet<TermId>> = formulas
            .iter()
            .map(|f| self.terms.symbols_of(*f).into_iter().map(|s| self.terms.symbol_term(s)).collect())
            .collect();
        let at = |(i, cut): (usize, usize)| {
            let state = &path.parts[cut].state;
            let carried = |slot: &u32| {
                let now = &state[*slot as usize];
                let occurs = |side: &[FxHashSet<TermId>]| side.iter().any(|s| s.contains(now));
                occurs(&symbols[..=i]) && occurs(&symbols[i + 1..])
            };
            self.discrete.slots().filter(carried).collect()
        };
        segment.parts.clone().enumerate().take(formulas.len() - 1).map(at).collect()
    }

    /// A comparison for each discrete slot that what is left of the segment by a core carries over a cut.
    fn values(&self, path: &Path, segment: &Segment) -> Vec<(usize, TermId)> {
        let carried = self.carried(path, segment, &self.reduced(path, segment));
        let mut found = Vec::new();
        for (cut, slots) in segment.parts.clone().zip(carried) {
            for slot in slots {
                let value = self.discrete.values(slot).next();
                let symbol = self.vocabulary.symbols[slot as usize];
                found.extend(value.map(|v| (cut, self.terms.eq(symbol, v))));
            }
        }
        found
    }

    /// Interpolants over discrete slots, if there are such.
    fn tuples(&self, path: &Path, segment: &Segment) -> Vec<(usize, TermId)> {
        let whole: Vec<TermId> = path.parts[segment.parts.clone()].iter().map(|p| p.formula).collect();
        if self.carried(path, segment, &whole).iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let formulas = self.reduced(path, segment);
        let slots = self.carried(path, segment, &formulas);
        let symbols = |(cut, slots): (usize, &Vec<u32>)| {
            slots.iter().map(|s| path.parts[cut].state[*s as usize]).collect::<Vec<TermId>>()
        };
        let cuts: Vec<Vec<TermId>> = segment.parts.clone().zip(&slots).map(symbols).collect();
        let found = tuples::interpolants(&self.smt, &formulas, &cuts).unwrap_or_default();
        segment.parts.clone().zip(found).map(|(cut, f)| (cut, self.renamed(f, &path.parts[cut]))).collect()
    }

    fn path_atoms(&self, path: &Path, segment: &RangeInclusive<usize>) -> Vec<(usize, TermId)> {
        let mut found = Vec::new();
        for cut in *segment.start()..*segment.end() {
            let state: FxHashSet<TermId> = path.parts[cut].state.iter().copied().collect();
            for later in &path.parts[cut + 1..=*segment.end()] {
                for atom in self.terms.atoms(&[later.formula]) {
                    let symbols = self.terms.symbols_of(atom);
                    if symbols.iter().all(|s| state.contains(&self.terms.symbol_term(*s))) {
                        found.push((cut, self.renamed(atom, &path.parts[cut])));
                    }
                }
            }
        }
        found
    }

    fn count(&mut self, found: &Interpolants) {
        for (formula, source) in found.formulas.iter().zip(&found.sources) {
            match source {
                Source::Core => {}
                Source::Candidate => self.stats.candidates += 1,
                Source::Computed(Method::Farkas) => self.stats.farkas += 1,
                Source::Computed(Method::Spacer) => self.stats.spacer += 1,
                Source::Computed(Method::Strongest) => self.stats.strongest += 1,
                Source::Computed(Method::Weakest) => self.stats.weakest += 1,
            }
            let atoms = self.terms.atoms(&[*formula]).len();
            if atoms > 0 {
                self.stats.atoms.push(atoms as u32);
            }
        }
    }
}

/// What was found about a path through these locations, each formula with its location.
pub fn describe(
    terms: &Terms,
    locs: &[LocId],
    segment: &Segment,
    attempt: Attempt,
    found: &[(usize, TermId)],
) -> String {
    let (parts, length) = (&segment.parts, locs.len() - 1);
    let mut text = format!("parts {parts:?} of a path of {length} contradict each other ({attempt:?})");
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
