//! Expressions to terms.
//!
//! A term is total where C is not: what C leaves undefined (division by zero, a read through a pointer to nothing) is an
//! arbitrary value. So `&&` and `?:` need no care for laziness, and a proof holds whatever the undefined value is.
//! Floating-point values are opaque: they are moved and stored, but every operation on them gives an arbitrary value.

use crate::int::{Int, Operand};
use crate::part::{Part, number};
use crate::range::{Range, word_range};
use crate::state::{State, sort};
use crate::{Arith, Encoder, bv};
use craig_cfa::{
    BinOp, Const, ExprId, ExprKind, FloatTy, IntTy, PlaceId, PlaceKind, Type, TypeId, Types, UnOp, arith,
};
use craig_logic::{Op, Rat, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Evaluates expressions in one state.
pub(crate) struct Eval<'a, 'p> {
    pub encoder: &'a Encoder<'p>,
    pub state: &'a State,
    pub part: &'a mut Part,
    memo: FxHashMap<ExprId, TermId>,
}

impl<'a, 'p> Eval<'a, 'p> {
    pub fn new(encoder: &'a Encoder<'p>, state: &'a State, part: &'a mut Part) -> Self {
        Eval { encoder, state, part, memo: FxHashMap::default() }
    }

    fn terms(&self) -> &'a Terms {
        &self.encoder.terms
    }

    fn types(&self) -> &'p Types {
        &self.encoder.program.types
    }

    fn is_bv(&self) -> bool {
        self.encoder.options.arith == Arith::Bv
    }

    fn int(&mut self) -> Int<'_> {
        Int { terms: &self.encoder.terms, part: self.part, wrap: self.encoder.options.signed_wrap }
    }

    pub fn sort(&self, ty: TypeId) -> Sort {
        sort(self.encoder.program, self.terms(), self.encoder.options.arith, ty)
    }

    /// A value of the type, any.
    pub fn arbitrary(&mut self, ty: TypeId) -> TermId {
        self.encoder.arbitrary(ty, "any", self.part)
    }

    /// The value of an expression that is not an aggregate.
    pub fn expr(&mut self, e: ExprId) -> TermId {
        if let Some(&term) = self.memo.get(&e) {
            return term;
        }
        let term = match self.encoder.layout.is_loose(e) {
            true => self.arbitrary(self.encoder.program.exprs.ty(e)),
            false => self.compute(e),
        };
        self.memo.insert(e, term);
        term
    }

    /// The value as a variable holds it. A pointer that was a number before it was moved may have left the address space: objects do not lie
    /// across its ends. Behind the 80 bits of a long double anything may be stored.
    pub fn stored(&mut self, e: ExprId) -> TermId {
        let ty = self.encoder.program.exprs.ty(e);
        if self.is_bv() && matches!(self.types().get(ty), Type::Float(FloatTy::F80)) {
            let (value, padded) = (self.expr(e), self.arbitrary(ty));
            let t = self.terms();
            let width = t.sort(padded).width().unwrap_or(80);
            return t.concat(t.extract(width - 1, 80, padded), t.extract(79, 0, value));
        }
        if self.is_bv() || !self.encoder.numbers || !self.types().is_ptr(ty) {
            return self.expr(e);
        }
        let value = self.operand(e);
        self.convert(value, ty, ty)
    }

    fn compute(&mut self, e: ExprId) -> TermId {
        let program = self.encoder.program;
        let t = self.terms();
        let ty = program.exprs.ty(e);
        match program.exprs.kind(e) {
            ExprKind::Const(c) => self.constant(c, ty),
            ExprKind::Read(place) => self.read(*place),
            ExprKind::AddrOf(place) => self.address(*place),
            ExprKind::ProcAddr(proc) => self.encoder.address(self.encoder.layout.proc_address(*proc)),
            ExprKind::Leads(pointer, procs) => {
                let procs = self.encoder.layout.leads(e, procs);
                if procs.is_empty() {
                    return t.fls();
                }
                let pointer = self.expr(*pointer);
                let address = |proc| self.encoder.address(self.encoder.layout.proc_address(proc));
                t.or(procs.iter().map(|proc| t.eq(pointer, address(*proc))))
            }
            ExprKind::Valid(pointer, bytes) => self.is_valid(e, *pointer, *bytes),
            ExprKind::Unary(op, a) => self.unary(*op, *a, ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, ty),
            ExprKind::PtrAdd(p, n) => self.pointer_plus(*p, *n, ty),
            ExprKind::PtrDiff(p, q) => self.pointer_difference(*p, *q, ty),
            ExprKind::Cast(inner) => self.cast(*inner, ty),
            ExprKind::Ite(c, a, b) => {
                let (c, a, b) = (self.expr(*c), self.expr(*a), self.expr(*b));
                t.ite(c, a, b)
            }
            ExprKind::Overflows(op, a, b) => self.overflows(*op, *a, *b),
            ExprKind::Select(map, index) => {
                let mut term = self.expr(*map);
                for i in index {
                    let i = self.expr(*i);
                    term = t.select(term, i);
                }
                term
            }
            ExprKind::Store(map, index, value) => {
                let map = self.expr(*map);
                let index: Vec<TermId> = index.iter().map(|i| self.expr(*i)).collect();
                let value = self.expr(*value);
                store(t, map, &index, value)
            }
            ExprKind::Apply(name, args) => {
                let args: Vec<TermId> = args.iter().map(|a| self.expr(*a)).collect();
                let domain: Vec<Sort> = args.iter().map(|a| t.sort(*a)).collect();
                let function = t.function(name, &domain, self.sort(ty));
                t.apply(function, &args)
            }
            ExprKind::Extract { of, hi, lo } => self.extract(*of, *hi, *lo, ty),
            ExprKind::Concat(a, b) => self.concat(*a, *b, ty),
        }
    }

    fn constant(&mut self, c: &Const, ty: TypeId) -> TermId {
        let t = self.terms();
        match c {
            Const::Bool(b) => t.bool(*b),
            Const::Int(n) => t.numeral(&Rat::from_ibig(n.clone()), Sort::Int),
            Const::Real(r) => {
                let (n, d) =
                    (Rat::from_ibig(r.numerator().clone()), Rat::from_ibig(r.denominator().clone().into()));
                t.real(&(&n / &d))
            }
            Const::Bits(bits) => match self.sort(ty) {
                Sort::BitVec(width) => t.bv_big((*bits).into(), width),
                _ => {
                    let word = self.types().as_word(ty).unwrap_or(IntTy::new(128, false));
                    if word.signed {
                        number(t, arith::to_i128(*bits, word))
                    } else {
                        t.numeral(&Rat::from_ibig((*bits).into()), Sort::Int)
                    }
                }
            },
            // Aggregates are taken apart before they get here.
            Const::Zero | Const::Bytes(_) => self.arbitrary(ty),
        }
    }

    fn operand(&mut self, e: ExprId) -> Operand {
        let term = self.expr(e);
        // What the state knows may be more than what the expression shows.
        let constant = self.terms().number(term).filter(Rat::is_integer);
        let constant = constant.and_then(|n| i128::try_from(&n.numerator()).ok()).map(Range::exactly);
        let range = constant.or_else(|| self.encoder.range(e));
        Operand { term, range: range.unwrap_or(Range::new(i128::MIN, i128::MAX)) }
    }

    fn unary(&mut self, op: UnOp, a: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        if op == UnOp::Not {
            let a = self.expr(a);
            return t.not(a);
        }
        match self.types().get(ty) {
            Type::Int(_) if self.is_bv() => {
                let a = self.expr(a);
                bv::unary(t, op, a)
            }
            Type::Int(int) => {
                let a = self.operand(a);
                self.int().unary(op, a, *int)
            }
            Type::MathInt | Type::MathReal if op == UnOp::Neg => {
                let a = self.expr(a);
                t.neg(a)
            }
            _ => self.arbitrary(ty),
        }
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        if op.is_logic() {
            let (a, b) = (self.expr(a), self.expr(b));
            return match op {
                BinOp::And => t.and([a, b]),
                BinOp::Or => t.or([a, b]),
                BinOp::Implies => t.implies(a, b),
                _ => t.iff(a, b),
            };
        }
        let operand_ty = self.encoder.program.exprs.ty(a);
        if op.is_comparison() {
            return self.comparison(op, a, b, operand_ty);
        }
        match *self.types().get(ty) {
            Type::Int(int) if self.is_bv() => {
                let (x, mut y) = (self.expr(a), self.expr(b));
                if matches!(op, BinOp::Shl | BinOp::Shr) {
                    let from = self.types().as_word(self.encoder.program.exprs.ty(b)).unwrap_or(int);
                    y = self.shift_amount(y, from, int);
                }
                bv::binary(t, op, x, y, int)
            }
            Type::Int(int) => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.int().binary(op, a, b, int)
            }
            Type::MathInt => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op {
                    BinOp::Add => t.add(a, b),
                    BinOp::Sub => t.sub(a, b),
                    BinOp::Mul => t.mul(a, b),
                    BinOp::Div => t.div_trunc(a, b),
                    BinOp::Rem => t.rem_trunc(a, b),
                    BinOp::EDiv => t.div(a, b),
                    BinOp::ERem => t.modulo(a, b),
                    _ => self.arbitrary(ty),
                }
            }
            Type::MathReal => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op {
                    BinOp::Add => t.add(a, b),
                    BinOp::Sub => t.sub(a, b),
                    BinOp::Mul => t.mul(a, b),
                    BinOp::RDiv if t.number(b).is_some_and(|d| !d.is_zero()) => t.div(a, b),
                    _ => self.arbitrary(ty),
                }
            }
            _ => self.arbitrary(ty),
        }
    }

    /// The amount of a shift in the width of the shifted value. One that does not fit is too much in both.
    fn shift_amount(&mut self, amount: TermId, from: IntTy, to: IntTy) -> TermId {
        let t = self.terms();
        if from.width <= to.width {
            return bv::convert(t, amount, IntTy::new(from.width, false), IntTy::new(to.width, false));
        }
        let (wide, narrow) = (u32::from(from.width), u32::from(to.width));
        let fits = t.bv_ult(amount, t.bv(i64::from(narrow), wide));
        let all_ones = t.bv_not(t.bv(0, narrow));
        t.ite(fits, t.extract(narrow - 1, 0, amount), all_ones)
    }

    fn comparison(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        if self.types().is_float(ty) {
            return self.arbitrary(Types::BOOL);
        }
        let (x, y) = (self.expr(a), self.expr(b));
        match op {
            BinOp::Eq => t.eq(x, y),
            BinOp::Ne => t.distinct(x, y),
            _ => match t.sort(x) {
                Sort::BitVec(_) => {
                    let signed = self.types().as_word(ty).is_some_and(|w| w.signed);
                    bv::less(t, op == BinOp::Lt, x, y, signed)
                }
                Sort::Int | Sort::Real if op == BinOp::Lt => t.lt(x, y),
                Sort::Int | Sort::Real => t.le(x, y),
                _ => self.arbitrary(Types::BOOL),
            },
        }
    }

    pub fn cast(&mut self, inner: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        let from = self.encoder.program.exprs.ty(inner);
        let target = self.types().as_word(ty);
        match (self.types().get(from), self.types().get(ty)) {
            (Type::Bool, _) if target.is_some() => {
                let condition = self.expr(inner);
                let (one, zero) = match self.sort(ty) {
                    Sort::BitVec(w) => (t.bv(1, w), t.bv(0, w)),
                    _ => (t.int(1), t.int(0)),
                };
                t.ite(condition, one, zero)
            }
            (Type::Int(_) | Type::Ptr(_), Type::Int(_) | Type::Ptr(_)) => {
                let value = self.operand(inner);
                self.convert(value, from, ty)
            }
            (Type::MathInt, Type::MathReal) => {
                let value = self.expr(inner);
                t.to_real(value)
            }
            _ => self.arbitrary(ty),
        }
    }

    /// Between integers and pointers.
    pub fn convert(&mut self, value: Operand, from: TypeId, to: TypeId) -> TermId {
        match (self.types().as_word(from), self.types().as_word(to)) {
            (Some(f), Some(w)) if self.is_bv() => bv::convert(self.terms(), value.term, f, w),
            (Some(_), Some(w)) => self.int().wrapped(value, w),
            _ => value.term,
        }
    }

    /// An index or count as an address difference.
    fn scaled(&mut self, count: ExprId, size: u64) -> TermId {
        let t = self.terms();
        let ty = self.encoder.program.exprs.ty(count);
        let Some(word) = self.types().as_word(ty) else { return self.encoder.distance(0) };
        let value = self.operand(count);
        let width = self.types().model.pointer_bits();
        if self.is_bv() {
            let wide = bv::convert(t, value.term, word, IntTy::new(width, word.signed));
            return t.bv_mul(wide, t.bv_big(size.into(), u32::from(width)));
        }
        // What moves beyond half of the address space moves backwards, as the address wraps around: a constant with its size
        // (CIL writes `container_of` as `p + 0x0ffffffffffffd70UL`, whatever `p` points to), otherwise the count.
        if value.range.low == value.range.high {
            let bytes = value.range.low.wrapping_mul(i128::from(size));
            let signed = IntTy::new(width, true);
            return number(t, arith::to_i128(arith::truncate(bytes.cast_unsigned(), signed), signed));
        }
        let centred = self.int().wrapped(value, IntTy::new(width.max(word.width), true));
        t.scale(&Rat::from_ibig(size.into()), centred)
    }

    fn pointer_plus(&mut self, p: ExprId, n: ExprId, ty: TypeId) -> TermId {
        let size = self.types().pointee(ty).and_then(|to| self.types().size_of(to)).unwrap_or(1);
        let (base, offset) = (self.expr(p), self.scaled(n, size));
        // Objects do not lie across the ends of the address space.
        self.encoder.plus(base, offset)
    }

    fn pointer_difference(&mut self, p: ExprId, q: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        let pointer = self.encoder.program.exprs.ty(p);
        let size = self.types().pointee(pointer).and_then(|to| self.types().size_of(to)).unwrap_or(1).max(1);
        let (x, y) = (self.expr(p), self.expr(q));
        let Some(int) = self.types().as_int(ty) else { return self.arbitrary(ty) };
        if self.is_bv() {
            let size = t.bv_big(size.into(), u32::from(int.width));
            return t.bv_sdiv(t.bv_sub(x, y), size);
        }
        let addresses = word_range(self.encoder.program, pointer).unwrap_or(Range::new(0, i128::MAX));
        let bounds = |e: ExprId| self.encoder.range(e).unwrap_or(addresses);
        let range = bounds(p).minus(bounds(q)).unwrap_or(Range::new(i128::MIN, i128::MAX));
        let term = self.int().wrapped(Operand { term: t.sub(x, y), range }, int);
        let difference = Operand { term, range: Range::of(int).unwrap_or(range) };
        let divisor = Operand { term: number(t, i128::from(size)), range: Range::exactly(i128::from(size)) };
        self.int().binary(BinOp::Div, difference, divisor, int)
    }

    fn overflows(&mut self, op: BinOp, a: ExprId, b: ExprId) -> TermId {
        let t = self.terms();
        let ty = self.encoder.program.exprs.ty(a);
        let Some(int) = self.types().as_int(ty) else { return self.arbitrary(Types::BOOL) };
        let (x, y) = (self.expr(a), self.expr(b));
        if self.is_bv() {
            // Exact in twice the width.
            let wide = IntTy::new(int.width * 2, int.signed);
            let (x2, y2) = (bv::convert(t, x, int, wide), bv::convert(t, y, int, wide));
            let exact = bv::binary(t, op, x2, y2, wide);
            let back = bv::convert(t, bv::convert(t, exact, wide, int), int, wide);
            return t.distinct(exact, back);
        }
        let exact = match op {
            BinOp::Add => t.add(x, y),
            BinOp::Sub => t.sub(x, y),
            _ => t.mul(x, y),
        };
        match Range::of(int) {
            Some(r) => t.or([t.lt(exact, number(t, r.low)), t.gt(exact, number(t, r.high))]),
            None => self.arbitrary(Types::BOOL),
        }
    }

    fn extract(&mut self, of: ExprId, hi: u16, lo: u16, ty: TypeId) -> TermId {
        let t = self.terms();
        if self.is_bv() {
            let value = self.expr(of);
            return t.extract(u32::from(hi) - 1, u32::from(lo), value);
        }
        let Some(int) = self.types().as_int(self.encoder.program.exprs.ty(of)) else {
            return self.arbitrary(ty);
        };
        let value = self.operand(of);
        let amount = Operand { term: number(t, i128::from(lo)), range: Range::exactly(i128::from(lo)) };
        let term = self.int().binary(BinOp::Shr, value, amount, int);
        let shifted = Operand { term, range: value.range };
        self.int().wrapped(shifted, IntTy::new(hi - lo, false))
    }

    fn concat(&mut self, a: ExprId, b: ExprId, ty: TypeId) -> TermId {
        let t = self.terms();
        let (x, y) = (self.expr(a), self.expr(b));
        if self.is_bv() {
            return t.concat(x, y);
        }
        match self.types().as_int(self.encoder.program.exprs.ty(b)) {
            Some(low) => t.add(t.scale(&Rat::pow2(u32::from(low.width)), x), y),
            None => self.arbitrary(ty),
        }
    }

    // Places.

    /// Where a place lies.
    pub fn address(&mut self, place: PlaceId) -> TermId {
        let t = self.terms();
        let program = self.encoder.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(v) => match self.encoder.layout.var_base(v) {
                Some(base) => self.encoder.address(base),
                None => self.encoder.any_address(self.part),
            },
            PlaceKind::Deref(e) => self.expr(e),
            PlaceKind::Field(of, field) => {
                let base = self.address(of);
                let Type::Record(r) = *program.types.get(program.exprs.place(of).ty) else { return base };
                let offset = self.encoder.distance(program.types.records[r].fields[field as usize].offset);
                self.encoder.plus(base, offset)
            }
            PlaceKind::Index(of, index) => {
                let base = self.address(of);
                let size = program.types.size_of(program.exprs.place(place).ty).unwrap_or(1);
                let offset = self.scaled(index, size);
                debug_assert_eq!(t.sort(base), t.sort(offset));
                self.encoder.plus(base, offset)
            }
        }
    }

    /// What an array holds that nothing was stored into lies in its type, as all that is stored does.
    pub fn bound_element(&mut self, array: TermId, address: TermId, ty: TypeId) {
        let Some(Range { low, high }) = word_range(self.encoder.program, ty).filter(|_| !self.is_bv()) else {
            return;
        };
        let t = self.terms();
        // Of very deep ones the rest stays unbounded: arbitrary, as everything else that is not known.
        const MOST: usize = 1000;
        let mut todo = vec![array];
        let mut seen = FxHashSet::default();
        while let Some(next) = todo.pop() {
            if seen.len() > MOST || !seen.insert(next) {
                continue;
            }
            match t.op(next) {
                Op::Store => todo.push(t.arg(next, 0)),
                Op::Ite => todo.extend([t.arg(next, 1), t.arg(next, 2)]),
                Op::Symbol(_) => self.part.bound_once(t, t.select(next, address), low, high),
                _ => {}
            }
        }
    }

    /// The same bits as a value of another type of the same size.
    pub fn reinterpret(&mut self, value: TermId, from: TypeId, to: TypeId) -> TermId {
        if from == to {
            return value;
        }
        match (self.types().as_word(from), self.types().as_word(to)) {
            (Some(f), Some(w)) if f.width == w.width => {
                let range =
                    word_range(self.encoder.program, from).unwrap_or(Range::new(i128::MIN, i128::MAX));
                self.convert(Operand { term: value, range }, from, to)
            }
            _ if self.sort(from) == self.sort(to)
                && self.types().is_float(from) == self.types().is_float(to) =>
            {
                value
            }
            _ => self.arbitrary(to),
        }
    }
}

/// A map of several indices changed in one place.
fn store(t: &Terms, map: TermId, index: &[TermId], value: TermId) -> TermId {
    match index {
        [] => value,
        [first, rest @ ..] => {
            let inner = if rest.is_empty() { value } else { store(t, t.select(map, *first), rest, value) };
            t.store(map, *first, inner)
        }
    }
}
