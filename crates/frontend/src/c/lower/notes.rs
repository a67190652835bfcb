//! Notes on the text become part of the program; see [`super::super::notes`].

use super::super::notes::{Note, Parsed, RESULT, Way, What};
use super::{Lower, Res, Symbol, Val};
use craig_base::Span;
use craig_cfa::{BinOp, ExprId, LocId, Op, PlaceId, VarKind};
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashMap;

/// The notes of a text, and what became of them.
#[derive(Default)]
pub(in crate::c) struct Notes<'a> {
    all: &'a [Parsed],
    /// Numbers of notes by their lines.
    lines: FxHashMap<u32, Vec<usize>>,
    /// Where the text has each.
    placed: Vec<Option<u32>>,
    /// Parts of a run that waypoints divide it into; none: there are no waypoints.
    segments: Option<u32>,
    /// What counts them.
    counter: Option<PlaceId>,
    /// Expressions of notes stand where their note does.
    pub within: Option<Span>,
}

impl<'a> Notes<'a> {
    pub fn new(all: &'a [Parsed]) -> Notes<'a> {
        let mut notes = Notes { all, placed: vec![None; all.len()], ..Notes::default() };
        for (i, parsed) in all.iter().enumerate() {
            notes.lines.entry(parsed.note.line).or_default().push(i);
            if let What::Waypoint { segment, .. } = parsed.note.what {
                notes.segments = notes.segments.max(Some(segment + 1));
            }
        }
        notes
    }

    /// The notes that no place of the text fits.
    pub fn lost(&self) -> Vec<usize> {
        (0..self.all.len()).filter(|i| self.placed[*i].is_none()).collect()
    }
}

impl<'a> Lower<'a> {
    /// The notes of one kind at a place.
    fn notes_at(&mut self, span: Span, fits: impl Fn(&What) -> bool) -> Vec<&'a Parsed> {
        if self.notes.lines.is_empty() || self.unevaluated || self.notes.within.is_some() {
            return Vec::new();
        }
        let Some((line, column)) = self.p.source.place(span) else { return Vec::new() };
        let function = self.func.map(|f| self.funcs[f].name.clone());
        let here = |note: &Note| {
            note.column.is_none_or(|wanted| wanted == column)
                && note.function.as_deref().is_none_or(|wanted| function.as_deref() == Some(wanted))
                && fits(&note.what)
        };
        let all = self.notes.all;
        let mut found = Vec::new();
        for &i in self.notes.lines.get(&line).into_iter().flatten() {
            let placed = &mut self.notes.placed[i];
            if here(&all[i].note) && placed.is_none_or(|at| at == span.start) {
                *placed = Some(span.start);
                found.push(&all[i]);
            }
        }
        found
    }

    /// A truth that the expression of a note has here.
    fn note_truth(&mut self, expr: &'a Node<ast::Expression>, span: Span) -> Res<ExprId> {
        let outer = self.notes.within.replace(span);
        let value = self.rvalue_of(expr).and_then(|value| self.truth(value, span));
        self.notes.within = outer;
        Ok(self.bounded(value?, span))
    }

    /// Before a statement.
    pub fn notes_before(&mut self, span: Span) -> Res<()> {
        let fits = |what: &What| {
            matches!(
                what,
                What::Invariant { of_loop: false, .. } | What::Waypoint { way: Way::Assumption(_), .. }
            )
        };
        self.take_notes(span, fits)
    }

    /// Before the condition of a loop is evaluated.
    pub fn notes_of_loop(&mut self, span: Span) -> Res<()> {
        self.take_notes(span, |what| matches!(what, What::Invariant { of_loop: true, .. }))
    }

    fn take_notes(&mut self, span: Span, fits: impl Fn(&What) -> bool) -> Res<()> {
        let notes = self.notes_at(span, fits);
        let now = self.segment_now(&notes, span);
        for parsed in notes {
            let Some(expr) = &parsed.expr else { continue };
            let truth = self.note_truth(expr, span)?;
            match parsed.note.what {
                What::Invariant { .. } => {
                    let broken = self.p.exprs.not(truth);
                    let (error, on) = (self.p.error, self.new_loc(span));
                    self.p.add_edge(self.cur, error, Op::Assume(broken), span);
                    self.p.add_edge(self.cur, on, Op::Assume(truth), span);
                    self.cur = on;
                }
                What::Waypoint { segment, avoid, .. } => self.pass(now, segment, avoid, truth, span),
            }
        }
        Ok(())
    }

    /// Where the sides of a condition lead if there are waypoints on the way.
    pub fn noted_branches(&mut self, span: Span, yes: LocId, no: LocId) -> (LocId, LocId) {
        let taken = |side: bool| move |what: &What| matches!(what, What::Waypoint { way: Way::Branch(taken), .. } if *taken == side);
        let side = |l: &mut Self, side: bool, to: LocId| {
            let notes = l.notes_at(span, taken(side));
            if notes.is_empty() {
                return to;
            }
            let (cur, start) = (l.cur, l.new_loc(span));
            l.cur = start;
            let now = l.segment_now(&notes, span);
            for parsed in notes {
                if let What::Waypoint { segment, avoid, .. } = parsed.note.what {
                    let truth = l.p.exprs.bool(true);
                    l.pass(now, segment, avoid, truth, span);
                }
            }
            l.goto(to, span);
            l.cur = cur;
            start
        };
        (side(self, true, yes), side(self, false, no))
    }

