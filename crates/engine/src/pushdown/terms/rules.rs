//! Rules as formulas over integers (PDS, chapter 2).
//!
//! Control points are the cuts of the program with its procedures side by side ([`crate::procedures`]); what happens between two of them is a rule. It
//! speaks of the values before it ([`Divided::now`]) and says which are behind it. A rule that goes over a whole call has two premises: the caller, and the exit of the
//! callee, whose relation between entry and exit is what happens to the caller (the eval rule of PDS, 5.2.1).

use crate::procedures::Divided;
use crate::slots::flat;
use craig_cfa::{LocId, ProcId};
use craig_logic::{Substitution, TermId};
use craig_verdict::segment::{Taken, node};
use index_vec::IndexVec;

index_vec::define_index_type! { pub struct RuleId = u32; }

pub struct Rule<'d> {
    pub from: LocId,
    pub to: LocId,
    /// What holds when it is taken, of the values before.
    pub formula: Vec<TermId>,
    /// So much of it says that the values before lie in their types.
    pub within: usize,
    /// Values behind it, by slot.
    pub after: Vec<TermId>,
    /// For a rule over a call.
    pub call: Option<Call>,
    /// The operations on the way, and the node of them where it ends.
    pub edges: &'d [Taken],
    pub exit: u32,
}

pub struct Call {
    pub callee: ProcId,
    /// Values when the callee is entered, by slot.
    pub inner: Vec<TermId>,
}

/// All rules of a program.
pub fn rules<'d>(divided: &'d Divided<'_>) -> IndexVec<RuleId, Rule<'d>> {
    let terms = &divided.encoder.terms;
    let mut rules = IndexVec::new();
    let within: Vec<TermId> = divided.ranges.iter().chain(&divided.entry_ranges).flatten().copied().collect();
    for (&from, segment) in &divided.segments {
        let mut known = within.clone();
        known.extend(&segment.part.constraints);
        let call = divided.calls.iter().find(|call| call.handed == from);
        for end in &segment.ends {
            // Where the run ends nothing comes after; behind a call is the other rule.
            let ends = divided.exit_of(end.loc).is_some_and(|proc| !divided.called[proc]);
            if ends || call.is_some_and(|call| call.back == end.loc) {
                continue;
            }
            let formula = known.iter().copied().chain([end.guard]).collect();
            let (to, after, edges) = (end.loc, flat(&end.state), &segment.edges[..]);
            let within = within.len();
            rules.push(Rule { from, to, formula, within, after, call: None, edges, exit: node(to) });
        }
        let Some(call) = call else { continue };
        let entry = divided.source.procs[call.callee].entry;
        let Some(into) = segment.ends.iter().find(|end| end.loc == entry) else { continue };
        let mut formula = known;
        formula.push(into.guard);
        // The variables of the caller stay; what the callee changes is whatever its exit says.
        let mut after = divided.now.clone();
        for &slot in &divided.changed[call.callee] {
            after[slot] = terms.fresh("after", terms.sort(divided.now[slot]));
            let map = Substitution::from_iter([(divided.now[slot], after[slot])]);
            formula.extend(divided.ranges[slot].map(|range| terms.substitute(range, &map)));
        }
        let call_of = Call { callee: call.callee, inner: flat(&into.state) };
        let (to, edges, exit, within) = (call.back, &[][..], 0, within.len());
        rules.push(Rule { from, to, formula, within, after, call: Some(call_of), edges, exit });
    }
    rules
}
