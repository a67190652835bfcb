//! Z3's terms, values and models to ours. What we have no term for is an [`Error`].

use super::raw::{self, Ast, DeclKind, Error, FunctionView, Result, SortView, View};
use super::translate::Translator;
use craig_logic::{ArrayValue, FunValue, Model, Rat, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Error(what.into()))
}

/// Reads formulas back. `bound` gives the terms of bound variables by their index.
pub struct Reader<'a> {
    pub translator: &'a Translator,
    pub terms: &'a Terms,
    pub bound: &'a [TermId],
}

impl Reader<'_> {
    pub fn term(&self, ast: Ast) -> Result<TermId> {
        let mut done: FxHashMap<Ast, TermId> = FxHashMap::default();
        let mut stack = vec![ast];
        while let Some(top) = stack.last().copied() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let view = self.translator.ctx.view(top);
            if let View::App(_, _, args) = &view {
                let missing: Vec<Ast> = args.iter().filter(|a| !done.contains_key(*a)).copied().collect();
                if !missing.is_empty() {
                    stack.extend(missing);
                    continue;
                }
            }
            let term = match view {
                View::Numeral => self.numeral(top)?,
                View::Var(index) => match self.bound.get(index as usize) {
                    Some(term) => *term,
                    None => return unsupported("a bound variable out of range"),
                },
                View::App(kind, decl, args) => {
                    let args: Vec<TermId> = args.iter().map(|a| done[a]).collect();
                    self.application(top, kind, decl, &args)?
                }
                View::Other => return unsupported("a quantifier"),
            };
            done.insert(top, term);
            stack.pop();
        }
        Ok(done[&ast])
    }

    fn sort(&self, view: &SortView) -> Result<Sort> {
        Ok(match view {
            SortView::Bool => Sort::Bool,
            SortView::Int => Sort::Int,
            SortView::Real => Sort::Real,
            SortView::Bv(width) => Sort::BitVec(*width),
            SortView::Array(i, e) => self.terms.array_sort(self.sort(i)?, self.sort(e)?),
            SortView::Other => return unsupported("a sort"),
        })
    }

    fn numeral(&self, ast: Ast) -> Result<TermId> {
        let z = &self.translator.ctx;
        let value = number(z, ast)?;
        Ok(match self.sort(&z.sort_view(ast))? {
            Sort::BitVec(width) => self.terms.bv_big(value.numerator(), width),
            sort => self.terms.numeral(&value, sort),
        })
    }

    fn application(&self, ast: Ast, kind: DeclKind, decl: raw::Decl, args: &[TermId]) -> Result<TermId> {
        let t = self.terms;
        let all = || args.iter().copied();
        let fold = |f: &dyn Fn(TermId, TermId) -> TermId| args[1..].iter().fold(args[0], |x, y| f(x, *y));
        let chain = |f: &dyn Fn(TermId, TermId) -> TermId| t.and(args.windows(2).map(|w| f(w[0], w[1])));
        let z = &self.translator.ctx;
        let parameter = |i| z.decl_parameter(decl, i).ok_or_else(|| Error("a missing parameter".into()));
        Ok(match kind {
            DeclKind::True => t.tru(),
            DeclKind::False => t.fls(),
            DeclKind::Eq | DeclKind::Iff => chain(&|a, b| t.eq(a, b)),
            DeclKind::Distinct => {
                let pairs = (0..args.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                t.and(pairs.map(|(i, j)| t.distinct(args[i], args[j])))
            }
            DeclKind::Ite => t.ite(args[0], args[1], args[2]),
            DeclKind::And => t.and(all()),
            DeclKind::Or => t.or(all()),
            DeclKind::Xor => fold(&|a, b| t.xor(a, b)),
            DeclKind::Not => t.not(args[0]),
            DeclKind::Implies => t.implies(args[0], args[1]),
            DeclKind::Le => t.le(args[0], args[1]),
            DeclKind::Ge => t.ge(args[0], args[1]),
            DeclKind::Lt => t.lt(args[0], args[1]),
            DeclKind::Gt => t.gt(args[0], args[1]),
            DeclKind::Add => t.sum(all(), t.sort(args[0])),
            DeclKind::Sub => fold(&|a, b| t.sub(a, b)),
            DeclKind::Uminus => t.neg(args[0]),
            DeclKind::Mul => fold(&|a, b| t.mul(a, b)),
            DeclKind::Idiv => t.div(args[0], args[1]),
            DeclKind::Mod => t.modulo(args[0], args[1]),
            DeclKind::Div if t.number(args[1]).is_some_and(|d| !d.is_zero()) => t.div(args[0], args[1]),
            DeclKind::ToReal => t.to_real(args[0]),
            DeclKind::Select => t.select(args[0], args[1]),
            DeclKind::Store => t.store(args[0], args[1], args[2]),
            DeclKind::ConstArray => t.const_array(self.sort(&z.sort_view(ast))?, args[0]),
            DeclKind::Bneg => t.bv_neg(args[0]),
            DeclKind::Bnot => t.bv_not(args[0]),
            DeclKind::Badd => fold(&|a, b| t.bv_add(a, b)),
            DeclKind::Bsub => fold(&|a, b| t.bv_sub(a, b)),
            DeclKind::Bmul => fold(&|a, b| t.bv_mul(a, b)),
            DeclKind::Bsdiv | DeclKind::BsdivI => t.bv_sdiv(args[0], args[1]),
            DeclKind::Budiv | DeclKind::BudivI => t.bv_udiv(args[0], args[1]),
            DeclKind::Bsrem | DeclKind::BsremI => t.bv_srem(args[0], args[1]),
            DeclKind::Burem | DeclKind::BuremI => t.bv_urem(args[0], args[1]),
            DeclKind::Uleq => t.bv_ule(args[0], args[1]),
            DeclKind::Ugeq => t.bv_ule(args[1], args[0]),
            DeclKind::Ult => t.bv_ult(args[0], args[1]),
            DeclKind::Ugt => t.bv_ult(args[1], args[0]),
            DeclKind::Sleq => t.bv_sle(args[0], args[1]),
            DeclKind::Sgeq => t.bv_sle(args[1], args[0]),
            DeclKind::Slt => t.bv_slt(args[0], args[1]),
            DeclKind::Sgt => t.bv_slt(args[1], args[0]),
            DeclKind::Band => fold(&|a, b| t.bv_and(a, b)),
            DeclKind::Bor => fold(&|a, b| t.bv_or(a, b)),
            DeclKind::Bxor => fold(&|a, b| t.bv_xor(a, b)),
            DeclKind::Concat => fold(&|a, b| t.concat(a, b)),
            DeclKind::SignExt => t.sign_ext(parameter(0)?, args[0]),
            DeclKind::ZeroExt => t.zero_ext(parameter(0)?, args[0]),
            DeclKind::Extract => t.extract(parameter(0)?, parameter(1)?, args[0]),
            DeclKind::Bshl => t.bv_shl(args[0], args[1]),
            DeclKind::Blshr => t.bv_lshr(args[0], args[1]),
            DeclKind::Bashr => t.bv_ashr(args[0], args[1]),
            DeclKind::Bit2bool => {
                let bit = parameter(0)?;
                t.eq(t.extract(bit, bit, args[0]), t.bv(1, 1))
            }
            DeclKind::Bv2int => t.bv_to_int(args[0]),
            DeclKind::Int2bv => t.int_to_bv(args[0], parameter(0)?),
            DeclKind::Uninterpreted if args.is_empty() => match self.translator.symbol_of(decl) {
                Some(symbol) => t.symbol_term(symbol),
                None => return unsupported(format!("the constant {}", z.print(ast))),
            },
            DeclKind::Uninterpreted => match self.translator.function_of(decl) {
                Some(function) => t.apply(function, args),
                None => return unsupported(format!("the function in {}", z.print(ast))),
            },
            other => return unsupported(format!("the operator {other:?}")),
        })
    }
}

