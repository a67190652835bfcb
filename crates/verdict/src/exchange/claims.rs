//! The formulas of a certificate as claims about places of the text.
//!
//! A certificate speaks of locations and strings of calls, the text has places: under several strings of calls one of the formulas
//! holds. Parts that speak of what has no name at the place (variables of callers, memory without a name, temporaries) are left out: the
//! claims say less than the certificate, never more.

use super::expression::{self, Name};
use crate::certificate::{Binding, Certificate, Moment, Proof};
use crate::relations;
use crate::scalar;
use craig_base::Span;
use craig_cfa::{EdgeId, LocId, Program, VarId, VarKind};
use craig_encode::memory::ObjectKey;
use craig_logic::{Op, TermId, Terms};
use std::collections::BTreeMap;

/// What holds at a place of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The place: where it starts.
    pub span: Span,
    /// Before the condition of the loop is evaluated; else before the statement.
    pub of_loop: bool,
    pub function: String,
    /// As C.
    pub holds: String,
}

/// Formulas that are larger are no use to anybody.
const LARGEST: u64 = 2000;

/// All that a certificate says, as far as the text has words for it.
pub fn claims(program: &Program, certificate: &Certificate) -> Vec<Claim> {
    let terms = Terms::new();
    // What each location is said to satisfy, under each string of calls.
    let mut said: BTreeMap<LocId, Vec<Said>> = BTreeMap::new();
    match &certificate.proof {
        Proof::Unwinding => {}
        Proof::Relations(proof) => {
            let by = Certificate::new(certificate.arith, (*proof.by).clone());
            let Ok(mut related) = relations::related(program, &proof.contracts) else { return Vec::new() };
            // What calls hand over has no name in the text.
            let new = related.program.vars.iter_mut().skip(program.vars.len());
            new.for_each(|var| var.kind = VarKind::Temp);
            return claims(&related.program, &by);
        }
        Proof::Invariants(proof) => {
            let pairs = proof.symbols.iter().map(|binding| (&binding.symbol, &binding.sort));
            let symbols = symbols(&terms, pairs);
            let read = |text: &str| terms.read_term_with(text, symbols.iter().copied()).ok();
            let common: Vec<TermId> = proof.common.iter().filter_map(|text| read(text)).collect();
            for found in &proof.invariants {
                let loc = LocId::from_raw(found.location);
                let calls: Vec<EdgeId> = found.calls.iter().map(|edge| EdgeId::from_raw(*edge)).collect();
                let Some(own) = read(&found.formula) else { continue };
                if program.locs.get(loc).is_none() {
                    continue;
                }
                let here = Here { program, loc, calls: &calls };
                let bound = proof.symbols.iter().filter_map(|binding| {
                    let (_, symbol) = symbols.iter().find(|(name, _)| *name == binding.symbol)?;
                    here.name(binding, *symbol)
                });
                let names: Vec<Name> = bound.collect();
                let formula = terms.and([own].into_iter().chain(common.iter().copied()));
                said.entry(loc).or_default().push(Said::of(&terms, &names, formula));
            }
        }
        Proof::Procedures(proof) => {
            let symbols = symbols(&terms, proof.symbols.iter().map(|symbol| (&symbol.symbol, &symbol.sort)));
            for found in &proof.invariants {
                let loc = LocId::from_raw(found.location);
                let read = terms.read_term_with(&found.formula, symbols.iter().copied());
                let (Ok(own), Some(_)) = (read, program.locs.get(loc)) else { continue };
                let here = Here { program, loc, calls: &[] };
                let bound = proof.symbols.iter().filter_map(|symbol| {
                    let (_, term) = symbols.iter().find(|(name, _)| *name == symbol.symbol)?;
                    let var = symbol.variable.filter(|_| symbol.moment == Moment::Now)?;
                    here.variable(var, symbol.offset, symbol.word?, *term)
                });
                said.entry(loc).or_default().push(Said::of(&terms, &bound.collect::<Vec<Name>>(), own));
            }
        }
    }
    said.into_iter().filter_map(|(loc, said)| claim(program, loc, &said)).collect()
}

/// Symbols by name.
fn symbols<'a>(
    terms: &Terms,
    declared: impl Iterator<Item = (&'a String, &'a String)>,
) -> Vec<(&'a str, TermId)> {
    let symbol = |(name, sort): (&'a String, &'a String)| {
        let sort = terms.read_sort(sort).ok()?;
        Some((name.as_str(), terms.symbol(name, sort)))
    };
    declared.filter_map(symbol).collect()
}

/// What a formula says in words of C.
enum Said {
    Never,
    Nothing,
    This(String),
}

