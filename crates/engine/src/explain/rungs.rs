//! The rungs of the ladder: ways to find formulas for the cuts of a part of a path that is infeasible.

use super::{Explained, Heuristic, Plan, Provenance};
use crate::explain::tuples;
use crate::path::{Path, PathPart};
use crate::refine::{Conflict, Refiner};
use craig_logic::TermId;
use craig_smt::interpolate::{self, Hints, Interpolants, Method, NoInterpolant, Origin, Strength};
use rustc_hash::FxHashSet;

/// How to find formulas; later ones are for paths on which the earlier ones gave nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rung {
    /// Interpolants that name the values of the discrete variables.
    Tuples,
    /// Without elimination of symbols: its results are often large, and each of their atoms would become a predicate.
    Default,
    Strong,
    Weak,
    /// The atoms of the formulas behind each cut that speak of nothing but the state there.
    PathAtoms,
}

/// For each method of interpolation but the linear one, in units of work. A sixteenth of it is what Spacer gets first, and it is worth waiting
/// for: on paths of large blocks its interpolants are the smallest.
const METHOD_LIMIT: u64 = 6 * interpolate::METHOD_LIMIT;

impl Refiner {
    /// What one rung says of a conflict.
    pub(super) fn climb(
        &mut self,
        path: &Path,
        conflict: &Conflict,
        rung: Rung,
        plan: &Plan,
        candidates: &[Vec<TermId>],
    ) -> Result<Vec<Explained>, NoInterpolant> {
        let strength = match rung {
            Rung::Tuples => return Ok(self.tuples(path, conflict)),
            Rung::PathAtoms => return Ok(self.path_atoms(path, conflict)),
            Rung::Default => Strength::Simple,
            Rung::Strong => Strength::Strong,
            Rung::Weak => Strength::Weak,
        };
        let mut options = interpolate::Options { method_limit: METHOD_LIMIT, strength, ..Default::default() };
        match self.method {
            Some(method) => options.methods = vec![method],
            None if rung == Rung::Default => {
                options.methods = vec![Method::Proof, Method::Farkas, Method::Spacer];
            }
            None => {}
        }
        let parts = &path.parts[conflict.parts.clone()];
        let state = |p: &PathPart| path.needed.iter().map(|s| p.state[*s as usize]).collect();
        let candidates = conflict.parts.clone().filter_map(|cut| {
            let here = |c: &TermId| self.paths.behind(*c, &path.parts[cut]);
            Some(candidates.get(cut)?.iter().map(here).collect())
        });
        let hints = Hints { states: parts.iter().map(state).collect(), candidates: candidates.collect() };
        let found = self.interpolants(path, conflict, &hints, options)?;
        self.count(&found);
        let cuts = conflict.parts.clone().zip(parts);
        let formulas = found.formulas.iter().zip(found.origins);
        let renamed = cuts.zip(formulas).map(|((cut, part), (formula, origin))| Explained {
            cut,
            formula: self.paths.back(*formula, part),
            by: Provenance::Interpolant(strength, origin),
        });
        let mut renamed: Vec<Explained> = renamed.collect();
        if self.heuristics.has(Heuristic::Shorten) {
            self.shorten(path, conflict, plan, &mut renamed);
        }
        Ok(renamed)
    }

    /// A refutation finds out itself what it needs; for the other methods what is not needed is left out before.
    fn interpolants(
        &mut self,
        path: &Path,
        conflict: &Conflict,
        hints: &Hints,
        mut options: interpolate::Options,
    ) -> Result<Interpolants, NoInterpolant> {
        self.stats.interpolations += 1;
        let others: Vec<Method> = options.methods.iter().copied().filter(|m| *m != Method::Proof).collect();
        if others.len() < options.methods.len() {
            options.methods = vec![Method::Proof];
            match interpolate::sequence(&self.smt, &self.formulas(path, conflict), hints, &options) {
                Err(NoInterpolant::NoMethod { .. }) if !others.is_empty() => options.methods = others,
                answer => return answer,
            }
        }
        interpolate::sequence(&self.smt, &self.reduced(path, conflict), hints, &options)
    }

