//! What a program can tell of where its objects lie.
//!
//! C promises little of addresses: an object does not lie at null, it is aligned, it shares no byte with others that live at the same
//! time. A program that never looks cannot tell one place from another, and fixed numbers serve it well. One that looks may find anything that is
//! allowed. An object is *seen* if
//! - its address becomes a number (see `constraints`): cast, printed, read as bytes or as another type, compared with a number;
//! - its address is put in order with that of another object, or subtracted;
//! - its address is compared for equality with that of another object, and the result depends on where they lie: one of the
//!   pointers may point behind its object, or one object may be gone when the other comes and lie where that one lay, and
//!   something still holds its address.
//!
//! Order to a number in the first or the last page tells nothing, because nothing lies there.
//!
//! The analysis looks at the source program, so that engines and checker, who work on different versions of it, see the same.

use super::constraints::{Constraints, Value};
use super::objects::{Object, ObjectId, ObjectKey, ObjectKind};
use super::{Reached, leads, solved};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::graph::loc_components;
use craig_cfa::{
    CallStrings, Const, Edge, EdgeId, ExprId, Graph, Lang, LocId, Op, ProcId, Program, ScopeId, Scopes, Var,
    VarId, VarKind,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

/// Two addresses that a program compares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compared {
    pub expr: ExprId,
    pub a: Value,
    pub b: Value,
    /// For order or distance, not only for equality.
    pub order: bool,
}

/// The objects of a source program whose place it can tell.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    objects: FxHashSet<Source>,
    /// Those whose addresses become numbers.
    exposed: FxHashSet<Source>,
    /// Pairs of seen objects that some pointer may point to, or that are compared.
    related: FxHashSet<(Source, Source)>,
    /// Questions after procedures that the answer is no to.
    misled: FxHashSet<ExprId>,
    /// Does the program free memory?
    frees: bool,
    /// Allocations by the environment, and what these may be after all.
    outside: FxHashSet<Source>,
    guessed: FxHashSet<Source>,
    lives: Lives,
}

/// An object of the source program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Source {
    Var(VarId),
    Alloc(EdgeId),
    Proc(ProcId),
}

impl Source {
    fn of(key: &ObjectKey) -> Source {
        match key {
            ObjectKey::Var(var, _) => Source::Var(*var),
            ObjectKey::Alloc(edge, _) => Source::Alloc(*edge),
            ObjectKey::Proc(proc) => Source::Proc(*proc),
        }
    }

    fn new(kind: ObjectKind) -> Option<Source> {
        match kind {
            ObjectKind::Var(var) => Some(Source::Var(var)),
            ObjectKind::Alloc(edge, _) => Some(Source::Alloc(edge)),
            ObjectKind::Proc(proc) => Some(Source::Proc(proc)),
            ObjectKind::Result(_) | ObjectKind::Transit | ObjectKind::Wild => None,
        }
    }
}

/// What may be gone when something else comes.
#[derive(Debug, Clone, Default)]
struct Lives {
    /// Variables that live as long as the program runs.
    lasting: FxHashSet<VarId>,
    /// Allocations that end with their procedure.
    stack: FxHashSet<EdgeId>,
    /// Allocations that may happen after what another one made was freed.
    after: FxHashMap<EdgeId, FxHashSet<EdgeId>>,
    /// Calls that may happen again and again.
    repeated: FxHashSet<EdgeId>,
    /// Blocks that variables and arrays of variable length live in, where these are not whole procedures.
    blocks: FxHashMap<Source, ScopeId>,
    scopes: Scopes,
    /// Variables of blocks that are entered again and again.
    reborn: FxHashSet<VarId>,
    /// Literals that may share bytes, because the one is a part of the other.
    sharing: FxHashSet<(VarId, VarId)>,
}

