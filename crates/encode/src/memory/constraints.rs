//! From the operations of a program to the constraints of [`super::solver`].
//!
//! Every expression has a [`Value`]: the addresses it may hold. All integers of at least a byte may hold one, or the low
//! bytes of one: a pointer that is copied byte by byte is followed through its lowest byte. Arithmetic is followed on integers
//! that are as wide as a pointer. Floats, truth values and mathematical values hold no address.
//!
//! # What makes no address
//! An arbitrary value, a constant, the difference of two pointers, a number cut to less than a page (`p & 7`), arithmetic on a
//! part of an address: who accesses memory through an address that was made of nothing has undefined behaviour, and touches no object.
//!
//! # Deviations
//! - Pointer arithmetic by elements stays in the declared array that it begins in (C11 6.5.6, paragraph 8), arrays of arrays
//!   counting as one. The interpreter is more lenient: to it only the whole object has bounds.
//! - Procedures are no targets: nothing is read or written there.

use super::folds::UNBOUNDED;
use super::objects::{Constants, Object, ObjectId, ObjectKind, Objects, called};
use super::solver::{Copy, Extent, How, NodeId, Rule, Solver, Step};
use craig_cfa::expr::Node;
use craig_cfa::{
    BinOp, Call, ExprId, ExprKind, Name, Op, PlaceId, PlaceKind, ProcId, Program, Type, TypeId, UnOp, VaOp,
    VarId,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

/// The addresses that an expression may evaluate to, or that a place may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nothing,
    At(ObjectId, i64),
    Node(NodeId),
}

/// A program with its constraints.
#[derive(Debug)]
pub(super) struct Constraints<'a> {
    pub program: &'a Program,
    pub solver: Solver<'a>,
    pub var: IndexVec<VarId, ObjectId>,
    pub alloc: FxHashMap<(craig_cfa::EdgeId, craig_cfa::CallString), ObjectId>,
    pub results: IndexVec<ProcId, Option<ObjectId>>,
    constants: Constants<'a>,
    varargs: Option<ObjectId>,
    exprs: IndexVec<ExprId, Option<Value>>,
    places: IndexVec<PlaceId, Option<Value>>,
    accessed: IndexVec<PlaceId, bool>,
    /// Places of scalars that are read or written, in the order of the program.
    pub scalars: Vec<PlaceId>,
    /// Places of aggregates that are read or written.
    pub aggregates: Vec<PlaceId>,
    /// Pointers to bytes that are set or copied.
    pub ranges: Vec<(ExprId, Option<u64>)>,
    /// Lengths of ranges that are constant.
    pub lengths: FxHashMap<ExprId, u64>,
    /// Constant indices into the same array.
    indices: FxHashMap<PlaceId, u32>,
    stack: Vec<Node>,
}

/// Constant indices of one array, beyond which its elements are not kept apart.
const MANY_INDICES: u32 = 64;
/// Numbers below this are no addresses.
const NULL_PAGE: u128 = 4096;

impl<'a> Constraints<'a> {
    pub fn new(program: &'a Program) -> Self {
        let Objects { list, var, alloc } = Objects::new(program);
        let mut solver = Solver::new(&program.types, list);
        let called = called(program);
        let results = program
            .procs
            .iter_enumerated()
            .map(|(id, proc)| {
                (called[id] && program.types.get(proc.ret) != &Type::Void).then(|| {
                    solver.object(Object {
                        kind: ObjectKind::Result(id),
                        name: format!("{}()", proc.name).into(),
                        ty: Some(proc.ret),
                        size: program.types.size_of(proc.ret),
                        once: true,
                        addressed: false,
                    })
                })
            })
            .collect();
        let mut constraints = Constraints {
            program,
            solver,
            var,
            alloc,
            results,
            constants: Constants::new(program),
            varargs: None,
            exprs: index_vec![None; program.exprs.len()],
            places: index_vec![None; program.exprs.place_count()],
            accessed: index_vec![false; program.exprs.place_count()],
            scalars: Vec::new(),
            aggregates: Vec::new(),
            ranges: Vec::new(),
            lengths: FxHashMap::default(),
            indices: FxHashMap::default(),
            stack: Vec::new(),
        };
        for edge in &program.edges {
            let proc = program.locs[edge.from].proc;
            constraints.op(&edge.op, (edge.origin, edge.calls), proc);
        }
        // Only blocks use regions, and these lie in one procedure; a return inside is one of the entry, or of a procedure that nobody calls.
        for region in &program.regions {
            for inner in &region.edges {
                constraints.op(&inner.op, (inner.origin, inner.calls), program.entry);
            }
        }
        constraints
    }

