//! Replays, and witnesses as text.

mod common;

use common::{boogie, c};
use craig_base::Budget;
use craig_cfa::interp::Value;
use craig_cfa::{Choice, Op, Program};
use craig_encode::Arith;
use craig_report::reason;
use craig_verdict::replay::{Given, ValueText};
use craig_verdict::witness::{Claim, RecordedReading, Witness};
use craig_verdict::{Certificate, Proof, Reason, Violation, replay};
use insta::assert_snapshot;

/// Choices for the nondeterministic values of a program, in the order of its text; each is chosen once.
fn choices(program: &Program, arith: Arith, values: &[&str]) -> Violation {
    let nondet =
        program.edges.iter_enumerated().filter(|(_, e)| matches!(e.op, Op::Havoc(_, Choice::Nondet(_))));
    let given = nondet.zip(values).map(|((id, _), value)| Given {
        edge: id.index() as u32,
        occurrence: 0,
        offset: 0,
        bit: 0,
        value: ValueText::try_from((*value).to_string()).expect("a value"),
    });
    Violation { arith, places: Vec::new(), outside: Vec::new(), choices: given.collect() }
}

fn replayed(program: &Program, violation: &Violation, signed_wrap: bool) -> Result<u64, Reason> {
    replay(program, violation, signed_wrap, 10_000, &Budget::unlimited()).map(|run| run.steps)
}

/// The error, or the reason with its line.
fn run(body: &str, arith: Arith, values: &[&str]) -> String {
    let program = c(body);
    match replayed(&program, &choices(&program, arith, values), false) {
        Ok(_) => "error".into(),
        Err(why) => format!("{}: {}", why.key(), reason::text(&why, &program.source)),
    }
}

const PRODUCT: &str = "int main() {\n int x = __VERIFIER_nondet_int();\n int y = __VERIFIER_nondet_int();\n if (x * y == 42 && x > y) reach_error(); }";

#[test]
fn only_the_right_choices_lead_to_the_error() {
    assert_eq!(run(PRODUCT, Arith::Int, &["0x7", "0x6"]), "error");
    // -6 and -7, as bits.
    assert_eq!(run(PRODUCT, Arith::Int, &["0xfffffffa", "0xfffffff9"]), "error");
    assert_snapshot!(run(PRODUCT, Arith::Int, &["0x6", "0x7"]), @r"not-replayed: not replayed: ended with status 0, line 2");
    assert_snapshot!(run(PRODUCT, Arith::Int, &[]), @r"not-replayed: not replayed: ended with status 0, line 2");
}

/// Undefined behaviour before the error is what was found, not the error.
#[test]
fn undefined_behaviour_comes_first() {
    let overflow =
        "int main() {\n int x = __VERIFIER_nondet_int();\n int y = x + 1;\n if (y < x) reach_error(); }";
    assert_snapshot!(run(overflow, Arith::Int, &["0x7fffffff"]), @r"not-replayed: not replayed: signed overflow: 2147483647 + 1 in 32 bits, line 4");
    let bits = run(overflow, Arith::Bv, &["0x7fffffff"]);
    assert!(bits.contains("signed overflow"), "it has no meaning in C, whatever the arithmetic: {bits}");
    assert_snapshot!(run("int main() {\n int x = __VERIFIER_nondet_int();\n int y = 1 / x;\n reach_error(); }", Arith::Bv, &[]), @r"not-replayed: not replayed: division by zero: 1 / 0, line 4");
    assert_snapshot!(run("int main() {\n int *p = 0;\n *p = 1;\n reach_error(); }", Arith::Int, &[]), @r"not-replayed: not replayed: null dereference: write of 4 bytes at 0x0, line 4");
    assert_snapshot!(run("int a[2];\nint main() {\n int i = __VERIFIER_nondet_int();\n a[i] = 1;\n reach_error(); }", Arith::Int, &["0x2"]), @r"not-replayed: not replayed: access out of bounds: write of 4 bytes at 0x10000018, which is offset 8 of `a` of 8 bytes, line 5");
    let wraps = c(overflow);
    let violation = choices(&wraps, Arith::Int, &["0x7fffffff"]);
    assert!(replayed(&wraps, &violation, true).is_ok(), "with --signed-wrap it is no overflow");
}

