//! Random programs over `int` variables: any graph, loops that are not structured, calls, halts, dead ends. At every location
//! at most one edge can be taken, so that a run is decided by the values of its choices.

use super::Build;
use crate::expr::{BinOp, ExprId, UnOp};
use crate::program::{Halt, LocId, Op, ProcId, Program, VarId};

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

pub(crate) fn random_program(seed: u64) -> Program {
    let mut rng = Rng(seed);
    let mut b = Build::new();
    let globals: Vec<VarId> = (0..1 + rng.below(3)).map(|i| b.global(&format!("g{i}"))).collect();
    let mut procs = vec![b.proc];
    for i in 0..rng.below(4) {
        procs.push(b.proc(&format!("f{i}")));
        for j in 0..rng.below(3) {
            b.param(&format!("a{j}"));
        }
    }
    let recursive = rng.below(4) == 0;
    for i in 0..procs.len() {
        b.proc = procs[i];
        let callable = if recursive { &procs[1..] } else { &procs[i + 1..] };
        body(&mut b, &mut rng, &globals, callable);
    }
    b.program
}

fn body(b: &mut Build, rng: &mut Rng, globals: &[VarId], callable: &[ProcId]) {
    let mut vars = b.program.procs[b.proc].params.clone();
    let locals: Vec<VarId> = (0..rng.below(3)).map(|i| b.local(&format!("x{i}"))).collect();
    let locs: Vec<LocId> = (0..2 + rng.below(10)).map(|_| b.loc()).collect();
    let mut at = b.entry();
    for &local in &locals {
        let next = b.loc();
        b.nondet(at, next, local);
        at = next;
    }
    b.edge(at, locs[0], Op::Skip);
    vars.extend(locals);
    vars.extend(globals);
    for &loc in &locs {
        let to = rng.pick(&locs);
        let var = rng.pick(&vars);
        match rng.below(16) {
            0..=5 => {
                let c = condition(b, rng, &vars);
                let yes = if rng.below(4) == 0 { b.error() } else { rng.pick(&locs) };
                b.branch(loc, c, yes, to);
            }
            6..=8 => {
                let e = number(b, rng, &vars, 2);
                b.assign(loc, to, var, e);
            }
            9 | 10 => {
                b.nondet(loc, to, var);
            }
            11 | 12 if !callable.is_empty() => {
                let proc = rng.pick(callable);
                let count = b.program.procs[proc].params.len();
                let args = (0..count).map(|_| number(b, rng, &vars, 1)).collect();
                let ret = (rng.below(3) > 0).then_some(var);
                b.call(loc, to, proc, args, ret);
            }
            13 | 14 => {
                let e = number(b, rng, &vars, 1);
                b.ret(loc, e);
            }
            15 if rng.below(3) == 0 => {
                b.edge(loc, to, Op::Halt(Halt::Abort));
            }
            15 if rng.below(3) == 0 => {}
            _ => {
                b.edge(loc, to, Op::Skip);
            }
        }
    }
}

fn number(b: &mut Build, rng: &mut Rng, vars: &[VarId], depth: u32) -> ExprId {
    if depth == 0 || rng.below(3) == 0 {
        return if rng.below(2) == 0 {
            b.get(rng.pick(vars))
        } else {
            let value = rng.pick(&[-1, 0, 1, 2, 3, i128::from(i32::MAX), i128::from(i32::MIN)]);
            b.num(value)
        };
    }
    if rng.below(6) == 0 {
        let (c, x, y) =
            (condition(b, rng, vars), number(b, rng, vars, depth - 1), number(b, rng, vars, depth - 1));
        return b.program.exprs.ite(c, x, y);
    }
    let (x, y) = (number(b, rng, vars, depth - 1), number(b, rng, vars, depth - 1));
    if rng.below(6) == 0 {
        return b.program.exprs.unary(&b.program.types, UnOp::Neg, x);
    }
    let op = rng.pick(&[
        BinOp::Add,
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::BitAnd,
        BinOp::BitOr,
        BinOp::BitXor,
    ]);
    b.bin(op, x, y)
}

fn condition(b: &mut Build, rng: &mut Rng, vars: &[VarId]) -> ExprId {
    let (x, y) = (number(b, rng, vars, 1), number(b, rng, vars, 1));
    let op = rng.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le]);
    let c = b.bin(op, x, y);
    match rng.below(8) {
        0 => b.not(c),
        1 => {
            let d = condition(b, rng, vars);
            let op = rng.pick(&[BinOp::And, BinOp::Or, BinOp::Implies, BinOp::Iff]);
            b.bin(op, c, d)
        }
        _ => c,
    }
}
