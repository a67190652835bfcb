//! Random formulas: our terms against Z3, and a slice of the interpolation campaign.
//!
//! Seeds are in the messages of failing assertions; the whole campaign is `examples/campaign.rs`.

mod random;

use craig_base::Budget;
use craig_logic::{FunId, Rat, Sort, TermId, Terms, Value};
use craig_smt::bdd::refute::{Diagrams, contradict};
use craig_smt::interpolate::{self, Hints, Method, Options, Strength, Tree};
use craig_smt::{Smt, Status};
use random::{Family, Random};
use std::rc::Rc;

/// Symbols of every sort, and random terms over them.
struct World {
    t: Rc<Terms>,
    smt: Smt,
    random: Random,
    bools: Vec<TermId>,
    ints: Vec<TermId>,
    reals: Vec<TermId>,
    bvs: Vec<TermId>,
    arrays: Vec<TermId>,
    /// Arrays of bit-vectors by bit-vectors.
    cells: Vec<TermId>,
    function: FunId,
    /// Terms are about bits only.
    bits: bool,
    /// When set, numbers are drawn as symbols with this value, so that no constructor can fold them.
    opaque: Option<Vec<(TermId, TermId)>>,
}

const WIDTH: u32 = 6;

/// Units of work for one question.
const WORK: u64 = 35_000_000;

