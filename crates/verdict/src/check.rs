//! The checker of certificates: is the program safe for the reason given?
//!
//! It starts from the source program, expands its calls ([`crate::expand`]) and cuts it at the locations of the certificate and where else
//! a cycle is left. Then it asks for each loop-free segment between cuts: do the formula at its start and what the segment does
//! imply the formula at its end? At the start of the program every state is an initial one. At the error the formula is `false`, and so
//! it is at a cut that the certificate does not name: no run comes there (unless the error is out of reach from it anyway). Edges
//! that are claimed never to be taken lead to the error. Nothing is believed: a wrong certificate is refused, never the reason for a
//! wrong verdict.
//!
//! It uses no pass. What it shares with the engines: the analysis of storage and the encoding (`craig_encode`), the copying of expressions
//! (`cfa::rewrite`), and the conditions of overflow (`cfa::overflows`).
//!
//! In integer arithmetic a proof speaks of runs without signed overflow: the values of machine integers lie in their types at
//! every cut. From the same formulas the checker tries to show that no run leaves a type, and lists the lines where it cannot.

use crate::certificate::{AddressFault, Binding, Certificate, Invariants, Object, Proof};
use crate::expand::{Cuts, Expanded, Flow, expand};
use crate::flat;
use crate::gate::Runs;
use crate::modular;
use crate::outcome::{CutPoint, Reason, Refusal};
use crate::segment::{Calls, Point, Segment, Walker};
use craig_base::{Budget, Pace, Span, Stop};
use craig_cfa::overflows::Overflows;
use craig_cfa::{EdgeId, ExprId, LocId, Op, Program};
use craig_encode::memory::{AddressMap, CellId, CellKind, ObjectKey, Seen};
use craig_encode::{Arith, Encoder, Layout, Options, Part, State};
use craig_logic::{Evaluator, Rat, Sort, Substituter, Substitution, TermId, Terms};
use craig_smt::bdd::refute::{Diagrams, contradict};
use craig_smt::{Session, Smt, Status, Undecided};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Terms of a question, and units of the solver's work on it, before diagrams are tried. Questions about proofs in words stay below.
const LARGE: usize = 400;
const SOON: u32 = 100_000;

/// What the checker found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Locations with a formula, or rounds of unwinding.
    pub locations: usize,
    /// Where a signed operation may leave its type; the proof holds for runs that do not.
    pub may_overflow: Vec<Span>,
    pub solver_calls: u64,
    /// Runs that agree with the proof; none if only the checker looked at it.
    pub runs: Runs,
    /// What the checker in flat memory said, if it was asked.
    pub flat: Option<Box<flat::Outcome>>,
}

/// A program made ready for a certificate.
#[derive(Debug)]
pub enum Ground<'a> {
    /// Unwinding, invariants.
    Whole(Whole),
    Procedures(modular::Ground<'a>),
}

impl<'a> Ground<'a> {
    pub fn new(
        source: &'a Program,
        certificate: &'a Certificate,
        signed_wrap: bool,
        budget: &Budget,
    ) -> Result<Ground<'a>, Reason> {
        let options = Options { arith: certificate.arith, signed_wrap };
        Ok(match &certificate.proof {
            Proof::Procedures(given) => {
                Ground::Procedures(modular::Ground::new(source, given, options, budget)?)
            }
            Proof::Unwinding | Proof::Invariants(_) => {
                Ground::Whole(Whole::new(source, certificate, options, budget)?)
            }
        })
    }

    /// Does the certificate that this was made for prove that the error of the program is not reached?
    pub fn check(&self, certificate: &Certificate, budget: &Budget) -> Result<Checked, Reason> {
        match self {
            Ground::Whole(whole) => whole.check(certificate, budget),
            Ground::Procedures(procedures) => procedures.check(budget),
        }
    }

    /// Memory that is accessed in more than one way, of which integer arithmetic knows nothing.
    pub fn has_unknown_memory(&self) -> bool {
        let (options, layout) = match self {
            Ground::Whole(whole) => (whole.options, &whole.layout),
            Ground::Procedures(procedures) => (procedures.options, &procedures.layout),
        };
        let bytes = layout.cells().iter().any(|cell| cell.kind == CellKind::Bytes);
        options.arith == Arith::Int && bytes
    }
}

