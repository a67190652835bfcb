//! Expressions with machine values: truth values, integers, pointers and floats, all by their bits.

use super::code::Class;
use super::end::{R, Undefined, internal, undefined, unsupported};
use super::fast::Fast;
use super::float;
use super::machine::Machine;
use super::memory::Memory;
use super::place::Spot;
use super::value::Value;
use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, UnOp};
use crate::types::{FloatTy, IntTy, TypeId};
use std::cmp::Ordering;

impl Machine<'_, '_> {
    /// The value of an expression of any type.
    pub fn eval_value(&mut self, e: ExprId) -> R<Value> {
        let expr = self.p.exprs.get(e);
        match self.code.class[expr.ty] {
            Class::Bytes => self.eval_bytes(e),
            Class::Math => self.eval_math(e),
            _ => self.eval_bits(e).map(Value::Bits),
        }
    }

    fn eval_bytes(&mut self, e: ExprId) -> R<Value> {
        let expr = self.p.exprs.get(e);
        let size = self.code.size[expr.ty] as usize;
        match &expr.kind {
            ExprKind::Read(place) => self.read_value(*place),
            ExprKind::Const(Const::Zero) => Ok(Value::Bytes(vec![0; size].into())),
            ExprKind::Const(Const::Bytes(bytes)) if bytes.len() == size => Ok(Value::Bytes(bytes.clone())),
            ExprKind::Const(Const::Bytes(bytes)) => {
                let mut all = bytes.to_vec();
                all.resize(size, 0);
                Ok(Value::Bytes(all.into()))
            }
            ExprKind::Cast(inner) => self.eval_bytes(*inner),
            ExprKind::Ite(c, a, b) => {
                let taken = if self.eval_bits(*c)? != 0 { *a } else { *b };
                self.eval_bytes(taken)
            }
            ExprKind::Select(..) | ExprKind::Apply(..) => self.eval_math(e),
            kind => internal(format!("an aggregate made by {kind:?}")),
        }
    }

    /// An integer as a number.
    pub fn eval_integer(&mut self, e: ExprId) -> R<i128> {
        let bits = self.eval_bits(e)?;
        match self.code.class[self.p.exprs.ty(e)] {
            Class::Word(int) => Ok(arith::to_i128(bits, int)),
            _ => Ok(bits.cast_signed()),
        }
    }

    /// An integer as the count of bytes that C makes of it: converted to `size_t`.
    pub fn eval_size(&mut self, e: ExprId) -> R<u64> {
        let n = self.eval_integer(e)?;
        Ok(self.pointer_wrap(n))
    }

    /// Any machine value, by its bits.
    pub fn eval_bits(&mut self, e: ExprId) -> R<u128> {
        match self.code.fast[e] {
            Fast::Slow => self.eval_slow(e),
            _ => self.eval64(e).map(u128::from),
        }
    }

