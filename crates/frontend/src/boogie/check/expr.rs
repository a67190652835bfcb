//! Expressions.

use super::super::ast::{self, BinOp, Binder, UnOp};
use super::super::hir::{Expr, ExprKind, Symbol, Var};
use super::super::types::{Subst, Ty, TyId, Tys};
use super::{Checker, Scope, error};
use crate::{Fault, Res};
use craig_base::{Diagnostic, Span};
use craig_cfa::BinOp as Op;
use dashu::integer::{IBig, UBig};

/// Widest bit-vector that is modelled.
const MAX_WIDTH: u32 = 128;
const WIDE: &str = "bit-vector wider than 128 bits";

impl Checker<'_> {
    /// An expression of type `bool`.
    pub fn truth(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Res<Expr> {
        let expr = self.expr(expr, scope)?;
        self.require(&expr, Tys::BOOL)?;
        Ok(expr)
    }

    pub fn require(&self, expr: &Expr, ty: TyId) -> Res<()> {
        if expr.ty == ty {
            return Ok(());
        }
        let (expected, found) = (self.tys.show(ty), self.tys.show(expr.ty));
        let diagnostic = Diagnostic::error(format!("expected type {expected}, found {found}")).at(expr.span);
        Err(Fault::from(match (ty, expr.ty) {
            (Tys::REAL, Tys::INT) => diagnostic.help("`real(...)` converts"),
            (Tys::INT, Tys::REAL) => diagnostic.help("`int(...)` converts, rounding down"),
            _ => diagnostic,
        }))
    }

    pub fn expr(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Res<Expr> {
        self.pace.step()?;
        let span = expr.span;
        let (kind, ty) = match &expr.kind {
            ast::ExprKind::Bool(v) => (ExprKind::Bool(*v), Tys::BOOL),
            ast::ExprKind::Int(v) => (ExprKind::Int(v.clone()), Tys::INT),
            ast::ExprKind::Real(v) => (ExprKind::Real(v.clone()), Tys::REAL),
            ast::ExprKind::Bv(v, width) => self.bv_literal(v, *width, span)?,
            ast::ExprKind::Literal(what) => return error(format!("a {what} literal is not supported"), span),
            ast::ExprKind::Name(name) => self.name(name, scope, span)?,
            ast::ExprKind::Apply(name, args) => self.apply(name, args, scope, span)?,
            ast::ExprKind::Unary(op, of) => {
                let of = self.expr(of, scope)?;
                match op {
                    UnOp::Not => {
                        self.require(&of, Tys::BOOL)?;
                        (ExprKind::Not(Box::new(of)), Tys::BOOL)
                    }
                    UnOp::Neg => {
                        if of.ty != Tys::REAL {
                            self.require(&of, Tys::INT)?;
                        }
                        let ty = of.ty;
                        (ExprKind::Neg(Box::new(of)), ty)
                    }
                }
            }
            ast::ExprKind::Binary(op, left, right) => {
                let left = self.expr(left, scope)?;
                let right = self.expr(right, scope)?;
                self.binary(*op, left, right, span)?
            }
            ast::ExprKind::Select(map, index) => {
                let map = self.expr(map, scope)?;
                let index = self.exprs(index, scope)?;
                self.select(map, index, span)?
            }
            ast::ExprKind::Store(map, index, value) => {
                let map = self.expr(map, scope)?;
                let index = self.exprs(index, scope)?;
                let value = self.expr(value, scope)?;
                self.store(map, index, value, span)?
            }
            ast::ExprKind::Extract { of, hi, lo } => {
                let of = self.expr(of, scope)?;
                self.extract(of, hi, lo, span)?
            }
            ast::ExprKind::Ite(cond, yes, no) => {
                let cond = self.truth(cond, scope)?;
                let yes = self.expr(yes, scope)?;
                let no = self.expr(no, scope)?;
                self.require(&no, yes.ty)?;
                let ty = yes.ty;
                (ExprKind::Ite(Box::new(cond), Box::new(yes), Box::new(no)), ty)
            }
            ast::ExprKind::Old(of) => {
                if !scope.two_states {
                    return error("`old` has no meaning here", span);
                }
                let outer = std::mem::replace(&mut scope.old, true);
                let of = self.expr(of, scope);
                scope.old = outer;
                let of = of?;
                let ty = of.ty;
                (ExprKind::Old(Box::new(of)), ty)
            }
            ast::ExprKind::ToInt(of) => {
                let of = self.expr(of, scope)?;
                self.require(&of, Tys::REAL)?;
                (ExprKind::Convert(Box::new(of)), Tys::INT)
            }
            ast::ExprKind::ToReal(of) => {
                let of = self.expr(of, scope)?;
                self.require(&of, Tys::INT)?;
                (ExprKind::Convert(Box::new(of)), Tys::REAL)
            }
            ast::ExprKind::Coerce(of, ty) => {
                let ty = self.ty(ty, &scope.ty_params)?;
                let of = self.expr(of, scope)?;
                self.require(&of, ty)?;
                return Ok(of);
            }
            ast::ExprKind::Binder { kind, params, vars, triggers, body } => {
                self.binder(*kind, params, vars, triggers, body, scope)?
            }
        };
        Ok(Expr { kind, ty, span })
    }

    pub fn exprs(&mut self, exprs: &[ast::Expr], scope: &mut Scope) -> Res<Vec<Expr>> {
        exprs.iter().map(|e| self.expr(e, scope)).collect()
    }

    fn bv_literal(&mut self, value: &UBig, width: u32, span: Span) -> Res<(ExprKind, TyId)> {
        if width == 0 {
            return error("a bit-vector of width 0", span);
        }
        let ty = self.tys.bv(width);
        if width > MAX_WIDTH {
            return Ok((ExprKind::Unmodelled(WIDE), ty));
        }
        // As solvers read it: modulo the width.
        let low = value % (UBig::ONE << width as usize);
        Ok((ExprKind::Bv(u128::try_from(&low).unwrap_or(0)), ty))
    }

    fn name(&mut self, name: &craig_cfa::Name, scope: &mut Scope, span: Span) -> Res<(ExprKind, TyId)> {
        if let Some((_, ty)) = scope.bound.iter().rev().find(|(n, _)| n == name) {
            return Ok((ExprKind::Unmodelled("bound variable"), *ty));
        }
        if let Some(&local) = scope.locals.get(name) {
            return Ok((ExprKind::Var(Var::Local(local)), scope.local_tys[local]));
        }
        let Some(&id) = self.global_by_name.get(name) else {
            return error(format!("`{name}` is not declared"), span);
        };
        let global = &self.globals[id];
        if !global.constant && !scope.state {
            return error(format!("variable `{name}` cannot be used here, only constants"), span);
        }
        if scope.old && !global.constant {
            scope.olds.insert(id);
        }
        self.named.insert(Symbol::Global(id));
        Ok((ExprKind::Var(Var::Global(id)), global.ty))
    }

    fn apply(
        &mut self,
        name: &ast::Ident,
        args: &[ast::Expr],
        scope: &mut Scope,
        span: Span,
    ) -> Res<(ExprKind, TyId)> {
        let Some(&id) = self.fun_by_name.get(&name.name) else {
            return error(format!("function `{}` is not declared", name.name), name.span);
        };
        let args = self.exprs(args, scope)?;
        let function = &self.functions[id];
        if function.args.len() != args.len() {
            let (n, m) = (function.args.len(), args.len());
            return error(format!("function `{}` takes {n} arguments, not {m}", name.name), span);
        }
        let mut subst = Subst::default();
        for (&pattern, arg) in function.args.iter().zip(&args) {
            if !self.tys.unify(pattern, arg.ty, &function.params, &mut subst) {
                let (expected, found) = (self.tys.show(pattern), self.tys.show(arg.ty));
                return error(format!("expected type {expected}, found {found}"), arg.span);
            }
        }
        let values: Option<Box<[TyId]>> = function.params.iter().map(|p| subst.get(p).copied()).collect();
        let (Some(values), Some(ty)) = (values, self.tys.instantiate(function.result, &subst)) else {
            let message = format!("the type parameters of `{}` cannot be told from its arguments", name.name);
            return error(message, span);
        };
        self.named.insert(Symbol::Fun(id));
        Ok((ExprKind::Apply(id, values, args), ty))
    }

    fn binary(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Res<(ExprKind, TyId)> {
        let made = |op, a, b, ty| Ok((ExprKind::Binary(op, Box::new(a), Box::new(b)), ty));
        let (a, b) = (left.ty, right.ty);
        let number = a == b && (a == Tys::INT || a == Tys::REAL);
        let symbol = match op {
            BinOp::Iff | BinOp::Implies | BinOp::Explies | BinOp::And | BinOp::Or => {
                self.require(&left, Tys::BOOL)?;
                self.require(&right, Tys::BOOL)?;
                return match op {
                    BinOp::Iff => made(Op::Iff, left, right, Tys::BOOL),
                    BinOp::Implies => made(Op::Implies, left, right, Tys::BOOL),
                    BinOp::Explies => made(Op::Implies, right, left, Tys::BOOL),
                    BinOp::And => made(Op::And, left, right, Tys::BOOL),
                    _ => made(Op::Or, left, right, Tys::BOOL),
                };
            }
            BinOp::Eq if a == b => {
                let op = if a == Tys::BOOL { Op::Iff } else { Op::Eq };
                return made(op, left, right, Tys::BOOL);
            }
            BinOp::Ne if a == Tys::BOOL && b == Tys::BOOL => {
                let same = ExprKind::Binary(Op::Iff, Box::new(left), Box::new(right));
                let same = Expr { kind: same, ty: Tys::BOOL, span };
                return Ok((ExprKind::Not(Box::new(same)), Tys::BOOL));
            }
            BinOp::Ne if a == b => return made(Op::Ne, left, right, Tys::BOOL),
            BinOp::Below if a == b => return Ok((ExprKind::Unmodelled("the order `<:`"), Tys::BOOL)),
            BinOp::Lt if number => return made(Op::Lt, left, right, Tys::BOOL),
            BinOp::Le if number => return made(Op::Le, left, right, Tys::BOOL),
            BinOp::Gt if number => return made(Op::Lt, right, left, Tys::BOOL),
            BinOp::Ge if number => return made(Op::Le, right, left, Tys::BOOL),
            BinOp::Add if number => return made(Op::Add, left, right, a),
            BinOp::Sub if number => return made(Op::Sub, left, right, a),
            BinOp::Mul if number => return made(Op::Mul, left, right, a),
            BinOp::Slash if a == Tys::REAL && number => return made(Op::RDiv, left, right, a),
            BinOp::Slash | BinOp::Div if a == Tys::INT && number => return made(Op::EDiv, left, right, a),
            BinOp::Mod if a == Tys::INT && number => return made(Op::ERem, left, right, a),
            BinOp::Pow if number => return Ok((ExprKind::Unmodelled("`**`"), a)),
            BinOp::Concat => match (self.tys.bv_width(a), self.tys.bv_width(b)) {
                (Some(n), Some(m)) => {
                    let width = n.saturating_add(m);
                    let ty = self.tys.bv(width);
                    if width > MAX_WIDTH {
                        return Ok((ExprKind::Unmodelled(WIDE), ty));
                    }
                    return Ok((ExprKind::Concat(Box::new(left), Box::new(right)), ty));
                }
                _ => "++",
            },
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Below => "<:",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Slash => "/",
            BinOp::Div => "div",
            BinOp::Mod => "mod",
            BinOp::Pow => "**",
        };
        let (a, b) = (self.tys.show(a), self.tys.show(b));
        error(format!("`{symbol}` does not take operands of types {a} and {b}"), span)
    }

    /// The type of an element, and whether the map is a plain one.
    fn element(&mut self, map: &Expr, index: &[Expr], span: Span) -> Res<(TyId, bool)> {
        let Ty::Map { params, index: types, elem } = self.tys.get(map.ty).clone() else {
            return error(format!("{} is not a map", self.tys.show(map.ty)), map.span);
        };
        if types.len() != index.len() {
            return error(format!("the map takes {} indices, not {}", types.len(), index.len()), span);
        }
        let mut subst = Subst::default();
        for (&pattern, i) in types.iter().zip(index) {
            if !self.tys.unify(pattern, i.ty, &params, &mut subst) {
                let (expected, found) = (self.tys.show(pattern), self.tys.show(i.ty));
                return error(format!("expected an index of type {expected}, found {found}"), i.span);
            }
        }
        if params.iter().any(|p| !subst.contains_key(p)) {
            return error("the type parameters of the map cannot be told from its indices", span);
        }
        match self.tys.instantiate(elem, &subst) {
            Some(elem) => Ok((elem, params.is_empty())),
            None => error("the type is too large", span),
        }
    }

    pub fn select(&mut self, map: Expr, index: Vec<Expr>, span: Span) -> Res<(ExprKind, TyId)> {
        let (elem, plain) = self.element(&map, &index, span)?;
        Ok((if plain { ExprKind::Select(Box::new(map), index) } else { POLYMORPHIC }, elem))
    }

    pub fn store(&mut self, map: Expr, index: Vec<Expr>, value: Expr, span: Span) -> Res<(ExprKind, TyId)> {
        let (elem, plain) = self.element(&map, &index, span)?;
        self.require(&value, elem)?;
        let ty = map.ty;
        Ok((if plain { ExprKind::Store(Box::new(map), index, Box::new(value)) } else { POLYMORPHIC }, ty))
    }

    fn extract(&mut self, of: Expr, hi: &IBig, lo: &IBig, span: Span) -> Res<(ExprKind, TyId)> {
        let Some(width) = self.tys.bv_width(of.ty) else {
            return error(format!("{} is not a bit-vector", self.tys.show(of.ty)), of.span);
        };
        let (hi, lo) = match (u32::try_from(hi), u32::try_from(lo)) {
            (Ok(hi), Ok(lo)) if lo < hi && hi <= width => (hi, lo),
            _ => return error(format!("bits {hi}:{lo} of a bit-vector of width {width}"), span),
        };
        let ty = self.tys.bv(hi - lo);
        if width > MAX_WIDTH {
            return Ok((ExprKind::Unmodelled(WIDE), ty));
        }
        Ok((ExprKind::Extract { of: Box::new(of), hi: hi as u16, lo: lo as u16 }, ty))
    }

    fn binder(
        &mut self,
        kind: Binder,
        params: &[ast::Ident],
        vars: &[ast::Typed],
        triggers: &[ast::Expr],
        body: &ast::Expr,
        scope: &mut Scope,
    ) -> Res<(ExprKind, TyId)> {
        let (outer_vars, outer_params) = (scope.bound.len(), scope.ty_params.len());
        self.open_params(params, scope)?;
        let mut index = Vec::new();
        for var in vars {
            let ty = self.ty(&var.ty, &scope.ty_params)?;
            index.push(ty);
            scope.bound.push((var.name.name.clone(), ty));
        }
        for trigger in triggers {
            self.expr(trigger, scope)?;
        }
        let body = self.expr(body, scope)?;
        scope.bound.truncate(outer_vars);
        scope.ty_params.truncate(outer_params);
        if kind == Binder::Lambda {
            let ty = Ty::Map { params: Box::new([]), index: index.into(), elem: body.ty };
            return Ok((ExprKind::Unmodelled("lambda"), self.tys.intern(ty)));
        }
        self.require(&body, Tys::BOOL)?;
        Ok((ExprKind::Unmodelled("quantifier"), Tys::BOOL))
    }
}

const POLYMORPHIC: ExprKind = ExprKind::Unmodelled("map with type parameters");
