//! The examples of IC3CFA with the questions that they take, and the counterexamples to what it claims too much.

use super::generalise::{Entered, generalise};
use super::technique::{context, guaranteed, minimal, pred_cubes, wep_split};
use super::*;
use crate::Silent;
use craig_base::Budget;
use craig_cfa::Blocks;
use craig_cfa::pass::PrepareOptions;
use craig_frontend::{Reading, boogie};
use craig_logic::TermId;
use std::sync::Arc;

/// The program of the slides: `y` is never zero at the loop.
const SLIDES: &str = "procedure main() { var x, y: int; assume y > 0; assume x == 1; x := x - 1;
    while (true) { assert !(y == 0 && x == 0); y := y + 1; assume y > -3; } }";

/// The same with a choice: `x - 1` or `x + 1`.
const CHOICE: &str =
    "procedure main() { var x, y: int; assume y > 0; while (*) { y := y + 1; } assume x == 1;
    if (*) { x := x - 1; } else { x := x + 1; }
    while (true) { assert !(y == 0 && x == 0); y := y + 1; assume y > -3; } }";

fn with<T>(text: &str, blocks: Blocks, on: Techniques, work: impl FnOnce(&mut Engine<'_>) -> T) -> T {
    let budget = Budget::unlimited();
    let loaded = boogie::load_text("test.bpl", text, &Reading::default(), &budget).expect("a program");
    let options = PrepareOptions { prune: false, fold: false, cone: false, ..PrepareOptions::default() };
    let task = Task::new(Arc::new(loaded.program), false, &options, &budget).expect("no limit");
    let bench = Workbench::new(&task, Arith::Int, blocks, &budget).expect("no limit");
    let discrete = Discrete::new(&bench).expect("no limit");
    let mut engine = Engine::new(bench, discrete, on);
    technique::init::begin(&mut engine);
    work(&mut engine)
}

impl Engine<'_> {
    fn literal(&self, text: &str) -> TermId {
        self.bench.terms.read_term(text).expect("a literal")
    }

    fn cube(&self, literals: &[&str]) -> Cube {
        Cube::new(literals.iter().map(|l| self.literal(l)))
    }

    /// Calls into the solver that some work takes.
    fn calls<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let before = self.bench.smt.stats().checks;
        let result = work(self);
        (result, self.bench.smt.stats().checks - before)
    }

    /// The location behind the first assumption.
    fn second(&self) -> LocId {
        let program = self.bench.program();
        let mut assumptions = program.edges.iter().filter(|e| matches!(e.op, craig_cfa::Op::Assume(_)));
        assumptions.next().expect("an assumption").to
    }

    fn head(&self) -> LocId {
        self.bench.graph.loop_heads().last().expect("a loop")
    }

    /// The one lemma that excludes a cube, and the calls that its generalisation takes.
    fn lemma(&mut self, cube: &Cube, loc: LocId, level: u32) -> (Cube, u64) {
        let Met::Excluded(needed) = self.exclude(cube, loc, level, 0).expect("no limit") else {
            panic!("it is reached")
        };
        self.calls(|e| generalise(e, cube, loc, level, &needed).expect("no limit"))
    }
}

const OLD: Techniques = Techniques::OLD;

#[test]
fn literals_are_dropped_with_a_question_each() {
    with(SLIDES, Blocks::Single, OLD, |e| {
        let (cube, loc) = (e.cube(&["(= y 0)", "(= x 1)"]), e.second());
        assert_eq!(e.lemma(&cube, loc, 2), (e.cube(&["(= y 0)"]), 2));
        // The same cube again is remembered, even so.
        assert_eq!(e.lemma(&cube, loc, 2), (e.cube(&["(= y 0)"]), 0));
    });
}

