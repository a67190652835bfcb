//! Where values live when operations become formulas: points-to analysis, cells, addresses.
//!
//! [`Layout::new`] reads a program once and divides its storage into [`Cell`]s. A formula has one
//! symbol per cell and step; [`Layout::access`] says which cells a place may name.
//!
//! | module | holds |
//! |---|---|
//! | [`objects`] | abstract objects and how often each exists |
//! | [`folds`] | offsets of an object that count as one: array dimensions |
//! | `declared` | what declared types say about offsets |
//! | `constants` | variables that are constant wherever they are read |
//! | `bounds` | which indices surely lie in their arrays |
//! | `constraints` | from operations to points-to constraints |
//! | `solver` | the points-to analysis |
//! | [`outside`] | objects that the environment gives |
//! | `foreign` | which pointers may be of the environment |
//! | `valid` | where pointers lie that can be accessed |
//! | `leads` | to which procedures pointers may lead |
//! | `leaves` | the scalars that an object is made of |
//! | `partition` | from leaves to cells |
//! | [`seen`] | what a program can tell of where objects lie |
//! | `addresses` | where they lie |
//! | `starts` | where aggregates and ranges of bytes begin |
//! | `regions` | aggregates and ranges of bytes: all leaves in them |
//! | `display` | the result as text |
//!
//! # Invariants
//! - If a run without undefined behaviour accesses a scalar place, the bytes it touches belong to a cell among the candidates of
//!   that place, or the place has no type that is kept in cells.
//! - Of the candidates of a place at most one is an array; scalars beside others have an address to compare with.
//! - Two cells never share an address, except bit-fields that begin in one byte; these differ in their bits. A scalar cell is one number in memory at any time.
//!
//! # Undefined behaviour that is taken for granted not to happen
//! Accesses through addresses made of nothing, outside the object that a pointer came from, or by element steps outside the
//! declared array they began in; see `constraints`.

mod addresses;
mod bounds;
mod constants;
mod constraints;
mod declared;
mod display;
pub mod folds;
mod foreign;
mod leads;
mod leaves;
pub mod objects;
pub mod outside;
mod partition;
mod regions;
pub mod seen;
mod solver;
mod starts;
mod valid;

pub use addresses::{Address, AddressMap, PAGE, Site, SiteId};
pub use leads::settle;
pub use leaves::LeafKind;
pub use objects::{Object, ObjectId, ObjectKey, ObjectKind};
pub use regions::{CopyLeaf, Covered, Dim, LeafAccess, RangeAccess};
pub use seen::{Seen, main_of};

use addresses::{Request, What};
use constraints::{Constraints, Value};
use craig_base::{Budget, Pace, Stop};
use craig_cfa::expr::Node;
use craig_cfa::{CallString, EdgeId, ExprId, Name, PlaceId, ProcId, Program, TypeId, VarId};
use folds::UNBOUNDED;
use foreign::Foreign;
use index_vec::{IndexVec, index_vec};
use leaves::{Extent, Leaf, Leaves, extent_of, extent_of_type};
use outside::Given;
use partition::{Partition, State};
use rustc_hash::{FxHashMap, FxHashSet};
use seen::Compared;
use solver::Shape;
use starts::Start;

index_vec::define_index_type! { pub struct CellId = u32; }

/// Storage that formulas have a symbol for.
#[derive(Debug, Clone)]
pub struct Cell {
    /// As C would write it: `x`, `s.f`, `a[]`, `*malloc@12.next`. Copies of a variable by inlining have the same name.
    pub name: Name,
    /// Of one access to it. Others may differ in signedness, or be pointers where this is an integer.
    pub ty: TypeId,
    pub kind: CellKind,
    /// What lies here: objects and normal offsets in them.
    pub leaves: Vec<(ObjectId, u64)>,
    /// The addresses that its leaves take, if all of them have one.
    pub ranges: Option<Vec<Stretch>>,
    /// Where an object of it lies, another may lie that lives when it is gone.
    pub shared: bool,
    pub owner: Owner,
}

/// Bytes from an address on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    pub start: Address,
    pub len: u64,
}

impl Stretch {
    fn end(&self) -> u64 {
        self.start.offset.saturating_add(self.len)
    }
}

