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

use super::ast::File;
use super::lex::{Kind, lex};
use crate::tokens::Cursor;
use crate::{Fault, Res};
use craig_base::{Budget, Diagnostic};

/// Reads a whole program.
pub fn parse(text: &str, budget: &Budget) -> Res<File> {
    Parser::new(text, lex(text, budget)?, budget).file()
}

type Parser<'a> = Cursor<'a, Kind>;

impl Parser<'_> {
    fn kind(&self) -> Kind {
        self.token().kind
    }

    /// What Remopla has and we do not.
    fn refused<T>(&self, what: &str, help: &str) -> Res<T> {
        let diagnostic = Diagnostic::error(format!("{what} is not supported")).at(self.span()).help(help);
        Err(Fault::from(diagnostic))
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
}
