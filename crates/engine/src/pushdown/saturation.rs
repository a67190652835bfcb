//! `post*` by saturation (PDS, 2.3 and 4.2).
//!
//! The automaton of the reachable configurations has a state for each way in which an activation of a procedure may begin. Its transitions are kept as one diagram a control point:
//! the relation between the values with which the current activation began and those of now; at a pivot also with which values the callee
//! began. A configuration is a stack of such transitions, in which the entry values of each activation are the callee's of the pivot below.
//!
//! What is new at a point, and only that, goes through the rules. Each such *increment* is a node of the witness graph, with the rules and
//! nodes it came from; a return comes from two, the pivot and the exit. Contributions to a point wait until it is the point's turn,
//! in the order of ranks: a node then has all that came on ways that meet there, and the counterexamples are a thick graph instead
//! of many thin ones. The search in the other direction ([`super::backward`]) keeps its increments in the same way.

use super::space::Space;
use super::system::{PointId, PointKind, RuleId, RuleKind, System, UnitId};
use super::{Res, Stopping};
use craig_base::Budget;
use craig_smt::bdd::{Bdd, BooleanFunction};
use index_vec::IndexVec;
use std::collections::BTreeMap;

index_vec::define_index_type! { pub struct NodeId = u32; }

/// How the rules of a system move states: those of the program itself, or of an abstraction.
pub trait Moves {
    fn space(&self) -> &Space;
    fn nothing(&self) -> Bdd;
    /// Where runs begin.
    fn start(&self) -> Res<Bdd>;
    /// States behind a normal rule or a return.
    fn step(&self, rule: RuleId, states: &Bdd) -> Res<Bdd>;
    /// States at the pivot behind a push.
    fn push(&self, rule: RuleId, states: &Bdd) -> Res<Bdd>;
    /// The states in which the callee begins.
    fn enter(&self, callee: UnitId, pivot: PointId, states: &Bdd) -> Res<Bdd>;
    /// States behind a call, from those at its pivot and at the exit of the callee.
    fn eval(&self, rule: RuleId, pivot: &Bdd, exit: &Bdd) -> Res<Bdd>;

    /// States from which a normal rule, a push or a return leads to one of these.
    fn before(&self, rule: RuleId, states: &Bdd) -> Res<Bdd>;
    /// States at a pivot from which the callee begins in one of these.
    fn before_enter(&self, callee: UnitId, states: &Bdd) -> Res<Bdd>;
    /// Which of the states at the pivot and at the exit lead to one of these behind the call.
    fn before_eval(&self, rule: RuleId, pivot: &Bdd, exit: &Bdd, states: &Bdd) -> Res<(Bdd, Bdd)>;
}

/// Where an increment came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The search begins here.
    Start,
    /// A normal rule, a push (to the pivot) or a return (to the exit).
    Rule(RuleId, NodeId),
    /// The callee begins; the node is the pivot, backwards the entry.
    Enter(NodeId),
    /// A call has returned: pivot and exit, backwards the point behind the call and the entry of the callee.
    Eval(RuleId, NodeId, NodeId),
}

/// An increment.
pub struct Node {
    pub point: PointId,
    pub states: Bdd,
    pub origins: Vec<Origin>,
}

/// What a search found.
pub struct Witness {
    pub nodes: IndexVec<NodeId, Node>,
    /// All states of each point.
    pub known: IndexVec<PointId, Bdd>,
    /// Nodes at the error; backwards those where runs begin, on a way to the error.
    pub errors: Vec<NodeId>,
}

/// The increments of a search, and what waits for the turn of its point.
pub struct Increments {
    pub witness: Witness,
    nothing: Bdd,
    pending: BTreeMap<(u32, PointId), Vec<(Bdd, Origin)>>,
}

impl Increments {
    pub fn new(system: &System<'_>, nothing: Bdd) -> Increments {
        let known = system.points.iter().map(|_| nothing.clone()).collect();
        let witness = Witness { nodes: IndexVec::new(), known, errors: Vec::new() };
        Increments { witness, nothing, pending: BTreeMap::new() }
    }

    /// States for a point, which has its turn by its rank.
    pub fn give(&mut self, rank: u32, point: PointId, states: Bdd, origin: Origin) {
        if states.satisfiable() {
            self.pending.entry((rank, point)).or_default().push((states, origin));
        }
    }

