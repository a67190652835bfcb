//! Abstract systems: examples 4.1, 4.2, 4.11 and 8.1.

use super::super::abstraction::{Abstract, Abstraction};
use super::super::saturation::{Moves, Witness, post};
use super::super::space::Place;
use super::super::{Counts, Interpolants, Pushdown, Stopping};
use super::interpolants::{RUNNING, TWO_ZEROS};
use super::*;
use crate::run::Silent;
use crate::task::Task;
use craig_cfa::pass::PrepareOptions;
use std::sync::Arc;

impl Lab<'_> {
    /// No predicates.
    fn abstraction(&self) -> Abstraction {
        Abstraction::new(self.system(), self.space(), &Options::default())
    }

    fn track<const N: usize>(
        &self,
        abstraction: &mut Abstraction,
        at: &str,
        names: [&str; N],
        holds: impl Fn([u32; N]) -> bool,
    ) {
        let predicate = self.formula(names, holds);
        let new = abstraction.add(self.system(), self.space(), self.point(at), &predicate);
        assert!(new.expect("room"), "known at {at}");
    }

    fn bit(&self, index: usize) -> Bdd {
        self.space().abstract_bit(Place::Now, index).expect("room")
    }

    /// Searches the abstract system.
    fn search(&self, abstraction: &mut Abstraction) -> Witness {
        abstraction.refresh(self.concrete, &self.budget).expect("room");
        let moves = Abstract::new(self.concrete, abstraction);
        post(self.system(), &moves, Stopping::Complete, &self.budget).expect("room")
    }
}

/// Example 4.1, figure 4.1: `Y := 2X` becomes `l2 := 1, l3 := l1`.
#[test]
fn example_4_1() {
    let text = "
int X(4), Y(4);
module void main() {
  s1: Y = 2 * X;
  s2: if :: Y == 3 -> goto error; :: else -> return; fi
  error: skip;
}
";
    lab(text, Overflow::Wrap, |lab| {
        let mut abstraction = lab.abstraction();
        lab.track(&mut abstraction, "s1", ["X"], |[x]| x % 2 == 0);
        lab.track(&mut abstraction, "s2", ["Y"], |[y]| y % 2 == 0);
        lab.track(&mut abstraction, "s2", ["Y"], |[y]| y % 4 == 0);
        abstraction.refresh(lab.concrete, &lab.budget).expect("room");
        let moves = Abstract::new(lab.concrete, &abstraction);
        let rule = lab.rule("s1", "s2");
        let (l2, l3) = (lab.bit(0), lab.bit(1));
        // The relation, for each value of l1.
        let behind = moves.step(rule, &lab.bit(0)).expect("room");
        assert!(behind == l2.and(&l3).expect("room"));
        let behind = moves.step(rule, &lab.bit(0).not().expect("room")).expect("room");
        assert!(behind == l2.and(&l3.not().expect("room")).expect("room"));
        // And backwards: no state leads to an odd Y, and those with an even X to a Y that 4 divides.
        assert!(!moves.before(rule, &l2.not().expect("room")).expect("room").satisfiable());
        assert!(moves.before(rule, &l3).expect("room") == lab.bit(0));
    });
}

/// Example 4.2, figures 4.3 to 4.5: with `a != 0` at all points, what the search knows of its bit, and the ways that it finds.
#[test]
fn example_4_2() {
    lab(RUNNING, Overflow::Wrap, |lab| {
        let mut abstraction = lab.abstraction();
        let points = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "error"];
        for point in points {
            lab.track(&mut abstraction, point, ["a"], |[a]| a != 0);
        }
        let witness = lab.search(&mut abstraction);
        for point in points {
            let known = &witness.known[lab.point(point)];
            let expected = match point {
                "n3" => lab.bit(0).not().expect("room"),
                "n4" | "n5" => lab.bit(0),
                _ => lab.space().constant(true),
            };
            assert!(*known == expected, "{point}");
        }
        // All data but `a` is gone: every way to the error is there. Going round changes no abstract value.
        let moves = Abstract::new(lab.concrete, &abstraction);
        let dag = Dag::new(lab.system(), &witness, &moves, true).expect("room");
        let ways = |from: &str, to: &str| {
            let (from, to) = (lab.point(from), lab.point(to));
            let is = |edge: &&DagEdge| dag.nodes[edge.from].point == from && dag.nodes[edge.to].point == to;
            dag.edges.iter().filter(is).count()
        };
        for (from, to) in
            [("n1", "n2"), ("n2", "n3"), ("n2", "n4"), ("n3", "n6"), ("n6", "n7"), ("n7", "error")]
        {
            assert!(ways(from, to) > 0, "{from} to {to}");
        }
        assert_eq!((ways("n4", "n5"), ways("n5", "n4")), (0, 0));
        let strongest =
            Scheme { concrete: lab.concrete, dag: &dag, budget: &lab.budget }.strongest().expect("room");
        assert!(dag.errors.iter().all(|error| !strongest[*error].satisfiable()));
    });
}

