//! Counterexamples as a directed acyclic graph, modular by procedure (PDS, 4.3 and 5.2).
//!
//! Its nodes are increments of the witness graph, taken in one of two *roles*: `Absolute`, an activation that is still on the stack when the error
//! is reached, whose formulas speak of the values of now; and `Relational`, an activation that returns, whose formulas relate these to
//! the values at its entry. An increment may be in the graph in both roles (5.2.5). The part of a callee that returns is shared by
//! all calls that use it. A pivot stands in the graph once for each way it is used: what is asked of it depends on the exit of the callee.
//!
//! Nodes are sorted: every node comes behind those it depends on from above. A pivot lies directly before the node that its
//! use leads to.

use super::saturation::{NodeId, Origin, Witness};
use super::system::{PointId, PointKind, RuleId, System, UnitId};
use rustc_hash::FxHashMap;

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
    pub nodes: index_vec::IndexVec<DagId, DagNode>,
    pub edges: index_vec::IndexVec<EdgeId, DagEdge>,
    /// From top to bottom.
    pub order: Vec<DagId>,
    pub errors: Vec<DagId>,
}

/// A pivot is in the graph for each use, by the node that the use leads to and the rule.
type Key = (NodeId, Role, Option<(DagId, Option<(RuleId, DagId)>)>);

struct Building<'a> {
    system: &'a System<'a>,
    witness: &'a Witness,
    dag: Dag,
    known: FxHashMap<Key, DagId>,
    waiting: Vec<DagId>,
    /// For each node, what it is sorted by.
    times: Vec<(u32, u32)>,
}

impl Dag {
    /// All that leads to the error.
    pub fn new(system: &System<'_>, witness: &Witness) -> Dag {
        let mut building = Building {
            system,
            witness,
            dag: Dag::default(),
            known: FxHashMap::default(),
            waiting: Vec::new(),
            times: Vec::new(),
        };
        for error in &witness.errors {
            let node = building.node(*error, Role::Absolute, None);
            building.dag.errors.push(node);
        }
        while let Some(node) = building.waiting.pop() {
            building.above(node);
        }
        let Building { mut dag, times, .. } = building;
        dag.order = dag.nodes.indices().collect();
        dag.order.sort_by_key(|node| times[node.index()]);
        dag
    }
}

impl Building<'_> {
    fn node(&mut self, witness: NodeId, role: Role, used: Option<(DagId, Option<(RuleId, DagId)>)>) -> DagId {
        let key = (witness, role, used);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let point = self.witness.nodes[witness].point;
        let (ins, outs) = (Vec::new(), Vec::new());
        let id = self.dag.nodes.push(DagNode { witness, point, role, ins, outs, top: false });
        // Twice the number of the increment; a pivot lies just before what it is used for.
        let time = match used {
            None => 2 * witness.index() as u32 + 1,
            Some((target, _)) => self.times[target.index()].0 - 1,
        };
        self.times.push((time, id.index() as u32));
        self.known.insert(key, id);
        self.waiting.push(id);
        id
    }

    fn edge(&mut self, from: DagId, to: DagId, kind: EdgeKind) {
        let id = self.dag.edges.push(DagEdge { from, to, kind });
        self.dag.nodes[from].outs.push(id);
        self.dag.nodes[to].ins.push(id);
        if let EdgeKind::Eval(_, exit) = kind {
            self.dag.nodes[exit].outs.push(id);
        }
    }

    /// What a node came from.
    fn above(&mut self, to: DagId) {
        let DagNode { witness, role, point, .. } = self.dag.nodes[to];
        let is_entry = self.system.units[self.system.points[point].unit].entry == point;
        if is_entry && role == Role::Relational {
            self.dag.nodes[to].top = true;
            return;
        }
        let is_pivot = matches!(self.system.points[point].kind, PointKind::Pivot { .. });
        for origin in &self.witness.nodes[witness].origins {
            match *origin {
                Origin::Start => self.dag.nodes[to].top = true,
                Origin::Rule(rule, from) => {
                    let from = self.node(from, role, None);
                    self.edge(from, to, EdgeKind::Rule(rule));
                }
                Origin::Enter(pivot) => {
                    debug_assert!(!is_pivot);
                    let pivot = self.node(pivot, role, Some((to, None)));
                    let unit = self.system.points[point].unit;
                    self.edge(pivot, to, EdgeKind::Enter(unit));
                }
                Origin::Eval(rule, pivot, exit) => {
                    let exit = self.node(exit, Role::Relational, None);
                    let pivot = self.node(pivot, role, Some((to, Some((rule, exit)))));
                    self.edge(pivot, to, EdgeKind::Eval(rule, exit));
                }
            }
        }
    }
}
