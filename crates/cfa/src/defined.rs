//! When is an operation defined? One table for all who ask.
//!
//! A [`Rule`] is a row: what C asks of operations so that they are defined. For an operation one expression says whether evaluating its parts breaks a rule. Evaluation is
//! lazy as in [`crate::expr`]: what stands behind `&&`, `||`, `==>` or in a branch of `ite` counts only if it is evaluated. The expression
//! is made bottom-up, once per node, so that it is linear in what it checks. The interpreter finds the same by executing ([`crate::interp::Undefined`], [`Rule::broken`]).
//!
//! | rule | broken by |
//! |---|---|
//! | [`Rule::Overflow`] | `+`, `-`, `*`, negation beyond a signed type, `/` and `%` of the smallest value by -1. A left shift is defined as GCC defines it (see [`crate::arith::shift`]) |
//! | [`Rule::Division`] | an integer `/` or `%` by zero |
//! | [`Rule::Shift`] | a shift by less than zero or by at least the width |
//! | [`Rule::Access`] | an access that does not lie in one live object, the one that its pointer points into: through null, outside, freed, out of scope, through an address made of nothing |
//!
//! What else is undefined has no row: freeing what is not to be freed, overlapping copies, floats out of range, formats.

use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, Exprs, Node, PlaceId, PlaceKind, UnOp};
use crate::interp::Undefined;
use crate::program::{Op, Program, VarId};
use crate::rewrite::place_parts;
use crate::types::{IntTy, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// What operations need to be defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    Overflow,
    Division,
    Shift,
    Access,
}

impl Rule {
    pub const ALL: [Rule; 4] = [Rule::Overflow, Rule::Division, Rule::Shift, Rule::Access];

    /// A name that stays, for tools.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Overflow => "signed-overflow",
            Rule::Division => "division-by-zero",
            Rule::Shift => "shift-amount",
            Rule::Access => "invalid-access",
        }
    }

    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// The rule that a run broke that ended so.
    pub fn broken(by: Undefined) -> Option<Rule> {
        match by {
            Undefined::NullDereference | Undefined::InvalidPointer | Undefined::OutOfBounds => {
                Some(Rule::Access)
            }
            Undefined::UseAfterFree | Undefined::UseAfterReturn => Some(Rule::Access),
            Undefined::SignedOverflow => Some(Rule::Overflow),
            Undefined::DivisionByZero => Some(Rule::Division),
            Undefined::ShiftAmount => Some(Rule::Shift),
            Undefined::InvalidFree | Undefined::FloatToInt | Undefined::OverlappingCopy => None,
            Undefined::Format | Undefined::Marked => None,
        }
    }
}

/// For each node: does evaluating it break a rule?
#[derive(Debug)]
pub struct Breaks {
    rule: Rule,
    /// Variables whose end is not known.
    larger: FxHashSet<VarId>,
    exprs: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, ExprId>,
}

impl Breaks {
    pub fn new(rule: Rule, program: &Program) -> Breaks {
        let vars = program.vars.iter_enumerated();
        let larger = vars.filter(|(_, var)| var.larger).map(|(id, _)| id).collect();
        Breaks { rule, larger, exprs: FxHashMap::default(), places: FxHashMap::default() }
    }

    /// Does executing the operation break the rule? `false` where it cannot.
    pub fn op(&mut self, exprs: &mut Exprs, types: &mut Types, op: &Op) -> ExprId {
        let parts = op.parts();
        let values = parts.exprs.into_iter().map(Node::Expr);
        let places = parts.written.into_iter().map(Node::Place);
        let mut any = exprs.bool(false);
        for node in values.chain(places) {
            self.run(exprs, types, node);
            let check = self.get(node);
            any = or(exprs, any, check);
            if let Node::Place(place) = node {
                let own = self.access(exprs, types, place);
                any = or(exprs, any, own);
            }
        }
        let (ranges, len) = match *op {
            Op::MemSet { dst, len, .. } => (vec![dst], len),
            Op::MemCopy { dst, src, len, .. } => (vec![dst, src], len),
            _ => return any,
        };
        for pointer in ranges {
            let own = self.range(exprs, types, pointer, len);
            any = or(exprs, any, own);
        }
        any
    }

    /// Does an access to this place break the rule, given its parts?
    fn access(&self, exprs: &mut Exprs, types: &mut Types, place: PlaceId) -> ExprId {
        let never = exprs.bool(false);
        let (mut root, mut open) = (place, 0);
        let pointer = loop {
            match exprs.place(root).kind {
                PlaceKind::Var(var) if self.larger.contains(&var) => return never,
                PlaceKind::Var(_) => break None,
                PlaceKind::Deref(pointer) => break Some(pointer),
                PlaceKind::Field(of, _) => root = of,
                PlaceKind::Index(of, by) => {
                    open += usize::from(exprs.as_bits(by).is_none());
                    root = of;
                }
            }
        };
        if pointer.is_none() && open != 1 {
            // Of several indices it is not said.
            return never;
        }
        match (self.rule, pointer) {
            (Rule::Access, pointer) => match (pointer, length(exprs, types, place)) {
                (Some(_), Some(len)) => {
                    let address = exprs.addr_of(types, place);
                    let valid = exprs.valid(address, len);
                    exprs.not(valid)
                }
                (None, Some(len)) => outside(exprs, types, place, len),
                (_, None) => never,
            },
            _ => never,
        }
    }

