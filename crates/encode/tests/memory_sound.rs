//! The analysis against the interpreter.
//!
//! A program is run with probes in front of every operation: the address of each place it accesses and the value of each scalar it
//! reads. The trace is then replayed twice in terms of the analysis:
//! - every address must belong to an object and offset that the candidates of the place cover;
//! - a store that knows nothing but cells, and moves values as [`Layout::access`], [`Layout::copy`] and the others say, must
//!   hold the value that the program reads, wherever it claims to know it.
//!
//! `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make long runs on generated programs by hand.

#[path = "memory_sound/generate.rs"]
mod generate;
#[path = "memory_sound/probe.rs"]
mod probe;
#[path = "memory_sound/programs.rs"]
mod programs;
#[path = "memory_sound/shadow.rs"]
mod shadow;

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Overflow, Random, RunEnd};
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_cfa::{DataModel, Program};
use craig_encode::memory::{AddressMap, CellKind, Layout, Seen};
use craig_frontend::Reading;
use craig_frontend::c::load_text;

/// What a check saw.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    accesses: usize,
    /// Reads whose value the store of cells knew.
    known: usize,
    ended: usize,
}

fn load(text: &str, model: DataModel) -> Program {
    match load_text("test.c", text, &Reading { model, ..Reading::default() }, &Budget::unlimited()) {
        Ok(loaded) => loaded.program,
        Err(e) => panic!("{e:?}\n{text}"),
    }
}

fn prepared(program: &Program, inline_limit: Option<usize>) -> Program {
    let options = PrepareOptions { prune: false, fold: true, cone: false, inline_limit, unfolding: None };
    prepare(program, &options, &Budget::unlimited()).expect("no limit").program
}

fn check(program: &Program, seed: u64, about: &str) -> Counted {
    let memory =
        Layout::new(program, &Seen::default(), &AddressMap::new(), &Budget::unlimited()).expect("no limit");
    let probed = probe::instrument(program);
    let config = Config { overflow: Overflow::Wrap, steps: 200_000, trace: 1 << 20, ..Config::default() };
    let run = interp::run(&probed.program, &config, &mut Random::new(seed), &mut Vec::new());
    assert!(!matches!(run.end, RunEnd::Internal(_)), "{:?}\n{about}", run.end);
    let mut seen =
        Counted { ended: usize::from(matches!(run.end, RunEnd::Ended { .. })), ..Counted::default() };
    let finished = !matches!(run.end, RunEnd::Undefined(..));
    if let Err(what) = shadow::replay(program, &memory, &probed, &run.trace, finished, &mut seen) {
        panic!("{what}\n{about}\n{memory}");
    }
    seen
}

/// In both data models, with and without inlining.
fn check_text(text: &str, seeds: std::ops::Range<u64>) -> Counted {
    let mut all = Counted::default();
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let source = load(text, model);
        for limit in [Some(200_000), None] {
            let program = prepared(&source, limit);
            for seed in seeds.clone() {
                let seen = check(&program, seed, text);
                all.accesses += seen.accesses;
                all.known += seen.known;
                all.ended += seen.ended;
            }
        }
    }
    all
}

#[test]
fn programs_written_for_it() {
    for (name, text) in programs::PROGRAMS {
        let seen = check_text(text, 0..3);
        assert!(seen.ended > 0, "{name} never ends well");
        assert!(seen.accesses > 0, "{name} accesses nothing");
    }
}

#[test]
fn programs_of_the_front_end() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../frontend/tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        check_text(&text, 0..1);
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn generated_programs() {
    let count = setting("CRAIG_TEST_ROUNDS", 1) * 60;
    let first = setting("CRAIG_TEST_SEED", 0);
    let mut all = Counted::default();
    for seed in first..first + count {
        let text = generate::program(seed);
        let seen = check_text(&text, seed..seed + 2);
        all.accesses += seen.accesses;
        all.known += seen.known;
        all.ended += seen.ended;
    }
    assert!(all.known * 4 > all.accesses / 4, "the store of cells knows too little: {all:?}");
    assert!(all.ended as u64 > count, "too many runs end early: {all:?}");
}

