//! Separating cubes: half-spaces and congruences that hold on the left and exclude the right.
//!
//! - [`half_space`]: by Farkas' lemma a conjunction of linear rows has no rational solution exactly when some weighted
//!   sum of them is a contradiction; the weights of the left rows give a half-space over what both sides share. With
//!   several cubes on either side one linear program looks for a single half-space that holds in all left cubes and
//!   in no right one: the fact that covers most generalises best.
//!   The sum is split into its independent parts only for [`Strength::Strong`]. "Split if a part alone still
//!   separates" cannot be the default rule: the weights are a vertex, a vertex has a minimal set of rows, so no part
//!   of the sum contradicts the rows it was found with. Splitting always loses `s = 2 * i` for `s = 0, i = 0`.
//! - [`congruence`]: equalities without a common integer solution, as `x = 2a` and `x = 2b + 1`, are refuted by a
//!   weighted sum with integer coefficients and a fractional constant (Hermite form); the left part of it is a
//!   congruence over the shared monomials.
//! - [`branch`]: what only case splits refute. A split on a shared monomial `m <= k` gives
//!   `(m <= k and I1) or (m > k and I2)`, on a left one `I1 or I2`, on a right one `I1 and I2`. Bounded.

use super::Strength;
use super::cube::{Cube, Kind, Row, tighten};
use super::simplex::{Effort, Program};
use super::vocabulary::Vocabulary;
use craig_logic::{Linear, Rat, Sort, TermId, Terms};

/// Splits that [`branch`] makes at most for one pair.
const MAX_SPLITS: u32 = 24;

/// What the functions here need to know of a cut.
pub struct Cut<'a> {
    pub terms: &'a Terms,
    pub shared: &'a Vocabulary,
    pub strength: Strength,
    /// For linear programs: without it there is no answer.
    pub effort: &'a Effort,
}

impl Cut<'_> {
    fn is_shared(&self, monomial: TermId) -> bool {
        self.shared.covers(self.terms, monomial)
    }

    fn sort_of(&self, linear: &Linear) -> Option<Sort> {
        let mut sorts = linear.terms.iter().map(|(m, _)| self.terms.sort(*m));
        let first = sorts.next().unwrap_or(Sort::Int);
        sorts.all(|s| s == first).then_some(first)
    }
}

/// A formula over shared symbols that the left cube implies and the right one contradicts.
pub fn pair(cut: &Cut<'_>, a: &Cube, b: &Cube) -> Option<TermId> {
    // The same atom with opposite signs decides.
    for literal in &a.opaque {
        if b.opaque.contains(&cut.terms.not(*literal)) && cut.is_shared(*literal) {
            return Some(*literal);
        }
    }
    half_space(cut, &[a], &[b]).or_else(|| branch(cut, &a.rows, &b.rows))
}

/// Columns of a linear program under construction.
#[derive(Default)]
struct Builder {
    columns: usize,
    rows: Vec<(Vec<(usize, Rat)>, Rat)>,
    cost: Vec<Rat>,
}

impl Builder {
    fn column(&mut self, cost: Rat) -> usize {
        self.columns += 1;
        self.cost.push(cost);
        self.columns - 1
    }

    fn solve(self, effort: &Effort) -> Option<Vec<Rat>> {
        let mut program = Program { rows: Vec::new(), rhs: Vec::new(), cost: self.cost };
        for (entries, rhs) in self.rows {
            let mut row = vec![Rat::ZERO; self.columns];
            for (column, value) in entries {
                row[column] = &row[column] + &value;
            }
            program.rows.push(row);
            program.rhs.push(rhs);
        }
        program.solve(effort)
    }
}

/// Weights for the rows of a cube: a column each, two for equalities, whose weight may have either sign.
fn weights(builder: &mut Builder, cube: &Cube) -> Vec<(usize, Option<usize>)> {
    cube.rows
        .iter()
        .map(|row| {
            let plus = builder.column(Rat::ONE);
            (plus, (row.kind == Kind::Eq).then(|| builder.column(Rat::ONE)))
        })
        .collect()
}

