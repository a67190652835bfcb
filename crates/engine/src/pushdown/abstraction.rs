//! Predicate abstraction of a pushdown system (PDS, 4.1 and 5.3).
//!
//! Each control point has its own list of predicates; the i-th of every point is the i-th abstract bit (7.1), unless the savings say otherwise. The abstract rule is what is left of
//! `{from} and Rule and {to}` when the concrete bits are gone (existential abstraction), where `{n}` says what the abstract bits of a point mean. Predicates
//! behind a rule are put in terms of the values before it, so that no values behind it are needed. At the entry of a
//! procedure the values at its entry are those of now; that is part of `{entry}`, without which nothing would be conveyed from there.
//!
//! Only rules are abstracted again one of whose points has a new predicate (8.3), and `{n}` grows with each (7.2).

use super::concrete::{Concrete, partition};
use super::dag::{Dag, DagEdge, DagId, DagNode, EdgeKind, Role};
use super::saturation::Moves;
use super::space::{Place, Space};
use super::system::{PointId, PointKind, RuleId, RuleKind, System, UnitId};
use super::{Options, Res, Saving};
use craig_base::Budget;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Substitution};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Predicates, and the rules in terms of them.
pub struct Abstraction {
    pub predicates: IndexVec<PointId, Vec<Bdd>>,
    /// The abstract bits of these.
    bits: IndexVec<PointId, Vec<usize>>,
    /// What the abstract bits of a point mean, where they are those of now.
    meanings: IndexVec<PointId, Bdd>,
    rules: IndexVec<RuleId, Option<Bdd>>,
    /// Rules that were abstracted so far.
    pub abstracted: u64,
    sharing: bool,
    growing: bool,
    incremental: bool,
}

impl Abstraction {
    pub fn new(system: &System<'_>, space: &Space, options: &Options) -> Abstraction {
        Abstraction {
            predicates: index_vec![Vec::new(); system.points.len()],
            bits: index_vec![Vec::new(); system.points.len()],
            meanings: index_vec![space.constant(true); system.points.len()],
            rules: system.rules.iter().map(|_| None).collect(),
            abstracted: 0,
            sharing: options.has(Saving::Sharing),
            growing: options.has(Saving::Growing),
            incremental: options.has(Saving::Incremental),
        }
    }

    pub fn total(&self) -> usize {
        self.predicates.iter().map(Vec::len).sum()
    }

