//! Symbolic pushdown systems (PDS, chapter 2): control points, and rules whose relations are decision diagrams.
//!
//! A procedure has the control points of its program text, one where it has returned (`Exit`, the paper's epsilon), one for the error, and a
//! *pivot* for each of its calls: the point that waits for the callee (PDS, 5.1). Locations inside a statement, where a
//! temporary of the front end is still needed, are no control points: a rule goes over all edges of a statement at once.
//!
//! Rules are *functional*: a guard, and for each bit that changes a function of the bits before and of what the step leaves open. Weakest
//! preconditions are then substitutions, and images need the changed bits only. `x := any` is a function that is an open bit.
//!
//! | rule | the paper | goes |
//! |---|---|---|
//! | `Step` | normal | from point to point |
//! | `Push` | push | from the calling point to the pivot; it says with which values the callee begins |
//! | `Pop` | pop | from a point to the exit, with the result |
//! | `Eval` | eval | from the pivot, with an exit of the callee, to the point behind the call, where the result is stored |

use super::concrete::partition;
use super::numbers::Replacement;
use super::space::{BitId, RegId, Space, Version};
use super::storage::{Liveness, Relevance, Shapes, Storage};
use super::symbolic::{Course, Meaning, Step, Update};
use super::{Options, Res, Saving};
use craig_base::{Budget, Span};
use craig_cfa::graph::{call_graph, order};
use craig_cfa::{Call, EdgeId, Graph, LocId, Op, ProcId, Program, VarId, VarKind};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction, Substitution};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;

index_vec::define_index_type! { pub struct PointId = u32; }
index_vec::define_index_type! { pub struct RuleId = u32; }
index_vec::define_index_type! { pub struct UnitId = u32; }

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointKind {
    At(LocId),
    /// Behind a push, until the callee returns.
    Pivot {
        callee: UnitId,
    },
    Exit,
    Error,
}

#[derive(Debug)]
pub struct Point {
    pub unit: UnitId,
    pub kind: PointKind,
    pub span: Span,
    /// Rules that begin here.
    pub rules: Vec<RuleId>,
    /// Points are searched in this order: callees before callers, then as the text goes.
    pub rank: u32,
}

/// A procedure.
#[derive(Debug)]
pub struct Unit {
    pub proc: ProcId,
    pub entry: PointId,
    pub exit: PointId,
    pub error: PointId,
    pub params: Vec<BitId>,
    /// Parameters and all other locals.
    pub locals: Vec<BitId>,
    pub result: Vec<BitId>,
    /// Does it matter how it returns? Only then its states are related to its entry values.
    pub tracked: bool,
}

pub enum RuleKind {
    Step,
    Push {
        callee: UnitId,
        /// The values that parameters begin with.
        args: Vec<Update>,
    },
    Pop,
    Eval {
        callee: UnitId,
    },
}

pub struct Rule {
    pub from: PointId,
    pub to: PointId,
    pub kind: RuleKind,
    pub action: Action,
}

/// What a rule does with the values of its procedure.
pub struct Action {
    pub guard: Bdd,
    /// What changes. The functions of bits are made when they are needed.
    pub updates: Vec<Update>,
    /// The variables of what is left open, and the cube of them.
    pub open: Vec<BddVar>,
    pub open_cube: Bdd,
    pub steps: Vec<Step>,
    /// Puts the values after the rule in place of those now.
    before: Replacement,
    image: OnceCell<Image>,
}

/// What a relation makes of a set of states: its parts one by one, each with the cube of those variables that no later part mentions, then a renaming.
pub struct Image {
    parts: Vec<(Bdd, Bdd)>,
    rename: Substitution,
}

/// The functions of all bits that updates change.
pub fn functions(space: &Space, updates: &[Update]) -> Res<Vec<(BitId, Bdd)>> {
    let mut all = Vec::new();
    for Update { bits, value } in updates {
        let pairs = bits.iter().copied().zip(value.bits(&space.circuits)?.iter().cloned());
        all.extend(pairs.filter(|(bit, f)| space.bit(Version::Now, *bit) != f));
    }
    all.sort_by_key(|(bit, _)| *bit);
    Ok(all)
}

impl Action {
    pub fn new(space: &Space, course: Course<'_>) -> Res<Action> {
        Action::with(space, course, Vec::new())
    }

