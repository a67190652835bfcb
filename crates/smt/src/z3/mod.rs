//! Z3.
//!
//! | module | holds |
//! |---|---|
//! | `raw` | Z3's C interface behind safe functions; the only `unsafe` code of this library |
//! | `translate` | our terms to Z3's, each once per context |
//! | `back` | Z3's terms and models to ours |
//! | `session` | the solver of a session |

pub mod back;
pub mod raw;
pub mod session;
pub mod translate;
