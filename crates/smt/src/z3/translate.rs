//! Our terms to Z3's. Each term is translated once per context and cached by its id.

use super::raw::{Ast, Context, Decl, Error, Result, ZSort};
use craig_logic::{FunId, Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Translates terms of one store into one context.
pub struct Translator {
    pub ctx: Rc<Context>,
    tables: RefCell<Tables>,
}

#[derive(Default)]
struct Tables {
    terms: Vec<Option<Ast>>,
    sorts: FxHashMap<Sort, ZSort>,
    functions: FxHashMap<FunId, Decl>,
    symbols: FxHashMap<Decl, SymbolId>,
    function_ids: FxHashMap<Decl, FunId>,
    read_mark: Option<Decl>,
}

impl Translator {
    pub fn new() -> Translator {
        Translator { ctx: Rc::new(Context::new()), tables: RefCell::default() }
    }

    pub fn sort(&self, terms: &Terms, sort: Sort) -> Result<ZSort> {
        if let Some(found) = self.tables.borrow().sorts.get(&sort) {
            return Ok(*found);
        }
        let made = match sort {
            Sort::Bool => self.ctx.bool_sort()?,
            Sort::Int => self.ctx.int_sort()?,
            Sort::Real => self.ctx.real_sort()?,
            Sort::BitVec(width) => self.ctx.bv_sort(width)?,
            Sort::Array(_) => {
                let (index, element) = terms.array_parts(sort).expect("an array sort");
                self.ctx.array_sort(self.sort(terms, index)?, self.sort(terms, element)?)?
            }
        };
        self.tables.borrow_mut().sorts.insert(sort, made);
        Ok(made)
    }

    /// The symbol behind a declaration that this translator made.
    pub fn symbol_of(&self, decl: Decl) -> Option<SymbolId> {
        self.tables.borrow().symbols.get(&decl).copied()
    }

    /// The function behind a declaration that this translator made.
    pub fn function_of(&self, decl: Decl) -> Option<FunId> {
        self.tables.borrow().function_ids.get(&decl).copied()
    }

    fn known(&self, term: TermId) -> Option<Ast> {
        self.tables.borrow().terms.get(term.index()).copied().flatten()
    }

    /// Z3's term.
    pub fn term(&self, terms: &Terms, term: TermId) -> Result<Ast> {
        if let Some(found) = self.known(term) {
            return Ok(found);
        }
        // Arguments first, with a stack of our own: terms can be deep.
        let mut stack = vec![term];
        while let Some(top) = stack.last().copied() {
            if self.known(top).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            terms.for_each_arg(top, |a| {
                if self.known(a).is_none() {
                    stack.push(a);
                }
            });
            if stack.len() == before {
                let made = self.step(terms, top)?;
                let mut tables = self.tables.borrow_mut();
                if tables.terms.len() <= top.index() {
                    tables.terms.resize(top.index() + 1, None);
                }
                tables.terms[top.index()] = Some(made);
                stack.pop();
            }
        }
        self.known(term).ok_or_else(|| Error("a term was not translated".into()))
    }

    fn step(&self, t: &Terms, term: TermId) -> Result<Ast> {
        let z = &*self.ctx;
        let args: Vec<Ast> =
            t.args(term).iter().map(|a| self.known(*a).expect("arguments are translated first")).collect();
        let sort = t.sort(term);
        match t.op(term) {
            Op::True => z.bool_value(true),
            Op::False => z.bool_value(false),
            Op::Symbol(symbol) => {
                let decl = z.decl(&t.symbol_name(symbol), &[], self.sort(t, sort)?)?;
                self.tables.borrow_mut().symbols.insert(decl, symbol);
                z.apply(decl, &[])
            }
            Op::Num(value) => z.int64(value, self.sort(t, sort)?),
            Op::BigNum(_) => {
                let value = t.number(term).expect("a number");
                z.numeral(&value.to_string(), self.sort(t, sort)?)
            }
            Op::Not => z.not(args[0]),
            Op::And => z.and(&args),
            Op::Or => z.or(&args),
            Op::Ite => z.ite(args[0], args[1], args[2]),
            Op::Eq => z.eq(args[0], args[1]),
            Op::Le => z.le(args[0], args[1]),
            Op::Lt => z.lt(args[0], args[1]),
            Op::Add => z.add(&args),
            Op::Mul => z.mul(&args),
            Op::Div => z.div(args[0], args[1]),
            Op::Mod => z.modulo(args[0], args[1]),
            Op::ToReal => z.int2real(args[0]),
            Op::Apply(function) => z.apply(self.function(t, function)?, &args),
            Op::Select => z.select(args[0], args[1]),
            Op::Store => z.store(args[0], args[1], args[2]),
            Op::ConstArray => {
                let (index, _) = t.array_parts(sort).expect("an array sort");
                z.const_array(self.sort(t, index)?, args[0])
            }
            Op::BvNot => z.bvnot(args[0]),
            Op::BvNeg => z.bvneg(args[0]),
            Op::BvAnd => z.bvand(args[0], args[1]),
            Op::BvOr => z.bvor(args[0], args[1]),
            Op::BvXor => z.bvxor(args[0], args[1]),
            Op::BvAdd => z.bvadd(args[0], args[1]),
            Op::BvMul => z.bvmul(args[0], args[1]),
            Op::BvUdiv => z.bvudiv(args[0], args[1]),
            Op::BvUrem => z.bvurem(args[0], args[1]),
            Op::BvSdiv => z.bvsdiv(args[0], args[1]),
            Op::BvSrem => z.bvsrem(args[0], args[1]),
            Op::BvShl => z.bvshl(args[0], args[1]),
            Op::BvLshr => z.bvlshr(args[0], args[1]),
            Op::BvAshr => z.bvashr(args[0], args[1]),
            Op::Concat => z.concat(args[0], args[1]),
            Op::Extract(high, low) => z.extract(high, low, args[0]),
            Op::ZeroExt(by) => z.zero_ext(by, args[0]),
            Op::SignExt(by) => z.sign_ext(by, args[0]),
            Op::BvUle => z.bvule(args[0], args[1]),
            Op::BvUlt => z.bvult(args[0], args[1]),
            Op::BvSle => z.bvsle(args[0], args[1]),
            Op::BvSlt => z.bvslt(args[0], args[1]),
            Op::BvToInt => z.bv2int(args[0]),
            Op::IntToBv => z.int2bv(sort.width().expect("a bit-vector"), args[0]),
        }
    }

    /// A predicate of truth values that no term of ours has.
    pub fn read_mark(&self) -> Result<Decl> {
        if let Some(made) = self.tables.borrow().read_mark {
            return Ok(made);
        }
        let bool = self.ctx.bool_sort()?;
        let made = self.ctx.fresh_decl("read", &[bool], bool)?;
        self.tables.borrow_mut().read_mark = Some(made);
        Ok(made)
    }

    /// Z3's declaration of a function.
    pub fn function(&self, t: &Terms, function: FunId) -> Result<Decl> {
        if let Some(found) = self.tables.borrow().functions.get(&function) {
            return Ok(*found);
        }
        let signature = t.signature(function);
        let domain = signature.domain.iter().map(|s| self.sort(t, *s)).collect::<Result<Vec<_>>>()?;
        let decl = self.ctx.decl(&t.function_name(function), &domain, self.sort(t, signature.range)?)?;
        let mut tables = self.tables.borrow_mut();
        tables.functions.insert(function, decl);
        tables.function_ids.insert(decl, function);
        Ok(decl)
    }
}
