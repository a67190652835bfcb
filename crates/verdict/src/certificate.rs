//! Certificates: why a program is safe, as data that can be written to a file and checked without trusting who made it.
//!
//! Everything in a certificate is named as in the source program: locations and variables by their numbers there and the
//! edges of the calls that lead to them. Formulas are SMT-LIB text over the symbols that [`Binding`]s declare. So a certificate says the
//! same of every version of a program, and shares no store of terms with the engine that found it.

use crate::tree::Node;
use craig_cfa::{DataModel, EdgeId, LocId, ProcId, TypeId, Types, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    #[serde(with = "arith_name")]
    pub arith: Arith,
    #[serde(flatten)]
    pub proof: Proof,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "proof", rename_all = "lowercase")]
pub enum Proof {
    /// Unwinding the loops comes to an end without reaching the error.
    Unwinding,
    /// Formulas that hold whenever control is at their locations.
    Invariants(Invariants),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Invariants {
    /// What the symbols of the formulas stand for.
    pub symbols: Vec<Binding>,
    /// Where objects lie that the formulas speak of by their address, unless the program can tell. Where an object lies is free to choose as long as objects do
    /// not overlap; the checker takes these as far as that holds.
    pub addresses: Vec<(Object, u64)>,
    /// Edges that no run takes: a claim as good as that no run takes an edge to the error, and checked in the same way. Cycles that
    /// need such an edge are no cycles, and have no formula.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverTaken>,
    /// Formulas that hold wherever one of the invariants does: each is a conjunct of every one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<String>,
    pub invariants: Vec<Invariant>,
}

/// An assumption that never holds, under a string of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeverTaken {
    pub edge: u32,
    /// Call edges, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
}

/// A formula for a location under a string of calls. To a loop head without one no run comes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Invariant {
    pub location: u32,
    /// Call edges, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
    /// Line of the location, for people.
    pub line: u32,
    pub formula: String,
}

/// A symbol of the formulas and the storage that it stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Binding {
    pub symbol: String,
    /// As SMT-LIB writes it.
    pub sort: String,
    /// Where it lies: objects and byte offsets in them. One for a value, at least one for an array of values by address; none for
    /// the address where the next object of the heap goes.
    pub leaves: Vec<(Object, u64)>,
    /// Values by address.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub array: bool,
    /// Not what lies there: the address itself, of an object whose place the program can tell. Without a place: the address that the
    /// numbers in `addresses` are distances from, in a program that can tell some.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub address: bool,
    /// How the bits of a machine integer are read; in bits, negative for signed ones. None for other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<i32>,
}

/// An object of the source program as text: `v3` a variable, `a7` what an edge allocated, `p2` a procedure; behind `@` the call edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Object(pub ObjectKey);

impl From<Object> for String {
    fn from(object: Object) -> String {
        let (mut text, calls) = match object.0 {
            ObjectKey::Var(v, calls) => (format!("v{}", v.index()), calls),
            ObjectKey::Alloc(e, calls) => (format!("a{}", e.index()), calls),
            ObjectKey::Proc(p) => (format!("p{}", p.index()), Vec::new()),
        };
        for (i, call) in calls.iter().enumerate() {
            let _ = write!(text, "{}{}", if i == 0 { '@' } else { '.' }, call.index());
        }
        text
    }
}

/// Where an object lies; without an object, from where on all others do, which is written `*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "(String, u64)")]
pub struct Placed {
    pub object: Option<Object>,
    pub address: u64,
}

impl From<Placed> for (String, u64) {
    fn from(placed: Placed) -> (String, u64) {
        (placed.object.map_or("*".into(), String::from), placed.address)
    }
}

fn read_object(text: &str) -> Option<ObjectKey> {
    let (head, calls) = match text.split_once('@') {
        Some((head, calls)) => (head, calls.split('.').map(number).collect::<Option<Vec<u32>>>()?),
        None => (text, Vec::new()),
    };
    let calls = || calls.iter().map(|&e| EdgeId::from_raw(e)).collect();
    let kind = head.chars().next()?;
    let index = number(&head[kind.len_utf8()..])?;
    match kind {
        'v' => Some(ObjectKey::Var(VarId::from_raw(index), calls())),
        'a' => Some(ObjectKey::Alloc(EdgeId::from_raw(index), calls())),
        'p' => Some(ObjectKey::Proc(ProcId::from_raw(index))),
        _ => None,
    }
}

