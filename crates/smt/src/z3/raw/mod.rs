//! Z3's C interface behind safe functions: this folder is the only place in this library with `unsafe`. Here are the context, terms
//! and projection; `model` and `solver` hold what their names say, `quiet` keeps Z3 from writing to the terminal.
//!
//! Why not the crate `z3`: it has one implicit context per thread and counts references of every term at every
//! step; we translate each term once, keep it for the life of the context, and pass plain handles.
//!
//! What makes the calls sound:
//! - every handle ([`Ast`], [`Decl`], [`ZSort`]) is used only with the context that made it; the types do not leave
//!   `crate::z3`, where each user holds its context;
//! - the context counts references, and whatever a function here hands out is kept alive by the context
//!   (`keep`), by the object it was read from (a model or vector that the caller still borrows), or by a guard
//!   that gives the reference back (`Owned`);
//! - errors do not call back: the error handler is off and null results become [`Error`];
//! - a context is used by one thread; only [`Interrupt`] crosses threads, and `Z3_interrupt` is made for that. It is
//!   called under a lock that the owner takes before it deletes the context.
#![allow(unsafe_code, reason = "calls of Z3's C interface")]

use std::cell::{OnceCell, RefCell};
use std::ffi::{CStr, CString};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use z3_sys::*;

mod model;
mod quiet;
mod solver;

pub use model::{FunctionView, Model, ModelBuilder};
pub use solver::{Fixedpoint, Lbool, Solver};
pub use z3_sys::DeclKind;
pub type Ast = Z3_ast;
pub type Decl = Z3_func_decl;
pub type ZSort = Z3_sort;

/// What Z3 said when it refused a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Z3: {}", self.0)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Version of the linked library: major, minor, build.
pub fn version() -> (u32, u32, u32) {
    let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
    // SAFETY: four valid places to write to.
    unsafe { Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
    (major, minor, build)
}

struct ContextPtr(Option<Z3_context>);
// SAFETY: the pointer is only passed to `Z3_interrupt` from other threads, under the mutex around it.
unsafe impl Send for ContextPtr {}

/// Interrupts what its context is doing; may be used from any thread, also after the context is gone.
#[derive(Clone)]
pub struct Interrupt(Arc<Mutex<ContextPtr>>);

impl Interrupt {
    pub fn interrupt(&self) {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ctx) = guard.0 {
            // SAFETY: the context lives while the pointer is in the mutex.
            unsafe { Z3_interrupt(ctx) };
        }
    }
}

/// A Z3 context.
pub struct Context {
    ctx: Z3_context,
    kept: RefCell<Vec<Ast>>,
    interrupt: Interrupt,
    /// A solver without assertions, to read the count of work from.
    meter: OnceCell<Z3_solver>,
}

impl Drop for Context {
    fn drop(&mut self) {
        self.interrupt.0.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
        // SAFETY: the references were taken in `keep` and `work`; solvers and models hold the context by `Rc`, so none is left.
        unsafe {
            for ast in self.kept.borrow().iter() {
                Z3_dec_ref(self.ctx, *ast);
            }
            if let Some(meter) = self.meter.get() {
                Z3_solver_dec_ref(self.ctx, *meter);
            }
            Z3_del_context(self.ctx);
        }
    }
}

/// A reference that is given back when the guard goes.
pub struct Owned<'c> {
    ctx: &'c Context,
    pub ast: Ast,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // SAFETY: taken in `Context::own`.
        unsafe { Z3_dec_ref(self.ctx.ctx, self.ast) };
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "_")).expect("no zero byte is left")
}

