//! The checker of certificates: is the program safe for the reason given?
//!
//! It starts from the source program, expands its calls ([`crate::expand`]) and cuts it at the locations of the certificate and where else
//! a cycle is left. Then it asks for each loop-free segment between cuts: do the formula at its start and what the segment does
//! imply the formula at its end? At the start of the program every state is an initial one. At the error the formula is `false`, and so
//! it is at a cut that the certificate does not name: no run comes there (unless the error is out of reach from it anyway). No pass is
//! used and nothing is believed: a wrong certificate is refused, never the reason for a wrong verdict.
//!
//! In integer arithmetic a proof speaks of runs without signed overflow: the values of machine integers lie in their types at
//! every cut. From the same formulas the checker tries to show that no run leaves a type, and lists the lines where it cannot.

use crate::certificate::{Cell, Certificate, Invariants, Proof};
use crate::expand::{Cuts, Expanded, Flow, expand};
use crate::outcome::Reason;
use crate::segment::{Point, Segment, Walker};
use craig_base::{Budget, Span};
use craig_cfa::pass::overflow::Checks;
use craig_cfa::{EdgeId, ExprId, LocId, Op, Program};
use craig_encode::memory::{CellId, CellKind, ObjectKey};
use craig_encode::{Arith, Encoder, Options, Part, State};
use craig_logic::{Evaluator, Rat, Sort, Substituter, Substitution, TermId, Terms};
use craig_smt::{Answer, Reason as SolverReason, Smt};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the checker found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Locations with a formula, or rounds of unwinding.
    pub locations: usize,
    /// Where a signed operation may leave its type; the proof holds for runs that do not.
    pub may_overflow: Vec<Span>,
    pub solver_calls: u64,
}

/// Does the certificate prove that the error of the program is not reached?
pub fn check(
    source: &Program,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Checked, Reason> {
    let mut expanded = expand(source, budget)?;
    let watch = certificate.arith == Arith::Int && !signed_wrap;
    let overflow = overflow_checks(&mut expanded.program, watch);
    let terms = Rc::new(Terms::new());
    let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Solver(e.to_string()))?;
    let options = Options { arith: certificate.arith, signed_wrap };
    let none = Invariants::default();
    let given = match &certificate.proof {
        Proof::Unwinding => &none,
        Proof::Invariants(invariants) => invariants,
    };
    let addresses = given.addresses.iter().map(|(object, address)| (object.0.clone(), *address)).collect();
    let encoder = Encoder::new(&expanded.program, Rc::clone(&terms), options, &addresses);
    let reader = Reader { expanded: &expanded, encoder: &encoder };
    let formulas = reader.read(given)?;
    let (constants, state) = reader.constants(given);
    let never = never_taken(&encoder, &state);
    let flow = Flow::new(&expanded.program, &never);
    let cuts = Cuts::new(&expanded.program, &flow, formulas.keys().copied());
    let checker = Checker { encoder: &encoder, flow: &flow, cuts, overflow, constants, smt: &smt, budget };
    let mut checked = match &certificate.proof {
        Proof::Unwinding => checker.unwind()?,
        Proof::Invariants(_) => checker.inductive(&formulas)?,
    };
    checked.solver_calls = smt.stats().checks;
    Ok(checked)
}

/// Assumptions that cannot hold in any state in which the constant globals have their values. That they have is a claim of the
/// certificate, and so is this: the loops of a program that lie behind such an edge need no formula.
fn never_taken(encoder: &Encoder<'_>, state: &State) -> IndexVec<EdgeId, bool> {
    let mut never = index_vec![false; encoder.program.edges.len()];
    for (id, edge) in encoder.program.edges.iter_enumerated() {
        if let Op::Assume(condition) = edge.op {
            let holds = encoder.eval(condition, state, &mut Part::new());
            never[id] = encoder.terms.is_false(holds);
        }
    }
    never
}

/// For each edge, when its operation overflows.
fn overflow_checks(program: &mut Program, watch: bool) -> Vec<Option<ExprId>> {
    if !watch {
        return vec![None; program.edges.len()];
    }
    let mut checks = Checks::default();
    let Program { edges, exprs, types, .. } = program;
    edges
        .iter()
        .map(|edge| {
            let check = checks.op(exprs, types, &edge.op);
            (exprs.as_bool(check) != Some(false)).then_some(check)
        })
        .collect()
}

