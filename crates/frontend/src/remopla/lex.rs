//! Text to tokens.
//!
//! Refuses what no token can be made of, and brackets (`if` ... `fi` and `do` ... `od` among them) that do not pair or nest beyond all
//! reason, with the exact place, so that everything after may recurse over them without looking at its depth.

use crate::Res;
use crate::tokens::{self, check_brackets};
use craig_base::{Budget, Diagnostic, Pace, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ident,
    /// A reserved word.
    Key(&'static str),
    Punct(&'static str),
    Int(u64),
    Str,
    End,
}

pub type Token = tokens::Token<Kind>;

impl tokens::Kind for Kind {
    const IDENT: Kind = Kind::Ident;
    const END: Kind = Kind::End;

    fn fixed(&self) -> Option<&'static str> {
        match self {
            Kind::Key(text) | Kind::Punct(text) => Some(text),
            _ => None,
        }
    }
}

/// Reserved words. `A` and `E` are told by what follows them: a name makes them quantifiers.
const KEYWORDS: [&str; 26] = [
    "bool",
    "break",
    "define",
    "do",
    "else",
    "enum",
    "false",
    "fi",
    "fork",
    "goto",
    "if",
    "init",
    "int",
    "mod",
    "module",
    "od",
    "return",
    "shared",
    "signed",
    "skip",
    "struct",
    "true",
    "undef",
    "unsigned",
    "void",
    "DEFAULT_SIGNED_INT_BITS",
];

/// Longest first, so that the first match is the right one.
const PUNCTUATION: [&str; 36] = [
    "-->", "<=>", "::", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "^^", "''", "<", ">", "+", "-",
    "*", "/", "!", "(", ")", "[", "]", "{", "}", ",", ";", ":", "|", "=", "&", "^", ".", "'",
];

const BRACKETS: [(&str, &str); 5] = [("(", ")"), ("[", "]"), ("{", "}"), ("if", "fi"), ("do", "od")];

/// All tokens; the last is [`Kind::End`].
pub fn lex(text: &str, budget: &Budget) -> Res<Vec<Token>> {
    let mut pace = Pace::new(budget);
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        pace.step()?;
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.next()?;
        tokens.push(Token { kind, span: Span::new(start, lexer.at) });
        if kind == Kind::End {
            break;
        }
    }
    check_brackets(&tokens, &BRACKETS)?;
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$')
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// White space and comments, which run to the end of their line.
    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c), _) => self.at += 1,
                (Some(b'#' | b'%'), _) | (Some(b'/'), Some(b'/')) => {
                    self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
                }
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Result<Kind, Diagnostic> {
        match self.peek(0) {
            None => Ok(Kind::End),
            Some(b'0'..=b'9') => self.number(),
            Some(c) if is_name(c) => Ok(self.name()),
            Some(b'"') => self.string(),
            Some(_) => self.punctuation(),
        }
    }

    fn word(&mut self) -> &str {
        let start = self.at;
        while self.peek(0).is_some_and(is_name) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn name(&mut self) -> Kind {
        let word = self.word();
        KEYWORDS.iter().find(|k| **k == word).map_or(Kind::Ident, |k| Kind::Key(k))
    }

    fn number(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        let word = self.word().to_string();
        let fault = |what: &str| Err(Diagnostic::error(what).at(Span::new(start, start + word.len())));
        if !word.bytes().all(|c| c.is_ascii_digit()) {
            return fault("a name may not begin with a digit");
        }
        match word.parse() {
            Ok(value) => Ok(Kind::Int(value)),
            Err(_) => fault("a number of more than 64 bits"),
        }
    }

    fn string(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        let rest = &self.text[start + 1..];
        match rest.find(['"', '\n']) {
            Some(end) if rest.as_bytes()[end] == b'"' => {
                self.at = start + 1 + end + 1;
                Ok(Kind::Str)
            }
            _ => Err(Diagnostic::error("unterminated string")
                .at(Span::new(start, start + 1))
                .label("it starts here")),
        }
    }

    fn punctuation(&mut self) -> Result<Kind, Diagnostic> {
        let rest = &self.text[self.at..];
        if let Some(p) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            self.at += p.len();
            return Ok(Kind::Punct(p));
        }
        let c = rest.chars().next().unwrap_or('\0');
        Err(Diagnostic::error(format!("`{}` cannot stand in a Remopla program", c.escape_debug()))
            .at(Span::new(self.at, self.at + c.len_utf8())))
    }
}
