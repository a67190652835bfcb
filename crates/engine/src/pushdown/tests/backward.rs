//! `pre*`: from where the error is reached, with what callees return, and what the complement claims.

use super::{Lab, lab};
use crate::pushdown::backward::Backward;
use crate::pushdown::saturation::Witness;
use crate::pushdown::space::{Place, Version};
use crate::pushdown::{Stopping, post};
use craig_cfa::Op;
use craig_frontend::Overflow;
use craig_smt::bdd::{Bdd, BooleanFunction};

/// What a search found.
struct Found<'a> {
    lab: &'a Lab<'a>,
    backward: Backward<'a>,
    witness: Witness,
}

impl<'a> Found<'a> {
    fn new(lab: &'a Lab<'a>, stop: Stopping) -> Found<'a> {
        let backward = Backward::new(lab.concrete).expect("room");
        let witness = backward.pre(stop, &lab.budget).expect("no limits");
        Found { lab, backward, witness }
    }

    /// What leads to the error at a point, or to a return.
    fn at(&self, point: &str, returns: bool) -> Bdd {
        let space = self.lab.space();
        let bit = space.abstract_var(Place::Now, 0);
        let known = &self.witness.known[self.lab.point(point)];
        let (given, open) =
            (space.bdds.cube(&[(bit, returns)]).expect("room"), space.cube([bit]).expect("room"));
        space.bdds.and_exists(known, &given, &open).expect("room")
    }

    fn errors(&self, point: &str) -> Bdd {
        self.at(point, false)
    }

    fn returns(&self, point: &str) -> Bdd {
        self.at(point, true)
    }

    fn claim(&self, point: &str) -> Bdd {
        self.backward.claim(&self.witness, self.lab.point(point)).expect("room")
    }

    /// The calls and returns of an execution behind the call of `main`, by the names of callees.
    fn calls(&self) -> Vec<String> {
        let program = self.lab.system().program;
        let found = self.backward.execution(&self.witness, &self.lab.budget).expect("an execution");
        let named = found.steps.iter().filter_map(|step| {
            let edge = &program.edges[step.edge];
            match &edge.op {
                Op::Call(call) => Some(format!("call {}", program.procs[call.proc].name)),
                Op::Return(_) => Some(format!("return {}", program.procs[program.locs[edge.from].proc].name)),
                _ => None,
            }
        });
        let mut named: Vec<String> = named.collect();
        assert_eq!(named.remove(0), "call main");
        named
    }
}

