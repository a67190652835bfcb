//! What functions without body may do where they may do something (`--externs havoc`).
//!
//! Any value is stored in every global with external linkage; in every variable whose address is an argument, all of it, and in a static one at every later call as well; in one object behind
//! every other pointer among the arguments. Functions that are handed over are called, any number of times, with any arguments.
//!
//! Not done, and so named with the verdict: what lies behind pointers in what is changed, other elements than the one that a pointer leads to, what such a function remembers of locals, allocations
//! and functions that it was given before.

use super::{IndirectCall, Lower, Res};
use craig_base::Span;
use craig_cfa::{BinOp, Choice, ExprId, ExprKind, Name, Op, Type, VarId, VarKind};

/// What an argument lets a function without body get at.
enum Given {
    Variable(VarId),
    Function,
    Object,
    Nothing,
}

impl Lower<'_> {
    pub fn outside_effects(&mut self, name: &Name, args: &[ExprId], span: Span) {
        if self.unevaluated {
            return;
        }
        for &arg in args {
            match self.given_by(arg) {
                Given::Variable(var) => {
                    let place = self.p.var_place(var);
                    self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
                    self.remember(var, span);
                }
                Given::Function if &**name != "function pointer" => self.call_back(name, arg, span),
                Given::Object => {
                    let no = self.unless_null(arg, span);
                    let to = self.p.types.pointee(self.p.exprs.ty(arg)).expect("a pointer");
                    let place = self.p.exprs.deref(arg, to);
                    self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
                    self.goto(no, span);
                    self.cur = no;
                }
                Given::Function | Given::Nothing => {}
            }
        }
        let next = self.new_loc(span);
        self.extern_effects.push((self.cur, next, name.clone(), span));
        self.cur = next;
    }

    fn given_by(&self, arg: ExprId) -> Given {
        let (exprs, types) = (&self.p.exprs, &self.p.types);
        let Some(to) = types.pointee(exprs.ty(arg)) else { return Given::Nothing };
        if matches!(types.get(to), Type::Func(_)) {
            return Given::Function;
        }
        let mut inner = arg;
        while let ExprKind::Cast(of) = *exprs.kind(inner) {
            inner = of;
        }
        match *exprs.kind(inner) {
            ExprKind::AddrOf(place) => match exprs.root_var(place) {
                // Nobody writes to a literal.
                Some(var) if self.strings.values().any(|literal| *literal == var) => Given::Nothing,
                Some(var) => Given::Variable(var),
                None if types.size_of(to).is_some_and(|size| size > 0) => Given::Object,
                None => Given::Nothing,
            },
            _ if types.size_of(to).is_some_and(|size| size > 0) => Given::Object,
            _ => Given::Nothing,
        }
    }

    /// Goes on where a pointer is not null; returns where control is if it is.
    fn unless_null(&mut self, pointer: ExprId, span: Span) -> craig_cfa::LocId {
        let null = self.zero(self.p.exprs.ty(pointer));
        let points = self.p.exprs.binary(&self.p.types, BinOp::Ne, pointer, null);
        let (yes, no) = self.branch(points, span);
        self.cur = yes;
        no
    }

    /// From now on functions without body know where a static variable lies.
    fn remember(&mut self, var: VarId, span: Span) {
        let external = self.globals.iter().any(|g| g.var == Some(var) && !g.internal_linkage);
        if self.p.vars[var].proc.is_some() || external {
            return;
        }
        let bool_ty = self.p.types.int(1, false);
        let known = match self.known_outside.get(&var) {
            Some(known) => *known,
            None => {
                let name = format!("{}.known", self.p.vars[var].name);
                let known = self.p.add_var(name.into(), bool_ty, VarKind::Global, None, span);
                self.known_outside.insert(var, known);
                known
            }
        };
        let (place, yes) = (self.p.var_place(known), self.p.exprs.int(&self.p.types, 1, bool_ty));
        self.emit(Op::Assign(place, yes), span);
    }

    /// Calls a function that is handed over, as often as it likes.
    fn call_back(&mut self, name: &Name, pointer: ExprId, span: Span) {
        let Some(ty) = self.func_ty(self.p.exprs.ty(pointer)) else { return };
        let pointer = self.save(pointer, span);
        let end = self.unless_null(pointer, span);
        let head = self.new_loc(span);
        self.goto(head, span);
        self.cur = head;
        let bool_ty = self.p.types.int(1, false);
        let again = self.temp(bool_ty, span);
        self.emit(Op::Havoc(again, Choice::Extern(name.clone())), span);
        let again = self.p.exprs.read(again);
        let again = self.p.exprs.is_nonzero(&self.p.types, again);
        let (yes, no) = self.branch(again, span);
        self.cur = no;
        self.goto(end, span);
        self.cur = yes;
        let mut args = Vec::new();
        for &param in &ty.params {
            let place = self.temp(param, span);
            self.arbitrary(place, Choice::Extern(name.clone()), span);
            args.push(self.p.exprs.read(place));
        }
        self.indirect.push(IndirectCall { from: self.cur, to: head, pointer, args, ret: None, ty, span });
        self.cur = end;
    }

    /// Now all globals of the program are known: those with external linkage may change at calls of unknown functions, and those that such functions were given.
    pub fn complete_extern_effects(&mut self) -> Res<()> {
        let visible: Vec<_> =
            self.globals.iter().filter(|g| !g.internal_linkage).filter_map(|g| g.var).collect();
        let given: Vec<_> = self.known_outside.iter().map(|(var, known)| (*var, *known)).collect();
        for (from, to, name, span) in std::mem::take(&mut self.extern_effects) {
            self.proc = self.p.locs[from].proc;
            self.cur = from;
            for &var in &visible {
                self.pace.step()?;
                let place = self.p.var_place(var);
                self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
            }
            for &(var, known) in &given {
                self.pace.step()?;
                let known = self.p.var_expr(known);
                let known = self.p.exprs.is_nonzero(&self.p.types, known);
                let (yes, no) = self.branch(known, span);
                self.cur = yes;
                let place = self.p.var_place(var);
                self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
                self.goto(no, span);
                self.cur = no;
            }
            self.goto(to, span);
        }
        Ok(())
    }
}
