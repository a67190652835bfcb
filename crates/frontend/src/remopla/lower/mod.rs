//! The syntax to a [`Program`]; names and kinds are checked on the way.
//!
//! | module | translates |
//! |---|---|
//! | [`declare`] | constants, types, variables, modules and labels: what names stand for |
//! | [`expr`] | expressions and places |
//! | [`assign`] | assignments, all at once |
//! | [`stmt`] | statements |
//! | [`choose`] | which of several alternatives is taken |
//! | [`call`] | calls and results |
//! | [`rules`] | rules over control states and stack symbols, labels of modules among them |
//! | [`start`] | modules, and the procedure of our own, `__start`, where runs begin |
//!
//! All operations of one statement carry its span. Between them only temporaries ([`VarKind::Temp`]) are new, and none is alive where a
//! statement begins or at the head of a loop: an engine may make one step of each statement.

mod assign;
mod call;
mod choose;
mod declare;
mod expr;
mod rules;
mod start;
mod stmt;

use super::ast::{File, Ident, Rule};
use super::types::{Constants, Enum, EnumId, Shape, Struct, StructId};
use crate::{Fault, Loops, Overflow, Reading, Res, tidy};
use craig_base::{Budget, Diagnostic, Pace, Source, Span};
use craig_cfa::{
    Choice, DataModel, ExprId, Lang, LocId, Name, Op, PlaceId, ProcId, Program, TypeId, Types, VarId,
    VarKind, verify,
};
use expr::Value;
use index_vec::IndexVec;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

pub struct Lowered {
    pub program: Program,
    /// Is there the label that was asked for?
    pub has_label: bool,
}

pub fn lower<'a>(
    file: &'a File,
    source: &Arc<Source>,
    error_label: &str,
    reading: &Reading,
    budget: &'a Budget,
) -> Res<Lowered> {
    let mut lower = Lower::new(source, error_label, reading, budget);
    lower.declare(file)?;
    lower.modules(file)?;
    lower.rules()?;
    lower.start(file, reading.entry.as_deref())?;
    let has_label = lower.labels.contains_key(error_label);
    let mut program = lower.p;
    tidy::tidy(&mut program);
    verify::debug_verify(&program, "translation from Remopla");
    Ok(Lowered { program, has_label })
}

#[derive(Debug, Clone)]
struct Variable {
    var: VarId,
    shape: Shape,
}

#[derive(Debug, Clone)]
struct Param {
    name: Name,
    shape: Shape,
}

#[derive(Debug, Clone)]
struct Signature {
    proc: ProcId,
    params: Vec<Param>,
    /// Locals that a rule gives a value when it pushes the module. They are parameters, which all others leave open.
    given: Vec<Param>,
    result: Option<Shape>,
    span: Span,
    defined: bool,
}

/// What is fixed while the code of one module is made.
struct Frame {
    proc: ProcId,
    locals: FxHashMap<Name, Variable>,
    /// Locations of labels and symbols, made when first needed.
    labels: IndexMap<Name, LocId, FxBuildHasher>,
    /// Where `break` leads, for the loops around the statement.
    loops: Vec<LocId>,
    /// Temporaries for choices, by their bits.
    ways: FxHashMap<u16, VarId>,
    temps: u32,
}

impl Frame {
    fn new(proc: ProcId) -> Self {
        Frame {
            proc,
            locals: FxHashMap::default(),
            labels: IndexMap::default(),
            loops: Vec::new(),
            ways: FxHashMap::default(),
            temps: 0,
        }
    }
}

struct Lower<'a> {
    pace: Pace<'a>,
    overflow: Overflow,
    leave_loops: bool,
    error_label: Name,
    p: Program,
    constants: Constants,
    default_bits: Option<u16>,
    enums: IndexVec<EnumId, Enum>,
    enum_names: FxHashMap<Name, EnumId>,
    structs: IndexVec<StructId, Struct>,
    struct_names: FxHashMap<Name, StructId>,
    globals: FxHashMap<Name, Variable>,
    /// In the order of the text.
    global_order: Vec<Variable>,
    signatures: FxHashMap<Name, Signature>,
    /// By the symbol on their left.
    rules: FxHashMap<Name, Vec<&'a Rule>>,
    /// Symbols that begin a procedure of rules.
    entries: Vec<(Ident, ProcId)>,
    states: Option<rules::States>,
    /// In the condition of a rule: the variables with so many primes.
    primed: FxHashMap<(Name, u8), Variable>,
    /// Every label, the names of modules and stack symbols among them, and the module where it stands.
    labels: FxHashMap<Name, (Name, Span)>,
    /// What the variables of quantifiers around the expression stand for, the innermost last.
    bound: Vec<(Name, Value)>,
    /// Instances of quantifiers in the current statement.
    instances: usize,
    frame: Frame,
    cur: LocId,
}

