//! Bit-vectors as integers, for interpolants from refutations ([`super::proof`]).
//!
//! A bit-vector becomes the integer that it stands for, within its bounds; sums wrap around by cases, products and shifts by numbers, masks of low bits and pieces of words become quotients and
//! remainders. Whatever else there is (bits of two variables together, products of two, reads) becomes an integer of which only the bounds are known. A refutation of the integers
//! is one of the bit-vectors, and the linear interpolants that it gives say something of words, where those of single bits do not generalise. They are said in bit-vectors
//! again with enough bits that nothing wraps around: `x + y <= 7` of 32 bits is one of 34.
//!
//! Whether a word is read with its sign or without is a matter of taste: how it is compared and extended decides, together with all words that it is equal to or added to.

use super::proof;
use super::simplex::Effort;
use super::{Strength, Tree};
use craig_logic::{Linear, Op, Rat, Relation, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

/// As [`proof::interpolate`], for formulas with bit-vectors.
pub fn interpolate(
    terms: &Terms,
    tree: &Tree,
    strength: Strength,
    effort: &Effort,
) -> Result<Vec<TermId>, &'static str> {
    let mut words = Words::new(terms, &tree.formulas);
    let formulas = tree.formulas.iter().map(|f| words.of_part(*f)).collect();
    let integers = Tree { formulas, parents: tree.parents.clone() };
    let shared = integers.vocabularies(terms);
    let found = proof::interpolate(terms, &integers, &shared, strength, effort)?;
    let back = found.into_iter().map(|f| words.back(f));
    back.collect::<Option<_>>().ok_or("an interpolant cannot be said in bit-vectors")
}

/// An integer that stands for a bit-vector, and between what it lies: either without sign or with, as the sign of `low` tells.
#[derive(Debug, Clone)]
struct Word {
    value: TermId,
    low: Rat,
    high: Rat,
}

struct Words<'a> {
    t: &'a Terms,
    /// Bit-vectors that are read with their sign.
    signed: FxHashMap<TermId, bool>,
    words: FxHashMap<TermId, Word>,
    /// Translations of everything else.
    others: FxHashMap<TermId, TermId>,
    /// By symbol of ours: the bit-vector.
    named: FxHashMap<TermId, TermId>,
}

/// Least and greatest value of so many bits.
fn range(width: u32, signed: bool) -> (Rat, Rat) {
    let all = Rat::pow2(width);
    match signed {
        true => (-Rat::pow2(width - 1), Rat::pow2(width - 1) - Rat::ONE),
        false => (Rat::ZERO, all - Rat::ONE),
    }
}

impl<'a> Words<'a> {
    fn new(t: &'a Terms, formulas: &[TermId]) -> Self {
        Words {
            t,
            signed: signs(t, formulas),
            words: FxHashMap::default(),
            others: FxHashMap::default(),
            named: FxHashMap::default(),
        }
    }

    /// The formula over integers, with the bounds of those that stand for bit-vectors.
    fn of_part(&mut self, formula: TermId) -> TermId {
        let t = self.t;
        for term in t.postorder(&[formula]) {
            match t.sort(term) {
                Sort::BitVec(width) if !self.words.contains_key(&term) => {
                    let word = self.word(term, width);
                    self.words.insert(term, word);
                }
                Sort::Bool | Sort::Int if !self.others.contains_key(&term) => {
                    let other = self.other(term);
                    self.others.insert(term, other);
                }
                _ => {}
            }
        }
        let translated = self.others[&formula];
        let mut all = vec![translated];
        for term in t.postorder(&[translated]) {
            if let Some(original) = self.named.get(&term) {
                let Word { value, low, high } = &self.words[original];
                let bound = |number: &Rat| t.numeral(number, Sort::Int);
                all.extend([t.ge(*value, bound(low)), t.le(*value, bound(high))]);
            }
        }
        t.and(all)
    }

    fn is_signed(&self, term: TermId) -> bool {
        self.signed.get(&term).copied().unwrap_or(false)
    }

    /// A word read with its sign, or without.
    fn read(&self, word: &Word, width: u32, signed: bool) -> Word {
        let t = self.t;
        let (low, high) = range(width, signed);
        let turn = Rat::pow2(width);
        let shifted = |by: Rat| {
            let term = t.add(word.value, t.numeral(&by, Sort::Int));
            Word { value: term, low: &word.low + &by, high: &word.high + &by }
        };
        if word.low >= low && word.high <= high {
            return word.clone();
        }
        let (by, beyond) = match signed {
            true if word.low > high => return shifted(-turn),
            false if word.high < low => return shifted(turn),
            true => (-turn, t.gt(word.value, t.numeral(&high, Sort::Int))),
            false => (turn, t.lt(word.value, t.int(0))),
        };
        Word { value: t.ite(beyond, shifted(by).value, word.value), low, high }
    }

