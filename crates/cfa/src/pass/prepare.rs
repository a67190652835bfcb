//! From the program of a front end to the one an engine works on.

use super::inline::{DEFAULT_LIMIT, Kept, TooLarge};
use super::{cone, fold, inline, prune, summarise};
use crate::program::{ProcId, Program, VarId};
use crate::verify::debug_verify;
use rustc_hash::FxHashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blocks {
    /// One operation an edge.
    Single,
    /// Large blocks, document 003.
    #[default]
    Large,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareOptions {
    pub prune: bool,
    pub fold: bool,
    pub cone: bool,
    /// Operations allowed after inlining; `None`: calls stay as they are.
    pub inline_limit: Option<usize>,
    pub blocks: Blocks,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        PrepareOptions {
            prune: true,
            fold: true,
            cone: true,
            inline_limit: Some(DEFAULT_LIMIT),
            blocks: Blocks::Large,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Prepared {
    pub program: Program,
    /// Procedures that are still called after inlining, and why.
    pub kept_calls: Vec<(ProcId, Kept)>,
    /// Inlining was asked for and would have been too much; calls stayed as they were.
    pub too_large: Option<TooLarge>,
    /// Facts about globals of the source program that folding used: each holds these bits wherever it is read. Invariants of the
    /// prepared program hold of the source program together with them.
    pub constants: Vec<(VarId, u128)>,
}

/// Inlines, folds, prunes, slices and summarises, as asked. Pruning comes before slicing, so that assumptions which cannot lead to the
/// error keep nothing alive; what slicing leaves empty is folded away.
pub fn prepare(program: &Program, options: &PrepareOptions) -> Prepared {
    debug_verify(program, "the front end");
    let mut result =
        Prepared { program: program.clone(), kept_calls: Vec::new(), too_large: None, constants: Vec::new() };
    if let Some(limit) = options.inline_limit {
        match inline(program, limit) {
            Ok(inlined) => {
                result.kept_calls = inlined.kept;
                result.step("inline", |_| inlined.program);
            }
            Err(too_large) => result.too_large = Some(too_large),
        }
    }
    if options.fold {
        result.fold(None);
    }
    let constants = (options.fold && options.cone).then(|| fold::constants(&result.program));
    if options.prune {
        result.step("prune", prune);
    }
    if options.cone {
        result.step("cone", cone);
        if constants.is_some() {
            result.fold(constants.as_ref());
        }
    }
    if options.blocks == Blocks::Large {
        result.step("summarise", summarise);
    }
    result
}

impl Prepared {
    fn step(&mut self, name: &str, pass: impl FnOnce(&Program) -> Program) {
        self.program = pass(&self.program);
        debug_verify(&self.program, name);
    }

    fn fold(&mut self, among: Option<&FxHashSet<VarId>>) {
        let folded = fold(&self.program, among);
        self.step("fold", |_| folded.program);
        self.constants.extend(folded.constants);
    }
}
