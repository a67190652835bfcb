//! The storage of a program as bits of decision diagrams.
//!
//! A *register* holds a scalar: a global, a cell of a global array, the result of a procedure, or a local. Locals of different procedures
//! share registers, since no formula speaks of two procedures' locals of one version. Every bit of a register exists in five
//! [`Version`]s, which lie side by side in the order of variables (PDS, 7.3).

use super::{Options, Res, Saving};
use craig_base::Budget;
use craig_smt::bdd::bits::{Bits, Circuits};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction, Substitution};
use std::cell::{Cell, RefCell};

index_vec::define_index_type! { pub struct RegId = u32; }
index_vec::define_index_type! { pub struct BitId = u32; }

/// The moment that a bit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// When the current activation of the procedure began.
    Entry,
    Now,
    /// After a step.
    Next,
    /// When the activation that is called began.
    Inner,
    /// What a step leaves open.
    Open,
}

const VERSIONS: usize = 5;

/// Where an abstract bit stands in a rule of an abstract system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Of the predicates where the current activation began.
    Entry,
    Now,
    Next,
    /// Of a third point that a rule speaks of: the entry of a procedure that is called, the point where it returns to.
    Third,
}

const PLACES: usize = 4;

/// Abstract bits that lie above all concrete ones in the order (PDS, 7.3). More than that find their place below.
const ABSTRACT_ABOVE: usize = 320;

/// All variables of the diagrams.
pub struct Space {
    pub bdds: Bdds,
    pub circuits: Circuits,
    regs: Vec<Vec<BitId>>,
    /// The variables of each bit.
    vars: Vec<[BddVar; VERSIONS]>,
    functions: Vec<[Bdd; VERSIONS]>,
    /// The variables of each abstract bit. They are made when they are asked for: predicates come as long as there are cycles.
    abstracts: RefCell<Vec<[(BddVar, Bdd); PLACES]>>,
    spare: Vec<BddVar>,
    /// With so many nodes another order is looked for, first and next.
    reorder_at: usize,
    next_at: Cell<usize>,
    pub sifted: Cell<u64>,
}

impl Space {
    /// Registers of these widths. Those in `first` come first in the order, one after the other; all others interleave bit by bit.
    pub fn new(bdds: Bdds, widths: &[usize], first: &[bool], options: &Options) -> Res<Space> {
        let circuits = Circuits::new(&bdds);
        let mut space = Space {
            circuits,
            regs: Vec::new(),
            vars: Vec::new(),
            functions: Vec::new(),
            abstracts: RefCell::default(),
            spare: Vec::new(),
            reorder_at: options.reorder_at,
            next_at: Cell::new(options.reorder_at),
            sifted: Cell::new(0),
            bdds,
        };
        if options.has(Saving::Order) {
            space.reserve(ABSTRACT_ABOVE)?;
        }
        let mut bits: Vec<Vec<Option<BitId>>> = widths.iter().map(|w| vec![None; *w]).collect();
        for (reg, width) in widths.iter().enumerate().filter(|(reg, _)| first[*reg]) {
            for position in (0..*width).rev() {
                bits[reg][position] = Some(space.add_bit()?);
            }
        }
        for position in (0..widths.iter().copied().max().unwrap_or(0)).rev() {
            for (reg, width) in widths.iter().enumerate() {
                if position < *width && !first[reg] {
                    bits[reg][position] = Some(space.add_bit()?);
                }
            }
        }
        space.regs = bits.into_iter().map(|reg| reg.into_iter().flatten().collect()).collect();
        Ok(space)
    }

    /// Between two operations: is there to be an end, or another order of variables?
    pub fn pause(&self, budget: &Budget) -> Res<()> {
        budget.check_memory()?;
        if self.bdds.nodes() > self.next_at.get() {
            // The versions of a bit stay together; abstract bits stay where they are.
            let blocks: Vec<Vec<BddVar>> = self.vars.iter().map(|versions| versions.to_vec()).collect();
            if self.bdds.sift(&blocks, || budget.check().is_ok()) {
                self.sifted.set(self.sifted.get() + 1);
            }
            self.next_at.set(self.reorder_at.max(2 * self.bdds.nodes()));
        }
        Ok(())
    }

    fn add_bit(&mut self) -> Res<BitId> {
        let vars = std::array::from_fn(|_| self.bdds.new_var());
        let mut functions = Vec::with_capacity(VERSIONS);
        for var in vars {
            functions.push(self.bdds.var(var)?);
        }
        self.vars.push(vars);
        self.functions.push(std::array::from_fn(|i| functions[i].clone()));
        Ok(BitId::from_usize(self.vars.len() - 1))
    }

