//! Interpolants for linear arithmetic from pairs of cubes.
//!
//! For a cut with A (left) and B (right) the result is a disjunction of groups; a group is a set of cubes of A with
//! a conjunction of facts that all of them imply and that excludes B. While A has a model outside the groups, take
//! its implicant cube and let it join a group or found one; while the group's facts leave a model of B, take that
//! cube of B and add a fact that separates the group from it (`separate`). One fact usually covers many cubes, so
//! few rounds suffice even when the sides have many paths: when a new cube arrives, we first look for one half-space
//! that replaces a present fact and covers the newcomer too.
//!
//! Afterwards facts and groups that the solver finds redundant are dropped, as long as that is little work, and
//! `s <= b and s >= b` becomes `s = b`.
//!
//! Patience: a few sequences whose integer questions are hard cost more than all others together, and they fail or
//! get slow cut by cut. So a sequence in which [`MAX_HARD`] models needed a second try is given up for good, and
//! every cut that fails halves the number of cubes for the cuts after it. Both are counts, not clocks. (28 slow
//! sequences with all layers: 10.9 s without, 7.8 s with both and a limit of three hard models; 6.2 s with two, less
//! work for the session and larger results of the easy elimination that follows.)
//!
//! Invariants: every cube of a group implies each of its facts; a finished group contradicts B. So on success A
//! implies the disjunction and the disjunction contradicts B. Cubes are implied to be over the integers where their
//! symbols are. When a pair cannot be separated the layer fails and says so.

use super::cube::Cube;
use super::prover::Prover;
use super::separate::{self, Cut};
use super::tidy;
use crate::session::Undecided;
use craig_logic::{Evaluator, Model, Op, Relation, TermId, Terms};

/// Cubes of A, and cubes of B per group, before the layer gives up.
const MAX_LEFT: usize = 8;
const MAX_RIGHT: usize = 16;
/// Cubes of both sides together: a cut that needs more is better served by another layer.
const MAX_CUBES: usize = 16;
/// What is left of that after failures at other cuts.
const MIN_CUBES: usize = 3;
/// Models in one sequence or tree that were too much work for the session.
const MAX_HARD: u32 = 2;
/// Beyond this many cubes on a side no common half-space is sought: the programs get large.
const MAX_JOINT: usize = 8;

/// Why the layer has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenUp {
    Undecided(Undecided),
    /// In words, for statistics.
    Because(&'static str),
}

impl From<Undecided> for GivenUp {
    fn from(why: Undecided) -> Self {
        GivenUp::Undecided(why)
    }
}

/// A fact of a group, with the cubes of B it excludes.
struct Fact {
    formula: TermId,
    excludes: Vec<usize>,
}

struct Group {
    cubes: Vec<Cube>,
    facts: Vec<Fact>,
}

impl Group {
    fn formulas(&self) -> Vec<TermId> {
        self.facts.iter().map(|f| f.formula).collect()
    }
}

struct Search<'a> {
    cut: &'a Cut<'a>,
    right: Vec<Cube>,
    max_cubes: usize,
}

/// An interpolant of the conjunctions `a` and `b`, which are unsatisfiable together; `failures` counts the cuts of the
/// same problem at which the layer had none.
pub fn interpolate(
    prover: &mut Prover,
    cut: &Cut<'_>,
    a: &[TermId],
    b: &[TermId],
    failures: u32,
) -> Result<TermId, GivenUp> {
    let terms = cut.terms;
    let max_cubes = MAX_CUBES.checked_shr(failures).unwrap_or(0).max(MIN_CUBES);
    let mut search = Search { cut, right: Vec::new(), max_cubes };
    let mut groups: Vec<Group> = Vec::new();
    // A side that is a cube already needs no model, and is covered when that cube is.
    let (single_left, single_right) = (only_cube(cut, a), only_cube(cut, b));
    for _ in 0..MAX_LEFT.min(max_cubes) {
        patience(prover, cut)?;
        let cube = if let Some(cube) = &single_left {
            if !groups.is_empty() {
                return Ok(finish(prover, cut, groups, a, b));
            }
            cube.clone()
        } else {
            let outside: Vec<TermId> = groups.iter().map(|g| terms.not(terms.and(g.formulas()))).collect();
            match prover.model(a, &outside)? {
                Some(model) => cube_of(cut, a, &model)?,
                None => return Ok(finish(prover, cut, groups, a, b)),
            }
        };
        let joined = groups.iter_mut().position(|g| search.join(g, &cube));
        let group = match joined {
            Some(i) => &mut groups[i],
            None => {
                groups.push(Group { cubes: vec![cube], facts: Vec::new() });
                groups.last_mut().expect("pushed above")
            }
        };
        match &single_right {
            Some(cube) if search.right.is_empty() => {
                search.right.push(cube.clone());
                search.exclude(group, 0)?;
            }
            // A newcomer joined without giving up a fact, or founded a group that lacks one.
            Some(_) if !group.facts.is_empty() => {}
            Some(_) => search.exclude(group, 0)?,
            None => search.complete(prover, group, b)?,
        }
    }
    Err(GivenUp::Because("too many cubes on the left"))
}

