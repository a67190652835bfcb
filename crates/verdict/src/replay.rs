//! Replay: does the counterexample of an engine really run into the error?
//!
//! The interpreter runs the source program with the choices of the counterexample, each keyed by the source edge and the number of
//! earlier runs over it, so that passes cannot misalign them; a choice that is not named is zero. Signed overflow
//! ends a run of C unless it is to wrap around; in other languages it is read as the arithmetic of the counterexample reads it. The interpreter shares with the encoding what one operation on machine integers gives
//! for constants (`cfa::arith`), and nothing else.

use crate::certificate::{LARGEST_ID, Placed, arith_name, read_arith};
use crate::judge::REPLAY_STEPS;
use crate::outcome::{Counterexample, Finding, Passage, Reason};
use crate::tree::Node;
use craig_base::Budget;
use craig_cfa::interp::{
    self, Config, Here, Key, Keyed, Made, Outside, Overflow, Places, Run, RunEnd, Runner, Value, Watch,
    Watcher,
};
use craig_cfa::{EdgeId, Lang, LocId, Op, Program};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// The choices that lead to the error: all that is needed to run there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Violation {
    #[serde(with = "arith_name")]
    pub arith: Arith,
    /// Where objects lie, if the program looks at that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Placed>,
    /// Objects that the environment gives, by their addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideObject>,
    pub choices: Vec<Given>,
}

/// An object that the environment gives. Pointers to it are choices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutsideObject {
    pub address: u64,
    pub size: u64,
    /// Bytes that are not zero, by their offsets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<(u64, u8)>,
}

/// A value that is not zero, and when it is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Given {
    /// Edge of the source program.
    pub edge: u32,
    /// Earlier runs over that edge.
    pub occurrence: u64,
    /// Where in the chosen object: bytes, and bit for bit-fields.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub bit: u8,
    pub value: ValueText,
}

/// A value as text: `0x2a` the bits of a machine value, `mem:2a00` bytes of fresh memory, `int:-7` and `real:1/3` mathematical numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct ValueText(pub Value);

impl From<ValueText> for String {
    fn from(given: ValueText) -> String {
        match given.0 {
            Value::Bits(bits) => format!("{bits:#x}"),
            Value::Bytes(bytes) => bytes.iter().fold("mem:".into(), |text, byte| format!("{text}{byte:02x}")),
            Value::Int(number) => format!("int:{number}"),
            Value::Real(number) => format!("real:{number}"),
            // Not chosen as a whole: each entry is a choice of its own.
            Value::Map(_) => "0x0".into(),
        }
    }
}

impl TryFrom<String> for ValueText {
    type Error = String;

    fn try_from(text: String) -> Result<ValueText, String> {
        let hex = |digits: &str| u128::from_str_radix(digits, 16).ok();
        let value = match text.split_once([':', 'x']) {
            Some(("0", digits)) => hex(digits).map(Value::Bits),
            Some(("mem", digits)) if digits.is_ascii() && digits.len() % 2 == 0 => {
                let bytes = digits.as_bytes().chunks(2).map(|two| {
                    let two = std::str::from_utf8(two).ok()?;
                    u8::from_str_radix(two, 16).ok()
                });
                bytes.collect::<Option<Vec<u8>>>().map(|bytes| Value::Bytes(bytes.into()))
            }
            Some(("int", digits)) => digits.parse().ok().map(Value::Int),
            Some(("real", digits)) => digits.parse().ok().map(|number| Value::Real(Box::new(number))),
            _ => None,
        };
        // The parser of fractions takes any denominator.
        let is_number = |value: &Value| !matches!(value, Value::Real(n) if n.denominator().is_zero());
        value.filter(is_number).map(ValueText).ok_or_else(|| format!("`{text}` is no value"))
    }
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Given {
    fn read(node: &Node<'_>) -> Result<Given, String> {
        node.object(&["edge", "occurrence", "offset", "bit", "value"])?;
        let text = node.get("value")?;
        Ok(Given {
            edge: node.get("edge")?.number(0, LARGEST_ID)?,
            occurrence: node.get("occurrence")?.number(0, u64::MAX)?,
            offset: node.find("offset").map_or(Ok(0), |offset| offset.number(0, u64::MAX))?,
            bit: node.find("bit").map_or(Ok(0), |bit| bit.number(0, 7))?,
            value: ValueText::try_from(text.text()?.to_string()).or_else(|what| text.wrong(what))?,
        })
    }
}

impl Violation {
    /// From a file: all that is wrong whatever the program is.
    pub(crate) fn read(node: &Node<'_>) -> Result<Violation, String> {
        node.object(&["arith", "places", "outside", "choices"])?;
        let arith = read_arith(&node.get("arith")?)?;
        let choices = node.get("choices").and_then(|_| node.items("choices", Given::read))?;
        let mut keys = BTreeSet::new();
        for Given { edge, occurrence, offset, bit, .. } in &choices {
            if !keys.insert((edge, occurrence, offset, bit)) {
                return node.get("choices")?.wrong(format!("edge {edge} chooses the same twice"));
            }
        }
        let places = node.items("places", Placed::read)?;
        let same = |i: &usize| places[..*i].iter().any(|p| p.object == places[*i].object);
        if let Some(twice) = (1..places.len()).find(same) {
            let (name, _) = places[twice].clone().into();
            return node.get("places")?.wrong(format!("{name} stands twice"));
        }
        let outside = node.items("outside", OutsideObject::read)?;
        if outside.windows(2).any(|two| two[1].address - two[0].address < two[0].size) {
            return node
                .get("outside")?
                .wrong("objects in another order than that of their addresses, or not apart");
        }
        Ok(Violation { arith, places, outside, choices })
    }