fn weight(solution: &[Rat], columns: (usize, Option<usize>)) -> Rat {
    match columns.1 {
        Some(minus) => &solution[columns.0] - &solution[minus],
        None => solution[columns.0].clone(),
    }
}

/// Adds `value * weight` of a row to the entries of a constraint.
fn entry(entries: &mut Vec<(usize, Rat)>, columns: (usize, Option<usize>), value: &Rat) {
    if value.is_zero() {
        return;
    }
    entries.push((columns.0, value.clone()));
    if let Some(minus) = columns.1 {
        entries.push((minus, -value));
    }
}

/// One half-space that holds in every left cube and in no right one.
pub fn half_space(cut: &Cut<'_>, left: &[&Cube], right: &[&Cube]) -> Option<TermId> {
    if let ([a], [b]) = (left, right) {
        return single(cut, a, b, false).or_else(|| single(cut, a, b, true));
    }
    let union = |cubes: &[&Cube]| {
        let mut all: Vec<TermId> = cubes.iter().flat_map(|c| c.monomials()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (on_left, on_right) = (union(left), union(right));
    let common: Vec<TermId> =
        on_left.iter().filter(|m| on_right.binary_search(m).is_ok() && cut.is_shared(**m)).copied().collect();
    if common.is_empty() {
        return None;
    }
    let mut builder = Builder::default();
    // The half-space: coefficients and constant, each the difference of two columns. Coefficients cost, so that
    // few are used.
    let dear = Rat::from(16);
    let coefficients: Vec<(usize, usize)> =
        common.iter().map(|_| (builder.column(dear.clone()), builder.column(dear.clone()))).collect();
    let constant = (builder.column(Rat::ZERO), builder.column(Rat::ZERO));
    let mut left_weights = Vec::new();
    for (cube, is_left) in left.iter().map(|c| (c, true)).chain(right.iter().map(|c| (c, false))) {
        let columns = weights(&mut builder, cube);
        let sign = if is_left { Rat::MINUS_ONE } else { Rat::ONE };
        let mut monomials = cube.monomials();
        monomials.extend(common.iter().copied());
        monomials.sort_unstable();
        monomials.dedup();
        for monomial in monomials {
            // The weighted sum is the half-space (left) or its opposite (right).
            let mut entries = Vec::new();
            for (row, column) in cube.rows.iter().zip(&columns) {
                entry(&mut entries, *column, &row.linear.coefficient(monomial));
            }
            if let Ok(i) = common.binary_search(&monomial) {
                entries.push((coefficients[i].0, sign.clone()));
                entries.push((coefficients[i].1, -&sign));
            }
            builder.rows.push((entries, Rat::ZERO));
        }
        let mut entries = Vec::new();
        for (row, column) in cube.rows.iter().zip(&columns) {
            entry(&mut entries, *column, &row.linear.constant);
        }
        entries.push((constant.0, sign.clone()));
        entries.push((constant.1, -&sign));
        let slack = builder.column(Rat::ZERO);
        entries.push((slack, Rat::MINUS_ONE));
        // Left: the sum's constant is at least that of the half-space. Right: together they exceed zero, by one.
        builder.rows.push((entries, if is_left { Rat::ZERO } else { Rat::ONE }));
        if is_left {
            left_weights.push((cube, columns));
        }
    }
    let solution = builder.solve(cut.effort)?;
    let mut linear = Linear::default();
    for (monomial, (plus, minus)) in common.iter().zip(&coefficients) {
        let value = &solution[*plus] - &solution[*minus];
        if !value.is_zero() {
            linear.terms.push((*monomial, value));
        }
    }
    linear.constant = &solution[constant.0] - &solution[constant.1];
    if cut.strength == Strength::Strong {
        // The tightest constant that all left cubes allow.
        let bounds = left_weights.iter().map(|(cube, columns)| {
            cube.rows
                .iter()
                .zip(columns)
                .fold(Rat::ZERO, |s, (row, c)| &s + &(&weight(&solution, *c) * &row.linear.constant))
        });
        linear.constant = bounds.min()?;
    }
    let sort = cut.sort_of(&linear)?;
    Some(cut.terms.le_zero(&linear, sort, false))
}

/// The half-space of one pair. With `strict` the contradiction is `0 < 0` and needs a strict row.
fn single(cut: &Cut<'_>, a: &Cube, b: &Cube, strict: bool) -> Option<TermId> {
    if strict && !a.rows.iter().chain(&b.rows).any(|r| r.kind == Kind::Lt) {
        return None;
    }
    let mut builder = Builder::default();
    let (wa, wb) = (weights(&mut builder, a), weights(&mut builder, b));
    let all = || a.rows.iter().zip(&wa).chain(b.rows.iter().zip(&wb));
    let mut monomials = a.monomials();
    monomials.extend(b.monomials());
    monomials.sort_unstable();
    monomials.dedup();
    for monomial in monomials {
        let mut entries = Vec::new();
        for (row, column) in all() {
            entry(&mut entries, *column, &row.linear.coefficient(monomial));
        }
        builder.rows.push((entries, Rat::ZERO));
    }
    let mut entries = Vec::new();
    for (row, column) in all() {
        entry(&mut entries, *column, &row.linear.constant);
    }
    builder.rows.push((entries, if strict { Rat::ZERO } else { Rat::ONE }));
    if strict {
        let used = all().filter(|(row, _)| row.kind == Kind::Lt).map(|(_, c)| (c.0, Rat::ONE)).collect();
        builder.rows.push((used, Rat::ONE));
    }
    let solution = builder.solve(cut.effort)?;
    let sum = |rows: &[Row], columns: &[(usize, Option<usize>)]| {
        rows.iter()
            .zip(columns)
            .fold(Linear::default(), |s, (row, c)| s.plus(&weight(&solution, *c), &row.linear))
    };
    if cut.strength == Strength::Strong && !strict {
        return decomposed(cut, a, &wa, &solution);
    }
    let mut left = sum(&a.rows, &wa);
    let used = |row: &Row, c: &(usize, Option<usize>)| row.kind == Kind::Lt && !solution[c.0].is_zero();
    let left_strict = a.rows.iter().zip(&wa).any(|(row, c)| used(row, c));
    if left.terms.iter().any(|(m, _)| !cut.is_shared(*m)) {
        return None;
    }
    let sort = cut.sort_of(&left)?;
    if cut.strength == Strength::Weak && !strict {
        // The right side says: left sum >= its own constant; anything below that will do.
        let right = sum(&b.rows, &wb);
        left.constant = -&right.constant;
        return Some(cut.terms.le_zero(&left, sort, true));
    }
    Some(cut.terms.le_zero(&left, sort, left_strict))
}

/// The left rows with weight, summed only as far as needed to be over shared monomials: rows that are connected by
/// monomials of the left side stay together. Stronger than the one sum.
fn decomposed(
    cut: &Cut<'_>,
    a: &Cube,
    columns: &[(usize, Option<usize>)],
    solution: &[Rat],
) -> Option<TermId> {
    let mut groups: Vec<(Vec<TermId>, Linear, bool)> = Vec::new();
    for (row, c) in a.rows.iter().zip(columns) {
        let w = weight(solution, *c);
        if w.is_zero() {
            continue;
        }
        let local: Vec<TermId> =
            row.linear.terms.iter().map(|(m, _)| *m).filter(|m| !cut.is_shared(*m)).collect();
        let mut merged = (local, row.linear.scaled(&w), row.kind == Kind::Lt);
        let mut rest = Vec::new();
        for group in groups {
            if group.0.iter().any(|m| merged.0.contains(m)) {
                merged.0.extend(group.0);
                merged.1 = merged.1.plus(&Rat::ONE, &group.1);
                merged.2 |= group.2;
            } else {
                rest.push(group);
            }
        }
        rest.push(merged);
        groups = rest;
    }
    let mut atoms = Vec::new();
    for (_, linear, strict) in &groups {
        if linear.terms.iter().any(|(m, _)| !cut.is_shared(*m)) {
            return None;
        }
        atoms.push(cut.terms.le_zero(linear, cut.sort_of(linear)?, *strict));
    }
    Some(cut.terms.and(atoms))
}

/// A congruence that the left equalities imply and the right ones contradict.
pub fn congruence(cut: &Cut<'_>, a: &[Row], b: &[Row]) -> Option<TermId> {
    let whole = |row: &&Row| {
        row.kind == Kind::Eq
            && row.linear.terms.iter().all(|(m, c)| c.is_integer() && cut.terms.sort(*m) == Sort::Int)
    };
    let left: Vec<&Row> = a.iter().filter(whole).collect();
    let right: Vec<&Row> = b.iter().filter(whole).collect();
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let rows: Vec<&Linear> = left.iter().chain(&right).map(|r| &r.linear).collect();
    let weights = fractional_combination(&rows)?;
    let sum = left.iter().zip(&weights).fold(Linear::default(), |s, (row, w)| s.plus(w, &row.linear));
    let mut modulus = Rat::ONE;
    for (monomial, c) in &sum.terms {
        if !c.is_integer() {
            if !cut.is_shared(*monomial) {
                return None;
            }
            modulus = modulus.lcm(&c.den());
        }
    }
    if modulus.is_one() {
        return None;
    }
    // modulus * sum = 0, and what has an integer coefficient in `sum` vanishes modulo `modulus`.
    let mut kept = Linear::default();
    for (monomial, c) in &sum.terms {
        if !c.is_integer() {
            kept.terms.push((*monomial, c * &modulus));
        }
    }
    let remainder = (-&sum.constant * modulus.clone()).div_mod(&modulus).1;
    if !remainder.is_integer() {
        return None;
    }
    let t = cut.terms;
    let (kept, modulus) = (t.from_linear(&kept, Sort::Int), t.numeral(&modulus, Sort::Int));
    Some(t.eq(t.modulo(kept, modulus), t.numeral(&remainder, Sort::Int)))
}

/// Weights that make the sum of the rows have integer coefficients and a fractional constant: they exist exactly
/// when the rows, as equalities, have a rational but no integer solution.
pub fn fractional_combination(rows: &[&Linear]) -> Option<Vec<Rat>> {
    let mut monomials: Vec<TermId> = rows.iter().flat_map(|l| l.terms.iter().map(|(m, _)| *m)).collect();
    monomials.sort_unstable();
    monomials.dedup();
    // Columns of the matrix; unimodular operations on them bring it into echelon form row by row.
    let mut columns: Vec<Vec<Rat>> =
        monomials.iter().map(|m| rows.iter().map(|l| l.coefficient(*m)).collect()).collect();
    let mut pivots: Vec<usize> = Vec::new();
    let mut solution: Vec<Rat> = Vec::new();
    for row in 0..rows.len() {
        let rank = pivots.len();
        // Euclid's algorithm on the entries of this row right of the pivots.
        loop {
            let best = (rank..columns.len())
                .filter(|c| !columns[*c][row].is_zero())
                .min_by_key(|c| columns[*c][row].abs());
            let Some(best) = best else { break };
            columns.swap(rank, best);
            let mut done = true;
            for c in rank + 1..columns.len() {
                if columns[c][row].is_zero() {
                    continue;
                }
                let factor = (&columns[c][row] / &columns[rank][row]).floor();
                let (head, tail) = columns.split_at_mut(c);
                for (t, p) in tail[0].iter_mut().zip(&head[rank]) {
                    *t = &*t - &(&factor * p);
                }
                done &= tail[0][row].is_zero();
            }
            if done {
                break;
            }
        }
        if rank >= columns.len() || columns[rank][row].is_zero() {
            continue;
        }
        // Forward substitution; the system is rows * x = -constant.
        let mut value = -&rows[row].constant;
        for (k, y) in solution.iter().enumerate() {
            value = &value - &(&columns[k][row] * y);
        }
        let value = &value / &columns[rank][row];
        pivots.push(row);
        if value.is_integer() {
            solution.push(value);
            continue;
        }
        // The last row of the inverse of the triangular matrix of pivots.
        let n = pivots.len();
        let mut weights = vec![Rat::ZERO; rows.len()];
        for k in (0..n).rev() {
            let mut w = if k == n - 1 { Rat::ONE } else { Rat::ZERO };
            for later in k + 1..n {
                w = &w - &(&weights[pivots[later]] * &columns[k][pivots[later]]);
            }
            weights[pivots[k]] = &w / &columns[k][pivots[k]];
        }
        return Some(weights);
    }
    None
}

/// A rational point of the rows.
fn point(cut: &Cut<'_>, rows: &[&Row]) -> Option<Vec<(TermId, Rat)>> {
    let mut monomials: Vec<TermId> =
        rows.iter().flat_map(|r| r.linear.terms.iter().map(|(m, _)| *m)).collect();
    monomials.sort_unstable();
    monomials.dedup();
    let mut builder = Builder::default();
    let columns: Vec<(usize, usize)> =
        monomials.iter().map(|_| (builder.column(Rat::ONE), builder.column(Rat::ONE))).collect();
    for row in rows {
        let mut entries = Vec::new();
        for (m, c) in &row.linear.terms {
            let (plus, minus) = columns[monomials.binary_search(m).expect("collected above")];
            entries.push((plus, c.clone()));
            entries.push((minus, -c));
        }
        if row.kind != Kind::Eq {
            entries.push((builder.column(Rat::ZERO), Rat::ONE));
        }
        builder.rows.push((entries, -&row.linear.constant));
    }
    let solution = builder.solve(cut.effort)?;
    let values = monomials.into_iter().zip(columns);
    Some(values.map(|(m, (plus, minus))| (m, &solution[plus] - &solution[minus])).collect())
}

/// Refutes a pair over the integers by congruences and case splits.
pub fn branch(cut: &Cut<'_>, a: &[Row], b: &[Row]) -> Option<TermId> {
    let integral = |row: &Row| row.linear.terms.iter().all(|(m, _)| cut.terms.sort(*m) == Sort::Int);
    // Strict rows are real ones; with mixed sorts the other layers are better.
    if !a.iter().chain(b).all(integral) {
        return None;
    }
    let mut splits = 0;
    refute(cut, a.to_vec(), b.to_vec(), &mut splits)
}

fn refute(cut: &Cut<'_>, a: Vec<Row>, b: Vec<Row>, splits: &mut u32) -> Option<TermId> {
    if let Some(found) = congruence(cut, &a, &b) {
        return Some(found);
    }
    let all: Vec<&Row> = a.iter().chain(&b).collect();
    let values = point(cut, &all)?;
    // Shared monomials first: their splits stay readable.
    let fractional = || values.iter().filter(|(_, v)| !v.is_integer());
    let (monomial, value) = fractional().find(|(m, _)| cut.is_shared(*m)).or_else(|| fractional().next())?;
    *splits += 1;
    if *splits > MAX_SPLITS {
        return None;
    }
    let occurs = |rows: &[Row]| rows.iter().any(|r| !r.linear.coefficient(*monomial).is_zero());
    let shared = cut.is_shared(*monomial);
    let (on_left, on_right) = (shared || occurs(&a), shared || occurs(&b));
    if on_left && on_right && !shared {
        return None;
    }
    let below = |sign: i64, bound: Rat| {
        let linear = Linear::monomial(*monomial).scaled(&Rat::from(sign));
        Row { linear: linear.plus(&Rat::ONE, &Linear::constant(bound)), kind: Kind::Le }
    };
    let floor = value.floor();
    // m <= floor, and m >= floor + 1.
    let cases = [below(1, -&floor), below(-1, &floor + &Rat::ONE)];
    let mut parts = Vec::new();
    for case in &cases {
        let (mut a, mut b) = (a.clone(), b.clone());
        if on_left {
            a.push(case.clone());
        }
        if on_right {
            b.push(case.clone());
        }
        for row in a.iter_mut().chain(&mut b) {
            tighten(cut.terms, row);
        }
        let (left, right) = (Cube { rows: a, opaque: Vec::new() }, Cube { rows: b, opaque: Vec::new() });
        let part = single(cut, &left, &right, false)
            .or_else(|| refute(cut, left.rows.clone(), right.rows.clone(), splits))?;
        parts.push(part);
    }
    let t = cut.terms;
    Some(match (on_left, on_right) {
        (true, true) => {
            let split = t.le_zero(&cases[0].linear, Sort::Int, false);
            t.or([t.and([split, parts[0]]), t.and([t.not(split), parts[1]])])
        }
        (true, false) => t.or(parts),
        _ => t.and(parts),
    })
}
