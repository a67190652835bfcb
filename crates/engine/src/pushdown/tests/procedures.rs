//! Chapter 5, and the examples of chapters 2 and 6 that have procedures.

use super::*;

/// Figure 2.1 with 5 for 561, which is odd as well.
pub const TWO_PROCEDURES: &str = "
int G(3);
module void main() {
  int L(3);
  m0: L = L * (L + 1);
  m1: foo(L);
  m2: if :: G != 0 -> goto error; :: else -> return; fi
  error: skip;
}
module void foo(int P(3)) {
  f0: if :: P mod 2 == 0 -> f1: P = 0; :: else -> f2: P = 5; fi
  f3: G = P;
  f4: return;
}
";

/// What `foo` makes of its parameter.
fn foo(p: u32) -> u32 {
    if p.is_multiple_of(2) { 0 } else { 5 }
}

/// A value that `L * (L + 1)` has.
fn is_product(l: u32) -> bool {
    (0..8).any(|l0| l == l0 * (l0 + 1) % 8)
}

/// Example 2.6: the rules of figure 2.2, with the frame conditions that are not said there.
#[test]
fn example_2_6_rules() {
    lab(TWO_PROCEDURES, Overflow::Wrap, |lab| {
        // Old values are the values before the rule.
        let before = |unit: &str| {
            let unit = &lab.system().units[lab.unit(unit)];
            let bits: Vec<BitId> = lab.system().globals.iter().chain(&unit.locals).copied().collect();
            lab.space().equal(Version::Entry, Version::Now, &bits).expect("room")
        };
        let step = |unit: &str, from: &str, to: &str| {
            lab.concrete.step(lab.rule(from, to), &before(unit)).expect("room")
        };
        let main = ["old main.L", "old G", "main.L", "G"];
        lab.says(&step("main", "m0", "m1"), main, |[l, g, l1, g1]| l1 == l * (l + 1) % 8 && g1 == g);
        lab.says(&step("main", "m2", "error"), main, |[l, g, l1, g1]| g != 0 && l1 == l && g1 == g);
        let push = lab.concrete.push(lab.rule("m1", "main waits for foo"), &before("main")).expect("room");
        lab.says(&push, ["old main.L", "old G", "main.L", "new foo.P", "new G"], |[l, g, l2, p1, g1]| {
            l2 == l && p1 == l && g1 == g
        });
        let foo = ["old foo.P", "old G", "foo.P", "G"];
        lab.says(&step("foo", "f0", "f1"), foo, |[p, g, p1, g1]| p % 2 == 0 && p1 == p && g1 == g);
        lab.says(&step("foo", "f0", "f2"), foo, |[p, g, p1, g1]| p % 2 == 1 && p1 == p && g1 == g);
        lab.says(&step("foo", "f1", "f3"), foo, |[_, g, p1, g1]| p1 == 0 && g1 == g);
        lab.says(&step("foo", "f2", "f3"), foo, |[_, g, p1, g1]| p1 == 5 && g1 == g);
        lab.says(&step("foo", "f3", "f4"), foo, |[p, _, p1, g1]| p1 == p && g1 == p);
        lab.says(&step("foo", "f4", "foo returned"), ["old G", "G"], |[g, g1]| g1 == g);
    });
}

/// Figure 5.2.
pub fn modular(lab: &Lab<'_>) -> Graph {
    let mut edges = steps(&["foo entry'returns", "f0'returns", "f1'returns", "f3'returns"]);
    edges.extend(steps(&["f0'returns", "f2'returns", "f3'returns", "f4'returns", "foo returned'returns"]));
    edges.extend(steps(&["m0", "m1", "main waits for foo"]));
    edges.push(returns("main waits for foo", "foo returned'returns", "m2"));
    edges.extend(steps(&["m2", "error", "main error"]));
    lab.dag(&edges)
}

fn returns(from: &'static str, exit: &'static str, to: &'static str) -> Edge {
    Edge { from, to, way: Way::Return(exit) }
}

