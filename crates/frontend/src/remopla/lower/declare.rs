//! What names stand for: constants, types, variables, modules, labels.

use super::super::ast::{Base, Dim, Expr, File, Ident, Module, Stmt, StmtKind, VarDecl};
use super::super::types::{Bounds, Constant, Elem, Enum, EnumId, MAX_BITS, MAX_CELLS, Shape, Struct, bits};
use super::expr::Kind;
use super::{Lower, Param, Signature, Variable, shown, wrong, wrong_with};
use crate::Res;
use craig_base::Span;
use craig_cfa::{Field, Name, ProcId, RecordKind, Type, Types, VarKind};
use rustc_hash::FxHashMap;

/// Sets the bits of integers that do not say theirs.
const DEFAULT_INT_BITS: &str = "DEFAULT_INT_BITS";

impl<'a> Lower<'a> {
    pub fn declare(&mut self, file: &'a File) -> Res<()> {
        self.defines(file)?;
        self.enums(file)?;
        self.structs(file)?;
        for decl in &file.globals {
            let shape = self.shape(decl)?;
            self.check_new(&decl.name)?;
            let var = self.p.add_var(decl.name.name.clone(), shape.ty, VarKind::Global, None, decl.name.span);
            let variable = Variable { var, shape };
            self.globals.insert(decl.name.name.clone(), variable.clone());
            self.global_order.push(variable);
        }
        for module in &file.modules {
            self.signature(module)?;
        }
        for module in &file.modules {
            if !self.signatures[&module.name.name].defined {
                return wrong(format!("module {} has no body", shown(&module.name)), module.span);
            }
        }
        self.all_labels(file)?;
        self.declare_rules(file)
    }

    /// Is the name still free among constants and globals?
    fn check_new(&self, name: &Ident) -> Res<()> {
        if self.constants.contains_key(&name.name) || self.globals.contains_key(&name.name) {
            return wrong(format!("{} is declared a second time", shown(name)), name.span);
        }
        Ok(())
    }

    fn defines(&mut self, file: &File) -> Res<()> {
        for define in &file.defines {
            let value = self.value(&define.value)?;
            if self.p.exprs.as_bool(value.ok) == Some(false) {
                return wrong("this constant has no value", define.value.span);
            }
            let constant = match (&value.kind, self.p.exprs.as_bool(value.e)) {
                (Kind::Num { lo, hi }, _) if lo == hi => Constant::Int(*lo),
                (Kind::Cond, Some(v)) => Constant::Bool(v),
                _ => return wrong("a constant is expected here", define.value.span),
            };
            if &*define.name.name == DEFAULT_INT_BITS {
                self.default_bits = Some(self.width(&define.value)?);
            }
            self.check_new(&define.name)?;
            self.constants.insert(define.name.name.clone(), constant);
        }
        Ok(())
    }

    fn enums(&mut self, file: &File) -> Res<()> {
        for decl in &file.enums {
            if self.enum_names.contains_key(&decl.name.name) {
                return wrong(
                    format!("enumeration {} is declared a second time", shown(&decl.name)),
                    decl.name.span,
                );
            }
            let count = decl.names.len() as u64;
            let ty = self.p.types.int(bits(u128::from(count) - 1).max(1), false);
            let id: EnumId = self.enums.push(Enum { name: decl.name.name.clone(), count, ty });
            self.enum_names.insert(decl.name.name.clone(), id);
            for (n, name) in (0..).zip(&decl.names) {
                self.check_new(name)?;
                self.constants.insert(name.name.clone(), Constant::Enum(id, n));
            }
        }
        Ok(())
    }

