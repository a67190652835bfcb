//! The state of a run and its main loop.
//!
//! Frames are kept here, not on the stack of the process: the depth of recursion is limited by [`Config::depth`] only.

use super::chooser::{Chooser, Key};
use super::code::{Code, CodeStep, NodeKind};
use super::end::{At, Limit, R, Run, RunEnd, internal};
use super::memory::{Landing, Memory, ObjId, Owner, State};
use super::trace::{Points, Step, Target, Trace};
use super::value::Value;
use super::watch::{self, Here, Thing, Watch};
use super::{Config, Made, Outside, Overflow};
use crate::arith;
use crate::expr::PlaceId;
use crate::program::{Call, CallString, CallStrings, EdgeId, Op, ProcId, Program};
use crate::types::TypeId;
use rustc_hash::FxHashMap;
use std::io;
use std::ops::ControlFlow;

pub(super) struct Frame {
    pub proc: ProcId,
    /// Where its slots, mathematical values and objects begin.
    pub slots: usize,
    pub values: usize,
    objects: usize,
    /// The open calls, if somebody looks at the run and knows their string.
    pub calls: Option<CallString>,
    /// Step of the call; none for the entry.
    call: Option<u32>,
    ret: Option<PlaceId>,
}

pub(super) struct Machine<'p, 'c> {
    pub p: &'p Program,
    pub code: &'c Code<'p>,
    pub wrap: bool,
    pub config: &'c Config,
    pub chooser: &'c mut dyn Chooser,
    pub out: &'c mut dyn io::Write,
    pub mem: Memory,
    /// Scalars, and addresses of the variables in memory: globals, then frame after frame.
    pub slots: Vec<u128>,
    pub values: Vec<Value>,
    /// Start of the current frame in `slots` and `values`.
    pub base: usize,
    pub value_base: usize,
    /// Objects to die with the frames.
    pub objects: Vec<ObjId>,
    pub frames: Vec<Frame>,
    /// Executions of each source edge that chooses, visits of each source location that branches.
    pub executed: Vec<u64>,
    visited: FxHashMap<u32, u64>,
    /// Entries of arbitrary maps and values of functions that were chosen.
    pub chosen: FxHashMap<Key, Value>,
    /// What the procedure returns that is at its exit.
    pub result: Option<Value>,
    scratch: Vec<Value>,
    pub buffer: Vec<u8>,
    enabled: Vec<u32>,
    /// Step being executed.
    pub current: Option<u32>,
    pub node: u32,
    steps: u64,
    max_depth: usize,
    pub trace: Trace,
    pub tracing: bool,
    pub watch: Option<Watch<'c>>,
    /// Objects by their names, the latest of each; none if nobody looks.
    pub things: FxHashMap<Thing, ObjId>,
}

/// What a watcher wants.
fn on(seen: ControlFlow<()>) -> R<()> {
    match seen {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Box::new(RunEnd::Watched)),
    }
}

/// The budget is looked at once in so many steps.
const CHECK_EVERY: u64 = 1 << 12;
/// Calls told in [`Run::stack`].
const STACK_TOLD: usize = 1000;

impl<'p, 'c> Machine<'p, 'c> {
    pub fn new(
        p: &'p Program,
        code: &'c Code<'p>,
        config: &'c Config,
        chooser: &'c mut dyn Chooser,
        out: &'c mut dyn io::Write,
        watch: Option<Watch<'c>>,
    ) -> Self {
        Machine {
            p,
            code,
            wrap: config.overflow == Overflow::Wrap,
            config,
            chooser,
            out,
            mem: Memory::new(p.types.model, p.procs.len(), config.memory, config.places.rest),
            slots: vec![0; code.globals.slots as usize],
            values: code.globals.values.clone(),
            base: 0,
            value_base: 0,
            objects: Vec::new(),
            frames: Vec::new(),
            executed: vec![0; code.origins],
            visited: FxHashMap::default(),
            chosen: FxHashMap::default(),
            result: None,
            scratch: Vec::new(),
            buffer: Vec::new(),
            enabled: Vec::new(),
            current: None,
            node: 0,
            steps: 0,
            max_depth: 0,
            trace: Trace::new(config.trace),
            tracing: config.trace > 0,
            watch,
            things: FxHashMap::default(),
        }
    }

    pub fn run(mut self) -> Run {
        self.push_frame(self.p.entry, None, None);
        self.node = Code::node(self.p.procs[self.p.entry].entry);
        let Err(end) = self.make_outside().and_then(|()| self.go());
        let at = self.current.map(|s| {
            let step = &self.code.steps[s as usize];
            At { edge: step.edge, origin: step.origin, calls: step.calls, span: step.span }
        });
        let end = match self.out.flush() {
            Err(e) => RunEnd::Output(e.to_string()),
            Ok(()) => *end,
        };
        let skip = self.frames.len().saturating_sub(STACK_TOLD + 1);
        Run {
            end,
            at,
            steps: self.steps,
            depth: self.frames.len().saturating_sub(1),
            max_depth: self.max_depth,
            stack: self.open_calls().skip(skip).collect(),
            trace: self.trace,
        }
    }

