//! Random programs over integers with the parameters of SLICE, section 6: one procedure with 5 integer variables, up to 15
//! control-flow statements (`if` or `while`), each with up to 5 sub-statements (those of both branches of an `if` together), nested up
//! to 5 deep, and a sequence of assertions at the end. The same program is written in Boogie and in C.
//!
//! What the paper leaves open is chosen so that size and difficulty vary as much as in its experiment:
//! - no variable is initialised; conditions are one or two strict comparisons of a variable with a sum, joined by `&&` or `||`; sums
//!   have up to 5 terms, variables and constants up to 100;
//! - length, depth and size of blocks are drawn for each program, so that small and large ones come about;
//! - half of the loops count a variable towards their bound, the others do what they like, mostly for ever or not at all;
//! - three assertions that are as random as the conditions fail almost always, if the end is reached. So two thirds of the programs only assert what
//!   held when one of the last loops ended, with some slack: it may or may not hold still.
//!
//! Boogie's integers have no bounds; C's have. The C program uses `long long`, begins with any values of it, and is the same program as
//! long as nothing overflows. Where something does, the run has no meaning in C.

use crate::rng::Rng;
use std::fmt::{self, Write as _};

pub const VARS: [&str; 5] = ["a", "b", "c", "d", "e"];
/// Control-flow statements of the body, sub-statements of each, depth of nesting; at most.
pub const MAX_LENGTH: usize = 15;
pub const MAX_BLOCK: usize = 5;
pub const MAX_DEPTH: usize = 5;
const MAX_TERMS: usize = 5;
const MAX_CONSTANT: usize = 100;
const MAX_ASSERTIONS: usize = 3;
/// An assertion looks back at so many conditions of loops.
const RECENT: usize = 2;
/// All statements at most: five nested levels of five could make thousands.
pub const MAX_STATEMENTS: usize = 400;

/// Index into [`VARS`].
pub type Var = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Var(Var),
    Constant(usize),
}

/// Terms that are added or, with `false`, subtracted; never empty, and the first is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum(pub Vec<(bool, Term)>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub var: Var,
    /// `<`, else `>`.
    pub less: bool,
    pub sum: Sum,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    One(Comparison),
    And(Comparison, Comparison),
    Or(Comparison, Comparison),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    Assign(Var, Sum),
    If(Condition, Vec<Stmt>, Vec<Stmt>),
    While(Condition, Vec<Stmt>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub seed: u64,
    pub body: Vec<Stmt>,
    pub assertions: Vec<Condition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    Boogie,
    C,
}

/// The program of a seed, the same for the same seed on every machine.
pub fn generate(seed: u64) -> Program {
    let mut maker = Maker { rng: Rng::new(seed), block: 1, left: MAX_STATEMENTS, suggested: Vec::new() };
    maker.program(seed)
}

struct Maker {
    rng: Rng,
    /// Sub-statements of a control-flow statement at most.
    block: usize,
    /// Statements that may still be made.
    left: usize,
    /// What held where a loop ended, in the order of the program.
    suggested: Vec<Comparison>,
}

impl Maker {
    /// Between 1 and `most`.
    fn up_to(&mut self, most: usize) -> usize {
        self.rng.below(most) + 1
    }

    fn var(&mut self) -> Var {
        self.rng.below(VARS.len())
    }

    fn program(&mut self, seed: u64) -> Program {
        let length = self.up_to(MAX_LENGTH);
        let depth = self.up_to(MAX_DEPTH);
        self.block = self.up_to(MAX_BLOCK);
        let body = (0..length).map(|_| self.control(depth)).collect();
        let suggest = self.rng.chance(65);
        let assertions = (0..self.up_to(MAX_ASSERTIONS)).map(|_| self.assertion(suggest)).collect();
        Program { seed, body, assertions }
    }

    /// An `if` or a `while`; so many levels may still open, itself included.
    fn control(&mut self, depth: usize) -> Stmt {
        self.left = self.left.saturating_sub(1);
        if self.rng.chance(45) {
            return self.branch(depth);
        }
        // The step of a counting loop is one of its sub-statements.
        let counts = self.rng.chance(50);
        let room = self.block.saturating_sub(usize::from(counts));
        if !counts {
            let condition = self.condition();
            let body = self.block(depth, room);
            self.suggest(&condition);
            return Stmt::While(condition, body);
        }
        let (var, less) = (self.var(), self.rng.chance(50));
        let condition = Condition::One(Comparison { var, less, sum: self.sum() });
        let mut body = if room == 0 { Vec::new() } else { self.block(depth, room) };
        let step = Term::Constant(self.up_to(MAX_CONSTANT));
        body.push(Stmt::Assign(var, Sum(vec![(true, Term::Var(var)), (less, step)])));
        self.suggest(&condition);
        Stmt::While(condition, body)
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let condition = self.condition();
        let then = self.block(depth, self.block);
        let room = self.block - then.len();
        let otherwise = if room > 0 && self.rng.chance(60) { self.block(depth, room) } else { Vec::new() };
        Stmt::If(condition, then, otherwise)
    }

