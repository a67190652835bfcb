//! What a block touches of an abstract state, and what it leaves alone.
//!
//! A predicate of the source is touched if it shares a symbol, directly or through other predicates of the source, with the block's
//! assumptions or with a predicate behind the block that is not simply one of the source. All others are left alone: what they
//! can be before the block they can be behind it, whatever the touched ones are there. So an abstract state that is a union of few products of
//! touched and untouched parts has a successor that is such a union, and the solver is asked about the touched parts only: flags that
//! have nothing to do with a block do not multiply its questions.
//!
//! Exact: the symbols of both parts are disjoint, so a model of one and a model of the other are one of both.

use crate::precision::{PredicateId, Predicates};
use craig_logic::{TermId, Terms};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction, OutOfNodes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// More products are not few: each is a question at least.
const MAX_PRODUCTS: usize = 4;
/// Nor are so many on the way to them.
const MAX_SPLIT: usize = 64;

/// States in which the touched predicates and the others do not depend on each other.
pub struct Product {
    pub touched: Bdd,
    pub alone: Bdd,
}

/// A state as few products.
pub struct Split {
    /// The variables that the block leaves alone and that are asked for behind it.
    pub alone: FxHashSet<BddVar>,
    pub products: Vec<Product>,
}

/// Symbols and functions of terms.
#[derive(Default)]
pub struct Names(FxHashMap<TermId, Rc<[u64]>>);

impl Names {
    pub fn of(&mut self, terms: &Terms, term: TermId) -> Rc<[u64]> {
        let made = || {
            let symbols = terms.symbols_of(term).into_iter().map(|s| (s.index() as u64) << 1);
            let functions = terms.functions_of_all(&[term]).into_iter().map(|f| (f.index() as u64) << 1 | 1);
            symbols.chain(functions).collect()
        };
        Rc::clone(self.0.entry(term).or_insert_with(made))
    }
}

/// The predicates among `source` that are touched, if `asked` is what the solver is asked about.
pub fn touched(
    terms: &Terms,
    names: &mut Names,
    predicates: &Predicates,
    source: &[PredicateId],
    asked: impl IntoIterator<Item = TermId>,
) -> FxHashSet<PredicateId> {
    let mut reached: FxHashSet<u64> = FxHashSet::default();
    for term in asked {
        reached.extend(names.of(terms, term).iter());
    }
    let mut touched = FxHashSet::default();
    loop {
        let before = touched.len();
        for id in source {
            let own = names.of(terms, predicates.get(*id).term);
            if !touched.contains(id) && own.iter().any(|name| reached.contains(name)) {
                touched.insert(*id);
                reached.extend(own.iter());
            }
        }
        if touched.len() == before {
            return touched;
        }
    }
}

/// Which of the terms share names, directly or through others: groups of their positions, of which one has nothing to do with another.
pub fn groups(terms: &Terms, names: &mut Names, all: &[TermId]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(FxHashSet<u64>, Vec<usize>)> = Vec::new();
    for (at, term) in all.iter().enumerate() {
        let mut own: FxHashSet<u64> = names.of(terms, *term).iter().copied().collect();
        let mut members = vec![at];
        groups.retain_mut(|(others, together)| {
            let apart = own.is_disjoint(others);
            if !apart {
                own.extend(others.iter());
                members.append(together);
            }
            apart
        });
        groups.push((own, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// The state as a union of products; `None` if that takes many.
pub fn products(bdds: &Bdds, state: &Bdd, touched: &[BddVar]) -> Result<Option<Vec<Product>>, OutOfNodes> {
    let mut products = vec![Product { touched: bdds.constant(true), alone: state.clone() }];
    for var in touched {
        let var = bdds.var(*var)?;
        let mut split: Vec<Product> = Vec::new();
        for product in products {
            for literal in [bdds.within(|| var.not())?, var.clone()] {
                let alone = bdds.within(|| bdds.and_exists(&product.alone, &literal, &var))?;
                if !alone.satisfiable() {
                    continue;
                }
                let touched = bdds.within(|| product.touched.and(&literal))?;
                match split.iter().position(|p| p.alone == alone) {
                    Some(same) => split[same].touched = bdds.within(|| split[same].touched.or(&touched))?,
                    None if split.len() == MAX_SPLIT => return Ok(None),
                    None => split.push(Product { touched, alone }),
                }
            }
        }
        products = split;
    }
    Ok((products.len() <= MAX_PRODUCTS).then_some(products))
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn groups_share_no_names() {
        let t = Terms::new();
        let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| t.symbol(name, Sort::Int));
        let less = |x, y| t.lt(x, y);
        // `b` ties the first two, `e` comes last and ties them to the fourth.
        let all =
            [less(a, b), less(b, t.int(3)), less(c, t.int(0)), less(d, t.int(0)), t.eq(d, e), less(e, a)];
        let groups = |terms: &[TermId]| {
            let mut groups = groups(&t, &mut Names::default(), terms);
            groups.iter_mut().for_each(|group| group.sort_unstable());
            groups.sort();
            groups
        };
        assert_eq!(groups(&all[..4]), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(groups(&all), [vec![0, 1, 3, 4, 5], vec![2]]);
    }

    #[test]
    fn products_are_the_state_again() {
        let bdds = Bdds::new(1 << 12, 1 << 10);
        let vars: Vec<BddVar> = (0..6).map(|_| bdds.new_var()).collect();
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|i| bdds.var(vars[i]).unwrap());
        let or = |x: &Bdd, y: &Bdd| x.or(y).unwrap();
        let and = |x: &Bdd, y: &Bdd| x.and(y).unwrap();
        // Independent, and tied to each other by one of the touched ones.
        let independent = and(&or(&a, &c), &and(&or(&b, &d), &e));
        let tied = or(&and(&a, &and(&b, &c)), &and(&a.not().unwrap(), &and(&d, &f)));
        for (state, touched, count) in [(&independent, [vars[0], vars[2]], 1), (&tied, [vars[0], vars[2]], 2)]
        {
            let found = products(&bdds, state, &touched).unwrap().expect("few");
            assert_eq!(found.len(), count);
            let mut all = bdds.constant(false);
            for product in &found {
                assert!(bdds.support(&product.touched).iter().all(|v| touched.contains(v)));
                assert!(bdds.support(&product.alone).iter().all(|v| !touched.contains(v)));
                all = or(&all, &and(&product.touched, &product.alone));
            }
            assert!(all == *state);
        }
        // Each touched variable equals one that is not: as many products as assignments.
        let equal = |x: &Bdd, y: &Bdd| x.xor(y).unwrap().not().unwrap();
        let copies = and(&equal(&a, &d), &and(&equal(&b, &e), &equal(&c, &f)));
        assert!(products(&bdds, &copies, &vars[..3]).unwrap().is_none());
    }
}
