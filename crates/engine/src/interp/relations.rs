//! Candidates for S that runs show (DATA): equations between numbers.
//!
//! Where explanations of paths count on (`s <= 1`, `s <= 3`, `s <= 6`), the relation that would stop them is often an equation, and a few rounds of the loop show it. So the program is run, block by block: the
//! solver chooses a way through a block from the state at hand, and what the block computes is the next state. The equations that all states at a loop head satisfy are the kernel
//! of a matrix with a row for each state and a column for each monomial: numbers, and products of two where the program multiplies. Each is a candidate as what paths
//! said is: [`super::cycle`] asks whether it is inductive. No run proves anything.
//!
//! Bounds of numbers and of their differences that runs show were tried as well and taken back: they decided nothing more.
//!
//! As predicates they would be dear: each is one that every abstract state has to decide. Here they cost one question each, and most are gone after it.

use super::safety::Safety;
use crate::discrete::Discrete;
use crate::workbench::Workbench;
use craig_cfa::{BlockGraph, BlockId, LocId};
use craig_logic::{Evaluator, Linear, Op, Rat, Sort, TermId, Value, kernel};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Runs, and blocks of each. Not tuned.
const RUNS: usize = 4;
const STEPS: usize = 30;
/// A head was seen often enough with so many states more than equations have unknowns.
const SPARE: usize = 4;
/// Programs with more blocks are not run: what they do in so few steps says little of them.
const MOST_BLOCKS: usize = 100;
/// Numbers at a head between which equations are looked for, and numbers of which products count.
const NUMBERS: usize = 14;
const FACTORS: usize = 6;
/// Numbers that are left open are wished for from so many, and so many of a block.
const WISHES: (u64, usize) = (32, 8);

/// The values of slots that are known.
type State = FxHashMap<u32, Value>;

/// Pseudo-random numbers, the same in every run of the engine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

impl Safety {
    /// Runs the program and takes down the equations that hold at its loop heads.
    pub fn sample(&mut self, bench: &mut Workbench<'_>, discrete: &Discrete) -> Result<(), Reason> {
        let graph = Arc::clone(&bench.graph);
        if graph.blocks().len() > MOST_BLOCKS {
            return Ok(());
        }
        let numbers = numbers(bench, &graph, discrete)?;
        if numbers.is_empty() {
            return Ok(());
        }
        let heads: BTreeSet<LocId> = graph.loop_heads().collect();
        let with_products = multiplies(bench, &graph)?;
        let factors = if with_products { numbers.len().min(FACTORS) } else { 0 };
        let enough = 1 + numbers.len() + factors * (factors + 1) / 2 + SPARE;
        let mut seen: BTreeMap<LocId, BTreeSet<Vec<Rat>>> = BTreeMap::new();
        let mut chance = Chance(1);
        for _ in 0..RUNS {
            let is_known = |head| seen.get(head).is_some_and(|rows: &BTreeSet<_>| rows.len() >= enough);
            if heads.iter().all(is_known) {
                break;
            }
            self.run(bench, &graph, &mut chance, |loc, state| {
                let number = |slot: &u32| state.get(slot).and_then(Value::as_num).cloned();
                if heads.contains(&loc)
                    && let Some(row) = numbers.iter().map(number).collect()
                {
                    seen.entry(loc).or_default().insert(row);
                }
            })?;
        }
        for (loc, rows) in seen {
            let symbols: Vec<TermId> = numbers.iter().map(|s| bench.slots.symbols[*s as usize]).collect();
            let rows: Vec<Vec<Rat>> = rows.into_iter().collect();
            self.note(&bench.terms, loc, &equations(bench, &symbols, &rows, with_products));
        }
        Ok(())
    }

    /// One run; `arrive` gets every location with the state there.
    fn run(
        &mut self,
        bench: &mut Workbench<'_>,
        graph: &BlockGraph,
        chance: &mut Chance,
        mut arrive: impl FnMut(LocId, &State),
    ) -> Result<(), Reason> {
        let (mut at, mut state) = (bench.entry(), State::default());
        let mut taken: FxHashMap<BlockId, usize> = FxHashMap::default();
        for _ in 0..STEPS {
            if !self.steps.may_go_on(bench) {
                break;
            }
            let mut blocks: Vec<BlockId> = graph.leaving(at).to_vec();
            // Rather around a loop again than out of it.
            let before = graph.before(at);
            blocks.retain(|b| graph.block(*b).to != bench.program().error);
            blocks.sort_by_key(|b| {
                let around = before.contains(&graph.block(*b).to);
                taken.get(b).copied().unwrap_or(0) * if around { 1 } else { 4 } + usize::from(!around)
            });
            let mut next = None;
            for block in blocks {
                if let Some(found) = self.pass(bench, block, &state, chance)? {
                    next = Some((block, found));
                    break;
                }
            }
            let Some((block, found)) = next else { break };
            *taken.entry(block).or_default() += 1;
            (at, state) = (graph.block(block).to, found);
            arrive(at, &state);
        }
        Ok(())
    }

