//! Solver sessions.
//!
//! An [`Smt`] belongs to one thread and one term store: it holds the translated terms, the budget and the
//! statistics. From it come [`Session`]s: incremental solvers with assertions on levels, assumptions, cores, models.
//!
//! A check answers [`Status::Sat`], [`Status::Unsat`] or [`Status::Unknown`] with a reason. Models and cores are read
//! afterwards, by those who need them: reading a model costs more than many checks.

use crate::calls::{Calls, Purpose, SolverStats};
use crate::watchdog::Watch;
use crate::z3::raw;
use crate::z3::session::Z3Session;
use crate::z3::translate::Translator;
use craig_base::{Budget, Stop};
use craig_logic::{Model, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// The oldest Z3 whose interface fits.
const OLDEST: (u32, u32, u32) = (5, 3, 0);

/// Pooled sessions are replaced after this many uses: what popped levels leave behind slows a solver down.
const POOLED_USES: u32 = 500;

/// The linked solver cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverError(String);

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SolverError {}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// The budget ran out.
    Stopped(Stop),
    /// The question's own limit of work was not enough.
    Work,
    /// The model has values that no term stands for.
    NoModel,
    /// The solver gave up; in its own words.
    Incomplete(String),
}

impl Undecided {
    /// The question was too much, or not for this solver: other questions may still be answered. Not so when the budget ran out.
    pub fn gave_up(&self) -> bool {
        !matches!(self, Undecided::Stopped(_))
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Stopped(stop) => write!(f, "{stop}"),
            Undecided::Work => f.write_str("the question is too much work"),
            Undecided::NoModel => f.write_str("the model has values without a term"),
            Undecided::Incomplete(words) => write!(f, "the solver gave up: {words}"),
        }
    }
}

impl std::error::Error for Undecided {}

/// The answer to a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Sat,
    Unsat,
    Unknown(Undecided),
}

impl Status {
    pub fn is_sat(&self) -> bool {
        *self == Status::Sat
    }

    pub fn is_unsat(&self) -> bool {
        *self == Status::Unsat
    }

    /// Whether it is satisfiable, or the reason why that is not known.
    pub fn decided(self) -> Result<bool, Undecided> {
        match self {
            Status::Sat => Ok(true),
            Status::Unsat => Ok(false),
            Status::Unknown(why) => Err(why),
        }
    }
}

impl From<Result<bool, Undecided>> for Status {
    fn from(answer: Result<bool, Undecided>) -> Self {
        match answer {
            Ok(true) => Status::Sat,
            Ok(false) => Status::Unsat,
            Err(why) => Status::Unknown(why),
        }
    }
}

struct Shared {
    terms: Rc<Terms>,
    translator: Rc<Translator>,
    calls: Calls,
    /// Sessions for reuse, with the number of times they were used: making one costs as much as several checks.
    pool: RefCell<Vec<(Session, u32)>>,
    /// Symbols that stand for terms, the same in all sessions.
    proxies: RefCell<FxHashMap<TermId, TermId>>,
}

/// The solver of one thread. Clones share everything.
#[derive(Clone)]
pub struct Smt(Rc<Shared>);

impl fmt::Debug for Smt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smt").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

impl Smt {
    /// A solver for the terms of this store. Fails when the linked library is not the one the build was made for.
    pub fn new(terms: Rc<Terms>, budget: Budget) -> Result<Smt, SolverError> {
        check_version(raw::version())?;
        let translator = Rc::new(Translator::new());
        let interrupt = translator.ctx.interrupt_handle();
        let calls = Calls::new(Watch::new(budget, move || interrupt.interrupt()));
        Ok(Smt(Rc::new(Shared {
            terms,
            translator,
            calls,
            pool: RefCell::default(),
            proxies: RefCell::default(),
        })))
    }

    pub fn terms(&self) -> &Rc<Terms> {
        &self.0.terms
    }

    pub(crate) fn translator(&self) -> &Rc<Translator> {
        &self.0.translator
    }

    pub fn stats(&self) -> SolverStats {
        self.0.calls.stats()
    }

    pub fn budget(&self) -> Budget {
        self.0.calls.budget()
    }

    /// Replaces the budget; returns the one before.
    pub fn set_budget(&self, budget: Budget) -> Budget {
        self.0.calls.set_budget(budget)
    }

    /// Does `work` with at most so many units of work on top of the present budget.
    pub fn limited<T>(&self, units: u64, work: impl FnOnce() -> T) -> T {
        let before = self.set_budget(self.budget().with_work(units));
        let result = work();
        self.set_budget(before);
        result
    }