impl Said {
    fn of(terms: &Terms, names: &[Name], formula: TermId) -> Said {
        if terms.is_false(formula) {
            return Said::Never;
        }
        let mut parts = Vec::new();
        conjuncts(terms, formula, &mut parts);
        parts.retain(|part| terms.tree_size(*part) <= LARGEST);
        let mut words: Vec<String> =
            parts.iter().filter_map(|part| expression::formula(terms, names, *part)).collect();
        words.dedup();
        words.retain(|word| word != "1");
        if words.is_empty() { Said::Nothing } else { Said::This(words.join(" && ")) }
    }
}

fn conjuncts(terms: &Terms, formula: TermId, out: &mut Vec<TermId>) {
    match terms.op(formula) {
        Op::And => terms.args(formula).iter().for_each(|part| conjuncts(terms, *part, out)),
        _ => out.push(formula),
    }
}

fn claim(program: &Program, loc: LocId, said: &[Said]) -> Option<Claim> {
    let at = &program.locs[loc];
    let text = program.source.snippet(at.span);
    let keyword = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    let head =
        program.locs.iter_enumerated().find(|(_, other)| other.span == at.span && other.proc == at.proc);
    let of_loop = matches!(keyword, "while" | "for" | "do") && head.is_some_and(|(first, _)| first == loc);
    if !of_loop && at.label.is_none() {
        return None;
    }
    program.source.place(at.span)?;
    let mut words = Vec::new();
    for part in said {
        match part {
            Said::Never => {}
            Said::Nothing => return None,
            Said::This(text) => words.push(text.clone()),
        }
    }
    words.dedup();
    let holds = match &words[..] {
        [] => "0".into(),
        [one] => one.clone(),
        several => several.iter().map(|word| format!("({word})")).collect::<Vec<String>>().join(" || "),
    };
    Some(Claim { span: at.span, of_loop, function: program.procs[at.proc].name.to_string(), holds })
}

/// A location under a string of calls.
struct Here<'a> {
    program: &'a Program,
    loc: LocId,
    calls: &'a [EdgeId],
}

impl Here<'_> {
    /// What a symbol is called here; nothing if it has no name.
    fn name(&self, binding: &Binding, symbol: TermId) -> Option<Name> {
        let [(object, offset)] = &binding.leaves[..] else { return None };
        if binding.array || binding.address {
            return None;
        }
        let ObjectKey::Var(var, calls) = &object.0 else { return None };
        let global = self.program.vars.get(*var)?.proc.is_none();
        if !global && calls != self.calls {
            return None;
        }
        self.variable(*var, *offset, binding.word?, symbol)
    }

    fn variable(&self, var: VarId, offset: u64, word: i32, symbol: TermId) -> Option<Name> {
        let program = self.program;
        let found = program.vars.get(var)?;
        if !matches!(found.kind, VarKind::Global | VarKind::Local | VarKind::Param) || !self.is_visible(var) {
            return None;
        }
        let fits = |ty| Binding::word_of(&program.types, ty) == Some(word);
        let scalar = scalar::find(&program.types, found.ty, offset, fits)?;
        if scalar.bit.is_some() || program.types.as_int(scalar.ty).is_none() {
            return None;
        }
        let text = format!("{}{}", found.name, scalar.path(&program.types, found.ty));
        Some(Name { symbol, text, word })
    }

    /// Does its name mean the variable here? The last one declared counts of those whose block is not closed yet.
    fn is_visible(&self, var: VarId) -> bool {
        let program = self.program;
        let at = &program.locs[self.loc];
        let here = program.vars[var].proc.is_none() || program.vars[var].proc == Some(at.proc);
        let rival = |(id, other): (VarId, &craig_cfa::Var)| {
            let competes = other.name == program.vars[var].name
                && matches!(other.kind, VarKind::Global | VarKind::Local | VarKind::Param)
                && (other.proc.is_none() || other.proc == Some(at.proc));
            (competes && self.is_open(id)).then_some((other.proc.is_some(), other.span.start, id))
        };
        let last = program.vars.iter_enumerated().filter_map(rival).max();
        here && last.is_some_and(|(_, _, id)| id == var)
    }

    /// Is the location in the block that declares the variable, behind it or in a loop that begins with it?
    fn is_open(&self, var: VarId) -> bool {
        let found = &self.program.vars[var];
        if found.proc.is_none() || found.kind == VarKind::Param {
            return true;
        }
        let (at, declared) = (self.program.locs[self.loc].span, found.span);
        if at.start <= declared.start && declared.end <= at.end {
            let between = Span { start: at.start, end: declared.start };
            return !self.program.source.snippet(between).contains('{');
        }
        if declared.start > at.start {
            return false;
        }
        let between = self.program.source.snippet(Span { start: declared.start, end: at.start });
        let mut depth = 0i32;
        between.chars().all(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth >= 0
        })
    }
}
