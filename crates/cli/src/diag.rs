//! Diagnostics for people: the message, the place, the user's own line with the place underlined.
//!
//! The text that was parsed may have come out of the preprocessor. Its line markers lead back to the file that the user wrote; when that
//! file can be read, its line is shown, otherwise the line of the parsed text. Where the text under the span does not stand in the user's
//! line (a macro was expanded), the whole line is underlined. A long line is cut to a window around the span. Characters that would do
//! something to a terminal are shown as pictures.

use crate::host;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use craig_base::{Diagnostic, Severity, Source, Span};
use craig_frontend::Rejected;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

/// Characters of a source line that are shown, and how many of them before the span.
const WINDOW: usize = 120;
const BEFORE: usize = 40;

/// More diagnostics than these are only counted.
const SHOWN: usize = 20;

/// A message is cut after so many characters.
const MESSAGE: usize = 1000;

/// Tells on stderr why a text did not become a program.
pub fn report(rejected: &Rejected) {
    for diagnostic in rejected.diagnostics.iter().take(SHOWN) {
        print(diagnostic, rejected.source.as_deref());
    }
    if let Some(more) = rejected.diagnostics.len().checked_sub(SHOWN).filter(|n| *n > 0) {
        host::eprint(&format!("... and {more} more"));
    }
}

/// Tells one thing on stderr. Styles are stripped on the way out unless a terminal reads them.
pub fn print(diagnostic: &Diagnostic, source: Option<&Source>) {
    let renderer = Renderer::styled().term_width(terminal_width());
    host::eprint(&render(&renderer, diagnostic, source));
}

fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map(|s| usize::from(s.ws_col)).ok().filter(|w| *w >= 40).unwrap_or(WINDOW + 20)
}

