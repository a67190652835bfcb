//! What blocks do, as formulas over the symbols of the state before them; made once, renamed by paths ([`crate::path`]).
//!
//! The blocks that leave the entry start from the initial state itself, because nothing else enters it.

use crate::domains::Domains;
use crate::slots::{Slots, flat};
use crate::workbench::Workbench;
use craig_base::Budget;
use craig_cfa::{BlockGraph, BlockId};
use craig_encode::{Encoded, Encoder, NotEncoded, Part, Taken};
use craig_logic::{Evaluator, TermId, Terms};
use craig_smt::{Session, Smt, Status, Undecided};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// What a block does.
#[derive(Debug)]
pub struct Formula {
    /// Hold together if the block can be passed.
    pub constraints: Vec<TermId>,
    /// The slots that change, with their terms afterwards; ascending.
    pub changed: Vec<(u32, TermId)>,
    /// The slots that the constraints speak of.
    pub reads: Vec<u32>,
    /// These and the slots that those which change are made of: what is known of other values has nothing to do with the block.
    pub speaks_of: Vec<u32>,
    /// The operations, for counterexamples.
    pub edges: Vec<Taken>,
    pub exit: u32,
}

impl Formula {
    pub fn new(
        encoder: &Encoder<'_>,
        slots: &Slots,
        graph: &BlockGraph,
        block: BlockId,
        budget: &Budget,
    ) -> Result<Formula, NotEncoded> {
        let (program, block) = (encoder.program, graph.block(block));
        let mut part = Part::new();
        let before = if block.from == program.procs[program.entry].entry {
            encoder.initial(&mut part)
        } else {
            encoder.symbols(None)
        };
        let region = graph.region(block.region);
        let Encoded { guard, state, edges, exit } =
            encoder.region(region, block.exit, Rc::new(before), &mut part, budget)?;
        let terms = &encoder.terms;
        let mut constraints = part.constraints;
        constraints.extend(terms.conjuncts(guard));
        let after = flat(&state);
        let changed: Vec<(u32, TermId)> =
            (0..).zip(after).filter(|(i, t)| slots.symbols[*i as usize] != *t).collect();
        let mut roots = constraints.clone();
        roots.extend(changed.iter().map(|(_, term)| *term));
        constraints.extend(encoder.places_in(&roots));
        let reads = slots.of(terms, &constraints);
        let speaks_of = slots.of(terms, &roots);
        Ok(Formula { constraints, changed, reads, speaks_of, edges, exit })
    }

    /// The term of a slot after the block, if it changes.
    pub fn after(&self, slot: u32) -> Option<TermId> {
        self.changed.binary_search_by_key(&slot, |c| c.0).ok().map(|i| self.changed[i].1)
    }

    /// The slots before the block that it and those of the state behind it, which somebody needs, are made of.
    pub fn needs(&self, terms: &Terms, slots: &Slots, behind: &FxHashSet<u32>) -> FxHashSet<u32> {
        let mut roots = Vec::new();
        let mut before: FxHashSet<u32> = self.reads.iter().copied().collect();
        for slot in behind {
            match self.after(*slot) {
                Some(term) => roots.push(term),
                None => {
                    before.insert(*slot);
                }
            }
        }
        before.extend(slots.of(terms, &roots));
        before
    }

    /// The term, over the state after the block, as one over the state before it.
    pub fn before(&self, terms: &Terms, slots: &Slots, term: TermId) -> TermId {
        let of = slots.of(terms, &[term]);
        let map = of.iter().filter_map(|s| Some((slots.symbols[*s as usize], self.after(*s)?))).collect();
        terms.substitute(term, &map)
    }
}

/// Sessions in which one block each is asserted, and what is known of the values before it; the most recently used are kept.
#[derive(Debug)]
pub struct Sessions {
    smt: Smt,
    terms: Rc<Terms>,
    graph: Arc<BlockGraph>,
    slots: Rc<Slots>,
    domains: Rc<Domains>,
    /// Makes a session.
    make: fn(&Smt) -> Session,
    kept: FxHashMap<BlockId, Kept>,
    now: u64,
}

#[derive(Debug)]
struct Kept {
    used: u64,
    session: Session,
    /// What it was told of types.
    ranges: FxHashSet<TermId>,
}

impl Sessions {
    /// So many are kept: each holds its own copy of what it was told inside the solver.
    const KEPT: usize = 100;

    pub fn new(bench: &Workbench<'_>) -> Self {
        Sessions {
            smt: bench.smt.clone(),
            make: Smt::session,
            terms: Rc::clone(&bench.terms),
            graph: Arc::clone(&bench.graph),
            slots: Rc::clone(&bench.slots),
            domains: Rc::clone(&bench.domains),
            kept: FxHashMap::default(),
            now: 0,
        }
    }