    pub fn new(source: &Program, found: &Counterexample) -> Violation {
        let mut choices = Vec::new();
        let mut occurrences: FxHashMap<EdgeId, u64> = FxHashMap::default();
        let mut content = Content::default();
        for step in &found.steps {
            choices.extend(step.reads.iter().flat_map(|(address, bytes)| content.read(*address, bytes)));
            if !source.edges.get(step.edge).is_some_and(|edge| chooses(&edge.op)) {
                continue;
            }
            let occurrence = occurrences.entry(step.edge).or_insert(0);
            let picked = step.picks.iter().filter(|p| p.value != Value::Bits(0));
            choices.extend(picked.map(|choice| Given {
                edge: step.edge.index() as u32,
                occurrence: *occurrence,
                offset: choice.offset,
                bit: choice.bit,
                value: ValueText(choice.value.clone()),
            }));
            content.open(step, *occurrence);
            *occurrence += 1;
        }
        let outside = outside(found);
        Violation { arith: found.arith, places: found.places.clone(), outside, choices }
    }

    fn outside(&self) -> Vec<Outside> {
        let object = |object: &OutsideObject| {
            let mut bytes = vec![0; object.size as usize];
            for (offset, byte) in &object.content {
                if let Some(at) = bytes.get_mut(*offset as usize) {
                    *at = *byte;
                }
            }
            Outside { address: object.address, bytes }
        };
        self.outside.iter().map(object).collect()
    }

    /// Does signed overflow wrap around on the way?
    ///
    /// In C a run that overflows has no meaning, whatever the arithmetic of who found it.
    pub fn wraps(&self, source: &Program, signed_wrap: bool) -> bool {
        signed_wrap || self.arith == Arith::Bv && source.lang != Lang::C
    }

    fn config(&self, source: &Program, signed_wrap: bool, steps: u64, budget: &Budget) -> Config {
        let overflow = if self.wraps(source, signed_wrap) { Overflow::Wrap } else { Overflow::Undefined };
        let (places, outside, budget) = (self.places(), self.outside(), budget.clone());
        Config { overflow, steps, places, outside, budget, ..Config::default() }
    }

    fn places(&self) -> Places {
        let mut places = Places::default();
        for Placed { object, address: at } in &self.places {
            match object.as_ref().map(|object| &object.0) {
                None => places.rest = Some(*at),
                Some(ObjectKey::Var(var, calls)) => {
                    places.at.insert((Made::Var(*var), calls.clone()), *at);
                }
                Some(ObjectKey::Alloc(edge, calls)) => {
                    places.at.insert((Made::By(*edge), calls.clone()), *at);
                }
                // Procedures lie where they lie.
                Some(ObjectKey::Proc(_)) => {}
            }
        }
        places
    }

    /// The choices as the interpreter asks for them.
    pub fn keyed(&self) -> Keyed {
        let mut keyed = Keyed::default();
        for chosen in &self.choices {
            let edge = EdgeId::from_raw(chosen.edge);
            let Given { occurrence, offset, bit, .. } = *chosen;
            keyed.values.insert(Key::Value { edge, occurrence, offset, bit }, chosen.value.0.clone());
        }
        keyed
    }
}

/// The edges that choose something, in the order of the run; `None` if it does not reach the error, or there are more than so many.
pub fn choosing(
    source: &Program,
    violation: &Violation,
    signed_wrap: bool,
    most: usize,
    budget: &Budget,
) -> Option<Vec<EdgeId>> {
    struct Choosing<'p> {
        program: &'p Program,
        edges: Vec<EdgeId>,
        most: usize,
    }
    impl Watcher for Choosing<'_> {
        fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
            let edge = here.edge().filter(|edge| chooses(&self.program.edges[*edge].op));
            self.edges.extend(edge);
            if self.edges.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let mut watcher = Choosing { program: source, edges: Vec::new(), most };
    let locs: IndexVec<LocId, bool> = index_vec::index_vec![true; source.locs.len()];
    let watch = Watch { calls: &source.calls, locs: &locs, watcher: &mut watcher };
    let config = violation.config(source, signed_wrap, REPLAY_STEPS, budget);
    let run = Runner::new(source).run(&config, &mut violation.keyed(), watch);
    (run.end == RunEnd::Error).then_some(watcher.edges)
}

