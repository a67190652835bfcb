//! Successors of abstract states: document 003, II.B, Cartesian and Boolean predicate abstraction.
//!
//! A block from an abstract state allows some values of the predicates behind it. What the label of the source says of a
//! predicate that the block leaves alone, or of one that it turns into another known one, is read off the BDD; the solver
//! is asked about the rest. Results are kept per block, precision and source state. Each block has a session of its own.

#![allow(
    clippy::mutable_key_type,
    reason = "a BDD hashes by the node it names; only the count of its owners changes"
)]

use super::{Kind, full};
use crate::blocks::{BlockNo, Formula, Sessions, Vocabulary};
use crate::precision::{PredicateId, Predicates};
use crate::run::Stats;
use craig_logic::{TermId, Terms};
use craig_smt::allsat::{self, AllSatError};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfMemory};
use craig_smt::{Session, Smt};
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Nodes of the BDD manager.
const BDD_NODES: usize = 1 << 20;
const BDD_CACHE: usize = 1 << 16;
/// Assignments that one Boolean abstraction may have.
const MAX_ASSIGNMENTS: usize = 1 << 20;

type Key = (BlockNo, Rc<[PredicateId]>, Bdd, Option<Bdd>);

/// What lies behind a block.
#[derive(Clone)]
pub enum Post {
    /// Nothing.
    Infeasible,
    /// Nothing new.
    Covered,
    States {
        state: Bdd,
        /// These are not all: what is reached already was left out.
        rest: bool,
    },
}

pub struct Abstraction {
    terms: Rc<Terms>,
    vocabulary: Rc<Vocabulary>,
    pub bdds: Bdds,
    kind: Kind,
    cache: FxHashMap<Key, Post>,
    sessions: Sessions,
    /// Predicates behind a block, as terms over the state before it.
    before: FxHashMap<(BlockNo, PredicateId), TermId>,
    /// Abstract states as terms.
    formulas: FxHashMap<Bdd, TermId>,
    computed: u64,
    hits: u64,
    time: Duration,
}

impl Abstraction {
    pub fn new(smt: &Smt, vocabulary: Rc<Vocabulary>, kind: Kind) -> Self {
        Abstraction {
            terms: Rc::clone(smt.terms()),
            vocabulary,
            bdds: Bdds::new(BDD_NODES, BDD_CACHE),
            kind,
            cache: FxHashMap::default(),
            sessions: Sessions::new(smt),
            before: FxHashMap::default(),
            formulas: FxHashMap::default(),
            computed: 0,
            hits: 0,
            time: Duration::ZERO,
        }
    }

    /// An abstract state as a term over the symbols of the state.
    pub fn formula(&self, state: &Bdd, predicates: &Predicates) -> TermId {
        allsat::formula(&self.terms, &self.bdds, &|var| predicates.term_of(var), state)
    }

    /// The abstract state behind a block, as far as it is new at a location where all of `reached` is known.
    pub fn post(
        &mut self,
        block: BlockNo,
        formula: &Formula,
        from: &Bdd,
        predicates: &Predicates,
        precision: &Rc<[PredicateId]>,
        reached: Option<&Bdd>,
    ) -> Result<Post, Reason> {
        let reached = reached.filter(|r| r.satisfiable());
        let key = (block, Rc::clone(precision), from.clone(), reached.cloned());
        if let Some(known) = self.cache.get(&key) {
            self.hits += 1;
            return Ok(known.clone());
        }
        let start = Instant::now();
        let result = self.compute(block, formula, from, predicates, precision, reached);
        self.time += start.elapsed();
        let result = result?;
        self.computed += 1;
        self.cache.insert(key, result.clone());
        Ok(result)
    }

