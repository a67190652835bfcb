//! Cone of influence: drops operations whose result no assumption depends on.
//!
//! A value matters if an assumption, an argument or a result of a call that remains needs it, or an assignment to something that
//! matters. Variables are judged one by one, aggregates as a whole; all memory that pointers may reach (what is dereferenced and every
//! variable whose address is taken) is one class, because casts make anything finer unsound.
//!
//! Dropped: assignments, arbitrary values, allocations and copies of memory whose target does not matter; output with such a result.
//! Kept: all control (assumptions, calls, halts, loops without effect), `unsupported` operations, variadic access. Undefined behaviour in
//! what is dropped is dropped with it; it is not an error of reachability.
//!
//! A choice of the source program is kept in all copies of its edge or in none, so that counting runs over an edge of the source
//! program gives the same numbers before and after: counterexamples name choices by that count.
//!
//! Invariant: locations and control edges are those of the input; a dropped operation becomes `skip`.

use super::compact::compact;
use super::rewrite::place_parts;
use crate::expr::{Const, ExprId, ExprKind, Node, PlaceId};
use crate::program::{EdgeId, Op, Output, Program, VarId};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

pub fn cone(program: &Program) -> Program {
    let kept = Cone::new(program).solve();
    let mut result = program.clone();
    for (i, op) in ops_mut(&mut result).enumerate() {
        if !kept[i] {
            *op = Op::Skip;
        } else if let Op::Output(out) = op {
            // Only its result counts.
            *op = Op::Output(Box::new(Output { args: Vec::new(), ..(**out).clone() }));
        }
    }
    plain_results(program, &mut result, &kept);
    compact(result)
}

fn ops_mut(program: &mut Program) -> impl Iterator<Item = &mut Op> {
    let plain = program.edges.iter_mut().map(|e| &mut e.op);
    plain.chain(program.regions.iter_mut().flat_map(|r| r.edges.iter_mut().map(|e| &mut e.op)))
}

/// Edges, then the edges inside regions, each with its origin.
fn ops(program: &Program) -> impl Iterator<Item = (&Op, EdgeId)> {
    let plain = program.edges.iter().map(|e| (&e.op, e.origin));
    plain.chain(program.regions.iter().flat_map(|r| r.edges.iter().map(|e| (&e.op, e.origin))))
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
}

impl<'a> Cone<'a> {
    fn new(program: &'a Program) -> Self {
        let ops: Vec<_> = ops(program).collect();
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
        }
    }

    fn solve(mut self) -> Vec<bool> {
        for i in 0..self.ops.len() as u32 {
            let (op, origin) = self.ops[i as usize];
            match self.target(op) {
                Target::Always => self.keep(i),
                Target::Var(v) => self.writers[v].push(i),
                Target::Memory => self.memory_writers.push(i),
                Target::Nothing => {}
            }
            if has_choice(op) {
                self.copies.entry(origin).or_default().push(i);
            }
        }
        while let Some(i) = self.todo.pop() {
            let (op, origin) = self.ops[i as usize];
            self.needs(op);
            if has_choice(op) {
                for copy in self.copies.remove(&origin).unwrap_or_default() {
                    self.keep(copy);
                }
            }
        }
        self.kept
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
            Op::Output(_) | Op::Halt(_) => {}
            // The result of the entry procedure is nobody's.
            Op::Return(_) if !self.is_called() => {}
            _ => nodes.extend(parts.exprs.into_iter().map(Node::Expr)),
        }
        nodes.extend(parts.read.into_iter().map(Node::Place));
        if let Op::VarArgs(_) = op {
            nodes.extend(parts.written.map(Node::Place));
        } else if let Some(p) = parts.written {
            self.addressing(p, &mut nodes);
        }
        self.matter(nodes);
    }

    /// Does any call remain? Then results of procedures count.
    fn is_called(&self) -> bool {
        self.program.edges.iter().any(|e| matches!(e.op, Op::Call(_)))
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

/// Operations that take an arbitrary value.
fn has_choice(op: &Op) -> bool {
    matches!(op, Op::Havoc(..) | Op::Alloc { zero: false, .. } | Op::Realloc { .. } | Op::Output(_))
}

/// Statuses of halts, and results of an entry procedure that nothing calls, do not count: they become zero where they name variables.
fn plain_results(program: &Program, result: &mut Program, kept: &[bool]) {
    let called = program.edges.iter().any(|e| matches!(e.op, Op::Call(_)));
    let mut zeroed = |e: ExprId| -> ExprId {
        let ty = program.exprs.ty(e);
        if program.types.as_word(ty).is_some() && program.exprs.as_const(e).is_none() {
            result.exprs.constant(Const::Bits(0), ty)
        } else {
            e
        }
    };
    let mut changes = Vec::new();
    for (i, (op, _)) in ops(program).enumerate() {
        match op {
            Op::Return(Some(e)) if !called && kept[i] => changes.push((i, Op::Return(Some(zeroed(*e))))),
            Op::Halt(crate::Halt::Exit(e)) => {
                changes.push((i, Op::Halt(crate::Halt::Exit(zeroed(*e)))));
            }
            _ => {}
        }
    }
    let mut changes = changes.into_iter().peekable();
    for (i, op) in ops_mut(result).enumerate() {
        if let Some((_, new)) = changes.next_if(|(at, _)| *at == i) {
            *op = new;
        }
    }
}
