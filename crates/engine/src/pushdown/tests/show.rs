//! The graph of counterexamples as a picture.

use super::procedures::{TWO_PROCEDURES, modular};
use super::{Interpolants, lab};
use crate::pushdown::show::Shown;
use craig_frontend::Overflow;
use insta::assert_snapshot;

/// Figure 5.2: the callee by itself, and the call that uses it.
#[test]
fn clusters_formulas_and_edges() {
    lab(TWO_PROCEDURES, Overflow::Wrap, |lab| {
        let graph = modular(lab);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let chosen = scheme.choose(Interpolants::Weakest, &strongest).expect("room");
        let shown = Shown { scheme: &scheme, strongest: &strongest, chosen: &chosen };
        assert_snapshot!(shown.dot(), @r#"
        digraph counterexamples {
          node [fontname="monospace", fontsize=10, shape=box];
          edge [fontname="monospace", fontsize=9];
          subgraph cluster_0 {
            label="foo returns";
            n0 [label="foo:10\lstrongest: G == old.G && foo.P == old.foo.P\lchosen: (foo.P & 1) == 0\l|| (old.foo.P & 1) != 0\l", peripheries=2];
            n1 [label="foo:f0\lstrongest: G == old.G && foo.P == old.foo.P\lchosen: (foo.P & 1) == 0\l|| (old.foo.P & 1) != 0\l"];
            n2 [label="foo:f1\lstrongest: G == old.G && foo.P == old.foo.P\l&& old.foo.P != 1 && old.foo.P != 3\l&& old.foo.P != 5 && old.foo.P != 7\lchosen: 1\l"];
            n4 [label="foo:f2\lstrongest: G == old.G && foo.P == old.foo.P\l&& (foo.P & 1) != 0\lchosen: (old.foo.P & 1) != 0\l"];
            n3 [label="foo:f3\lstrongest: foo.P == 0 ? (old.foo.P & 1) == 0\l&& G == old.G : foo.P == 5 && G == old.G\l&& (old.foo.P & 1) != 0\lchosen: foo.P == 0 || (old.foo.P & 1) != 0\l"];
            n5 [label="foo:f4\lstrongest: G == 0 ? (old.foo.P & 1) == 0\l&& foo.P == 0 : G == 5 && foo.P == 5\l&& (old.foo.P & 1) != 0\lchosen: G == 0 || (old.foo.P & 1) != 0\l"];
            n6 [label="foo returned\lstrongest: (old.foo.P & 1) == 0 ? G == 0 : G ==\l5\lchosen: G == 0 || (old.foo.P & 1) != 0\l"];
          }
          subgraph cluster_1 {
            label="main does not return";
            n7 [label="main:m0\lstrongest: 1\lchosen: 1\l", peripheries=2];
            n8 [label="main:m1\lstrongest: (main.L & 1) == 0\lchosen: (main.L & 1) == 0\l"];
            n9 [label="main:6 waits for foo\lstrongest: main.L == new.foo.P\l&& new.foo.P != 1 && new.foo.P != 3\l&& new.foo.P != 5 && new.foo.P != 7\lchosen: (new.foo.P & 1) == 0\l", style=rounded];
            n10 [label="main:m2\lstrongest: (main.L & 1) == 0 && G == 0\lchosen: G == 0\l"];
            n11 [label="main:error\lstrongest: 0\lchosen: 0\l"];
            n12 [label="main error\lstrongest: 0\lchosen: 0\l", style=filled, fillcolor=lightpink];
          }
          n0 -> n1 [label="step"];
          n1 -> n2 [label="step"];
          n2 -> n3 [label="step"];
          n1 -> n4 [label="step"];
          n4 -> n3 [label="step"];
          n3 -> n5 [label="step"];
          n5 -> n6 [label="pop"];
          n7 -> n8 [label="step"];
          n8 -> n9 [label="push"];
          n9 -> n10 [label="eval"];
          n6 -> n10 [label="eval", style=dashed];
          n10 -> n11 [label="step"];
          n11 -> n12 [label="step"];
        }
        "#);
    });
}
