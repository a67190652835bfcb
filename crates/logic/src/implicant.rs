//! Implicants: a small set of literals, true in a model, that implies a formula.
//!
//! Where the formula leaves a choice (a disjunction with several true disjuncts) the cheapest is taken, the cost
//! being the number of literals needed below, counted once bottom-up and as if nothing were shared. If-then-else
//! inside an atom is resolved to the branch the model takes, with the literals that decide its condition, so the
//! literals of the result are free of it. Not minimal in general: finding the smallest implicant is NP-hard.

use crate::eval::Evaluator;
use crate::sort::Sort;
use crate::subst::{Substituter, Substitution};
use crate::term::{Op, TermId, Terms};
use crate::value::{Model, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// Literals, ascending, each true in `model`, whose conjunction implies `formula`. `None` if the formula is
    /// false in the model.
    pub fn implicant(&self, formula: TermId, model: &Model) -> Option<Vec<TermId>> {
        self.implicant_with(formula, &mut Evaluator::new(self, model))
    }

    /// Like [`Terms::implicant`], with an evaluator that may already know many values.
    pub fn implicant_with(&self, formula: TermId, values: &mut Evaluator<'_>) -> Option<Vec<TermId>> {
        if !values.holds(formula) {
            return None;
        }
        let mut search = Search {
            terms: self,
            values,
            costs: FxHashMap::default(),
            visited: FxHashSet::default(),
            literals: Vec::new(),
        };
        search.collect(formula);
        let mut literals = search.literals;
        literals.sort_unstable();
        literals.dedup();
        Some(literals)
    }
}

struct Search<'a, 'v> {
    terms: &'a Terms,
    values: &'a mut Evaluator<'v>,
    /// Literals needed to fix the present value of a Boolean term.
    costs: FxHashMap<TermId, u32>,
    visited: FxHashSet<TermId>,
    literals: Vec<TermId>,
}

impl Search<'_, '_> {
    /// Fixes the present value of `root` (and of what that needs) with literals.
    fn collect(&mut self, root: TermId) {
        let t = self.terms;
        let mut work = vec![root];
        while let Some(term) = work.pop() {
            if !self.visited.insert(term) {
                continue;
            }
            let op = t.op(term);
            let value = self.values.holds(term);
            match op {
                Op::True | Op::False => {}
                _ if !t.is_connective(term) => {
                    let (atom, conditions) = self.resolve(term);
                    work.extend(conditions);
                    if !t.is_true(atom) && !t.is_false(atom) {
                        self.literals.push(if value { atom } else { t.not(atom) });
                    }
                }
                // All arguments matter: each must keep the value it has.
                Op::And | Op::Or if (op == Op::And) == value => work.extend(t.args(term)),
                Op::And | Op::Or => {
                    // One argument with the deciding value is enough.
                    let mut best = None;
                    for arg in t.args(term) {
                        if self.values.holds(arg) == value {
                            let cost = if self.visited.contains(&arg) { 0 } else { self.cost(arg) };
                            if best.is_none_or(|(c, _)| cost < c) {
                                best = Some((cost, arg));
                            }
                        }
                    }
                    work.push(best.expect("an argument decides the value").1);
                }
                Op::Ite => {
                    let args = t.args(term);
                    let taken = if self.values.holds(args[0]) { 1 } else { 2 };
                    work.extend([args[0], args[taken]]);
                }
                _ => work.extend(t.args(term)),
            }
        }
    }

    /// The atom without if-then-else, and the conditions that this choice of branches leans on.
    fn resolve(&mut self, atom: TermId) -> (TermId, Vec<TermId>) {
        let t = self.terms;
        let order = t.postorder(&[atom]);
        if !order.iter().any(|s| t.op(*s) == Op::Ite) {
            return (atom, Vec::new());
        }
        let mut map = Substitution::default();
        let mut conditions = Vec::new();
        // Arguments come first, so a branch is already resolved when its if-then-else is met.
        for term in order {
            if t.op(term) == Op::Ite && t.sort(term) != Sort::Bool {
                let args = t.args(term);
                let taken = if self.values.holds(args[0]) { args[1] } else { args[2] };
                conditions.push(args[0]);
                let taken = Substituter::new(t, &map).apply(taken);
                map.insert(term, taken);
            }
        }
        let resolved = t.substitute(atom, &map);
        // A Boolean condition below a function or a select argument keeps its value as a literal of its own.
        (resolved, conditions)
    }

    fn cost(&mut self, root: TermId) -> u32 {
        let t = self.terms;
        let mut stack = vec![root];
        while let Some(term) = stack.last().copied() {
            if self.costs.contains_key(&term) {
                stack.pop();
                continue;
            }
            if matches!(t.op(term), Op::True | Op::False) || !t.is_connective(term) {
                let constant = matches!(t.op(term), Op::True | Op::False);
                self.costs.insert(term, u32::from(!constant));
                stack.pop();
                continue;
            }
            let before = stack.len();
            t.for_each_arg(term, |a| {
                if !self.costs.contains_key(&a) {
                    stack.push(a);
                }
            });
            if stack.len() > before {
                continue;
            }
            let cost = self.cost_of(term);
            self.costs.insert(term, cost);
            stack.pop();
        }
        self.costs[&root]
    }

    fn cost_of(&mut self, term: TermId) -> u32 {
        let t = self.terms;
        let args = t.args(term);
        let op = t.op(term);
        let value = self.values.holds(term);
        let sum = |costs: &FxHashMap<TermId, u32>, terms: &[TermId]| {
            terms.iter().fold(0u32, |s, a| s.saturating_add(costs[a]))
        };
        match op {
            Op::And | Op::Or if (op == Op::And) != value => {
                let deciding = args.iter().filter(|a| self.values.eval(**a) == Value::Bool(value));
                deciding.map(|a| self.costs[a]).min().expect("an argument decides the value")
            }
            Op::Ite => {
                let taken = if self.values.holds(args[0]) { 1 } else { 2 };
                sum(&self.costs, &[args[0], args[taken]])
            }
            _ => sum(&self.costs, &args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rat;

    fn model(t: &Terms, values: &[(&str, i64)]) -> Model {
        let mut model = Model::new();
        for (name, value) in values {
            let symbol = t.as_symbol(t.symbol(name, Sort::Int)).unwrap();
            model.set(symbol, Value::Num(Rat::from(*value)));
        }
        model
    }

    #[test]
    fn takes_the_cheap_branch() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let cheap = t.le(x, t.int(5));
        let dear = t.and([t.ge(x, t.int(0)), t.ge(y, t.int(0))]);
        let formula = t.or([dear, cheap]);
        assert_eq!(t.implicant(formula, &model(&t, &[("x", 1), ("y", 1)])), Some(vec![cheap]));
        assert_eq!(t.implicant(formula, &model(&t, &[("x", 9), ("y", -1)])), None);
        let both = t.implicant(formula, &model(&t, &[("x", 9), ("y", 1)])).unwrap();
        assert_eq!(t.and(both), dear);
    }

    #[test]
    fn if_then_else_is_resolved() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let inner = t.ite(t.le(y, t.int(0)), t.int(7), y);
        let max = t.ite(t.le(x, y), inner, x);
        let formula = t.eq(max, t.int(3));
        let implicant = t.implicant(formula, &model(&t, &[("x", 1), ("y", 3)])).unwrap();
        let expected = t.and([t.le(x, y), t.gt(y, t.int(0)), t.eq(y, t.int(3))]);
        assert_eq!(t.and(implicant), expected);
    }
}
