//! Tokens to syntax, by recursive descent.
//!
//! | module | reads |
//! |---|---|
//! | [`decl`] | declarations, signatures, contracts |
//! | [`types`] | types |
//! | [`stmt`] | statements |
//! | [`expr`] | expressions |
//!
//! The depth of recursion is bounded: the lexer bounds brackets, the parser bounds chains of operators and of `else if`.

mod decl;
mod expr;
mod stmt;
mod types;

use super::ast::{Attribute, Decl, Ident};
use super::lex::{Kind, Token, lex};
use crate::Res;
use craig_base::{Budget, Diagnostic, Pace, Span};

/// Most operators in one expression, and longest chain of `else if`: both become depth of recursion.
const MAX_CHAIN: usize = 20_000;

/// Reads a whole program.
pub fn parse(text: &str, budget: &Budget) -> Res<Vec<Decl>> {
    let tokens = lex(text, budget)?;
    let mut parser = Parser { text, tokens, at: 0, operators: 0, types: 0, pace: Pace::new(budget) };
    parser.program()
}

struct Parser<'a> {
    text: &'a str,
    /// The last one is the end.
    tokens: Vec<Token>,
    at: usize,
    /// Operators of the current expression.
    operators: usize,
    /// Depth of the current type.
    types: usize,
    pace: Pace<'a>,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// From a start to the end of the last token that was read.
    fn since(&self, start: Span) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Span { start: start.start, end: end.max(start.start) }
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

    /// A word that is reserved only in places.
    fn is_word(&self, what: &str) -> bool {
        self.token().kind == Kind::Ident && self.slice(self.span()) == what
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
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => {
                let text = self.slice(token.span);
                let cut: String = text.chars().take(40).collect();
                format!("`{}`", cut.escape_debug())
            }
        };
        Err(Diagnostic::error(format!("expected {expected}, found {found}")).at(token.span).into())
    }

    fn ident(&mut self, what: &str) -> Res<Ident> {
        if self.token().kind != Kind::Ident {
            return self.unexpected(what);
        }
        let span = self.span();
        let name = self.slice(span);
        let name = name.strip_prefix('\\').unwrap_or(name).into();
        self.bump();
        Ok(Ident { name, span })
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

    /// Any number of `{:name ...}`.
    fn attributes(&mut self) -> Res<Vec<Attribute>> {
        let mut attributes = Vec::new();
        loop {
            // `{ :name ... }` is the same.
            if self.is("{") && self.ahead_is(1, ":") {
                self.bump();
                self.bump();
            } else if !self.accept("{:") {
                return Ok(attributes);
            }
            attributes.push(self.attribute()?);
        }
    }

    /// After the opening bracket.
    fn attribute(&mut self) -> Res<Attribute> {
        if !matches!(self.token().kind, Kind::Ident | Kind::Key(_)) {
            return self.unexpected("the name of an attribute");
        }
        let name = self.slice(self.span()).into();
        self.bump();
        let mut text = None;
        let mut open = 0;
        // What the values are does not matter, only where they end; the lexer paired the brackets.
        while open > 0 || !self.is("}") {
            match self.token().kind {
                Kind::Punct("{" | "{:") => open += 1,
                Kind::Punct("}") => open -= 1,
                Kind::Str if text.is_none() => {
                    let span = self.span();
                    text = Some(self.text[span.start as usize + 1..span.end as usize - 1].to_string());
                }
                Kind::End => return self.unexpected("`}`"),
                _ => {}
            }
            self.bump();
        }
        self.bump();
        Ok(Attribute { name, text })
    }

    fn skip_past_semicolon(&mut self) -> Res<()> {
        while !self.is(";") {
            if self.token().kind == Kind::End || self.is("{") || self.is("}") {
                return self.unexpected("`;`");
            }
            self.bump();
        }
        self.bump();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
