//! Specifiers and declarators to types.

use super::around::Priority;
use super::{FuncId, Lower, Res, Scope, Symbol};
use craig_base::Span;
use craig_cfa::{FloatTy, FuncTy, Type, TypeId, Types};
use lang_c::ast;
use lang_c::span::Node;

/// What the specifiers of a declaration say.
pub(super) struct Specifiers {
    pub ty: TypeId,
    pub storage: Option<ast::StorageClassSpecifier>,
    pub attributes: Attributes,
}

/// The attributes that mean something to us.
#[derive(Default, Clone, Copy)]
pub(super) struct Attributes {
    pub noreturn: bool,
    pub packed: bool,
    pub aligned: Option<u64>,
    /// Alignment of the type that the specifiers name, where its typedef says so.
    pub type_aligned: Option<u64>,
    mode: Option<u16>,
    vector: bool,
    /// What the linker knows it by: an index into [`Lower::links`].
    pub link: Option<u32>,
    /// What it means is found when the program is linked or loaded: it may be nothing.
    pub weak: bool,
    /// A function is called when the variable goes out of scope.
    pub cleanup: Option<FuncId>,
    /// The function runs before `main`, or after it.
    pub before: Option<Priority>,
    pub after: Option<Priority>,
    /// Of variables.
    pub volatile: bool,
}

impl Attributes {
    pub fn merge(&mut self, other: Attributes) {
        self.noreturn |= other.noreturn;
        self.packed |= other.packed;
        self.vector |= other.vector;
        self.aligned = self.aligned.max(other.aligned);
        self.type_aligned = self.type_aligned.or(other.type_aligned);
        self.mode = self.mode.or(other.mode);
        self.link = self.link.or(other.link);
        self.weak |= other.weak;
        self.cleanup = self.cleanup.or(other.cleanup);
        self.before = self.before.or(other.before);
        self.after = self.after.or(other.after);
        self.volatile |= other.volatile;
    }
}

/// A declarator read.
pub(super) struct Declared<'a> {
    pub name: Option<&'a Node<ast::Identifier>>,
    pub ty: TypeId,
    /// The parameters of the outermost function declarator, of a function definition.
    pub params: Vec<Param<'a>>,
    /// Size of the outermost array where it is not constant.
    pub vla: Option<&'a Node<ast::Expression>>,
    /// The lengths of its rows, of their rows and so on, if there is one among them that is not constant. The type of the array is then that of one of what the last of these rows holds.
    pub rows: Vec<&'a Node<ast::Expression>>,
    pub attributes: Attributes,
}

pub(super) struct Param<'a> {
    pub name: Option<&'a str>,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Default)]
struct Counts<'a> {
    long: u32,
    short: bool,
    signed: bool,
    unsigned: bool,
    char: bool,
    int: bool,
    complex: bool,
    base: Option<TypeId>,
    /// How many specifiers named a type by themselves.
    bases: u32,
    aligned: Option<u64>,
    /// The enumeration that is defined here.
    enumeration: Option<&'a Node<ast::EnumType>>,
}

impl Counts<'_> {
    /// Is there a type that is spelled so? `double` may stand with one `long`; three of them are `__int128`.
    fn make_a_type(&self, double: bool) -> bool {
        let sign = self.signed || self.unsigned;
        match self.base {
            Some(_) => {
                let long = self.long == 0 || double && self.long == 1;
                self.bases == 1 && long && !(sign || self.short || self.char || self.int)
            }
            None => {
                let length = u32::from(self.short) + u32::from(self.long > 0) + u32::from(self.char);
                !(self.signed && self.unsigned) && length <= 1 && !(self.char && self.int) && self.long <= 3
            }
        }
    }
}

