//! Rules: `q <a> --> r <b c> (condition)`.
//!
//! A stack symbol is a control point. One that is pushed, or stands in `init`, is where a procedure begins; a procedure has all symbols that
//! its rules lead to, the one under a pushed symbol included. A symbol of several procedures has its rules in each of them.
//!
//! A rule becomes: choice of the rule, arbitrary values for all variables that occur with a prime, the condition, the new values stored. All
//! other variables keep their values. Where the condition is a conjunction with `x' == e`, that value is taken at once: the condition is assumed
//! all the same, but a run need not guess. Control states, if there are several, are the values of one more global variable.

use super::super::ast::{BinOp as Operator, Expr, ExprKind, File, Ident, Init, Place, Rule, Step};
use super::super::types::{Elem, Enum, Shape, bits};
use super::{Frame, Lower, Signature, Variable, shown, wrong, wrong_with};
use crate::Res;
use craig_base::Span;
use craig_cfa::{BinOp, Call, Choice, ExprId, LocId, Name, Op, ProcId, Types, VarKind};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// No text can spell this name.
const STATE: &str = "#state";

/// The variable for control states, and their names.
#[derive(Debug, Clone)]
pub struct States {
    variable: Variable,
    names: IndexSet<Name, FxBuildHasher>,
}

impl Lower<'_> {
    /// Makes procedures of symbols, and labels of all of them.
    pub fn declare_rules(&mut self, file: &File) -> Res<()> {
        let Some(first) = file.rules.first() else { return Ok(()) };
        let init = file.init.iter().flat_map(|init| &init.stack);
        let mut entries: Vec<&Ident> = Vec::new();
        for rule in &file.rules {
            if rule.from.stack.len() != 1 || rule.to.stack.len() > 2 {
                return wrong_with(
                    "a rule of another form",
                    rule.span,
                    "one symbol on the left, none, one or two on the right",
                );
            }
            for symbol in &rule.from.stack {
                if self.signatures.contains_key(&symbol.name) {
                    return wrong(format!("a rule for {}, which is a module", shown(symbol)), symbol.span);
                }
            }
            if let [pushed, _] = &*rule.to.stack {
                entries.push(pushed);
            }
        }
        let symbols = file.rules.iter().flat_map(|rule| rule.from.stack.iter().chain(&rule.to.stack));
        for symbol in symbols.chain(init.clone()) {
            let module = self.signatures.contains_key(&symbol.name);
            match self.labels.get(&symbol.name) {
                Some((home, _)) if !module && *home != symbol.name => {
                    return wrong(
                        format!("a rule with {}, which is a label in module `{home}`", shown(symbol)),
                        symbol.span,
                    );
                }
                Some(_) => {}
                None => {
                    self.labels.insert(symbol.name.clone(), (symbol.name.clone(), symbol.span));
                }
            }
        }
        for entry in entries.into_iter().chain(init) {
            if !self.signatures.contains_key(&entry.name) {
                let proc = self.p.add_proc(entry.name.clone(), Types::VOID, entry.span);
                let (params, result) = (Vec::new(), None);
                let signature = Signature { proc, params, result, span: entry.span, defined: true };
                self.signatures.insert(entry.name.clone(), signature);
                self.entries.push((entry.clone(), proc));
            }
        }
        self.declare_states(file, first.span);
        Ok(())
    }

    fn declare_states(&mut self, file: &File, span: Span) {
        let of_rules = file.rules.iter().flat_map(|rule| [&rule.from.state, &rule.to.state]);
        let of_init = file.init.iter().filter_map(|init| init.state.as_ref());
        let names: IndexSet<Name, FxBuildHasher> = of_rules.chain(of_init).map(|s| s.name.clone()).collect();
        if names.len() < 2 {
            return;
        }
        let count = names.len() as u64;
        let ty = self.p.types.int(bits(u128::from(count) - 1), false);
        let id = self.enums.push(Enum { name: STATE.into(), count, ty });
        let var = self.p.add_var(STATE.into(), ty, VarKind::Global, None, span);
        let shape = Shape { dims: Vec::new(), elem: Elem::Enum(id), ty };
        let variable = Variable { var, shape };
        self.global_order.push(variable.clone());
        self.states = Some(States { variable, names });
    }

    /// The code of all procedures that rules make.
    pub fn rules(&mut self, file: &File) -> Res<()> {
        for (entry, proc) in std::mem::take(&mut self.entries) {
            self.pace.step()?;
            self.rule_procedure(file, &entry, proc)?;
        }
        Ok(())
    }

    fn rule_procedure(&mut self, file: &File, entry: &Ident, proc: ProcId) -> Res<()> {
        self.frame = Frame::new(proc);
        self.cur = self.p.procs[proc].entry;
        let mut todo = Vec::new();
        let first = self.symbol(entry, &mut todo);
        self.goto(first, entry.span);
        while let Some((symbol, loc)) = todo.pop() {
            self.pace.step()?;
            self.come_to(loc, &symbol);
            let rules: Vec<&Rule> =
                file.rules.iter().filter(|rule| rule.from.stack[0].name == symbol.name).collect();
            self.steps(&rules, &mut todo)?;
        }
        Ok(())
    }

    /// The location of a symbol in this procedure; a new one has to get its rules.
    fn symbol(&mut self, symbol: &Ident, todo: &mut Vec<(Ident, LocId)>) -> LocId {
        if let Some(&loc) = self.frame.labels.get(&symbol.name) {
            return loc;
        }
        let loc = self.new_loc(symbol.span);
        self.frame.labels.insert(symbol.name.clone(), loc);
        todo.push((symbol.clone(), loc));
        loc
    }

    /// One of the rules is taken. The choice is looked at first, then what the rule says about values after it.
    fn steps(&mut self, rules: &[&Rule], todo: &mut Vec<(Ident, LocId)>) -> Res<()> {
        let Some(first) = rules.first() else { return Ok(()) };
        let mut guards = Vec::new();
        for rule in rules {
            self.instances = 0;
            let mut guard = self.in_state(&rule.from.state);
            if let Some(condition) = rule.condition.as_ref().filter(|c| primed(c).is_empty()) {
                let (holds, ok) = self.condition(condition)?;
                let holds = self.p.exprs.and(ok, holds);
                guard = self.p.exprs.and(guard, holds);
            }
            guards.push(guard);
        }
        let ways = self.ways(&guards, first.span);
        let from = self.cur;
        for (rule, way) in rules.iter().zip(ways) {
            self.cur = from;
            self.enter(way, rule.span);
            self.step(rule, todo)?;
        }
        Ok(())
    }

    fn in_state(&mut self, state: &Ident) -> ExprId {
        match self.states.clone() {
            None => self.p.exprs.bool(true),
            Some(states) => {
                let now = self.p.var_expr(states.variable.var);
                let this = self.state_value(&states, &state.name);
                self.p.exprs.binary(&self.p.types, BinOp::Eq, now, this)
            }
        }
    }

    fn state_value(&mut self, states: &States, name: &Name) -> ExprId {
        let number = states.names.get_index_of(name).unwrap_or(0);
        self.p.exprs.int(&self.p.types, number as i128, states.variable.shape.ty)
    }

    fn set_state(&mut self, state: &Ident, span: Span) {
        if let Some(states) = self.states.clone() {
            let place = self.p.var_place(states.variable.var);
            let value = self.state_value(&states, &state.name);
            self.emit(Op::Assign(place, value), span);
        }
    }

    fn step(&mut self, rule: &Rule, todo: &mut Vec<(Ident, LocId)>) -> Res<()> {
        let span = rule.span;
        self.instances = 0;
        let callee = match &*rule.to.stack {
            [pushed, _] => self.signatures.get(&pushed.name).map(|s| (s.proc, s.params.clone())),
            _ => None,
        };
        let mut args = Vec::new();
        if let Some((proc, params)) = &callee {
            for (shape, param) in params.iter().zip(self.p.procs[*proc].params.clone()) {
                let name = self.p.vars[param].name.clone();
                let after = self.after(&name, shape, rule.condition.as_ref(), span)?;
                args.push(self.p.var_expr(after.var));
            }
        }
        let mut stores = Vec::new();
        // Without primes it was part of the choice.
        if let Some(condition) = rule.condition.as_ref().filter(|c| !primed(c).is_empty()) {
            for place in primed(condition) {
                let name = &place.name;
                if place.primes > 1 {
                    return wrong_with(
                        format!("{} with two primes", shown(name)),
                        place.span,
                        "they mark variables of the caller, and procedures of rules have only global ones",
                    );
                }
                if self.primed.contains_key(&name.name) {
                    continue;
                }
                let Some(global) = self.globals.get(&name.name).cloned() else {
                    return wrong(format!("there is no variable {}", shown(name)), name.span);
                };
                let after = self.after(&name.name, &global.shape, Some(condition), span)?;
                stores.push((global, after));
            }
            let holds = self.condition(condition);
            self.primed.clear();
            let (holds, ok) = holds?;
            let holds = self.p.exprs.and(ok, holds);
            self.assume(holds, span);
        }
        self.primed.clear();
        if rule.from.state.name != rule.to.state.name {
            self.set_state(&rule.to.state, span);
        }
        for (global, after) in stores {
            let (place, value) = (self.p.var_place(global.var), self.p.var_expr(after.var));
            self.emit(Op::Assign(place, value), span);
        }
        match &*rule.to.stack {
            [next] => {
                let loc = self.symbol(next, todo);
                self.goto(loc, span);
            }
            [_, back] => {
                if let Some((proc, _)) = callee {
                    self.emit(Op::Call(Box::new(Call { proc, args, ret: None })), span);
                }
                let loc = self.symbol(back, todo);
                self.goto(loc, span);
            }
            _ => {
                let exit = self.p.procs[self.frame.proc].exit;
                self.p.add_edge(self.cur, exit, Op::Return(None), span);
            }
        }
        Ok(())
    }

    /// A value for a variable after the step: the one that the condition names, else an arbitrary one.
    fn after(&mut self, name: &Name, shape: &Shape, condition: Option<&Expr>, span: Span) -> Res<Variable> {
        let var = self.temp(name, shape.ty, span);
        let place = self.p.var_place(var);
        match condition.and_then(|c| named_value(c, name)).filter(|_| shape.is_scalar()) {
            Some(expr) => {
                let value = self.value(expr)?;
                let (e, _) = self.fit(&value, shape, expr.span)?;
                self.assume(value.ok, span);
                self.emit(Op::Assign(place, e), span);
            }
            None => self.havoc(place, shape, Choice::Nondet(name.clone()), span),
        }
        let variable = Variable { var, shape: shape.clone() };
        self.primed.insert(name.clone(), variable.clone());
        Ok(variable)
    }

    /// Where a run begins among the control states.
    pub fn start_state(&mut self, init: Option<&Init>) {
        if let Some(init) = init
            && let Some(state) = &init.state
        {
            self.set_state(state, init.span);
        }
    }
}

