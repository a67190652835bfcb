//! The paper's examples: the formulas that it shows, at the control points that it names.
//!
//! Formulas are compared with conditions in Rust, value by value: nothing of what makes diagrams out of programs decides what is
//! expected. Programs have numbers of few bits, and other constants where the paper has larger ones.

mod abstraction;
mod backward;
mod forget;
mod interpolants;
mod procedures;
mod show;
mod words;

use super::concrete::Concrete;
use super::dag::{Dag, DagEdge, DagId, DagNode, EdgeId, EdgeKind, Role};
use super::interpolants::{Formulas, Scheme};
use super::saturation::NodeId;
use super::space::{BitId, Space, Version};
use super::system::{PointId, PointKind, RuleId, System, UnitId};
use super::{Interpolants, Options, Saving};
use craig_base::Budget;
use craig_frontend::{Overflow, Reading, remopla};
use craig_smt::bdd::{Bdd, BddVar, Bdds, BooleanFunction};

/// A program as a system.
struct Lab<'a> {
    concrete: &'a Concrete<'a>,
    budget: Budget,
}

/// Shows a test the system of a program. All variables are kept, and may be spoken of.
fn lab(text: &str, overflow: Overflow, test: impl FnOnce(&Lab<'_>)) {
    let budget = Budget::unlimited();
    let reading = Reading { overflow, ..Reading::default() };
    let loaded = remopla::load_text("test.rem", text, &reading, &budget).expect("a program");
    let options = Options { without: vec![Saving::Slicing], ..Options::default() };
    let (system, space) =
        System::new(&loaded.program, &options, Bdds::new(1 << 20, 1 << 16), &budget).expect("a system");
    let concrete = Concrete::new(&system, &space).expect("a system");
    test(&Lab { concrete: &concrete, budget });
}

impl<'a> Lab<'a> {
    fn system(&self) -> &'a System<'a> {
        self.concrete.system
    }

    fn space(&self) -> &'a Space {
        self.concrete.space
    }

    fn unit(&self, name: &str) -> UnitId {
        let system = self.system();
        let mut units = system.units.iter_enumerated();
        let found = units.find(|(_, unit)| &*system.program.procs[unit.proc].name == name);
        found.unwrap_or_else(|| panic!("no procedure {name}")).0
    }

    /// A point by what the tests call it: a label, `NAME entry`, `NAME returned`, `NAME error`, `NAME waits for NAME`. What follows a prime
    /// tells nodes of one point from each other.
    fn point(&self, name: &str) -> PointId {
        let name = name.split('\'').next().unwrap_or_default();
        let system = self.system();
        let proc = |unit: UnitId| &system.program.procs[system.units[unit].proc].name;
        if let Some(unit) = name.strip_suffix(" entry") {
            return system.units[self.unit(unit)].entry;
        }
        let is = |point: PointId| match system.points[point].kind {
            PointKind::At(loc) => system.program.locs[loc].label.as_deref() == Some(name),
            PointKind::Pivot { callee } => {
                format!("{} waits for {}", proc(system.points[point].unit), proc(callee)) == name
            }
            PointKind::Exit | PointKind::Error => system.name(point) == name,
        };
        let found: Vec<PointId> = system.points.indices().filter(|point| is(*point)).collect();
        assert_eq!(found.len(), 1, "{name} among {:?}", system.points.indices().map(|p| system.name(p)));
        found[0]
    }

    /// The rules from one point to another.
    fn rules(&self, from: &str, to: &str) -> Vec<RuleId> {
        let system = self.system();
        let (from, to) = (self.point(from), self.point(to));
        let rules = system.points[from].rules.iter().copied();
        rules.filter(|rule| system.rules[*rule].to == to).collect()
    }

    fn rule(&self, from: &str, to: &str) -> RuleId {
        let rules = self.rules(from, to);
        assert_eq!(rules.len(), 1, "rules from {from} to {to}");
        rules[0]
    }

    /// A graph of counterexamples.
    fn dag(&self, edges: &[Edge]) -> Graph {
        let mut graph = Graph { dag: Dag::default(), names: Vec::new() };
        for edge in edges {
            let (from, to) = (self.node(&mut graph, edge.from), self.node(&mut graph, edge.to));
            let rules: Vec<EdgeKind> = match edge.way {
                Way::Step => self.rules(edge.from, edge.to).into_iter().map(EdgeKind::Rule).collect(),
                Way::Enter => {
                    vec![EdgeKind::Enter(self.system().points[graph.dag.nodes[to].point].unit)]
                }
                Way::Return(exit) => {
                    let exit = graph.id(exit);
                    self.rules(edge.from, edge.to)
                        .into_iter()
                        .map(|rule| EdgeKind::Eval(rule, exit))
                        .collect()
                }
            };
            assert!(!rules.is_empty(), "no rule from {} to {}", edge.from, edge.to);
            for kind in rules {
                let id = graph.dag.edges.push(DagEdge { from, to, kind });
                graph.dag.nodes[from].outs.push(id);
                graph.dag.nodes[to].ins.push(id);
                if let EdgeKind::Eval(_, exit) = kind {
                    graph.dag.nodes[exit].outs.push(id);
                }
            }
        }
        let nodes = graph.dag.nodes.indices();
        graph.dag.errors = nodes
            .filter(|n| self.system().points[graph.dag.nodes[*n].point].kind == PointKind::Error)
            .collect();
        for node in &mut graph.dag.nodes {
            node.top = node.ins.is_empty();
        }
        graph.sort();
        graph
    }

    fn node(&self, graph: &mut Graph, name: &str) -> DagId {
        if let Some(known) = graph.names.iter().position(|known| known == name) {
            return DagId::from_usize(known);
        }
        graph.names.push(name.to_string());
        // `NAME'returns` is an activation that is looked at by itself.
        let role = if name.ends_with("'returns") { Role::Relational } else { Role::Absolute };
        let (witness, point) = (NodeId::from_raw(0), self.point(name));
        graph.dag.nodes.push(DagNode { witness, point, role, ins: Vec::new(), outs: Vec::new(), top: false })
    }

    fn scheme<'s>(&'s self, graph: &'s Graph) -> Scheme<'s> {
        Scheme { concrete: self.concrete, dag: &graph.dag, budget: &self.budget }
    }

    /// The bits of a value: `x`, `old x` (at the entry of the activation), `new x` (at that of the one that is called), `next x` (after a
    /// rule). Locals are written `procedure.x`.
    fn value(&self, name: &str) -> Vec<BddVar> {
        let (version, name) = match name.split_once(' ') {
            None => (Version::Now, name),
            Some(("old", name)) => (Version::Entry, name),
            Some(("new", name)) => (Version::Inner, name),
            Some(("next", name)) => (Version::Next, name),
            Some(_) => panic!("no value {name}"),
        };
        let program = self.system().program;
        let mut vars = program.vars.iter_enumerated();
        let found = vars.find(|(_, var)| {
            let own = var.proc.map(|proc| format!("{}.{}", program.procs[proc].name, var.name));
            own.as_deref().unwrap_or(&var.name) == name
        });
        let (id, _) = found.unwrap_or_else(|| panic!("no variable {name}"));
        let regs = self.system().storage.regs[id].as_ref().expect("a variable that is kept");
        let bits: &[BitId] = self.space().reg(regs[0]);
        bits.iter().map(|bit| self.space().var(version, *bit)).collect()
    }

    /// The formula speaks of these values only, and says of them what the condition says.
    #[track_caller]
    fn says<const N: usize>(&self, formula: &Bdd, names: [&str; N], holds: impl Fn([u32; N]) -> bool) {
        let values = names.map(|name| self.value(name));
        let all: Vec<BddVar> = values.iter().flatten().copied().collect();
        for var in self.space().bdds.support(formula) {
            assert!(all.contains(&var), "speaks of {:?} too", self.space().find(var));
        }
        for (bits, given) in assignments(&values) {
            let bits = bits.iter().map(|(var, value)| (var.0, *value));
            assert_eq!(formula.eval(bits), holds(given), "{names:?} = {given:?}");
        }
    }

    /// The formula that says this.
    fn formula<const N: usize>(&self, names: [&str; N], holds: impl Fn([u32; N]) -> bool) -> Bdd {
        let values = names.map(|name| self.value(name));
        let mut formula = self.space().constant(false);
        for (bits, _) in assignments(&values).filter(|(_, given)| holds(*given)) {
            formula = formula.or(&self.space().bdds.cube(&bits).expect("room")).expect("room");
        }
        formula
    }
}

