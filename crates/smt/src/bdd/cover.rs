//! Few cubes for a function: an irredundant sum of products between two bounds (ISOP).

use super::{Bdd, BddVar, Bdds, BooleanFunction, OutOfNodes};
use rustc_hash::FxHashMap;

/// Literals that hold together.
pub type Cube = Vec<(BddVar, bool)>;

impl Bdds {
    /// Cubes whose disjunction lies between `lower` and `upper`, none of which can be left out; `None` if these are more than `most`.
    pub fn cover(&self, lower: &Bdd, upper: &Bdd, most: usize) -> Result<Option<Vec<Cube>>, OutOfNodes> {
        let mut search = Cover { bdds: self, most, known: FxHashMap::default() };
        Ok(search.between(lower, upper)?.map(|(cubes, _)| cubes))
    }
}

/// Cubes, and the function that they are.
type Found = (Vec<Cube>, Bdd);

struct Cover<'a> {
    bdds: &'a Bdds,
    most: usize,
    #[allow(
        clippy::mutable_key_type,
        reason = "a BDD hashes by the node it names; only the count of its owners changes"
    )]
    known: FxHashMap<(Bdd, Bdd), Found>,
}

impl Cover<'_> {
    /// No deeper than there are variables.
    fn between(&mut self, lower: &Bdd, upper: &Bdd) -> Result<Option<Found>, OutOfNodes> {
        if !lower.satisfiable() {
            return Ok(Some((Vec::new(), self.bdds.constant(false))));
        }
        if upper.valid() {
            return Ok(Some((vec![Vec::new()], self.bdds.constant(true))));
        }
        let key = (lower.clone(), upper.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let bdds = self.bdds;
        let top = [lower, upper].into_iter().filter_map(|f| bdds.split(f)).map(|(var, ..)| var).min();
        let var = top.expect("one of them is no constant");
        let halves = |f: &Bdd| match bdds.split(f) {
            Some((first, yes, no)) if first == var => (yes, no),
            _ => (f.clone(), f.clone()),
        };
        let ((lower_yes, lower_no), (upper_yes, upper_no)) = (halves(lower), halves(upper));
        let minus = |a: &Bdd, b: &Bdd| bdds.within(|| a.and(&b.not()?));
        // What only one of the halves may have needs the variable.
        let Some(no) = self.between(&minus(&lower_no, &upper_yes)?, &upper_no)? else { return Ok(None) };
        let Some(yes) = self.between(&minus(&lower_yes, &upper_no)?, &upper_yes)? else { return Ok(None) };
        let rest = bdds.within(|| lower_no.and(&no.1.not()?)?.or(&lower_yes.and(&yes.1.not()?)?))?;
        let either = bdds.within(|| upper_no.and(&upper_yes))?;
        let Some(both) = self.between(&rest, &either)? else { return Ok(None) };
        if no.0.len() + yes.0.len() + both.0.len() > self.most {
            return Ok(None);
        }
        let literal = bdds.var(var)?;
        let function = bdds.within(|| literal.ite(&yes.1, &no.1)?.or(&both.1))?;
        let mut cubes = both.0;
        for (found, positive) in [(no.0, false), (yes.0, true)] {
            cubes.extend(found.into_iter().map(|cube| [vec![(var, positive)], cube].concat()));
        }
        self.known.insert(key, (cubes.clone(), function.clone()));
        Ok(Some((cubes, function)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_lies_between_its_bounds_and_has_nothing_needless() {
        let bdds = Bdds::new(1 << 12, 1 << 10);
        let vars: Vec<BddVar> = (0..4).map(|_| bdds.new_var()).collect();
        let x: Vec<Bdd> = vars.iter().map(|v| bdds.var(*v).unwrap()).collect();
        let or = |a: &Bdd, b: &Bdd| a.or(b).unwrap();
        let and = |a: &Bdd, b: &Bdd| a.and(b).unwrap();
        let functions = [
            (or(&and(&x[0], &x[1]), &x[3]), 2),
            (or(&and(&x[0], &x[1]), &and(&x[0].not().unwrap(), &x[2])), 2),
            (x[0].xor(&x[1]).unwrap().xor(&x[2]).unwrap(), 4),
        ];
        for (function, size) in functions {
            let cubes = bdds.cover(&function, &function, 100).unwrap().unwrap();
            assert_eq!(cubes.len(), size);
            let all = cubes.iter().fold(bdds.constant(false), |all, c| or(&all, &bdds.cube(c).unwrap()));
            assert!(all == function);
            assert_eq!(bdds.cover(&function, &function, size - 1), Ok(None));
        }
        // Nobody asks for what lies between.
        let (lower, upper) = (and(&x[0], &x[1]), or(&x[0], &x[2]));
        assert_eq!(bdds.cover(&lower, &upper, 100), Ok(Some(vec![vec![(vars[0], true)]])));
    }
}