    fn compute(
        &mut self,
        block: BlockNo,
        formula: &Formula,
        from: &Bdd,
        predicates: &Predicates,
        precision: &[PredicateId],
        reached: Option<&Bdd>,
    ) -> Result<Post, Reason> {
        let mut known = Vec::new();
        let mut open = Vec::new();
        for id in precision {
            let before = self.before(block, formula, predicates, *id);
            match self.read_off(from, predicates, before)? {
                Some(value) => known.push((predicates.get(*id).var, value)),
                None => open.push((predicates.get(*id).var, before)),
            }
        }
        let known = self.bdds.cube(&known).map_err(full)?;
        if let Some(reached) = reached
            && self.bdds.implies(&known, reached).map_err(full)?
        {
            return Ok(Post::Covered);
        }
        if open.is_empty() && formula.constraints.is_empty() {
            return Ok(Post::States { state: known, rest: false });
        }
        // What is reached already, as a term over the state before the block.
        let old = reached.filter(|_| self.kind == Kind::Boolean).map(|reached| {
            let mut behind = FxHashMap::default();
            for var in self.bdds.support(reached)? {
                behind.insert(var, self.before(block, formula, predicates, predicates.by_var(var)));
            }
            Ok(allsat::formula(&self.terms, &self.bdds, &|var| behind[&var], reached))
        });
        let old = old.transpose().map_err(full)?;
        let state = match self.formulas.get(from) {
            Some(term) => *term,
            None => {
                let term = self.formula(from, predicates);
                self.formulas.insert(from.clone(), term);
                term
            }
        };
        let kind = self.kind;
        let (terms, bdds) = (Rc::clone(&self.terms), self.bdds.clone());
        let session = self.sessions.get(block, formula);
        session.push();
        session.assert(state);
        let found = match kind {
            Kind::Boolean => rest(session, &terms, &bdds, &open, old),
            Kind::Cartesian => cartesian(session, &terms, &bdds, &open),
        };
        session.pop();
        let found = found.map_err(|e| match e {
            AllSatError::Solver(reason) => reason.into(),
            AllSatError::OutOfMemory => full(OutOfMemory),
            AllSatError::TooMany => Reason::Solver(e.to_string()),
        })?;
        let Post::States { state, rest } = found else { return Ok(found) };
        let state = state.and(&known).map_err(full)?;
        match reached {
            Some(reached) if self.bdds.implies(&state, reached).map_err(full)? => Ok(Post::Covered),
            _ => Ok(Post::States { state, rest }),
        }
    }

    /// A predicate behind the block, as a term over the state before it.
    fn before(
        &mut self,
        block: BlockNo,
        formula: &Formula,
        predicates: &Predicates,
        id: PredicateId,
    ) -> TermId {
        let (terms, vocabulary) = (&self.terms, &self.vocabulary);
        let term = || formula.before(terms, vocabulary, predicates.get(id).term);
        *self.before.entry((block, id)).or_insert_with(term)
    }

    /// The value of a literal over the state that the abstract state decides.
    fn read_off(
        &self,
        state: &Bdd,
        predicates: &Predicates,
        literal: TermId,
    ) -> Result<Option<bool>, Reason> {
        if self.terms.is_true(literal) || self.terms.is_false(literal) {
            return Ok(Some(self.terms.is_true(literal)));
        }
        let Some((id, positive)) = predicates.find(&self.terms, literal) else { return Ok(None) };
        let var = self.bdds.var(predicates.get(id).var).map_err(full)?;
        if self.bdds.implies(state, &var).map_err(full)? {
            return Ok(Some(positive));
        }
        let not = var.not().map_err(full)?;
        Ok(self.bdds.implies(state, &not).map_err(full)?.then_some(!positive))
    }

    pub fn report(&self, stats: &mut Stats) {
        stats.set("abstractions", self.computed as f64);
        stats.set("abstraction_cache_hits", self.hits as f64);
        stats.set("abstraction_s", self.time.as_secs_f64());
        stats.set("bdd_nodes", self.bdds.nodes() as f64);
    }
}

/// The assignments that the session's assertions allow, without the old ones.
fn rest(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    predicates: &[(BddVar, TermId)],
    old: Option<TermId>,
) -> Result<Post, AllSatError> {
    if let Some(old) = old {
        let new = terms.not(old);
        if !session.check_assuming(&[new]).decided().map_err(AllSatError::Solver)? {
            return Ok(if session.core().is_empty() { Post::Infeasible } else { Post::Covered });
        }
        session.assert(new);
    }
    let state = allsat::enumerate(session, terms, bdds, predicates, MAX_ASSIGNMENTS)?;
    Ok(if state.satisfiable() { Post::States { state, rest: old.is_some() } } else { Post::Infeasible })
}

/// The strongest conjunction of predicates and negated predicates that the session's assertions imply.
fn cartesian(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    predicates: &[(BddVar, TermId)],
) -> Result<Post, AllSatError> {
    if !session.check().decided().map_err(AllSatError::Solver)? {
        return Ok(Post::Infeasible);
    }
    let mut literals = Vec::new();
    for (var, term) in predicates {
        let mut possible =
            |literal| session.check_assuming(&[literal]).decided().map_err(AllSatError::Solver);
        if !possible(terms.not(*term))? {
            literals.push((*var, true));
        } else if !possible(*term)? {
            literals.push((*var, false));
        }
    }
    Ok(Post::States { state: bdds.cube(&literals)?, rest: false })
}
