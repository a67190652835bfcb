//! Numbers as functions of bits that are made when somebody asks for them.
//!
//! What a rule computes matters only where a predicate or an image speaks of it. The diagrams of products and remainders may be larger than everything that is ever
//! searched (PDS, 6.6: abstraction pays because it never looks at them), so a rule knows how to make its functions, and makes them once, when they are needed. Conditions are not
//! delayed: every rule needs its guard.

use super::Res;
use super::space::Space;
use craig_smt::bdd::bits::{Bits, Circuits};
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, OutOfMemory, Substitution};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

type Made = Result<Bits, OutOfMemory>;

/// A number of some width.
#[derive(Clone)]
pub struct Number(Rc<Node>);

struct Node {
    width: usize,
    bits: OnceCell<Bits>,
    /// Makes the bits; gone when they are made, and with it all that only they needed.
    make: Cell<Option<Make>>,
}

type Make = Box<dyn FnOnce(&Circuits) -> Made>;

impl From<Bits> for Number {
    fn from(bits: Bits) -> Number {
        Number(Rc::new(Node { width: bits.len(), bits: OnceCell::from(bits), make: Cell::new(None) }))
    }
}

impl Number {
    /// One that is made later.
    pub fn later(width: usize, make: impl FnOnce(&Circuits) -> Made + 'static) -> Number {
        Number(Rc::new(Node { width, bits: OnceCell::new(), make: Cell::new(Some(Box::new(make))) }))
    }

    pub fn width(&self) -> usize {
        self.0.width
    }

    /// The bits, if they are made.
    pub fn known(&self) -> Option<&Bits> {
        self.0.bits.get()
    }

    /// The bits.
    ///
    /// # Errors
    /// There is no room. Then there never will be: who meets this ends.
    pub fn bits(&self, circuits: &Circuits) -> Result<&Bits, OutOfMemory> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let make = self.0.make.take().ok_or(OutOfMemory)?;
        let bits = make(circuits)?;
        debug_assert_eq!(bits.len(), self.0.width);
        Ok(self.0.bits.get_or_init(|| bits))
    }

    pub fn resize(&self, width: usize, signed: bool) -> Number {
        if width == self.width() {
            return self.clone();
        }
        let of = self.clone();
        Number::later(width, move |c| Ok(c.resize(of.bits(c)?, width, signed)))
    }

    pub fn unary(&self, make: impl FnOnce(&Circuits, &[Bdd]) -> Made + 'static) -> Number {
        let of = self.clone();
        Number::later(self.width(), move |c| make(c, of.bits(c)?))
    }

    /// An operation on two numbers of the same width that gives one of `width` bits.
    pub fn binary(
        &self,
        other: &Number,
        width: usize,
        make: impl FnOnce(&Circuits, &[Bdd], &[Bdd]) -> Made + 'static,
    ) -> Number {
        let (a, b) = (self.clone(), other.clone());
        Number::later(width, move |c| make(c, a.bits(c)?, b.bits(c)?))
    }

    pub fn choose(condition: &Bdd, then: &Number, otherwise: &Number) -> Number {
        if condition.valid() {
            return then.clone();
        }
        let condition = condition.clone();
        then.binary(otherwise, then.width(), move |c, a, b| c.ite(&condition, a, b))
    }
}

/// A simultaneous substitution of variables by numbers. These are made when a formula speaks of the variables.
pub struct Replacement {
    parts: Vec<(Vec<BddVar>, Number)>,
    made: RefCell<Vec<bool>>,
    /// For the numbers that are made.
    substitution: RefCell<Rc<Substitution>>,
}

impl Replacement {
    pub fn new(space: &Space, parts: Vec<(Vec<BddVar>, Number)>) -> Replacement {
        let made = RefCell::new(vec![false; parts.len()]);
        let substitution = RefCell::new(Rc::new(space.bdds.substitution([])));
        Replacement { parts, made, substitution }
    }

    pub fn apply(&self, space: &Space, formula: &Bdd) -> Res<Bdd> {
        self.prepare(space, formula)?;
        let substitution = Rc::clone(&self.substitution.borrow());
        Ok(substitution.apply(formula)?)
    }

    /// Makes the numbers that the formula speaks of.
    fn prepare(&self, space: &Space, formula: &Bdd) -> Res<()> {
        let mut made = self.made.borrow_mut();
        if made.iter().all(|made| *made) {
            return Ok(());
        }
        let support = space.bdds.support(formula);
        let mut new = false;
        for ((vars, number), made) in self.parts.iter().zip(made.iter_mut()) {
            if !*made && vars.iter().any(|var| support.binary_search(var).is_ok()) {
                number.bits(&space.circuits)?;
                *made = true;
                new = true;
            }
        }
        if new {
            let known = self.parts.iter().filter_map(|(vars, number)| Some((vars, number.known()?)));
            let pairs = known.flat_map(|(vars, bits)| vars.iter().copied().zip(bits.iter().cloned()));
            let pairs = pairs.filter(|(var, bit)| space.bdds.var(*var).as_ref() != Ok(bit));
            *self.substitution.borrow_mut() = Rc::new(space.bdds.substitution(pairs));
        }
        Ok(())
    }
}
