//! What holds of a program at its locations, found without a solver.
//!
//! | module | holds |
//! |---|---|
//! | [`values`] | the values that variables may have at each location |
//! | [`facts`] | those of them that a result about the program leans on |
//! | [`table`] | tables of variables whose copies share what is the same |

pub mod facts;
pub mod matters;
pub mod table;
pub mod values;

pub use facts::{Fact, Facts};
pub use values::{Set, Values};
