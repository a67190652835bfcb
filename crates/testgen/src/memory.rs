//! Statements that look at memory as it is: bytes, parts, other types, addresses in numbers.
//!
//! Most of them stay in the object that they begin with, and change only objects in which any bits are a value. Then runs go on, and what
//! was moved can be asserted: a [transfer](Gen::transfer) brings a value from one object to another in some roundabout way and says
//! that it arrived, or that it did not.

use crate::generate::Gen;
use crate::tree::{Expr, Piece, Pieces, Stmt};
use crate::types::{Int, Record, Ty};

/// Types to see bytes through.
const BYTES: [&str; 3] = ["char", "unsigned char", "signed char"];

/// What the statements here call, for a program that has them.
pub(crate) const HELPERS: [&str; 3] = [
    "static void copy_bytes(void *to, const void *from, unsigned long n) { char *t = to; const char *f = from; while (n--) *t++ = *f++; }",
    "static void set_bytes(void *to, int c, unsigned long n) { unsigned char *t = to; for (unsigned long i = 0; i < n; i++) t[i] = c; }",
    "static int same_bytes(const void *a, const void *b, unsigned long n) { const char *p = a, *q = b; for (; n; n--) if (*p++ != *q++) return 0; return 1; }",
];

impl Ty {
    /// Bytes that it has in every data model.
    fn least_size(&self, records: &[Record]) -> u32 {
        match self {
            Ty::Int(int) => int.bits().div_ceil(8),
            // A word that it may share.
            Ty::Bits(..) => 0,
            Ty::Array(of, n) => n * of.least_size(records),
            Ty::Ptr(_) => 4,
            Ty::Record(r) => {
                let sizes = records[*r].fields.iter().map(|(_, t)| t.least_size(records));
                if records[*r].union { sizes.max().unwrap_or(0) } else { sizes.sum() }
            }
        }
    }

    /// Any bits are a value of it.
    fn any_bits(&self, records: &[Record]) -> bool {
        match self {
            Ty::Int(int) | Ty::Bits(int, _) => *int != Int::Bool,
            Ty::Array(of, _) => of.any_bits(records),
            Ty::Record(r) => records[*r].fields.iter().all(|(_, t)| t.any_bits(records)),
            Ty::Ptr(_) => false,
        }
    }

    fn can_be_assigned(&self) -> bool {
        !matches!(self, Ty::Array(..))
    }
}

/// A place that has an address.
#[derive(Debug, Clone)]
struct Object {
    place: Vec<Piece>,
    ty: Ty,
}

impl Object {
    fn named(name: &str, ty: &Ty) -> Object {
        Object { place: vec![Piece::Text(name.into())], ty: ty.clone() }
    }

    fn size(&self) -> Expr {
        Pieces::new().t("sizeof ").fixed(&self.place).expr()
    }
}

impl Gen {
    /// The type as it stands in a cast.
    fn cast(&self, ty: &Ty) -> String {
        format!("({})", ty.declare("", &self.records).trim_end())
    }

    /// An object to change or to read: mostly a whole one, sometimes a part.
    fn object(&mut self, write: bool) -> Option<Object> {
        let records = self.records.clone();
        let part = self.rng.chance(40);
        let want = |t: &Ty| match t {
            Ty::Record(_) => !part,
            Ty::Array(of, _) => !part || matches!(**of, Ty::Int(_)),
            Ty::Int(int) => part && int.bits() > 8,
            _ => false,
        } && (!write || t.any_bits(&records))
            && t.least_size(&records) > 0;
        let (place, ty) = self.place(&want, write, false)?;
        Some(Object { place, ty })
    }

    /// Another one of the same type, which may be the same.
    fn other(&mut self, object: &Object) -> Option<Object> {
        let (place, ty) = self.place(&|t| *t == object.ty, true, false)?;
        Some(Object { place, ty })
    }

    /// A type not larger than the object, to see it through.
    fn view(&mut self, object: &Object) -> Int {
        let most = object.ty.least_size(&self.records) * 8;
        let ints = [Int::U8, Int::U8, Int::I8, Int::I16, Int::U16, Int::I32, Int::U32, Int::Long, Int::U64];
        // `long` has 64 bits in one of the data models.
        let fits = |int: &&Int| if **int == Int::Long { most >= 64 } else { int.bits() <= most.max(8) };
        let fitting: Vec<Int> = ints.iter().filter(fits).copied().collect();
        *self.rng.pick(&fitting)
    }

