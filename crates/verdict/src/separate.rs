//! The source program with its procedures side by side, for the checker of proofs that speak of procedures one by one.
//!
//! Like [`crate::expand`] it makes a program of one procedure without calls, but with one copy of each procedure. Locations and variables keep their
//! numbers. A call hands its arguments to variables made for that, and from there control goes two ways: into the callee, whose parameters take
//! them over; and over an edge that stands for the whole activation, behind which the result of the callee is in another such variable. What that
//! edge does to the state is not said here: [`Separated::calls`] names it, and who walks over it knows the summary of the callee.
//!
//! # Memory
//! What is behind pointers exists once, or is allocated ([`crate::frames`]): variables that many activations have, and that pointers lead to, are memory that an
//! activation allocates. So what a call changes is all memory that its operations write, and the variables of callers that no pointer leads to stay as they are
//! ([`Separated::frame`]). What procedures with several activations allocate keeps its procedure: the layout takes it for many objects. What a program can tell of addresses is found while
//! the calls are still there ([`Separated::seen`]): behind the exit of a procedure nothing follows here.

use crate::frames::Framed;
use crate::outcome::Reason;
use craig_base::{Budget, Span};
use craig_cfa::{
    Call, Choice, Edge, EdgeId, LocId, Op, Output, PlaceId, ProcId, Program, Type, Var, VarId, VarKind,
};
use craig_encode::memory::Seen;
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

/// A program without calls.
#[derive(Debug)]
pub struct Separated {
    pub program: Program,
    /// Procedures that a chain of calls leads to from the entry.
    pub reached: IndexVec<ProcId, bool>,
    /// Procedures that one of these calls.
    pub called: IndexVec<ProcId, bool>,
    /// The edges that stand for a whole activation of a procedure.
    pub calls: FxHashMap<EdgeId, ProcId>,
    /// Where the argument for a parameter of a called procedure is handed over.
    pub arguments: FxHashMap<VarId, VarId>,
    /// Where the result of a procedure is.
    pub results: IndexVec<ProcId, Option<VarId>>,
    /// What it can tell of addresses.
    pub seen: Box<Seen>,
    /// The pointers to memory that stands for variables.
    pub pointers: FxHashMap<VarId, VarId>,
    /// To whose activations a variable belongs that no pointer leads to.
    frames: IndexVec<VarId, Option<ProcId>>,
    /// Where operations stand that no run comes to, so that the places they name have a part in the layout.
    aside: LocId,
}

impl Separated {
    pub fn new(source: &Program, budget: &Budget) -> Result<Separated, Reason> {
        let (reached, called) = reached(source);
        let framed = Framed::new(source, &reached, budget)?;
        let seen = Box::new(framed.seen(budget)?);
        let Framed { program: source, pointers, once, .. } = framed;
        let mut program = source.clone();
        let entry = program.entry;
        let frames = program.vars.iter().map(|var| var.proc.filter(|_| !var.address_taken)).collect();
        // All variables are those of the one procedure, all code is its code, but for what may run in several activations.
        for var in program.vars.iter_mut().filter(|var| var.proc.is_some()) {
            var.proc = Some(entry);
        }
        for loc in program.locs.iter_mut().filter(|loc| once[loc.proc]) {
            loc.proc = entry;
        }
        let exit = program.procs[entry].exit;
        for proc in &mut program.procs {
            (proc.entry, proc.exit) = (exit, exit);
        }
        let start = program.add_loc(entry, Span::default());
        let aside = program.add_loc(entry, Span::default());
        program.procs[entry].entry = start;
        program.add_edge(start, source.procs[entry].entry, Op::Skip, Span::default());
        let results = index_vec![None; source.procs.len()];
        let arguments = FxHashMap::default();
        let calls = FxHashMap::default();
        let mut separated =
            Separated { program, reached, called, calls, arguments, results, seen, pointers, frames, aside };
        separated.hand_over(&source);
        for id in source.edges.indices() {
            separated.edge(&source, id);
        }
        Ok(separated)
    }

    /// Where the program starts: it enters its first procedure from there.
    pub fn start(&self) -> LocId {
        self.program.procs[self.program.entry].entry
    }

    /// The procedure to whose activations a variable belongs, if no pointer leads there: calls leave it alone, and no other procedure speaks of it.
    pub fn frame(&self, var: VarId) -> Option<ProcId> {
        self.frames.get(var).copied().flatten()
    }

    /// The procedure of each location, if it has one: locations that were added lie between those of the source.
    pub fn owners(&self, source: &Program) -> IndexVec<LocId, Option<ProcId>> {
        let known = |loc: LocId| source.locs.get(loc).filter(|_| loc != source.error).map(|loc| loc.proc);
        let mut owner: IndexVec<LocId, Option<ProcId>> = self.program.locs.indices().map(known).collect();
        let mut open = true;
        while std::mem::take(&mut open) {
            for edge in &self.program.edges {
                if let (Some(proc), None) = (owner[edge.from], owner[edge.to])
                    && edge.to != source.error
                {
                    owner[edge.to] = Some(proc);
                    open = true;
                }
            }
        }
        owner
    }

