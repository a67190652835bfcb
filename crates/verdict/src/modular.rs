//! The checker of proofs that speak of procedures one by one ([`Procedures`]).
//!
//! It works on the source program with its procedures side by side ([`crate::separate`]), cut at the formulas, where procedures begin and end, and where
//! else a cycle is left. As in [`check`](mod@crate::check) each loop-free segment between cuts has to lead from formula to formula; but here a formula
//! relates two states, that in which the running activation was entered and that of now. Within a segment the first stays what it is.
//! - A segment begins at the entry of a procedure with both states one: the formula there is what the procedure needs.
//! - A segment that goes into a callee ends at its entry, with what it needs said of the arguments and globals there.
//! - A segment goes over a call by forgetting what the callee, or one that it calls, has an operation to change, and taking the summary of the callee, said of the state before the call with the
//!   arguments and of the state behind it. The variables of the caller stay: they belong to its activation, also if the callee is the
//!   same procedure.
//! - A segment that returns ends at the exit with the summary.
//!
//! That is sound by induction on the steps of a run: if all formulas held at all cuts that it passed before, a summary that is used
//! was established when that activation returned.
//!
//! Symbols of the certificate are symbols of their own here and become values only where a formula is said of two states. So the
//! values of caller and callee cannot be mixed up.

mod houdini;

use crate::certificate::{Binding, Moment, Procedures, Symbol};
use crate::check::{Checked, has_room, overflow_checks};
use crate::expand::{Cuts, Flow};
use crate::induction::{Checker, Claim};
use crate::outcome::{CutPoint, Reason, Refusal};
use crate::scalar::{self, Scalar};
use crate::segment::{Calls, Point, Segment};
use crate::separate::Separated;
use craig_base::Budget;
use craig_cfa::expr::Node;
use craig_cfa::{EdgeId, ExprId, LocId, PlaceId, PlaceKind, ProcId, Program, TypeId, VarId};
use craig_encode::memory::{AddressMap, CellId, ObjectId, ObjectKey};
use craig_encode::state::sort;
use craig_encode::{Arith, Encoder, Layout, Options, Part, State, Uninlined};
use craig_logic::{Sort, Substituter, Substitution, SymbolId, TermId, Terms};
use craig_smt::Smt;
use craig_smt::bdd::refute::Diagrams;
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A program made ready for a proof by procedures: its procedures side by side, its storage laid out with all that the proof speaks of.
#[derive(Debug)]
pub struct Ground<'a> {
    source: &'a Program,
    given: &'a Procedures,
    separated: Separated,
    /// What each symbol of the proof stands for.
    meanings: Vec<Meaning>,
    /// For each edge of the separated program, when its operation overflows.
    overflow: Vec<Option<ExprId>>,
    pub(crate) layout: Layout,
    pub(crate) options: Options,
}

/// What a symbol of the proof stands for.
#[derive(Debug)]
struct Meaning {
    ty: TypeId,
    stands_for: StandsFor,
}

#[derive(Debug)]
enum StandsFor {
    Variable {
        var: VarId,
        /// Whose it is, if it belongs to activations.
        own: Option<ProcId>,
        /// Is it memory? Then nobody has a name for it; of a parameter it is known what it was called with.
        moved: bool,
        now: bool,
        read: Read,
    },
    /// The result of a procedure, among those that return such a value.
    Result(IndexVec<ProcId, Option<PlaceId>>),
}

/// Where the value of a symbol is read.
#[derive(Debug, Clone, Copy)]
struct Read {
    place: PlaceId,
    /// In the state from which a procedure is called: its parameters are not set yet.
    at_call: PlaceId,
}

/// Where a formula stands, which says what it may speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    Entry,
    Inside,
    Exit,
}

/// A formula over symbols of the proof, with what they stand for: now or at entry, and where.
#[derive(Debug)]
struct Formula {
    term: TermId,
    symbols: Vec<(TermId, bool, Read)>,
}

/// All formulas of the proof. Those of one location, or one procedure, hold together; where there are none control never comes.
#[derive(Debug, Default)]
struct Claims {
    invariants: BTreeMap<LocId, Vec<Formula>>,
    summaries: BTreeMap<ProcId, Vec<Formula>>,
}

