//! A short slice of the random programs. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make longer runs by
//! hand; the example `fuzz` makes them in release.

use craig_fuzz::{Checks, driver};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn interpreter_encoding_and_engines_agree() {
    let (first, count) = (setting("CRAIG_TEST_SEED", 1), setting("CRAIG_TEST_ROUNDS", 1) * 24);
    let mut failures = Vec::new();
    let tally = driver::run(first, count, 1, &Checks::default(), |_, failure| {
        failures.extend(failure.map(|f| f.to_string()))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let exact = [tally.get("paths Bv: exact"), tally.get("paths Int: exact")];
    // The comparison is worth something only if many paths are exact.
    assert!(exact.iter().all(|n| 2 * n > count), "{exact:?} of {count} programs");
}
