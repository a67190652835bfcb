//! Recursive programs for engines that know no calls: contracts in place of recursive calls (`craig_verdict::relations`).
//!
//! Contracts are what runs show and what holds together ([`crate::runs`]), without what follows from the rest; there may be none, and then a call does anything to what it may
//! change. That alone decides programs whose recursion has little to do with the error. The task is one like any other. A certificate about it becomes one about the program by the contracts
//! beside it, and the checker proves both. A path to the error is replayed with what the program chooses on it outside of recursive calls, which the interpreter makes as they are; if that does not come to the error, or the path begins inside of a recursive procedure, the contracts are too weak.

use crate::facts::Member;
use crate::runs;
use crate::task::Task;
use craig_base::Budget;
use craig_cfa::pass::PrepareOptions;
use craig_cfa::{EdgeId, LocId, Name, ProcId, Program, VarId};
use craig_encode::memory::{CellKind, ObjectKey};
use craig_encode::range::Range;
use craig_encode::{Arith, Encoder, Options};
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_smt::{Smt, Status};
use craig_verdict::certificate::{self, Invariant, Moment, Procedures, Summary};
use craig_verdict::relations::{self, Related, related};
use craig_verdict::{Certificate, Outcome, Proof, Reason};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Contracts of recursive procedures, in place of their calls.
#[derive(Debug, Clone)]
pub struct Relations {
    pub contracts: Arc<Procedures>,
    /// Edges of the source from this one on are not of the program that the front end made.
    first: EdgeId,
    /// Those that stand for what calls do.
    arbitrary: FxHashMap<EdgeId, ProcId>,
    /// Those where a run begins with another activation than that of the entry.
    begins: FxHashMap<EdgeId, ProcId>,
    /// What activations keep of their entries.
    entered: FxHashMap<(ProcId, VarId), VarId>,
}

impl Relations {
    /// A program with these in place of recursive calls.
    pub fn of(source: &Program, contracts: Arc<Procedures>) -> Result<(Arc<Program>, Relations), Reason> {
        let Related { program, first, arbitrary, begins, entered } = related(source, &contracts)?;
        Ok((Arc::new(program), Relations { contracts, first, arbitrary, begins, entered }))
    }

    /// From an answer about the program with relations to one about the program without: a certificate gets the contracts that it leans on. A path that begins with the entry may be an
    /// execution, even if contracts stand in it for what calls did: these may say all that there is to say. Whose contracts these are is said, too.
    pub fn back(&self, program: &Program, outcome: Outcome) -> (Outcome, Option<Name>) {
        let name = |proc: &ProcId| program.procs[*proc].name.clone();
        match outcome {
            Outcome::Safe(certificate) => {
                let contracts = Procedures::clone(&self.contracts);
                let by = Box::new(certificate.proof);
                let proof = Proof::Relations(certificate::Relations { contracts, by });
                (Outcome::Safe(Certificate { proof, ..certificate }), None)
            }
            Outcome::Unsafe(mut found) => {
                if let Some(proc) = found.steps.iter().find_map(|step| self.begins.get(&step.edge)) {
                    return (Outcome::Unknown(Reason::Contract(name(proc))), None);
                }
                let contract = found.steps.iter().find_map(|step| self.arbitrary.get(&step.edge));
                let contract = contract.map(name);
                found.steps.retain(|step| step.edge < self.first);
                (Outcome::Unsafe(found), contract)
            }
            other => (other, None),
        }
    }
}

impl Relations {
    /// The contracts, for those who want to see them.
    pub fn text(&self, program: &Program) -> String {
        let Procedures { invariants, summaries, .. } = &*self.contracts;
        let needs = invariants.iter().map(|found| {
            let proc = program.locs[LocId::from_raw(found.location)].proc;
            format!("{} requires {}", program.procs[proc].name, found.formula)
        });
        let does = summaries.iter().map(|found| {
            let proc = ProcId::from_raw(found.procedure);
            format!("{} ensures {}", program.procs[proc].name, found.formula)
        });
        needs.chain(does).collect::<Vec<String>>().join("\n")
    }
}

/// Has the program recursion that contracts can stand for?
pub fn possible(task: &Task) -> bool {
    task.is_recursive() && relations::recursive(&task.source).is_ok_and(|found| !found.is_empty())
}

/// The task with contracts in place of recursive calls.
pub fn task(plain: &Task, options: &PrepareOptions, budget: &Budget) -> Result<Task, Reason> {
    let recursive = relations::recursive(&plain.source)?;
    let known = runs::contracts_of(plain, budget)?;
    let contracts = least(plain, &known, &recursive, budget)?;
    let task = plain.related(Arc::new(contracts), options, budget)?;
    tell(&task, &known);
    Ok(task)
}

