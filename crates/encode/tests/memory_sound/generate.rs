//! Random C programs full of pointers. They keep to what C defines where that is easy; a run ends where it is not. No byte of a
//! pointer is overwritten: the analysis takes it that a pointer is not made of numbers (`ub` is there for bytes).

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const DECLARATIONS: &str = "
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long); extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
struct in { int a; char c[4]; struct in *p; long l; int *w; };
union u { int i; char b[8]; int *q; struct in *s; };
struct out { int h; struct in e[3]; union u u; int *w; unsigned f1 : 3, f2 : 7; struct in *list; };
int x, y, ia[8], m[3][4], *ip, *iq, **ipp; char buf[64], *cp; long li; unsigned long ul;
struct in g1, g2, arr[4], *sp, *sq, **spp; struct out o1, o2, oa[2], *op; union u uu, ub, *up;
static struct in *fresh(void) { struct in *n = malloc(sizeof(struct in)); n->a = 1; n->p = 0; n->w = &n->a; n->l = 2; return n; }
static void bytes(void *d, const void *s, int n) { char *a = d; const char *b = s; for (int i = 0; i < n; i++) a[i] = b[i]; }
static int length(struct in *n, int most) { if (!n || !most) return 0; return 1 + length(n->p, most - 1); }
static int *choose(int *a, int *b) { return *a < *b ? a : b; }
static struct in pass(struct in s, int v) { s.a += v; return s; }
";

const INT_PLACES: &[&str] = &[
    "x",
    "y",
    "ia[I]",
    "ia[2]",
    "m[I % 3][1]",
    "*ip",
    "*iq",
    "**ipp",
    "g1.a",
    "g2.a",
    "arr[I & 3].a",
    "arr[1].a",
    "sp->a",
    "sq->a",
    "*sp->w",
    "(*spp)->a",
    "o1.h",
    "op->h",
    "op->e[I % 3].a",
    "o1.e[1].a",
    "*op->w",
    "uu.i",
    "ub.i",
    "op->u.i",
    "up->i",
    "oa[I & 1].h",
    "oa[1].e[I % 3].a",
];
const INT_POINTERS: &[&str] = &[
    "ip",
    "iq",
    "*ipp",
    "sp->w",
    "sq->w",
    "g1.w",
    "g2.w",
    "arr[I & 3].w",
    "op->w",
    "o1.w",
    "o2.w",
    "uu.q",
    "oa[I & 1].w",
];
const INT_ADDRESSES: &[&str] = &[
    "&x",
    "&y",
    "&ia[I]",
    "&ia[3]",
    "ia",
    "&g1.a",
    "&sp->a",
    "&op->h",
    "&arr[2].a",
    "&m[1][I & 3]",
    "&o2.e[I % 3].a",
    "&uu.i",
    "iq",
    "ip",
    "sp->w",
    "choose(ip, iq)",
];
const STRUCT_POINTERS: &[&str] =
    &["sp", "sq", "*spp", "sp->p", "g1.p", "arr[I & 3].p", "op->list", "o1.list", "op->e[1].p", "uu.s"];
const STRUCT_ADDRESSES: &[&str] = &[
    "&g1",
    "&g2",
    "&arr[I & 3]",
    "arr",
    "&o1.e[I % 3]",
    "&op->e[2]",
    "fresh()",
    "sq",
    "sp",
    "&oa[I & 1].e[0]",
    "&arr[1]",
];
const STRUCTS: &[&str] =
    &["g1", "g2", "arr[I & 3]", "arr[2]", "*sp", "*sq", "o1.e[I % 3]", "op->e[1]", "oa[I & 1].e[2]"];
const OUTS: &[&str] = &["o1", "o2", "*op", "oa[I & 1]", "oa[0]"];

fn expand(rng: &mut Rng, text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c == 'I' {
            out += match rng.below(4) {
                0 => "i",
                1 => "(x & 7)",
                2 => "(i & 3)",
                _ => "(y & 1)",
            };
        } else {
            out.push(c);
        }
    }
    out
}

fn int_value(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("{}", rng.below(10)),
        _ => {
            let place = rng.pick(INT_PLACES);
            format!("({} & 15)", expand(rng, place))
        }
    }
}

