//! Before the parser: what the C text is made of, and what has to be rewritten.
//!
//! The parser (`lang-c`) reads GNU C11 with a few holes. This module cuts the text into tokens, refuses what no parser should be
//! given (unterminated comments and literals, bytes that are not C, nesting beyond all reason) with the exact
//! place, and rewrites the constructs that the parser does not know into ones that it does. An [`Offsets`] map leads
//! every position of the rewritten text back to the original, so spans stay true.
//!
//! Rewritten: comments and directives go, `#pragma pack` noted; `\u00e4` and other escapes in literals; `__thread` and attributes without meaning for us go; `$` in identifiers; `__int128`;
//! `a ?: b`; `&&label`, `goto *p`, `asm goto` (become calls that are unsupported operations); `__label__`; stray semicolons; labels at the end of a
//! block or before a declaration; implicit `int` at file scope; attributes of a struct become marker members of it.

use craig_base::{Diagnostic, Span};

/// Names that the rewriting introduces and the translation knows.
pub(super) mod marker {
    pub const ELVIS: &str = "__craig_elvis";
    pub const LABEL_ADDRESS: &str = "__craig_label_address";
    pub const COMPUTED_GOTO: &str = "__craig_computed_goto";
    pub const ASM_GOTO: &str = "__craig_asm_goto";
    pub const PACKED: &str = "__craig_packed";
    pub const ALIGNED: &str = "__craig_aligned";
    pub const PACK: &str = "__craig_pack";
}

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 1000;
/// Most operator tokens between two of `; { } ,`, and longest chain of `else if`: both become depth of recursion.
const MAX_CHAIN: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    /// String or character literal.
    Literal,
    Punct,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// Leads positions of the rewritten text back to the original.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    /// (start in the rewritten text, start in the original), ascending.
    pieces: Vec<(usize, usize)>,
}

impl Offsets {
    pub fn original(&self, offset: usize) -> usize {
        let i = self.pieces.partition_point(|p| p.0 <= offset).saturating_sub(1);
        let Some(&(new, old)) = self.pieces.get(i) else { return offset };
        let limit = self.pieces.get(i + 1).map_or(usize::MAX, |p| p.1);
        (old + (offset - new)).min(limit)
    }

    pub fn span(&self, span: lang_c::span::Span) -> Span {
        if span.is_none() {
            return Span::default();
        }
        Span::new(self.original(span.start), self.original(span.end))
    }
}

/// The text for the parser.
pub(super) fn scan(text: &str) -> Result<(String, Offsets), Diagnostic> {
    let mut packing = Packing::default();
    let tokens = tokenize(text, &mut packing)?;
    check_nesting(text, &tokens)?;
    let edits = Rewriter { text, tokens: &tokens, packing: &packing, edits: Vec::new() }.run();
    Ok(apply(text, &tokens, edits))
}

fn tokenize(text: &str, packing: &mut Packing) -> Result<Vec<Token>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 5);
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
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
                        .label("it starts here"));
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
                    return Err(
                        Diagnostic::error("an octal constant has no digit 8 or 9").at(Span::new(start, at))
                    );
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
                    .help("is this a C source file?"));
            }
        }
        line_start = false;
    }
    Ok(tokens)
}

/// `#pragma pack`: the largest alignment of members.
#[derive(Default)]
struct Packing {
    /// (position, alignment from there on), ascending; 0 is no limit.
    changes: Vec<(usize, u64)>,
    saved: Vec<u64>,
}

