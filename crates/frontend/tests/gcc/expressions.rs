//! Constant expressions: value, size and signedness must be what gcc says.

use crate::support::{MODELS, Rng, agree, setting};
use craig_cfa::DataModel;

const PRELUDE: &str = "
enum { RED, GREEN = 5, BLUE, MINUS = -7, TOP = 0x7fffffff, LETTER = 'x' };
enum big { HUGE = 0x80000000u, ONE = 1 };
enum wide { FAR = 1LL << 40, NEAR = -1, NEXT };
enum tiny { ZERO };
enum mixed { LOW = -1, HIGH = 0x80000000u };
typedef unsigned char byte;
typedef short half;
struct pair { char c; long l; };
union either { int i; double d; char text[7]; };
";

const TYPES: [&str; 29] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "enum big",
    "enum wide",
    "enum tiny",
    "enum mixed",
    "byte",
    "half",
    "signed",
    "long int unsigned",
    "int long long signed",
    "short unsigned",
    "const int",
    "volatile unsigned char",
    "__typeof__(1 ? 1u : 2LL)",
    "__typeof__((char)1)",
    "int8",
    "uint16",
    "int64",
];
const SIZED: [&str; 12] = [
    "float",
    "double",
    "long double",
    "void *",
    "char *",
    "int (*)(long)",
    "int [7]",
    "short [3][5]",
    "struct pair",
    "union either",
    "struct pair [2]",
    "double *[4]",
];
const ATTRIBUTED: &str = "
typedef int int8 __attribute__((mode(QI)));
typedef unsigned int uint16 __attribute__((__mode__(__HI__)));
typedef int int64 __attribute__((mode(DI)));
";
const ENUMERATORS: [&str; 14] = [
    "RED", "GREEN", "BLUE", "MINUS", "TOP", "LETTER", "HUGE", "ONE", "FAR", "NEAR", "NEXT", "ZERO", "LOW",
    "HIGH",
];
const CHARACTERS: [&str; 22] = [
    "'a'",
    "'0'",
    "' '",
    "'\\0'",
    "'\\n'",
    "'\\\\'",
    "'\\''",
    "'\"'",
    "'\\377'",
    "'\\x80'",
    "'\\x7f'",
    "'ab'",
    "'abcd'",
    "'\\12'",
    "L'a'",
    "L'\\xffff'",
    "u'z'",
    "u'\\xffff'",
    "U'z'",
    "U'\\xffffffff'",
    "'\\e'",
    "L'\\u00e4'",
];

struct Maker<'a> {
    rng: &'a mut Rng,
}

impl Maker<'_> {
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let below = depth - 1;
        match self.rng.below(20) {
            0 | 1 => format!("({})({})", self.ty(), self.expression(below)),
            2 => format!("(-({}))", self.expression(below)),
            3 => format!("(~({}))", self.expression(below)),
            4 => format!("(!({}))", self.expression(below)),
            5 => format!("(+({}))", self.expression(below)),
            6 => {
                let op = self.rng.pick(&["<<", ">>"]);
                let amount = match self.rng.below(4) {
                    0 => self.leaf(),
                    1 => format!("({} & 7)", self.expression(below)),
                    _ => format!("{}", self.rng.below(31)),
                };
                format!("({} {op} {amount})", self.expression(below))
            }
            7 => {
                let op = self.rng.pick(&["/", "%"]);
                format!("({} {op} ({} | 1))", self.expression(below), self.expression(below))
            }
            8..=10 => {
                let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({} {op} {})", self.expression(below), self.expression(below))
            }
            11 | 12 => {
                let op = self.rng.pick(&["&&", "||"]);
                format!("({} {op} {})", self.expression(below), self.expression(below))
            }
            13 | 14 => {
                let (a, b) = (self.expression(below), self.expression(below));
                format!("({} ? {a} : {b})", self.expression(below))
            }
            15 => format!("sizeof({})", self.expression(below)),
            _ => {
                let op = self.rng.pick(&["+", "-", "*", "&", "|", "^", "&", "|", "^"]);
                format!("({} {op} {})", self.expression(below), self.expression(below))
            }
        }
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(12) {
            0 => self.rng.pick(&ENUMERATORS).to_string(),
            1 => self.rng.pick(&CHARACTERS).to_string(),
            2 => {
                let op = self.rng.pick(&["sizeof", "_Alignof", "__alignof__"]);
                // The old spelling gives the preferred alignment, which is another one on i386 for eight bytes.
                let ty = if op == "__alignof__" { "int" } else { self.any_type() };
                format!("{op}({ty})")
            }
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> String {
        let bits = match self.rng.below(6) {
            0 => 63,
            1 => 33,
            2 => 32,
            3 => 16,
            _ => 7,
        };
        let mut value = self.rng.next() & ((1 << bits) - 1);
        if self.rng.one_in(5) {
            // The edges of the types.
            let edge = self.rng.pick(&[&7u32, &8, &15, &16, &31, &32, &63]);
            value = (1u64 << edge).wrapping_add(self.rng.below(3) as u64).wrapping_sub(1);
        }
        let suffix =
            self.rng.pick(&["", "", "", "u", "U", "l", "L", "ul", "LU", "ll", "LL", "ull", "LLU", "uLL"]);
        match self.rng.below(6) {
            0 => format!("0x{value:x}{suffix}"),
            1 => format!("0X{value:X}{suffix}"),
            2 => format!("0{value:o}{suffix}"),
            3 => format!("0b{value:b}{suffix}"),
            // A decimal constant beyond every signed type has no type in C.
            _ => format!("{}{suffix}", value & (u64::MAX >> 1)),
        }
    }

    fn ty(&mut self) -> &'static str {
        self.rng.pick(&TYPES)
    }

    fn any_type(&mut self) -> &'static str {
        if self.rng.one_in(3) { self.rng.pick(&SIZED) } else { self.ty() }
    }
}

