//! Predicates, and which of them count where.
//!
//! A predicate is an atom over the symbols of the state with a BDD variable. A [`Precision`] assigns sets of predicates to
//! locations, or coarser to procedures (an inlined copy counts as one of its own) or to the whole program.

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
    #[default]
    Location,
    Procedure,
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
}

impl Precision {
    pub fn new(scope: Scope) -> Self {
        Precision { scope, sets: FxHashMap::default(), nothing: Rc::new([]) }
    }

    fn assigned(&self, program: &Program, loc: LocId) -> Assigned {
        match self.scope {
            Scope::Location => Assigned::Location(loc),
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

    pub fn add(&mut self, program: &Program, loc: LocId, predicates: &[PredicateId]) {
        let to = self.assigned(program, loc);
        let mut all: Vec<PredicateId> = self.sets.get(&to).map_or(Vec::new(), |s| s.to_vec());
        all.extend(predicates);
        all.sort_unstable();
        all.dedup();
        self.sets.insert(to, all.into());
    }
}
