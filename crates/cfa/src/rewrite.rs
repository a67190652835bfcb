//! Copies expressions and operations from one arena to another while a [`Map`] changes variables or rebuilds nodes.
//!
//! Every node is rebuilt once per round however often it is shared; a new round forgets what was built (inlining copies one
//! body many times, each time with other variables).

use crate::expr::{ExprId, ExprKind, Exprs, Node, PlaceId, PlaceKind};
use crate::program::{Call, Halt, Op, Output, VarId};
use crate::types::{TypeId, Types};
use index_vec::{IndexVec, index_vec};

/// What a rewriting changes. The parts of a node are rewritten before the node is built.
pub trait Map {
    fn var(&mut self, var: VarId) -> VarId {
        var
    }

    fn build(&mut self, to: &mut Exprs, _types: &Types, kind: ExprKind, ty: TypeId) -> ExprId {
        to.intern(kind, ty)
    }

    fn build_place(&mut self, to: &mut Exprs, kind: PlaceKind, ty: TypeId) -> PlaceId {
        to.intern_place(kind, ty)
    }
}

#[derive(Debug)]
pub struct Rewriter<'a> {
    from: &'a Exprs,
    types: &'a Types,
    /// The round in which it was built, and the result.
    exprs: IndexVec<ExprId, (u32, ExprId)>,
    places: IndexVec<PlaceId, (u32, PlaceId)>,
    round: u32,
    stack: Vec<Node>,
}

impl<'a> Rewriter<'a> {
    pub fn new(from: &'a Exprs, types: &'a Types) -> Self {
        Rewriter {
            from,
            types,
            exprs: index_vec![(0, ExprId::from_raw(0)); from.len()],
            places: index_vec![(0, PlaceId::from_raw(0)); from.place_count()],
            round: 1,
            stack: Vec::new(),
        }
    }

    pub fn next_round(&mut self) {
        self.round += 1;
    }

    pub fn expr(&mut self, id: ExprId, to: &mut Exprs, map: &mut impl Map) -> ExprId {
        self.run(Node::Expr(id), to, map);
        self.exprs[id].1
    }

    pub fn place(&mut self, id: PlaceId, to: &mut Exprs, map: &mut impl Map) -> PlaceId {
        self.run(Node::Place(id), to, map);
        self.places[id].1
    }

    fn done(&self, node: Node) -> bool {
        match node {
            Node::Expr(e) => self.exprs[e].0 == self.round,
            Node::Place(p) => self.places[p].0 == self.round,
        }
    }

