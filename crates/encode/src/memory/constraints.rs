//! From the operations of a program to the constraints of [`super::solver`].
//!
//! Every expression has a [`Value`]: the addresses it may hold. All integers of at least a byte may hold one, or the low
//! bytes of one: a pointer that is copied byte by byte is followed through its lowest byte. Arithmetic is followed on integers
//! that are as wide as a pointer. Floats, truth values and mathematical values hold no address.
//!
//! # Numbers
//! Where a program makes pointers of numbers, provenance is that of PNVI-ae-udi (N2577): an object is *exposed* once its address is
//! a number: cast to an integer, printed, read as bytes or as another type, compared with a number. A number, whatever it was made of, may be the
//! address of any exposed object. So may a number that was made of an address, once that object can be gone. A cast that is compared for equality or cast back at once exposes nothing. Which
//! numbers are made of one address by adding constants is followed exactly.
//!
//! # What makes no address
//! An arbitrary pointer that nobody chose, a number cut to less than a page (`p & 7`), a constant in the first or the last page: who
//! accesses memory through an address that was made of nothing has undefined behaviour, and touches no object.
//!
//!
//! # Procedures
//! Their addresses are followed where it matters ([`super::leads`]). Nothing is read or written there.

mod values;

use super::bounds::Bounds;
use super::constants::Constants;
use super::folds::{UNBOUNDED, gcd};
use super::objects::{Object, ObjectId, ObjectKind, Objects, called};
use super::seen::{Compared, Seen};
use super::solver::{Copy, NodeId, Rule, Solver};
use super::{key, leads, seen};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::expr::Node;
use craig_cfa::program::HEAP_ALIGN;
use craig_cfa::{
    Call, Choice, ExprId, ExprKind, Name, Op, PlaceId, PlaceKind, ProcId, Program, Type, TypeId, VarId,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

/// The addresses that an expression may evaluate to, or that a place may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nothing,
    At(ObjectId, i64),
    /// At this offset, in some element of the arrays around it.
    In(ObjectId, i64),
    Node(NodeId),
}

/// A program with its constraints.
#[derive(Debug)]
pub(super) struct Constraints<'a> {
    pub program: &'a Program,
    pub solver: Solver,
    pub var: IndexVec<VarId, ObjectId>,
    pub alloc: FxHashMap<(craig_cfa::EdgeId, craig_cfa::CallString), ObjectId>,
    pub results: IndexVec<ProcId, Option<ObjectId>>,
    constants: Constants<'a>,
    bounds: Bounds,
    /// Are numbers followed, as what may be an address?
    pub numbers: bool,
    /// Is it written down what the program can tell of addresses ([`super::seen`])?
    watch: bool,
    /// What it compares.
    pub compared: Vec<Compared>,
    /// Expressions that make numbers of addresses, or addresses of numbers.
    pub turned: Vec<(ExprId, Value)>,
    /// Procedures whose address becomes a number.
    pub exposed_procs: FxHashSet<ProcId>,
    /// The node of a number of which nothing is known.
    wild: NodeId,
    /// Where whole aggregates become arbitrary.
    spoiled: Vec<Value>,
    /// Numbers as wide as addresses that are read from memory: from where, and what they may be.
    loaded: Vec<(Value, NodeId)>,
    /// Pointers that are moved, and what they become.
    moved: Vec<(NodeId, NodeId)>,
    /// Where pointers lie in memory that is accessed as something else.
    mixed: FxHashSet<(ObjectId, i64)>,
    /// The nodes that hold the addresses of procedures.
    procs: FxHashMap<ProcId, NodeId>,
    exprs: IndexVec<ExprId, Option<Value>>,
    places: IndexVec<PlaceId, Option<Value>>,
    accessed: IndexVec<PlaceId, bool>,
    /// Places of scalars that are read or written, in the order of the program.
    pub scalars: Vec<PlaceId>,
    /// Places of aggregates that are read or written.
    pub aggregates: Vec<PlaceId>,
    /// Pointers to bytes that are set or copied.
    pub ranges: Vec<(ExprId, Option<u64>)>,
    /// Pointers to bytes that are filled with what is copied from nowhere, how many, and whether they become zero.
    pub fills: Vec<(ExprId, Option<u64>, bool)>,
    /// Lengths of ranges that are constant.
    pub lengths: FxHashMap<ExprId, u64>,
    /// Constant indices into the same array.
    indices: FxHashMap<PlaceId, u32>,
    stack: Vec<Node>,
}

