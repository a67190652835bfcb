//! Where objects lie.
//!
//! Every object that exists once and that something may point at, and every procedure, has one address. If nothing can tell where
//! objects lie ([`super::seen`]) that is a number: a multiple of 16, above the null page, disjoint from all others with a gap
//! between. What exists more than once takes its addresses from above [`Addresses::heap_start`].
//!
//! What a program can tell is a [`Site`] instead: an address that nobody knows, of which the encoding says only what C promises.
//! All that the program cannot tell then lies together in a site of its own, the *zone*, at fixed distances from its beginning: the numbers it would
//! have, had nothing been seen. So what is seen may lie anywhere, and the rest costs one unknown address in all.
//!
//! A certificate names the addresses of the program it was found on. Those are taken over as far as they are sound here (aligned, above
//! the null page, disjoint, in the first quarter of what pointers reach, so that all else has room behind them); the rest is
//! assigned behind them, so that a wrong map can make a proof fail but never wrong.
//!
//! Objects that are larger than the address space get addresses that mean nothing. The checker of certificates looks at all of them once
//! more and refuses such a program.

use super::objects::{ObjectId, ObjectKey};
use super::seen::Seen;
use craig_cfa::{Name, ProcId};
use index_vec::{IndexVec, index_vec};
use std::collections::BTreeMap;

index_vec::define_index_type! { pub struct SiteId = u32; }

/// Base addresses by object, as numbers or as distances in the zone. A pure value: certificates carry it from one version of a program to
/// another.
pub type AddressMap = BTreeMap<ObjectKey, u64>;

/// An address: a number, or so many bytes behind the beginning of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    pub site: Option<SiteId>,
    pub offset: u64,
}

impl Address {
    pub fn plus(self, bytes: u64) -> Address {
        Address { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

/// Memory at an unknown address.
#[derive(Debug, Clone)]
pub struct Site {
    /// As C would write its address.
    pub name: Name,
    /// What lies there; the zone has none.
    pub key: Option<ObjectKey>,
    pub size: u64,
    pub align: u64,
    /// Sites before this one that share no byte with it, as far as somebody may ask. Objects of which one may be gone before the other
    /// comes may share some.
    pub apart: Vec<SiteId>,
    /// It is there from the start of the program to its end.
    pub lasting: bool,
}

#[derive(Debug)]
pub(super) struct Addresses {
    pub base: IndexVec<ObjectId, Option<Address>>,
    pub procs: IndexVec<ProcId, Address>,
    pub heap_start: Address,
    /// The zone first; none if nothing is seen.
    pub sites: IndexVec<SiteId, Site>,
}

/// Below this lies no object, nor in the last so many bytes: the page of the null pointer and that of negative numbers that are no addresses.
pub const PAGE: u64 = 0x1000;
const ALIGN: u64 = 16;
const GAP: u64 = 16;

/// Something that needs an address.
pub(super) struct Request {
    pub what: What,
    pub key: ObjectKey,
    pub name: Name,
    pub size: u64,
    /// Can the program tell where it lies? Then its alignment.
    pub seen: Option<u64>,
}

#[derive(Clone, Copy)]
pub(super) enum What {
    Object(ObjectId),
    Proc(ProcId),
}

pub(super) fn assign(
    requests: &[Request],
    objects: usize,
    procs: usize,
    seen: &Seen,
    fixed: &AddressMap,
    pointer_bits: u16,
) -> Addresses {
    let number = |offset| Address { site: None, offset };
    let mut result = Addresses {
        base: index_vec![None; objects],
        procs: index_vec![number(0); procs],
        heap_start: number(0),
        sites: IndexVec::new(),
    };
    let zone = (!seen.is_empty()).then(|| {
        let name = "&elsewhere".into();
        result.sites.push(Site { name, key: None, size: 0, align: 1, apart: Vec::new(), lasting: true })
    });
    let end = |start: u64, size: u64| start.saturating_add(size.max(1)).saturating_add(GAP);
    let limit = 1 << (pointer_bits - 2);
    let fits = |start: u64, size: u64| start.checked_add(size).is_some_and(|end| end <= limit);
    let mut given: Vec<(u64, usize)> = Vec::new();
    if !fixed.is_empty() {
        given = requests
            .iter()
            .enumerate()
            .filter_map(|(i, r)| fixed.get(&r.key).map(|&a| (a, i)))
            .filter(|&(a, i)| a >= PAGE && a % ALIGN == 0 && fits(a, requests[i].size))
            .collect();
        given.sort_unstable();
    }
    let mut taken = vec![None; requests.len()];
    let mut next = PAGE;
    for (address, i) in given {
        if address >= next {
            taken[i] = Some(address);
            next = end(address, requests[i].size);
        }
    }
    for (request, taken) in requests.iter().zip(taken) {
        let address = match request.seen {
            Some(align) => {
                let Request { key, name, size, .. } = request;
                let lasting = seen.is_lasting(key);
                let others = result.sites.iter_enumerated();
                let told = |other: &ObjectKey| seen.are_related(other, key) && seen.apart(other, key);
                let others = others.filter(|(_, site)| site.key.as_ref().is_none_or(told));
                let apart = others.map(|(id, _)| id).collect();
                let (key, name) = (Some(key.clone()), name.clone());
                let size = (*size).max(1);
                let site = result.sites.push(Site { name, key, size, align, apart, lasting });
                Address { site: Some(site), offset: 0 }
            }
            None => {
                let offset = taken.unwrap_or_else(|| {
                    let address = next.checked_next_multiple_of(ALIGN).unwrap_or(next);
                    next = end(address, request.size);
                    address
                });
                Address { site: zone, offset }
            }
        };
        match request.what {
            What::Object(id) => result.base[id] = Some(address),
            What::Proc(id) => result.procs[id] = address,
        }
    }
    let heap_start = next.checked_next_multiple_of(PAGE).unwrap_or(next);
    result.heap_start = Address { site: zone, offset: heap_start };
    if let Some(zone) = zone {
        // With room for the heap. Sixteen times that is the address space: a few objects anywhere in it leave so much free.
        result.sites[zone].size = heap_start.saturating_add(1 << (pointer_bits - 4));
    }
    result
}
