use super::*;

#[test]
fn printf_prints() {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let char_ty = b.char_ty();
    let long = b.p.types.int(64, true);
    let double = b.p.types.intern(Type::Float(FloatTy::F64));
    let r = b.local("r", int);
    let format = b.string(b"%d %5s|%-4x|%c%% %lld %hhd %u %.2f %s %.3s\n");
    let word = b.string(b"word");
    let null_ty = b.ptr_ty(char_ty);
    let args = [
        format,
        b.n(-7),
        word,
        b.n(0xab),
        b.n(i128::from(b'!')),
        b.int(1 << 40, long),
        b.n(0x1ff),
        b.n(-1),
        b.p.exprs.constant(Const::Bits(u128::from(2.5f64.to_bits())), double),
        b.int(0, null_ty),
        word,
    ];
    b.print("printf", &args, Some(r));
    let v = b.read(r);
    b.finish(v);
    let expected = "-7  word|ab  |!% 1099511627776 -1 4294967295 2.50 (null) wor\n";
    assert_eq!(b.output(), expected);
    assert_eq!(b.status(), expected.len() as i128);
}

#[test]
fn widths_come_from_arguments_and_from_the_data_model() {
    let mut b = Build::new(DataModel::Ilp32);
    let format = b.string(b"[%*d|%-*.*d|%lu|%zx]");
    let args = [format, b.n(4), b.n(1), b.n(5), b.n(2), b.n(3), b.n(-1), b.n(-1)];
    b.print("fprintf", &[args[0], args[0]], None);
    assert_eq!(b.undefined().0, Undefined::Format);

    let mut b = Build::new(DataModel::Ilp32);
    let format = b.string(b"[%*d|%-*.*d|%lu|%zx]");
    let args = [format, format, b.n(4), b.n(1), b.n(5), b.n(2), b.n(3), b.n(-1), b.n(-1)];
    b.print("fprintf", &args, None);
    b.ret(None);
    assert_eq!(b.output(), "[   1|03   |4294967295|ffffffff]");
}

#[test]
fn other_functions_print() {
    let mut b = Build::new(DataModel::Ilp32);
    let text = b.string(b"line");
    let x = b.n(i128::from(b'x'));
    b.print("puts", &[text], None);
    b.print("fputs", &[text, text], None);
    b.print("putchar", &[x], None);
    b.print("fputc", &[x, text], None);
    b.print("perror", &[text], None);
    b.ret(None);
    assert_eq!(b.output(), "line\nlinexx");

    let mut b = Build::new(DataModel::Ilp32);
    b.print("system", &[], None);
    assert_eq!(b.run().end, RunEnd::Unsupported("output function `system`".into()));
}

#[test]
fn sprintf_writes_to_memory() {
    for (function, room, expected) in
        [("sprintf", None, "n=42"), ("snprintf", Some(4), "n=4"), ("snprintf", Some(0), "")]
    {
        let mut b = Build::new(DataModel::Lp64);
        let int = b.int_ty();
        let char_ty = b.char_ty();
        let array = b.p.types.array(char_ty, 5);
        let buffer = b.local("buffer", array);
        let r = b.local("r", int);
        let (zero, value) = (b.n(0), b.n(42));
        let first = b.index(buffer, zero);
        let dst = b.addr(first);
        let format = b.string(b"n=%d");
        let mut args = vec![dst];
        if let Some(room) = room {
            args.push(b.size(room));
        }
        args.extend([format, value]);
        b.print(function, &args, Some(r));
        b.print("puts", &[dst], None);
        let v = b.read(r);
        b.finish(v);
        assert_eq!(b.status(), 4);
        assert_eq!(b.output(), format!("{expected}\n"));
    }
    // Too small a buffer.
    let mut b = Build::new(DataModel::Lp64);
    let char_ty = b.char_ty();
    let array = b.p.types.array(char_ty, 3);
    let buffer = b.local("buffer", array);
    let zero = b.n(0);
    let first = b.index(buffer, zero);
    let dst = b.addr(first);
    let format = b.string(b"abc");
    b.print("sprintf", &[dst, format], None);
    assert_eq!(b.undefined().0, Undefined::OutOfBounds);
}

/// A list of an `int` and a text is printed.
fn listed(format: &[u8]) -> Build {
    let mut b = Build::new(DataModel::Lp64);
    let int = b.int_ty();
    let char_ty = b.char_ty();
    let text = b.ptr_ty(char_ty);
    let slot = b.record(RecordKind::Struct, 16, &[(int, 0, None), (int, 4, None), (text, 8, None)]);
    b.main();
    let array = b.p.types.array(slot, 3);
    let row = b.local("row", array);
    let word = b.string(b"w");
    for (i, kind, value) in [(0, 1, b.n(3)), (1, 2, word), (2, 0, b.n(0))] {
        let (i, number) = (b.n(i), b.n(i128::from(kind)));
        let slot = b.index(row, i);
        let holds = b.field(slot, 0);
        b.assign(holds, number);
        if kind != 0 {
            let place = b.field(slot, kind);
            b.assign(place, value);
        }
    }
    let zero = b.n(0);
    let first = b.index(row, zero);
    let list = b.addr(first);
    let format = b.string(format);
    b.print("vprintf", &[format, list], None);
    b.ret(None);
    b
}

#[test]
fn vprintf_takes_the_arguments_of_a_list() {
    assert_eq!(listed(b"%d-%s\n").output(), "3-w\n");
    assert_eq!(
        listed(b"%d-%s %d\n").undefined(),
        (Undefined::Format, "more conversions than arguments".into())
    );
}
