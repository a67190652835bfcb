//! Remopla programs as trees. Names follow from numbers, so that every part prints itself.

use std::fmt::{self, Display};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Bool,
    /// So many bits.
    Int(u32),
    /// One of the [`NAMES`] names of the only enumeration.
    Enum,
}

/// Names of the enumeration: not a power of two.
pub const NAMES: u64 = 3;

impl Type {
    /// How many values there are.
    pub fn values(self) -> u64 {
        match self {
            Type::Bool => 2,
            Type::Int(bits) => 1 << bits,
            Type::Enum => NAMES,
        }
    }

    pub fn bits(self) -> u32 {
        (self.values() - 1).ilog2() + 1
    }
}

/// Index into [`Program::vars`].
pub type VarId = usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Var {
    pub ty: Type,
    /// First index and number of cells, if it is an array.
    pub cells: Option<(i64, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Both,
    Either,
    OneOf,
    Same,
}

/// A number, a condition or a name; the generator keeps them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    Number(i64),
    Truth(bool),
    Name(u64),
    /// The variable of a quantifier, by the number of quantifiers around it.
    Bound(usize),
    Place(Place),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Quantified {
        quantifier: Quantifier,
        depth: usize,
        body: Box<Expr>,
    },
}

/// For all or for some values from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantifier {
    pub all: bool,
    pub first: i64,
    pub last: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub var: VarId,
    pub index: Option<Box<Expr>>,
    /// In the condition of a rule: one for the value after the step, two for that in the caller.
    pub primes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Is(Expr),
    /// Anything else.
    IsNot(Expr),
    Undef,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assign {
    pub quantifier: Option<Quantifier>,
    pub place: Place,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    Error,
    Number(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    Label(Label),
    /// A label of this number, with rules beside the statement that comes next.
    Ruled(usize, Vec<Beside>),
    Skip(Option<Expr>),
    Assign(Vec<Assign>),
    Call {
        result: Option<Place>,
        module: usize,
        args: Vec<Option<Expr>>,
        along: Vec<Assign>,
    },
    Goto(Label, Vec<Assign>),
    If(Alternatives),
    Do(Alternatives),
    Break,
    Return(Option<Expr>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternatives {
    pub guarded: Vec<(Expr, Vec<Stmt>)>,
    pub otherwise: Option<Vec<Stmt>>,
}

/// A rule for a label in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    pub way: Way,
    pub condition: Option<Expr>,
}

/// Where such a rule leads: labels are those of [`Stmt::Ruled`] in the same module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Step(usize),
    Call { module: usize, back: usize },
    Return,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    pub result: Option<Type>,
    pub params: Vec<VarId>,
    pub locals: Vec<VarId>,
    pub body: Vec<Stmt>,
}

/// `from <symbol> --> to <stack> (condition)`. The last symbol is the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub from: (usize, usize),
    pub to: (usize, Vec<usize>),
    pub condition: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub seed: u64,
    pub vars: Vec<Var>,
    pub globals: Vec<VarId>,
    pub code: Code,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// Runs begin at the first.
    Modules(Vec<Module>),
    /// Runs begin in the first state with the first symbol.
    Rules { symbols: usize, rules: Vec<Rule> },
}

impl Program {
    /// May a module be entered while it is active?
    pub fn is_recursive(&self) -> bool {
        let Code::Modules(modules) = &self.code else { return true };
        let mut calls: Vec<Vec<usize>> = Vec::new();
        for module in modules {
            calls.push(called(&module.body));
        }
        (0..modules.len()).any(|start| {
            let mut seen = vec![false; modules.len()];
            let mut todo = calls[start].clone();
            while let Some(at) = todo.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    todo.extend(&calls[at]);
                }
            }
            seen[start]
        })
    }
}

