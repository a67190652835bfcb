//! Random rules of pushdown systems.
//!
//! States, symbols and bits are few, and rules of all three forms lead anywhere. The error is a symbol that few rules lead to.

use super::make::Maker;
use super::tree::{Code, Program, Rule, Type, Var};

/// The rules of a seed, the same for the same seed on every machine.
pub fn generate_rules(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    for _ in 0..1 + maker.rng.below(3) {
        let ty = *maker.rng.pick(&[Type::Bool, Type::Int(1), Type::Int(2)]);
        maker.vars.push(Var { ty, cells: None });
    }
    maker.scope = (0..maker.vars.len()).collect();
    let states = 1 + maker.rng.below(3);
    // The last is the error.
    let symbols = 3 + maker.rng.below(4);
    let mut rules = Vec::new();
    for n in 0..symbols * 2 + maker.rng.below(4) {
        let from = (maker.rng.below(states), if n + 1 < symbols { n } else { maker.rng.below(symbols - 1) });
        let height = *maker.rng.pick(&[0, 0, 1, 1, 1, 2, 2]);
        let stack = (0..height).map(|_| maker.rng.below(symbols - 1)).collect();
        let condition = maker.rng.chance(80).then(|| {
            maker.primes = maker.rng.chance(60);
            maker.condition(1)
        });
        rules.push(Rule { from, to: (maker.rng.below(states), stack), condition });
    }
    for _ in 0..1 + maker.rng.below(2) {
        let from = (maker.rng.below(states), maker.rng.below(symbols - 1));
        maker.primes = false;
        let condition = Some(maker.condition(2));
        let mut stack = vec![symbols - 1];
        if maker.rng.chance(30) {
            stack.push(maker.rng.below(symbols - 1));
        }
        rules.push(Rule { from, to: (maker.rng.below(states), stack), condition });
    }
    let globals = maker.scope.clone();
    Program { seed, vars: maker.vars, globals, code: Code::Rules { symbols, rules } }
}
