//! Variables that take few values: states of protocols, modes, flags.
//!
//! A slot of the state is discrete if all that the program assigns to it is constants and other discrete slots. Interpolants speak of
//! such a variable one value or one bound at a time, and each refinement then only excludes the next detour through its
//! values. An engine that learns that the variable matters takes all its values at once instead: the abstract states are as
//! many as before, because the variable has one value at a time.

use crate::blocks::{Vocabulary, flat};
use craig_cfa::{Choice, Op};
use craig_encode::{Encoder, Part};
use craig_logic::{Op as Head, TermId, Terms};
use std::collections::BTreeSet;

/// More values are not few.
const MAX_VALUES: usize = 64;
/// Operations times slots beyond which nothing is looked for.
const MAX_WORK: usize = 50_000_000;

/// The values of discrete slots.
#[derive(Debug, Default)]
pub struct Discrete {
    /// Per slot; empty for those that are not discrete.
    values: Vec<BTreeSet<TermId>>,
}

/// What is known of a slot on the way.
#[derive(Debug, Clone, Default)]
struct Assigned {
    other: bool,
    values: BTreeSet<TermId>,
    copies: BTreeSet<u32>,
}

impl Discrete {
    pub fn new(encoder: &Encoder<'_>, vocabulary: &Vocabulary) -> Discrete {
        let slots = vocabulary.symbols.len();
        let program = encoder.program;
        if program.ops().count().saturating_mul(slots) > MAX_WORK {
            return Discrete::default();
        }
        let terms = &encoder.terms;
        let mut assigned = vec![Assigned::default(); slots];
        let symbols = encoder.symbols(None);
        let mut initial = flat(&encoder.initial(&mut Part::new()));
        ignore_arbitrary(terms, vocabulary, &mut initial);
        note(terms, vocabulary, &initial, &mut assigned);
        for edge in &program.edges {
            note_op(encoder, vocabulary, &symbols, &edge.op, (edge.origin, edge.calls), &mut assigned);
        }
        for edge in program.regions.iter().flat_map(|r| &r.edges) {
            note_op(encoder, vocabulary, &symbols, &edge.op, (edge.origin, edge.calls), &mut assigned);
        }
        close(&mut assigned);
        let few = |a: Assigned| match a.other || a.values.len() > MAX_VALUES {
            true => BTreeSet::new(),
            false => a.values,
        };
        Discrete { values: assigned.into_iter().map(few).collect() }
    }

    /// The discrete slots.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.values).filter(|(_, values)| !values.is_empty()).map(|(slot, _)| slot)
    }

    /// The values of a discrete slot; none of another.
    pub fn values(&self, slot: u32) -> impl Iterator<Item = TermId> {
        self.values.get(slot as usize).into_iter().flatten().copied()
    }

    /// The atoms that compare a discrete slot with its values; none for another.
    pub fn atoms(&self, terms: &Terms, vocabulary: &Vocabulary, slot: u32) -> impl Iterator<Item = TermId> {
        let symbol = vocabulary.symbols[slot as usize];
        self.values(slot).map(move |v| terms.eq(symbol, v))
    }
}

fn note_op(
    encoder: &Encoder<'_>,
    vocabulary: &Vocabulary,
    symbols: &craig_encode::State,
    op: &Op,
    (origin, calls): (craig_cfa::EdgeId, craig_cfa::CallString),
    assigned: &mut [Assigned],
) {
    if matches!(op, Op::Skip | Op::Assume(_) | Op::Block(_) | Op::Havoc(_, Choice::Uninit)) {
        return;
    }
    let mut state = symbols.clone();
    // A call that was not inlined stops the engine as soon as a path gets there.
    if encoder.op(op, origin, calls, &mut state, &mut Part::new()).is_err() {
        return;
    }
    let mut state = flat(&state);
    if matches!(op, Op::Alloc { .. }) {
        ignore_arbitrary(&encoder.terms, vocabulary, &mut state);
    }
    note(&encoder.terms, vocabulary, &state, assigned);
}

/// Forgets that slots may start with any value: it is mostly overwritten before it is read.
fn ignore_arbitrary(terms: &Terms, vocabulary: &Vocabulary, state: &mut [TermId]) {
    for (term, symbol) in state.iter_mut().zip(&vocabulary.symbols) {
        if terms.as_symbol(*term).is_some() && vocabulary.slot(*term).is_none() {
            *term = *symbol;
        }
    }
}

/// Takes down what the slots become.
fn note(terms: &Terms, vocabulary: &Vocabulary, state: &[TermId], assigned: &mut [Assigned]) {
    for (slot, term) in state.iter().enumerate().filter(|(i, t)| vocabulary.symbols[*i] != **t) {
        let mut open = vec![*term];
        while let Some(term) = open.pop() {
            if terms.is_number(term) {
                assigned[slot].values.insert(term);
            } else if let Some(other) = vocabulary.slot(term) {
                assigned[slot].copies.insert(other);
            } else if terms.op(term) == Head::Ite {
                open.extend([terms.arg(term, 1), terms.arg(term, 2)]);
            } else {
                assigned[slot].other = true;
            }
        }
    }
}

/// Carries values along copies until nothing changes.
fn close(assigned: &mut [Assigned]) {
    let mut changed = true;
    while changed {
        changed = false;
        for slot in 0..assigned.len() {
            for other in assigned[slot].copies.clone() {
                let from = assigned[other as usize].clone();
                let to = &mut assigned[slot];
                let before = (to.other, to.values.len());
                to.other |= from.other || to.values.len() > MAX_VALUES;
                to.values.extend(from.values);
                changed |= before != (to.other, to.values.len());
            }
        }
    }
}
