//! What goes beyond the document, each with a switch.

use crate::switches::{Switch, Switches};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extra {
    /// S is learnt wherever the search turns back, not only from paths to the error (LAZY).
    Annotate,
    /// Regions of S are weakest preconditions where these speak of nothing but the state (TRACER).
    Weakest,
    /// A path is explained by its shortest infeasible prefix where that is shorter than what contradicts itself at its end.
    Prefixes,
    /// All paths to the error that are no longer than the one at hand are explained at once (UFO).
    Dag,
    /// Equations that runs have in common are candidates for S (DATA).
    Relations,
}

impl Switch for Extra {
    const ALL: &'static [Extra] =
        &[Extra::Annotate, Extra::Weakest, Extra::Prefixes, Extra::Dag, Extra::Relations];

    fn name(self) -> &'static str {
        match self {
            Extra::Annotate => "annotate",
            Extra::Weakest => "weakest",
            Extra::Prefixes => "prefixes",
            Extra::Dag => "dag",
            Extra::Relations => "relations",
        }
    }

    fn index(self) -> u32 {
        self as u32
    }

    fn sets() -> Vec<(&'static str, Beyond)> {
        vec![("on", Beyond::ALL), ("off", Beyond::NONE)]
    }
}

pub type Beyond = Switches<Extra>;

impl Default for Beyond {
    fn default() -> Self {
        Beyond::NONE.with(&[Extra::Relations])
    }
}