impl Seen {
    pub fn new(source: &Program, budget: &Budget) -> Result<Seen, Stop> {
        if source.lang != Lang::C {
            return Ok(Seen::default());
        }
        let frees = source.edges.iter().any(|edge| matches!(edge.op, Op::Free(_) | Op::Realloc { .. }));
        let scopes = source.scopes.clone();
        let sharing = sharing(source, budget)?;
        let lasting = lasting(source, budget)?;
        let stack = |edge: &Edge| matches!(edge.op, Op::Alloc { stack: true, .. });
        let stack =
            source.edges.iter_enumerated().filter(|(_, edge)| stack(edge)).map(|(id, _)| id).collect();
        let lives = Lives { lasting, stack, scopes, sharing, ..Lives::default() };
        let mut seen = Seen { frees, lives, ..Seen::default() };
        let (mut found, reached) = solved(source, &seen, true, true, budget)?;
        seen.misled = leads::misled(&mut found);
        seen.lives.find(&mut found, budget)?;
        let again = entered_again(source, &seen.lives.repeated);
        let held = seen.lives.held(&mut found, budget)?;
        let exposed = found.solver.exposed_objects();
        for object in exposed {
            seen.add(&found, object);
            seen.exposed.extend(Source::new(found.solver.objects[object].kind));
        }
        seen.objects.extend(found.exposed_procs.iter().map(|proc| Source::Proc(*proc)));
        seen.add_guessed(&mut found);
        let mut pace = Pace::new(budget);
        for Compared { a, b, order, .. } in found.compared.clone() {
            pace.step()?;
            let (a, b) = (targets(&mut found, a), targets(&mut found, b));
            for &(x, at) in &a {
                for &(y, other) in &b {
                    pace.step()?;
                    let tells = if x == y {
                        held.contains(&x) && seen.lives.returns(&found, x, &again, order)
                    } else {
                        order
                            || may_be_behind(&found, x, at)
                            || may_be_behind(&found, y, other)
                            || (held.contains(&x) || held.contains(&y))
                                && seen.lives.may_share(&found, x, y, &again)
                    };
                    if tells {
                        seen.add(&found, x);
                        seen.add(&found, y);
                    }
                }
            }
        }
        seen.relate(&mut found, &reached, budget)?;
        Ok(seen)
    }

    /// Finds the pairs of seen objects that formulas may have to tell apart.
    fn relate(
        &mut self,
        found: &mut Constraints<'_>,
        reached: &Reached,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut pace = Pace::new(budget);
        let objects = |targets: &[(ObjectId, i64)]| targets.iter().map(|(object, _)| *object).collect();
        let mut together: Vec<Vec<ObjectId>> = reached.scalars.iter().map(|(_, t)| objects(t)).collect();
        together.extend(
            reached
                .places
                .values()
                .chain(reached.pointers.values())
                .map(|s| s.iter().map(|start| start.object).collect()),
        );
        for Compared { a, b, .. } in found.compared.clone() {
            let all = [targets(found, a), targets(found, b)].concat();
            together.push(all.into_iter().map(|(object, _)| object).collect());
        }
        for mut list in together {
            list.sort_unstable();
            list.dedup();
            let kind = |object: ObjectId| found.solver.objects[object].kind;
            let sources = list.into_iter().filter_map(|object| Source::new(kind(object)));
            let seen: Vec<Source> = sources.filter(|source| self.objects.contains(source)).collect();
            for (i, x) in seen.iter().enumerate() {
                pace.step()?;
                self.related.extend(seen[..i].iter().map(|y| (*x.min(y), *x.max(y))));
                // Copies by inlining.
                self.related.insert((*x, *x));
            }
        }
        Ok(())
    }

    /// Does it have to be told that two objects are apart?
    pub(super) fn are_related(&self, a: &ObjectKey, b: &ObjectKey) -> bool {
        let (a, b) = (Source::of(a), Source::of(b));
        self.related.contains(&(a.min(b), a.max(b)))
    }

    /// Is the question of the source program whether a pointer leads to procedures answered with no?
    pub(super) fn misleads(&self, question: ExprId) -> bool {
        self.misled.contains(&question)
    }

