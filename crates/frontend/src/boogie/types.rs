//! Types as the checker sees them: interned, synonyms expanded, so that equal types have equal ids.

use craig_cfa::Name;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt::Write as _;

index_vec::define_index_type! { pub struct TyId = u32; }

/// A type parameter: a number that no other declaration's parameter has.
pub type Param = u32;
/// What type parameters stand for.
pub type Subst = FxHashMap<Param, TyId>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ty {
    Int,
    Real,
    Bool,
    Bv(u32),
    /// With `params`, a map that is polymorphic itself.
    Map {
        params: Box<[Param]>,
        index: Box<[TyId]>,
        elem: TyId,
    },
    /// An uninterpreted type.
    Con(Name, Box<[TyId]>),
    Param(Param, Name),
}

/// Largest type, written out: synonyms can make short texts stand for enormous types.
pub const MAX_WEIGHT: u64 = 10_000;

#[derive(Debug)]
pub struct Tys {
    set: IndexSet<Ty, FxBuildHasher>,
    weight: Vec<u64>,
    params: Param,
}

impl Tys {
    pub const INT: TyId = TyId { _raw: 0 };
    pub const REAL: TyId = TyId { _raw: 1 };
    pub const BOOL: TyId = TyId { _raw: 2 };

    pub fn new() -> Self {
        let mut tys = Tys { set: IndexSet::default(), weight: Vec::new(), params: 0 };
        for ty in [Ty::Int, Ty::Real, Ty::Bool] {
            tys.intern(ty);
        }
        tys
    }

    pub fn intern(&mut self, ty: Ty) -> TyId {
        let weight = match &ty {
            Ty::Map { index, elem, .. } => {
                index.iter().chain([elem]).map(|t| self.weight(*t)).sum::<u64>() + 1
            }
            Ty::Con(_, args) => args.iter().map(|t| self.weight(*t)).sum::<u64>() + 1,
            _ => 1,
        };
        let (id, new) = self.set.insert_full(ty);
        if new {
            self.weight.push(weight);
        }
        TyId::from_usize(id)
    }

    pub fn get(&self, id: TyId) -> &Ty {
        &self.set[id.index()]
    }

    /// Number of nodes of the type as a tree.
    pub fn weight(&self, id: TyId) -> u64 {
        self.weight[id.index()]
    }

    pub fn new_param(&mut self, name: Name) -> (Param, TyId) {
        self.params += 1;
        (self.params, self.intern(Ty::Param(self.params, name)))
    }

    pub fn bv(&mut self, width: u32) -> TyId {
        self.intern(Ty::Bv(width))
    }

    pub fn bv_width(&self, id: TyId) -> Option<u32> {
        match self.get(id) {
            Ty::Bv(width) => Some(*width),
            _ => None,
        }
    }

    /// Extends `subst`, which maps parameters in `open`, so that the pattern becomes the actual type.
    pub fn unify(&self, pattern: TyId, actual: TyId, open: &[Param], subst: &mut Subst) -> bool {
        if let Ty::Param(p, _) = self.get(pattern)
            && open.contains(p)
        {
            return *subst.entry(*p).or_insert(actual) == actual;
        }
        if pattern == actual && !self.mentions(pattern, open) {
            return true;
        }
        let all = |a: &[TyId], b: &[TyId], subst: &mut Subst| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(*a, *b, open, subst))
        };
        match (self.get(pattern), self.get(actual)) {
            (Ty::Con(f, a), Ty::Con(g, b)) => f == g && all(a, b, subst),
            (Ty::Map { params: p, index: i, elem: e }, Ty::Map { params: q, index: j, elem: f }) => {
                p == q && all(i, j, subst) && self.unify(*e, *f, open, subst)
            }
            _ => false,
        }
    }

    fn mentions(&self, ty: TyId, open: &[Param]) -> bool {
        !open.is_empty()
            && match self.get(ty) {
                Ty::Param(p, _) => open.contains(p),
                Ty::Con(_, args) => args.iter().any(|a| self.mentions(*a, open)),
                Ty::Map { index, elem, .. } => index.iter().chain([elem]).any(|a| self.mentions(*a, open)),
                _ => false,
            }
    }

    /// `None` if the result would be too large.
    pub fn instantiate(&mut self, ty: TyId, subst: &Subst) -> Option<TyId> {
        if subst.is_empty() {
            return Some(ty);
        }
        let ty = match self.get(ty).clone() {
            Ty::Param(p, _) => return Some(subst.get(&p).copied().unwrap_or(ty)),
            Ty::Con(name, args) => {
                let args = args.iter().map(|a| self.instantiate(*a, subst)).collect::<Option<_>>()?;
                self.intern(Ty::Con(name, args))
            }
            Ty::Map { params, index, elem } => {
                let index = index.iter().map(|a| self.instantiate(*a, subst)).collect::<Option<_>>()?;
                let elem = self.instantiate(elem, subst)?;
                self.intern(Ty::Map { params, index, elem })
            }
            _ => ty,
        };
        (self.weight(ty) <= MAX_WEIGHT).then_some(ty)
    }

    /// As Boogie writes it; long ones are cut.
    pub fn show(&self, id: TyId) -> String {
        let mut text = String::new();
        self.write(id, &mut text);
        if text.len() > 200 {
            let cut: String = text.chars().take(200).collect();
            return format!("{cut}...");
        }
        text
    }

    /// As Boogie writes it.
    pub fn full_name(&self, id: TyId) -> String {
        let mut text = String::new();
        self.write(id, &mut text);
        text
    }

    fn write(&self, id: TyId, out: &mut String) {
        match self.get(id) {
            Ty::Int => out.push_str("int"),
            Ty::Real => out.push_str("real"),
            Ty::Bool => out.push_str("bool"),
            Ty::Bv(width) => {
                let _ = write!(out, "bv{width}");
            }
            Ty::Param(_, name) => out.push_str(name),
            Ty::Con(name, args) => {
                out.push_str(name);
                for &arg in args {
                    out.push(' ');
                    let atom = !matches!(self.get(arg), Ty::Con(_, a) if !a.is_empty());
                    if atom && !matches!(self.get(arg), Ty::Map { .. }) {
                        self.write(arg, out);
                    } else {
                        out.push('(');
                        self.write(arg, out);
                        out.push(')');
                    }
                }
            }
            Ty::Map { params, index, elem } => {
                if !params.is_empty() {
                    let names: Vec<String> = params.iter().map(|p| format!("t{p}")).collect();
                    let _ = write!(out, "<{}>", names.join(", "));
                }
                out.push('[');
                for (i, &ty) in index.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.write(ty, out);
                }
                out.push(']');
                self.write(*elem, out);
            }
        }
    }
}
