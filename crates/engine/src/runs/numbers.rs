//! The numbers of procedures: parameters and global variables when they are entered, globals and the result when they return; in runs, and in proofs.

use craig_cfa::interp::{Here, Value};
use craig_cfa::{LocId, Op, ProcId, Program, Type, TypeId, VarId, VarKind, arith};
use craig_encode::Arith;
use craig_encode::state::sort;
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_verdict::certificate::{Invariant, Procedures, Summary, Symbol};
use craig_verdict::{Certificate, Proof};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Numbers at a moment.
pub type Values = Vec<i128>;

/// Which variables count.
pub struct Numbers<'p> {
    source: &'p Program,
    /// Global variables that are numbers and change.
    globals: Vec<VarId>,
}

impl<'p> Numbers<'p> {
    pub fn new(source: &'p Program) -> Numbers<'p> {
        let written: BTreeSet<VarId> = source
            .edges
            .iter()
            .flat_map(|edge| edge.op.parts().written)
            .filter_map(|place| source.exprs.root_var(place))
            .collect();
        let changes = |var: &VarId| written.contains(var) || source.vars[*var].address_taken;
        let is_global = |var: &VarId| source.vars[*var].proc.is_none();
        let is_number = |var: &VarId| is_number(source, source.vars[*var].ty);
        let globals = source.vars.indices().filter(|var| is_global(var) && is_number(var) && changes(var));
        let globals = globals.collect();
        Numbers { source, globals }
    }

    /// The procedures that something calls.
    pub fn called(&self) -> BTreeSet<ProcId> {
        let called = self.source.edges.iter().filter_map(|edge| match &edge.op {
            Op::Call(call) => Some(call.proc),
            _ => None,
        });
        called.collect()
    }

    fn entry_vars(&self, proc: ProcId) -> Vec<VarId> {
        let source = self.source;
        let params = source.procs[proc].params.iter().copied();
        params
            .filter(|var| is_number(source, source.vars[*var].ty))
            .chain(self.globals.iter().copied())
            .collect()
    }

    /// Local variables that have a name, then globals.
    fn inner_vars(&self, proc: ProcId) -> Vec<VarId> {
        let source = self.source;
        let named = |var: &VarId| matches!(source.vars[*var].kind, VarKind::Local | VarKind::Param);
        let locals = source.procs[proc].locals.iter().copied().filter(named);
        let locals = locals.filter(|var| is_number(source, source.vars[*var].ty)).take(LOCALS);
        locals.chain(self.globals.iter().copied()).collect()
    }

    fn values(&self, here: &Here<'_, '_, '_>, vars: &[VarId]) -> Option<Values> {
        let value = |var: &VarId| {
            let ty = self.source.vars[*var].ty;
            let len = self.source.types.size_of(ty).unwrap_or(0);
            number_of(self.source, ty, here.held(*var, 0, len as usize)?)
        };
        vars.iter().map(value).collect()
    }

    /// Parameters, then globals; none if one has no number.
    pub fn at_entry(&self, here: &Here<'_, '_, '_>, proc: ProcId) -> Option<Values> {
        self.values(here, &self.entry_vars(proc))
    }

    /// Local variables, then globals; none if one has no number.
    pub fn at_loop(&self, here: &Here<'_, '_, '_>, proc: ProcId) -> Option<Values> {
        self.values(here, &self.inner_vars(proc))
    }

    /// Globals, then the result, if that is a number.
    pub fn at_exit(&self, here: &Here<'_, '_, '_>, proc: ProcId) -> Option<Values> {
        let mut values = self.values(here, &self.globals)?;
        let ret = self.source.procs[proc].ret;
        if is_number(self.source, ret) {
            values.push(number_of(self.source, ret, here.result()?.clone())?);
        }
        Some(values)
    }
}

/// Local variables that are looked at in loops.
const LOCALS: usize = 6;

/// A number in a formula.
pub type Named = (TermId, TypeId);

/// A proof by procedures in the making.
pub struct Said<'p> {
    source: &'p Program,
    arith: Arith,
    terms: Rc<Terms>,
    symbols: FxHashMap<String, TermId>,
    proof: Procedures,
}