/// Example 4.11: the counterexample is gone with strongest interpolants as predicates and with weakest ones, but not with weakest above
/// and strongest below.
#[test]
fn example_4_11_excludes() {
    let reached = |predicates: &dyn Fn(&Lab<'_>, &mut Abstraction)| {
        let mut found = false;
        lab(TWO_ZEROS, Overflow::Block, |lab| {
            let mut abstraction = lab.abstraction();
            predicates(lab, &mut abstraction);
            found = !lab.search(&mut abstraction).errors.is_empty();
        });
        found
    };
    let strong_above = |lab: &Lab<'_>, a: &mut Abstraction| lab.track(a, "n2", ["X"], |[x]| x == 0);
    let strong_below =
        |lab: &Lab<'_>, a: &mut Abstraction| lab.track(a, "n3", ["X", "Y"], |[x, y]| x == 0 && y == 0);
    let weak_below = |lab: &Lab<'_>, a: &mut Abstraction| lab.track(a, "n3", ["Y"], |[y]| y == 0);
    assert!(reached(&|_, _| {}));
    assert!(!reached(&|lab, a| {
        strong_above(lab, a);
        strong_below(lab, a);
    }));
    // The weakest at n2 is true.
    assert!(!reached(&|lab, a| weak_below(lab, a)));
    assert!(reached(&|lab, a| strong_below(lab, a)));
}

/// Example 8.1, figure 8.2: X = 0 is known at 2 and 11, which implies the weakest interpolant at 11. The only new predicate is X != 561
/// (here 6) at 12.
#[test]
fn example_8_1_lazy() {
    let text = "
int X(3), Y(3);
module void main() {
  n1: X = 0;
  n2: Y = undef;
  n11: if :: Y == 5 -> return; :: else -> n12: if :: X == 6 -> goto error; :: else -> return; fi fi
  error: skip;
}
";
    let budget = Budget::unlimited();
    let task = task(text, &budget);
    for without in [Vec::new(), vec![Saving::Lazy]] {
        lab(text, Overflow::Block, |lab| {
            let options = Options {
                interpolants: Interpolants::Weakest,
                without: without.clone(),
                ..Options::default()
            };
            let mut engine =
                Pushdown { task: &task, options: &options, budget: &budget, counts: Counts::default() };
            let mut abstraction = lab.abstraction();
            for point in ["n2", "n11"] {
                lab.track(&mut abstraction, point, ["X"], |[x]| x == 0);
            }
            let outcome = engine.cycle(lab.concrete, &mut abstraction, &mut Silent).expect("a cycle");
            assert!(outcome.is_none());
            let at = |point: &str| &abstraction.predicates[lab.point(point)];
            lab.says(&at("n12")[0], ["X"], |[x]| x != 6);
            if without.is_empty() {
                assert_eq!(abstraction.total(), 3);
            } else {
                lab.says(&at("n11")[1], ["X", "Y"], |[x, y]| y == 5 || x != 6);
            }
            let outcome = engine.cycle(lab.concrete, &mut abstraction, &mut Silent).expect("a cycle");
            assert!(matches!(outcome, Some(craig_verdict::Outcome::Safe(_))));
        });
    }
}

fn task(text: &str, budget: &Budget) -> Task {
    let loaded = remopla::load_text("test.rem", text, &Reading::default(), budget).expect("a program");
    Task::new(Arc::new(loaded.program), false, &PrepareOptions::default(), budget).expect("a task")
}

/// The predicates that a proof takes, in procedures of these names.
fn predicates_inside<const N: usize>(text: &str, interpolants: Interpolants, names: [&str; N]) -> [usize; N] {
    let budget = Budget::unlimited();
    let task = task(text, &budget);
    let mut found = [0; N];
    lab(text, Overflow::Block, |lab| {
        let options = Options { interpolants, ..Options::default() };
        let mut engine =
            Pushdown { task: &task, options: &options, budget: &budget, counts: Counts::default() };
        let mut abstraction = lab.abstraction();
        while engine.cycle(lab.concrete, &mut abstraction, &mut Silent).expect("a cycle").is_none() {}
        found = names.map(|name| {
            let unit = lab.unit(name);
            let points = lab.system().points.iter_enumerated().filter(|(_, point)| point.unit == unit);
            points.map(|(point, _)| abstraction.predicates[point].len()).sum()
        });
    });
    found
}

/// Example 6.2: the weakest interpolants do not look at what comes before.
#[test]
fn example_6_2_predicates_by_procedure() {
    let text = include_str!("../../../../../benchmarks/pushdown/loop_invariant_behind.rem");
    let [complicated, main] = predicates_inside(text, Interpolants::Weakest, ["complicated", "main"]);
    assert!(complicated == 0 && main > 0, "{complicated} {main}");
}

/// Example 6.8: predicates come where the value is made, not where arrays are sorted.
#[test]
fn example_6_8_predicates_by_procedure() {
    let text = include_str!("../../../../../benchmarks/pushdown/quicksort.rem");
    let names = ["quicksort", "one", "main"];
    let [quicksort, one, main] = predicates_inside(text, Interpolants::SkipConciliated, names);
    assert!(quicksort == 0 && one > 0 && main > 0, "{quicksort} {one} {main}");
}
