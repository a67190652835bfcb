//! Solving with Z3: sessions, interpolation, projection, enumeration.
//!
//! | module | holds |
//! |---|---|
//! | [`session`] | [`Smt`] and [`Session`]: assertions, assumptions, cores, models, budget |
//! | [`horn`] | constrained Horn clauses |
//! | [`interpolate`] | Craig interpolants of sequences and trees |
//! | [`project`] | elimination of symbols, exact and by a model |
//! | [`simplify`](mod@simplify) | formulas without literals that their context decides |
//! | [`allsat`] | all assignments of given predicates, as a BDD |
//! | [`clauses`] | formulas as few clauses |
//! | [`bdd`] | binary decision diagrams |
//! | `calls` | calls into the solver: watched, limited, counted |
//! | `watchdog` | ends calls whose budget has run out |
//! | `z3` | Z3's interface, terms and models |

pub mod allsat;
pub mod bdd;
mod calls;
pub mod clauses;
pub mod horn;
pub mod interpolate;
pub mod project;
pub mod session;
pub mod simplify;
mod watchdog;
mod z3;

pub use calls::{Purpose, SolverStats};
pub use session::{Session, Smt, SolverError, Status, Undecided};
pub use z3::raw::{end_process, keep_freed_memory};
