//! The tokens of a C text.

use crate::Res;
use craig_base::{Diagnostic, Pace, Span};

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 1000;
/// Most operator tokens between two of `; { } ,`, and longest chain of `else if`: both become depth of recursion.
const MAX_CHAIN: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// String or character literal.
    Literal,
    Punct,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

pub(super) fn tokenize(text: &str, packing: &mut Packing, pace: &mut Pace) -> Res<Vec<Token>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 5);
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        pace.step()?;
        let start = at;
        let next = bytes.get(at + 1).copied();
        match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'\\' if matches!(next, Some(b'\n' | b'\r')) => {
                at += 2;
                continue;
            }
            b'#' if line_start => {
                at = end_of_directive(bytes, at);
                packing.directive(&text[start..at], at);
                continue;
            }
            b'/' if next == Some(b'/') => {
                at = end_of_directive(bytes, at);
                continue;
            }
            b'/' if next == Some(b'*') => {
                let Some(len) = text[at + 2..].find("*/") else {
                    return Err(Diagnostic::error("unterminated comment")
                        .at(Span::new(at, at + 2))
                        .label("it starts here")
                        .into());
                };
                at += len + 4;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at = end_of_literal(bytes, at, quote)?;
                tokens.push(Token { kind: Kind::Literal, start, end: at });
            }
            c if c.is_ascii_digit() || c == b'.' && next.is_some_and(|n| n.is_ascii_digit()) => {
                at += 1;
                while let Some(&c) = bytes.get(at) {
                    let exponent =
                        matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P') && matches!(c, b'+' | b'-');
                    // `0xe+1` is one (wrong) number for C as well.
                    if !(is_word(c) || c == b'.' || exponent) {
                        break;
                    }
                    at += 1;
                }
                let digits = text[start..at].trim_end_matches(['u', 'U', 'l', 'L']);
                if digits.starts_with('0')
                    && digits.bytes().all(|b| b.is_ascii_digit())
                    && digits.contains(['8', '9'])
                {
                    return Err(Diagnostic::error("an octal constant has no digit 8 or 9")
                        .at(Span::new(start, at))
                        .into());
                }
                tokens.push(Token { kind: Kind::Number, start, end: at });
            }
            c if is_word(c) => {
                while bytes.get(at).copied().is_some_and(is_word) {
                    at += 1;
                }
                tokens.push(Token { kind: Kind::Word, start, end: at });
            }
            c if c.is_ascii_graphic() && c != b'@' && c != b'`' => {
                at += punctuator_len(&bytes[at..]);
                tokens.push(Token { kind: Kind::Punct, start, end: at });
            }
            c => {
                return Err(Diagnostic::error(format!("byte 0x{c:02x} cannot stand in C text"))
                    .at(Span::new(at, at + 1))
                    .help("is this a C source file?")
                    .into());
            }
        }
        line_start = false;
    }
    Ok(tokens)
}

/// `#pragma pack`: the largest alignment of members.
#[derive(Default)]
pub(super) struct Packing {
    /// (position, alignment from there on), ascending; 0 is no limit.
    changes: Vec<(usize, u64)>,
    saved: Vec<u64>,
}

impl Packing {
    pub fn at(&self, position: usize) -> u64 {
        let i = self.changes.partition_point(|c| c.0 <= position);
        i.checked_sub(1).map_or(0, |i| self.changes[i].1)
    }

    /// Reads a directive that ends at `end`.
    fn directive(&mut self, text: &str, end: usize) {
        let mut words =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty());
        if words.next() != Some("pragma") || words.next() != Some("pack") {
            return;
        }
        let current = self.at(end);
        let (mut new, mut plain) = (0, true);
        for word in words {
            match word {
                "push" => {
                    self.saved.push(current);
                    new = current;
                }
                "pop" => new = self.saved.pop().unwrap_or(0),
                // A name for the saved value, or the value.
                _ => match word.parse() {
                    Ok(n @ (1 | 2 | 4 | 8 | 16)) => new = n,
                    _ => plain = plain && word.parse::<u64>().is_err(),
                },
            }
        }
        // GCC ignores a value that is no alignment.
        if plain {
            self.changes.push((end, new));
        }
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80
}

/// The end of the line, spliced lines included.
fn end_of_directive(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

fn end_of_literal(bytes: &[u8], start: usize, quote: u8) -> Res<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(&c) if c == quote => return Ok(at + 1),
            Some(b'\\') => at += 2,
            Some(b'\n') | None => {
                let what = if quote == b'"' { "string literal" } else { "character constant" };
                return Err(Diagnostic::error(format!("unterminated {what}"))
                    .at(Span::new(start, start + 1))
                    .label("it starts here")
                    .into());
            }
            Some(_) => at += 1,
        }
    }
}

fn punctuator_len(rest: &[u8]) -> usize {
    const LONG: [&[u8]; 23] = [
        b"...", b"<<=", b">>=", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||",
        b"*=", b"/=", b"%=", b"+=", b"-=", b"&=", b"^=", b"|=", b"##",
    ];
    LONG.iter().find(|p| rest.starts_with(p)).map_or(1, |p| p.len())
}

pub(super) fn check_nesting(text: &str, tokens: &[Token], pace: &mut Pace) -> Res<()> {
    let mut open: Vec<Token> = Vec::new();
    let mut operators = 0;
    // Length of the running chain of `else if` at each depth.
    let mut chains: Vec<usize> = vec![0];
    for (i, token) in tokens.iter().enumerate() {
        pace.step()?;
        let word = &text[token.start..token.end];
        let too_deep =
            |what: String| Err(Diagnostic::error(what).at(Span::new(token.start, token.end)).into());
        operators += usize::from(token.kind == Kind::Punct);
        match word {
            "(" | "[" | "{" => {
                open.push(*token);
                chains.push(0);
                if open.len() > MAX_NESTING {
                    return too_deep(format!("brackets nested more than {MAX_NESTING} deep"));
                }
            }
            ")" | "]" | "}" => {
                let expected = match open.pop().map(|t| &text[t.start..t.end]) {
                    Some("(") => ")",
                    Some("[") => "]",
                    Some(_) => "}",
                    None => return too_deep(format!("`{word}` closes nothing")),
                };
                if expected != word {
                    return too_deep(format!("expected `{expected}`, found `{word}`"));
                }
                chains.pop();
            }
            "else" => {
                let chain = chains.last_mut().expect("one entry per open bracket and one more");
                *chain += 1;
                if *chain > MAX_CHAIN {
                    return too_deep(format!("more than {MAX_CHAIN} `else` in one chain"));
                }
            }
            _ => {}
        }
        if matches!(word, ";" | "{" | "}" | ",") {
            operators = 0;
            if matches!(word, ";" | "}") && tokens.get(i + 1).is_none_or(|t| &text[t.start..t.end] != "else")
            {
                *chains.last_mut().expect("one entry per open bracket and one more") = 0;
            }
        } else if operators > MAX_CHAIN {
            return too_deep(format!("more than {MAX_CHAIN} operators in one expression"));
        }
    }
    match open.last() {
        Some(t) => Err(Diagnostic::error(format!("unclosed `{}`", &text[t.start..t.end]))
            .at(Span::new(t.start, t.end))
            .label("never closed before the end of the file")
            .into()),
        None => Ok(()),
    }
}
