//! Blocks of every kind: as text, on the figures of LBE, and on random programs against the program itself.

use super::*;
use crate::BinOp;
use crate::pass::inline;
use crate::print::Printer;
use crate::testing::random::random_program;
use crate::testing::walk::{End, Walk};
use crate::testing::{Build, chain_of_ifs, figure_1, figure_2};
use insta::assert_snapshot;

const KINDS: [Blocks; 5] = [
    Blocks::Single,
    Blocks::Large,
    Blocks::Adjustable(BlockEnd::LoopHeads),
    Blocks::Adjustable(BlockEnd::Calls),
    Blocks::Adjustable(BlockEnd::Operations(3)),
];

fn graph(program: &Program, kind: Blocks) -> BlockGraph {
    BlockGraph::new(program, kind, &Budget::unlimited()).expect("no limit")
}

fn text(program: &Program, kind: Blocks) -> String {
    Printer::new(program).blocks(&graph(program, kind))
}

#[test]
fn figure_1_is_one_edge_to_the_exit_and_one_to_the_error() {
    assert_snapshot!(text(&figure_1(), Blocks::Large), @r"
    global p1: i32
    global p2: i32
    global p3: i32
    global x1: i32
    global x2: i32
    global x3: i32

    proc main() -> i32    // entry L1, exit L2
      R0.6 =
          ([p1 != 0] ; x1 = 1 || [p1 == 0]) ;
          ([p2 != 0] ; x2 = 2 || [p2 == 0]) ;
          ([p3 != 0] ; x3 = 3 || [p3 == 0])
      R0.7 = R0.6 ; [p1 != 0]
      R0.8 = R0.6 ; [p1 == 0] || R0.7 ; [x1 == 1]
      R0.9 = R0.8 ; [p2 != 0]
      R0.10 = R0.8 ; [p2 == 0] || R0.9 ; [x2 == 2]
      R0.11 = R0.10 ; [p3 != 0]
      L1 -> ERROR: R0.7 ; [x1 != 1] || R0.9 ; [x2 != 2] || R0.11 ; [x3 != 3]
      L1 -> L2: (R0.10 ; [p3 == 0] || R0.11 ; [x3 == 3]) ; return 0
    ");
}

#[test]
fn figure_2_as_printed() {
    assert_snapshot!(text(&figure_2(), Blocks::Large), @r"
    global i: i32
    global x: i32
    global z: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L3: skip
      L3 -> L3: [0 < i] ; ([x == 1] ; z = 0 || [x != 1] ; z = 1) ; i = i - 1
      L3 -> L2: [!(0 < i)] ; return 0
    ");
}

/// A loop behind a join: adjustable blocks run through the join, large ones stop at it only if it is no part of one head.
#[test]
fn kinds_of_blocks() {
    let mut b = Build::new();
    let x = b.global("x");
    let l: Vec<LocId> = (0..5).map(|_| b.loc()).collect();
    let entry = b.entry();
    let c = b.cmp(BinOp::Eq, x, 0);
    b.branch(entry, c, l[0], l[1]);
    b.set(l[0], l[2], x, 1);
    b.set(l[1], l[2], x, 2);
    let c = b.cmp(BinOp::Lt, x, 9);
    b.branch(l[2], c, l[3], l[4]);
    let more = b.cmp(BinOp::Add, x, 1);
    b.assign(l[3], l[2], x, more);
    let bad = b.cmp(BinOp::Ne, x, 9);
    let error = b.error();
    b.assume(l[4], error, bad);
    let shown: Vec<String> =
        KINDS.iter().map(|kind| format!("{kind:?}:\n{}", text(&b.program, *kind))).collect();
    assert_snapshot!(shown.join("\n"), @r"
    Single:
    global x: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L3: [x == 0]
      L1 -> L4: [x != 0]
      L3 -> L5: x = 1
      L4 -> L5: x = 2
      L5 -> L6: [x < 9]
      L5 -> L7: [!(x < 9)]
      L6 -> L5: x = x + 1
      L7 -> ERROR: [x != 9]

    Large:
    global x: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L5: [x == 0] ; x = 1 || [x != 0] ; x = 2
      L5 -> L5: [x < 9] ; x = x + 1
      L5 -> ERROR: [!(x < 9)] ; [x != 9]

    Adjustable(LoopHeads):
    global x: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L5: [x == 0] ; x = 1 || [x != 0] ; x = 2
      L5 -> L5: [x < 9] ; x = x + 1
      L5 -> ERROR: [!(x < 9)] ; [x != 9]

    Adjustable(Calls):
    global x: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L5: [x == 0] ; x = 1 || [x != 0] ; x = 2
      L5 -> L5: [x < 9] ; x = x + 1
      L5 -> ERROR: [!(x < 9)] ; [x != 9]

    Adjustable(Operations(3)):
    global x: i32

    proc main() -> i32    // entry L1, exit L2
      L1 -> L5: [x == 0] ; x = 1 || [x != 0] ; x = 2
      L5 -> L5: [x < 9] ; x = x + 1
      L5 -> ERROR: [!(x < 9)] ; [x != 9]
    ");
}

/// Around a call that stays, and at its return, every kind of block ends.
#[test]
fn adjustable_blocks_lead_to_the_error_then_around_then_on() {
    for seed in 0..200 {
        let program = random_program(seed);
        let graph = graph(&program, Blocks::Adjustable(BlockEnd::LoopHeads));
        for loc in program.locs.indices() {
            let targets: Vec<LocId> = graph.leaving(loc).iter().map(|b| graph.block(*b).to).collect();
            let place = |to: &LocId| (*to != program.error, graph.order.position[*to]);
            assert!(targets.is_sorted_by_key(place), "seed {seed}: {loc:?} leads to {targets:?}");
        }
    }
}

#[test]
fn calls_are_blocks_of_their_own() {
    let mut b = Build::new();
    let g = b.global("g");
    let f = b.proc("f");
    let (entry, l) = (b.entry(), b.loc());
    b.set(entry, l, g, 1);
    b.ret_num(l, 0);
    b.proc = b.program.entry;
    let (entry, l, m) = (b.entry(), b.loc(), b.loc());
    b.set(entry, l, g, 2);
    b.call(l, m, f, vec![], None);
    let (bad, error) = (b.cmp(BinOp::Ne, g, 1), b.error());
    b.assume(m, error, bad);
    for kind in KINDS {
        let graph = graph(&b.program, kind);
        let alone = graph.regions().iter().filter(|r| r.edges.len() == 1);
        let ops = alone.map(|r| &b.program.edges[r.edges[0].edge].op);
        let count = ops.filter(|op| matches!(op, Op::Call(_) | Op::Return(_))).count();
        assert_eq!(count, 2, "{kind:?}");
    }
}

#[test]
fn size_is_linear() {
    for checks in [false, true] {
        let [small, large] = [1000, 2000].map(|n| chain_of_ifs(n, checks));
        for program in [&small, &large] {
            // Without checks nothing leads to the error, and adjustable blocks have nowhere to end.
            for kind in [Blocks::Large, Blocks::default()].into_iter().take(1 + usize::from(checks)) {
                let graph = graph(program, kind);
                let edges: usize = graph.regions().iter().map(|r| r.edges.len()).sum();
                assert_eq!(graph.regions().len(), 1);
                assert!(edges <= program.edges.len() && edges + 2 >= program.edges.len());
            }
        }
        let [a, b] = [&small, &large].map(|p| text(p, Blocks::Large).len());
        assert!(b < a * 23 / 10, "text of {a} and {b} characters");
    }
}

/// A run over blocks ends as a run over the program does.
#[test]
fn runs_over_blocks_end_as_runs_over_the_program() {
    const STEPS: usize = 300;
    let mut errors = 0;
    for seed in 0..1000 {
        let program = random_program(seed);
        let inlined = inline(&program, None, 1_000_000, &Budget::unlimited()).expect("small").program;
        for program in [&program, &inlined] {
            for kind in KINDS {
                let graph = graph(program, kind);
                for values in 0..2 {
                    let before = Walk::new(program, values).run(STEPS);
                    let after = Walk::new(program, values).run_blocks(&graph, STEPS);
                    match (before, after) {
                        (End::Error, End::Error) => errors += 1,
                        (End::Error, _) | (End::Quiet, End::Error) => {
                            panic!("seed {seed}, {kind:?}: {before:?}, then {after:?}\n{program}")
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(errors > 1000, "{errors}");
}

#[test]
fn what_is_broken_is_found() {
    let program = figure_1();
    let sound = graph(&program, Blocks::Large).regions()[RegionId::from_raw(0)].clone();
    assert_eq!(sound.broken(&program), None);
    let check = |change: fn(&mut Region)| {
        let mut region = sound.clone();
        change(&mut region);
        region.broken(&program)
    };
    assert_eq!(check(|r| r.edges[3].to = 0), Some("an edge does not go upwards"));
    assert_eq!(check(|r| r.edges.reverse()), Some("its edges are not in order"));
    assert_eq!(check(|r| r.edges[0].edge = r.edges[1].edge), Some("an edge has other ends in the program"));
    assert_eq!(check(|r| r.edges.truncate(8)), Some("a node is not reachable"));
    assert_eq!(check(|r| r.edges.retain(|e| e.from != 1)), Some("a node reaches no exit"));
}

#[test]
fn a_budget_ends_the_making() {
    let program = chain_of_ifs(10_000, true);
    let budget = Budget::unlimited().with_work(1000);
    assert_eq!(BlockGraph::new(&program, Blocks::Large, &budget).err(), Some(Stop::Work));
}