    /// Before a call.
    pub fn notes_of_enter(&mut self, span: Span) {
        let enters = |what: &What| matches!(what, What::Waypoint { way: Way::Enter, .. });
        let notes = self.notes_at(closing(span), enters);
        let now = self.segment_now(&notes, span);
        for parsed in notes {
            if let What::Waypoint { segment, avoid, .. } = parsed.note.what {
                let truth = self.p.exprs.bool(true);
                self.pass(now, segment, avoid, truth, span);
            }
        }
    }

    /// Behind a call.
    pub fn notes_of_return(&mut self, span: Span, val: &Val) -> Res<()> {
        let returns = |what: &What| matches!(what, What::Waypoint { way: Way::Return(_), .. });
        let notes = self.notes_at(closing(span), returns);
        let now = self.segment_now(&notes, span);
        for parsed in notes {
            let What::Waypoint { segment, avoid, .. } = parsed.note.what else { continue };
            let truth = match (&parsed.expr, val) {
                (Some(expr), Val::Place(_) | Val::Expr(_)) => {
                    let value = self.rvalue(*val, span)?;
                    let result = self.temp(self.p.exprs.ty(value), span);
                    self.emit(Op::Assign(result, value), span);
                    let var = self.p.exprs.root_var(result);
                    self.scopes.push(super::Scope::default());
                    if let Some(var) = var {
                        self.define(RESULT, Symbol::Var(var));
                    }
                    let truth = self.note_truth(expr, span);
                    self.scopes.pop();
                    truth?
                }
                // Of a result that nobody keeps nothing is known.
                _ => self.p.exprs.bool(true),
            };
            self.pass(now, segment, avoid, truth, span);
        }
        Ok(())
    }

    /// The error here: it counts if the waypoints lead to it.
    pub fn noted_error(&mut self, span: Span) {
        let Some(segments) = self.notes.segments else { return };
        let is_target = |what: &What| matches!(what, What::Waypoint { way: Way::Target, .. });
        // In line 0: wherever it is.
        let names_one =
            self.notes.all.iter().any(|parsed| is_target(&parsed.note.what) && parsed.note.line > 0);
        let here = !self.notes_at(span, is_target).is_empty();
        let counts = match names_one && !here {
            // Another error than the one that is meant.
            true => self.p.exprs.bool(false),
            false => {
                let counter = self.counter();
                let (now, ty) = (self.p.exprs.read(counter), self.p.exprs.place(counter).ty);
                let last = self.p.exprs.int(&self.p.types, i128::from(segments - 1), ty);
                self.p.exprs.binary(&self.p.types, BinOp::Eq, now, last)
            }
        };
        self.emit(Op::Assume(counts), span);
    }

    /// The segment that a run is in when it comes to a place. Of several waypoints there it passes that of this segment, and no more at once.
    fn segment_now(&mut self, notes: &[&'a Parsed], span: Span) -> Option<ExprId> {
        if !notes.iter().any(|parsed| matches!(parsed.note.what, What::Waypoint { .. })) {
            return None;
        }
        let counter = self.counter();
        let now = self.p.exprs.read(counter);
        Some(if notes.len() == 1 { now } else { self.save(now, span) })
    }

    /// A run in the segment is at its waypoint, if the condition holds.
    fn pass(&mut self, now: Option<ExprId>, segment: u32, avoid: bool, truth: ExprId, span: Span) {
        let Some(now) = now else { return };
        let counter = self.counter();
        let (before, ty) = (self.p.exprs.read(counter), self.p.exprs.place(counter).ty);
        let here = self.p.exprs.int(&self.p.types, i128::from(segment), ty);
        let there = self.p.exprs.binary(&self.p.types, BinOp::Eq, now, here);
        let passes = self.p.exprs.and(there, truth);
        if avoid {
            let not = self.p.exprs.not(passes);
            self.emit(Op::Assume(not), span);
            return;
        }
        let next = self.p.exprs.int(&self.p.types, i128::from(segment) + 1, ty);
        let value = self.p.exprs.ite(passes, next, before);
        self.emit(Op::Assign(counter, value), span);
    }

    fn counter(&mut self) -> PlaceId {
        if let Some(known) = self.notes.counter {
            return known;
        }
        let ty = self.p.types.int(32, false);
        let var = self.p.add_var("__craig_segment".into(), ty, VarKind::Global, None, Span::default());
        let place = self.p.var_place(var);
        self.notes.counter = Some(place);
        place
    }
}

/// The parenthesis that ends a call.
fn closing(span: Span) -> Span {
    Span { start: span.end.saturating_sub(1).max(span.start), end: span.end }
}
