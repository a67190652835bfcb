//! Runs a program over `int` variables: just enough to see whether a pass changed what programs do. Arithmetic wraps; division by
//! zero gives zero. Choices are keyed by the edge of the source program and the count of runs over it.

use super::random::Rng;
use crate::arith::{self, Undefined};
use crate::blocks::{BlockGraph, Region, RegionId};
use crate::expr::{BinOp, Const, ExprId, ExprKind, PlaceKind, UnOp};
use crate::program::{EdgeId, LocId, Op, Program, VarId};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Error,
    /// Ended without error.
    Quiet,
    /// Too long to tell.
    Cut,
}

#[derive(Debug)]
pub(crate) struct Walk<'a> {
    program: &'a Program,
    seed: u64,
    globals: FxHashMap<VarId, u128>,
    frames: Vec<Frame>,
    counts: FxHashMap<EdgeId, u64>,
    /// Did an evaluated signed operation leave its type?
    pub overflow: bool,
}

#[derive(Debug, Default)]
struct Frame {
    locals: FxHashMap<VarId, u128>,
    /// Where the result goes and where control goes on.
    back: Option<(Option<VarId>, LocId)>,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, seed: u64) -> Self {
        let globals = FxHashMap::default();
        let counts = FxHashMap::default();
        Walk { program, seed, globals, frames: vec![Frame::default()], counts, overflow: false }
    }

    pub fn run(&mut self, steps: usize) -> End {
        self.run_seen(steps, |_, _| {})
    }

    /// The same with somebody who looks at every location on the way.
    pub fn run_seen(&mut self, steps: usize, mut see: impl FnMut(&Self, LocId)) -> End {
        let graph = self.program.graph();
        self.walk(steps, |walk, at| {
            see(walk, at);
            graph.succ[at].iter().find_map(|&id| {
                let edge = &walk.program.edges[id];
                walk.step(&edge.op, edge.origin, edge.to)
            })
        })
    }

    /// The value of a global, or of a variable of the running procedure, if it has one.
    pub fn value(&self, var: VarId) -> Option<u128> {
        match self.program.vars[var].proc {
            None => Some(self.globals.get(&var).copied().unwrap_or(0)),
            Some(_) => self.frames.last()?.locals.get(&var).copied(),
        }
    }

    /// The same over blocks: the region at a location is run once, for all its blocks.
    pub fn run_blocks(&mut self, graph: &BlockGraph, steps: usize) -> End {
        self.walk(steps, |walk, at| {
            let mut regions: Vec<RegionId> =
                graph.leaving(at).iter().map(|b| graph.block(*b).region).collect();
            regions.sort_unstable();
            regions.dedup();
            regions.into_iter().find_map(|region| walk.region(graph.region(region)))
        })
    }

    fn walk(&mut self, steps: usize, mut next: impl FnMut(&mut Self, LocId) -> Option<LocId>) -> End {
        let mut at = self.program.procs[self.program.entry].entry;
        for _ in 0..steps {
            if at == self.program.error {
                return End::Error;
            }
            match next(self, at) {
                Some(to) => at = to,
                None => return End::Quiet,
            }
            if self.frames.is_empty() {
                return End::Quiet;
            }
            if self.frames.len() > 60 {
                return End::Cut;
            }
        }
        End::Cut
    }

    /// Through a region; where control goes then. A path that ends inside ends the run: no exit is behind it.
    fn region(&mut self, region: &Region) -> Option<LocId> {
        let mut node = 0;
        loop {
            let leaving = region.edges.iter().filter(|e| e.from == node);
            let (to, loc) = leaving.into_iter().find_map(|e| {
                let edge = &self.program.edges[e.edge];
                Some((e.to, self.step(&edge.op, edge.origin, edge.to)?))
            })?;
            if to as usize >= region.inner.len() {
                return Some(loc);
            }
            node = to;
        }
    }

    /// Where control goes, if the operation lets it.
    fn step(&mut self, op: &Op, origin: EdgeId, to: LocId) -> Option<LocId> {
        match op {
            Op::Skip => {}
            Op::Assume(c) => {
                if self.eval(*c) == 0 {
                    return None;
                }
            }
            Op::Assign(p, e) => {
                let value = self.eval(*e);
                self.write(self.program.exprs.root_var(*p)?, value);
            }
            Op::Havoc(p, _) => {
                let count = self.counts.entry(origin).or_default();
                *count += 1;
                let mut rng = Rng(self.seed ^ (origin.index() as u64) << 32 ^ *count);
                let value = (rng.below(7) as u128).wrapping_sub(3) & 0xffff_ffff;
                self.write(self.program.exprs.root_var(*p)?, value);
            }
            Op::Call(call) => {
                let callee = &self.program.procs[call.proc];
                let args: Vec<u128> = call.args.iter().map(|&a| self.eval(a)).collect();
                let ret = call.ret.and_then(|p| self.program.exprs.root_var(p));
                let locals = callee.params.iter().copied().zip(args).collect();
                self.frames.push(Frame { locals, back: Some((ret, to)) });
                return Some(callee.entry);
            }
            Op::Return(e) => {
                let value = e.map(|e| self.eval(e));
                let frame = self.frames.pop()?;
                let Some((ret, to)) = frame.back else {
                    return Some(to);
                };
                if let (Some(ret), Some(value)) = (ret, value) {
                    self.write(ret, value);
                }
                return Some(to);
            }
            _ => return None,
        }
        Some(to)
    }

    fn write(&mut self, var: VarId, value: u128) {
        if self.program.vars[var].proc.is_none() {
            self.globals.insert(var, value);
        } else if let Some(frame) = self.frames.last_mut() {
            frame.locals.insert(var, value);
        }
    }

    fn read(&self, var: VarId) -> u128 {
        let of = match (self.program.vars[var].proc, self.frames.last()) {
            (Some(_), Some(frame)) => &frame.locals,
            _ => &self.globals,
        };
        of.get(&var).copied().unwrap_or(0)
    }

    pub fn eval(&mut self, e: ExprId) -> u128 {
        let exprs = &self.program.exprs;
        let int = |e: ExprId| self.program.types.as_int(exprs.ty(e)).expect("only integers");
        match *exprs.kind(e) {
            ExprKind::Const(Const::Bool(b)) => u128::from(b),
            ExprKind::Const(Const::Bits(v)) => v,
            ExprKind::Read(p) => match exprs.place(p).kind {
                PlaceKind::Var(v) => self.read(v),
                _ => panic!("only variables"),
            },
            ExprKind::Unary(UnOp::Not, a) => u128::from(self.eval(a) == 0),
            ExprKind::Unary(UnOp::Neg, a) => {
                let v = self.eval(a);
                self.judge(arith::negate(v, int(e)))
            }
            ExprKind::Unary(UnOp::BitNot, a) => arith::truncate(!self.eval(a), int(e)),
            ExprKind::Ite(c, a, b) => {
                if self.eval(c) != 0 {
                    self.eval(a)
                } else {
                    self.eval(b)
                }
            }
            ExprKind::Binary(BinOp::And, a, b) => u128::from(self.eval(a) != 0 && self.eval(b) != 0),
            ExprKind::Binary(BinOp::Or, a, b) => u128::from(self.eval(a) != 0 || self.eval(b) != 0),
            ExprKind::Binary(BinOp::Implies, a, b) => u128::from(self.eval(a) == 0 || self.eval(b) != 0),
            ExprKind::Binary(BinOp::Iff, a, b) => u128::from(self.eval(a) == self.eval(b)),
            ExprKind::Binary(op, a, b) => {
                let ty = self.program.types.as_int(exprs.ty(a));
                let (x, y) = (self.eval(a), self.eval(b));
                match (op, ty) {
                    (BinOp::Eq, _) => u128::from(x == y),
                    (BinOp::Ne, _) => u128::from(x != y),
                    (BinOp::Lt, Some(ty)) => u128::from(arith::compare(x, y, ty).is_lt()),
                    (BinOp::Le, Some(ty)) => u128::from(arith::compare(x, y, ty).is_le()),
                    (op, Some(ty)) => self.judge(arith::binary(op, x, y, ty)),
                    _ => panic!("only integers"),
                }
            }
            ExprKind::Overflows(op, a, b) => {
                let ty = int(a);
                let (x, y) = (self.eval(a), self.eval(b));
                u128::from(arith::overflows(op, x, y, ty))
            }
            ref other => panic!("no {other:?} here"),
        }
    }

    fn judge(&mut self, result: Result<u128, Undefined>) -> u128 {
        match result {
            Ok(v) => v,
            Err(Undefined::Overflow(v)) => {
                self.overflow = true;
                v
            }
            Err(_) => 0,
        }
    }
}
