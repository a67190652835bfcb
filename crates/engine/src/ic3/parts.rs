//! The sequential parts of blocks: single ways through them.
//!
//! What a part does needs no joins, so a literal behind it becomes, literal by literal, a term before it: the weakest existential precondition
//! of a cube is the guard of the part and these terms. Values that the program chooses stay free symbols, so it is exact.

use crate::slots::{Slots, flat};
use crate::workbench::{Workbench, not_encoded};
use craig_cfa::{BlockId, EdgeId, Region, RegionEdge};
use craig_encode::Part;
use craig_logic::{Substitution, TermId, Terms};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// One way through a block.
#[derive(Debug)]
pub struct Sequence {
    /// Hold if the way is taken.
    pub guard: Vec<TermId>,
    /// What is true of the symbols of the part alone, each with these: the definitions of operations that are no terms, the ranges of values that are chosen.
    axioms: Vec<(TermId, Vec<TermId>)>,
    /// The slots that change, with their terms afterwards.
    after: Substitution,
    /// The symbols that stand for the choices of the program, edge by edge.
    pub chosen: Vec<Vec<TermId>>,
}

impl Sequence {
    fn new(bench: &Workbench<'_>, block: BlockId, edges: &[EdgeId]) -> Result<Sequence, Reason> {
        let (program, slots, terms) = (bench.program(), &bench.slots, &bench.terms);
        let locs: Vec<_> = edges.iter().map(|e| program.edges[*e].from).collect();
        let last = edges.len() as u32;
        let region = Region {
            inner: locs,
            exits: vec![bench.graph.block(block).to],
            edges: (0..).zip(edges).map(|(i, edge)| RegionEdge { from: i, to: i + 1, edge: *edge }).collect(),
        };
        let mut part = Part::new();
        let before = Rc::new(bench.encoder.symbols(None));
        let made = bench.encoder.region(&region, last, before, &mut part, &bench.budget);
        let made = made.map_err(|e| not_encoded(program, e))?;
        let after: Substitution =
            slots.symbols.iter().copied().zip(flat(&made.state)).filter(|(s, t)| s != t).collect();
        let with_locals = |axiom: &TermId| (*axiom, locals(terms, slots, *axiom));
        let chosen = made.edges.iter().map(|e| e.chosen.iter().map(|c| c.symbol).collect());
        Ok(Sequence {
            guard: terms.conjuncts(made.guard).iter().copied().filter(|g| !terms.is_true(*g)).collect(),
            axioms: part.constraints.iter().map(with_locals).collect(),
            after,
            chosen: chosen.collect(),
        })
    }

    /// A literal behind the part as a term before it.
    pub fn before(&self, terms: &Terms, literal: TermId) -> TermId {
        terms.substitute(literal, &self.after)
    }

    /// The formulas with all that is known of the symbols of the part in them.
    pub fn closed(&self, terms: &Terms, slots: &Slots, mut formulas: Vec<TermId>) -> Vec<TermId> {
        let mut known: FxHashSet<TermId> = formulas.iter().flat_map(|f| locals(terms, slots, *f)).collect();
        let mut open: Vec<&(TermId, Vec<TermId>)> = self.axioms.iter().collect();
        loop {
            let before = open.len();
            open.retain(|(axiom, symbols)| {
                let concerned = symbols.iter().any(|s| known.contains(s));
                if concerned {
                    formulas.push(*axiom);
                    known.extend(symbols);
                }
                !concerned
            });
            if open.len() == before {
                return formulas;
            }
        }
    }
}

/// Symbols that belong to a part.
pub fn locals(terms: &Terms, slots: &Slots, formula: TermId) -> Vec<TermId> {
    let symbols = terms.symbols_of(formula).into_iter().map(|s| terms.symbol_term(s));
    symbols.filter(|s| slots.is_local(*s)).collect()
}

/// All parts of a block; `None`: too many.
type Parts = Option<Rc<[Rc<Sequence>]>>;

/// Makes each part once.
#[derive(Debug, Default)]
pub struct Sequences {
    known: FxHashMap<(BlockId, Vec<EdgeId>), Rc<Sequence>>,
    ways: FxHashMap<(BlockId, usize), Parts>,
}

impl Sequences {
    pub fn get(
        &mut self,
        bench: &Workbench<'_>,
        block: BlockId,
        edges: &[EdgeId],
    ) -> Result<Rc<Sequence>, Reason> {
        let key = (block, edges.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(Sequence::new(bench, block, edges)?);
        self.known.insert(key, Rc::clone(&made));
        Ok(made)
    }

    /// All parts of a block; `None` if there are more than `limit`.
    pub fn all(&mut self, bench: &Workbench<'_>, block: BlockId, limit: usize) -> Result<Parts, Reason> {
        if let Some(known) = self.ways.get(&(block, limit)) {
            return Ok(known.clone());
        }
        let mut found: Option<Vec<Rc<Sequence>>> = Some(Vec::new());
        if let Some(ways) = ways(bench, block, limit)? {
            for way in ways {
                let made = self.get(bench, block, &way)?;
                found.as_mut().expect("not given up").push(made);
            }
        } else {
            found = None;
        }
        let found: Parts = found.map(Into::into);
        self.ways.insert((block, limit), found.clone());
        Ok(found)
    }
}

/// The ways through a block as edges; `None` if there are more than `limit`.
fn ways(bench: &Workbench<'_>, block: BlockId, limit: usize) -> Result<Option<Vec<Vec<EdgeId>>>, Reason> {
    let block = bench.graph.block(block);
    let region = bench.graph.region(block.region);
    // Numbers of ways to the exit, so that a large region is given up before its ways are made.
    let mut counts = vec![0_usize; region.nodes()];
    counts[block.exit as usize] = 1;
    for edge in region.edges.iter().rev() {
        counts[edge.from as usize] = counts[edge.from as usize].saturating_add(counts[edge.to as usize]);
    }
    if counts[0] > limit {
        return Ok(None);
    }
    let mut open = vec![(0_u32, Vec::new())];
    let mut found = Vec::new();
    while let Some((node, way)) = open.pop() {
        bench.budget.check()?;
        if node == block.exit {
            found.push(way);
            continue;
        }
        let first = region.edges.partition_point(|e| e.from < node);
        let leaving = region.edges[first..].iter().take_while(|e| e.from == node);
        for edge in leaving.filter(|e| counts[e.to as usize] > 0) {
            let mut longer = way.clone();
            longer.push(edge.edge);
            open.push((edge.to, longer));
        }
    }
    found.reverse();
    Ok(Some(found))
}
