//! Statements.

use crate::generate::{Function, Gen, Var};
use crate::tree::{Expr, Piece, Pieces, Stmt};
use crate::types::{Int, Ty};

impl Gen {
    pub fn block(&mut self, count: usize, depth: usize) -> Vec<Stmt> {
        let outside = self.scope.len();
        let stmts = (0..count).map(|_| self.stmt(depth)).collect();
        self.scope.truncate(outside);
        stmts
    }

    fn inner(&mut self, depth: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(self.size.statements.min(3));
        self.block(count, depth + 1)
    }

    /// Runs a statement only where the pointers that it follows are not null.
    pub fn guarded(&mut self, make: impl FnOnce(&mut Gen) -> Stmt) -> Stmt {
        let outer = std::mem::take(&mut self.guards);
        let stmt = make(self);
        let guards = std::mem::replace(&mut self.guards, outer);
        if guards.is_empty() {
            return stmt;
        }
        let mut pieces = Pieces::new().t("if (");
        for (i, guard) in guards.iter().enumerate() {
            pieces = pieces.t(if i == 0 { "" } else { " && " }).fixed(guard);
        }
        pieces.t(") ").b(vec![stmt]).stmt()
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let flow = depth < self.size.depth && self.rng.chance(35);
        if flow {
            return match self.rng.below(8) {
                0..=3 => self.branch(depth),
                4 | 5 => self.counted(depth),
                6 => self.open_loop(depth),
                _ => self.switch(depth),
            };
        }
        if self.heavy && self.rng.chance(60) {
            return self.guarded(Gen::memory_stmt);
        }
        match self.rng.below(24) {
            0..=7 => self.guarded(Gen::assign),
            8 | 9 => self.guarded(Gen::nondet),
            10 | 11 => self.guarded(Gen::pointer_assign),
            12 | 13 => self.guarded(Gen::copy),
            14 | 15 if !self.functions.is_empty() => self.guarded(Gen::call),
            16 => self.guarded(Gen::check),
            17 => self.guarded(Gen::array_loop),
            18 => self.guarded(Gen::allocate),
            19 if self.loops > 0 => self.guarded(|g| {
                let word = *g.rng.pick(&["break", "continue"]);
                let condition = g.condition(1);
                Pieces::new().t("if (").e(condition).t(format!(") {word};")).stmt()
            }),
            20 => self.guarded(|g| {
                let condition = g.condition(1);
                let word = *g.rng.pick(&["__VERIFIER_assume(", "if ("]);
                let end = if word == "if (" { ") abort();" } else { ");" };
                // Most runs should go on.
                let (on, off) = if word == "if (" { ("0 && ", "") } else { ("1 || ", "") };
                let skip = if g.rng.chance(50) { on } else { off };
                Pieces::new().t(format!("{word}{skip}")).e(condition).t(end).stmt()
            }),
            _ => self.guarded(Gen::assign),
        }
    }

    pub fn assign(&mut self) -> Stmt {
        let depth = self.size.depth;
        let (target, ty) = self.target();
        match self.rng.below(8) {
            0 => {
                let op = *self.rng.pick(&["++", "--"]);
                // Near the end of its type it would overflow.
                Pieces::new()
                    .t("if (")
                    .fixed(&target)
                    .t(" < 100 && ")
                    .fixed(&target)
                    .t(" + 100 > 0) ")
                    .fixed(&target)
                    .t(format!("{op};"))
                    .stmt()
            }
            1 => {
                let op = *self.rng.pick(&["&", "|", "^"]);
                let (value, _) = self.expr(depth.saturating_sub(1));
                Pieces::new().fixed(&target).t(format!(" {op}= ")).e(value).t(";").stmt()
            }
            2 if ty.bits() < 32 || !ty.signed() => {
                let op = *self.rng.pick(&["+", "-", "*"]);
                let half = ty.half().name();
                let (value, _) = self.expr(depth.saturating_sub(1));
                Pieces::new().fixed(&target).t(format!(" {op}= ({half})")).e(value).t(";").stmt()
            }
            _ => {
                let (value, _) = self.expr(depth);
                Pieces::new().fixed(&target).t(" = ").e(value).t(";").stmt()
            }
        }
    }

