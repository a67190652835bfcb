//! The table of engines: the one list that the command line, the strategy, fuzzing, tests and the help read.
//!
//! To add an engine: a module with `Options` (declared with the argument parser, with a default) and `run`, a row here, and a
//! section in `docs/engines.md`.

use crate::options::Abstraction;
use crate::pushdown::Domain;
use crate::run::Control;
use crate::task::Task;
use crate::{bmc, ic3, impact, interp, predicate, pushdown, runs, slicing, spacer};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use craig_cfa::pass::PrepareOptions;
use craig_encode::Arith;
use craig_verdict::Outcome;
use std::collections::BTreeMap;

macro_rules! engines {
    ($($name:literal $variant:ident $module:ident $about:literal;)*) => {
        /// An engine with its options.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Engine {
            $(#[doc = $about] $variant($module::Options),)*
        }

        impl Engine {
            /// Names and what each does, in a few words.
            pub const NAMES: &'static [(&'static str, &'static str)] = &[$(($name, $about),)*];

            /// All engines with their default options.
            pub fn all() -> Vec<Engine> {
                vec![$(Engine::$variant($module::Options::default()),)*]
            }

            pub fn name(&self) -> &'static str {
                match self {
                    $(Engine::$variant(_) => $name,)*
                }
            }

            /// Asks the engine.
            pub fn run(&self, task: &Task, arith: Arith, control: &mut Control<'_>) -> Outcome {
                let outcome = match self {
                    $(Engine::$variant(options) => $module::run(task, arith, options, control),)*
                };
                outcome.unwrap_or_else(Outcome::Unknown)
            }

            /// The options that each engine declares.
            fn declared() -> Vec<(&'static str, Command)> {
                vec![$(($name, $module::Options::augment_args(Command::new($name))),)*]
            }

            /// All engines with the options that were given.
            fn given(matches: &ArgMatches) -> Result<Vec<Engine>, clap::Error> {
                Ok(vec![$(Engine::$variant($module::Options::from_arg_matches(matches)?),)*])
            }
        }
    };
}

impl Engine {
    /// The engines of our own that work on terms: programs may have any data. On bits wide integers and memory are out of reach; runs decide what they
    /// happen to; Spacer does not always tell how it comes to its answer.
    pub fn on_terms() -> Vec<Engine> {
        let foreign =
            |engine: &Engine| matches!(engine, Engine::Pushdown(_) | Engine::Runs(_) | Engine::Spacer(_));
        Engine::all().into_iter().filter(|engine| !foreign(engine)).collect()
    }

    /// Does it work on procedures as they are? For the others recursion is unfolded.
    pub fn takes_procedures(&self) -> bool {
        matches!(self, Engine::Pushdown(_) | Engine::Runs(_) | Engine::Spacer(_))
    }

    /// The passes that the engine wants of those that there are.
    pub fn passes(&self, options: &PrepareOptions) -> PrepareOptions {
        match self {
            Engine::Interp(own) if own.prune == interp::Prune::Off => {
                PrepareOptions { prune: false, ..options.clone() }
            }
            _ => options.clone(),
        }
    }
}

engines! {
    "bmc" Bmc bmc "Bounded model checking: unrolls loops, finds shallow errors, proves programs whose loops end soon";
    "predicate" Predicate predicate
        "Lazy predicate abstraction: finds loop invariants among predicates that interpolants suggest";
    "slicing" Slicing slicing
        "Slicing abstraction: splits the nodes of the control-flow graph with interpolants until no way to the error is left";
    "impact" Impact impact
        "Lazy abstraction with interpolants: labels an unwinding of the program with interpolants, computes no images";
    "ic3" Ic3 ic3
        "IC3 on the control-flow graph: excludes states that lead to the error, step by step, with lemmas that it generalises";
    "interp" Interp interp
        "Predicate abstraction that learns, besides predicates, from which states the error is out of reach and how it is reached";
    "runs" Runs runs
        "Runs with guessed values: errors that these meet, and proofs of programs that have one run and no loops";
    "spacer" Spacer spacer
        "Z3's engine for Horn clauses on the control-flow graph, for comparison";
    "pushdown" Pushdown pushdown
        "Abstraction refinement for pushdown systems: recursion by summaries, on terms or with decision diagrams all through";
}

/// `--engine` and the options of all engines, as the command line gives them.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The engine that was asked for; `None`: what fits the program.
    pub only: Option<Engine>,
    /// All engines with the options that were given.
    pub engines: Vec<Engine>,
}

impl Default for Selection {
    fn default() -> Self {
        Selection { only: None, engines: Engine::all() }
    }
}

impl Selection {
    /// The engine of this name, with the options that were given.
    pub fn engine(&self, name: &str) -> Option<&Engine> {
        self.engines.iter().find(|e| e.name() == name)
    }
}

const AUTO: &str = "auto";