impl<'a> Ground<'a> {
    pub fn new(
        source: &'a Program,
        given: &'a Procedures,
        options: Options,
        budget: &Budget,
    ) -> Result<Ground<'a>, Reason> {
        let mut separated = Separated::new(source, budget)?;
        let mut names = BTreeSet::new();
        let mut meanings = Vec::new();
        for symbol in &given.symbols {
            if !names.insert(&symbol.symbol) {
                return Err(Refusal::Twice(symbol.symbol.clone()).into());
            }
            meanings.push(Meaning::new(source, &mut separated, options.arith, symbol)?);
        }
        let watch = options.arith == Arith::Int && !options.signed_wrap;
        let overflow = overflow_checks(&mut separated.program, watch, budget)?;
        let layout = Layout::new(&separated.program, &separated.seen, &AddressMap::new(), budget)?;
        has_room(&separated.program, &layout)?;
        Ok(Ground { source, given, separated, meanings, overflow, layout, options })
    }

    /// Does the proof show that the error of the program is not reached?
    pub fn check(&self, budget: &Budget) -> Result<Checked, Reason> {
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let program = &self.separated.program;
        let encoder = Encoder::new(program, &self.layout, terms, self.options);
        // Before all others, so that none has the name of one of these.
        let now = encoder.symbols(None);
        let claims = Reader::new(self, &encoder).claims()?;
        let flow = Flow::of_all(program);
        let cuts = self.cuts(&flow);
        let said =
            Said { ground: self, encoder: &encoder, claims: &claims, changes: self.changes(&encoder)? };
        let (encoder, flow, cuts, overflow, smt) = (&encoder, &flow, &cuts, &self.overflow, &smt);
        let diagrams = (self.options.arith == Arith::Bv).then(|| diagrams(program));
        let (wrapping, diagrams) = (None, diagrams.as_ref());
        let checker =
            Checker { encoder, flow, cuts, overflow, calls: &said, smt, wrapping, diagrams, budget };
        let mut checked = said.inductive(&checker, &now)?;
        checked.solver_calls = smt.stats().checks;
        Ok(checked)
    }

    /// Do only variables of activations lie there that no pointer leads to?
    fn is_private(&self, cell: CellId) -> bool {
        let private = |(object, _): &(ObjectId, u64)| match self.layout.key(*object) {
            Some(ObjectKey::Var(var, _)) => self.separated.frame(*var).is_some(),
            _ => false,
        };
        let leaves = &self.layout.cells()[cell].leaves;
        !leaves.is_empty() && leaves.iter().all(private)
    }

    /// What a call of each procedure may change, by itself or by what it calls, but for variables of activations that no pointer leads to: as the
    /// operations say, one by one.
    fn changes(&self, encoder: &Encoder<'_>) -> Result<IndexVec<ProcId, Changes>, Reason> {
        let program = &self.separated.program;
        let symbols = encoder.symbols(None);
        let mut changes = index_vec![Changes::default(); self.source.procs.len()];
        let owner = self.separated.owners(self.source);
        let mut calls = BTreeSet::new();
        for (id, edge) in program.edges.iter_enumerated() {
            let Some(proc) = owner[edge.from] else { continue };
            if let Some(callee) = self.separated.calls.get(&id) {
                calls.insert((proc, *callee));
                continue;
            }
            let mut state = symbols.clone();
            encoder
                .op(&edge.op, edge.origin, edge.calls, &mut state, &mut Part::new())
                .map_err(|Uninlined(proc)| Reason::recursion(program.procs[proc].name.clone()))?;
            let changed =
                state.cells.iter_enumerated().filter(|(cell, value)| symbols.cells[*cell] != **value);
            let open = changed.map(|(cell, _)| cell).filter(|cell| !self.is_private(*cell));
            changes[proc].cells.extend(open);
            changes[proc].heap |= state.heap != symbols.heap;
        }
        let mut grew = true;
        while std::mem::take(&mut grew) {
            for (caller, callee) in &calls {
                let more = changes[*callee].clone();
                grew |= changes[*caller].add(more);
            }
        }
        Ok(changes)
    }

    fn cuts(&self, flow: &Flow) -> Cuts {
        let Separated { reached, called, program, .. } = &self.separated;
        let known = |loc: &LocId| self.source.locs.get(*loc).is_some_and(|loc| reached[loc.proc]);
        let given = self.given.invariants.iter().map(|i| LocId::from_raw(i.location)).filter(known);
        let procs = || self.source.procs.iter_enumerated();
        let entries = procs().filter(|(id, _)| called[*id]).map(|(_, proc)| proc.entry);
        let exits = procs().filter(|(id, _)| reached[*id]).map(|(_, proc)| proc.exit);
        Cuts::new(program, flow, given.chain(entries).chain(exits))
    }

    /// Locations of the source program to which no run comes, as the proof says by saying nothing of them.
    pub fn unreached(&self) -> Vec<LocId> {
        let located: FxHashSet<u32> = self.given.invariants.iter().map(|i| i.location).collect();
        let returns: FxHashSet<u32> = self.given.summaries.iter().map(|s| s.procedure).collect();
        let claimed = |loc: LocId| match self.site(loc) {
            Site::Entry(_) | Site::Inside => !located.contains(&loc.raw()),
            Site::Exit(proc) => !returns.contains(&proc.raw()) && !self.ends(proc),
            Site::Start | Site::Error => false,
        };
        let cuts = self.cuts(&Flow::of_all(&self.separated.program)).is_cut;
        let cuts = cuts.iter_enumerated().filter(|(_, cut)| **cut).map(|(loc, _)| loc);
        cuts.filter(|loc| *loc < self.source.locs.len() && claimed(*loc)).collect()
    }

    /// Does the run end where this procedure returns, since nobody calls it?
    fn ends(&self, proc: ProcId) -> bool {
        proc == self.source.entry && !self.separated.called[proc]
    }

    /// What a location of the separated program is.
    fn site(&self, loc: LocId) -> Site {
        if loc == self.source.error {
            return Site::Error;
        }
        let Some(own) = self.source.locs.get(loc) else {
            return if loc == self.separated.start() { Site::Start } else { Site::Inside };
        };
        let proc = &self.source.procs[own.proc];
        if loc == proc.entry {
            Site::Entry(own.proc)
        } else if loc == proc.exit {
            Site::Exit(own.proc)
        } else {
            Site::Inside
        }
    }

    fn cut(&self, loc: LocId) -> CutPoint {
        let name = |proc: ProcId| self.source.procs[proc].name.clone();
        let program = &self.separated.program;
        match self.site(loc) {
            Site::Start => CutPoint::Start,
            Site::Entry(proc) => CutPoint::Entry(name(proc)),
            Site::Inside => CutPoint::Line(program.source.line(program.locs[loc].span)),
            Site::Exit(proc) => CutPoint::Return(name(proc)),
            Site::Error => CutPoint::Error,
        }
    }
}

