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
//!
//! | module | does |
//! |---|---|
//! | [`token`] | cuts the text into tokens, notes `#pragma pack`, bounds the nesting |
//! | [`rewrite`] | which tokens to replace, and by what |

mod rewrite;
mod token;

use crate::Res;
use craig_base::{Budget, Pace, Span};
use rewrite::{Edit, Rewriter};
use token::{Packing, Token, check_nesting, tokenize};

/// Names that the rewriting introduces and the translation knows.
pub(super) mod marker {
    pub const ELVIS: &str = "__craig_elvis";
    pub const LABEL_ADDRESS: &str = "__craig_label_address";
    pub const COMPUTED_GOTO: &str = "__craig_computed_goto";
    pub const ASM_GOTO: &str = "__craig_asm_goto";
    pub const PACKED: &str = "__craig_packed";
    pub const ALIGNED: &str = "__craig_aligned";
    pub const PACK: &str = "__craig_pack";
    pub const OTHER_LAYOUT: &str = "__craig_other_layout";
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
pub(super) fn scan(text: &str, budget: &Budget) -> Res<(String, Offsets)> {
    let mut pace = Pace::new(budget);
    let mut packing = Packing::default();
    let tokens = tokenize(text, &mut packing, &mut pace)?;
    check_nesting(text, &tokens, &mut pace)?;
    let edits = Rewriter { text, tokens: &tokens, packing: &packing, edits: Vec::new() }.run(&mut pace)?;
    apply(text, &tokens, edits, &mut pace)
}

/// The text with comments and directives blanked and the edits made.
fn apply(text: &str, tokens: &[Token], mut edits: Vec<Edit>, pace: &mut Pace) -> Res<(String, Offsets)> {
    edits.sort_by_key(|e| (e.start, e.end));
    let mut out = String::with_capacity(text.len() + 1024);
    let mut offsets = Offsets::default();
    let mut edits = edits.into_iter().peekable();
    let mut done = 0;
    for token in tokens {
        pace.step()?;
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
    Ok((out, offsets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fault;

    fn scan(text: &str) -> Res<(String, Offsets)> {
        super::scan(text, &Budget::unlimited())
    }

    fn rewritten(text: &str) -> String {
        scan(text).unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn refused(text: &str) -> String {
        match scan(text).unwrap_err() {
            Fault::Wrong(diagnostic) => diagnostic.message,
            Fault::Stopped(stop) => stop.to_string(),
        }
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
            "_Generic((int *)__builtin_types_compatible_p, long *: 1, default: 0)"
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