    /// Does `work`; what it asks is counted as asked for this purpose.
    pub fn as_part_of<T>(&self, purpose: Purpose, work: impl FnOnce() -> T) -> T {
        self.0.calls.as_part_of(purpose, work)
    }

    /// A new incremental session.
    pub fn session(&self) -> Session {
        self.made(Z3Session::new)
    }

    /// A session for one hard question about bit-vectors, all of it asserted: then it is often quicker. With levels or assumptions it is
    /// like any other.
    pub fn bit_session(&self) -> Session {
        self.made(Z3Session::for_bits)
    }

    /// A session for all-SAT, in which many assignments are excluded one after the other.
    pub fn enumerating_session(&self) -> Session {
        self.made(Z3Session::for_enumeration)
    }

    fn made(&self, make: impl FnOnce(Rc<Terms>, Rc<Translator>) -> Z3Session) -> Session {
        let z3 = self.0.calls.timed(|| make(Rc::clone(&self.0.terms), Rc::clone(&self.0.translator)));
        Session { shared: Rc::downgrade(&self.0), z3, levels: 0, limit: None }
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.0.calls
    }

    /// Is the conjunction satisfiable? For single questions; a series belongs into a [`Session`].
    pub fn check(&self, formulas: &[TermId]) -> Status {
        self.scratch(formulas, |_, answer| answer)
    }

    /// Like [`Smt::check`]; a model comes with `Sat` if it can be represented.
    pub fn check_model(&self, formulas: &[TermId]) -> (Status, Option<Model>) {
        self.scratch(formulas, |session, answer| {
            let model = if answer.is_sat() { session.model() } else { None };
            (answer, model)
        })
    }

    /// Do the premises imply the conclusion?
    pub fn entails(&self, premises: &[TermId], conclusion: TermId) -> Result<bool, Undecided> {
        let terms = &self.0.terms;
        if terms.is_true(conclusion) || premises.contains(&conclusion) {
            return Ok(true);
        }
        let mut all = premises.to_vec();
        all.push(terms.not(conclusion));
        self.check(&all).decided().map(|sat| !sat)
    }

    fn scratch<T>(&self, formulas: &[TermId], then: impl FnOnce(&mut Session, Status) -> T) -> T {
        let mut session = self.pooled_session();
        for formula in formulas {
            session.assert(*formula);
        }
        let answer = session.check();
        then(&mut session, answer)
    }

    /// An empty session from the pool, with a level open; it goes back when dropped.
    pub(crate) fn pooled_session(&self) -> Pooled {
        let pooled = self.0.pool.borrow_mut().pop();
        let (mut session, uses) = pooled.unwrap_or_else(|| (self.session(), 0));
        session.push();
        Pooled { session: Some(session), uses }
    }
}

/// A session that goes back to its pool.
pub(crate) struct Pooled {
    session: Option<Session>,
    uses: u32,
}

impl std::ops::Deref for Pooled {
    type Target = Session;
    fn deref(&self) -> &Session {
        self.session.as_ref().expect("present until dropped")
    }
}

impl std::ops::DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Session {
        self.session.as_mut().expect("present until dropped")
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        let Some(shared) = session.shared.upgrade() else { return };
        if self.uses + 1 >= POOLED_USES {
            return;
        }
        while session.levels() > 0 {
            session.pop();
        }
        session.set_work_limit(0);
        shared.pool.borrow_mut().push((session, self.uses + 1));
    }
}

fn check_version(found: (u32, u32, u32)) -> Result<(), SolverError> {
    if found >= OLDEST {
        return Ok(());
    }
    let text = |(a, b, c): (u32, u32, u32)| format!("{a}.{b}.{c}");
    Err(SolverError(format!(
        "the linked Z3 is version {}, but at least {} is needed: run scripts/setup and build again",
        text(found),
        text(OLDEST)
    )))
}

/// An incremental solver.
pub struct Session {
    /// Weak, because pooled sessions live inside what they would otherwise keep alive.
    shared: std::rc::Weak<Shared>,
    z3: Z3Session,
    levels: u32,
    /// Units of work for each check.
    limit: Option<u32>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("levels", &self.levels).finish_non_exhaustive()
    }
}

impl Session {
    /// Does something with the solver; the time counts.
    fn timed<T>(&mut self, work: impl FnOnce(&mut Z3Session) -> T) -> T {
        match self.shared.upgrade() {
            Some(shared) => shared.calls.timed(|| work(&mut self.z3)),
            None => work(&mut self.z3),
        }
    }

    /// Opens a level: what is asserted from now on goes with the matching [`Session::pop`].
    pub fn push(&mut self) {
        self.timed(Z3Session::push);
        self.levels += 1;
    }

