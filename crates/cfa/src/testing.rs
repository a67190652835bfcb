//! Programs made by hand and at random, and a small runner for them: for tests.

pub(crate) mod random;
pub(crate) mod walk;

use crate::expr::{BinOp, ExprId, PlaceId};
use crate::program::{Call, Choice, EdgeId, Lang, LocId, Op, ProcId, Program, VarId, VarKind};
use crate::types::{DataModel, TypeId, Types};
use craig_base::{Source, Span};
use std::sync::Arc;

/// Builds a program over `int` variables; a location is made where it is first needed.
pub(crate) struct Build {
    pub program: Program,
    pub int: TypeId,
    pub proc: ProcId,
}

impl Build {
    pub fn new() -> Self {
        let mut types = Types::new(DataModel::Ilp32);
        let int = types.int(32, true);
        let source = Arc::new(Source::new("test.c", "\n".repeat(100), false));
        let mut program = Program::new(source, Lang::C, types, "main");
        let proc = program.entry;
        program.procs[proc].ret = int;
        Build { program, int, proc }
    }

    pub fn proc(&mut self, name: &str) -> ProcId {
        self.proc = self.program.add_proc(name.into(), self.int, Span::default());
        self.proc
    }

    pub fn entry(&self) -> LocId {
        self.program.procs[self.proc].entry
    }

    pub fn exit(&self) -> LocId {
        self.program.procs[self.proc].exit
    }

    pub fn error(&self) -> LocId {
        self.program.error
    }

    pub fn loc(&mut self) -> LocId {
        self.program.add_loc(self.proc, Span::default())
    }

    pub fn global(&mut self, name: &str) -> VarId {
        self.program.add_var(name.into(), self.int, VarKind::Global, None, Span::default())
    }

    pub fn local(&mut self, name: &str) -> VarId {
        self.program.add_var(name.into(), self.int, VarKind::Local, Some(self.proc), Span::default())
    }

    pub fn param(&mut self, name: &str) -> VarId {
        let var =
            self.program.add_var(name.into(), self.int, VarKind::Param, Some(self.proc), Span::default());
        self.program.procs[self.proc].params.push(var);
        var
    }

    pub fn var_of(&mut self, name: &str, ty: TypeId) -> VarId {
        self.program.add_var(name.into(), ty, VarKind::Local, Some(self.proc), Span::default())
    }

    pub fn num(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(&self.program.types, value, self.int)
    }

    pub fn get(&mut self, var: VarId) -> ExprId {
        self.program.var_expr(var)
    }

    pub fn place(&mut self, var: VarId) -> PlaceId {
        self.program.var_place(var)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(&self.program.types, op, a, b)
    }

    /// `var op value`.
    pub fn cmp(&mut self, op: BinOp, var: VarId, value: i128) -> ExprId {
        let (a, b) = (self.get(var), self.num(value));
        self.bin(op, a, b)
    }

    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.program.exprs.not(e)
    }

    pub fn address(&mut self, var: VarId) -> ExprId {
        self.program.vars[var].address_taken = true;
        let place = self.place(var);
        self.program.exprs.addr_of(&mut self.program.types, place)
    }

    pub fn edge(&mut self, from: LocId, to: LocId, op: Op) -> EdgeId {
        self.program.add_edge(from, to, op, Span::default())
    }

    pub fn assume(&mut self, from: LocId, to: LocId, e: ExprId) -> EdgeId {
        self.edge(from, to, Op::Assume(e))
    }

    /// `assume(e)` to the first, `assume(!e)` to the second.
    pub fn branch(&mut self, from: LocId, e: ExprId, yes: LocId, no: LocId) {
        self.assume(from, yes, e);
        let not = self.not(e);
        self.assume(from, no, not);
    }

    pub fn assign(&mut self, from: LocId, to: LocId, var: VarId, e: ExprId) -> EdgeId {
        let place = self.place(var);
        self.edge(from, to, Op::Assign(place, e))
    }

    pub fn set(&mut self, from: LocId, to: LocId, var: VarId, value: i128) -> EdgeId {
        let e = self.num(value);
        self.assign(from, to, var, e)
    }

    pub fn nondet(&mut self, from: LocId, to: LocId, var: VarId) -> EdgeId {
        let place = self.place(var);
        self.edge(from, to, Op::Havoc(place, Choice::Nondet("__VERIFIER_nondet_int".into())))
    }

    pub fn call(
        &mut self,
        from: LocId,
        to: LocId,
        proc: ProcId,
        args: Vec<ExprId>,
        ret: Option<VarId>,
    ) -> EdgeId {
        let ret = ret.map(|v| self.place(v));
        self.edge(from, to, Op::Call(Box::new(Call { proc, args, ret })))
    }

    pub fn ret(&mut self, from: LocId, e: ExprId) -> EdgeId {
        let exit = self.exit();
        self.edge(from, exit, Op::Return(Some(e)))
    }

    pub fn ret_num(&mut self, from: LocId, value: i128) -> EdgeId {
        let e = self.num(value);
        self.ret(from, e)
    }
}

