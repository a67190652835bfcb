//! Paths of blocks as formulas.
//!
//! A path becomes one formula per block. At the end of a block every slot of the state that changed gets a symbol of its own, equal
//! to what the block computes; a slot that did not change keeps the symbol it had. Slots that the rest of the path does not need
//! get no equation: a cone of influence for the path at hand. So what two neighbouring formulas share is the state
//! between them, and nothing dead in it; renaming brings an interpolant back to the symbols of the state.

use crate::domains::Domains;
use crate::formulas::Formula;
use crate::slots::Slots;
use crate::workbench::Workbench;
use craig_cfa::{BlockGraph, BlockId, LocId};
use craig_logic::{Substituter, Substitution, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// One block on a path.
#[derive(Debug)]
pub struct PathPart {
    /// What it does, with the equations of the state after it.
    pub formula: TermId,
    /// The state after it: a symbol per slot.
    pub state: Rc<Vec<TermId>>,
    /// From the terms of the block's formula to those of this part.
    map: Substitution,
}

impl PathPart {
    /// A term of the block's formula as it is on the path.
    pub fn instance(&self, terms: &Terms, term: TermId) -> TermId {
        terms.substitute(term, &self.map)
    }
}

/// A path as formulas.
#[derive(Debug)]
pub struct Path {
    pub blocks: Vec<(BlockId, Rc<Formula>)>,
    /// Where it goes: one more than blocks.
    pub locs: Vec<LocId>,
    pub parts: Vec<PathPart>,
    /// The slots that some cut needs.
    pub needed: Vec<u32>,
}

/// Makes paths.
#[derive(Debug)]
pub struct Paths {
    terms: Rc<Terms>,
    slots: Rc<Slots>,
    graph: Arc<BlockGraph>,
    domains: Rc<Domains>,
    /// Paths say that values lie in their types. That doubles the time to explain paths of protocols, where it says nothing; so it waits until explanations
    /// repeat each other.
    pub ranged: bool,
    /// Symbols of blocks and slots of the state at positions of paths.
    copies: FxHashMap<(TermId, u32), TermId>,
    /// Symbols of a block's formula that are its own.
    locals: FxHashMap<BlockId, Rc<[TermId]>>,
}

impl Paths {
    pub fn new(bench: &Workbench<'_>) -> Self {
        Paths {
            terms: Rc::clone(&bench.terms),
            slots: Rc::clone(&bench.slots),
            graph: Arc::clone(&bench.graph),
            domains: Rc::clone(&bench.domains),
            ranged: false,
            copies: FxHashMap::default(),
            locals: FxHashMap::default(),
        }
    }

    fn copy(&mut self, symbol: TermId, position: u32) -> TermId {
        let terms = &self.terms;
        *self.copies.entry((symbol, position)).or_insert_with(|| {
            let name = terms.as_symbol(symbol).map(|s| terms.symbol_name(s));
            terms.fresh(&format!("{}#{position}", name.as_deref().unwrap_or("?")), terms.sort(symbol))
        })
    }

    fn locals(&mut self, block: BlockId, formula: &Formula) -> Rc<[TermId]> {
        if let Some(known) = self.locals.get(&block) {
            return Rc::clone(known);
        }
        let mut roots = formula.constraints.clone();
        roots.extend(formula.changed.iter().map(|c| c.1));
        let symbols = self.terms.symbols_of_all(&roots);
        let symbols = symbols.iter().map(|s| self.terms.symbol_term(*s));
        let found: Rc<[TermId]> = symbols.filter(|s| self.slots.is_local(*s)).collect();
        self.locals.insert(block, Rc::clone(&found));
        found
    }

    /// The formulas of a path. It starts with any state, unless it starts at the entry. `labels`, if any, hold at its nodes, first and
    /// last among them: each is part of what comes before the node and of what comes behind it, so that an explanation need not say
    /// it again.
    pub fn path(&mut self, blocks: &[(BlockId, Rc<Formula>)], labels: &[TermId]) -> Path {
        let needs = self.needs(blocks, labels);
        let slots = Rc::clone(&self.slots);
        let mut state = Rc::new(slots.symbols.clone());
        let mut parts = Vec::new();
        for (position, (block, formula)) in blocks.iter().enumerate() {
            let need = &needs[position];
            let mut map = Substitution::default();
            for local in self.locals(*block, formula).iter() {
                map.insert(*local, self.copy(*local, position as u32));
            }
            for (symbol, now) in slots.symbols.iter().zip(state.iter()) {
                map.insert(*symbol, *now);
            }
            let terms = Rc::clone(&self.terms);
            let mut rename = Substituter::new(&terms, &map);
            let known = match position.checked_sub(1) {
                Some(last) => self.known(*block, formula, &needs[last]),
                None => Vec::new(),
            };
            let before = labels.get(position).copied().into_iter().chain(known);
            let mut conjuncts: Vec<TermId> =
                formula.constraints.iter().copied().chain(before).map(|c| rename.apply(c)).collect();
            let mut after = (*state).clone();
            for (slot, term) in &formula.changed {
                let symbol = self.copy(slots.symbols[*slot as usize], position as u32);
                after[*slot as usize] = symbol;
                if need.contains(slot) {
                    conjuncts.push(terms.eq(symbol, rename.apply(*term)));
                }
            }
            state = Rc::new(after);
            let mut part = PathPart { formula: terms.tru(), state: Rc::clone(&state), map };
            let label = labels.get(position + 1).map(|label| self.behind(*label, &part));
            conjuncts.extend(label);
            part.formula = terms.and(conjuncts);
            parts.push(part);
        }
        let mut needed: Vec<u32> = needs.into_iter().flatten().collect();
        needed.sort_unstable();
        needed.dedup();
        let first = blocks.first().map(|(b, _)| self.graph.block(*b).from);
        let locs = first.into_iter().chain(blocks.iter().map(|(b, _)| self.graph.block(*b).to)).collect();
        Path { blocks: blocks.to_vec(), locs, parts, needed }
    }

    /// What is known of values before a block: those that it speaks of, and the rest of the path needs, are what they can be; all that the
    /// rest of the path needs are of their types, once that is asked for.
    fn known(&self, block: BlockId, formula: &Formula, needed: &FxHashSet<u32>) -> Vec<TermId> {
        let (loc, domains) = (self.graph.block(block).from, &self.domains);
        let spoken_of = formula.speaks_of.iter().copied();
        let slots: Vec<u32> = spoken_of.filter(|slot| needed.contains(slot)).collect();
        let mut known = domains.granted(&self.terms, loc, &slots);
        if !self.ranged {
            return known;
        }
        let mut others: Vec<u32> = needed.iter().copied().filter(|s| domains.of(loc, *s).is_none()).collect();
        others.sort_unstable();
        known.extend(others.into_iter().filter_map(|slot| domains.range(slot)));
        known
    }

    /// For each block the slots of the state after it that the labels and the rest of the path need.
    fn needs(&self, blocks: &[(BlockId, Rc<Formula>)], labels: &[TermId]) -> Vec<FxHashSet<u32>> {
        let label = |node: usize| self.slots.of(&self.terms, labels.get(node..=node).unwrap_or(&[]));
        let mut needs: Vec<FxHashSet<u32>> =
            (0..blocks.len()).map(|i| label(i + 1).into_iter().collect()).collect();
        for i in (1..blocks.len()).rev() {
            let before = blocks[i].1.needs(&self.terms, &self.slots, &needs[i]);
            needs[i - 1].extend(before);
        }
        needs
    }

    /// A formula over the symbols of the state, said of the state after a part.
    pub fn behind(&self, formula: TermId, part: &PathPart) -> TermId {
        let here = self.slots.symbols.iter().copied().zip(part.state.iter().copied());
        self.terms.substitute(formula, &here.collect())
    }

    /// A formula over the state after a part, over the symbols of the state.
    pub fn back(&self, formula: TermId, part: &PathPart) -> TermId {
        let back = part.state.iter().copied().zip(self.slots.symbols.iter().copied());
        self.terms.substitute(formula, &back.collect())
    }
}