    /// With a solver of its own, so that what is asked here changes no answer elsewhere.
    pub fn beside(bench: &Workbench<'_>, smt: &Smt) -> Self {
        Sessions { smt: smt.clone(), ..Sessions::new(bench) }
    }

    /// For all-SAT.
    pub fn enumerating(bench: &Workbench<'_>) -> Self {
        Sessions { make: Smt::enumerating_session, ..Sessions::new(bench) }
    }

    /// The session of a block, for a question about these formulas over the state before it; to be had where nothing is asserted for a
    /// while only.
    pub fn get(&mut self, block: BlockId, formula: &Formula, about: &[TermId]) -> &mut Session {
        self.now += 1;
        if !self.kept.contains_key(&block) {
            if self.kept.len() >= Self::KEPT {
                let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(b, _)| *b);
                oldest.and_then(|b| self.kept.remove(&b));
            }
            let mut session = (self.make)(&self.smt);
            formula.constraints.iter().for_each(|c| session.assert(*c));
            let from = self.graph.block(block).from;
            let known = self.domains.granted(&self.terms, from, &formula.speaks_of);
            known.into_iter().for_each(|fact| session.assert(fact));
            let others = formula.speaks_of.iter().filter(|slot| self.domains.of(from, **slot).is_none());
            let ranges: Vec<TermId> = others.filter_map(|slot| self.domains.range(*slot)).collect();
            ranges.iter().for_each(|range| session.assert(*range));
            let ranges = ranges.into_iter().collect();
            self.kept.insert(block, Kept { used: self.now, session, ranges });
        }
        let kept = self.kept.get_mut(&block).expect("just put there");
        kept.used = self.now;
        for formula in about {
            for range in self.domains.ranges(&self.terms, &self.slots, *formula).iter() {
                if kept.ranges.insert(*range) {
                    kept.session.assert(*range);
                }
            }
        }
        &mut kept.session
    }

    /// Keeps those of the formulas over the state behind a block, each with what it is over the state before it ([`Formula::before`]), that hold wherever the premises hold before
    /// the block. All of them are asked about at once, and what a model violates goes; a question that takes more than so much work, or that the solver gives up, keeps none.
    pub fn retain(
        &mut self,
        block: BlockId,
        formula: &Formula,
        premises: &[TermId],
        wanted: &mut Vec<Wanted>,
        work: u32,
    ) -> Result<(), Undecided> {
        let terms = Rc::clone(&self.terms);
        let about: Vec<TermId> = premises.iter().copied().chain(wanted.iter().map(|w| w.before)).collect();
        let session = self.get(block, formula, &about);
        session.set_work_limit(work);
        // On a level of its own: a session that kept all of this would get slower with every question.
        session.push();
        premises.iter().for_each(|premise| session.assert(*premise));
        let answer = loop {
            if wanted.is_empty() {
                break Ok(());
            }
            let before: Vec<TermId> = wanted.iter().map(|w| w.before).collect();
            let proxies = session.proxies(&before);
            session.exclude(&proxies);
            let many = wanted.len();
            match session.check() {
                Status::Unsat => break Ok(()),
                Status::Sat => {
                    if let Some(model) = session.model() {
                        let mut values = Evaluator::new(&terms, &model);
                        wanted.retain(|w| values.holds(w.before));
                    }
                }
                Status::Unknown(why) if !why.gave_up() => break Err(why),
                Status::Unknown(_) => {}
            }
            if wanted.len() == many {
                wanted.clear();
            }
        };
        session.pop();
        answer
    }
}

/// A formula that is wanted behind a block.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub behind: TermId,
    /// The same over the state before the block.
    pub before: TermId,
}

/// Answers questions about formulas over the state, without a block. A session keeps every formula that it ever saw and gets slower with each, so it is replaced after so many.
#[derive(Debug)]
pub struct Plain {
    smt: Smt,
    session: Session,
    seen: FxHashSet<TermId>,
}

impl Plain {
    const SEEN: usize = 200;

    pub fn new(smt: &Smt) -> Self {
        Plain { smt: smt.clone(), session: smt.session(), seen: FxHashSet::default() }
    }

    /// Are the formulas satisfiable together? With at most so much work.
    pub fn check(&mut self, formulas: &[TermId], work: u32) -> Status {
        self.seen.extend(formulas);
        if self.seen.len() > Self::SEEN {
            self.session = self.smt.session();
            self.seen = formulas.iter().copied().collect();
        }
        self.session.set_work_limit(work);
        self.session.check_assuming(formulas)
    }
}