/// Looks at all statements.
pub fn each(block: &[Stmt], look: &mut impl FnMut(&Stmt)) {
    for stmt in block {
        look(stmt);
        if let Stmt::If(alternatives) | Stmt::Do(alternatives) = stmt {
            for (_, block) in &alternatives.guarded {
                each(block, look);
            }
            if let Some(block) = &alternatives.otherwise {
                each(block, look);
            }
        }
    }
}

/// The modules that are called, more than once perhaps.
pub fn called(block: &[Stmt]) -> Vec<usize> {
    let mut found = Vec::new();
    each(block, &mut |stmt| match stmt {
        Stmt::Call { module, .. } => found.push(*module),
        Stmt::Ruled(_, rules) => found.extend(rules.iter().filter_map(|rule| match rule.way {
            Way::Call { module, .. } => Some(module),
            _ => None,
        })),
        _ => {}
    });
    found
}

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if n > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "mod",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "^",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Both => "&&",
            Op::Either => "||",
            Op::OneOf => "^^",
            Op::Same => "<=>",
        })
    }
}

impl Quantifier {
    fn show(&self, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.all { 'A' } else { 'E' };
        write!(f, "{kind} i{depth} ({}, {}) ", self.first, self.last)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(n) => write!(f, "{n}"),
            Expr::Truth(value) => write!(f, "{value}"),
            Expr::Name(n) => write!(f, "k{n}"),
            Expr::Bound(depth) => write!(f, "i{depth}"),
            Expr::Place(place) => write!(f, "{place}"),
            Expr::Not(of) => write!(f, "!({of})"),
            Expr::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            Expr::Quantified { quantifier, depth, body } => {
                f.write_str("(")?;
                quantifier.show(*depth, f)?;
                write!(f, "({body}))")
            }
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}{}", self.var, "'".repeat(self.primes))?;
        match &self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl Display for Assign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(quantifier) = &self.quantifier {
            quantifier.show(0, f)?;
        }
        match &self.value {
            Value::Is(expr) => write!(f, "{} = {expr}", self.place),
            Value::IsNot(expr) => write!(f, "{} != {expr}", self.place),
            Value::Undef => write!(f, "{} = undef", self.place),
        }
    }
}

impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Error => f.write_str("error"),
            Label::Number(n) => write!(f, "l{n}"),
        }
    }
}

/// The name of a module.
struct Called(usize);

impl Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("main"),
            n => write!(f, "m{n}"),
        }
    }
}

fn show_along(along: &[Assign], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    along.iter().try_for_each(|assign| write!(f, ", {assign}"))
}

fn show_block(block: &[Stmt], level: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let indent = "  ".repeat(level);
    for stmt in block {
        f.write_str(&indent)?;
        match stmt {
            Stmt::Label(label) => write!(f, "{label}:")?,
            Stmt::Ruled(label, _) => write!(f, "{}:", Label::Number(*label))?,
            Stmt::Skip(None) => f.write_str("skip;")?,
            Stmt::Skip(Some(condition)) => write!(f, "skip ({condition});")?,
            Stmt::Assign(assigns) => write!(f, "{};", List(assigns))?,
            Stmt::Call { result, module, args, along } => {
                if let Some(place) = result {
                    write!(f, "{place} = ")?;
                }
                let args: Vec<String> = args
                    .iter()
                    .map(|arg| arg.as_ref().map_or("undef".to_string(), ToString::to_string))
                    .collect();
                write!(f, "{}({})", Called(*module), List(&args))?;
                show_along(along, f)?;
                f.write_str(";")?;
            }
            Stmt::Goto(label, along) => {
                write!(f, "goto {label}")?;
                show_along(along, f)?;
                f.write_str(";")?;
            }
            Stmt::If(alternatives) | Stmt::Do(alternatives) => {
                let (begin, end) = if matches!(stmt, Stmt::If(_)) { ("if", "fi") } else { ("do", "od") };
                writeln!(f, "{begin}")?;
                for (guard, block) in &alternatives.guarded {
                    writeln!(f, "{indent}:: {guard} ->")?;
                    show_block(block, level + 1, f)?;
                }
                if let Some(block) = &alternatives.otherwise {
                    writeln!(f, "{indent}:: else ->")?;
                    show_block(block, level + 1, f)?;
                }
                write!(f, "{indent}{end}")?;
            }
            Stmt::Break => f.write_str("break;")?,
            Stmt::Return(None) => f.write_str("return;")?,
            Stmt::Return(Some(value)) => write!(f, "return {value};")?,
        }
        writeln!(f)?;
    }
    Ok(())
}