    /// A pointer to the first byte of an object: from the whole, or from an array at its start.
    fn start(&mut self, object: &Object, element: &str) -> Vec<Piece> {
        let first = match object.ty {
            Ty::Record(r) => self.records[r].fields.first().cloned(),
            _ => None,
        };
        let pieces = Pieces::new().t(format!("({element} *)"));
        match first {
            Some((field, Ty::Array(..))) if self.rng.chance(50) => {
                pieces.fixed(&object.place).t(format!(".{field}")).0
            }
            _ => pieces.t("&").fixed(&object.place).0,
        }
    }

    /// A statement about memory.
    pub fn memory_stmt(&mut self) -> Stmt {
        let made = match self.rng.below(19) {
            0..=4 => self.transfer(false),
            5 => self.byte_loop(),
            6 | 7 => self.poke(),
            8 => self.peek(),
            9 | 10 => self.set_part(),
            11 => self.copy_part(),
            12 => self.compare(),
            13 => self.row(),
            14 if self.addresses => self.look_at_address(),
            16 => self.either(),
            17 | 18 => self.range_from_element(),
            _ => self.reuse(),
        };
        made.unwrap_or_else(|| self.assign())
    }

    /// Brings the content of an object into another one, and says something about what arrived. Only the last one of a program may say
    /// that it did not: an error that is easy to reach hides all that come after it.
    pub fn transfer(&mut self, last: bool) -> Option<Stmt> {
        let mut all = Vec::new();
        let pair = if self.rng.chance(50) { self.pair() } else { None };
        let fresh = pair.is_none();
        let (to, from) = pair.unwrap_or_else(|| {
            self.guards.clear();
            let ty = self.carried_type();
            let names = [self.name("to"), self.name("from")];
            let start = if ty.as_int().is_some() { "0" } else { "{0}" };
            for name in &names {
                all.push(Stmt::text(format!("{} = {start};", ty.declare(name, &self.records))));
            }
            (Object::named(&names[0], &ty), Object::named(&names[1], &ty))
        });
        let (leaf, int) = self.leaf_of(&to.ty.clone())?;
        let value = match int {
            Ty::Int(int) => self.constant(int),
            _ => Expr::text("1"),
        };
        if fresh || to.ty.any_bits(&self.records) {
            all.push(
                Pieces::new()
                    .fixed(&from.place)
                    .t(format!("{leaf} = __VERIFIER_nondet_int() & 1 ? "))
                    .e(value.clone())
                    .t(" : 0;")
                    .stmt(),
            );
        }
        all.push(self.carry_over(&to, &from));
        let arrived = Pieces::new().fixed(&to.place).t(leaf.clone());
        all.push(match self.rng.below(5) {
            0 | 1 => Pieces::new()
                .t("if (")
                .fixed(&arrived.0)
                .t(" != ")
                .fixed(&from.place)
                .t(format!("{leaf}) reach_error();"))
                .stmt(),
            _ if last => {
                Pieces::new().t("if (").fixed(&arrived.0).t(" == ").e(value).t(") reach_error();").stmt()
            }
            _ => {
                let (target, _) = self.target();
                Pieces::new().fixed(&target).t(" = ").fixed(&arrived.0).t(";").stmt()
            }
        });
        if fresh {
            return Some(Pieces::new().b(all).stmt());
        }
        let different = Pieces::new().t("if (&").fixed(&to.place).t(" != &").fixed(&from.place).t(") ");
        Some(different.b(all).stmt())
    }

    /// Two objects of one type that can be changed.
    fn pair(&mut self) -> Option<(Object, Object)> {
        let to = self.object(true)?;
        let from = self.other(&to)?;
        (to.place != from.place).then_some((to, from))
    }

    /// What is worth being copied.
    fn carried_type(&mut self) -> Ty {
        let rows = |of, columns| Ty::Array(Box::new(Ty::Array(Box::new(Ty::Int(of)), columns)), 2);
        match self.rng.below(10) {
            0..=5 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            6 if !self.records.is_empty() => {
                Ty::Array(Box::new(Ty::Record(self.rng.below(self.records.len()))), 2)
            }
            7 => rows(*self.rng.pick(&[Int::I8, Int::U8, Int::I16, Int::I32]), 2 + self.rng.below(2) as u32),
            _ => Ty::Int(*self.rng.pick(&[Int::I16, Int::I32, Int::U32, Int::Long, Int::U64])),
        }
    }

