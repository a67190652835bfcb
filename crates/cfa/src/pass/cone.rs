//! Cone of influence: drops operations whose result no assumption depends on.
//!
//! A value matters if an assumption, an argument or a result of a call that remains needs it, or an assignment to something that
//! matters. Variables are judged one by one, aggregates as a whole; all memory that pointers may reach (what is dereferenced and every
//! variable whose address is taken) is one class, because casts make anything finer unsound.
//!
//! Dropped: assignments, arbitrary values, allocations and copies of memory whose target does not matter; output with such a result and
//! buffer.
//! Where pointers are made of numbers, what makes an address a number counts as memory: what such a pointer may lead to depends on it.
//! Kept: all control (assumptions, calls, halts, loops without effect), `unsupported` operations. Undefined behaviour in
//! what is dropped is dropped with it; it is not an error of reachability.
//!
//! A choice of the source program is kept in all copies of its edge or in none, so that counting runs over an edge of the source
//! program gives the same numbers before and after: counterexamples name choices by that count.
//!
//! Invariant: locations and control edges are those of the input; a dropped operation becomes `skip`. The way back is that of the
//! origins: what holds of the rest holds of it in the whole program.

use super::compact::compact;
use super::{Back, Passed};
use crate::expr::{Const, ExprId, ExprKind, Node, PlaceId};
use crate::program::{EdgeId, Op, Output, Program, VarId};
use crate::rewrite::place_parts;
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

pub fn cone(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    let kept = Cone::new(program).solve(budget)?;
    let mut result = program.clone();
    let numbers = program.makes_pointers_of_numbers();
    for (i, op) in result.edges.iter_mut().map(|e| &mut e.op).enumerate() {
        if !kept[i] {
            *op = Op::Skip;
        } else if let Op::Output(out) = op {
            // Only its result and its buffer count, unless it makes addresses known.
            if !numbers {
                let args = out.buffer().into_iter().collect();
                *op = Op::Output(Box::new(Output { args, ..(**out).clone() }));
            }
        }
    }
    plain_results(program, &mut result, &kept);
    Ok(Passed { program: compact(result, budget)?, back: Back::default() })
}

/// What an operation needs before it is kept: nothing, or that its target matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Always kept.
    Always,
    Var(VarId),
    Memory,
    /// Never kept.
    Nothing,
}

struct Cone<'a> {
    program: &'a Program,
    ops: Vec<(&'a Op, EdgeId)>,
    kept: Vec<bool>,
    vars: IndexVec<VarId, bool>,
    memory: bool,
    /// Operations by target.
    writers: IndexVec<VarId, Vec<u32>>,
    memory_writers: Vec<u32>,
    /// Operations with a choice, by the edge of the source program.
    copies: FxHashMap<EdgeId, Vec<u32>>,
    seen_exprs: Vec<bool>,
    seen_places: Vec<bool>,
    /// Operations to keep whose parts are not looked at yet.
    todo: Vec<u32>,
    /// Does any call remain? Then results of procedures count.
    called: bool,
}

impl<'a> Cone<'a> {
    fn new(program: &'a Program) -> Self {
        let ops: Vec<_> = program.edges.iter().map(|e| (&e.op, e.origin)).collect();
        Cone {
            program,
            kept: vec![false; ops.len()],
            ops,
            vars: index_vec![false; program.vars.len()],
            memory: false,
            writers: index_vec![Vec::new(); program.vars.len()],
            memory_writers: Vec::new(),
            copies: FxHashMap::default(),
            seen_exprs: vec![false; program.exprs.len()],
            seen_places: vec![false; program.exprs.place_count()],
            todo: Vec::new(),
            called: has_calls(program),
        }
    }

    fn solve(mut self, budget: &Budget) -> Result<Vec<bool>, Stop> {
        let mut pace = Pace::new(budget);
        let numbers = self.program.makes_pointers_of_numbers();
        for i in 0..self.ops.len() as u32 {
            let (op, origin) = self.ops[i as usize];
            match self.target(op) {
                Target::Always => self.keep(i),
                Target::Var(v) => self.writers[v].push(i),
                Target::Memory => self.memory_writers.push(i),
                Target::Nothing => {}
            }
            // The only operation that may write a result and memory.
            let writes_text = matches!(op, Op::Output(out) if out.buffer().is_some());
            if writes_text || numbers && self.exposes(op) {
                self.memory_writers.push(i);
            }
            if has_choice(op) {
                self.copies.entry(origin).or_default().push(i);
            }
        }
        while let Some(i) = self.todo.pop() {
            pace.step()?;
            let (op, origin) = self.ops[i as usize];
            self.needs(op);
            if has_choice(op) {
                for copy in self.copies.remove(&origin).unwrap_or_default() {
                    self.keep(copy);
                }
            }
        }
        Ok(self.kept)
    }

