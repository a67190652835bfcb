//! Inlining of calls: of all that are not recursive, and of recursive ones as far as asked.
//!
//! The entry procedure, and every procedure that stays callable, is copied with the bodies of what it calls in place of the calls.
//! Locations, edges and variables of a copy carry the string of calls that leads to them. A call
//! `place = f(a, b)` becomes `x = a`, `y = b` for the parameters, the body, and `place = e` for each `return e`.
//!
//! Invariants: the number of operations of the result is known before anything is copied, so that a limit costs nothing; the copies
//! of variables are distinct per call string, so that arguments never name the parameters they are assigned to.
//!
//! The result of a call is stored when the call returns, into the place as it is then; the interpreter says the same.
//!
//! Not inlined: recursive procedures, unless an [`Unfolding`] is given. They stay procedures, with everything else inlined into them;
//! [`Inlined::kept`] says which.
//!
//! With an unfolding, a recursive call is either followed like all others or becomes an edge to the error with [`Op::Deeper`]: a proof then
//! has to show that no run makes it, and is a proof for every depth. Where the error is out of reach, inside the callee and behind the call,
//! nothing is to be shown, and the call is the end of the path. [`Unfolded::unfollowed`] has all calls that were not followed. Breadth first, so that a limit on
//! the size cuts all ways at about the same depth; from one unfolding to the next only those calls are followed that someone found to be
//! made ([`Unfolding::deeper`]): a tree of calls of which a run makes few would otherwise double with every level.
//!
//! Deviations from C: a local whose address escapes is one object per call string, not per execution, and what `alloca` made lives
//! until the procedure that it was inlined into returns. Both differ only in programs that use dead objects.

use super::Site;
use super::compact::compact;
use crate::expr::{ExprId, Exprs, PlaceId};
use crate::graph;
use crate::program::{
    Call, CallString, CallStrings, Choice, Edge, EdgeId, Graph, Loc, LocId, Op, ProcId, Program, Var, VarId,
    VarKind,
};
use crate::rewrite::{Map, Rewriter};
use craig_base::{Budget, Stop};
use index_vec::{IndexVec, index_vec};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;

/// The limit that the command line starts with.
pub const DEFAULT_LIMIT: usize = 200_000;

/// How far recursive calls are followed. A call is named by the calls that lead to it and itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfolding {
    /// These are followed.
    followed: BTreeSet<Vec<EdgeId>>,
    /// What begins with one of these, too, for so many operations more.
    below: BTreeSet<Vec<EdgeId>>,
    deep: u64,
    /// Everything else for so many.
    wide: u64,
}

/// Operations that the first unfolding follows recursive calls for.
const FIRST_SIZE: u64 = 150;

impl Unfolding {
    /// Everything, as far as the size allows.
    pub fn first() -> Unfolding {
        Unfolding { followed: BTreeSet::new(), below: BTreeSet::new(), deep: 0, wide: FIRST_SIZE }
    }

    /// The next after one that came to something: about twice as large, for one half below calls that runs make, and for the other everywhere. Runs may
    /// make other calls once those return that were not followed; to follow only what is made would meet a tree of calls one by one.
    /// None if the limit leaves no room.
    pub fn deeper(inlined: &Unfolded, made: &BTreeSet<Vec<EdgeId>>, limit: usize) -> Option<Unfolding> {
        let open: BTreeSet<Vec<EdgeId>> = inlined.unfollowed.iter().map(Site::string).collect();
        let below: BTreeSet<Vec<EdgeId>> = open.iter().filter(|call| made.contains(*call)).cloned().collect();
        let room = inlined.ops.max(FIRST_SIZE).min((limit as u64).saturating_sub(inlined.ops));
        let (deep, wide) = match below.len() {
            0 => (0, room),
            n if n == open.len() => (room, 0),
            _ => (room / 2, room / 2),
        };
        let enough = !open.is_empty() && room > inlined.ops / 8;
        enough.then(|| Unfolding { followed: inlined.followed.clone(), below, deep, wide })
    }
}

/// What became of recursion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unfolded {
    /// Recursive calls that were followed.
    pub followed: BTreeSet<Vec<EdgeId>>,
    /// Recursive calls that were not.
    pub unfollowed: Vec<Site<EdgeId>>,
    /// Operations, as limits count them.
    pub ops: u64,
}

