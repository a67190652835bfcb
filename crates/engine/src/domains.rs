//! The values that variables may have before blocks, taken for granted.
//!
//! Machine integers lie in their types: true of runs without signed overflow, and what the checker takes for granted at every cut as well. Without it `n == x + y` is not kept by a loop that counts `x` down and `y`
//! up, because `y` might wrap around, and explanations count on to exclude that.
//!
//! The analysis of values ([`craig_cfa::analysis`]) knows small sets for some variables at each location. Engines that explain paths add what it knows of the variables that matter to the formulas of blocks and paths, and say
//! so in their certificates, where it is proved with the rest. Without it explanations have to exclude values that no run ever has: protocols compare their state with
//! values that they never take.

use crate::slots::Slots;
use crate::workbench::Workbench;
use craig_cfa::analysis::{Facts, Values};
use craig_cfa::pass::Site;
use craig_cfa::{LocId, VarId};
use craig_encode::memory::{CellKind, ObjectKey};
use craig_logic::{TermId, Terms};
use craig_verdict::Reason;
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Equations of which one holds.
pub type Domain = Rc<[TermId]>;

/// What is known of values, by location and slot.
#[derive(Debug, Default)]
pub struct Domains {
    at: FxHashMap<LocId, BTreeMap<u32, Domain>>,
    values: Option<Values>,
    vars: FxHashMap<u32, VarId>,
    /// The slots of which somebody took it for granted.
    used: RefCell<BTreeSet<u32>>,
    /// By slot, that its value lies in its type. Empty: nothing is said of types.
    ranges: Vec<Option<TermId>>,
    /// What is said of the types of what formulas speak of.
    of_formulas: RefCell<FxHashMap<TermId, Rc<[TermId]>>>,
}

impl Domains {
    /// Looks at the locations where blocks end.
    pub fn new(bench: &Workbench<'_>) -> Result<Domains, Reason> {
        let (program, layout, terms) = (bench.program(), &bench.task.layout, &bench.terms);
        let values = Values::new(program, &bench.budget)?;
        let mut vars: FxHashMap<u32, VarId> = FxHashMap::default();
        for v in program.vars.indices() {
            let site = Site::of_var(program, v);
            let cell = layout.find_leaf(&ObjectKey::Var(site.origin, site.calls), 0);
            if let Some(cell) = cell
                && matches!(layout.cells()[cell].kind, CellKind::Scalar { .. })
            {
                vars.insert(cell.index() as u32, v);
            }
        }
        let mut at: FxHashMap<LocId, BTreeMap<u32, Domain>> = FxHashMap::default();
        let mut made: FxHashMap<(u32, Vec<u128>), Domain> = FxHashMap::default();
        for block in bench.graph.blocks() {
            let (Some(state), false) = (values.at(block.from), at.contains_key(&block.from)) else {
                continue;
            };
            let known = vars.iter().filter_map(|(slot, v)| {
                let (set, ty) = (state.get(*v)?.values().to_vec(), program.vars[*v].ty);
                let equation = |bits: &u128| {
                    terms.eq(bench.slots.symbols[*slot as usize], bench.encoder.bits(*bits, ty))
                };
                let domain = made
                    .entry((*slot, set))
                    .or_insert_with_key(|(_, set)| set.iter().map(equation).collect());
                Some((*slot, Rc::clone(domain)))
            });
            at.insert(block.from, known.collect());
        }
        Ok(Domains { at, values: Some(values), vars, ..Domains::default() })
    }

    /// With the ranges of types ([`Workbench::ranges`]).
    pub fn with_ranges(self, ranges: Vec<Option<TermId>>) -> Domains {
        Domains { ranges, ..self }
    }

    /// That a slot has a value of its type, where that says something.
    pub fn range(&self, slot: u32) -> Option<TermId> {
        self.ranges.get(slot as usize).copied().flatten()
    }

    /// That all slots which a formula speaks of have values of their types.
    pub fn ranges(&self, terms: &Terms, slots: &Slots, formula: TermId) -> Rc<[TermId]> {
        if self.ranges.is_empty() {
            return Rc::default();
        }
        let made = || slots.of(terms, &[formula]).into_iter().filter_map(|slot| self.range(slot)).collect();
        Rc::clone(self.of_formulas.borrow_mut().entry(formula).or_insert_with(made))
    }

    /// The values of a slot at a location, if these are known. Who relies on it has to take it for granted ([`Domains::granted`]).
    pub fn of(&self, loc: LocId, slot: u32) -> Option<&Domain> {
        self.at.get(&loc)?.get(&slot)
    }

    /// Of these slots, ascending, that each has one of its values at a location, if these are known.
    pub fn granted(&self, terms: &Terms, loc: LocId, slots: &[u32]) -> Vec<TermId> {
        let known = self.at.get(&loc).into_iter().flatten();
        let here = known.filter(|(slot, _)| slots.binary_search(slot).is_ok());
        let fact = |(slot, domain): (&u32, &Domain)| {
            self.used.borrow_mut().insert(*slot);
            terms.or(domain.iter().copied())
        };
        here.map(fact).collect()
    }

    /// All that has to be proved of what was taken for granted.
    pub fn claims(&self, bench: &Workbench<'_>) -> Result<Facts, Reason> {
        let (Some(values), program) = (&self.values, bench.program()) else { return Ok(Facts::default()) };
        let mut used: IndexVec<VarId, bool> = index_vec![false; program.vars.len()];
        for slot in self.used.borrow().iter() {
            used[self.vars[slot]] = true;
        }
        Ok(Facts::new(program, values, used, &bench.budget)?)
    }
}
