//! Bounded model checking by unrolling the summarised automaton.
//!
//! Depth by depth: the frontier has one node per location with a guard and a state; every edge is encoded from there, arrivals at a
//! location are joined. Error edges of a depth are asked for together; if none can be taken they are ruled out for good. If no
//! node of the frontier can be reached, unrolling is complete and the program safe. Finds shallow errors fast and proves
//! programs whose loops end after few rounds.

use crate::certificate;
use crate::run::{self, Observer, Progress, RunOptions, Stats};
use crate::trace::block_steps;
use craig_base::Budget;
use craig_cfa::pass::prepare::Prepared;
use craig_cfa::{EdgeId, LocId, Program, graph};
use craig_encode::block::Encoded;
use craig_encode::{Encoder, Part, State, Uninlined};
use craig_logic::{Evaluator, Model, TermId};
use craig_smt::{Session, Smt};
use craig_verdict::{Certificate, Outcome, Proof, Reason, Trace};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A location at a depth, with how it was reached.
struct Node {
    arrivals: Vec<Arrival>,
}

/// One way into a node.
struct Arrival {
    /// Index of the node it comes from.
    from: usize,
    encoded: Encoded,
    /// Holds if this way was taken.
    taken: TermId,
}

/// The frontier: node, guard and state per location.
type Frontier = BTreeMap<LocId, (usize, TermId, Rc<State>)>;

struct Bmc<'a> {
    program: &'a Program,
    encoder: Encoder<'a>,
    session: Session,
    nodes: Vec<Node>,
}

