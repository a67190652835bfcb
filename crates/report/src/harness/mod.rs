//! A run as a C file that gives the program its inputs: compiled beside the program by gcc, it aborts at the error.
//!
//! The functions that have no body get one here, which returns what they returned in the run, in order; variables defined
//! elsewhere get their values, and `main` its arguments. What the compiler has to be told so that the program does what it did (width of pointers, signed overflow,
//! uninitialised variables, memory from `malloc`) is part of the command in the head of the file.
//!
//! The two files are compiled apart, so that nothing here needs the types of the program: what calling conventions tell apart
//! (width, float or not, members of structs) is known.
//!
//! | module | holds |
//! |---|---|
//! | `inputs` | what the run got from outside |
//! | `declare` | types and values as C |

mod declare;
mod inputs;

use craig_base::Budget;
use craig_cfa::{DataModel, Lang, Name, TypeId};
use craig_frontend::Property;
use craig_solve::{Answer, Reading};
use craig_verdict::Verdict;
use declare::Writer;
use inputs::{Function, Given, Inputs};
use std::fmt::Write;
use std::path::Path;

/// What the run prints when it comes to the error.
pub const REACHED: &str = "craig: the error is reached";

/// A C file, and what it is good for.
#[derive(Debug, Clone)]
pub struct Harness {
    pub text: String,
    /// What compiles it.
    pub command: String,
    /// What the run needs and the file does not give: it may do something else than the run that was found.
    pub missing: Vec<String>,
}

/// Why there is no harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHarness {
    /// The verdict is not UNSAFE.
    NotUnsafe,
    /// The program is not C.
    NotC,
    /// The run could not be followed again: a limit, or too many inputs.
    TooLong,
}

impl NoHarness {
    pub fn words(self) -> &'static str {
        match self {
            NoHarness::NotUnsafe => "there is no run that reaches the error",
            NoHarness::NotC => "a harness is for programs in C",
            NoHarness::TooLong => "the run is too long",
        }
    }
}

/// The harness for a program in `file`, to be written to `own`.
pub fn harness(answer: &Answer, file: &Path, own: &Path, budget: &Budget) -> Result<Harness, NoHarness> {
    let Verdict::Unsafe(violation, run) = &answer.verdict else { return Err(NoHarness::NotUnsafe) };
    let program = &*answer.source;
    if program.lang != Lang::C {
        return Err(NoHarness::NotC);
    }
    let inputs = Inputs::of(answer, violation, budget).ok_or(NoHarness::TooLong)?;
    let errors = Errors::of(&answer.reading.property, program.source.text());
    let mut missing = inputs.missing.clone();
    missing.extend(errors.missing.clone());
    let entry = Entry::of(answer, &inputs);
    let mut flags =
        flags(&answer.reading, &inputs, violation.wraps(&answer.source, answer.reading.signed_wrap));
    flags.extend(errors.flags.iter().map(|flag| (*flag).to_string()));
    let wrapped = wrapped(&inputs);
    let wraps = entry.iter().map(|_| "main").chain(wrapped.iter().copied());
    flags.extend(wraps.map(|name| format!("-Wl,--wrap={name}")));
    let shell = |path: &Path| quoted(&path.to_string_lossy());
    let command = format!("gcc {} {} {} -o harness", flags.join(" "), shell(file), shell(own));

    let mut out = String::new();
    let line = run.trace.steps.back().map(|step| program.source.line(program.edges[step.edge].span));
    head(&mut out, file, &answer.reading.property, line, &command, &missing);
    let mut writer = Writer::new(&program.types, wrapped.contains(&"malloc"));
    for (name, function) in &inputs.functions {
        writer.function(name, function);
    }
    for (var, given) in &inputs.variables {
        writer.variable(&program.vars[*var].name, program.vars[*var].ty, given);
    }
    for name in &wrapped {
        writer.allocator(name, &inputs.allocations[name]);
    }
    if let Some(entry) = entry {
        writer.entry(&entry.name, entry.ret, &inputs.arguments);
    }
    out.push_str(&writer.finish());
    errors.write(&mut out);
    Ok(Harness { text: out, command, missing })
}