    /// Does an operation make an address a number?
    fn exposes(&self, op: &Op) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let mut todo = op.parts().exprs;
        if matches!(op, Op::Output(_)) && todo.iter().any(|e| types.is_ptr(exprs.ty(*e))) {
            return true;
        }
        while let Some(e) = todo.pop() {
            if let ExprKind::Cast(inner) = *exprs.kind(e)
                && types.is_ptr(exprs.ty(inner))
                && types.as_int(exprs.ty(e)).is_some()
            {
                return true;
            }
            todo.extend(exprs.children(e));
        }
        false
    }

    fn keep(&mut self, i: u32) {
        if !std::mem::replace(&mut self.kept[i as usize], true) {
            self.todo.push(i);
        }
    }

    fn place_target(&self, p: PlaceId) -> Target {
        match self.program.exprs.root_var(p) {
            Some(v) if !self.program.vars[v].address_taken => Target::Var(v),
            _ => Target::Memory,
        }
    }

    fn target(&self, op: &Op) -> Target {
        match op {
            Op::Assign(p, _) | Op::Havoc(p, _) | Op::Alloc { dst: p, .. } => self.place_target(*p),
            Op::Output(out) => out.ret.map_or(Target::Nothing, |p| self.place_target(p)),
            Op::Free(_) | Op::MemSet { .. } | Op::MemCopy { .. } => Target::Memory,
            // It changes the place and memory; an address that matters makes memory matter before anything is read there.
            Op::Realloc { dst, .. } => self.place_target(*dst),
            _ => Target::Always,
        }
    }

    /// What a kept operation reads matters.
    fn needs(&mut self, op: &Op) {
        let mut nodes = Vec::new();
        let parts = op.parts();
        match op {
            Op::Output(out) => nodes.extend(out.buffer().map(Node::Expr)),
            Op::Halt(_) => {}
            // The result of the entry procedure is nobody's.
            Op::Return(_) if !self.called => {}
            _ => nodes.extend(parts.exprs.into_iter().map(Node::Expr)),
        }
        if let Some(p) = parts.written {
            self.addressing(p, &mut nodes);
        }
        self.matter(nodes);
    }

    /// Indices and pointers of a place that is written.
    fn addressing(&self, mut p: PlaceId, nodes: &mut Vec<Node>) {
        loop {
            let (place, expr) = place_parts(self.program.exprs.place(p).kind);
            nodes.extend(expr.map(Node::Expr));
            match place {
                Some(q) => p = q,
                None => return,
            }
        }
    }

    fn matter(&mut self, mut stack: Vec<Node>) {
        let exprs = &self.program.exprs;
        while let Some(node) = stack.pop() {
            match node {
                Node::Expr(e) => {
                    if std::mem::replace(&mut self.seen_exprs[e.index()], true) {
                        continue;
                    }
                    stack.extend(exprs.children(e).map(Node::Expr));
                    match *exprs.kind(e) {
                        ExprKind::Read(p) => stack.push(Node::Place(p)),
                        // The address of a variable does not depend on its value.
                        ExprKind::AddrOf(p) => self.addressing(p, &mut stack),
                        _ => {}
                    }
                }
                Node::Place(p) => {
                    if std::mem::replace(&mut self.seen_places[p.index()], true) {
                        continue;
                    }
                    self.addressing(p, &mut stack);
                    match self.place_target(p) {
                        Target::Var(v) => self.matter_var(v),
                        _ => self.matter_memory(),
                    }
                }
            }
        }
    }

    fn matter_var(&mut self, v: VarId) {
        if !std::mem::replace(&mut self.vars[v], true) {
            for i in std::mem::take(&mut self.writers[v]) {
                self.keep(i);
            }
        }
    }

    fn matter_memory(&mut self) {
        if !std::mem::replace(&mut self.memory, true) {
            for i in std::mem::take(&mut self.memory_writers) {
                self.keep(i);
            }
        }
    }
}

fn has_calls(program: &Program) -> bool {
    program.edges.iter().any(|e| matches!(e.op, Op::Call(_)))
}

/// Operations that take an arbitrary value.
fn has_choice(op: &Op) -> bool {
    matches!(op, Op::Havoc(..) | Op::Alloc { zero: false, .. } | Op::Realloc { .. } | Op::Output(_))
}