/// From the text of a certificate to terms over the state of the expanded program.
struct Reader<'a> {
    expanded: &'a Expanded,
    encoder: &'a Encoder<'a>,
}

impl Reader<'_> {
    fn read(&self, given: &Invariants) -> Result<BTreeMap<LocId, TermId>, Reason> {
        let terms = &self.encoder.terms;
        let symbols = self.encoder.symbols(None);
        let mut names: Vec<(&str, TermId)> = Vec::new();
        for cell in &given.cells {
            let term = self.cell(cell, &symbols).ok_or_else(|| {
                Reason::Certificate(format!("`{}` is not a part of the program's state", cell.symbol))
            })?;
            names.push((&cell.symbol, term));
        }
        let mut formulas = BTreeMap::new();
        for invariant in &given.invariants {
            let calls = invariant.calls.iter().map(|&e| EdgeId::from_raw(e));
            let place = format!("line {}", invariant.line);
            let loc = self
                .expanded
                .find(LocId::from_raw(invariant.location), calls)
                .ok_or_else(|| Reason::Certificate(format!("the program has no such location ({place})")))?;
            let formula = terms
                .read_term_with(&invariant.formula, names.iter().copied())
                .map_err(|e| Reason::Certificate(format!("formula of {place}: {e}")))?;
            if terms.sort(formula) != Sort::Bool {
                return Err(Reason::Certificate(format!("formula of {place}: not a formula")));
            }
            let all = formulas.entry(loc).or_insert(terms.tru());
            *all = terms.and([*all, formula]);
        }
        Ok(formulas)
    }

    /// That globals hold the values which are said to be their only ones; and any state in which they do.
    fn constants(&self, given: &Invariants) -> (TermId, State) {
        let symbols = self.encoder.symbols(None);
        let mut state = symbols.clone();
        let mut facts = Vec::new();
        for (object, bits) in &given.constants {
            let Some(cell) = self.encoder.memory.find_leaf(&object.0, 0) else { continue };
            let Some(value) = self.scalar(&object.0, 0, &symbols) else { continue };
            let constant = self.encoder.bits(*bits, self.encoder.memory.cells()[cell].ty);
            facts.push(self.encoder.terms.eq(value, constant));
            if value == symbols.cells[cell] {
                state.cells[cell] = constant;
            }
        }
        (self.encoder.terms.and(facts), state)
    }

    /// What a symbol of the certificate stands for.
    fn cell(&self, cell: &Cell, symbols: &State) -> Option<TermId> {
        let memory = &self.encoder.memory;
        let terms = &self.encoder.terms;
        let Some((object, offset)) = cell.leaves.first() else { return Some(symbols.heap) };
        if cell.array {
            let first = memory.find_leaf(&object.0, *offset)?;
            let same = cell.leaves.iter().all(|(o, at)| memory.find_leaf(&o.0, *at) == Some(first));
            let array = memory.cells()[first].kind == CellKind::Array && self.word(first) == cell.word;
            return (same && array).then(|| symbols.cells[first]);
        }
        let value = self.scalar(&object.0, *offset, symbols)?;
        let here = self.word(memory.find_leaf(&object.0, *offset)?);
        match (here, cell.word) {
            (None, None) => Some(value),
            (Some(a), Some(b)) if a == b => Some(value),
            // The same bits, read with the other sign.
            (Some(a), Some(b)) if a == -b && self.encoder.options.arith == Arith::Int => {
                let power = terms.numeral(&Rat::pow2(a.unsigned_abs()), Sort::Int);
                let half = Rat::pow2(a.unsigned_abs() - 1);
                let half = terms.numeral(&half, Sort::Int);
                let zero = terms.int(0);
                Some(match b < 0 {
                    false => terms.ite(terms.lt(value, zero), terms.add(value, power), value),
                    true => terms.ite(terms.ge(value, half), terms.sub(value, power), value),
                })
            }
            (Some(a), Some(b)) if a == -b => Some(value),
            _ => None,
        }
    }

    /// The value at an offset of an object, as its own cell or in an array.
    fn scalar(&self, object: &ObjectKey, offset: u64, symbols: &State) -> Option<TermId> {
        let memory = &self.encoder.memory;
        let cell = memory.find_leaf(object, offset)?;
        match memory.cells()[cell].kind {
            CellKind::Scalar { .. } => Some(symbols.cells[cell]),
            CellKind::Array => {
                let base = memory.object_base(memory.find_object(object)?)?;
                let address = self.encoder.address(base.wrapping_add(offset));
                Some(self.encoder.terms.select(symbols.cells[cell], address))
            }
            CellKind::Opaque => None,
        }
    }

    fn word(&self, cell: CellId) -> Option<i32> {
        Cell::word_of(&self.encoder.program.types, self.encoder.memory.cells()[cell].ty)
    }
}

