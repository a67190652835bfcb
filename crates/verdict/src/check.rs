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
//! (`cfa::rewrite`), and the conditions under which operations are defined (`cfa::defined`).
//!
//! In integer arithmetic a proof speaks of runs without signed overflow: the values of machine integers lie in their types at
//! every cut. From the same formulas the checker tries to show that no run leaves a type, or that the proof holds as well if such operations wrap
//! around ([`crate::induction`]), and lists the lines where it cannot.

use crate::assumed;
use crate::certificate::{AddressFault, Binding, Certificate, Invariants, Object, Proof, Relations};
use crate::expand::{Cuts, Expanded, Flow, expand};
use crate::flat;
use crate::gate::Runs;
use crate::induction::Checker;
use crate::modular;
use crate::outcome::{Reason, Refusal};
use crate::relations;
use craig_base::{Budget, Pace, Span, Stop};
use craig_cfa::defined::{Breaks, Rule};
use craig_cfa::{EdgeId, ExprId, LocId, Op, Program};
use craig_encode::memory::{AddressMap, CellId, CellKind, ObjectKey, Seen};
use craig_encode::{Arith, Encoder, Layout, Options, State};
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_smt::Smt;
use index_vec::{IndexVec, index_vec};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// What the checker found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Locations with a formula, or rounds of unwinding.
    pub locations: usize,
    /// Where a signed operation may leave its type, and the proof needs that it does not: it holds for runs in which it does not.
    pub may_overflow: Vec<Span>,
    pub solver_calls: u64,
    /// Runs that agree with the proof; none if only the checker looked at it.
    pub runs: Runs,
    /// Processor time of these.
    pub gate: Duration,
    /// What the checker in flat memory said, if it was asked.
    pub flat: Option<Box<flat::Outcome>>,
}

/// A program made ready for a certificate.
#[derive(Debug)]
pub enum Ground<'a> {
    /// Unwinding, invariants.
    Whole(Whole),
    Procedures(modular::Ground<'a>),
    Relations(Box<Related>),
}

/// A program with contracts in place of recursive calls, made ready for the proof about it.
#[derive(Debug)]
pub struct Related {
    proof: Certificate,
    whole: Whole,
}

impl Related {
    fn new(
        source: &Program,
        certificate: &Certificate,
        given: &Relations,
        options: Options,
        budget: &Budget,
    ) -> Result<Related, Reason> {
        let program = relations::related(source, &given.contracts)?.program;
        let proof = Certificate::new(certificate.arith, (*given.by).clone());
        let whole = Whole::new(&program, &proof, options, budget)?;
        Ok(Related { proof, whole })
    }
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
            Proof::Procedures(_) | Proof::Relations(_)
                if let Some(first) = certificate.unfollowed.first() =>
            {
                return Err(Refusal::Edge { edge: first.edge }.into());
            }
            Proof::Relations(given) => {
                Ground::Relations(Box::new(Related::new(source, certificate, given, options, budget)?))
            }
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
            Ground::Relations(related) => related.whole.check(&related.proof, budget),
        }
    }

    /// Memory that is accessed in more than one way, of which integer arithmetic knows nothing.
    pub fn has_unknown_memory(&self) -> bool {
        let (options, layout) = match self {
            Ground::Whole(whole) => (whole.options, &whole.layout),
            Ground::Procedures(procedures) => (procedures.options, &procedures.layout),
            Ground::Relations(related) => (related.whole.options, &related.whole.layout),
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
        let mut expanded = expand(source, &certificate.unfollowed, budget)?;
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
        Flow::new(&self.expanded, never, |edge| self.layout.misleads(program, &edge.op))
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
        let (encoder, flow, cuts, smt) = (&encoder, &flow, &cuts, &smt);
        let wraps = Options { signed_wrap: true, ..*options };
        let wrapping = Encoder::new(&expanded.program, layout, Rc::clone(&encoder.terms), wraps);
        let wrapping = (wraps != *options && options.arith == Arith::Int).then_some(&wrapping);
        let diagrams = None;
        let checker = Checker { encoder, flow, cuts, overflow, calls: &(), smt, wrapping, diagrams, budget };
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
    let source = assumed::program(source, certificate, budget)?;
    Ground::new(&source, certificate, signed_wrap, budget)?.check(certificate, budget)
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
    let mut overflows = Breaks::new(Rule::Overflow, program);
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
