//! Another order of variables, when diagrams have become large: sifting (Rudell), by blocks of variables that stay together.
//!
//! `oxidd` moves variables where it is told; where they are best is found here.

use super::{BddVar, Bdds};
use oxidd::{Manager, ManagerRef};
use oxidd_core::LevelView;
use oxidd_reorder::set_var_order_seq;

/// Blocks that are moved, those with most nodes first.
const MOVED: usize = 16;

impl Bdds {
    /// Moves blocks of variables, one after the other, to where there are the fewest nodes. Each block is moved on as long as there are at most
    /// a fifth more nodes, and `go_on` says so. Only blocks trade places with each other. Returns whether anything was tried.
    ///
    /// `oxidd` ends the program if it has no room for a node while it moves variables: without plenty of room nothing is done.
    pub fn sift(&self, blocks: &[Vec<BddVar>], mut go_on: impl FnMut() -> bool) -> bool {
        self.manager.with_manager_exclusive(|m| {
            m.gc();
            if m.num_inner_nodes() > self.limit / 4 {
                return false;
            }
            // One reordering for all moves: each takes a clearing of the table of results.
            m.reorder(|m| sift(m, blocks, &mut go_on));
            true
        })
    }
}

/// See [`Bdds::sift`].
fn sift<M: Manager>(m: &mut M, blocks: &[Vec<BddVar>], go_on: &mut impl FnMut() -> bool)
where
    M::InnerNode: oxidd::HasLevel,
{
    let mut order: Vec<usize> = (0..blocks.len()).filter(|block| !blocks[*block].is_empty()).collect();
    order.sort_by_key(|block| m.var_to_level(blocks[*block][0].0));
    let mut largest = order.clone();
    let size = |block: usize| -> usize {
        blocks[block].iter().map(|var| m.level(m.var_to_level(var.0)).len()).sum()
    };
    largest.sort_by_cached_key(|block| std::cmp::Reverse(size(*block)));
    for block in largest.into_iter().take(MOVED) {
        let Some(home) = order.iter().position(|b| *b == block) else { continue };
        let start = m.num_inner_nodes();
        let (mut best, mut best_at, mut at) = (start, home, home);
        // To the nearer end first.
        let ends = if home * 2 > order.len() { [order.len() - 1, 0] } else { [0, order.len() - 1] };
        for end in ends {
            while at != end && go_on() {
                let next = if end > at { at + 1 } else { at - 1 };
                order.swap(at, next);
                at = next;
                apply(m, blocks, &order);
                let nodes = m.num_inner_nodes();
                if nodes < best {
                    (best, best_at) = (nodes, at);
                }
                if nodes > start + start / 5 {
                    break;
                }
            }
        }
        let moved = order.remove(at);
        order.insert(best_at, moved);
        apply(m, blocks, &order);
    }
}

fn apply<M: Manager>(m: &mut M, blocks: &[Vec<BddVar>], order: &[usize])
where
    M::InnerNode: oxidd::HasLevel,
{
    let vars: Vec<u32> = order.iter().flat_map(|block| blocks[*block].iter().map(|var| var.0)).collect();
    set_var_order_seq(m, &vars);
}

#[cfg(test)]
mod tests {
    use super::super::{Bdd, BddVar, Bdds, BooleanFunction};

    /// Pairs that are equal, with all first ones above all second ones: exponential, linear with each pair together.
    #[test]
    fn pairs_come_together() {
        let bdds = Bdds::new(1 << 16, 1 << 12);
        let vars: Vec<BddVar> = (0..16).map(|_| bdds.new_var()).collect();
        let x: Vec<Bdd> = vars.iter().map(|v| bdds.var(*v).expect("room")).collect();
        let mut all = bdds.constant(true);
        for i in 0..8 {
            all = all.and(&x[i].equiv(&x[8 + i]).expect("room")).expect("room");
        }
        let before = bdds.cubes(&all).expect("room").len();
        let (nodes, support) = (all_nodes(&all), bdds.support(&all));
        assert!(nodes > 500, "{nodes}");
        let blocks: Vec<Vec<BddVar>> = vars.iter().map(|v| vec![*v]).collect();
        assert!(bdds.sift(&blocks, || true));
        assert!(all_nodes(&all) < 40, "{}", all_nodes(&all));
        // The same function.
        assert_eq!(bdds.support(&all), support);
        assert_eq!(bdds.cubes(&all).expect("room").len(), before);
        let mut again = bdds.constant(true);
        for i in 0..8 {
            again = again.and(&x[i].equiv(&x[8 + i]).expect("room")).expect("room");
        }
        assert!(again == all);
        // Blocks stay together.
        let blocks: Vec<Vec<BddVar>> = vars.chunks(4).map(<[BddVar]>::to_vec).collect();
        assert!(bdds.sift(&blocks, || true));
    }

    fn all_nodes(function: &Bdd) -> usize {
        oxidd::Function::node_count(function)
    }

    #[test]
    fn without_room_nothing_moves() {
        let bdds = Bdds::new(64, 64);
        let vars: Vec<BddVar> = (0..20).map(|_| bdds.new_var()).collect();
        let kept: Vec<Bdd> = vars.iter().map(|v| bdds.var(*v).expect("room")).collect();
        assert!(!bdds.sift(&[vec![vars[0]], vec![vars[1]]], || true));
        assert_eq!(kept.len(), 20);
    }
}