#[derive(Debug, Clone)]
pub struct Inlined {
    pub program: Program,
    /// The procedures that are still called, reachable from the entry.
    pub kept: Vec<ProcId>,
    pub unfolded: Unfolded,
}

/// The result would have more operations than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Saturates.
    pub ops: u64,
    pub limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} operations after inlining, the limit is {}", self.ops, self.limit)
    }
}

impl std::error::Error for TooLarge {}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotInlined {
    TooLarge(TooLarge),
    Stopped(Stop),
}

impl From<Stop> for NotInlined {
    fn from(stop: Stop) -> Self {
        NotInlined::Stopped(stop)
    }
}

/// `unfolding`: how far recursive calls are followed; they are kept without.
pub fn inline(
    program: &Program,
    unfolding: Option<&Unfolding>,
    limit: usize,
    budget: &Budget,
) -> Result<Inlined, NotInlined> {
    let flow = program.graph();
    let calls = graph::call_graph(program);
    let sizes = sizes(program, &calls);
    let called = |p: ProcId| calls.reachable[p] && !calls.callers[p].is_empty();
    let kept: IndexVec<ProcId, bool> =
        calls.recursive.iter().map(|recursive| *recursive && unfolding.is_none()).collect();
    let kept_called: Vec<ProcId> =
        kept.iter_enumerated().filter(|(p, kept)| **kept && called(*p)).map(|(p, _)| p).collect();
    let mut roots = kept_called.clone();
    if !roots.contains(&program.entry) {
        roots.insert(0, program.entry);
    }

    let ops = roots.iter().fold(0u64, |sum, &p| sum.saturating_add(sizes[p]));
    if ops > limit as u64 {
        return Err(NotInlined::TooLarge(TooLarge { ops, limit }));
    }

    let mut copier = Copier::new(program, &flow, &kept);
    let mut unfolded = Unfolded { ops, ..Unfolded::default() };
    if let Some(unfolding) = unfolding {
        let recursive = &calls.recursive;
        // Each procedure is entered once, whatever its size.
        let Unfolding { deep, mut wide, .. } = *unfolding;
        if unfolding.followed.is_empty() {
            let recursive = |p: &ProcId| calls.recursive[*p] && calls.reachable[*p];
            let once = program.procs.indices().filter(recursive).map(|p| sizes[p]);
            wide = wide.saturating_add(once.fold(0, u64::saturating_add)).min(limit as u64 - ops);
        }
        let cut = Vec::new();
        copier.recursion = Some(Recursion { unfolding, recursive, sizes: &sizes, ops, deep, wide, cut });
    }
    for &root in &roots {
        copier.root(root, budget)?;
    }
    if let Some(recursion) = copier.recursion.take() {
        unfolded.ops = recursion.ops;
        unfolded.followed = copier.followed;
        let may_err = may_err(program, &calls);
        unfolded.unfollowed = leave_off(&mut copier.out, &recursion.cut, &may_err);
    }
    Ok(Inlined { program: compact(copier.out, budget)?, kept: kept_called, unfolded })
}

/// Does the procedure, or one that it calls, have an edge to the error?
fn may_err(program: &Program, calls: &graph::CallGraph) -> IndexVec<ProcId, bool> {
    let mut may: IndexVec<ProcId, bool> = index_vec![false; program.procs.len()];
    let to_error = program.edges.iter().filter(|edge| edge.to == program.error);
    let mut open: Vec<ProcId> = to_error.map(|edge| program.locs[edge.from].proc).collect();
    while let Some(proc) = open.pop() {
        if !std::mem::replace(&mut may[proc], true) {
            open.extend(calls.callers[proc].iter().map(|id| program.locs[program.edges[*id].from].proc));
        }
    }
    may
}

