//! The Z3 backend.
//!
//! | module | holds |
//! |---|---|
//! | `raw` | Z3's C interface behind safe functions; the only `unsafe` code |
//! | `translate` | our terms to Z3's, each once per context |
//! | `back` | Z3's terms and models to ours |
//! | `session` | the backend of a session |

pub mod back;
pub mod raw;
pub mod session;
pub mod translate;
