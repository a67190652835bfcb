//! Successors of abstract states: LBE, II.B, Cartesian and Boolean predicate abstraction.
//!
//! A block from an abstract state allows some values of the predicates behind it. What the label of the source says of a
//! predicate that the block leaves alone, or of one that it turns into another known one, is read off the BDD, as are combinations of predicates that
//! have nothing to do with the block ([`touch`]); the solver is asked about the rest. Results are kept per block, precision and source state.
//! Each block has a session of its own, which knows the predicates behind the block by proxies.
//!
//! Tried and left out: states as formulas over proxies, too (the same time); a solver context of their own for these sessions (a tenth less on
//! the parallel port driver, a third less memory, but a fifth more in one run of floppy-1).

#![allow(
    clippy::mutable_key_type,
    reason = "a BDD hashes by the node it names; only the count of its owners changes"
)]

pub(crate) mod touch;

use crate::formulas::{Formula, Sessions};
use crate::options::Abstraction as Kind;
use crate::precision::{PredicateId, Predicates};
use crate::run::Stats;
use crate::slots::Slots;
use crate::workbench::Workbench;
use craig_base::Timer;
use craig_cfa::BlockId;
use craig_logic::{TermId, Terms};
use craig_smt::Session;
use craig_smt::allsat::{self, AllSatError};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfMemory};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;
use touch::{Names, Product, Split};

/// Nodes of the BDD manager: some tens of megabytes. No program of the sets that was solved came near.
const BDD_NODES: usize = 1 << 20;
const BDD_CACHE: usize = 1 << 16;
/// Assignments that one Boolean abstraction may have if nobody says otherwise; each costs a question, so that time ends it first.
const MAX_ASSIGNMENTS: usize = 1 << 20;

type Key = (BlockId, Rc<[PredicateId]>, Bdd, Option<Bdd>);

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
    slots: Rc<Slots>,
    pub bdds: Bdds,
    kind: Kind,
    /// Assignments that one Boolean abstraction may have.
    limit: usize,
    cache: FxHashMap<Key, Post>,
    sessions: Sessions,
    /// What terms speak of.
    names: Names,
    /// Predicates behind a block, as terms over the state before it.
    before: FxHashMap<(BlockId, PredicateId), TermId>,
    /// Abstract states as terms.
    formulas: FxHashMap<Bdd, TermId>,
    computed: u64,
    hits: u64,
    time: Duration,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Post::Infeasible => "Infeasible",
            Post::Covered => "Covered",
            Post::States { .. } => "States",
        })
    }
}

