//! The engines.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | what engines get and give: options, progress, statistics |
//! | [`certificate`] | formulas of an engine as a certificate of the source program |
//! | [`bmc`] | bounded model checking by unrolling the summarised automaton |

pub mod bmc;
pub mod certificate;
pub mod run;

pub use run::{Observer, Progress, RunOptions, Stats};
