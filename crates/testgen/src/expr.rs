//! Places and expressions.

use crate::generate::Gen;
use crate::tree::{Expr, Piece, Pieces};
use crate::types::{Int, Ty};

impl Gen {
    /// A place of a wanted type: from a variable through elements, members and pointers.
    pub fn place(
        &mut self,
        want: &dyn Fn(&Ty) -> bool,
        write: bool,
        global: bool,
    ) -> Option<(Vec<Piece>, Ty)> {
        const TRIES: usize = 12;
        let guards = self.guards.len();
        for _ in 0..TRIES {
            if let Some(found) = self.walk(want, write, global) {
                return Some(found);
            }
            self.guards.truncate(guards);
        }
        None
    }

    fn walk(&mut self, want: &dyn Fn(&Ty) -> bool, write: bool, global: bool) -> Option<(Vec<Piece>, Ty)> {
        let var = self.scope[self.rng.below(self.scope.len())].clone();
        if write && !var.writable || global && !var.global {
            return None;
        }
        let mut place = vec![Piece::Text(var.name.clone())];
        let mut ty = var.ty;
        // Pointers in variables always point to something.
        let mut nullable = false;
        for _ in 0..6 {
            if want(&ty) {
                return Some((place, ty));
            }
            match ty {
                Ty::Int(_) | Ty::Bits(..) => return None,
                Ty::Array(of, n) => {
                    place.push(Piece::Text("[".into()));
                    place.push(Piece::Expr(self.index(n)));
                    place.push(Piece::Text("]".into()));
                    (ty, nullable) = (*of, true);
                }
                Ty::Record(r) => {
                    let fields = &self.records[r].fields;
                    let (field, of) = fields[self.rng.below(fields.len())].clone();
                    place.push(Piece::Text(format!(".{field}")));
                    (ty, nullable) = (of, true);
                }
                Ty::Ptr(to) => {
                    if global {
                        return None;
                    }
                    if nullable {
                        self.guards.push(place.clone());
                    }
                    place.insert(0, Piece::Text("(*".into()));
                    place.push(Piece::Text(")".into()));
                    (ty, nullable) = (*to, true);
                }
            }
        }
        None
    }

    /// An index of an array, mostly within it.
    fn index(&mut self, n: u32) -> Expr {
        let counters: Vec<String> =
            self.scope.iter().filter(|v| v.below.is_some_and(|b| b <= n)).map(|v| v.name.clone()).collect();
        match self.rng.below(10) {
            0..=3 if !counters.is_empty() => Expr::text(self.rng.pick(&counters).clone()),
            0..=5 => Expr::text(self.rng.below(n as usize).to_string()),
            6 if n.is_power_of_two() => {
                let (e, _) = self.leaf();
                Pieces::new().t("(").e(e).t(format!(" & {})", n - 1)).expr()
            }
            _ => {
                let (e, _) = self.leaf();
                Pieces::new().t("((unsigned)").e(e).t(format!(" % {n})")).expr()
            }
        }
    }

    /// The value of a place of integer type.
    pub fn read(&mut self) -> (Expr, Int) {
        match self.place(&|t| t.as_int().is_some(), false, false) {
            Some((pieces, ty)) => (Expr { pieces }, ty.as_int().unwrap_or(Int::I32)),
            None => (Expr::text("g0"), Int::I32),
        }
    }

    /// A place of integer type to write to.
    pub fn target(&mut self) -> (Vec<Piece>, Int) {
        match self.place(&|t| t.as_int().is_some(), true, false) {
            Some((pieces, ty)) => (pieces, ty.as_int().unwrap_or(Int::I32)),
            None => (vec![Piece::Text("g0".into())], Int::I32),
        }
    }

