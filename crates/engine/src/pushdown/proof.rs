//! From what a search claims of each point to a certificate, procedure by procedure.
//!
//! At a control point the relation between the values at the entry of the activation and those of now is an invariant, at the exit it is the
//! summary of the procedure. Formulas are said in [`super::words`] where there are any. Abstract bits are replaced by their predicates. Invariants are given where cycles need them and at entries.

#![allow(clippy::mutable_key_type, reason = "a diagram is known by its root, which does not change")]

use super::abstraction::Abstraction;
use super::concrete::Concrete;
use super::space::{BitId, Place, RegId, Space, Version};
use super::storage::{Leaf, Shapes};
use super::system::{Point, PointId, PointKind, System, UnitId};
use super::words::{self, Atom, Effort, Word, Words};
use super::{Options, Res};
use craig_cfa::graph::order;
use craig_cfa::{Const, ExprId, ExprKind, Program, VarId};
use craig_encode::Arith;
use craig_logic::{Sort, TermId, Terms};
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Function};
use craig_verdict::certificate::{Certificate, Invariant, Procedures, Proof, Summary, Symbol};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Names for the values of a program.
struct Wording<'a> {
    system: &'a System<'a>,
    space: &'a Space,
    shapes: Shapes<'a>,
    terms: Terms,
    symbols: Vec<Symbol>,
    values: Vec<Named>,
    /// Numbers that the program speaks of.
    numbers: Vec<u128>,
    effort: Cell<Effort>,
    /// Something was not said in words.
    wordless: Cell<bool>,
}

/// A value with a name: a scalar of a variable or of a result.
struct Named {
    /// Whose it is; none for globals.
    unit: Option<UnitId>,
    version: Version,
    bits: Vec<BitId>,
    term: TermId,
    signed: bool,
}

/// What formulas of a point may speak of.
struct Scope<'a> {
    words: Words<'a>,
    /// The term that holds if a bit is set.
    bits: FxHashMap<BddVar, TermId>,
}

impl<'a> Wording<'a> {
    fn new(concrete: &Concrete<'a>, int_bits: Option<u16>) -> Res<Wording<'a>> {
        let (system, space) = (concrete.system, concrete.space);
        let mut wording = Wording {
            system,
            space,
            shapes: Shapes { program: system.program, int_bits },
            terms: Terms::new(),
            symbols: Vec::new(),
            values: Vec::new(),
            numbers: numbers(system.program),
            effort: Cell::new(Effort::PROOF),
            wordless: Cell::new(false),
        };
        for (id, var) in system.program.vars.iter_enumerated() {
            if var.proc.is_none() {
                wording.variable(id, None)?;
            }
        }
        for unit in system.units.indices() {
            for var in &system.program.procs[system.units[unit].proc].locals {
                wording.variable(*var, Some(unit))?;
            }
            wording.result(unit)?;
        }
        Ok(wording)
    }

    /// Names the values of a variable, now and, of globals and parameters, at the entry.
    fn variable(&mut self, id: VarId, unit: Option<UnitId>) -> Res<()> {
        let program = self.system.program;
        let Some(regs) = self.system.storage.regs[id].clone() else { return Ok(()) };
        let var = &program.vars[id];
        let leaves = self.shapes.leaves(var.ty, var.span)?;
        let several = leaves.len() > 1;
        let has_entry =
            unit.is_none_or(|unit| program.procs[self.system.units[unit].proc].params.contains(&id));
        for (i, (reg, leaf)) in regs.iter().zip(&leaves).enumerate() {
            let mut name = var.name.to_string();
            if let Some(unit) = unit {
                name = format!("{}.{name}", program.procs[self.system.units[unit].proc].name);
            }
            if several {
                name = format!("{name}[{i}]");
            }
            let now = Symbol::now(program, Arith::Bv, &self.unused(&name), id, leaf.offset);
            self.declare(now, unit, *reg, leaf, Version::Now);
            if has_entry {
                let entry =
                    Symbol::entry(program, Arith::Bv, &self.unused(&format!("old.{name}")), id, leaf.offset);
                self.declare(entry, unit, *reg, leaf, Version::Entry);
            }
        }
        Ok(())
    }

    fn result(&mut self, unit: UnitId) -> Res<()> {
        let program = self.system.program;
        let proc = &program.procs[self.system.units[unit].proc];
        let leaves = self.shapes.leaves(proc.ret, proc.span)?;
        for (i, leaf) in leaves.iter().enumerate() {
            let Some(reg) = self.system.storage.result.get(i) else { continue };
            let name = self.unused(&format!("result.{}", proc.name));
            let symbol = Symbol::result(program, Arith::Bv, &name, proc.ret, leaf.offset);
            self.declare(symbol, Some(unit), *reg, leaf, Version::Now);
        }
        Ok(())
    }

    /// A name that no symbol has yet: blocks of a procedure may have variables of the same name.
    fn unused(&self, name: &str) -> String {
        let mut tried = name.to_string();
        let mut count = 1;
        while self.symbols.iter().any(|s| s.symbol == tried) {
            count += 1;
            tried = format!("{name}.{count}");
        }
        tried
    }

    fn declare(
        &mut self,
        symbol: Option<Symbol>,
        unit: Option<UnitId>,
        reg: RegId,
        leaf: &Leaf,
        version: Version,
    ) {
        let Some(symbol) = symbol else { return };
        let bits = self.space.reg(reg)[..leaf.width].to_vec();
        let term = self.terms.symbol(&symbol.symbol, Sort::BitVec(leaf.width as u32));
        let signed = self.shapes.scalar(leaf.ty).is_some_and(|(_, signed)| signed);
        self.symbols.push(symbol);
        self.values.push(Named { unit, version, bits, term, signed });
    }

    /// The values of a procedure, and those with which one that it calls began.
    fn scope(&self, unit: UnitId, callee: Option<UnitId>) -> Scope<'_> {
        let mut words = Vec::new();
        let of = |value: &Named, unit: UnitId| value.unit.is_none_or(|own| own == unit);
        let word = |value: &Named, version: Version, term: TermId| Word {
            term,
            vars: value.bits.iter().map(|bit| self.space.var(version, *bit)).collect(),
            signed: value.signed,
        };
        words.extend(self.values.iter().filter(|v| of(v, unit)).map(|v| word(v, v.version, v.term)));
        if let Some(callee) = callee {
            let began = self.values.iter().filter(|v| of(v, callee) && v.version == Version::Entry);
            words.extend(began.map(|value| {
                let name = format!("new.{}", self.terms.c(value.term).trim_start_matches("old."));
                word(value, Version::Inner, self.terms.symbol(&name, self.terms.sort(value.term)))
            }));
        }
        let mut bits = FxHashMap::default();
        for word in &words {
            for (i, var) in word.vars.iter().enumerate() {
                let i = i as u32;
                let here = if word.vars.len() == 1 { word.term } else { self.terms.extract(i, i, word.term) };
                bits.insert(*var, self.terms.eq(here, self.terms.bv(1, 1)));
            }
        }
        let numbers = self.numbers.clone();
        Scope { words: Words { space: self.space, terms: &self.terms, words, numbers }, bits }
    }

