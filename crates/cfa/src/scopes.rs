//! Parts of procedures that variables live in.
//!
//! Where variables of two blocks of C lie is not known of each other unless one block is inside the other: when one begins the
//! other may have ended. A block that is entered again may have its variables elsewhere.

use crate::program::{Loc, LocId};
use index_vec::{IndexVec, index_vec};

index_vec::define_index_type! { pub struct ScopeId = u32; }

impl ScopeId {
    /// As long as the procedure runs.
    pub const ROOT: ScopeId = ScopeId { _raw: 0 };
}

#[derive(Debug, Clone)]
struct Scope {
    outer: ScopeId,
    /// Where runs of the source program may come in: the first location, and labels.
    entries: Vec<LocId>,
}

#[derive(Debug, Clone)]
pub struct Scopes(IndexVec<ScopeId, Scope>);

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes(index_vec![Scope { outer: ScopeId::ROOT, entries: Vec::new() }])
    }
}

impl Scopes {
    pub fn add(&mut self, outer: ScopeId, entry: LocId) -> ScopeId {
        self.0.push(Scope { outer, entries: vec![entry] })
    }

    /// A label: runs may come to it from outside.
    pub fn enter_at(&mut self, scope: ScopeId, label: LocId) {
        for scope in self.around(scope).collect::<Vec<_>>() {
            self.0[scope].entries.push(label);
        }
    }

    /// Does everything that lives in `inner` live while `outer` does?
    pub fn is_inside(&self, inner: ScopeId, outer: ScopeId) -> bool {
        outer == ScopeId::ROOT || self.around(inner).any(|scope| scope == outer)
    }

    /// Where runs of the source program come into the scope or one around it.
    pub fn entries(&self, scope: ScopeId) -> impl Iterator<Item = LocId> {
        self.around(scope).flat_map(|scope| self.0[scope].entries.iter().copied())
    }

    /// A program that a pass made becomes the source program: its copies of locations are the entries.
    pub(crate) fn enter_copies(&mut self, locs: &IndexVec<LocId, Loc>) {
        let mut copies: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); locs.len()];
        for (id, loc) in locs.iter_enumerated() {
            if let Some(copies) = copies.get_mut(loc.origin) {
                copies.push(id);
            }
        }
        for scope in &mut self.0 {
            let copies = |loc: &LocId| copies.get(*loc).into_iter().flatten().copied();
            scope.entries = scope.entries.iter().flat_map(copies).collect();
        }
    }

    /// The scope and those around it, without the root.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        let below_root = |scope: &ScopeId| *scope != ScopeId::ROOT;
        std::iter::successors(Some(scope).filter(below_root), move |s| {
            Some(self.0[*s].outer).filter(below_root)
        })
    }
}
