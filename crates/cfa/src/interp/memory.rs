//! Memory: objects of bytes in one flat space of addresses.
//!
//! Addresses fit the pointers of the data model. Below the objects lie an unmapped page for null and the addresses of
//! procedures. Objects keep a distance to their neighbours, about as wide as themselves, so that a pointer that leaves its object
//! meets nothing. A dead object leaves its addresses unused: they are given to others only when the space is used up. Dead
//! objects are remembered, so that a late access can be told as what it is, until there are very many of them.
//!
//! An access is found by address through a small cache, then a tree.

use super::watch::Thing;
use crate::program::{EdgeId, ProcId, VarId};
use crate::types::DataModel;
use std::collections::BTreeMap;
use std::ops::Range;

index_vec::define_index_type! { pub(super) struct ObjId = u32; }

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Var(VarId),
    /// `malloc`.
    Heap,
    /// `alloca`, an array of variable length.
    Stack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Live,
    /// By `free`.
    Freed,
    /// Its procedure returned.
    Returned,
}

/// Content that is not yet chosen, page by page.
#[derive(Debug)]
pub(super) struct Pending {
    pub edge: EdgeId,
    pub occurrence: u64,
    /// Which pages are still open, and how many.
    open: Vec<bool>,
    left: usize,
}

impl Pending {
    /// Is a byte of the range still open?
    pub fn is_open(&self, range: &Range<usize>) -> bool {
        let pages = range.start / PAGE..range.end.div_ceil(PAGE).min(self.open.len());
        self.open.get(pages).is_some_and(|pages| pages.contains(&true))
    }
}

/// Fresh content is chosen in pieces of this size.
pub(super) const PAGE: usize = 4096;

#[derive(Debug)]
pub(super) struct Object {
    pub start: u64,
    pub size: u64,
    pub owner: Owner,
    pub state: State,
    pub data: Vec<u8>,
    pub pending: Option<Box<Pending>>,
    /// Its name, if somebody looks at the run.
    pub thing: Option<Thing>,
}

/// What is where an address points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Landing {
    Proc(ProcId),
    /// Live or dead; the address points into it or just past its end.
    Object(ObjId),
    /// Among the objects, in none of them.
    Between,
    /// No object is there, nor ever was.
    Away,
}

/// Why an access fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Null,
    Procedure(ProcId),
    /// Not near any object.
    Nothing,
    /// The object it is near to or that it should be in, and the offset of the access from its start.
    Outside {
        owner: Owner,
        size: u64,
        offset: i128,
    },
    Dead {
        owner: Owner,
        state: State,
    },
}

/// No room for an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug)]
pub(super) struct Memory {
    objects: index_vec::IndexVec<ObjId, Object>,
    reusable: Vec<ObjId>,
    by_start: BTreeMap<u64, ObjId>,
    cache: Box<[ObjId; CACHE]>,
    /// Addresses free to be given out.
    next: u64,
    end: u64,
    top: u64,
    /// Nothing can lie from here on.
    last: u64,
    bytes: u64,
    limit: u64,
    dead: usize,
    procs: u64,
}

const CACHE: usize = 1024;
const NULL_PAGE: u64 = 0x1000;
const PROCS: u64 = 0x1_0000;
const OBJECTS: u64 = 0x1000_0000;
const MIN_GAP: u64 = 16;
const MAX_GAP: u64 = 4096;
/// What an object costs beyond its bytes.
const OVERHEAD: u64 = 128;
const REMEMBERED: usize = 1 << 18;

impl Memory {
    /// `first`: where the objects begin, if that is to be chosen.
    pub fn new(model: DataModel, procs: usize, limit: u64, first: Option<u64>) -> Self {
        let top = match model {
            DataModel::Ilp32 => 0xffff_0000,
            DataModel::Lp64 => 0x7fff_ffff_0000,
        };
        let last = ((1u128 << model.pointer_bits()) - u128::from(NULL_PAGE)) as u64;
        Memory {
            objects: index_vec::IndexVec::new(),
            reusable: Vec::new(),
            by_start: BTreeMap::new(),
            cache: Box::new([ObjId::from_raw(0); CACHE]),
            next: first.unwrap_or(OBJECTS),
            end: if first.is_some() { last } else { top },
            top,
            last,
            bytes: 0,
            limit,
            dead: 0,
            procs: procs as u64,
        }
    }

