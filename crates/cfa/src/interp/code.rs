//! A program made ready to run.
//!
//! The edges are sorted by the location they leave.

use super::fast::{self, Fast, FastPlace};
use super::value::{MapValue, Value};
use crate::expr::{BinOp, Const, ExprId, ExprKind, PlaceId, UnOp};
use crate::program::{CallString, Edge, EdgeId, LocId, Op, Program, VarId};
use crate::types::{FloatTy, IntTy, Type, TypeId};
use craig_base::Span;
use dashu::integer::IBig;
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How values of a type are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    /// Integers and pointers.
    Word(IntTy),
    Float(FloatTy),
    Opaque,
    /// Structs, unions, arrays.
    Bytes,
    /// Boogie's integers, reals and maps.
    Math,
    /// No values.
    None,
}

/// Where a variable lives: an index into the slots, or values, of its frame or of the globals.
#[derive(Debug, Clone, Copy)]
pub(super) enum Storage {
    Slot {
        global: bool,
        index: u32,
    },
    /// The slot holds the address of its object, 0 before the first use.
    Memory {
        global: bool,
        index: u32,
    },
    Math {
        global: bool,
        index: u32,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CodeStep<'p> {
    pub op: &'p Op,
    pub to: u32,
    pub edge: EdgeId,
    pub origin: EdgeId,
    pub calls: CallString,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Plain,
    /// Two assumptions, the second the negation of the first.
    Fork,
    /// More than one edge, otherwise.
    Many,
    Exit,
    Error,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub first: u32,
    pub kind: NodeKind,
    /// Location of the source program.
    pub origin: LocId,
}

#[derive(Debug, Clone, Default)]
pub(super) struct FrameShape {
    pub slots: u32,
    /// Initial mathematical values.
    pub values: Vec<Value>,
}

#[derive(Debug)]
pub(super) struct Code<'p> {
    /// Ordered by the node they leave.
    pub steps: Vec<CodeStep<'p>>,
    /// One more than there are nodes.
    pub nodes: Vec<Node>,
    pub class: IndexVec<TypeId, Class>,
    /// Zero where a type has none.
    pub size: IndexVec<TypeId, u64>,
    pub storage: IndexVec<VarId, Storage>,
    /// One per procedure.
    pub frames: Vec<FrameShape>,
    pub globals: FrameShape,
    pub fast: IndexVec<ExprId, Fast>,
    pub fast_places: IndexVec<PlaceId, FastPlace>,
    /// One more than the largest id of a source edge.
    pub origins: usize,
}

impl<'p> Code<'p> {
    pub fn new(program: &'p Program) -> Self {
        let types = &program.types;
        let ids = || (0..types.len()).map(TypeId::from_usize);
        let (storage, frames, globals) = place_variables(program);
        let (nodes, steps) = flatten(program);
        let class = ids().map(|ty| class_of(program, ty)).collect();
        let fast_places = fast::places(program, &storage);
        Code {
            fast: fast::exprs(program, &class, &fast_places),
            fast_places,
            class,
            size: ids().map(|ty| types.size_of(ty).unwrap_or(0)).collect(),
            origins: steps.iter().map(|s| s.origin.index() + 1).max().unwrap_or(0),
            steps,
            nodes,
            storage,
            frames,
            globals,
        }
    }

    pub fn node(loc: LocId) -> u32 {
        loc.raw()
    }
}

fn class_of(program: &Program, ty: TypeId) -> Class {
    match program.types.get(ty) {
        Type::Bool => Class::Bool,
        Type::Int(_) | Type::Ptr(_) => program.types.as_word(ty).map_or(Class::None, Class::Word),
        Type::Float(f) => Class::Float(*f),
        Type::Opaque(_) => Class::Opaque,
        Type::Array { .. } | Type::Record(_) => Class::Bytes,
        Type::MathInt | Type::MathReal | Type::Map { .. } => Class::Math,
        Type::Void | Type::Func(_) => Class::None,
    }
}

