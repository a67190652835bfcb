//! Counterexamples as a directed acyclic graph, modular by procedure (PDS, 4.3 and 5.2).
//!
//! Its nodes are increments of the witness graph, taken in one of two *roles*: `Absolute`, an activation that is still on the stack when the error
//! is reached, whose formulas speak of the values of now; and `Relational`, an activation that returns, whose formulas relate these to
//! the values at its entry. An increment may be in the graph in both roles (5.2.5). The part of a callee that returns is shared by
//! all calls that use it. A pivot stands in the graph once for each way it is used: what is asked of it depends on the exit of the callee.
//!
//! An increment is the union of what came on several ways, of which not all lead on to the error: a node keeps those of its states that do, and
//! only what leads to these comes before it.
//!
//! Nodes are sorted: every node comes behind those it depends on from above. A pivot lies directly before the node that its
//! use leads to.

use super::Res;
use super::saturation::{Moves, NodeId, Origin, Witness};
use super::system::{PointId, RuleId, System, UnitId};
use craig_smt::bdd::{Bdd, BooleanFunction};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

index_vec::define_index_type! { pub struct DagId = u32; }
index_vec::define_index_type! { pub struct EdgeId = u32; }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Absolute,
    Relational,
}

#[derive(Debug)]
pub struct DagNode {
    pub witness: NodeId,
    pub point: PointId,
    pub role: Role,
    pub ins: Vec<EdgeId>,
    pub outs: Vec<EdgeId>,
    /// Nothing comes before it: runs begin here, or (relational) an activation does.
    pub top: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    Rule(RuleId),
    /// From a pivot into a callee that does not return.
    Enter(UnitId),
    /// From a pivot, with an exit of the callee.
    Eval(RuleId, DagId),
}

#[derive(Debug, Clone, Copy)]
pub struct DagEdge {
    pub from: DagId,
    pub to: DagId,
    pub kind: EdgeKind,
}

#[derive(Debug, Default)]
pub struct Dag {
    pub nodes: IndexVec<DagId, DagNode>,
    pub edges: IndexVec<EdgeId, DagEdge>,
    /// From top to bottom.
    pub order: Vec<DagId>,
    pub errors: Vec<DagId>,
}

/// A node in a role; a pivot is in the graph for each of its uses, by the node that the use leads to and the rule.
type Key = (NodeId, Role, Option<(DagId, Option<(RuleId, DagId)>)>);

struct Building<'a, M> {
    system: &'a System<'a>,
    witness: &'a Witness,
    moves: &'a M,
    prune: bool,
    dag: Dag,
    known: FxHashMap<Key, DagId>,
    /// States of each node from which a way of the graph leads to the error.
    needed: IndexVec<DagId, Bdd>,
    /// Nodes by what they are sorted by: when it is a node's turn, all that it leads to is there.
    waiting: BTreeSet<(u32, DagId)>,
    times: IndexVec<DagId, u32>,
}

impl Dag {
    /// All that leads to the error. Without `prune` the increments of the nodes are not divided.
    pub fn new(system: &System<'_>, witness: &Witness, moves: &impl Moves, prune: bool) -> Res<Dag> {
        let mut building = Building {
            system,
            witness,
            moves,
            prune,
            dag: Dag::default(),
            known: FxHashMap::default(),
            needed: IndexVec::new(),
            waiting: BTreeSet::new(),
            times: IndexVec::new(),
        };
        for error in &witness.errors {
            let node = building.node((*error, Role::Absolute, None), &witness.nodes[*error].states)?;
            building.dag.errors.push(node);
        }
        while let Some((_, node)) = building.waiting.pop_last() {
            building.above(node)?;
        }
        let Building { mut dag, times, .. } = building;
        dag.order = dag.nodes.indices().collect();
        dag.order.sort_by_key(|node| (times[*node], *node));
        Ok(dag)
    }

    /// Ways from its nodes to the error: so many formulas would be computed if none was remembered (7.4).
    pub fn ways(&self) -> f64 {
        let mut ways: IndexVec<DagId, f64> = self.nodes.iter().map(|_| 0.0).collect();
        for error in &self.errors {
            ways[*error] = 1.0;
        }
        for node in self.order.iter().rev() {
            let onwards: f64 = self.nodes[*node].outs.iter().map(|edge| ways[self.edges[*edge].to]).sum();
            ways[*node] += onwards;
        }
        ways.iter().sum()
    }
}

impl<M: Moves> Building<'_, M> {
    /// The node, of which these states are needed.
    fn node(&mut self, key: Key, states: &Bdd) -> Res<DagId> {
        if let Some(known) = self.known.get(&key) {
            self.needed[*known] = self.needed[*known].or(states)?;
            return Ok(*known);
        }
        let (witness, role, used) = key;
        let point = self.witness.nodes[witness].point;
        let (ins, outs) = (Vec::new(), Vec::new());
        let id = self.dag.nodes.push(DagNode { witness, point, role, ins, outs, top: false });
        // Twice the number of the increment; a pivot lies just before what it is used for.
        let time = match used {
            None => 2 * witness.index() as u32 + 1,
            Some((target, _)) => self.times[target] - 1,
        };
        self.times.push(time);
        self.needed.push(states.clone());
        self.known.insert(key, id);
        self.waiting.insert((time, id));
        Ok(id)
    }

    fn edge(&mut self, from: DagId, to: DagId, kind: EdgeKind) {
        let id = self.dag.edges.push(DagEdge { from, to, kind });
        self.dag.nodes[from].outs.push(id);
        self.dag.nodes[to].ins.push(id);
        if let EdgeKind::Eval(_, exit) = kind {
            self.dag.nodes[exit].outs.push(id);
        }
    }

    /// What a node came from, as far as a way to the error leads through it.
    fn above(&mut self, to: DagId) -> Res<()> {
        let DagNode { witness, role, point, .. } = self.dag.nodes[to];
        let is_entry = self.system.units[self.system.points[point].unit].entry == point;
        if is_entry && role == Role::Relational {
            self.dag.nodes[to].top = true;
            return Ok(());
        }
        let nodes = &self.witness.nodes;
        let needed = if self.prune { self.needed[to].clone() } else { nodes[witness].states.clone() };
        for origin in &nodes[witness].origins {
            match *origin {
                Origin::Start => self.dag.nodes[to].top = true,
                Origin::Rule(rule, from) => {
                    let states = self.moves.before(rule, &needed)?.and(&nodes[from].states)?;
                    if states.satisfiable() {
                        let from = self.node((from, role, None), &states)?;
                        self.edge(from, to, EdgeKind::Rule(rule));
                    }
                }
                Origin::Enter(pivot) => {
                    let unit = self.system.points[point].unit;
                    let states = self.moves.before_enter(unit, &needed)?.and(&nodes[pivot].states)?;
                    if states.satisfiable() {
                        let pivot = self.node((pivot, role, Some((to, None))), &states)?;
                        self.edge(pivot, to, EdgeKind::Enter(unit));
                    }
                }
                Origin::Eval(rule, pivot, exit) => {
                    let (waits, exits) = (&nodes[pivot].states, &nodes[exit].states);
                    let (waits, exits) = self.moves.before_eval(rule, waits, exits, &needed)?;
                    if waits.satisfiable() {
                        let exit = self.node((exit, Role::Relational, None), &exits)?;
                        let pivot = self.node((pivot, role, Some((to, Some((rule, exit))))), &waits)?;
                        self.edge(pivot, to, EdgeKind::Eval(rule, exit));
                    }
                }
            }
        }
        Ok(())
    }
}