    /// Between one and `most` statements.
    fn block(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let one = |maker: &mut Self| {
            if depth > 1 && maker.left > 0 && maker.rng.chance(40) {
                return maker.control(depth - 1);
            }
            maker.left = maker.left.saturating_sub(1);
            let var = maker.var();
            Stmt::Assign(var, maker.sum())
        };
        (0..self.up_to(most)).map(|_| one(self)).collect()
    }

    /// Keeps what holds when a loop with this condition ends.
    fn suggest(&mut self, condition: &Condition) {
        match condition {
            Condition::One(a) => self.suggested.push(negated(a)),
            Condition::Or(a, b) => self.suggested.extend([negated(a), negated(b)]),
            // One of the two, nobody knows which.
            Condition::And(..) => {}
        }
    }

    fn assertion(&mut self, suggest: bool) -> Condition {
        // The later, the more likely it is to hold at the end.
        let from = self.suggested.len().saturating_sub(RECENT);
        let recent = &self.suggested[from..];
        if !suggest || recent.is_empty() {
            return self.condition();
        }
        let mut comparison = self.rng.pick(recent).clone();
        // At least one: the negation of a strict comparison is not strict.
        let slack = self.up_to(MAX_CONSTANT);
        comparison.sum.0.push((comparison.less, Term::Constant(slack)));
        match self.rng.chance(40) {
            true => Condition::Or(comparison, self.comparison()),
            false => Condition::One(comparison),
        }
    }

    fn condition(&mut self) -> Condition {
        let first = self.comparison();
        match self.rng.below(5) {
            0 => Condition::And(first, self.comparison()),
            1 => Condition::Or(first, self.comparison()),
            _ => Condition::One(first),
        }
    }

    fn comparison(&mut self) -> Comparison {
        Comparison { var: self.var(), less: self.rng.chance(50), sum: self.sum() }
    }

    fn sum(&mut self) -> Sum {
        let mut terms = vec![(true, self.term())];
        for _ in 1..self.up_to(MAX_TERMS) {
            terms.push((self.rng.chance(60), self.term()));
        }
        Sum(terms)
    }

    fn term(&mut self) -> Term {
        match self.rng.chance(50) {
            true => Term::Constant(self.up_to(MAX_CONSTANT)),
            false => Term::Var(self.var()),
        }
    }
}

/// Almost: `<` for `>` and the other way round.
fn negated(comparison: &Comparison) -> Comparison {
    Comparison { less: !comparison.less, ..comparison.clone() }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (plus, term)) in self.0.iter().enumerate() {
            match (n, plus) {
                (0, true) => {}
                (_, true) => f.write_str(" + ")?,
                (_, false) => f.write_str(" - ")?,
            }
            match term {
                Term::Var(var) => f.write_str(VARS[*var])?,
                Term::Constant(value) => write!(f, "{value}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {} {})", VARS[self.var], if self.less { "<" } else { ">" }, self.sum)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::One(a) => write!(f, "{a}"),
            Condition::And(a, b) => write!(f, "{a} && {b}"),
            Condition::Or(a, b) => write!(f, "{a} || {b}"),
        }
    }
}

impl Program {
    /// The program as text.
    pub fn text(&self, lang: Lang) -> String {
        let mut text = format!("// Random program {} (craig bench --generate).\n", self.seed);
        text.push_str(match lang {
            Lang::Boogie => "procedure main()\n{\n",
            Lang::C => {
                "extern void reach_error(void);\nextern long long __VERIFIER_nondet_longlong(void);\n\nint main(void)\n{\n"
            }
        });
        match lang {
            Lang::Boogie => {
                let _ = writeln!(text, "  var {}: int;", VARS.join(", "));
            }
            Lang::C => {
                for var in VARS {
                    let _ = writeln!(text, "  long long {var} = __VERIFIER_nondet_longlong();");
                }
            }
        }
        write_block(&mut text, &self.body, lang, 1);
        for condition in &self.assertions {
            let _ = match lang {
                Lang::Boogie => writeln!(text, "  assert {condition};"),
                Lang::C => writeln!(text, "  if (!({condition})) reach_error();"),
            };
        }
        text.push_str(match lang {
            Lang::Boogie => "}\n",
            Lang::C => "  return 0;\n}\n",
        });
        text
    }
}

