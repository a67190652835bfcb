//! The techniques of generalisation, each with a switch and counters of its own.

use crate::run::Stats;
use crate::switches::{Switch, Switches};

macro_rules! techniques {
    ($($variant:ident $name:literal $counted:literal $about:literal;)*) => {
        /// A technique; its module has the definition.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Technique {
            $(#[doc = $about] $variant,)*
        }

        impl Switch for Technique {
            const ALL: &'static [Technique] = &[$(Technique::$variant,)*];

            fn name(self) -> &'static str {
                match self { $(Technique::$variant => $name,)* }
            }

            fn index(self) -> u32 {
                self as u32
            }

            fn sets() -> Vec<(&'static str, Techniques)> {
                vec![("old", Techniques::OLD), ("new", Techniques::new()), ("best", Techniques::default())]
            }
        }

        impl Technique {
            /// Names of the counters: how often it was tried, how often it helped, how many questions to the solver that spared.
            fn counters(self) -> [&'static str; 3] {
                match self {
                    $(Technique::$variant => [concat!($counted, "_tried"), concat!($counted, "_hits"), concat!($counted, "_saved")],)*
                }
            }
        }
    };
}

techniques! {
    Context "context" "context" "A generalisation is used again for every cube that contains it, not only for the same cube";
    Minimal "minimal" "minimal" "Literals that an earlier generalisation needed are not tried";
    Preds "preds" "preds" "Literals that one edge needs are not tried at the next";
    Order "order" "order" "Small cubes first";
    Guaranteed "guaranteed" "guaranteed" "Literals that always hold behind an edge are dropped";
    WepSplit "wep-split" "wep_split" "Predecessors from one sequential part of a block, without a disjunctive normal form";
    PredCubes "pred-cubes" "pred_cubes" "Generalisations read off the lemmas of the predecessor";
    RelindWep "relind-wep" "relind_wep" "Relative inductiveness with preconditions instead of primed symbols";
    Interpolate "interpolate" "interpolate" "Interpolants instead of subsets";
    Init "init" "init" "Nothing reaches a location before so many steps";
    Ctg "ctg" "ctg" "Counterexamples to generalisation are excluded, too";
    Global "global" "global" "Obligations in equal steps are excluded together, by what does not change along them";
}

/// The techniques that are switched on.
pub type Techniques = Switches<Technique>;

impl Techniques {
    /// What the paper starts from.
    pub const OLD: Techniques = Techniques::NONE;

    /// What the paper recommends: all of its techniques but `ctg`.
    pub fn new() -> Techniques {
        use Technique::*;
        Self::OLD.with(&[
            Context,
            Minimal,
            Preds,
            Order,
            Guaranteed,
            WepSplit,
            PredCubes,
            RelindWep,
            Interpolate,
            Init,
        ])
    }
}

/// What measured best (docs/results.md).
impl Default for Techniques {
    fn default() -> Self {
        Techniques::new().with(&[Technique::Global])
    }
}

/// How often each technique was tried, how often it helped, how many questions to the solver that spared.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    tried: u64,
    hits: u64,
    saved: u64,
}

#[derive(Debug, Default)]
pub struct Tallies([Tally; Technique::ALL.len()]);

impl Tallies {
    pub fn tried(&mut self, technique: Technique) {
        self.0[technique as usize].tried += 1;
    }

    /// It helped, and made so many questions needless.
    pub fn hit(&mut self, technique: Technique, saved: usize) {
        let tally = &mut self.0[technique as usize];
        tally.hits += 1;
        tally.saved += saved as u64;
    }

    pub fn report(&self, stats: &mut Stats) {
        for (technique, tally) in Technique::ALL.iter().zip(&self.0) {
            if tally.tried > 0 {
                let [tried, hits, saved] = technique.counters();
                stats.set(tried, tally.tried as f64);
                stats.set(hits, tally.hits as f64);
                stats.set(saved, tally.saved as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_printed() {
        let read = |text: &str| text.parse::<Techniques>();
        assert_eq!(read("old"), Ok(Techniques::OLD));
        assert_eq!(read("new,-interpolate").map(|t| t.has(Technique::Interpolate)), Ok(false));
        assert_eq!(read("new+-interpolate"), read("new,-interpolate"));
        assert_eq!(read("new,ctg").map(|t| t.has(Technique::Ctg) && t.has(Technique::Init)), Ok(true));
        assert!(read("new,wep").is_err_and(|message| message.contains("wep-split")));
        for set in [
            Techniques::OLD,
            Techniques::new(),
            Techniques::default(),
            Techniques::OLD.with(&[Technique::Ctg]),
        ] {
            assert_eq!(read(&set.to_string()), Ok(set));
        }
    }
}
