//! From what the search knows of each point to a certificate, procedure by procedure.
//!
//! At a control point the relation between the values at the entry of the activation and those of now is an invariant, at the exit it is the
//! summary of the procedure. Abstract bits are replaced by their predicates. Invariants are given where cycles need them and at entries.

use super::abstraction::Abstraction;
use super::concrete::Concrete;
use super::saturation::Witness;
use super::space::{BitId, Place, Space, Version};
use super::storage::Shapes;
use super::system::{PointId, PointKind, System, UnitId};
use super::{Options, Res};
use craig_cfa::VarId;
use craig_cfa::graph::order;
use craig_encode::Arith;
use craig_logic::{Sort, TermId, Terms};
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Function};
use craig_verdict::certificate::{Certificate, Invariant, Procedures, Proof, Summary, Symbol};
use rustc_hash::FxHashMap;

/// Diagrams as terms over named values.
struct Wording<'a> {
    system: &'a System<'a>,
    space: &'a Space,
    shapes: Shapes<'a>,
    terms: Terms,
    symbols: Vec<Symbol>,
    /// The term of a bit that holds if it is set, for a procedure's variables.
    bits: FxHashMap<(UnitId, BitId, Version), TermId>,
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
            bits: FxHashMap::default(),
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
            let bits = self.space.reg(*reg)[..leaf.width].to_vec();
            let now = Symbol::now(program, Arith::Bv, &self.unused(&name), id, leaf.offset);
            self.declare(now, unit, &bits, Version::Now);
            if has_entry {
                let entry =
                    Symbol::entry(program, Arith::Bv, &self.unused(&format!("old.{name}")), id, leaf.offset);
                self.declare(entry, unit, &bits, Version::Entry);
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
            let bits = self.space.reg(*reg)[..leaf.width].to_vec();
            let name = self.unused(&format!("result.{}", proc.name));
            let symbol = Symbol::result(program, Arith::Bv, &name, proc.ret, leaf.offset);
            self.declare(symbol, Some(unit), &bits, Version::Now);
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

    fn declare(&mut self, symbol: Option<Symbol>, unit: Option<UnitId>, bits: &[BitId], version: Version) {
        let Some(symbol) = symbol else { return };
        let width = bits.len() as u32;
        let value = self.terms.symbol(&symbol.symbol, Sort::BitVec(width));
        self.symbols.push(symbol);
        for (i, bit) in bits.iter().enumerate() {
            let here = if width == 1 { value } else { self.terms.extract(i as u32, i as u32, value) };
            let set = self.terms.eq(here, self.terms.bv(1, 1));
            match unit {
                Some(unit) => {
                    self.bits.insert((unit, *bit, version), set);
                }
                None => {
                    for unit in self.system.units.indices() {
                        self.bits.insert((unit, *bit, version), set);
                    }
                }
            }
        }
    }

    /// A diagram about a procedure's values as a term. What an abstract bit stands for is asked of `leaf`.
    fn term(
        &self,
        unit: UnitId,
        function: &Bdd,
        memo: &mut FxHashMap<Bdd, TermId>,
        leaf: &mut dyn FnMut(&Self, BddVar) -> Option<TermId>,
    ) -> TermId {
        if let Some(known) = memo.get(function) {
            return *known;
        }
        let term = match self.space.bdds.split(function) {
            None => self.terms.bool(function.valid()),
            Some((var, then, otherwise)) => {
                let then = self.term(unit, &then, memo, leaf);
                let otherwise = self.term(unit, &otherwise, memo, leaf);
                let own = self.space.find(var).and_then(|(bit, v)| self.bits.get(&(unit, bit, v)).copied());
                let condition = own.or_else(|| leaf(self, var));
                // Every variable has a meaning; one without would make the formula say nothing true.
                condition.map_or(self.terms.fls(), |c| self.terms.ite(c, then, otherwise))
            }
        };
        memo.insert(function.clone(), term);
        term
    }
}

