//! Renumbers a program so that only what is used remains: the last step of the other passes.
//!
//! Kept are the edges, the locations at their ends, the error location, entry and exit of every procedure, the variables that
//! operations name and the parameters of procedures with code. `address_taken` becomes exact: it is set where the address of the
//! variable is still taken. Procedures keep their ids even without code, because the address of a procedure is a value.
//! The order of everything is kept.

use crate::expr::{ExprKind, Exprs, Node};
use crate::program::{LocId, Op, ProcId, Program, VarId};
use crate::rewrite::{Map, Rewriter, place_parts};
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};

struct Vars(IndexVec<VarId, Option<VarId>>);

impl Map for Vars {
    fn var(&mut self, var: VarId) -> VarId {
        self.0[var].expect("a variable in use is kept")
    }
}

pub(crate) fn compact(mut program: Program, budget: &Budget) -> Result<Program, Stop> {
    budget.check_memory()?;
    let code = procs_with_code(&program);
    let (used, address_taken) = vars_in_use(&program, budget)?;

    let mut var_map: IndexVec<VarId, Option<VarId>> = index_vec![None; program.vars.len()];
    let mut vars = IndexVec::new();
    let mut param = index_vec![false; program.vars.len()];
    for (id, proc) in program.procs.iter_enumerated().filter(|(id, _)| code[*id]) {
        for &p in &proc.params {
            param[p] = program.vars[p].proc == Some(id);
        }
    }
    for (id, var) in program.vars.iter_enumerated() {
        if used[id] || param[id] {
            let mut var = var.clone();
            var.address_taken = address_taken[id];
            var_map[id] = Some(vars.push(var));
        }
    }
    for (id, proc) in program.procs.iter_mut_enumerated() {
        if !code[id] {
            proc.params.clear();
        }
        proc.params.iter_mut().for_each(|p| *p = var_map[*p].expect("parameters are kept"));
        proc.locals = proc.locals.iter().filter_map(|&l| var_map[l]).collect();
    }
    program.vars = vars;

    rewrite_ops(&mut program, var_map, budget)?;
    budget.check()?;
    renumber_locs(&mut program);
    Ok(program)
}

/// The entry procedure, and those that have an edge or are called.
fn procs_with_code(program: &Program) -> IndexVec<ProcId, bool> {
    let mut code = index_vec![false; program.procs.len()];
    code[program.entry] = true;
    for edge in &program.edges {
        code[program.locs[edge.from].proc] = true;
        if let Op::Call(call) = &edge.op {
            code[call.proc] = true;
        }
    }
    code
}

type Marks = IndexVec<VarId, bool>;

/// Variables that operations name, and those whose address they take. Each expression is visited once.
fn vars_in_use(program: &Program, budget: &Budget) -> Result<(Marks, Marks), Stop> {
    let mut pace = Pace::new(budget);
    let exprs = &program.exprs;
    let mut used = index_vec![false; program.vars.len()];
    let mut address_taken = index_vec![false; program.vars.len()];
    let mut seen_exprs = vec![false; exprs.len()];
    let mut seen_places = vec![false; exprs.place_count()];
    let mut stack = Vec::new();
    for (op, _) in program.ops() {
        let parts = op.parts();
        stack.extend(parts.exprs.into_iter().map(Node::Expr));
        stack.extend(parts.written.into_iter().map(Node::Place));
        while let Some(node) = stack.pop() {
            pace.step()?;
            match node {
                Node::Expr(e) if !std::mem::replace(&mut seen_exprs[e.index()], true) => {
                    if let ExprKind::AddrOf(p) = *exprs.kind(e)
                        && let Some(v) = exprs.root_var(p)
                    {
                        address_taken[v] = true;
                    }
                    stack.extend(exprs.children(e).map(Node::Expr));
                    stack.extend(exprs.place_in(e).map(Node::Place));
                }
                Node::Place(p) if !std::mem::replace(&mut seen_places[p.index()], true) => {
                    if let crate::PlaceKind::Var(v) = exprs.place(p).kind {
                        used[v] = true;
                    }
                    let (place, expr) = place_parts(exprs.place(p).kind);
                    stack.extend(place.map(Node::Place));
                    stack.extend(expr.map(Node::Expr));
                }
                _ => {}
            }
        }
    }
    Ok((used, address_taken))
}

fn rewrite_ops(
    program: &mut Program,
    var_map: IndexVec<VarId, Option<VarId>>,
    budget: &Budget,
) -> Result<(), Stop> {
    let mut pace = Pace::new(budget);
    let old = std::mem::take(&mut program.exprs);
    let mut rewriter = Rewriter::new(&old, &program.types);
    let mut map = Vars(var_map);
    let mut exprs = Exprs::default();
    for edge in &mut program.edges {
        pace.step()?;
        edge.op = rewriter.op(&edge.op, &mut exprs, &mut map);
    }
    program.exprs = exprs;
    Ok(())
}

fn renumber_locs(program: &mut Program) {
    let mut keep = index_vec![false; program.locs.len()];
    keep[program.error] = true;
    for proc in &program.procs {
        keep[proc.entry] = true;
        keep[proc.exit] = true;
    }
    for edge in &program.edges {
        keep[edge.from] = true;
        keep[edge.to] = true;
    }
    let mut map: IndexVec<LocId, LocId> = index_vec![LocId::from_raw(0); program.locs.len()];
    let mut locs = IndexVec::new();
    for (id, loc) in std::mem::take(&mut program.locs).into_iter_enumerated() {
        if keep[id] {
            map[id] = locs.push(loc);
        }
    }
    program.locs = locs;
    program.error = map[program.error];
    for proc in &mut program.procs {
        proc.entry = map[proc.entry];
        proc.exit = map[proc.exit];
    }
    for edge in &mut program.edges {
        edge.from = map[edge.from];
        edge.to = map[edge.to];
    }
}
