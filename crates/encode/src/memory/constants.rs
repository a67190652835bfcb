//! Variables that are constant wherever they are read: sizes that came through the parameters of an allocating function, offsets
//! that a front end for another compiler put into temporaries.
//!
//! Such a variable is a local that nothing points at and that one operation of the program assigns; that operation lies on
//! every way from the entry of the procedure to an operation that reads the variable, and what it assigns is made of constants and of
//! variables of this kind. What the variable holds before (a local starts arbitrary, with a `Havoc`) is then never seen.
//!
//! Dominators: Cooper, Harvey, Kennedy, A simple, fast dominance algorithm.

use craig_cfa::expr::Node;
use craig_cfa::{BinOp, Choice, ExprId, ExprKind, Op, PlaceKind, Program, Type, UnOp, VarId, arith};
use index_vec::IndexVec;

#[derive(Debug)]
pub(super) struct Constants<'a> {
    program: &'a Program,
    value: IndexVec<VarId, Definition>,
}

#[derive(Debug, Clone, Copy)]
enum Definition {
    None,
    /// The value that the only assignment gives, and the edge of the assignment in the graph.
    One(ExprId, u32),
    Many,
    Known(u128),
}

/// How far chains of assignments are followed.
const DEEPEST: u32 = 100;

impl<'a> Constants<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut constants = Constants {
            program,
            value: program
                .vars
                .iter()
                .map(|v| match v.proc {
                    Some(_) if !v.address_taken && program.types.as_word(v.ty).is_some() => Definition::None,
                    _ => Definition::Many,
                })
                .collect(),
        };
        let ways = Ways::new(program);
        for (id, (op, _, _)) in ways.edges.iter().enumerate() {
            constants.count(op, id as u32);
        }
        let has_candidates = constants.value.iter().any(|d| matches!(d, Definition::One(..)));
        if has_candidates {
            constants.drop_early_reads(&ways);
        }
        constants.evaluate();
        constants
    }

    fn count(&mut self, op: &Op, id: u32) {
        let program = self.program;
        if let Op::Call(call) = op {
            for &param in &program.procs[call.proc].params {
                self.value[param] = Definition::Many;
            }
        }
        let Some(v) = op.parts().written.and_then(|place| program.exprs.root_var(place)) else { return };
        match (op, self.value[v]) {
            (Op::Havoc(_, Choice::Uninit), _) => {}
            (Op::Assign(_, e), Definition::None) => self.value[v] = Definition::One(*e, id),
            _ => self.value[v] = Definition::Many,
        }
    }

    /// Variables that may be read before they are assigned are not constant.
    fn drop_early_reads(&mut self, ways: &Ways<'_>) {
        let program = self.program;
        let dominators = ways.dominators();
        let mut stack = Vec::new();
        for &(op, from, _) in &ways.edges {
            let parts = op.parts();
            // If the variable can become arbitrary before it is assigned, then never afterwards without being assigned again: that
            // would be a way around the assignment to where it is read.
            if let Op::Havoc(p, Choice::Uninit) = op
                && let Some(v) = program.exprs.root_var(*p)
                && let Definition::One(_, edge) = self.value[v]
                && dominators.edge_before(ways, edge, from)
            {
                self.value[v] = Definition::Many;
            }
            stack.extend(parts.exprs.iter().map(|&e| Node::Expr(e)));
            stack.extend(parts.written.iter().map(|&p| Node::Place(p)));
            // Of a place that is written, what it is computed from is read; a variable itself is not.
            if let Some(p) = parts.written
                && matches!(program.exprs.place(p).kind, PlaceKind::Var(_))
            {
                stack.retain(|n| *n != Node::Place(p));
            }
            // Expressions are trees of bounded depth, mostly small; what is shared inside one is seen again.
            let mut budget = 10_000;
            while let Some(node) = stack.pop() {
                budget -= 1;
                match node {
                    Node::Expr(e) => {
                        stack.extend(program.exprs.children(e).map(Node::Expr));
                        stack.extend(program.exprs.place_in(e).map(Node::Place));
                    }
                    Node::Place(p) => match program.exprs.place(p).kind {
                        PlaceKind::Var(v) => {
                            if let Definition::One(_, edge) = self.value[v]
                                && !dominators.edge_before(ways, edge, from)
                            {
                                self.value[v] = Definition::Many;
                            }
                        }
                        PlaceKind::Deref(e) => stack.push(Node::Expr(e)),
                        PlaceKind::Field(q, _) => stack.push(Node::Place(q)),
                        PlaceKind::Index(q, e) => stack.extend([Node::Place(q), Node::Expr(e)]),
                    },
                }
                if budget == 0 {
                    // Too much to look at: nothing of it is taken for constant.
                    self.value.iter_mut().for_each(|d| *d = Definition::Many);
                    return;
                }
            }
        }
    }

    fn evaluate(&mut self) {
        for v in self.value.indices() {
            if let Definition::One(e, _) = self.value[v] {
                self.value[v] = self.within(e, DEEPEST).map_or(Definition::Many, Definition::Known);
            }
        }
    }

    /// The bits of an integer or pointer expression, if it is constant.
    pub fn bits(&self, e: ExprId) -> Option<u128> {
        self.within(e, DEEPEST)
    }

    /// The same as a number.
    pub fn number(&self, e: ExprId) -> Option<i128> {
        let word = self.program.types.as_word(self.program.exprs.ty(e))?;
        Some(arith::to_i128(self.bits(e)?, word))
    }

    fn within(&self, e: ExprId, depth: u32) -> Option<u128> {
        let depth = depth.checked_sub(1)?;
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let expr = exprs.get(e);
        match expr.kind {
            ExprKind::Const(_) => exprs.as_bits(e),
            ExprKind::Read(place) => {
                let PlaceKind::Var(v) = exprs.place(place).kind else { return None };
                match self.value[v] {
                    Definition::Known(bits) => Some(bits),
                    Definition::One(e, _) => self.within(e, depth),
                    _ => None,
                }
            }
            ExprKind::Cast(inner) => {
                let (from, to) = (types.as_word(exprs.ty(inner))?, types.as_word(expr.ty)?);
                Some(arith::convert(self.within(inner, depth)?, from, to))
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                arith::negate(self.within(a, depth)?, types.as_int(expr.ty)?).ok()
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                let int = types.as_int(expr.ty)?;
                let (a, b) = (self.within(a, depth)?, self.within(b, depth)?);
                arith::binary(op, a, b, int).ok()
            }
            // `&((struct s *)0)->member`.
            ExprKind::AddrOf(place) => {
                let mut place = place;
                let mut offset = 0u128;
                loop {
                    match exprs.place(place).kind {
                        PlaceKind::Deref(base) => {
                            let word = types.as_word(expr.ty)?;
                            return Some(arith::truncate(
                                self.within(base, depth)?.wrapping_add(offset),
                                word,
                            ));
                        }
                        PlaceKind::Field(of, index) => {
                            let Type::Record(r) = *types.get(exprs.place(of).ty) else { return None };
                            offset += u128::from(types.records[r].fields.get(index as usize)?.offset);
                            place = of;
                        }
                        PlaceKind::Var(_) | PlaceKind::Index(..) => return None,
                    }
                }
            }
            _ => None,
        }
    }
}

