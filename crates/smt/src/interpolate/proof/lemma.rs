//! Facts of arithmetic with their proofs.
//!
//! A lemma says that literals contradict each other. Its proof tells for any division of the literals in two sides what lies between them: a formula that
//! the left ones imply, that contradicts the right ones, and has only what occurs on both. If one division puts more to the left than another, its
//! formula follows from the other's and the literals that moved; so formulas of nested cuts are inductive.

use super::sat::Lit;
use craig_logic::{Linear, Rat, Relation, Sort, TermId, Terms};

/// Why literals contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The weighted sum is a positive number that is to be at most zero.
    Farkas,
    /// The weighted sum of the others, all equations, is what the last literal says is not zero.
    Equation,
    /// The weighted sum of equations has whole coefficients and a constant that is not whole.
    Remainder,
    /// All speak of one sum.
    Bounds,
}

#[derive(Debug)]
pub struct Lemma {
    pub proof: Proof,
    /// Literals with their weights, which matter only for sums.
    pub literals: Vec<(Lit, TermId, Rat)>,
}

impl Lemma {
    /// The clause: one of the literals is false.
    pub fn clause(&self) -> Vec<Lit> {
        self.literals.iter().map(|(l, ..)| !*l).collect()
    }
}

/// Finds what lies between the two sides of one division after the other.
pub struct Between<'a> {
    terms: &'a Terms,
    lemma: &'a Lemma,
    linear: Vec<Linear>,
    /// All literals are equations: then so is what lies between. Beside an inequality half of it is enough, and holds for longer: `k >= 0` stays true in a loop
    /// that counts up, `k == 0` does not.
    equations: bool,
    /// Which literals are on the left.
    left: Vec<bool>,
    /// The weighted sum of these.
    sum: Linear,
}

impl<'a> Between<'a> {
    pub fn new(terms: &'a Terms, lemma: &'a Lemma) -> Self {
        let mut equations = true;
        let linear = lemma.literals.iter().map(|(_, term, _)| {
            let found = terms.linear_literal(*term).expect("a literal of arithmetic");
            equations &= found.relation == Relation::Eq;
            found.linear
        });
        let linear = linear.collect();
        let left = vec![false; lemma.literals.len()];
        Between { terms, lemma, linear, equations, left, sum: Linear::default() }
    }

    /// A formula that the literals on the left imply and the others contradict.
    pub fn at(&mut self, left: &[bool]) -> TermId {
        // The last literal of an equation is what the others sum up to.
        let summands = left.len() - usize::from(self.lemma.proof == Proof::Equation);
        for i in (0..summands).filter(|i| left[*i] != self.left[*i]) {
            let weight = &self.lemma.literals[i].2;
            let weight = if left[i] { weight.clone() } else { -weight };
            self.sum = self.sum.plus(&weight, &self.linear[i]);
        }
        self.left.clear();
        self.left.extend_from_slice(left);
        let t = self.terms;
        match self.lemma.proof {
            Proof::Bounds if left.iter().all(|l| *l) => t.fls(),
            Proof::Bounds => {
                let literals = self.lemma.literals.iter().zip(left).filter(|(_, left)| **left);
                t.and(literals.map(|((_, term, _), _)| *term))
            }
            Proof::Farkas if self.equations => t.eq_zero(&self.sum, Sort::Int),
            Proof::Farkas => t.le_zero(&self.sum, Sort::Int, false),
            Proof::Equation if left[summands] => {
                let rest = self.linear[summands].plus(&Rat::MINUS_ONE, &self.sum);
                t.not(t.eq_zero(&rest, Sort::Int))
            }
            Proof::Equation => t.eq_zero(&self.sum, Sort::Int),
            Proof::Remainder => remainder(t, &self.sum),
        }
    }
}

/// That a sum of whole numbers with any coefficients is whole: only the fractions matter.
fn remainder(t: &Terms, sum: &Linear) -> TermId {
    let fractions = sum.terms.iter().filter(|(_, c)| !c.is_integer());
    let modulus = fractions.clone().fold(sum.constant.den(), |m, (_, c)| m.lcm(&c.den()));
    if modulus.is_one() {
        return t.tru();
    }
    let mut kept = Linear::default();
    kept.terms.extend(fractions.map(|(monomial, c)| (*monomial, c * &modulus)));
    kept.constant = &sum.constant * &modulus;
    let modulus = t.numeral(&modulus, Sort::Int);
    t.eq(t.modulo(t.from_linear(&kept, Sort::Int), modulus), t.int(0))
}
