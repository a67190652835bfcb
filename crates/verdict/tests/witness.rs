//! Witness files that are no witnesses: each is told what is wrong, in the words of the format, with its place.

use craig_verdict::witness::Witness;
use insta::assert_snapshot;

const SAFE: &str = r#"{
  "format": "craig-witness",
  "version": 2,
  "file": "p.c",
  "reading": {"data_model": "ILP32", "property": "default", "externs": "pure", "malloc_may_fail": false, "signed_wrap": false},
  "verdict": "SAFE",
  "certificate": {
    "arith": "int",
    "proof": "invariants",
    "symbols": [
      {"symbol": "x", "sort": "Int", "leaves": [["v3@12.40", 0]], "word": -32},
      {"symbol": "a", "sort": "(Array Int Int)", "leaves": [["v4", 0]], "array": true, "word": 8}
    ],
    "addresses": [["v4", 8192], ["p0", 4096]],
    "never": [{"edge": 3, "calls": [12]}],
    "common": ["(= x 0)"],
    "invariants": [{"location": 5, "calls": [12], "line": 7, "formula": "(<= x 5)"}]
  }
}"#;

const UNSAFE: &str = r#"{
  "format": "craig-witness", "version": 2, "file": "p.c",
  "reading": {"data_model": "LP64", "entry": "f", "property": "default", "externs": "pure", "malloc_may_fail": false, "signed_wrap": false},
  "verdict": "UNSAFE",
  "violation": {"arith": "bv", "choices": [
    {"edge": 3, "occurrence": 0, "value": "0x2a"},
    {"edge": 3, "occurrence": 1, "offset": 4, "bit": 2, "value": "mem:2a00"}
  ]}
}"#;

/// What is said of the text with a piece of it replaced.
fn said(text: &str, piece: &str, other: &str) -> String {
    assert!(text.contains(piece), "{piece}");
    let change = if other.is_empty() { format!("without {piece}") } else { format!("{piece} -> {other}") };
    match Witness::read(&text.replacen(piece, other, 1)) {
        Ok(_) => format!("{change}\n  read\n"),
        Err(what) => format!("{change}\n  {what}\n"),
    }
}

fn all(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().map(|(piece, other)| said(text, piece, other)).collect()
}

#[test]
fn what_is_read_is_written_as_it_was() {
    for text in [SAFE, UNSAFE] {
        let witness = Witness::read(text).expect("a witness");
        assert_eq!(Witness::read(&witness.to_text()), Ok(witness));
    }
}

