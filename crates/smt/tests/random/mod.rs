//! Random unsatisfiable sequences, made from a seed: half of them unrolled programs (initial states, blocks with
//! branches, an error), half arbitrary formulas over neighbouring states. A satisfiable draw is strengthened by facts
//! that its models violate, at random places, until it is unsatisfiable; a draw that resists is thrown away.
#![allow(dead_code, reason = "shared by tests, benches and the campaign, which use different parts")]

use craig_logic::{Evaluator, FunId, Model, Rat, Sort, TermId, Terms, Value};
use craig_smt::Smt;

/// A small generator of random numbers (SplitMix64): the same seed gives the same numbers everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[(self.next() % items.len() as u64) as usize]
    }
}

/// What the sequences are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Linear,
    ArraysAndFunctions,
    BitVectors,
}

/// Draws one unsatisfiable sequence; `None` when the draw did not lead to one.
pub fn sequence(smt: &Smt, family: Family, seed: u64) -> Option<Vec<TermId>> {
    let terms = smt.terms().clone();
    let mut random = Random::new(seed);
    let length = random.range(3, 8) as usize;
    let mut draw = Draw::new(&terms, family, &mut random, length);
    let program = draw.random.chance(50);
    let mut parts: Vec<TermId> = (0..length)
        .map(|k| if program { draw.block(k, length) } else { draw.window_formula(k, length, 2) })
        .collect();
    for _ in 0..16 {
        let (answer, model) = smt.check_model(&parts);
        if answer.is_unsat() {
            // A part that is false by itself leaves nothing to interpolate.
            return parts.iter().all(|p| !terms.is_false(*p)).then_some(parts);
        }
        let model = model?;
        let place = draw.random.range(0, length as i64 - 1) as usize;
        let fact = draw.violated(place, length, &model)?;
        parts[place] = terms.and([parts[place], fact]);
    }
    None
}

struct Draw<'a> {
    t: &'a Terms,
    family: Family,
    random: &'a mut Random,
    /// The symbols of each state, scalars only; state `k` lies between part `k - 1` and part `k`.
    states: Vec<Vec<TermId>>,
    arrays: Vec<TermId>,
    functions: Vec<FunId>,
    sort: Sort,
}

