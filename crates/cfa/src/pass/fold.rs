//! Constant folding, and removal of edges that do nothing.
//!
//! 1. Reads of variables that have one value where they are read become constants; an assumption that none of the values of its variables makes true
//!    cuts its edge, and one that all make true becomes `skip` ([`crate::analysis::values`]).
//! 2. Expressions are rebuilt bottom-up; constants are folded where C defines the result, and algebraic identities applied that
//!    never drop an operand whose evaluation may be undefined.
//! 3. An assumption of `false` cuts its edge; one of `true` becomes `skip`.
//! 4. Code that the entry of its procedure does not reach is dropped, before and after: the way back claims nothing about code that
//!    others need not have. A `skip` edge is removed by merging its ends, if one of them is entered or left by nothing else.
//!
//! Invariants: labels, loop heads, entries and exits keep their locations; the value of no expression changes, in either
//! reading of signed overflow.
//!
//! The way back: an invariant that was found with values holds of the source program together with these facts, each at its
//! location; an edge whose assumption is false is never taken.

use super::compact::compact;
use super::{Back, Passed, Site};
use crate::analysis::values::State;
use crate::analysis::{Facts, Set, Values};
use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, Exprs, Node, PlaceId, PlaceKind, UnOp};
use crate::graph;
use crate::program::{Edge, EdgeId, LocId, Op, Program, VarId};
use crate::rewrite::{Map, Rewriter};
use crate::types::{IntTy, TypeId, Types};
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};

/// Folds with the values that variables have, or only what is constant as it stands. The values are those of this version of the program: after
/// passes that drop writes which matter to no assumption they are no facts about the source program, where these happen.
pub fn fold(program: &Program, with_values: bool, budget: &Budget) -> Result<Passed, Stop> {
    let mut program = program.clone();
    drop_unreached(&mut program, budget)?;
    let values = with_values.then(|| Values::new(&program, budget)).transpose()?;
    budget.check_memory()?;
    let mut pace = Pace::new(budget);
    let mut folder = Folder { used: index_vec![false; program.vars.len()], state: None };
    let mut exprs = Exprs::default();
    let mut rewriter = Rewriter::new(&program.exprs, &program.types);
    let (mut edges, mut never) = (IndexVec::new(), Vec::new());
    for edge in &program.edges {
        pace.step()?;
        let mut decided = None;
        if let Some(values) = &values {
            let Some(state) = values.at(edge.from) else { continue };
            rewriter.next_round();
            folder.state = Some(state);
            decided = folder.decide(&program, values, edge);
        }
        let op = match decided {
            None => rewriter.op(&edge.op, &mut exprs, &mut folder),
            Some(holds) => Op::Assume(exprs.bool(holds)),
        };
        let op = match op {
            Op::Assume(e) if exprs.as_bool(e) == Some(false) => {
                never.push(Site::of_edge(&program, edge));
                continue;
            }
            Op::Assume(e) if exprs.as_bool(e) == Some(true) => Op::Skip,
            op => op,
        };
        edges.push(Edge { op, ..edge.clone() });
    }
    let used = folder.used;
    let values = values.map(|values| Facts::new(&program, &values, used, budget)).transpose()?;
    let back = Back { values: values.unwrap_or_default(), never, ..Back::default() };
    let result = Program { edges, exprs, ..program };
    Ok(Passed { program: merge_skips(result, budget)?, back })
}

struct Folder<'a> {
    /// What is known where the operation stands.
    state: Option<&'a State>,
    /// What is known of it was made use of.
    used: IndexVec<VarId, bool>,
}

impl Folder<'_> {
    /// Whether an assumption holds, if values decide that. One that holds stays if its evaluation may be undefined.
    fn decide(&mut self, program: &Program, values: &Values, edge: &Edge) -> Option<bool> {
        let (Op::Assume(e), Some(state)) = (&edge.op, self.state) else { return None };
        let holds = match values.behind(program, edge) {
            None => false,
            Some(_) => {
                let surely = values.of(program, state, *e) == Some(Set::One(1));
                (surely && total(&program.exprs, &program.types, *e)).then_some(true)?
            }
        };
        for v in values.known_in(program, state, vec![Node::Expr(*e)]) {
            self.used[v] = true;
        }
        Some(holds)
    }
}

