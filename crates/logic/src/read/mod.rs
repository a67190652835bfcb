//! A reader of SMT-LIB scripts, for tests and for looking at queries: declarations, definitions without recursion,
//! assertions, terms without quantifiers. What it does not know is an error with its place, never a panic.

use crate::num::Rat;
use crate::sort::Sort;
use crate::subst::Substitution;
use crate::term::{TermId, Terms};
use dashu::integer::{IBig, UBig};
use rustc_hash::FxHashMap;
use std::fmt;

mod lex;
mod operators;

use lex::{Expr, Fault, Lexer};
use operators::{Kind, operator};

/// Nesting beyond this is refused, so that no text can overflow the stack.
const MAX_DEPTH: usize = 1000;
/// Bit-vectors beyond this are refused.
const MAX_WIDTH: u32 = 1 << 16;

/// What is wrong with a script, and where (line and column count from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// What a script asserts, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    pub assertions: Vec<TermId>,
}

impl Terms {
    /// Reads a script: declares its symbols and functions and returns its assertions.
    pub fn read_script(&self, text: &str) -> Result<Script, ReadError> {
        let mut reader = Reader { terms: self, macros: FxHashMap::default() };
        let mut script = Script::default();
        let mut lexer = Lexer { text, at: 0 };
        while let Some(command) = lexer.expression(0).map_err(|e| e.locate(text))? {
            reader.command(&command, &mut script).map_err(|e| e.locate(text))?;
        }
        Ok(script)
    }

    /// Reads one sort.
    pub fn read_sort(&self, text: &str) -> Result<Sort, ReadError> {
        let reader = Reader { terms: self, macros: FxHashMap::default() };
        let mut lexer = Lexer { text, at: 0 };
        let mut read = || match (lexer.expression(0)?, lexer.expression(0)?) {
            (Some(sort), None) => reader.sort(&sort),
            (None, _) => Err(Fault::new(0, "no sort")),
            (_, Some(more)) => Err(Fault::new(more.at(), "text after the sort")),
        };
        read().map_err(|e| e.locate(text))
    }

    /// Reads one term over the symbols the store has.
    pub fn read_term(&self, text: &str) -> Result<TermId, ReadError> {
        self.read_term_with(text, [])
    }

    /// Reads one term; these names stand for these terms.
    pub fn read_term_with<'a>(
        &self,
        text: &'a str,
        names: impl IntoIterator<Item = (&'a str, TermId)>,
    ) -> Result<TermId, ReadError> {
        let reader = Reader { terms: self, macros: FxHashMap::default() };
        let mut lexer = Lexer { text, at: 0 };
        let read = || {
            let Some(expression) = lexer.expression(0)? else { return Err(Fault::new(0, "no term")) };
            if let Some(more) = lexer.expression(0)? {
                return Err(Fault::new(more.at(), "text after the term"));
            }
            let mut scope: Scope<'_> = names.into_iter().map(|(name, term)| (name, vec![term])).collect();
            reader.term(&expression, &mut scope)
        };
        read().map_err(|e| e.locate(text))
    }
}

/// Words that are no symbols of a script.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "let"
            | "forall"
            | "exists"
            | "as"
            | "_"
            | "!"
            | "true"
            | "false"
            | "par"
            | "match"
            | "="
            | "=>"
            | "/"
    ) || operator(name).is_some()
}

type Scope<'a> = FxHashMap<&'a str, Vec<TermId>>;

struct Macro {
    parameters: Vec<TermId>,
    body: TermId,
}

struct Reader<'t> {
    terms: &'t Terms,
    macros: FxHashMap<String, Macro>,
}

