//! Functions that the C library, GCC and SV-COMP define.
//!
//! Those that have to do with control, memory objects or the property are translated here. Those that C can express are written in C
//! (`model.c`), whose text is appended to a program that mentions one of them. A definition in the
//! program itself wins over both, except for the error functions of the property.

use super::super::scan::marker;
use super::call::Want;
use super::{FuncId, Lower, Res, Symbol, Val, Work};
use crate::Fault;
use crate::property::{ERROR_FUNCTIONS, Property};
use craig_base::Span;
use craig_cfa::{
    BinOp, Call, Choice, ExprId, ExprKind, FloatTy, Halt, LeanKind, Maker, Name, Op, Output, PlaceId, ProcId,
    Type, TypeId, Types, VarKind,
};
use lang_c::ast;
use lang_c::span::Node;

const MODELS: &str = include_str!("../model.c");
pub(super) const MODEL_PREFIX: &str = "__craig_model_";

/// The text of the models, if the program mentions one of them.
pub(in crate::c) fn models_for(text: &str) -> Option<&'static str> {
    let names: rustc_hash::FxHashSet<&str> = MODELS
        .split(MODEL_PREFIX)
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        .collect();
    let scans = ["scanf", "fscanf", "sscanf"];
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| names.contains(word.strip_prefix("__builtin_").unwrap_or(word)) || scans.contains(&word))
        .then_some(MODELS)
}

/// Library functions that do more than to return a value; of those in `model.c` the model is called.
const WITH_EFFECTS: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "__CPROVER_assert",
    "__ESBMC_assert",
    "__VERIFIER_assert",
    "__VERIFIER_error",
    "__VERIFIER_assume",
    "__CPROVER_assume",
    "malloc",
    "calloc",
    "realloc",
    "valloc",
    "memalign",
    "aligned_alloc",
    "free",
    "memset",
    "memcpy",
    "memmove",
    "mempcpy",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "scanf",
    "fscanf",
    "sscanf",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "pthread_create",
    "fork",
    "vfork",
];

/// Assertions of other verifiers: what they are given first has to hold.
pub(super) const ASSERTIONS: [&str; 3] = ["__CPROVER_assert", "__ESBMC_assert", "__VERIFIER_assert"];

/// More parameters than any function of [`WITH_EFFECTS`] has.
const PARAMETERS: usize = 8;

fn parameter_name(i: usize) -> String {
    format!("a{i}")
}

/// The parameters of a procedure that pointers to a library function lead to, as the arguments of its call.
pub(super) fn library_parameters() -> Vec<Node<ast::Expression>> {
    // They stand nowhere in the text.
    let span = lang_c::span::Span::none();
    (0..PARAMETERS)
        .map(|i| {
            let name = ast::Identifier { name: parameter_name(i) };
            Node::new(ast::Expression::Identifier(Box::new(Node::new(name, span))), span)
        })
        .collect()
}

fn missing(i: usize) -> String {
    format!("argument {} of this function is missing", i + 1)
}

type Args<'a> = &'a [Node<ast::Expression>];

