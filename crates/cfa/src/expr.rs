//! Expressions and places.
//!
//! Expressions are pure: they read the state and change nothing. They are typed, hash-consed per program and shared. A
//! [`Place`] names storage: a variable, what a pointer points to, a field or an element of a place. An expression of an
//! aggregate type can only be a read of a place or a constant.
//!
//! Evaluation is lazy where C's is: `And`, `Or`, `Implies` and `Ite` evaluate the right side only if the left leaves it open, so
//! `p && p->x` is one expression without undefined behaviour.

use crate::arith;
use crate::program::{ProcId, VarId};
use crate::types::{Type, TypeId, Types};
use crate::{Name, RecordKind};
use dashu::integer::IBig;
use dashu::rational::RBig;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::Arc;

index_vec::define_index_type! { pub struct ExprId = u32; }
index_vec::define_index_type! { pub struct PlaceId = u32; }

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Const {
    Bool(bool),
    /// An integer, pointer or float by its bits.
    Bits(u128),
    /// A Boogie integer.
    Int(IBig),
    /// A Boogie real.
    Real(RBig),
    /// All bytes zero, of an aggregate type.
    Zero,
    /// The bytes of an array: string literals.
    Bytes(Arc<[u8]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnOp {
    /// Of a number.
    Neg,
    /// All bits flipped.
    BitNot,
    /// Of a truth value.
    Not,
}

/// The operands of arithmetic, bitwise operators and comparisons have one type; that of a shift is the type of the left operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// C's division, truncating.
    Div,
    /// C's remainder, with the sign of the dividend.
    Rem,
    /// Boogie's `div`: Euclidean, the remainder is never negative.
    EDiv,
    /// Boogie's `mod`.
    ERem,
    /// Exact division of reals.
    RDiv,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    /// Comparisons give `Bool`. Pointers compare as unsigned addresses.
    Eq,
    Ne,
    Lt,
    Le,
    /// Logic on `Bool`.
    And,
    Or,
    Implies,
    Iff,
}

impl BinOp {
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le)
    }

    pub fn is_logic(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExprKind {
    Const(Const),
    /// The value stored at a place.
    Read(PlaceId),
    /// The address of a place; the type is a pointer to the place's type.
    AddrOf(PlaceId),
    /// The address of a procedure.
    ProcAddr(ProcId),
    /// Does a pointer lead to one of these procedures? A `Bool`. They are of other types than what the pointer should point to, so that a
    /// pointer that comes from outside leads to none of them.
    Leads(ExprId, Box<[ProcId]>),
    /// Can so many bytes be accessed at a pointer: do they lie in one live object, one that the pointer points into? A `Bool`. Evaluating it accesses
    /// nothing. To a proof it is at most as much as it says.
    Valid(ExprId, u64),
    Unary(UnOp, ExprId),
    Binary(BinOp, ExprId, ExprId),
    /// Pointer plus so many elements of the pointed-to type (bytes for `void` and functions). The count is an integer as wide as a
    /// pointer, signed or not; it wraps around with the address.
    PtrAdd(ExprId, ExprId),
    /// Difference of two pointers in elements, a signed integer as wide as a pointer.
    PtrDiff(ExprId, ExprId),
    /// Conversion to this expression's type: between integers, floats and pointers as C has it; from `Bool` to an integer as
    /// 0 or 1; between `int` and `real` in Boogie. An integer becomes a `Bool` only by comparison with zero.
    Cast(ExprId),
    Ite(ExprId, ExprId, ExprId),
    /// Does the exact result of `Add`, `Sub` or `Mul` on two integers of one type leave that type? A `Bool`.
    Overflows(BinOp, ExprId, ExprId),
    /// Value of a map at indices, a map changed at indices, a function applied: Boogie.
    Select(ExprId, Box<[ExprId]>),
    Store(ExprId, Box<[ExprId]>, ExprId),
    Apply(Name, Box<[ExprId]>),
    /// Bits `lo..hi` of an integer, and two integers side by side (the first is the high part): Boogie's bit-vectors.
    Extract {
        of: ExprId,
        hi: u16,
        lo: u16,
    },
    Concat(ExprId, ExprId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    Var(VarId),
    /// What the pointer points to.
    Deref(ExprId),
    /// A field by its index in the record.
    Field(PlaceId, u32),
    /// An element of an array. The index is an integer of any type.
    Index(PlaceId, ExprId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
}

/// All expressions and places of a program. Equal ones have equal ids.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    exprs: IndexSet<Expr, FxBuildHasher>,
    places: IndexSet<Place, FxBuildHasher>,
    expr_depth: Vec<u32>,
    place_depth: Vec<u32>,
}

impl Exprs {
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.get(id).kind
    }

    pub fn ty(&self, id: ExprId) -> TypeId {
        self.get(id).ty
    }

    pub fn place(&self, id: PlaceId) -> Place {
        self.places[id.index()]
    }

    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// Height of the expression as a tree. Front ends keep it bounded by storing parts in variables, so that
    /// recursion over an expression is safe.
    pub fn depth(&self, id: ExprId) -> u32 {
        self.expr_depth[id.index()]
    }

    /// Direct sub-expressions, in order of evaluation; those inside places are not among them.
    pub fn children(&self, id: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let (fixed, rest, last): ([Option<ExprId>; 3], &[ExprId], Option<ExprId>) = match self.kind(id) {
            ExprKind::Const(_) | ExprKind::Read(_) | ExprKind::AddrOf(_) | ExprKind::ProcAddr(_) => {
                ([None; 3], &[], None)
            }
            ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::Leads(a, _)
            | ExprKind::Valid(a, _)
            | ExprKind::Extract { of: a, .. } => ([Some(*a), None, None], &[], None),
            ExprKind::Binary(_, a, b)
            | ExprKind::PtrAdd(a, b)
            | ExprKind::PtrDiff(a, b)
            | ExprKind::Overflows(_, a, b)
            | ExprKind::Concat(a, b) => ([Some(*a), Some(*b), None], &[], None),
            ExprKind::Ite(a, b, c) => ([Some(*a), Some(*b), Some(*c)], &[], None),
            ExprKind::Select(m, i) => ([Some(*m), None, None], i, None),
            ExprKind::Store(m, i, v) => ([Some(*m), None, None], i, Some(*v)),
            ExprKind::Apply(_, args) => ([None; 3], args, None),
        };
        fixed.into_iter().flatten().chain(rest.iter().copied()).chain(last)
    }

    /// The place directly inside an expression, if it reads or points at one.
    pub fn place_in(&self, id: ExprId) -> Option<PlaceId> {
        match self.kind(id) {
            ExprKind::Read(p) | ExprKind::AddrOf(p) => Some(*p),
            _ => None,
        }
    }

    pub fn intern(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let (index, new) = self.exprs.insert_full(Expr { kind, ty });
        let id = ExprId::from_usize(index);
        if new {
            let below = self.children(id).map(|c| self.depth(c)).max().unwrap_or(0);
            let in_place = self.place_in(id).map_or(0, |p| self.place_depth[p.index()]);
            self.expr_depth.push(below.max(in_place) + 1);
        }
        id
    }

    pub fn intern_place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        let (index, new) = self.places.insert_full(Place { kind, ty });
        if new {
            let below = match kind {
                PlaceKind::Var(_) => 0,
                PlaceKind::Deref(e) => self.depth(e),
                PlaceKind::Field(p, _) => self.place_depth[p.index()],
                PlaceKind::Index(p, e) => self.place_depth[p.index()].max(self.depth(e)),
            };
            self.place_depth.push(below + 1);
        }
        PlaceId::from_usize(index)
    }

    // Places.

    pub fn var(&mut self, var: VarId, ty: TypeId) -> PlaceId {
        self.intern_place(PlaceKind::Var(var), ty)
    }

    /// What `pointer` points to, read as a `ty`.
    pub fn deref(&mut self, pointer: ExprId, ty: TypeId) -> PlaceId {
        if let ExprKind::AddrOf(p) = *self.kind(pointer)
            && self.place(p).ty == ty
        {
            return p;
        }
        self.intern_place(PlaceKind::Deref(pointer), ty)
    }

    /// # Panics
    /// If the place is not of a record type with that field: a bug of the caller.
    pub fn field(&mut self, types: &Types, of: PlaceId, index: u32) -> PlaceId {
        let Type::Record(r) = *types.get(self.place(of).ty) else {
            panic!("field of a place that is no record")
        };
        let ty = types.records[r].fields[index as usize].ty;
        self.intern_place(PlaceKind::Field(of, index), ty)
    }

    /// # Panics
    /// If the place is not an array: a bug of the caller.
    pub fn index(&mut self, types: &Types, of: PlaceId, index: ExprId) -> PlaceId {
        let Type::Array { elem, .. } = *types.get(self.place(of).ty) else {
            panic!("element of a place that is no array")
        };
        self.intern_place(PlaceKind::Index(of, index), elem)
    }

    /// The variable at the root of a place that no pointer is followed for.
    pub fn root_var(&self, mut place: PlaceId) -> Option<VarId> {
        loop {
            match self.place(place).kind {
                PlaceKind::Var(v) => return Some(v),
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(p, _) | PlaceKind::Index(p, _) => place = p,
            }
        }
    }

    /// Does the place lie in a union, so that writing it changes other places?
    pub fn in_union(&self, types: &Types, mut place: PlaceId) -> bool {
        loop {
            match self.place(place).kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return false,
                PlaceKind::Index(p, _) => place = p,
                PlaceKind::Field(p, _) => {
                    if let Type::Record(r) = *types.get(self.place(p).ty)
                        && types.records[r].kind == RecordKind::Union
                    {
                        return true;
                    }
                    place = p;
                }
            }
        }
    }

    // Expressions. Constants are folded where C defines the result.

    pub fn constant(&mut self, value: Const, ty: TypeId) -> ExprId {
        self.intern(ExprKind::Const(value), ty)
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(Const::Bool(value), Types::BOOL)
    }

    /// An integer or pointer; the value is taken modulo the width of the type.
    ///
    /// # Panics
    /// If the type is neither.
    pub fn int(&mut self, types: &Types, value: i128, ty: TypeId) -> ExprId {
        let word = types.as_word(ty).expect("an integer constant needs an integer or pointer type");
        self.constant(Const::Bits(arith::truncate(value.cast_unsigned(), word)), ty)
    }

    pub fn read(&mut self, place: PlaceId) -> ExprId {
        let ty = self.place(place).ty;
        self.intern(ExprKind::Read(place), ty)
    }

    pub fn addr_of(&mut self, types: &mut Types, place: PlaceId) -> ExprId {
        let ty = types.ptr(self.place(place).ty);
        match self.place(place).kind {
            PlaceKind::Deref(e) if self.ty(e) == ty => e,
            _ => self.intern(ExprKind::AddrOf(place), ty),
        }
    }

    pub fn as_const(&self, id: ExprId) -> Option<&Const> {
        match self.kind(id) {
            ExprKind::Const(c) => Some(c),
            _ => None,
        }
    }

    pub fn as_bits(&self, id: ExprId) -> Option<u128> {
        match self.kind(id) {
            ExprKind::Const(Const::Bits(v)) => Some(*v),
            _ => None,
        }
    }

    /// The value of a constant integer expression.
    pub fn as_int(&self, types: &Types, id: ExprId) -> Option<i128> {
        let bits = self.as_bits(id)?;
        Some(arith::to_i128(bits, types.as_word(self.ty(id))?))
    }

    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        match self.kind(id) {
            ExprKind::Const(Const::Bool(v)) => Some(*v),
            _ => None,
        }
    }

    pub fn not(&mut self, e: ExprId) -> ExprId {
        match *self.kind(e) {
            ExprKind::Const(Const::Bool(v)) => self.bool(!v),
            ExprKind::Unary(UnOp::Not, inner) => inner,
            ExprKind::Binary(BinOp::Eq, a, b) => self.intern(ExprKind::Binary(BinOp::Ne, a, b), Types::BOOL),
            ExprKind::Binary(BinOp::Ne, a, b) => self.intern(ExprKind::Binary(BinOp::Eq, a, b), Types::BOOL),
            _ => self.intern(ExprKind::Unary(UnOp::Not, e), Types::BOOL),
        }
    }

    pub fn unary(&mut self, types: &Types, op: UnOp, e: ExprId) -> ExprId {
        if op == UnOp::Not {
            return self.not(e);
        }
        let ty = self.ty(e);
        let folded = match (self.as_const(e), types.as_int(ty)) {
            (Some(Const::Bits(v)), Some(int)) => match op {
                UnOp::Neg => arith::negate(*v, int).ok(),
                _ => Some(arith::truncate(!v, int)),
            },
            _ => None,
        };
        match folded {
            Some(v) => self.constant(Const::Bits(v), ty),
            None => self.intern(ExprKind::Unary(op, e), ty),
        }
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.logic(BinOp::And, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.logic(BinOp::Or, a, b)
    }

    fn logic(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        match (op, self.as_bool(a), self.as_bool(b)) {
            (BinOp::And, Some(false), _) => self.bool(false),
            (BinOp::And | BinOp::Implies | BinOp::Iff, Some(true), _) => b,
            (BinOp::And | BinOp::Iff, _, Some(true)) => a,
            (BinOp::Or, Some(true), _) | (BinOp::Implies, Some(false), _) => self.bool(true),
            (BinOp::Or, Some(false), _) => b,
            (BinOp::Or, _, Some(false)) => a,
            (BinOp::Iff, Some(false), _) => self.not(b),
            (BinOp::Iff, _, Some(false)) => self.not(a),
            _ => self.intern(ExprKind::Binary(op, a, b), Types::BOOL),
        }
    }

    /// The binary operator on operands of fitting types; comparisons and logic give `Bool`, the rest the type of the left operand.
    pub fn binary(&mut self, types: &Types, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        if op.is_logic() {
            return self.logic(op, a, b);
        }
        let operand = self.ty(a);
        let ty = if op.is_comparison() { Types::BOOL } else { operand };
        if let (Some(x), Some(y), Some(int)) = (self.as_bits(a), self.as_bits(b), types.as_word(operand)) {
            if op.is_comparison() {
                let order = arith::compare(x, y, int);
                return self.bool(match op {
                    BinOp::Eq => order.is_eq(),
                    BinOp::Ne => order.is_ne(),
                    BinOp::Lt => order.is_lt(),
                    _ => order.is_le(),
                });
            }
            let folded = match op {
                BinOp::Shl | BinOp::Shr => {
                    types.as_word(self.ty(b)).and_then(|n| arith::shift(op, x, y, int, n).ok())
                }
                BinOp::EDiv | BinOp::ERem | BinOp::RDiv => None,
                _ => arith::binary(op, x, y, int).ok(),
            };
            if let Some(v) = folded {
                return self.constant(Const::Bits(v), ty);
            }
        }
        self.intern(ExprKind::Binary(op, a, b), ty)
    }

    /// `e != 0` for integers, pointers and floats.
    pub fn is_nonzero(&mut self, types: &Types, e: ExprId) -> ExprId {
        let ty = self.ty(e);
        if ty == Types::BOOL {
            return e;
        }
        // A truth value that went through an integer comes back as itself.
        if let ExprKind::Cast(inner) = *self.kind(e)
            && self.ty(inner) == Types::BOOL
        {
            return inner;
        }
        let zero = self.constant(Const::Bits(0), ty);
        self.binary(types, BinOp::Ne, e, zero)
    }

    /// Conversion of a scalar to another scalar type. To `_Bool` (width 1) it is the caller's to compare with zero first.
    pub fn cast(&mut self, types: &Types, e: ExprId, to: TypeId) -> ExprId {
        let from = self.ty(e);
        if from == to {
            return e;
        }
        match (self.as_const(e), types.as_word(from), types.as_word(to)) {
            (Some(Const::Bits(v)), Some(f), Some(t)) => {
                let v = arith::convert(*v, f, t);
                return self.constant(Const::Bits(v), to);
            }
            (Some(Const::Bool(v)), _, Some(_)) => {
                let v = u128::from(*v);
                return self.constant(Const::Bits(v), to);
            }
            _ => {}
        }
        // Pointer to pointer to pointer: only the last type counts.
        if let ExprKind::Cast(inner) = *self.kind(e)
            && types.is_ptr(from)
            && types.is_ptr(to)
            && types.is_ptr(self.ty(inner))
        {
            return self.cast(types, inner, to);
        }
        self.intern(ExprKind::Cast(e), to)
    }

    /// Both branches are of one type.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.as_bool(c) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => {
                let ty = self.ty(a);
                self.intern(ExprKind::Ite(c, a, b), ty)
            }
        }
    }

    pub fn ptr_add(&mut self, types: &Types, p: ExprId, count: ExprId) -> ExprId {
        let ty = self.ty(p);
        if self.as_int(types, count) == Some(0) {
            return p;
        }
        if let (Some(base), Some(n), Some(to)) =
            (self.as_bits(p), self.as_int(types, count), types.pointee(ty))
        {
            let size = types.size_of(to).unwrap_or(1);
            return self.int(types, base.cast_signed().wrapping_add(n.wrapping_mul(i128::from(size))), ty);
        }
        self.intern(ExprKind::PtrAdd(p, count), ty)
    }

    pub fn overflows(&mut self, types: &Types, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        if let (Some(x), Some(y), Some(int)) = (self.as_bits(a), self.as_bits(b), types.as_int(self.ty(a))) {
            return self.bool(arith::overflows(op, x, y, int));
        }
        self.intern(ExprKind::Overflows(op, a, b), Types::BOOL)
    }

    pub fn leads(&mut self, pointer: ExprId, procs: Box<[ProcId]>) -> ExprId {
        let cast = match *self.kind(pointer) {
            ExprKind::Cast(inner) => inner,
            _ => pointer,
        };
        match self.kind(cast) {
            ExprKind::ProcAddr(proc) => {
                let leads = procs.contains(proc);
                self.bool(leads)
            }
            ExprKind::Const(Const::Bits(0)) => self.bool(false),
            _ if procs.is_empty() => self.bool(false),
            _ => self.intern(ExprKind::Leads(pointer, procs), Types::BOOL),
        }
    }

    pub fn valid(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        match self.as_bits(pointer) {
            Some(0) => self.bool(false),
            _ => self.intern(ExprKind::Valid(pointer, bytes), Types::BOOL),
        }
    }

    /// Visits every expression and place below the roots, each once, parents before children. `seen` lets several visits share
    /// their memory.
    pub fn visit_all(&self, roots: Vec<Node>, seen: &mut FxHashSet<Node>, visitor: &mut impl FnMut(Node)) {
        let mut stack = roots;
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            visitor(node);
            match node {
                Node::Expr(e) => {
                    stack.extend(self.children(e).map(Node::Expr));
                    stack.extend(self.place_in(e).map(Node::Place));
                }
                Node::Place(p) => match self.place(p).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(e) => stack.push(Node::Expr(e)),
                    PlaceKind::Field(q, _) => stack.push(Node::Place(q)),
                    PlaceKind::Index(q, e) => {
                        stack.push(Node::Expr(e));
                        stack.push(Node::Place(q));
                    }
                },
            }
        }
    }
}

/// What [`Exprs::visit_all`] meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    Expr(ExprId),
    Place(PlaceId),
}
