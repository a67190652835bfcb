//! Points-to analysis: which addresses each word of storage may hold.
//!
//! Inclusion-based (Andersen), flow-insensitive, field-sensitive by byte offset (Pearce, Kelly, Hankin). A target is an object and an
//! offset in it. Copy edges carry sets from node to node; rules at a node derive more from each new target.
//!
//! Invariants
//! - Sets only grow. What a node has passed on is a prefix of its list: only the rest travels (difference propagation).
//! - Offsets of targets are normal (see [`super::folds`]). When an object is folded its targets are forwarded to normal ones and
//!   their nodes merged; ids that are stored elsewhere stay valid through [`Solver::resolve`].
//! - A target with unknown offset ([`ANY`]) costs nothing until something is accessed through it; then its object becomes one class.
//!
//! Cycles of copy edges are merged from time to time. A constant shift inside a cycle (`p = p + 1` in a loop) would make targets one
//! by one: it becomes a walk, which folds the array.
//!
//! | module | holds |
//! |---|---|
//! | `derive` | addresses made from addresses |
//! | `copies` | copies of bytes |
//! | `cycles` | merging nodes, and shifts around cycles |

mod copies;
mod cycles;
mod derive;

use super::folds::{Fold, Folds, UNBOUNDED};
use super::objects::{Object, ObjectId, ObjectKind};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::program::HEAP_ALIGN;
use craig_cfa::{Name, ProcId};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

index_vec::define_index_type! { pub(super) struct NodeId = u32; }
index_vec::define_index_type! { pub(super) struct TargetId = u32; }

/// An offset that is not known.
pub(super) const ANY: i64 = i64::MIN;
/// How an address is made from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum How {
    Shift {
        by: i64,
        step: Step,
    },
    Walk {
        stride: i64,
        extent: Extent,
    },
    /// It is that of a member, which lies in its object (C11 6.5.3.2). Without this, lists of structures with several links lead ever farther out.
    Member,
    /// Low bits cleared, or set: the mask has ones there.
    Align(i64),
    Tag(i64),
    /// Arithmetic that is not followed.
    Blur,
    /// A number becomes a pointer: to the same object, or to another if that one is gone.
    Number,
}

/// What kind of step a constant shift is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// To a field.
    Field,
    /// By elements of so many bytes: it stays in the array it is in.
    Element(i64),
    /// By bytes: it may leave the array for what is around it.
    Byte,
    /// In an integer; like `Byte`, but a cycle of these folds nothing before the address is used.
    Integer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Extent {
    /// The pointer stays in the object that it points into.
    Pointer,
    /// It stays in the array that begins at the target and has so many elements.
    Array(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    Derive(How, NodeId),
    /// It is compared with what the node holds, as a number or as a pointer. A number that equals the address of an object is one.
    Compare(NodeId, bool),
    Load(NodeId),
    Store(NodeId),
    /// Something is read or written there.
    Touch,
    /// So many bytes from there on are read or written. Elements of arrays where they may begin lie a multiple of `step` apart; 0 if it is known
    /// where they begin.
    Span {
        len: i64,
        step: i64,
    },
    /// So many bytes from there go to an offset of the object, or come from one.
    CopyTo {
        object: ObjectId,
        at: i64,
        len: i64,
    },
    CopyFrom {
        object: ObjectId,
        at: i64,
        len: i64,
    },
    /// The object takes over the content of what begins there.
    Realloc(ObjectId),
}

#[derive(Debug, Default)]
struct Node {
    points: Vec<TargetId>,
    /// Of long lists.
    index: Option<Box<FxHashSet<TargetId>>>,
    done: usize,
    succ: Vec<NodeId>,
    rules: Vec<Rule>,
    queued: bool,
}

const LONG: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Target {
    object: ObjectId,
    offset: i64,
    /// Itself, or what it became.
    forward: TargetId,
    node: NodeId,
}

/// What the analysis knows of one object.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    pub folds: Folds,
    /// All offsets are one.
    pub whole: bool,
    /// Normal offsets, sorted.
    targets: Vec<(i64, TargetId)>,
    any: Option<TargetId>,
    copies: Vec<u32>,
    /// Ranges of bytes: where they begin, their lengths and steps (see [`Rule::Span`]).
    spans: Vec<(i64, i64, i64)>,
    steps: u32,
}