/// An error at a place.
fn wrong<T>(message: impl Into<String>, span: Span) -> Res<T> {
    Err(Fault::from(Diagnostic::error(message).at(span)))
}

/// An error at a place, with a way out.
fn wrong_with<T>(message: impl Into<String>, span: Span, help: impl Into<String>) -> Res<T> {
    Err(Fault::from(Diagnostic::error(message).at(span).help(help)))
}

/// A name as a message shows it.
fn shown(name: &Ident) -> String {
    let cut: String = name.name.chars().take(60).collect();
    format!("`{cut}`")
}

impl<'a> Lower<'a> {
    fn new(source: &Arc<Source>, error_label: &str, reading: &Reading, budget: &'a Budget) -> Self {
        let types = Types::new(DataModel::default());
        let p = Program::new(Arc::clone(source), Lang::Remopla, types, "__start");
        let (frame, cur) = (Frame::new(p.entry), p.procs[p.entry].entry);
        Lower {
            pace: Pace::new(budget),
            overflow: reading.overflow,
            leave_loops: reading.loops == Loops::Leave,
            error_label: error_label.into(),
            p,
            constants: Constants::default(),
            default_bits: None,
            enums: IndexVec::new(),
            enum_names: FxHashMap::default(),
            structs: IndexVec::new(),
            struct_names: FxHashMap::default(),
            globals: FxHashMap::default(),
            global_order: Vec::new(),
            signatures: FxHashMap::default(),
            rules: FxHashMap::default(),
            entries: Vec::new(),
            states: None,
            primed: FxHashMap::default(),
            labels: FxHashMap::default(),
            bound: Vec::new(),
            instances: 0,
            frame,
            cur,
        }
    }

    fn wraps(&self) -> bool {
        self.overflow == Overflow::Wrap
    }

    // Locations and edges.

    fn new_loc(&mut self, span: Span) -> LocId {
        self.p.add_loc(self.frame.proc, span)
    }

    fn emit(&mut self, op: Op, span: Span) {
        let next = self.new_loc(span);
        self.p.add_edge(self.cur, next, op, span);
        self.cur = next;
    }

    fn goto(&mut self, to: LocId, span: Span) {
        self.p.add_edge(self.cur, to, Op::Skip, span);
    }

    /// The run does not come past this point; code that follows is unreachable but for its labels.
    fn dead_end(&mut self, span: Span) {
        self.cur = self.new_loc(span);
    }

    fn assume(&mut self, condition: ExprId, span: Span) {
        if self.p.exprs.as_bool(condition) != Some(true) {
            self.emit(Op::Assume(condition), span);
        }
    }

    /// Any value of the shape.
    fn havoc(&mut self, place: PlaceId, shape: &Shape, why: Choice, span: Span) {
        self.emit(Op::Havoc(place, why), span);
        let within = self.within(place, shape);
        self.assume(within, span);
    }

    fn temp(&mut self, what: &str, ty: TypeId, span: Span) -> VarId {
        self.frame.temps += 1;
        let name = format!("{what}.{}", self.frame.temps);
        self.p.add_var(name.into(), ty, VarKind::Temp, Some(self.frame.proc), span)
    }

    /// The value in a variable of its own, so that what is written next does not change it.
    fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        self.save_as("t", value, span)
    }

    fn save_as(&mut self, name: &str, value: ExprId, span: Span) -> ExprId {
        if self.p.exprs.as_const(value).is_some() {
            return value;
        }
        let ty = self.p.exprs.ty(value);
        let var = self.temp(name, ty, span);
        let place = self.p.var_place(var);
        self.emit(Op::Assign(place, value), span);
        self.p.exprs.read(place)
    }

    // Truth values.

    fn all(&mut self, mut conditions: Vec<ExprId>) -> ExprId {
        let yes = self.p.exprs.bool(true);
        self.balanced(&mut conditions, yes, |lower, a, b| lower.p.exprs.and(a, b))
    }

    fn any(&mut self, mut conditions: Vec<ExprId>) -> ExprId {
        let no = self.p.exprs.bool(false);
        self.balanced(&mut conditions, no, |lower, a, b| lower.p.exprs.or(a, b))
    }

    /// As a tree that is as flat as possible: recursion over it stays shallow.
    fn balanced(
        &mut self,
        items: &mut Vec<ExprId>,
        nothing: ExprId,
        join: fn(&mut Self, ExprId, ExprId) -> ExprId,
    ) -> ExprId {
        while items.len() > 1 {
            *items = items
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => join(self, a, b),
                    _ => pair[0],
                })
                .collect();
        }
        items.first().copied().unwrap_or(nothing)
    }
}
