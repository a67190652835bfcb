use super::*;
use proptest::prelude::*;

/// Fills `int a[16]` round and round.
pub(super) fn array_loop(n: i128) -> Build {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let array = b.p.types.array(int, 16);
    let (a, i) = (b.local("a", array), b.local("i", int));
    let (zero, one, n, fifteen) = (b.n(0), b.n(1), b.n(n), b.n(15));
    b.assign(i, zero);
    let head = b.at;
    let i_value = b.read(i);
    let below = b.bin(BinOp::Lt, i_value, n);
    let out = b.branch(below);
    let low = b.bin(BinOp::BitAnd, i_value, fifteen);
    let element = b.index(a, low);
    let old = b.read(element);
    let new = b.bin(BinOp::Add, old, i_value);
    b.assign(element, new);
    let next = b.bin(BinOp::Add, i_value, one);
    b.assign(i, next);
    b.goto(head);
    b.at = out;
    let first = b.index(a, zero);
    let value = b.read(first);
    b.finish(value);
    b
}

#[test]
fn arrays_hold_values() {
    assert_eq!(array_loop(40).status(), 16 + 32);
}

/// `int a[4], b[4]; return a[i];`
fn indexed(i: i128) -> Build {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let array = b.p.types.array(int, 4);
    let (x, y) = (b.local("a", array), b.local("b", array));
    let zero = b.p.exprs.constant(Const::Zero, array);
    b.assign(x, zero);
    b.assign(y, zero);
    let i = b.n(i);
    let element = b.index(x, i);
    let value = b.read(element);
    b.finish(value);
    b
}

#[test]
fn bounds_are_those_of_the_object() {
    assert_eq!(indexed(3).status(), 0);
    // Also where it hits `b`.
    for i in (4..40).chain([-1, 1 << 20, -(1 << 20), i128::from(i32::MAX)]) {
        let (kind, text) = indexed(i).undefined();
        assert_eq!(kind, Undefined::OutOfBounds);
        assert!(text.contains("read of 4 bytes"), "{text}");
    }
}

fn heap(b: &mut Build, size: i128) -> PlaceId {
    let char_ty = b.char_ty();
    let ptr = b.ptr_ty(char_ty);
    let p = b.local("p", ptr);
    let size = b.size(size);
    b.op(Op::Alloc { dst: p, size, zero: true, stack: false, maker: Maker::Program });
    p
}

#[test]
fn the_heap_is_watched() {
    // Use after free.
    let mut b = Build::new(DataModel::Lp64);
    let p = heap(&mut b, 8);
    let pointer = b.read(p);
    b.op(Op::Free(pointer));
    let place = b.deref(pointer);
    let v = b.read(place);
    b.finish(v);
    assert_eq!(b.undefined().0, Undefined::UseAfterFree);

    // Double free, free of the middle, free of a variable, free of null.
    let mut b = Build::new(DataModel::Lp64);
    let p = heap(&mut b, 8);
    let pointer = b.read(p);
    b.op(Op::Free(pointer));
    b.op(Op::Free(pointer));
    assert_eq!(b.undefined().0, Undefined::InvalidFree);

    let mut b = Build::new(DataModel::Lp64);
    let p = heap(&mut b, 8);
    let (pointer, one) = (b.read(p), b.size(1));
    let middle = b.p.exprs.ptr_add(&b.p.types, pointer, one);
    b.op(Op::Free(middle));
    assert_eq!(b.undefined().0, Undefined::InvalidFree);

    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let x = b.local("x", int);
    let address = b.addr(x);
    b.op(Op::Free(address));
    let (kind, text) = b.undefined();
    assert!(kind == Undefined::InvalidFree && text.ends_with("is the address of `x`"), "{text}");

    let mut b = Build::new(DataModel::Lp64);
    let char_ty = b.char_ty();
    let ptr = b.ptr_ty(char_ty);
    let null = b.int(0, ptr);
    b.op(Op::Free(null));
    b.ret(None);
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
}

#[test]
fn null_is_no_object() {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let pair = b.record(RecordKind::Struct, 8, &[(int, 0, None), (int, 4, None)]);
    let ptr = b.ptr_ty(pair);
    let p = b.local("p", ptr);
    let pointer = b.read(p);
    let whole = b.deref(pointer);
    let second = b.field(whole, 1);
    let one = b.n(1);
    b.assign(second, one);
    assert_eq!(b.undefined(), (Undefined::NullDereference, "write of 4 bytes at 0x4".into()));
}

#[test]
fn null_is_no_array() {
    // int x; char *p = 0; return p[(size_t)&x];
    let mut b = Build::new(DataModel::Lp64);
    let (int, char_ty) = (b.int_ty(), b.char_ty());
    let ptr = b.ptr_ty(char_ty);
    let (x, p) = (b.local("x", int), b.local("p", ptr));
    let word = b.p.types.size_t();
    let (address, pointer) = (b.addr(x), b.read(p));
    let far = b.cast(address, word);
    let at = b.p.exprs.ptr_add(&b.p.types, pointer, far);
    let place = b.deref(at);
    let v = b.read(place);
    b.finish(v);
    assert_eq!(b.undefined().0, Undefined::NullDereference);
}

