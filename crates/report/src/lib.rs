//! Verdicts for people and for tools.
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | proofs and counterexamples as text |
//! | [`value`] | values as C writes them |
//! | [`json`] | the object that `--json` prints |

pub mod json;
pub mod text;
pub mod value;