    pub fn proc_address(proc: ProcId) -> u64 {
        PROCS + 16 * u64::from(proc.raw())
    }

    /// A fresh object of zeros; at this address, if there is room.
    pub fn alloc(&mut self, size: u64, align: u64, owner: Owner, wanted: Option<u64>) -> Result<ObjId, Full> {
        let cost = size.checked_add(OVERHEAD).ok_or(Full)?;
        if self.limit.saturating_sub(self.bytes) < cost {
            self.forget_dead();
            if self.limit.saturating_sub(self.bytes) < cost {
                return Err(Full);
            }
        }
        let len = usize::try_from(size).map_err(|_| Full)?;
        let wanted =
            wanted.filter(|start| start.is_multiple_of(align.max(1)) && self.make_room(*start, size));
        let start = match wanted.or_else(|| self.fit(size, align, size.clamp(MIN_GAP, MAX_GAP))) {
            Some(start) => start,
            None => {
                self.forget_dead();
                self.take_widest_gap();
                self.fit(size, align, MIN_GAP).ok_or(Full)?
            }
        };
        self.bytes += cost;
        let object =
            Object { start, size, owner, state: State::Live, data: vec![0; len], pending: None, thing: None };
        let id = match self.reusable.pop() {
            Some(id) => {
                self.objects[id] = object;
                id
            }
            None => self.objects.push(object),
        };
        self.by_start.insert(start, id);
        Ok(id)
    }

    fn fit(&mut self, size: u64, align: u64, gap: u64) -> Option<u64> {
        let start = self.next.checked_add(gap)?.checked_next_multiple_of(align.max(1))?;
        let next = start.checked_add(size)?.checked_add(gap)?;
        if next > self.end {
            return None;
        }
        self.next = next;
        Some(start)
    }

    /// Can an object lie there? What is dead gives way.
    fn make_room(&mut self, start: u64, size: u64) -> bool {
        let Some(end) = start.checked_add(size.max(1)) else { return false };
        let procs = PROCS..PROCS + 16 * self.procs;
        let touches = |o: &Object| o.start < end && start < o.start.saturating_add(o.size.max(1));
        let near: Vec<ObjId> = self.by_start.range(..end).map(|(_, id)| *id).collect();
        let met: Vec<ObjId> = near.into_iter().filter(|id| touches(&self.objects[*id])).collect();
        let free = met.iter().all(|id| self.objects[*id].state != State::Live);
        let inside = start >= NULL_PAGE && end <= self.last;
        if !free || !inside || start < procs.end && procs.start < end {
            return false;
        }
        for id in met {
            self.by_start.remove(&self.objects[id].start);
        }
        true
    }

    fn take_widest_gap(&mut self) {
        let mut low = OBJECTS;
        let mut best = (0, low, low);
        for (&start, &id) in &self.by_start {
            best = best.max((start.saturating_sub(low), low, start));
            low = start + self.objects[id].size;
        }
        best = best.max((self.top.saturating_sub(low), low, self.top));
        (_, self.next, self.end) = best;
    }

    /// Gives an object its name.
    pub fn set_thing(&mut self, id: ObjId, thing: Option<Thing>) {
        self.objects[id].thing = thing;
    }

    /// Content to be chosen when it is first touched.
    pub fn set_pending(&mut self, id: ObjId, edge: EdgeId, occurrence: u64) {
        let object = &mut self.objects[id];
        let pages = object.data.len().div_ceil(PAGE);
        if pages > 0 {
            object.pending =
                Some(Box::new(Pending { edge, occurrence, open: vec![true; pages], left: pages }));
        }
    }

    /// The first page that an access touches and whose content is not chosen yet; it counts as chosen from now on.
    pub fn next_pending(&mut self, id: ObjId, offset: usize, len: usize) -> Option<(EdgeId, u64, usize)> {
        let object = &mut self.objects[id];
        let pending = object.pending.as_mut()?;
        let last = (offset + len).div_ceil(PAGE).min(pending.open.len());
        let page = (offset / PAGE..last).find(|&p| pending.open[p])?;
        pending.open[page] = false;
        pending.left -= 1;
        let found = (pending.edge, pending.occurrence, page * PAGE);
        if pending.left == 0 {
            object.pending = None;
        }
        Some(found)
    }