fn patience(prover: &Prover, cut: &Cut<'_>) -> Result<(), GivenUp> {
    cut.effort.check().map_err(Undecided::Stopped)?;
    if cut.effort.is_spent() {
        return Err(GivenUp::Because("the linear programs are too large"));
    }
    if prover.hard() < MAX_HARD { Ok(()) } else { Err(GivenUp::Because("the questions are too hard")) }
}

/// The cube of a side that consists of literals only. A disequality is a choice, so it does not count.
fn only_cube(cut: &Cut<'_>, formulas: &[TermId]) -> Option<Cube> {
    let terms = cut.terms;
    let mut literals = Vec::new();
    for formula in formulas {
        for literal in terms.conjuncts(*formula) {
            let (atom, _) = terms.atom(literal);
            if terms.is_connective(atom) {
                return None;
            }
            let linear = terms.linear_literal(literal);
            if linear.is_some_and(|l| l.relation == Relation::Ne) {
                return None;
            }
            literals.push(literal);
        }
    }
    let has_choice = terms.postorder(&literals).iter().any(|t| terms.op(*t) == Op::Ite);
    // No value is asked for: only disequalities need them.
    let model = Model::new();
    let mut values = Evaluator::new(terms, &model);
    (!has_choice).then(|| Cube::new(terms, &literals, &mut values, cut.shared))
}

/// The cube of the model. Terms that linear arithmetic does not know are left as they are.
fn cube_of(cut: &Cut<'_>, formulas: &[TermId], model: &Model) -> Result<Cube, GivenUp> {
    let mut values = Evaluator::new(cut.terms, model);
    let mut literals = Vec::new();
    for formula in formulas {
        match cut.terms.implicant_with(*formula, &mut values) {
            Some(found) => literals.extend(found),
            // Our evaluation and the solver's differ only where the model is partial (division by zero).
            None => return Err(GivenUp::Because("the model does not evaluate to true")),
        }
    }
    literals.sort_unstable();
    literals.dedup();
    Ok(Cube::new(cut.terms, &literals, &mut values, cut.shared))
}

