//! Chapters 3 and 4, and the examples of chapter 6 without procedures.

use super::*;

/// Examples 3.9 and 3.15: the graph of figures 3.2 and 3.3, whose edges are relations. What is expected is computed along its paths.
#[test]
fn examples_3_9_and_3_15() {
    let text = "
int X(3);
init q <x1>;
q <x1> --> q <x2> \"A\" (X' > X + 2)
q <x1> --> q <x3> \"B\" (X' < 3 && X' <= X)
q <x2> --> q <x3> \"C\" (X' + X == 5)
q <x2> --> q <x4> \"D\" (X' == X || X' == 0)
q <x3> --> q <error> \"E\" (X >= 4 && X' >= 0)
q <x4> --> q <error> \"F\" (X == 1 && X' >= 0)
";
    let a = |x: u32, y: u32| y > x + 2;
    let b = |x: u32, y: u32| y < 3 && y <= x;
    let c = |x: u32, y: u32| y + x == 5;
    let d = |x: u32, y: u32| y == x || y == 0;
    let e = |x: u32| x >= 4;
    let f = |x: u32| x == 1;
    let some = |holds: &dyn Fn(u32) -> bool| (0..8).any(holds);
    lab(text, Overflow::Block, |lab| {
        let mut edges = steps(&["x1", "x2", "x3"]);
        edges.extend(steps(&["x1", "x3", "error"]));
        edges.extend(steps(&["x2", "x4", "error"]));
        edges.extend(steps(&["error", "x1 error"]));
        let graph = lab.dag(&edges);
        assert_eq!(graph.dag.edges.len(), 7);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &weakest).expect("room");

        let at = |name: &str| graph.at(&strongest, name);
        assert!(at("x1").valid());
        lab.says(at("x2"), ["X"], |[x]| some(&|x1| a(x1, x)));
        lab.says(at("x3"), ["X"], |[x]| {
            some(&|x1| b(x1, x)) || some(&|x2| some(&|x1| a(x1, x2) && c(x2, x)))
        });
        lab.says(at("x4"), ["X"], |[x]| some(&|x2| some(&|x1| a(x1, x2) && d(x2, x))));
        assert!(!at("error").satisfiable());

        let at = |name: &str| graph.at(&weakest, name);
        assert!(!at("error").satisfiable());
        lab.says(at("x4"), ["X"], |[x]| !f(x));
        lab.says(at("x3"), ["X"], |[x]| !e(x));
        lab.says(at("x2"), ["X"], |[x]| !some(&|x3| c(x, x3) && e(x3)) && !some(&|x4| d(x, x4) && f(x4)));
        assert!(at("x1").valid());
        // The two differ.
        for node in ["x2", "x3", "x4"] {
            assert!(*graph.at(&strongest, node) != *graph.at(&weakest, node), "{node}");
        }
    });
}

/// Figure 4.2.
pub const RUNNING: &str = "
int a(1), X(4), Y(4);
module void main() {
  n1: X = X * (X + 1);
  n2: if
  :: a == 0 -> n3: Y = 2;
  :: else ->
    n4: do
    :: Y mod 2 != 0 -> n5: Y = Y + 1;
    :: else -> break;
    od
  fi
  n6: X = X + Y;
  n7: if :: X mod 2 != 0 -> goto error; :: else -> return; fi
  error: skip;
}
";