    pub fn kill(&mut self, id: ObjId, state: State) {
        let object = &mut self.objects[id];
        object.state = state;
        object.data = Vec::new();
        object.pending = None;
        self.bytes -= object.size;
        self.dead += 1;
        if self.dead > REMEMBERED && self.dead > self.objects.len() / 2 {
            self.forget_dead();
        }
    }

    fn forget_dead(&mut self) {
        let (objects, reusable, bytes) = (&self.objects, &mut self.reusable, &mut self.bytes);
        self.by_start.retain(|_, id| {
            let live = objects[*id].state == State::Live;
            if !live {
                reusable.push(*id);
                *bytes -= OVERHEAD;
            }
            live
        });
        self.dead = 0;
    }

    pub fn object(&self, id: ObjId) -> &Object {
        &self.objects[id]
    }

    pub fn data(&self, id: ObjId) -> &[u8] {
        &self.objects[id].data
    }

    pub fn data_mut(&mut self, id: ObjId) -> &mut [u8] {
        &mut self.objects[id].data
    }

    /// The live object that holds `len` bytes at this address, and where in it they lie.
    pub fn find(&mut self, addr: u64, len: u64) -> Result<(ObjId, usize), Fault> {
        let line = (addr >> 4) as usize % CACHE;
        let cached = self.cache[line];
        if let Some(object) = self.objects.get(cached)
            && holds(object, addr, len)
        {
            return Ok((cached, (addr - object.start) as usize));
        }
        if let Some((_, &id)) = self.by_start.range(..=addr).next_back()
            && holds(&self.objects[id], addr, len)
        {
            self.cache[line] = id;
            return Ok((id, (addr - self.objects[id].start) as usize));
        }
        Err(self.fault(addr))
    }

    /// The live or dead object that an address points into or just past.
    pub fn near(&self, addr: u64) -> Option<ObjId> {
        let (_, &id) = self.by_start.range(..=addr).next_back()?;
        let object = &self.objects[id];
        (addr - object.start <= object.size).then_some(id)
    }

    /// What is where an address points.
    pub fn landing(&self, addr: u64) -> Landing {
        if (PROCS..PROCS + 16 * self.procs).contains(&addr) {
            return if addr.is_multiple_of(16) {
                Landing::Proc(ProcId::from_usize(((addr - PROCS) / 16) as usize))
            } else {
                Landing::Between
            };
        }
        match self.near(addr) {
            Some(id) => Landing::Object(id),
            None if (OBJECTS..self.top).contains(&addr) => Landing::Between,
            None => Landing::Away,
        }
    }

    /// Why an access at `addr` is none of the object that `base` points into or just past, if it points at one or is null.
    pub fn fault_from(&self, base: u64, addr: u64) -> Option<Fault> {
        if base == 0 {
            return Some(Fault::Null);
        }
        let object = &self.objects[self.near(base)?];
        Some(match object.state {
            State::Live => {
                let offset = i128::from(addr) - i128::from(object.start);
                Fault::Outside { owner: object.owner, size: object.size, offset }
            }
            state => Fault::Dead { owner: object.owner, state },
        })
    }

    /// Why nothing can be accessed at this address.
    pub fn fault(&self, addr: u64) -> Fault {
        if addr < NULL_PAGE {
            return Fault::Null;
        }
        if (PROCS..PROCS + 16 * self.procs).contains(&addr) {
            return Fault::Procedure(ProcId::from_usize(((addr - PROCS) / 16) as usize));
        }
        let outside = |object: &Object| Fault::Outside {
            owner: object.owner,
            size: object.size,
            offset: i128::from(addr) - i128::from(object.start),
        };
        let gap = |object: &Object| object.size.clamp(MIN_GAP, MAX_GAP);
        if let Some((_, &id)) = self.by_start.range(..=addr).next_back() {
            let object = &self.objects[id];
            let past = addr - object.start;
            if object.state != State::Live && past <= object.size {
                return Fault::Dead { owner: object.owner, state: object.state };
            }
            if past <= object.size + gap(object) {
                return outside(object);
            }
        }
        if let Some((_, &id)) = self.by_start.range(addr..).next() {
            let object = &self.objects[id];
            if object.start - addr <= gap(object) {
                return outside(object);
            }
        }
        Fault::Nothing
    }
}