impl Search<'_> {
    /// Adds facts until the group contradicts B.
    fn complete(&mut self, prover: &mut Prover, group: &mut Group, b: &[TermId]) -> Result<(), GivenUp> {
        for _ in 0..MAX_RIGHT {
            let Some(model) = prover.model(b, &group.formulas())? else { return Ok(()) };
            let cube = cube_of(self.cut, b, &model)?;
            patience(prover, self.cut)?;
            if self.right.len() >= self.max_cubes {
                break;
            }
            self.right.push(cube);
            self.exclude(group, self.right.len() - 1)?;
        }
        Err(GivenUp::Because("too many cubes on the right"))
    }

    fn half_space(&self, left: &[&Cube], right: &[usize]) -> Option<TermId> {
        if left.len() > MAX_JOINT || right.len() > MAX_JOINT {
            return None;
        }
        let right: Vec<&Cube> = right.iter().map(|i| &self.right[*i]).collect();
        separate::half_space(self.cut, left, &right)
    }

    /// A fact that all the cubes imply and that excludes one cube of B.
    fn separate(&self, left: &[&Cube], right: usize) -> Option<TermId> {
        let b = &self.right[right];
        if let Some(found) = self.half_space(left, &[right]) {
            return Some(found);
        }
        let parts = left.iter().map(|a| separate::pair(self.cut, a, b)).collect::<Option<Vec<_>>>()?;
        Some(self.cut.terms.or(parts))
    }

    /// Makes the group exclude a cube of B that its facts admit.
    fn exclude(&mut self, group: &mut Group, right: usize) -> Result<(), GivenUp> {
        let left: Vec<&Cube> = group.cubes.iter().collect();
        // One half-space in place of a present fact is simpler than one more.
        for fact in &mut group.facts {
            let mut wanted = fact.excludes.clone();
            wanted.push(right);
            if let Some(formula) = self.half_space(&left, &wanted) {
                *fact = Fact { formula, excludes: wanted };
                return Ok(());
            }
        }
        match self.separate(&left, right) {
            Some(formula) => {
                group.facts.push(Fact { formula, excludes: vec![right] });
                Ok(())
            }
            None => Err(GivenUp::Because("a pair of cubes could not be separated")),
        }
    }

    /// Lets a cube of A join a group, weakening facts where needed. `false` leaves the group as it was.
    fn join(&self, group: &mut Group, cube: &Cube) -> bool {
        let mut left: Vec<&Cube> = group.cubes.iter().collect();
        left.push(cube);
        let mut facts = Vec::new();
        for fact in &group.facts {
            if self.implied(cube, fact.formula) {
                facts.push(Fact { formula: fact.formula, excludes: fact.excludes.clone() });
                continue;
            }
            if let Some(formula) = self.half_space(&left, &fact.excludes) {
                facts.push(Fact { formula, excludes: fact.excludes.clone() });
                continue;
            }
            for right in &fact.excludes {
                match self.half_space(&left, &[*right]) {
                    Some(formula) => facts.push(Fact { formula, excludes: vec![*right] }),
                    None => return false,
                }
            }
        }
        group.cubes.push(cube.clone());
        group.facts = facts;
        true
    }

    /// Whether linear reasoning sees that the cube implies the fact.
    fn implied(&self, cube: &Cube, fact: TermId) -> bool {
        let terms = self.cut.terms;
        if terms.op(fact) == Op::And {
            return terms.args(fact).iter().all(|f| self.implied(cube, *f));
        }
        if cube.opaque.contains(&fact) {
            return true;
        }
        let Some(negation) = negation_cube(terms, fact) else { return false };
        separate::half_space(self.cut, &[cube], &[&negation]).is_some()
    }
}

/// The cube of a linear literal's negation.
fn negation_cube(terms: &Terms, fact: TermId) -> Option<Cube> {
    use super::cube::{Kind, Row};
    let literal = terms.linear_literal(terms.not(fact))?;
    let kind = match literal.relation {
        Relation::Eq => Kind::Eq,
        Relation::Le => Kind::Le,
        Relation::Lt => Kind::Lt,
        Relation::Ne => return None,
    };
    Some(Cube { rows: vec![Row { linear: literal.linear, kind }], opaque: Vec::new() })
}

/// Drops what is redundant and puts the result together.
fn finish(prover: &mut Prover, cut: &Cut<'_>, groups: Vec<Group>, a: &[TermId], b: &[TermId]) -> TermId {
    let terms = cut.terms;
    let without = |all: &[TermId], i: usize| -> Vec<TermId> {
        all.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| *f).collect()
    };
    // Where one question is too much work the next ones are too.
    let mut easy = true;
    let mut disjuncts: Vec<TermId> = Vec::new();
    for group in &groups {
        let mut facts = tidy::unique(group.formulas());
        // Early facts are often covered by later ones; the last one excluded what no other did.
        let mut i = 0;
        while easy && i + 1 < facts.len() {
            match prover.easily_unsat(b, &without(&facts, i)) {
                Some(true) => drop(facts.remove(i)),
                Some(false) => i += 1,
                None => easy = false,
            }
        }
        disjuncts.push(tidy::conjunction(terms, &facts));
    }
    let mut i = 0;
    while easy && i + 1 < disjuncts.len() {
        let others: Vec<TermId> = without(&disjuncts, i).iter().map(|d| terms.not(*d)).collect();
        match prover.easily_unsat(a, &others) {
            Some(true) => drop(disjuncts.remove(i)),
            Some(false) => i += 1,
            None => easy = false,
        }
    }
    tidy::disjunction(terms, &disjuncts)
}
