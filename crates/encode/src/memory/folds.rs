//! Which offsets of an object count as one.
//!
//! A [`Fold`] says that in `start..end` offsets that differ by a multiple of `stride` are the same: the elements of an array that
//! is walked by a variable index. The *normal* form of an offset is the smallest of its class.
//!
//! Invariant of [`Folds`]: two folds are disjoint, or one lies in the first element of the other. Folds that would cross each
//! other become one, over both intervals, with the greatest common divisor of the strides; what is equal once stays equal.

/// One array dimension, or what is treated as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fold {
    pub start: i64,
    /// [`UNBOUNDED`] where the object's size is not known.
    pub end: i64,
    pub stride: i64,
}

pub const UNBOUNDED: i64 = i64::MAX;

impl Fold {
    fn contains(&self, offset: i64) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Behind the first element.
    pub fn first_end(&self) -> i64 {
        self.start.saturating_add(self.stride)
    }

    fn is_trivial(&self) -> bool {
        self.stride <= 0 || self.end.saturating_sub(self.start) <= self.stride
    }

    /// Number of elements, the last perhaps not a whole one.
    pub fn count(&self) -> Option<u64> {
        (self.end != UNBOUNDED).then(|| ((self.end - self.start) as u64).div_ceil(self.stride as u64))
    }

    fn merged(self, other: Fold) -> Fold {
        Fold {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            stride: gcd(self.stride, other.stride),
        }
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// The folds of one object, the widest strides first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folds {
    list: Vec<Fold>,
}

/// How a fold lies to another one that is there.
enum Meeting {
    Apart,
    /// Inside the first element of the other.
    Inside,
    /// Says nothing new.
    Known,
    /// It lies in one element of the other, but not in the first.
    Move(i64),
    /// The other lies in the first element of this one.
    Around,
    /// The other lies in one element of this one, but not in the first.
    Pull(i64),
    Cross,
}

fn meet(new: &Fold, old: &Fold) -> Meeting {
    if new.end <= old.start || old.end <= new.start {
        return Meeting::Apart;
    }
    let inside = |a: &Fold, b: &Fold| b.start <= a.start && a.end <= b.end;
    // Where `a`, inside `b`, begins in its element of `b`, if it lies in one.
    let in_element = |a: &Fold, b: &Fold| {
        let at = (a.start - b.start) % b.stride;
        (a.end != UNBOUNDED && at + (a.end - a.start) <= b.stride).then_some(b.start + at)
    };
    if inside(new, old) {
        if new.stride % old.stride == 0 {
            return Meeting::Known;
        }
        if let Some(start) = in_element(new, old) {
            return if start == new.start { Meeting::Inside } else { Meeting::Move(start) };
        }
    }
    if inside(old, new)
        && let Some(start) = in_element(old, new)
    {
        return if start == old.start { Meeting::Around } else { Meeting::Pull(start) };
    }
    Meeting::Cross
}

impl Folds {
    pub fn normal(&self, mut offset: i64) -> i64 {
        for fold in &self.list {
            if fold.contains(offset) {
                offset = fold.start + (offset - fold.start) % fold.stride;
            }
        }
        offset
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Fold> {
        self.list.iter()
    }

    /// The folds that a normal offset lies in, outermost first.
    pub fn at(&self, offset: i64) -> impl DoubleEndedIterator<Item = &Fold> {
        self.list.iter().filter(move |f| f.contains(offset))
    }

    /// Says whether that changed anything.
    pub fn add(&mut self, fold: Fold) -> bool {
        let before = self.list.clone();
        let mut todo = vec![fold];
        'next: while let Some(mut new) = todo.pop() {
            'again: loop {
                if new.is_trivial() {
                    continue 'next;
                }
                for i in 0..self.list.len() {
                    let old = self.list[i];
                    match meet(&new, &old) {
                        Meeting::Apart | Meeting::Inside | Meeting::Around => continue,
                        Meeting::Known => continue 'next,
                        Meeting::Move(start) => {
                            new = Fold { start, end: start + (new.end - new.start), ..new }
                        }
                        Meeting::Pull(start) => {
                            self.list.remove(i);
                            todo.push(Fold { start, end: start + (old.end - old.start), ..old });
                        }
                        Meeting::Cross => {
                            self.list.remove(i);
                            new = new.merged(old);
                        }
                    }
                    continue 'again;
                }
                let at = self.list.partition_point(|f| (f.stride, -f.start) > (new.stride, -new.start));
                self.list.insert(at, new);
                continue 'next;
            }
        }
        self.list != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folds(list: &[(i64, i64, i64)]) -> Folds {
        let mut folds = Folds::default();
        for &(start, end, stride) in list {
            folds.add(Fold { start, end, stride });
        }
        folds
    }

    #[test]
    fn an_array_in_an_array_of_structs() {
        // struct { int n; int a[4]; } s[10], walked in both dimensions.
        for order in [[(0, 200, 20), (4, 20, 4)], [(4, 20, 4), (0, 200, 20)], [(64, 80, 4), (0, 200, 20)]] {
            let folds = folds(&order);
            assert_eq!(folds.normal(60), 0);
            assert_eq!(folds.normal(64), 4);
            assert_eq!(folds.normal(76), 4);
            assert_eq!(folds.normal(200), 200);
            assert_eq!(folds.iter().count(), 2);
        }
    }

    #[test]
    fn what_crosses_becomes_one() {
        let folds = folds(&[(0, 40, 8), (4, 100, 12)]);
        assert_eq!(folds.normal(96), 0);
        assert_eq!(folds.normal(39), 3);
        assert_eq!(folds.iter().count(), 1);
    }

    proptest! {
        #[test]
        fn equal_offsets_stay_equal(
            list in prop::collection::vec((0i64..60, 1i64..60, 1i64..20, any::<bool>()), 1..6),
        ) {
            let mut folds = Folds::default();
            let mut asked: Vec<Fold> = Vec::new();
            for (start, len, stride, open) in list {
                let fold = Fold { start, end: if open { UNBOUNDED } else { start + len }, stride };
                let before = folds.clone();
                folds.add(fold);
                asked.push(fold);
                for a in 0..130 {
                    prop_assert_eq!(folds.normal(folds.normal(a)), folds.normal(a));
                    // What the old ones had equal, and what each asked for.
                    prop_assert_eq!(folds.normal(before.normal(a)), folds.normal(a));
                    for f in &asked {
                        if f.contains(a) && f.contains(a + f.stride) {
                            prop_assert_eq!(folds.normal(a), folds.normal(a + f.stride));
                        }
                    }
                }
            }
            for (i, a) in folds.list.iter().enumerate() {
                for b in &folds.list[i + 1..] {
                    let apart = a.end <= b.start || b.end <= a.start;
                    prop_assert!(apart || a.start <= b.start && b.end <= a.first_end(), "{a:?} {b:?}");
                }
            }
        }
    }
}