    /// With updates beyond those of the course.
    fn with(space: &Space, course: Course<'_>, more: Vec<Update>) -> Res<Action> {
        let mut updates = course.updates(space);
        updates.extend(more);
        let open_cube = space.cube(course.open.iter().copied())?;
        let now = |bit: &BitId| space.var(Version::Now, *bit);
        let parts = updates.iter().map(|u| (u.bits.iter().map(now).collect(), u.value.clone()));
        let before = Replacement::new(space, parts.collect());
        Ok(Action {
            guard: course.guard,
            updates,
            open: course.open,
            open_cube,
            steps: course.steps,
            before,
            image: OnceCell::new(),
        })
    }

    /// The states after the rule of states before it.
    pub fn image(&self, space: &Space, states: &Bdd) -> Res<Bdd> {
        if let Some(image) = self.image.get() {
            return image.apply(space, states);
        }
        let updates = functions(space, &self.updates)?;
        let image = Image::of_updates(space, &self.guard, &updates, &self.open)?;
        self.image.get_or_init(|| image).apply(space, states)
    }

    /// A formula about the state after the rule as one about the state before, and what is left open; without the guard.
    pub fn before(&self, space: &Space, formula: &Bdd) -> Res<Bdd> {
        self.before.apply(space, formula)
    }

    /// The weakest condition under which the rule leads to states of the formula only (PDS, 3.3.2).
    pub fn weakest(&self, space: &Space, formula: &Bdd) -> Res<Bdd> {
        Ok(space.bdds.forall_implies(&self.guard, &self.before(space, formula)?, &self.open_cube)?)
    }
}

impl Image {
    /// Relations over values now and next; of the bits in `next` these take the place of those of now.
    pub fn new(
        space: &Space,
        relations: Vec<Bdd>,
        gone: impl Iterator<Item = BddVar>,
        next: &[BitId],
    ) -> Res<Image> {
        let parts = partition(space, relations, gone)?;
        Ok(Image { parts, rename: space.renaming(Version::Next, Version::Now, next) })
    }

    fn of_updates(space: &Space, guard: &Bdd, updates: &[(BitId, Bdd)], open: &[BddVar]) -> Res<Image> {
        // A bit that becomes anything, and on which nothing else depends, only forgets its value.
        let mut uses: FxHashMap<BddVar, usize> = FxHashMap::default();
        for function in updates.iter().map(|(_, f)| f).chain([guard]) {
            for var in space.bdds.support(function) {
                *uses.entry(var).or_default() += 1;
            }
        }
        let forgets = |f: &Bdd| {
            open.iter().any(|var| uses.get(var) == Some(&1) && space.bdds.var(*var).is_ok_and(|v| v == *f))
        };
        let mut relations = vec![guard.clone()];
        let mut renamed = Vec::new();
        for (bit, function) in updates {
            if !forgets(function) {
                relations.push(space.bit(Version::Next, *bit).equiv(function)?);
                renamed.push(*bit);
            }
        }
        let gone = updates.iter().map(|(bit, _)| space.var(Version::Now, *bit)).chain(open.iter().copied());
        Image::new(space, relations, gone, &renamed)
    }

    pub fn apply(&self, space: &Space, states: &Bdd) -> Res<Bdd> {
        let mut states = states.clone();
        for (part, cube) in &self.parts {
            states = space.bdds.and_exists(&states, part, cube)?;
        }
        Ok(self.rename.apply(&states)?)
    }
}

pub struct System<'a> {
    pub program: &'a Program,
    pub storage: Rc<Storage>,
    pub points: IndexVec<PointId, Point>,
    pub rules: IndexVec<RuleId, Rule>,
    pub units: IndexVec<UnitId, Unit>,
    /// The procedure where runs begin.
    pub main: UnitId,
    pub globals: Vec<BitId>,
    /// Some integer is narrower than the program says.
    pub narrowed: bool,
}

