//! What is Boogie but is not modelled.
//!
//! An expression that is not modelled (a quantifier, say) gets an arbitrary value of its type, and the path is marked: a global variable of
//! our own, `#unmodelled`, holds the number of the construct that was met last, 0 if none was. A failed check on a marked path leads to the
//! error through an `Unsupported` operation at the place of that construct; on any other path it leads there directly.
//!
//! So nothing is guessed either way: the program has every run that the text has, hence a proof is a proof of the text; and a path
//! to the error that relies on an arbitrary value runs over something that is not modelled, hence is no counterexample. A proof that needs no
//! quantifier is found in spite of it, and so is an error before it. A dropped axiom marks every run from its beginning.
//!
//! The rejected alternative is `Unsupported` where the construct stands: one quantified `assume` on the way would
//! forbid every answer.

use super::Lower;
use craig_base::Span;
use craig_cfa::{BinOp, Choice, Const, ExprId, Name, Op, Type, TypeId, Types, VarId, VarKind};
use dashu::integer::IBig;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

#[derive(Default)]
pub struct Unmodelled {
    met: IndexSet<(Name, Span), FxBuildHasher>,
    /// The variable with the number of the construct.
    var: Option<VarId>,
}

impl Lower<'_> {
    /// Any value of the type; the path is marked.
    pub fn arbitrary(&mut self, construct: &str, ty: TypeId, span: Span) -> ExprId {
        let var = self.temp("any", ty, span);
        self.havoc(var, Choice::Extern(construct.into()), span);
        self.mark(construct, span);
        self.p.var_expr(var)
    }

    /// The path relies on something that is not modelled from here on.
    pub fn mark(&mut self, construct: &str, span: Span) {
        let (at, _) = self.unmodelled.met.insert_full((construct.into(), span));
        let var = self.mark_var();
        let number = self.number(at + 1);
        self.assign(var, number, span);
    }

    fn mark_var(&mut self) -> VarId {
        let int = self.p.types.intern(Type::MathInt);
        *self.unmodelled.var.get_or_insert_with(|| {
            self.p.add_var("#unmodelled".into(), int, VarKind::Global, None, Span::default())
        })
    }

    fn number(&mut self, n: usize) -> ExprId {
        let int = self.p.types.intern(Type::MathInt);
        self.p.exprs.constant(Const::Int(IBig::from(n)), int)
    }

    /// Leads failed checks of marked paths through an operation that is not modelled. Done once all code is there.
    pub fn guard_errors(&mut self) {
        let Some(var) = self.unmodelled.var else { return };
        let mark = self.p.var_expr(var);
        let zero = self.number(0);
        let unmarked = self.p.exprs.intern(craig_cfa::ExprKind::Binary(BinOp::Eq, mark, zero), Types::BOOL);
        let marked = self.p.exprs.not(unmarked);
        let met: Vec<(Name, Span)> = self.unmodelled.met.iter().cloned().collect();
        // Where marked paths of each procedure are told apart.
        let mut gates = FxHashMap::default();
        for edge in std::mem::take(&mut self.failures) {
            let (from, span) = (self.p.edges[edge].from, self.p.edges[edge].span);
            let proc = self.p.locs[from].proc;
            let failed = self.p.add_loc(proc, span);
            let gate = *gates.entry(proc).or_insert_with(|| self.p.add_loc(proc, span));
            self.p.edges[edge].to = failed;
            self.p.add_edge(failed, self.p.error, Op::Assume(unmarked), span);
            self.p.add_edge(failed, gate, Op::Assume(marked), span);
        }
        let mut gates: Vec<_> = gates.into_iter().collect();
        gates.sort_unstable();
        for (proc, gate) in gates {
            for (i, (construct, span)) in met.iter().enumerate() {
                let number = self.number(i + 1);
                let this =
                    self.p.exprs.intern(craig_cfa::ExprKind::Binary(BinOp::Eq, mark, number), Types::BOOL);
                let at = self.p.add_loc(proc, *span);
                self.p.add_edge(gate, at, Op::Assume(this), *span);
                self.p.add_edge(at, self.p.error, Op::Unsupported(construct.clone()), *span);
            }
        }
    }
}
