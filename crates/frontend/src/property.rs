//! The property: which locations are errors.
//!
//! A property comes by name, as `label(NAME)`, or from a property file of SV-COMP:
//!
//! ```text
//! CHECK( init(main()), LTL(G ! call(reach_error())) )
//! ```
//!
//! The grammar that is read, white space and comments (`//`, `/* */`, `#`) apart:
//!
//! ```text
//! file    = check { check }
//! check   = "CHECK" "(" "init" "(" name [ "(" ")" ] ")" "," "LTL" "(" formula ")" ")"
//! formula = "G" "!" ( "call" "(" name [ "(" ")" ] ")" | "label" "(" name ")" | "overflow" )
//! ```
//!
//! A property that is known but not checked (memory safety, termination, data races, coverage) is named in the message. A file that asks
//! for several different properties is refused: one verdict would be read as the answer to all of them.

use crate::Rejected;
use craig_base::{Diagnostic, Source, Span};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Calls of these functions are the same error, as is a failed `assert`: those of SV-COMP, and what `assert` calls in the C libraries of GNU, BSD, macOS, Solaris, newlib and Windows.
pub(crate) const ERROR_FUNCTIONS: [&str; 14] = [
    "reach_error",
    "__VERIFIER_error",
    "__assert_fail",
    "__assert",
    "assert",
    "__assert_perror_fail",
    "__assert13",
    "__assert2",
    "__assert_func",
    "__assert_rtn",
    "__assert_c99",
    "_assert",
    "_wassert",
    "__assertfail",
];

/// The names of properties.
const UNREACH_CALL: &str = "unreach-call";
const NO_OVERFLOW: &str = "no-overflow";
const ERROR_LABEL: &str = "error-label";

/// The entry that property files name; a reading without an entry takes it where there is one.
const USUAL_ENTRY: &str = "main";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Property {
    /// No property given: a call of `reach_error` or `__VERIFIER_error` and a failed `assert` are errors; in a program that
    /// declares no such function and has a label `ERROR`, reaching that label is.
    #[default]
    Default,
    /// A call of this function is an error. Where it is `reach_error`, `__VERIFIER_error` or `__assert_fail`, calls of the others and
    /// failed assertions are errors as well.
    Call(String),
    /// Reaching this label is an error.
    Label(String),
    /// A signed operation whose result leaves its type is an error.
    NoOverflow,
}

