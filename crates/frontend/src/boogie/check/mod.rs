//! Names and types: from syntax to the checked program.
//!
//! | module | checks |
//! |---|---|
//! | [`types`] | types, synonyms, type parameters |
//! | [`expr`] | expressions |
//! | [`stmt`] | statements |
//! | [`relevance`] | which axioms matter |
//!
//! The first error ends the check.

mod expr;
mod relevance;
mod stmt;
mod types;

use super::ast::{self, Decl, Ident, SpecKind};
use super::hir::{
    Axiom, Claim, Fun, FunId, Global, GlobalId, Globals, Hir, Implementation, Local, Procedure, ProcedureId,
    Symbol,
};
use super::types::{TyId, Tys};
use crate::{Fault, Res};
use craig_base::{Budget, Diagnostic, Pace, Span};
use craig_cfa::Name;
use index_vec::IndexVec;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

pub fn check(decls: &[Decl], budget: &Budget) -> Res<Hir> {
    let mut checker = Checker::new(budget);
    checker.declare_types(decls)?;
    checker.declare(decls)?;
    checker.declare_modifies(decls)?;
    checker.define(decls)?;
    Ok(checker.finish())
}

fn error<T>(message: impl Into<String>, span: Span) -> Res<T> {
    Err(Fault::from(Diagnostic::error(message).at(span)))
}

/// Where an expression stands: what it may name.
struct Scope {
    /// Locals and parameters by name.
    locals: FxHashMap<Name, usize>,
    local_tys: Vec<TyId>,
    /// Bound variables, innermost last.
    bound: Vec<(Name, TyId)>,
    /// Type parameters, innermost last.
    ty_params: Vec<(Name, TyId)>,
    /// So many of the locals are in-parameters, which keep their value.
    ins: usize,
    /// Globals that statements may change.
    modifies: Globals,
    /// May it name variables, not only constants?
    state: bool,
    /// May it say `old`?
    two_states: bool,
    /// Inside `old` now.
    old: bool,
    /// Globals that were named inside `old`.
    olds: Globals,
}

impl Scope {
    fn new(state: bool, two_states: bool) -> Self {
        Scope {
            locals: FxHashMap::default(),
            local_tys: Vec::new(),
            bound: Vec::new(),
            ty_params: Vec::new(),
            ins: 0,
            modifies: Globals::default(),
            state,
            two_states,
            old: false,
            olds: Globals::default(),
        }
    }
}

struct Checker<'a> {
    pace: Pace<'a>,
    tys: Tys,
    ty_decls: FxHashMap<Name, types::TyDecl>,
    globals: IndexVec<GlobalId, Global>,
    global_by_name: FxHashMap<Name, GlobalId>,
    functions: IndexVec<FunId, Fun>,
    /// With the names of its parameters and type parameters.
    function_scopes: IndexVec<FunId, Scope>,
    fun_by_name: FxHashMap<Name, FunId>,
    procedures: IndexVec<ProcedureId, Procedure>,
    procedure_scopes: IndexVec<ProcedureId, Signature>,
    procedure_by_name: FxHashMap<Name, ProcedureId>,
    axioms: Vec<(Axiom, Symbols)>,
    /// Symbols that were named since somebody last looked.
    named: Symbols,
}

type Symbols = IndexSet<Symbol, FxBuildHasher>;

/// What a call needs of a procedure.
struct Signature {
    ty_params: Vec<(Name, TyId)>,
    params: Vec<super::types::Param>,
}

impl<'a> Checker<'a> {
    fn new(budget: &'a Budget) -> Self {
        Checker {
            pace: Pace::new(budget),
            tys: Tys::new(),
            ty_decls: FxHashMap::default(),
            globals: IndexVec::new(),
            global_by_name: FxHashMap::default(),
            functions: IndexVec::new(),
            function_scopes: IndexVec::new(),
            fun_by_name: FxHashMap::default(),
            procedures: IndexVec::new(),
            procedure_scopes: IndexVec::new(),
            procedure_by_name: FxHashMap::default(),
            axioms: Vec::new(),
            named: Symbols::default(),
        }
    }
}

