//! To which procedures pointers may lead.
//!
//! The analysis of pointers follows the addresses of procedures that some [`ExprKind::Leads`] asks for, as it follows those of objects: an
//! address that is exposed may be any number. A pointer that nothing is known of (it comes from outside, or out of fresh memory)
//! leads to none of them, as [`ExprKind::Leads`] says; unless the program compares pointers with such an address, and so can tell that one
//! is it.

use super::constraints::{Constraints, Value};
use super::solver::{Flow, NodeId};
use super::{Layout, Seen};
use craig_cfa::{ExprId, ExprKind, Maker, Op, ProcId, Program, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

fn questions(program: &Program) -> impl Iterator<Item = (ExprId, ExprId, &[ProcId])> {
    let question = |e: ExprId| match program.exprs.kind(e) {
        ExprKind::Leads(pointer, procs) => Some((e, *pointer, &**procs)),
        _ => None,
    };
    (0..program.exprs.len()).map(ExprId::from_usize).filter_map(question)
}

/// The procedures whose addresses are to be followed: those that are asked for, and all that a pointer from outside may be compared with.
pub(super) fn followed(program: &Program) -> BTreeSet<ProcId> {
    let mut all: BTreeSet<ProcId> = questions(program).flat_map(|(.., procs)| procs).copied().collect();
    if program.edges.iter().any(|edge| matches!(edge.op, Op::Alloc { maker: Maker::Choice, .. })) {
        let address = |e| match *program.exprs.kind(ExprId::from_usize(e)) {
            ExprKind::ProcAddr(proc) => Some(proc),
            _ => None,
        };
        all.extend((0..program.exprs.len()).filter_map(address));
    }
    all
}

/// Of the procedures that each question of the program names, those that the pointer may lead to.
pub(super) fn answers(found: &mut Constraints<'_>) -> FxHashMap<ExprId, Box<[ProcId]>> {
    let mut compared = compared(found);
    let mut answers = FxHashMap::default();
    for (e, pointer, procs) in questions(found.program) {
        // Of what no operation evaluates nothing is known.
        let Some(value) = found.known_value(pointer) else { continue };
        let mut held = held(found, value);
        if let (Some(compared), Value::Node(node)) = (&mut compared, value) {
            let origins = compared.flow.origins(&mut found.solver, node);
            held.extend(origins.iter().filter_map(|origin| compared.with.get(origin)).flatten());
        }
        answers.insert(e, procs.iter().copied().filter(|proc| held.contains(proc)).collect());
    }
    answers
}

fn held(found: &mut Constraints<'_>, value: Value) -> FxHashSet<ProcId> {
    match value {
        Value::Node(node) => found.solver.procedures(node),
        Value::Nothing | Value::At(..) | Value::In(..) => FxHashSet::default(),
    }
}

/// Where values come from that the program compares with addresses of procedures.
struct ComparedWith {
    flow: Flow,
    with: FxHashMap<NodeId, FxHashSet<ProcId>>,
}

/// A value that is compared with the address of a procedure may be it, and with it what comes from where that value comes from. The tests of
/// a call before it asks its question do not count: there the call goes to the procedure that the pointer equals.
fn compared(found: &mut Constraints<'_>) -> Option<ComparedWith> {
    let program = found.program;
    let called: FxHashSet<ExprId> = questions(program).map(|(_, pointer, _)| pointer).collect();
    if called.is_empty() {
        return None;
    }
    let mut pairs = Vec::new();
    for e in (0..program.exprs.len()).map(ExprId::from_usize) {
        let (a, b) = match *program.exprs.kind(e) {
            ExprKind::Binary(op, a, b) if op.is_comparison() => (a, b),
            _ => continue,
        };
        let plain = |side: ExprId| !called.contains(&side) && program.exprs.as_const(side).is_none();
        let (Some(x), Some(y)) = (found.known_value(a), found.known_value(b)) else { continue };
        if plain(a) && plain(b) {
            for (value, other) in [(x, y), (y, x)] {
                let procs = held(found, other);
                if let Value::Node(node) = value
                    && !procs.is_empty()
                {
                    pairs.push((node, procs));
                }
            }
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let mut compared = ComparedWith { flow: found.solver.flow(), with: FxHashMap::default() };
    for (node, procs) in pairs {
        for &origin in compared.flow.origins(&mut found.solver, node) {
            compared.with.entry(origin).or_default().extend(&procs);
        }
    }
    Some(compared)
}

/// The questions that the answer is no to.
pub(super) fn misled(found: &mut Constraints<'_>) -> FxHashSet<ExprId> {
    answers(found).into_iter().filter(|(_, procs)| procs.is_empty()).map(|(e, _)| e).collect()
}

impl Layout {
    /// The procedures that a pointer may lead to, of those that this [`ExprKind::Leads`] names.
    pub fn leads<'a>(&'a self, question: ExprId, procs: &'a [ProcId]) -> &'a [ProcId] {
        self.leads.get(&question).map_or(procs, |procs| procs)
    }

    /// Does no run pass this operation, since it needs a pointer that leads to none of some procedures to lead to one of them?
    pub fn misleads(&self, program: &Program, op: &Op) -> bool {
        match op {
            Op::Assume(e) => match program.exprs.kind(*e) {
                ExprKind::Leads(_, procs) => self.leads(*e, procs).is_empty(),
                _ => false,
            },
            _ => false,
        }
    }
}

/// The source program without the questions that the analysis answers with no: the assumption that a pointer leads to procedures goes where it
/// leads to none of them. `None`: there was none to answer. The encoding of the given program gives the same answers, so that there is
/// nothing to say on the way back.
pub fn settle(program: &Program, seen: &Seen) -> Option<Program> {
    questions(program).next()?;
    let no = |e: ExprId| seen.misleads(e);
    let mut result = program.clone();
    result.edges.retain(|edge| !matches!(edge.op, Op::Assume(e) if no(e)));
    for edge in &mut result.edges {
        if let Op::Assume(e) = edge.op
            && let ExprKind::Unary(UnOp::Not, question) = *program.exprs.kind(e)
            && no(question)
        {
            edge.op = Op::Skip;
        }
    }
    Some(result)
}
