//! Witnesses as other tools write and read them.
//!
//! | module | holds |
//! |---|---|
//! | [`yaml`] | the format 2.0 of SV-COMP as data, read and written |
//! | [`graphml`] | the format 1.0, written |
//! | [`claims`] | the formulas of a certificate as claims about places of the text |
//! | [`expression`] | terms as expressions of C that mean the same to a compiler |
//! | [`inputs`] | what a run got from functions, as claims about calls |
//!
//! Nothing that is read here is believed: it is told to the front end as notes on the text, and whoever decides about the program with these
//! notes decides about them (`craig_solve::exchange`).

pub mod claims;
pub mod expression;
pub mod graphml;
pub mod inputs;
pub mod yaml;