impl<'a> System<'a> {
    pub fn new(
        program: &'a Program,
        options: &Options,
        bdds: Bdds,
        budget: &Budget,
    ) -> Res<(System<'a>, Space)> {
        let shapes = Shapes { program, int_bits: options.int_bits };
        let graph = program.graph();
        let calls = call_graph(program);
        let procs: Vec<ProcId> = calls.bottom_up.iter().copied().filter(|p| calls.reachable[*p]).collect();
        let relevance =
            if options.has(Saving::Slicing) { Relevance::new(program) } else { Relevance::all(program) };
        let relevance = Rc::new(relevance);
        let order = order(program, &graph);
        let liveness = Liveness::new(program, &graph);
        // Between two operations of one statement.
        let is_inside = |loc: LocId| {
            let ([before], [after]) = (&graph.pred[loc][..], &graph.succ[loc][..]) else { return false };
            let (before, after) = (&program.edges[*before], &program.edges[*after]);
            let calls = |op: &Op| matches!(op, Op::Call(_) | Op::Return(_));
            before.span == after.span && !calls(&before.op) && !calls(&after.op)
        };
        let is_between = |loc: LocId| {
            let proc = &program.procs[program.locs[loc].proc];
            let always = loc == proc.entry || loc == proc.exit || order.loop_head[loc];
            always || program.locs[loc].label.is_some() || liveness.temps[loc].is_empty() && !is_inside(loc)
        };
        let halfway = halfway(program, &graph, &is_between);
        let is_control = |loc: LocId| is_between(loc) || halfway.contains(&loc);
        // Temporaries that are needed at a control point or behind a call have registers.
        let mut kept: FxHashSet<VarId> = FxHashSet::default();
        for (loc, temps) in liveness.temps.iter_enumerated() {
            if is_control(loc) {
                kept.extend(temps);
            }
        }
        for edge in &program.edges {
            if let Op::Call(call) = &edge.op {
                let result = call.ret.and_then(|p| program.exprs.root_var(p));
                kept.extend(liveness.temps[edge.to].iter().filter(|var| Some(**var) != result));
            }
        }
        let used = program.vars.iter_enumerated().filter(|(_, var)| var.kind != VarKind::Temp);
        kept.extend(used.map(|(id, _)| id));
        kept.retain(|var| relevance.vars.contains(var));
        let storage = Rc::new(Storage::new(&shapes, &kept, &procs)?);
        let space = Space::new(bdds, &storage.widths, &storage.first, options)?;
        let narrowed = shapes.narrow_something();
        let globals = storage.globals.iter().flat_map(|reg| space.reg(*reg).to_vec()).collect();
        let mut system = System {
            program,
            storage,
            points: IndexVec::new(),
            rules: IndexVec::new(),
            units: IndexVec::new(),
            main: UnitId::from_raw(0),
            globals,
            narrowed,
        };
        let mut builder = Builder { shapes, relevance, graph: &graph, points: FxHashMap::default(), space };
        let mut rank = 0;
        let mut rpo: FxHashMap<ProcId, Vec<LocId>> = FxHashMap::default();
        for loc in order.rpo.iter().filter(|loc| **loc != program.error) {
            rpo.entry(program.locs[*loc].proc).or_default().push(*loc);
        }
        let mut of: FxHashMap<ProcId, UnitId> = FxHashMap::default();
        for proc in &procs {
            let unit = system.units.next_idx();
            of.insert(*proc, unit);
            let declared = &program.procs[*proc];
            let point = |kind: PointKind, span: Span, rank: u32, points: &mut IndexVec<PointId, Point>| {
                points.push(Point { unit, kind, span, rules: Vec::new(), rank })
            };
            for loc in rpo.get(proc).into_iter().flatten() {
                rank += 2;
                if is_control(*loc) && *loc != declared.exit {
                    let id = point(PointKind::At(*loc), program.locs[*loc].span, rank, &mut system.points);
                    builder.points.insert(*loc, id);
                }
            }
            rank += 2;
            let exit = point(PointKind::Exit, program.locs[declared.exit].span, rank, &mut system.points);
            let error = point(PointKind::Error, declared.span, rank, &mut system.points);
            let bits = |vars: &[VarId]| {
                let mut bits = Vec::new();
                for var in vars {
                    if let Some(regs) = &system.storage.regs[*var] {
                        let leaves = shapes.leaves(program.vars[*var].ty, program.vars[*var].span)?;
                        for (reg, leaf) in regs.iter().zip(leaves) {
                            bits.extend(&builder.space.reg(*reg)[..leaf.width]);
                        }
                    }
                }
                Res::Ok(bits)
            };
            let leaves = shapes.leaves(declared.ret, declared.span)?;
            // What nobody uses is no part of the state where it has returned.
            let leaves = if builder.relevance.results[*proc] { &leaves[..] } else { &[] };
            let result = system.storage.result.iter().zip(leaves);
            let result: Vec<BitId> =
                result.flat_map(|(reg, leaf)| builder.space.reg(*reg)[..leaf.width].to_vec()).collect();
            let Some(entry) = builder.points.get(&declared.entry).copied() else {
                return Err(super::unsupported(
                    "a procedure without code in a pushdown system",
                    declared.span,
                ));
            };
            let (params, locals) = (bits(&declared.params)?, bits(&declared.locals)?);
            system.units.push(Unit {
                proc: *proc,
                entry,
                exit,
                error,
                params,
                locals,
                result,
                tracked: false,
            });
        }
        system.main = of[&program.entry];
        for proc in &procs {
            for loc in rpo.get(proc).into_iter().flatten() {
                builder.space.pause(budget)?;
                if let Some(from) = builder.points.get(loc).copied() {
                    builder.leave(&mut system, &of, from, *loc)?;
                }
            }
        }
        system.find_tracked();
        Ok((system, builder.space))
    }