    pub fn leaf(&mut self) -> (Expr, Int) {
        if self.scope.is_empty() || self.rng.chance(25) {
            let int = self.int();
            let value = self.constant(int);
            return (value, int.promoted());
        }
        // Without an index in an index in an index.
        match self.scope[self.rng.below(self.scope.len())].clone() {
            var if matches!(var.ty, Ty::Int(_)) => {
                (Expr::text(var.name), var.ty.as_int().unwrap_or(Int::I32))
            }
            _ => (Expr::text("g0"), Int::I32),
        }
    }

    pub fn expr(&mut self, depth: usize) -> (Expr, Int) {
        if depth == 0 || self.rng.chance(25) {
            return if self.rng.chance(70) { self.read() } else { self.leaf() };
        }
        match self.rng.below(20) {
            0..=5 => self.arithmetic(depth),
            6 | 7 => self.division(depth),
            8..=10 => self.bits(depth),
            11 | 12 => self.shift(depth),
            13 | 14 => (self.condition(depth), Int::I32),
            15 => {
                let (a, ty) = self.expr(depth - 1);
                let (op, ty) = *self.rng.pick(&[("-", ty.promoted()), ("~", ty.promoted()), ("!", Int::I32)]);
                let a = if op == "-" { self.narrowed(a, ty, ty) } else { a };
                (Pieces::new().t(format!("({op}")).e(a).t(")").expr(), ty)
            }
            16 => {
                let condition = self.condition(depth - 1);
                let ((a, ta), (b, tb)) = (self.expr(depth - 1), self.expr(depth - 1));
                let ty = ta.common(tb);
                (Pieces::new().t("(").e(condition).t(" ? ").e(a).t(" : ").e(b).t(")").expr(), ty)
            }
            _ => {
                let (a, _) = self.expr(depth - 1);
                let ty = self.int();
                (Pieces::new().t(format!("(({})", ty.name())).e(a).t(")").expr(), ty)
            }
        }
    }

    /// Mostly brings an operand of a signed operation so near to zero that the operation stays in its type.
    fn narrowed(&mut self, e: Expr, ty: Int, result: Int) -> Expr {
        let half = result.half();
        if !result.signed() || ty.bits() <= half.bits() && ty.signed() || self.rng.chance(12) {
            return e;
        }
        if self.rng.chance(30) {
            let limit = [7, 10, 100][self.rng.below(3)];
            return Pieces::new().t("(").e(e).t(format!(" % {limit})")).expr();
        }
        Pieces::new().t(format!("({})", half.name())).e(e).expr()
    }

    fn arithmetic(&mut self, depth: usize) -> (Expr, Int) {
        let ((a, ta), (b, tb)) = (self.expr(depth - 1), self.expr(depth - 1));
        let ty = ta.common(tb);
        let (a, b) = (self.narrowed(a, ta, ty), self.narrowed(b, tb, ty));
        let op = *self.rng.pick(&["+", "+", "-", "-", "*"]);
        (Pieces::new().t("(").e(a).t(format!(" {op} ")).e(b).t(")").expr(), ty)
    }

    fn division(&mut self, depth: usize) -> (Expr, Int) {
        let (a, ta) = self.expr(depth - 1);
        let op = *self.rng.pick(&["/", "%"]);
        if self.rng.chance(60) {
            let sign = if self.rng.chance(25) { "-" } else { "" };
            let most = *self.rng.pick(&[10, 1000]);
            let divisor = 1 + self.rng.below(most);
            return (
                Pieces::new().t("(").e(a).t(format!(" {op} ({sign}{divisor}))")).expr(),
                ta.common(Int::I32),
            );
        }
        let (b, tb) = self.expr(depth - 1);
        let ty = ta.common(tb);
        let a = self.narrowed(a, ta, ty);
        if self.rng.chance(50) {
            (Pieces::new().t("(").e(a).t(format!(" {op} (")).e(b).t(" | 1))").expr(), ty)
        } else {
            let again = b.clone();
            (
                Pieces::new()
                    .t("(")
                    .e(b)
                    .t(" ? ")
                    .e(a.clone())
                    .t(format!(" {op} "))
                    .e(again)
                    .t(" : ")
                    .e(a)
                    .t(")")
                    .expr(),
                ty,
            )
        }
    }

