//! Programs built by hand, and what they do.

mod arithmetic;
mod calls;
mod choices;
mod control;
mod math;
mod memory;
mod output;
mod speed;

use super::*;
use crate::expr::{BinOp, Const, ExprId, PlaceId};
use crate::program::*;
use crate::types::*;
use craig_base::{Source, Span};
use std::sync::Arc;

/// Builds a program edge by edge: each operation leads from the current location to a new one.
pub(crate) struct Build {
    pub p: Program,
    pub proc: ProcId,
    pub at: LocId,
}

impl Build {
    pub fn new(model: DataModel) -> Self {
        Self::in_lang(Lang::C, model)
    }

    pub fn in_lang(lang: Lang, model: DataModel) -> Self {
        let source = Arc::new(Source::new("test", String::new(), false));
        let p = Program::new(source, lang, Types::new(model), "main");
        let (proc, at) = (p.entry, p.procs[p.entry].entry);
        Build { p, proc, at }
    }

    pub fn int_ty(&mut self) -> TypeId {
        self.p.types.int(32, true)
    }

    pub fn char_ty(&mut self) -> TypeId {
        self.p.types.int(8, true)
    }

    pub fn ptr_ty(&mut self, to: TypeId) -> TypeId {
        self.p.types.ptr(to)
    }