fn text(s: Z3_string) -> String {
    if s.is_null() {
        return String::new();
    }
    // SAFETY: Z3 returns a zero-terminated string that lives until the next call; it is copied here.
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

macro_rules! unary {
    ($($name:ident $f:ident;)*) => {$(
        pub fn $name(&self, a: Ast) -> Result<Ast> {
            // SAFETY: handles of this context.
            self.keep(unsafe { $f(self.ctx, a) })
        }
    )*};
}
macro_rules! binary {
    ($($name:ident $f:ident;)*) => {$(
        pub fn $name(&self, a: Ast, b: Ast) -> Result<Ast> {
            // SAFETY: handles of this context.
            self.keep(unsafe { $f(self.ctx, a, b) })
        }
    )*};
}
macro_rules! nary {
    ($($name:ident $f:ident;)*) => {$(
        pub fn $name(&self, args: &[Ast]) -> Result<Ast> {
            // SAFETY: handles of this context, with their number.
            self.keep(unsafe { $f(self.ctx, args.len() as u32, args.as_ptr()) })
        }
    )*};
}

/// Z3 touches 16 MB for each new context. Keeping freed memory makes every context but the first cheap: the checker gets a
/// context of its own right after the engine gave one back, and on small programs the page faults were most of the time. Best called
/// before other threads are started: memory that they have taken from arenas of their own stays there.
#[cfg(target_env = "gnu")]
pub fn keep_freed_memory() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    const LARGE: std::ffi::c_int = 256 << 20;
    // SAFETY: sets parameters of the allocator; any value is allowed.
    ONCE.call_once(|| unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
        // One arena for all threads: a context on a new thread takes the memory that another left.
        libc::mallopt(libc::M_ARENA_MAX, 1);
    });
}

#[cfg(not(target_env = "gnu"))]
pub fn keep_freed_memory() {}

/// Ends the process without cleaning up: what Z3 does at an ordinary exit must not happen while a call of it is still under way.
pub fn end_process(code: u8) -> ! {
    // SAFETY: never returns and touches nothing of this process.
    unsafe { libc::_exit(i32::from(code)) }
}

impl Context {
    pub fn new() -> Context {
        keep_freed_memory();
        quiet::silence();
        // SAFETY: plain construction; the configuration is deleted after use.
        unsafe {
            let globally = |k: &str, v: &str| {
                let (k, v) = (c_string(k), c_string(v));
                Z3_global_param_set(k.as_ptr(), v.as_ptr());
            };
            // Z3 5.4 recurses without end in the newer of its two projections (Spacer, some divisibility problems).
            globally("smt.qsat_use_qel", "false");
            // Its search for contradictions among equations of integers took half of the time on long paths whose addresses are unknown, and
            // decided nothing elsewhere: of 103 tasks (5 s) two more are decided without it, at the same cost.
            globally("lp.dio", "false");
            let config = Z3_mk_config().expect("Z3 makes a configuration");
            let set = |k: &str, v: &str| {
                let (k, v) = (c_string(k), c_string(v));
                Z3_set_param_value(config, k.as_ptr(), v.as_ptr());
            };
            // Sessions are incremental: a set-up chosen from the first query would not fit the next.
            set("auto_config", "false");
            set("model", "true");
            let ctx = Z3_mk_context_rc(config).expect("Z3 makes a context");
            Z3_del_config(config);
            Z3_set_error_handler(ctx, None);
            let interrupt = Interrupt(Arc::new(Mutex::new(ContextPtr(Some(ctx)))));
            Context { ctx, kept: RefCell::default(), interrupt, meter: OnceCell::new() }
        }
    }

