//! Expressions with mathematical values: Boogie's integers, reals, maps and functions.

use super::chooser::Key;
use super::code::{Class, zero_of};
use super::end::{R, internal, unsupported};
use super::machine::Machine;
use super::value::{MapValue, Rest, Value};
use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, UnOp};
use crate::types::{IntTy, Type, TypeId};
use dashu::base::{DivEuclid, RemEuclid};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;
use std::cmp::Ordering;
use std::sync::Arc;

impl Machine<'_, '_> {
    /// An expression of a mathematical type, or a map entry or function value of any type.
    pub fn eval_math(&mut self, e: ExprId) -> R<Value> {
        let p = self.p;
        let expr = p.exprs.get(e);
        match &expr.kind {
            ExprKind::Const(c) => Ok(match (c, p.types.get(expr.ty)) {
                (Const::Int(v), Type::MathReal) => Value::Real(Box::new(RBig::from(v.clone()))),
                (Const::Int(v), _) => Value::Int(v.clone()),
                (Const::Real(v), _) => Value::Real(Box::new(v.clone())),
                (Const::Bits(v), Type::MathInt) => Value::Int(IBig::from(*v)),
                (Const::Bits(v), Type::MathReal) => Value::Real(Box::new(RBig::from(IBig::from(*v)))),
                (Const::Zero, _) => zero_of(p, expr.ty),
                _ => return internal("a constant of another type than its expression"),
            }),
            ExprKind::Read(place) => self.read_value(*place),
            ExprKind::Unary(UnOp::Neg, a) => match self.eval_value(*a)? {
                Value::Int(v) => Ok(Value::Int(-v)),
                Value::Real(v) => Ok(Value::Real(Box::new(-*v))),
                _ => internal("negation of what is no number"),
            },
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.eval_value(*a)?, self.eval_value(*b)?);
                self.math_binary(*op, x, y, expr.ty)
            }
            ExprKind::Cast(inner) => {
                let from = self.code.class[p.exprs.ty(*inner)];
                let v = self.eval_value(*inner)?;
                machine_to_math(v, from, p.types.get(expr.ty))
            }
            ExprKind::Ite(c, a, b) => {
                let taken = if self.eval_bits(*c)? != 0 { *a } else { *b };
                self.eval_value(taken)
            }
            ExprKind::Select(map, index) => {
                let map = self.eval_map(*map)?;
                let index = self.eval_all(index)?;
                self.select(&map, index, expr.ty)
            }
            ExprKind::Store(map, index, value) => {
                let mut map = self.eval_map(*map)?;
                let index = self.eval_all(index)?;
                let value = self.eval_value(*value)?;
                Arc::make_mut(&mut map).store(index, value);
                Ok(Value::Map(map))
            }
            ExprKind::Apply(name, args) => {
                let args = self.eval_all(args)?;
                self.chosen(Key::Function { name: name.clone(), args }, expr.ty)
            }
            kind => internal(format!("a mathematical value made by {kind:?}")),
        }
    }

    fn eval_all(&mut self, exprs: &[ExprId]) -> R<Box<[Value]>> {
        exprs.iter().map(|&e| self.eval_value(e)).collect()
    }

    fn eval_map(&mut self, e: ExprId) -> R<Arc<MapValue>> {
        match self.eval_value(e)? {
            Value::Map(map) => Ok(map),
            _ => internal("what is indexed is no map"),
        }
    }

    fn select(&mut self, map: &MapValue, index: Box<[Value]>, elem: TypeId) -> R<Value> {
        if let Some(v) = map.entries.get(&index) {
            return Ok(v.clone());
        }
        match &map.rest {
            Rest::Constant(v) => Ok(v.clone()),
            Rest::Choice(key) => self.chosen(Key::Entry { map: Arc::clone(key), index }, elem),
        }
    }

    /// A choice that is made once and stays.
    fn chosen(&mut self, key: Key, ty: TypeId) -> R<Value> {
        if let Some(v) = self.chosen.get(&key) {
            return Ok(v.clone());
        }
        let value = self.choose(&key, None, ty)?;
        self.chosen.insert(key, value.clone());
        Ok(value)
    }

    /// `m := m[i := v]` without a copy of the map; `false` if the assignment is none of that form.
    pub fn store_in_place(&mut self, place: crate::PlaceId, e: ExprId) -> R<bool> {
        let p = self.p;
        let ExprKind::Store(map, index, value) = p.exprs.kind(e) else { return Ok(false) };
        if *p.exprs.kind(*map) != ExprKind::Read(place) {
            return Ok(false);
        }
        let super::place::Spot::Math(slot) = self.spot(place)? else { return Ok(false) };
        let index = self.eval_all(index)?;
        let value = self.eval_value(*value)?;
        let Some(Value::Map(map)) = self.values.get_mut(slot) else {
            return internal("what is stored to is no map");
        };
        Arc::make_mut(map).store(index, value);
        Ok(true)
    }

    fn math_binary(&mut self, op: BinOp, x: Value, y: Value, ty: TypeId) -> R<Value> {
        match (op, x, y) {
            (BinOp::EDiv | BinOp::ERem | BinOp::Div | BinOp::Rem, Value::Int(x), Value::Int(y))
                if y == IBig::ZERO =>
            {
                let name = if matches!(op, BinOp::EDiv | BinOp::Div) { "div" } else { "mod" };
                self.chosen(
                    Key::Function { name: name.into(), args: [Value::Int(x), Value::Int(y)].into() },
                    ty,
                )
            }
            (op, Value::Int(x), Value::Int(y)) => Ok(match op {
                BinOp::Add => Value::Int(x + y),
                BinOp::Sub => Value::Int(x - y),
                BinOp::Mul => Value::Int(x * y),
                BinOp::Div => Value::Int(x / y),
                BinOp::Rem => Value::Int(x % y),
                BinOp::EDiv => Value::Int(x.div_euclid(y)),
                BinOp::ERem => Value::Int(IBig::from(x.rem_euclid(y))),
                BinOp::RDiv => {
                    let (x, y) = (Value::Real(Box::new(RBig::from(x))), Value::Real(Box::new(RBig::from(y))));
                    return self.math_binary(op, x, y, ty);
                }
                _ => return internal(format!("{op:?} of mathematical integers")),
            }),
            (BinOp::RDiv | BinOp::Div, x @ Value::Real(_), Value::Real(y)) if *y == RBig::ZERO => {
                self.chosen(Key::Function { name: "/".into(), args: [x, Value::Real(y)].into() }, ty)
            }
            (op, Value::Real(x), Value::Real(y)) => Ok(Value::Real(Box::new(match op {
                BinOp::Add => *x + *y,
                BinOp::Sub => *x - *y,
                BinOp::Mul => *x * *y,
                BinOp::RDiv | BinOp::Div => *x / *y,
                _ => return internal(format!("{op:?} of reals")),
            }))),
            (op, ..) => internal(format!("{op:?} of values of this type")),
        }
    }

    pub fn math_comparison(&mut self, op: BinOp, a: ExprId, b: ExprId) -> R<u128> {
        let elem = match self.p.types.get(self.p.exprs.ty(a)) {
            Type::Map { elem, .. } => Some(*elem),
            _ => None,
        };
        let order = match (self.eval_value(a)?, self.eval_value(b)?) {
            (Value::Int(x), Value::Int(y)) => x.cmp(&y),
            (Value::Real(x), Value::Real(y)) => x.cmp(&y),
            (Value::Map(x), Value::Map(y)) if matches!(op, BinOp::Eq | BinOp::Ne) => {
                let same = match elem {
                    Some(elem) => self.same_map(&x, &y, elem)?,
                    None => return internal("a map of another type"),
                };
                if same { Ordering::Equal } else { Ordering::Less }
            }
            _ => return internal(format!("{op:?} of values of different kinds")),
        };
        Ok(u128::from(match op {
            BinOp::Eq => order.is_eq(),
            BinOp::Ne => order.is_ne(),
            BinOp::Lt => order.is_lt(),
            BinOp::Le => order.is_le(),
            _ => return internal(format!("{op:?} gives no truth value")),
        }))
    }

    /// Equality of maps as functions. Two maps that are arbitrary in different ways are only known to differ where an entry differs.
    fn same_map(&mut self, x: &MapValue, y: &MapValue, elem: TypeId) -> R<bool> {
        let indices: Vec<Box<[Value]>> = x.entries.keys().chain(y.entries.keys()).cloned().collect();
        for index in indices {
            let a = self.select(x, index.clone(), elem)?;
            let b = self.select(y, index, elem)?;
            let same = match (&a, &b, self.p.types.get(elem)) {
                (Value::Map(a), Value::Map(b), Type::Map { elem, .. }) => self.same_map(a, b, *elem)?,
                _ => a == b,
            };
            if !same {
                return Ok(false);
            }
        }
        match (&x.rest, &y.rest) {
            (a, b) if a == b => Ok(true),
            // Assumes an index type with more elements than the maps have entries.
            (Rest::Constant(_), Rest::Constant(_)) => Ok(false),
            _ => unsupported("equality of arbitrary maps"),
        }
    }

    /// Conversion of a mathematical number to a machine value.
    pub fn math_to_machine(&mut self, inner: ExprId, to: Class) -> R<u128> {
        match (self.eval_value(inner)?, to) {
            (Value::Int(v), Class::Word(int)) => Ok(modulo(v, int)),
            (Value::Int(v), Class::Bool) => Ok(u128::from(v != IBig::ZERO)),
            (_, to) => internal(format!("conversion of a mathematical value to {to:?}")),
        }
    }
}

/// A number modulo the width of a type.
fn modulo(v: IBig, int: IntTy) -> u128 {
    let size = IBig::from(UBig::ONE << usize::from(int.width));
    let low: IBig = IBig::from(v.rem_euclid(size));
    arith::truncate(u128::try_from(&low).unwrap_or(0), int)
}

fn machine_to_math(v: Value, from: Class, to: &Type) -> R<Value> {
    let int = match (v, from) {
        (Value::Bits(v), Class::Word(int)) if int.signed => IBig::from(arith::to_i128(v, int)),
        (Value::Bits(v), Class::Word(_) | Class::Bool) => IBig::from(v),
        (Value::Int(v), _) => v,
        (Value::Real(v), _) if *to == Type::MathReal => return Ok(Value::Real(v)),
        // Boogie's `int(r)` rounds down.
        (Value::Real(v), _) => v.floor(),
        (Value::Map(v), _) => return Ok(Value::Map(v)),
        _ => return unsupported("conversion of a float to a mathematical number"),
    };
    match to {
        Type::MathInt => Ok(Value::Int(int)),
        Type::MathReal => Ok(Value::Real(Box::new(RBig::from(int)))),
        _ => internal("conversion to a mathematical type that is no number"),
    }
}
