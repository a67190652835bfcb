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
//! | [`table`] | Markdown tables |

pub mod frontend;
pub mod pool;
pub mod process;
pub mod table;
pub mod task;

pub use process::{Ending, Finished, Limits};
pub use task::{Set, Task};
