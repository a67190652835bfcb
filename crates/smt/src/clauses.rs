//! Formulas as few clauses.
//!
//! A formula over atoms becomes clauses of which none can be left out, by a cover of its negation ([`Bdds::cover`]). What arithmetic excludes at first sight counts as
//! free: two equations of one sum, bounds of one sum the wrong way round. So what interpolants repeat inside of themselves goes, and what is left says
//! each thing once.
//!
//! With domains, the values that variables have, `x == 1 || x == 2` may become `x != 3`: a clause for each value that is excluded, which can be kept or dropped by itself.

use crate::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfNodes};
use craig_logic::{Linear, Op, Rat, Relation, TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt;

/// Nodes of the diagrams, and entries of their table of results: a formula that takes more stays as it is.
const NODES: usize = 1 << 16;
const CACHE: usize = 1 << 12;

/// A formula that is more clauses stays as it is, and so does one of more atoms.
const MOST: usize = 100;
const ATOMS: usize = 100;

/// Makes clauses.
pub struct Clauses {
    bdds: Bdds,
    vars: Vec<BddVar>,
}

impl fmt::Debug for Clauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clauses").finish_non_exhaustive()
    }
}

impl Default for Clauses {
    fn default() -> Self {
        Clauses { bdds: Bdds::new(NODES, CACHE), vars: Vec::new() }
    }
}

impl Clauses {
    /// Formulas whose conjunction is equivalent to the formula: clauses if these are few, else its conjuncts.
    pub fn of(&mut self, terms: &Terms, formula: TermId) -> Vec<TermId> {
        let clauses = self.within(terms, formula, &[]);
        clauses.unwrap_or_else(|| terms.conjuncts(formula).to_vec())
    }

    /// Clauses that say the same as the formula where one equation of each domain holds; `None` if these are not few.
    pub fn within(&mut self, terms: &Terms, formula: TermId, domains: &[&[TermId]]) -> Option<Vec<TermId>> {
        let mut atoms = terms.atoms(&[formula]);
        if atoms.len() < 2 && domains.is_empty() {
            return None;
        }
        atoms.extend(domains.iter().copied().flatten());
        // Atoms of one sum lie together.
        atoms.sort_by_cached_key(|a| (terms.linear_literal(*a).map(|l| l.linear.terms.to_vec()), *a));
        atoms.dedup();
        if atoms.len() > ATOMS {
            return None;
        }
        while self.vars.len() < atoms.len() {
            self.vars.push(self.bdds.new_var());
        }
        self.cover(terms, formula, &atoms, domains).ok().flatten()
    }

    fn cover(
        &self,
        terms: &Terms,
        formula: TermId,
        atoms: &[TermId],
        domains: &[&[TermId]],
    ) -> Result<Option<Vec<TermId>>, OutOfNodes> {
        let mut done = FxHashMap::default();
        for (atom, var) in atoms.iter().zip(&self.vars) {
            done.insert(*atom, self.bdds.var(*var)?);
        }
        let mut wrong = self.function(terms, terms.not(formula), &mut done)?;
        for domain in domains {
            let inside = self.function(terms, terms.or(domain.iter().copied()), &mut done)?;
            wrong = self.bdds.within(|| wrong.and(&inside))?;
        }
        let excluded = self.excluded(terms, atoms)?;
        let (lower, upper) = self.bdds.within(|| Ok((wrong.and(&excluded.not()?)?, wrong.or(&excluded)?)))?;
        let Some(cubes) = self.bdds.cover(&lower, &upper, MOST)? else { return Ok(None) };
        let literal = |(var, positive): &(BddVar, bool)| {
            let atom = atoms[self.vars.iter().position(|v| v == var).expect("a variable of ours")];
            // What is not one of two values is the other.
            let other = domains.iter().find_map(|domain| match **domain {
                [a, b] if a == atom => Some(b),
                [a, b] if b == atom => Some(a),
                _ => None,
            });
            match (positive, other) {
                (false, _) => atom,
                (true, Some(other)) => other,
                (true, None) => terms.not(atom),
            }
        };
        Ok(Some(cubes.iter().map(|cube| terms.or(cube.iter().map(literal))).collect()))
    }

    fn function(
        &self,
        terms: &Terms,
        formula: TermId,
        done: &mut FxHashMap<TermId, Bdd>,
    ) -> Result<Bdd, OutOfNodes> {
        for term in terms.postorder(&[formula]) {
            if done.contains_key(&term) || terms.sort(term) != craig_logic::Sort::Bool {
                continue;
            }
            let args: Vec<Bdd> = terms.args(term).iter().filter_map(|a| done.get(a).cloned()).collect();
            let fold = |start: bool, with: &dyn Fn(&Bdd, &Bdd) -> Result<Bdd, crate::bdd::OutOfMemory>| {
                let mut all = self.bdds.constant(start);
                for arg in &args {
                    all = self.bdds.within(|| with(&all, arg))?;
                }
                Ok(all)
            };
            let made = match terms.op(term) {
                Op::Not => self.bdds.within(|| args[0].not())?,
                Op::And => fold(true, &|a, b| a.and(b))?,
                Op::Or => fold(false, &|a, b| a.or(b))?,
                Op::Ite => self.bdds.within(|| args[0].ite(&args[1], &args[2]))?,
                Op::Eq => self.bdds.within(|| args[0].equiv(&args[1]))?,
                _ => self.bdds.constant(terms.is_true(term)),
            };
            done.insert(term, made);
        }
        Ok(done[&formula].clone())
    }

