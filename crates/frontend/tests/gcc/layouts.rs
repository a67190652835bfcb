//! Layout of random structs and unions: sizes, alignments, offsets and the bits of bit-fields must be gcc's.

use crate::support::{MODELS, Rng, agree, gcc_runs, interpret, load, setting};
use craig_cfa::interp::RunEnd;
use std::fmt::Write;

const SCALARS: [&str; 18] = [
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
    "float",
    "double",
    "long double",
    "enum colour",
    "void *",
    "int16",
];
/// Types of bit-fields and their widths.
const FIELDS: [(&str, usize); 15] = [
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("signed", 32),
    ("unsigned", 32),
    ("long", 32),
    ("unsigned long", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("long4", 64),
    ("enum colour", 32),
];
/// With an alignment of their own; gcc has no arrays of some of them.
const ALIGNED: [&str; 4] = ["long4", "int16aligned", "_Alignas(8) char", "_Alignas(double) short"];
const PRELUDE: &str = "
enum colour { RED, GREEN };
typedef int int16 __attribute__((mode(HI)));
typedef long long __attribute__((aligned(4))) long4;
typedef int int16aligned __attribute__((aligned(16)));
";

/// Definitions, and what is in them.
struct Maker<'a> {
    rng: &'a mut Rng,
    /// The record being made; names its members.
    record: usize,
    members: usize,
    /// Members that have an offset, as paths.
    offsets: Vec<String>,
    /// Bit-fields, as paths.
    bits: Vec<String>,
    /// Kinds and numbers of the records made before.
    known: Vec<&'static str>,
}

impl Maker<'_> {
    fn name(&mut self) -> String {
        self.members += 1;
        format!("m{}_{}", self.record, self.members)
    }

    fn attribute(&mut self, one_in: usize) -> String {
        if !self.rng.one_in(one_in) {
            return String::new();
        }
        let aligned = 1 << self.rng.below(6);
        match self.rng.below(5) {
            0 => " __attribute__((packed))".into(),
            1 => format!(" __attribute__((aligned({aligned})))"),
            2 => " __attribute__((__aligned__))".into(),
            3 => format!(" __attribute__((packed, aligned({aligned})))"),
            _ => " __attribute__((unused))".into(),
        }
    }

    /// One member; `path` leads to the record that it stands in, if members can be named from the outside.
    fn member(&mut self, path: Option<&str>, depth: usize) -> String {
        match self.rng.below(12) {
            0..=4 => self.bit_field(path),
            5 => {
                let name = self.name();
                let (len, more) = (self.rng.below(4) + 1, if self.rng.one_in(3) { "[2]" } else { "" });
                self.note(path, &name);
                format!("{} {name}[{len}]{more}{};", self.rng.pick(&SCALARS), self.attribute(8))
            }
            6 if depth > 0 => {
                // Without a name its members are those of the outer record.
                let body = self.body(path, depth - 1);
                format!("{body};")
            }
            7 if depth > 0 => {
                let name = self.name();
                let inner = path.map(|p| format!("{p}{name}."));
                self.note(path, &name);
                let body = self.body(inner.as_deref(), depth - 1);
                format!("{body} {name}{};", self.attribute(8))
            }
            8 if !self.known.is_empty() => {
                let name = self.name();
                let other = self.rng.below(self.known.len());
                self.note(path, &name);
                let array = if self.rng.one_in(4) { "[3]" } else { "" };
                format!("{} r{other} {name}{array};", self.known[other])
            }
            _ => {
                let name = self.name();
                self.note(path, &name);
                let types: &[&str] = if self.rng.one_in(6) { &ALIGNED } else { &SCALARS };
                format!("{} {name}{};", self.rng.pick(types), self.attribute(5))
            }
        }
    }

    fn note(&mut self, path: Option<&str>, name: &str) {
        if let Some(path) = path {
            self.offsets.push(format!("{path}{name}"));
        }
    }

    fn bit_field(&mut self, path: Option<&str>) -> String {
        let (ty, most) = FIELDS[self.rng.below(FIELDS.len())];
        if self.rng.one_in(6) {
            let width = if self.rng.one_in(2) { 0 } else { self.rng.below(most) + 1 };
            return format!("{ty} : {width};");
        }
        let width = self.rng.below(most) + 1;
        let name = self.name();
        if let Some(path) = path {
            self.bits.push(format!("{path}{name}"));
        }
        format!("{ty} {name} : {width}{};", self.attribute(8))
    }

    /// `struct { ... } attributes`, without a semicolon.
    fn body(&mut self, path: Option<&str>, depth: usize) -> String {
        let kind = self.rng.pick(&["struct", "struct", "union"]);
        let count = self.rng.below(5) + 1;
        let members: Vec<String> = (0..count).map(|_| self.member(path, depth)).collect();
        format!("{kind} {{ {} }}{}", members.join(" "), self.attribute(6))
    }

    fn definition(&mut self) -> (String, &'static str) {
        let kind = self.rng.pick(&["struct", "struct", "struct", "union"]);
        let front = self.attribute(8);
        let count = self.rng.below(7) + 1;
        let members: Vec<String> = (0..count).map(|_| self.member(Some(""), 2)).collect();
        let back = self.attribute(5);
        let text = format!("{kind}{front} r{} {{ {} }}{back};\n", self.record, members.join(" "));
        (self.packed(text), kind)
    }

    /// Sometimes under `#pragma pack`.
    fn packed(&mut self, text: String) -> String {
        let n = 1 << self.rng.below(5);
        match self.rng.below(12) {
            0 => format!("#pragma pack(push, {n})\n{text}#pragma pack(pop)\n"),
            1 => format!("#pragma pack({n})\n{text}#pragma pack()\n"),
            2 => format!("#pragma pack(push)\n#pragma pack({n})\n{text}#pragma pack(pop)\n"),
            _ => text,
        }
    }
}

