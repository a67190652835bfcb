//! Tests of the `craig` binary from outside.
//!
//! | module | looks at |
//! |---|---|
//! | [`bad_input`] | what is no program: message, exit code, no crash |
//! | [`cfa`] | `craig cfa` |
//! | [`run`] | `craig run` on the programs of `tests/programs` |
//! | [`support`] | what they share |

mod bad_input;
mod cfa;
mod run;
mod support;
