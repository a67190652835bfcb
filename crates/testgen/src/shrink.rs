//! From a program that shows a mistake to a small one that still does.
//!
//! Delta debugging on the tree: statements are left out, many at once first; a block takes the place of the statement around it; an
//! expression becomes a constant or one of its parts. Whether the text is still C is for the caller's test to say: what is not
//! shows no mistake.

use crate::tree::{Expr, Piece, Program, Stmt};

/// The smallest program found that still `fails`. At most `tests` programs are tried.
pub fn shrink(program: &Program, tests: usize, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tests;
    loop {
        let before = size(&best);
        let mut at = 0;
        while let Some(candidates) = changes(&best, at) {
            let mut taken = false;
            for candidate in candidates {
                if left == 0 {
                    return best;
                }
                left -= 1;
                if size(&candidate) < size(&best) && fails(&candidate) {
                    best = candidate;
                    taken = true;
                    break;
                }
            }
            // What comes next has moved to this position.
            at += usize::from(!taken);
        }
        if size(&best) >= before {
            return best;
        }
    }
}

/// Characters; shorter is simpler.
fn size(program: &Program) -> usize {
    program.to_string().len()
}

/// What could be done at the n-th node of the tree; `None` behind the last.
fn changes(program: &Program, at: usize) -> Option<Vec<Program>> {
    let mut count = at;
    let found = in_stmts(&program.items, &mut count)?;
    Some(found.into_iter().map(|items| Program { items }).collect())
}

fn in_stmts(stmts: &[Stmt], count: &mut usize) -> Option<Vec<Vec<Stmt>>> {
    for (i, stmt) in stmts.iter().enumerate() {
        if *count == 0 {
            return Some(at_stmt(stmts, i));
        }
        *count -= 1;
        if let Some(found) = in_pieces(&stmt.pieces, count) {
            let with = |pieces| {
                let mut all = stmts.to_vec();
                all[i] = Stmt { pieces };
                all
            };
            return Some(found.into_iter().map(with).collect());
        }
    }
    None
}

/// Leaves out statements from one on, or puts a block in its place.
fn at_stmt(stmts: &[Stmt], i: usize) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for many in [16, 8, 4, 2, 1] {
        if i + many <= stmts.len() {
            all.push([&stmts[..i], &stmts[i + many..]].concat());
        }
    }
    for piece in &stmts[i].pieces {
        if let Piece::Block(inner) = piece {
            all.push([&stmts[..i], inner, &stmts[i + 1..]].concat());
        }
    }
    all
}

fn in_pieces(pieces: &[Piece], count: &mut usize) -> Option<Vec<Vec<Piece>>> {
    for (i, piece) in pieces.iter().enumerate() {
        let with = |new: Piece| {
            let mut all = pieces.to_vec();
            all[i] = new;
            all
        };
        match piece {
            Piece::Text(_) => {}
            Piece::Block(stmts) => {
                if let Some(found) = in_stmts(stmts, count) {
                    return Some(found.into_iter().map(|s| with(Piece::Block(s))).collect());
                }
            }
            Piece::Expr(e) => {
                if *count == 0 {
                    return Some(at_expr(e).into_iter().map(|e| with(Piece::Expr(e))).collect());
                }
                *count -= 1;
                if let Some(found) = in_pieces(&e.pieces, count) {
                    return Some(found.into_iter().map(|p| with(Piece::Expr(Expr { pieces: p }))).collect());
                }
            }
        }
    }
    None
}

fn at_expr(e: &Expr) -> Vec<Expr> {
    let parts = e.pieces.iter().filter_map(|p| match p {
        Piece::Expr(part) => Some(part.clone()),
        _ => None,
    });
    ["0", "1"].map(Expr::text).into_iter().chain(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, generate};

    #[test]
    fn keeps_what_matters() {
        let program = generate(3, &Size::default());
        let small = shrink(&program, 100_000, |p| p.to_string().contains("reach_error();"));
        assert!(small.to_string().lines().count() <= 5, "{small}");
    }

    #[test]
    fn depends_on_the_seed_alone() {
        assert_eq!(generate(1, &Size::default()), generate(1, &Size::default()));
        assert_ne!(generate(1, &Size::default()), generate(2, &Size::default()));
    }
}
