//! What a state in flat memory is made of.
//!
//! A variable of scalar type whose address nobody takes is a value of its own: a fact of the text, no analysis. Everything else lies in one
//! array from addresses to bytes, at addresses that nothing is known of but what C promises (see [`crate::flat::space`]). So the state has, for
//! each object in memory, the address where it begins. An allocating edge is followed by its newest object: where it
//! begins, its size, and whether it is alive; older objects of the same edge are bytes like all others.

use super::NotTranslatable;
use craig_cfa::{
    CallString, CallStrings, EdgeId, ExprId, ExprKind, FloatTy, Op, ProcId, Program, Type, TypeId, VarId,
};
use craig_logic::{Sort, TermId, Terms};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

index_vec::define_index_type! { pub(super) struct ObjId = u32; }

/// Position of the memory in a state.
pub(super) const MEM: usize = 0;

/// All parts of a state, the memory first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State(pub Vec<TermId>);

/// What an object in memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Var(VarId),
    /// The newest object of an allocating edge. `stack`: gone when its procedure returns.
    Site {
        edge: EdgeId,
        stack: bool,
        size: usize,
        alive: usize,
    },
    Proc(ProcId),
}

#[derive(Debug, Clone)]
pub(super) struct Object {
    pub kind: Kind,
    /// The call that it belongs to.
    pub calls: CallString,
    /// Position of its first address in a state.
    pub base: usize,
    pub align: u64,
    /// Bytes, if that is known from the type.
    pub size: Option<u64>,
}

/// Where a variable is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// A part of the state.
    Plain(usize),
    Memory(ObjId),
    /// A variable of a procedure that was expanded, or of a type that machines do not have.
    Nowhere,
}

/// How a scalar is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    /// So many bits, in so many bytes of memory.
    Bits(u32, u64),
}

impl Shape {
    pub fn sort(self) -> Sort {
        match self {
            Shape::Bool => Sort::Bool,
            Shape::Bits(width, _) => Sort::BitVec(width),
        }
    }
}

pub(super) struct Layout {
    /// Name and sort of each part of a state.
    parts: Vec<(String, Sort)>,
    pub objects: IndexVec<ObjId, Object>,
    pub homes: IndexVec<VarId, Home>,
    pub procs: FxHashMap<ProcId, ObjId>,
    sites: FxHashMap<(EdgeId, CallString), ObjId>,
    by_calls: FxHashMap<CallString, Vec<ObjId>>,
}

impl Layout {
    pub fn new(program: &Program, terms: &Terms) -> Layout {
        let pointer = Sort::BitVec(u32::from(program.types.model.pointer_bits()));
        let memory = terms.array_sort(pointer, Sort::BitVec(8));
        let mut layout = Layout {
            parts: vec![("memory".into(), memory)],
            objects: IndexVec::new(),
            homes: index_vec![Home::Nowhere; program.vars.len()],
            procs: FxHashMap::default(),
            sites: FxHashMap::default(),
            by_calls: FxHashMap::default(),
        };
        for (id, var) in program.vars.iter_enumerated() {
            if var.proc.is_some_and(|proc| proc != program.entry) {
                continue;
            }
            if !var.address_taken && !program.types.is_aggregate(var.ty) {
                if let Ok(shape) = shape(program, var.ty) {
                    layout.homes[id] = Home::Plain(layout.part(&var.name, shape.sort()));
                }
                continue;
            }
            // Of an array of unknown length nobody knows where it ends.
            let known = !matches!(program.types.get(var.ty), Type::Array { len: None, .. });
            let size = program.types.size_of(var.ty).filter(|_| known);
            let align = program.align_of(id);
            let base = layout.part(&format!("&{}", var.name), pointer);
            let object = Object { kind: Kind::Var(id), calls: var.calls, base, align, size };
            layout.homes[id] = Home::Memory(layout.object(object));
        }
        for edge in &program.edges {
            let (stack, size) = match &edge.op {
                Op::Alloc { stack, size, .. } => (*stack, *size),
                Op::Realloc { size, .. } => (false, *size),
                _ => continue,
            };
            let name = format!("&allocated{}", layout.sites.len());
            let base = layout.part(&name, pointer);
            let kind = Kind::Site {
                edge: edge.origin,
                stack,
                size: layout.part(&format!("size of {name}"), pointer),
                alive: layout.part(&format!("{name} is alive"), Sort::Bool),
            };
            let whole = width_of(program, size) == program.types.model.pointer_bits();
            let size = program.exprs.as_bits(size).filter(|_| whole).and_then(|n| u64::try_from(n).ok());
            let object =
                Object { kind, calls: edge.calls, base, align: program.align_of_alloc(&edge.op), size };
            let id = layout.object(object);
            layout.sites.insert((edge.origin, edge.calls), id);
        }
        for e in (0..program.exprs.len()).map(ExprId::from_usize) {
            let procs = match program.exprs.kind(e) {
                ExprKind::ProcAddr(proc) => std::slice::from_ref(proc),
                ExprKind::Leads(_, procs) => procs,
                _ => &[],
            };
            for &proc in procs {
                if layout.procs.contains_key(&proc) {
                    continue;
                }
                let base = layout.part(&format!("&{}", program.procs[proc].name), pointer);
                let kind = Kind::Proc(proc);
                let id =
                    layout.object(Object { kind, calls: CallStrings::ROOT, base, align: 1, size: Some(1) });
                layout.procs.insert(proc, id);
            }
        }
        layout
    }

