//! Constrained Horn clauses, for Z3's engine Spacer.
//!
//! A rule says that facts of relations and a formula give a fact of another relation. The question is whether a relation without arguments has a fact. If not, there is a formula for each relation
//! that its facts satisfy and all rules keep; if so, the relations along a derivation tell how.
//!
//! Guards: Spacer rejects uninterpreted functions, so they go in as arrays and come back as functions. Its formulas may use operators that we have no
//! term for, or say too little (`true` where one rule alone contradicts itself): nothing of this is to be trusted before it is checked.

use crate::calls::Purpose;
use crate::session::{Smt, Undecided};
use crate::z3::back::Reader;
use crate::z3::raw::{self, Fixedpoint, View};
use craig_logic::{FunId, Op, Sort, Substitution, TermId, Terms};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;

/// Facts of relations and a formula give a fact. Symbols stand for any value.
#[derive(Debug, Clone)]
pub struct Rule {
    pub from: Vec<(usize, Vec<TermId>)>,
    pub formula: TermId,
    pub to: (usize, Vec<TermId>),
}

#[derive(Debug, Clone, Default)]
pub struct Clauses {
    /// Symbols that stand for the arguments of each relation.
    pub relations: Vec<Vec<TermId>>,
    pub rules: Vec<Rule>,
    /// The relation, without arguments, that is asked for.
    pub query: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solved {
    /// A formula for each relation over its symbols.
    Empty(Vec<TermId>),
    /// It has a fact: the relations along a derivation of it, from the first to the query.
    Derived(Vec<usize>),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsolved {
    Undecided(Undecided),
    /// What came back cannot be read.
    Unreadable(String),
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolved::Undecided(why) => write!(f, "{why}"),
            Unsolved::Unreadable(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for Unsolved {}

impl From<Undecided> for Unsolved {
    fn from(why: Undecided) -> Self {
        Unsolved::Undecided(why)
    }
}

impl From<raw::Error> for Unsolved {
    fn from(error: raw::Error) -> Self {
        Unsolved::Unreadable(error.0)
    }
}

/// Asks Spacer; with `global`, it also generalises from clusters of lemmas.
pub fn solve(smt: &Smt, clauses: &Clauses, global: bool) -> Result<Solved, Unsolved> {
    smt.calls().timed(|| ask(smt, clauses, global))
}

fn ask(smt: &Smt, clauses: &Clauses, global: bool) -> Result<Solved, Unsolved> {
    let terms = &**smt.terms();
    let translator = smt.translator();
    let z = &translator.ctx;
    let in_rule = |r: &Rule| {
        let args = r.from.iter().chain([&r.to]).flat_map(|(_, args)| args.iter().copied());
        std::iter::once(r.formula).chain(args).collect::<Vec<TermId>>()
    };
    let all: Vec<TermId> = clauses.rules.iter().flat_map(in_rule).collect();
    let arrays = FunctionsAsArrays::new(terms, &all);
    let bool_sort = translator.sort(terms, Sort::Bool)?;
    let mut relations = Vec::new();
    for arguments in &clauses.relations {
        let sorts = arguments.iter().map(|a| translator.sort(terms, terms.sort(*a)));
        relations.push(z.fresh_decl("relation", &sorts.collect::<raw::Result<Vec<_>>>()?, bool_sort)?);
    }
    let atom = |(relation, args): &(usize, Vec<TermId>)| {
        let args = args.iter().map(|a| translator.term(terms, arrays.encode(terms, *a)));
        z.apply(relations[*relation], &args.collect::<raw::Result<Vec<_>>>()?)
    };
    let mut rules = Vec::new();
    for rule in &clauses.rules {
        let mut body = vec![translator.term(terms, arrays.encode(terms, rule.formula))?];
        for from in &rule.from {
            body.push(atom(from)?);
        }
        let made = z.implies(z.and(&body)?, atom(&rule.to)?)?;
        let encoded: Vec<TermId> = in_rule(rule).iter().map(|t| arrays.encode(terms, *t)).collect();
        let symbols = terms.symbols_of_all(&encoded).into_iter();
        let bound = symbols.map(|s| translator.term(terms, terms.symbol_term(s)));
        let bound = bound.collect::<raw::Result<Vec<_>>>()?;
        rules.push(if bound.is_empty() { made } else { z.quantify(true, &bound, made)? });
    }
    let query = atom(&(clauses.query, Vec::new()))?;
    // What is asked again, because a turn ended, is asked from the start: the answer must not depend on the turns.
    let asked: RefCell<Option<Fixedpoint<'_>>> = RefCell::default();
    let ask = |limit| {
        let fixedpoint = Fixedpoint::new(z);
        relations.iter().for_each(|relation| fixedpoint.register(*relation));
        rules.iter().for_each(|rule| fixedpoint.rule(*rule));
        fixedpoint.set(limit, global);
        let answer = fixedpoint.query(query);
        asked.replace(Some(fixedpoint));
        answer
    };
    let reason = || asked.borrow().as_ref().map_or(String::new(), |fixedpoint| fixedpoint.reason());
    smt.calls().count(Purpose::Spacer);
    let derived = smt.calls().ask(None, || z.work(), ask, reason)?;
    let Some(fixedpoint) = asked.take() else { return Err(Unsolved::Unreadable("nothing was asked".into())) };
    if derived {
        let derivation = fixedpoint.derivation()?;
        let mut found: Vec<usize> = Vec::new();
        let mut open = vec![derivation.ast];
        while let Some(ast) = open.pop() {
            // A step of the proof has what it leans on as arguments, and last what it shows.
            let View::App(_, _, mut args) = z.view(ast) else { continue };
            let Some(View::App(_, shown, _)) = args.pop().map(|last| z.view(last)) else { continue };
            let is_step = |ast: &raw::Ast| {
                matches!(
                    z.view(*ast),
                    View::App(raw::DeclKind::PrHyperResolve | raw::DeclKind::PrModusPonens, ..)
                )
            };
            found.extend(relations.iter().position(|r| *r == shown));
            open.extend(args.into_iter().filter(is_step));
        }
        found.reverse();
        return Ok(Solved::Derived(found));
    }
    let mut formulas = Vec::new();
    for (relation, arguments) in relations.iter().zip(&clauses.relations) {
        let cover = fixedpoint.cover(*relation)?;
        let term = Reader { translator, terms, bound: arguments }.term(cover.ast)?;
        formulas.push(arrays.decode(terms, term).map_err(Unsolved::Unreadable)?);
    }
    derive(smt, clauses, &mut formulas);
    Ok(Solved::Empty(formulas))
}

/// Of relations that Spacer leaves out, as nothing derives a fact of them, it says `true`. Which of those have a fact the rules tell: the least
/// solution in which these relations have all facts or none, and all others what Spacer says.
fn derive(smt: &Smt, clauses: &Clauses, formulas: &mut [TermId]) {
    let terms = &**smt.terms();
    let mut without: Vec<bool> = formulas.iter().map(|formula| *formula == terms.tru()).collect();
    formulas.iter_mut().zip(&without).filter(|(_, open)| **open).for_each(|(f, _)| *f = terms.fls());
    let mut grew = true;
    while std::mem::take(&mut grew) {
        for rule in &clauses.rules {
            if !without[rule.to.0] {
                continue;
            }
            let mut body = vec![rule.formula];
            for (relation, arguments) in &rule.from {
                let symbols = clauses.relations[*relation].iter().copied();
                let map = symbols.zip(arguments.iter().copied()).collect();
                body.push(terms.substitute(formulas[*relation], &map));
            }
            if !terms.is_false(terms.and(body.iter().copied())) && !smt.check(&body).is_unsat() {
                formulas[rule.to.0] = terms.tru();
                without[rule.to.0] = false;
                grew = true;
            }
        }
    }
}

/// Uninterpreted functions as arrays: `f(x, y)` is `select(select(F, x), y)`.
pub(crate) struct FunctionsAsArrays {
    symbols: FxHashMap<FunId, TermId>,
}

impl FunctionsAsArrays {
    pub(crate) fn new(terms: &Terms, formulas: &[TermId]) -> Self {
        let mut symbols = FxHashMap::default();
        for function in terms.functions_of_all(formulas) {
            let signature = terms.signature(function);
            let sort = signature.domain.iter().rev().fold(signature.range, |e, i| terms.array_sort(*i, e));
            let name = format!("{}!array", terms.function_name(function));
            let symbol = match terms.find_symbol(&name) {
                Some(found) if terms.sort(found) == sort => found,
                Some(_) => terms.fresh(&name, sort),
                None => terms.symbol(&name, sort),
            };
            symbols.insert(function, symbol);
        }
        FunctionsAsArrays { symbols }
    }

    pub(crate) fn symbol(&self, function: FunId) -> TermId {
        self.symbols[&function]
    }

    pub(crate) fn encode(&self, terms: &Terms, formula: TermId) -> TermId {
        if self.symbols.is_empty() {
            return formula;
        }
        let mut map = Substitution::default();
        // Arguments first: inner applications are replaced before outer ones look at them.
        for term in terms.postorder(&[formula]) {
            if let Op::Apply(function) = terms.op(term) {
                let array = self.symbols[&function];
                let args = terms.args(term);
                let encoded = args.iter().fold(array, |a, arg| terms.select(a, terms.substitute(*arg, &map)));
                map.insert(term, encoded);
            }
        }
        terms.substitute(formula, &map)
    }

    pub(crate) fn decode(&self, terms: &Terms, formula: TermId) -> Result<TermId, String> {
        if self.symbols.is_empty() {
            return Ok(formula);
        }
        let mut map = Substitution::default();
        for term in terms.postorder(&[formula]) {
            if terms.op(term) != Op::Select || matches!(terms.sort(term), Sort::Array(_)) {
                continue;
            }
            let mut args = Vec::new();
            let mut array = term;
            while terms.op(array) == Op::Select {
                args.push(terms.substitute(terms.arg(array, 1), &map));
                array = terms.arg(array, 0);
            }
            args.reverse();
            if let Some((function, _)) = self.symbols.iter().find(|(_, s)| **s == array)
                && terms.signature(*function).domain.len() == args.len()
            {
                map.insert(term, terms.apply(*function, &args));
            }
        }
        let decoded = terms.substitute(formula, &map);
        let left = terms.postorder(&[decoded]);
        if self.symbols.values().any(|s| left.contains(s)) {
            return Err("a function came back as a whole array".into());
        }
        Ok(decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_base::Budget;
    use std::rc::Rc;

    /// `x` counts from 0 by `step`; is it ever `goal`?
    fn count(step: i64, goal: i64, global: bool) -> (Rc<Terms>, Smt, Result<Solved, Unsolved>) {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        let x = terms.symbol("x", Sort::Int);
        let next = terms.add(x, terms.int(step));
        let rules = vec![
            Rule { from: vec![], formula: terms.tru(), to: (0, vec![terms.int(0)]) },
            Rule { from: vec![(0, vec![x])], formula: terms.lt(x, terms.int(10)), to: (0, vec![next]) },
            Rule { from: vec![(0, vec![x])], formula: terms.eq(x, terms.int(goal)), to: (1, vec![]) },
        ];
        let solved = solve(&smt, &Clauses { relations: vec![vec![x], vec![]], rules, query: 1 }, global);
        (terms, smt, solved)
    }

    /// Nothing derives `p`, which is a premise of itself, nor what follows from it.
    #[test]
    fn relations_without_facts() {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        let x = terms.symbol("x", Sort::Int);
        let p = |argument| (0, vec![argument]);
        let rules = vec![
            Rule { from: vec![p(terms.add(x, terms.int(1)))], formula: terms.tru(), to: p(x) },
            Rule { from: vec![p(x)], formula: terms.tru(), to: (1, vec![x]) },
            Rule { from: vec![(1, vec![x])], formula: terms.tru(), to: (2, vec![]) },
        ];
        let relations = vec![vec![x], vec![x], vec![]];
        let solved = solve(&smt, &Clauses { relations, rules, query: 2 }, false);
        assert_eq!(solved, Ok(Solved::Empty(vec![terms.fls(); 3])));
    }

    #[test]
    fn formulas_for_relations() {
        for global in [false, true] {
            let (terms, smt, solved) = count(2, 20, global);
            let Ok(Solved::Empty(formulas)) = solved else { panic!("{solved:?}") };
            let x = terms.find_symbol("x").unwrap();
            let start = terms.substitute(formulas[0], &Substitution::from_iter([(x, terms.int(0))]));
            assert!(smt.check(&[terms.not(start)]).is_unsat());
            assert!(smt.check(&[formulas[0], terms.eq(x, terms.int(20))]).is_unsat());
        }
    }

    #[test]
    fn a_derivation_is_a_way() {
        let (_, _, solved) = count(2, 6, false);
        assert_eq!(solved, Ok(Solved::Derived(vec![0, 0, 0, 0, 1])));
    }

    /// Sessions of the same solver are as they were before.
    #[test]
    fn models_are_whole_afterwards() {
        let (terms, smt, _) = count(2, 6, false);
        let (a, i) =
            (terms.symbol("a", terms.array_sort(Sort::Int, Sort::Int)), terms.symbol("i", Sort::Int));
        let formula = terms.and([terms.eq(terms.select(a, i), terms.int(77)), terms.lt(terms.int(0), i)]);
        let (status, model) = smt.check_model(&[formula]);
        assert!(status.is_sat());
        assert!(craig_logic::Evaluator::new(&terms, &model.unwrap()).holds(formula));
    }
}
