//! The second checker of certificates: in flat memory.
//!
//! The first checker ([`crate::check`](mod@crate::check)) shares with the engines the analysis of where pointers point. This one shares nothing with it but the
//! expansion of calls: memory is one array from addresses to bytes, machine integers are bit-vectors, addresses are unknown. What
//! both engine and first checker believe wrongly about memory is found here.
//!
//! | module | holds |
//! |---|---|
//! | `layout` | what a state is made of |
//! | `space` | addresses of objects, memory as bytes |
//! | `eval` | expressions |
//! | `step` | operations |
//! | `walk` | segments between cuts |
//! | `support` | guesses about pointers that help a proof |
//! | `formula` | the certificate's formulas, said of flat states |
//!
//! It may fail where the first one does not: a proof may lean on where pointers point without saying so, or say what cannot be
//! said here. It errs to one side only: every run of the program is among those that it looks at.

mod eval;
mod formula;
mod layout;
mod space;
mod step;
mod support;
mod walk;

use crate::assumed;
use crate::certificate::{Certificate, Invariants, Proof};
use crate::expand::{Cuts, Expanded, Flow, expand};
use crate::outcome::{CutPoint, Reason, Refusal};
use crate::relations;
use craig_base::Budget;
use craig_cfa::{CallString, Edge, EdgeId, ExprKind, LocId, Op, Program, VarId};
use craig_encode::Arith;
use craig_logic::{Evaluator, TermId, Terms};
use craig_smt::{Smt, Status, Undecided};
use formula::{Formulas, NotRead};
use index_vec::{IndexVec, index_vec};
use layout::{Layout, State};
use rustc_hash::{FxHashMap, FxHashSet};
use space::Space;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use support::Guess;
use walk::{Failed, Point, Walker};

/// What the checker in flat memory found.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The certificate proves the program safe.
    Shown { solver_calls: u64 },
    /// The formula at the one cut does not follow from that at the other.
    NotShown { from: CutPoint, to: CutPoint },
    /// Program or certificate say what has no meaning in flat memory.
    NotTranslatable(NotTranslatable),
    /// No answer: a limit, or the solver gave up.
    Undecided(Reason),
}

/// What has no meaning in flat memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTranslatable {
    /// Integers without bounds, reals.
    MathematicalNumbers,
    /// Boogie's maps.
    Maps,
    /// Uninterpreted functions.
    Functions,
    /// Values of types that are no bits.
    OpaqueValues,
    /// A formula that speaks of all values in an array at once.
    Arrays,
    /// A formula that speaks of the address where the next object goes.
    NextAddress,
    /// A formula that speaks of addresses as numbers: their order, their bits.
    AddressNumbers,
    /// A proof that is one only if calls through pointers go to functions of their types.
    Callees,
    /// A proof that speaks of procedures one by one: here calls are expanded.
    Procedures,
    /// A symbol of the certificate that stands for nothing in memory.
    Symbol(String),
    /// A quotient by what is no number.
    Division,
    /// Numbers beyond what is sensible in bits.
    WideNumbers,
}

impl Outcome {
    /// A name that stays, for tools.
    pub fn key(&self) -> &'static str {
        match self {
            Outcome::Shown { .. } => "shown",
            Outcome::NotShown { .. } => "not-shown",
            Outcome::NotTranslatable(_) => "not-translatable",
            Outcome::Undecided(_) => "undecided",
        }
    }
}

impl fmt::Display for NotTranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotTranslatable::MathematicalNumbers => "mathematical numbers",
            NotTranslatable::Maps => "maps",
            NotTranslatable::Functions => "uninterpreted functions",
            NotTranslatable::OpaqueValues => "values that are no bits",
            NotTranslatable::Arrays => "a formula about a whole array",
            NotTranslatable::NextAddress => "a formula about where the next object goes",
            NotTranslatable::AddressNumbers => "a formula about addresses as numbers",
            NotTranslatable::Callees => "it leans on where pointers to functions come from",
            NotTranslatable::Procedures => "it speaks of procedures one by one",
            NotTranslatable::Symbol(name) => return write!(f, "`{name}` is no part of memory"),
            NotTranslatable::Division => "a quotient by a variable",
            NotTranslatable::WideNumbers => "numbers too large for bits",
        })
    }
}

