//! What of a program's storage a pushdown system keeps, and in which registers.

use super::space::RegId;
use super::{Halt, Res, unsupported};
use craig_base::Span;
use craig_cfa::expr::Node;
use craig_cfa::{
    EdgeId, ExprId, Graph, LocId, Op, PlaceId, PlaceKind, ProcId, Program, RecordKind, Type, TypeId, VarId,
    VarKind,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;

/// A scalar inside a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Byte offset in the value, and bit for bit-fields.
    pub offset: u64,
    pub bit: u8,
    pub ty: TypeId,
    pub width: usize,
}

/// How wide values are.
#[derive(Debug, Clone, Copy)]
pub struct Shapes<'a> {
    pub program: &'a Program,
    /// No integer is wider than that; mathematical integers have so many bits.
    pub int_bits: Option<u16>,
}

impl Shapes<'_> {
    /// Width of a scalar and whether it has a sign.
    pub fn scalar(&self, ty: TypeId) -> Option<(usize, bool)> {
        let narrow = |width: u16| usize::from(self.int_bits.map_or(width, |most| width.min(most)));
        match self.program.types.get(ty) {
            Type::Bool => Some((1, false)),
            Type::Int(int) => Some((narrow(int.width), int.signed)),
            Type::MathInt => self.int_bits.map(|bits| (usize::from(bits), true)),
            _ => None,
        }
    }

    /// Is some integer of the program wider than it may be here?
    pub fn narrow_something(&self) -> bool {
        let too_wide = |ty: TypeId| match (self.program.types.get(ty), self.int_bits) {
            (Type::Int(int), Some(most)) => int.width > most,
            (Type::MathInt, Some(_)) => true,
            _ => false,
        };
        let exprs = &self.program.exprs;
        (0..exprs.len()).any(|e| too_wide(exprs.ty(ExprId::from_usize(e))))
            || (0..exprs.place_count()).any(|p| too_wide(exprs.place(PlaceId::from_usize(p)).ty))
    }

    /// The scalars of a value, in the order of its parts.
    pub fn leaves(&self, ty: TypeId, span: Span) -> Res<Vec<Leaf>> {
        let mut out = Vec::new();
        self.collect(ty, (0, 0), span, &mut out)?;
        Ok(out)
    }

    fn collect(&self, ty: TypeId, at: (u64, u8), span: Span, out: &mut Vec<Leaf>) -> Res<()> {
        let types = &self.program.types;
        if let Some((width, _)) = self.scalar(ty) {
            out.push(Leaf { offset: at.0, bit: at.1, ty, width });
            return Ok(());
        }
        match types.get(ty) {
            Type::Void => Ok(()),
            Type::Array { elem, len: Some(len) } if *len <= MOST_CELLS => {
                let size = types.size_of(*elem).unwrap_or(0);
                (0..*len).try_for_each(|i| self.collect(*elem, (at.0 + i * size, 0), span, out))
            }
            Type::Array { .. } => Err(unsupported("a large array in a pushdown system", span)),
            Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
                let fields = &types.records[*record].fields;
                let mut field = |f: &craig_cfa::Field| {
                    self.collect(f.ty, (at.0 + f.offset, f.bit.unwrap_or(0)), span, out)
                };
                fields.iter().try_for_each(&mut field)
            }
            Type::MathInt => {
                Err(unsupported("an integer without bounds in a pushdown system (--int-bits)", span))
            }
            Type::Ptr(_) => Err(unsupported("a pointer in a pushdown system", span)),
            _ => Err(unsupported("a value of this type in a pushdown system", span)),
        }
    }

    /// How many scalars a value has.
    pub fn count(&self, ty: TypeId) -> usize {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Array { elem, len } => len.unwrap_or(0) as usize * self.count(*elem),
            Type::Record(record) => types.records[*record].fields.iter().map(|f| self.count(f.ty)).sum(),
            Type::Void => 0,
            _ => 1,
        }
    }

    /// The first scalar of a field.
    pub fn before_field(&self, record: TypeId, field: u32) -> usize {
        match self.program.types.get(record) {
            Type::Record(r) => {
                let fields = &self.program.types.records[*r].fields;
                fields[..field as usize].iter().map(|f| self.count(f.ty)).sum()
            }
            _ => 0,
        }
    }
}

/// Cells of an array that become registers at most.
const MOST_CELLS: u64 = 1024;

/// Where temporaries are still needed.
#[derive(Debug)]
pub struct Liveness {
    /// Temporaries whose value may still be read, for each location.
    pub temps: IndexVec<LocId, FxHashSet<VarId>>,
}

