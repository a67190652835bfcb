//! When does executing an operation leave a signed type?
//!
//! For an operation one expression says whether evaluating its parts overflows. Evaluation is lazy as in
//! [`crate::expr`]: what stands behind `&&`, `||`, `==>` or in a branch of `ite` counts only if it is evaluated. The expression
//! is made bottom-up, once per node, so that it is linear in what it checks.
//!
//! Checked: `+`, `-`, `*`, negation, and `/` and `%` of the smallest value by -1, on signed integers. A left shift is defined
//! as GCC defines it (see [`crate::arith::shift`]) and not checked.

use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, Exprs, Node, PlaceId, UnOp};
use crate::program::Op;
use crate::rewrite::place_parts;
use crate::types::{IntTy, Types};
use rustc_hash::FxHashMap;

/// For each node: does evaluating it overflow?
#[derive(Debug, Default)]
pub struct Overflows {
    exprs: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, ExprId>,
}

impl Overflows {
    /// Does executing the operation leave a signed type? `false` where it cannot.
    pub fn op(&mut self, exprs: &mut Exprs, types: &Types, op: &Op) -> ExprId {
        let parts = op.parts();
        let values = parts.exprs.into_iter().map(Node::Expr);
        let places = parts.read.into_iter().chain(parts.written).map(Node::Place);
        let mut any = exprs.bool(false);
        for node in values.chain(places) {
            self.run(exprs, types, node);
            let check = self.get(node);
            any = or(exprs, any, check);
        }
        any
    }

    fn done(&self, node: Node) -> bool {
        match node {
            Node::Expr(e) => self.exprs.contains_key(&e),
            Node::Place(p) => self.places.contains_key(&p),
        }
    }

    fn get(&self, node: Node) -> ExprId {
        match node {
            Node::Expr(e) => self.exprs[&e],
            Node::Place(p) => self.places[&p],
        }
    }

    fn run(&mut self, exprs: &mut Exprs, types: &Types, root: Node) {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.done(node) {
                stack.pop();
                continue;
            }
            let parts: Vec<Node> = match node {
                Node::Expr(e) => {
                    exprs.children(e).map(Node::Expr).chain(exprs.place_in(e).map(Node::Place)).collect()
                }
                Node::Place(p) => {
                    let (place, expr) = place_parts(exprs.place(p).kind);
                    place.map(Node::Place).into_iter().chain(expr.map(Node::Expr)).collect()
                }
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|n| !self.done(**n)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let checks: Vec<ExprId> = parts.iter().map(|&n| self.get(n)).collect();
            match node {
                Node::Expr(e) => {
                    let check = check(exprs, types, e, &checks);
                    self.exprs.insert(e, check);
                }
                Node::Place(p) => {
                    let none = exprs.bool(false);
                    let check = checks.into_iter().fold(none, |any, c| or(exprs, any, c));
                    self.places.insert(p, check);
                }
            }
        }
    }
}

/// From the checks of the parts, in order of evaluation, to that of the expression.
fn check(exprs: &mut Exprs, types: &Types, e: ExprId, parts: &[ExprId]) -> ExprId {
    match *exprs.kind(e) {
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, _) => {
            let reached = if op == BinOp::Or { exprs.not(a) } else { a };
            let right = exprs.and(reached, parts[1]);
            or(exprs, parts[0], right)
        }
        ExprKind::Ite(c, ..) => {
            let none = exprs.bool(false);
            let branch = match (exprs.as_bool(parts[1]), exprs.as_bool(parts[2])) {
                (Some(false), Some(false)) => none,
                (_, Some(false)) => exprs.and(c, parts[1]),
                (Some(false), _) => {
                    let not = exprs.not(c);
                    exprs.and(not, parts[2])
                }
                _ => exprs.ite(c, parts[1], parts[2]),
            };
            or(exprs, parts[0], branch)
        }
        ExprKind::Unary(..) | ExprKind::Binary(..) => {
            let none = exprs.bool(false);
            let below = parts.iter().fold(none, |any, &c| or(exprs, any, c));
            let own = own_check(exprs, types, e);
            or(exprs, below, own)
        }
        _ => {
            let none = exprs.bool(false);
            parts.iter().fold(none, |any, &c| or(exprs, any, c))
        }
    }
}

fn or(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if a == b { a } else { exprs.or(a, b) }
}

/// Does the operator itself leave its type, given its operands?
fn own_check(exprs: &mut Exprs, types: &Types, e: ExprId) -> ExprId {
    let ty = exprs.ty(e);
    let Some(int) = types.as_int(ty).filter(|i| i.signed) else {
        return exprs.bool(false);
    };
    match *exprs.kind(e) {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            exprs.overflows(types, op, a, b)
        }
        ExprKind::Unary(UnOp::Neg, a) => {
            let zero = exprs.constant(Const::Bits(0), ty);
            exprs.overflows(types, BinOp::Sub, zero, a)
        }
        ExprKind::Binary(BinOp::Div | BinOp::Rem, a, b) => division(exprs, types, a, b, int),
        _ => exprs.bool(false),
    }
}

fn division(exprs: &mut Exprs, types: &Types, a: ExprId, b: ExprId, int: IntTy) -> ExprId {
    let ty = exprs.ty(a);
    let smallest = exprs.constant(Const::Bits(arith::bounds(int).0), ty);
    let minus_one = exprs.constant(Const::Bits(arith::mask(int.width)), ty);
    let left = exprs.binary(types, BinOp::Eq, a, smallest);
    let right = exprs.binary(types, BinOp::Eq, b, minus_one);
    exprs.and(right, left)
}
