//! Bounds on linear sums: which of them contradict each other, and with which weights.
//!
//! The simplex method for bounds (Dutertre and de Moura 2006): every sum has a column, tied to the columns of its monomials by a row; a bound
//! concerns one column. The tableau stays from one question to the next, so that a question that differs little costs little. A row that cannot be brought within its
//! bound names bounds that contradict each other, and its entries are their weights (Farkas).
//!
//! Invariants: a row says what its basic column is in terms of the others, none of which is basic; columns that are not basic lie within their bounds
//! while [`Bounds::check`] runs. Bland's rule: the smallest column wins, so the search ends.

use crate::interpolate::simplex::Effort;
use craig_logic::Rat;

/// A bound of a column, and who says so.
#[derive(Debug, Clone)]
struct Bound {
    value: Rat,
    who: usize,
}

/// Weighted bounds that contradict each other: who said it, whether it was an upper bound, and its weight, which is positive.
pub type Contradiction = Vec<(usize, bool, Rat)>;

#[derive(Debug)]
struct Row {
    basic: usize,
    /// Ascending.
    entries: Vec<(usize, Rat)>,
}

#[derive(Debug, Default)]
pub struct Bounds {
    rows: Vec<Row>,
    /// The row of a column, if it is basic.
    row_of: Vec<Option<usize>>,
    /// The rows in which a column occurs, and some in which it no longer does.
    uses: Vec<Vec<usize>>,
    values: Vec<Rat>,
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
}

/// The effort was not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp;

impl Bounds {
    /// A column for a monomial.
    pub fn column(&mut self) -> usize {
        self.row_of.push(None);
        self.uses.push(Vec::new());
        self.values.push(Rat::ZERO);
        self.lower.push(None);
        self.upper.push(None);
        self.values.len() - 1
    }

    /// A column for a sum of others.
    pub fn sum(&mut self, parts: &[(usize, Rat)]) -> usize {
        let basic = self.column();
        let mut entries: Vec<(usize, Rat)> = Vec::new();
        for (column, factor) in parts {
            match self.row_of[*column] {
                Some(row) => entries = plus(&entries, factor, &self.rows[row].entries),
                None => entries = plus(&entries, factor, &[(*column, Rat::ONE)]),
            }
        }
        let row = self.rows.len();
        let mut value = Rat::ZERO;
        for (column, factor) in &entries {
            self.uses[*column].push(row);
            value = &value + &(factor * &self.values[*column]);
        }
        self.values[basic] = value;
        self.row_of[basic] = Some(row);
        self.rows.push(Row { basic, entries });
        basic
    }

    pub fn value(&self, column: usize) -> &Rat {
        &self.values[column]
    }

    /// Forgets all bounds.
    pub fn clear(&mut self) {
        self.lower.iter_mut().chain(&mut self.upper).for_each(|b| *b = None);
    }

    /// Adds a bound; what is weaker than another on the same column is forgotten.
    pub fn bound(&mut self, column: usize, value: &Rat, is_upper: bool, who: usize) {
        let bound = if is_upper { &mut self.upper[column] } else { &mut self.lower[column] };
        let tighter = match bound {
            None => true,
            Some(old) => {
                if is_upper {
                    *value < old.value
                } else {
                    *value > old.value
                }
            }
        };
        if tighter {
            *bound = Some(Bound { value: value.clone(), who });
        }
    }