impl Packing {
    fn at(&self, position: usize) -> u64 {
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

fn end_of_literal(bytes: &[u8], start: usize, quote: u8) -> Result<usize, Diagnostic> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(&c) if c == quote => return Ok(at + 1),
            Some(b'\\') => at += 2,
            Some(b'\n') | None => {
                let what = if quote == b'"' { "string literal" } else { "character constant" };
                return Err(Diagnostic::error(format!("unterminated {what}"))
                    .at(Span::new(start, start + 1))
                    .label("it starts here"));
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

fn check_nesting(text: &str, tokens: &[Token]) -> Result<(), Diagnostic> {
    let mut open: Vec<Token> = Vec::new();
    let mut operators = 0;
    // Length of the running chain of `else if` at each depth.
    let mut chains: Vec<usize> = vec![0];
    for (i, token) in tokens.iter().enumerate() {
        let word = &text[token.start..token.end];
        let too_deep = |what: String| Err(Diagnostic::error(what).at(Span::new(token.start, token.end)));
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
            .label("never closed before the end of the file")),
        None => Ok(()),
    }
}

/// Replace `start..end` of the original.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

struct Rewriter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    packing: &'a Packing,
    edits: Vec<Edit>,
}

/// What an open `{` belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// A struct or union; the token that opened it.
    Record(usize),
    FunctionBody,
    Other,
}

const ATTRIBUTE: [&str; 2] = ["__attribute__", "__attribute"];
const TYPE_WORDS: [&str; 24] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "struct",
    "union",
    "enum",
    "const",
    "volatile",
    "static",
    "register",
    "extern",
    "typedef",
    "auto",
    "__typeof__",
    "typeof",
    "__signed__",
    "__const",
];
const STORAGE_WORDS: [&str; 8] =
    ["static", "extern", "register", "auto", "const", "volatile", "inline", "__inline"];

