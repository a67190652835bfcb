//! Predecessors of a cube: states from which one step leads into it.
//!
//! A model of the step chooses one sequential part of the block. Its weakest existential precondition is exact, a conjunction of the part's guard and the literals
//! of the cube before the part; what is left in it of the values that the program chooses is projected away, which makes it smaller. That shapes obligations,
//! and never a lemma.

use super::cube::Cube;
use super::parts::{Sequence, Sequences, locals};
use crate::counterexample::way_through;
use crate::workbench::Workbench;
use craig_cfa::BlockId;
use craig_logic::{Evaluator, Model, Op, Rat, Relation, Sort, Substitution, TermId, Terms};
use craig_smt::project;
use craig_verdict::Reason;
use std::rc::Rc;

/// A cube before the block, of which every state leads into `cube`; the model is one of the step.
pub fn of_model(
    bench: &mut Workbench<'_>,
    sequences: &mut Sequences,
    block: BlockId,
    cube: &Cube,
    model: &Model,
) -> Result<Predecessor, Reason> {
    let formula = bench.formula(block)?;
    let terms = Rc::clone(&bench.terms);
    let mut values = Evaluator::new(&terms, model);
    let mut way = way_through(&formula.edges, formula.exit, &mut |term| values.eval(term))?;
    way.reverse();
    let edges: Vec<_> = way.iter().map(|t| t.edge).collect();
    let part = sequences.get(bench, block, &edges)?;
    let formulas = precondition(&terms, &part, cube);
    let formulas = part.closed(&terms, &bench.slots, formulas);
    let whole = terms.and(formulas.iter().copied());
    // The choices of the program have the values that they have in the block's formula.
    let mut own = model.clone();
    for (taken, chosen) in way.iter().zip(&part.chosen) {
        for (of_block, of_part) in taken.chosen.iter().zip(chosen) {
            if let Some(symbol) = terms.as_symbol(*of_part) {
                own.set(symbol, values.eval(of_block.symbol));
            }
        }
    }
    let mut known = Evaluator::new(&terms, &own);
    let mut asked = None;
    if !known.holds(whole) {
        // Operations that are no terms have symbols of their own in the part: the solver knows their values.
        let state =
            terms.symbols_of(whole).into_iter().filter(|s| !bench.slots.is_local(terms.symbol_term(*s)));
        let fixed = state.map(|s| {
            let symbol = terms.symbol_term(s);
            terms.eq(symbol, values.eval(symbol).to_term(&terms, terms.sort(symbol)))
        });
        let mut question: Vec<TermId> = fixed.collect();
        question.push(whole);
        let (status, found) = bench.smt.check_model(&question);
        status.decided()?;
        asked = found;
    }
    let model = asked.as_ref().unwrap_or(&own);
    let cube = project(bench, whole, model)?;
    Ok(Predecessor { state: state(&terms, &cube, model), cube })
}

/// A cube of predecessors with one of its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predecessor {
    pub cube: Cube,
    pub state: Rc<[(TermId, Rat)]>,
}

/// The numbers that a cube speaks of, in a model.
pub fn state(terms: &Terms, cube: &Cube, model: &Model) -> Rc<[(TermId, Rat)]> {
    let mut values = Evaluator::new(terms, model);
    let symbols = terms.symbols_of_all(cube.literals()).into_iter().map(|s| terms.symbol_term(s));
    let number = |symbol: TermId| values.eval(symbol).as_num().cloned().map(|value| (symbol, value));
    symbols.filter_map(number).collect()
}

/// The guard of a part and the literals of a cube before it.
pub fn precondition(terms: &Terms, part: &Sequence, cube: &Cube) -> Vec<TermId> {
    let mut formulas = part.guard.clone();
    formulas.extend(cube.literals().iter().map(|l| part.before(terms, *l)));
    formulas
}

/// Literals over the state that hold in the model and imply that the formula can be satisfied.
pub fn project(bench: &Workbench<'_>, formula: TermId, model: &Model) -> Result<Cube, Reason> {
    let (terms, slots) = (&bench.terms, &bench.slots);
    let not_a_model = || Reason::Internal("a precondition is false in the model that it comes from".into());
    let literals = terms.implicant(formula, model).ok_or_else(not_a_model)?;
    let literals = solve_for_locals(bench, literals);
    let left = terms.and(literals.iter().copied());
    let symbols: Vec<_> = locals(terms, slots, left).iter().filter_map(|s| terms.as_symbol(*s)).collect();
    if symbols.is_empty() {
        return Ok(Cube::new(literals));
    }
    let projected = project::by_model(&bench.smt, left, model, &symbols).map_err(|error| match error {
        project::ProjectError::Undecided(why) => why.into(),
        other => Reason::Internal(other.to_string()),
    })?;
    terms.implicant(projected, model).map(Cube::new).ok_or_else(not_a_model)
}

/// The literals without those symbols of the part that one of them gives the value of, and without Boolean ones.
fn solve_for_locals(bench: &Workbench<'_>, mut literals: Vec<TermId>) -> Vec<TermId> {
    let (terms, slots) = (&bench.terms, &bench.slots);
    let is_local = |s: TermId| matches!(terms.op(s), Op::Symbol(_)) && slots.is_local(s);
    literals.retain(|l| !is_local(terms.atom(*l).0));
    while let Some((position, symbol, value)) = literals
        .iter()
        .enumerate()
        .find_map(|(i, l)| definition(terms, *l, &is_local).map(|(s, v)| (i, s, v)))
    {
        literals.swap_remove(position);
        let map = Substitution::from_iter([(symbol, value)]);
        literals =
            literals.iter().map(|l| terms.substitute(*l, &map)).filter(|l| !terms.is_true(*l)).collect();
        literals.sort_unstable();
        literals.dedup();
    }
    literals
}

/// A local symbol and its value, if the literal says it.
fn definition(terms: &Terms, literal: TermId, is_local: &dyn Fn(TermId) -> bool) -> Option<(TermId, TermId)> {
    let free_of = |term: TermId, symbol: TermId| {
        terms.as_symbol(symbol).is_some_and(|s| terms.symbols_of(term).binary_search(&s).is_err())
    };
    if let Some(linear) = terms.linear_literal(literal) {
        if linear.relation != Relation::Eq {
            return None;
        }
        let sort = linear.sort;
        return linear.linear.terms.iter().find_map(|(monomial, coefficient)| {
            let unit = sort == Sort::Real || coefficient.abs().is_one();
            if !unit || !is_local(*monomial) {
                return None;
            }
            // c * x + rest = 0
            let mut rest = linear.linear.clone();
            rest.terms.retain(|(m, _)| m != monomial);
            let value = terms.from_linear(&rest.scaled(&-coefficient.recip()), sort);
            free_of(value, *monomial).then_some((*monomial, value))
        });
    }
    if terms.op(literal) != Op::Eq {
        return None;
    }
    let (a, b) = (terms.arg(literal, 0), terms.arg(literal, 1));
    [(a, b), (b, a)].into_iter().find(|(symbol, value)| is_local(*symbol) && free_of(*value, *symbol))
}
