//! What procedures need where they are entered: a relation between entry and exit is often a simple one only for the entries that there are (`multiply(a, n) >= a`
//! where `a >= 0`), and an interpolant of a callee does not know these (PDS, 5.2.1 begins with nothing but that the values of entry and now are one).
//!
//! Where explanations of a procedure count on, bounds of its arguments and of what else it reads are guessed. A guess is dropped as soon as an execution of the program that the search has found a way for
//! refutes it; what is left is taken for granted in the graphs of callees ([`super::graph`]), as far as the abstract states at the entry have it. If
//! they do not, and no execution shows why, the ways to the entry are explained like ways to the error.

use super::explain::{Explained, Explainer};
use super::graph::Graph;
use super::predicates::System;
use super::reach::{NodeId, Reached};
use craig_cfa::{LocId, ProcId};
use craig_logic::{Sort, TermId};
use craig_verdict::Reason;

/// Values at an entry of which something is guessed, and those of which pairs are compared.
const VALUES: usize = 6;
const COMPARED: usize = 3;

/// Guesses of what a procedure needs.
fn guesses(system: &System<'_, '_>, proc: ProcId) -> Vec<TermId> {
    let (terms, divided) = (system.terms(), system.divided);
    let slots = divided.entry_slots(proc);
    let numbers = slots.iter().map(|slot| divided.now[*slot]).filter(|value| terms.sort(*value) == Sort::Int);
    let numbers: Vec<TermId> = numbers.take(VALUES).collect();
    let mut guesses = Vec::new();
    for value in &numbers {
        let (none, one) = (terms.int(0), terms.int(1));
        guesses.extend([terms.ge(*value, none), terms.ge(*value, one), terms.le(*value, none)]);
    }
    if numbers.len() <= COMPARED {
        for (i, a) in numbers.iter().enumerate() {
            guesses.extend(numbers[i + 1..].iter().flat_map(|b| [terms.le(*a, *b), terms.le(*b, *a)]));
        }
    }
    guesses
}

/// Guesses the needs of some procedures, drops all needs that an execution refutes, and says what explains that the others hold where the abstract states do not have it.
pub fn refine(
    system: &mut System<'_, '_>,
    reached: &Reached,
    counting: &[ProcId],
    explainer: &mut Explainer,
) -> Result<Vec<(LocId, TermId)>, Reason> {
    let mut all: Vec<(ProcId, Vec<TermId>)> = std::mem::take(&mut system.needs).into_iter().collect();
    all.extend(counting.iter().map(|proc| (*proc, guesses(system, *proc))));
    let mut found = Vec::new();
    for (proc, mut needs) in all {
        let entry = system.divided.source.procs[proc].entry;
        let held = |states| needs.iter().all(|need| system.implies(states, *need));
        let entered = reached.nodes.iter_enumerated().filter(|(_, node)| node.at == entry);
        let open: Vec<NodeId> = entered.filter(|(_, node)| !held(&node.states)).map(|(id, _)| id).collect();
        for node in &open {
            drop_refuted(system, reached, *node, &mut needs)?;
        }
        for node in open.into_iter().filter(|_| !needs.is_empty()) {
            let Some(mut graph) = Graph::new(system, reached, node, true) else { continue };
            let terms = system.terms();
            graph.ask(terms.not(terms.and(needs.iter().copied())));
            if let Explained::Formulas(formulas) = explainer.explain(&system.smt, &graph)? {
                found.extend(formulas);
                found.extend(needs.iter().map(|need| (entry, *need)));
            }
        }
        system.needs.insert(proc, needs);
    }
    Ok(found)
}

/// Drops the needs that do not hold at the end of some way to a node of the search.
fn drop_refuted(
    system: &System<'_, '_>,
    reached: &Reached,
    node: NodeId,
    needs: &mut Vec<TermId>,
) -> Result<(), Reason> {
    let Some(graph) = Graph::new(system, reached, node, true) else {
        needs.clear();
        return Ok(());
    };
    let Some(place) = graph.places.last() else { return Ok(()) };
    let mut session = system.smt.session();
    graph.problem().formulas.iter().for_each(|formula| session.assert(*formula));
    let mut held = Vec::new();
    for need in needs.iter() {
        let otherwise = system.terms().not(graph.special(place.spot, *need));
        if !session.check_assuming(&[otherwise]).decided()? {
            held.push(*need);
        }
    }
    *needs = held;
    Ok(())
}