impl<'a> Draw<'a> {
    fn new(t: &'a Terms, family: Family, random: &'a mut Random, length: usize) -> Draw<'a> {
        let sort = match family {
            Family::BitVectors => Sort::BitVec(random.pick(&[4, 8, 16, 32])),
            _ => Sort::Int,
        };
        let tag = t.len();
        let variables = random.range(2, 4);
        let scalar = |k: usize, v: i64| t.symbol(&format!("v{v}_{k}!{tag}"), sort);
        let states = (0..=length).map(|k| (0..variables).map(|v| scalar(k, v)).collect()).collect();
        let mut arrays = Vec::new();
        let mut functions = Vec::new();
        if family == Family::ArraysAndFunctions {
            if random.chance(50) {
                let array = t.array_sort(Sort::Int, Sort::Int);
                arrays = (0..=length).map(|k| t.symbol(&format!("a_{k}!{tag}"), array)).collect();
            } else {
                functions.push(t.function(&format!("f!{tag}"), &[Sort::Int], Sort::Int));
            }
        }
        Draw { t, family, random, states, arrays, functions, sort }
    }

    fn number(&mut self, low: i64, high: i64) -> TermId {
        let value = self.random.range(low, high);
        match self.sort {
            Sort::BitVec(width) => self.t.bv(value, width),
            _ => self.t.int(value),
        }
    }

    fn variable(&mut self, k: usize) -> TermId {
        let state = self.states[k].clone();
        let plain = self.random.pick(&state);
        if self.family != Family::ArraysAndFunctions || self.random.chance(60) {
            return plain;
        }
        match self.functions.first() {
            Some(f) => self.t.apply(*f, &[plain]),
            None => self.t.select(self.arrays[k], plain),
        }
    }

    /// A small expression over one state.
    fn expression(&mut self, k: usize) -> TermId {
        let t = self.t;
        let x = self.variable(k);
        if let Sort::BitVec(width) = self.sort {
            let y = if self.random.chance(50) { self.variable(k) } else { self.number(-4, 8) };
            return match self.random.range(0, 9) {
                0..=3 => t.bv_add(x, y),
                4 => t.bv_sub(x, y),
                5 => t.bv_mul(x, t.bv(self.random.range(2, 5), width)),
                6 => t.bv_and(x, y),
                7 => t.bv_or(x, y),
                8 => t.bv_shl(x, t.bv(1, width)),
                _ => x,
            };
        }
        let mut sum = t.scale(&Rat::from(self.random.pick(&[1i64, 1, 1, 1, -1, 2, 3])), x);
        if self.random.chance(50) {
            let y = self.variable(k);
            sum = t.add(sum, t.scale(&Rat::from(self.random.pick(&[1i64, 1, -1, -1, 2])), y));
        }
        t.add(sum, t.int(self.random.range(-4, 4)))
    }

    fn atom(&mut self, k: usize) -> TermId {
        let (a, b) = (self.expression(k), self.number(-8, 12));
        let b = if self.random.chance(30) { self.variable(k) } else { b };
        self.compare(a, b)
    }

    fn compare(&mut self, a: TermId, b: TermId) -> TermId {
        let t = self.t;
        let kind = self.random.range(0, 9);
        match (self.sort, kind) {
            (_, 0..=2) => t.eq(a, b),
            (_, 3) => t.distinct(a, b),
            (Sort::BitVec(_), 4..=6) => t.bv_ule(a, b),
            (Sort::BitVec(_), 7 | 8) => t.bv_ult(b, a),
            (Sort::BitVec(_), _) => t.bv_sle(a, b),
            (_, 4..=6) => t.le(a, b),
            (_, 7 | 8) => t.ge(a, b),
            _ if self.family == Family::Linear => {
                let modulus = self.random.range(2, 4);
                t.eq(t.modulo(a, t.int(modulus)), t.int(self.random.range(0, modulus - 1)))
            }
            _ => t.gt(a, b),
        }
    }

    /// Part `k` of an unrolled program: initial states, a block with branches, or the error.
    fn block(&mut self, k: usize, length: usize) -> TermId {
        let t = self.t;
        if k == 0 {
            let facts: Vec<TermId> = (0..self.states[1].len())
                .map(|v| {
                    let (x, n) = (self.states[1][v], self.number(0, 6));
                    if self.random.chance(70) { t.eq(x, n) } else { self.compare(x, n) }
                })
                .collect();
            return t.and(facts);
        }
        if k + 1 == length {
            return t.and([self.atom(k), self.atom(k)]);
        }
        let branches = self.random.range(1, 4);
        t.or((0..branches).map(|_| {
            let mut facts = Vec::new();
            if self.random.chance(60) {
                facts.push(self.atom(k));
            }
            for v in 0..self.states[k].len() {
                let value = if self.random.chance(50) { self.states[k][v] } else { self.expression(k) };
                facts.push(t.eq(self.states[k + 1][v], value));
            }
            if !self.arrays.is_empty() {
                let (now, next) = (self.arrays[k], self.arrays[k + 1]);
                let written = if self.random.chance(50) {
                    let (i, e) = (self.states[k][0], self.expression(k));
                    t.store(now, i, e)
                } else {
                    now
                };
                facts.push(t.eq(next, written));
            }
            t.and(facts)
        }))
    }

    /// An arbitrary formula over the states around part `k`.
    fn window_formula(&mut self, k: usize, length: usize, depth: u32) -> TermId {
        let t = self.t;
        if depth == 0 {
            return self.window_atom(k, length);
        }
        let width = self.random.range(2, 4);
        let parts: Vec<TermId> = (0..width).map(|_| self.window_formula(k, length, depth - 1)).collect();
        if depth.is_multiple_of(2) { t.and(parts) } else { t.or(parts) }
    }

    fn window_atom(&mut self, k: usize, length: usize) -> TermId {
        // State 0 and state `length` would be local to the first and last part: let them be.
        let (k, next) = (k.max(1), (k + 1).min(length - 1));
        if self.random.chance(40) {
            return self.atom(k);
        }
        let (a, b) = (self.expression(k), self.variable(next));
        self.compare(b, a)
    }

    /// A fact around part `k` that is false in the model.
    fn violated(&mut self, k: usize, length: usize, model: &Model) -> Option<TermId> {
        let mut values = Evaluator::new(self.t, model);
        for _ in 0..20 {
            let atom = self.window_atom(k, length);
            if values.eval(atom) == Value::Bool(false) {
                return Some(atom);
            }
        }
        None
    }
}
