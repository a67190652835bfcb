//! The generator of programs.
//!
//! The programs end: loops count to constants or to small arbitrary numbers. They mostly keep to what C defines: signed operands are
//! narrowed before an operation, indices are brought into bounds, pointers in variables always point to something, those in
//! records are asked before they are followed. What undefined behaviour remains ends a run.

use crate::memory;
use crate::rng::Rng;
use crate::tree::{Expr, Piece, Pieces, Program, Stmt};
use crate::types::{INTS, Int, Record, Ty};

/// How large a program becomes.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub globals: usize,
    pub functions: usize,
    /// Statements in a block, at most.
    pub statements: usize,
    /// Depth of blocks and of expressions.
    pub depth: usize,
    /// Rounds of a loop, at most.
    pub rounds: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { globals: 5, functions: 2, statements: 4, depth: 2, rounds: 3 }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    pub global: bool,
    /// Counters of loops are not assigned.
    pub writable: bool,
    /// What it is below, for counters of loops.
    pub below: Option<u32>,
}

#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub name: String,
    pub params: Vec<Ty>,
    pub ret: Ty,
}

#[derive(Debug)]
pub(crate) struct Gen {
    pub rng: Rng,
    pub size: Size,
    pub records: Vec<Record>,
    pub scope: Vec<Var>,
    pub functions: Vec<Function>,
    /// Pointers that the expressions made since the last statement follow, and that may be null.
    pub guards: Vec<Vec<Piece>>,
    pub loops: usize,
    /// Much of the program is about memory as bytes and addresses.
    pub heavy: bool,
    /// Addresses become numbers.
    pub addresses: bool,
    /// What the function being made returns.
    pub ret: Ty,
    names: usize,
}

/// What every program declares.
const HEAD: [&str; 11] = [
    "void reach_error(void);",
    "void *malloc(unsigned long);",
    "void *calloc(unsigned long, unsigned long);",
    "void free(void *);",
    "void *memset(void *, int, unsigned long);",
    "void *memcpy(void *, const void *, unsigned long);",
    "void *memmove(void *, const void *, unsigned long);",
    "int memcmp(const void *, const void *, unsigned long);",
    "void __VERIFIER_assume(int);",
    "void abort(void);",
    "int g0;",
];

/// Of a hundred programs so many are mostly about memory, and of a hundred of these so many make numbers of addresses: where objects lie is
/// open, and their paths cannot be compared value by value.
const HEAVY: usize = 65;
const ADDRESSES: usize = 35;

/// The program of a seed.
pub fn generate(seed: u64, size: &Size) -> Program {
    let mut rng = Rng::new(seed);
    let heavy = rng.chance(HEAVY);
    let addresses = heavy && rng.chance(ADDRESSES);
    let mut g = Gen {
        rng,
        size: *size,
        records: Vec::new(),
        scope: Vec::new(),
        functions: Vec::new(),
        guards: Vec::new(),
        loops: 0,
        heavy,
        addresses,
        ret: Ty::Int(Int::I32),
        names: 0,
    };
    g.program()
}

impl Gen {
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub fn int(&mut self) -> Int {
        *self.rng.pick(INTS)
    }

    fn program(&mut self) -> Program {
        let mut items: Vec<Stmt> = HEAD.map(Stmt::text).into();
        let mut declared = Vec::new();
        for int in INTS {
            if !declared.contains(int) {
                declared.push(*int);
                items.push(Stmt::text(format!("{} __VERIFIER_nondet_{}(void);", int.name(), int.nondet())));
            }
        }
        if self.heavy {
            items.extend(memory::HELPERS.map(Stmt::text));
        }
        for _ in 0..self.rng.below(4) + usize::from(self.heavy) {
            let item = self.record();
            items.push(item);
        }
        self.scope.push(Var {
            name: "g0".into(),
            ty: Ty::Int(Int::I32),
            global: true,
            writable: true,
            below: None,
        });
        for _ in 0..self.size.globals {
            let item = self.global();
            items.push(item);
        }
        for _ in 0..self.rng.below(self.size.functions + 1) {
            let item = self.function();
            items.push(item);
        }
        items.push(self.main());
        Program { items }
    }