#[test]
fn objects_on_the_stack_die_with_their_function() {
    let mut b = Build::new(DataModel::Ilp32);
    let char_ty = b.char_ty();
    let ptr = b.ptr_ty(char_ty);
    let f = b.begin("f", ptr);
    let p = b.local("p", ptr);
    let size = b.size(8);
    b.op(Op::Alloc { dst: p, size, zero: false, stack: true, maker: Maker::Program });
    let pointer = b.read(p);
    let place = b.deref(pointer);
    let one = b.int(1, char_ty);
    b.assign(place, one);
    b.ret(Some(pointer));
    b.main();
    let q = b.local("q", ptr);
    b.call(f, &[], Some(q));
    let pointer = b.read(q);
    let place = b.deref(pointer);
    let v = b.read(place);
    b.finish(v);
    assert_eq!(b.undefined().0, Undefined::UseAfterReturn);
}

#[test]
fn realloc_keeps_what_fits() {
    let mut b = Build::new(DataModel::Lp64);
    let p = heap(&mut b, 4);
    let pointer = b.read(p);
    let (byte, four, hundred) = (b.n(7), b.size(4), b.size(100));
    b.op(Op::MemSet { dst: pointer, byte, len: four });
    b.op(Op::Realloc { dst: p, ptr: pointer, size: hundred });
    let three = b.size(3);
    let place = b.p.exprs.ptr_add(&b.p.types, pointer, three);
    let place = b.deref(place);
    let v = b.read(place);
    let last = b.size(99);
    let end = b.p.exprs.ptr_add(&b.p.types, pointer, last);
    let end = b.deref(end);
    b.assign(end, v);
    let int = b.int_ty();
    let v = b.read(end);
    let v = b.cast(v, int);
    b.finish(v);
    assert_eq!(b.status(), 7);
}

#[test]
fn copies_may_or_may_not_overlap() {
    for (may_overlap, distance) in [(true, 1), (false, 1), (false, 4)] {
        let mut b = Build::new(DataModel::Lp64);
        let p = heap(&mut b, 8);
        let pointer = b.read(p);
        let place = b.deref(pointer);
        let char_ty = b.char_ty();
        let nine = b.int(9, char_ty);
        b.assign(place, nine);
        let (distance, len) = (b.size(distance), b.size(4));
        let dst = b.p.exprs.ptr_add(&b.p.types, pointer, distance);
        b.op(Op::MemCopy { dst, src: pointer, len, may_overlap });
        let place = b.deref(dst);
        let v = b.read(place);
        b.finish(v);
        if may_overlap || b.p.exprs.as_bits(distance) == Some(4) {
            assert_eq!(b.status(), 9);
        } else {
            assert_eq!(b.undefined().0, Undefined::OverlappingCopy);
        }
    }
}

#[test]
fn overlapping_aggregates_are_assigned_through_a_buffer() {
    // char a[8]; *(struct four_bytes *)(a + 2) = *(struct four_bytes *)a;
    let mut b = Build::new(DataModel::Lp64);
    let char_ty = b.char_ty();
    let array = b.p.types.array(char_ty, 8);
    let a = b.local("a", array);
    let bytes = b.p.exprs.constant(Const::Bytes((1..=8).collect::<Vec<u8>>().into()), array);
    b.assign(a, bytes);
    let four = b.record(RecordKind::Struct, 4, &[(char_ty, 0, None)]);
    let ptr = b.ptr_ty(four);
    let at = |b: &mut Build, i: i128| {
        let i = b.n(i);
        let element = b.index(a, i);
        let address = b.addr(element);
        let cast = b.cast(address, ptr);
        b.deref(cast)
    };
    let (src, dst) = (at(&mut b, 0), at(&mut b, 2));
    let value = b.read(src);
    b.assign(dst, value);
    for (i, expected) in [1, 2, 1, 2, 3, 4, 7, 8].into_iter().enumerate() {
        let (i, expected) = (b.n(i as i128), b.int(expected, char_ty));
        let element = b.index(a, i);
        let v = b.read(element);
        let same = b.bin(BinOp::Eq, v, expected);
        b.check(same);
    }
    b.ret(None);
    assert_eq!(b.run().end, RunEnd::Ended { status: None });
}

#[test]
fn unions_share_their_bytes() {
    let mut b = Build::new(DataModel::Ilp32);
    let int = b.int_ty();
    let byte = b.p.types.int(8, false);
    let bytes = b.p.types.array(byte, 4);
    let union = b.record(RecordKind::Union, 4, &[(int, 0, None), (bytes, 0, None)]);
    let u = b.local("u", union);
    let whole = b.field(u, 0);
    let v = b.n(0x0403_0201);
    b.assign(whole, v);
    let part = b.field(u, 1);
    let two = b.n(2);
    let third = b.index(part, two);
    let v = b.read(third);
    let v = b.cast(v, int);
    b.finish(v);
    assert_eq!(b.status(), 3);
}