    /// An integer in a type, by constant indices, and its type.
    fn leaf_of(&mut self, ty: &Ty) -> Option<(String, Ty)> {
        match ty {
            Ty::Int(_) | Ty::Bits(..) => Some((String::new(), ty.clone())),
            Ty::Ptr(_) => None,
            Ty::Array(of, n) => {
                let at = self.rng.below(*n as usize);
                let (rest, leaf) = self.leaf_of(of)?;
                Some((format!("[{at}]{rest}"), leaf))
            }
            Ty::Record(r) => {
                let fields = self.records[*r].fields.clone();
                // The last ones are what a walk over the first misses.
                let last = fields.len() - 1;
                let at = if self.rng.chance(50) { last } else { self.rng.below(fields.len()) };
                let (name, of) = &fields[at];
                let (rest, leaf) = self.leaf_of(of)?;
                Some((format!(".{name}{rest}"), leaf))
            }
        }
    }

    /// A copy of a whole object, one way or another.
    fn carry_over(&mut self, to: &Object, from: &Object) -> Stmt {
        let (p, q, k) = (self.name("p"), self.name("q"), self.name("k"));
        let bytes = *self.rng.pick(&BYTES);
        let (start, source) = (self.start(to, bytes), self.start(from, bytes));
        let pointers = Pieces::new()
            .t(format!("{bytes} *{p} = "))
            .fixed(&start)
            .t(format!(", *{q} = "))
            .fixed(&source)
            .t(";")
            .stmt();
        let size = to.size();
        let by_index = |body: String| {
            vec![
                pointers.clone(),
                Pieces::new()
                    .t(format!("for (unsigned {k} = 0; {k} < "))
                    .e(size.clone())
                    .t(format!("; {k}++) {body}"))
                    .stmt(),
            ]
        };
        let call = |name: &str| {
            Pieces::new()
                .t(format!("{name}(&"))
                .fixed(&to.place)
                .t(", &")
                .fixed(&from.place)
                .t(", ")
                .e(size.clone())
                .t(");")
                .stmt()
        };
        let all = match self.rng.below(13) {
            0 | 1 => by_index(format!("{p}[{k}] = {q}[{k}];")),
            2 => by_index(format!("*{p}++ = *{q}++;")),
            3 => vec![
                pointers,
                Pieces::new()
                    .t(format!("for ({bytes} *{k} = {p} + "))
                    .e(size)
                    .t(format!("; {p} != {k};) *{p}++ = *{q}++;"))
                    .stmt(),
            ],
            4 => vec![
                pointers,
                Pieces::new()
                    .t(format!("for (unsigned {k} = "))
                    .e(size)
                    .t(format!("; {k}-- > 0;) {p}[{k}] = {q}[{k}];"))
                    .stmt(),
            ],
            // They change places.
            5 => by_index(format!("{{ {p}[{k}] ^= {q}[{k}]; {q}[{k}] ^= {p}[{k}]; {p}[{k}] ^= {q}[{k}]; }}")),
            6 => {
                let view = self.view(to).name();
                let words = Pieces::new().t(format!("{view} *{p} = ({view} *)&")).fixed(&to.place);
                let words = words.t(format!(", *{q} = ({view} *)&")).fixed(&from.place).t(";");
                let head = Pieces::new().t(format!("for (unsigned {k} = 0; {k} < ")).e(size);
                vec![words.stmt(), head.t(format!(" / sizeof *{p}; {k}++) {p}[{k}] = {q}[{k}];")).stmt()]
            }
            7 => {
                let split = self.rng.below(to.ty.least_size(&self.records) as usize + 1);
                vec![
                    pointers,
                    Stmt::text(format!("memcpy({p}, {q}, {split});")),
                    Pieces::new()
                        .t(format!("memcpy({p} + {split}, {q} + {split}, "))
                        .e(size)
                        .t(format!(" - {split});"))
                        .stmt(),
                ]
            }
            8 => {
                let function = *self.rng.pick(&["memcpy", "memmove", "copy_bytes"]);
                vec![call(function)]
            }
            9 => self.through_buffer(to, from),
            10 if to.ty.can_be_assigned() => {
                let (u, w) = (self.name("u"), self.name("u"));
                let value = to.ty.declare("v", &self.records);
                let union = Pieces::new().t(format!("union {{ {value}; {bytes} b[")).e(size.clone());
                vec![
                    union.t(format!("]; }} {u}, {w};")).stmt(),
                    Pieces::new().t(format!("{u}.v = ")).fixed(&from.place).t(";").stmt(),
                    Pieces::new()
                        .t(format!("for (unsigned {k} = 0; {k} < "))
                        .e(size)
                        .t(format!("; {k}++) {w}.b[{k}] = {u}.b[{k}];"))
                        .stmt(),
                    Pieces::new().fixed(&to.place).t(format!(" = {w}.v;")).stmt(),
                ]
            }
            11 => {
                let f = self.name("f");
                let mut all = self.pointer_to_copy(&f);
                all.push(call(&f));
                all
            }
            _ => {
                let mut all = self.carry_address(to, &p);
                all.push(if to.ty.can_be_assigned() {
                    Pieces::new().t(format!("*{p} = ")).fixed(&from.place).t(";").stmt()
                } else {
                    Pieces::new()
                        .t(format!("memcpy({p}, &"))
                        .fixed(&from.place)
                        .t(", ")
                        .e(size)
                        .t(");")
                        .stmt()
                });
                all
            }
        };
        Pieces::new().b(all).stmt()
    }