    fn record(&mut self) -> Stmt {
        let union = self.rng.chance(25);
        let name = format!("{} {}", if union { "union" } else { "struct" }, self.name("r"));
        let number = self.records.len();
        let mut fields = Vec::new();
        // Members of one size are followed exactly in a union; others only sometimes.
        let one_size = self.rng.chance(75);
        for i in 0..2 + self.rng.below(3) {
            let ty = if self.heavy && !union && i == 0 && self.rng.chance(50) {
                // Bytes at the start of a record: a walk that begins there must go on behind them.
                Ty::Array(
                    Box::new(Ty::Int(*self.rng.pick(&[Int::I8, Int::U8]))),
                    2 + self.rng.below(3) as u32,
                )
            } else if union && one_size {
                Ty::Int(*self.rng.pick(&[Int::I32, Int::U32]))
            } else if union {
                self.plain_type(false)
            } else {
                match self.rng.below(10) {
                    0 => Ty::Bits(Int::U32, 1 + self.rng.below(31) as u32),
                    1 => Ty::Bits(Int::I32, 2 + self.rng.below(30) as u32),
                    2 => Ty::Ptr(Box::new(Ty::Record(number))),
                    3 => Ty::Ptr(Box::new(Ty::Int(self.int()))),
                    _ => self.plain_type(true),
                }
            };
            fields.push((format!("f{i}"), ty));
        }
        self.records.push(Record { name, union, fields });
        let record = &self.records[number];
        let list = record.fields.iter().map(|(n, t)| Stmt::text(format!("{};", t.declare(n, &self.records))));
        Pieces::new().t(format!("{} ", record.name)).b(list.collect()).t(";").stmt()
    }

    /// Integers, small arrays of them and records made before; for a union only integers that may have any bits.
    fn plain_type(&mut self, records: bool) -> Ty {
        if !records {
            let int = *self.rng.pick(&INTS[..INTS.len() - 1]);
            let array = Ty::Array(Box::new(Ty::Int(int)), 2 + self.rng.below(4) as u32);
            return if self.rng.chance(30) { array } else { Ty::Int(int) };
        }
        match self.rng.below(8) {
            0 | 1 => Ty::Array(Box::new(Ty::Int(self.int())), 2 + self.rng.below(4) as u32),
            2 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            _ => Ty::Int(self.int()),
        }
    }

    /// The type of a variable.
    pub fn var_type(&mut self) -> Ty {
        match self.rng.below(12) {
            0..=4 => Ty::Int(self.int()),
            5 | 6 => Ty::Array(Box::new(Ty::Int(self.int())), 2 + self.rng.below(5) as u32),
            7 => {
                let row = Ty::Array(Box::new(Ty::Int(self.int())), 2 + self.rng.below(2) as u32);
                Ty::Array(Box::new(row), 2)
            }
            8 if !self.records.is_empty() => {
                let of = Ty::Record(self.rng.below(self.records.len()));
                Ty::Array(Box::new(of), 2 + self.rng.below(2) as u32)
            }
            9 | 10 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            _ => self.pointer_type(),
        }
    }

    pub fn pointer_type(&mut self) -> Ty {
        let to = match self.rng.below(3) {
            0 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            _ => {
                // One that something has.
                let ints: Vec<Int> = self.scope.iter().filter_map(|v| element(&v.ty)).collect();
                Ty::Int(*self.rng.pick(&ints))
            }
        };
        Ty::Ptr(Box::new(to))
    }

