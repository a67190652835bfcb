//! Assignments, all at once.
//!
//! First everything that must hold (values fit, indices lie in their arrays) is assumed together. Then come the writes, in the order of the
//! text; what one of them would change for a later one is saved in a temporary before. `E i (lo,hi)` chooses a value for `i`.

use super::super::ast::{Assign, Source};
use super::super::types::{Shape, bits, signed_bits};
use super::expr::{Kind, Target, Value};
use super::{Lower, wrong, wrong_with};
use crate::Res;
use craig_base::Span;
use craig_cfa::expr::Node;
use craig_cfa::{BinOp, Choice, ExprId, ExprKind, Op, PlaceId, PlaceKind};
use rustc_hash::FxHashSet;

/// What happens to a place.
enum Write {
    Store(ExprId),
    Havoc,
    /// Any value but this one.
    Not(Value, Span),
}

pub struct Job {
    target: Target,
    write: Write,
}

impl Lower<'_> {
    pub fn assigns(&mut self, assigns: &[Assign], span: Span) -> Res<()> {
        let (jobs, ok) = self.jobs(assigns, span)?;
        self.assume(ok, span);
        self.write(jobs, span)
    }

    /// What is to be done, and when it can be.
    pub fn jobs(&mut self, assigns: &[Assign], span: Span) -> Res<(Vec<Job>, ExprId)> {
        let (mut jobs, mut oks) = (Vec::new(), Vec::new());
        for assign in assigns {
            self.instances_of(assign, 0, &mut jobs, &mut oks, span)?;
        }
        self.check_once(&jobs, span)?;
        let ok = self.all(oks);
        Ok((jobs, ok))
    }

    /// The assignment for all values of its quantifiers from number `depth` on.
    fn instances_of(
        &mut self,
        assign: &Assign,
        depth: usize,
        jobs: &mut Vec<Job>,
        oks: &mut Vec<ExprId>,
        span: Span,
    ) -> Res<()> {
        let Some(binder) = assign.binders.get(depth) else {
            let (job, ok) = self.job(assign)?;
            jobs.push(job);
            oks.push(ok);
            return Ok(());
        };
        let (lo, hi) = self.range(&binder.lo, &binder.hi)?;
        if !binder.all {
            if hi < lo {
                return wrong("`E` over no values", binder.span);
            }
            let chosen = self.choose_number(&binder.var.name, (lo, hi), binder.span, span)?;
            self.bound.push((binder.var.name.clone(), chosen));
            let done = self.instances_of(assign, depth + 1, jobs, oks, span);
            self.bound.pop();
            return done;
        }
        let mut n = lo;
        while n <= hi {
            self.instance(binder.span)?;
            let number = self.number(n);
            self.bound.push((binder.var.name.clone(), number));
            let done = self.instances_of(assign, depth + 1, jobs, oks, span);
            self.bound.pop();
            done?;
            n += 1;
        }
        Ok(())
    }

    fn job(&mut self, assign: &Assign) -> Res<(Job, ExprId)> {
        let target = self.target(&assign.place)?;
        let (write, ok) = match &assign.value {
            Source::Undef => (Write::Havoc, self.p.exprs.bool(true)),
            Source::Value(expr) => {
                let value = self.value(expr)?;
                let (e, ok) = self.fit(&value, &target.shape, expr.span)?;
                (Write::Store(e), ok)
            }
            Source::Not(expr) => {
                let value = self.value(expr)?;
                // Refuses what cannot be compared.
                self.differs(&target, &value, expr.span)?;
                let ok = value.ok;
                match value.kind {
                    Kind::Cond => {
                        let negated = Value { e: self.p.exprs.not(value.e), ..value };
                        let (e, ok) = self.fit(&negated, &target.shape, expr.span)?;
                        (Write::Store(e), ok)
                    }
                    _ => (Write::Not(value, expr.span), ok),
                }
            }
        };
        let ok = self.p.exprs.and(target.ok, ok);
        Ok((Job { target, write }, ok))
    }

    /// No place is written twice, as far as the text tells.
    fn check_once(&self, jobs: &[Job], span: Span) -> Res<()> {
        let written: FxHashSet<PlaceId> = jobs.iter().map(|j| j.target.place).collect();
        let mut twice = written.len() < jobs.len();
        for job in jobs {
            let mut place = job.target.place;
            while let PlaceKind::Field(of, _) | PlaceKind::Index(of, _) = self.p.exprs.place(place).kind {
                twice |= written.contains(&of);
                place = of;
            }
        }
        match twice {
            true => wrong_with(
                "a variable is assigned twice in one statement",
                span,
                "assignments of one statement happen at once; `;` makes them one after the other",
            ),
            false => Ok(()),
        }
    }

    /// Does writing these places change the value? It is asked of what was computed before they are written.
    pub fn is_changed(&self, jobs: &[Job], value: ExprId) -> bool {
        let written: Vec<PlaceId> = jobs.iter().map(|j| j.target.place).collect();
        self.reads(value, &written)
    }

    fn reads(&self, value: ExprId, written: &[PlaceId]) -> bool {
        let mut found = false;
        self.p.exprs.visit_all(vec![Node::Expr(value)], &mut FxHashSet::default(), &mut |node| {
            if let Node::Expr(e) = node
                && let ExprKind::Read(place) = *self.p.exprs.kind(e)
            {
                found |= written.iter().any(|w| self.may_overlap(*w, place));
            }
        });
        found
    }

    /// May both places have cells in common? Fields, and indices that are constants, tell them apart.
    fn may_overlap(&self, a: PlaceId, b: PlaceId) -> bool {
        let path = |mut place: PlaceId| {
            let mut steps = Vec::new();
            loop {
                let kind = self.p.exprs.place(place).kind;
                steps.push(kind);
                match kind {
                    PlaceKind::Field(of, _) | PlaceKind::Index(of, _) => place = of,
                    PlaceKind::Var(_) | PlaceKind::Deref(_) => break,
                }
            }
            steps.reverse();
            steps
        };
        path(a).iter().zip(&path(b)).all(|pair| match pair {
            (PlaceKind::Var(x), PlaceKind::Var(y)) => x == y,
            (PlaceKind::Field(_, x), PlaceKind::Field(_, y)) => x == y,
            (PlaceKind::Index(_, x), PlaceKind::Index(_, y)) => {
                let number = |e| self.p.exprs.as_int(&self.p.types, e);
                number(*x).zip(number(*y)).is_none_or(|(x, y)| x == y)
            }
            _ => true,
        })
    }

    /// The same place, with indices that the writes change saved.
    fn fixed_place(&mut self, place: PlaceId, written: &[PlaceId], span: Span) -> PlaceId {
        match self.p.exprs.place(place).kind {
            PlaceKind::Index(of, at) => {
                let of = self.fixed_place(of, written, span);
                let at = if self.reads(at, written) { self.save(at, span) } else { at };
                self.p.exprs.index(&self.p.types, of, at)
            }
            PlaceKind::Field(of, field) => {
                let of = self.fixed_place(of, written, span);
                self.p.exprs.field(&self.p.types, of, field)
            }
            PlaceKind::Var(_) | PlaceKind::Deref(_) => place,
        }
    }

    pub fn write(&mut self, mut jobs: Vec<Job>, span: Span) -> Res<()> {
        let mut written: Vec<PlaceId> = Vec::new();
        for job in &mut jobs {
            self.pace.step()?;
            let place = job.target.place;
            // A value that is chosen is looked at once it is written: what its own place changes is saved as well.
            let earlier = written.len();
            written.push(place);
            let seen = if matches!(job.write, Write::Store(_)) { &written[..earlier] } else { &written[..] };
            job.target.place = self.fixed_place(place, seen, span);
            match &mut job.write {
                Write::Store(e) if self.reads(*e, seen) => *e = self.save(*e, span),
                Write::Not(value, _) if self.reads(value.e, seen) => value.e = self.save(value.e, span),
                _ => {}
            }
        }
        for job in jobs {
            let Target { place, shape, .. } = &job.target;
            match job.write {
                Write::Store(e) => self.emit(Op::Assign(*place, e), span),
                Write::Havoc => self.any_value(*place, shape, span),
                Write::Not(value, at) => {
                    self.any_value(*place, shape, span);
                    let differs = self.differs(&job.target, &value, at)?;
                    self.assume(differs, span);
                }
            }
        }
        Ok(())
    }

    /// `undef`.
    fn any_value(&mut self, place: PlaceId, shape: &Shape, span: Span) {
        let name = self.p.exprs.root_var(place).map(|var| self.p.vars[var].name.clone());
        self.havoc(place, shape, Choice::Nondet(name.unwrap_or_else(|| "undef".into())), span);
    }

    /// Any number from `lo` to `hi`. What is chosen is the distance from `lo`; too large ones count as none, so that no run ends here.
    fn choose_number(&mut self, name: &str, (lo, hi): (i128, i128), at: Span, span: Span) -> Res<Value> {
        let number = self.number(lo);
        let Some(distance) = hi.checked_sub(lo).filter(|d| *d < 1 << 32) else {
            return wrong("`E` over more than 2^32 values", at);
        };
        if distance == 0 {
            return Ok(number);
        }
        let width = bits(distance.cast_unsigned());
        let ty = self.p.types.int(width, false);
        let var = self.temp("some", ty, span);
        let place = self.p.var_place(var);
        self.emit(Op::Havoc(place, Choice::Way), span);
        let chosen = self.p.exprs.read(place);
        let types = &mut self.p.types;
        // Wide enough for the distances that are too large as well.
        let wide = types.int(signed_bits(lo.min(0), lo.max(0) + (1 << width)), true);
        let exprs = &mut self.p.exprs;
        let (first, most) = (exprs.int(types, lo, wide), exprs.int(types, distance, ty));
        let cast = exprs.cast(types, chosen, wide);
        let sum = exprs.binary(types, BinOp::Add, cast, first);
        let fits = exprs.binary(types, BinOp::Le, chosen, most);
        let e =
            if (distance + 1).cast_unsigned().is_power_of_two() { sum } else { exprs.ite(fits, sum, first) };
        // Saved: an index is read more than once.
        let e = self.save_as(name, e, span);
        Ok(Value { e, kind: Kind::Num { lo, hi }, ok: number.ok })
    }
}