#[test]
fn a_context_is_used_for_another_cube() {
    for (on, calls) in [(OLD, 2), (OLD.with(&[Technique::Context]), 0)] {
        with(SLIDES, Blocks::Single, on, |e| {
            let loc = e.second();
            let first = e.cube(&["(= y 0)", "(= x 5)"]);
            assert_eq!(e.lemma(&first, loc, 3).1, 2);
            let second = e.cube(&["(= y 0)", "(= x 1)"]);
            assert_eq!(e.lemma(&second, loc, 3), (e.cube(&["(= y 0)"]), calls));
            assert_eq!(e.lemma(&second, loc, 2), (e.cube(&["(= y 0)"]), 0), "of a lower level, too");
            // Of a higher level nothing is known.
            assert_eq!(e.lemma(&second, loc, 4).1, 2);
        });
    }
}

#[test]
fn literals_of_another_edge_are_not_tried() {
    for (on, second) in [(OLD, 2), (OLD.with(&[Technique::Preds]), 1)] {
        with(SLIDES, Blocks::Large, on, |e| {
            let loc = e.head();
            let before = e.cube(&["(= y (- 1))"]);
            e.add(loc, &[before], 1);
            let cube = e.cube(&["(= y 0)", "(= x 0)"]);
            // `x = 0` is what the first edge makes of `x = 1`: it is dropped by its syntax, and leaves one literal to try there.
            assert_eq!(e.lemma(&cube, loc, 2), (e.cube(&["(= y 0)"]), 1 + second));
        });
    }
}

#[test]
fn what_an_edge_guarantees_is_dropped() {
    // x is 0 behind the first edge whatever it was, but only the solver knows.
    let text = "procedure main() { var x, y: int; assume y > 0; assume x >= 1; assume x <= 1; x := x - 1;
        while (true) { assert !(y == 0 && x == 0); y := y + 1; } }";
    for (on, left) in [(OLD, 2), (OLD.with(&[Technique::Guaranteed]), 1)] {
        with(text, Blocks::Large, on, |e| {
            let (cube, loc) = (e.cube(&["(= y 0)", "(= x 0)"]), e.head());
            let block = e.entering(loc)[0];
            let barred = Barred { block, enough: cube.clone(), from: Source::Core };
            let entered =
                Entered { level: 1, cube: &cube, loops: false, others: &Cube::all(), barred: &barred };
            assert_eq!(guaranteed::drop(e, entered).expect("no limit").len(), left);
        });
    }
}

#[test]
fn predecessor_cubes_take_no_question() {
    with(SLIDES, Blocks::Large, OLD.with(&[Technique::PredCubes]), |e| {
        let loc = e.head();
        let before = e.cube(&["(= y (- 1))"]);
        e.add(loc, &[before], 1);
        let cube = e.cube(&["(= y 0)", "(= x 0)"]);
        let block = *e.entering(loc).last().expect("the loop");
        let find = |e: &mut Engine<'_>, level: u32| {
            let purpose = Purpose::Consecution;
            pred_cubes::find(e, Question { block, level, cube: &cube, outside: None, limit: 0, purpose })
        };
        let (found, calls) = e.calls(|e| find(e, 1).expect("no limit"));
        assert_eq!((found, calls), (Some(e.cube(&["(= y 0)"])), 0));
        // A level higher there is no such lemma.
        assert_eq!(find(e, 2), Ok(None));
    });
}

#[test]
fn over_a_loop_the_negated_cube_excludes_predecessors() {
    let text = "procedure main() { var x, y, z: int; assume y > 0;
        while (true) { assert !(y == 0 && z == 1); if (*) { x := x + 1; } else { z := 2; } } }";
    with(text, Blocks::Large, OLD.with(&[Technique::PredCubes]), |e| {
        let loc = e.head();
        let block = *e.entering(loc).last().expect("the loop");
        let cube = e.cube(&["(= y 0)", "(= z 1)"]);
        let purpose = Purpose::Consecution;
        let question = Question { block, level: 3, cube: &cube, outside: None, limit: 0, purpose };
        assert_eq!(pred_cubes::find(e, question), Ok(None));
        let question = Question { outside: Some(&cube), ..question };
        assert_eq!(e.calls(|e| pred_cubes::find(e, question)), (Ok(Some(cube.clone())), 0));
    });
}

