//! First-order terms over Booleans, integers, reals, bit-vectors, arrays and uninterpreted functions.
//!
//! | module | holds |
//! |---|---|
//! | [`num`] | exact rationals, inline with a big fallback |
//! | [`sort`] | sorts |
//! | [`term`] | the store of hash-consed terms |
//! | `boolean`, `arith`, `bitvec`, `array` | the normalising constructors, all methods of [`Terms`] |
//! | [`linear`] | linear sums and linear literals |
//! | [`subst`] | substitution, free symbols |
//! | [`value`], [`eval`] | values, models, evaluation |
//! | [`implicant`] | literals of a model that imply a formula |
//! | [`mod@print`], [`print_c`] | terms as SMT-LIB and as C |
//! | [`read`] | SMT-LIB text to terms |

mod arith;
mod array;
pub mod bits;
mod bitvec;
mod boolean;
pub mod eval;
pub mod implicant;
pub mod linear;
pub mod num;
pub mod print;
pub mod print_c;
pub mod read;
pub mod sort;
pub mod subst;
pub mod term;
pub mod value;

pub use eval::Evaluator;
pub use linear::{Linear, LinearLiteral, Relation, kernel};
pub use num::Rat;
pub use read::{ReadError, Script};
pub use sort::Sort;
pub use subst::{Substituter, Substitution};
pub use term::{Args, FunId, Op, Signature, SymbolId, TermId, Terms};
pub use value::{ArrayValue, FunValue, Model, Value};
