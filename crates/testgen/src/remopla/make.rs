//! Random programs with modules.
//!
//! - Most globals begin with a value, and the error asks for several things at once: about half of the programs are safe.
//! - Modules call each other and themselves; a call that may recur is one of several alternatives.
//! - Most values fit where they go, and most indices lie inside; what does not is as good, but a program that stops everywhere tests nothing.

use super::tree::{
    Alternatives, Assign, Beside, Code, Expr, Label, Module, Op, Place, Program, Quantifier, Stmt, Type,
    Value, Var, VarId, Way, called, each,
};
use crate::rng::Rng;

/// Bits of all globals, and of parameters and locals of a module; at most.
const GLOBAL_BITS: u32 = 7;
const LOCAL_BITS: u32 = 4;
/// Statements of a module, about.
const STATEMENTS: usize = 12;
const DEPTH: usize = 2;

/// The program of a seed, the same for the same seed on every machine.
pub fn generate(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    maker.program(seed)
}

/// The program of a seed where rules stand beside statements.
pub fn generate_ruled(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    maker.ruled = true;
    maker.program(seed)
}

/// What a place or an expression holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Condition,
    Name,
}

fn kind(ty: Type) -> Kind {
    match ty {
        Type::Bool => Kind::Condition,
        Type::Int(_) => Kind::Number,
        Type::Enum => Kind::Name,
    }
}

pub(super) struct Maker {
    pub rng: Rng,
    pub vars: Vec<Var>,
    /// Variables that may be used here.
    pub scope: Vec<VarId>,
    /// In the condition of a rule some are those after the step.
    pub primes: bool,
    /// Do labels have rules?
    ruled: bool,
    globals: Vec<VarId>,
    /// Without their bodies, as long as these are made.
    modules: Vec<Module>,
    /// The module whose body is made.
    here: usize,
    /// Statements that may still be made in it.
    left: usize,
    loops: usize,
    /// Quantifiers around the expression.
    bound: Vec<Quantifier>,
    labels: usize,
}

impl Maker {
    pub fn new(seed: u64) -> Maker {
        Maker {
            rng: Rng::new(seed),
            vars: Vec::new(),
            scope: Vec::new(),
            primes: false,
            ruled: false,
            globals: Vec::new(),
            modules: Vec::new(),
            here: 0,
            left: 0,
            loops: 0,
            bound: Vec::new(),
            labels: 0,
        }
    }

    fn program(&mut self, seed: u64) -> Program {
        self.make_globals();
        let count = 1 + self.rng.below(4);
        for n in 0..count {
            let module = self.signature(n == 0);
            self.modules.push(module);
        }
        for n in 0..count {
            self.here = n;
            self.modules[n].body = self.body();
            if self.ruled {
                self.insert_rules();
            }
        }
        // The error: in a module that is called, or in one of its own that is called there.
        let hosts = self.reached();
        let of_its_own = self.rng.chance(20);
        for _ in 0..if of_its_own { 2 } else { 1 } {
            self.here = *self.rng.pick(&hosts);
            self.insert_error(of_its_own.then_some(count));
        }
        if of_its_own {
            let body = vec![Stmt::Label(Label::Error), Stmt::Skip(None)];
            self.modules.push(Module { result: None, params: Vec::new(), locals: Vec::new(), body });
        }
        let modules = std::mem::take(&mut self.modules);
        Program { seed, vars: self.vars.clone(), globals: self.globals.clone(), code: Code::Modules(modules) }
    }

    fn declare(&mut self, ty: Type, cells: Option<(i64, usize)>, room: &mut u32) -> Option<VarId> {
        let bits = ty.bits() * cells.map_or(1, |(_, n)| n.next_power_of_two() as u32);
        *room = room.checked_sub(bits)?;
        self.vars.push(Var { ty, cells });
        Some(self.vars.len() - 1)
    }

