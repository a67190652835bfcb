//! The start procedure.
//!
//! Globals and constants get arbitrary values, except constants that an axiom `c == e` defines; `where` clauses, axioms and the
//! difference of `unique` constants are assumed. Then one of the entries is chosen, gets arbitrary arguments that meet its preconditions,
//! and is called.

use super::super::hir::{Expr, ExprKind, FunId, GlobalId, Hir, ProcedureId, Var};
use super::super::types::TyId;
use super::{Env, Frame, Lower};
use crate::{Fault, Res};
use craig_base::{Diagnostic, Span};
use craig_cfa::{BinOp, Choice, Const, ExprId, ExprKind as Kind, Op, Type, Types, VarId};
use dashu::integer::IBig;
use rustc_hash::FxHashSet;

/// Names that are looked for when none is asked for. Where both exist, the second one is called by the first.
const USUAL: [&str; 2] = ["ULTIMATE.start", "main"];
/// More `unique` constants of one type than this are told apart by an injective numbering instead of pair by pair.
const MAX_PAIRWISE: usize = 24;

/// The procedures where runs may begin: the one that is asked for, else a usual one, else all with an implementation. Without any,
/// there is nothing to check and the program does nothing.
pub fn entries(hir: &Hir, entry: Option<&str>) -> Res<Vec<ProcedureId>> {
    let find = |name: &str| hir.procedures.iter_enumerated().find(|(_, p)| &*p.name == name);
    let refuse = |d: Diagnostic| Err(Fault::from(d));
    if let Some(entry) = entry {
        return match find(entry) {
            Some((id, p)) if !p.implementations.is_empty() => Ok(vec![id]),
            Some((_, p)) => {
                refuse(Diagnostic::error(format!("the entry `{entry}` has no implementation")).at(p.span))
            }
            None => refuse(Diagnostic::error(format!("there is no procedure `{}`", entry.escape_debug()))),
        };
    }
    for name in USUAL {
        if let Some((id, _)) = find(name).filter(|(_, p)| !p.implementations.is_empty()) {
            return Ok(vec![id]);
        }
    }
    let with_code = hir.procedures.iter_enumerated().filter(|(_, p)| !p.implementations.is_empty());
    Ok(with_code.map(|(id, _)| id).collect())
}

