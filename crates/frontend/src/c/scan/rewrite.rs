//! What the parser does not know, in words that it does.

use super::marker;
use super::token::{Kind, Packing, Token};
use craig_base::{Pace, Stop};

/// Replace `start..end` of the original.
pub(super) struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

pub(super) struct Rewriter<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    pub packing: &'a Packing,
    pub edits: Vec<Edit>,
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

    pub fn run(mut self, pace: &mut Pace) -> Result<Vec<Edit>, Stop> {
        let mut braces: Vec<Brace> = Vec::new();
        let mut at_file_scope_start = true;
        // Behind the `=` of a declaration at file scope, where `(type){` is a literal.
        let mut in_initialiser = false;
        // Last token that is not part of an attribute.
        let mut previous = usize::MAX;
        let mut i = 0;
        while i < self.tokens.len() {
            pace.step()?;
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
                        self.replace(comma, comma, "*)__builtin_types_compatible_p,");
                        self.insert_before(end, "*: 1, default: 0");
                    }
                }
                _ if self.tokens[i].kind == Kind::Literal && word.contains('\\') => self.escapes(i),
                _ => self.rename(i, i),
            }
            previous = next - 1;
            i = next;
        }
        Ok(self.edits)
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
                "noreturn"
                    | "mode"
                    | "aligned"
                    | "packed"
                    | "vector_size"
                    | "transparent_union"
                    | "alias"
                    | "weakref"
                    | "ifunc"
                    | "weak"
                    | "cleanup"
                    | "constructor"
                    | "destructor"
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
                "scalar_storage_order" | "ms_struct" => {
                    markers.push_str(&format!(" char {};", marker::OTHER_LAYOUT));
                }
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
                let known = matches!(
                    self.word(i),
                    "asm" | "__asm__" | "_Static_assert" | "_Alignas" | "__typeof__" | "typeof"
                );
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
