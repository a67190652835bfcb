//! The formulas of a proof: as C for tools, condition by condition for people.

use crate::clauses::{self, Clause, clauses};
use craig_logic::{TermId, Terms};
use craig_verdict::certificate::{Binding, Invariants};
use serde::Serialize;
use std::fmt::Write;

/// Formulas of a proof that are shown, conditions of each, and characters of these.
const SHOWN: usize = 20;
const CONDITIONS: usize = 12;
const LONGEST: usize = 300;
/// Columns of what is said of a place in one line.
const WIDTH: usize = 110;

/// A formula and where it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// None: at all of these lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub formula: String,
    /// The same for people.
    #[serde(skip)]
    pub conditions: Vec<Clause>,
}

/// All formulas of a proof.
pub fn lines(proof: &Invariants) -> Vec<Line> {
    let own = proof.invariants.iter().map(|i| (Some(i.line), &i.formula));
    let all: Vec<(Option<u32>, &String)> = own.chain(proof.common.iter().map(|f| (None, f))).collect();
    let terms = Terms::new();
    let name = |binding: &Binding| {
        let sort = terms.read_sort(&binding.sort).ok()?;
        Some((binding.symbol.clone(), terms.symbol(&binding.symbol, sort)))
    };
    let names: Vec<(String, TermId)> = proof.symbols.iter().filter_map(name).collect();
    // By the names of the proof: a variable may be called as an operation is.
    let read = |text: &str| terms.read_term_with(text, names.iter().map(|(name, term)| (&**name, *term)));
    let shown = |(line, text): (Option<u32>, &String)| {
        let (formula, conditions) = match read(text) {
            Ok(term) => (formula(&terms, term), conditions(&terms, term)),
            Err(_) => (text.clone(), vec![Clause::words(text.as_str())]),
        };
        Line { line, formula, conditions }
    };
    all.into_iter().map(shown).collect()
}

impl Line {
    pub(crate) fn place(&self) -> String {
        self.line.map_or("everywhere".into(), |line| format!("line {line}"))
    }
}

/// The formulas of a proof, as many as fit.
pub fn text(proof: &Invariants) -> String {
    rows(lines(proof).iter().map(|line| (line.place(), vec![("", line.conditions.clone())])).collect())
}

/// Conditions, with a word for what they are.
pub(crate) type Said = (&'static str, Vec<Clause>);

/// What is said of what, as much of it as fits.
pub(crate) fn rows(all: Vec<(String, Vec<Said>)>) -> String {
    let mut out = String::new();
    for (of, said) in all.iter().take(SHOWN) {
        let with = |word: &str, text: &str| match word {
            "" => text.to_string(),
            word => format!("{word} {text}"),
        };
        let parts = said.iter().map(|(word, conditions)| with(word, &clauses::line(conditions)));
        let line = parts.collect::<Vec<_>>().join("; ");
        if line.chars().count() <= WIDTH {
            let _ = writeln!(out, "  {of}: {line}");
            continue;
        }
        let _ = writeln!(out, "  {of}:");
        for (word, conditions) in said {
            for condition in conditions.iter().take(CONDITIONS) {
                let _ = writeln!(out, "    {}", with(word, &cut(condition.text())));
            }
            if let Some(more) = conditions.len().checked_sub(CONDITIONS).filter(|n| *n > 0) {
                let _ = writeln!(out, "    ... and {more} more conditions");
            }
        }
    }
    if let Some(more) = all.len().checked_sub(SHOWN).filter(|n| *n > 0) {
        let _ = writeln!(out, "  ... and {more} more");
    }
    out
}

/// As much of a condition as fits.
fn cut(condition: &str) -> String {
    let text: String = condition.chars().take(LONGEST).collect();
    if text.len() < condition.len() { format!("{text} ...") } else { text }
}

/// A formula that is larger is not for people, and as text without names for its parts it may be larger than any memory.
const LARGEST: u64 = 4000;

/// A formula as C writes it; as SMT-LIB where C has no word for it.
pub(crate) fn formula(terms: &Terms, term: TermId) -> String {
    if terms.is_true(term) {
        "true".into()
    } else if terms.is_false(term) {
        "false (never reached)".into()
    } else if terms.tree_size(term) > LARGEST {
        format!("a formula of {} parts (in the witness file)", terms.dag_size(term))
    } else {
        terms.c(term)
    }
}

/// A formula condition by condition.
pub(crate) fn conditions(terms: &Terms, term: TermId) -> Vec<Clause> {
    if terms.is_false(term) || terms.tree_size(term) > LARGEST {
        return vec![Clause::words(formula(terms, term))];
    }
    clauses(terms, term)
}