    /// A state behind a block that starts in this one; numbers that are open are chosen by chance where that is possible.
    fn pass(
        &mut self,
        bench: &mut Workbench<'_>,
        block: BlockId,
        state: &State,
        chance: &mut Chance,
    ) -> Result<Option<State>, Reason> {
        let (terms, slots) = (Rc::clone(&bench.terms), Rc::clone(&bench.slots));
        let formula = bench.formula(block)?;
        let fixed = |slot: &u32| {
            let symbol = slots.symbols[*slot as usize];
            Some(terms.eq(symbol, state.get(slot)?.to_term(&terms, terms.sort(symbol))))
        };
        let premises: Vec<TermId> = formula.speaks_of.iter().filter_map(fixed).collect();
        let mut roots = formula.constraints.clone();
        roots.extend(formula.changed.iter().map(|c| c.1));
        let symbols = terms.symbols_of_all(&roots).into_iter().map(|s| terms.symbol_term(s));
        let open = symbols.filter(|s| slots.is_local(*s) && terms.sort(*s) == Sort::Int);
        let wishes: Vec<TermId> = open
            .take(WISHES.1)
            .map(|symbol| {
                let few = if chance.below(2) == 0 { 2 } else { WISHES.0 };
                terms.eq(symbol, terms.int(chance.below(few) as i64))
            })
            .collect();
        let Some(model) = self.steps.model(bench, &premises, block, wishes)? else { return Ok(None) };
        let mut values = Evaluator::new(&terms, &model);
        let mut after = state.clone();
        let is_kept = |slot: u32| !matches!(terms.sort(slots.symbols[slot as usize]), Sort::Array(_));
        for slot in &formula.speaks_of {
            if is_kept(*slot) && !state.contains_key(slot) {
                after.insert(*slot, values.eval(slots.symbols[*slot as usize]));
            }
        }
        for (slot, term) in &formula.changed {
            if is_kept(*slot) {
                after.insert(*slot, values.eval(*term));
            }
        }
        Ok(Some(after))
    }
}

/// The slots that count: integers that blocks behind the first ones speak of, and that do not only take few values. None if no block makes a new value of one from what it was: equations then
/// say nothing that paths do not say.
fn numbers(bench: &mut Workbench<'_>, graph: &BlockGraph, discrete: &Discrete) -> Result<Vec<u32>, Reason> {
    let few: FxHashSet<u32> = discrete.slots().collect();
    let (mut found, mut counts) = (BTreeSet::new(), false);
    for (block, b) in graph.blocks().iter_enumerated() {
        if b.from == bench.entry() {
            continue;
        }
        let formula = bench.formula(block)?;
        found.extend(formula.speaks_of.iter().copied().filter(|s| !few.contains(s)));
        counts = counts
            || formula.changed.iter().any(|(slot, term)| {
                !few.contains(slot) && bench.slots.of(&bench.terms, &[*term]).contains(slot)
            });
    }
    if !counts {
        return Ok(Vec::new());
    }
    let is_int = |slot: &u32| bench.terms.sort(bench.slots.symbols[*slot as usize]) == Sort::Int;
    Ok(found.into_iter().filter(is_int).take(NUMBERS).collect())
}

/// Whether some block multiplies what it does not know.
fn multiplies(bench: &mut Workbench<'_>, graph: &BlockGraph) -> Result<bool, Reason> {
    for block in graph.blocks().indices() {
        let formula = bench.formula(block)?;
        let mut roots = formula.constraints.clone();
        roots.extend(formula.changed.iter().map(|c| c.1));
        if bench.terms.postorder(&roots).iter().any(|t| bench.terms.op(*t) == Op::Mul) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The equations between numbers that hold in all rows, if there are enough rows to show them.
fn equations(
    bench: &Workbench<'_>,
    symbols: &[TermId],
    rows: &[Vec<Rat>],
    with_products: bool,
) -> Vec<TermId> {
    let terms = &bench.terms;
    let one = terms.int(1);
    let mut columns: Vec<(TermId, Vec<Rat>)> = vec![(one, vec![Rat::ONE; rows.len()])];
    let column = |i: usize| rows.iter().map(|row| row[i].clone()).collect::<Vec<Rat>>();
    columns.extend(symbols.iter().enumerate().map(|(i, s)| (*s, column(i))));
    if with_products {
        let moving: Vec<usize> =
            (0..symbols.len()).filter(|i| rows.iter().any(|r| r[*i] != rows[0][*i])).collect();
        for (n, i) in moving.iter().enumerate().take(FACTORS) {
            for j in &moving[..=n] {
                let product = rows.iter().map(|row| &row[*i] * &row[*j]).collect();
                columns.push((terms.mul(symbols[*i], symbols[*j]), product));
            }
        }
    }
    if rows.len() <= columns.len() {
        columns.truncate(symbols.len() + 1);
    }
    if rows.len() <= columns.len() {
        return Vec::new();
    }
    let values: Vec<&[Rat]> = columns.iter().map(|(_, values)| &values[..]).collect();
    let equation = |weights: Vec<Rat>| {
        let mut sum = Linear::default();
        for ((monomial, _), weight) in columns.iter().zip(&weights) {
            match *monomial == one {
                true => sum.constant = weight.clone(),
                false => sum = sum.plus(weight, &Linear::monomial(*monomial)),
            }
        }
        terms.eq_zero(&sum.scaled(&sum.content_inverse()), Sort::Int)
    };
    kernel(&values).into_iter().map(equation).collect()
}
