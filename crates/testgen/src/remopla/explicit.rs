//! Which programs reach their error, by looking at every state.
//!
//! A state is a number: the bits of all globals, above them those of the locals of the active module. Known is for each way in which an
//! activation of a module may begin with which states it comes to which points, and how it returns. So recursion of any depth ends.

use super::tree::{
    Alternatives, Assign, Beside, Code, Expr, Label, Module, Op, Place, Program, Rule, Stmt, Type, Value,
    VarId, Way,
};
use std::collections::{HashMap, HashSet};

/// Which of the readings of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// What does not fit is cut; otherwise there is no successor.
    pub wrap: bool,
    /// A loop is left when nothing holds; otherwise there is no successor.
    pub leave: bool,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    Safe,
    Unsafe,
    /// There is more to look at than allowed.
    GivenUp,
}

/// A state as bits.
type State = u64;

/// A point where an activation begins, and the globals and parameters there.
type Activation = (usize, State);

/// Who waits for the end of an activation: another one, at a call, with this state and the point behind.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    activation: Activation,
    call: usize,
    caller: State,
    back: usize,
}

/// Where a step leads.
enum Successor {
    To(usize, State),
    Call {
        callee: Activation,
        caller: State,
        back: usize,
    },
    /// Globals, and the result.
    Return(State, i64),
}

/// Looks for the error, at so many states of activations at most.
pub fn search(program: &Program, reading: Reading, limit: usize) -> Search {
    let system = System::new(program, reading);
    let mut known: HashSet<(Activation, usize, State)> = HashSet::new();
    let mut waiting: HashMap<Activation, Vec<Waiting>> = HashMap::new();
    let mut returned: HashMap<Activation, HashSet<(State, i64)>> = HashMap::new();
    // Nobody waits for the first activation: how it began does not matter.
    let first = (system.start, State::MAX);
    let mut todo = Vec::new();
    for globals in system.everything(&program.globals, vec![0]) {
        todo.extend(
            system.begin((system.start, globals)).into_iter().map(|state| (first, system.start, state)),
        );
    }
    while let Some((activation, node, state)) = todo.pop() {
        if !known.insert((activation, node, state)) {
            continue;
        }
        if matches!(system.nodes[node], Node::Error) {
            return Search::Unsafe;
        }
        if known.len() > limit {
            return Search::GivenUp;
        }
        for successor in system.successors(node, state) {
            match successor {
                Successor::To(next, state) => todo.push((activation, next, state)),
                Successor::Call { callee, caller, back } => {
                    let waits = waiting.entry(callee).or_default();
                    if waits.is_empty() {
                        todo.extend(system.begin(callee).into_iter().map(|state| (callee, callee.0, state)));
                    }
                    waits.push(Waiting { activation, call: node, caller, back });
                    for (globals, result) in returned.get(&callee).into_iter().flatten() {
                        let states = system.after_call(node, caller, *globals, *result);
                        todo.extend(states.into_iter().map(|state| (activation, back, state)));
                    }
                }
                Successor::Return(globals, result) => {
                    if !returned.entry(activation).or_default().insert((globals, result)) {
                        continue;
                    }
                    for wait in waiting.get(&activation).into_iter().flatten() {
                        let states = system.after_call(wait.call, wait.caller, globals, result);
                        todo.extend(states.into_iter().map(|state| (wait.activation, wait.back, state)));
                    }
                }
            }
        }
    }
    Search::Safe
}

/// Where a variable lies, in cells of so many bits; hidden ones of the reading `wrap` included.
#[derive(Debug, Clone, Copy)]
struct Slot {
    offset: u32,
    bits: u32,
    cells: u32,
}