/// Calls that are not followed lead to the error; those from which it is out of reach lead nowhere. Returns all of them.
fn leave_off(
    out: &mut Program,
    cut: &[(EdgeId, ProcId)],
    may_err: &IndexVec<ProcId, bool>,
) -> Vec<Site<EdgeId>> {
    let mut sources: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); out.locs.len()];
    for edge in &out.edges {
        sources[edge.to].push(edge.from);
        if matches!(&edge.op, Op::Call(call) if may_err[call.proc]) {
            sources[out.error].push(edge.from);
        }
    }
    for (id, _) in cut.iter().filter(|(_, callee)| may_err[*callee]) {
        sources[out.error].push(out.edges[*id].from);
    }
    let mut leads = index_vec![false; out.locs.len()];
    leads[out.error] = true;
    let mut open = vec![out.error];
    while let Some(loc) = open.pop() {
        for &from in &sources[loc] {
            if !std::mem::replace(&mut leads[from], true) {
                open.push(from);
            }
        }
    }
    let mut gone = index_vec![false; out.edges.len()];
    let mut sites = Vec::with_capacity(cut.len());
    for &(id, callee) in cut {
        sites.push(Site::of_edge(out, &out.edges[id]));
        if may_err[callee] || leads[out.edges[id].to] {
            out.edges[id].to = out.error;
            out.edges[id].op = Op::Deeper(callee);
        } else {
            gone[id] = true;
        }
    }
    let edges = std::mem::take(&mut out.edges);
    out.edges = edges.into_iter_enumerated().filter(|(id, _)| !gone[*id]).map(|(_, edge)| edge).collect();
    sites
}

/// Operations of each procedure after inlining into it.
fn sizes(program: &Program, calls: &graph::CallGraph) -> IndexVec<ProcId, u64> {
    let mut sizes: IndexVec<ProcId, u64> = index_vec![0; program.procs.len()];
    for edge in &program.edges {
        sizes[program.locs[edge.from].proc] += 1;
    }
    for &p in &calls.bottom_up {
        for &id in &calls.calls[p] {
            if let Op::Call(call) = &program.edges[id].op
                && !calls.recursive[call.proc]
            {
                let entering = call.args.len().max(1) as u64;
                sizes[p] = sizes[p].saturating_add(sizes[call.proc]).saturating_add(entering - 1);
            }
        }
    }
    sizes
}

/// One copy of a body that is still to be made.
struct Pending {
    proc: ProcId,
    /// Where control goes on, and where the result goes, both in the result. `None` for a procedure that stays one.
    ret: Option<(LocId, Option<PlaceId>)>,
    calls: CallString,
    /// Its entry in the result.
    entry: LocId,
    vars: Vec<(VarId, VarId)>,
    /// Is it below a call that runs make?
    free: bool,
}

/// What is known of recursion while it is unfolded.
struct Recursion<'a> {
    unfolding: &'a Unfolding,
    recursive: &'a IndexVec<ProcId, bool>,
    sizes: &'a IndexVec<ProcId, u64>,
    ops: u64,
    /// Operations that are left for following calls.
    deep: u64,
    wide: u64,
    /// Edges of the result that stand for calls which are not followed, and what these call.
    cut: Vec<(EdgeId, ProcId)>,
}

struct Copier<'a> {
    program: &'a Program,
    flow: &'a Graph,
    kept: &'a IndexVec<ProcId, bool>,
    recursion: Option<Recursion<'a>>,
    followed: BTreeSet<Vec<EdgeId>>,
    out: Program,
    locs_of: IndexVec<ProcId, Vec<LocId>>,
    rewriter: Rewriter<'a>,
    vars: VarMap,
    /// Of the copy being made.
    loc_map: IndexVec<LocId, LocId>,
    pending: VecDeque<Pending>,
}

struct VarMap(IndexVec<VarId, VarId>);

impl Map for VarMap {
    fn var(&mut self, var: VarId) -> VarId {
        self.0[var]
    }
}

impl<'a> Copier<'a> {
    fn new(program: &'a Program, flow: &'a Graph, kept: &'a IndexVec<ProcId, bool>) -> Self {
        let mut out = program.clone();
        out.exprs = Exprs::default();
        out.edges.clear();
        // Procedures without code keep their entry and exit; copies come behind.
        let mut locs_of = index_vec![Vec::new(); program.procs.len()];
        for (id, loc) in program.locs.iter_enumerated() {
            if id != program.error {
                locs_of[loc.proc].push(id);
            }
        }
        for proc in &mut out.procs {
            proc.locals.clear();
        }
        Copier {
            program,
            flow,
            kept,
            recursion: None,
            followed: BTreeSet::new(),
            out,
            locs_of,
            rewriter: Rewriter::new(&program.exprs, &program.types),
            vars: VarMap(program.vars.indices().collect()),
            loc_map: program.locs.indices().collect(),
            pending: VecDeque::new(),
        }
    }

