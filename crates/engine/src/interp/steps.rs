//! Questions about one block: does what holds before it lead to what is wanted behind it, and what of it is needed for that?
//!
//! They go to a solver of their own, which S and E share. What a solver was asked before changes its later answers, as models and cores, and the time they take; so the search for R stays what it is
//! without S and E as long as these have nothing to say. How much may be spent here is a share of the work of that search.

use crate::formulas::{Formula, Plain, Sessions, Wanted};
use crate::workbench::Workbench;
use craig_cfa::BlockId;
use craig_logic::{Model, TermId};
use craig_smt::{Session, Smt, SolverStats, Status};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Work for a question, a few hundredths of a second. One that takes more has the answer that is always right: no.
const WORK: u32 = 200_000;
/// What it costs to tell a solver a node of a formula, which it does not count as work: of the long formulas of protocols that is most.
const TOLD: u64 = 24;

/// Why a goal holds behind a block.
#[derive(Debug)]
pub struct Needed {
    /// The premises that it takes.
    pub premises: Vec<TermId>,
    /// Without the goal they keep everything from passing the block.
    pub infeasible: bool,
}

/// What a goal behind a block is to what holds before it.
#[derive(Debug)]
pub enum Step {
    Holds,
    /// A state before the block from which it leads elsewhere, and what it does.
    Violated(Model),
    TooMuchWork,
}

/// The solver for such questions: made with the first, since most programs have none.
#[derive(Debug, Clone, Default)]
pub struct Beside(Rc<RefCell<Option<Solver>>>);

impl Beside {
    pub fn stats(&self) -> SolverStats {
        self.0.borrow().as_ref().map(|s| s.smt.stats()).unwrap_or_default()
    }
}

#[derive(Debug)]
pub struct Steps {
    /// One part in so many of the work of the search may be spent, and so much in any case.
    share: u64,
    free: u64,
    solver: Beside,
    /// Something came of it: until then half as much may be spent.
    useful: bool,
    /// Work of the solver.
    spent: u64,
    /// Blocks that it was told of.
    told: FxHashSet<BlockId>,
    /// Nodes of all formulas that it was told.
    nodes: u64,
    /// What was answered with no; what is true stays true, but is asked for once only.
    refused: FxHashSet<(Option<BlockId>, TermId, TermId)>,
    /// Formulas behind a block, as formulas over the state before it.
    before: FxHashMap<(BlockId, TermId), TermId>,
}

#[derive(Debug)]
struct Solver {
    smt: Smt,
    sessions: Sessions,
    /// For questions without a block.
    plain: Plain,
}

impl Solver {
    fn new(bench: &Workbench<'_>) -> Result<Self, Reason> {
        let smt = Smt::new(Rc::clone(&bench.terms), bench.budget.clone());
        let smt = smt.map_err(|e| Reason::Internal(e.to_string()))?;
        Ok(Solver { sessions: Sessions::beside(bench, &smt), plain: Plain::new(&smt), smt })
    }
}

impl Steps {
    pub fn new(solver: &Beside, share: u64, free: u64) -> Self {
        Steps {
            share,
            free,
            solver: solver.clone(),
            useful: false,
            spent: 0,
            told: FxHashSet::default(),
            nodes: 0,
            refused: FxHashSet::default(),
            before: FxHashMap::default(),
        }
    }

    /// Asks the solver something, and counts what that takes.
    fn ask<T>(&mut self, bench: &Workbench<'_>, ask: impl FnOnce(&mut Solver) -> T) -> Result<T, Reason> {
        let mut solver = self.solver.0.borrow_mut();
        let solver = match &mut *solver {
            Some(solver) => solver,
            none => none.insert(Solver::new(bench)?),
        };
        let before = solver.smt.stats().work;
        let answer = ask(solver);
        self.spent += solver.smt.stats().work - before;
        Ok(answer)
    }

