//! A run against its encoded path.
//!
//! The interpreter runs the program with random choices; the edges that it took are encoded one after the other, with the
//! choices fixed. This must be satisfiable, and it must determine what the run computed: the formula together with "some
//! assigned integer differs from what the run assigned" must not be satisfiable.
//!
//! The encoding may know less than the run, on purpose:
//! - in integer arithmetic, bit operations on two variables and shifts by a variable are symbols with weak axioms;
//! - the content of opaque cells (unions of different members, byte views) is arbitrary;
//! - where objects lie that are allocated again and again, and functions, it does not know.
//!
//! Then the first integer that differs depends on a symbol that stands for the unknown value. These paths are counted as
//! inexact; a difference that depends on no such symbol is a mistake. Where the other objects lie that a program can tell is chosen before the run,
//! and is a fact of its path.

use crate::places::{self, Placing};
use craig_base::Budget;
use craig_cfa::interp::{self, Config, Keyed, Made, Overflow, Random, Recording, RunEnd, Value};
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_cfa::{BinOp, EdgeId, ExprId, ExprKind, IntTy, Op, Program, TypeId, arith, expr::Node};
use craig_encode::memory::{
    Address, AddressMap, Candidate, CellKind, Covered, Layout, LeafAccess, RangeAccess, Seen,
};
use craig_encode::range::Ranges;
use craig_encode::{Arith, Chosen, Encoder, Options, Part};
use craig_logic::{Evaluator, Rat, Sort, SymbolId, TermId, Terms};
use craig_smt::{Smt, Status};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What comparing one run says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// The path allows the run and no other values.
    Exact,
    /// It allows other values where the encoding is weak on purpose: bit operations in integer arithmetic.
    WeakBits,
    /// The same for memory that is not followed; perhaps for bit operations, too. If bit-vector arithmetic is exact on the same run, and the
    /// run touches no memory that integer arithmetic leaves alone (`bytes`), then memory is followed, and it is the mistake that is told.
    WeakMemory { bits: bool, bytes: bool, mistake: Mistake },
    /// The solver gave up.
    Undecided,
    /// The program cannot be inlined, or uses something that is not modelled.
    Skipped,
    /// A mistake, in words.
    Wrong(Mistake),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// The encoded path does not allow the run.
    Refused(String),
    /// It allows other values.
    Loose(String),
}

/// A run and what it chose.
#[derive(Debug)]
pub struct Ran {
    pub program: Program,
    layout: Layout,
    placing: Placing,
    run: interp::Run,
    choices: Keyed,
}

/// Longer runs are not looked at.
const MOST_STEPS: usize = 3_000;

impl Ran {
    /// Runs the inlined program. `None` if the run is too long or the program calls itself.
    pub fn new(source: &Program, seed: u64, overflow: Overflow) -> Option<Ran> {
        let options = PrepareOptions {
            prune: false,
            fold: seed.is_multiple_of(2),
            cone: false,
            ..PrepareOptions::default()
        };
        let budget = Budget::unlimited();
        let prepared = prepare(source, &options, &budget).ok()?;
        if !prepared.kept_calls.is_empty() || prepared.too_large.is_some() {
            return None;
        }
        let seen = Seen::new(source, &budget).ok()?;
        let layout = Layout::new(&prepared.program, &seen, &AddressMap::default(), &budget).ok()?;
        let placing = places::seen(&prepared.program, &layout, seed);
        let config = Config {
            overflow,
            steps: MOST_STEPS as u64,
            trace: MOST_STEPS + 1,
            places: placing.places.clone(),
            ..Config::default()
        };
        let mut random = Random::new(seed);
        let mut recording = Recording::new(&mut random, 1 << 20);
        let run = interp::run(&prepared.program, &config, &mut recording, &mut std::io::sink());
        let choices = recording.keyed();
        Some(Ran { program: prepared.program, layout, placing, run, choices })
    }

    pub fn end(&self) -> &RunEnd {
        &self.run.end
    }
}

/// A value that the run assigned, and the term for it.
struct Assigned {
    term: TermId,
    value: TermId,
    edge: EdgeId,
}

/// The formula of a path.
struct Path<'a> {
    encoder: Encoder<'a>,
    part: Part,
    /// Guards and choices, each with the step it belongs to.
    facts: Vec<(usize, TermId)>,
    /// Number of constraints of the part after each step.
    lengths: Vec<usize>,
    assigned: Vec<Assigned>,
    chosen: Vec<TermId>,
    edges: Vec<EdgeId>,
    /// An operation on the path is weak in integer arithmetic.
    weak_bits: bool,
    /// An operation on the path touches memory that is kept as bytes, or a part of a value: arbitrary in integer arithmetic.
    weak_bytes: bool,
}

