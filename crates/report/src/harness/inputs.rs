//! What a run got from outside, in order: the run is followed once more, and every choice on the way is given to the function, variable,
//! parameter or allocation that it came through.
//!
//! Choices that nobody outside can make (what an uninitialised variable holds, where objects lie) are left out if the run
//! reaches the error without them; else they are listed.

use craig_base::Budget;
use craig_cfa::interp::{Chooser, Key, Keyed, Scalar, Value};
use craig_cfa::{Choice, EdgeId, Graph, LocId, Name, Op, PlaceKind, Program, Type, TypeId, VarId, VarKind};
use craig_frontend::Externs;
use craig_solve::Answer;
use craig_verdict::replay::{Violation, choosing};
use std::collections::BTreeMap;

/// Choices of a run at most: more would be a file that no compiler reads in reasonable time.
const MOST: usize = 200_000;

/// Chosen bytes of an object at most.
const LARGEST: u64 = 1 << 20;

/// Runs that are tried to find out which choices matter.
const TRIES: usize = 64;

/// Functions of which calls may fail, and whose memory is not zero.
const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "valloc", "memalign", "aligned_alloc"];

/// Procedures that stand for library functions.
const MODEL_PREFIX: &str = "__craig_model_";

/// A value from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// The bits of a number.
    Number(u128),
    /// An aggregate.
    Bytes(Vec<u8>),
    Null,
    /// A pointer to a fresh object of so many bytes that begins with these; the rest is zero.
    Object {
        size: u64,
        content: Vec<u8>,
    },
}

/// A function without body: what it returns (`None`: nothing that matters), and its results in order.
#[derive(Debug, Clone, Default)]
pub struct Function {
    pub ty: Option<TypeId>,
    pub results: Vec<Given>,
}

/// All that a run got from outside.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    pub functions: BTreeMap<Name, Function>,
    pub variables: Vec<(VarId, Given)>,
    /// Of the function where runs begin.
    pub arguments: Vec<(TypeId, Given)>,
    /// By name of the function; `Null` where it fails.
    pub allocations: BTreeMap<&'static str, Vec<Given>>,
    /// The run passes variables that are not initialised.
    pub uninitialised: bool,
    /// What cannot be given from outside.
    pub missing: Vec<String>,
}

impl Inputs {
    /// `None` if the run could not be followed within the budget.
    pub fn of(answer: &Answer, violation: &Violation, budget: &Budget) -> Option<Inputs> {
        let program = &*answer.source;
        let wrap = answer.reading.signed_wrap;
        let mut lean = violation.clone();
        lean.places.clear();
        lean.choices.retain(|given| can_be_given(program, EdgeId::from_raw(given.edge)));
        let mut missing = Vec::new();
        let (keyed, edges) = match choosing(program, &lean, wrap, MOST, budget) {
            Some(edges) => (lean.keyed(), edges),
            None => {
                let needed = needed(program, violation, wrap, budget);
                missing = not_given(program, &needed);
                let edges = choosing(program, &needed, wrap, MOST, budget)?;
                (needed.keyed(), edges)
            }
        };
        if answer.reading.externs == Externs::Havoc {
            missing.push("what functions without body change besides their result".into());
        }
        let graph = program.graph();
        let inputs = Inputs { missing, ..Inputs::default() };
        let gather =
            Gather { program, graph: &graph, keyed, externs: answer.reading.externs, inputs, at: Vec::new() };
        Some(gather.all(&edges))
    }
}

/// Can a choice of the edge be made from outside?
fn can_be_given(program: &Program, edge: EdgeId) -> bool {
    match program.edges.get(edge).map(|edge| &edge.op) {
        Some(Op::Havoc(_, Choice::Nondet(_) | Choice::Extern(_) | Choice::Entry)) => true,
        Some(Op::Alloc { stack, .. }) => !stack,
        _ => false,
    }
}

/// What of the choices cannot be made from outside, in words.
fn not_given(program: &Program, violation: &Violation) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    if !violation.places.is_empty() {
        missing.push("where objects lie in memory".into());
    }
    for given in &violation.choices {
        let edge = EdgeId::from_raw(given.edge);
        if can_be_given(program, edge) {
            continue;
        }
        let Some(edge) = program.edges.get(edge) else { continue };
        let line = program.source.line(edge.span);
        let what = match &edge.op {
            Op::Havoc(place, Choice::Uninit) => {
                let root = program.exprs.root_var(*place).map(|var| &program.vars[var]);
                match root.filter(|var| var.kind != VarKind::Temp) {
                    Some(var) => format!("what `{}` holds before it is initialised (line {line})", var.name),
                    None => format!("a value that is never set (line {line})"),
                }
            }
            Op::Havoc(_, Choice::Asm) => format!("what an assembler statement computes (line {line})"),
            _ => format!("what fresh memory holds (line {line})"),
        };
        if !missing.contains(&what) {
            missing.push(what);
        }
    }
    missing
}