    fn part(&mut self, name: &str, sort: Sort) -> usize {
        let index = self.parts.len();
        self.parts.push((format!("{name}.{index}"), sort));
        index
    }

    fn object(&mut self, object: Object) -> ObjId {
        let (calls, site) = (object.calls, matches!(object.kind, Kind::Site { .. }));
        let id = self.objects.push(object);
        if !site {
            self.by_calls.entry(calls).or_default().push(id);
        }
        id
    }

    /// The state in which every part is its own symbol.
    pub fn symbols(&self, terms: &Terms) -> State {
        State(self.parts.iter().map(|(name, sort)| terms.symbol(name, *sort)).collect())
    }

    pub fn sort(&self, part: usize) -> Sort {
        self.parts[part].1
    }

    pub fn name(&self, part: usize) -> &str {
        &self.parts[part].0
    }

    /// Variables in memory that belong to this call itself, and procedures for the outermost one.
    pub fn of_call(&self, calls: CallString) -> &[ObjId] {
        self.by_calls.get(&calls).map_or(&[], Vec::as_slice)
    }

    /// Variables in memory that live while control is in this call: its own and those of the calls around it.
    pub fn alive_in(&self, strings: &CallStrings, calls: CallString) -> Vec<ObjId> {
        let mut all = self.of_call(calls).to_vec();
        let mut inner = calls;
        while let Some((outer, _)) = strings.pop(inner) {
            all.extend(self.of_call(outer));
            inner = outer;
        }
        all
    }

    pub fn site(&self, edge: EdgeId, calls: CallString) -> Option<ObjId> {
        self.sites.get(&(edge, calls)).copied()
    }

    pub fn all_sites(&self) -> impl Iterator<Item = (ObjId, &Object)> {
        self.objects.iter_enumerated().filter(|(_, object)| matches!(object.kind, Kind::Site { .. }))
    }
}

/// Bits of an integer expression.
fn width_of(program: &Program, e: ExprId) -> u16 {
    program.types.as_word(program.exprs.ty(e)).map_or(0, |word| word.width)
}

/// How a value of a scalar type is kept.
pub(super) fn shape(program: &Program, ty: TypeId) -> Result<Shape, NotTranslatable> {
    let types = &program.types;
    match types.get(ty) {
        Type::Bool => Ok(Shape::Bool),
        Type::Int(_) | Type::Ptr(_) | Type::Float(_) => {
            let width = match types.get(ty) {
                Type::Float(FloatTy::F32) => 32,
                Type::Float(FloatTy::F64) => 64,
                Type::Float(FloatTy::F80) => 80,
                Type::Float(FloatTy::F128) => 128,
                _ => types.as_word(ty).map_or(1, |word| word.width),
            };
            Ok(Shape::Bits(u32::from(width), types.size_of(ty).unwrap_or(0)))
        }
        Type::MathInt | Type::MathReal => Err(NotTranslatable::MathematicalNumbers),
        Type::Map { .. } => Err(NotTranslatable::Maps),
        Type::Void | Type::Array { .. } | Type::Record(_) | Type::Func(_) | Type::Opaque(_) => {
            Err(NotTranslatable::OpaqueValues)
        }
    }
}