impl World {
    fn new(seed: u64) -> World {
        let t = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&t), Budget::unlimited()).unwrap();
        let named = |prefix: &str, sort: Sort, n: usize| -> Vec<TermId> {
            (0..n).map(|i| t.symbol(&format!("{prefix}{i}"), sort)).collect()
        };
        let array = t.array_sort(Sort::Int, Sort::Int);
        let (bools, ints, reals) =
            (named("p", Sort::Bool, 2), named("i", Sort::Int, 3), named("r", Sort::Real, 2));
        let (bvs, arrays) = (named("b", Sort::BitVec(WIDTH), 3), named("a", array, 2));
        let cells = named("m", t.array_sort(Sort::BitVec(WIDTH), Sort::BitVec(WIDTH)), 2);
        let function = t.function("f", &[Sort::Int], Sort::Int);
        let (random, bits, opaque) = (Random::new(seed), false, None);
        World { smt, random, bools, ints, reals, bvs, arrays, cells, function, bits, opaque, t }
    }

    fn number(&mut self, value: i64, sort: Sort) -> TermId {
        let number = match sort {
            Sort::BitVec(width) => self.t.bv(value, width),
            Sort::Real => self.t.real(&Rat::new(value, 2)),
            _ => self.t.int(value),
        };
        match &mut self.opaque {
            None => number,
            Some(list) => {
                let symbol = self.t.fresh("c", sort);
                list.push((symbol, number));
                symbol
            }
        }
    }

    fn int(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 || self.random.chance(20) {
            return match self.random.range(0, 2) {
                0 => {
                    let value = self.random.range(-5, 5);
                    self.number(value, Sort::Int)
                }
                _ => self.random.pick(&self.ints.clone()),
            };
        }
        let d = depth - 1;
        match self.random.range(0, 9) {
            0 | 1 => t.add(self.int(d), self.int(d)),
            2 => t.sub(self.int(d), self.int(d)),
            3 => {
                let (a, factor) = (self.int(d), self.random.range(-3, 3));
                t.scale(&Rat::from(factor), a)
            }
            4 => {
                let (a, k) = (self.int(d), self.random.pick(&[2i64, 3, -2]));
                t.div(a, t.int(k))
            }
            5 => {
                let (a, k) = (self.int(d), self.random.pick(&[2i64, 3, 5]));
                t.modulo(a, t.int(k))
            }
            6 => t.ite(self.bool(d), self.int(d), self.int(d)),
            7 => {
                let argument = self.int(d);
                t.apply(self.function, &[argument])
            }
            8 => t.select(self.array(d), self.int(d)),
            _ => t.bv_to_int(self.bv(d)),
        }
    }

    fn array(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 || self.random.chance(50) {
            return self.random.pick(&self.arrays.clone());
        }
        t.store(self.array(depth - 1), self.int(depth - 1), self.int(depth - 1))
    }

    fn real(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 {
            return self.random.pick(&self.reals.clone());
        }
        let d = depth - 1;
        match self.random.range(0, 4) {
            0 => t.add(self.real(d), self.real(d)),
            1 => {
                let (a, factor) = (self.real(d), self.random.range(-3, 3));
                t.scale(&Rat::new(factor, 2), a)
            }
            2 => t.to_real(self.int(d)),
            3 => {
                let value = self.random.range(-5, 5);
                self.number(value, Sort::Real)
            }
            _ => t.ite(self.bool(d), self.real(d), self.real(d)),
        }
    }

    fn bv(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 || self.random.chance(20) {
            return match self.random.range(0, 2) {
                0 => {
                    let value = self.random.range(-3, 9);
                    self.number(value, Sort::BitVec(WIDTH))
                }
                _ => self.random.pick(&self.bvs.clone()),
            };
        }
        let d = depth - 1;
        let (a, b) = (self.bv(d), self.bv(d));
        match self.random.range(0, 17) {
            0 => t.bv_add(a, b),
            1 => t.bv_sub(a, b),
            2 => t.bv_mul(a, b),
            3 => t.bv_and(a, b),
            4 => t.bv_or(a, b),
            5 => t.bv_xor(a, b),
            6 => t.bv_udiv(a, b),
            7 => t.bv_urem(a, b),
            8 => t.bv_sdiv(a, b),
            9 => t.bv_srem(a, b),
            10 => t.bv_shl(a, b),
            11 => t.bv_lshr(a, b),
            12 => t.bv_ashr(a, b),
            13 => t.bv_not(a),
            14 => t.bv_neg(a),
            15 => t.extract(WIDTH, 1, t.concat(a, b)),
            16 => t.extract(
                WIDTH - 1,
                0,
                if self.random.chance(50) { t.sign_ext(3, a) } else { t.zero_ext(2, b) },
            ),
            _ if self.bits => t.select(self.memory(d), a),
            _ => t.int_to_bv(self.int(d), WIDTH),
        }
    }

    fn memory(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 || self.random.chance(30) {
            return self.random.pick(&self.cells.clone());
        }
        let d = depth - 1;
        match self.random.range(0, 5) {
            0 => t.ite(self.bool(d), self.memory(d), self.memory(d)),
            1 => t.const_array(t.sort(self.cells[0]), self.bv(d)),
            _ => t.store(self.memory(d), self.bv(d), self.bv(d)),
        }
    }

    fn bool(&mut self, depth: u32) -> TermId {
        let t = Rc::clone(&self.t);
        if depth == 0 {
            return self.random.pick(&self.bools.clone());
        }
        let d = depth - 1;
        let kind = self.random.range(0, 14);
        match if self.bits && kind > 4 { 10 + kind % 3 } else { kind } {
            0 => t.and([self.bool(d), self.bool(d), self.bool(d)]),
            1 => t.or([self.bool(d), self.bool(d), self.bool(d)]),
            2 => t.not(self.bool(d)),
            3 => t.eq(self.bool(d), self.bool(d)),
            4 => t.ite(self.bool(d), self.bool(d), self.bool(d)),
            5 => t.le(self.int(d), self.int(d)),
            6 => t.gt(self.int(d), self.int(d)),
            7 => t.eq(self.int(d), self.int(d)),
            8 => t.lt(self.real(d), self.real(d)),
            9 => t.eq(self.real(d), self.real(d)),
            10 => t.bv_ule(self.bv(d), self.bv(d)),
            11 => t.bv_slt(self.bv(d), self.bv(d)),
            12 => t.eq(self.bv(d), self.bv(d)),
            13 => t.eq(self.array(d), self.array(d)),
            _ => t.distinct(self.int(d), self.int(d)),
        }
    }
}

