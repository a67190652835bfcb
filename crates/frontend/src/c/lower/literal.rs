//! Constants and string literals.

use super::super::Encoding;
use super::{FuncId, Lower, Res};
use craig_base::Span;
use craig_cfa::{Const, ExprId, FloatTy, IntTy, Op, PlaceId, TypeId, VarKind};
use lang_c::ast;
use lang_c::span::Node;
use std::sync::Arc;

impl<'a> Lower<'a> {
    pub fn constant(&mut self, node: &Node<ast::Constant>) -> Res<ExprId> {
        let span = self.span(node);
        match &node.node {
            ast::Constant::Integer(integer) => self.integer(integer, span),
            ast::Constant::Float(float) => self.float_constant(float, span),
            ast::Constant::Character(text) => self.character(text, span),
        }
    }

    /// C11 6.4.4.1: the first type of the list for its base and suffix that holds the value.
    fn integer(&mut self, integer: &ast::Integer, span: Span) -> Res<ExprId> {
        let (radix, decimal) = match integer.base {
            ast::IntegerBase::Decimal => (10, true),
            ast::IntegerBase::Octal => (8, false),
            ast::IntegerBase::Hexadecimal => (16, false),
            ast::IntegerBase::Binary => (2, false),
        };
        let digits = if integer.number.is_empty() { "0" } else { &integer.number };
        let Ok(value) = u128::from_str_radix(digits, radix) else {
            return self.error("this integer constant fits no type", span);
        };
        let long = self.p.types.model.pointer_bits();
        self.spelled.long |= integer.suffix.size == ast::IntegerSize::Long;
        self.spelled.long_long |= integer.suffix.size == ast::IntegerSize::LongLong;
        let widths: &[u16] = match integer.suffix.size {
            ast::IntegerSize::Int => &[32, long, 64],
            ast::IntegerSize::Long => &[long, 64],
            ast::IntegerSize::LongLong => &[64],
        };
        let mut candidates = Vec::new();
        for &width in widths {
            if !integer.suffix.unsigned {
                candidates.push(IntTy::new(width, true));
            }
            if integer.suffix.unsigned || !decimal {
                candidates.push(IntTy::new(width, false));
            }
        }
        candidates.extend([IntTy::new(64, false), IntTy::new(128, true), IntTy::new(128, false)]);
        let fits = |ty: &&IntTy| value <= craig_cfa::arith::bounds(**ty).1;
        let ty = *candidates.iter().find(fits).expect("128 bits hold every constant that was read");
        let ty = self.p.types.int(ty.width, ty.signed);
        Ok(self.p.exprs.constant(Const::Bits(value), ty))
    }

    fn float_constant(&mut self, float: &ast::Float, span: Span) -> Res<ExprId> {
        let value = match float.base {
            ast::FloatBase::Decimal => float.number.parse::<f64>().ok(),
            ast::FloatBase::Hexadecimal => hexadecimal_float(&float.number),
        };
        let Some(value) = value else { return self.error("this floating constant cannot be read", span) };
        let (kind, bits) = match &float.suffix.format {
            // Rounded once from the decimal text, as C has it.
            ast::FloatFormat::Float => {
                let single = float.number.parse::<f32>().unwrap_or(value as f32);
                (FloatTy::F32, u128::from(single.to_bits()))
            }
            ast::FloatFormat::Double => (FloatTy::F64, u128::from(value.to_bits())),
            ast::FloatFormat::LongDouble => (FloatTy::F80, extended(value)),
            ast::FloatFormat::TS18661Format(f) if f.width == 32 => {
                (FloatTy::F32, u128::from((value as f32).to_bits()))
            }
            ast::FloatFormat::TS18661Format(f) if f.width == 64 => {
                (FloatTy::F64, u128::from(value.to_bits()))
            }
            ast::FloatFormat::TS18661Format(_) => {
                return self.error("constants of this floating type are not supported", span);
            }
        };
        let ty = self.float(kind);
        Ok(self.p.exprs.constant(Const::Bits(bits), ty))
    }