impl Property {
    /// What [`Property::by_name`] knows.
    pub const NAMES: [&'static str; 3] = [UNREACH_CALL, NO_OVERFLOW, ERROR_LABEL];

    /// The functions whose call is the error; none if it is something else.
    pub fn error_functions(&self) -> Vec<String> {
        let usual = || ERROR_FUNCTIONS.map(String::from).to_vec();
        match self {
            Property::Default => usual(),
            Property::Call(function) if ERROR_FUNCTIONS.contains(&function.as_str()) => usual(),
            Property::Call(function) => vec![function.clone()],
            Property::Label(_) | Property::NoOverflow => Vec::new(),
        }
    }

    /// By name: `unreach-call`, `no-overflow`, `error-label`; or as `label(NAME)`.
    pub fn by_name(name: &str) -> Option<Property> {
        match name {
            UNREACH_CALL => Some(Property::Call("reach_error".into())),
            NO_OVERFLOW => Some(Property::NoOverflow),
            ERROR_LABEL => Some(Property::Label("ERROR".into())),
            _ => {
                let mut parser = Parser { text: name, tokens: tokens(name).ok()?, next: 0 };
                let property = parser.label().ok()?;
                parser.peek().is_none().then_some(property)
            }
        }
    }

    /// By name, or from a file, with the entry that the file names. The usual entry is not named: every language has its own.
    pub fn read(text: &str) -> Result<(Property, Option<String>), Rejected> {
        if let Some(property) = Property::by_name(text) {
            return Ok((property, None));
        }
        let path = Path::new(text);
        if path.extension().is_none() && !path.exists() {
            let shown = text.escape_debug();
            return Err(Rejected::without_source(
                Diagnostic::error(format!("there is no property and no file named `{shown}`"))
                    .help(format!("properties are: {}, label(NAME)", Property::NAMES.join(", "))),
            ));
        }
        let bytes = std::fs::read(path).map_err(|e| {
            let shown = path.display();
            Rejected::without_source(Diagnostic::error(format!("cannot read the property file {shown}: {e}")))
        })?;
        let content = String::from_utf8_lossy(&bytes).into_owned();
        match Property::parse(&content) {
            Ok((property, entry)) => Ok((property, Some(entry).filter(|e| e != USUAL_ENTRY))),
            Err(diagnostic) => Err(Rejected {
                source: Some(Arc::new(Source::new(text, content, false))),
                diagnostics: vec![diagnostic],
            }),
        }
    }

    /// The text of a property file of SV-COMP, such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`. The entry
    /// that it names comes along. The spans of diagnostics are ranges of `text`.
    pub fn parse(text: &str) -> Result<(Property, String), Diagnostic> {
        let mut parser = Parser { text, tokens: tokens(text)?, next: 0 };
        let mut first: Option<(Property, String)> = None;
        while let Some(token) = parser.peek() {
            let check = parser.check()?;
            match &first {
                None => first = Some(check),
                Some(known) if *known == check => {}
                Some(_) => {
                    return Err(Diagnostic::error("the property file asks for more than one property")
                        .at(token.span)
                        .label("a second, different property")
                        .help("one property is checked in a run: keep one CHECK line"));
                }
            }
        }
        first.ok_or_else(|| {
            Diagnostic::error("the property file names no property")
                .help("it should read: CHECK( init(main()), LTL(G ! call(reach_error())) )")
        })
    }
}

/// One spelling for results, verdicts and witnesses. Properties with the same errors have the same.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Default => f.write_str(UNREACH_CALL),
            Property::Call(function) if ERROR_FUNCTIONS.contains(&function.as_str()) => {
                f.write_str(UNREACH_CALL)
            }
            Property::Call(function) => write!(f, "call({function}())"),
            Property::Label(label) if label == "ERROR" => f.write_str(ERROR_LABEL),
            Property::Label(label) => write!(f, "label({label})"),
            Property::NoOverflow => f.write_str(NO_OVERFLOW),
        }
    }
}