impl<'a> Lower<'a> {
    /// `None` if the name means nothing special. `defined`: does the program define the function?
    pub fn library_call(
        &mut self,
        name: &str,
        args: Args<'a>,
        defined: bool,
        want: Want,
        span: Span,
    ) -> Res<Option<Val>> {
        if self.is_error_call(name, defined) {
            return self.error_call(name, args, span).map(Some);
        }
        if defined {
            return Ok(None);
        }
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.nondet(name, kind, args, want, span).map(Some);
        }
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        if let Some(f) = self.defined_function(&format!("{MODEL_PREFIX}{plain}")) {
            return self.call_function(f, args, want, span).map(Some);
        }
        let val = match plain {
            "assert"
            | "__assert"
            | "__assert_fail"
            | "__VERIFIER_error"
            | "abort"
            | "trap"
            | "__assert_perror_fail"
            | "__assert13"
            | "__assert2"
            | "__assert_func"
            | "__assert_rtn"
            | "__assert_c99"
            | "_assert"
            | "_wassert"
            | "__assertfail" => {
                if plain == "assert" {
                    self.guard(name, args, span, |l| l.halt(Halt::Abort, span))?;
                } else {
                    self.discard_all(args)?;
                    self.halt(Halt::Abort, span);
                }
                Val::Void
            }
            _ if ASSERTIONS.contains(&name) => {
                let fails = self.is_error_function("__assert_fail");
                let otherwise =
                    |l: &mut Self| if fails { l.reach_error(span) } else { l.halt(Halt::Abort, span) };
                self.guard(name, args, span, otherwise)?;
                self.discard_all(args.get(1..).unwrap_or_default())?;
                Val::Void
            }
            "__VERIFIER_assume" | "__CPROVER_assume" => {
                let Some(condition) = args.first() else {
                    return self.error(format!("`{name}` needs a condition"), span);
                };
                let (yes, no) = (self.new_loc(span), self.new_loc(span));
                self.condition(condition, yes, no)?;
                self.cur = yes;
                Val::Void
            }
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" | "prefetch" | "va_arg_pack" => {
                self.discard_all(args)?;
                Val::Void
            }
            "exit" | "_exit" | "_Exit" => {
                let int = self.int_ty();
                let status = match args.first() {
                    Some(e) => self.rvalue_of(e)?,
                    None => self.zero(int),
                };
                let status = self.convert(status, int, span)?;
                match plain {
                    "exit" => self.exit(status, span),
                    _ => self.halt(Halt::Exit(status), span),
                }
                Val::Void
            }
            "__craig_too_many_registered" => self.too_many_registered(span),
            "unreachable" => {
                self.undefined("__builtin_unreachable", span);
                Val::Void
            }
            "malloc" | "calloc" | "realloc" | "alloca" | "free" | "valloc" | "memalign" | "aligned_alloc" => {
                return self.allocation(plain, args, want, span).map(Some);
            }
            "memset" | "memcpy" | "memmove" | "mempcpy" => return self.memory(plain, args, span).map(Some),
            "printf" | "fprintf" | "sprintf" | "snprintf" | "vprintf" | "vfprintf" | "vsprintf"
            | "vsnprintf" | "puts" | "putchar" | "fputs" | "fputc" | "putc" => {
                return self.output(plain, args, want, span).map(Some);
            }
            "scanf" | "fscanf" | "sscanf" => return self.scan_input(plain, args, want, span).map(Some),
            "va_start" | "va_end" | "va_copy" | "stdarg_start" if name.starts_with("__builtin_") => {
                return self.va_operation(plain, args, span).map(Some);
            }
            // `asm("nop");`, which the parser takes for a call: it has no outputs.
            "asm" | "__asm" | "__asm__" => {
                self.lean(LeanKind::Asm, "asm", span);
                Val::Void
            }
            // Their handlers never run; what else they do is that of an unknown function.
            "signal" | "sigaction" | "bsd_signal" | "sigset" | "on_exit" | "at_quick_exit"
            | "pthread_atfork" => {
                self.lean(LeanKind::Handler, plain, span);
                return Ok(None);
            }
            marker::LABEL_ADDRESS => {
                let pointer = self.p.types.ptr(Types::VOID);
                self.unsupported("address of a label", pointer, span)
            }
            marker::COMPUTED_GOTO => {
                self.discard_all(args)?;
                self.unsupported("computed goto", Types::VOID, span)
            }
            marker::ASM_GOTO => self.unsupported("asm goto", Types::VOID, span),
            "setjmp" | "_setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp" | "pthread_create" | "fork"
            | "vfork" => {
                let int = self.int_ty();
                self.discard_all(args)?;
                self.unsupported(&format!("call of `{plain}`"), int, span)
            }
            _ if plain.starts_with("__sync_") || plain.starts_with("__atomic_") => {
                let int = self.int_ty();
                let ty = match args.first() {
                    Some(e) => self.type_of(e)?,
                    None => int,
                };
                let ty = self.p.types.pointee(ty).unwrap_or(int);
                self.unsupported(&format!("call of `{plain}`"), ty, span)
            }
            _ if name.starts_with("__builtin_") => return self.builtin(plain, args, span),
            _ => return Ok(None),
        };
        Ok(Some(val))
    }

    /// Does the property say that a call of this function is the error?
    fn is_error_function(&self, name: &str) -> bool {
        match &self.reading.property {
            Property::Default => self.error_label.is_none() && ERROR_FUNCTIONS.contains(&name),
            Property::Call(f) if ERROR_FUNCTIONS.contains(&f.as_str()) => ERROR_FUNCTIONS.contains(&name),
            Property::Call(f) => f == name,
            Property::Label(_) | Property::NoOverflow => false,
        }
    }

    /// A call of an error function is the error even if the program defines it.
    fn is_error_call(&self, name: &str, defined: bool) -> bool {
        self.is_error_function(name) && (!defined || name != "assert" && name != "__assert")
    }

    /// The procedure that a pointer to the function leads to. For a library function that does something it is one that calls the
    /// function; other functions without a body have none.
    pub fn pointed_procedure(&mut self, f: FuncId) -> Option<ProcId> {
        let name = self.funcs[f].name.clone();
        let defined = self.funcs[f].definition.is_some();
        if self.is_error_call(&name, defined) || !defined && WITH_EFFECTS.contains(&&*name) {
            if self.funcs[f].proc.is_none() && !self.unevaluated {
                let func = &self.funcs[f];
                let (ret, span) = (self.func_type_of(f).ret, func.span);
                self.funcs[f].proc = Some(self.p.add_proc(name, ret, span));
                self.work.push_back(Work::Library(f));
            }
            return self.funcs[f].proc;
        }
        if !defined && let Some(model) = self.defined_function(&format!("{MODEL_PREFIX}{name}")) {
            if !self.unevaluated {
                self.address_taken.insert(model, ());
            }
            return self.reference_func(model);
        }
        self.reference_func(f)
    }

    /// The body of the procedure that pointers to a library function lead to: a call with its parameters.
    pub fn library_procedure(&mut self, f: FuncId) -> Res<()> {
        let Some(proc) = self.funcs[f].proc else { return Ok(()) };
        let (name, ty, span) = (self.funcs[f].name.clone(), self.func_type_of(f), self.funcs[f].span);
        (self.proc, self.cur) = (proc, self.p.procs[proc].entry);
        let parameters = self.parameters;
        let value = self.scoped(|l| {
            for (i, &param) in ty.params.iter().enumerate() {
                let name = parameter_name(i);
                let var = l.p.add_var(name.as_str().into(), param, VarKind::Param, Some(proc), span);
                l.p.procs[proc].params.push(var);
                l.define(&name, Symbol::Var(var));
            }
            let args = parameters.get(..ty.params.len()).filter(|_| !ty.variadic);
            let called = match args {
                Some(args) => l.library_call(&name, args, false, Want::Value, span),
                None => Ok(None),
            };
            match called {
                Err(Fault::Stopped(stop)) => Err(stop.into()),
                // Also where the program declares it with other parameters than it has.
                Ok(None) | Err(Fault::Wrong(_)) => {
                    l.not_modelled(&format!("call of `{name}` through a pointer"), span);
                    Ok(Val::Void)
                }
                Ok(Some(val)) => Ok(val),
            }
        })?;
        let (exit, ret) = (self.p.procs[proc].exit, self.p.procs[proc].ret);
        let value = match value {
            _ if ret == Types::VOID => None,
            Val::Void => {
                let place = self.temp(ret, span);
                self.emit(Op::Havoc(place, Choice::Uninit), span);
                Some(self.p.exprs.read(place))
            }
            val => {
                let value = self.rvalue(val, span)?;
                Some(self.convert(value, ret, span)?)
            }
        };
        self.p.add_edge(self.cur, exit, Op::Return(value), span);
        Ok(())
    }

    fn error_call(&mut self, name: &str, args: Args<'a>, span: Span) -> Res<Val> {
        if name == "assert" {
            self.guard(name, args, span, |l| l.reach_error(span))?;
        } else {
            self.discard_all(args)?;
            self.asserted(name, args, span);
            if !self.unevaluated {
                self.reach_error(span);
            }
        }
        Ok(Val::Void)
    }

    /// What failed assertions call is told what does not hold.
    fn asserted(&mut self, name: &str, args: Args<'a>, span: Span) {
        let what = match name {
            "__assert_fail" | "__assert_c99" | "_assert" | "_wassert" | "__assertfail" => args.first(),
            "__assert_rtn" | "__assert_func" | "__assert13" | "__assert2" | "__assert" => args.get(3),
            _ => None,
        };
        let Some(ast::Expression::StringLiteral(literal)) = what.map(|what| &what.node) else { return };
        let inner = |part: &String| Some(part.split_once('"')?.1.strip_suffix('"')?.replace("\\\"", "\""));
        if let Some(text) = literal.node.iter().map(inner).collect::<Option<String>>() {
            self.p.asserted.push((span, text.into()));
        }
    }

    /// The type of the first parameter of a declared function, if the argument loses bits by it that matter.
    fn narrower(&mut self, name: &str, condition: &'a Node<ast::Expression>) -> Res<Option<TypeId>> {
        let Some(Symbol::Func(f)) = self.lookup(name) else { return Ok(None) };
        let Some(param) = self.func_type_of(f).params.first().copied() else { return Ok(None) };
        let given = self.type_of(condition)?;
        let width = |ty| self.p.types.as_int(ty).map(|int| int.width);
        let loses = match (width(param), width(given)) {
            (Some(to), Some(from)) => to > 1 && to < from,
            // A float between 0 and 1 becomes 0.
            (Some(to), None) => to > 1 && self.p.types.is_float(given),
            _ => false,
        };
        Ok(loses.then_some(param))
    }

    /// `assert(c)` as a function: what happens if `c` is false.
    fn guard(
        &mut self,
        name: &str,
        args: Args<'a>,
        span: Span,
        otherwise: impl FnOnce(&mut Self),
    ) -> Res<()> {
        let Some(condition) = args.first() else { return self.error("`assert` needs a condition", span) };
        let at = self.span(condition);
        let text = self.p.source.text().get(at.start as usize..at.end as usize).map(Name::from);
        self.p.asserted.extend(text.map(|text| (span, text)));
        let (yes, no) = match self.narrower(name, condition)? {
            Some(ty) => {
                let value = self.rvalue_of(condition)?;
                let value = self.convert(value, ty, span)?;
                let holds = self.p.exprs.is_nonzero(&self.p.types, value);
                self.branch(holds, span)
            }
            None => {
                let (yes, no) = (self.new_loc(span), self.new_loc(span));
                self.condition(condition, yes, no)?;
                (yes, no)
            }
        };
        self.cur = no;
        if !self.unevaluated {
            otherwise(self);
        }
        self.cur = yes;
        Ok(())
    }

    fn discard_all(&mut self, args: Args<'a>) -> Res<()> {
        args.iter().try_for_each(|e| self.discard(e))
    }

    fn nondet(&mut self, name: &str, kind: &str, args: Args<'a>, want: Want, span: Span) -> Res<Val> {
        self.discard_all(args)?;
        let declared = match self.lookup(name) {
            Some(Symbol::Func(f)) => Some(self.func_type_of(f).ret),
            _ => None,
        };
        let ty = match declared {
            Some(ty) => ty,
            None => self.type_by_kind(kind),
        };
        if ty == Types::VOID {
            return Ok(Val::Void);
        }
        let choice = Choice::Nondet(name.into());
        // A `bool` is 0 or 1 whatever integer type the program declares it with.
        let bool_ty = self.p.types.int(1, false);
        if matches!(kind, "bool" | "_Bool") && ty != bool_ty && self.p.types.as_int(ty).is_some() {
            let place = self.temp(bool_ty, span);
            self.emit(Op::Havoc(place, choice), span);
            let value = self.p.exprs.read(place);
            return self.convert(value, ty, span).map(Val::Expr);
        }
        let (place, val) = self.result(ty, self.wanted_or_counted(ty, want), span);
        if let Some(place) = place {
            self.arbitrary(place, choice, span);
        }
        Ok(val)
    }

    /// The type that the name of an undeclared `__VERIFIER_nondet_T` speaks of.
    fn type_by_kind(&mut self, kind: &str) -> TypeId {
        let long = self.p.types.model.pointer_bits();
        let (width, signed) = match kind {
            "bool" | "_Bool" => (1, false),
            "char" | "schar" => (8, true),
            "uchar" | "unsigned_char" | "u8" => (8, false),
            "short" => (16, true),
            "ushort" | "u16" => (16, false),
            "uint" | "unsigned" | "unsigned_int" | "u32" => (32, false),
            "long" | "loff_t" => (long, true),
            "ulong" | "size_t" => (long, false),
            "longlong" => (64, true),
            "ulonglong" | "u64" => (64, false),
            "pointer" | "charp" => return self.p.types.ptr(Types::VOID),
            "float" => return self.float(FloatTy::F32),
            "double" => return self.float(FloatTy::F64),
            _ => (32, true),
        };
        self.p.types.int(width, signed)
    }

    fn values(&mut self, args: Args<'a>) -> Res<Vec<ExprId>> {
        args.iter().map(|e| self.rvalue_of(e)).collect()
    }

    /// The `i`th argument as a size.
    fn size_arg(&mut self, args: &[ExprId], i: usize, span: Span) -> Res<ExprId> {
        let size_t = self.p.types.size_t();
        match args.get(i) {
            Some(&e) => self.convert(e, size_t, span),
            None => self.error(missing(i), span),
        }
    }

    fn pointer_arg(&mut self, args: &[ExprId], i: usize, span: Span) -> Res<ExprId> {
        match args.get(i) {
            Some(&e) if self.p.types.is_ptr(self.p.exprs.ty(e)) => Ok(e),
            Some(&e) => {
                let pointer = self.p.types.ptr(Types::VOID);
                self.convert(e, pointer, span)
            }
            None => self.error(missing(i), span),
        }
    }

    fn allocation(&mut self, name: &str, args: Args<'a>, want: Want, span: Span) -> Res<Val> {
        let args = self.values(args)?;
        if name == "free" {
            let pointer = self.pointer_arg(&args, 0, span)?;
            self.emit(Op::Free(pointer), span);
            return Ok(Val::Void);
        }
        let void = self.p.types.ptr(Types::VOID);
        // Also where nobody keeps the pointer: the object exists.
        let want = if matches!(want, Want::Nothing) { Want::Value } else { want };
        let (place, val) = self.result(void, want, span);
        let dst = place.expect("a pointer is a result");
        let op = match name {
            "calloc" => {
                let (n, size) = (self.size_arg(&args, 0, span)?, self.size_arg(&args, 1, span)?);
                let size = self.p.exprs.binary(&self.p.types, BinOp::Mul, n, size);
                Op::Alloc { dst, size, zero: true, stack: false, maker: Maker::Program }
            }
            "realloc" => {
                let (ptr, size) = (self.pointer_arg(&args, 0, span)?, self.size_arg(&args, 1, span)?);
                Op::Realloc { dst, ptr, size }
            }
            "memalign" | "aligned_alloc" => Op::Alloc {
                dst,
                size: self.size_arg(&args, 1, span)?,
                zero: false,
                stack: false,
                maker: Maker::Program,
            },
            _ => Op::Alloc {
                dst,
                size: self.size_arg(&args, 0, span)?,
                zero: false,
                stack: name == "alloca",
                maker: Maker::Program,
            },
        };
        if self.reading.malloc_may_fail && name != "alloca" {
            self.may_fail(name, dst, op, span);
        } else {
            if name != "alloca" {
                self.lean(LeanKind::Allocation, name, span);
            }
            self.emit(op, span);
        }
        Ok(val)
    }

    fn may_fail(&mut self, name: &str, dst: PlaceId, op: Op, span: Span) {
        let bool_ty = self.p.types.int(1, false);
        let fails = self.temp(bool_ty, span);
        self.emit(Op::Havoc(fails, Choice::Extern(name.into())), span);
        let fails = self.p.exprs.read(fails);
        let fails = self.p.exprs.is_nonzero(&self.p.types, fails);
        let (yes, no) = self.branch(fails, span);
        let end = self.new_loc(span);
        self.cur = yes;
        let null = self.zero(self.p.exprs.place(dst).ty);
        self.emit(Op::Assign(dst, null), span);
        self.goto(end, span);
        self.cur = no;
        self.emit(op, span);
        self.goto(end, span);
        self.cur = end;
    }

    fn memory(&mut self, name: &str, args: Args<'a>, span: Span) -> Res<Val> {
        let args = self.values(args)?;
        let dst = self.pointer_arg(&args, 0, span)?;
        let len = self.size_arg(&args, 2, span)?;
        if name == "memset" {
            let byte_ty = self.p.types.int(8, false);
            let byte = self.convert(args[1], byte_ty, span)?;
            self.emit(Op::MemSet { dst, byte, len }, span);
        } else {
            let src = self.pointer_arg(&args, 1, span)?;
            self.emit(Op::MemCopy { dst, src, len, may_overlap: name == "memmove" }, span);
        }
        let void = self.p.types.ptr(Types::VOID);
        if name == "mempcpy" {
            let byte_ty = self.p.types.int(8, false);
            let bytes = self.p.types.ptr(byte_ty);
            let end = self.convert(dst, bytes, span)?;
            let end = self.pointer_plus(end, len, false, span)?;
            return self.convert(end, void, span).map(Val::Expr);
        }
        self.convert(dst, void, span).map(Val::Expr)
    }

    fn output(&mut self, name: &str, args: Args<'a>, want: Want, span: Span) -> Res<Val> {
        let list = name.starts_with('v');
        let values = match args.split_last() {
            Some((last, first)) if list => {
                let mut values = self.values(first)?;
                values.push(self.next_variadic(last)?);
                values
            }
            _ => self.values(args)?,
        };
        let mut values: Vec<ExprId> = values.into_iter().map(|e| self.promote_argument(e)).collect();
        let int = self.int_ty();
        // The parameters with a name: pointer, size or character.
        let fixed = match name {
            "printf" | "vprintf" | "puts" => "p",
            "snprintf" | "vsnprintf" => "psp",
            "putchar" => "c",
            "fputc" | "putc" => "cp",
            _ => "pp",
        };
        if list && values.len() != fixed.len() + 1 {
            return self.error(format!("`{name}` takes {} arguments", fixed.len() + 1), span);
        }
        for (i, kind) in fixed.chars().enumerate() {
            let value = match (kind, values.get(i)) {
                ('p', _) => self.pointer_arg(&values, i, span)?,
                ('c', Some(&e)) => self.convert(e, int, span)?,
                _ => self.size_arg(&values, i, span)?,
            };
            values[i] = value;
        }
        let (format, rest) = (values[fixed.len() - 1], &values[fixed.len()..]);
        if name.ends_with("printf") && rest.iter().any(|&e| self.p.types.is_ptr(self.p.exprs.ty(e))) {
            match self.counts(format) {
                // Where no text of the program counts, that none does which is made while it runs is an assumption.
                None if !self.some_text_counts() => self.lean(LeanKind::Format, name, span),
                Some(true) | None => {
                    let what = format!("`{name}` that may write through an argument");
                    return Ok(self.unsupported(&what, int, span));
                }
                Some(false) => {}
            }
        }
        let (ret, val) = self.result(int, want, span);
        self.emit(Op::Output(Box::new(Output { function: name.into(), args: values, ret })), span);
        Ok(val)
    }

    /// Does any string literal, as a format, store through an argument? Literals in a row are one, and an escape may be any character.
    fn some_text_counts(&mut self) -> bool {
        if let Some(known) = self.text_counts {
            return known;
        }
        let source = std::sync::Arc::clone(&self.p.source);
        let mut contents = Vec::new();
        let mut text = source.text().bytes();
        let (mut inside, mut escapes) = (None, false);
        while let Some(c) = text.next() {
            match (inside, c) {
                (Some(_), b'\\') => escapes |= text.next().is_some_and(|c| c == b'x' || c.is_ascii_digit()),
                (Some(quote), c) if c == quote => inside = None,
                (Some(b'"'), c) => contents.push(c),
                (Some(_), _) => {}
                (None, b'"' | b'\'') => inside = Some(c),
                (None, _) => {}
            }
        }
        let found = stores(&contents) || escapes && contents.contains(&b'%');
        self.text_counts = Some(found);
        found
    }

    /// Does a format store through one of its arguments (`%n`)? `None`: its text is not known.
    fn counts(&self, format: ExprId) -> Option<bool> {
        let literal = match self.p.exprs.kind(format) {
            ExprKind::AddrOf(place) => self.p.exprs.root_var(*place)?,
            _ => return None,
        };
        let (text, ..) = self.strings.iter().find(|(_, var)| **var == literal)?.0;
        Some(stores(text))
    }

    /// `scanf`: what the pointers point to becomes arbitrary. Strings are not modelled: their length is not known.
    fn scan_input(&mut self, name: &str, args: Args<'a>, want: Want, span: Span) -> Res<Val> {
        let int = self.int_ty();
        let skipped = if name == "scanf" { 1 } else { 2 };
        let values = self.values(args)?;
        for &pointer in values.iter().skip(skipped) {
            let Some(to) = self.p.types.pointee(self.p.exprs.ty(pointer)) else { continue };
            match self.p.types.get(to) {
                Type::Int(i) if i.width > 8 => {}
                Type::Float(_) => {}
                Type::Int(i)
                    if i.width == 8
                        && let Some(f) = self.defined_function("__craig_scan_text") =>
                {
                    let text = self.char_ty();
                    let text = self.p.types.ptr(text);
                    let text = self.convert(pointer, text, span)?;
                    let proc = self.reference_func(f).expect("a function with a body");
                    self.emit(Op::Call(Box::new(Call { proc, args: vec![text], ret: None })), span);
                    continue;
                }
                _ => return Ok(self.unsupported(&format!("`{name}` into a string"), int, span)),
            }
            let place = self.p.exprs.deref(pointer, to);
            self.emit(Op::Havoc(place, Choice::Extern(name.into())), span);
        }
        let (place, val) = self.result(int, want, span);
        if let Some(place) = place {
            self.emit(Op::Havoc(place, Choice::Extern(name.into())), span);
        }
        Ok(val)
    }

    /// GCC's `__builtin_NAME`, given without its prefix.
    fn builtin(&mut self, name: &str, args: Args<'a>, span: Span) -> Res<Option<Val>> {
        let int = self.int_ty();
        let long = self.p.types.ptrdiff_t();
        let void = self.p.types.ptr(Types::VOID);
        let val = match (name, args) {
            ("expect" | "expect_with_probability", [value, ..]) => {
                let value = self.rvalue_of(value)?;
                Val::Expr(self.convert(value, long, span)?)
            }
            ("assume_aligned", [value, ..]) => {
                let value = self.rvalue_of(value)?;
                Val::Expr(self.convert(value, void, span)?)
            }
            ("constant_p", [value]) => {
                let constant = self.try_const_int(value).is_ok_and(|v| v.is_some());
                Val::Expr(self.p.exprs.int(&self.p.types, i128::from(constant), int))
            }
            ("choose_expr", [condition, yes, no]) => {
                let chosen = if self.const_int(condition)? != 0 { yes } else { no };
                self.expr(chosen)?
            }
            ("object_size", [_, kind]) => {
                let kind = self.const_int(kind)?;
                let size_t = self.p.types.size_t();
                Val::Expr(self.p.exprs.int(&self.p.types, if kind < 2 { -1 } else { 0 }, size_t))
            }
            ("frame_address" | "return_address" | "extract_return_addr", _) => {
                let place = self.temp(void, span);
                self.emit(Op::Havoc(place, Choice::Extern(Name::from(name))), span);
                Val::Expr(self.p.exprs.read(place))
            }
            ("huge_val" | "inf" | "nan" | "huge_valf" | "inff" | "nanf", _) => {
                let single = name.ends_with("lf") || matches!(name, "inff" | "nanf" | "huge_valf");
                let ty = self.float(if single { FloatTy::F32 } else { FloatTy::F64 });
                let nan = name.starts_with("nan");
                let bits = match (single, nan) {
                    (true, true) => u128::from(f32::NAN.to_bits()),
                    (true, false) => u128::from(f32::INFINITY.to_bits()),
                    (false, true) => u128::from(f64::NAN.to_bits()),
                    (false, false) => u128::from(f64::INFINITY.to_bits()),
                };
                Val::Expr(self.p.exprs.constant(craig_cfa::Const::Bits(bits), ty))
            }
            (_, [a, b, result]) if name.ends_with("_overflow") => {
                return self.overflow_builtin(name, a, b, result, span).map(Some);
            }
            _ => {
                // A library function under its other name: what a program declares of it, or an extern.
                if let Some(Symbol::Func(f)) = self.lookup(name) {
                    let ty = self.func_type_of(f);
                    let values = self.arguments(&ty, args)?;
                    return Ok(Some(self.extern_call(name, ty.ret, &values, Want::Value, span)));
                }
                self.discard_all(args)?;
                self.unsupported(&format!("`__builtin_{name}`"), int, span)
            }
        };
        Ok(Some(val))
    }

    /// `__builtin_add_overflow(a, b, &r)` and the variants that name their type.
    fn overflow_builtin(
        &mut self,
        name: &str,
        a: &'a Node<ast::Expression>,
        b: &'a Node<ast::Expression>,
        result: &'a Node<ast::Expression>,
        span: Span,
    ) -> Res<Val> {
        let op = match () {
            () if name.contains("add") => BinOp::Add,
            () if name.contains("sub") => BinOp::Sub,
            () => BinOp::Mul,
        };
        let (a, b, pointer) = (self.rvalue_of(a)?, self.rvalue_of(b)?, self.rvalue_of(result)?);
        let int = self.int_ty();
        let Some(ty) = self.p.types.pointee(self.p.exprs.ty(pointer)) else {
            return self.error(format!("`__builtin_{name}` needs a pointer"), span);
        };
        let place = self.p.exprs.deref(pointer, ty);
        // Of this type, or a constant that it can hold.
        let exact = |l: &mut Self, e: ExprId| {
            let value = l.p.exprs.as_int(&l.p.types, e);
            let held = l.p.exprs.cast(&l.p.types, e, ty);
            l.p.exprs.ty(e) == ty || value.is_some() && l.p.exprs.as_int(&l.p.types, held) == value
        };
        let typed = name.starts_with(['s', 'u']) && !name.starts_with("sub_");
        if !(typed || exact(self, a) && exact(self, b)) {
            // The exact sum of two types is compared with a third one.
            return Ok(self.unsupported(&format!("`__builtin_{name}` on several types"), int, span));
        }
        let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
        let (a, b) = (self.save(a, span), self.save(b, span));
        let overflows = self.p.exprs.overflows(&self.p.types, op, a, b);
        // The stored result wraps around.
        let Some(word) = self.p.types.as_int(ty) else { return self.error("this needs integers", span) };
        let unsigned = self.p.types.int(word.width, false);
        let (x, y) =
            (self.p.exprs.cast(&self.p.types, a, unsigned), self.p.exprs.cast(&self.p.types, b, unsigned));
        let wrapped = self.p.exprs.binary(&self.p.types, op, x, y);
        let wrapped = self.p.exprs.cast(&self.p.types, wrapped, ty);
        self.emit(Op::Assign(place, wrapped), span);
        Ok(Val::Expr(overflows))
    }
}

/// Is `%n` among the conversions of a format?
fn stores(format: &[u8]) -> bool {
    let mut text = format.iter();
    while text.any(|&c| c == b'%') {
        if text.find(|c| !b"-+ #0123456789.*hlLqjzt".contains(c)) == Some(&b'n') {
            return true;
        }
    }
    false
}