fn render(renderer: &Renderer, diagnostic: &Diagnostic, source: Option<&Source>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut groups = Vec::new();
    let mut group = Group::with_title(level.clone().primary_title(printable(&diagnostic.message)));
    let label = diagnostic.label.as_deref().map(printable);
    if let (Some(source), Some(span)) = (source, diagnostic.span) {
        let shown = Shown::new(source, span);
        let annotation = AnnotationKind::Primary.span(shown.underlined).label(label);
        let line = shown.line as usize;
        groups.push(group.element(Origin::path(shown.file).line(line).char_column(shown.column as usize)));
        // A group of its own: the snippet would compute its own place, which is wrong for a window of a line.
        group = Group::with_level(level)
            .element(Snippet::source(shown.text).line_start(line).annotation(annotation));
        if let Some(note) = shown.note {
            group = group.element(Level::NOTE.message(note));
        }
    } else {
        if let Some(source) = source {
            group = group.element(Origin::path(printable(source.path())));
        }
        if let Some(label) = label {
            group = group.element(Level::NOTE.message(label));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    groups.push(group);
    let rendered = renderer.render(&groups);
    // Both groups draw the empty line between place and source.
    let mut lines: Vec<&str> = rendered.lines().collect();
    lines.dedup();
    lines.join("\n")
}

/// The line that is shown for a span.
struct Shown {
    file: String,
    line: u32,
    column: u32,
    /// The line, or a window of it.
    text: String,
    /// Byte range of `text`.
    underlined: Range<usize>,
    note: Option<String>,
}

impl Shown {
    fn new(source: &Source, span: Span) -> Self {
        let place = source.position(span);
        let (parsed, start) = source.line_text(span);
        let from = floor(parsed, (span.start.saturating_sub(start)) as usize);
        let to = floor(parsed, (span.end.saturating_sub(start)) as usize).max(from);
        let (mut column, mut note) = (place.column, None);
        let (text, underlined) = match users_line(source, place.file, place.line, parsed) {
            Some(line) => match find(&line, parsed, from..to) {
                Some(range) => {
                    column = line[..range.start].chars().count() as u32 + 1;
                    window(&line, range)
                }
                None => {
                    let whole = whole(&line);
                    column = line[..whole.start].chars().count() as u32 + 1;
                    window(&line, whole)
                }
            },
            None => {
                if place.file != source.path() {
                    let number = source.text()[..start as usize].matches('\n').count() + 1;
                    note = Some(format!("this is line {number} of {}", printable(source.path())));
                }
                window(parsed, from..to)
            }
        };
        Shown { file: printable(place.file), line: place.line, column, text, underlined, note }
    }
}

/// The line as the user wrote it, if there is such a file and nothing speaks against it.
fn users_line(source: &Source, file: &str, number: u32, parsed: &str) -> Option<String> {
    if file == source.path() && source.text().lines().nth(number as usize - 1) == Some(parsed) {
        return Some(parsed.to_string());
    }
    let line = read_line(Path::new(file), number)?;
    // A text that came to us preprocessed may name files of another machine: only a line with the same text is believed.
    let preprocessed_elsewhere = file != source.path() && source.path().ends_with(".i");
    let squeeze = |s: &str| s.split_whitespace().collect::<String>();
    (!preprocessed_elsewhere || squeeze(&line) == squeeze(parsed)).then_some(line)
}

fn read_line(path: &Path, number: u32) -> Option<String> {
    let mut reader =
        BufReader::new(File::open(path).ok().filter(|f| f.metadata().is_ok_and(|m| m.is_file()))?);
    let mut bytes = Vec::new();
    for _ in 0..number {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
    }
    Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_string())
}

/// Where the text under the span stands in the user's line: at the same column, or at the only other place.
fn find(line: &str, parsed: &str, range: Range<usize>) -> Option<Range<usize>> {
    let wanted = &parsed[range.clone()];
    if line.get(range.clone()) == Some(wanted) && (!wanted.is_empty() || line == parsed) {
        return Some(range);
    }
    if wanted.is_empty() {
        return None;
    }
    let mut matches = line.match_indices(wanted);
    let (at, _) = matches.next()?;
    matches.next().is_none().then_some(at..at + wanted.len())
}

/// All of a line but the white space around it.
fn whole(line: &str) -> Range<usize> {
    let start = line.len() - line.trim_start().len();
    start..line.trim_end().len().max(start)
}

/// The largest character boundary not above `index`.
fn floor(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// Cuts a line to the characters around the range, and makes it fit for a terminal.
fn window(line: &str, range: Range<usize>) -> (String, Range<usize>) {
    let all = line.char_indices().nth(WINDOW).is_none();
    let start = if all {
        0
    } else {
        line[..range.start].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at)
    };
    let end = line[start..].char_indices().nth(WINDOW).map_or(line.len(), |(at, _)| start + at);
    let mut text = String::new();
    if start > 0 {
        text.push_str("...");
    }
    text.extend(line[start..range.start].chars().map(picture));
    let from = text.len();
    text.extend(line[range.start..range.end.clamp(range.start, end)].chars().map(picture));
    let to = text.len();
    text.extend(line[range.end.clamp(range.start, end)..end].chars().map(picture));
    if end < line.len() {
        text.push_str("...");
    }
    (text, from..to)
}

/// A message fit for a terminal: no control characters but the ends of its lines, and of bearable length.
fn printable(text: &str) -> String {
    let mut shown: String =
        text.chars().take(MESSAGE).map(|c| if c == '\n' { c } else { picture(c) }).collect();
    if text.chars().nth(MESSAGE).is_some() {
        shown.push_str("...");
    }
    shown
}

/// What stands for a character: itself, or a picture of it if it would do something else than show itself.
fn picture(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..'\x20' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        // C1 controls, and what changes the direction of writing or has no width.
        '\u{80}'..'\u{a0}'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => '\u{fffd}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders an error at the first occurrence of `at`.
    fn show(source: &Source, at: &str) -> String {
        let start = source.text().find(at).unwrap();
        let diagnostic = Diagnostic::error("bad thing")
            .at(Span::new(start, start + at.len()))
            .label("here")
            .help("do it better");
        render(&Renderer::plain(), &diagnostic, Some(source))
    }

    #[test]
    fn the_place_is_underlined() {
        let source = Source::new("no/such/file.c", "int x;\n\tint é = bad(1);\n".into(), true);
        insta::assert_snapshot!(show(&source, "bad(1)"));
    }

    #[test]
    fn a_message_without_place() {
        let diagnostic = Diagnostic::error("cannot read it\u{7}").label("a reason").help("another file");
        insta::assert_snapshot!(render(&Renderer::plain(), &diagnostic, None));
        let source = Source::new("a.c", String::new(), true);
        insta::assert_snapshot!(render(&Renderer::plain(), &diagnostic, Some(&source)));
    }

    #[test]
    fn an_empty_file_has_a_first_line() {
        let source = Source::new("no/such/empty.c", String::new(), true);
        insta::assert_snapshot!(show(&source, ""));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}BAD{}", "a".repeat(3_000_000), "z".repeat(2_000_000));
        let source = Source::new("no/such/long.c", text, true);
        let shown = show(&source, "BAD");
        assert!(shown.lines().all(|l| l.chars().count() < 200));
        insta::assert_snapshot!(shown);
        // A span that is itself longer than the window.
        let shown = show(&source, &"z".repeat(2_000_000));
        assert!(shown.lines().all(|l| l.chars().count() < 200), "{shown}");
    }

    #[test]
    fn what_would_act_on_a_terminal_is_a_picture() {
        let source = Source::new("no/such/odd.c", "a\u{1b}[31m\0\u{202e}\u{9b}\tb BAD\u{7f}".into(), true);
        insta::assert_snapshot!(show(&source, "BAD"));
    }

    #[test]
    fn the_users_file_is_shown() {
        let folder = std::env::temp_dir().join(format!("craig-diag-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("user.c");
        let name = path.to_str().unwrap();
        std::fs::write(&path, "#define TWO 1 + 1\n  int  x = TWO;\nint y = x;\n").unwrap();
        let text = format!("# 1 \"{name}\"\n\n int x = 1 + 1;\nint y = x;\n");
        let shown = |source: &Source, at: &str| {
            show(source, at)
                .replace(folder.to_str().unwrap(), "DIR")
                .lines()
                .skip(1)
                .collect::<Vec<_>>()
                .join("\n")
        };
        let source = Source::new(name, text.clone(), true);
        // Found at another column; hidden in a macro; unchanged.
        insta::assert_snapshot!(shown(&source, "x ="));
        insta::assert_snapshot!(shown(&source, "1 + 1;"));
        insta::assert_snapshot!(shown(&source, "y = x"));
        // Markers of a text that was preprocessed elsewhere are believed only where the line is the same.
        let elsewhere = Source::new("given.i", text, true);
        insta::assert_snapshot!(shown(&elsewhere, "1 + 1;"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn spans_out_of_range_are_borne() {
        let source = Source::new("no/such/file.c", "é\nint x;".into(), true);
        for (from, to) in [(1, 1), (0, 1), (5, 500), (100, 100), (9, 9), (0, 9)] {
            let diagnostic = Diagnostic::error("odd").at(Span::new(from, to));
            assert!(render(&Renderer::plain(), &diagnostic, Some(&source)).contains("odd"));
        }
    }
}
