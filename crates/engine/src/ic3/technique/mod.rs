//! The techniques of generalisation: one file each, which begins with the definition.

pub mod context;
pub mod ctg;
pub mod global;
pub mod guaranteed;
pub mod init;
pub mod interpolate;
pub mod minimal;
pub mod pred_cubes;
pub mod relind_wep;
pub mod wep_split;

pub use super::techniques::Technique;
