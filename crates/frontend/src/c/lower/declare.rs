//! Declarations at file and block scope, and the bodies of functions.

use super::cleanup::Cleanups;
use super::types::{Attributes, Declared, Param, Specifiers};
use super::{FRESH_BYTES, Func, FuncId, Global, GlobalId, Jumps, Lower, Res, Symbol, Work};
use craig_base::{Diagnostic, Span};
use craig_cfa::{Choice, FuncTy, Halt, LeanKind, Maker, Name, Op, Type, TypeId, Types, VarId, VarKind};
use indexmap::IndexMap;
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Lower<'a> {
    pub fn external_declaration(&mut self, node: &'a Node<ast::ExternalDeclaration>) -> Res<()> {
        self.pace.step()?;
        match &node.node {
            ast::ExternalDeclaration::Declaration(d) => self.file_declaration(d),
            ast::ExternalDeclaration::StaticAssert(a) => self.static_assert(a),
            ast::ExternalDeclaration::FunctionDefinition(f) => self.function_definition(f),
        }
    }

    pub fn static_assert(&mut self, node: &'a Node<ast::StaticAssert>) -> Res<()> {
        match self.try_const_int(&node.node.expression)? {
            Some(0) => self.error("static assertion failed", self.span(node)),
            _ => Ok(()),
        }
    }

    fn file_declaration(&mut self, node: &'a Node<ast::Declaration>) -> Res<()> {
        let span = self.span(node);
        let specifiers = self.declaration_specifiers(&node.node.specifiers, span)?;
        for init_declarator in &node.node.declarators {
            let span = self.span(init_declarator);
            let declared = self.declarator(specifiers.ty, &init_declarator.node.declarator)?;
            let Some(name) = declared.name else { continue };
            let name = name.node.name.as_str();
            if declared.vla.is_some() {
                return self.error("the size of an array at file scope must be constant", span);
            }
            if specifiers.storage == Some(ast::StorageClassSpecifier::Typedef) {
                self.declare_typedef(name, &specifiers, &declared, span)?;
            } else if matches!(self.p.types.get(declared.ty), Type::Func(_)) {
                self.declare_function(name, &declared, &specifiers, span)?;
            } else {
                let init = init_declarator.node.initializer.as_ref();
                let g = self.declare_global(name, declared.ty, init, specifiers.storage.as_ref(), span)?;
                self.link_global(g, &specifiers, &declared);
                let align = self.variable_alignment(&specifiers, &declared);
                self.globals[g].align = self.globals[g].align.max(align);
            }
        }
        Ok(())
    }

    /// C11 allows to declare a typedef again if it means the same.
    fn declare_typedef(
        &mut self,
        name: &str,
        specifiers: &Specifiers,
        declared: &Declared,
        span: Span,
    ) -> Res<()> {
        if declared.vla.is_some() {
            return self.error("a typedef of an array of variable length is not supported", span);
        }
        let symbol = self.typedef(specifiers, declared);
        match self.scopes.last().and_then(|s| s.symbols.get(name)) {
            Some(Symbol::Typedef(ty, _)) if self.compatible(*ty, declared.ty) => {
                self.define(name, symbol);
                Ok(())
            }
            _ => self.declare(name, symbol, span),
        }
    }

    /// A declaration of a function, here or inside another function. Functions are known to the whole file.
    fn declare_function(
        &mut self,
        name: &str,
        declared: &Declared,
        specifiers: &Specifiers,
        span: Span,
    ) -> Res<FuncId> {
        let mut attributes = specifiers.attributes;
        attributes.merge(declared.attributes);
        let f = self.add_function(name, declared.ty, attributes.noreturn, span)?;
        self.link_function(f, attributes);
        Ok(f)
    }

    fn link_function(&mut self, f: FuncId, attributes: Attributes) {
        self.funcs[f].weak |= attributes.weak;
        self.linked.extend(attributes.link.map(|link| (self.funcs[f].name.clone(), link)));
        self.around.add(f, attributes.before, attributes.after);
    }

    fn link_global(&mut self, g: GlobalId, specifiers: &Specifiers, declared: &Declared) {
        let mut attributes = specifiers.attributes;
        attributes.merge(declared.attributes);
        self.globals[g].weak |= attributes.weak;
        self.globals[g].volatile |= attributes.volatile;
        self.linked.extend(attributes.link.map(|link| (self.globals[g].name.clone(), link)));
    }

    /// Names that mean the same to the linker (`__asm__("x")`, `alias("x")`) mean the same here.
    pub fn join_linked_names(&mut self) {
        let mut groups: IndexMap<Name, Vec<Name>, rustc_hash::FxBuildHasher> = IndexMap::default();
        for (name, link) in std::mem::take(&mut self.linked) {
            let label = self.links[link as usize].clone();
            let group = groups.entry(label.clone()).or_insert_with(|| vec![label]);
            if !group.contains(&name) {
                group.push(name);
            }
        }
        for names in groups.into_values() {
            let symbols = |l: &Self| -> Vec<(Name, Symbol)> {
                let known = |n: &Name| Some((n.clone(), *l.scopes[0].symbols.get(n)?));
                names.iter().filter_map(known).collect()
            };
            let all = symbols(self);
            let Some(&(_, meant)) = all.iter().find(|(_, s)| self.is_defined(*s)) else { continue };
            for (name, symbol) in all {
                match (symbol, meant) {
                    (Symbol::Func(f), Symbol::Func(g)) if f == g => {}
                    (Symbol::Global(f), Symbol::Global(g)) if f == g => {}
                    (Symbol::Func(f), Symbol::Func(g))
                        if self.compatible(self.funcs[f].ty, self.funcs[g].ty) =>
                    {
                        self.scopes[0].symbols.insert(name, meant);
                    }
                    (Symbol::Global(f), Symbol::Global(g))
                        if self.compatible(self.globals[f].ty, self.globals[g].ty) =>
                    {
                        self.scopes[0].symbols.insert(name, meant);
                    }
                    (Symbol::Func(f), _) => self.funcs[f].weak = true,
                    (Symbol::Global(f), _) => self.globals[f].weak = true,
                    _ => {}
                }
            }
        }
    }

    /// A declaration inside a function of what the whole file knows.
    fn define_linked(&mut self, name: &str) {
        self.join_linked_names();
        if let Some(&symbol) = self.scopes[0].symbols.get(name) {
            self.define(name, symbol);
        }
    }

    fn is_defined(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Func(f) => self.funcs[f].definition.is_some(),
            Symbol::Global(g) => !self.globals[g].external,
            _ => false,
        }
    }

    fn add_function(&mut self, name: &str, ty: TypeId, noreturn: bool, span: Span) -> Res<FuncId> {
        let prototyped = self.func_ty(ty).is_some_and(|f| !f.unprototyped);
        let f = self.known_function(name, ty, noreturn, span)?;
        let prototype = &mut self.funcs[f].prototype;
        if prototyped && prototype.is_none_or(|first| span.start < first) {
            *prototype = Some(span.start);
        }
        Ok(f)
    }

    fn known_function(&mut self, name: &str, ty: TypeId, noreturn: bool, span: Span) -> Res<FuncId> {
        match self.scopes[0].symbols.get(name).copied() {
            Some(Symbol::Func(f)) => {
                if !self.compatible(self.funcs[f].ty, ty) {
                    return self.error(format!("`{name}` is declared with another type before"), span);
                }
                self.funcs[f].noreturn |= noreturn;
                // A prototype tells more than `f()`.
                let told = self.func_type_of(f);
                if told.unprototyped && self.funcs[f].definition.is_none() {
                    self.funcs[f].ty = ty;
                }
                Ok(f)
            }
            Some(_) => self.error(format!("`{name}` is declared as a function and as something else"), span),
            None => {
                let func = Func {
                    name: name.into(),
                    ty,
                    definition: None,
                    noreturn,
                    span,
                    prototype: None,
                    proc: None,
                    weak: false,
                };
                let f = self.funcs.push(func);
                self.scopes[0].symbols.insert(name.into(), Symbol::Func(f));
                Ok(f)
            }
        }
    }

    /// A call of a name that nothing declares: `int name()`.
    pub fn implicit_function(&mut self, name: &str, span: Span) -> Res<FuncId> {
        let ret = self.int_ty();
        let ty = FuncTy { params: Box::new([]), ret, variadic: false, unprototyped: true };
        let ty = self.p.types.intern(Type::Func(ty));
        self.add_function(name, ty, false, span)
    }

    fn declare_global(
        &mut self,
        name: &str,
        ty: TypeId,
        init: Option<&'a Node<ast::Initializer>>,
        storage: Option<&ast::StorageClassSpecifier>,
        span: Span,
    ) -> Res<GlobalId> {
        let ty = match init {
            Some(init) => self.complete_array(ty, init)?,
            None => ty,
        };
        let external = storage == Some(&ast::StorageClassSpecifier::Extern) && init.is_none();
        match self.scopes[0].symbols.get(name).copied() {
            Some(Symbol::Global(g)) => {
                if !self.compatible(self.globals[g].ty, ty) {
                    return self.error(format!("`{name}` is declared with another type before"), span);
                }
                let global = &mut self.globals[g];
                if global.init.is_some() && init.is_some() {
                    return self.error(format!("`{name}` is initialised twice"), span);
                }
                global.init = global.init.or(init);
                global.external &= external;
                // A later declaration may tell the length of an array.
                if matches!(self.p.types.get(global.ty), Type::Array { len: None, .. }) {
                    global.ty = ty;
                }
                Ok(g)
            }
            Some(_) => self.error(format!("`{name}` is declared as a variable and as something else"), span),
            None => {
                let g = self.globals.push(Global {
                    name: name.into(),
                    ty,
                    init,
                    external,
                    internal_linkage: storage == Some(&ast::StorageClassSpecifier::Static),
                    align: None,
                    span,
                    var: None,
                    initialised: false,
                    volatile: false,
                    weak: false,
                });
                self.scopes[0].symbols.insert(name.into(), Symbol::Global(g));
                Ok(g)
            }
        }
    }

    /// C11 6.9.2: at the end of the file `int a[];` is an array of one element. Of one that is elsewhere the length is not known.
    pub fn complete_tentative_arrays(&mut self) {
        for global in &mut self.globals {
            if let Type::Array { elem, len: None } = *self.p.types.get(global.ty) {
                let size = self.p.types.size_of(elem).unwrap_or(1).max(1);
                let len = if global.external { (FRESH_BYTES / size).max(1) } else { 1 };
                global.ty = self.p.types.array(elem, len);
            }
        }
    }

    fn function_definition(&mut self, node: &'a Node<ast::FunctionDefinition>) -> Res<()> {
        let span = self.span(&node.node.declarator);
        let specifiers = self.declaration_specifiers(&node.node.specifiers, span)?;
        let declared = self.declarator(specifiers.ty, &node.node.declarator)?;
        let Some(name) = declared.name else { return self.error("a function without a name", span) };
        let Type::Func(told) = self.p.types.get(declared.ty).clone() else {
            return self.error(format!("`{}` has a body but is no function", name.node.name), span);
        };
        let old_style = is_old_style(&node.node.declarator);
        let params = self.definition_params(&node.node.declarations, old_style, declared.params)?;
        if told.ret != Types::VOID && !self.has_size(told.ret) {
            return self.error("the type of the result is not complete", span);
        }
        if let Some(param) = params.iter().find(|p| !self.has_size(p.ty)) {
            return self.error("the type of this parameter is not complete", param.span);
        }
        let types = params.iter().map(|p| p.ty).collect();
        // `f() {}` takes no parameters, but calls with arguments are accepted.
        let ty = self.p.types.intern(Type::Func(FuncTy { params: types, ..told }));
        let mut attributes = specifiers.attributes;
        attributes.merge(declared.attributes);
        let f = self.add_function(&name.node.name, ty, attributes.noreturn, span)?;
        self.link_function(f, attributes);
        if let Some(first) = self.funcs[f].definition {
            // `extern inline` definitions may be followed by the real one.
            let inline = first.node.specifiers.iter().any(|s| {
                matches!(&s.node, ast::DeclarationSpecifier::Function(f) if f.node == ast::FunctionSpecifier::Inline)
            });
            if !inline {
                let other = self.span(&first.node.declarator);
                let line = self.p.source.line(other);
                return Err(Diagnostic::error(format!("function `{}` is defined twice", name.node.name))
                    .at(span)
                    .label(format!("first defined at line {line}"))
                    .into());
            }
        }
        let func = &mut self.funcs[f];
        (func.ty, func.definition, func.span) = (ty, Some(node), span);
        Ok(())
    }

    /// The parameters of a definition; old-style ones get their types from the declarations that follow.
    fn definition_params(
        &mut self,
        declarations: &'a [Node<ast::Declaration>],
        old_style: bool,
        mut params: Vec<Param<'a>>,
    ) -> Res<Vec<Param<'a>>> {
        for param in params.iter_mut().filter(|_| old_style) {
            // If no declaration follows.
            param.ty = self.int_ty();
        }
        for declaration in declarations {
            let span = self.span(declaration);
            let specifiers = self.declaration_specifiers(&declaration.node.specifiers, span)?;
            for declarator in &declaration.node.declarators {
                let declared = self.declarator(specifiers.ty, &declarator.node.declarator)?;
                let ty = self.decayed(declared.ty);
                let name = declared.name.map(|n| n.node.name.as_str());
                match params.iter_mut().find(|p| p.name == name) {
                    Some(param) => param.ty = ty,
                    None => {
                        let text = format!("`{}` is no parameter of this function", name.unwrap_or(""));
                        return self.error(text, self.span(declarator));
                    }
                }
            }
        }
        Ok(params)
    }

    /// Translates the body of a function.
    pub fn function(&mut self, f: FuncId) -> Res<()> {
        let (Some(node), Some(proc)) = (self.funcs[f].definition, self.funcs[f].proc) else { return Ok(()) };
        let ast::FunctionDefinition { specifiers, declarator, declarations, statement } = &node.node;
        self.func = Some(f);
        self.proc = proc;
        self.labels.clear();
        self.jumps = Jumps::default();
        self.cleanups = Cleanups::default();
        self.cur = self.p.procs[proc].entry;
        let result = self.scoped(|l| {
            let span = l.span(declarator);
            let specifiers = l.declaration_specifiers(specifiers, span)?;
            let declared = l.declarator(specifiers.ty, declarator)?;
            let old_style = is_old_style(declarator);
            for param in l.definition_params(declarations, old_style, declared.params)? {
                let name = param.name.unwrap_or("");
                let var = l.p.add_var(name.into(), param.ty, VarKind::Param, Some(proc), param.span);
                l.p.procs[proc].params.push(var);
                if !name.is_empty() {
                    l.declare(name, Symbol::Var(var), param.span)?;
                }
            }
            l.statement(statement)?;
            l.fall_off_the_end(l.span(statement));
            l.complete_jumps();
            l.undefined_labels()
        });
        self.scopes.truncate(1);
        self.func = None;
        result
    }

    /// The closing brace: returns; from `main` with 0. Using the value that another function did not return is undefined; a
    /// value is made up for callers that ignore it.
    fn fall_off_the_end(&mut self, span: Span) {
        let end = Span { start: span.end.saturating_sub(1), end: span.end };
        let proc = &self.p.procs[self.proc];
        let (exit, ret) = (proc.exit, proc.ret);
        let value = if ret == Types::VOID {
            None
        } else if &*proc.name == "main" {
            Some(self.zero(ret))
        } else {
            let place = self.temp(ret, end);
            self.emit(Op::Havoc(place, Choice::Uninit), end);
            Some(self.p.exprs.read(place))
        };
        self.p.add_edge(self.cur, exit, Op::Return(value), end);
    }

    fn undefined_labels(&self) -> Res<()> {
        match self.labels.iter().find(|(_, (_, defined, _))| !defined) {
            Some((name, (_, _, span))) => self.error(format!("label `{name}` is not defined"), *span),
            None => Ok(()),
        }
    }

    /// A declaration inside a function.
    pub fn local_declaration(&mut self, node: &'a Node<ast::Declaration>) -> Res<()> {
        let span = self.span(node);
        let specifiers = self.declaration_specifiers(&node.node.specifiers, span)?;
        for init_declarator in &node.node.declarators {
            let span = self.span(init_declarator);
            self.may_have_rows = specifiers.storage.is_none();
            let declared = self.declarator(specifiers.ty, &init_declarator.node.declarator);
            self.may_have_rows = false;
            let declared = declared?;
            let Some(name) = declared.name else { continue };
            let name = name.node.name.as_str();
            let init = init_declarator.node.initializer.as_ref();
            match specifiers.storage {
                Some(ast::StorageClassSpecifier::Typedef) => {
                    self.declare_typedef(name, &specifiers, &declared, span)?
                }
                _ if matches!(self.p.types.get(declared.ty), Type::Func(_)) => {
                    self.declare_function(name, &declared, &specifiers, span)?;
                    self.define_linked(name);
                }
                Some(ast::StorageClassSpecifier::Extern | ast::StorageClassSpecifier::Static)
                    if declared.vla.is_some() =>
                {
                    return self.error("the size of a static array must be constant", span);
                }
                Some(ast::StorageClassSpecifier::Extern) => {
                    if init.is_some() {
                        return self.error(format!("`{name}` is extern and initialised"), span);
                    }
                    let g =
                        self.declare_global(name, declared.ty, init, specifiers.storage.as_ref(), span)?;
                    self.link_global(g, &specifiers, &declared);
                    self.define_linked(name);
                }
                Some(ast::StorageClassSpecifier::Static) => {
                    self.static_local(name, declared.ty, init, span)?
                }
                _ => {
                    if specifiers.attributes.volatile {
                        self.lean(LeanKind::Volatile, name, span);
                    }
                    self.local(name, &declared, init, span)?;
                    let cleanup = declared.attributes.cleanup.or(specifiers.attributes.cleanup);
                    if let (Some(f), Some(Symbol::Var(var))) = (cleanup, self.lookup(name)) {
                        self.cleanups.add(f, var);
                    }
                }
            }
            let align = self.variable_alignment(&specifiers, &declared);
            if let (Some(Symbol::Var(var)), None) = (self.lookup(name), declared.vla) {
                self.p.vars[var].align = align;
            }
        }
        Ok(())
    }

    fn static_local(
        &mut self,
        name: &str,
        ty: TypeId,
        init: Option<&'a Node<ast::Initializer>>,
        span: Span,
    ) -> Res<()> {
        let ty = match init {
            Some(init) => self.complete_array(ty, init)?,
            None => ty,
        };
        self.sized(name, ty, span)?;
        let full: Name = format!("{}.{name}", self.p.procs[self.proc].name).into();
        let var = self.p.add_var(full, ty, VarKind::Global, None, span);
        self.declare(name, Symbol::Var(var), span)?;
        match init {
            Some(init) => self.in_start(|l| {
                let place = l.p.var_place(var);
                l.initialise(place, init, true)
            }),
            None => Ok(()),
        }
    }

    fn local(
        &mut self,
        name: &str,
        declared: &Declared<'a>,
        init: Option<&'a Node<ast::Initializer>>,
        span: Span,
    ) -> Res<()> {
        if let Some(len) = declared.vla {
            if init.is_some() {
                self.not_modelled("the initialiser of an array of variable length", span);
            }
            return self.variable_length_array(name, declared.ty, len, &declared.rows, span);
        }
        let ty = match init {
            Some(init) => self.complete_array(declared.ty, init)?,
            None => declared.ty,
        };
        self.sized(name, ty, span)?;
        let var = self.local_var(name.into(), ty, VarKind::Local, span);
        self.declare(name, Symbol::Var(var), span)?;
        let place = self.p.var_place(var);
        match init {
            Some(init) => self.initialise(place, init, false),
            None => {
                self.emit(Op::Havoc(place, Choice::Uninit), span);
                Ok(())
            }
        }
    }

    fn sized(&self, name: &str, ty: TypeId, span: Span) -> Res<()> {
        if self.has_size(ty) {
            return Ok(());
        }
        self.error(format!("variable `{name}` has a type without size"), span)
    }

    fn variable_length_array(
        &mut self,
        name: &str,
        ty: TypeId,
        len: &'a Node<ast::Expression>,
        rows: &[&'a Node<ast::Expression>],
        span: Span,
    ) -> Res<()> {
        let Type::Array { elem, .. } = *self.p.types.get(ty) else {
            return self.error("a pointer to an array of variable length is not supported", span);
        };
        let size_t = self.p.types.size_t();
        let len = self.rvalue_of(len)?;
        let mut bytes = self.convert(len, size_t, span)?;
        let first = self.row_lengths.len() as u32;
        for row in rows {
            let row = self.rvalue_of(row)?;
            let row = self.convert(row, size_t, span)?;
            let length =
                self.p.add_var(format!("{name}.row").into(), size_t, VarKind::Temp, Some(self.proc), span);
            self.row_lengths.push(length);
            let place = self.p.var_place(length);
            self.emit(Op::Assign(place, row), span);
            let row = self.p.exprs.read(place);
            bytes = self.p.exprs.binary(&self.p.types, craig_cfa::BinOp::Mul, bytes, row);
        }
        let elem_size = self.p.types.size_of(elem).unwrap_or(1);
        let elem_size = self.size_const(elem_size);
        let bytes = self.p.exprs.binary(&self.p.types, craig_cfa::BinOp::Mul, bytes, elem_size);
        let size =
            self.p.add_var(format!("{name}.size").into(), size_t, VarKind::Temp, Some(self.proc), span);
        let size_place = self.p.var_place(size);
        self.emit(Op::Assign(size_place, bytes), span);
        let pointer_ty = self.p.types.ptr(elem);
        let pointer = self.local_var(name.into(), pointer_ty, VarKind::Local, span);
        let dst = self.p.var_place(pointer);
        let bytes = self.p.exprs.read(size_place);
        self.emit(Op::Alloc { dst, size: bytes, zero: false, stack: true, maker: Maker::Program }, span);
        self.declare(name, Symbol::Vla { pointer, size, rows: (first, rows.len() as u32) }, span)
    }

    /// The initial value of a global that is part of the program.
    pub fn global_initialiser(&mut self, g: GlobalId) -> Res<()> {
        let Some(var) = self.globals[g].var else { return Ok(()) };
        let Global { name, ty, init, external, span, .. } = &self.globals[g];
        let (name, ty, init, external, span) = (name.clone(), *ty, *init, *external, *span);
        self.p.vars[var].ty = ty;
        let place = self.p.exprs.var(var, ty);
        match init {
            Some(init) => self.initialise(place, init, true),
            None if external && self.is_standard_stream(&name) => Ok(()),
            None if external && self.p.types.size_of(ty).is_none_or(|s| s == 0) => {
                // Of unknown size: nothing to fill; a use that matters is out of bounds.
                Ok(())
            }
            None if external => {
                self.arbitrary(place, Choice::Extern(name), span);
                Ok(())
            }
            None => self.sized(&name, ty, span),
        }
    }

    /// The initialiser of one global reads another: that one gets its value first.
    pub fn initialise_first(&mut self, var: VarId) -> Res<()> {
        let waits = |work: &Work| matches!(work, Work::Global(g) if self.globals[*g].var == Some(var));
        match self.work.iter().position(waits).and_then(|i| self.work.remove(i)) {
            Some(Work::Global(g)) => self.global_initialiser(g),
            _ => Ok(()),
        }
    }

    fn is_standard_stream(&self, name: &str) -> bool {
        matches!(name, "stdin" | "stdout" | "stderr")
    }

    /// `return` without a value in a function that has one, and other ends that C leaves undefined.
    pub fn undefined(&mut self, what: &'static str, span: Span) {
        self.halt(Halt::Undefined(what), span);
    }
}

/// `f(a, b)`, the types of the parameters in declarations that follow?
fn is_old_style(declarator: &Node<ast::Declarator>) -> bool {
    let nested = match &declarator.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => is_old_style(inner),
        _ => false,
    };
    nested || declarator.node.derived.iter().any(|d| matches!(d.node, ast::DerivedDeclarator::KRFunction(_)))
}
