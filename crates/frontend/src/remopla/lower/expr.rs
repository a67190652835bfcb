//! Expressions and places.
//!
//! Numbers are integers without bound: each part of an expression gets the interval of the values that it can have, and a signed machine integer
//! that has all of them. Nothing overflows, so that a reading in integers and one in bit-vectors agree.
//!
//! Beside its value an expression has a condition under which it has one (`ok`): indices lie in their arrays, divisors are not zero, shifts
//! are not negative. `&&`, `||` and quantifiers look at their right side only if the left leaves it open, and the condition says so.

use super::super::ast::{BinOp, Expr, ExprKind, Place, Quantified, Step};
use super::super::types::{Constant, Elem, EnumId, Shape, bits, signed_bits};
use super::{Lower, shown, wrong, wrong_with};
use crate::Res;
use craig_base::Span;
use craig_cfa::{BinOp as Op, ExprId, ExprKind as Node, PlaceId, TypeId};

/// Widest integer between operations.
const MAX_WIDTH: u16 = 120;
/// Deepest expression: recursion over them must stay shallow.
const MAX_DEPTH: u32 = 200;
/// Most instances of quantifiers in one statement: assignments are compared pair by pair.
const MAX_INSTANCES: usize = 4096;

#[derive(Debug, Clone)]
pub enum Kind {
    /// A truth value.
    Cond,
    /// An integer from `lo` to `hi`.
    Num {
        lo: i128,
        hi: i128,
    },
    Enum(EnumId),
    /// A struct or an array.
    Whole(Shape),
}

impl Kind {
    fn text(&self) -> &'static str {
        match self {
            Kind::Cond => "a condition",
            Kind::Num { .. } => "a number",
            Kind::Enum(_) => "a name of an enumeration",
            Kind::Whole(shape) if shape.dims.is_empty() => "a struct",
            Kind::Whole(_) => "an array",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Value {
    pub e: ExprId,
    pub kind: Kind,
    /// When it has a value.
    pub ok: ExprId,
}

/// A number with the values that it can have.
#[derive(Debug, Clone, Copy)]
struct Num {
    e: ExprId,
    lo: i128,
    hi: i128,
}

/// A place that is read or written.
#[derive(Debug, Clone)]
pub struct Target {
    pub place: PlaceId,
    pub shape: Shape,
    /// When there is such a place.
    pub ok: ExprId,
}

impl Lower<'_> {
    /// The value of a whole expression.
    pub fn value(&mut self, expr: &Expr) -> Res<Value> {
        let value = self.eval(expr)?;
        if self.p.exprs.depth(value.e).max(self.p.exprs.depth(value.ok)) > MAX_DEPTH {
            return wrong_with(
                format!("an expression of more than {MAX_DEPTH} levels"),
                expr.span,
                "a variable may hold a part of it",
            );
        }
        Ok(value)
    }

    /// A condition, and when it has a value.
    pub fn condition(&mut self, expr: &Expr) -> Res<(ExprId, ExprId)> {
        let value = self.value(expr)?;
        match value.kind {
            Kind::Cond => Ok((value.e, value.ok)),
            kind => self.expected("a condition", &kind, expr.span),
        }
    }

    /// Does it have a value, and is that true?
    pub fn holds(&mut self, expr: &Expr) -> Res<ExprId> {
        let (holds, ok) = self.condition(expr)?;
        Ok(self.p.exprs.and(ok, holds))
    }

    /// A number that is known now.
    pub fn constant(&mut self, expr: &Expr) -> Res<i128> {
        let value = self.value(expr)?;
        match value.kind {
            Kind::Num { lo, hi } if lo == hi && self.p.exprs.as_bool(value.ok) == Some(true) => Ok(lo),
            _ => wrong("a constant is expected here", expr.span),
        }
    }

    fn expected<T>(&self, what: &str, found: &Kind, span: Span) -> Res<T> {
        wrong(format!("{what} is expected here, this is {}", found.text()), span)
    }

    /// Room for one more instance of a quantifier.
    pub fn instance(&mut self, span: Span) -> Res<()> {
        self.pace.step()?;
        self.instances += 1;
        match self.instances > MAX_INSTANCES {
            true => {
                wrong(format!("more than {MAX_INSTANCES} instances of quantifiers in one statement"), span)
            }
            false => Ok(()),
        }
    }

    fn eval(&mut self, expr: &Expr) -> Res<Value> {
        self.pace.step()?;
        match &expr.kind {
            ExprKind::Bool(v) => {
                let e = self.p.exprs.bool(*v);
                Ok(self.always(e, Kind::Cond))
            }
            ExprKind::Int(v) => Ok(self.number(i128::from(*v))),
            ExprKind::Place(place) => self.read(place),
            ExprKind::Not(of) => {
                let value = self.eval(of)?;
                match value.kind {
                    Kind::Cond => Ok(Value { e: self.p.exprs.not(value.e), ..value }),
                    kind => self.expected("a condition", &kind, of.span),
                }
            }
            ExprKind::Chain(op, operands) => self.chain(*op, operands, expr.span),
            ExprKind::Quantified(quantified) => self.quantified(quantified),
        }
    }

    fn always(&mut self, e: ExprId, kind: Kind) -> Value {
        Value { e, kind, ok: self.p.exprs.bool(true) }
    }

    /// A constant number.
    pub fn number(&mut self, n: i128) -> Value {
        let e = self.literal(n);
        self.always(e, Kind::Num { lo: n, hi: n })
    }

    fn literal(&mut self, n: i128) -> ExprId {
        let ty = match n < 0 {
            true => self.p.types.int(signed_bits(n, n), true),
            false => self.p.types.int(bits(n.cast_unsigned()).max(1), false),
        };
        self.p.exprs.int(&self.p.types, n, ty)
    }

    // Names and places.

    fn read(&mut self, place: &Place) -> Res<Value> {
        if place.steps.is_empty() && place.primes == 0 {
            let name = &place.name.name;
            if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
                return Ok(value.clone());
            }
            if !self.frame.locals.contains_key(name)
                && let Some(&constant) = self.constants.get(name)
            {
                return Ok(match constant {
                    Constant::Int(n) => self.number(n),
                    Constant::Bool(v) => {
                        let e = self.p.exprs.bool(v);
                        self.always(e, Kind::Cond)
                    }
                    Constant::Enum(id, n) => {
                        let ty = self.enums[id].ty;
                        let e = self.p.exprs.int(&self.p.types, i128::from(n), ty);
                        self.always(e, Kind::Enum(id))
                    }
                });
            }
        }
        let target = self.target(place)?;
        let e = self.p.exprs.read(target.place);
        Ok(self.stored(e, target.shape, target.ok))
    }

