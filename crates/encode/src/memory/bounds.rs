//! Which indices surely lie in their arrays.
//!
//! An array inside an object is kept apart from its neighbours only where no index can leave it (an access has the bounds of the whole
//! object). This is shown with intervals: for every location and every variable that indices are made of, bounds of its value
//! (Cousot and Cousot, Abstract interpretation; widening to the constants of the program, then two rounds without widening). Variables
//! that something may point at are not followed. Who checks a proof does the same on his own version of the program.

use crate::range::{Range, binary, word_range};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::expr::Node;
use craig_cfa::{
    BinOp, EdgeId, ExprId, ExprKind, Lang, LocId, Op, PlaceId, PlaceKind, Program, Type, UnOp, VarId,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Bounds of indices, wherever they are used.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    index: FxHashMap<ExprId, Option<Range>>,
}

/// Variables times locations, beyond which nothing is computed.
const MOST: usize = 4_000_000;
/// Times that a location is looked at before its bounds are widened.
const EXACT_ROUNDS: u32 = 4;
/// Parts of one expression that are looked at.
const MOST_PARTS: u32 = 2000;

type Env = Box<[Range]>;

impl Bounds {
    pub fn new(program: &Program, budget: &Budget) -> Result<Bounds, Stop> {
        let indices = indices(program);
        if indices.is_empty() {
            return Ok(Bounds::default());
        }
        let tracked = tracked(program, &indices);
        if tracked.len().saturating_mul(program.locs.len()) > MOST {
            return Ok(Bounds::default());
        }
        let mut analysis = Analysis {
            program,
            number: index_vec![None; program.vars.len()],
            vars: tracked,
            at: index_vec![None; program.locs.len()],
            steps: thresholds(program),
        };
        for (i, &v) in analysis.vars.iter().enumerate() {
            analysis.number[v] = Some(i as u32);
        }
        analysis.solve(budget)?;
        analysis.collect(&indices, budget)
    }

    /// Is more known of the index than its type says? Then nothing that it is computed from wraps around.
    pub fn is_narrow(&self, program: &Program, index: ExprId) -> bool {
        let range = self.index.get(&index).copied().flatten();
        range.is_some() && range != word_range(program, program.exprs.ty(index))
    }

    /// Does the index always lie in `0..len`?
    pub fn within(&self, index: ExprId, len: u64) -> bool {
        let range = self.index.get(&index).copied().flatten();
        range.is_some_and(|r| r.low >= 0 && r.high < i128::from(len))
    }
}

/// Expressions that index arrays with known length, other than constants.
fn indices(program: &Program) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut todo: Vec<Node> = Vec::new();
    for edge in &program.edges {
        let parts = edge.op.parts();
        todo.extend(parts.exprs.iter().map(|&e| Node::Expr(e)));
        todo.extend(parts.written.iter().map(|&p| Node::Place(p)));
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            match node {
                Node::Expr(e) => {
                    todo.extend(program.exprs.children(e).map(Node::Expr));
                    todo.extend(program.exprs.place_in(e).map(Node::Place));
                    if let ExprKind::PtrAdd(_, n) = *program.exprs.kind(e) {
                        found.insert(n);
                    }
                }
                Node::Place(p) => {
                    if let PlaceKind::Index(_, index) = program.exprs.place(p).kind {
                        found.insert(index);
                    }
                    parts_of_place(program, p, &mut todo);
                }
            }
        }
    }
    found.retain(|e| program.exprs.as_bits(*e).is_none());
    found
}

fn parts_of_place(program: &Program, p: PlaceId, out: &mut Vec<Node>) {
    match program.exprs.place(p).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(e) => out.push(Node::Expr(e)),
        PlaceKind::Field(of, _) => out.push(Node::Place(of)),
        PlaceKind::Index(of, index) => out.extend([Node::Place(of), Node::Expr(index)]),
    }
}

/// The variables that the indices are made of, and those these are assigned from.
fn tracked(program: &Program, indices: &FxHashSet<ExprId>) -> Vec<VarId> {
    let mut sources: IndexVec<VarId, Vec<ExprId>> = index_vec![Vec::new(); program.vars.len()];
    for edge in &program.edges {
        if let Op::Assign(place, e) = edge.op
            && let PlaceKind::Var(v) = program.exprs.place(place).kind
        {
            sources[v].push(e);
        }
    }
    let mut found = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut todo: Vec<ExprId> = indices.iter().copied().collect();
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        todo.extend(program.exprs.children(e));
        if let Some(v) = variable(program, e)
            && found.insert(v)
        {
            todo.extend(&sources[v]);
        }
    }
    found.into_iter().collect()
}