impl<'a> Lower<'a> {
    pub fn declaration_specifiers(
        &mut self,
        specifiers: &'a [Node<ast::DeclarationSpecifier>],
        span: Span,
    ) -> Res<Specifiers> {
        let mut counts = Counts::default();
        let mut storage = None;
        let mut attributes = Attributes::default();
        for specifier in specifiers {
            self.pace.step()?;
            match &specifier.node {
                ast::DeclarationSpecifier::StorageClass(s) => match s.node {
                    ast::StorageClassSpecifier::ThreadLocal => {}
                    _ => storage = Some(s.node.clone()),
                },
                ast::DeclarationSpecifier::TypeSpecifier(t) => self.count(&mut counts, t)?,
                ast::DeclarationSpecifier::TypeQualifier(q) => {
                    attributes.volatile |= q.node == ast::TypeQualifier::Volatile;
                }
                ast::DeclarationSpecifier::Function(f) => {
                    attributes.noreturn |= f.node == ast::FunctionSpecifier::Noreturn;
                }
                ast::DeclarationSpecifier::Alignment(a) => {
                    let align = match &a.node {
                        ast::AlignmentSpecifier::Type(t) => {
                            let ty = self.type_name(t)?;
                            self.p.types.align_of(ty)
                        }
                        ast::AlignmentSpecifier::Constant(e) => self.const_size(e)?,
                    };
                    attributes.aligned = attributes.aligned.max(Some(align));
                }
                ast::DeclarationSpecifier::Extension(list) => attributes.merge(self.attributes(list)?),
            }
        }
        attributes.type_aligned = counts.aligned;
        let ty = self.counted(counts, attributes, span)?;
        let ty = self.with_mode(ty, attributes, span)?;
        Ok(Specifiers { ty, storage, attributes })
    }

    pub fn specifier_qualifiers(
        &mut self,
        specifiers: &'a [Node<ast::SpecifierQualifier>],
        span: Span,
    ) -> Res<(TypeId, Attributes)> {
        let mut counts = Counts::default();
        let mut attributes = Attributes::default();
        for specifier in specifiers {
            self.pace.step()?;
            match &specifier.node {
                ast::SpecifierQualifier::TypeSpecifier(t) => self.count(&mut counts, t)?,
                ast::SpecifierQualifier::TypeQualifier(_) => {}
                ast::SpecifierQualifier::Extension(list) => attributes.merge(self.attributes(list)?),
            }
        }
        attributes.type_aligned = counts.aligned;
        let ty = self.counted(counts, attributes, span)?;
        Ok((self.with_mode(ty, attributes, span)?, attributes))
    }

    fn count(&mut self, counts: &mut Counts<'a>, specifier: &'a Node<ast::TypeSpecifier>) -> Res<()> {
        use ast::TypeSpecifier as T;
        let span = self.span(specifier);
        let part = matches!(
            specifier.node,
            T::Char | T::Short | T::Int | T::Long | T::Signed | T::Unsigned | T::Complex
        );
        counts.bases += u32::from(!part);
        match &specifier.node {
            T::Void => counts.base = Some(Types::VOID),
            T::Char => counts.char = true,
            T::Short => counts.short = true,
            T::Int => counts.int = true,
            T::Long => counts.long += 1,
            T::Signed => counts.signed = true,
            T::Unsigned => counts.unsigned = true,
            T::Float => counts.base = Some(self.float(FloatTy::F32)),
            T::Double => counts.base = Some(self.float(FloatTy::F64)),
            T::Bool => counts.base = Some(self.p.types.int(1, false)),
            T::Complex => counts.complex = true,
            T::Atomic(name) => counts.base = Some(self.type_name(name)?),
            T::Struct(s) => counts.base = Some(self.record_specifier(s)?),
            T::Enum(e) => {
                counts.base = Some(self.enum_specifier(e)?);
                counts.enumeration = Some(e).filter(|e| !e.node.enumerators.is_empty());
            }
            T::TypedefName(name) => {
                counts.base = Some(match self.lookup(&name.node.name) {
                    Some(Symbol::Typedef(ty, aligned)) => {
                        counts.aligned = aligned;
                        ty
                    }
                    _ if name.node.name == "__builtin_va_list" => self.va_list_type(),
                    _ => return self.error(format!("`{}` is not a type", name.node.name), span),
                });
            }
            T::TypeOf(of) => {
                counts.base = Some(match &of.node {
                    ast::TypeOf::Type(name) => self.type_name(name)?,
                    ast::TypeOf::Expression(e) => self.type_of(e)?,
                });
            }
            T::TS18661Float(f) => {
                let kind = match f.width {
                    32 => FloatTy::F32,
                    64 => FloatTy::F64,
                    80 => FloatTy::F80,
                    _ => FloatTy::F128,
                };
                counts.base = Some(self.float(kind));
            }
        }
        Ok(())
    }

