//! Reachability in the abstract system with summaries (`post*`; PDS, 2.3 and 4.2).
//!
//! What is known of a control point is a set of abstract states. What is new in it is a node, with the reason why it is there: a rule and its one or two
//! premises. A call goes two ways: into the callee, which is entered with what is new; and over it, once for each pair of what is known before
//! the call and at the exit. So what is known at an exit is the summary of the procedure, since predicates relate entry and exit.
//!
//! The search goes breadth first, so that the way to the error that it finds is a short one.

use super::predicates::System;
use super::rules::RuleId;
use craig_base::Budget;
use craig_cfa::LocId;
use craig_smt::bdd::{Bdd, BooleanFunction};
use craig_verdict::Reason;
use index_vec::IndexVec;
use std::collections::{BTreeMap, VecDeque};

index_vec::define_index_type! { pub struct NodeId = u32; }

/// New abstract states at a control point.
pub struct Node {
    pub at: LocId,
    states: Bdd,
    pub why: Option<Why>,
}

/// How abstract states are reached.
#[derive(Debug, Clone, Copy)]
pub struct Why {
    pub rule: RuleId,
    pub from: NodeId,
    /// At the exit of the callee, if the rule goes over a call.
    pub inner: Option<NodeId>,
}

/// What a search found out.
#[derive(Default)]
pub struct Reached {
    pub nodes: IndexVec<NodeId, Node>,
    pub known: BTreeMap<LocId, Bdd>,
    /// The way to the error, if it is reached.
    pub error: Option<Why>,
    /// Nodes whose rules were taken, by their control points.
    done: BTreeMap<LocId, Vec<NodeId>>,
}

/// Searches until all is known or the error is reached.
pub fn search(system: &mut System<'_, '_>, budget: &Budget) -> Result<Reached, Reason> {
    let mut reached = Reached::default();
    let everything = system.bdds.constant(true);
    let start = Node { at: system.divided.start, states: everything, why: None };
    let mut waiting = VecDeque::from([reached.nodes.push(start)]);
    while let Some(node) = waiting.pop_front() {
        budget.check()?;
        let at = reached.nodes[node].at;
        reached.done.entry(at).or_default().push(node);
        for why in reached.steps(system, node) {
            let to = system.rules[why.rule].to;
            let known = reached.known.entry(to).or_insert_with(|| system.bdds.constant(false));
            let states = |node: NodeId| &reached.nodes[node].states;
            let new = system.image(why.rule, states(why.from), why.inner.map(states), known)?;
            if !new.satisfiable() {
                continue;
            }
            if to == system.divided.source.error {
                reached.error = Some(why);
                return Ok(reached);
            }
            *known = system.or(known, &new)?;
            waiting.push_back(reached.nodes.push(Node { at: to, states: new, why: Some(why) }));
        }
    }
    Ok(reached)
}

impl Reached {
    /// All that a node is a premise of, with the nodes that were looked at before.
    fn steps(&self, system: &System<'_, '_>, node: NodeId) -> Vec<Why> {
        let at = self.nodes[node].at;
        let before = |at: LocId| self.done.get(&at).into_iter().flatten().copied();
        let mut steps = Vec::new();
        for (rule, what) in system.rules.iter_enumerated() {
            let exit = what.call.as_ref().map(|call| system.divided.source.procs[call.callee].exit);
            match exit {
                None if what.from == at => steps.push(Why { rule, from: node, inner: None }),
                Some(exit) if what.from == at => {
                    steps.extend(before(exit).map(|inner| Why { rule, from: node, inner: Some(inner) }));
                }
                Some(exit) if exit == at => {
                    steps.extend(before(what.from).map(|from| Why { rule, from, inner: Some(node) }));
                }
                _ => {}
            }
        }
        steps
    }

    /// Abstract states of a control point, if it is reached.
    pub fn at(&self, at: LocId) -> Option<&Bdd> {
        self.known.get(&at)
    }
}