/// Example 5.1, figures 5.3 and 5.4.
#[test]
fn example_5_1_strongest() {
    lab(TWO_PROCEDURES, Overflow::Wrap, |lab| {
        let graph = modular(lab);
        let found = lab.scheme(&graph).strongest().expect("room");
        let at = |name: &str| graph.at(&found, name);
        assert!(at("m0").valid());
        lab.says(at("m1"), ["main.L"], |[l]| is_product(l));
        lab.says(at("main waits for foo"), ["main.L", "new foo.P"], |[l, p]| p == l && is_product(l));
        let values = ["old foo.P", "old G", "foo.P", "G"];
        lab.says(at("f0'returns"), values, |[p0, g0, p, g]| p == p0 && g == g0);
        lab.says(at("f1'returns"), values, |[p0, g0, p, g]| p % 2 == 0 && p == p0 && g == g0);
        lab.says(at("f2'returns"), values, |[p0, g0, p, g]| p % 2 == 1 && p == p0 && g == g0);
        lab.says(at("f3'returns"), values, |[p0, g0, p, g]| p == foo(p0) && g == g0);
        lab.says(at("f4'returns"), values, |[p0, _, p, g]| p == foo(p0) && g == p);
        lab.says(at("foo returned'returns"), ["old foo.P", "G"], |[p0, g]| g == foo(p0));
        lab.says(at("m2"), ["main.L", "G"], |[l, g]| is_product(l) && g == foo(l));
        assert!(!at("main error").satisfiable());
    });
}

/// Figure 5.7.
#[test]
fn example_5_1_weakest() {
    lab(TWO_PROCEDURES, Overflow::Wrap, |lab| {
        let graph = modular(lab);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let found = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &found).expect("room");
        let at = |name: &str| graph.at(&found, name);
        assert!(!at("main error").satisfiable());
        lab.says(at("m2"), ["G"], |[g]| g == 0);
        lab.says(at("main waits for foo"), ["new foo.P"], |[p]| p % 2 == 0);
        lab.says(at("foo returned'returns"), ["old foo.P", "G"], |[p0, g]| p0 % 2 == 1 || g == 0);
        lab.says(at("f4'returns"), ["old foo.P", "G"], |[p0, g]| p0 % 2 == 1 || g == 0);
        lab.says(at("f3'returns"), ["old foo.P", "foo.P"], |[p0, p]| p0 % 2 == 1 || p == 0);
        assert!(at("f1'returns").valid());
        lab.says(at("f2'returns"), ["old foo.P"], |[p0]| p0 % 2 == 1);
        lab.says(at("f0'returns"), ["old foo.P", "foo.P"], |[p0, p]| p0 % 2 == 1 || p % 2 == 0);
        // Where the values at the entry are those of now it always holds.
        let entry = lab.concrete.at_entry(lab.unit("foo"), at("foo entry'returns")).expect("room");
        assert!(entry.valid());
        lab.says(at("m1"), ["main.L"], |[l]| l % 2 == 0);
        assert!(at("m0").valid());
    });
}

/// Example 5.2, figure 5.8: a call that does not return.
#[test]
fn example_5_2_push_only() {
    let text = "
module void main() {
  int L(3);
  m0: L = 0;
  m1: foo(L);
}
module void foo(int P(3)) {
  f0: if :: P == 1 -> goto error; :: else -> return; fi
  error: skip;
}
";
    lab(text, Overflow::Block, |lab| {
        let mut edges = steps(&["m0", "m1", "main waits for foo"]);
        edges.push(Edge { from: "main waits for foo", to: "foo entry", way: Way::Enter });
        edges.extend(steps(&["foo entry", "f0", "error", "foo error"]));
        let graph = lab.dag(&edges);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &weakest).expect("room");
        let pivot = "main waits for foo";
        assert!(graph.at(&strongest, "m0").valid());
        lab.says(graph.at(&strongest, "m1"), ["main.L"], |[l]| l == 0);
        lab.says(graph.at(&strongest, pivot), ["main.L", "new foo.P"], |[l, p]| l == 0 && p == 0);
        lab.says(graph.at(&strongest, "foo entry"), ["foo.P"], |[p]| p == 0);
        lab.says(graph.at(&strongest, "f0"), ["foo.P"], |[p]| p == 0);
        assert!(!graph.at(&strongest, "error").satisfiable());
        lab.says(graph.at(&weakest, "f0"), ["foo.P"], |[p]| p != 1);
        lab.says(graph.at(&weakest, "foo entry"), ["foo.P"], |[p]| p != 1);
        lab.says(graph.at(&weakest, pivot), ["new foo.P"], |[p]| p != 1);
        lab.says(graph.at(&weakest, "m1"), ["main.L"], |[l]| l != 1);
        assert!(graph.at(&weakest, "m0").valid());
    });
}