    /// What was spent, and what may be.
    fn spent(&self, bench: &Workbench<'_>) -> (u64, u64) {
        let share = if self.useful { self.share } else { 2 * self.share };
        (self.spent + TOLD * self.nodes, bench.smt.stats().work / share + self.free)
    }

    /// What was asked here saved work elsewhere.
    pub fn was_useful(&mut self) {
        self.useful = true;
    }

    /// Whether there is something left of what may be spent.
    pub fn may_ask(&self, bench: &Workbench<'_>) -> bool {
        let (spent, most) = self.spent(bench);
        spent <= most
    }

    /// Whether what was begun may be gone on with: it may borrow.
    pub fn may_go_on(&self, bench: &Workbench<'_>) -> bool {
        let (spent, most) = self.spent(bench);
        spent <= most + self.free
    }

    /// Whether more than half of it is left: for what is seldom worth it.
    pub fn has_plenty(&self, bench: &Workbench<'_>) -> bool {
        let (spent, most) = self.spent(bench);
        2 * spent <= most
    }

    /// A session of its own.
    pub fn session(&mut self, bench: &Workbench<'_>, work: u32) -> Result<Session, Reason> {
        let mut session = self.ask(bench, |solver| solver.smt.session())?;
        session.set_work_limit(work);
        Ok(session)
    }

    /// Asserts formulas in a session of its own and asks for a model.
    pub fn check(
        &mut self,
        bench: &Workbench<'_>,
        session: &mut Session,
        formulas: &[TermId],
    ) -> Result<Option<Model>, Reason> {
        self.nodes += bench.terms.postorder(formulas).len() as u64;
        let status = self.ask(bench, |_| {
            formulas.iter().for_each(|f| session.assert(*f));
            session.check()
        })?;
        match status {
            Status::Sat => Ok(Some(session.require_model()?)),
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Unsat | Status::Unknown(_) => Ok(None),
        }
    }

    /// Counts what it takes to tell of a block, the first time.
    fn charge(&mut self, bench: &Workbench<'_>, block: BlockId, formula: &Formula) {
        if self.told.insert(block) {
            self.nodes += bench.terms.postorder(&formula.constraints).len() as u64;
        }
    }

    /// Asks something in the session of a block about these formulas over the state before it.
    fn about<T>(
        &mut self,
        bench: &Workbench<'_>,
        block: BlockId,
        formula: &Formula,
        formulas: &[TermId],
        ask: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Reason> {
        self.charge(bench, block, formula);
        self.ask(bench, |solver| {
            let session = solver.sessions.get(block, formula, formulas);
            session.set_work_limit(WORK);
            ask(session)
        })
    }

    fn before(&mut self, bench: &Workbench<'_>, block: BlockId, formula: &Formula, goal: TermId) -> TermId {
        let made = || formula.before(&bench.terms, &bench.slots, goal);
        *self.before.entry((block, goal)).or_insert_with(made)
    }

    /// Those of the premises that are needed so that the goal holds behind the block wherever they hold before it; `None` if all of them are not enough. With the
    /// goal `false`: so that the block cannot be passed.
    pub fn needed(
        &mut self,
        bench: &mut Workbench<'_>,
        premises: &[TermId],
        block: BlockId,
        goal: TermId,
    ) -> Result<Option<Needed>, Reason> {
        let terms = Rc::clone(&bench.terms);
        if terms.is_true(goal) {
            return Ok(Some(Needed { premises: Vec::new(), infeasible: false }));
        }
        let key = (Some(block), terms.and(premises.iter().copied()), goal);
        if self.refused.contains(&key) {
            return Ok(None);
        }
        let formula = bench.formula(block)?;
        let before = self.before(bench, block, &formula, goal);
        let not = terms.not(before);
        let question = [premises, &[not]].concat();
        let (status, core) = self.about(bench, block, &formula, &question, |session| {
            let status = session.check_assuming(&question);
            let core = if status == Status::Unsat { session.core() } else { Vec::new() };
            (status, core)
        })?;
        match status {
            Status::Unsat => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                let premises = premises.iter().copied().filter(|p| core.contains(p)).collect();
                Ok(Some(Needed { premises, infeasible: !core.contains(&not) }))
            }
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Sat | Status::Unknown(_) => {
                self.refused.insert(key);
                Ok(None)
            }
        }
    }

