//! Calls: of functions with a body, of functions without one, through pointers.

use super::library::MODEL_PREFIX;
use super::{FuncId, IndirectCall, Lower, Res, Symbol, Val};
use crate::Externs;
use craig_base::Span;
use craig_cfa::{
    BinOp, Call, Choice, ExprId, ExprKind, FuncTy, Halt, Name, Op, PlaceId, Type, TypeId, Types,
};
use lang_c::ast;
use lang_c::span::Node;

/// What becomes of the result of a call.
#[derive(Clone, Copy)]
pub(super) enum Want {
    Value,
    /// It is to be stored there; done at once if the types agree.
    Into(PlaceId),
    Nothing,
}

impl<'a> Lower<'a> {
    pub fn call(&mut self, node: &'a Node<ast::CallExpression>, want: Want) -> Res<Val> {
        let span = self.span(node);
        let ast::CallExpression { callee, arguments } = &node.node;
        let built_in = |e: &Node<ast::Expression>| matches!(&e.node, ast::Expression::Identifier(name) if name.node.name.starts_with("__builtin_"));
        if self.is_static_value() && !built_in(callee) {
            return self.not_constant(span);
        }
        if let ast::Expression::Identifier(name) = &callee.node {
            let name = name.node.name.as_str();
            let known = self.lookup(name);
            if matches!(known, None | Some(Symbol::Func(_))) {
                let defined = matches!(known, Some(Symbol::Func(f)) if self.funcs[f].definition.is_some());
                if let Some(val) = self.library_call(name, arguments, defined, want, span)? {
                    return Ok(val);
                }
            }
            let f = match known {
                None => Some(self.implicit_function(name, span)?),
                Some(Symbol::Func(f)) => Some(f),
                Some(_) => None,
            };
            if let Some(f) = f {
                return self.call_function(f, arguments, want, span);
            }
        }
        let callee_val = self.expr(callee)?;
        if let Val::Func(f) = callee_val {
            return self.call_function(f, arguments, want, span);
        }
        let pointer = self.rvalue(callee_val, span)?;
        let Some(ty) = self.func_ty(self.p.exprs.ty(pointer)) else {
            return self.error("only a function can be called", span);
        };
        self.call_pointer(pointer, ty, arguments, want, span)
    }

    pub fn call_function(
        &mut self,
        f: FuncId,
        arguments: &'a [Node<ast::Expression>],
        want: Want,
        span: Span,
    ) -> Res<Val> {
        let ty = self.func_type_of(f);
        let name = &self.funcs[f].name;
        let name = format!("`{}`", name.strip_prefix(MODEL_PREFIX).unwrap_or(name));
        self.check_count(&ty, &name, arguments.len(), span)?;
        let args = self.arguments(&ty, arguments)?;
        match self.reference_func(f) {
            Some(proc) => {
                let args = self.fitting_arguments(&ty, args, span)?;
                let (ret, val) = self.result(ty.ret, want, span);
                self.emit(Op::Call(Box::new(Call { proc, args, ret })), span);
                Ok(val)
            }
            None => {
                let func = &self.funcs[f];
                let (name, noreturn) = (func.name.clone(), func.noreturn);
                let val = self.extern_call(&name, ty.ret, &args, want, span);
                if noreturn {
                    self.halt(Halt::Abort, span);
                }
                Ok(val)
            }
        }
    }

    /// A prototype says how many arguments there are.
    fn check_count(&self, ty: &FuncTy, name: &str, given: usize, span: Span) -> Res<()> {
        let wanted = ty.params.len();
        if ty.unprototyped || given == wanted || ty.variadic && given > wanted {
            return Ok(());
        }
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        self.error(
            format!("{} for {} of {name}", plural(given, "argument"), plural(wanted, "parameter")),
            span,
        )
    }

    /// The arguments, converted to the parameters' types where those are told.
    pub fn arguments(&mut self, ty: &FuncTy, arguments: &'a [Node<ast::Expression>]) -> Res<Vec<ExprId>> {
        let mut args = Vec::with_capacity(arguments.len());
        for (i, argument) in arguments.iter().enumerate() {
            let span = self.span(argument);
            let value = self.rvalue_of(argument)?;
            let value = match ty.params.get(i) {
                Some(&param) => self.convert_argument(value, param, span)?,
                None => self.promote_argument(value),
            };
            args.push(self.bounded(value, span));
        }
        Ok(args)
    }

    /// To the type of a parameter; a transparent union takes any of its members.
    fn convert_argument(&mut self, value: ExprId, param: TypeId, span: Span) -> Res<ExprId> {
        if !self.has_size(param) {
            return self.error("the type of this parameter is not complete", span);
        }
        if let Some(record) = self.record_of(param)
            && !self.p.types.records[record].fields.is_empty()
            && self.p.types.records[record].kind == craig_cfa::RecordKind::Union
            && self.record_of(self.p.exprs.ty(value)).is_none()
        {
            let from = self.p.exprs.ty(value);
            let exact = self.p.types.records[record].fields.iter().position(|f| f.ty == from);
            let place = self.temp(param, span);
            let member = self.p.exprs.field(&self.p.types, place, exact.unwrap_or(0) as u32);
            let value = self.convert(value, self.p.exprs.place(member).ty, span)?;
            self.emit(Op::Assign(member, value), span);
            return Ok(self.p.exprs.read(place));
        }
        self.convert(value, param, span)
    }