/// The value that globals start with.
pub(super) fn zero_of(program: &Program, ty: TypeId) -> Value {
    match program.types.get(ty) {
        Type::MathInt => Value::Int(IBig::ZERO),
        Type::MathReal => Value::Real(Box::default()),
        Type::Map { elem, .. } => Value::Map(Arc::new(MapValue::constant(zero_of(program, *elem)))),
        _ => Value::Bits(0),
    }
}

fn place_variables(program: &Program) -> (IndexVec<VarId, Storage>, Vec<FrameShape>, FrameShape) {
    let mut pointed_at = FxHashSet::default();
    for e in (0..program.exprs.len()).map(ExprId::from_usize) {
        if let ExprKind::AddrOf(place) = program.exprs.kind(e) {
            pointed_at.extend(program.exprs.root_var(*place));
        }
    }
    let mut frames = vec![FrameShape::default(); program.procs.len()];
    let mut globals = FrameShape::default();
    let storage = program.vars.iter_enumerated().map(|(id, var)| {
        let global = var.proc.is_none();
        let frame = var.proc.and_then(|p| frames.get_mut(p.index())).unwrap_or(&mut globals);
        if class_of(program, var.ty) == Class::Math {
            frame.values.push(zero_of(program, var.ty));
            return Storage::Math { global, index: frame.values.len() as u32 - 1 };
        }
        frame.slots += 1;
        let index = frame.slots - 1;
        if program.types.is_aggregate(var.ty) || pointed_at.contains(&id) {
            Storage::Memory { global, index }
        } else {
            Storage::Slot { global, index }
        }
    });
    let storage = storage.collect();
    (storage, frames, globals)
}

fn flatten<'p>(program: &'p Program) -> (Vec<Node>, Vec<CodeStep<'p>>) {
    // Every step with the node it leaves.
    let step = |(edge, e): (EdgeId, &'p Edge)| {
        let Edge { op, to, origin, calls, span, .. } = e;
        let step = CodeStep { op, to: to.raw(), edge, origin: *origin, calls: *calls, span: *span };
        (e.from.raw(), step)
    };
    let mut found: Vec<(u32, CodeStep<'_>)> = program.edges.iter_enumerated().map(step).collect();
    // Stable: the order of edges at a location is the order of the program.
    found.sort_by_key(|(from, _)| *from);
    let steps: Vec<CodeStep<'_>> = found.iter().map(|(_, step)| *step).collect();
    let mut nodes = Vec::with_capacity(program.locs.len() + 1);
    let mut at = 0;
    for (n, origin) in program.locs.iter().map(|l| l.origin).enumerate() {
        let first = at;
        while at < found.len() && found[at].0 as usize == n {
            at += 1;
        }
        let kind = match &steps[first..at] {
            [] | [_] => NodeKind::Plain,
            [a, b] => match (a.op, b.op) {
                (Op::Assume(a), Op::Assume(b)) if negates(program, *a, *b) => NodeKind::Fork,
                _ => NodeKind::Many,
            },
            _ => NodeKind::Many,
        };
        nodes.push(Node { first: first as u32, kind, origin });
    }
    nodes.push(Node { first: at as u32, kind: NodeKind::Plain, origin: program.error });
    for proc in &program.procs {
        nodes[proc.exit.index()].kind = NodeKind::Exit;
    }
    nodes[program.error.index()].kind = NodeKind::Error;
    (nodes, steps)
}

/// Is one of the two written as the negation of the other?
fn negates(program: &Program, a: ExprId, b: ExprId) -> bool {
    match (program.exprs.kind(a), program.exprs.kind(b)) {
        (ExprKind::Unary(UnOp::Not, inner), _) if *inner == b => true,
        (_, ExprKind::Unary(UnOp::Not, inner)) if *inner == a => true,
        (ExprKind::Binary(BinOp::Eq, x, y), ExprKind::Binary(BinOp::Ne, v, w))
        | (ExprKind::Binary(BinOp::Ne, x, y), ExprKind::Binary(BinOp::Eq, v, w)) => (x, y) == (v, w),
        (ExprKind::Const(Const::Bool(x)), ExprKind::Const(Const::Bool(y))) => x != y,
        _ => false,
    }
}
