//! The program that every front end makes and every engine reads: a control-flow automaton.
//!
//! | module | holds |
//! |---|---|
//! | [`types`] | types with their layout in memory, both data models |
//! | [`expr`] | pure, typed, hash-consed expressions and places |
//! | [`arith`] | what one operation on machine integers means, bit by bit |
//! | [`program`] | procedures, locations, edges, operations, and where each came from |
//! | [`blocks`] | the graph of blocks, beside the program |
//! | [`rewrite`] | copies of expressions and operations with changes |
//! | [`defined`] | when an operation is defined |
//! | [`graph`] | orders, loop heads, components, the call graph |
//! | [`analysis`] | what holds at the locations of a program, found without a solver |
//! | [`verify`] | the invariants of a program, checked |
//! | [`pass`] | from program to program: inlining, folding, slicing, pruning; each with its way back |
//! | [`interp`] | the concrete interpreter |
//! | [`mod@print`] | the program as text |
//! | [`dot`] | the program as a picture |

pub mod analysis;
pub mod arith;
pub mod blocks;
pub mod defined;
pub mod dot;
pub mod expr;
pub mod graph;
pub mod interp;
pub mod pass;
pub mod print;
pub mod program;
pub mod rewrite;
pub mod scopes;
#[cfg(test)]
mod testing;
pub mod types;
pub mod verify;

pub use blocks::{Block, BlockEnd, BlockGraph, BlockId, Blocks, Region, RegionEdge, RegionId};
pub use expr::{BinOp, Const, Expr, ExprId, ExprKind, Exprs, Place, PlaceId, PlaceKind, UnOp};
pub use program::{
    Call, CallString, CallStrings, Choice, Edge, EdgeId, Graph, Halt, Lang, Lean, LeanKind, Loc, LocId,
    Maker, Op, Output, Proc, ProcId, Program, Var, VarId, VarKind,
};
pub use scopes::{ScopeId, Scopes};
pub use types::{
    DataModel, Field, FloatTy, FuncTy, IntTy, Record, RecordId, RecordKind, Type, TypeId, Types,
};

/// A name as it stands in the source, shared.
pub type Name = std::sync::Arc<str>;