    /// A procedure is tracked if the error may be reached behind one of its calls, or one that is tracked may return behind it.
    fn find_tracked(&mut self) {
        loop {
            let mut leads: IndexVec<PointId, bool> =
                self.points.iter().map(|point| point.kind == PointKind::Error).collect();
            for unit in self.units.iter().filter(|unit| unit.tracked) {
                leads[unit.exit] = true;
            }
            loop {
                let mut changed = false;
                for rule in &self.rules {
                    let enters = match rule.kind {
                        RuleKind::Push { callee, .. } => leads[self.units[callee].entry],
                        _ => false,
                    };
                    if (leads[rule.to] || enters) && !std::mem::replace(&mut leads[rule.from], true) {
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            let mut changed = false;
            for rule in &self.rules {
                if let RuleKind::Eval { callee } = rule.kind
                    && leads[rule.to]
                {
                    changed |= !std::mem::replace(&mut self.units[callee].tracked, true);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Where runs begin.
    pub fn start(&self) -> PointId {
        self.units[self.main].entry
    }

    /// Bits that have a value at a point, and so may occur in its predicates: globals (not at a pivot) and what the procedure has there.
    pub fn state(&self, point: PointId) -> Vec<BitId> {
        let point = &self.points[point];
        let unit = &self.units[point.unit];
        let mut bits = Vec::new();
        if !matches!(point.kind, PointKind::Pivot { .. }) {
            bits.extend(&self.globals);
        }
        match point.kind {
            PointKind::Exit => bits.extend(&unit.result),
            _ => bits.extend(&unit.locals),
        }
        bits
    }

    /// Bits with which an activation of a procedure begins: globals and parameters.
    pub fn inputs(&self, unit: UnitId) -> Vec<BitId> {
        let mut bits = self.globals.clone();
        bits.extend(&self.units[unit].params);
        bits
    }

    /// Bits that a procedure leaves behind when it returns: globals and its result.
    pub fn outputs(&self, unit: UnitId) -> Vec<BitId> {
        let mut bits = self.globals.clone();
        bits.extend(&self.units[unit].result);
        bits
    }

    /// A name for people.
    pub fn name(&self, point: PointId) -> String {
        let at = &self.points[point];
        let proc = &self.program.procs[self.units[at.unit].proc].name;
        let line = self.program.source.line(at.span);
        match at.kind {
            PointKind::At(loc) => match &self.program.locs[loc].label {
                Some(label) => format!("{proc}:{label}"),
                None => format!("{proc}:{line}"),
            },
            PointKind::Pivot { callee } => {
                format!("{proc}:{line} waits for {}", self.program.procs[self.units[callee].proc].name)
            }
            PointKind::Exit => format!("{proc} returned"),
            PointKind::Error => format!("{proc} error"),
        }
    }

    fn add_rule(&mut self, rule: Rule) {
        let from = rule.from;
        let id = self.rules.push(rule);
        self.points[from].rules.push(id);
    }
}

/// Locations behind a call in the middle of a statement that goes on to another call, or to a return: a rule is one of these at most, so that the
/// statement is cut there.
fn halfway(program: &Program, graph: &Graph, is_between: &dyn Fn(LocId) -> bool) -> FxHashSet<LocId> {
    let goes_on = |loc: LocId| {
        let mut seen = FxHashSet::default();
        let mut open = vec![loc];
        while let Some(loc) = open.pop() {
            // Rules end there anyway.
            if is_between(loc) {
                continue;
            }
            for id in &graph.succ[loc] {
                let edge = &program.edges[*id];
                if matches!(edge.op, Op::Call(_) | Op::Return(_)) {
                    return true;
                }
                if seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        false
    };
    let calls = program.edges.iter().filter(|edge| matches!(edge.op, Op::Call(_)));
    calls.map(|edge| edge.to).filter(|loc| goes_on(*loc)).collect()
}

struct Builder<'p, 'g> {
    shapes: Shapes<'p>,
    relevance: Rc<Relevance>,
    graph: &'g Graph,
    points: FxHashMap<LocId, PointId>,
    space: Space,
}

impl<'p> Builder<'p, '_> {
    /// The rules of all ways from a control point to the next.
    fn leave(
        &mut self,
        system: &mut System<'p>,
        units: &FxHashMap<ProcId, UnitId>,
        from: PointId,
        loc: LocId,
    ) -> Res<()> {
        let (storage, relevance) = (Rc::clone(&system.storage), Rc::clone(&self.relevance));
        let meaning = Meaning { shapes: self.shapes, storage: &storage, relevance: &relevance };
        let course = Course::new(meaning, &self.space);
        self.ways(system, units, from, loc, course)
    }

    fn ways(
        &mut self,
        system: &mut System<'p>,
        units: &FxHashMap<ProcId, UnitId>,
        from: PointId,
        loc: LocId,
        course: Course<'_>,
    ) -> Res<()> {
        let program = system.program;
        let waits = matches!(system.points[from].kind, PointKind::Pivot { .. });
        for id in self.graph.succ[loc].clone() {
            let mut course = course.clone();
            let edge = &program.edges[id];
            match &edge.op {
                Op::Call(call) => {
                    assert!(!waits, "statements are cut behind calls");
                    self.call(system, units, from, id, call, course)?;
                }
                Op::Return(value) => {
                    let unit = &system.units[system.points[from].unit];
                    let (to, result) = (unit.exit, unit.result.clone());
                    let mut updates = Vec::new();
                    if let Some(e) = value
                        && course.result_matters(unit.proc)
                    {
                        let mut rest = &result[..];
                        for value in course.leaves(&self.space, *e)? {
                            let (bits, others) = rest.split_at(value.width().min(rest.len()));
                            updates.push(Update { bits: bits.to_vec(), value });
                            rest = others;
                        }
                    }
                    course.steps.push(Step { edge: id, open: Vec::new() });
                    let action = Action::with(&self.space, course, updates)?;
                    let kind = RuleKind::Pop;
                    assert!(!waits, "statements are cut behind calls");
                    system.add_rule(Rule { from, to, kind, action });
                }
                _ => {
                    if !course.over(&mut self.space, id)? {
                        continue;
                    }
                    let to = if edge.to == program.error {
                        Some(system.units[system.points[from].unit].error)
                    } else {
                        self.points.get(&edge.to).copied()
                    };
                    match to {
                        Some(to) => {
                            let kind = match system.points[from].kind {
                                PointKind::Pivot { callee } => RuleKind::Eval { callee },
                                _ => RuleKind::Step,
                            };
                            let action = Action::new(&self.space, course)?;
                            system.add_rule(Rule { from, to, kind, action });
                        }
                        None => self.ways(system, units, from, edge.to, course)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        system: &mut System<'p>,
        units: &FxHashMap<ProcId, UnitId>,
        from: PointId,
        id: EdgeId,
        call: &Call,
        mut course: Course<'_>,
    ) -> Res<()> {
        let program = system.program;
        let edge = &program.edges[id];
        let callee = units[&call.proc];
        let declared = &program.procs[call.proc];
        let mut args = Vec::new();
        for (param, arg) in declared.params.iter().zip(&call.args) {
            if let Some(regs) = course.regs(*param) {
                let regs: Vec<RegId> = regs.to_vec();
                for (reg, value) in regs.iter().zip(course.leaves(&self.space, *arg)?) {
                    let bits = self.space.reg(*reg).iter().copied().take(value.width()).collect();
                    args.push(Update { bits, value });
                }
            }
        }
        course.steps.push(Step { edge: id, open: Vec::new() });
        let unit = system.points[from].unit;
        let rank = system.points[from].rank + 1;
        let kind = PointKind::Pivot { callee };
        let pivot = system.points.push(Point { unit, kind, span: edge.span, rules: Vec::new(), rank });
        let mut behind = course.behind_call(&self.space);
        let action = Action::new(&self.space, course)?;
        system.add_rule(Rule { from, to: pivot, kind: RuleKind::Push { callee, args }, action });
        if let Some(place) = call.ret {
            behind.take_result(&mut self.space, place)?;
        }
        match self.points.get(&edge.to).copied() {
            Some(to) => {
                let action = Action::new(&self.space, behind)?;
                system.add_rule(Rule { from: pivot, to, kind: RuleKind::Eval { callee }, action });
                Ok(())
            }
            None => self.ways(system, units, pivot, edge.to, behind),
        }
    }
}
