//! Rules: `q <a> --> r <b c> (condition)`.
//!
//! A stack symbol is a control point. A label inside of a module is a symbol whose rules are further alternatives beside the statement that
//! stands there; they stay in their module. Of the other symbols, one that is pushed, or stands in `init`, is where a procedure begins; a procedure has
//! all symbols that its rules lead to, the one under a pushed symbol included. A symbol of several procedures has its rules in each of them.
//!
//! A rule becomes: choice of the rule, arbitrary values for all variables that occur with a prime, the condition, the new values stored. All
//! other variables keep their values. Where the condition is a conjunction with `x' == e`, that value is taken at once: the condition is assumed
//! all the same, but a run need not guess. Control states, if there are several, are the values of one more global variable.
//!
//! Where a module is pushed, its variables after the step are arguments; locals that a rule speaks of become parameters for that
//! ([`Signature::given`]).

use super::super::ast::{
    BinOp as Operator, Expr, ExprKind, File, Ident, Init, Place, Rule, Step, Stmt, StmtKind,
};
use super::super::types::{Elem, Enum, Shape, bits};
use super::{Frame, Lower, Param, Signature, Variable, shown, wrong, wrong_with};
use crate::Res;
use craig_base::Span;
use craig_cfa::{BinOp, Call, Choice, ExprId, Name, Op, ProcId, Types, VarKind};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// No text can spell this name.
const STATE: &str = "#state";

/// The variable for control states, and their names.
#[derive(Debug, Clone)]
pub struct States {
    variable: Variable,
    names: IndexSet<Name, FxBuildHasher>,
}

impl<'a> Lower<'a> {
    /// Makes procedures of symbols outside of modules, and labels of all of them.
    pub fn declare_rules(&mut self, file: &'a File) -> Res<()> {
        let Some(first) = file.rules.first() else { return Ok(()) };
        for rule in &file.rules {
            self.check_rule(rule)?;
            for symbol in &rule.from.stack {
                self.rules.entry(symbol.name.clone()).or_default().push(rule);
            }
        }
        let init = file.init.iter().flat_map(|init| &init.stack);
        for symbol in init.clone() {
            self.check_entry(symbol)?;
        }
        self.give_locals(file)?;
        let symbols = file.rules.iter().flat_map(|rule| rule.from.stack.iter().chain(&rule.to.stack));
        for symbol in symbols.chain(init.clone()) {
            let own = || (symbol.name.clone(), symbol.span);
            self.labels.entry(symbol.name.clone()).or_insert_with(own);
        }
        let pushed = file.rules.iter().filter_map(Rule::pushed);
        for entry in pushed.chain(init) {
            if !self.signatures.contains_key(&entry.name) {
                let proc = self.p.add_proc(entry.name.clone(), Types::VOID, entry.span);
                let (params, given, result) = (Vec::new(), Vec::new(), None);
                let signature = Signature { proc, params, given, result, span: entry.span, defined: true };
                self.signatures.insert(entry.name.clone(), signature);
                self.entries.push((entry.clone(), proc));
            }
        }
        self.declare_states(file, first.span);
        Ok(())
    }

    /// The module that a symbol is a label of. To be asked while only modules have labels.
    fn home(&self, symbol: &Ident) -> Option<&Name> {
        self.labels.get(&symbol.name).map(|(module, _)| module)
    }

    /// Does the rule have one of the three forms, and does it stay where it is?
    fn check_rule(&self, rule: &Rule) -> Res<()> {
        let ([from], [] | [_] | [_, _]) = (&*rule.from.stack, &*rule.to.stack) else {
            return wrong_with(
                "a rule of another form",
                rule.span,
                "one symbol on the left, none, one or two on the right",
            );
        };
        let home = self.home(from);
        if let Some(pushed) = rule.pushed() {
            self.check_entry(pushed)?;
        }
        match (home, rule.to.stack.last()) {
            (Some(module), None) if self.signatures[module].result.is_some() => wrong_with(
                format!("a rule that returns from module `{module}`, which gives a result"),
                rule.span,
                "the rule may lead to the label of a `return`",
            ),
            (_, None) => Ok(()),
            (home, Some(next)) => match (home, self.home(next)) {
                (from, to) if from == to => Ok(()),
                (Some(module), _) => wrong_with(
                    format!("{} is no label in module `{module}`", shown(next)),
                    next.span,
                    "a rule for a label in a module stays there: `<f l>` calls `f` and comes back to `l`",
                ),
                (None, to) => wrong_with(
                    format!("{} is a label in module `{}`", shown(next), to.map_or("", |module| module)),
                    next.span,
                    "a rule for a symbol outside of modules does not lead into one: `<f l>` calls `f` and comes back to `l`",
                ),
            },
        }
    }

