//! What is known of addresses that nobody knows: what C promises of them, and that nothing lies in the first and the last page.

use crate::Arith;
use crate::encoder::Encoder;
use crate::memory::{PAGE, Site, SiteId};
use crate::part::{Part, number};
use craig_logic::{Rat, Sort, TermId};
use index_vec::index_vec;
use rustc_hash::FxHashSet;

impl Encoder<'_> {
    /// What is known of addresses: sites lie in range, aligned, apart from each other.
    pub fn places(&self) -> Vec<TermId> {
        self.places_of(|_| true)
    }

    /// The same of those that terms speak of, and of all that these are told apart from.
    pub fn places_in(&self, roots: &[TermId]) -> Vec<TermId> {
        if self.sites().is_empty() {
            return Vec::new();
        }
        let symbols = self.terms.symbols_of_all(roots);
        let symbols: FxHashSet<TermId> = symbols.into_iter().map(|s| self.terms.symbol_term(s)).collect();
        self.places_of(|site| symbols.contains(&self.sites()[site]))
    }

    fn places_of(&self, occurs: impl Fn(SiteId) -> bool) -> Vec<TermId> {
        let mut part = Part::new();
        let mut placed = index_vec![false; self.sites().len()];
        for (id, site) in self.layout.sites().iter_enumerated() {
            let (at, size) = (self.sites()[id], self.distance(site.size));
            for &other in site.apart.iter().filter(|other| occurs(id) || occurs(**other)) {
                self.separate(at, size, other, &mut part);
                placed[id] = true;
                placed[other] = true;
            }
            placed[id] |= occurs(id);
        }
        for (id, site) in self.layout.sites().iter_enumerated().filter(|(id, _)| placed[*id]) {
            self.place(self.sites()[id], self.distance(site.size), site.align, &mut part);
        }
        part.constraints
    }

    /// A new object of this size, anywhere: its address.
    pub(crate) fn scattered(&self, size: TermId, align: u64, part: &mut Part) -> TermId {
        let at = self.any_address(part);
        self.place(at, size, align, part);
        let lasting = |(_, site): &(SiteId, &Site)| site.lasting;
        for (id, _) in self.layout.sites().iter_enumerated().filter(lasting) {
            self.separate(at, size, id, part);
        }
        at
    }

    /// Something of this size lies at the address.
    fn place(&self, at: TermId, size: TermId, align: u64, part: &mut Part) {
        let t = &self.terms;
        let bits = u32::from(self.program.types.model.pointer_bits());
        match self.options.arith {
            Arith::Int => {
                let top = (1 << bits) - i128::from(PAGE);
                part.require(t, t.le(number(t, PAGE.into()), at));
                part.require(t, t.le(t.add(at, size), number(t, top)));
                if align > 1 {
                    let quotient = t.fresh("multiple", Sort::Int);
                    part.require(t, t.eq(at, t.scale(&Rat::from_ibig(align.into()), quotient)));
                }
            }
            Arith::Bv => {
                let top = t.bv_neg(self.distance(PAGE));
                part.require(t, t.bv_ule(self.distance(PAGE), at));
                // The size is at most what is left.
                part.require(t, t.bv_ule(at, top));
                part.require(t, t.bv_ule(size, t.bv_sub(top, at)));
                let low = align.trailing_zeros();
                if low > 0 {
                    part.require(t, t.eq(t.extract(low - 1, 0, at), t.bv(0, low)));
                }
            }
        }
    }

    /// It shares no byte with a site.
    fn separate(&self, at: TermId, size: TermId, site: SiteId, part: &mut Part) {
        let t = &self.terms;
        let (other, other_size) = (self.sites()[site], self.distance(self.layout.sites()[site].size));
        let before = |a: TermId, size: TermId, b: TermId| match self.options.arith {
            Arith::Int => t.le(t.add(a, size), b),
            Arith::Bv => t.bv_ule(t.bv_add(a, size), b),
        };
        part.require(t, t.or([before(at, size, other), before(other, other_size, at)]));
    }
}
