//! A certificate without an engine: what the program itself asks for at its loop heads is taken for the invariant.
//!
//! Where a path that writes nothing leads from a loop head to the error, its condition must never hold there. That is how invariants that
//! others claim become part of a program (`craig_frontend::c::notes`). Whether they are inductive, and enough, the checker tells.

use crate::certificate::at_heads;
use crate::task::Task;
use crate::workbench::Workbench;
use craig_base::Budget;
use craig_cfa::{Blocks, EdgeId, LocId, Op};
use craig_encode::Arith;
use craig_logic::TermId;
use craig_verdict::{Certificate, Reason};

/// Conditions that stand behind each other at most.
const LONGEST: usize = 1000;

pub fn candidates(task: &Task, arith: Arith, budget: &Budget) -> Result<Certificate, Reason> {
    let bench = Workbench::new(task, arith, Blocks::Large, budget)?;
    let (program, terms) = (bench.program(), &bench.terms);
    let graph = program.graph();
    let state = bench.encoder.symbols(None);
    let wanted = |head: LocId| {
        let mut parts: Vec<TermId> = Vec::new();
        let mut at = head;
        for _ in 0..LONGEST {
            let is_error = |edge: &&EdgeId| program.edges[**edge].to == program.error;
            for edge in graph.succ[at].iter().filter(is_error) {
                if let Op::Assume(condition) = program.edges[*edge].op {
                    let mut part = bench.encoder.part();
                    parts.push(terms.not(bench.encoder.eval(condition, &state, &mut part)));
                }
            }
            let mut others = graph.succ[at].iter().filter(|edge| !is_error(edge));
            match (others.next().map(|edge| &program.edges[*edge]), others.next()) {
                (Some(edge), None) if matches!(edge.op, Op::Assume(_) | Op::Skip) => at = edge.to,
                _ => break,
            }
            if at == head {
                break;
            }
        }
        Ok(terms.and(parts))
    };
    at_heads(&bench, wanted)
}
