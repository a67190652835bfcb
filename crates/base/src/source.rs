//! Source text and places in it.
//!
//! A program has one [`Source`]: the text that was parsed, which for C is the output of the preprocessor. A
//! [`Span`] is a byte range of that text. Line markers of the preprocessor (`# 12 "file.c"`) are read once, so
//! that [`Source::position`] answers with the file and line that the user wrote.

use std::fmt;

/// A byte range of the parsed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end.max(start) as u32 }
    }
}

/// A position as people name it. Line and column count from 1; the column counts characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[derive(Debug)]
struct Line {
    /// Offset of the first byte.
    start: u32,
    /// Index into `files`.
    file: u32,
    /// Line number in that file.
    number: u32,
}

/// The parsed text of a program.
#[derive(Debug)]
pub struct Source {
    text: String,
    lines: Vec<Line>,
    files: Vec<String>,
}

impl Source {
    /// `path` names the text where no line marker says otherwise. With `markers`, lines of the form
    /// `# 12 "file"` or `#line 12 "file"` change file and number of the line after them.
    pub fn new(path: &str, text: String, markers: bool) -> Self {
        let mut files = vec![path.to_string()];
        let mut lines = Vec::new();
        let (mut start, mut file, mut number) = (0u32, 0u32, 1u32);
        for line in text.split_inclusive('\n') {
            lines.push(Line { start, file, number });
            start += line.len() as u32;
            number += 1;
            if markers && let Some((n, name)) = parse_marker(line) {
                number = n;
                if let Some(name) = name {
                    file = match files.iter().rposition(|f| *f == name) {
                        Some(i) => i,
                        None => {
                            files.push(name);
                            files.len() - 1
                        }
                    } as u32;
                }
            }
        }
        if lines.is_empty() {
            lines.push(Line { start: 0, file: 0, number: 1 });
        }
        Source { text, lines, files }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path this source was made with.
    pub fn path(&self) -> &str {
        &self.files[0]
    }

    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn line_index(&self, offset: u32) -> usize {
        self.lines.partition_point(|l| l.start <= offset).saturating_sub(1)
    }

    pub fn position(&self, span: Span) -> Position<'_> {
        let line = &self.lines[self.line_index(span.start)];
        let before = self.text.get(line.start as usize..span.start as usize).unwrap_or("");
        Position {
            file: &self.files[line.file as usize],
            line: line.number,
            column: before.chars().count() as u32 + 1,
        }
    }

    /// Line and column, counted from 1, in the file that was read; none for what was included. A file that came preprocessed (`.i`) is
    /// the text itself, whatever its markers say.
    pub fn place(&self, span: Span) -> Option<(u32, u32)> {
        let position = self.position(span);
        if self.path().ends_with(".i") {
            return Some((self.line_index(span.start) as u32 + 1, position.column));
        }
        let name = |path: &str| path.rsplit('/').next().map(str::to_string);
        (name(position.file) == name(self.path())).then_some((position.line, position.column))
    }

    /// Line number of the start of the span, in the user's file.
    pub fn line(&self, span: Span) -> u32 {
        self.lines[self.line_index(span.start)].number
    }

    /// The whole line of parsed text that holds the start of the span, without its newline, and its offset.
    pub fn line_text(&self, span: Span) -> (&str, u32) {
        let i = self.line_index(span.start);
        let start = self.lines[i].start;
        let end = self.lines.get(i + 1).map_or(self.text.len() as u32, |l| l.start);
        let line = self.text.get(start as usize..end as usize).unwrap_or("");
        (line.trim_end_matches(['\n', '\r']), start)
    }
}

/// Reads `# 12 "file" flags` or `#line 12 "file"`.
fn parse_marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits)?.parse().ok()?;
    let rest = rest[digits..].trim_start();
    let Some(rest) = rest.strip_prefix('"') else { return Some((number, None)) };
    let mut name = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some((number, Some(name))),
            '\\' => name.push(chars.next()?),
            _ => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position_of(source: &Source, what: &str) -> String {
        let at = source.text().find(what).unwrap();
        source.position(Span::new(at, at + what.len())).to_string()
    }

    #[test]
    fn places_count_lines_and_characters() {
        let s = Source::new("a.c", "int x;\nint é, y;\n".into(), true);
        assert_eq!(position_of(&s, "x"), "a.c:1:5");
        assert_eq!(position_of(&s, "y"), "a.c:2:8");
        assert_eq!(s.line_text(Span::new(8, 9)), ("int é, y;", 7));
    }

    #[test]
    fn markers_lead_back_to_the_users_file() {
        let text = "# 1 \"a.c\"\n# 1 \"/usr/include/b \\\"q\\\".h\" 1\nint b;\n# 2 \"a.c\" 2\nint x;\n#line 40\nint y;\n";
        let s = Source::new("a.i", text.into(), true);
        assert_eq!(position_of(&s, "b;"), "/usr/include/b \"q\".h:1:5");
        assert_eq!(position_of(&s, "x"), "a.c:2:5");
        assert_eq!(position_of(&s, "y"), "a.c:40:5");
        let plain = Source::new("a.i", text.into(), false);
        assert_eq!(position_of(&plain, "y"), "a.i:7:5");
    }

    #[test]
    fn strange_texts_have_places() {
        for text in ["", "\n", "x", "# 99999999999 \"a\"\nx", "#\nx", "# 3 \"unterminated\nx"] {
            let s = Source::new("t", text.into(), true);
            s.position(Span::new(0, 0));
            s.position(Span::new(text.len(), text.len() + 5));
            assert_eq!(s.snippet(Span::new(0, text.len() + 1)), "");
        }
    }
}