/// A random record with its members.
struct Record {
    kind: &'static str,
    offsets: Vec<String>,
    bits: Vec<String>,
}

fn records(seed: u64, count: usize) -> (String, Vec<Record>) {
    let mut rng = Rng::new(seed);
    let mut text = PRELUDE.to_string();
    let mut records: Vec<Record> = Vec::new();
    for record in 0..count {
        let known = records.iter().map(|r| r.kind).collect();
        let mut maker =
            Maker { rng: &mut rng, record, members: 0, offsets: Vec::new(), bits: Vec::new(), known };
        let (definition, kind) = maker.definition();
        let Maker { offsets, bits, .. } = maker;
        text.push_str(&definition);
        records.push(Record { kind, offsets, bits });
    }
    (text, records)
}

#[test]
fn sizes_and_offsets() {
    let seed = setting("CRAIG_TEST_SEED", 1);
    for seed in seed..seed + setting("CRAIG_TEST_ROUNDS", 4) {
        let (text, records) = records(seed, 60);
        let mut exprs = Vec::new();
        for (i, record) in records.iter().enumerate() {
            let kind = record.kind;
            exprs.push(format!("sizeof({kind} r{i})"));
            exprs.push(format!("_Alignof({kind} r{i})"));
            for member in &record.offsets {
                exprs.push(format!("__builtin_offsetof({kind} r{i}, {member})"));
                exprs.push(format!("sizeof((({kind} r{i} *)0)->{member})"));
            }
        }
        for model in MODELS {
            let folded = agree(&text, &exprs, model, seed);
            assert_eq!(folded, exprs.len(), "seed {seed} {model:?}");
            eprintln!("seed {seed} {model:?}: {folded} sizes, alignments and offsets");
        }
    }
}

/// Every bit-field alone is filled with ones; the bytes of the record are printed, and what is read back.
#[test]
fn bits_of_fields() {
    let seed = setting("CRAIG_TEST_SEED", 1);
    for seed in seed..seed + setting("CRAIG_TEST_ROUNDS", 2) {
        let (definitions, records) = records(seed, 25);
        // Compound assignments and increments take the same way as assignments, but check the types of fields.
        let mut text = format!(
            "int printf(const char *, ...); void *memset(void *, int, unsigned long);\n{definitions}\n\
             void show(unsigned char *p, int n) {{ while (n--) printf(\"%02x\", *p++); printf(\"\\n\"); }}\n"
        );
        let mut main = String::new();
        let mut fields = 0;
        for (i, record) in records.iter().enumerate().filter(|(_, r)| !r.bits.is_empty()) {
            write!(text, "{} r{i} x{i};\nvoid f{i}(void) {{\n", record.kind).unwrap();
            let show = format!("show((void *)&x{i}, sizeof x{i});");
            for field in &record.bits {
                fields += 1;
                let x = format!("x{i}.{field}");
                writeln!(text, "memset(&x{i}, 0, sizeof x{i}); {x} = -1; {show}").unwrap();
                writeln!(text, "printf(\"%lld %d \", (long long){x}, {x} < 0);").unwrap();
                writeln!(text, "printf(\"%lld %lld\\n\", (long long)({x} + 1), (long long)-{x});").unwrap();
                writeln!(text, "memset(&x{i}, 255, sizeof x{i}); {x} = 2; {x} ^= 5; {show}").unwrap();
                writeln!(text, "{x}++; {x} -= 3; printf(\"%lld\\n\", (long long){x}--); {show}").unwrap();
                writeln!(text, "printf(\"%lld \", (long long)({x} = 0x123456789abcdef)); {show}").unwrap();
            }
            text.push_str("}\n");
            writeln!(main, "f{i}();").unwrap();
        }
        write!(text, "int main(void) {{\n{main}return 0;\n}}\n").unwrap();
        for model in MODELS {
            let Some(theirs) = gcc_runs(&text, model) else { continue };
            let program = load(&text, model);
            let (ours, outcome) = interpret(&program);
            assert_eq!(outcome, RunEnd::Ended { status: Some(0) }, "seed {seed} {model:?}");
            if let Some((line, (a, b))) =
                ours.lines().zip(theirs.lines()).enumerate().find(|(_, (a, b))| a != b)
            {
                panic!("seed {seed} {model:?}: line {line}: ours {a}, gcc's {b}\n{text}");
            }
            assert_eq!(ours, theirs, "seed {seed} {model:?}");
            eprintln!("seed {seed} {model:?}: {fields} bit-fields");
        }
    }
}
