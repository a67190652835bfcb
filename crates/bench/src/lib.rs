//! Benchmark sets and what is measured over them.
//!
//! Every task runs in a process of its own, so that a crash or a runaway task costs one line of the table and nothing else.
//!
//! | module | holds |
//! |---|---|
//! | [`task`] | sets of tasks as tab-separated files |
//! | [`process`] | one child process under limits: wall time, CPU time, memory, what it wrote |
//! | [`pool`] | many of them side by side, results as they come, with a progress bar |
//! | [`frontend`] | figures of the front end: which tasks become a program, what is not modelled, time and memory |
//! | [`generate`] | sets of random programs |
//! | [`sweep`] | `craig check` over sets of tasks: what is run, under which limits, what has a result already |
//! | [`record`] | one result: its verdict against the one on record, its points |
//! | [`results`] | the file of results, which a later run continues |
//! | [`summary`] | tables of one sweep |
//! | [`compare`] | two sweeps side by side |
//! | [`scatter`] | ... and a picture of their CPU times |
//! | [`programs`] | several sweeps side by side, program by program |
//! | [`figures`] | ... and a picture of their sizes, verdicts, refinements and times |
//! | [`variants`] | one set with several options, in one table |
//! | [`svg`] | what the pictures share |
//! | [`table`] | Markdown tables |

pub mod compare;
pub mod figures;
pub mod frontend;
pub mod generate;
pub mod pool;
pub mod process;
pub mod programs;
pub mod record;
pub mod results;
pub mod scatter;
pub mod summary;
pub mod svg;
pub mod sweep;
pub mod table;
pub mod task;
pub mod variants;

pub use process::{Ending, Finished, Limits};
pub use results::Results;
pub use task::{Set, Task};
