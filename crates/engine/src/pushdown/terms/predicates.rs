//! Predicates per control point, and the rules over them: the abstract pushdown system (PDS, 4.1 and 5.3).
//!
//! A predicate is an atom over the values at the entry of the running activation and those of now, so that `result = 2 * old n` is one. An abstract state of a control
//! point says which of its predicates hold. What a rule does to abstract states is asked when the search comes to it, with all assignments that
//! the solver finds ([`allsat`]), and remembered.

#![allow(
    clippy::mutable_key_type,
    reason = "a BDD hashes by the node it names; only the count of its owners changes"
)]

use super::rules::{Rule, RuleId, rules};
use crate::abstraction::touch::{self, Names};
use crate::procedures::{Divided, Slot};
use craig_cfa::{LocId, ProcId};
use craig_logic::{Substitution, TermId, Terms};
use craig_smt::allsat::{self, AllSatError};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction};
use craig_smt::{Session, Smt};
use craig_verdict::Reason;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

const BDD_NODES: usize = 1 << 20;
const BDD_CACHE: usize = 1 << 16;
/// Assignments in one answer.
const MAX_ASSIGNMENTS: usize = 1 << 14;

/// What the image of a rule depends on: its premises, the predicates behind it, and what is left out since it is known.
type Key = (RuleId, Bdd, Option<Bdd>, usize, Bdd);

pub struct System<'d, 'a> {
    pub divided: &'d Divided<'a>,
    pub rules: IndexVec<RuleId, Rule<'d>>,
    pub smt: Smt,
    pub bdds: Bdds,
    /// By the variable of the diagrams.
    predicates: Vec<TermId>,
    by_term: FxHashMap<TermId, BddVar>,
    at: BTreeMap<LocId, Vec<BddVar>>,
    /// What the solver knows of each rule.
    sessions: IndexVec<RuleId, Option<Session>>,
    images: FxHashMap<Key, Bdd>,
    /// Literals that hold wherever a procedure is entered, as far as is known ([`super::needs`]).
    pub needs: BTreeMap<ProcId, Vec<TermId>>,
    /// What belongs to activations of some procedure.
    framed: BTreeSet<Slot>,
    /// What terms speak of.
    names: Names,
    /// Atoms that say that values lie in their types: true everywhere.
    in_types: FxHashSet<TermId>,
    pub computed: u64,
    pub remembered: u64,
}

impl<'d, 'a> System<'d, 'a> {
    pub fn new(divided: &'d Divided<'a>, smt: Smt) -> System<'d, 'a> {
        let rules = rules(divided);
        let ranges: Vec<TermId> =
            divided.ranges.iter().chain(&divided.entry_ranges).flatten().copied().collect();
        let in_types = divided.encoder.terms.atoms(&ranges).into_iter().collect();
        System {
            in_types,
            divided,
            smt,
            bdds: Bdds::new(BDD_NODES, BDD_CACHE),
            predicates: Vec::new(),
            by_term: FxHashMap::default(),
            at: BTreeMap::new(),
            sessions: rules.iter().map(|_| None).collect(),
            rules,
            images: FxHashMap::default(),
            needs: BTreeMap::new(),
            names: Names::default(),
            framed: divided.frame.iter().flatten().copied().collect(),
            computed: 0,
            remembered: 0,
        }
    }