    /// `'a'`, `L'a'`, `'ab'`.
    fn character(&mut self, text: &str, span: Span) -> Res<ExprId> {
        let Some((prefix, inner)) = text.strip_suffix('\'').and_then(|t| t.split_once('\'')) else {
            return self.error("this character constant cannot be read", span);
        };
        let units = self.unescape(inner, span)?;
        let ty = match prefix {
            "u" => self.p.types.int(16, false),
            "U" => self.p.types.int(32, false),
            _ => self.int_ty(),
        };
        let value = if !prefix.is_empty() {
            units.first().map_or(0, |u| u.as_wide())
        } else {
            // GCC: the bytes one after another, the first one sign-extended if it stands alone.
            let bytes: Vec<u8> = units.iter().flat_map(|u| u.bytes()).collect();
            match bytes[..] {
                [only] => i128::from(only.cast_signed()),
                _ => i128::from(bytes.iter().fold(0i32, |v, &b| v << 8 | i32::from(b))),
            }
        };
        Ok(self.p.exprs.int(&self.p.types, value, ty))
    }

    /// The bytes of a string literal with its end, and the type of its elements. A literal without prefix takes the width of the
    /// array that it initialises only if that is one byte.
    pub fn string_bytes(
        &mut self,
        literal: &Node<ast::StringLiteral>,
        elem: Option<TypeId>,
    ) -> Res<(Vec<u8>, TypeId)> {
        let span = self.span(literal);
        let mut units = Vec::new();
        let mut prefix = "";
        for part in &literal.node {
            let quote = part.find('"').unwrap_or(0);
            if quote > 0 {
                prefix = &part[..quote];
            }
            let inner = part.get(quote + 1..part.len().saturating_sub(1)).unwrap_or("");
            units.extend(self.unescape(inner, span)?);
        }
        let unit_bytes = match prefix {
            "L" | "U" => 4,
            "u" => 2,
            _ => 1,
        };
        let ty = match unit_bytes {
            4 => self.p.types.int(32, prefix == "L"),
            2 => self.p.types.int(16, false),
            _ => elem.filter(|&e| self.p.types.size_of(e) == Some(1)).unwrap_or(self.char_ty()),
        };
        let mut bytes = Vec::new();
        for unit in units {
            match unit_bytes {
                1 => bytes.extend(unit.bytes()),
                n => bytes.extend(&unit.as_wide().to_le_bytes()[..n]),
            }
        }
        bytes.resize(bytes.len() + unit_bytes, 0);
        Ok((bytes, ty))
    }

    /// The object that a string literal names; equal literals are one object.
    pub fn string_place(&mut self, literal: &Node<ast::StringLiteral>) -> Res<PlaceId> {
        let (bytes, elem) = self.string_bytes(literal, None)?;
        let span = self.span(literal);
        Ok(self.bytes_place(bytes.into(), elem, None, span))
    }

    /// An array with these bytes: a literal, or the name of a function.
    pub fn bytes_place(
        &mut self,
        bytes: Arc<[u8]>,
        elem: TypeId,
        name_of: Option<FuncId>,
        span: Span,
    ) -> PlaceId {
        let len = bytes.len() as u64 / self.p.types.size_of(elem).unwrap_or(1);
        let ty = self.p.types.array(elem, len);
        let key = (Arc::clone(&bytes), elem, name_of);
        if let Some(&var) = self.strings.get(&key) {
            return self.p.var_place(var);
        }
        let name = format!("str.{}", self.strings.len() + 1);
        let kind = if name_of.is_some() { VarKind::Global } else { VarKind::Literal };
        let var = self.p.add_var(name.into(), ty, kind, None, span);
        let place = self.p.var_place(var);
        if !self.unevaluated {
            self.strings.insert(key, var);
            let value = self.p.exprs.constant(Const::Bytes(bytes), ty);
            self.in_start(|l| l.emit(Op::Assign(place, value), span));
        }
        place
    }

