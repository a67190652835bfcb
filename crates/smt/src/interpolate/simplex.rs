//! Exact linear programming: minimise `cost * x` subject to `rows * x = rhs`, `x >= 0`.
//!
//! The textbook two-phase tableau with Bland's rule (smallest index enters, smallest basic index leaves among
//! ties), which cannot cycle. Dense, because the programs here have few rows: one per variable of a pair of cubes.
//! Vertices are what we want: they have few non-zero entries, so certificates and half-spaces come out sparse.

use craig_logic::Rat;

/// A linear program in standard form.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub rows: Vec<Vec<Rat>>,
    pub rhs: Vec<Rat>,
    /// One entry per column.
    pub cost: Vec<Rat>,
}

/// Basic column of a row that still has its artificial variable.
const ARTIFICIAL: usize = usize::MAX;

struct Tableau {
    rows: Vec<Vec<Rat>>,
    rhs: Vec<Rat>,
    basis: Vec<usize>,
    /// Reduced costs.
    reduced: Vec<Rat>,
}

impl Program {
    /// An optimal vertex, or `None` when there is no solution. A program without lower bound on its cost gives the
    /// vertex where that was noticed; the ones made here have costs that are not negative.
    pub fn solve(&self) -> Option<Vec<Rat>> {
        let columns = self.cost.len();
        let mut tableau = Tableau {
            rows: Vec::with_capacity(self.rows.len()),
            rhs: Vec::with_capacity(self.rows.len()),
            basis: vec![ARTIFICIAL; self.rows.len()],
            reduced: vec![Rat::ZERO; columns],
        };
        for (row, rhs) in self.rows.iter().zip(&self.rhs) {
            debug_assert_eq!(row.len(), columns);
            let flip = rhs.is_negative();
            tableau.rows.push(row.iter().map(|c| if flip { -c } else { c.clone() }).collect());
            tableau.rhs.push(rhs.abs());
        }
        // Phase 1: minimise the sum of the artificial variables.
        for row in &tableau.rows {
            for (r, c) in tableau.reduced.iter_mut().zip(row) {
                if !c.is_zero() {
                    *r = &*r - c;
                }
            }
        }
        tableau.optimise();
        for (row, basic) in tableau.basis.iter().enumerate() {
            if *basic == ARTIFICIAL && !tableau.rhs[row].is_zero() {
                return None;
            }
        }
        tableau.drop_artificial();
        // Phase 2: the cost in terms of the non-basic variables.
        tableau.reduced = self.cost.clone();
        for row in 0..tableau.rows.len() {
            let factor = self.cost[tableau.basis[row]].clone();
            if !factor.is_zero() {
                subtract(&mut tableau.reduced, &factor, &tableau.rows[row]);
            }
        }
        tableau.optimise();
        let mut solution = vec![Rat::ZERO; columns];
        for (row, basic) in tableau.basis.iter().enumerate() {
            solution[*basic] = tableau.rhs[row].clone();
        }
        Some(solution)
    }
}

/// `target -= factor * row`.
fn subtract(target: &mut [Rat], factor: &Rat, row: &[Rat]) {
    for (t, r) in target.iter_mut().zip(row) {
        if !r.is_zero() {
            *t = &*t - &(factor * r);
        }
    }
}

impl Tableau {
    fn optimise(&mut self) {
        while let Some(entering) = self.reduced.iter().position(Rat::is_negative) {
            let mut best: Option<(Rat, usize)> = None;
            for row in 0..self.rows.len() {
                let coefficient = &self.rows[row][entering];
                if !coefficient.is_positive() {
                    continue;
                }
                let ratio = &self.rhs[row] / coefficient;
                let better = match &best {
                    None => true,
                    Some((least, chosen)) => {
                        // Artificial variables leave first: they never come back.
                        let rank = |r: usize| if self.basis[r] == ARTIFICIAL { 0 } else { self.basis[r] + 1 };
                        ratio < *least || ratio == *least && rank(row) < rank(*chosen)
                    }
                };
                if better {
                    best = Some((ratio, row));
                }
            }
            match best {
                Some((_, row)) => self.pivot(row, entering),
                None => return,
            }
        }
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let inverse = self.rows[row][column].recip();
        if !inverse.is_one() {
            for c in &mut self.rows[row] {
                if !c.is_zero() {
                    *c = &*c * &inverse;
                }
            }
            self.rhs[row] = &self.rhs[row] * &inverse;
        }
        let pivot_row = std::mem::take(&mut self.rows[row]);
        let pivot_rhs = self.rhs[row].clone();
        for other in 0..self.rows.len() {
            if other == row || self.rows[other][column].is_zero() {
                continue;
            }
            let factor = self.rows[other][column].clone();
            subtract(&mut self.rows[other], &factor, &pivot_row);
            self.rhs[other] = &self.rhs[other] - &(&factor * &pivot_rhs);
        }
        let factor = self.reduced[column].clone();
        if !factor.is_zero() {
            subtract(&mut self.reduced, &factor, &pivot_row);
        }
        self.rows[row] = pivot_row;
        self.basis[row] = column;
    }

    /// Drives artificial variables of value zero out of the basis; rows where that is impossible are redundant.
    fn drop_artificial(&mut self) {
        let mut row = 0;
        while row < self.rows.len() {
            if self.basis[row] != ARTIFICIAL {
                row += 1;
                continue;
            }
            match self.rows[row].iter().position(|c| !c.is_zero()) {
                Some(column) => {
                    self.pivot(row, column);
                    row += 1;
                }
                None => {
                    self.rows.swap_remove(row);
                    self.rhs.swap_remove(row);
                    self.basis.swap_remove(row);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(rows: &[&[i64]], rhs: &[i64], cost: &[i64]) -> Program {
        let rat = |v: &[i64]| v.iter().map(|n| Rat::from(*n)).collect::<Vec<_>>();
        Program { rows: rows.iter().map(|r| rat(r)).collect(), rhs: rat(rhs), cost: rat(cost) }
    }

    #[test]
    fn finds_the_optimum() {
        // x + y + s = 4, x - y = 1: the least x is 1.
        let p = program(&[&[1, 1, 1], &[1, -1, 0]], &[4, 1], &[1, 0, 0]);
        assert_eq!(p.solve().unwrap(), [1, 0, 3].map(Rat::from).to_vec());
        // The largest x is 5/2.
        let p = program(&[&[1, 1, 1], &[1, -1, 0]], &[4, 1], &[-1, 0, 0]);
        assert_eq!(p.solve().unwrap()[0], Rat::new(5, 2));
    }

    #[test]
    fn notices_infeasibility_and_redundancy() {
        assert_eq!(program(&[&[1, 1]], &[-1], &[0, 0]).solve(), None);
        let p = program(&[&[1, 1], &[2, 2]], &[1, 2], &[1, 0]);
        assert_eq!(p.solve().unwrap(), [0, 1].map(Rat::from).to_vec());
        assert_eq!(program(&[&[1, 1], &[2, 2]], &[1, 3], &[1, 0]).solve(), None);
        assert_eq!(program(&[], &[], &[1]).solve().unwrap(), vec![Rat::ZERO]);
    }
}