    fn counted(&mut self, counts: Counts<'a>, attributes: Attributes, span: Span) -> Res<TypeId> {
        if counts.complex {
            return self.error("complex numbers are not supported", span);
        }
        let signed = !counts.unsigned;
        let double = self.float(FloatTy::F64);
        if !counts.make_a_type(counts.base == Some(double)) {
            return self.error("these specifiers do not go together", span);
        }
        if let Some(enumeration) = counts.enumeration.filter(|_| attributes.packed) {
            return Ok(self.packed_enumeration(&enumeration.node));
        }
        if let Some(base) = counts.base {
            return Ok(if base == double && counts.long > 0 { self.float(FloatTy::F80) } else { base });
        }
        self.spelled.long |= counts.long == 1;
        self.spelled.long_long |= counts.long == 2;
        self.spelled.signed_char |= counts.char && counts.signed;
        let pointer_bits = self.p.types.model.pointer_bits();
        let width = match (counts.char, counts.short, counts.long) {
            (true, _, _) => 8,
            (_, true, _) => 16,
            (_, _, 0) => 32,
            (_, _, 1) => pointer_bits,
            (_, _, 2) => 64,
            _ => 128,
        };
        Ok(self.p.types.int(width, signed))
    }

    fn with_mode(&mut self, ty: TypeId, attributes: Attributes, span: Span) -> Res<TypeId> {
        if attributes.vector {
            return self.error("vector types are not supported", span);
        }
        Ok(match (attributes.mode, self.p.types.as_int(ty)) {
            (Some(width), Some(int)) => self.p.types.int(width, int.signed),
            _ => ty,
        })
    }

    pub fn float(&mut self, kind: FloatTy) -> TypeId {
        self.p.types.intern(Type::Float(kind))
    }

    pub fn attributes(&mut self, list: &'a [Node<ast::Extension>]) -> Res<Attributes> {
        let mut attributes = Attributes::default();
        for extension in list {
            let a = match &extension.node {
                ast::Extension::Attribute(a) => a,
                ast::Extension::AsmLabel(label) => {
                    attributes.link = Some(self.link(label));
                    continue;
                }
                ast::Extension::AvailabilityAttribute(_) => continue,
            };
            match a.name.node.trim_matches('_') {
                name @ ("alias" | "weakref") => match a.arguments.first().map(|e| &e.node) {
                    Some(ast::Expression::StringLiteral(label)) => {
                        attributes.link = Some(self.link(label));
                        attributes.weak |= name == "weakref";
                    }
                    _ => attributes.weak = true,
                },
                "weak" | "ifunc" => attributes.weak = true,
                "cleanup" => attributes.cleanup = Some(self.cleanup_function(a)?),
                "constructor" => attributes.before = Some(self.priority(a)?),
                "destructor" => attributes.after = Some(self.priority(a)?),
                "noreturn" => attributes.noreturn = true,
                "packed" => attributes.packed = true,
                "vector_size" => attributes.vector = true,
                "aligned" => {
                    let align = match a.arguments.first() {
                        Some(e) => self.const_size(e)?,
                        None => 16,
                    };
                    attributes.aligned = attributes.aligned.max(Some(align));
                }
                "mode" => {
                    let mode = a.arguments.first().and_then(|e| match &e.node {
                        ast::Expression::Identifier(i) => Some(i.node.name.trim_matches('_')),
                        _ => None,
                    });
                    attributes.mode = match mode {
                        Some("QI" | "byte") => Some(8),
                        Some("HI") => Some(16),
                        Some("SI") => Some(32),
                        Some("DI") => Some(64),
                        Some("TI") => Some(128),
                        Some("word" | "pointer") => Some(self.p.types.model.pointer_bits()),
                        _ => None,
                    };
                }
                _ => {}
            }
        }
        Ok(attributes)
    }