/// The variable that an expression reads, if its value can be followed.
fn variable(program: &Program, e: ExprId) -> Option<VarId> {
    let ExprKind::Read(place) = *program.exprs.kind(e) else { return None };
    let PlaceKind::Var(v) = program.exprs.place(place).kind else { return None };
    let var = &program.vars[v];
    let small = program.types.as_int(var.ty).is_some_and(|int| int.width <= 64);
    (small && !var.address_taken).then_some(v)
}

/// Where widening stops: the constants of the program and their neighbours.
fn thresholds(program: &Program) -> Vec<i128> {
    let mut steps = BTreeSet::new();
    let mut todo = Vec::new();
    let mut seen = FxHashSet::default();
    for edge in &program.edges {
        if let Op::Assume(e) = edge.op {
            todo.push(e);
        }
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            todo.extend(program.exprs.children(e));
            if let Some(n) = program.exprs.as_int(&program.types, e) {
                steps.extend([n - 1, n, n + 1]);
            }
        }
    }
    steps.into_iter().collect()
}

struct Analysis<'a> {
    program: &'a Program,
    vars: Vec<VarId>,
    number: IndexVec<VarId, Option<u32>>,
    /// What holds at each location that is reached.
    at: IndexVec<LocId, Option<Env>>,
    steps: Vec<i128>,
}