fn number(text: &str) -> Option<u32> {
    // Digits only: there is one way to write a number.
    let plain = text == "0" || text.starts_with(|c: char| ('1'..='9').contains(&c));
    text.parse().ok().filter(|&n| plain && n <= LARGEST_ID)
}

impl Binding {
    /// How the bits of a value of a type are read, as [`Binding::word`] says it.
    pub fn word_of(types: &Types, ty: TypeId) -> Option<i32> {
        let word = types.as_word(ty)?;
        Some(if word.signed { -i32::from(word.width) } else { i32::from(word.width) })
    }
}

impl Invariant {
    pub fn new(location: LocId, calls: &[EdgeId], line: u32, formula: String) -> Self {
        let calls = calls.iter().map(|e| e.index() as u32).collect();
        Invariant { location: location.index() as u32, calls, line, formula }
    }
}

pub(crate) mod arith_name {
    use super::Arith;
    use serde::Serializer;

    pub fn serialize<S: Serializer>(arith: &Arith, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(arith.name())
    }
}

/// Where an object cannot lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressFault {
    NoSuchObject,
    NullPage,
    NotAligned,
    /// Not all of the object lies in the first quarter of the address space.
    Outside,
    Overlaps(Object),
}

/// Below lies nothing that has an address, and all that has one lies at a multiple.
const NULL_PAGE: u64 = 0x1000;
const ALIGN: u64 = 16;

impl AddressFault {
    /// What is wrong with an object of this size at an address, whatever else there is.
    pub fn of(address: u64, size: u64, pointer_bits: u16) -> Option<AddressFault> {
        let most = 1 << (pointer_bits - 2);
        if address < NULL_PAGE {
            Some(AddressFault::NullPage)
        } else if !address.is_multiple_of(ALIGN) {
            Some(AddressFault::NotAligned)
        } else if address.checked_add(size).is_none_or(|end| end > most) {
            Some(AddressFault::Outside)
        } else {
            None
        }
    }
}

impl fmt::Display for AddressFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressFault::NoSuchObject => f.write_str("the program has no such object"),
            AddressFault::NullPage => write!(f, "nothing lies below {NULL_PAGE}"),
            AddressFault::NotAligned => write!(f, "not a multiple of {ALIGN}"),
            AddressFault::Outside => f.write_str("it ends outside the first quarter of the address space"),
            AddressFault::Overlaps(other) => write!(f, "it overlaps {other}"),
        }
    }
}

/// The largest number of a location, edge, variable or procedure.
pub(crate) const LARGEST_ID: u32 = u32::MAX / 2 - 1;

pub(crate) fn read_arith(node: &Node<'_>) -> Result<Arith, String> {
    match node.text()? {
        "int" => Ok(Arith::Int),
        "bv" => Ok(Arith::Bv),
        other => node.wrong(format!("`{other}` is no arithmetic")),
    }
}

impl Certificate {
    /// From a file: all that is wrong whatever the program is.
    pub(crate) fn read(node: &Node<'_>, model: DataModel) -> Result<Certificate, String> {
        let invariants = ["arith", "proof", "symbols", "addresses", "never", "common", "invariants"];
        node.object(&invariants)?;
        let arith = read_arith(&node.get("arith")?)?;
        let kind = node.get("proof")?;
        let proof = match kind.text()? {
            "unwinding" => {
                node.object(&invariants[..2])?;
                Proof::Unwinding
            }
            "invariants" => Proof::Invariants(Invariants::read(node, model)?),
            other => return kind.wrong(format!("`{other}` is no kind of proof")),
        };
        Ok(Certificate { arith, proof })
    }
}

