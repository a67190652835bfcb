//! What rules do to sets of concrete states, forwards and backwards.
//!
//! Formulas at a point are over the values of now and, where an activation is looked at by itself, over those at its entry. At a pivot
//! they are over the caller's locals (now), the values with which the callee began (inner) and the caller's entry values. At an exit they are
//! over globals and the result (now) and the entry values. The rules are those of PDS, 5.2, with the readings of the figures that are lost there
//! (docs/papers.md):
//!
//! - push: `I_< = exists G_m, L_m (I_m and Push)`, `J_m = forall G_<, P_<, L (Push implies J_<)`;
//! - the callee by itself begins with `G = G_<, P = P_<`; entered for good it begins with `exists L. I_<`;
//! - eval: `I_m+1 = exists G_<, P_< (I_< and I_>)`, `J_< = forall G_> (I_> implies J_m+1)`, `J_> = forall L (J_< implies J_m+1)`.

use super::Res;
use super::numbers::{Number, Replacement};
use super::saturation::Moves;
use super::space::{BitId, Space, Version};
use super::symbolic::Update;
use super::system::{Image, PointId, Rule, RuleId, RuleKind, System, UnitId, functions};
use craig_cfa::Lang;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Substitution};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// The rules of a system on sets of states.
pub struct Concrete<'a> {
    pub system: &'a System<'a>,
    pub space: &'a Space,
    units: IndexVec<UnitId, Around>,
    pushes: IndexVec<RuleId, Option<Push>>,
    global_cube: Bdd,
    entry_cube: Bdd,
    result_cube: Bdd,
    globals_to_inner: Substitution,
    /// With what runs begin: in C with globals that are zero, elsewhere with anything.
    pub starts: Bdd,
}

/// What is needed to go into a procedure and back.
struct Around {
    inner_to_now: Substitution,
    now_to_inner: Substitution,
    inner_to_entry: Substitution,
    entry_to_inner: Substitution,
    entry_to_now: Substitution,
    inner_cube: Bdd,
    locals_cube: Bdd,
    /// Locals that are no parameters.
    own_cube: Bdd,
    /// The values of now are those at the entry, if these are of interest.
    begins: Bdd,
}

/// A push in both directions.
struct Push {
    /// With what the callee begins, globals included.
    inner: Vec<Update>,
    /// What becomes of the caller's locals.
    locals: Vec<Update>,
    image: OnceCell<Image>,
    before: Replacement,
}