/// What holds at loops beside the contracts is told to who works on the task; nobody relies on it.
fn tell(task: &Task, known: &Procedures) {
    let Some(relations) = &task.relations else { return };
    let (program, source, layout) = (task.program(), &task.source, &task.layout);
    let terms = Rc::new(Terms::new());
    let options = Options { arith: Arith::Int, signed_wrap: task.signed_wrap };
    let encoder = Encoder::new(program, layout, Rc::clone(&terms), options);
    let state = encoder.symbols(None);
    let member = Member::new(&task.facts, Arith::Int);
    for found in &known.invariants {
        for (loc, place) in program.locs.iter_enumerated().filter(|(_, p)| p.origin.raw() == found.location) {
            let calls = program.calls.path(place.calls);
            let proc = source.locs[place.origin].proc;
            // Of an activation that a run begins with the entry is remembered.
            let entered = |var| relations.entered.get(&(proc, var)).copied().filter(|_| calls.len() == 1);
            let value = |symbol: &certificate::Symbol| {
                let var = symbol.variable?;
                let key = match symbol.moment {
                    Moment::Entry => ObjectKey::Var(entered(var)?, Vec::new()),
                    _ if source.vars[var].proc.is_none() => ObjectKey::Var(var, Vec::new()),
                    _ => ObjectKey::Var(var, calls.clone()),
                };
                let cell = layout.find_leaf(&key, symbol.offset)?;
                matches!(layout.cells()[cell].kind, CellKind::Scalar { .. }).then(|| state.cells[cell])
            };
            let named = known.symbols.iter().filter_map(|symbol| Some((&*symbol.symbol, value(symbol)?)));
            // What cannot be said here cannot be read.
            if let Ok(formula) = terms.read_term_with(&found.formula, named.collect::<Vec<_>>()) {
                member.give(&terms, loc, formula);
            }
        }
    }
}

/// What is worth saying of these procedures: nothing of globals that they have nothing to do with, and nothing that follows from the rest.
fn least(
    plain: &Task,
    known: &Procedures,
    recursive: &BTreeMap<ProcId, BTreeSet<VarId>>,
    budget: &Budget,
) -> Result<Procedures, Reason> {
    let source = &plain.source;
    let terms = Rc::new(Terms::new());
    let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
    // Contracts have words for numbers and truth values; what speaks of anything else cannot be read.
    let declare = |symbol: &certificate::Symbol| match symbol.sort.as_str() {
        "Bool" => Some(terms.symbol(&symbol.symbol, Sort::Bool)),
        "Int" => Some(terms.symbol(&symbol.symbol, Sort::Int)),
        _ => None,
    };
    let declared: Vec<(&certificate::Symbol, TermId)> =
        known.symbols.iter().filter_map(|symbol| Some((symbol, declare(symbol)?))).collect();
    let symbols: Vec<(&str, TermId)> = declared.iter().map(|(s, term)| (&*s.symbol, *term)).collect();
    // That machine integers lie in their types need not be said.
    let range = |(symbol, term): &(&certificate::Symbol, TermId)| {
        let range = Range::of(source.types.as_int(source.vars[symbol.variable?].ty)?)?;
        let number = |n: i128| terms.numeral(&Rat::from_ibig(n.into()), Sort::Int);
        let (low, high) = (number(range.low), number(range.high));
        (terms.sort(*term) == Sort::Int).then(|| terms.and([terms.le(low, *term), terms.le(*term, high)]))
    };
    let ranges: Vec<TermId> = declared.iter().filter_map(range).collect();
    let mut least = Procedures::default();
    for (&proc, touched) in recursive {
        let here = |var: VarId| source.vars[var].proc.is_some() || touched.contains(&var);
        let is_foreign =
            |(symbol, _): &&(&certificate::Symbol, TermId)| symbol.variable.is_some_and(|var| !here(var));
        let foreign: BTreeSet<TermId> = declared.iter().filter(is_foreign).map(|(_, term)| *term).collect();
        let read = |texts: Vec<&String>| {
            let formulas = texts.into_iter().filter_map(|text| {
                let term = terms.read_term_with(text, symbols.iter().copied()).ok()?;
                let own = terms.symbols_of(term).iter().all(|id| !foreign.contains(&terms.symbol_term(*id)));
                own.then_some(term)
            });
            formulas.collect::<Vec<TermId>>()
        };
        let entry = source.procs[proc].entry;
        let needs = known.invariants.iter().filter(|found| LocId::from_raw(found.location) == entry);
        let does = known.summaries.iter().filter(|found| found.procedure == proc.raw());
        let needs = without_consequences(&smt, &ranges, read(needs.map(|found| &found.formula).collect()));
        let does = without_consequences(&smt, &ranges, read(does.map(|found| &found.formula).collect()));
        budget.check()?;
        let line = source.source.line(source.locs[entry].span);
        least.invariants.push(Invariant::new(entry, &[], line, terms.smt(terms.and(needs))));
        least.summaries.push(Summary::new(source, proc, terms.smt(terms.and(does))));
    }
    let said = least.invariants.iter().map(|i| &i.formula).chain(least.summaries.iter().map(|s| &s.formula));
    let said: Vec<TermId> =
        said.filter_map(|text| terms.read_term_with(text, symbols.iter().copied()).ok()).collect();
    let used: BTreeSet<TermId> =
        terms.symbols_of_all(&said).into_iter().map(|id| terms.symbol_term(id)).collect();
    let used = declared.iter().filter(|(_, term)| used.contains(term));
    least.symbols = used.map(|(symbol, _)| (*symbol).clone()).collect();
    Ok(least)
}

/// Work for one question whether something follows; what takes more does not.
const WORK: u64 = 100_000;

/// Without what follows from the others and what is known; the first are kept rather than the last.
fn without_consequences(smt: &Smt, known: &[TermId], mut formulas: Vec<TermId>) -> Vec<TermId> {
    let terms = smt.terms();
    let mut seen = BTreeSet::new();
    formulas.retain(|formula| !terms.is_true(*formula) && seen.insert(*formula));
    let mut at = formulas.len();
    while at > 0 {
        at -= 1;
        let follows = smt.limited(WORK, || {
            let mut session = smt.session();
            known.iter().for_each(|formula| session.assert(*formula));
            for (other, formula) in formulas.iter().enumerate() {
                session.assert(if other == at { terms.not(*formula) } else { *formula });
            }
            session.check()
        });
        if let Status::Unsat = follows {
            formulas.remove(at);
        }
    }
    formulas
}