    /// A copy through a piece of the heap or an array of bytes.
    fn through_buffer(&mut self, to: &Object, from: &Object) -> Vec<Stmt> {
        let (b, k) = (self.name("b"), self.name("k"));
        let heap = self.rng.chance(50);
        let size = to.size();
        let buffer = if heap {
            Pieces::new().t(format!("unsigned char *{b} = malloc(")).e(size.clone()).t(");")
        } else {
            Pieces::new().t(format!("unsigned char {b}[")).e(size.clone()).t("];")
        };
        let copy = |head: String, place: &[Piece], middle: String| {
            Pieces::new().t(head).fixed(place).t(middle).e(size.clone()).t(");").stmt()
        };
        let mut all = vec![buffer.stmt(), copy(format!("copy_bytes({b}, &"), &from.place, ", ".into())];
        // The bytes turned round, twice or once.
        if self.rng.chance(30) {
            let turn = format!(
                " / 2; {k}++) {{ unsigned char t = {b}[{k}]; {b}[{k}] = {b}[sizeof(int) - 1 - {k}]; {b}[sizeof(int) - 1 - {k}] = t; }}"
            );
            let turn = Stmt::text(format!("for (unsigned {k} = 0; {k} < sizeof(int){turn}"));
            if to.ty.least_size(&self.records) >= 4 && to.ty.any_bits(&self.records) {
                all.push(turn.clone());
                all.extend(self.rng.chance(70).then_some(turn));
            }
        }
        all.push(copy("memcpy(&".into(), &to.place, format!(", {b}, ")));
        all.extend(heap.then(|| Stmt::text(format!("free({b});"))));
        all
    }

    /// A pointer to the function that copies, which was something else for a while.
    fn pointer_to_copy(&mut self, f: &str) -> Vec<Stmt> {
        const TYPE: &str = "void (*)(void *, const void *, unsigned long)";
        let declared = format!("void (*{f})(void *, const void *, unsigned long) = ");
        let n = self.name("n");
        match self.rng.below(8) {
            0 | 1 => vec![Stmt::text(format!("{declared}copy_bytes;"))],
            2 => vec![
                Stmt::text(format!("void (*{n})(void) = (void (*)(void))copy_bytes;")),
                Stmt::text(format!("{declared}({TYPE}){n};")),
            ],
            3 if self.addresses => vec![
                Stmt::text(format!("unsigned long {n} = (unsigned long)copy_bytes ^ 77;")),
                Stmt::text(format!("{declared}({TYPE})({n} ^ 77);")),
            ],
            4 => vec![
                Stmt::text(format!(
                    "struct {{ int pad; void (*f)(void *, const void *, unsigned long); }} {n} = {{ 1, copy_bytes }};"
                )),
                Stmt::text(format!("{declared}{n}.f;")),
            ],
            5 => {
                // The result is not asked for.
                let (choice, _) = self.expr(1);
                let both = format!(" ? copy_bytes : ({TYPE})same_bytes;");
                vec![Pieces::new().t(declared).e(choice).t(both).stmt()]
            }
            6 => vec![Stmt::text(format!(
                "int (*{f})(char *, char *, unsigned long) = (int (*)(char *, char *, unsigned long))copy_bytes;"
            ))],
            _ => vec![Stmt::text(format!(
                "void (*{f})(void *, const void *, int) = (void (*)(void *, const void *, int))copy_bytes;"
            ))],
        }
    }