enum Site {
    Start,
    Entry(ProcId),
    Inside,
    Exit(ProcId),
    Error,
}

impl Meaning {
    /// What a symbol stands for in the separated program. Its places get a part in the layout.
    fn new(
        source: &Program,
        separated: &mut Separated,
        arith: Arith,
        symbol: &Symbol,
    ) -> Result<Meaning, Refusal> {
        let terms = Terms::new();
        let types = &source.types;
        let sort_of = |ty: TypeId| terms.sort_text(sort(source, &terms, arith, ty));
        let fits = |ty: TypeId| Binding::word_of(types, ty) == symbol.word;
        let unknown = || Refusal::Symbol(symbol.symbol.clone());
        let place = |separated: &mut Separated, var: VarId, found: &Scalar| {
            let place = found.place(&mut separated.program, var);
            separated.mention(place);
            place
        };
        match (symbol.moment, symbol.variable) {
            (Moment::Entry | Moment::Now, Some(var)) if var < source.vars.len() => {
                let found = scalar::find(types, source.vars[var].ty, symbol.offset, fits);
                let found = found.ok_or_else(unknown)?;
                if sort_of(found.ty) != symbol.sort {
                    return Err(Refusal::Sort { symbol: symbol.symbol.clone(), sort: sort_of(found.ty) });
                }
                let argument = separated.arguments.get(&var).copied().unwrap_or(var);
                let at_call = place(separated, argument, &found);
                let read = Read { place: place(separated, var, &found), at_call };
                let (now, own) = (symbol.moment == Moment::Now, separated.frame(var));
                let moved = separated.pointers.contains_key(&var);
                Ok(Meaning { ty: found.ty, stands_for: StandsFor::Variable { var, own, moved, now, read } })
            }
            (Moment::Result, None) => {
                let same = |ty: TypeId| fits(ty) && sort_of(ty) == symbol.sort;
                let mut ty = None;
                let mut places = index_vec![None; source.procs.len()];
                for (id, proc) in source.procs.iter_enumerated() {
                    if let Some(found) = scalar::find(types, proc.ret, symbol.offset, same) {
                        ty = ty.or(Some(found.ty));
                        places[id] = separated.results[id].map(|result| place(separated, result, &found));
                    }
                }
                Ok(Meaning { ty: ty.ok_or_else(unknown)?, stands_for: StandsFor::Result(places) })
            }
            _ => Err(unknown()),
        }
    }

