//! What proofs of a search without abstraction leave out, and that functions are made only when they are needed.

use super::{Lab, lab};
use crate::pushdown::forget::{Claims, variables};
use crate::pushdown::space::Version;
use crate::pushdown::{Stopping, post};
use craig_frontend::Overflow;
use craig_smt::bdd::BooleanFunction;

/// `count` goes on and on, but only `flag` matters; `shuffle` changes what does not matter.
const FLAG: &str = "
    bool flag;
    int count(3), other(3);
    module void shuffle(int n(3)) { s0: other = n; s1: count = other; s2: return; }
    module void main() {
      m0: flag = true;
      do :: count < 7 -> m1: shuffle(count); m2: count = count + 1; :: else -> break; od
      m3: if :: !flag -> error: skip; :: else -> skip; fi
    }";

/// The claims of a search, and what is left of them.
fn claims(lab: &Lab<'_>) -> (Claims, Option<Claims>) {
    let found = post(lab.system(), lab.concrete, Stopping::Complete, &lab.budget).expect("no limits");
    assert!(found.errors.is_empty());
    let fewer = variables(lab.concrete, &found.known, &lab.budget).expect("room");
    (found.known, fewer)
}

#[test]
fn only_what_matters_is_said() {
    lab(FLAG, Overflow::Block, |lab| {
        let (all, fewer) = claims(lab);
        let fewer = fewer.expect("a smaller proof");
        let space = lab.space();
        let flag = lab.system().globals[0];
        for point in lab.system().points.indices() {
            assert!(
                space.bdds.implies(&all[point], &fewer[point]).expect("room"),
                "{}",
                lab.system().name(point)
            );
            for var in space.bdds.support(&fewer[point]) {
                assert_eq!(space.find(var).map(|(bit, _)| bit), Some(flag), "{}", lab.system().name(point));
            }
        }
        assert!(fewer[lab.point("m3")] == *space.bit(Version::Now, flag));
        assert!(!fewer[lab.point("error")].satisfiable());
    });
}

/// Where the way that the program went matters, its conditions are kept.
#[test]
fn conditions_on_the_way_are_kept() {
    let text = "
        int x(2), y(2), z(2);
        module void main() {
          z = 1;
          if :: x == 0 -> a: y = 1; :: else -> b: y = 2; fi
          if :: x == 0 -> c: if :: y == 2 -> error: skip; :: else -> skip; fi :: else -> skip; fi
        }";
    lab(text, Overflow::Block, |lab| {
        let (_, fewer) = claims(lab);
        let claim = &fewer.expect("a smaller proof")[lab.point("c")];
        let space = lab.space();
        let bits = lab.system().globals.clone();
        let speaks_of = |bits: &[crate::pushdown::space::BitId]| {
            let support = space.bdds.support(claim);
            bits.iter().any(|bit| support.contains(&space.var(Version::Now, *bit)))
        };
        assert!(speaks_of(&bits[2..4]) && !speaks_of(&bits[4..6]));
    });
}

/// A product that no predicate speaks of is not made into diagrams.
#[test]
fn products_are_made_when_they_are_needed() {
    let text = "
        int x(8), y(8), z(8);
        module void main() { m0: z = (x * y) / 256; m1: skip; }";
    lab(text, Overflow::Block, |lab| {
        let space = lab.space();
        let rule = lab.rule("m0", "m1");
        let before = space.bdds.nodes();
        let x = space.bit(Version::Now, lab.system().globals[0]);
        assert!(lab.concrete.before_step(rule, x).expect("room") == *x);
        assert!(space.bdds.nodes() < before + 100);
        let z = space.bit(Version::Now, lab.system().globals[16]);
        assert!(lab.concrete.before_step(rule, z).expect("room") != *z);
        assert!(space.bdds.nodes() > before + 1000);
    });
}