    /// As many as the function has parameters: a missing one is arbitrary, one too many goes.
    fn fitting_arguments(&mut self, ty: &FuncTy, mut args: Vec<ExprId>, span: Span) -> Res<Vec<ExprId>> {
        for &param in ty.params.iter().skip(args.len()) {
            let place = self.temp(param, span);
            self.emit(Op::Havoc(place, Choice::Uninit), span);
            args.push(self.p.exprs.read(place));
        }
        if !ty.variadic {
            args.truncate(ty.params.len());
        }
        Ok(args)
    }

    /// Where the result goes, and the value of the call.
    pub fn result(&mut self, ty: TypeId, want: Want, span: Span) -> (Option<PlaceId>, Val) {
        if ty == Types::VOID || !self.has_size(ty) {
            return (None, Val::Void);
        }
        match want {
            Want::Nothing => {
                // Nobody looks at it, but whoever asks for its type gets an answer.
                let val = if self.unevaluated { self.zero_value(ty, span) } else { Val::Void };
                (None, val)
            }
            Want::Into(place) if self.p.exprs.place(place).ty == ty => (Some(place), Val::Place(place)),
            _ => {
                let place = self.temp(ty, span);
                (Some(place), Val::Place(place))
            }
        }
    }

    /// A function without a body: any result, and what `--externs` says.
    pub fn extern_call(&mut self, name: &str, ret: TypeId, args: &[ExprId], want: Want, span: Span) -> Val {
        let name: Name = name.into();
        match self.reading.externs {
            Externs::Pure => {}
            Externs::Havoc => self.extern_effects(&name, args, span),
            Externs::Error => {
                let (_, val) = self.result(ret, want, span);
                self.not_modelled(&format!("call of `{name}`, which has no body"), span);
                return val;
            }
        }
        let (place, val) = self.result(ret, want, span);
        if let Some(place) = place {
            self.arbitrary(place, Choice::Extern(name), span);
        }
        val
    }

    fn extern_effects(&mut self, name: &Name, args: &[ExprId], span: Span) {
        if self.unevaluated {
            return;
        }
        for &arg in args {
            let Some(to) = self.p.types.pointee(self.p.exprs.ty(arg)) else { continue };
            if self.p.types.size_of(to).is_none_or(|s| s == 0) {
                continue;
            }
            let null = self.zero(self.p.exprs.ty(arg));
            let points = self.p.exprs.binary(&self.p.types, BinOp::Ne, arg, null);
            let (yes, no) = self.branch(points, span);
            self.cur = yes;
            let place = self.p.exprs.deref(arg, to);
            self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
            self.goto(no, span);
            self.cur = no;
        }
        let next = self.new_loc(span);
        self.extern_effects.push((self.cur, next, name.clone(), span));
        self.cur = next;
    }

    /// Now all globals of the program are known: those with external linkage may change at calls of unknown functions.
    pub fn complete_extern_effects(&mut self) -> Res<()> {
        let visible: Vec<_> =
            self.globals.iter().filter(|g| !g.internal_linkage).filter_map(|g| g.var).collect();
        for (from, to, name, span) in std::mem::take(&mut self.extern_effects) {
            self.proc = self.p.locs[from].proc;
            self.cur = from;
            for &var in &visible {
                self.pace.step()?;
                let place = self.p.var_place(var);
                self.emit(Op::Havoc(place, Choice::Extern(name.clone())), span);
            }
            self.goto(to, span);
        }
        Ok(())
    }

    /// The address of a function. One without a body is an object of its own, which nothing can look into.
    pub fn function_address(&mut self, f: FuncId, span: Span) -> Res<ExprId> {
        let pointer = self.p.types.ptr(self.funcs[f].ty);
        if self.funcs[f].definition.is_some() {
            return match self.reference_func(f) {
                Some(proc) => Ok(self.p.exprs.intern(ExprKind::ProcAddr(proc), pointer)),
                // Not evaluated.
                None => {
                    let place = self.temp(pointer, span);
                    Ok(self.p.exprs.read(place))
                }
            };
        }
        let name = format!("{}()", self.funcs[f].name);
        let var = match self.scopes[0].symbols.get(name.as_str()) {
            Some(Symbol::Var(var)) => *var,
            _ => {
                let byte = self.p.types.int(8, false);
                let var = self.p.add_var(name.as_str().into(), byte, craig_cfa::VarKind::Global, None, span);
                self.scopes[0].symbols.insert(name.into(), Symbol::Var(var));
                var
            }
        };
        let place = self.p.var_place(var);
        let address = self.p.exprs.addr_of(&mut self.p.types, place);
        Ok(self.p.exprs.cast(&self.p.types, address, pointer))
    }

