//! The source program with its recursive calls as relations between the values before and after, for proofs that have contracts of recursive procedures and any other proof of what is
//! left.
//!
//! A call of a recursive procedure becomes: an edge to the error where what the callee needs does not hold; then any value for what the callee, or one that it calls, may change; then the
//! assumption of what the callee does. The program starts anew: a choice says which activation is looked at, that of the entry, or one of a recursive procedure with any parameters and any
//! globals that satisfy what it needs. Where such an activation returns, and what it does is not so, is another edge to the error. There is no recursion left, so passes, engines, checker and second
//! checker take it as any other program.
//!
//! If its error is not reached, that of the source program is not. By induction on the steps of a run: whenever a recursive procedure is entered, what it needs holds, and the steps of that
//! activation are those of some run of this program, which begins with its values there, up to calls; and whenever one returns, what it does holds. Contracts are expressions of
//! the program, the same where they are assumed and where they are shown: what is lost on the way from their text cannot make a wrong proof.
//!
//! Recursive procedures, with all that they call, may not have to do with pointers: what a call changes are then global variables by their names. Pointers elsewhere do no harm. Pointers to procedures count as
//! pointers where they are parameters, results or globals: what an arbitrary one leads to no analysis of storage would know.
//!
//! Locations, edges and variables keep their numbers; what is new comes behind them.

mod words;

use crate::certificate::{Moment, Procedures};
use crate::outcome::{Reason, Refusal};
use craig_base::Span;
use craig_cfa::expr::Node;
use craig_cfa::graph::{CallGraph, call_graph};
use craig_cfa::{
    Call, Choice, EdgeId, ExprId, ExprKind, LocId, Op, PlaceKind, ProcId, Program, Type, TypeId, Types,
    VarId, VarKind,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use words::{Moments, Words};

/// A program without recursion that stands for one with.
#[derive(Debug, Clone)]
pub struct Related {
    pub program: Program,
    /// Edges from this one on are not of the source program.
    pub first: EdgeId,
    /// Those of them that stand for what calls change, by the procedure.
    pub arbitrary: FxHashMap<EdgeId, ProcId>,
    /// Those where a run begins with an activation of a recursive procedure.
    pub begins: FxHashMap<EdgeId, ProcId>,
    /// Where an activation of a recursive procedure that a run begins with keeps the values of its parameters, and of globals that its contract speaks of, as they were when it was entered.
    pub entered: FxHashMap<(ProcId, VarId), VarId>,
}

/// The recursive procedures that calls from the entry lead to, each with the global variables that it, or one that it calls, reads or changes by their names. An error says why their
/// calls cannot be relations.
pub fn recursive(source: &Program) -> Result<BTreeMap<ProcId, BTreeSet<VarId>>, Reason> {
    Ok(Frames::new(source)?.touched)
}

/// The program with calls as these contracts say. A recursive procedure that they say nothing of needs nothing, and does anything to what it may change.
pub fn related(source: &Program, contracts: &Procedures) -> Result<Related, Reason> {
    let frames = Frames::new(source)?;
    let words = Words::new(source, contracts, &frames.recursive)?;
    let mut maker = Maker { source, frames, words, related: copy(source), own: FxHashMap::default() };
    maker.hand_over();
    for id in source.edges.indices() {
        if let Op::Call(call) = &source.edges[id].op
            && maker.frames.is_recursive(call.proc)
        {
            maker.call(id, call)?;
        }
    }
    maker.start()?;
    craig_cfa::verify::debug_verify(&maker.related.program, "relations");
    Ok(maker.related)
}

fn copy(source: &Program) -> Related {
    Related {
        program: source.clone(),
        first: source.edges.next_idx(),
        arbitrary: FxHashMap::default(),
        begins: FxHashMap::default(),
        entered: FxHashMap::default(),
    }
}

/// What recursive procedures may read and change of what belongs to no activation.
struct Frames {
    recursive: Vec<ProcId>,
    /// With all that they call: global variables that a name in them reads or changes, and those that one changes.
    touched: BTreeMap<ProcId, BTreeSet<VarId>>,
    changed: BTreeMap<ProcId, BTreeSet<VarId>>,
    /// Globals that are not always zero.
    written: BTreeSet<VarId>,
}

impl Frames {
    fn new(source: &Program) -> Result<Frames, Reason> {
        let calls = call_graph(source);
        let kept = |p: &ProcId| calls.recursive[*p] && calls.reachable[*p] && !calls.callers[*p].is_empty();
        let recursive: Vec<ProcId> = source.procs.indices().filter(kept).collect();
        let mut own: IndexVec<ProcId, (BTreeSet<VarId>, BTreeSet<VarId>)> =
            index_vec![Default::default(); source.procs.len()];
        let mut written = BTreeSet::new();
        for edge in &source.edges {
            let proc = source.locs[edge.from].proc;
            let parts = edge.op.parts();
            let nodes = parts.exprs.iter().map(|e| Node::Expr(*e));
            let roots = nodes.chain(parts.written.map(Node::Place)).collect();
            source.exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
                if let Node::Place(place) = node
                    && let PlaceKind::Var(var) = source.exprs.place(place).kind
                    && source.vars[var].proc.is_none()
                {
                    own[proc].0.insert(var);
                }
            });
            let root = parts.written.and_then(|place| source.exprs.root_var(place));
            if let Some(var) = root.filter(|var| source.vars[*var].proc.is_none()) {
                own[proc].1.insert(var);
                written.insert(var);
            }
        }
        written.extend(source.vars.indices().filter(|var| source.vars[*var].address_taken));
        let mut frames = Frames { recursive, touched: BTreeMap::new(), changed: BTreeMap::new(), written };
        for &proc in &frames.recursive {
            let within = closure(source, &calls, proc);
            for &inner in &within {
                no_pointers(source, inner)?;
            }
            let touched: BTreeSet<VarId> = within.iter().flat_map(|p| own[*p].0.iter().copied()).collect();
            let changed = within.iter().flat_map(|p| own[*p].1.iter().copied()).collect();
            let callee = &source.procs[proc];
            let handed = callee.params.iter().map(|param| source.vars[*param].ty);
            let held = touched.iter().map(|var| source.vars[*var].ty);
            if handed.chain(held).chain([callee.ret]).any(|ty| holds_pointers(&source.types, ty)) {
                return Err(unsupported("a pointer that a recursive call hands over", callee.span));
            }
            frames.touched.insert(proc, touched);
            frames.changed.insert(proc, changed);
        }
        Ok(frames)
    }

    fn is_recursive(&self, proc: ProcId) -> bool {
        self.recursive.binary_search(&proc).is_ok()
    }
}

