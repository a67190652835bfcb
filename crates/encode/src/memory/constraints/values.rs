//! What expressions and places evaluate to.

use super::{Constraints, Value};
use crate::memory::seen::Compared;
use crate::memory::solver::{Extent, How, Rule, Step};
use craig_cfa::expr::Node;
use craig_cfa::{BinOp, ExprId, ExprKind, PlaceId, PlaceKind, Type, TypeId, UnOp};

/// Constant indices of one array, beyond which its elements are not kept apart.
const MANY_INDICES: u32 = 64;
/// Numbers below this are no addresses.
const NULL_PAGE: u128 = 4096;

impl Constraints<'_> {
    /// The value of an expression that an operation evaluates.
    pub fn value(&mut self, e: ExprId) -> Value {
        if self.exprs[e].is_none() {
            self.visit(Node::Expr(e));
        }
        self.exprs[e].unwrap_or(Value::Nothing)
    }

    /// The value of an expression that some operation evaluates.
    pub fn known_value(&self, e: ExprId) -> Option<Value> {
        self.exprs[e]
    }

    /// The address of a place that some operation evaluates.
    pub fn known_address(&self, place: PlaceId) -> Option<Value> {
        self.places[place]
    }

    pub fn address(&mut self, place: PlaceId) -> Value {
        if self.places[place].is_none() {
            self.visit(Node::Place(place));
        }
        self.places[place].unwrap_or(Value::Nothing)
    }

    fn visit(&mut self, root: Node) {
        let exprs = &self.program.exprs;
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&node) = stack.last() {
            let before = stack.len();
            let (known_exprs, known_places) = (&self.exprs, &self.places);
            let open = |n: &Node| match *n {
                Node::Expr(e) => known_exprs[e].is_none(),
                Node::Place(p) => known_places[p].is_none(),
            };
            if !open(&node) {
                stack.pop();
                continue;
            }
            match node {
                Node::Expr(e) => {
                    let parts = exprs.children(e).map(Node::Expr).chain(exprs.place_in(e).map(Node::Place));
                    stack.extend(parts.filter(open));
                }
                Node::Place(p) => match exprs.place(p).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(e) => stack.extend(Some(Node::Expr(e)).filter(open)),
                    PlaceKind::Field(q, _) => stack.extend(Some(Node::Place(q)).filter(open)),
                    PlaceKind::Index(q, e) => {
                        stack.extend([Node::Place(q), Node::Expr(e)].into_iter().filter(open));
                    }
                },
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            match node {
                Node::Expr(e) => self.exprs[e] = Some(self.evaluate(e)),
                Node::Place(p) => self.places[p] = Some(self.locate(p)),
            }
        }
        self.stack = stack;
    }

    fn known(&self, e: ExprId) -> Value {
        self.exprs[e].unwrap_or(Value::Nothing)
    }

    fn locate(&mut self, p: PlaceId) -> Value {
        let place = self.program.exprs.place(p);
        match place.kind {
            PlaceKind::Var(v) => Value::At(self.var[v], 0),
            PlaceKind::Deref(e) => self.known(e),
            PlaceKind::Field(of, index) => {
                let base = self.places[of].unwrap_or(Value::Nothing);
                let Type::Record(r) = *self.program.types.get(self.program.exprs.place(of).ty) else {
                    return Value::Nothing;
                };
                let by = self.program.types.records[r].fields.get(index as usize).map_or(0, |f| f.offset);
                self.derive(base, How::Shift { by: by as i64, step: Step::Field })
            }
            PlaceKind::Index(of, index) => {
                let base = self.places[of].unwrap_or(Value::Nothing);
                let size = self.size(place.ty);
                if let Some(n) = self.constants.number(index) {
                    let used = self.indices.entry(of).or_insert(0);
                    *used += 1;
                    if *used == MANY_INDICES + 1 {
                        let len = self.length_of(of).filter(|len| (0..i128::from(*len)).contains(&n));
                        self.index(base, len, size);
                    }
                    let by = self.wrapped(n.saturating_mul(size.into()));
                    return self.derive(base, How::Shift { by, step: Step::Element(size) });
                }
                if self.is_address_number(index) {
                    self.expose_expr(index);
                }
                if base == Value::Nothing {
                    // From a constant address, by what may be an address.
                    return self.wild();
                }
                let len = self.length_of(of).filter(|len| self.bounds.within(index, *len));
                self.index(base, len, size)
            }
        }
    }

    fn length_of(&self, array: PlaceId) -> Option<u64> {
        match self.program.types.get(self.program.exprs.place(array).ty) {
            Type::Array { len, .. } => *len,
            _ => None,
        }
    }

    /// Any element of an array; of the object, if the index may leave the array.
    fn index(&mut self, base: Value, len: Option<u64>, size: i64) -> Value {
        let extent = len.map_or(Extent::Pointer, Extent::Array);
        self.derive(base, How::Walk { stride: size, extent })
    }

    fn derive(&mut self, value: Value, how: How) -> Value {
        match value {
            Value::Nothing => Value::Nothing,
            Value::At(object, offset) | Value::In(object, offset) => {
                // What begins at one place goes to one place, whatever is folded, now or later.
                if let (How::Shift { by, .. }, Value::At(..)) = (how, value)
                    && let Some(at) = offset.checked_add(by)
                    && at.unsigned_abs() < 1 << 40
                {
                    return Value::At(object, at);
                }
                let target = self.solver.target(object, offset);
                let mut made = Vec::new();
                self.solver.derive(how, target, &mut made);
                if let [one] = made[..]
                    && let Some(offset) = self.solver.known_offset(one)
                {
                    return Value::In(object, offset);
                }
                let node = self.solver.node();
                for target in made {
                    self.solver.add(node, target);
                }
                Value::Node(node)
            }
            Value::Node(node) => {
                if matches!(how, How::Shift { by: 0, .. }) {
                    return value;
                }
                let to = self.solver.node();
                self.solver.rule(node, Rule::Derive(how, to));
                Value::Node(to)
            }
        }
    }

    pub fn join(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Nothing, other) | (other, Value::Nothing) => other,
            (a, b) if a == b => a,
            (a, b) => {
                let node = self.solver.node();
                self.flow(a, node);
                self.flow(b, node);
                Value::Node(node)
            }
        }
    }

    fn blur(&mut self, value: Value) -> Value {
        self.derive(value, How::Blur)
    }

    /// Is it the number of an address, perhaps some way from it?
    pub fn is_address_number(&self, e: ExprId) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let mut e = e;
        loop {
            if types.as_int(exprs.ty(e)).is_none() {
                return false;
            }
            e = match *exprs.kind(e) {
                ExprKind::Cast(inner) if types.is_ptr(exprs.ty(inner)) => return true,
                ExprKind::Cast(inner) => inner,
                ExprKind::Binary(BinOp::Add, a, b) if exprs.as_bits(a).is_some() => b,
                ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) if exprs.as_bits(b).is_some() => a,
                _ => return false,
            };
        }
    }

    /// Exposes what parts of an expression use as a number, and relates what is compared.
    fn expose_parts(&mut self, e: ExprId) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let harmless = match *exprs.kind(e) {
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                self.compare(a, b);
                self.note(e, (a, b), false);
                !self.watch || [a, b].iter().all(|side| !self.is_cut(*side))
            }
            ExprKind::Binary(BinOp::Lt | BinOp::Le, a, b) => {
                self.compare(a, b);
                self.note(e, (a, b), true);
                self.watch && [a, b].iter().any(|side| self.is_beyond(*side, true))
            }
            ExprKind::PtrDiff(a, b) => {
                self.note(e, (a, b), true);
                if !self.watch {
                    for side in [a, b] {
                        let value = self.known(side);
                        self.expose(value);
                    }
                }
                true
            }
            ExprKind::Cast(_) => types.is_ptr(exprs.ty(e)) || self.is_address_number(e),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) => self.is_address_number(e),
            _ => false,
        };
        if harmless {
            return;
        }
        let parts: Vec<ExprId> = exprs.children(e).filter(|&part| self.is_address_number(part)).collect();
        for part in parts {
            self.expose_expr(part);
        }
    }

    /// What an expression points to is exposed.
    pub fn expose_expr(&mut self, e: ExprId) {
        let value = self.known(e);
        self.expose(value);
        self.turned.extend(self.watch.then_some((e, value)));
        if self.watch && value == Value::Nothing && self.constants.bits(e).is_none() {
            self.expose_procs();
        }
    }

    /// What is not followed may be the address of a procedure that is not followed.
    fn expose_procs(&mut self) {
        let procs = self.program.procs.indices().filter(|proc| !self.procs.contains_key(proc));
        self.exposed_procs.extend(procs);
    }

    /// Writes down that two addresses are compared.
    fn note(&mut self, e: ExprId, (a, b): (ExprId, ExprId), order: bool) {
        if !self.watch || self.is_beyond(a, order) || self.is_beyond(b, order) {
            return;
        }
        let types = &self.program.types;
        let (x, y) = (self.known(a), self.known(b));
        self.compared.push(Compared { expr: e, a: x, b: y, order });
        let unknown = |e: ExprId, value| value == Value::Nothing && self.constants.bits(e).is_none();
        if order && types.is_ptr(self.program.exprs.ty(a)) && (unknown(a, x) || unknown(b, y)) {
            self.expose_procs();
        }
    }

    /// Is it the number of an address of which bits are missing, or which was added to?
    fn is_cut(&self, e: ExprId) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let mut inner = e;
        while let ExprKind::Cast(from) = *exprs.kind(inner) {
            if types.is_ptr(exprs.ty(inner)) || !self.is_wide(exprs.ty(inner)) {
                break;
            }
            inner = from;
        }
        self.is_address_number(e) && !types.is_ptr(exprs.ty(inner))
    }

    /// Is it a number in the first or the last page, where nothing lies? For order it must be an unsigned one.
    fn is_beyond(&self, e: ExprId, order: bool) -> bool {
        let types = &self.program.types;
        let Some(word) = types.as_word(self.program.exprs.ty(e)) else { return false };
        let top = craig_cfa::arith::mask(types.model.pointer_bits()) - NULL_PAGE;
        let far = |bits: u128| bits < NULL_PAGE || bits > top;
        let signed = order && word.signed;
        !signed && word.width >= types.model.pointer_bits() && self.constants.bits(e).is_some_and(far)
    }

    fn compare(&mut self, a: ExprId, b: ExprId) {
        for (number, other) in [(a, b), (b, a)] {
            if let (Value::Node(node), other) = (self.known(number), self.known(other))
                && other != Value::Nothing
            {
                let other = self.node_of(other);
                let is_number = !self.program.types.is_ptr(self.program.exprs.ty(number));
                self.solver.rule(node, Rule::Compare(other, is_number));
            }
        }
    }

    fn evaluate(&mut self, e: ExprId) -> Value {
        let value = self.followed(e);
        if !self.numbers {
            if let ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) = *self.program.exprs.kind(e) {
                self.compare(a, b);
            }
            return value;
        }
        self.expose_parts(e);
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let ty = exprs.ty(e);
        let made = match *exprs.kind(e) {
            ExprKind::Read(_) => {
                // A pointer that is read as a number.
                if !types.is_ptr(ty) {
                    self.expose(value);
                    self.turned.extend(self.watch.then_some((e, value)));
                }
                return value;
            }
            ExprKind::AddrOf(_) | ExprKind::ProcAddr(_) => return value,
            ExprKind::Const(_) => {
                let top = craig_cfa::arith::mask(types.model.pointer_bits()) - NULL_PAGE;
                let far = exprs.as_bits(e).is_some_and(|bits| (NULL_PAGE..=top).contains(&bits));
                far && types.as_word(ty).is_some()
            }
            ExprKind::Cast(inner) => match types.get(exprs.ty(inner)) {
                Type::Int(_) => self.is_wide(ty) && !self.is_wide(exprs.ty(inner)),
                Type::Float(_) => self.is_wide(ty),
                _ => false,
            },
            ExprKind::PtrAdd(p, _) => self.constants.bits(p).is_some(),
            ExprKind::Ite(..) => false,
            // A known way from an address.
            ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) => self.is_wide(ty) && !self.is_address_number(e),
            // Less than a page.
            ExprKind::Binary(BinOp::BitAnd | BinOp::Rem, _, b)
                if self.constants.bits(b).is_some_and(|bits| bits < NULL_PAGE) =>
            {
                false
            }
            // Low bits of an address.
            ExprKind::Binary(BinOp::BitAnd | BinOp::BitOr, a, b) => {
                let low = self.constants.bits(b).is_some() && self.is_address_number(a);
                self.is_wide(ty) && !low
            }
            _ => self.is_wide(ty),
        };
        if made { self.join(value, self.wild()) } else { value }
    }

    /// The addresses that an expression may evaluate to, as far as they are followed from where they were taken.
    fn followed(&mut self, e: ExprId) -> Value {
        let expr = self.program.exprs.get(e);
        match expr.kind {
            ExprKind::Read(place) => {
                let address = self.access(place);
                if !self.carries(expr.ty) {
                    return Value::Nothing;
                }
                let node = match address {
                    Value::Nothing => return Value::Nothing,
                    Value::At(object, offset) | Value::In(object, offset) => {
                        self.solver.storage(object, offset)
                    }
                    Value::Node(node) => {
                        let to = self.solver.node();
                        self.solver.rule(node, Rule::Load(to));
                        to
                    }
                };
                if self.is_wide(expr.ty) {
                    self.loaded.push((address, node));
                }
                Value::Node(node)
            }
            ExprKind::AddrOf(place) => {
                let address = self.places[place].unwrap_or(Value::Nothing);
                match (self.program.exprs.place(place).kind, address) {
                    (PlaceKind::Field(..), Value::Node(_)) => self.derive(address, How::Member),
                    _ => address,
                }
            }
            ExprKind::ProcAddr(proc) => {
                self.procs.get(&proc).map_or(Value::Nothing, |&node| Value::Node(node))
            }
            ExprKind::Unary(UnOp::Neg | UnOp::BitNot, a) if self.is_wide(expr.ty) => {
                let a = self.known(a);
                self.blur(a)
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() && !op.is_logic() => self.binary(op, a, b),
            ExprKind::PtrAdd(p, n) => {
                let (from, to) = (self.known(p), self.pointer_add(p, n, expr.ty));
                if let (Value::Node(from), Value::Node(to)) = (from, to)
                    && from != to
                {
                    self.moved.push((from, to));
                }
                to
            }
            ExprKind::Cast(inner) => {
                let (exprs, types) = (&self.program.exprs, &self.program.types);
                let from = exprs.ty(inner);
                if !self.carries(from) || !self.carries(expr.ty) {
                    return Value::Nothing;
                }
                let value = self.known(inner);
                let made = types.is_ptr(expr.ty) && !types.is_ptr(from);
                // Cast there and back at once it is the pointer that it was.
                let back = matches!(*exprs.kind(inner), ExprKind::Cast(p) if types.is_ptr(exprs.ty(p)));
                if !made || back || !self.numbers {
                    return value;
                }
                let value = self.derive(value, How::Number);
                self.turned.extend(self.watch.then_some((e, value)));
                value
            }
            ExprKind::Ite(_, a, b) if self.carries(expr.ty) => {
                let (a, b) = (self.known(a), self.known(b));
                self.join(a, b)
            }
            ExprKind::Extract { of, .. } => {
                let of = self.known(of);
                self.blur(of)
            }
            ExprKind::Concat(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                let (a, b) = (self.blur(a), self.blur(b));
                self.join(a, b)
            }
            _ => Value::Nothing,
        }
    }

    fn pointer_add(&mut self, p: ExprId, n: ExprId, ty: TypeId) -> Value {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let elem = types.pointee(ty);
        let size = elem.and_then(|t| types.size_of(t)).map_or(1, |s| i64::try_from(s).unwrap_or(1));
        let base = self.known(p);
        if base == Value::Nothing {
            // From a constant address, by what may be an address.
            let n = self.known(n);
            return if self.constants.bits(p).is_some() { self.blur(n) } else { Value::Nothing };
        }
        if let Some(n) = self.constants.number(n) {
            let by = self.wrapped(n.saturating_mul(size.into()));
            let step = if size > 1 { Step::Element(size) } else { Step::Byte };
            return self.derive(base, How::Shift { by, step });
        }
        // `&array[c] + n`: the array is named.
        if let ExprKind::AddrOf(first) = *exprs.kind(p)
            && let PlaceKind::Index(array, c) = exprs.place(first).kind
            && exprs.as_int(types, c) == Some(0)
            && let Some(len) = self.length_of(array).filter(|len| self.bounds.within(n, *len))
        {
            let outer = self.places[array].unwrap_or(Value::Nothing);
            return self.index(outer, Some(len), size);
        }
        let stride = size.saturating_mul(self.factor(n));
        self.derive(base, How::Walk { stride, extent: Extent::Pointer })
    }

    /// Bytes that a pointer is moved by, if that is one number.
    pub fn known_bytes(&self, n: ExprId, moved: ExprId) -> Option<i64> {
        let types = &self.program.types;
        let to = types.pointee(self.program.exprs.ty(moved));
        let size = to.and_then(|t| types.size_of(t)).map_or(1, |s| i64::try_from(s).unwrap_or(1));
        self.constants.number(n).map(|n| self.wrapped(n).saturating_mul(size))
    }

    /// An index, if it is one number.
    pub fn known_count(&self, index: ExprId) -> Option<i64> {
        self.constants.number(index).map(|n| i64::try_from(n).unwrap_or(i64::MAX))
    }

    /// A number that wraps around with addresses, as a signed one.
    fn wrapped(&self, n: i128) -> i64 {
        let n = match self.program.types.model.pointer_bits() {
            32 => i64::from(n as i32),
            _ => n as i64,
        };
        // Farther than any object.
        n.clamp(-(1 << 40), 1 << 40)
    }

    /// A number that divides every value of an integer expression.
    fn factor(&self, e: ExprId) -> i64 {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let exact = self.bounds.is_narrow(self.program, e);
        let mut e = e;
        let mut factor: i64 = 1;
        // Of a product that may wrap around only the powers of two are left.
        let mut wraps = false;
        // Straight down only; sums are not looked into.
        loop {
            match *exprs.kind(e) {
                ExprKind::Cast(inner) | ExprKind::Unary(UnOp::Neg, inner) => {
                    let (from, to) = (types.as_int(exprs.ty(inner)), types.as_int(exprs.ty(e)));
                    let (Some(from), Some(to)) = (from, to) else { return factor };
                    // What is widened without its sign is no longer a multiple modulo the larger width.
                    if from.width < types.model.pointer_bits() && !from.signed || from.width > to.width {
                        return factor;
                    }
                    e = inner;
                }
                ExprKind::Binary(BinOp::Mul, a, b) => {
                    let (n, rest) = match (exprs.as_int(types, a), exprs.as_int(types, b)) {
                        (Some(n), _) => (n, b),
                        (_, Some(n)) => (n, a),
                        _ => return factor,
                    };
                    let Ok(n) = i64::try_from(n) else { return factor };
                    if n == 0 || n.unsigned_abs() > 1 << 30 || factor > 1 << 30 {
                        return factor;
                    }
                    wraps |= !exact && !self.has_room(rest, n, exprs.ty(e));
                    factor *= if wraps { n & n.wrapping_neg() } else { n.abs() };
                    e = rest;
                }
                _ => return factor,
            }
        }
    }

    /// Is a value that was widened to a type so small that its product with a number cannot wrap around?
    fn has_room(&self, e: ExprId, n: i64, ty: TypeId) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let ExprKind::Cast(inner) = *exprs.kind(e) else { return false };
        let (Some(from), Some(to)) = (types.as_int(exprs.ty(inner)), types.as_int(ty)) else { return false };
        u32::from(from.width) + (64 - n.unsigned_abs().leading_zeros()) < u32::from(to.width)
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let (x, y) = (self.known(a), self.known(b));
        if x == Value::Nothing && y == Value::Nothing || !self.is_wide(exprs.ty(a)) {
            return Value::Nothing;
        }
        let (numbers, all_bits) =
            ([a, b].map(|e| self.constants.number(e)), [a, b].map(|e| self.constants.bits(e)));
        let number = |e: ExprId| numbers[usize::from(e != a)];
        let bits = |e: ExprId| all_bits[usize::from(e != a)];
        let low = |mask: u128| (mask < 16 && (mask + 1).is_power_of_two()).then_some(mask as i64);
        let shift = |by: i64| How::Shift { by, step: Step::Integer };
        match (op, number(a), number(b)) {
            (BinOp::Add, Some(n), _) => self.derive(y, shift(self.wrapped(n))),
            (BinOp::Add, _, Some(n)) => self.derive(x, shift(self.wrapped(n))),
            (BinOp::Sub, _, Some(n)) => self.derive(x, shift(-self.wrapped(n))),
            (BinOp::BitAnd, Some(_), _) if bits(a).is_some_and(|m| m < NULL_PAGE) => Value::Nothing,
            (BinOp::BitAnd | BinOp::Rem, _, Some(_)) if bits(b).is_some_and(|m| m < NULL_PAGE) => {
                Value::Nothing
            }
            (BinOp::BitAnd, _, Some(_)) => {
                let width = types.as_int(exprs.ty(b)).map_or(0, |i| i.width);
                let cleared = bits(b).map(|m| !m & craig_cfa::arith::mask(width));
                match cleared.and_then(low) {
                    Some(mask) => self.derive(x, How::Align(mask)),
                    None => self.blur(x),
                }
            }
            (BinOp::BitOr, _, Some(_)) => match bits(b).and_then(low) {
                Some(mask) => self.derive(x, How::Tag(mask)),
                None => self.blur(x),
            },
            (BinOp::Add, None, None) => {
                let (f, g) = (self.factor(a), self.factor(b));
                let walk = |e: ExprId, by: i64| match exprs.kind(e) {
                    ExprKind::Cast(inner) if types.is_ptr(exprs.ty(*inner)) => {
                        How::Walk { stride: by, extent: Extent::Pointer }
                    }
                    _ => How::Blur,
                };
                let (x, y) = (self.derive(x, walk(a, g)), self.derive(y, walk(b, f)));
                self.join(x, y)
            }
            (BinOp::Shl | BinOp::Shr, ..) => self.blur(x),
            _ => {
                let (x, y) = (self.blur(x), self.blur(y));
                self.join(x, y)
            }
        }
    }
}