    /// Declares a pointer to an object whose address was something else on the way.
    fn carry_address(&mut self, object: &Object, p: &str) -> Vec<Stmt> {
        let pointer = Ty::Ptr(Box::new(object.ty.clone()));
        let (n, m) = (self.name("n"), self.name("m"));
        // Arrays are pointed at by their first bytes.
        let (cast, declared, of) = match &object.ty {
            Ty::Array(..) => ("(char *)".to_owned(), format!("char *{p}"), "char".to_owned()),
            ty => {
                let of = ty.declare("", &self.records).trim_end().to_owned();
                (self.cast(&pointer), pointer.declare(p, &self.records), of)
            }
        };
        let number = |after: &str| {
            Pieces::new()
                .t(format!("unsigned long {n} = (unsigned long)&"))
                .fixed(&object.place)
                .t(after.to_owned())
                .stmt()
        };
        let back = |value: String| Stmt::text(format!("{declared} = {cast}({value});"));
        let address = || Pieces::new().t(format!("{of} *{n} = {cast}&")).fixed(&object.place).t(";").stmt();
        // The first four make no number of it.
        let ways = if self.addresses { 15 } else { 4 };
        match self.rng.below(ways) {
            0 => vec![
                address(),
                Stmt::text(format!("{declared}; unsigned char {m}[sizeof {p}];")),
                Stmt::text(format!("memcpy({m}, &{n}, sizeof {n});")),
                Stmt::text(format!("memcpy(&{p}, {m}, sizeof {p});")),
            ],
            1 => vec![
                address(),
                Stmt::text(format!("{declared} = 0;")),
                Stmt::text(format!(
                    "for (unsigned i = 0; i < sizeof {p}; i++) ((char *)&{p})[i] = ((char *)&{n})[i];"
                )),
            ],
            2 => vec![address(), Stmt::text(format!("char *{m} = *(char **)&{n};")), back(m)],
            3 => {
                let first = Pieces::new().t(format!("{of} *{n}[2] = {{ {cast}&")).fixed(&object.place);
                vec![first.t(format!(", 0 }}; {declared} = *(&{n}[1] - 1);")).stmt()]
            }
            4 => {
                let key = self.rng.below(1 << 16);
                vec![number(&format!(" ^ {key};")), back(format!("{n} ^ {key}"))]
            }
            5 => {
                let step = self.rng.below(100);
                vec![number(&format!(" - {step};")), back(format!("{n} + {step}"))]
            }
            // The lowest bit of its address is free.
            6 if matches!(object.ty, Ty::Int(int) if int.bits() > 8) => {
                vec![number(" | 1;"), back(format!("{n} & ~1UL"))]
            }
            7 => vec![
                number(";"),
                Stmt::text(format!("unsigned short {m} = {n};")),
                back(format!("({n} >> 16) << 16 | {m}")),
            ],
            8 => vec![
                Stmt::text(format!("union {{ {of} *p; unsigned long n; }} {m};")),
                Pieces::new().t(format!("{m}.p = {cast}&")).fixed(&object.place).t(";").stmt(),
                back(format!("{m}.n")),
            ],
            9 => vec![
                number(";"),
                Stmt::text(format!("unsigned long {m}[2]; {m}[1] = {n};")),
                back(format!("{m}[1]")),
            ],
            10 => vec![
                number(";"),
                Stmt::text(format!("unsigned long {m} = 0;")),
                Stmt::text(format!(
                    "for (unsigned i = 0; i < 8 * sizeof {n}; i++) if ({n} >> i & 1) {m} |= 1UL << i;"
                )),
                back(m),
            ],
            11 => {
                let other = self.object(false).unwrap_or_else(|| object.clone());
                let other =
                    Pieces::new().t(format!("unsigned long {m} = (unsigned long)&")).fixed(&other.place);
                vec![
                    number(";"),
                    other.t(";").stmt(),
                    Stmt::text(format!("{n} -= {m};")),
                    back(format!("{m} + {n}")),
                ]
            }
            12 => vec![
                address(),
                Stmt::text(format!("double {m} = (unsigned long){n};")),
                back(format!("(unsigned long){m}")),
            ],
            _ => vec![number(";"), back(n)],
        }
    }

    /// Every byte of an object, or the first so many: changed or added up.
    fn byte_loop(&mut self) -> Option<Stmt> {
        let object = self.object(true)?;
        let (p, k) = (self.name("p"), self.name("k"));
        let bytes = *self.rng.pick(&BYTES);
        let start = self.start(&object, bytes);
        let bound = if self.rng.chance(60) {
            object.size()
        } else {
            Expr::text((1 + self.rng.below(object.ty.least_size(&self.records) as usize)).to_string())
        };
        let step = match self.rng.below(5) {
            0 => Stmt::text(format!("{p}[{k}] = {k};")),
            1 => Stmt::text(format!("{p}[{k}] ^= {};", 1 + self.rng.below(255))),
            2 => {
                let (value, _) = self.expr(1);
                Pieces::new().t(format!("{p}[{k}] = ")).e(value).t(";").stmt()
            }
            _ => {
                let (sum, ty) = self.target();
                let text = format!(" = ({})((unsigned)", ty.name());
                Pieces::new().fixed(&sum).t(text).fixed(&sum).t(format!(" + {p}[{k}]);")).stmt()
            }
        };
        let head = Pieces::new().t(format!("for (unsigned {k} = 0; {k} < ")).e(bound);
        let all = vec![
            Pieces::new().t(format!("{bytes} *{p} = ")).fixed(&start).t(";").stmt(),
            head.t(format!("; {k}++) ")).b(vec![step]).stmt(),
        ];
        Some(Pieces::new().b(all).stmt())
    }

