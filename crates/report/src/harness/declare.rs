//! Types and values as C.

use super::{Function, Given};
use craig_cfa::types::RecordKind;
use craig_cfa::{FloatTy, Type, TypeId, Types, arith};
use std::fmt::Write;

pub(super) struct Writer<'a> {
    types: &'a Types,
    /// Where objects come from.
    malloc: &'static str,
    objects: usize,
    needs_object: bool,
    out: String,
}

impl<'a> Writer<'a> {
    pub fn new(types: &'a Types, malloc_is_wrapped: bool) -> Writer<'a> {
        let malloc = if malloc_is_wrapped { "__real_malloc" } else { "malloc" };
        Writer { types, malloc, objects: 0, needs_object: false, out: String::new() }
    }

    /// All text; first what it needs.
    pub fn finish(self) -> String {
        if !self.needs_object {
            return self.out;
        }
        let malloc = self.malloc;
        format!(
            "extern void *{malloc}(__SIZE_TYPE__);\n\n\
             static void *craig_object(__SIZE_TYPE__ size, const unsigned char *content, __SIZE_TYPE__ length) {{\n    \
             unsigned char *object = {malloc}(size ? size : 1);\n    \
             for (__SIZE_TYPE__ i = 0; i < size; i++) object[i] = i < length ? content[i] : 0;\n    \
             return object;\n}}\n\n{}",
            self.out
        )
    }

    /// A member or variable of a type.
    fn declare(&self, ty: TypeId, name: &str) -> String {
        match self.types.get(ty) {
            Type::Int(int) => {
                let word = match int.width {
                    1 => "_Bool",
                    2..=8 => "char",
                    9..=16 => "short",
                    17..=32 => "int",
                    33..=64 => "long long",
                    _ => "__int128",
                };
                let sign = match (int.width, int.signed) {
                    (1, _) => "",
                    // A plain `char` has the sign that the machine gives it.
                    (2..=8, true) => "signed ",
                    (_, true) => "",
                    (_, false) => "unsigned ",
                };
                format!("{sign}{word} {name}")
            }
            Type::Float(FloatTy::F32) => format!("float {name}"),
            Type::Float(FloatTy::F64) => format!("double {name}"),
            Type::Float(FloatTy::F80) => format!("long double {name}"),
            Type::Float(FloatTy::F128) => format!("__float128 {name}"),
            Type::Array { elem, len } => self.declare(*elem, &format!("{name}[{}]", len.unwrap_or(0))),
            Type::Record(id) => {
                let record = &self.types.records[*id];
                let kind = if record.kind == RecordKind::Union { "union" } else { "struct" };
                let mut members = String::new();
                for (i, field) in record.fields.iter().enumerate() {
                    let width = match (field.bit, self.types.as_int(field.ty)) {
                        (Some(_), Some(int)) => format!(" : {}", int.width),
                        _ => String::new(),
                    };
                    let _ = write!(members, "{}{width}; ", self.declare(field.ty, &format!("m{i}")));
                }
                format!("{kind} {{ {members}}} {name}")
            }
            _ => format!("void *{name}"),
        }
    }

    fn number(&self, ty: TypeId, bits: u128) -> String {
        match self.types.as_int(ty) {
            Some(int) if int.signed => {
                let value = arith::to_i128(bits, int);
                // The least number has no literal of its own.
                match int.width {
                    33.. if value == i128::from(i64::MIN) => "-9223372036854775807ll - 1".into(),
                    33.. => format!("{value}ll"),
                    32 if value == i128::from(i32::MIN) => "-2147483647 - 1".into(),
                    _ => value.to_string(),
                }
            }
            Some(int) if int.width > 32 => format!("{bits}ull"),
            Some(int) if int.width == 32 => format!("{bits}u"),
            Some(_) => bits.to_string(),
            None => format!("{bits:#x}"),
        }
    }

    fn bytes(bytes: &[u8]) -> String {
        bytes.iter().map(u8::to_string).collect::<Vec<String>>().join(", ")
    }

    /// An expression for a value that is made when the program runs.
    fn value(&mut self, ty: TypeId, given: &Given) -> String {
        match given {
            Given::Null => "(void *)0".into(),
            Given::Number(bits) => match self.types.get(ty) {
                Type::Float(_) => {
                    let decl = self.declare(ty, "value");
                    let bytes = Self::bytes(&bits.to_le_bytes());
                    format!(
                        "((union {{ unsigned char bytes[16]; {decl}; }}){{ .bytes = {{ {bytes} }} }}).value"
                    )
                }
                Type::Ptr(_) => format!("(void *){bits:#x}ul"),
                _ => self.number(ty, *bits),
            },
            Given::Bytes(bytes) => {
                let size = self.types.size_of(ty).unwrap_or(0).max(1);
                let decl = self.declare(ty, "value");
                let bytes = if bytes.is_empty() { "0".into() } else { Self::bytes(bytes) };
                format!(
                    "((union {{ unsigned char bytes[{size}]; {decl}; }}){{ .bytes = {{ {bytes} }} }}).value"
                )
            }
            Given::Object { size, content } => {
                self.needs_object = true;
                if content.is_empty() {
                    return format!("craig_object({size}, 0, 0)");
                }
                let (bytes, length) = (Self::bytes(content), content.len());
                format!("craig_object({size}, (const unsigned char[]){{ {bytes} }}, {length})")
            }
        }
    }

    /// A function that returns what it returned in the run.
    pub fn function(&mut self, name: &str, function: &Function) {
        let Some(ty) = function.ty else {
            let _ = writeln!(self.out, "void {name}() {{}}\n");
            return;
        };
        let used_up = format!("craig_lost(\"{name}() is called again\")");
        // The program may have declared any integer type for what is 0 or 1: a wide one fits all.
        let is_bool = self.types.as_int(ty).is_some_and(|int| int.width == 1);
        let signature = match self.types.is_aggregate(ty) {
            true => {
                let _ = writeln!(self.out, "typedef {};", self.declare(ty, &format!("craig_{name}")));
                format!("craig_{name} {name}()")
            }
            false if is_bool => format!("unsigned long long {name}()"),
            false => self.declare(ty, &format!("{name}()")),
        };
        let numbers: Option<Vec<String>> = (function.results.iter())
            .map(|given| match given {
                Given::Number(bits) if self.types.as_int(ty).is_some() => Some(self.number(ty, *bits)),
                _ => None,
            })
            .collect();
        let _ = writeln!(self.out, "{signature} {{\n    static unsigned long next;");
        match numbers {
            Some(numbers) if !numbers.is_empty() => {
                let list = wrapped(&numbers);
                let elem = self.declare(ty, "results[]");
                let _ = writeln!(self.out, "    static const {elem} = {{ {list} }};");
                let _ = writeln!(self.out, "    if (next == {}) {used_up};", numbers.len());
                let _ = writeln!(self.out, "    return results[next++];\n}}\n");
            }
            _ => {
                let _ = writeln!(self.out, "    switch (next++) {{");
                for (i, given) in function.results.iter().enumerate() {
                    let value = self.value(ty, given);
                    let value = match self.types.is_aggregate(ty) {
                        true => format!("*(craig_{name} *)&{value}"),
                        false => value,
                    };
                    let _ = writeln!(self.out, "    case {i}: return {value};");
                }
                let _ = writeln!(self.out, "    }}\n    {used_up};\n    __builtin_unreachable();\n}}\n");
            }
        }
    }

    /// A variable that is defined elsewhere.
    pub fn variable(&mut self, name: &str, ty: TypeId, given: &Given) {
        let (size, align) = (self.types.size_of(ty).unwrap_or(0).max(1), self.types.align_of(ty));
        let line = match given {
            Given::Number(bits) if self.types.as_int(ty).is_some() => {
                format!("{} = {};", self.declare(ty, name), self.number(ty, *bits))
            }
            Given::Null => format!("void *{name};"),
            Given::Object { size, content } => {
                let object = format!("craig_object_{}", self.objects);
                self.objects += 1;
                let bytes = if content.is_empty() { "0".into() } else { Self::bytes(content) };
                let size = (*size).max(1);
                format!(
                    "static unsigned char {object}[{size}] __attribute__((aligned(16))) = {{ {bytes} }};\n\
                     void *{name} = {object};"
                )
            }
            Given::Number(_) | Given::Bytes(_) => {
                let bytes = match given {
                    Given::Bytes(bytes) if !bytes.is_empty() => Self::bytes(bytes),
                    Given::Number(bits) => Self::bytes(&bits.to_le_bytes()[..size.min(16) as usize]),
                    _ => "0".into(),
                };
                format!("unsigned char {name}[{size}] __attribute__((aligned({align}))) = {{ {bytes} }};")
            }
        };
        let _ = writeln!(self.out, "{line}\n");
    }

    /// `malloc` and its like, with the memory that the run had.
    pub fn allocator(&mut self, name: &str, given: &[Given]) {
        let size = "__SIZE_TYPE__";
        let (parameters, arguments, bytes) = match name {
            "calloc" => (format!("{size} count, {size} size"), "count, size", "count * size"),
            "realloc" => (format!("void *old, {size} size"), "old, size", "0"),
            "memalign" | "aligned_alloc" => (format!("{size} align, {size} size"), "align, size", "size"),
            _ => (format!("{size} size"), "size", "size"),
        };
        let _ = writeln!(self.out, "extern void *__real_{name}({parameters});\n");
        let _ = writeln!(self.out, "void *__wrap_{name}({parameters}) {{");
        let _ = writeln!(
            self.out,
            "    static unsigned long next;\n    const unsigned char *content = 0;\n    {size} length = 0;"
        );
        let _ = writeln!(self.out, "    switch (next++) {{");
        for (i, given) in given.iter().enumerate() {
            match given {
                Given::Null => {
                    let _ = writeln!(self.out, "    case {i}: return 0;");
                }
                Given::Object { content, .. } if !content.is_empty() => {
                    let (bytes, length) = (Self::bytes(content), content.len());
                    let _ = writeln!(
                        self.out,
                        "    case {i}: {{\n        static const unsigned char bytes[] = {{ {bytes} }};\n        \
                         content = bytes, length = {length};\n        break;\n    }}"
                    );
                }
                _ => {}
            }
        }
        let _ = writeln!(
            self.out,
            "    }}\n    unsigned char *object = __real_{name}({arguments});\n    \
             if (object)\n        for ({size} i = 0; i < {bytes}; i++) object[i] = i < length ? content[i] : 0;\n    \
             return object;\n}}\n"
        );
    }

    /// `main` calls the function where runs begin, with the arguments of the run.
    pub fn entry(&mut self, name: &str, ret: TypeId, arguments: &[(TypeId, Given)]) {
        let called = if name == "main" { "__real_main".into() } else { name.to_string() };
        let parameters: Vec<String> =
            arguments.iter().enumerate().map(|(i, (ty, _))| self.declare(*ty, &format!("a{i}"))).collect();
        let values: Vec<String> = arguments.iter().map(|(ty, given)| self.value(*ty, given)).collect();
        let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
        let is_int = self.types.as_int(ret).is_some();
        let result = if is_int { self.declare(ret, &called) } else { format!("void {called}") };
        let _ = writeln!(self.out, "extern {result}({parameters});\n");
        let call = format!("{called}({})", values.join(", "));
        let body = if is_int { format!("return {call};") } else { format!("{call};\n    return 0;") };
        let _ = writeln!(self.out, "int __wrap_main(void) {{\n    {body}\n}}\n");
    }
}

/// Numbers by commas, some in each line.
fn wrapped(numbers: &[String]) -> String {
    const IN_LINE: usize = 16;
    let lines: Vec<String> = numbers.chunks(IN_LINE).map(|line| line.join(", ")).collect();
    lines.join(",\n        ")
}