impl<'a> Concrete<'a> {
    pub fn new(system: &'a System<'a>, space: &'a Space) -> Res<Concrete<'a>> {
        let mut units = IndexVec::new();
        for id in system.units.indices() {
            let unit = &system.units[id];
            let inputs = system.inputs(id);
            let own: Vec<BitId> = unit.locals.iter().copied().filter(|b| !unit.params.contains(b)).collect();
            units.push(Around {
                inner_to_now: space.renaming(Version::Inner, Version::Now, &inputs),
                now_to_inner: space.renaming(Version::Now, Version::Inner, &inputs),
                inner_to_entry: space.renaming(Version::Inner, Version::Entry, &inputs),
                entry_to_inner: space.renaming(Version::Entry, Version::Inner, &inputs),
                entry_to_now: space.renaming(Version::Entry, Version::Now, &inputs),
                inner_cube: space.cube_of(Version::Inner, &inputs)?,
                locals_cube: space.cube_of(Version::Now, &unit.locals)?,
                own_cube: space.cube_of(Version::Now, &own)?,
                begins: match unit.tracked {
                    true => space.equal(Version::Entry, Version::Now, &inputs)?,
                    false => space.constant(true),
                },
            });
        }
        let pushes = system.rules.indices().map(|rule| Push::new(system, space, rule));
        let mut entries = system.globals.clone();
        entries.extend(system.units.iter().flat_map(|unit| &unit.params));
        let results: Vec<BitId> = system.units.iter().flat_map(|unit| unit.result.iter().copied()).collect();
        let mut starts = space.constant(true);
        for bit in system.globals.iter().filter(|_| system.program.lang == Lang::C) {
            starts = starts.and(&space.bit(Version::Now, *bit).not()?)?;
        }
        Ok(Concrete {
            system,
            space,
            starts,
            pushes: pushes.collect(),
            units,
            global_cube: space.cube_of(Version::Now, &system.globals)?,
            entry_cube: space.cube_of(Version::Entry, &entries)?,
            result_cube: space.cube_of(Version::Now, &results)?,
            globals_to_inner: space.renaming(Version::Now, Version::Inner, &system.globals),
        })
    }

    fn callee(&self, rule: RuleId) -> UnitId {
        match self.system.rules[rule].kind {
            RuleKind::Push { callee, .. } | RuleKind::Eval { callee } => callee,
            _ => self.system.main,
        }
    }

    /// The values of now are those at the entry of the procedure.
    pub fn begins(&self, unit: UnitId) -> &Bdd {
        &self.units[unit].begins
    }

    /// A formula at the entry of a procedure with its entry values put in terms of those of now.
    pub fn at_entry(&self, unit: UnitId, formula: &Bdd) -> Res<Bdd> {
        Ok(self.units[unit].entry_to_now.apply(formula)?)
    }

    /// The strongest formula behind a normal rule or a return.
    pub fn step(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        let behind = self.system.rules[rule].action.image(self.space, states)?;
        match self.system.rules[rule].kind {
            // Nobody sees the locals any more.
            RuleKind::Pop => {
                let unit = self.system.points[self.system.rules[rule].from].unit;
                Ok(self.space.bdds.exists(&behind, &self.units[unit].locals_cube)?)
            }
            _ => Ok(behind),
        }
    }

    /// The strongest formula at the pivot.
    pub fn push(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        match &self.pushes[rule] {
            Some(push) => push.image(self.system, self.space, rule, states),
            None => Ok(states.clone()),
        }
    }

    /// The weakest formula before a push.
    pub fn before_push(&self, rule: RuleId, formula: &Bdd) -> Res<Bdd> {
        let action = &self.system.rules[rule].action;
        let formula = self.pivot_before_push(rule, formula)?;
        Ok(self.space.bdds.forall_implies(&action.guard, &formula, &action.open_cube)?)
    }

    /// A formula at a pivot in terms of the values before the push, and what it leaves open; without the guard.
    pub fn pivot_before_push(&self, rule: RuleId, formula: &Bdd) -> Res<Bdd> {
        match &self.pushes[rule] {
            Some(push) => push.before.apply(self.space, formula),
            None => Ok(formula.clone()),
        }
    }

    /// A formula at the entry of the callee, about its inputs only, in terms of the values before the push.
    pub fn callee_before_push(&self, rule: RuleId, formula: &Bdd) -> Res<Bdd> {
        let inner = self.units[self.callee(rule)].now_to_inner.apply(formula)?;
        self.pivot_before_push(rule, &inner)
    }

    /// The strongest formula at the entry of a callee that is entered for good: what the caller was is forgotten.
    pub fn enter(&self, callee: UnitId, pivot: PointId, states: &Bdd) -> Res<Bdd> {
        let caller = self.system.points[pivot].unit;
        let states = self.space.bdds.exists(states, &self.units[caller].locals_cube)?;
        let states = self.space.bdds.exists(&states, &self.entry_cube)?;
        Ok(self.units[callee].inner_to_now.apply(&states)?)
    }

    /// The formula at the pivot that one at the entry of the callee asks for.
    pub fn before_enter(&self, callee: UnitId, formula: &Bdd) -> Res<Bdd> {
        let around = &self.units[callee];
        // Whatever its own locals are.
        Ok(around.now_to_inner.apply(&self.space.bdds.forall(formula, &around.own_cube)?)?)
    }

    /// The weakest formula about the inputs at the entry.
    pub fn inputs_only(&self, callee: UnitId, formula: &Bdd) -> Res<Bdd> {
        Ok(self.space.bdds.forall(formula, &self.units[callee].own_cube)?)
    }

    /// The strongest formula where a call has returned, before its result is stored.
    pub fn returned(&self, callee: UnitId, pivot: &Bdd, exit: &Bdd) -> Res<Bdd> {
        let around = &self.units[callee];
        let exit = around.entry_to_inner.apply(exit)?;
        Ok(self.space.bdds.and_exists(pivot, &exit, &around.inner_cube)?)
    }

    /// The strongest formula behind a call.
    pub fn eval(&self, rule: RuleId, pivot: &Bdd, exit: &Bdd) -> Res<Bdd> {
        let returned = self.returned(self.callee(rule), pivot, exit)?;
        let behind = self.system.rules[rule].action.image(self.space, &returned)?;
        Ok(self.space.bdds.exists(&behind, &self.result_cube)?)
    }

    /// The strongest formula behind a call of a procedure that may do anything.
    pub fn eval_anything(&self, rule: RuleId, pivot: &Bdd) -> Res<Bdd> {
        let returned = self.space.bdds.exists(pivot, &self.units[self.callee(rule)].inner_cube)?;
        let behind = self.system.rules[rule].action.image(self.space, &returned)?;
        Ok(self.space.bdds.exists(&behind, &self.result_cube)?)
    }

    /// The weakest formula where a call has returned, before its result is stored.
    pub fn before_eval(&self, rule: RuleId, formula: &Bdd) -> Res<Bdd> {
        self.system.rules[rule].action.weakest(self.space, formula)
    }

    /// The weakest formula at the pivot: whatever exit the callee takes of those, the formula holds when it has returned.
    pub fn weakest_pivot(&self, rule: RuleId, exit: &Bdd, returned: &Bdd) -> Res<Bdd> {
        let exit = self.units[self.callee(rule)].entry_to_inner.apply(exit)?;
        let cube = self.global_cube.and(&self.result_cube)?;
        Ok(self.space.bdds.forall_implies(&exit, returned, &cube)?)
    }

    /// The weakest formula at the exit of the callee: from wherever it was called of those, the formula holds when it has returned.
    pub fn weakest_exit(&self, rule: RuleId, pivot: &Bdd, returned: &Bdd) -> Res<Bdd> {
        let caller = self.system.points[self.system.rules[rule].from].unit;
        let cube = self.units[caller].locals_cube.and(&self.entry_cube)?;
        let formula = self.space.bdds.forall_implies(pivot, returned, &cube)?;
        Ok(self.units[self.callee(rule)].inner_to_entry.apply(&formula)?)
    }

    /// The weakest formula before a normal rule or a return.
    pub fn before_step(&self, rule: RuleId, formula: &Bdd) -> Res<Bdd> {
        self.system.rules[rule].action.weakest(self.space, formula)
    }

    /// The states, with what it leaves open, from which a rule leads to one of these: a normal one, a push (to the pivot), a return, or, where a call has
    /// returned, the storing of its result.
    pub fn leading(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        Ok(self.system.rules[rule].action.guard.and(&self.in_terms_before(rule, states)?)?)
    }

    /// The states from which a rule may lead to one of these.
    pub fn may_lead(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        let Rule { kind, action, .. } = &self.system.rules[rule];
        let behind = self.in_terms_before(rule, states)?;
        let before = self.space.bdds.and_exists(&action.guard, &behind, &action.open_cube)?;
        match kind {
            // A result that nobody gave a value has any.
            RuleKind::Pop => Ok(self.space.bdds.exists(&before, &self.result_cube)?),
            _ => Ok(before),
        }
    }

    fn in_terms_before(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        match self.system.rules[rule].kind {
            RuleKind::Push { .. } => self.pivot_before_push(rule, states),
            _ => self.system.rules[rule].action.before(self.space, states),
        }
    }

    /// The inputs with which a procedure may begin in one of these states.
    pub fn may_begin(&self, callee: UnitId, states: &Bdd) -> Res<Bdd> {
        Ok(self.space.bdds.exists(states, &self.units[callee].own_cube)?)
    }

    /// The states at a pivot from which the callee may begin in one of these.
    pub fn may_enter(&self, callee: UnitId, states: &Bdd) -> Res<Bdd> {
        Ok(self.units[callee].now_to_inner.apply(&self.may_begin(callee, states)?)?)
    }

    /// What the formula where a call has returned says of the values before the callee began, if that changed nothing (PDS, 6.4).
    pub fn as_if_skipped(&self, returned: &Bdd) -> Res<Bdd> {
        Ok(self.globals_to_inner.apply(returned)?)
    }

    pub fn speaks_of_result(&self, returned: &Bdd) -> Res<bool> {
        Ok(self.space.bdds.exists(returned, &self.result_cube)? != *returned)
    }

    /// An exit formula in terms of the callee's inputs as the caller sees them.
    pub fn exit_at_pivot(&self, callee: UnitId, exit: &Bdd) -> Res<Bdd> {
        Ok(self.units[callee].entry_to_inner.apply(exit)?)
    }
}

impl Push {
    fn new(system: &System<'_>, space: &Space, rule: RuleId) -> Option<Push> {
        let RuleKind::Push { args, .. } = &system.rules[rule].kind else { return None };
        let updates = &system.rules[rule].action.updates;
        let is_global = |update: &Update| update.bits.iter().any(|bit| system.globals.contains(bit));
        let globals: Vec<Update> = updates.iter().filter(|update| is_global(update)).cloned().collect();
        let locals: Vec<Update> = updates.iter().filter(|update| !is_global(update)).cloned().collect();
        let changed: FxHashSet<BitId> =
            globals.iter().flat_map(|update| update.bits.iter().copied()).collect();
        let mut inner = args.clone();
        inner.extend(globals);
        for bit in system.globals.iter().filter(|bit| !changed.contains(*bit)) {
            let value = Number::from(vec![space.bit(Version::Now, *bit).clone()]);
            inner.push(Update { bits: vec![*bit], value });
        }
        let part = |version: Version, update: &Update| {
            (update.bits.iter().map(|bit| space.var(version, *bit)).collect(), update.value.clone())
        };
        let mut parts: Vec<(Vec<BddVar>, Number)> =
            inner.iter().map(|update| part(Version::Inner, update)).collect();
        parts.extend(locals.iter().map(|update| part(Version::Now, update)));
        let before = Replacement::new(space, parts);
        Some(Push { inner, locals, before, image: OnceCell::new() })
    }

