//! IC3 on the graph of blocks (IC3CFA).
//!
//! A frame `F(i, l)` contains the states that runs reach at location `l` within `i` steps, a step being a block; it is a conjunction of lemmas. At each level `k` it is
//! asked whether a step from some `F(k, l)` leads to the error. If so, a cube of such states becomes an obligation: it is to be excluded from `F(k, l)`. An obligation `(c, l, i)`
//! is met by a lemma if no step from any predecessor's frame `F(i - 1, p)` leads into it; otherwise the predecessors of `c` become obligations at `i - 1`. One that goes back to the entry
//! is an execution. A lemma is generalised before it is added: the fewer literals its cube has, the more it excludes. When all is excluded at level `k`, lemmas are pushed to
//! higher levels as far as they hold there; if a level has none that stay behind, its frames are invariants.
//!
//! Invariants, checked again for every lemma in debug builds:
//! - `F(0, l)` is empty for all locations but the entry, which no edge enters; so that initial states satisfy lemmas needs no question;
//! - `F(i, l)` implies `F(i + 1, l)`;
//! - `F(i, p)` and a block from `p` to `l` imply `F(i + 1, l)`.
//!
//! A cube `c` is relative inductive at `l` and `i` if for each block from some `p` to `l`, `F(i - 1, p)`, the block, and `c` behind it contradict each other; for a block from `l` to itself, that the state
//! before is not in `c` may be used as well.
//!
//! The paper's techniques of generalisation are in `technique`, each with a switch (`--gen`), and so is what goes beyond the paper. Deviations from IC3CFA:
//! - steps are blocks of any kind, large ones with many ways through them, of which a model chooses one;
//! - obligations that were met are asked again at the next level, so that executions longer than `k` are found at `k`;
//! - machine integers lie in the ranges of their types at every location, as everywhere in integer arithmetic.
//!
//! | module | holds |
//! |---|---|
//! | `candidates` | what others found |
//! | `cube` | conjunctions of literals |
//! | `frames` | lemmas by location and level |
//! | `queue` | obligations |
//! | `steps` | questions about one step |
//! | `parts` | ways through a block |
//! | `values` | what literals say of each other without the solver |
//! | `predecessor` | cubes of predecessors |
//! | `techniques` | switches and counters |
//! | `generalise` | from a cube that is excluded to a lemma |
//! | `technique` | how |

mod candidates;
mod cube;
mod frames;
mod generalise;
mod parts;
mod predecessor;
mod queue;
mod steps;
mod technique;
mod techniques;
#[cfg(test)]
mod tests;
mod values;

pub use techniques::{Technique, Techniques};

use crate::certificate;
use crate::counterexample;
use crate::discrete::Discrete;
use crate::facts::Member;
use crate::options::BlockOptions;
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::workbench::Workbench;
use clap::Args;
use craig_cfa::{BlockId, LocId};
use craig_encode::Arith;
use craig_logic::Model;
use craig_smt::Purpose;
use craig_verdict::{Counterexample, Outcome, Reason};
use cube::Cube;
use frames::Frames;
use parts::Sequences;
use predecessor::Predecessor;
use queue::{Obligation, ObligationId, Queue};
use std::rc::Rc;
use steps::{Answer, Question, Steps};
use technique::context::Contexts;
use techniques::Tallies;

/// Units of work for the question whether a lemma holds one level up.
const PUSHING: u32 = 300_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub blocks: BlockOptions,

    /// How lemmas are generalised: `old`, `new`, `best`, names of techniques, or `-NAME` to leave one out; several with `,` or `+` between
    #[arg(long = "gen", id = "gen", value_name = "LIST", default_value_t)]
    pub techniques: Techniques,
}

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let bench = Workbench::new(task, arith, options.blocks.kind(), control.budget)?;
    let discrete = Discrete::new(&bench)?;
    control.run(Engine::new(bench, discrete, options.techniques))
}

struct Engine<'t> {
    bench: Workbench<'t>,
    on: Techniques,
    steps: Steps,
    sequences: Sequences,
    frames: Frames,
    queue: Queue,
    contexts: Contexts,
    guaranteed: technique::guaranteed::Guaranteed,
    conjectures: technique::global::Conjectures,
    walks: technique::pred_cubes::Walks,
    answers: technique::relind_wep::Answers,
    interpolated: technique::interpolate::Places,
    interpolations: u64,
    member: Member,
    candidates: candidates::Candidates,
    discrete: Discrete,
    tallies: Tallies,
    /// The level that is worked on.
    level: u32,
    generalisations: u64,
    /// Of these, those without any question to the solver.
    free_generalisations: u64,
}

