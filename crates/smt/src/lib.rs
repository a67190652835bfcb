//! Solving: sessions, interpolation, projection, enumeration.
//!
//! | module | holds |
//! |---|---|
//! | [`session`] | [`Smt`] and [`Session`]: assertions, assumptions, cores, models, budget |
//! | [`interpolate`] | Craig interpolants of sequences and trees |
//! | [`project`] | elimination of symbols, exact and by a model |
//! | [`simplify`](mod@simplify) | formulas without literals that their context decides |
//! | [`allsat`] | all assignments of given predicates, as a BDD |
//! | [`bdd`] | binary decision diagrams |
//! | `backend` | what a solver must do to stand behind a session |
//! | `z3` | the one backend there is |
//! | `watchdog` | ends calls whose budget has run out |

pub mod allsat;
mod backend;
pub mod bdd;
pub mod interpolate;
pub mod project;
pub mod session;
pub mod simplify;
mod watchdog;
mod z3;

pub use session::{Answer, Reason, Session, Smt, SolverError, Stats};