/// Variables that an expression or place reads; for a place that is written only its indices.
pub struct Reads<'a> {
    program: &'a Program,
}

impl<'a> Reads<'a> {
    pub fn new(program: &'a Program) -> Self {
        Reads { program }
    }

    pub fn of(&self, nodes: Vec<Node>) -> FxHashSet<VarId> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let exprs = &self.program.exprs;
        exprs.visit_all(nodes, &mut seen, &mut |node| {
            if let Node::Place(p) = node
                && let PlaceKind::Var(var) = exprs.place(p).kind
            {
                found.insert(var);
            }
        });
        found
    }

    /// The indices of a place.
    pub fn indices(&self, mut place: PlaceId) -> Vec<Node> {
        let mut found = Vec::new();
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return found,
                PlaceKind::Deref(e) => {
                    found.push(Node::Expr(e));
                    return found;
                }
                PlaceKind::Field(of, _) => place = of,
                PlaceKind::Index(of, e) => {
                    found.push(Node::Expr(e));
                    place = of;
                }
            }
        }
    }

    /// What an operation reads, and the variable that it overwrites as a whole.
    pub fn op(&self, op: &Op) -> (FxHashSet<VarId>, Option<VarId>) {
        let parts = op.parts();
        let mut nodes: Vec<Node> = parts.exprs.iter().map(|e| Node::Expr(*e)).collect();
        nodes.extend(parts.written.iter().flat_map(|p| self.indices(*p)));
        let whole = parts.written.and_then(|p| match self.program.exprs.place(p).kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        });
        (self.of(nodes), whole)
    }
}

impl Liveness {
    pub fn new(program: &Program, graph: &Graph) -> Liveness {
        let reads = Reads::new(program);
        let is_temp = |var: &VarId| program.vars[*var].kind == VarKind::Temp;
        let ops: Vec<(Vec<VarId>, Option<VarId>)> = program
            .edges
            .iter()
            .map(|edge| {
                let (read, whole) = reads.op(&edge.op);
                (read.into_iter().filter(is_temp).collect(), whole)
            })
            .collect();
        let mut temps: IndexVec<LocId, FxHashSet<VarId>> =
            index_vec![FxHashSet::default(); program.locs.len()];
        let mut waiting: Vec<EdgeId> = program.edges.indices().collect();
        while let Some(id) = waiting.pop() {
            let edge = &program.edges[id];
            let (read, whole) = &ops[id.index()];
            let mut before: Vec<VarId> =
                temps[edge.to].iter().copied().filter(|var| Some(*var) != *whole).collect();
            before.extend(read);
            let here = &mut temps[edge.from];
            let known = here.len();
            here.extend(before);
            if here.len() > known {
                waiting.extend(&graph.pred[edge.from]);
            }
        }
        Liveness { temps }
    }
}

/// Variables that matter for which edges are taken: all that assumptions read, and what these are computed from (slicing, PDS 8.4). Does the result of
/// a procedure matter?
#[derive(Debug)]
pub struct Relevance {
    pub vars: FxHashSet<VarId>,
    pub results: IndexVec<ProcId, bool>,
}

impl Relevance {
    pub fn all(program: &Program) -> Relevance {
        Relevance { vars: program.vars.indices().collect(), results: index_vec![true; program.procs.len()] }
    }

    pub fn new(program: &Program) -> Relevance {
        let reads = Reads::new(program);
        let exprs = &program.exprs;
        let mut relevance =
            Relevance { vars: FxHashSet::default(), results: index_vec![false; program.procs.len()] };
        let from = |e: ExprId| reads.of(vec![Node::Expr(e)]);
        loop {
            let before = (relevance.vars.len(), relevance.results.iter().filter(|r| **r).count());
            for edge in &program.edges {
                let matters = |place: PlaceId, relevance: &Relevance| {
                    exprs.root_var(place).is_none_or(|var| relevance.vars.contains(&var))
                };
                match &edge.op {
                    Op::Assume(e) => relevance.vars.extend(from(*e)),
                    Op::Assign(p, e) if matters(*p, &relevance) => {
                        relevance.vars.extend(from(*e));
                        relevance.vars.extend(reads.of(reads.indices(*p)));
                    }
                    Op::Havoc(p, _) if matters(*p, &relevance) => {
                        relevance.vars.extend(reads.of(reads.indices(*p)));
                    }
                    Op::Call(call) => {
                        for (param, arg) in program.procs[call.proc].params.iter().zip(&call.args) {
                            if relevance.vars.contains(param) {
                                relevance.vars.extend(from(*arg));
                            }
                        }
                        if let Some(p) = call.ret
                            && matters(p, &relevance)
                        {
                            relevance.results[call.proc] = true;
                            relevance.vars.extend(reads.of(reads.indices(p)));
                        }
                    }
                    Op::Return(Some(e)) if relevance.results[program.locs[edge.from].proc] => {
                        relevance.vars.extend(from(*e));
                    }
                    _ => {}
                }
            }
            if before == (relevance.vars.len(), relevance.results.iter().filter(|r| **r).count()) {
                return relevance;
            }
        }
    }
}

