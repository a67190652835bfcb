//! Term construction: new terms per second, and finding terms that exist.
//!
//!     cargo bench -p craig-logic

use craig_logic::{Sort, TermId, Terms};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const COUNT: i64 = 100_000;

/// Unary and binary terms over a few symbols: applications, Boolean connectives, selects.
fn small(t: &Terms) {
    let f = t.function("f", &[Sort::Int], Sort::Int);
    let p: Vec<TermId> = (0..64).map(|i| t.symbol(&format!("p{i}"), Sort::Bool)).collect();
    let mut x = t.symbol("x", Sort::Int);
    let mut b = p[0];
    for i in 0..COUNT {
        x = t.apply(f, &[x]);
        b = t.not(t.mk_pair(b, p[(i % 64) as usize]));
    }
    black_box((x, b));
}

/// Linear sums and atoms, brought into normal form.
fn linear(t: &Terms) {
    let x: Vec<TermId> = (0..8).map(|i| t.symbol(&format!("x{i}"), Sort::Int)).collect();
    for i in 0..COUNT {
        let sum = t.add(x[(i % 8) as usize], t.int(i));
        black_box(t.le(sum, x[(i / 8 % 8) as usize]));
    }
}

trait Pair {
    fn mk_pair(&self, a: TermId, b: TermId) -> TermId;
}

impl Pair for Terms {
    /// A binary term that does not flatten into its neighbours.
    fn mk_pair(&self, a: TermId, b: TermId) -> TermId {
        self.and([a, b])
    }
}

fn construction(c: &mut Criterion) {
    let mut group = c.benchmark_group("construction");
    for (name, build) in [("small", small as fn(&Terms)), ("linear", linear)] {
        let t = Terms::new();
        build(&t);
        group.throughput(Throughput::Elements(t.len() as u64));
        group.bench_function(format!("{name}/new"), |b| {
            b.iter(|| {
                let t = Terms::new();
                build(&t);
                t.len()
            });
        });
        group.bench_function(format!("{name}/found"), |b| b.iter(|| build(&t)));
    }
    group.finish();
}

criterion_group!(benches, construction);
criterion_main!(benches);