/// Each option that some engine declares, once, with the names of the engines that have it.
fn options() -> Vec<(Arg, Vec<&'static str>)> {
    let mut found: Vec<(Arg, Vec<&'static str>)> = Vec::new();
    for (engine, command) in Engine::declared() {
        for arg in command.get_arguments() {
            match found.iter_mut().find(|(known, _)| known.get_id() == arg.get_id()) {
                Some((_, engines)) => engines.push(engine),
                None => found.push((arg.clone(), vec![engine])),
            }
        }
    }
    found
}

impl Args for Selection {
    fn augment_args(mut command: Command) -> Command {
        let value = |(name, about): (&'static str, &'static str)| PossibleValue::new(name).help(about);
        let names = [(AUTO, "What fits the program")].into_iter().chain(Engine::NAMES.iter().copied());
        let engine = Arg::new("engine").long("engine").value_name("ENGINE").default_value(AUTO);
        command = command.arg(
            engine.value_parser(PossibleValuesParser::new(names.map(value))).help("Method that decides"),
        );
        for (arg, engines) in options() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let help = format!("{help} ({})", engines.join(", "));
            command = command.arg(arg.help(help).help_heading("Engines"));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Selection {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engines = Engine::given(matches)?;
        let name = matches.get_one::<String>("engine").map_or(AUTO, String::as_str);
        let only = engines.iter().find(|e| e.name() == name).cloned();
        if only.is_some() {
            let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
            let of: BTreeMap<String, Vec<&str>> =
                options().into_iter().map(|(arg, engines)| (arg.get_id().to_string(), engines)).collect();
            if let Some((id, engines)) = of.iter().find(|(id, engines)| given(id) && !engines.contains(&name))
            {
                let option = id.replace('_', "-");
                let message =
                    format!("--{option} is no option of `{name}`; it belongs to: {}", engines.join(", "));
                return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
            }
        }
        let unfit = match &only {
            Some(Engine::Pushdown(options)) => options.abstraction == Abstraction::Cartesian,
            _ => {
                engines.iter().any(|e| matches!(e, Engine::Predicate(o) if o.abstraction == Abstraction::Off))
            }
        };
        if unfit {
            let message = "--abstraction off is for `pushdown`, cartesian for the others";
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
        }
        let backward = |e: &Engine| matches!(e, Engine::Pushdown(o) if o.search == pushdown::Direction::Pre && o.abstraction != Abstraction::Off);
        if engines.iter().any(backward) {
            let message = "--search pre needs --abstraction off (and --engine pushdown): abstractions are searched forwards";
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
        }
        if let Some(Engine::Pushdown(options)) = &only
            && let Some(message) = of_one_domain(matches, options.domain)
        {
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
        }
        Ok(Selection { only, engines })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Why options of `pushdown` do not go together: each belongs to one domain.
fn of_one_domain(matches: &ArgMatches, domain: Domain) -> Option<String> {
    let given = |domain: Domain| {
        let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        domain.options().iter().find(is_given).map(|id| id.replace('_', "-"))
    };
    match (domain, given(Domain::Bdd), given(Domain::Smt)) {
        (Domain::Smt, Some(of_bdd), _) => Some(format!("--{of_bdd} is for `--domain bdd`")),
        (Domain::Bdd, _, Some(of_smt)) => Some(format!("--{of_smt} is for `--domain smt`")),
        (Domain::Auto, Some(of_bdd), Some(of_smt)) => {
            Some(format!("--{of_bdd} is for `--domain bdd` of `pushdown`, --{of_smt} for `--domain smt`"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(args: &[&str]) -> Result<Selection, String> {
        let command = Selection::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(args).map_err(|e| e.to_string())?;
        Selection::from_arg_matches(&matches).map_err(|e| e.to_string())
    }

    #[test]
    fn every_engine_has_its_options() {
        assert_eq!(select(&[]).expect("fine").engines, Engine::all());
        for engine in Engine::all() {
            let found = select(&["--engine", engine.name()]).expect("fine");
            assert_eq!(found.only, Some(engine));
        }
        let found = select(&["--engine", "impact", "--blocks", "large", "--block-end", "7"]).expect("fine");
        let Some(Engine::Impact(options)) = found.only else { panic!("impact was asked for") };
        assert_eq!(options.refinement.blocks.kind(), craig_cfa::Blocks::Large);
    }

    #[test]
    fn options_of_another_engine_are_refused() {
        let message = select(&["--engine", "bmc", "--abstraction", "cartesian"]).expect_err("not of bmc");
        assert!(message.contains("predicate"), "{message}");
        assert!(select(&["--engine", "nobody"]).is_err());
        assert!(select(&["--abstraction", "cartesian"]).is_ok());
        assert!(select(&["--engine", "pushdown", "--abstraction", "cartesian"]).is_err());
        assert!(select(&["--engine", "pushdown", "--abstraction", "off"]).is_ok());
        assert!(select(&["--engine", "predicate", "--abstraction", "off"]).is_err());
        assert!(select(&["--abstraction", "off"]).is_err());
        assert!(select(&["--engine", "pushdown", "--abstraction", "off", "--search", "pre"]).is_ok());
        assert!(select(&["--engine", "pushdown", "--search", "post"]).is_ok());
        for domain in
            [["--domain", "smt", "--int-bits", "4"], ["--domain", "bdd", "--interpolation", "proof"]]
        {
            let message = select(&[&["--engine", "pushdown"][..], &domain].concat()).expect_err("not of it");
            assert!(message.contains("is for `--domain"), "{message}");
        }
        assert!(select(&["--engine", "pushdown", "--stop", "first", "--interpolation", "proof"]).is_err());
        assert!(select(&["--engine", "pushdown", "--domain", "smt", "--interpolation", "proof"]).is_ok());
        assert!(select(&["--engine", "pushdown", "--domain", "bdd", "--int-bits", "4"]).is_ok());
        for contradiction in [&["--engine", "pushdown", "--search", "pre"][..], &["--search", "pre"]] {
            let message = select(contradiction).expect_err("abstractions are searched forwards");
            assert!(message.contains("--abstraction off"), "{message}");
        }
    }
}
