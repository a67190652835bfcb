//! Diagrams over bits in words: formulas over the values that the bits are parts of, for certificates that people can read and that are cheap
//! to check.
//!
//! Words are *guessed*, as comparisons of values with each other and with numbers of the program, and then compared with the
//! diagram: what is found is equivalent to it, or nothing is found. A formula is looked for as a literal, as a conjunction of the literals that the diagram
//! implies, as a disjunction of those that imply it, and as one that depends on an atom: `a ? f : g`, where `f` and `g` need to be right only
//! where `a` holds and does not, and so on to a small depth.

use super::Res;
use super::space::Space;
use craig_logic::{TermId, Terms};
use craig_smt::bdd::bits::Bits;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, Function, OutOfMemory, OutOfNodes};
use dashu::integer::IBig;

/// A value and its bits, the lowest first.
#[derive(Debug, Clone)]
pub struct Word {
    pub term: TermId,
    pub vars: Vec<BddVar>,
    pub signed: bool,
}

/// A condition as a diagram and as a term.
#[derive(Clone)]
pub struct Atom {
    pub function: Bdd,
    pub term: TermId,
    /// How long it is to read.
    pub cost: u32,
}

/// What a search may still cost, in nodes that operations look at.
#[derive(Debug, Clone, Copy)]
pub struct Effort(u64);

impl Effort {
    /// For all formulas of a certificate.
    pub const PROOF: Effort = Effort(900_000);
    /// For one formula.
    const FORMULA: u64 = 600_000;
}

/// Larger diagrams are no words.
const MOST_NODES: usize = 4000;
/// Formulas speak of at most so many values, with sums at most of so many.
const MOST_WORDS: usize = 12;
const MOST_SUMMANDS: usize = 5;
/// Numbers of the program that values are compared with at most.
pub const MOST_NUMBERS: usize = 16;
/// Atoms that a formula is split by, on the last level and on those above, and levels.
const LAST_SPLITS: usize = 16;
const SPLITS: usize = 6;
const DEPTH: u32 = 3;

/// A formula that was found.
#[derive(Debug, Clone, Copy)]
struct Phrase {
    term: TermId,
    cost: u32,
}

/// There is no effort or no room left.
struct Over;

impl From<OutOfMemory> for Over {
    fn from(_: OutOfMemory) -> Over {
        Over
    }
}

impl From<OutOfNodes> for Over {
    fn from(_: OutOfNodes) -> Over {
        Over
    }
}

/// Finds words for diagrams over these words.
pub struct Words<'a> {
    pub space: &'a Space,
    pub terms: &'a Terms,
    pub words: Vec<Word>,
    /// Numbers of the program.
    pub numbers: Vec<u128>,
}