/// The registers of variables.
#[derive(Debug)]
pub struct Storage {
    /// For each scalar of a variable its register; none for variables that do not matter or live only inside rules.
    pub regs: IndexVec<VarId, Option<Vec<RegId>>>,
    pub result: Vec<RegId>,
    pub widths: Vec<usize>,
    /// Registers that index arrays: first in the order of variables.
    pub first: Vec<bool>,
    pub globals: Vec<RegId>,
}

impl Storage {
    /// `kept`: the variables that have registers.
    pub fn new(shapes: &Shapes<'_>, kept: &FxHashSet<VarId>, procs: &[ProcId]) -> Res<Storage> {
        let program = shapes.program;
        let mut storage = Storage {
            regs: index_vec![None; program.vars.len()],
            result: Vec::new(),
            widths: Vec::new(),
            first: Vec::new(),
            globals: Vec::new(),
        };
        for (id, var) in program.vars.iter_enumerated() {
            if var.proc.is_none() && kept.contains(&id) {
                if var.address_taken {
                    return Err(unsupported("the address of a variable in a pushdown system", var.span));
                }
                let leaves = shapes.leaves(var.ty, var.span)?;
                let regs: Vec<RegId> = leaves.iter().map(|leaf| storage.add(leaf.width)).collect();
                storage.globals.extend(&regs);
                storage.regs[id] = Some(regs);
            }
        }
        for proc in procs {
            let proc = &program.procs[*proc];
            let leaves = shapes.leaves(proc.ret, proc.span)?;
            for (i, leaf) in leaves.iter().enumerate() {
                match storage.result.get(i) {
                    Some(reg) => {
                        let width = &mut storage.widths[reg.index()];
                        *width = (*width).max(leaf.width);
                    }
                    None => {
                        let reg = storage.add(leaf.width);
                        storage.result.push(reg);
                    }
                }
            }
        }
        let shared = storage.widths.len();
        for proc in procs {
            let proc = &program.procs[*proc];
            let mut next = shared;
            for id in proc.locals.iter().filter(|var| kept.contains(*var)) {
                let var = &program.vars[*id];
                if var.address_taken {
                    return Err(unsupported("the address of a variable in a pushdown system", var.span));
                }
                let mut regs = Vec::new();
                for leaf in shapes.leaves(var.ty, var.span)? {
                    match storage.widths.get_mut(next) {
                        Some(width) => *width = (*width).max(leaf.width),
                        None => {
                            storage.add(leaf.width);
                        }
                    }
                    regs.push(RegId::from_usize(next));
                    next += 1;
                }
                storage.regs[*id] = Some(regs);
            }
        }
        storage.mark_indices(program);
        if storage.widths.iter().sum::<usize>() > MOST_BITS {
            return Err(Halt::from(craig_verdict::Reason::Unsupported {
                what: "more than 4096 bits in a pushdown system".into(),
                span: Span::default(),
            }));
        }
        Ok(storage)
    }

    fn add(&mut self, width: usize) -> RegId {
        self.widths.push(width);
        self.first.push(false);
        RegId::from_usize(self.widths.len() - 1)
    }

    /// Which cell is meant is asked before what is in it.
    fn mark_indices(&mut self, program: &Program) {
        let reads = Reads::new(program);
        for i in 0..program.exprs.place_count() {
            if let PlaceKind::Index(_, e) = program.exprs.place(PlaceId::from_usize(i)).kind {
                for var in reads.of(vec![Node::Expr(e)]) {
                    if let Some(regs) = &self.regs[var]
                        && let [reg] = regs[..]
                    {
                        self.first[reg.index()] = true;
                    }
                }
            }
        }
    }
}

/// Bits of all registers together, at most.
const MOST_BITS: usize = 4096;
