//! Certificates: why a program is safe, as data that can be written to a file and checked without trusting who made it.
//!
//! Everything in a certificate is named as in the source program: locations and variables by their numbers there and the
//! edges of the calls that lead to them. Formulas are SMT-LIB text over the symbols that [`Binding`]s declare. So a certificate says the
//! same of every version of a program, and shares no store of terms with the engine that found it.

use craig_cfa::{EdgeId, LocId, ProcId, TypeId, Types, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    #[serde(with = "arith_name")]
    pub arith: Arith,
    #[serde(flatten)]
    pub proof: Proof,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "proof", rename_all = "lowercase")]
pub enum Proof {
    /// Unwinding the loops comes to an end without reaching the error.
    Unwinding,
    /// Formulas that hold whenever control is at their locations.
    Invariants(Invariants),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Invariants {
    /// What the symbols of the formulas stand for.
    pub symbols: Vec<Binding>,
    /// Where objects lie that the formulas speak of by their address. Where an object lies is free to choose as long as objects do
    /// not overlap; the checker takes these as far as that holds.
    pub addresses: Vec<(Object, u64)>,
    /// Edges that no run takes: a claim as good as that no run takes an edge to the error, and checked in the same way. Cycles that
    /// need such an edge are no cycles, and have no formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverTaken>,
    /// Formulas that hold wherever one of the invariants does: each is a conjunct of every one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<String>,
    pub invariants: Vec<Invariant>,
}

/// An assumption that never holds, under a string of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeverTaken {
    pub edge: u32,
    /// Call edges, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
}

/// A formula for a location under a string of calls. To a loop head without one no run comes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invariant {
    pub location: u32,
    /// Call edges, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
    /// Line of the location, for people.
    #[serde(default)]
    pub line: u32,
    pub formula: String,
}

/// A symbol of the formulas and the storage that it stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    pub symbol: String,
    /// As SMT-LIB writes it.
    pub sort: String,
    /// Where it lies: objects and byte offsets in them. One for a value, at least one for an array of values by address; none for
    /// the address where the next object of the heap goes.
    pub leaves: Vec<(Object, u64)>,
    /// Values by address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub array: bool,
    /// How the bits of a machine integer are read; in bits, negative for signed ones. None for other values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<i32>,
}

/// An object of the source program as text: `v3` a variable, `a7` what an edge allocated, `p2` a procedure; behind `@` the call edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

impl TryFrom<String> for Object {
    type Error = String;

    fn try_from(text: String) -> Result<Object, String> {
        read_object(&text).map(Object).ok_or_else(|| format!("`{text}` names no object"))
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
    // Ids end below the largest number.
    text.parse().ok().filter(|&n| n < u32::MAX / 2)
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
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(arith: &Arith, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(arith.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arith, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "int" => Ok(Arith::Int),
            "bv" => Ok(Arith::Bv),
            other => Err(serde::de::Error::custom(format!("`{other}` is no arithmetic"))),
        }
    }
}
