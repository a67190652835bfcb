//! What runs before `main` and after it: constructors, destructors, and what `atexit` is given.
//!
//! An end of the program by `exit`, or by a return from its first function, is met while functions are translated. Which functions it calls on the way is known when all of them are: then the
//! calls are put in front of it. First those that `atexit` has registered (the model in C keeps them), then destructors.

use super::library::MODEL_PREFIX;
use super::{FuncId, Lower, Val, Work};
use craig_base::Span;
use craig_cfa::{Call, EdgeId, ExprId, Halt, Op, ProcId, Types};

/// When a function runs by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Startup {
    /// Before `main`, those with smaller numbers first.
    Before(Priority),
    /// At the end, those with smaller numbers last.
    After(Priority),
}

/// Functions without a number come after all that have one, in the order of the text.
pub(super) type Priority = Option<u16>;

#[derive(Default)]
pub(super) struct Around {
    /// Functions that run by themselves, with the place of the text.
    startup: Vec<(FuncId, Startup)>,
    /// Edges that end the program after what has to run at its end.
    ends: Vec<EdgeId>,
}

impl Around {
    pub fn add(&mut self, f: FuncId, startup: Startup) {
        if !self.startup.contains(&(f, startup)) {
            self.startup.push((f, startup));
        }
    }

    pub fn ends(&mut self, edge: EdgeId) {
        self.ends.push(edge);
    }

    /// In the order in which they run.
    fn sorted(&self, before: bool) -> Vec<FuncId> {
        let key = |priority: Priority| (priority.is_none(), priority);
        let here = self.startup.iter().filter_map(|(f, startup)| match startup {
            Startup::Before(priority) if before => Some((key(*priority), *f)),
            Startup::After(priority) if !before => Some((key(*priority), *f)),
            _ => None,
        });
        let mut here: Vec<_> = here.collect();
        here.sort_by_key(|(key, _)| *key);
        if !before {
            here.reverse();
        }
        here.into_iter().map(|(_, f)| f).collect()
    }
}

impl Lower<'_> {
    /// Asks for all functions that run by themselves; whether some are still to be translated.
    pub(super) fn reference_around(&mut self) -> bool {
        for (f, _) in self.around.startup.clone() {
            self.reference_func(f);
        }
        self.registered();
        self.work.iter().any(|work| matches!(work, Work::Func(_)))
    }

    /// What calls the functions that `atexit` was given, if somebody calls `atexit`.
    fn registered(&mut self) -> Option<ProcId> {
        let atexit = self.defined_function(&format!("{MODEL_PREFIX}atexit"))?;
        self.funcs[atexit].proc?;
        let all = self.defined_function("__craig_at_exit")?;
        self.reference_func(all)
    }

    /// `exit`: the program ends here, after what runs at its end.
    pub(super) fn exit(&mut self, status: ExprId, span: Span) {
        if self.unevaluated {
            return;
        }
        let exit = self.p.procs[self.proc].exit;
        let end = self.p.add_edge(self.cur, exit, Op::Halt(Halt::Exit(status)), span);
        self.around.ends(end);
        self.dead_end(span);
    }

    /// At the current location of `__start`: what runs before `main`.
    pub(super) fn before_main(&mut self) {
        for f in self.around.sorted(true) {
            let span = self.funcs[f].span;
            match self.without_arguments(f) {
                Some(op) => self.emit(op, span),
                None => self.not_modelled("a function that runs before `main`", span),
            }
        }
    }

    /// Puts what runs at the end of the program in front of its ends.
    pub(super) fn complete_ends(&mut self) {
        let registered = self.registered();
        let after = self.around.sorted(false);
        if registered.is_none() && after.is_empty() {
            return;
        }
        for edge in std::mem::take(&mut self.around.ends) {
            let end = &mut self.p.edges[edge];
            let (from, to, span) = (end.from, end.to, end.span);
            let op = std::mem::replace(&mut end.op, Op::Skip);
            self.proc = self.p.locs[from].proc;
            self.cur = self.new_loc(span);
            self.p.edges[edge].to = self.cur;
            if let Some(proc) = registered {
                self.emit(Op::Call(Box::new(Call { proc, args: Vec::new(), ret: None })), span);
            }
            for f in &after {
                match self.without_arguments(*f) {
                    Some(op) => self.emit(op, span),
                    None => self.not_modelled("a function that runs after `main`", self.funcs[*f].span),
                }
            }
            self.p.add_edge(self.cur, to, op, span);
        }
    }

    /// The call of a function that has a body and takes and gives nothing.
    fn without_arguments(&self, f: FuncId) -> Option<Op> {
        let proc = self.funcs[f].proc.filter(|proc| {
            let proc = &self.p.procs[*proc];
            proc.params.is_empty() && proc.ret == Types::VOID
        })?;
        Some(Op::Call(Box::new(Call { proc, args: Vec::new(), ret: None })))
    }

    /// More functions for the end of the program than the model keeps.
    pub(super) fn too_many_registered(&mut self, span: Span) -> Val {
        self.unsupported("more than 32 functions for the end of the program", Types::VOID, span)
    }
}