    /// Where a formula of a procedure reads it; none if it may not speak of it.
    fn read(&self, source: &Program, proc: ProcId, stand: Stand) -> Option<(bool, Read)> {
        match &self.stands_for {
            StandsFor::Variable { moved: true, now: true, .. } if stand != Stand::Entry => None,
            StandsFor::Variable { var, own, now, read, .. } => {
                let own = *own;
                let param = source.procs[proc].params.contains(var);
                let seen = own.is_none() || param && (!now || stand != Stand::Exit);
                let local = *now && stand == Stand::Inside && own == Some(proc);
                (seen || local).then_some((*now, *read))
            }
            StandsFor::Result(places) => {
                let place = places[proc].filter(|_| stand == Stand::Exit)?;
                Some((true, Read { place, at_call: place }))
            }
        }
    }
}

/// From the text of a proof to formulas.
struct Reader<'a> {
    ground: &'a Ground<'a>,
    encoder: &'a Encoder<'a>,
    names: Vec<(&'a str, TermId)>,
    symbols: FxHashMap<SymbolId, usize>,
}

impl<'a> Reader<'a> {
    fn new(ground: &'a Ground<'a>, encoder: &'a Encoder<'a>) -> Reader<'a> {
        let terms = &encoder.terms;
        let mut reader = Reader { ground, encoder, names: Vec::new(), symbols: FxHashMap::default() };
        for (i, (symbol, meaning)) in ground.given.symbols.iter().zip(&ground.meanings).enumerate() {
            let sort = sort(encoder.program, terms, encoder.options.arith, meaning.ty);
            let term = terms.fresh(&symbol.symbol, sort);
            reader.names.push((&symbol.symbol, term));
            reader.symbols.extend(terms.as_symbol(term).map(|id| (id, i)));
        }
        reader
    }

    fn claims(&self) -> Result<Claims, Refusal> {
        let source = self.ground.source;
        let mut claims = Claims::default();
        for invariant in &self.ground.given.invariants {
            let (loc, line) = (LocId::from_raw(invariant.location), invariant.line);
            let proc = source.locs.get(loc).map(|loc| loc.proc);
            let stand = match self.ground.site(loc) {
                Site::Entry(_) => Some(Stand::Entry),
                Site::Inside => Some(Stand::Inside),
                // Of returns summaries speak, of the error nobody does.
                Site::Start | Site::Exit(_) | Site::Error => None,
            };
            let usual = invariant.calls.is_empty();
            let (Some(proc), Some(stand), true) = (proc, stand, usual) else {
                return Err(Refusal::Location { line });
            };
            let formula = self.formula(&invariant.formula, line, proc, stand)?;
            claims.invariants.entry(loc).or_default().push(formula);
        }
        for summary in &self.ground.given.summaries {
            let proc = ProcId::from_raw(summary.procedure);
            if proc >= source.procs.len() {
                return Err(Refusal::Procedure { procedure: summary.procedure });
            }
            let formula = self.formula(&summary.formula, summary.line, proc, Stand::Exit)?;
            claims.summaries.entry(proc).or_default().push(formula);
        }
        Ok(claims)
    }

    fn formula(&self, text: &str, line: u32, proc: ProcId, stand: Stand) -> Result<Formula, Refusal> {
        let terms = &self.encoder.terms;
        let wrong = |message: String| Refusal::Formula { line, message };
        let term = terms.read_term_with(text, self.names.iter().copied());
        let term = term.map_err(|e| wrong(e.to_string()))?;
        if terms.sort(term) != Sort::Bool {
            return Err(wrong("not a formula".into()));
        }
        let mut symbols = Vec::new();
        for symbol in terms.symbols_of(term) {
            let name = || terms.symbol_name(symbol);
            let known = self.symbols.get(&symbol);
            let known = *known.ok_or_else(|| wrong(format!("`{}` is not declared", name())))?;
            let read = self.ground.meanings[known].read(self.ground.source, proc, stand);
            let symbol_text = || self.ground.given.symbols[known].symbol.clone();
            let (now, read) = read.ok_or_else(|| Refusal::Scope { symbol: symbol_text(), line })?;
            symbols.push((terms.symbol_term(symbol), now, read));
        }
        Ok(Formula { term, symbols })
    }
}

