//! Small rewritings that make interpolants readable.

use craig_logic::{Linear, LinearLiteral, Rat, Relation, Sort, TermId, Terms};

/// The terms without repetition, in order.
pub fn unique(terms: Vec<TermId>) -> Vec<TermId> {
    let mut result: Vec<TermId> = Vec::new();
    for term in terms {
        if !result.contains(&term) {
            result.push(term);
        }
    }
    result
}

/// The conjunction; `s <= b and s >= b` becomes `s = b`, of `s <= 3` and `s <= 5` the first stays, `s <= 3 and s != 3` of whole numbers
/// is `s <= 2`.
pub fn conjunction(terms: &Terms, facts: &[TermId]) -> TermId {
    terms.and(merged(terms, facts.iter().flat_map(|f| terms.conjuncts(*f)).collect()))
}

/// The disjunction; dual to [`conjunction`].
pub fn disjunction(terms: &Terms, facts: &[TermId]) -> TermId {
    let negated = facts.iter().flat_map(|f| terms.disjuncts(*f)).map(|f| terms.not(f)).collect();
    terms.or(merged(terms, negated).into_iter().map(|f| terms.not(f)))
}

/// Facts that say the same together, as few as is easy to see.
fn merged(terms: &Terms, facts: Vec<TermId>) -> Vec<TermId> {
    let mut facts = unique(facts);
    let mut i = 0;
    while i < facts.len() {
        let mut j = i + 1;
        while j < facts.len() {
            match merge(terms, facts[i], facts[j]) {
                Some(merged) => {
                    facts[i] = merged;
                    facts.remove(j);
                    // What came before may merge with the result.
                    j = i + 1;
                }
                None => j += 1,
            }
        }
        i += 1;
    }
    facts
}

/// One fact that says what both say, where that is easy to see.
fn merge(terms: &Terms, a: TermId, b: TermId) -> Option<TermId> {
    let (x, y) = (terms.linear_literal(a)?, terms.linear_literal(b)?);
    if x.sort != y.sort {
        return None;
    }
    let (x, y) = match (x.relation, y.relation) {
        (Relation::Le, Relation::Le) => (x, y),
        (Relation::Le, Relation::Ne) => return beside(terms, &x, &y),
        (Relation::Ne, Relation::Le) => return beside(terms, &y, &x),
        _ => return None,
    };
    if x.linear.terms == y.linear.terms {
        // s + c <= 0: the larger constant is the stronger fact.
        return Some(if x.linear.constant >= y.linear.constant { a } else { b });
    }
    let opposite = y.linear.scaled(&Rat::MINUS_ONE);
    (x.linear == opposite).then(|| terms.eq_zero(&x.linear, x.sort))
}

/// `s <= 3` beside `s != 3`, of whole numbers.
fn beside(terms: &Terms, bound: &LinearLiteral, hole: &LinearLiteral) -> Option<TermId> {
    let same = bound.linear == hole.linear || bound.linear == hole.linear.scaled(&Rat::MINUS_ONE);
    let mut numbers = bound.linear.terms.iter().map(|(_, factor)| factor).chain([&bound.linear.constant]);
    let whole = bound.sort == Sort::Int && numbers.all(Rat::is_integer);
    (same && whole).then(|| {
        let constant = &bound.linear.constant + &Rat::ONE;
        terms.le_zero(&Linear { constant, ..bound.linear.clone() }, bound.sort, false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_merge() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        assert_eq!(conjunction(&t, &[t.le(x, y), t.ge(x, y)]), t.eq(x, y));
        assert_eq!(conjunction(&t, &[t.le(x, t.int(3)), t.le(x, t.int(5))]), t.le(x, t.int(3)));
        assert_eq!(disjunction(&t, &[t.le(x, t.int(100)), t.le(x, t.int(120))]), t.le(x, t.int(120)));
        assert_eq!(disjunction(&t, &[t.lt(x, y), t.gt(x, y)]), t.distinct(x, y));
        assert_eq!(conjunction(&t, &[t.ge(x, t.int(4)), t.distinct(x, t.int(4))]), t.ge(x, t.int(5)));
        assert_eq!(disjunction(&t, &[t.eq(x, t.int(4)), t.le(x, t.int(3))]), t.le(x, t.int(4)));
        let apart = [t.ge(x, t.int(4)), t.distinct(x, t.int(5))];
        assert_eq!(conjunction(&t, &apart), t.and(apart));
    }
}
