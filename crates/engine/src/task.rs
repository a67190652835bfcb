//! What an engine is asked about: a program, made ready once and shared by all who work on it.

use crate::facts::Facts;
use crate::relations::Relations;
use craig_base::{Budget, Stop};
use craig_cfa::pass::{Guard, PrepareOptions, Prepared, guard, prepare};
use craig_cfa::{BlockGraph, Blocks, Choice, Name, Op, Program};
use craig_encode::Layout;
use craig_encode::memory::outside::Give;
use craig_encode::memory::{AddressMap, Seen, settle};
use craig_verdict::Reason;
use craig_verdict::certificate::Procedures;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A program to decide about. It belongs to no thread.
#[derive(Debug)]
pub struct Task {
    /// As the front end made it.
    pub plain: Arc<Program>,
    /// The same with the operations that are taken to be defined, and with contracts in place of recursive calls if that is asked for: what all here is about.
    pub source: Arc<Program>,
    pub guards: BTreeSet<Guard>,
    /// As engines work on it, with the way back.
    pub prepared: Prepared,
    /// Where the values of the prepared program live. It does not depend on the arithmetic.
    pub layout: Layout,
    /// Signed overflow wraps around.
    pub signed_wrap: bool,
    /// Executions are looked for, in which the environment gives objects. Proofs mean nothing.
    pub hunting: Option<Give>,
    /// Without what is not modelled. Proofs mean nothing.
    pub modelled: bool,
    /// What the source program can tell of addresses.
    seen: Arc<Seen>,
    graphs: Mutex<Vec<(Blocks, Arc<BlockGraph>)>>,
    /// What those who work on it tell each other.
    pub facts: Arc<Facts>,
    /// What stands in place of recursive calls.
    pub relations: Option<Relations>,
    /// What runs show of procedures, once somebody asked.
    pub(crate) contracts: Mutex<Option<Arc<Procedures>>>,
    /// The same task with other guards.
    guarded: Mutex<Vec<(Option<Give>, Arc<Task>)>>,
}

/// What is made of a program.
struct Kind {
    signed_wrap: bool,
    modelled: bool,
    hunting: Option<Give>,
    relations: Option<Relations>,
}

impl Task {
    pub fn new(
        source: Arc<Program>,
        signed_wrap: bool,
        options: &PrepareOptions,
        budget: &Budget,
    ) -> Result<Task, Reason> {
        let seen = Arc::new(Seen::new(&source, budget)?);
        let plain = Arc::clone(&source);
        let kind = Kind { signed_wrap, modelled: false, hunting: None, relations: None };
        Task::of((plain, BTreeSet::new()), source, seen, kind, options, budget)
    }

    /// The same with contracts in place of recursive calls.
    pub fn related(
        &self,
        contracts: Arc<Procedures>,
        options: &PrepareOptions,
        budget: &Budget,
    ) -> Result<Task, Reason> {
        let (source, relations) = Relations::of(&self.source, contracts)?;
        let seen = Arc::new(Seen::new(&source, budget)?);
        let of = (Arc::clone(&self.plain), self.guards.clone());
        let signed_wrap = self.signed_wrap;
        let kind = Kind { signed_wrap, modelled: false, hunting: None, relations: Some(relations) };
        Task::of(of, source, seen, kind, options, budget)
    }

    /// The same where these operations are taken to be defined. Each is made once. `hunting`: with objects that the environment gives ([`craig_encode::memory::outside`]), as far
    /// as there are any; that is for executions, and proofs mean nothing.
    pub fn guarded(
        &self,
        guards: &BTreeSet<Guard>,
        hunting: Option<Give>,
        options: &PrepareOptions,
        budget: &Budget,
    ) -> Result<Arc<Task>, Reason> {
        let _at_once = budget.out_of_turn();
        let mut known = self.guarded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = known
            .iter()
            .find(|(hunts, task)| *hunts == hunting && task.guards == *guards)
            .map(|(_, task)| task)
        {
            return Ok(Arc::clone(task));
        }
        let plain = Arc::clone(&self.plain);
        let mut relations = self.relations.clone();
        let (source, seen) = if guards.is_empty() && relations.is_none() {
            (Arc::clone(&plain), Arc::clone(&self.seen))
        } else {
            let mut source = Arc::new(guard(&plain, guards, budget)?);
            if let Some(relations) = &mut relations {
                (source, *relations) = Relations::of(&source, Arc::clone(&relations.contracts))?;
            }
            let seen = Arc::new(Seen::new(&source, budget)?);
            (source, seen)
        };
        let of = (plain, guards.clone());
        // To what is not modelled no execution comes.
        let modelled = self.modelled || hunting.is_some();
        let kind = Kind { signed_wrap: self.signed_wrap, modelled, hunting, relations };
        let task = Arc::new(Task::of(of, source, seen, kind, options, budget)?);
        known.push((hunting, Arc::clone(&task)));
        Ok(task)
    }

