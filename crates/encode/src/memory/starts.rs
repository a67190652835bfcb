//! Where ranges of bytes begin: aggregates, and what is set or copied at once.
//!
//! The analysis of pointers knows of a pointer into an array that is walked only that it points to some element. A range that begins
//! there may go on behind the array, into what else its object has: then that becomes part of the array ([`Constraints::spread`]). Most ranges
//! do not: they begin a known way from the start of a variable, or of what a pointer points to, and so in a known element.

use super::constraints::{Constraints, Value};
use super::folds::{Fold, UNBOUNDED};
use super::objects::ObjectId;
use super::targets;
use craig_cfa::expr::Node;
use craig_cfa::{ExprId, ExprKind, PlaceId, PlaceKind, Type};

/// Where a range may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Start {
    pub object: ObjectId,
    /// Offset in the object; in the first element of arrays whose element is not known.
    pub at: i64,
    /// Of the arrays around this offset the element is not known: a pointer was there before it went a known way.
    from: Option<i64>,
}

impl Start {
    /// The beginning of an object.
    pub fn of(object: ObjectId) -> Start {
        Start { object, at: 0, from: None }
    }

    /// May it be in any element of the array?
    pub fn is_loose_in(&self, fold: &Fold) -> bool {
        self.from.is_some_and(|from| (fold.start..fold.end).contains(&from))
    }
}

/// What a way begins at.
enum Root {
    Object(ObjectId),
    Value(Value),
}

impl Constraints<'_> {
    /// Where ranges begin that are accessed there.
    pub fn starts(&mut self, node: Node) -> Vec<Start> {
        let (root, by) = match node {
            Node::Expr(e) => self.way_to(e),
            Node::Place(p) => self.way_to_place(p),
        };
        let base = match root {
            Root::Object(object) => vec![(object, None)],
            Root::Value(value) => {
                targets(self, value).into_iter().map(|(object, at)| (object, Some(at))).collect()
            }
        };
        let value = match node {
            Node::Expr(e) => self.value(e),
            Node::Place(p) => self.address(p),
        };
        let mut starts = Vec::new();
        for (object, from) in base {
            let shape = &self.solver.shapes[object];
            let at = from.unwrap_or(0).saturating_add(by);
            let stays = |f: &Fold| (f.start..f.first_end()).contains(&at);
            if shape.whole {
                starts.push(Start { object, at: 0, from });
            } else if from.is_none_or(|from| shape.folds.at(from).all(stays)) {
                starts.push(Start { object, at, from });
            } else {
                let others = targets(self, value).into_iter().filter(|(o, _)| *o == object);
                starts.extend(others.map(|(_, at)| Start { object, at, from: Some(at) }));
            }
        }
        // Elsewhere it is undefined behaviour.
        starts.retain(|start| (0..self.solver.size(start.object)).contains(&start.at));
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    fn way_to(&mut self, mut e: ExprId) -> (Root, i64) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let mut by = 0i64;
        loop {
            e = match *exprs.kind(e) {
                ExprKind::AddrOf(place) => {
                    let (root, further) = self.way_to_place(place);
                    return (root, by.saturating_add(further));
                }
                ExprKind::Cast(inner) if types.is_ptr(exprs.ty(e)) && types.is_ptr(exprs.ty(inner)) => inner,
                ExprKind::PtrAdd(p, n) => match self.known_bytes(n, e) {
                    Some(bytes) => {
                        by = by.saturating_add(bytes);
                        p
                    }
                    None => return (Root::Value(self.value(e)), by),
                },
                _ => return (Root::Value(self.value(e)), by),
            };
        }
    }

    fn way_to_place(&mut self, mut place: PlaceId) -> (Root, i64) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let mut by = 0i64;
        loop {
            let (of, bytes) = match exprs.place(place).kind {
                PlaceKind::Var(v) => return (Root::Object(self.var[v]), by),
                PlaceKind::Deref(e) => {
                    let (root, further) = self.way_to(e);
                    return (root, by.saturating_add(further));
                }
                PlaceKind::Field(of, index) => {
                    let Type::Record(r) = *types.get(exprs.place(of).ty) else {
                        return (Root::Value(Value::Nothing), 0);
                    };
                    (of, types.records[r].fields.get(index as usize).map_or(0, |f| f.offset as i64))
                }
                PlaceKind::Index(of, index) => {
                    let size = self.size(exprs.place(place).ty);
                    match self.known_count(index) {
                        Some(n) => (of, n.saturating_mul(size)),
                        None => return (Root::Value(self.address(place)), by),
                    }
                }
            };
            by = by.saturating_add(bytes);
            place = of;
        }
    }

    /// Ranges that begin in any element of an array and may go on behind it, with their lengths: what lies there becomes part of the array.
    /// Says whether that is new.
    pub fn spread(&mut self, ranges: &[(Start, i64)]) -> bool {
        let mut new = false;
        for &(start, len) in ranges {
            let size = self.solver.size(start.object);
            let mut at = start.at;
            let mut wider = Vec::new();
            for fold in self.solver.shapes[start.object].folds.iter() {
                if !(fold.start..fold.end).contains(&at) {
                    continue;
                }
                let loose = start.is_loose_in(fold);
                let element = (at - fold.start) / fold.stride;
                let first = at - element * fold.stride;
                let last = match (loose, fold.count()) {
                    (true, _) if first.saturating_add(len) <= fold.first_end() => continue,
                    (true, Some(count)) => {
                        first.saturating_add((count as i64 - 1).saturating_mul(fold.stride))
                    }
                    (true, None) => continue,
                    // From the first element on, offsets are what they are.
                    (false, _) if element == 0 => continue,
                    (false, _) => at,
                };
                let end = last.saturating_add(len).min(size);
                if end > fold.end {
                    wider.push(Fold { end, ..*fold });
                }
                at = first;
            }
            for fold in wider {
                new |= self.solver.fold(start.object, fold);
            }
        }
        new
    }

    /// The lengths of all ranges that are accessed, with where they begin.
    pub fn all_ranges(&mut self) -> Vec<(Start, i64)> {
        let lengths = self.ranges.clone().into_iter().map(|(e, len)| {
            (Node::Expr(e), len.map_or(UNBOUNDED, |len| i64::try_from(len).unwrap_or(UNBOUNDED)))
        });
        let places = self.aggregates.clone().into_iter();
        let sizes: Vec<(Node, i64)> =
            places.map(|p| (Node::Place(p), self.size(self.program.exprs.place(p).ty))).collect();
        let all: Vec<(Node, i64)> = lengths.chain(sizes).collect();
        let all = all.into_iter().flat_map(|(node, len)| {
            let starts = self.starts(node).into_iter();
            starts.map(|start| (start, len)).collect::<Vec<_>>()
        });
        all.collect()
    }
}