    /// A sum of two words, or another integer that is beyond the bounds of a word at most once.
    fn wrapped(&self, value: TermId, low: Rat, high: Rat, width: u32, signed: bool) -> Word {
        let t = self.t;
        let (least, greatest) = range(width, signed);
        let number = |n: &Rat| t.numeral(n, Sort::Int);
        let turn = number(&Rat::pow2(width));
        let mut wrapped = value;
        if low < least {
            wrapped = t.ite(t.lt(value, number(&least)), t.add(value, turn), wrapped);
        }
        if high > greatest {
            wrapped = t.ite(t.gt(value, number(&greatest)), t.sub(value, turn), wrapped);
        }
        let inside = low >= least && high <= greatest;
        let (low, high) = if inside { (low, high) } else { (least, greatest) };
        Word { value: wrapped, low, high }
    }

    /// An integer modulo a power of two.
    fn modulo(&self, value: TermId, width: u32, signed: bool) -> Word {
        let t = self.t;
        let (low, high) = range(width, signed);
        let turn = t.numeral(&Rat::pow2(width), Sort::Int);
        let least = t.numeral(&low, Sort::Int);
        Word { value: t.add(t.modulo(t.sub(value, least), turn), least), low, high }
    }

    /// The quotient by a power of two, and of that so many bits if not all.
    fn piece(&self, word: &Word, from: u32, bits: Option<u32>) -> Word {
        let t = self.t;
        let by = Rat::pow2(from);
        let mut piece = Word {
            value: t.div(word.value, t.numeral(&by, Sort::Int)),
            low: (&word.low / &by).floor(),
            high: (&word.high / &by).floor(),
        };
        if let Some(bits) = bits {
            let (low, high) = range(bits, false);
            if piece.low < low || piece.high > high {
                piece = self.modulo(piece.value, bits, false);
            }
        }
        piece
    }

    /// What a bit-vector is as an integer, if its arguments are known.
    fn word(&mut self, term: TermId, width: u32) -> Word {
        let signed = self.is_signed(term);
        match self.made(term, width, signed) {
            Some(word) => self.read(&word, width, signed),
            None => {
                let value = self.t.symbol(&format!("word!{}", term.index()), Sort::Int);
                self.named.insert(value, term);
                let (low, high) = range(width, signed);
                Word { value, low, high }
            }
        }
    }