    fn call_pointer(
        &mut self,
        pointer: ExprId,
        ty: FuncTy,
        arguments: &'a [Node<ast::Expression>],
        want: Want,
        span: Span,
    ) -> Res<Val> {
        // `(&f)(x)` and `(c ? f : f)(x)` are calls of f.
        if let ExprKind::ProcAddr(proc) = *self.p.exprs.kind(pointer)
            && let Some(f) = self.funcs.position(|f| f.proc == Some(proc))
        {
            return self.call_function(f, arguments, want, span);
        }
        self.check_count(&ty, "the function", arguments.len(), span)?;
        let pointer = self.save(pointer, span);
        let args = self.arguments(&ty, arguments)?;
        let (ret, val) = self.result(ty.ret, want, span);
        if !self.unevaluated {
            let to = self.new_loc(span);
            self.indirect.push(IndirectCall { from: self.cur, to, pointer, args, ret, ty, span });
            self.cur = to;
        }
        Ok(val)
    }

    /// Calls through pointers: to each function of fitting type whose address is taken, and, if it is none of them, to an unknown
    /// one. Calling a null pointer is undefined.
    pub fn complete_indirect_calls(&mut self) -> Res<()> {
        let taken: Vec<FuncId> = self.address_taken.keys().copied().collect();
        for call in std::mem::take(&mut self.indirect) {
            self.proc = self.p.locs[call.from].proc;
            self.cur = call.from;
            let span = call.span;
            for &f in &taken {
                self.pace.step()?;
                let Some(proc) = self.funcs[f].proc else { continue };
                let target = self.func_type_of(f);
                if !self.callable(&call.ty, &target, &call.args) {
                    continue;
                }
                let pointer_ty = self.p.exprs.ty(call.pointer);
                let address =
                    self.p.exprs.intern(ExprKind::ProcAddr(proc), self.p.types.ptr(self.funcs[f].ty));
                let address = self.p.exprs.cast(&self.p.types, address, pointer_ty);
                let is_it = self.p.exprs.binary(&self.p.types, BinOp::Eq, call.pointer, address);
                let (yes, no) = self.branch(is_it, span);
                self.cur = yes;
                self.call_target(proc, &target, &call);
                self.cur = no;
            }
            let null = self.zero(self.p.exprs.ty(call.pointer));
            let is_null = self.p.exprs.binary(&self.p.types, BinOp::Eq, call.pointer, null);
            let (yes, no) = self.branch(is_null, span);
            self.cur = yes;
            self.undefined("call through a null pointer", span);
            self.cur = no;
            let want = call.ret.map_or(Want::Nothing, Want::Into);
            self.extern_call("function pointer", call.ty.ret, &call.args, want, span);
            self.goto(call.to, span);
        }
        Ok(())
    }

    fn call_target(&mut self, proc: craig_cfa::ProcId, target: &FuncTy, call: &IndirectCall) {
        let span = call.span;
        let mut args = Vec::new();
        for (i, &arg) in call.args.iter().enumerate() {
            args.push(match target.params.get(i) {
                // Only pointers differ, `callable` saw to that.
                Some(&param) => self.p.exprs.cast(&self.p.types, arg, param),
                None => arg,
            });
        }
        if !target.variadic {
            args.truncate(target.params.len());
        }
        let ret_ty = call.ret.map(|p| self.p.exprs.place(p).ty);
        match call.ret {
            Some(place) if ret_ty != Some(target.ret) => {
                let temp = self.temp(target.ret, span);
                self.emit(Op::Call(Box::new(Call { proc, args, ret: Some(temp) })), span);
                let value = self.p.exprs.read(temp);
                let value = self.p.exprs.cast(&self.p.types, value, self.p.exprs.place(place).ty);
                self.emit(Op::Assign(place, value), span);
            }
            ret => self.emit(Op::Call(Box::new(Call { proc, args, ret })), span),
        }
        self.goto(call.to, span);
    }

    /// May a call with this type go to that function? Pointers may point to anything, as they do in practice.
    fn callable(&self, call: &FuncTy, target: &FuncTy, args: &[ExprId]) -> bool {
        let alike = |a: TypeId, b: TypeId| a == b || self.p.types.is_ptr(a) && self.p.types.is_ptr(b);
        let results = target.ret == Types::VOID && call.ret == Types::VOID || alike(call.ret, target.ret);
        let count = if target.variadic {
            args.len() >= target.params.len()
        } else {
            args.len() == target.params.len()
        };
        // `f()` says nothing of its parameters: then the arguments decide.
        results
            && count
            && (call.unprototyped || call.variadic == target.variadic)
            && args.iter().zip(&target.params).all(|(&a, &p)| alike(self.p.exprs.ty(a), p))
    }

    pub fn is_function_type(&self, ty: TypeId) -> bool {
        matches!(self.p.types.get(ty), Type::Func(_))
    }
}