/// What a solver finds satisfiable our evaluation finds true, and its implicant implies it.
#[test]
fn models_and_implicants_agree_with_z3() {
    let mut satisfiable = 0;
    for seed in 0..300 {
        let mut w = World::new(seed);
        let formula = w.bool(4);
        let t = Rc::clone(&w.t);
        let (answer, model) = w.smt.limited(WORK, || w.smt.check_model(&[formula]));
        if answer != Status::Sat {
            continue;
        }
        let Some(model) = model else { continue };
        satisfiable += 1;
        assert_eq!(t.eval(formula, &model), Value::Bool(true), "seed {seed}: {}", t.smt(formula));
        let literals = t.implicant(formula, &model).unwrap_or_else(|| panic!("seed {seed}"));
        for literal in &literals {
            assert_eq!(t.eval(*literal, &model), Value::Bool(true), "seed {seed}: {}", t.smt(*literal));
        }
        let implied = w.smt.limited(WORK, || w.smt.entails(&literals, formula));
        assert_ne!(implied, Ok(false), "seed {seed}: {}", t.smt(formula));
    }
    assert!(satisfiable > 150, "{satisfiable}");
}

/// Evaluation under an arbitrary assignment is what Z3 says about it.
#[test]
fn evaluation_agrees_with_z3() {
    for seed in 1000..1200 {
        let mut w = World::new(seed);
        let formula = w.bool(4);
        let t = Rc::clone(&w.t);
        // Some model of `true`, made by pinning every symbol to a random value.
        let mut pins = Vec::new();
        for symbol in t.symbols_of(formula) {
            let term = t.symbol_term(symbol);
            let value = w.random.range(-4, 9);
            pins.push(match t.sort(term) {
                Sort::Bool => t.eq(term, t.bool(value > 0)),
                Sort::Int => t.eq(term, t.int(value)),
                Sort::Real => t.eq(term, t.real(&Rat::new(value, 2))),
                Sort::BitVec(width) => t.eq(term, t.bv(value, width)),
                Sort::Array(_) => {
                    let base = t.const_array(t.sort(term), t.int(value));
                    t.eq(term, t.store(base, t.int(value), t.int(1)))
                }
            });
        }
        let (answer, model) = w.smt.check_model(&pins);
        assert_eq!(answer, Status::Sat, "seed {seed}");
        let model = model.unwrap();
        // The function is not pinned: read the formula with what our model says about it, and pin that too.
        if !t.functions_of_all(&[formula]).is_empty() {
            continue;
        }
        let value = t.eval(formula, &model) == Value::Bool(true);
        pins.push(formula);
        let says = w.smt.limited(WORK, || w.smt.check(&pins));
        if !matches!(says, Status::Unknown(_)) {
            assert_eq!(says.is_sat(), value, "seed {seed}: {}", t.smt(formula));
        }
    }
}

/// What diagrams refute Z3 refutes, and the other way round, where all is about bits.
#[test]
fn diagrams_agree_with_z3() {
    let (mut refuted, mut decided) = (0, 0);
    let diagrams = Diagrams { nodes: 1 << 18, first: ["b1".to_string()].into_iter().collect() };
    for seed in 3000..3400 {
        let mut w = World::new(seed);
        w.bits = true;
        let formulas: Vec<TermId> = (0..4).map(|_| w.bool(3)).collect();
        let answer = w.smt.limited(WORK, || w.smt.check(&formulas));
        let says = contradict(&w.t, &formulas, &diagrams, &Budget::unlimited());
        assert!(says == Ok(false) || answer != Status::Sat, "seed {seed}");
        refuted += usize::from(says == Ok(true));
        decided += usize::from(answer.is_unsat());
    }
    // Few need more nodes, or more addresses.
    assert!(refuted > 60 && refuted * 10 >= decided * 9, "{refuted} of {decided}");
}

