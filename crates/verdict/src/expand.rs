//! The source program with its calls expanded, for the checker alone.
//!
//! One copy of a procedure per string of calls, all in the entry procedure. Nothing is simplified, dropped or merged, and nothing is
//! shared with the passes that prepare a program for engines: what they got wrong is found here.
//!
//! Recursion has no end: a certificate names calls that it does not follow ([`Certificate::unfollowed`](crate::Certificate)). Such a call leads to the error,
//! where it is to be shown that no run makes it. Only where neither the callee nor what comes behind the call has a way to the error it leads nowhere
//! ([`Flow`]).

use crate::certificate::NeverTaken;
use crate::outcome::{Reason, Refusal};
use craig_base::Budget;
use craig_cfa::rewrite::{Map, Rewriter};
use craig_cfa::{
    CallString, CallStrings, Choice, Edge, EdgeId, Exprs, Graph, Loc, LocId, Op, PlaceId, ProcId,
};
use craig_cfa::{Program, Var, VarId};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

/// Edges that a program may have when its calls are expanded.
const LIMIT: usize = 2_000_000;

/// A program without calls.
#[derive(Debug)]
pub struct Expanded {
    pub program: Program,
    /// Each location of the source program under each string of calls.
    locs: FxHashMap<(LocId, CallString), LocId>,
    /// The edges that stand for calls which are not followed, and whether the callee has a way to the error.
    unfollowed: FxHashMap<EdgeId, bool>,
}

impl Expanded {
    /// The copy of a location of the source program under these calls, outermost first.
    pub fn find(&self, origin: LocId, calls: impl IntoIterator<Item = EdgeId>) -> Option<LocId> {
        let strings = &self.program.calls;
        let calls = calls.into_iter().try_fold(CallStrings::ROOT, |outer, edge| strings.find(outer, edge))?;
        self.locs.get(&(origin, calls)).copied()
    }

    /// The copies of assumptions of the source program under these calls, outermost first; `None` in place of those that there are not.
    pub fn assumptions(&self, sites: impl Iterator<Item = (EdgeId, Vec<EdgeId>)>) -> Vec<Option<EdgeId>> {
        let assumes = |(_, edge): &(EdgeId, &Edge)| matches!(edge.op, Op::Assume(_));
        let edges = self.program.edges.iter_enumerated().filter(assumes);
        let known: FxHashMap<(EdgeId, CallString), EdgeId> =
            edges.map(|(id, edge)| ((edge.origin, edge.calls), id)).collect();
        let strings = &self.program.calls;
        let find = |(origin, calls): (EdgeId, Vec<EdgeId>)| {
            let mut calls = calls.into_iter();
            let calls = calls.try_fold(CallStrings::ROOT, |outer, edge| strings.find(outer, edge))?;
            known.get(&(origin, calls)).copied()
        };
        sites.map(find).collect()
    }
}

/// `unfollowed`: calls that the result does not follow.
pub fn expand(source: &Program, unfollowed: &[NeverTaken], budget: &Budget) -> Result<Expanded, Reason> {
    let graph = source.graph();
    let string = |n: &NeverTaken| n.calls.iter().chain([&n.edge]).map(|&e| EdgeId::from_raw(e)).collect();
    let open: FxHashSet<Vec<EdgeId>> = unfollowed.iter().map(string).collect();
    let longest = open.iter().map(Vec::len).max().unwrap_or(0);
    let is_call = |e: &EdgeId| source.edges.get(*e).is_some_and(|edge| matches!(edge.op, Op::Call(_)));
    if let Some(edge) = open.iter().flatten().filter(|e| !is_call(e)).min() {
        return Err(Refusal::Edge { edge: edge.raw() }.into());
    }
    let mut out = source.clone();
    out.exprs = Exprs::default();
    out.edges.clear();
    out.locs = IndexVec::new();
    for proc in &mut out.procs {
        proc.locals.clear();
    }
    let mut expansion = Expansion {
        source,
        graph: &graph,
        rewriter: Rewriter::new(&source.exprs, &source.types),
        vars: Vars(source.vars.indices().collect()),
        out,
        locs: FxHashMap::default(),
        waiting: Vec::new(),
        open,
        longest,
        may_err: may_err(source),
        unfollowed: FxHashMap::default(),
    };
    expansion.out.error = expansion.loc(source.error, CallStrings::ROOT);
    let main = &source.procs[source.entry];
    let entry = expansion.loc(main.entry, CallStrings::ROOT);
    let exit = expansion.loc(main.exit, CallStrings::ROOT);
    for (id, proc) in expansion.out.procs.iter_mut_enumerated() {
        // The others have no code left.
        (proc.entry, proc.exit) = if id == source.entry { (entry, exit) } else { (exit, exit) };
    }
    expansion.waiting.push(Instance {
        proc: source.entry,
        calls: CallStrings::ROOT,
        entry,
        back: (exit, None),
        vars: Vec::new(),
    });
    while let Some(instance) = expansion.waiting.pop() {
        budget.check()?;
        expansion.instance(instance)?;
    }
    Ok(Expanded { program: expansion.out, locs: expansion.locs, unfollowed: expansion.unfollowed })
}

