//! A small solver for clauses that keeps its proof.
//!
//! Conflict-driven clause learning in its plain form: two watched literals, activities, saved phases, restarts, learning to the first unique
//! implication point. Nothing is deleted, simplified or minimised: a refutation is a list of resolution steps over the clauses that were given,
//! and the questions here are small (some thousand clauses, a few hundred conflicts), so that what makes solvers fast on large ones would cost more
//! than it brings. Clauses may be added between two searches; the answers build on each other.
//!
//! Invariants: the first two literals of a clause are watched; the reason of a literal has it in front; at level 0 every reason is a unit clause
//! (derived if need be), so that chains of steps stay short.

use crate::interpolate::simplex::Effort;

/// A literal: a variable with a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub fn new(variable: usize, positive: bool) -> Lit {
        Lit(variable as u32 * 2 + u32::from(!positive))
    }

    pub fn variable(self) -> usize {
        (self.0 / 2) as usize
    }

    pub fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Names a clause, given or derived. A derived one has a larger number than those it was derived from.
pub type ClauseId = usize;

/// Where a clause comes from.
#[derive(Debug, Clone)]
pub enum Origin {
    Given,
    /// The first clause, resolved in turn with others on these variables.
    Derived(ClauseId, Vec<(usize, ClauseId)>),
}

struct Clause {
    literals: Box<[Lit]>,
    origin: Origin,
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// All clauses hold.
    Model,
    /// The empty clause was derived.
    Refuted(ClauseId),
    /// The effort is spent.
    GivenUp,
}

const NOBODY: usize = usize::MAX;
/// Conflicts before a restart, times Luby's sequence.
const RESTART: u64 = 64;
/// What a literal looked at costs, in the entries that [`Effort`] counts.
const LOOK: usize = 2;

#[derive(Default)]
pub struct Sat {
    clauses: Vec<Clause>,
    /// By literal: clauses that watch it, each with another of its literals.
    watches: Vec<Vec<(ClauseId, Lit)>>,
    values: Vec<Option<bool>>,
    levels: Vec<usize>,
    reasons: Vec<ClauseId>,
    /// Where on the trail a variable is.
    places: Vec<usize>,
    trail: Vec<Lit>,
    /// Where each level begins.
    limits: Vec<usize>,
    propagated: usize,
    phases: Vec<bool>,
    activity: Vec<f64>,
    step: f64,
    order: Heap,
    seen: Vec<bool>,
    refuted: Option<ClauseId>,
}

impl Sat {
    pub fn new() -> Sat {
        Sat { step: 1.0, ..Sat::default() }
    }

    /// A new variable; `phase` is what it is set to first.
    pub fn variable(&mut self, phase: bool) -> usize {
        let variable = self.values.len();
        self.values.push(None);
        self.levels.push(0);
        self.reasons.push(NOBODY);
        self.places.push(0);
        self.phases.push(phase);
        self.activity.push(0.0);
        self.seen.push(false);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.order.insert(variable, &self.activity);
        variable
    }

