//! SMT-LIB text as nested lists, with places.

use super::{MAX_DEPTH, ReadError};

pub struct Fault {
    pub at: usize,
    pub message: String,
}

impl Fault {
    pub fn new(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into() }
    }

    pub fn locate(self, text: &str) -> ReadError {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        ReadError { line, column, message: self.message }
    }
}

pub enum Expr<'a> {
    /// Offset, text without quotes, whether it was quoted.
    Atom(usize, &'a str, bool),
    List(usize, Vec<Expr<'a>>),
}

impl<'a> Expr<'a> {
    pub fn at(&self) -> usize {
        match self {
            Expr::Atom(at, ..) | Expr::List(at, _) => *at,
        }
    }

    pub fn word(&self) -> Option<&'a str> {
        match self {
            Expr::Atom(_, text, _) => Some(text),
            Expr::List(..) => None,
        }
    }

    pub fn list(&self) -> Option<&[Expr<'a>]> {
        match self {
            Expr::List(_, items) => Some(items),
            Expr::Atom(..) => None,
        }
    }
}

pub struct Lexer<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Lexer<'a> {
    pub fn expression(&mut self, depth: usize) -> Result<Option<Expr<'a>>, Fault> {
        self.skip_space();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match first {
            '(' => {
                if depth >= MAX_DEPTH {
                    return Err(Fault::new(start, "nested too deeply"));
                }
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.skip_space();
                    if self.text[self.at..].starts_with(')') {
                        self.at += 1;
                        return Ok(Some(Expr::List(start, items)));
                    }
                    match self.expression(depth + 1)? {
                        Some(item) => items.push(item),
                        None => return Err(Fault::new(start, "this parenthesis is not closed")),
                    }
                }
            }
            ')' => Err(Fault::new(start, "a closing parenthesis without an opening one")),
            '|' => match rest[1..].find('|') {
                Some(length) => {
                    self.at += length + 2;
                    Ok(Some(Expr::Atom(start, &rest[1..=length], true)))
                }
                None => Err(Fault::new(start, "this quoted symbol does not end")),
            },
            '"' => match rest[1..].find('"') {
                Some(length) => {
                    self.at += length + 2;
                    Ok(Some(Expr::Atom(start, &rest[1..=length], true)))
                }
                None => Err(Fault::new(start, "this string does not end")),
            },
            _ => {
                let stop = |c: char| c.is_whitespace() || "()|\";".contains(c);
                let length = rest.find(stop).unwrap_or(rest.len());
                self.at += length;
                Ok(Some(Expr::Atom(start, &rest[..length], false)))
            }
        }
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}
