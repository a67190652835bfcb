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

use super::ast::{Attribute, Decl};
use super::lex::{Kind, lex};
use crate::Res;
use crate::tokens::Cursor;
use craig_base::{Budget, Span};

/// Reads a whole program.
pub fn parse(text: &str, budget: &Budget) -> Res<Vec<Decl>> {
    Parser::new(text, lex(text, budget)?, budget).program()
}

type Parser<'a> = Cursor<'a, Kind>;

impl Parser<'_> {
    /// A word that is reserved only in places.
    fn is_word(&self, what: &str) -> bool {
        self.token().kind == Kind::Ident && self.slice(self.span()) == what
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
                    let Span { start, end } = self.span();
                    text = Some(self.slice(Span { start: start + 1, end: end - 1 }).to_string());
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
