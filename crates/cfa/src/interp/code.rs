//! A program made ready to run.
//!
//! The edges are sorted by the location they leave. The regions of blocks are unfolded beside the locations: an inner node of a
//! region is a node like a location, and an exit of a region is the location where the block with that exit leads. An exit whose
//! block a pass has cut away is a dead end.

use super::fast::{self, Fast, FastPlace};
use super::value::{MapValue, Value};
use crate::expr::{BinOp, Const, ExprId, ExprKind, PlaceId, UnOp};
use crate::program::{BlockId, CallString, EdgeId, LocId, Op, Program, RegionId, VarId};
use crate::types::{FloatTy, IntTy, Type, TypeId};
use craig_base::Span;
use dashu::integer::IBig;
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
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

fn flatten(program: &Program) -> (Vec<Node>, Vec<CodeStep<'_>>) {
    let mut origins: Vec<LocId> = program.locs.iter().map(|l| l.origin).collect();
    // Every step with the node it leaves.
    let mut found: Vec<(u32, CodeStep<'_>)> = Vec::with_capacity(program.edges.len());
    let mut exits: BTreeMap<(LocId, BlockId), LocId> = BTreeMap::new();
    for edge in &program.edges {
        if let Op::Block(block) = edge.op {
            exits.insert((edge.from, block), edge.to);
        }
    }
    let mut unfolded: FxHashSet<(LocId, RegionId)> = FxHashSet::default();
    for (id, edge) in program.edges.iter_enumerated() {
        let Op::Block(block) = &edge.op else {
            let step = CodeStep {
                op: &edge.op,
                to: edge.to.raw(),
                edge: id,
                origin: edge.origin,
                calls: edge.calls,
                span: edge.span,
            };
            found.push((edge.from.raw(), step));
            continue;
        };
        let region_id = program.blocks[*block].region;
        if !unfolded.insert((edge.from, region_id)) {
            continue;
        }
        let region = &program.regions[region_id];
        // Nodes of the region: the location itself, then new nodes for the rest; exits are resolved through the blocks.
        let base = origins.len() as u32;
        let extra = (region.inner.max(1) - 1) as usize;
        for i in 1..=extra {
            origins.push(region.nodes.get(i).map_or(program.locs[edge.from].origin, |n| n.0));
        }
        let dead_end = origins.len() as u32;
        origins.push(program.locs[edge.from].origin);
        let targets: BTreeMap<u32, u32> = exits
            .range((edge.from, BlockId::from_raw(0))..=(edge.from, BlockId::from_raw(u32::MAX)))
            .filter(|((_, b), _)| program.blocks[*b].region == region_id)
            .map(|((_, b), to)| (program.blocks[*b].exit, to.raw()))
            .collect();
        let node = |n: u32| match n {
            0 => edge.from.raw(),
            _ if n < region.inner => base + n - 1,
            _ => targets.get(&n).copied().unwrap_or(dead_end),
        };
        for inner in &region.edges {
            let step = CodeStep {
                op: &inner.op,
                to: node(inner.to),
                edge: id,
                origin: inner.origin,
                calls: inner.calls,
                span: inner.span,
            };
            found.push((node(inner.from), step));
        }
    }
    // Stable: the order of edges at a location is the order of the program.
    found.sort_by_key(|(from, _)| *from);
    let steps: Vec<CodeStep<'_>> = found.iter().map(|(_, step)| *step).collect();
    let mut nodes = Vec::with_capacity(origins.len() + 1);
    let mut at = 0;
    for (n, &origin) in origins.iter().enumerate() {
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
