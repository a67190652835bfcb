//! Texts between right and wrong, for tests: pieces of a program left out, doubled, exchanged.

use crate::Rejected;
use crate::tokens::Token;

/// The texts of tokens.
pub fn words<K>(text: &str, tokens: &[Token<K>]) -> Vec<String> {
    let words = tokens.iter().map(|t| &text[t.span.start as usize..t.span.end as usize]);
    words.filter(|word| !word.is_empty()).map(str::to_string).collect()
}

/// Changes the programs at random and has them read. Some must be; those that are not are refused with a place in the text, if with any.
pub fn never_break(programs: &[Vec<String>], read: impl Fn(usize, &str) -> Result<(), Rejected>) {
    let mut state = 7u64;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let mut count = 0;
    for round in 0..1500 {
        let mut words = programs[round % programs.len()].clone();
        for _ in 0..=next(3) {
            let (at, other) = (next(words.len()), next(words.len()));
            match next(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other].clone()),
                2 => words.swap(at, other),
                _ => words.truncate(at.max(1)),
            }
        }
        let text = words.join(" ");
        match read(round, &text) {
            Ok(()) => count += 1,
            Err(failure) => {
                let span = failure.diagnostics[0].span;
                assert!(span.is_none_or(|s| s.end as usize <= text.len()), "{text}");
            }
        }
    }
    assert!(count > 10, "{count}");
}
