//! `ic3` with every pair of its techniques on and off, on random programs over integers: one verdict, each checked or replayed, and (in debug builds) every
//! lemma asked again in a session of its own. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make longer runs by hand.

use craig_base::Budget;
use craig_encode::Options;
use craig_engine::Engine;
use craig_engine::ic3::{self, Technique, Techniques};
use craig_engine::switches::Switch;
use craig_frontend::{Reading, boogie};
use craig_fuzz::engine::{Judged, Limits, judge};
use craig_testgen::integers::{Lang, generate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Work for an answer: a fraction of a second in release.
const LIMITS: Limits = Limits { answer: 1_000_000, flat: 0 };

/// The rows of a covering array: no technique; then row `i` of seven has a technique if `i` is in its set, each technique having another set of four.
fn pairwise(techniques: &[Technique]) -> Vec<Techniques> {
    let sets: Vec<u32> = (0..128_u32).filter(|set| set.count_ones() == 4).collect();
    assert!(techniques.len() <= sets.len());
    let row = |i: u32| {
        let on = techniques.iter().zip(&sets).filter(|(_, set)| *set & 1 << i != 0).map(|(t, _)| *t);
        Techniques::OLD.with(&on.collect::<Vec<_>>())
    };
    std::iter::once(Techniques::OLD).chain((0..7).map(row)).collect()
}

#[test]
fn the_rows_cover_all_pairs() {
    let all = Technique::ALL;
    let rows = pairwise(all);
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            for wanted in [(false, false), (false, true), (true, false), (true, true)] {
                assert!(rows.iter().any(|r| (r.has(*a), r.has(*b)) == wanted), "{a:?} {b:?} {wanted:?}");
            }
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn all_pairs_of_techniques_agree() {
    let (first, rounds) = (setting("CRAIG_TEST_SEED", 1), setting("CRAIG_TEST_ROUNDS", 1));
    let mut rows = pairwise(Technique::ALL);
    rows.push(Techniques::default());
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first..first + 6 * rounds {
        let text = generate(seed).text(Lang::Boogie);
        let loaded = boogie::load_text("random.bpl", &text, &Reading::default(), &Budget::unlimited());
        let program = Arc::new(loaded.expect("a program").program);
        let mut verdicts: Vec<(&str, Techniques)> = Vec::new();
        for on in &rows {
            let engine = Engine::Ic3(ic3::Options { techniques: *on, ..Default::default() });
            let judged = judge(&program, seed, &engine, &Options::default(), LIMITS);
            let verdict = match judged {
                Judged::Safe(..) => "SAFE",
                Judged::Unsafe { .. } => "UNSAFE",
                Judged::Unknown(_) => "UNKNOWN",
                other => panic!("seed {seed}, {on}: {other:?}\n{text}"),
            };
            *tally.entry(verdict).or_default() += 1;
            if verdict != "UNKNOWN" {
                verdicts.push((verdict, *on));
            }
        }
        let one = verdicts.windows(2).all(|w| w[0].0 == w[1].0);
        assert!(one, "seed {seed}: {verdicts:?}\n{text}");
    }
    eprintln!("{tally:?}");
}
