//! Expressions and places as text, without recursion and up to a limit.

use super::{EXPR_LIMIT, Printer};
use crate::arith;
use crate::expr::{BinOp, Const, ExprId, ExprKind, PlaceId, PlaceKind, UnOp};
use crate::types::{FloatTy, Type, TypeId};
use std::borrow::Cow;

/// How tightly an operator binds, as in C; larger is tighter.
mod level {
    pub const ANY: u8 = 0;
    pub const IFF: u8 = 1;
    pub const IMPLIES: u8 = 2;
    pub const OR: u8 = 3;
    pub const AND: u8 = 4;
    pub const BIT_OR: u8 = 5;
    pub const BIT_XOR: u8 = 6;
    pub const BIT_AND: u8 = 7;
    pub const EQUALITY: u8 = 8;
    pub const ORDER: u8 = 9;
    pub const SHIFT: u8 = 10;
    pub const SUM: u8 = 11;
    pub const PRODUCT: u8 = 12;
    pub const UNARY: u8 = 13;
    pub const POSTFIX: u8 = 14;
}

fn operator(op: BinOp) -> (&'static str, u8) {
    match op {
        BinOp::Add => (" + ", level::SUM),
        BinOp::Sub => (" - ", level::SUM),
        BinOp::Mul => (" * ", level::PRODUCT),
        BinOp::Div | BinOp::RDiv => (" / ", level::PRODUCT),
        BinOp::Rem => (" % ", level::PRODUCT),
        BinOp::EDiv => (" div ", level::PRODUCT),
        BinOp::ERem => (" mod ", level::PRODUCT),
        BinOp::Shl => (" << ", level::SHIFT),
        BinOp::Shr => (" >> ", level::SHIFT),
        BinOp::BitAnd => (" & ", level::BIT_AND),
        BinOp::BitOr => (" | ", level::BIT_OR),
        BinOp::BitXor => (" ^ ", level::BIT_XOR),
        BinOp::Eq => (" == ", level::EQUALITY),
        BinOp::Ne => (" != ", level::EQUALITY),
        BinOp::Lt => (" < ", level::ORDER),
        BinOp::Le => (" <= ", level::ORDER),
        BinOp::And => (" && ", level::AND),
        BinOp::Or => (" || ", level::OR),
        BinOp::Implies => (" ==> ", level::IMPLIES),
        BinOp::Iff => (" <==> ", level::IFF),
    }
}

/// What is still to be printed; an expression in a place where operators below the level need parentheses.
enum Item<'a> {
    Text(Cow<'a, str>),
    Expr(ExprId, u8),
    Place(PlaceId, u8),
}