    /// Does the goal hold behind the block wherever the premise holds before it?
    pub fn step(
        &mut self,
        bench: &mut Workbench<'_>,
        premise: TermId,
        block: BlockId,
        goal: TermId,
    ) -> Result<Step, Reason> {
        let formula = bench.formula(block)?;
        let not = bench.terms.not(self.before(bench, block, &formula, goal));
        let question = [premise, not];
        self.about(bench, block, &formula, &question, |session| match session.check_assuming(&question) {
            Status::Unsat => Ok(Step::Holds),
            Status::Sat => Ok(session.model().map_or(Step::TooMuchWork, Step::Violated)),
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Unknown(_) => Ok(Step::TooMuchWork),
        })?
    }

    /// A model of a block from states of the premises, with as many of the wishes as fit together, about; `None` if there is none, or it takes too much work.
    pub fn model(
        &mut self,
        bench: &mut Workbench<'_>,
        premises: &[TermId],
        block: BlockId,
        mut wishes: Vec<TermId>,
    ) -> Result<Option<Model>, Reason> {
        let formula = bench.formula(block)?;
        self.about(bench, block, &formula, premises, |session| {
            for last in [false, false, true] {
                if last {
                    wishes.clear();
                }
                match session.check_assuming(&[premises, &wishes].concat()) {
                    Status::Sat => return Ok(session.model()),
                    Status::Unsat if wishes.is_empty() => break,
                    Status::Unsat => {
                        let core: FxHashSet<TermId> = session.core().into_iter().collect();
                        wishes.retain(|w| !core.contains(w));
                    }
                    Status::Unknown(why) if !why.gave_up() => return Err(why.into()),
                    Status::Unknown(_) => break,
                }
            }
            Ok(None)
        })?
    }

    /// Keeps those of the wanted formulas that hold behind the block wherever the premises hold before it.
    pub fn retain(
        &mut self,
        bench: &mut Workbench<'_>,
        premises: &[TermId],
        block: BlockId,
        wanted: &mut Vec<TermId>,
    ) -> Result<(), Reason> {
        let formula = bench.formula(block)?;
        self.charge(bench, block, &formula);
        let with_before = |w: &TermId| Wanted { behind: *w, before: self.before(bench, block, &formula, *w) };
        let mut left: Vec<Wanted> = wanted.iter().map(with_before).collect();
        self.ask(bench, |solver| solver.sessions.retain(block, &formula, premises, &mut left, WORK))??;
        *wanted = left.into_iter().map(|w| w.behind).collect();
        Ok(())
    }

    /// Does the premise imply the goal?
    pub fn implies(&mut self, bench: &Workbench<'_>, premise: TermId, goal: TermId) -> Result<bool, Reason> {
        let terms = &bench.terms;
        if premise == goal || terms.is_true(goal) || terms.is_false(premise) {
            return Ok(true);
        }
        let key = (None, premise, goal);
        if terms.is_true(premise) && terms.is_false(goal) || self.refused.contains(&key) {
            return Ok(false);
        }
        let mut question = vec![premise, terms.not(goal)];
        for asked in [premise, goal] {
            question.extend(&*bench.domains.ranges(terms, &bench.slots, asked));
        }
        match self.ask(bench, |solver| solver.plain.check(&question, WORK))? {
            Status::Unsat => Ok(true),
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Sat | Status::Unknown(_) => {
                self.refused.insert(key);
                Ok(false)
            }
        }
    }
}