    /// The most at one point.
    pub fn most(&self) -> usize {
        self.predicates.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Adds a predicate, unless it is constant or known, itself or its negation. Was it new?
    pub fn add(&mut self, system: &System<'_>, space: &Space, point: PointId, predicate: &Bdd) -> Res<bool> {
        if !predicate.satisfiable() || predicate.valid() {
            return Ok(false);
        }
        let negated = predicate.not()?;
        let known = &self.predicates[point];
        if known.iter().any(|p| p == predicate || *p == negated) {
            return Ok(false);
        }
        let bit = if self.sharing { known.len() } else { self.total() };
        self.predicates[point].push(predicate.clone());
        self.bits[point].push(bit);
        let link = space.abstract_bit(Place::Now, bit)?.equiv(predicate)?;
        self.meanings[point] = space.bdds.and(&self.meanings[point], &link)?;
        for (id, rule) in system.rules.iter_enumerated() {
            let callee = match rule.kind {
                RuleKind::Push { callee, .. } => Some(system.units[callee].entry),
                RuleKind::Eval { callee } => Some(system.units[callee].exit),
                _ => None,
            };
            if rule.from == point || rule.to == point || callee == Some(point) || !self.incremental {
                self.rules[id] = None;
            }
        }
        Ok(true)
    }

    /// The predicates of a point with their bits.
    pub fn tracked(&self, point: PointId) -> impl Iterator<Item = (usize, &Bdd)> {
        self.bits[point].iter().copied().zip(&self.predicates[point])
    }

    /// What the abstract bits of a point mean, at a place.
    fn links(
        &self,
        space: &Space,
        point: PointId,
        place: Place,
        put: impl Fn(&Bdd) -> Res<Bdd>,
    ) -> Res<Vec<Bdd>> {
        let link = |(bit, p): (usize, &Bdd)| Ok(space.abstract_bit(place, bit)?.equiv(&put(p)?)?);
        self.tracked(point).map(link).collect()
    }

    fn meaning(&self, space: &Space, point: PointId) -> Res<Bdd> {
        if self.growing {
            return Ok(self.meanings[point].clone());
        }
        let mut all = space.constant(true);
        for link in self.links(space, point, Place::Now, |p| Ok(p.clone()))? {
            all = all.and(&link)?;
        }
        Ok(all)
    }

    /// Abstracts the rules that need it.
    pub fn refresh(&mut self, concrete: &Concrete<'_>, budget: &Budget) -> Res<()> {
        for rule in concrete.system.rules.indices() {
            if self.rules[rule].is_none() {
                concrete.space.pause(budget)?;
                self.rules[rule] = Some(self.relation(concrete, rule)?);
                self.abstracted += 1;
            }
        }
        Ok(())
    }

    fn relation(&self, concrete: &Concrete<'_>, id: RuleId) -> Res<Bdd> {
        let Concrete { system, space, .. } = concrete;
        let rule = &system.rules[id];
        let action = &rule.action;
        let unit = system.points[rule.from].unit;
        let mut parts = vec![action.guard.clone(), self.meaning(space, rule.from)?];
        if rule.from == system.units[unit].entry {
            parts.push(concrete.begins(unit).clone());
        }
        match rule.kind {
            RuleKind::Step | RuleKind::Pop => {
                parts.extend(self.links(space, rule.to, Place::Next, |p| action.before(space, p))?);
            }
            RuleKind::Push { callee, .. } => {
                let entry = system.units[callee].entry;
                parts.extend(self.links(space, entry, Place::Third, |p| concrete.callee_before_push(id, p))?);
                parts.extend(self.links(space, rule.to, Place::Next, |p| concrete.pivot_before_push(id, p))?);
            }
            RuleKind::Eval { callee } => {
                let exit = system.units[callee].exit;
                parts.extend(self.links(space, exit, Place::Next, |p| concrete.exit_at_pivot(callee, p))?);
                parts.extend(self.links(space, rule.to, Place::Third, |p| action.before(space, p))?);
            }
        }
        without_concrete(space, parts)
    }

    /// The states of a point as its rules see them, in terms of concrete bits: how the activation began is no part of that.
    pub fn concretised(&self, concrete: &Concrete<'_>, point: PointId, states: &Bdd) -> Res<Bdd> {
        let Concrete { system, space, .. } = concrete;
        let unit = system.points[point].unit;
        let entry = system.units[unit].entry;
        let began = space.abstract_cube(Place::Entry, &self.bits[entry])?;
        let all = space.bdds.and_exists(states, &self.meanings[point], &began)?;
        Ok(if point == entry { all.and(concrete.begins(unit))? } else { all })
    }
}

/// The conjunction without concrete bits.
fn without_concrete(space: &Space, parts: Vec<Bdd>) -> Res<Bdd> {
    let mut gone: Vec<BddVar> = parts.iter().flat_map(|part| space.bdds.support(part)).collect();
    gone.retain(|var| !space.is_abstract(*var));
    gone.sort_unstable();
    gone.dedup();
    let mut all = space.constant(true);
    for (part, cube) in partition(space, parts, gone.into_iter())? {
        all = space.bdds.and_exists(&all, &part, &cube)?;
    }
    Ok(all)
}

/// The abstract system.
pub struct Abstract<'a> {
    concrete: &'a Concrete<'a>,
    abstraction: &'a Abstraction,
    cubes: RefCell<FxHashMap<(Place, PointId), Bdd>>,
    renamings: RefCell<FxHashMap<(Place, Place, PointId), Rc<Substitution>>>,
}