impl Analysis<'_> {
    fn whole(&self, v: VarId) -> Range {
        word_range(self.program, self.program.vars[v].ty).unwrap_or(Range::new(i128::MIN, i128::MAX))
    }

    fn anything(&self) -> Env {
        self.vars.iter().map(|&v| self.whole(v)).collect()
    }

    fn start(&self, entry: bool) -> Env {
        let zero = |v: VarId| entry && self.program.lang == Lang::C && self.program.vars[v].proc.is_none();
        self.vars.iter().map(|&v| if zero(v) { Range::exactly(0) } else { self.whole(v) }).collect()
    }

    fn solve(&mut self, budget: &Budget) -> Result<(), Stop> {
        let program = self.program;
        let mut pace = Pace::new(budget);
        let mut out: IndexVec<LocId, Vec<EdgeId>> = index_vec![Vec::new(); program.locs.len()];
        let mut into = out.clone();
        for (id, edge) in program.edges.iter_enumerated() {
            out[edge.from].push(id);
            into[edge.to].push(id);
        }
        let mut todo: BTreeSet<LocId> = BTreeSet::new();
        for (id, proc) in program.procs.iter_enumerated() {
            self.at[proc.entry] = Some(self.start(id == program.entry));
            todo.insert(proc.entry);
        }
        let mut rounds: IndexVec<LocId, u32> = index_vec![0; program.locs.len()];
        while let Some(loc) = todo.pop_first() {
            pace.step()?;
            rounds[loc] += 1;
            for &edge in &out[loc] {
                let Some(after) = self.through(edge) else { continue };
                let to = program.edges[edge].to;
                let widen = rounds[to] > EXACT_ROUNDS;
                let new = match &self.at[to] {
                    None => after,
                    Some(old) => {
                        let joined: Env = old.iter().zip(&after).map(|(a, b)| a.union(*b)).collect();
                        if joined == *old {
                            continue;
                        }
                        if widen { self.widened(old, &joined) } else { joined }
                    }
                };
                self.at[to] = Some(new);
                todo.insert(to);
            }
        }
        let entries: FxHashSet<LocId> = program.procs.iter().map(|p| p.entry).collect();
        for _ in 0..2 {
            for loc in program.locs.indices() {
                pace.step()?;
                if self.at[loc].is_none() || entries.contains(&loc) {
                    continue;
                }
                let ways = into[loc].iter().filter_map(|&edge| self.through(edge));
                let joined = ways.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a.union(*b)).collect());
                self.at[loc] = joined;
            }
        }
        Ok(())
    }

    fn widened(&self, old: &Env, new: &Env) -> Env {
        let widen = |((old, new), &v): ((&Range, &Range), &VarId)| {
            let whole = self.whole(v);
            let mut wide = *new;
            if new.low < old.low {
                let at = self.steps.partition_point(|&s| s <= new.low);
                wide.low = at.checked_sub(1).map_or(whole.low, |i| self.steps[i]).max(whole.low);
            }
            if new.high > old.high {
                let at = self.steps.partition_point(|&s| s < new.high);
                wide.high = self.steps.get(at).copied().unwrap_or(whole.high).min(whole.high);
            }
            wide
        };
        old.iter().zip(new).zip(&self.vars).map(widen).collect()
    }

    /// What holds behind an edge; `None` if it is not taken.
    fn through(&self, edge: EdgeId) -> Option<Env> {
        let edge = &self.program.edges[edge];
        let mut env = self.at[edge.from].clone()?;
        match &edge.op {
            Op::Assume(e) => return self.refine(*e, true, &mut env).then_some(env),
            Op::Call(_) | Op::Unsupported(_) | Op::Deeper(_) => {
                return Some(self.anything());
            }
            op => {
                let written = op.parts().written.and_then(|p| self.program.exprs.root_var(p));
                if let Some(v) = written
                    && let Some(i) = self.number[v]
                {
                    let assigned = match op {
                        Op::Assign(_, e) => self.eval(*e, &env),
                        _ => None,
                    };
                    env[i as usize] = assigned.unwrap_or(self.whole(v));
                }
            }
        }
        Some(env)
    }

    fn eval(&self, e: ExprId, env: &Env) -> Option<Range> {
        self.bounded(e, env, &mut { MOST_PARTS })
    }

    fn bounded(&self, e: ExprId, env: &Env, budget: &mut u32) -> Option<Range> {
        let program = self.program;
        let whole = word_range(program, program.exprs.ty(e));
        *budget = budget.checked_sub(1)?;
        let shaped = match *program.exprs.kind(e) {
            ExprKind::Const(_) => program.exprs.as_int(&program.types, e).map(Range::exactly),
            ExprKind::Read(_) => variable(program, e).and_then(|v| self.number[v]).map(|i| env[i as usize]),
            ExprKind::Cast(inner) => match program.types.get(program.exprs.ty(inner)) {
                Type::Bool => Some(Range::new(0, 1)),
                Type::Int(_) | Type::Ptr(_) => self.bounded(inner, env, budget),
                _ => None,
            },
            ExprKind::Ite(_, a, b) => {
                let (a, b) = (self.bounded(a, env, budget), self.bounded(b, env, budget));
                a.zip(b).map(|(a, b)| a.union(b))
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                self.bounded(a, env, budget).and_then(|a| Range::exactly(0).minus(a))
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() && !op.is_logic() => {
                let (a, b) = (self.bounded(a, env, budget), self.bounded(b, env, budget));
                a.zip(b).and_then(|(a, b)| binary(op, a, b))
            }
            _ => None,
        };
        // A result outside of the type wraps around, or is undefined: then only the type bounds it.
        match (shaped, whole) {
            (Some(s), Some(w)) if s.within(w) => Some(s),
            _ => whole,
        }
    }

    /// Narrows the bounds by a condition that holds, or does not. False if that cannot be.
    fn refine(&self, e: ExprId, holds: bool, env: &mut Env) -> bool {
        let exprs = &self.program.exprs;
        match *exprs.kind(e) {
            ExprKind::Const(_) => exprs.as_bool(e) != Some(!holds),
            ExprKind::Unary(UnOp::Not, a) => self.refine(a, !holds, env),
            ExprKind::Binary(BinOp::And, a, b) if holds => {
                self.refine(a, true, env) && self.refine(b, true, env)
            }
            ExprKind::Binary(BinOp::Or, a, b) if !holds => {
                self.refine(a, false, env) && self.refine(b, false, env)
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => self.compare(op, a, b, holds, env),
            _ => true,
        }
    }

    fn compare(&self, op: BinOp, a: ExprId, b: ExprId, holds: bool, env: &mut Env) -> bool {
        // `(condition) != 0`.
        for (side, other) in [(a, b), (b, a)] {
            if let ExprKind::Cast(inner) = *self.program.exprs.kind(side)
                && self.program.types.get(self.program.exprs.ty(inner)) == &Type::Bool
                && self.program.exprs.as_bits(other) == Some(0)
                && matches!(op, BinOp::Eq | BinOp::Ne)
            {
                return self.refine(inner, (op == BinOp::Ne) == holds, env);
            }
        }
        let (Some(x), Some(y)) = (self.eval(a, env), self.eval(b, env)) else { return true };
        let (below, strict) = match (op, holds) {
            (BinOp::Lt, true) => (Some((a, b)), true),
            (BinOp::Le, true) => (Some((a, b)), false),
            (BinOp::Lt, false) => (Some((b, a)), false),
            (BinOp::Le, false) => (Some((b, a)), true),
            _ => (None, false),
        };
        if let Some((small, large)) = below {
            let (s, l) = if small == a { (x, y) } else { (y, x) };
            let by = i128::from(strict);
            return self.narrow(small, Range::new(i128::MIN, l.high - by), env)
                && self.narrow(large, Range::new(s.low + by, i128::MAX), env);
        }
        if (op == BinOp::Eq) == holds {
            return self.narrow(a, y, env) && self.narrow(b, x, env);
        }
        // Different from a number at the end of the bounds.
        let without = |side: Range, other: Range| {
            let Range { mut low, mut high } = side;
            if other.low == other.high {
                low += i128::from(other.low == low);
                high -= i128::from(other.low == high);
            }
            Range { low, high }
        };
        self.narrow(a, without(x, y), env) && self.narrow(b, without(y, x), env)
    }

    /// An expression has these bounds.
    fn narrow(&self, e: ExprId, to: Range, env: &mut Env) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let now = self.eval(e, env);
        if let Some(now) = now
            && (to.high < now.low || now.high < to.low)
        {
            return false;
        }
        if let Some(v) = variable(self.program, e)
            && let Some(i) = self.number[v]
        {
            let old = env[i as usize];
            env[i as usize] = Range::new(old.low.max(to.low), old.high.min(to.high));
            return env[i as usize].low <= env[i as usize].high;
        }
        let ExprKind::Cast(inner) = *exprs.kind(e) else { return true };
        let (Some(from), Some(into)) = (types.as_int(exprs.ty(inner)), types.as_int(exprs.ty(e))) else {
            return true;
        };
        let (Some(inside), Some(source), Some(target)) =
            (self.eval(inner, env), Range::of(from), Range::of(into))
        else {
            return true;
        };
        if inside.within(target) {
            // The value is kept.
            return self.narrow(inner, to, env);
        }
        // A negative number becomes a large one.
        if from.signed && !into.signed && into.width >= from.width && to.high <= source.high {
            return self.narrow(inner, Range::new(to.low.max(0), to.high), env);
        }
        true
    }

    /// The bounds of each index, wherever it is used.
    fn collect(&self, indices: &FxHashSet<ExprId>, budget: &Budget) -> Result<Bounds, Stop> {
        let mut bounds = Bounds::default();
        let mut pace = Pace::new(budget);
        for edge in &self.program.edges {
            pace.step()?;
            let Some(env) = &self.at[edge.from] else { continue };
            let parts = edge.op.parts();
            let roots = parts.exprs.iter().map(|&e| Node::Expr(e));
            let places = parts.written.iter().map(|&p| Node::Place(p));
            for root in roots.chain(places) {
                self.look(root, env, indices, &mut bounds, &mut { MOST_PARTS });
            }
        }
        Ok(bounds)
    }

    fn look(
        &self,
        root: Node,
        env: &Env,
        indices: &FxHashSet<ExprId>,
        bounds: &mut Bounds,
        budget: &mut u32,
    ) {
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            *budget = budget.saturating_sub(1);
            match node {
                Node::Place(p) => parts_of_place(self.program, p, &mut todo),
                Node::Expr(e) => {
                    if indices.contains(&e) {
                        let here = if *budget == 0 { None } else { self.eval(e, env) };
                        let joined = bounds.index.entry(e).or_insert(here);
                        *joined = joined.zip(here).map(|(a, b)| a.union(b));
                    }
                    // What stands behind `&&` is read only if what stands before it holds.
                    if let ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) = *self.program.exprs.kind(e)
                        && *budget > 0
                    {
                        todo.push(Node::Expr(a));
                        let mut narrowed = env.clone();
                        if self.refine(a, op == BinOp::And, &mut narrowed) {
                            self.look(Node::Expr(b), &narrowed, indices, bounds, budget);
                        }
                        continue;
                    }
                    todo.extend(self.program.exprs.children(e).map(Node::Expr));
                    todo.extend(self.program.exprs.place_in(e).map(Node::Place));
                }
            }
        }
    }
}
