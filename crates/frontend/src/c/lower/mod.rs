//! Parsed C to a [`Program`].
//!
//! Declarations at file scope are read first. Then what the entry needs is translated: functions that are called or whose
//! address is taken, and global variables that are mentioned, with their initialisers. What nothing refers to does not become part of the program.
//!
//! The program begins in a procedure of our own, `__start`: it initialises the globals, gives the parameters of the
//! entry function arbitrary values and calls it.
//!
//! | module | translates |
//! |---|---|
//! | [`types`] | specifiers and declarators to types |
//! | [`tags`] | structs, unions and enumerations by their tags |
//! | [`layout`] | members of a struct or union to offsets |
//! | [`declare`] | declarations at file and block scope |
//! | [`init`], [`plan`] | initialisers |
//! | [`literal`] | constants and string literals |
//! | [`constant`] | types of expressions and values of constants |
//! | [`choice`] | `&&`, `||`, `?:` |
//! | [`expr`] | expressions, with their side effects as edges |
//! | [`convert`] | conversions and arithmetic |
//! | [`call`] | calls, also through pointers |
//! | [`loose`] | nothing: finds functions that pointers of another type may lead to |
//! | [`library`] | functions that the C library and SV-COMP define |
//! | [`notes`] | notes on the text that become part of the program |
//! | [`stmt`] | statements |
//! | [`survey`] | nothing: looks for something in the whole text or program |

mod around;
mod call;
mod choice;
mod cleanup;
mod constant;
mod convert;
mod declare;
mod effects;
mod expr;
mod init;
mod layout;
mod library;
mod literal;
mod loose;
mod notes;
mod plan;
mod rows;
mod stmt;
mod survey;
mod tags;
mod types;
mod varargs;

pub(super) use library::models_for;
pub(super) use notes::Notes;

use self::around::Around;
use self::cleanup::Cleanups;
use super::Encoding;
use super::scan::Offsets;
use crate::property::{ERROR_FUNCTIONS, Property};
use crate::{Fault, Loaded, Reading, Res};
use craig_base::{Budget, Diagnostic, Pace, Source, Span};
use craig_cfa::{
    Call, Choice, ExprId, Halt, Lang, Lean, LeanKind, LocId, Maker, Name, Op, PlaceId, ProcId, Program,
    ScopeId, TypeId, Types, VarId, VarKind,
};
use indexmap::IndexMap;
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

index_vec::define_index_type! { struct FuncId = u32; }
index_vec::define_index_type! { struct GlobalId = u32; }

/// The size of an object from outside. Code may step from it to its neighbours, or know more of its type than we do.
const FRESH_BYTES: u64 = 4096;

/// A function that the text declares.
struct Func<'a> {
    name: Name,
    ty: TypeId,
    definition: Option<&'a Node<ast::FunctionDefinition>>,
    noreturn: bool,
    span: Span,
    /// Where a prototype first stands. Calls before it do not know the types of the parameters.
    prototype: Option<u32>,
    /// Its procedure, once something refers to it and there is a body, or a pointer to it that leads to a library function.
    proc: Option<ProcId>,
    /// See [`types::Attributes::weak`]; or the other name of something that we do not know as a function of this type.
    weak: bool,
}

/// A variable at file scope.
struct Global<'a> {
    name: Name,
    ty: TypeId,
    init: Option<&'a Node<ast::Initializer>>,
    /// Only `extern` declarations so far.
    external: bool,
    internal_linkage: bool,
    align: Option<u64>,
    span: Span,
    /// Its variable, once something refers to it.
    var: Option<VarId>,
    /// Is its initialiser part of the program?
    initialised: bool,
    /// As for functions.
    weak: bool,
    volatile: bool,
}

/// What an ordinary identifier means.
#[derive(Clone, Copy)]
enum Symbol {
    Var(VarId),
    /// A local array of variable length: a pointer to its memory, and its size in bytes. `rows`: how many variables of [`Lower::row_lengths`] from there on say how long
    /// its rows are, and the rows of these; none if they are of constant length.
    Vla {
        pointer: VarId,
        size: VarId,
        rows: (u32, u32),
    },
    /// A parameter that only the declarators after it can see: `int f(int n, int a[n])`.
    Param(TypeId),
    Global(GlobalId),
    Func(FuncId),
    Enumerator(i128, TypeId),
    /// A type, and its alignment where an attribute of the typedef says so.
    Typedef(TypeId, Option<u64>),
}

