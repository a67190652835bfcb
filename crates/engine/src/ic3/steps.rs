//! Questions about single steps: can a state of a frame go over a block into a cube?
//!
//! A block has a session of its own. What the block does is asserted there, the lemmas of the location before it are asserted as they come,
//! each under a literal for its level; `F(i, l)` is then the assumption of the literals of all levels from `i` on. The literals of a cube are
//! assumptions as well, so that the core names those that matter.

use super::cube::Cube;
use super::frames::{Frames, Lemma};
use crate::formulas::Formula;
use crate::slots::Slots;
use crate::workbench::Workbench;
use craig_cfa::BlockId;
use craig_logic::{Model, Sort, TermId, Terms};
use craig_smt::{Purpose, Session, Smt, Status};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Questions that one session answers before it is replaced: it keeps every formula that it ever saw, and gets slower.
const QUESTIONS: u32 = 1000;
/// So many sessions are kept: each holds its own copy of what it was told inside the solver.
const KEPT: usize = 200;

/// Can a state of `F(level, l)` that is not in `outside` go over the block into the cube?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub block: BlockId,
    pub level: u32,
    pub cube: &'a Cube,
    pub outside: Option<&'a Cube>,
    /// Units of work; zero for no limit.
    pub limit: u32,
    pub purpose: Purpose,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// It cannot: these literals of the cube are enough for that.
    Blocked(Cube),
    Reached,
    /// That was too much work.
    Open,
}

struct Kept {
    session: Session,
    /// The length of the log of lemmas that it knows; at first it knows none.
    learnt: Option<usize>,
    asked: u32,
    used: u64,
    /// Slots whose range, and slots whose symbol behind the block, it knows.
    ranged: FxHashSet<u32>,
    primed: FxHashSet<u32>,
}

impl Kept {
    /// The values of these slots lie in their types.
    fn bound(&mut self, slots: &[u32], ranges: &[Option<TermId>]) {
        for slot in slots {
            if self.ranged.insert(*slot)
                && let Some(range) = ranges[*slot as usize]
            {
                self.session.assert(range);
            }
        }
    }
}

