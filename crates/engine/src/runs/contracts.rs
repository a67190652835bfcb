//! What the returns of procedures in many runs have in common, as guesses of contracts.
//!
//! Bounds of numbers, of their sums and differences, remainders, linear equations; of all returns, and of those behind entries with a small or a
//! large parameter. Dozens of runs show few of all values, so that most guesses are wrong. The checker says which of them hold together
//! ([`Ground::kept`]), and whether these are a proof. So parity is found, which interpolants do not come to.
//!
//! At loops the same is guessed of what local variables and globals have in common with each other and with the entry of their activation: without that, a number that changes in a loop
//! would be related to nothing behind it.

use super::numbers::{Numbers, Said, Values};
use craig_base::Budget;
use craig_cfa::interp::{Here, Watcher};
use craig_cfa::{LocId, ProcId, Program, graph};
use craig_encode::{Arith, Options};
use craig_logic::{Linear, Rat, Sort, TermId, Terms, kernel};
use craig_verdict::certificate::Procedures;
use craig_verdict::modular::Ground;
use craig_verdict::{Certificate, Proof, Reason, check};
use index_vec::{IndexVec, index_vec};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

/// Returns of a procedure that are looked at, and the fewest that show something.
const ROWS: usize = 200;
const FEW: usize = 3;
/// Of one run so many returns of a procedure are looked at, and then fewer and fewer: all runs are to have their share.
const OF_ONE_RUN: u64 = 16;
/// As many values or fewer may be all that there are.
const CASES: usize = 4;
/// Numbers beyond are no part of guesses.
const LARGE: i128 = 1 << 40;
/// Numbers at an entry and at a return between which something is guessed.
const NUMBERS: usize = 6;
/// Numbers of the program that tell small parameters from large ones.
const BORDERS: usize = 6;
/// Remainders are looked at with these.
const DIVISORS: [i64; 3] = [2, 3, 4];

/// Values at the entry of an activation with later ones.
type Row = (Values, Values);

/// What was seen of each procedure: values at the entry with those at the return, and with those at loops.
pub struct Samples<'p> {
    source: &'p Program,
    numbers: Numbers<'p>,
    open: Vec<Option<Values>>,
    rows: IndexVec<ProcId, BTreeSet<Row>>,
    loops: BTreeMap<LocId, BTreeSet<Row>>,
    /// How often this run came to a place.
    visits: BTreeMap<LocId, u64>,
}

impl Watcher for Samples<'_> {
    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
        let loc = here.loc();
        let proc = self.source.locs[loc].proc;
        if loc == self.source.procs[proc].entry {
            if here.depth() == 1 {
                self.visits.clear();
            }
            self.open.truncate(here.depth() - 1);
            self.open.push(self.numbers.at_entry(here, proc));
            return ControlFlow::Continue(());
        }
        let visits = self.visits.entry(loc).or_default();
        *visits += 1;
        if *visits > OF_ONE_RUN && !visits.is_power_of_two() {
            return ControlFlow::Continue(());
        }
        let (rows, is_exit) = match self.loops.get_mut(&loc) {
            Some(rows) => (rows, false),
            None => (&mut self.rows[proc], true),
        };
        if rows.len() < ROWS {
            let entered = self.open.get(here.depth() - 1).cloned().flatten();
            let numbers = &self.numbers;
            let now = if is_exit { numbers.at_exit(here, proc) } else { numbers.at_loop(here, proc) };
            let is_small = |(a, b): &Row| a.iter().chain(b).all(|n| n.abs() < LARGE);
            rows.extend(entered.zip(now).filter(is_small));
        }
        ControlFlow::Continue(())
    }
}