#[derive(Default)]
struct Scope {
    symbols: FxHashMap<Name, Symbol>,
    tags: FxHashMap<Name, TypeId>,
}

/// A value that an expression gave.
#[derive(Clone, Copy, Debug)]
enum Val {
    /// Something with an address or a bit-field.
    Place(PlaceId),
    Expr(ExprId),
    Func(FuncId),
    Void,
}

/// Where `break`, `continue` and `case` lead.
#[derive(Default)]
struct Jumps {
    /// Where they lead, and what was to be cleaned up there.
    breaks: Vec<(LocId, usize)>,
    continues: Vec<(LocId, usize)>,
    switches: Vec<stmt::Switch>,
}

/// A call through a pointer, completed when all functions whose address is taken are known.
struct IndirectCall {
    from: LocId,
    to: LocId,
    pointer: ExprId,
    args: Vec<ExprId>,
    ret: Option<PlaceId>,
    ty: craig_cfa::FuncTy,
    span: Span,
}

enum Work {
    Func(FuncId),
    /// A library function that a pointer leads to.
    Library(FuncId),
    Global(GlobalId),
}

struct Lower<'a> {
    p: Program,
    reading: &'a Reading,
    pace: Pace<'a>,
    offsets: &'a Offsets,
    encoding: Encoding,
    /// See [`library::library_parameters`].
    parameters: &'a [Node<ast::Expression>],
    funcs: index_vec::IndexVec<FuncId, Func<'a>>,
    globals: index_vec::IndexVec<GlobalId, Global<'a>>,
    scopes: Vec<Scope>,
    work: VecDeque<Work>,
    /// Functions whose address is taken, in the order seen.
    address_taken: IndexMap<FuncId, (), rustc_hash::FxBuildHasher>,
    indirect: Vec<IndirectCall>,
    strings: FxHashMap<Text, VarId>,
    /// Does some string literal store through an argument, as a format? Once somebody asked.
    text_counts: Option<bool>,
    /// Members of width 1 that are `_Bool`, not bit-fields of an integer type.
    bool_fields: FxHashSet<(craig_cfa::RecordId, u32)>,
    /// The next location of `__start`.
    start_cur: LocId,
    in_start: bool,
    /// Are we inside `sizeof` or `typeof`, where nothing is evaluated?
    unevaluated: bool,
    /// In the declaration of a local: it may be an array with rows of variable length.
    may_have_rows: bool,
    row_lengths: Vec<VarId>,
    /// Is the property the label of the default property? Then calls are no errors.
    error_label: Option<Name>,
    temps: u32,
    /// Types of expressions that were asked for without evaluating them.
    types_of: FxHashMap<*const Node<ast::Expression>, TypeId>,
    /// Places where unknown functions may change the globals that other files see, under `--externs havoc`.
    extern_effects: Vec<(LocId, LocId, Name, Span)>,
    /// Static variables that functions without body were given, and what tells whether they were.
    known_outside: IndexMap<VarId, VarId, rustc_hash::FxBuildHasher>,
    // The function being translated.
    func: Option<FuncId>,
    proc: ProcId,
    cur: LocId,
    labels: IndexMap<Name, (LocId, bool, Span), rustc_hash::FxBuildHasher>,
    jumps: Jumps,
    varargs: varargs::Varargs,
    /// Names that attributes gave for the linker, and whose they are.
    links: Vec<Name>,
    linked: Vec<(Name, u32)>,
    around: Around,
    cleanups: Cleanups,
    spelled: Spelled,
    /// What variables that are declared here live in.
    block: ScopeId,
    notes: Notes<'a>,
}

/// What an array of characters that nobody declared is known by: its bytes, the type of its elements, and the function whose name it is.
type Text = (Arc<[u8]>, TypeId, Option<FuncId>);

/// Types that the program has named so far, of those that are one with others for us.
#[derive(Default)]
struct Spelled {
    long: bool,
    long_long: bool,
    signed_char: bool,
    enumerations: usize,
}

