//! SMT-LIB's operators: their shapes and the constructors behind them.

use crate::term::{TermId, Terms};

#[derive(Clone, Copy)]
pub enum Kind {
    Bool(fn(&Terms, &[TermId]) -> TermId),
    Equal(bool),
    Ite,
    Arith(fn(&Terms, &[TermId]) -> TermId),
    ToReal,
    Select,
    Store,
    BvUnary(fn(&Terms, TermId) -> TermId),
    BvBinary(fn(&Terms, TermId, TermId) -> TermId),
    BvCompare(fn(&Terms, TermId, TermId) -> TermId),
    Concat,
}

pub fn operator(word: &str) -> Option<Kind> {
    fn chain(t: &Terms, args: &[TermId], f: impl Fn(TermId, TermId) -> TermId) -> TermId {
        t.and(args.windows(2).map(|w| f(w[0], w[1])))
    }
    fn fold(args: &[TermId], f: impl Fn(TermId, TermId) -> TermId) -> TermId {
        args[1..].iter().fold(args[0], |acc, a| f(acc, *a))
    }
    Some(match word {
        "not" => Kind::Bool(|t, a| t.not(a[0])),
        "and" => Kind::Bool(|t, a| t.and(a.iter().copied())),
        "or" => Kind::Bool(|t, a| t.or(a.iter().copied())),
        "xor" => Kind::Bool(|t, a| fold(a, |x, y| t.xor(x, y))),
        // Right-associative.
        "=>" => Kind::Bool(|t, a| {
            let (last, premises) = a.split_last().expect("checked not to be empty");
            t.or(premises.iter().map(|p| t.not(*p)).chain([*last]))
        }),
        "=" => Kind::Equal(false),
        "distinct" => Kind::Equal(true),
        "ite" => Kind::Ite,
        "+" => Kind::Arith(|t, a| t.sum(a.iter().copied(), t.sort(a[0]))),
        "-" => Kind::Arith(|t, a| if a.len() == 1 { t.neg(a[0]) } else { fold(a, |x, y| t.sub(x, y)) }),
        "*" => Kind::Arith(|t, a| fold(a, |x, y| t.mul(x, y))),
        "div" => Kind::Arith(|t, a| fold(a, |x, y| t.div(x, y))),
        "/" => Kind::Arith(|t, a| t.div(a[0], a[1])),
        "mod" => Kind::Arith(|t, a| t.modulo(a[0], a[1])),
        "abs" => Kind::Arith(|t, a| t.ite(t.ge(a[0], t.int(0)), a[0], t.neg(a[0]))),
        "<=" => Kind::Arith(|t, a| chain(t, a, |x, y| t.le(x, y))),
        "<" => Kind::Arith(|t, a| chain(t, a, |x, y| t.lt(x, y))),
        ">=" => Kind::Arith(|t, a| chain(t, a, |x, y| t.ge(x, y))),
        ">" => Kind::Arith(|t, a| chain(t, a, |x, y| t.gt(x, y))),
        "to_real" => Kind::ToReal,
        "select" => Kind::Select,
        "store" => Kind::Store,
        "bvnot" => Kind::BvUnary(Terms::bv_not),
        "bvneg" => Kind::BvUnary(Terms::bv_neg),
        "ubv_to_int" | "bv2nat" | "bv2int" => Kind::BvUnary(Terms::bv_to_int),
        "bvand" => Kind::BvBinary(Terms::bv_and),
        "bvor" => Kind::BvBinary(Terms::bv_or),
        "bvxor" => Kind::BvBinary(Terms::bv_xor),
        "bvadd" => Kind::BvBinary(Terms::bv_add),
        "bvsub" => Kind::BvBinary(Terms::bv_sub),
        "bvmul" => Kind::BvBinary(Terms::bv_mul),
        "bvudiv" => Kind::BvBinary(Terms::bv_udiv),
        "bvurem" => Kind::BvBinary(Terms::bv_urem),
        "bvsdiv" => Kind::BvBinary(Terms::bv_sdiv),
        "bvsrem" => Kind::BvBinary(Terms::bv_srem),
        "bvshl" => Kind::BvBinary(Terms::bv_shl),
        "bvlshr" => Kind::BvBinary(Terms::bv_lshr),
        "bvashr" => Kind::BvBinary(Terms::bv_ashr),
        "concat" => Kind::Concat,
        "bvule" => Kind::BvCompare(Terms::bv_ule),
        "bvult" => Kind::BvCompare(Terms::bv_ult),
        "bvuge" => Kind::BvCompare(|t, a, b| t.bv_ule(b, a)),
        "bvugt" => Kind::BvCompare(|t, a, b| t.bv_ult(b, a)),
        "bvsle" => Kind::BvCompare(Terms::bv_sle),
        "bvslt" => Kind::BvCompare(Terms::bv_slt),
        "bvsge" => Kind::BvCompare(|t, a, b| t.bv_sle(b, a)),
        "bvsgt" => Kind::BvCompare(|t, a, b| t.bv_slt(b, a)),
        _ => return None,
    })
}
