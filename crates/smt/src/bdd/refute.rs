//! Do formulas over bits contradict each other? Decided with diagrams.
//!
//! Proofs that come from diagrams are large formulas of which each path is a case. A solver that goes from case to case is lost in them, while
//! as diagrams they are as small as they were when they were found, given an order of variables that suits them: all
//! symbols of one value (their names differ only behind a `#`) lie side by side; some values come first, one after the other; the bits of
//! all others interleave.
//!
//! The answer is one-sided. What is not about bits, or needs more room or too many addresses, is left to a solver.

use super::bits::{Bits, Circuits};
use super::{Bdd, BddVar, Bdds, OutOfMemory};
use craig_base::{Budget, Stop};
use craig_logic::{Op, Sort, TermId, Terms};
use dashu::base::UnsignedAbs;
use oxidd::BooleanFunction;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of the table of results of operations.
const CACHE: usize = 1 << 16;
/// Values of an address that is not constant, at most.
const MOST_ADDRESSES: usize = 256;
/// Terms between two looks at the budget.
const PACE: usize = 64;

/// How diagrams are made.
#[derive(Debug)]
pub struct Diagrams {
    /// Room for nodes.
    pub nodes: usize,
    /// Values that come first in the order of variables, as those do that addresses are computed from.
    pub first: FxHashSet<String>,
}

/// Whether the formulas, all together, are certainly not satisfiable.
pub fn contradict(
    terms: &Terms,
    formulas: &[TermId],
    diagrams: &Diagrams,
    budget: &Budget,
) -> Result<bool, Stop> {
    let bdds = Bdds::within_budget(diagrams.nodes, CACHE, budget);
    let circuits = Circuits::new(&bdds);
    let (vars, values, cells) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    let mut compiler = Compiler { terms, bdds, circuits, vars, values, cells };
    match compiler.contradict(formulas, &diagrams.first, budget) {
        Ok(answer) => Ok(answer),
        Err(Give::Up) => Ok(false),
        Err(Give::Way(stop)) => Err(stop),
    }
}

enum Give {
    Up,
    Way(Stop),
}

impl From<OutOfMemory> for Give {
    fn from(_: OutOfMemory) -> Give {
        Give::Up
    }
}

impl From<super::OutOfNodes> for Give {
    fn from(_: super::OutOfNodes) -> Give {
        Give::Up
    }
}

impl From<Stop> for Give {
    fn from(stop: Stop) -> Give {
        Give::Way(stop)
    }
}

type Res<T> = Result<T, Give>;

/// An operation on two vectors of bits.
type Binary<'a> = dyn Fn(&[Bdd], &[Bdd]) -> Result<Bits, OutOfMemory> + 'a;

/// Symbols of one value, or of one cell of arrays: what they have in common, and the address.
type Slot = (String, Option<u128>);

struct Compiler<'a> {
    terms: &'a Terms,
    bdds: Bdds,
    circuits: Circuits,
    /// The variables of symbols; of arrays, by address.
    vars: FxHashMap<(TermId, Option<u128>), Bits>,
    /// Truth values are vectors of one bit.
    values: FxHashMap<TermId, Bits>,
    cells: FxHashMap<(TermId, u128), Bits>,
}

