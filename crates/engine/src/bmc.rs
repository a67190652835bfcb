//! Bounded model checking by unrolling the graph of large blocks.
//!
//! Depth by depth: the frontier has one node per location with a guard and a state; every block is encoded from there, arrivals at a
//! location are joined. The ways into the error of a depth are asked for together; if none can be taken they are ruled out for good. If no
//! node of the frontier can be reached, unrolling is complete and the program safe. Finds shallow errors fast and proves
//! programs whose loops end after few rounds.

use crate::certificate;
use crate::counterexample::{places, through_block};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::workbench::{Workbench, not_encoded};
use clap::Args;
use craig_cfa::{Blocks, LocId};
use craig_encode::{Arith, Encoded, Joins, Part, State, Taken};
use craig_logic::{Evaluator, Model, TermId};
use craig_smt::Session;
use craig_verdict::{Certificate, Counterexample, Outcome, Proof, Reason};
use std::rc::Rc;

/// It has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {}

/// Nodes of a frontier up to which each is asked for: that keeps the frontier small; with many it would cost more than it spares.
const ASK_EACH: usize = 8;

/// One way into a node.
struct Way {
    /// Index of the node it comes from.
    from: usize,
    edges: Vec<Taken>,
    exit: u32,
}

/// Ways into a node, each with a term that holds if it was taken.
type Ways = Vec<(Way, TermId)>;

/// A location of the frontier: its node, its guard, its state.
struct Front {
    loc: LocId,
    node: usize,
    guard: TermId,
    state: Rc<State>,
}

struct Bmc<'t> {
    bench: Workbench<'t>,
    session: Session,
    nodes: Vec<Ways>,
    depth: u32,
}

pub fn run(task: &Task, arith: Arith, _: &Options, control: &mut Control<'_>) -> Found {
    let bench = Workbench::new(task, arith, Blocks::Large, control.budget)?;
    let session = bench.smt.session();
    control.run(Bmc { bench, session, nodes: Vec::new(), depth: 0 })
}

impl Search for Bmc<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let mut part = self.bench.encoder.part();
        let state = Rc::new(self.bench.encoder.initial(&mut part));
        self.assert(&part);
        self.nodes.push(Vec::new());
        let start = Front { loc: self.bench.entry(), node: 0, guard: self.bench.terms.tru(), state };
        let mut frontier = vec![start];
        while !frontier.is_empty() {
            self.bench.budget.check_memory()?;
            self.depth += 1;
            self.bench.progress(observer, format!("depth {}", self.depth));
            let (next, errors) = self.unroll(frontier)?;
            if let Some(found) = self.error(errors)? {
                return Ok(Outcome::Unsafe(found));
            }
            frontier = self.feasible(next)?;
        }
        self.certificate().map(Outcome::Safe)
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("depth", f64::from(self.depth));
        self.bench.report(stats);
    }
}

impl Bmc<'_> {
    /// A program without loops is one segment, proved without any formula; otherwise unwinding is the proof.
    fn certificate(&self) -> Result<Certificate, Reason> {
        if self.bench.graph.loop_heads().next().is_some() {
            return Ok(Certificate::new(self.bench.encoder.options.arith, Proof::Unwinding));
        }
        certificate::at_heads(&self.bench, |_| Ok(self.bench.terms.tru()))
    }

    fn assert(&mut self, part: &Part) {
        for constraint in &part.constraints {
            self.session.assert(*constraint);
        }
    }

    /// One block from everywhere: the next frontier, and the ways into the error.
    fn unroll(&mut self, frontier: Vec<Front>) -> Result<(Vec<Front>, Ways), Reason> {
        let Workbench { graph, encoder, terms, budget, .. } = &self.bench;
        let program = encoder.program;
        let mut part = Part::new();
        let mut joins: Joins<LocId, Way> = Joins::default();
        let mut errors = Vec::new();
        for Front { loc, node, guard, state } in frontier {
            for block in graph.leaving(loc).iter().map(|b| graph.block(*b)) {
                budget.check()?;
                let region = graph.region(block.region);
                let encoded = encoder.region(region, block.exit, Rc::clone(&state), &mut part, budget);
                let encoded = encoded.map_err(|e| not_encoded(program, e))?;
                let taken = terms.and([guard, encoded.guard]);
                if terms.is_false(taken) {
                    continue;
                }
                let Encoded { state, edges, exit, .. } = encoded;
                let way = Way { from: node, edges, exit };
                if block.to == program.error {
                    errors.push((way, taken));
                } else {
                    joins.arrive(block.to, way, taken, state);
                }
            }
        }
        let mut next = Vec::new();
        while let Some((loc, joined)) = joins.next(encoder, &mut part) {
            self.nodes.push(joined.ways);
            let node = self.nodes.len() - 1;
            next.push(Front { loc, node, guard: joined.guard, state: joined.state });
        }
        self.assert(&part);
        Ok((next, errors))
    }

    fn ask(&mut self, assumption: TermId) -> Result<bool, Reason> {
        Ok(self.session.check_assuming(&[assumption]).decided()?)
    }

    /// Can one of these be taken? Then the execution; otherwise none is from now on.
    fn error(&mut self, errors: Ways) -> Result<Option<Counterexample>, Reason> {
        let terms = Rc::clone(&self.bench.terms);
        let any = terms.or(errors.iter().map(|(_, taken)| *taken));
        if terms.is_false(any) {
            return Ok(None);
        }
        if !self.ask(any)? {
            self.session.assert(terms.not(any));
            return Ok(None);
        }
        let model = self.session.require_model()?;
        self.nodes.push(errors);
        self.counterexample(&model).map(Some)
    }

    /// The nodes that a run can reach.
    fn feasible(&mut self, next: Vec<Front>) -> Result<Vec<Front>, Reason> {
        let terms = Rc::clone(&self.bench.terms);
        let any = terms.or(next.iter().map(|front| front.guard));
        if terms.is_false(any) || !self.ask(any)? {
            return Ok(Vec::new());
        }
        if next.len() == 1 || next.len() > ASK_EACH {
            return Ok(next);
        }
        let mut kept = Vec::new();
        for front in next {
            if self.ask(front.guard)? {
                kept.push(front);
            } else {
                self.session.assert(terms.not(front.guard));
            }
        }
        Ok(kept)
    }

    /// Follows the taken ways back from the last node to the start.
    fn counterexample(&self, model: &Model) -> Result<Counterexample, Reason> {
        let mut values = Evaluator::new(&self.bench.terms, model);
        let mut steps = Vec::new();
        let mut at = self.nodes.len() - 1;
        while let Some((way, _)) = self.nodes[at].iter().find(|(_, taken)| values.holds(*taken)) {
            let program = self.bench.program();
            steps.extend(through_block(program, &way.edges, way.exit, &mut |t| values.eval(t))?);
            at = way.from;
        }
        if at != 0 {
            return Err(Reason::Internal("the model names no path to the start".into()));
        }
        steps.reverse();
        let places = places(&self.bench.encoder, &mut values);
        Ok(Counterexample { arith: self.bench.encoder.options.arith, places, steps })
    }
}
