//! Lazy predicate abstraction on an abstract reachability tree (LBE; BLAST's algorithm with single blocks and Cartesian abstraction): the search.
//! The tree and its invariants: [`crate::lazy`].

use crate::arg::SearchOrder;
use crate::lazy::{Successor, Tree};
use crate::options::RefinementOptions;
use crate::precision::Scope;
use crate::refine::{Examined, Parts};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::weights::Weights;
use clap::Args;
use craig_encode::Arith;
use craig_verdict::Outcome;

pub use crate::options::Abstraction as Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub refinement: RefinementOptions,

    /// What abstract states are: conjunctions of predicates, all Boolean combinations, or the states of the program itself
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub abstraction: Kind,

    /// Where a predicate counts once it is found
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub precision: Scope,

    /// Which abstract state goes first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: SearchOrder,
}

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let parts = Parts::new(task, arith, &options.refinement, control.budget)?;
    let tree = Tree::new(parts, options.abstraction, options.precision, options.order)?;
    let weights = Weights::by(options.order, &tree.bench);
    control.run(Engine { tree, weights })
}

struct Engine<'t> {
    tree: Tree<'t>,
    weights: Weights,
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let Engine { tree, weights } = self;
        while let Some((parent, block)) = weights.next(&mut tree.open, |(_, block)| Some(*block)) {
            tree.bench.budget.check_memory()?;
            if !tree.is_due(parent)? {
                continue;
            }
            let Successor::Node(node) = tree.successor(parent, block)? else { continue };
            if tree.art.node(node).loc != tree.program().error {
                continue;
            }
            tree.progress(observer);
            loop {
                match tree.examine(node)? {
                    (_, Examined::Execution(found)) => return Ok(Outcome::Unsafe(found)),
                    (nodes, Examined::Infeasible(path, conflict)) => {
                        if tree.refine(&nodes, &path, &conflict, observer)?.is_some() {
                            weights.update(&tree.bench.graph, &path, &conflict, &[], |_| false);
                            break;
                        }
                    }
                }
            }
        }
        let never = tree.bench.terms.fls();
        tree.certificate(|_| never).map(Outcome::Safe)
    }

    fn report(&self, stats: &mut Stats) {
        self.tree.report(stats);
    }
}