/// The procedure and all that it calls.
fn closure(source: &Program, calls: &CallGraph, proc: ProcId) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    let mut open = vec![proc];
    while let Some(proc) = open.pop() {
        if found.insert(proc) {
            open.extend(calls.calls[proc].iter().filter_map(|id| match &source.edges[*id].op {
                Op::Call(call) => Some(call.proc),
                _ => None,
            }));
        }
    }
    found
}

fn unsupported(what: &str, span: Span) -> Reason {
    Reason::Unsupported { what: format!("{what} in a proof by contracts").into(), span }
}

/// Nothing that a procedure does itself may have to do with memory by its address.
fn no_pointers(source: &Program, proc: ProcId) -> Result<(), Reason> {
    let exprs = &source.exprs;
    for edge in source.edges.iter().filter(|edge| source.locs[edge.from].proc == proc) {
        let mut found = match &edge.op {
            Op::Alloc { .. } | Op::Realloc { .. } | Op::Free(_) => Some("allocated memory"),
            Op::MemSet { .. } | Op::MemCopy { .. } => Some("memory by its address"),
            Op::Call(call) if source.procs[call.proc].variadic => Some("variadic arguments"),
            Op::Output(output) if output.buffer().is_some() => Some("memory by its address"),
            _ => None,
        };
        let parts = edge.op.parts();
        // What is printed is not looked at.
        let printed = matches!(edge.op, Op::Output(_));
        let read = parts.exprs.iter().filter(|_| !printed).map(|e| Node::Expr(*e));
        let roots = read.chain(parts.written.map(Node::Place)).collect();
        exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
            let here = match node {
                Node::Expr(e) => match exprs.kind(e) {
                    ExprKind::AddrOf(_) => Some("the address of a variable"),
                    ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) | ExprKind::Valid(..) => {
                        Some("arithmetic on pointers")
                    }
                    _ => None,
                },
                Node::Place(place) => match exprs.place(place).kind {
                    PlaceKind::Deref(_) => Some("memory behind a pointer"),
                    _ => None,
                },
            };
            found = found.or(here);
        });
        if let Some(what) = found {
            return Err(unsupported(what, edge.span));
        }
    }
    Ok(())
}

fn holds_pointers(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Ptr(_) | Type::Func(_) => true,
        Type::Array { elem, .. } => holds_pointers(types, *elem),
        Type::Record(record) => types.records[*record].fields.iter().any(|f| holds_pointers(types, f.ty)),
        _ => false,
    }
}

/// The variables of one recursive procedure around its calls.
struct Own {
    /// Arguments, by parameter.
    arguments: BTreeMap<VarId, VarId>,
    result: Option<VarId>,
    /// Globals as they were when it was entered, as far as its contract speaks of that.
    before: BTreeMap<VarId, VarId>,
}

