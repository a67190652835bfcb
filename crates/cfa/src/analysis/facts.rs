//! Facts about values that a result leans on, for those who have to show them.
//!
//! Whoever uses what [`Values`] knows of some variables needs these facts to be shown with the result. They follow from each other along the edges, but
//! not from nothing: what is needed of a variable at one location is needed of those that it was computed from, and all the way back to the last
//! cut. [`Facts`] are what is enough: the values of the variables that were used and of all that theirs come from, wherever these
//! are still read afterwards, at every location of a cycle. (Along ways without cycles whoever checks follows the operations.)

use super::values::Values;
use crate::expr::{Node, PlaceKind};
use crate::graph;
use crate::pass::Site;
use crate::program::{Edge, EdgeId, Graph, LocId, Op, Program, VarId};
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A variable has one of these values, those of an integer or pointer, as bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fact {
    pub var: Site<VarId>,
    pub values: Vec<u128>,
}

/// Facts by locations of the source program under their calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    at: FxHashMap<Site<LocId>, Arc<[Fact]>>,
}

impl Facts {
    /// What is to be shown with a result that used what is known of these variables.
    pub fn new(
        program: &Program,
        values: &Values,
        used: IndexVec<VarId, bool>,
        budget: &Budget,
    ) -> Result<Facts, Stop> {
        let mut facts = Facts::default();
        let needed = needed(program, values, used, budget)?;
        if needed.is_empty() {
            return Ok(facts);
        }
        let flow = program.graph();
        let live = Live::new(program, &flow, &needed, budget)?;
        let components = graph::loc_components(program, &flow);
        let mut shared: FxHashMap<Vec<Fact>, Arc<[Fact]>> = FxHashMap::default();
        let mut pace = Pace::new(budget);
        for loc in program.locs.indices() {
            let component = &components.members[components.of[loc.index()] as usize];
            let itself = |edge: &EdgeId| program.edges[*edge].to == loc;
            if component.len() == 1 && !flow.succ[loc].iter().any(itself) {
                continue;
            }
            let Some(state) = values.at(loc) else { continue };
            pace.step()?;
            let fact = |(index, v): (usize, &VarId)| {
                let known = live.is_live(loc, index).then(|| state.get(*v)).flatten()?;
                Some(Fact { var: Site::of_var(program, *v), values: known.values().to_vec() })
            };
            let here: Vec<Fact> = needed.iter().enumerate().filter_map(fact).collect();
            if !here.is_empty() {
                let here = shared.entry(here).or_insert_with_key(|here| here.as_slice().into());
                facts.at.insert(Site::of_loc(program, loc), Arc::clone(here));
            }
        }
        Ok(facts)
    }

    pub fn at(&self, site: &Site<LocId>) -> &[Fact] {
        self.at.get(site).map_or(&[], |facts| facts)
    }

    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Both together.
    pub fn extend(&mut self, other: Facts) {
        for (site, facts) in other.at {
            let all = self.at.entry(site).or_default();
            let more = facts.iter().filter(|fact| !all.contains(fact));
            *all = all.iter().chain(more).cloned().collect();
        }
    }
}

/// The used variables and those that what is known of them came from.
fn needed(
    program: &Program,
    values: &Values,
    mut used: IndexVec<VarId, bool>,
    budget: &Budget,
) -> Result<Vec<VarId>, Stop> {
    let mut pace = Pace::new(budget);
    let mut from: IndexVec<VarId, Vec<VarId>> = index_vec![Vec::new(); program.vars.len()];
    for edge in &program.edges {
        pace.step()?;
        let Some(state) = values.at(edge.from) else { continue };
        match edge.op {
            Op::Assign(p, e) => {
                if let PlaceKind::Var(v) = program.exprs.place(p).kind {
                    from[v].extend(values.known_in(program, state, vec![Node::Expr(e)]));
                }
            }
            // A condition may leave fewer values of each variable in it because of what the others are.
            Op::Assume(e) => {
                let behind = values.behind(program, edge);
                let known = values.known_in(program, state, vec![Node::Expr(e)]);
                let Some(behind) = behind else { continue };
                for v in values.known_in(program, &behind, vec![Node::Expr(e)]) {
                    if behind.get(v) != state.get(v) {
                        from[v].extend(known.iter().filter(|w| **w != v));
                    }
                }
            }
            _ => {}
        }
    }
    let mut open: Vec<VarId> = used.iter_enumerated().filter(|(_, used)| **used).map(|(v, _)| v).collect();
    while let Some(v) = open.pop() {
        for w in &from[v] {
            if !std::mem::replace(&mut used[*w], true) {
                open.push(*w);
            }
        }
    }
    Ok(used.iter_enumerated().filter(|(_, used)| **used).map(|(v, _)| v).collect())
}