    /// The states at the pivot of states before the push.
    fn image(&self, system: &System<'_>, space: &Space, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        if let Some(image) = self.image.get() {
            return image.apply(space, states);
        }
        let action = &system.rules[rule].action;
        let mut relations = vec![action.guard.clone()];
        for Update { bits, value } in &self.inner {
            for (bit, function) in bits.iter().zip(value.bits(&space.circuits)?) {
                relations.push(space.bit(Version::Inner, *bit).equiv(function)?);
            }
        }
        let mut changed = Vec::new();
        for (bit, function) in functions(space, &self.locals)? {
            relations.push(space.bit(Version::Next, bit).equiv(&function)?);
            changed.push(bit);
        }
        let gone = system.globals.iter().chain(&changed).map(|bit| space.var(Version::Now, *bit));
        let gone = gone.chain(action.open.iter().copied());
        let image = Image::new(space, relations, gone, &changed)?;
        self.image.get_or_init(|| image).apply(space, states)
    }
}

/// Parts of a relation, each with the cube of those variables that go with it because no later part mentions them.
pub fn partition(
    space: &Space,
    relations: Vec<Bdd>,
    gone: impl Iterator<Item = BddVar>,
) -> Res<Vec<(Bdd, Bdd)>> {
    let mut last = rustc_hash::FxHashMap::default();
    for (i, relation) in relations.iter().enumerate() {
        last.extend(space.bdds.support(relation).into_iter().map(|var| (var, i)));
    }
    let mut cubes: Vec<Vec<BddVar>> = vec![Vec::new(); relations.len()];
    for var in gone {
        cubes[last.get(&var).copied().unwrap_or(0)].push(var);
    }
    relations.into_iter().zip(cubes).map(|(part, cube)| Ok((part, space.cube(cube)?))).collect()
}