#[test]
fn a_refutation_without_lemmas_counts_at_every_level() {
    with(SLIDES, Blocks::Large, OLD.with(&[Technique::RelindWep]), |e| {
        let block = *e.entering(e.head()).last().expect("the loop");
        let cube = e.cube(&["(<= y (- 5))"]);
        for (level, calls) in [(1, 1), (7, 0)] {
            let purpose = Purpose::Consecution;
            let question = Question { block, level, cube: &cube, outside: None, limit: 0, purpose };
            assert_eq!(e.calls(|e| e.ask(question)), (Ok(Answer::Blocked(cube.clone())), calls));
        }
    });
}

#[test]
fn each_part_of_a_block_has_its_predecessor() {
    with(CHOICE, Blocks::Large, OLD, |e| {
        let loc = e.head();
        let block = e.entering(loc)[0];
        let cube = e.cube(&["(= y 0)", "(= x 0)"]);
        let parts = e.sequences.all(&e.bench, block, 10).expect("no limit").expect("few");
        let terms = Rc::clone(&e.bench.terms);
        // But for which way was chosen.
        let of_state = |l: &TermId| parts::locals(&terms, &e.bench.slots, *l).is_empty();
        let before = |p: &Rc<parts::Sequence>| {
            Cube::new(predecessor::precondition(&terms, p, &cube).into_iter().filter(of_state))
        };
        let before: Vec<Cube> = parts.iter().map(before).collect();
        // x = 1, y = 0, x - 1 = 0 and x = 1, y = 0, x + 1 = 0.
        let minus = e.cube(&["(= x 1)", "(= y 0)", "(= (- x 1) 0)"]);
        let plus = e.cube(&["(= x 1)", "(= y 0)", "(= (+ x 1) 0)"]);
        assert!(before.len() == 2 && before.contains(&minus) && before.contains(&plus), "{before:?}");
        // With a model there is one, and the part that contradicts itself never comes up; the normal form has both.
        let question =
            Question { block, level: 1, cube: &cube, outside: None, limit: 0, purpose: Purpose::Consecution };
        assert_eq!(e.ask(question), Ok(Answer::Reached));
        let cubes = |found: Result<Vec<Predecessor>, Reason>| {
            found.map(|f| f.into_iter().map(|p| p.cube).collect::<Vec<_>>())
        };
        assert_eq!(cubes(wep_split::predecessors(e, block, &cube)), Ok(vec![minus.clone()]));
        assert_eq!(cubes(wep_split::by_normal_form(e, block, &cube, 1)), Ok(vec![minus]));
    });
}

#[test]
fn answers_are_remembered_as_long_as_they_hold() {
    for (on, again) in [(OLD, 1), (OLD.with(&[Technique::RelindWep]), 0)] {
        with(SLIDES, Blocks::Large, on, |e| {
            let loc = e.head();
            let block = *e.entering(loc).last().expect("the loop");
            let (zero, both) = (e.cube(&["(= y 0)"]), e.cube(&["(= y 0)", "(= x 0)"]));
            let ask = |e: &mut Engine<'_>, cube: &Cube, level: u32| {
                let purpose = Purpose::Consecution;
                e.calls(|e| e.ask(Question { block, level, cube, outside: None, limit: 0, purpose }))
            };
            // From y = -1, x = 0; that step leads into every cube with some of these literals, too.
            assert_eq!(ask(e, &both, 2), (Ok(Answer::Reached), 1));
            assert_eq!(ask(e, &zero, 2), (Ok(Answer::Reached), again));
            let other = e.cube(&["(= y (- 2))"]);
            e.frames.add(loc, other, 2);
            assert_eq!(ask(e, &zero, 2), (Ok(Answer::Reached), again), "the frame still has its state");
            let state = e.cube(&["(= y (- 1))"]);
            e.frames.add(loc, state, 2);
            assert_eq!(ask(e, &zero, 2), (Ok(Answer::Blocked(zero.clone())), 1));
            // What was refuted is so for more literals and in stronger frames.
            assert_eq!(ask(e, &both, 1), (Ok(Answer::Blocked(zero.clone())), again));
            // In weaker ones it is not: there the step still begins.
            assert_eq!(ask(e, &both, 3), (Ok(Answer::Reached), again));
        });
    }
}

