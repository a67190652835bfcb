//! Random C programs with procedures that call themselves and each other.
//!
//! Procedures have a number that counts down, mostly, another one, and sometimes a pointer through which they hand something back, or a list whose
//! nodes are their own variables or allocated; there are global variables and an array, and a pointer that activations leave to those they call. They keep values over
//! calls, use results or leave them, return early, loop a little. `main` calls one of them with
//! values from outside, within bounds or without, and asserts something of the result and the globals that may or may not hold.
//!
//! One type of integers goes through a whole program: `int`, which proofs read as mathematical integers, or a narrow one whose values decision diagrams can
//! count.

use crate::rng::Rng;
use crate::tree::{Expr, Pieces, Program, Stmt};

/// The types, by chance: half of all programs have `int`.
const TYPES: [(&str, &str); 4] =
    [("int", "int"), ("int", "int"), ("signed char", "char"), ("unsigned char", "uchar")];
/// Statements in a block, and blocks inside each other, at most.
const STATEMENTS: usize = 3;
const DEPTH: usize = 2;

/// Where a pointer may lead for a procedure of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handing {
    Nothing,
    Pointer,
    List,
}

#[derive(Debug)]
struct Gen {
    rng: Rng,
    ty: &'static str,
    procedures: usize,
    globals: usize,
    array: bool,
    handing: Handing,
    /// There is a global pointer to what an activation leaves to those it calls.
    kept: bool,
    /// Procedures are called through this variable, too.
    through_pointer: bool,
    /// What may be read and written here.
    scope: Vec<String>,
    /// Counters of loops.
    counters: usize,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let (ty, nondet) = *rng.pick(&TYPES);
    let (procedures, globals, array) = (1 + rng.below(3), rng.below(3), rng.chance(15));
    let handing = match rng.below(100) {
        0..30 => Handing::Pointer,
        30..42 => Handing::List,
        _ => Handing::Nothing,
    };
    let (kept, through_pointer) = (rng.chance(15), rng.chance(10));
    let (scope, counters) = (Vec::new(), 0);
    let mut gen_ =
        Gen { rng, ty, procedures, globals, array, handing, kept, through_pointer, scope, counters };
    gen_.program(nondet)
}

impl Gen {
    fn program(&mut self, nondet: &str) -> Program {
        let ty = self.ty;
        let mut items = vec![
            Stmt::text("void reach_error(void);"),
            Stmt::text(format!("{ty} __VERIFIER_nondet_{nondet}(void);")),
        ];
        for g in 0..self.globals {
            items.push(Stmt::text(format!("{ty} g{g};")));
            self.scope.push(format!("g{g}"));
        }
        if self.array {
            items.push(Stmt::text(format!("{ty} a[2];")));
            self.scope.extend(["a[0]".to_string(), "a[1]".to_string()]);
        }
        if self.kept {
            items.push(Stmt::text(format!("{ty} *kept;")));
        }
        if self.handing == Handing::List {
            items.push(Stmt::text("void *malloc(unsigned long);"));
            items.push(Stmt::text(format!("struct node {{ {ty} v; struct node *next; }};")));
        }
        for p in 0..self.procedures {
            items.push(Stmt::text(format!("{ty} p{p}({});", self.parameters())));
        }
        if self.through_pointer {
            let first = self.rng.below(self.procedures);
            items.push(Stmt::text(format!("{ty} (*f)({}) = p{first};", self.parameters())));
        }
        for p in 0..self.procedures {
            let procedure = self.procedure(p);
            items.push(procedure);
        }
        items.push(self.main(nondet));
        Program { items }
    }

    fn parameters(&self) -> String {
        let ty = self.ty;
        match self.handing {
            Handing::Nothing => format!("{ty} n, {ty} x"),
            Handing::Pointer => format!("{ty} n, {ty} x, {ty} *r"),
            Handing::List => format!("{ty} n, {ty} x, struct node *l"),
        }
    }