/// Example 5.3, figure 5.10: `f` calls itself, the inner activation returns, and the outer one reaches the error. Points of `f` are in the
/// graph in both roles.
#[test]
fn example_5_3_both_roles() {
    let text = "
int G(2);
module void main() {
  m0: G = 0;
  m1: f(0);
}
module void f(int P(2)) {
  f0: if :: true -> f1: G = P; f2: return; :: true -> skip; fi
  f3: f(P + 1);
  f4: if :: G == 0 -> goto error; :: else -> return; fi
  error: skip;
}
";
    lab(text, Overflow::Wrap, |lab| {
        let mut edges =
            steps(&["f entry'returns", "f0'returns", "f1'returns", "f2'returns", "f returned'returns"]);
        edges.extend(steps(&["m0", "m1", "main waits for f"]));
        edges.push(Edge { from: "main waits for f", to: "f entry", way: Way::Enter });
        edges.extend(steps(&["f entry", "f0", "f3", "f waits for f"]));
        edges.push(returns("f waits for f", "f returned'returns", "f4"));
        edges.extend(steps(&["f4", "error", "f error"]));
        let graph = lab.dag(&edges);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &weakest).expect("room");

        let at = |name: &str| graph.at(&strongest, name);
        lab.says(at("f returned'returns"), ["old f.P", "G"], |[p0, g]| g == p0);
        lab.says(at("f0'returns"), ["old f.P", "f.P", "old G", "G"], |[p0, p, g0, g]| p == p0 && g == g0);
        lab.says(at("main waits for f"), ["new f.P", "new G"], |[p, g]| p == 0 && g == 0);
        lab.says(at("f0"), ["f.P", "G"], |[p, g]| p == 0 && g == 0);
        lab.says(at("f waits for f"), ["f.P", "new f.P", "new G"], |[p, p1, g]| p == 0 && p1 == 1 && g == 0);
        lab.says(at("f4"), ["f.P", "G"], |[p, g]| p == 0 && g == 1);
        assert!(!at("error").satisfiable());

        let at = |name: &str| graph.at(&weakest, name);
        lab.says(at("f4"), ["G"], |[g]| g != 0);
        lab.says(at("f waits for f"), ["new f.P"], |[p]| p != 0);
        lab.says(at("f returned'returns"), ["old f.P", "G"], |[p0, g]| p0 == 0 || g != 0);
        lab.says(at("f1'returns"), ["old f.P", "f.P"], |[p0, p]| p0 == 0 || p != 0);
        lab.says(at("f0'returns"), ["old f.P", "f.P"], |[p0, p]| p0 == 0 || p != 0);
        lab.says(at("f0"), ["f.P"], |[p]| p != 3);
        lab.says(at("main waits for f"), ["new f.P"], |[p]| p != 3);
        assert!(at("m1").valid());
    });
}