/// The rules for labels in a block.
fn show_rules(block: &[Stmt], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut shown = Ok(());
    let mut show = |from: usize, Beside { way, condition }: &Beside| {
        write!(f, "q <{}> --> q <", Label::Number(from))?;
        match way {
            Way::Step(to) => write!(f, "{}>", Label::Number(*to))?,
            Way::Call { module, back } => write!(f, "{} {}>", Called(*module), Label::Number(*back))?,
            Way::Return => f.write_str(" >")?,
        }
        match condition {
            Some(condition) => writeln!(f, " ({condition});"),
            None => writeln!(f, ";"),
        }
    };
    each(block, &mut |stmt| {
        if let Stmt::Ruled(label, rules) = stmt
            && shown.is_ok()
        {
            shown = rules.iter().try_for_each(|rule| show(*label, rule));
        }
    });
    shown
}

impl Program {
    fn declared(&self, var: VarId) -> String {
        let Var { ty, cells } = &self.vars[var];
        let cells = match cells {
            Some((0, count)) => format!("[{count}]"),
            Some((first, count)) => format!("[{first}, {}]", first + *count as i64 - 1),
            None => String::new(),
        };
        match ty {
            Type::Bool => format!("bool v{var}{cells}"),
            Type::Int(bits) => format!("int v{var}{cells}({bits})"),
            Type::Enum => format!("enum names v{var}{cells}"),
        }
    }
}

/// The name of a symbol of rules.
struct Symbol(usize, usize);

impl Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol(n, symbols) if n + 1 == *symbols => f.write_str("error"),
            Symbol(n, _) => write!(f, "s{n}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// Random program {}.", self.seed)?;
        if self.vars.iter().any(|var| var.ty == Type::Enum) {
            let names: Vec<String> = (0..NAMES).map(|n| format!("k{n}")).collect();
            writeln!(f, "enum names {{ {} }};", List(&names))?;
        }
        for var in &self.globals {
            writeln!(f, "{};", self.declared(*var))?;
        }
        match &self.code {
            Code::Modules(modules) => {
                for (n, module) in modules.iter().enumerate().rev() {
                    let result = match module.result {
                        None => "void".to_string(),
                        Some(Type::Bool) => "bool".to_string(),
                        Some(Type::Int(bits)) => format!("int ({bits})"),
                        Some(Type::Enum) => "enum names".to_string(),
                    };
                    let params: Vec<String> = module.params.iter().map(|var| self.declared(*var)).collect();
                    writeln!(f, "\nmodule {result} {}({}) {{", Called(n), List(&params))?;
                    for var in &module.locals {
                        writeln!(f, "  {};", self.declared(*var))?;
                    }
                    show_block(&module.body, 1, f)?;
                    writeln!(f, "}}")?;
                }
                modules.iter().try_for_each(|module| show_rules(&module.body, f))
            }
            Code::Rules { symbols, rules } => {
                writeln!(f, "init q0 <{}>;", Symbol(0, *symbols))?;
                for Rule { from, to, condition } in rules {
                    let stack: Vec<String> = to.1.iter().map(|s| Symbol(*s, *symbols).to_string()).collect();
                    write!(
                        f,
                        "q{} <{}> --> q{} <{}>",
                        from.0,
                        Symbol(from.1, *symbols),
                        to.0,
                        stack.join(" ")
                    )?;
                    if let Some(condition) = condition {
                        write!(f, " ({condition})")?;
                    }
                    writeln!(f, ";")?;
                }
                Ok(())
            }
        }
    }
}
