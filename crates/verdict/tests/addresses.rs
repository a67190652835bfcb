//! Addresses, arrays and the heap in certificates made by hand.

mod common;

use common::{at, c, object, said, value};
use craig_cfa::{EdgeId, ProcId, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_verdict::certificate::{Binding, Invariants, Object};
use insta::assert_snapshot;

const BOTH: [Arith; 2] = [Arith::Int, Arith::Bv];

const TWO: &str = "int x, y;\nint main() {\n int *p = &x;\n while (__VERIFIER_nondet_int())\n  p = p == &x ? &y : &x;\n *p = 1;\n \
    if (x && y) reach_error(); }";

/// What the checker says if `x` and `y` lie at these addresses and `p` at the loop points to one of these.
fn two(places: [u64; 2], pointers: [u64; 2]) -> String {
    let program = c(TWO);
    let formula = format!("(and (= x 0) (= y 0) (or (= p {}) (= p {})))", pointers[0], pointers[1]);
    let proof = Invariants {
        symbols: ["x", "y", "p"].iter().map(|name| value(&program, name)).collect(),
        addresses: ["x", "y"]
            .iter()
            .zip(places)
            .map(|(name, place)| (object(&program, name), place))
            .collect(),
        invariants: vec![at(&program, 5, &formula)],
        ..Invariants::default()
    };
    said(&program, Arith::Int, proof)
}

#[test]
fn formulas_may_speak_of_the_addresses_that_the_certificate_names() {
    assert_eq!(two([0x8000, 0x9000], [0x8000, 0x9000]), "accepted");
    let refused = "certificate: the formula of line 5 does not follow from that of the start";
    assert_eq!(two([0x8000, 0x9000], [0x9000, 0xa000]), refused);
    // In the null page, not aligned, overlapping, outside.
    let end = 1 << 30;
    let said = [[0x800, 0x9000], [0x8001, 0x9000], [0x8000, 0x8000], [0x9000, end], [0x9000, u64::MAX - 15]]
        .map(|places| two(places, places));
    assert_snapshot!(said.join("\n"), @r"
    certificate: address 2048 of v1: nothing lies below 4096
    certificate: address 32769 of v1: not a multiple of 16
    certificate: address 32768 of v3: it overlaps v1
    certificate: address 1073741824 of v3: it ends outside the first quarter of the address space
    certificate: address 18446744073709551600 of v3: it ends outside the first quarter of the address space
    ");
    assert_eq!(two([0x8000, end - 16], [0x8000, end - 16]), "accepted");
}

/// Objects larger than the address space would lie in each other.
#[test]
fn objects_that_do_not_fit() {
    let large = |size: &str| {
        let program = c(&format!(
            "char a[{size}], b[{size}], d[{size}];\nint main() {{ char *p = a, *q = b, *r = d;\n if (p != q && q != r && p != r) reach_error(); }}"
        ));
        BOTH.map(|arith| said(&program, arith, Invariants::default())).join("\n")
    };
    assert_snapshot!(large("0x70000000"), @r"
    unsupported: objects that do not fit into the address space
    unsupported: objects that do not fit into the address space
    ");
    assert_snapshot!(large("0x1000"), @r"
    certificate: the formula of the error does not follow from that of the start
    certificate: the formula of the error does not follow from that of the start
    ");
}

/// Objects that are not there.
#[test]
fn addresses_of_nothing() {
    let program = c(TWO);
    let with = |key: ObjectKey| {
        let addresses = vec![(Object(key), 0x8000)];
        said(&program, Arith::Int, Invariants { addresses, ..Invariants::default() })
    };
    let said = [
        with(ObjectKey::Var(VarId::from_raw(999), Vec::new())),
        with(ObjectKey::Alloc(EdgeId::from_raw(0), Vec::new())),
        with(ObjectKey::Alloc(EdgeId::from_raw(9999), Vec::new())),
        with(ObjectKey::Proc(ProcId::from_raw(77))),
    ];
    assert_snapshot!(said.join("\n"), @r"
    certificate: address 32768 of v999: the program has no such object
    certificate: address 32768 of a0: the program has no such object
    certificate: address 32768 of a9999: the program has no such object
    certificate: address 32768 of p77: the program has no such object
    ");
}

/// No choice of addresses makes an error unreachable that a program reaches: pointers differ, none is null, the heap has room.
#[test]
fn no_address_makes_an_unsafe_program_safe() {
    let differ = c("int x, y;\nint main() {\n int *p = &x, *q = &y;\n if (p != q) reach_error(); }");
    let null = c("int x, y;\nint main() {\n int *p = &x;\n int *q = &y;\n if (p && q) reach_error(); }");
    let heap = c(
        "int x, y;\nint main() {\n int *p = &x, *q = &y;\n int *r = malloc(4);\n if (p != r) if (q != r) reach_error(); }",
    );
    let order = c(
        "int x, y;\nint main() {\n char *p = (char *)&x;\n char *q = (char *)&y;\n if (p + 4 > p) if (q + 4 > q) reach_error(); }",
    );
    let wide = 1u64 << 32;
    let places = [
        0,
        16,
        0x1000,
        0x2000,
        wide - 0x1000,
        wide - 16,
        wide - 4,
        wide,
        wide + 0x1000,
        wide * 5 + 0x2000,
        u64::MAX - 31,
        u64::MAX - 15,
    ];
    for program in [&differ, &null, &heap, &order] {
        for arith in BOTH {
            for x in places {
                for y in places {
                    let addresses = vec![(object(program, "x"), x), (object(program, "y"), y)];
                    let proof = Invariants { addresses, ..Invariants::default() };
                    let said = said(program, arith, proof);
                    assert_ne!(
                        said,
                        "accepted",
                        "{arith:?}, x at {x:#x}, y at {y:#x}:\n{}",
                        program.source.text()
                    );
                }
            }
        }
    }
}

const ARRAY: &str = "int a[3];\nint main() {\n int i = 0;\n while (__VERIFIER_nondet_int()) {\n  a[i] = i;\n  i = i < 2 ? i + 1 : 0;\n }\n \
    if (a[0] != 0) reach_error(); }";

/// The whole array by address, or one of its elements.
#[test]
fn arrays() {
    let program = c(ARRAY);
    let whole = |offsets: &[u64], array: bool, word: i32, formula: &str| {
        let leaves = offsets.iter().map(|offset| (object(&program, "a"), *offset)).collect();
        let a = Binding {
            symbol: "a".into(),
            sort: String::new(),
            leaves,
            array,
            address: false,
            word: Some(word),
        };
        let proof = Invariants {
            symbols: vec![a, value(&program, "i")],
            addresses: vec![(object(&program, "a"), 0x8000)],
            invariants: vec![at(&program, 5, formula)],
            ..Invariants::default()
        };
        format!("{offsets:?}: {}\n", said(&program, Arith::Int, proof))
    };
    let first = "(and (<= 0 i) (<= i 2) (= (select a 32768) 0))";
    let said = [
        whole(&[0], true, -32, first),
        whole(&[0, 4, 8], true, -32, first),
        whole(&[4], true, -32, first),
        whole(&[0], false, -32, "(and (<= 0 i) (<= i 2) (= a 0))"),
        // Another element is not always zero.
        whole(&[4], false, -32, "(and (<= 0 i) (<= i 2) (= a 0))"),
        whole(&[0], true, -32, "(and (<= 0 i) (<= i 2) (= (select a 32772) 0))"),
        // Beyond the end, between two elements, with another width, with another sign.
        whole(&[12], false, -32, "(= a 0)"),
        whole(&[2], false, -32, "(= a 0)"),
        whole(&[0], true, -16, first),
        whole(&[0], true, 32, first),
        whole(&[0, 12], true, -32, first),
        // An array is no number.
        whole(&[0], true, -32, "(= a 0)"),
    ];
    assert_snapshot!(said.concat(), @r"
    [0]: accepted
    [0, 4, 8]: accepted
    [4]: accepted
    [0]: accepted
    [4]: certificate: the formula of the error does not follow from that of line 5
    [0]: certificate: the formula of the error does not follow from that of line 5
    [12]: certificate: `a` is not a part of the program's state
    [2]: certificate: `a` is not a part of the program's state
    [0]: certificate: `a` is not a part of the program's state
    [0]: certificate: `a` is not a part of the program's state
    [0, 12]: certificate: `a` is not a part of the program's state
    [0]: certificate: formula of line 5: 1:2: `=` needs two or more arguments of one sort
    ");
}

/// Without leaves a symbol is the end of the heap: whatever was allocated lies below it.
#[test]
fn the_end_of_the_heap() {
    let program = c(
        "int main() {\n char *last = 0;\n while (__VERIFIER_nondet_int()) {\n  char *p = malloc(1);\n  if (p == last) reach_error();\n  last = p;\n } }",
    );
    let heap = Binding {
        symbol: "heap".into(),
        sort: String::new(),
        leaves: Vec::new(),
        array: false,
        address: false,
        word: None,
    };
    let with = |formula: &str| {
        let symbols = vec![heap.clone(), value(&program, "last")];
        let invariants = vec![at(&program, 4, formula)];
        said(&program, Arith::Int, Invariants { symbols, invariants, ..Invariants::default() })
    };
    assert_snapshot!([with("(and (< last heap) (< 0 heap))"), with("(< 0 heap)"), with("(<= last heap)")].join("\n"), @r"
    accepted
    certificate: the formula of the error does not follow from that of line 4
    certificate: the formula of the error does not follow from that of line 4
    ");
}