impl<'a> Abstract<'a> {
    pub fn new(concrete: &'a Concrete<'a>, abstraction: &'a Abstraction) -> Abstract<'a> {
        Abstract { concrete, abstraction, cubes: RefCell::default(), renamings: RefCell::default() }
    }

    fn cube(&self, place: Place, point: PointId) -> Res<Bdd> {
        if let Some(known) = self.cubes.borrow().get(&(place, point)) {
            return Ok(known.clone());
        }
        let cube = self.concrete.space.abstract_cube(place, &self.abstraction.bits[point])?;
        self.cubes.borrow_mut().insert((place, point), cube.clone());
        Ok(cube)
    }

    fn rename(&self, from: Place, to: Place, point: PointId, states: &Bdd) -> Res<Bdd> {
        let key = (from, to, point);
        let known = self.renamings.borrow().get(&key).cloned();
        let renaming = known.unwrap_or_else(|| {
            let bits = &self.abstraction.bits[point];
            let made = Rc::new(self.concrete.space.abstract_renaming(from, to, bits));
            self.renamings.borrow_mut().insert(key, Rc::clone(&made));
            made
        });
        Ok(renaming.apply(states)?)
    }

    /// The abstract values of now are those at the entry.
    fn begins(&self, entry: PointId, states: &Bdd) -> Res<Bdd> {
        let mut states = states.clone();
        let Concrete { system, space, .. } = self.concrete;
        if !system.units[system.points[entry].unit].tracked {
            return Ok(states);
        }
        for bit in self.abstraction.bits[entry].iter().rev() {
            let same =
                space.abstract_bit(Place::Entry, *bit)?.equiv(&space.abstract_bit(Place::Now, *bit)?)?;
            states = states.and(&same)?;
        }
        Ok(states)
    }

    /// In debug builds: none of the ways of a graph leads to the error any more. Before the last predicates came, no state was beyond `known`.
    pub fn excludes(&self, dag: &Dag, known: &IndexVec<PointId, Bdd>) -> Res<bool> {
        let mut found: IndexVec<DagId, Bdd> = dag.nodes.iter().map(|_| self.nothing()).collect();
        for node in &dag.order {
            let DagNode { point, role, top, ins, .. } = &dag.nodes[*node];
            let mut states = match (top, role) {
                (false, _) => self.nothing(),
                (true, Role::Absolute) => self.start()?,
                (true, Role::Relational) => self.begins(*point, &known[*point])?,
            };
            for edge in ins {
                let DagEdge { from, kind, .. } = dag.edges[*edge];
                let behind = match kind {
                    EdgeKind::Rule(rule) => self.step(rule, &found[from])?,
                    EdgeKind::Enter(callee) => self.enter(callee, dag.nodes[from].point, &found[from])?,
                    EdgeKind::Eval(rule, exit) => self.eval(rule, &found[from], &found[exit])?,
                };
                states = states.or(&behind)?;
            }
            found[*node] = states.and(&known[*point])?;
        }
        Ok(!dag.errors.iter().any(|error| found[*error].satisfiable()))
    }

    /// Entry and exit of the procedure that a pivot waits for.
    fn called(&self, pivot: PointId) -> Option<(PointId, PointId)> {
        let system = self.concrete.system;
        match system.points[pivot].kind {
            PointKind::Pivot { callee } => Some((system.units[callee].entry, system.units[callee].exit)),
            _ => None,
        }
    }

    /// States at an exit as a pivot sees them: the entry values are the callee's.
    fn at_pivot(&self, entry: PointId, exit: PointId, states: &Bdd) -> Res<Bdd> {
        let states = self.rename(Place::Now, Place::Next, exit, states)?;
        self.rename(Place::Entry, Place::Third, entry, &states)
    }

    fn relation(&self, rule: RuleId) -> Bdd {
        // All rules were abstracted before the search; without a relation a rule may do anything.
        self.abstraction.rules[rule].clone().unwrap_or_else(|| self.concrete.space.constant(true))
    }
}

impl Moves for Abstract<'_> {
    fn space(&self) -> &Space {
        self.concrete.space
    }

    fn nothing(&self) -> Bdd {
        self.concrete.space.constant(false)
    }

