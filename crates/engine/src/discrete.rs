//! Variables that take few values: states of protocols, modes, flags.
//!
//! A slot of the state is discrete if all that the program assigns to it is constants and other discrete slots. Interpolants speak of
//! such a variable one value or one bound at a time, and each refinement then only excludes the next detour through its
//! values. An engine that learns that the variable matters takes all its values at once instead: the abstract states are as
//! many as before, because the variable has one value at a time.

use crate::slots::{Slots, flat};
use crate::workbench::Workbench;
use craig_base::{Pace, Stop};
use craig_cfa::{Choice, Edge, Op};
use craig_encode::{Encoder, Part, State};
use craig_logic::{Op as Head, TermId, Terms};
use std::collections::BTreeSet;

/// More values are not few: the protocols of the SSH programs have up to 40.
const MAX_VALUES: usize = 64;
/// Operations times slots beyond which nothing is looked for: about a second.
const MAX_WORK: usize = 50_000_000;

/// The values of discrete slots, as comparisons with them.
#[derive(Debug, Default)]
pub struct Discrete {
    /// Per slot; empty for those that are not discrete.
    atoms: Vec<Vec<TermId>>,
}

/// What is known of a slot on the way.
#[derive(Debug, Clone, Default)]
struct Assigned {
    other: bool,
    values: BTreeSet<TermId>,
    copies: BTreeSet<u32>,
}

impl Discrete {
    pub fn new(bench: &Workbench<'_>) -> Result<Discrete, Stop> {
        let (encoder, slots, terms) = (&bench.encoder, &bench.slots, &bench.terms);
        let program = encoder.program;
        if program.edges.len().saturating_mul(slots.symbols.len()) > MAX_WORK {
            return Ok(Discrete::default());
        }
        let mut pace = Pace::new(&bench.budget);
        let mut assigned = vec![Assigned::default(); slots.symbols.len()];
        let symbols = encoder.symbols(None);
        let mut initial = flat(&encoder.initial(&mut Part::new()));
        ignore_arbitrary(terms, slots, &mut initial);
        note(terms, slots, &initial, &mut assigned);
        for edge in &program.edges {
            pace.step()?;
            note_op(encoder, slots, &symbols, edge, &mut assigned);
        }
        close(&mut assigned);
        let few = |(symbol, a): (&TermId, Assigned)| match a.other || a.values.len() > MAX_VALUES {
            true => Vec::new(),
            false => a.values.into_iter().map(|v| terms.eq(*symbol, v)).collect(),
        };
        Ok(Discrete { atoms: slots.symbols.iter().zip(assigned).map(few).collect() })
    }

    /// The discrete slots.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.atoms).filter(|(_, atoms)| !atoms.is_empty()).map(|(slot, _)| slot)
    }

    /// The atoms that compare a discrete slot with its values; none for another.
    pub fn atoms(&self, slot: u32) -> impl Iterator<Item = TermId> {
        self.atoms.get(slot as usize).into_iter().flatten().copied()
    }
}

fn note_op(encoder: &Encoder<'_>, slots: &Slots, symbols: &State, edge: &Edge, assigned: &mut [Assigned]) {
    let op = &edge.op;
    if matches!(op, Op::Skip | Op::Assume(_) | Op::Havoc(_, Choice::Uninit)) {
        return;
    }
    let mut state = symbols.clone();
    // A call that was not inlined stops the engine as soon as a path gets there.
    if encoder.op(op, edge.origin, edge.calls, &mut state, &mut Part::new()).is_err() {
        return;
    }
    let mut state = flat(&state);
    if matches!(op, Op::Alloc { .. }) {
        ignore_arbitrary(&encoder.terms, slots, &mut state);
    }
    note(&encoder.terms, slots, &state, assigned);
}

/// Forgets that slots may start with any value: it is mostly overwritten before it is read.
fn ignore_arbitrary(terms: &Terms, slots: &Slots, state: &mut [TermId]) {
    for (term, symbol) in state.iter_mut().zip(&slots.symbols) {
        if terms.as_symbol(*term).is_some() && slots.slot(*term).is_none() {
            *term = *symbol;
        }
    }
}

/// Takes down what the slots become.
fn note(terms: &Terms, slots: &Slots, state: &[TermId], assigned: &mut [Assigned]) {
    for (slot, term) in state.iter().enumerate().filter(|(i, t)| slots.symbols[*i] != **t) {
        let mut open = vec![*term];
        while let Some(term) = open.pop() {
            if terms.is_number(term) {
                assigned[slot].values.insert(term);
            } else if let Some(other) = slots.slot(term) {
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
