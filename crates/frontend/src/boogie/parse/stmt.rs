//! Statements.

use super::super::ast::{Expr, Invariant, Stmt, StmtKind, Target};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::Diagnostic;

/// Longest chain of `else if`: it becomes depth of recursion.
const MAX_CHAIN: usize = 20_000;

impl Parser<'_> {
    /// Up to the closing brace, which stays.
    pub fn stmts(&mut self) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while !self.is("}") {
            self.pace.step()?;
            let start = self.span();
            let kind = self.stmt()?;
            // For what has a block inside, the head is what a reader looks for.
            let span = match &kind {
                StmtKind::If { .. } | StmtKind::While { .. } => start,
                _ => self.since(start),
            };
            stmts.push(Stmt { kind, span });
        }
        Ok(stmts)
    }

    fn block(&mut self) -> Res<Vec<Stmt>> {
        self.expect("{")?;
        let stmts = self.stmts()?;
        self.expect("}")?;
        Ok(stmts)
    }

    fn stmt(&mut self) -> Res<StmtKind> {
        match self.token().kind {
            Kind::Ident if self.ahead_is(1, ":") => {
                let label = self.ident("a label")?;
                self.bump();
                Ok(StmtKind::Label(label.name))
            }
            Kind::Ident => {
                if let Some(what) = self.concurrent() {
                    self.skip_past_semicolon()?;
                    return Ok(StmtKind::Unsupported(what));
                }
                let targets = self.list(Self::target)?;
                self.expect(":=")?;
                let values = self.list(Self::expr)?;
                self.expect(";")?;
                Ok(StmtKind::Assign(targets, values))
            }
            Kind::Key("assert") => Ok(StmtKind::Assert(self.claim()?)),
            Kind::Key("assume") => Ok(StmtKind::Assume(self.claim()?)),
            Kind::Key("havoc") => {
                self.bump();
                let names = self.list(|p| p.ident("a variable"))?;
                self.expect(";")?;
                Ok(StmtKind::Havoc(names))
            }
            Kind::Key("goto") => {
                self.bump();
                let labels = self.list(|p| p.ident("a label"))?;
                self.expect(";")?;
                Ok(StmtKind::Goto(labels))
            }
            Kind::Key("break") => {
                self.bump();
                let label = if self.is(";") { None } else { Some(self.ident("a label")?) };
                self.expect(";")?;
                Ok(StmtKind::Break(label))
            }
            Kind::Key("return") => {
                self.bump();
                self.expect(";")?;
                Ok(StmtKind::Return)
            }
            Kind::Key("if") => self.if_stmt(),
            Kind::Key("while") => self.while_stmt(),
            Kind::Key("call") => self.call(),
            Kind::Key("var") => Err(Fault::from(
                Diagnostic::error("a declaration among statements")
                    .at(self.span())
                    .help("local variables are declared at the beginning of a body"),
            )),
            _ => self.unexpected("a statement"),
        }
    }

    /// `yield;`, `async call p();`, `par p() | q();`: words that are names everywhere else.
    fn concurrent(&self) -> Option<&'static str> {
        if self.is_word("yield") && self.ahead_is(1, ";") {
            Some("yield")
        } else if self.is_word("async") && self.ahead_is(1, "call") {
            Some("asynchronous call")
        } else if self.is_word("par") && self.ahead(1).kind == Kind::Ident {
            Some("parallel call")
        } else {
            None
        }
    }

    /// `assert e;`, `assume e;`.
    fn claim(&mut self) -> Res<Expr> {
        self.bump();
        self.attributes()?;
        let expr = self.expr()?;
        self.expect(";")?;
        Ok(expr)
    }

    fn target(&mut self) -> Res<Target> {
        let name = self.ident("a variable")?;
        let mut indices = Vec::new();
        while self.is("[") {
            let start = self.span();
            self.bump();
            let index = self.list_until("]", Self::expr)?;
            indices.push((index, self.since(start)));
        }
        Ok(Target { name, indices })
    }

    fn call(&mut self) -> Res<StmtKind> {
        self.bump();
        self.attributes()?;
        if self.is("forall") {
            self.skip_past_semicolon()?;
            return Ok(StmtKind::Unsupported("call forall"));
        }
        let mut names = self.list(|p| p.ident("a procedure"))?;
        let (outs, name) = if self.accept(":=") {
            (names, self.ident("a procedure")?)
        } else if names.len() == 1 && self.is("(") {
            (Vec::new(), names.remove(0))
        } else {
            return self.unexpected("`:=`");
        };
        self.expect("(")?;
        let args = self.list_until(")", Self::expr)?;
        self.expect(";")?;
        Ok(StmtKind::Call { outs, name, args })
    }

    /// In round brackets; `None` is `*`.
    fn condition(&mut self) -> Res<Option<Expr>> {
        self.expect("(")?;
        let cond = if self.is("*") && self.ahead_is(1, ")") {
            self.bump();
            None
        } else {
            Some(self.expr()?)
        };
        self.expect(")")?;
        Ok(cond)
    }

    /// A chain of `else if` is read in a loop and built from its end.
    fn if_stmt(&mut self) -> Res<StmtKind> {
        let mut arms = Vec::new();
        let mut no = Vec::new();
        loop {
            let start = self.span();
            if arms.len() == MAX_CHAIN {
                return Err(Fault::from(
                    Diagnostic::error(format!("more than {MAX_CHAIN} `else` in one chain")).at(start),
                ));
            }
            self.expect("if")?;
            let cond = self.condition()?;
            arms.push((start, cond, self.block()?));
            if !self.accept("else") {
                break;
            }
            if !self.is("if") {
                no = self.block()?;
                break;
            }
        }
        while let Some((span, cond, yes)) = arms.pop() {
            let kind = StmtKind::If { cond, yes, no };
            if arms.is_empty() {
                return Ok(kind);
            }
            no = vec![Stmt { kind, span }];
        }
        self.unexpected("`if`")
    }

    fn while_stmt(&mut self) -> Res<StmtKind> {
        self.bump();
        let cond = self.condition()?;
        let mut invariants = Vec::new();
        while self.is("invariant") || self.is("free") {
            let free = self.accept("free");
            self.expect("invariant")?;
            self.attributes()?;
            let expr = self.expr()?;
            self.expect(";")?;
            invariants.push(Invariant { free, expr });
        }
        let body = self.block()?;
        Ok(StmtKind::While { cond, invariants, body })
    }
}