/// LBE, Fig. 1 (a).
pub(crate) fn figure_1() -> Program {
    let mut b = Build::new();
    let p: Vec<VarId> = (1..=3).map(|i| b.global(&format!("p{i}"))).collect();
    let x: Vec<VarId> = (1..=3).map(|i| b.global(&format!("x{i}"))).collect();
    let mut at = b.entry();
    for i in 0..3 {
        let (then, next) = (b.loc(), b.loc());
        let c = b.cmp(BinOp::Ne, p[i], 0);
        b.branch(at, c, then, next);
        b.set(then, next, x[i], i as i128 + 1);
        at = next;
    }
    for i in 0..3 {
        let (then, next) = (b.loc(), b.loc());
        let c = b.cmp(BinOp::Ne, p[i], 0);
        b.branch(at, c, then, next);
        let wrong = b.cmp(BinOp::Ne, x[i], i as i128 + 1);
        let error = b.error();
        b.branch(then, wrong, error, next);
        at = next;
    }
    b.ret_num(at, 0);
    b.program
}

/// LBE, Fig. 2 (a): `while (i > 0) { if (x == 1) z = 0; else z = 1; i = i - 1; }`, then return. The picture begins at
/// the loop; here an edge leads there, because nothing enters an entry.
pub(crate) fn figure_2() -> Program {
    let mut b = Build::new();
    let (i, x, z) = (b.global("i"), b.global("x"), b.global("z"));
    let l: Vec<LocId> = (0..6).map(|_| b.loc()).collect();
    let entry = b.entry();
    b.edge(entry, l[0], Op::Skip);
    let (zero, iv) = (b.num(0), b.get(i));
    let more = b.bin(BinOp::Lt, zero, iv);
    b.branch(l[0], more, l[1], l[5]);
    let one = b.cmp(BinOp::Eq, x, 1);
    b.branch(l[1], one, l[2], l[3]);
    b.set(l[2], l[4], z, 0);
    b.set(l[3], l[4], z, 1);
    let less = b.cmp(BinOp::Sub, i, 1);
    b.assign(l[4], l[0], i, less);
    b.ret_num(l[5], 0);
    b.program
}

/// `if (x == 0) x = x + 1;` a thousand times over, or `n` times; with `checks` each is followed by `if (x < 0) error`.
pub(crate) fn chain_of_ifs(n: usize, checks: bool) -> Program {
    let mut b = Build::new();
    let x = b.global("x");
    let mut at = b.entry();
    for _ in 0..n {
        let (then, next) = (b.loc(), b.loc());
        let c = b.cmp(BinOp::Eq, x, 0);
        b.branch(at, c, then, next);
        let more = b.cmp(BinOp::Add, x, 1);
        b.assign(then, next, x, more);
        at = next;
        if checks {
            let next = b.loc();
            let bad = b.cmp(BinOp::Lt, x, 0);
            let error = b.error();
            b.branch(at, bad, error, next);
            at = next;
        }
    }
    b.ret_num(at, 0);
    b.program
}