    /// Makes what the environment gives.
    fn make_outside(&mut self) -> R<()> {
        for Outside { address, bytes } in &self.config.outside {
            let id = self.alloc(bytes.len() as u64, 1, Owner::Heap, Some(*address))?;
            if self.mem.object(id).start == *address {
                self.mem.data_mut(id).copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn go(&mut self) -> R<std::convert::Infallible> {
        loop {
            if self.watch.is_some() {
                self.show()?;
            }
            let nodes = &self.code.nodes;
            let node = nodes[self.node as usize];
            let end = nodes[self.node as usize + 1].first;
            let step = match node.kind {
                NodeKind::Plain if node.first == end => return Err(Box::new(RunEnd::Blocked)),
                NodeKind::Plain => node.first,
                NodeKind::Fork => self.fork(node.first)?,
                NodeKind::Many => self.pick(node.first, end)?,
                NodeKind::Exit => {
                    self.leave()?;
                    continue;
                }
                NodeKind::Error => return Err(Box::new(RunEnd::Error)),
            };
            if self.steps >= self.config.steps {
                return Err(Box::new(RunEnd::Limit(Limit::Steps)));
            }
            if self.steps.is_multiple_of(CHECK_EVERY) {
                self.config.budget.check().map_err(|s| Box::new(RunEnd::Stopped(s)))?;
            }
            self.steps += 1;
            self.current = Some(step);
            let code_step = self.code.steps[step as usize];
            if self.tracing {
                self.trace_step(&code_step);
            }
            match code_step.op {
                // A guard that was evaluated to pick the edge holds.
                Op::Assume(e) if node.kind == NodeKind::Plain => {
                    if self.eval64(*e)? == 0 {
                        return Err(Box::new(RunEnd::Blocked));
                    }
                    self.node = code_step.to;
                }
                Op::Assume(_) => self.node = code_step.to,
                Op::Call(call) => self.enter(call, step)?,
                Op::Return(value) => {
                    self.result = match value {
                        Some(e) => Some(self.eval_value(*e)?),
                        None => None,
                    };
                    self.node = code_step.to;
                }
                op => {
                    self.execute(op, code_step.origin)?;
                    self.node = code_step.to;
                }
            }
        }
    }

    /// Lets the watcher look.
    fn show(&mut self) -> R<()> {
        let Some(watch) = self.watch.take() else { return Ok(()) };
        let wanted = watch.locs.get(Here(self).loc()).copied().unwrap_or_default();
        let seen = if wanted { watch.watcher.arrive(&Here(self)) } else { ControlFlow::Continue(()) };
        self.watch = Some(watch);
        on(seen)
    }

    /// Where a value leads to if it is a pointer.
    pub(super) fn points(&self, ty: TypeId, value: &Value) -> Option<Points> {
        let Value::Bits(bits) = value else { return None };
        let address = u64::try_from(*bits).ok().filter(|address| *address != 0 && self.p.types.is_ptr(ty))?;
        match self.mem.landing(address) {
            Landing::Proc(proc) => Some(Points::To(proc)),
            Landing::Object(id) => {
                let object = self.mem.object(id);
                match object.owner {
                    Owner::Var(var) if object.state == State::Live => {
                        Some(Points::In(var, address - object.start))
                    }
                    _ => None,
                }
            }
            Landing::Between | Landing::Away => None,
        }
    }

    /// Tells the watcher of an access to a place in memory.
    pub fn touched(&mut self, place: PlaceId, address: u64) -> R<()> {
        let Some(watch) = self.watch.take() else { return Ok(()) };
        let seen = match Here(self).target(address) {
            watch::Target::In(thing, offset) => watch.watcher.touch(&Here(self), place, thing, offset),
            _ => ControlFlow::Continue(()),
        };
        self.watch = Some(watch);
        on(seen)
    }

    /// The edges of the open calls, outermost first.
    fn open_calls(&self) -> impl Iterator<Item = EdgeId> {
        self.frames.iter().filter_map(|f| f.call).map(|s| self.code.steps[s as usize].origin)
    }

    /// Where something that is made now is to lie, if that was said.
    pub fn wanted(&self, made: Made) -> Option<u64> {
        let places = &self.config.places.at;
        if places.is_empty() {
            return None;
        }
        let global = matches!(made, Made::Var(var) if self.p.vars[var].proc.is_none());
        let calls = self.open_calls().take(if global { 0 } else { usize::MAX }).collect();
        places.get(&(made, calls)).copied()
    }

    /// The name of what the current step makes in the running frame.
    pub fn name(&mut self, id: ObjId, thing: impl FnOnce(CallString) -> Thing) {
        if self.watch.is_none() {
            return;
        }
        let thing = self.frames.last().and_then(|f| f.calls).map(thing);
        self.mem.set_thing(id, thing);
        self.things.extend(thing.map(|thing| (thing, id)));
    }

    fn trace_step(&mut self, step: &CodeStep<'p>) {
        let depth = self.frames.len().saturating_sub(1);
        let writes = Vec::new();
        self.trace.push(Step { edge: step.edge, origin: step.origin, calls: step.calls, depth, writes });
    }

    /// Two assumptions that exclude each other.
    fn fork(&mut self, first: u32) -> R<u32> {
        self.current = Some(first);
        let Op::Assume(guard) = self.code.steps[first as usize].op else {
            return internal("a fork without assumptions");
        };
        Ok(if self.eval64(*guard)? != 0 { first } else { first + 1 })
    }

    fn pick(&mut self, first: u32, end: u32) -> R<u32> {
        let origin = self.code.nodes[self.node as usize].origin;
        let visits = self.visited.entry(origin.raw()).or_insert(0);
        let occurrence = *visits;
        *visits += 1;
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        for step in first..end {
            self.current = Some(step);
            let open = match self.code.steps[step as usize].op {
                Op::Assume(e) => self.eval64(*e)? != 0,
                _ => true,
            };
            if open {
                enabled.push(step);
            }
        }
        let chosen = match enabled.as_slice() {
            [] => None,
            [one] => Some(*one),
            several => {
                let edges: Vec<EdgeId> =
                    several.iter().map(|&s| self.code.steps[s as usize].origin).collect();
                let i = self.chooser.branch(origin, occurrence, &edges);
                several.get(i).or(several.first()).copied()
            }
        };
        self.enabled = enabled;
        if chosen.is_none() {
            self.current = Some(first);
        }
        chosen.ok_or_else(|| Box::new(RunEnd::Blocked))
    }

    fn push_frame(&mut self, proc: ProcId, call: Option<u32>, ret: Option<PlaceId>) {
        let code = self.code;
        let shape = &code.frames[proc.index()];
        let calls = match (&self.watch, self.frames.last(), call) {
            (Some(watch), Some(caller), Some(step)) => {
                let edge = code.steps[step as usize].origin;
                caller.calls.and_then(|calls| watch.calls.find(calls, edge))
            }
            _ => Some(CallStrings::ROOT),
        };
        self.frames.push(Frame {
            proc,
            slots: self.slots.len(),
            values: self.values.len(),
            objects: self.objects.len(),
            calls,
            call,
            ret,
        });
        self.base = self.slots.len();
        self.value_base = self.values.len();
        self.slots.resize(self.base + shape.slots as usize, 0);
        self.values.extend_from_slice(&shape.values);
        self.max_depth = self.max_depth.max(self.frames.len() - 1);
    }

    fn enter(&mut self, call: &'p Call, step: u32) -> R<()> {
        if self.frames.len() > self.config.depth {
            return Err(Box::new(RunEnd::Limit(Limit::Depth)));
        }
        let Some(proc) = self.p.procs.get(call.proc) else { return internal("call of no procedure") };
        let mut args = std::mem::take(&mut self.scratch);
        args.clear();
        for &arg in &call.args {
            args.push(self.eval_value(arg)?);
        }
        self.push_frame(call.proc, Some(step), call.ret);
        for (value, &param) in args.drain(..).zip(&proc.params) {
            if self.tracing && !matches!(value, Value::Bytes(_)) {
                let points = self.points(self.p.vars[param].ty, &value);
                self.trace.write(Target::Var(param), value.clone(), points);
            }
            self.write_var(param, value)?;
        }
        self.scratch = args;
        self.node = Code::node(proc.entry);
        Ok(())
    }

    /// At the exit of a procedure.
    fn leave(&mut self) -> R<()> {
        let Some(frame) = self.frames.pop() else { return internal("return without a frame") };
        let result = self.result.take();
        let Some(call) = frame.call else {
            let int = self.p.types.as_int(self.p.procs[frame.proc].ret);
            let status = match (result, int) {
                (Some(Value::Bits(v)), Some(int)) => Some(arith::to_i128(v, int)),
                _ => None,
            };
            self.frames.push(frame);
            return Err(Box::new(RunEnd::Ended { status }));
        };
        while self.objects.len() > frame.objects {
            if let Some(id) = self.objects.pop() {
                self.mem.kill(id, State::Returned);
            }
        }
        self.slots.truncate(frame.slots);
        self.values.truncate(frame.values);
        let caller = self.frames.last();
        self.base = caller.map_or(0, |f| f.slots);
        self.value_base = caller.map_or(0, |f| f.values);
        self.node = self.code.steps[call as usize].to;
        match (frame.ret, result) {
            (Some(place), Some(value)) => {
                self.current = Some(call);
                self.write_value(place, value)
            }
            // The end of a function that should have returned a value (C11 6.9.1): the value may not be used. The place keeps its old one.
            _ => Ok(()),
        }
    }

    /// How often the source edge was executed before; counts this execution.
    pub fn occurrence(&mut self, origin: EdgeId) -> u64 {
        let count = &mut self.executed[origin.index()];
        *count += 1;
        *count - 1
    }
}
