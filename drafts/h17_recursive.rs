//! Random C programs with procedures that call themselves and each other.
//!
//! A program has up to three procedures with a parameter that counts down, one or two more numbers, and a global variable or two. Each calls
//! procedures with less to count, on one of several ways, and returns a sum. `main` calls one of them with values from outside, within bounds or
//! without, and asserts something about the result and the globals that may or may not hold.

use crate::rng::Rng;
use std::fmt::Write as _;

struct Generator {
    rng: Rng,
    procedures: usize,
    globals: usize,
}

/// The program of a seed; it declares nothing of the library but `__VERIFIER_nondet_int` and `reach_error`.
pub fn generate(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let (procedures, globals) = (1 + rng.below(3), rng.below(3));
    let mut generator = Generator { rng, procedures, globals };
    generator.program()
}

impl Generator {
    fn program(&mut self) -> String {
        let mut text = String::new();
        for g in 0..self.globals {
            let _ = writeln!(text, "int g{g};");
        }
        for p in 0..self.procedures {
            let _ = writeln!(text, "int p{p}(int n, int x);");
        }
        for p in 0..self.procedures {
            let body = self.body();
            let _ = writeln!(text, "int p{p}(int n, int x) {{ {body} }}");
        }
        let first = self.rng.below(self.procedures);
        let from_outside = "__VERIFIER_nondet_int()";
        let bound = 1 + self.rng.below(5);
        // Now and then without a bound: then only a summary proves anything.
        let range = if self.rng.chance(30) { "n < 0 || n > 10000".into() } else { format!("n < 0 || n > {bound}") };
        let argument = if self.rng.chance(50) { self.rng.below(4).to_string() } else { "y".into() };
        let claim = self.claim();
        let _ = writeln!(
            text,
            "int main(void) {{ int n = {from_outside}, y = {from_outside}, r; if ({range} || y < 0 || y > 9) return 0; \
             r = p{first}(n, {argument}); if ({claim}) reach_error(); return 0; }}"
        );
        text
    }

    fn variable(&mut self) -> String {
        match self.rng.below(2 + self.globals) {
            0 => "n".into(),
            1 => "x".into(),
            g => format!("g{}", g - 2),
        }
    }

    fn sum(&mut self) -> String {
        let (variable, number) = (self.variable(), self.rng.below(4));
        let sign = if self.rng.chance(70) { '+' } else { '-' };
        format!("{variable} {sign} {number}")
    }

    fn call(&mut self) -> String {
        let (procedure, less, argument) = (self.rng.below(self.procedures), 1 + self.rng.below(2), self.sum());
        format!("p{procedure}(n - {less}, {argument})")
    }

    /// Ends at zero, changes a global perhaps, goes on.
    fn body(&mut self) -> String {
        let base = if self.rng.chance(50) { self.rng.below(3).to_string() } else { self.variable() };
        let mut text = format!("if (n <= 0) return {base}; ");
        if self.globals > 0 && self.rng.chance(60) {
            let (global, sum) = (self.rng.below(self.globals), self.sum());
            let change = if self.rng.chance(50) { format!("g{global}++") } else { format!("g{global} = {sum}") };
            let _ = write!(text, "{change}; ");
        }
        if self.rng.chance(40) {
            let (variable, number, call) = (self.variable(), self.rng.below(6), self.call());
            let _ = write!(text, "if ({variable} > {number}) return {call}; ");
        }
        let call = self.call();
        let more = match self.rng.below(4) {
            0 => call,
            1 => format!("{call} + {}", 1 + self.rng.below(2)),
            2 => format!("{call} + {}", self.call()),
            _ => {
                let limit = 2 + self.rng.below(6);
                let _ = write!(text, "int r = {call}; ");
                format!("(r > {limit} ? {limit} : r)")
            }
        };
        let _ = write!(text, "return {more};");
        text
    }

    fn claim(&mut self) -> String {
        let what = match self.rng.below(2 + self.globals) {
            0 | 1 => "r".into(),
            g => format!("g{}", g - 2),
        };
        let number = self.rng.below(24);
        match self.rng.below(4) {
            0 => format!("{what} < -{number}"),
            1 => format!("{what} == {number}"),
            2 => format!("{what} > {number} + n"),
            _ => format!("{what} > {number}"),
        }
    }
}