impl Words<'_> {
    /// A formula that is equivalent to the diagram, if there is one that is easily found.
    pub fn phrase(&self, function: &Bdd, effort: &mut Effort) -> Option<TermId> {
        if function.node_count() > MOST_NODES {
            return None;
        }
        let atoms = self.atoms(function).ok()??;
        search(self.space, self.terms, &atoms, function, effort).map(|found| found.term)
    }

    fn bits(&self, word: &Word) -> Res<Bits> {
        word.vars.iter().map(|var| Ok(self.space.bdds.var(*var)?)).collect()
    }

    /// Conditions that the formula may be made of: they speak of nothing that it does not speak of. `None`: it speaks of too much.
    fn atoms(&self, function: &Bdd) -> Res<Option<Vec<Atom>>> {
        let support = self.space.bdds.support(function);
        let is_in = |var: &BddVar| support.binary_search(var).is_ok();
        let touched: Vec<&Word> = self.words.iter().filter(|word| word.vars.iter().any(is_in)).collect();
        if touched.len() > MOST_WORDS {
            return Ok(None);
        }
        let c = &self.space.circuits;
        let mut atoms = Atoms { space: self.space, support: &support, found: Vec::new() };
        let whole: Vec<&Word> = touched.iter().copied().filter(|word| word.vars.iter().all(is_in)).collect();
        for word in &touched {
            for (i, var) in word.vars.iter().enumerate().filter(|(_, var)| is_in(var)) {
                // One bit of several: parity, or what the program does with bits.
                if word.vars.len() > 1 {
                    let mask = self.number(word, 1 << i);
                    let term = self.terms.eq(self.terms.bv_and(word.term, mask), self.number(word, 0));
                    atoms.add(self.space.bdds.var(*var)?.not()?, term, 4 + i as u32);
                }
            }
        }
        for word in &touched {
            let (bits, width) = (self.bits(word)?, word.vars.len());
            let mut values: Vec<u128> =
                self.numbers.iter().copied().filter(|n| width >= 128 || n >> width == 0).collect();
            values.push(0);
            for part in [function.clone(), function.not()?] {
                values.extend(self.extremes(&part, &bits, word.signed)?);
            }
            values.sort_unstable();
            values.dedup();
            for value in values {
                let number = c.constant(value, width);
                let term = self.number(word, value);
                atoms.add(c.equal(&bits, &number)?, self.terms.eq(word.term, term), 2);
                // At most the number, and less than it.
                let below = value.wrapping_sub(1) & mask(width);
                let least = if word.signed { 1 << (width - 1) } else { 0 };
                for most in [Some(value), (value != least).then_some(below)].into_iter().flatten() {
                    let number = c.constant(most, width);
                    let term = self.at_most(word, word.term, self.number(word, most));
                    atoms.add(c.at_most(&bits, &number, word.signed)?, term, 3);
                }
            }
        }
        for (i, x) in whole.iter().enumerate() {
            for y in whole[i + 1..].iter().filter(|y| alike(x, y)) {
                let (a, b) = (self.bits(x)?, self.bits(y)?);
                atoms.add(c.equal(&a, &b)?, self.terms.eq(x.term, y.term), 3);
                atoms.add(c.at_most(&a, &b, x.signed)?, self.at_most(x, x.term, y.term), 4);
                atoms.add(c.at_most(&b, &a, x.signed)?, self.at_most(x, y.term, x.term), 4);
                for (x, a, y, b) in [(x, &a, y, &b), (y, &b, x, &a)] {
                    let one = self.number(x, 1);
                    let next = self.terms.eq(self.terms.bv_add(x.term, one), y.term);
                    atoms.add(c.equal(&c.add(a, &c.constant(1, a.len()))?, b)?, next, 5);
                }
            }
        }
        if whole.len() <= MOST_SUMMANDS {
            for (i, x) in whole.iter().enumerate() {
                for (k, y) in whole.iter().enumerate().skip(i + 1).filter(|(_, y)| alike(x, y)) {
                    let sum = c.add(&self.bits(x)?, &self.bits(y)?)?;
                    let term = self.terms.bv_add(x.term, y.term);
                    for (_, z) in whole.iter().enumerate().filter(|(n, z)| *n != i && *n != k && alike(x, z))
                    {
                        atoms.add(c.equal(&sum, &self.bits(z)?)?, self.terms.eq(term, z.term), 5);
                    }
                }
            }
        }
        Ok(Some(atoms.found))
    }

    fn number(&self, word: &Word, value: u128) -> TermId {
        self.terms.bv_big(IBig::from(value), word.vars.len() as u32)
    }

    fn at_most(&self, word: &Word, a: TermId, b: TermId) -> TermId {
        if word.signed { self.terms.bv_sle(a, b) } else { self.terms.bv_ule(a, b) }
    }

    /// The smallest and the largest value that a word has where the function holds.
    fn extremes(&self, function: &Bdd, bits: &[Bdd], signed: bool) -> Res<Vec<u128>> {
        if !function.satisfiable() || bits.len() > 128 {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for largest in [false, true] {
            let (mut rest, mut value) = (function.clone(), 0_u128);
            for (i, bit) in bits.iter().enumerate().rev() {
                let wanted = largest != (signed && i + 1 == bits.len());
                let part = rest.and(&if wanted { bit.clone() } else { bit.not()? })?;
                let taken = if part.satisfiable() { wanted } else { !wanted };
                rest = if part.satisfiable() { part } else { rest };
                value |= u128::from(taken) << i;
            }
            found.push(value);
        }
        Ok(found)
    }
}

fn mask(width: usize) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// May the two be compared?
fn alike(x: &Word, y: &Word) -> bool {
    x.vars.len() == y.vars.len() && x.signed == y.signed
}

/// Atoms, each once, itself or its negation, that speak of these variables only.
struct Atoms<'a> {
    space: &'a Space,
    support: &'a [BddVar],
    found: Vec<Atom>,
}

