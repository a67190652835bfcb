//! Looking at a run from outside: where it is, what its variables hold, what lies at an address.
//!
//! Things are named as certificates name them: a variable by itself and the calls of its frame, what was allocated by the edge that did it
//! and the calls of its frame. So an observer can hold what others say of all runs against this one.

use super::code::Storage;
use super::machine::Machine;
use super::memory::{Landing, Memory, Object, State, word_from};
use super::value::Value;
use crate::expr::PlaceId;
use crate::program::{CallString, CallStrings, EdgeId, LocId, ProcId, VarId};
use index_vec::IndexVec;
use std::fmt;
use std::ops::ControlFlow;

/// Who looks.
pub trait Watcher {
    /// Control came to a location. `Break` ends the run there.
    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()>;

    /// The edge that is being executed read or wrote a scalar place in memory, at this byte of something.
    fn touch(
        &mut self,
        here: &Here<'_, '_, '_>,
        place: PlaceId,
        thing: Thing,
        offset: u64,
    ) -> ControlFlow<()> {
        let _ = (here, place, thing, offset);
        ControlFlow::Continue(())
    }
}

/// What is looked at.
pub struct Watch<'w> {
    /// The strings of calls that name frames. A frame whose string is not among them has no name.
    pub calls: &'w CallStrings,
    /// Where the watcher is told that control came.
    pub locs: &'w IndexVec<LocId, bool>,
    pub watcher: &'w mut dyn Watcher,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// Something that has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Thing {
    Var(VarId, CallString),
    /// What an edge allocated.
    Alloc(EdgeId, CallString),
    Proc(ProcId),
}

/// What a number means as an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// This byte of something that lives, or just past its end.
    In(Thing, u64),
    /// It lies where objects are, but there is none that lives and has a name.
    Lost,
    /// No object is near: a number and nothing more.
    Number,
}

/// Bytes of an object, as a word. `None` if it died, and where its content is not chosen yet.
fn bytes_of(object: &Object, offset: u64, len: usize) -> Option<Value> {
    let start = usize::try_from(offset).ok()?;
    let range = start..start.checked_add(len)?;
    let open = object.pending.as_ref().is_some_and(|pending| pending.is_open(&range));
    if object.state != State::Live || open {
        return None;
    }
    object.data.get(range).map(|bytes| Value::Bits(word_from(bytes)))
}

/// The state of a run where control is now.
pub struct Here<'m, 'p, 'c>(pub(super) &'m Machine<'p, 'c>);

impl fmt::Debug for Here<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Here").field("loc", &self.loc()).finish_non_exhaustive()
    }
}

impl Here<'_, '_, '_> {
    pub fn loc(&self) -> LocId {
        LocId::from_raw(self.0.node)
    }

    /// The edge of the source program that control came over, or that is being executed.
    pub fn edge(&self) -> Option<EdgeId> {
        self.0.current.map(|step| self.0.code.steps[step as usize].origin)
    }

    /// The open calls, if their string is one of the known ones.
    pub fn calls(&self) -> Option<CallString> {
        self.0.frames.last()?.calls
    }

    /// The open calls without the last, if their string is one of the known ones.
    pub fn outer(&self) -> Option<CallString> {
        self.0.frames.iter().nth_back(1)?.calls
    }

    /// What lies in something from a byte on. `None` where nothing is, where it died, and where the content is not chosen yet.
    pub fn read(&self, thing: Thing, offset: u64, len: usize) -> Option<Value> {
        let machine = self.0;
        let Thing::Var(var, calls) = thing else { return self.bytes(thing, offset, len) };
        let frame = machine.frames.iter().find(|f| f.calls == Some(calls));
        let is_global = machine.p.vars[var].proc.is_none();
        if !is_global && machine.p.vars[var].proc != frame.map(|f| f.proc) {
            return None;
        }
        let (slots, values) = frame.map_or((0, 0), |f| (f.slots, f.values));
        let at = |global: bool, base: usize, index: u32| if global { 0 } else { base } + index as usize;
        match machine.code.storage[var] {
            Storage::Slot { global, index } if offset == 0 => {
                machine.slots.get(at(global, slots, index)).map(|v| Value::Bits(*v))
            }
            Storage::Math { global, index } if offset == 0 => {
                machine.values.get(at(global, values, index)).cloned()
            }
            Storage::Memory { global, index } => match machine.slots.get(at(global, slots, index))? {
                // Nobody used it yet: all zeros.
                0 => Some(Value::Bits(0)),
                _ => self.bytes(thing, offset, len),
            },
            _ => None,
        }
    }

    fn bytes(&self, thing: Thing, offset: u64, len: usize) -> Option<Value> {
        let object = self.0.mem.object(*self.0.things.get(&thing)?);
        bytes_of(object, offset, len).filter(|_| object.thing == Some(thing))
    }

    /// Activations of procedures that are open, the running one included.
    pub fn depth(&self) -> usize {
        self.0.frames.len()
    }

    /// What lies in a global variable, or in one of the last activation of its procedure that is open, from a byte on; whether or not its frame has a name.
    pub fn held(&self, var: VarId, offset: u64, len: usize) -> Option<Value> {
        let machine = self.0;
        let (mut base, mut value_base) = (machine.base, machine.value_base);
        if let Some(owner) = machine.p.vars[var].proc {
            let frame = machine.frames.iter().rfind(|frame| frame.proc == owner)?;
            (base, value_base) = (frame.slots, frame.values);
        }
        let at = |global: bool, base: usize, index: u32| if global { 0 } else { base } + index as usize;
        match machine.code.storage[var] {
            Storage::Slot { global, index } if offset == 0 => {
                machine.slots.get(at(global, base, index)).map(|bits| Value::Bits(*bits))
            }
            Storage::Math { global, index } if offset == 0 => {
                machine.values.get(at(global, value_base, index)).cloned()
            }
            Storage::Memory { global, index } => match *machine.slots.get(at(global, base, index))? {
                // Nobody used it yet: all zeros.
                0 => Some(Value::Bits(0)),
                start => {
                    let object = machine.mem.object(machine.mem.near(start as u64)?);
                    bytes_of(object, offset, len)
                }
            },
            _ => None,
        }
    }

    /// What the running procedure returns, at its exit.
    pub fn result(&self) -> Option<&Value> {
        self.0.result.as_ref()
    }

    /// Where something that lives begins. `None` too if nobody asked for its address yet.
    pub fn address(&self, thing: Thing) -> Option<u64> {
        if let Thing::Proc(proc) = thing {
            return Some(Memory::proc_address(proc));
        }
        let object = self.0.mem.object(*self.0.things.get(&thing)?);
        (object.state == State::Live && object.thing == Some(thing)).then_some(object.start)
    }

    /// What lies at an address.
    pub fn target(&self, address: u64) -> Target {
        match self.0.mem.landing(address) {
            Landing::Proc(proc) => Target::In(Thing::Proc(proc), 0),
            Landing::Object(id) => {
                let object = self.0.mem.object(id);
                match object.thing {
                    Some(thing) if object.state == State::Live => Target::In(thing, address - object.start),
                    _ => Target::Lost,
                }
            }
            Landing::Between => Target::Lost,
            Landing::Away => Target::Number,
        }
    }
}