/// What everything here works on.
struct Model<'p> {
    program: &'p Program,
    terms: Rc<Terms>,
    layout: Layout,
    /// Signed overflow wraps around; otherwise it ends a run.
    wrap: bool,
    /// Addresses that are computed wrap around; otherwise a run ends there.
    wrap_addresses: bool,
    /// The copies of the source program's variables.
    copies: FxHashMap<(VarId, CallString), VarId>,
}

impl<'p> Model<'p> {
    fn new(program: &'p Program, terms: Rc<Terms>, arith: Arith, signed_wrap: bool) -> Self {
        let layout = Layout::new(program, &terms);
        let copies = program.vars.iter_enumerated().map(|(id, var)| ((var.origin, var.calls), id)).collect();
        let wrap_addresses = arith == Arith::Bv;
        Model { program, terms, layout, wrap: signed_wrap || wrap_addresses, wrap_addresses, copies }
    }

    /// Bits of an address.
    fn width(&self) -> u32 {
        u32::from(self.program.types.model.pointer_bits())
    }
}

/// Does the certificate prove, in flat memory, that the error of the program is not reached?
///
/// In integer arithmetic a proof speaks of runs without signed overflow: a run ends where it overflows, unless `signed_wrap`, and where
/// an address that it computes leaves the space of addresses.
pub fn check(source: &Program, certificate: &Certificate, signed_wrap: bool, budget: &Budget) -> Outcome {
    if let Proof::Procedures(_) = &certificate.proof {
        return Outcome::NotTranslatable(NotTranslatable::Procedures);
    }
    if let Proof::Relations(given) = &certificate.proof {
        let related = assumed::program(source, certificate, budget)
            .and_then(|source| relations::related(&source, &given.contracts));
        let proof = Certificate::new(certificate.arith, (*given.by).clone());
        return match related {
            Ok(related) => check(&related.program, &proof, signed_wrap, budget),
            Err(reason) => Outcome::Undecided(reason),
        };
    }
    let result = assumed::program(source, certificate, budget)
        .and_then(|source| expand(&source, &certificate.unfollowed, budget))
        .map_err(Failed::from)
        .and_then(|expanded| check_expanded(&expanded, certificate, signed_wrap, budget));
    match result {
        Ok(outcome) => outcome,
        Err(Failed::NotTranslatable(why)) => Outcome::NotTranslatable(why),
        Err(Failed::Reason(reason)) => Outcome::Undecided(reason),
    }
}

fn check_expanded(
    expanded: &Expanded,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Outcome, Failed> {
    let program = &expanded.program;
    let none = Invariants::default();
    let invariants = certificate.proof.invariants();
    let given = invariants.unwrap_or(&none);
    let terms = Rc::new(Terms::new());
    let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
    let model = Model::new(program, terms, certificate.arith, signed_wrap);
    let formulas = match Formulas::read(&model, expanded, given, certificate.arith) {
        Ok(formulas) => formulas,
        Err(NotRead::Refused(refusal)) => return Err(refusal.into()),
        Err(NotRead::NotTranslatable(why)) => return Err(why.into()),
    };
    let never = never(expanded, given)?;
    let failed = |closed: &dyn Fn(&Edge) -> bool| {
        let flow = Flow::new(expanded, &never, closed);
        let cuts = Cuts::new(program, &flow, formulas.at.keys().copied());
        let walker = Walker { model: &model, flow: &flow, cuts: &cuts, budget };
        let checker = Checker { walker, formulas: &formulas, smt: &smt };
        match invariants {
            None => checker.unwind(),
            Some(_) => checker.inductive(),
        }
    };
    // A proof need not say that pointers keep to functions of their types, and where they come from nobody knows here. So that is
    // asked for apart.
    let misleads = |edge: &Edge| match edge.op {
        Op::Assume(e) => matches!(program.exprs.kind(e), ExprKind::Leads(..)),
        _ => false,
    };
    let gap = failed(&misleads)?;
    let misled = gap.is_none() && program.edges.iter().any(misleads) && failed(&|_| false)?.is_some();
    Ok(match gap {
        None if misled => Outcome::NotTranslatable(NotTranslatable::Callees),
        None => Outcome::Shown { solver_calls: smt.stats().checks },
        Some(_) if formulas.numbers_addresses.get() => {
            Outcome::NotTranslatable(NotTranslatable::AddressNumbers)
        }
        Some((from, to)) => Outcome::NotShown { from, to },
    })
}

/// For each edge of the expanded program, whether it is claimed never to be taken.
fn never(expanded: &Expanded, given: &Invariants) -> Result<IndexVec<EdgeId, bool>, Refusal> {
    let edges = |ids: &[u32]| ids.iter().map(|&e| EdgeId::from_raw(e)).collect();
    let sites = given.never.iter().map(|n| (EdgeId::from_raw(n.edge), edges(&n.calls)));
    let mut never = index_vec![false; expanded.program.edges.len()];
    for (found, claimed) in expanded.assumptions(sites).into_iter().zip(&given.never) {
        never[found.ok_or(Refusal::Edge { edge: claimed.edge })?] = true;
    }
    Ok(never)
}

/// The paths from one cut to the next ones.
struct Segment {
    start: LocId,
    state: Rc<State>,
    premise: TermId,
    ends: Vec<Point>,
    /// For each end: a run comes there and its formula does not hold.
    violations: Vec<(LocId, TermId)>,
    space: Space,
}

/// A segment that is not shown: where it starts and ends.
type Gap = Option<(CutPoint, CutPoint)>;

struct Checker<'a> {
    walker: Walker<'a>,
    formulas: &'a Formulas,
    smt: &'a Smt,
}

