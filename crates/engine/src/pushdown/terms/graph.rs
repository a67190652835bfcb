//! Counterexamples as graphs of calls (PDS, 4.3.1 and 5.2).
//!
//! What leads to the error, from node to node of the search, is a graph for each activation: one for those that have not returned, from where runs begin, and one for
//! each that has, from its entry to its exit, beside the rule that goes over the call. A node of such a graph is a [`Spot`]: it has symbols for
//! the values there, a guard that holds if the execution comes there, and the [`Way`]s that lead to it. All formulas together
//! hold for the executions along the graph.
//!
//! Interpolants are computed along trees. Spots through which every way of their activation goes are the places of a tree ([`Graph::places`]), whose children are the
//! place before and the callees on the ways between; what lies between two places, the guards of its spots among it, is one formula. Then the
//! spots between two places get formulas of their own ([`Graph::inside`]). A callee has a copy for each way that goes over it.
//!
//! The graph of an activation that returned begins with nothing but that the values of entry and now are one (the entry predicate of PDS, 5.2.1), and what is
//! tracked as a need of the procedure ([`super::needs`]), said at each of its spots: so interpolants are relations between input and output, for every caller that keeps to that.

use super::predicates::System;
use super::reach::{NodeId, Reached, Why};
use super::rules::RuleId;
use crate::counterexample;
use craig_cfa::LocId;
use craig_logic::{Evaluator, Model, Sort, Substitution, TermId, Terms, Value};
use craig_smt::interpolate;
use craig_verdict::{Counterexample, Reason};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Spots of a graph at most. A short way to the error may go through the same callee again and again; of all ways together there are as many copies of callees as combinations of ways.
const MOST: [usize; 2] = [5_000, 300];

index_vec::define_index_type! { pub struct SpotId = u32; }

/// A node of the search, in one activation.
pub struct Spot {
    pub at: LocId,
    /// Values there.
    pub values: Values,
    /// Holds if the execution comes there.
    guard: TermId,
    /// What is taken for granted of the values at the entry of the activation.
    pub needs: TermId,
    ways: Vec<Way>,
}

/// A rule that leads to a spot.
struct Way {
    /// Holds if the execution takes it.
    taken: TermId,
    rule: RuleId,
    formula: TermId,
    /// From symbols of the rule to those of this way.
    map: Substitution,
    from: SpotId,
    inner: Option<SpotId>,
    /// Values behind it.
    after: Rc<Vec<TermId>>,
}

/// Values by slot, of now and at the entry of the activation.
#[derive(Clone)]
pub struct Values {
    pub now: Rc<Vec<TermId>>,
    /// Of activations that return.
    pub entry: Option<Rc<Vec<TermId>>>,
}

/// A spot through which all ways of its activation go, with what lies between it and the one before.
pub struct Place {
    pub spot: SpotId,
    pub formula: TermId,
    /// Spots between, in their order.
    pub between: Vec<SpotId>,
    parent: usize,
}

/// Spots in the order of executions: what is before comes before, callees before the spot behind them, the error last.
pub struct Graph<'s, 'd, 'a> {
    system: &'s System<'d, 'a>,
    reached: &'s Reached,
    /// All ways, or the first to each node.
    all: bool,
    pub spots: IndexVec<SpotId, Spot>,
    pub places: Vec<Place>,
    place_of: FxHashMap<SpotId, usize>,
    guards: Substitution,
}

