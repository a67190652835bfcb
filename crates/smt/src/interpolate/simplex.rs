//! Exact linear programming: minimise `cost * x` subject to `rows * x = rhs`, `x >= 0`.
//!
//! The textbook two-phase tableau with Bland's rule (smallest index enters, smallest basic index leaves among
//! ties), which cannot cycle. Dense, because the programs here have few rows: one per variable of a pair of cubes.
//! Vertices are what we want: they have few non-zero entries, so certificates and half-spaces come out sparse.

use crate::session::Smt;
use craig_base::Stop;
use craig_logic::Rat;
use std::cell::Cell;

/// What linear programs may still take, counted in entries of tableaus that are computed.
#[derive(Debug)]
pub struct Effort {
    left: Cell<u64>,
    smt: Smt,
}

/// An entry takes about a quarter as long as a unit of the solver's work.
const ENTRIES_A_UNIT: u64 = 4;

impl Effort {
    pub fn new(entries: u64, smt: &Smt) -> Effort {
        Effort { left: Cell::new(entries), smt: smt.clone() }
    }

    /// Takes so many entries away; whether there were as many, and nobody wants this to end.
    pub fn spend(&self, entries: usize) -> bool {
        let (left, entries) = (self.left.get(), entries as u64);
        self.left.set(left.saturating_sub(entries));
        self.smt.calls().spend(entries / ENTRIES_A_UNIT);
        left >= entries && self.check().is_ok()
    }

    /// Nothing is left: programs without a solution may have one.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    pub fn check(&self) -> Result<(), Stop> {
        self.smt.budget().check()
    }
}

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
    /// An optimal vertex, or `None` when there is no solution or the effort is spent. A program without lower bound on its cost gives the
    /// vertex where that was noticed; the ones made here have costs that are not negative.
    pub fn solve(&self, effort: &Effort) -> Option<Vec<Rat>> {
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
        tableau.optimise(effort)?;
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
        tableau.optimise(effort)?;
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
    /// `None` if that takes too much.
    fn optimise(&mut self, effort: &Effort) -> Option<()> {
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
                Some((_, row)) => {
                    let entries = self.pivot(row, entering);
                    if !effort.spend(entries) {
                        return None;
                    }
                }
                None => break,
            }
        }
        Some(())
    }

    /// How many entries that took.
    fn pivot(&mut self, row: usize, column: usize) -> usize {
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
        let width = pivot_row.iter().filter(|c| !c.is_zero()).count();
        let mut entries = width;
        for other in 0..self.rows.len() {
            if other == row || self.rows[other][column].is_zero() {
                continue;
            }
            let factor = self.rows[other][column].clone();
            subtract(&mut self.rows[other], &factor, &pivot_row);
            self.rhs[other] = &self.rhs[other] - &(&factor * &pivot_rhs);
            entries += width;
        }
        let factor = self.reduced[column].clone();
        if !factor.is_zero() {
            subtract(&mut self.reduced, &factor, &pivot_row);
        }
        self.rows[row] = pivot_row;
        self.basis[row] = column;
        entries
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
    use craig_base::Budget;
    use std::rc::Rc;

    fn effort(entries: u64, budget: Budget) -> Effort {
        let smt = Smt::new(Rc::new(craig_logic::Terms::new()), budget).expect("a solver");
        Effort::new(entries, &smt)
    }

    fn solve(program: &Program) -> Option<Vec<Rat>> {
        program.solve(&effort(1000, Budget::unlimited()))
    }

    fn program(rows: &[&[i64]], rhs: &[i64], cost: &[i64]) -> Program {
        let rat = |v: &[i64]| v.iter().map(|n| Rat::from(*n)).collect::<Vec<_>>();
        Program { rows: rows.iter().map(|r| rat(r)).collect(), rhs: rat(rhs), cost: rat(cost) }
    }

    #[test]
    fn finds_the_optimum() {
        // x + y + s = 4, x - y = 1: the least x is 1.
        let p = program(&[&[1, 1, 1], &[1, -1, 0]], &[4, 1], &[1, 0, 0]);
        assert_eq!(solve(&p).unwrap(), [1, 0, 3].map(Rat::from).to_vec());
        // The largest x is 5/2.
        let p = program(&[&[1, 1, 1], &[1, -1, 0]], &[4, 1], &[-1, 0, 0]);
        assert_eq!(solve(&p).unwrap()[0], Rat::new(5, 2));
    }

    #[test]
    fn notices_infeasibility_and_redundancy() {
        assert_eq!(solve(&program(&[&[1, 1]], &[-1], &[0, 0])), None);
        let p = program(&[&[1, 1], &[2, 2]], &[1, 2], &[1, 0]);
        assert_eq!(solve(&p).unwrap(), [0, 1].map(Rat::from).to_vec());
        assert_eq!(solve(&program(&[&[1, 1], &[2, 2]], &[1, 3], &[1, 0])), None);
        assert_eq!(solve(&program(&[], &[], &[1])).unwrap(), vec![Rat::ZERO]);
    }

    #[test]
    fn effort_ends() {
        let p = program(&[&[1, 1, 1], &[1, -1, 0]], &[4, 1], &[1, 0, 0]);
        let little = effort(3, Budget::unlimited());
        assert_eq!(p.solve(&little), None);
        assert!(little.is_spent());
        let cancelled = Budget::unlimited();
        cancelled.cancel();
        assert_eq!(p.solve(&effort(1000, cancelled)), None);
    }
}
