//! Expressions to bit-vectors, written from what `craig_cfa` says they mean.
//!
//! Beside its value an expression has the condition under which evaluating it is undefined: then the run ends, as the interpreter has it.
//! Evaluation is lazy where C's is. What is not modelled (arithmetic on floats) is arbitrary.

use super::layout::{Home, Layout, MEM, Shape, State, shape};
use super::space::{LOWEST, Space};
use super::{Model, NotTranslatable};
use craig_cfa::{
    BinOp, Const, ExprId, ExprKind, IntTy, PlaceId, PlaceKind, Type, TypeId, Types, UnOp, VarId, arith,
};
use craig_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

/// A value, and when computing it is undefined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub term: TermId,
    pub bad: TermId,
}

/// Storage that a place names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    Part(usize),
    Memory(Address),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    pub term: TermId,
    /// When finding it is undefined.
    pub bad: TermId,
    /// First bit, for a bit-field.
    pub bit: Option<u8>,
    /// The variable that the place was named by: an access must lie in it. Its first address and its size.
    pub root: Option<(TermId, u64)>,
}

/// Evaluates expressions in one state.
pub(super) struct Eval<'a, 'p> {
    pub model: &'a Model<'p>,
    pub state: &'a State,
    pub space: &'a mut Space,
    memo: FxHashMap<ExprId, Value>,
}

type Evaluated<T> = Result<T, NotTranslatable>;

impl<'a, 'p> Eval<'a, 'p> {
    pub fn new(model: &'a Model<'p>, state: &'a State, space: &'a mut Space) -> Self {
        Eval { model, state, space, memo: FxHashMap::default() }
    }

