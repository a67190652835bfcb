//! The engines.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | what engines get and give: options, progress, statistics |
//! | [`bmc`] | bounded model checking by unrolling the summarised automaton |

pub mod bmc;
pub mod run;

pub use run::{Observer, Progress, RunOptions, Stats};