/// Does the operation choose something?
pub fn chooses(op: &Op) -> bool {
    matches!(op, Op::Havoc(..) | Op::Alloc { .. } | Op::Realloc { .. })
}

/// Content of what an execution makes, as far as it is not listed where it is made: what is read there first. To choose what was written before is no harm.
#[derive(Default)]
struct Content {
    /// By address: the edge that made it last, and the number of earlier runs over it.
    opened: BTreeMap<u64, (EdgeId, u64)>,
    known: FxHashSet<(EdgeId, u64, u64)>,
}

impl Content {
    fn open(&mut self, step: &Passage, occurrence: u64) {
        if step.opened.is_empty() {
            return;
        }
        self.known.extend(step.picks.iter().map(|pick| (step.edge, occurrence, pick.offset)));
        self.opened.extend(step.opened.iter().map(|base| (*base, (step.edge, occurrence))));
    }

    fn read(&mut self, address: u64, bytes: &[u8]) -> Vec<Given> {
        let Some((base, &(edge, occurrence))) = self.opened.range(..=address).next_back() else {
            return Vec::new();
        };
        let offset = address - base;
        if offset > LARGEST_OUTSIDE || self.known.contains(&(edge, occurrence, offset)) {
            return Vec::new();
        }
        let bytes = (offset..).zip(bytes).filter(|(at, _)| self.known.insert((edge, occurrence, *at)));
        let chosen = bytes.filter(|(_, byte)| **byte != 0).map(|(offset, byte)| {
            let value = ValueText(Value::Bytes([*byte].as_slice().into()));
            Given { edge: edge.index() as u32, occurrence, offset, bit: 0, value }
        });
        chosen.collect()
    }
}

/// What the environment gives along an execution: each object as it was found first.
fn outside(found: &Counterexample) -> Vec<OutsideObject> {
    let mut objects: BTreeMap<u64, (u64, BTreeMap<u64, u8>)> = BTreeMap::new();
    for touch in found.steps.iter().flat_map(|step| &step.outside) {
        let (size, content) = objects.entry(touch.address).or_default();
        *size = touch.size.max(*size);
        let Some((address, bytes)) = &touch.held else { continue };
        for (address, byte) in (*address..).zip(bytes) {
            if let Some(offset) = address.checked_sub(touch.address) {
                content.entry(offset).or_insert(*byte);
            }
        }
    }
    let object = |(address, (size, content)): (u64, (u64, BTreeMap<u64, u8>))| OutsideObject {
        address,
        size,
        content: content.into_iter().filter(|(_, byte)| *byte != 0).collect(),
    };
    objects.into_iter().map(object).collect()
}

/// Bytes of an object of the environment at most.
const LARGEST_OUTSIDE: u64 = 1 << 24;

impl OutsideObject {
    fn read(node: &Node<'_>) -> Result<OutsideObject, String> {
        node.object(&["address", "size", "content"])?;
        let byte = |node: &Node<'_>| {
            let (offset, byte) = node.pair()?;
            Ok((offset.number(0, LARGEST_OUTSIDE)?, byte.number(0, u8::MAX)?))
        };
        Ok(OutsideObject {
            address: node.get("address")?.number(0, u64::MAX)?,
            size: node.get("size")?.number(1, LARGEST_OUTSIDE)?,
            content: node.items("content", byte)?,
        })
    }
}

/// Runs the source program with the choices. `steps` bounds the run; the trace of the result ends at the error.
pub fn replay(
    source: &Program,
    violation: &Violation,
    signed_wrap: bool,
    steps: u64,
    budget: &Budget,
) -> Result<Run, Reason> {
    const KEPT_STEPS: usize = 100_000;
    let config = Config { trace: KEPT_STEPS, ..violation.config(source, signed_wrap, steps, budget) };
    let run = interp::run(source, &config, &mut violation.keyed(), &mut std::io::sink());
    let span = run.at.as_ref().map(|at| at.span);
    match &run.end {
        RunEnd::Error => Ok(run),
        RunEnd::Stopped(stop) => Err(Reason::Stopped(*stop)),
        RunEnd::Unsupported(what) => {
            Err(Reason::Unsupported { what: what.as_str().into(), span: span.unwrap_or_default() })
        }
        other => Err(Reason::NotReplayed(Finding {
            end: other.clone(),
            edge: run.at.as_ref().map(|at| at.origin),
            span,
        })),
    }
}