impl<'a> Rewriter<'a> {
    fn word(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| &self.text[t.start..t.end])
    }

    fn is_word(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word)
    }

    fn replace(&mut self, from: usize, to: usize, text: impl Into<String>) {
        self.edits.push(Edit { start: self.tokens[from].start, end: self.tokens[to].end, text: text.into() });
    }

    fn insert_after(&mut self, i: usize, text: impl Into<String>) {
        let at = self.tokens[i].end;
        self.edits.push(Edit { start: at, end: at, text: text.into() });
    }

    fn insert_before(&mut self, i: usize, text: impl Into<String>) {
        let at = self.tokens[i].start;
        self.edits.push(Edit { start: at, end: at, text: text.into() });
    }

    /// Index of the bracket that closes the one at `i`. Brackets are known to match.
    fn closing(&self, i: usize) -> usize {
        let mut depth = 0;
        for j in i..self.tokens.len() {
            match self.word(j) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return j;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len() - 1
    }

    /// After the attributes that start at `i`, if any do; their text is given to `each`.
    fn skip_attributes(&self, mut i: usize, mut each: impl FnMut(usize, usize)) -> usize {
        while ATTRIBUTE.contains(&self.word(i)) && self.word(i + 1) == "(" {
            let end = self.closing(i + 1);
            each(i, end);
            i = end + 1;
        }
        i
    }

    fn run(mut self) -> Vec<Edit> {
        let mut braces: Vec<Brace> = Vec::new();
        let mut at_file_scope_start = true;
        // Behind the `=` of a declaration at file scope, where `(type){` is a literal.
        let mut in_initialiser = false;
        // Last token that is not part of an attribute.
        let mut previous = usize::MAX;
        let mut i = 0;
        while i < self.tokens.len() {
            let word = self.word(i);
            if ATTRIBUTE.contains(&word) && self.word(i + 1) == "(" {
                let end = self.closing(i + 1);
                if self.attribute_matters(i, end) {
                    self.rename(i, end);
                } else {
                    self.replace(i, end, " ");
                }
                i = end + 1;
                continue;
            }
            if braces.is_empty() && at_file_scope_start {
                if word == ";" {
                    self.replace(i, i, " ");
                    i += 1;
                    continue;
                }
                self.implicit_int(i);
            }
            in_initialiser &= !at_file_scope_start;
            in_initialiser |= braces.is_empty() && word == "=";
            at_file_scope_start = false;
            let mut next = i + 1;
            match word {
                "{" => {
                    let before = if previous == usize::MAX { "" } else { self.word(previous) };
                    let kind = match braces.last() {
                        None if matches!(before, ")" | ";") && !in_initialiser => Brace::FunctionBody,
                        _ => Brace::Other,
                    };
                    braces.push(kind);
                }
                "}" => match braces.pop() {
                    Some(Brace::Record(open)) => {
                        let mut markers = String::new();
                        let (mut first, mut last) = (None, i);
                        next = self.skip_attributes(i + 1, |from, to| {
                            first.get_or_insert(from);
                            last = to;
                        });
                        if let Some(first) = first {
                            self.record_attributes(first, last, &mut markers);
                            self.replace(first, last, " ");
                        }
                        match self.packing.at(self.tokens[i].start) {
                            0 => {}
                            n => markers.push_str(&format!(" char {}[{n}];", marker::PACK)),
                        }
                        if !markers.is_empty() {
                            self.insert_after(open, markers);
                        }
                    }
                    Some(Brace::FunctionBody) => at_file_scope_start = true,
                    _ => {}
                },
                ";" if braces.is_empty() => at_file_scope_start = true,
                "_Alignas" if matches!(braces.last(), Some(Brace::Record(_))) && self.word(i + 1) == "(" => {
                    self.alignas(i);
                    next = i + 2;
                }
                "struct" | "union" => next = self.record(i, &mut braces),
                "?" if self.word(i + 1) == ":" => self.insert_after(i, format!(" {} ", marker::ELVIS)),
                ":" if self.word(i + 1) == "}" || TYPE_WORDS.contains(&self.word(i + 1)) => {
                    // A label; not inside `_Generic(...)`, where a type may follow no colon anyway.
                    self.insert_after(i, ";");
                }
                "&&" if self.is_word(i + 1) && self.operand_expected(previous) => {
                    self.replace(i, i + 1, format!("{}(\"{}\")", marker::LABEL_ADDRESS, self.word(i + 1)));
                    next = i + 2;
                }
                "goto" if self.word(i + 1) == "*" => {
                    self.replace(i, i + 1, format!("{}(", marker::COMPUTED_GOTO));
                    let end = (i..self.tokens.len()).find(|&j| self.word(j) == ";").unwrap_or(i);
                    self.insert_before(end, ")");
                    next = i + 2;
                }
                "asm" | "__asm__" | "__asm" => {
                    let goto = (i + 1..=i + 3).find(|&j| self.word(j) == "goto");
                    if let Some(goto) = goto.filter(|&g| self.word(g + 1) == "(") {
                        let end = self.closing(goto + 1);
                        self.replace(i, end, format!("{}()", marker::ASM_GOTO));
                        next = end + 1;
                    }
                }
                "__label__" => {
                    let end = (i..self.tokens.len()).find(|&j| self.word(j) == ";").unwrap_or(i);
                    self.replace(i, end, " ");
                    next = end + 1;
                }
                // `for (;;)` has two; more in a row are empty statements.
                ";" if i >= 2 && self.word(i - 1) == ";" && self.word(i - 2) == ";" => {
                    self.replace(i, i, " ")
                }
                "__builtin_types_compatible_p" if self.word(i + 1) == "(" => {
                    let end = self.closing(i + 1);
                    let mut depth = 0;
                    let comma = (i + 2..end).find(|&j| {
                        match self.word(j) {
                            "(" => depth += 1,
                            ")" => depth -= 1,
                            _ => {}
                        }
                        depth == 0 && self.word(j) == ","
                    });
                    if let Some(comma) = comma {
                        self.replace(i, i + 1, "_Generic((");
                        self.replace(comma, comma, "*)0,");
                        self.insert_before(end, "*: 1, default: 0");
                    }
                }
                _ if self.tokens[i].kind == Kind::Literal && word.contains('\\') => self.escapes(i),
                _ => self.rename(i, i),
            }
            previous = next - 1;
            i = next;
        }
        self.edits
    }

    /// `\u00e4` in a literal becomes what it stands for: its bytes, in a wide literal the character. `\e` is `\033`. GCC takes an
    /// escape that does not exist for the character.
    fn escapes(&mut self, i: usize) {
        let touches = |j: usize| j < i && self.tokens[j].end == self.tokens[i].start;
        let prefix =
            i.checked_sub(1).filter(|&j| touches(j) && matches!(self.word(j), "L" | "u" | "U" | "u8"));
        let wide = prefix.is_some_and(|j| self.word(j) != "u8");
        let mut text = prefix.map_or("", |j| self.word(j)).to_string();
        let mut rest = self.word(i);
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            let Some(escape) = rest[at + 1..].chars().next() else { break };
            let digits = match escape {
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let hex = rest.get(at + 2..at + 2 + digits).filter(|_| digits > 0);
            // Characters of ASCII have no such names.
            let named = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
            let mut taken = 1 + escape.len_utf8();
            match (named.filter(|c| !c.is_ascii()), escape) {
                (Some(c), _) => {
                    taken = 2 + digits;
                    if wide {
                        text.push(c);
                    } else {
                        c.to_string().bytes().for_each(|b| text.push_str(&format!("\\{b:03o}")));
                    }
                }
                (None, 'e' | 'E') => text.push_str("\\033"),
                (None, c) if c.is_alphanumeric() && !"ntrabfvxuU01234567".contains(c) => text.push(c),
                _ => text.push_str(&rest[at..at + taken]),
            }
            rest = &rest[at + taken..];
        }
        text.push_str(rest);
        self.replace(prefix.unwrap_or(i), i, text);
    }

    /// Words that the parser has no or another word for.
    fn rename(&mut self, from: usize, to: usize) {
        for i in from..=to {
            let word = self.word(i);
            let new = match word {
                "__thread" | "__extension__" => " ".into(),
                "__float128" => "_Float128".into(),
                "__int128" | "__int128_t" => "long long long".into(),
                "__uint128_t" => "unsigned long long long".into(),
                _ if word.contains('$') => word.replace('$', "_DOLLAR_"),
                _ => continue,
            };
            self.replace(i, i, new);
        }
    }

    /// May an operand follow the token at `i`, so that `&&` after it is an operator in front?
    fn operand_expected(&self, i: usize) -> bool {
        if i == usize::MAX {
            return true;
        }
        match self.tokens[i].kind {
            Kind::Word => self.word(i) == "return",
            Kind::Punct => !matches!(self.word(i), ")" | "]" | "}" | "++" | "--"),
            _ => false,
        }
    }

    fn attribute_matters(&self, from: usize, to: usize) -> bool {
        (from..to).any(|j| {
            matches!(
                self.word(j).trim_matches('_'),
                "noreturn" | "mode" | "aligned" | "packed" | "vector_size" | "transparent_union"
            )
        })
    }

    /// `struct attributes name attributes {`: notes the attributes as members of the record, which the parser would lose.
    fn record(&mut self, i: usize, braces: &mut Vec<Brace>) -> usize {
        let mut markers = String::new();
        let mut spans = Vec::new();
        let mut j = self.skip_attributes(i + 1, |a, b| spans.push((a, b)));
        if self.is_word(j) && !TYPE_WORDS.contains(&self.word(j)) {
            j += 1;
        }
        j = self.skip_attributes(j, |a, b| spans.push((a, b)));
        let is_body = self.word(j) == "{";
        for (a, b) in spans {
            if is_body {
                self.record_attributes(a, b, &mut markers);
                self.replace(a, b, " ");
            }
        }
        if !is_body {
            return i + 1;
        }
        braces.push(Brace::Record(j));
        if !markers.is_empty() {
            self.insert_after(j, markers);
        }
        // An empty record is GNU C but not for the parser.
        if self.word(j + 1) == "}" {
            self.insert_after(j, "int :0;");
        }
        self.rename(i + 1, j - 1);
        j + 1
    }

    /// `_Alignas(x)` in front of a member is an attribute for the parser. `x` is a type if it begins like one or is a single name.
    fn alignas(&mut self, i: usize) {
        let end = self.closing(i + 1);
        let is_type = TYPE_WORDS.contains(&self.word(i + 2)) || self.is_word(i + 2) && i + 3 == end;
        let (open, close) = if is_type { ("_Alignof(", ")))") } else { ("", "))") };
        self.replace(i, i + 1, format!("__attribute__((aligned({open}"));
        self.insert_before(end, close);
    }

    fn record_attributes(&self, from: usize, to: usize, markers: &mut String) {
        for j in from..=to {
            match self.word(j).trim_matches('_') {
                "packed" => markers.push_str(&format!(" char {};", marker::PACKED)),
                "aligned" if self.word(j + 1) == "(" => {
                    let end = self.closing(j + 1);
                    let value = &self.text[self.tokens[j + 2].start..self.tokens[end].start];
                    markers.push_str(&format!(" char {}[{value}];", marker::ALIGNED));
                }
                "aligned" => markers.push_str(&format!(" char {}[16];", marker::ALIGNED)),
                _ => {}
            }
        }
    }

    /// `main() {`, `static x;`: an `int` goes in front of the name.
    fn implicit_int(&mut self, start: usize) {
        let mut i = start;
        loop {
            let after = self.skip_attributes(i, |_, _| {});
            if after == i && !STORAGE_WORDS.contains(&self.word(i)) {
                break;
            }
            i = after.max(i + usize::from(after == i));
        }
        if !self.is_word(i) || TYPE_WORDS.contains(&self.word(i)) {
            return;
        }
        let implicit = match self.word(i + 1) {
            "(" if self.word(i + 2) != "*" => {
                let end = self.skip_attributes(self.closing(i + 1) + 1, |_, _| {});
                // A definition, or a declaration that no type name could start.
                let definition =
                    self.word(end) == "{" || self.is_word(end) && !ATTRIBUTE.contains(&self.word(end));
                let known =
                    matches!(self.word(i), "asm" | "__asm__" | "_Static_assert" | "__typeof__" | "typeof");
                !known
                    && (definition
                        || matches!(self.word(end), ";" | ",") && !self.word(i + 2).is_empty() && i == start)
            }
            ";" | "=" | "," => i > start,
            _ => false,
        };
        if implicit {
            self.insert_before(i, "int ");
        }
    }
}

