//! What an engine answers.

use crate::certificate::{AddressFault, Certificate, Object, Placed};
use crate::gate::Contradiction;
use craig_base::{Span, Stop};
use craig_cfa::defined::Rule;
use craig_cfa::interp::{RunEnd, Value};
use craig_cfa::pass::Guard;
use craig_cfa::{EdgeId, Name};
use craig_encode::Arith;
use craig_smt::Undecided;
use craig_smt::bdd::OutOfNodes;
use craig_smt::interpolate::NoInterpolant;

#[derive(Debug)]
pub enum Outcome {
    Safe(Certificate),
    Unsafe(Counterexample),
    Unknown(Reason),
}

/// An execution that reaches the error, as edges of the source program.
#[derive(Debug, Clone)]
pub struct Counterexample {
    pub arith: Arith,
    /// Where objects lie, if the program looks at that.
    pub places: Vec<Placed>,
    pub steps: Vec<Passage>,
}

/// An edge that an execution goes over.
#[derive(Debug, Clone)]
pub struct Passage {
    pub edge: EdgeId,
    pub picks: Vec<Pick>,
    /// What it touches of what the environment gives.
    pub outside: Vec<Touch>,
    /// What it reads of memory, by addresses.
    pub reads: Vec<(u64, Vec<u8>)>,
    /// Where it makes something whose content is what is read there first.
    pub opened: Vec<u64>,
}

impl Passage {
    /// One that is told by what it chooses.
    pub fn choosing(edge: EdgeId, picks: Vec<Pick>) -> Passage {
        Passage { edge, picks, outside: Vec::new(), reads: Vec::new(), opened: Vec::new() }
    }
}

/// An access to an object of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// Where the object lies.
    pub address: u64,
    pub size: u64,
    /// What was found in it at an address.
    pub held: Option<(u64, Vec<u8>)>,
}

/// A value that an execution chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// Byte offset in the chosen object, and bit for bit-fields.
    pub offset: u64,
    pub bit: u8,
    /// Bytes for the content of fresh memory.
    pub value: Value,
}

/// Why there is no verdict. Texts are made where they are shown, in `report`.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    Stopped(Stop),
    /// A path needs an operation that is not modelled.
    Unsupported {
        what: Name,
        span: Span,
    },
    /// A procedure is called that is not inlined, or not as deep as runs call it.
    Recursion {
        procedure: Name,
        /// Calls that runs make beyond what was looked at: the calls inside which each is, and itself.
        deeper: Vec<Vec<EdgeId>>,
    },
    /// What is known of calls of this recursive procedure is not enough, and nothing more is known.
    Contract(Name),
    /// More operations after inlining than allowed.
    InlineLimit {
        operations: u64,
        limit: usize,
    },
    /// Nothing was found that rules out a path which is no execution.
    Refinement(NoProgress),
    /// The solver has no answer.
    Solver(Undecided),
    /// The decision diagrams are full.
    BddNodes(OutOfNodes),
    /// An abstract state has more assignments than are enumerated.
    Assignments {
        limit: usize,
    },
    /// A disjunctive normal form has more cubes than are made.
    NormalForm {
        limit: usize,
    },
    /// The counterexample of the engine is not an execution of the program; what the interpreter met instead.
    NotReplayed(Finding),
    /// The certificate does not prove the program safe.
    Certificate(Refusal),
    /// A proof in integer arithmetic leans on memory that is accessed in more than one way, of which the checker knows nothing there.
    UnknownMemory,
    /// A run of the program is at odds with a certificate that the checker accepted.
    Contradiction(Box<Contradiction>),
    /// The certificate proves the program safe with memory in cells, but not in flat memory: the formula at the one cut does not follow
    /// from that at the other.
    FlatMemory {
        from: CutPoint,
        to: CutPoint,
    },
    /// There is no error while no integer has more than so many bits; the program's own have more.
    Narrowed {
        bits: u16,
    },
    /// There is a proof, but it assumes so many things, and nothing was to be assumed.
    Assumes(usize),
    /// A bug of ours.
    Internal(String),
}

/// What stopped a refinement.
#[derive(Debug, Clone, PartialEq)]
pub enum NoProgress {
    /// All that was found was known before.
    NothingNew,
    NoInterpolant(NoInterpolant),
}

