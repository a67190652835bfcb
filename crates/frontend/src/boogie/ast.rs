//! The syntax of a program as it stands in the text, names not yet resolved.

use craig_base::Span;
use craig_cfa::Name;
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

pub use crate::tokens::Ident;

#[derive(Debug, Clone)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum TypeKind {
    Int,
    Real,
    Bool,
    /// A declared type, a type parameter, or `bvN`.
    Named(Name, Vec<Type>),
    Map {
        params: Vec<Ident>,
        index: Vec<Type>,
        elem: Box<Type>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnOp {
    Not,
    Neg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinOp {
    Iff,
    Implies,
    /// `a <== b`.
    Explies,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `<:`, the partial order of constants.
    Below,
    Concat,
    Add,
    Sub,
    Mul,
    /// `/`.
    Slash,
    Div,
    Mod,
    Pow,
}

#[derive(Debug, Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum ExprKind {
    Bool(bool),
    Int(IBig),
    Bv(UBig, u32),
    Real(RBig),
    /// A literal of a type that is not modelled: a float, a string.
    Literal(&'static str),
    Name(Name),
    Apply(Ident, Vec<Expr>),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Vec<Expr>),
    Store(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// Bits `lo..hi`.
    Extract {
        of: Box<Expr>,
        hi: IBig,
        lo: IBig,
    },
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    Old(Box<Expr>),
    /// `int(e)` and `real(e)`.
    ToInt(Box<Expr>),
    ToReal(Box<Expr>),
    /// `e : T`.
    Coerce(Box<Expr>, Type),
    Binder {
        kind: Binder,
        params: Vec<Ident>,
        vars: Vec<Typed>,
        /// Triggers: expressions of any type.
        triggers: Vec<Expr>,
        body: Box<Expr>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binder {
    Forall,
    Exists,
    Lambda,
}

/// A variable with its type and, where it may have one, its `where` clause.
#[derive(Debug, Clone)]
pub struct Typed {
    pub name: Ident,
    pub ty: Type,
    pub wher: Option<Expr>,
}

/// `{:name "text", ...}`: only the first string is kept.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: Name,
    pub text: Option<String>,
}

#[derive(Debug, Clone)]
pub enum Decl {
    Type {
        name: Ident,
        params: Vec<Ident>,
        /// Of a synonym.
        means: Option<Type>,
    },
    Const {
        unique: bool,
        vars: Vec<Typed>,
    },
    Axiom(Expr),
    Function(Function),
    Var(Vec<Typed>),
    Procedure(Procedure),
    Implementation(Implementation),
}

#[derive(Debug, Clone)]
pub struct Function {
    pub attributes: Vec<Attribute>,
    pub name: Ident,
    pub params: Vec<Ident>,
    /// Parameters without a name have an empty one.
    pub args: Vec<Typed>,
    pub result: Type,
    pub body: Option<Expr>,
}

#[derive(Debug, Clone)]
pub struct Signature {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub ins: Vec<Typed>,
    pub outs: Vec<Typed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecKind {
    Requires,
    Ensures,
}

#[derive(Debug, Clone)]
pub struct Spec {
    pub kind: SpecKind,
    pub free: bool,
    pub expr: Expr,
}

#[derive(Debug, Clone)]
pub struct Procedure {
    pub signature: Signature,
    pub specs: Vec<Spec>,
    pub modifies: Vec<Ident>,
    pub body: Option<Body>,
}

#[derive(Debug, Clone)]
pub struct Implementation {
    pub signature: Signature,
    pub body: Body,
}

#[derive(Debug, Clone)]
pub struct Body {
    pub locals: Vec<Typed>,
    pub stmts: Vec<Stmt>,
    /// Of the closing brace.
    pub end: Span,
}

#[derive(Debug, Clone)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The left side of an assignment: a variable and the indices after it, `m[i][j, k]`.
#[derive(Debug, Clone)]
pub struct Target {
    pub name: Ident,
    pub indices: Vec<(Vec<Expr>, Span)>,
}

#[derive(Debug, Clone)]
pub struct Invariant {
    pub free: bool,
    pub expr: Expr,
}

#[derive(Debug, Clone)]
pub enum StmtKind {
    Label(Name),
    Assert(Expr),
    Assume(Expr),
    Havoc(Vec<Ident>),
    Assign(Vec<Target>, Vec<Expr>),
    Call {
        outs: Vec<Ident>,
        name: Ident,
        args: Vec<Expr>,
    },
    If {
        /// `None` is `*`.
        cond: Option<Expr>,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    While {
        cond: Option<Expr>,
        invariants: Vec<Invariant>,
        body: Vec<Stmt>,
    },
    Goto(Vec<Ident>),
    Break(Option<Ident>),
    Return,
    /// Read but not modelled.
    Unsupported(&'static str),
}
