//! Interpolants of graphs that have no execution (PDS, 4.3 and 5.2): a formula for each spot, so that whichever way the abstract system takes, predicates exclude it.
//!
//! First those of the tree of places, then those of the spots between two places, each from the spots before it. Formulas that were found at a control point before are tried
//! first, where they fit: that is what makes summaries converge instead of counting on.
//!
//! Where sums of the same values come with other numbers again and again, formulas count on ([`Explainer::counts_on`]). Then they are no longer read off one refutation,
//! whose formulas fit each other only; each is looked for on its own, so that what was found before gets its chance. A few times only ([`ALONE`]): programs that have to
//! be followed that deep take several times longer so.

use super::graph::{Graph, SpotId};
use crate::options::Interpolation;
use crate::procedures::Divided;
use craig_cfa::{LocId, ProcId};
use craig_logic::{Linear, TermId, Terms};
use craig_smt::Smt;
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant};
use craig_verdict::{Counterexample, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Of what was found at a control point the newest are tried: each costs a question at every spot.
const TRIED: usize = 32;

/// What comes of a graph.
pub enum Explained {
    Execution(Counterexample),
    /// Formulas over the values of entry and now, where they are interpolants.
    Formulas(Vec<(LocId, TermId)>),
    /// It is none, and nobody says why.
    Nothing(NoInterpolant),
}

/// The values of a sum, each with whether it counts positively.
type Shape = Vec<(TermId, bool)>;

/// What explanations leave behind: the parts of what was found, by control point.
#[derive(Default)]
pub struct Explainer {
    interpolation: Interpolation,
    found: BTreeMap<LocId, Vec<TermId>>,
    /// Sums by their values and in which direction each counts.
    sums: FxHashMap<(LocId, Shape), FxHashSet<Linear>>,
    counting: BTreeSet<ProcId>,
    /// So often formulas were looked for on their own.
    alone: u32,
}

/// So many sums of the same values at one control point are no counting yet: two may be the two ends of an interval.
const FEW: usize = 2;

/// So often formulas are looked for on their own, those that explain needs among them.
const ALONE: u32 = 12;

impl Explainer {
    pub fn new(interpolation: Interpolation) -> Explainer {
        Explainer { interpolation, ..Explainer::default() }
    }

    /// Procedures of which formulas count on that has not been told before.
    pub fn counts_on(
        &mut self,
        divided: &Divided<'_>,
        terms: &Terms,
        said: &[(LocId, TermId)],
    ) -> Vec<ProcId> {
        let mut found = Vec::new();
        for (at, formula) in said {
            let Some(proc) = divided.owner[*at].filter(|proc| divided.called[*proc]) else { continue };
            for atom in terms.atoms(&[*formula]) {
                let Some(literal) = terms.linear_literal(atom) else { continue };
                let shape = literal.linear.terms.iter().map(|(term, number)| (*term, number.is_negative()));
                let sums = self.sums.entry((*at, shape.collect())).or_default();
                sums.insert(literal.linear);
                if sums.len() > FEW && self.counting.insert(proc) {
                    found.push(proc);
                }
            }
        }
        found
    }

    pub fn explain(&mut self, smt: &Smt, graph: &Graph<'_, '_, '_>) -> Result<Explained, Reason> {
        let problem = graph.problem();
        let mut session = smt.session();
        problem.formulas.iter().for_each(|formula| session.assert(*formula));
        if session.check().decided()? {
            return Ok(Explained::Execution(graph.execution(&session.require_model()?)?));
        }
        let formulas = match self.formulas(smt, graph, &problem) {
            Ok(formulas) => formulas,
            Err(NoInterpolant::Undecided(why)) => return Err(why.into()),
            Err(why) => return Ok(Explained::Nothing(why)),
        };
        for (at, formula) in &formulas {
            let known = self.found.entry(*at).or_default();
            for part in smt.terms().conjuncts(*formula).iter() {
                if !smt.terms().is_false(*part) && !known.contains(part) {
                    known.push(*part);
                }
            }
        }
        Ok(Explained::Formulas(formulas))
    }

    /// Of each spot, over the values of entry and now.
    fn formulas(
        &mut self,
        smt: &Smt,
        graph: &Graph<'_, '_, '_>,
        problem: &interpolate::Tree,
    ) -> Result<Vec<(LocId, TermId)>, NoInterpolant> {
        let terms = smt.terms();
        let tried = |spot: SpotId| {
            let known = self.found.get(&graph.spots[spot].at).map_or(&[][..], Vec::as_slice);
            let newest = known[known.len().saturating_sub(TRIED)..].iter();
            newest.map(|formula| graph.special(spot, *formula)).collect::<Vec<_>>()
        };
        let states = graph.places.iter().map(|place| graph.spots[place.spot].values.now.to_vec()).collect();
        let candidates = graph.places.iter().map(|place| tried(place.spot)).collect();
        let mut options = interpolate::Options::default();
        options.methods = self.interpolation.method().map_or(options.methods, |method| vec![method]);
        let alone = !self.counting.is_empty() && self.alone < ALONE && self.interpolation.method().is_none();
        if alone {
            self.alone += 1;
            options.methods.retain(|method| *method != Method::Proof);
        }
        let hints = Hints { states, candidates };
        let of_places = interpolate::tree(smt, problem, &hints, &options)?.formulas;
        let mut found: FxHashMap<_, TermId> = FxHashMap::default();
        for (place, formula) in graph.places.iter().zip(of_places.into_iter().chain([terms.fls()])) {
            found.insert(place.spot, graph.there(formula));
        }
        for place in &graph.places {
            for &spot in &place.between {
                let sides = graph.inside(place, spot, &found);
                let hints = Hints { states: Vec::new(), candidates: vec![tried(spot)] };
                let here = interpolate::sequence(smt, &sides, &hints, &options)?.formulas[0];
                found.insert(spot, here);
            }
        }
        let said = graph
            .spots
            .iter_enumerated()
            .filter_map(|(id, spot)| Some((spot.at, graph.general(id, *found.get(&id)?))));
        Ok(said.collect())
    }
}
