//! From leaves to cells.
//!
//! A leaf at an exact offset of an object that exists once is a scalar. All others are places of
//! an array from addresses to values. What one access may reach must be told apart by comparing addresses, so:
//! - the array leaves that one access may reach become one array;
//! - more than [`MANY`] scalars that one access may reach become an array;
//!
//! Leaves that are kept as bytes stay by themselves: an access that may reach bytes and an array is told by the addresses of objects
//! where these are fixed, and reads an arbitrary value where they are not.
//!
//! Invariant: of the cells that an access may reach at most one is an array. Two cells never share an address.
//!
//! Rejected: making arrays that are reached together with bytes a part of these. In one driver a single union turned
//! every array of the program into bytes, of which integer arithmetic knows nothing.

use super::leaves::Leaves;
use craig_base::{Budget, Pace, Stop};

/// Scalars that an access tells apart one by one.
pub(super) const MANY: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Scalar,
    Array,
    Bytes,
}

#[derive(Debug)]
pub(super) struct Partition {
    parent: Vec<u32>,
    state: Vec<State>,
}

impl Partition {
    /// `plain`: leaves at exact offsets of objects that exist once. `reached`: for each access the leaves it may reach.
    pub fn new(leaves: &Leaves, plain: &[bool], reached: &[Vec<u32>], budget: &Budget) -> Result<Self, Stop> {
        let mut pace = Pace::new(budget);
        let n = leaves.list.len();
        let mut partition = Partition {
            parent: (0..n as u32).collect(),
            state: plain.iter().map(|&p| if p { State::Scalar } else { State::Array }).collect(),
        };
        let mut first_of = vec![None; leaves.groups as usize];
        for (i, leaf) in leaves.list.iter().enumerate() {
            if let Some(group) = leaf.group {
                partition.state[i] = State::Bytes;
                let first = *first_of[group as usize].get_or_insert(i as u32);
                partition.join(first, i as u32);
            }
        }
        loop {
            let mut changed = false;
            for leaves in reached {
                pace.step()?;
                changed |= partition.separate(leaves);
            }
            if !changed {
                break;
            }
        }
        Ok(partition)
    }

    fn find(&mut self, leaf: u32) -> u32 {
        let mut root = leaf;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = leaf;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    /// The smaller id stands for both, so that the order of cells does not depend on the order of joins.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (keep, gone) = (a.min(b), a.max(b));
        self.parent[gone as usize] = keep;
        self.state[keep as usize] = self.state[keep as usize].max(self.state[gone as usize]);
        true
    }

    /// Establishes the invariant for one access.
    fn separate(&mut self, leaves: &[u32]) -> bool {
        let mut changed = false;
        let scalars = leaves.iter().filter(|&&l| self.state_of(l) == State::Scalar).count();
        if scalars > MANY {
            changed = true;
            for &leaf in leaves {
                let root = self.find(leaf) as usize;
                if self.state[root] == State::Scalar {
                    self.state[root] = State::Array;
                }
            }
        }
        let mut array: Option<u32> = None;
        for &leaf in leaves {
            if self.state_of(leaf) == State::Array {
                match array {
                    Some(other) => changed |= self.join(other, leaf),
                    None => array = Some(leaf),
                }
            }
        }
        changed
    }

    pub fn class_of(&mut self, leaf: u32) -> u32 {
        self.find(leaf)
    }

    pub fn state_of(&mut self, leaf: u32) -> State {
        let root = self.find(leaf);
        self.state[root as usize]
    }
}
