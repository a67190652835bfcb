//! The program that every front end makes and every engine reads: a control-flow automaton.
//!
//! | module | holds |
//! |---|---|
//! | [`types`] | types with their layout in memory, both data models |
//! | [`expr`] | pure, typed, hash-consed expressions and places |
//! | [`arith`] | what one operation on machine integers means, bit by bit |
//! | [`program`] | procedures, locations, edges, operations, blocks, and where each came from |
//! | [`interp`] | the concrete interpreter |
//! | [`print`] | the program as text |

pub mod arith;
pub mod expr;
pub mod interp;
pub mod print;
pub mod program;
pub mod types;

pub use expr::{BinOp, Const, Expr, ExprId, ExprKind, Exprs, Place, PlaceId, PlaceKind, UnOp};
pub use program::{
    Block, BlockId, Call, CallString, CallStrings, Choice, Edge, EdgeId, Graph, Halt, Lang, Loc, LocId, Op,
    Output, Proc, ProcId, Program, Region, RegionId, VaOp, Var, VarId, VarKind,
};
pub use types::{
    DataModel, Field, FloatTy, FuncTy, IntTy, Record, RecordId, RecordKind, Type, TypeId, Types,
};

/// A name as it stands in the source, shared.
pub type Name = std::sync::Arc<str>;