/// How a run of the interpreter ended, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub end: RunEnd,
    /// The edge of the source program that the run was at.
    pub edge: Option<EdgeId>,
    pub span: Option<Span>,
}

/// Why the checker refuses a certificate.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// A symbol that is not a part of the program's state.
    Symbol(String),
    /// A symbol that stands for two things.
    Twice(String),
    /// A symbol whose sort is this one, not the one that the certificate says.
    Sort { symbol: String, sort: String },
    /// An object cannot lie there.
    Address { object: Object, address: u64, fault: AddressFault },
    /// A formula for a location that the program does not have.
    Location { line: u32 },
    /// An edge that the program does not have.
    Edge { edge: u32 },
    /// A summary of a procedure that the program does not have.
    Procedure { procedure: u32 },
    /// A symbol that the formula of this line may not speak of: of another procedure, or of another moment.
    Scope { symbol: String, line: u32 },
    /// A formula that cannot be read.
    Formula { line: u32, message: String },
    /// The formula at the one cut does not follow from that at the other.
    NotImplied { from: CutPoint, to: CutPoint },
    /// Unwinding the loops leads to the error.
    ReachesError,
    /// The solver has no answer.
    Undecided(Undecided),
}

/// Where a program is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutPoint {
    Start,
    Line(u32),
    /// Where a procedure is entered: what it needs.
    Entry(Name),
    /// Where it returns: its summary.
    Return(Name),
    Error,
}

impl Reason {
    pub fn recursion(procedure: Name) -> Reason {
        Reason::Recursion { procedure, deeper: Vec::new() }
    }

    /// A name that stays, for tools.
    pub fn key(&self) -> &'static str {
        match self {
            Reason::Stopped(Stop::Time) => "time-limit",
            Reason::Stopped(Stop::Cpu) => "cpu-limit",
            Reason::Stopped(Stop::Memory) => "memory-limit",
            Reason::Stopped(Stop::Work) => "work-limit",
            Reason::Stopped(Stop::Cancelled) => "interrupted",
            Reason::Unsupported { .. } => "unsupported",
            Reason::Recursion { .. } => "recursion",
            Reason::Contract(_) => "contract",
            Reason::InlineLimit { .. } => "inline-limit",
            Reason::Refinement(_) => "refinement",
            Reason::Solver(_) => "solver",
            Reason::BddNodes(_) => "bdd-nodes",
            Reason::Assignments { .. } => "assignments",
            Reason::NormalForm { .. } => "dnf",
            Reason::NotReplayed(_) => "not-replayed",
            Reason::Certificate(_) => "certificate",
            Reason::UnknownMemory => "unknown-memory",
            Reason::Contradiction(_) => "contradiction",
            Reason::FlatMemory { .. } => "flat-memory",
            Reason::Narrowed { .. } => "narrowed",
            Reason::Assumes(_) => "assumptions",
            Reason::Internal(_) => "internal",
        }
    }

    /// Where in the source it has its cause, if at one place.
    pub fn span(&self) -> Option<Span> {
        let span = match self {
            Reason::Unsupported { span, .. } => Some(*span),
            Reason::NotReplayed(finding) => finding.span,
            Reason::Contradiction(found) => found.span,
            _ => None,
        };
        span.filter(|span| span.end > span.start)
    }
}

impl Finding {
    /// What the operation was to keep that the run did not get beyond, if it met undefined behaviour that there is a rule of.
    pub fn broken(&self) -> Option<Guard> {
        match self.end {
            RunEnd::Undefined(kind, _) => Some(Guard { edge: self.edge?, rule: Rule::broken(kind)? }),
            _ => None,
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        Reason::Stopped(stop)
    }
}

impl From<Undecided> for Reason {
    fn from(undecided: Undecided) -> Reason {
        match undecided {
            Undecided::Stopped(stop) => Reason::Stopped(stop),
            other => Reason::Solver(other),
        }
    }
}

impl From<OutOfNodes> for Reason {
    fn from(full: OutOfNodes) -> Reason {
        Reason::BddNodes(full)
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Reason {
        match refusal {
            Refusal::Undecided(Undecided::Stopped(stop)) => Reason::Stopped(stop),
            other => Reason::Certificate(other),
        }
    }
}