    /// Values within all bounds, or bounds that contradict each other.
    pub fn check(&mut self, effort: &Effort) -> Result<Option<Contradiction>, GivenUp> {
        for column in 0..self.values.len() {
            if let (Some(low), Some(high)) = (&self.lower[column], &self.upper[column])
                && low.value > high.value
            {
                return Ok(Some(vec![(low.who, false, Rat::ONE), (high.who, true, Rat::ONE)]));
            }
        }
        let mut entries = 0;
        for column in 0..self.values.len() {
            if self.row_of[column].is_none()
                && let Some((target, _)) = self.outside(column)
            {
                entries += self.move_to(column, &target);
            }
        }
        loop {
            if !effort.spend(std::mem::take(&mut entries)) {
                return Err(GivenUp);
            }
            let violated = (0..self.rows.len())
                .filter_map(|row| {
                    self.outside(self.rows[row].basic).map(|(to, up)| (self.rows[row].basic, row, to, up))
                })
                .min_by_key(|(basic, ..)| *basic);
            let Some((basic, row, target, rises)) = violated else { return Ok(None) };
            let free = self.rows[row].entries.iter().find(|(column, factor)| {
                let up = factor.is_positive() == rises;
                let bound = if up { &self.upper[*column] } else { &self.lower[*column] };
                bound.as_ref().is_none_or(|b| b.value != self.values[*column])
            });
            match free.map(|(column, _)| *column) {
                Some(column) => entries = self.pivot(row, column, &target),
                None => {
                    let own = if rises { &self.lower[basic] } else { &self.upper[basic] };
                    let mut found = vec![(own.as_ref().expect("violated").who, !rises, Rat::ONE)];
                    for (column, factor) in &self.rows[row].entries {
                        let up = factor.is_positive() == rises;
                        let bound = if up { &self.upper[*column] } else { &self.lower[*column] };
                        found.push((bound.as_ref().expect("not free").who, up, factor.abs()));
                    }
                    return Ok(Some(found));
                }
            }
        }
    }

    fn is_fixed(&self, column: usize) -> bool {
        matches!((&self.lower[column], &self.upper[column]), (Some(low), Some(high)) if low.value == high.value)
    }

    /// After a check without contradiction: what an equation fixes is no longer basic, so that other columns can move along it.
    pub fn loosen(&mut self, effort: &Effort) -> Result<(), GivenUp> {
        for row in 0..self.rows.len() {
            let basic = self.rows[row].basic;
            if !self.is_fixed(basic) {
                continue;
            }
            let free = self.rows[row].entries.iter().map(|(c, _)| *c).find(|c| !self.is_fixed(*c));
            if let Some(column) = free {
                let value = self.values[basic].clone();
                if !effort.spend(self.pivot(row, column, &value)) {
                    return Err(GivenUp);
                }
            }
        }
        Ok(())
    }

    /// After a check without contradiction: changes values, within all bounds, such that a column has another one. `keep` says of a column and a new value whether
    /// that will do. `false` if no small change of one column does it.
    pub fn shift(&mut self, column: usize, keep: impl Fn(usize, &Rat) -> bool) -> bool {
        let movable: Vec<usize> = match self.row_of[column] {
            Some(row) => self.rows[row].entries.iter().map(|(c, _)| *c).collect(),
            None => vec![column],
        };
        for moved in movable {
            let rows = self.using(moved);
            for change in [1, -1, 2, -2].map(Rat::from) {
                let fits = |c: usize, value: &Rat| {
                    let low = self.lower[c].as_ref().is_none_or(|b| b.value <= *value);
                    let high = self.upper[c].as_ref().is_none_or(|b| b.value >= *value);
                    low && high && keep(c, value)
                };
                let target = &self.values[moved] + &change;
                let others = rows.iter().all(|row| {
                    let row = &self.rows[*row];
                    fits(
                        row.basic,
                        &(&self.values[row.basic] + &(coefficient(&row.entries, moved) * &change)),
                    )
                });
                if others && fits(moved, &target) {
                    self.move_to(moved, &target);
                    return true;
                }
            }
        }
        false
    }

    /// After a check without contradiction: a column that lies at one of its bounds, which are close to each other, and that makes this column what it is. Who gave the bound, and
    /// whether it is the upper one.
    pub fn narrow(&self, column: usize, range: &Rat) -> Option<(usize, bool)> {
        let row = &self.rows[self.row_of[column]?];
        row.entries.iter().find_map(|(c, _)| {
            let (low, high) = (self.lower[*c].as_ref()?, self.upper[*c].as_ref()?);
            let width = &high.value - &low.value;
            let narrow = width.is_positive() && width <= *range;
            let upper = self.values[*c] == high.value;
            (narrow && (upper || self.values[*c] == low.value))
                .then_some((if upper { high.who } else { low.who }, upper))
        })
    }

