//! Types of expressions and places, and whose variables they name; each node is judged once.

use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, Node, PlaceId, PlaceKind, UnOp};
use crate::program::{ProcId, Program};
use crate::rewrite::place_parts;
use crate::types::{Type, TypeId, Types};
use index_vec::{IndexVec, index_vec};

/// The procedure whose variables something names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Only globals.
    Global,
    Proc(ProcId),
    /// Several.
    Mixed,
}

impl Owner {
    fn join(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Global, o) | (o, Owner::Global) => o,
            (a, b) if a == b => a,
            _ => Owner::Mixed,
        }
    }
}

type Judgement = Result<Owner, &'static str>;

pub struct Checked<'a> {
    program: &'a Program,
    exprs: IndexVec<ExprId, Option<Judgement>>,
    places: IndexVec<PlaceId, Option<Judgement>>,
}

impl<'a> Checked<'a> {
    pub fn new(program: &'a Program) -> Self {
        Checked {
            program,
            exprs: index_vec![None; program.exprs.len()],
            places: index_vec![None; program.exprs.place_count()],
        }
    }

    pub fn expr(&mut self, e: ExprId) -> Judgement {
        if e.index() >= self.exprs.len() {
            return Err("an expression does not exist");
        }
        self.run(Node::Expr(e));
        self.exprs[e].unwrap_or(Ok(Owner::Global))
    }

    pub fn place(&mut self, p: PlaceId) -> Judgement {
        if p.index() >= self.places.len() {
            return Err("a place does not exist");
        }
        self.run(Node::Place(p));
        self.places[p].unwrap_or(Ok(Owner::Global))
    }

    fn judged(&self, node: Node) -> Option<Judgement> {
        match node {
            Node::Expr(e) => self.exprs[e],
            Node::Place(p) => self.places[p],
        }
    }

    fn run(&mut self, root: Node) {
        let arena = &self.program.exprs;
        let mut stack = vec![root];
        let mut parts = Vec::new();
        while let Some(&node) = stack.last() {
            if self.judged(node).is_some() {
                stack.pop();
                continue;
            }
            parts.clear();
            match node {
                Node::Expr(e) => {
                    parts.extend(arena.children(e).map(Node::Expr));
                    parts.extend(arena.place_in(e).map(Node::Place));
                }
                Node::Place(p) => {
                    let (place, expr) = place_parts(arena.place(p).kind);
                    parts.extend(place.map(Node::Place));
                    parts.extend(expr.map(Node::Expr));
                }
            }
            let before = stack.len();
            stack.extend(parts.iter().filter(|&&n| self.judged(n).is_none()));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let below = parts.iter().try_fold(Owner::Global, |owner, &n| {
                self.judged(n).unwrap_or(Ok(Owner::Global)).map(|o| owner.join(o))
            });
            match node {
                Node::Expr(e) => self.exprs[e] = Some(below.and_then(|o| self.judge(e).map(|()| o))),
                Node::Place(p) => {
                    let own = below.and_then(|o| self.judge_place(p).map(|v| o.join(v)));
                    self.places[p] = Some(own);
                }
            }
        }
    }

    fn judge_place(&self, p: PlaceId) -> Judgement {
        let program = self.program;
        let types = &program.types;
        let place = program.exprs.place(p);
        let require = |holds: bool, what| if holds { Ok(Owner::Global) } else { Err(what) };
        match place.kind {
            PlaceKind::Var(v) => {
                let var = program.vars.get(v).ok_or("a variable does not exist")?;
                require(var.ty == place.ty, "a variable is used with another type")?;
                Ok(var.proc.map_or(Owner::Global, Owner::Proc))
            }
            PlaceKind::Deref(e) => require(types.is_ptr(program.exprs.ty(e)), "follows what is no pointer"),
            PlaceKind::Field(of, i) => match types.get(program.exprs.place(of).ty) {
                Type::Record(r) => {
                    let field = types.records[*r].fields.get(i as usize);
                    require(field.is_some_and(|f| f.ty == place.ty), "a field of another type")
                }
                _ => Err("a field of what is no record"),
            },
            PlaceKind::Index(of, e) => {
                require(types.as_int(program.exprs.ty(e)).is_some(), "an index that is no integer")?;
                match types.get(program.exprs.place(of).ty) {
                    Type::Array { elem, .. } => require(*elem == place.ty, "an element of another type"),
                    _ => Err("an element of what is no array"),
                }
            }
        }
    }