#[test]
fn random_constant_expressions() {
    let seed = setting("CRAIG_TEST_SEED", 1);
    for round in 0..setting("CRAIG_TEST_ROUNDS", 3) {
        let seed = seed + round;
        for model in MODELS {
            let mut rng = Rng::new(seed);
            let mut exprs = Vec::new();
            for _ in 0..400 {
                let depth = rng.below(5);
                let e = Maker { rng: &mut rng }.expression(depth);
                exprs.push(format!("sizeof({e})"));
                exprs.push(format!("(__typeof__({e}))-1 < 0"));
                exprs.push(e);
            }
            let prelude = format!("{PRELUDE}{ATTRIBUTED}");
            let folded = agree(&prelude, &exprs, model, seed);
            eprintln!("seed {seed} {model:?}: {folded} of {} expressions are constants", exprs.len());
            assert!(folded * 10 > exprs.len() * 8, "seed {seed}: only {folded} constants");
        }
    }
}

#[test]
fn wide_integers() {
    let exprs = [
        "(long long)((__int128)1 << 100 >> 98)",
        "sizeof((__int128)1 + 1ul)",
        "(__typeof__((unsigned __int128)1 + 1))-1 < 0",
        "(unsigned __int128)-1 / 3 >> 64",
        "(__int128)-1 < 0u",
        "(unsigned __int128)-1 > 0xffffffffffffffffull",
        "(__int128)0x7fffffffffffffff * 4 % 1000",
    ];
    let exprs: Vec<String> = exprs.iter().map(|e| e.to_string()).collect();
    assert_eq!(agree("", &exprs, DataModel::Lp64, 0), exprs.len());
}

#[test]
fn types_of_operands() {
    let prelude = "
        struct f { unsigned u3 : 3; int s3 : 3; unsigned u31 : 31; unsigned u32 : 32; _Bool b : 1; unsigned long long u20 : 20; } f;
        struct f *p; int a[10]; char c; short s; float x; double d; long double ld; void *v; int *ip; char text[] = \"abc\";
        int fn(long); int (*fp)(long);
    ";
    let exprs = [
        "(__typeof__(f.u3 + 0))-1 < 0",
        "(__typeof__(+f.u3))-1 < 0",
        "(__typeof__(+f.s3))-1 < 0",
        "(__typeof__(+f.u31))-1 < 0",
        "(__typeof__(+f.u32))-1 < 0",
        "(__typeof__(+f.b))-1 < 0",
        "(__typeof__(+f.u20))-1 < 0",
        "sizeof(+f.u20)",
        "sizeof(c + c)",
        "sizeof(s ? c : c)",
        "sizeof(x + 1)",
        "sizeof(x + d)",
        "sizeof(d + ld)",
        "sizeof(1.0f)",
        "sizeof(1.0)",
        "sizeof(1.0L)",
        "sizeof(a)",
        "sizeof(a + 0)",
        "sizeof(&a)",
        "sizeof(*&a)",
        "sizeof(a[0])",
        "sizeof(text)",
        "sizeof(\"abc\" \"de\")",
        "sizeof(L\"abc\")",
        "sizeof(u\"abc\")",
        "sizeof(U\"abc\")",
        "sizeof(u8\"abc\")",
        "sizeof(p)",
        "sizeof(*p)",
        "sizeof(p - p)",
        "sizeof(fn(1))",
        "sizeof(fp(1))",
        "sizeof((*fp)(1))",
        "sizeof(fp)",
        "sizeof(v)",
        "sizeof(*v)",
        "sizeof(void)",
        "sizeof(c, s)",
        "sizeof(c = s)",
        "sizeof(c++)",
        "sizeof(c += 1.5)",
        "sizeof(1 ? ip : 0)",
        "sizeof(*(1 ? ip : 0))",
        "sizeof(*(1 ? ip : (void *)0))",
        "sizeof(*(1 ? ip : v))",
        "sizeof(!c)",
        "sizeof(c && s)",
        "sizeof(x < d)",
        "sizeof((struct f){0})",
        "sizeof((int[]){1, 2, 3})",
        "sizeof(_Generic(c, short: 1.0, default: 1))",
        "sizeof 1 + 1",
        "sizeof(char) * 2",
        "__builtin_types_compatible_p(int, unsigned)",
        "__builtin_types_compatible_p(int, signed int)",
        "__builtin_choose_expr(1, 7, 8)",
        "__builtin_constant_p(3 + 4)",
        "sizeof(__builtin_expect(1, 1))",
    ];
    let exprs: Vec<String> = exprs.iter().map(|e| e.to_string()).collect();
    for model in MODELS {
        assert_eq!(agree(prelude, &exprs, model, 0), exprs.len(), "{model:?}");
    }
}