    /// A diagram about values as a term: in words if there are any, else bit by bit.
    fn term(&self, scope: &Scope<'_>, function: &Bdd) -> TermId {
        let mut effort = self.effort.get();
        let words = scope.words.phrase(function, &mut effort);
        self.effort.set(effort);
        words.unwrap_or_else(|| self.wordless(function, &scope.bits))
    }

    /// As a term that follows the diagram, for what its variables mean.
    fn wordless(&self, function: &Bdd, meanings: &FxHashMap<BddVar, TermId>) -> TermId {
        self.wordless.set(true);
        self.structure(function, meanings, &mut FxHashMap::default())
    }

    fn structure(
        &self,
        function: &Bdd,
        meanings: &FxHashMap<BddVar, TermId>,
        memo: &mut FxHashMap<Bdd, TermId>,
    ) -> TermId {
        if let Some(known) = memo.get(function) {
            return *known;
        }
        let term = match self.space.bdds.split(function) {
            None => self.terms.bool(function.valid()),
            Some((var, then, otherwise)) => {
                let then = self.structure(&then, meanings, memo);
                let otherwise = self.structure(&otherwise, meanings, memo);
                // Every variable has a meaning; one without would make the formula say nothing true.
                meanings.get(&var).map_or(self.terms.fls(), |c| self.terms.ite(*c, then, otherwise))
            }
        };
        memo.insert(function.clone(), term);
        term
    }

    /// Abstract states of a point: in terms of values if that is in words, else of what the predicates say.
    fn abstract_term(
        &self,
        abstraction: &Abstraction,
        scope: &Scope<'_>,
        point: PointId,
        states: &Bdd,
    ) -> Res<TermId> {
        let (system, space) = (self.system, self.space);
        let unit = system.points[point].unit;
        let to_entry = space.renaming(Version::Now, Version::Entry, &system.inputs(unit));
        let mut predicates: Vec<(BddVar, Bdd)> = Vec::new();
        for (bit, predicate) in abstraction.tracked(point) {
            predicates.push((space.abstract_var(Place::Now, bit), predicate.clone()));
        }
        for (bit, predicate) in abstraction.tracked(system.units[unit].entry) {
            predicates.push((space.abstract_var(Place::Entry, bit), to_entry.apply(predicate)?));
        }
        let used = space.bdds.support(states);
        predicates.retain(|(var, _)| used.binary_search(var).is_ok());
        let mut effort = self.effort.get();
        let nodes: usize = predicates.iter().map(|(_, predicate)| predicate.node_count()).sum();
        // Without room for the whole it is said in parts.
        if predicates.len() <= MOST_PUT_TOGETHER
            && nodes <= MOST_NODES_PUT_TOGETHER
            && let Ok(together) = space.bdds.substitution(predicates.iter().cloned()).apply(states)
        {
            let words = scope.words.phrase(&together, &mut effort);
            self.effort.set(effort);
            if let Some(term) = words {
                return Ok(term);
            }
        }
        let mut meanings = FxHashMap::default();
        let mut atoms = Vec::new();
        for (var, predicate) in &predicates {
            let term = self.term(scope, predicate);
            meanings.insert(*var, term);
            let cost = self.terms.dag_size(term) as u32;
            atoms.push(Atom { function: space.bdds.var(*var)?, term, cost });
        }
        let mut effort = self.effort.get();
        let words = words::combine(space, &self.terms, &atoms, states, &mut effort);
        self.effort.set(effort);
        Ok(words.unwrap_or_else(|| self.wordless(states, &meanings)))
    }
}

