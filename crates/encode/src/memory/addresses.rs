//! Concrete addresses.
//!
//! Every object that exists once and that something may point at, and every procedure, has a fixed address: a multiple of 16, above the
//! null page, disjoint from all others with a gap between. What exists more than once takes its addresses from above
//! [`Addresses::heap_start`].
//!
//! A certificate names the addresses of the program it was found on. Those are taken over as far as they are sound here (aligned, above
//! the null page, disjoint, in the first quarter of what pointers reach, so that all else has room behind them); the rest is
//! assigned behind them, so that a wrong map can make a proof fail but never wrong.
//!
//! Objects that are larger than the address space get addresses that mean nothing. The checker of certificates looks at all of them once
//! more and refuses such a program.

use super::objects::{ObjectId, ObjectKey};
use craig_cfa::ProcId;
use index_vec::{IndexVec, index_vec};
use std::collections::BTreeMap;

/// Base addresses by object. A pure value: certificates carry it from one version of a program to another.
pub type AddressMap = BTreeMap<ObjectKey, u64>;

#[derive(Debug)]
pub(super) struct Addresses {
    pub base: IndexVec<ObjectId, Option<u64>>,
    pub procs: IndexVec<ProcId, u64>,
    pub heap_start: u64,
}

const NULL_PAGE: u64 = 0x1000;
const ALIGN: u64 = 16;
const GAP: u64 = 16;

/// Something that needs an address.
pub(super) struct Request {
    pub what: What,
    pub key: ObjectKey,
    pub size: u64,
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
    fixed: &AddressMap,
    pointer_bits: u16,
) -> Addresses {
    let mut result =
        Addresses { base: index_vec![None; objects], procs: index_vec![0; procs], heap_start: 0 };
    let end = |start: u64, size: u64| start.saturating_add(size.max(1)).saturating_add(GAP);
    let limit = 1 << (pointer_bits - 2);
    let fits = |start: u64, size: u64| start.checked_add(size).is_some_and(|end| end <= limit);
    let mut given: Vec<(u64, usize)> = Vec::new();
    if !fixed.is_empty() {
        given = requests
            .iter()
            .enumerate()
            .filter_map(|(i, r)| fixed.get(&r.key).map(|&a| (a, i)))
            .filter(|&(a, i)| a >= NULL_PAGE && a % ALIGN == 0 && fits(a, requests[i].size))
            .collect();
        given.sort_unstable();
    }
    let mut taken = vec![None; requests.len()];
    let mut next = NULL_PAGE;
    for (address, i) in given {
        if address >= next {
            taken[i] = Some(address);
            next = end(address, requests[i].size);
        }
    }
    for (request, taken) in requests.iter().zip(taken) {
        let address = taken.unwrap_or_else(|| {
            let address = next.checked_next_multiple_of(ALIGN).unwrap_or(next);
            next = end(address, request.size);
            address
        });
        match request.what {
            What::Object(id) => result.base[id] = Some(address),
            What::Proc(id) => result.procs[id] = address,
        }
    }
    result.heap_start = next.checked_next_multiple_of(1 << 12).unwrap_or(next);
    result
}