fn pre(text: &str, test: impl FnOnce(&Found<'_>)) {
    lab(text, Overflow::Wrap, |lab| test(&Found::new(lab, Stopping::Complete)));
}

#[test]
fn within_a_procedure() {
    let text = "
        int x(2), y(2);
        module void main() {
          a: x = x + y;
          b: if
          :: x == 3 -> goto error;
          :: else -> return;
          fi
          error: skip;
        }";
    pre(text, |found| {
        found.lab.says(&found.errors("b"), ["x"], |[x]| x == 3);
        found.lab.says(&found.errors("a"), ["x", "y"], |[x, y]| (x + y) % 4 == 3);
        found.lab.says(&found.errors("main error"), [], |[]| true);
        // Nobody calls it: how it returns is not looked at.
        assert!(!found.returns("a").satisfiable());
        assert_eq!(found.witness.errors.len(), 1);
        found.lab.says(&found.claim("main entry"), ["x", "y"], |[x, y]| (x + y) % 4 != 3);
    });
}

/// Only returns count from which the caller comes to the error.
#[test]
fn a_callee_that_returns() {
    let text = "
        int x(2);
        module void up() {
          u: x = x + 1;
          v: return;
        }
        module void main() {
          int l(2);
          a: up();
          b: if
          :: x == 3 && l == 1 -> goto error;
          :: else -> return;
          fi
          error: skip;
        }";
    pre(text, |found| {
        let lab = found.lab;
        lab.says(&found.errors("b"), ["x", "main.l"], |[x, l]| x == 3 && l == 1);
        lab.says(&found.returns("up returned"), ["x", "next x"], |[x, next]| x == 3 && next == 3);
        lab.says(&found.returns("v"), ["x", "next x"], |[x, next]| x == 3 && next == 3);
        lab.says(&found.returns("u"), ["x", "next x"], |[x, next]| x == 2 && next == 3);
        assert!(!found.errors("u").satisfiable(), "the error is behind the return");
        lab.says(&found.errors("main waits for up"), ["new x", "main.l"], |[x, l]| x == 2 && l == 1);
        lab.says(&found.errors("a"), ["x", "main.l"], |[x, l]| x == 2 && l == 1);
        lab.says(&found.claim("up returned"), ["old x", "x"], |[old, x]| x != 3 || old == 2);
        lab.says(&found.claim("v"), ["old x", "x"], |[old, x]| x != 3 || old == 2);
        lab.says(&found.claim("up entry"), [], |[]| true);
        // Whatever its own locals are.
        lab.says(&found.claim("main entry"), ["x"], |[x]| x != 2);
        assert_eq!(found.calls(), ["call up", "return up"]);
    });
}

/// A callee that does not return takes nothing of its caller with it.
#[test]
fn a_callee_that_is_entered_for_good() {
    let text = "
        int x(2);
        module void fail(int p(2)) {
          if
          :: p == x -> goto error;
          :: else -> return;
          fi
          error: skip;
        }
        module void main() {
          int l(2);
          a: fail(l);
          b: return;
        }";
    pre(text, |found| {
        let lab = found.lab;
        lab.says(&found.errors("fail entry"), ["fail.p", "x"], |[p, x]| p == x);
        lab.says(&found.errors("main waits for fail"), ["new fail.p", "new x"], |[p, x]| p == x);
        lab.says(&found.errors("a"), ["main.l", "x"], |[l, x]| l == x);
        assert!(!found.errors("b").satisfiable());
        assert!(!found.returns("fail entry").satisfiable(), "nothing comes behind the call");
        lab.says(&found.claim("fail returned"), [], |[]| true);
        assert_eq!(found.calls(), ["call fail"]);
    });
}

/// Summaries of a procedure that calls itself: the increments of its entry are those of the depth that a return needs.
#[test]
fn recursion() {
    let text = "
        int x(2), y(2);
        module void move() {
          m: if
          :: x == 0 -> return;
          :: else -> skip;
          fi
          x = x - 1;
          n: move();
          o: y = y + 1;
        }
        module void main() {
          a: move();
          b: if
          :: y == 2 -> goto error;
          :: else -> return;
          fi
          error: skip;
        }";
    pre(text, |found| {
        let lab = found.lab;
        let values = ["x", "y", "next x", "next y"];
        // Those of the last return are those of all others, less what is still added.
        lab.says(&found.returns("m"), values, |[x, y, nx, ny]| nx == 0 && (y + x) % 4 == ny);
        lab.says(&found.errors("a"), ["x", "y"], |[x, y]| (x + y) % 4 == 2);
        let values = ["old x", "old y", "x", "y"];
        lab.says(&found.claim("move returned"), values, |[ox, oy, x, y]| x == 0 && (ox + oy) % 4 == y);
    });
    let lifted = text.replace("a: move();", "a: x = 3, y = 3; move();");
    pre(&lifted, |found| {
        let (call, back) = ("call move", "return move");
        assert_eq!(found.calls(), [call, call, call, call, back, back, back, back]);
    });
}

/// The increments of a call depend on both what is known behind it and what is known of the callee, whichever comes first.
#[test]
fn one_callee_for_many_calls() {
    let text = "
        int x(3);
        module void up() { x = x + 1; }
        module void main() {
          a: up();
          b: up();
          c: do
          :: true -> up(); up();
          :: true -> break;
          od
          d: if
          :: x == 7 -> goto error;
          :: else -> return;
          fi
          error: skip;
        }";
    pre(text, |found| {
        let lab = found.lab;
        lab.says(&found.returns("up entry"), ["x", "next x"], |[x, next]| (x + 1) % 8 == next);
        lab.says(&found.errors("c"), ["x"], |[x]| x % 2 == 1);
        lab.says(&found.errors("a"), ["x"], |[x]| x % 2 == 1);
        assert!(found.calls().len().is_multiple_of(4));
    });
}

/// Both directions agree on whether there is a way, also where the search ends at the first.
#[test]
fn with_the_search_forwards() {
    let text = |constant: u32| {
        format!(
            "int x(2);
            module int(2) twice(int p(2)) {{ return p + p; }}
            module void main() {{
              int l(2);
              l = twice(x);
              x = twice(l);
              if
              :: x == {constant} -> goto error;
              :: else -> return;
              fi
              error: skip;
            }}"
        )
    };
    for constant in 0..4 {
        lab(&text(constant), Overflow::Wrap, |lab| {
            let forward = post(lab.system(), lab.concrete, Stopping::Complete, &lab.budget).expect("room");
            assert_eq!(forward.errors.is_empty(), constant != 0, "{constant}");
            for stop in [Stopping::Complete, Stopping::First] {
                let found = Found::new(lab, stop);
                assert_eq!(found.witness.errors.is_empty(), constant != 0, "{constant} {stop:?}");
                if constant == 0 {
                    assert_eq!(found.calls().len(), 4);
                }
            }
        });
    }
}

/// Formulas that nobody asked for speak of nothing beside their state.
#[test]
fn states_speak_of_their_own() {
    let text = "
        int x(2);
        module int(2) sum(int p(2), int q(2)) { int s(2); s = p + q; return s; }
        module void main() {
          int l(2);
          l = sum(x, 1);
          l = sum(l, l);
          if
          :: l == 2 -> goto error;
          :: else -> return;
          fi
          error: skip;
        }";
    pre(text, |found| {
        let (system, space) = (found.lab.system(), found.lab.space());
        for (point, known) in found.witness.known.iter_enumerated() {
            let unit = system.points[point].unit;
            let (state, outputs) = (system.state(point), system.outputs(unit));
            for var in space.bdds.support(known) {
                let fits = match space.find(var) {
                    Some((bit, Version::Now)) => state.contains(&bit),
                    Some((bit, Version::Next)) => outputs.contains(&bit),
                    Some((_, Version::Inner)) => system.name(point).contains("waits"),
                    Some(_) => false,
                    None => var == space.abstract_var(Place::Now, 0),
                };
                assert!(fits, "{}: {:?}", system.name(point), space.find(var));
            }
        }
    });
}