impl Atoms<'_> {
    fn add(&mut self, function: Bdd, term: TermId, cost: u32) {
        let Ok(negated) = function.not() else { return };
        let constant = !function.satisfiable() || function.valid();
        if !self.space.bdds.support(&function).iter().all(|var| self.support.binary_search(var).is_ok()) {
            return;
        }
        let known = self.found.iter_mut().find(|atom| atom.function == function || atom.function == negated);
        match known {
            _ if constant => {}
            Some(known) if known.cost > cost => *known = Atom { function, term, cost },
            Some(_) => {}
            None => self.found.push(Atom { function, term, cost }),
        }
    }
}

/// A formula over these atoms that is equivalent to the diagram. The least depth with which one is found decides; of those the shortest.
pub fn combine(
    space: &Space,
    terms: &Terms,
    atoms: &[Atom],
    function: &Bdd,
    effort: &mut Effort,
) -> Option<TermId> {
    search(space, terms, atoms, function, effort).map(|found| found.term)
}

fn search(
    space: &Space,
    terms: &Terms,
    atoms: &[Atom],
    function: &Bdd,
    effort: &mut Effort,
) -> Option<Phrase> {
    let left = effort.0.min(Effort::FORMULA);
    let mut search = Search { terms, atoms, left };
    let mut found = None;
    for depth in 0..=DEPTH {
        match search.find(function, &space.constant(true), depth) {
            Ok(None) => {}
            Ok(Some(phrase)) => {
                found = Some(phrase);
                break;
            }
            Err(Over) => break,
        }
    }
    effort.0 -= left - search.left;
    found
}

struct Search<'a> {
    terms: &'a Terms,
    atoms: &'a [Atom],
    left: u64,
}

/// An atom or its negation.
#[derive(Clone)]
struct Literal {
    function: Bdd,
    term: TermId,
    cost: u32,
}

/// An atom that divides the states in question: those of the formula, and all.
struct Division {
    atom: usize,
    with: (Bdd, Bdd),
    without: (Bdd, Bdd),
}