impl fmt::Debug for Abstraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstraction").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Abstraction {
    pub fn new(bench: &Workbench<'_>, kind: Kind) -> Self {
        Abstraction {
            terms: Rc::clone(&bench.terms),
            slots: Rc::clone(&bench.slots),
            bdds: Bdds::new(BDD_NODES, BDD_CACHE),
            kind,
            limit: MAX_ASSIGNMENTS,
            cache: FxHashMap::default(),
            sessions: Sessions::enumerating(bench),
            names: Names::default(),
            before: FxHashMap::default(),
            formulas: FxHashMap::default(),
            computed: 0,
            hits: 0,
            time: Duration::ZERO,
        }
    }

    /// With another limit for the assignments of one Boolean abstraction.
    pub fn with_limit(self, limit: usize) -> Self {
        Abstraction { limit, ..self }
    }

    /// An abstract state as a term over the symbols of the state.
    pub fn formula(&self, state: &Bdd, predicates: &Predicates) -> TermId {
        allsat::formula(&self.terms, &self.bdds, &|var| predicates.term_of(var), state)
    }

    /// The same, remembered.
    pub fn formula_of(&mut self, state: &Bdd, predicates: &Predicates) -> TermId {
        if let Some(known) = self.formulas.get(state) {
            return *known;
        }
        let made = self.formula(state, predicates);
        self.formulas.insert(state.clone(), made);
        made
    }

    /// The abstract state behind a block, as far as it is new at a location where all of `reached` is known.
    pub fn post(
        &mut self,
        block: BlockId,
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
        let start = Timer::start();
        let result = self.compute(block, formula, from, predicates, precision, reached);
        self.time += start.elapsed();
        let result = result?;
        self.computed += 1;
        self.cache.insert(key, result.clone());
        Ok(result)
    }

    fn compute(
        &mut self,
        block: BlockId,
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
        let known = self.bdds.cube(&known)?;
        if let Some(reached) = reached
            && self.bdds.implies(&known, reached)?
        {
            return Ok(Post::Covered);
        }
        if open.is_empty() && formula.constraints.is_empty() {
            return Ok(Post::States { state: known, rest: false });
        }
        let products = match self.kind {
            Kind::Boolean => self.products(formula, from, predicates, &open)?,
            Kind::Cartesian | Kind::Off => None,
        };
        let Split { alone, products } = products.unwrap_or_else(|| {
            let all = Product { touched: from.clone(), alone: self.bdds.constant(true) };
            Split { alone: FxHashSet::default(), products: vec![all] }
        });
        open.retain(|(var, _)| !alone.contains(var));
        let (mut states, mut covered) = (self.bdds.constant(false), false);
        for product in &products {
            let others: Vec<BddVar> =
                self.bdds.support(&product.alone).into_iter().filter(|v| !alone.contains(v)).collect();
            let beside = self.without(&product.alone, &others)?;
            let beside = beside.and(&known).map_err(|e| self.full(e))?;
            // What needs no answer: the touched part leads to states that are all known with what lies beside it.
            let old = match reached.filter(|_| self.kind == Kind::Boolean) {
                Some(reached) => {
                    let not = reached.not().map_err(|e| self.full(e))?;
                    let new = beside.and(&not).map_err(|e| self.full(e))?;
                    let new = self.without(&new, &self.bdds.support(&beside))?;
                    Some(new.not().map_err(|e| self.full(e))?)
                }
                None => None,
            };
            if old.as_ref().is_some_and(|old| old.valid()) {
                covered = true;
                continue;
            }
            let asked = !open.is_empty() || !formula.constraints.is_empty();
            let found = match asked {
                true => self.ask(block, formula, &product.touched, predicates, &open, old.as_ref())?,
                false => Post::States { state: self.bdds.constant(true), rest: false },
            };
            match found {
                Post::Infeasible => {}
                Post::Covered => covered = true,
                Post::States { state, .. } => {
                    let state = state.and(&beside).map_err(|e| self.full(e))?;
                    states = states.or(&state).map_err(|e| self.full(e))?;
                }
            }
        }
        if !states.satisfiable() {
            return Ok(if covered { Post::Covered } else { Post::Infeasible });
        }
        match reached {
            Some(reached) if self.bdds.implies(&states, reached)? => Ok(Post::Covered),
            Some(reached) if self.kind == Kind::Boolean => {
                let not = reached.not().map_err(|e| self.full(e))?;
                let state = states.and(&not).map_err(|e| self.full(e))?;
                Ok(Post::States { state, rest: true })
            }
            _ => Ok(Post::States { state: states, rest: false }),
        }
    }

    /// The function whatever the variables are.
    fn without(&self, function: &Bdd, vars: &[BddVar]) -> Result<Bdd, Reason> {
        let vars: Vec<(BddVar, bool)> = vars.iter().map(|v| (*v, true)).collect();
        let cube = self.bdds.cube(&vars)?;
        self.bdds.exists(function, &cube).map_err(|e| self.full(e))
    }

    /// The variables among the open ones that a block leaves alone, and the state as few products of what it touches and what it does not.
    fn products(
        &mut self,
        formula: &Formula,
        from: &Bdd,
        predicates: &Predicates,
        open: &[(BddVar, TermId)],
    ) -> Result<Option<Split>, Reason> {
        let support: FxHashSet<BddVar> = self.bdds.support(from).into_iter().collect();
        let (same, other): (Vec<_>, Vec<_>) = open
            .iter()
            .partition(|(var, before)| support.contains(var) && *before == predicates.term_of(*var));
        if same.is_empty() {
            return Ok(None);
        }
        let mut source: Vec<PredicateId> = support.iter().map(|var| predicates.by_var(*var)).collect();
        source.sort_unstable();
        let asked = other.iter().map(|(_, term)| *term).chain(formula.constraints.iter().copied());
        let touched = touch::touched(&self.terms, &mut self.names, predicates, &source, asked);
        let alone: FxHashSet<BddVar> = same
            .iter()
            .map(|(var, _)| *var)
            .filter(|var| !touched.contains(&predicates.by_var(*var)))
            .collect();
        if alone.is_empty() {
            return Ok(None);
        }
        let touched = source.iter().filter(|id| touched.contains(id)).map(|id| predicates.get(*id).var);
        let products = touch::products(&self.bdds, from, &touched.collect::<Vec<_>>())?;
        Ok(products.map(|products| Split { alone, products }))
    }

    /// Asks the solver what the open predicates can be behind the block, but for what is old.
    fn ask(
        &mut self,
        block: BlockId,
        formula: &Formula,
        from: &Bdd,
        predicates: &Predicates,
        open: &[(BddVar, TermId)],
        old: Option<&Bdd>,
    ) -> Result<Post, Reason> {
        let mut behind: FxHashMap<BddVar, TermId> = FxHashMap::default();
        for var in old.map_or(Vec::new(), |old| self.bdds.support(old)) {
            if open.iter().all(|(v, _)| *v != var) {
                behind.insert(var, self.before(block, formula, predicates, predicates.by_var(var)));
            }
        }
        let state = self.formula_of(from, predicates);
        let (kind, limit) = (self.kind, self.limit);
        let (terms, bdds) = (Rc::clone(&self.terms), self.bdds.clone());
        let asked: Vec<TermId> = open.iter().map(|(_, term)| *term).collect();
        let apart = match kind {
            Kind::Boolean => self.apart(formula, from, predicates, &asked)?,
            Kind::Cartesian | Kind::Off => None,
        };
        let session = self.sessions.get(block, formula, &[&[state], &asked[..]].concat());
        // Defined below the level of the state, so that the session gets them once.
        let proxies = session.proxies(&asked);
        let open: Vec<(BddVar, TermId)> = open.iter().zip(proxies).map(|((var, _), p)| (*var, p)).collect();
        let known =
            |var: BddVar| open.iter().find(|(v, _)| *v == var).map_or_else(|| behind[&var], |(_, p)| *p);
        let old = old.map(|old| allsat::formula(&terms, &bdds, &known, old));
        session.push();
        session.assert(state);
        let found = match kind {
            Kind::Boolean | Kind::Off => {
                let apart = apart
                    .map(|groups| groups.iter().map(|g| g.iter().map(|at| open[*at]).collect()).collect());
                let groups: Vec<Vec<(BddVar, TermId)>> = apart.unwrap_or_else(|| vec![open]);
                rest(session, &terms, &bdds, &groups, old, limit)
            }
            Kind::Cartesian => cartesian(session, &terms, &bdds, &open),
        };
        session.pop();
        found.map_err(|e| match e {
            AllSatError::Undecided(why) => why.into(),
            AllSatError::OutOfNodes(full) => Reason::BddNodes(full),
            AllSatError::TooMany { limit } => Reason::Assignments { limit },
        })
    }

    /// The open predicates in groups, by their positions, that have nothing to do with each other, whatever the block and the state say. Their assignments are those of one group
    /// combined with those of the others, and need not be enumerated one by one.
    fn apart(
        &mut self,
        formula: &Formula,
        from: &Bdd,
        predicates: &Predicates,
        asked: &[TermId],
    ) -> Result<Option<Vec<Vec<usize>>>, Reason> {
        if asked.len() < 2 {
            return Ok(None);
        }
        let support = self.bdds.support(from);
        let of_state = support.iter().map(|var| predicates.term_of(*var));
        let all: Vec<TermId> =
            asked.iter().copied().chain(of_state).chain(formula.constraints.iter().copied()).collect();
        let groups = touch::groups(&self.terms, &mut self.names, &all);
        let is_open = |at: &usize| *at < asked.len();
        if groups.iter().filter(|group| group.iter().any(is_open)).count() < 2 {
            return Ok(None);
        }
        // What the state says of the groups must be independent, too.
        let mut product = self.bdds.constant(true);
        for group in &groups {
            let vars: Vec<BddVar> =
                group.iter().filter_map(|at| support.get(at.checked_sub(asked.len())?).copied()).collect();
            let others: Vec<BddVar> = support.iter().copied().filter(|var| !vars.contains(var)).collect();
            let here = self.without(from, &others)?;
            product = product.and(&here).map_err(|e| self.full(e))?;
        }
        if product != *from {
            return Ok(None);
        }
        let open = groups.into_iter().map(|group| group.into_iter().filter(is_open).collect::<Vec<_>>());
        Ok(Some(open.filter(|group| !group.is_empty()).collect()))
    }

    /// A predicate behind the block, as a term over the state before it.
    fn before(
        &mut self,
        block: BlockId,
        formula: &Formula,
        predicates: &Predicates,
        id: PredicateId,
    ) -> TermId {
        let (terms, slots) = (&self.terms, &self.slots);
        let term = || formula.before(terms, slots, predicates.get(id).term);
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
        let var = self.bdds.var(predicates.get(id).var)?;
        if self.bdds.implies(state, &var)? {
            return Ok(Some(positive));
        }
        let not = var.not().map_err(|e| self.full(e))?;
        Ok(self.bdds.implies(state, &not)?.then_some(!positive))
    }

    pub fn full(&self, _: OutOfMemory) -> Reason {
        Reason::BddNodes(self.bdds.full())
    }

    pub fn report(&self, stats: &mut Stats) {
        stats.set("abstractions", self.computed as f64);
        stats.set("abstraction_cache_hits", self.hits as f64);
        stats.set("abstraction_s", self.time.as_secs_f64());
        stats.set("bdd_nodes", self.bdds.nodes() as f64);
    }
}