    /// A part of an object seen as another type: from its start, or back from its end.
    fn part(&mut self, object: &Object) -> (Vec<Piece>, Int) {
        let view = self.view(object);
        let name = view.name();
        let count = Pieces::new().t("(").e(object.size()).t(format!(" / sizeof({name}))")).expr();
        let index = if self.rng.chance(60) {
            let most = object.ty.least_size(&self.records) / (view.bits() / 8 * 2).max(1);
            Expr::text(self.rng.below(most.max(1) as usize).to_string())
        } else {
            let (e, _) = self.expr(1);
            Pieces::new().t("((unsigned)").e(e).t(" % ").e(count).t(")").expr()
        };
        let pieces = if self.rng.chance(25) {
            Pieces::new()
                .t(format!("(({name} *)((char *)(&"))
                .fixed(&object.place)
                .t(" + 1) - ")
                .e(object.size())
                .t(format!(" % sizeof({name})))[-1 - (int)"))
                .e(index)
                .t("]")
        } else {
            let start = self.start(object, name);
            Pieces::new().t("(").fixed(&start).t(")[").e(index).t("]")
        };
        (pieces.0, view)
    }

    fn poke(&mut self) -> Option<Stmt> {
        let object = self.object(true)?;
        let (part, _) = self.part(&object);
        let (value, _) = self.expr(1);
        Some(Pieces::new().fixed(&part).t(" = ").e(value).t(";").stmt())
    }

    fn peek(&mut self) -> Option<Stmt> {
        let object = self.object(false)?;
        let (part, _) = self.part(&object);
        if self.rng.chance(10) {
            let (value, _) = self.leaf();
            return Some(
                Pieces::new().t("if (").fixed(&part).t(" == ").e(value).t(") reach_error();").stmt(),
            );
        }
        let (target, _) = self.target();
        Some(Pieces::new().fixed(&target).t(" = ").fixed(&part).t(";").stmt())
    }

    /// The first byte and the number of bytes of a part.
    fn range(&mut self, object: &Object) -> (usize, usize) {
        let size = object.ty.least_size(&self.records) as usize;
        let first = self.rng.below(size);
        (first, 1 + self.rng.below(size - first))
    }

    fn set_part(&mut self) -> Option<Stmt> {
        let object = self.object(true)?;
        let (first, count) = self.range(&object);
        let bytes = *self.rng.pick(&BYTES);
        let start = self.start(&object, bytes);
        let function = *self.rng.pick(&["memset", "memset", "set_bytes"]);
        let byte = match self.rng.below(3) {
            0 => Expr::text("0"),
            1 => Expr::text(self.rng.below(256).to_string()),
            _ => self.expr(1).0,
        };
        let to =
            Pieces::new().t(format!("{function}(")).fixed(&start).t(" + ").e(Expr::text(first.to_string()));
        Some(to.t(", ").e(byte).t(", ").e(Expr::text(count.to_string())).t(");").stmt())
    }

    fn copy_part(&mut self) -> Option<Stmt> {
        let (to, from) = (self.object(true)?, self.object(true)?);
        let ((first, count), (other, most)) = (self.range(&to), self.range(&from));
        let number = |n: usize| Expr::text(n.to_string());
        let call = Pieces::new().t("memmove((char *)&").fixed(&to.place).t(" + ").e(number(first));
        let call = call.t(", (char *)&").fixed(&from.place).t(" + ").e(number(other));
        Some(call.t(", ").e(number(count.min(most))).t(");").stmt())
    }