impl Search<'_> {
    fn spend(&mut self, nodes: u64) -> Result<(), Over> {
        self.left = self.left.checked_sub(nodes).ok_or(Over)?;
        Ok(())
    }

    fn negated(&self, literal: &Literal) -> Result<Literal, Over> {
        Ok(Literal {
            function: literal.function.not()?,
            term: self.terms.not(literal.term),
            cost: literal.cost,
        })
    }

    /// A formula that holds on `wanted` and on nothing else of `care`, of which that is a part.
    fn find(&mut self, wanted: &Bdd, care: &Bdd, depth: u32) -> Result<Option<Phrase>, Over> {
        let unwanted = wanted.imp_strict(care)?;
        if !wanted.satisfiable() || !unwanted.satisfiable() {
            let term = self.terms.bool(wanted.satisfiable());
            return Ok(Some(Phrase { term, cost: 1 }));
        }
        self.spend(6 * self.atoms.len() as u64 * (8 + wanted.node_count() as u64))?;
        let mut literal: Option<Phrase> = None;
        // Literals that the formula implies, those that its negation does, and atoms that say something of both.
        let (mut implied, mut excluded) = (Vec::new(), Vec::new());
        let mut divisions: Vec<Division> = Vec::new();
        for (index, atom) in self.atoms.iter().enumerate() {
            let yes = Literal { function: atom.function.clone(), term: atom.term, cost: atom.cost };
            let no = self.negated(&yes)?;
            let with = (wanted.and(&yes.function)?, care.and(&yes.function)?);
            let without = (wanted.and(&no.function)?, care.and(&no.function)?);
            if !with.1.satisfiable() || !without.1.satisfiable() {
                continue;
            }
            for (literal_here, own, other) in [(&yes, &with, &without), (&no, &without, &with)] {
                let all = !other.0.satisfiable();
                let only = !unwanted.and(&own.1)?.satisfiable();
                if all {
                    implied.push(literal_here.clone());
                }
                if !unwanted.and(&other.1)?.satisfiable() {
                    excluded.push(literal_here.clone());
                }
                if all && only && literal.is_none_or(|known| known.cost > atom.cost) {
                    literal = Some(Phrase { term: literal_here.term, cost: atom.cost });
                }
            }
            divisions.push(Division { atom: index, with, without });
        }
        if literal.is_some() {
            return Ok(literal);
        }
        let all = self.conjunction(&mut implied, wanted, care)?;
        let none = self.conjunction(&mut excluded, &unwanted, care)?;
        let terms = self.terms;
        let cost = |literals: &[Literal]| literals.iter().map(|l| l.cost).sum::<u32>();
        let mut best: Option<Phrase> = None;
        if all == *wanted {
            let term = terms.and(implied.iter().map(|l| l.term));
            best = shorter(best, Phrase { term, cost: cost(&implied) });
        }
        if none == unwanted {
            let term = terms.or(excluded.iter().map(|l| terms.not(l.term)));
            best = shorter(best, Phrase { term, cost: cost(&excluded) });
        }
        if best.is_some() || depth == 0 {
            return Ok(best);
        }
        let deeper = self.deeper(wanted, depth, (&implied, &all), (&excluded, &none), divisions, &mut best);
        match deeper {
            Err(Over) if best.is_none() => Err(Over),
            _ => Ok(best),
        }
    }

    /// What is left when literals have said their part, or under an atom and under its negation.
    fn deeper(
        &mut self,
        wanted: &Bdd,
        depth: u32,
        (implied, all): (&[Literal], &Bdd),
        (excluded, none): (&[Literal], &Bdd),
        mut divisions: Vec<Division>,
        best: &mut Option<Phrase>,
    ) -> Result<(), Over> {
        let terms = self.terms;
        let cost = |literals: &[Literal]| literals.iter().map(|l| l.cost).sum::<u32>();
        if !implied.is_empty()
            && let Some(rest) = self.find(wanted, all, depth - 1)?
        {
            let term = terms.and(implied.iter().map(|l| l.term).chain([rest.term]));
            *best = shorter(*best, Phrase { term, cost: cost(implied) + rest.cost });
        }
        if !excluded.is_empty() {
            // Where some of these does not hold the formula holds.
            if let Some(rest) = self.find(&wanted.and(none)?, none, depth - 1)? {
                let term = terms.or(excluded.iter().map(|l| terms.not(l.term)).chain([rest.term]));
                *best = shorter(*best, Phrase { term, cost: cost(excluded) + rest.cost });
            }
        }
        // Atoms first that leave the least to say.
        divisions.sort_by_cached_key(|division| {
            let size = division.with.0.node_count() + division.without.0.node_count();
            size + self.atoms[division.atom].cost as usize
        });
        divisions.truncate(if depth == 1 { LAST_SPLITS } else { SPLITS });
        for Division { atom, with, without } in divisions {
            let atom = &self.atoms[atom];
            let Some(then) = self.find(&with.0, &with.1, depth - 1)? else { continue };
            let Some(otherwise) = self.find(&without.0, &without.1, depth - 1)? else { continue };
            let term = terms.ite(atom.term, then.term, otherwise.term);
            *best = shorter(*best, Phrase { term, cost: atom.cost + then.cost + otherwise.cost + 1 });
        }
        Ok(())
    }

    /// Keeps of these literals, which all hold where the formula does, only those that are needed to say as much as all of them do, and says
    /// what that is.
    fn conjunction(&mut self, literals: &mut Vec<Literal>, wanted: &Bdd, care: &Bdd) -> Result<Bdd, Over> {
        literals.sort_by_key(|literal| literal.cost);
        let mut all = care.clone();
        let mut kept: Vec<Literal> = Vec::new();
        for literal in literals.drain(..) {
            if all == *wanted {
                break;
            }
            let more = all.and(&literal.function)?;
            if more != all {
                all = more;
                kept.push(literal);
            }
        }
        self.spend((kept.len() * kept.len()) as u64 * (8 + all.node_count() as u64))?;
        let mut i = 0;
        while i < kept.len() {
            let mut others = care.clone();
            for (k, literal) in kept.iter().enumerate() {
                if k != i {
                    others = others.and(&literal.function)?;
                }
            }
            if others == all {
                kept.remove(i);
            } else {
                i += 1;
            }
        }
        *literals = kept;
        Ok(all)
    }
}

fn shorter(known: Option<Phrase>, new: Phrase) -> Option<Phrase> {
    match known {
        Some(known) if known.cost <= new.cost => Some(known),
        _ => Some(new),
    }
}