/// Encodes the path of a run and compares. The solver has so many units of work for each question.
pub fn compare(ran: &Ran, options: Options, limit: u64) -> Compared {
    let terms = Rc::new(Terms::new());
    let Ok(smt) = Smt::new(Rc::clone(&terms), Budget::unlimited().with_work(limit)) else {
        return Compared::Undecided;
    };
    let Some(mut path) = Path::encode(ran, terms, options) else { return Compared::Skipped };
    path.decide(&smt, limit)
}

impl<'a> Path<'a> {
    /// `None` if something on it is not modelled.
    fn encode(ran: &'a Ran, terms: Rc<Terms>, options: Options) -> Option<Self> {
        let encoder = Encoder::new(&ran.program, &ran.layout, terms, options);
        let part = encoder.part();
        let mut path = Path {
            encoder,
            part,
            facts: Vec::new(),
            lengths: Vec::new(),
            assigned: Vec::new(),
            chosen: Vec::new(),
            edges: Vec::new(),
            weak_bits: false,
            weak_bytes: false,
        };
        for (site, at) in &ran.placing.sites {
            let symbol = path.encoder.sites()[*site];
            let at = path.encoder.address(Address { site: None, offset: *at });
            path.facts.push((0, path.encoder.terms.eq(symbol, at)));
            path.chosen.push(symbol);
        }
        let mut state = path.encoder.initial(&mut path.part);
        let mut occurrences: FxHashMap<EdgeId, u64> = FxHashMap::default();
        let mut ranges = Ranges::default();
        let memory = Memory { program: &ran.program, layout: &ran.layout };
        let mut touched: FxHashMap<EdgeId, bool> = FxHashMap::default();
        // The last step of a run that did not end at the error may not have happened.
        let happened = ran.run.trace.steps.len() - usize::from(ran.run.end != RunEnd::Error);
        for (at, step) in ran.run.trace.steps.iter().take(happened).enumerate() {
            let edge = &ran.program.edges[step.edge];
            if let (Op::Assign(_, e), Some(write)) = (&edge.op, step.writes.first()) {
                path.assigned(step.edge, *e, &write.value, &state);
            }
            path.weak_bits |= is_weak(&ran.program, &edge.op, &mut ranges);
            path.weak_bytes |= *touched.entry(step.edge).or_insert_with(|| memory.touched(&edge.op));
            if let Op::Alloc { .. } | Op::Realloc { .. } = edge.op
                && let Some(wanted) = ran.placing.places.at.get(&(Made::By(edge.origin), Vec::new()))
                && step.writes.first().map(|w| &w.value) != Some(&Value::Bits((*wanted).into()))
            {
                // What was there before is still alive.
                return None;
            }
            let effect =
                path.encoder.op(&edge.op, edge.origin, edge.calls, &mut state, &mut path.part).ok()?;
            if effect.unsupported.is_some() {
                return None;
            }
            path.facts.extend(effect.guard.map(|g| (at, g)));
            if matches!(edge.op, Op::Havoc(..) | Op::Alloc { .. } | Op::Realloc { .. }) {
                let count = occurrences.entry(edge.origin).or_insert(0);
                // What `realloc` makes keeps its content, of which the encoding knows nothing.
                let kept = matches!(edge.op, Op::Realloc { .. });
                for chosen in effect.chosen.iter().filter(|_| !kept) {
                    let bits = chosen_bits(&ran.choices, &ran.program, edge.origin, *count, chosen);
                    let value = path.value(bits, chosen.ty);
                    path.facts.push((at, path.encoder.terms.eq(chosen.symbol, value)));
                    path.chosen.push(chosen.symbol);
                }
                *count += 1;
            }
            path.edges.push(step.edge);
            path.lengths.push(path.part.constraints.len());
        }
        Some(path)
    }

    /// Remembers what was assigned. Pointers are left out: their values are not those of the run.
    fn assigned(&mut self, edge: EdgeId, e: ExprId, value: &Value, state: &craig_encode::State) {
        let program = self.encoder.program;
        let ty = program.exprs.ty(e);
        if let (Some(_), Value::Bits(bits)) = (program.types.as_int(ty), value) {
            let term = self.encoder.eval(e, state, &mut self.part);
            let value = self.value(*bits, ty);
            self.assigned.push(Assigned { term, value, edge });
        }
    }

