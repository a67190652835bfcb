//! Conversions (C11 6.3) and arithmetic.

use super::{Lower, Res, Val};
use craig_base::Span;
use craig_cfa::{BinOp, ExprId, ExprKind, IntTy, PlaceId, PlaceKind, Type, TypeId, Types, UnOp};

impl<'a> Lower<'a> {
    /// The value of something: arrays and functions become addresses.
    pub fn rvalue(&mut self, val: Val, span: Span) -> Res<ExprId> {
        match val {
            Val::Expr(e) => Ok(e),
            Val::Place(place) => {
                let ty = self.p.exprs.place(place).ty;
                match self.p.types.get(ty) {
                    Type::Array { .. } => Ok(self.decay(place)),
                    Type::Void => self.error("a value of type void is used", span),
                    Type::Func(_) => Ok(self.address_of(place)),
                    Type::Record(_) if !self.has_size(ty) => {
                        self.error("a value of a type that is not complete", span)
                    }
                    _ if self.in_start && !self.unevaluated => {
                        if let Some(var) = self.p.exprs.root_var(place) {
                            self.initialise_first(var)?;
                        }
                        Ok(self.p.exprs.read(place))
                    }
                    _ => Ok(self.p.exprs.read(place)),
                }
            }
            Val::Func(f) => {
                if self.funcs[f].weak && self.funcs[f].definition.is_none() {
                    self.not_modelled("a weak symbol", span);
                }
                if !self.unevaluated {
                    self.address_taken.insert(f, ());
                }
                self.function_address(f, span)
            }
            Val::Void => self.error("a value of type void is used", span),
        }
    }

    /// The address of the first element.
    fn decay(&mut self, array: PlaceId) -> ExprId {
        let zero = self.size_const(0);
        let first = self.p.exprs.index(&self.p.types, array, zero);
        self.address_of(first)
    }

    /// The address of a place; a constant if it lies at a constant address (`&((struct s *)0)->member`).
    pub fn address_of(&mut self, place: PlaceId) -> ExprId {
        let ty = self.p.exprs.place(place).ty;
        match self.constant_address(place) {
            Some(address) => {
                let ty = self.p.types.ptr(ty);
                self.p.exprs.int(&self.p.types, address, ty)
            }
            None => self.p.exprs.addr_of(&mut self.p.types, place),
        }
    }

