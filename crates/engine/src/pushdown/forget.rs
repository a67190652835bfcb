//! What a proof need not say.
//!
//! A search without abstraction knows all values of all variables that occur together. Most of that has nothing to do with the error: of quicksort (PDS, 6.5) all orders of an array are known,
//! while what matters is that it leaves one global alone. A certificate that says it all is large, and its check takes longer than the search.
//!
//! So the claims forget all variables. Where a rule then does not lead from claim to claim, which diagrams show, they keep those that its condition speaks of, or, if these are kept, those of
//! conditions on the way to it, always with the data that these are computed from; and so on, until what is left is a proof, or nothing is forgotten.

use super::Res;
use super::concrete::Concrete;
use super::numbers::Number;
use super::space::{BitId, Version};
use super::system::{PointId, PointKind, RuleId, RuleKind, UnitId};
use craig_base::Budget;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Function};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;

/// What holds at each point.
pub type Claims = IndexVec<PointId, Bdd>;

/// Attempts to find what is needed. Each costs as much as a step of the search through all points.
const ATTEMPTS: usize = 6;

/// Nodes of the functions that the kept variables become, at most: with products among them there is nothing to gain.
const MOST_NODES: usize = 20_000;

/// The claims without what the proof does not need; `None` if it needs all, as far as is known here.
pub fn variables(concrete: &Concrete<'_>, claims: &Claims, budget: &Budget) -> Res<Option<Claims>> {
    let mut kept = Kept { concrete, bits: FxHashSet::default(), nodes: 0 };
    for _ in 0..ATTEMPTS {
        let fewer = kept.forget(claims, budget)?;
        match gap(concrete, &fewer, budget)? {
            None => return Ok(Some(fewer)),
            Some(rule) if kept.conditions(rule)? => {}
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Bits that claims go on to speak of: globals and results, and of each procedure its locals.
struct Kept<'a> {
    concrete: &'a Concrete<'a>,
    bits: FxHashSet<(Option<UnitId>, BitId)>,
    /// Of the functions that kept bits become.
    nodes: usize,
}

impl Kept<'_> {
    /// Keeps what the condition of a rule speaks of, or the nearest ones on the way to it that speak of something new. Is there any with which a proof may be small?
    fn conditions(&mut self, rule: RuleId) -> Res<bool> {
        let system = self.concrete.system;
        let known = self.bits.len();
        let mut visited: FxHashSet<RuleId> = FxHashSet::default();
        let mut layer = vec![rule];
        while self.bits.len() == known && !layer.is_empty() {
            for rule in &layer {
                let from = system.rules[*rule].from;
                self.add(system.points[from].unit, &system.rules[*rule].action.guard);
            }
            let leads =
                |rule: &RuleId| layer.iter().any(|on| system.rules[*on].from == system.rules[*rule].to);
            let before: Vec<RuleId> = system.rules.indices().filter(leads).collect();
            layer = before.into_iter().filter(|rule| visited.insert(*rule)).collect();
        }
        self.close()?;
        Ok(self.bits.len() > known && self.nodes <= MOST_NODES)
    }

    /// Keeps what the kept bits are computed from.
    fn close(&mut self) -> Res<()> {
        let system = self.concrete.system;
        loop {
            let known = self.bits.len();
            for rule in &system.rules {
                let unit = system.points[rule.from].unit;
                for update in &rule.action.updates {
                    self.sources(unit, &update.bits, unit, &update.value)?;
                }
                if let RuleKind::Push { callee, args } = &rule.kind {
                    for update in args {
                        self.sources(*callee, &update.bits, unit, &update.value)?;
                    }
                }
            }
            if self.bits.len() == known || self.nodes > MOST_NODES {
                return Ok(());
            }
        }
    }

    fn key(&self, unit: UnitId, bit: BitId) -> (Option<UnitId>, BitId) {
        let own = self.concrete.system.units[unit].locals.contains(&bit);
        (own.then_some(unit), bit)
    }

    /// All that a function of values of now in a procedure depends on.
    fn add(&mut self, unit: UnitId, function: &Bdd) {
        let space = self.concrete.space;
        for (bit, version) in space.bdds.support(function).into_iter().filter_map(|var| space.find(var)) {
            if version == Version::Now {
                self.bits.insert(self.key(unit, bit));
            }
        }
    }

    /// If one of these bits of a procedure is kept, so are all, and what the value is made of that they get in another one.
    fn sources(&mut self, of: UnitId, bits: &[BitId], unit: UnitId, value: &Number) -> Res<()> {
        if bits.iter().any(|bit| self.bits.contains(&self.key(of, *bit))) {
            for bit in bits {
                self.bits.insert(self.key(of, *bit));
            }
            for function in value.bits(&self.concrete.space.circuits)? {
                self.nodes += function.node_count();
                self.add(unit, function);
            }
        }
        Ok(())
    }

    /// The claims without all others. That control never comes to some point may need them; there everything is claimed that leads on to claims.
    fn forget(&self, claims: &Claims, budget: &Budget) -> Res<Claims> {
        let Concrete { system, space, .. } = self.concrete;
        let mut fewer = Claims::new();
        for (point, claim) in claims.iter_enumerated() {
            space.pause(budget)?;
            fewer.push(space.bdds.exists(claim, &self.others(point, claim)?)?);
        }
        let mut unreached: Vec<PointId> =
            system.points.indices().filter(|point| !claims[*point].satisfiable()).collect();
        unreached.sort_by_key(|point| std::cmp::Reverse((system.points[*point].rank, *point)));
        for point in unreached {
            space.pause(budget)?;
            let rules = &system.points[point].rules;
            let mut claim =
                space.constant(!matches!(system.points[point].kind, PointKind::Exit | PointKind::Error));
            for rule in rules {
                let asked = asked(self.concrete, &fewer, *rule)?;
                claim = claim.and(&space.bdds.forall(&asked, &self.others(point, &asked)?)?)?;
            }
            fewer[point] = claim;
        }
        Ok(fewer)
    }

    /// The variables of a formula at a point that are not kept.
    fn others(&self, point: PointId, formula: &Bdd) -> Res<Bdd> {
        let (system, space) = (self.concrete.system, self.concrete.space);
        let is_other = |var: &BddVar| {
            let Some((bit, version)) = space.find(*var) else { return false };
            let unit = match (system.points[point].kind, version) {
                (PointKind::Pivot { callee }, Version::Inner) => callee,
                _ => system.points[point].unit,
            };
            !self.bits.contains(&self.key(unit, bit))
        };
        space.cube(space.bdds.support(formula).into_iter().filter(is_other))
    }
}

/// What has to hold before a rule, so that claims hold behind it.
fn asked(concrete: &Concrete<'_>, claims: &Claims, id: RuleId) -> Res<Bdd> {
    let system = concrete.system;
    let to = &claims[system.rules[id].to];
    match system.rules[id].kind {
        RuleKind::Step | RuleKind::Pop => concrete.before_step(id, to),
        RuleKind::Push { callee, .. } => {
            let begins = concrete.at_entry(callee, &claims[system.units[callee].entry])?;
            concrete.before_push(id, &to.and(&concrete.before_enter(callee, &begins)?)?)
        }
        RuleKind::Eval { callee } => {
            let returned = concrete.before_eval(id, to)?;
            concrete.weakest_pivot(id, &claims[system.units[callee].exit], &returned)
        }
    }
}

/// A rule that does not lead from claim to claim.
fn gap(concrete: &Concrete<'_>, claims: &Claims, budget: &Budget) -> Res<Option<RuleId>> {
    for (id, rule) in concrete.system.rules.iter_enumerated() {
        concrete.space.pause(budget)?;
        let claim = &claims[rule.from];
        if claim.satisfiable() && !concrete.space.bdds.implies(claim, &asked(concrete, claims, id)?)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
