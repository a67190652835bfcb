//! Terms as expressions of C, for people: infix, negative parts of a comparison moved to the other side, `x >= 1`
//! where the normal form says `not (x <= 0)`. Operators that C lacks print as calls.

use crate::linear::{Linear, Relation};
use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Op, TermId, Terms};

/// Binding strength of C's operators, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

impl Terms {
    /// The term as an expression of C.
    pub fn c(&self, term: TermId) -> String {
        self.c_text(term).0
    }

    fn c_text(&self, term: TermId) -> (String, Level) {
        let args = self.args(term);
        let op = self.op(term);
        let call = |name: &str| {
            let list: Vec<String> = args.iter().map(|a| self.c(*a)).collect();
            (format!("{name}({})", list.join(", ")), Level::Primary)
        };
        match op {
            Op::True => ("1".into(), Level::Primary),
            Op::False => ("0".into(), Level::Primary),
            Op::Symbol(symbol) => (self.symbol_name(symbol).to_string(), Level::Primary),
            Op::Num(_) | Op::BigNum(_) => number(&self.number(term).expect("a number")),
            Op::Not => self.c_not(args[0]),
            Op::And => self.c_infix(&args, " && ", Level::And),
            Op::Or => self.c_infix(&args, " || ", Level::Or),
            Op::Ite => {
                let part = |i: usize, level| self.c_at(args[i], level);
                let (a, b) = (part(1, Level::Conditional), part(2, Level::Conditional));
                (format!("{} ? {a} : {b}", part(0, Level::Or)), Level::Conditional)
            }
            Op::Eq | Op::Le | Op::Lt => self.c_comparison(term),
            Op::Add => self.c_sum(&self.linear(term)),
            Op::Mul => self.c_infix(&args, " * ", Level::Product),
            Op::Div => self.c_infix(&args, " / ", Level::Product),
            Op::Mod => self.c_infix(&args, " % ", Level::Product),
            Op::ToReal => (format!("(double){}", self.c_at(args[0], Level::Unary)), Level::Unary),
            Op::Apply(function) => call(&self.function_name(function)),
            Op::Select => {
                (format!("{}[{}]", self.c_at(args[0], Level::Primary), self.c(args[1])), Level::Primary)
            }
            Op::Store => call("store"),
            Op::ConstArray => call("all"),
            Op::BvNot => (format!("~{}", self.c_at(args[0], Level::Unary)), Level::Unary),
            Op::BvNeg => (format!("-{}", self.c_at(args[0], Level::Unary)), Level::Unary),
            Op::BvAnd => self.c_infix(&args, " & ", Level::BitAnd),
            Op::BvOr => self.c_infix(&args, " | ", Level::BitOr),
            Op::BvXor => self.c_infix(&args, " ^ ", Level::BitXor),
            Op::BvAdd => self.c_infix(&args, " + ", Level::Sum),
            Op::BvMul => self.c_infix(&args, " * ", Level::Product),
            Op::BvUdiv => self.c_infix(&args, " / ", Level::Product),
            Op::BvUrem => self.c_infix(&args, " % ", Level::Product),
            Op::BvShl => self.c_infix(&args, " << ", Level::Shift),
            Op::BvLshr => self.c_infix(&args, " >> ", Level::Shift),
            Op::BvUle => self.c_infix(&args, " <= ", Level::Relation),
            Op::BvUlt => self.c_infix(&args, " < ", Level::Relation),
            Op::BvSdiv => call("sdiv"),
            Op::BvSrem => call("srem"),
            Op::BvAshr => call("ashr"),
            Op::BvSle => call("sle"),
            Op::BvSlt => call("slt"),
            Op::Concat => call("concat"),
            Op::Extract(high, low) => {
                let inner = self.c(args[0]);
                (format!("bits({inner}, {high}, {low})"), Level::Primary)
            }
            Op::ZeroExt(_) => call("zext"),
            Op::SignExt(_) => call("sext"),
            Op::BvToInt => call("value"),
            Op::IntToBv => call("wrap"),
        }
    }

    fn c_at(&self, term: TermId, level: Level) -> String {
        let (text, found) = self.c_text(term);
        if found < level { format!("({text})") } else { text }
    }

    fn c_infix(&self, args: &[TermId], operator: &str, level: Level) -> (String, Level) {
        // `&&` below `||` gets parentheses as compilers ask for; the right operand of a non-associative one too.
        let inner = if level == Level::Or { Level::BitOr } else { level };
        let mut out = self.c_at(args[0], inner);
        for arg in &args[1..] {
            out.push_str(operator);
            let tight = matches!(level, Level::Product | Level::Shift | Level::Sum | Level::Relation);
            let text = self.c_text(*arg);
            let wrap = text.1 < inner || tight && text.1 == level;
            out.push_str(&if wrap { format!("({})", text.0) } else { text.0 });
        }
        (out, level)
    }

    fn c_not(&self, term: TermId) -> (String, Level) {
        match self.op(term) {
            Op::Eq | Op::Le | Op::Lt => self.c_comparison(self.not(term)),
            Op::BvUle => {
                let args = self.args(term);
                self.c_infix(&[args[0], args[1]], " > ", Level::Relation)
            }
            _ => (format!("!{}", self.c_at(term, Level::Unary)), Level::Unary),
        }
    }