    fn start(&self) -> Res<Bdd> {
        let Concrete { system, space, .. } = self.concrete;
        let entry = system.units[system.main].entry;
        let parts = vec![self.concrete.starts.clone(), self.abstraction.meaning(space, entry)?];
        let states = without_concrete(space, parts)?;
        self.begins(entry, &states)
    }

    fn step(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        let Concrete { system, space, .. } = self.concrete;
        let (from, to) = (system.rules[rule].from, system.rules[rule].to);
        let behind = space.bdds.and_exists(states, &self.relation(rule), &self.cube(Place::Now, from)?)?;
        self.rename(Place::Next, Place::Now, to, &behind)
    }

    fn push(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        self.step(rule, states)
    }

    fn enter(&self, callee: UnitId, pivot: PointId, states: &Bdd) -> Res<Bdd> {
        let system = self.concrete.system;
        let entry = system.units[callee].entry;
        let caller = system.units[system.points[pivot].unit].entry;
        let bdds = &self.concrete.space.bdds;
        let states = bdds.exists(states, &self.cube(Place::Now, pivot)?)?;
        let states = bdds.exists(&states, &self.cube(Place::Entry, caller)?)?;
        self.begins(entry, &self.rename(Place::Third, Place::Now, entry, &states)?)
    }

    fn eval(&self, id: RuleId, pivot: &Bdd, exit: &Bdd) -> Res<Bdd> {
        let Concrete { system, space, .. } = self.concrete;
        let (from, to) = (system.rules[id].from, system.rules[id].to);
        let Some((entry, returned)) = self.called(from) else { return Ok(self.nothing()) };
        let exit = self.at_pivot(entry, returned, exit)?;
        let both = space.bdds.and_exists(pivot, &exit, &self.cube(Place::Third, entry)?)?;
        let gone = self.cube(Place::Now, from)?.and(&self.cube(Place::Next, returned)?)?;
        let behind = space.bdds.and_exists(&both, &self.relation(id), &gone)?;
        self.rename(Place::Third, Place::Now, to, &behind)
    }

    fn before(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        let Concrete { system, space, .. } = self.concrete;
        let to = system.rules[rule].to;
        let states = self.rename(Place::Now, Place::Next, to, states)?;
        let mut gone = self.cube(Place::Next, to)?;
        if let Some((entry, _)) = self.called(to) {
            gone = gone.and(&self.cube(Place::Third, entry)?)?;
        }
        Ok(space.bdds.and_exists(&states, &self.relation(rule), &gone)?)
    }

    fn before_enter(&self, callee: UnitId, states: &Bdd) -> Res<Bdd> {
        let entry = self.concrete.system.units[callee].entry;
        // The values of now are those at the entry.
        let states = self.concrete.space.bdds.exists(states, &self.cube(Place::Entry, entry)?)?;
        self.rename(Place::Now, Place::Third, entry, &states)
    }

    fn before_eval(&self, id: RuleId, pivot: &Bdd, exit: &Bdd, states: &Bdd) -> Res<(Bdd, Bdd)> {
        let Concrete { system, space, .. } = self.concrete;
        let (from, to) = (system.rules[id].from, system.rules[id].to);
        let Some((entry, returned)) = self.called(from) else { return Ok((self.nothing(), self.nothing())) };
        let states = self.rename(Place::Now, Place::Third, to, states)?;
        let leads = space.bdds.and_exists(&states, &self.relation(id), &self.cube(Place::Third, to)?)?;
        let both = space.bdds.and(pivot, &self.at_pivot(entry, returned, exit)?)?;
        let both = space.bdds.and(&both, &leads)?;
        let waits = space.bdds.exists(&both, &self.cube(Place::Next, returned)?)?;
        let caller = system.units[system.points[from].unit].entry;
        let exits = space.bdds.exists(&both, &self.cube(Place::Now, from)?)?;
        let exits = space.bdds.exists(&exits, &self.cube(Place::Entry, caller)?)?;
        let exits = self.rename(Place::Third, Place::Entry, entry, &exits)?;
        Ok((waits, self.rename(Place::Next, Place::Now, returned, &exits)?))
    }
}