    fn constant_address(&self, place: PlaceId) -> Option<i128> {
        match self.p.exprs.place(place).kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(e) => self.p.exprs.as_bits(e).map(u128::cast_signed),
            PlaceKind::Field(of, field) => {
                let base = self.constant_address(of)?;
                let record = self.record_of(self.p.exprs.place(of).ty)?;
                Some(base + i128::from(self.p.types.records[record].fields[field as usize].offset))
            }
            PlaceKind::Index(of, index) => {
                let base = self.constant_address(of)?;
                let size = self.p.types.size_of(self.p.exprs.place(place).ty)?;
                Some(base + self.p.exprs.as_int(&self.p.types, index)? * i128::from(size))
            }
        }
    }

    /// Converts a value to a type, as an assignment or a cast does.
    pub fn convert(&mut self, value: ExprId, to: TypeId, span: Span) -> Res<ExprId> {
        let from = self.p.exprs.ty(value);
        if from == to {
            return Ok(value);
        }
        if from == Types::BOOL {
            // An int in C.
            let int = if self.p.types.as_int(to).is_some() { to } else { self.int_ty() };
            let value = self.p.exprs.cast(&self.p.types, value, int);
            return self.convert(value, to, span);
        }
        match (self.p.types.get(from), self.p.types.get(to)) {
            // To _Bool: whether it is not zero.
            (Type::Int(_) | Type::Ptr(_) | Type::Float(_), Type::Int(IntTy { width: 1, signed: false })) => {
                let truth = self.p.exprs.is_nonzero(&self.p.types, value);
                Ok(self.p.exprs.cast(&self.p.types, truth, to))
            }
            (Type::Int(_) | Type::Ptr(_), Type::Int(_) | Type::Ptr(_))
            | (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => {
                Ok(self.p.exprs.cast(&self.p.types, value, to))
            }
            (Type::Record(a), Type::Record(b)) if self.same_shape(*a, *b) => self.reread(value, to, span),
            _ => {
                let (from, to) = (self.type_text(from), self.type_text(to));
                self.error(format!("cannot convert `{from}` to `{to}`"), span)
            }
        }
    }

    fn same_shape(&self, a: craig_cfa::RecordId, b: craig_cfa::RecordId) -> bool {
        let (a, b) = (&self.p.types.records[a], &self.p.types.records[b]);
        a.name == b.name && a.size == b.size && a.fields.len() == b.fields.len()
    }

    /// The bytes of an aggregate as another type of the same shape.
    fn reread(&mut self, value: ExprId, to: TypeId, span: Span) -> Res<ExprId> {
        match *self.p.exprs.kind(value) {
            ExprKind::Read(place) => {
                let address = self.p.exprs.addr_of(&mut self.p.types, place);
                let pointer = self.p.types.ptr(to);
                let address = self.p.exprs.cast(&self.p.types, address, pointer);
                let place = self.p.exprs.deref(address, to);
                Ok(self.p.exprs.read(place))
            }
            _ => self.error("cannot convert this value", span),
        }
    }

    /// Converts for storing in a place. A bit-field of width 1 keeps the lowest bit; only a `_Bool` keeps the truth.
    pub fn convert_for(&mut self, place: PlaceId, value: ExprId, span: Span) -> Res<ExprId> {
        let ty = self.p.exprs.place(place).ty;
        if let PlaceKind::Field(of, field) = self.p.exprs.place(place).kind
            && let Some(record) = self.record_of(self.p.exprs.place(of).ty)
            && self.p.types.records[record].fields[field as usize].bit.is_some()
            && !self.bool_fields.contains(&(record, field))
            && self.p.types.as_int(ty) == Some(IntTy::new(1, false))
        {
            let byte = self.p.types.int(8, false);
            let value = self.convert(value, byte, span)?;
            return Ok(self.p.exprs.cast(&self.p.types, value, ty));
        }
        self.convert(value, ty, span)
    }

    /// C11 6.3.1.1: what is narrower than int becomes int. Truth values become int as well. A bit-field wider than int keeps its
    /// own number of bits, as GCC reads 6.7.2.1.
    pub fn promote(&mut self, value: ExprId) -> ExprId {
        let ty = self.p.exprs.ty(value);
        let int = self.int_ty();
        if ty == Types::BOOL {
            return self.p.exprs.cast(&self.p.types, value, int);
        }
        match self.p.types.as_int(ty) {
            Some(i) if i.width < 32 => self.p.exprs.cast(&self.p.types, value, int),
            _ => value,
        }
    }

    /// The type of an argument of this type where no parameter type is told.
    pub fn promoted_type(&mut self, ty: TypeId) -> TypeId {
        match *self.p.types.get(ty) {
            Type::Int(int) if int.width < 32 => self.int_ty(),
            Type::Float(craig_cfa::FloatTy::F32) => self.float(craig_cfa::FloatTy::F64),
            _ => ty,
        }
    }

    /// What an argument becomes where no parameter type is told.
    pub fn promote_argument(&mut self, value: ExprId) -> ExprId {
        let single = self.float(craig_cfa::FloatTy::F32);
        if self.p.exprs.ty(value) == single {
            let double = self.float(craig_cfa::FloatTy::F64);
            return self.p.exprs.cast(&self.p.types, value, double);
        }
        let value = self.promote(value);
        match self.p.types.as_int(self.p.exprs.ty(value)) {
            Some(i) if i.width > 32 && i.width < 64 => {
                let wide = self.p.types.int(64, i.signed);
                self.p.exprs.cast(&self.p.types, value, wide)
            }
            _ => value,
        }
    }

    /// C11 6.3.1.8: two arithmetic values get one type. With equal widths the unsigned type wins, whatever the ranks are.
    pub fn usual_conversions(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let (a, b) = (self.promote(a), self.promote(b));
        let (ta, tb) = (self.p.exprs.ty(a), self.p.exprs.ty(b));
        let common = match (self.p.types.get(ta), self.p.types.get(tb)) {
            (Type::Float(x), Type::Float(y)) => {
                if x >= y {
                    ta
                } else {
                    tb
                }
            }
            (Type::Float(_), _) => ta,
            (_, Type::Float(_)) => tb,
            (Type::Int(x), Type::Int(y)) => {
                if x.width > y.width || x.width == y.width && !x.signed {
                    ta
                } else {
                    tb
                }
            }
            _ => ta,
        };
        (self.p.exprs.cast(&self.p.types, a, common), self.p.exprs.cast(&self.p.types, b, common))
    }

    pub fn is_arithmetic(&self, e: ExprId) -> bool {
        let ty = self.p.exprs.ty(e);
        ty == Types::BOOL || matches!(self.p.types.get(ty), Type::Int(_) | Type::Float(_))
    }

    fn is_pointer(&self, e: ExprId) -> bool {
        self.p.types.is_ptr(self.p.exprs.ty(e))
    }

    /// A binary operator without side effects and without short circuit, on converted or unconverted operands.
    pub fn binary(
        &mut self,
        op: &lang_c::ast::BinaryOperator,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> Res<ExprId> {
        use lang_c::ast::BinaryOperator as B;
        let (a, b) = (self.bounded(a, span), self.bounded(b, span));
        let (pa, pb) = (self.is_pointer(a), self.is_pointer(b));
        let comparison = matches!(
            op,
            B::Equals | B::NotEquals | B::Less | B::Greater | B::LessOrEqual | B::GreaterOrEqual
        );
        if pa || pb {
            return match op {
                B::Plus if pa && !pb => self.pointer_plus(a, b, false, span),
                B::Plus if pb && !pa => self.pointer_plus(b, a, false, span),
                B::Minus if pa && !pb => self.pointer_plus(a, b, true, span),
                B::Minus if pa && pb => {
                    let ty = self.p.types.ptrdiff_t();
                    let b = self.p.exprs.cast(&self.p.types, b, self.p.exprs.ty(a));
                    Ok(self.p.exprs.intern(ExprKind::PtrDiff(a, b), ty))
                }
                _ if comparison => {
                    let ty = self.p.exprs.ty(if pa { a } else { b });
                    let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
                    Ok(self.comparison(op, a, b))
                }
                _ => self.error("this operator cannot take a pointer", span),
            };
        }
        if !self.is_arithmetic(a) || !self.is_arithmetic(b) {
            return self.error("this operator needs numbers or pointers", span);
        }
        let ir = match op {
            B::ShiftLeft | B::ShiftRight => {
                let (a, b) = (self.promote(a), self.promote(b));
                if self.p.types.is_float(self.p.exprs.ty(a)) || self.p.types.is_float(self.p.exprs.ty(b)) {
                    return self.error("a shift of a floating value", span);
                }
                let op = if *op == B::ShiftLeft { BinOp::Shl } else { BinOp::Shr };
                return Ok(self.p.exprs.binary(&self.p.types, op, a, b));
            }
            B::Multiply => BinOp::Mul,
            B::Divide => BinOp::Div,
            B::Modulo => BinOp::Rem,
            B::Plus => BinOp::Add,
            B::Minus => BinOp::Sub,
            B::BitwiseAnd => BinOp::BitAnd,
            B::BitwiseOr => BinOp::BitOr,
            B::BitwiseXor => BinOp::BitXor,
            _ if comparison => {
                let (a, b) = self.usual_conversions(a, b);
                return Ok(self.comparison(op, a, b));
            }
            _ => return self.error("this operator cannot stand here", span),
        };
        let (a, b) = self.usual_conversions(a, b);
        let float = self.p.types.is_float(self.p.exprs.ty(a));
        if float && matches!(ir, BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor) {
            return self.error("this operator needs integers", span);
        }
        Ok(self.p.exprs.binary(&self.p.types, ir, a, b))
    }

    /// A comparison of two values of one type; its value is a truth.
    fn comparison(&mut self, op: &lang_c::ast::BinaryOperator, a: ExprId, b: ExprId) -> ExprId {
        use lang_c::ast::BinaryOperator as B;
        let (ir, a, b) = match op {
            B::Equals => (BinOp::Eq, a, b),
            B::NotEquals => (BinOp::Ne, a, b),
            B::Less => (BinOp::Lt, a, b),
            B::LessOrEqual => (BinOp::Le, a, b),
            B::Greater => (BinOp::Lt, b, a),
            _ => (BinOp::Le, b, a),
        };
        self.p.exprs.binary(&self.p.types, ir, a, b)
    }

    /// `p + n` or `p - n`.
    pub fn pointer_plus(&mut self, p: ExprId, n: ExprId, minus: bool, span: Span) -> Res<ExprId> {
        let pointee = self.p.types.pointee(self.p.exprs.ty(p));
        if let Some(to) = pointee
            && to != Types::VOID
            && !matches!(self.p.types.get(to), Type::Func(_))
            && self.p.types.size_of(to).is_none()
        {
            return self.error("arithmetic on a pointer to a type without size", span);
        }
        let n = self.promote(n);
        let Some(int) = self.p.types.as_int(self.p.exprs.ty(n)) else {
            return self.error("a pointer moves by an integer", span);
        };
        let word = self.p.types.int(self.p.types.model.pointer_bits(), int.signed && !minus);
        let mut n = self.p.exprs.cast(&self.p.types, n, word);
        if minus {
            // Unsigned, so that the difference wraps around with the address.
            n = self.p.exprs.unary(&self.p.types, UnOp::Neg, n);
            let signed = self.p.types.ptrdiff_t();
            n = self.p.exprs.cast(&self.p.types, n, signed);
        }
        Ok(self.p.exprs.ptr_add(&self.p.types, p, n))
    }

    /// The truth of a value: not zero.
    pub fn truth(&mut self, value: ExprId, span: Span) -> Res<ExprId> {
        let ty = self.p.exprs.ty(value);
        match self.p.types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Ptr(_) | Type::Float(_) => {
                Ok(self.p.exprs.is_nonzero(&self.p.types, value))
            }
            _ => self.error("a condition must be a number or a pointer", span),
        }
    }

    /// A type for messages.
    pub fn type_text(&self, ty: TypeId) -> String {
        match self.p.types.get(ty) {
            Type::Void => "void".into(),
            Type::Bool => "int".into(),
            Type::Int(i) if i.width == 1 && !i.signed => "_Bool".into(),
            Type::Int(i) => format!("{}{}-bit integer", if i.signed { "" } else { "unsigned " }, i.width),
            Type::Float(_) => "floating type".into(),
            Type::Ptr(to) => format!("{} *", self.type_text(*to)),
            Type::Array { elem, .. } => format!("{}[]", self.type_text(*elem)),
            Type::Record(r) => {
                let record = &self.p.types.records[*r];
                let kind = if record.kind == craig_cfa::RecordKind::Union { "union" } else { "struct" };
                format!("{kind} {}", record.name)
            }
            Type::Func(_) => "function".into(),
            _ => "value".into(),
        }
    }
}
