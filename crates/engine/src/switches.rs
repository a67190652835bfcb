//! Sets of named switches, as options give them: `--gen new,-interpolate`, `--heuristics off,part`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Something that can be switched on and off.
pub trait Switch: Copy + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    /// Its place among all.
    fn index(self) -> u32;

    /// Sets that have a name of their own.
    fn sets() -> Vec<(&'static str, Switches<Self>)>;
}

/// Those that are switched on.
pub struct Switches<S>(u32, PhantomData<S>);

impl<S: Switch> Switches<S> {
    pub const NONE: Switches<S> = Switches(0, PhantomData);
    pub const ALL: Switches<S> = Switches((1 << S::ALL.len()) - 1, PhantomData);

    pub fn has(self, switch: S) -> bool {
        self.0 & 1 << switch.index() != 0
    }

    pub fn with(self, more: &[S]) -> Switches<S> {
        Switches(more.iter().fold(self.0, |bits, s| bits | 1 << s.index()), PhantomData)
    }

    pub fn without(self, switch: S) -> Switches<S> {
        Switches(self.0 & !(1 << switch.index()), PhantomData)
    }
}

impl<S> Clone for Switches<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Switches<S> {}

impl<S> PartialEq for Switches<S> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<S> Eq for Switches<S> {}

impl<S: Switch> fmt::Debug for Switches<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<S: Switch> FromStr for Switches<S>
where
    Switches<S>: Default,
{
    type Err = String;

    /// A list of names of switches and sets; `-` before a switch leaves it out. A list that only leaves out starts from the default.
    fn from_str(text: &str) -> Result<Switches<S>, String> {
        let items: Vec<&str> = text.split([',', '+']).filter(|i| !i.is_empty()).collect();
        let only_less = !items.is_empty() && items.iter().all(|i| i.starts_with('-'));
        let mut found = if only_less { Switches::default() } else { Switches::NONE };
        let sets = S::sets();
        for item in items {
            let (name, off) = item.strip_prefix('-').map_or((item, false), |name| (name, true));
            let switch = S::ALL.iter().find(|s| s.name() == name);
            let set = sets.iter().find(|(set, _)| *set == name);
            found = match (switch, set, off) {
                (Some(switch), _, false) => found.with(&[*switch]),
                (Some(switch), _, true) => found.without(*switch),
                (None, Some((_, set)), false) => Switches(found.0 | set.0, PhantomData),
                _ => {
                    let sets = sets.iter().map(|(name, _)| *name);
                    let names: Vec<&str> = sets.chain(S::ALL.iter().map(|s| s.name())).collect();
                    let names = names.join(", ");
                    return Err(format!("`{item}` is none of {names}, or one of these with `-` before it"));
                }
            };
        }
        Ok(found)
    }
}

impl<S: Switch> fmt::Display for Switches<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = S::sets().iter().find(|(_, set)| set == self) {
            return f.write_str(name);
        }
        let on: Vec<&str> = S::ALL.iter().filter(|s| self.has(**s)).map(|s| s.name()).collect();
        f.write_str(&on.join(","))
    }
}
