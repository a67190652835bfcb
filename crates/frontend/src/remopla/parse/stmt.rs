//! Statements.

use super::super::ast::{Alternative, Arg, Assign, Binder, Place, Source, Step, Stmt, StmtKind};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::Diagnostic;

impl Parser<'_> {
    /// Up to what ends a body or an alternative.
    pub fn stmts(&mut self) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        loop {
            self.pace.step()?;
            if self.accept(";") {
                continue;
            }
            if self.ends() {
                return Ok(stmts);
            }
            stmts.push(self.whole(Self::stmt)?);
        }
    }

    /// Does a list of statements end here?
    fn ends(&self) -> bool {
        matches!(self.kind(), Kind::Punct("}" | "::") | Kind::Key("fi" | "od") | Kind::End)
    }

    fn stmt(&mut self) -> Res<Stmt> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Ident if self.ahead_is(1, ":") => {
                let label = self.ident("a label")?;
                self.bump();
                return Ok(Stmt { span: label.span, kind: StmtKind::Label(label) });
            }
            // The word alone is the place of the choice: the alternatives have theirs.
            Kind::Key("if") => {
                self.bump();
                let kind = StmtKind::If(self.alternatives()?);
                self.expect("fi")?;
                return Ok(Stmt { kind, span: start });
            }
            Kind::Key("do") => {
                self.bump();
                let kind = StmtKind::Do(self.alternatives()?);
                self.expect("od")?;
                return Ok(Stmt { kind, span: start });
            }
            Kind::Key("skip") => {
                self.bump();
                let condition = if self.is("(") { Some(self.expr()?) } else { None };
                StmtKind::Skip(condition)
            }
            Kind::Key("goto") => {
                self.bump();
                StmtKind::Goto { label: self.ident("a label")?, along: self.along()? }
            }
            Kind::Key("break") => {
                self.bump();
                StmtKind::Break
            }
            Kind::Key("return") => {
                self.bump();
                let nothing = self.is(";") || self.ends();
                StmtKind::Return(if nothing { None } else { Some(self.expr()?) })
            }
            Kind::Key("fork") => return self.refused("`fork`", "programs with one thread are read"),
            Kind::Ident => self.assign_or_call()?,
            _ if self.begins_declaration() => {
                return Err(Fault::from(
                    Diagnostic::error("a declaration among statements")
                        .at(start)
                        .help("local variables are declared at the beginning of a module"),
                ));
            }
            _ => return self.unexpected("a statement"),
        };
        let span = self.since(start);
        if !self.ends() {
            self.expect(";")?;
        }
        Ok(Stmt { kind, span })
    }

    fn alternatives(&mut self) -> Res<Vec<Alternative>> {
        let mut found: Vec<Alternative> = Vec::new();
        while self.is("::") {
            let start = self.span();
            self.bump();
            if let Some(last) = found.last()
                && last.guard.is_none()
            {
                let diagnostic = Diagnostic::error("an alternative behind `else`").at(start);
                return Err(Fault::from(diagnostic.help("`else` is the last alternative")));
            }
            let guard = if self.accept("else") { None } else { Some(self.expr()?) };
            self.expect("->")?;
            let stmts = self.stmts()?;
            found.push(Alternative { guard, stmts });
        }
        match found.is_empty() {
            true => self.unexpected("`::`"),
            false => Ok(found),
        }
    }

    /// Assignments after a call or a `goto`.
    fn along(&mut self) -> Res<Vec<Assign>> {
        let mut found = Vec::new();
        while self.accept(",") {
            found.push(self.assign()?);
        }
        Ok(found)
    }

    fn assign_or_call(&mut self) -> Res<StmtKind> {
        if self.ahead_is(1, "(") {
            return self.call(None);
        }
        if self.quantifier().is_none() {
            let before = self.at;
            let place = self.place()?;
            if self.accept("=") && self.kind() == Kind::Ident && self.ahead_is(1, "(") {
                return self.call(Some(place));
            }
            self.at = before;
        }
        Ok(StmtKind::Assign(self.list(Self::assign)?))
    }

    fn call(&mut self, result: Option<Place>) -> Res<StmtKind> {
        let callee = self.ident("a module")?;
        self.expect("(")?;
        let args = self.list_until(")", |p| {
            let span = p.span();
            if p.accept("undef") { Ok(Arg::Undef(span)) } else { Ok(Arg::Value(p.expr()?)) }
        })?;
        Ok(StmtKind::Call { result, callee, args, along: self.along()? })
    }

    fn assign(&mut self) -> Res<Assign> {
        let mut binders = Vec::new();
        while let Some(all) = self.quantifier() {
            let start = self.span();
            self.bump();
            let var = self.ident("a name")?;
            let (lo, hi) = self.bounds()?;
            binders.push(Binder { all, var, lo, hi, span: self.since(start) });
        }
        let place = self.place()?;
        let value = if self.accept("!=") {
            Source::Not(self.expr()?)
        } else {
            self.expect("=")?;
            if self.accept("undef") {
                Source::Undef
            } else if self.kind() == Kind::Ident && self.ahead_is(1, "(") {
                return Err(Fault::from(
                    Diagnostic::error("a call among assignments")
                        .at(self.span())
                        .help("a call comes first in a statement; assignments may follow it after a comma"),
                ));
            } else {
                Source::Value(self.expr()?)
            }
        };
        Ok(Assign { binders, place, value })
    }

    pub fn place(&mut self) -> Res<Place> {
        let name = self.ident("a variable")?;
        let start = name.span;
        let primes = match self.kind() {
            Kind::Punct("'") => 1,
            Kind::Punct("''") => 2,
            _ => 0,
        };
        if primes > 0 {
            self.bump();
        }
        let mut steps = Vec::new();
        loop {
            if self.accept("[") {
                self.count()?;
                steps.push(Step::Index(self.part()?));
                self.expect("]")?;
            } else if self.accept(".") {
                steps.push(Step::Field(self.ident("a field")?));
            } else {
                return Ok(Place { name, primes, steps, span: self.since(start) });
            }
        }
    }
}