    /// The same with other passes.
    pub fn prepared_with(&self, options: &PrepareOptions, budget: &Budget) -> Result<Task, Reason> {
        self.again(false, options, budget)
    }

    /// The same without what is not modelled, and without calls that are not followed: no path leads there. Executions of it are executions of the source; proofs mean nothing.
    pub fn modelled(&self, options: &PrepareOptions, budget: &Budget) -> Result<Task, Reason> {
        self.again(true, options, budget)
    }

    fn again(&self, modelled: bool, options: &PrepareOptions, budget: &Budget) -> Result<Task, Reason> {
        let (source, seen) = (Arc::clone(&self.source), Arc::clone(&self.seen));
        let of = (Arc::clone(&self.plain), self.guards.clone());
        let (signed_wrap, relations) = (self.signed_wrap, self.relations.clone());
        let kind = Kind { signed_wrap, modelled, hunting: None, relations };
        Task::of(of, source, seen, kind, options, budget)
    }

    fn of(
        (plain, guards): (Arc<Program>, BTreeSet<Guard>),
        source: Arc<Program>,
        seen: Arc<Seen>,
        Kind { signed_wrap, modelled, hunting, relations }: Kind,
        options: &PrepareOptions,
        budget: &Budget,
    ) -> Result<Task, Reason> {
        // Before calls are inlined: where a call through a pointer surely goes to no function of another type, nothing leads to the error.
        let mut changed = settle(&source, &seen);
        if modelled {
            let program = changed.get_or_insert_with(|| Program::clone(&source));
            program.edges.retain(|edge| !matches!(edge.op, Op::Unsupported(_)));
        }
        let mut prepared = prepare(changed.as_ref().unwrap_or(&source), options, budget)?;
        if modelled {
            prepared.program.edges.retain(|edge| !matches!(edge.op, Op::Deeper(_)));
        }
        if let Some(too_large) = prepared.too_large {
            return Err(Reason::InlineLimit { operations: too_large.ops, limit: too_large.limit });
        }
        let mut layout = Layout::new(&prepared.program, &seen, &AddressMap::default(), budget)?;
        let hunting = match hunting {
            Some(give) if layout.give_outside(&prepared.program, &seen, give, budget)? => Some(give),
            _ => None,
        };
        Ok(Task {
            plain,
            guards,
            source,
            prepared,
            layout,
            signed_wrap,
            hunting,
            modelled,
            seen,
            graphs: Mutex::default(),
            facts: Arc::default(),
            relations,
            contracts: Mutex::default(),
            guarded: Mutex::default(),
        })
    }

    /// The program that engines work on.
    pub fn program(&self) -> &Program {
        &self.prepared.program
    }

    /// Its graph of blocks of a kind. Each is made once.
    pub fn graph(&self, kind: Blocks, budget: &Budget) -> Result<Arc<BlockGraph>, Stop> {
        let mut graphs = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = graphs.iter().find(|(k, _)| *k == kind) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(BlockGraph::new(self.program(), kind, budget)?);
        graphs.push((kind, Arc::clone(&made)));
        Ok(made)
    }

    /// Functions without body whose result the prepared program uses.
    pub fn externs(&self) -> BTreeSet<Name> {
        let name = |(op, _): (&Op, _)| match op {
            Op::Havoc(_, Choice::Extern(name)) => Some(name.clone()),
            _ => None,
        };
        self.program().ops().filter_map(name).collect()
    }

    /// Does it have recursive procedures, as they are?
    pub fn is_recursive(&self) -> bool {
        !self.prepared.kept_calls.is_empty()
    }

    /// Nothing leads to the error.
    pub fn is_vacuous(&self) -> bool {
        let program = self.program();
        program.edges.iter().all(|edge| edge.to != program.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Task>();
    }
}