impl<'a> Constraints<'a> {
    /// `numbers`: may the program make pointers of numbers? `watch`: is it to be found what it can tell of addresses?
    pub fn new(
        program: &'a Program,
        seen: &Seen,
        numbers: bool,
        watch: bool,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let constants = Constants::new(program);
        let bounds = Bounds::new(program, budget)?;
        let Objects { list, var, alloc } = Objects::new(program, &constants);
        let passing = list.iter().map(|object| seen.may_go(program, object)).collect();
        let mut solver = Solver::new(list, passing);
        let wild = solver.node();
        solver.add_wild(wild);
        let mut procs = FxHashMap::default();
        for proc in leads::followed(program) {
            procs.insert(proc, solver.procedure(proc, program.procs[proc].name.clone()));
        }
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
                        align: HEAP_ALIGN,
                        once: true,
                        addressed: false,
                        arbitrary: false,
                        outside: false,
                        larger: false,
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
            constants,
            bounds,
            numbers,
            watch,
            compared: Vec::new(),
            turned: Vec::new(),
            exposed_procs: FxHashSet::default(),
            wild,
            spoiled: Vec::new(),
            loaded: Vec::new(),
            moved: Vec::new(),
            mixed: FxHashSet::default(),
            procs,
            exprs: index_vec![None; program.exprs.len()],
            places: index_vec![None; program.exprs.place_count()],
            accessed: index_vec![false; program.exprs.place_count()],
            scalars: Vec::new(),
            aggregates: Vec::new(),
            ranges: Vec::new(),
            fills: Vec::new(),
            lengths: FxHashMap::default(),
            indices: FxHashMap::default(),
            stack: Vec::new(),
        };
        let mut pace = Pace::new(budget);
        for edge in &program.edges {
            pace.step()?;
            let proc = program.locs[edge.from].proc;
            constraints.op(&edge.op, (edge.origin, edge.calls), proc);
        }
        for object in constraints.solver.objects.indices() {
            let known = key(program, &constraints.solver.objects[object]);
            if known.is_some_and(|key| seen.exposes(&key)) {
                constraints.expose(Value::At(object, 0));
            }
        }
        Ok(constraints)
    }

    // Numbers.

    /// A number: the address of any object that is exposed.
    fn wild(&self) -> Value {
        if self.numbers { Value::Node(self.wild) } else { Value::Nothing }
    }

    /// The objects that a value points to are exposed.
    fn expose(&mut self, value: Value) {
        match value {
            _ if !self.numbers => {}
            Value::Nothing => {}
            Value::At(object, _) | Value::In(object, _) => self.solver.expose_object(object),
            Value::Node(node) => {
                if node != self.wild {
                    self.solver.expose(node);
                }
            }
        }
    }

    /// Pointers at these offsets may be made of parts of other values, and are seen in parts. Says whether that is new.
    pub fn mix(&mut self, places: &[(ObjectId, i64)]) -> bool {
        let mut new = false;
        for &(object, offset) in places {
            if self.mixed.insert((object, offset)) {
                new = true;
                let node = self.solver.storage(object, offset);
                self.solver.add_wild(node);
                self.solver.expose(node);
            }
        }
        new
    }

    /// Numbers that nothing was stored as, found when all addresses are known: what is read from memory of which nothing is known (a fresh
    /// allocation, a variable that is not initialised), and what becomes of a pointer that never points to anything, but is moved until it
    /// equals an address. Says whether there are new ones.
    pub fn find_numbers(&mut self) -> bool {
        let moved = self.moved.iter().filter(|(from, _)| self.solver.is_nothing(*from));
        let mut found: Vec<NodeId> = moved.map(|(_, to)| *to).collect();
        if !self.numbers {
            return !found.is_empty();
        }
        let mut unknown: FxHashSet<ObjectId> = FxHashSet::default();
        for address in self.spoiled.clone() {
            unknown.extend(seen::targets(self, address).into_iter().map(|(object, _)| object));
        }
        unknown.extend(self.solver.objects.indices().filter(|object| self.solver.objects[*object].arbitrary));
        self.solver.add_copies(&mut unknown);
        for (address, to) in self.loaded.clone() {
            let mut objects = seen::targets(self, address).into_iter().map(|(object, _)| object);
            if objects.any(|object| unknown.contains(&object)) {
                found.push(to);
            }
        }
        found.retain(|node| !self.solver.is_wild(*node));
        found.iter().for_each(|node| self.solver.add_wild(*node));
        !found.is_empty()
    }

    /// What an arbitrary value of a type may be.
    fn arbitrary(&self, ty: TypeId, choice: Option<&Choice>) -> Value {
        let chosen = matches!(choice, Some(Choice::Nondet(_) | Choice::Asm));
        if self.is_wide(ty) || chosen && self.program.types.is_ptr(ty) { self.wild() } else { Value::Nothing }
    }

    // Operations.

    fn op(&mut self, op: &Op, at: (craig_cfa::EdgeId, craig_cfa::CallString), proc: ProcId) {
        for &e in &op.parts().exprs {
            self.value(e);
            let printed = matches!(op, Op::Output(_)) && self.program.types.is_ptr(self.program.exprs.ty(e));
            if printed || self.is_address_number(e) {
                self.expose_expr(e);
            }
        }
        match op {
            Op::Skip | Op::Unsupported(_) | Op::Deeper(_) => {}
            Op::Assume(e) | Op::Free(e) => {
                self.value(*e);
            }
            Op::Assign(place, e) => self.assign(*place, *e),
            Op::Havoc(place, choice) => {
                let ty = self.program.exprs.place(*place).ty;
                let value = self.arbitrary(ty, Some(choice));
                self.store(*place, value);
                if self.program.types.is_aggregate(ty) {
                    let address = self.address(*place);
                    self.spoiled.push(address);
                }
            }
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
                let mut value = Value::At(object, 0);
                if self.solver.objects[object].outside {
                    value = self.join(value, Value::Node(self.solver.guessed));
                }
                self.store(*dst, value);
            }
            Op::Realloc { dst, ptr, size } => {
                self.value(*size);
                let object = self.alloc[&at];
                match self.value(*ptr) {
                    Value::Nothing => {}
                    Value::At(src, src_at) | Value::In(src, src_at) => {
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
                self.fills.push((*dst, len, self.constants.bits(*byte).is_some_and(|b| b as u8 == 0)));
                self.touch(dst_value);
                self.span(dst_value, len, self.step(*dst));
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (to, from) = (self.value(*dst), self.value(*src));
                let len = self.length(*len);
                self.ranges.push((*dst, len));
                self.ranges.push((*src, len));
                self.span(to, len, self.step(*dst));
                self.span(from, len, self.step(*src));
                self.transfer(to, from, len.map_or(UNBOUNDED, |l| i64::try_from(l).unwrap_or(UNBOUNDED)));
            }
            Op::Output(output) => {
                let values: Vec<Value> = output.args.iter().map(|&e| self.value(e)).collect();
                if let (Some(&e), Some(&value), true) =
                    (output.args.first(), values.first(), writes_text(&output.function))
                {
                    self.ranges.push((e, None));
                    self.fills.push((e, None, false));
                    self.touch(value);
                }
                if let Some(place) = output.ret {
                    let value = self.arbitrary(self.program.exprs.place(place).ty, None);
                    self.store(place, value);
                }
            }
            Op::Halt(craig_cfa::Halt::Exit(e)) => {
                self.value(*e);
            }
            Op::Halt(_) => {}
        }
    }

    fn length(&mut self, len: ExprId) -> Option<u64> {
        self.value(len);
        let known = self.constants.bits(len).and_then(|v| u64::try_from(v).ok())?;
        self.lengths.insert(len, known);
        Some(known)
    }

    fn call(&mut self, call: &Call) {
        let params = &self.program.procs[call.proc].params;
        for (i, &arg) in call.args.iter().enumerate() {
            let value = self.value(arg);
            if let Some(&param) = params.get(i) {
                self.put(self.var[param], arg, value);
            }
        }
        match (call.ret, self.results[call.proc]) {
            (Some(place), Some(object)) => self.take(place, object),
            (Some(place), None) => self.store(place, Value::Nothing),
            (None, _) => {}
        }
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
            self.span_of(place, to);
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
            self.span_of(place, to);
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
                    let source = self.address(from);
                    self.span_of(from, source);
                    let len = self.size(self.program.exprs.ty(e));
                    self.transfer(to, source, len);
                }
                ExprKind::Ite(_, a, b) => todo.extend([a, b]),
                ExprKind::Cast(inner) => todo.push(inner),
                _ => self.touch(to),
            }
        }
    }

    pub fn size(&self, ty: TypeId) -> i64 {
        self.program.types.size_of(ty).map_or(0, |s| i64::try_from(s).unwrap_or(UNBOUNDED))
    }

    /// Copies bytes between addresses.
    fn transfer(&mut self, to: Value, from: Value, len: i64) {
        if len <= 0 {
            return;
        }
        use Value::{At, In};
        match (to, from) {
            (Value::Nothing, _) => self.touch(from),
            (_, Value::Nothing) => self.touch(to),
            (At(dst, dst_at) | In(dst, dst_at), At(src, src_at) | In(src, src_at)) => {
                self.solver.copy(Copy { dst, dst_at, src, src_at, len });
            }
            (At(object, at) | In(object, at), Value::Node(from)) => {
                self.solver.rule(from, Rule::CopyTo { object, at, len });
            }
            (Value::Node(to), At(object, at) | In(object, at)) => {
                self.solver.rule(to, Rule::CopyFrom { object, at, len });
            }
            (Value::Node(to), Value::Node(from)) => {
                let object = self.solver.transit();
                self.solver.rule(from, Rule::CopyTo { object, at: 0, len });
                self.solver.rule(to, Rule::CopyFrom { object, at: 0, len });
            }
        }
    }

    /// So many bytes from an address on are read or written, if that is known.
    fn span(&mut self, address: Value, len: Option<u64>, step: i64) {
        let Some(len) = len.and_then(|len| i64::try_from(len).ok()).filter(|len| *len > 0) else { return };
        match address {
            Value::Nothing => {}
            Value::At(object, at) | Value::In(object, at) => self.solver.span(object, at, len, step),
            Value::Node(node) => self.solver.rule(node, Rule::Span { len, step }),
        }
    }

    fn span_of(&mut self, place: PlaceId, address: Value) {
        let size = self.program.types.size_of(self.program.exprs.place(place).ty);
        self.span(address, size, self.step_of(place));
    }

    /// How far apart the elements are that a pointer may point to; 0 if it always points to the same.
    fn step(&self, pointer: ExprId) -> i64 {
        let exprs = &self.program.exprs;
        let mut e = pointer;
        while let ExprKind::Cast(inner) = *exprs.kind(e) {
            e = inner;
        }
        match *exprs.kind(e) {
            ExprKind::AddrOf(place) => self.step_of(place),
            _ => 1,
        }
    }

    fn step_of(&self, place: PlaceId) -> i64 {
        let exprs = &self.program.exprs;
        let (mut at, mut step) = (place, 0);
        loop {
            match exprs.place(at).kind {
                PlaceKind::Var(_) => return step,
                PlaceKind::Deref(_) => return 1,
                PlaceKind::Field(of, _) => at = of,
                PlaceKind::Index(of, index) => {
                    if self.constants.bits(index).is_none() {
                        step = gcd(step, self.size(exprs.place(at).ty));
                    }
                    at = of;
                }
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
            Value::At(object, offset) | Value::In(object, offset) => {
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
            Value::At(object, offset) | Value::In(object, offset) => {
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
}

/// Output functions whose first argument is a buffer.
fn writes_text(function: &Name) -> bool {
    let name = function.strip_prefix("__builtin_").unwrap_or(function);
    matches!(name, "sprintf" | "snprintf" | "vsprintf" | "vsnprintf")
}