    /// Bits as a value of a type.
    fn value(&self, bits: u128, ty: TypeId) -> TermId {
        let program = self.encoder.program;
        let word = program.types.as_word(ty).unwrap_or(IntTy::new(128, false));
        match self.encoder.options.arith {
            Arith::Bv => self.encoder.terms.bv_big(bits.into(), u32::from(word.width)),
            Arith::Int => {
                self.encoder.terms.numeral(&Rat::from_ibig(arith::to_i128(bits, word).into()), Sort::Int)
            }
        }
    }

    fn decide(&mut self, smt: &Smt, limit: u64) -> Compared {
        let mut session = smt.session();
        for constraint in self.part.constraints.iter().chain(self.facts.iter().map(|(_, f)| f)) {
            session.assert(*constraint);
        }
        match session.check() {
            Status::Sat => {}
            Status::Unsat => return Compared::Wrong(Mistake::Refused(self.refused(smt, limit))),
            Status::Unknown(_) => return Compared::Undecided,
        }
        smt.set_budget(Budget::unlimited().with_work(limit));
        let terms = Rc::clone(&self.encoder.terms);
        let different = terms.or(self.assigned.iter().map(|a| terms.distinct(a.term, a.value)));
        match session.check_assuming(&[different]) {
            Status::Unsat => return Compared::Exact,
            Status::Unknown(_) => return Compared::Undecided,
            Status::Sat => {}
        }
        let Some(model) = session.model() else { return Compared::Undecided };
        let mut values = Evaluator::new(&terms, &model);
        let first = self.assigned.iter().find(|a| values.eval(a.term) != values.eval(a.value));
        let Some(first) = first else { return Compared::Undecided };
        self.explain(first, &mut values)
    }

    /// Why may this integer differ?
    fn explain(&self, first: &Assigned, values: &mut Evaluator<'_>) -> Compared {
        let terms = &self.encoder.terms;
        let (mut unknown, mut cut) = (false, false);
        for symbol in self.depends_on(first.term) {
            if terms.symbol_name(symbol).starts_with("op!") {
                cut = true;
            } else if !self.chosen.contains(&terms.symbol_term(symbol)) {
                unknown = true;
            }
        }
        let mistake = Mistake::Loose(format!(
            "{}: the run assigns {}, the path allows {:?}",
            self.edge_text(first.edge),
            terms.smt(first.value),
            values.eval(first.term),
        ));
        let bits = cut && self.weak_bits && self.encoder.options.arith == Arith::Int;
        match (bits, unknown) {
            (true, false) => Compared::WeakBits,
            (bits, true) => {
                let bytes = self.weak_bytes && self.encoder.options.arith == Arith::Int;
                Compared::WeakMemory { bits, bytes, mistake }
            }
            (false, false) => Compared::Wrong(mistake),
        }
    }

    /// The symbols of a term, and of what defines the operations cut out of it.
    fn depends_on(&self, term: TermId) -> Vec<SymbolId> {
        let terms = &self.encoder.terms;
        let is_cut = |s: &SymbolId| terms.symbol_name(*s).starts_with("op!");
        let mut mentioning: FxHashMap<SymbolId, Vec<TermId>> = FxHashMap::default();
        for &constraint in &self.part.constraints {
            for symbol in terms.symbols_of(constraint).into_iter().filter(is_cut) {
                mentioning.entry(symbol).or_default().push(constraint);
            }
        }
        let mut found = terms.symbols_of(term);
        let mut seen: FxHashSet<SymbolId> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(symbol) = found.get(next).copied() {
            next += 1;
            // Symbols are numbered as they are made: a definition looks back.
            for &constraint in mentioning.get(&symbol).into_iter().flatten() {
                let older = terms.symbols_of(constraint).into_iter().filter(|s| *s <= symbol);
                found.extend(older.filter(|s| seen.insert(*s)));
            }
        }
        found
    }

    /// The operation that the path cannot go on with.
    fn refused(&self, smt: &Smt, limit: u64) -> String {
        let possible = |steps: usize| {
            let facts = self.facts.iter().filter(|(at, _)| *at < steps).map(|(_, f)| *f);
            let constraints = match steps {
                0 => &[][..],
                n => &self.part.constraints[..self.lengths[n - 1]],
            };
            let all: Vec<TermId> = constraints.iter().copied().chain(facts).collect();
            smt.limited(limit, || !smt.check(&all).is_unsat())
        };
        smt.set_budget(Budget::unlimited());
        let (mut good, mut bad) = (0, self.edges.len());
        while bad - good > 1 {
            let middle = (good + bad) / 2;
            if possible(middle) { good = middle } else { bad = middle }
        }
        match self.edges.get(bad.saturating_sub(1)) {
            Some(edge) => self.edge_text(*edge),
            None => "the initial state".into(),
        }
    }