/// A cube is excluded behind a block.
#[derive(Debug, Clone)]
struct Barred {
    block: BlockId,
    /// Literals that are enough for that.
    enough: Cube,
    from: Source,
}

/// Where it is known from that literals are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A generalisation that is remembered: there is no use in looking for fewer.
    Context,
    /// The lemmas of the predecessor.
    Lemmas,
    /// The solver, which names those that it used.
    Core,
}

/// What became of an obligation.
enum Met {
    Excluded(Vec<Barred>),
    /// A step from an earlier state leads into it.
    From(BlockId),
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        technique::init::begin(self);
        loop {
            self.progress(observer);
            if let Some(run) = self.exclude_error(observer)? {
                return Ok(Outcome::Unsafe(run));
            }
            if let Some(level) = self.propagate()? {
                let formula = |loc| self.frames.formula(&self.bench.terms, loc, level);
                return certificate::at_heads(&self.bench, |loc| Ok(formula(loc))).map(Outcome::Safe);
            }
            self.give();
            self.level += 1;
            candidates::add(self)?;
            self.queue.rise(self.level);
            if let Some(run) = self.meet_all(observer)? {
                return Ok(Outcome::Unsafe(run));
            }
        }
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("frames", f64::from(self.level));
        stats.set("lemmas", self.frames.len() as f64);
        stats.set("lemmas_made", self.frames.added as f64);
        stats.set("lemmas_subsumed", self.frames.subsumed as f64);
        stats.set("obligations", self.queue.len() as f64);
        stats.set("generalisations", self.generalisations as f64);
        stats.set("generalisations_free", self.free_generalisations as f64);
        if self.candidates.tried > 0 {
            stats.set("candidates_tried", self.candidates.tried as f64);
            stats.set("candidates_taken", self.candidates.taken as f64);
        }
        stats.set("interpolations", self.interpolations as f64);
        self.tallies.report(stats);
        self.bench.report(stats);
    }
}

impl<'t> Engine<'t> {
    fn new(bench: Workbench<'t>, discrete: Discrete, on: Techniques) -> Self {
        Engine {
            steps: Steps::new(&bench, on.has(Technique::RelindWep)),
            sequences: Sequences::default(),
            frames: Frames::default(),
            queue: Queue::new(on.has(Technique::Order)),
            contexts: Contexts::default(),
            guaranteed: technique::guaranteed::Guaranteed::default(),
            conjectures: technique::global::Conjectures::default(),
            walks: technique::pred_cubes::Walks::default(),
            answers: technique::relind_wep::Answers::default(),
            interpolated: technique::interpolate::Places::default(),
            interpolations: 0,
            member: Member::new(&bench.task.facts, bench.encoder.options.arith),
            candidates: candidates::Candidates::default(),
            discrete,
            tallies: Tallies::default(),
            level: 0,
            generalisations: 0,
            free_generalisations: 0,
            bench,
            on,
        }
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let (level, lemmas, obligations) = (self.level, self.frames.len(), self.queue.len());
        self.bench.progress(observer, format!("level {level}, {lemmas} lemmas, {obligations} obligations"));
    }

    /// Tells others of the lemmas that hold up to the present level.
    fn give(&mut self) {
        let terms = &self.bench.terms;
        for (loc, cube) in self.frames.exactly(self.level + 1) {
            self.member.give(terms, loc, cube.lemma(terms));
        }
    }

    /// The blocks into a location, those from the location itself last: their hypothesis depends on what the others need.
    fn entering(&self, loc: LocId) -> Vec<BlockId> {
        let mut blocks = self.bench.graph.entering(loc).to_vec();
        blocks.sort_by_key(|b| self.from(*b) == loc);
        blocks
    }

    fn from(&self, block: BlockId) -> LocId {
        self.bench.graph.block(block).from
    }