    /// May the object be gone while another lies where it lay?
    pub(super) fn may_go(&self, program: &Program, object: &Object) -> bool {
        match object.kind {
            ObjectKind::Var(var) => {
                let var = &program.vars[var];
                let own = var.calls == CallStrings::ROOT && var.proc.is_none_or(|proc| proc == program.entry);
                let stays = own && var.scope == ScopeId::ROOT || self.lives.lasting.contains(&var.origin);
                !stays
            }
            ObjectKind::Alloc(edge, calls) => {
                self.frees || calls != CallStrings::ROOT || self.lives.stack.contains(&edge)
            }
            _ => false,
        }
    }

    /// Does the address become a number in the source program? What does so may be dropped from another version of it.
    pub(super) fn exposes(&self, key: &ObjectKey) -> bool {
        self.exposed.contains(&Source::of(key))
    }

    fn add(&mut self, found: &Constraints<'_>, object: ObjectId) {
        self.objects.extend(Source::new(found.solver.objects[object].kind));
    }

    /// What pointers from outside are compared with, and the objects that these point to otherwise.
    fn add_guessed(&mut self, found: &mut Constraints<'_>) {
        let guessed = found.solver.all_targets(found.solver.guessed);
        if guessed.is_empty() {
            return;
        }
        for (object, _) in guessed {
            self.add(found, object);
            self.guessed.extend(Source::new(found.solver.objects[object].kind));
        }
        for object in found.solver.objects.indices().filter(|o| found.solver.objects[*o].outside) {
            self.add(found, object);
            self.outside.extend(Source::new(found.solver.objects[object].kind));
        }
    }

    fn is_outside(&self, key: &ObjectKey) -> bool {
        self.outside.contains(&Source::of(key))
    }

    fn is_guessed(&self, key: &ObjectKey) -> bool {
        self.guessed.contains(&Source::of(key))
    }

    /// Is there nothing that the program can tell?
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub fn has(&self, key: &ObjectKey) -> bool {
        self.objects.contains(&Source::of(key))
    }

    /// Is it there from the start of the program to its end, and nothing else there?
    pub(super) fn is_lasting(&self, key: &ObjectKey) -> bool {
        match key {
            _ if self.is_guessed(key) => false,
            ObjectKey::Var(var, _) => self.lives.lasting.contains(var),
            ObjectKey::Alloc(..) => false,
            ObjectKey::Proc(_) => true,
        }
    }

    /// Is it a variable that is seen, and that may lie elsewhere each time its procedure is called or its block entered?
    pub fn moves(&self, key: &ObjectKey) -> bool {
        match key {
            ObjectKey::Var(var, calls) => {
                let again = calls.iter().any(|call| self.lives.repeated.contains(call));
                self.has(key) && (again || self.lives.reborn.contains(var))
            }
            _ => false,
        }
    }

    /// Is it a variable of a block that is entered again and again?
    pub fn is_reborn(&self, var: VarId) -> bool {
        self.lives.reborn.contains(&var)
    }

    /// Do two objects surely share no byte, because the one lives when the other comes?
    pub fn apart(&self, a: &ObjectKey, b: &ObjectKey) -> bool {
        use ObjectKey::{Alloc, Proc, Var};
        let lives = &self.lives;
        match (a, b) {
            _ if self.is_outside(a) && self.is_guessed(b) || self.is_outside(b) && self.is_guessed(a) => {
                false
            }
            (Proc(_), _) | (_, Proc(_)) => true,
            (Var(v, _), Var(w, _)) if lives.sharing.contains(&(*v.min(w), *v.max(w))) => false,
            (Var(v, _), _) | (_, Var(v, _)) if lives.lasting.contains(v) => true,
            (Alloc(x, _), Alloc(y, _)) if !lives.stack.contains(x) && !lives.stack.contains(y) => {
                !lives.follows(*x, *y) && !lives.follows(*y, *x)
            }
            // One frame is inside the other.
            (Var(_, x) | Alloc(_, x), Var(_, y) | Alloc(_, y)) if self.in_frame(a) && self.in_frame(b) => {
                let whole = |key| lives.block(Source::of(key)) == ScopeId::ROOT;
                if x == y {
                    lives.nested(Source::of(a), Source::of(b))
                } else {
                    x.starts_with(y) && whole(b) || y.starts_with(x) && whole(a)
                }
            }
            // Allocated while the frame lives.
            (Alloc(_, made), Var(_, frame) | Alloc(_, frame)) if self.in_frame(b) => {
                made.starts_with(frame) && lives.block(Source::of(b)) == ScopeId::ROOT
            }
            (Var(_, frame) | Alloc(_, frame), Alloc(_, made)) => {
                made.starts_with(frame) && lives.block(Source::of(a)) == ScopeId::ROOT
            }
            _ => false,
        }
    }

