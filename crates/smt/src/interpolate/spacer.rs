//! Interpolants from Z3's Spacer.
//!
//! One uninterpreted relation per cut over the shared symbols; a rule per node says that the children's relations
//! and the node's formula give the node's relation; the query is the root. The inductive covers of the relations are
//! the interpolants.
//!
//! Guards: Spacer rejects uninterpreted functions, so they go in as arrays and come back as functions. Covers may be
//! `true` when one partition alone is unsatisfiable, may use operators we have no term for, or stay open when work
//! runs out; so nothing of this is trusted: the caller checks the four conditions before use.

use super::Tree;
use super::tidy;
use super::vocabulary::Vocabulary;
use crate::calls::Purpose;
use crate::session::Smt;
use crate::z3::back::Reader;
use crate::z3::raw::{self, Fixedpoint};
use craig_logic::{FunId, Op, Sort, Substitution, TermId, Terms};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

impl From<raw::Error> for String {
    fn from(error: raw::Error) -> Self {
        error.0
    }
}

/// A formula per node, the root's being `false`; `shared` gives the vocabulary of each node's cut.
pub fn interpolate(smt: &Smt, tree: &Tree, shared: &[Vocabulary]) -> Result<Vec<TermId>, String> {
    let terms = &**smt.terms();
    let translator = smt.translator();
    let z = &translator.ctx;
    let arrays = FunctionsAsArrays::new(terms, &tree.formulas);
    let formulas: Vec<TermId> = tree.formulas.iter().map(|f| arrays.encode(terms, *f)).collect();
    let root = tree.root();

    let bool_sort = translator.sort(terms, Sort::Bool)?;
    let mut relations = Vec::new();
    for (node, vocabulary) in shared.iter().enumerate() {
        let mut arguments: Vec<TermId> = vocabulary.symbols.iter().map(|s| terms.symbol_term(*s)).collect();
        arguments.extend(vocabulary.functions.iter().map(|f| arrays.symbol(*f)));
        arguments.sort_unstable();
        if node == root {
            arguments.clear();
        }
        let mut sorts = Vec::new();
        let mut asts = Vec::new();
        for argument in &arguments {
            sorts.push(translator.sort(terms, terms.sort(*argument))?);
            asts.push(translator.term(terms, *argument)?);
        }
        let relation = z.fresh_decl("cut", &sorts, bool_sort)?;
        let atom = z.apply(relation, &asts)?;
        relations.push((relation, arguments, atom));
    }
    let (mut rules, mut query) = (Vec::new(), None);
    for (node, formula) in formulas.iter().enumerate() {
        let mut body = vec![translator.term(terms, *formula)?];
        body.extend(tree.children(node).map(|c| relations[c].2));
        let rule = z.implies(z.and(&body)?, relations[node].2)?;
        let mut bound: Vec<TermId> =
            terms.symbols_of(*formula).into_iter().map(|s| terms.symbol_term(s)).collect();
        bound.extend(relations[node].1.iter().copied());
        bound.extend(tree.children(node).flat_map(|c| relations[c].1.iter().copied()));
        bound.sort_unstable();
        bound.dedup();
        let bound = bound.iter().map(|b| translator.term(terms, *b)).collect::<raw::Result<Vec<_>>>()?;
        rules.push(if bound.is_empty() { rule } else { z.quantify(true, &bound, rule)? });
        if node == root {
            query = Some(relations[node].2);
        }
    }
    let query = query.ok_or("a problem without parts")?;
    // What is asked again, because a turn ended, is asked from the start: the answer must not depend on the turns.
    let asked: RefCell<Option<Fixedpoint>> = RefCell::default();
    let ask = |limit| {
        let fixedpoint = Fixedpoint::new(z);
        relations.iter().for_each(|(relation, ..)| fixedpoint.register(*relation));
        rules.iter().for_each(|rule| fixedpoint.rule(*rule));
        fixedpoint.set_limit(limit);
        let answer = fixedpoint.query(query);
        asked.replace(Some(fixedpoint));
        answer
    };
    let reason = || asked.borrow().as_ref().map_or(String::new(), |fixedpoint| fixedpoint.reason());
    smt.calls().count(Purpose::Spacer);
    if smt.calls().ask(None, || z.work(), ask, reason).map_err(|why| why.to_string())? {
        return Err("spacer found the problem satisfiable".into());
    }
    let fixedpoint = asked.take().ok_or("nothing was asked")?;
    let mut result = Vec::new();
    for (node, (relation, arguments, _)) in relations.iter().enumerate() {
        if node == root {
            result.push(terms.fls());
            continue;
        }
        let cover = fixedpoint.cover(*relation)?;
        let term = Reader { translator, terms, bound: arguments }.term(cover.ast)?;
        let decoded = arrays.decode(terms, term)?;
        result.push(tidy::conjunction(terms, &terms.conjuncts(decoded)));
    }
    Ok(result)
}

/// Uninterpreted functions as arrays: `f(x, y)` is `select(select(F, x), y)`.
struct FunctionsAsArrays {
    symbols: FxHashMap<FunId, TermId>,
}

impl FunctionsAsArrays {
    fn new(terms: &Terms, formulas: &[TermId]) -> Self {
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

    fn symbol(&self, function: FunId) -> TermId {
        self.symbols[&function]
    }

    fn encode(&self, terms: &Terms, formula: TermId) -> TermId {
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

    fn decode(&self, terms: &Terms, formula: TermId) -> Result<TermId, String> {
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