/// Runs on the program that [`craig_cfa::pass::prepare`] made.
pub fn run(
    prepared: &Prepared,
    options: &RunOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Outcome {
    run::with_solver(prepared, options, budget, |smt, encoder| {
        let program = &prepared.program;
        let mut bmc = Bmc { program, encoder, session: smt.session(), nodes: Vec::new() };
        let outcome = bmc.check(prepared, budget, smt, observer, stats);
        stats.solver(smt);
        outcome
    })
}

impl Bmc<'_> {
    fn check(
        &mut self,
        prepared: &Prepared,
        budget: &Budget,
        smt: &Smt,
        observer: &mut dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome, Reason> {
        let flow = self.program.graph();
        let mut part = Part::new();
        let initial = self.encoder.initial(&mut part);
        self.assert(&part);
        self.nodes.push(Node { arrivals: Vec::new() });
        let entry = self.program.procs[self.program.entry].entry;
        let mut frontier = Frontier::from([(entry, (0, self.encoder.terms.tru(), Rc::new(initial)))]);
        for depth in 1.. {
            budget.check_memory().map_err(Reason::Stopped)?;
            observer
                .progress(&Progress { phase: format!("depth {depth}"), solver_calls: smt.stats().checks });
            stats.set("depth", f64::from(depth));
            let (next, errors) = self.unroll(&frontier, &flow.succ, budget)?;
            if let Some(trace) = self.error_trace(errors)? {
                return Ok(trace);
            }
            frontier = self.feasible(next)?;
            if frontier.is_empty() {
                return Ok(Outcome::Safe(self.certificate(prepared)));
            }
        }
        unreachable!("the loop has no end")
    }

    /// A program without loops is one segment, proved without any formula; otherwise unwinding is the proof.
    fn certificate(&self, prepared: &Prepared) -> Certificate {
        let order = graph::order(self.program, &self.program.graph());
        if order.loop_head.iter().any(|head| *head) {
            return Certificate { arith: self.encoder.options.arith, proof: Proof::Unwinding };
        }
        certificate::invariants(&self.encoder, prepared, &[])
    }

    fn assert(&mut self, part: &Part) {
        for constraint in &part.constraints {
            self.session.assert(*constraint);
        }
    }

    /// One step from everywhere: the next frontier, and the ways into the error.
    fn unroll(
        &mut self,
        frontier: &Frontier,
        succ: &index_vec::IndexVec<LocId, Vec<EdgeId>>,
        budget: &Budget,
    ) -> Result<(Frontier, Vec<Arrival>), Reason> {
        let mut part = Part::new();
        let mut arrivals: BTreeMap<LocId, Vec<Arrival>> = BTreeMap::new();
        let mut errors = Vec::new();
        for (&loc, (node, guard, state)) in frontier {
            for &edge in &succ[loc] {
                budget.check().map_err(Reason::Stopped)?;
                let edge = &self.program.edges[edge];
                let encoded = self
                    .encoder
                    .edge(edge, state, &mut part)
                    .map_err(|Uninlined(proc)| Reason::Recursion(self.program.procs[proc].name.clone()))?;
                let taken = self.encoder.terms.and([*guard, encoded.guard]);
                if self.encoder.terms.is_false(taken) {
                    continue;
                }
                let arrival = Arrival { from: *node, encoded, taken };
                if edge.to == self.program.error {
                    errors.push(arrival);
                } else {
                    arrivals.entry(edge.to).or_default().push(arrival);
                }
            }
        }
        let mut next = Frontier::new();
        for (loc, arrivals) in arrivals {
            let joined = self.join(arrivals, &mut part);
            next.insert(loc, joined);
        }
        self.assert(&part);
        Ok((next, errors))
    }

    /// Makes a node of what arrives at a location.
    fn join(&mut self, mut arrivals: Vec<Arrival>, part: &mut Part) -> (usize, TermId, Rc<State>) {
        let states = arrivals.iter().map(|a| (a.taken, Rc::new(a.encoded.state.clone()))).collect();
        let (guard, state, selectors) = self.encoder.join_states(states, part);
        for (arrival, selector) in arrivals.iter_mut().zip(selectors) {
            arrival.taken = selector;
        }
        self.nodes.push(Node { arrivals });
        (self.nodes.len() - 1, guard, state)
    }

    fn ask(&mut self, assumption: TermId) -> Result<bool, Reason> {
        Ok(self.session.check_assuming(&[assumption]).decided()?)
    }

    /// Can one of these be taken? Then the execution; otherwise none is from now on.
    fn error_trace(&mut self, errors: Vec<Arrival>) -> Result<Option<Outcome>, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let any = terms.or(errors.iter().map(|e| e.taken));
        if terms.is_false(any) {
            return Ok(None);
        }
        if !self.ask(any)? {
            self.session.assert(terms.not(any));
            return Ok(None);
        }
        let model =
            self.session.model().ok_or_else(|| Reason::Solver("a model that cannot be read".into()))?;
        self.nodes.push(Node { arrivals: errors });
        let trace = self.trace(self.nodes.len() - 1, &model)?;
        Ok(Some(Outcome::Unsafe(trace)))
    }

    /// The nodes that a run can reach.
    fn feasible(&mut self, next: Frontier) -> Result<Frontier, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let any = terms.or(next.values().map(|(_, guard, _)| *guard));
        if terms.is_false(any) || !self.ask(any)? {
            return Ok(Frontier::new());
        }
        // Asking for each keeps the frontier small; with many nodes it would cost more than it spares.
        const ASK_EACH: usize = 8;
        if next.len() == 1 || next.len() > ASK_EACH {
            return Ok(next);
        }
        let mut kept = Frontier::new();
        for (loc, node) in next {
            if self.ask(node.1)? {
                kept.insert(loc, node);
            } else {
                self.session.assert(terms.not(node.1));
            }
        }
        Ok(kept)
    }

    /// Follows the taken edges back from a node to the start.
    fn trace(&self, node: usize, model: &Model) -> Result<Trace, Reason> {
        let mut values = Evaluator::new(&self.encoder.terms, model);
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(arrival) = self.nodes[at].arrivals.iter().find(|a| values.holds(a.taken)) {
            let Encoded { edges, exit, .. } = &arrival.encoded;
            steps.extend(block_steps(self.program, edges, *exit, &mut |t| values.eval(t))?);
            at = arrival.from;
        }
        if at != 0 {
            return Err(Reason::Internal("the model names no path to the start".into()));
        }
        steps.reverse();
        Ok(Trace { arith: self.encoder.options.arith, steps })
    }
}