    // Operations.

    fn op(&mut self, op: &Op, at: (craig_cfa::EdgeId, craig_cfa::CallString), proc: ProcId) {
        match op {
            Op::Skip | Op::Unsupported(_) | Op::Block(_) => {}
            Op::Assume(e) | Op::Free(e) => {
                self.value(*e);
            }
            Op::Assign(place, e) => self.assign(*place, *e),
            Op::Havoc(place, _) => self.store(*place, Value::Nothing),
            Op::Call(call) => self.call(call),
            Op::Return(value) => {
                let value = value.map(|e| (e, self.value(e)));
                if let (Some((e, value)), Some(object)) = (value, self.results[proc]) {
                    self.put(object, e, value);
                }
            }
            Op::Alloc { dst, size, .. } => {
                self.value(*size);
                let object = self.alloc[&at];
                self.store(*dst, Value::At(object, 0));
            }
            Op::Realloc { dst, ptr, size } => {
                self.value(*size);
                let object = self.alloc[&at];
                match self.value(*ptr) {
                    Value::Nothing => {}
                    Value::At(src, src_at) => {
                        if src_at == 0 {
                            self.solver.copy(Copy { dst: object, dst_at: 0, src, src_at, len: UNBOUNDED });
                        }
                    }
                    Value::Node(node) => self.solver.rule(node, Rule::Realloc(object)),
                }
                self.store(*dst, Value::At(object, 0));
            }
            Op::MemSet { dst, byte, len } => {
                self.value(*byte);
                let (dst_value, len) = (self.value(*dst), self.length(*len));
                self.ranges.push((*dst, len));
                self.touch(dst_value);
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (to, from) = (self.value(*dst), self.value(*src));
                let len = self.length(*len);
                self.ranges.push((*dst, len));
                self.ranges.push((*src, len));
                self.transfer(to, from, len.map_or(UNBOUNDED, |l| i64::try_from(l).unwrap_or(UNBOUNDED)));
            }
            Op::Output(output) => {
                let values: Vec<Value> = output.args.iter().map(|&e| self.value(e)).collect();
                if let (Some(&e), Some(&value), true) =
                    (output.args.first(), values.first(), writes_text(&output.function))
                {
                    self.ranges.push((e, None));
                    self.touch(value);
                }
                if let Some(place) = output.ret {
                    self.store(place, Value::Nothing);
                }
            }
            Op::VarArgs(va) => match **va {
                VaOp::Start { list } | VaOp::End { list } => {
                    self.address(list);
                }
                VaOp::Copy { dst, src } => {
                    self.address(src);
                    self.address(dst);
                }
                VaOp::Arg { list, dst } => {
                    self.address(list);
                    let object = self.varargs();
                    self.take(dst, object);
                }
            },
            Op::Halt(craig_cfa::Halt::Exit(e)) => {
                self.value(*e);
            }
            Op::Halt(_) => {}
        }
    }

    fn length(&mut self, len: ExprId) -> Option<u64> {
        self.value(len);
        let known = self.constants.value(len).and_then(|v| u64::try_from(v).ok())?;
        self.lengths.insert(len, known);
        Some(known)
    }

    fn call(&mut self, call: &Call) {
        let params = &self.program.procs[call.proc].params;
        for (i, &arg) in call.args.iter().enumerate() {
            let value = self.value(arg);
            let object = match params.get(i) {
                Some(&param) => self.var[param],
                None => self.varargs(),
            };
            self.put(object, arg, value);
        }
        match (call.ret, self.results[call.proc]) {
            (Some(place), Some(object)) => self.take(place, object),
            (Some(place), None) => self.store(place, Value::Nothing),
            (None, _) => {}
        }
    }

    fn varargs(&mut self) -> ObjectId {
        if let Some(object) = self.varargs {
            return object;
        }
        let object = self.solver.object(Object {
            kind: ObjectKind::VarArgs,
            name: "...".into(),
            ty: None,
            size: None,
            once: false,
            addressed: false,
        });
        self.solver.collapse(object);
        self.varargs = Some(object);
        object
    }

    /// A value of any type goes to the beginning of an object.
    fn put(&mut self, object: ObjectId, e: ExprId, value: Value) {
        let ty = self.program.exprs.ty(e);
        if self.program.types.is_aggregate(ty) {
            self.assign_aggregate(Value::At(object, 0), e);
        } else {
            let node = self.solver.storage(object, 0);
            self.flow(value, node);
        }
    }

