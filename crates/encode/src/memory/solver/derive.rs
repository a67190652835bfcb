//! Addresses made from addresses: shifts by a constant, walks over arrays, low bits, arithmetic that is not followed.
//!
//! An offset inside a fold stands for that offset in every element, and, where an array is the first member of something, for the
//! beginning of the whole as well. A shift takes both into account, and that it may lead out of the array: the bounds of a pointer are
//! those of its object.

use super::{ANY, Extent, How, Solver, Step, Target, TargetId};
use crate::memory::folds::{Fold, UNBOUNDED};
use crate::memory::objects::ObjectId;

/// A shift farther than this out of an object makes its offset unknown.
const FARTHEST: i64 = 1 << 40;
/// Offsets of one object that constant shifts reach, beyond which they are not followed.
const MANY_OFFSETS: usize = 1024;
/// Constant steps by elements into one object, beyond which it is walked.
const MANY_ELEMENTS: u32 = 64;
/// The same for steps by bytes, which are fields in disguise more often than elements.
const MANY_STEPS: u32 = 256;

impl Solver {
    /// The targets that `how` makes of one.
    pub fn derive(&mut self, how: How, target: TargetId, out: &mut Vec<TargetId>) {
        let target = self.resolve(target);
        let Target { object, offset, .. } = self.targets[target];
        if how == How::Number {
            out.push(target);
            if self.passing.get(object) == Some(&true) {
                out.push(self.wild);
            }
            return;
        }
        if offset == ANY || self.shapes[object].whole || self.is_procedure(object) {
            out.push(target);
            return;
        }
        match how {
            How::Blur | How::Number => out.push(self.any(object)),
            How::Align(mask) => self.low_bits(object, offset, mask, -1, out),
            How::Tag(mask) => self.low_bits(object, offset, mask, 1, out),
            How::Member => out.extend((0..=self.size(object)).contains(&offset).then_some(target)),
            How::Shift { by: 0, .. } => out.push(target),
            How::Shift { by, step } => self.shift(object, offset, by, step, out),
            How::Walk { stride, extent } => {
                let fold = self.walk(object, offset, stride, extent);
                out.push(self.target(object, offset));
                if let Some(fold) = fold
                    && !(fold.start..fold.end).contains(&offset)
                {
                    // From the end of an array, back into it.
                    let into = fold.start + (offset - fold.start).rem_euclid(fold.stride);
                    out.push(self.target(object, into));
                }
            }
        }
    }

    /// What clearing (`sign` -1) or setting (1) low bits may do to an offset, by how the object is aligned.
    fn low_bits(&mut self, object: ObjectId, offset: i64, mask: i64, sign: i64, out: &mut Vec<TargetId>) {
        if self.shapes[object].folds.at(offset).next().is_some() {
            out.push(self.any(object));
            return;
        }
        let align = self.objects[object].align.max(1) as i64;
        if align > mask {
            let at = if sign < 0 { offset & !mask } else { offset | mask };
            out.push(self.near(object, at));
            return;
        }
        for by in 0..=mask {
            out.push(self.near(object, offset + sign * by));
        }
    }

    /// The target at an offset that was computed; without offset if there are too many of them.
    fn near(&mut self, object: ObjectId, at: i64) -> TargetId {
        let far = at < -FARTHEST || at > self.size(object).saturating_add(FARTHEST);
        let many = self.shapes[object].targets.len() > MANY_OFFSETS && !self.has_target(object, at);
        if far || many { self.any(object) } else { self.target(object, at) }
    }

