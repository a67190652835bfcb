//! Verdicts: what an engine says, and the proof that it is so.
//!
//! | module | holds |
//! |---|---|
//! | [`outcome`] | what an engine answers: a certificate, a counterexample, or the reason why neither |
//! | [`certificate`] | why a program is safe, as data |
//! | [`check`](mod@check) | the checker of certificates |
//! | [`expand`](mod@expand) | the source program with its calls expanded and its cycles cut, for the checker |
//! | [`exchange`] | witnesses as other tools write and read them |
//! | [`flat`] | the second checker: certificates checked again in flat memory |
//! | `induction` | what a proof has to show, asked segment by segment, for the checkers |
//! | [`modular`] | the checker of proofs that speak of procedures one by one |
//! | [`relations`] | the source program with contracts in place of recursive calls |
//! | [`frames`] | variables of many activations as memory, for that checker |
//! | [`separate`] | the source program with its procedures side by side, for that checker |
//! | `scalar` | the scalars inside of variables |
//! | `question` | a session that is told only what its questions need, for the checkers |
//! | [`segment`] | the loop-free pieces between cuts as formulas, for the checker |
//! | [`gate`] | the last gate: runs of the interpreter against a proof |
//! | [`judge`](mod@judge) | from an engine's answer to a verdict: checked or replayed |
//! | `tree` | JSON with places, for the readers of witnesses |
//! | [`witness`] | verdict and proof as a file |
//! | [`replay`](mod@replay) | a counterexample run by the interpreter on the source program |

pub mod assumed;
pub mod certificate;
pub mod check;
pub mod exchange;
pub mod expand;
pub mod flat;
pub mod frames;
pub mod gate;
mod induction;
pub mod judge;
pub mod modular;
pub mod outcome;
mod question;
pub mod relations;
pub mod replay;
mod scalar;
pub mod segment;
pub mod separate;
mod tree;
pub mod witness;

pub use certificate::{Certificate, Proof};
pub use check::{Checked, check};
pub use gate::{Contradicted, Contradiction};
pub use judge::{Verdict, judge, judge_in_flat_memory, judge_within, prove};
pub use outcome::{
    Counterexample, CutPoint, Finding, NoProgress, Outcome, Passage, Pick, Reason, Refusal, Touch,
};
pub use replay::{Violation, replay};