/// A program made ready for a certificate that speaks of it as a whole: its calls expanded, its storage laid out with the addresses that the
/// certificate names.
#[derive(Debug)]
pub struct Whole {
    pub expanded: Expanded,
    /// For each edge of the expanded program, when its operation overflows.
    overflow: Vec<Option<ExprId>>,
    pub layout: Layout,
    options: Options,
}

impl Whole {
    fn new(
        source: &Program,
        certificate: &Certificate,
        options: Options,
        budget: &Budget,
    ) -> Result<Whole, Reason> {
        let mut expanded = expand(source, budget)?;
        let watch = options.arith == Arith::Int && !options.signed_wrap;
        let overflow = overflow_checks(&mut expanded.program, watch, budget)?;
        let given = certificate.proof.invariants().map_or(&[][..], |given| &given.addresses);
        let addresses = given.iter().map(|(object, at)| (object.0.clone(), *at)).collect();
        let seen = Seen::new(source, budget)?;
        let layout = Layout::new(&expanded.program, &seen, &addresses, budget)?;
        possible(source, &layout, &addresses)?;
        has_room(&expanded.program, &layout)?;
        Ok(Whole { expanded, overflow, layout, options })
    }

    /// The flow of control, with the edges that are claimed never to be taken.
    pub fn flow(&self, never: &IndexVec<EdgeId, bool>) -> Flow {
        let program = &self.expanded.program;
        Flow::new(program, never, |edge| self.layout.misleads(program, &edge.op))
    }

    /// Does the certificate that this was made for prove that the error of the program is not reached?
    fn check(&self, certificate: &Certificate, budget: &Budget) -> Result<Checked, Reason> {
        let Whole { expanded, overflow, layout, options } = self;
        let none = Invariants::default();
        let invariants = certificate.proof.invariants();
        let given = invariants.unwrap_or(&none);
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let encoder = Encoder::new(&expanded.program, layout, terms, *options);
        let reader = Reader { expanded, encoder: &encoder };
        let formulas = reader.read(given)?;
        let flow = self.flow(&reader.never(given)?);
        let cuts = Cuts::new(&expanded.program, &flow, formulas.keys().copied());
        let (encoder, flow, smt) = (&encoder, &flow, &smt);
        let checker = Checker { encoder, flow, cuts, overflow, calls: &(), smt, diagrams: None, budget };
        let mut checked = match invariants {
            None => checker.unwind()?,
            Some(_) => checker.inductive(&formulas)?,
        };
        checked.solver_calls = smt.stats().checks;
        Ok(checked)
    }
}