    fn global(&mut self) -> Stmt {
        let name = self.name("g");
        let mut ty = self.var_type();
        let text = ty.declare(&name, &self.records);
        let pieces = match &ty {
            Ty::Int(int) if self.rng.chance(50) => {
                let int = *int;
                Pieces::new().t(format!("{text} = ")).e(self.constant(int)).t(";")
            }
            Ty::Ptr(to) => {
                // Something of its type that lives as long.
                let to = (**to).clone();
                match self.place(&|t| *t == to, false, true) {
                    Some((place, _)) if !place.iter().any(|p| matches!(p, Piece::Expr(_))) => {
                        Pieces::new().t(format!("{text} = &")).fixed(&place).t(";")
                    }
                    _ => {
                        let target = self.name("g");
                        ty = Ty::Ptr(Box::new(to.clone()));
                        let target_text = to.declare(&target, &self.records);
                        self.declare(&target, to, true);
                        Pieces::new().t(format!("{target_text}; {text} = &{target};"))
                    }
                }
            }
            _ => Pieces::new().t(format!("{text};")),
        };
        self.guards.clear();
        self.declare(&name, ty, true);
        pieces.stmt()
    }

    pub fn declare(&mut self, name: &str, ty: Ty, global: bool) {
        self.scope.push(Var { name: name.into(), ty, global, writable: true, below: None });
    }

    fn function(&mut self) -> Stmt {
        let name = self.name("fun");
        let ret = match self.rng.below(5) {
            0 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            _ => Ty::Int(self.int()),
        };
        let params: Vec<Ty> = (0..1 + self.rng.below(3))
            .map(|_| match self.rng.below(6) {
                0 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
                1 => self.pointer_type(),
                _ => Ty::Int(self.int()),
            })
            .collect();
        let outside = self.scope.len();
        let mut list = Vec::new();
        for ty in &params {
            let param = self.name("a");
            list.push(ty.declare(&param, &self.records));
            self.declare(&param, ty.clone(), false);
        }
        self.ret = ret.clone();
        let mut body = self.locals(2);
        let count = 1 + self.rng.below(self.size.statements);
        body.extend(self.block(count, 1));
        body.push(self.return_stmt());
        self.scope.truncate(outside);
        let head = ret.declare(&format!("{name}({}) ", list.join(", ")), &self.records);
        self.functions.push(Function { name, params, ret });
        Pieces::new().t(head).b(body).stmt()
    }

    fn main(&mut self) -> Stmt {
        self.ret = Ty::Int(Int::I32);
        let mut body = self.locals(4);
        // What is short is decided more often, and then what is said of the copy at the end matters.
        let short = self.heavy && self.rng.chance(50);
        body.extend(self.block(if short { 1 } else { 2 + self.size.statements }, 0));
        if self.heavy {
            let moved = self.guarded(|g| g.transfer(true).unwrap_or_else(|| g.check()));
            body.push(moved);
        }
        let checks = if self.heavy { self.rng.below(2) } else { 1 + self.rng.below(3) };
        for _ in 0..checks {
            let check = self.guarded(Gen::check);
            body.push(check);
        }
        body.push(Stmt::text("return 0;"));
        Pieces::new().t("int main(void) ").b(body).stmt()
    }

    /// Declarations at the beginning of a function.
    fn locals(&mut self, most: usize) -> Vec<Stmt> {
        (0..1 + self.rng.below(most)).map(|_| self.local()).collect()
    }

    pub fn constant(&mut self, int: Int) -> Expr {
        let small = self.rng.below(12) as i128;
        let bits = int.bits();
        let (low, high) = if int.signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        let value = match self.rng.below(10) {
            0 => high,
            1 => low + 1,
            2 => high - small,
            3 => -small,
            4 => i128::from(self.rng.bits()),
            _ => small,
        };
        let value = low + (value - low).rem_euclid(high - low + 1);
        let suffix = match int {
            Int::U32 => "U",
            Int::ULong => "UL",
            Int::Long => "L",
            Int::I64 => "LL",
            Int::U64 => "ULL",
            _ => "",
        };
        // The smallest value has no literal.
        if value == low && value < 0 && bits >= 32 {
            return Expr::text(format!("({}{suffix} - 1)", value + 1));
        }
        if value < 0 {
            Expr::text(format!("({value}{suffix})"))
        } else {
            Expr::text(format!("{value}{suffix}"))
        }
    }
}

/// The integer type that a variable of this type is made of.
fn element(ty: &Ty) -> Option<Int> {
    match ty {
        Ty::Int(int) => Some(*int),
        Ty::Array(of, _) => element(of),
        _ => None,
    }
}
