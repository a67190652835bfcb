//! `pred-cubes`: generalisations are read off the lemmas of the predecessor.
//!
//! Definition (IC3CFA, predecessor cubes): the precondition of the cube over the edge is a set of literals. If the predecessor's frame has a lemma whose cube is among them, the literals of the cube from which
//! these came are enough to exclude it; conditions of the edge come from no literal. Every sequential part of a block has a precondition of its own, and what all
//! of them need is needed. A part whose precondition contradicts itself needs one of the literals that do, or none.
//!
//! That holds where preconditions are exact, literal by literal, which they are before any projection. No question is asked at all: so it also answers whether the
//! cube is excluded in the first place, and of each literal whether it can be dropped. Over a loop the negated cube is a lemma of the predecessor as well; a part that it excludes needs all literals, because with fewer it would be
//! another lemma.
//!
//! Parts are walked from the end of the block to its beginning, all that share their last operations at once, each only as far as it does not contradict itself: so blocks with very many
//! parts can be looked at. Of the literals that may explain contradictions as few as possible are taken.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::parts::{Sequence, Sequences};
use crate::ic3::steps::Question;
use crate::ic3::values::{Said, Saying};
use crate::workbench::Workbench;
use craig_cfa::{BlockId, EdgeId};
use craig_logic::{TermId, Terms};
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Operations that are walked back over at most: then there are too many parts.
const STEPS: usize = 2000;
/// Literals of a cube: more are not looked at.
const LITERALS: usize = 64;

/// A set of literals of the cube, by their positions.
type Set = u64;

/// For each node of a block's region the operations into it, with the nodes that they come from.
type Into = Rc<[Vec<(u32, EdgeId)>]>;

#[derive(Debug, Default)]
pub struct Walks {
    into: FxHashMap<BlockId, Into>,
    before: FxHashMap<(BlockId, EdgeId, TermId), Rc<Said>>,
    saying: Saying,
}

impl Walks {
    fn backwards(&mut self, bench: &Workbench<'_>, block: BlockId) -> Into {
        let made = self.into.entry(block).or_insert_with(|| {
            let region = bench.graph.region(bench.graph.block(block).region);
            let mut into = vec![Vec::new(); region.nodes()];
            for edge in &region.edges {
                into[edge.to as usize].push((edge.from, edge.edge));
            }
            into.into()
        });
        Rc::clone(made)
    }
}

/// What excludes the parts of a block.
struct Walk<'a, 'b> {
    bench: &'a Workbench<'b>,
    sequences: &'a mut Sequences,
    walks: &'a mut Walks,
    block: BlockId,
    into: Into,
    lemmas: Vec<Vec<Rc<Said>>>,
    /// No state before the block is in this cube.
    outside: Option<Vec<Rc<Said>>>,
    steps: usize,
    /// Of each of these one literal is needed.
    one_of: Vec<Set>,
    /// One of these sets is needed as a whole, for each part.
    all_of: Vec<Vec<Set>>,
}