fn write_block(text: &mut String, block: &[Stmt], lang: Lang, level: usize) {
    let indent = "  ".repeat(level);
    for stmt in block {
        match stmt {
            Stmt::Assign(var, sum) => {
                let sign = if lang == Lang::Boogie { ":=" } else { "=" };
                let _ = writeln!(text, "{indent}{} {sign} {sum};", VARS[*var]);
            }
            Stmt::If(condition, then, otherwise) => {
                let _ = writeln!(text, "{indent}if ({condition}) {{");
                write_block(text, then, lang, level + 1);
                let _ = writeln!(text, "{indent}}} else {{");
                write_block(text, otherwise, lang, level + 1);
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::While(condition, body) => {
                let _ = writeln!(text, "{indent}while ({condition}) {{");
                write_block(text, body, lang, level + 1);
                let _ = writeln!(text, "{indent}}}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: u64 = 300;

    /// Depth and statements of a block; the parameters must hold in it.
    fn measure(block: &[Stmt]) -> (usize, usize) {
        let mut size = (0, 0);
        for stmt in block {
            let parts: &[&[Stmt]] = match stmt {
                Stmt::Assign(_, sum) => {
                    assert!((1..=MAX_TERMS).contains(&sum.0.len()));
                    &[]
                }
                Stmt::If(_, then, otherwise) => &[then, otherwise],
                Stmt::While(_, body) => &[body],
            };
            assert!(parts.iter().map(|p| p.len()).sum::<usize>() <= MAX_BLOCK);
            size.1 += 1;
            for part in parts {
                let (depth, statements) = measure(part);
                size = (size.0.max(depth + 1), size.1 + statements);
            }
        }
        size
    }

    #[test]
    fn the_parameters_are_kept_and_used() {
        let (mut deepest, mut longest, mut smallest, mut largest) = (0, 0, usize::MAX, 0);
        for seed in 0..SEEDS {
            let program = generate(seed);
            let (depth, statements) = measure(&program.body);
            assert!(program.body.iter().all(|s| !matches!(s, Stmt::Assign(..))), "control flow only");
            assert!((1..=MAX_ASSERTIONS).contains(&program.assertions.len()));
            // What is open when nothing is left still gets its statements, at most a block each.
            assert!(statements <= MAX_STATEMENTS + MAX_LENGTH * MAX_BLOCK + MAX_DEPTH * MAX_BLOCK);
            deepest = deepest.max(depth);
            longest = longest.max(program.body.len());
            smallest = smallest.min(statements);
            largest = largest.max(statements);
        }
        assert_eq!((deepest, longest), (MAX_DEPTH, MAX_LENGTH));
        assert!(smallest < 5 && largest > 200, "{smallest} {largest}");
    }

    #[test]
    fn a_seed_is_a_program() {
        for seed in 0..SEEDS {
            let (first, second) = (generate(seed), generate(seed));
            assert_eq!(first, second);
            assert_ne!(first.body, generate(seed + 1).body);
        }
    }

    #[test]
    fn both_texts_are_one_program() {
        let sum = |terms: &[(bool, Term)]| Sum(terms.to_vec());
        let below = Comparison { var: 0, less: true, sum: sum(&[(true, Term::Constant(9))]) };
        let above =
            Comparison { var: 1, less: false, sum: sum(&[(true, Term::Var(2)), (false, Term::Constant(1))]) };
        let step = Stmt::Assign(0, sum(&[(true, Term::Var(0)), (true, Term::Constant(1))]));
        let program = Program {
            seed: 7,
            body: vec![Stmt::While(
                Condition::One(below.clone()),
                vec![Stmt::If(Condition::And(below.clone(), above.clone()), vec![step], Vec::new())],
            )],
            assertions: vec![Condition::Or(above, below)],
        };
        assert_eq!(
            program.text(Lang::Boogie),
            "// Random program 7 (craig bench --generate).\nprocedure main()\n{\n  var a, b, c, d, e: int;\n  while ((a < 9)) {\n    \
             if ((a < 9) && (b > c - 1)) {\n      a := a + 1;\n    } else {\n    }\n  }\n  assert (b > c - 1) || (a < 9);\n}\n"
        );
        let c = program.text(Lang::C);
        assert!(
            c.contains("  while ((a < 9)) {\n    if ((a < 9) && (b > c - 1)) {\n      a = a + 1;\n"),
            "{c}"
        );
        assert!(c.contains("  if (!((b > c - 1) || (a < 9))) reach_error();\n  return 0;\n}\n"), "{c}");
    }
}
