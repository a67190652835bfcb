//! The options of the engine.

use crate::options::{Abstraction as Kind, Interpolation};
use clap::{Args, ValueEnum};
use craig_cfa::Lang;

/// What the rules of a system work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Domain {
    /// Diagrams for Remopla and where one of their options is given, terms for C and Boogie
    #[default]
    Auto,
    /// Bits, with decision diagrams all through: data of few bits
    Bdd,
    /// Integers of any width: rules are formulas, diagrams speak of predicates only
    Smt,
}

impl Domain {
    /// Options, by their ids, that only this domain has.
    pub(crate) fn options(self) -> &'static [&'static str] {
        match self {
            Domain::Auto => &[],
            Domain::Bdd => &[
                "interpolants",
                "abstraction",
                "search",
                "stop",
                "without",
                "int_bits",
                "reorder_at",
                "bdd_nodes",
            ],
            Domain::Smt => &["interpolation"],
        }
    }
}

/// Which interpolants become predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Interpolants {
    /// What excludes the rest of the way
    Weakest,
    /// What the way so far implies
    Strongest,
    /// Both of these
    Both,
    /// Weakest, without variables that the way so far says nothing of
    Conciliated,
    /// Strongest, without variables that do not matter for the rest of the way
    ConciliatedDown,
    /// Weakest, but a statement is taken for one that does nothing where that is enough
    Skip,
    /// Skip, then conciliated
    #[default]
    #[value(name = "skip+conciliated")]
    SkipConciliated,
}

impl Interpolants {
    pub fn all() -> &'static [Interpolants] {
        Interpolants::value_variants()
    }
}

/// What is done to be faster. Answers do not depend on it; what each is worth is measured by leaving it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Saving {
    /// Control points use the same bits for their predicates (7.1)
    Sharing,
    /// What the predicates of a point mean grows with each new one, instead of being built again (7.2)
    Growing,
    /// Bits of predicates come before those of values in the order of variables (7.3)
    Order,
    /// Only rules are abstracted again that have new predicates (8.3)
    Incremental,
    /// No new predicate where what is known implies it (8.3)
    Lazy,
    /// Variables that no assumption depends on are left out (8.4)
    Slicing,
    /// Counterexamples keep only abstract states from which they lead to the error, but for `both` (not in the paper)
    Pruning,
    /// Proofs of a search without abstraction say only what they need (not in the paper)
    Forgetting,
}

impl Saving {
    pub fn all() -> &'static [Saving] {
        Saving::value_variants()
    }
}

/// When a search ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Stopping {
    /// When everything has been searched
    #[default]
    Complete,
    /// As soon as the error is reached
    First,
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Direction {
    /// From where runs begin
    #[default]
    Post,
    /// From the error back, without abstraction only
    Pre,
}

#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Options {
    /// What values are
    #[arg(long, value_enum, value_name = "DOMAIN", default_value_t)]
    pub domain: Domain,

    /// With `--domain smt`: how calls that are no executions are explained
    #[arg(long, value_enum, value_name = "METHOD", default_value_t)]
    pub interpolation: Interpolation,

    /// With `--domain bdd`: which interpolants become predicates
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub interpolants: Interpolants,

    /// What abstract states are: conjunctions of predicates, all Boolean combinations, or the states of the program itself
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub abstraction: Kind,

    /// With `--domain bdd`: which way a search goes
    #[arg(long, value_enum, value_name = "DIRECTION", default_value_t)]
    pub search: Direction,

    /// With `--domain bdd`: when a search ends
    #[arg(long = "stop", value_enum, value_name = "WHEN", default_value_t)]
    pub stop: Stopping,

    /// With `--domain bdd`: savings to leave out, to see what they are worth
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub without: Vec<Saving>,

    /// With `--domain bdd`: bits of every integer at most; a proof then says nothing of wider ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub int_bits: Option<u16>,

    /// With `--domain bdd`: with so many nodes of decision diagrams another order of variables is looked for, and again with twice as many as are left then
    #[arg(long, value_name = "N", default_value_t = REORDER_AT)]
    pub reorder_at: usize,

    /// With `--domain bdd`: nodes of decision diagrams at most
    #[arg(long, value_name = "N", default_value_t = NODES)]
    pub bdd_nodes: usize,
}

/// Room for nodes. Each takes 16 bytes, which are only used when they are needed.
const NODES: usize = 1 << 25;
/// An order is found slowly (a second for each hundred thousand nodes): for what would find no room otherwise.
const REORDER_AT: usize = 1 << 22;
impl Default for Options {
    fn default() -> Self {
        Options {
            domain: Domain::default(),
            interpolation: Interpolation::default(),
            interpolants: Interpolants::default(),
            abstraction: Kind::default(),
            search: Direction::default(),
            stop: Stopping::default(),
            without: Vec::new(),
            int_bits: None,
            reorder_at: REORDER_AT,
            bdd_nodes: NODES,
        }
    }
}

impl Options {
    /// The domain for programs in a language.
    pub fn domain(&self, lang: Lang) -> Domain {
        match self.domain {
            Domain::Auto if lang == Lang::Remopla || self.is_for_diagrams() => Domain::Bdd,
            Domain::Auto => Domain::Smt,
            named => named,
        }
    }

    /// Was anything chosen that only diagrams have?
    fn is_for_diagrams(&self) -> bool {
        let Options { domain, interpolation, .. } = *self;
        // Conjunctions are for other engines that have this option.
        let abstraction =
            if self.abstraction == Kind::Cartesian { Kind::default() } else { self.abstraction };
        Options { abstraction, ..self.clone() } != Options { domain, interpolation, ..Options::default() }
    }

    pub fn has(&self, saving: Saving) -> bool {
        !self.without.contains(&saving)
    }

    /// With both interpolants the ways that do not lead on pay: the strongest formulas then hold for more of what comes later (bubble sort: 8 cycles instead of 9,
    /// quicksort 6 instead of 7, no program of chapter 6 more).
    pub fn prunes(&self) -> bool {
        self.has(Saving::Pruning) && self.interpolants != Interpolants::Both
    }
}
