//! What is done beyond the papers when a path is explained, each with a switch.
//!
//! With all of them off the engines explain paths as their papers do: the whole path, by one sequence of interpolants.

use crate::switches::{Switch, Switches};

macro_rules! heuristics {
    ($($variant:ident $name:literal $about:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Heuristic {
            $(#[doc = $about] $variant,)*
        }

        impl Switch for Heuristic {
            const ALL: &'static [Heuristic] = &[$(Heuristic::$variant,)*];

            fn name(self) -> &'static str {
                match self { $(Heuristic::$variant => $name,)* }
            }

            fn index(self) -> u32 {
                self as u32
            }

            fn sets() -> Vec<(&'static str, Heuristics)> {
                vec![("on", Heuristics::ALL), ("off", Heuristics::NONE)]
            }
        }
    };
}

heuristics! {
    Part "part" "Only a short part of the path that contradicts itself is explained";
    Known "known" "What the engine knows before that part counts as well";
    Shortest "shortest" "The shortest part of the path that contradicts itself comes first, without what is known (slicing)";
    Repeat "repeat" "It does not count after explanations that repeat each other with other numbers";
    Shorten "shorten" "Interpolants become clauses, of which only those stay that the next one needs";
    Weaken "weaken" "Bounds that stay are moved as far as the next one allows (slicing, impact)";
    Domains "domains" "What the analysis of values knows is taken for granted";
    Ranges "ranges" "So is that machine integers lie in their types";
    Tuples "tuples" "Interpolants that name values of discrete variables come first (slicing)";
    AllValues "all-values" "All values of a discrete variable that is mentioned again are predicates (predicate)";
    Candidates "candidates" "Formulas that are known at a location are tried as interpolants (impact)";
    Facts "facts" "What other engines found is tried as well";
    Drift "drift" "Relations are guessed between bounds that count on in step";
    Goal "goal" "That the last block cannot be passed is guessed, where bounds count on";
    Inductive "inductive" "What of all that was found is inductive joins every label (impact)";
    Combinations "combinations" "So does which values of discrete variables come together, where explanations mention them again (impact)";
    Fallback "fallback" "Where interpolants say nothing new, stronger and weaker ones and atoms of the path do";
}

/// The heuristics that are switched on.
pub type Heuristics = Switches<Heuristic>;

impl Default for Heuristics {
    fn default() -> Self {
        Heuristics::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_printed() {
        let read = |text: &str| text.parse::<Heuristics>();
        assert_eq!(read("on"), Ok(Heuristics::ALL));
        assert_eq!(read("off"), Ok(Heuristics::NONE));
        let no_drift = Heuristics::ALL.without(Heuristic::Drift);
        assert_eq!(read("on,-drift"), Ok(no_drift));
        assert_eq!(read("-drift"), Ok(no_drift));
        assert_eq!(read("part+known"), Ok(Heuristics::NONE.with(&[Heuristic::Part, Heuristic::Known])));
        assert!(read("on,-drifts").is_err_and(|message| message.contains("all-values")));
        for set in [Heuristics::ALL, Heuristics::NONE, no_drift] {
            assert_eq!(read(&set.to_string()), Ok(set));
        }
    }
}