    /// The long way: every case, and a report for what is undefined.
    pub fn eval_slow(&mut self, e: ExprId) -> R<u128> {
        let p = self.p;
        let expr = p.exprs.get(e);
        match &expr.kind {
            ExprKind::Const(c) => match c {
                Const::Bits(v) => Ok(*v),
                Const::Bool(v) => Ok(u128::from(*v)),
                Const::Zero => Ok(0),
                Const::Int(_) | Const::Real(_) | Const::Bytes(_) => {
                    internal("a constant of another type than its expression")
                }
            },
            ExprKind::Read(place) => self.read_bits(*place),
            ExprKind::AddrOf(place) => match self.spot(*place)? {
                Spot::Memory(at) => Ok(u128::from(at.addr)),
                _ => internal("the address of a variable outside memory"),
            },
            ExprKind::ProcAddr(proc) => Ok(u128::from(Memory::proc_address(*proc))),
            ExprKind::Leads(pointer, procs) => {
                let to = self.eval_bits(*pointer)?;
                Ok(procs.iter().any(|&proc| u128::from(Memory::proc_address(proc)) == to).into())
            }
            ExprKind::Valid(pointer, bytes) => self.is_valid(*pointer, *bytes).map(u128::from),
            ExprKind::Unary(op, a) => self.unary(*op, *a),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b),
            ExprKind::PtrAdd(pointer, count) => {
                let addr = self.eval_bits(*pointer)? as u64;
                self.pointer_add(addr, *count, expr.ty).map(u128::from)
            }
            ExprKind::PtrDiff(a, b) => {
                let (x, y) = (self.eval_bits(*a)?, self.eval_bits(*b)?);
                let elem = p.types.pointee(p.exprs.ty(*a));
                let size = elem.and_then(|ty| p.types.size_of(ty)).unwrap_or(1);
                if size == 0 {
                    return undefined(
                        Undefined::DivisionByZero,
                        "difference of pointers to objects without size",
                    );
                }
                let int = IntTy::new(p.types.model.pointer_bits(), true);
                let bytes = arith::to_i128(arith::truncate(x.wrapping_sub(y), int), int);
                Ok(arith::truncate((bytes / i128::from(size)).cast_unsigned(), int))
            }
            ExprKind::Cast(inner) => self.cast(*inner, expr.ty),
            ExprKind::Ite(c, a, b) => {
                let taken = if self.eval_bits(*c)? != 0 { *a } else { *b };
                self.eval_bits(taken)
            }
            ExprKind::Overflows(op, a, b) => {
                let (x, y) = (self.eval_bits(*a)?, self.eval_bits(*b)?);
                match self.code.class[p.exprs.ty(*a)] {
                    Class::Word(int) => Ok(u128::from(arith::overflows(*op, x, y, int))),
                    _ => internal("overflow of what is no integer"),
                }
            }
            ExprKind::Extract { of, hi, lo } => {
                let v = self.eval_bits(*of)?;
                Ok(v.checked_shr(u32::from(*lo)).unwrap_or(0) & arith::mask(hi.saturating_sub(*lo)))
            }
            ExprKind::Concat(a, b) => {
                let (high, low) = (self.eval_bits(*a)?, self.eval_bits(*b)?);
                match self.code.class[p.exprs.ty(*b)] {
                    Class::Word(int) => Ok(high.checked_shl(u32::from(int.width)).unwrap_or(0) | low),
                    _ => internal("concatenation of what is no integer"),
                }
            }
            ExprKind::Select(..) | ExprKind::Apply(..) => match self.eval_math(e)? {
                Value::Bits(v) => Ok(v),
                _ => internal("a mathematical value where a machine value is needed"),
            },
            ExprKind::Store(..) => internal("a map where a machine value is needed"),
        }
    }

    fn unary(&mut self, op: UnOp, a: ExprId) -> R<u128> {
        let v = self.eval_bits(a)?;
        match (op, self.code.class[self.p.exprs.ty(a)]) {
            (UnOp::Not, _) => Ok(u128::from(v == 0)),
            (UnOp::BitNot, Class::Word(int)) => Ok(arith::truncate(!v, int)),
            (UnOp::Neg, Class::Word(int)) => {
                let result = arith::negate(v, int);
                self.judge(result, int, || format!("-({})", arith::to_i128(v, int)))
            }
            (UnOp::Neg, Class::Float(f)) => Ok(float::negate(v, f)),
            (op, _) => internal(format!("{op:?} of a value of this type")),
        }
    }

    /// Undefined results end the run, unless they wrap.
    fn judge(
        &self,
        result: Result<u128, arith::Undefined>,
        ty: IntTy,
        text: impl FnOnce() -> String,
    ) -> R<u128> {
        match result {
            Ok(v) => Ok(v),
            Err(arith::Undefined::Overflow(wrapped)) if self.wrap => Ok(wrapped),
            Err(arith::Undefined::Overflow(_)) => {
                undefined(Undefined::SignedOverflow, format!("{} in {} bits", text(), ty.width))
            }
            Err(arith::Undefined::DivisionByZero) => undefined(Undefined::DivisionByZero, text()),
            Err(arith::Undefined::ShiftAmount) => {
                undefined(Undefined::ShiftAmount, format!("{} in {} bits", text(), ty.width))
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> R<u128> {
        match op {
            BinOp::And if self.eval_bits(a)? == 0 => return Ok(0),
            BinOp::Or if self.eval_bits(a)? != 0 => return Ok(1),
            BinOp::Implies if self.eval_bits(a)? == 0 => return Ok(1),
            BinOp::And | BinOp::Or | BinOp::Implies => return self.eval_bits(b),
            _ => {}
        }
        let class = self.code.class[self.p.exprs.ty(a)];
        match class {
            Class::Word(int) => {
                let (x, y) = (self.eval_bits(a)?, self.eval_bits(b)?);
                self.word_binary(op, x, y, int, b)
            }
            Class::Bool | Class::Opaque => {
                let (x, y) = (self.eval_bits(a)?, self.eval_bits(b)?);
                Ok(u128::from(match op {
                    BinOp::Eq | BinOp::Iff => x == y,
                    BinOp::Ne => x != y,
                    BinOp::Lt => x < y,
                    BinOp::Le => x <= y,
                    _ => return internal(format!("{op:?} of truth values")),
                }))
            }
            Class::Float(f) => {
                let (x, y) = (self.eval_bits(a)?, self.eval_bits(b)?);
                float_binary(op, x, y, f)
            }
            Class::Math => self.math_comparison(op, a, b),
            Class::Bytes | Class::None => internal(format!("{op:?} of values of this type")),
        }
    }

    fn word_binary(&mut self, op: BinOp, x: u128, y: u128, int: IntTy, b: ExprId) -> R<u128> {
        let symbol = match op {
            BinOp::Eq => return Ok(u128::from(x == y)),
            BinOp::Ne => return Ok(u128::from(x != y)),
            BinOp::Lt => return Ok(u128::from(arith::compare(x, y, int) == Ordering::Less)),
            BinOp::Le => return Ok(u128::from(arith::compare(x, y, int) != Ordering::Greater)),
            BinOp::Shl | BinOp::Shr => {
                let Class::Word(amount) = self.code.class[self.p.exprs.ty(b)] else {
                    return internal("a shift amount that is no integer");
                };
                let symbol = if op == BinOp::Shl { "<<" } else { ">>" };
                let text = || format!("{} {symbol} {}", arith::to_i128(x, int), arith::to_i128(y, amount));
                return self.judge(arith::shift(op, x, y, int, amount), int, text);
            }
            BinOp::EDiv | BinOp::ERem => return euclidean(op, x, y, int),
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => return Ok(x & y),
            BinOp::BitOr => return Ok(x | y),
            BinOp::BitXor => return Ok(x ^ y),
            BinOp::RDiv | BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => {
                return internal(format!("{op:?} of integers"));
            }
        };
        let text = || format!("{} {symbol} {}", arith::to_i128(x, int), arith::to_i128(y, int));
        self.judge(arith::binary(op, x, y, int), int, text)
    }

    fn cast(&mut self, inner: ExprId, to: TypeId) -> R<u128> {
        let (from, to) = (self.code.class[self.p.exprs.ty(inner)], self.code.class[to]);
        if from == Class::Math {
            return self.math_to_machine(inner, to);
        }
        let v = self.eval_bits(inner)?;
        let long_double = || unsupported("conversion of a long double that is not exact");
        match (from, to) {
            (Class::Word(f), Class::Word(t)) => Ok(arith::convert(v, f, t)),
            (Class::Bool, Class::Word(_) | Class::Bool) => Ok(v),
            (Class::Word(_), Class::Bool) => Ok(u128::from(v != 0)),
            (Class::Bool, Class::Float(t)) => float::from_int(v as i128, t).map_or_else(long_double, Ok),
            (Class::Word(f), Class::Float(t)) => float::from_word(v, f, t).map_or_else(long_double, Ok),
            (Class::Float(f), Class::Float(t)) => float::convert(v, f, t).map_or_else(long_double, Ok),
            (Class::Float(f), Class::Word(t)) => match float::to_word(v, f, t) {
                Some(v) => Ok(v),
                None => {
                    let shown = float::to_f64(v, f).map_or_else(|| "a long double".into(), |x| x.to_string());
                    let sign = if t.signed { "signed" } else { "unsigned" };
                    undefined(Undefined::FloatToInt, format!("{shown} to {sign} {} bits", t.width))
                }
            },
            (from, to) if from == to => Ok(v),
            (from, to) => internal(format!("conversion from {from:?} to {to:?}")),
        }
    }
}

/// Boogie's division on machine integers.
fn euclidean(op: BinOp, x: u128, y: u128, int: IntTy) -> R<u128> {
    if y == 0 {
        return undefined(Undefined::DivisionByZero, "");
    }
    if !int.signed {
        return Ok(if op == BinOp::EDiv { x / y } else { x % y });
    }
    let (a, b) = (arith::to_i128(x, int), arith::to_i128(y, int));
    let v = if op == BinOp::EDiv { a.wrapping_div_euclid(b) } else { a.wrapping_rem_euclid(b) };
    Ok(arith::truncate(v.cast_unsigned(), int))
}

fn float_binary(op: BinOp, x: u128, y: u128, ty: FloatTy) -> R<u128> {
    if op.is_comparison() {
        // Comparisons of doubles are exact for every narrower format.
        let (Some(a), Some(b)) = (float::to_f64(x, ty), float::to_f64(y, ty)) else {
            return unsupported("long double arithmetic");
        };
        return Ok(u128::from(match op {
            BinOp::Eq => a == b,
            BinOp::Ne => a != b,
            BinOp::Lt => a < b,
            _ => a <= b,
        }));
    }
    macro_rules! compute {
        ($a:expr, $b:expr) => {
            match op {
                BinOp::Add => $a + $b,
                BinOp::Sub => $a - $b,
                BinOp::Mul => $a * $b,
                BinOp::Div | BinOp::RDiv => $a / $b,
                _ => return internal(format!("{op:?} of floats")),
            }
        };
    }
    match ty {
        FloatTy::F32 => Ok(float::of_f32(compute!(f32::from_bits(x as u32), f32::from_bits(y as u32)))),
        FloatTy::F64 => Ok(float::of_f64(compute!(f64::from_bits(x as u64), f64::from_bits(y as u64)))),
        FloatTy::F80 | FloatTy::F128 => unsupported("long double arithmetic"),
    }
}