/// A control point.
enum Node<'p> {
    Choose {
        guarded: Vec<(&'p Expr, usize)>,
        otherwise: Option<usize>,
    },
    Assume(Option<&'p Expr>, usize),
    Assign(&'p [Assign], usize),
    Call {
        result: Option<&'p Place>,
        module: usize,
        args: &'p [Option<Expr>],
        along: &'p [Assign],
        next: usize,
    },
    Return(Option<&'p Expr>, Option<Type>),
    /// Rules in a module, each with the point where it leads, or comes back to; or the statement there.
    Beside(Vec<(&'p Beside, usize)>, usize),
    /// Rules that may be taken; the state is a variable more.
    Symbol(Vec<&'p Rule>),
    Error,
}

struct System<'p> {
    program: &'p Program,
    reading: Reading,
    slots: Vec<Slot>,
    /// Bits of all globals, the control state of rules included.
    globals: u32,
    nodes: Vec<Node<'p>>,
    /// Where modules begin.
    entries: Vec<usize>,
    /// Where they begin with locals that are given.
    given: Vec<usize>,
    start: usize,
}

impl<'p> System<'p> {
    fn new(program: &'p Program, reading: Reading) -> System<'p> {
        let mut system = System {
            program,
            reading,
            slots: vec![Slot { offset: 0, bits: 0, cells: 0 }; program.vars.len()],
            globals: 0,
            nodes: Vec::new(),
            entries: Vec::new(),
            given: Vec::new(),
            start: 0,
        };
        system.globals = system.lay_out(&program.globals, 0);
        match &program.code {
            Code::Modules(modules) => {
                for module in modules {
                    let params = system.lay_out(&module.params, system.globals);
                    let end = system.lay_out(&module.locals, params);
                    assert!(end < State::BITS, "too many bits");
                    let body = Flow::module(&mut system, module);
                    // Points of their own, so that no way leads back to where it begins.
                    for entries in [&mut system.entries, &mut system.given] {
                        entries.push(system.nodes.len());
                        system.nodes.push(Node::Assume(None, body));
                    }
                }
                system.start = system.entries[0];
            }
            Code::Rules { symbols, rules } => {
                system.globals += STATE_BITS;
                for symbol in 0..*symbols {
                    let taken = rules.iter().filter(|rule| rule.from.1 == symbol).collect();
                    let error = symbol + 1 == *symbols;
                    system.nodes.push(if error { Node::Error } else { Node::Symbol(taken) });
                }
            }
        }
        system
    }

    /// Gives variables their places from this bit on; the first bit behind them.
    fn lay_out(&mut self, vars: &[VarId], mut offset: u32) -> u32 {
        for &var in vars {
            let declared = &self.program.vars[var];
            let cells = declared.cells.map_or(1, |(_, count)| count);
            let cells = if self.reading.wrap { cells.next_power_of_two() } else { cells } as u32;
            let bits = declared.ty.bits();
            self.slots[var] = Slot { offset, bits, cells };
            offset += bits * cells;
        }
        offset
    }

    /// These states with all values of some variables.
    fn everything(&self, vars: &[VarId], mut states: Vec<State>) -> Vec<State> {
        for &var in vars {
            for cell in 0..self.slots[var].cells {
                let values = 0..self.program.vars[var].ty.values();
                let with = |state: &State| -> Vec<State> {
                    values.clone().map(|value| self.written(*state, var, cell, value)).collect()
                };
                states = states.iter().flat_map(with).collect();
            }
        }
        states
    }

    /// The states in which an activation begins: locals are arbitrary unless they are given.
    fn begin(&self, activation: Activation) -> Vec<State> {
        let Code::Modules(modules) = &self.program.code else { return vec![activation.1] };
        match self.entries.iter().position(|entry| *entry == activation.0) {
            Some(module) => self.everything(&modules[module].locals, vec![activation.1]),
            None => vec![activation.1],
        }
    }

    fn read(&self, state: State, var: VarId, cell: u32) -> i64 {
        let Slot { offset, bits, .. } = self.slots[var];
        ((state >> (offset + cell * bits)) & ((1 << bits) - 1)) as i64
    }

    fn written(&self, state: State, var: VarId, cell: u32, value: u64) -> State {
        let Slot { offset, bits, .. } = self.slots[var];
        let at = offset + cell * bits;
        state & !(((1 << bits) - 1) << at) | value << at
    }

    fn globals_of(&self, state: State) -> State {
        state & ((1 << self.globals) - 1)
    }

    /// The cell of a place; none if its index is outside.
    fn cell(&self, place: &Place, view: &View<'_>) -> Option<u32> {
        let Some(index) = &place.index else { return Some(0) };
        let (first, count) = self.program.vars[place.var].cells?;
        let at = self.eval(index, view)? - first;
        if self.reading.wrap {
            return Some((at & (i64::from(self.slots[place.var].cells) - 1)) as u32);
        }
        (0..count as i64).contains(&at).then_some(at as u32)
    }

    /// The value of an expression, if it has one. Conditions are 0 and 1.
    fn eval(&self, expr: &Expr, view: &View<'_>) -> Option<i64> {
        Some(match expr {
            Expr::Number(n) => *n,
            Expr::Truth(value) => i64::from(*value),
            Expr::Name(n) => *n as i64,
            Expr::Bound(depth) => view.bound[*depth],
            Expr::Place(place) => {
                let state = [view.now, view.after, view.caller][place.primes];
                self.read(state, place.var, self.cell(place, view)?)
            }
            Expr::Not(of) => 1 - self.eval(of, view)?,
            Expr::Binary(Op::Both, a, b) => match self.eval(a, view)? {
                0 => 0,
                _ => self.eval(b, view)?,
            },
            Expr::Binary(Op::Either, a, b) => match self.eval(a, view)? {
                0 => self.eval(b, view)?,
                _ => 1,
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, view)?, self.eval(b, view)?);
                match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    Op::Div => a.checked_div(b)?,
                    Op::Mod => a.checked_rem(b)?,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl | Op::Shr if b < 0 => return None,
                    Op::Shl => a << b,
                    Op::Shr => a >> b.min(63),
                    Op::Eq | Op::Same => i64::from(a == b),
                    Op::Ne | Op::OneOf => i64::from(a != b),
                    Op::Lt => i64::from(a < b),
                    Op::Le => i64::from(a <= b),
                    Op::Both | Op::Either => unreachable!("they do not look at both sides"),
                }
            }
            Expr::Quantified { quantifier, body, .. } => {
                for value in quantifier.first..=quantifier.last {
                    let holds = self.eval(body, &view.with(value, &mut Vec::new()))? != 0;
                    if holds != quantifier.all {
                        return Some(i64::from(!quantifier.all));
                    }
                }
                i64::from(quantifier.all)
            }
        })
    }

    fn holds(&self, expr: &Expr, state: State) -> Option<bool> {
        self.eval(expr, &View::of(state)).map(|value| value != 0)
    }

    /// A value as one of the type; none if it does not fit.
    fn fitting(&self, value: i64, ty: Type) -> Option<u64> {
        let values = ty.values() as i64;
        let value =
            if self.reading.wrap && matches!(ty, Type::Int(_)) { value & (values - 1) } else { value };
        (0..values).contains(&value).then_some(value as u64)
    }

    /// Values that may be stored.
    fn values(&self, value: &Value, ty: Type, view: &View<'_>) -> Vec<u64> {
        match value {
            Value::Undef => (0..ty.values()).collect(),
            Value::Is(expr) => {
                self.eval(expr, view).and_then(|value| self.fitting(value, ty)).into_iter().collect()
            }
            Value::IsNot(expr) => match self.eval(expr, view) {
                Some(other) => (0..ty.values()).filter(|value| *value as i64 != other).collect(),
                None => Vec::new(),
            },
        }
    }

    /// Assignments at once: all is read in the state `now`.
    fn assigned(&self, assigns: &[Assign], now: State) -> Vec<State> {
        let mut states = vec![now];
        for assign in assigns {
            let ty = self.program.vars[assign.place.var].ty;
            let store = |states: &[State], view: &View<'_>| -> Vec<State> {
                let Some(cell) = self.cell(&assign.place, view) else { return Vec::new() };
                let values = self.values(&assign.value, ty, view);
                let with = |state: &State| {
                    let (state, values) = (*state, values.clone());
                    values.into_iter().map(move |value| self.written(state, assign.place.var, cell, value))
                };
                states.iter().flat_map(with).collect()
            };
            let view = View::of(now);
            states = match assign.quantifier {
                None => store(&states, &view),
                Some(quantifier) if quantifier.all => (quantifier.first..=quantifier.last)
                    .fold(states, |states, value| store(&states, &view.with(value, &mut Vec::new()))),
                Some(quantifier) => (quantifier.first..=quantifier.last)
                    .flat_map(|value| store(&states, &view.with(value, &mut Vec::new())))
                    .collect(),
            };
        }
        states
    }

    fn successors(&self, node: usize, state: State) -> Vec<Successor> {
        let view = View::of(state);
        match &self.nodes[node] {
            Node::Error => Vec::new(),
            Node::Choose { guarded, otherwise } => {
                let holds: Vec<Option<bool>> =
                    guarded.iter().map(|(guard, _)| self.holds(guard, state)).collect();
                let mut next: Vec<usize> = guarded
                    .iter()
                    .zip(&holds)
                    .filter(|(_, h)| **h == Some(true))
                    .map(|((_, to), _)| *to)
                    .collect();
                if holds.iter().all(|h| *h == Some(false)) {
                    next.extend(otherwise);
                }
                next.into_iter().map(|next| Successor::To(next, state)).collect()
            }
            Node::Assume(condition, next) => match condition.map(|c| self.holds(c, state)) {
                None | Some(Some(true)) => vec![Successor::To(*next, state)],
                _ => Vec::new(),
            },
            Node::Assign(assigns, next) => {
                self.assigned(assigns, state).into_iter().map(|state| Successor::To(*next, state)).collect()
            }
            Node::Call { module, args, along, next, .. } => {
                let Code::Modules(modules) = &self.program.code else { return Vec::new() };
                // The arguments, as states in which only they are set.
                let mut passed = vec![0];
                for (param, arg) in modules[*module].params.iter().zip(*args) {
                    let value = arg.as_ref().map_or(Value::Undef, |arg| Value::Is(arg.clone()));
                    let values = self.values(&value, self.program.vars[*param].ty, &view);
                    let with = |state: &State| {
                        let (state, values) = (*state, values.clone());
                        values.into_iter().map(move |value| self.written(state, *param, 0, value))
                    };
                    passed = passed.iter().flat_map(with).collect();
                }
                let mut found = Vec::new();
                for caller in self.assigned(along, state) {
                    for args in &passed {
                        let callee = (self.entries[*module], self.globals_of(caller) | args);
                        found.push(Successor::Call { callee, caller, back: *next });
                    }
                }
                found
            }
            Node::Return(None, _) => vec![Successor::Return(self.globals_of(state), 0)],
            Node::Return(Some(value), ty) => {
                let value = self.eval(value, &view);
                let value = value.and_then(|value| self.fitting(value, (*ty)?));
                value
                    .map(|value| Successor::Return(self.globals_of(state), value as i64))
                    .into_iter()
                    .collect()
            }
            Node::Beside(rules, next) => {
                let mut found = vec![Successor::To(*next, state)];
                found.extend(rules.iter().flat_map(|(rule, to)| self.beside(rule, *to, state)));
                found
            }
            Node::Symbol(rules) => rules.iter().flat_map(|rule| self.rule(rule, state)).collect(),
        }
    }

    /// States behind a call, when the callee has returned with these globals and this result.
    fn after_call(&self, call: usize, caller: State, globals: State, value: i64) -> Option<State> {
        let state = caller & !self.globals_of(State::MAX) | globals;
        let Node::Call { result: Some(place), .. } = &self.nodes[call] else { return Some(state) };
        let cell = self.cell(place, &View::of(state))?;
        let value = self.fitting(value, self.program.vars[place.var].ty)?;
        Some(self.written(state, place.var, cell, value))
    }

    /// Where a rule leads. The control state lies in the last bits of the globals.
    fn rule(&self, rule: &Rule, state: State) -> Vec<Successor> {
        let place = self.globals - STATE_BITS;
        if (state >> place) as usize != rule.from.0 {
            return Vec::new();
        }
        let mut after = self.everything(&primed(rule.condition.as_ref(), 1), vec![state]);
        after.retain(|after| self.allows(rule.condition.as_ref(), state, *after, state));
        let moved = |state: State| state & !(State::MAX << place) | (rule.to.0 as State) << place;
        let leads = |state: State| match &rule.to.1[..] {
            [] => Successor::Return(state, 0),
            [next] => Successor::To(*next, state),
            [pushed, back, ..] => Successor::Call { callee: (*pushed, state), caller: state, back: *back },
        };
        after.into_iter().map(|state| leads(moved(state))).collect()
    }

    /// Does a condition of a rule hold of these states?
    fn allows(&self, condition: Option<&Expr>, now: State, after: State, caller: State) -> bool {
        let view = View { now, after, caller, bound: &[] };
        condition.is_none_or(|condition| self.eval(condition, &view).is_some_and(|value| value != 0))
    }

    /// Where a rule in a module leads: to a point of the module, or to one of another and back.
    fn beside(&self, rule: &Beside, to: usize, state: State) -> Vec<Successor> {
        let condition = rule.condition.as_ref();
        let mut named = primed(condition, 1);
        let Code::Modules(modules) = &self.program.code else { return Vec::new() };
        let (before, callers) = match rule.way {
            Way::Call { module, .. } => {
                let Module { params, locals, .. } = &modules[module];
                let all = params.iter().chain(locals);
                named.retain(|var| !all.clone().any(|own| own == var));
                named.extend(all);
                (self.globals_of(state), self.everything(&primed(condition, 2), vec![state]))
            }
            _ => (state, vec![state]),
        };
        let mut found = Vec::new();
        for after in self.everything(&named, vec![before]) {
            for &caller in callers.iter().filter(|caller| self.allows(condition, state, after, **caller)) {
                found.push(match rule.way {
                    Way::Step(_) => Successor::To(to, after),
                    Way::Return => Successor::Return(self.globals_of(after), 0),
                    Way::Call { module, .. } => {
                        Successor::Call { callee: (self.given[module], after), caller, back: to }
                    }
                });
            }
        }
        found
    }
}

/// Bits of the control state of rules.
const STATE_BITS: u32 = 2;

/// The variables that occur with so many primes.
fn primed(expr: Option<&Expr>, primes: usize) -> Vec<VarId> {
    let within = |expr: &Expr| primed(Some(expr), primes);
    let mut found = match expr {
        Some(Expr::Place(place)) => {
            let mut found = primed(place.index.as_deref(), primes);
            found.extend((place.primes == primes).then_some(place.var));
            found
        }
        Some(Expr::Not(of)) => within(of),
        Some(Expr::Binary(_, a, b)) => [within(a), within(b)].concat(),
        Some(Expr::Quantified { body, .. }) => within(body),
        _ => Vec::new(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// What an expression is evaluated in.
#[derive(Clone, Copy)]
struct View<'a> {
    now: State,
    /// The state after the step of a rule.
    after: State,
    /// The state of the caller, in a rule that calls.
    caller: State,
    /// Values of the quantifiers' variables, the outermost first.
    bound: &'a [i64],
}

impl View<'_> {
    fn of(state: State) -> View<'static> {
        View { now: state, after: state, caller: state, bound: &[] }
    }

    /// Inside of one more quantifier.
    fn with<'b>(&self, value: i64, room: &'b mut Vec<i64>) -> View<'b> {
        room.extend_from_slice(self.bound);
        room.push(value);
        View { bound: room, ..*self }
    }
}