    fn structs(&mut self, file: &File) -> Res<()> {
        for decl in &file.structs {
            if self.struct_names.contains_key(&decl.name.name) {
                return wrong(
                    format!("struct {} is declared a second time", shown(&decl.name)),
                    decl.name.span,
                );
            }
            let record = self.p.types.new_record(decl.name.name.clone(), RecordKind::Struct);
            let mut fields: Vec<(Name, Shape)> = Vec::new();
            let mut layout = Vec::new();
            let (mut size, mut align) = (0u64, 1u64);
            for field in &decl.fields {
                let shape = self.shape(field)?;
                if matches!(shape.elem, Elem::Struct(_)) {
                    return wrong("a struct in a struct", field.span);
                }
                if fields.iter().any(|(name, _)| *name == field.name.name) {
                    return wrong(
                        format!("field {} is declared a second time", shown(&field.name)),
                        field.name.span,
                    );
                }
                let own = self.p.types.align_of(shape.ty);
                let offset = size.next_multiple_of(own);
                size = offset + self.p.types.size_of(shape.ty).unwrap_or(0);
                align = align.max(own);
                layout.push(Field { name: field.name.name.clone(), ty: shape.ty, offset, bit: None });
                fields.push((field.name.name.clone(), shape));
            }
            if fields.is_empty() {
                return wrong(format!("struct {} has no fields", shown(&decl.name)), decl.name.span);
            }
            let known = &mut self.p.types.records[record];
            (known.fields, known.size, known.align) = (layout, size.next_multiple_of(align), align);
            known.complete = true;
            let ty = self.p.types.intern(Type::Record(record));
            let id = self.structs.push(Struct { ty, fields });
            self.struct_names.insert(decl.name.name.clone(), id);
        }
        Ok(())
    }

    /// The bits of an integer.
    fn width(&mut self, of: &Expr) -> Res<u16> {
        match self.constant(of)? {
            n if (1..=i128::from(MAX_BITS)).contains(&n) => Ok(n as u16),
            n => wrong(format!("an integer of {n} bits: 1 to {MAX_BITS} are possible"), of.span),
        }
    }

    fn elem(&mut self, base: &Base, bits: Option<&Expr>, span: Span) -> Res<Elem> {
        match (base, bits) {
            (Base::Int, Some(bits)) => Ok(Elem::Int(self.width(bits)?)),
            (Base::Int, None) => match self.default_bits {
                Some(width) => Ok(Elem::Int(width)),
                None => wrong_with(
                    "an integer without bits",
                    span,
                    "`int x(8)` has 8; `define DEFAULT_INT_BITS 8` says it for all",
                ),
            },
            (_, Some(bits)) => wrong("only integers have bits", bits.span),
            (Base::Bool, None) => Ok(Elem::Bool),
            (Base::Enum(name), None) => match self.enum_names.get(&name.name) {
                Some(id) => Ok(Elem::Enum(*id)),
                None => wrong(format!("there is no enumeration {}", shown(name)), name.span),
            },
            (Base::Struct(name), None) => match self.struct_names.get(&name.name) {
                Some(id) => Ok(Elem::Struct(*id)),
                None => wrong(format!("there is no struct {}", shown(name)), name.span),
            },
        }
    }

    fn shape_of(&mut self, elem: Elem) -> Shape {
        let ty = match elem {
            Elem::Bool => self.p.types.int(1, false),
            Elem::Int(width) => self.p.types.int(width, false),
            Elem::Enum(id) => self.enums[id].ty,
            Elem::Struct(id) => self.structs[id].ty,
        };
        Shape { dims: Vec::new(), elem, ty }
    }

    pub fn shape(&mut self, decl: &VarDecl) -> Res<Shape> {
        let elem = self.elem(&decl.base, decl.bits.as_ref(), decl.span)?;
        let mut shape = self.shape_of(elem);
        if decl.dims.len() > 2 {
            return wrong("an array of more than two dimensions", decl.span);
        }
        if let (Elem::Struct(id), false) = (elem, decl.dims.is_empty())
            && self.structs[id].fields.iter().any(|(_, field)| !field.dims.is_empty())
        {
            return wrong("an array of structs that hold arrays", decl.span);
        }
        let mut cells = 1u64;
        for dim in &decl.dims {
            let bounds = self.bounds(dim)?;
            cells = cells.saturating_mul(bounds.cells);
            if cells > MAX_CELLS {
                return wrong(format!("an array of more than {MAX_CELLS} cells"), dim.span);
            }
            shape.dims.push(bounds);
        }
        for bounds in shape.dims.iter().rev() {
            shape.ty = self.p.types.array(shape.ty, bounds.cells);
        }
        Ok(shape)
    }

    fn bounds(&mut self, dim: &Dim) -> Res<Bounds> {
        let (lo, hi) = match &dim.lo {
            Some(lo) => (self.constant(lo)?, self.constant(&dim.hi)?),
            None => (0, self.constant(&dim.hi)? - 1),
        };
        if hi < lo {
            return wrong("an array without cells", dim.span);
        }
        let len = u64::try_from(hi - lo).unwrap_or(MAX_CELLS).saturating_add(1).min(MAX_CELLS + 1);
        let cells = if self.wraps() { len.next_power_of_two() } else { len };
        Ok(Bounds { lo, hi, cells })
    }

