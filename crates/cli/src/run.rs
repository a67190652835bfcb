//! `craig run`: execution with the interpreter.

use crate::args::{Run, Talk};
use crate::code::Code;
use crate::{diag, host, input};
use craig_base::{Budget, Diagnostic, Stop};
use craig_cfa::interp::{self, Config, Overflow, Random, RunEnd, Values, Zero};
use craig_cfa::{EdgeId, Op, Program};
use std::io::{self, BufWriter, IsTerminal, Write};

/// So many callers are named at the end of a run.
const CALLERS: usize = 10;

pub fn run(args: &Run, talk: Talk, budget: &Budget) -> Code {
    let loaded = input::reading(&args.input.reading, args.signed_wrap)
        .and_then(|reading| input::load(&args.input.file, &reading, budget));
    match loaded {
        Ok(loaded) => execute(&loaded.program, args, talk, budget),
        Err(code) => code,
    }
}

fn execute(program: &Program, args: &Run, talk: Talk, budget: &Budget) -> Code {
    let values = args.values.clone();
    let mut chooser = match args.seed {
        Some(seed) => Values::new(values, Random::new(seed)),
        None => Values::new(values, Zero),
    };
    let config = Config {
        overflow: if args.signed_wrap { Overflow::Wrap } else { Overflow::Undefined },
        steps: args.steps.unwrap_or(u64::MAX),
        budget: budget.clone(),
        ..Config::default()
    };
    let mut out = Out::new();
    let mut run = interp::run(program, &config, &mut chooser, &mut out);
    if let Err(e) = out.flush() {
        run.end = RunEnd::Output(e.to_string());
    }
    if out.reader_left {
        return Code::Unknown;
    }
    if talk >= Talk::Verbose {
        host::eprint(&format!("{} steps, {} calls deep at most", run.steps, run.max_depth));
    }
    if talk > Talk::Quiet && chooser.left() > 0 {
        host::eprint(&format!("note: {} of the values were not asked for", chooser.left()));
    }
    tell(program, &run, talk);
    code(&run.end)
}

fn code(end: &RunEnd) -> Code {
    match end {
        // An assumption that does not hold and `abort` end a run without error.
        RunEnd::Ended { .. } | RunEnd::Blocked | RunEnd::Aborted => Code::DONE,
        RunEnd::Error => Code::Unsafe,
        _ => Code::Unknown,
    }
}

/// How the run ended, on stderr.
fn tell(program: &Program, run: &interp::Run, talk: Talk) {
    let at = |d: Diagnostic| match &run.at {
        Some(at) => d.at(at.span),
        None => d,
    };
    let diagnostic = match &run.end {
        RunEnd::Ended { .. } | RunEnd::Blocked | RunEnd::Aborted => {
            if talk > Talk::Quiet {
                host::eprint(&run.end.to_string());
            }
            return;
        }
        RunEnd::Stopped(Stop::Cancelled) => {
            host::eprint("UNKNOWN (interrupted)");
            return;
        }
        RunEnd::Error => at(Diagnostic::error("the error was reached")),
        RunEnd::Undefined(kind, text) => {
            let mut diagnostic = at(Diagnostic::error(format!("undefined behaviour: {kind}")));
            if !text.is_empty() {
                diagnostic = diagnostic.label(text);
            }
            match kind {
                interp::Undefined::SignedOverflow => diagnostic.help("--signed-wrap lets it wrap around"),
                _ => diagnostic,
            }
        }
        RunEnd::Limit(limit) => at(Diagnostic::error(format!("{limit} reached after {} steps", run.steps))),
        other => at(Diagnostic::error(other.to_string())),
    };
    diag::print(&diagnostic, Some(&program.source));
    // The call of the entry itself comes from code that no user wrote.
    let written = |e: &&EdgeId| program.locs[program.edges[**e].from].proc != program.entry;
    let callers: Vec<&EdgeId> = run.stack.iter().filter(written).rev().collect();
    for &&edge in callers.iter().take(CALLERS) {
        let edge = &program.edges[edge];
        let name = match &edge.op {
            Op::Call(call) => &*program.procs[call.proc].name,
            _ => "?",
        };
        host::eprint(&format!("  {name} was called at {}", program.source.position(edge.span)));
    }
    if let Some(more) = callers.len().checked_sub(CALLERS).filter(|n| *n > 0) {
        host::eprint(&format!("  ... and {more} more calls"));
    }
}

/// Stdout for the program: by lines for a terminal, in large pieces otherwise. Remembers that its reader went away.
struct Out {
    inner: Box<dyn Write>,
    reader_left: bool,
}

impl Out {
    fn new() -> Self {
        let stdout = io::stdout();
        let inner: Box<dyn Write> = if stdout.is_terminal() {
            Box::new(stdout)
        } else {
            Box::new(BufWriter::with_capacity(1 << 16, stdout))
        };
        Out { inner, reader_left: false }
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.reader_left |= result.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.inner.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.inner.flush();
        self.note(result)
    }
}