    fn shift(&mut self, object: ObjectId, offset: i64, by: i64, step: Step, out: &mut Vec<TargetId>) {
        let many = if matches!(step, Step::Element(_)) { MANY_ELEMENTS } else { MANY_STEPS };
        if step != Step::Field && self.shapes[object].steps > many {
            if step == Step::Integer {
                out.push(self.any(object));
                return;
            }
            self.walk(object, offset, by.abs(), Extent::Pointer);
        }
        let mut offsets = vec![offset.saturating_add(by)];
        // From the innermost array outwards. The offset stands for that of every element, and, where an array is the first member of
        // something, for that of the whole as well.
        let around: Vec<Fold> = self.shapes[object].folds.at(offset).rev().copied().collect();
        for fold in around {
            let mut next = Vec::new();
            for &at in &offsets {
                if (fold.start..fold.first_end()).contains(&at) {
                    next.push(at);
                    continue;
                }
                if at < fold.end {
                    // From one element to another.
                    next.push(fold.start + (at - fold.start).rem_euclid(fold.stride));
                }
                if !(fold.start..fold.end).contains(&at) {
                    next.push(at);
                }
                self.leave(&fold, at, &mut next);
                if next.len() >= MANY_STEPS as usize {
                    out.push(self.any(object));
                    return;
                }
            }
            offsets = next;
        }
        let size = self.size(object);
        for at in offsets {
            let before = self.targets.len();
            out.push(self.near(object, at));
            if step != Step::Field && self.targets.len() > before && (0..=size).contains(&at) {
                self.shapes[object].steps += 1;
            }
        }
    }

    /// Where a step that leads from the first element to `at` leads out of the array from the others.
    fn leave(&self, fold: &Fold, at: i64, out: &mut Vec<i64>) {
        let mut before = at.saturating_add(fold.stride);
        while before < fold.start && out.len() < MANY_STEPS as usize {
            out.push(before);
            before = before.saturating_add(fold.stride);
        }
        if let Some(count) = fold.count() {
            let mut behind = at.saturating_add((count as i64 - 1).saturating_mul(fold.stride));
            while behind >= fold.end && behind != at && out.len() < MANY_STEPS as usize {
                out.push(behind);
                behind -= fold.stride;
            }
        }
    }

    /// A range of bytes begins at an offset, or in another element of the arrays that it lies in.
    pub fn span(&mut self, object: ObjectId, at: i64, len: i64, step: i64) {
        if !self.shapes[object].spans.contains(&(at, len, step)) {
            self.shapes[object].spans.push((at, len, step));
            self.reach(object, at, len, step);
        }
    }

    /// An array whose end the range may pass, because it may begin in any of its elements, goes on to the end of what it is in. So what lies behind
    /// it is reached as its elements are.
    pub(super) fn reach(&mut self, object: ObjectId, at: i64, len: i64, step: i64) {
        let shape = &self.shapes[object];
        if shape.whole {
            return;
        }
        let (first, size) = (shape.normal(at), self.size(object));
        // From the innermost array outwards, with the last place in its element where the range may begin.
        let folds: Vec<Fold> = shape.folds.at(first).rev().copied().collect();
        let mut last = first;
        for (i, f) in folds.iter().enumerate() {
            let begins_here = step == 0 || f.end.saturating_sub(f.start) <= step;
            if begins_here || first.saturating_add(f.stride).saturating_add(len) > size {
                continue;
            }
            let around = folds.get(i + 1).map_or(size, Fold::first_end);
            if last.saturating_add(len) > f.first_end() && f.end < around {
                self.fold(object, Fold { end: around, ..*f });
                return;
            }
            last = last.saturating_add(f.end.saturating_sub(f.first_end()));
        }
    }

    /// Folds what a walk from an offset goes through.
    pub fn walk(&mut self, object: ObjectId, offset: i64, stride: i64, extent: Extent) -> Option<Fold> {
        if stride <= 0 || self.shapes[object].whole {
            return None;
        }
        let size = self.size(object);
        let fold = match extent {
            Extent::Array(n) => {
                let len = stride.saturating_mul(i64::try_from(n).unwrap_or(UNBOUNDED));
                Fold { start: offset, end: offset.saturating_add(len), stride }
            }
            Extent::Pointer => {
                let known = |f: &Fold| stride % f.stride == 0 && f.start < f.stride && f.end == size;
                if self.shapes[object].folds.at(offset).any(known) {
                    return None;
                }
                Fold { start: offset.rem_euclid(stride), end: size, stride }
            }
        };
        let fold = Fold { end: fold.end.min(size), ..fold };
        self.fold(object, fold);
        (fold.start < fold.end).then_some(fold)
    }
}