impl<'s, 'd, 'a> Graph<'s, 'd, 'a> {
    /// The graph of all ways to the error that the search recorded, or of the first; none if it is too large.
    pub fn new(
        system: &'s System<'d, 'a>,
        reached: &'s Reached,
        to: NodeId,
        all: bool,
    ) -> Option<Graph<'s, 'd, 'a>> {
        let (spots, places) = (IndexVec::new(), Vec::new());
        let (place_of, guards) = (FxHashMap::default(), Substitution::default());
        let mut graph = Graph { system, reached, all, spots, places, place_of, guards };
        graph.activation(to, None, system.terms().tru())?;
        Some(graph)
    }

    fn terms(&self) -> &'d Terms {
        self.system.terms()
    }

    /// Why a node is reached, as far as the graph says it.
    fn whys(&self, node: NodeId) -> &'s [Why] {
        let why = &self.reached.nodes[node].why;
        if self.all { why } else { &why[..why.len().min(1)] }
    }

    /// Only executions that end with this, said of the values of now, are looked for.
    pub fn ask(&mut self, end: TermId) {
        let Some(last) = self.places.last() else { return };
        let end = self.special(last.spot, end);
        let terms = self.terms();
        let last = self.places.last_mut().expect("looked at");
        last.formula = terms.and([last.formula, end]);
    }

    fn guard(&mut self) -> TermId {
        let guard = self.terms().fresh("taken", Sort::Bool);
        self.guards.insert(guard, self.terms().tru());
        guard
    }

    /// The spots of an activation that ends at a node: from the entry of the procedure that is given, or from where runs begin. Its last spot.
    fn activation(&mut self, end: NodeId, entry: Option<LocId>, active: TermId) -> Option<SpotId> {
        let begins = |node: NodeId| {
            let node = &self.reached.nodes[node];
            node.why.is_empty() || entry == Some(node.at)
        };
        let (mut nodes, mut sources) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![end];
        while let Some(node) = open.pop() {
            if begins(node) {
                sources.insert(node);
            } else if nodes.insert(node) {
                open.extend(self.whys(node).iter().map(|why| why.from));
            }
        }
        let source = match entry {
            Some(entry) => self.enter(entry, &sources, active),
            None => self.begin(),
        };
        let needs = self.spots[source].needs;
        let mut spots: FxHashMap<NodeId, SpotId> = sources.into_iter().map(|node| (node, source)).collect();
        // By their positions: which one the last way from before leads over.
        let position: FxHashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, node)| (*node, at + 1)).collect();
        let earliest = |node: &NodeId| {
            let from = self.whys(*node).iter().map(|why| position.get(&why.from).copied().unwrap_or(0));
            from.min().unwrap_or(0)
        };
        let mut passed: Vec<bool> = vec![true; nodes.len()];
        let mut least = usize::MAX;
        for (at, node) in nodes.iter().enumerate().rev() {
            passed[at] = least > at;
            least = least.min(earliest(node));
        }
        let mut last = source;
        let (mut between, mut children): (Vec<SpotId>, Vec<usize>) =
            (Vec::new(), self.place_of.get(&source).copied().into_iter().collect());
        for (node, passed) in nodes.into_iter().zip(passed) {
            if self.spots.len() > MOST[usize::from(self.all)] {
                return None;
            }
            let whys = self.whys(node);
            let alone = passed && whys.len() == 1;
            let guard = if passed { active } else { self.guard() };
            let mut ways = Vec::new();
            for why in whys {
                let taken = if alone { active } else { self.guard() };
                let inner = match why.inner {
                    Some(exit) => Some(self.callee(exit, taken)?),
                    None => None,
                };
                children.extend(inner.and_then(|inner| self.place_of.get(&inner).copied()));
                ways.push(self.way(why.rule, spots[&why.from], inner, taken));
            }
            let at = self.reached.nodes[node].at;
            let values = self.join(at, &mut ways);
            last = self.spots.push(Spot { at, values, guard, needs, ways });
            spots.insert(node, last);
            between.push(last);
            if passed {
                children = vec![self.place(std::mem::take(&mut between), &children, Vec::new())];
            }
        }
        Some(last)
    }

    /// The spots of a callee to its exit.
    fn callee(&mut self, exit: NodeId, active: TermId) -> Option<SpotId> {
        let at = self.reached.nodes[exit].at;
        let proc = self.system.divided.source.locs[at].proc;
        self.activation(exit, Some(self.system.divided.source.procs[proc].entry), active)
    }

    /// The place that the last of some spots is; the others lie between it and the place before.
    fn place(&mut self, mut between: Vec<SpotId>, children: &[usize], mut parts: Vec<TermId>) -> usize {
        let terms = self.terms();
        for spot in between.iter().map(|spot| &self.spots[*spot]) {
            parts.push(terms.implies(spot.guard, spot.needs));
            if let [only] = &spot.ways[..] {
                let step = terms.and([self.spots[only.from].guard, only.formula]);
                parts.push(terms.implies(spot.guard, terms.and([only.taken, step])));
            } else if !spot.ways.is_empty() {
                parts.push(terms.implies(spot.guard, terms.or(spot.ways.iter().map(|way| way.taken))));
                parts.extend(spot.ways.iter().map(|way| {
                    terms.implies(way.taken, terms.and([self.spots[way.from].guard, way.formula]))
                }));
            }
        }
        let place = self.places.len();
        children.iter().for_each(|child| self.places[*child].parent = place);
        let spot = between.pop().expect("a place is a spot");
        self.places.push(Place { spot, formula: terms.and(parts), between, parent: 0 });
        self.place_of.insert(spot, place);
        place
    }

    /// Symbols for some slots, with what is known of their values.
    fn symbols(
        &self,
        slots: impl IntoIterator<Item = usize>,
        values: &mut [TermId],
        known: &mut Vec<TermId>,
    ) {
        let (terms, divided) = (self.terms(), self.system.divided);
        for slot in slots {
            let of = divided.now[slot];
            let name = terms.as_symbol(of).map(|id| terms.symbol_name(id));
            values[slot] = terms.fresh(name.as_deref().unwrap_or(""), terms.sort(of));
            let map = Substitution::from_iter([(of, values[slot])]);
            known.extend(divided.ranges[slot].map(|range| terms.substitute(range, &map)));
        }
    }

    /// Where runs begin.
    fn begin(&mut self) -> SpotId {
        let values = Values { now: Rc::new(self.system.divided.now.clone()), entry: None };
        let (at, known) = (self.system.divided.start, self.terms().tru());
        self.spots.push(Spot { at, values, guard: known, needs: known, ways: Vec::new() })
    }

    /// The entry of an activation that returns: the values of entry and now have symbols of their own, and are the same.
    fn enter(&mut self, at: LocId, sources: &BTreeSet<NodeId>, active: TermId) -> SpotId {
        let (terms, divided) = (self.terms(), self.system.divided);
        let proc = divided.source.locs[at].proc;
        let inputs = divided.entry_slots(proc);
        let (mut now, mut entry, mut formula) = (divided.now.clone(), divided.entry.clone(), Vec::new());
        self.symbols(inputs.union(&divided.frame[proc]).copied(), &mut now, &mut formula);
        self.symbols(inputs.iter().copied(), &mut entry, &mut formula);
        formula.extend(inputs.iter().map(|slot| terms.eq(now[*slot], entry[*slot])));
        let map: Substitution = divided.now.iter().copied().zip(entry.iter().copied()).collect();
        let held = |need: &&TermId| {
            sources.iter().all(|node| self.system.implies(&self.reached.nodes[*node].states, **need))
        };
        let needs = self.system.needs.get(&proc).map_or(&[][..], Vec::as_slice);
        let needs = terms.and(needs.iter().filter(held).copied());
        let needs = terms.substitute(needs, &map);
        let values = Values { now: Rc::new(now), entry: Some(Rc::new(entry)) };
        let spot = self.spots.push(Spot { at, values, guard: active, needs, ways: Vec::new() });
        self.place(vec![spot], &[], vec![terms.implies(active, terms.and(formula))]);
        spot
    }

    /// A rule that is taken from a spot, over a call behind the exit of the callee.
    fn way(&mut self, id: RuleId, from: SpotId, inner: Option<SpotId>, taken: TermId) -> Way {
        let (terms, divided) = (self.terms(), self.system.divided);
        let rule = &self.system.rules[id];
        let before = self.spots[from].values.clone();
        let mut map: Substitution = divided.now.iter().copied().zip(before.now.iter().copied()).collect();
        if let Some(entry) = &before.entry {
            map.extend(divided.entry.iter().copied().zip(entry.iter().copied()));
        }
        let mut now = (*before.now).clone();
        let mut formula = Vec::new();
        let called = rule.call.as_ref().zip(inner.map(|inner| self.spots[inner].values.clone()));
        if let Some((call, exit)) = &called {
            for &slot in &divided.changed[call.callee] {
                now[slot] = exit.now[slot];
                map.insert(rule.after[slot], now[slot]);
            }
        }
        // What belongs to the rule alone has other symbols each time.
        let fixed = divided.encoder.sites();
        // That values lie in their types is said where they get their symbols. Said of all, frames of others would be part of interpolants.
        let begins = self.spots[from].at == divided.start;
        let says = if begins { &rule.formula[..] } else { &rule.formula[rule.within..] };
        let mut own = says.to_vec();
        own.extend(&rule.after);
        own.extend(rule.call.iter().flat_map(|call| &call.inner));
        for symbol in terms.symbols_of_all(&own) {
            let term = terms.symbol_term(symbol);
            if !fixed.contains(&term) && !divided.entry.contains(&term) {
                map.entry(term).or_insert_with(|| terms.fresh(&terms.symbol_name(symbol), terms.sort(term)));
            }
        }
        if let Some((call, exit)) = &called {
            let begun = exit.entry.clone().expect("an activation that returns");
            let given = |slot: &usize| terms.eq(begun[*slot], terms.substitute(call.inner[*slot], &map));
            formula.extend(divided.entry_slots(call.callee).iter().map(given));
        } else {
            let changed: Vec<usize> = (0..now.len()).filter(|s| rule.after[*s] != divided.now[*s]).collect();
            self.symbols(changed.iter().copied(), &mut now, &mut formula);
            let is = |slot: &usize| terms.eq(now[*slot], terms.substitute(rule.after[*slot], &map));
            formula.extend(changed.iter().map(is));
            if let Some(callee) = self.system.entered(rule.to) {
                // Variables of the callee have any value when it begins.
                let own = divided.frame[callee].difference(&divided.params[callee]).copied();
                self.symbols(own, &mut now, &mut formula);
            }
        }
        formula.extend(says.iter().map(|formula| terms.substitute(*formula, &map)));
        Way { taken, rule: id, formula: terms.and(formula), map, from, inner, after: Rc::new(now) }
    }

    /// The values where ways meet: symbols of their own where these differ.
    fn join(&self, at: LocId, ways: &mut [Way]) -> Values {
        let (terms, divided) = (self.terms(), self.system.divided);
        let entered = self.system.entered(at).is_some();
        let entry = self.spots[ways[0].from].values.entry.clone().filter(|_| !entered);
        let mut now = (*ways[0].after).clone();
        if ways.len() > 1 {
            for slot in self.system.visible(at) {
                if ways.iter().all(|way| way.after[slot] == now[slot]) {
                    continue;
                }
                let mut known = Vec::new();
                self.symbols([slot], &mut now, &mut known);
                for way in &mut *ways {
                    way.formula = terms.and([way.formula, terms.eq(now[slot], way.after[slot])]);
                }
            }
            debug_assert_eq!(now.len(), divided.now.len());
        }
        Values { now: Rc::new(now), entry }
    }

    /// For the computation of interpolants at the places.
    pub fn problem(&self) -> interpolate::Tree {
        let formulas = self.places.iter().map(|place| place.formula).collect();
        let parents = self.places.iter().map(|place| place.parent);
        interpolate::Tree { formulas, parents: parents.take(self.places.len() - 1).collect() }
    }

    /// An interpolant of a spot, if the execution comes there.
    pub fn there(&self, formula: TermId) -> TermId {
        self.terms().substitute(formula, &self.guards)
    }

    /// The two sides of a spot that lies before a place: what leads there from the spots before, and from there to what the place excludes. `found` has the
    /// formulas of spots before and of the place.
    pub fn inside(&self, place: &Place, spot: SpotId, found: &FxHashMap<SpotId, TermId>) -> [TermId; 2] {
        let terms = self.terms();
        let of = |spot: SpotId| found.get(&spot).copied().unwrap_or(terms.tru());
        let step = |way: &Way| terms.and([way.formula, way.inner.map_or(terms.tru(), of)]);
        let here = self.spots[spot].ways.iter().map(|way| terms.and([of(way.from), step(way)]));
        let here = terms.and([self.spots[spot].needs, terms.or(here)]);
        let mut comes = FxHashMap::from_iter([(spot, terms.tru())]);
        let mut rest = vec![terms.not(of(place.spot))];
        let behind = place.between.iter().copied().filter(|other| *other > spot);
        for next in behind.chain([place.spot]) {
            let ways = self.spots[next].ways.iter();
            let ways: Vec<TermId> =
                ways.filter_map(|way| Some(terms.and([*comes.get(&way.from)?, step(way)]))).collect();
            if ways.is_empty() {
                continue;
            }
            let guard = if next == place.spot { terms.tru() } else { self.spots[next].guard };
            rest.push(terms.implies(guard, terms.or(ways)));
            comes.insert(next, guard);
        }
        [here, terms.and(rest)]
    }

    /// A formula of a spot over the values of entry and now.
    pub fn general(&self, spot: SpotId, formula: TermId) -> TermId {
        let Spot { at, values, .. } = &self.spots[spot];
        let (terms, divided) = (self.terms(), self.system.divided);
        let at_entry = self.system.entered(*at).is_some();
        let mut map = Substitution::default();
        if let Some(entry) = &values.entry {
            let general = if at_entry { &divided.now } else { &divided.entry };
            map.extend(entry.iter().copied().zip(general.iter().copied()));
        }
        map.extend(values.now.iter().copied().zip(divided.now.iter().copied()));
        terms.substitute(formula, &map)
    }

    /// A formula over the values of entry and now as one of a spot.
    pub fn special(&self, spot: SpotId, formula: TermId) -> TermId {
        let (values, divided) = (&self.spots[spot].values, self.system.divided);
        let mut map: Substitution = divided.now.iter().copied().zip(values.now.iter().copied()).collect();
        if let Some(entry) = &values.entry {
            map.extend(divided.entry.iter().copied().zip(entry.iter().copied()));
        }
        self.terms().substitute(formula, &map)
    }

    /// The execution that a model of all formulas names.
    pub fn execution(&self, model: &Model) -> Result<Counterexample, Reason> {
        let (terms, encoder) = (self.terms(), self.system.divided.encoder);
        let mut values = Evaluator::new(terms, model);
        let mut comes: FxHashSet<SpotId> = self.spots.indices().next_back().into_iter().collect();
        let mut steps = Vec::new();
        for (id, spot) in self.spots.iter_enumerated().rev() {
            if !comes.contains(&id) || spot.ways.is_empty() {
                continue;
            }
            let taken = |way: &&Way| values.eval(way.taken) == Value::Bool(true);
            let way = match &spot.ways[..] {
                [only] => only,
                several => several
                    .iter()
                    .find(taken)
                    .ok_or_else(|| Reason::Internal("the model names no way through a graph".into()))?,
            };
            comes.extend([way.from].into_iter().chain(way.inner));
            let rule = &self.system.rules[way.rule];
            if rule.edges.is_empty() {
                continue;
            }
            let mut value = |term| values.eval(terms.substitute(term, &way.map));
            let through = counterexample::through_block(encoder.program, rule.edges, rule.exit, &mut value)?;
            let own = |edge: craig_cfa::EdgeId| edge < self.system.divided.source.edges.len();
            steps.extend(through.into_iter().filter(|step| own(step.edge)));
        }
        steps.reverse();
        let places = counterexample::places(encoder, &mut values);
        Ok(Counterexample { arith: encoder.options.arith, places, steps })
    }
}
