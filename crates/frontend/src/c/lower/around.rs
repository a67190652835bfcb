//! What runs before `main` and after it: constructors, destructors, and what `atexit` is given.
//!
//! An end of the program by `exit`, or by a return from its first function, is met while functions are translated. Which functions it calls on the way is known when all of them are: then the
//! calls are put in front of it. First those that `atexit` has registered (the model in C keeps them), then destructors.

use super::library::MODEL_PREFIX;
use super::{FuncId, Lower, Val, Work};
use craig_base::Span;
use craig_cfa::{Call, EdgeId, ExprId, Halt, Op, ProcId, Types};

/// A number; functions without one come after all that have one, in the order of the text.
pub(super) type Priority = Option<u16>;

#[derive(Default)]
pub(super) struct Around {
    /// Functions that run before `main`, those with smaller numbers first.
    before: Vec<(FuncId, Priority)>,
    /// Functions that run at the end, in the opposite order.
    after: Vec<(FuncId, Priority)>,
    /// Edges that end the program after what has to run at its end.
    ends: Vec<EdgeId>,
}

impl Around {
    pub fn add(&mut self, f: FuncId, before: Option<Priority>, after: Option<Priority>) {
        for (all, priority) in [(&mut self.before, before), (&mut self.after, after)] {
            if let Some(priority) = priority
                && !all.contains(&(f, priority))
            {
                all.push((f, priority));
            }
        }
    }

    pub fn ends(&mut self, edge: EdgeId) {
        self.ends.push(edge);
    }
}

fn sorted(functions: &[(FuncId, Priority)]) -> impl DoubleEndedIterator<Item = FuncId> + use<> {
    let mut functions = functions.to_vec();
    functions.sort_by_key(|(_, priority)| (priority.is_none(), *priority));
    functions.into_iter().map(|(f, _)| f)
}

impl Lower<'_> {
    /// Asks for all functions that run by themselves; whether some are still to be translated.
    pub(super) fn reference_around(&mut self) -> bool {
        for (f, _) in [&self.around.before[..], &self.around.after].concat() {
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
        for f in sorted(&self.around.before) {
            self.run_by_itself(f, "a function that runs before `main`", self.funcs[f].span);
        }
    }

    /// Puts what runs at the end of the program in front of its ends.
    pub(super) fn complete_ends(&mut self) {
        let registered = self.registered();
        let after: Vec<FuncId> = sorted(&self.around.after).rev().collect();
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
                self.run_by_itself(*f, "a function that runs after `main`", span);
            }
            self.p.add_edge(self.cur, to, op, span);
        }
    }

    /// Calls a function, which is modelled if it has a body and takes and gives nothing.
    fn run_by_itself(&mut self, f: FuncId, what: &str, span: Span) {
        let fits = |proc: &ProcId| {
            let proc = &self.p.procs[*proc];
            proc.params.is_empty() && proc.ret == Types::VOID
        };
        match self.funcs[f].proc.filter(fits) {
            Some(proc) => self.emit(Op::Call(Box::new(Call { proc, args: Vec::new(), ret: None })), span),
            None => self.not_modelled(what, self.funcs[f].span),
        }
    }

    /// More functions for the end of the program than the model keeps.
    pub(super) fn too_many_registered(&mut self, span: Span) -> Val {
        self.unsupported("more than 32 functions for the end of the program", Types::VOID, span)
    }
}
