//! Frames: what is known of the states that runs reach at a location within so many steps.
//!
//! `F(i, l)` is the conjunction of the lemmas of `l` whose level is at least `i`; a lemma is kept once, at the highest level
//! where it is known to hold (deltas). So `F(i, l)` implies `F(i + 1, l)` by construction. That no run is at `l` before a
//! number of steps is a lemma as well, the one that excludes everything. A lemma that another one implies by its literals goes.

use super::cube::Cube;
use craig_cfa::LocId;
use craig_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

/// The states of the cube are not reached within `level` steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lemma {
    pub cube: Cube,
    pub level: u32,
}

#[derive(Debug, Default)]
struct Location {
    lemmas: Vec<Lemma>,
    /// All that ever became a lemma here, in order, for sessions that are to learn what is new.
    log: Vec<Lemma>,
}

#[derive(Debug, Default)]
pub struct Frames {
    at: FxHashMap<LocId, Location>,
    pub added: u64,
    pub subsumed: u64,
}

impl Frames {
    /// Adds a lemma, or raises the level of one; whether that was news.
    pub fn add(&mut self, loc: LocId, cube: Cube, level: u32) -> bool {
        let here = self.at.entry(loc).or_default();
        if here.lemmas.iter().any(|l| l.level >= level && l.cube.is_within(&cube)) {
            return false;
        }
        let before = here.lemmas.len();
        here.lemmas.retain(|l| l.level > level || !cube.is_within(&l.cube));
        self.subsumed += (before - here.lemmas.len()) as u64;
        self.added += 1;
        let lemma = Lemma { cube, level };
        here.log.push(lemma.clone());
        here.lemmas.push(lemma);
        true
    }

    pub fn at(&self, loc: LocId) -> &[Lemma] {
        self.at.get(&loc).map_or(&[], |l| &l.lemmas)
    }

    /// What became a lemma at a location since its log had this length.
    pub fn news(&self, loc: LocId, since: usize) -> &[Lemma] {
        self.at.get(&loc).map_or(&[], |l| &l.log[since..])
    }

    /// The length of a location's log.
    pub fn logged(&self, loc: LocId) -> usize {
        self.at.get(&loc).map_or(0, |l| l.log.len())
    }

    /// Lemmas of `F(level, loc)`.
    pub fn frame(&self, loc: LocId, level: u32) -> impl Iterator<Item = &Cube> {
        self.at(loc).iter().filter(move |l| l.level >= level).map(|l| &l.cube)
    }

    /// A lemma of `F(level, loc)` that excludes the cube, if its literals tell.
    pub fn excluding(&self, loc: LocId, level: u32, cube: &Cube) -> Option<&Cube> {
        self.frame(loc, level).find(|c| c.is_within(cube))
    }

    /// No run is at the location within so many steps.
    pub fn is_unreached(&self, loc: LocId, level: u32) -> bool {
        self.frame(loc, level).any(Cube::is_all)
    }

    /// Lemmas that hold up to this level, and as far as is known no further, with their locations; in a fixed order.
    pub fn exactly(&self, level: u32) -> Vec<(LocId, Cube)> {
        let mut found: Vec<(LocId, Cube)> = Vec::new();
        for (loc, here) in &self.at {
            found.extend(here.lemmas.iter().filter(|l| l.level == level).map(|l| (*loc, l.cube.clone())));
        }
        found.sort();
        found
    }

    pub fn formula(&self, terms: &Terms, loc: LocId, level: u32) -> TermId {
        terms.and(self.frame(loc, level).map(|c| c.lemma(terms)))
    }

    pub fn len(&self) -> usize {
        self.at.values().map(|l| l.lemmas.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn a_lemma_is_kept_once_at_its_highest_level() {
        let terms = Terms::new();
        let [p, q] = ["p", "q"].map(|n| terms.symbol(n, Sort::Bool));
        let (one, two) = (Cube::new([p]), Cube::new([p, q]));
        let loc = LocId::from_raw(3);
        let mut frames = Frames::default();
        assert!(frames.add(loc, two.clone(), 2));
        assert!(frames.add(loc, one.clone(), 1));
        assert!(!frames.add(loc, two.clone(), 1), "excluded already");
        assert_eq!(frames.frame(loc, 1).count(), 2);
        assert_eq!(frames.frame(loc, 2).collect::<Vec<_>>(), [&two]);
        assert!(frames.add(loc, one.clone(), 2));
        assert_eq!(frames.at(loc), [Lemma { cube: one.clone(), level: 2 }]);
        assert_eq!(frames.exactly(1), []);
        assert_eq!(frames.excluding(loc, 2, &two), Some(&one));
        assert_eq!(frames.excluding(loc, 3, &two), None);
        assert_eq!(frames.logged(loc), 3);
        frames.add(loc, Cube::all(), 1);
        assert!(frames.is_unreached(loc, 1) && !frames.is_unreached(loc, 2));
    }
}
