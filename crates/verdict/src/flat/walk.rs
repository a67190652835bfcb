//! The loop-free segments between cuts, in flat memory.

use super::layout::{Kind, MEM, State};
use super::space::{Fill, Space};
use super::step::Site;
use super::{Model, NotTranslatable};
use crate::expand::{Cuts, Flow};
use crate::outcome::Reason;
use craig_base::Budget;
use craig_cfa::{CallString, EdgeId, Lang, LocId};
use craig_logic::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A way to be at a location: under a guard, in a state.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub loc: LocId,
    pub guard: TermId,
    pub state: Rc<State>,
}

/// Why a walk has no result.
pub(super) enum Failed {
    Reason(Reason),
    NotTranslatable(NotTranslatable),
}

impl From<NotTranslatable> for Failed {
    fn from(why: NotTranslatable) -> Failed {
        Failed::NotTranslatable(why)
    }
}

impl<R: Into<Reason>> From<R> for Failed {
    fn from(reason: R) -> Failed {
        Failed::Reason(reason.into())
    }
}

/// Walks over segments of one program.
pub(super) struct Walker<'a> {
    pub model: &'a Model<'a>,
    pub flow: &'a Flow,
    pub cuts: &'a Cuts,
    pub budget: &'a Budget,
}

impl Walker<'_> {
    fn space(&self) -> Space {
        Space::new(Rc::clone(&self.model.terms), self.model.width())
    }

    /// The start of the program: globals are zero, the rest is arbitrary, nothing is allocated.
    pub fn initial(&self) -> (Space, State) {
        let (model, t) = (self.model, &self.model.terms);
        let mut space = self.space();
        let mut state = model.layout.symbols(t);
        for (_, object) in model.layout.all_sites() {
            if let Kind::Site { alive, .. } = object.kind {
                state.0[alive] = t.fls();
            }
        }
        let program = model.program;
        let entry = program.locs[program.procs[program.entry].entry].calls;
        space.bear(t.tru(), model.alive(entry, &state), [].into());
        if program.lang != Lang::C {
            return (space, state);
        }
        for (id, home) in model.layout.homes.iter_enumerated() {
            if program.vars[id].proc.is_some() {
                continue;
            }
            match *home {
                super::layout::Home::Plain(part) => {
                    if let Some(width) = model.layout.sort(part).width() {
                        state.0[part] = t.bv(0, width);
                    }
                }
                super::layout::Home::Memory(object) => {
                    let region = model.region(object, &state);
                    let zero = Fill::Byte(t.bv(0, 8));
                    state.0[MEM] = space.with_range(state.0[MEM], region.base, region.size, zero);
                }
                super::layout::Home::Nowhere => {}
            }
        }
        (space, state)
    }

    /// Any state at a location.
    pub fn any(&self, loc: LocId) -> (Space, State) {
        let state = self.model.layout.symbols(&self.model.terms);
        let mut space = self.space();
        let alive = self.model.alive(self.model.program.locs[loc].calls, &state);
        space.bear(self.model.terms.tru(), alive, [].into());
        (space, state)
    }

    /// All paths from these points, each at another location, to the next cuts: one point for all paths to each.
    pub fn walk(&self, starts: Vec<Point>, space: &mut Space) -> Result<Vec<Point>, Failed> {
        let mut ends: BTreeMap<LocId, Vec<Point>> = BTreeMap::new();
        // What arrives at locations that are no cuts, by their order.
        let mut open: BTreeMap<u32, Vec<Point>> = BTreeMap::new();
        for start in starts {
            self.step(start, space, &mut open, &mut ends)?;
        }
        while let Some((_, points)) = open.pop_first() {
            self.budget.check_memory()?;
            self.step(self.join(points), space, &mut open, &mut ends)?;
        }
        Ok(ends.into_values().map(|points| self.join(points)).collect())
    }

    fn join(&self, mut points: Vec<Point>) -> Point {
        let t = &self.model.terms;
        let last = points.pop().expect("a location where something arrives");
        if points.is_empty() {
            return last;
        }
        let mut state = (*last.state).clone();
        for point in points.iter().rev() {
            for (merged, value) in state.0.iter_mut().zip(&point.state.0) {
                if merged != value {
                    *merged = t.ite(point.guard, *value, *merged);
                }
            }
        }
        let guard = t.or(points.iter().map(|p| p.guard).chain([last.guard]));
        Point { loc: last.loc, guard, state: Rc::new(state) }
    }

    /// Over every edge that leaves a point.
    fn step(
        &self,
        point: Point,
        space: &mut Space,
        open: &mut BTreeMap<u32, Vec<Point>>,
        ends: &mut BTreeMap<LocId, Vec<Point>>,
    ) -> Result<(), Failed> {
        let (model, program) = (self.model, self.model.program);
        let matters = |id: &&EdgeId| self.flow.matters[self.flow.target[**id]];
        for &id in self.flow.succ[point.loc].iter().filter(matters) {
            let edge = &program.edges[id];
            let mut state = Rc::clone(&point.state);
            let own = Rc::make_mut(&mut state);
            let (from, to) = (program.locs[edge.from].calls, program.locs[edge.to].calls);
            if self.enters(from, to) {
                model.enter(to, point.guard, own, space);
            }
            let site = Site { edge: edge.origin, calls: edge.calls, guard: point.guard };
            let goes_on = model.step(&edge.op, site, own, space)?;
            if self.enters(to, from) {
                model.leave(from, own);
            }
            let guard = model.terms.and([point.guard, goes_on]);
            if model.terms.is_false(guard) {
                continue;
            }
            let loc = self.flow.target[id];
            let next = Point { loc, guard, state };
            if self.cuts.is_cut[loc] {
                ends.entry(loc).or_default().push(next);
            } else {
                open.entry(self.cuts.order[loc]).or_default().push(next);
            }
        }
        Ok(())
    }

    /// Is the second call made in the first one?
    fn enters(&self, outer: CallString, inner: CallString) -> bool {
        inner != outer && self.model.program.calls.pop(inner).is_some_and(|(around, _)| around == outer)
    }
}
