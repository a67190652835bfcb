//! Contracts from their text to expressions of a program.
//!
//! Numbers are read as wide signed machine integers, wide enough for sums of what the contract speaks of, so that an expression means the same in every arithmetic; in Boogie, which has
//! no such, as mathematical ones. If a larger product or a number beyond them makes it mean something else, it does so everywhere.

use crate::certificate::{Moment, Procedures, Symbol};
use crate::outcome::Refusal;
use crate::scalar;
use craig_cfa::expr::Const;
use craig_cfa::{BinOp, ExprId, LocId, ProcId, Program, Type, TypeId, Types, VarId};
use craig_logic::{Op, Rat, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Bits beyond those of the widest number that a contract speaks of.
const ROOM: u16 = 8;
/// Expressions that are deeper are refused: others walk over them.
const DEEPEST: u32 = 400;

/// What the symbols of a contract stand for at some place.
pub struct Moments<'m> {
    /// The values of parameters when the activation was entered.
    pub arguments: &'m BTreeMap<VarId, VarId>,
    /// Those of globals, where they may have changed since.
    pub before: Option<&'m BTreeMap<VarId, VarId>>,
    pub result: Option<VarId>,
}

/// A formula with its line.
type Line = (TermId, u32);

pub struct Words<'a> {
    given: &'a Procedures,
    terms: Terms,
    symbols: FxHashMap<SymbolId, usize>,
    /// Conjuncts by procedure.
    needs: BTreeMap<ProcId, Vec<Line>>,
    does: BTreeMap<ProcId, Vec<Line>>,
    /// Bits of numbers; none: they are mathematical.
    width: Option<u16>,
    /// Variables of the source program: all that a contract may speak of.
    vars: VarId,
}