    /// What an object holds goes to a place.
    fn take(&mut self, place: PlaceId, object: ObjectId) {
        let ty = self.program.exprs.place(place).ty;
        if self.program.types.is_aggregate(ty) {
            let to = self.access(place);
            let len = self.size(ty);
            self.transfer(to, Value::At(object, 0), len);
        } else {
            let node = self.solver.storage(object, 0);
            self.store(place, Value::Node(node));
        }
    }

    fn assign(&mut self, place: PlaceId, e: ExprId) {
        let value = self.value(e);
        if self.program.types.is_aggregate(self.program.exprs.ty(e)) {
            let to = self.access(place);
            self.assign_aggregate(to, e);
        } else {
            self.store(place, value);
        }
    }

    fn assign_aggregate(&mut self, to: Value, e: ExprId) {
        let mut todo = vec![e];
        while let Some(e) = todo.pop() {
            match *self.program.exprs.kind(e) {
                ExprKind::Read(from) => {
                    let from = self.address(from);
                    let len = self.size(self.program.exprs.ty(e));
                    self.transfer(to, from, len);
                }
                ExprKind::Ite(_, a, b) => todo.extend([a, b]),
                ExprKind::Cast(inner) => todo.push(inner),
                _ => self.touch(to),
            }
        }
    }

    fn size(&self, ty: TypeId) -> i64 {
        self.program.types.size_of(ty).map_or(0, |s| i64::try_from(s).unwrap_or(UNBOUNDED))
    }

    /// Copies bytes between addresses.
    fn transfer(&mut self, to: Value, from: Value, len: i64) {
        if len <= 0 {
            return;
        }
        match (to, from) {
            (Value::Nothing, _) => self.touch(from),
            (_, Value::Nothing) => self.touch(to),
            (Value::At(dst, dst_at), Value::At(src, src_at)) => {
                self.solver.copy(Copy { dst, dst_at, src, src_at, len });
            }
            (Value::At(object, at), Value::Node(from)) => {
                self.solver.rule(from, Rule::CopyTo { object, at, len });
            }
            (Value::Node(to), Value::At(object, at)) => {
                self.solver.rule(to, Rule::CopyFrom { object, at, len });
            }
            (Value::Node(to), Value::Node(from)) => {
                let object = self.solver.transit();
                self.solver.rule(from, Rule::CopyTo { object, at: 0, len });
                self.solver.rule(to, Rule::CopyFrom { object, at: 0, len });
            }
        }
    }

    fn touch(&mut self, address: Value) {
        if let Value::Node(node) = address {
            self.solver.rule(node, Rule::Touch);
        }
    }

    /// The address of a place that is read or written.
    fn access(&mut self, place: PlaceId) -> Value {
        let address = self.address(place);
        if !std::mem::replace(&mut self.accessed[place], true) {
            if self.program.types.is_aggregate(self.program.exprs.place(place).ty) {
                self.aggregates.push(place);
            } else {
                self.scalars.push(place);
            }
            self.touch(address);
        }
        address
    }