    /// Does it end with a call?
    fn in_frame(&self, key: &ObjectKey) -> bool {
        match key {
            ObjectKey::Var(..) => true,
            ObjectKey::Alloc(edge, _) => self.lives.stack.contains(edge),
            ObjectKey::Proc(_) => false,
        }
    }
}

/// What a value may be, with offsets as far as they are known.
pub(super) fn targets(found: &mut Constraints<'_>, value: Value) -> Vec<(ObjectId, Option<i64>)> {
    match value {
        Value::Nothing => Vec::new(),
        Value::At(object, offset) | Value::In(object, offset) => vec![(object, Some(offset))],
        Value::Node(node) => found.solver.all_targets(node),
    }
}

/// May a pointer to this offset point behind the object?
fn may_be_behind(found: &Constraints<'_>, object: ObjectId, offset: Option<i64>) -> bool {
    // Functions have addresses of their own, and nothing behind them.
    if matches!(found.solver.objects[object].kind, ObjectKind::Proc(_)) {
        return false;
    }
    let Some(offset) = offset else { return true };
    let shape = &found.solver.shapes[object];
    let Some(size) = found.solver.objects[object].size.and_then(|s| i64::try_from(s).ok()) else {
        return offset != 0 || shape.whole || shape.folds.at(offset).next().is_some();
    };
    let walked = shape.whole || shape.folds.at(offset).any(|fold| fold.end >= size);
    walked || !(0..size).contains(&offset)
}

impl Lives {
    /// Finds what may follow what.
    fn find(&mut self, found: &mut Constraints<'_>, budget: &Budget) -> Result<(), Stop> {
        let program = found.program;
        let graph = program.graph();
        let components = loc_components(program, &graph);
        let in_loop = |from: LocId, to: LocId| components.of[from.index()] == components.of[to.index()];
        let lives = self;
        let again = |loc: LocId| graph.succ[loc].iter().any(|edge| in_loop(loc, program.edges[*edge].to));
        for (id, var) in program.vars.iter_enumerated().filter(|(_, var)| var.scope != ScopeId::ROOT) {
            lives.blocks.insert(Source::Var(id), var.scope);
            if program.scopes.entries(var.scope).any(again) {
                lives.reborn.insert(id);
            }
        }
        let mut allocs = Vec::new();
        let mut frees = Vec::new();
        for (id, edge) in program.edges.iter_enumerated() {
            match edge.op {
                Op::Alloc { stack, .. } => {
                    allocs.push(id);
                    if stack {
                        lives.blocks.insert(Source::Alloc(id), program.scope_of_alloc(&edge.op));
                    }
                }
                Op::Realloc { ptr, .. } => {
                    allocs.push(id);
                    frees.push((id, ptr));
                }
                Op::Free(ptr) => frees.push((id, ptr)),
                Op::Call(_) if in_loop(edge.from, edge.to) => {
                    lives.repeated.insert(id);
                }
                _ => {}
            }
        }
        let calls = Calls::new(program, graph);
        for (edge, ptr) in frees {
            let value = found.value(ptr);
            let gone: Vec<EdgeId> = targets(found, value)
                .into_iter()
                .filter_map(|(object, _)| match found.solver.objects[object].kind {
                    ObjectKind::Alloc(edge, _) => Some(edge),
                    _ => None,
                })
                .collect();
            if gone.is_empty() {
                continue;
            }
            let reached = calls.behind(program, edge, budget)?;
            // Reallocating makes room for the new object before the old one goes, or where it was.
            let again = |alloc: &EdgeId| reached[program.edges[*alloc].from] || *alloc == edge;
            let behind: Vec<EdgeId> = allocs.iter().copied().filter(again).collect();
            for object in gone {
                lives.after.entry(object).or_default().extend(&behind);
            }
        }
        Ok(())
    }

