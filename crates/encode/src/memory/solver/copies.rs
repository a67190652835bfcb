//! Copies of bytes between objects: aggregates that are assigned, `memcpy`, `realloc`.
//!
//! A copy is no access; what is stored at each offset of the source may be stored at the corresponding one of the destination. Both
//! sides are kept alike in their arrays, so that a class of offsets here is one class there.

use super::{Copy, Solver, TargetId};
use crate::memory::folds::{Fold, UNBOUNDED, gcd};
use crate::memory::objects::ObjectId;

impl Solver {
    pub fn copy(&mut self, copy: Copy) {
        if copy.len <= 0 || !self.known_copies.insert(copy) {
            return;
        }
        if copy.src == copy.dst && copy.src_at != copy.dst_at {
            // Bytes that move inside an object would move again and again.
            let stride = gcd(copy.src_at - copy.dst_at, 0);
            let start = copy.src_at.min(copy.dst_at);
            let end = start.saturating_add((copy.src_at - copy.dst_at).abs()).saturating_add(copy.len);
            self.fold(copy.src, Fold { start, end, stride });
        }
        let id = self.copies.len() as u32;
        self.copies.push(copy);
        self.is_stale.push(false);
        self.shapes[copy.src].copies.push(id);
        if copy.src != copy.dst {
            self.shapes[copy.dst].copies.push(id);
        }
        self.look_again(id);
    }

    pub(super) fn look_again(&mut self, copy: u32) {
        if !std::mem::replace(&mut self.is_stale[copy as usize], true) {
            self.stale.push_back(copy);
        }
    }

    /// Makes both sides of a copy alike in their arrays, and passes on what is stored.
    pub(super) fn transfer(&mut self, id: u32) {
        let copy = self.copies[id as usize];
        let src_at = self.shapes[copy.src].normal(copy.src_at);
        let dst_at = self.shapes[copy.dst].normal(copy.dst_at);
        let (src_whole, dst_whole) = (self.shapes[copy.src].whole, self.shapes[copy.dst].whole);
        let mut fits = true;
        if !src_whole && !dst_whole {
            fits &= self.impose(copy.src, src_at, copy.dst, dst_at, copy.len);
            fits &= self.impose(copy.dst, dst_at, copy.src, src_at, copy.len);
        }
        if !fits {
            self.collapse(copy.src);
            self.collapse(copy.dst);
        }
        if self.is_stale[id as usize] {
            // It changed something and is looked at again.
            return;
        }
        let src_end = src_at.saturating_add(copy.len);
        let from: Vec<i64> = self.shapes[copy.src]
            .targets
            .iter()
            .map(|&(o, _)| o)
            .filter(|&o| src_whole || (src_at..src_end).contains(&o))
            .collect();
        if src_whole && !dst_whole {
            // Anything may come to lie anywhere.
            let dst_end = dst_at.saturating_add(copy.len);
            let to: Vec<TargetId> = self.shapes[copy.dst]
                .targets
                .iter()
                .filter(|(o, _)| (dst_at..dst_end).contains(o))
                .map(|&(_, t)| t)
                .collect();
            let source = self.storage(copy.src, 0);
            for target in to {
                self.edge(source, self.targets[target].node);
            }
            return;
        }
        for offset in from {
            let to = dst_at.saturating_add(offset.saturating_sub(src_at));
            if !dst_whole && to >= self.size(copy.dst) {
                continue;
            }
            let source = self.storage(copy.src, offset);
            let to = self.storage(copy.dst, if dst_whole { 0 } else { to });
            self.edge(source, to);
        }
    }

    /// The arrays that a copy takes from `a` are arrays in `b`. False if the copy begins inside an element and goes beyond it.
    fn impose(&mut self, a: ObjectId, a_at: i64, b: ObjectId, b_at: i64, len: i64) -> bool {
        let end = a_at.saturating_add(len);
        let folds: Vec<Fold> = self.shapes[a].folds.iter().copied().collect();
        for fold in folds {
            if end <= fold.start || fold.end <= a_at || fold.start <= a_at && end <= fold.first_end() {
                continue;
            }
            if a_at > fold.start {
                return false;
            }
            let start = b_at.saturating_add(fold.start - a_at);
            let end = if fold.end.min(end) == UNBOUNDED {
                UNBOUNDED
            } else {
                b_at.saturating_add(fold.end.min(end) - a_at)
            };
            self.fold(b, Fold { start, end, stride: fold.stride });
        }
        true
    }
}
