//! Interpolants that name the values of discrete variables ([`crate::discrete`]).
//!
//! A path through a protocol is infeasible because of the states that it runs through, not because of anything linear. The values that
//! the discrete variables can have at each cut are enumerated from the start of the path on, each cut from the tuples of the one
//! before and the one formula between them. If they contradict the last formula they are interpolants; then, from the end of the
//! path back, the variables that are not needed are left out. Each question is about a single block, which is what makes this cheap
//! where the path as a whole is not.

use craig_logic::{Evaluator, TermId, Terms, Value};
use craig_smt::{Smt, Status};
use std::collections::BTreeSet;

/// So many tuples of values at a cut, and no more: a variable that takes more is dropped. Not tuned.
const MOST: usize = 8;

/// Values of the symbols of a cut.
type Tuple = Vec<Value>;

/// Interpolants of contradictory formulas over the given symbols, one for each cut between two of them; `None` if there are none of
/// this kind, or if it is not quickly said.
pub fn interpolants(smt: &Smt, formulas: &[TermId], cuts: &[Vec<TermId>]) -> Option<Vec<TermId>> {
    let terms = smt.terms();
    let mut reached: Vec<(Vec<TermId>, Vec<Tuple>)> = Vec::new();
    let mut known = terms.tru();
    for (formula, symbols) in formulas.iter().zip(cuts) {
        let mut symbols = symbols.clone();
        let tuples = enumerate(smt, &[known, *formula], &mut symbols)?;
        known = disjunction(terms, &symbols, &tuples);
        reached.push((symbols, tuples));
    }
    let mut wanted = terms.fls();
    let mut found = Vec::new();
    for (i, (mut symbols, mut tuples)) in reached.into_iter().enumerate().rev() {
        let behind = terms.and([formulas[i + 1], terms.not(wanted)]);
        let mut session = smt.session();
        session.assert(behind);
        let mut refutes = |formula: TermId| session.check_assuming(&[formula]).is_unsat();
        wanted = disjunction(terms, &symbols, &tuples);
        if !refutes(wanted) {
            return None;
        }
        let mut at = 0;
        while at < symbols.len() {
            let (mut fewer, mut shorter) = (symbols.clone(), tuples.clone());
            fewer.remove(at);
            without(&mut shorter, at);
            let weaker = disjunction(terms, &fewer, &shorter);
            if refutes(weaker) {
                (symbols, tuples, wanted) = (fewer, shorter, weaker);
            } else {
                at += 1;
            }
        }
        found.push(wanted);
    }
    found.reverse();
    Some(found)
}

/// All tuples of values that the symbols have in models of the formulas. Symbols with too many values are dropped.
fn enumerate(smt: &Smt, formulas: &[TermId], symbols: &mut Vec<TermId>) -> Option<Vec<Tuple>> {
    let terms = smt.terms();
    let mut session = smt.session();
    formulas.iter().for_each(|f| session.assert(*f));
    let mut found: Vec<Tuple> = Vec::new();
    loop {
        match session.check() {
            Status::Unsat => return Some(found),
            Status::Sat => {}
            Status::Unknown(_) => return None,
        }
        let model = session.model()?;
        let mut values = Evaluator::new(terms, &model);
        found.push(symbols.iter().map(|s| values.eval(*s)).collect());
        if found.len() > MOST {
            let different = |i: &usize| found.iter().map(|t| &t[*i]).collect::<BTreeSet<_>>().len();
            let most = (0..symbols.len()).max_by_key(different)?;
            symbols.remove(most);
            without(&mut found, most);
        }
        session.assert(terms.not(disjunction(terms, symbols, &found)));
    }
}

/// Leaves out a place of the tuples.
fn without(tuples: &mut Vec<Tuple>, place: usize) {
    tuples.iter_mut().for_each(|t| {
        t.remove(place);
    });
    tuples.sort_unstable();
    tuples.dedup();
}

fn conjunction(terms: &Terms, symbols: &[TermId], tuple: &[Value]) -> TermId {
    let equation = |(s, v): (&TermId, &Value)| terms.eq(*s, v.to_term(terms, terms.sort(*s)));
    terms.and(symbols.iter().zip(tuple).map(equation))
}

fn disjunction(terms: &Terms, symbols: &[TermId], tuples: &[Tuple]) -> TermId {
    terms.or(tuples.iter().map(|t| conjunction(terms, symbols, t)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_base::Budget;
    use craig_logic::Sort;
    use std::rc::Rc;

    #[test]
    fn what_is_not_needed_is_left_out() {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).expect("a solver");
        let symbol = |name: &str| t.symbol(name, Sort::Int);
        let [s0, m0, s1, m1] = ["s0", "m0", "s1", "m1"].map(symbol);
        let is = |s, n| t.eq(s, t.int(n));
        // s is 1 or 2, then 3 or 4, and never 5; m is carried along.
        let first = t.and([t.or([is(s0, 1), is(s0, 2)]), is(m0, 7)]);
        let next = t.and([t.eq(s1, t.add(s0, t.int(2))), t.eq(m1, m0)]);
        let last = t.and([is(s1, 5), t.distinct(m1, t.int(8))]);
        let formulas = [first, next, last];
        let found = interpolants(&smt, &formulas, &[vec![s0, m0], vec![s1, m1]]).expect("interpolants");
        assert_eq!(found[0], t.or([is(s0, 1), is(s0, 2)]));
        assert_eq!(found[1], t.or([is(s1, 3), is(s1, 4)]));
        // Of values that are too many nothing is said.
        let any = t.le(t.int(0), s0);
        assert_eq!(interpolants(&smt, &[any, t.lt(s0, t.int(0))], &[vec![s0]]), None);
    }
}