impl<'a> Words<'a> {
    pub fn new(source: &Program, given: &'a Procedures, recursive: &[ProcId]) -> Result<Words<'a>, Refusal> {
        let terms = Terms::new();
        let mut symbols = FxHashMap::default();
        let mut names: Vec<(&str, TermId)> = Vec::new();
        let (mut width, mut mathematical) = (0, false);
        for (i, symbol) in given.symbols.iter().enumerate() {
            if names.iter().any(|(name, _)| *name == symbol.symbol) {
                return Err(Refusal::Twice(symbol.symbol.clone()));
            }
            let sort = match symbol.sort.as_str() {
                "Int" => Sort::Int,
                "Bool" => Sort::Bool,
                _ => return Err(Refusal::Symbol(symbol.symbol.clone())),
            };
            match symbol.word {
                Some(word) => width = width.max(word.unsigned_abs() as u16),
                None => mathematical |= sort == Sort::Int,
            }
            let term = terms.fresh(&symbol.symbol, sort);
            names.push((&symbol.symbol, term));
            symbols.extend(terms.as_symbol(term).map(|id| (id, i)));
        }
        let width = (!mathematical).then_some(width.max(32) + ROOM);
        let (needs, does) = (BTreeMap::new(), BTreeMap::new());
        let vars = source.vars.next_idx();
        let mut words = Words { given, terms, symbols, needs, does, width, vars };
        for found in &given.invariants {
            let proc = source.locs.get(LocId::from_raw(found.location)).map(|loc| loc.proc);
            let is_entry = |proc: &ProcId| source.procs[*proc].entry.raw() == found.location;
            let proc = proc.filter(|proc| is_entry(proc) && recursive.contains(proc));
            let proc = proc.ok_or(Refusal::Location { line: found.line })?;
            let formula = words.read(&found.formula, found.line, &names)?;
            words.needs.entry(proc).or_default().extend(formula);
        }
        for found in &given.summaries {
            let proc = ProcId::from_raw(found.procedure);
            if !recursive.contains(&proc) {
                return Err(Refusal::Procedure { procedure: found.procedure });
            }
            let formula = words.read(&found.formula, found.line, &names)?;
            words.does.entry(proc).or_default().extend(formula);
        }
        Ok(words)
    }

    /// The conjuncts of a formula.
    fn read(&self, text: &str, line: u32, names: &[(&str, TermId)]) -> Result<Vec<Line>, Refusal> {
        let terms = &self.terms;
        let wrong = |message: String| Refusal::Formula { line, message };
        let term = terms.read_term_with(text, names.iter().copied()).map_err(|e| wrong(e.to_string()))?;
        if terms.sort(term) != Sort::Bool {
            return Err(wrong("not a formula".into()));
        }
        Ok(match terms.op(term) {
            Op::True => Vec::new(),
            Op::And => terms.args(term).iter().map(|part| (*part, line)).collect(),
            _ => vec![(term, line)],
        })
    }

    /// The variables that the contract of a procedure speaks of: of its return as they were at some moment, or at all.
    pub fn mentioned(&self, proc: ProcId, moment: Option<Moment>) -> BTreeSet<VarId> {
        let needs = self.needs.get(&proc).filter(|_| moment.is_none());
        let lines = needs.into_iter().chain(self.does.get(&proc)).flatten();
        let symbols = lines.flat_map(|(term, _)| self.terms.symbols_of(*term));
        let of = symbols.filter_map(|id| {
            let symbol = &self.given.symbols[*self.symbols.get(&id)?];
            symbol
                .variable
                .filter(|var| *var < self.vars && moment.is_none_or(|moment| symbol.moment == moment))
        });
        of.collect()
    }

    pub fn needs(
        &self,
        program: &mut Program,
        proc: ProcId,
        moments: &Moments<'_>,
    ) -> Result<Vec<ExprId>, Refusal> {
        self.exprs(program, self.needs.get(&proc), moments)
    }

    pub fn does(
        &self,
        program: &mut Program,
        proc: ProcId,
        moments: &Moments<'_>,
    ) -> Result<Vec<ExprId>, Refusal> {
        self.exprs(program, self.does.get(&proc), moments)
    }

    fn exprs(
        &self,
        program: &mut Program,
        lines: Option<&Vec<Line>>,
        moments: &Moments<'_>,
    ) -> Result<Vec<ExprId>, Refusal> {
        let number = match self.width {
            Some(width) => program.types.int(width, true),
            None => program.types.intern(Type::MathInt),
        };
        let lines = lines.into_iter().flatten();
        lines
            .map(|&(term, line)| Writer { words: self, program, moments, number, line }.write(term))
            .collect()
    }
}

/// Writes one formula.
struct Writer<'w, 'p> {
    words: &'w Words<'w>,
    program: &'p mut Program,
    moments: &'w Moments<'w>,
    /// The type of numbers.
    number: TypeId,
    line: u32,
}

impl Writer<'_, '_> {
    fn write(mut self, root: TermId) -> Result<ExprId, Refusal> {
        let terms = &self.words.terms;
        let mut made: FxHashMap<TermId, ExprId> = FxHashMap::default();
        for term in terms.postorder(&[root]) {
            let args: Vec<ExprId> = terms.args(term).iter().map(|arg| made[arg]).collect();
            let expr = self.node(term, &args)?;
            if self.program.exprs.depth(expr) > DEEPEST {
                return Err(self.wrong("too deep"));
            }
            made.insert(term, expr);
        }
        Ok(made[&root])
    }

    fn wrong(&self, what: &str) -> Refusal {
        Refusal::Formula { line: self.line, message: what.into() }
    }