struct Checker<'a> {
    encoder: &'a Encoder<'a>,
    flow: &'a Flow,
    cuts: Cuts,
    overflow: Vec<Option<ExprId>>,
    /// Holds at every cut.
    constants: TermId,
    smt: &'a Smt,
    budget: &'a Budget,
}

impl Checker<'_> {
    fn entry(&self) -> LocId {
        let program = self.encoder.program;
        program.procs[program.entry].entry
    }

    fn walk(&self, starts: Vec<Point>, part: Part) -> Result<Segment, Reason> {
        let walker =
            Walker { encoder: self.encoder, flow: self.flow, cuts: &self.cuts, overflow: &self.overflow };
        walker.walk(starts, part, self.budget)
    }

    fn ask(&self, answer: Answer) -> Result<bool, Reason> {
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(SolverReason::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Answer::Unknown(SolverReason::GaveUp(words)) => {
                Err(Reason::Certificate(format!("solver: {words}")))
            }
        }
    }

    /// Every segment preserves the formulas.
    fn inductive(&self, formulas: &BTreeMap<LocId, TermId>) -> Result<Checked, Reason> {
        let terms = &self.encoder.terms;
        let mut may_overflow = BTreeSet::new();
        let cuts: Vec<LocId> =
            self.cuts.is_cut.iter_enumerated().filter(|(_, cut)| **cut).map(|(loc, _)| loc).collect();
        for start in cuts {
            if start == self.encoder.program.error || !self.flow.matters[start] {
                continue;
            }
            let mut part = Part::new();
            let (state, premise) = if start == self.entry() {
                (self.encoder.initial(&mut part), terms.tru())
            } else {
                (self.encoder.symbols(None), self.formula(start, formulas))
            };
            if terms.is_false(premise) {
                continue;
            }
            let point = Point { loc: start, guard: terms.tru(), state: Rc::new(state) };
            let segment = self.walk(vec![point], part)?;
            self.segment(start, premise, &segment, formulas, &mut may_overflow)?;
        }
        Ok(Checked {
            locations: formulas.len(),
            may_overflow: may_overflow.into_iter().collect(),
            solver_calls: 0,
        })
    }

    /// What has to hold at a cut.
    fn formula(&self, cut: LocId, formulas: &BTreeMap<LocId, TermId>) -> TermId {
        let terms = &self.encoder.terms;
        match formulas.get(&cut) {
            Some(formula) => terms.and([self.constants, *formula]),
            // From there the error is out of reach anyway.
            None if !self.flow.leads[cut] => self.constants,
            None => terms.fls(),
        }
    }

    /// One segment: its ends follow from its start.
    fn segment(
        &self,
        start: LocId,
        premise: TermId,
        segment: &Segment,
        formulas: &BTreeMap<LocId, TermId>,
        may_overflow: &mut BTreeSet<Span>,
    ) -> Result<(), Reason> {
        let terms = &self.encoder.terms;
        let violations: Vec<(LocId, TermId)> = segment
            .ends
            .iter()
            .map(|end| {
                let formula = self.after(self.formula(end.loc, formulas), &end.state);
                (end.loc, terms.and([end.guard, terms.not(formula)]))
            })
            .filter(|(_, violation)| !terms.is_false(*violation))
            .collect();
        let overflows: Vec<TermId> = segment.overflows.iter().map(|(_, leaves)| *leaves).collect();
        let mut roots = segment.part.constraints.clone();
        roots.push(premise);
        roots.extend(violations.iter().map(|(_, violation)| *violation));
        roots.extend(&overflows);
        let mut session = self.smt.session();
        for constraint in &segment.part.constraints {
            session.assert(*constraint);
        }
        session.assert(premise);
        for bound in self.bounds(&roots) {
            session.assert(bound);
        }
        let any = terms.or(violations.iter().map(|(_, violation)| *violation));
        if !terms.is_false(any) && self.ask(session.check_assuming(&[any]))? {
            let model = session.model();
            let end = model.and_then(|model| {
                let mut values = Evaluator::new(terms, &model);
                violations.iter().find(|(_, v)| values.holds(*v)).map(|(loc, _)| *loc)
            });
            return Err(Reason::Certificate(format!(
                "the formula of {} does not follow from that of {}",
                self.place(end.unwrap_or(start)),
                self.place(start)
            )));
        }
        // Each model names some operations that overflow; what no model names does not.
        let mut rest: Vec<usize> = (0..overflows.len()).filter(|&i| !terms.is_false(overflows[i])).collect();
        while !rest.is_empty() {
            let any = terms.or(rest.iter().map(|&i| overflows[i]));
            match session.check_assuming(&[any]) {
                Answer::Unsat => break,
                Answer::Unknown(SolverReason::Stopped(stop)) => return Err(Reason::Stopped(stop)),
                Answer::Unknown(SolverReason::GaveUp(_)) => {
                    may_overflow.extend(rest.iter().map(|&i| segment.overflows[i].0));
                    break;
                }
                Answer::Sat => {}
            }
            let model = session.model();
            let before = rest.len();
            if let Some(model) = &model {
                let mut values = Evaluator::new(terms, model);
                rest.retain(|&i| {
                    let found = values.holds(overflows[i]);
                    if found {
                        may_overflow.insert(segment.overflows[i].0);
                    }
                    !found
                });
            }
            if rest.len() == before {
                may_overflow.extend(rest.iter().map(|&i| segment.overflows[i].0));
                break;
            }
        }
        Ok(())
    }

    /// A formula over the state's symbols, said of a state.
    fn after(&self, formula: TermId, state: &State) -> TermId {
        let symbols = self.encoder.symbols(None);
        let mut map: Substitution =
            symbols.cells.iter().zip(&state.cells).map(|(symbol, value)| (*symbol, *value)).collect();
        map.insert(symbols.heap, state.heap);
        Substituter::new(&self.encoder.terms, &map).apply(formula)
    }

    /// The ranges of the cells that occur.
    fn bounds(&self, roots: &[TermId]) -> Vec<TermId> {
        let terms = &self.encoder.terms;
        let symbols = self.encoder.symbols(None);
        let cells: FxHashMap<TermId, CellId> =
            symbols.cells.iter_enumerated().map(|(cell, &symbol)| (symbol, cell)).collect();
        let mut part = Part::new();
        for symbol in terms.symbols_of_all(roots) {
            let symbol = terms.symbol_term(symbol);
            if let Some(range) = cells.get(&symbol).and_then(|&cell| self.encoder.cell_range(cell)) {
                part.bound(terms, symbol, range.low, range.high);
            }
        }
        part.constraints
    }

    fn place(&self, loc: LocId) -> String {
        let program = self.encoder.program;
        if loc == program.error {
            return "the error".into();
        }
        if loc == self.entry() {
            return "the start".into();
        }
        format!("line {}", program.source.line(program.locs[loc].span))
    }

    /// Unwinds the loops until no run is left.
    fn unwind(&self) -> Result<Checked, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let mut session = self.smt.session();
        let mut checked = Checked::default();
        let mut may_overflow = BTreeSet::new();
        let mut part = Part::new();
        let initial = self.encoder.initial(&mut part);
        let mut points = vec![Point { loc: self.entry(), guard: terms.tru(), state: Rc::new(initial) }];
        while !points.is_empty() {
            self.budget.check_memory().map_err(Reason::Stopped)?;
            checked.locations += points.len();
            let segment = self.walk(points, part)?;
            part = Part::new();
            for constraint in &segment.part.constraints {
                session.assert(*constraint);
            }
            let overflows: Vec<_> =
                segment.overflows.iter().filter(|(span, _)| !may_overflow.contains(span)).collect();
            let any = terms.or(overflows.iter().map(|(_, leaves)| *leaves));
            if !terms.is_false(any) && session.check_assuming(&[any]) != Answer::Unsat {
                for (span, leaves) in overflows {
                    if !may_overflow.contains(span) && session.check_assuming(&[*leaves]) != Answer::Unsat {
                        may_overflow.insert(*span);
                    }
                }
            }
            points = Vec::new();
            for end in segment.ends {
                if !self.ask(session.check_assuming(&[end.guard]))? {
                    session.assert(terms.not(end.guard));
                } else if end.loc == self.encoder.program.error {
                    return Err(Reason::Certificate("unwinding reaches the error".into()));
                } else {
                    points.push(end);
                }
            }
        }
        checked.may_overflow = may_overflow.into_iter().collect();
        Ok(checked)
    }
}