#[test]
fn other_ends() {
    assert_snapshot!(run("void abort(void);\nint main() {\n abort();\n reach_error(); }", Arith::Int, &[]), @r"not-replayed: not replayed: aborted, line 4");
    assert_snapshot!(run("int main() {\n while (1) ;\n reach_error(); }", Arith::Int, &[]), @r"not-replayed: not replayed: step limit, line 3");
    assert_snapshot!(run("int main() {\n void *where = &&there;\n goto *where;\n reach_error();\nthere:\n return 0; }", Arith::Int, &[]), @r"unsupported: unsupported: address of a label, line 3");
    let program = c(PRODUCT);
    let stopped = replay(&program, &choices(&program, Arith::Int, &[]), false, 10_000, &{
        let budget = Budget::unlimited();
        budget.cancel();
        budget
    });
    assert_eq!(stopped.map(|run| run.steps).map_err(|why| why.key()), Err("interrupted"));
}

/// Mathematical numbers of Boogie.
#[test]
fn numbers_of_boogie() {
    let program = boogie(
        "procedure main() {\n  var i: int;\n  var r: real;\n  havoc i;\n  havoc r;\n  assert !(i == -123456789012345678901234567890 && r == 1.0 / 3.0); }",
    );
    let right = choices(&program, Arith::Int, &["int:-123456789012345678901234567890", "real:1/3"]);
    assert!(replayed(&program, &right, false).is_ok());
    let wrong = choices(&program, Arith::Int, &["int:-1", "real:1/3"]);
    assert!(replayed(&program, &wrong, false).is_err());
}

