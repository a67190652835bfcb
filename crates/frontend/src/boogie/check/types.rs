//! Types, synonyms and type parameters.

use super::super::ast::{self, Decl, Ident, TypeKind};
use super::super::types::{MAX_WEIGHT, Param, Subst, Ty, TyId, Tys};
use super::{Checker, Scope, error, twice};
use crate::Res;
use craig_cfa::Name;

/// A declared type.
pub enum TyDecl {
    /// So many arguments.
    Con(usize),
    Synonym {
        params: Vec<Param>,
        means: TyId,
    },
    /// A synonym that has not been resolved yet: its index among the declarations.
    Open(usize),
    /// Being resolved.
    Busy,
}

impl Checker<'_> {
    pub fn declare_types(&mut self, decls: &[Decl]) -> Res<()> {
        for (i, decl) in decls.iter().enumerate() {
            let Decl::Type { name, params, means } = decl else { continue };
            let entry = if means.is_some() { TyDecl::Open(i) } else { TyDecl::Con(params.len()) };
            if bv_width(&name.name).is_some() || self.ty_decls.insert(name.name.clone(), entry).is_some() {
                return twice("type", name);
            }
        }
        // In an order in which each stands after those it needs, without recursion over chains of synonyms.
        let mut todo: Vec<usize> = (0..decls.len()).rev().collect();
        while let Some(&i) = todo.last() {
            let Decl::Type { name, params, means: Some(means) } = &decls[i] else {
                todo.pop();
                continue;
            };
            match self.ty_decls.get(&name.name) {
                Some(TyDecl::Open(_)) => {
                    self.ty_decls.insert(name.name.clone(), TyDecl::Busy);
                    self.needs(means, &mut todo)?;
                }
                Some(TyDecl::Busy) => {
                    todo.pop();
                    let mut scope = Scope::new(false, false);
                    let params = self.open_params(params, &mut scope)?;
                    let means = self.ty(means, &scope.ty_params)?;
                    self.ty_decls.insert(name.name.clone(), TyDecl::Synonym { params, means });
                }
                _ => {
                    todo.pop();
                }
            }
        }
        Ok(())
    }

    /// The synonyms in a type that are not resolved yet.
    fn needs(&self, ty: &ast::Type, todo: &mut Vec<usize>) -> Res<()> {
        match &ty.kind {
            TypeKind::Int | TypeKind::Real | TypeKind::Bool => {}
            TypeKind::Named(name, args) => {
                match self.ty_decls.get(name) {
                    Some(TyDecl::Open(i)) => todo.push(*i),
                    Some(TyDecl::Busy) => return error(format!("type `{name}` means itself"), ty.span),
                    _ => {}
                }
                for arg in args {
                    self.needs(arg, todo)?;
                }
            }
            TypeKind::Map { index, elem, .. } => {
                for part in index.iter().chain([&**elem]) {
                    self.needs(part, todo)?;
                }
            }
        }
        Ok(())
    }

    /// New type parameters for a scope.
    pub fn open_params(&mut self, names: &[Ident], scope: &mut Scope) -> Res<Vec<Param>> {
        let outer = scope.ty_params.len();
        let mut params = Vec::new();
        for name in names {
            if scope.ty_params[outer..].iter().any(|(n, _)| *n == name.name) {
                return twice("type parameter", name);
            }
            let (param, ty) = self.tys.new_param(name.name.clone());
            scope.ty_params.push((name.name.clone(), ty));
            params.push(param);
        }
        Ok(params)
    }

    pub fn ty(&mut self, ty: &ast::Type, params: &[(Name, TyId)]) -> Res<TyId> {
        let id = match &ty.kind {
            TypeKind::Int => Tys::INT,
            TypeKind::Real => Tys::REAL,
            TypeKind::Bool => Tys::BOOL,
            TypeKind::Named(name, args) => self.named_ty(name, args, ty, params)?,
            TypeKind::Map { params: own, index, elem } => {
                let mut scope = Scope::new(false, false);
                scope.ty_params = params.to_vec();
                let own = self.open_params(own, &mut scope)?;
                let mut indices = Vec::new();
                for i in index {
                    indices.push(self.ty(i, &scope.ty_params)?);
                }
                let elem = self.ty(elem, &scope.ty_params)?;
                self.tys.intern(Ty::Map { params: own.into(), index: indices.into(), elem })
            }
        };
        if self.tys.weight(id) > MAX_WEIGHT {
            return error(format!("a type with more than {MAX_WEIGHT} parts"), ty.span);
        }
        Ok(id)
    }

    fn named_ty(
        &mut self,
        name: &Name,
        args: &[ast::Type],
        at: &ast::Type,
        params: &[(Name, TyId)],
    ) -> Res<TyId> {
        let found = |n: usize| -> Res<()> {
            if args.len() == n {
                return Ok(());
            }
            error(format!("type `{name}` takes {n} arguments, not {}", args.len()), at.span)
        };
        if let Some((_, ty)) = params.iter().rev().find(|(n, _)| n == name) {
            found(0)?;
            return Ok(*ty);
        }
        if let Some(width) = bv_width(name) {
            found(0)?;
            return Ok(self.tys.bv(width));
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.ty(arg, params)?);
        }
        match self.ty_decls.get(name) {
            Some(TyDecl::Con(n)) => {
                found(*n)?;
                Ok(self.tys.intern(Ty::Con(name.clone(), values.into())))
            }
            Some(TyDecl::Synonym { params, means }) => {
                found(params.len())?;
                let subst: Subst = params.iter().copied().zip(values).collect();
                match self.tys.instantiate(*means, &subst) {
                    Some(ty) => Ok(ty),
                    None => error(format!("a type with more than {MAX_WEIGHT} parts"), at.span),
                }
            }
            Some(TyDecl::Open(_) | TyDecl::Busy) => error(format!("type `{name}` means itself"), at.span),
            None if is_unknown_to_us(name) => error(format!("type `{name}` is not supported"), at.span),
            None => error(format!("type `{name}` is not declared"), at.span),
        }
    }
}

/// Types that newer versions of Boogie have built in: floats such as `float24e8`, rounding modes, strings.
fn is_unknown_to_us(name: &str) -> bool {
    let float = name.strip_prefix("float").and_then(|n| n.split_once('e'));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    matches!(name, "rmode" | "string" | "regex") || float.is_some_and(|(s, e)| digits(s) && digits(e))
}

/// Of `bv32`.
fn bv_width(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("bv")?;
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