    pub fn global(&mut self, name: &str, ty: TypeId) -> PlaceId {
        let v = self.p.add_var(name.into(), ty, VarKind::Global, None, Span::default());
        self.p.var_place(v)
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> PlaceId {
        let v = self.p.add_var(name.into(), ty, VarKind::Local, Some(self.proc), Span::default());
        self.p.var_place(v)
    }

    pub fn param(&mut self, name: &str, ty: TypeId) -> PlaceId {
        let v = self.p.add_var(name.into(), ty, VarKind::Param, Some(self.proc), Span::default());
        self.p.procs[self.proc].params.push(v);
        self.p.var_place(v)
    }

    /// Begins a procedure; operations go there until [`Build::main`].
    pub fn begin(&mut self, name: &str, ret: TypeId) -> ProcId {
        self.proc = self.p.add_proc(name.into(), ret, Span::default());
        self.at = self.p.procs[self.proc].entry;
        self.proc
    }

    pub fn main(&mut self) {
        self.proc = self.p.entry;
        self.at = self.p.procs[self.proc].entry;
    }

    pub fn loc(&mut self) -> LocId {
        self.p.add_loc(self.proc, Span::default())
    }

    pub fn edge(&mut self, from: LocId, to: LocId, op: Op) -> EdgeId {
        self.p.add_edge(from, to, op, Span::default())
    }

    pub fn op(&mut self, op: Op) -> EdgeId {
        let to = self.loc();
        let from = std::mem::replace(&mut self.at, to);
        self.edge(from, to, op)
    }

    pub fn goto(&mut self, to: LocId) {
        let from = self.at;
        self.edge(from, to, Op::Skip);
    }

    pub fn ret(&mut self, value: Option<ExprId>) -> EdgeId {
        let (from, exit) = (self.at, self.p.procs[self.proc].exit);
        self.edge(from, exit, Op::Return(value))
    }

    /// Main returns this.
    pub fn finish(&mut self, value: ExprId) {
        let main = self.p.entry;
        self.p.procs[main].ret = self.p.exprs.ty(value);
        self.ret(Some(value));
    }

    /// Splits on a condition: goes on where it holds, and gives the location where it does not.
    pub fn branch(&mut self, condition: ExprId) -> LocId {
        let (yes, no, from) = (self.loc(), self.loc(), self.at);
        let negated = self.p.exprs.not(condition);
        self.edge(from, yes, Op::Assume(condition));
        self.edge(from, no, Op::Assume(negated));
        self.at = yes;
        no
    }

    /// The error is reached if the condition does not hold.
    pub fn check(&mut self, condition: ExprId) {
        let no = self.branch(condition);
        let error = self.p.error;
        self.edge(no, error, Op::Skip);
    }

    pub fn assign(&mut self, place: PlaceId, value: ExprId) -> EdgeId {
        self.op(Op::Assign(place, value))
    }

    pub fn int(&mut self, v: i128, ty: TypeId) -> ExprId {
        self.p.exprs.int(&self.p.types, v, ty)
    }

    /// An `int`.
    pub fn n(&mut self, v: i128) -> ExprId {
        let ty = self.int_ty();
        self.int(v, ty)
    }

    /// A `size_t`.
    pub fn size(&mut self, v: i128) -> ExprId {
        let ty = self.p.types.size_t();
        self.int(v, ty)
    }

    pub fn read(&mut self, place: PlaceId) -> ExprId {
        self.p.exprs.read(place)
    }

    pub fn addr(&mut self, place: PlaceId) -> ExprId {
        self.p.exprs.addr_of(&mut self.p.types, place)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.binary(&self.p.types, op, a, b)
    }

    pub fn cast(&mut self, e: ExprId, ty: TypeId) -> ExprId {
        self.p.exprs.cast(&self.p.types, e, ty)
    }

    pub fn deref(&mut self, e: ExprId) -> PlaceId {
        let ty = self.p.types.pointee(self.p.exprs.ty(e)).unwrap();
        self.p.exprs.deref(e, ty)
    }

    pub fn index(&mut self, place: PlaceId, i: ExprId) -> PlaceId {
        self.p.exprs.index(&self.p.types, place, i)
    }

    pub fn field(&mut self, place: PlaceId, i: u32) -> PlaceId {
        self.p.exprs.field(&self.p.types, place, i)
    }

    /// A struct or union with these fields, at offsets given with them.
    pub fn record(&mut self, kind: RecordKind, size: u64, fields: &[(TypeId, u64, Option<u8>)]) -> TypeId {
        let id = self.p.types.new_record("r".into(), kind);
        let record = &mut self.p.types.records[id];
        record.fields =
            fields.iter().map(|&(ty, offset, bit)| Field { name: "f".into(), ty, offset, bit }).collect();
        (record.size, record.align, record.complete) = (size, 4, true);
        self.p.types.intern(Type::Record(id))
    }

    /// Pointer to the first byte of a string.
    pub fn string(&mut self, text: &[u8]) -> ExprId {
        let char_ty = self.char_ty();
        let mut bytes = text.to_vec();
        bytes.push(0);
        let ty = self.p.types.array(char_ty, bytes.len() as u64);
        let place = self.global("text", ty);
        let value = self.p.exprs.constant(Const::Bytes(bytes.into()), ty);
        self.assign(place, value);
        let zero = self.n(0);
        let first = self.index(place, zero);
        self.addr(first)
    }

    pub fn call(&mut self, proc: ProcId, args: &[ExprId], ret: Option<PlaceId>) -> EdgeId {
        self.op(Op::Call(Box::new(Call { proc, args: args.to_vec(), ret })))
    }

    pub fn print(&mut self, function: &str, args: &[ExprId], ret: Option<PlaceId>) {
        self.op(Op::Output(Box::new(Output { function: function.into(), args: args.to_vec(), ret })));
    }

    pub fn run(&self) -> Run {
        self.run_with(&Config::default(), &mut Zero).0
    }

    pub fn run_with(&self, config: &Config, chooser: &mut dyn Chooser) -> (Run, String) {
        let mut out = Vec::new();
        let run = run(&self.p, config, chooser, &mut out);
        (run, String::from_utf8_lossy(&out).into_owned())
    }

    pub fn status(&self) -> i128 {
        match self.run().end {
            RunEnd::Ended { status: Some(status) } => status,
            other => panic!("{other}"),
        }
    }

    pub fn undefined(&self) -> (Undefined, String) {
        match self.run().end {
            RunEnd::Undefined(kind, text) => (kind, text),
            other => panic!("{other}"),
        }
    }

    pub fn output(&self) -> String {
        let (run, out) = self.run_with(&Config::default(), &mut Zero);
        assert!(matches!(run.end, RunEnd::Ended { .. }), "{}", run.end);
        out
    }
}
