//! All paths to the error up to a length, explained at once (UFO).
//!
//! They form a graph without cycles: a node for each location and depth, an edge for each block between the nodes of two depths. Its formula has a part for each depth, the disjunction
//! of the blocks there, with a symbol for each node that is true if a run comes through it; a run that is at the error stays there. One sequence of interpolants of these parts explains all paths: what
//! it says of a node is the interpolant of its depth in which the node's symbol is true and all others are false.
//!
//! So what is said of a location does not depend on which path came first. The price is that nothing known of the states before a short part can be used, since that is different on every path.

use crate::explain::Provenance;
use crate::formulas::Formula;
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Evaluator, Sort, Substitution, TermId};
use craig_smt::Status;
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant, Origin, Strength};
use craig_verdict::Reason;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A graph with more edges is too much work for one question. Not tuned.
const MOST_EDGES: usize = 60;

/// What all paths together are.
#[derive(Debug)]
pub enum Explained {
    /// One of them is an execution, as far as the solver can tell.
    Feasible(Vec<BlockId>),
    /// None is, by what holds at each node: locations by depth, beginning with 1.
    Nodes(Vec<BTreeMap<LocId, TermId>>),
}

/// How formulas of nodes are found.
pub const PROVENANCE: Provenance = Provenance::Interpolant(Strength::Simple, Origin::Computed(Method::Proof));

/// The edges of a graph of paths by depth.
#[derive(Debug)]
pub struct Dag {
    levels: Vec<Vec<BlockId>>,
}

impl Dag {
    /// All paths from the entry to the error of at most so many blocks; `None` if that is only one, or too much.
    pub fn new(bench: &Workbench<'_>, depth: usize) -> Option<Dag> {
        let (graph, goal) = (&bench.graph, bench.program().error);
        let mut levels: Vec<Vec<BlockId>> = Vec::new();
        let mut reached = BTreeSet::from([bench.entry()]);
        for _ in 0..depth {
            let blocks: Vec<BlockId> = reached.iter().flat_map(|loc| graph.leaving(*loc)).copied().collect();
            reached = blocks.iter().map(|b| graph.block(*b).to).collect();
            levels.push(blocks);
        }
        let mut wanted = BTreeSet::from([goal]);
        for level in levels.iter_mut().rev() {
            level.retain(|b| wanted.contains(&graph.block(*b).to));
            wanted = level.iter().map(|b| graph.block(*b).from).chain([goal]).collect();
        }
        let edges: usize = levels.iter().map(Vec::len).sum();
        (edges > depth && edges <= MOST_EDGES).then_some(Dag { levels })
    }

    /// Asks for all paths at once; `None` if that has no answer.
    pub fn explain(&self, bench: &mut Workbench<'_>) -> Result<Option<Explained>, Reason> {
        let parts = Encoded::new(self, bench)?;
        let formulas: Vec<TermId> = parts.levels.iter().map(|level| level.formula).collect();
        let mut session = bench.smt.session();
        formulas.iter().for_each(|f| session.assert(*f));
        match session.check() {
            Status::Sat => {
                let model = session.require_model()?;
                let mut values = Evaluator::new(&bench.terms, &model);
                let taken = |level: &Level| level.edges.iter().find(|(_, t)| values.holds(*t)).map(|e| e.0);
                return Ok(Some(Explained::Feasible(parts.levels.iter().filter_map(taken).collect())));
            }
            Status::Unsat => {}
            Status::Unknown(why) if !why.gave_up() => return Err(why.into()),
            Status::Unknown(_) => return Ok(None),
        }
        let mut options = interpolate::Options::only(&[Method::Proof, Method::Spacer]);
        options.refuted = true;
        match interpolate::sequence(&bench.smt, &formulas, &Hints::default(), &options) {
            Ok(found) => {
                let at = parts.levels.iter().zip(&found.formulas).map(|(level, f)| level.by_node(bench, *f));
                Ok(Some(Explained::Nodes(at.collect())))
            }
            Err(NoInterpolant::Undecided(why)) if !why.gave_up() => Err(why.into()),
            Err(_) => Ok(None),
        }
    }
}

/// One depth of a graph as a formula.
struct Level {
    formula: TermId,
    /// Blocks, each with what is true if it is taken.
    edges: Vec<(BlockId, TermId)>,
    /// Behind it: the symbols of nodes, and those of the slots that have changed since the start.
    nodes: BTreeMap<LocId, TermId>,
    slots: BTreeMap<u32, TermId>,
}

impl Level {
    /// What an interpolant behind this depth says of each node, over the symbols of the state.
    fn by_node(&self, bench: &Workbench<'_>, interpolant: TermId) -> BTreeMap<LocId, TermId> {
        let (terms, symbols) = (&bench.terms, &bench.slots.symbols);
        let at = |loc: &LocId| {
            let back = self.slots.iter().map(|(slot, now)| (*now, symbols[*slot as usize]));
            let here = self.nodes.iter().map(|(other, symbol)| (*symbol, terms.bool(other == loc)));
            (*loc, terms.substitute(interpolant, &back.chain(here).collect()))
        };
        self.nodes.keys().map(at).collect()
    }
}