    fn cleanup_function(&mut self, attribute: &ast::Attribute) -> Res<FuncId> {
        if let Some(ast::Expression::Identifier(name)) = attribute.arguments.first().map(|e| &e.node)
            && let Some(Symbol::Func(f)) = self.lookup(&name.node.name)
        {
            return Ok(f);
        }
        self.error("`cleanup` takes the name of a function", self.span(&attribute.name))
    }

    fn priority(&mut self, attribute: &'a ast::Attribute) -> Res<Priority> {
        let number = attribute.arguments.first().map(|e| self.const_size(e)).transpose()?;
        Ok(number.and_then(|n| n.try_into().ok()))
    }

    fn link(&mut self, label: &Node<ast::StringLiteral>) -> u32 {
        let text: String = label.node.iter().map(|piece| piece.trim_matches('"')).collect();
        self.links.push(text.into());
        self.links.len() as u32 - 1
    }

    pub fn type_name(&mut self, name: &'a Node<ast::TypeName>) -> Res<TypeId> {
        self.aligned_type_name(name).map(|(ty, _)| ty)
    }

    /// The type, and its alignment where a typedef gives it another than the natural one.
    pub fn aligned_type_name(&mut self, name: &'a Node<ast::TypeName>) -> Res<(TypeId, Option<u64>)> {
        let span = self.span(name);
        let (base, attributes) = self.specifier_qualifiers(&name.node.specifiers, span)?;
        match &name.node.declarator {
            Some(declarator) => {
                let declared = self.declarator(base, declarator)?;
                if declared.vla.is_some() {
                    return self.error("a type name with an array of variable length is not supported", span);
                }
                Ok((declared.ty, self.inherited_alignment(base, attributes, declared.ty)))
            }
            None => Ok((base, attributes.type_aligned)),
        }
    }

    /// The alignment that the specifiers' typedef gives to what is declared with them: the type itself or an array of it.
    pub fn inherited_alignment(&self, base: TypeId, attributes: Attributes, declared: TypeId) -> Option<u64> {
        let mut ty = declared;
        while let Type::Array { elem, .. } = *self.p.types.get(ty)
            && ty != base
        {
            ty = elem;
        }
        attributes.type_aligned.filter(|_| ty == base)
    }

    /// The alignment of a variable with this declarator, if its type does not tell it.
    pub fn variable_alignment(&mut self, specifiers: &Specifiers, declared: &Declared) -> Option<u64> {
        let inherited = self.inherited_alignment(specifiers.ty, specifiers.attributes, declared.ty);
        let told = specifiers.attributes.aligned.max(declared.attributes.aligned);
        told.map(|told| told.max(self.p.types.align_of(declared.ty))).or(inherited)
    }

    /// What a typedef with this declarator means.
    pub fn typedef(&mut self, specifiers: &Specifiers, declared: &Declared) -> Symbol {
        let inherited = self.inherited_alignment(specifiers.ty, specifiers.attributes, declared.ty);
        let told = specifiers.attributes.aligned.max(declared.attributes.aligned);
        Symbol::Typedef(declared.ty, told.or(inherited))
    }