    fn make_globals(&mut self) {
        let mut room = GLOBAL_BITS;
        let mut types: Vec<(Type, Option<(i64, usize)>)> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            types.push((Type::Int(1 + self.rng.below(3) as u32), None));
        }
        if self.rng.chance(40) {
            let ty = *self.rng.pick(&[Type::Bool, Type::Int(1), Type::Int(2)]);
            let first = if self.rng.chance(25) { 1 } else { 0 };
            types.push((ty, Some((first, 2 + self.rng.below(2)))));
        }
        if self.rng.chance(50) {
            types.push((Type::Bool, None));
        }
        if self.rng.chance(25) {
            types.push((Type::Enum, None));
        }
        for (ty, cells) in types {
            let var = self.declare(ty, cells, &mut room);
            self.globals.extend(var);
        }
    }

    fn small_type(&mut self) -> Type {
        let has_enum = self.globals.iter().any(|var| self.vars[*var].ty == Type::Enum);
        match self.rng.below(10) {
            0..=2 => Type::Bool,
            3 if has_enum => Type::Enum,
            3..=5 => Type::Int(1),
            _ => Type::Int(2),
        }
    }

    fn signature(&mut self, main: bool) -> Module {
        let mut room = LOCAL_BITS;
        let mut some = |maker: &mut Maker, most: usize| -> Vec<VarId> {
            let count = maker.rng.below(most + 1);
            let one = |_| {
                let ty = maker.small_type();
                maker.declare(ty, None, &mut room)
            };
            (0..count).filter_map(one).collect()
        };
        let params = if main { Vec::new() } else { some(self, 2) };
        let mut locals = some(self, 2);
        if self.rng.chance(8) {
            locals.extend(self.declare(Type::Int(1), Some((0, 2)), &mut room));
        }
        let result = (!main && self.rng.chance(50)).then(|| self.small_type());
        Module { result, params, locals, body: Vec::new() }
    }

    fn enter_scope(&mut self) {
        let Module { params, locals, .. } = &self.modules[self.here];
        self.scope = [&self.globals[..], params, locals].concat();
    }

    fn body(&mut self) -> Vec<Stmt> {
        self.enter_scope();
        self.left = 1 + self.rng.below(STATEMENTS);
        self.labels = self.here;
        let mut body = Vec::new();
        if self.here == 0 {
            body.extend(self.initialised());
        }
        body.extend(self.remembered());
        let length = 1 + self.rng.below(4);
        for _ in 0..length {
            body.extend(self.stmt(DEPTH));
        }
        if self.here == 0 && self.modules.len() > 1 {
            body.extend(self.call(DEPTH));
        }
        if let Some(ty) = self.modules[self.here].result {
            body.push(Stmt::Return(Some(self.fitting(ty, 1))));
        }
        let mut jumps = false;
        each(&body, &mut |stmt| jumps |= matches!(stmt, Stmt::Goto(Label::Number(_), _)));
        if jumps {
            let at = self.rng.below(body.len());
            body.insert(at, Stmt::Label(Label::Number(self.labels)));
        }
        body
    }

    /// Modules that a run may come to.
    fn reached(&self) -> Vec<usize> {
        let mut reached = vec![0];
        let mut at = 0;
        while let Some(module) = reached.get(at) {
            let mut called = called(&self.modules[*module].body);
            called.retain(|module| !reached.contains(module));
            called.sort_unstable();
            called.dedup();
            reached.extend(called);
            at += 1;
        }
        reached
    }

    /// Labels with rules that lead to each other, to other modules, and out.
    fn insert_rules(&mut self) {
        let labels: Vec<usize> = (0..1 + self.rng.below(3)).map(|n| 10 * (self.here + 1) + n).collect();
        let returns = usize::from(self.modules[self.here].result.is_some());
        for &label in &labels {
            let rules = (0..1 + self.rng.below(2)).map(|_| self.beside(&labels)).collect();
            let alone = self.rng.chance(20).then_some(Stmt::Skip(Some(Expr::Truth(false))));
            let last = self.modules[self.here].body.len() - returns;
            let first = usize::from(self.here == 0).min(last);
            let at = first + self.rng.below(last - first + 1);
            let ruled = [Stmt::Ruled(label, rules)].into_iter().chain(alone);
            self.modules[self.here].body.splice(at..at, ruled);
        }
    }

    fn beside(&mut self, labels: &[usize]) -> Beside {
        let label = *self.rng.pick(labels);
        let Module { params, locals, result, .. } = self.modules[self.here].clone();
        let own = [params, locals].concat();
        let globals = self.globals.iter().map(|var| (*var, 1));
        let calls = self.modules.len() > 1 && self.rng.chance(50);
        let (way, primes): (Way, Vec<(VarId, usize)>) = match () {
            () if calls => {
                let module = 1 + self.rng.below(self.modules.len() - 1);
                let Module { params, locals, .. } = &self.modules[module];
                let callee = params.iter().chain(locals).map(|var| (*var, 1));
                let caller = own.iter().map(|var| (*var, 2));
                (Way::Call { module, back: label }, globals.chain(callee).chain(caller).collect())
            }
            () if result.is_none() && self.rng.chance(25) => (Way::Return, globals.collect()),
            () => (Way::Step(label), globals.chain(own.iter().map(|var| (*var, 1))).collect()),
        };
        let mut condition = self.rng.chance(70).then(|| self.condition(1));
        for _ in 0..self.rng.below(4) {
            let (var, primes) = *self.rng.pick(&primes);
            let Var { ty, cells } = self.vars[var].clone();
            let index = cells.map(|(first, n)| Box::new(Expr::Number(first + self.rng.below(n) as i64)));
            let after = Expr::Place(Place { var, index, primes });
            let op = match ty {
                Type::Bool => *self.rng.pick(&[Op::Same, Op::Same, Op::OneOf]),
                Type::Enum => *self.rng.pick(&[Op::Eq, Op::Eq, Op::Ne]),
                Type::Int(_) => *self.rng.pick(&[Op::Eq, Op::Eq, Op::Eq, Op::Lt, Op::Ne]),
            };
            let conjunct = binary(op, after, self.fitting(ty, 1));
            condition = Some(match condition {
                Some(condition) => binary(Op::Both, condition, conjunct),
                None => conjunct,
            });
        }
        Beside { way, condition }
    }

    /// At the end, mostly; not before the globals have their values.
    fn insert_error(&mut self, module: Option<usize>) {
        self.enter_scope();
        let test = self.error(module);
        let first = usize::from(self.here == 0);
        let returns = usize::from(self.modules[self.here].result.is_some());
        let last = self.modules[self.here].body.len() - returns;
        let at = if self.rng.chance(70) { last } else { self.rng.below(last + 1) };
        self.modules[self.here].body.insert(at.max(first.min(last)), test);
    }

    /// Values for most globals.
    fn initialised(&mut self) -> Option<Stmt> {
        let mut assigns = Vec::new();
        for var in self.globals.clone() {
            if self.rng.chance(20) {
                continue;
            }
            let Var { ty, cells } = self.vars[var].clone();
            let value = match ty {
                Type::Bool => Expr::Truth(self.rng.chance(50)),
                Type::Enum => Expr::Name(self.rng.below(ty.values() as usize) as u64),
                Type::Int(_) => Expr::Number(self.rng.below(ty.values() as usize) as i64),
            };
            let quantifier =
                cells.map(|(first, n)| Quantifier { all: true, first, last: first + n as i64 - 1 });
            let index = quantifier.map(|_| Box::new(Expr::Bound(0)));
            let place = Place { var, index, primes: 0 };
            assigns.push(Assign { quantifier, place, value: Value::Is(value) });
        }
        (!assigns.is_empty()).then_some(Stmt::Assign(assigns))
    }

    /// Values for locals, to be compared with what becomes of the others.
    fn remembered(&mut self) -> Option<Stmt> {
        let locals = self.modules[self.here].locals.clone();
        let locals: Vec<VarId> =
            locals.into_iter().filter(|var| self.vars[*var].cells.is_none() && self.rng.chance(70)).collect();
        let all = self.scope.clone();
        self.scope.retain(|var| !self.modules[self.here].locals.contains(var));
        let assigns: Vec<Assign> = locals
            .into_iter()
            .map(|var| {
                let value = Value::Is(self.fitting(self.vars[var].ty, 0));
                Assign { quantifier: None, place: Place { var, index: None, primes: 0 }, value }
            })
            .collect();
        self.scope = all;
        (!assigns.is_empty()).then_some(Stmt::Assign(assigns))
    }

    /// Leads to the error if several things hold.
    fn error(&mut self, module: Option<usize>) -> Stmt {
        let mut condition = if self.rng.chance(50) { self.comparison(0) } else { self.condition(1) };
        if self.rng.chance(30) {
            condition = binary(Op::Both, condition, self.condition(1));
        }
        let to_error = match module {
            Some(module) => vec![Stmt::Call { result: None, module, args: Vec::new(), along: Vec::new() }],
            None => vec![Stmt::Label(Label::Error), Stmt::Skip(None)],
        };
        Stmt::If(Alternatives {
            guarded: vec![(condition, to_error)],
            otherwise: Some(vec![Stmt::Skip(None)]),
        })
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(2);
        (0..count).flat_map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: usize) -> Vec<Stmt> {
        self.left = self.left.saturating_sub(1);
        let choice = self.rng.below(100);
        let stmt = match choice {
            0..25 if self.modules.len() > 1 => return self.call(depth),
            25..43 if depth > 0 && self.left > 0 => {
                let alternatives = self.alternatives(depth - 1);
                Stmt::If(alternatives)
            }
            43..53 if depth > 0 && self.left > 0 => {
                self.loops += 1;
                let mut alternatives = self.alternatives(depth - 1);
                self.loops -= 1;
                if self.rng.chance(80) {
                    let at = self.rng.below(alternatives.guarded.len());
                    alternatives.guarded[at].1.push(Stmt::Break);
                }
                Stmt::Do(alternatives)
            }
            53..55 => Stmt::Skip(Some(self.condition(1))),
            55..60 => Stmt::Skip(None),
            62..65 if depth < DEPTH => {
                let along = if self.rng.chance(40) { self.assigns(1) } else { Vec::new() };
                Stmt::Goto(Label::Number(self.labels), along)
            }
            65..68 if depth < DEPTH && self.loops > 0 => Stmt::Break,
            68..71 if depth < DEPTH => {
                let ty = self.modules[self.here].result;
                Stmt::Return(ty.map(|ty| self.fitting(ty, 1)))
            }
            71..77 => match self.swap() {
                Some(swap) => swap,
                None => Stmt::Skip(None),
            },
            _ => Stmt::Assign(self.assigns(3)),
        };
        vec![stmt]
    }

    fn alternatives(&mut self, depth: usize) -> Alternatives {
        let count = 1 + self.rng.below(3);
        let guarded = (0..count)
            .map(|_| {
                let guard = if self.rng.chance(15) { Expr::Truth(true) } else { self.condition(1) };
                (guard, self.block(depth))
            })
            .collect();
        let otherwise = self.rng.chance(85).then(|| self.block(depth));
        Alternatives { guarded, otherwise }
    }

    /// A call; one that may recur is guarded, mostly.
    fn call(&mut self, depth: usize) -> Vec<Stmt> {
        // Later modules are called more often: many programs do without recursion.
        let callee = match self.here + 1 < self.modules.len() && self.rng.chance(65) {
            true => self.here + 1 + self.rng.below(self.modules.len() - self.here - 1),
            false => 1 + self.rng.below(self.modules.len() - 1),
        };
        let Module { params, result, .. } = self.modules[callee].clone();
        let args = params
            .iter()
            .map(|param| {
                let ty = self.vars[*param].ty;
                (!self.rng.chance(10)).then(|| self.fitting(ty, 1))
            })
            .collect();
        let result = match result {
            Some(ty) if self.rng.chance(80) => self.place(kind(ty)),
            _ => None,
        };
        let along = if self.rng.chance(15) { self.assigns(2) } else { Vec::new() };
        let call = Stmt::Call { result, module: callee, args, along };
        if callee > self.here || self.rng.chance(10) {
            return vec![call];
        }
        let mut guarded = vec![(self.condition(1), vec![call])];
        if self.rng.chance(50) {
            let guard = self.condition(1);
            guarded.push((guard, self.block(depth.saturating_sub(1))));
        }
        let otherwise = self.rng.chance(80).then(|| vec![Stmt::Skip(None)]);
        vec![Stmt::If(Alternatives { guarded, otherwise })]
    }

    /// Two variables exchange their values.
    fn swap(&mut self) -> Option<Stmt> {
        let scalars: Vec<VarId> =
            self.scope.iter().copied().filter(|var| self.vars[*var].cells.is_none()).collect();
        let a = *self.rng.pick(&scalars);
        let same = self.rng.chance(80);
        let like: Vec<VarId> = scalars
            .iter()
            .copied()
            .filter(|b| *b != a && kind(self.vars[*b].ty) == kind(self.vars[a].ty))
            .filter(|b| !same || self.vars[*b].ty == self.vars[a].ty)
            .collect();
        if like.is_empty() {
            return None;
        }
        let b = *self.rng.pick(&like);
        let place = |var| Place { var, index: None, primes: 0 };
        let set = |to, from| Assign {
            quantifier: None,
            place: place(to),
            value: Value::Is(Expr::Place(place(from))),
        };
        Some(Stmt::Assign(vec![set(a, b), set(b, a)]))
    }

    /// Up to so many assignments to different variables.
    fn assigns(&mut self, most: usize) -> Vec<Assign> {
        let mut found: Vec<Assign> = Vec::new();
        for _ in 0..1 + self.rng.below(most) {
            let var = *self.rng.pick(&self.scope);
            let Var { ty, cells } = self.vars[var].clone();
            if found.iter().any(|assign| assign.place.var == var) {
                continue;
            }
            let range = cells.map(|(first, n)| (first, first + n as i64 - 1));
            let quantifier = match range {
                Some((first, last)) if self.rng.chance(40) => {
                    Some(Quantifier { all: self.rng.chance(50), first, last })
                }
                _ => None,
            };
            self.bound.extend(quantifier);
            let index = match (quantifier, range) {
                (Some(_), _) => Some(Box::new(Expr::Bound(0))),
                (None, Some(_)) => Some(Box::new(self.index())),
                (None, None) => None,
            };
            let value = match self.rng.below(10) {
                0 => Value::Undef,
                1 => Value::IsNot(self.expr(kind(ty), 0)),
                _ => Value::Is(self.fitting(ty, 2)),
            };
            self.bound.clear();
            found.push(Assign { quantifier, place: Place { var, index, primes: 0 }, value });
        }
        found
    }

    /// A place of this kind, if there is one.
    fn place(&mut self, of: Kind) -> Option<Place> {
        let vars: Vec<VarId> =
            self.scope.iter().copied().filter(|var| kind(self.vars[*var].ty) == of).collect();
        if vars.is_empty() {
            return None;
        }
        let var = *self.rng.pick(&vars);
        let index = self.vars[var].cells.is_some().then(|| Box::new(self.index()));
        let primes = usize::from(self.primes && self.rng.chance(50));
        Some(Place { var, index, primes })
    }

    fn index(&mut self) -> Expr {
        match self.rng.below(5) {
            0 | 1 => Expr::Number(self.rng.below(2) as i64),
            2 => self.expr(Kind::Number, 1),
            _ => self.expr(Kind::Number, 0),
        }
    }

    fn expr(&mut self, of: Kind, depth: usize) -> Expr {
        match of {
            Kind::Number => self.number(depth),
            Kind::Condition => self.condition(depth),
            Kind::Name => match self.place(Kind::Name) {
                Some(place) if self.rng.chance(50) => Expr::Place(place),
                _ => Expr::Name(self.rng.below(Type::Enum.values() as usize) as u64),
            },
        }
    }

    /// A value for a place of this type; mostly one that fits.
    fn fitting(&mut self, ty: Type, depth: usize) -> Expr {
        let Type::Int(bits) = ty else { return self.expr(kind(ty), depth) };
        let most = (1 << bits) - 1;
        match self.rng.below(20) {
            0..=7 => binary(Op::And, self.number(depth), Expr::Number(most)),
            8 | 9 => Expr::Number(self.rng.below(most as usize + 1) as i64),
            10..=16 => {
                let all = self.scope.clone();
                self.scope.retain(|var| self.vars[*var].ty.bits() <= bits);
                let place = self.place_once(Kind::Number);
                self.scope = all;
                place.map_or(Expr::Number(0), Expr::Place)
            }
            17 => binary(Op::Mod, self.number(depth), Expr::Number(most + 1)),
            _ => self.number(depth),
        }
    }

    fn number(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(35) {
            if !self.bound.is_empty() && self.rng.chance(40) {
                return Expr::Bound(self.rng.below(self.bound.len()));
            }
            return match self.rng.chance(70).then(|| self.place_once(Kind::Number)).flatten() {
                Some(place) => Expr::Place(place),
                None => Expr::Number(*self.rng.pick(&[0, 0, 1, 1, 1, 2, 2, 3, 4])),
            };
        }
        let op = match self.rng.below(20) {
            0..=6 => Op::Add,
            7..=11 => Op::Sub,
            12 => Op::Mul,
            13 => Op::Div,
            14 => Op::Mod,
            15 => Op::And,
            16 => Op::Or,
            17 => Op::Xor,
            18 => Op::Shl,
            _ => Op::Shr,
        };
        let left = self.number(depth - 1);
        // Numbers stay small.
        let right = match op {
            Op::Shl => self.number(0),
            Op::Div | Op::Mod if self.rng.chance(70) => Expr::Number(1 + self.rng.below(3) as i64),
            _ => self.number(depth - 1),
        };
        binary(op, left, right)
    }

    /// Indices in indices would not end.
    fn place_once(&mut self, of: Kind) -> Option<Place> {
        let arrays = self.scope.iter().copied().filter(|var| self.vars[*var].cells.is_some()).count();
        if arrays > 0 && self.rng.chance(70) {
            let all = std::mem::take(&mut self.scope);
            self.scope = all.iter().copied().filter(|var| self.vars[*var].cells.is_none()).collect();
            let place = self.place(of);
            self.scope = all;
            return place;
        }
        self.place(of)
    }

    pub fn condition(&mut self, depth: usize) -> Expr {
        match self.rng.below(12) {
            0 | 1 => match self.place(Kind::Condition) {
                Some(place) => Expr::Place(place),
                None => self.comparison(1),
            },
            2 if depth > 0 => Expr::Not(Box::new(self.condition(depth - 1))),
            3 | 4 if depth > 0 => {
                let op = *self.rng.pick(&[Op::Both, Op::Both, Op::Either, Op::Either, Op::OneOf, Op::Same]);
                let left = self.condition(depth - 1);
                binary(op, left, self.condition(depth - 1))
            }
            5 if depth > 0 && self.bound.len() < 2 => {
                let (all, first) = (self.rng.chance(50), self.rng.below(2) as i64);
                let quantifier = Quantifier { all, first, last: first + self.rng.below(3) as i64 };
                let depth = self.bound.len();
                self.bound.push(quantifier);
                let body = Box::new(self.condition(0));
                self.bound.pop();
                Expr::Quantified { quantifier, depth, body }
            }
            6 => match self.place(Kind::Name) {
                Some(place) => {
                    let op = *self.rng.pick(&[Op::Eq, Op::Ne]);
                    binary(op, Expr::Place(place), self.expr(Kind::Name, 0))
                }
                None => self.comparison(1),
            },
            _ => self.comparison(1),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let op = *self.rng.pick(&[Op::Eq, Op::Eq, Op::Ne, Op::Lt, Op::Le]);
        let left = match self.rng.chance(60).then(|| self.place_once(Kind::Number)).flatten() {
            Some(place) => Expr::Place(place),
            None => self.number(depth),
        };
        binary(op, left, self.number(0))
    }
}

fn binary(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

#[cfg(test)]
mod tests {
    use super::super::{Reading, Search, generate_ruled, generate_rules, search};
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        for make in [generate, generate_rules, generate_ruled] {
            for seed in 0..100 {
                assert_eq!(make(seed), make(seed));
                assert_ne!(make(seed).to_string(), make(seed + 1).to_string());
            }
        }
    }

    #[test]
    fn many_are_safe_and_many_are_not() {
        for make in [generate, generate_rules, generate_ruled] {
            let found: Vec<Search> =
                (0..200).map(|seed| search(&make(seed), Reading::default(), 400_000)).collect();
            let count = |what| found.iter().filter(|found| **found == what).count();
            assert!(count(Search::Safe) > 50 && count(Search::Unsafe) > 50, "{found:?}");
            assert!(count(Search::GivenUp) < 10, "{found:?}");
        }
        let recursive = (0..200).filter(|seed| generate(*seed).is_recursive()).count();
        assert!((50..180).contains(&recursive), "{recursive}");
    }
}
