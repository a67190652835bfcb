//! A short slice of the random Remopla programs, and small ones that showed a mistake once. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment
//! make longer runs by hand; the example `remopla` makes them in release.

use craig_engine::Engine;
use craig_fuzz::Tally;
use craig_fuzz::remopla::{Checks, check, check_text, variants};
use craig_testgen::remopla::{Program, Reading, Search, generate, generate_ruled, generate_rules};
use craig_testgen::rng::Rng;
use std::time::Duration;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn slice(make: fn(u64) -> Program, count: u64) {
    let (first, count) = (setting("CRAIG_TEST_SEED", 1), setting("CRAIG_TEST_ROUNDS", 1) * count);
    let mut tally = Tally::default();
    let checks = Checks { inlined: Duration::from_millis(200), ..Checks::default() };
    let failures: Vec<String> = (first..first + count)
        .filter_map(|seed| check(&make(seed), &checks, &mut tally).map(|failure| failure.to_string()))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    // The comparison is worth something only if there is something to find, and something to refine.
    for word in ["explicit: Safe", "explicit: Unsafe", "cycles of refinement: 2 to 4"] {
        assert!(10 * tally.get(word) > count, "{word}: {}", tally.get(word));
    }
}

#[test]
fn modules() {
    slice(generate, 8);
}

#[test]
fn rules() {
    slice(generate_rules, 12);
}

#[test]
fn rules_beside_statements() {
    slice(generate_ruled, 16);
}

/// All choices of interpolants must say this of a text, with all savings and with some by chance.
fn says(expected: Search, text: &str) {
    let checks = Checks { both_stops: true, ..Checks::default() };
    let mut rng = Rng::new(1);
    for all_on in [true, false] {
        let mut chosen = variants(&checks, &mut rng);
        if all_on {
            for options in &mut chosen {
                options.without.clear();
            }
        }
        let engines: Vec<Engine> = chosen.into_iter().map(Engine::Pushdown).collect();
        let mut tally = Tally::default();
        let wrong = check_text(text, Reading::default(), expected, &engines, &checks, rng.bits(), &mut tally);
        assert_eq!(wrong, Ok(()), "{text}");
    }
}

/// Where a result that nobody takes was not computed, an execution had to find the way to any value of it.
#[test]
fn results_that_nobody_takes() {
    says(
        Search::Unsafe,
        "int x(2);
        module bool same() { return x == x; }
        module void main() { same(); error: skip; }",
    );
}

/// A loop that is entered in two places, at the one where it is cut by no run: the checker cut it at the other, where no formula was.
#[test]
fn loops_whose_head_is_not_reached() {
    says(
        Search::Safe,
        "bool x;
        init q <a>;
        q <a> --> q <c>;
        q <b> --> r <c c>;
        r <c> --> r <b b>;
        q <a> --> q <b> (x && !x);
        q <b> --> r <error>;",
    );
}

/// Refinement stopped where the abstract state implied a formula together with how the activation had begun, which rules do not look at.
#[test]
fn what_is_known_of_the_entry() {
    says(
        Search::Safe,
        "init q <a>;
        q <b> --> q <>;
        r <d> --> q <c>;
        q <b> --> q <d d>;
        r <d> --> q <b a>;
        q <d> --> q <b>;
        q <a> --> r <d>;
        r <c> --> r <error c>;",
    );
}

/// In an execution, a bit of an array that was not set was taken for set if a later one was.
#[test]
fn arrays_of_single_bits() {
    says(
        Search::Unsafe,
        "bool flags[3];
        int bits[2](1);
        module void main() { skip (!flags[0] && flags[1] && bits[0] == 0 && bits[1] == 1); error: skip; }",
    );
}