    /// Bytes of one of two objects, whatever their types are.
    fn either(&mut self) -> Option<Stmt> {
        let (a, b, other) = (self.object(true)?, self.object(true)?, self.object(true)?);
        let size = |g: &Gen, object: &Object| object.ty.least_size(&g.records) as usize;
        let most = size(self, &a).min(size(self, &b));
        let count = 1 + self.rng.below(most);
        let p = self.name("p");
        let (choice, _) = self.expr(1);
        let pointer = Pieces::new().t(format!("void *{p} = ")).e(choice).t(" ? (void *)&").fixed(&a.place);
        let pointer = pointer.t(" : (void *)&").fixed(&b.place).t(";").stmt();
        let shared = count.min(size(self, &other));
        let used = match self.rng.below(3) {
            0 => Stmt::text(format!("memset({p}, {}, {count});", self.rng.below(256))),
            1 => Pieces::new()
                .t(format!("memmove({p}, &"))
                .fixed(&other.place)
                .t(format!(", {shared});"))
                .stmt(),
            _ => Pieces::new().t("memmove(&").fixed(&other.place).t(format!(", {p}, {shared});")).stmt(),
        };
        Some(Pieces::new().b(vec![pointer, used]).stmt())
    }

    /// An element of an array by a variable index, and how many bytes surely follow from there on in the object.
    fn element(&mut self, object: &Object) -> Option<(Vec<Piece>, usize)> {
        let (array, of, count, behind) = match &object.ty {
            Ty::Record(r) if !self.records[*r].union => {
                let fields = self.records[*r].fields.clone();
                let is_array = |(_, t): &(String, Ty)| matches!(t, Ty::Array(of, _) if of.as_int().is_some());
                let at = fields.iter().position(is_array)?;
                let (name, Ty::Array(of, n)) = &fields[at] else { return None };
                let behind: u32 = fields[at + 1..].iter().map(|(_, t)| t.least_size(&self.records)).sum();
                (Pieces::new().fixed(&object.place).t(format!(".{name}")), of.as_int()?, *n, behind)
            }
            Ty::Array(of, n) => match &**of {
                Ty::Int(int) => (Pieces::new().fixed(&object.place), *int, *n, 0),
                Ty::Array(inner, columns) => {
                    let row = self.rng.below(*n as usize) as u32;
                    let behind = (n - 1 - row) * of.least_size(&self.records);
                    let array = Pieces::new().fixed(&object.place).t(format!("[{row}]"));
                    (array, inner.as_int()?, *columns, behind)
                }
                _ => return None,
            },
            _ => return None,
        };
        let (index, _) = self.expr(1);
        let element = array.t("[(unsigned)").e(index).t(format!(" % {count}]"));
        Some((element.0, (of.bits() / 8 + behind) as usize))
    }

    /// Bytes from some element of an array on, perhaps beyond its end.
    fn range_from_element(&mut self) -> Option<Stmt> {
        let (object, other) = (self.object(true)?, self.object(true)?);
        let (element, most) = self.element(&object)?;
        let count = 1 + self.rng.below(most.max(1));
        let shared = count.min(other.ty.least_size(&self.records) as usize);
        let there = Pieces::new().t("&").fixed(&element);
        Some(match self.rng.below(3) {
            0 => {
                let byte = self.rng.below(256);
                Pieces::new().t("memset(").fixed(&there.0).t(format!(", {byte}, {count});")).stmt()
            }
            1 => {
                let to = Pieces::new().t("memmove(").fixed(&there.0).t(", &").fixed(&other.place);
                to.t(format!(", {shared});")).stmt()
            }
            _ => {
                let to = Pieces::new().t("memmove(&").fixed(&other.place).t(", ").fixed(&there.0);
                to.t(format!(", {shared});")).stmt()
            }
        })
    }

    fn compare(&mut self) -> Option<Stmt> {
        let a = self.object(false)?;
        let b = self.other(&a)?;
        let (target, _) = self.target();
        let (first, count) = self.range(&a);
        let function = *self.rng.pick(&["memcmp", "same_bytes"]);
        let side = |pieces: Pieces, object: &Object| {
            pieces.t("(char *)&").fixed(&object.place).t(" + ").e(Expr::text(first.to_string())).t(", ")
        };
        let call = side(side(Pieces::new().fixed(&target).t(format!(" = {function}(")), &a), &b);
        Some(call.e(Expr::text(count.to_string())).t(") == 0;").stmt())
    }