/// Predicates that are put together to one formula about values at most, and their nodes.
const MOST_PUT_TOGETHER: usize = 12;
const MOST_NODES_PUT_TOGETHER: usize = 2000;

/// Numbers that a program speaks of, small ones first.
fn numbers(program: &Program) -> Vec<u128> {
    let exprs = &program.exprs;
    let number = |e: usize| match exprs.kind(ExprId::from_usize(e)) {
        ExprKind::Const(Const::Bits(value)) => Some(*value),
        _ => None,
    };
    let mut found: Vec<u128> = (0..exprs.len()).filter_map(number).collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(words::MOST_NUMBERS);
    found
}

/// What holds at a point whenever control is there.
pub enum Claim<'a> {
    /// About values.
    Values(Bdd),
    /// About the bits of an abstraction.
    Abstract(&'a Abstraction, &'a Bdd),
}

impl Claim<'_> {
    fn is_false(&self) -> bool {
        match self {
            Claim::Values(states) => !states.satisfiable(),
            Claim::Abstract(_, states) => !states.satisfiable(),
        }
    }
}

/// The certificate of a search that did not meet the error, from what it claims of points: the relation between the values at the entry and
/// those of now.
///
/// It speaks of the points where cycles need it. Where that takes more than words, it speaks of every point: a checker with diagrams then
/// meets one statement at a time, and formulas of neighbours that are much alike.
pub fn certificate<'c>(
    concrete: &Concrete<'_>,
    options: &Options,
    claim: impl Fn(PointId) -> Res<Claim<'c>>,
) -> Res<Certificate> {
    let system = concrete.system;
    let program = system.program;
    let wording = Wording::new(concrete, options.int_bits)?;
    let order = order(program, &program.graph());
    let is_cut = |point: &Point| matches!(point.kind, PointKind::At(loc) if order.loop_head[loc]);
    let say = |id: PointId| {
        let (point, claim) = (&system.points[id], claim(id)?);
        // Where nothing is said control never comes. But without a formula where a loop is cut, the checker would cut it elsewhere.
        if !is_cut(point) && claim.is_false() {
            return Ok(None);
        }
        let scope = wording.scope(point.unit, None);
        let term = match claim {
            Claim::Values(states) => wording.term(&scope, &states),
            Claim::Abstract(abstraction, states) => wording.abstract_term(abstraction, &scope, id, states)?,
        };
        Res::Ok(Some(wording.terms.smt(term)))
    };
    let mut formulas: IndexVec<PointId, Option<String>> = index_vec![None; system.points.len()];
    let mut others = Vec::new();
    for (id, point) in system.points.iter_enumerated() {
        match point.kind {
            PointKind::At(_) if !is_cut(point) && id != system.units[point.unit].entry => others.push(id),
            PointKind::At(_) | PointKind::Exit => formulas[id] = say(id)?,
            _ => {}
        }
    }
    if wording.wordless.get() {
        for id in others {
            formulas[id] = say(id)?;
        }
    }
    let mut proof = Procedures::default();
    for (point, formula) in system.points.iter().zip(formulas) {
        let Some(formula) = formula else { continue };
        if let PointKind::At(loc) = point.kind {
            let line = program.source.line(program.locs[loc].span);
            proof.invariants.push(Invariant::new(loc, &[], line, formula));
        } else {
            proof.summaries.push(Summary::new(program, system.units[point.unit].proc, formula));
        }
    }
    proof.symbols = wording.symbols;
    Ok(Certificate::new(Arith::Bv, Proof::Procedures(proof)))
}

/// A formula of a point for people.
pub fn text(concrete: &Concrete<'_>, point: PointId, formula: &Bdd) -> String {
    let nodes = formula.node_count();
    if nodes > MOST_NODES {
        return format!("a diagram of {nodes} nodes");
    }
    let Ok(wording) = Wording::new(concrete, None) else { return "?".into() };
    let callee = match concrete.system.points[point].kind {
        PointKind::Pivot { callee } => Some(callee),
        _ => None,
    };
    let scope = wording.scope(concrete.system.points[point].unit, callee);
    let term = wording.term(&scope, formula);
    let mut text = wording.terms.c(term);
    if text.len() > MOST_TEXT {
        let end = (0..=MOST_TEXT).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

const MOST_TEXT: usize = 400;
/// As text a diagram is a tree.
const MOST_NODES: usize = 60;