/// The value before the step that a conjunction gives to a variable after it: `x' == e`.
fn named_value<'e>(condition: &'e Expr, name: &Name) -> Option<&'e Expr> {
    let conjuncts = match &condition.kind {
        ExprKind::Chain(Operator::And, conjuncts) => conjuncts.as_slice(),
        _ => std::slice::from_ref(condition),
    };
    let is = |expr: &Expr| match &expr.kind {
        ExprKind::Place(place) => place.primes == 1 && place.steps.is_empty() && place.name.name == *name,
        _ => false,
    };
    conjuncts.iter().find_map(|conjunct| match &conjunct.kind {
        ExprKind::Chain(Operator::Eq, sides) => match sides.as_slice() {
            [after, value] | [value, after] if is(after) && primed(value).is_empty() => Some(value),
            _ => None,
        },
        _ => None,
    })
}

/// The places with primes in a condition.
fn primed(condition: &Expr) -> Vec<&Place> {
    let mut found = Vec::new();
    let mut todo = vec![condition];
    while let Some(expr) = todo.pop() {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) => {}
            ExprKind::Place(place) => {
                if place.primes > 0 {
                    found.push(place);
                }
                todo.extend(place.steps.iter().filter_map(|step| match step {
                    Step::Index(index) => Some(index),
                    Step::Field(_) => None,
                }));
            }
            ExprKind::Not(of) => todo.push(of),
            ExprKind::Chain(_, operands) => todo.extend(operands),
            ExprKind::Quantified(quantified) => {
                todo.extend([&quantified.lo, &quantified.hi, &quantified.body]);
            }
        }
    }
    found.sort_by_key(|place| place.span.start);
    found
}
