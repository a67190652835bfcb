//! The checked program: names resolved, every expression with its type, map updates written as stores.
//!
//! What is Boogie but is not modelled (quantifiers, for one) is checked and then left out: [`ExprKind::Unmodelled`] stands for its value.

use super::types::{Param, TyId, Tys};
use craig_base::Span;
use craig_cfa::Name;
use dashu::integer::IBig;
use dashu::rational::RBig;
use index_vec::IndexVec;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

index_vec::define_index_type! { pub struct GlobalId = u32; }
index_vec::define_index_type! { pub struct FunId = u32; }
index_vec::define_index_type! { pub struct ProcedureId = u32; }

pub type Globals = IndexSet<GlobalId, FxBuildHasher>;

#[derive(Debug)]
pub struct Hir {
    pub tys: Tys,
    pub globals: IndexVec<GlobalId, Global>,
    pub functions: IndexVec<FunId, Fun>,
    pub procedures: IndexVec<ProcedureId, Procedure>,
    pub axioms: Vec<Axiom>,
}

/// A global variable or a constant.
#[derive(Debug)]
pub struct Global {
    pub name: Name,
    pub ty: TyId,
    pub span: Span,
    pub constant: bool,
    pub unique: bool,
    pub wher: Option<Expr>,
}

#[derive(Debug)]
pub struct Fun {
    pub name: Name,
    pub params: Vec<Param>,
    pub args: Vec<TyId>,
    pub result: TyId,
    /// Its parameters are the locals of this expression.
    pub body: Option<Expr>,
    /// The operation of the solver that it is.
    pub builtin: Option<String>,
}

/// What an axiom or an expression may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    Global(GlobalId),
    Fun(FunId),
}

#[derive(Debug)]
pub struct Axiom {
    pub expr: Expr,
    /// Does something depend on it? One that only speaks of symbols that no procedure uses, directly or through other axioms,
    /// says nothing about the program.
    pub relevant: bool,
}

#[derive(Debug)]
pub struct Local {
    pub name: Name,
    pub ty: TyId,
    pub span: Span,
    pub wher: Option<Expr>,
}

#[derive(Debug)]
pub struct Claim {
    pub expr: Expr,
    pub free: bool,
}

/// Locals are numbered: in-parameters, out-parameters, then the locals of an implementation.
#[derive(Debug)]
pub struct Procedure {
    pub name: Name,
    pub span: Span,
    /// Has type parameters.
    pub generic: bool,
    pub ins: Vec<Local>,
    pub outs: Vec<Local>,
    pub requires: Vec<Claim>,
    pub ensures: Vec<Claim>,
    pub modifies: Globals,
    /// Globals under `old` in `ensures`.
    pub olds: Globals,
    pub implementations: Vec<Implementation>,
}

#[derive(Debug)]
pub struct Implementation {
    pub span: Span,
    /// Parameters included.
    pub locals: Vec<Local>,
    pub body: Vec<Stmt>,
    pub end: Span,
    /// Number of labels.
    pub labels: Vec<Name>,
    /// Globals under `old` in the body.
    pub olds: Globals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Var {
    Global(GlobalId),
    /// Of the procedure, or parameter of the function.
    Local(usize),
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    /// An index into the labels of the implementation.
    Label(usize),
    Assert(Expr),
    Assume(Expr),
    Havoc(Vec<Var>),
    /// All at once.
    Assign(Vec<(Var, Expr)>),
    Call {
        outs: Vec<Var>,
        callee: ProcedureId,
        args: Vec<Expr>,
    },
    If {
        cond: Option<Expr>,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    While {
        cond: Option<Expr>,
        invariants: Vec<Claim>,
        body: Vec<Stmt>,
    },
    Goto(Vec<usize>),
    /// How many of the `if` and `while` around the statement stay.
    Break(usize),
    Return,
    Unsupported(&'static str),
}

#[derive(Debug, Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TyId,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum ExprKind {
    Bool(bool),
    Int(IBig),
    Bv(u128),
    Real(RBig),
    Var(Var),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    /// Operators of the program's expressions, on operands of fitting types.
    Binary(craig_cfa::BinOp, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Vec<Expr>),
    Store(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// Bits `lo..hi`.
    Extract {
        of: Box<Expr>,
        hi: u16,
        lo: u16,
    },
    Concat(Box<Expr>, Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    Old(Box<Expr>),
    /// Between `int` and `real`.
    Convert(Box<Expr>),
    /// With the values of the type parameters.
    Apply(FunId, Box<[TyId]>, Vec<Expr>),
    /// Some value of the type: the construct is not modelled.
    Unmodelled(&'static str),
}

impl Expr {
    /// Itself and all its parts.
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        match &self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Bv(_)
            | ExprKind::Real(_)
            | ExprKind::Var(_)
            | ExprKind::Unmodelled(_) => {}
            ExprKind::Not(a)
            | ExprKind::Neg(a)
            | ExprKind::Old(a)
            | ExprKind::Convert(a)
            | ExprKind::Extract { of: a, .. } => a.visit(f),
            ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            ExprKind::Ite(a, b, c) => {
                a.visit(f);
                b.visit(f);
                c.visit(f);
            }
            ExprKind::Select(map, index) => {
                map.visit(f);
                index.iter().for_each(|i| i.visit(f));
            }
            ExprKind::Store(map, index, value) => {
                map.visit(f);
                index.iter().for_each(|i| i.visit(f));
                value.visit(f);
            }
            ExprKind::Apply(_, _, args) => args.iter().for_each(|a| a.visit(f)),
        }
    }
}
