//! Work: counted, limited, done in turns; and calls that are ended from outside.
#![allow(clippy::print_stdout, reason = "times are for people")]

use craig_base::{Budget, Stop, Turns};
use craig_logic::{Sort, TermId, Terms};
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant, Options};
use craig_smt::{Smt, Status, Undecided};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

fn solver(budget: &Budget) -> (Rc<Terms>, Smt) {
    let terms = Rc::new(Terms::new());
    let smt = Smt::new(Rc::clone(&terms), budget.clone()).unwrap();
    (terms, smt)
}

/// `n` numbers in fewer places: unsatisfiable, and much work for its size.
fn pigeons(t: &Terms, n: i64) -> TermId {
    let x: Vec<TermId> = (0..n).map(|i| t.symbol(&format!("x{i}"), Sort::Int)).collect();
    let places = x.iter().map(|x| t.and([t.le(t.int(1), *x), t.le(*x, t.int(n - 1))]));
    let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    t.and(places.chain(pairs.map(|(i, j)| t.distinct(x[i], x[j]))))
}

/// Two factors of a prime: with bit-vectors this takes very long.
fn factors(t: &Terms) -> TermId {
    let (x, y) = (t.symbol("x", Sort::BitVec(128)), t.symbol("y", Sort::BitVec(128)));
    let limit = t.bv_big(dashu::integer::IBig::from(1) << 64, 128);
    let prime = t.read_term("(_ bv170141183460469231731687303715884105727 128)").unwrap();
    let bounds = [x, y].map(|f| t.and([t.bv_ult(t.bv(1, 128), f), t.bv_ult(f, limit)]));
    t.and([t.eq(t.bv_mul(x, y), prime), bounds[0], bounds[1]])
}

#[test]
fn the_same_question_is_the_same_work() {
    let work = || {
        let (t, smt) = solver(&Budget::unlimited());
        assert_eq!(smt.check(&[pigeons(&t, 6)]), Status::Unsat);
        smt.stats().work
    };
    let first = work();
    assert!(first > 1000, "{first}");
    assert_eq!(first, work());
}

#[test]
fn work_is_taken_from_the_budget() {
    let budget = Budget::unlimited().with_work(1 << 40);
    let (t, smt) = solver(&budget);
    let x = t.symbol("x", Sort::Int);
    let parts = [t.eq(x, t.int(3)), t.eq(x, t.int(4))];
    for method in [Method::Farkas, Method::Spacer, Method::Strongest] {
        let before = budget.work_left().unwrap();
        interpolate::sequence(&smt, &parts, &Hints::default(), &Options::only(&[method])).unwrap();
        assert!(budget.work_left().unwrap() < before, "{method:?}");
    }
    assert_eq!(budget.work_left(), Some((1 << 40) - smt.stats().work));
}

#[test]
fn limits_of_work_are_told_apart() {
    let (t, smt) = solver(&Budget::unlimited());
    let hard = pigeons(&t, 14);
    let mut session = smt.session();
    session.assert(hard);
    session.set_work_limit(20_000);
    assert_eq!(session.check(), Status::Unknown(Undecided::Work));
    session.set_work_limit(0);
    let stopped = smt.limited(20_000, || session.check());
    assert_eq!(stopped, Status::Unknown(Undecided::Stopped(Stop::Work)));
    // Both are usable afterwards, and nobody else's budget has ended.
    session.push();
    session.assert(t.fls());
    assert_eq!(session.check(), Status::Unsat);
    assert_eq!(smt.budget().check(), Ok(()));
    // Nonlinear arithmetic over the integers: the solver gives up by itself, or has too much work.
    let x: Vec<TermId> = ["a", "b", "c"].iter().map(|n| t.symbol(n, Sort::Int)).collect();
    let cube = |x: TermId| t.mul(t.mul(x, x), x);
    let sum = t.eq(t.add(cube(x[0]), cube(x[1])), cube(x[2]));
    let positive = x.iter().map(|x| t.lt(t.int(0), *x));
    let status = smt.limited(2_000_000, || smt.check(&[t.and(positive.chain([sum]))]));
    assert!(matches!(status, Status::Unknown(Undecided::Incomplete(_) | Undecided::Stopped(Stop::Work))));
}

