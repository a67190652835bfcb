//! Formulas without what they do not need.
//!
//! Each literal is looked at in its context: what the formula around it makes of the states where it matters. Inside a conjunction the
//! other conjuncts hold, inside a disjunction the other disjuncts do not. A literal that its context decides becomes `true` or `false`, and
//! the constructors clean up around it. The result is equivalent, and no literal of it can be replaced by a constant. Invariants
//! that come out of decision diagrams shrink to what a person would write.

use crate::session::{Session, Smt, Undecided};
use craig_logic::{Evaluator, Model, Op, Rat, Sort, SymbolId, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Models of earlier contexts beside which one of the present context is looked for.
const NEAR: usize = 4;

/// Simplifies a formula. `Ok(None)`: as a tree it has more than `limit` literals, and would take too long.
pub fn simplify(smt: &Smt, formula: TermId, limit: usize) -> Result<Option<TermId>, Undecided> {
    simplify_where(smt, &[], formula, limit)
}

/// Simplifies a formula where others hold: the result is equivalent there.
pub fn simplify_where(
    smt: &Smt,
    known: &[TermId],
    formula: TermId,
    limit: usize,
) -> Result<Option<TermId>, Undecided> {
    let terms = Rc::clone(smt.terms());
    let mut left = limit;
    let Some(tree) = unfold(&terms, formula, true, &mut left) else { return Ok(None) };
    let mut session = smt.session();
    known.iter().for_each(|known| session.assert(*known));
    let mut simplifier = Simplifier { terms: &terms, session, context: known.to_vec(), models: Vec::new() };
    simplifier.run(tree).map(Some)
}

/// The formula in negation normal form with conjunctions and disjunctions only; `None` if it is too large as a tree.
fn unfold(t: &Terms, formula: TermId, positive: bool, left: &mut usize) -> Option<TermId> {
    let args = t.args(formula);
    let mut all =
        |positive: bool| args.iter().map(|a| unfold(t, *a, positive, left)).collect::<Option<Vec<_>>>();
    match (t.op(formula), positive) {
        (Op::Not, _) => unfold(t, args[0], !positive, left),
        (Op::And, true) | (Op::Or, false) => Some(t.and(all(positive)?)),
        (Op::Or, true) | (Op::And, false) => Some(t.or(all(positive)?)),
        (Op::Ite, _) => {
            let when = unfold(t, args[0], true, left)?;
            let unless = unfold(t, args[0], false, left)?;
            let (a, b) = (unfold(t, args[1], positive, left)?, unfold(t, args[2], positive, left)?);
            Some(t.or([t.and([when, a]), t.and([unless, b])]))
        }
        // Relations between conditions are cases; between variables they say what they are.
        (Op::Eq, _) if t.sort(args[0]) == Sort::Bool && args.iter().all(|a| t.as_symbol(*a).is_none()) => {
            let when = unfold(t, args[0], true, left)?;
            let unless = unfold(t, args[0], false, left)?;
            let (a, b) = (unfold(t, args[1], positive, left)?, unfold(t, args[1], !positive, left)?);
            Some(t.or([t.and([when, a]), t.and([unless, b])]))
        }
        (_, positive) => {
            *left = left.checked_sub(1)?;
            Some(if positive { formula } else { t.not(formula) })
        }
    }
}

struct Simplifier<'a> {
    terms: &'a Terms,
    session: Session,
    /// What the session holds.
    context: Vec<TermId>,
    /// Models of earlier contexts, with what formulas are in them: most questions are whether there is one, and one often answers many.
    models: Vec<(Model, FxHashMap<TermId, bool>)>,
}