#[test]
fn one_step_tells_of_many_literals_that_they_are_not_guaranteed() {
    let text = "procedure main() { var a, b, c: int; while (true) { havoc a; havoc b; havoc c;
        assert !(a == 1 && b == 2 && c == 3); } }";
    with(text, Blocks::Large, OLD.with(&[Technique::Guaranteed]), |e| {
        let loc = e.head();
        let cube = e.cube(&["(= a 1)", "(= b 2)", "(= c 3)"]);
        let block = e.entering(loc)[0];
        let barred = Barred { block, enough: cube.clone(), from: Source::Core };
        let entered = Entered { level: 1, cube: &cube, loops: false, others: &Cube::all(), barred: &barred };
        let (left, calls) = e.calls(|e| guaranteed::drop(e, entered).expect("no limit"));
        assert_eq!(left, cube);
        assert!(calls <= 3, "{calls}");
        assert_eq!(e.calls(|e| guaranteed::drop(e, entered).expect("no limit")), (cube.clone(), 0));
    });
}

#[test]
fn both_forms_of_relative_inductiveness_agree() {
    for on in [OLD, OLD.with(&[Technique::RelindWep])] {
        with(SLIDES, Blocks::Large, on, |e| {
            let loc = e.head();
            let cube = e.cube(&["(= y 0)", "(= x 0)"]);
            assert!(matches!(e.exclude(&cube, loc, 1, 0), Ok(Met::Excluded(_))));
            // From y = -1.
            assert!(matches!(e.exclude(&cube, loc, 2, 0), Ok(Met::From(_))));
            // Over the loop, its own negation helps: y = -3 is reached from y = -3 only.
            let own = e.cube(&["(= y 7)", "(= x 5)"]);
            assert!(matches!(e.exclude(&own, loc, 2, 0), Ok(Met::From(_))));
        });
    }
    let stays =
        "procedure main() { var x, y: int; assume y > 0; while (true) { assert y != 0; x := x + 1; } }";
    for on in [OLD, OLD.with(&[Technique::RelindWep])] {
        with(stays, Blocks::Large, on, |e| {
            let (cube, loc) = (e.cube(&["(= y 0)"]), e.head());
            assert!(
                matches!(e.exclude(&cube, loc, 9, 0), Ok(Met::Excluded(_))),
                "y does not change: the negated cube is needed"
            );
        });
    }
}

#[test]
fn one_interpolant_instead_of_four_obligations() {
    for (on, obligations) in [(Techniques::new().without(Technique::Interpolate), 4), (Techniques::new(), 1)]
    {
        with(SLIDES, Blocks::Large, on, |e| {
            assert!(matches!(e.check(&mut Silent), Ok(Outcome::Safe(_))));
            let cubes: Vec<String> =
                e.queue.iter().map(|o| e.bench.terms.c(o.cube.formula(&e.bench.terms))).collect();
            assert_eq!(e.queue.len(), obligations, "{cubes:?}");
        });
    }
}

#[test]
fn a_sum_of_bounds_does_not_count_on() {
    let text = "procedure main() { var i, j: int; i := 0; j := 0;
        while (*) { i := i + 1; j := j + 1; } assume j < 10; assert i < 20; }";
    with(text, Blocks::Large, Techniques::new(), |e| {
        assert!(matches!(e.check(&mut Silent), Ok(Outcome::Safe(_))));
        assert_eq!(e.queue.len(), 1);
        let lemmas: Vec<&Cube> = e.frames.frame(e.head(), 2).collect();
        assert_eq!(lemmas, [&e.cube(&["(<= (+ (- i) j) (- 11))"])]);
    });
}