    /// The next node, until there is none.
    pub fn next(&mut self, space: &Space, budget: &Budget) -> Res<Option<NodeId>> {
        while let Some(((_, point), contributions)) = self.pending.pop_first() {
            space.pause(budget)?;
            if let Some(node) = self.arrive(space, point, contributions)? {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// What is new becomes a node. Those contributions are its origins that have a part in it.
    fn arrive(
        &mut self,
        space: &Space,
        point: PointId,
        contributions: Vec<(Bdd, Origin)>,
    ) -> Res<Option<NodeId>> {
        let bdds = &space.bdds;
        let known = &self.witness.known[point];
        let mut all = self.nothing.clone();
        for (states, _) in &contributions {
            all = bdds.or(&all, states)?;
        }
        let increment = bdds.and(&all, &known.not()?)?;
        if !increment.satisfiable() {
            return Ok(None);
        }
        let mut origins = Vec::new();
        for (states, origin) in contributions {
            if bdds.and(&states, &increment)?.satisfiable() {
                origins.push(origin);
            }
        }
        self.witness.known[point] = bdds.or(known, &all)?;
        Ok(Some(self.witness.nodes.push(Node { point, states: increment, origins })))
    }
}

struct Saturation<'a, M> {
    system: &'a System<'a>,
    moves: &'a M,
    found: Increments,
    /// Nodes at pivots and exits, by the procedure that is called.
    pivots: IndexVec<UnitId, Vec<NodeId>>,
    exits: IndexVec<UnitId, Vec<NodeId>>,
}

pub fn post(system: &System<'_>, moves: &impl Moves, stop: Stopping, budget: &Budget) -> Res<Witness> {
    let mut saturation = Saturation {
        system,
        moves,
        found: Increments::new(system, moves.nothing()),
        pivots: system.units.iter().map(|_| Vec::new()).collect(),
        exits: system.units.iter().map(|_| Vec::new()).collect(),
    };
    saturation.give(system.start(), moves.start()?, Origin::Start);
    while let Some(node) = saturation.found.next(moves.space(), budget)? {
        let point = saturation.found.witness.nodes[node].point;
        if system.points[point].kind == PointKind::Error {
            saturation.found.witness.errors.push(node);
            if stop == Stopping::First {
                break;
            }
            continue;
        }
        saturation.leave(node)?;
    }
    Ok(saturation.found.witness)
}

impl<M: Moves> Saturation<'_, M> {
    fn give(&mut self, point: PointId, states: Bdd, origin: Origin) {
        self.found.give(self.system.points[point].rank, point, states, origin);
    }

    fn leave(&mut self, node: NodeId) -> Res<()> {
        let Node { point, states, .. } = &self.found.witness.nodes[node];
        let (point, states) = (*point, states.clone());
        match self.system.points[point].kind {
            PointKind::Pivot { callee } => {
                let begins = self.moves.enter(callee, point, &states)?;
                self.give(self.system.units[callee].entry, begins, Origin::Enter(node));
                self.pivots[callee].push(node);
                for exit in self.exits[callee].clone() {
                    self.eval(node, exit)?;
                }
            }
            PointKind::Exit => {
                let unit = self.system.points[point].unit;
                self.exits[unit].push(node);
                for pivot in self.pivots[unit].clone() {
                    self.eval(pivot, node)?;
                }
            }
            _ => {
                for rule in &self.system.points[point].rules {
                    let to = self.system.rules[*rule].to;
                    let states = match self.system.rules[*rule].kind {
                        RuleKind::Push { .. } => self.moves.push(*rule, &states)?,
                        _ => self.moves.step(*rule, &states)?,
                    };
                    self.give(to, states, Origin::Rule(*rule, node));
                }
            }
        }
        Ok(())
    }

    fn eval(&mut self, pivot: NodeId, exit: NodeId) -> Res<()> {
        let at = self.found.witness.nodes[pivot].point;
        for rule in &self.system.points[at].rules {
            let (waits, returns) =
                (&self.found.witness.nodes[pivot].states, &self.found.witness.nodes[exit].states);
            let states = self.moves.eval(*rule, waits, returns)?;
            self.give(self.system.rules[*rule].to, states, Origin::Eval(*rule, pivot, exit));
        }
        Ok(())
    }
}