    fn t(&self) -> &'a Terms {
        &self.model.terms
    }

    fn layout(&self) -> &'a Layout {
        &self.model.layout
    }

    fn ty(&self, e: ExprId) -> TypeId {
        self.model.program.exprs.ty(e)
    }

    /// The integer that values of a type are made of.
    fn word(&self, ty: TypeId) -> Option<IntTy> {
        self.model.program.types.as_word(ty)
    }

    fn width(&self, term: TermId) -> u32 {
        self.t().sort(term).width().unwrap_or(1)
    }

    fn arbitrary(&self, ty: TypeId) -> Evaluated<TermId> {
        Ok(self.t().fresh("any", shape(self.model.program, ty)?.sort()))
    }

    /// The value of an expression that is no aggregate.
    pub fn expr(&mut self, e: ExprId) -> Evaluated<Value> {
        if let Some(&value) = self.memo.get(&e) {
            return Ok(value);
        }
        let value = self.compute(e)?;
        self.memo.insert(e, value);
        Ok(value)
    }

    fn compute(&mut self, e: ExprId) -> Evaluated<Value> {
        let program = self.model.program;
        let t = self.t();
        let ty = program.exprs.ty(e);
        let defined = |term: TermId| Value { term, bad: t.fls() };
        Ok(match program.exprs.kind(e) {
            ExprKind::Const(Const::Bool(value)) => defined(t.bool(*value)),
            ExprKind::Const(Const::Bits(bits)) => match shape(program, ty)? {
                Shape::Bits(width, _) => defined(t.bv_big((*bits).into(), width)),
                Shape::Bool => defined(t.bool(*bits != 0)),
            },
            ExprKind::Const(Const::Zero | Const::Bytes(_) | Const::Int(_) | Const::Real(_)) => {
                defined(self.arbitrary(ty)?)
            }
            ExprKind::Read(place) => self.read(*place)?,
            ExprKind::AddrOf(place) => match self.spot(*place)? {
                Spot::Memory(at) => Value { term: at.term, bad: at.bad },
                Spot::Part(_) => defined(self.arbitrary(ty)?),
            },
            ExprKind::ProcAddr(proc) => match self.layout().procs.get(proc) {
                Some(&object) => defined(self.state.0[self.layout().objects[object].base]),
                None => defined(self.arbitrary(ty)?),
            },
            ExprKind::Leads(pointer, procs) => {
                let to = self.expr(*pointer)?;
                let base =
                    |proc| self.layout().procs.get(proc).map(|&object| self.layout().objects[object].base);
                let bases = procs.iter().filter_map(base);
                Value { term: t.or(bases.map(|base| t.eq(to.term, self.state.0[base]))), bad: to.bad }
            }
            // Here an access that is not valid ends the run anyway.
            ExprKind::Valid(pointer, _) => Value { term: t.tru(), bad: self.expr(*pointer)?.bad },
            ExprKind::Unary(op, a) => self.unary(*op, *a, ty)?,
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, ty)?,
            ExprKind::PtrAdd(p, n) => {
                let at = self.moved(*p, *n, ty)?;
                Value { term: at.term, bad: at.bad }
            }
            ExprKind::PtrDiff(p, q) => self.pointer_difference(*p, *q)?,
            ExprKind::Cast(inner) => self.cast(*inner, ty)?,
            ExprKind::Ite(c, a, b) => {
                let (c, a, b) = (self.expr(*c)?, self.expr(*a)?, self.expr(*b)?);
                let bad = t.or([c.bad, t.ite(c.term, a.bad, b.bad)]);
                Value { term: t.ite(c.term, a.term, b.term), bad }
            }
            ExprKind::Overflows(op, a, b) => {
                let (x, y) = (self.expr(*a)?, self.expr(*b)?);
                let int = self.word(self.ty(*a)).unwrap_or(IntTy::new(1, false));
                Value { term: overflows(t, *op, x.term, y.term, int), bad: t.or([x.bad, y.bad]) }
            }
            ExprKind::Extract { of, hi, lo } if lo < hi => {
                let of = self.expr(*of)?;
                Value { term: t.extract(u32::from(*hi) - 1, u32::from(*lo), of.term), bad: of.bad }
            }
            ExprKind::Concat(a, b) => {
                let (x, y) = (self.expr(*a)?, self.expr(*b)?);
                Value { term: t.concat(x.term, y.term), bad: t.or([x.bad, y.bad]) }
            }
            ExprKind::Select(..) | ExprKind::Store(..) => return Err(NotTranslatable::Maps),
            ExprKind::Apply(..) => return Err(NotTranslatable::Functions),
            ExprKind::Extract { .. } => defined(self.arbitrary(ty)?),
        })
    }

    fn unary(&mut self, op: UnOp, a: ExprId, ty: TypeId) -> Evaluated<Value> {
        let t = self.t();
        let x = self.expr(a)?;
        let int = self.model.program.types.as_int(ty);
        let (term, own) = match (op, int) {
            (UnOp::Not, _) => (t.not(x.term), t.fls()),
            (UnOp::BitNot, Some(_)) => (t.bv_not(x.term), t.fls()),
            (UnOp::Neg, Some(int)) => {
                let smallest = t.bv_big(arith::bounds(int).0.into(), u32::from(int.width));
                let leaves = t.and([t.bool(int.signed && !self.model.wrap), t.eq(x.term, smallest)]);
                (t.bv_neg(x.term), leaves)
            }
            _ => (self.arbitrary(ty)?, t.fls()),
        };
        Ok(Value { term, bad: t.or([x.bad, own]) })
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId) -> Evaluated<Value> {
        let t = self.t();
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        let right = |reached: TermId| t.or([x.bad, t.and([reached, y.bad])]);
        match op {
            BinOp::And => return Ok(Value { term: t.and([x.term, y.term]), bad: right(x.term) }),
            BinOp::Or => return Ok(Value { term: t.or([x.term, y.term]), bad: right(t.not(x.term)) }),
            BinOp::Implies => return Ok(Value { term: t.implies(x.term, y.term), bad: right(x.term) }),
            _ => {}
        }
        let both = t.or([x.bad, y.bad]);
        let operand = self.ty(a);
        if op == BinOp::Iff || op.is_comparison() {
            if self.model.program.types.is_float(operand) {
                return Ok(Value { term: self.arbitrary(ty)?, bad: both });
            }
            let signed = self.word(operand).is_some_and(|word| word.signed);
            let term = match (op, signed) {
                (BinOp::Eq | BinOp::Iff, _) => t.eq(x.term, y.term),
                (BinOp::Ne, _) => t.distinct(x.term, y.term),
                (BinOp::Lt, _) if operand == Types::BOOL => t.and([t.not(x.term), y.term]),
                (_, _) if operand == Types::BOOL => t.implies(x.term, y.term),
                (BinOp::Lt, true) => t.bv_slt(x.term, y.term),
                (BinOp::Lt, false) => t.bv_ult(x.term, y.term),
                (_, true) => t.bv_sle(x.term, y.term),
                (_, false) => t.bv_ule(x.term, y.term),
            };
            return Ok(Value { term, bad: both });
        }
        let Some(int) = self.model.program.types.as_int(ty) else {
            return Ok(Value { term: self.arbitrary(ty)?, bad: both });
        };
        let (term, own) = match op {
            BinOp::Shl | BinOp::Shr => {
                let amount = self.word(self.ty(b)).unwrap_or(int);
                shift(t, op, x.term, y.term, int, amount)
            }
            BinOp::EDiv | BinOp::ERem | BinOp::RDiv => (self.arbitrary(ty)?, t.fls()),
            _ => arithmetic(t, op, x.term, y.term, int, self.model.wrap),
        };
        Ok(Value { term, bad: t.or([both, own]) })
    }

    fn cast(&mut self, inner: ExprId, ty: TypeId) -> Evaluated<Value> {
        let t = self.t();
        let types = &self.model.program.types;
        let from = self.ty(inner);
        let x = self.expr(inner)?;
        let term = match (types.get(from), self.word(from), types.get(ty), self.word(ty)) {
            (Type::Bool, _, _, Some(to)) => {
                let width = u32::from(to.width);
                t.ite(x.term, t.bv(1, width), t.bv(0, width))
            }
            (_, Some(from), _, Some(to)) => convert(t, x.term, from, u32::from(to.width)),
            (_, Some(from), Type::Bool, _) => t.distinct(x.term, t.bv(0, u32::from(from.width))),
            _ if from == ty => x.term,
            _ => self.arbitrary(ty)?,
        };
        Ok(Value { term, bad: x.bad })
    }

    fn pointer_difference(&mut self, p: ExprId, q: ExprId) -> Evaluated<Value> {
        let t = self.t();
        let types = &self.model.program.types;
        let size = types.pointee(self.ty(p)).and_then(|to| types.size_of(to)).unwrap_or(1);
        let (x, y) = (self.expr(p)?, self.expr(q)?);
        let bytes = self.space.distance(y.term, x.term);
        let term = t.bv_sdiv(bytes, self.space.address(size));
        Ok(Value { term, bad: t.or([x.bad, y.bad, t.bool(size == 0)]) })
    }

    // Places.

    /// The storage of a place.
    pub fn spot(&mut self, place: PlaceId) -> Evaluated<Spot> {
        let program = self.model.program;
        Ok(match program.exprs.place(place).kind {
            PlaceKind::Var(var) => self.variable(var)?,
            PlaceKind::Deref(pointer) => Spot::Memory(self.pointer(pointer)?),
            PlaceKind::Field(of, index) => {
                let at = self.address(of)?;
                let Type::Record(record) = program.types.get(program.exprs.place(of).ty) else {
                    return Err(NotTranslatable::OpaqueValues);
                };
                let field = &program.types.records[*record].fields[index as usize];
                let term = self.space.plus(at.term, field.offset);
                Spot::Memory(Address { term, bit: field.bit, ..at })
            }
            PlaceKind::Index(of, index) => {
                let at = self.address(of)?;
                let size = program.types.size_of(program.exprs.place(place).ty).unwrap_or(0);
                Spot::Memory(self.steps(at, index, size)?)
            }
        })
    }

    fn variable(&self, var: VarId) -> Evaluated<Spot> {
        match self.layout().homes[var] {
            Home::Plain(part) => Ok(Spot::Part(part)),
            Home::Memory(object) => {
                let object = &self.layout().objects[object];
                let term = self.state.0[object.base];
                let root = object.size.map(|size| (term, size));
                Ok(Spot::Memory(Address { term, bad: self.t().fls(), bit: None, root }))
            }
            Home::Nowhere => {
                let ty = self.model.program.vars[var].ty;
                Err(shape(self.model.program, ty).err().unwrap_or(NotTranslatable::OpaqueValues))
            }
        }
    }

    fn address(&mut self, place: PlaceId) -> Evaluated<Address> {
        match self.spot(place)? {
            Spot::Memory(at) => Ok(at),
            Spot::Part(_) => Err(NotTranslatable::OpaqueValues),
        }
    }

    /// A pointer with the variable it was computed from, where the expression shows it.
    fn pointer(&mut self, e: ExprId) -> Evaluated<Address> {
        let exprs = &self.model.program.exprs;
        match *exprs.kind(e) {
            ExprKind::PtrAdd(pointer, count) => self.moved(pointer, count, exprs.ty(e)),
            ExprKind::Cast(inner) if self.model.program.types.is_ptr(exprs.ty(inner)) => self.pointer(inner),
            ExprKind::AddrOf(place) => match self.spot(place)? {
                Spot::Memory(at) => Ok(at),
                Spot::Part(_) => Err(NotTranslatable::OpaqueValues),
            },
            _ => {
                let value = self.expr(e)?;
                Ok(Address { term: value.term, bad: value.bad, bit: None, root: None })
            }
        }
    }

    fn moved(&mut self, pointer: ExprId, count: ExprId, ty: TypeId) -> Evaluated<Address> {
        let types = &self.model.program.types;
        let size = types.pointee(ty).and_then(|to| types.size_of(to)).unwrap_or(1);
        let at = self.pointer(pointer)?;
        self.steps(at, count, size)
    }

    /// So many steps of a size further on. The address wraps around; where it does not, the run ends there, unless the count is a constant.
    fn steps(&mut self, at: Address, count: ExprId, size: u64) -> Evaluated<Address> {
        let t = self.t();
        let n = self.expr(count)?;
        let from = self.word(self.ty(count)).unwrap_or(IntTy::new(1, false));
        let pointer = u32::from(self.model.program.types.model.pointer_bits());
        let wide = convert(t, n.term, from, pointer);
        let offset = t.bv_mul(wide, self.space.address(size));
        let term = self.space.sum(at.term, offset);
        let mut bad = vec![at.bad, n.bad];
        if !self.model.wrap_addresses && !t.is_number(n.term) {
            bad.push(leaves_space(t, n.term, wide, size));
            let down = t.bv_slt(offset, t.bv(0, pointer));
            bad.push(t.ite(down, t.bv_ult(at.term, term), t.bv_ult(term, at.term)));
        }
        Ok(Address { term, bad: t.or(bad), bit: None, ..at })
    }

    /// When an access to so many bytes is surely none to a live object.
    pub fn strays(&self, at: &Address, bytes: u64) -> TermId {
        let t = self.t();
        let outside = match at.root {
            Some((_, size)) if bytes > size => t.tru(),
            Some((base, size)) => {
                let offset = self.space.distance(base, at.term);
                t.not(t.bv_ule(offset, self.space.address(size - bytes)))
            }
            None => t.bv_ult(at.term, t.bv(LOWEST, self.width(at.term))),
        };
        t.or([at.bad, outside])
    }

    fn read(&mut self, place: PlaceId) -> Evaluated<Value> {
        let t = self.t();
        let ty = self.model.program.exprs.place(place).ty;
        let at = match self.spot(place)? {
            Spot::Part(part) => return Ok(Value { term: self.state.0[part], bad: t.fls() }),
            Spot::Memory(at) => at,
        };
        let Shape::Bits(width, bytes) = shape(self.model.program, ty)? else {
            return Err(NotTranslatable::OpaqueValues);
        };
        let (bytes, low) = field_bytes(at.bit, width, bytes);
        let bad = self.strays(&at, bytes);
        let all = self.space.word(self.state.0[MEM], at.term, bytes);
        Ok(Value { term: cut(t, all, low, width, width == 1 && at.bit.is_none()), bad })
    }
}

