//! Orders and components of the control-flow graph and of the call graph.
//!
//! Everything here takes time linear in the program and uses no recursion. Call edges count as ordinary edges inside a
//! procedure (control comes back to their target); the call graph says what they call.

use crate::program::{EdgeId, Graph, LocId, Op, ProcId, Program};
use index_vec::{IndexVec, index_vec};

/// A depth-first order of every procedure from its entry.
#[derive(Debug, Clone)]
pub struct Order {
    /// Reverse post-order, procedure by procedure; locations that no path from their entry reaches are left out. The error
    /// location comes last. Without the retreating edges this is a topological order.
    pub rpo: Vec<LocId>,
    /// Index into `rpo`; `None` for what is not reached.
    pub position: IndexVec<LocId, Option<u32>>,
    /// Edges that lead back to a location on the path they were found on.
    pub retreating: IndexVec<EdgeId, bool>,
    /// Targets of retreating edges: together they cut every cycle that does not go through a call.
    pub loop_head: IndexVec<LocId, bool>,
}

pub fn order(program: &Program, graph: &Graph) -> Order {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut mark = index_vec![Mark::New; program.locs.len()];
    let mut retreating = index_vec![false; program.edges.len()];
    let mut loop_head = index_vec![false; program.locs.len()];
    let mut rpo = Vec::new();
    // Reached, but not part of any one procedure.
    mark[program.error] = Mark::Done;
    for proc in &program.procs {
        if mark[proc.entry] != Mark::New {
            continue;
        }
        let first = rpo.len();
        mark[proc.entry] = Mark::Open;
        let mut stack = vec![(proc.entry, 0)];
        while let Some((loc, next)) = stack.last_mut() {
            // Last successor first, so that the reversed post-order keeps the order of the program.
            let out = &graph.succ[*loc];
            if *next < out.len() {
                let id = out[out.len() - 1 - *next];
                *next += 1;
                let to = program.edges[id].to;
                match mark[to] {
                    Mark::New => {
                        mark[to] = Mark::Open;
                        stack.push((to, 0));
                    }
                    Mark::Open => {
                        retreating[id] = true;
                        loop_head[to] = true;
                    }
                    Mark::Done => {}
                }
            } else {
                mark[*loc] = Mark::Done;
                rpo.push(*loc);
                stack.pop();
            }
        }
        rpo[first..].reverse();
    }
    rpo.push(program.error);
    let mut position = index_vec![None; program.locs.len()];
    for (i, &loc) in rpo.iter().enumerate() {
        position[loc] = Some(i as u32);
    }
    Order { rpo, position, retreating, loop_head }
}

/// Strongly connected components.
#[derive(Debug, Clone)]
pub struct Components {
    /// The component of each node.
    pub of: Vec<u32>,
    /// The nodes of each component, successors' components first: a reverse topological order.
    pub members: Vec<Vec<u32>>,
}