struct Maker<'a> {
    source: &'a Program,
    frames: Frames,
    words: Words<'a>,
    related: Related,
    /// Of each recursive procedure what calls hand over.
    own: FxHashMap<ProcId, Own>,
}

impl Maker<'_> {
    fn variable(&mut self, name: String, ty: TypeId, proc: Option<ProcId>) -> VarId {
        let kind = if proc.is_some() { VarKind::Temp } else { VarKind::Global };
        self.related.program.add_var(name.into(), ty, kind, proc, Span::default())
    }

    /// The variables around calls of a procedure: in all of the program, or in one procedure.
    fn own(&mut self, callee: ProcId, proc: Option<ProcId>) -> Own {
        let Maker { source, .. } = *self;
        let of = &source.procs[callee];
        // In an activation these are what parameters and globals were when it was entered.
        let name =
            |what: &str| if proc.is_some() { format!("old({what})") } else { format!("{}({what})", of.name) };
        let mut arguments = BTreeMap::new();
        for &param in &of.params {
            let var = self.variable(name(&source.vars[param].name), source.vars[param].ty, proc);
            arguments.insert(param, var);
        }
        let mut before = BTreeMap::new();
        let global = |var: &VarId| source.vars[*var].proc.is_none();
        for var in self.words.mentioned(callee, Some(Moment::Entry)).into_iter().filter(global) {
            let copy = self.variable(name(&source.vars[var].name), source.vars[var].ty, proc);
            before.insert(var, copy);
        }
        let returns = source.types.get(of.ret) != &Type::Void;
        let result = returns.then(|| self.variable(format!("{}()", of.name), of.ret, proc));
        Own { arguments, result, before }
    }

    fn hand_over(&mut self) {
        for proc in self.frames.recursive.clone() {
            let own = self.own(proc, None);
            self.own.insert(proc, own);
        }
    }

    fn loc(&mut self, at: At) -> LocId {
        self.related.program.add_loc(at.proc, at.span)
    }

    /// An operation behind a location; where it leads.
    fn then(&mut self, from: LocId, op: Op, at: At) -> LocId {
        let to = self.loc(at);
        self.related.program.add_edge(from, to, op, at.span);
        to
    }

    fn assign(&mut self, from: LocId, to: VarId, value: ExprId, at: At) -> LocId {
        let place = self.related.program.var_place(to);
        self.then(from, Op::Assign(place, value), at)
    }

    /// Any value.
    fn havoc(&mut self, from: LocId, var: VarId, at: At) -> LocId {
        let place = self.related.program.var_place(var);
        self.then(from, Op::Havoc(place, Choice::Uninit), at)
    }

    /// An error where one of these does not hold, then where all do.
    fn show(&mut self, mut from: LocId, all: Vec<ExprId>, at: At) -> LocId {
        for holds in all {
            let fails = self.related.program.exprs.not(holds);
            let error = self.related.program.error;
            self.related.program.add_edge(from, error, Op::Assume(fails), at.span);
            from = self.then(from, Op::Assume(holds), at);
        }
        from
    }

    fn assume(&mut self, from: LocId, all: Vec<ExprId>, at: At) -> LocId {
        all.into_iter().fold(from, |from, holds| self.then(from, Op::Assume(holds), at))
    }

    fn needs(&mut self, proc: ProcId, own: &Own) -> Result<Vec<ExprId>, Refusal> {
        let moments = Moments { arguments: &own.arguments, before: None, result: None };
        self.words.needs(&mut self.related.program, proc, &moments)
    }

    fn does(&mut self, proc: ProcId, own: &Own) -> Result<Vec<ExprId>, Refusal> {
        let moments = Moments { arguments: &own.arguments, before: Some(&own.before), result: own.result };
        self.words.does(&mut self.related.program, proc, &moments)
    }

    /// Globals are kept as they are.
    fn keep(&mut self, mut from: LocId, own: &Own, at: At) -> LocId {
        for (&global, &copy) in &own.before {
            let value = self.related.program.var_expr(global);
            from = self.assign(from, copy, value, at);
        }
        from
    }

    /// In place of a call of a recursive procedure stands its contract.
    fn call(&mut self, id: EdgeId, call: &Call) -> Result<(), Refusal> {
        let edge = &self.source.edges[id];
        let at = At { proc: self.source.locs[edge.from].proc, span: edge.span };
        let own = self.own.remove(&call.proc).expect("made for every recursive procedure");
        let mut last = self.loc(at);
        self.related.program.edges[id].op = Op::Skip;
        self.related.program.edges[id].to = last;
        for (param, &value) in self.source.procs[call.proc].params.iter().zip(&call.args) {
            last = self.assign(last, own.arguments[param], value, at);
        }
        let needs = self.needs(call.proc, &own)?;
        last = self.show(last, needs, at);
        last = self.keep(last, &own, at);
        for var in self.frames.changed[&call.proc].iter().copied().chain(own.result).collect::<Vec<VarId>>() {
            self.related.arbitrary.insert(self.related.program.edges.next_idx(), call.proc);
            last = self.havoc(last, var, at);
        }
        let does = self.does(call.proc, &own)?;
        last = self.assume(last, does, at);
        let program = &mut self.related.program;
        let taken =
            call.ret.zip(own.result).map(|(place, result)| Op::Assign(place, program.var_expr(result)));
        program.add_edge(last, edge.to, taken.unwrap_or(Op::Skip), at.span);
        self.own.insert(call.proc, own);
        Ok(())
    }

    /// Where runs begin: with the entry, or with any activation of a recursive procedure.
    fn start(&mut self) -> Result<(), Refusal> {
        let program = &mut self.related.program;
        let start = program.add_proc("start".into(), Types::VOID, Span::default());
        let at = At { proc: start, span: Span::default() };
        let (entry, exit) = (program.procs[start].entry, program.procs[start].exit);
        let number = program.types.int(32, true);
        let which = program.add_var("activation".into(), number, VarKind::Temp, Some(start), Span::default());
        let place = program.var_place(which);
        let chosen = self.then(entry, Op::Havoc(place, Choice::Way), at);
        let end = self.loc(at);
        self.related.program.add_edge(end, exit, Op::Return(None), at.span);
        let activations = std::iter::once(None).chain(self.frames.recursive.clone().into_iter().map(Some));
        for (n, activation) in activations.enumerate() {
            let Program { exprs, types, .. } = &mut self.related.program;
            let (which, n) = (exprs.read(place), exprs.int(types, n as i128, number));
            let this = exprs.binary(types, craig_cfa::BinOp::Eq, which, n);
            let edge = self.related.program.edges.next_idx();
            self.related.begins.extend(activation.map(|proc| (edge, proc)));
            let begun = self.then(chosen, Op::Assume(this), at);
            match activation {
                None => self.first(begun, end, at),
                Some(proc) => self.any(proc, begun, end, at)?,
            }
        }
        self.related.program.entry = start;
        Ok(())
    }

    /// The activation that runs of the source program begin with.
    fn first(&mut self, mut from: LocId, end: LocId, at: At) {
        let proc = self.source.entry;
        let mut args = Vec::new();
        for &param in &self.source.procs[proc].params {
            let Program { vars, .. } = &self.related.program;
            let (name, ty) = (vars[param].name.to_string(), vars[param].ty);
            let var = self.variable(name, ty, Some(at.proc));
            let place = self.related.program.var_place(var);
            from = self.then(from, Op::Havoc(place, Choice::Uninit), at);
            args.push(self.related.program.exprs.read(place));
        }
        let call = Op::Call(Box::new(Call { proc, args, ret: None }));
        self.related.program.add_edge(from, end, call, at.span);
    }

    /// Any activation of a recursive procedure.
    fn any(&mut self, proc: ProcId, mut from: LocId, end: LocId, at: At) -> Result<(), Refusal> {
        let at = At { span: self.source.procs[proc].span, ..at };
        let own = self.own(proc, Some(at.proc));
        let entered = own.arguments.iter().chain(&own.before).map(|(var, copy)| ((proc, *var), *copy));
        self.related.entered.extend(entered);
        let Frames { touched, written, .. } = &self.frames;
        let mut any: BTreeSet<VarId> = own.arguments.values().copied().collect();
        any.extend(touched[&proc].intersection(written));
        // A contract may relate globals that the procedure has nothing to do with.
        for var in self.words.mentioned(proc, None) {
            if self.source.vars[var].proc.is_none() && written.contains(&var) {
                if holds_pointers(&self.source.types, self.source.vars[var].ty) {
                    return Err(Refusal::Scope { symbol: self.source.vars[var].name.to_string(), line: 0 });
                }
                any.insert(var);
            }
        }
        for var in any {
            from = self.havoc(from, var, at);
        }
        let needs = self.needs(proc, &own)?;
        from = self.assume(from, needs, at);
        from = self.keep(from, &own, at);
        let program = &mut self.related.program;
        let args =
            self.source.procs[proc].params.iter().map(|p| program.var_expr(own.arguments[p])).collect();
        let ret = own.result.map(|result| program.var_place(result));
        from = self.then(from, Op::Call(Box::new(Call { proc, args, ret })), at);
        let does = self.does(proc, &own)?;
        from = self.show(from, does, at);
        self.related.program.add_edge(from, end, Op::Skip, at.span);
        Ok(())
    }
}

/// Where something new stands.
#[derive(Clone, Copy)]
struct At {
    proc: ProcId,
    span: Span,
}