    pub fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.variable()].map(|v| v == literal.is_positive())
    }

    /// When the variable got its value: earlier ones are smaller.
    pub fn place(&self, variable: usize) -> usize {
        self.places[variable]
    }

    pub fn literals(&self, clause: ClauseId) -> &[Lit] {
        &self.clauses[clause].literals
    }

    pub fn origin(&self, clause: ClauseId) -> &Origin {
        &self.clauses[clause].origin
    }

    /// Adds a clause and gives up no more of the present values than it must. The literals are different, and of different variables.
    pub fn add(&mut self, mut literals: Vec<Lit>) -> ClauseId {
        // Watched are literals that are not false, or those that were the last to become it.
        let level = |sat: &Sat, l: &Lit| match sat.value(*l) {
            Some(false) => sat.levels[l.variable()],
            _ => usize::MAX,
        };
        literals.sort_by_key(|l| std::cmp::Reverse(level(self, l)));
        let last = literals.first().map_or(0, |l| level(self, l));
        let before = literals.get(1).map_or(0, |l| level(self, l));
        let first = literals.first().copied();
        let id = self.store(literals, Origin::Given);
        self.watch(id);
        match first {
            None => self.refuted = self.refuted.or(Some(id)),
            Some(_) if last == 0 => self.refute(id),
            // Two literals at the level are open below it.
            Some(_) if last == before && last < usize::MAX => self.backtrack(last - 1),
            Some(first) if before < usize::MAX => {
                self.backtrack(before);
                if self.value(first).is_none() {
                    self.assign(first, id);
                    self.settle();
                }
            }
            Some(_) => {}
        }
        id
    }

    fn store(&mut self, literals: Vec<Lit>, origin: Origin) -> ClauseId {
        self.clauses.push(Clause { literals: literals.into(), origin });
        self.clauses.len() - 1
    }

    fn watch(&mut self, id: ClauseId) {
        if let [a, b, ..] = self.clauses[id].literals[..] {
            self.watches[a.index()].push((id, b));
            self.watches[b.index()].push((id, a));
        }
    }

    fn assign(&mut self, literal: Lit, reason: ClauseId) {
        let variable = literal.variable();
        self.values[variable] = Some(literal.is_positive());
        self.levels[variable] = self.limits.len();
        self.reasons[variable] = reason;
        self.places[variable] = self.trail.len();
        self.trail.push(literal);
    }

    /// At level 0 the reason of the last literal of the trail becomes a unit clause.
    fn settle(&mut self) {
        if !self.limits.is_empty() {
            return;
        }
        let literal = *self.trail.last().expect("a literal was assigned");
        let reason = self.reasons[literal.variable()];
        if self.clauses[reason].literals.len() > 1 {
            let steps = self.units(reason, Some(literal));
            self.reasons[literal.variable()] = self.store(vec![literal], Origin::Derived(reason, steps));
        }
    }

    /// Steps that take from a clause all literals but one, which are false at level 0.
    fn units(&self, clause: ClauseId, but: Option<Lit>) -> Vec<(usize, ClauseId)> {
        let others = self.clauses[clause].literals.iter().filter(|l| Some(**l) != but);
        others.map(|l| (l.variable(), self.reasons[l.variable()])).collect()
    }

    /// A clause that is false at level 0 ends everything.
    fn refute(&mut self, clause: ClauseId) {
        if self.refuted.is_none() {
            let steps = self.units(clause, None);
            self.refuted = Some(match steps.is_empty() {
                true => clause,
                false => self.store(Vec::new(), Origin::Derived(clause, steps)),
            });
        }
    }

    /// Follows implications; a clause that is false then, if there is one.
    fn propagate(&mut self, looks: &mut usize) -> Option<ClauseId> {
        while self.propagated < self.trail.len() {
            let falsified = !self.trail[self.propagated];
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            *looks += 1 + watching.len();
            let mut kept = 0;
            let mut conflict = None;
            let mut next = 0;
            while next < watching.len() {
                let (id, other) = watching[next];
                next += 1;
                if self.value(other) == Some(true) {
                    watching[kept] = (id, other);
                    kept += 1;
                    continue;
                }
                let literals = &mut self.clauses[id].literals;
                if literals[0] == falsified {
                    literals.swap(0, 1);
                }
                let first = literals[0];
                let values = &self.values;
                let value = |l: Lit| values[l.variable()].map(|v| v == l.is_positive());
                if value(first) != Some(true)
                    && let Some(free) = (2..literals.len()).find(|i| value(literals[*i]) != Some(false))
                {
                    *looks += free;
                    literals.swap(1, free);
                    let new = literals[1];
                    self.watches[new.index()].push((id, first));
                    continue;
                }
                watching[kept] = (id, first);
                kept += 1;
                match self.value(first) {
                    Some(true) => {}
                    None => {
                        self.assign(first, id);
                        self.settle();
                    }
                    Some(false) => {
                        conflict = Some(id);
                        while next < watching.len() {
                            watching[kept] = watching[next];
                            kept += 1;
                            next += 1;
                        }
                    }
                }
            }
            watching.truncate(kept);
            self.watches[falsified.index()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let start = self.limits[level];
        for literal in self.trail.drain(start..) {
            let variable = literal.variable();
            self.values[variable] = None;
            self.phases[variable] = literal.is_positive();
            self.order.insert(variable, &self.activity);
        }
        self.limits.truncate(level);
        self.propagated = start;
    }

    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.step;
        if self.activity[variable] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.step *= 1e-100;
        }
        self.order.rise(variable, &self.activity);
    }

    /// Learns from a clause that is false above level 0 and jumps back.
    fn learn(&mut self, conflict: ClauseId) {
        let level = self.limits.len();
        let mut learnt: Vec<Lit> = vec![Lit(0)];
        let mut steps: Vec<(usize, ClauseId)> = Vec::new();
        // Variables of level 0 go last: their units need no further step.
        let mut fixed: Vec<usize> = Vec::new();
        let mut marked: Vec<usize> = Vec::new();
        let mut open = 0;
        let mut clause = conflict;
        let mut at = self.trail.len();
        loop {
            for i in 0..self.clauses[clause].literals.len() {
                let literal = self.clauses[clause].literals[i];
                let variable = literal.variable();
                if self.seen[variable] || self.value(literal) == Some(true) {
                    continue;
                }
                self.seen[variable] = true;
                marked.push(variable);
                if self.levels[variable] == 0 {
                    fixed.push(variable);
                    continue;
                }
                self.bump(variable);
                if self.levels[variable] == level {
                    open += 1;
                } else {
                    learnt.push(literal);
                }
            }
            let next = loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                learnt[0] = !next;
                break;
            }
            clause = self.reasons[next.variable()];
            steps.push((next.variable(), clause));
        }
        steps.extend(fixed.iter().map(|v| (*v, self.reasons[*v])));
        marked.iter().for_each(|v| self.seen[*v] = false);
        // The other watched literal is one of the highest level.
        let mut back = 0;
        if let Some(highest) = (1..learnt.len()).max_by_key(|i| self.levels[learnt[*i].variable()]) {
            learnt.swap(1, highest);
            back = self.levels[learnt[1].variable()];
        }
        self.backtrack(back);
        let first = learnt[0];
        let id = self.store(learnt, Origin::Derived(conflict, steps));
        self.watch(id);
        self.assign(first, id);
        self.step /= 0.95;
    }

    /// Looks for values that make all clauses true.
    pub fn solve(&mut self, effort: &Effort) -> Answer {
        let mut looks = 0;
        let mut conflicts = 0;
        let mut restarts = 0;
        let mut until = RESTART;
        loop {
            if let Some(refuted) = self.refuted {
                return Answer::Refuted(refuted);
            }
            let conflict = self.propagate(&mut looks);
            if let Some(conflict) = conflict {
                if self.limits.is_empty() {
                    self.refute(conflict);
                    continue;
                }
                self.learn(conflict);
                conflicts += 1;
                if conflicts >= until {
                    restarts += 1;
                    until = conflicts + RESTART * luby(restarts);
                    self.backtrack(0);
                }
                if !effort.spend(std::mem::take(&mut looks) * LOOK) {
                    return Answer::GivenUp;
                }
                continue;
            }
            let next = loop {
                match self.order.pop(&self.activity) {
                    Some(variable) if self.values[variable].is_none() => break Some(variable),
                    Some(_) => {}
                    None => break None,
                }
            };
            let Some(variable) = next else {
                return if effort.spend(looks * LOOK) { Answer::Model } else { Answer::GivenUp };
            };
            self.limits.push(self.trail.len());
            self.assign(Lit::new(variable, self.phases[variable]), NOBODY);
        }
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, ..; `n` counts from one.
fn luby(mut n: u64) -> u64 {
    loop {
        // The sequence up to 2^k - 1 ends with 2^(k - 1) and has what came before twice in front of it.
        let end = (n + 1).next_power_of_two() - 1;
        if end == n {
            return end / 2 + 1;
        }
        n -= end / 2;
    }
}

/// Variables by activity, the largest on top; smaller numbers first among equals.
#[derive(Default)]
struct Heap {
    items: Vec<usize>,
    /// Where a variable is; `NOBODY` if nowhere.
    places: Vec<usize>,
}

impl Heap {
    fn before(a: usize, b: usize, activity: &[f64]) -> bool {
        activity[a] > activity[b] || activity[a] == activity[b] && a < b
    }

    fn insert(&mut self, variable: usize, activity: &[f64]) {
        if self.places.len() <= variable {
            self.places.resize(variable + 1, NOBODY);
        }
        if self.places[variable] == NOBODY {
            self.places[variable] = self.items.len();
            self.items.push(variable);
            self.rise(variable, activity);
        }
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.items.swap(i, j);
        self.places[self.items[i]] = i;
        self.places[self.items[j]] = j;
    }

    fn rise(&mut self, variable: usize, activity: &[f64]) {
        let mut at = self.places[variable];
        while at != NOBODY && at > 0 {
            let parent = (at - 1) / 2;
            if !Heap::before(self.items[at], self.items[parent], activity) {
                break;
            }
            self.swap(at, parent);
            at = parent;
        }
    }

    fn pop(&mut self, activity: &[f64]) -> Option<usize> {
        let top = *self.items.first()?;
        let last = self.items.len() - 1;
        self.swap(0, last);
        self.items.pop();
        self.places[top] = NOBODY;
        let mut at = 0;
        loop {
            let mut best = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.items.len() && Heap::before(self.items[child], self.items[best], activity) {
                    best = child;
                }
            }
            if best == at {
                return Some(top);
            }
            self.swap(at, best);
            at = best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Smt;
    use craig_base::Budget;
    use std::collections::BTreeSet;
    use std::rc::Rc;

    fn effort() -> Effort {
        let smt = Smt::new(Rc::new(craig_logic::Terms::new()), Budget::unlimited()).expect("a solver");
        Effort::new(100_000_000, &smt)
    }

    /// Numbers from a seed (xorshift).
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % n) as usize
        }
    }

    /// Every derived clause is what its steps give, and the last is empty.
    fn verify(sat: &Sat, empty: ClauseId) {
        assert!(sat.literals(empty).is_empty());
        for id in 0..=empty {
            let Origin::Derived(first, steps) = sat.origin(id) else { continue };
            let mut literals: BTreeSet<Lit> = sat.literals(*first).iter().copied().collect();
            for (pivot, other) in steps {
                assert!(*other < id && *first < id, "clauses are derived from earlier ones");
                let mine = *literals.iter().find(|l| l.variable() == *pivot).expect("the pivot occurs");
                assert!(sat.literals(*other).contains(&!mine), "with the other sign in the other clause");
                literals.remove(&mine);
                literals.extend(sat.literals(*other).iter().filter(|l| l.variable() != *pivot));
            }
            let found: BTreeSet<Lit> = sat.literals(id).iter().copied().collect();
            assert_eq!(literals, found, "clause {id}");
        }
    }

    #[test]
    fn models_and_refutations_are_what_they_say() {
        const VARIABLES: u64 = 8;
        let effort = effort();
        let (mut models, mut refuted) = (0, 0);
        for seed in 1..=300 {
            let mut random = Random(seed * 0x9e37_79b9);
            let mut sat = Sat::new();
            for _ in 0..VARIABLES {
                sat.variable(false);
            }
            let mut given: Vec<Vec<Lit>> = Vec::new();
            // Clauses arrive in several searches, as lemmas do.
            for _ in 0..6 {
                for _ in 0..random.below(10) {
                    let mut clause: Vec<Lit> = Vec::new();
                    for _ in 0..=random.below(3) {
                        let literal = Lit::new(random.below(VARIABLES), random.below(2) == 0);
                        if clause.iter().all(|l| l.variable() != literal.variable()) {
                            clause.push(literal);
                        }
                    }
                    given.push(clause.clone());
                    sat.add(clause);
                }
                let holds = |bits: u64, l: &Lit| (bits >> l.variable() & 1 == 1) == l.is_positive();
                let model = |bits: &u64| given.iter().all(|c| c.iter().any(|l| holds(*bits, l)));
                let expected = (0..1 << VARIABLES).any(|bits| model(&bits));
                match sat.solve(&effort) {
                    Answer::Model => {
                        assert!(expected, "seed {seed}");
                        assert!(given.iter().all(|c| c.iter().any(|l| sat.value(*l) == Some(true))));
                        models += 1;
                    }
                    Answer::Refuted(empty) => {
                        assert!(!expected, "seed {seed}");
                        verify(&sat, empty);
                        refuted += 1;
                        break;
                    }
                    Answer::GivenUp => panic!("seed {seed}: there is effort enough"),
                }
            }
        }
        assert!(models > 100 && refuted > 100, "{models} models, {refuted} refutations");
    }

    #[test]
    fn pigeons_do_not_fit() {
        const HOLES: usize = 4;
        let mut sat = Sat::new();
        let at: Vec<Vec<usize>> =
            (0..=HOLES).map(|_| (0..HOLES).map(|_| sat.variable(false)).collect()).collect();
        for pigeon in &at {
            sat.add(pigeon.iter().map(|v| Lit::new(*v, true)).collect());
        }
        for hole in 0..HOLES {
            for (i, a) in at.iter().enumerate() {
                for b in &at[..i] {
                    sat.add(vec![Lit::new(a[hole], false), Lit::new(b[hole], false)]);
                }
            }
        }
        let Answer::Refuted(empty) = sat.solve(&effort()) else { panic!("they do") };
        verify(&sat, empty);
    }

    #[test]
    fn restarts_follow_luby() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
