//! Types.

use super::super::ast::{Ident, Type, TypeKind};
use super::super::lex::Kind;
use super::{Parser, Res};
use crate::Fault;
use craig_base::Diagnostic;

/// Deepest type: `[int][int]...` needs no brackets inside each other.
const MAX_DEPTH: usize = 1000;

impl Parser<'_> {
    pub fn ty(&mut self) -> Res<Type> {
        self.inner_ty(1)
    }

    /// A type, so deep in others.
    fn inner_ty(&mut self, depth: usize) -> Res<Type> {
        if depth > MAX_DEPTH {
            return Err(Fault::from(
                Diagnostic::error(format!("types nested more than {MAX_DEPTH} deep")).at(self.span()),
            ));
        }
        let start = self.span();
        if self.token().kind == Kind::Ident {
            let name = self.ident("a type")?.name;
            let mut args = Vec::new();
            while let Some(arg) = self.type_argument(depth)? {
                // A map takes all that follows: it is the last.
                let last = matches!(arg.kind, TypeKind::Map { .. });
                args.push(arg);
                if last {
                    break;
                }
            }
            return Ok(Type { kind: TypeKind::Named(name, args), span: self.since(start) });
        }
        match self.type_argument(depth)? {
            Some(ty) => Ok(ty),
            None => self.unexpected("a type"),
        }
    }

    /// What may follow a type constructor; a name stands for itself there.
    fn type_argument(&mut self, depth: usize) -> Res<Option<Type>> {
        let start = self.span();
        let kind = match self.token().kind {
            Kind::Key("int") => TypeKind::Int,
            Kind::Key("real") => TypeKind::Real,
            Kind::Key("bool") => TypeKind::Bool,
            Kind::Ident => TypeKind::Named(self.slice(start).into(), Vec::new()),
            Kind::Punct("(") => {
                self.bump();
                let ty = self.inner_ty(depth + 1)?;
                self.expect(")")?;
                return Ok(Some(ty));
            }
            Kind::Punct("[" | "<") => {
                let params = self.type_params()?;
                self.expect("[")?;
                let index = self.list_until("]", |p| p.inner_ty(depth + 1))?;
                let elem = Box::new(self.inner_ty(depth + 1)?);
                let kind = TypeKind::Map { params, index, elem };
                return Ok(Some(Type { kind, span: self.since(start) }));
            }
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(Type { kind, span: start }))
    }

    /// `<a, b>`, or nothing.
    pub fn type_params(&mut self) -> Res<Vec<Ident>> {
        if !self.accept("<") {
            return Ok(Vec::new());
        }
        let params = self.list(|p| p.ident("a type parameter"))?;
        self.expect(">")?;
        Ok(params)
    }
}