impl Walk<'_, '_> {
    /// Goes back from a node, where `now` are the literals of the cube and `conditions` the conditions behind it, none of which contradict each other. `None` if a part
    /// cannot be excluded.
    fn back(&mut self, node: u32, now: &[Rc<Said>], conditions: &[Rc<Said>]) -> Result<Option<()>, Reason> {
        if node == 0 {
            return Ok(self.lemma(now, conditions));
        }
        for (from, edge) in self.into[node as usize].clone() {
            self.steps += 1;
            if self.steps > STEPS {
                return Ok(None);
            }
            let part = self.sequences.get(self.bench, self.block, &[edge])?;
            let literals: Vec<Rc<Said>> = now.iter().map(|l| self.before(edge, &part, l)).collect();
            let mut guards: Vec<Rc<Said>> = conditions.iter().map(|c| self.before(edge, &part, c)).collect();
            // What is new: only that can contradict anything.
            let fresh = guards.len();
            guards.extend(part.guard.iter().map(|g| self.walks.saying.of(&self.bench.terms, *g)));
            let new = |i: usize| i >= fresh || !Rc::ptr_eq(&guards[i], &conditions[i]);
            let moved = |i: usize| !Rc::ptr_eq(&literals[i], &now[i]);
            match contradiction(&self.bench.terms, &literals, &guards, &moved, &new) {
                Some(0) => {}
                Some(set) => self.one_of.push(set),
                None => {
                    guards.retain(|g| !self.bench.terms.is_true(g.literal));
                    if self.back(from, &literals, &guards)?.is_none() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(()))
    }

    fn before(&mut self, edge: EdgeId, part: &Sequence, behind: &Rc<Said>) -> Rc<Said> {
        let (terms, saying) = (&self.bench.terms, &mut self.walks.saying);
        let key = (self.block, edge, behind.literal);
        let made = || saying.of(terms, part.before(terms, behind.literal));
        Rc::clone(self.walks.before.entry(key).or_insert_with(made))
    }

    /// Literals that a lemma of the location before the block needs to exclude a part, for each that does.
    fn lemma(&mut self, literals: &[Rc<Said>], guards: &[Rc<Said>]) -> Option<()> {
        let needs = |lemma: &[Rc<Said>]| {
            lemma.iter().filter(|said| !guards.iter().any(|g| g.implies(said))).try_fold(
                0,
                |set: Set, said| {
                    let from = literals.iter().position(|l| l.implies(said))?;
                    Some(set | 1 << from)
                },
            )
        };
        let mut found: Vec<Set> = self.lemmas.iter().filter_map(|lemma| needs(lemma)).collect();
        if found.is_empty() && self.outside.as_ref().is_some_and(|cube| needs(cube).is_some()) {
            found.push((0..literals.len()).fold(0, |set, i| set | 1 << i));
        }
        if found.is_empty() {
            return None;
        }
        self.all_of.push(found);
        Some(())
    }

    /// Few literals that are enough for all parts.
    fn needed(&mut self) -> Set {
        let mut needed: Set = 0;
        self.all_of.sort_by_key(Vec::len);
        for choices in &self.all_of {
            let best = choices.iter().min_by_key(|set| (*set & !needed).count_ones());
            needed |= best.copied().unwrap_or(0);
        }
        self.one_of.retain(|set| set & needed == 0);
        while !self.one_of.is_empty() {
            let hit = |i: u32| self.one_of.iter().filter(|set| *set & 1 << i != 0).count();
            let best = (0..LITERALS as u32).max_by_key(|i| (hit(*i), std::cmp::Reverse(*i))).unwrap_or(0);
            needed |= 1 << best;
            self.one_of.retain(|set| set & needed == 0);
        }
        needed
    }
}

/// Literals of which each contradicts the conditions or itself; none if the conditions contradict each other. `moved` and `new` say which of them
/// are not as they were.
fn contradiction(
    terms: &Terms,
    literals: &[Rc<Said>],
    guards: &[Rc<Said>],
    moved: &dyn Fn(usize) -> bool,
    new: &dyn Fn(usize) -> bool,
) -> Option<Set> {
    for (i, guard) in guards.iter().enumerate().filter(|(i, _)| new(*i)) {
        let others = guards.iter().enumerate().filter(|(j, _)| *j < i || !new(*j));
        if terms.is_false(guard.literal) || others.into_iter().any(|(_, other)| guard.contradicts(other)) {
            return Some(0);
        }
    }
    let never = |i: usize| {
        terms.is_false(literals[i].literal)
            || guards.iter().enumerate().any(|(j, g)| (moved(i) || new(j)) && literals[i].contradicts(g))
    };
    let set = (0..literals.len()).filter(|i| never(*i)).fold(0, |set, i| set | 1 << i);
    (set != 0).then_some(set)
}

/// Literals of the cube that are enough for the answer to be no, if the lemmas before the block tell.
pub fn find(engine: &mut Engine<'_>, question: Question<'_>) -> Result<Option<Cube>, Reason> {
    let Question { block, cube, level, .. } = question;
    let from = engine.from(block);
    if !engine.on.has(Technique::PredCubes) || from == engine.bench.entry() || cube.len() > LITERALS {
        return Ok(None);
    }
    engine.tallies.tried(Technique::PredCubes);
    let into = engine.walks.backwards(&engine.bench, block);
    let (terms, saying) = (&engine.bench.terms, &mut engine.walks.saying);
    let mut said = |cube: &Cube| cube.literals().iter().map(|l| saying.of(terms, *l)).collect::<Vec<_>>();
    let literals = said(cube);
    let outside = question.outside.map(&mut said);
    let lemmas = engine.frames.frame(from, level).map(said).collect();
    let mut walk = Walk {
        bench: &engine.bench,
        sequences: &mut engine.sequences,
        walks: &mut engine.walks,
        block,
        into,
        lemmas,
        outside,
        steps: 0,
        one_of: Vec::new(),
        all_of: Vec::new(),
    };
    let exit = engine.bench.graph.block(block).exit;
    if walk.back(exit, &literals, &[])?.is_none() {
        return Ok(None);
    }
    let needed = walk.needed();
    engine.tallies.hit(Technique::PredCubes, 1);
    let literals = cube.literals().iter().enumerate();
    Ok(Some(Cube::new(literals.filter(|(i, _)| needed & 1 << i != 0).map(|(_, l)| *l))))
}