    /// The parts of a conflict, the first of them with what is known before it.
    pub(crate) fn formulas(&self, path: &Path, conflict: &Conflict) -> Vec<TermId> {
        let mut formulas: Vec<TermId> =
            path.parts[conflict.parts.clone()].iter().map(|p| p.formula).collect();
        formulas[0] = self.terms.and([conflict.known, formulas[0]]);
        formulas
    }

    /// The conjuncts of contradictory formulas that a core needs. Less is to be explained then, and what is left out cannot
    /// get into an explanation.
    fn reduced(&self, path: &Path, conflict: &Conflict) -> Vec<TermId> {
        // Each round asks again with the core of the one before; it pays as long as a tenth falls away.
        const ROUNDS: usize = 4;
        let mut parts: Vec<Vec<TermId>> =
            self.formulas(path, conflict).iter().map(|f| self.terms.conjuncts(*f).to_vec()).collect();
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

    /// Whether a conflict carries values of discrete variables over a cut.
    pub fn carries_values(&self, path: &Path, conflict: &Conflict) -> bool {
        let whole: Vec<TermId> = path.parts[conflict.parts.clone()].iter().map(|p| p.formula).collect();
        self.carried(path, conflict, &whole).iter().any(|slots| !slots.is_empty())
    }

    /// For each cut inside the conflict the discrete slots that the formulas, which stand for its parts, speak of on both sides.
    fn carried(&self, path: &Path, conflict: &Conflict, formulas: &[TermId]) -> Vec<Vec<u32>> {
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
        conflict.parts.clone().enumerate().take(formulas.len() - 1).map(at).collect()
    }

    /// Interpolants over discrete slots, if there are such.
    fn tuples(&mut self, path: &Path, conflict: &Conflict) -> Vec<Explained> {
        if !self.carries_values(path, conflict) {
            return Vec::new();
        }
        let formulas = self.reduced(path, conflict);
        let slots = self.carried(path, conflict, &formulas);
        let symbols = |(cut, slots): (usize, &Vec<u32>)| {
            slots.iter().map(|s| path.parts[cut].state[*s as usize]).collect::<Vec<TermId>>()
        };
        let cuts: Vec<Vec<TermId>> = conflict.parts.clone().zip(&slots).map(symbols).collect();
        self.stats.interpolations += 1;
        let found = tuples::interpolants(&self.smt, &formulas, &cuts).unwrap_or_default();
        let back = |(cut, formula): (usize, TermId)| Explained {
            cut,
            formula: self.paths.back(formula, &path.parts[cut]),
            by: Provenance::Tuples,
        };
        conflict.parts.clone().zip(found).map(back).collect()
    }

    fn path_atoms(&self, path: &Path, conflict: &Conflict) -> Vec<Explained> {
        let mut found = Vec::new();
        let (first, last) = (*conflict.parts.start(), *conflict.parts.end());
        for cut in first..last {
            let state: FxHashSet<TermId> = path.parts[cut].state.iter().copied().collect();
            for later in &path.parts[cut + 1..=last] {
                for atom in self.terms.atoms(&[later.formula]) {
                    let symbols = self.terms.symbols_of(atom);
                    if symbols.iter().all(|s| state.contains(&self.terms.symbol_term(*s))) {
                        let formula = self.paths.back(atom, &path.parts[cut]);
                        found.push(Explained { cut, formula, by: Provenance::PathAtom });
                    }
                }
            }
        }
        found
    }

    fn count(&mut self, found: &Interpolants) {
        for (formula, origin) in found.formulas.iter().zip(&found.origins) {
            match origin {
                Origin::Core => {}
                Origin::Candidate => self.stats.candidates += 1,
                Origin::Computed(method) => *self.stats.computed.entry(*method).or_default() += 1,
            }
            let atoms = self.terms.atoms(&[*formula]).len();
            if atoms > 0 {
                self.stats.atoms.push(atoms as u32);
            }
        }
    }
}
