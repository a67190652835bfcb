//! What is done beyond the papers when a path is explained, each with a switch.
//!
//! With all of them off the engines explain paths as their papers do: the whole path, by one sequence of interpolants.

use std::fmt;
use std::str::FromStr;

macro_rules! heuristics {
    ($($variant:ident $name:literal $about:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Heuristic {
            $(#[doc = $about] $variant,)*
        }

        impl Heuristic {
            pub const ALL: &'static [Heuristic] = &[$(Heuristic::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Heuristic::$variant => $name,)* }
            }

            pub fn about(self) -> &'static str {
                match self { $(Heuristic::$variant => $about,)* }
            }
        }
    };
}

heuristics! {
    Part "part" "Only a short part of the path that contradicts itself is explained";
    Known "known" "What the engine knows before that part counts as well";
    Repeat "repeat" "It does not count after explanations that repeat each other with other numbers";
    Shorten "shorten" "Interpolants become clauses, of which only those stay that the next one needs";
    Domains "domains" "What the analysis of values knows is taken for granted";
    Values "values" "Values of discrete variables explain long parts (predicate)";
    Tuples "tuples" "Interpolants that name values of discrete variables come first (slicing)";
    AllValues "all-values" "All values of a discrete variable that is mentioned again are predicates (predicate)";
    Candidates "candidates" "Formulas that are known at a location are tried as interpolants (impact)";
    Facts "facts" "What other engines found is tried as well";
    Drift "drift" "Relations are guessed between bounds that count on in step";
    Inductive "inductive" "What of all that was found is inductive joins every label (impact)";
    Fallback "fallback" "Where interpolants say nothing new, stronger and weaker ones and atoms of the path do";
}

/// The heuristics that are switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heuristics(u32);

impl Heuristics {
    pub const OFF: Heuristics = Heuristics(0);
    pub const ON: Heuristics = Heuristics((1 << Heuristic::ALL.len()) - 1);

    pub fn has(self, heuristic: Heuristic) -> bool {
        self.0 & 1 << heuristic as u32 != 0
    }

    pub fn with(self, heuristic: Heuristic) -> Heuristics {
        Heuristics(self.0 | 1 << heuristic as u32)
    }

    pub fn without(self, heuristic: Heuristic) -> Heuristics {
        Heuristics(self.0 & !(1 << heuristic as u32))
    }
}

impl Default for Heuristics {
    fn default() -> Self {
        Heuristics::ON
    }
}

impl FromStr for Heuristics {
    type Err = String;

    /// A list that begins with `on` or `off`, or else with all that are not taken away.
    fn from_str(text: &str) -> Result<Heuristics, String> {
        let items: Vec<&str> = text.split([',', '+']).filter(|i| !i.is_empty()).collect();
        let only_less = items.iter().all(|i| i.starts_with('-'));
        let mut found = if only_less { Heuristics::ON } else { Heuristics::OFF };
        for item in items {
            let (name, off) = item.strip_prefix('-').map_or((item, false), |name| (name, true));
            let heuristic = Heuristic::ALL.iter().find(|h| h.name() == name);
            found = match (name, heuristic, off) {
                ("on", _, false) => Heuristics::ON,
                ("off", _, false) => Heuristics::OFF,
                (_, Some(heuristic), false) => found.with(*heuristic),
                (_, Some(heuristic), true) => found.without(*heuristic),
                _ => {
                    let names: Vec<&str> = Heuristic::ALL.iter().map(|h| h.name()).collect();
                    return Err(format!(
                        "`{item}` is none of on, off, {}, or one of these with `-` before it",
                        names.join(", ")
                    ));
                }
            };
        }
        Ok(found)
    }
}

impl fmt::Display for Heuristics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Heuristics::ON => f.write_str("on"),
            Heuristics::OFF => f.write_str("off"),
            _ => {
                let on: Vec<&str> =
                    Heuristic::ALL.iter().filter(|h| self.has(**h)).map(|h| h.name()).collect();
                f.write_str(&on.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_printed() {
        let read = |text: &str| text.parse::<Heuristics>();
        assert_eq!(read("on"), Ok(Heuristics::ON));
        assert_eq!(read("off"), Ok(Heuristics::OFF));
        let no_drift = Heuristics::ON.without(Heuristic::Drift);
        assert_eq!(read("on,-drift"), Ok(no_drift));
        assert_eq!(read("-drift"), Ok(no_drift));
        assert_eq!(read("part+known"), Ok(Heuristics::OFF.with(Heuristic::Part).with(Heuristic::Known)));
        assert!(read("on,-drifts").is_err_and(|message| message.contains("all-values")));
        for set in [Heuristics::ON, Heuristics::OFF, no_drift] {
            assert_eq!(read(&set.to_string()), Ok(set));
        }
    }
}