impl Checker<'_> {
    /// Names and types of everything but locals.
    fn declare(&mut self, decls: &[Decl]) -> Res<()> {
        for decl in decls {
            self.pace.step()?;
            match decl {
                Decl::Const { unique, vars } => {
                    for var in vars {
                        self.declare_global(var, true, *unique)?;
                    }
                }
                Decl::Var(vars) => {
                    for var in vars {
                        self.declare_global(var, false, false)?;
                    }
                }
                Decl::Function(function) => self.declare_function(function)?,
                Decl::Procedure(procedure) => self.declare_procedure(procedure)?,
                Decl::Type { .. } | Decl::Axiom(_) | Decl::Implementation(_) => {}
            }
        }
        Ok(())
    }

    fn declare_global(&mut self, var: &ast::Typed, constant: bool, unique: bool) -> Res<()> {
        let ty = self.ty(&var.ty, &[])?;
        let Ident { name, span } = var.name.clone();
        let global = Global { name: name.clone(), ty, span, constant, unique, wher: None };
        let id = self.globals.push(global);
        match self.global_by_name.insert(name, id) {
            None => Ok(()),
            Some(_) => twice("variable or constant", &var.name),
        }
    }

    fn declare_function(&mut self, function: &ast::Function) -> Res<()> {
        let mut scope = Scope::new(false, false);
        let params = self.open_params(&function.params, &mut scope)?;
        let mut args = Vec::new();
        for arg in &function.args {
            args.push(self.declare_local(arg, &mut scope)?.ty);
        }
        let result = self.ty(&function.result, &scope.ty_params)?;
        let builtin = function
            .attributes
            .iter()
            .find(|a| matches!(&*a.name, "bvbuiltin" | "builtin"))
            .map(|a| a.text.clone().unwrap_or_default());
        let name = function.name.name.clone();
        let id = self.functions.push(Fun { name: name.clone(), params, args, result, body: None, builtin });
        self.function_scopes.push(scope);
        match self.fun_by_name.insert(name, id) {
            None => Ok(()),
            Some(_) => twice("function", &function.name),
        }
    }

    /// Into the scope; an empty name is none.
    fn declare_local(&mut self, var: &ast::Typed, scope: &mut Scope) -> Res<Local> {
        let ty = self.ty(&var.ty, &scope.ty_params)?;
        let Ident { name, span } = var.name.clone();
        if !name.is_empty() && scope.locals.insert(name.clone(), scope.local_tys.len()).is_some() {
            return twice("local variable or parameter", &var.name);
        }
        scope.local_tys.push(ty);
        Ok(Local { name, ty, span, wher: None })
    }

    fn declare_procedure(&mut self, procedure: &ast::Procedure) -> Res<()> {
        let signature = &procedure.signature;
        let mut scope = Scope::new(true, true);
        let params = self.open_params(&signature.params, &mut scope)?;
        let mut locals = Vec::new();
        for var in signature.ins.iter().chain(&signature.outs) {
            locals.push(self.declare_local(var, &mut scope)?);
        }
        let outs = locals.split_off(signature.ins.len());
        let Ident { name, span } = signature.name.clone();
        let id = self.procedures.push(Procedure {
            name: name.clone(),
            span,
            generic: !params.is_empty(),
            ins: locals,
            outs,
            requires: Vec::new(),
            ensures: Vec::new(),
            modifies: Globals::default(),
            olds: Globals::default(),
            implementations: Vec::new(),
        });
        self.procedure_scopes.push(Signature { ty_params: scope.ty_params, params });
        match self.procedure_by_name.insert(name, id) {
            None => Ok(()),
            Some(_) => twice("procedure", &signature.name),
        }
    }

    fn declare_modifies(&mut self, decls: &[Decl]) -> Res<()> {
        for decl in decls {
            let Decl::Procedure(procedure) = decl else { continue };
            let Some(&id) = self.procedure_by_name.get(&procedure.signature.name.name) else { continue };
            for name in &procedure.modifies {
                let global = self.global_by_name.get(&name.name).copied();
                match global.filter(|g| !self.globals[*g].constant) {
                    Some(global) => self.procedures[id].modifies.insert(global),
                    None => return error(format!("`{}` is not a global variable", name.name), name.span),
                };
            }
        }
        Ok(())
    }

    /// Everything that needs the names of all else.
    fn define(&mut self, decls: &[Decl]) -> Res<()> {
        for decl in decls {
            self.pace.step()?;
            match decl {
                Decl::Const { vars, .. } | Decl::Var(vars) => {
                    for var in vars {
                        if let (Some(wher), Some(&id)) = (&var.wher, self.global_by_name.get(&var.name.name))
                        {
                            let wher = self.truth(wher, &mut Scope::new(true, false))?;
                            self.globals[id].wher = Some(wher);
                        }
                    }
                }
                Decl::Function(function) => self.define_function(function)?,
                Decl::Procedure(procedure) => self.define_procedure(procedure)?,
                Decl::Implementation(implementation) => {
                    let name = &implementation.signature.name;
                    let Some(&id) = self.procedure_by_name.get(&name.name) else {
                        return error(format!("procedure `{}` is not declared", name.name), name.span);
                    };
                    let signature = &implementation.signature;
                    let mut params = signature.ins.iter().chain(&signature.outs);
                    if let Some(wher) = params.find_map(|p| p.wher.as_ref()) {
                        return error(
                            "the `where` clause of a parameter belongs to the procedure",
                            wher.span,
                        );
                    }
                    self.implementation(id, signature, &implementation.body)?;
                }
                Decl::Type { .. } | Decl::Axiom(_) => {}
            }
        }
        let outside = std::mem::take(&mut self.named);
        for decl in decls {
            if let Decl::Axiom(expr) = decl {
                let expr = self.truth(expr, &mut Scope::new(false, false))?;
                let named = std::mem::take(&mut self.named);
                self.axioms.push((Axiom { expr, relevant: false }, named));
            }
        }
        relevance::mark(&mut self.axioms, outside);
        Ok(())
    }

    fn define_function(&mut self, function: &ast::Function) -> Res<()> {
        let Some(&id) = self.fun_by_name.get(&function.name.name) else { return Ok(()) };
        let Some(body) = &function.body else { return Ok(()) };
        let mut scope = std::mem::replace(&mut self.function_scopes[id], Scope::new(false, false));
        let body = self.expr(body, &mut scope)?;
        let result = self.functions[id].result;
        self.require(&body, result)?;
        self.functions[id].body = Some(body);
        Ok(())
    }

    fn define_procedure(&mut self, procedure: &ast::Procedure) -> Res<()> {
        let signature = &procedure.signature;
        let Some(&id) = self.procedure_by_name.get(&signature.name.name) else { return Ok(()) };
        let mut scope = Scope::new(true, true);
        scope.ty_params.clone_from(&self.procedure_scopes[id].ty_params);
        for var in signature.ins.iter().chain(&signature.outs) {
            self.declare_local(var, &mut scope)?;
        }
        for (i, var) in signature.ins.iter().chain(&signature.outs).enumerate() {
            let Some(wher) = &var.wher else { continue };
            let wher = Some(self.truth(wher, &mut scope)?);
            let procedure = &mut self.procedures[id];
            match i.checked_sub(procedure.ins.len()) {
                None => procedure.ins[i].wher = wher,
                Some(out) => procedure.outs[out].wher = wher,
            }
        }
        // In a precondition `old` changes nothing.
        let mut before = Scope::new(true, true);
        before.ty_params.clone_from(&scope.ty_params);
        for var in &signature.ins {
            self.declare_local(var, &mut before)?;
        }
        for spec in &procedure.specs {
            let requires = spec.kind == SpecKind::Requires;
            let expr = self.truth(&spec.expr, if requires { &mut before } else { &mut scope })?;
            let claim = Claim { expr, free: spec.free };
            let procedure = &mut self.procedures[id];
            if requires { &mut procedure.requires } else { &mut procedure.ensures }.push(claim);
        }
        self.procedures[id].olds = scope.olds;
        match &procedure.body {
            Some(body) => self.implementation(id, signature, body),
            None => Ok(()),
        }
    }

    fn implementation(&mut self, id: ProcedureId, signature: &ast::Signature, body: &ast::Body) -> Res<()> {
        let mut scope = Scope::new(true, true);
        let known = &self.procedure_scopes[id];
        if known.ty_params.len() != signature.params.len() {
            return error("the procedure has another number of type parameters", signature.name.span);
        }
        // Its type parameters are those of the procedure, under names of its own.
        scope.ty_params = signature
            .params
            .iter()
            .zip(&known.ty_params)
            .map(|(own, (_, ty))| (own.name.clone(), *ty))
            .collect();
        let mut locals = Vec::new();
        let params: Vec<&ast::Typed> = signature.ins.iter().chain(&signature.outs).collect();
        for var in params.iter().copied().chain(&body.locals) {
            locals.push(self.declare_local(var, &mut scope)?);
        }
        let procedure = &self.procedures[id];
        let counts =
            procedure.ins.len() == signature.ins.len() && procedure.outs.len() == signature.outs.len();
        if !counts {
            return error("the procedure has another number of parameters", signature.name.span);
        }
        for (own, declared) in locals.iter().zip(procedure.ins.iter().chain(&procedure.outs)) {
            if own.ty != declared.ty {
                let (own_ty, ty) = (self.tys.show(own.ty), self.tys.show(declared.ty));
                let message = format!("`{}` has type {own_ty} here and {ty} in the procedure", own.name);
                return error(message, own.span);
            }
        }
        for (local, var) in locals[params.len()..].iter_mut().zip(&body.locals) {
            if let Some(wher) = &var.wher {
                local.wher = Some(self.truth(wher, &mut scope)?);
            }
        }
        scope.ins = signature.ins.len();
        scope.modifies = self.procedures[id].modifies.clone();
        let (stmts, labels) = self.body(body, &mut scope)?;
        self.procedures[id].implementations.push(Implementation {
            span: signature.name.span,
            locals,
            body: stmts,
            end: body.end,
            labels,
            olds: scope.olds,
        });
        Ok(())
    }

    fn finish(self) -> Hir {
        Hir {
            tys: self.tys,
            globals: self.globals,
            functions: self.functions,
            procedures: self.procedures,
            axioms: self.axioms.into_iter().map(|(axiom, _)| axiom).collect(),
        }
    }
}

fn twice<T>(what: &str, name: &Ident) -> Res<T> {
    error(format!("{what} `{}` is declared twice", name.name), name.span)
}

#[cfg(test)]
mod tests;