/// A graph of paths as formulas.
struct Encoded {
    levels: Vec<Level>,
}

impl Encoded {
    fn new(dag: &Dag, bench: &mut Workbench<'_>) -> Result<Encoded, Reason> {
        let (graph, terms) = (Arc::clone(&bench.graph), Rc::clone(&bench.terms));
        let goal = bench.program().error;
        let needs = needs(dag, bench)?;
        let mut levels: Vec<Level> = Vec::new();
        let (mut nodes, mut slots) = (BTreeMap::from([(bench.entry(), terms.tru())]), BTreeMap::new());
        for (position, blocks) in dag.levels.iter().enumerate() {
            let last = position + 1 == dag.levels.len();
            let mut targets: BTreeSet<LocId> = blocks.iter().map(|b| graph.block(*b).to).collect();
            let stays = nodes.get(&goal).copied();
            targets.extend(stays.map(|_| goal));
            let symbol = |loc: LocId| match last {
                true => terms.bool(loc == goal),
                false => terms.fresh(&format!("at{}#{position}", loc.index()), Sort::Bool),
            };
            let next: BTreeMap<LocId, TermId> = targets.iter().map(|loc| (*loc, symbol(*loc))).collect();
            let arrives = |to: LocId| {
                terms.and(next.iter().map(|(loc, s)| if *loc == to { *s } else { terms.not(*s) }))
            };
            let formulas = bench.formulas(blocks.iter().copied())?;
            let mut after = slots.clone();
            for slot in changed(&formulas, &needs[position]) {
                let symbol = bench.slots.symbols[slot as usize];
                after.insert(slot, terms.fresh(&format!("slot{slot}#{position}"), terms.sort(symbol)));
            }
            let mut edges = Vec::new();
            for (block, formula) in &formulas {
                let b = graph.block(*block);
                let taken = step(bench, position, *block, formula, &slots, &after);
                edges.push((*block, terms.and([nodes[&b.from], arrives(b.to), taken])));
            }
            let staying = stays.map(|stays| terms.and([stays, arrives(goal)]));
            let formula = terms.or(edges.iter().map(|(_, taken)| *taken).chain(staying));
            levels.push(Level { formula, edges, nodes: next.clone(), slots: after.clone() });
            (nodes, slots) = (next, after);
        }
        Ok(Encoded { levels })
    }
}

/// What a block does at a depth, from the values before to those after.
fn step(
    bench: &Workbench<'_>,
    position: usize,
    block: BlockId,
    formula: &Formula,
    before: &BTreeMap<u32, TermId>,
    after: &BTreeMap<u32, TermId>,
) -> TermId {
    let (terms, slots) = (&bench.terms, &bench.slots);
    let mut roots = formula.constraints.clone();
    roots.extend(formula.changed.iter().map(|c| c.1));
    let mut map = Substitution::default();
    for symbol in terms.symbols_of_all(&roots) {
        let symbol = terms.symbol_term(symbol);
        if slots.is_local(symbol) {
            let name = format!("local{}#{position}.{}", symbol.index(), block.index());
            map.insert(symbol, terms.fresh(&name, terms.sort(symbol)));
        }
    }
    map.extend(before.iter().map(|(slot, now)| (slots.symbols[*slot as usize], *now)));
    let now = |slot: u32| before.get(&slot).copied().unwrap_or(slots.symbols[slot as usize]);
    let mut conjuncts: Vec<TermId> = formula.constraints.iter().map(|c| terms.substitute(*c, &map)).collect();
    let from = bench.graph.block(block).from;
    let known = bench.domains.granted(terms, from, &formula.speaks_of);
    conjuncts.extend(known.into_iter().map(|k| terms.substitute(k, &map)));
    for (slot, symbol) in after.iter().filter(|(slot, symbol)| before.get(slot) != Some(symbol)) {
        let value = formula.after(*slot).map_or(now(*slot), |term| terms.substitute(term, &map));
        conjuncts.push(terms.eq(*symbol, value));
    }
    terms.and(conjuncts)
}

/// The slots that some block changes and the rest needs.
fn changed(formulas: &[(BlockId, Rc<Formula>)], needed: &FxHashSet<u32>) -> BTreeSet<u32> {
    let all = formulas.iter().flat_map(|(_, f)| f.changed.iter().map(|(slot, _)| *slot));
    all.filter(|slot| needed.contains(slot)).collect()
}

/// For each depth the slots behind it that the rest of the graph needs.
fn needs(dag: &Dag, bench: &mut Workbench<'_>) -> Result<Vec<FxHashSet<u32>>, Reason> {
    let mut needs: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); dag.levels.len()];
    for i in (1..dag.levels.len()).rev() {
        let mut before = FxHashSet::default();
        for (_, formula) in bench.formulas(dag.levels[i].iter().copied())? {
            before.extend(formula.needs(&bench.terms, &bench.slots, &needs[i]));
            before.extend(formula.speaks_of.iter().copied());
        }
        needs[i - 1] = before;
    }
    Ok(needs)
}