    /// May `second` happen after what `first` made was freed?
    fn follows(&self, first: EdgeId, second: EdgeId) -> bool {
        self.after.get(&first).is_some_and(|after| after.contains(&second))
    }

    fn block(&self, source: Source) -> ScopeId {
        self.blocks.get(&source).copied().unwrap_or(ScopeId::ROOT)
    }

    /// Does the one live while the other does, in one frame?
    fn nested(&self, a: Source, b: Source) -> bool {
        let (a, b) = (self.block(a), self.block(b));
        self.scopes.is_inside(a, b) || self.scopes.is_inside(b, a)
    }

    fn frame(&self, found: &Constraints<'_>, object: ObjectId) -> Option<ProcId> {
        let program = found.program;
        match found.solver.objects[object].kind {
            ObjectKind::Var(v) if !self.lasting.contains(&v) => program.vars[v].proc,
            ObjectKind::Alloc(edge, _) if self.stack.contains(&edge) => {
                Some(program.locs[program.edges[edge].from].proc)
            }
            _ => None,
        }
    }

    /// Objects whose address something may hold when they are gone, or when there is another like them: all but variables and arrays of variable
    /// length of which only variables know that die before them.
    fn held(&self, found: &mut Constraints<'_>, budget: &Budget) -> Result<FxHashSet<ObjectId>, Stop> {
        let objects: Vec<ObjectId> = found.solver.objects.indices().collect();
        let mut held: FxHashSet<ObjectId> =
            objects.iter().copied().filter(|object| self.frame(found, *object).is_none()).collect();
        if found.compared.is_empty() {
            return Ok(held);
        }
        let mut pace = Pace::new(budget);
        let mut below = Below::new(found.program);
        for holder in objects {
            for (object, _) in found.solver.held_in(holder) {
                pace.step()?;
                if !held.contains(&object) && !self.dies_before(found, holder, object, &mut below) {
                    held.insert(object);
                }
            }
        }
        Ok(held)
    }

    /// Is what the holder holds gone before a variable or array of variable length is?
    fn dies_before(
        &self,
        found: &Constraints<'_>,
        holder: ObjectId,
        object: ObjectId,
        below: &mut Below,
    ) -> bool {
        let Some(frame) = self.frame(found, object) else { return false };
        if below.calls(frame, frame) {
            return false;
        }
        let kind = |object: ObjectId| found.solver.objects[object].kind;
        match kind(holder) {
            // Between reading and writing.
            ObjectKind::Transit => true,
            ObjectKind::Result(proc) => below.calls(frame, proc),
            ObjectKind::Var(var) => match found.program.vars[var].proc {
                Some(proc) if proc == frame => {
                    let inner = found.program.vars[var].scope;
                    Source::new(kind(object))
                        .is_some_and(|outer| self.scopes.is_inside(inner, self.block(outer)))
                }
                Some(proc) => below.calls(frame, proc) && !below.calls(proc, frame),
                None => false,
            },
            ObjectKind::Alloc(..) | ObjectKind::Proc(_) | ObjectKind::Wild => false,
        }
    }

    /// May there be two objects behind one, at addresses that differ or are the same as it happens?
    fn returns(
        &self,
        found: &Constraints<'_>,
        object: ObjectId,
        again: &IndexVec<ProcId, bool>,
        order: bool,
    ) -> bool {
        let kind = found.solver.objects[object].kind;
        if let Some(frame) = self.frame(found, object) {
            return again[frame]
                || match kind {
                    ObjectKind::Var(var) => self.reborn.contains(&var),
                    _ => !found.solver.objects[object].once,
                };
        }
        match kind {
            ObjectKind::Alloc(edge, _) => {
                order && !found.solver.objects[object].once || self.follows(edge, edge)
            }
            _ => false,
        }
    }