/// Does the certificate prove that the error of the program is not reached?
pub fn check(
    source: &Program,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Checked, Reason> {
    Ground::new(source, certificate, signed_wrap, budget)?.check(certificate, budget)
}

/// Can objects lie where a certificate says?
fn possible(source: &Program, layout: &Layout, given: &AddressMap) -> Result<(), Refusal> {
    let refuse = |key: &ObjectKey, address: u64, fault: AddressFault| {
        Err(Refusal::Address { object: Object(key.clone()), address, fault })
    };
    let pointer_bits = source.types.model.pointer_bits();
    let size = |key: &ObjectKey| match key {
        ObjectKey::Proc(_) => Some(1),
        key => layout.find_object(key).and_then(|object| layout.objects()[object].size),
    };
    let mut ends: Vec<(u64, u64, &ObjectKey)> = Vec::new();
    for (key, &address) in given {
        let known = match key {
            ObjectKey::Var(var, _) => *var < source.vars.len(),
            ObjectKey::Proc(proc) => *proc < source.procs.len(),
            ObjectKey::Alloc(edge, _) => {
                let op = source.edges.get(*edge).map(|edge| &edge.op);
                matches!(op, Some(Op::Alloc { .. } | Op::Realloc { .. }))
            }
        };
        if !known {
            return refuse(key, address, AddressFault::NoSuchObject);
        }
        if let Some(fault) = AddressFault::of(address, size(key).unwrap_or(0), pointer_bits) {
            return refuse(key, address, fault);
        }
        ends.push((address, address + size(key).unwrap_or(0).max(1), key));
    }
    ends.sort_unstable();
    for pair in ends.windows(2) {
        let ((_, end, first), (start, _, second)) = (pair[0], pair[1]);
        if start < end {
            return refuse(second, start, AddressFault::Overlaps(Object(first.clone())));
        }
    }
    Ok(())
}

/// Whoever chose them: all objects lie in the address space, apart from each other and from null, and half of it is left for the heap.
pub(crate) fn has_room(program: &Program, layout: &Layout) -> Result<(), Reason> {
    let half = 1 << (program.types.model.pointer_bits() - 1);
    let size = |key: &ObjectKey| layout.find_object(key).and_then(|object| layout.objects()[object].size);
    let addresses = layout.addresses();
    let mut spans: Vec<(u64, Option<u64>)> =
        addresses.iter().map(|(key, at)| (*at, at.checked_add(size(key).unwrap_or(1).max(1)))).collect();
    spans.sort_unstable();
    let inside = |(start, end): &(u64, Option<u64>)| *start > 0 && end.is_some_and(|end| end <= half);
    let apart = spans.windows(2).all(|pair| pair[0].1.is_some_and(|end| end <= pair[1].0));
    if spans.iter().all(inside) && apart && layout.heap_start().offset <= half {
        return Ok(());
    }
    Err(Reason::Unsupported {
        what: "objects that do not fit into the address space".into(),
        span: Span::default(),
    })
}

/// For each edge, when its operation overflows.
pub(crate) fn overflow_checks(
    program: &mut Program,
    watch: bool,
    budget: &Budget,
) -> Result<Vec<Option<ExprId>>, Stop> {
    if !watch {
        return Ok(vec![None; program.edges.len()]);
    }
    let mut pace = Pace::new(budget);
    let mut overflows = Overflows::default();
    let Program { edges, exprs, types, .. } = program;
    let check = |edge: &craig_cfa::Edge| {
        pace.step()?;
        let check = overflows.op(exprs, types, &edge.op);
        Ok((exprs.as_bool(check) != Some(false)).then_some(check))
    };
    edges.iter().map(check).collect()
}

/// From the text of a certificate to terms over the state of the expanded program.
struct Reader<'a> {
    expanded: &'a Expanded,
    encoder: &'a Encoder<'a>,
}

