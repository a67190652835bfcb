//! Tables from variables to something, whose copies share what is the same.
//!
//! An analysis keeps a table for each location, and most of them differ in one entry from that of the location before. They are trees with
//! 16 branches a node over the digits of the variable's number: a change copies one path, and what two tables share is not looked at
//! when they are joined.

use crate::program::VarId;
use std::rc::Rc;

const DIGIT: u32 = 4;
const BRANCHES: usize = 1 << DIGIT;

#[derive(Debug, Clone)]
enum Node<T> {
    Empty,
    Leaf(T),
    Branch(Rc<[Node<T>; BRANCHES]>),
}

#[derive(Debug, Clone)]
pub struct Table<T> {
    root: Node<T>,
    /// Digits of a number below the first one.
    height: u32,
}

impl<T: Clone + PartialEq> Table<T> {
    /// An empty table for variables with numbers below `count`.
    pub fn new(count: usize) -> Self {
        let mut height = 0;
        while count.checked_shr(DIGIT * (height + 1)).is_some_and(|rest| rest > 0) {
            height += 1;
        }
        Table { root: Node::Empty, height }
    }

    pub fn get(&self, var: VarId) -> Option<&T> {
        let mut node = &self.root;
        for level in (0..=self.height).rev() {
            match node {
                Node::Branch(below) => node = &below[digit(var, level)],
                _ => return None,
            }
        }
        match node {
            Node::Leaf(value) => Some(value),
            _ => None,
        }
    }

    pub fn set(&mut self, var: VarId, value: Option<T>) {
        if self.get(var) == value.as_ref() {
            return;
        }
        let mut node = &mut self.root;
        for level in (0..=self.height).rev() {
            if !matches!(node, Node::Branch(_)) {
                *node = Node::Branch(Rc::new([const { Node::Empty }; BRANCHES]));
            }
            let Node::Branch(below) = node else { unreachable!("made above") };
            node = &mut Rc::make_mut(below)[digit(var, level)];
        }
        *node = value.map_or(Node::Empty, Node::Leaf);
    }

    /// Of the entries that both have, what `join` makes of them; all others go. Says whether that changed this table.
    pub fn join(&mut self, other: &Self, join: &impl Fn(&T, &T) -> Option<T>) -> bool {
        meet(&mut self.root, &other.root, join)
    }
}

fn digit(var: VarId, level: u32) -> usize {
    var.index() >> (DIGIT * level) & (BRANCHES - 1)
}

fn meet<T: Clone + PartialEq>(
    node: &mut Node<T>,
    other: &Node<T>,
    join: &impl Fn(&T, &T) -> Option<T>,
) -> bool {
    match (&mut *node, other) {
        (Node::Empty, _) => false,
        (Node::Leaf(a), Node::Leaf(b)) if a == b => false,
        (Node::Leaf(a), Node::Leaf(b)) => {
            let joined = join(a, b);
            let changed = joined.as_ref() != Some(a);
            *node = joined.map_or(Node::Empty, Node::Leaf);
            changed
        }
        (Node::Branch(a), Node::Branch(b)) => {
            if Rc::ptr_eq(a, b) {
                return false;
            }
            // Looked at in a copy: a table that does not change goes on sharing.
            let mut copy = (**a).clone();
            let mut changed = false;
            for (x, y) in copy.iter_mut().zip(&**b) {
                changed |= meet(x, y, join);
            }
            if changed {
                *a = Rc::new(copy);
            }
            changed
        }
        (_, Node::Empty) => {
            *node = Node::Empty;
            true
        }
        (Node::Leaf(_), Node::Branch(_)) | (Node::Branch(_), Node::Leaf(_)) => {
            unreachable!("tables of one program have one height")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn both(entries: &[(u32, Option<u8>)]) -> (Table<u8>, BTreeMap<u32, u8>) {
        let (mut table, mut map) = (Table::new(1000), BTreeMap::new());
        for &(var, value) in entries {
            table.set(VarId::from_raw(var), value);
            match value {
                Some(value) => map.insert(var, value),
                None => map.remove(&var),
            };
        }
        (table, map)
    }

    fn content(table: &Table<u8>) -> BTreeMap<u32, u8> {
        (0..1000).filter_map(|v| Some((v, *table.get(VarId::from_raw(v))?))).collect()
    }

    proptest! {
        #[test]
        fn it_is_a_table(
            a in prop::collection::vec((0u32..1000, prop::option::of(0u8..4)), 0..60),
            b in prop::collection::vec((0u32..1000, prop::option::of(0u8..4)), 0..60),
            more in prop::collection::vec((0u32..1000, prop::option::of(0u8..4)), 0..10),
        ) {
            let (table, map) = both(&a);
            prop_assert_eq!(content(&table), map.clone());
            // One that shares most, and one that shares nothing.
            let mut near = table.clone();
            for &(var, value) in &more {
                near.set(VarId::from_raw(var), value);
            }
            prop_assert_eq!(content(&table), map.clone());
            for other in [near, both(&b).0] {
                // Values that differ by one are joined, others forgotten.
                let join = |x: &u8, y: &u8| (x.abs_diff(*y) <= 1).then(|| *x.max(y));
                let others = content(&other);
                let expected: BTreeMap<u32, u8> =
                    map.iter().filter_map(|(v, x)| Some((*v, join(x, others.get(v)?)?))).collect();
                let mut joined = table.clone();
                let changed = joined.join(&other, &join);
                prop_assert_eq!(content(&joined), expected.clone());
                prop_assert_eq!(changed, expected != map);
                prop_assert_eq!(content(&table), map.clone());
            }
        }
    }
}