/// All operations with the locations they lead from and to.
struct Ways<'a> {
    edges: Vec<(&'a Op, u32, u32)>,
    nodes: usize,
    entries: Vec<u32>,
    incoming: Vec<u32>,
}

impl<'a> Ways<'a> {
    fn new(program: &'a Program) -> Self {
        let edges: Vec<_> = program.edges.iter().map(|e| (&e.op, e.from.raw(), e.to.raw())).collect();
        let nodes = program.locs.len();
        let mut incoming = vec![0; nodes];
        for &(_, _, to) in &edges {
            incoming[to as usize] += 1;
        }
        let entries = program.procs.iter().map(|p: &craig_cfa::Proc| p.entry.raw()).collect();
        Ways { edges, nodes, entries, incoming }
    }

    fn dominators(&self) -> Dominators {
        let root = self.nodes as u32;
        let mut succ: Vec<Vec<u32>> = vec![Vec::new(); self.nodes + 1];
        let mut pred: Vec<Vec<u32>> = vec![Vec::new(); self.nodes + 1];
        let all = self.edges.iter().map(|&(_, f, t)| (f, t)).chain(self.entries.iter().map(|&e| (root, e)));
        for (from, to) in all {
            succ[from as usize].push(to);
            pred[to as usize].push(from);
        }
        // Post-order from the root.
        let mut number = vec![u32::MAX; self.nodes + 1];
        let mut seen = vec![false; self.nodes + 1];
        let mut order = Vec::new();
        let mut stack = vec![(root, 0usize)];
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            match succ[*node as usize].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    number[*node as usize] = order.len() as u32;
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        let mut parent = vec![u32::MAX; self.nodes + 1];
        parent[root as usize] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().skip(1) {
                let mut best = u32::MAX;
                for &p in &pred[node as usize] {
                    if parent[p as usize] == u32::MAX {
                        continue;
                    }
                    best = if best == u32::MAX { p } else { common(&parent, &number, best, p) };
                }
                if parent[node as usize] != best {
                    parent[node as usize] = best;
                    changed = true;
                }
            }
        }
        Dominators::new(&parent, root)
    }
}

fn common(parent: &[u32], number: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while number[a as usize] < number[b as usize] {
            a = parent[a as usize];
        }
        while number[b as usize] < number[a as usize] {
            b = parent[b as usize];
        }
    }
    a
}

/// The tree of dominators, numbered so that a question costs nothing.
struct Dominators {
    enter: Vec<u32>,
    leave: Vec<u32>,
}

impl Dominators {
    fn new(parent: &[u32], root: u32) -> Self {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); parent.len()];
        for (node, &p) in parent.iter().enumerate() {
            if p != u32::MAX && node as u32 != root {
                children[p as usize].push(node as u32);
            }
        }
        let (mut enter, mut leave) = (vec![u32::MAX; parent.len()], vec![0; parent.len()]);
        let mut clock = 0;
        let mut stack = vec![(root, 0usize)];
        while let Some((node, next)) = stack.last_mut() {
            if *next == 0 {
                enter[*node as usize] = clock;
                clock += 1;
            }
            match children[*node as usize].get(*next) {
                Some(&child) => {
                    *next += 1;
                    stack.push((child, 0));
                }
                None => {
                    leave[*node as usize] = clock;
                    stack.pop();
                }
            }
        }
        Dominators { enter, leave }
    }

    /// Does every way to the node go over the edge? Code that is not reached counts as behind everything.
    fn edge_before(&self, ways: &Ways<'_>, edge: u32, node: u32) -> bool {
        let (_, _, to) = ways.edges[edge as usize];
        let (at, to) = (node as usize, to as usize);
        if self.enter[at] == u32::MAX {
            return true;
        }
        ways.incoming[to] == 1
            && self.enter[to] != u32::MAX
            && self.enter[to] <= self.enter[at]
            && self.leave[at] <= self.leave[to]
    }
}