/// 5.2.3: what a caller was called with itself rides along at its pivot, as if these were locals.
#[test]
fn nested_calls() {
    let text = "
int G(2);
module void main() {
  int L(2);
  m1: f(L);
  m2: if :: (G ^ 1) != L -> goto error; :: else -> return; fi
  error: skip;
}
module void f(int P(2)) {
  f0: g(P);
  f1: G = G ^ 1;
  f2: return;
}
module void g(int Q(2)) {
  g0: G = Q;
  g1: return;
}
";
    lab(text, Overflow::Wrap, |lab| {
        let mut edges = steps(&["g entry'returns", "g0'returns", "g1'returns", "g returned'returns"]);
        edges.extend(steps(&["f entry'returns", "f0'returns", "f waits for g'returns"]));
        edges.push(returns("f waits for g'returns", "g returned'returns", "f1'returns"));
        edges.extend(steps(&["f1'returns", "f2'returns", "f returned'returns"]));
        edges.extend(steps(&["m1", "main waits for f"]));
        edges.push(returns("main waits for f", "f returned'returns", "m2"));
        edges.extend(steps(&["m2", "error", "main error"]));
        let graph = lab.dag(&edges);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        scheme.verify(&strongest, &weakest).expect("room");

        let at = |name: &str| graph.at(&strongest, name);
        lab.says(at("g returned'returns"), ["old g.Q", "G"], |[q0, g]| g == q0);
        let pivot = ["old f.P", "old G", "f.P", "new g.Q", "new G"];
        lab.says(at("f waits for g'returns"), pivot, |[p0, g0, p, q, g]| p == p0 && q == p && g == g0);
        lab.says(at("f1'returns"), ["old f.P", "f.P", "G"], |[p0, p, g]| p == p0 && g == p);
        lab.says(at("f returned'returns"), ["old f.P", "G"], |[p0, g]| g == p0 ^ 1);
        lab.says(at("m2"), ["main.L", "G"], |[l, g]| g == l ^ 1);

        let at = |name: &str| graph.at(&weakest, name);
        lab.says(at("m2"), ["main.L", "G"], |[l, g]| g == l ^ 1);
        lab.says(at("main waits for f"), ["main.L", "new f.P"], |[l, p]| p == l);
        lab.says(at("f returned'returns"), ["old f.P", "G"], |[p0, g]| g == p0 ^ 1);
        lab.says(at("f1'returns"), ["old f.P", "G"], |[p0, g]| g == p0);
        lab.says(at("f waits for g'returns"), ["old f.P", "new g.Q"], |[p0, q]| q == p0);
        lab.says(at("g returned'returns"), ["old g.Q", "G"], |[q0, g]| g == q0);
        lab.says(at("g0'returns"), ["old g.Q", "g.Q"], |[q0, q]| q == q0);
        lab.says(at("f0'returns"), ["old f.P", "f.P"], |[p0, p]| p == p0);
        assert!(at("m1").valid());
    });
}

/// Example 6.7, figure 6.8: nothing is asked of a procedure that may be taken for one that does nothing. It does not return for every
/// value, and so the weakest interpolants do ask something of it.
#[test]
fn example_6_7_callee_skipped() {
    let text = "
int G(2);
module void main() {
  int B(2);
  m0: B = 0;
  m1: foo();
  m2: if :: B != 0 -> goto error; :: else -> return; fi
  error: skip;
}
module void foo() {
  f0: skip (G != 0);
  f1: G = G * G - 1;
  f2: return;
}
";
    lab(text, Overflow::Wrap, |lab| {
        let mut edges =
            steps(&["foo entry'returns", "f0'returns", "f1'returns", "f2'returns", "foo returned'returns"]);
        edges.extend(steps(&["m0", "m1", "main waits for foo"]));
        edges.push(returns("main waits for foo", "foo returned'returns", "m2"));
        edges.extend(steps(&["m2", "error", "main error"]));
        let graph = lab.dag(&edges);
        let scheme = lab.scheme(&graph);
        let strongest = scheme.strongest().expect("room");
        for conciliate in [false, true] {
            let found = scheme.upwards(&strongest, true, conciliate).expect("room");
            scheme.verify(&strongest, &found).expect("room");
            for node in ["m2", "main waits for foo", "m1"] {
                lab.says(graph.at(&found, node), ["main.B"], |[b]| b == 0);
            }
            for node in
                ["m0", "foo entry'returns", "f0'returns", "f1'returns", "f2'returns", "foo returned'returns"]
            {
                assert!(graph.at(&found, node).valid(), "{node}");
            }
        }
        let weakest = scheme.upwards(&strongest, false, false).expect("room");
        let pivot = graph.at(&weakest, "main waits for foo");
        lab.says(pivot, ["main.B", "new G"], |[b, g]| g == 0 || b == 0);
        lab.says(graph.at(&weakest, "foo returned'returns"), ["old G"], |[g0]| g0 != 0);
    });
}