    fn nondet(&mut self) -> Stmt {
        let (target, ty) = self.target();
        let call = format!("__VERIFIER_nondet_{}()", ty.nondet());
        let pieces = Pieces::new().fixed(&target).t(format!(" = {call}"));
        match self.rng.below(3) {
            0 => pieces.t(format!(" & {};", (1 << (1 + self.rng.below(6))) - 1)).stmt(),
            _ => pieces.t(";").stmt(),
        }
    }

    fn pointer_assign(&mut self) -> Stmt {
        let Some((target, ty)) = self.place(&|t| matches!(t, Ty::Ptr(_)), true, false) else {
            return self.assign();
        };
        // A pointer in a local variable may point to another one.
        let local = match &target[..] {
            [Piece::Text(name)] => self.scope.iter().any(|v| v.name == *name && !v.global),
            _ => false,
        };
        match self.pointer(&ty, !local) {
            Some(value) => Pieces::new().fixed(&target).t(" = ").fixed(&value).t(";").stmt(),
            None => self.assign(),
        }
    }

    /// Whole records and arrays.
    fn copy(&mut self) -> Stmt {
        let want = |t: &Ty| matches!(t, Ty::Record(_) | Ty::Array(..));
        let Some((target, ty)) = self.place(&want, true, false) else { return self.assign() };
        if let Ty::Array(of, n) = &ty
            && self.rng.chance(40)
            && of.as_int().is_some()
        {
            let elements = 1 + self.rng.below(*n as usize);
            let byte = if of.as_int() == Some(Int::Bool) { 0 } else { [0, 0, 1, 255][self.rng.below(4)] };
            return Pieces::new()
                .t("memset(")
                .fixed(&target)
                .t(format!(", {byte}, {elements} * sizeof "))
                .fixed(&target)
                .t("[0]);")
                .stmt();
        }
        let pointers = self.has_pointers(&ty);
        if self.rng.chance(20) || matches!(ty, Ty::Array(..)) && self.rng.chance(30) {
            let byte = if pointers || self.rng.chance(60) { 0 } else { 1 };
            return Pieces::new()
                .t("memset(&")
                .fixed(&target)
                .t(format!(", {byte}, sizeof "))
                .fixed(&target)
                .t(");")
                .stmt();
        }
        let Some((source, _)) = self.place(&|t| *t == ty, false, false) else { return self.assign() };
        if matches!(ty, Ty::Record(_)) && self.rng.chance(60) {
            return Pieces::new().fixed(&target).t(" = ").fixed(&source).t(";").stmt();
        }
        Pieces::new()
            .t("if (&")
            .fixed(&target)
            .t(" != &")
            .fixed(&source)
            .t(") memcpy(&")
            .fixed(&target)
            .t(", &")
            .fixed(&source)
            .t(", sizeof ")
            .fixed(&target)
            .t(");")
            .stmt()
    }