/// Does the procedure, or one that it calls, have an edge to the error?
fn may_err(source: &Program) -> IndexVec<ProcId, bool> {
    let mut may: IndexVec<ProcId, bool> = index_vec![false; source.procs.len()];
    let mut callers: IndexVec<ProcId, Vec<ProcId>> = index_vec![Vec::new(); source.procs.len()];
    let mut waiting = Vec::new();
    for edge in &source.edges {
        let proc = source.locs[edge.from].proc;
        if edge.to == source.error {
            waiting.push(proc);
        }
        if let Op::Call(call) = &edge.op {
            callers[call.proc].push(proc);
        }
    }
    while let Some(proc) = waiting.pop() {
        if !std::mem::replace(&mut may[proc], true) {
            waiting.extend(callers[proc].iter().copied());
        }
    }
    may
}

/// A copy of a procedure that is to be made.
struct Instance {
    proc: ProcId,
    calls: CallString,
    /// Where it begins, where control goes on behind it, and the place of its result.
    entry: LocId,
    back: (LocId, Option<PlaceId>),
    /// Its variables and their copies.
    vars: Vec<(VarId, VarId)>,
}

struct Vars(IndexVec<VarId, VarId>);

impl Map for Vars {
    fn var(&mut self, var: VarId) -> VarId {
        self.0[var]
    }
}

struct Expansion<'a> {
    source: &'a Program,
    graph: &'a Graph,
    rewriter: Rewriter<'a>,
    vars: Vars,
    out: Program,
    locs: FxHashMap<(LocId, CallString), LocId>,
    waiting: Vec<Instance>,
    /// Calls that are not to be followed.
    open: FxHashSet<Vec<EdgeId>>,
    /// Calls in the longest of these.
    longest: usize,
    may_err: IndexVec<ProcId, bool>,
    unfollowed: FxHashMap<EdgeId, bool>,
}

