//! Which of several alternatives is taken.
//!
//! Where the text shows that at most one condition holds, the conditions themselves decide. Otherwise a number is chosen first
//! ([`Choice::Way`]), so that an execution can name its way: the alternative with this number is taken if its condition holds. If not, the first one whose
//! condition holds: then a run with arbitrary choices comes on wherever any does.

use super::super::types::bits;
use super::Lower;
use craig_base::Span;
use craig_cfa::{BinOp, Choice, Const, ExprId, ExprKind, Op, VarId};

/// Among more alternatives than this a choice that does not hold ends the run: the conditions would be large.
const MAX_LENIENT: usize = 8;

impl Lower<'_> {
    /// The conditions under which each alternative is taken; a number is chosen before if need be. Of `others` none holds together with
    /// one of the alternatives.
    pub fn ways(&mut self, guards: &[ExprId], span: Span) -> Vec<ExprId> {
        let open: Vec<ExprId> =
            guards.iter().copied().filter(|g| self.p.exprs.as_bool(*g) != Some(false)).collect();
        let exclusive = (0..open.len()).all(|i| (0..i).all(|j| self.exclusive(open[i], open[j])));
        if exclusive {
            return guards.to_vec();
        }
        let way = self.way(open.len(), span);
        let picks: Vec<ExprId> = (0..open.len()).map(|n| self.pick(way, n, open.len())).collect();
        let same = open.iter().all(|g| *g == open[0]);
        let mut found = Vec::with_capacity(open.len());
        let picked: Vec<ExprId> =
            open.iter().zip(&picks).map(|(&guard, &pick)| self.p.exprs.and(pick, guard)).collect();
        if same || open.len() > MAX_LENIENT {
            found.extend(picked);
        } else {
            let any = self.any(picked.clone());
            let mut none = self.p.exprs.not(any);
            for (&guard, picked) in open.iter().zip(picked) {
                let instead = self.p.exprs.and(none, guard);
                found.push(self.p.exprs.or(picked, instead));
                let not = self.p.exprs.not(guard);
                none = self.p.exprs.and(none, not);
            }
        }
        let no = self.p.exprs.bool(false);
        let mut found = found.into_iter();
        let closed = |g: ExprId| self.p.exprs.as_bool(g) == Some(false);
        guards.iter().map(|g| if closed(*g) { no } else { found.next().unwrap_or(no) }).collect()
    }

    /// A number below `count`, chosen now.
    fn way(&mut self, count: usize, span: Span) -> VarId {
        let width = bits(count as u128 - 1).max(1);
        let var = match self.frame.ways.get(&width) {
            Some(&var) => var,
            None => {
                let ty = self.p.types.int(width, false);
                let var = self.temp("way", ty, span);
                self.frame.ways.insert(width, var);
                var
            }
        };
        let place = self.p.var_place(var);
        self.emit(Op::Havoc(place, Choice::Way), span);
        var
    }

    /// Is it number `n`? All numbers from the last one on are the last.
    fn pick(&mut self, way: VarId, n: usize, count: usize) -> ExprId {
        let ty = self.p.vars[way].ty;
        let chosen = self.p.var_expr(way);
        let number = self.p.exprs.int(&self.p.types, n as i128, ty);
        match n + 1 == count && !count.is_power_of_two() {
            true => self.p.exprs.binary(&self.p.types, BinOp::Le, number, chosen),
            false => self.p.exprs.binary(&self.p.types, BinOp::Eq, chosen, number),
        }
    }

    /// Does the text show that not both hold? One is the negation of the other, or they compare one thing with two constants.
    fn exclusive(&mut self, a: ExprId, b: ExprId) -> bool {
        if self.p.exprs.not(a) == b {
            return true;
        }
        let constant = |e: ExprId| match self.p.exprs.kind(e) {
            ExprKind::Binary(BinOp::Eq, x, c) => match self.p.exprs.as_const(*c) {
                Some(Const::Bits(bits)) => Some((*x, *bits)),
                _ => None,
            },
            _ => None,
        };
        constant(a).zip(constant(b)).is_some_and(|((x, m), (y, n))| x == y && m != n)
    }
}
