use crate::blocks::{BlockGraph, Blocks};
use crate::expr::{BinOp, Const, ExprKind, PlaceKind, UnOp};
use crate::program::{Choice, Halt, Op, Output};
use crate::testing::Build;
use crate::types::{Field, RecordKind, Type, Types};
use craig_base::Budget;
use insta::assert_snapshot;

#[test]
fn parentheses_are_few() {
    let mut b = Build::new();
    let (x, y, z) = (b.global("x"), b.global("y"), b.local("x"));
    let (x, y, z) = (b.get(x), b.get(y), b.get(z));
    let sum = b.bin(BinOp::Add, x, y);
    let difference = b.bin(BinOp::Sub, x, sum);
    let product = b.bin(BinOp::Mul, sum, z);
    let negative = b.program.exprs.unary(&b.program.types, UnOp::Neg, product);
    let negative = b.program.exprs.intern(ExprKind::Unary(UnOp::Neg, negative), b.int);
    let less = b.bin(BinOp::Lt, difference, negative);
    let minus = b.num(-3);
    let masked = b.bin(BinOp::BitAnd, x, minus);
    let equal = b.bin(BinOp::Eq, masked, y);
    let both = b.bin(BinOp::And, less, equal);
    let either = b.bin(BinOp::Or, equal, both);
    let not = b.not(either);
    let small = b.program.types.int(8, false);
    let cast = b.program.exprs.cast(&b.program.types, sum, small);
    let back = b.program.exprs.cast(&b.program.types, cast, b.int);
    let choice = b.program.exprs.ite(not, back, minus);
    let shown: Vec<String> =
        [difference, product, negative, both, not, choice].iter().map(|&e| b.program.expr_text(e)).collect();
    assert_snapshot!(shown.join("\n"), @r"
    x - (x + y)
    (x + y) * x@2
    -(-((x + y) * x@2))
    x - (x + y) < -(-((x + y) * x@2)) && (x & -3) == y
    !((x & -3) == y || x - (x + y) < -(-((x + y) * x@2)) && (x & -3) == y)
    ite(!((x & -3) == y || x - (x + y) < -(-((x + y) * x@2)) && (x & -3) == y), (i32)(u8)(x + y), -3)
    ");
}

#[test]
fn every_operation_prints() {
    let mut b = Build::new();
    let types = &mut b.program.types;
    let record = types.new_record("node".into(), RecordKind::Struct);
    let node = types.intern(Type::Record(record));
    let node_ptr = types.ptr(node);
    let bytes = types.int(8, true);
    let text = types.array(bytes, 4);
    types.records[record].fields = vec![
        Field { name: "next".into(), ty: node_ptr, offset: 0, bit: None },
        Field { name: "data".into(), ty: b.int, offset: 4, bit: None },
    ];
    types.records[record].size = 8;
    types.records[record].complete = true;
    let array = types.array(node, 3);
    let x = b.global("x");
    let (p, a, s) = (b.var_of("p", node_ptr), b.var_of("a", array), b.var_of("s", text));
    let (xv, pv) = (b.get(x), b.get(p));
    let (xp, pp, ap, sp) = (b.place(x), b.place(p), b.place(a), b.place(s));
    let target = b.program.exprs.deref(pv, node);
    let next = b.program.exprs.field(&b.program.types, target, 0);
    let element = b.program.exprs.index(&b.program.types, ap, xv);
    let data = b.program.exprs.field(&b.program.types, element, 1);
    let raw = b.program.exprs.intern_place(PlaceKind::Deref(pv), b.int);
    let address = b.address(a);
    let string = b.program.exprs.constant(Const::Bytes(b"a\"b\0"[..].into()), text);
    let null = b.program.exprs.constant(Const::Bits(0), node_ptr);
    let raw_read = b.program.exprs.read(raw);
    let size = b.num(8);
    let main = b.program.entry;
    let ops = [
        Op::Skip,
        Op::Assign(next, null),
        Op::Assign(data, raw_read),
        Op::Assign(sp, string),
        Op::Havoc(xp, Choice::Nondet("__VERIFIER_nondet_int".into())),
        Op::Havoc(xp, Choice::Uninit),
        Op::Havoc(xp, Choice::Extern("rand".into())),
        Op::Havoc(xp, Choice::Entry),
        Op::Havoc(xp, Choice::Asm),
        Op::Call(Box::new(crate::Call { proc: main, args: vec![xv, size], ret: Some(xp) })),
        Op::Return(None),
        Op::Return(Some(xv)),
        Op::Alloc { dst: pp, size, zero: false, stack: false, maker: crate::Maker::Program },
        Op::Alloc { dst: pp, size, zero: true, stack: true, maker: crate::Maker::Program },
        Op::Realloc { dst: pp, ptr: pv, size },
        Op::Free(pv),
        Op::MemSet { dst: address, byte: xv, len: size },
        Op::MemCopy { dst: address, src: pv, len: size, may_overlap: true },
        Op::Output(Box::new(Output { function: "printf".into(), args: vec![xv], ret: None })),
        Op::Halt(Halt::Exit(size)),
        Op::Halt(Halt::Abort),
        Op::Unsupported("inline assembly".into()),
    ];
    let shown: Vec<String> = ops.iter().map(|op| b.program.op_text(op)).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    skip
    p->next = null
    a[x].data = *(i32*)p
    s = "a\"b"
    x = nondet()
    x = uninit
    x = extern rand()
    x = entry()
    x = asm
    x = main(x, 8)
    return
    return x
    p = alloc(8)
    p = alloca_zero(8)
    p = realloc(p, 8)
    free(p)
    memset(&a, x, 8)
    memmove(&a, p, 8)
    printf(x)
    exit(8)
    abort()
    unsupported: inline assembly
    "#);
    assert_eq!(b.program.type_text(array), "node[3]");
    assert_eq!(b.program.type_text(node_ptr), "node*");
    assert_eq!(b.program.type_text(Types::BOOL), "bool");
}

#[test]
fn shared_expressions_do_not_explode() {
    let mut b = Build::new();
    let x = b.global("x");
    let mut e = b.get(x);
    for _ in 0..200 {
        e = b.bin(BinOp::Add, e, e);
    }
    let shown = b.program.expr_text(e);
    assert!(shown.ends_with('…') && shown.chars().count() == super::EXPR_LIMIT + 1);
}

#[test]
fn nested_branches_print_without_recursion() {
    // if (x) { if (x) { ... } }: all join at the end.
    let mut b = Build::new();
    let x = b.global("x");
    let (mut at, end) = (b.entry(), b.loc());
    for _ in 0..20_000 {
        let next = b.loc();
        let c = b.cmp(BinOp::Ne, x, 0);
        b.branch(at, c, next, end);
        at = next;
    }
    b.edge(at, end, Op::Skip);
    b.ret_num(end, 0);
    let blocks = BlockGraph::new(&b.program, Blocks::Large, &Budget::unlimited()).expect("no limit");
    assert_eq!(blocks.regions().len(), 1);
    assert!(super::Printer::new(&b.program).blocks(&blocks).len() < 20_000 * 200);
}