    /// Excludes all states of level `k` from which a step leads to the error; or finds an execution.
    fn exclude_error(&mut self, observer: &mut dyn Observer) -> Result<Option<Counterexample>, Reason> {
        let blocks = self.bench.graph.entering(self.bench.program().error).to_vec();
        for block in blocks {
            loop {
                let question = Question {
                    block,
                    level: self.level,
                    cube: &Cube::all(),
                    outside: None,
                    limit: 0,
                    purpose: Purpose::Consecution,
                };
                if self.ask(question)? != Answer::Reached {
                    break;
                }
                if self.from(block) == self.bench.entry() {
                    return self.execution(vec![block]).map(Some);
                }
                let level = self.level;
                for Predecessor { cube, state } in self.predecessors(block, &Cube::all(), level)? {
                    let loc = self.from(block);
                    self.queue.add(Obligation { cube, loc, next: (block, None), state, met: 0 }, level);
                }
                if let Some(run) = self.meet_all(observer)? {
                    return Ok(Some(run));
                }
            }
        }
        Ok(None)
    }

    fn ask(&mut self, question: Question<'_>) -> Result<Answer, Reason> {
        technique::relind_wep::ask(self, question)
    }

    /// The model of the last question about a block, which was answered with [`Answer::Reached`].
    fn model(&mut self, block: BlockId) -> Result<Rc<Model>, Reason> {
        technique::relind_wep::model(self, block)
    }

    /// Cubes before a block whose states lead into the cube, after a question about that was answered with [`Answer::Reached`].
    fn predecessors(&mut self, block: BlockId, cube: &Cube, level: u32) -> Result<Vec<Predecessor>, Reason> {
        match self.on.has(Technique::WepSplit) {
            true => technique::wep_split::predecessors(self, block, cube),
            false => technique::wep_split::by_normal_form(self, block, cube, level),
        }
    }

    /// Meets all obligations; or finds an execution.
    fn meet_all(&mut self, observer: &mut dyn Observer) -> Result<Option<Counterexample>, Reason> {
        while let Some((id, level)) = self.queue.pop() {
            self.bench.budget.check_memory()?;
            observer.detail(&|| {
                let Obligation { cube, loc, .. } = self.queue.get(id);
                format!("obligation at L{}, level {level}: {}", loc.index(), self.text(cube))
            });
            if let Some(run) = self.meet(id, level, observer)? {
                return Ok(Some(run));
            }
            if self.queue.len().is_multiple_of(16) {
                self.progress(observer);
            }
        }
        Ok(None)
    }

