def sub(p, *pairs):
    s=open(p).read()
    for a,b in pairs:
        assert a in s, (p,a)
        s=s.replace(a,b,1)
    open(p,'w').write(s)
sub('/work/h17/crates/verdict/src/separate.rs',('''//! Only programs without pointers are separated: then what a call changes are the global variables, and the frames of callers stay as they
//! are.
''','''//! There is one copy of the variables of a procedure, however many activations it has. So pointers may lead to globals, to what is allocated and to the variables of the procedure that
//! runs begin in, if nobody calls that; a program that takes the address of another local variable is not separated. Then the frames of callers stay as they are,
//! but for what pointers lead to ([`Separated::is_private`]). Text that is written to memory and variadic arguments are not followed here.
'''),('''    /// Where operations stand that no run comes to''','''    /// Variables whose address is taken.
    exposed: FxHashSet<VarId>,
    /// Where operations stand that no run comes to'''),('''        for edge in source.edges.iter().filter(|edge| in_use(edge)) {
            if let Some(what) = pointers(source, &edge.op) {
                let what = format!("{what} in a proof by procedures").into();
                return Err(Reason::Unsupported { what, span: edge.span });
            }
        }
''','''        let mut exposed = FxHashSet::default();
        for edge in source.edges.iter().filter(|edge| in_use(edge)) {
            let before = exposed.len();
            if let Some(what) = beyond(source, &edge.op, &mut exposed) {
                let what = format!("{what} in a proof by procedures").into();
                return Err(Reason::Unsupported { what, span: edge.span });
            }
            let main = (!called[source.entry]).then_some(source.entry);
            let stays = |var: &VarId| source.vars[*var].proc.is_none_or(|proc| Some(proc) == main);
            if exposed.len() > before && !exposed.iter().all(stays) {
                let what = "the address of a local variable in a proof by procedures".into();
                return Err(Reason::Unsupported { what, span: edge.span });
            }
        }
'''),("let mut separated = Separated { program, reached, called, calls, arguments, results, aside };","let mut separated =\n            Separated { program, reached, called, calls, arguments, results, exposed, aside };"),('''    /// The procedure of each location, if it has one''','''    /// Is it a variable of the source program that belongs to an activation and that no pointer leads to?
    pub fn is_private(&self, source: &Program, var: VarId) -> bool {
        source.vars.get(var).is_some_and(|own| own.proc.is_some()) && !self.exposed.contains(&var)
    }

    /// The procedure of each location, if it has one'''))
p='/work/h17/crates/verdict/src/separate.rs'
s=open(p).read()
a=s.index("/// What an operation does with pointers, in words.")
s=s[:a]+'''/// What an operation does that is not followed here, in words; collects the variables whose address it takes.
fn beyond(source: &Program, op: &Op, exposed: &mut FxHashSet<VarId>) -> Option<&'static str> {
    match op {
        Op::VarArgs(_) => return Some("variadic arguments"),
        Op::Call(call) if source.procs[call.proc].variadic => return Some("variadic arguments"),
        Op::Output(output) if output.buffer().is_some() => return Some("memory by its address"),
        // What is printed is not looked at; the place of the result is a part of the program.
        Op::Output(output) => {
            output.ret.iter().for_each(|place| expose(source, [Node::Place(*place)], exposed));
            return None;
        }
        _ => {}
    }
    let parts = op.parts();
    let exprs = parts.exprs.iter().map(|e| Node::Expr(*e));
    let places = parts.read.iter().chain(&parts.written).map(|p| Node::Place(*p));
    expose(source, exprs.chain(places), exposed);
    None
}

fn expose(source: &Program, roots: impl IntoIterator<Item = Node>, exposed: &mut FxHashSet<VarId>) {
    let exprs = &source.exprs;
    let roots = roots.into_iter().collect();
    exprs.visit_all(roots, &mut FxHashSet::default(), &mut |node| {
        if let Node::Expr(e) = node
            && let ExprKind::AddrOf(place) = exprs.kind(e)
        {
            exposed.extend(exprs.root_var(*place));
        }
    });
}
'''
s=s.replace('''    Call, Choice, Edge, EdgeId, ExprKind, LocId, Op, PlaceId, PlaceKind, ProcId, Program, Type, Var, VarId,
    VarKind,''','''    Call, Choice, Edge, EdgeId, ExprKind, LocId, Op, PlaceId, ProcId, Program, Type, Var, VarId, VarKind,''')
open(p,'w').write(s)
sub('/work/h17/crates/verdict/src/modular.rs',('''    /// What a call of each procedure may change, by itself or by what it calls, of all that belongs to no activation: as the operations say, one
    /// by one.
    fn changes(&self, encoder: &Encoder<'_>) -> Result<IndexVec<ProcId, BTreeSet<CellId>>, Reason> {''','''    /// Do only variables lie in a cell that belong to activations and that no pointer leads to?
    fn is_private(&self, cell: CellId) -> bool {
        let private = |(object, _): &(_, u64)| match self.layout.key(*object) {
            Some(ObjectKey::Var(var, _)) => self.separated.is_private(self.source, *var),
            _ => false,
        };
        let leaves = &self.layout.cells()[cell].leaves;
        !leaves.is_empty() && leaves.iter().all(private)
    }

    /// What a call of each procedure may change, by itself or by what it calls, but for variables of activations that no pointer leads to: as the operations say, one
    /// by one.
    fn changes(&self, encoder: &Encoder<'_>) -> Result<IndexVec<ProcId, Changes>, Reason> {'''),
('''        let global = |cell: &CellId| !matches!(self.layout.cells()[*cell].owner, Owner::Frame(_));
        let mut changes: IndexVec<ProcId, BTreeSet<CellId>> =
            index_vec![BTreeSet::new(); self.source.procs.len()];
''','''        let mut changes: IndexVec<ProcId, Changes> =
            index_vec![Changes::default(); self.source.procs.len()];
'''),('''            changes[proc].extend(changed.map(|(cell, _)| cell).filter(global));
''','''            let open = changed.map(|(cell, _)| cell).filter(|cell| !self.is_private(*cell));
            changes[proc].cells.extend(open);
            changes[proc].heap |= state.heap != symbols.heap;
'''),('''                let more = changes[*callee].clone();
                let before = changes[*caller].len();
                changes[*caller].extend(more);
                grew |= changes[*caller].len() > before;
''','''                let more = changes[*callee].clone();
                let before = changes[*caller].clone();
                changes[*caller].cells.extend(more.cells);
                changes[*caller].heap |= more.heap;
                grew |= changes[*caller] != before;
'''),('''    changes: IndexVec<ProcId, BTreeSet<CellId>>,
}
''','''    changes: IndexVec<ProcId, Changes>,
}

/// What a call may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Changes {
    cells: BTreeSet<CellId>,
    /// Where the next object of the heap goes.
    heap: bool,
}
'''),('''        for cell in &self.changes[*callee] {
            self.encoder.forget(*cell, state, part);
        }
''','''        let changes = &self.changes[*callee];
        for cell in &changes.cells {
            self.encoder.forget(*cell, state, part);
        }
        if changes.heap {
            state.heap = self.encoder.terms.fresh("heap#", self.encoder.terms.sort(state.heap));
        }
'''),("use craig_encode::memory::{AddressMap, CellId, Owner, Seen};","use craig_encode::memory::{AddressMap, CellId, ObjectKey, Seen};"))
