//! What parsers by recursive descent have in common: tokens, brackets that pair, a place in a row of tokens.
//!
//! A language has its [`Kind`] of tokens; its parser is a [`Cursor`] over them, with methods of its own.

use crate::{Fault, Res};
use craig_base::{Budget, Diagnostic, Pace, Span};
use craig_cfa::Name;

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 1000;
/// Most operators in one expression: they become depth of recursion.
const MAX_OPERATORS: usize = 20_000;

/// A kind of token.
pub trait Kind: PartialEq {
    const IDENT: Self;
    const END: Self;

    /// What is always written in the same way: a reserved word, or punctuation.
    fn fixed(&self) -> Option<&'static str>;

    /// The name that an identifier is written for.
    fn name(text: &str) -> &str {
        text
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Token<K> {
    pub kind: K,
    pub span: Span,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// Refuses brackets that do not pair, or nest beyond all reason, so that everything after may recurse over them without looking at its depth.
/// `pairs`: what opens, and what closes it.
pub fn check_brackets<K: Kind>(
    tokens: &[Token<K>],
    pairs: &[(&'static str, &'static str)],
) -> Result<(), Diagnostic> {
    let mut open: Vec<(Span, &str, &str)> = Vec::new();
    for Token { kind, span } in tokens {
        let Some(text) = kind.fixed() else { continue };
        if let Some((from, close)) = pairs.iter().find(|(from, _)| *from == text) {
            if open.len() == MAX_NESTING {
                let words = pairs.iter().filter(|(from, _)| from.starts_with(char::is_alphabetic));
                let words: Vec<String> = words.map(|(from, to)| format!("`{from}` ... `{to}`")).collect();
                let deep =
                    Diagnostic::error(format!("brackets nested more than {MAX_NESTING} deep")).at(*span);
                return Err(match words.is_empty() {
                    true => deep,
                    false => deep.help(format!("{} count as brackets", words.join(" and "))),
                });
            }
            open.push((*span, from, close));
        } else if pairs.iter().any(|(_, close)| *close == text) {
            match open.pop() {
                Some((_, _, expected)) if expected == text => {}
                Some((_, from, expected)) => {
                    return Err(Diagnostic::error(format!("expected `{expected}`, found `{text}`"))
                        .at(*span)
                        .label(format!("an open `{from}` must be closed first")));
                }
                None => return Err(Diagnostic::error(format!("`{text}` closes nothing")).at(*span)),
            }
        }
    }
    match open.last() {
        Some((span, _, expected)) => Err(Diagnostic::error(format!("this is never closed by `{expected}`"))
            .at(*span)
            .label("it starts here")),
        None => Ok(()),
    }
}

/// A place in the tokens of a text.
pub struct Cursor<'a, K> {
    text: &'a str,
    /// The last one is the end.
    tokens: Vec<Token<K>>,
    /// The number of the next token.
    pub at: usize,
    /// Operators of the current expression.
    operators: usize,
    pub pace: Pace<'a>,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// Before the first of the tokens, of which the last is the end.
    pub fn new(text: &'a str, tokens: Vec<Token<K>>, budget: &'a Budget) -> Self {
        Cursor { text, tokens, at: 0, operators: 0, pace: Pace::new(budget) }
    }

    pub fn token(&self) -> &Token<K> {
        self.ahead(0)
    }

    pub fn ahead(&self, n: usize) -> &Token<K> {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    /// From a start to the end of the last token that was read.
    pub fn since(&self, start: Span) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Span { start: start.start, end: end.max(start.end) }
    }

    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub fn is(&self, what: &str) -> bool {
        self.ahead_is(0, what)
    }

    pub fn ahead_is(&self, n: usize, what: &str) -> bool {
        self.ahead(n).kind.fixed() == Some(what)
    }

    pub fn accept(&mut self, what: &str) -> bool {
        let found = self.is(what);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect(&mut self, what: &str) -> Res<()> {
        if self.accept(what) { Ok(()) } else { self.unexpected(&format!("`{what}`")) }
    }

    pub fn unexpected<T>(&self, expected: &str) -> Res<T> {
        let Token { kind, span } = self.token();
        let found = match *kind == K::END {
            true => "the end of the file".to_string(),
            false => {
                let cut: String = self.slice(*span).chars().take(40).collect();
                format!("`{}`", cut.escape_debug())
            }
        };
        Err(Diagnostic::error(format!("expected {expected}, found {found}")).at(*span).into())
    }

    pub fn ident(&mut self, what: &str) -> Res<Ident> {
        if self.token().kind != K::IDENT {
            return self.unexpected(what);
        }
        let span = self.span();
        let name = K::name(self.slice(span)).into();
        self.bump();
        Ok(Ident { name, span })
    }

    /// One or more, separated by commas.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Also none, up to a closing bracket, which is read.
    pub fn list_until<T>(&mut self, close: &str, item: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let items = if self.is(close) { Vec::new() } else { self.list(item)? };
        self.expect(close)?;
        Ok(items)
    }

    /// What is no part of an expression around it: its operators are counted by themselves.
    pub fn whole<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.operators, 0);
        let read = read(self);
        self.operators = outer;
        read
    }

    /// One more operator of the current expression.
    pub fn count(&mut self) -> Res<()> {
        self.operators += 1;
        match self.operators > MAX_OPERATORS {
            true => {
                let message = format!("more than {MAX_OPERATORS} operators in one expression");
                Err(Fault::from(Diagnostic::error(message).at(self.span())))
            }
            false => Ok(()),
        }
    }
}