/// Nodes of diagrams for one question; what needs more is the solver's. As many take a second or two.
const DIAGRAM_NODES: usize = 1 << 23;

/// What is asked first in diagrams: which cell of an array is meant.
fn diagrams(program: &Program) -> Diagrams {
    let exprs = &program.exprs;
    let index = |place: usize| match exprs.place(PlaceId::from_usize(place)).kind {
        PlaceKind::Index(_, index) => Some(Node::Expr(index)),
        _ => None,
    };
    let mut first = FxHashSet::default();
    let roots = (0..exprs.place_count()).filter_map(index).collect();
    exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = exprs.place(place).kind
        {
            first.insert(program.vars[var].name.to_string());
        }
    });
    Diagrams { nodes: DIAGRAM_NODES, first }
}

/// The claims of a proof, to be said of states.
#[derive(Debug)]
struct Said<'a> {
    ground: &'a Ground<'a>,
    encoder: &'a Encoder<'a>,
    claims: &'a Claims,
    /// What a call of each procedure may change.
    changes: IndexVec<ProcId, Changes>,
}

/// What a call may change.
#[derive(Debug, Clone, Default)]
struct Changes {
    cells: BTreeSet<CellId>,
    /// Where the next object of the heap goes.
    heap: bool,
}

impl Changes {
    /// Says whether there is something new.
    fn add(&mut self, more: Changes) -> bool {
        let before = (self.cells.len(), self.heap);
        self.cells.extend(more.cells);
        self.heap |= more.heap;
        before != (self.cells.len(), self.heap)
    }
}

/// The two states that formulas speak of.
#[derive(Clone, Copy)]
struct Between<'s> {
    entry: &'s State,
    now: &'s State,
    /// The first is that from which a procedure is called.
    at_call: bool,
}

impl Calls for Said<'_> {
    fn call(&self, edge: EdgeId, state: &mut State, part: &mut Part) -> Option<TermId> {
        let callee = self.ground.separated.calls.get(&edge)?;
        let Some(summary) = self.claims.summaries.get(callee) else {
            return Some(self.encoder.terms.fls());
        };
        let before = state.clone();
        let changes = &self.changes[*callee];
        for cell in &changes.cells {
            self.encoder.forget(*cell, state, part);
        }
        if changes.heap {
            self.encoder.forget_heap(state, part);
        }
        Some(self.say(summary, Between { entry: &before, now: state, at_call: true }, part))
    }
}

