//! Text to tokens.
//!
//! Refuses what no token can be made of (bytes that are not Boogie, unterminated comments and strings, brackets that do not pair or
//! nest beyond all reason) with the exact place, so that the parser may recurse over brackets without looking at its depth.

use crate::Res;
use crate::tokens::{self, check_brackets};
use craig_base::{Budget, Diagnostic, Pace, Span};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

/// Longest number, in digits; also the largest exponent of a real and the most digits that a value may have.
const MAX_DIGITS: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Ident,
    /// A reserved word.
    Key(&'static str),
    Punct(&'static str),
    Int(IBig),
    /// Value and width of `5bv32`. The value is taken modulo the width.
    Bv(UBig, u32),
    Real(RBig),
    /// `0x1.8e3f24e8`: a float, which is not modelled.
    Float,
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

    /// A backslash makes a name of a reserved word.
    fn name(text: &str) -> &str {
        text.strip_prefix('\\').unwrap_or(text)
    }
}

/// Reserved words. Words that only some versions reserve (`finite`, `complete`, `yield`, `par`, ...) are told by context.
const KEYWORDS: [&str; 38] = [
    "assert",
    "assume",
    "axiom",
    "bool",
    "break",
    "call",
    "const",
    "div",
    "else",
    "ensures",
    "exists",
    "extends",
    "false",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "lambda",
    "mod",
    "modifies",
    "old",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
];

/// Longest first, so that the first match is the right one.
const PUNCTUATION: [&str; 39] = [
    "<==>", "==>", "<==", "{:", "::", ":=", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "|{", "}|",
    "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", "{", "}", ",", ";", ":", "|", "=", "@", "&",
    ".",
];

const BRACKETS: [(&str, &str); 5] = [("(", ")"), ("[", "]"), ("{", "}"), ("{:", "}"), ("|{", "}|")];

/// What Boogie may be written with beyond ASCII.
const UNICODE: [(&str, &str); 12] = [
    ("⇔", "<==>"),
    ("⇒", "==>"),
    ("⇐", "<=="),
    ("∧", "&&"),
    ("∨", "||"),
    ("¬", "!"),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("•", "::"),
    ("∀", "forall"),
    ("∃", "exists"),
];

pub fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || b"'~#$^_.?`".contains(&c)
}

fn is_name(c: u8) -> bool {
    c.is_ascii_digit() || is_name_start(c)
}