/// The run with as few choices as can be found that nobody outside can make.
fn needed(program: &Program, violation: &Violation, wrap: bool, budget: &Budget) -> Violation {
    let mut best = violation.clone();
    let mut edges: Vec<u32> = best.choices.iter().map(|given| given.edge).collect();
    edges.dedup();
    edges.retain(|edge| !can_be_given(program, EdgeId::from_raw(*edge)));
    edges.sort_unstable();
    edges.dedup();
    for edge in edges.into_iter().take(TRIES) {
        let mut lean = best.clone();
        lean.choices.retain(|given| given.edge != edge);
        if choosing(program, &lean, wrap, MOST, budget).is_some() {
            best = lean;
        }
    }
    best
}

struct Gather<'a> {
    program: &'a Program,
    graph: &'a Graph,
    keyed: Keyed,
    externs: Externs,
    inputs: Inputs,
    /// Edges with their occurrence, last first.
    at: Vec<(EdgeId, u64)>,
}

impl Gather<'_> {
    fn all(mut self, edges: &[EdgeId]) -> Inputs {
        self.declare();
        let mut count: BTreeMap<EdgeId, u64> = BTreeMap::new();
        self.at = edges
            .iter()
            .map(|edge| {
                let seen = count.entry(*edge).or_insert(0);
                *seen += 1;
                (*edge, *seen - 1)
            })
            .collect();
        self.at.reverse();
        while let Some((edge, occurrence)) = self.at.pop() {
            self.one(edge, occurrence);
        }
        self.inputs
    }

    /// Functions that the run does not call are there all the same.
    fn declare(&mut self) {
        for name in &self.program.outside {
            self.inputs.functions.entry(name.clone()).or_default();
        }
        for (id, edge) in self.program.edges.iter_enumerated() {
            let Op::Havoc(place, Choice::Nondet(name) | Choice::Extern(name)) = &edge.op else { continue };
            let is_function = is_identifier(name)
                && self.program.locs[edge.from].proc != self.program.entry
                && !ALLOCATORS.contains(&&**name)
                && self.model_of(id).is_none();
            if is_function && self.is_result(id) {
                let ty = self.pointer(id).unwrap_or(self.program.exprs.place(*place).ty);
                self.inputs.functions.entry(name.clone()).or_default().ty.get_or_insert(ty);
            }
        }
    }

    /// The library function whose model has the edge.
    fn model_of(&self, edge: EdgeId) -> Option<&str> {
        let proc = self.program.locs[self.program.edges[edge].from].proc;
        self.program.procs.get(proc)?.name.strip_prefix(MODEL_PREFIX)
    }

    /// Is it the result of a function, not something that the function changes?
    fn is_result(&self, edge: EdgeId) -> bool {
        let Op::Havoc(place, choice) = &self.program.edges[edge].op else { return false };
        let scans = matches!(choice, Choice::Extern(name) if name.ends_with("scanf"));
        let kind = self.program.exprs.place(*place).kind;
        let temp = matches!(kind, PlaceKind::Var(var) if self.program.vars[var].kind == VarKind::Temp);
        match choice {
            Choice::Extern(_) if scans || self.externs == Externs::Havoc => temp,
            _ => true,
        }
    }

    /// The type of the pointer that the edge chooses to be null or not.
    fn pointer(&self, edge: EdgeId) -> Option<TypeId> {
        let span = self.program.edges[edge].span;
        let next = |loc: LocId| {
            self.graph.succ[loc].iter().map(|e| &self.program.edges[*e]).filter(|e| e.span == span)
        };
        let guards = next(self.program.edges[edge].to).filter(|e| matches!(e.op, Op::Assume(_)));
        guards.flat_map(|guard| next(guard.to)).find_map(|edge| match edge.op {
            Op::Alloc { dst, .. } | Op::Realloc { dst, .. } => Some(self.program.exprs.place(dst).ty),
            _ => None,
        })
    }

    fn one(&mut self, edge: EdgeId, occurrence: u64) {
        let program = self.program;
        let line = program.source.line(program.edges[edge].span);
        match &program.edges[edge].op {
            Op::Havoc(_, Choice::Uninit) => self.inputs.uninitialised = true,
            Op::Havoc(place, choice @ (Choice::Nondet(name) | Choice::Extern(name))) => {
                if let Some(kind) = ALLOCATORS.iter().find(|kind| **kind == &**name) {
                    let fails = self.bits(edge, occurrence, Scalar::Bool) != 0;
                    if fails {
                        self.inputs.allocations.entry(kind).or_default().push(Given::Null);
                    }
                    return;
                }
                if !is_identifier(name) {
                    let what = format!("what {name} gives in line {line}");
                    if !self.inputs.missing.contains(&what) {
                        self.inputs.missing.push(what);
                    }
                    return;
                }
                if !self.is_result(edge) {
                    let what = format!("what `{name}` changes in line {line}");
                    if !self.inputs.missing.contains(&what) {
                        self.inputs.missing.push(what);
                    }
                    return;
                }
                let given = self.given(edge, occurrence, program.exprs.place(*place).ty);
                let at_start = program.locs[program.edges[edge].from].proc == program.entry;
                if at_start && matches!(choice, Choice::Extern(_)) {
                    let is_it = |(_, var): &(VarId, &craig_cfa::Var)| {
                        var.kind == VarKind::Global && var.name == *name
                    };
                    let found = program.vars.iter_enumerated().find(is_it).map(|(id, _)| id);
                    self.inputs.variables.extend(found.map(|var| (var, given)));
                    return;
                }
                let name = self.model_of(edge).map_or_else(|| name.clone(), Name::from);
                let ty = self.pointer(edge).unwrap_or(program.exprs.place(*place).ty);
                let function = self.inputs.functions.entry(name).or_default();
                function.ty.get_or_insert(ty);
                function.results.push(given);
            }
            Op::Havoc(place, Choice::Entry) => {
                let ty = program.exprs.place(*place).ty;
                let given = self.given(edge, occurrence, ty);
                self.inputs.arguments.push((self.pointer(edge).unwrap_or(ty), given));
            }
            Op::Alloc { zero, stack: false, .. } => {
                let called = program.source.snippet(program.edges[edge].span);
                if let Some(kind) = ALLOCATORS.iter().find(|kind| is_called(called, kind)) {
                    let content = if *zero { Vec::new() } else { self.content(edge, occurrence, LARGEST) };
                    let given = Given::Object { size: 0, content };
                    self.inputs.allocations.entry(kind).or_default().push(given);
                }
            }
            Op::Realloc { .. } => {
                let given = Given::Object { size: 0, content: Vec::new() };
                self.inputs.allocations.entry("realloc").or_default().push(given);
            }
            _ => {}
        }
    }

    /// What the edge chose, with the object behind it if that is a pointer.
    fn given(&mut self, edge: EdgeId, occurrence: u64, ty: TypeId) -> Given {
        let types = &self.program.types;
        if self.pointer(edge).is_some() {
            if self.bits(edge, occurrence, Scalar::Bool) != 0 {
                return Given::Null;
            }
            // The very next choice is what the object holds.
            let Some((made, at)) = self.at.pop() else { return Given::Null };
            let size = match self.program.edges[made].op {
                Op::Alloc { size, .. } => self.program.exprs.as_bits(size).unwrap_or(0) as u64,
                _ => 0,
            };
            let content = self.content(made, at, size.min(LARGEST));
            return Given::Object { size, content };
        }
        let size = types.size_of(ty).unwrap_or(0);
        let scalar = match types.get(ty) {
            Type::Int(int) => Scalar::Int(*int),
            Type::Ptr(_) => Scalar::Pointer(types.model.pointer_bits()),
            Type::Float(float) => Scalar::Float(*float),
            _ => return Given::Bytes(self.content(edge, occurrence, size.min(LARGEST))),
        };
        let width = types.as_word(ty).map_or(size * 8, |word| u64::from(word.width));
        let bits = self.bits(edge, occurrence, scalar);
        let bits = match scalar {
            Scalar::Int(int) if int.width == 1 => u128::from(bits != 0),
            _ if width < 128 => bits & ((1 << width) - 1),
            _ => bits,
        };
        Given::Number(bits)
    }

    fn bits(&mut self, edge: EdgeId, occurrence: u64, scalar: Scalar) -> u128 {
        let key = Key::Value { edge, occurrence, offset: 0, bit: 0 };
        self.keyed.bits(&key, None, scalar)
    }

    /// The chosen bytes of an object, without the zeros at its end.
    fn content(&self, edge: EdgeId, occurrence: u64, most: u64) -> Vec<u8> {
        let at = |offset, bit| Key::Value { edge, occurrence, offset, bit };
        let ends = self.keyed.values.range(at(0, 0)..=at(u64::MAX, u8::MAX)).map(|(key, value)| {
            let Key::Value { offset, .. } = key else { return 0 };
            let len = match value {
                Value::Bytes(bytes) => bytes.len() as u64,
                _ => 17,
            };
            offset.saturating_add(len)
        });
        let mut bytes = vec![0; ends.max().unwrap_or(0).min(most) as usize];
        self.keyed.content(edge, occurrence, 0, &mut bytes);
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(end);
        bytes
    }
}

/// Calls through pointers that lead nowhere have words instead of a name.
fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Is the text a call of the function?
fn is_called(text: &str, function: &str) -> bool {
    let text = text.strip_prefix("__builtin_").unwrap_or(text);
    text.strip_prefix(function).is_some_and(|rest| rest.trim_start().starts_with('('))
}
