//! A short slice of the random programs. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make longer runs by
//! hand; the example `fuzz` makes them in release.

use craig_fuzz::{Checks, driver};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn interpreter_encoding_and_engines_agree() {
    let checks = Checks { runs: 1, ..Checks::default() };
    let mut failures = Vec::new();
    let count = setting("CRAIG_TEST_ROUNDS", 1) * 12;
    let tally = driver::run(setting("CRAIG_TEST_SEED", 1), count, &checks, |failure| {
        failures.push(failure.to_string());
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    // The comparison is worth something only if most paths are exact.
    assert!(tally.get("paths Bv: exact") > count, "{tally}");
    assert!(tally.get("paths Int: exact") > count, "{tally}");
}