    /// May it be pushed?
    fn check_entry(&self, symbol: &Ident) -> Res<()> {
        match self.home(symbol) {
            Some(module) if *module != symbol.name => wrong_with(
                format!("{} is a label in module `{module}`", shown(symbol)),
                symbol.span,
                "modules are entered where they begin",
            ),
            _ => Ok(()),
        }
    }

    /// Which locals of modules rules speak of when they push the module.
    fn give_locals(&mut self, file: &File) -> Res<()> {
        let mut named: FxHashMap<&Name, FxHashSet<&Name>> = FxHashMap::default();
        for rule in &file.rules {
            if let (Some(pushed), Some(condition)) = (rule.pushed(), &rule.condition) {
                let after = primed(condition).into_iter().filter(|place| place.primes == 1);
                named.entry(&pushed.name).or_default().extend(after.map(|place| &place.name.name));
            }
        }
        for module in &file.modules {
            let (Some(body), Some(named)) = (&module.body, named.get(&module.name.name)) else { continue };
            let locals = body.locals.iter().filter(|local| named.contains(&local.name.name));
            let given = locals.map(|local| self.param(local)).collect::<Res<_>>()?;
            if let Some(signature) = self.signatures.get_mut(&module.name.name) {
                signature.given = given;
            }
        }
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
    pub fn rules(&mut self) -> Res<()> {
        for (entry, proc) in std::mem::take(&mut self.entries) {
            self.pace.step()?;
            self.rule_procedure(&entry, proc)?;
        }
        Ok(())
    }

    fn rule_procedure(&mut self, entry: &Ident, proc: ProcId) -> Res<()> {
        self.frame = Frame::new(proc);
        self.cur = self.p.procs[proc].entry;
        let first = self.point(entry);
        self.goto(first, entry.span);
        let mut known = 0;
        // Rules lead to new symbols.
        while let Some((name, &loc)) = self.frame.labels.get_index(known) {
            known += 1;
            let symbol = Ident { name: name.clone(), span: self.p.locs[loc].span };
            self.pace.step()?;
            self.come_to(loc, &symbol);
            if let Some(rules) = self.rules.get(&symbol.name).cloned() {
                self.steps(&rules, None, rules[0].span)?;
            }
        }
        Ok(())
    }

    /// The rules for a label in a module are taken, or the statement that stands there. What `skip` asks for is part of the choice.
    pub fn rules_beside(&mut self, label: &Ident, stmt: Option<&Stmt>) -> Res<()> {
        let Some(rules) = self.rules.get(&label.name).cloned() else { return Ok(()) };
        self.instances = 0;
        let statement = match stmt.map(|stmt| &stmt.kind) {
            Some(StmtKind::Skip(Some(condition))) => self.holds(condition)?,
            _ => self.p.exprs.bool(true),
        };
        self.steps(&rules, Some(statement), stmt.map_or(label.span, |stmt| stmt.span))
    }

    /// One of the rules is taken, or the statement beside them if its condition holds; the translation goes on with that. The choice is looked
    /// at first, then what the rule says about values after it.
    fn steps(&mut self, rules: &[&Rule], statement: Option<ExprId>, span: Span) -> Res<()> {
        let mut guards = Vec::new();
        for rule in rules {
            self.instances = 0;
            let mut guard = self.in_state(&rule.from.state);
            if let Some(condition) = rule.condition.as_ref().filter(|c| primed(c).is_empty()) {
                let holds = self.holds(condition)?;
                guard = self.p.exprs.and(guard, holds);
            }
            guards.push(guard);
        }
        guards.extend(statement);
        let ways = self.ways(&guards, span);
        let from = self.cur;
        for (rule, &way) in rules.iter().zip(&ways) {
            self.cur = from;
            self.enter(way, rule.span);
            self.step(rule)?;
        }
        if let Some(&way) = ways.get(rules.len()) {
            self.cur = from;
            self.enter(way, span);
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

    fn step(&mut self, rule: &Rule) -> Res<()> {
        let span = rule.span;
        self.instances = 0;
        let callee = rule.pushed().and_then(|pushed| self.signatures.get(&pushed.name)).cloned();
        let mut args = Vec::new();
        for Param { name, shape } in callee.iter().flat_map(|f| f.params.iter().chain(&f.given)) {
            let after = self.after((name, 1), shape, rule.condition.as_ref(), span)?;
            args.push(self.p.var_expr(after.var));
        }
        let mut stores = Vec::new();
        // Without primes it was part of the choice.
        if let Some(condition) = rule.condition.as_ref().filter(|c| !primed(c).is_empty()) {
            for place in primed(condition) {
                let name = (&place.name.name, place.primes);
                if !self.primed.contains_key(&(name.0.clone(), name.1)) {
                    let variable = self.changed(rule, place)?;
                    let after = self.after(name, &variable.shape, Some(condition), span)?;
                    stores.push((variable, after));
                }
            }
            let holds = self.holds(condition)?;
            self.assume(holds, span);
        }
        self.primed.clear();
        if rule.from.state.name != rule.to.state.name {
            self.set_state(&rule.to.state, span);
        }
        for (variable, after) in stores {
            let (place, value) = (self.p.var_place(variable.var), self.p.var_expr(after.var));
            self.emit(Op::Assign(place, value), span);
        }
        if let Some(Signature { proc, .. }) = callee {
            self.emit(Op::Call(Box::new(Call { proc, args, ret: None })), span);
        }
        match rule.to.stack.last() {
            Some(next) => {
                let loc = self.point(next);
                self.goto(loc, span);
            }
            None => {
                let exit = self.p.procs[self.frame.proc].exit;
                self.p.add_edge(self.cur, exit, Op::Return(None), span);
            }
        }
        Ok(())
    }

    /// The variable that a name with primes stands for, unless it is one of a module that is pushed: with one prime as it is seen after the
    /// step, with two primes in the caller.
    fn changed(&self, rule: &Rule, place: &Place) -> Res<Variable> {
        let name = &place.name;
        let (local, global) = (self.frame.locals.get(&name.name), self.globals.get(&name.name));
        let (found, fault, help) = match (&*rule.to.stack, place.primes) {
            ([_], 1) => (local.or(global), "", ""),
            ([], 1) => (global, "with a prime", "after a return there are only global variables"),
            (_, 1) => (
                global,
                "with a prime",
                "variables of the caller have two; one prime is for global ones and those of the module that is called",
            ),
            ([_, _], _) => {
                (local, "with two primes", "that is for variables of the caller; global ones have one")
            }
            _ => (
                None,
                "with two primes",
                "that is for variables of the caller in a call: `q <a> --> q <b c>`",
            ),
        };
        match found {
            Some(variable) => Ok(variable.clone()),
            None if local.or(global).is_none() => {
                wrong(format!("there is no variable {}", shown(name)), name.span)
            }
            None => wrong_with(format!("{} {fault}", shown(name)), place.span, help),
        }
    }

    /// A value for a variable with so many primes: the one that the condition names, else an arbitrary one.
    fn after(
        &mut self,
        (name, primes): (&Name, u8),
        shape: &Shape,
        condition: Option<&Expr>,
        span: Span,
    ) -> Res<Variable> {
        let var = self.temp(name, shape.ty, span);
        let place = self.p.var_place(var);
        let named = condition.and_then(|condition| named_value(condition, name, primes));
        match named.filter(|_| shape.is_scalar()) {
            Some(expr) => {
                let value = self.value(expr)?;
                let (e, _) = self.fit(&value, shape, expr.span)?;
                self.assume(value.ok, span);
                self.emit(Op::Assign(place, e), span);
            }
            None => self.havoc(place, shape, Choice::Nondet(name.clone()), span),
        }
        let variable = Variable { var, shape: shape.clone() };
        self.primed.insert((name.clone(), primes), variable.clone());
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

/// The value before the step that a conjunction gives to a variable after it: `x' == e`, `x'' == e`.
fn named_value<'e>(condition: &'e Expr, name: &Name, primes: u8) -> Option<&'e Expr> {
    let conjuncts = match &condition.kind {
        ExprKind::Chain(Operator::And, conjuncts) => conjuncts.as_slice(),
        _ => std::slice::from_ref(condition),
    };
    let is = |expr: &Expr| match &expr.kind {
        ExprKind::Place(place) => {
            place.primes == primes && place.steps.is_empty() && place.name.name == *name
        }
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