    pub fn interrupt_handle(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// The units of work that this context has counted so far. The first time it makes a solver, which takes as long as a small check.
    pub fn work(&self) -> u64 {
        // SAFETY: plain construction; given back when the context goes.
        let meter = self.meter.get_or_init(|| unsafe {
            let meter = Z3_mk_simple_solver(self.ctx).expect("Z3 makes a solver");
            Z3_solver_inc_ref(self.ctx, meter);
            meter
        });
        // SAFETY: a living solver.
        self.count(unsafe { Z3_solver_get_statistics(self.ctx, *meter) })
    }

    /// The units of work in some statistics.
    fn count(&self, stats: Option<Z3_stats>) -> u64 {
        let Some(stats) = stats else { return 0 };
        // SAFETY: living statistics, positions below their number; the key is read before the next call.
        unsafe {
            Z3_stats_inc_ref(self.ctx, stats);
            let is_count = |i: &u32| {
                let key = Z3_stats_get_key(self.ctx, stats, *i);
                !key.is_null() && CStr::from_ptr(key) == c"rlimit count"
            };
            // It comes last.
            let count = (0..Z3_stats_size(self.ctx, stats)).rev().find(is_count).map_or(0, |i| {
                if Z3_stats_is_uint(self.ctx, stats, i) {
                    u64::from(Z3_stats_get_uint_value(self.ctx, stats, i))
                } else {
                    Z3_stats_get_double_value(self.ctx, stats, i) as u64
                }
            });
            Z3_stats_dec_ref(self.ctx, stats);
            count
        }
    }

    /// The error state of the last call.
    fn fault(&self) -> Error {
        // SAFETY: plain queries.
        unsafe {
            let code = Z3_get_error_code(self.ctx);
            Error(text(Z3_get_error_msg(self.ctx, code)))
        }
    }

    fn keep(&self, ast: Option<Ast>) -> Result<Ast> {
        let Some(ast) = ast else { return Err(self.fault()) };
        // SAFETY: a fresh handle of this context; given back when the context goes.
        unsafe { Z3_inc_ref(self.ctx, ast) };
        self.kept.borrow_mut().push(ast);
        Ok(ast)
    }

    fn own(&self, ast: Option<Ast>) -> Result<Owned<'_>> {
        let Some(ast) = ast else { return Err(self.fault()) };
        // SAFETY: a fresh handle of this context; given back by the guard.
        unsafe { Z3_inc_ref(self.ctx, ast) };
        Ok(Owned { ctx: self, ast })
    }

    fn keep_sort(&self, sort: Option<ZSort>) -> Result<ZSort> {
        let Some(sort) = sort else { return Err(self.fault()) };
        // SAFETY: a sort is an AST.
        self.keep(unsafe { Z3_sort_to_ast(self.ctx, sort) })?;
        Ok(sort)
    }

    fn keep_decl(&self, decl: Option<Decl>) -> Result<Decl> {
        let Some(decl) = decl else { return Err(self.fault()) };
        // SAFETY: a declaration is an AST.
        self.keep(unsafe { Z3_func_decl_to_ast(self.ctx, decl) })?;
        Ok(decl)
    }

    fn symbol(&self, name: &str) -> Z3_symbol {
        let name = c_string(name);
        // SAFETY: a zero-terminated string.
        unsafe { Z3_mk_string_symbol(self.ctx, name.as_ptr()) }.expect("Z3 makes a symbol")
    }

    pub fn bool_sort(&self) -> Result<ZSort> {
        // SAFETY: plain construction, as in the functions that follow.
        self.keep_sort(unsafe { Z3_mk_bool_sort(self.ctx) })
    }

    pub fn int_sort(&self) -> Result<ZSort> {
        // SAFETY: see above.
        self.keep_sort(unsafe { Z3_mk_int_sort(self.ctx) })
    }

    pub fn real_sort(&self) -> Result<ZSort> {
        // SAFETY: see above.
        self.keep_sort(unsafe { Z3_mk_real_sort(self.ctx) })
    }

    pub fn bv_sort(&self, width: u32) -> Result<ZSort> {
        // SAFETY: see above.
        self.keep_sort(unsafe { Z3_mk_bv_sort(self.ctx, width) })
    }

    pub fn array_sort(&self, index: ZSort, element: ZSort) -> Result<ZSort> {
        // SAFETY: see above.
        self.keep_sort(unsafe { Z3_mk_array_sort(self.ctx, index, element) })
    }

    pub fn decl(&self, name: &str, domain: &[ZSort], range: ZSort) -> Result<Decl> {
        let name = self.symbol(name);
        // SAFETY: handles of this context, with their number.
        self.keep_decl(unsafe {
            Z3_mk_func_decl(self.ctx, name, domain.len() as u32, domain.as_ptr(), range)
        })
    }

    /// A declaration whose name Z3 makes unique.
    pub fn fresh_decl(&self, prefix: &str, domain: &[ZSort], range: ZSort) -> Result<Decl> {
        let prefix = c_string(prefix);
        // SAFETY: handles of this context, with their number.
        self.keep_decl(unsafe {
            Z3_mk_fresh_func_decl(self.ctx, prefix.as_ptr(), domain.len() as u32, domain.as_ptr(), range)
        })
    }