    /// Applies a declarator to a type: `*name[3]` from the inside out.
    pub fn declarator(&mut self, base: TypeId, declarator: &'a Node<ast::Declarator>) -> Res<Declared<'a>> {
        let span = self.span(declarator);
        let node = &declarator.node;
        let mut ty = base;
        let mut params = Vec::new();
        let mut vla = None;
        let mut rows: Vec<&'a Node<ast::Expression>> = Vec::new();
        // Pointers stand in front and apply first, then the suffixes from the last to the first.
        for derived in &node.derived {
            if let ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_) = &derived.node {
                ty = self.p.types.ptr(ty);
            }
        }
        for (i, derived) in node.derived.iter().enumerate().rev() {
            match &derived.node {
                ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_) => {}
                ast::DerivedDeclarator::Array(array) => {
                    let inner = node.derived[..i].iter().any(is_suffix);
                    let len = match &array.node.size {
                        ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => None,
                        ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => {
                            match self.try_const_int(e)? {
                                Some(n) if n < 0 => {
                                    return self.error("the size of an array is negative", self.span(e));
                                }
                                Some(n) if rows.is_empty() => Some(n as u64),
                                None if !self.is_integer(e)? => {
                                    return self
                                        .error("the size of an array must be an integer", self.span(e));
                                }
                                _ if inner && self.may_have_rows => {
                                    rows.push(&**e);
                                    continue;
                                }
                                _ if inner => {
                                    return self.error(
                                        "an array of variable length inside another is not supported",
                                        span,
                                    );
                                }
                                _ => {
                                    vla = Some(&**e);
                                    None
                                }
                            }
                        }
                    };
                    if !self.has_size(ty) {
                        return self.error("an array of a type without size", span);
                    }
                    let size = self.p.types.size_of(ty).unwrap_or(0).checked_mul(len.unwrap_or(0));
                    if size.is_none_or(|s| s >= 1 << (self.p.types.model.pointer_bits() - 1)) {
                        return self.error("the array is larger than the address space", span);
                    }
                    ty = self.p.types.intern(Type::Array { elem: ty, len });
                }
                ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_)
                    if matches!(self.p.types.get(ty), Type::Array { .. } | Type::Func(_)) =>
                {
                    return self.error("a function cannot return an array or a function", span);
                }
                ast::DerivedDeclarator::Function(function) => {
                    let (list, types) = self.parameters(&function.node.parameters)?;
                    let variadic = function.node.ellipsis == ast::Ellipsis::Some;
                    // `f()` declares nothing of its parameters.
                    let unprototyped = function.node.parameters.is_empty() && !variadic;
                    params = list;
                    ty = self.p.types.intern(Type::Func(FuncTy {
                        params: types,
                        ret: ty,
                        variadic,
                        unprototyped,
                    }));
                }
                ast::DerivedDeclarator::KRFunction(names) => {
                    params = names
                        .iter()
                        .map(|n| Param { name: Some(&n.node.name), ty: Types::VOID, span: self.span(n) })
                        .collect();
                    let ret = ty;
                    ty = self.p.types.intern(Type::Func(FuncTy {
                        params: Box::new([]),
                        ret,
                        variadic: false,
                        unprototyped: true,
                    }));
                }
            }
        }
        if !rows.is_empty() && vla.is_none() {
            return self.error("an array of unknown length with rows of variable length", span);
        }
        rows.reverse();
        let mut attributes = self.attributes(&node.extensions)?;
        ty = self.with_mode(ty, attributes, span)?;
        match &node.kind.node {
            ast::DeclaratorKind::Abstract => Ok(Declared { name: None, ty, params, vla, rows, attributes }),
            ast::DeclaratorKind::Identifier(name) => {
                Ok(Declared { name: Some(name), ty, params, vla, rows, attributes })
            }
            ast::DeclaratorKind::Declarator(inner) => {
                let mut declared = self.declarator(ty, inner)?;
                attributes.merge(declared.attributes);
                declared.attributes = attributes;
                // `(f)(int x)`: the inner declarator added nothing, so these are its parameters.
                if declared.ty == ty {
                    declared.params = params;
                    declared.vla = vla;
                    declared.rows = rows;
                } else if vla.is_some() {
                    return self.error("a pointer to an array of variable length is not supported", span);
                }
                Ok(declared)
            }
        }
    }

    fn parameters(
        &mut self,
        list: &'a [Node<ast::ParameterDeclaration>],
    ) -> Res<(Vec<Param<'a>>, Box<[TypeId]>)> {
        self.scopes.push(Scope::default());
        let params = self.parameter_list(list);
        let scope = self.scopes.pop().unwrap_or_default();
        // Only there by the letter of C, but then nobody could call the function.
        self.scopes.last_mut().expect("the file scope is always there").tags.extend(scope.tags);
        let mut params = params?;
        if let [only] = &params[..]
            && only.ty == Types::VOID
            && only.name.is_none()
        {
            params.clear();
        }
        let types = params.iter().map(|p| p.ty).collect();
        Ok((params, types))
    }

    /// Each parameter is known to those after it.
    fn parameter_list(&mut self, list: &'a [Node<ast::ParameterDeclaration>]) -> Res<Vec<Param<'a>>> {
        let mut params = Vec::new();
        for parameter in list {
            let span = self.span(parameter);
            let specifiers = self.declaration_specifiers(&parameter.node.specifiers, span)?;
            let (name, ty) = match &parameter.node.declarator {
                Some(declarator) => {
                    let declared = self.declarator(specifiers.ty, declarator)?;
                    (declared.name.map(|n| n.node.name.as_str()), declared.ty)
                }
                None => (None, specifiers.ty),
            };
            let ty = self.decayed(ty);
            if let Some(name) = name {
                self.declare(name, Symbol::Param(ty), span)?;
            }
            params.push(Param { name, ty, span });
        }
        Ok(params)
    }

    fn is_integer(&mut self, e: &'a Node<ast::Expression>) -> Res<bool> {
        let ty = self.type_of(e)?;
        Ok(self.p.types.as_int(ty).is_some())
    }

    /// Is the type complete? An array of unknown length is not.
    pub fn has_size(&self, ty: TypeId) -> bool {
        self.p.types.size_of(ty).is_some() && !matches!(self.p.types.get(ty), Type::Array { len: None, .. })
    }

    /// May two declarations of one name have these types? Pointers may differ in what they point to.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        match (self.p.types.get(a), self.p.types.get(b)) {
            _ if a == b => true,
            (Type::Ptr(_), Type::Ptr(_)) => true,
            (Type::Array { elem: x, len: n }, Type::Array { elem: y, len: m }) => {
                self.compatible(*x, *y) && (n.is_none() || m.is_none() || n == m)
            }
            (Type::Func(f), Type::Func(g)) => self.compatible(f.ret, g.ret),
            _ => false,
        }
    }

    /// The type of a parameter so declared: arrays and functions become pointers.
    pub fn decayed(&mut self, ty: TypeId) -> TypeId {
        match *self.p.types.get(ty) {
            Type::Array { elem, .. } => self.p.types.ptr(elem),
            Type::Func(_) => self.p.types.ptr(ty),
            _ => ty,
        }
    }

    /// The function behind a pointer to one, or the function type itself.
    pub fn func_ty(&self, ty: TypeId) -> Option<FuncTy> {
        match self.p.types.get(ty) {
            Type::Func(f) => Some(f.clone()),
            Type::Ptr(to) => match self.p.types.get(*to) {
                Type::Func(f) => Some(f.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn func_type_of(&self, f: FuncId) -> FuncTy {
        self.func_ty(self.funcs[f].ty).expect("functions have function types")
    }
}

fn is_suffix(derived: &Node<ast::DerivedDeclarator>) -> bool {
    !matches!(derived.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
}