pub(super) fn lower<'a>(
    unit: &'a ast::TranslationUnit,
    source: &Arc<Source>,
    offsets: &Offsets,
    encoding: Encoding,
    reading: &Reading,
    notes: Notes<'a>,
    budget: &Budget,
) -> Result<(Loaded, Vec<usize>), Vec<Fault>> {
    let program = Program::new(Arc::clone(source), Lang::C, Types::new(reading.model), "__start");
    let proc = program.entry;
    let start = program.procs[proc].entry;
    let parameters = library::library_parameters();
    let mut lower = Lower {
        p: program,
        reading,
        pace: Pace::new(budget),
        offsets,
        encoding,
        parameters: &parameters,
        funcs: index_vec::IndexVec::new(),
        globals: index_vec::IndexVec::new(),
        scopes: vec![Scope::default()],
        work: VecDeque::new(),
        address_taken: IndexMap::default(),
        indirect: Vec::new(),
        strings: FxHashMap::default(),
        text_counts: None,
        bool_fields: FxHashSet::default(),
        start_cur: start,
        in_start: false,
        unevaluated: false,
        may_have_rows: false,
        row_lengths: Vec::new(),
        error_label: None,
        temps: 0,
        types_of: FxHashMap::default(),
        extern_effects: Vec::new(),
        known_outside: IndexMap::default(),
        func: None,
        proc,
        cur: start,
        labels: IndexMap::default(),
        jumps: Jumps::default(),
        varargs: varargs::Varargs::default(),
        links: Vec::new(),
        linked: Vec::new(),
        around: Around::default(),
        cleanups: Cleanups::default(),
        spelled: Spelled::default(),
        block: ScopeId::ROOT,
        notes,
    };
    let mut faults = Faults::default();
    for declaration in &unit.0 {
        if faults.ended() {
            break;
        }
        faults.add(lower.external_declaration(declaration));
    }
    if faults.0.is_empty() {
        lower.complete_tentative_arrays();
        lower.join_linked_names();
        faults.add(lower.choose_property(unit));
        lower.run(&mut faults);
    }
    if !faults.0.is_empty() {
        return Err(faults.0);
    }
    let property = match &lower.error_label {
        Some(label) => Property::Label(label.to_string()),
        None => reading.property.clone(),
    };
    let lost = lower.notes.lost();
    let mut program = lower.p;
    survey::mark_address_taken(&mut program, &mut lower.pace).map_err(|stop| vec![stop.into()])?;
    if property == Property::NoOverflow {
        program = craig_cfa::pass::overflow(&program, budget).map_err(|stop| vec![stop.into()])?;
        program.become_source();
    }
    Ok((Loaded { program, property, nothing: None }, lost))
}

impl<'a> Lower<'a> {
    /// Everything that the entry needs.
    fn run(&mut self, faults: &mut Faults) {
        let Some(entry) = faults.add(self.entry()) else { return };
        self.reference_func(entry);
        self.reference_around();
        while !self.work.is_empty() || self.reference_around() {
            let Some(work) = self.work.pop_front() else { break };
            faults.add(match work {
                Work::Func(f) => self.function(f),
                Work::Library(f) => self.library_procedure(f),
                Work::Global(g) => self.in_start(|l| l.global_initialiser(g)),
            });
            if faults.ended() {
                return;
            }
        }
        faults.add(self.in_start(|l| l.call_entry(entry)));
        self.complete_ends();
        faults.add(self.complete_indirect_calls());
        faults.add(self.complete_extern_effects());
        faults.add(self.complete_variadic_calls());
    }

    fn entry(&self) -> Res<FuncId> {
        let name = self.reading.entry.as_deref().unwrap_or("main");
        let found = match self.scopes[0].symbols.get(name) {
            Some(Symbol::Func(f)) => self.funcs[*f].definition.is_some().then_some(*f),
            _ => None,
        };
        found.ok_or_else(|| {
            Diagnostic::error(format!("no function `{name}` is defined in this file"))
                .help("`--entry NAME` starts at another function")
                .into()
        })
    }