impl Map for Folder<'_> {
    fn build(&mut self, to: &mut Exprs, types: &Types, kind: ExprKind, ty: TypeId) -> ExprId {
        match kind {
            ExprKind::Read(p) => {
                if let PlaceKind::Var(v) = to.place(p).kind
                    && let Some(bits) = self.state.and_then(|state| state.get(v)?.one())
                {
                    self.used[v] = true;
                    return to.constant(Const::Bits(bits), ty);
                }
                to.intern(kind, ty)
            }
            ExprKind::AddrOf(p) => match to.place(p).kind {
                PlaceKind::Deref(e) if to.ty(e) == ty => e,
                _ => to.intern(kind, ty),
            },
            ExprKind::Leads(pointer, procs) => to.leads(pointer, procs),
            ExprKind::Valid(pointer, bytes) => to.valid(pointer, bytes),
            ExprKind::Unary(op, a) => unary(to, types, op, a),
            ExprKind::Binary(op, a, b) => binary(to, types, op, a, b),
            ExprKind::PtrAdd(p, n) => to.ptr_add(types, p, n),
            ExprKind::Cast(a) => cast(to, types, a, ty),
            ExprKind::Ite(c, a, b) => ite(to, types, c, a, b),
            ExprKind::Overflows(op, a, b) => to.overflows(types, op, a, b),
            _ => to.intern(kind, ty),
        }
    }

    fn build_place(&mut self, to: &mut Exprs, kind: PlaceKind, ty: TypeId) -> PlaceId {
        match kind {
            PlaceKind::Deref(e) => to.deref(e, ty),
            _ => to.intern_place(kind, ty),
        }
    }
}

fn unary(to: &mut Exprs, types: &Types, op: UnOp, a: ExprId) -> ExprId {
    if op == UnOp::Not
        && let ExprKind::Binary(order, x, y) = *to.kind(a)
        && types.as_word(to.ty(x)).is_some()
    {
        // A total order, unlike that of floats.
        match order {
            BinOp::Lt => return binary(to, types, BinOp::Le, y, x),
            BinOp::Le => return binary(to, types, BinOp::Lt, y, x),
            _ => {}
        }
    }
    match *to.kind(a) {
        ExprKind::Unary(UnOp::BitNot, inner) if op == UnOp::BitNot => inner,
        _ => to.unary(types, op, a),
    }
}

fn binary(to: &mut Exprs, types: &Types, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
    if let Some(simple) = identity(to, types, op, a, b) {
        return simple;
    }
    to.binary(types, op, a, b)
}

/// `x + 0`, `x * 1`, `x == x` and their like.
fn identity(to: &mut Exprs, types: &Types, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    if op.is_logic() {
        return (a == b && matches!(op, BinOp::And | BinOp::Or)).then_some(a);
    }
    let ty = to.ty(a);
    let int = types.as_word(ty)?;
    let (x, y) = (to.as_bits(a), to.as_bits(b));
    let ones = arith::mask(int.width);
    let zero = |to: &mut Exprs| to.constant(Const::Bits(0), ty);
    match (op, x, y) {
        (BinOp::Add | BinOp::BitOr | BinOp::BitXor, Some(0), _) => Some(b),
        (BinOp::Add | BinOp::Sub | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr, _, Some(0)) => {
            Some(a)
        }
        (BinOp::Mul, Some(1), _) if int.width > 1 => Some(b),
        (BinOp::Mul | BinOp::Div, _, Some(1)) if int.width > 1 => Some(a),
        (BinOp::BitAnd, Some(v), _) if v == ones => Some(b),
        (BinOp::BitAnd, _, Some(v)) if v == ones => Some(a),
        (BinOp::Mul | BinOp::BitAnd, Some(0), _) if total(to, types, b) => Some(a),
        (BinOp::Mul | BinOp::BitAnd, _, Some(0)) if total(to, types, a) => Some(b),
        (BinOp::BitAnd | BinOp::BitOr, ..) if a == b => Some(a),
        (BinOp::Sub | BinOp::BitXor, ..) if a == b && total(to, types, a) => Some(zero(to)),
        (BinOp::Eq | BinOp::Le, ..) if a == b && total(to, types, a) => Some(to.bool(true)),
        (BinOp::Ne | BinOp::Lt, ..) if a == b && total(to, types, a) => Some(to.bool(false)),
        (BinOp::Eq | BinOp::Ne, _, Some(v)) => {
            // A truth value that went through an integer.
            let ExprKind::Cast(c) = *to.kind(a) else { return None };
            if to.ty(c) != Types::BOOL || v > 1 || int.width == 1 && int.signed {
                return None;
            }
            let same = (v == 1) == (op == BinOp::Eq);
            Some(if same { c } else { unary(to, types, UnOp::Not, c) })
        }
        _ => None,
    }
}

