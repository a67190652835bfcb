//! Calls: of functions with a body, of functions without one, through pointers.

use super::library::MODEL_PREFIX;
use super::loose::Loose;
use super::{FuncId, IndirectCall, Lower, Res, Symbol, Val};
use crate::Externs;
use craig_base::Span;
use craig_cfa::{
    BinOp, Call, Choice, ExprId, ExprKind, FuncTy, Halt, LeanKind, Name, Op, PlaceId, Type, TypeId, Types,
};
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of the result of a call.
#[derive(Clone, Copy)]
pub(super) enum Want {
    Value,
    /// It is to be stored there; done at once if the types agree.
    Into(PlaceId),
    Nothing,
}

/// How a call through a pointer and a function agree.
enum Fit {
    /// In their types; any two pointers count as one type, as they do in practice.
    Alike,
    /// In the bits that the calling convention hands over.
    Bits,
    No,
}

/// With more functions of another type that it could reach, a call is not modelled for any of them: each would become a branch.
const MOST_OF_OTHER_TYPE: usize = 8;

impl<'a> Lower<'a> {
    pub fn call(&mut self, node: &'a Node<ast::CallExpression>, want: Want) -> Res<Val> {
        let span = self.span(node);
        self.notes_of_enter(span);
        let val = self.call_itself(node, want, span)?;
        self.notes_of_return(span, &val)?;
        Ok(val)
    }

