//! Random programs with the parameters of document 000, section 6: one procedure with 5 integer variables, a sequence of up to 15
//! control-flow statements (`if` or `while`), each with up to 5 sub-statements, nested up to 5 deep, and a sequence of assertions at
//! the end.
//!
//! What the document leaves open is chosen as in the programs it used: the variables are never initialised; conditions are one or two
//! strict comparisons of a variable with a sum, joined by `&&` or `||`; sums have up to 5 terms, variables and constants up to 100;
//! loops often count towards their bound, so that not every program runs forever or never enters a loop. Width, depth and size of blocks
//! are drawn for each program, so that small and large ones come about.

use std::fmt::Write as _;

const VARS: [&str; 5] = ["a", "b", "c", "d", "e"];
const MAX_WIDTH: u64 = 15;
const MAX_BLOCK: u64 = 5;
const MAX_DEPTH: u64 = 5;
const MAX_TERMS: u64 = 5;
const ASSERTIONS: u64 = 3;
/// Statements at most: five nested levels of five could make thousands.
const MAX_STATEMENTS: u32 = 400;

/// The program of a seed, the same for the same seed on every machine.
pub fn random(seed: u64) -> String {
    let mut maker =
        Maker { state: seed ^ 0xc4a1_9b00_61e5_0000, text: String::new(), block: 1, left: MAX_STATEMENTS };
    maker.program(seed);
    maker.text
}

struct Maker {
    state: u64,
    text: String,
    /// Sub-statements of a control-flow statement at most.
    block: u64,
    /// Statements that may still be made.
    left: u32,
}

impl Maker {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 1 and `most`.
    fn up_to(&mut self, most: u64) -> u64 {
        self.next() % most + 1
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn program(&mut self, seed: u64) {
        let width = self.up_to(MAX_WIDTH);
        let depth = self.up_to(MAX_DEPTH);
        self.block = self.up_to(MAX_BLOCK);
        let block = self.block;
        let _ = writeln!(
            self.text,
            "// Random program {seed}: width {width}, depth {depth}, block {block}.\nprocedure main()\n{{"
        );
        let _ = writeln!(self.text, "  var {}: int;", VARS.join(", "));
        for _ in 0..width {
            self.control(depth, 1);
        }
        for _ in 0..self.up_to(ASSERTIONS) {
            let condition = self.condition();
            let _ = writeln!(self.text, "  assert {condition};");
        }
        self.text.push_str("}\n");
    }

    fn indent(&mut self, level: usize) {
        self.text.extend(std::iter::repeat_n("  ", level));
    }

    /// An `if` or a `while`; `depth` levels may still open, itself included.
    fn control(&mut self, depth: u64, level: usize) {
        self.left = self.left.saturating_sub(1);
        if self.chance(50) {
            let condition = self.condition();
            self.indent(level);
            let _ = writeln!(self.text, "if ({condition}) {{");
            self.sub_statements(depth, level);
            self.indent(level);
            self.text.push_str("} else {\n");
            if self.chance(60) {
                self.sub_statements(depth, level);
            }
            self.indent(level);
            self.text.push_str("}\n");
            return;
        }
        // Half of the loops count a variable towards the bound.
        let counter = VARS[self.next() as usize % VARS.len()];
        let counts = self.chance(50);
        let condition = if counts { format!("({counter} < {})", self.sum()) } else { self.condition() };
        self.indent(level);
        let _ = writeln!(self.text, "while ({condition}) {{");
        self.sub_statements(depth, level);
        if counts {
            let step = self.up_to(100);
            self.indent(level + 1);
            let _ = writeln!(self.text, "{counter} := {counter} + {step};");
        }
        self.indent(level);
        self.text.push_str("}\n");
    }

    fn sub_statements(&mut self, depth: u64, level: usize) {
        // The last of at most five may be the step of a counting loop.
        let most = self.block.saturating_sub(1).max(1);
        for _ in 0..self.up_to(most) {
            if depth > 1 && self.left > 0 && self.chance(40) {
                self.control(depth - 1, level + 1);
            } else {
                self.left = self.left.saturating_sub(1);
                let var = VARS[self.next() as usize % VARS.len()];
                let sum = self.sum();
                self.indent(level + 1);
                let _ = writeln!(self.text, "{var} := {sum};");
            }
        }
    }

    fn condition(&mut self) -> String {
        let first = self.comparison();
        if self.chance(60) {
            return first;
        }
        let join = if self.chance(50) { "&&" } else { "||" };
        format!("{first} {join} {}", self.comparison())
    }

    fn comparison(&mut self) -> String {
        let var = VARS[self.next() as usize % VARS.len()];
        let op = if self.chance(50) { "<" } else { ">" };
        format!("({var} {op} {})", self.sum())
    }

    fn sum(&mut self) -> String {
        let mut text = self.term();
        for _ in 1..self.up_to(MAX_TERMS) {
            let op = if self.chance(60) { "+" } else { "-" };
            let term = self.term();
            let _ = write!(text, " {op} {term}");
        }
        text
    }

    fn term(&mut self) -> String {
        if self.chance(50) {
            self.up_to(100).to_string()
        } else {
            VARS[self.next() as usize % VARS.len()].to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use craig_cfa::{graph, verify};

    #[test]
    fn every_program_loads() {
        let mut loops = 0;
        for seed in 0..300 {
            let text = random(seed);
            assert_eq!(text, random(seed));
            let program = super::super::load_text("random.bpl", &text, &Options::default())
                .unwrap_or_else(|f| panic!("{:?}\n{text}", f.diagnostics));
            verify::verify(&program).unwrap();
            let order = graph::order(&program, &program.graph());
            loops += order.loop_head.iter().filter(|h| **h).count();
        }
        assert!(loops > 300, "{loops}");
    }

    #[test]
    fn the_parameters_are_kept() {
        let (mut deepest, mut widest, mut shortest) = (0, 0, usize::MAX);
        for seed in 0..300 {
            let text = random(seed);
            let level = |l: &str| (l.len() - l.trim_start().len()) / 2;
            let control = |l: &&str| l.trim_start().starts_with("if") || l.trim_start().starts_with("while");
            deepest = deepest.max(text.lines().filter(control).map(level).max().unwrap_or(0));
            widest = widest.max(text.lines().filter(control).filter(|l| level(l) == 1).count());
            shortest = shortest.min(text.lines().count());
            assert!(text.lines().count() < 1500);
            assert!(text.contains("assert"));
        }
        assert_eq!((deepest, widest), (5, 15));
        assert!(shortest < 12);
    }
}
