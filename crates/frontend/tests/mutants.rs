//! Programs with random damage: the front end takes every text, or refuses it with a message. It never panics; what it takes is a
//! well-formed program, which prints and which the interpreter can run.
//!
//! The mutants depend on the seed alone. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make long runs by hand.

mod support;

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Overflow, Random, RunEnd};
use craig_cfa::verify;
use craig_frontend::{Externs, LoadError, Property, Reading, c};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use support::{MODELS, Rng, setting};

/// Preprocessed texts of our programs and examples, and the texts that the snapshots show.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("tests/programs"), root.join("../../examples")];
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|dir| std::fs::read_dir(dir).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    let preprocess = |file| {
        let done = Command::new("gcc").args(["-E", "-P"]).arg(file).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let mut texts: Vec<String> = files.iter().map(preprocess).collect();
    let mut snapshots: Vec<_> =
        std::fs::read_dir(root.join("tests/snapshots")).unwrap().map(|e| e.unwrap().path()).collect();
    snapshots.sort();
    for file in snapshots {
        let text = std::fs::read_to_string(file).unwrap();
        let (_, text) = text.split_once("\n---\n").expect("a snapshot has a header");
        let (text, _) = text.split_once("\n----\n").expect("a snapshot has the text first");
        texts.push(text.to_string());
    }
    assert!(texts.len() >= 35);
    texts
}

/// Byte ranges of the tokens: words, numbers, literals, single characters.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b if b.is_ascii_whitespace() => continue,
            b if word(b) => {
                while at < bytes.len() && word(bytes[at]) {
                    at += 1;
                }
            }
            quote @ (b'"' | b'\'') => {
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            _ => {
                const LONG: [&str; 14] =
                    ["<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];
                if let Some(long) = LONG.iter().find(|l| bytes[start..].starts_with(l.as_bytes())) {
                    at = start + long.len();
                }
            }
        }
        tokens.push((start, at));
    }
    tokens
}

/// Tokens of one class can often stand for each other.
#[derive(PartialEq)]
enum Class {
    Type,
    Keyword,
    Name,
    Number,
    Literal,
    Operator,
    Bracket,
}

fn class(word: &str) -> Class {
    match word {
        "int" | "char" | "short" | "long" | "unsigned" | "signed" | "_Bool" | "double" | "float" | "void" => {
            Class::Type
        }
        "if" | "while" | "for" | "do" | "else" | "switch" | "case" | "default" | "return" | "goto"
        | "break" | "continue" | "struct" | "union" | "enum" | "typedef" | "static" | "extern" | "sizeof" => {
            Class::Keyword
        }
        "(" | ")" | "[" | "]" | "{" | "}" | ";" | "," | ":" | "?" => Class::Bracket,
        _ => match word.as_bytes()[0] {
            b'0'..=b'9' => Class::Number,
            b'"' | b'\'' => Class::Literal,
            b if b.is_ascii_alphabetic() || b == b'_' => Class::Name,
            _ => Class::Operator,
        },
    }
}

/// Words that the random text may not contain but that make a difference.
const WORDS: [&str; 48] = [
    "0",
    "1",
    "-1",
    "2147483648",
    "0x8000000000000000",
    "1.5",
    "'a'",
    "\"s\"",
    "L\"w\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "->",
    ".",
    "?",
    ":",
    "=",
    "+=",
    "++",
    "<<",
    "sizeof",
    "struct",
    "union",
    "enum",
    "static",
    "extern",
    "typedef",
    "const",
    "void",
    "char",
    "unsigned long long",
    "_Bool",
    "double",
    "return",
    "goto",
    "case",
    "default",
    "if",
    "while",
    "__attribute__((packed))",
];