    fn call_itself(&mut self, node: &'a Node<ast::CallExpression>, want: Want, span: Span) -> Res<Val> {
        let ast::CallExpression { callee, arguments } = &node.node;
        let built_in = |e: &Node<ast::Expression>| matches!(&e.node, ast::Expression::Identifier(name) if name.node.name.starts_with("__builtin_"));
        if self.is_static_value() && !built_in(callee) {
            return self.not_constant(span);
        }
        if let ast::Expression::Identifier(name) = &callee.node {
            let name = name.node.name.as_str();
            let known = self.lookup(name);
            if known.is_none() {
                if let Some(val) = self.library_call(name, arguments, false, want, span)? {
                    return Ok(val);
                }
                let f = self.implicit_function(name, span)?;
                return self.call_function(f, arguments, want, span);
            }
        }
        let callee_val = self.expr(callee)?;
        if let Val::Func(f) = callee_val {
            let (name, defined) = (self.funcs[f].name.clone(), self.funcs[f].definition.is_some());
            if self.sees_prototype(f, span) {
                self.check_count(&self.func_type_of(f), &self.shown_name(f), arguments.len(), span)?;
            }
            if let Some(val) = self.library_call(&name, arguments, defined, want, span)? {
                return Ok(val);
            }
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
        let told = FuncTy { unprototyped: ty.unprototyped || !self.sees_prototype(f, span), ..ty.clone() };
        let name = self.shown_name(f);
        self.check_count(&told, &name, arguments.len(), span)?;
        let args = self.arguments(&told, arguments)?;
        match self.reference_func(f) {
            Some(_) if !self.arguments_fit(&args, &ty) => {
                let what = format!("call of {name} with arguments of other types");
                Ok(self.unsupported(&what, ty.ret, span))
            }
            Some(proc) => {
                let args = self.fitting_arguments(&ty, args, span);
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

    /// The name of a function for messages.
    fn shown_name(&self, f: FuncId) -> String {
        let name = &self.funcs[f].name;
        format!("`{}`", name.strip_prefix(MODEL_PREFIX).unwrap_or(name))
    }

    /// Does a prototype of the function stand before this place? Those of library functions are known everywhere.
    fn sees_prototype(&self, f: FuncId, span: Span) -> bool {
        let func = &self.funcs[f];
        func.name.starts_with(MODEL_PREFIX) || func.prototype.is_some_and(|first| first <= span.start)
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

    /// The arguments, converted to the parameters' types where a prototype tells them.
    pub fn arguments(&mut self, ty: &FuncTy, arguments: &'a [Node<ast::Expression>]) -> Res<Vec<ExprId>> {
        let mut args = Vec::with_capacity(arguments.len());
        for (i, argument) in arguments.iter().enumerate() {
            let span = self.span(argument);
            let value = self.rvalue_of(argument)?;
            let value = match ty.params.get(i) {
                Some(&param) if !ty.unprototyped => self.convert_argument(value, param, span)?,
                _ => self.promote_argument(value),
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

    /// As many as the function has parameters, of their types, which the arguments can be read as: a missing one is arbitrary, one too
    /// many goes.
    fn fitting_arguments(&mut self, ty: &FuncTy, mut args: Vec<ExprId>, span: Span) -> Vec<ExprId> {
        for (i, arg) in args.iter_mut().enumerate() {
            *arg = match ty.params.get(i) {
                Some(&param) => self.p.exprs.cast(&self.p.types, *arg, param),
                None => self.promote_argument(*arg),
            };
        }
        for &param in ty.params.iter().skip(args.len()) {
            let place = self.temp(param, span);
            self.emit(Op::Havoc(place, Choice::Uninit), span);
            args.push(self.p.exprs.read(place));
        }
        if !ty.variadic {
            args.truncate(ty.params.len());
        }
        args
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
        self.lean(LeanKind::Extern, &name, span);
        match self.reading.externs {
            Externs::Pure => {}
            Externs::Havoc => self.outside_effects(&name, args, span),
            Externs::Error => {
                let (_, val) = self.result(ret, want, span);
                self.not_modelled(&format!("call of `{name}`, which has no body"), span);
                return val;
            }
        }
        if !self.unevaluated {
            self.p.outside.insert(name.clone());
        }
        let (place, val) = self.result(ret, self.wanted_or_counted(ret, want), span);
        if let Some(place) = place {
            self.arbitrary(place, Choice::Extern(name), span);
        }
        val
    }

    /// A number that nobody looks at is chosen all the same: whoever gives the program its inputs from outside counts the calls.
    pub fn wanted_or_counted(&self, ty: TypeId, want: Want) -> Want {
        let is_number = matches!(self.p.types.get(ty), Type::Int(_) | Type::Float(_));
        if is_number && matches!(want, Want::Nothing) && !self.unevaluated { Want::Value } else { want }
    }

    /// The address of a function. One without a body is an object of its own, which nothing can look into.
    pub fn function_address(&mut self, f: FuncId, span: Span) -> Res<ExprId> {
        let pointer = self.p.types.ptr(self.funcs[f].ty);
        if let Some(proc) = self.pointed_procedure(f) {
            return Ok(self.p.exprs.intern(ExprKind::ProcAddr(proc), pointer));
        }
        if self.unevaluated {
            let place = self.temp(pointer, span);
            return Ok(self.p.exprs.read(place));
        }
        self.p.outside.insert(self.funcs[f].name.clone());
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
        let pointer = if self.known_target(pointer).is_some() { pointer } else { self.save(pointer, span) };
        let args = self.arguments(&ty, arguments)?;
        let (ret, val) = self.result(ty.ret, want, span);
        if !self.unevaluated {
            let to = self.new_loc(span);
            self.indirect.push(IndirectCall { from: self.cur, to, pointer, args, ret, ty, span });
            self.cur = to;
        }
        Ok(val)
    }

    /// Calls through pointers: to each function whose address is taken, and, if it is none of them, to an unknown one. A function
    /// of another type is called where the machine would do it and a way to it is found; otherwise the call is not modelled. Calling a
    /// null pointer is undefined.
    pub fn complete_indirect_calls(&mut self) -> Res<()> {
        let taken: Vec<FuncId> = self.address_taken.keys().copied().collect();
        let calls = std::mem::take(&mut self.indirect);
        let held = self.types_of_pointers(&calls, &taken)?;
        for call in calls {
            self.proc = self.p.locs[call.from].proc;
            self.cur = call.from;
            let known = self.known_target(call.pointer);
            let (mut alike, mut other, mut misfits, mut rest) = (vec![], vec![], vec![], vec![]);
            for &f in &taken {
                self.pace.step()?;
                let Some(proc) = self.funcs[f].proc else { continue };
                if known.is_some_and(|known| proc != known) {
                    continue;
                }
                let target = self.func_type_of(f);
                match self.fit(&call, &target) {
                    Fit::Alike => alike.push(f),
                    _ if known.is_none() && !held[&f].contains(&self.pointed(&call)) => rest.push(f),
                    Fit::Bits => other.push(f),
                    Fit::No => misfits.push(f),
                }
            }
            if other.len() > MOST_OF_OTHER_TYPE {
                misfits.append(&mut other);
            }
            for f in alike.into_iter().chain(other) {
                let is_it = self.points_to(&call, f);
                let (yes, no) = self.branch(is_it, call.span);
                self.cur = yes;
                self.call_target(f, &call);
                self.cur = no;
            }
            self.call_misfit(&call, &misfits);
            self.call_misfit(&call, &rest);
            if known.is_some() {
                continue;
            }
            let null = self.zero(self.p.exprs.ty(call.pointer));
            let is_null = self.p.exprs.binary(&self.p.types, BinOp::Eq, call.pointer, null);
            let (yes, no) = self.branch(is_null, call.span);
            self.cur = yes;
            self.undefined("call through a null pointer", call.span);
            self.cur = no;
            let want = call.ret.map_or(Want::Nothing, Want::Into);
            self.extern_call("function pointer", call.ty.ret, &call.args, want, call.span);
            self.goto(call.to, call.span);
        }
        Ok(())
    }

    /// The type of the function that is called, as the pointer has it.
    fn pointed(&self, call: &IndirectCall) -> TypeId {
        self.p.types.pointee(self.p.exprs.ty(call.pointer)).expect("a pointer is called")
    }

    /// For each function the types that pointers to it may have. A call with another type converts arguments and results, by which
    /// pointers to functions among them may get other types in turn.
    fn types_of_pointers(
        &mut self,
        calls: &[IndirectCall],
        taken: &[FuncId],
    ) -> Res<FxHashMap<FuncId, FxHashSet<TypeId>>> {
        let args = calls.iter().flat_map(|call| call.args.iter().copied());
        let mut loose = Loose::of(&self.p, args, &mut self.pace)?;
        loop {
            let types = |f: FuncId| self.funcs[f].proc.map(|proc| loose.types(proc, self.funcs[f].ty));
            let held: FxHashMap<_, _> = taken.iter().filter_map(|&f| Some((f, types(f)?))).collect();
            let known = loose.known();
            for call in calls {
                let pointed = self.pointed(call);
                for (&f, _) in held.iter().filter(|(_, types)| types.contains(&pointed)) {
                    self.pace.step()?;
                    let target = self.func_type_of(f);
                    for (&arg, &param) in call.args.iter().zip(&target.params) {
                        loose.cast(&self.p, self.p.exprs.ty(arg), param);
                    }
                    loose.cast(&self.p, target.ret, call.ty.ret);
                }
            }
            if loose.known() == known {
                return Ok(held);
            }
        }
    }

    /// The function that a pointer leads to, if it names one: `((void (*)(int))f)(1)`.
    fn known_target(&self, mut pointer: ExprId) -> Option<craig_cfa::ProcId> {
        loop {
            match *self.p.exprs.kind(pointer) {
                ExprKind::ProcAddr(proc) => return Some(proc),
                ExprKind::Cast(inner) if self.p.types.is_ptr(self.p.exprs.ty(pointer)) => pointer = inner,
                _ => return None,
            }
        }
    }

    /// Does the call go to this function?
    fn points_to(&mut self, call: &IndirectCall, f: FuncId) -> ExprId {
        let proc = self.funcs[f].proc.expect("a function with a body");
        if self.known_target(call.pointer) == Some(proc) {
            return self.p.exprs.bool(true);
        }
        let address = self.p.exprs.intern(ExprKind::ProcAddr(proc), self.p.types.ptr(self.funcs[f].ty));
        let address = self.p.exprs.cast(&self.p.types, address, self.p.exprs.ty(call.pointer));
        self.p.exprs.binary(&self.p.types, BinOp::Eq, call.pointer, address)
    }

    fn call_target(&mut self, f: FuncId, call: &IndirectCall) {
        let span = call.span;
        let target = self.func_type_of(f);
        let proc = self.funcs[f].proc.expect("a function with a body");
        let args = self.fitting_arguments(&target, call.args.clone(), span);
        match call.ret.map(|place| (place, self.p.exprs.place(place).ty)) {
            Some((place, _)) if target.ret == Types::VOID => {
                self.emit(Op::Call(Box::new(Call { proc, args, ret: None })), span);
                self.emit(Op::Havoc(place, Choice::Uninit), span);
            }
            Some((place, ty)) if ty != target.ret => {
                let temp = self.temp(target.ret, span);
                self.emit(Op::Call(Box::new(Call { proc, args, ret: Some(temp) })), span);
                let value = self.p.exprs.read(temp);
                let value = self.p.exprs.cast(&self.p.types, value, ty);
                self.emit(Op::Assign(place, value), span);
            }
            _ => self.emit(Op::Call(Box::new(Call { proc, args, ret: call.ret })), span),
        }
        self.goto(call.to, span);
    }

    /// One edge for all functions that the call cannot go to as it is: there may be hundreds.
    fn call_misfit(&mut self, call: &IndirectCall, misfits: &[FuncId]) {
        let who = match misfits {
            [] => return,
            [f] => format!("`{}`", self.funcs[*f].name),
            [f, g] => format!("`{}` or `{}`", self.funcs[*f].name, self.funcs[*g].name),
            _ => format!("one of {} functions", misfits.len()),
        };
        let procs = misfits.iter().filter_map(|&f| self.funcs[f].proc).collect();
        let leads = self.p.exprs.leads(call.pointer, procs);
        let (yes, no) = self.branch(leads, call.span);
        self.cur = yes;
        self.not_modelled(&format!("call of {who} through a pointer of another type"), call.span);
        self.cur = no;
    }

    /// What happens if a call through this pointer goes to a function of that type?
    fn fit(&mut self, call: &IndirectCall, target: &FuncTy) -> Fit {
        let alike = |a: TypeId, b: TypeId| a == b || self.p.types.is_ptr(a) && self.p.types.is_ptr(b);
        let count = call.args.len() == target.params.len()
            || target.variadic && call.args.len() > target.params.len();
        // `f()` says nothing of its parameters: then the arguments decide.
        if alike(call.ty.ret, target.ret)
            && count
            && (call.ty.unprototyped || call.ty.variadic == target.variadic)
            && call.args.iter().zip(&target.params).all(|(&a, &p)| alike(self.p.exprs.ty(a), p))
        {
            return Fit::Alike;
        }
        // Callers tell a variadic function, and no other, how many floats there are.
        let float = |&a: &ExprId| self.p.types.is_float(self.p.exprs.ty(a));
        let told = call.ty.variadic || call.ty.unprototyped || !call.args.iter().any(float);
        if self.result_fits(call, target.ret)
            && (told || !target.variadic)
            && self.arguments_fit(&call.args, target)
        {
            Fit::Bits
        } else {
            Fit::No
        }
    }

    /// Does a function of that type find the right bits where the caller put these arguments?
    fn arguments_fit(&mut self, args: &[ExprId], target: &FuncTy) -> bool {
        args.iter().zip(&target.params).all(|(&arg, &param)| {
            // An old-style definition takes what an argument is promoted to.
            let param = if target.unprototyped { self.promoted_type(param) } else { param };
            self.reads_as(self.p.exprs.ty(arg), param)
        })
    }

    /// Can the result of a function be had through this call? Records go through memory that the caller provides. The result of a function
    /// that has none is arbitrary.
    fn result_fits(&self, call: &IndirectCall, ret: TypeId) -> bool {
        let wanted = call.ty.ret;
        if wanted == ret {
            return true;
        }
        if self.p.types.is_aggregate(wanted) || self.p.types.is_aggregate(ret) {
            return false;
        }
        if call.ret.is_none() || ret == Types::VOID {
            return true;
        }
        match (self.p.types.as_word(wanted), self.p.types.as_word(ret)) {
            // The bits beyond those of the function's type may be any.
            (Some(wanted), Some(ret)) => wanted.width <= ret.width && wanted.width > 1,
            _ => false,
        }
    }

    /// Does a function that takes a `param` find the right bits where the caller put an `arg`? Both calling conventions widen integers to 32
    /// bits; on x86-64 a register holds any of them, on i386 one of 64 bits takes two places.
    fn reads_as(&self, arg: TypeId, param: TypeId) -> bool {
        if arg == param {
            return true;
        }
        match (self.p.types.as_word(arg), self.p.types.as_word(param)) {
            (Some(a), Some(p)) => {
                let (from, to) = (a.width.max(32), p.width.max(32));
                // A `_Bool` that is neither 0 nor 1 is no value.
                p.width > 1
                    && (from == to || from == 64 && to == 32 && self.p.types.model.pointer_bits() == 64)
            }
            _ => false,
        }
    }

    pub fn is_function_type(&self, ty: TypeId) -> bool {
        matches!(self.p.types.get(ty), Type::Func(_))
    }
}
