//! Constants, types, variables, modules, rules.

use super::super::ast::{
    Base, Body, Define, Dim, EnumDecl, Expr, File, Head, Ident, Init, Module, Rule, StructDecl, VarDecl,
};
use super::super::lex::Kind;
use super::{Parser, Res};
use craig_base::Diagnostic;

const NO_THREADS: &str = "programs with one thread are read";

impl Parser<'_> {
    pub fn file(&mut self) -> Res<File> {
        let mut file = File::default();
        while self.kind() != Kind::End {
            self.pace.step()?;
            self.item(&mut file)?;
        }
        Ok(file)
    }

    fn item(&mut self, file: &mut File) -> Res<()> {
        match self.kind() {
            Kind::Punct(";") => self.bump(),
            Kind::Key("define") => file.defines.push(self.define()?),
            Kind::Key("module") => file.modules.push(self.module()?),
            Kind::Key("init") => {
                let init = self.init()?;
                if file.init.is_some() {
                    let again = Diagnostic::error("`init` stands here a second time").at(init.span);
                    return Err(again.into());
                }
                file.init = Some(init);
            }
            Kind::Key("enum" | "struct") => self.type_or_vars(file)?,
            Kind::Ident if self.ahead_is(1, "<") => file.rules.push(self.rule()?),
            Kind::Ident | Kind::Key("skip" | "goto" | "if" | "do" | "return" | "break") => {
                return self.unexpected("a declaration, a module or a rule");
            }
            _ => {
                let base = self.base("a declaration, a module or a rule")?;
                self.vars(&base, &mut file.globals)?;
            }
        }
        Ok(())
    }

    fn define(&mut self) -> Res<Define> {
        self.bump();
        if self.is("DEFAULT_SIGNED_INT_BITS") {
            return self.signed();
        }
        let name = self.ident("the name of a constant")?;
        let value = self.expr()?;
        Ok(Define { name, value })
    }

    fn signed<T>(&self) -> Res<T> {
        self.refused("`signed int`", "integers are unsigned: `int x(bits)`")
    }

    /// `enum NAME { A, B } e, f;`, `struct { ... } s;`: a type, variables of it, or both.
    fn type_or_vars(&mut self, file: &mut File) -> Res<()> {
        let start = self.span();
        let named = self.ahead(1).kind == Kind::Ident;
        if !self.ahead_is(1 + usize::from(named), "{") {
            let base = self.base("a type")?;
            return self.vars(&base, &mut file.globals);
        }
        let is_enum = self.is("enum");
        self.bump();
        // What has no name gets one that no text can spell.
        let name = match named {
            true => self.ident("a name")?,
            false => Ident { name: format!("#{}", start.start).into(), span: start },
        };
        self.expect("{")?;
        let base = if is_enum {
            let names = self.list(|p| p.ident("a name"))?;
            self.expect("}")?;
            file.enums.push(EnumDecl { name: name.clone(), names });
            Base::Enum(name)
        } else {
            let mut fields = Vec::new();
            while !self.accept("}") {
                let base = self.base("a declaration")?;
                self.vars(&base, &mut fields)?;
            }
            file.structs.push(StructDecl { name: name.clone(), fields });
            Base::Struct(name)
        };
        match self.accept(";") {
            true => Ok(()),
            false => self.vars(&base, &mut file.globals),
        }
    }

    /// The word that a declaration begins with.
    fn base(&mut self, expected: &str) -> Res<Base> {
        Ok(match self.kind() {
            Kind::Key("bool") => {
                self.bump();
                Base::Bool
            }
            Kind::Key("int") => {
                self.bump();
                Base::Int
            }
            Kind::Key("unsigned") => {
                self.bump();
                self.expect("int")?;
                Base::Int
            }
            Kind::Key("enum") => {
                self.bump();
                Base::Enum(self.ident("the name of an enumeration")?)
            }
            Kind::Key("struct") => {
                self.bump();
                Base::Struct(self.ident("the name of a struct")?)
            }
            Kind::Key("signed") => return self.signed(),
            Kind::Key("shared") => return self.refused("`shared`", NO_THREADS),
            _ => return self.unexpected(expected),
        })
    }

    fn vars(&mut self, base: &Base, into: &mut Vec<VarDecl>) -> Res<()> {
        into.extend(self.list(|p| p.var(base.clone()))?);
        self.expect(";")
    }

    /// `name[size][lo,hi](bits)`.
    fn var(&mut self, base: Base) -> Res<VarDecl> {
        let name = self.ident("the name of a variable")?;
        let mut dims = Vec::new();
        while self.is("[") {
            let start = self.span();
            self.bump();
            let first = self.expr()?;
            let (lo, hi) = if self.accept(",") { (Some(first), self.expr()?) } else { (None, first) };
            self.expect("]")?;
            dims.push(Dim { lo, hi, span: self.since(start) });
        }
        let bits = self.bits()?;
        let span = self.since(name.span);
        Ok(VarDecl { base, name, dims, bits, span })
    }

    fn bits(&mut self) -> Res<Option<Expr>> {
        if !self.accept("(") {
            return Ok(None);
        }
        let bits = self.expr()?;
        self.expect(")")?;
        Ok(Some(bits))
    }

    fn module(&mut self) -> Res<Module> {
        let start = self.span();
        self.bump();
        let result = if self.accept("void") {
            None
        } else {
            let base = self.base("`void` or the type of the result")?;
            Some((base, self.bits()?))
        };
        let name = self.ident("the name of a module")?;
        self.expect("(")?;
        let params = if self.is("void") && self.ahead_is(1, ")") {
            self.bump();
            self.bump();
            Vec::new()
        } else {
            self.list_until(")", |p| {
                let base = p.base("the type of a parameter")?;
                p.var(base)
            })?
        };
        let span = self.since(start);
        let body = if self.accept(";") { None } else { Some(self.body()?) };
        Ok(Module { name, result, params, body, span })
    }

    fn body(&mut self) -> Res<Body> {
        self.expect("{")?;
        let mut locals = Vec::new();
        while self.begins_declaration() {
            let base = self.base("a declaration")?;
            self.vars(&base, &mut locals)?;
        }
        let stmts = self.stmts()?;
        let end = self.span();
        self.expect("}")?;
        Ok(Body { locals, stmts, end })
    }

    pub fn begins_declaration(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Key("bool" | "int" | "unsigned" | "signed" | "shared" | "enum" | "struct")
        )
    }

    fn init(&mut self) -> Res<Init> {
        let start = self.span();
        self.bump();
        let mut stack = vec![self.ident("the name of a module")?];
        let mut state = None;
        if self.is("<") {
            state = stack.pop();
            stack = self.stack()?;
        } else {
            while self.kind() == Kind::Ident {
                stack.push(self.ident("the name of a module")?);
            }
        }
        self.expect(";")?;
        Ok(Init { state, stack, span: self.since(start) })
    }

    /// `q <a> --> r <b c> "text" (condition)`, a semicolon perhaps.
    fn rule(&mut self) -> Res<Rule> {
        let start = self.span();
        let from = self.head()?;
        self.expect("-->")?;
        let to = self.head()?;
        if self.kind() == Kind::Str {
            self.bump();
        }
        let mut condition = None;
        if self.accept("(") {
            condition = Some(self.expr()?);
            self.expect(")")?;
        }
        let span = self.since(start);
        self.accept(";");
        Ok(Rule { from, to, condition, span })
    }

    fn head(&mut self) -> Res<Head> {
        let state = self.ident("a control state")?;
        Ok(Head { state, stack: self.stack()? })
    }

    /// `<a b c>`.
    fn stack(&mut self) -> Res<Vec<Ident>> {
        self.expect("<")?;
        let mut stack = Vec::new();
        while self.kind() == Kind::Ident {
            stack.push(self.ident("a stack symbol")?);
        }
        self.expect(">")?;
        Ok(stack)
    }
}