impl Checker<'_> {
    fn model(&self) -> &Model<'_> {
        self.walker.model
    }

    fn entry(&self) -> LocId {
        let program = self.model().program;
        program.procs[program.entry].entry
    }

    fn ask(&self, status: Status) -> Result<bool, Failed> {
        Ok(status.decided().map_err(Refusal::Undecided)?)
    }

    /// What has to hold at a cut, said of a state.
    fn formula(&self, cut: LocId, state: &State, space: &mut Space) -> Result<TermId, Failed> {
        let terms = &self.model().terms;
        match self.formulas.at.get(&cut) {
            Some(formula) => Ok(self.formulas.holds(*formula, self.model(), state, space)?),
            // From there the error is out of reach anyway.
            None if !self.walker.flow.leads[cut] => Ok(terms.tru()),
            None => Ok(terms.fls()),
        }
    }

    /// Every segment preserves the formulas, by themselves or with the help of guesses about pointers.
    fn inductive(&self) -> Result<Gap, Failed> {
        let mut segments = self.segments()?;
        let mut gap = None;
        for segment in &mut segments {
            gap = self.gap(segment, &[])?;
            if gap.is_some() {
                break;
            }
        }
        if gap.is_none() {
            return Ok(None);
        }
        let kept = self.supported(&mut segments)?;
        for segment in &mut segments {
            let gap = self.gap(segment, kept.get(&segment.start).map_or(&[], Vec::as_slice))?;
            if gap.is_some() {
                return Ok(gap);
            }
        }
        Ok(None)
    }

    /// All segments with their formulas.
    fn segments(&self) -> Result<Vec<Segment>, Failed> {
        let terms = &self.model().terms;
        let mut segments = Vec::new();
        for (start, cut) in self.walker.cuts.is_cut.iter_enumerated() {
            if !cut || start == self.model().program.error || !self.walker.flow.matters[start] {
                continue;
            }
            let (mut space, state, premise) = if start == self.entry() {
                let (space, state) = self.walker.initial();
                (space, state, terms.tru())
            } else {
                let (mut space, state) = self.walker.any(start);
                let premise = self.formula(start, &state, &mut space)?;
                (space, state, premise)
            };
            if terms.is_false(premise) {
                continue;
            }
            let state = Rc::new(state);
            let point = Point { loc: start, guard: terms.tru(), state: Rc::clone(&state) };
            let ends = self.walker.walk(vec![point], &mut space)?;
            let mut violations = Vec::new();
            for end in &ends {
                let formula = self.formula(end.loc, &end.state, &mut space)?;
                violations.push((end.loc, terms.and([end.guard, terms.not(formula)])));
            }
            segments.push(Segment { start, state, premise, ends, violations, space });
        }
        Ok(segments)
    }

    /// The end of a segment whose formula does not follow from its premise and these guesses.
    fn gap(&self, segment: &mut Segment, guesses: &[Guess]) -> Result<Gap, Failed> {
        let terms = &self.model().terms;
        let any = terms.or(segment.violations.iter().map(|(_, violation)| *violation));
        if terms.is_false(any) {
            return Ok(None);
        }
        let mut premises = vec![segment.premise];
        for guess in guesses {
            premises.push(guess.holds(self.model(), &segment.state, &mut segment.space));
        }
        let premise = terms.and(premises);
        let mut session = self.smt.bit_session();
        session.assert(premise);
        session.assert(any);
        for fact in segment.space.facts(&[premise, any]) {
            session.assert(fact);
        }
        if !self.ask(session.check())? {
            return Ok(None);
        }
        let model = session.model();
        let end = model.and_then(|model| {
            let mut values = Evaluator::new(terms, &model);
            segment.violations.iter().find(|(_, v)| values.holds(*v)).map(|(loc, _)| *loc)
        });
        Ok(Some((self.cut(segment.start), self.cut(end.unwrap_or(segment.start)))))
    }

    /// The guesses about pointers that hold at each cut, given that the formulas do: what is left when those are dropped that some segment
    /// breaks, until it breaks none.
    fn supported(&self, segments: &mut [Segment]) -> Result<BTreeMap<LocId, Vec<Guess>>, Failed> {
        let model = self.model();
        let terms = &model.terms;
        let all = support::guesses(model);
        let every: BTreeSet<usize> = (0..all.len()).collect();
        let mut kept: BTreeMap<LocId, BTreeSet<usize>> =
            segments.iter().flat_map(|s| s.ends.iter().map(|end| (end.loc, every.clone()))).collect();
        kept.remove(&model.program.error);
        let mut changed = true;
        while changed {
            changed = false;
            for segment in &mut *segments {
                let said =
                    |guess: usize, state: &State, space: &mut Space| all[guess].holds(model, state, space);
                let mut premises = vec![segment.premise];
                for &guess in kept.get(&segment.start).into_iter().flatten() {
                    premises.push(said(guess, &segment.state, &mut segment.space));
                }
                let mut broken: Vec<(LocId, usize, TermId)> = Vec::new();
                for end in &segment.ends {
                    self.walker.budget.check_memory()?;
                    for &guess in kept.get(&end.loc).into_iter().flatten() {
                        let holds = said(guess, &end.state, &mut segment.space);
                        broken.push((end.loc, guess, terms.and([end.guard, terms.not(holds)])));
                    }
                }
                let mut session = self.smt.session();
                let any = |broken: &[(LocId, usize, TermId)]| terms.or(broken.iter().map(|(.., b)| *b));
                premises.push(any(&broken));
                for fact in segment.space.facts(&premises) {
                    session.assert(fact);
                }
                premises.pop();
                for premise in premises {
                    session.assert(premise);
                }
                while self.ask(session.check_assuming(&[any(&broken)]))? {
                    let found = session.require_model().map_err(Refusal::Undecided)?;
                    let mut values = Evaluator::new(terms, &found);
                    let before = broken.len();
                    broken.retain(|(loc, guess, breaks)| {
                        let breaks = values.holds(*breaks);
                        if breaks && let Some(kept) = kept.get_mut(loc) {
                            kept.remove(guess);
                        }
                        !breaks
                    });
                    changed = true;
                    if broken.len() == before {
                        return Err(Refusal::Undecided(Undecided::NoModel).into());
                    }
                }
            }
        }
        let of = |kept: BTreeSet<usize>| kept.into_iter().map(|guess| all[guess].clone()).collect();
        Ok(kept.into_iter().map(|(loc, kept)| (loc, of(kept))).collect())
    }

    fn cut(&self, loc: LocId) -> CutPoint {
        let program = self.model().program;
        if loc == program.error {
            CutPoint::Error
        } else if loc == self.entry() {
            CutPoint::Start
        } else {
            CutPoint::Line(program.source.line(program.locs[loc].span))
        }
    }

    /// Unwinds the loops until no run is left.
    fn unwind(&self) -> Result<Gap, Failed> {
        let terms = &self.model().terms;
        let mut session = self.smt.session();
        let mut stated: FxHashSet<TermId> = FxHashSet::default();
        let (mut space, state) = self.walker.initial();
        let mut points = vec![Point { loc: self.entry(), guard: terms.tru(), state: Rc::new(state) }];
        while !points.is_empty() {
            self.walker.budget.check_memory()?;
            let ends = self.walker.walk(points, &mut space)?;
            points = Vec::new();
            for end in ends {
                for fact in space.facts(&[end.guard]) {
                    if stated.insert(fact) {
                        session.assert(fact);
                    }
                }
                if !self.ask(session.check_assuming(&[end.guard]))? {
                    session.assert(terms.not(end.guard));
                } else if end.loc == self.model().program.error {
                    return Ok(Some((CutPoint::Start, CutPoint::Error)));
                } else {
                    points.push(end);
                }
            }
        }
        Ok(None)
    }
}