impl Said<'_> {
    /// Formulas said of two states.
    fn say(&self, formulas: &[Formula], states: Between<'_>, part: &mut Part) -> TermId {
        let terms = &self.encoder.terms;
        let mut said = Vec::with_capacity(formulas.len());
        for formula in formulas {
            let mut values = Substitution::default();
            for &(symbol, now, read) in &formula.symbols {
                let state = if now { states.now } else { states.entry };
                let place = if states.at_call { read.at_call } else { read.place };
                values.insert(symbol, self.encoder.read(place, state, part));
            }
            said.push(Substituter::new(terms, &values).apply(formula.term));
        }
        terms.and(said)
    }

    /// What holds at a location, as long as nothing else is said of it: control never comes there.
    fn invariant(&self, loc: LocId, entry: &State, now: &State, part: &mut Part) -> TermId {
        match self.claims.invariants.get(&loc) {
            Some(formulas) => self.say(formulas, Between { entry, now, at_call: false }, part),
            None => self.encoder.terms.fls(),
        }
    }

    /// What has to hold where a segment ends that began in an activation with this state at its entry.
    fn claim(&self, end: &Point, entry: &State, part: &mut Part) -> TermId {
        let now = &*end.state;
        match self.ground.site(end.loc) {
            Site::Entry(_) => self.invariant(end.loc, now, now, part),
            Site::Exit(proc) => match self.claims.summaries.get(&proc) {
                Some(summary) => self.say(summary, Between { entry, now, at_call: false }, part),
                None if self.ground.ends(proc) => self.encoder.terms.tru(),
                None => self.encoder.terms.fls(),
            },
            Site::Start | Site::Inside | Site::Error => self.invariant(end.loc, entry, now, part),
        }
    }

    /// The segment that begins at a cut, with what is known there and the state at the entry of its activation. None if no run comes there.
    fn begin(
        &self,
        checker: &Checker<'_>,
        start: LocId,
        now: &State,
        entry: &State,
    ) -> Result<Option<(TermId, State, Segment)>, Reason> {
        let terms = &self.encoder.terms;
        let mut part = Part::new();
        let (first, begun, premise) = match self.ground.site(start) {
            Site::Start => {
                let initial = self.encoder.initial(&mut part);
                (initial.clone(), initial, terms.tru())
            }
            Site::Entry(_) => (now.clone(), now.clone(), self.invariant(start, now, now, &mut part)),
            Site::Inside => (entry.clone(), now.clone(), self.invariant(start, entry, now, &mut part)),
            Site::Exit(_) | Site::Error => return Ok(None),
        };
        let premise = terms.and([premise].into_iter().chain(self.encoder.heap_range(begun.heap)));
        if terms.is_false(premise) {
            return Ok(None);
        }
        let point = Point { loc: start, guard: terms.tru(), state: Rc::new(begun) };
        Ok(Some((premise, first, checker.walk(vec![point], part)?)))
    }

    /// Every segment leads from formula to formula.
    fn inductive(&self, checker: &Checker<'_>, now: &State) -> Result<Checked, Reason> {
        let terms = &self.encoder.terms;
        let mut may_overflow = BTreeSet::new();
        let mut entry = now.clone();
        // Symbols of their own; their ranges are known as those of all others.
        self.encoder.layout.cells().indices().for_each(|cell| {
            self.encoder.forget(cell, &mut entry, &mut Part::new());
        });
        self.encoder.forget_heap(&mut entry, &mut Part::new());
        let cuts = checker.cuts.is_cut.iter_enumerated().filter(|(_, cut)| **cut);
        for start in cuts.map(|(loc, _)| loc) {
            let Some((premise, first, mut segment)) = self.begin(checker, start, now, &entry)? else {
                continue;
            };
            let Segment { part, ends, .. } = &mut segment;
            let violation = |end: &Point| {
                let claim = self.claim(end, &first, part);
                (end.loc, terms.and([end.guard, terms.not(claim)]))
            };
            let violations = ends.iter().map(violation).collect();
            let claim = Claim { premise, segment, violations };
            let mut question = checker.question(&claim, &[now, &entry]);
            if let Some(end) = checker.violated(&claim, &mut question)? {
                let (from, to) = (self.ground.cut(start), self.ground.cut(end.unwrap_or(start)));
                return Err(Refusal::NotImplied { from, to }.into());
            }
            checker.overflows(&claim, &mut question, &mut may_overflow)?;
        }
        Ok(Checked {
            locations: self.claims.invariants.len() + self.claims.summaries.len(),
            may_overflow: may_overflow.into_iter().collect(),
            ..Checked::default()
        })
    }
}