impl Shape {
    pub fn normal(&self, offset: i64) -> i64 {
        if self.whole { 0 } else { self.folds.normal(offset) }
    }
}

/// Bytes that are copied from one object to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Copy {
    pub dst: ObjectId,
    pub dst_at: i64,
    pub src: ObjectId,
    pub src_at: i64,
    pub len: i64,
}

/// From where to where values go.
#[derive(Debug)]
pub(super) struct Flow {
    from: IndexVec<NodeId, Vec<NodeId>>,
    known: FxHashMap<NodeId, FxHashSet<NodeId>>,
}

impl Flow {
    /// The nodes that the values of a node come from, itself among them.
    pub fn origins(&mut self, solver: &mut Solver, node: NodeId) -> &FxHashSet<NodeId> {
        let node = solver.find(node);
        let from = &self.from;
        self.known.entry(node).or_insert_with(|| {
            let mut origins = FxHashSet::default();
            let mut open = vec![node];
            while let Some(node) = open.pop() {
                if origins.insert(node) {
                    open.extend(&from[node]);
                }
            }
            origins
        })
    }
}

#[derive(Debug)]
pub(super) struct Solver {
    pub objects: IndexVec<ObjectId, Object>,
    pub shapes: IndexVec<ObjectId, Shape>,
    targets: IndexVec<TargetId, Target>,
    nodes: IndexVec<NodeId, Node>,
    parent: IndexVec<NodeId, NodeId>,
    queue: VecDeque<NodeId>,
    edges: FxHashSet<(NodeId, NodeId)>,
    pub copies: Vec<Copy>,
    known_copies: FxHashSet<Copy>,
    /// Copies to be looked at again.
    stale: VecDeque<u32>,
    is_stale: Vec<bool>,
    /// Stands for a number, which may be the address of any exposed object.
    wild: TargetId,
    /// Holds the exposed objects.
    exposed: NodeId,
    /// What is done with them.
    on_exposed: FxHashSet<Rule>,
    /// The nodes that expose what they point to.
    exposing: FxHashSet<NodeId>,
    /// Holds the addresses that pointers from outside are compared with.
    pub guessed: NodeId,
    /// Objects that may be gone while others lie where they lay.
    passing: IndexVec<ObjectId, bool>,
}

impl Solver {
    pub fn new(objects: IndexVec<ObjectId, Object>, passing: IndexVec<ObjectId, bool>) -> Self {
        let shapes = objects.iter().map(|_| Shape::default()).collect();
        let mut solver = Solver {
            objects,
            shapes,
            targets: IndexVec::new(),
            nodes: IndexVec::new(),
            parent: IndexVec::new(),
            queue: VecDeque::new(),
            edges: FxHashSet::default(),
            copies: Vec::new(),
            known_copies: FxHashSet::default(),
            stale: VecDeque::new(),
            is_stale: Vec::new(),
            wild: TargetId::from_raw(0),
            exposed: NodeId::from_raw(0),
            on_exposed: FxHashSet::default(),
            exposing: FxHashSet::default(),
            guessed: NodeId::from_raw(0),
            passing,
        };
        solver.exposed = solver.node();
        solver.guessed = solver.node();
        let object = solver.object(Object {
            kind: ObjectKind::Wild,
            name: "any exposed object".into(),
            ty: None,
            size: None,
            align: HEAP_ALIGN,
            once: false,
            addressed: false,
            arbitrary: false,
            outside: false,
            larger: false,
        });
        solver.wild = solver.any(object);
        solver
    }

