//! Variables with a function that is called when they go out of scope (`__attribute__((cleanup(f)))`).
//!
//! Scopes are left at their end, by `break`, `continue` and `return`, and by `goto`. Which scopes a `goto` leaves is known where its label stands: such jumps are completed at the end of the function.

use super::{FuncId, Lower, Name};
use craig_base::Span;
use craig_cfa::{Call, LocId, Op, Types, VarId};
use rustc_hash::FxHashMap;

/// What is to be called for a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cleanup {
    f: FuncId,
    var: VarId,
}

/// A jump out of scopes that have something to clean up, from a location of its own.
struct Jump {
    from: LocId,
    label: Name,
    open: Vec<Cleanup>,
    span: Span,
}

/// Of the function that is being translated.
#[derive(Default)]
pub(super) struct Cleanups {
    /// Of all open scopes, the innermost last.
    open: Vec<Cleanup>,
    /// What is open where a label stands, if anything is.
    labels: FxHashMap<Name, Vec<Cleanup>>,
    jumps: Vec<Jump>,
}

impl Cleanups {
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn add(&mut self, f: FuncId, var: VarId) {
        self.open.push(Cleanup { f, var });
    }

    /// A label stands here.
    pub fn label(&mut self, label: &str) {
        if !self.open.is_empty() {
            self.labels.insert(label.into(), self.open.clone());
        }
    }
}

impl Lower<'_> {
    /// At the end of a scope.
    pub(super) fn close_scope(&mut self, depth: usize, span: Span) {
        self.clean_up(depth, span);
        self.cleanups.open.truncate(depth);
    }

    /// Calls what is open beyond a depth, the last that was declared first.
    pub(super) fn clean_up(&mut self, depth: usize, span: Span) {
        let open = self.cleanups.open.clone();
        for cleanup in open[depth..].iter().rev() {
            self.call_cleanup(*cleanup, span);
        }
    }

    fn call_cleanup(&mut self, Cleanup { f, var }: Cleanup, span: Span) {
        if self.unevaluated {
            return;
        }
        let proc = self.reference_func(f);
        let ty = match self.p.types.get(self.funcs[f].ty).clone() {
            craig_cfa::Type::Func(ty) if ty.params.len() == 1 && self.p.types.is_ptr(ty.params[0]) => ty,
            _ => return self.not_modelled("a function to clean up that takes no pointer", span),
        };
        let Some(proc) = proc else {
            return self.not_modelled("a function to clean up that has no body", span);
        };
        let place = self.p.var_place(var);
        let address = self.p.exprs.addr_of(&mut self.p.types, place);
        let address = self.p.exprs.cast(&self.p.types, address, ty.params[0]);
        let ret = (ty.ret != Types::VOID).then(|| self.temp(ty.ret, span));
        self.emit(Op::Call(Box::new(Call { proc, args: vec![address], ret })), span);
    }

    /// `goto` from the current location; behind it nothing goes on.
    pub(super) fn leave_by_goto(&mut self, label: &str, span: Span) {
        let to = self.label(label, span);
        if self.cleanups.open.is_empty() || self.unevaluated {
            self.goto(to, span);
        } else {
            let open = self.cleanups.open.clone();
            self.cleanups.jumps.push(Jump { from: self.cur, label: label.into(), open, span });
        }
        self.dead_end(span);
    }

    /// At the end of a function: all labels are known.
    pub(super) fn complete_jumps(&mut self) {
        for Jump { from, label, open, span } in std::mem::take(&mut self.cleanups.jumps) {
            let still = self.cleanups.labels.get(&label).cloned().unwrap_or_default();
            self.cur = from;
            let Some(left) = open.strip_prefix(&still[..]) else {
                self.not_modelled("a jump into the scope of a variable with a function to clean up", span);
                continue;
            };
            for cleanup in left.iter().rev() {
                self.call_cleanup(*cleanup, span);
            }
            let to = self.label(&label, span);
            self.goto(to, span);
        }
        self.cleanups = Cleanups::default();
    }
}
