//! Edges per second; run with
//! `cargo test --release -p craig-cfa interp::tests::speed -- --ignored --nocapture`.

use super::*;
use std::time::Instant;

fn measure(name: &str, b: &Build, config: &Config) {
    let start = Instant::now();
    let (run, _) = b.run_with(config, &mut Zero);
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{name}: {} edges, {:.1} million/s, {}", run.steps, run.steps as f64 / seconds / 1e6, run.end);
}

#[test]
#[ignore = "a measurement"]
fn edges_per_second() {
    let config = Config { overflow: Overflow::Wrap, ..Config::default() };
    measure("loop", &control::sum_loop(5_000_000), &config);
    measure("array", &memory::array_loop(2_000_000), &config);
    measure("calls", &calls::fibonacci(27), &config);
}