    pub fn apply(&self, decl: Decl, args: &[Ast]) -> Result<Ast> {
        // SAFETY: handles of this context, with their number.
        self.keep(unsafe { Z3_mk_app(self.ctx, decl, args.len() as u32, args.as_ptr()) })
    }

    pub fn int64(&self, value: i64, sort: ZSort) -> Result<Ast> {
        // SAFETY: handles of this context.
        self.keep(unsafe { Z3_mk_int64(self.ctx, value, sort) })
    }

    /// A number from its decimal text (`12`, `-3`, `2/3`).
    pub fn numeral(&self, digits: &str, sort: ZSort) -> Result<Ast> {
        let digits = c_string(digits);
        // SAFETY: a zero-terminated string and a handle of this context.
        self.keep(unsafe { Z3_mk_numeral(self.ctx, digits.as_ptr(), sort) })
    }

    pub fn bool_value(&self, value: bool) -> Result<Ast> {
        // SAFETY: plain construction.
        self.keep(unsafe { if value { Z3_mk_true(self.ctx) } else { Z3_mk_false(self.ctx) } })
    }

    unary! {
        not Z3_mk_not;
        int2real Z3_mk_int2real;
        bvnot Z3_mk_bvnot;
        bvneg Z3_mk_bvneg;
    }

    binary! {
        eq Z3_mk_eq;
        implies Z3_mk_implies;
        le Z3_mk_le;
        lt Z3_mk_lt;
        div Z3_mk_div;
        modulo Z3_mk_mod;
        select Z3_mk_select;
        bvand Z3_mk_bvand;
        bvor Z3_mk_bvor;
        bvxor Z3_mk_bvxor;
        bvadd Z3_mk_bvadd;
        bvmul Z3_mk_bvmul;
        bvudiv Z3_mk_bvudiv;
        bvurem Z3_mk_bvurem;
        bvsdiv Z3_mk_bvsdiv;
        bvsrem Z3_mk_bvsrem;
        bvshl Z3_mk_bvshl;
        bvlshr Z3_mk_bvlshr;
        bvashr Z3_mk_bvashr;
        concat Z3_mk_concat;
        bvule Z3_mk_bvule;
        bvult Z3_mk_bvult;
        bvsle Z3_mk_bvsle;
        bvslt Z3_mk_bvslt;
    }

    nary! {
        and Z3_mk_and;
        or Z3_mk_or;
        add Z3_mk_add;
        mul Z3_mk_mul;
    }

    pub fn ite(&self, c: Ast, a: Ast, b: Ast) -> Result<Ast> {
        // SAFETY: handles of this context, as in the functions that follow.
        self.keep(unsafe { Z3_mk_ite(self.ctx, c, a, b) })
    }

