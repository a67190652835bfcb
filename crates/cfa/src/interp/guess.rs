//! Values for many short runs that together see much of a program: the ends of types, numbers that the program mentions, small and
//! wide ones. A value depends on the seed and on what is asked for, never on the order of the questions.

use super::chooser::{Chooser, Key, Random, Scalar, SplitMix};
use crate::arith;
use crate::expr::{Const, ExprId, ExprKind};
use crate::program::{Choice, EdgeId, LocId, Program};
use crate::types::IntTy;
use dashu::integer::IBig;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which values a run gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// This number everywhere.
    Always(i8),
    /// The least value of each type.
    Least,
    /// The greatest value of each type.
    Greatest,
    /// From 0 to 3.
    Small,
    /// From 0 to 23: calls that count down to zero go some way.
    Medium,
    /// Any value of the type.
    Wide,
    /// What the program mentions, and its neighbours.
    Mentioned,
    /// A little of everything.
    Mixed,
}

/// Chooses in a mood.
#[derive(Debug, Clone)]
pub struct Guess {
    mood: Mood,
    seed: u64,
    mentioned: Arc<[i128]>,
    /// Was anything asked?
    pub asked: bool,
}

/// Numbers that a program mentions, at most so many.
const MENTIONED: usize = 4096;

/// The numbers that a program mentions, without those that are small anyway.
pub fn mentioned(program: &Program) -> Arc<[i128]> {
    let constant = |e: usize| {
        let e = ExprId::from_usize(e);
        match (program.exprs.kind(e), program.types.as_int(program.exprs.ty(e))) {
            (ExprKind::Const(Const::Bits(bits)), Some(int)) => Some(arith::to_i128(*bits, int)),
            (ExprKind::Const(Const::Int(number)), _) => i128::try_from(number).ok(),
            _ => None,
        }
    };
    let found: BTreeSet<i128> =
        (0..program.exprs.len()).filter_map(constant).filter(|n| !(0..=3).contains(n)).collect();
    found.into_iter().take(MENTIONED).collect()
}

/// A seed that is the same for the same text.
pub fn seed_of(text: &str) -> u64 {
    let mut mix = SplitMix(text.len() as u64);
    for bytes in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        mix.absorb(u64::from_le_bytes(word));
    }
    mix.next()
}

impl Guess {
    pub fn new(mood: Mood, seed: u64, mentioned: Arc<[i128]>) -> Guess {
        Guess { mood, seed, mentioned, asked: false }
    }

    fn number(&self, key: &Key, ty: IntTy) -> i128 {
        let mut rng = SplitMix(self.seed);
        rng.absorb_key(key);
        let mood = match self.mood {
            Mood::Mixed => match rng.next() % 8 {
                0 => Mood::Wide,
                1 | 2 => Mood::Mentioned,
                3 => Mood::Always(-1),
                4 => Mood::Least,
                5 => Mood::Greatest,
                _ => Mood::Small,
            },
            mood => mood,
        };
        match mood {
            Mood::Always(n) => i128::from(n),
            Mood::Least => arith::to_i128(arith::bounds(ty).0, ty),
            Mood::Greatest => arith::to_i128(arith::bounds(ty).1, ty),
            Mood::Wide => arith::to_i128(arith::truncate(rng.wide(), ty), ty),
            Mood::Mentioned if !self.mentioned.is_empty() && !rng.next().is_multiple_of(4) => {
                let n = self.mentioned[(rng.next() % self.mentioned.len() as u64) as usize];
                n.saturating_add(i128::from(rng.next() % 3)).saturating_sub(1)
            }
            Mood::Medium => i128::from(rng.next() % 24),
            _ => i128::from(rng.next() % 4),
        }
    }

    /// Is each run of this mood another one?
    fn varies(&self) -> bool {
        !matches!(self.mood, Mood::Always(_) | Mood::Least | Mood::Greatest)
    }
}

impl Chooser for Guess {
    fn bits(&mut self, key: &Key, why: Option<&Choice>, ty: Scalar) -> u128 {
        self.asked = true;
        match ty {
            Scalar::Int(int) => arith::truncate(self.number(key, int).cast_unsigned(), int),
            Scalar::Bool => self.number(key, IntTy::new(1, false)).cast_unsigned() & 1,
            // Arbitrary addresses are mostly null, floats small, whatever the mood.
            _ if self.varies() => Random::new(self.seed).bits(key, why, ty),
            _ => 0,
        }
    }

    fn int(&mut self, key: &Key, _: Option<&Choice>) -> IBig {
        self.asked = true;
        IBig::from(self.number(key, IntTy::new(64, true)))
    }

    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        self.asked = true;
        match self.mood {
            _ if self.varies() => Random::new(self.seed).fill(edge, occurrence, offset, bytes),
            Mood::Always(n) => bytes.fill(n.cast_unsigned()),
            _ => {}
        }
    }

    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        self.asked = true;
        match self.mood {
            Mood::Greatest => enabled.len() - 1,
            _ if self.varies() => Random::new(self.seed).branch(loc, occurrence, enabled),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(guess: &mut Guess, edge: u32, occurrence: u64, ty: IntTy) -> u128 {
        let key = Key::Value { edge: EdgeId::from_raw(edge), occurrence, offset: 0, bit: 0 };
        guess.bits(&key, None, Scalar::Int(ty))
    }

    #[test]
    fn the_ends_of_types() {
        let none: Arc<[i128]> = Arc::from([]);
        for (mood, signed, unsigned) in [
            (Mood::Least, 0x80, 0),
            (Mood::Greatest, 0x7f, 0xff),
            (Mood::Always(-1), 0xff, 0xff),
            (Mood::Always(1), 1, 1),
        ] {
            let mut guess = Guess::new(mood, 7, none.clone());
            assert!(!guess.asked);
            assert_eq!(asked(&mut guess, 1, 0, IntTy::new(8, true)), signed);
            assert_eq!(asked(&mut guess, 2, 5, IntTy::new(8, false)), unsigned);
            assert!(guess.asked);
        }
    }

    #[test]
    fn the_order_of_questions_does_not_matter() {
        let mentioned: Arc<[i128]> = Arc::from([1000, -5]);
        let int = IntTy::new(32, true);
        for mood in [Mood::Small, Mood::Wide, Mood::Mentioned, Mood::Mixed] {
            let (mut one, mut other) =
                (Guess::new(mood, 3, mentioned.clone()), Guess::new(mood, 3, mentioned.clone()));
            let forth: Vec<u128> = (0..50).map(|n| asked(&mut one, 1, n, int)).collect();
            let mut back: Vec<u128> = (0..50).rev().map(|n| asked(&mut other, 1, n, int)).collect();
            back.reverse();
            assert_eq!(forth, back);
            let differ = |value: &u128| *value != forth[0];
            assert!(forth.iter().any(differ), "{mood:?}");
        }
        let mut near = Guess::new(Mood::Mentioned, 3, mentioned);
        let values: BTreeSet<i128> =
            (0..500).map(|n| arith::to_i128(asked(&mut near, 1, n, int), int)).collect();
        assert_eq!(values, BTreeSet::from([-6, -5, -4, 0, 1, 2, 3, 999, 1000, 1001]));
    }

    #[test]
    fn seeds_come_from_the_text() {
        assert_eq!(seed_of("int x;"), seed_of("int x;"));
        let others = ["int y;", "int x; ", "", "int x;int x;"].map(seed_of);
        assert!(others.iter().all(|seed| *seed != seed_of("int x;")));
    }
}
