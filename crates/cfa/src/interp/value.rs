//! Values of a run, and the maps of Boogie.

use super::chooser::Key;
use dashu::integer::IBig;
use dashu::rational::RBig;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value. Its type, which every expression and place knows, says how to read it.
///
/// The order is that of the data structure, for use in maps; it is not the order of numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Integers, pointers and floats by their bits, truth values as 0 and 1, elements of an opaque type by a number.
    Bits(u128),
    /// Structs, unions and arrays, as they lie in memory.
    Bytes(Arc<[u8]>),
    Int(IBig),
    Real(Box<RBig>),
    Map(Arc<MapValue>),
}

impl Value {
    /// The low `size` bytes of a word, as they lie in memory: how [`super::Keyed`] wants to be told of the content of fresh memory.
    pub fn bytes_of_word(word: u128, size: usize) -> Value {
        let mut bytes = vec![0; size];
        let n = size.min(16);
        bytes[..n].copy_from_slice(&word.to_le_bytes()[..n]);
        Value::Bytes(bytes.into())
    }
}

/// A total function from indices to values: entries that are known, and what holds everywhere else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapValue {
    pub rest: Rest,
    pub entries: BTreeMap<Box<[Value]>, Value>,
}

/// A map away from its known entries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rest {
    /// The same value at every index.
    Constant(Value),
    /// Each entry is a choice of its own, of the map chosen under this key.
    Choice(Arc<Key>),
}

impl MapValue {
    pub fn constant(value: Value) -> Self {
        MapValue { rest: Rest::Constant(value), entries: BTreeMap::new() }
    }

    pub fn choice(key: Key) -> Self {
        MapValue { rest: Rest::Choice(Arc::new(key)), entries: BTreeMap::new() }
    }

    pub fn store(&mut self, index: Box<[Value]>, value: Value) {
        if matches!(&self.rest, Rest::Constant(c) if *c == value) {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }
}