impl Simplifier<'_> {
    /// The formula in the context that the session holds.
    fn run(&mut self, formula: TermId) -> Result<TermId, Undecided> {
        let t = self.terms;
        let is_and = match t.op(formula) {
            Op::And => true,
            Op::Or => false,
            _ => return self.literal(formula),
        };
        let mut parts: Vec<TermId> = t.args(formula).to_vec();
        loop {
            let mut changed = false;
            for i in 0..parts.len() {
                let outer = self.context.len();
                self.session.push();
                for (_, &other) in parts.iter().enumerate().filter(|(j, _)| *j != i) {
                    let known = if is_and { other } else { t.not(other) };
                    self.session.assert(known);
                    self.context.push(known);
                }
                let simpler = self.run(parts[i]);
                self.session.pop();
                self.context.truncate(outer);
                let simpler = simpler?;
                changed |= simpler != parts[i];
                parts[i] = simpler;
            }
            let whole = if is_and { t.and(parts.iter().copied()) } else { t.or(parts.iter().copied()) };
            let again = changed && matches!((t.op(whole), is_and), (Op::And, true) | (Op::Or, false));
            if !again {
                return Ok(whole);
            }
            parts = t.args(whole).to_vec();
        }
    }

    fn literal(&mut self, literal: TermId) -> Result<TermId, Undecided> {
        let t = self.terms;
        if !self.possible(t.not(literal))? {
            return Ok(t.tru());
        }
        if !self.possible(literal)? {
            return Ok(t.fls());
        }
        Ok(literal)
    }

    /// Whether the context allows the literal.
    fn possible(&mut self, literal: TermId) -> Result<bool, Undecided> {
        let (t, context) = (self.terms, &self.context);
        // Where a model is partial, our evaluation and the solver's may differ: then a literal stays that could go.
        let known = self.models.iter_mut().rev().any(|(model, values)| {
            let mut holds = |formula: TermId| {
                *values.entry(formula).or_insert_with(|| t.eval(formula, model) == Value::Bool(true))
            };
            holds(literal) && context.iter().all(|formula| holds(*formula))
        });
        if known {
            return Ok(true);
        }
        if let Some(model) = self.beside(literal) {
            self.models.push((model, FxHashMap::default()));
            return Ok(true);
        }
        let possible = self.session.check_assuming(&[literal]).decided()?;
        if possible && let Some(model) = self.session.model() {
            self.models.push((model, FxHashMap::default()));
        }
        Ok(possible)
    }

    /// A model of the context and the literal that is one of the last but for the value of one symbol: where a literal may be false, it may mostly be true as well, with little else changed.
    fn beside(&self, literal: TermId) -> Option<Model> {
        let symbols = self.terms.symbols_of(literal);
        let moved = |model: &Model, symbol: SymbolId, value: Value| {
            let mut moved = model.clone();
            moved.set(symbol, value);
            let mut values = Evaluator::new(self.terms, &moved);
            let holds = values.holds(literal) && self.context.iter().all(|formula| values.holds(*formula));
            holds.then_some(moved)
        };
        self.models.iter().rev().take(NEAR).find_map(|(model, _)| {
            symbols.iter().find_map(|symbol| {
                let mut values = near(self.terms, literal, *symbol, model).into_iter();
                values.find_map(|value| moved(model, *symbol, value))
            })
        })
    }
}