    /// An element of an array of arrays, counted from its first row on.
    fn row(&mut self) -> Option<Stmt> {
        let want = |t: &Ty| match t {
            Ty::Array(row, _) => matches!(&**row, Ty::Array(of, _) if matches!(**of, Ty::Int(_))),
            _ => false,
        };
        let (place, ty) = self.place(&want, true, false)?;
        let Ty::Array(row, rows) = ty else { return None };
        let Ty::Array(_, columns) = *row else { return None };
        let (first, most) = (self.rng.below(rows as usize), rows * columns);
        let index = if self.rng.chance(50) {
            let at = self.rng.below(most as usize) as i64 - (first as i64) * i64::from(columns);
            Expr::text(at.to_string())
        } else {
            let (e, _) = self.expr(1);
            let back = first as u32 * columns;
            Pieces::new().t("((int)((unsigned)").e(e).t(format!(" % {most}) - {back})")).expr()
        };
        let element = Pieces::new().fixed(&place).t(format!("[{first}][")).e(index).t("]");
        if self.rng.chance(60) {
            let (value, _) = self.expr(1);
            return Some(element.t(" = ").e(value).t(";").stmt());
        }
        let (target, _) = self.target();
        Some(Pieces::new().fixed(&target).t(" = ").fixed(&element.0).t(";").stmt())
    }

    /// A piece of the heap that is used, freed and followed by another one.
    fn reuse(&mut self) -> Option<Stmt> {
        let object = self.object(true)?;
        let (p, q) = (self.name("p"), self.name("q"));
        let size = object.size();
        let mut all = vec![
            Pieces::new().t(format!("char *{p} = malloc(")).e(size.clone()).t(");").stmt(),
            Pieces::new()
                .t(format!("memcpy({p}, &"))
                .fixed(&object.place)
                .t(", ")
                .e(size.clone())
                .t(");")
                .stmt(),
        ];
        if self.rng.chance(60) {
            let at = self.rng.below(object.ty.least_size(&self.records) as usize);
            let (value, _) = self.expr(1);
            all.push(Pieces::new().t(format!("{p}[{at}] = ")).e(value).t(";").stmt());
        }
        all.push(
            Pieces::new()
                .t("memcpy(&")
                .fixed(&object.place)
                .t(format!(", {p}, "))
                .e(size.clone())
                .t(");")
                .stmt(),
        );
        all.push(Stmt::text(format!("free({p});")));
        if self.rng.chance(60) {
            all.push(Pieces::new().t(format!("char *{q} = calloc(1, ")).e(size.clone()).t(");").stmt());
            all.push(Pieces::new().t(format!("memcpy({q}, &")).fixed(&object.place).t(", 1);").stmt());
            let (target, _) = self.target();
            all.push(match self.rng.below(3) {
                0 => Stmt::text(format!("if ({q}[0] != {q}[0] + {q}[0] - {q}[0]) reach_error();")),
                _ => Pieces::new().fixed(&target).t(format!(" = {q}[0];")).stmt(),
            });
        }
        Some(Pieces::new().b(all).stmt())
    }

    /// A value that depends on where objects lie.
    fn look_at_address(&mut self) -> Option<Stmt> {
        let (a, b) = (self.object(false)?, self.object(false)?);
        let (target, _) = self.target();
        let number = |pieces: Pieces, object: &Object| pieces.t("(unsigned long)&").fixed(&object.place);
        let pieces = number(Pieces::new().fixed(&target).t(" = "), &a);
        let pieces = match self.rng.below(5) {
            0 => pieces.t(format!(" % {}", 1 << (1 + self.rng.below(4)))),
            1 => number(pieces.t(" < "), &b),
            2 => number(pieces.t(" + sizeof ").fixed(&a.place).t(" == "), &b),
            3 => pieces.t(format!(" >> {} & 7", self.rng.below(12))),
            _ => number(pieces.t(" == "), &b),
        };
        Some(pieces.t(";").stmt())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Size, generate};

    #[test]
    fn most_programs_are_about_memory_and_all_ways_occur() {
        const COUNT: usize = 1000;
        let texts: Vec<String> =
            (0..COUNT as u64).map(|seed| generate(seed, &Size::default()).to_string()).collect();
        let with = |word: &str| texts.iter().filter(|text| text.contains(word)).count();
        assert!(with("copy_bytes") * 2 > COUNT);
        let ways = [
            "char *)&",
            "memmove(&",
            "union { ",
            "malloc(sizeof",
            "same_bytes((char",
            "set_bytes((",
            ")[-1 - ",
            "(unsigned long)&",
            "double m",
            "][-",
            " + 1) - ",
            "*(char **)&",
            ">> i & 1",
            "(unsigned long)copy_bytes",
            "(void (*)(void))copy_bytes",
            "free(p",
            "(*f",
            "][((int)(",
            " ? (void *)&",
            "], &",
            " ^= q",
        ];
        for way in ways {
            assert!(with(way) > 0, "{way}");
        }
        // Addresses become numbers in some only.
        assert!(with("(unsigned long)&") * 2 < COUNT);
    }
}