/// How long what a cell holds lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// As long as the program runs: globals and what is allocated.
    Program,
    /// As long as a call of the procedure: its locals, parameters and result.
    Frame(ProcId),
    /// Objects of several of these lie in it.
    Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// One value. The address is there if something may point at it.
    Scalar { address: Option<Address> },
    /// Values by address.
    Array,
    /// Bytes by address: memory that is accessed in more than one way.
    Bytes,
}

/// A cell that a place may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub cell: CellId,
    /// It is this one if the place has this address. `None`: it may be this one if no address of the others matches.
    pub address: Option<Address>,
}

/// What a scalar place may name.
///
/// A read is the value of the candidate whose address is that of the place, else what [`Layout::otherwise`] says. A write goes to the
/// scalar whose address it is, and to all arrays: at an address that is not theirs nobody reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'a> {
    /// Those with an address first, by address; then at most one array; then bytes. Empty: every access is undefined behaviour.
    pub candidates: &'a [Candidate],
    /// There is one candidate, and no address needs to be compared.
    pub exact: bool,
    /// It may be something of the environment that no candidate names: what the address says no candidate is at.
    pub elsewhere: bool,
}

/// What an access finds at an address that no candidate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Otherwise<'a> {
    /// Undefined behaviour.
    Nothing,
    /// The cell in whose ranges the address lies; the last one if in no others.
    Among(Vec<(CellId, &'a [Stretch])>, Option<CellId>),
    /// It is not known which of these.
    Unclear(Vec<CellId>),
}

/// The storage of one program.
#[derive(Debug)]
pub struct Layout {
    objects: IndexVec<ObjectId, Object>,
    shapes: IndexVec<ObjectId, Shape>,
    keys: IndexVec<ObjectId, Option<ObjectKey>>,
    by_key: FxHashMap<ObjectKey, ObjectId>,
    leaves: Leaves,
    /// Leaves at exact offsets of objects that exist once.
    plain: Vec<bool>,
    leaf_cell: Vec<Option<CellId>>,
    cells: IndexVec<CellId, Cell>,
    /// Range in `candidates`, and exactness, of each scalar place.
    access: IndexVec<PlaceId, (u32, u32, bool)>,
    /// Pointers and places behind pointers that may lead to something of the environment.
    elsewhere: FxHashSet<Node>,
    candidates: Vec<Candidate>,
    accessed: IndexVec<PlaceId, bool>,
    /// Where aggregate places, and bytes at pointers, begin.
    place_targets: FxHashMap<PlaceId, Vec<Start>>,
    place_size: FxHashMap<PlaceId, u64>,
    pointer_targets: FxHashMap<ExprId, Vec<Start>>,
    lengths: FxHashMap<ExprId, u64>,
    /// What questions for procedures are left with.
    leads: FxHashMap<ExprId, Box<[ProcId]>>,
    /// What pointers may point into whose validity is asked for.
    pointed: FxHashMap<ExprId, Vec<ObjectId>>,
    /// Places behind pointers to what the environment gives, if it does.
    given: FxHashMap<Node, Given>,
    /// Allocations are small: executions are looked for.
    small: bool,
    var: IndexVec<VarId, ObjectId>,
    alloc: FxHashMap<(EdgeId, CallString), ObjectId>,
    results: IndexVec<ProcId, Option<ObjectId>>,
    base: IndexVec<ObjectId, Option<Address>>,
    procs: IndexVec<ProcId, Address>,
    heap_start: Address,
    sites: IndexVec<SiteId, Site>,
    /// Of objects that exist more than once: can the program tell where they lie?
    scattered: IndexVec<ObjectId, bool>,
    /// May another object lie where this one lies, when it is gone?
    shared: IndexVec<ObjectId, bool>,
    /// Expressions whose value depends on where a variable lies that may lie elsewhere each time its procedure is called.
    loose: FxHashSet<ExprId>,
    /// Places that are read with bytes of such an address in them.
    loose_places: FxHashSet<PlaceId>,
}

impl Layout {
    /// Analyses a program, a version of the one that `seen` was found in. Addresses in `fixed` are used as far as they are sound; the
    /// others are chosen.
    pub fn new(program: &Program, seen: &Seen, fixed: &AddressMap, budget: &Budget) -> Result<Layout, Stop> {
        let (mut found, reached) = solved(program, seen, program.makes_pointers_of_numbers(), false, budget)?;
        let leads = leads::answers(&mut found);
        let foreign = Foreign::new(&mut found, false, budget)?;
        let pointed = valid::pointed(&mut found, &foreign);
        let Reached { scalars: scalar_targets, hit: reached, places: place_targets, pointers, leaves } =
            reached;
        let size_of = |place: &PlaceId| program.types.size_of(program.exprs.place(*place).ty).unwrap_or(0);
        let place_size = place_targets.keys().map(|place| (*place, size_of(place))).collect();
        let keys: IndexVec<ObjectId, Option<ObjectKey>> =
            found.solver.objects.iter().map(|o| key(program, o)).collect();
        let Constraints { solver, var, alloc, results, lengths, ranges, .. } = found;
        let (mut objects, shapes) = (solver.objects, solver.shapes);

        for (id, object) in objects.iter_mut_enumerated() {
            let shape = &shapes[id];
            let unbounded = shape.whole || shape.folds.iter().any(|f| f.end == UNBOUNDED);
            if object.size.is_none() && unbounded && matches!(object.kind, ObjectKind::Alloc(..)) {
                object.once = false;
            }
        }
        let plain: Vec<bool> = leaves
            .list
            .iter()
            .map(|leaf| {
                let (object, shape) = (&objects[leaf.object], &shapes[leaf.object]);
                // A local that nothing points at is one for the frame that is running.
                let once = object.once || !object.addressed && matches!(object.kind, ObjectKind::Var(_));
                once && !shape.whole && shape.folds.at(leaf.extent.offset()).next().is_none()
            })
            .collect();

        let mut memory = Layout {
            accessed: index_vec![false; program.exprs.place_count()],
            access: index_vec![(0, 0, false); program.exprs.place_count()],
            elsewhere: FxHashSet::default(),
            objects,
            shapes,
            by_key: FxHashMap::default(),
            leaf_cell: vec![None; leaves.list.len()],
            leaves,
            plain,
            cells: IndexVec::new(),
            candidates: Vec::new(),
            place_targets,
            place_size,
            pointer_targets: pointers,
            lengths,
            leads,
            pointed,
            given: FxHashMap::default(),
            small: false,
            var,
            alloc,
            results,
            base: IndexVec::new(),
            procs: IndexVec::new(),
            heap_start: Address { site: None, offset: 0 },
            sites: IndexVec::new(),
            scattered: IndexVec::new(),
            shared: IndexVec::new(),
            loose: FxHashSet::default(),
            loose_places: FxHashSet::default(),
            keys,
        };
        for (id, key) in memory.keys.iter_enumerated() {
            if let Some(key) = key {
                memory.by_key.entry(key.clone()).or_insert(id);
            }
        }
        let moving = memory.assign_addresses(program, seen, fixed);
        memory.find_loose(program, seen, &moving, budget)?;

        let mut groups: Vec<Vec<u32>> = reached
            .iter()
            .filter(|hit| hit.len() > 1)
            .map(|hit| hit.iter().filter_map(|&(o, e)| memory.leaves.find(o, e)).collect())
            .collect();
        groups.extend(memory.region_groups(&ranges));
        let mut partition = Partition::new(&memory.leaves, &memory.plain, &groups, budget)?;
        memory.make_cells(program, &mut partition, budget)?;
        memory.find_elsewhere(program, &foreign, &scalar_targets);
        memory.make_accesses(&scalar_targets, &reached);
        Ok(memory)
    }

    /// Returns the variables that are seen, and may lie elsewhere each time.
    fn assign_addresses(&mut self, program: &Program, seen: &Seen, fixed: &AddressMap) -> Vec<VarId> {
        let mut moving = Vec::new();
        let mut requests = Vec::new();
        for (id, proc) in program.procs.iter_enumerated() {
            let key = ObjectKey::Proc(id);
            let seen = seen.has(&key).then_some(1);
            let name = format!("&{}", proc.name).into();
            requests.push(Request { what: What::Proc(id), key, name, size: 1, seen });
        }
        self.scattered = index_vec![false; self.objects.len()];
        self.shared = index_vec![false; self.objects.len()];
        let mut placed: Vec<ObjectId> = Vec::new();
        for (id, object) in self.objects.iter_enumerated() {
            let Some(key) = &self.keys[id] else { continue };
            let shape = &self.shapes[id];
            let in_bytes = self.leaves.list[self.leaves.of(id)].iter().any(|l| l.group.is_some());
            let addressed = object.addressed || shape.whole || !shape.folds.is_empty() || in_bytes;
            let is_seen = addressed && seen.has(key);
            if let ObjectKind::Var(var) = object.kind
                && is_seen
                && seen.moves(key)
            {
                moving.push(var);
            }
            self.scattered[id] = is_seen && !object.once;
            if !object.once || !addressed {
                continue;
            }
            // Of what has no known size, as much as is ever touched.
            let touched = self.leaves.list[self.leaves.of(id)].iter().map(|l| l.extent.end_offset()).max();
            let touched = touched.unwrap_or(0).max(0) as u64;
            let size = object.size.unwrap_or(if is_seen { touched } else { touched.max(1 << 16) });
            let align = object.align;
            if is_seen {
                for &other in &placed {
                    let shares = self.keys[other].as_ref().is_some_and(|other| !seen.apart(other, key));
                    self.shared[id] |= shares;
                    self.shared[other] |= shares;
                }
                placed.push(id);
            }
            let name = format!("&{}", object.name).into();
            let align = is_seen.then_some(align.max(1));
            requests.push(Request { what: What::Object(id), key: key.clone(), name, size, seen: align });
        }
        let pointer_bits = program.types.model.pointer_bits();
        let (objects, procs) = (self.objects.len(), program.procs.len());
        let addresses = addresses::assign(&requests, objects, procs, seen, fixed, pointer_bits);
        self.base = addresses.base;
        self.procs = addresses.procs;
        self.heap_start = addresses.heap_start;
        self.sites = addresses.sites;
        moving
    }

    /// What depends on where variables lie that have one address here, but another each time in a run.
    fn find_loose(
        &mut self,
        program: &Program,
        seen: &Seen,
        moving: &[VarId],
        budget: &Budget,
    ) -> Result<(), Stop> {
        if moving.is_empty() {
            return Ok(());
        }
        let (mut found, reached) = solved(program, seen, true, true, budget)?;
        let moving: FxHashSet<ObjectId> = moving.iter().map(|var| found.var[*var]).collect();
        let concerned = |found: &mut Constraints<'_>, value: Value| {
            let targets = seen::targets(found, value).into_iter();
            targets.map(|(object, _)| object).find(|object| moving.contains(object))
        };
        for Compared { expr, a, b, .. } in found.compared.clone() {
            if a != Value::Nothing && b != Value::Nothing {
                let either = concerned(&mut found, a).or_else(|| concerned(&mut found, b));
                self.loose.extend(either.map(|_| expr));
            }
        }
        for (expr, value) in found.turned.clone() {
            self.loose.extend(concerned(&mut found, value).map(|_| expr));
        }
        let mut mixed: FxHashSet<(ObjectId, i64)> = FxHashSet::default();
        for (object, offset) in reached.leaves.mixed_pointers() {
            let held = Value::Node(found.solver.storage(object, offset));
            if concerned(&mut found, held).is_some() {
                mixed.extend(reached.leaves.mixed_with(object, offset));
            }
        }
        for ((place, _), hit) in reached.scalars.iter().zip(&reached.hit) {
            if hit.iter().any(|(object, extent)| mixed.contains(&(*object, extent.offset()))) {
                self.loose_places.insert(*place);
            }
        }
        Ok(())
    }

    fn make_cells(
        &mut self,
        program: &Program,
        partition: &mut Partition,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut pace = Pace::new(budget);
        let mut cell_of_class: FxHashMap<u32, CellId> = FxHashMap::default();
        for i in 0..self.leaves.list.len() {
            pace.step()?;
            let leaf = self.leaves.list[i];
            if matches!(self.objects[leaf.object].kind, ObjectKind::Transit) {
                continue;
            }
            let offset = leaf.extent.offset().max(0) as u64;
            let class = partition.class_of(i as u32);
            let cell = *cell_of_class.entry(class).or_insert_with(|| {
                let kind = match partition.state_of(i as u32) {
                    State::Scalar => {
                        CellKind::Scalar { address: self.base[leaf.object].map(|b| b.plus(offset)) }
                    }
                    State::Array => CellKind::Array,
                    State::Bytes => CellKind::Bytes,
                };
                let name = display::leaf_name(program, self, &leaf);
                let owner = self.owner_of(program, leaf.object);
                let (leaves, ranges) = (Vec::new(), Some(Vec::new()));
                self.cells.push(Cell { name, ty: leaf.ty, kind, leaves, ranges, shared: false, owner })
            });
            if self.cells[cell].owner != self.owner_of(program, leaf.object) {
                self.cells[cell].owner = Owner::Shared;
            }
            self.cells[cell].leaves.push((leaf.object, offset));
            self.cells[cell].shared |= self.shared[leaf.object];
            let range = self.range_of(&leaf);
            match (&mut self.cells[cell].ranges, range) {
                (Some(ranges), Some(range)) => ranges.push(range),
                (ranges, _) => *ranges = None,
            }
            self.leaf_cell[i] = Some(cell);
        }
        for cell in &mut self.cells {
            cell.leaves.dedup();
            if let Some(ranges) = &mut cell.ranges {
                join_ranges(ranges);
            }
        }
        Ok(())
    }

    /// The addresses among which those of a leaf are, if its object has a fixed one.
    fn range_of(&self, leaf: &Leaf) -> Option<Stretch> {
        let base = self.base[leaf.object]?;
        let shape = &self.shapes[leaf.object];
        let (start, end) = match (shape.whole, shape.folds.at(leaf.extent.offset()).next()) {
            (true, _) => (0, UNBOUNDED),
            (_, Some(outermost)) => (outermost.start, outermost.end),
            _ => (leaf.extent.offset(), leaf.extent.end_offset()),
        };
        let size = self.objects[leaf.object].size.and_then(|s| i64::try_from(s).ok());
        let end = size.map_or(end, |size| end.min(size));
        let start = start.max(0);
        (end != UNBOUNDED)
            .then(|| Stretch { start: base.plus(start as u64), len: end.saturating_sub(start).max(0) as u64 })
    }

    fn owner_of(&self, program: &Program, object: ObjectId) -> Owner {
        match self.objects[object].kind {
            ObjectKind::Var(v) => program.vars[v].proc.map_or(Owner::Program, Owner::Frame),
            ObjectKind::Result(proc) => Owner::Frame(proc),
            _ => Owner::Program,
        }
    }

    fn find_elsewhere(
        &mut self,
        program: &Program,
        foreign: &Foreign,
        scalars: &[(PlaceId, Vec<(ObjectId, i64)>)],
    ) {
        let places = scalars.iter().map(|(place, _)| *place).chain(self.place_targets.keys().copied());
        let places = places.filter(|place| foreign.is_behind(program, *place)).map(Node::Place);
        let pointers =
            self.pointer_targets.keys().filter(|e| foreign.is_foreign(**e)).map(|e| Node::Expr(*e));
        self.elsewhere = places.chain(pointers).collect();
    }

    fn make_accesses(
        &mut self,
        scalars: &[(PlaceId, Vec<(ObjectId, i64)>)],
        reached: &[Vec<(ObjectId, Extent)>],
    ) {
        for ((place, _), hit) in scalars.iter().zip(reached) {
            let leaves = hit.iter().filter_map(|&(o, e)| self.leaves.find(o, e));
            let candidates = self.candidates_of(leaves);
            let start = self.candidates.len() as u32;
            // Where else the address could lead is undefined behaviour, unless the environment gives something there.
            let exact = candidates.len() == 1 && !self.elsewhere.contains(&Node::Place(*place));
            self.candidates.extend(candidates);
            self.accessed[*place] = true;
            self.access[*place] = (start, self.candidates.len() as u32, exact);
        }
    }

    /// Candidates for leaves, in their canonical order.
    fn candidates_of(&self, leaves: impl Iterator<Item = u32>) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = leaves
            .filter_map(|i| {
                let cell = self.leaf_cell[i as usize]?;
                let leaf = &self.leaves.list[i as usize];
                let own = self.plain[i as usize] && self.cells[cell].kind != CellKind::Array;
                let address = self.base[leaf.object].map(|b| b.plus(leaf.extent.offset() as u64));
                Some(Candidate { cell, address: address.filter(|_| own) })
            })
            .collect();
        let last = |c: &Candidate| c.address.is_none() && self.cells[c.cell].kind == CellKind::Bytes;
        candidates.sort_unstable_by_key(|c| (c.address.is_none(), last(c), c.address, c.cell));
        candidates.dedup();
        candidates
    }

    pub fn cells(&self) -> &IndexVec<CellId, Cell> {
        &self.cells
    }

    pub fn objects(&self) -> &IndexVec<ObjectId, Object> {
        &self.objects
    }

    /// Candidates of a scalar place that some operation of the program reads or writes; none for any other place.
    pub fn access(&self, place: PlaceId) -> Access<'_> {
        let (start, end, exact) = self.access.get(place).copied().unwrap_or_default();
        let elsewhere = self.elsewhere.contains(&Node::Place(place));
        Access { candidates: &self.candidates[start as usize..end as usize], exact, elsewhere }
    }

    /// The addresses among which those of a cell are, if that is known, and nothing else ever lies there.
    pub fn ranges(&self, cell: CellId) -> Option<&[Stretch]> {
        self.cells[cell].ranges.as_deref().filter(|_| !self.cells[cell].shared)
    }

    /// What an access with these candidates finds at an address that none of them names.
    pub fn otherwise(&self, candidates: &[Candidate]) -> Otherwise<'_> {
        let rest: Vec<CellId> = candidates.iter().filter(|c| c.address.is_none()).map(|c| c.cell).collect();
        match rest[..] {
            [] => return Otherwise::Nothing,
            [one] => return Otherwise::Among(Vec::new(), Some(one)),
            _ => {}
        }
        let mut told: Vec<(CellId, &[Stretch])> = Vec::new();
        let mut last = None;
        if rest.iter().any(|cell| self.cells[*cell].shared) {
            return Otherwise::Unclear(rest);
        }
        for &cell in &rest {
            match &self.cells[cell].ranges {
                Some(ranges) => told.push((cell, ranges)),
                None if last.is_none() => last = Some(cell),
                None => return Otherwise::Unclear(rest),
            }
        }
        let mut all: Vec<Stretch> = told.iter().flat_map(|(_, ranges)| ranges.iter().copied()).collect();
        all.sort_unstable();
        let overlap = |a: &Stretch, b: &Stretch| a.start.site == b.start.site && a.end() > b.start.offset;
        if all.windows(2).any(|w| overlap(&w[0], &w[1])) {
            return Otherwise::Unclear(rest);
        }
        Otherwise::Among(told, last)
    }

    /// Does some operation of the program read or write this scalar place?
    pub fn is_accessed(&self, place: PlaceId) -> bool {
        self.accessed.get(place).copied().unwrap_or_default()
    }

    /// The object of a variable.
    pub fn var_object(&self, var: VarId) -> ObjectId {
        self.var[var]
    }

    /// The object of an allocating operation.
    pub fn alloc_object(&self, origin: EdgeId, calls: CallString) -> Option<ObjectId> {
        self.alloc.get(&(origin, calls)).copied()
    }

    /// The object that carries the result of a procedure that is still called.
    pub fn result_object(&self, proc: ProcId) -> Option<ObjectId> {
        self.results[proc]
    }

    /// Address of a variable that exists once; `None` too if nothing can point at it and it has no elements to tell apart.
    pub fn var_base(&self, var: VarId) -> Option<Address> {
        self.base[self.var[var]]
    }

    pub fn proc_address(&self, proc: ProcId) -> Address {
        self.procs[proc]
    }

    /// Address of what an allocating operation makes; `None` if there may be several.
    pub fn alloc_base(&self, origin: EdgeId, calls: CallString) -> Option<Address> {
        self.base[self.alloc_object(origin, calls)?]
    }

    pub fn object_base(&self, object: ObjectId) -> Option<Address> {
        self.base[object]
    }

    /// Below this lie the objects with one address each; from here on those that an allocation makes at run time.
    pub fn heap_start(&self) -> Address {
        self.heap_start
    }

    /// What lies at unknown addresses: first all that the program cannot tell the place of, then object by object.
    pub fn sites(&self) -> &IndexVec<SiteId, Site> {
        &self.sites
    }

    /// May an object that exists more than once lie anywhere?
    pub fn is_scattered(&self, object: ObjectId) -> bool {
        self.scattered[object]
    }

    /// May another object lie where this one lies, when it is gone?
    pub fn is_shared(&self, object: ObjectId) -> bool {
        self.shared[object]
    }

    /// Does the value of the expression depend on where a variable lies that may lie elsewhere each time its procedure is called? Formulas
    /// have one address for it: the expression may have any value.
    pub fn is_loose(&self, e: ExprId) -> bool {
        self.loose.contains(&e)
    }

    /// Does a place hold bytes of such an address, or values that may be made of them?
    pub fn is_loose_place(&self, place: PlaceId) -> bool {
        self.loose_places.contains(&place)
    }

    /// The object of this key in this program.
    pub fn find_object(&self, key: &ObjectKey) -> Option<ObjectId> {
        self.by_key.get(key).copied()
    }

    pub fn key(&self, object: ObjectId) -> Option<&ObjectKey> {
        self.keys[object].as_ref()
    }

    /// The cell of the leaf that begins at an offset of an object, to translate invariants between two versions of a program. Of
    /// bit-fields that begin in one byte the first.
    pub fn find_leaf(&self, key: &ObjectKey, offset: u64) -> Option<CellId> {
        let object = self.find_object(key)?;
        let offset = self.shapes[object].normal(i64::try_from(offset).ok()?);
        let range = self.leaves.of(object);
        let at = self.leaves.list[range.clone()].iter().position(|l| l.extent.offset() == offset)?;
        self.leaf_cell[range.start + at]
    }

    /// The smallest of the offsets of an object that count as the same as this one: elements of an array that is walked are one.
    pub fn normal_offset(&self, object: ObjectId, offset: u64) -> u64 {
        let normal = i64::try_from(offset).map(|o| self.shapes[object].normal(o));
        normal.ok().and_then(|o| u64::try_from(o).ok()).unwrap_or(offset)
    }

    /// The length of a `MemSet` or `MemCopy`, where the analysis found it constant. [`Layout::range`] and
    /// [`Layout::copy_range`] are to be asked with this length.
    pub fn known_length(&self, len: ExprId) -> Option<u64> {
        self.lengths.get(&len).copied()
    }

    /// All addresses that are known, as numbers or in the zone, to be handed to another version of the program.
    pub fn addresses(&self) -> AddressMap {
        let objects = self.keys.iter_enumerated().filter_map(|(id, k)| k.clone().zip(self.base[id]));
        let procs = self.procs.iter_enumerated().map(|(id, &a)| (ObjectKey::Proc(id), a));
        let zone = self.heap_start.site;
        let known = procs.chain(objects).filter(|(_, address)| address.site == zone);
        known.map(|(key, address)| (key, address.offset)).collect()
    }

    fn leaf(&self, i: u32) -> &Leaf {
        &self.leaves.list[i as usize]
    }
}

