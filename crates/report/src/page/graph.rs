//! The control-flow automaton of a program, procedure by procedure, for drawing: straight ways are one edge.

use craig_cfa::print::Printer;
use craig_cfa::{EdgeId, LocId, Op, ProcId, Program, graph};
use index_vec::{IndexVec, index_vec};
use indexmap::IndexSet;
use serde::Serialize;

/// Characters of an operation that are shown.
const LONGEST: usize = 100;

#[derive(Debug, Serialize)]
pub struct Graph {
    procedures: Vec<Procedure>,
}

#[derive(Debug, Serialize)]
struct Procedure {
    name: String,
    line: u32,
    nodes: Vec<Node>,
    ways: Vec<Way>,
    /// Names of the procedures that it calls.
    calls: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Node {
    id: u32,
    line: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'static str,
}

/// Edges one after the other.
#[derive(Debug, Serialize)]
struct Way {
    /// By their place in the list of nodes.
    from: usize,
    to: usize,
    edges: Vec<u32>,
    operations: Vec<String>,
    line: u32,
}

impl Graph {
    pub fn new(program: &Program) -> Graph {
        let printer = Printer::new(program);
        let heads = graph::order(program, &program.graph()).loop_head;
        let mut of: IndexVec<ProcId, Vec<EdgeId>> = index_vec![Vec::new(); program.procs.len()];
        let mut ways = Ways { out: index_vec![Vec::new(); program.locs.len()], stops: heads.clone() };
        let mut entered: IndexVec<LocId, usize> = index_vec![0; program.locs.len()];
        for (id, edge) in program.edges.iter_enumerated() {
            of[program.locs[edge.from].proc].push(id);
            ways.out[edge.from].push(id);
            entered[edge.to] += 1;
        }
        for loc in program.locs.indices() {
            ways.stops[loc] |= entered[loc] != 1 || ways.out[loc].len() != 1;
        }
        for proc in &program.procs {
            (ways.stops[proc.entry], ways.stops[proc.exit]) = (true, true);
        }
        ways.stops[program.error] = true;
        let own = program.procs.indices().filter(|proc| !of[*proc].is_empty());
        let procedure = |proc: ProcId| Procedure::new(program, &printer, proc, &of[proc], &ways, &heads);
        Graph { procedures: own.map(procedure).collect() }
    }
}

/// How edges are put together.
struct Ways {
    out: IndexVec<LocId, Vec<EdgeId>>,
    /// Where one way ends and others begin.
    stops: IndexVec<LocId, bool>,
}

impl Ways {
    /// The straight way that begins with an edge, and where it ends.
    fn from(&self, program: &Program, first: EdgeId) -> (Vec<EdgeId>, LocId) {
        let mut way = vec![first];
        let mut to = program.edges[first].to;
        while !self.stops[to] {
            let next = self.out[to][0];
            way.push(next);
            to = program.edges[next].to;
        }
        (way, to)
    }
}

impl Procedure {
    fn new(
        program: &Program,
        printer: &Printer<'_>,
        id: ProcId,
        edges: &[EdgeId],
        ways: &Ways,
        heads: &IndexVec<LocId, bool>,
    ) -> Procedure {
        let proc = &program.procs[id];
        let mut found: Vec<(LocId, LocId, Vec<EdgeId>)> = Vec::new();
        // What no way from the entry leads to is left out.
        let mut nodes: IndexSet<LocId> = IndexSet::from([proc.entry]);
        let mut next = 0;
        while let Some(&from) = nodes.get_index(next) {
            next += 1;
            for &first in ways.out[from].iter().filter(|_| from != program.error) {
                let (way, to) = ways.from(program, first);
                found.push((from, to, way));
                nodes.insert(to);
            }
        }
        let ways = found;
        let place = |loc: LocId| nodes.get_index_of(&loc).unwrap_or(0);
        let text = |edge: EdgeId| match &program.edges[edge].op {
            Op::Skip => None,
            op => Some(printer.op(op).chars().take(LONGEST).collect::<String>()),
        };
        let mut calls: Vec<String> = Vec::new();
        for &edge in edges {
            if let Op::Call(call) = &program.edges[edge].op {
                let name = program.procs[call.proc].name.to_string();
                if !calls.contains(&name) {
                    calls.push(name);
                }
            }
        }
        let kind = |loc: LocId| match loc {
            loc if loc == program.error => "error",
            loc if loc == proc.entry => "entry",
            loc if loc == proc.exit => "exit",
            loc if heads[loc] => "loop",
            _ => "",
        };
        let node = |loc: &LocId| Node {
            id: loc.raw(),
            line: program.source.line(program.locs[*loc].span),
            kind: kind(*loc),
        };
        let way = |(from, to, way): &(LocId, LocId, Vec<EdgeId>)| Way {
            from: place(*from),
            to: place(*to),
            edges: way.iter().map(|edge| edge.raw()).collect(),
            operations: way.iter().filter_map(|edge| text(*edge)).collect(),
            line: program.source.line(program.edges[way[0]].span),
        };
        Procedure {
            name: proc.name.to_string(),
            line: program.source.line(proc.span),
            nodes: nodes.iter().map(node).collect(),
            ways: ways.iter().map(way).collect(),
            calls,
        }
    }
}
