//! Terms as expressions of C that a compiler reads as they are meant.
//!
//! Mathematical integers are not C's: sums get operands that are wide enough, comparisons of unlike signs are made in one type, remainders of
//! what may be negative are left out. Bit-vectors are unsigned integers, cast to their width after every operation. What C cannot
//! say is no expression: the caller says less.

use craig_logic::{Op, Sort, Substitution, TermId, Terms};

/// A part of the state with a name in C.
#[derive(Debug, Clone)]
pub struct Name {
    pub symbol: TermId,
    /// An expression that needs no parentheses: `x`, `s.a[2]`.
    pub text: String,
    /// Bits, negative if signed.
    pub word: i32,
}

/// A formula as C; `None` where C has no words for it.
pub fn formula(terms: &Terms, names: &[Name], term: TermId) -> Option<String> {
    Writer { terms, names }.truth(term)
}

struct Writer<'a> {
    terms: &'a Terms,
    names: &'a [Name],
}

impl Writer<'_> {
    fn truth(&self, term: TermId) -> Option<String> {
        let args = self.terms.args(term);
        let all = |of: &Self, operator: &str| {
            let parts: Option<Vec<String>> = args.iter().map(|arg| of.truth(*arg)).collect();
            Some(format!("({})", parts?.join(operator)))
        };
        match self.terms.op(term) {
            Op::True => Some("1".into()),
            Op::False => Some("0".into()),
            Op::And => all(self, " && "),
            Op::Or => all(self, " || "),
            Op::Not if self.is_integer_atom(args[0]) => self.integers(term),
            Op::Not => Some(format!("!({})", self.truth(args[0])?)),
            Op::Eq if self.terms.sort(args[0]) == Sort::Bool => {
                Some(format!("!({}) == !({})", self.truth(args[0])?, self.truth(args[1])?))
            }
            _ if self.is_integer_atom(term) => self.integers(term),
            Op::Eq => self.compare(args[0], "==", args[1], false),
            Op::BvUle => self.compare(args[0], "<=", args[1], false),
            Op::BvUlt => self.compare(args[0], "<", args[1], false),
            Op::BvSle => self.compare(args[0], "<=", args[1], true),
            Op::BvSlt => self.compare(args[0], "<", args[1], true),
            _ => None,
        }
    }

    fn name(&self, term: TermId) -> Option<&Name> {
        self.names.iter().find(|name| name.symbol == term)
    }

    fn is_integer_atom(&self, term: TermId) -> bool {
        let is_relation = matches!(self.terms.op(term), Op::Eq | Op::Le);
        is_relation && self.terms.sort(self.terms.args(term)[0]) == Sort::Int
    }

    // Mathematical integers.

    /// A literal of integer arithmetic.
    fn integers(&self, literal: TermId) -> Option<String> {
        let mut parts = Parts::default();
        self.survey(literal, &mut parts)?;
        let atom = if self.terms.op(literal) == Op::Not { self.terms.args(literal)[0] } else { literal };
        let with_zero = self.terms.op(atom) == Op::Eq
            && self.terms.args(atom).iter().any(|arg| self.terms.number(*arg).is_some_and(|n| n.is_zero()));
        let direct = self.terms.args(atom).iter().any(|arg| matches!(self.terms.op(*arg), Op::Mod));
        // C's remainder of what is negative is negative, but zero where this one is.
        if parts.divides && parts.signed && !(with_zero && direct && parts.divisions == 1) {
            return None;
        }
        // Wide enough that nothing overflows and no sign is lost.
        let needs = parts.sums || parts.unsigned;
        let wide = match parts.widest {
            _ if !needs => "",
            0..=32 => "(long long)",
            _ => "(__int128)",
        };
        let mut renamed = Substitution::default();
        for name in self.names {
            let text = format!("{wide}{}", name.text);
            renamed.insert(name.symbol, self.symbol(&text));
        }
        Some(self.terms.c(self.terms.substitute(literal, &renamed)))
    }

    fn symbol(&self, text: &str) -> TermId {
        match self.terms.find_symbol(text) {
            Some(known) if self.terms.sort(known) != Sort::Int => self.terms.fresh(text, Sort::Int),
            _ => self.terms.symbol(text, Sort::Int),
        }
    }

    /// What there is in a term of integer arithmetic; `None` if there is more than C has.
    fn survey(&self, term: TermId, parts: &mut Parts) -> Option<()> {
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Symbol(_) => {
                let name = self.name(term)?;
                let width = name.word.unsigned_abs();
                parts.widest = parts.widest.max(width);
                parts.signed |= name.word < 0;
                // Narrow ones become `int` by themselves.
                parts.unsigned |= name.word > 0 && width >= 32;
            }
            Op::Num(_) | Op::BigNum(_) => {
                let number = self.terms.number(term)?;
                // The least has no literal.
                let number = number.to_i64().filter(|n| *n > i64::MIN)?;
                parts.unsigned |= number.unsigned_abs() > i32::MAX as u64;
            }
            Op::Add | Op::Mul => parts.sums = true,
            Op::Mod | Op::Div => {
                let by = self.terms.number(args[1])?;
                if by.is_negative() || by.is_zero() || matches!(self.terms.op(term), Op::Div) {
                    parts.divisions += 1;
                }
                parts.divides = true;
                parts.divisions += 1;
            }
            Op::Not | Op::Eq | Op::Le => {}
            _ => return None,
        }
        args.iter().try_for_each(|arg| self.survey(*arg, parts))
    }

    // Bit-vectors.

    fn compare(&self, a: TermId, relation: &str, b: TermId, signed: bool) -> Option<String> {
        let width = self.width(a)?;
        let (a, b) = (self.bits(a)?, self.bits(b)?);
        if signed {
            let ty = integer(width, true)?;
            return Some(format!("({ty}){a} {relation} ({ty}){b}"));
        }
        Some(format!("{a} {relation} {b}"))
    }

    fn width(&self, term: TermId) -> Option<u32> {
        match self.terms.sort(term) {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }

    /// A bit-vector as an unsigned integer of its width, in parentheses if it needs them.
    fn bits(&self, term: TermId) -> Option<String> {
        let width = self.width(term)?;
        let ty = integer(width, false)?;
        let args = self.terms.args(term);
        let infix = |operator: &str| {
            let parts: Option<Vec<String>> = args.iter().map(|arg| self.bits(*arg)).collect();
            // Narrow operands become signed `int`s: they are made wide before.
            let wide = if width < 32 { "(unsigned int)" } else { "" };
            let parts: Vec<String> = parts?.into_iter().map(|part| format!("{wide}{part}")).collect();
            Some(format!("(({ty})({}))", parts.join(operator)))
        };
        match self.terms.op(term) {
            Op::Symbol(_) => {
                let name = self.name(term).filter(|name| name.word.unsigned_abs() == width)?;
                Some(if name.word > 0 { name.text.clone() } else { format!("(({ty}){})", name.text) })
            }
            Op::Num(_) | Op::BigNum(_) => {
                let number = self.terms.number(term)?;
                Some(format!("{number}{}", if width > 32 { "ull" } else { "u" }))
            }
            Op::BvAnd => infix(" & "),
            Op::BvOr => infix(" | "),
            Op::BvXor => infix(" ^ "),
            Op::BvAdd => infix(" + "),
            Op::BvMul => infix(" * "),
            Op::BvNot => Some(format!("(({ty})~{})", self.bits(args[0])?)),
            Op::BvNeg => Some(format!("(({ty})(0u - {}))", self.bits(args[0])?)),
            Op::ZeroExt(_) => Some(format!("(({ty}){})", self.bits(args[0])?)),
            Op::SignExt(_) => {
                let narrow = integer(self.width(args[0])?, true)?;
                Some(format!("(({ty})({narrow}){})", self.bits(args[0])?))
            }
            Op::Extract(_, low) => {
                let inner = self.bits(args[0])?;
                Some(format!("(({ty})({inner} >> {low}))"))
            }
            Op::Ite => {
                let (c, a, b) = (self.truth(args[0])?, self.bits(args[1])?, self.bits(args[2])?);
                Some(format!("({c} ? {a} : {b})"))
            }
            _ => None,
        }
    }
}