/// A scalar from its bytes. Of a truth value that is no bit-field any byte that is not zero is true, as machines test it.
pub(super) fn cut(t: &Terms, bytes: TermId, bit: u32, width: u32, truth: bool) -> TermId {
    if truth {
        t.ite(t.eq(bytes, t.bv(0, 8)), t.bv(0, 1), t.bv(1, 1))
    } else {
        t.extract(bit + width - 1, bit, bytes)
    }
}

/// The bytes that a scalar takes, and the position of its first bit in them.
pub(super) fn field_bytes(bit: Option<u8>, width: u32, bytes: u64) -> (u64, u32) {
    match bit {
        Some(bit) => ((u64::from(bit) + u64::from(width)).div_ceil(8), u32::from(bit)),
        None => (bytes, 0),
    }
}

/// Conversion between integers: modulo the width.
pub(super) fn convert(t: &Terms, value: TermId, from: IntTy, to: u32) -> TermId {
    let width = u32::from(from.width);
    match to.checked_sub(width) {
        Some(more) if from.signed => t.sign_ext(more, value),
        Some(more) => t.zero_ext(more, value),
        None => t.extract(to - 1, 0, value),
    }
}

/// Do so many steps of a size lead further than half of the address space? `wide`: the count in the width of an address.
fn leaves_space(t: &Terms, count: TermId, wide: TermId, size: u64) -> TermId {
    let (have, width) = (t.sort(count).width().unwrap_or(1), t.sort(wide).width().unwrap_or(1));
    let cut = match have.checked_sub(width) {
        Some(more) if more > 0 => t.distinct(count, t.sign_ext(more, wide)),
        _ => t.fls(),
    };
    let half = 1i128 << (width - 1);
    let most = |bytes: i128| t.bv_big((bytes / i128::from(size.max(1))).into(), width);
    t.or([cut, t.bv_slt(wide, most(-half)), t.bv_slt(most(half - 1), wide)])
}