    fn c_comparison(&self, literal: TermId) -> (String, Level) {
        let (atom, positive) = self.atom(literal);
        let equality = self.op(atom) == Op::Eq;
        if self.linear_literal(literal).is_none() {
            // Equality of Booleans, bit-vectors or arrays; a number goes to the right.
            let mut args = self.args(atom).to_vec();
            if self.is_number(args[0]) {
                args.swap(0, 1);
            }
            return self.c_infix(&args, if positive { " == " } else { " != " }, Level::Equality);
        }
        // From the atom, whose first coefficient is positive; the negation turns the relation.
        let found = self.linear_literal(atom).expect("an arithmetic atom");
        let integers = found.sort == Sort::Int;
        let mut relation = match (found.relation, positive) {
            (Relation::Eq, true) => "==",
            (Relation::Eq, false) | (Relation::Ne, _) => "!=",
            (Relation::Le, true) => "<=",
            (Relation::Le, false) if integers => ">=",
            (Relation::Le, false) => ">",
            (Relation::Lt, true) => "<",
            (Relation::Lt, false) => ">=",
        };
        let mut linear = found.linear;
        if relation == ">=" && integers {
            // not (s <= b) is s >= b + 1
            linear.constant = linear.constant - Rat::ONE;
        }
        let mut left = Linear::default();
        let mut right = Linear::default();
        for (monomial, factor) in &linear.terms {
            if factor.is_negative() {
                right.terms.push((*monomial, -factor));
            } else {
                left.terms.push((*monomial, factor.clone()));
            }
        }
        // The constant goes where it is not negative, to the right when that side is bare.
        if right.terms.is_empty() || linear.constant.is_negative() {
            right.constant = -&linear.constant;
        } else {
            left.constant = linear.constant.clone();
        }
        // Between sums of integers `<` says more than `+ 1 <=`.
        if integers && !left.terms.is_empty() && !right.terms.is_empty() {
            if relation == "<=" && left.constant.is_one() {
                (left.constant, relation) = (Rat::ZERO, "<");
            } else if relation == ">=" && right.constant.is_one() {
                (right.constant, relation) = (Rat::ZERO, ">");
            }
        }
        // For `n = x + y + z` put the shorter side first.
        if equality && !right.terms.is_empty() && side_size(&right) < side_size(&left) {
            std::mem::swap(&mut left, &mut right);
            relation = if positive { "==" } else { "!=" };
        }
        let level = if equality { Level::Equality } else { Level::Relation };
        let (left, _) = self.c_sum(&left);
        let (right, _) = self.c_sum(&right);
        (format!("{left} {relation} {right}"), level)
    }

    fn c_sum(&self, linear: &Linear) -> (String, Level) {
        let mut out = String::new();
        let mut parts = 0;
        let mut level = Level::Sum;
        for (monomial, factor) in &linear.terms {
            let magnitude = factor.abs();
            let unit = magnitude.is_one();
            out.push_str(match (parts, factor.is_negative()) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            if unit {
                let tight = if parts == 0 && factor.is_negative() { Level::Unary } else { Level::Product };
                let (text, found) = self.c_text(*monomial);
                level = found;
                out.push_str(&if found < tight { format!("({text})") } else { text });
            } else {
                out.push_str(&format!("{} * {}", number(&magnitude).0, self.c_at(*monomial, Level::Unary)));
                level = Level::Product;
            }
            parts += 1;
        }
        let constant = &linear.constant;
        if parts == 0 {
            return number(constant);
        }
        if !constant.is_zero() {
            out.push_str(if constant.is_negative() { " - " } else { " + " });
            out.push_str(&number(&constant.abs()).0);
            parts += 1;
        }
        (out, if parts > 1 { Level::Sum } else { level })
    }
}

fn side_size(linear: &Linear) -> (usize, bool) {
    let parts = linear.terms.len() + usize::from(!linear.constant.is_zero());
    (parts, linear.terms.iter().any(|(_, c)| !c.is_one()))
}

fn number(value: &Rat) -> (String, Level) {
    let level = if value.is_negative() { Level::Unary } else { Level::Primary };
    (value.to_string(), if value.is_integer() { level } else { Level::Product })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_read_as_people_write_them() {
        let t = Terms::new();
        let v: Vec<TermId> = ["x", "y", "z", "n", "s", "i"].iter().map(|n| t.symbol(n, Sort::Int)).collect();
        let (x, y, z, n, s, i) = (v[0], v[1], v[2], v[3], v[4], v[5]);
        let sum = t.sum([x, y, z], Sort::Int);
        let p = t.symbol("p", Sort::Bool);
        let cases = [
            (t.eq(n, sum), "n == x + y + z"),
            (t.eq(s, t.scale(&Rat::from(2), i)), "s == 2 * i"),
            (t.ge(x, t.int(1)), "x >= 1"),
            (t.lt(x, t.int(-3)), "x <= -4"),
            (t.lt(x, y), "x < y"),
            (t.distinct(x, y), "x != y"),
            (t.or([p, t.and([t.le(x, y), t.not(p)])]), "p || (x <= y && !p)"),
            (t.eq(t.modulo(x, t.int(2)), t.int(0)), "x % 2 == 0"),
            (t.eq(t.modulo(t.add(x, y), t.int(2)), t.int(0)), "(x + y) % 2 == 0"),
            (t.le(t.neg(t.mul(x, y)), t.int(4)), "x * y >= -4"),
        ];
        for (term, text) in cases {
            assert_eq!(t.c(term), text);
        }
    }
}