/// All values that words of these bits can have, bit by bit and word by word.
fn assignments<const N: usize>(
    words: &[Vec<BddVar>; N],
) -> impl Iterator<Item = (Vec<(BddVar, bool)>, [u32; N])> {
    let all: Vec<BddVar> = words.iter().flatten().copied().collect();
    assert!(all.len() <= 16, "too many values to try");
    (0_u32..1 << all.len()).map(move |word| {
        let bits = all.iter().enumerate().map(|(i, var)| (*var, word >> i & 1 == 1)).collect();
        let mut rest = word;
        let given = std::array::from_fn(|i| {
            let value = rest & ((1 << words[i].len()) - 1);
            rest >>= words[i].len();
            value
        });
        (bits, given)
    })
}

/// A graph of counterexamples with the names of its nodes.
struct Graph {
    dag: Dag,
    names: Vec<String>,
}

impl Graph {
    /// From top to bottom; the exit of a callee comes before the pivot that waits for it.
    fn sort(&mut self) {
        let dag = &mut self.dag;
        while dag.order.len() < dag.nodes.len() {
            let ready = |node: DagId| {
                let waits = |id: &EdgeId| match dag.edges[*id].kind {
                    EdgeKind::Eval(_, exit) => dag.edges[*id].from == node && !dag.order.contains(&exit),
                    _ => false,
                };
                let DagNode { ins, outs, .. } = &dag.nodes[node];
                let above = ins.iter().all(|edge| dag.order.contains(&dag.edges[*edge].from));
                !dag.order.contains(&node) && above && !outs.iter().any(waits)
            };
            let next = dag.nodes.indices().find(|node| ready(*node)).expect("no cycle");
            dag.order.push(next);
        }
    }

    fn id(&self, name: &str) -> DagId {
        let found = self.names.iter().position(|known| known == name);
        DagId::from_usize(found.unwrap_or_else(|| panic!("no node {name}")))
    }

    fn at<'f>(&self, formulas: &'f Formulas, name: &str) -> &'f Bdd {
        &formulas[self.id(name)]
    }
}

#[derive(Clone, Copy)]
struct Edge {
    from: &'static str,
    to: &'static str,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    /// A normal rule, a push or a return to the exit.
    Step,
    Enter,
    /// With this exit of the callee.
    Return(&'static str),
}

/// One node after the other.
fn steps(nodes: &[&'static str]) -> Vec<Edge> {
    nodes.windows(2).map(|pair| Edge { from: pair[0], to: pair[1], way: Way::Step }).collect()
}