    /// Copies a procedure that stays one, with all that is inlined into it.
    fn root(&mut self, proc: ProcId, budget: &Budget) -> Result<(), Stop> {
        let entry = self.program.procs[proc].entry;
        self.out.procs[proc].locals = self.program.procs[proc].locals.clone();
        let (calls, free) = (CallStrings::ROOT, false);
        self.pending.push_back(Pending { proc, ret: None, calls, entry, vars: Vec::new(), free });
        while let Some(copy) = self.next() {
            budget.check()?;
            self.copy(proc, copy);
        }
        Ok(())
    }

    /// Breadth first where recursion is unfolded.
    fn next(&mut self) -> Option<Pending> {
        if self.recursion.is_some() { self.pending.pop_front() } else { self.pending.pop_back() }
    }

    fn copy(&mut self, root: ProcId, copy: Pending) {
        let source = &self.program.procs[copy.proc];
        self.rewriter.next_round();
        for &(from, to) in &copy.vars {
            self.vars.0[from] = to;
        }
        for i in 0..self.locs_of[copy.proc].len() {
            let loc = self.locs_of[copy.proc][i];
            self.loc_map[loc] = if loc == source.entry {
                copy.entry
            } else if copy.ret.is_none() {
                loc
            } else {
                let old = &self.program.locs[loc];
                let calls = self.graft(copy.calls, old.calls);
                self.out.locs.push(Loc { proc: root, calls, ..old.clone() })
            };
        }
        for i in 0..self.locs_of[copy.proc].len() {
            let loc = self.locs_of[copy.proc][i];
            for &id in &self.flow.succ[loc] {
                self.edge(root, &copy, id);
            }
        }
        if copy.ret.is_some() {
            // Back to the variables of procedures that stay, which are their own copies.
            for (from, _) in copy.vars {
                self.vars.0[from] = from;
            }
        }
    }

    fn edge(&mut self, root: ProcId, copy: &Pending, id: EdgeId) {
        let edge = &self.program.edges[id];
        let (from, to) = (self.loc_map[edge.from], self.loc_map[edge.to]);
        let calls = self.graft(copy.calls, edge.calls);
        let base = Edge { from, to, op: Op::Skip, span: edge.span, origin: edge.origin, calls };
        match (&edge.op, copy.ret) {
            (Op::Call(call), _) if !self.kept[call.proc] => match self.follow(copy, &base, call) {
                Some(free) => self.call(root, base, call, free),
                None => {
                    let stands_for = self.out.edges.push(base);
                    self.recursion.iter_mut().for_each(|r| r.cut.push((stands_for, call.proc)));
                }
            },
            (Op::Return(value), Some((to, place))) => {
                let op = match (place, value) {
                    (None, _) => Op::Skip,
                    (Some(place), Some(e)) => Op::Assign(place, self.expr(*e)),
                    (Some(place), None) => Op::Havoc(place, Choice::Uninit),
                };
                self.out.edges.push(Edge { to, op, ..base });
            }
            (op, _) => {
                let op = self.rewriter.op(op, &mut self.out.exprs, &mut self.vars);
                self.out.edges.push(Edge { op, ..base });
            }
        }
    }

    /// Is this call followed, and is it, or is it below, one that runs make?
    fn follow(&mut self, copy: &Pending, base: &Edge, call: &Call) -> Option<bool> {
        let Some(recursion) = &mut self.recursion else { return Some(false) };
        if !recursion.recursive[call.proc] {
            return Some(copy.free);
        }
        let mut string = self.out.calls.path(base.calls);
        string.push(base.origin);
        let Unfolding { followed, below, .. } = recursion.unfolding;
        let more = recursion.sizes[call.proc].saturating_add(call.args.len() as u64);
        let free = copy.free || below.contains(&string);
        if !followed.contains(&string) {
            let left = if free { &mut recursion.deep } else { &mut recursion.wide };
            *left = left.checked_sub(more)?;
        }
        recursion.ops = recursion.ops.saturating_add(more);
        self.followed.insert(string);
        Some(free)
    }

