//! The graph of blocks as Horn clauses, for Z3's engine Spacer: a reference for the engines of our own. Of recursive programs: [`procedures`].
//!
//! A relation for each location has the states of runs there; a block is a rule. Whether the error has a fact is asked once, of the whole program (`SPACER`). Formulas for the relations are a proof like any
//! other, to be checked; a derivation names the locations of a run, which is then looked for along them. With `--guidance`, Spacer also generalises from clusters of lemmas (`GSPACER`).
//!
//! The arguments of a relation are the slots of the state that some way on needs, and the addresses that nobody knows. Functions that are not interpreted may differ from step to step: a
//! derivation may then be none of the program, and the answer is open.

mod procedures;

use crate::certificate;
use crate::counterexample;
use crate::formulas::Formula;
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::workbench::Workbench;
use clap::Args;
use craig_cfa::{BlockId, Blocks, LocId};
use craig_encode::Arith;
use craig_logic::TermId;
use craig_smt::Undecided;
use craig_smt::horn::{self, Clauses, Rule, Solved, Unsolved};
use craig_verdict::{Outcome, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    /// Let Spacer generalise from clusters of lemmas, too
    #[arg(long)]
    pub guidance: bool,
}

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    if task.is_recursive() {
        return control.run(procedures::Question::new(task, arith, options.guidance, control.budget));
    }
    let bench = Workbench::new(task, arith, Blocks::default(), control.budget)?;
    control.run(Question { bench, guidance: options.guidance })
}

/// A block: from where, to where, what it does.
type Step = (LocId, LocId, Rc<Formula>);

struct Question<'t> {
    bench: Workbench<'t>,
    guidance: bool,
}

impl Search for Question<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        self.bench.progress(observer, "one question".into());
        let (locs, clauses) = self.clauses()?;
        match horn::solve(&self.bench.smt, &clauses, self.guidance) {
            Ok(Solved::Empty(formulas)) => {
                let known: FxHashMap<LocId, TermId> = locs.into_iter().zip(formulas).collect();
                certificate::at_heads(&self.bench, |loc| Ok(known[&loc])).map(Outcome::Safe)
            }
            Ok(Solved::Derived(run)) => {
                let mut run: Vec<LocId> = run.into_iter().map(|relation| locs[relation]).collect();
                // That runs begin at the entry is a fact that Spacer puts into other rules.
                if run.first() != Some(&self.bench.entry()) {
                    run.insert(0, self.bench.entry());
                }
                let steps = run.windows(2).map(|step| self.between(step[0], step[1]));
                let found = match steps.collect::<Option<Vec<_>>>() {
                    Some(blocks) if run.last() == Some(&self.bench.program().error) => {
                        counterexample::along(&mut self.bench, blocks)?
                    }
                    _ => None,
                };
                found.map(Outcome::Unsafe).ok_or_else(|| gave_up("a derivation that is no run"))
            }
            Err(Unsolved::Undecided(why)) => Err(why.into()),
            Err(Unsolved::Unreadable(words)) => Err(gave_up(&words)),
        }
    }

    fn report(&self, stats: &mut Stats) {
        self.bench.report(stats);
    }
}

fn gave_up(words: &str) -> Reason {
    Reason::Solver(Undecided::Incomplete(words.into()))
}