impl Lower<'_> {
    /// Makes the whole program. The start comes last because only then it is known which globals there are.
    pub fn start(&mut self, entries: &[ProcedureId]) {
        for &id in entries {
            self.procs_of(id);
        }
        self.drain();
        if self.stopped.is_some() {
            return;
        }
        let proc = self.p.entry;
        let leave = self.p.procs[proc].exit;
        self.frame = Frame::new(proc, leave);
        self.env = Env { locals: Vec::new(), one_state: true };
        self.cur = self.p.procs[proc].entry;
        let used = self.used_globals(entries);
        self.initial_state(&used);
        let span = Span::default();
        let end = self.new_loc(span);
        for (&id, way) in entries.iter().zip(self.ways(entries.len(), span)) {
            self.cur = way;
            self.call_entry(id);
            self.goto(end, span);
        }
        if entries.is_empty() {
            self.goto(end, span);
        }
        self.p.add_edge(end, leave, Op::Return(None), span);
        self.guard_errors();
    }

    /// Globals that the code names, and those that their `where` clauses, axioms and preconditions of entries add.
    fn used_globals(&mut self, entries: &[ProcedureId]) -> Vec<GlobalId> {
        let hir = self.hir;
        let mut seen = Seen::default();
        for axiom in &hir.axioms {
            seen.expr(hir, &axiom.expr);
        }
        for &id in entries {
            for claim in &hir.procedures[id].requires {
                seen.expr(hir, &claim.expr);
            }
        }
        for (id, _) in hir.globals.iter_enumerated() {
            if self.globals[id].is_some() {
                seen.globals.insert(id);
            }
        }
        // A clause may bring in a global with a clause of its own.
        loop {
            let before = seen.globals.len();
            for (id, global) in hir.globals.iter_enumerated() {
                if let Some(wher) = &global.wher
                    && seen.globals.contains(&id)
                {
                    seen.expr(hir, wher);
                }
            }
            if seen.globals.len() == before {
                break;
            }
        }
        let used: Vec<GlobalId> =
            hir.globals.iter_enumerated().map(|(id, _)| id).filter(|id| seen.globals.contains(id)).collect();
        for &id in &used {
            self.global(id);
        }
        used
    }

    fn initial_state(&mut self, used: &[GlobalId]) {
        let hir = self.hir;
        let definitions = self.definitions();
        let defined: FxHashSet<GlobalId> = definitions.iter().map(|(c, _)| *c).collect();
        let defining: FxHashSet<usize> = definitions.iter().map(|(_, axiom)| *axiom).collect();
        for &id in used.iter().filter(|id| !defined.contains(id)) {
            let var = self.global(id);
            self.havoc(var, Choice::Entry, hir.globals[id].span);
        }
        for &(id, axiom) in &definitions {
            let Some((_, value)) = definition(&hir.axioms[axiom].expr, id) else { continue };
            let value = self.value(value);
            let var = self.global(id);
            self.assign(var, value, hir.axioms[axiom].expr.span);
        }
        self.unique(used);
        for (i, axiom) in hir.axioms.iter().enumerate() {
            if defining.contains(&i) || !axiom.relevant && unmodelled(&axiom.expr) {
                continue;
            }
            let holds = self.value(&axiom.expr);
            self.assume(holds, axiom.expr.span);
        }
        for &id in used {
            self.assume_global_where(id);
        }
    }

    /// Constants of one type that are `unique` differ.
    fn unique(&mut self, used: &[GlobalId]) {
        let mut by_type: Vec<(TyId, Vec<(VarId, Span)>)> = Vec::new();
        for &id in used {
            let global = &self.hir.globals[id];
            if !global.unique {
                continue;
            }
            let entry = (self.global(id), global.span);
            match by_type.iter_mut().find(|(ty, _)| *ty == global.ty) {
                Some((_, vars)) => vars.push(entry),
                None => by_type.push((global.ty, vec![entry])),
            }
        }
        for (ty, vars) in by_type {
            if vars.len() > MAX_PAIRWISE {
                self.number_constants(ty, &vars);
                continue;
            }
            for (i, &(a, span)) in vars.iter().enumerate().skip(1) {
                let a = self.p.var_expr(a);
                let mut differs: Option<ExprId> = None;
                for &(b, _) in &vars[..i] {
                    let b = self.p.var_expr(b);
                    let this = self.p.exprs.binary(&self.p.types, BinOp::Ne, a, b);
                    differs = Some(differs.map_or(this, |d| self.p.exprs.and(d, this)));
                }
                if let Some(differs) = differs {
                    self.assume(differs, span);
                }
            }
        }
    }

    /// A function that numbers them: linear where pairs would be quadratic.
    fn number_constants(&mut self, ty: TyId, vars: &[(VarId, Span)]) {
        let int = self.p.types.intern(Type::MathInt);
        let name: craig_cfa::Name = format!("#unique {}", self.hir.tys.full_name(ty)).into();
        for (i, &(var, span)) in vars.iter().enumerate() {
            let arg = self.p.var_expr(var);
            let number = self.p.exprs.intern(Kind::Apply(name.clone(), [arg].into()), int);
            let i = self.p.exprs.constant(Const::Int(IBig::from(i)), int);
            let holds = self.p.exprs.intern(Kind::Binary(BinOp::Eq, number, i), Types::BOOL);
            self.assume(holds, span);
        }
    }

    fn call_entry(&mut self, id: ProcedureId) {
        let procedure = &self.hir.procedures[id];
        let mut args = Vec::new();
        for param in &procedure.ins {
            let ty = self.ty(param.ty);
            let var = self.temp(&format!("{}.{}", procedure.name, param.name), ty, param.span);
            self.havoc(var, Choice::Entry, param.span);
            args.push(self.p.var_expr(var));
        }
        for claim in procedure.requires.iter().filter(|c| !c.free) {
            let holds = self.value_in(&claim.expr, Env { locals: args.clone(), one_state: true });
            self.assume(holds, claim.expr.span);
        }
        self.enter_calls(id, args, None, procedure.span);
    }

    /// Constants that an axiom defines by constants defined before, with the number of the axiom.
    fn definitions(&mut self) -> Vec<(GlobalId, usize)> {
        let hir = self.hir;
        let mut found: Vec<(GlobalId, usize)> = Vec::new();
        let mut defined: FxHashSet<GlobalId> = FxHashSet::default();
        let mut defining: FxHashSet<usize> = FxHashSet::default();
        loop {
            let before = found.len();
            for (i, axiom) in hir.axioms.iter().enumerate() {
                let ExprKind::Binary(BinOp::Eq | BinOp::Iff, a, b) = &axiom.expr.kind else { continue };
                if self.has_ended() {
                    return found;
                }
                for side in [a, b] {
                    let ExprKind::Var(Var::Global(id)) = side.kind else { continue };
                    if defined.contains(&id) || defining.contains(&i) || unmodelled(&axiom.expr) {
                        continue;
                    }
                    let Some((_, value)) = definition(&axiom.expr, id) else { continue };
                    let mut seen = Seen::default();
                    seen.expr(hir, value);
                    if seen.globals.iter().all(|g| defined.contains(g)) {
                        defined.insert(id);
                        defining.insert(i);
                        found.push((id, i));
                    }
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

/// Globals that expressions name, also through functions.
#[derive(Default)]
struct Seen {
    globals: FxHashSet<GlobalId>,
    functions: FxHashSet<FunId>,
}

impl Seen {
    fn expr(&mut self, hir: &Hir, expr: &Expr) {
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            expr.visit(&mut |e| match e.kind {
                ExprKind::Var(Var::Global(id)) => {
                    self.globals.insert(id);
                }
                ExprKind::Apply(id, ..) if self.functions.insert(id) => {
                    todo.extend(&hir.functions[id].body);
                }
                _ => {}
            });
        }
    }
}

fn unmodelled(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |e| found |= matches!(e.kind, ExprKind::Unmodelled(_)));
    found
}

/// `c == e` or `e == c` for the constant.
fn definition(expr: &Expr, constant: GlobalId) -> Option<(GlobalId, &Expr)> {
    let ExprKind::Binary(BinOp::Eq | BinOp::Iff, a, b) = &expr.kind else { return None };
    let is = |e: &Expr| matches!(e.kind, ExprKind::Var(Var::Global(id)) if id == constant);
    match (is(a), is(b)) {
        (true, false) => Some((constant, b)),
        (false, true) => Some((constant, a)),
        _ => None,
    }
}
