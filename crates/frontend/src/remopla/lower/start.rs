//! Modules, and where runs begin.

use super::super::ast::{File, Module};
use super::{Frame, Lower, Param, Signature};
use crate::{Fault, Res};
use craig_base::{Diagnostic, Span};
use craig_cfa::{Call, Choice, EdgeId, LocId, Name, Op};
use rustc_hash::FxHashSet;

/// Where runs begin unless something else is said.
const USUAL: &str = "main";

impl Lower<'_> {
    pub fn modules(&mut self, file: &File) -> Res<()> {
        for module in file.modules.iter().filter(|m| m.body.is_some()) {
            let signature = self.signatures[&module.name.name].clone();
            self.module(module, &signature)?;
        }
        Ok(())
    }

    fn module(&mut self, module: &Module, signature: &Signature) -> Res<()> {
        let proc = signature.proc;
        let Some(body) = &module.body else { return Ok(()) };
        self.frame = Frame::new(proc);
        self.frame.locals = self.locals(module, proc)?;
        self.cur = self.p.procs[proc].entry;
        let given = |name: &Name| signature.given.iter().any(|p| p.name == *name);
        for local in body.locals.iter().filter(|l| !given(&l.name.name)) {
            let variable = self.frame.locals[&local.name.name].clone();
            let place = self.p.var_place(variable.var);
            self.havoc(place, &variable.shape, Choice::Uninit, local.name.span);
        }
        let first_edge = self.p.edges.len();
        let first = self.new_loc(module.span);
        self.frame.labels.insert(module.name.name.clone(), first);
        self.goto(first, module.span);
        self.come_to(first, &module.name);
        self.stmts(Some(&module.name), &body.stmts)?;
        if signature.result.is_none() {
            let exit = self.p.procs[proc].exit;
            self.p.add_edge(self.cur, exit, Op::Return(None), body.end);
        } else if self.is_reachable(first, first_edge) {
            return Err(Fault::from(
                Diagnostic::error(format!("module `{}` can end without a result", module.name.name))
                    .at(body.end)
                    .help("every way through it needs a `return` with a value"),
            ));
        }
        Ok(())
    }

    /// Does a way lead from there to where the translation is, over the edges from a number on?
    fn is_reachable(&self, from: LocId, first_edge: usize) -> bool {
        let mut edges: Vec<EdgeId> = (first_edge..self.p.edges.len()).map(EdgeId::from_usize).collect();
        edges.sort_by_key(|e| self.p.edges[*e].from);
        let mut seen: FxHashSet<LocId> = [from].into_iter().collect();
        let mut todo = vec![from];
        while let Some(loc) = todo.pop() {
            let start = edges.partition_point(|e| self.p.edges[*e].from < loc);
            for edge in edges[start..].iter().map(|e| &self.p.edges[*e]).take_while(|e| e.from == loc) {
                if seen.insert(edge.to) {
                    todo.push(edge.to);
                }
            }
        }
        seen.contains(&self.cur)
    }

    /// Globals are arbitrary; then the module where runs begin is called, with arbitrary arguments. Below it on the stack there may be others,
    /// which come when it has returned.
    pub fn start(&mut self, file: &File, entry: Option<&str>) -> Res<()> {
        let stack: Vec<(&str, Option<Span>)> = match (entry, &file.init) {
            (Some(entry), _) => vec![(entry, None)],
            (None, Some(init)) => init.stack.iter().map(|s| (&*s.name, Some(s.span))).collect(),
            (None, None) => vec![(USUAL, None)],
        };
        let mut called = Vec::new();
        for (name, span) in stack {
            let Some(signature) = self.signatures.get(name).cloned() else {
                let cut: String = name.chars().take(60).collect();
                let diagnostic = Diagnostic::error(format!("there is no module `{}`", cut.escape_debug()))
                    .help("`init NAME;` in the text or --entry says where runs begin");
                return Err(Fault::from(match span {
                    Some(span) => diagnostic.at(span),
                    None => diagnostic,
                }));
            };
            called.push(signature);
        }
        let proc = self.p.entry;
        self.frame = Frame::new(proc);
        self.cur = self.p.procs[proc].entry;
        for global in std::mem::take(&mut self.global_order) {
            let place = self.p.var_place(global.var);
            let span = self.p.vars[global.var].span;
            self.havoc(place, &global.shape, Choice::Entry, span);
        }
        self.start_state(file.init.as_ref());
        for signature in called {
            self.call_entry(&signature);
        }
        self.p.add_edge(self.cur, self.p.procs[proc].exit, Op::Return(None), Span::default());
        Ok(())
    }

    /// With arbitrary arguments.
    fn call_entry(&mut self, signature: &Signature) {
        let mut args = Vec::new();
        let params = signature.params.iter().chain(&signature.given);
        for (Param { name, shape }, param) in params.zip(self.p.procs[signature.proc].params.clone()) {
            let span = self.p.vars[param].span;
            let var = self.temp(name, shape.ty, span);
            args.push(self.any_argument(var, shape, Choice::Entry, span));
        }
        let call = Call { proc: signature.proc, args, ret: None };
        self.emit(Op::Call(Box::new(call)), signature.span);
    }
}