    /// The value that a place of this shape holds.
    pub fn stored(&mut self, e: ExprId, shape: Shape, ok: ExprId) -> Value {
        let (e, kind) = match shape.elem {
            _ if !shape.is_scalar() => (e, Kind::Whole(shape)),
            Elem::Bool => (self.p.exprs.is_nonzero(&self.p.types, e), Kind::Cond),
            Elem::Enum(id) => (e, Kind::Enum(id)),
            Elem::Int(width) => (e, Kind::Num { lo: 0, hi: (1i128 << width) - 1 }),
            Elem::Struct(_) => (e, Kind::Whole(shape)),
        };
        Value { e, kind, ok }
    }

    pub fn target(&mut self, place: &Place) -> Res<Target> {
        let name = &place.name;
        let after = self.primed.get(&(name.name.clone(), place.primes)).cloned();
        if place.primes > 0 && after.is_none() {
            return wrong_with(
                format!("{} with a prime", shown(name)),
                place.span,
                "primes are for the conditions of rules: values before and after a step",
            );
        }
        if self.bound.iter().any(|(bound, _)| *bound == name.name) {
            return wrong(format!("{} is bound by a quantifier", shown(name)), place.span);
        }
        let now = || self.frame.locals.get(&name.name).or_else(|| self.globals.get(&name.name)).cloned();
        let variable = match after.or_else(now) {
            Some(variable) => variable,
            None if self.constants.contains_key(&name.name) => {
                return wrong(format!("{} is a constant", shown(name)), name.span);
            }
            None => return wrong(format!("there is no variable {}", shown(name)), name.span),
        };
        let root = self.p.var_place(variable.var);
        let ok = self.p.exprs.bool(true);
        let mut target = Target { place: root, shape: variable.shape, ok };
        for step in &place.steps {
            target = match step {
                Step::Index(index) => self.index(target, index)?,
                Step::Field(field) => {
                    let found = match target.shape.elem {
                        Elem::Struct(id) if target.shape.dims.is_empty() => {
                            let fields = &self.structs[id].fields;
                            fields
                                .iter()
                                .position(|(n, _)| *n == field.name)
                                .map(|i| (i, fields[i].1.clone()))
                        }
                        _ => return wrong("a field of what is no struct", field.span),
                    };
                    let Some((i, shape)) = found else {
                        return wrong(format!("there is no field {}", shown(field)), field.span);
                    };
                    let place = self.p.exprs.field(&self.p.types, target.place, i as u32);
                    Target { place, shape, ok: target.ok }
                }
            };
        }
        Ok(target)
    }