/// A sequence that spacer needs some work for.
fn spacer_problem(t: &Terms) -> Vec<TermId> {
    let states: Vec<Vec<TermId>> =
        (0..7).map(|k| (0..4).map(|v| t.symbol(&format!("v{v}_{k}"), Sort::Int)).collect()).collect();
    let mut parts = vec![t.and(states[0].iter().map(|v| t.and([t.le(t.int(0), *v), t.le(*v, t.int(9))])))];
    for k in 0..6 {
        let (now, next) = (&states[k], &states[k + 1]);
        parts.push(t.or((0..4).map(|i| {
            let j = (i + 1) % 4;
            t.and((0..4).map(|v| match v {
                v if v == i => t.eq(next[v], t.add(now[v], t.int(1))),
                v if v == j => t.eq(next[v], t.sub(now[v], t.int(1))),
                v => t.eq(next[v], now[v]),
            }))
        })));
    }
    parts.push(t.lt(t.int(36), t.sum(states[6].iter().copied(), Sort::Int)));
    parts
}

#[test]
fn a_limit_of_work_ends_spacer() {
    let (t, smt) = solver(&Budget::unlimited());
    let parts = spacer_problem(&t);
    let run = |method_limit| {
        let options = Options { method_limit, ..Options::only(&[Method::Spacer]) };
        interpolate::sequence(&smt, &parts, &Hints::default(), &options)
    };
    let Err(NoInterpolant::NoMethod { tried, .. }) = run(2_000) else { panic!("too much work") };
    assert!(tried.iter().any(|(_, words)| words.contains("work limit")), "{tried:?}");
    assert!(run(100_000_000).is_ok());
}

/// Runs `work` in a thread that gets one turn of so many units after the other; the result, and the number of turns.
fn in_turns<T: Send>(units: u64, work: impl FnOnce(Budget) -> T + Send) -> (T, u32) {
    let turns: Arc<Turns> = Arc::default();
    let budget = Budget::unlimited().with_turns(Arc::clone(&turns));
    thread::scope(|scope| {
        let worker = {
            let turns = Arc::clone(&turns);
            scope.spawn(move || {
                let _done = turns.until_done();
                work(budget)
            })
        };
        let mut number = 1;
        while !turns.give(units, Duration::from_secs(1000), || false) {
            number += 1;
        }
        (worker.join().unwrap(), number)
    })
}

#[test]
fn a_question_goes_on_over_several_turns() {
    let (t, smt) = solver(&Budget::unlimited());
    let expected = smt.check(&[pigeons(&t, 8)]);
    assert_eq!(expected, Status::Unsat);
    let work = smt.stats().work;
    let (found, turns) = in_turns(1000, |budget| {
        let (t, smt) = solver(&budget);
        smt.check(&[pigeons(&t, 8)])
    });
    assert!(work > 200_000, "{work}");
    assert_eq!(found, expected);
    assert!(turns > 2, "{turns}");
    // A session's own limit means one question, however many turns that takes.
    let (found, _) = in_turns(1000, |budget| {
        let (t, smt) = solver(&budget);
        let mut session = smt.session();
        session.assert(pigeons(&t, 12));
        session.set_work_limit(300_000);
        session.check()
    });
    assert_eq!(found, Status::Unknown(Undecided::Work));
}

#[test]
fn interpolants_are_the_same_in_turns() {
    let run = |budget: Budget| {
        let (t, smt) = solver(&budget);
        let parts = spacer_problem(&t);
        let found = interpolate::sequence(&smt, &parts, &Hints::default(), &Options::default()).unwrap();
        found.formulas.iter().map(|f| t.smt(*f)).collect::<Vec<_>>()
    };
    let (found, turns) = in_turns(1000, run);
    assert_eq!(found, run(Budget::unlimited()));
    assert!(turns > 1, "{turns}");
}

#[test]
fn a_cancelled_parent_ends_a_running_call() {
    let root = Budget::unlimited();
    let (t, smt) = solver(&root.child().with_work(u64::MAX));
    let hard = factors(&t);
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        root.cancel();
        Instant::now()
    });
    assert_eq!(smt.check(&[hard]), Status::Unknown(Undecided::Stopped(Stop::Cancelled)));
    let ended = Instant::now();
    println!("ended {:?} after the cancellation", ended - canceller.join().unwrap());
    // The solver is usable afterwards.
    smt.set_budget(Budget::unlimited());
    assert_eq!(smt.check(&[t.tru()]), Status::Sat);
}

#[test]
fn the_clock_and_processor_time_end_a_running_call() {
    let (t, smt) = solver(&Budget::unlimited());
    let hard = factors(&t);
    let short = Duration::from_millis(50);
    smt.set_budget(Budget::unlimited().with_time(short));
    assert_eq!(smt.check(&[hard]), Status::Unknown(Undecided::Stopped(Stop::Time)));
    smt.set_budget(Budget::unlimited().with_cpu(short));
    assert_eq!(smt.check(&[hard]), Status::Unknown(Undecided::Stopped(Stop::Cpu)));
}