/// Tarjan's algorithm (SCC) on nodes `0..succ.len()`.
pub fn components(succ: &[Vec<u32>]) -> Components {
    const NEW: u32 = u32::MAX;
    let n = succ.len();
    let mut index = vec![NEW; n];
    let mut low = vec![0; n];
    let mut of = vec![NEW; n];
    let mut members: Vec<Vec<u32>> = Vec::new();
    let (mut open, mut path, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..n as u32 {
        if index[root as usize] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            let v = node as usize;
            if *next == 0 {
                (index[v], low[v]) = (count, count);
                count += 1;
                open.push(node);
            }
            if let Some(&w) = succ[v].get(*next) {
                *next += 1;
                if index[w as usize] == NEW {
                    path.push((w, 0));
                } else if of[w as usize] == NEW {
                    low[v] = low[v].min(index[w as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == index[v] {
                let at = open.iter().rposition(|&o| o == node).expect("an open node is on the stack");
                let component = open.split_off(at);
                for &m in &component {
                    of[m as usize] = members.len() as u32;
                }
                members.push(component);
            }
        }
    }
    Components { of, members }
}

/// The components of the locations; call edges as ordinary ones.
pub fn loc_components(program: &Program, graph: &Graph) -> Components {
    let succ: Vec<Vec<u32>> = graph
        .succ
        .iter()
        .map(|out| out.iter().map(|&e| program.edges[e].to.index() as u32).collect())
        .collect();
    components(&succ)
}

#[derive(Debug, Clone)]
pub struct CallGraph {
    /// Call edges inside each procedure.
    pub calls: IndexVec<ProcId, Vec<EdgeId>>,
    /// Call edges that call it.
    pub callers: IndexVec<ProcId, Vec<EdgeId>>,
    /// May it be active twice?
    pub recursive: IndexVec<ProcId, bool>,
    /// Callees first, except around recursion.
    pub bottom_up: Vec<ProcId>,
    /// Reached by calls from the entry procedure, which is one of them.
    pub reachable: IndexVec<ProcId, bool>,
}

pub fn call_graph(program: &Program) -> CallGraph {
    let n = program.procs.len();
    let mut calls = index_vec![Vec::new(); n];
    let mut callers = index_vec![Vec::new(); n];
    let mut succ = vec![Vec::new(); n];
    let mut recursive: IndexVec<ProcId, bool> = index_vec![false; n];
    for (id, edge) in program.edges.iter_enumerated() {
        if let Op::Call(call) = &edge.op {
            let caller = program.locs[edge.from].proc;
            calls[caller].push(id);
            callers[call.proc].push(id);
            succ[caller.index()].push(call.proc.index() as u32);
            recursive[caller] |= caller == call.proc;
        }
    }
    let found = components(&succ);
    let mut bottom_up = Vec::with_capacity(n);
    for component in &found.members {
        for &p in component {
            recursive[p as usize] |= component.len() > 1;
            bottom_up.push(ProcId::from_raw(p));
        }
    }
    let mut reachable: IndexVec<ProcId, bool> = index_vec![false; n];
    reachable[program.entry] = true;
    let mut stack = vec![program.entry];
    while let Some(p) = stack.pop() {
        for &q in &succ[p.index()] {
            if !std::mem::replace(&mut reachable[q as usize], true) {
                stack.push(ProcId::from_raw(q));
            }
        }
    }
    CallGraph { calls, callers, recursive, bottom_up, reachable }
}

/// How large a program is, as tables and progress lines count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Procedures with code.
    pub procs: usize,
    /// Locations at which an edge begins or ends, and the entry.
    pub locs: usize,
    pub edges: usize,
    /// Loop heads that some path reaches, see [`Order::loop_head`].
    pub loops: usize,
}

pub fn size(program: &Program) -> Size {
    let mut used: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
    let mut code: IndexVec<ProcId, bool> = index_vec![false; program.procs.len()];
    used[program.procs[program.entry].entry] = true;
    code[program.entry] = true;
    for edge in &program.edges {
        used[edge.from] = true;
        used[edge.to] = true;
        code[program.locs[edge.from].proc] = true;
    }
    Size {
        procs: code.iter().filter(|&&c| c).count(),
        locs: used.iter().filter(|&&u| u).count(),
        edges: program.edges.len(),
        loops: order(program, &program.graph()).loop_head.iter().filter(|&&head| head).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Build, figure_2};

    #[test]
    fn loops_and_orders() {
        let program = figure_2();
        let flow = program.graph();
        let order = order(&program, &flow);
        let heads: Vec<usize> =
            order.loop_head.iter_enumerated().filter(|(_, h)| **h).map(|(l, _)| l.index()).collect();
        assert_eq!(heads, [3]);
        for (id, edge) in program.edges.iter_enumerated() {
            let forwards = order.position[edge.from] < order.position[edge.to];
            assert_eq!(forwards, !order.retreating[id]);
        }
        let found = loc_components(&program, &flow);
        let mut large: Vec<u32> = found.members.iter().find(|m| m.len() > 1).expect("a loop").clone();
        large.sort_unstable();
        assert_eq!(large, [3, 4, 5, 6, 7]);
        // Successors first.
        for edge in &program.edges {
            assert!(found.of[edge.to.index()] <= found.of[edge.from.index()]);
        }
    }

    #[test]
    fn components_of_long_chains_need_no_stack() {
        let n = 300_000u32;
        let mut succ: Vec<Vec<u32>> = (0..n).map(|i| vec![(i + 1) % n]).collect();
        assert_eq!(components(&succ).members.len(), 1);
        succ[n as usize - 1].clear();
        assert_eq!(components(&succ).members.len(), n as usize);
    }

    #[test]
    fn recursion_is_found() {
        let mut b = Build::new();
        let main = b.proc;
        let f = b.proc("f");
        let g = b.proc("g");
        let h = b.proc("h");
        for (from, to) in [(main, f), (f, g), (g, f), (g, h)] {
            b.proc = from;
            let (entry, l) = (b.entry(), b.loc());
            b.call(entry, l, to, vec![], None);
        }
        let calls = call_graph(&b.program);
        assert_eq!(calls.recursive.raw, [false, true, true, false]);
        assert_eq!(calls.bottom_up.first(), Some(&h));
        assert_eq!(calls.bottom_up.last(), Some(&main));
        assert_eq!(calls.callers[f].len(), 2);
    }
}