/// As a word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn flags(reading: &Reading, inputs: &Inputs, wraps: bool) -> Vec<String> {
    let model = match reading.model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    // An `inline` function is there to be called, as in older C. What the run does not need may call what is defined nowhere: such sections go.
    let mut flags: Vec<String> =
        ["-w", "-std=gnu11", "-fgnu89-inline", "-O0", model, "-fno-builtin", "-fno-strict-aliasing"]
            .map(String::from)
            .into();
    flags.extend(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"].map(String::from));
    if wraps && reading.property != Property::NoOverflow {
        flags.push("-fwrapv".into());
    }
    if inputs.uninitialised {
        flags.push("-ftrivial-auto-var-init=zero".into());
    }
    flags.extend(reading.include_dirs.iter().map(|dir| quoted(&format!("-I{}", dir.display()))));
    flags.extend(reading.defines.iter().map(|define| quoted(&format!("-D{define}"))));
    flags
}

/// Allocators that have to do something of their own: one whose memory is not zero by itself, or that fails.
fn wrapped(inputs: &Inputs) -> Vec<&'static str> {
    let own = |(name, given): &(&&'static str, &Vec<Given>)| {
        let is_zero = matches!(**name, "calloc" | "realloc");
        !is_zero || given.contains(&Given::Null)
    };
    inputs.allocations.iter().filter(own).map(|(name, _)| *name).collect()
}

/// The function where runs begin, if it is not `main` or has parameters.
struct Entry {
    name: Name,
    ret: TypeId,
}

impl Entry {
    fn of(answer: &Answer, inputs: &Inputs) -> Option<Entry> {
        let name = answer.reading.entry.as_deref().unwrap_or("main");
        let program = &answer.source;
        let proc = &program.procs[program.proc_by_name(name)?];
        (name != "main" || !inputs.arguments.is_empty()).then(|| Entry { name: name.into(), ret: proc.ret })
    }
}

fn head(
    out: &mut String,
    file: &Path,
    property: &Property,
    line: Option<u32>,
    command: &str,
    missing: &[String],
) {
    let at = line.map(|line| format!(", line {line}")).unwrap_or_default();
    // Nothing may end the comment.
    let safe = |text: &str| text.replace("*/", "* /");
    let _ = writeln!(
        out,
        "/* Inputs for a run of {} that reaches its error ({property}{at}).",
        safe(&file.to_string_lossy())
    );
    let _ = writeln!(
        out,
        "   Written by craig {}. Compile it beside the program and run both:\n",
        env!("CARGO_PKG_VERSION")
    );
    let _ = writeln!(out, "     {} && ./harness\n", safe(command));
    let _ = writeln!(out, "   The run prints \"{REACHED}\" and aborts.");
    if !missing.is_empty() {
        let _ = writeln!(out, "   It may not come there, since these cannot be given from outside:");
        missing.iter().for_each(|what| {
            let _ = writeln!(out, "     - {}", safe(what));
        });
    }
    let _ = writeln!(out, "*/\n");
    let _ = writeln!(out, "extern int dprintf(int, const char *, ...);");
    let _ = writeln!(out, "extern void abort(void);");
    let _ = writeln!(out, "extern void _exit(int);\n");
    let _ = writeln!(
        out,
        "static void craig_reached(void) {{\n    dprintf(2, \"{REACHED}\\n\");\n    abort();\n}}\n"
    );
    let _ = writeln!(
        out,
        "static void craig_lost(const char *what) {{\n    dprintf(2, \"craig: another run than the one that was found: %s\\n\", what);\n    _exit(3);\n}}\n"
    );
}

