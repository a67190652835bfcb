//! Counterexamples as trees of calls (PDS, 4.3.1 and 5.2).
//!
//! A way to the error is a chain of rules from where runs begin, through the procedures that have not returned; a rule over a call has the chain of the callee beside
//! it, from its entry to its exit. So the formulas of the rules, each with symbols of its own for the values behind it, make a tree whose root is the error. All
//! together hold for the executions along it. If there are none, interpolants of the tree say at each node what matters of the values at
//! the entry of its activation and of those there: the chain of a callee begins with nothing but that both are one (the entry predicate of PDS, 5.2.1), so that
//! its interpolants are relations between input and output, for every caller.

use super::predicates::System;
use super::reach::{NodeId, Reached, Why};
use super::rules::RuleId;
use crate::counterexample;
use craig_cfa::LocId;
use craig_logic::{Evaluator, Model, Substitution, TermId, Terms};
use craig_smt::interpolate;
use craig_verdict::{Counterexample, Reason};
use index_vec::IndexVec;
use std::rc::Rc;

/// Nodes of a tree at most: a short way to the error may go through the same callee again and again.
const MAX_NODES: usize = 5_000;

/// A node of the tree: a rule that was taken, or the entry of an activation that returns.
pub struct Place {
    /// Where it leads to.
    pub at: LocId,
    pub formula: TermId,
    /// Values there, and those at the entry of the activation, by slot.
    pub values: Values,
    rule: Option<RuleId>,
    /// From symbols of the rule to those of this place.
    map: Substitution,
    parent: usize,
}

#[derive(Clone)]
pub struct Values {
    pub now: Rc<Vec<TermId>>,
    /// Of activations that return.
    pub entry: Option<Rc<Vec<TermId>>>,
}

/// Places in the order of the execution: children before parents, the error last.
pub struct Tree<'s, 'd, 'a> {
    system: &'s System<'d, 'a>,
    reached: &'s Reached,
    pub places: Vec<Place>,
}

