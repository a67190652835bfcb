//! Expressions.
//!
//! From loose to tight: `<==>`; `==>` and `<==`; `&&` and `||`; comparisons; `++`; `+ -`; `* / div mod`; `**`; `! -`; `e : T`; `e[i]`.
//! As in Boogie, `==>` and `<==` do not mix without brackets, nor do `&&` and `||`, and comparisons do not chain.

use super::super::ast::{BinOp, Binder, Expr, ExprKind, UnOp};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::{Diagnostic, Span};

/// Levels of binary operators, loosest first.
const IFF: u8 = 0;
const IMPLIES: u8 = 1;
const LOGIC: u8 = 2;
const RELATION: u8 = 3;
const POWER: u8 = 7;

fn operator(text: &str) -> Option<(BinOp, u8)> {
    Some(match text {
        "<==>" => (BinOp::Iff, IFF),
        "==>" => (BinOp::Implies, IMPLIES),
        "<==" => (BinOp::Explies, IMPLIES),
        "&&" => (BinOp::And, LOGIC),
        "||" => (BinOp::Or, LOGIC),
        "==" => (BinOp::Eq, RELATION),
        "!=" => (BinOp::Ne, RELATION),
        "<" => (BinOp::Lt, RELATION),
        "<=" => (BinOp::Le, RELATION),
        ">" => (BinOp::Gt, RELATION),
        ">=" => (BinOp::Ge, RELATION),
        "<:" => (BinOp::Below, RELATION),
        "++" => (BinOp::Concat, 4),
        "+" => (BinOp::Add, 5),
        "-" => (BinOp::Sub, 5),
        "*" => (BinOp::Mul, 6),
        "/" => (BinOp::Slash, 6),
        "div" => (BinOp::Div, 6),
        "mod" | "%" => (BinOp::Mod, 6),
        "**" => (BinOp::Pow, POWER),
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
    fn part(&mut self) -> Res<Expr> {
        self.binary(IFF)
    }

    /// Operators of this level and tighter ones.
    fn binary(&mut self, level: u8) -> Res<Expr> {
        self.pace.step()?;
        let start = self.span();
        let mut left = self.unary()?;
        // The operator that was last used on each level: what may not mix is found by it.
        let mut last: [Option<BinOp>; 8] = [None; 8];
        loop {
            let (Kind::Key(text) | Kind::Punct(text)) = self.token().kind else { return Ok(left) };
            let Some((op, tightness)) = operator(text).filter(|(_, t)| *t >= level) else { return Ok(left) };
            let before = last[tightness as usize];
            self.check_mixing(op, tightness, before)?;
            self.count()?;
            self.bump();
            let right = self.binary(tightness + 1)?;
            left = if matches!(op, BinOp::Implies | BinOp::Pow) {
                self.grouped_right(op, text, tightness, left, right)?
            } else {
                node(ExprKind::Binary(op, Box::new(left), Box::new(right)), self.since(start))
            };
            last[tightness as usize] = Some(op);
            for tighter in &mut last[tightness as usize + 1..] {
                *tighter = None;
            }
        }
    }

    /// `==>` and `**` group to the right: all operands of a chain first, then the tree from its end.
    fn grouped_right(
        &mut self,
        op: BinOp,
        text: &str,
        tightness: u8,
        first: Expr,
        second: Expr,
    ) -> Res<Expr> {
        let mut operands = vec![first];
        let mut right = second;
        while self.is(text) {
            self.count()?;
            self.bump();
            let next = self.binary(tightness + 1)?;
            operands.push(std::mem::replace(&mut right, next));
        }
        while let Some(left) = operands.pop() {
            let span = self.since(left.span);
            right = node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span);
        }
        Ok(right)
    }

    fn check_mixing(&self, op: BinOp, tightness: u8, before: Option<BinOp>) -> Res<()> {
        let Some(before) = before else { return Ok(()) };
        let wrong = match tightness {
            RELATION => "comparisons cannot be chained",
            LOGIC if before != op => "`&&` and `||` cannot be mixed",
            IMPLIES if before != op => "`==>` and `<==` cannot be mixed",
            _ => return Ok(()),
        };
        Err(Fault::from(Diagnostic::error(wrong).at(self.span()).help("brackets say what is meant")))
    }

    fn unary(&mut self) -> Res<Expr> {
        let start = self.span();
        let op = match self.token().kind {
            Kind::Punct("!") => UnOp::Not,
            Kind::Punct("-") => UnOp::Neg,
            _ => return self.postfix(),
        };
        self.count()?;
        self.bump();
        let of = self.unary()?;
        Ok(node(ExprKind::Unary(op, Box::new(of)), self.since(start)))
    }

    fn postfix(&mut self) -> Res<Expr> {
        let start = self.span();
        let mut expr = self.atom()?;
        loop {
            if self.is("[") {
                self.count()?;
                self.bump();
                expr = self.index(expr, start)?;
            } else if self.is(":") {
                self.count()?;
                self.bump();
                let ty = self.ty()?;
                expr = node(ExprKind::Coerce(Box::new(expr), ty), self.since(start));
            } else {
                return Ok(expr);
            }
        }
    }

    /// After the bracket: `e[i, j]`, `e[i := v]`, `e[8:0]`.
    fn index(&mut self, of: Expr, start: Span) -> Res<Expr> {
        if let (Kind::Int(hi), true, Kind::Int(lo)) =
            (self.token().kind.clone(), self.ahead_is(1, ":"), self.ahead(2).kind.clone())
        {
            (0..3).for_each(|_| self.bump());
            self.expect("]")?;
            let kind = ExprKind::Extract { of: Box::new(of), hi, lo };
            return Ok(node(kind, self.since(start)));
        }
        let index = if self.is("]") || self.is(":=") { Vec::new() } else { self.list(Self::part)? };
        let kind = if self.accept(":=") {
            let value = self.part()?;
            ExprKind::Store(Box::new(of), index, Box::new(value))
        } else {
            ExprKind::Select(Box::new(of), index)
        };
        self.expect("]")?;
        Ok(node(kind, self.since(start)))
    }

    fn atom(&mut self) -> Res<Expr> {
        let start = self.span();
        let kind = match self.token().kind.clone() {
            Kind::Key("true") => ExprKind::Bool(true),
            Kind::Key("false") => ExprKind::Bool(false),
            Kind::Int(v) => ExprKind::Int(v),
            Kind::Bv(v, width) => ExprKind::Bv(v, width),
            Kind::Real(v) => ExprKind::Real(v),
            Kind::Float => ExprKind::Literal("float"),
            Kind::Str => ExprKind::Literal("string"),
            Kind::Ident => return self.name_or_application(start),
            Kind::Key("old") => return self.wrapped(ExprKind::Old),
            Kind::Key("int") => return self.wrapped(ExprKind::ToInt),
            Kind::Key("real") => return self.wrapped(ExprKind::ToReal),
            Kind::Key("if") => {
                self.count()?;
                self.bump();
                let cond = self.part()?;
                self.expect("then")?;
                let yes = self.part()?;
                self.expect("else")?;
                let no = self.part()?;
                let kind = ExprKind::Ite(Box::new(cond), Box::new(yes), Box::new(no));
                return Ok(node(kind, self.since(start)));
            }
            Kind::Punct("(") => {
                self.bump();
                let mut expr = if self.is("forall") || self.is("exists") || self.is("lambda") {
                    self.binder()?
                } else {
                    self.part()?
                };
                self.expect(")")?;
                expr.span = self.since(start);
                return Ok(expr);
            }
            Kind::Punct("|{") => {
                return Err(Fault::from(
                    Diagnostic::error("statements inside an expression are not supported").at(start),
                ));
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(node(kind, start))
    }

    fn name_or_application(&mut self, start: Span) -> Res<Expr> {
        let name = self.ident("a name")?;
        if !self.is("(") {
            return Ok(node(ExprKind::Name(name.name), start));
        }
        self.bump();
        let args = self.list_until(")", Self::part)?;
        Ok(node(ExprKind::Apply(name, args), self.since(start)))
    }

    /// `old(e)`, `int(e)`, `real(e)`.
    fn wrapped(&mut self, make: fn(Box<Expr>) -> ExprKind) -> Res<Expr> {
        let start = self.span();
        self.bump();
        self.expect("(")?;
        let of = self.part()?;
        self.expect(")")?;
        Ok(node(make(Box::new(of)), self.since(start)))
    }

    /// `forall<a> x: int, y: a :: {trigger} body`.
    fn binder(&mut self) -> Res<Expr> {
        let start = self.span();
        let kind = match self.token().kind {
            Kind::Key("forall") => Binder::Forall,
            Kind::Key("exists") => Binder::Exists,
            _ => Binder::Lambda,
        };
        self.bump();
        let params = self.type_params()?;
        let vars = if self.is("::") { Vec::new() } else { self.typed_list(false)? };
        self.expect("::")?;
        let mut triggers = Vec::new();
        loop {
            self.attributes()?;
            if !self.accept("{") {
                break;
            }
            triggers.extend(self.list_until("}", Self::part)?);
        }
        let body = Box::new(self.part()?);
        Ok(node(ExprKind::Binder { kind, params, vars, triggers, body }, self.since(start)))
    }
}