    // Numbers.

    /// The value of the node may be a number.
    pub fn add_wild(&mut self, node: NodeId) {
        self.add(node, self.wild);
    }

    /// Is it known that the value of the node may be a number?
    pub fn is_wild(&mut self, node: NodeId) -> bool {
        let node = self.find(node);
        self.nodes[node].points.contains(&self.wild)
    }

    /// Does the node hold no address, not even that of nobody knows what?
    pub fn is_nothing(&mut self, node: NodeId) -> bool {
        let node = self.find(node);
        self.nodes[node].points.is_empty()
    }

    /// The objects that a node points to are exposed: their addresses are known as numbers.
    pub fn expose(&mut self, node: NodeId) {
        let node = self.find(node);
        // Once: a rule that two nodes gave each other again and again would never come to an end.
        if self.exposing.insert(node) {
            self.rule(node, Rule::Derive(How::Blur, self.exposed));
        }
    }

    pub fn expose_object(&mut self, object: ObjectId) {
        let any = self.any(object);
        self.add(self.exposed, any);
    }

    // Building.

    pub fn object(&mut self, object: Object) -> ObjectId {
        self.shapes.push(Shape::default());
        self.objects.push(object)
    }

    pub fn node(&mut self) -> NodeId {
        self.parent.push(self.nodes.next_idx());
        self.nodes.push(Node::default())
    }

    fn find(&mut self, node: NodeId) -> NodeId {
        let mut root = node;
        while self.parent[root] != root {
            root = self.parent[root];
        }
        let mut at = node;
        while self.parent[at] != root {
            at = std::mem::replace(&mut self.parent[at], root);
        }
        root
    }

    /// The target that stands for this one now.
    fn resolve(&mut self, target: TargetId) -> TargetId {
        let mut root = target;
        while self.targets[root].forward != root {
            root = self.targets[root].forward;
        }
        let mut at = target;
        while self.targets[at].forward != root {
            at = std::mem::replace(&mut self.targets[at].forward, root);
        }
        root
    }

    pub fn target(&mut self, object: ObjectId, offset: i64) -> TargetId {
        let offset = self.shapes[object].normal(offset);
        let list = &self.shapes[object].targets;
        match list.binary_search_by_key(&offset, |&(o, _)| o) {
            Ok(i) => list[i].1,
            Err(i) => {
                let id = self.new_target(object, offset);
                self.shapes[object].targets.insert(i, (offset, id));
                for c in 0..self.shapes[object].copies.len() {
                    let copy = self.shapes[object].copies[c];
                    self.look_again(copy);
                }
                id
            }
        }
    }

    fn has_target(&self, object: ObjectId, offset: i64) -> bool {
        let offset = self.shapes[object].normal(offset);
        self.shapes[object].targets.binary_search_by_key(&offset, |&(o, _)| o).is_ok()
    }

    fn new_target(&mut self, object: ObjectId, offset: i64) -> TargetId {
        let node = self.node();
        let forward = self.targets.next_idx();
        self.targets.push(Target { object, offset, forward, node })
    }

    fn any(&mut self, object: ObjectId) -> TargetId {
        if self.shapes[object].whole {
            return self.target(object, 0);
        }
        match self.shapes[object].any {
            Some(any) => any,
            None => {
                let id = self.new_target(object, ANY);
                self.shapes[object].any = Some(id);
                id
            }
        }
    }

    /// The node of what is stored there.
    pub fn storage(&mut self, object: ObjectId, offset: i64) -> NodeId {
        let target = self.target(object, offset);
        self.targets[target].node
    }

    pub fn add(&mut self, node: NodeId, target: TargetId) {
        let (node, target) = (self.find(node), self.resolve(target));
        let n = &mut self.nodes[node];
        let new = match &mut n.index {
            Some(index) => index.insert(target),
            None => !n.points.contains(&target),
        };
        if !new {
            return;
        }
        n.points.push(target);
        if n.index.is_none() && n.points.len() > LONG {
            n.index = Some(Box::new(n.points.iter().copied().collect()));
        }
        self.enqueue(node);
    }