    /// Leads control from a call into a new copy of the callee.
    fn call(&mut self, root: ProcId, base: Edge, call: &Call, free: bool) {
        let callee = &self.program.procs[call.proc];
        let calls = self.out.calls.push(base.calls, base.origin);
        let old = &self.program.locs[callee.entry];
        let entry_calls = self.graft(calls, old.calls);
        let entry = self.out.locs.push(Loc { proc: root, calls: entry_calls, ..old.clone() });
        let vars: Vec<(VarId, VarId)> = callee
            .locals
            .iter()
            .map(|&v| {
                let var = &self.program.vars[v];
                let kind = if var.kind == VarKind::Param { VarKind::Local } else { var.kind };
                let calls = self.graft(calls, var.calls);
                let new = self.out.vars.push(Var { kind, proc: Some(root), calls, ..var.clone() });
                self.out.procs[root].locals.push(new);
                (v, new)
            })
            .collect();

        let mut entering = Vec::new();
        let ret = call.ret.map(|place| self.rewriter.place(place, &mut self.out.exprs, &mut self.vars));
        for (&param, &arg) in callee.params.iter().zip(&call.args) {
            let value = self.expr(arg);
            // Parameters come first among the locals, mostly.
            let copy = vars.iter().find(|(v, _)| *v == param).map_or(param, |(_, new)| *new);
            let place = self.out.var_place(copy);
            entering.push(Op::Assign(place, value));
        }
        if entering.is_empty() {
            entering.push(Op::Skip);
        }
        let mut from = base.from;
        let last = entering.len() - 1;
        for (i, op) in entering.into_iter().enumerate() {
            let to = if i == last { entry } else { self.between(base.from) };
            self.out.edges.push(Edge { from, to, op, ..base.clone() });
            from = to;
        }
        self.pending.push_back(Pending {
            proc: call.proc,
            ret: Some((base.to, ret)),
            calls,
            entry,
            vars,
            free,
        });
    }

    /// A location on the way from the caller into the callee; it still belongs to the place of the call.
    fn between(&mut self, from: LocId) -> LocId {
        let loc = Loc { label: None, ..self.out.locs[from].clone() };
        self.out.locs.push(loc)
    }

    fn expr(&mut self, e: ExprId) -> ExprId {
        self.rewriter.expr(e, &mut self.out.exprs, &mut self.vars)
    }

