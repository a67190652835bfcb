//! Terms as SMT-LIB text. The text reads back to the same term ([`crate::read`]).

use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Op, TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Trees up to this size are printed as such; larger terms name their shared subterms with `let`.
const TREE_LIMIT: u64 = 2000;
/// So deep is what a name stands for at most: neither printing nor reading recurses deeply.
const DEPTH_LIMIT: usize = 50;

impl Terms {
    /// The term as SMT-LIB text.
    pub fn smt(&self, term: TermId) -> String {
        let order = self.postorder(&[term]);
        let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for t in &order {
            let mut size = 1u64;
            self.for_each_arg(*t, |a| {
                size = size.saturating_add(sizes[&a]);
                *uses.entry(a).or_default() += 1;
            });
            sizes.insert(*t, size);
        }
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        // Definitions that need none but those before them share one `let`: the text nests no deeper than the term.
        let mut lets: Vec<String> = Vec::new();
        let large = sizes[&term] > TREE_LIMIT;
        // Of what is written for a term: the number of `let`s around it, and its depth.
        let mut shapes: FxHashMap<TermId, (usize, usize)> = FxHashMap::default();
        for t in &order {
            let (mut around, mut depth) = (0, 0);
            self.for_each_arg(*t, |a| {
                around = around.max(shapes[&a].0);
                depth = depth.max(shapes[&a].1 + 1);
            });
            let shared = large && uses.get(t).is_some_and(|u| *u > 1);
            if *t != term && depth > 0 && (shared || depth > DEPTH_LIMIT) {
                let mut definition = String::new();
                self.write_smt(*t, &names, &mut definition);
                // `?` starts no symbol of ours, so the names cannot clash.
                let name = format!("?{}", names.len());
                lets.resize(lets.len().max(around + 1), String::new());
                let _ = write!(lets[around], "({name} {definition})");
                names.insert(*t, name);
                (around, depth) = (around + 1, 0);
            }
            shapes.insert(*t, (around, depth));
        }
        let mut out = String::new();
        for bindings in &lets {
            let _ = write!(out, "(let ({bindings}) ");
        }
        self.write_smt(term, &names, &mut out);
        out.extend(std::iter::repeat_n(')', lets.len()));
        out
    }

    fn write_smt(&self, term: TermId, names: &FxHashMap<TermId, String>, out: &mut String) {
        if let Some(name) = names.get(&term) {
            out.push_str(name);
            return;
        }
        let op = self.op(term);
        match op {
            Op::True => out.push_str("true"),
            Op::False => out.push_str("false"),
            Op::Symbol(symbol) => out.push_str(&quoted(&self.symbol_name(symbol))),
            Op::Num(_) | Op::BigNum(_) => {
                let value = self.number(term).expect("a number");
                out.push_str(&number_text(&value, self.sort(term)));
            }
            _ => {
                out.push('(');
                out.push_str(&self.head(op, self.sort(term)));
                for arg in self.args(term) {
                    out.push(' ');
                    self.write_smt(arg, names, out);
                }
                out.push(')');
            }
        }
    }

    /// SMT-LIB's name of an operator.
    fn head(&self, op: Op, sort: Sort) -> String {
        match op {
            Op::Apply(function) => quoted(&self.function_name(function)),
            Op::ConstArray => format!("(as const {})", self.sort_text(sort)),
            Op::Extract(high, low) => format!("(_ extract {high} {low})"),
            Op::ZeroExt(by) => format!("(_ zero_extend {by})"),
            Op::SignExt(by) => format!("(_ sign_extend {by})"),
            Op::IntToBv => format!("(_ int_to_bv {})", sort.width().expect("a bit-vector")),
            _ => op_name(op).into(),
        }
    }

    /// Declarations of the symbols and functions of the terms, then one `assert` each.
    pub fn smt_script(&self, assertions: &[TermId]) -> String {
        let mut out = String::new();
        for symbol in self.symbols_of_all(assertions) {
            let name = quoted(&self.symbol_name(symbol));
            let _ = writeln!(out, "(declare-const {name} {})", self.sort_text(self.symbol_sort(symbol)));
        }
        for function in self.functions_of_all(assertions) {
            let signature = self.signature(function);
            let domain: Vec<String> = signature.domain.iter().map(|s| self.sort_text(*s)).collect();
            let (name, range) = (quoted(&self.function_name(function)), self.sort_text(signature.range));
            let _ = writeln!(out, "(declare-fun {name} ({}) {range})", domain.join(" "));
        }
        for assertion in assertions {
            let _ = writeln!(out, "(assert {})", self.smt(*assertion));
        }
        out
    }
}

pub(crate) fn op_name(op: Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Ite => "ite",
        Op::Eq => "=",
        Op::Le => "<=",
        Op::Lt => "<",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Div => "div",
        Op::Mod => "mod",
        Op::ToReal => "to_real",
        Op::Select => "select",
        Op::Store => "store",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::Concat => "concat",
        Op::BvUle => "bvule",
        Op::BvUlt => "bvult",
        Op::BvSle => "bvsle",
        Op::BvSlt => "bvslt",
        Op::BvToInt => "ubv_to_int",
        _ => unreachable!("{op:?} has no plain name"),
    }
}

fn number_text(value: &Rat, sort: Sort) -> String {
    if let Sort::BitVec(width) = sort {
        return format!("(_ bv{value} {width})");
    }
    let magnitude = value.abs();
    let text = match sort {
        Sort::Real if magnitude.is_integer() => format!("{magnitude}.0"),
        Sort::Real => format!("(/ {}.0 {}.0)", magnitude.numerator(), magnitude.denominator()),
        _ => magnitude.to_string(),
    };
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// The name as SMT-LIB wants it: quoted unless it is a simple symbol.
pub(crate) fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let plain = !name.is_empty()
        && name.chars().all(simple)
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '?')
        && !crate::read::is_reserved(name);
    if plain { name.into() } else { format!("|{}|", name.replace(['|', '\\'], "_")) }
}