    /// Under the default property a label `ERROR` counts only in programs that know no error function.
    fn choose_property(&mut self, unit: &ast::TranslationUnit) -> Res<()> {
        let label = match &self.reading.property {
            Property::Label(label) => Some(label.as_str()),
            Property::Default => {
                let mut known = ERROR_FUNCTIONS.iter().chain(&library::ASSERTIONS);
                let labelled = survey::has_error_label(unit, &mut self.pace)?;
                (labelled && !known.any(|k| self.scopes[0].symbols.contains_key(*k))).then_some("ERROR")
            }
            _ => None,
        };
        self.error_label = label.map(Name::from);
        Ok(())
    }

    /// Arbitrary arguments for the entry, the call, and its result as the status of the run.
    fn call_entry(&mut self, entry: FuncId) -> Res<()> {
        let Some(proc) = self.funcs[entry].proc else { return Ok(()) };
        let span = self.funcs[entry].span;
        self.before_main();
        let params: Vec<VarId> = self.p.procs[proc].params.clone();
        let mut args = Vec::new();
        for param in params {
            let (name, ty) = (self.p.vars[param].name.clone(), self.p.vars[param].ty);
            let place = self.temp_named(&name, ty, span);
            self.arbitrary(place, Choice::Entry, span);
            args.push(self.p.exprs.read(place));
        }
        let ret = self.p.procs[proc].ret;
        let result = (ret != Types::VOID).then(|| self.temp(ret, span));
        self.emit(Op::Call(Box::new(Call { proc, args, ret: result })), span);
        let exit = self.p.procs[self.proc].exit;
        let op = match result {
            Some(place) if self.p.types.as_int(ret).is_some() => {
                Op::Halt(Halt::Exit(self.p.exprs.read(place)))
            }
            _ => Op::Return(None),
        };
        let end = self.p.add_edge(self.cur, exit, op, span);
        self.around.ends(end);
        Ok(())
    }