impl<'p> Samples<'p> {
    pub fn new(source: &'p Program) -> Samples<'p> {
        let rows = index_vec![BTreeSet::new(); source.procs.len()];
        let heads = graph::order(source, &source.graph()).loop_head;
        let heads = heads.iter_enumerated().filter(|(loc, head)| **head && *loc != source.error);
        let loops = heads.map(|(loc, _)| (loc, BTreeSet::new())).collect();
        Samples {
            source,
            numbers: Numbers::new(source),
            open: Vec::new(),
            rows,
            loops,
            visits: BTreeMap::new(),
        }
    }

    /// Where it wants to look: where procedures begin and end, and at loops.
    pub fn places(&self) -> IndexVec<LocId, bool> {
        let mut locs = index_vec![false; self.source.locs.len()];
        let ends = self.source.procs.iter().flat_map(|proc| [proc.entry, proc.exit]);
        ends.chain(self.loops.keys().copied()).for_each(|loc| locs[loc] = true);
        locs
    }

    /// Of all guesses those that hold together.
    pub fn kept(
        &self,
        mentioned: &[i128],
        arith: Arith,
        signed_wrap: bool,
        budget: &Budget,
    ) -> Result<Procedures, Reason> {
        let options = Options { arith, signed_wrap };
        let nothing = Procedures::default();
        let open = Ground::new(self.source, &nothing, options, budget)?.unreached();
        let mut said = Said::new(self.source, arith);
        let terms = said.terms();
        let is_end =
            |proc: ProcId, at| [self.source.procs[proc].entry, self.source.procs[proc].exit].contains(&at);
        let symbols = |named: Vec<(TermId, _)>| named.into_iter().map(|(symbol, _)| symbol).collect();
        for at in open.into_iter().filter(|at| !is_end(self.source.locs[*at].proc, *at)) {
            said.holds(at, terms.tru());
            let proc = self.source.locs[at].proc;
            let (Some(rows), Some(entry), Some(exit)) =
                (self.loops.get(&at), said.entry(&self.numbers, proc), said.inside(&self.numbers, proc))
            else {
                continue;
            };
            let seen = Seen { terms: &terms, entry: symbols(entry), exit: symbols(exit), rows };
            seen.ensures(&[]).into_iter().for_each(|guess| said.holds(at, guess));
        }
        for proc in self.numbers.called() {
            said.needs(proc, terms.tru());
            said.ensures(proc, terms.tru());
            let (Some(entry), Some(exit)) = (said.entry(&self.numbers, proc), said.exit(&self.numbers, proc))
            else {
                continue;
            };
            let seen =
                Seen { terms: &terms, entry: symbols(entry), exit: symbols(exit), rows: &self.rows[proc] };
            seen.needs().into_iter().for_each(|guess| said.needs(proc, guess));
            seen.ensures(mentioned).into_iter().for_each(|guess| said.ensures(proc, guess));
        }
        let guesses = said.proof();
        Ground::new(self.source, &guesses, options, budget)?.kept(budget)
    }

    /// A proof out of what holds together, if that is one.
    pub fn proof(
        &self,
        kept: &Procedures,
        arith: Arith,
        signed_wrap: bool,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Reason> {
        let is_proof = |proof: &Procedures| {
            let certificate = Certificate::new(arith, Proof::Procedures(proof.clone()));
            check(self.source, &certificate, signed_wrap, budget).is_ok().then_some(certificate)
        };
        let Some(mut proof) = is_proof(kept) else {
            budget.check()?;
            return Ok(None);
        };
        // Of all that holds a proof says what it needs: first as little as possible of entries.
        let mut least = kept.clone();
        for many in [16, 4, 1] {
            for at in chunks(least.invariants.len(), many) {
                let mut less = least.clone();
                less.invariants = without(&least.invariants, at, |invariant| invariant.location);
                if let Some(found) = is_proof(&less) {
                    (proof, least) = (found, less);
                }
            }
            for at in chunks(least.summaries.len(), many) {
                let mut less = least.clone();
                less.summaries = without(&least.summaries, at, |summary| summary.procedure);
                if let Some(found) = is_proof(&less) {
                    (proof, least) = (found, less);
                }
            }
        }
        Ok(Some(proof))
    }
}

/// Parts of a list, from the last to the first: what goes moves only what was looked at.
fn chunks(len: usize, many: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len.div_ceil(many)).rev().map(move |i| i * many..len.min((i + 1) * many))
}

/// The list without a part of it. The first formula of a place stays, which says nothing: to say less would be a claim.
fn without<T: Clone>(list: &[T], part: Range<usize>, place: impl Fn(&T) -> u32) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let stays = |(at, item): &(usize, &T)| seen.insert(place(item)) || !part.contains(at);
    list.iter().enumerate().filter(stays).map(|(_, item)| item.clone()).collect()
}

