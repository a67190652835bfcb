//! Random initialisers of random aggregates: designators, left-out and superfluous braces, too many and too few values. Every
//! scalar of the object must have the value that it has under gcc, in static and in automatic objects.

use crate::support::{MODELS, Rng, gcc_checks, gcc_runs, interpret, load, setting};
use craig_cfa::interp::RunEnd;
use std::fmt::Write;

enum Type {
    Scalar(&'static str),
    Array(Box<Type>, usize),
    /// Struct or union; a member without a name is an anonymous record.
    Record(&'static str, Vec<(String, Type)>),
}

struct Maker<'a> {
    rng: &'a mut Rng,
    names: usize,
    value: usize,
}

impl Maker<'_> {
    fn ty(&mut self, depth: usize) -> Type {
        match self.rng.below(if depth == 0 { 1 } else { 4 }) {
            0 => {
                Type::Scalar(self.rng.pick(&["int", "char", "short", "long long", "signed char", "unsigned"]))
            }
            1 => Type::Array(Box::new(self.ty(depth - 1)), self.rng.below(3) + 1),
            _ => self.record(depth),
        }
    }

    fn record(&mut self, depth: usize) -> Type {
        let kind = self.rng.pick(&["struct", "struct", "struct", "union"]);
        let count = self.rng.below(3) + 1;
        let mut members = Vec::new();
        for _ in 0..count {
            if depth > 1 && self.rng.one_in(6) {
                members.push((String::new(), self.record(depth - 1)));
                continue;
            }
            self.names += 1;
            members.push((format!("m{}", self.names), self.ty(depth - 1)));
        }
        Type::Record(kind, members)
    }

    fn scalar(&mut self) -> String {
        self.value += 1;
        format!("{}", self.value % 100 + 1)
    }

    /// A list for an object of the type; without one, a list that names no members.
    fn list(&mut self, ty: Option<&Type>, depth: usize) -> String {
        let items: Vec<String> = (0..self.rng.below(5) + 1)
            .map(|_| match (self.rng.below(6), ty) {
                (0 | 1, Some(ty)) if !matches!(ty, Type::Scalar(_)) => {
                    let (path, to) = self.designators(ty);
                    let value = match to {
                        Type::Scalar(_) => self.scalar(),
                        to if depth > 0 && self.rng.one_in(2) => self.list(Some(to), depth - 1),
                        _ => self.scalar(),
                    };
                    format!("{path} = {value}")
                }
                (2, _) if depth > 0 => self.list(None, depth - 1),
                _ => self.scalar(),
            })
            .collect();
        format!("{{ {} }}", items.join(", "))
    }

    /// A random way into the type.
    fn designators<'t>(&mut self, mut ty: &'t Type) -> (String, &'t Type) {
        let mut path = String::new();
        loop {
            match ty {
                Type::Scalar(_) => return (path, ty),
                Type::Array(elem, len) => {
                    let from = self.rng.below(*len);
                    let to = from + self.rng.below(len - from);
                    if self.rng.one_in(4) {
                        write!(path, "[{from} ... {to}]").unwrap();
                    } else {
                        write!(path, "[{from}]").unwrap();
                    }
                    ty = elem;
                }
                Type::Record(_, members) => {
                    let (name, member) = &members[self.rng.below(members.len())];
                    ty = member;
                    if name.is_empty() {
                        continue;
                    }
                    write!(path, ".{name}").unwrap();
                }
            }
            if self.rng.one_in(3) {
                return (path, ty);
            }
        }
    }
}

/// A declaration of the name with this type.
fn declaration(ty: &Type, name: &str) -> String {
    match ty {
        Type::Scalar(scalar) => format!("{scalar} {name}"),
        Type::Array(elem, len) => declaration(elem, &format!("{name}[{len}]")),
        Type::Record(kind, members) => {
            let members: Vec<String> = members.iter().map(|(n, t)| declaration(t, n) + ";").collect();
            format!("{kind} {{ {} }} {name}", members.join(" "))
        }
    }
}

/// The scalars of an object.
fn scalars(ty: &Type, path: &str, found: &mut Vec<String>) {
    match ty {
        Type::Scalar(_) => found.push(path.to_string()),
        Type::Array(elem, len) => (0..*len).for_each(|i| scalars(elem, &format!("{path}[{i}]"), found)),
        Type::Record(_, members) => {
            for (name, member) in members {
                let dot = if name.is_empty() { "" } else { "." };
                scalars(member, &format!("{path}{dot}{name}"), found);
            }
        }
    }
}

/// One function: a static and an automatic object with the same initialiser, both printed. In one line, so that errors tell it.
fn function(i: usize, maker: &mut Maker) -> String {
    let mut ty = maker.ty(3);
    if matches!(ty, Type::Scalar(_)) {
        ty = maker.record(3);
    }
    let list = maker.list(Some(&ty), 2);
    let mut found = Vec::new();
    scalars(&ty, "x", &mut found);
    let show: String = found.iter().map(|s| format!("printf(\"%lld \", (long long){s}); ")).collect();
    let x = declaration(&ty, "x");
    // The bytes that a member of a union leaves are padding, and anything in an automatic object.
    let automatic = if x.contains("union") { String::new() } else { format!("{{ {x} = {list}; {show} }}") };
    format!("void f{i}(void) {{ {{ static {x} = {list}; {show} }} {automatic} printf(\"({i})\\n\"); }}")
}

#[test]
fn random_initialisers() {
    let first = setting("CRAIG_TEST_SEED", 1);
    for seed in first..first + setting("CRAIG_TEST_ROUNDS", 3) {
        let mut rng = Rng::new(seed);
        let mut maker = Maker { rng: &mut rng, names: 0, value: 0 };
        let mut functions: Vec<(usize, String)> = (0..100).map(|i| (i, function(i, &mut maker))).collect();
        let prelude = "int printf(const char *, ...);";
        let text = |functions: &[(usize, String)]| {
            let lines: String = functions.iter().map(|(_, f)| format!("{f}\n")).collect();
            let calls: String = functions.iter().map(|(i, _)| format!("f{i}(); ")).collect();
            format!("{prelude}\n{lines}int main(void) {{ {calls}return 0; }}\n")
        };
        // gcc refuses braces where there is no object any more; we do not mind.
        let errors = gcc_checks(&text(&functions), MODELS[1]).err().unwrap_or_default();
        let wrong: Vec<usize> = errors
            .lines()
            .filter(|l| l.contains("error:"))
            .filter_map(|l| l.split("test.c:").nth(1)?.split(':').next()?.parse().ok())
            .collect();
        functions.retain(|(i, _)| !wrong.contains(&(i + 2)));
        assert!(functions.len() > 30, "seed {seed}: only {} initialisers are C", functions.len());
        for model in MODELS {
            let Some(theirs) = gcc_runs(&text(&functions), model) else { continue };
            let (ours, outcome) = interpret(&load(&text(&functions), model));
            assert_eq!(outcome, RunEnd::Ended { status: Some(0) }, "seed {seed} {model:?}");
            for ((a, b), (_, function)) in ours.lines().zip(theirs.lines()).zip(&functions) {
                assert_eq!(a, b, "seed {seed} {model:?}\n{function}");
            }
            assert_eq!(ours, theirs, "seed {seed} {model:?}");
        }
        eprintln!("seed {seed}: {} initialisers", functions.len());
    }
}