/// Properties of the competition that are recognised in order to say that they are not checked.
fn known_elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "valid-free" | "valid-deref" | "valid-memtrack" | "valid-memsafety" => "memory safety",
        "valid-memcleanup" => "memory clean-up",
        "data-race" | "no-data-race" => "absence of data races",
        "end" | "termination" => "termination",
        "deadlock" => "absence of deadlocks",
        _ => return None,
    })
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    /// A word of letters, digits, `_`, `$`, `-` and `@`, or one other character.
    text: &'a str,
    span: Span,
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '@');
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let length = if c.is_whitespace() || c == '\u{feff}' {
            rest = &rest[c.len_utf8()..];
            continue;
        } else if c == '#' || rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(
                    Diagnostic::error("a comment of the property file has no end").at(Span::new(at, at + 2))
                );
            };
            rest = &comment[end + 2..];
            continue;
        } else if word(c) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        tokens.push(Token { text: &rest[..length], span: Span::new(at, at + length) });
        rest = &rest[length..];
    }
    Ok(tokens)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    /// An error at the next token: `wanted` says what should stand there.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        match self.peek() {
            Some(token) => {
                let found: String = token.text.chars().take(40).collect();
                Diagnostic::error(format!(
                    "`{}` in the property file is not understood",
                    found.escape_debug()
                ))
                .at(token.span)
                .label(format!("expected {wanted}"))
            }
            None => Diagnostic::error("the property file ends too early")
                .at(Span::new(self.text.trim_end().len(), self.text.trim_end().len()))
                .label(format!("expected {wanted}")),
        }
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.text == text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Diagnostic> {
        if self.accept(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn name(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.peek() {
            Some(t)
                if t.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
                    && !t.text.starts_with(|c: char| c.is_numeric()) =>
            {
                self.next += 1;
                Ok(t.text.to_string())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// `name` or `name()`, then a closing parenthesis.
    fn function(&mut self) -> Result<String, Diagnostic> {
        self.expect("(")?;
        let name = self.name("the name of a function")?;
        if self.accept("(") {
            self.expect(")")?;
        }
        self.expect(")")?;
        Ok(name)
    }

    fn check(&mut self) -> Result<(Property, String), Diagnostic> {
        if self.peek().is_some_and(|t| t.text == "COVER") {
            return Err(self.not_checked("test coverage"));
        }
        self.expect("CHECK")?;
        self.expect("(")?;
        self.expect("init")?;
        let entry = self.function()?;
        self.expect(",")?;
        self.expect("LTL")?;
        self.expect("(")?;
        let property = self.formula()?;
        self.expect(")")?;
        self.expect(")")?;
        Ok((property, entry))
    }

    fn formula(&mut self) -> Result<Property, Diagnostic> {
        if self.accept("F") {
            return Err(self.elsewhere().unwrap_or_else(|| self.unexpected("`G !`")));
        }
        self.expect("G")?;
        if let Some(diagnostic) = self.elsewhere() {
            return Err(diagnostic);
        }
        self.expect("!")?;
        if self.accept("call") {
            Ok(Property::Call(self.function()?))
        } else if self.peek().is_some_and(|t| t.text == "label") {
            self.label()
        } else if self.accept("overflow") {
            Ok(Property::NoOverflow)
        } else {
            let otherwise = self.unexpected("`call(FUNCTION())`, `label(NAME)` or `overflow`");
            Err(self.elsewhere().unwrap_or(otherwise))
        }
    }

    /// `label(NAME)`.
    fn label(&mut self) -> Result<Property, Diagnostic> {
        self.expect("label")?;
        self.expect("(")?;
        let label = self.name("the name of a label")?;
        self.expect(")")?;
        Ok(Property::Label(label))
    }

    /// The message for a property that is known and not checked, if the next token names one.
    fn elsewhere(&self) -> Option<Diagnostic> {
        let token = self.peek()?;
        Some(self.not_checked(&format!("{} (`{}`)", known_elsewhere(token.text)?, token.text)))
    }

    fn not_checked(&self, what: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("the property {what} is not supported"))
            .label("not supported")
            .help("supported are: G ! call(FUNCTION()), G ! label(NAME), G ! overflow");
        match self.peek() {
            Some(token) => diagnostic.at(token.span),
            None => diagnostic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) -> (Property, String) {
        Property::parse(text).unwrap_or_else(|d| panic!("{text}: {d}"))
    }

    /// The message and the text that it points at.
    fn refused(text: &str) -> (String, &str) {
        let diagnostic = Property::parse(text).expect_err(text);
        let place = diagnostic.span.map_or("", |s| &text[s.start as usize..s.end as usize]);
        (diagnostic.message, place)
    }

    fn call(name: &str) -> (Property, String) {
        (Property::Call(name.into()), "main".into())
    }

    #[test]
    fn the_properties_of_the_competition() {
        assert_eq!(check("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n"), call("reach_error"));
        assert_eq!(
            check("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )"),
            call("__VERIFIER_error")
        );
        assert_eq!(check("CHECK( init(main()), LTL(G ! call(__assert_fail())) )"), call("__assert_fail"));
        assert_eq!(
            check("CHECK( init(main()), LTL(G ! label(ERROR)) )"),
            (Property::Label("ERROR".into()), "main".into())
        );
        assert_eq!(
            check("CHECK( init(start()), LTL(G ! overflow) )"),
            (Property::NoOverflow, "start".into())
        );
    }

    #[test]
    fn white_space_and_comments_do_not_matter() {
        assert_eq!(check("CHECK(init(main()),LTL(G!call(f())))"), call("f"));
        assert_eq!(
            check(
                "\u{feff}# one\n // two\nCHECK (\tinit ( main ( ) ) ,\r\n LTL ( G /* three\n*/ ! call ( f ) ) )"
            ),
            call("f")
        );
    }

    #[test]
    fn the_same_property_twice_is_one() {
        let line = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        assert_eq!(check(&line.repeat(2)), call("reach_error"));
        let (message, place) = refused(
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\nCHECK( init(main()), LTL(G ! overflow) )",
        );
        assert_eq!((message.as_str(), place), ("the property file asks for more than one property", "CHECK"));
    }

    #[test]
    fn properties_of_others_are_named() {
        for (formula, name) in [
            ("G valid-free", "memory safety (`valid-free`)"),
            ("G valid-deref", "memory safety (`valid-deref`)"),
            ("G valid-memtrack", "memory safety (`valid-memtrack`)"),
            ("G valid-memcleanup", "memory clean-up (`valid-memcleanup`)"),
            ("G ! data-race", "absence of data races (`data-race`)"),
            ("F end", "termination (`end`)"),
        ] {
            let text = format!("CHECK( init(main()), LTL({formula}) )");
            let (message, place) = refused(&text);
            assert_eq!(message, format!("the property {name} is not supported"));
            assert_eq!(place, formula.rsplit(' ').next().unwrap());
        }
        let (message, _) = refused("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )");
        assert_eq!(message, "the property test coverage is not supported");
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        assert_eq!(refused("").0, "the property file names no property");
        assert_eq!(refused(" // nothing\n").0, "the property file names no property");
        assert_eq!(refused("CHECK( init(main()), LTL(G ! call(").0, "the property file ends too early");
        assert_eq!(refused("CHECK( init(main()), LTL(G ! call(1)) )").1, "1");
        assert_eq!(refused("CHECK( init(main()), LTL(X ! call(f())) )").1, "X");
        assert_eq!(refused("int main(void) { return 0; }").1, "int");
        assert_eq!(refused("CHECK /* ").0, "a comment of the property file has no end");
    }

    #[test]
    fn properties_are_spelled_in_one_way() {
        let spelled = |property: Property| property.to_string();
        assert_eq!(spelled(Property::Default), "unreach-call");
        for function in ["reach_error", "__VERIFIER_error", "__assert_fail"] {
            assert_eq!(spelled(Property::Call(function.into())), "unreach-call");
        }
        assert_eq!(spelled(Property::Call("foo".into())), "call(foo())");
        assert_eq!(spelled(Property::Label("ERROR".into())), "error-label");
        assert_eq!(spelled(Property::Label("bad".into())), "label(bad)");
        assert_eq!(spelled(Property::NoOverflow), "no-overflow");
    }

    #[test]
    fn a_property_is_read_by_name_or_from_a_file() {
        assert_eq!(Property::read("no-overflow").unwrap(), (Property::NoOverflow, None));
        assert_eq!(Property::read("label(bad)").unwrap(), (Property::Label("bad".into()), None));
        for text in ["label(bad", "label(1)", "label(a b)", "label(a) b", "label()"] {
            assert!(Property::read(text).is_err(), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.prp");
        let read = |content: &str| {
            std::fs::write(&file, content).unwrap();
            Property::read(file.to_str().unwrap())
        };
        let (property, entry) = read("CHECK( init(start()), LTL(G ! label(bad)) )").unwrap();
        assert_eq!((property, entry.as_deref()), (Property::Label("bad".into()), Some("start")));
        let (property, entry) = read("CHECK( init(main()), LTL(G ! call(reach_error())) )").unwrap();
        assert_eq!((property, entry), (Property::Call("reach_error".into()), None));
        let rejected = read("CHECK( init(main()), LTL(F end) )").unwrap_err();
        assert!(rejected.diagnostics[0].message.contains("termination"));
        assert!(rejected.source.unwrap().text().starts_with("CHECK"));
        let missing = Property::read("no-such-property").unwrap_err();
        assert!(missing.source.is_none() && missing.diagnostics[0].message.contains("no-such-property"));
        assert!(Property::read("missing.prp").unwrap_err().diagnostics[0].message.contains("cannot read"));
    }

    #[test]
    fn every_name_is_known() {
        for name in Property::NAMES {
            assert_eq!(Property::by_name(name).unwrap().to_string(), name);
        }
        assert_eq!(Property::by_name("termination"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,60}") {
            let _ = Property::parse(&text);
        }

        #[test]
        fn pieces_of_properties_are_read_or_refused(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "CHECK", "(", ")", "init", "main", ",", "LTL", "G", "!", "call", "label", "overflow", "F", "end",
                    " ", "/*", "*/", "//", "\n", "é",
                ]),
                0..30,
            )
        ) {
            if let Err(d) = Property::parse(&pieces.concat())
                && let Some(span) = d.span
            {
                prop_assert!(pieces.concat().get(span.start as usize..span.end as usize).is_some());
            }
        }
    }
}