    fn made(&self, term: TermId, width: u32, signed: bool) -> Option<Word> {
        let t = self.t;
        if let Some(number) = t.number(term) {
            return Some(Word { value: t.numeral(&number, Sort::Int), low: number.clone(), high: number });
        }
        let args = t.args(term);
        let arg = |i: usize| self.words.get(&args[i]);
        let wide = |i: usize| t.sort(args[i]).width().expect("a bit-vector");
        let read = |i: usize, signed: bool| Some(self.read(arg(i)?, wide(i), signed));
        let number = |i: usize| t.number(args[i]);
        // How far a shift goes, if that is a number below the width.
        let shift = |i: usize| number(i)?.to_i64().and_then(|k| u32::try_from(k).ok()).filter(|k| *k < width);
        Some(match t.op(term) {
            Op::BvAdd => {
                let (a, b) = (read(0, signed)?, read(1, signed)?);
                self.wrapped(t.add(a.value, b.value), &a.low + &b.low, &a.high + &b.high, width, signed)
            }
            Op::BvNeg => {
                let a = read(0, signed)?;
                self.wrapped(t.neg(a.value), -&a.high, -&a.low, width, signed)
            }
            Op::BvNot => {
                let a = read(0, true)?;
                let minus = |x: &Rat| -x - Rat::ONE;
                Word { value: t.sub(t.int(-1), a.value), low: minus(&a.high), high: minus(&a.low) }
            }
            Op::BvMul => {
                let i = (0..2).find(|i| number(*i).is_some())?;
                let factor = self.read(arg(i)?, width, true).low;
                self.modulo(t.scale(&factor, arg(1 - i)?.value), width, signed)
            }
            Op::BvShl => self.modulo(t.scale(&Rat::pow2(shift(1)?), arg(0)?.value), width, signed),
            Op::BvLshr => self.piece(&read(0, false)?, shift(1)?, None),
            Op::BvAshr => self.piece(&read(0, true)?, shift(1)?, None),
            Op::BvUdiv | Op::BvUrem => {
                let by = number(1).filter(Rat::is_positive)?;
                let (a, divisor) = (read(0, false)?, t.numeral(&by, Sort::Int));
                match t.op(term) {
                    Op::BvUdiv => {
                        let high = (&a.high / &by).floor();
                        Word { value: t.div(a.value, divisor), low: Rat::ZERO, high }
                    }
                    _ => Word { value: t.modulo(a.value, divisor), low: Rat::ZERO, high: by - Rat::ONE },
                }
            }
            Op::BvAnd => {
                // A mask that keeps low bits, or a single one.
                let i = (0..2).find(|i| number(*i).is_some())?;
                let (mask, a) = (number(i)?, read(1 - i, false)?);
                let power = |x: &Rat| (0..width).find(|k| Rat::pow2(*k) == *x);
                match (power(&(&mask + &Rat::ONE)), power(&mask)) {
                    (Some(bits), _) => self.piece(&a, 0, Some(bits)),
                    (None, Some(bit)) => {
                        let one = self.piece(&a, bit, Some(1));
                        Word { value: t.scale(&mask, one.value), low: Rat::ZERO, high: mask }
                    }
                    (None, None) => return None,
                }
            }
            Op::Extract(high, low) => {
                let bits = high - low + 1;
                if low == 0 {
                    self.modulo(arg(0)?.value, bits, false)
                } else {
                    self.piece(&read(0, false)?, low, Some(bits))
                }
            }
            Op::Concat => {
                let (above, below) = (read(0, false)?, read(1, false)?);
                let by = Rat::pow2(wide(1));
                Word {
                    value: t.add(t.scale(&by, above.value), below.value),
                    low: &(&above.low * &by) + &below.low,
                    high: &(&above.high * &by) + &below.high,
                }
            }
            Op::ZeroExt(_) => read(0, false)?,
            Op::SignExt(_) => read(0, true)?,
            Op::Ite => {
                let (a, b) = (read(1, signed)?, read(2, signed)?);
                let value = t.ite(self.others[&args[0]], a.value, b.value);
                Word { value, low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            _ => return None,
        })
    }

    /// A formula or an integer, if its arguments are known.
    fn other(&self, term: TermId) -> TermId {
        let t = self.t;
        let args = t.args(term);
        let pair = |signed: bool| {
            let read = |i: usize| {
                let width = t.sort(args[i]).width()?;
                Some(self.read(self.words.get(&args[i])?, width, signed).value)
            };
            Some((read(0)?, read(1)?))
        };
        let found = match t.op(term) {
            Op::Eq if t.sort(args[0]).width().is_some() => {
                let signed = args.iter().any(|a| self.is_signed(*a));
                pair(signed).map(|(a, b)| t.eq(a, b))
            }
            Op::BvUle => pair(false).map(|(a, b)| t.le(a, b)),
            Op::BvUlt => pair(false).map(|(a, b)| t.lt(a, b)),
            Op::BvSle => pair(true).map(|(a, b)| t.le(a, b)),
            Op::BvSlt => pair(true).map(|(a, b)| t.lt(a, b)),
            _ => {
                let known: Option<Vec<TermId>> = args.iter().map(|a| self.others.get(a).copied()).collect();
                known.filter(|args| !args.is_empty()).map(|args| t.rebuild(term, &args))
            }
        };
        found.unwrap_or(term)
    }

    /// A formula over integers in bit-vectors again; none if one of its atoms mixes these with other integers.
    fn back(&self, formula: TermId) -> Option<TermId> {
        let t = self.t;
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in t.postorder(&[formula]) {
            if t.sort(term) != Sort::Bool {
                continue;
            }
            let back = if t.is_connective(term) {
                let args: Vec<TermId> = t.args(term).iter().map(|a| done[a]).collect();
                if args.is_empty() { term } else { t.rebuild(term, &args) }
            } else {
                self.atom(term)?
            };
            done.insert(term, back);
        }
        Some(done[&formula])
    }

    fn atom(&self, atom: TermId) -> Option<TermId> {
        let t = self.t;
        if !t.postorder(&[atom]).iter().any(|s| self.named.contains_key(s)) {
            return Some(atom);
        }
        let found = t.linear_literal(atom)?;
        let (low, high) = self.bounds_of_sum(&found.linear)?;
        let is_equation = found.relation == Relation::Eq;
        if low.is_positive() || is_equation && high.is_negative() {
            return Some(t.fls());
        }
        if !high.is_positive() && !is_equation {
            return Some(t.tru());
        }
        // What is added on the left, and what on the right.
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (monomial, factor) in &found.linear.terms {
            let (side, factor) =
                if factor.is_negative() { (&mut right, -factor) } else { (&mut left, factor.clone()) };
            side.terms.push((*monomial, factor));
        }
        let constant = &found.linear.constant;
        // Of whole numbers `a + 1 <= b` is `a < b`.
        let strict = constant.is_one() && !is_equation;
        if constant.is_positive() && !strict {
            left.constant = constant.clone();
        } else if !strict {
            right.constant = -constant;
        }
        let (a, b) = (self.size(&left)?, self.size(&right)?);
        let plain = a.plain.filter(|word| b.fits(*word)).or(b.plain.filter(|word| a.fits(*word)));
        let (width, signed) = plain.unwrap_or((a.bits.max(b.bits), true));
        let (a, b) = (self.said(&left, width)?, self.said(&right, width)?);
        Some(match (signed, strict) {
            _ if is_equation => t.eq(a, b),
            (true, false) => t.bv_sle(a, b),
            (true, true) => t.bv_slt(a, b),
            (false, false) => t.bv_ule(a, b),
            (false, true) => t.bv_ult(a, b),
        })
    }

    /// Between what an integer lies that stands for something of bit-vectors.
    fn bounds(&self, monomial: TermId) -> Option<(Rat, Rat)> {
        let t = self.t;
        if let Some(original) = self.named.get(&monomial) {
            let word = &self.words[original];
            return Some((word.low.clone(), word.high.clone()));
        }
        let (sum, by) =
            (t.linear(t.arg(monomial, 0)), t.number(t.arg(monomial, 1)).filter(Rat::is_positive)?);
        let (low, high) = self.bounds_of_sum(&sum)?;
        match t.op(monomial) {
            Op::Mod => Some((Rat::ZERO, by - Rat::ONE)),
            Op::Div => Some(((&low / &by).floor(), (&high / &by).floor())),
            _ => None,
        }
    }

    fn bounds_of_sum(&self, sum: &Linear) -> Option<(Rat, Rat)> {
        let (mut low, mut high) = (sum.constant.clone(), sum.constant.clone());
        for (monomial, factor) in &sum.terms {
            let (a, b) = self.bounds(*monomial)?;
            let (a, b) = (&a * factor, &b * factor);
            low += &a.clone().min(b.clone());
            high += &a.max(b);
        }
        Some((low, high))
    }

    /// How a side of a comparison can be said.
    fn size(&self, sum: &Linear) -> Option<Side> {
        let (low, high) = self.bounds_of_sum(sum)?;
        let width = |monomial: &TermId| self.t.sort(*self.named.get(monomial)?).width();
        let widest = sum.terms.iter().filter_map(|(m, _)| width(m)).max().unwrap_or(1);
        let plain = match &sum.terms[..] {
            [(monomial, factor)] if factor.is_one() && sum.constant.is_zero() => {
                width(monomial).map(|width| (width, low.is_negative()))
            }
            _ => None,
        };
        let number = sum.terms.is_empty().then(|| sum.constant.clone());
        Some(Side { bits: bits(&low, &high).max(widest + 1), plain, number })
    }

    /// A sum in so many bits, in which it does not wrap around.
    fn said(&self, sum: &Linear, width: u32) -> Option<TermId> {
        let t = self.t;
        let number = |n: &Rat| t.bv_big(n.numerator(), width);
        let mut said: Option<TermId> = None;
        for (monomial, factor) in &sum.terms {
            let one = self.said_monomial(*monomial, width)?;
            let one = if factor.is_one() { one } else { t.bv_mul(number(factor), one) };
            said = Some(said.map_or(one, |sum| t.bv_add(sum, one)));
        }
        let constant = number(&sum.constant);
        Some(said.map_or(constant, |sum| t.bv_add(sum, constant)))
    }

    fn said_monomial(&self, monomial: TermId, width: u32) -> Option<TermId> {
        let t = self.t;
        if let Some(original) = self.named.get(&monomial) {
            let more = width.checked_sub(t.sort(*original).width()?)?;
            let signed = self.words[original].low.is_negative();
            return Some(if signed { t.sign_ext(more, *original) } else { t.zero_ext(more, *original) });
        }
        let (sum, by) = (t.linear(t.arg(monomial, 0)), t.number(t.arg(monomial, 1))?);
        // With a multiple of the divisor added the dividend is not negative.
        let (low, high) = self.bounds_of_sum(&sum)?;
        let turns = if low.is_negative() { (-&low / &by).ceil() } else { Rat::ZERO };
        let mut dividend = sum.clone();
        dividend.constant += &(&turns * &by);
        let high = &high + &(&turns * &by);
        let wide =
            self.size(&dividend)?.bits.max(bits(&Rat::ZERO, &high)).max(bits(&Rat::ZERO, &by)).max(width);
        let (dividend, divisor) = (self.said(&dividend, wide)?, t.bv_big(by.numerator(), wide));
        let said = match t.op(monomial) {
            Op::Mod => t.bv_urem(dividend, divisor),
            Op::Div => t.bv_sub(t.bv_udiv(dividend, divisor), t.bv_big(turns.numerator(), wide)),
            _ => return None,
        };
        Some(if wide == width { said } else { t.extract(width - 1, 0, said) })
    }
}

/// How a side of a comparison can be said.
struct Side {
    /// Bits, one of them for the sign, in which it and its words have room.
    bits: u32,
    /// It is a single word: its width, and whether it is read with its sign.
    plain: Option<(u32, bool)>,
    /// It is a number.
    number: Option<Rat>,
}

impl Side {
    /// Can it be compared with such a word as it is?
    fn fits(&self, word: (u32, bool)) -> bool {
        let (low, high) = range(word.0, word.1);
        self.plain == Some(word) || self.number.as_ref().is_some_and(|n| *n >= low && *n <= high)
    }
}

/// Bits that numbers between these have room in, one of them for the sign.
fn bits(low: &Rat, high: &Rat) -> u32 {
    let fits = |n: &u32| -Rat::pow2(*n - 1) <= *low && *high < Rat::pow2(*n - 1);
    (1..).find(fits).expect("there is always more room")
}

/// Which bit-vectors are read with their sign: all that are equal, added or alternatives to each other in one way, by what most of these are compared or extended as.
fn signs(t: &Terms, formulas: &[TermId]) -> FxHashMap<TermId, bool> {
    let order = t.postorder(formulas);
    let is_word = |term: TermId| t.sort(term).width().is_some() && t.number(term).is_none();
    let mut leader: FxHashMap<TermId, TermId> = FxHashMap::default();
    fn find(leader: &FxHashMap<TermId, TermId>, mut term: TermId) -> TermId {
        while let Some(next) = leader.get(&term) {
            term = *next;
        }
        term
    }
    let mut votes: Vec<(TermId, i32)> = Vec::new();
    for term in &order {
        let args = t.args(*term);
        let (joined, vote): (&[TermId], i32) = match t.op(*term) {
            Op::BvAdd | Op::BvNeg | Op::BvNot | Op::BvMul | Op::Eq => (&args, 0),
            Op::Ite => (&args[1..], 0),
            Op::BvSle | Op::BvSlt | Op::SignExt(_) => (&[], 1),
            Op::BvAshr => (&[], 1),
            Op::BvUle | Op::BvUlt | Op::ZeroExt(_) | Op::Concat | Op::BvLshr | Op::BvUdiv | Op::BvUrem => {
                (&[], -1)
            }
            _ => continue,
        };
        if vote != 0 {
            votes.extend(args.iter().filter(|a| is_word(**a)).map(|a| (*a, vote)));
        }
        let own = is_word(*term).then_some(*term);
        let mut together =
            joined.iter().copied().filter(|a| is_word(*a)).chain(own.filter(|_| !joined.is_empty()));
        if let Some(first) = together.next() {
            for other in together {
                let (a, b) = (find(&leader, first), find(&leader, other));
                if a != b {
                    leader.insert(a.max(b), a.min(b));
                }
            }
        }
    }
    let mut sums: FxHashMap<TermId, i32> = FxHashMap::default();
    for (term, vote) in votes {
        *sums.entry(find(&leader, term)).or_default() += vote;
    }
    let words = order.into_iter().filter(|term| is_word(*term));
    words.map(|term| (term, sums.get(&find(&leader, term)).is_none_or(|sum| *sum >= 0))).collect()
}