impl Expansion<'_> {
    fn loc(&mut self, origin: LocId, calls: CallString) -> LocId {
        let proc = self.source.entry;
        self.out.locs.push(Loc { proc, origin, calls, ..self.source.locs[origin].clone() })
    }

    /// Copies what the entry of the procedure reaches.
    fn instance(&mut self, instance: Instance) -> Result<(), Reason> {
        self.rewriter.next_round();
        for &(var, copy) in &instance.vars {
            self.vars.0[var] = copy;
        }
        let start = self.source.procs[instance.proc].entry;
        let mut copies: FxHashMap<LocId, LocId> = [(start, instance.entry)].into_iter().collect();
        let mut stack = vec![start];
        while let Some(loc) = stack.pop() {
            for &id in &self.graph.succ[loc] {
                let edge = &self.source.edges[id];
                let from = copies[&loc];
                let to = if edge.to == self.source.error {
                    self.out.error
                } else if edge.to == self.source.procs[instance.proc].exit {
                    instance.back.0
                } else {
                    match copies.get(&edge.to) {
                        Some(&copy) => copy,
                        None => {
                            let copy = self.loc(edge.to, instance.calls);
                            copies.insert(edge.to, copy);
                            stack.push(edge.to);
                            copy
                        }
                    }
                };
                self.edge(&instance, id, from, to)?;
            }
        }
        self.locs.extend(copies.into_iter().map(|(origin, copy)| ((origin, instance.calls), copy)));
        for (var, _) in instance.vars {
            self.vars.0[var] = var;
        }
        Ok(())
    }

    fn edge(&mut self, instance: &Instance, id: EdgeId, from: LocId, to: LocId) -> Result<(), Reason> {
        let edge = &self.source.edges[id];
        let base = Edge { from, to, calls: instance.calls, origin: id, ..edge.clone() };
        let op = match &edge.op {
            Op::Call(call) => return self.call(base, call),
            Op::Return(value) if instance.calls != CallStrings::ROOT => match (instance.back.1, value) {
                (None, _) => Op::Skip,
                (Some(place), None) => Op::Havoc(place, Choice::Uninit),
                (Some(place), Some(value)) => {
                    Op::Assign(place, self.rewriter.expr(*value, &mut self.out.exprs, &mut self.vars))
                }
            },
            op => self.rewriter.op(op, &mut self.out.exprs, &mut self.vars),
        };
        self.push(Edge { op, ..base })
    }

    fn push(&mut self, edge: Edge) -> Result<(), Reason> {
        if self.out.edges.len() >= LIMIT {
            return Err(Reason::InlineLimit { operations: LIMIT as u64, limit: LIMIT });
        }
        self.out.edges.push(edge);
        Ok(())
    }

    /// Hands over the arguments and goes into a new copy of the procedure.
    fn call(&mut self, base: Edge, call: &craig_cfa::Call) -> Result<(), Reason> {
        let callee = &self.source.procs[call.proc];
        let mut active = self.out.calls.path(base.calls);
        let recursive = |e: &EdgeId| matches!(&self.source.edges[*e].op, Op::Call(c) if c.proc == call.proc);
        let recursive = active.iter().any(recursive) || call.proc == self.source.entry;
        active.push(base.origin);
        if self.open.contains(&active) {
            let may_err = self.may_err[call.proc];
            self.unfollowed.insert(self.out.edges.next_idx(), may_err);
            return self.push(Edge { op: Op::Deeper(call.proc), ..base });
        }
        // Nothing says where this is to end.
        if recursive && active.len() >= self.longest {
            return Err(Reason::recursion(callee.name.clone()));
        }
        let calls = self.out.calls.push(base.calls, base.origin);
        let ret = call.ret.map(|place| self.rewriter.place(place, &mut self.out.exprs, &mut self.vars));
        let args: Vec<_> = call
            .args
            .iter()
            .map(|&arg| self.rewriter.expr(arg, &mut self.out.exprs, &mut self.vars))
            .collect();
        let mut vars = Vec::with_capacity(callee.locals.len());
        let mut copy_of: FxHashMap<VarId, VarId> = FxHashMap::default();
        for &var in &callee.locals {
            let entry = Some(self.source.entry);
            let copy =
                self.out.vars.push(Var { proc: entry, calls, origin: var, ..self.source.vars[var].clone() });
            self.out.procs[self.source.entry].locals.push(copy);
            vars.push((var, copy));
            copy_of.insert(var, copy);
        }
        let mut at = base.from;
        for (param, arg) in callee.params.iter().zip(args) {
            let place = self.out.var_place(copy_of[param]);
            let next = self.loc(callee.entry, calls);
            self.push(Edge { from: at, to: next, op: Op::Assign(place, arg), ..base.clone() })?;
            at = next;
        }
        let entry = self.loc(callee.entry, calls);
        self.push(Edge { from: at, to: entry, op: Op::Skip, ..base.clone() })?;
        self.waiting.push(Instance { proc: call.proc, calls, entry, back: (base.to, ret), vars });
        Ok(())
    }
}

/// The control flow that the checker walks over.
///
/// Edges that a certificate claims never to be taken lead to the error: there the claim is checked like everything else.
#[derive(Debug)]
pub struct Flow {
    pub succ: IndexVec<LocId, Vec<EdgeId>>,
    pub target: IndexVec<EdgeId, LocId>,
    /// Is there something to check behind it: the error, or an edge that is claimed never to be taken?
    pub matters: IndexVec<LocId, bool>,
    /// Does a path lead from it to the error over edges that may be taken?
    pub leads: IndexVec<LocId, bool>,
    /// Edges for calls that are not followed, if the error could be reached over them: no run takes these.
    pub unmade: Vec<EdgeId>,
}

