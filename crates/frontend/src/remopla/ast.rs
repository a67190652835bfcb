//! Syntax.

use craig_base::Span;

pub use crate::tokens::Ident;

/// A whole file. The parts are kept in the order of the text within their kind.
#[derive(Debug, Default)]
pub struct File {
    pub defines: Vec<Define>,
    pub enums: Vec<EnumDecl>,
    pub structs: Vec<StructDecl>,
    pub globals: Vec<VarDecl>,
    pub init: Option<Init>,
    pub modules: Vec<Module>,
    pub rules: Vec<Rule>,
}

/// `define NAME constant`.
#[derive(Debug)]
pub struct Define {
    pub name: Ident,
    pub value: Expr,
}

#[derive(Debug)]
pub struct EnumDecl {
    pub name: Ident,
    pub names: Vec<Ident>,
}

#[derive(Debug)]
pub struct StructDecl {
    pub name: Ident,
    pub fields: Vec<VarDecl>,
}

/// `init a b c;`: the stack that runs begin with, its top first.
#[derive(Debug)]
pub struct Init {
    /// `init q <a b>;` names a control state too.
    pub state: Option<Ident>,
    pub stack: Vec<Ident>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum Base {
    Bool,
    Int,
    Enum(Ident),
    Struct(Ident),
}

/// One variable: its type stands in two places of the text.
#[derive(Debug)]
pub struct VarDecl {
    pub base: Base,
    pub name: Ident,
    pub dims: Vec<Dim>,
    pub bits: Option<Expr>,
    pub span: Span,
}

/// `[size]` or `[lo,hi]`.
#[derive(Debug)]
pub struct Dim {
    pub lo: Option<Expr>,
    /// The last index; without `lo`, the size.
    pub hi: Expr,
    pub span: Span,
}

#[derive(Debug)]
pub struct Module {
    pub name: Ident,
    /// `None`: void.
    pub result: Option<(Base, Option<Expr>)>,
    pub params: Vec<VarDecl>,
    /// `None`: declared, to be defined later.
    pub body: Option<Body>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Body {
    pub locals: Vec<VarDecl>,
    pub stmts: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Label(Ident),
    Skip(Option<Expr>),
    Assign(Vec<Assign>),
    Call { result: Option<Place>, callee: Ident, args: Vec<Arg>, along: Vec<Assign> },
    If(Vec<Alternative>),
    Do(Vec<Alternative>),
    Goto { label: Ident, along: Vec<Assign> },
    Break,
    Return(Option<Expr>),
}

#[derive(Debug)]
pub struct Alternative {
    /// `None`: `else`.
    pub guard: Option<Expr>,
    pub stmts: Vec<Stmt>,
}

#[derive(Debug)]
pub enum Arg {
    Value(Expr),
    Undef(Span),
}

/// `A i (lo,hi)` and `E i (lo,hi)`.
#[derive(Debug)]
pub struct Binder {
    pub all: bool,
    pub var: Ident,
    pub lo: Expr,
    pub hi: Expr,
    pub span: Span,
}

#[derive(Debug)]
pub struct Assign {
    pub binders: Vec<Binder>,
    pub place: Place,
    pub value: Source,
}

/// What is assigned.
#[derive(Debug)]
pub enum Source {
    Value(Expr),
    /// `x != e`: anything else.
    Not(Expr),
    Undef,
}

/// `a`, `a[i][j]`, `s.x`, `a[i].x`, `s.x[i]`; in rules `a'` and `a''`.
#[derive(Debug, Clone)]
pub struct Place {
    pub name: Ident,
    pub primes: u8,
    pub steps: Vec<Step>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum Step {
    Index(Expr),
    Field(Ident),
}

#[derive(Debug, Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinOp {
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Iff,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl BinOp {
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Or => "||",
            BinOp::Xor => "^^",
            BinOp::And => "&&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::BitAnd => "&",
            BinOp::Iff => "<=>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "mod",
        }
    }
}

#[derive(Debug, Clone)]
pub enum ExprKind {
    Bool(bool),
    Int(u64),
    Place(Place),
    Not(Box<Expr>),
    /// One operator between all of them, grouped from the left.
    Chain(BinOp, Vec<Expr>),
    Quantified(Box<Quantified>),
}

#[derive(Debug, Clone)]
pub struct Quantified {
    pub all: bool,
    pub var: Ident,
    pub lo: Expr,
    pub hi: Expr,
    pub body: Expr,
}

/// `q <a> --> r <b c> "text" (condition)`.
#[derive(Debug)]
pub struct Rule {
    pub from: Head,
    pub to: Head,
    pub condition: Option<Expr>,
    pub span: Span,
}

impl Rule {
    /// `b` in `<b c>`.
    pub fn pushed(&self) -> Option<&Ident> {
        match &*self.to.stack {
            [pushed, _] => Some(pushed),
            _ => None,
        }
    }
}

/// A control state and the top of the stack.
#[derive(Debug)]
pub struct Head {
    pub state: Ident,
    pub stack: Vec<Ident>,
}
