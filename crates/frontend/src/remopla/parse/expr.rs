//! Expressions.
//!
//! From loose to tight: `||`; `^^`; `&&`; `|`; `^`; `&`; `<=> == !=`; `<= >= < >`; `<< >>`; `+ -`; `* / mod`; `!` and quantifiers. All
//! binary operators group to the left.

use super::super::ast::{BinOp, Expr, ExprKind, Quantified};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::{Diagnostic, Span};

fn operator(text: &str) -> Option<(BinOp, u8)> {
    Some(match text {
        "||" => (BinOp::Or, 0),
        "^^" => (BinOp::Xor, 1),
        "&&" => (BinOp::And, 2),
        "|" => (BinOp::BitOr, 3),
        "^" => (BinOp::BitXor, 4),
        "&" => (BinOp::BitAnd, 5),
        "<=>" => (BinOp::Iff, 6),
        "==" => (BinOp::Eq, 6),
        "!=" => (BinOp::Ne, 6),
        "<" => (BinOp::Lt, 7),
        "<=" => (BinOp::Le, 7),
        ">" => (BinOp::Gt, 7),
        ">=" => (BinOp::Ge, 7),
        "<<" => (BinOp::Shl, 8),
        ">>" => (BinOp::Shr, 8),
        "+" => (BinOp::Add, 9),
        "-" => (BinOp::Sub, 9),
        "*" => (BinOp::Mul, 10),
        "/" => (BinOp::Div, 10),
        "mod" => (BinOp::Mod, 10),
        _ => return None,
    })
}

fn node(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Parser<'_> {
    /// An expression that is no part of another.
    pub fn expr(&mut self) -> Res<Expr> {
        self.whole(Self::part)
    }

    /// One that is: its operators count with the others.
    pub fn part(&mut self) -> Res<Expr> {
        self.binary(0)
    }

    /// Operators of this level and tighter ones.
    fn binary(&mut self, level: u8) -> Res<Expr> {
        self.pace.step()?;
        let start = self.span();
        let mut left = self.unary()?;
        loop {
            let (Kind::Key(text) | Kind::Punct(text)) = self.kind() else { return Ok(left) };
            let Some((op, tightness)) = operator(text).filter(|(_, t)| *t >= level) else { return Ok(left) };
            self.count()?;
            self.bump();
            let right = self.binary(tightness + 1)?;
            let span = self.since(start);
            left = match left.kind {
                ExprKind::Chain(known, mut operands) if known == op => {
                    operands.push(right);
                    node(ExprKind::Chain(op, operands), span)
                }
                kind => node(ExprKind::Chain(op, vec![node(kind, left.span), right]), span),
            };
        }
    }

    fn unary(&mut self) -> Res<Expr> {
        let start = self.span();
        if self.accept("!") {
            self.count()?;
            let of = self.unary()?;
            return Ok(node(ExprKind::Not(Box::new(of)), self.since(start)));
        }
        if let Some(all) = self.quantifier() {
            self.count()?;
            self.bump();
            let var = self.ident("a name")?;
            let (lo, hi) = self.bounds()?;
            let body = self.unary()?;
            let quantified = Quantified { all, var, lo, hi, body };
            return Ok(node(ExprKind::Quantified(Box::new(quantified)), self.since(start)));
        }
        self.atom()
    }

    /// `(lo,hi)`.
    pub fn bounds(&mut self) -> Res<(Expr, Expr)> {
        self.expect("(")?;
        let lo = self.part()?;
        self.expect(",")?;
        let hi = self.part()?;
        self.expect(")")?;
        Ok((lo, hi))
    }

    fn atom(&mut self) -> Res<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Key("true") => ExprKind::Bool(true),
            Kind::Key("false") => ExprKind::Bool(false),
            Kind::Int(v) => ExprKind::Int(v),
            Kind::Ident => {
                let place = self.place()?;
                if self.is("(") && place.steps.is_empty() {
                    return Err(Fault::from(
                        Diagnostic::error("a call inside an expression")
                            .at(place.span)
                            .help("a call is a statement of its own: `x = f(e);`"),
                    ));
                }
                return Ok(node(ExprKind::Place(place), self.since(start)));
            }
            Kind::Key("undef") => {
                return Err(Fault::from(
                    Diagnostic::error("`undef` is not a part of an expression")
                        .at(start)
                        .help("it stands alone: `x = undef`, `f(undef)`"),
                ));
            }
            Kind::Punct("(") => {
                self.bump();
                let inner = self.part()?;
                self.expect(")")?;
                return Ok(node(inner.kind, self.since(start)));
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(node(kind, start))
    }
}
