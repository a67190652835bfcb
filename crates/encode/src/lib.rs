//! Operations to terms.
//!
//! | module | holds |
//! |---|---|
//! | [`memory`] | where values live: points-to analysis, cells, regions, addresses |

pub mod memory;