    fn meet(
        &mut self,
        id: ObligationId,
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Reason> {
        let (cube, loc) = (self.queue.get(id).cube.clone(), self.queue.get(id).loc);
        technique::global::conjecture(self, id, level, observer)?;
        if self.frames.excluding(loc, level, &cube).is_none() {
            match self.exclude(&cube, loc, level, 0)? {
                Met::From(block) if self.from(block) == self.bench.entry() => {
                    let mut run = vec![block];
                    run.extend(self.queue.run(id));
                    return self.execution(run).map(Some);
                }
                Met::From(block) => {
                    let loc = self.from(block);
                    for Predecessor { cube, state } in self.predecessors(block, &cube, level - 1)? {
                        self.queue
                            .add(Obligation { cube, loc, next: (block, Some(id)), state, met: 0 }, level - 1);
                    }
                    self.queue.push(id, level);
                    return Ok(None);
                }
                Met::Excluded(needed) => {
                    let met = self.queue.get(id).met;
                    self.queue.get_mut(id).met += 1;
                    self.learn(&cube, loc, level, needed, met, observer)?;
                }
            }
        }
        match level < self.level {
            true => self.queue.push(id, level + 1),
            false => self.queue.postpone(id),
        }
        Ok(None)
    }

    /// Is the cube relative inductive? With a limit on the units of work of a question, zero for none, it may be so all the same if not.
    fn exclude(&mut self, cube: &Cube, loc: LocId, level: u32, limit: u32) -> Result<Met, Reason> {
        let mut needed = Vec::new();
        for block in self.entering(loc) {
            if let Some(enough) = technique::context::exact(self, block, cube, level) {
                needed.push(Barred { block, enough, from: Source::Context });
                continue;
            }
            let outside = (self.from(block) == loc).then_some(cube);
            let question =
                Question { block, level: level - 1, cube, outside, limit, purpose: Purpose::Consecution };
            if let Some(enough) = technique::pred_cubes::find(self, question)? {
                needed.push(Barred { block, enough, from: Source::Lemmas });
                continue;
            }
            match self.ask(question)? {
                Answer::Blocked(enough) => needed.push(Barred { block, enough, from: Source::Core }),
                Answer::Reached | Answer::Open => return Ok(Met::From(block)),
            }
        }
        Ok(Met::Excluded(needed))
    }

    /// Adds a lemma that excludes the cube, which is relative inductive and was excluded so often before.
    fn learn(
        &mut self,
        cube: &Cube,
        loc: LocId,
        level: u32,
        needed: Vec<Barred>,
        met: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Reason> {
        let before = self.bench.smt.stats().checks;
        let lemmas = match technique::interpolate::sum(self, loc, level, cube, met)? {
            Some(sum) => vec![sum],
            None => {
                let lemma = generalise::generalise(self, cube, loc, level, &needed)?;
                technique::interpolate::weaken(self, loc, level, lemma, met)?
            }
        };
        self.generalisations += 1;
        self.free_generalisations += u64::from(self.bench.smt.stats().checks == before);
        self.add(loc, &lemmas, level);
        for lemma in lemmas {
            observer.detail(&|| {
                format!("lemma at L{}, levels up to {level}: not {}", loc.index(), self.text(&lemma))
            });
        }
        Ok(())
    }

    fn text(&self, cube: &Cube) -> String {
        self.bench.terms.c(cube.formula(&self.bench.terms))
    }

    /// Adds lemmas, each relative inductive together with the others.
    fn add(&mut self, loc: LocId, lemmas: &[Cube], level: u32) {
        for lemma in lemmas {
            self.frames.add(loc, lemma.clone(), level);
        }
        if cfg!(debug_assertions) {
            lemmas.iter().for_each(|lemma| self.verify(loc, lemma, level));
        }
    }

    /// Asks again, in a session of its own, whether a lemma that was added holds.
    fn verify(&mut self, loc: LocId, lemma: &Cube, level: u32) {
        let terms = Rc::clone(&self.bench.terms);
        for block in self.entering(loc) {
            let from = self.from(block);
            let Ok(formula) = self.bench.formula(block) else { continue };
            let mut question = formula.constraints.clone();
            question.push(self.frames.formula(&terms, from, level - 1));
            question.extend(lemma.literals().iter().map(|l| formula.before(&terms, &self.bench.slots, *l)));
            question.extend(self.steps.ranges(&question));
            assert!(
                !self.bench.smt.check(&question).is_sat(),
                "a lemma does not hold: {:?}",
                terms.c(lemma.formula(&terms))
            );
        }
    }

    /// Pushes lemmas to higher levels. A level where none stays behind is inductive: the level above it is returned.
    fn propagate(&mut self) -> Result<Option<u32>, Reason> {
        for level in 1..=self.level {
            for (loc, cube) in self.frames.exactly(level) {
                // One that came in the meantime may have made it needless.
                if self.frames.at(loc).iter().any(|l| l.level == level && l.cube == cube) {
                    self.push(loc, &cube, level)?;
                }
            }
            if self.frames.exactly(level).is_empty() {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }

    /// Pushes a lemma to the next level if it holds there.
    fn push(&mut self, loc: LocId, lemma: &Cube, level: u32) -> Result<(), Reason> {
        for block in self.entering(loc) {
            let purpose = Purpose::Consecution;
            let question = Question { block, level, cube: lemma, outside: None, limit: PUSHING, purpose };
            if technique::context::exact(self, block, lemma, level + 1).is_none()
                && technique::pred_cubes::find(self, question)?.is_none()
                && !matches!(self.ask(question)?, Answer::Blocked(_))
            {
                return Ok(());
            }
        }
        self.add(loc, std::slice::from_ref(lemma), level + 1);
        Ok(())
    }

    /// The execution along blocks from the entry to the error.
    fn execution(&mut self, blocks: Vec<BlockId>) -> Result<Counterexample, Reason> {
        let found = counterexample::along(&mut self.bench, blocks)?;
        found.ok_or_else(|| {
            Reason::Internal("obligations that lead from the entry to the error are no execution".into())
        })
    }
}
