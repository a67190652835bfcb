//! The space of addresses, and memory as bytes in it.
//!
//! Of the address of an object nothing is fixed: it is a symbol, and known are only non-null, aligned, in range without wrapping around, and
//! apart from whatever is alive when the object comes to life. Objects may lie in any order, side by side, and where others lay
//! before. These facts are handed to the solver for the symbols that a question speaks of, and no others.
//!
//! Memory is an array with writes in it. A range of bytes that is set, copied or forgotten at once gives a new array, of which each byte that is
//! read is told where it comes from. So a length need not be known, and long ranges cost no more than short ones.

use craig_logic::{Op, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// No object lies below this: the page of the null pointer.
pub(super) const LOWEST: i64 = 4096;

/// Bytes of an object while a condition holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub base: TermId,
    pub size: TermId,
    pub alive: TermId,
    pub align: u64,
}

/// Objects that came to life together under a condition, and those that were alive then.
struct Birth {
    guard: TermId,
    new: Vec<Region>,
    others: Rc<[Region]>,
}

/// Bytes of an array that were changed at once.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fill {
    /// The same byte everywhere.
    Byte(TermId),
    /// What another array holds.
    Arbitrary(TermId),
    /// The bytes of a memory from an address on.
    From { memory: TermId, start: TermId },
}

#[derive(Debug, Clone, Copy)]
struct Range {
    before: TermId,
    start: TermId,
    len: TermId,
    fill: Fill,
}

/// What one chain of questions knows about addresses and memory.
pub(super) struct Space {
    terms: Rc<Terms>,
    width: u32,
    births: Vec<Birth>,
    /// Bytes from a base that belong to its object, and the bases that are surely apart from it.
    sizes: FxHashMap<TermId, u64>,
    apart: FxHashMap<TermId, Rc<FxHashSet<TermId>>>,
    /// Arrays that are others but for a range.
    ranges: FxHashMap<TermId, Range>,
    known: FxHashMap<(TermId, TermId), TermId>,
    /// What is known of bytes of the arrays in `ranges`.
    facts: Vec<TermId>,
}

impl Space {
    pub fn new(terms: Rc<Terms>, width: u32) -> Space {
        Space {
            terms,
            width,
            births: Vec::new(),
            sizes: FxHashMap::default(),
            apart: FxHashMap::default(),
            ranges: FxHashMap::default(),
            known: FxHashMap::default(),
            facts: Vec::new(),
        }
    }

    // Addresses.

    pub fn address(&self, value: u64) -> TermId {
        self.terms.bv_big(value.into(), self.width)
    }

    /// The address as a term plus a number.
    fn split(&self, address: TermId) -> (Option<TermId>, u64) {
        let t = &self.terms;
        let number = |term: TermId| t.bv_number(term).and_then(|(_, n)| u64::try_from(&n).ok());
        if let Some(n) = number(address) {
            return (None, n);
        }
        if t.op(address) == Op::BvAdd {
            let (a, b) = (t.arg(address, 0), t.arg(address, 1));
            match (number(a), number(b)) {
                (Some(n), _) => return (Some(b), n),
                (_, Some(n)) => return (Some(a), n),
                _ => {}
            }
        }
        (Some(address), 0)
    }

    /// So many bytes further on.
    pub fn plus(&self, address: TermId, bytes: u64) -> TermId {
        let (root, offset) = self.split(address);
        let offset = self.address(offset.wrapping_add(bytes));
        root.map_or(offset, |root| self.terms.bv_add(root, offset))
    }

    /// A sum of addresses or distances; numbers come last, so that equal sums are equal terms.
    pub fn sum(&self, a: TermId, b: TermId) -> TermId {
        match (self.split(a), self.split(b)) {
            ((Some(x), m), (Some(y), n)) => self.plus(self.terms.bv_add(x, y), m.wrapping_add(n)),
            ((Some(_), _), (None, n)) => self.plus(a, n),
            ((None, m), _) => self.plus(b, m),
        }
    }

    /// Bytes from one address to the other.
    pub fn distance(&self, from: TermId, to: TermId) -> TermId {
        let ((x, m), (y, n)) = (self.split(from), self.split(to));
        if x == y {
            return self.address(n.wrapping_sub(m));
        }
        self.terms.bv_sub(to, from)
    }

    /// The object, by its base, in whose bytes the range surely lies.
    fn object_of(&self, address: TermId, len: u64) -> Option<TermId> {
        let (root, offset) = self.split(address);
        let size = *self.sizes.get(&root?)?;
        (offset <= size && len <= size - offset).then_some(root?)
    }