    fn node(&mut self, term: TermId, args: &[ExprId]) -> Result<ExprId, Refusal> {
        let terms = &self.words.terms;
        if let Some(number) = terms.number(term) {
            return self.number(&number);
        }
        let Program { exprs, types, .. } = &mut *self.program;
        let mut fold = |op: BinOp| {
            let joined = args[1..].iter().fold(args[0], |sum, part| exprs.binary(types, op, sum, *part));
            Ok(joined)
        };
        let is_bool = |at: usize| terms.sort(terms.arg(term, at)) == Sort::Bool;
        match terms.op(term) {
            Op::Symbol(id) => self.symbol(id),
            Op::True => Ok(exprs.bool(true)),
            Op::False => Ok(exprs.bool(false)),
            Op::Not => Ok(exprs.not(args[0])),
            Op::And => fold(BinOp::And),
            Op::Or => fold(BinOp::Or),
            Op::Eq if is_bool(0) => fold(BinOp::Iff),
            Op::Eq => fold(BinOp::Eq),
            Op::Le => fold(BinOp::Le),
            Op::Add => fold(BinOp::Add),
            Op::Mul => fold(BinOp::Mul),
            Op::Ite => Ok(exprs.ite(args[0], args[1], args[2])),
            Op::Mod if terms.number(terms.arg(term, 1)).is_some_and(|n| n.is_positive()) => {
                Ok(self.remainder(args[0], args[1]))
            }
            _ => Err(self.wrong("a contract has no words for this")),
        }
    }

    fn number(&mut self, number: &Rat) -> Result<ExprId, Refusal> {
        if !number.is_integer() {
            return Err(self.wrong("not an integer"));
        }
        let value = number.numerator();
        let Program { exprs, types, .. } = &mut *self.program;
        let Some(width) = self.words.width else {
            return Ok(exprs.constant(Const::Int(value), self.number));
        };
        match i128::try_from(value).ok().filter(|n| n.unsigned_abs() < 1 << (width - 1)) {
            Some(value) => Ok(exprs.int(types, value, self.number)),
            None => Err(self.wrong("a number that is too large")),
        }
    }

    /// The remainder that is never negative.
    fn remainder(&mut self, of: ExprId, by: ExprId) -> ExprId {
        let Program { exprs, types, .. } = &mut *self.program;
        if self.words.width.is_none() {
            return exprs.binary(types, BinOp::ERem, of, by);
        }
        let rest = exprs.binary(types, BinOp::Rem, of, by);
        let zero = exprs.int(types, 0, self.number);
        let negative = exprs.binary(types, BinOp::Lt, rest, zero);
        let above = exprs.binary(types, BinOp::Add, rest, by);
        exprs.ite(negative, above, rest)
    }

    fn symbol(&mut self, id: SymbolId) -> Result<ExprId, Refusal> {
        let words = self.words;
        let symbol = words.symbols.get(&id).map(|i| &words.given.symbols[*i]);
        let symbol = symbol.ok_or_else(|| self.wrong("a symbol that is not declared"))?;
        let unknown = || Refusal::Scope { symbol: symbol.symbol.clone(), line: self.line };
        let var = self.variable(symbol).ok_or_else(unknown)?;
        let types = &self.program.types;
        let fits = |ty: TypeId| match (types.get(ty), symbol.sort.as_str()) {
            (Type::Bool, "Bool") => symbol.word.is_none(),
            (Type::MathInt, "Int") => symbol.word.is_none(),
            (Type::Int(int), "Int") => {
                let bits = i32::from(int.width);
                symbol.word == Some(if int.signed { -bits } else { bits })
            }
            _ => false,
        };
        let found = scalar::find(types, self.program.vars[var].ty, symbol.offset, fits);
        let found = found.ok_or_else(|| Refusal::Symbol(symbol.symbol.clone()))?;
        let place = found.place(self.program, var);
        let value = self.program.exprs.read(place);
        Ok(match found.ty {
            Types::BOOL => value,
            _ => self.program.exprs.cast(&self.program.types, value, self.number),
        })
    }

    /// The variable that has the value of a symbol here.
    fn variable(&self, symbol: &Symbol) -> Option<VarId> {
        let Moments { arguments, before, result } = self.moments;
        match (symbol.moment, symbol.variable) {
            (Moment::Result, None) => *result,
            (moment, Some(var)) if var < self.words.vars => {
                let own = self.program.vars[var].proc;
                match (moment, before) {
                    _ if own.is_some() && (moment == Moment::Entry || before.is_none()) => {
                        arguments.get(&var).copied()
                    }
                    (Moment::Entry, Some(before)) => before.get(&var).copied(),
                    // Where it is entered, now is then.
                    _ => own.is_none().then_some(var),
                }
            }
            _ => None,
        }
    }
}