    fn judge(&self, e: ExprId) -> Result<(), &'static str> {
        let program = self.program;
        let types = &program.types;
        let expr = program.exprs.get(e);
        let ty = |e: ExprId| program.exprs.ty(e);
        let own = types.get(expr.ty);
        let require = |holds: bool, what| if holds { Ok(()) } else { Err(what) };
        let is_int = |t: TypeId| types.as_int(t).is_some();
        let width = |t: TypeId| types.as_int(t).map_or(0, |i| i.width);
        let scalar = |t: TypeId| {
            matches!(
                types.get(t),
                Type::Bool | Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::MathInt | Type::MathReal
            )
        };
        let number = |t: TypeId| scalar(t) && t != Types::BOOL && !types.is_ptr(t);
        match &expr.kind {
            ExprKind::Const(c) => require(
                match (c, own) {
                    (Const::Bool(_), Type::Bool)
                    | (Const::Bits(_), Type::Float(_))
                    | (Const::Int(_), Type::MathInt)
                    | (Const::Real(_), Type::MathReal)
                    | (Const::Zero, Type::Record(_) | Type::Array { .. })
                    | (Const::Bytes(_), Type::Array { .. }) => true,
                    (Const::Bits(v), _) => {
                        types.as_word(expr.ty).is_some_and(|w| arith::truncate(*v, w) == *v)
                    }
                    _ => false,
                },
                "a constant that its type does not have",
            ),
            ExprKind::Read(p) => {
                require(program.exprs.place(*p).ty == expr.ty, "reads a place as another type")
            }
            ExprKind::AddrOf(p) => {
                let to = program.exprs.place(*p).ty;
                require(*own == Type::Ptr(to), "the type of an address is another")?;
                let taken = program.exprs.root_var(*p).is_none_or(|v| program.vars[v].address_taken);
                require(taken, "takes the address of a variable that is not marked")
            }
            ExprKind::ProcAddr(p) => {
                require(p.index() < program.procs.len(), "the address of a procedure that does not exist")?;
                require(types.is_ptr(expr.ty), "the type of an address is another")
            }
            ExprKind::Leads(pointer, procs) => {
                let known = procs.iter().all(|p| p.index() < program.procs.len());
                require(known, "leads to a procedure that does not exist")?;
                require(types.is_ptr(ty(*pointer)) && expr.ty == Types::BOOL, "leads from what is no pointer")
            }
            ExprKind::Valid(pointer, bytes) => {
                require(types.is_ptr(ty(*pointer)) && expr.ty == Types::BOOL, "bytes at what is no pointer")?;
                require(*bytes > 0, "an access to nothing")
            }
            ExprKind::Unary(op, a) => {
                require(ty(*a) == expr.ty, "an operand of another type")?;
                require(
                    match op {
                        UnOp::Not => expr.ty == Types::BOOL,
                        UnOp::Neg => number(expr.ty),
                        UnOp::BitNot => is_int(expr.ty),
                    },
                    "an operator on a type it does not have",
                )
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (ty(*a), ty(*b));
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                require(shift && is_int(b) || a == b, "operands of different types")?;
                let result = if op.is_comparison() || op.is_logic() { Types::BOOL } else { a };
                require(expr.ty == result, "the type of a result is another")?;
                require(
                    match op {
                        BinOp::Eq | BinOp::Ne => !types.is_aggregate(a),
                        BinOp::Lt | BinOp::Le => scalar(a),
                        BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => a == Types::BOOL,
                        BinOp::Shl | BinOp::Shr | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => is_int(a),
                        BinOp::EDiv | BinOp::ERem | BinOp::Rem => {
                            is_int(a) || matches!(types.get(a), Type::MathInt)
                        }
                        _ => number(a),
                    },
                    "an operator on a type it does not have",
                )
            }
            ExprKind::PtrAdd(p, n) => {
                require(types.is_ptr(expr.ty) && ty(*p) == expr.ty, "adds to what is no pointer")?;
                require(
                    width(ty(*n)) == types.model.pointer_bits(),
                    "a count that is not as wide as a pointer",
                )
            }
            ExprKind::PtrDiff(p, q) => {
                require(types.is_ptr(ty(*p)) && ty(*p) == ty(*q), "a difference of other than two pointers")?;
                require(width(expr.ty) == types.model.pointer_bits(), "the type of a result is another")
            }
            ExprKind::Cast(a) => require(
                scalar(ty(*a)) && scalar(expr.ty) && expr.ty != Types::BOOL,
                "a conversion that does not exist",
            ),
            ExprKind::Ite(c, a, b) => {
                require(ty(*c) == Types::BOOL, "a condition that is no truth value")?;
                require(ty(*a) == expr.ty && ty(*b) == expr.ty, "branches of different types")
            }
            ExprKind::Overflows(op, a, b) => {
                require(matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul), "a check of another operator")?;
                let fit = is_int(ty(*a)) && ty(*a) == ty(*b) && expr.ty == Types::BOOL;
                require(fit, "operands of different types")
            }
            ExprKind::Select(m, index) => {
                require(self.map_type(ty(*m), index) == Some(expr.ty), "a map used with other types")
            }
            ExprKind::Store(m, index, value) => require(
                self.map_type(ty(*m), index) == Some(ty(*value)) && ty(*m) == expr.ty,
                "a map used with other types",
            ),
            ExprKind::Apply(..) => Ok(()),
            ExprKind::Extract { of, hi, lo } => require(
                lo < hi && *hi <= width(ty(*of)) && width(expr.ty) == hi - lo,
                "bits that are not there",
            ),
            ExprKind::Concat(a, b) => require(
                is_int(ty(*a)) && is_int(ty(*b)) && width(expr.ty) == width(ty(*a)) + width(ty(*b)),
                "the type of a result is another",
            ),
        }
    }

    /// The element type of a map, if the indices fit.
    fn map_type(&self, map: TypeId, index: &[ExprId]) -> Option<TypeId> {
        match self.program.types.get(map) {
            Type::Map { index: types, elem } => {
                let fit = types.iter().copied().eq(index.iter().map(|&i| self.program.exprs.ty(i)));
                fit.then_some(*elem)
            }
            _ => None,
        }
    }
}