    pub fn store(&self, a: Ast, i: Ast, e: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_store(self.ctx, a, i, e) })
    }

    pub fn const_array(&self, index: ZSort, element: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_const_array(self.ctx, index, element) })
    }

    pub fn extract(&self, high: u32, low: u32, a: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_extract(self.ctx, high, low, a) })
    }

    pub fn zero_ext(&self, by: u32, a: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_zero_ext(self.ctx, by, a) })
    }

    pub fn sign_ext(&self, by: u32, a: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_sign_ext(self.ctx, by, a) })
    }

    pub fn bv2int(&self, a: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_bv2int(self.ctx, a, false) })
    }

    pub fn int2bv(&self, width: u32, a: Ast) -> Result<Ast> {
        // SAFETY: see above.
        self.keep(unsafe { Z3_mk_int2bv(self.ctx, width, a) })
    }

    fn apps(&self, constants: &[Ast]) -> Vec<Z3_app> {
        // SAFETY: callers pass constants, which are applications.
        constants.iter().filter_map(|c| unsafe { Z3_to_app(self.ctx, *c) }).collect()
    }

    /// The body with the constants bound by a universal or existential quantifier.
    pub fn quantify(&self, forall: bool, constants: &[Ast], body: Ast) -> Result<Ast> {
        let bound = self.apps(constants);
        let make = if forall { Z3_mk_forall_const } else { Z3_mk_exists_const };
        // SAFETY: handles of this context, with their number; no patterns.
        self.keep(unsafe { make(self.ctx, 0, bound.len() as u32, bound.as_ptr(), 0, std::ptr::null(), body) })
    }

    // --- Looking into terms that Z3 made ---

    pub fn view(&self, ast: Ast) -> View {
        // SAFETY: a living handle of this context; the casts follow the kind that Z3 reports.
        unsafe {
            match Z3_get_ast_kind(self.ctx, ast) {
                AstKind::Numeral => View::Numeral,
                AstKind::App => {
                    let app = Z3_to_app(self.ctx, ast).expect("an application");
                    let decl = Z3_get_app_decl(self.ctx, app).expect("an application has a declaration");
                    let args = (0..Z3_get_app_num_args(self.ctx, app))
                        .map(|i| Z3_get_app_arg(self.ctx, app, i).expect("an argument"))
                        .collect();
                    View::App(Z3_get_decl_kind(self.ctx, decl), decl, args)
                }
                AstKind::Var => View::Var(Z3_get_index_value(self.ctx, ast)),
                _ => View::Other,
            }
        }
    }

    pub fn numeral_i64(&self, ast: Ast) -> Option<i64> {
        let mut value = 0;
        // SAFETY: a living numeral and a place to write to.
        unsafe { Z3_get_numeral_int64(self.ctx, ast, &mut value) }.then_some(value)
    }

    pub fn numeral_text(&self, ast: Ast) -> String {
        // SAFETY: a living numeral.
        text(unsafe { Z3_get_numeral_string(self.ctx, ast) })
    }

    pub fn decl_parameter(&self, decl: Decl, position: u32) -> Option<u32> {
        // SAFETY: a living declaration; the position is checked.
        unsafe {
            (position < Z3_get_decl_num_parameters(self.ctx, decl))
                .then(|| Z3_get_decl_int_parameter(self.ctx, decl, position))
                .and_then(|n| u32::try_from(n).ok())
        }
    }

    /// Kind and, for bit-vectors, width; for arrays, index and element sort.
    pub fn sort_view(&self, ast: Ast) -> SortView {
        // SAFETY: a living handle.
        unsafe {
            match Z3_get_sort(self.ctx, ast) {
                Some(sort) => self.view_sort(sort),
                None => SortView::Other,
            }
        }
    }

    fn view_sort(&self, sort: ZSort) -> SortView {
        // SAFETY: a living sort; the queries fit the kind Z3 reports.
        unsafe {
            match Z3_get_sort_kind(self.ctx, sort) {
                SortKind::Bool => SortView::Bool,
                SortKind::Int => SortView::Int,
                SortKind::Real => SortView::Real,
                SortKind::Bv => SortView::Bv(Z3_get_bv_sort_size(self.ctx, sort)),
                SortKind::Array => {
                    match (Z3_get_array_sort_domain(self.ctx, sort), Z3_get_array_sort_range(self.ctx, sort))
                    {
                        (Some(i), Some(e)) => {
                            SortView::Array(Box::new(self.view_sort(i)), Box::new(self.view_sort(e)))
                        }
                        _ => SortView::Other,
                    }
                }
                _ => SortView::Other,
            }
        }
    }

    pub fn print(&self, ast: Ast) -> String {
        // SAFETY: a living handle.
        text(unsafe { Z3_ast_to_string(self.ctx, ast) })
    }

    // --- Projection ---

    /// Model-based projection: a formula without the constants that holds in the model and implies that some values
    /// of the constants satisfy the body.
    pub fn project(&self, model: &Model<'_>, constants: &[Ast], body: Ast) -> Result<Owned<'_>> {
        let bound = self.apps(constants);
        // SAFETY: handles of this context, with their number.
        self.own(unsafe {
            Z3_qe_model_project(self.ctx, model.model, bound.len() as u32, bound.as_ptr(), body)
        })
    }
}

/// What a term looks like from outside.
pub enum View {
    Numeral,
    App(DeclKind, Decl, Vec<Ast>),
    /// A bound variable by its index.
    Var(u32),
    Other,
}

pub enum SortView {
    Bool,
    Int,
    Real,
    Bv(u32),
    Array(Box<SortView>, Box<SortView>),
    Other,
}