/// Makes points of the statements of a module.
struct Flow<'s, 'p> {
    system: &'s mut System<'p>,
    result: Option<Type>,
    labels: HashMap<usize, usize>,
    /// Points that are to go to a label.
    jumps: Vec<(usize, usize)>,
    /// Points with rules that are to go to labels.
    ruled: Vec<usize>,
    error: usize,
}

impl<'p> Flow<'_, 'p> {
    /// The point where its body begins.
    fn module(system: &mut System<'p>, module: &'p Module) -> usize {
        let result = module.result;
        let mut flow =
            Flow { system, result, labels: HashMap::new(), jumps: Vec::new(), ruled: Vec::new(), error: 0 };
        flow.error = flow.add(Node::Error);
        let end = flow.add(Node::Return(None, None));
        let body = flow.block(&module.body, end, None);
        // Where programs are made smaller a label may be missing: they have no meaning.
        for (from, label) in std::mem::take(&mut flow.jumps) {
            if let (Node::Assign(_, next), Some(to)) = (&mut flow.system.nodes[from], flow.labels.get(&label))
            {
                *next = *to;
            }
        }
        for from in std::mem::take(&mut flow.ruled) {
            let Node::Beside(rules, _) = &mut flow.system.nodes[from] else { continue };
            for (rule, to) in rules {
                if let Way::Step(label) | Way::Call { back: label, .. } = rule.way {
                    *to = flow.labels.get(&label).copied().unwrap_or(end);
                }
            }
        }
        body
    }

    fn add(&mut self, node: Node<'p>) -> usize {
        self.system.nodes.push(node);
        self.system.nodes.len() - 1
    }

    /// The point where a block begins, from the point behind it and that behind the loop around it.
    fn block(&mut self, block: &'p [Stmt], next: usize, leave: Option<usize>) -> usize {
        let mut next = next;
        for (n, stmt) in block.iter().enumerate().rev() {
            next = match (stmt, block.get(n + 1)) {
                // The head of the loop is this point: what stood there moves.
                (Stmt::Ruled(label, rules), Some(Stmt::Do(_))) => {
                    let head = std::mem::replace(&mut self.system.nodes[next], Node::Error);
                    let head = self.add(head);
                    self.rules(*label, rules, head, next)
                }
                (Stmt::Ruled(label, rules), _) => {
                    let here = self.add(Node::Error);
                    self.rules(*label, rules, next, here)
                }
                _ => self.stmt(stmt, next, leave),
            };
        }
        next
    }

    /// Puts the rules for a label beside what comes next, at this point.
    fn rules(&mut self, label: usize, rules: &'p [Beside], next: usize, here: usize) -> usize {
        self.system.nodes[here] = Node::Beside(rules.iter().map(|rule| (rule, 0)).collect(), next);
        self.labels.insert(label, here);
        self.ruled.push(here);
        here
    }

    fn stmt(&mut self, stmt: &'p Stmt, next: usize, leave: Option<usize>) -> usize {
        match stmt {
            Stmt::Label(Label::Error) => self.error,
            Stmt::Label(Label::Number(label)) => {
                self.labels.insert(*label, next);
                next
            }
            // Of blocks.
            Stmt::Ruled(..) => next,
            Stmt::Skip(condition) => self.add(Node::Assume(condition.as_ref(), next)),
            Stmt::Assign(assigns) => self.add(Node::Assign(assigns, next)),
            Stmt::Call { result, module, args, along } => {
                self.add(Node::Call { result: result.as_ref(), module: *module, args, along, next })
            }
            Stmt::Goto(Label::Error, along) => self.add(Node::Assign(along, self.error)),
            Stmt::Goto(Label::Number(label), along) => {
                let node = self.add(Node::Assign(along, next));
                self.jumps.push((node, *label));
                node
            }
            Stmt::If(alternatives) => {
                let node = self.choice(alternatives, next, leave, None);
                self.add(node)
            }
            Stmt::Do(alternatives) => {
                let head = self.add(Node::Assume(None, next));
                let nothing_holds = self.system.reading.leave.then_some(next);
                self.system.nodes[head] = self.choice(alternatives, head, Some(next), nothing_holds);
                head
            }
            // The generator breaks inside of loops only.
            Stmt::Break => leave.unwrap_or(next),
            Stmt::Return(value) => self.add(Node::Return(value.as_ref(), self.result)),
        }
    }

    fn choice(
        &mut self,
        alternatives: &'p Alternatives,
        next: usize,
        leave: Option<usize>,
        nothing_holds: Option<usize>,
    ) -> Node<'p> {
        let mut guarded = Vec::new();
        for (guard, block) in &alternatives.guarded {
            guarded.push((guard, self.block(block, next, leave)));
        }
        let otherwise = alternatives.otherwise.as_ref().map(|block| self.block(block, next, leave));
        Node::Choose { guarded, otherwise: otherwise.or(nothing_holds) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Quantifier, Var};
    use super::*;

    const BLOCK: Reading = Reading { wrap: false, leave: false };
    const WRAP: Reading = Reading { wrap: true, leave: false };
    const LEAVE: Reading = Reading { wrap: false, leave: true };

    fn at(var: VarId) -> Place {
        Place { var, index: None, primes: 0 }
    }

    fn of(var: VarId) -> Expr {
        Expr::Place(at(var))
    }

    fn number(n: i64) -> Expr {
        Expr::Number(n)
    }

    fn binary(op: Op, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    fn set(var: VarId, value: Expr) -> Assign {
        Assign { quantifier: None, place: at(var), value: Value::Is(value) }
    }

    fn branch(guard: Expr, then: Vec<Stmt>, otherwise: Option<Vec<Stmt>>) -> Alternatives {
        Alternatives { guarded: vec![(guard, then)], otherwise }
    }

    fn error() -> Vec<Stmt> {
        vec![Stmt::Label(Label::Error), Stmt::Skip(None)]
    }

    fn module(params: Vec<VarId>, result: Option<Type>, body: Vec<Stmt>) -> Module {
        Module { result, params, locals: Vec::new(), body }
    }

    /// A program with two globals of two bits, an array from index 1 on, and a parameter.
    fn program(modules: Vec<Module>) -> Program {
        let int = Var { ty: Type::Int(2), cells: None };
        let array = Var { ty: Type::Int(1), cells: Some((1, 3)) };
        let vars = vec![int.clone(), int.clone(), array, int];
        Program { seed: 0, vars, globals: vec![0, 1, 2], code: Code::Modules(modules) }
    }

    fn main(body: Vec<Stmt>) -> Program {
        program(vec![module(Vec::new(), None, body)])
    }

    fn find(program: &Program, reading: Reading) -> Search {
        search(program, reading, 1_000_000)
    }

    #[test]
    fn assignments_happen_at_once() {
        let ends = |a, b| {
            let test = binary(Op::Both, binary(Op::Eq, of(0), number(a)), binary(Op::Eq, of(1), number(b)));
            main(vec![
                Stmt::Assign(vec![set(0, number(1)), set(1, number(2))]),
                Stmt::Assign(vec![set(0, of(1)), set(1, of(0))]),
                Stmt::If(branch(test, error(), None)),
            ])
        };
        assert_eq!(find(&ends(2, 1), BLOCK), Search::Unsafe);
        assert_eq!(find(&ends(2, 2), BLOCK), Search::Safe);
    }

    #[test]
    fn what_does_not_fit() {
        let sum = binary(Op::Add, of(0), number(3));
        let to_error =
            [vec![Stmt::Assign(vec![set(0, number(2))]), Stmt::Assign(vec![set(0, sum)])], error()];
        let program = main(to_error.concat());
        assert_eq!(find(&program, BLOCK), Search::Safe);
        assert_eq!(find(&program, WRAP), Search::Unsafe);
        // The fourth cell is there where indices wrap around.
        let cell = Place { var: 2, index: Some(Box::new(number(4))), primes: 0 };
        let program =
            main([vec![Stmt::Skip(Some(binary(Op::Eq, Expr::Place(cell), number(1))))], error()].concat());
        assert_eq!(find(&program, BLOCK), Search::Safe);
        assert_eq!(find(&program, WRAP), Search::Unsafe);
    }

    #[test]
    fn where_nothing_holds() {
        let zero = binary(Op::Div, number(1), number(0));
        let no_value = binary(Op::Eq, zero, number(1));
        let program = main(vec![Stmt::If(branch(no_value.clone(), Vec::new(), Some(error())))]);
        assert_eq!(find(&program, BLOCK), Search::Safe);
        let looks_no_further = binary(Op::Both, Expr::Truth(false), no_value);
        let program = main(vec![Stmt::If(branch(looks_no_further.clone(), Vec::new(), Some(error())))]);
        assert_eq!(find(&program, BLOCK), Search::Unsafe);
        let program = main([vec![Stmt::Do(branch(looks_no_further, Vec::new(), None))], error()].concat());
        assert_eq!(find(&program, BLOCK), Search::Safe);
        assert_eq!(find(&program, LEAVE), Search::Unsafe);
    }

    #[test]
    fn quantifiers() {
        let quantifier = Quantifier { all: true, first: 1, last: 3 };
        let cell = Place { var: 2, index: Some(Box::new(Expr::Bound(0))), primes: 0 };
        let fill = Assign { quantifier: Some(quantifier), place: cell.clone(), value: Value::Is(number(0)) };
        let one = |n| {
            let some = Assign {
                quantifier: Some(Quantifier { all: false, ..quantifier }),
                value: Value::Is(number(1)),
                place: cell.clone(),
            };
            let sum =
                (1..4).map(|i| Expr::Place(Place { var: 2, index: Some(Box::new(number(i))), primes: 0 }));
            let sum = sum.reduce(|a, b| binary(Op::Add, a, b)).expect("three cells");
            let test = Stmt::Skip(Some(binary(Op::Eq, sum, number(n))));
            main([vec![Stmt::Assign(vec![fill.clone()]), Stmt::Assign(vec![some]), test], error()].concat())
        };
        assert_eq!([0, 1, 2].map(|n| find(&one(n), BLOCK)), [Search::Safe, Search::Unsafe, Search::Safe]);
    }

    /// `f(p)` adds p, by recursion: it returns, and what it was called with decides what it returns.
    #[test]
    fn recursion() {
        let adds = |n| {
            let call =
                |result, arg| Stmt::Call { result, module: 1, args: vec![Some(arg)], along: Vec::new() };
            let down = vec![
                Stmt::Assign(vec![set(0, binary(Op::Add, of(0), number(1)))]),
                call(Some(at(3)), binary(Op::Sub, of(3), number(1))),
            ];
            let body = vec![
                Stmt::If(branch(binary(Op::Lt, number(0), of(3)), down, Some(Vec::new()))),
                Stmt::Return(Some(of(3))),
            ];
            let start = vec![
                Stmt::Assign(vec![set(0, number(1))]),
                call(Some(at(1)), number(2)),
                Stmt::Skip(Some(binary(
                    Op::Both,
                    binary(Op::Eq, of(0), number(n)),
                    binary(Op::Eq, of(1), number(0)),
                ))),
            ];
            program(vec![
                module(Vec::new(), None, [start, error()].concat()),
                module(vec![3], Some(Type::Int(2)), body),
            ])
        };
        assert_eq!([2, 3].map(|n| find(&adds(n), BLOCK)), [Search::Safe, Search::Unsafe]);
        assert!(adds(2).is_recursive());
    }

    /// What is pushed must be popped in the opposite order.
    #[test]
    fn rules() {
        let rule = |from, to, condition| Rule { from: (0, from), to: (0, to), condition };
        let after = Expr::Place(Place { var: 0, index: None, primes: 1 });
        let counts = binary(Op::Eq, after.clone(), binary(Op::Add, of(0), number(1)));
        let pushes = |n| Program {
            seed: 0,
            vars: vec![Var { ty: Type::Int(2), cells: None }],
            globals: vec![0],
            code: Code::Rules {
                symbols: 4,
                rules: vec![
                    rule(0, vec![1, 2], Some(binary(Op::Eq, after.clone(), number(0)))),
                    // Both the symbol and what it pushes count on; below them all is popped.
                    rule(
                        1,
                        vec![1, 1],
                        Some(binary(Op::Both, counts.clone(), binary(Op::Eq, of(0), number(0)))),
                    ),
                    rule(1, vec![], Some(counts.clone())),
                    rule(2, vec![3], Some(binary(Op::Eq, of(0), number(n)))),
                ],
            },
        };
        // Popped at once, or after one push and two pops.
        let found = [0, 1, 2, 3].map(|n| find(&pushes(n), BLOCK));
        assert_eq!(found, [Search::Safe, Search::Unsafe, Search::Safe, Search::Unsafe]);
    }

    /// A rule calls the module where it stands, down to zero, and says what the caller has when it comes back.
    #[test]
    fn rules_beside_statements() {
        let primed = |var, primes| Expr::Place(Place { var, index: None, primes });
        let less = binary(Op::Eq, primed(3, 1), binary(Op::Sub, of(3), number(1)));
        let adds = |n, caller| {
            let condition = binary(Op::Both, binary(Op::Lt, number(0), of(3)), less.clone());
            let condition = binary(Op::Both, condition, binary(Op::Eq, primed(3, 2), caller));
            let rule = Beside { way: Way::Call { module: 1, back: 21 }, condition: Some(condition) };
            let body = vec![
                Stmt::Ruled(20, vec![rule]),
                Stmt::Skip(Some(binary(Op::Eq, of(3), number(0)))),
                Stmt::Return(None),
                Stmt::Ruled(21, Vec::new()),
                Stmt::Assign(vec![set(0, binary(Op::Add, of(0), of(3)))]),
            ];
            let start = vec![
                Stmt::Assign(vec![set(0, number(0))]),
                Stmt::Call { result: None, module: 1, args: vec![Some(number(2))], along: Vec::new() },
                Stmt::Skip(Some(binary(Op::Eq, of(0), number(n)))),
            ];
            let main = module(Vec::new(), None, [start, error()].concat());
            let program = program(vec![main, module(vec![3], None, body)]);
            assert!(program.is_recursive());
            find(&program, BLOCK)
        };
        assert_eq!([2, 3].map(|n| adds(n, number(1))), [Search::Unsafe, Search::Safe]);
        assert_eq!([2, 3].map(|n| adds(n, of(3))), [Search::Safe, Search::Unsafe]);
        // Every round comes to the label of a loop.
        let leaves = |at| {
            let condition = Some(binary(Op::Eq, of(0), number(at)));
            let more = vec![Stmt::Assign(vec![set(0, binary(Op::Add, of(0), number(1)))])];
            let start = vec![
                Stmt::Assign(vec![set(0, number(1))]),
                Stmt::Ruled(10, vec![Beside { way: Way::Step(11), condition }]),
                Stmt::Do(branch(binary(Op::Lt, of(0), number(3)), more, None)),
                Stmt::Ruled(11, Vec::new()),
            ];
            find(&main([start, error()].concat()), BLOCK)
        };
        assert_eq!([0, 1, 3].map(leaves), [Search::Safe, Search::Unsafe, Search::Unsafe]);
    }

    #[test]
    fn it_gives_up() {
        assert_eq!(search(&main(vec![Stmt::Skip(None)]), BLOCK, 10), Search::GivenUp);
    }
}