fn holds(object: &Object, addr: u64, len: u64) -> bool {
    let offset = addr.wrapping_sub(object.start);
    offset < object.size && len <= object.size - offset && object.state == State::Live
}

/// Bits `bit..bit + width` of little-endian bytes.
pub(super) fn get_bits(bytes: &[u8], bit: u8, width: u16) -> u128 {
    let mut v = 0u128;
    for i in 0..u32::from(width) {
        let at = u32::from(bit) + i;
        v |= u128::from(bytes[(at / 8) as usize] >> (at % 8) & 1) << i;
    }
    v
}

pub(super) fn set_bits(bytes: &mut [u8], bit: u8, width: u16, v: u128) {
    for i in 0..u32::from(width) {
        let at = u32::from(bit) + i;
        let byte = &mut bytes[(at / 8) as usize];
        *byte = *byte & !(1 << (at % 8)) | ((v >> i & 1) as u8) << (at % 8);
    }
}

/// Bytes that a bit-field touches.
pub(super) fn bit_span(bit: u8, width: u16) -> u64 {
    u64::from(u32::from(bit) + u32::from(width)).div_ceil(8)
}

pub(super) fn word_from(bytes: &[u8]) -> u128 {
    match *bytes {
        [a] => u128::from(a),
        [a, b] => u128::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u128::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u128::from(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => {
            let mut all = [0; 16];
            let n = bytes.len().min(16);
            all[..n].copy_from_slice(&bytes[..n]);
            u128::from_le_bytes(all)
        }
    }
}

pub(super) fn word_into(bytes: &mut [u8], v: u128) {
    let all = v.to_le_bytes();
    let n = bytes.len().min(16);
    bytes[..n].copy_from_slice(&all[..n]);
    bytes[n..].fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memory(model: DataModel) -> Memory {
        Memory::new(model, 3, 1 << 30, None)
    }

    proptest! {
        #[test]
        fn bit_fields_are_the_bits_of_a_little_endian_number(
            start in any::<[u8; 16]>(), bit in 0u8..8, width in 1u16..=64, v in any::<u64>(),
        ) {
            let mut bytes = start;
            let mask = (if width == 64 { u128::from(u64::MAX) } else { (1 << width) - 1 }) << bit;
            let v = u128::from(v) & (mask >> bit);
            set_bits(&mut bytes, bit, width, v);
            prop_assert_eq!(u128::from_le_bytes(bytes), u128::from_le_bytes(start) & !mask | v << bit);
            prop_assert_eq!(get_bits(&bytes, bit, width), v);
            prop_assert!(bit_span(bit, width) <= 9);
        }

        #[test]
        fn objects_never_touch_and_keep_alignment(
            requests in prop::collection::vec((0u64..5000, 0u32..5, any::<bool>()), 1..60),
        ) {
            let mut mem = memory(DataModel::Ilp32);
            let mut seen: Vec<(u64, u64)> = Vec::new();
            for (size, align, dies) in requests {
                let id = mem.alloc(size, 1 << align, Owner::Heap, None).unwrap();
                let start = mem.object(id).start;
                prop_assert_eq!(start % (1 << align), 0);
                prop_assert!(start.checked_add(size).is_some_and(|e| e <= u64::from(u32::MAX)));
                for &(s, n) in &seen {
                    prop_assert!(start >= s + n + MIN_GAP || s >= start + size + MIN_GAP);
                }
                seen.push((start, size));
                if size > 0 {
                    prop_assert_eq!(mem.find(start + size - 1, 1), Ok((id, size as usize - 1)));
                }
                prop_assert!(mem.find(start + size, 1).is_err());
                prop_assert!(mem.find(start - 1, 1).is_err());
                if dies {
                    mem.kill(id, State::Freed);
                    prop_assert_eq!(mem.find(start, 1), Err(Fault::Dead { owner: Owner::Heap, state: State::Freed }));
                }
            }
        }
    }

    #[test]
    fn a_small_space_is_used_again_when_it_is_full() {
        let mut mem = memory(DataModel::Ilp32);
        let kept = mem.alloc(100, 16, Owner::Heap, None).unwrap();
        // 8 GiB in all, never more than 64 MiB at once.
        for _ in 0..128 {
            let id = mem.alloc(64 << 20, 16, Owner::Heap, None).unwrap();
            let start = mem.object(id).start;
            assert_eq!(mem.find(start + 5, 4), Ok((id, 5)));
            mem.kill(id, State::Freed);
        }
        let start = mem.object(kept).start;
        assert_eq!(mem.find(start + 99, 1), Ok((kept, 99)));
    }

    #[test]
    fn the_limit_counts_what_lives() {
        let mut mem = Memory::new(DataModel::Lp64, 0, 1 << 20, None);
        assert!(mem.alloc(2 << 20, 1, Owner::Heap, None).is_err());
        assert!(mem.alloc(u64::MAX, 1, Owner::Heap, None).is_err());
        for _ in 0..100 {
            let id = mem.alloc(1 << 19, 1, Owner::Heap, None).unwrap();
            mem.kill(id, State::Freed);
        }
    }

    #[test]
    fn many_dead_objects_are_forgotten() {
        let mut mem = memory(DataModel::Lp64);
        for _ in 0..3 * REMEMBERED {
            let id = mem.alloc(4, 4, Owner::Stack, None).unwrap();
            mem.kill(id, State::Returned);
        }
        assert!(mem.by_start.len() <= REMEMBERED + 1);
        assert!(mem.objects.len() <= REMEMBERED + 2);
    }

    #[test]
    fn objects_lie_where_they_are_wanted_if_they_can() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut mem = memory(model);
            let mut at = |size, align, wanted| {
                let id = mem.alloc(size, align, Owner::Heap, Some(wanted)).unwrap();
                (mem.object(id).start, id)
            };
            let (start, first) = at(8, 8, 0x2000);
            assert_eq!(start, 0x2000);
            assert_eq!(at(4, 4, 0x2008).0, 0x2008);
            // Taken, not aligned, in the first and the last page, where procedures lie.
            let last = ((1u128 << model.pointer_bits()) - 0x1000) as u64;
            for wanted in [0x2004, 0x2000, 0x3002, 0, 0x800, last, last - 2, PROCS] {
                assert_ne!(at(4, 4, wanted).0, wanted, "{wanted:#x}");
            }
            assert_eq!(at(4, 4, last - 4).0, last - 4);
            // What is dead gives way.
            mem.kill(first, State::Freed);
            let again = mem.alloc(4, 4, Owner::Heap, Some(0x2004)).unwrap();
            assert_eq!(mem.object(again).start, 0x2004);
            assert_eq!(mem.find(0x2004, 4), Ok((again, 0)));
            assert!(mem.find(0x2000, 4).is_err());
        }
    }

    #[test]
    fn faults_say_what_is_there() {
        let mut mem = memory(DataModel::Lp64);
        assert_eq!(mem.find(0, 1), Err(Fault::Null));
        assert_eq!(mem.find(8, 4), Err(Fault::Null));
        let proc = ProcId::from_raw(2);
        assert_eq!(mem.find(Memory::proc_address(proc), 4), Err(Fault::Procedure(proc)));
        let id = mem.alloc(8, 8, Owner::Heap, None).unwrap();
        let start = mem.object(id).start;
        let outside = |offset| Err(Fault::Outside { owner: Owner::Heap, size: 8, offset });
        assert_eq!(mem.find(start + 6, 4), outside(6));
        assert_eq!(mem.find(start + 8, 1), outside(8));
        assert_eq!(mem.find(start - 4, 4), outside(-4));
        assert_eq!(mem.find(start + (1 << 30), 4), Err(Fault::Nothing));
        assert_eq!(mem.find(u64::MAX, 4), Err(Fault::Nothing));
    }
}