#[test]
fn the_frame() {
    assert_snapshot!(all(SAFE, &[
        ("\"version\": 2", "\"version\": 3"),
        ("\"version\": 2", "\"version\": -2"),
        ("\"version\": 2", "\"version\": \"2\""),
        ("\"version\": 2,", ""),
        ("craig-witness", "another"),
        ("\"SAFE\"", "\"UNKNOWN\""),
        ("\"SAFE\"", "\"UNSAFE\""),
        ("\"file\": \"p.c\",", ""),
        ("\"file\": \"p.c\",", "\"file\": \"p.c\", \"file\": \"q.c\","),
        ("\"file\": \"p.c\",", "\"file\": \"p.c\", \"note\": 1,"),
        ("ILP32", "ILP64"),
        ("\"signed_wrap\": false", "\"signed_wrap\": 0"),
        ("\"signed_wrap\": false", "\"unsigned_wrap\": false"),
        ("\"verdict\"", "\"verdict"),
    ]), @r#"
    "version": 2 -> "version": 3
      version 3 of the format is not known
    "version": 2 -> "version": -2
      version: -2 is no number from 0 to 4294967295
    "version": 2 -> "version": "2"
      version: not a number
    without "version": 2,
      the version of the format is missing
    craig-witness -> another
      this is no witness of craig: `"format": "craig-witness"` is missing
    "SAFE" -> "UNKNOWN"
      verdict: `UNKNOWN` is no verdict that has a witness
    "SAFE" -> "UNSAFE"
      the key `certificate` is not known here
    without "file": "p.c",
      the key `file` is missing
    "file": "p.c", -> "file": "p.c", "file": "q.c",
      the key `file` stands twice
    "file": "p.c", -> "file": "p.c", "note": 1,
      the key `note` is not known here
    ILP32 -> ILP64
      reading.data_model: `ILP64` is no data model
    "signed_wrap": false -> "signed_wrap": 0
      reading.signed_wrap: neither true nor false
    "signed_wrap": false -> "unsigned_wrap": false
      reading: the key `unsigned_wrap` is not known here
    "verdict" -> "verdict
      this is no JSON: expected `:` at line 6 column 14
    "#);
}

#[test]
fn certificates() {
    assert_snapshot!(all(SAFE, &[
        ("\"int\"", "\"real\""),
        ("\"arith\": \"int\",", ""),
        ("\"proof\": \"invariants\"", "\"proof\": \"trust\""),
        ("\"proof\": \"invariants\"", "\"proof\": \"unwinding\""),
        ("\"symbol\": \"a\"", "\"symbol\": \"x\""),
        ("\"symbol\": \"a\"", "\"symbol\": \"\""),
        ("\"symbol\": \"a\",", ""),
        ("v3@12.40", "v3@"),
        ("v3@12.40", "v03"),
        ("v3@12.40", "v+3"),
        ("v3@12.40", "q3"),
        ("v3@12.40", "v4294967295"),
        ("[[\"v3@12.40\", 0]]", "[[\"v3@12.40\", 0], [\"v4\", 0]]"),
        ("[[\"v3@12.40\", 0]]", "[]"),
        ("[[\"v3@12.40\", 0]]", "[[\"v3@12.40\"]]"),
        ("[[\"v3@12.40\", 0]]", "[[\"v3@12.40\", -1]]"),
        ("[[\"v3@12.40\", 0]]", "[[\"v3@12.40\", 18446744073709551616]]"),
        ("[[\"v4\", 0]], \"array\"", "[], \"array\""),
        ("\"array\": true", "\"array\": 1"),
        ("\"word\": -32", "\"word\": 0"),
        ("\"word\": -32", "\"word\": 129"),
        ("\"word\": -32", "\"word\": -32.5"),
        ("\"word\": -32", "\"words\": -32"),
        ("[\"v4\", 8192]", "[\"v4\", 4095]"),
        ("[\"v4\", 8192]", "[\"v4\", 0]"),
        ("[\"v4\", 8192]", "[\"v4\", 8200]"),
        ("[\"v4\", 8192]", "[\"v4\", 1073741824]"),
        ("[\"v4\", 8192]", "[\"v4\", 4294971392]"),
        ("[\"v4\", 8192]", "[\"v4\", 18446744073709551600]"),
        ("[\"v4\", 8192]", "[\"p0\", 8192]"),
        ("[\"v4\", 8192]", "{\"v4\": 8192}"),
        ("\"edge\": 3", "\"edge\": -3"),
        ("\"edge\": 3", "\"edge\": 2147483647"),
        ("\"calls\": [12]", "\"calls\": 12"),
        ("\"calls\": [12]", "\"calls\": [\"12\"]"),
        ("{\"edge\": 3, \"calls\": [12]}", "{\"edge\": 3}, {\"edge\": 3}"),
        ("\"(= x 0)\"", "0"),
        ("\"location\": 5", "\"location\": 1e3"),
        ("\"location\": 5", "\"location\": null"),
        ("\"line\": 7", "\"line\": -7"),
        ("\"formula\": \"(<= x 5)\"", "\"formula\": [\"<=\", \"x\", 5]"),
        ("\"formula\": \"(<= x 5)\"", "\"formulas\": \"(<= x 5)\""),
    ]), @r#"
    "int" -> "real"
      certificate.arith: `real` is no arithmetic
    without "arith": "int",
      certificate: the key `arith` is missing
    "proof": "invariants" -> "proof": "trust"
      certificate.proof: `trust` is no kind of proof
    "proof": "invariants" -> "proof": "unwinding"
      certificate: the key `symbols` is not known here
    "symbol": "a" -> "symbol": "x"
      certificate.symbols: the symbol `x` stands twice
    "symbol": "a" -> "symbol": ""
      certificate.symbols[1]: a symbol has a name
    without "symbol": "a",
      certificate.symbols[1]: the key `symbol` is missing
    v3@12.40 -> v3@
      certificate.symbols[0].leaves[0][0]: `v3@` names no object
    v3@12.40 -> v03
      certificate.symbols[0].leaves[0][0]: `v03` names no object
    v3@12.40 -> v+3
      certificate.symbols[0].leaves[0][0]: `v+3` names no object
    v3@12.40 -> q3
      certificate.symbols[0].leaves[0][0]: `q3` names no object
    v3@12.40 -> v4294967295
      certificate.symbols[0].leaves[0][0]: `v4294967295` names no object
    [["v3@12.40", 0]] -> [["v3@12.40", 0], ["v4", 0]]
      certificate.symbols[0]: a value lies at one place
    [["v3@12.40", 0]] -> []
      certificate.symbols[0]: the end of the heap is no machine integer
    [["v3@12.40", 0]] -> [["v3@12.40"]]
      certificate.symbols[0].leaves[0]: not a list of two
    [["v3@12.40", 0]] -> [["v3@12.40", -1]]
      certificate.symbols[0].leaves[0][1]: -1 is no number from 0 to 18446744073709551615
    [["v3@12.40", 0]] -> [["v3@12.40", 18446744073709551616]]
      certificate.symbols[0].leaves[0][1]: no whole number from 0 to 18446744073709551615
    [["v4", 0]], "array" -> [], "array"
      certificate.symbols[1]: an array lies somewhere
    "array": true -> "array": 1
      certificate.symbols[1].array: neither true nor false
    "word": -32 -> "word": 0
      certificate.symbols[0].word: a machine integer has bits
    "word": -32 -> "word": 129
      certificate.symbols[0].word: 129 is no number from -128 to 128
    "word": -32 -> "word": -32.5
      certificate.symbols[0].word: no whole number from -128 to 128
    "word": -32 -> "words": -32
      certificate.symbols[0]: the key `words` is not known here
    ["v4", 8192] -> ["v4", 4095]
      certificate.addresses[0]: address 4095 of v4: nothing lies below 4096
    ["v4", 8192] -> ["v4", 0]
      certificate.addresses[0]: address 0 of v4: nothing lies below 4096
    ["v4", 8192] -> ["v4", 8200]
      certificate.addresses[0]: address 8200 of v4: not a multiple of 16
    ["v4", 8192] -> ["v4", 1073741824]
      certificate.addresses[0]: address 1073741824 of v4: it ends outside the first quarter of the address space
    ["v4", 8192] -> ["v4", 4294971392]
      certificate.addresses[0]: address 4294971392 of v4: it ends outside the first quarter of the address space
    ["v4", 8192] -> ["v4", 18446744073709551600]
      certificate.addresses[0]: address 18446744073709551600 of v4: it ends outside the first quarter of the address space
    ["v4", 8192] -> ["p0", 8192]
      certificate.addresses: p0 stands twice
    ["v4", 8192] -> {"v4": 8192}
      certificate.addresses[0]: not a list
    "edge": 3 -> "edge": -3
      certificate.never[0].edge: -3 is no number from 0 to 2147483646
    "edge": 3 -> "edge": 2147483647
      certificate.never[0].edge: 2147483647 is no number from 0 to 2147483646
    "calls": [12] -> "calls": 12
      certificate.never[0].calls: not a list
    "calls": [12] -> "calls": ["12"]
      certificate.never[0].calls[0]: not a number
    {"edge": 3, "calls": [12]} -> {"edge": 3}, {"edge": 3}
      certificate.never: edge 3 stands twice
    "(= x 0)" -> 0
      certificate.common[0]: not a text
    "location": 5 -> "location": 1e3
      certificate.invariants[0].location: no whole number from 0 to 2147483646
    "location": 5 -> "location": null
      certificate.invariants[0].location: not a number
    "line": 7 -> "line": -7
      certificate.invariants[0].line: -7 is no number from 0 to 4294967295
    "formula": "(<= x 5)" -> "formula": ["<=", "x", 5]
      certificate.invariants[0].formula: not a text
    "formula": "(<= x 5)" -> "formulas": "(<= x 5)"
      certificate.invariants[0]: the key `formulas` is not known here
    "#);
}

#[test]
fn violations() {
    assert_snapshot!(all(UNSAFE, &[
        ("\"bv\"", "\"bits\""),
        ("0x2a", "2a"),
        ("0x2a", "0x"),
        ("mem:2a00", "mem:2a0"),
        ("\"bit\": 2", "\"bit\": 8"),
        ("\"occurrence\": 0", "\"occurrence\": -1"),
        ("\"occurrence\": 1, \"offset\": 4, \"bit\": 2", "\"occurrence\": 0"),
        ("\"edge\": 3", "\"edges\": 3"),
        ("\"arith\": \"bv\",", ""),
    ]), @r#"
    "bv" -> "bits"
      violation.arith: `bits` is no arithmetic
    0x2a -> 2a
      violation.choices[0].value: `2a` is no value
    0x2a -> 0x
      violation.choices[0].value: `0x` is no value
    mem:2a00 -> mem:2a0
      violation.choices[1].value: `mem:2a0` is no value
    "bit": 2 -> "bit": 8
      violation.choices[1].bit: 8 is no number from 0 to 7
    "occurrence": 0 -> "occurrence": -1
      violation.choices[0].occurrence: -1 is no number from 0 to 18446744073709551615
    "occurrence": 1, "offset": 4, "bit": 2 -> "occurrence": 0
      violation.choices: edge 3 chooses the same twice
    "edge": 3 -> "edges": 3
      violation.choices[0]: the key `edges` is not known here
    without "arith": "bv",
      violation: the key `arith` is missing
    "#);
}
