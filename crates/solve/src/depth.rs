//! The tasks that engines work on, one after the other: the program as it is, or, if it is recursive, unfolded deeper and deeper.
//!
//! An engine that meets a call which its task does not follow says so, and goes on with the next task, in which it is followed
//! (`cfa::pass::Unfolding`). All engines share the tasks: who comes first to the end of one says which calls runs make.
//!
//! Beside these stands the program with contracts in place of its recursive calls (`craig_engine::relations`), if they can stand for them. It is made when somebody asks.

use craig_base::Budget;
use craig_cfa::pass::{PrepareOptions, Unfolding};
use craig_cfa::{EdgeId, Program};
use craig_engine::{Task, relations};
use craig_verdict::Reason;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A task, and others that differ from it in what passes leave.
#[derive(Debug)]
pub struct Stage {
    pub task: Arc<Task>,
    pub prepare: PrepareOptions,
    whole: OnceLock<Result<Arc<Task>, Reason>>,
    modelled: OnceLock<Result<Arc<Task>, Reason>>,
}

impl Stage {
    fn new(task: Task, prepare: PrepareOptions) -> Stage {
        Stage { task: Arc::new(task), prepare, whole: OnceLock::new(), modelled: OnceLock::new() }
    }

    /// The same with nothing left out but calls.
    pub fn whole(&self, budget: &Budget) -> Option<&Arc<Task>> {
        let make = || self.task.prepared_with(&self.prepare.whole(), budget).map(Arc::new);
        self.whole.get_or_init(make).as_ref().ok()
    }

    /// The same without what is not modelled.
    pub fn modelled(&self, budget: &Budget) -> Option<&Arc<Task>> {
        let make = || self.task.modelled(&self.prepare, budget).map(Arc::new);
        self.modelled.get_or_init(make).as_ref().ok()
    }
}

#[derive(Debug)]
pub struct Depths {
    /// Recursive procedures are procedures.
    plain: Arc<Stage>,
    /// Recursion unfolded, deeper and deeper; none if there is no recursion.
    unfolded: Mutex<Vec<Arc<Stage>>>,
    /// Recursive calls are what contracts say of them.
    related: Mutex<Option<Arc<Stage>>>,
    /// Can they be?
    has_contracts: bool,
}

impl Depths {
    pub fn new(
        source: Arc<Program>,
        signed_wrap: bool,
        prepare: &PrepareOptions,
        budget: &Budget,
    ) -> Result<Depths, Reason> {
        let task = Task::new(source, signed_wrap, prepare, budget)?;
        let mut unfolded = Vec::new();
        if task.is_recursive() {
            let prepare = prepare.unfolded(Unfolding::first());
            unfolded.push(Arc::new(Stage::new(task.prepared_with(&prepare, budget)?, prepare)));
        }
        Ok(Depths {
            has_contracts: relations::possible(&task),
            plain: Arc::new(Stage::new(task, prepare.clone())),
            unfolded: Mutex::new(unfolded),
            related: Mutex::default(),
        })
    }

    /// Can contracts stand for recursive calls?
    pub fn has_contracts(&self) -> bool {
        self.has_contracts
    }

    /// The program with contracts in place of its recursive calls.
    pub fn related(&self, budget: &Budget) -> Result<Arc<Stage>, Reason> {
        // Who waits for the others' turn here keeps them waiting for the lock.
        let _at_once = budget.out_of_turn();
        let mut known = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let Stage { task, prepare, .. } = &*self.plain;
        let made = Arc::new(Stage::new(relations::task(task, prepare, budget)?, prepare.clone()));
        *known = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The program with its procedures.
    pub fn plain(&self) -> &Arc<Stage> {
        &self.plain
    }

    /// Where engines begin that work on programs without calls.
    pub fn first(&self) -> Arc<Stage> {
        Arc::clone(self.lock().first().unwrap_or(&self.plain))
    }

    /// The stage behind the one of this number. `made`: calls that runs make beyond that one. None if the limit leaves no room.
    pub fn deeper(
        &self,
        number: usize,
        made: &[Vec<EdgeId>],
        budget: &Budget,
    ) -> Result<Option<Arc<Stage>>, Reason> {
        // Who waits for the others' turn here keeps them waiting for the lock.
        let _at_once = budget.out_of_turn();
        let mut stages = self.lock();
        if let Some(known) = stages.get(number + 1) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(last) = stages.get(number) else { return Ok(None) };
        let made: BTreeSet<Vec<EdgeId>> = made.iter().cloned().collect();
        let limit = last.prepare.inline_limit.unwrap_or(0);
        let Some(unfolding) = Unfolding::deeper(&last.task.prepared.unfolded, &made, limit) else {
            return Ok(None);
        };
        let prepare = last.prepare.unfolded(unfolding);
        let stage = Arc::new(Stage::new(last.task.prepared_with(&prepare, budget)?, prepare));
        stages.push(Arc::clone(&stage));
        Ok(Some(stage))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Stage>>> {
        self.unfolded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