    /// Translates into `__start`, whatever function is being translated.
    fn in_start<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if self.in_start {
            return work(self);
        }
        let (proc, cur, block) = (self.proc, self.cur, self.block);
        (self.proc, self.cur, self.in_start) = (self.p.entry, self.start_cur, true);
        self.block = ScopeId::ROOT;
        let result = work(self);
        self.start_cur = self.cur;
        (self.proc, self.cur, self.in_start, self.block) = (proc, cur, false, block);
        result
    }

    // Positions and errors.

    fn span<T>(&self, node: &Node<T>) -> Span {
        self.notes.within.unwrap_or_else(|| self.offsets.span(node.span))
    }

    fn error<T>(&self, message: impl Into<String>, span: Span) -> Res<T> {
        Err(Diagnostic::error(message).at(span).into())
    }

    // Locations and edges.

    /// The operation at the current location; goes on behind it.
    fn emit(&mut self, op: Op, span: Span) {
        if self.unevaluated {
            return;
        }
        let next = self.p.add_loc(self.proc, span);
        self.p.add_edge(self.cur, next, op, span);
        self.cur = next;
    }

    fn new_loc(&mut self, span: Span) -> LocId {
        self.p.add_loc(self.proc, span)
    }

    /// Leads from the current location to `to`.
    fn goto(&mut self, to: LocId, span: Span) {
        if !self.unevaluated {
            self.p.add_edge(self.cur, to, Op::Skip, span);
        }
    }

    /// The run does not come past this point; code that follows is unreachable.
    fn dead_end(&mut self, span: Span) {
        self.cur = self.new_loc(span);
    }

    fn halt(&mut self, halt: Halt, span: Span) {
        if self.unevaluated {
            return;
        }
        let exit = self.p.procs[self.proc].exit;
        self.p.add_edge(self.cur, exit, Op::Halt(halt), span);
        self.dead_end(span);
    }

    fn reach_error(&mut self, span: Span) {
        self.noted_error(span);
        let error = self.p.error;
        self.goto(error, span);
        self.dead_end(span);
    }

    /// A construct that is C but is not modelled. What follows has no meaning, so the operation leads to the error: a proof has to
    /// show that no run comes here, and a path that does is no counterexample but the reason for an UNKNOWN.
    fn not_modelled(&mut self, construct: &str, span: Span) {
        if self.unevaluated {
            return;
        }
        self.p.add_edge(self.cur, self.p.error, Op::Unsupported(construct.into()), span);
        self.dead_end(span);
    }

    /// Something that the program does not say is assumed here.
    fn lean(&mut self, kind: LeanKind, what: &str, span: Span) {
        if !self.unevaluated {
            // A handler may run anywhere.
            let at = (kind != LeanKind::Handler).then_some(self.cur);
            self.p.leans.push(Lean { kind, what: what.into(), at, span });
        }
    }

    /// An expression that is not modelled. Gives a value so that translation can go on.
    fn unsupported(&mut self, construct: &str, ty: TypeId, span: Span) -> Val {
        self.not_modelled(construct, span);
        self.zero_value(ty, span)
    }

    /// Some value of the type, for places that no run gets past.
    fn zero_value(&mut self, ty: TypeId, span: Span) -> Val {
        if ty == Types::VOID || matches!(self.p.types.get(ty), craig_cfa::Type::Func(_)) {
            return Val::Void;
        }
        if self.p.types.is_aggregate(ty) {
            return Val::Place(self.temp(ty, span));
        }
        Val::Expr(self.zero(ty))
    }

    fn zero(&mut self, ty: TypeId) -> ExprId {
        let zero =
            if self.p.types.is_aggregate(ty) { craig_cfa::Const::Zero } else { craig_cfa::Const::Bits(0) };
        self.p.exprs.constant(zero, ty)
    }

    /// Two successors of the current location.
    fn branch(&mut self, condition: ExprId, span: Span) -> (LocId, LocId) {
        let (yes, no) = (self.new_loc(span), self.new_loc(span));
        self.branch_to(condition, yes, no, span);
        (yes, no)
    }

    fn branch_to(&mut self, condition: ExprId, yes: LocId, no: LocId, span: Span) {
        if self.unevaluated {
            return;
        }
        let condition = self.bounded(condition, span);
        match self.p.exprs.as_bool(condition) {
            Some(true) => self.goto(yes, span),
            Some(false) => self.goto(no, span),
            None => {
                let negated = self.p.exprs.not(condition);
                self.p.add_edge(self.cur, yes, Op::Assume(condition), span);
                self.p.add_edge(self.cur, no, Op::Assume(negated), span);
            }
        }
    }

    // Variables.

    fn temp_named(&mut self, name: &str, ty: TypeId, span: Span) -> PlaceId {
        let var = self.local_var(name.into(), ty, VarKind::Temp, span);
        self.p.var_place(var)
    }

    /// A variable of the block.
    fn local_var(&mut self, name: Name, ty: TypeId, kind: VarKind, span: Span) -> VarId {
        let var = self.p.add_var(name, ty, kind, Some(self.proc), span);
        self.p.vars[var].scope = self.block;
        var
    }

    /// A label stands here.
    fn come_in(&mut self, label: LocId) {
        self.cur = label;
        self.p.scopes.enter_at(self.block, label);
    }

    fn temp(&mut self, ty: TypeId, span: Span) -> PlaceId {
        self.temps += 1;
        let name = format!("t.{}", self.temps);
        self.temp_named(&name, ty, span)
    }

    /// The value now, unchanged by what happens later.
    fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.p.exprs.as_const(value).is_some() {
            return value;
        }
        let ty = self.p.exprs.ty(value);
        if ty == Types::BOOL {
            // Truth values have no storage.
            let int = self.int_ty();
            let as_int = self.p.exprs.cast(&self.p.types, value, int);
            let saved = self.save(as_int, span);
            return self.p.exprs.is_nonzero(&self.p.types, saved);
        }
        let place = self.temp(ty, span);
        self.emit(Op::Assign(place, value), span);
        self.p.exprs.read(place)
    }

    /// The expression itself, or a variable that holds its value if it is deep: later recursion over it stays shallow.
    fn bounded(&mut self, value: ExprId, span: Span) -> ExprId {
        const DEEPEST: u32 = 200;
        if self.p.exprs.depth(value) > DEEPEST { self.save(value, span) } else { value }
    }

    /// Any value of the place's type. A pointer is null or points to a fresh object.
    fn arbitrary(&mut self, place: PlaceId, choice: Choice, span: Span) {
        let ty = self.p.exprs.place(place).ty;
        let Some(pointee) = self.p.types.pointee(ty) else {
            self.emit(Op::Havoc(place, choice), span);
            return;
        };
        let bool_ty = self.p.types.int(1, false);
        let is_null = self.temp(bool_ty, span);
        let maker = if matches!(choice, Choice::Nondet(_)) { Maker::Choice } else { Maker::Environment };
        self.emit(Op::Havoc(is_null, choice), span);
        let is_null = self.p.exprs.read(is_null);
        let is_null = self.p.exprs.is_nonzero(&self.p.types, is_null);
        let (null, fresh) = self.branch(is_null, span);
        self.cur = null;
        let zero = self.zero(ty);
        self.emit(Op::Assign(place, zero), span);
        let join = self.cur;
        self.cur = fresh;
        let size = self.p.types.size_of(pointee).unwrap_or(0).max(FRESH_BYTES);
        let size = self.size_const(size);
        self.emit(Op::Alloc { dst: place, size, zero: false, stack: false, maker }, span);
        self.goto(join, span);
        self.cur = join;
    }

    fn size_const(&mut self, bytes: u64) -> ExprId {
        let size_t = self.p.types.size_t();
        self.p.exprs.int(&self.p.types, i128::from(bytes), size_t)
    }

    // Names.

    fn lookup(&self, name: &str) -> Option<Symbol> {
        self.scopes.iter().rev().find_map(|s| s.symbols.get(name)).copied()
    }

    fn define(&mut self, name: &str, symbol: Symbol) {
        self.scopes.last_mut().expect("the file scope is always there").symbols.insert(name.into(), symbol);
    }

    /// A name that the current scope must not know yet.
    fn declare(&mut self, name: &str, symbol: Symbol, span: Span) -> Res<()> {
        if self.scopes.last().is_some_and(|s| s.symbols.contains_key(name)) {
            return self.error(format!("`{name}` is declared twice in this scope"), span);
        }
        self.define(name, symbol);
        Ok(())
    }

    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = self.block;
        // The file, the parameters, the body: what is in these lives as long as the function runs.
        if self.scopes.len() >= 3 {
            self.block = self.p.scopes.add(outer, self.cur);
        }
        self.scopes.push(Scope::default());
        let depth = self.cleanups.depth();
        let result = work(self);
        if self.cleanups.depth() > depth {
            let end = self.p.locs[self.cur].span;
            self.close_scope(depth, end);
        }
        self.scopes.pop();
        self.block = outer;
        result
    }

    /// The function is called or pointed at: it becomes part of the program if it has a body.
    fn reference_func(&mut self, f: FuncId) -> Option<ProcId> {
        if self.unevaluated || self.funcs[f].definition.is_none() {
            return self.funcs[f].proc;
        }
        if self.funcs[f].proc.is_none() {
            let craig_cfa::Type::Func(ty) = self.p.types.get(self.funcs[f].ty).clone() else { return None };
            let func = &self.funcs[f];
            let proc = self.p.add_proc(func.name.clone(), ty.ret, func.span);
            self.p.procs[proc].variadic = ty.variadic;
            self.funcs[f].proc = Some(proc);
            self.work.push_back(Work::Func(f));
        }
        self.funcs[f].proc
    }

    /// The variable behind a name at file scope; its initialiser becomes part of the program.
    fn reference_global(&mut self, g: GlobalId) -> VarId {
        if !self.unevaluated && !self.globals[g].initialised {
            self.globals[g].initialised = true;
            self.work.push_back(Work::Global(g));
        }
        if let Some(var) = self.globals[g].var {
            return var;
        }
        let global = &self.globals[g];
        let var = self.p.add_var(global.name.clone(), global.ty, VarKind::Global, None, global.span);
        self.p.vars[var].align = global.align;
        self.p.vars[var].larger = global.external;
        if global.volatile {
            let (what, span) = (global.name.clone(), global.span);
            self.p.leans.push(Lean { kind: LeanKind::Volatile, what, at: None, span });
        }
        self.globals[g].var = Some(var);
        var
    }

    fn int_ty(&mut self) -> TypeId {
        self.p.types.int(32, true)
    }

    fn char_ty(&mut self) -> TypeId {
        self.p.types.int(8, true)
    }
}

/// What went wrong so far. Other parts of the text are still looked at, unless the budget has ended.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add<T>(&mut self, result: Res<T>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    fn ended(&self) -> bool {
        matches!(self.0.last(), Some(Fault::Stopped(_)))
    }
}
