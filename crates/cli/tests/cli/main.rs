//! Tests of the `craig` binary from outside.
//!
//! | module | looks at |
//! |---|---|
//! | [`bad_input`] | what is no program: message, exit code, no crash |
//! | [`bench`] | `craig bench` |
//! | [`cfa`] | `craig cfa` |
//! | [`check`] | `craig check` and its witnesses |
//! | [`ci`] | SARIF, JUnit, problem lines and the table of several programs |
//! | [`exchange`] | witnesses in the format of SV-COMP |
//! | [`harness`] | `craig check --harness`, with gcc |
//! | [`install`] | `scripts/install` |
//! | [`readme`] | the examples of README.md |
//! | [`remopla`] | programs in Remopla |
//! | [`run`] | `craig run` on the programs of `tests/programs` |
//! | [`support`] | what they share |
//! | [`teach`] | what the program says of itself, and pages |

mod bad_input;
mod bench;
mod cfa;
mod check;
mod ci;
mod exchange;
#[cfg(target_os = "linux")]
mod harness;
#[cfg(target_os = "linux")]
mod install;
mod readme;
mod remopla;
mod run;
mod support;
mod teach;