    /// May one of two different objects lie where the other lay?
    fn may_share(
        &self,
        found: &Constraints<'_>,
        x: ObjectId,
        y: ObjectId,
        again: &IndexVec<ProcId, bool>,
    ) -> bool {
        let kind = |object: ObjectId| found.solver.objects[object].kind;
        let alloc = |object: ObjectId| match kind(object) {
            ObjectKind::Alloc(edge, _) => Some(edge),
            _ => None,
        };
        if let (ObjectKind::Var(v), ObjectKind::Var(w)) = (kind(x), kind(y))
            && self.sharing.contains(&(v.min(w), v.max(w)))
        {
            return true;
        }
        let apart = || match Source::new(kind(x)).zip(Source::new(kind(y))) {
            Some((x, y)) => self.nested(x, y),
            None => true,
        };
        match (self.frame(found, x), self.frame(found, y)) {
            // In one frame they live together, unless their blocks do not.
            (Some(f), Some(g)) => f != g || again[f] || !apart(),
            (Some(_), None) => alloc(y).is_some(),
            (None, Some(_)) => alloc(x).is_some(),
            (None, None) => {
                let both = alloc(x).zip(alloc(y));
                both.is_some_and(|(x, y)| self.follows(x, y) || self.follows(y, x))
            }
        }
    }
}

/// The procedure whose one call is all that the entry does in the end, as the start of a C program calls `main`: its variables live as long as the
/// program runs.
pub fn main_of(program: &Program, budget: &Budget) -> Result<Option<ProcId>, Stop> {
    Calls::new(program, program.graph()).main(program, budget)
}

/// Variables that live as long as the program runs.
fn lasting(program: &Program, budget: &Budget) -> Result<FxHashSet<VarId>, Stop> {
    let main = main_of(program, budget)?;
    let lasts = |var: &Var| {
        let in_main = |proc| proc == program.entry || Some(proc) == main;
        var.scope == ScopeId::ROOT && var.proc.is_none_or(in_main)
    };
    Ok(program.vars.iter_enumerated().filter(|(_, var)| lasts(var)).map(|(id, _)| id).collect())
}

/// Pairs of literals of which the one has the bytes of the other among its own: these may be the same bytes.
fn sharing(program: &Program, budget: &Budget) -> Result<FxHashSet<(VarId, VarId)>, Stop> {
    let mut literals: Vec<(VarId, &[u8])> = Vec::new();
    for edge in &program.edges {
        if let Op::Assign(place, value) = edge.op
            && let Some(var) = program.exprs.root_var(place)
            && program.vars[var].kind == VarKind::Literal
            && let Some(Const::Bytes(bytes)) = program.exprs.as_const(value)
        {
            literals.push((var, bytes));
        }
    }
    let mut pace = Pace::new(budget);
    let mut sharing = FxHashSet::default();
    for (i, &(a, x)) in literals.iter().enumerate() {
        for &(b, y) in &literals[..i] {
            pace.step()?;
            let (short, long) = if x.len() < y.len() { (x, y) } else { (y, x) };
            // Most have one zero, at their ends.
            let inside = || long.split_last().is_some_and(|(_, rest)| rest.contains(&0));
            let shares = long.ends_with(short)
                || inside() && long.windows(short.len().max(1)).any(|part| part == short);
            if shares {
                sharing.insert((a.min(b), a.max(b)));
            }
        }
    }
    Ok(sharing)
}

