//! Elimination of symbols: exact, and guided by a model.
//!
//! [`by_model`] is model-based projection: from a formula and a model of it to a cube without the given symbols that
//! holds in the model and implies that some values for the symbols satisfy the formula. Z3 does the elimination on an
//! implicant of ours; a symbol it leaves is replaced by its value, which is sound and less general.
//!
//! [`exists`] collects such cubes until they cover the formula. Every cube implies the projection, so the result is
//! exact when the loop ends. Linear arithmetic always ends (there are finitely many projections); bit-vectors and
//! arrays may not, hence the limits.
//!
//! Tried and rejected: Z3's quantifier elimination (the tactic `qe`) when there are too many cubes. It knows no limit of work, and on
//! random sequences of bit-vectors and arrays no answer was missing without it.

use crate::calls::Purpose;
use crate::session::{Session, Smt, Undecided};
use crate::z3::back::Reader;
use crate::z3::raw;
use craig_logic::{Evaluator, Model, Sort, Substitution, SymbolId, TermId, Value};
use std::fmt;

/// Cubes that [`exists`] collects at most.
const MAX_CUBES: usize = 400;
/// Cubes and work per model (in Z3's units) that [`exists_easily`] allows.
const EASY_CUBES: usize = 16;
const EASY_WORK: u32 = 20_000;

/// Why a projection has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectError {
    Undecided(Undecided),
    /// The formula is false in the given model.
    NotAModel,
    /// The projection has more cubes than allowed.
    TooMany {
        limit: usize,
    },
    /// Z3 did not manage.
    GaveUp(String),
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectError::Undecided(why) => write!(f, "{why}"),
            ProjectError::NotAModel => f.write_str("the formula is false in the model"),
            ProjectError::TooMany { limit } => write!(f, "the projection has more than {limit} cubes"),
            ProjectError::GaveUp(words) => write!(f, "projection gave up: {words}"),
        }
    }
}

impl std::error::Error for ProjectError {}

impl From<Undecided> for ProjectError {
    fn from(why: Undecided) -> Self {
        ProjectError::Undecided(why)
    }
}

impl From<raw::Error> for ProjectError {
    fn from(error: raw::Error) -> Self {
        ProjectError::GaveUp(error.0)
    }
}

/// A cube over the other symbols that holds in `model` and implies `exists symbols. formula`.
pub fn by_model(
    smt: &Smt,
    formula: TermId,
    model: &Model,
    symbols: &[SymbolId],
) -> Result<TermId, ProjectError> {
    let terms = smt.terms();
    let mut values = Evaluator::new(terms, model);
    let literals = terms.implicant_with(formula, &mut values).ok_or(ProjectError::NotAModel)?;
    let cube = terms.and(literals.iter().copied());
    let present = terms.symbols_of(cube);
    let wanted: Vec<SymbolId> =
        symbols.iter().filter(|s| present.binary_search(s).is_ok()).copied().collect();
    if wanted.is_empty() {
        return Ok(cube);
    }
    let projected =
        smt.calls().timed(|| project(smt, cube, model, &wanted)).ok().filter(|p| values.holds(*p));
    // Whatever is left takes its value from the model.
    let candidate = projected.unwrap_or(cube);
    let left = terms.symbols_of(candidate);
    let map: Substitution = wanted
        .iter()
        .filter(|s| left.binary_search(s).is_ok())
        .map(|s| {
            let term = terms.symbol_term(*s);
            (term, values.eval(term).to_term(terms, terms.sort(term)))
        })
        .collect();
    Ok(terms.substitute(candidate, &map))
}

/// Z3's projection of a cube, read back.
fn project(smt: &Smt, cube: TermId, model: &Model, symbols: &[SymbolId]) -> Result<TermId, ProjectError> {
    let terms = smt.terms();
    let translator = smt.translator();
    let z = &translator.ctx;
    let mut build = raw::ModelBuilder::new(z)?;
    let mut values = Evaluator::new(terms, model);
    for symbol in terms.symbols_of(cube) {
        let term = terms.symbol_term(symbol);
        let value = values.eval(term).to_term(terms, terms.sort(term));
        build.constant(translator.term(terms, term)?, translator.term(terms, value)?);
    }
    for function in terms.functions_of_all(&[cube]) {
        let signature = terms.signature(function);
        let (default, entries) = match model.function(function) {
            Some(f) => (f.default.clone(), f.entries.clone()),
            None => (Value::default_of(terms, signature.range), Default::default()),
        };
        let value = |v: &Value, sort: Sort| translator.term(terms, v.to_term(terms, sort));
        let decl = translator.function(terms, function)?;
        let mut rows = Vec::new();
        for (key, v) in &entries {
            let args = key.iter().zip(&signature.domain).map(|(k, s)| value(k, *s));
            rows.push((args.collect::<raw::Result<Vec<_>>>()?, value(v, signature.range)?));
        }
        build.function(decl, value(&default, signature.range)?, &rows)?;
    }
    let mut constants = Vec::new();
    for symbol in symbols {
        constants.push(translator.term(terms, terms.symbol_term(*symbol))?);
    }
    let body = translator.term(terms, cube)?;
    let model = build.finish();
    // No limit of work: Z3 knows none here. Cubes are small.
    smt.calls().count(Purpose::Projection);
    let result = smt.calls().run(|| z.work(), || z.project(&model, &constants, body))??;
    Ok(Reader { translator, terms, bound: &[] }.term(result.ast)?)
}

