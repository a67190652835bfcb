//! The formulas of a certificate, said of states in flat memory.
//!
//! A symbol of a certificate stands for storage: here for the bytes at that place, or for the plain variable. An array of values by address is
//! what its reads are: bytes at an address. Mathematical integers become bit-vectors so wide that nothing wraps around. Where a formula compares a
//! pointer with a number, and the certificate says which object lay there, the number becomes the address of that object.
//!
//! Whatever a formula is made to say here, it is assumed and shown in the same words, and at the error it is `false`. So this
//! translation can fail to find a proof, but not make one up.

use super::eval::cut;
use super::layout::{Home, Kind, MEM, ObjId, Shape, State, shape};
use super::space::{LOWEST, Space};
use super::{Model, NotTranslatable};
use crate::certificate::{Binding, Invariants, Object};
use crate::expand::Expanded;
use crate::outcome::Refusal;
use craig_cfa::{CallString, CallStrings, EdgeId, LocId, Type, TypeId, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_logic::{Op, Rat, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Integers wider than this are not translated.
const WIDEST: u32 = 512;

/// Bits in memory or in a variable that a symbol stands for.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    place: Place,
    scalar: Scalar,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Part(usize),
    Memory { object: ObjId, offset: u64, bit: u32 },
}

#[derive(Debug, Clone, Copy)]
struct Scalar {
    width: u32,
    signed: bool,
    pointer: bool,
    /// A truth value that is no bit-field.
    truth: bool,
}

#[derive(Debug, Clone, Copy)]
enum Meaning {
    Value(Leaf),
    /// Where an object lies.
    Address(ObjId),
    /// Values by address.
    Array(Scalar),
}

/// The formulas of a certificate over symbols of their own, and what these mean.
pub(super) struct Formulas {
    pub at: BTreeMap<LocId, TermId>,
    meanings: FxHashMap<TermId, Meaning>,
    /// Where the certificate put objects.
    addresses: BTreeMap<u64, ObjId>,
    /// A formula speaks of addresses as numbers: it puts a pointer and a number in order, or looks at bits of a pointer. Here nobody knows
    /// where objects lie: such a proof may fail for no other reason.
    pub numbers_addresses: Cell<bool>,
}

/// Why formulas are not read.
pub(super) enum NotRead {
    Refused(Refusal),
    NotTranslatable(NotTranslatable),
}

impl From<Refusal> for NotRead {
    fn from(refusal: Refusal) -> NotRead {
        NotRead::Refused(refusal)
    }
}

impl From<NotTranslatable> for NotRead {
    fn from(why: NotTranslatable) -> NotRead {
        NotRead::NotTranslatable(why)
    }
}

impl Formulas {
    pub fn read(
        model: &Model<'_>,
        expanded: &Expanded,
        given: &Invariants,
        arith: Arith,
    ) -> Result<Formulas, NotRead> {
        let terms = &model.terms;
        let mut meanings = FxHashMap::default();
        let mut names: Vec<(&str, TermId)> = Vec::new();
        for binding in &given.symbols {
            if binding.address && binding.leaves.is_empty() {
                // What lies at a known distance from there is known by that distance.
                let zero = match arith {
                    Arith::Int => terms.int(0),
                    Arith::Bv => terms.bv(0, model.width()),
                };
                names.push((&binding.symbol, zero));
                continue;
            }
            let (meaning, sort) = meaning(model, binding, arith)?;
            let symbol = terms.fresh(&binding.symbol, sort);
            meanings.insert(symbol, meaning);
            names.push((&binding.symbol, symbol));
        }
        let read = |text: &str, line: u32| {
            let formula = terms.read_term_with(text, names.iter().copied());
            let formula = formula.map_err(|e| Refusal::Formula { line, message: e.to_string() })?;
            match terms.sort(formula) {
                Sort::Bool => Ok(formula),
                _ => Err(Refusal::Formula { line, message: "not a formula".into() }),
            }
        };
        let common = given.common.iter().map(|text| read(text, 0)).collect::<Result<Vec<_>, _>>()?;
        let common = terms.and(common);
        let mut at = BTreeMap::new();
        for invariant in &given.invariants {
            let calls = invariant.calls.iter().map(|&e| EdgeId::from_raw(e));
            let line = invariant.line;
            let loc = expanded.find(LocId::from_raw(invariant.location), calls);
            let formula = read(&invariant.formula, line)?;
            let all = at.entry(loc.ok_or(Refusal::Location { line })?).or_insert(common);
            *all = terms.and([*all, formula]);
        }
        let placed = given.addresses.iter().filter_map(|(object, at)| Some((*at, find(model, object)?)));
        Ok(Formulas { at, meanings, addresses: placed.collect(), numbers_addresses: Cell::new(false) })
    }

    /// A formula, said of a state.
    pub fn holds(
        &self,
        formula: TermId,
        model: &Model<'_>,
        state: &State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        let mut saying = Saying { formulas: self, model, state, space, said: FxHashMap::default() };
        for term in model.terms.postorder(&[formula]) {
            let said = saying.term(term)?;
            saying.said.insert(term, said);
        }
        match saying.said.get(&formula) {
            Some(Said::Plain { term, .. }) => Ok(*term),
            _ => Err(NotTranslatable::Arrays),
        }
    }
}

fn call_string(strings: &CallStrings, calls: &[EdgeId]) -> Option<CallString> {
    calls.iter().try_fold(CallStrings::ROOT, |outer, edge| strings.find(outer, *edge))
}

/// The copy of a variable of the source program under these calls.
fn variable(model: &Model<'_>, origin: VarId, calls: &[EdgeId]) -> Option<VarId> {
    let calls = call_string(&model.program.calls, calls)?;
    model.copies.get(&(origin, calls)).copied()
}

/// An object in memory.
fn find(model: &Model<'_>, object: &Object) -> Option<ObjId> {
    match &object.0 {
        ObjectKey::Var(var, calls) => match model.layout.homes[variable(model, *var, calls)?] {
            Home::Memory(object) => Some(object),
            _ => None,
        },
        ObjectKey::Alloc(edge, calls) => model.layout.site(*edge, call_string(&model.program.calls, calls)?),
        ObjectKey::Proc(proc) => model.layout.procs.get(proc).copied(),
    }
}

/// What a symbol stands for, and its sort in the formulas.
fn meaning(model: &Model<'_>, binding: &Binding, arith: Arith) -> Result<(Meaning, Sort), NotTranslatable> {
    let unknown = || NotTranslatable::Symbol(binding.symbol.clone());
    let Some((object, offset)) = binding.leaves.first() else { return Err(NotTranslatable::NextAddress) };
    let program = model.program;
    if binding.address {
        // Of objects that come and go nobody knows here which one is meant.
        let lasting = matches!(&object.0, ObjectKey::Var(_, calls) if calls.is_empty());
        let proc = matches!(object.0, ObjectKey::Proc(_));
        let object = find(model, object).filter(|_| lasting || proc);
        let sort = match arith {
            Arith::Int => Sort::Int,
            Arith::Bv => Sort::BitVec(model.width()),
        };
        return Ok((Meaning::Address(object.ok_or(NotTranslatable::AddressNumbers)?), sort));
    }
    let var = match &object.0 {
        ObjectKey::Var(var, calls) => Some(variable(model, *var, calls).ok_or_else(unknown)?),
        _ => None,
    };
    let width = binding.word.map(i32::unsigned_abs);
    let found = var.and_then(|var| scalar_at(model, program.vars[var].ty, *offset, width));
    let pointer = match found {
        Some((ty, _)) => program.types.is_ptr(ty),
        None => width == Some(model.width()),
    };
    let scalar = match (binding.word, found) {
        (Some(word), _) => {
            let truth = word == 1 && found.is_none_or(|(_, bit)| bit.is_none());
            Scalar { width: word.unsigned_abs(), signed: word < 0, pointer, truth }
        }
        (None, Some((ty, _))) => match shape(program, ty)? {
            Shape::Bits(_, bytes) => Scalar { width: 8 * bytes as u32, signed: false, pointer, truth: false },
            Shape::Bool => Scalar { width: 1, signed: false, pointer: false, truth: false },
        },
        (None, None) => return Err(unknown()),
    };
    let value = match arith {
        Arith::Int => Sort::Int,
        Arith::Bv => Sort::BitVec(scalar.width),
    };
    if binding.array {
        let index = match arith {
            Arith::Int => Sort::Int,
            Arith::Bv => Sort::BitVec(model.width()),
        };
        return Ok((Meaning::Array(scalar), model.terms.array_sort(index, value)));
    }
    let place = match var.map(|var| model.layout.homes[var]) {
        Some(Home::Plain(part)) if *offset == 0 => Place::Part(part),
        Some(Home::Nowhere) => {
            let ty = var.map_or(craig_cfa::Types::VOID, |var| program.vars[var].ty);
            return Err(shape(program, ty).err().unwrap_or_else(unknown));
        }
        _ => {
            let object = find(model, object).ok_or_else(unknown)?;
            let bit = found.and_then(|(_, bit)| bit).unwrap_or(0);
            Place::Memory { object, offset: *offset, bit }
        }
    };
    let sort = match place {
        Place::Part(part) if model.layout.sort(part) == Sort::Bool => Sort::Bool,
        _ => value,
    };
    Ok((Meaning::Value(Leaf { place, scalar }), sort))
}

/// The scalar of a type at a byte, and the first bit of a bit-field there. Of several, as in a union, the first of the wanted width.
fn scalar_at(
    model: &Model<'_>,
    ty: TypeId,
    offset: u64,
    width: Option<u32>,
) -> Option<(TypeId, Option<u32>)> {
    let types = &model.program.types;
    let fits = |ty: TypeId| {
        width.is_none_or(|width| types.as_word(ty).is_some_and(|word| u32::from(word.width) == width))
    };
    match types.get(ty) {
        Type::Array { elem, .. } => {
            let size = types.size_of(*elem).filter(|size| *size > 0)?;
            scalar_at(model, *elem, offset % size, width)
        }
        Type::Record(record) => types.records[*record].fields.iter().find_map(|field| {
            let inner = offset.checked_sub(field.offset)?;
            match field.bit {
                Some(bit) if inner == 0 && fits(field.ty) => Some((field.ty, Some(u32::from(bit)))),
                Some(_) => None,
                None if inner < types.size_of(field.ty)? => scalar_at(model, field.ty, inner, width),
                None => None,
            }
        }),
        _ => (offset == 0 && fits(ty)).then_some((ty, None)),
    }
}

/// An integer in bits: signed, wide enough for its bounds.
#[derive(Debug, Clone)]
struct Wide {
    term: TermId,
    low: Rat,
    high: Rat,
}

/// What a part of a formula says of a state. `weight`: how many addresses it is the sum of.
#[derive(Debug, Clone)]
enum Said {
    Plain { term: TermId, weight: i64 },
    Wide { wide: Wide, weight: i64 },
    Array(Scalar),
}

/// Translates one formula for one state.
struct Saying<'a, 'p> {
    formulas: &'a Formulas,
    model: &'a Model<'p>,
    state: &'a State,
    space: &'a mut Space,
    said: FxHashMap<TermId, Said>,
}

type Told<T> = Result<T, NotTranslatable>;

impl Saying<'_, '_> {
    fn t(&self) -> Rc<Terms> {
        Rc::clone(&self.model.terms)
    }

    fn plain(&self, term: TermId) -> Told<TermId> {
        match &self.said[&term] {
            Said::Plain { term, .. } => Ok(*term),
            _ => Err(NotTranslatable::Arrays),
        }
    }

    fn wide(&self, term: TermId) -> Told<Wide> {
        match &self.said[&term] {
            Said::Wide { wide, .. } => Ok(wide.clone()),
            _ => Err(NotTranslatable::Arrays),
        }
    }

    fn weight(&self, term: TermId) -> i64 {
        match &self.said[&term] {
            Said::Plain { weight, .. } | Said::Wide { weight, .. } => *weight,
            Said::Array(_) => 0,
        }
    }

    fn term(&mut self, term: TermId) -> Told<Said> {
        let t = self.t();
        let args = t.args(term);
        let op = t.op(term);
        if let Some(meaning) = self.formulas.meanings.get(&term).copied() {
            return self.symbol(meaning, t.sort(term));
        }
        match op {
            Op::Select => return self.select(args[0], args[1]),
            Op::Eq | Op::Le | Op::BvUle | Op::BvSle => return self.atom(term, op, args[0], args[1]),
            Op::BvToInt => {
                let value = self.plain(args[0])?;
                let scalar = Scalar {
                    width: t.sort(value).width().unwrap_or(1),
                    signed: false,
                    pointer: false,
                    truth: false,
                };
                return Ok(Said::Wide { wide: self.widened(value, scalar), weight: self.weight(args[0]) });
            }
            Op::IntToBv => {
                let value = self.wide(args[0])?;
                let width = t.sort(term).width().unwrap_or(1);
                let value = self.fitted(&value, width.max(self.width_of(&value)));
                let term = t.extract(width - 1, 0, value);
                return Ok(Said::Plain { term, weight: self.weight(args[0]) });
            }
            Op::Symbol(_) | Op::Apply(_) => return Err(NotTranslatable::Functions),
            Op::Store | Op::ConstArray => return Err(NotTranslatable::Arrays),
            Op::ToReal | Op::Lt => return Err(NotTranslatable::MathematicalNumbers),
            _ => {}
        }
        match t.sort(term) {
            Sort::Int => self.integer(term, op, &args),
            Sort::Real => Err(NotTranslatable::MathematicalNumbers),
            Sort::Array(_) => Err(NotTranslatable::Arrays),
            Sort::Bool | Sort::BitVec(_) => {
                let parts = args.iter().map(|a| self.plain(*a)).collect::<Told<Vec<_>>>()?;
                let weight = match op {
                    Op::BvAdd => args.iter().map(|a| self.weight(*a)).sum(),
                    _ => 0,
                };
                if !matches!(op, Op::BvAdd | Op::Ite) && args.iter().any(|a| self.weight(*a) != 0) {
                    self.formulas.numbers_addresses.set(true);
                }
                Ok(Said::Plain { term: t.rebuild(term, &parts), weight })
            }
        }
    }

    fn symbol(&mut self, meaning: Meaning, sort: Sort) -> Told<Said> {
        let t = self.t();
        let leaf = match meaning {
            Meaning::Array(scalar) => return Ok(Said::Array(scalar)),
            Meaning::Value(leaf) => leaf,
            Meaning::Address(object) => {
                let scalar = Scalar { width: self.model.width(), signed: false, pointer: true, truth: false };
                return self.value(self.state.0[self.model.layout.objects[object].base], scalar, sort);
            }
        };
        let value = match leaf.place {
            Place::Part(part) => self.state.0[part],
            Place::Memory { object, offset, bit } => {
                let base = self.state.0[self.model.layout.objects[object].base];
                let at = self.space.plus(base, offset);
                let bytes = u64::from(bit + leaf.scalar.width).div_ceil(8);
                let all = self.space.word(self.state.0[MEM], at, bytes);
                cut(&t, all, bit, leaf.scalar.width, leaf.scalar.truth)
            }
        };
        self.value(value, leaf.scalar, sort)
    }

    /// Bits as a value of the formula's sort.
    fn value(&self, value: TermId, scalar: Scalar, sort: Sort) -> Told<Said> {
        let t = self.t();
        let weight = i64::from(scalar.pointer);
        match (t.sort(value), sort) {
            (Sort::BitVec(found), Sort::Int) if found == scalar.width => {
                Ok(Said::Wide { wide: self.widened(value, scalar), weight })
            }
            (found, wanted) if found == wanted => Ok(Said::Plain { term: value, weight }),
            _ => Err(NotTranslatable::OpaqueValues),
        }
    }

    /// A bit-vector as an integer.
    fn widened(&self, value: TermId, scalar: Scalar) -> Wide {
        let t = self.t();
        let one = Rat::from(1);
        if scalar.signed {
            let half = Rat::pow2(scalar.width - 1);
            return Wide { term: value, low: -&half, high: &half - &one };
        }
        let term = t.zero_ext(1, value);
        Wide { term, low: Rat::from(0), high: &Rat::pow2(scalar.width) - &one }
    }

    /// What stands at an address.
    fn select(&mut self, array: TermId, index: TermId) -> Told<Said> {
        let t = self.t();
        let Said::Array(scalar) = self.said[&array] else { return Err(NotTranslatable::Arrays) };
        let sort = t.array_parts(t.sort(array)).map_or(Sort::Bool, |parts| parts.1);
        let pointer = self.model.width();
        let at = match &self.said[&index] {
            Said::Plain { term, .. } => *term,
            Said::Wide { wide, .. } => {
                let wide = self.fitted(wide, pointer.max(self.width_of(wide)));
                t.extract(pointer - 1, 0, wide)
            }
            Said::Array(_) => return Err(NotTranslatable::Arrays),
        };
        let at = self.number(index).and_then(|n| self.address(&n)).unwrap_or(at);
        let bytes = u64::from(scalar.width).div_ceil(8);
        let all = self.space.word(self.state.0[MEM], at, bytes);
        self.value(cut(&t, all, 0, scalar.width, scalar.truth), scalar, sort)
    }

    fn number(&self, term: TermId) -> Option<Rat> {
        self.model.terms.number(term)
    }

    /// The address that a number was in the certificate: of a byte of an object, or just behind it.
    fn address(&self, number: &Rat) -> Option<TermId> {
        let number = u64::try_from(number.to_i64()?).ok()?;
        let (start, object) = self.formulas.addresses.range(..=number).next_back()?;
        let object = &self.model.layout.objects[*object];
        let size = match object.kind {
            Kind::Site { .. } => object.size.unwrap_or(0),
            Kind::Var(_) => object.size.unwrap_or(u64::MAX),
            Kind::Proc(_) => 0,
        };
        let offset = number - start;
        (offset <= size).then(|| self.space.plus(self.state.0[object.base], offset))
    }

    /// A comparison of two terms of one sort.
    fn atom(&mut self, term: TermId, op: Op, a: TermId, b: TermId) -> Told<Said> {
        let t = self.t();
        let integers = t.sort(a) == Sort::Int;
        if matches!(t.sort(a), Sort::Array(_)) {
            return Err(NotTranslatable::Arrays);
        }
        // A number that a pointer is compared with.
        let meant = |of: TermId, other: TermId| -> Option<(TermId, bool)> {
            let number = self.number(of)?;
            match self.weight(other) {
                1 => Some((self.address(&number)?, false)),
                -1 => Some((self.address(&-&number)?, true)),
                _ => None,
            }
        };
        let (left, right) = (meant(a, b), meant(b, a));
        let ordered = |of: TermId, other: TermId| {
            self.weight(other).abs() == 1 && self.number(of).is_some_and(|n| n.abs() >= Rat::from(LOWEST))
        };
        if op != Op::Eq && (ordered(a, b) || ordered(b, a)) {
            self.formulas.numbers_addresses.set(true);
        }
        if !integers {
            let x = left.map_or(self.plain(a)?, |(address, _)| address);
            let y = right.map_or(self.plain(b)?, |(address, _)| address);
            return Ok(Said::Plain { term: t.rebuild(term, &[x, y]), weight: 0 });
        }
        let scalar = Scalar { width: self.model.width(), signed: false, pointer: true, truth: false };
        let side = |term: TermId, meant: Option<(TermId, bool)>| match meant {
            Some((address, false)) => Ok(self.widened(address, scalar)),
            Some((address, true)) => self.scaled(&Rat::from(-1), &self.widened(address, scalar)),
            None => self.wide(term),
        };
        let (x, y) = (side(a, left)?, side(b, right)?);
        let width = self.width_of(&x).max(self.width_of(&y));
        let (x, y) = (self.fitted(&x, width), self.fitted(&y, width));
        let term = if op == Op::Eq { t.eq(x, y) } else { t.bv_sle(x, y) };
        Ok(Said::Plain { term, weight: 0 })
    }

    // Integers.

    fn width_of(&self, wide: &Wide) -> u32 {
        self.model.terms.sort(wide.term).width().unwrap_or(1)
    }

    /// The same number in at least as many bits.
    fn fitted(&self, wide: &Wide, width: u32) -> TermId {
        let have = self.width_of(wide);
        if width >= have {
            return self.model.terms.sign_ext(width - have, wide.term);
        }
        self.model.terms.extract(width - 1, 0, wide.term)
    }

    /// The result of an operation on numbers that are first made wide enough for it.
    fn compute(&self, low: Rat, high: Rat, op: impl FnOnce(u32) -> TermId, least: u32) -> Told<Wide> {
        let width = bits(&low, &high)?.max(least);
        if width > WIDEST {
            return Err(NotTranslatable::WideNumbers);
        }
        Ok(Wide { term: op(width), low, high })
    }

    fn scaled(&self, factor: &Rat, wide: &Wide) -> Told<Wide> {
        let t = self.t();
        let (a, b) = (factor * &wide.low, factor * &wide.high);
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let number = |width| t.bv_big(factor.numerator(), width);
        self.compute(low, high, |width| t.bv_mul(self.fitted(wide, width), number(width)), 1)
    }

    fn integer(&mut self, term: TermId, op: Op, args: &[TermId]) -> Told<Said> {
        let t = self.t();
        if let Some(number) = self.number(term) {
            let value = number.numerator();
            let wide = self.compute(number.clone(), number, |width| t.bv_big(value, width), 1)?;
            return Ok(Said::Wide { wide, weight: 0 });
        }
        let weight = match op {
            Op::Add => args.iter().map(|a| self.weight(*a)).sum(),
            Op::Mul if args.len() == 2 => match self.number(args[0]).and_then(|n| n.to_i64()) {
                Some(factor) => factor.saturating_mul(self.weight(args[1])),
                None => 0,
            },
            _ => 0,
        };
        let wide = match op {
            Op::Add => {
                let parts = args.iter().map(|a| self.wide(*a)).collect::<Told<Vec<_>>>()?;
                let sum = |f: fn(&Wide) -> &Rat| parts.iter().fold(Rat::from(0), |s, p| &s + f(p));
                let (low, high) = (sum(|p| &p.low), sum(|p| &p.high));
                let least = parts.iter().map(|p| self.width_of(p)).max().unwrap_or(1);
                let add = |width| {
                    let zero = t.bv(0, width);
                    parts.iter().fold(zero, |sum, p| t.bv_add(sum, self.fitted(p, width)))
                };
                self.compute(low, high, add, least)?
            }
            Op::Mul => {
                let mut product = self.wide(args[0])?;
                for arg in &args[1..] {
                    product = self.product(&product, &self.wide(*arg)?)?;
                }
                product
            }
            Op::Div | Op::Mod => {
                let divisor = self.number(args[1]).filter(|n| !n.is_zero());
                let divisor = divisor.ok_or(NotTranslatable::Division)?;
                self.divided(&self.wide(args[0])?, &divisor, op == Op::Div)?
            }
            Op::Ite => {
                let condition = self.plain(args[0])?;
                let (x, y) = (self.wide(args[1])?, self.wide(args[2])?);
                let (low, high) = (x.low.clone().min(y.low.clone()), x.high.clone().max(y.high.clone()));
                let least = self.width_of(&x).max(self.width_of(&y));
                let choose = |w| t.ite(condition, self.fitted(&x, w), self.fitted(&y, w));
                self.compute(low, high, choose, least)?
            }
            _ => return Err(NotTranslatable::Functions),
        };
        Ok(Said::Wide { wide, weight })
    }

    fn product(&self, x: &Wide, y: &Wide) -> Told<Wide> {
        let t = self.t();
        let corners = [&x.low * &y.low, &x.low * &y.high, &x.high * &y.low, &x.high * &y.high];
        let low = corners.iter().min().cloned().unwrap_or(Rat::from(0));
        let high = corners.iter().max().cloned().unwrap_or(Rat::from(0));
        let least = self.width_of(x).max(self.width_of(y));
        self.compute(low, high, |w| t.bv_mul(self.fitted(x, w), self.fitted(y, w)), least)
    }

    /// Quotient or remainder as SMT-LIB has them: the remainder is not negative.
    fn divided(&self, x: &Wide, divisor: &Rat, quotient: bool) -> Told<Wide> {
        let t = self.t();
        let size = divisor.abs();
        let bound = x.low.abs().max(x.high.abs());
        let least = bits(&-&bound, &bound)?.max(bits(&-&size, &size)?).max(self.width_of(x)) + 1;
        let (low, high) = match quotient {
            true => (-&bound, bound),
            false => (Rat::from(0), &size - &Rat::from(1)),
        };
        let divide = |width| {
            let (value, by) = (self.fitted(x, width), t.bv_big(size.numerator(), width));
            let rest = t.bv_srem(value, by);
            let negative = t.bv_slt(rest, t.bv(0, width));
            if !quotient {
                return t.ite(negative, t.bv_add(rest, by), rest);
            }
            let truncated = t.bv_sdiv(value, by);
            let floor = t.ite(negative, t.bv_sub(truncated, t.bv(1, width)), truncated);
            if divisor.is_negative() { t.bv_neg(floor) } else { floor }
        };
        self.compute(low, high, divide, least)
    }
}

/// Bits that hold every signed number between the bounds.
fn bits(low: &Rat, high: &Rat) -> Told<u32> {
    let fits = |width: u32| {
        let half = Rat::pow2(width - 1);
        -&half <= *low && *high < half
    };
    (1..=WIDEST).find(|width| fits(*width)).ok_or(NotTranslatable::WideNumbers)
}