/// Is the evaluation always defined? Only plain cases, not looked into deeply.
fn total(exprs: &Exprs, types: &Types, e: ExprId) -> bool {
    const LOOK: usize = 16;
    let mut stack = vec![e];
    for _ in 0..LOOK {
        let Some(e) = stack.pop() else { return true };
        let fine = match *exprs.kind(e) {
            ExprKind::Const(_) | ExprKind::ProcAddr(_) | ExprKind::Leads(..) | ExprKind::Valid(..) => true,
            ExprKind::Read(p) => plain_place(exprs, p),
            ExprKind::Unary(UnOp::Not | UnOp::BitNot, _) | ExprKind::Cast(_) | ExprKind::Ite(..) => {
                !types.is_float(exprs.ty(e))
            }
            ExprKind::Binary(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, ..) => true,
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => {
                types.as_int(exprs.ty(e)).is_some_and(|i| !i.signed)
            }
            ExprKind::Binary(op, ..) => op.is_comparison() || op.is_logic(),
            ExprKind::Overflows(..) => true,
            _ => false,
        };
        if !fine {
            return false;
        }
        stack.extend(exprs.children(e));
    }
    stack.is_empty()
}

/// A variable or a field of one.
fn plain_place(exprs: &Exprs, mut p: PlaceId) -> bool {
    loop {
        match exprs.place(p).kind {
            PlaceKind::Var(_) => return true,
            PlaceKind::Field(q, _) => p = q,
            _ => return false,
        }
    }
}

/// Of two conversions in a row only the last counts if the first kept enough bits.
fn cast(to: &mut Exprs, types: &Types, e: ExprId, ty: TypeId) -> ExprId {
    let (ExprKind::Cast(inner), Some(outer_int), Some(middle)) =
        (to.kind(e), types.as_int(ty), types.as_int(to.ty(e)))
    else {
        return to.cast(types, e, ty);
    };
    let inner = *inner;
    let keeps = |from: IntTy| {
        // Narrowing of what was kept whole, or widening of what was widened in the same way.
        outer_int.width <= middle.width
            || middle.width > from.width && (from.signed == middle.signed || !from.signed)
            || middle == from
    };
    let skip = match types.as_int(to.ty(inner)) {
        Some(from) => keeps(from),
        None => to.ty(inner) == Types::BOOL && (!middle.signed || middle.width > 1),
    };
    if skip { cast(to, types, inner, ty) } else { to.cast(types, e, ty) }
}

fn ite(to: &mut Exprs, types: &Types, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
    if a == b && !total(to, types, c) {
        let ty = to.ty(a);
        return to.intern(ExprKind::Ite(c, a, b), ty);
    }
    if let (Some(x), Some(y)) = (to.as_bool(a), to.as_bool(b))
        && x != y
    {
        return if x { c } else { unary(to, types, UnOp::Not, c) };
    }
    to.ite(c, a, b)
}

/// Drops code that the entry of its procedure does not reach.
fn drop_unreached(program: &mut Program, budget: &Budget) -> Result<graph::Order, Stop> {
    budget.check()?;
    let order = graph::order(program, &program.graph());
    budget.check()?;
    program.edges.retain(|edge| order.position[edge.from].is_some());
    Ok(order)
}