    fn unescape(&self, text: &str, span: Span) -> Res<Vec<Unit>> {
        let mut units = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '\\' {
                let latin1 = self.encoding == Encoding::Latin1;
                units.push(if latin1 { Unit::Value(u32::from(c)) } else { Unit::Char(c) });
                continue;
            }
            let Some(escape) = chars.next() else { return self.error("a lone `\\`", span) };
            let value = match escape {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'a' => 7,
                'b' => 8,
                'f' => 12,
                'v' => 11,
                'e' | 'E' => 27,
                '0'..='7' => {
                    let mut value = escape.to_digit(8).unwrap_or(0);
                    for _ in 0..2 {
                        match chars.peek().and_then(|c| c.to_digit(8)) {
                            Some(d) => {
                                value = value * 8 + d;
                                chars.next();
                            }
                            None => break,
                        }
                    }
                    value
                }
                'x' => {
                    let mut value = 0u32;
                    while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                        value = value.wrapping_mul(16) + d;
                        chars.next();
                    }
                    value
                }
                'u' | 'U' => {
                    let digits = if escape == 'u' { 4 } else { 8 };
                    let hex: String = chars.by_ref().take(digits).collect();
                    match u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32) {
                        Some(c) => {
                            units.push(Unit::Char(c));
                            continue;
                        }
                        None => return self.error("this universal character name cannot be read", span),
                    }
                }
                '\n' => continue,
                other => u32::from(other),
            };
            units.push(Unit::Value(value));
        }
        Ok(units)
    }
}

/// One element of a literal.
#[derive(Clone, Copy)]
enum Unit {
    /// A character of the text, UTF-8 in a plain literal.
    Char(char),
    /// An escape: one element, whatever its width.
    Value(u32),
}

impl Unit {
    fn bytes(self) -> Vec<u8> {
        match self {
            Unit::Char(c) => c.to_string().into_bytes(),
            Unit::Value(v) => vec![v as u8],
        }
    }

    fn as_wide(self) -> i128 {
        match self {
            Unit::Char(c) => i128::from(u32::from(c)),
            Unit::Value(v) => i128::from(v),
        }
    }
}

/// `1.8p3` without its `0x`, or with it.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let text = text.trim_start_matches("0x").trim_start_matches("0X");
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let mut value = 0.0f64;
    let mut after_point = false;
    for c in mantissa.chars() {
        if c == '.' {
            after_point = true;
            continue;
        }
        value = value * 16.0 + f64::from(c.to_digit(16)?);
        exponent -= if after_point { 4 } else { 0 };
    }
    Some(value * 2f64.powi(exponent))
}

/// The bits of x87's extended format for a double.
fn extended(value: f64) -> u128 {
    let bits = value.to_bits();
    let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let (exponent, mantissa) = match exponent {
        0 if fraction == 0 => (0, 0),
        0 => {
            let shift = fraction.leading_zeros();
            (16383 - 1074 + 63 - u64::from(shift), fraction << shift)
        }
        0x7ff => (0x7fff, 1 << 63 | fraction << 11),
        e => (e + 16383 - 1023, 1 << 63 | fraction << 11),
    };
    u128::from(sign << 15 | exponent) << 64 | u128::from(mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_their_bits() {
        assert_eq!(hexadecimal_float("0x1.8p3"), Some(12.0));
        assert_eq!(hexadecimal_float("1p-1"), Some(0.5));
        assert_eq!(extended(1.0), 0x3fff_8000_0000_0000_0000);
        assert_eq!(extended(-2.0), 0xc000_8000_0000_0000_0000);
        assert_eq!(extended(0.0), 0);
        // The smallest double, 2^-1074, is normal here.
        assert_eq!(extended(f64::from_bits(1)), (16383 - 1074) << 64 | 1 << 63);
    }
}