impl Printer<'_> {
    pub fn expr(&self, e: ExprId) -> String {
        self.run(Item::Expr(e, level::ANY))
    }

    pub fn place(&self, p: PlaceId) -> String {
        self.run(Item::Place(p, level::ANY))
    }

    fn run(&self, root: Item<'_>) -> String {
        let mut out = String::new();
        let mut stack = vec![root];
        let mut parts = Vec::new();
        while let Some(item) = stack.pop() {
            let (own, outer) = match item {
                Item::Text(text) => {
                    out.push_str(&text);
                    if out.len() > EXPR_LIMIT {
                        let cut = (0..=EXPR_LIMIT).rev().find(|&i| out.is_char_boundary(i)).unwrap_or(0);
                        out.truncate(cut);
                        out.push('…');
                        return out;
                    }
                    continue;
                }
                Item::Expr(e, outer) => (self.expr_parts(e, &mut parts), outer),
                Item::Place(p, outer) => (self.place_parts(p, &mut parts), outer),
            };
            let wrap = own < outer;
            if wrap {
                stack.push(Item::Text(")".into()));
            }
            stack.extend(parts.drain(..).rev());
            if wrap {
                stack.push(Item::Text("(".into()));
            }
        }
        out
    }

    /// The parts of an expression from left to right; its level.
    fn expr_parts<'s>(&'s self, e: ExprId, parts: &mut Vec<Item<'s>>) -> u8 {
        let expr = self.program.exprs.get(e);
        let text = |t: &'static str| Item::Text(Cow::Borrowed(t));
        let mut infix = |sign: &'static str, lvl: u8, a: ExprId, b: ExprId| {
            parts.extend([Item::Expr(a, lvl), text(sign), Item::Expr(b, lvl + 1)]);
            lvl
        };
        match &expr.kind {
            ExprKind::Const(c) => {
                let shown = self.constant(c, expr.ty);
                let lvl = if shown.starts_with('-') { level::UNARY } else { level::POSTFIX };
                parts.push(Item::Text(shown.into()));
                lvl
            }
            ExprKind::Read(p) => {
                parts.push(Item::Place(*p, level::ANY));
                self.place_level(*p)
            }
            ExprKind::AddrOf(p) => {
                parts.extend([text("&"), Item::Place(*p, level::UNARY)]);
                level::UNARY
            }
            ExprKind::ProcAddr(p) => {
                parts.extend([text("&"), Item::Text(self.proc_name(*p).into())]);
                level::UNARY
            }
            ExprKind::Leads(pointer, procs) => {
                parts.extend([text("leads("), Item::Expr(*pointer, level::ANY)]);
                for proc in procs {
                    parts.push(Item::Text(format!(", {}", self.proc_name(*proc)).into()));
                }
                parts.push(text(")"));
                level::POSTFIX
            }
            ExprKind::Valid(pointer, bytes) => {
                parts.extend([text("valid("), Item::Expr(*pointer, level::ANY)]);
                parts.push(Item::Text(format!(", {bytes})").into()));
                level::POSTFIX
            }
            ExprKind::Unary(op, a) => {
                let sign = match op {
                    UnOp::Neg => "-",
                    UnOp::BitNot => "~",
                    UnOp::Not => "!",
                };
                // `- -x` must not print as a decrement.
                let inner = if *op == UnOp::Neg { level::POSTFIX } else { level::UNARY };
                parts.extend([text(sign), Item::Expr(*a, inner)]);
                level::UNARY
            }
            ExprKind::Binary(op, a, b) => {
                let (sign, lvl) = operator(*op);
                infix(sign, lvl, *a, *b)
            }
            ExprKind::PtrAdd(a, b) => infix(" + ", level::SUM, *a, *b),
            ExprKind::PtrDiff(a, b) => infix(" - ", level::SUM, *a, *b),
            ExprKind::Concat(a, b) => infix(" ++ ", level::SUM, *a, *b),
            ExprKind::Cast(a) => {
                parts.push(Item::Text(format!("({})", self.ty(expr.ty)).into()));
                parts.push(Item::Expr(*a, level::UNARY));
                level::UNARY
            }
            ExprKind::Ite(c, a, b) => {
                parts.push(text("ite("));
                list(parts, &[*c, *a, *b]);
                parts.push(text(")"));
                level::POSTFIX
            }
            ExprKind::Overflows(op, a, b) => {
                let (sign, lvl) = operator(*op);
                parts.push(text("overflows("));
                parts.extend([Item::Expr(*a, lvl), text(sign), Item::Expr(*b, lvl + 1)]);
                parts.push(text(")"));
                level::POSTFIX
            }
            ExprKind::Select(m, index) => {
                parts.extend([Item::Expr(*m, level::POSTFIX), text("[")]);
                list(parts, index);
                parts.push(text("]"));
                level::POSTFIX
            }
            ExprKind::Store(m, index, value) => {
                parts.extend([Item::Expr(*m, level::POSTFIX), text("[")]);
                list(parts, index);
                parts.extend([text(" := "), Item::Expr(*value, level::ANY), text("]")]);
                level::POSTFIX
            }
            ExprKind::Apply(name, args) => {
                parts.extend([Item::Text((&**name).into()), text("(")]);
                list(parts, args);
                parts.push(text(")"));
                level::POSTFIX
            }
            ExprKind::Extract { of, hi, lo } => {
                parts.push(Item::Expr(*of, level::POSTFIX));
                parts.push(Item::Text(format!("[{hi}:{lo}]").into()));
                level::POSTFIX
            }
        }
    }

    fn place_level(&self, p: PlaceId) -> u8 {
        match self.program.exprs.place(p).kind {
            PlaceKind::Deref(_) => level::UNARY,
            _ => level::POSTFIX,
        }
    }

    fn place_parts<'s>(&'s self, p: PlaceId, parts: &mut Vec<Item<'s>>) -> u8 {
        let exprs = &self.program.exprs;
        let place = exprs.place(p);
        match place.kind {
            PlaceKind::Var(v) => parts.push(Item::Text(self.var(v).into())),
            PlaceKind::Deref(e) => {
                parts.push(Item::Text("*".into()));
                // Read as another type than the pointer says.
                if self.program.types.pointee(exprs.ty(e)) != Some(place.ty) {
                    parts.push(Item::Text(format!("({}*)", self.ty(place.ty)).into()));
                }
                parts.push(Item::Expr(e, level::UNARY));
            }
            PlaceKind::Field(of, index) => {
                let name = self.field_name(exprs.place(of).ty, index);
                match exprs.place(of).kind {
                    PlaceKind::Deref(e)
                        if self.program.types.pointee(exprs.ty(e)) == Some(exprs.place(of).ty) =>
                    {
                        parts.extend([Item::Expr(e, level::POSTFIX), Item::Text("->".into())]);
                    }
                    _ => parts.extend([Item::Place(of, level::POSTFIX), Item::Text(".".into())]),
                }
                parts.push(Item::Text(name.into()));
            }
            PlaceKind::Index(of, index) => {
                parts.extend([Item::Place(of, level::POSTFIX), Item::Text("[".into())]);
                parts.extend([Item::Expr(index, level::ANY), Item::Text("]".into())]);
            }
        }
        self.place_level(p)
    }

    fn field_name(&self, record: TypeId, index: u32) -> String {
        let field = match self.program.types.get(record) {
            Type::Record(r) => self.program.types.records[*r].fields.get(index as usize),
            _ => None,
        };
        match field {
            Some(f) if !f.name.is_empty() => f.name.to_string(),
            _ => format!("#{index}"),
        }
    }

    fn constant(&self, c: &Const, ty: TypeId) -> String {
        match c {
            Const::Bool(b) => b.to_string(),
            Const::Bits(bits) => match self.program.types.get(ty) {
                Type::Int(int) if int.signed => arith::to_i128(*bits, *int).to_string(),
                Type::Int(_) => bits.to_string(),
                Type::Ptr(_) if *bits == 0 => "null".into(),
                Type::Float(FloatTy::F32) => format!("{:?}f", f32::from_bits(*bits as u32)),
                Type::Float(FloatTy::F64) => format!("{:?}", f64::from_bits(*bits as u64)),
                _ => format!("{bits:#x}"),
            },
            Const::Int(n) => n.to_string(),
            Const::Real(r) => r.to_string(),
            Const::Zero => "{0}".into(),
            Const::Bytes(bytes) => {
                const SHOWN: usize = 60;
                let shown = &bytes[..bytes.len().min(SHOWN)];
                let shown = shown.strip_suffix(&[0]).unwrap_or(shown);
                let dots = if bytes.len() > SHOWN { "…" } else { "" };
                format!("\"{}{dots}\"", shown.escape_ascii())
            }
        }
    }
}

fn list(parts: &mut Vec<Item<'_>>, exprs: &[ExprId]) {
    for (i, &e) in exprs.iter().enumerate() {
        if i > 0 {
            parts.push(Item::Text(", ".into()));
        }
        parts.push(Item::Expr(e, level::ANY));
    }
}