    /// A call string of the old program behind one of the new.
    fn graft(&mut self, outer: CallString, inner: CallString) -> CallString {
        if inner == CallStrings::ROOT {
            return outer;
        }
        let path = self.program.calls.path(inner);
        path.into_iter().fold(outer, |calls, edge| self.out.calls.push(calls, edge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinOp;
    use crate::testing::Build;
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    /// `main` calls `add` twice, which calls `add1`.
    fn nested() -> Program {
        let mut b = Build::new();
        let add1 = b.proc("add1");
        let y = b.param("y");
        let (entry, sum) = (b.entry(), b.cmp(BinOp::Add, y, 1));
        b.ret(entry, sum);
        let add = b.proc("add");
        let (x, r) = (b.param("x"), b.local("r"));
        let (entry, l, xv) = (b.entry(), b.loc(), b.get(x));
        b.call(entry, l, add1, vec![xv], Some(r));
        let rv = b.get(r);
        b.ret(l, rv);
        b.proc = b.program.entry;
        let z = b.local("z");
        let (entry, l1, l2) = (b.entry(), b.loc(), b.loc());
        let (one, zv) = (b.num(1), b.get(z));
        b.call(entry, l1, add, vec![one], Some(z));
        b.call(l1, l2, add, vec![zv], None);
        let error = b.error();
        let bad = b.cmp(BinOp::Eq, z, 3);
        b.assume(l2, error, bad);
        b.ret_num(l2, 0);
        b.program
    }

    #[test]
    fn bodies_take_the_place_of_calls() {
        let program = nested();
        let inlined = inline(&program, None, DEFAULT_LIMIT, &Budget::unlimited()).expect("small");
        debug_verify(&inlined.program, "inline");
        assert!(inlined.kept.is_empty());
        assert_snapshot!(inlined.program, @r"
        proc main() -> i32    // entry L1, exit L2
          local z: i32
          local x: i32
          local r: i32
          local x@2: i32
          local r@2: i32
          local y: i32
          local y@2: i32
          L1 -> L9: x = 1
          L7 -> L10: x@2 = z
          L8 -> ERROR: [z == 3]
          L8 -> L2: return 0
          L9 -> L14: y@2 = x
          L10 -> L12: y = x@2
          L11 -> L8: skip
          L12 -> L11: r@2 = y + 1
          L13 -> L7: z = r
          L14 -> L13: r = y@2 + 1
        ");
        // Each copy knows the calls that lead to it.
        let result = &inlined.program;
        let y = program.vars.indices().next().expect("a variable");
        let strings: Vec<Vec<usize>> = result
            .vars
            .iter()
            .filter(|v| v.origin == y)
            .map(|v| result.calls.path(v.calls).iter().map(|e| e.index()).collect())
            .collect();
        assert_eq!(strings, [[4, 1], [3, 1]]);
    }

    #[test]
    fn the_limit_counts_before_copying() {
        let found = inline(&nested(), None, 5, &Budget::unlimited()).expect_err("too large");
        assert_eq!(found, NotInlined::TooLarge(TooLarge { ops: 10, limit: 5 }));
        // 2^80 copies are counted, not made.
        let mut b = Build::new();
        let mut last = b.proc("leaf");
        let entry = b.entry();
        b.ret_num(entry, 0);
        for i in 0..80 {
            let next = if i == 79 {
                b.proc = b.program.entry;
                b.proc
            } else {
                b.proc(&format!("f{i}"))
            };
            let (entry, l, m) = (b.entry(), b.loc(), b.loc());
            b.call(entry, l, last, vec![], None);
            b.call(l, m, last, vec![], None);
            b.ret_num(m, 0);
            last = next;
        }
        let found = inline(&b.program, None, DEFAULT_LIMIT, &Budget::unlimited()).expect_err("too large");
        assert_eq!(found, NotInlined::TooLarge(TooLarge { ops: u64::MAX, limit: DEFAULT_LIMIT }));
    }

    #[test]
    fn recursion_stays_calls() {
        let mut b = Build::new();
        let leaf = b.proc("leaf");
        let entry = b.entry();
        b.ret_num(entry, 1);
        let even = b.proc("even");
        let odd = b.proc("odd");
        for (from, to) in [(even, odd), (odd, even)] {
            b.proc = from;
            let (entry, l, m) = (b.entry(), b.loc(), b.loc());
            b.call(entry, l, to, vec![], None);
            b.call(l, m, leaf, vec![], None);
            b.ret_num(m, 0);
        }
        b.proc = b.program.entry;
        let (entry, l) = (b.entry(), b.loc());
        b.call(entry, l, even, vec![], None);
        b.ret_num(l, 0);
        let inlined = inline(&b.program, None, DEFAULT_LIMIT, &Budget::unlimited()).expect("small");
        debug_verify(&inlined.program, "inline");
        assert_eq!(inlined.kept, [even, odd]);
        assert_snapshot!(inlined.program, @r"
        proc main() -> i32    // entry L1, exit L2
          L1 -> L13: even()
          L13 -> L2: return 0

        proc even() -> i32    // entry L5, exit L6
          L5 -> L9: odd()
          L9 -> L14: skip
          L10 -> L6: return 0
          L14 -> L10: skip

        proc odd() -> i32    // entry L7, exit L8
          L7 -> L11: even()
          L11 -> L15: skip
          L12 -> L8: return 0
          L15 -> L12: skip
        ");
    }

    #[test]
    fn the_result_goes_to_the_place_as_it_is_after_the_call() {
        let mut b = Build::new();
        let i = b.global("i");
        let f = b.proc("f");
        let (entry, l) = (b.entry(), b.loc());
        b.set(entry, l, i, 5);
        b.ret_num(l, 1);
        b.proc = b.program.entry;
        let array = b.program.types.array(b.int, 10);
        let a = b.var_of("a", array);
        let (place, iv) = (b.place(a), b.get(i));
        let place = b.program.exprs.index(&b.program.types, place, iv);
        let (entry, l) = (b.entry(), b.loc());
        b.edge(entry, l, Op::Call(Box::new(Call { proc: f, args: vec![], ret: Some(place) })));
        b.ret_num(l, 0);
        let inlined = inline(&b.program, None, DEFAULT_LIMIT, &Budget::unlimited()).expect("small");
        debug_verify(&inlined.program, "inline");
        assert_snapshot!(inlined.program, @r"
        global i: i32

        proc main() -> i32    // entry L1, exit L2
          local a: i32[10]
          L1 -> L6: skip
          L5 -> L2: return 0
          L6 -> L7: i = 5
          L7 -> L5: a[i] = 1
        ");
    }
}
