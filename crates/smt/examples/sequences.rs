//! What interpolation costs on given sequences: each file is an SMT-LIB script whose assertions are the parts.
//!
//!     cargo run --release -p craig-smt --example sequences -- [--alone] [--strong|--weak] FILE...
//!
//! `craig check --dot DIR` writes such files. With `--alone` the other layers are not asked.
//! For every file: the time of a plain check, of the refutation that interpolants are read off, and of the layers without it, each with the atoms of its
//! interpolants; every answer is checked. Then shares, medians, 95th percentiles and sums.
#![allow(clippy::print_stdout, reason = "a program for people")]

use craig_base::Budget;
use craig_logic::{TermId, Terms};
use craig_smt::Smt;
use craig_smt::interpolate::{self, Hints, Method, Options, Strength};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

/// Units of work for a sequence and a method: some ten seconds.
const LIMIT: u64 = 70_000_000;

struct Answer {
    time: f64,
    /// The layer, or why there is none.
    words: String,
    answered: bool,
    atoms: Vec<usize>,
}

fn solver(text: &str) -> Option<(Smt, Vec<TermId>)> {
    let terms = Rc::new(Terms::new());
    let parts = terms.read_script(text).ok()?.assertions;
    Some((Smt::new(terms, Budget::unlimited()).expect("a solver"), parts))
}

fn answer(text: &str, methods: &[Method], strength: Strength) -> Option<Answer> {
    let (smt, parts) = solver(text)?;
    let options = Options { verify: false, strength, words: true, ..Options::only(methods) };
    let start = Instant::now();
    let found = smt.limited(LIMIT, || interpolate::sequence(&smt, &parts, &Hints::default(), &options));
    let time = start.elapsed().as_secs_f64();
    Some(match found {
        Ok(found) => {
            let mut words = found.method().map_or("core", Method::name).to_string();
            let check = smt.limited(6 * LIMIT, || interpolate::check_sequence(&smt, &parts, &found.formulas));
            if let Err(violation) = check {
                words = format!("VIOLATION {violation}");
            }
            let atoms = found.formulas.iter().map(|f| smt.terms().atoms(&[*f]).len()).filter(|n| *n > 0);
            Answer { time, words, answered: true, atoms: atoms.collect() }
        }
        Err(why) => Answer { time, words: why.to_string(), answered: false, atoms: Vec::new() },
    })
}

fn at(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values
        .get(((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut strength = Strength::Simple;
    let others_too = files.first().map(String::as_str) != Some("--alone");
    files.retain(|f| match f.as_str() {
        "--strong" => {
            strength = Strength::Strong;
            false
        }
        "--weak" => {
            strength = Strength::Weak;
            false
        }
        "--alone" => false,
        _ => true,
    });
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    let (mut ratios, mut sizes, mut old_sizes) = (Vec::new(), Vec::new(), Vec::new());
    let mut sums = [0.0; 3];
    let mut answered = 0;
    let mut read = 0;
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let Some((smt, parts)) = solver(&text) else {
            println!("{file}: not read");
            continue;
        };
        read += 1;
        let start = Instant::now();
        let status = smt.limited(LIMIT, || smt.check(&parts));
        let plain = start.elapsed().as_secs_f64();
        let Some(proof) = answer(&text, &[Method::Proof], strength) else { continue };
        let layers = match others_too {
            true => answer(&text, &Method::ALL[1..], Strength::Simple),
            false => None,
        };
        let old = layers.as_ref().map_or(f64::NAN, |l| l.time);
        println!(
            "{file}: {} parts, {} plain {:.1} ms, proof {:.1} ms {} {:?}, others {:.1} ms {} {:?}",
            parts.len(),
            if status.is_unsat() { "" } else { "NOT REFUTED" },
            1e3 * plain,
            1e3 * proof.time,
            proof.words,
            proof.atoms,
            1e3 * old,
            layers.as_ref().map_or("", |l| &l.words),
            layers.as_ref().map_or(&[][..], |l| &l.atoms),
        );
        let key = if proof.answered {
            proof.words.clone()
        } else {
            proof.words.rsplit(':').next().unwrap_or("").to_string()
        };
        *words.entry(key).or_default() += 1;
        if proof.answered {
            answered += 1;
            ratios.push(proof.time / plain);
            sums[0] += plain;
            sums[1] += proof.time;
            sums[2] += old;
            sizes.extend(proof.atoms.iter().map(|n| *n as f64));
            old_sizes.extend(layers.iter().flat_map(|l| &l.atoms).map(|n| *n as f64));
        }
    }
    println!(
        "{read} sequences, {answered} answered ({:.1} %): {words:?}",
        100.0 * answered as f64 / read.max(1) as f64
    );
    println!(
        "  against a plain check: median {:.2}, 95 % {:.2}, worst {:.2}",
        at(&mut ratios, 0.5),
        at(&mut ratios, 0.95),
        at(&mut ratios, 1.0)
    );
    println!(
        "  on these: plain checks {:.2} s, proof {:.2} s, the other layers {:.2} s",
        sums[0], sums[1], sums[2]
    );
    println!(
        "  atoms: proof median {} mean {:.1} 95 % {}; the others median {} mean {:.1} 95 % {}",
        at(&mut sizes, 0.5),
        sizes.iter().sum::<f64>() / sizes.len() as f64,
        at(&mut sizes, 0.95),
        at(&mut old_sizes, 0.5),
        old_sizes.iter().sum::<f64>() / old_sizes.len() as f64,
        at(&mut old_sizes, 0.95)
    );
}