/// The same draw with numbers that constructors can fold and with symbols in their place means the same.
#[test]
fn simplification_preserves_the_meaning() {
    let mut decided = 0;
    for seed in 2000..2200 {
        let mut w = World::new(seed);
        let folded = w.bool(4);
        w.random = Random::new(seed);
        w.opaque = Some(Vec::new());
        let plain = w.bool(4);
        let t = Rc::clone(&w.t);
        let mut question = vec![t.xor(folded, plain)];
        question.extend(w.opaque.take().unwrap_or_default().into_iter().map(|(s, n)| t.eq(s, n)));
        let answer = w.smt.limited(WORK, || w.smt.check(&question));
        assert_ne!(answer, Status::Sat, "seed {seed}: {}\n{}", t.smt(folded), t.smt(plain));
        decided += usize::from(answer.is_unsat());
    }
    assert!(decided > 150, "{decided}");
}

fn slice(family: Family, count: usize, first_seed: u64, at_least: usize) {
    let (mut done, mut answered, mut seed) = (0, 0, first_seed);
    while done < count {
        seed += 1;
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        let limit = 2 * WORK;
        let Some(parts) = smt.limited(limit, || random::sequence(&smt, family, seed)) else { continue };
        done += 1;
        for (methods, strength) in ways() {
            let options = Options { verify: false, strength, ..Options::only(methods) };
            let found =
                smt.limited(limit, || interpolate::sequence(&smt, &parts, &Hints::default(), &options));
            if let Ok(found) = found {
                answered += usize::from(methods == &Method::ALL[..]);
                let checked = interpolate::check_sequence(&smt, &parts, &found.formulas);
                assert_eq!(checked, Ok(()), "{family:?} seed {seed} {methods:?} {strength:?}");
            }
        }
    }
    assert!(answered >= at_least, "{family:?}: {answered} of {done}");
}

/// All layers, those behind the refutation, and the refutation with each strength.
fn ways() -> [(&'static [Method], Strength); 5] {
    let proof: &'static [Method] = &[Method::Proof];
    [
        (&Method::ALL, Strength::Simple),
        (&Method::ALL[1..], Strength::Simple),
        (proof, Strength::Strong),
        (proof, Strength::Simple),
        (proof, Strength::Weak),
    ]
}

#[test]
fn interpolants_of_linear_sequences_are_valid() {
    slice(Family::Linear, 40, 1, 38);
}

/// The same parts under random parents.
#[test]
fn interpolants_of_linear_trees_are_valid() {
    let (mut done, mut answered) = (0, 0);
    for seed in 5000..5100 {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        let limit = 2 * WORK;
        let Some(formulas) = smt.limited(limit, || random::sequence(&smt, Family::Linear, seed)) else {
            continue;
        };
        let mut random = Random::new(seed);
        let last = formulas.len() as i64 - 1;
        let parents = (0..last).map(|child| random.range(child + 1, last) as usize).collect();
        let tree = Tree { formulas, parents };
        done += 1;
        for (methods, strength) in ways() {
            let options = Options { verify: false, strength, ..Options::only(methods) };
            let found = smt.limited(limit, || interpolate::tree(&smt, &tree, &Hints::default(), &options));
            if let Ok(found) = found {
                answered += usize::from(methods == &Method::ALL[..]);
                let checked = interpolate::check_tree(&smt, &tree, &found.formulas);
                assert_eq!(checked, Ok(()), "seed {seed} {methods:?} {strength:?}");
            }
        }
        if done == 25 {
            break;
        }
    }
    assert!(answered + 2 >= done, "{answered} of {done}");
}

#[test]
fn interpolants_with_arrays_and_functions_are_valid() {
    slice(Family::ArraysAndFunctions, 12, 1, 10);
}

#[test]
fn interpolants_of_bit_vectors_are_valid() {
    slice(Family::BitVectors, 8, 1, 6);
}