/// All tokens; the last is [`Kind::End`].
pub fn lex(text: &str, budget: &Budget) -> Res<Vec<Token>> {
    let mut pace = Pace::new(budget);
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        pace.step()?;
        lexer.skip_blanks()?;
        let start = lexer.at;
        let kind = lexer.next()?;
        let end = kind == Kind::End;
        tokens.push(Token { kind, span: Span::new(start, lexer.at) });
        if end {
            break;
        }
    }
    check_brackets(&tokens, &BRACKETS)?;
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// White space and comments; the long ones nest.
    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c), _) => self.at += 1,
                (Some(b'/'), Some(b'/')) => {
                    self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
                }
                (Some(b'/'), Some(b'*')) => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.at += 2;
        let mut open = 1;
        while open > 0 {
            match (self.peek(0), self.peek(1)) {
                (Some(b'*'), Some(b'/')) => {
                    open -= 1;
                    self.at += 2;
                }
                (Some(b'/'), Some(b'*')) => {
                    open += 1;
                    self.at += 2;
                }
                (Some(_), _) => self.at += 1,
                (None, _) => {
                    return Err(Diagnostic::error("unterminated comment")
                        .at(Span::new(start, start + 2))
                        .label("it starts here"));
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Kind, Diagnostic> {
        let Some(c) = self.peek(0) else { return Ok(Kind::End) };
        // A backslash makes a name of a reserved word.
        if is_name_start(c) || c == b'\\' && self.peek(1).is_some_and(is_name_start) {
            return Ok(self.name());
        }
        match c {
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            _ => self.punctuation(),
        }
    }

    fn name(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(is_name) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        KEYWORDS.iter().find(|k| **k == word).map_or(Kind::Ident, |k| Kind::Key(k))
    }

    fn string(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'"') => break,
                Some(b'\\') if self.peek(1).is_some_and(|c| c != b'\n') => self.at += 2,
                Some(b'\n') | None => {
                    return Err(Diagnostic::error("unterminated string")
                        .at(Span::new(start, start + 1))
                        .label("it starts here"));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(Kind::Str)
    }

    fn punctuation(&mut self) -> Result<Kind, Diagnostic> {
        let rest = &self.text[self.at..];
        if let Some(p) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            self.at += p.len();
            return Ok(Kind::Punct(p));
        }
        if let Some((symbol, meaning)) = UNICODE.iter().find(|(s, _)| rest.starts_with(s)) {
            self.at += symbol.len();
            let word = KEYWORDS.iter().find(|k| *k == meaning);
            return Ok(word.map_or(Kind::Punct(meaning), |k| Kind::Key(k)));
        }
        let c = rest.chars().next().unwrap_or('\0');
        Err(Diagnostic::error(format!("`{}` cannot stand in a Boogie program", c.escape_debug()))
            .at(Span::new(self.at, self.at + c.len_utf8())))
    }

    fn digits(&mut self) -> &str {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// `12`, `12bv8`, `1.5`, `15e-1`, `0x1.8e3f24e8`.
    fn number(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        if self.peek(0) == Some(b'0') && self.peek(1) == Some(b'x') {
            self.at += 2;
            while self.peek(0).is_some_and(is_name) {
                self.at += 1;
            }
            return Ok(Kind::Float);
        }
        let whole = self.digits().to_string();
        let fault = |at: usize, what: &str| Err(Diagnostic::error(what).at(Span::new(start, at)));
        if whole.len() > MAX_DIGITS {
            return fault(self.at, "a number of more than 10000 digits");
        }
        if self.text[self.at..].starts_with("bv") && self.peek(2).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 2;
            let width: Option<u32> = self.digits().parse().ok();
            if self.peek(0).is_some_and(is_name) {
                return fault(self.at + 1, "a name may not follow a number directly");
            }
            return match (width, UBig::from_str_radix(&whole, 10)) {
                (Some(width), Ok(value)) => Ok(Kind::Bv(value, width)),
                _ => fault(self.at, "the width of a bit-vector is too large"),
            };
        }
        let mut fraction = String::new();
        let mut real = false;
        if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            fraction = self.digits().to_string();
            real = true;
        }
        let mut exponent = 0i64;
        let sign = usize::from(self.peek(1) == Some(b'-'));
        if self.peek(0) == Some(b'e') && self.peek(1 + sign).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1 + sign;
            exponent = self.digits().parse().unwrap_or(i64::MAX);
            if exponent as usize > MAX_DIGITS {
                return fault(self.at, "the exponent of a real is beyond 10000");
            }
            exponent *= if sign == 1 { -1 } else { 1 };
            real = true;
        }
        if self.peek(0).is_some_and(is_name) {
            return fault(self.at + 1, "a name may not follow a number directly");
        }
        if fraction.len() > MAX_DIGITS {
            return fault(self.at, "a number of more than 10000 digits");
        }
        let Ok(mantissa) = IBig::from_str_radix(&format!("{whole}{fraction}"), 10) else {
            return fault(self.at, "a number that cannot be read");
        };
        if !real {
            return Ok(Kind::Int(mantissa));
        }
        let shift = exponent - fraction.len() as i64;
        let scale = UBig::from(10u8).pow(shift.unsigned_abs() as usize);
        Ok(Kind::Real(if shift < 0 {
            RBig::from_parts(mantissa, scale)
        } else {
            RBig::from(mantissa * IBig::from(scale))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fault;

    fn lex(text: &str) -> Res<Vec<Token>> {
        super::lex(text, &Budget::unlimited())
    }

    fn kinds(text: &str) -> Vec<Kind> {
        let mut tokens = lex(text).unwrap();
        assert_eq!(tokens.pop().map(|t| t.kind), Some(Kind::End));
        tokens.into_iter().map(|t| t.kind).collect()
    }

    fn refused(text: &str) -> (String, usize) {
        let Fault::Wrong(diagnostic) = lex(text).unwrap_err() else { panic!("stopped") };
        (diagnostic.message, diagnostic.span.unwrap().start as usize)
    }

    #[test]
    fn names_have_their_strange_characters() {
        for name in ["x", "~bvadd32", "#t~post1", "$Heap", "a.b'", "^_?", "\\old", "int2", "ULTIMATE.start"] {
            assert_eq!(kinds(name), [Kind::Ident], "{name}");
        }
        assert_eq!(kinds("old"), [Kind::Key("old")]);
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(kinds("007"), [Kind::Int(7.into())]);
        assert_eq!(kinds("255bv8"), [Kind::Bv(255u8.into(), 8)]);
        let real = |n: i32, d: u32| Kind::Real(RBig::from_parts(n.into(), d.into()));
        assert_eq!(kinds("2.50 1e2 25e-1"), [real(5, 2), real(100, 1), real(5, 2)]);
        assert_eq!(kinds("0x1.8e3f24e8"), [Kind::Float]);
        assert_eq!(refused("x := 1a;"), ("a name may not follow a number directly".into(), 5));
        assert_eq!(refused("1e99999999999999999999").0, "the exponent of a real is beyond 10000");
        assert_eq!(refused("1bv99999999999").0, "the width of a bit-vector is too large");
    }

    #[test]
    fn longest_symbols_win() {
        let p = Kind::Punct;
        assert_eq!(kinds("<==> <== <= <: :: := : "), ["<==>", "<==", "<=", "<:", "::", ":=", ":"].map(p));
        assert_eq!(kinds("≤ ⇒ ∀ "), [p("<="), p("==>"), Kind::Key("forall")]);
    }

    #[test]
    fn comments_go_and_nest() {
        assert_eq!(kinds("a // b\n/* c /* d */ e */ f"), [Kind::Ident, Kind::Ident]);
        assert_eq!(refused("a /* b /* c */"), ("unterminated comment".into(), 2));
    }

    #[test]
    fn bad_texts_are_refused_with_a_place() {
        assert_eq!(refused("var é"), ("`é` cannot stand in a Boogie program".into(), 4));
        assert_eq!(refused("{:a \"b\n\"}"), ("unterminated string".into(), 4));
        assert_eq!(refused("(a]"), ("expected `)`, found `]`".into(), 2));
        assert_eq!(refused("a }"), ("`}` closes nothing".into(), 2));
        assert_eq!(refused("f(x"), ("this is never closed by `)`".into(), 1));
        assert_eq!(refused(&"(".repeat(5000)).0, "brackets nested more than 1000 deep");
    }
}