/// What was seen of one procedure.
struct Seen<'s> {
    terms: &'s Terms,
    entry: Vec<TermId>,
    exit: Vec<TermId>,
    rows: &'s BTreeSet<Row>,
}

/// A number that may be guessed about: how it is written, and its values.
type Column = (TermId, Vec<i128>);

impl Seen<'_> {
    fn number(&self, n: i128) -> TermId {
        self.terms.numeral(&Rat::from_ibig(n.into()), Sort::Int)
    }

    /// The first numbers of each row, those that are no truth values.
    fn columns(&self, rows: &[&Row], at_exit: bool) -> Vec<Column> {
        let symbols = if at_exit { &self.exit } else { &self.entry };
        let column = |(i, symbol): (usize, &TermId)| {
            let values = rows.iter().map(|(entry, exit)| if at_exit { exit[i] } else { entry[i] });
            (*symbol, values.collect())
        };
        let is_number = |(_, symbol): &(usize, &TermId)| self.terms.sort(**symbol) == Sort::Int;
        symbols.iter().enumerate().filter(is_number).take(NUMBERS).map(column).collect()
    }

    /// Bounds of entries, and of how two numbers there differ.
    fn needs(&self) -> Vec<TermId> {
        let terms = self.terms;
        let rows: Vec<_> = self.rows.iter().collect();
        let mut guesses = Vec::new();
        if rows.len() >= FEW {
            let columns = self.columns(&rows, false);
            columns.iter().for_each(|column| self.bounds(column, &mut guesses));
            columns.iter().for_each(|column| self.cases(column, &mut guesses));
            for (i, one) in columns.iter().enumerate() {
                for other in &columns[i + 1..] {
                    let less = one.1.iter().zip(&other.1).map(|(a, b)| a - b).collect();
                    self.bounds(&(terms.sub(one.0, other.0), less), &mut guesses);
                }
            }
        }
        guesses
    }

    /// Of all returns, and of those behind entries on one side of a border.
    fn ensures(&self, mentioned: &[i128]) -> Vec<TermId> {
        let terms = self.terms;
        let all: Vec<_> = self.rows.iter().collect();
        let mut guesses = self.facts(&all);
        if all.len() >= FEW {
            self.columns(&all, true).iter().for_each(|column| self.cases(column, &mut guesses));
        }
        let always: BTreeSet<TermId> = guesses.iter().copied().collect();
        let borders: Vec<i128> = [0, 1].into_iter().chain(mentioned.iter().copied().take(BORDERS)).collect();
        for (symbol, values) in self.columns(&all, false) {
            for border in &borders {
                for large in [true, false] {
                    let rows = all.iter().zip(&values).filter(|(_, v)| (**v >= *border) == large);
                    let rows: Vec<_> = rows.map(|(row, _)| *row).collect();
                    let side = terms.ge(symbol, self.number(*border));
                    let side = if large { side } else { terms.not(side) };
                    let facts = self.facts(&rows).into_iter().filter(|fact| !always.contains(fact));
                    guesses.extend(facts.map(|fact| terms.implies(side, fact)));
                }
            }
        }
        guesses
    }

    fn facts(&self, rows: &[&Row]) -> Vec<TermId> {
        let terms = self.terms;
        let mut guesses = Vec::new();
        if rows.len() < FEW {
            return guesses;
        }
        let (entry, exit) = (self.columns(rows, false), self.columns(rows, true));
        self.equations(&entry, &exit, &mut guesses);
        for (i, one) in exit.iter().enumerate() {
            self.sums(one, &entry, &mut guesses);
            self.bounds(one, &mut guesses);
            self.remainders(one, &mut guesses);
            for other in entry.iter().chain(&exit[i + 1..]) {
                let pairs = || one.1.iter().zip(&other.1);
                let less = (terms.sub(one.0, other.0), pairs().map(|(a, b)| a - b).collect());
                let more = (terms.add(one.0, other.0), pairs().map(|(a, b)| a + b).collect());
                self.bounds(&less, &mut guesses);
                self.bounds(&more, &mut guesses);
                self.remainders(&less, &mut guesses);
            }
        }
        guesses
    }

    /// That one is a sum or difference of two others, and a constant: one run may know only how these depend on each other.
    fn sums(&self, one: &Column, of: &[Column], guesses: &mut Vec<TermId>) {
        let terms = self.terms;
        for (i, a) in of.iter().enumerate() {
            for b in &of[i + 1..] {
                for (plus_a, plus_b) in [(true, true), (true, false), (false, true)] {
                    let sign = |plus: bool| if plus { 1 } else { -1 };
                    let value = |row: usize| one.1[row] - sign(plus_a) * a.1[row] - sign(plus_b) * b.1[row];
                    if (0..one.1.len()).all(|row| value(row) == value(0)) {
                        let scaled =
                            |column: &Column, plus| terms.scale(&Rat::from_ibig(sign(plus).into()), column.0);
                        let rest = terms.sub(terms.sub(one.0, scaled(a, plus_a)), scaled(b, plus_b));
                        guesses.push(terms.eq(rest, self.number(value(0))));
                    }
                }
            }
        }
    }

    fn bounds(&self, (term, values): &Column, guesses: &mut Vec<TermId>) {
        let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else { return };
        let terms = self.terms;
        guesses.push(terms.ge(*term, self.number(*low)));
        guesses.push(terms.le(*term, self.number(*high)));
        if *low > 0 {
            guesses.push(terms.ge(*term, self.number(0)));
        }
        if *high < 0 {
            guesses.push(terms.le(*term, self.number(0)));
        }
    }

    /// That a number takes few values, with others between them.
    fn cases(&self, (term, values): &Column, guesses: &mut Vec<TermId>) {
        let terms = self.terms;
        let cases: BTreeSet<i128> = values.iter().copied().collect();
        let (Some(low), Some(high)) = (cases.first(), cases.last()) else { return };
        if cases.len() <= CASES && high - low >= cases.len() as i128 {
            guesses.push(terms.or(cases.iter().map(|value| terms.eq(*term, self.number(*value)))));
        }
    }

    fn remainders(&self, (term, values): &Column, guesses: &mut Vec<TermId>) {
        let terms = self.terms;
        let constant = values.iter().all(|value| value == &values[0]);
        for divisor in DIVISORS.into_iter().filter(|_| !constant) {
            let left = |value: &i128| value.rem_euclid(divisor.into());
            if values.iter().all(|value| left(value) == left(&values[0])) {
                let remainder = terms.modulo(*term, terms.int(divisor));
                guesses.push(terms.eq(remainder, self.number(left(&values[0]))));
            }
        }
    }

    /// Linear equations that speak of the return.
    fn equations(&self, entry: &[Column], exit: &[Column], guesses: &mut Vec<TermId>) {
        let terms = self.terms;
        let rows = exit.first().map_or(0, |column| column.1.len());
        let rational =
            |values: &[i128]| values.iter().map(|n| Rat::from_ibig((*n).into())).collect::<Vec<_>>();
        let mut columns = vec![vec![Rat::ONE; rows]];
        columns.extend(entry.iter().chain(exit).map(|column| rational(&column.1)));
        let symbols: Vec<TermId> = entry.iter().chain(exit).map(|column| column.0).collect();
        if rows < columns.len() + 2 {
            return;
        }
        let columns: Vec<&[Rat]> = columns.iter().map(Vec::as_slice).collect();
        for weights in kernel(&columns) {
            if weights[1 + entry.len()..].iter().all(Rat::is_zero) {
                continue;
            }
            let mut sum = Linear::constant(weights[0].clone());
            for (symbol, weight) in symbols.iter().zip(&weights[1..]) {
                sum = sum.plus(weight, &Linear::monomial(*symbol));
            }
            guesses.push(terms.eq_zero(&sum.scaled(&sum.content_inverse()), Sort::Int));
        }
    }
}