fn number(z: &raw::Context, ast: Ast) -> Result<Rat> {
    match z.numeral_i64(ast) {
        Some(n) => Ok(Rat::from(n)),
        None => {
            let text = z.numeral_text(ast);
            Rat::parse(&text).ok_or_else(|| Error(format!("the number {text}")))
        }
    }
}

/// Reads a whole model. What cannot be read (irrational numbers, arrays of functions) is left out; the second result
/// says whether that happened.
pub fn model(translator: &Translator, terms: &Terms, found: &raw::Model<'_>) -> (Model, bool) {
    let mut result = Model::new();
    let mut complete = true;
    for (decl, ast) in found.constants() {
        // Constants that Z3 made for itself are of no interest.
        let Some(symbol) = translator.symbol_of(decl) else { continue };
        match value(translator, terms, found, ast, terms.symbol_sort(symbol)) {
            Ok(v) => result.set(symbol, v),
            Err(_) => complete = false,
        }
    }
    for decl in found.functions() {
        let Some(function) = translator.function_of(decl) else { continue };
        let signature = terms.signature(function);
        let view = found.function(decl).ok_or_else(|| Error("no interpretation".into()));
        match view.and_then(|v| fun_value(translator, terms, found, &v, &signature.domain, signature.range)) {
            Ok(v) => result.set_function(function, v),
            Err(_) => complete = false,
        }
    }
    (result, complete)
}