    fn carries(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Int(int) => int.width >= 8,
            Type::Ptr(_) => true,
            _ => false,
        }
    }

    /// Can arithmetic on this type make an address?
    fn is_wide(&self, ty: TypeId) -> bool {
        self.program.types.as_int(ty).is_some_and(|i| i.width >= self.program.types.model.pointer_bits())
    }

    fn store(&mut self, place: PlaceId, value: Value) {
        let address = self.access(place);
        if !self.carries(self.program.exprs.place(place).ty) || value == Value::Nothing {
            return;
        }
        match address {
            Value::Nothing => {}
            Value::At(object, offset) => {
                let node = self.solver.storage(object, offset);
                self.flow(value, node);
            }
            Value::Node(node) => {
                let src = self.node_of(value);
                self.solver.rule(node, Rule::Store(src));
            }
        }
    }

    fn flow(&mut self, value: Value, node: NodeId) {
        match value {
            Value::Nothing => {}
            Value::At(object, offset) => {
                let target = self.solver.target(object, offset);
                self.solver.add(node, target);
            }
            Value::Node(from) => self.solver.edge(from, node),
        }
    }

    fn node_of(&mut self, value: Value) -> NodeId {
        match value {
            Value::Node(node) => node,
            _ => {
                let node = self.solver.node();
                self.flow(value, node);
                node
            }
        }
    }

    // Expressions and places.

    /// The value of an expression that an operation evaluates.
    pub fn value(&mut self, e: ExprId) -> Value {
        if self.exprs[e].is_none() {
            self.visit(Node::Expr(e));
        }
        self.exprs[e].unwrap_or(Value::Nothing)
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
                if let Some(n) = self.program.exprs.as_int(&self.program.types, index) {
                    let used = self.indices.entry(of).or_insert(0);
                    *used += 1;
                    if *used == MANY_INDICES + 1 {
                        self.index(base, of, size);
                    }
                    let by = i64::try_from(n).unwrap_or(i64::MAX).saturating_mul(size);
                    return self.derive(base, How::Shift { by, step: Step::Element(size) });
                }
                self.index(base, of, size)
            }
        }
    }

    /// Any element of the array at a place.
    fn index(&mut self, base: Value, array: PlaceId, size: i64) -> Value {
        let len = match self.program.types.get(self.program.exprs.place(array).ty) {
            Type::Array { len, .. } => *len,
            _ => None,
        };
        self.derive(base, How::Walk { stride: size, extent: Extent::Array(len) })
    }

    fn derive(&mut self, value: Value, how: How) -> Value {
        match value {
            Value::Nothing => Value::Nothing,
            Value::At(object, offset) => {
                if let How::Shift { by, .. } = how
                    && !self.solver.is_folded(object, offset)
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
                    return Value::At(object, offset);
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

    fn join(&mut self, a: Value, b: Value) -> Value {
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

    fn evaluate(&mut self, e: ExprId) -> Value {
        let expr = self.program.exprs.get(e);
        match expr.kind {
            ExprKind::Read(place) => {
                let address = self.access(place);
                if !self.carries(expr.ty) {
                    return Value::Nothing;
                }
                match address {
                    Value::Nothing => Value::Nothing,
                    Value::At(object, offset) => Value::Node(self.solver.storage(object, offset)),
                    Value::Node(node) => {
                        let to = self.solver.node();
                        self.solver.rule(node, Rule::Load(to));
                        Value::Node(to)
                    }
                }
            }
            ExprKind::AddrOf(place) => self.places[place].unwrap_or(Value::Nothing),
            ExprKind::Unary(UnOp::Neg | UnOp::BitNot, a) if self.is_wide(expr.ty) => {
                let a = self.known(a);
                self.blur(a)
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() && !op.is_logic() => self.binary(op, a, b),
            ExprKind::PtrAdd(p, n) => self.pointer_add(p, n, expr.ty),
            ExprKind::Cast(inner) => {
                let from = self.program.exprs.ty(inner);
                if self.carries(from) && self.carries(expr.ty) { self.known(inner) } else { Value::Nothing }
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
            return if exprs.as_bits(p).is_some() { self.blur(n) } else { Value::Nothing };
        }
        if let Some(n) = exprs.as_int(types, n) {
            let by = self.wrapped(n).saturating_mul(size);
            let step = if size > 1 { Step::Element(size) } else { Step::Byte };
            return self.derive(base, How::Shift { by, step });
        }
        // `&array[c] + n`: the array is named.
        if let ExprKind::AddrOf(first) = *exprs.kind(p)
            && let PlaceKind::Index(array, c) = exprs.place(first).kind
            && exprs.as_int(types, c).is_some()
        {
            let outer = self.places[array].unwrap_or(Value::Nothing);
            let enclosing = exprs.place(array).kind;
            // An array of arrays may be walked as one.
            if !matches!(enclosing, PlaceKind::Index(..)) {
                return self.index(outer, array, size);
            }
        }
        let stride = size.saturating_mul(self.factor(n));
        self.derive(base, How::Walk { stride, extent: Extent::Pointer(size) })
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
        let mut e = e;
        let mut factor: i64 = 1;
        // Straight down only; sums are not looked into.
        loop {
            match *exprs.kind(e) {
                ExprKind::Cast(inner) | ExprKind::Unary(UnOp::Neg, inner) => {
                    let (from, to) = (types.as_int(exprs.ty(inner)), types.as_int(exprs.ty(e)));
                    let (Some(from), Some(to)) = (from, to) else { return factor };
                    // Below, the product must not have wrapped around.
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
                    factor *= n.abs();
                    e = rest;
                }
                _ => return factor,
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let (x, y) = (self.known(a), self.known(b));
        if x == Value::Nothing && y == Value::Nothing || !self.is_wide(exprs.ty(a)) {
            return Value::Nothing;
        }
        let number = |e: ExprId| exprs.as_int(types, e);
        let bits = |e: ExprId| exprs.as_bits(e);
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
                        How::Walk { stride: by, extent: Extent::Pointer(by) }
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

/// Output functions whose first argument is a buffer.
fn writes_text(function: &Name) -> bool {
    let name = function.strip_prefix("__builtin_").unwrap_or(function);
    matches!(name, "sprintf" | "snprintf" | "vsprintf" | "vsnprintf")
}