/// The assignments that the session's assertions allow, of predicates in groups that have nothing to do with each other; of a single group without the old ones.
fn rest(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    groups: &[Vec<(BddVar, TermId)>],
    old: Option<TermId>,
    limit: usize,
) -> Result<Post, AllSatError> {
    if let Some(old) = old {
        let new = terms.not(old);
        if !session.check_assuming(&[new]).decided().map_err(AllSatError::Undecided)? {
            return Ok(if session.core().is_empty() { Post::Infeasible } else { Post::Covered });
        }
        if groups.len() == 1 {
            session.assert(new);
        }
    }
    let mut state = bdds.constant(true);
    for group in groups {
        let found = allsat::enumerate(session, terms, bdds, group, limit)?;
        state = bdds.within(|| state.and(&found))?;
    }
    Ok(if state.satisfiable() { Post::States { state, rest: old.is_some() } } else { Post::Infeasible })
}

/// The strongest conjunction of predicates and negated predicates that the session's assertions imply.
fn cartesian(
    session: &mut Session,
    terms: &Terms,
    bdds: &Bdds,
    predicates: &[(BddVar, TermId)],
) -> Result<Post, AllSatError> {
    if !session.check().decided().map_err(AllSatError::Undecided)? {
        return Ok(Post::Infeasible);
    }
    let mut literals = Vec::new();
    for (var, term) in predicates {
        let mut possible =
            |literal| session.check_assuming(&[literal]).decided().map_err(AllSatError::Undecided);
        if !possible(terms.not(*term))? {
            literals.push((*var, true));
        } else if !possible(*term)? {
            literals.push((*var, false));
        }
    }
    Ok(Post::States { state: bdds.cube(&literals)?, rest: false })
}