    fn index(&mut self, of: Target, index: &Expr) -> Res<Target> {
        if of.shape.dims.is_empty() {
            return wrong("an index into what is no array", index.span);
        }
        let value = self.eval(index)?;
        let at = self.num(&value, index.span)?;
        let mut shape = of.shape;
        let bounds = shape.dims.remove(0);
        let mut ok = self.p.exprs.and(of.ok, value.ok);
        if !self.wraps() {
            let inside = self.between(at, bounds.lo, bounds.hi);
            ok = self.p.exprs.and(ok, inside);
        }
        let first = self.number(bounds.lo);
        let first = self.num(&first, index.span)?;
        let shifted = match bounds.lo {
            0 => at,
            _ => self.arithmetic(BinOp::Sub, at, first, index.span)?,
        };
        let place = {
            let cell = self.cell(shifted, bounds.cells);
            self.p.exprs.index(&self.p.types, of.place, cell)
        };
        shape.ty = self.p.exprs.place(place).ty;
        Ok(Target { place, shape, ok })
    }

    /// The number of the cell: in the reading `wrap` cut to the bits that there are; a constant outside is never looked at.
    fn cell(&mut self, at: Num, cells: u64) -> ExprId {
        let last = i128::from(cells) - 1;
        if at.lo >= 0 && at.hi <= last {
            return at.e;
        }
        if self.wraps() && last > 0 {
            let ty = self.p.types.int(bits(last.cast_unsigned()), false);
            return self.p.exprs.cast(&self.p.types, at.e, ty);
        }
        match self.wraps() || at.lo == at.hi {
            true => self.literal(0),
            false => at.e,
        }
    }

    // Numbers.

    fn num(&self, value: &Value, span: Span) -> Res<Num> {
        match value.kind {
            Kind::Num { lo, hi } => Ok(Num { e: value.e, lo, hi }),
            _ => self.expected("a number", &value.kind, span),
        }
    }

    /// Does the number lie there?
    fn between(&mut self, n: Num, lo: i128, hi: i128) -> ExprId {
        let mut holds = self.p.exprs.bool(true);
        if n.lo < lo {
            let least = self.exact(lo);
            let above = self.compare(Op::Le, least, n);
            holds = self.p.exprs.and(holds, above);
        }
        if n.hi > hi {
            let most = self.exact(hi);
            let below = self.compare(Op::Le, n, most);
            holds = self.p.exprs.and(holds, below);
        }
        holds
    }

    fn exact(&mut self, n: i128) -> Num {
        Num { e: self.literal(n), lo: n, hi: n }
    }

    /// The bits of its type if that is signed: conversions never make a number narrower.
    fn own_width(&self, n: Num) -> u16 {
        self.p.types.as_int(self.p.exprs.ty(n.e)).filter(|ty| ty.signed).map_or(0, |ty| ty.width)
    }

    /// Both as integers of one type that has all their values.
    fn compare(&mut self, op: Op, a: Num, b: Num) -> ExprId {
        let (types, exprs) = (&self.p.types, &self.p.exprs);
        let is = |n: Num| types.as_int(exprs.ty(n.e));
        let has = |of: Num, n: Num| {
            let ty = is(of)?;
            let (lo, hi) = match ty.signed {
                true => (-(1i128 << (ty.width - 1)), (1i128 << (ty.width - 1)) - 1),
                false => (0, (1i128 << ty.width) - 1),
            };
            (n.lo >= lo && n.hi <= hi && n.lo == n.hi).then_some(exprs.ty(of.e))
        };
        let same = (exprs.ty(a.e) == exprs.ty(b.e)).then(|| exprs.ty(a.e));
        let ty = match same.or_else(|| has(a, b)).or_else(|| has(b, a)) {
            Some(ty) => ty,
            None => {
                let signed = is(a).zip(is(b)).is_none_or(|(x, y)| x.signed || y.signed);
                let width = match signed {
                    true => {
                        let width = signed_bits(a.lo.min(b.lo), a.hi.max(b.hi));
                        width.max(self.own_width(a)).max(self.own_width(b))
                    }
                    false => bits(a.hi.max(b.hi).cast_unsigned()).max(1),
                };
                self.p.types.int(width, signed)
            }
        };
        let (x, y) = (self.cast(a.e, ty), self.cast(b.e, ty));
        self.binary(op, x, y)
    }