#[test]
fn a_violation_is_the_same_behind_its_text() {
    let value = |value: &str| ValueText::try_from(value.to_string()).expect("a value");
    let given =
        |offset: u64, bit: u8, text: &str| Given { edge: 3, occurrence: 2, offset, bit, value: value(text) };
    let violation = Violation {
        places: Vec::new(),
        outside: Vec::new(),
        arith: Arith::Bv,
        choices: vec![
            given(0, 0, "0x2a"),
            given(4, 0, "mem:2a00"),
            given(0, 3, "int:-7"),
            given(8, 1, "real:-1/3"),
        ],
    };
    let witness = Witness::new("a.c", reading(), Claim::Unsafe { violation });
    let text = witness.to_text();
    assert_eq!(Witness::read(&text), Ok(witness));
    assert_snapshot!(text, @r#"
    {
      "format": "craig-witness",
      "version": 2,
      "file": "a.c",
      "reading": {
        "data_model": "ILP32",
        "property": "default",
        "externs": "pure",
        "malloc_may_fail": false,
        "signed_wrap": false
      },
      "verdict": "UNSAFE",
      "violation": {
        "arith": "bv",
        "choices": [
          {
            "edge": 3,
            "occurrence": 2,
            "value": "0x2a"
          },
          {
            "edge": 3,
            "occurrence": 2,
            "offset": 4,
            "value": "mem:2a00"
          },
          {
            "edge": 3,
            "occurrence": 2,
            "bit": 3,
            "value": "int:-7"
          },
          {
            "edge": 3,
            "occurrence": 2,
            "offset": 8,
            "bit": 1,
            "value": "real:-1/3"
          }
        ]
      }
    }
    "#);
}

#[test]
fn values_as_text() {
    for text in [
        "0x0",
        "0x2a",
        "0xffffffffffffffffffffffffffffffff",
        "mem:",
        "mem:2a00ff",
        "int:0",
        "int:-7",
        "real:1/3",
        "real:-5",
    ] {
        let value = ValueText::try_from(text.to_string()).expect("a value");
        assert_eq!(String::from(value), text);
    }
    assert_eq!(ValueText::try_from("0x1f".to_string()).expect("a value").0, Value::Bits(31));
    for text in [
        "",
        "0x",
        "0xg",
        "1x2",
        "2a",
        "mem:2",
        "mem:zz",
        "mem:é",
        "int:",
        "int:x",
        "int:1/2",
        "real:1/0",
        "real:",
        "float:1",
        "0x1ffffffffffffffffffffffffffffffff",
    ] {
        assert_eq!(ValueText::try_from(text.to_string()), Err(format!("`{text}` is no value")));
    }
}

fn reading() -> RecordedReading {
    RecordedReading {
        data_model: "ILP32".into(),
        entry: None,
        property: "default".into(),
        externs: "pure".into(),
        malloc_may_fail: false,
        signed_wrap: false,
        overflow: None,
        loops: None,
    }
}

#[test]
fn texts_that_are_no_witness() {
    let certificate = Certificate::new(Arith::Int, Proof::Unwinding);
    let text = Witness::new("a.c", reading(), Claim::Safe { certificate }).to_text();
    assert!(Witness::read(&text).is_ok());
    let said = |text: &str| Witness::read(text).map(|_| ()).expect_err(text);
    let damaged = |piece: &str, other: &str| {
        assert!(text.contains(piece), "{text}");
        said(&text.replace(piece, other))
    };
    let all = [
        said("no witness"),
        said("{}"),
        said("[1, 2]"),
        damaged("craig-witness", "witness-2.0"),
        damaged("\"version\": 2", "\"version\": 1"),
        damaged("\"version\": 2", "\"version\": \"2\""),
        damaged("\"SAFE\"", "\"MAYBE\""),
        damaged("\"int\"", "\"float\""),
        damaged("\"unwinding\"", "\"belief\""),
        damaged("\"unwinding\"", "\"invariants\""),
        damaged("\"externs\"", "\"other\""),
        damaged("}\n}", "}"),
    ];
    assert_snapshot!(all.join("\n"), @r#"
    this is no JSON: expected ident at line 1 column 2
    this is no witness of craig: `"format": "craig-witness"` is missing
    this is no witness of craig: `"format": "craig-witness"` is missing
    this is no witness of craig: `"format": "craig-witness"` is missing
    version 1 of the format is not known
    version: not a number
    verdict: `MAYBE` is no verdict that has a witness
    certificate.arith: `float` is no arithmetic
    certificate.proof: `belief` is no kind of proof
    certificate: the key `symbols` is missing
    reading: the key `other` is not known here
    this is no JSON: EOF while parsing an object at line 17 column 0
    "#);
}

/// Values of another type, or beyond their type, lead no safe program to its error.
#[test]
fn no_choice_makes_a_safe_program_unsafe() {
    let programs = [
        c(
            "unsigned char __VERIFIER_nondet_uchar(void);\nint main() { unsigned char x = __VERIFIER_nondet_uchar(); if (x > 255) reach_error(); }",
        ),
        c(
            "_Bool __VERIFIER_nondet_bool(void);\nint main() { _Bool x = __VERIFIER_nondet_bool(); if (x && x != 1) reach_error(); }",
        ),
        c(
            "int main() { int x = __VERIFIER_nondet_int(); if (x > 2147483647LL || x < -2147483648LL) reach_error(); }",
        ),
        boogie("procedure main() { var i: int; havoc i; assert i < 5 || i > 4; }"),
        boogie("procedure main() { var b: bool; havoc b; assert b || !b; assert b == true || b == false; }"),
        boogie("procedure main() { var r: real; havoc r; assert r < 5.0 || r >= 5.0; assert r - r == 0.0; }"),
    ];
    let values = [
        "0x0",
        "0x1",
        "0x2",
        "0x100",
        "0x80000000",
        "0x1ffffffff",
        "0xffffffffffffffffffffffffffffffff",
        "mem:",
        "mem:02",
        "mem:0000000001",
        "int:7",
        "int:-1",
        "int:99999999999999999999",
        "real:1/3",
    ];
    for program in &programs {
        for value in values {
            for arith in [Arith::Int, Arith::Bv] {
                let found = replayed(program, &choices(program, arith, &[value]), false);
                assert!(found.is_err(), "{value}: {}", program.source.text());
            }
        }
    }
}
