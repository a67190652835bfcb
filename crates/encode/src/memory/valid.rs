//! Where pointers lie that can be accessed ([`ExprKind::Valid`]).
//!
//! What is said here is no more than what validity implies: an address in one of the objects that the analysis of pointers knows for it, if it is no other pointer than one of
//! these ([`super::foreign`]), and all of them lie at known places and end where they say; else one that is neither near null nor at the end of the address space. That an object
//! is gone is not known here.

use super::constraints::Constraints;
use super::foreign::{Foreign, objects_at};
use super::objects::{ObjectId, ObjectKind};
use super::{Layout, Stretch};
use craig_cfa::{ExprId, ExprKind};
use rustc_hash::FxHashMap;

/// For each question of the program, the objects that the pointer may point into; left out if one of them is not known, or where it lies.
pub(super) fn pointed(found: &mut Constraints<'_>, foreign: &Foreign) -> FxHashMap<ExprId, Vec<ObjectId>> {
    let program = found.program;
    let question = |e: ExprId| match program.exprs.kind(e) {
        ExprKind::Valid(pointer, _) => Some((e, *pointer)),
        _ => None,
    };
    let questions = (0..program.exprs.len()).map(ExprId::from_usize).filter_map(question);
    let mut all = FxHashMap::default();
    for (e, pointer) in questions {
        let Some(value) = found.known_value(pointer) else { continue };
        let objects = objects_at(found, value);
        let known = |id: &ObjectId| {
            let object = &found.solver.objects[*id];
            let lies = matches!(object.kind, ObjectKind::Var(_) | ObjectKind::Alloc(..));
            lies && object.once && !object.outside && !object.larger && object.size.is_some()
        };
        if objects.is_empty() || !foreign.is_foreign(pointer) && objects.iter().all(known) {
            all.insert(e, objects);
        }
    }
    all
}

impl Layout {
    /// Where a pointer lies whose validity is asked for, if so many bytes can be accessed there. `None`: not known, or there is nothing that it points to.
    pub fn valid(&self, question: ExprId, bytes: u64) -> Option<Vec<Stretch>> {
        let stretch = |object: &ObjectId| {
            let size = self.objects[*object].size?;
            let len = (size + 1).saturating_sub(bytes);
            Some(Stretch { start: self.base[*object]?, len })
        };
        self.pointed.get(&question).filter(|objects| !objects.is_empty())?.iter().map(stretch).collect()
    }

    /// Is nothing known that a pointer points to whose validity is asked for?
    pub(super) fn leads_nowhere(&self, question: ExprId) -> bool {
        self.pointed.get(&question).is_some_and(Vec::is_empty)
    }
}