/// The system itself, without abstraction.
impl Moves for Concrete<'_> {
    fn space(&self) -> &Space {
        self.space
    }

    fn nothing(&self) -> Bdd {
        self.space.constant(false)
    }

    fn start(&self) -> Res<Bdd> {
        Ok(self.units[self.system.main].begins.and(&self.starts)?)
    }

    fn step(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        Concrete::step(self, rule, states)
    }

    fn push(&self, rule: RuleId, states: &Bdd) -> Res<Bdd> {
        Concrete::push(self, rule, states)
    }

    fn enter(&self, callee: UnitId, pivot: PointId, states: &Bdd) -> Res<Bdd> {
        Ok(Concrete::enter(self, callee, pivot, states)?.and(&self.units[callee].begins)?)
    }

    fn eval(&self, rule: RuleId, pivot: &Bdd, exit: &Bdd) -> Res<Bdd> {
        Concrete::eval(self, rule, pivot, exit)
    }

    // What leads where is found again by the walk down from the top, which needs the weakest formulas anyway.

    fn before(&self, _: RuleId, _: &Bdd) -> Res<Bdd> {
        Ok(self.space.constant(true))
    }

    fn before_enter(&self, _: UnitId, _: &Bdd) -> Res<Bdd> {
        Ok(self.space.constant(true))
    }

    fn before_eval(&self, _: RuleId, pivot: &Bdd, exit: &Bdd, _: &Bdd) -> Res<(Bdd, Bdd)> {
        Ok((pivot.clone(), exit.clone()))
    }
}
