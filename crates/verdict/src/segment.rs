//! The loop-free segments between cuts, as formulas.

use crate::expand::{Cuts, Flow};
use crate::outcome::Reason;
use craig_base::{Budget, Span};
use craig_cfa::{EdgeId, ExprId, LocId, Op, Program};
pub use craig_encode::block::Taken;
use craig_encode::{Encoder, Part, State, Uninlined};
use craig_logic::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A way to be at a location: under a guard, in a state.
#[derive(Debug, Clone)]
pub struct Point {
    pub loc: LocId,
    pub guard: TermId,
    pub state: Rc<State>,
}

/// What follows from some points until the next cuts.
#[derive(Debug, Default)]
pub struct Segment {
    pub part: Part,
    /// At each cut that is reached one point for all paths there, the error among them.
    pub ends: Vec<Point>,
    /// Signed operations: where, and when they leave their type.
    pub overflows: Vec<(Span, TermId)>,
    /// The operations on the way, each with a term that holds if a path goes over it. Its nodes: 0 is where the segment begins, the others see [`node`].
    pub edges: Vec<Taken>,
}

/// The node of a location behind an edge of a segment.
pub fn node(loc: LocId) -> u32 {
    loc.raw() + 1
}

/// A point, and the operation that leads there: its place among the edges of the segment.
type Arrived = (Point, usize);

/// What edges do that stand for more than their operation says.
pub trait Calls: std::fmt::Debug {
    /// Changes the state as such an edge does; returns when control goes on behind it. None of any other edge.
    fn call(&self, edge: EdgeId, state: &mut State, part: &mut Part) -> Option<TermId>;
}

/// No edge does.
impl Calls for () {
    fn call(&self, _: EdgeId, _: &mut State, _: &mut Part) -> Option<TermId> {
        None
    }
}

/// Walks over segments of one program.
#[derive(Debug)]
pub struct Walker<'a> {
    pub encoder: &'a Encoder<'a>,
    pub flow: &'a Flow,
    pub cuts: &'a Cuts,
    /// For each edge, whether its operation overflows, if that is to be watched.
    pub overflow: &'a [Option<ExprId>],
    pub calls: &'a dyn Calls,
}

impl Walker<'_> {
    fn program(&self) -> &Program {
        self.encoder.program
    }

    /// All paths from these points, each at another location, to the next cuts.
    pub fn walk(&self, starts: Vec<Point>, mut part: Part, budget: &Budget) -> Result<Segment, Reason> {
        let mut segment = Segment::default();
        let mut ends: BTreeMap<LocId, Vec<Arrived>> = BTreeMap::new();
        // What arrives at locations that are no cuts, by their order.
        let mut open: BTreeMap<u32, Vec<Arrived>> = BTreeMap::new();
        for start in starts {
            self.step(start, 0, &mut part, &mut segment, &mut open, &mut ends)?;
        }
        while let Some((_, points)) = open.pop_first() {
            budget.check()?;
            let point = self.join(points, &mut part, &mut segment);
            let from = node(point.loc);
            self.step(point, from, &mut part, &mut segment, &mut open, &mut ends)?;
        }
        for points in ends.into_values() {
            let end = self.join(points, &mut part, &mut segment);
            segment.ends.push(end);
        }
        segment.part = part;
        Ok(segment)
    }

    fn join(&self, mut points: Vec<Arrived>, part: &mut Part, segment: &mut Segment) -> Point {
        if points.len() == 1 {
            return points.remove(0).0;
        }
        let loc = points[0].0.loc;
        let over: Vec<usize> = points.iter().map(|(_, edge)| *edge).collect();
        let states = points.into_iter().map(|(p, _)| (p.guard, p.state)).collect();
        let (guard, state, selectors) = self.encoder.join_states(states, part);
        for (edge, selector) in over.into_iter().zip(selectors) {
            segment.edges[edge].taken = selector;
        }
        Point { loc, guard, state }
    }

    /// Over every edge that leaves a point, which is this node.
    fn step(
        &self,
        point: Point,
        from: u32,
        part: &mut Part,
        segment: &mut Segment,
        open: &mut BTreeMap<u32, Vec<Arrived>>,
        ends: &mut BTreeMap<LocId, Vec<Arrived>>,
    ) -> Result<(), Reason> {
        let terms = &self.encoder.terms;
        let Point { loc, guard, state } = point;
        let mut shared = Some(state);
        let matters = |id: &&EdgeId| self.flow.matters[self.flow.target[**id]];
        let mut edges = self.flow.succ[loc].iter().filter(matters).peekable();
        while let Some(&id) = edges.next() {
            let edge = &self.program().edges[id];
            // The last edge takes the state, the others copy it.
            let state = if edges.peek().is_some() { shared.clone() } else { shared.take() };
            let mut state = state.expect("taken by the last edge only");
            if let Some(check) = self.overflow[id.index()] {
                let leaves = self.encoder.eval(check, &state, part);
                segment.overflows.push((edge.span, terms.and([guard, leaves])));
            }
            let (mut chosen, mut opened, mut unsupported) = (Vec::new(), Vec::new(), None);
            let taken = match edge.op {
                Op::Skip => guard,
                Op::Assume(condition) => terms.and([guard, self.encoder.eval(condition, &state, part)]),
                _ if let Some(returns) = self.calls.call(id, Rc::make_mut(&mut state), part) => {
                    terms.and([guard, returns])
                }
                _ => {
                    let effect = self
                        .encoder
                        .op(&edge.op, edge.origin, edge.calls, Rc::make_mut(&mut state), part)
                        .map_err(|Uninlined(p)| Reason::recursion(self.program().procs[p].name.clone()))?;
                    (chosen, opened, unsupported) = (effect.chosen, effect.opened, effect.unsupported);
                    effect.guard.map_or(guard, |g| terms.and([guard, g]))
                }
            };
            if terms.is_false(taken) {
                continue;
            }
            let to = self.flow.target[id];
            let arrived = (Point { loc: to, guard: taken, state }, segment.edges.len());
            let (to_node, outside, reads) = (node(to), Vec::new(), std::mem::take(&mut part.reads));
            let taken =
                Taken { from, to: to_node, taken, edge: id, chosen, outside, reads, opened, unsupported };
            segment.edges.push(taken);
            if self.cuts.is_cut[to] {
                ends.entry(to).or_default().push(arrived);
            } else {
                open.entry(self.cuts.order[to]).or_default().push(arrived);
            }
        }
        Ok(())
    }
}