    /// The value of an operator on numbers. The type has the operands and the result.
    fn arithmetic(&mut self, op: BinOp, a: Num, b: Num, span: Span) -> Res<Num> {
        let wide = |range: Option<(i128, i128)>| {
            let (lo, hi) = range?;
            // A shift to the left is a product with a power, which has to fit too.
            let power = if op == BinOp::Shl { 1i128 << b.hi.max(0) } else { 0 };
            let width = signed_bits(lo.min(a.lo).min(b.lo), hi.max(a.hi).max(b.hi).max(power));
            (width <= MAX_WIDTH).then_some((lo, hi, width.max(self.own_width(a)).max(self.own_width(b))))
        };
        let Some((lo, hi, width)) = wide(range(op, a, b)) else {
            return wrong_with(
                format!("the result of `{}` may have more than {MAX_WIDTH} bits", op.text()),
                span,
                "arithmetic is exact: a variable may cut a part of it to its bits",
            );
        };
        if a.lo == a.hi && b.lo == b.hi && lo == hi {
            return Ok(self.exact(lo));
        }
        let ty = self.p.types.int(width, true);
        let (x, y) = (self.cast(a.e, ty), self.cast(b.e, ty));
        let e = match op {
            BinOp::Add => self.binary(Op::Add, x, y),
            BinOp::Sub => self.binary(Op::Sub, x, y),
            BinOp::Mul => self.binary(Op::Mul, x, y),
            BinOp::Div => self.binary(Op::Div, x, y),
            BinOp::Mod => self.binary(Op::Rem, x, y),
            BinOp::BitAnd => self.binary(Op::BitAnd, x, y),
            BinOp::BitOr => self.binary(Op::BitOr, x, y),
            BinOp::BitXor => self.binary(Op::BitXor, x, y),
            // Exact for negative numbers too.
            BinOp::Shl => {
                let one = self.p.exprs.int(&self.p.types, 1, ty);
                let power = self.binary(Op::Shl, one, y);
                self.binary(Op::Mul, x, power)
            }
            // A shift by all bits or more leaves the sign, as one by all but one bit does.
            BinOp::Shr => {
                let most = self.p.exprs.int(&self.p.types, i128::from(width) - 1, ty);
                let by = match b.hi < i128::from(width) {
                    true => y,
                    false => {
                        let small = self.binary(Op::Lt, y, most);
                        self.p.exprs.ite(small, y, most)
                    }
                };
                self.binary(Op::Shr, x, by)
            }
            _ => return wrong(format!("`{}` is no operator on numbers", op.text()), span),
        };
        Ok(Num { e, lo, hi })
    }

    fn cast(&mut self, e: ExprId, ty: TypeId) -> ExprId {
        self.p.exprs.cast(&self.p.types, e, ty)
    }

    fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.binary(&self.p.types, op, a, b)
    }

    // Operators.

    fn chain(&mut self, op: BinOp, operands: &[Expr], span: Span) -> Res<Value> {
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push((self.eval(operand)?, operand.span));
        }
        let flat = matches!(
            op,
            BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Iff
                | BinOp::Add
                | BinOp::Mul
                | BinOp::BitAnd
                | BinOp::BitOr
                | BinOp::BitXor
        );
        if flat {
            return self.flat(op, values, span);
        }
        let mut values = values.into_iter();
        let Some((mut left, _)) = values.next() else { return wrong("an operator without operands", span) };
        let mut at = operands[0].span;
        for (right, right_span) in values {
            left = self.apply(op, (left, at), (right, right_span), span)?;
            at = span;
        }
        Ok(left)
    }

    /// Of an associative operator, as a tree that is as flat as possible.
    fn flat(&mut self, op: BinOp, mut values: Vec<(Value, Span)>, span: Span) -> Res<Value> {
        while values.len() > 1 {
            let mut joined = Vec::with_capacity(values.len().div_ceil(2));
            let mut rest = values.into_iter();
            while let Some(a) = rest.next() {
                joined.push(match rest.next() {
                    Some(b) => (self.apply(op, a, b, span)?, span),
                    None => a,
                });
            }
            values = joined;
        }
        match values.pop() {
            Some((value, _)) => Ok(value),
            None => wrong("an operator without operands", span),
        }
    }

    fn apply(
        &mut self,
        op: BinOp,
        (a, a_span): (Value, Span),
        (b, b_span): (Value, Span),
        span: Span,
    ) -> Res<Value> {
        match op {
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Iff => {
                for (value, at) in [(&a, a_span), (&b, b_span)] {
                    if !matches!(value.kind, Kind::Cond) {
                        return self.expected("a condition", &value.kind, at);
                    }
                }
                Ok(self.logic(op, &a, &b))
            }
            BinOp::Eq | BinOp::Ne => self.equal(op, &a, &b, b_span, span),
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let (x, y) = (self.num(&a, a_span)?, self.num(&b, b_span)?);
                let e = match op {
                    BinOp::Lt => self.compare(Op::Lt, x, y),
                    BinOp::Le => self.compare(Op::Le, x, y),
                    BinOp::Gt => self.compare(Op::Lt, y, x),
                    _ => self.compare(Op::Le, y, x),
                };
                Ok(Value { e, kind: Kind::Cond, ok: self.p.exprs.and(a.ok, b.ok) })
            }
            _ => {
                let (x, y) = (self.num(&a, a_span)?, self.num(&b, b_span)?);
                let n = self.arithmetic(op, x, y, span)?;
                let mut ok = self.p.exprs.and(a.ok, b.ok);
                let defined = match op {
                    BinOp::Div | BinOp::Mod if y.lo <= 0 && y.hi >= 0 => {
                        let zero = self.exact(0);
                        self.compare(Op::Ne, y, zero)
                    }
                    BinOp::Shl | BinOp::Shr => self.between(y, 0, i128::MAX),
                    _ => self.p.exprs.bool(true),
                };
                ok = self.p.exprs.and(ok, defined);
                Ok(Value { e: n.e, kind: Kind::Num { lo: n.lo, hi: n.hi }, ok })
            }
        }
    }

    fn logic(&mut self, op: BinOp, a: &Value, b: &Value) -> Value {
        let (e, right) = match op {
            // The right side counts only where the left leaves it open.
            BinOp::And => (self.p.exprs.and(a.e, b.e), self.binary(Op::Implies, a.e, b.ok)),
            BinOp::Or => (self.p.exprs.or(a.e, b.e), self.p.exprs.or(a.e, b.ok)),
            BinOp::Iff => (self.binary(Op::Iff, a.e, b.e), b.ok),
            _ => {
                let same = self.binary(Op::Iff, a.e, b.e);
                (self.p.exprs.not(same), b.ok)
            }
        };
        let right = if self.p.exprs.as_bool(b.ok) == Some(true) { b.ok } else { right };
        Value { e, kind: Kind::Cond, ok: self.p.exprs.and(a.ok, right) }
    }

    fn equal(&mut self, op: BinOp, a: &Value, b: &Value, b_span: Span, span: Span) -> Res<Value> {
        let e = match (&a.kind, &b.kind) {
            (Kind::Cond, Kind::Cond) => self.binary(Op::Iff, a.e, b.e),
            (Kind::Num { .. }, Kind::Num { .. }) => {
                let (x, y) = (self.num(a, span)?, self.num(b, span)?);
                self.compare(Op::Eq, x, y)
            }
            (Kind::Enum(x), Kind::Enum(y)) if x == y => self.binary(Op::Eq, a.e, b.e),
            (Kind::Enum(_), Kind::Enum(_)) => return wrong("names of two enumerations are compared", span),
            (Kind::Whole(_), _) => return wrong("arrays and structs cannot be compared", span),
            (kind, found) => {
                let what = kind.text();
                return self.expected(what, found, b_span);
            }
        };
        let e = if op == BinOp::Ne { self.p.exprs.not(e) } else { e };
        Ok(Value { e, kind: Kind::Cond, ok: self.p.exprs.and(a.ok, b.ok) })
    }

    // Quantifiers.

    /// From the lower to the upper bound.
    pub fn range(&mut self, lo: &Expr, hi: &Expr) -> Res<(i128, i128)> {
        Ok((self.constant(lo)?, self.constant(hi)?))
    }

    fn quantified(&mut self, of: &Quantified) -> Res<Value> {
        let (lo, hi) = self.range(&of.lo, &of.hi)?;
        let mut values = Vec::new();
        let mut n = lo;
        while n <= hi {
            self.instance(of.body.span)?;
            let number = self.number(n);
            self.bound.push((of.var.name.clone(), number));
            let value = self.eval(&of.body);
            self.bound.pop();
            let value = value?;
            if !matches!(value.kind, Kind::Cond) {
                return match self.expected("a condition", &value.kind, of.body.span) {
                    Err(crate::Fault::Wrong(d)) => Err(d
                        .help("brackets around what the quantifier is about: `A i (0,3) (a[i] == 0)`")
                        .into()),
                    other => other,
                };
            }
            values.push((value, of.body.span));
            n += 1;
        }
        if values.is_empty() {
            let e = self.p.exprs.bool(of.all);
            return Ok(self.always(e, Kind::Cond));
        }
        self.flat(if of.all { BinOp::And } else { BinOp::Or }, values, of.body.span)
    }

    // Storing.

    /// The value as one of the shape, and when it may be stored there.
    pub fn fit(&mut self, value: &Value, shape: &Shape, span: Span) -> Res<(ExprId, ExprId)> {
        let fits = |lower: &mut Self, e, holds| Ok((e, lower.p.exprs.and(value.ok, holds)));
        let always = self.p.exprs.bool(true);
        match (&value.kind, shape.elem) {
            (Kind::Whole(found), _) if found.agrees(shape) => fits(self, value.e, always),
            (Kind::Whole(_), _) => wrong("the shapes do not agree", span),
            (kind, _) if !shape.is_scalar() => {
                let what = if shape.dims.is_empty() { "a struct" } else { "an array" };
                self.expected(what, kind, span)
            }
            (Kind::Cond, Elem::Bool) => {
                let e = match self.held(value.e, shape.ty) {
                    Some(held) => held,
                    None => self.cast(value.e, shape.ty),
                };
                fits(self, e, always)
            }
            (Kind::Enum(id), Elem::Enum(of)) if *id == of => fits(self, value.e, always),
            (Kind::Enum(_), Elem::Enum(of)) => {
                wrong(format!("this is no name of the enumeration `{}`", self.enums[of].name), span)
            }
            (Kind::Num { lo, hi }, Elem::Int(width)) => {
                let n = Num { e: value.e, lo: *lo, hi: *hi };
                let holds = match self.wraps() {
                    true => always,
                    false => self.between(n, 0, (1i128 << width) - 1),
                };
                let e = self.cast(value.e, shape.ty);
                fits(self, e, holds)
            }
            (kind, Elem::Bool) => self.expected("a condition", kind, span),
            (kind, Elem::Enum(_)) => self.expected("a name of an enumeration", kind, span),
            (kind, _) => self.expected("a number", kind, span),
        }
    }

    /// What a condition is the value of, if it is one that was stored.
    fn held(&self, condition: ExprId, ty: TypeId) -> Option<ExprId> {
        match *self.p.exprs.kind(condition) {
            Node::Binary(Op::Ne, held, zero)
                if self.p.exprs.ty(held) == ty && self.p.exprs.as_bits(zero) == Some(0) =>
            {
                Some(held)
            }
            _ => None,
        }
    }

    /// The value that a place holds differs from this one.
    pub fn differs(&mut self, target: &Target, value: &Value, span: Span) -> Res<ExprId> {
        let held = self.p.exprs.read(target.place);
        let ok = self.p.exprs.bool(true);
        let held = self.stored(held, target.shape.clone(), ok);
        Ok(self.equal(BinOp::Ne, &held, value, span, span)?.e)
    }

    /// Do all enumerations in a place hold one of their names?
    pub fn within(&mut self, place: PlaceId, shape: &Shape) -> ExprId {
        let mut found = Vec::new();
        self.cells_within(place, shape, &mut found);
        self.all(found)
    }

    fn cells_within(&mut self, place: PlaceId, shape: &Shape, found: &mut Vec<ExprId>) {
        let needs = |lower: &Self, elem: Elem| match elem {
            Elem::Enum(id) => lower.enums[id].count == 1 || !lower.enums[id].count.is_power_of_two(),
            _ => false,
        };
        let any = match shape.elem {
            Elem::Struct(id) => self.structs[id].fields.iter().any(|(_, s)| needs(self, s.elem)),
            elem => needs(self, elem),
        };
        if !any {
            return;
        }
        if let Some((bounds, rest)) = shape.dims.split_first() {
            for n in 0..bounds.cells {
                let at = self.literal(i128::from(n));
                let cell = self.p.exprs.index(&self.p.types, place, at);
                let shape = Shape { dims: rest.to_vec(), elem: shape.elem, ty: self.p.exprs.place(cell).ty };
                self.cells_within(cell, &shape, found);
            }
            return;
        }
        match shape.elem {
            Elem::Struct(id) => {
                for i in 0..self.structs[id].fields.len() {
                    let shape = self.structs[id].fields[i].1.clone();
                    let field = self.p.exprs.field(&self.p.types, place, i as u32);
                    self.cells_within(field, &shape, found);
                }
            }
            Elem::Enum(id) => {
                let last = i128::from(self.enums[id].count) - 1;
                let e = self.p.exprs.read(place);
                let last = self.p.exprs.int(&self.p.types, last, shape.ty);
                found.push(self.binary(Op::Le, e, last));
            }
            _ => {}
        }
    }
}

