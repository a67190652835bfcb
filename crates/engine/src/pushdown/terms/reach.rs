//! Reachability in the abstract system with summaries (`post*`; PDS, 2.3 and 4.2).
//!
//! What is known of a control point is a set of abstract states. What is new in it is a node, with the reasons why it is there: rules, each with its one or two
//! premises, which are earlier nodes. A call goes two ways: into the callee, which is entered with what is new; and over it, once for each pair of what is new before
//! the call and at the exit. So what is known at an exit is the summary of the procedure, since predicates relate entry and exit.
//!
//! The search goes breadth first, so that ways to the error are short. What meets at a control point that waits for its turn may be joined: then a node has several reasons.

#![allow(
    clippy::mutable_key_type,
    reason = "a BDD hashes by the node it names; only the count of its owners changes"
)]

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
    pub states: Bdd,
    /// None where runs begin.
    pub why: Vec<Why>,
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
    /// If the error is reached.
    pub error: Option<NodeId>,
    /// Nodes whose rules were taken, by their control points.
    done: BTreeMap<LocId, Vec<NodeId>>,
}

/// Searches until all is known or the error is reached. If nothing is joined, each node has one reason.
pub fn search(system: &mut System<'_, '_>, join: bool, budget: &Budget) -> Result<Reached, Reason> {
    let mut reached = Reached::default();
    let start = system.divided.start;
    let mut waiting =
        VecDeque::from([Node { at: start, states: system.bdds.constant(true), why: Vec::new() }]);
    while let Some(Node { at, states, why }) = waiting.pop_front() {
        budget.check()?;
        if join {
            reached.learn(system, at, &states)?;
        }
        let node = reached.nodes.push(Node { at, states, why });
        if at == system.divided.source.error {
            reached.error = Some(node);
            return Ok(reached);
        }
        reached.done.entry(at).or_default().push(node);
        for why in reached.steps(system, node) {
            let to = system.rules[why.rule].to;
            let nothing = system.bdds.constant(false);
            let known = reached.known.get(&to).unwrap_or(&nothing);
            let states = |node: NodeId| &reached.nodes[node].states;
            let new = system.image(why.rule, states(why.from), why.inner.map(states), known)?;
            if !new.satisfiable() {
                continue;
            }
            match waiting.iter_mut().find(|other| join && other.at == to) {
                Some(other) => {
                    other.states = system.or(&other.states, &new)?;
                    other.why.push(why);
                }
                None if !join => {
                    reached.learn(system, to, &new)?;
                    waiting.push_back(Node { at: to, states: new, why: vec![why] });
                }
                None => waiting.push_back(Node { at: to, states: new, why: vec![why] }),
            }
        }
    }
    Ok(reached)
}

impl Reached {
    fn learn(&mut self, system: &System<'_, '_>, at: LocId, states: &Bdd) -> Result<(), Reason> {
        let known = match self.known.get(&at) {
            Some(known) => system.or(known, states)?,
            None => states.clone(),
        };
        self.known.insert(at, known);
        Ok(())
    }

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