    /// Where a column that lies outside of its bounds has to go, and whether that is up.
    fn outside(&self, column: usize) -> Option<(Rat, bool)> {
        let value = &self.values[column];
        match (&self.lower[column], &self.upper[column]) {
            (Some(low), _) if *value < low.value => Some((low.value.clone(), true)),
            (_, Some(high)) if *value > high.value => Some((high.value.clone(), false)),
            _ => None,
        }
    }

    /// Gives a column that is not basic a value; how many entries that took.
    fn move_to(&mut self, column: usize, target: &Rat) -> usize {
        let change = target - &self.values[column];
        let rows = self.using(column);
        for row in &rows {
            let row = &self.rows[*row];
            let factor = coefficient(&row.entries, column);
            self.values[row.basic] = &self.values[row.basic] + &(factor * &change);
        }
        self.values[column] = target.clone();
        rows.len()
    }

    /// The rows in which a column occurs.
    fn using(&mut self, column: usize) -> Vec<usize> {
        let mut rows = std::mem::take(&mut self.uses[column]);
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|row| self.rows[*row].entries.binary_search_by_key(&column, |(c, _)| *c).is_ok());
        self.uses[column] = rows.clone();
        rows
    }

    /// The basic column of a row gets its value by way of another column, which takes its place; how many entries that took.
    fn pivot(&mut self, row: usize, column: usize, target: &Rat) -> usize {
        let basic = self.rows[row].basic;
        let factor = coefficient(&self.rows[row].entries, column).clone();
        let step = &(target - &self.values[basic]) / &factor;
        let others: Vec<usize> = self.using(column).into_iter().filter(|r| *r != row).collect();
        self.values[basic] = target.clone();
        self.values[column] = &self.values[column] + &step;
        for other in &others {
            let other = &self.rows[*other];
            let change = coefficient(&other.entries, column) * &step;
            self.values[other.basic] = &self.values[other.basic] + &change;
        }
        // basic = factor * column + rest, so column = basic / factor - rest / factor.
        let inverse = factor.recip();
        let minus = -&inverse;
        let mut entries: Vec<(usize, Rat)> = self.rows[row]
            .entries
            .iter()
            .filter(|(c, _)| *c != column)
            .map(|(c, f)| (*c, f * &minus))
            .collect();
        let at = entries.partition_point(|(c, _)| *c < basic);
        entries.insert(at, (basic, inverse));
        let mut touched = entries.len();
        self.uses[basic].push(row);
        for other in others {
            let factor = coefficient(&self.rows[other].entries, column).clone();
            let mut old = std::mem::take(&mut self.rows[other].entries);
            old.retain(|(c, _)| *c != column);
            for (c, _) in &entries {
                if old.binary_search_by_key(c, |(o, _)| *o).is_err() {
                    self.uses[*c].push(other);
                }
            }
            self.rows[other].entries = plus(&old, &factor, &entries);
            touched += old.len() + entries.len();
        }
        self.rows[row] = Row { basic: column, entries };
        self.row_of[column] = Some(row);
        self.row_of[basic] = None;
        self.uses[column].clear();
        touched
    }
}

fn coefficient(entries: &[(usize, Rat)], column: usize) -> &Rat {
    let at = entries.binary_search_by_key(&column, |(c, _)| *c).expect("the column occurs");
    &entries[at].1
}

