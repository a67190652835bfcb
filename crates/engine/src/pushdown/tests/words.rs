//! Words for diagrams: equivalent to them, and short.

use super::super::words::{Effort, Word, Words};
use super::*;
use craig_logic::{Model, Sort, TermId, Terms, Value};
use craig_smt::bdd::bits::Bits;

const WIDTH: usize = 3;

/// Words over variables of their own.
struct Values<'a> {
    words: Words<'a>,
    bits: Vec<Bits>,
}

/// Shows a test words x, y and z of 3 bits, z with a sign.
fn values(test: impl FnOnce(&Values<'_>)) {
    let bdds = Bdds::new(1 << 20, 1 << 16);
    let widths = [WIDTH; 3];
    let space = Space::new(bdds, &widths, &[false; 3], &Options::default()).expect("room");
    let terms = Terms::new();
    let mut words = Vec::new();
    let mut bits = Vec::new();
    for (i, (name, signed)) in [("x", false), ("y", false), ("z", true)].into_iter().enumerate() {
        let reg = space.reg(super::super::space::RegId::from_usize(i));
        let vars = reg.iter().map(|bit| space.var(Version::Now, *bit)).collect();
        bits.push(space.bits(Version::Now, reg));
        words.push(Word { term: terms.symbol(name, Sort::BitVec(WIDTH as u32)), vars, signed });
    }
    let words = Words { space: &space, terms: &terms, words, numbers: vec![0, 2, 5] };
    test(&Values { words, bits });
}

impl Values<'_> {
    /// The term says what the diagram says, for all values.
    #[track_caller]
    fn same(&self, function: &Bdd, term: TermId) {
        let vars: [Vec<BddVar>; 3] = std::array::from_fn(|i| self.words.words[i].vars.clone());
        for (bits, values) in assignments(&vars) {
            let mut model = Model::new();
            for (word, value) in self.words.words.iter().zip(values) {
                let [symbol] = self.words.terms.symbols_of(word.term)[..] else { panic!("a symbol") };
                model.set(symbol, Value::Bv(WIDTH as u32, value.into()));
            }
            let expected = function.eval(bits.iter().map(|(var, value)| (var.0, *value)));
            let text = self.words.terms.c(term);
            assert_eq!(self.words.terms.eval(term, &model), Value::Bool(expected), "{text} for {values:?}");
        }
    }

    /// What is found for a formula in Rust.
    #[track_caller]
    fn text(&self, holds: impl Fn([u32; 3]) -> bool) -> Option<String> {
        let space = self.words.space;
        let vars: [Vec<BddVar>; 3] = std::array::from_fn(|i| self.words.words[i].vars.clone());
        let mut function = space.constant(false);
        for (bits, _) in assignments(&vars).filter(|(_, given)| holds(*given)) {
            function = function.or(&space.bdds.cube(&bits).expect("room")).expect("room");
        }
        let term = self.words.phrase(&function, &mut Effort::PROOF.clone())?;
        self.same(&function, term);
        Some(self.words.terms.c(term))
    }
}

#[test]
fn short_words() {
    values(|values| {
        let found = |holds: &dyn Fn([u32; 3]) -> bool| values.text(holds).expect("words");
        assert_eq!(found(&|_| true), "1");
        assert_eq!(found(&|_| false), "0");
        assert_eq!(found(&|[x, _, _]| x == 3), "x == 3");
        assert_eq!(found(&|[x, _, _]| x != 3), "x != 3");
        assert_eq!(found(&|[x, _, _]| x > 5), "x > 5");
        assert_eq!(found(&|[x, _, _]| x % 2 == 1), "(x & 1) != 0");
        assert_eq!(found(&|[x, y, _]| x <= y), "x <= y");
        // 4 to 7 are -4 to -1.
        assert_eq!(found(&|[_, _, z]| z <= 1 || z >= 4), "sle(z, 1)");
        assert_eq!(found(&|[x, y, _]| x == y && x % 2 == 0), "(x & 1) == 0 && x == y");
        assert_eq!(found(&|[x, y, _]| x != 2 || y == 5), "x != 2 || y == 5");
        assert_eq!(
            found(&|[x, y, _]| if x <= y { x % 2 == 0 } else { y == 0 }),
            "x <= y ? (x & 1) == 0 : y == 0"
        );
        assert_eq!(found(&|[x, y, _]| y == (x + 1) % 8), "y == x + 1");
    });
}

/// Formulas at random, all of which are said in words or not at all; those that are made of comparisons are said in words.
#[test]
fn words_are_equivalent() {
    let mut seed = 0x2545_f491_u32;
    let mut random = |most: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed % most
    };
    values(|values| {
        let c = &values.words.space.circuits;
        let mut said = 0;
        for _ in 0..60 {
            let mut parts = Vec::new();
            for _ in 0..4 {
                let word = &values.bits[random(3) as usize];
                let other = &values.bits[random(3) as usize];
                let number = c.constant(u128::from(random(8)), WIDTH);
                parts.push(match random(5) {
                    0 => c.equal(word, &number).expect("room"),
                    1 => c.at_most(word, &number, false).expect("room"),
                    2 => c.at_most(word, other, random(2) == 0).expect("room"),
                    3 => c.equal(word, other).expect("room"),
                    _ => word[random(WIDTH as u32) as usize].clone(),
                });
            }
            let [a, b, d, e] = &parts[..] else { panic!("four") };
            let function = match random(4) {
                0 => a.and(b).and_then(|f| f.and(d)),
                1 => a.or(b).and_then(|f| f.or(d)),
                2 => a.ite(b, d),
                _ => a.ite(b, &d.xor(e).expect("room")),
            };
            let function = function.expect("room");
            if let Some(term) = values.words.phrase(&function, &mut Effort::PROOF.clone()) {
                values.same(&function, term);
                said += 1;
            }
        }
        assert!(said > 40, "{said}");
    });
}