impl Flow {
    /// `closed`: edges that surely no run takes.
    pub fn new(
        expanded: &Expanded,
        claimed: &IndexVec<EdgeId, bool>,
        closed: impl Fn(&Edge) -> bool,
    ) -> Flow {
        let program = &expanded.program;
        let never = &mut claimed.clone();
        let mut harmless = index_vec![false; program.edges.len()];
        if !expanded.unfollowed.is_empty() {
            // A call that is not followed: does anything behind it lead to the error, or to what is claimed never to be taken?
            let steps =
                program.edges.iter_enumerated().filter(|(_, edge)| !closed(edge)).map(|(id, edge)| {
                    let to_error = never[id] || expanded.unfollowed.get(&id) == Some(&true);
                    (edge.from, if to_error { program.error } else { edge.to })
                });
            let leads = leading_to(program, steps);
            for (&id, &may_err) in &expanded.unfollowed {
                never[id] = may_err || leads[program.edges[id].to];
                harmless[id] = !never[id];
            }
        }
        let closed = |id: EdgeId| harmless[id] || closed(&program.edges[id]);
        let edges = || program.edges.iter_enumerated().filter(|(id, _)| !closed(*id));
        let to = |id: EdgeId, to: LocId| if never[id] { program.error } else { to };
        let target: IndexVec<EdgeId, LocId> =
            program.edges.iter_enumerated().map(|(id, edge)| to(id, edge.to)).collect();
        let matters = leading_to(program, edges().map(|(id, edge)| (edge.from, target[id])));
        let taken = edges().filter(|(id, _)| !never[*id]);
        let leads = leading_to(program, taken.map(|(_, edge)| (edge.from, edge.to)));
        let mut succ = program.graph().succ;
        for edges in &mut succ {
            edges.retain(|id| !closed(*id));
        }
        let mut unmade: Vec<EdgeId> = expanded.unfollowed.keys().copied().filter(|id| never[*id]).collect();
        unmade.sort_unstable();
        Flow { succ, target, matters, leads, unmade }
    }

    /// Of a program in which everything is to be checked, since procedures are to do what is said of them.
    pub fn of_all(program: &Program) -> Flow {
        let all = index_vec![true; program.locs.len()];
        let target = program.edges.iter().map(|edge| edge.to).collect();
        let unmade = Vec::new();
        Flow { succ: program.graph().succ, target, matters: all.clone(), leads: all, unmade }
    }
}

/// Where a program is cut: at its entry, at given locations, and at as many more as it takes for every cycle.
#[derive(Debug)]
pub struct Cuts {
    pub is_cut: IndexVec<LocId, bool>,
    /// Position in an order in which every edge leads on, but for those into cuts.
    pub order: IndexVec<LocId, u32>,
}

impl Cuts {
    pub fn new(program: &Program, flow: &Flow, given: impl IntoIterator<Item = LocId>) -> Cuts {
        let mut is_cut = index_vec![false; program.locs.len()];
        let mut roots = vec![program.procs[program.entry].entry];
        roots.extend(given);
        for &root in &roots {
            is_cut[root] = true;
        }
        is_cut[program.error] = true;
        let mut open = index_vec![false; program.locs.len()];
        let mut done = index_vec![false; program.locs.len()];
        let mut finished: Vec<LocId> = Vec::new();
        let mut expanded = index_vec![false; program.locs.len()];
        while let Some(root) = roots.pop() {
            if std::mem::replace(&mut expanded[root], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((loc, next)) = stack.last_mut() {
                let loc = *loc;
                let Some(&edge) = flow.succ[loc].get(*next) else {
                    open[loc] = false;
                    done[loc] = true;
                    finished.push(loc);
                    stack.pop();
                    continue;
                };
                *next += 1;
                let to = flow.target[edge];
                if is_cut[to] || done[to] || !flow.matters[to] {
                    continue;
                }
                if open[to] {
                    // A cycle that nothing cuts yet.
                    is_cut[to] = true;
                    expanded[to] = true;
                    continue;
                }
                open[to] = true;
                stack.push((to, 0));
            }
        }
        let mut order = index_vec![0; program.locs.len()];
        for (position, loc) in finished.into_iter().rev().enumerate() {
            order[loc] = position as u32;
        }
        Cuts { is_cut, order }
    }
}

/// The locations from which a path of these steps leads to the error.
fn leading_to(program: &Program, steps: impl Iterator<Item = (LocId, LocId)>) -> IndexVec<LocId, bool> {
    let mut sources: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); program.locs.len()];
    for (from, to) in steps {
        sources[to].push(from);
    }
    let mut leads = index_vec![false; program.locs.len()];
    leads[program.error] = true;
    let mut stack = vec![program.error];
    while let Some(loc) = stack.pop() {
        for &from in &sources[loc] {
            if !std::mem::replace(&mut leads[from], true) {
                stack.push(from);
            }
        }
    }
    leads
}