    fn surely_apart(&self, a: TermId, b: TermId) -> bool {
        let knows = |x: TermId, y: TermId| self.apart.get(&x).is_some_and(|known| known.contains(&y));
        a != b && (knows(a, b) || knows(b, a))
    }

    /// Does an address lie in a range? As a term.
    fn inside(&self, address: TermId, start: TermId, len: TermId) -> TermId {
        let t = &self.terms;
        if let Some((_, n)) = t.bv_number(len)
            && let Ok(n) = u64::try_from(&n)
            && let (Some(a), Some(b)) = (self.object_of(address, 1), self.object_of(start, n))
            && self.surely_apart(a, b)
        {
            return t.fls();
        }
        t.bv_ult(self.distance(start, address), len)
    }

    /// Objects that come to life under a condition, beside others that are alive then.
    ///
    /// Those that are alive whenever the condition holds are surely apart for all who look at states under it.
    pub fn bear(&mut self, guard: TermId, new: Vec<Region>, others: Rc<[Region]>) {
        let t = Rc::clone(&self.terms);
        let sure = |r: &&Region| t.is_true(r.alive) && t.as_symbol(r.base).is_some();
        let all: Rc<FxHashSet<TermId>> =
            Rc::new(new.iter().chain(others.iter()).filter(sure).map(|r| r.base).collect());
        for region in new.iter().filter(sure) {
            self.apart.insert(region.base, Rc::clone(&all));
            if let Some((_, size)) = t.bv_number(region.size) {
                self.sizes.insert(region.base, u64::try_from(&size).unwrap_or(0));
            }
        }
        self.births.push(Birth { guard, new, others });
    }

    /// What is known of the addresses that occur in formulas, and of bytes.
    pub fn facts(&self, roots: &[TermId]) -> Vec<TermId> {
        let t = &self.terms;
        let mut facts = self.facts.clone();
        let mut all = roots.to_vec();
        all.extend(&facts);
        let occurring: FxHashSet<TermId> =
            t.symbols_of_all(&all).into_iter().map(|s| t.symbol_term(s)).collect();
        let occurs = |r: &&Region| t.as_symbol(r.base).is_none() || occurring.contains(&r.base);
        for birth in &self.births {
            let new: Vec<&Region> = birth.new.iter().filter(occurs).collect();
            if new.is_empty() {
                continue;
            }
            let others: Vec<&Region> = birth.others.iter().filter(occurs).collect();
            for (i, region) in new.iter().enumerate() {
                facts.push(t.implies(birth.guard, self.placed(region)));
                for other in new[..i].iter().chain(&others) {
                    facts.push(t.implies(birth.guard, self.disjoint(region, other)));
                }
            }
        }
        facts
    }

    /// Non-null, aligned, not across the end of the space.
    fn placed(&self, region: &Region) -> TermId {
        let t = &self.terms;
        let low = t.bv_ule(t.bv(LOWEST, self.width), region.base);
        let high = t.bv_ule(region.base, t.bv_not(region.size));
        let mut all = vec![low, high];
        if region.align.is_power_of_two() && region.align > 1 {
            let bits = region.align.trailing_zeros();
            all.push(t.eq(t.extract(bits - 1, 0, region.base), t.bv(0, bits)));
        }
        t.implies(region.alive, t.and(all))
    }

    fn disjoint(&self, a: &Region, b: &Region) -> TermId {
        let t = &self.terms;
        let before = |x: &Region, y: &Region| t.bv_ule(t.bv_add(x.base, x.size), y.base);
        t.implies(t.and([a.alive, b.alive]), t.or([before(a, b), before(b, a)]))
    }

    // Bytes.

    /// The byte at an address.
    pub fn byte(&mut self, memory: TermId, at: TermId) -> TermId {
        if let Some(&byte) = self.known.get(&(memory, at)) {
            return byte;
        }
        let byte = self.find_byte(memory, at);
        self.known.insert((memory, at), byte);
        byte
    }