/// Values of a symbol about which a literal may change from true to false, as other symbols are in the model.
fn near(terms: &Terms, literal: TermId, symbol: SymbolId, model: &Model) -> Vec<Value> {
    let term = terms.symbol_term(symbol);
    let now = terms.eval(term, model);
    if let Value::Bool(now) = now {
        return vec![Value::Bool(!now)];
    }
    let (Value::Num(now), Some(said)) = (now, terms.linear_literal(literal)) else { return Vec::new() };
    let Some((_, factor)) = said.linear.terms.iter().find(|(monomial, _)| *monomial == term) else {
        return Vec::new();
    };
    let sum = terms.eval(terms.from_linear(&said.linear, said.sort), model);
    let Value::Num(sum) = sum else { return Vec::new() };
    // Where the sum is zero.
    let edge = &now - &(&sum * &factor.recip());
    let edge = if said.sort == Sort::Int { edge.floor() } else { edge };
    [Rat::ZERO, Rat::ONE, Rat::MINUS_ONE].iter().map(|by| Value::Num(&edge + by)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use craig_base::Budget;

    fn simple(text: &str) -> String {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let declared = "(declare-const x Int)(declare-const y Int)(declare-const p Bool)";
        let script = t.read_script(&format!("{declared}(assert {text})")).expect("a formula");
        let formula = script.assertions[0];
        let result = simplify(&smt, formula, 100).expect("decided").expect("small");
        assert_eq!(smt.check(&[t.xor(formula, result)]), Status::Unsat, "equivalent");
        t.smt(result)
    }

    #[test]
    fn what_the_context_decides_goes_away() {
        assert_eq!(simple("(or (<= x 3) (<= x 2) (<= x 1))"), "(<= x 3)");
        assert_eq!(simple("(and (<= x 3) (or (<= x 5) (= y 1)))"), "(<= x 3)");
        assert_eq!(
            simple("(ite (<= x 0) (and (<= x 7) (= y 1)) (and (= y 1) (<= x 9)))"),
            "(and (= y 1) (<= x 9))"
        );
        assert_eq!(simple("(and (<= x 3) (>= x 4))"), "false");
        assert_eq!(simple("(or p (not p))"), "true");
    }

    #[test]
    fn relations_between_conditions_are_cases() {
        // Terms are in the order in which they were made.
        let both = "(or (and (= x 1) (= y 2)) (and ";
        let neither = ["(not (= x 1)) (not (= y 2))))", "(not (= y 2)) (not (= x 1))))"];
        for relation in ["(= (= x 1) (= y 2))", "(not (= (= x 1) (not (= y 2))))"] {
            let found = simple(relation);
            assert!(neither.iter().any(|neither| found == format!("{both}{neither}")), "{found}");
        }
        assert_eq!(simple("(= p (= y 2))"), "(= p (= y 2))");
    }

    #[test]
    fn what_is_known_is_not_said() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let [x, y] = ["x", "y"].map(|n| t.symbol(n, Sort::Int));
        let known = [t.ge(x, t.int(0)), t.le(y, t.int(9))];
        let formula = t.and([t.le(t.int(0), x), t.or([t.lt(x, t.int(0)), t.le(x, y)]), t.le(y, t.int(10))]);
        assert_eq!(simplify_where(&smt, &known, formula, 100), Ok(Some(t.le(x, y))));
        assert_eq!(simplify_where(&smt, &known, t.lt(x, t.int(0)), 100), Ok(Some(t.fls())));
    }

    #[test]
    fn a_model_answers_more_than_one_question() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let names = ["a", "b", "c", "d", "e", "f"];
        let [a, b, c, d, e, f] = names.map(|n| t.symbol(n, Sort::Bool));
        let formula = t.and([t.or([a, b, c]), t.or([d, e, f])]);
        let before = smt.stats().checks;
        assert_eq!(simplify(&smt, formula, 100), Ok(Some(formula)));
        // Two questions about each of six literals; that all of a disjunction may be false is asked once for it.
        assert!(smt.stats().checks - before <= 8, "{}", smt.stats().checks - before);
    }

    #[test]
    fn a_model_beside_one_that_is_known_needs_no_question() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let [x, y, z] = ["x", "y", "z"].map(|n| t.symbol(n, Sort::Int));
        let not = |symbol: TermId, value: i64| t.not(t.eq(symbol, t.int(value)));
        let formula = t.and([t.or([not(x, 1), not(y, 2)]), t.or([not(x, 5), not(z, 3)])]);
        let before = smt.stats().checks;
        assert_eq!(simplify(&smt, formula, 100), Ok(Some(formula)));
        // That both literals of a disjunction may be false at once is asked; that one may be true is seen beside that.
        assert!(smt.stats().checks - before <= 2, "{}", smt.stats().checks - before);
    }

    #[test]
    fn large_trees_are_left_alone() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let x = t.symbol("x", Sort::Int);
        let formula = t.or((0..20).map(|i| t.eq(x, t.int(i))));
        assert_eq!(simplify(&smt, formula, 10), Ok(None));
    }
}