impl Reader<'_> {
    fn command(&mut self, command: &Expr<'_>, script: &mut Script) -> Result<(), Fault> {
        let at = command.at();
        let items = command.list().ok_or_else(|| Fault::new(at, "a command is a list"))?;
        let name =
            items.first().and_then(Expr::word).ok_or_else(|| Fault::new(at, "a command has a name"))?;
        match (name, &items[1..]) {
            ("assert", [term]) => {
                let assertion = self.term(term, &mut Scope::default())?;
                self.expect(term.at(), assertion, Sort::Bool)?;
                script.assertions.push(assertion);
            }
            ("declare-const", [name, sort]) => self.declare(name, &[], sort)?,
            ("declare-fun", [name, domain, sort]) => {
                let domain = domain.list().ok_or_else(|| Fault::new(domain.at(), "a list of sorts"))?;
                self.declare(name, domain, sort)?;
            }
            ("define-fun", [name, parameters, sort, body]) => self.define(name, parameters, sort, body)?,
            ("define-const", [name, sort, body]) => {
                self.define(name, &Expr::List(at, Vec::new()), sort, body)?;
            }
            (
                "set-logic" | "set-info" | "set-option" | "check-sat" | "check-sat-assuming" | "get-model"
                | "get-value" | "get-unsat-core" | "exit" | "echo",
                _,
            ) => {}
            ("assert" | "declare-const" | "declare-fun" | "define-fun" | "define-const", _) => {
                return Err(Fault::new(at, format!("`{name}` with the wrong number of parts")));
            }
            _ => return Err(Fault::new(at, format!("the command `{name}` is not supported"))),
        }
        Ok(())
    }

    fn expect(&self, at: usize, term: TermId, sort: Sort) -> Result<(), Fault> {
        let found = self.terms.sort(term);
        if found == sort {
            return Ok(());
        }
        let (found, wanted) = (self.terms.sort_text(found), self.terms.sort_text(sort));
        Err(Fault::new(at, format!("this has sort {found} where {wanted} is needed")))
    }

    fn new_name<'a>(&self, name: &Expr<'a>) -> Result<&'a str, Fault> {
        let word = name.word().ok_or_else(|| Fault::new(name.at(), "a name is needed"))?;
        if is_reserved(word) || self.macros.contains_key(word) {
            return Err(Fault::new(name.at(), format!("`{word}` already has a meaning")));
        }
        Ok(word)
    }

    fn declare(&mut self, name: &Expr<'_>, domain: &[Expr<'_>], sort: &Expr<'_>) -> Result<(), Fault> {
        let word = self.new_name(name)?;
        let range = self.sort(sort)?;
        let domain = domain.iter().map(|s| self.sort(s)).collect::<Result<Vec<_>, _>>()?;
        let t = self.terms;
        let clash = if domain.is_empty() {
            t.find_function(word).is_some() || t.find_symbol(word).is_some_and(|s| t.sort(s) != range)
        } else {
            t.find_symbol(word).is_some()
                || t.find_function(word).is_some_and(|f| {
                    let signature = t.signature(f);
                    signature.domain != domain || signature.range != range
                })
        };
        if clash {
            return Err(Fault::new(name.at(), format!("`{word}` is declared with another sort")));
        }
        if domain.is_empty() {
            t.symbol(word, range);
        } else {
            t.function(word, &domain, range);
        }
        Ok(())
    }

    fn define(
        &mut self,
        name: &Expr<'_>,
        parameters: &Expr<'_>,
        sort: &Expr<'_>,
        body: &Expr<'_>,
    ) -> Result<(), Fault> {
        let word = self.new_name(name)?;
        let list = parameters.list().ok_or_else(|| Fault::new(parameters.at(), "a list of parameters"))?;
        let mut scope = Scope::default();
        let mut symbols = Vec::new();
        for parameter in list {
            let pair = parameter.list().filter(|p| p.len() == 2);
            let pair = pair.ok_or_else(|| Fault::new(parameter.at(), "a parameter is (name sort)"))?;
            let name = pair[0].word().ok_or_else(|| Fault::new(pair[0].at(), "a name is needed"))?;
            let symbol = self.terms.fresh(name, self.sort(&pair[1])?);
            symbols.push(symbol);
            scope.entry(name).or_default().push(symbol);
        }
        let value = self.term(body, &mut scope)?;
        self.expect(body.at(), value, self.sort(sort)?)?;
        self.macros.insert(word.to_string(), Macro { parameters: symbols, body: value });
        Ok(())
    }

    fn sort(&self, sort: &Expr<'_>) -> Result<Sort, Fault> {
        match (sort.word(), sort.list()) {
            (Some("Bool"), _) => Ok(Sort::Bool),
            (Some("Int"), _) => Ok(Sort::Int),
            (Some("Real"), _) => Ok(Sort::Real),
            (None, Some([head, kind, width]))
                if head.word() == Some("_") && kind.word() == Some("BitVec") =>
            {
                Ok(Sort::BitVec(self.width(width)?))
            }
            (None, Some([head, index, element])) if head.word() == Some("Array") => {
                Ok(self.terms.array_sort(self.sort(index)?, self.sort(element)?))
            }
            _ => Err(Fault::new(sort.at(), "this sort is not known")),
        }
    }

    fn index(&self, expression: &Expr<'_>) -> Result<u32, Fault> {
        let number = expression.word().and_then(|w| w.parse::<u32>().ok());
        number.ok_or_else(|| Fault::new(expression.at(), "a number is needed"))
    }

    fn width(&self, expression: &Expr<'_>) -> Result<u32, Fault> {
        let width = self.index(expression)?;
        if (1..=MAX_WIDTH).contains(&width) {
            Ok(width)
        } else {
            Err(Fault::new(expression.at(), format!("a width from 1 to {MAX_WIDTH} is needed")))
        }
    }

    fn term<'a>(&self, expression: &Expr<'a>, scope: &mut Scope<'a>) -> Result<TermId, Fault> {
        match expression {
            Expr::Atom(at, word, quoted) => self.leaf(*at, word, *quoted, scope),
            Expr::List(at, items) => {
                let Some((head, args)) = items.split_first() else {
                    return Err(Fault::new(*at, "an empty list is no term"));
                };
                match head {
                    Expr::Atom(_, "let", false) => self.let_term(*at, args, scope),
                    Expr::Atom(_, "!", false) if !args.is_empty() => self.term(&args[0], scope),
                    Expr::Atom(_, "_", false) => self.indexed_number(*at, args),
                    Expr::Atom(head_at, "forall" | "exists", false) => {
                        Err(Fault::new(*head_at, "quantifiers are not supported"))
                    }
                    _ => {
                        let values =
                            args.iter().map(|a| self.term(a, scope)).collect::<Result<Vec<_>, _>>()?;
                        self.application(head, args, &values)
                    }
                }
            }
        }
    }

    fn leaf(&self, at: usize, word: &str, quoted: bool, scope: &Scope<'_>) -> Result<TermId, Fault> {
        let t = self.terms;
        let reserved = !quoted && matches!(word, "true" | "false");
        if let Some(value) = scope.get(word).and_then(|s| s.last()).filter(|_| !reserved) {
            return Ok(*value);
        }
        if let Some(found) = self.macros.get(word).filter(|m| m.parameters.is_empty()) {
            return Ok(found.body);
        }
        if !quoted {
            match word {
                "true" => return Ok(t.tru()),
                "false" => return Ok(t.fls()),
                _ => {}
            }
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                let value = Rat::parse(word).filter(|_| !word.contains('/'));
                let value = value.ok_or_else(|| Fault::new(at, format!("`{word}` is not a number")))?;
                let sort = if word.contains('.') { Sort::Real } else { Sort::Int };
                return Ok(t.numeral(&value, sort));
            }
            for (prefix, radix, bits) in [("#x", 16, 4), ("#b", 2, 1)] {
                if let Some(digits) = word.strip_prefix(prefix) {
                    let value = UBig::from_str_radix(digits, radix).ok();
                    let width = u32::try_from(digits.len() * bits).ok().filter(|w| *w <= MAX_WIDTH);
                    return match (value, width) {
                        (Some(value), Some(width)) if width > 0 && !digits.starts_with(['+', '-']) => {
                            Ok(t.bv_big(value.into(), width))
                        }
                        _ => Err(Fault::new(at, format!("`{word}` is not a bit-vector"))),
                    };
                }
            }
        }
        t.find_symbol(word).ok_or_else(|| Fault::new(at, format!("`{word}` is not declared")))
    }

    fn let_term<'a>(&self, at: usize, args: &[Expr<'a>], scope: &mut Scope<'a>) -> Result<TermId, Fault> {
        let [bindings, body] = args else { return Err(Fault::new(at, "`let` takes bindings and a body")) };
        let list = bindings.list().ok_or_else(|| Fault::new(bindings.at(), "a list of bindings"))?;
        let mut new = Vec::new();
        for binding in list {
            let pair = binding.list().filter(|p| p.len() == 2);
            let pair = pair.ok_or_else(|| Fault::new(binding.at(), "a binding is (name term)"))?;
            let name = pair[0].word().ok_or_else(|| Fault::new(pair[0].at(), "a name is needed"))?;
            new.push((name, self.term(&pair[1], scope)?));
        }
        for (name, value) in &new {
            scope.entry(name).or_default().push(*value);
        }
        let result = self.term(body, scope);
        for (name, _) in &new {
            scope.get_mut(name).expect("bound above").pop();
        }
        result
    }

    /// `(_ bv12 8)`.
    fn indexed_number(&self, at: usize, args: &[Expr<'_>]) -> Result<TermId, Fault> {
        if let [value, width] = args
            && let Some(digits) = value.word().and_then(|w| w.strip_prefix("bv"))
            && let Ok(value) = digits.parse::<IBig>()
        {
            return Ok(self.terms.bv_big(value, self.width(width)?));
        }
        Err(Fault::new(at, "this indexed term is not known"))
    }

    fn application(&self, head: &Expr<'_>, exprs: &[Expr<'_>], args: &[TermId]) -> Result<TermId, Fault> {
        let t = self.terms;
        match head {
            Expr::Atom(at, word, quoted) => {
                if let Some(found) = self.macros.get(*word) {
                    self.check_args(*at, exprs, args, &sorts_of(t, &found.parameters))?;
                    let map: Substitution =
                        found.parameters.iter().copied().zip(args.iter().copied()).collect();
                    return Ok(t.substitute(found.body, &map));
                }
                if let Some(function) = t.find_function(word) {
                    self.check_args(*at, exprs, args, &t.signature(function).domain)?;
                    return Ok(t.apply(function, args));
                }
                match operator(word).filter(|_| !quoted) {
                    Some(operator) => self.operation(*at, word, operator, args),
                    None => Err(Fault::new(*at, format!("the function `{word}` is not known"))),
                }
            }
            Expr::List(at, parts) => self.indexed(*at, parts, exprs, args),
        }
    }

    fn check_args(
        &self,
        at: usize,
        exprs: &[Expr<'_>],
        args: &[TermId],
        sorts: &[Sort],
    ) -> Result<(), Fault> {
        if args.len() != sorts.len() {
            return Err(Fault::new(at, format!("{} arguments are needed, not {}", sorts.len(), args.len())));
        }
        args.iter().zip(sorts).zip(exprs).try_for_each(|((a, s), e)| self.expect(e.at(), *a, *s))
    }

    /// `((_ extract 7 0) x)`, `((as const (Array Int Int)) x)` and the like.
    fn indexed(
        &self,
        at: usize,
        parts: &[Expr<'_>],
        exprs: &[Expr<'_>],
        args: &[TermId],
    ) -> Result<TermId, Fault> {
        let t = self.terms;
        let words: Vec<&str> = parts.iter().map(|p| p.word().unwrap_or("")).collect();
        let unknown = || Fault::new(at, "this indexed operator is not known");
        let [arg] = args else { return Err(unknown()) };
        if let ["as", "const", _] = words[..] {
            let sort = self.sort(&parts[2])?;
            let (_, element) =
                t.array_parts(sort).ok_or_else(|| Fault::new(at, "an array sort is needed"))?;
            self.expect(exprs[0].at(), *arg, element)?;
            return Ok(t.const_array(sort, *arg));
        }
        if let ["_", "int_to_bv" | "int2bv", _] = words[..] {
            self.expect(exprs[0].at(), *arg, Sort::Int)?;
            return Ok(t.int_to_bv(*arg, self.width(&parts[2])?));
        }
        let width = t.sort(*arg).width();
        let width = width.ok_or_else(|| Fault::new(exprs[0].at(), "a bit-vector is needed"))?;
        match words[..] {
            ["_", "extract", _, _] => {
                let (high, low) = (self.index(&parts[2])?, self.index(&parts[3])?);
                if low > high || high >= width {
                    return Err(Fault::new(at, format!("no bits {high} to {low} in a width of {width}")));
                }
                Ok(t.extract(high, low, *arg))
            }
            ["_", "zero_extend" | "sign_extend", _] => {
                let by = self.index(&parts[2])?;
                if by > MAX_WIDTH - width.min(MAX_WIDTH) {
                    return Err(Fault::new(at, format!("a width above {MAX_WIDTH}")));
                }
                Ok(if words[1] == "zero_extend" { t.zero_ext(by, *arg) } else { t.sign_ext(by, *arg) })
            }
            _ => Err(unknown()),
        }
    }

    fn operation(&self, at: usize, word: &str, kind: Kind, args: &[TermId]) -> Result<TermId, Fault> {
        let t = self.terms;
        let wrong = |what: &str| Fault::new(at, format!("`{word}` needs {what}"));
        let same = args.windows(2).all(|w| t.sort(w[0]) == t.sort(w[1]));
        let first = args.first().map(|a| t.sort(*a)).ok_or_else(|| wrong("arguments"))?;
        let chain = |f: &dyn Fn(TermId, TermId) -> TermId| t.and(args.windows(2).map(|w| f(w[0], w[1])));
        let fold = |f: &dyn Fn(TermId, TermId) -> TermId| args[1..].iter().fold(args[0], |acc, a| f(acc, *a));
        match kind {
            Kind::Bool(f) => {
                if !args.iter().all(|a| t.sort(*a) == Sort::Bool) {
                    return Err(wrong("Boolean arguments"));
                }
                if word == "not" && args.len() != 1 {
                    return Err(wrong("one argument"));
                }
                Ok(f(t, args))
            }
            Kind::Equal(negated) => {
                if !same || args.len() < 2 {
                    return Err(wrong("two or more arguments of one sort"));
                }
                if !negated {
                    return Ok(chain(&|a, b| t.eq(a, b)));
                }
                let pairs = (0..args.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                Ok(t.and(pairs.map(|(i, j)| t.distinct(args[i], args[j]))))
            }
            Kind::Ite => match args {
                [c, a, b] if first == Sort::Bool && t.sort(*a) == t.sort(*b) => Ok(t.ite(*c, *a, *b)),
                _ => Err(wrong("a Boolean and two arguments of one sort")),
            },
            Kind::Arith(f) => {
                // SMT-LIB wants the sorts equal; many scripts mix integers into reals, so lift them.
                let real = args.iter().any(|a| t.sort(*a) == Sort::Real) || word == "/";
                let mut lifted = Vec::new();
                for a in args {
                    lifted.push(match t.sort(*a) {
                        Sort::Int if real => t.to_real(*a),
                        Sort::Int | Sort::Real => *a,
                        _ => return Err(wrong("numbers")),
                    });
                }
                let integers = matches!(word, "div" | "mod" | "abs");
                if integers && real || word == "abs" && args.len() != 1 || word == "mod" && args.len() != 2 {
                    return Err(wrong("integers, in the right number"));
                }
                let number = |a: &TermId| t.number(*a).is_some_and(|n| !n.is_zero());
                if word == "/" && !(lifted.len() == 2 && number(&lifted[1])) {
                    return Err(wrong("a numeral other than zero as divisor"));
                }
                if matches!(word, "<" | "<=" | ">" | ">=") && lifted.len() < 2 {
                    return Err(wrong("two or more arguments"));
                }
                Ok(f(t, &lifted))
            }
            Kind::ToReal => {
                if args.len() != 1 || first != Sort::Int {
                    return Err(wrong("one integer"));
                }
                Ok(t.to_real(args[0]))
            }
            Kind::Select => match (args, t.array_parts(first)) {
                ([a, i], Some((index, _))) if t.sort(*i) == index => Ok(t.select(*a, *i)),
                _ => Err(wrong("an array and an index of its sort")),
            },
            Kind::Store => match (args, t.array_parts(first)) {
                ([a, i, e], Some(parts)) if parts == (t.sort(*i), t.sort(*e)) => Ok(t.store(*a, *i, *e)),
                _ => Err(wrong("an array, an index and an element of its sorts")),
            },
            Kind::BvUnary(f) => {
                if args.len() != 1 || first.width().is_none() {
                    return Err(wrong("one bit-vector"));
                }
                Ok(f(t, args[0]))
            }
            Kind::BvBinary(f) => {
                if !same || args.len() < 2 || first.width().is_none() {
                    return Err(wrong("bit-vectors of one width"));
                }
                Ok(fold(&|a, b| f(t, a, b)))
            }
            Kind::BvCompare(f) => {
                if !same || args.len() != 2 || first.width().is_none() {
                    return Err(wrong("two bit-vectors of one width"));
                }
                Ok(f(t, args[0], args[1]))
            }
            Kind::Concat => {
                let total: Option<u32> =
                    args.iter().try_fold(0u32, |s, a| s.checked_add(t.sort(*a).width()?));
                if args.len() < 2 || total.is_none_or(|w| w > MAX_WIDTH) {
                    return Err(wrong("bit-vectors"));
                }
                Ok(fold(&|a, b| t.concat(a, b)))
            }
        }
    }
}

fn sorts_of(t: &Terms, terms: &[TermId]) -> Vec<Sort> {
    terms.iter().map(|p| t.sort(*p)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARATIONS: &str = "
        (set-logic ALL) ; a comment
        (declare-const x Int) (declare-fun y () Int) (declare-const p Bool) (declare-const r Real)
        (declare-fun f (Int Int) Int) (declare-const a (Array Int Int))
        (declare-const b (_ BitVec 8)) (declare-const |odd name| Int)
        (define-fun max ((u Int) (v Int)) Int (ite (<= u v) v u))";

    #[test]
    fn what_is_printed_reads_back() {
        let t = Terms::new();
        let text = format!(
            "{DECLARATIONS}
            (assert (and (<= x y) (or p (= (f x (+ y 1)) (max x y)))))
            (assert (let ((x y) (y x)) (< x y)))
            (assert (= (select (store a x 1) y) |odd name|))
            (assert (bvult (bvadd b #x0f) ((_ extract 7 0) (concat b (_ bv3 8)))))
            (assert (distinct x y (* 3 x)))
            (assert (>= (- (* 2.5 r)) (/ 1.0 3.0)))
            (assert (= (select ((as const (Array Int Int)) 7) x) (mod x 2)))"
        );
        let script = t.read_script(&text).unwrap();
        assert_eq!(script.assertions.len(), 7);
        let (x, y) = (t.find_symbol("x").unwrap(), t.find_symbol("y").unwrap());
        assert_eq!(script.assertions[1], t.lt(y, x));
        for assertion in &script.assertions {
            assert_eq!(t.read_term(&t.smt(*assertion)).as_ref(), Ok(assertion));
        }
        let printed = t.smt_script(&script.assertions);
        assert_eq!(t.read_script(&printed).unwrap(), script);
    }

    #[test]
    fn large_shared_terms_print_in_linear_space() {
        let t = Terms::new();
        let p: Vec<TermId> = (0..40).map(|i| t.symbol(&format!("p{i}"), Sort::Bool)).collect();
        let mut f = p[0];
        for q in &p {
            f = t.eq(t.and([f, *q]), t.or([f, t.not(*q)]));
        }
        let text = t.smt(f);
        assert!(text.len() < 10_000, "{}", text.len());
        assert_eq!(t.read_term(&text), Ok(f));
    }

    /// A binary decision diagram of many nodes, all shared, and a long chain: the text nests as deeply as the term at most.
    #[test]
    fn what_is_wide_or_long_reads_back() {
        let t = Terms::new();
        let p: Vec<TermId> = (0..120).map(|i| t.symbol(&format!("p{i}"), Sort::Bool)).collect();
        let mut layer = vec![t.fls(), t.tru()];
        for q in &p {
            // How many of the variables below are true, as long as the number is small.
            let next = (0..=layer.len().min(30)).map(|k| {
                let (low, high) = (layer[k.min(layer.len() - 1)], layer[k.saturating_sub(1)]);
                t.ite(*q, high, low)
            });
            layer = next.collect();
        }
        for f in &layer {
            assert_eq!(t.read_term(&t.smt(*f)), Ok(*f));
        }
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let mut long = x;
        for i in 0..900 {
            long = t.div(t.add(long, y), t.int(i + 2));
        }
        let chain = t.le(long, y);
        assert_eq!(t.read_term(&t.smt(chain)), Ok(chain));
    }

    #[test]
    fn bad_input_is_an_error_with_a_place() {
        let cases = [
            ("(assert", "1:1: this parenthesis is not closed"),
            (")", "1:1: a closing parenthesis without an opening one"),
            ("x", "1:1: a command is a list"),
            ("()", "1:1: a command has a name"),
            ("(push 1)", "1:1: the command `push` is not supported"),
            ("(assert\n  (<= q 1))", "2:7: `q` is not declared"),
            ("(assert 1)", "1:9: this has sort Int where Bool is needed"),
            ("(declare-const x Foo)", "1:18: this sort is not known"),
            ("(declare-const b (_ BitVec 0))", "1:28: a width from 1 to 65536 is needed"),
            ("(declare-const and Bool)", "1:16: `and` already has a meaning"),
            ("(assert (forall ((x Int)) true))", "1:10: quantifiers are not supported"),
            ("(assert (and 1 2))", "1:10: `and` needs Boolean arguments"),
            ("(assert (not true false))", "1:10: `not` needs one argument"),
            ("(assert (= 1 true))", "1:10: `=` needs two or more arguments of one sort"),
            ("(assert (let ((x)) x))", "1:15: a binding is (name term)"),
            ("(assert (= #xzz #b1))", "1:12: `#xzz` is not a bit-vector"),
            ("(assert (= |open 1))", "1:12: this quoted symbol does not end"),
            ("(assert (f 1))", "1:10: the function `f` is not known"),
            ("(assert (= (/ 1.0 0.0) 1.0))", "1:13: `/` needs a numeral other than zero as divisor"),
            ("(assert (= 1 12x))", "1:14: `12x` is not a number"),
            ("(assert ((_ extract 9 0) #x00))", "1:10: no bits 9 to 0 in a width of 8"),
        ];
        for (text, error) in cases {
            let found = Terms::new().read_script(text).expect_err(text);
            assert_eq!(found.to_string(), error, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(Terms::new().read_script(&deep).unwrap_err().message.contains("too deeply"));
    }

    #[test]
    fn a_name_has_one_sort() {
        let t = Terms::new();
        t.read_script("(declare-const x Int)").unwrap();
        assert!(t.read_script("(declare-const x Bool)").is_err());
        assert!(t.read_script("(declare-const x Int)").is_ok());
        assert!(t.read_script("(declare-fun x (Int) Int)").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[()|;\" a-z_0-9#.!=<+\n-]{0,80}") {
            let _ = Terms::new().read_script(&text);
            let _ = Terms::new().read_script(&format!("{DECLARATIONS}(assert ({text}))"));
            let _ = Terms::new().read_term(&text);
        }
    }
}
