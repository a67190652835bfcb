//! Questions about one block: does what holds before it lead to what is wanted behind it, and what of it is needed for that?
//!
//! They go to a solver of their own. What a solver was asked before changes its later answers, as models and cores, and the time they take; so the search for R stays what it is
//! without S and E as long as these have nothing to say. How much may be spent here is a share of the work of that search.

use crate::formulas::{Formula, Plain, Sessions, Wanted};
use crate::workbench::Workbench;
use craig_cfa::BlockId;
use craig_logic::{Model, TermId};
use craig_smt::{Session, Smt, SolverStats, Status};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Work for a question, a few hundredths of a second. One that takes more has the answer that is always right: no.
const WORK: u32 = 200_000;
/// Some hundredths of a second may be spent in any case, besides a share of the work of the search. (With a sixth and 1,000,000 protocols of the set `ic3` took up to
/// twice as long as without S and E.)
const FREE: u64 = 200_000;
/// What it costs to tell a solver a node of a formula, which it does not count as work: of the long formulas of protocols that is most.
const TOLD: u64 = 8;

/// Why a goal holds behind a block.
#[derive(Debug)]
pub struct Needed {
    /// The premises that it takes.
    pub premises: Vec<TermId>,
    /// Without the goal they keep everything from passing the block.
    pub infeasible: bool,
}

#[derive(Debug)]
pub struct Steps {
    /// One part in so many of the work of the search may be spent.
    share: u64,
    /// Made with the first question: most programs have none.
    solver: Option<Solver>,
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
    pub fn new(share: u64) -> Self {
        let (told, refused, before) = (FxHashSet::default(), FxHashSet::default(), FxHashMap::default());
        Steps { share, solver: None, told, nodes: 0, refused, before }
    }

    fn solver(&mut self, bench: &Workbench<'_>) -> Result<&mut Solver, Reason> {
        if self.solver.is_none() {
            self.solver = Some(Solver::new(bench)?);
        }
        self.solver.as_mut().ok_or_else(|| Reason::Internal("a solver was just made".into()))
    }

    /// What was spent, and what may be.
    fn spent(&self, bench: &Workbench<'_>) -> (u64, u64) {
        (self.stats().work + TOLD * self.nodes, bench.smt.stats().work / self.share + FREE)
    }

    /// Whether there is something left of what may be spent.
    pub fn may_ask(&self, bench: &Workbench<'_>) -> bool {
        let (spent, most) = self.spent(bench);
        spent <= most
    }

    /// Whether more than half of it is left: for what is seldom worth it.
    pub fn has_plenty(&self, bench: &Workbench<'_>) -> bool {
        let (spent, most) = self.spent(bench);
        2 * spent <= most
    }

    /// A session of its own for a few formulas.
    pub fn session(
        &mut self,
        bench: &Workbench<'_>,
        work: u32,
        formulas: &[TermId],
    ) -> Result<Session, Reason> {
        self.nodes += bench.terms.postorder(formulas).len() as u64;
        let mut session = self.solver(bench)?.smt.session();
        session.set_work_limit(work);
        formulas.iter().for_each(|f| session.assert(*f));
        Ok(session)
    }

    /// Counts what it takes to tell of a block, the first time.
    fn charge(&mut self, bench: &Workbench<'_>, block: BlockId, formula: &Formula) {
        if self.told.insert(block) {
            self.nodes += bench.terms.postorder(&formula.constraints).len() as u64;
        }
    }

    /// The session of a block, for a question about these formulas over the state before it.
    fn about(
        &mut self,
        bench: &Workbench<'_>,
        block: BlockId,
        formula: &Formula,
        formulas: &[TermId],
    ) -> Result<&mut Session, Reason> {
        self.charge(bench, block, formula);
        let session = self.solver(bench)?.sessions.get(block, formula, formulas);
        session.set_work_limit(WORK);
        Ok(session)
    }

    pub fn stats(&self) -> SolverStats {
        self.solver.as_ref().map(|s| s.smt.stats()).unwrap_or_default()
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
        let session = self.about(bench, block, &formula, &[premises, &[before]].concat())?;
        let mut question = premises.to_vec();
        let not = terms.not(before);
        question.push(not);
        match session.check_assuming(&question) {
            Status::Unsat => {
                let core: FxHashSet<TermId> = session.core().into_iter().collect();
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

    /// A model of a block from states of the premises, with as many of the wishes as fit together, about; `None` if there is none, or it takes too much work.
    pub fn model(
        &mut self,
        bench: &mut Workbench<'_>,
        premises: &[TermId],
        block: BlockId,
        mut wishes: Vec<TermId>,
    ) -> Result<Option<Model>, Reason> {
        let formula = bench.formula(block)?;
        let session = self.about(bench, block, &formula, premises)?;
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
        self.solver(bench)?.sessions.retain(block, &formula, premises, &mut left, WORK)?;
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
        match self.solver(bench)?.plain.check(&question, WORK) {
            Status::Unsat => Ok(true),
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Sat | Status::Unknown(_) => {
                self.refused.insert(key);
                Ok(false)
            }
        }
    }
}