    fn procedure(&mut self, p: usize) -> Stmt {
        let outside = self.scope.len();
        self.scope.extend(["n".to_string(), "x".to_string()]);
        if self.handing == Handing::Pointer {
            self.scope.push("*r".to_string());
        }
        let mut body = Vec::new();
        if self.rng.chance(60) {
            body.push(Pieces::new().t(format!("{} v = ", self.ty)).e(self.sum()).t(";").stmt());
            self.scope.push("v".to_string());
        }
        if self.rng.chance(15) {
            body.push(Stmt::text(format!("{} b[2] = {{1, 2}};", self.ty)));
            self.scope.extend(["b[0]".to_string(), "b[1]".to_string()]);
        }
        if self.handing == Handing::List {
            body.push(Stmt::text("struct node me; me.next = l;"));
            body.push(Pieces::new().t("me.v = ").e(self.sum()).t(";").stmt());
            self.scope.push("me.v".to_string());
        }
        // Now and then recursion ends for another reason, or does not end.
        let end = match self.rng.chance(92) {
            true => Expr::text("n <= 0"),
            false => self.condition(),
        };
        let at_end = self.value();
        body.push(Pieces::new().t("if (").e(end).t(") return ").e(at_end).t(";").stmt());
        body.extend(self.block(0));
        body.push(self.result());
        self.scope.truncate(outside);
        Pieces::new().t(format!("{} p{p}({}) ", self.ty, self.parameters())).b(body).stmt()
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        (0..1 + self.rng.below(STATEMENTS)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Stmt {
        let inner = depth < DEPTH;
        if self.kept && self.rng.chance(25) {
            return self.with_kept();
        }
        if self.handing == Handing::List && self.rng.chance(30) {
            return self.with_list();
        }
        match self.rng.below(14) {
            0..=2 => {
                let to = self.variable();
                Pieces::new().t(format!("{to} = ")).e(self.sum()).t(";").stmt()
            }
            3..=6 => {
                let to = self.variable();
                Pieces::new().t(format!("{to} = ")).e(self.call()).t(";").stmt()
            }
            7 => Pieces::new().e(self.call()).t(";").stmt(),
            8 => {
                let condition = self.unlikely();
                Pieces::new().t("if (").e(condition).t(") reach_error();").stmt()
            }
            9 => {
                let condition = self.condition();
                Pieces::new().t("if (").e(condition).t(") return ").e(self.value()).t(";").stmt()
            }
            10 if inner => {
                self.counters += 1;
                let (i, rounds) = (format!("i{}", self.counters), 1 + self.rng.below(3));
                let head = format!("for (int {i} = 0; {i} < {rounds}; {i}++) ");
                Pieces::new().t(head).b(self.block(depth + 1)).stmt()
            }
            11 if inner => Pieces::new().t("while (n > 1) ").b(self.counting(depth + 1)).stmt(),
            12 if self.through_pointer => Stmt::text(format!("f = p{};", self.rng.below(self.procedures))),
            _ if inner => {
                let condition = self.condition();
                let mut pieces = Pieces::new().t("if (").e(condition).t(") ").b(self.block(depth + 1));
                if self.rng.chance(40) {
                    pieces = pieces.t(" else ").b(self.block(depth + 1));
                }
                pieces.stmt()
            }
            _ => {
                let to = self.variable();
                Pieces::new().t(format!("{to} = ")).e(self.sum()).t(";").stmt()
            }
        }
    }

    /// What an earlier activation left is changed or read, or something is left to those that are called here.
    fn with_kept(&mut self) -> Stmt {
        match self.rng.below(3) {
            0 => Pieces::new().t("if (kept) *kept = ").e(self.sum()).t(";").stmt(),
            1 => {
                let to = self.variable();
                Pieces::new().t(format!("if (kept) {to} = *kept")).t(" + ").e(self.value()).t(";").stmt()
            }
            _ => {
                let (left, to) = (self.address(), self.variable());
                let head = format!("{{ {} *before = kept; kept = {left}; {to} = ", self.ty);
                Pieces::new().t(head).e(self.call()).t("; kept = before; }").stmt()
            }
        }
    }

    /// Nodes of callers are changed or read, or there is a new one.
    fn with_list(&mut self) -> Stmt {
        match self.rng.below(4) {
            0 => Pieces::new().t("if (l) l->v = ").e(self.sum()).t(";").stmt(),
            1 => {
                let to = self.variable();
                Pieces::new().t(format!("if (l) {to} = l->v")).t(" + ").e(self.value()).t(";").stmt()
            }
            2 => {
                let head = "for (struct node *q = l; q; q = q->next) q->v = ";
                Pieces::new().t(head).e(self.sum()).t(";").stmt()
            }
            _ => {
                let head = "{ struct node *h = malloc(sizeof *h); h->next = l; h->v = ";
                Pieces::new().t(head).e(self.sum()).t("; l = h; }").stmt()
            }
        }
    }

    /// The body of a loop that ends, if nothing in it counts the other way.
    fn counting(&mut self, depth: usize) -> Vec<Stmt> {
        let mut body = vec![Stmt::text("n--;")];
        body.extend(self.block(depth));
        body
    }

    fn result(&mut self) -> Stmt {
        let value = match self.rng.below(5) {
            0 => self.value(),
            1 | 2 => self.call(),
            3 => Pieces::new().e(self.call()).t(" + ").e(self.value()).expr(),
            _ => {
                let (limit, call) = (2 + self.rng.below(6), self.call());
                let clamp = format!(" > {limit} ? {limit} : x");
                return Pieces::new().t("x = ").e(call).t("; return x").t(clamp).t(";").stmt();
            }
        };
        Pieces::new().t("return ").e(value).t(";").stmt()
    }

    /// With less to count, mostly.
    fn call(&mut self) -> Expr {
        let less = if self.rng.chance(95) { 1 + self.rng.below(2) } else { 0 };
        let callee = match self.through_pointer && self.rng.chance(50) {
            true => "f".to_string(),
            false => format!("p{}", self.rng.below(self.procedures)),
        };
        let mut pieces = Pieces::new().t(format!("{callee}(n - {less}, ")).e(self.sum());
        if let Some(handed) = self.handed() {
            pieces = pieces.t(format!(", {handed}"));
        }
        pieces.t(")").expr()
    }

    /// What is handed on.
    fn handed(&mut self) -> Option<String> {
        match self.handing {
            Handing::Nothing => None,
            Handing::Pointer => Some(self.address()),
            // There is none in `main`.
            Handing::List if !self.scope.iter().any(|name| name == "me.v") => Some("0".to_string()),
            Handing::List => Some(self.rng.pick(&["l", "&me", "&me", "l ? l->next : 0", "0"]).to_string()),
        }
    }

    /// What is handed on to be written to: what was handed here, a global or a local variable.
    fn address(&mut self) -> String {
        let targets: Vec<String> = self
            .scope
            .iter()
            .map(|name| if name == "*r" { "r".to_string() } else { format!("&{name}") })
            .collect();
        self.rng.pick(&targets).clone()
    }

    fn variable(&mut self) -> String {
        self.rng.pick(&self.scope).clone()
    }

    /// A variable or a small number.
    fn value(&mut self) -> Expr {
        match self.rng.chance(50) {
            true => Expr::text(self.variable()),
            false => Expr::text(self.rng.below(4).to_string()),
        }
    }

    fn sum(&mut self) -> Expr {
        let first = Expr::text(self.variable());
        let sign = if self.rng.chance(70) { " + " } else { " - " };
        match self.rng.below(6) {
            0 => first,
            1 => Pieces::new().e(first).t(sign).e(Expr::text(self.variable())).expr(),
            2 => Expr::text(self.rng.below(4).to_string()),
            _ => Pieces::new().e(first).t(sign).e(Expr::text(self.rng.below(4).to_string())).expr(),
        }
    }

    fn condition(&mut self) -> Expr {
        let operator = *self.rng.pick(&[" > ", " < ", " == ", " != ", " >= "]);
        Pieces::new().e(Expr::text(self.variable())).t(operator).e(self.value()).expr()
    }

    /// Something that mostly does not hold.
    fn unlikely(&mut self) -> Expr {
        let (what, number) = (Expr::text(self.variable()), self.rng.below(24));
        let what = Pieces::new().e(what);
        match self.rng.below(4) {
            0 => what.t(format!(" < -{number}")),
            1 => what.t(format!(" == {}", number + 5)),
            2 => what.t(format!(" > {number} + ")).e(Expr::text(self.variable())),
            _ => what.t(format!(" > {}", 3 + number)),
        }
        .expr()
    }

    fn main(&mut self, nondet: &str) -> Stmt {
        let (ty, given) = (self.ty, format!("__VERIFIER_nondet_{nondet}()"));
        let bound = 1 + self.rng.below(5);
        let mut body = vec![Stmt::text(format!("{ty} n = {given}, x = {given}, y = 0;"))];
        // Now and then without a bound: then only a summary proves anything.
        let (low, high) = (self.rng.chance(85), self.rng.chance(75));
        if low {
            body.push(Stmt::text("if (n < 0 || x < 0) return 0;"));
        }
        if high {
            body.push(Stmt::text(format!("if (n > {bound} || x > 9) return 0;")));
        }
        self.scope.extend(["n".to_string(), "x".to_string(), "y".to_string()]);
        // What is called gets all of `n`.
        let first = self.rng.below(self.procedures);
        let mut call = Pieces::new().t(format!("y = p{first}(n, ")).e(self.sum());
        self.scope.retain(|name| name != "y");
        if let Some(handed) = self.handed() {
            call = call.t(format!(", {handed}"));
        }
        self.scope.push("y".to_string());
        body.push(call.t(");").stmt());
        for _ in 0..1 + self.rng.below(2) {
            let condition = self.unlikely();
            body.push(Pieces::new().t("if (").e(condition).t(") reach_error();").stmt());
        }
        body.push(Stmt::text("return 0;"));
        Pieces::new().t("int main(void) ").b(body).stmt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depends_on_the_seed_alone() {
        assert_eq!(generate(1), generate(1));
        assert_ne!(generate(1), generate(2));
    }

    /// What the comparison is about comes about: mutual recursion, pointers, narrow integers, calls through pointers.
    #[test]
    fn everything_comes_about() {
        let texts: Vec<String> = (0..300).map(|seed| generate(seed).to_string()).collect();
        let parts = ["p2(", "*r = ", "signed char g0", "unsigned char g0", "a[1]", "= f(", "while (n > 1)"];
        let memory = ["*kept = ", "kept = &", "&me", "l->v", "h->next", "b[1]", "q->next"];
        for part in parts.into_iter().chain(memory) {
            let with = texts.iter().filter(|text| text.contains(part)).count();
            assert!(with >= 6, "{part}: {with}");
        }
    }
}