    /// Does an access to so many bytes break the rule?
    fn range(&self, exprs: &mut Exprs, types: &Types, pointer: ExprId, len: ExprId) -> ExprId {
        let broken = match self.rule {
            Rule::Access => {
                // All of it if its length is known, else its first byte.
                let size = exprs.as_bits(len).and_then(|len| u64::try_from(len).ok()).unwrap_or(1);
                let valid = exprs.valid(pointer, size);
                exprs.not(valid)
            }
            _ => return exprs.bool(false),
        };
        let zero = exprs.constant(Const::Bits(0), exprs.ty(len));
        let some = exprs.binary(types, BinOp::Ne, len, zero);
        exprs.and(some, broken)
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

    fn run(&mut self, exprs: &mut Exprs, types: &mut Types, root: Node) {
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
                    let mut check = self.check(exprs, types, e, &checks);
                    if let ExprKind::Read(place) = *exprs.kind(e) {
                        let own = self.access(exprs, types, place);
                        check = or(exprs, check, own);
                    }
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

    /// From the checks of the parts, in order of evaluation, to that of the expression.
    fn check(&self, exprs: &mut Exprs, types: &Types, e: ExprId, parts: &[ExprId]) -> ExprId {
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
                let own = own_check(self.rule, exprs, types, e);
                or(exprs, below, own)
            }
            _ => {
                let none = exprs.bool(false);
                parts.iter().fold(none, |any, &c| or(exprs, any, c))
            }
        }
    }
}

fn or(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if a == b { a } else { exprs.or(a, b) }
}

/// Does the operator itself break the rule, given its operands?
fn own_check(rule: Rule, exprs: &mut Exprs, types: &Types, e: ExprId) -> ExprId {
    match rule {
        Rule::Overflow => overflow(exprs, types, e),
        Rule::Division => by_zero(exprs, types, e),
        Rule::Shift => by_too_much(exprs, types, e),
        Rule::Access => exprs.bool(false),
    }
}

fn by_zero(exprs: &mut Exprs, types: &Types, e: ExprId) -> ExprId {
    match *exprs.kind(e) {
        ExprKind::Binary(BinOp::Div | BinOp::Rem, _, b) if types.as_int(exprs.ty(b)).is_some() => {
            let zero = exprs.constant(Const::Bits(0), exprs.ty(b));
            exprs.binary(types, BinOp::Eq, b, zero)
        }
        _ => exprs.bool(false),
    }
}

fn by_too_much(exprs: &mut Exprs, types: &Types, e: ExprId) -> ExprId {
    let (BinOp::Shl | BinOp::Shr, a, n) = (match *exprs.kind(e) {
        ExprKind::Binary(op, a, n) => (op, a, n),
        _ => return exprs.bool(false),
    }) else {
        return exprs.bool(false);
    };
    let (Some(value), Some(amount)) = (types.as_int(exprs.ty(a)), types.as_int(exprs.ty(n))) else {
        return exprs.bool(false);
    };
    let (least, greatest) = (0, i128::from(value.width) - 1);
    let inside = between(exprs, types, n, amount, least, greatest);
    exprs.not(inside)
}

/// Does an integer lie between two numbers?
fn between(exprs: &mut Exprs, types: &Types, e: ExprId, int: IntTy, low: i128, high: i128) -> ExprId {
    let ty = exprs.ty(e);
    let (least, greatest) = arith::bounds(int);
    let (least, greatest) = (arith::to_i128(least, int), arith::to_i128(greatest, int));
    let mut all = exprs.bool(true);
    if low > least {
        let low = exprs.constant(Const::Bits(arith::truncate(low.min(greatest) as u128, int)), ty);
        all = exprs.binary(types, BinOp::Le, low, e);
    }
    if high < greatest {
        let high = exprs.constant(Const::Bits(arith::truncate(high.max(least) as u128, int)), ty);
        let below = exprs.binary(types, BinOp::Le, e, high);
        all = exprs.and(all, below);
    }
    all
}

/// Bytes that an access to a place touches at least.
fn length(exprs: &Exprs, types: &Types, place: PlaceId) -> Option<u64> {
    if let PlaceKind::Field(of, field) = exprs.place(place).kind
        && let Type::Record(record) = *types.get(exprs.place(of).ty)
        && types.records[record].fields.get(field as usize).is_some_and(|field| field.bit.is_some())
    {
        return Some(1);
    }
    types.size_of(exprs.place(place).ty).filter(|size| *size > 0)
}

/// Does the one index that is not constant lead an access out of a variable?
fn outside(exprs: &mut Exprs, types: &Types, place: PlaceId, len: u64) -> ExprId {
    let never = exprs.bool(false);
    let (mut at, mut start, mut open) = (place, 0i128, None);
    let size = loop {
        match exprs.place(at).kind {
            PlaceKind::Var(_) => break types.size_of(exprs.place(at).ty),
            PlaceKind::Deref(_) => return never,
            PlaceKind::Field(of, field) => {
                let Type::Record(record) = *types.get(exprs.place(of).ty) else { return never };
                let Some(field) = types.records[record].fields.get(field as usize) else { return never };
                start += i128::from(field.offset);
                at = of;
            }
            PlaceKind::Index(of, by) => {
                let (Some(stride), Some(int)) =
                    (types.size_of(exprs.place(at).ty), types.as_int(exprs.ty(by)))
                else {
                    return never;
                };
                match exprs.as_bits(by) {
                    Some(bits) => start += arith::to_i128(bits, int).saturating_mul(i128::from(stride)),
                    None => open = Some((by, int, i128::from(stride))),
                }
                at = of;
            }
        }
    };
    let (Some(size), Some((index, int, stride))) = (size, open.filter(|(.., stride)| *stride > 0)) else {
        return never;
    };
    let low = -start.div_euclid(stride);
    let high = (i128::from(size) - i128::from(len) - start).div_euclid(stride);
    let inside = between(exprs, types, index, int, low, high);
    exprs.not(inside)
}

/// Does the operator itself leave its type, given its operands?
fn overflow(exprs: &mut Exprs, types: &Types, e: ExprId) -> ExprId {
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