    fn find_byte(&mut self, memory: TermId, at: TermId) -> TermId {
        let t = Rc::clone(&self.terms);
        let mut memory = memory;
        // Ranges that may hold the address, and the byte that they hold there, the newest first.
        let mut layers: Vec<(TermId, TermId)> = Vec::new();
        let below = loop {
            match (t.op(memory), self.ranges.get(&memory).copied()) {
                (Op::Store, _) => match self.same(t.arg(memory, 1), at) {
                    Some(true) => break t.arg(memory, 2),
                    Some(false) => memory = t.arg(memory, 0),
                    None => {
                        self.explain(memory, at);
                        break t.select(memory, at);
                    }
                },
                (Op::Ite, _) => {
                    let (then, other) = (self.byte(t.arg(memory, 1), at), self.byte(t.arg(memory, 2), at));
                    break t.ite(t.arg(memory, 0), then, other);
                }
                (_, Some(range)) => {
                    let inside = self.inside(at, range.start, range.len);
                    if !t.is_false(inside) {
                        layers.push((inside, self.filled(&range, at)));
                    }
                    memory = range.before;
                }
                (_, None) => break t.select(memory, at),
            }
        };
        layers.into_iter().rev().fold(below, |below, (inside, byte)| t.ite(inside, byte, below))
    }

    /// The byte that a range was given at an address in it.
    fn filled(&mut self, range: &Range, at: TermId) -> TermId {
        match range.fill {
            Fill::Byte(byte) => byte,
            Fill::Arbitrary(array) => self.terms.select(array, at),
            Fill::From { memory, start } => {
                let there = self.sum(start, self.distance(range.start, at));
                self.byte(memory, there)
            }
        }
    }

    /// Are two addresses equal, different, or is that not plain to see?
    fn same(&self, a: TermId, b: TermId) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let ((x, _), (y, _)) = (self.split(a), self.split(b));
        if x == y {
            return Some(false);
        }
        let (x, y) = (self.object_of(a, 1)?, self.object_of(b, 1)?);
        self.surely_apart(x, y).then_some(false)
    }

    /// States for the arrays below a memory that differ from others in a range what they hold at an address.
    fn explain(&mut self, memory: TermId, at: TermId) {
        let t = Rc::clone(&self.terms);
        let mut todo = vec![memory];
        let mut seen = FxHashSet::default();
        while let Some(array) = todo.pop() {
            if !seen.insert(array) {
                continue;
            }
            match t.op(array) {
                Op::Store => todo.push(t.arg(array, 0)),
                Op::Ite => todo.extend([t.arg(array, 1), t.arg(array, 2)]),
                _ => {
                    if self.ranges.contains_key(&array) {
                        let byte = self.byte(array, at);
                        self.facts.push(t.eq(t.select(array, at), byte));
                    }
                }
            }
        }
    }

    /// So many bytes as one number, the first lowest.
    pub fn word(&mut self, memory: TermId, at: TermId, bytes: u64) -> TermId {
        let all: Vec<TermId> = (0..bytes).map(|i| self.byte(memory, self.plus(at, i))).collect();
        self.joined(&all)
    }

    /// Bytes side by side. Those that were taken from one number become that number again.
    fn joined(&self, bytes: &[TermId]) -> TermId {
        let t = &self.terms;
        let piece = |byte: TermId| match t.op(byte) {
            Op::Extract(_, low) => Some((t.arg(byte, 0), low)),
            _ => None,
        };
        if let Some((whole, low)) = piece(bytes[0])
            && bytes.iter().zip((low..).step_by(8)).all(|(b, low)| piece(*b) == Some((whole, low)))
        {
            return t.extract(low + 8 * bytes.len() as u32 - 1, low, whole);
        }
        let first = bytes[0];
        bytes[1..].iter().fold(first, |low, high| t.concat(*high, low))
    }

    /// The memory with a number of whole bytes written at an address.
    pub fn with_word(&self, memory: TermId, at: TermId, value: TermId) -> TermId {
        let t = &self.terms;
        let bytes = t.sort(value).width().unwrap_or(0) / 8;
        (0..bytes).fold(memory, |memory, i| {
            t.store(memory, self.plus(at, u64::from(i)), t.extract(8 * i + 7, 8 * i, value))
        })
    }

    /// The memory with a range of bytes changed at once.
    pub fn with_range(&mut self, memory: TermId, start: TermId, len: TermId, fill: Fill) -> TermId {
        let t = Rc::clone(&self.terms);
        let array = t.fresh("memory", t.sort(memory));
        self.ranges.insert(array, Range { before: memory, start, len, fill });
        array
    }

    /// A memory of which nothing is known.
    pub fn any_memory(&self) -> TermId {
        let t = &self.terms;
        t.fresh("memory", t.array_sort(Sort::BitVec(self.width), Sort::BitVec(8)))
    }
}