/// Procedures that may be called more than once.
fn entered_again(program: &Program, repeated: &FxHashSet<EdgeId>) -> IndexVec<ProcId, bool> {
    let mut calls = index_vec![0_u32; program.procs.len()];
    let mut again = index_vec![false; program.procs.len()];
    for (id, edge) in program.edges.iter_enumerated() {
        if let Op::Call(call) = &edge.op {
            calls[call.proc] += 1;
            again[call.proc] |= calls[call.proc] > 1 || repeated.contains(&id);
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for edge in &program.edges {
            if let Op::Call(call) = &edge.op
                && again[program.locs[edge.from].proc]
                && !std::mem::replace(&mut again[call.proc], true)
            {
                changed = true;
            }
        }
    }
    again
}

/// Which procedures are called while another runs.
struct Below {
    calls: IndexVec<ProcId, Vec<ProcId>>,
    known: FxHashMap<ProcId, FxHashSet<ProcId>>,
}

impl Below {
    fn new(program: &Program) -> Below {
        let mut calls = index_vec![Vec::new(); program.procs.len()];
        for edge in &program.edges {
            if let Op::Call(call) = &edge.op {
                calls[program.locs[edge.from].proc].push(call.proc);
            }
        }
        Below { calls, known: FxHashMap::default() }
    }

    /// May the one call the other, directly or not?
    fn calls(&mut self, caller: ProcId, callee: ProcId) -> bool {
        let calls = &self.calls;
        let called = self.known.entry(caller).or_insert_with(|| {
            let mut called = FxHashSet::default();
            let mut open = calls[caller].clone();
            while let Some(proc) = open.pop() {
                if called.insert(proc) {
                    open.extend(&calls[proc]);
                }
            }
            called
        });
        called.contains(&callee)
    }
}

/// The graph of a program with its calls.
struct Calls {
    graph: Graph,
    /// Where a procedure returns to.
    returns: IndexVec<ProcId, Vec<LocId>>,
}

impl Calls {
    fn new(program: &Program, graph: Graph) -> Calls {
        let mut returns = index_vec![Vec::new(); program.procs.len()];
        for edge in &program.edges {
            if let Op::Call(call) = &edge.op {
                returns[call.proc].push(edge.to);
            }
        }
        Calls { graph, returns }
    }

    /// See [`main_of`].
    fn main(&self, program: &Program, budget: &Budget) -> Result<Option<ProcId>, Stop> {
        let of = |edge: &Edge| match &edge.op {
            Op::Call(call) => Some(call.proc),
            _ => None,
        };
        let in_entry = |edge: &Edge| program.locs[edge.from].proc == program.entry;
        let mut calls =
            program.edges.iter_enumerated().filter(|(_, edge)| in_entry(edge) && of(edge).is_some());
        let Some((call, edge)) = calls.next().filter(|_| calls.next().is_none()) else { return Ok(None) };
        let main = of(edge).filter(|main| program.edges.iter().filter(|e| of(e) == Some(*main)).count() == 1);
        let behind = self.behind(program, call, budget)?;
        let makes = |edge: &Edge| matches!(edge.op, Op::Call(_) | Op::Alloc { .. } | Op::Realloc { .. });
        Ok(main.filter(|_| program.edges.iter().all(|edge| !behind[edge.from] || !makes(edge))))
    }

    /// The locations that a run may come to after an edge.
    fn behind(
        &self,
        program: &Program,
        edge: EdgeId,
        budget: &Budget,
    ) -> Result<IndexVec<LocId, bool>, Stop> {
        let mut pace = Pace::new(budget);
        let mut reached = index_vec![false; program.locs.len()];
        let mut open = vec![program.edges[edge].to];
        while let Some(loc) = open.pop() {
            pace.step()?;
            if std::mem::replace(&mut reached[loc], true) {
                continue;
            }
            let proc = program.locs[loc].proc;
            if loc == program.procs[proc].exit {
                open.extend(&self.returns[proc]);
            }
            for edge in &self.graph.succ[loc] {
                let edge = &program.edges[*edge];
                open.push(edge.to);
                if let Op::Call(call) = &edge.op {
                    open.push(program.procs[call.proc].entry);
                }
            }
        }
        Ok(reached)
    }
}