/// The certificate of a search that did not meet the error. With an abstraction its states are abstract.
pub fn certificate(
    concrete: &Concrete<'_>,
    abstraction: Option<&Abstraction>,
    witness: &Witness,
    options: &Options,
) -> Res<Certificate> {
    let system = concrete.system;
    let program = system.program;
    let wording = Wording::new(concrete, options.int_bits)?;
    let order = order(program, &program.graph());
    let mut proof = Procedures::default();
    for (id, point) in system.points.iter_enumerated() {
        let known = &witness.known[id];
        // Where nothing is said control never comes. But without a formula where a loop is cut, the checker would cut it elsewhere.
        let cut = matches!(point.kind, PointKind::At(loc) if order.loop_head[loc]);
        if !cut && !known.satisfiable() {
            continue;
        }
        let formula = || {
            let term = match abstraction {
                Some(abstraction) => abstract_term(&wording, concrete, abstraction, id, known)?,
                None => wording.term(point.unit, known, &mut FxHashMap::default(), &mut |_, _| None),
            };
            Res::Ok(wording.terms.smt(term))
        };
        match point.kind {
            PointKind::At(loc) if cut || id == system.units[point.unit].entry => {
                let line = program.source.line(program.locs[loc].span);
                proof.invariants.push(Invariant::new(loc, &[], line, formula()?));
            }
            PointKind::Exit => {
                let proc = system.units[point.unit].proc;
                proof.summaries.push(Summary::new(program, proc, formula()?));
            }
            _ => {}
        }
    }
    proof.symbols = wording.symbols;
    Ok(Certificate { arith: Arith::Bv, proof: Proof::Procedures(proof) })
}

/// Abstract states of a point, in terms of what the predicates say.
fn abstract_term(
    wording: &Wording<'_>,
    concrete: &Concrete<'_>,
    abstraction: &Abstraction,
    point: PointId,
    states: &Bdd,
) -> Res<TermId> {
    let (system, space) = (concrete.system, concrete.space);
    let unit = system.points[point].unit;
    let entry = system.units[unit].entry;
    let to_entry = space.renaming(Version::Now, Version::Entry, &system.inputs(unit));
    let mut memo = FxHashMap::default();
    let mut predicates: FxHashMap<BddVar, TermId> = FxHashMap::default();
    let mut none = |_: &Wording<'_>, _: BddVar| None;
    for (i, predicate) in abstraction.predicates[point].iter().enumerate() {
        let term = wording.term(unit, predicate, &mut memo, &mut none);
        predicates.insert(space.abstract_var(Place::Now, i), term);
    }
    for (i, predicate) in abstraction.predicates[entry].iter().enumerate() {
        let term = wording.term(unit, &to_entry.apply(predicate)?, &mut memo, &mut none);
        predicates.insert(space.abstract_var(Place::Entry, i), term);
    }
    let mut leaf = |_: &Wording<'_>, var: BddVar| predicates.get(&var).copied();
    Ok(wording.term(unit, states, &mut FxHashMap::default(), &mut leaf))
}

/// A formula of a point for people.
pub fn text(concrete: &Concrete<'_>, point: PointId, formula: &Bdd) -> String {
    let nodes = formula.node_count();
    if nodes > MOST_NODES {
        return format!("a diagram of {nodes} nodes");
    }
    let Ok(wording) = Wording::new(concrete, None) else { return "?".into() };
    let unit = concrete.system.points[point].unit;
    let inner = match concrete.system.points[point].kind {
        PointKind::Pivot { callee } => Some(callee),
        _ => None,
    };
    // What a callee began with is told as its own values.
    let mut leaf = |wording: &Wording<'_>, var: BddVar| {
        let (bit, version) = wording.space.find(var)?;
        match (version, inner) {
            (Version::Inner, Some(callee)) => wording.bits.get(&(callee, bit, Version::Entry)).copied(),
            _ => None,
        }
    };
    let term = wording.term(unit, formula, &mut FxHashMap::default(), &mut leaf);
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