fn statement(rng: &mut Rng, depth: usize) -> String {
    let kind = rng.below(if depth > 2 { 26 } else { 30 });
    let pick = |rng: &mut Rng, list: &[&str]| {
        let text = rng.pick(list);
        expand(rng, text)
    };
    match kind {
        0..=5 => format!("{} = {};", pick(rng, INT_PLACES), int_value(rng)),
        6..=8 => format!("{} = {};", pick(rng, INT_POINTERS), pick(rng, INT_ADDRESSES)),
        9..=11 => format!("{} = {};", pick(rng, STRUCT_POINTERS), pick(rng, STRUCT_ADDRESSES)),
        12 => format!("ipp = {};", pick(rng, &["&ip", "&iq", "&sp->w", "&op->w", "&arr[I & 3].w", "&g1.w"])),
        13 => format!("spp = {};", pick(rng, &["&sp", "&sq", "&g1.p", "&sp->p", "&op->list"])),
        14 => format!("op = {};", pick(rng, &["&o1", "&o2", "&oa[I & 1]", "&oa[1]"])),
        15 => format!("{} = {};", pick(rng, STRUCTS), pick(rng, STRUCTS)),
        16 => format!("{} = {};", pick(rng, OUTS), pick(rng, OUTS)),
        17 => {
            let (a, b) = (pick(rng, STRUCTS), pick(rng, STRUCTS));
            format!("if (&{a} != &{b}) memcpy(&{a}, &{b}, sizeof(struct in));")
        }
        18 => format!("if ({0}) {{ sp = {0}; }}", pick(rng, STRUCT_POINTERS)),
        19 => {
            let p = rng.pick(&["sp", "sq"]);
            format!("li = (long)&{p}->l; {p} = (struct in *)((char *)li - (unsigned long)&((struct in *)0)->l);")
        }
        20 => {
            let (a, b) = (rng.pick(&["ip", "iq"]), rng.pick(&["ip", "iq", "g1.w", "sp->w"]));
            match rng.below(4) {
                0 => format!("bytes(&{a}, &{b}, sizeof {a});"),
                1 => format!("ul = (unsigned long){b}; {a} = (int *)ul;"),
                2 => format!("ul = (unsigned long){b} | 1; if (ul & 1) {a} = (int *)(ul & ~1UL);"),
                _ => format!("memcpy(&{a}, &{b}, sizeof(int *));"),
            }
        }
        21 => format!("bytes(&{}, &{}, sizeof(struct in));", pick(rng, &["g1", "arr[I & 3]", "*sp"]), pick(rng, &["g2", "arr[1]"])),
        22 => {
            let b = pick(rng, &["buf[I]", "buf[5]", "g1.c[I & 3]", "sp->c[1]", "ub.b[I & 7]", "op->e[1].c[I & 3]", "*cp"]);
            format!("{b} = {}; x = (x + {b}) & 63;", int_value(rng))
        }
        23 => format!("cp = {};", pick(rng, &["buf", "&buf[I]", "g1.c", "sp->c", "ub.b", "(char *)&x", "buf + 3"])),
        24 => match rng.below(6) {
            0 => format!("op->f1 = {}; op->f2 = op->f1 + 3; y = op->f2;", int_value(rng)),
            1 => format!("memset(&{}, 0, sizeof(struct in)); x = 0;", pick(rng, &["g2", "arr[3]"])),
            2 => "up = &op->u; up->i = 3; uu = *up;".into(),
            3 => "ip = ia; for (int k = 0; k < 8; k++) *ip++ = k; ip = ia;".into(),
            4 => "iq = &m[0][0]; for (int k = 0; k < 12; k++) iq[k] += 1; iq = &x;".into(),
            _ => "{ struct in *t = calloc(3, sizeof(struct in)); for (int k = 0; k < 3; k++) { t[k].w = &t[k].a; t[k].p = sp; } sp = &t[1]; }".into(),
        },
        25 => match rng.below(4) {
            0 => format!("x = length({}, 5);", pick(rng, STRUCT_POINTERS)),
            1 => format!("{} = pass({}, 1);", pick(rng, STRUCTS), pick(rng, STRUCTS)),
            2 => "{ int loc = x; int *t = &loc; *t += 1; y = loc & 7; }".into(),
            _ => "{ char *raw = malloc(2 * sizeof(struct in)); memcpy(raw, &g1, sizeof g1); memcpy(raw + sizeof g1, &arr[1], sizeof g1); sq = (struct in *)(raw + sizeof(struct in)); }".into(),
        },
        26 => format!("if ({} > 4) {{ {} }} else {{ {} }}", int_value(rng), block(rng, depth + 1), block(rng, depth + 1)),
        27 => format!("if (__VERIFIER_nondet_int()) {{ {} }}", block(rng, depth + 1)),
        28 => format!("for (int i = 0; i < {}; i++) {{ {} }}", 1 + rng.below(4), block(rng, depth + 1)),
        _ => block(rng, depth + 1),
    }
}

fn block(rng: &mut Rng, depth: usize) -> String {
    let n = 1 + rng.below(if depth == 0 { 25 } else { 4 });
    (0..n).map(|_| statement(rng, depth)).collect::<Vec<_>>().join("\n  ")
}

pub fn program(seed: u64) -> String {
    let mut rng = Rng(seed);
    let body = block(&mut rng, 0);
    format!(
        "{DECLARATIONS}
int main() {{
  int i = 0;
  ip = &x; iq = &y; ipp = &ip; cp = buf; sp = &g1; sq = &g2; spp = &sp; op = &o1; up = &uu;
  g1.w = &x; g2.w = &y; for (int k = 0; k < 4; k++) arr[k].w = &arr[k].a;
  o1.w = &x; o2.w = &y; oa[0].w = oa[1].w = &ia[1]; o1.list = &g1; o2.list = &g2; uu.i = 0;
  for (int k = 0; k < 3; k++) {{ o1.e[k].w = &x; o2.e[k].w = &y; oa[0].e[k].w = oa[1].e[k].w = &x; }}
  {body}
  return 0;
}}
"
    )
}