/// A formula over the other symbols that is equivalent to `exists symbols. formula`.
pub fn exists(smt: &Smt, formula: TermId, symbols: &[SymbolId]) -> Result<TermId, ProjectError> {
    let terms = smt.terms();
    let present = terms.symbols_of(formula);
    let symbols: Vec<SymbolId> =
        symbols.iter().filter(|s| present.binary_search(s).is_ok()).copied().collect();
    if symbols.is_empty() {
        return Ok(formula);
    }
    cover(smt, formula, &symbols, MAX_CUBES, smt.session())
}

/// As [`exists`], when a few cubes and little work are enough. No clock decides about that.
pub(crate) fn exists_easily(
    smt: &Smt,
    formula: TermId,
    symbols: &[SymbolId],
) -> Result<TermId, ProjectError> {
    let mut session = smt.session();
    session.set_work_limit(EASY_WORK);
    cover(smt, formula, symbols, EASY_CUBES, session)
}

/// Projected cubes until they cover the formula.
fn cover(
    smt: &Smt,
    formula: TermId,
    symbols: &[SymbolId],
    max_cubes: usize,
    mut session: Session,
) -> Result<TermId, ProjectError> {
    let terms = smt.terms();
    session.assert(formula);
    let mut cubes: Vec<TermId> = Vec::new();
    while cubes.len() < max_cubes {
        if !session.check().decided()? {
            return Ok(crate::interpolate::tidy::disjunction(terms, &cubes));
        }
        let model = session.require_model()?;
        let cube = by_model(smt, formula, &model, symbols)?;
        session.assert(terms.not(cube));
        cubes.push(cube);
    }
    Err(ProjectError::TooMany { limit: max_cubes })
}

/// `forall symbols. formula`, dual to [`exists`].
pub fn forall(smt: &Smt, formula: TermId, symbols: &[SymbolId]) -> Result<TermId, ProjectError> {
    let terms = smt.terms();
    Ok(terms.not(exists(smt, terms.not(formula), symbols)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_base::Budget;
    use craig_logic::Terms;
    use std::rc::Rc;

    fn check(declarations: &str, formula: &str, symbols: &[&str], expected: &str) {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        terms.read_script(declarations).unwrap();
        let (formula, expected) = (terms.read_term(formula).unwrap(), terms.read_term(expected).unwrap());
        let symbols: Vec<SymbolId> =
            symbols.iter().map(|s| terms.as_symbol(terms.find_symbol(s).unwrap()).unwrap()).collect();
        let result = exists(&smt, formula, &symbols).unwrap();
        assert!(terms.symbols_of(result).iter().all(|s| !symbols.contains(s)), "{}", terms.smt(result));
        assert!(smt.check(&[terms.xor(result, expected)]).is_unsat(), "{}", terms.smt(result));
        // A projection of one model implies the whole and holds in the model.
        let (_, model) = smt.check_model(&[formula]);
        let model = model.unwrap();
        let cube = by_model(&smt, formula, &model, &symbols).unwrap();
        assert_eq!(smt.entails(&[cube], expected), Ok(true));
        assert_eq!(terms.eval(cube, &model), Value::Bool(true));
    }

    const INTS: &str = "(declare-const x Int) (declare-const y Int) (declare-const z Int)";

    #[test]
    fn linear_elimination_is_exact() {
        check(INTS, "(and (<= x y) (<= y z))", &["y"], "(<= x z)");
        check(INTS, "(or (and (< x y) (< y z)) (= x (+ z 5)))", &["y"], "(or (< (+ x 1) z) (= x (+ z 5)))");
        check(INTS, "(= x (* 2 y))", &["y"], "(= (mod x 2) 0)");
        check(INTS, "(and (= x (+ y z)) (<= 0 y 3) (<= 0 z 4))", &["y", "z"], "(<= 0 x 7)");
    }

    /// Models of functions with several entries are made for Z3: the handle of the first must live until the last.
    #[test]
    fn functions_with_several_values() {
        let declarations = format!("{INTS} (declare-fun f (Int) Int)");
        let values: Vec<String> = (0..40).map(|i| format!("(= (f {i}) {})", i * i)).collect();
        let formula = format!("(and {} (<= x y) (<= y z))", values.join(" "));
        check(&declarations, &formula, &["y"], &format!("(and {} (<= x z))", values.join(" ")));
    }

    #[test]
    fn arrays_and_reals() {
        check(
            "(declare-const a (Array Int Int)) (declare-const b (Array Int Int)) (declare-const i Int)
             (declare-const v Int)",
            "(and (= b (store a i 5)) (= v (select b i)))",
            &["a", "b"],
            "(= v 5)",
        );
        check(
            "(declare-const r Real) (declare-const s Real) (declare-const u Real)",
            "(and (< r s) (< s u))",
            &["s"],
            "(< r u)",
        );
    }

    #[test]
    fn bit_vectors_of_small_range_end() {
        check(
            "(declare-const b (_ BitVec 8)) (declare-const c (_ BitVec 8))",
            "(and (= b (bvadd c #x01)) (bvult c #x04))",
            &["c"],
            "(and (bvule #x01 b) (bvule b #x04))",
        );
    }
}