impl<'s, 'd, 'a> Tree<'s, 'd, 'a> {
    /// The tree of a way to the error; none if it is too large.
    pub fn new(system: &'s System<'d, 'a>, reached: &'s Reached, error: Why) -> Option<Tree<'s, 'd, 'a>> {
        let mut tree = Tree { system, reached, places: Vec::new() };
        tree.activation(error, None)?;
        Some(tree)
    }

    fn terms(&self) -> &'d Terms {
        self.system.terms()
    }

    /// The chain of rules that ends with this one: from the entry of the procedure that is given, or from where runs begin. Its last place.
    fn activation(&mut self, last: Why, entry: Option<LocId>) -> Option<usize> {
        let mut chain = vec![last];
        let mut first = last.from;
        while let Some(why) = self.reached.nodes[first].why
            && entry != Some(self.reached.nodes[first].at)
        {
            chain.push(why);
            first = why.from;
        }
        let mut at = entry.map(|entry| self.enter(entry));
        for why in chain.into_iter().rev() {
            if self.places.len() > MAX_NODES {
                return None;
            }
            let inner = match why.inner {
                Some(exit) => Some(self.callee(exit)?),
                None => None,
            };
            at = Some(self.step(why.rule, at, inner));
        }
        at
    }

    /// The chain of a callee to its exit.
    fn callee(&mut self, exit: NodeId) -> Option<usize> {
        let node = &self.reached.nodes[exit];
        let proc = self.system.divided.source.locs[node.at].proc;
        let entry = self.system.divided.source.procs[proc].entry;
        match node.why {
            Some(why) if node.at != entry => self.activation(why, Some(entry)),
            _ => Some(self.enter(entry)),
        }
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

    /// The entry of an activation that returns: the values of entry and now have symbols of their own, and are the same.
    fn enter(&mut self, at: LocId) -> usize {
        let (terms, divided) = (self.terms(), self.system.divided);
        let proc = divided.source.locs[at].proc;
        let inputs = divided.entry_slots(proc);
        let (mut now, mut entry, mut formula) = (divided.now.clone(), divided.entry.clone(), Vec::new());
        self.symbols(inputs.union(&divided.frame[proc]).copied(), &mut now, &mut formula);
        self.symbols(inputs.iter().copied(), &mut entry, &mut formula);
        formula.extend(inputs.iter().map(|slot| terms.eq(now[*slot], entry[*slot])));
        let values = Values { now: Rc::new(now), entry: Some(Rc::new(entry)) };
        let (formula, map) = (terms.and(formula), Substitution::default());
        self.places.push(Place { at, formula, values, rule: None, map, parent: 0 });
        self.places.len() - 1
    }

    /// A rule that is taken from a place, over a call behind the exit of the callee.
    fn step(&mut self, id: RuleId, from: Option<usize>, inner: Option<usize>) -> usize {
        let (terms, divided) = (self.terms(), self.system.divided);
        let rule = &self.system.rules[id];
        let before = from.map(|from| self.places[from].values.clone());
        let before = before.unwrap_or(Values { now: Rc::new(divided.now.clone()), entry: None });
        let mut map: Substitution = divided.now.iter().copied().zip(before.now.iter().copied()).collect();
        if let Some(entry) = &before.entry {
            map.extend(divided.entry.iter().copied().zip(entry.iter().copied()));
        }
        let mut now = (*before.now).clone();
        let mut formula = Vec::new();
        if let (Some(call), Some(inner)) = (&rule.call, inner) {
            let exit = self.places[inner].values.clone();
            for &slot in &divided.changed[call.callee] {
                now[slot] = exit.now[slot];
                map.insert(rule.after[slot], now[slot]);
            }
        }
        // What belongs to the rule alone has other symbols each time.
        let fixed = divided.encoder.sites();
        let mut own = rule.formula.clone();
        own.extend(&rule.after);
        own.extend(rule.call.iter().flat_map(|call| &call.inner));
        for symbol in terms.symbols_of_all(&own) {
            let term = terms.symbol_term(symbol);
            if !fixed.contains(&term) && !divided.entry.contains(&term) {
                map.entry(term).or_insert_with(|| terms.fresh(&terms.symbol_name(symbol), terms.sort(term)));
            }
        }
        let mut entry = before.entry.clone();
        if let (Some(call), Some(inner)) = (&rule.call, inner) {
            let begun = self.places[inner].values.entry.clone().expect("an activation that returns");
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
                entry = None;
            }
        }
        formula.extend(rule.formula.iter().map(|formula| terms.substitute(*formula, &map)));
        let place = self.places.len();
        from.into_iter().chain(inner).for_each(|child| self.places[child].parent = place);
        let values = Values { now: Rc::new(now), entry };
        let (at, formula, rule) = (rule.to, terms.and(formula), Some(id));
        self.places.push(Place { at, formula, values, rule, map, parent: 0 });
        place
    }

    /// For the computation of interpolants.
    pub fn problem(&self) -> interpolate::Tree {
        let formulas = self.places.iter().map(|place| place.formula).collect();
        let parents = self.places.iter().map(|place| place.parent);
        interpolate::Tree { formulas, parents: parents.take(self.places.len() - 1).collect() }
    }

    /// A formula of a place over the values of entry and now.
    pub fn general(&self, place: &Place, formula: TermId) -> TermId {
        let (terms, divided) = (self.terms(), self.system.divided);
        let at_entry = self.system.entered(place.at).is_some();
        let mut map = Substitution::default();
        if let Some(entry) = &place.values.entry {
            let general = if at_entry { &divided.now } else { &divided.entry };
            map.extend(entry.iter().copied().zip(general.iter().copied()));
        }
        map.extend(place.values.now.iter().copied().zip(divided.now.iter().copied()));
        terms.substitute(formula, &map)
    }

    /// The execution that a model of all formulas names.
    pub fn execution(&self, model: &Model) -> Result<Counterexample, Reason> {
        let (terms, encoder) = (self.terms(), self.system.divided.encoder);
        let mut values = Evaluator::new(terms, model);
        let rules: &IndexVec<_, _> = &self.system.rules;
        let mut steps = Vec::new();
        for place in &self.places {
            let Some(rule) = place.rule.map(|id| &rules[id]).filter(|rule| !rule.edges.is_empty()) else {
                continue;
            };
            let mut value = |term| values.eval(terms.substitute(term, &place.map));
            let way = counterexample::through_block(encoder.program, rule.edges, rule.exit, &mut value)?;
            let own = |edge: craig_cfa::EdgeId| edge < self.system.divided.source.edges.len();
            steps.extend(way.into_iter().rev().filter(|step| own(step.edge)));
        }
        let places = counterexample::places(encoder, &mut values);
        Ok(Counterexample { arith: encoder.options.arith, places, steps })
    }
}