    /// The assignments of the atoms that two atoms of one sum exclude.
    fn excluded(&self, terms: &Terms, atoms: &[TermId]) -> Result<Bdd, OutOfNodes> {
        let known: Vec<Option<(Linear, Relation, Rat)>> = atoms
            .iter()
            .map(|atom| {
                let literal = terms.linear_literal(*atom)?;
                let sum = Linear { constant: Rat::ZERO, ..literal.linear.clone() };
                Some((sum, literal.relation, -literal.linear.constant))
            })
            .collect();
        let mut excluded = self.bdds.constant(false);
        for (i, a) in known.iter().enumerate() {
            for (j, b) in known.iter().enumerate().skip(i + 1) {
                let (Some((sum, a, low)), Some((same, b, high))) = (a, b) else { continue };
                if sum != same {
                    continue;
                }
                // `sum = low` or `sum <= low`, and the same with `high`: which values they cannot have together.
                let never = match (a, b) {
                    (Relation::Eq, Relation::Eq) => (true, true),
                    (Relation::Le, Relation::Le) => (low <= high, low > high),
                    (Relation::Eq, Relation::Le) => (true, low > high),
                    (Relation::Le, Relation::Eq) => (high > low, true),
                    _ => continue,
                };
                let pair = self.bdds.cube(&[(self.vars[i], never.0), (self.vars[j], never.1)])?;
                excluded = self.bdds.within(|| excluded.or(&pair))?;
            }
        }
        Ok(excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Smt;
    use craig_base::Budget;
    use craig_logic::Sort;
    use std::rc::Rc;

    /// The clauses as text, after a check that they say the same.
    fn clauses(t: &Rc<Terms>, formula: TermId) -> Vec<String> {
        let smt = Smt::new(Rc::clone(t), Budget::unlimited()).unwrap();
        let found = Clauses::default().of(t, formula);
        assert_eq!(smt.entails(&found, formula), Ok(true));
        for clause in &found {
            assert_eq!(smt.entails(&[formula], *clause), Ok(true));
        }
        let mut text: Vec<String> = found.iter().map(|c| t.c(*c)).collect();
        text.sort();
        text
    }

    #[test]
    fn what_is_said_twice_goes() {
        let t = Rc::new(Terms::new());
        let (s, f) = (t.symbol("s", Sort::Int), t.symbol("f", Sort::Int));
        let is = |x, n| t.eq(x, t.int(n));
        let again = t.or([is(s, 4), t.and([is(s, 5), t.or([is(s, 5), is(s, 6)])])]);
        assert_eq!(clauses(&t, again), ["s == 4 || s == 5"]);
        let either = t.or([t.and([is(s, 4), is(f, 1)]), t.and([is(s, 4), is(f, 2)])]);
        assert_eq!(clauses(&t, either), ["f == 1 || f == 2", "s == 4"]);
        let implied = t.and([t.or([is(s, 4), is(f, 1)]), t.or([t.not(is(s, 4)), is(f, 1)])]);
        assert_eq!(clauses(&t, implied), ["f == 1"]);
    }

    #[test]
    fn values_are_excluded_one_by_one() {
        let t = Terms::new();
        let (s, f) = (t.symbol("s", Sort::Int), t.symbol("f", Sort::Int));
        let is = |x, n| t.eq(x, t.int(n));
        let among = |x, values: &[i64]| -> Vec<TermId> { values.iter().map(|n| is(x, *n)).collect() };
        let formula = t.or([t.or(among(s, &[1, 2])), t.or(among(f, &[1, 2, 3]))]);
        let found =
            Clauses::default().within(&t, formula, &[&among(s, &[1, 2, 3]), &among(f, &[1, 2, 3, 4, 5])]);
        let mut text: Vec<String> = found.unwrap().iter().map(|c| t.c(*c)).collect();
        text.sort();
        assert_eq!(text, ["s != 3 || f != 4", "s != 3 || f != 5"]);
        let one = Clauses::default().within(&t, t.not(is(s, 1)), &[&among(s, &[1, 2])]);
        assert_eq!(one.unwrap().iter().map(|c| t.c(*c)).collect::<Vec<_>>(), ["s == 2"]);
    }

    #[test]
    fn bounds_exclude_each_other() {
        let t = Rc::new(Terms::new());
        let (x, b) = (t.symbol("x", Sort::Int), t.symbol("b", Sort::Bool));
        let (low, high) = (t.le(x, t.int(3)), t.le(x, t.int(5)));
        assert_eq!(clauses(&t, t.or([low, high])), ["x <= 5"]);
        assert_eq!(clauses(&t, t.and([low, t.or([high, b])])), ["x <= 3"]);
        assert_eq!(clauses(&t, t.and([t.eq(x, t.int(4)), high])), ["x == 4"]);
        assert_eq!(clauses(&t, t.ite(b, low, high)), ["x <= 3 || !b", "x <= 5"]);
        assert_eq!(clauses(&t, t.and([t.eq(x, t.int(4)), low])), ["0"]);
    }
}
