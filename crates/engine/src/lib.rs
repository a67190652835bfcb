//! The engines.
//!
//! | module | holds |
//! |---|---|
//! | [`table`] | the list of engines, with their options |
//! | [`task`] | what an engine is asked about: a program, made ready once |
//! | [`run`] | what an engine gets and gives beside that: budget, progress, counters |
//! | [`bmc`] | bounded model checking by unrolling the graph of blocks |
//! | [`predicate`] | lazy predicate abstraction with single, large and adjustable blocks |
//! | [`slicing`] | slicing abstraction: nodes of the graph of blocks split by path interpolants |
//! | [`impact`] | lazy abstraction with interpolants |
//! | [`ic3`] | IC3 on the graph of blocks |
//! | [`interp`] | reachability, safety and error interpolants with guided search |
//! | [`runs`] | runs with guessed values, and what the only run of a program tells |
//! | [`spacer`] | the graph of blocks, or procedures, as Horn clauses for Z3's engine |
//! | [`pushdown`] | abstraction refinement for pushdown systems, on decision diagrams |
//!
//! What several of them use:
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | options that several engines have |
//! | [`switches`] | sets of named switches |
//! | [`workbench`] | terms, solver, encoder and the formulas of blocks, for one thread |
//! | [`slots`] | the state as numbered slots |
//! | [`formulas`] | what blocks do, as formulas |
//! | [`facts`] | what engines that work on one task tell each other |
//! | [`arg`] | abstract reachability trees |
//! | [`weights`] | weights of blocks that guide a search |
//! | [`abstraction`] | successors of abstract states: Cartesian and Boolean predicate abstraction |
//! | [`lazy`] | lazy predicate abstraction: the tree of abstract states, refinement |
//! | [`precision`] | predicates, and which count where |
//! | [`live`] | where slots are live |
//! | [`path`] | paths of blocks as formulas |
//! | [`refine`] | paths: are they executions, and which part is not |
//! | [`explain`] | why a part of a path is infeasible |
//! | [`procedures`] | what procedures do between cuts, and proofs that speak of them one by one |
//! | [`relations`] | contracts in place of recursive calls, for engines that know no calls |
//! | [`discrete`] | variables that take few values |
//! | [`domains`] | where they have one of these |
//! | [`counterexample`] | from a model to an execution |
//! | [`candidates`] | a certificate of what the program asks for at its loop heads |
//! | [`certificate`] | formulas of an engine as a certificate of the source program |

pub mod abstraction;
pub mod arg;
pub mod bmc;
pub mod candidates;
pub mod certificate;
pub mod counterexample;
pub mod discrete;
pub mod domains;
pub mod explain;
pub mod facts;
pub mod formulas;
pub mod ic3;
pub mod impact;
pub mod interp;
pub mod lazy;
pub mod live;
pub mod options;
pub mod path;
pub mod precision;
pub mod predicate;
pub mod procedures;
pub mod pushdown;
pub mod refine;
pub mod relations;
pub mod run;
pub mod runs;
pub mod slicing;
pub mod slots;
pub mod spacer;
pub mod switches;
pub mod table;
pub mod task;
pub mod weights;
pub mod workbench;

pub use run::{Control, Observer, Progress, Silent, Stats};
pub use table::{Engine, Selection};
pub use task::Task;
