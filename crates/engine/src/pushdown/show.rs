//! The graph of counterexamples of a cycle for people: as text, and as a picture for Graphviz.
//!
//! In the picture a cluster holds the nodes of one procedure in one role. An edge says what kind of rule it is; a return has two edges, from the pivot, and a dashed one
//! from the exit of the callee.

use super::dag::{DagId, DagNode, EdgeKind, Role};
use super::interpolants::{Formulas, Scheme};
use super::proof;
use super::system::{PointKind, RuleKind, UnitId};
use craig_cfa::dot::label;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A graph with the formulas of its nodes: the strongest, and those that were chosen.
pub struct Shown<'a> {
    pub scheme: &'a Scheme<'a>,
    pub strongest: &'a Formulas,
    pub chosen: &'a [Formulas],
}

impl Shown<'_> {
    /// What is said of a node.
    fn formulas(&self, node: DagId) -> Vec<(&'static str, String)> {
        let point = self.scheme.dag.nodes[node].point;
        let say = |formulas: &Formulas| proof::text(self.scheme.concrete, point, &formulas[node]);
        let mut said = vec![("strongest", say(self.strongest))];
        said.extend(self.chosen.iter().map(|formulas| ("chosen", say(formulas))));
        said
    }

    pub fn text(&self, cycle: u64) -> String {
        let Scheme { concrete, dag, .. } = self.scheme;
        let mut text = format!("cycle {cycle}: {} nodes\n", dag.nodes.len());
        for node in &dag.order {
            let at = &dag.nodes[*node];
            let _ = write!(text, "  {node:?} {:?} {}", at.role, concrete.system.name(at.point));
            for edge in &at.ins {
                let _ = write!(text, " <- {:?}", dag.edges[*edge].from);
            }
            let _ = writeln!(text);
            for (what, formula) in self.formulas(*node) {
                let _ = writeln!(text, "    {:<11}{formula}", format!("{what}:"));
            }
        }
        text
    }

    pub fn dot(&self) -> String {
        let Scheme { concrete, dag, .. } = self.scheme;
        let system = concrete.system;
        let mut out = String::from(
            "digraph counterexamples {\n  node [fontname=\"monospace\", fontsize=10, shape=box];\n  edge [fontname=\"monospace\", fontsize=9];\n",
        );
        let mut clusters: BTreeMap<(UnitId, Role), Vec<DagId>> = BTreeMap::new();
        for node in &dag.order {
            let DagNode { point, role, .. } = dag.nodes[*node];
            clusters.entry((system.points[point].unit, role)).or_default().push(*node);
        }
        for (i, ((unit, role), nodes)) in clusters.into_iter().enumerate() {
            let name = &system.program.procs[system.units[unit].proc].name;
            let role = match role {
                Role::Absolute => "does not return",
                Role::Relational => "returns",
            };
            let _ = writeln!(
                out,
                "  subgraph cluster_{i} {{\n    label=\"{}\";",
                label(&format!("{name} {role}"))
            );
            for node in nodes {
                let DagNode { point, top, .. } = dag.nodes[node];
                let mut style = match system.points[point].kind {
                    PointKind::Error => ", style=filled, fillcolor=lightpink",
                    PointKind::Pivot { .. } => ", style=rounded",
                    PointKind::At(_) | PointKind::Exit => "",
                }
                .to_string();
                if top {
                    style.push_str(", peripheries=2");
                }
                let mut lines = line(&system.name(point));
                for (what, formula) in self.formulas(node) {
                    lines.push_str(&line(&format!("{what}: {formula}")));
                }
                let _ = writeln!(out, "    n{} [label=\"{lines}\"{style}];", node.index());
            }
            out.push_str("  }\n");
        }
        for edge in &dag.edges {
            let (kind, exit) = match edge.kind {
                EdgeKind::Rule(rule) => match system.rules[rule].kind {
                    RuleKind::Push { .. } => ("push", None),
                    RuleKind::Pop => ("pop", None),
                    RuleKind::Step | RuleKind::Eval { .. } => ("step", None),
                },
                EdgeKind::Enter(_) => ("enter", None),
                EdgeKind::Eval(_, exit) => ("eval", Some(exit)),
            };
            let (from, to) = (edge.from.index(), edge.to.index());
            let _ = writeln!(out, "  n{from} -> n{to} [label=\"{kind}\"];");
            if let Some(exit) = exit {
                let _ = writeln!(out, "  n{} -> n{to} [label=\"{kind}\", style=dashed];", exit.index());
            }
        }
        out.push_str("}\n");
        out
    }
}

/// A text as lines of a label, aligned on the left.
fn line(text: &str) -> String {
    let mut lines = label(text);
    if !lines.ends_with("\\l") {
        lines.push_str("\\l");
    }
    lines
}