/// What the accesses of a program reach.
struct Reached {
    scalars: Vec<(PlaceId, Vec<(ObjectId, i64)>)>,
    /// Of each of these.
    hit: Vec<Vec<(ObjectId, Extent)>>,
    places: FxHashMap<PlaceId, Vec<Start>>,
    pointers: FxHashMap<ExprId, Vec<Start>>,
    leaves: Leaves,
}

impl Reached {
    fn new(found: &mut Constraints<'_>, budget: &Budget) -> Result<Reached, Stop> {
        let program = found.program;
        let mut pace = Pace::new(budget);
        let scalars = found.scalars.clone().into_iter().map(|place| {
            let address = found.address(place);
            (place, targets(found, address))
        });
        let scalars: Vec<_> = scalars.collect();
        let places = found.aggregates.clone().into_iter();
        let places = places.map(|place| (place, found.starts(Node::Place(place)))).collect();
        let pointers = found.ranges.clone().into_iter();
        let pointers: FxHashMap<ExprId, Vec<Start>> =
            pointers.map(|(e, _)| (e, found.starts(Node::Expr(e)))).collect();
        let objects = &found.solver.objects;
        let mut builder = leaves::Builder::new(program, &found.solver.shapes, &found.solver.copies);
        let mut all = Vec::with_capacity(scalars.len());
        for (place, targets) in &scalars {
            pace.step()?;
            let ty = program.exprs.place(*place).ty;
            let mut hit = Vec::with_capacity(targets.len());
            for &(object, offset) in targets {
                let Some(extent) = extent_of(program, *place, offset) else { continue };
                let size = objects[object].size.map_or(UNBOUNDED, |s| i64::try_from(s).unwrap_or(UNBOUNDED));
                let machine = !matches!(extent.kind, LeafKind::Other(_));
                if machine && (offset < 0 || extent.end_offset() > size) {
                    continue;
                }
                builder.add(object, extent, ty, Some(*place));
                hit.push((object, extent));
            }
            all.push(hit);
        }
        for (e, len, zero) in &found.fills {
            let len = len.map(|len| i64::try_from(len).unwrap_or(UNBOUNDED));
            for start in pointers.get(e).into_iter().flatten() {
                let offset = found.solver.shapes[start.object].normal(start.at);
                builder.fill(start.object, offset, len, *zero);
            }
        }
        for &object in found.results.iter().flatten() {
            // What a call returns is there whether or not somebody takes it.
            if let Some(ty) = objects[object].ty
                && let Some(extent) = extent_of_type(program, ty, 0)
            {
                builder.add(object, extent, ty, None);
            }
        }
        let leaves = builder.finish(budget)?;
        Ok(Reached { scalars, hit: all, places, pointers, leaves })
    }
}