    /// The layout knows this place, whether or not the program uses it.
    pub fn mention(&mut self, place: PlaceId) {
        let op = Op::Havoc(place, Choice::Uninit);
        self.program.add_edge(self.aside, self.aside, op, Span::default());
    }

    /// Makes variables for arguments and results. Globals: nothing that is said of them before a call holds behind it.
    fn hand_over(&mut self, source: &Program) {
        for (id, proc) in source.procs.iter_enumerated().filter(|(id, _)| self.reached[*id]) {
            if source.types.get(proc.ret) != &Type::Void {
                let name = format!("{}()", proc.name).into();
                let result = self.program.add_var(name, proc.ret, VarKind::Global, None, proc.span);
                self.results[id] = Some(result);
            }
            for &param in proc.params.iter().filter(|_| self.called[id]) {
                let Var { name, ty, span, .. } = &source.vars[param];
                let name = format!("{}({name})", proc.name).into();
                let argument = self.program.add_var(name, *ty, VarKind::Global, None, *span);
                self.arguments.insert(param, argument);
            }
        }
    }

    fn edge(&mut self, source: &Program, id: EdgeId) {
        let edge = &source.edges[id];
        let proc = source.locs[edge.from].proc;
        let op = match &edge.op {
            // Nobody comes there.
            _ if !self.reached[proc] => Op::Skip,
            Op::Call(call) => return self.call(source, id, call),
            Op::Return(value) => match (self.results[proc], value) {
                (Some(result), Some(value)) => Op::Assign(self.program.var_place(result), *value),
                (Some(result), None) => Op::Havoc(self.program.var_place(result), Choice::Uninit),
                (None, _) => Op::Skip,
            },
            // Text for the terminal changes nothing but the place of its result.
            Op::Output(output) if !looks_at_memory(source, output) => match output.ret {
                Some(place) => Op::Havoc(place, Choice::Uninit),
                None => Op::Skip,
            },
            op => op.clone(),
        };
        self.program.edges[id].op = op;
    }

    fn call(&mut self, source: &Program, id: EdgeId, call: &Call) {
        let Edge { to, span, .. } = source.edges[id];
        let callee = &source.procs[call.proc];
        let [ready, handed, back] = [(); 3].map(|()| self.program.add_loc(self.program.entry, span));
        self.program.edges[id].op = Op::Skip;
        self.program.edges[id].to = ready;
        let assign = |program: &mut Program, to: VarId, value| Op::Assign(program.var_place(to), value);
        let mut arguments = Vec::new();
        let mut parameters = Vec::new();
        for (&param, &value) in callee.params.iter().zip(&call.args) {
            let argument = self.arguments[&param];
            arguments.push(assign(&mut self.program, argument, value));
            let value = self.program.var_expr(argument);
            parameters.push(assign(&mut self.program, param, value));
        }
        self.chain(ready, arguments, handed, span);
        self.chain(handed, parameters, callee.entry, span);
        // To analyses of the program: anything may have happened.
        let over = self.program.add_edge(handed, back, Op::Unsupported("a call".into()), span);
        self.calls.insert(over, call.proc);
        let taken = call.ret.zip(self.results[call.proc]);
        let taken = taken.map(|(place, result)| Op::Assign(place, self.program.var_expr(result)));
        self.program.add_edge(back, to, taken.unwrap_or(Op::Skip), span);
    }

    /// Operations one after the other.
    fn chain(&mut self, mut from: LocId, ops: Vec<Op>, to: LocId, span: Span) {
        for op in ops {
            let next = self.program.add_loc(self.program.entry, span);
            self.program.add_edge(from, next, op, span);
            from = next;
        }
        self.program.add_edge(from, to, Op::Skip, span);
    }
}

/// Does it write text to memory, or tell where something lies?
fn looks_at_memory(source: &Program, output: &Output) -> bool {
    output.buffer().is_some() || output.args.iter().any(|arg| source.types.is_ptr(source.exprs.ty(*arg)))
}

/// The procedures that are reached by calls from the entry, and those that one of them calls.
fn reached(source: &Program) -> (IndexVec<ProcId, bool>, IndexVec<ProcId, bool>) {
    let mut callees: IndexVec<ProcId, Vec<ProcId>> = index_vec![Vec::new(); source.procs.len()];
    for edge in &source.edges {
        if let Op::Call(call) = &edge.op {
            callees[source.locs[edge.from].proc].push(call.proc);
        }
    }
    let mut reached = index_vec![false; source.procs.len()];
    let mut called = reached.clone();
    let mut open = vec![source.entry];
    reached[source.entry] = true;
    while let Some(proc) = open.pop() {
        for &callee in &callees[proc] {
            called[callee] = true;
            if !std::mem::replace(&mut reached[callee], true) {
                open.push(callee);
            }
        }
    }
    (reached, called)
}