    fn enqueue(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.nodes[node].queued, true) {
            self.queue.push_back(node);
        }
    }

    pub fn edge(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.nodes[from].succ.push(to);
        for i in 0..self.nodes[from].done {
            let target = self.nodes[from].points[i];
            self.add(to, target);
        }
    }

    pub fn rule(&mut self, node: NodeId, rule: Rule) {
        let node = self.find(node);
        self.nodes[node].rules.push(rule);
        if !self.nodes[node].points.is_empty() {
            self.nodes[node].done = 0;
            self.enqueue(node);
        }
    }

    // Folding.

    pub fn size(&self, object: ObjectId) -> i64 {
        self.objects[object].size.map_or(UNBOUNDED, |s| i64::try_from(s).unwrap_or(UNBOUNDED))
    }

    /// Says whether that is new.
    pub fn fold(&mut self, object: ObjectId, mut fold: Fold) -> bool {
        fold.end = fold.end.min(self.size(object));
        let new = !self.shapes[object].whole && self.shapes[object].folds.add(fold);
        if new {
            self.renormalise(object);
        }
        new
    }

    /// All offsets of the object become one.
    pub fn collapse(&mut self, object: ObjectId) {
        if !std::mem::replace(&mut self.shapes[object].whole, true) {
            self.renormalise(object);
        }
    }

    fn renormalise(&mut self, object: ObjectId) {
        let mut old = std::mem::take(&mut self.shapes[object].targets);
        if self.shapes[object].whole {
            old.extend(self.shapes[object].any.take().map(|t| (ANY, t)));
        }
        // What stands for others now gets a new id, so that whoever receives it from now on derives from it again.
        let mut moved = Vec::new();
        for (offset, target) in old {
            if offset != ANY && !self.is_folded(object, offset) {
                self.shapes[object].targets.push((offset, target));
            } else {
                moved.push((offset, target));
            }
        }
        for (offset, target) in moved {
            let to = self.target(object, offset);
            self.targets[target].forward = to;
            self.merge(self.targets[target].node, self.targets[to].node);
        }
        for c in 0..self.shapes[object].copies.len() {
            let copy = self.shapes[object].copies[c];
            self.look_again(copy);
        }
        for (at, len, step) in self.shapes[object].spans.clone() {
            self.reach(object, at, len, step);
        }
    }

    fn merge(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let weight = |n: &Node| n.points.len() + n.succ.len() + n.rules.len();
        let (keep, gone) = if weight(&self.nodes[a]) >= weight(&self.nodes[b]) { (a, b) } else { (b, a) };
        self.parent[gone] = keep;
        let old = std::mem::take(&mut self.nodes[gone]);
        let kept = &mut self.nodes[keep];
        kept.succ.extend(old.succ);
        kept.rules.extend(old.rules);
        kept.done = 0;
        for target in old.points {
            self.add(keep, target);
        }
        if !self.nodes[keep].points.is_empty() {
            self.enqueue(keep);
        }
    }

    // Solving.

    pub fn solve(&mut self, budget: &Budget) -> Result<(), Stop> {
        self.break_cycles();
        let mut steps = 0;
        let mut pace = Pace::new(budget);
        loop {
            pace.step()?;
            if let Some(copy) = self.stale.pop_front() {
                self.is_stale[copy as usize] = false;
                self.transfer(copy);
                continue;
            }
            let Some(node) = self.queue.pop_front() else { return Ok(()) };
            self.process(node);
            steps += 1;
            if steps > (self.nodes.len() / 4).max(2048) {
                steps = 0;
                self.break_cycles();
            }
        }
    }

    fn process(&mut self, node: NodeId) {
        let n = &mut self.nodes[node];
        n.queued = false;
        let delta = n.points[n.done..].to_vec();
        n.done = n.points.len();
        if delta.is_empty() {
            return;
        }
        let succ = std::mem::take(&mut n.succ);
        let rules = std::mem::take(&mut n.rules);
        for &to in &succ {
            for &target in &delta {
                self.add(to, target);
            }
        }
        for &rule in &rules {
            for &target in &delta {
                self.apply(rule, target);
            }
        }
        // The node may have been merged meanwhile.
        let node = self.find(node);
        let n = &mut self.nodes[node];
        n.succ.extend(succ);
        n.rules.extend(rules);
    }

    fn apply(&mut self, rule: Rule, target: TargetId) {
        if let Rule::Derive(how, dst) = rule {
            let mut made = Vec::new();
            self.derive(how, target, &mut made);
            for target in made {
                self.add(dst, target);
            }
            return;
        }
        let target = self.resolve(target);
        if let Rule::Compare(other, number) = rule {
            if self.objects[self.targets[target].object].outside {
                self.edge(other, self.guessed);
            }
            // Of an object that is gone only a number may be left.
            let passing = number && self.passing.get(self.targets[target].object) == Some(&true);
            if target == self.wild || passing {
                self.expose(other);
            }
            return;
        }
        if target == self.wild {
            if self.on_exposed.insert(rule) {
                self.rule(self.exposed, rule);
            }
            return;
        }
        let Target { object, offset, .. } = self.targets[target];
        if self.is_procedure(object) {
            return;
        }
        if offset == ANY {
            self.collapse(object);
        } else if offset < 0 || offset >= self.size(object) {
            return;
        }
        let offset = self.shapes[object].normal(offset);
        match rule {
            Rule::Load(dst) => {
                let from = self.storage(object, offset);
                self.edge(from, dst);
            }
            Rule::Store(src) => {
                let to = self.storage(object, offset);
                self.edge(src, to);
            }
            Rule::CopyTo { object: dst, at, len } => {
                self.copy(Copy { dst, dst_at: at, src: object, src_at: offset, len });
            }
            Rule::CopyFrom { object: src, at, len } => {
                self.copy(Copy { dst: object, dst_at: offset, src, src_at: at, len });
            }
            Rule::Realloc(dst) => {
                if offset == 0 {
                    self.copy(Copy { dst, dst_at: 0, src: object, src_at: 0, len: UNBOUNDED });
                }
            }
            Rule::Span { len, step } => self.span(object, offset, len, step),
            Rule::Touch | Rule::Compare(..) | Rule::Derive(..) => {}
        }
    }

    fn is_procedure(&self, object: ObjectId) -> bool {
        matches!(self.objects[object].kind, ObjectKind::Proc(_))
    }

    // Results.

    /// Does the offset stand for others?
    fn is_folded(&self, object: ObjectId, offset: i64) -> bool {
        let shape = &self.shapes[object];
        shape.whole || shape.folds.at(offset).next().is_some()
    }

    pub fn known_offset(&self, target: TargetId) -> Option<i64> {
        let offset = self.targets[target].offset;
        (offset != ANY).then_some(offset)
    }

    /// The targets of a node, those of a number among them.
    fn held(&mut self, node: NodeId) -> Vec<TargetId> {
        let node = self.find(node);
        let mut points = self.nodes[node].points.clone();
        if points.contains(&self.wild) {
            let exposed = self.find(self.exposed);
            points.extend(&self.nodes[exposed].points);
        }
        points
    }

    /// From where to where values go.
    pub fn flow(&mut self) -> Flow {
        let mut from = index_vec![Vec::new(); self.nodes.len()];
        for node in self.nodes.indices() {
            let derived = self.nodes[node].rules.iter().filter_map(|rule| match rule {
                Rule::Derive(_, to) => Some(*to),
                _ => None,
            });
            let all: Vec<NodeId> = self.nodes[node].succ.iter().copied().chain(derived).collect();
            for to in all {
                from[self.find(to)].push(node);
            }
        }
        Flow { from, known: FxHashMap::default() }
    }

    /// The procedures that a node may hold an address of.
    pub fn procedures(&mut self, node: NodeId) -> FxHashSet<ProcId> {
        let held = self.held(node).into_iter();
        let object = |target: TargetId| self.targets[target].object;
        let procedure = |target: TargetId| match self.objects[object(target)].kind {
            ObjectKind::Proc(proc) => Some(proc),
            _ => None,
        };
        held.filter_map(procedure).collect()
    }

    /// What a node may point to: objects with normal offsets, sorted. A target without known offset is left out: nothing was accessed
    /// through it.
    pub fn points_to(&mut self, node: NodeId) -> Vec<(ObjectId, i64)> {
        let all = self.all_targets(node).into_iter();
        let at = all.filter_map(|(object, offset)| Some((object, offset?)));
        at.filter(|(object, _)| !self.is_procedure(*object)).collect()
    }

    /// What a node may hold, also procedures and what nothing was accessed through; offsets as far as they are known.
    pub fn all_targets(&mut self, node: NodeId) -> Vec<(ObjectId, Option<i64>)> {
        let points = self.held(node);
        let mut result: Vec<(ObjectId, Option<i64>)> = Vec::with_capacity(points.len());
        for target in points {
            let target = self.resolve(target);
            let Target { object, offset, .. } = self.targets[target];
            if target != self.wild {
                result.push((object, (offset != ANY).then_some(offset)));
            }
        }
        result.sort_unstable();
        result.dedup();
        result
    }

    /// The addresses that an object may hold.
    pub fn held_in(&mut self, object: ObjectId) -> Vec<(ObjectId, Option<i64>)> {
        let shape = &self.shapes[object];
        let targets: Vec<TargetId> =
            shape.targets.iter().map(|(_, target)| *target).chain(shape.any).collect();
        let mut all = Vec::new();
        for target in targets {
            let target = self.resolve(target);
            all.extend(self.all_targets(self.targets[target].node));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Adds the objects that bytes of these are copied to.
    pub fn add_copies(&self, objects: &mut FxHashSet<ObjectId>) {
        let mut copies: FxHashMap<ObjectId, Vec<ObjectId>> = FxHashMap::default();
        for copy in &self.copies {
            copies.entry(copy.src).or_default().push(copy.dst);
        }
        let mut open: Vec<ObjectId> = objects.iter().copied().collect();
        while let Some(object) = open.pop() {
            for copy in copies.get(&object).into_iter().flatten() {
                if objects.insert(*copy) {
                    open.push(*copy);
                }
            }
        }
    }

    /// The objects whose address is known as a number.
    pub fn exposed_objects(&mut self) -> Vec<ObjectId> {
        let all = self.all_targets(self.exposed);
        let mut objects: Vec<ObjectId> = all.into_iter().map(|(object, _)| object).collect();
        objects.dedup();
        objects
    }

    /// A node that holds the address of a procedure.
    pub fn procedure(&mut self, proc: ProcId, name: Name) -> NodeId {
        let object = self.object(Object {
            kind: ObjectKind::Proc(proc),
            name,
            ty: None,
            size: Some(0),
            align: HEAP_ALIGN,
            once: false,
            addressed: false,
            arbitrary: false,
            outside: false,
            larger: false,
        });
        let (node, target) = (self.node(), self.target(object, 0));
        self.add(node, target);
        node
    }

    pub fn transit(&mut self) -> ObjectId {
        self.object(Object {
            kind: ObjectKind::Transit,
            name: "copy".into(),
            ty: None,
            size: None,
            align: HEAP_ALIGN,
            once: false,
            addressed: false,
            arbitrary: false,
            outside: false,
            larger: false,
        })
    }
}
