//! From the program of a front end to the one an engine works on.

use super::inline::{DEFAULT_LIMIT, NotInlined, TooLarge, Unfolded, Unfolding};
use super::{Back, Passed, cone, fold, inline, prune};
use crate::program::{ProcId, Program};
use crate::verify::debug_verify;
use craig_base::{Budget, Stop};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareOptions {
    pub prune: bool,
    pub fold: bool,
    pub cone: bool,
    /// Operations allowed after inlining; `None`: calls stay as they are.
    pub inline_limit: Option<usize>,
    /// How far recursive calls are inlined; `None`: recursive procedures stay.
    pub unfolding: Option<Unfolding>,
}

impl PrepareOptions {
    /// Nothing goes but calls. Engines then know no more of pointers than the checker of certificates does.
    pub fn whole(&self) -> PrepareOptions {
        PrepareOptions { prune: false, fold: false, cone: false, ..self.clone() }
    }

    /// The same with recursion unfolded.
    pub fn unfolded(&self, unfolding: Unfolding) -> PrepareOptions {
        PrepareOptions { unfolding: Some(unfolding), ..self.clone() }
    }
}

impl Default for PrepareOptions {
    fn default() -> Self {
        PrepareOptions {
            prune: true,
            fold: true,
            cone: true,
            inline_limit: Some(DEFAULT_LIMIT),
            unfolding: None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Prepared {
    pub program: Program,
    /// Procedures that are still called after inlining, and why.
    pub kept_calls: Vec<ProcId>,
    /// What became of recursive calls.
    pub unfolded: Unfolded,
    /// Inlining was asked for and would have been too much; calls stayed as they were.
    pub too_large: Option<TooLarge>,
    pub back: Back,
}

/// Inlines, folds, prunes and slices, as asked. Pruning comes before slicing, so that assumptions which cannot lead to the
/// error keep nothing alive; what slicing leaves empty is folded away.
pub fn prepare(program: &Program, options: &PrepareOptions, budget: &Budget) -> Result<Prepared, Stop> {
    debug_verify(program, "the front end");
    let mut result = Prepared {
        program: program.clone(),
        kept_calls: Vec::new(),
        unfolded: Unfolded::default(),
        too_large: None,
        back: Back::default(),
    };
    if let Some(limit) = options.inline_limit {
        match inline(program, options.unfolding.as_ref(), limit, budget) {
            Ok(inlined) => {
                result.kept_calls = inlined.kept;
                result.unfolded = inlined.unfolded;
                result.step("inline", Passed { program: inlined.program, back: Back::default() });
            }
            Err(NotInlined::TooLarge(too_large)) => result.too_large = Some(too_large),
            Err(NotInlined::Stopped(stop)) => return Err(stop),
        }
    }
    if options.fold {
        result.fold(true, budget)?;
    }
    if options.prune {
        let pruned = prune(&result.program, budget)?;
        result.step("prune", pruned);
    }
    if options.cone {
        let sliced = cone(&result.program, budget)?;
        result.step("cone", sliced);
        if options.fold {
            result.fold(false, budget)?;
        }
    }
    Ok(result)
}

impl Prepared {
    fn step(&mut self, name: &str, passed: Passed) {
        debug_verify(&passed.program, name);
        self.program = passed.program;
        self.back.after(passed.back);
    }

    fn fold(&mut self, with_values: bool, budget: &Budget) -> Result<(), Stop> {
        let folded = fold(&self.program, with_values, budget)?;
        self.step("fold", folded);
        Ok(())
    }
}