/// Which of some variables may still be read, for each location.
struct Live {
    /// Words of bits for a location.
    width: usize,
    bits: Vec<u64>,
}

impl Live {
    fn new(program: &Program, flow: &Graph, vars: &[VarId], budget: &Budget) -> Result<Live, Stop> {
        let mut pace = Pace::new(budget);
        let width = vars.len().div_ceil(64);
        let mut live = Live { width, bits: vec![0; width * program.locs.len()] };
        let mut index: IndexVec<VarId, Option<usize>> = index_vec![None; program.vars.len()];
        let mut globals = vec![0; width];
        for (i, v) in vars.iter().enumerate() {
            index[*v] = Some(i);
            if program.vars[*v].proc.is_none() {
                globals[i / 64] |= 1 << (i % 64);
            }
        }
        let mut steps: IndexVec<EdgeId, Step> = IndexVec::with_capacity(program.edges.len());
        for edge in &program.edges {
            pace.step()?;
            steps.push(Step::new(program, edge, &index));
        }
        // Who called a procedure may go on to read any global.
        for (id, proc) in program.procs.iter_enumerated() {
            if id != program.entry {
                live.at_mut(proc.exit).copy_from_slice(&globals);
            }
        }
        let order = graph::order(program, flow);
        let mut here = vec![0; width];
        let mut changed = true;
        while changed {
            changed = false;
            for loc in order.rpo.iter().rev() {
                pace.step()?;
                for id in &flow.succ[*loc] {
                    let edge = &program.edges[*id];
                    here.copy_from_slice(live.at(edge.to));
                    steps[*id].back(&mut here);
                    if matches!(edge.op, Op::Call(_)) {
                        here.iter_mut().zip(&globals).for_each(|(word, more)| *word |= more);
                    }
                    for (word, more) in live.at_mut(*loc).iter_mut().zip(&here) {
                        changed |= *more & !*word != 0;
                        *word |= more;
                    }
                }
            }
        }
        Ok(live)
    }

    fn at(&self, loc: LocId) -> &[u64] {
        &self.bits[self.width * loc.index()..][..self.width]
    }

    fn at_mut(&mut self, loc: LocId) -> &mut [u64] {
        &mut self.bits[self.width * loc.index()..][..self.width]
    }

    fn is_live(&self, loc: LocId, index: usize) -> bool {
        self.at(loc)[index / 64] >> (index % 64) & 1 == 1
    }
}

/// What an edge reads and overwrites of some variables.
struct Step {
    read: Vec<usize>,
    written: Option<usize>,
}

impl Step {
    fn new(program: &Program, edge: &Edge, index: &IndexVec<VarId, Option<usize>>) -> Step {
        let exprs = &program.exprs;
        let parts = edge.op.parts();
        let mut roots: Vec<Node> = parts.exprs.iter().map(|e| Node::Expr(*e)).collect();
        let mut written = None;
        if let Some(p) = parts.written {
            match exprs.place(p).kind {
                PlaceKind::Var(v) => written = index[v],
                _ => roots.push(Node::Place(p)),
            }
        }
        let mut read = Vec::new();
        exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
            if let Node::Place(p) = node
                && let PlaceKind::Var(v) = exprs.place(p).kind
            {
                read.extend(index[v]);
            }
        });
        Step { read, written }
    }

    fn back(&self, live: &mut [u64]) {
        if let Some(i) = self.written {
            live[i / 64] &= !(1 << (i % 64));
        }
        for i in &self.read {
            live[i / 64] |= 1 << (i % 64);
        }
    }
}
