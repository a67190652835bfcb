//! Random recursive programs: who unfolds, who summarises and who runs must agree. Every verdict was checked or replayed; two that differ would show
//! that one of these is wrong. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make longer runs by hand.

mod common;

use craig_base::Budget;
use craig_engine::Engine;
use craig_solve::Arithmetic;
use craig_testgen::recursive::generate;
use craig_verdict::{Reason, Verdict};
use std::collections::BTreeMap;

/// Work for each engine: a fraction of a second's.
const WORK: u64 = 1_500_000;
const ENGINES: [&str; 5] = ["runs", "bmc", "spacer", "predicate", "ic3"];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn engines_agree() {
    let (first, count) = (setting("CRAIG_TEST_SEED", 1), 24 * setting("CRAIG_TEST_ROUNDS", 1));
    let engines = Engine::all().into_iter().filter(|engine| ENGINES.contains(&engine.name()));
    let engines: Vec<Engine> = engines.collect();
    let mut decided: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for seed in first..first + count {
        let body = generate(seed);
        let mut verdicts = Vec::new();
        for engine in &engines {
            let budget = Budget::unlimited().with_work(WORK);
            let answer = common::answer(&body, engine.clone(), Arithmetic::Int, &budget);
            match &answer.verdict {
                Verdict::Unknown(reason) => {
                    let wrong = matches!(
                        reason,
                        Reason::Certificate(_) | Reason::Contradiction(_) | Reason::Internal(_) | Reason::NotReplayed(_)
                    );
                    assert!(!wrong, "seed {seed}, {}: {reason:?}\n{body}", engine.name());
                }
                verdict => {
                    verdicts.push((engine.name(), verdict.name()));
                    *decided.entry((engine.name(), verdict.name())).or_default() += 1;
                }
            }
        }
        let same = verdicts.windows(2).all(|pair| pair[0].1 == pair[1].1);
        assert!(same, "seed {seed}: {verdicts:?}\n{body}");
    }
    // The comparison is worth something only if there is something to find.
    for who in [("bmc", "SAFE"), ("bmc", "UNSAFE"), ("spacer", "SAFE"), ("runs", "UNSAFE")] {
        assert!(10 * decided.get(&who).copied().unwrap_or(0) >= count, "{who:?}: {decided:?}");
    }
}