    fn edge_text(&self, edge: EdgeId) -> String {
        let program = self.encoder.program;
        let edge = &program.edges[edge];
        let line = program.source.line(edge.span);
        format!("line {line}: {}", program.op_text(&edge.op))
    }
}

/// Does the operation compute something that integer arithmetic does not follow exactly: a bit operation on two variables, or with a
/// mask of many pieces, or a shift by a variable, or a range filled with one?
pub fn is_weak(program: &Program, op: &Op, ranges: &mut Ranges) -> bool {
    let mut constant = |e| ranges.of(program, e).filter(|r| r.low == r.high).map(|r| r.low);
    let mut weak = matches!(*op, Op::MemSet { byte, .. } if constant(byte).is_none());
    let parts = op.parts();
    let roots = parts.exprs.into_iter().map(Node::Expr).chain(parts.written.map(Node::Place));
    program.exprs.visit_all(roots.collect(), &mut FxHashSet::default(), &mut |node| {
        let Node::Expr(e) = node else { return };
        if let ExprKind::Binary(op, a, b) = *program.exprs.kind(e) {
            weak |= match op {
                BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
                    constant(a).or_else(|| constant(b)).is_none_or(many_runs)
                }
                BinOp::Shl | BinOp::Shr => constant(b).is_none(),
                _ => false,
            };
        }
    });
    weak
}

/// Does the operation make a number of an address?
pub fn looks_at_addresses(program: &Program, op: &Op) -> bool {
    let mut looks = false;
    let parts = op.parts();
    let roots = parts.exprs.into_iter().map(Node::Expr).chain(parts.written.map(Node::Place));
    program.exprs.visit_all(roots.collect(), &mut FxHashSet::default(), &mut |node| {
        let Node::Expr(e) = node else { return };
        if let ExprKind::Cast(from) = *program.exprs.kind(e) {
            let (from, to) = (program.exprs.ty(from), program.exprs.ty(e));
            looks |= program.types.is_ptr(from) && program.types.as_int(to).is_some();
        }
    });
    looks
}

/// More runs of ones than integer arithmetic takes apart.
fn many_runs(mask: i128) -> bool {
    let mask = if mask < 0 { !mask } else { mask };
    const EXACT: u32 = 3;
    (mask & !(mask << 1)).count_ones() > EXACT
}

/// What the run chose there, whatever it chose the object as.
fn chosen_bits(choices: &Keyed, program: &Program, edge: EdgeId, occurrence: u64, chosen: &Chosen) -> u128 {
    let word = program.types.as_word(chosen.ty).unwrap_or(IntTy::new(128, false));
    let mut bytes = [0; 16];
    choices.content(edge, occurrence, chosen.offset, &mut bytes);
    arith::truncate(u128::from_le_bytes(bytes) >> chosen.bit, word)
}

/// What operations do to memory that has several views.
struct Memory<'a> {
    program: &'a Program,
    layout: &'a Layout,
}

impl Memory<'_> {
    /// Does the operation touch memory that is kept as bytes, or a part of a value?
    fn touched(&self, op: &Op) -> bool {
        let mut bytes = false;
        let parts = op.parts();
        let roots = parts.exprs.into_iter().map(Node::Expr).chain(parts.written.map(Node::Place));
        self.program.exprs.visit_all(roots.collect(), &mut FxHashSet::default(), &mut |node| {
            let Node::Place(place) = node else { return };
            bytes |= self.in_bytes(self.layout.access(place).candidates);
            bytes |= self.parted(&self.layout.leaves(place));
        });
        let ranges = match *op {
            Op::MemSet { dst, len, .. } => vec![(dst, len)],
            Op::MemCopy { dst, src, len, .. } => vec![(dst, len), (src, len)],
            _ => Vec::new(),
        };
        for (pointer, len) in ranges {
            bytes |= match self.layout.range(pointer, self.layout.known_length(len)) {
                RangeAccess::Leaves(leaves) => self.parted(&leaves),
                RangeAccess::Cells { .. } => true,
            };
        }
        bytes
    }

    fn in_bytes(&self, candidates: &[Candidate]) -> bool {
        candidates.iter().any(|c| self.layout.cells()[c.cell].kind == CellKind::Bytes)
    }

    fn parted(&self, leaves: &[LeafAccess]) -> bool {
        leaves.iter().any(|leaf| leaf.covered != Covered::Whole || self.in_bytes(&leaf.candidates))
    }
}