    pub fn terms(&self) -> &'d Terms {
        &self.divided.encoder.terms
    }

    /// The procedure that is entered there. There the values of its entry are those of now.
    pub fn entered(&self, at: LocId) -> Option<ProcId> {
        self.divided.entered(at)
    }

    /// Adds an atom over the values of entry and now; is it new there?
    pub fn add(&mut self, at: LocId, atom: TermId) -> bool {
        let (term, _) = self.terms().atom(atom);
        if self.in_types.contains(&term) {
            return false;
        }
        let var = *self.by_term.entry(term).or_insert_with(|| {
            self.predicates.push(term);
            self.bdds.new_var()
        });
        let here = self.at.entry(at).or_default();
        let new = !here.contains(&var);
        if new {
            here.push(var);
        }
        new
    }

    /// Predicates in all, and the most at one control point.
    pub fn sizes(&self) -> (usize, usize) {
        (self.at.values().map(Vec::len).sum(), self.at.values().map(Vec::len).max().unwrap_or(0))
    }

    /// An abstract state as a formula over the values of entry and now.
    pub fn formula(&self, states: &Bdd) -> TermId {
        let term_of = |var: BddVar| self.predicates[var.0 as usize];
        allsat::formula(self.terms(), &self.bdds, &term_of, states)
    }

    /// Abstract states behind a rule that are not known yet, from those before it and, if it goes over a call, those at the exit of the callee.
    pub fn image(&mut self, id: RuleId, from: &Bdd, inner: Option<&Bdd>, known: &Bdd) -> Result<Bdd, Reason> {
        let to = self.rules[id].to;
        let vars = self.at.get(&to).cloned().unwrap_or_default();
        let key = (id, from.clone(), inner.cloned(), vars.len(), known.clone());
        if let Some(image) = self.images.get(&key) {
            self.remembered += 1;
            return Ok(image.clone());
        }
        self.computed += 1;
        let terms = self.terms();
        let rule = &self.rules[id];
        let behind = self.behind(rule);
        let mut premises = vec![self.formula(from)];
        if let (Some(inner), Some(map)) = (inner, self.returned(rule)) {
            premises.push(terms.substitute(self.formula(inner), &map));
        }
        let new = terms.not(terms.substitute(self.formula(known), &behind));
        let predicate = |var: &BddVar| (*var, terms.substitute(self.predicates[var.0 as usize], &behind));
        let asked: Vec<(BddVar, TermId)> = vars.iter().map(predicate).collect();
        let groups = self.apart(id, from, inner, asked)?;
        let rule = &self.rules[id];
        let session = self.sessions[id].get_or_insert_with(|| {
            let mut session = self.smt.enumerating_session();
            rule.formula.iter().for_each(|formula| session.assert(*formula));
            session
        });
        session.push();
        premises.iter().for_each(|premise| session.assert(*premise));
        let image = in_groups(session, terms, &self.bdds, &groups, new, known);
        session.pop();
        let image = image.map_err(|e| match e {
            AllSatError::Undecided(why) => why.into(),
            AllSatError::OutOfNodes(full) => Reason::BddNodes(full),
            AllSatError::TooMany { limit } => Reason::Assignments { limit },
        })?;
        self.images.insert(key, image.clone());
        Ok(image)
    }

    /// The predicates behind a rule in groups that have nothing to do with each other, whatever the rule and its premises say: their assignments are those of one combined
    /// with those of the others, and need not be enumerated one by one.
    fn apart(
        &mut self,
        id: RuleId,
        from: &Bdd,
        inner: Option<&Bdd>,
        asked: Vec<(BddVar, TermId)>,
    ) -> Result<Vec<Vec<(BddVar, TermId)>>, Reason> {
        let terms = self.terms();
        let rule = &self.rules[id];
        let predicates = |states: &Bdd, map: Option<Substitution>| {
            let term = |var: BddVar| self.predicates[var.0 as usize];
            let said = |var| (var, map.as_ref().map_or(term(var), |map| terms.substitute(term(var), map)));
            self.bdds.support(states).into_iter().map(said).collect::<Vec<(BddVar, TermId)>>()
        };
        let premises = [Some((from, None)), inner.zip(self.returned(rule)).map(|(i, map)| (i, Some(map)))];
        let premises: Vec<(&Bdd, Vec<(BddVar, TermId)>)> =
            premises.into_iter().flatten().map(|(states, map)| (states, predicates(states, map))).collect();
        let mut all: Vec<TermId> = asked.iter().map(|(_, term)| *term).collect();
        let mut starts = Vec::new();
        for (_, said) in &premises {
            starts.push(all.len());
            all.extend(said.iter().map(|(_, term)| *term));
        }
        all.extend(&rule.formula);
        let groups = touch::groups(terms, &mut self.names, &all);
        let of_group = |group: &Vec<usize>| {
            let asked = group.iter().filter_map(|at| asked.get(*at).copied()).collect::<Vec<_>>();
            (!asked.is_empty()).then_some(asked)
        };
        let parts: Vec<Vec<(BddVar, TermId)>> = groups.iter().filter_map(of_group).collect();
        if parts.len() < 2 {
            return Ok(vec![asked]);
        }
        // What the premises say of the groups must be independent, too.
        for ((states, said), start) in premises.iter().zip(starts) {
            let mut product = self.bdds.constant(true);
            for group in &groups {
                let here = |at: usize| group.contains(&(start + at));
                let others = (0..said.len()).filter(|at| !here(*at)).map(|at| (said[at].0, true));
                let others = self.bdds.cube(&others.collect::<Vec<_>>())?;
                let projected = self.bdds.within(|| self.bdds.exists(states, &others))?;
                product = self.bdds.within(|| product.and(&projected))?;
            }
            if product != **states {
                return Ok(vec![asked]);
            }
        }
        Ok(parts)
    }

    /// The values that predicates behind a rule speak of, as terms over those before it.
    fn behind(&self, rule: &Rule<'_>) -> Substitution {
        let Divided { now, entry, .. } = self.divided;
        let mut map: Substitution = now.iter().copied().zip(rule.after.iter().copied()).collect();
        if self.entered(rule.from).is_some() {
            map.extend(entry.iter().copied().zip(now.iter().copied()));
        }
        map
    }

    /// The values that predicates at the exit of the callee speak of, for the caller.
    fn returned(&self, rule: &Rule<'_>) -> Option<Substitution> {
        let Divided { now, entry, .. } = self.divided;
        let call = rule.call.as_ref()?;
        let mut map: Substitution = now.iter().copied().zip(rule.after.iter().copied()).collect();
        map.extend(entry.iter().copied().zip(call.inner.iter().copied()));
        Some(map)
    }

    /// Whether these states imply a literal.
    pub fn implies(&self, states: &Bdd, literal: TermId) -> bool {
        let (atom, positive) = self.terms().atom(literal);
        let Some(var) = self.by_term.get(&atom) else { return false };
        self.bdds
            .cube(&[(*var, positive)])
            .is_ok_and(|literal| self.bdds.implies(states, &literal).unwrap_or(false))
    }

    /// The slots that are spoken of at a control point: of its procedure, and of all.
    pub fn visible(&self, at: LocId) -> BTreeSet<Slot> {
        let divided = self.divided;
        let Some(proc) = divided.owner[at] else { return BTreeSet::new() };
        let of_all = (0..divided.now.len()).filter(|slot| !self.framed.contains(slot));
        let own =
            [&divided.frame[proc], &divided.params[proc], &divided.touched[proc], &divided.changed[proc]];
        of_all.chain(own.into_iter().flatten().copied()).collect()
    }

    /// Both, or one of them.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Reason> {
        Ok(self.bdds.within(|| a.or(b))?)
    }
}

/// The assignments that the session's assertions allow, of predicates in groups that have nothing to do with each other, but for those that are known.
fn in_groups(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    groups: &[Vec<(BddVar, TermId)>],
    new: TermId,
    known: &Bdd,
) -> Result<Bdd, AllSatError> {
    if let [all] = groups {
        session.assert(new);
        return allsat::enumerate(session, terms, bdds, all, MAX_ASSIGNMENTS);
    }
    if !session.check_assuming(&[new]).decided()? {
        return Ok(bdds.constant(false));
    }
    let mut states = bdds.within(|| known.not())?;
    for group in groups {
        let found = allsat::enumerate(session, terms, bdds, group, MAX_ASSIGNMENTS)?;
        states = bdds.within(|| states.and(&found))?;
    }
    Ok(states)
}