/// Statuses of halts, and results of an entry procedure that nothing calls, do not count: they become zero where they name variables.
fn plain_results(program: &Program, result: &mut Program, kept: &[bool]) {
    let called = has_calls(program);
    let mut zeroed = |e: ExprId| -> ExprId {
        let ty = program.exprs.ty(e);
        if program.types.as_word(ty).is_some() && program.exprs.as_const(e).is_none() {
            result.exprs.constant(Const::Bits(0), ty)
        } else {
            e
        }
    };
    let mut changes = Vec::new();
    for (i, edge) in program.edges.iter().enumerate() {
        match &edge.op {
            Op::Return(Some(e)) if !called && kept[i] => changes.push((i, Op::Return(Some(zeroed(*e))))),
            Op::Halt(crate::Halt::Exit(e)) => {
                changes.push((i, Op::Halt(crate::Halt::Exit(zeroed(*e)))));
            }
            _ => {}
        }
    }
    let mut changes = changes.into_iter().peekable();
    for (i, op) in result.edges.iter_mut().map(|e| &mut e.op).enumerate() {
        if let Some((_, new)) = changes.next_if(|(at, _)| *at == i) {
            *op = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinOp;
    use crate::program::{Call, LocId};
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    fn sliced(b: &Build) -> Program {
        let result = cone(&b.program, &Budget::unlimited()).expect("no limit").program;
        debug_verify(&result, "cone");
        result
    }

    #[test]
    fn what_no_assumption_needs_is_dropped() {
        let mut b = Build::new();
        let (x, y, z) = (b.global("x"), b.global("y"), b.global("z"));
        let l: Vec<LocId> = (0..5).map(|_| b.loc()).collect();
        let entry = b.entry();
        b.nondet(entry, l[0], x);
        b.nondet(l[0], l[1], z);
        let xv = b.get(x);
        b.assign(l[1], l[2], y, xv);
        let zv = b.get(z);
        b.assign(l[2], l[3], z, zv);
        b.edge(l[3], l[4], Op::Unsupported("asm".into()));
        let bad = b.cmp(BinOp::Eq, y, 0);
        let error = b.error();
        b.assume(l[4], error, bad);
        b.ret(l[4], zv);
        assert_snapshot!(sliced(&b), @r"
        global x: i32
        global y: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> L3: x = nondet()
          L3 -> L4: skip
          L4 -> L5: y = x
          L5 -> L6: skip
          L6 -> L7: unsupported: asm
          L7 -> ERROR: [y == 0]
          L7 -> L2: return 0
        ");
    }

    #[test]
    fn memory_is_one_class() {
        for deref in [false, true] {
            let mut b = Build::new();
            let (x, y) = (b.local("x"), b.local("y"));
            let (px, py) = (b.address(x), b.address(y));
            let ty = b.program.exprs.ty(px);
            let (p, q) = (b.var_of("p", ty), b.var_of("q", ty));
            let l: Vec<LocId> = (0..4).map(|_| b.loc()).collect();
            let entry = b.entry();
            b.assign(entry, l[0], p, px);
            b.assign(l[0], l[1], q, py);
            b.set(l[1], l[2], x, 1);
            let pv = b.get(p);
            let target = b.program.exprs.deref(pv, b.int);
            let two = b.num(2);
            b.edge(l[2], l[3], Op::Assign(target, two));
            let error = b.error();
            let bad = if deref { b.cmp(BinOp::Eq, y, 1) } else { b.program.exprs.bool(true) };
            b.assume(l[3], error, bad);
            let shown = sliced(&b).to_string();
            // The pointer that is written through matters with memory, the other never.
            assert_eq!(shown.contains("p = &x"), deref, "{shown}");
            assert_eq!(shown.contains("*p = 2"), deref, "{shown}");
            assert!(!shown.contains("q = &y"), "{shown}");
        }
    }

    #[test]
    fn a_choice_stays_in_all_copies_or_in_none() {
        let mut b = Build::new();
        let f = b.proc("f");
        let x = b.local("x");
        let (entry, l) = (b.entry(), b.loc());
        b.nondet(entry, l, x);
        let xv = b.get(x);
        b.ret(l, xv);
        b.proc = b.program.entry;
        let y = b.local("y");
        let (entry, l, m) = (b.entry(), b.loc(), b.loc());
        b.edge(entry, l, Op::Call(Box::new(Call { proc: f, args: vec![], ret: None })));
        b.call(l, m, f, vec![], Some(y));
        let error = b.error();
        let bad = b.cmp(BinOp::Eq, y, 1);
        b.assume(m, error, bad);
        let budget = Budget::unlimited();
        let inlined = super::super::inline(&b.program, None, 100, &budget).expect("small").program;
        let result = cone(&inlined, &budget).expect("no limit").program;
        debug_verify(&result, "cone");
        assert_snapshot!(result, @r"
        proc main() -> i32    // entry L1, exit L2
          local y: i32
          local x: i32
          local x@2: i32
          L1 -> L7: skip
          L5 -> L8: skip
          L6 -> ERROR: [y == 1]
          L7 -> L10: x = nondet()
          L8 -> L9: x@2 = nondet()
          L9 -> L6: y = x@2
          L10 -> L5: skip
        ");
    }
}