/// Asks questions about steps.
pub struct Steps {
    smt: Smt,
    terms: Rc<Terms>,
    slots: Rc<Slots>,
    /// With preconditions (technique `relind-wep`) or with primed symbols.
    preconditions: bool,
    kept: FxHashMap<BlockId, Kept>,
    now: u64,
    levels: Vec<TermId>,
    /// That the value of a slot lies in its type.
    ranges: Vec<Option<TermId>>,
    primed: Vec<Option<TermId>>,
    before: FxHashMap<(BlockId, TermId), TermId>,
    pub asked: u64,
    /// Whether the last refutation needed that the state before is not in `outside`.
    pub outside_needed: bool,
    /// The highest level whose frame was enough for the last refutation: it used no lemma of a lower one.
    pub level_enough: u32,
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl Steps {
    pub fn new(bench: &Workbench<'_>, preconditions: bool) -> Steps {
        let (terms, slots) = (&bench.terms, &bench.slots);
        Steps {
            smt: bench.smt.clone(),
            terms: Rc::clone(terms),
            slots: Rc::clone(slots),
            preconditions,
            kept: FxHashMap::default(),
            now: 0,
            levels: Vec::new(),
            ranges: bench.ranges(),
            primed: vec![None; slots.symbols.len()],
            before: FxHashMap::default(),
            asked: 0,
            outside_needed: false,
            level_enough: 0,
        }
    }

    /// The literal under which lemmas of a level are known.
    fn level(&mut self, level: u32) -> TermId {
        while self.levels.len() <= level as usize {
            self.levels.push(self.terms.fresh("level", Sort::Bool));
        }
        self.levels[level as usize]
    }

    /// A literal behind a block as a term before it.
    pub fn before(&mut self, block: BlockId, formula: &Formula, literal: TermId) -> TermId {
        let (terms, slots) = (&self.terms, &self.slots);
        *self.before.entry((block, literal)).or_insert_with(|| formula.before(terms, slots, literal))
    }

    /// The symbol of a slot behind a block.
    fn prime(&mut self, slot: u32) -> TermId {
        let (terms, symbol) = (&self.terms, self.slots.symbols[slot as usize]);
        *self.primed[slot as usize].get_or_insert_with(|| {
            let name = terms.as_symbol(symbol).map(|s| terms.symbol_name(s));
            terms.fresh(&format!("{}'", name.as_deref().unwrap_or("?")), terms.sort(symbol))
        })
    }

    /// The literals over primed symbols, and what these are behind the block.
    pub fn behind(&mut self, formula: &Formula, literals: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
        let used = self.slots.of(&self.terms, literals);
        let symbols: Vec<(TermId, TermId, u32)> =
            used.iter().map(|s| (self.slots.symbols[*s as usize], self.prime(*s), *s)).collect();
        let map = symbols.iter().map(|(symbol, primed, _)| (*symbol, *primed)).collect();
        let renamed = literals.iter().map(|l| self.terms.substitute(*l, &map)).collect();
        let equation = |(symbol, primed, slot): &(TermId, TermId, u32)| {
            self.terms.eq(*primed, formula.after(*slot).unwrap_or(*symbol))
        };
        (renamed, symbols.iter().map(equation).collect())
    }

    /// From primed symbols to those of the state.
    pub fn unprimed(&self, formula: TermId) -> TermId {
        let primed = self.primed.iter().zip(&self.slots.symbols);
        let map = primed.filter_map(|(primed, symbol)| Some((((*primed)?), *symbol))).collect();
        self.terms.substitute(formula, &map)
    }

    /// That the slots in these formulas have values of their types.
    pub fn ranges(&self, formulas: &[TermId]) -> Vec<TermId> {
        let slots = self.slots.of(&self.terms, formulas);
        slots.iter().filter_map(|s| self.ranges[*s as usize]).collect()
    }

    /// Asks. The lemmas are those of the location before the block.
    pub fn ask(
        &mut self,
        bench: &mut Workbench<'_>,
        frames: &Frames,
        question: Question<'_>,
    ) -> Result<Answer, Reason> {
        let formula = bench.formula(question.block)?;
        let from = bench.graph.block(question.block).from;
        if frames.is_unreached(from, question.level) {
            return Ok(Answer::Blocked(Cube::all()));
        }
        let literals = question.cube.literals();
        let (ends, equations) = if self.preconditions {
            let ends = literals.iter().map(|l| self.before(question.block, &formula, *l)).collect();
            (ends, Vec::new())
        } else {
            self.behind(&formula, literals)
        };
        let ends: Vec<TermId> = ends;
        if let Some(never) = ends.iter().position(|l| self.terms.is_false(*l)) {
            return Ok(Answer::Blocked(Cube::new([literals[never]])));
        }
        let top = frames.at(from).iter().map(|l| l.level).max().unwrap_or(0);
        let mut assumptions: Vec<TermId> = (question.level..=top).map(|level| self.level(level)).collect();
        assumptions.extend(ends.iter().copied().filter(|l| !self.terms.is_true(*l)));
        let outside = question.outside.map(|cube| cube.lemma(&self.terms));
        assumptions.extend(outside);
        self.prepare(question.block, &formula, from, frames);
        let mut roots = assumptions.clone();
        roots.extend(&equations);
        let used = self.slots.of(&self.terms, &roots);
        let kept = self.kept.get_mut(&question.block).expect("prepared");
        kept.bound(&used, &self.ranges);
        for (slot, equation) in self.slots.of(&self.terms, literals).into_iter().zip(equations) {
            if kept.primed.insert(slot) {
                kept.session.assert(equation);
            }
        }
        self.asked += 1;
        kept.session.set_work_limit(question.limit);
        let status = self.smt.as_part_of(question.purpose, || kept.session.check_assuming(&assumptions));
        match status {
            Status::Sat => Ok(Answer::Reached),
            Status::Unsat => {
                let core: FxHashSet<TermId> = kept.session.core().into_iter().collect();
                self.outside_needed = outside.is_some_and(|lemma| core.contains(&lemma));
                let lowest =
                    (question.level..=top).find(|level| core.contains(&self.levels[*level as usize]));
                self.level_enough = lowest.unwrap_or(u32::MAX);
                let needed = literals.iter().zip(&ends).filter(|(_, end)| core.contains(end));
                Ok(Answer::Blocked(Cube::new(needed.map(|(literal, _)| *literal))))
            }
            Status::Unknown(why) if why.gave_up() && question.limit > 0 => Ok(Answer::Open),
            Status::Unknown(why) => Err(why.into()),
        }
    }

    /// The model of the last question about a block, which was answered with [`Answer::Reached`].
    pub fn model(&mut self, block: BlockId) -> Result<Model, Reason> {
        let kept =
            self.kept.get_mut(&block).ok_or_else(|| Reason::Internal("a model without a question".into()))?;
        Ok(kept.session.require_model()?)
    }

    /// Makes the session of a block, and tells it what lemmas came since.
    fn prepare(&mut self, block: BlockId, formula: &Formula, from: craig_cfa::LocId, frames: &Frames) {
        self.now += 1;
        let worn = self.kept.get(&block).is_some_and(|k| k.asked >= QUESTIONS);
        if worn {
            self.kept.remove(&block);
        }
        if !self.kept.contains_key(&block) {
            if self.kept.len() >= KEPT {
                let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(b, _)| *b);
                oldest.and_then(|b| self.kept.remove(&b));
            }
            let mut session = self.smt.session();
            formula.constraints.iter().for_each(|c| session.assert(*c));
            let (ranged, primed) = (FxHashSet::default(), FxHashSet::default());
            let mut kept = Kept { session, learnt: None, asked: 0, used: 0, ranged, primed };
            kept.bound(&formula.reads, &self.ranges);
            self.kept.insert(block, kept);
        }
        // A new session needs those that still count: what others made needless stays out.
        let news = match self.kept[&block].learnt {
            Some(learnt) => frames.news(from, learnt),
            None => frames.at(from),
        };
        let known: Vec<TermId> = news.iter().map(|lemma| self.guarded(lemma)).collect();
        let used = self.slots.of(&self.terms, &known);
        let kept = self.kept.get_mut(&block).expect("just put there");
        kept.bound(&used, &self.ranges);
        known.into_iter().for_each(|lemma| kept.session.assert(lemma));
        kept.learnt = Some(frames.logged(from));
        kept.asked += 1;
        kept.used = self.now;
    }

    fn guarded(&mut self, lemma: &Lemma) -> TermId {
        let level = self.level(lemma.level);
        self.terms.implies(level, lemma.cube.lemma(&self.terms))
    }
}