/// Merges the ends of `skip` edges, in code that the entry of its procedure reaches: elsewhere, a cycle could have no loop head that
/// stays.
fn merge_skips(mut program: Program, budget: &Budget) -> Result<Program, Stop> {
    let order = drop_unreached(&mut program, budget)?;
    let flow = program.graph();
    let mut keep = order.loop_head;
    keep[program.error] = true;
    for proc in &program.procs {
        keep[proc.entry] = true;
        keep[proc.exit] = true;
    }
    for (id, loc) in program.locs.iter_enumerated() {
        keep[id] |= loc.label.is_some();
    }
    // Chains of merges: a location leads to the one that stands for it, in the end one that stands for itself.
    let mut stands: IndexVec<LocId, LocId> = program.locs.indices().collect();
    let mut gone: IndexVec<EdgeId, bool> = index_vec![false; program.edges.len()];
    for (id, edge) in program.edges.iter_enumerated() {
        let (from, to) = (edge.from, edge.to);
        if edge.op != Op::Skip || from == to {
            continue;
        }
        if !keep[to] && flow.pred[to].len() == 1 && stands[to] == to {
            stands[to] = from;
            gone[id] = true;
        } else if !keep[from] && flow.succ[from].len() == 1 && stands[from] == from {
            stands[from] = to;
            gone[id] = true;
        }
    }
    let resolve = |stands: &mut IndexVec<LocId, LocId>, loc: LocId| {
        let mut root = loc;
        while stands[root] != root {
            root = stands[root];
        }
        let mut at = loc;
        while stands[at] != root {
            at = std::mem::replace(&mut stands[at], root);
        }
        root
    };
    budget.check()?;
    for edge in &mut program.edges {
        edge.from = resolve(&mut stands, edge.from);
        edge.to = resolve(&mut stands, edge.to);
    }
    let mut gone = gone.into_iter();
    program.edges.retain(|_| !gone.next().unwrap_or(false));
    compact(program, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    #[test]
    fn constant_globals_decide_branches() {
        let mut b = Build::new();
        let (debug, size, x) = (b.global("debug"), b.global("size"), b.global("x"));
        let l: Vec<LocId> = (0..6).map(|_| b.loc()).collect();
        let entry = b.entry();
        b.set(entry, l[0], size, 10);
        b.nondet(l[0], l[1], x);
        let off = b.cmp(BinOp::Ne, debug, 0);
        b.branch(l[1], off, l[2], l[3]);
        b.set(l[2], l[3], x, 7);
        let (sv, xv, one, zero) = (b.get(size), b.get(x), b.num(1), b.num(0));
        let same = b.bin(BinOp::Mul, xv, one);
        let same = b.bin(BinOp::Add, same, zero);
        let less = b.bin(BinOp::Lt, same, sv);
        let error = b.error();
        b.branch(l[3], less, l[4], error);
        b.edge(l[4], l[5], Op::Skip);
        b.ret_num(l[5], 0);
        let folded = fold(&b.program, true, &Budget::unlimited()).expect("no limit");
        debug_verify(&folded.program, "fold");
        // There is no cycle: nobody has to be told.
        assert!(folded.back.values.is_empty());
        assert_eq!(folded.back.never.len(), 1);
        assert_snapshot!(folded.program, @r"
        global size: i32
        global x: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> L3: size = 10
          L3 -> L4: x = nondet()
          L4 -> L5: [x < 10]
          L4 -> ERROR: [10 <= x]
          L5 -> L2: return 0
        ");
    }

    #[test]
    fn undefined_evaluation_is_not_dropped() {
        let mut b = Build::new();
        let x = b.global("x");
        let (xv, zero) = (b.get(x), b.num(0));
        let quotient = b.bin(BinOp::Div, xv, xv);
        let types = b.program.types.clone();
        let to = &mut b.program.exprs;
        assert_eq!(binary(to, &types, BinOp::Mul, xv, zero), zero);
        assert_ne!(binary(to, &types, BinOp::Mul, quotient, zero), zero);
        assert_eq!(binary(to, &types, BinOp::Sub, xv, xv), zero);
        assert_ne!(binary(to, &types, BinOp::Sub, quotient, quotient), zero);
    }

    #[test]
    fn conversions_in_a_row() {
        let mut b = Build::new();
        let mut types = b.program.types.clone();
        let widths = [(8, true), (8, false), (16, true), (16, false), (32, true), (32, false)];
        let all: Vec<TypeId> = widths.iter().map(|&(w, s)| types.int(w, s)).collect();
        let place = b.program.exprs.var(VarId::from_raw(0), all[0]);
        for &from in &all {
            for &middle in &all {
                for &last in &all {
                    let place = b.program.exprs.intern_place(PlaceKind::Field(place, 0), from);
                    let read = b.program.exprs.read(place);
                    let plain = b.program.exprs.cast(&types, read, middle);
                    let short = cast(&mut b.program.exprs, &types, plain, last);
                    // What the short form does to every kind of value.
                    let int = |t: TypeId| types.as_int(t).expect("an integer");
                    let direct = b.program.exprs.cast(&types, read, last);
                    for v in [0u128, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000] {
                        let v = arith::truncate(v, int(from));
                        let through = arith::convert(v, int(from), int(middle));
                        let through = arith::convert(through, int(middle), int(last));
                        if short == direct {
                            assert_eq!(through, arith::convert(v, int(from), int(last)));
                        }
                    }
                }
            }
        }
    }
}