fn fun_value(
    translator: &Translator,
    terms: &Terms,
    found: &raw::Model<'_>,
    view: &FunctionView,
    domain: &[Sort],
    range: Sort,
) -> Result<FunValue> {
    let mut entries = BTreeMap::new();
    for (args, ast) in &view.entries {
        let key = args
            .iter()
            .zip(domain)
            .map(|(a, s)| value(translator, terms, found, *a, *s))
            .collect::<Result<Vec<_>>>()?;
        entries.insert(key, value(translator, terms, found, *ast, range)?);
    }
    let default = match view.otherwise {
        Some(ast) => value(translator, terms, found, ast, range)?,
        None => Value::default_of(terms, range),
    };
    Ok(FunValue { entries, default })
}

fn value(
    translator: &Translator,
    terms: &Terms,
    found: &raw::Model<'_>,
    ast: Ast,
    sort: Sort,
) -> Result<Value> {
    use dashu::base::UnsignedAbs;
    let z = &translator.ctx;
    match sort {
        Sort::Array(_) => array(translator, terms, found, ast, sort),
        _ => match z.view(ast) {
            View::Numeral => {
                let n = number(z, ast)?;
                Ok(match sort {
                    Sort::BitVec(width) => Value::Bv(width, n.numerator().unsigned_abs()),
                    _ => Value::Num(n),
                })
            }
            View::App(DeclKind::True, ..) => Ok(Value::Bool(true)),
            View::App(DeclKind::False, ..) => Ok(Value::Bool(false)),
            View::App(DeclKind::Uminus, _, args) => match value(translator, terms, found, args[0], sort)? {
                Value::Num(n) => Ok(Value::Num(-n)),
                _ => unsupported("a negated value"),
            },
            _ => unsupported(format!("the value {}", z.print(ast))),
        },
    }
}

fn array(
    translator: &Translator,
    terms: &Terms,
    found: &raw::Model<'_>,
    ast: Ast,
    sort: Sort,
) -> Result<Value> {
    let (index, element) = terms.array_parts(sort).expect("an array sort");
    let mut writes = Vec::new();
    let mut ast = ast;
    // Writes are stacked on a constant array or on a function; the outermost write counts.
    let mut result = loop {
        match translator.ctx.view(ast) {
            View::App(DeclKind::Store, _, args) if args.len() == 3 => {
                let i = value(translator, terms, found, args[1], index)?;
                writes.push((i, value(translator, terms, found, args[2], element)?));
                ast = args[0];
            }
            View::App(DeclKind::ConstArray, _, args) => {
                let default = value(translator, terms, found, args[0], element)?;
                break ArrayValue { default, entries: BTreeMap::new() };
            }
            _ => {
                let Some(view) = found.as_array(ast) else {
                    return unsupported(format!("the array {}", translator.ctx.print(ast)));
                };
                let f = fun_value(translator, terms, found, &view, &[index], element)?;
                let mut base = ArrayValue { default: f.default, entries: BTreeMap::new() };
                for (mut key, element) in f.entries {
                    if let Some(index) = key.pop() {
                        base.set(index, element);
                    }
                }
                break base;
            }
        }
    };
    for (i, e) in writes.into_iter().rev() {
        result.set(i, e);
    }
    Ok(Value::Array(Arc::new(result)))
}