    fn has_pointers(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ptr(_) => true,
            Ty::Array(of, _) => self.has_pointers(of),
            Ty::Record(r) => self.records[*r].fields.iter().any(|(_, t)| self.has_pointers(t)),
            _ => false,
        }
    }

    /// A call by name or through a pointer.
    fn call(&mut self) -> Stmt {
        let function = self.rng.pick(&self.functions.clone()).clone();
        if !self.rng.chance(25) {
            return self.call_of(&function, &function.name).unwrap_or_else(|| self.assign());
        }
        let pointer = self.name("f");
        let Some(call) = self.call_of(&function, &pointer) else { return self.assign() };
        let mut params = function.params.clone();
        // Sometimes the pointer has another type of function.
        let other = self.rng.chance(15);
        if let Some(Ty::Int(int)) = params.first_mut().filter(|_| other) {
            *int = self.int();
        }
        let list: Vec<String> = params.iter().map(|t| t.declare("", &self.records)).collect();
        let of = |name: &str| function.ret.declare(&format!("{name}({})", list.join(", ")), &self.records);
        let (declared, cast) = (of(&format!("(*{pointer})")), of("(*)"));
        let value = match self.rng.below(3) {
            0 if !other => function.name.clone(),
            1 if self.addresses => format!("({cast})(unsigned long){}", function.name),
            _ => format!("({cast}){}", function.name),
        };
        Pieces::new().b(vec![Stmt::text(format!("{declared} = {value};")), call]).stmt()
    }

    fn call_of(&mut self, function: &Function, callee: &str) -> Option<Stmt> {
        let mut pieces = Pieces::new();
        match &function.ret {
            Ty::Int(_) => {
                let (target, _) = self.target();
                if self.rng.chance(85) {
                    pieces = pieces.fixed(&target).t(" = ");
                }
            }
            ty => {
                if let Some((target, _)) = self.place(&|t| t == ty, true, false) {
                    pieces = pieces.fixed(&target).t(" = ");
                }
            }
        }
        pieces = pieces.t(format!("{callee}("));
        for (i, ty) in function.params.iter().enumerate() {
            pieces = pieces.t(if i == 0 { "" } else { ", " });
            pieces = match ty {
                Ty::Ptr(_) => pieces.fixed(&self.pointer(ty, false)?),
                Ty::Record(_) => pieces.fixed(&self.place(&|t| t == ty, false, false)?.0),
                _ => pieces.e(self.expr(1).0),
            };
        }
        Some(pieces.t(");").stmt())
    }

    pub fn return_stmt(&mut self) -> Stmt {
        let ret = self.ret.clone();
        self.guarded(|g| match &ret {
            Ty::Record(_) => match g.place(&|t| *t == ret, false, false) {
                Some((place, _)) if g.guards.is_empty() => {
                    Pieces::new().t("return ").fixed(&place).t(";").stmt()
                }
                _ => {
                    g.guards.clear();
                    let declared = ret.declare("result", &g.records);
                    Stmt::text(format!("{{ {declared} = {{0}}; return result; }}"))
                }
            },
            _ => {
                let value = g.expr(2).0;
                // A return must not depend on a pointer.
                let value = if g.guards.is_empty() { value } else { Expr::text("g0") };
                g.guards.clear();
                Pieces::new().t("return ").e(value).t(";").stmt()
            }
        })
    }

    /// What should not happen; sometimes it cannot.
    pub fn check(&mut self) -> Stmt {
        let condition = match self.rng.below(6) {
            // Never true.
            0 => {
                let (e, _) = self.expr(2);
                let n = 2 + self.rng.below(9);
                Pieces::new().t("((unsigned)").e(e).t(format!(" % {n} >= {n})")).expr()
            }
            1 => {
                let (e, ty) = self.read();
                let text = match ty {
                    Int::U8 => " > 255)",
                    Int::I8 => " < -128)",
                    Int::U16 => " >= 65536)",
                    Int::Bool => " > 1)",
                    _ => " % 16 == 16)",
                };
                Pieces::new().t("(").e(e).t(text).expr()
            }
            // Both at once: rare.
            2 | 3 => {
                let (a, b) = (self.condition(2), self.condition(2));
                Pieces::new().e(a).t(" && ").e(b).expr()
            }
            _ => self.condition(2),
        };
        Pieces::new().t("if (").e(condition).t(") reach_error();").stmt()
    }

    /// From end to end of an array, by index or by pointer.
    fn array_loop(&mut self) -> Stmt {
        let want = |t: &Ty| matches!(t, Ty::Array(of, _) if matches!(**of, Ty::Int(_)));
        let Some((array, Ty::Array(of, n))) = self.place(&want, true, false) else { return self.assign() };
        let Some(int) = of.as_int() else { return self.assign() };
        let (k, p) = (self.name("k"), self.name("p"));
        let count = format!("for (int {k} = 0; {k} < {n}; {k}++) ");
        let start = |at: &str| {
            Pieces::new().t(format!("{} *{p} = ", int.name())).fixed(&array).t(format!("{at};")).stmt()
        };
        let by_index = [&array[..], &[Piece::Text(format!("[{k}]"))]].concat();
        let pointed = vec![Piece::Text(format!("*{p}"))];
        // What comes before the loop, its head, the element in a round, and what comes after that.
        let (before, head, element, after) = match self.rng.below(6) {
            0 | 1 => (None, Pieces::new().t(count), by_index, None),
            2 => (Some(start("")), Pieces::new().t(count), pointed, Some(format!("{p}++;"))),
            3 => {
                let head = Pieces::new().t(format!("while ({p} < ")).fixed(&array).t(format!(" + {n}) "));
                (Some(start("")), head, pointed, Some(format!("{p}++;")))
            }
            4 => {
                let head = Pieces::new()
                    .t(format!("for (int {k} = 1; {p} != "))
                    .fixed(&array)
                    .t(format!(" + {n}; {k}++) "));
                (Some(start("")), head, pointed, Some(format!("{p}++; if ({p} - {k} > {p}) reach_error();")))
            }
            _ => {
                let element = vec![Piece::Text(format!("{p}[-1 - {k}]"))];
                (Some(start(&format!(" + {n}"))), Pieces::new().t(count), element, None)
            }
        };
        let step = match self.rng.below(4) {
            0 => {
                let value = self.expr(1).0;
                Pieces::new().fixed(&element).t(" = ").e(value).t(";")
            }
            1 if before.is_some() => {
                Pieces::new().fixed(&element).t(format!(" = 3 * ({p} - ")).fixed(&array).t(");")
            }
            1 => Pieces::new().fixed(&element).t(format!(" = {k} * 3;")),
            _ => {
                let (sum, ty) = self.target();
                let text = format!(" = ({})((unsigned)", ty.name());
                Pieces::new().fixed(&sum).t(text).fixed(&sum).t(" + ").fixed(&element).t(");")
            }
        };
        let mut body = vec![step.stmt()];
        body.extend(after.map(Stmt::text));
        let mut all: Vec<Stmt> = before.into_iter().collect();
        all.push(head.b(body).stmt());
        Pieces::new().b(all).stmt()
    }

    /// A fresh object for a pointer.
    fn allocate(&mut self) -> Stmt {
        let Some((target, Ty::Ptr(to))) = self.place(&|t| matches!(t, Ty::Ptr(_)), true, false) else {
            return self.assign();
        };
        let make = Pieces::new().fixed(&target);
        if let Ty::Int(int) = *to
            && self.rng.chance(20)
        {
            // One that is gone at the end.
            let (p, value, (sum, _)) = (self.name("p"), self.expr(1).0, self.target());
            let first = format!("{} *{p} = malloc(2 * sizeof *{p});", int.name());
            let all = vec![
                Stmt::text(first),
                Pieces::new().t(format!("{p}[1] = ")).e(value).t(";").stmt(),
                Pieces::new().fixed(&sum).t(format!(" = {p}[1];")).stmt(),
                Stmt::text(format!("free({p});")),
            ];
            return Pieces::new().b(all).stmt();
        }
        if self.rng.chance(30) {
            return make.t(" = calloc(1, sizeof *").fixed(&target).t(");").stmt();
        }
        let mut both = vec![make.t(" = malloc(sizeof *").fixed(&target).t(");").stmt()];
        both.push(match &*to {
            Ty::Int(_) if self.rng.chance(80) => {
                let value = self.expr(1).0;
                Pieces::new().t("*").fixed(&target).t(" = ").e(value).t(";").stmt()
            }
            Ty::Int(_) => return Pieces::new().b(both).stmt(),
            ty if !self.has_pointers(ty) && self.rng.chance(30) => return Pieces::new().b(both).stmt(),
            ty => match self.place(&|t| t == ty, false, true) {
                Some((source, _)) if self.rng.chance(50) => {
                    Pieces::new().t("*").fixed(&target).t(" = ").fixed(&source).t(";").stmt()
                }
                _ => {
                    Pieces::new().t("memset(").fixed(&target).t(", 0, sizeof *").fixed(&target).t(");").stmt()
                }
            },
        });
        Pieces::new().b(both).stmt()
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        self.guarded(|g| {
            let condition = g.condition(2);
            // What is inside guards itself.
            let guards = std::mem::take(&mut g.guards);
            let mut pieces = Pieces::new().t("if (").e(condition).t(") ").b(g.inner(depth));
            if g.rng.chance(50) {
                pieces = pieces.t(" else ").b(g.inner(depth));
            }
            g.guards = guards;
            pieces.stmt()
        })
    }

    fn counted(&mut self, depth: usize) -> Stmt {
        let counter = self.name("i");
        let rounds = 1 + self.rng.below(self.size.rounds) as u32;
        let ty = *self.rng.pick(&[Int::I32, Int::I32, Int::U32, Int::U8]);
        self.scope.push(Var {
            name: counter.clone(),
            ty: Ty::Int(ty),
            global: false,
            writable: false,
            below: Some(rounds),
        });
        self.loops += 1;
        let body = self.inner(depth);
        self.loops -= 1;
        self.scope.pop();
        let head = format!("for ({} {counter} = 0; {counter} < {rounds}; {counter}++) ", ty.name());
        Pieces::new().t(head).b(body).stmt()
    }

    /// A loop whose end depends on an arbitrary value.
    fn open_loop(&mut self, depth: usize) -> Stmt {
        let counter = self.name("n");
        let rounds = 1 + self.rng.below(self.size.rounds);
        self.loops += 1;
        let body = self.inner(depth);
        self.loops -= 1;
        let start = format!("unsigned {counter} = __VERIFIER_nondet_uint() % {};", rounds + 1);
        let head = if self.rng.chance(60) {
            Pieces::new().t(format!("while ({counter}-- > 0) ")).b(body).stmt()
        } else {
            Pieces::new().t("do ").b(body).t(format!(" while ({counter}-- > 0);")).stmt()
        };
        Pieces::new().b(vec![Stmt::text(start), head]).stmt()
    }

    fn switch(&mut self, depth: usize) -> Stmt {
        self.guarded(|g| {
            let (e, _) = g.expr(1);
            let guards = std::mem::take(&mut g.guards);
            let loops = std::mem::take(&mut g.loops);
            let mut body = Vec::new();
            for value in 0..1 + g.rng.below(3) {
                let end = if g.rng.chance(70) { " break;" } else { "" };
                body.push(Pieces::new().t(format!("case {value}: ")).b(g.inner(depth)).t(end).stmt());
            }
            if g.rng.chance(60) {
                body.push(Pieces::new().t("default: ").b(g.inner(depth)).stmt());
            }
            (g.guards, g.loops) = (guards, loops);
            Pieces::new().t("switch (").e(e).t(" & 3) ").b(body).stmt()
        })
    }

    /// A local variable; pointers are initialised, the others mostly.
    pub fn local(&mut self) -> Stmt {
        let name = self.name("v");
        let ty = self.var_type();
        let text = ty.declare(&name, &self.records);
        let outer = std::mem::take(&mut self.guards);
        let pieces = match &ty {
            Ty::Int(_) if self.rng.chance(30) => Pieces::new().t(format!("{text};")),
            Ty::Int(int) if self.rng.chance(50) => {
                Pieces::new().t(format!("{text} = __VERIFIER_nondet_{}();", int.nondet()))
            }
            Ty::Int(_) => {
                let value = self.expr(1).0;
                let value = if self.guards.is_empty() { value } else { Expr::text("1") };
                Pieces::new().t(format!("{text} = ")).e(value).t(";")
            }
            Ty::Ptr(to) => match self.pointer(&ty, false) {
                Some(value) if self.guards.is_empty() => {
                    Pieces::new().t(format!("{text} = ")).fixed(&value).t(";")
                }
                _ => {
                    let target = self.name("v");
                    let declared = to.declare(&target, &self.records);
                    let start = if matches!(**to, Ty::Int(_)) { "1" } else { "{0}" };
                    self.declare(&target, (**to).clone(), false);
                    Pieces::new().t(format!("{declared} = {start}; {text} = &{target};"))
                }
            },
            Ty::Array(of, n) if matches!(**of, Ty::Int(Int::I8 | Int::U8)) && self.rng.chance(50) => {
                Pieces::new().t(format!("{text} = \"{}\";", &"wxyz"[..self.rng.below(*n as usize).min(4)]))
            }
            Ty::Array(of, n) if matches!(**of, Ty::Int(_)) && self.rng.chance(60) => {
                let mut pieces = Pieces::new().t(format!("{text} = {{"));
                for i in 0..1 + self.rng.below(*n as usize) {
                    let int = of.as_int().unwrap_or(Int::I32);
                    pieces = pieces.t(if i == 0 { "" } else { ", " }).e(self.constant(int));
                }
                pieces.t("};")
            }
            // Pointers in it would point to nowhere.
            _ if self.rng.chance(25) && !self.has_pointers(&ty) => Pieces::new().t(format!("{text};")),
            _ => Pieces::new().t(format!("{text} = {{0}};")),
        };
        self.guards = outer;
        self.declare(&name, ty, false);
        pieces.stmt()
    }
}