impl Question<'_> {
    /// The one block that leads from a location to another.
    fn between(&self, from: LocId, to: LocId) -> Option<BlockId> {
        let graph = &self.bench.graph;
        graph.leaving(from).iter().copied().find(|block| graph.block(*block).to == to)
    }

    /// The locations, and the clauses whose relations they are.
    fn clauses(&mut self) -> Result<(Vec<LocId>, Clauses), Reason> {
        let (entry, error) = (self.bench.entry(), self.bench.program().error);
        let graph = std::sync::Arc::clone(&self.bench.graph);
        let mut locs = vec![entry];
        let mut numbers = FxHashMap::from_iter([(entry, 0)]);
        let mut blocks = Vec::new();
        let mut next = 0;
        while let Some(loc) = locs.get(next).copied() {
            next += 1;
            for (block, formula) in self.bench.formulas(graph.leaving(loc).iter().copied())? {
                let to = graph.block(block).to;
                numbers.entry(to).or_insert_with(|| {
                    locs.push(to);
                    locs.len() - 1
                });
                blocks.push((loc, to, formula));
            }
        }
        // Nothing reaches an error that is not there: it has a relation all the same.
        let query = *numbers.entry(error).or_insert_with(|| {
            locs.push(error);
            locs.len() - 1
        });
        let needs = self.needs(&blocks);
        let (terms, slots) = (Rc::clone(&self.bench.terms), Rc::clone(&self.bench.slots));
        let ranges = self.bench.ranges();
        let addresses = self.bench.encoder.sites().to_vec();
        let arguments = |loc: &LocId, value: &dyn Fn(u32) -> TermId| -> Vec<TermId> {
            if *loc == entry || *loc == error {
                return Vec::new();
            }
            let mut needed: Vec<u32> = needs.get(loc).into_iter().flatten().copied().collect();
            needed.sort_unstable();
            needed.into_iter().map(value).chain(addresses.iter().copied()).collect()
        };
        let symbol = |slot: u32| slots.symbols[slot as usize];
        let rule = |(from, to, formula): &Step| {
            let mut constraints = formula.constraints.clone();
            let known = needs.get(from).filter(|_| *from != entry).into_iter().flatten();
            constraints.extend(known.filter_map(|slot| ranges[*slot as usize]));
            Rule {
                from: vec![(numbers[from], arguments(from, &symbol))],
                formula: terms.and(constraints),
                to: (numbers[to], arguments(to, &|slot| formula.after(slot).unwrap_or(symbol(slot)))),
            }
        };
        let mut rules =
            vec![Rule { from: Vec::new(), formula: terms.tru(), to: (numbers[&entry], Vec::new()) }];
        rules.extend(blocks.iter().map(rule));
        let relations = locs.iter().map(|loc| arguments(loc, &symbol)).collect();
        Ok((locs, Clauses { relations, rules, query }))
    }

    /// For each location the slots that some way on needs.
    fn needs(&self, blocks: &[Step]) -> FxHashMap<LocId, FxHashSet<u32>> {
        let mut needs: FxHashMap<LocId, FxHashSet<u32>> = FxHashMap::default();
        let none = FxHashSet::default();
        loop {
            let mut grew = false;
            for (from, to, formula) in blocks.iter().rev() {
                let behind = needs.get(to).unwrap_or(&none);
                let needed = formula.needs(&self.bench.terms, &self.bench.slots, behind);
                let here = needs.entry(*from).or_default();
                let before = here.len();
                here.extend(needed);
                grew |= here.len() > before;
            }
            if !grew {
                return needs;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Silent};
    use craig_base::Budget;
    use craig_cfa::pass::PrepareOptions;
    use craig_frontend::{Reading, boogie};
    use std::sync::Arc;

    #[test]
    fn proofs_and_runs_by_way_of_horn_clauses() {
        let loops = "var i, j: int; i := 0; j := 0; while (i < 10) { i := i + 1; j := j + 2; }";
        let budget = Budget::unlimited();
        for (claim, holds) in [("j == 20", true), ("j == 18", false)] {
            let text = format!("procedure main() {{ {loops} assert {claim}; }}");
            let loaded =
                boogie::load_text("test.bpl", &text, &Reading::default(), &budget).expect("a program");
            let task = Task::new(Arc::new(loaded.program), false, &PrepareOptions::default(), &budget);
            let task = task.expect("no limit");
            for guidance in [false, true] {
                let mut silent = Silent;
                let mut control = Control::new(&budget, &mut silent);
                let found = Engine::Spacer(Options { guidance }).run(&task, Arith::Int, &mut control);
                assert_eq!(matches!(found, Outcome::Safe(_)), holds, "{found:?}");
                assert_eq!(matches!(found, Outcome::Unsafe(_)), !holds, "{found:?}");
            }
        }
    }
}
