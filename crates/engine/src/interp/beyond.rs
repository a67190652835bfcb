//! What goes beyond the document, each with a switch.

use crate::switches::{Switch, Switches};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extra {
    /// S is learnt wherever the search turns back, not only from paths to the error (lazy annotation).
    Annotate,
    /// Regions of S are weakest preconditions where these speak of nothing but the state (TRACER).
    Weakest,
}

impl Switch for Extra {
    const ALL: &'static [Extra] = &[Extra::Annotate, Extra::Weakest];

    fn name(self) -> &'static str {
        match self {
            Extra::Annotate => "annotate",
            Extra::Weakest => "weakest",
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
        Beyond::NONE
    }
}