/// `a + factor * b`, where both ascend.
fn plus(a: &[(usize, Rat)], factor: &Rat, b: &[(usize, Rat)]) -> Vec<(usize, Rat)> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some((m, c)), Some((n, d))) if m == n => {
                let value = c + &(factor * d);
                if !value.is_zero() {
                    sum.push((*m, value));
                }
                a.next();
                b.next();
            }
            (Some((m, c)), other) if other.is_none_or(|(n, _)| m < n) => {
                sum.push((*m, c.clone()));
                a.next();
            }
            (_, Some((n, d))) => {
                sum.push((*n, factor * d));
                b.next();
            }
            (_, None) => return sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Smt;
    use craig_base::Budget;
    use std::rc::Rc;

    fn effort() -> Effort {
        let smt = Smt::new(Rc::new(craig_logic::Terms::new()), Budget::unlimited()).expect("a solver");
        Effort::new(100_000_000, &smt)
    }

    fn rat(n: i64) -> Rat {
        Rat::from(n)
    }

    /// x + y, x - y, x + 2y with bounds: contradictions are weighted sums that leave a positive number, all else has values.
    #[test]
    fn contradictions_have_weights() {
        let effort = effort();
        let mut seed = 7u64;
        let mut next = |n: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as i64 % n
        };
        let mut bounds = Bounds::default();
        let (x, y) = (bounds.column(), bounds.column());
        let factors = [[1, 0], [0, 1], [1, 1], [1, -1], [1, 2]];
        let sum = |bounds: &mut Bounds, f: &[i64; 2]| bounds.sum(&[(x, rat(f[0])), (y, rat(f[1]))]);
        let columns: Vec<usize> = [x, y]
            .into_iter()
            .chain(factors[2..].iter().map(|f| sum(&mut bounds, f)).collect::<Vec<_>>())
            .collect();
        let (mut possible, mut contradictory) = (0, 0);
        for round in 0..400 {
            bounds.clear();
            let said: Vec<(usize, bool, i64)> =
                (0..6).map(|_| (next(5) as usize, next(2) == 0, next(13) - 6)).collect();
            for (who, (column, is_upper, value)) in said.iter().enumerate() {
                bounds.bound(columns[*column], &rat(*value), *is_upper, who);
            }
            match bounds.check(&effort).expect("effort enough") {
                None => {
                    possible += 1;
                    for (column, is_upper, value) in &said {
                        let now = bounds.value(columns[*column]);
                        assert!(
                            if *is_upper { *now <= rat(*value) } else { *now >= rat(*value) },
                            "round {round}"
                        );
                    }
                }
                Some(found) => {
                    contradictory += 1;
                    // An upper bound says sum - value <= 0, a lower one value - sum <= 0.
                    let (mut left, mut constant) = ([Rat::ZERO, Rat::ZERO], Rat::ZERO);
                    for (who, is_upper, weight) in &found {
                        let (column, upper, value) = said[*who];
                        assert_eq!(upper, *is_upper);
                        assert!(weight.is_positive());
                        let weight = if upper { weight.clone() } else { -weight };
                        for (l, f) in left.iter_mut().zip(factors[column]) {
                            *l = &*l + &(&weight * &rat(f));
                        }
                        constant = &constant - &(&weight * &rat(value));
                    }
                    assert!(left.iter().all(Rat::is_zero) && constant.is_positive(), "round {round}");
                }
            }
        }
        assert!(possible > 50 && contradictory > 50, "{possible} and {contradictory}");
    }

    #[test]
    fn values_move_along_equations() {
        let effort = effort();
        let mut bounds = Bounds::default();
        let (x, y) = (bounds.column(), bounds.column());
        let difference = bounds.sum(&[(x, Rat::ONE), (y, Rat::MINUS_ONE)]);
        for is_upper in [true, false] {
            bounds.bound(difference, &Rat::ZERO, is_upper, 0);
        }
        assert_eq!(bounds.check(&effort), Ok(None));
        bounds.loosen(&effort).expect("effort enough");
        assert!(bounds.shift(x, |column, value| column != y || !value.is_zero()));
        assert!(!bounds.value(x).is_zero() && bounds.value(x) == bounds.value(y));
        bounds.bound(y, &Rat::ZERO, true, 1);
        bounds.bound(y, &Rat::ZERO, false, 2);
        assert_eq!(bounds.check(&effort), Ok(None));
        assert!(!bounds.shift(x, |_, _| true), "it is fixed");
    }
}