/// The text with one change.
fn mutate(text: &str, rng: &mut Rng, other: &str) -> String {
    if rng.one_in(8) {
        let mut bytes = text.as_bytes().to_vec();
        let at = rng.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        match rng.below(3) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 if !bytes.is_empty() => bytes[at] = rng.next() as u8,
            _ => bytes.insert(at, rng.next() as u8),
        }
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let list = tokens(text);
    if list.is_empty() {
        return WORDS[rng.below(WORDS.len())].to_string();
    }
    let (from, to) = (rng.below(list.len()), rng.below(list.len()));
    let word = |(start, end): (usize, usize)| &text[start..end];
    // A short piece of neighbouring tokens.
    let piece = |rng: &mut Rng, list: &[(usize, usize)]| {
        let last = (from + rng.below(8)).min(list.len() - 1);
        (list[from].0, list[last].1)
    };
    let replaced =
        |range: (usize, usize), by: &str| format!("{} {by} {}", &text[..range.0], &text[range.1..]);
    if rng.one_in(2) {
        let wanted = class(word(list[from]));
        let alike: Vec<_> = list.iter().filter(|&&t| class(word(t)) == wanted).collect();
        return replaced(list[from], word(*alike[rng.below(alike.len())]));
    }
    match rng.below(8) {
        0 | 1 => replaced(piece(rng, &list), ""),
        2 => {
            let moved = piece(rng, &list);
            let copy = text[moved.0..moved.1].to_string();
            replaced((list[to].0, list[to].0), &copy)
        }
        3 => {
            let (first, second) = (list[from.min(to)], list[from.max(to)]);
            let between = &text[first.1..second.0.max(first.1)];
            if first == second {
                return text.to_string();
            }
            format!("{}{}{between}{}{}", &text[..first.0], word(second), word(first), &text[second.1..])
        }
        4 => replaced(list[from], word(list[to])),
        5 => {
            let theirs = tokens(other);
            let Some(&(start, end)) = theirs.get(rng.below(theirs.len().max(1))) else {
                return text.to_string();
            };
            replaced(list[from], &other[start..end])
        }
        _ => {
            let new = WORDS[rng.below(WORDS.len())];
            if rng.one_in(2) {
                replaced(list[from], new)
            } else {
                replaced((list[from].0, list[from].0), new)
            }
        }
    }
}

fn reading(rng: &mut Rng) -> Reading {
    let property = match rng.below(6) {
        0 => Property::NoOverflow,
        1 => Property::Label("ERROR".into()),
        2 => Property::Call("abort".into()),
        _ => Property::Default,
    };
    let externs = match rng.below(6) {
        0 => Externs::Havoc,
        1 => Externs::Error,
        _ => Externs::Pure,
    };
    let malloc_may_fail = rng.one_in(8);
    Reading { model: MODELS[rng.below(2)], property, externs, malloc_may_fail, ..Reading::default() }
}

/// Whether the text is a program; what is wrong with how we treat it, if anything is.
fn examine(text: &str, reading: &Reading, seed: u64) -> Result<bool, String> {
    let program = match c::load_text("mutant.c", text, reading, &Budget::unlimited())
        .map_err(LoadError::rejected)
    {
        Ok(loaded) => loaded.program,
        Err(rejected) if rejected.diagnostics.is_empty() => return Err("refused without a message".into()),
        Err(_) => return Ok(false),
    };
    verify::verify(&program).map_err(|v| format!("not well-formed: {v:?}"))?;
    if program.to_string().is_empty() {
        return Err("no text".into());
    }
    let overflow = if seed.is_multiple_of(2) { Overflow::Wrap } else { Overflow::Undefined };
    let config = Config { overflow, steps: 100_000, depth: 1000, memory: 1 << 24, ..Config::default() };
    let run = interp::run(&program, &config, &mut Random::new(seed), &mut Vec::new());
    match run.end {
        RunEnd::Internal(text) => Err(format!("the interpreter: {text}")),
        _ => Ok(true),
    }
}

#[test]
fn mutants() {
    let originals = texts();
    let first = setting("CRAIG_TEST_SEED", 1);
    let count = setting("CRAIG_TEST_ROUNDS", 1) * 800;
    let mut programs = 0;
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let original = &originals[rng.below(originals.len())];
        let other = &originals[rng.below(originals.len())];
        let mut text = original.clone();
        let changes = if rng.one_in(3) { rng.below(5) } else { 1 };
        for _ in 0..changes {
            text = mutate(&text, &mut rng, other);
        }
        let reading = reading(&mut rng);
        let result = catch_unwind(AssertUnwindSafe(|| examine(&text, &reading, seed)));
        let wrong = match result {
            Ok(Ok(is_program)) => {
                programs += u64::from(is_program);
                continue;
            }
            Ok(Err(what)) => what,
            Err(_) => "panic".to_string(),
        };
        let kept = std::env::temp_dir().join(format!("craig-mutant-{seed}.c"));
        std::fs::write(&kept, &text).unwrap();
        panic!("mutant {seed}: {wrong}\n{reading:?}\nkept as {}", kept.display());
    }
    eprintln!("{programs} of {count} mutants are programs");
    assert!(programs * 20 > count, "only {programs} of {count} mutants are programs");
}
