//! Declarations.

use super::super::ast::{
    Body, Decl, Expr, Function, Ident, Implementation, Procedure, Signature, Spec, SpecKind, Type, TypeKind,
    Typed,
};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::Diagnostic;

impl Parser<'_> {
    pub fn program(&mut self) -> Res<Vec<Decl>> {
        let mut decls = Vec::new();
        while self.token().kind != Kind::End {
            self.pace.step()?;
            match self.token().kind {
                Kind::Key("type") => self.type_decls(&mut decls)?,
                Kind::Key("const") => decls.push(self.const_decl()?),
                Kind::Key("axiom") => {
                    self.bump();
                    self.attributes()?;
                    let expr = self.expr()?;
                    self.expect(";")?;
                    decls.push(Decl::Axiom(expr));
                }
                Kind::Key("function") => decls.push(Decl::Function(self.function()?)),
                Kind::Key("var") => decls.push(Decl::Var(self.vars()?)),
                Kind::Key("procedure") => decls.push(Decl::Procedure(self.procedure()?)),
                Kind::Key("implementation") => {
                    self.bump();
                    self.attributes()?;
                    let signature = self.signature()?;
                    let body = self.body()?;
                    decls.push(Decl::Implementation(Implementation { signature, body }));
                }
                _ => return self.unexpected("a declaration"),
            }
        }
        Ok(decls)
    }

    /// `type A; type B a; type C a = [a]int, D;`.
    fn type_decls(&mut self, decls: &mut Vec<Decl>) -> Res<()> {
        self.bump();
        self.attributes()?;
        if self.is_word("finite") && self.ahead(1).kind == Kind::Ident {
            self.bump();
        }
        loop {
            let name = self.ident("the name of a type")?;
            let mut params = Vec::new();
            while self.token().kind == Kind::Ident {
                params.push(self.ident("a type parameter")?);
            }
            let means = if self.accept("=") { Some(self.ty()?) } else { None };
            decls.push(Decl::Type { name, params, means });
            if !self.accept(",") {
                break;
            }
        }
        self.expect(";")
    }

    fn const_decl(&mut self) -> Res<Decl> {
        self.bump();
        self.attributes()?;
        let unique = self.accept("unique");
        let vars = self.typed(false)?;
        // The place of constants in the order `<:`, which is not modelled anyhow.
        if self.accept("extends") {
            while !self.is(";") && self.token().kind != Kind::End {
                self.bump();
            }
        } else if self.is_word("complete") {
            self.bump();
        }
        self.expect(";")?;
        Ok(Decl::Const { unique, vars })
    }

    /// `var x, y: int where x > y, z: bool;`.
    pub fn vars(&mut self) -> Res<Vec<Typed>> {
        self.bump();
        self.attributes()?;
        let vars = self.typed_list(true)?;
        self.expect(";")?;
        Ok(vars)
    }

    /// `x, y: int where e`: each of the names gets the clause.
    fn typed(&mut self, clause: bool) -> Res<Vec<Typed>> {
        self.attributes()?;
        let names = self.list(|p| p.ident("a name"))?;
        self.expect(":")?;
        let ty = self.ty()?;
        let wher = if clause && self.accept("where") { Some(self.expr()?) } else { None };
        Ok(names.into_iter().map(|name| Typed { name, ty: ty.clone(), wher: wher.clone() }).collect())
    }

    pub fn typed_list(&mut self, clause: bool) -> Res<Vec<Typed>> {
        Ok(self.list(|p| p.typed(clause))?.into_iter().flatten().collect())
    }

    fn function(&mut self) -> Res<Function> {
        self.bump();
        let attributes = self.attributes()?;
        let name = self.ident("the name of a function")?;
        let params = self.type_params()?;
        self.expect("(")?;
        let args = self.list_until(")", Self::function_arg)?;
        let result = if self.accept("returns") {
            self.expect("(")?;
            let result = self.function_arg()?.ty;
            self.expect(")")?;
            result
        } else {
            self.expect(":")?;
            self.ty()?
        };
        let body = if self.accept("{") {
            let body = self.expr()?;
            self.expect("}")?;
            Some(body)
        } else {
            self.expect(";")?;
            None
        };
        Ok(Function { attributes, name, params, args, result, body })
    }

    /// `x: int` or `int`.
    fn function_arg(&mut self) -> Res<Typed> {
        self.attributes()?;
        if self.token().kind == Kind::Ident && self.ahead_is(1, ":") {
            let name = self.ident("a name")?;
            self.bump();
            return Ok(Typed { name, ty: self.ty()?, wher: None });
        }
        let ty: Type = self.ty()?;
        if self.is(":") && matches!(&ty.kind, TypeKind::Named(_, args) if !args.is_empty()) {
            return self.unexpected("`,` or `)`");
        }
        Ok(Typed { name: Ident { name: "".into(), span: ty.span }, ty, wher: None })
    }

    fn signature(&mut self) -> Res<Signature> {
        let name = self.ident("the name of a procedure")?;
        let params = self.type_params()?;
        let ins = self.parameters()?;
        let outs = if self.accept("returns") { self.parameters()? } else { Vec::new() };
        Ok(Signature { name, params, ins, outs })
    }

    fn parameters(&mut self) -> Res<Vec<Typed>> {
        self.expect("(")?;
        Ok(self.list_until(")", |p| p.typed(true))?.into_iter().flatten().collect())
    }

    fn procedure(&mut self) -> Res<Procedure> {
        self.bump();
        self.attributes()?;
        let signature = self.signature()?;
        // With a semicolon the contract follows and there is no body.
        let bodiless = self.accept(";");
        let (mut specs, mut modifies) = (Vec::new(), Vec::new());
        loop {
            let free = self.is("free");
            if free {
                self.bump();
            }
            if self.accept("modifies") {
                self.attributes()?;
                if !self.is(";") {
                    modifies.extend(self.list(|p| p.ident("a global variable"))?);
                }
                self.expect(";")?;
            } else if self.is("requires") || self.is("ensures") {
                let kind = if self.is("requires") { SpecKind::Requires } else { SpecKind::Ensures };
                self.bump();
                self.attributes()?;
                let expr: Expr = self.expr()?;
                self.expect(";")?;
                specs.push(Spec { kind, free, expr });
            } else if free {
                return self.unexpected("`requires`, `ensures` or `modifies`");
            } else {
                break;
            }
        }
        let body = if self.is("{") {
            if bodiless {
                return Err(Fault::from(
                    Diagnostic::error("a procedure that ends with `;` has no body")
                        .at(self.span())
                        .help("remove the `;` after its parameters, or write an `implementation`"),
                ));
            }
            Some(self.body()?)
        } else if bodiless {
            None
        } else {
            return self.unexpected("`{`");
        };
        Ok(Procedure { signature, specs, modifies, body })
    }

    fn body(&mut self) -> Res<Body> {
        self.expect("{")?;
        let mut locals = Vec::new();
        while self.is("var") {
            locals.extend(self.vars()?);
        }
        let stmts = self.stmts()?;
        let end = self.span();
        self.expect("}")?;
        Ok(Body { locals, stmts, end })
    }
}
