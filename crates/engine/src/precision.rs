//! Predicates, and which of them count where.
//!
//! A predicate is an atom over the symbols of the state with a BDD variable. A [`Precision`] assigns sets of predicates to
//! locations, or coarser: to all locations where the predicate speaks of something live ([`crate::live`]), to procedures (an inlined copy
//! counts as one of its own) or to the whole program.

use crate::live::Live;
use crate::slots::Slots;
use clap::ValueEnum;
use craig_cfa::{CallString, LocId, Program};
use craig_logic::{TermId, Terms};
use craig_smt::bdd::{BddVar, Bdds};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::rc::Rc;

index_vec::define_index_type! { pub struct PredicateId = u32; }

#[derive(Debug, Clone)]
pub struct Predicate {
    /// An atom over the symbols of the state, without negation.
    pub term: TermId,
    pub var: BddVar,
    /// The slots of the state that it speaks of.
    pub slots: Vec<u32>,
}

/// All predicates of a run. Atoms are the same modulo negation.
#[derive(Debug, Default)]
pub struct Predicates {
    all: IndexVec<PredicateId, Predicate>,
    by_term: FxHashMap<TermId, PredicateId>,
}

impl Predicates {
    /// The predicate of an atom, and whether it is new.
    pub fn add(&mut self, terms: &Terms, slots: &Slots, bdds: &Bdds, atom: TermId) -> (PredicateId, bool) {
        let (term, _) = terms.atom(atom);
        if let Some(known) = self.by_term.get(&term) {
            return (*known, false);
        }
        let slots = slots.of(terms, &[term]);
        let id = self.all.push(Predicate { term, var: bdds.new_var(), slots });
        self.by_term.insert(term, id);
        (id, true)
    }

    pub fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id]
    }

    /// The predicate that the literal is an occurrence of, and its sign.
    pub fn find(&self, terms: &Terms, literal: TermId) -> Option<(PredicateId, bool)> {
        let (term, positive) = terms.atom(literal);
        self.by_term.get(&term).map(|id| (*id, positive))
    }

    /// The predicate of a BDD variable.
    pub fn by_var(&self, var: BddVar) -> PredicateId {
        // Variables are made one after the other, by nobody else.
        PredicateId::from_raw(var.0)
    }

    /// The atom of a BDD variable.
    pub fn term_of(&self, var: BddVar) -> TermId {
        self.all[self.by_var(var)].term
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// What a set of predicates is assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Scope {
    /// The location that it explains
    #[default]
    Location,
    /// All locations where one of its variables is live
    #[value(name = "scope")]
    Live,
    /// The procedure of that location
    Procedure,
    /// The whole program
    Global,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Assigned {
    Location(LocId),
    Procedure(CallString),
    Program,
}

/// Which predicates count at which location.
#[derive(Debug)]
pub struct Precision {
    scope: Scope,
    sets: FxHashMap<Assigned, Rc<[PredicateId]>>,
    nothing: Rc<[PredicateId]>,
    /// For [`Scope::Live`], once there are predicates.
    live: Option<Live>,
}

impl Precision {
    pub fn new(scope: Scope) -> Self {
        Precision { scope, sets: FxHashMap::default(), nothing: Rc::new([]), live: None }
    }

    /// Must be told where slots are live before predicates are added.
    pub fn wants_live(&self) -> bool {
        self.scope == Scope::Live && self.live.is_none()
    }

    pub fn set_live(&mut self, live: Live) {
        self.live = Some(live);
    }

    fn assigned(&self, program: &Program, loc: LocId) -> Assigned {
        match self.scope {
            Scope::Location | Scope::Live => Assigned::Location(loc),
            Scope::Procedure => Assigned::Procedure(program.locs[loc].calls),
            Scope::Global => Assigned::Program,
        }
    }

    /// The predicates at a location, ascending. None count at the error.
    pub fn at(&self, program: &Program, loc: LocId) -> Rc<[PredicateId]> {
        if loc == program.error {
            return Rc::clone(&self.nothing);
        }
        Rc::clone(self.sets.get(&self.assigned(program, loc)).unwrap_or(&self.nothing))
    }

    /// Adds predicates that explain something at a location.
    pub fn add(&mut self, program: &Program, loc: LocId, predicates: &Predicates, new: &[PredicateId]) {
        let mut sets: FxHashMap<Assigned, Vec<PredicateId>> = FxHashMap::default();
        sets.insert(self.assigned(program, loc), new.to_vec());
        for id in new {
            let live = self.live.iter().flat_map(|live| live.locations(&predicates.get(*id).slots));
            for other in live.filter(|other| *other != loc) {
                sets.entry(self.assigned(program, other)).or_default().push(*id);
            }
        }
        for (to, mut all) in sets {
            let known = self.sets.get(&to).unwrap_or(&self.nothing);
            all.retain(|id| known.binary_search(id).is_err());
            if !all.is_empty() {
                all.extend(known.iter());
                all.sort_unstable();
                all.dedup();
                self.sets.insert(to, all.into());
            }
        }
    }
}