#[test]
fn nothing_is_there_before_it_can_be() {
    for (on, unreached) in [(OLD, false), (OLD.with(&[Technique::Init]), true)] {
        with(CHOICE, Blocks::Large, on, |e| {
            let loc = e.head();
            assert!(e.frames.is_unreached(loc, 0) && e.frames.is_unreached(loc, 1) == unreached);
            assert!(!e.frames.is_unreached(loc, 2));
        });
    }
}

/// What the slides say of minimal generalisations is not so: for a weaker frame another one may be needed.
#[test]
fn a_minimal_generalisation_is_a_hint_only() {
    let skip = "procedure main() { var x, y: int; while (*) { x := 3; } assume true; while (true) { assert !(x == 1 && y == 1); x := 2; } }";
    with(skip, Blocks::Large, OLD.with(&[Technique::Minimal]), |e| {
        let loc = e.head();
        let block = e.entering(loc)[0];
        let from = e.from(block);
        let cube = e.cube(&["(= x 1)", "(= y 1)"]);
        let (x, y) = (e.cube(&["(= x 1)"]), e.cube(&["(= y 1)"]));
        e.frames.add(from, x.clone(), 1);
        e.frames.add(from, y.clone(), 2);
        // As found in the stronger frame, where both would do.
        let barred = Barred { block, enough: cube.clone(), from: Source::Core };
        let entered = Entered { level: 2, cube: &cube, loops: false, others: &Cube::all(), barred: &barred };
        context::note(e, entered, &x);
        // In the weaker frame the hint says x = 1, and y = 1 is needed: the lemma has both.
        let entered = Entered { level: 3, ..entered };
        assert_eq!(minimal::hint(e, entered), Some(x));
        let found =
            generalise(e, &cube, loc, 3, &[Barred { block, enough: cube.clone(), from: Source::Core }])
                .expect("no limit");
        assert_eq!(found, cube);
    });
}

/// The union over edges holds for each of them; over a loop only if its hypothesis is the lemma itself.
#[test]
fn a_loop_comes_last() {
    // Over the loop {x = 1} is inductive relative to its own negation, {x = 1, y = 1} is not: (1, 0) steps into it.
    let text = "procedure main() { var x, y: int; assume y != 1 && x != 1; while (true) { assert !(x == 1 && y == 1); y := 1; } }";
    for on in [OLD, OLD.with(&[Technique::Preds, Technique::Context, Technique::RelindWep])] {
        with(text, Blocks::Large, on, |e| {
            assert!(
                matches!(e.check(&mut Silent), Ok(Outcome::Safe(_))),
                "every lemma is verified on the way"
            );
        });
    }
}

/// Interpolants of one engine are candidates for lemmas, and lemmas are candidates for interpolants.
#[test]
fn engines_hear_of_each_other() {
    let text = "procedure main() { var i, j, n: int; assume n > 0; i := 0; j := n;
        while (i < n) { i := i + 1; j := j - 1; } assert j == 0; }";
    let budget = Budget::unlimited();
    let loaded = boogie::load_text("test.bpl", text, &Reading::default(), &budget).expect("a program");
    let task =
        Task::new(Arc::new(loaded.program), false, &PrepareOptions::default(), &budget).expect("no limit");
    let count = |engine: crate::Engine, counter: &str| {
        let mut silent = Silent;
        let mut control = Control::new(&budget, &mut silent);
        assert!(matches!(engine.run(&task, Arith::Int, &mut control), Outcome::Safe(_)));
        control.stats.get(counter).unwrap_or(0.0)
    };
    let ic3 = || crate::Engine::Ic3(Options::default());
    assert_eq!(count(ic3(), "candidates_taken"), 0.0);
    // An equation over three variables is no candidate before somebody has found it.
    assert!(count(crate::Engine::Impact(Default::default()), "interp_candidates") > 0.0);
    assert!(count(ic3(), "candidates_taken") > 0.0);
}
