//! Expressions.
//!
//! Everything here is total (division by zero is a function of its operands, operations on bit-vectors mean what SMT-LIB says), so
//! parts may be computed early: deep or large expressions are cut into pieces that are stored in variables.

use super::super::hir::{Expr, ExprKind, Fun, FunId, Hir, Var};
use super::super::types::TyId;
use super::{Env, Lower};
use craig_base::Span;
use craig_cfa::{BinOp, Const, ExprId, ExprKind as Kind, Name, TypeId, UnOp};
use dashu::base::{BitTest, DivEuclid, RemEuclid};
use dashu::integer::IBig;
use rustc_hash::FxHashSet;

/// Larger expressions are stored in pieces: recursion over them stays shallow, and their text short.
const MAX_DEPTH: u32 = 200;
const MAX_WEIGHT: u64 = 5000;
/// Deepest recursion over an expression with all its functions expanded.
const MAX_RECURSION: u32 = 100_000;

/// A function with its type arguments and arguments.
pub type Application = (FunId, Box<[TyId]>, Vec<ExprId>);

impl Lower<'_> {
    /// The value of an expression at the current location.
    pub fn value(&mut self, expr: &Expr) -> ExprId {
        self.expanded.clear();
        let value = self.expr(expr);
        self.expanded.clear();
        value
    }

    /// With other meanings of the locals.
    pub fn value_in(&mut self, expr: &Expr, env: Env) -> ExprId {
        let outer = std::mem::replace(&mut self.env, env);
        let value = self.value(expr);
        self.env = outer;
        value
    }

    fn expr(&mut self, expr: &Expr) -> ExprId {
        self.depth += 1;
        let value = if self.depth > MAX_RECURSION || self.has_ended() {
            let ty = self.ty(expr.ty);
            self.arbitrary("expression of more than 100000 levels", ty, expr.span)
        } else {
            self.any_expr(expr)
        };
        self.depth -= 1;
        self.bounded(value, expr.span)
    }

    fn any_expr(&mut self, expr: &Expr) -> ExprId {
        let ty = self.ty(expr.ty);
        match &expr.kind {
            ExprKind::Bool(v) => self.p.exprs.bool(*v),
            ExprKind::Int(v) => self.p.exprs.constant(Const::Int(v.clone()), ty),
            ExprKind::Real(v) => self.p.exprs.constant(Const::Real(v.clone()), ty),
            ExprKind::Bv(v) => self.p.exprs.constant(Const::Bits(*v), ty),
            ExprKind::Var(Var::Local(i)) => self.env.locals[*i],
            ExprKind::Var(Var::Global(id)) => {
                let var = match self.frame.olds.get(id) {
                    Some(&before) if self.old && !self.env.one_state => before,
                    _ => self.global(*id),
                };
                self.p.var_expr(var)
            }
            ExprKind::Not(of) => {
                let of = self.expr(of);
                self.p.exprs.not(of)
            }
            ExprKind::Neg(of) => {
                let of = self.expr(of);
                match self.p.exprs.as_const(of) {
                    Some(Const::Int(v)) => {
                        let v = -v.clone();
                        self.p.exprs.constant(Const::Int(v), ty)
                    }
                    Some(Const::Real(v)) => {
                        let v = -v.clone();
                        self.p.exprs.constant(Const::Real(v), ty)
                    }
                    _ => self.p.exprs.unary(&self.p.types, UnOp::Neg, of),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                if let (Some(Const::Int(x)), Some(Const::Int(y))) =
                    (self.p.exprs.as_const(a), self.p.exprs.as_const(b))
                    && let Some(value) = fold(*op, x, y)
                {
                    return self.p.exprs.constant(value, ty);
                }
                self.p.exprs.binary(&self.p.types, *op, a, b)
            }
            ExprKind::Select(map, index) => {
                let map = self.expr(map);
                let index = self.exprs(index).into();
                self.p.exprs.intern(Kind::Select(map, index), ty)
            }
            ExprKind::Store(map, index, value) => {
                let map = self.expr(map);
                let index = self.exprs(index).into();
                let value = self.expr(value);
                self.p.exprs.intern(Kind::Store(map, index, value), ty)
            }
            ExprKind::Extract { of, hi, lo } => {
                let of = self.expr(of);
                self.extract(of, *hi, *lo)
            }
            ExprKind::Concat(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.p.exprs.intern(Kind::Concat(a, b), ty)
            }
            ExprKind::Ite(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                self.p.exprs.ite(c, a, b)
            }
            ExprKind::Old(of) => {
                let outer = std::mem::replace(&mut self.old, true);
                let of = self.expr(of);
                self.old = outer;
                of
            }
            ExprKind::Convert(of) => {
                let of = self.expr(of);
                self.p.exprs.intern(Kind::Cast(of), ty)
            }
            ExprKind::Apply(fun, types, args) => {
                let args = self.exprs(args);
                self.apply(*fun, types, args, ty, expr.span)
            }
            ExprKind::Unmodelled(construct) => self.arbitrary(construct, ty, expr.span),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<ExprId> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    pub fn extract(&mut self, of: ExprId, hi: u16, lo: u16) -> ExprId {
        let ty = self.p.types.int(hi - lo, false);
        if self.p.exprs.ty(of) == ty {
            return of;
        }
        self.p.exprs.intern(Kind::Extract { of, hi, lo }, ty)
    }

    fn apply(&mut self, id: FunId, types: &[TyId], args: Vec<ExprId>, ty: TypeId, span: Span) -> ExprId {
        let hir = self.hir;
        let fun = &hir.functions[id];
        if let Some(builtin) = &fun.builtin {
            return match self.builtin(builtin, &args, ty) {
                Some(value) => value,
                None => {
                    self.mark(&format!("builtin `{}`", builtin.escape_debug()), span);
                    self.uninterpreted(fun, types, args, ty)
                }
            };
        }
        let Some(body) = &fun.body else { return self.uninterpreted(fun, types, args, ty) };
        if let Some(what) = self.obstacle(id, body) {
            self.mark(what, span);
            return self.uninterpreted(fun, types, args, ty);
        }
        let key = (id, types.into(), args);
        if let Some(&value) = self.expanded.get(&key) {
            return value;
        }
        let env = Env { locals: key.2.clone(), one_state: true };
        let outer = std::mem::replace(&mut self.env, env);
        let value = self.expr(body);
        self.env = outer;
        self.expanded.insert(key, value);
        value
    }

    /// Why a function is not expanded. Then it is an arbitrary function, still the same for the same arguments.
    fn obstacle(&self, id: FunId, body: &Expr) -> Option<&'static str> {
        if self.recursive.contains(&id) {
            return Some("recursive function");
        }
        if !self.hir.functions[id].params.is_empty() {
            return Some("body of a function with type parameters");
        }
        let mut found = None;
        body.visit(&mut |e| {
            if let ExprKind::Unmodelled(what) = e.kind {
                found = Some(what);
            }
        });
        found
    }

    fn uninterpreted(&mut self, fun: &Fun, types: &[TyId], args: Vec<ExprId>, ty: TypeId) -> ExprId {
        let name: Name = if types.is_empty() {
            fun.name.clone()
        } else {
            let types: Vec<String> = types.iter().map(|t| self.hir.tys.full_name(*t)).collect();
            format!("{}<{}>", fun.name, types.join(", ")).into()
        };
        self.p.exprs.intern(Kind::Apply(name, args.into()), ty)
    }

    /// The expression itself, or a variable that holds its value.
    fn bounded(&mut self, value: ExprId, span: Span) -> ExprId {
        let weight = match self.weights.get(&value) {
            Some(&weight) => weight,
            None => {
                let weights = &self.weights;
                let below: u64 =
                    self.p.exprs.children(value).map(|c| weights.get(&c).copied().unwrap_or(1)).sum();
                self.weights.insert(value, below + 1);
                below + 1
            }
        };
        if self.p.exprs.depth(value) <= MAX_DEPTH && weight <= MAX_WEIGHT {
            return value;
        }
        self.save(value, span)
    }

    /// The value now, unchanged by what happens later.
    pub fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.p.exprs.as_const(value).is_some() {
            return value;
        }
        let ty = self.p.exprs.ty(value);
        let var = self.temp("part", ty, span);
        self.assign(var, value, span);
        self.p.var_expr(var)
    }

    /// Does it read one of these variables?
    pub fn reads(&self, value: ExprId, vars: &FxHashSet<craig_cfa::VarId>) -> bool {
        let mut found = false;
        let mut seen = FxHashSet::default();
        self.p.exprs.visit_all(vec![craig_cfa::expr::Node::Expr(value)], &mut seen, &mut |node| {
            if let craig_cfa::expr::Node::Place(place) = node
                && let Some(var) = self.p.exprs.root_var(place)
            {
                found |= vars.contains(&var);
            }
        });
        found
    }
}