/// How the error shows itself.
struct Errors {
    /// Functions whose call is the error.
    functions: Vec<String>,
    /// Those that the program defines itself: they are caught where they are entered.
    defined: Vec<String>,
    overflow: bool,
    flags: Vec<&'static str>,
    missing: Vec<String>,
}

impl Errors {
    fn of(property: &Property, text: &str) -> Errors {
        let mut errors = Errors {
            functions: Vec::new(),
            defined: Vec::new(),
            overflow: false,
            flags: Vec::new(),
            missing: Vec::new(),
        };
        match property {
            Property::Label(label) => {
                errors.missing.push(format!("a sign that the label {label} was reached"));
            }
            Property::NoOverflow => {
                errors.overflow = true;
                errors
                    .flags
                    .extend(["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]);
            }
            Property::Default | Property::Call(_) => errors.functions = property.error_functions(),
        }
        let is_defined = |name: &&String| !matches!(&***name, "assert" | "__assert") && defines(text, name);
        errors.defined = errors.functions.iter().filter(is_defined).cloned().collect();
        if !errors.defined.is_empty() {
            errors.flags.push("-finstrument-functions");
        }
        errors
    }

    /// Weak ones: what the program defines itself wins.
    fn write(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "/* The error, and what SV-COMP knows besides. A definition in the program wins. */"
        );
        for name in &self.functions {
            let (parameter, guard) = match &**name {
                "assert" => ("int holds", "if (!holds) "),
                _ => ("", ""),
            };
            let _ =
                writeln!(out, "__attribute__((weak)) void {name}({parameter}) {{ {guard}craig_reached(); }}");
        }
        for name in ["__VERIFIER_assume", "__CPROVER_assume"] {
            let _ = writeln!(
                out,
                "__attribute__((weak)) void {name}(int holds) {{ if (!holds) craig_lost(\"an assumption does not hold\"); }}"
            );
        }
        for name in ["__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"] {
            let _ = writeln!(out, "__attribute__((weak)) void {name}(void) {{}}");
        }
        if !self.defined.is_empty() {
            let is_one = |name: &String| format!("function == (void *){name}");
            let any = self.defined.iter().map(is_one).collect::<Vec<String>>().join(" || ");
            let _ = writeln!(
                out,
                "\n/* Every function tells that it is entered. */\n\
                 __attribute__((no_instrument_function))\n\
                 void __cyg_profile_func_enter(void *function, void *caller) {{\n    \
                 if ({any}) craig_reached();\n}}\n\n\
                 __attribute__((no_instrument_function))\n\
                 void __cyg_profile_func_exit(void *function, void *caller) {{}}"
            );
        }
        if self.overflow {
            let _ = writeln!(
                out,
                "\n/* An overflow is an illegal instruction (signal 4). */\n\
                 extern void (*signal(int, void (*)(int)))(int);\n\n\
                 static void craig_overflow(int number) {{ craig_reached(); }}\n\n\
                 __attribute__((constructor)) static void craig_start(void) {{ signal(4, craig_overflow); }}"
            );
        }
    }
}

/// Does the text define the function? `name (...) {`, wherever it stands.
fn defines(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        if text[..at].ends_with(word) {
            return false;
        }
        let Some(rest) = text[at + name.len()..].trim_start().strip_prefix('(') else { return false };
        let mut depth = 1;
        let end = rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        end.is_some_and(|(end, _)| rest[end + 1..].trim_start().starts_with('{'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_call() {
        assert!(defines("void reach_error(void) { }", "reach_error"));
        assert!(defines("void reach_error ( int (*f)(int) )\n{", "reach_error"));
        assert!(!defines("void reach_error(void); int main() { reach_error(); }", "reach_error"));
        assert!(!defines("void do_reach_error(void) { }", "reach_error"));
        assert!(!defines("if (x) reach_error(); {", "reach_error"));
    }

    #[test]
    fn words_of_a_shell() {
        assert_eq!(quoted("a/b.c"), "a/b.c");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