/// The values that an operator can have, as far as its operands tell; `None` if they are too large.
fn range(op: BinOp, a: Num, b: Num) -> Option<(i128, i128)> {
    let span = |ends: [i128; 4]| {
        let [w, x, y, z] = ends;
        (w.min(x).min(y).min(z), w.max(x).max(y).max(z))
    };
    let far = |n: Num| n.lo.abs().max(n.hi.abs());
    let natural = a.lo >= 0 && b.lo >= 0;
    let product = |lo: i128, hi: i128| {
        Some(span([
            a.lo.checked_mul(lo)?,
            a.lo.checked_mul(hi)?,
            a.hi.checked_mul(lo)?,
            a.hi.checked_mul(hi)?,
        ]))
    };
    match op {
        BinOp::Add => Some((a.lo.checked_add(b.lo)?, a.hi.checked_add(b.hi)?)),
        BinOp::Sub => Some((a.lo.checked_sub(b.hi)?, a.hi.checked_sub(b.lo)?)),
        BinOp::Mul => product(b.lo, b.hi),
        BinOp::Div if b.lo == b.hi && b.lo != 0 => {
            let (x, y) = (a.lo / b.lo, a.hi / b.lo);
            Some((x.min(y), x.max(y)))
        }
        BinOp::Div if natural => Some((0, a.hi)),
        BinOp::Div => Some((-far(a), far(a))),
        BinOp::Mod => {
            if a.lo == a.hi && b.lo == b.hi && b.lo != 0 {
                return Some((a.lo % b.lo, a.lo % b.lo));
            }
            let most = far(a).min((far(b) - 1).max(0));
            Some((if a.lo < 0 { -most } else { 0 }, most))
        }
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor if a.lo == a.hi && b.lo == b.hi => {
            let n = match op {
                BinOp::BitAnd => a.lo & b.lo,
                BinOp::BitOr => a.lo | b.lo,
                _ => a.lo ^ b.lo,
            };
            Some((n, n))
        }
        BinOp::BitAnd if natural => Some((0, a.hi.min(b.hi))),
        BinOp::BitOr | BinOp::BitXor if natural => {
            let width = bits(a.hi.max(b.hi).cast_unsigned());
            Some((0, 1i128.checked_shl(u32::from(width))? - 1))
        }
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
            let width = signed_bits(a.lo.min(b.lo), a.hi.max(b.hi));
            let most = 1i128.checked_shl(u32::from(width) - 1)?;
            Some((-most, most - 1))
        }
        BinOp::Shl => {
            let by = |n: i128| (0..i128::from(MAX_WIDTH)).contains(&n).then(|| 1i128 << n);
            product(by(b.lo.max(0))?, by(b.hi.max(0))?)
        }
        BinOp::Shr => {
            let by = |n: i128| n.clamp(0, 127) as u32;
            let ends = [a.lo >> by(b.lo), a.lo >> by(b.hi), a.hi >> by(b.lo), a.hi >> by(b.hi)];
            Some(span(ends))
        }
        _ => None,
    }
}