/// An operation on constants. Products and quotients only of ordinary numbers: repeated products of long ones would fill the memory.
fn fold(op: BinOp, x: &IBig, y: &IBig) -> Option<Const> {
    let short = x.bit_len() <= 256 && y.bit_len() <= 256;
    Some(match op {
        BinOp::Eq => Const::Bool(x == y),
        BinOp::Ne => Const::Bool(x != y),
        BinOp::Lt => Const::Bool(x < y),
        BinOp::Le => Const::Bool(x <= y),
        BinOp::Add => Const::Int(x + y),
        BinOp::Sub => Const::Int(x - y),
        BinOp::Mul if short => Const::Int(x * y),
        BinOp::EDiv if short && *y != IBig::ZERO => Const::Int(x.div_euclid(y)),
        BinOp::ERem if short && *y != IBig::ZERO => Const::Int(IBig::from(x.rem_euclid(y))),
        _ => return None,
    })
}

/// Functions whose body leads back to them.
pub fn recursive_functions(hir: &Hir) -> FxHashSet<FunId> {
    let succ: Vec<Vec<u32>> = hir
        .functions
        .iter()
        .map(|fun| {
            let mut called = Vec::new();
            if let Some(body) = &fun.body {
                body.visit(&mut |e| {
                    if let ExprKind::Apply(id, ..) = e.kind {
                        called.push(id.index() as u32);
                    }
                });
            }
            called
        })
        .collect();
    let mut recursive = FxHashSet::default();
    for component in craig_cfa::graph::components(&succ).members {
        let single = component.len() == 1 && !succ[component[0] as usize].contains(&component[0]);
        if !single {
            recursive.extend(component.iter().map(|&f| FunId::from_raw(f)));
        }
    }
    recursive
}