    /// Closes the newest level; without one it does nothing.
    pub fn pop(&mut self) {
        if self.levels > 0 {
            self.levels -= 1;
            self.timed(|z3| z3.pop(1));
        }
    }

    /// Number of open levels.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    pub fn assert(&mut self, formula: TermId) {
        self.timed(|z3| z3.assert(formula));
    }

    /// Are the assertions satisfiable together?
    pub fn check(&mut self) -> Status {
        self.check_assuming(&[])
    }

    /// Are the assertions and the assumptions satisfiable together? Assumptions may be any Boolean terms; literals
    /// over symbols are cheapest.
    pub fn check_assuming(&mut self, assumptions: &[TermId]) -> Status {
        let Some(shared) = self.shared.upgrade() else {
            return Status::Unknown(Undecided::Incomplete("the solver of this session is gone".into()));
        };
        let answer = shared.calls.timed(|| self.z3.check(assumptions, self.limit, &shared.calls));
        shared.calls.note(&answer);
        answer.into()
    }

    /// Limits the work of each check from now on, in the solver's own units, so that the answer does not depend on
    /// the clock; a check that needs more is [`Undecided::Work`]. Zero means no limit.
    pub fn set_work_limit(&mut self, units: u32) {
        self.limit = (units > 0).then_some(units);
    }

    /// The model of the last check, which was `Sat`. `None` when it has values that we cannot represent.
    pub fn model(&mut self) -> Option<Model> {
        self.timed(Z3Session::model)
    }

    /// As [`Session::model`], for those who cannot go on without it.
    pub fn require_model(&mut self) -> Result<Model, Undecided> {
        self.model().ok_or(Undecided::NoModel)
    }

    /// For each Boolean term a literal over a symbol, which means the same as long as the present level is open. Such literals are cheap to
    /// assume, to exclude, and to read ([`Session::truths`]).
    pub fn proxies(&mut self, of: &[TermId]) -> Vec<TermId> {
        let Some(shared) = self.shared.upgrade() else { return of.to_vec() };
        let (terms, mut known) = (&shared.terms, shared.proxies.borrow_mut());
        let mut pairs = Vec::new();
        let mut literal = |term: &TermId| {
            let (atom, positive) = terms.atom(*term);
            let proxy = match terms.op(atom) {
                Op::True | Op::False => return *term,
                Op::Symbol(_) => atom,
                _ => *known.entry(atom).or_insert_with(|| terms.fresh("proxy", Sort::Bool)),
            };
            pairs.push((proxy, atom));
            if positive { proxy } else { terms.not(proxy) }
        };
        let literals = of.iter().map(&mut literal).collect();
        self.z3.define(&pairs);
        literals
    }

    /// Asserts that not all of the literals hold. Unlike with [`Session::assert`] no term is made that stays.
    pub fn exclude(&mut self, literals: &[TermId]) {
        self.z3.exclude(literals);
    }

    /// The values of a few Boolean terms in the model of the last check, which was `Sat`: much cheaper than reading the whole
    /// model, and cheapest for proxies. `None` when one of them has no plain value.
    pub fn truths(&mut self, terms: &[TermId]) -> Option<Vec<bool>> {
        self.timed(|z3| z3.truths(terms))
    }

    /// The assumptions that the last check, which was `Unsat`, needed. Not minimal in general.
    pub fn core(&mut self) -> Vec<TermId> {
        self.timed(Z3Session::core)
    }

    /// A core of which no member can be left out, found by leaving out one after the other. Starts from the core
    /// of the last check, which was `Unsat`; a try that has no answer keeps its member.
    pub fn minimal_core(&mut self) -> Vec<TermId> {
        let mut core = self.core();
        let mut next = 0;
        while next < core.len() {
            let mut fewer = core.clone();
            fewer.remove(next);
            if self.check_assuming(&fewer).is_unsat() {
                let found = self.core();
                fewer.retain(|t| found.contains(t));
                // Members before `next` are needed, so the answer kept them all.
                core = fewer;
            } else {
                next += 1;
            }
        }
        core
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Value;

    fn solver() -> (Rc<Terms>, Smt) {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).unwrap();
        (terms, smt)
    }

    #[test]
    fn an_old_library_is_refused_with_advice() {
        assert!(check_version((5, 4, 0)).is_ok());
        let error = check_version((4, 8, 12)).unwrap_err().to_string();
        assert!(error.contains("4.8.12") && error.contains("scripts/setup"), "{error}");
    }

    #[test]
    fn levels_assumptions_and_cores() {
        let (t, smt) = solver();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let mut s = smt.session();
        s.assert(t.lt(x, y));
        assert_eq!(s.check(), Status::Sat);
        s.push();
        s.assert(t.lt(y, x));
        assert_eq!(s.check(), Status::Unsat);
        s.pop();
        assert_eq!(s.check(), Status::Sat);
        let assumptions = [t.ge(x, t.int(0)), t.ge(x, t.int(5)), t.le(y, t.int(5)), t.le(y, t.int(100))];
        assert_eq!(s.check_assuming(&assumptions), Status::Unsat);
        assert_eq!(s.minimal_core(), vec![assumptions[1], assumptions[2]]);
        assert_eq!(s.check_assuming(&assumptions[..2]), Status::Sat);
        assert!(smt.stats().checks >= 5);
    }

    #[test]
    fn proxies_mean_their_terms_while_their_level_is_open() {
        let (t, smt) = solver();
        let (x, y, b) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int), t.symbol("b", Sort::Bool));
        let atoms = [
            t.ge(x, t.int(3)),
            t.eq(t.add(x, y), t.int(7)),
            t.not(t.lt(x, y)),
            t.ite(b, t.eq(x, t.int(4)), t.ge(y, t.int(0))),
            b,
            t.tru(),
        ];
        let mut s = smt.session();
        s.assert(t.and([t.ge(x, t.int(0)), t.le(x, t.int(9)), t.ge(y, t.int(-2)), t.le(y, t.int(9))]));
        let below = s.proxies(&atoms[..1])[0];
        s.push();
        let proxies = s.proxies(&atoms);
        assert_eq!(proxies[0], below);
        let mut found = 0;
        while s.check().is_sat() {
            found += 1;
            let values = s.truths(&proxies).unwrap();
            let model = s.model().unwrap();
            for (atom, value) in atoms.iter().zip(&values) {
                assert_eq!(t.eval(*atom, &model), Value::Bool(*value), "{}", t.smt(*atom));
            }
            let literal = |(p, v): (&TermId, &bool)| if *v { *p } else { t.not(*p) };
            s.exclude(&proxies.iter().zip(&values).map(literal).collect::<Vec<_>>());
        }
        assert!((8..=32).contains(&found), "no assignment comes twice, and there are several: {found}");
        s.pop();
        // Not defined any more, but a symbol like any other; the one below still means its term.
        assert!(s.check_assuming(&[proxies[1], t.distinct(t.add(x, y), t.int(7))]).is_sat());
        assert!(s.check_assuming(&[below, t.lt(x, t.int(3))]).is_unsat());
    }

    #[test]
    fn single_questions_about_bits_have_answers_and_models() {
        let (t, smt) = solver();
        let a = t.symbol("a", t.array_sort(Sort::BitVec(32), Sort::BitVec(8)));
        let (x, y) = (t.symbol("x", Sort::BitVec(32)), t.symbol("y", Sort::BitVec(32)));
        let differ = t.distinct(t.select(a, x), t.select(a, y));
        let mut s = smt.bit_session();
        s.assert(differ);
        assert_eq!(s.check(), Status::Sat);
        assert_eq!(t.eval(differ, &s.model().unwrap()), Value::Bool(true));
        s.assert(t.eq(t.bv_mul(x, t.bv(3, 32)), t.bv_mul(y, t.bv(3, 32))));
        assert_eq!(s.check(), Status::Unsat);
        assert!(smt.stats().checks >= 2);
    }

    #[test]
    fn models_evaluate_to_true() {
        let (t, smt) = solver();
        let a = t.symbol("a", t.array_sort(Sort::Int, Sort::Int));
        let b = t.symbol("b", Sort::BitVec(70));
        let r = t.symbol("r", Sort::Real);
        let i = t.symbol("i", Sort::Int);
        let f = t.function("f", &[Sort::Int], Sort::Int);
        let formula = t.and([
            t.eq(t.select(a, t.int(3)), t.int(-7)),
            t.eq(t.select(t.store(a, i, t.int(4)), t.int(2)), t.int(9)),
            t.bv_ult(t.bv(-5, 70), b),
            t.eq(t.scale(&craig_logic::Rat::from(3), r), t.real(&craig_logic::Rat::ONE)),
            t.eq(t.apply(f, &[i]), t.add(i, t.int(1))),
            t.distinct(t.apply(f, &[t.int(0)]), t.apply(f, &[t.int(1)])),
        ]);
        let (answer, model) = smt.check_model(&[formula]);
        assert_eq!(answer, Status::Sat);
        assert_eq!(t.eval(formula, &model.unwrap()), Value::Bool(true));
    }
}