    /// Makes sure that there are so many abstract bits.
    fn reserve(&self, count: usize) -> Res<()> {
        let mut abstracts = self.abstracts.borrow_mut();
        while abstracts.len() < count {
            let vars: [BddVar; PLACES] = std::array::from_fn(|_| self.bdds.new_var());
            let functions = vars.iter().map(|var| self.bdds.var(*var)).collect::<Result<Vec<_>, _>>()?;
            abstracts.push(std::array::from_fn(|i| (vars[i], functions[i].clone())));
        }
        Ok(())
    }

    pub fn reg(&self, reg: RegId) -> &[BitId] {
        &self.regs[reg.index()]
    }

    pub fn var(&self, version: Version, bit: BitId) -> BddVar {
        self.vars[bit.index()][version as usize]
    }

    pub fn bit(&self, version: Version, bit: BitId) -> &Bdd {
        &self.functions[bit.index()][version as usize]
    }

    pub fn bits(&self, version: Version, bits: &[BitId]) -> Bits {
        bits.iter().map(|bit| self.bit(version, *bit).clone()).collect()
    }

    /// Which bit a variable is, and of which version; `None` for abstract and spare ones.
    pub fn find(&self, var: BddVar) -> Option<(BitId, Version)> {
        const ALL: [Version; VERSIONS] =
            [Version::Entry, Version::Now, Version::Next, Version::Inner, Version::Open];
        let bit = self.vars.partition_point(|vars| vars[0] <= var).checked_sub(1)?;
        let version = (var.0 - self.vars[bit][0].0) as usize;
        let known = self.vars.get(bit).is_some_and(|vars| vars.get(version) == Some(&var));
        known.then(|| (BitId::from_usize(bit), ALL[version]))
    }

    pub fn abstract_bit(&self, place: Place, index: usize) -> Res<Bdd> {
        self.reserve(index + 1)?;
        Ok(self.abstracts.borrow()[index][place as usize].1.clone())
    }

    pub fn is_abstract(&self, var: BddVar) -> bool {
        let abstracts = self.abstracts.borrow();
        let after = abstracts.partition_point(|places| places[0].0 <= var);
        after > 0 && abstracts[after - 1].iter().any(|(known, _)| *known == var)
    }

    /// # Panics
    /// If nobody has asked for the bit.
    pub fn abstract_var(&self, place: Place, index: usize) -> BddVar {
        self.abstracts.borrow()[index][place as usize].0
    }

    /// A variable for what a step leaves open beyond the registers.
    pub fn spare(&mut self, index: usize) -> Res<(BddVar, Bdd)> {
        while index >= self.spare.len() {
            self.spare.push(self.bdds.new_var());
        }
        Ok((self.spare[index], self.bdds.var(self.spare[index])?))
    }

    pub fn constant(&self, value: bool) -> Bdd {
        self.circuits.bit(value)
    }

    /// The conjunction of variables, for quantification.
    pub fn cube(&self, vars: impl IntoIterator<Item = BddVar>) -> Res<Bdd> {
        let mut vars: Vec<BddVar> = vars.into_iter().collect();
        // From the bottom of the order upwards each step adds one node.
        vars.sort_unstable();
        vars.dedup();
        let mut cube = self.constant(true);
        for var in vars.into_iter().rev() {
            cube = self.bdds.var(var)?.and(&cube)?;
        }
        Ok(cube)
    }

    pub fn cube_of(&self, version: Version, bits: &[BitId]) -> Res<Bdd> {
        self.cube(bits.iter().map(|bit| self.var(version, *bit)))
    }

    pub fn abstract_cube(&self, place: Place, bits: &[usize]) -> Res<Bdd> {
        self.cube(bits.iter().map(|i| self.abstract_var(place, *i)))
    }

    /// Renames one version of bits to another.
    pub fn renaming(&self, from: Version, to: Version, bits: &[BitId]) -> Substitution {
        self.bdds.substitution(bits.iter().map(|bit| (self.var(from, *bit), self.bit(to, *bit).clone())))
    }

    pub fn abstract_renaming(&self, from: Place, to: Place, bits: &[usize]) -> Substitution {
        let abstracts = self.abstracts.borrow();
        let pair = |bit: &usize| (abstracts[*bit][from as usize].0, abstracts[*bit][to as usize].1.clone());
        self.bdds.substitution(bits.iter().map(pair))
    }

    /// The two versions of all these bits are equal.
    pub fn equal(&self, a: Version, b: Version, bits: &[BitId]) -> Res<Bdd> {
        let mut bits = bits.to_vec();
        bits.sort_unstable();
        let mut all = self.constant(true);
        for bit in bits.into_iter().rev() {
            all = self.bit(a, bit).equiv(self.bit(b, bit))?.and(&all)?;
        }
        Ok(all)
    }
}