/// Does the exact result leave the type?
fn overflows(t: &Terms, op: BinOp, x: TermId, y: TermId, int: IntTy) -> TermId {
    let width = u32::from(int.width);
    // One bit more holds every sum and difference, twice the bits every product.
    let wide = if op == BinOp::Mul { 2 * width } else { width + 1 };
    // Differences of unsigned numbers have a sign.
    let (x, y) = (convert(t, x, int, wide), convert(t, y, int, wide));
    let exact = match op {
        BinOp::Add => t.bv_add(x, y),
        BinOp::Sub => t.bv_sub(x, y),
        _ => t.bv_mul(x, y),
    };
    t.distinct(exact, convert(t, t.extract(width - 1, 0, exact), int, wide))
}

/// An operation on two integers of one type: the result, and when it is undefined.
fn arithmetic(t: &Terms, op: BinOp, x: TermId, y: TermId, int: IntTy, wrap: bool) -> (TermId, TermId) {
    let width = u32::from(int.width);
    let checked = int.signed && !wrap;
    let leaves = || if checked { overflows(t, op, x, y, int) } else { t.fls() };
    let division = || {
        let by_zero = t.eq(y, t.bv(0, width));
        let smallest = t.eq(x, t.bv_big(arith::bounds(int).0.into(), width));
        t.or([by_zero, t.and([t.bool(checked), smallest, t.eq(y, t.bv(-1, width))])])
    };
    match op {
        BinOp::Add => (t.bv_add(x, y), leaves()),
        BinOp::Sub => (t.bv_sub(x, y), leaves()),
        BinOp::Mul => (t.bv_mul(x, y), leaves()),
        BinOp::Div => (if int.signed { t.bv_sdiv(x, y) } else { t.bv_udiv(x, y) }, division()),
        BinOp::Rem => (if int.signed { t.bv_srem(x, y) } else { t.bv_urem(x, y) }, division()),
        BinOp::BitAnd => (t.bv_and(x, y), t.fls()),
        BinOp::BitOr => (t.bv_or(x, y), t.fls()),
        _ => (t.bv_xor(x, y), t.fls()),
    }
}

/// A shift; undefined if the amount is negative or not below the width.
fn shift(t: &Terms, op: BinOp, x: TermId, n: TermId, int: IntTy, amount: IntTy) -> (TermId, TermId) {
    let width = u32::from(int.width);
    let wide = width.max(u32::from(amount.width)) + 1;
    let n = convert(t, n, amount, wide);
    let bad = t.not(t.bv_ult(n, t.bv(i64::from(width), wide)));
    let n = t.extract(width - 1, 0, n);
    let term = match (op, int.signed) {
        (BinOp::Shl, _) => t.bv_shl(x, n),
        (_, true) => t.bv_ashr(x, n),
        (_, false) => t.bv_lshr(x, n),
    };
    (term, bad)
}