impl Reader<'_> {
    fn read(&self, given: &Invariants) -> Result<BTreeMap<LocId, TermId>, Refusal> {
        let terms = &self.encoder.terms;
        let symbols = self.encoder.symbols(None);
        let mut names: Vec<(&str, TermId)> = Vec::new();
        for binding in &given.symbols {
            let term = self.binding(binding, &symbols);
            let term = term.ok_or_else(|| Refusal::Symbol(binding.symbol.clone()))?;
            let sort = terms.sort_text(terms.sort(term));
            if sort != binding.sort {
                return Err(Refusal::Sort { symbol: binding.symbol.clone(), sort });
            }
            if names.iter().any(|(name, _)| *name == binding.symbol) {
                return Err(Refusal::Twice(binding.symbol.clone()));
            }
            names.push((&binding.symbol, term));
        }
        let read = |text: &str, line: u32| {
            let formula = terms.read_term_with(text, names.iter().copied());
            let formula = formula.map_err(|e| Refusal::Formula { line, message: e.to_string() })?;
            match terms.sort(formula) {
                Sort::Bool => Ok(formula),
                _ => Err(Refusal::Formula { line, message: "not a formula".into() }),
            }
        };
        let common = given.common.iter().map(|text| read(text, 0)).collect::<Result<Vec<_>, _>>()?;
        let common = terms.and(common);
        let mut formulas = BTreeMap::new();
        for invariant in &given.invariants {
            let calls = invariant.calls.iter().map(|&e| EdgeId::from_raw(e));
            let line = invariant.line;
            let loc = self.expanded.find(LocId::from_raw(invariant.location), calls);
            let loc = loc.ok_or(Refusal::Location { line })?;
            let formula = read(&invariant.formula, line)?;
            let all = formulas.entry(loc).or_insert(common);
            *all = terms.and([*all, formula]);
        }
        Ok(formulas)
    }

    /// For each edge of the expanded program, whether it is claimed never to be taken.
    fn never(&self, given: &Invariants) -> Result<IndexVec<EdgeId, bool>, Refusal> {
        let edges = |ids: &[u32]| ids.iter().map(|&e| EdgeId::from_raw(e)).collect();
        let sites = given.never.iter().map(|n| (EdgeId::from_raw(n.edge), edges(&n.calls)));
        let mut never = index_vec![false; self.expanded.program.edges.len()];
        for (found, claimed) in self.expanded.assumptions(sites).into_iter().zip(&given.never) {
            never[found.ok_or(Refusal::Edge { edge: claimed.edge })?] = true;
        }
        Ok(never)
    }

    /// What a symbol of the certificate stands for.
    fn binding(&self, cell: &Binding, symbols: &State) -> Option<TermId> {
        let memory = self.encoder.layout;
        let terms = &self.encoder.terms;
        let at = cell.leaves.first();
        if cell.address {
            let key = at.map(|(object, _)| &object.0);
            let site = memory.sites().position(|site| site.key.as_ref() == key)?;
            return at.is_none_or(|(_, offset)| *offset == 0).then(|| self.encoder.sites()[site]);
        }
        let Some((object, offset)) = at else { return Some(symbols.heap) };
        if cell.array {
            let first = memory.find_leaf(&object.0, *offset)?;
            let same = cell.leaves.iter().all(|(o, at)| memory.find_leaf(&o.0, *at) == Some(first));
            let array = match memory.cells()[first].kind {
                CellKind::Scalar { .. } => false,
                CellKind::Array => self.word(first) == cell.word,
                // Of another sort if integers do not follow them, or if it is of values that are no bytes.
                CellKind::Bytes => self.is_bv(),
            };
            return (same && array).then(|| symbols.cells[first]);
        }
        let (value, here) = self.scalar(&object.0, *offset, cell.word, symbols)?;
        match (here, cell.word) {
            (None, None) => Some(value),
            (Some(a), Some(b)) if a == b => Some(value),
            // The same bits, read with the other sign.
            (Some(a), Some(b)) if a == -b && !self.is_bv() => {
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

    fn is_bv(&self) -> bool {
        self.encoder.options.arith == Arith::Bv
    }

    /// The value at an offset of an object, as its own cell, in an array or among bytes, and how its bits are read there.
    fn scalar(
        &self,
        object: &ObjectKey,
        offset: u64,
        word: Option<i32>,
        symbols: &State,
    ) -> Option<(TermId, Option<i32>)> {
        let memory = self.encoder.layout;
        let cell = memory.find_leaf(object, offset)?;
        let at = || {
            let base = memory.object_base(memory.find_object(object)?)?;
            Some(self.encoder.address(base.plus(offset)))
        };
        let held = symbols.cells[cell];
        match memory.cells()[cell].kind {
            CellKind::Scalar { .. } => Some((held, self.word(cell))),
            CellKind::Array => Some((self.encoder.terms.select(held, at()?), self.word(cell))),
            CellKind::Bytes if self.is_bv() => {
                let bits = word?.unsigned_abs();
                let leaves = memory.object_leaves(memory.find_object(object)?);
                let leaf = leaves.iter().find(|leaf| (leaf.offset, leaf.bits) == (offset, bits));
                let bit = leaf.map_or(0, |leaf| leaf.bit);
                Some((self.encoder.bits_at(held, at()?, bit, bits), word))
            }
            CellKind::Bytes => None,
        }
    }

    fn word(&self, cell: CellId) -> Option<i32> {
        Binding::word_of(&self.encoder.program.types, self.encoder.layout.cells()[cell].ty)
    }
}

/// A program that is cut, and who decides.
pub(crate) struct Checker<'a> {
    pub encoder: &'a Encoder<'a>,
    pub flow: &'a Flow,
    pub cuts: Cuts,
    pub overflow: &'a [Option<ExprId>],
    pub calls: &'a dyn Calls,
    pub smt: &'a Smt,
    /// The proof may have come from diagrams: these are tried before the solver.
    pub diagrams: Option<Diagrams>,
    pub budget: &'a Budget,
}

impl Checker<'_> {
    fn entry(&self) -> LocId {
        let program = self.encoder.program;
        program.procs[program.entry].entry
    }

    pub fn walk(&self, starts: Vec<Point>, part: Part) -> Result<Segment, Reason> {
        let Checker { encoder, flow, ref cuts, overflow, calls, .. } = *self;
        Walker { encoder, flow, cuts, overflow, calls }.walk(starts, part, self.budget)
    }

    fn ask(&self, status: Status) -> Result<bool, Refusal> {
        status.decided().map_err(Refusal::Undecided)
    }

    /// May this be, with the facts that the session has? Proofs in words are the solver's; where they are large, or it takes long, diagrams may know.
    fn is_possible(
        &self,
        violation: TermId,
        session: &mut Session,
        mut facts: Vec<TermId>,
    ) -> Result<bool, Reason> {
        if let Some(diagrams) = &self.diagrams {
            let terms = &self.encoder.terms;
            facts.push(violation);
            if terms.postorder(&facts).len() < LARGE {
                session.set_work_limit(SOON);
                let soon = session.check_assuming(&[violation]);
                session.set_work_limit(0);
                if !matches!(&soon, Status::Unknown(undecided) if undecided.gave_up()) {
                    return Ok(self.ask(soon)?);
                }
            }
            if contradict(terms, &facts, diagrams, self.budget)? {
                return Ok(false);
            }
        }
        Ok(self.ask(session.check_assuming(&[violation]))?)
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
            let violations = segment.ends.iter().map(|end| {
                let formula = self.after(self.formula(end.loc, formulas), &end.state);
                (end.loc, terms.and([end.guard, terms.not(formula)]))
            });
            let violations = violations.collect();
            let vocabulary = [&self.encoder.symbols(None)];
            let end = self.segment(premise, &segment, violations, &vocabulary, &mut may_overflow)?;
            if let Some(end) = end {
                let (from, to) = (self.cut(start), self.cut(end.unwrap_or(start)));
                return Err(Refusal::NotImplied { from, to }.into());
            }
        }
        Ok(Checked {
            locations: formulas.len(),
            may_overflow: may_overflow.into_iter().collect(),
            ..Checked::default()
        })
    }

    /// What has to hold at a cut.
    fn formula(&self, cut: LocId, formulas: &BTreeMap<LocId, TermId>) -> TermId {
        let terms = &self.encoder.terms;
        match formulas.get(&cut) {
            Some(formula) => *formula,
            // From there the error is out of reach anyway.
            None if !self.flow.leads[cut] => terms.tru(),
            None => terms.fls(),
        }
    }

    /// One segment: does what has to hold at its ends follow from the premise? If not, where it may be violated, as far as that is known.
    /// `vocabulary`: the symbols of cells that the premise is over. Where signed operations may leave their types is written down.
    pub fn segment(
        &self,
        premise: TermId,
        segment: &Segment,
        mut violations: Vec<(LocId, TermId)>,
        vocabulary: &[&State],
        may_overflow: &mut BTreeSet<Span>,
    ) -> Result<Option<Option<LocId>>, Reason> {
        let terms = &self.encoder.terms;
        violations.retain(|(_, violation)| !terms.is_false(*violation));
        let overflows: Vec<TermId> = segment.overflows.iter().map(|(_, leaves)| *leaves).collect();
        let mut roots = segment.part.constraints.clone();
        roots.push(premise);
        roots.extend(violations.iter().map(|(_, violation)| *violation));
        roots.extend(&overflows);
        let mut facts = segment.part.constraints.clone();
        facts.push(premise);
        facts.extend(self.bounds(vocabulary, &roots));
        facts.extend(self.encoder.places_in(&roots));
        let mut session = self.smt.session();
        for fact in &facts {
            session.assert(*fact);
        }
        let any = terms.or(violations.iter().map(|(_, violation)| *violation));
        if !terms.is_false(any) && self.is_possible(any, &mut session, facts)? {
            let model = session.model();
            let end = model.and_then(|model| {
                let mut values = Evaluator::new(terms, &model);
                violations.iter().find(|(_, v)| values.holds(*v)).map(|(loc, _)| *loc)
            });
            return Ok(Some(end));
        }
        // Each model names some operations that overflow; what no model names does not.
        let mut rest: Vec<usize> = (0..overflows.len()).filter(|&i| !terms.is_false(overflows[i])).collect();
        while !rest.is_empty() {
            let any = terms.or(rest.iter().map(|&i| overflows[i]));
            match session.check_assuming(&[any]) {
                Status::Unsat => break,
                Status::Unknown(Undecided::Stopped(stop)) => return Err(Reason::Stopped(stop)),
                Status::Unknown(_) => {
                    may_overflow.extend(rest.iter().map(|&i| segment.overflows[i].0));
                    break;
                }
                Status::Sat => {}
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
        Ok(None)
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
    fn bounds(&self, vocabulary: &[&State], roots: &[TermId]) -> Vec<TermId> {
        let terms = &self.encoder.terms;
        let cells = vocabulary.iter().flat_map(|symbols| symbols.cells.iter_enumerated());
        let cells: FxHashMap<TermId, CellId> = cells.map(|(cell, &symbol)| (symbol, cell)).collect();
        let mut part = Part::new();
        for symbol in terms.symbols_of_all(roots) {
            let symbol = terms.symbol_term(symbol);
            if let Some(range) = cells.get(&symbol).and_then(|&cell| self.encoder.cell_range(cell)) {
                part.bound(terms, symbol, range.low, range.high);
            }
        }
        part.constraints
    }

    fn cut(&self, loc: LocId) -> CutPoint {
        let program = self.encoder.program;
        if loc == program.error {
            return CutPoint::Error;
        }
        if loc == self.entry() {
            return CutPoint::Start;
        }
        CutPoint::Line(program.source.line(program.locs[loc].span))
    }

    /// Unwinds the loops until no run is left.
    fn unwind(&self) -> Result<Checked, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let mut session = self.smt.session();
        let mut checked = Checked::default();
        let mut may_overflow = BTreeSet::new();
        let mut part = self.encoder.part();
        let initial = self.encoder.initial(&mut part);
        let mut points = vec![Point { loc: self.entry(), guard: terms.tru(), state: Rc::new(initial) }];
        while !points.is_empty() {
            self.budget.check_memory()?;
            checked.locations += points.len();
            let segment = self.walk(points, part)?;
            part = Part::new();
            for constraint in &segment.part.constraints {
                session.assert(*constraint);
            }
            let overflows: Vec<_> =
                segment.overflows.iter().filter(|(span, _)| !may_overflow.contains(span)).collect();
            let any = terms.or(overflows.iter().map(|(_, leaves)| *leaves));
            if !terms.is_false(any) && session.check_assuming(&[any]) != Status::Unsat {
                for (span, leaves) in overflows {
                    if !may_overflow.contains(span) && session.check_assuming(&[*leaves]) != Status::Unsat {
                        may_overflow.insert(*span);
                    }
                }
            }
            points = Vec::new();
            for end in segment.ends {
                if !self.ask(session.check_assuming(&[end.guard]))? {
                    session.assert(terms.not(end.guard));
                } else if end.loc == self.encoder.program.error {
                    return Err(Refusal::ReachesError.into());
                } else {
                    points.push(end);
                }
            }
        }
        checked.may_overflow = may_overflow.into_iter().collect();
        Ok(checked)
    }
}