/// The text with comments and directives blanked and the edits made.
fn apply(text: &str, tokens: &[Token], mut edits: Vec<Edit>) -> (String, Offsets) {
    edits.sort_by_key(|e| (e.start, e.end));
    let mut out = String::with_capacity(text.len() + 1024);
    let mut offsets = Offsets::default();
    let mut edits = edits.into_iter().peekable();
    let mut done = 0;
    for token in tokens {
        while let Some(edit) = edits.next_if(|e| e.start <= token.start && e.end <= token.start) {
            out.push(' ');
            offsets.pieces.push((out.len(), edit.start));
            out.push_str(&edit.text);
        }
        if let Some(edit) = edits.next_if(|e| e.start == token.start && e.end > e.start) {
            out.push(' ');
            offsets.pieces.push((out.len(), edit.start));
            out.push_str(&edit.text);
            done = edit.end;
            continue;
        }
        if token.start < done {
            continue;
        }
        // What stands together stays together: the parser wants `((` of an attribute so.
        if token.start != done {
            out.push(' ');
        }
        offsets.pieces.push((out.len(), token.start));
        out.push_str(&text[token.start..token.end]);
        done = token.end;
    }
    for edit in edits {
        offsets.pieces.push((out.len(), edit.start));
        out.push_str(&edit.text);
    }
    offsets.pieces.push((out.len(), text.len()));
    (out, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        scan(text).unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn refused(text: &str) -> String {
        scan(text).unwrap_err().message
    }

    #[test]
    fn comments_and_directives_go() {
        assert_eq!(
            rewritten(
                "int x; // c\n# 1 \"a\"\n/* \n */ int y; #pragma z\n".replace("#pragma z", "").as_str()
            ),
            "int x; int y;"
        );
        assert_eq!(rewritten("char *s = \"/* no */\";"), "char *s = \"/* no */\";");
    }

    #[test]
    fn holes_of_the_parser_are_filled() {
        assert_eq!(rewritten("int f() { return a ?: b; };"), "int f() { return a ? __craig_elvis : b; }");
        assert_eq!(rewritten("main() { l: }"), "int main() { l: ; }");
        assert_eq!(rewritten("int *p = (int[]){1}; f() {}"), "int *p = (int[]){1}; int f() {}");
        assert_eq!(rewritten("f(a, b) char b; {}"), "int f(a, b) char b; {}");
        assert_eq!(rewritten("foo_t (*fp)(int);"), "foo_t (*fp)(int);");
        let declaration = "extern __attribute__((noreturn)) void f(int);";
        assert_eq!(scan(declaration).unwrap().0.trim(), declaration);
        assert_eq!(rewritten("static x; static T y;"), "static int x; static T y;");
        assert_eq!(
            rewritten("int f() { p = &&l; goto *p; }"),
            "int f() { p = __craig_label_address(\"l\"); __craig_computed_goto(p ); }"
        );
        assert_eq!(rewritten("int f() { return a && b; }"), "int f() { return a && b; }");
        assert_eq!(
            rewritten("struct s { int x; } __attribute__((packed)) y;"),
            "struct s { char __craig_packed; int x; } y;"
        );
        assert_eq!(
            rewritten("struct __attribute__((aligned(8))) s { int x; };"),
            "struct s { char __craig_aligned[8]; int x; };"
        );
        assert_eq!(
            rewritten("#pragma pack(push, 2)\nstruct s { int x; };\n#pragma pack(pop)\nstruct t { int x; };"),
            "struct s { char __craig_pack[2]; int x; }; struct t { int x; };"
        );
        assert_eq!(rewritten("int x __attribute__((unused));"), "int x ;");
        assert_eq!(rewritten("unsigned __int128 a$b;"), "unsigned long long long a_DOLLAR_b;");
        assert_eq!(
            rewritten("__builtin_types_compatible_p(int, long)"),
            "_Generic((int *)0, long *: 1, default: 0)"
        );
    }

    #[test]
    fn escapes_that_the_parser_does_not_know() {
        assert_eq!(rewritten(r#"char *s = "\\u\u00e4x\n";"#), r#"char *s = "\\u\303\244x\n";"#);
        assert_eq!(rewritten(r"int c = L'\U000000e4';"), "int c = L'\u{e4}';");
        assert_eq!(rewritten(r"int c = '\e';"), r"int c = '\033';");
        assert_eq!(rewritten(r"int c = '\q' + '\'' + '\n';"), r"int c = 'q' + '\'' + '\n';");
        assert_eq!(rewritten(r#"char *s = "\u12";"#), r#"char *s = "\u12";"#);
    }

    #[test]
    fn positions_lead_back() {
        let text = "/* c */ int a = x ?: yy;";
        let (out, offsets) = scan(text).unwrap();
        for word in ["int", "x", "yy"] {
            let new = out.rfind(word).unwrap();
            assert_eq!(offsets.original(new), text.rfind(word).unwrap(), "{word}");
        }
    }

    #[test]
    fn bad_texts_are_refused_with_a_reason() {
        assert_eq!(refused("int x; /* "), "unterminated comment");
        assert_eq!(refused("char *s = \"abc\n\";"), "unterminated string literal");
        assert_eq!(refused("char c = 'a"), "unterminated character constant");
        assert_eq!(refused("int x = \u{1};"), "byte 0x01 cannot stand in C text");
        assert_eq!(refused("int x = 079ul;"), "an octal constant has no digit 8 or 9");
        assert_eq!(refused("int f() { return (1; }"), "expected `)`, found `}`");
        assert_eq!(refused("int f() {"), "unclosed `{`");
        assert_eq!(refused("}"), "`}` closes nothing");
        assert_eq!(refused(&"(".repeat(2000)), "brackets nested more than 1000 deep");
        assert_eq!(
            refused(&format!("int x = 1{};", "+1".repeat(30_000))),
            "more than 20000 operators in one expression"
        );
        let chain = format!("int f() {{ if (1) ; {} }}", "else if (1) ;".repeat(30_000));
        assert_eq!(refused(&chain), "more than 20000 `else` in one chain");
    }
}
