//! A program as a tree of text.
//!
//! Nobody needs to know what the text means to make the program smaller: a statement can be left out, a block can stand for the
//! statement around it, an expression can become a constant or one of its parts. So the tree knows just these three.

use std::fmt::{self, Write as _};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Expr(Expr),
    Block(Vec<Stmt>),
}

/// An expression of integer type: any other one of integer type may stand in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    pub pieces: Vec<Piece>,
}

/// A statement, declaration or function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stmt {
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    pub items: Vec<Stmt>,
}

impl Stmt {
    pub fn text(text: impl Into<String>) -> Stmt {
        Stmt { pieces: vec![Piece::Text(text.into())] }
    }
}

impl Expr {
    pub fn text(text: impl Into<String>) -> Expr {
        Expr { pieces: vec![Piece::Text(text.into())] }
    }
}

/// Builds pieces one after the other.
#[derive(Debug, Clone, Default)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    pub fn new() -> Self {
        Pieces::default()
    }

    pub fn t(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    pub fn e(mut self, expr: Expr) -> Self {
        self.0.push(Piece::Expr(expr));
        self
    }

    pub fn b(mut self, block: Vec<Stmt>) -> Self {
        self.0.push(Piece::Block(block));
        self
    }

    /// Pieces that may not be replaced, such as the left side of an assignment.
    pub fn fixed(mut self, pieces: &[Piece]) -> Self {
        self.0.extend(pieces.iter().cloned());
        self
    }

    pub fn stmt(self) -> Stmt {
        Stmt { pieces: self.0 }
    }

    pub fn expr(self) -> Expr {
        Expr { pieces: self.0 }
    }
}

fn write_pieces(pieces: &[Piece], indent: usize, out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Expr(e) => write_pieces(&e.pieces, indent, out),
            Piece::Block(stmts) => {
                out.push_str("{\n");
                write_stmts(stmts, indent + 1, out);
                let _ = write!(out, "{:1$}}}", "", indent * 2);
            }
        }
    }
}

fn write_stmts(stmts: &[Stmt], indent: usize, out: &mut String) {
    for stmt in stmts {
        let _ = write!(out, "{:1$}", "", indent * 2);
        write_pieces(&stmt.pieces, indent, out);
        out.push('\n');
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write_stmts(&self.items, 0, &mut out);
        f.write_str(&out)
    }
}