/// Pointers to functions get from `f` to a call of another type in many ways.
#[test]
fn functions_of_other_types() {
    let declared = "void *memcpy(void *, const void *, unsigned long); void *malloc(unsigned long); void free(void *); \
        void *realloc(void *, unsigned long); unsigned long __VERIFIER_nondet_ulong(void); \
        static float f(float x) { return x; } static void other(void) {} void (*unused)(void) = other; \
        struct a { long n; float (*f)(float); struct a *next; } a = { 1, f }; typedef int (*call)(int); ";
    let ways = [
        // A byte pointer that moves; back from a member.
        "struct b { call g; }; char *p = (char *)&a; p += sizeof(long); return ((struct b *)p)->g(1);",
        "struct b { long n; call g; }; char *p = (char *)&a.next; return ((struct b *)(p - 2 * sizeof(long)))->g(1);",
        // Read as a number, as bytes, as a float, and stored elsewhere.
        "call g; unsigned long v = *(unsigned long *)&a.f; *(unsigned long *)&g = v; return g(1);",
        "call g; for (unsigned i = 0; i < sizeof g; i++) ((char *)&g)[i] = ((char *)&a.f)[i]; return g(1);",
        "struct { call g; int n; } s; memcpy(&s.g, (char *)&a + sizeof(long), sizeof s.g); return s.g(1);",
        "union { float (*f)(float); double d; float e; } u, w; u.f = f; if (sizeof w.d == sizeof w.f) w.d = u.d; else w.e = u.e; \
         call g; memcpy(&g, &w, sizeof g); return g(1);",
        // An array seen as one of other elements.
        "struct b { call g; } *b; struct a as[2]; as[0] = as[1] = a; b = (struct b *)as; int i = 3; while (i < 4) i++; return b[i].g(1);",
        // From memory seen as another type to other memory.
        "struct b { long n; call g; struct b *next; }; struct a c = { 2, 0, &a }; return ((struct b *)&c)->next->g(1);",
        "struct b { long n; call g; } *b; struct a *p = malloc(sizeof a); *p = a; b = realloc(p, 2 * sizeof a); return b->g(1);",
        // In numbers.
        "unsigned long v = (unsigned long)f, low = v & 255, high = v >> 8; return ((call)(high << 8 | low))(1);",
        "unsigned long v = (unsigned long)f, n = 0; while (n < v) n++; return ((call)n)(1);",
    ];
    for (model, way) in [DataModel::Ilp32, DataModel::Lp64].into_iter().flat_map(|m| ways.map(|way| (m, way)))
    {
        let text = format!("{declared} int main() {{ if (!unused) return 1; {way} }}");
        let source = load(&text, model);
        let run = interp::run(&source, &Config::default(), &mut Random::new(1), &mut Vec::new());
        assert!(matches!(run.end, RunEnd::Unsupported(_)), "{:?}\n{text}", run.end);
        for limit in [Some(200_000), None] {
            check(&prepared(&source, limit), 1, &text);
        }
    }
}

#[test]
fn addresses_carry_over_and_wrong_ones_do_not() {
    let text = "int x, a[4]; int *p, i; int main() { p = i ? &x : &a[i]; *p = 1; return a[i] + x; }";
    let program = prepared(&load(text, DataModel::Lp64), Some(1000));
    let memory =
        Layout::new(&program, &Seen::default(), &AddressMap::new(), &Budget::unlimited()).expect("no limit");
    let mut map = memory.addresses();
    assert_eq!(
        Layout::new(&program, &Seen::default(), &map, &Budget::unlimited()).expect("no limit").addresses(),
        map
    );
    for base in map.values_mut() {
        *base += 1 << 20;
    }
    assert_eq!(
        Layout::new(&program, &Seen::default(), &map, &Budget::unlimited()).expect("no limit").addresses(),
        map
    );
    // All in one place, or at null, or not aligned: none of it is believed.
    for wrong in [1 << 20, 0, (1 << 20) + 1] {
        let map: AddressMap = map.keys().map(|k| (k.clone(), wrong)).collect();
        let memory = Layout::new(&program, &Seen::default(), &map, &Budget::unlimited()).expect("no limit");
        let mut bases: Vec<u64> = memory.addresses().into_values().collect();
        bases.sort_unstable();
        assert!(bases.windows(2).all(|w| w[1] - w[0] >= 16), "{bases:?}");
        assert!(bases[0] >= 0x1000 && bases.iter().all(|b| b % 16 == 0));
        assert!(memory.heap_start().offset > *bases.last().unwrap());
    }
}

#[test]
fn scalars_cost_nothing() {
    let text = "int main() { int x = 0; while (x < 10) { int y = x; x = y + 1; } return x; }";
    let program = prepared(&load(text, DataModel::Ilp32), Some(1000));
    let memory =
        Layout::new(&program, &Seen::default(), &AddressMap::new(), &Budget::unlimited()).expect("no limit");
    assert!(memory.cells().iter().all(|c| c.kind == CellKind::Scalar { address: None }));
}
