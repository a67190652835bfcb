//! Cubes of one side of a cut: conjunctions of literals, prepared for linear reasoning.
//!
//! The linear literals become rows `linear = 0`, `<= 0` or `< 0` over monomials (symbols, or foreign terms such as
//! `f(x)` taken as they are). A disequality is resolved to the side on which the model lies. `x div k` and `x mod k`
//! get the rows that define them. Monomials that are not shared are eliminated with equalities where their coefficient
//! is one (over the reals: any), which is exact, also over the integers. Every row is implied by the cube.

use super::vocabulary::Vocabulary;
use craig_logic::{Evaluator, Linear, LinearLiteral, Op, Rat, Relation, Sort, TermId, Terms};
use rustc_hash::FxHashSet;

/// How a row compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Eq,
    Le,
    Lt,
}

/// `linear kind 0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    pub linear: Linear,
    pub kind: Kind,
}

/// A conjunction of literals.
#[derive(Debug, Clone)]
pub struct Cube {
    pub rows: Vec<Row>,
    /// Literals outside linear arithmetic.
    pub opaque: Vec<TermId>,
}

impl Cube {
    /// From literals that hold under `values`.
    pub fn new(terms: &Terms, literals: &[TermId], values: &mut Evaluator<'_>, shared: &Vocabulary) -> Cube {
        let mut rows = Vec::new();
        let mut opaque = Vec::new();
        for literal in literals {
            match terms.linear_literal(*literal) {
                Some(found) => rows.push(row(&found, values)),
                None => opaque.push(*literal),
            }
        }
        define_divisions(terms, &mut rows);
        eliminate(terms, &mut rows, shared);
        merge_bounds(&mut rows);
        Cube { rows, opaque }
    }

    /// The monomials of all rows, ascending.
    pub fn monomials(&self) -> Vec<TermId> {
        let mut all: Vec<TermId> =
            self.rows.iter().flat_map(|r| r.linear.terms.iter().map(|(m, _)| *m)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn row(literal: &LinearLiteral, values: &mut Evaluator<'_>) -> Row {
    let mut linear = literal.linear.clone();
    let kind = match literal.relation {
        Relation::Eq => Kind::Eq,
        Relation::Le => Kind::Le,
        Relation::Lt => Kind::Lt,
        Relation::Ne => {
            let mut value = linear.constant.clone();
            for (monomial, factor) in &linear.terms {
                if let Some(n) = values.eval(*monomial).as_num() {
                    value = &value + &(n * factor);
                }
            }
            if value.is_positive() {
                linear = linear.scaled(&Rat::MINUS_ONE);
            }
            if literal.sort == Sort::Int {
                linear.constant = linear.constant + Rat::ONE;
                Kind::Le
            } else {
                Kind::Lt
            }
        }
    };
    // Literals come with coprime coefficients; integer bounds are tight.
    debug_assert!(literal.sort != Sort::Int || linear.constant.is_integer());
    Row { linear, kind }
}

/// Adds `e = k * (e div k) + (e mod k)` and `0 <= e mod k < k` for divisions by numbers among the monomials.
fn define_divisions(terms: &Terms, rows: &mut Vec<Row>) {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut next = 0;
    while next < rows.len() {
        let monomials: Vec<TermId> = rows[next].linear.terms.iter().map(|(m, _)| *m).collect();
        next += 1;
        for monomial in monomials {
            if !matches!(terms.op(monomial), Op::Div | Op::Mod) || !seen.insert(monomial) {
                continue;
            }
            let (e, k) = (terms.arg(monomial, 0), terms.arg(monomial, 1));
            let Some(divisor) = terms.number(k).filter(Rat::is_positive) else { continue };
            let (quotient, remainder) = (terms.div(e, k), terms.modulo(e, k));
            // The constructors may have rewritten either; the facts hold for what they gave, by the same law.
            seen.extend([quotient, remainder]);
            let difference = terms.linear(e).plus(&-&divisor, &terms.linear(quotient));
            let rest = terms.linear(remainder);
            rows.push(Row { linear: difference.plus(&Rat::MINUS_ONE, &rest), kind: Kind::Eq });
            rows.push(Row { linear: rest.scaled(&Rat::MINUS_ONE), kind: Kind::Le });
            let below = Linear::constant(&Rat::ONE - &divisor);
            rows.push(Row { linear: rest.plus(&Rat::ONE, &below), kind: Kind::Le });
        }
    }
}

fn eliminate(terms: &Terms, rows: &mut Vec<Row>, shared: &Vocabulary) {
    loop {
        let mut found = None;
        'search: for (i, row) in rows.iter().enumerate() {
            if row.kind != Kind::Eq {
                continue;
            }
            for (monomial, factor) in &row.linear.terms {
                let exact = factor.is_one() || factor.is_minus_one();
                let usable = match terms.sort(*monomial) {
                    // All coefficients must be integers, or the eliminated variable could become a fraction.
                    Sort::Int => exact && row.linear.terms.iter().all(|(_, c)| c.is_integer()),
                    _ => true,
                };
                if usable && !shared.covers(terms, *monomial) {
                    found = Some((i, *monomial, factor.clone()));
                    break 'search;
                }
            }
        }
        let Some((i, monomial, factor)) = found else { break };
        let definition = rows.swap_remove(i).linear;
        for row in rows.iter_mut() {
            let coefficient = row.linear.coefficient(monomial);
            if !coefficient.is_zero() {
                row.linear = row.linear.plus(&-(coefficient / &factor), &definition);
            }
        }
    }
    for row in rows.iter_mut() {
        tighten(terms, row);
    }
    let mut seen = FxHashSet::default();
    rows.retain(|row| !row.linear.is_constant() && seen.insert(row.clone()));
}

/// Coprime coefficients; over the integers the constant is rounded to the tight side.
pub fn tighten(terms: &Terms, row: &mut Row) {
    let factor = row.linear.content_inverse();
    row.linear = row.linear.scaled(&factor);
    let integers = row.linear.terms.iter().all(|(m, _)| terms.sort(*m) == Sort::Int);
    if integers && row.kind != Kind::Eq {
        if row.kind == Kind::Lt {
            // s + c < 0 over integers: s <= -c - 1 if c is an integer, else s <= floor(-c).
            row.linear.constant = row.linear.constant.floor() + Rat::ONE;
            row.kind = Kind::Le;
        } else {
            row.linear.constant = row.linear.constant.ceil();
        }
    }
}

/// `s <= b` and `s >= b` become `s = b`: equalities carry divisibility.
fn merge_bounds(rows: &mut Vec<Row>) {
    let mut i = 0;
    while i < rows.len() {
        if rows[i].kind == Kind::Le {
            let negated = Row { linear: rows[i].linear.scaled(&Rat::MINUS_ONE), kind: Kind::Le };
            if let Some(j) = rows.iter().position(|r| *r == negated).filter(|j| *j > i) {
                rows[i].kind = Kind::Eq;
                rows.swap_remove(j);
            }
        }
        i += 1;
    }
}
