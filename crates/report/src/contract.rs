//! What a proof says of procedures: what each needs and what it does, as C.

use crate::clauses::Clause;
use crate::invariant::{self, Line, Said};
use craig_cfa::{LocId, ProcId, Program};
use craig_logic::{TermId, Terms};
use craig_verdict::certificate::{Moment, Procedures, Symbol};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A procedure with what the proof says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contract {
    /// With its parameters: `sum(n)`.
    pub procedure: String,
    pub line: u32,
    /// What holds whenever it is entered. None: nothing is asked for where runs begin, other procedures are never entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires: Option<String>,
    /// What holds whenever it returns. None: that is not said where runs end, other procedures never return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ensures: Option<String>,
    /// Both for people.
    #[serde(skip)]
    conditions: (Option<Vec<Clause>>, Option<Vec<Clause>>),
    /// Do runs begin with it?
    #[serde(skip)]
    is_entry: bool,
}

/// Contracts by procedure, and all other formulas.
pub fn all(program: &Program, proof: &Procedures) -> (Vec<Contract>, Vec<Line>) {
    let words = Words::new(program, proof);
    let mut needs: BTreeMap<ProcId, Vec<&str>> = BTreeMap::new();
    let mut does = needs.clone();
    let mut lines = Vec::new();
    for found in &proof.invariants {
        let loc = LocId::from_raw(found.location);
        let proc = program.locs.get(loc).map(|loc| loc.proc);
        match proc.filter(|proc| program.procs[*proc].entry == loc) {
            Some(proc) => needs.entry(proc).or_default().push(&found.formula),
            None => {
                let (formula, conditions) = words.formula(&[&found.formula], false);
                lines.push(Line { line: Some(found.line), formula, conditions });
            }
        }
    }
    for summary in &proof.summaries {
        does.entry(ProcId::from_raw(summary.procedure)).or_default().push(&summary.formula);
    }
    let procs: BTreeSet<ProcId> = needs.keys().chain(does.keys()).copied().collect();
    let contract = |id: &ProcId| {
        let proc = program.procs.get(*id)?;
        let params: Vec<&str> = proc.params.iter().map(|param| &*program.vars[*param].name).collect();
        let requires = needs.get(id).map(|formulas| words.formula(formulas, true));
        let ensures = does.get(id).map(|formulas| words.formula(formulas, false));
        let (requires, needed) = requires.unzip();
        let (ensures, done) = ensures.unzip();
        Some(Contract {
            procedure: format!("{}({})", proc.name, params.join(", ")),
            line: program.source.line(proc.span),
            requires,
            ensures,
            conditions: (needed, done),
            is_entry: *id == program.entry,
        })
    };
    (procs.iter().filter_map(contract).collect(), lines)
}

/// The proof, with further formulas, as much as fits.
pub fn text(program: &Program, proof: &Procedures, more: &[Line]) -> String {
    let (mut contracts, mut lines) = all(program, proof);
    lines.extend_from_slice(more);
    contracts.retain(|contract| !contract.words().is_empty());
    let counted = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let counts = [counted(contracts.len(), "contract"), counted(lines.len(), "invariant")];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if counts.is_empty() {
        return "No path leads to the error (checked).\n".into();
    }
    let contracts = contracts.iter().map(|contract| (contract.procedure.clone(), contract.words()));
    let lines = lines.iter().map(|line| (line.place(), vec![("", line.conditions.clone())]));
    let rows = invariant::rows(contracts.chain(lines).collect());
    format!("Proof with {} (checked):\n{rows}", counts.join(" and "))
}

impl Contract {
    /// What the procedure needs and does; nothing if that is nothing.
    pub(crate) fn words(&self) -> Vec<Said> {
        let part = |said: &Option<Vec<Clause>>, word: &'static str, without: &str| match said {
            Some(conditions) if conditions.is_empty() => None,
            Some(conditions) => Some((word, conditions.clone())),
            None if self.is_entry => None,
            None => Some(("", vec![Clause::words(without)])),
        };
        let parts = [
            part(&self.conditions.0, "requires", "never entered"),
            part(&self.conditions.1, "ensures", "never returns"),
        ];
        parts.into_iter().flatten().collect()
    }
}

/// The formulas of a proof, read with names for people.
struct Words<'a> {
    terms: Terms,
    /// Each symbol of the proof, as it is called inside of a procedure and where it is entered: then all values are those of now.
    names: Vec<(&'a str, TermId, TermId)>,
}

impl<'a> Words<'a> {
    fn new(program: &Program, proof: &'a Procedures) -> Words<'a> {
        let mut words = Words { terms: Terms::new(), names: Vec::new() };
        // Results come first in sums, then values of now.
        let mut symbols: Vec<&Symbol> = proof.symbols.iter().collect();
        symbols.sort_by_key(|symbol| match symbol.moment {
            Moment::Result => 0,
            Moment::Now => 1,
            Moment::Entry => 2,
        });
        for symbol in symbols {
            let now = Symbol { moment: Moment::Now, ..symbol.clone() };
            let entered = if symbol.moment == Moment::Entry { &now } else { symbol };
            let terms =
                words.term(symbol.name(program), symbol).zip(words.term(entered.name(program), symbol));
            words.names.extend(terms.map(|(inside, entered)| (&*symbol.symbol, inside, entered)));
        }
        words
    }

    /// A symbol of this name, of the sort of another.
    fn term(&self, name: String, like: &Symbol) -> Option<TermId> {
        let sort = self.terms.read_sort(&like.sort).ok()?;
        Some(match self.terms.find_symbol(&name) {
            Some(known) if self.terms.sort(known) != sort => self.terms.fresh(&name, sort),
            _ => self.terms.symbol(&name, sort),
        })
    }

    /// Formulas that hold together, where a procedure is entered or elsewhere, and the same for people; as they stand if they cannot be read.
    fn formula(&self, formulas: &[&str], at_entry: bool) -> (String, Vec<Clause>) {
        let text = match formulas {
            [one] => (*one).to_string(),
            several => format!("(and {})", several.join(" ")),
        };
        let name = |(name, inside, entered): &(&'a str, TermId, TermId)| {
            (*name, if at_entry { *entered } else { *inside })
        };
        let names: Vec<(&str, TermId)> = self.names.iter().map(name).collect();
        let term = self.terms.read_term_with(&text, names);
        match term {
            Ok(term) => (invariant::formula(&self.terms, term), invariant::conditions(&self.terms, term)),
            Err(_) => (text.clone(), vec![Clause::words(text)]),
        }
    }
}