impl Invariants {
    fn read(node: &Node<'_>, model: DataModel) -> Result<Invariants, String> {
        let mut names = BTreeSet::new();
        let symbols = node.get("symbols").and_then(|_| node.items("symbols", Binding::read))?;
        for binding in &symbols {
            if !names.insert(&binding.symbol) {
                return node.get("symbols")?.wrong(format!("the symbol `{}` stands twice", binding.symbol));
            }
        }
        let place = |node: &Node<'_>| {
            let (name, address) = node.pair()?;
            let object = Object::read(&name)?;
            let address = address.number(0, u64::MAX)?;
            match AddressFault::of(address, 1, model.pointer_bits()) {
                Some(fault) => node.wrong(format!("address {address} of {object}: {fault}")),
                None => Ok((object, address)),
            }
        };
        let addresses = node.get("addresses").and_then(|_| node.items("addresses", place))?;
        let mut placed = BTreeSet::new();
        for (object, _) in &addresses {
            if !placed.insert(&object.0) {
                return node.get("addresses")?.wrong(format!("{object} stands twice"));
            }
        }
        let text = |node: &Node<'_>| node.text().map(str::to_string);
        let never = node.items("never", NeverTaken::read)?;
        if let Some(twice) = (1..never.len()).find(|i| never[..*i].contains(&never[*i])) {
            return node.get("never")?.wrong(format!("edge {} stands twice", never[twice].edge));
        }
        let common = node.items("common", text)?;
        let invariants = node.get("invariants").and_then(|_| node.items("invariants", Invariant::read))?;
        Ok(Invariants { symbols, addresses, never, common, invariants })
    }
}

fn read_calls(node: &Node<'_>) -> Result<Vec<u32>, String> {
    node.items("calls", |edge| edge.number(0, LARGEST_ID))
}

impl NeverTaken {
    fn read(node: &Node<'_>) -> Result<NeverTaken, String> {
        node.object(&["edge", "calls"])?;
        Ok(NeverTaken { edge: node.get("edge")?.number(0, LARGEST_ID)?, calls: read_calls(node)? })
    }
}

impl Invariant {
    fn read(node: &Node<'_>) -> Result<Invariant, String> {
        node.object(&["location", "calls", "line", "formula"])?;
        Ok(Invariant {
            location: node.get("location")?.number(0, LARGEST_ID)?,
            calls: read_calls(node)?,
            line: node.find("line").map_or(Ok(0), |line| line.number(0, u32::MAX))?,
            formula: node.get("formula")?.text()?.into(),
        })
    }
}

impl Binding {
    fn read(node: &Node<'_>) -> Result<Binding, String> {
        node.object(&["symbol", "sort", "leaves", "array", "address", "word"])?;
        let leaf = |node: &Node<'_>| {
            let (object, offset) = node.pair()?;
            Ok((Object::read(&object)?, offset.number(0, u64::MAX)?))
        };
        let binding = Binding {
            symbol: node.get("symbol")?.text()?.into(),
            sort: node.get("sort")?.text()?.into(),
            leaves: node.get("leaves").and_then(|_| node.items("leaves", leaf))?,
            array: node.find("array").map_or(Ok(false), |array| array.flag())?,
            address: node.find("address").map_or(Ok(false), |address| address.flag())?,
            word: match node.find("word") {
                Some(word) => match word.number(-128, 128)? {
                    0 => return word.wrong("a machine integer has bits"),
                    bits => Some(bits),
                },
                None => None,
            },
        };
        match (binding.leaves.len(), binding.array) {
            (_, true) if binding.address => node.wrong("an address is no array"),
            (_, false) if binding.address && binding.word.is_some() => {
                node.wrong("an address is no machine integer")
            }
            (0, true) => node.wrong("an array lies somewhere"),
            (0, false) if binding.word.is_some() => node.wrong("the end of the heap is no machine integer"),
            (2.., false) => node.wrong("a value lies at one place"),
            _ if binding.symbol.is_empty() => node.wrong("a symbol has a name"),
            _ => Ok(binding),
        }
    }
}

impl Placed {
    pub(crate) fn read(node: &Node<'_>) -> Result<Placed, String> {
        let (name, address) = node.pair()?;
        let object = if name.text()? == "*" { None } else { Some(Object::read(&name)?) };
        Ok(Placed { object, address: address.number(0, u64::MAX)? })
    }
}

impl Object {
    fn read(node: &Node<'_>) -> Result<Object, String> {
        let text = node.text()?;
        match read_object(text) {
            Some(key) => Ok(Object(key)),
            None => node.wrong(format!("`{text}` names no object")),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(self.clone()))
    }
}