#[derive(Default)]
struct Parts {
    widest: u32,
    sums: bool,
    signed: bool,
    unsigned: bool,
    divides: bool,
    divisions: u32,
}

/// The integer type of a width.
fn integer(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (64, true) => "long long",
        (64, false) => "unsigned long long",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, sort: &str, words: &[(&str, i32)]) -> Option<String> {
        let terms = Terms::new();
        let declared: String =
            words.iter().map(|(name, _)| format!("(declare-const {name} {sort})")).collect();
        let script = terms.read_script(&format!("{declared}(assert {text})")).expect("a script");
        let name = |(name, word): &(&str, i32)| Name {
            symbol: terms.find_symbol(name).expect("a symbol"),
            text: (*name).into(),
            word: *word,
        };
        let names: Vec<Name> = words.iter().map(name).collect();
        formula(&terms, &names, script.assertions[0])
    }

    #[test]
    fn integers_do_not_overflow() {
        let ints = [("x", -32), ("y", -32)];
        assert_eq!(shown("(<= x 5)", "Int", &ints).as_deref(), Some("x <= 5"));
        assert_eq!(shown("(= x y)", "Int", &ints).as_deref(), Some("(long long)x == (long long)y"));
        let sum = shown("(<= (+ x y) 5)", "Int", &ints);
        assert_eq!(sum.as_deref(), Some("(long long)x + (long long)y <= 5"));
        let unsigned = shown("(<= x y)", "Int", &[("x", -32), ("y", 32)]);
        assert_eq!(unsigned.as_deref(), Some("(long long)x <= (long long)y"));
        let wide = shown("(<= (+ x y) 5)", "Int", &[("x", -64), ("y", -64)]);
        assert_eq!(wide.as_deref(), Some("(__int128)x + (__int128)y <= 5"));
    }

    #[test]
    fn remainders_mean_what_they_say() {
        let signed = [("x", -32)];
        assert_eq!(shown("(= (mod x 3) 0)", "Int", &signed).as_deref(), Some("x % 3 == 0"));
        assert_eq!(shown("(= (mod x 3) 1)", "Int", &signed), None);
        let unsigned = shown("(= (mod x 3) 1)", "Int", &[("x", 32)]);
        assert_eq!(unsigned.as_deref(), Some("(long long)x % 3 == 1"));
    }

    #[test]
    fn bit_vectors_are_unsigned() {
        let sort = "(_ BitVec 32)";
        let words = [("x", -32), ("y", 32)];
        let less = shown("(bvslt x y)", sort, &words);
        assert_eq!(less.as_deref(), Some("!((int)y <= (int)((unsigned int)x))"));
        let masked = shown("(= (bvand y #x000000ff) #x00000000)", sort, &words);
        assert_eq!(masked.as_deref(), Some("((unsigned int)(y & 255u)) == 0u"));
    }
}