    fn run(&mut self, root: Node, to: &mut Exprs, map: &mut impl Map) {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&node) = stack.last() {
            if self.done(node) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            match node {
                Node::Expr(e) => {
                    let parts = self.from.children(e).map(Node::Expr);
                    stack.extend(
                        parts.chain(self.from.place_in(e).map(Node::Place)).filter(|&n| !self.done(n)),
                    );
                }
                Node::Place(p) => {
                    let (a, b) = place_parts(self.from.place(p).kind);
                    stack.extend(
                        [a.map(Node::Place), b.map(Node::Expr)]
                            .into_iter()
                            .flatten()
                            .filter(|&n| !self.done(n)),
                    );
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            match node {
                Node::Expr(e) => {
                    let expr = self.from.get(e);
                    let kind = self.kind(&expr.kind);
                    let new = map.build(to, self.types, kind, expr.ty);
                    self.exprs[e] = (self.round, new);
                }
                Node::Place(p) => {
                    let place = self.from.place(p);
                    let kind = match place.kind {
                        PlaceKind::Var(v) => PlaceKind::Var(map.var(v)),
                        PlaceKind::Deref(e) => PlaceKind::Deref(self.exprs[e].1),
                        PlaceKind::Field(q, i) => PlaceKind::Field(self.places[q].1, i),
                        PlaceKind::Index(q, e) => PlaceKind::Index(self.places[q].1, self.exprs[e].1),
                    };
                    let new = map.build_place(to, kind, place.ty);
                    self.places[p] = (self.round, new);
                }
            }
        }
        self.stack = stack;
    }

    /// The kind with its parts replaced by what was built for them.
    fn kind(&self, kind: &ExprKind) -> ExprKind {
        let e = |id: ExprId| self.exprs[id].1;
        let p = |id: PlaceId| self.places[id].1;
        let all = |ids: &[ExprId]| ids.iter().map(|&id| e(id)).collect();
        match kind {
            ExprKind::Const(_) | ExprKind::ProcAddr(_) => kind.clone(),
            ExprKind::Read(place) => ExprKind::Read(p(*place)),
            ExprKind::AddrOf(place) => ExprKind::AddrOf(p(*place)),
            ExprKind::Leads(pointer, procs) => ExprKind::Leads(e(*pointer), procs.clone()),
            ExprKind::Valid(pointer, bytes) => ExprKind::Valid(e(*pointer), *bytes),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, e(*a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, e(*a), e(*b)),
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(e(*a), e(*b)),
            ExprKind::PtrDiff(a, b) => ExprKind::PtrDiff(e(*a), e(*b)),
            ExprKind::Cast(a) => ExprKind::Cast(e(*a)),
            ExprKind::Ite(c, a, b) => ExprKind::Ite(e(*c), e(*a), e(*b)),
            ExprKind::Overflows(op, a, b) => ExprKind::Overflows(*op, e(*a), e(*b)),
            ExprKind::Select(m, i) => ExprKind::Select(e(*m), all(i)),
            ExprKind::Store(m, i, v) => ExprKind::Store(e(*m), all(i), e(*v)),
            ExprKind::Apply(name, args) => ExprKind::Apply(name.clone(), all(args)),
            ExprKind::Extract { of, hi, lo } => ExprKind::Extract { of: e(*of), hi: *hi, lo: *lo },
            ExprKind::Concat(a, b) => ExprKind::Concat(e(*a), e(*b)),
        }
    }

    /// The operation with its expressions and places rewritten.
    pub fn op(&mut self, op: &Op, to: &mut Exprs, map: &mut impl Map) -> Op {
        match op {
            Op::Skip | Op::Unsupported(_) | Op::Deeper(_) => op.clone(),
            Op::Return(None) | Op::Halt(Halt::Abort | Halt::Undefined(_)) => op.clone(),
            Op::Assume(e) => Op::Assume(self.expr(*e, to, map)),
            Op::Assign(p, e) => {
                let value = self.expr(*e, to, map);
                Op::Assign(self.place(*p, to, map), value)
            }
            Op::Havoc(p, choice) => Op::Havoc(self.place(*p, to, map), choice.clone()),
            Op::Call(call) => {
                let args = call.args.iter().map(|&a| self.expr(a, to, map)).collect();
                let ret = call.ret.map(|p| self.place(p, to, map));
                Op::Call(Box::new(Call { proc: call.proc, args, ret }))
            }
            Op::Return(Some(e)) => Op::Return(Some(self.expr(*e, to, map))),
            Op::Alloc { dst, size, zero, stack, maker } => {
                let size = self.expr(*size, to, map);
                Op::Alloc { dst: self.place(*dst, to, map), size, zero: *zero, stack: *stack, maker: *maker }
            }
            Op::Realloc { dst, ptr, size } => {
                let (ptr, size) = (self.expr(*ptr, to, map), self.expr(*size, to, map));
                Op::Realloc { dst: self.place(*dst, to, map), ptr, size }
            }
            Op::Free(e) => Op::Free(self.expr(*e, to, map)),
            Op::MemSet { dst, byte, len } => Op::MemSet {
                dst: self.expr(*dst, to, map),
                byte: self.expr(*byte, to, map),
                len: self.expr(*len, to, map),
            },
            Op::MemCopy { dst, src, len, may_overlap } => Op::MemCopy {
                dst: self.expr(*dst, to, map),
                src: self.expr(*src, to, map),
                len: self.expr(*len, to, map),
                may_overlap: *may_overlap,
            },
            Op::Output(out) => {
                let args = out.args.iter().map(|&a| self.expr(a, to, map)).collect();
                let ret = out.ret.map(|p| self.place(p, to, map));
                Op::Output(Box::new(Output { function: out.function.clone(), args, ret }))
            }
            Op::Halt(Halt::Exit(e)) => Op::Halt(Halt::Exit(self.expr(*e, to, map))),
        }
    }
}

/// The place and the expression a place is made of.
pub(crate) fn place_parts(kind: PlaceKind) -> (Option<PlaceId>, Option<ExprId>) {
    match kind {
        PlaceKind::Var(_) => (None, None),
        PlaceKind::Deref(e) => (None, Some(e)),
        PlaceKind::Field(p, _) => (Some(p), None),
        PlaceKind::Index(p, e) => (Some(p), Some(e)),
    }
}