impl<'p> Said<'p> {
    pub fn new(source: &'p Program, arith: Arith) -> Said<'p> {
        let terms = Rc::new(Terms::new());
        Said { source, arith, terms, symbols: FxHashMap::default(), proof: Procedures::default() }
    }

    pub fn terms(&self) -> Rc<Terms> {
        Rc::clone(&self.terms)
    }

    fn declare(&mut self, symbol: Option<Symbol>, ty: TypeId) -> Option<Named> {
        let symbol = symbol?;
        let name = symbol.symbol.clone();
        let Said { source, arith, terms, symbols, proof } = self;
        let term = *symbols.entry(name.clone()).or_insert_with(|| {
            proof.symbols.push(symbol);
            terms.symbol(&name, sort(source, terms, *arith, ty))
        });
        Some((term, ty))
    }

    /// Names of what [`Numbers::at_entry`] gives.
    pub fn entry(&mut self, numbers: &Numbers<'_>, proc: ProcId) -> Option<Vec<Named>> {
        let (source, arith) = (self.source, self.arith);
        let symbol = |var: VarId| {
            let old = format!("old {}.{}", source.vars[var].name, var.index());
            (Symbol::entry(source, arith, &old, var, 0), source.vars[var].ty)
        };
        let vars = numbers.entry_vars(proc).into_iter();
        vars.map(symbol).map(|(symbol, ty)| self.declare(symbol, ty)).collect()
    }

    /// Names of what [`Numbers::at_exit`] gives.
    pub fn exit(&mut self, numbers: &Numbers<'_>, proc: ProcId) -> Option<Vec<Named>> {
        let (source, arith) = (self.source, self.arith);
        let mut named = self.now(&numbers.globals)?;
        let ret = source.procs[proc].ret;
        if is_number(source, ret) {
            let result = format!("result {}", ret.index());
            named.push(self.declare(Symbol::result(source, arith, &result, ret, 0), ret)?);
        }
        Some(named)
    }

    /// Names of what [`Numbers::at_loop`] gives.
    pub fn inside(&mut self, numbers: &Numbers<'_>, proc: ProcId) -> Option<Vec<Named>> {
        self.now(&numbers.inner_vars(proc))
    }

    fn now(&mut self, vars: &[VarId]) -> Option<Vec<Named>> {
        let (source, arith) = (self.source, self.arith);
        let mut named = Vec::new();
        for &var in vars {
            let name = format!("{}.{}", source.vars[var].name, var.index());
            let symbol = Symbol::now(source, arith, &name, var, 0);
            named.push(self.declare(symbol, source.vars[var].ty)?);
        }
        Some(named)
    }

    /// That these have these values.
    pub fn are(&self, what: &[Named], values: &[i128]) -> TermId {
        let terms = &self.terms;
        terms.and(what.iter().zip(values).map(|((symbol, ty), value)| {
            if *self.source.types.get(*ty) == Type::Bool {
                return if *value == 0 { terms.not(*symbol) } else { *symbol };
            }
            terms.eq(*symbol, terms.numeral(&Rat::from_ibig((*value).into()), Sort::Int))
        }))
    }

    /// What a procedure needs; several formulas hold together.
    pub fn needs(&mut self, proc: ProcId, formula: TermId) {
        self.holds(self.source.procs[proc].entry, formula);
    }

    /// What holds at a location.
    pub fn holds(&mut self, at: LocId, formula: TermId) {
        let line = self.source.source.line(self.source.locs[at].span);
        self.proof.invariants.push(Invariant::new(at, &[], line, self.terms.smt(formula)));
    }

    /// What a procedure has done when it returns; several formulas hold together.
    pub fn ensures(&mut self, proc: ProcId, formula: TermId) {
        self.proof.summaries.push(Summary::new(self.source, proc, self.terms.smt(formula)));
    }

    pub fn proof(self) -> Procedures {
        self.proof
    }

    pub fn certificate(self) -> Certificate {
        Certificate::new(self.arith, Proof::Procedures(self.proof))
    }
}

fn is_number(source: &Program, ty: TypeId) -> bool {
    matches!(source.types.get(ty), Type::Int(_) | Type::Bool | Type::MathInt)
}

fn number_of(source: &Program, ty: TypeId, value: Value) -> Option<i128> {
    match (source.types.as_word(ty), value) {
        (Some(word), Value::Bits(bits)) => Some(arith::to_i128(arith::truncate(bits, word), word)),
        (None, Value::Bits(bits)) => i128::try_from(bits).ok(),
        (None, Value::Int(number)) => i128::try_from(number).ok(),
        _ => None,
    }
}
