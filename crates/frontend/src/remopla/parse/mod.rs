//! Tokens to syntax, by recursive descent.
//!
//! | module | reads |
//! |---|---|
//! | [`decl`] | constants, types, variables, modules, rules |
//! | [`stmt`] | statements |
//! | [`expr`] | expressions |
//!
//! The depth of recursion is bounded: the lexer bounds brackets, the parser bounds operators.

mod decl;
mod expr;
mod stmt;

use super::ast::{File, Ident};
use super::lex::{Kind, Token, lex};
use crate::{Fault, Res};
use craig_base::{Budget, Diagnostic, Pace, Span};

/// Most operators in one expression.
const MAX_OPERATORS: usize = 20_000;

/// Reads a whole program.
pub fn parse(text: &str, budget: &Budget) -> Res<File> {
    let tokens = lex(text, budget)?;
    let mut parser = Parser { text, tokens, at: 0, operators: 0, pace: Pace::new(budget) };
    parser.file()
}

struct Parser<'a> {
    text: &'a str,
    /// The last one is the end.
    tokens: Vec<Token>,
    at: usize,
    /// Operators of the current expression.
    operators: usize,
    pace: Pace<'a>,
}

impl Parser<'_> {
    fn ahead(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> Kind {
        self.ahead(0).kind
    }

    fn span(&self) -> Span {
        self.ahead(0).span
    }

    /// From a start to the end of the last token that was read.
    fn since(&self, start: Span) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Span { start: start.start, end: end.max(start.end) }
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, what: &str) -> bool {
        self.ahead_is(0, what)
    }

    fn ahead_is(&self, n: usize, what: &str) -> bool {
        matches!(self.ahead(n).kind, Kind::Key(k) | Kind::Punct(k) if k == what)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn accept(&mut self, what: &str) -> bool {
        let found = self.is(what);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, what: &str) -> Res<()> {
        if self.accept(what) { Ok(()) } else { self.unexpected(&format!("`{what}`")) }
    }

    fn unexpected<T>(&self, expected: &str) -> Res<T> {
        let span = self.span();
        let found = match self.kind() {
            Kind::End => "the end of the file".to_string(),
            _ => {
                let cut: String = self.slice(span).chars().take(40).collect();
                format!("`{}`", cut.escape_debug())
            }
        };
        Err(Diagnostic::error(format!("expected {expected}, found {found}")).at(span).into())
    }

    /// What Remopla has and we do not.
    fn refused<T>(&self, what: &str, help: &str) -> Res<T> {
        let diagnostic = Diagnostic::error(format!("{what} is not supported")).at(self.span()).help(help);
        Err(Fault::from(diagnostic))
    }

    fn ident(&mut self, what: &str) -> Res<Ident> {
        if self.kind() != Kind::Ident {
            return self.unexpected(what);
        }
        let span = self.span();
        let name = self.slice(span).into();
        self.bump();
        Ok(Ident { name, span })
    }

    /// `A` or `E` before a name: is a quantifier next, and is it `A`?
    fn quantifier(&self) -> Option<bool> {
        if self.kind() != Kind::Ident || self.ahead(1).kind != Kind::Ident {
            return None;
        }
        match self.slice(self.span()) {
            "A" => Some(true),
            "E" => Some(false),
            _ => None,
        }
    }

    /// One or more, separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Also none, up to a closing bracket, which is read.
    fn list_until<T>(&mut self, close: &str, item: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let items = if self.is(close) { Vec::new() } else { self.list(item)? };
        self.expect(close)?;
        Ok(items)
    }
}