#[test]
fn pointers_are_integers() {
    // int x = 5; *(int *)(unsigned long)&x
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let mut b = Build::new(model);
        let int = b.int_ty();
        let x = b.local("x", int);
        let five = b.n(5);
        b.assign(x, five);
        let address = b.addr(x);
        let word = b.p.types.size_t();
        let number = b.cast(address, word);
        let ptr = b.ptr_ty(int);
        let back = b.cast(number, ptr);
        let place = b.deref(back);
        let v = b.read(place);
        b.finish(v);
        assert_eq!(b.status(), 5);
    }
}

#[test]
fn pointers_differ_by_elements() {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let array = b.p.types.array(int, 10);
    let a = b.local("a", array);
    let (two, nine) = (b.n(2), b.n(9));
    let (low, high) = (b.index(a, two), b.index(a, nine));
    let (low, high) = (b.addr(low), b.addr(high));
    let word = b.p.types.ptrdiff_t();
    let diff = b.p.exprs.intern(crate::ExprKind::PtrDiff(low, high), word);
    b.finish(diff);
    assert_eq!(b.status(), -7);
}

#[test]
fn memory_is_limited() {
    for size in [1 << 20, i128::from(i64::MAX), -1] {
        let mut b = Build::new(DataModel::Lp64);
        heap(&mut b, size);
        let (run, _) = b.run_with(&Config { memory: 1 << 16, ..Config::default() }, &mut Zero);
        assert_eq!(run.end, RunEnd::Limit(Limit::Memory));
    }
}

proptest! {
    /// Writes and reads of many widths at many offsets against an array of bytes.
    #[test]
    fn typed_accesses_are_accesses_of_bytes(
        writes in prop::collection::vec((0i128..24, 0usize..5, any::<i64>()), 1..20),
        ilp32 in any::<bool>(),
    ) {
        let mut b = Build::new(if ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 });
        let byte = b.p.types.int(8, false);
        let array = b.p.types.array(byte, 32);
        let a = b.local("a", array);
        let mut model = [0u8; 32];
        for (offset, width, v) in writes {
            // _Bool, 8, 16, 32 and 64 bits.
            let (bits, signed) = [(1, false), (8, true), (16, false), (32, true), (64, false)][width];
            let ty = b.p.types.int(bits, signed);
            let ptr = b.ptr_ty(ty);
            let at = b.n(offset);
            let element = b.index(a, at);
            let address = b.addr(element);
            let address = b.cast(address, ptr);
            let place = b.deref(address);
            let value = b.int(i128::from(v), ty);
            b.assign(place, value);
            let size = storage_bytes(bits) as usize;
            let stored = if bits == 1 { v & 1 } else { v };
            let offset = offset as usize;
            model[offset..offset + size].copy_from_slice(&stored.to_le_bytes()[..size]);
            let read = b.read(place);
            let same = b.bin(BinOp::Eq, read, value);
            b.check(same);
        }
        for (i, expected) in model.iter().enumerate() {
            let (i, expected) = (b.n(i as i128), b.int(i128::from(*expected), byte));
            let element = b.index(a, i);
            let v = b.read(element);
            let same = b.bin(BinOp::Eq, v, expected);
            b.check(same);
        }
        b.ret(None);
        prop_assert_eq!(b.run().end, RunEnd::Ended { status: None });
    }

    /// Bit-fields of a struct do not disturb each other.
    #[test]
    fn bit_fields_are_independent(widths in prop::collection::vec(1u16..32, 1..8), values in any::<[i64; 16]>()) {
        let mut b = Build::new(DataModel::Lp64);
        let mut fields = Vec::new();
        let mut bit = 0u64;
        for (i, &width) in widths.iter().enumerate() {
            let ty = b.p.types.int(width, i % 2 == 0);
            fields.push((ty, bit / 8, Some((bit % 8) as u8)));
            bit += u64::from(width);
        }
        let size = bit.div_ceil(32) * 4;
        let s = b.record(RecordKind::Struct, size, &fields);
        let place = b.local("s", s);
        for round in 0..2 {
            for (i, &(ty, ..)) in fields.iter().enumerate() {
                let field = b.field(place, i as u32);
                let v = b.int(i128::from(values[i + 8 * round]), ty);
                b.assign(field, v);
            }
        }
        for (i, &(ty, ..)) in fields.iter().enumerate() {
            let field = b.field(place, i as u32);
            let expected = b.int(i128::from(values[i + 8]), ty);
            let v = b.read(field);
            let same = b.bin(BinOp::Eq, v, expected);
            b.check(same);
        }
        b.ret(None);
        prop_assert_eq!(b.run().end, RunEnd::Ended { status: None });
    }
}