    /// A declaration of a module: the first makes its procedure, others repeat what it says.
    fn signature(&mut self, module: &Module) -> Res<()> {
        let name = &module.name;
        let params: Vec<Param> = module.params.iter().map(|p| self.param(p)).collect::<Res<_>>()?;
        let result = match &module.result {
            None => None,
            Some((base, bits)) => {
                let elem = self.elem(base, bits.as_ref(), module.span)?;
                Some(self.shape_of(elem))
            }
        };
        if let Some(known) = self.signatures.get_mut(&name.name) {
            if known.defined && module.body.is_some() {
                return wrong(format!("module {} has a second body", shown(name)), name.span);
            }
            let shapes = |params: &[Param]| params.iter().map(|p| p.shape.clone()).collect::<Vec<_>>();
            if shapes(&known.params) != shapes(&params) || known.result != result {
                return wrong(format!("module {} was declared differently", shown(name)), module.span);
            }
            // The names are those of the definition.
            if module.body.is_some() {
                (known.params, known.span, known.defined) = (params, module.span, true);
            }
            return Ok(());
        }
        let ret = result.as_ref().map_or(Types::VOID, |shape| shape.ty);
        let proc = self.p.add_proc(name.name.clone(), ret, module.span);
        let defined = module.body.is_some();
        let signature = Signature { proc, params, given: Vec::new(), result, span: module.span, defined };
        self.signatures.insert(name.name.clone(), signature);
        Ok(())
    }

    pub fn param(&mut self, decl: &VarDecl) -> Res<Param> {
        Ok(Param { name: decl.name.name.clone(), shape: self.shape(decl)? })
    }

    /// Parameters and locals of a module.
    pub fn locals(&mut self, module: &Module, proc: ProcId) -> Res<FxHashMap<Name, Variable>> {
        let mut found: FxHashMap<Name, Variable> = FxHashMap::default();
        let locals = module.body.iter().flat_map(|body| &body.locals);
        let given = self.signatures[&module.name.name].given.clone();
        let kind = |local: &VarDecl| match given.iter().any(|p| p.name == local.name.name) {
            true => VarKind::Param,
            false => VarKind::Local,
        };
        let kinds = module.params.iter().map(|p| (p, VarKind::Param));
        for (decl, kind) in kinds.chain(locals.map(|l| (l, kind(l)))) {
            let shape = self.shape(decl)?;
            let name = &decl.name;
            if found.contains_key(&name.name) || self.constants.contains_key(&name.name) {
                return wrong(format!("{} is declared a second time", shown(name)), name.span);
            }
            let var = self.p.add_var(name.name.clone(), shape.ty, kind, Some(proc), name.span);
            if kind == VarKind::Param {
                self.p.procs[proc].params.push(var);
            }
            found.insert(name.name.clone(), Variable { var, shape });
        }
        Ok(found)
    }

    /// Labels are unique in a file; a module's name labels its first statement.
    fn all_labels(&mut self, file: &File) -> Res<()> {
        for module in file.modules.iter().filter(|m| m.body.is_some()) {
            self.new_label(&module.name, &module.name.name)?;
        }
        for module in &file.modules {
            let Some(body) = &module.body else { continue };
            let mut todo: Vec<&[Stmt]> = vec![&body.stmts];
            while let Some(stmts) = todo.pop() {
                for stmt in stmts {
                    match &stmt.kind {
                        StmtKind::Label(label) => self.new_label(label, &module.name.name)?,
                        StmtKind::If(alternatives) | StmtKind::Do(alternatives) => {
                            todo.extend(alternatives.iter().map(|a| a.stmts.as_slice()));
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn new_label(&mut self, label: &Ident, module: &Name) -> Res<()> {
        let before = self.labels.insert(label.name.clone(), (module.clone(), label.span));
        if before.is_some() {
            return wrong_with(
                format!("label {} stands here a second time", shown(label)),
                label.span,
                "labels are unique in a file, and the name of a module labels its first statement",
            );
        }
        Ok(())
    }
}
