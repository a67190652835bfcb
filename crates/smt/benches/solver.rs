//! Solver layer benchmarks: interpolation against a plain check and against spacer alone, and incremental checks
//! against raw Z3 on the same queries. (Ratios with medians over many sequences: `examples/ratios.rs`.)
//!
//!     cargo bench -p craig-smt
#![allow(unsafe_code, reason = "the comparison calls Z3's C interface directly")]

#[path = "../tests/random/mod.rs"]
mod random;

use craig_base::Budget;
use craig_logic::{Sort, TermId, Terms};
use craig_smt::Smt;
use craig_smt::interpolate::{self, Hints, Method, Options};
use criterion::{Criterion, criterion_group, criterion_main};
use random::{Family, Random};
use std::ffi::CString;
use std::rc::Rc;
use z3_sys::*;

const SEQUENCES: usize = 30;
/// Units of work for one sequence.
const LIMIT: u64 = 70_000_000;

fn solver(terms: &Rc<Terms>) -> Smt {
    Smt::new(Rc::clone(terms), Budget::unlimited()).expect("a solver")
}

fn sequences() -> Vec<(Rc<Terms>, Vec<TermId>)> {
    let mut found = Vec::new();
    let mut seed = 1;
    while found.len() < SEQUENCES {
        seed += 1;
        let terms = Rc::new(Terms::new());
        let smt = solver(&terms);
        if let Some(parts) = smt.limited(LIMIT, || random::sequence(&smt, Family::Linear, seed)) {
            found.push((terms, parts));
        }
    }
    found
}

fn interpolation(c: &mut Criterion) {
    let problems = sequences();
    let mut group = c.benchmark_group("interpolation");
    group.sample_size(10);
    group.bench_function("plain", |b| {
        b.iter(|| {
            for (terms, parts) in &problems {
                let smt = solver(terms);
                let mut session = smt.session();
                parts.iter().for_each(|p| session.assert(*p));
                smt.limited(LIMIT, || session.check());
            }
        });
    });
    let all = Options::default().methods;
    for (name, methods) in [("layers", all), ("spacer", vec![Method::Spacer])] {
        let options = Options { methods, verify: false, ..Options::default() };
        group.bench_function(name, |b| {
            b.iter(|| {
                for (terms, parts) in &problems {
                    let smt = solver(terms);
                    let none = Hints::default();
                    let _ = smt.limited(LIMIT, || interpolate::sequence(&smt, parts, &none, &options));
                }
            });
        });
    }
    group.finish();
}

/// A chain of differences with choices, and many small questions about it under assumptions.
const VARIABLES: usize = 40;
const QUERIES: usize = 200;

fn queries() -> Vec<Vec<(usize, bool)>> {
    let mut random = Random::new(7);
    let literal = |r: &mut Random| (r.range(0, VARIABLES as i64 - 1) as usize, r.chance(50));
    (0..QUERIES).map(|_| (0..6).map(|_| literal(&mut random)).collect()).collect()
}

fn incremental_ours(queries: &[Vec<(usize, bool)>]) -> impl FnMut() -> usize {
    let terms = Rc::new(Terms::new());
    let smt = solver(&terms);
    let mut session = smt.session();
    let t = Rc::clone(&terms);
    let x: Vec<TermId> = (0..=VARIABLES).map(|i| t.symbol(&format!("x{i}"), Sort::Int)).collect();
    let p: Vec<TermId> = (0..VARIABLES).map(|i| t.symbol(&format!("p{i}"), Sort::Bool)).collect();
    for i in 0..VARIABLES {
        let up = t.le(t.add(x[i], t.int(2)), x[i + 1]);
        let down = t.le(x[i + 1], t.sub(x[i], t.int(1)));
        session.assert(t.or([t.not(p[i]), up]));
        session.assert(t.or([p[i], down]));
    }
    session.assert(t.le(x[VARIABLES], t.add(x[0], t.int(10))));
    let queries: Vec<Vec<TermId>> = queries
        .iter()
        .map(|q| q.iter().map(|(i, v)| if *v { p[*i] } else { t.not(p[*i]) }).collect())
        .collect();
    move || {
        let _alive = &smt;
        queries.iter().filter(|q| session.check_assuming(q).is_sat()).count()
    }
}

fn incremental_raw(queries: &[Vec<(usize, bool)>]) -> impl FnMut() -> usize {
    // SAFETY: plain use of the C interface, one thread, every object kept for the life of the process.
    unsafe {
        let config = Z3_mk_config().expect("a configuration");
        let (k, v) = (CString::new("auto_config").expect("text"), CString::new("false").expect("text"));
        Z3_set_param_value(config, k.as_ptr(), v.as_ptr());
        // Without reference counts: the context keeps every term.
        let c = Z3_mk_context(config).expect("a context");
        let s = Z3_mk_simple_solver(c).expect("a solver");
        Z3_solver_inc_ref(c, s);
        let constant = |name: String, sort: Z3_sort| {
            let name = CString::new(name).expect("text");
            Z3_mk_const(c, Z3_mk_string_symbol(c, name.as_ptr()).expect("a symbol"), sort).expect("a term")
        };
        let (int, bool) = (Z3_mk_int_sort(c).expect("a sort"), Z3_mk_bool_sort(c).expect("a sort"));
        let x: Vec<Z3_ast> = (0..=VARIABLES).map(|i| constant(format!("x{i}"), int)).collect();
        let p: Vec<Z3_ast> = (0..VARIABLES).map(|i| constant(format!("p{i}"), bool)).collect();
        let number = |n: i64| Z3_mk_int64(c, n, int).expect("a number");
        // x - y <= n, in the form our terms have.
        let difference = |a: Z3_ast, b: Z3_ast, n: i64| {
            let minus = Z3_mk_mul(c, 2, [number(-1), b].as_ptr()).expect("a term");
            let sum = Z3_mk_add(c, 2, [a, minus].as_ptr()).expect("a term");
            Z3_mk_le(c, sum, number(n)).expect("a term")
        };
        let not = |a: Z3_ast| Z3_mk_not(c, a).expect("a term");
        let or = |a: Z3_ast, b: Z3_ast| Z3_mk_or(c, 2, [a, b].as_ptr()).expect("a term");
        for i in 0..VARIABLES {
            Z3_solver_assert(c, s, or(not(p[i]), difference(x[i], x[i + 1], -2)));
            Z3_solver_assert(c, s, or(p[i], not(difference(x[i], x[i + 1], 0))));
        }
        Z3_solver_assert(c, s, not(difference(x[0], x[VARIABLES], -11)));
        let queries: Vec<Vec<Z3_ast>> = queries
            .iter()
            .map(|q| q.iter().map(|(i, v)| if *v { p[*i] } else { not(p[*i]) }).collect())
            .collect();
        move || {
            let sat =
                |q: &&Vec<Z3_ast>| Z3_solver_check_assumptions(c, s, q.len() as u32, q.as_ptr()) == Z3_L_TRUE;
            queries.iter().filter(sat).count()
        }
    }
}

fn incremental(c: &mut Criterion) {
    let queries = queries();
    assert_eq!(incremental_ours(&queries)(), incremental_raw(&queries)(), "both see the same problems");
    let mut group = c.benchmark_group("incremental");
    group.bench_function("ours", |b| b.iter(incremental_ours(&queries)));
    group.bench_function("raw", |b| b.iter(incremental_raw(&queries)));
    group.finish();
}

criterion_group!(benches, incremental, interpolation);
criterion_main!(benches);