/// The constraints of a program, solved, and what its accesses reach.
fn solved<'a>(
    program: &'a Program,
    seen: &Seen,
    numbers: bool,
    watch: bool,
    budget: &Budget,
) -> Result<(Constraints<'a>, Reached), Stop> {
    let mut found = Constraints::new(program, seen, numbers, watch, budget)?;
    loop {
        found.solver.solve(budget)?;
        let ranges = found.all_ranges();
        if found.spread(&ranges) {
            continue;
        }
        let reached = Reached::new(&mut found, budget)?;
        let mixed = reached.leaves.mixed_pointers();
        if !mixed.is_empty() && !found.numbers {
            found = Constraints::new(program, seen, true, watch, budget)?;
        } else if found.mix(&mixed) {
            continue;
        } else if !found.find_numbers() {
            return Ok((found, reached));
        } else if !found.numbers {
            found = Constraints::new(program, seen, true, watch, budget)?;
        }
    }
}

/// Sorts ranges and makes one of those that touch.
fn join_ranges(ranges: &mut Vec<Stretch>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, one| {
        let touches = next.start.site == one.start.site && next.start.offset <= one.end();
        if touches {
            one.len = one.len.max(next.end() - one.start.offset);
        }
        touches
    });
}

/// What an address may be after solving.
fn targets(found: &mut Constraints<'_>, address: Value) -> Vec<(ObjectId, i64)> {
    match address {
        Value::Nothing => Vec::new(),
        Value::At(object, offset) | Value::In(object, offset) => {
            vec![(object, found.solver.shapes[object].normal(offset))]
        }
        Value::Node(node) => found.solver.points_to(node),
    }
}

fn key(program: &Program, object: &Object) -> Option<ObjectKey> {
    match object.kind {
        ObjectKind::Var(v) => {
            let var = &program.vars[v];
            Some(ObjectKey::Var(var.origin, program.calls.path(var.calls)))
        }
        ObjectKind::Alloc(origin, calls) => Some(ObjectKey::Alloc(origin, program.calls.path(calls))),
        // Procedures are not laid out as objects.
        ObjectKind::Proc(_) => None,
        ObjectKind::Result(_) | ObjectKind::Transit | ObjectKind::Wild => None,
    }
}