/// Example 4.3: the graph of figure 4.6, with the interpolants of figure 4.7.
#[test]
fn example_4_3() {
    lab(RUNNING, Overflow::Wrap, |lab| {
        let mut edges = steps(&["n1", "n2", "n3"]);
        edges.extend(steps(&["n2", "n4", "n5", "n4'again"]));
        edges.extend(steps(&["n3", "n6"]));
        edges.extend(steps(&["n4", "n6"]));
        edges.extend(steps(&["n4'again", "n6", "n7", "error", "main error"]));
        let graph = lab.dag(&edges);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &weakest).expect("room");

        let at = |name: &str| graph.at(&weakest, name);
        assert!(!at("error").satisfiable());
        lab.says(at("n7"), ["X"], |[x]| x % 2 == 0);
        lab.says(at("n6"), ["X", "Y"], |[x, y]| (x + y) % 2 == 0);
        lab.says(at("n3"), ["X"], |[x]| x % 2 == 0);
        lab.says(at("n4'again"), ["X", "Y"], |[x, y]| y % 2 == 1 || x % 2 == 0);
        lab.says(at("n5"), ["X", "Y"], |[x, y]| y % 2 == 0 || x % 2 == 0);
        lab.says(at("n4"), ["X"], |[x]| x % 2 == 0);
        lab.says(at("n2"), ["X"], |[x]| x % 2 == 0);
        assert!(at("n1").valid());

        // 6.2.1: a value that X * (X + 1) has, not a relation of X and Y.
        let product = |x: u32| (0..16).any(|x0| x == x0 * (x0 + 1) % 16);
        let at = |name: &str| graph.at(&strongest, name);
        assert!(at("n1").valid());
        lab.says(at("n2"), ["X"], |[x]| product(x));
        lab.says(at("n3"), ["X", "a"], |[x, a]| product(x) && a == 0);
        lab.says(at("n4"), ["X", "a"], |[x, a]| product(x) && a != 0);
        lab.says(at("n5"), ["X", "Y", "a"], |[x, y, a]| product(x) && y % 2 == 1 && a != 0);
        lab.says(at("n6"), ["X", "Y", "a"], |[x, y, a]| {
            product(x) && if a == 0 { y == 2 } else { y % 2 == 0 }
        });
        assert!(!at("error").satisfiable());
    });
}

/// Example 4.11, figure 4.8: strongest interpolants track, weakest ones do, but not one of these with one of those.
pub const TWO_ZEROS: &str = "
int X(2), Y(2);
module void main() {
  n1: X = 0;
  n2: Y = 0;
  n3: if :: Y != 0 -> goto error; :: else -> return; fi
  error: skip;
}
";

#[test]
fn example_4_11() {
    lab(TWO_ZEROS, Overflow::Block, |lab| {
        let graph = lab.dag(&steps(&["n1", "n2", "n3", "error", "main error"]));
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        lab.says(graph.at(&strongest, "n2"), ["X"], |[x]| x == 0);
        lab.says(graph.at(&strongest, "n3"), ["X", "Y"], |[x, y]| x == 0 && y == 0);
        assert!(graph.at(&weakest, "n2").valid());
        lab.says(graph.at(&weakest, "n3"), ["Y"], |[y]| y == 0);
        let tracks = |from: &Formulas, to: &Formulas| {
            let behind = lab.concrete.step(lab.rule("n2", "n3"), graph.at(from, "n2")).expect("room");
            lab.space().bdds.implies(&behind, graph.at(to, "n3")).expect("room")
        };
        assert!(tracks(&strongest, &strongest));
        assert!(tracks(&weakest, &weakest));
        assert!(tracks(&strongest, &weakest));
        assert!(!tracks(&weakest, &strongest));
    });
}

/// Examples 6.4 and 6.6, figure 6.4: X = 0 is all that matters.
#[test]
fn examples_6_4_and_6_6() {
    let text = "
int X(2), Y(2), Z(2);
module void main() {
  n1: X = 0;
  n2: Y = 0;
  n3: if :: Z != 0 -> n4: if :: X != 0 -> goto error; :: else -> return; fi :: else -> return; fi
  error: skip;
}
";
    lab(text, Overflow::Block, |lab| {
        let graph = lab.dag(&steps(&["n1", "n2", "n3", "n4", "error", "main error"]));
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        lab.says(graph.at(&strongest, "n2"), ["X"], |[x]| x == 0);
        lab.says(graph.at(&strongest, "n3"), ["X", "Y"], |[x, y]| x == 0 && y == 0);
        lab.says(graph.at(&strongest, "n4"), ["X", "Y", "Z"], |[x, y, z]| x == 0 && y == 0 && z != 0);

        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        lab.says(graph.at(&weakest, "n4"), ["X"], |[x]| x == 0);
        lab.says(graph.at(&weakest, "n3"), ["X", "Z"], |[x, z]| z == 0 || x == 0);
        lab.says(graph.at(&weakest, "n2"), ["X", "Z"], |[x, z]| z == 0 || x == 0);
        assert!(graph.at(&weakest, "n1").valid());

        let upwards = |skip, conciliate| scheme.upwards(&strongest, skip, conciliate).expect("room");
        let down = scheme.downwards(&weakest).expect("room");
        for found in [upwards(false, true), upwards(true, false), upwards(true, true), down] {
            scheme.verify(&strongest, &found).expect("room");
            for node in ["n2", "n3", "n4"] {
                lab.says(graph.at(&found, node), ["X"], |[x]| x == 0);
            }
            assert!(graph.at(&found, "n1").valid());
        }
    });
}