impl Compiler<'_> {
    fn contradict(&mut self, formulas: &[TermId], first: &FxHashSet<String>, budget: &Budget) -> Res<bool> {
        let terms = self.terms.postorder(formulas);
        self.order(&terms, first)?;
        for (i, term) in terms.iter().enumerate() {
            if i % PACE == 0 {
                budget.check()?;
            }
            if self.terms.array_parts(self.terms.sort(*term)).is_none() {
                let value = self.value(*term)?;
                self.values.insert(*term, value);
            }
        }
        let mut parts = Vec::new();
        for formula in formulas {
            match self.terms.op(*formula) {
                Op::And => self.terms.for_each_arg(*formula, |part| parts.push(self.truth(part))),
                _ => parts.push(self.truth(*formula)),
            }
        }
        self.together(&parts, budget)
    }

    /// Whether the conjunction is false. A variable goes as soon as no other part speaks of it.
    fn together(&self, parts: &[Bdd], budget: &Budget) -> Res<bool> {
        let supports: Vec<Vec<BddVar>> = parts.iter().map(|part| self.bdds.support(part)).collect();
        let mut last: FxHashMap<BddVar, usize> = FxHashMap::default();
        for (i, support) in supports.iter().enumerate() {
            last.extend(support.iter().map(|var| (*var, i)));
        }
        let mut all = self.circuits.bit(true);
        for (i, part) in parts.iter().enumerate() {
            budget.check()?;
            let mut gone: Vec<(BddVar, bool)> =
                last.iter().filter(|(_, at)| **at == i).map(|(var, _)| (*var, true)).collect();
            gone.sort_unstable_by(|a, b| b.cmp(a));
            all = self.bdds.and_exists(&all, part, &self.bdds.cube(&gone)?)?;
        }
        Ok(!all.satisfiable())
    }

    /// Makes the variables, in their order.
    fn order(&mut self, all: &[TermId], first: &FxHashSet<String>) -> Res<()> {
        let terms = self.terms;
        let accesses = all.iter().filter(|term| matches!(terms.op(**term), Op::Select | Op::Store));
        let addresses: BTreeSet<u128> =
            accesses.filter_map(|term| constant(terms, terms.arg(*term, 1))).collect();
        let base = |term: TermId| {
            let name = terms.as_symbol(term).map(|symbol| terms.symbol_name(symbol).to_string());
            let name = name.unwrap_or_default();
            name.split('#').next().unwrap_or_default().to_string()
        };
        let mut slots: BTreeMap<Slot, Vec<TermId>> = BTreeMap::new();
        for symbol in all.iter().copied().filter(|t| terms.as_symbol(*t).is_some()) {
            match terms.array_parts(terms.sort(symbol)) {
                None => slots.entry((base(symbol), None)).or_default().push(symbol),
                Some(_) => addresses.iter().for_each(|address| {
                    slots.entry((base(symbol), Some(*address))).or_default().push(symbol);
                }),
            }
        }
        let (first, rest): (Vec<_>, Vec<_>) =
            slots.into_iter().partition(|((name, _), _)| first.contains(name));
        for slot in &first {
            self.make(std::slice::from_ref(slot))?;
        }
        self.make(&rest)
    }

    /// Variables for symbols, from the top bits of all to the lowest ones.
    fn make(&mut self, slots: &[(Slot, Vec<TermId>)]) -> Res<()> {
        let mut most = 0;
        for ((_, address), symbols) in slots {
            for symbol in symbols {
                let width = self.width(*symbol)?;
                let unset = self.circuits.constant(0, width);
                self.vars.insert((*symbol, *address), unset);
                most = most.max(width);
            }
        }
        for position in (0..most).rev() {
            for ((_, address), symbols) in slots {
                for symbol in symbols {
                    if let Some(bit) =
                        self.vars.get_mut(&(*symbol, *address)).and_then(|bits| bits.get_mut(position))
                    {
                        *bit = self.bdds.var(self.bdds.new_var())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Bits of a symbol's values, or of the cells of an array.
    fn width(&self, symbol: TermId) -> Res<usize> {
        let sort = self.terms.sort(symbol);
        match self.terms.array_parts(sort).map_or(sort, |(_, element)| element) {
            Sort::Bool => Ok(1),
            Sort::BitVec(width) => Ok(width as usize),
            _ => Err(Give::Up),
        }
    }

    fn truth(&self, formula: TermId) -> Bdd {
        self.values[&formula][0].clone()
    }

    fn value(&mut self, term: TermId) -> Res<Bits> {
        let terms = self.terms;
        let (op, args) = (terms.op(term), terms.args(term));
        let c = self.circuits.clone();
        let bit = |value: Bdd| Ok(vec![value]);
        if op == Op::Select {
            return self.select(args[0], args[1]);
        }
        if args.iter().any(|arg| !self.values.contains_key(arg)) {
            // Of arrays only cells have values.
            return Err(Give::Up);
        }
        let of = |i: usize| self.values[&args[i]].as_slice();
        let fold = |step: &Binary<'_>| {
            let mut all = of(0).to_vec();
            for i in 1..args.len() {
                all = step(&all, of(i))?;
            }
            Ok(all)
        };
        match op {
            Op::True | Op::False => bit(c.bit(op == Op::True)),
            Op::Symbol(_) => self.vars.get(&(term, None)).cloned().ok_or(Give::Up),
            Op::Num(_) | Op::BigNum(_) => {
                let width = self.width(term)?;
                Ok(c.constant(constant(terms, term).ok_or(Give::Up)?, width))
            }
            Op::Not | Op::BvNot => Ok(c.not(of(0))?),
            Op::And | Op::BvAnd => fold(&|a, b| c.and(a, b)),
            Op::Or | Op::BvOr => fold(&|a, b| c.or(a, b)),
            Op::BvXor => fold(&|a, b| c.xor(a, b)),
            Op::BvAdd => fold(&|a, b| c.add(a, b)),
            Op::BvMul => fold(&|a, b| c.mul(a, b)),
            Op::BvNeg => Ok(c.neg(of(0))?),
            Op::Ite => Ok(c.ite(&of(0)[0], of(1), of(2))?),
            Op::Eq => bit(c.equal(of(0), of(1))?),
            Op::BvUdiv => Ok(c.divide(of(0), of(1))?.0),
            Op::BvUrem => Ok(c.divide(of(0), of(1))?.1),
            Op::BvSdiv => Ok(c.divide_signed(of(0), of(1))?.0),
            Op::BvSrem => Ok(c.divide_signed(of(0), of(1))?.1),
            Op::BvShl => Ok(c.shift_left(of(0), of(1))?),
            Op::BvLshr => Ok(c.shift_right(of(0), of(1), false)?),
            Op::BvAshr => Ok(c.shift_right(of(0), of(1), true)?),
            Op::Concat => Ok(of(1).iter().chain(of(0)).cloned().collect()),
            Op::Extract(high, low) => Ok(of(0)[low as usize..=high as usize].to_vec()),
            Op::ZeroExt(more) => Ok(c.resize(of(0), of(0).len() + more as usize, false)),
            Op::SignExt(more) => Ok(c.resize(of(0), of(0).len() + more as usize, true)),
            Op::BvUle => bit(c.at_most(of(0), of(1), false)?),
            Op::BvUlt => bit(c.less(of(0), of(1), false)?),
            Op::BvSle => bit(c.at_most(of(0), of(1), true)?),
            Op::BvSlt => bit(c.less(of(0), of(1), true)?),
            Op::Select
            | Op::Store
            | Op::ConstArray
            | Op::Le
            | Op::Lt
            | Op::Add
            | Op::Mul
            | Op::Div
            | Op::Mod
            | Op::ToReal
            | Op::Apply(_)
            | Op::BvToInt
            | Op::IntToBv => Err(Give::Up),
        }
    }

    /// What an array holds at an index: at each address that the index may be, what is there.
    fn select(&mut self, array: TermId, index: TermId) -> Res<Bits> {
        let mut found: Option<Bits> = None;
        for (address, here) in self.addresses(index)? {
            let cell = self.cell(array, address)?;
            found = Some(match found {
                None => cell,
                Some(others) => self.circuits.ite(&here, &cell, &others)?,
            });
        }
        found.ok_or(Give::Up)
    }

    /// The values of an index, and when it has them.
    fn addresses(&self, index: TermId) -> Res<Vec<(u128, Bdd)>> {
        let bits = self.values.get(&index).ok_or(Give::Up)?;
        if bits.len() > 128 {
            return Err(Give::Up);
        }
        let mut found = vec![(0, self.circuits.bit(true))];
        for (position, bit) in bits.iter().enumerate().rev() {
            let mut finer = Vec::new();
            for (address, when) in found {
                for (value, bit) in [(0, bit.not()?), (1, bit.clone())] {
                    let when = when.and(&bit)?;
                    if when.satisfiable() {
                        finer.push((address | value << position, when));
                    }
                }
            }
            if finer.len() > MOST_ADDRESSES {
                return Err(Give::Up);
            }
            found = finer;
        }
        Ok(found)
    }

    /// What an array holds at an address.
    fn cell(&mut self, array: TermId, address: u128) -> Res<Bits> {
        if let Some(known) = self.cells.get(&(array, address)) {
            return Ok(known.clone());
        }
        let args = self.terms.args(array);
        let cell = match self.terms.op(array) {
            Op::Symbol(_) => {
                if !self.vars.contains_key(&(array, Some(address))) {
                    self.make(&[((String::new(), Some(address)), vec![array])])?;
                }
                self.vars[&(array, Some(address))].clone()
            }
            Op::ConstArray => self.values.get(&args[0]).ok_or(Give::Up)?.clone(),
            Op::Store => {
                let index = self.values.get(&args[1]).ok_or(Give::Up)?;
                let here = self.circuits.equal(index, &self.circuits.constant(address, index.len()))?;
                let new = self.values.get(&args[2]).ok_or(Give::Up)?.clone();
                if here.valid() {
                    new
                } else {
                    let old = self.cell(args[0], address)?;
                    self.circuits.ite(&here, &new, &old)?
                }
            }
            Op::Ite => {
                let when = self.truth(args[0]);
                let (then, otherwise) = (self.cell(args[1], address)?, self.cell(args[2], address)?);
                self.circuits.ite(&when, &then, &otherwise)?
            }
            _ => return Err(Give::Up),
        };
        self.cells.insert((array, address), cell.clone());
        Ok(cell)
    }
}

/// A number that is a bit-vector.
fn constant(terms: &Terms, term: TermId) -> Option<u128> {
    let (Sort::BitVec(_), Some(number)) = (terms.sort(term), terms.number(term)) else { return None };
    u128::try_from(number.numerator().unsigned_abs()).ok()
}