    fn bits(&mut self, depth: usize) -> (Expr, Int) {
        let (a, ta) = self.expr(depth - 1);
        let op = *self.rng.pick(&["&", "|", "^"]);
        let (b, tb) = match self.rng.below(4) {
            // A run of ones: exact in integer arithmetic, too.
            0 | 1 => {
                let mask = ((1u64 << (1 + self.rng.below(8))) - 1) << self.rng.below(8);
                (Expr::text(mask.to_string()), Int::I32)
            }
            2 => {
                let int = self.int();
                (self.constant(int), int.promoted())
            }
            _ => self.expr(depth - 1),
        };
        (Pieces::new().t("(").e(a).t(format!(" {op} ")).e(b).t(")").expr(), ta.common(tb))
    }

    fn shift(&mut self, depth: usize) -> (Expr, Int) {
        let (a, ta) = self.expr(depth - 1);
        let ty = ta.promoted();
        let op = *self.rng.pick(&["<<", ">>"]);
        let amount = match self.rng.below(6) {
            0 => {
                let (e, _) = self.leaf();
                Pieces::new().t("((unsigned)").e(e).t(format!(" % {})", ty.bits())).expr()
            }
            1 => {
                let (e, _) = self.leaf();
                Pieces::new().t("(").e(e).t(" & 3)").expr()
            }
            _ => Expr::text(self.rng.below(ty.bits() as usize).to_string()),
        };
        // A negative value is not shifted to the left (C11 6.5.7).
        let a = if op == "<<" && ty.signed() && !self.rng.chance(5) {
            Pieces::new().t("(").e(a).t(" & 127)").expr()
        } else {
            a
        };
        (Pieces::new().t("(").e(a).t(format!(" {op} ")).e(amount).t(")").expr(), ty)
    }

    /// A comparison or a connective of them.
    pub fn condition(&mut self, depth: usize) -> Expr {
        match self.rng.below(10) {
            0 | 1 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = *self.rng.pick(&["&&", "||"]);
                Pieces::new().t("(").e(a).t(format!(" {op} ")).e(b).t(")").expr()
            }
            2 => self.pointer_comparison().unwrap_or_else(|| Expr::text("(g0 > 0)")),
            3..=5 => {
                let (a, ty) = self.expr(depth.saturating_sub(1));
                let b = self.constant(ty);
                let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                Pieces::new().t("(").e(a).t(format!(" {op} ")).e(b).t(")").expr()
            }
            _ => {
                let ((a, _), (b, _)) =
                    (self.expr(depth.saturating_sub(1)), self.expr(depth.saturating_sub(1)));
                let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                Pieces::new().t("(").e(a).t(format!(" {op} ")).e(b).t(")").expr()
            }
        }
    }

    fn pointer_comparison(&mut self) -> Option<Expr> {
        let (a, ty) = self.place(&|t| matches!(t, Ty::Ptr(_)), false, false)?;
        let op = *self.rng.pick(&["==", "!="]);
        if self.rng.chance(25) {
            return Some(Pieces::new().t("(").fixed(&a).t(format!(" {op} 0)")).expr());
        }
        let b = self.pointer(&ty, false)?;
        Some(Pieces::new().t("(").fixed(&a).t(format!(" {op} ")).fixed(&b).t(")").expr())
    }

    /// A pointer of a type; to what lives as long as the program if so wanted.
    pub fn pointer(&mut self, ty: &Ty, global: bool) -> Option<Vec<Piece>> {
        let Ty::Ptr(to) = ty else { return None };
        if self.rng.chance(30)
            && let Some((place, _)) = self.place(&|t| t == ty, false, global)
            && place.len() == 1
        {
            return Some(place);
        }
        let (place, _) = self.place(&|t| *t == **to, false, global)?;
        let mut pieces = vec![Piece::Text("&".into())];
        pieces.extend(place);
        Some(pieces)
    }
}
