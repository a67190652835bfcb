//! Certificates: why a program is safe, as data that can be written to a file and checked without trusting who made it.
//!
//! Everything in a certificate is named as in the source program: locations and variables by their numbers there and the
//! edges of the calls that lead to them. Formulas are SMT-LIB text over the symbols that [`Binding`]s declare. So a certificate says the
//! same of every version of a program, and shares no store of terms with the engine that found it.

use crate::tree::Node;
use crate::{assumed, scalar};
use craig_cfa::pass::Guard;
use craig_cfa::{DataModel, EdgeId, LocId, ProcId, Program, TypeId, Types, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_encode::state::sort;
use craig_logic::Terms;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    #[serde(with = "arith_name")]
    pub arith: Arith,
    /// Operations of the source program that are taken to be defined.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", serialize_with = "assumed::serialize")]
    pub assumed: BTreeSet<Guard>,
    #[serde(flatten)]
    pub proof: Proof,
    /// Calls that a proof of the expanded program does not follow. No run makes them, which is checked like everything else; unless the error is out of reach
    /// from there on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfollowed: Vec<NeverTaken>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "proof", rename_all = "lowercase")]
pub enum Proof {
    /// Unwinding the loops comes to an end without reaching the error.
    Unwinding,
    /// Formulas that hold whenever control is at their locations.
    Invariants(Invariants),
    /// The same procedure by procedure, each with what it needs and what it does; recursion is no obstacle.
    Procedures(Procedures),
    /// Contracts of recursive procedures, and a proof about the program that has these in place of their calls.
    Relations(Relations),
}

impl Proof {
    /// What it is made of, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Proof::Unwinding => "unwinding",
            Proof::Invariants(_) => "invariants",
            Proof::Procedures(_) => "procedures",
            Proof::Relations(_) => "relations",
        }
    }

    pub fn invariants(&self) -> Option<&Invariants> {
        match self {
            Proof::Invariants(invariants) => Some(invariants),
            Proof::Unwinding | Proof::Procedures(_) | Proof::Relations(_) => None,
        }
    }
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

/// An assumption that never holds, or a call that is never made, under a string of calls.
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

/// A proof procedure by procedure. Formulas relate the values when the running activation of a procedure was entered and those of now.
///
/// The formula at the entry of a procedure is what it needs: whoever calls it has to show it. A called procedure without one is never
/// entered, a cycle without one never reached, a procedure without summary never returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Procedures {
    /// What the symbols of the formulas stand for.
    pub symbols: Vec<Symbol>,
    /// Formulas that hold whenever control is at their locations, without calls. At the entry of a procedure they speak of globals and parameters
    /// alone.
    pub invariants: Vec<Invariant>,
    pub summaries: Vec<Summary>,
}

/// A proof about the program in which calls of recursive procedures are what contracts say of them ([`crate::relations`]).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Relations {
    /// What recursive procedures need and do, in mathematical integers whatever the arithmetic of the proof is; no other formulas. One of which nothing is said needs nothing, and does anything to
    /// what it may change.
    pub contracts: Procedures,
    /// An unwinding, or invariants, of the program with these contracts. Its numbers are those of the source program; what that does not have comes behind.
    pub by: Box<Proof>,
}

/// A formula that holds whenever a procedure returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub procedure: u32,
    /// Line of the procedure, for people.
    pub line: u32,
    pub formula: String,
}

/// A symbol of the formulas of procedures and the one value that it stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Symbol {
    pub symbol: String,
    /// As SMT-LIB writes it.
    pub sort: String,
    pub moment: Moment,
    /// The variable of the source program; none for the result.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "variable_name")]
    pub variable: Option<VarId>,
    /// Where in the variable, or in the result, the value lies, in bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: u64,
    /// As that of a [`Binding`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<i32>,
}

/// When a symbol stands for its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// When the activation was entered: of globals and parameters.
    Entry,
    /// Of globals, and in invariants of all variables of the procedure.
    Now,
    /// What the procedure returns, in its summary.
    Result,
}

fn is_zero(offset: &u64) -> bool {
    *offset == 0
}

fn variable_name<S: serde::Serializer>(variable: &Option<VarId>, serializer: S) -> Result<S::Ok, S::Error> {
    match variable {
        Some(variable) => serializer.serialize_str(&format!("v{}", variable.index())),
        None => serializer.serialize_none(),
    }
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

impl Summary {
    pub fn new(program: &Program, procedure: ProcId, formula: String) -> Summary {
        let line = program.source.line(program.procs[procedure].span);
        Summary { procedure: procedure.index() as u32, line, formula }
    }
}

impl Symbol {
    /// The value at an offset of a variable when its procedure was entered. None if no value begins there.
    pub fn entry(program: &Program, arith: Arith, symbol: &str, var: VarId, offset: u64) -> Option<Symbol> {
        Symbol::of(program, arith, symbol, Moment::Entry, Some(var), (program.vars[var].ty, offset))
    }

    /// The value at an offset of a variable now.
    pub fn now(program: &Program, arith: Arith, symbol: &str, var: VarId, offset: u64) -> Option<Symbol> {
        Symbol::of(program, arith, symbol, Moment::Now, Some(var), (program.vars[var].ty, offset))
    }

    /// The value at an offset of the result of procedures that return this type.
    pub fn result(program: &Program, arith: Arith, symbol: &str, ty: TypeId, offset: u64) -> Option<Symbol> {
        Symbol::of(program, arith, symbol, Moment::Result, None, (ty, offset))
    }

    /// What it stands for, as people write it: `x`, `old(a[2])`, `result`.
    pub fn name(&self, program: &Program) -> String {
        let types = &program.types;
        let path = |ty: TypeId| {
            let fits = |ty: TypeId| Binding::word_of(types, ty) == self.word;
            scalar::find(types, ty, self.offset, fits).map(|found| found.path(types, ty))
        };
        let var = self.variable.and_then(|var| program.vars.get(var));
        let name = var.and_then(|var| Some(format!("{}{}", var.name, path(var.ty)?)));
        match (self.moment, name) {
            (Moment::Entry, Some(name)) => format!("old({name})"),
            (Moment::Now, Some(name)) => name,
            (Moment::Result, _) => {
                let part = program.procs.iter().find_map(|proc| path(proc.ret));
                format!("result{}", part.unwrap_or_default())
            }
            (_, None) => self.symbol.clone(),
        }
    }

    fn of(
        program: &Program,
        arith: Arith,
        symbol: &str,
        moment: Moment,
        variable: Option<VarId>,
        (ty, offset): (TypeId, u64),
    ) -> Option<Symbol> {
        let found = scalar::find(&program.types, ty, offset, |_| true)?;
        let terms = Terms::new();
        let sort = terms.sort_text(sort(program, &terms, arith, found.ty));
        let word = Binding::word_of(&program.types, found.ty);
        Some(Symbol { symbol: symbol.into(), sort, moment, variable, offset, word })
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
    /// Of a program whose calls are all followed; nothing is taken to be defined.
    pub fn new(arith: Arith, proof: Proof) -> Certificate {
        Certificate { arith, assumed: BTreeSet::new(), proof, unfollowed: Vec::new() }
    }

    /// From a file: all that is wrong whatever the program is.
    pub(crate) fn read(node: &Node<'_>, model: DataModel) -> Result<Certificate, String> {
        let all = [
            "arith",
            "assumed",
            "proof",
            "unfollowed",
            "symbols",
            "invariants",
            "addresses",
            "never",
            "common",
            "summaries",
            "contracts",
            "by",
        ];
        let (unwinding, invariants) = (&all[..4], &all[..9]);
        let procedures = ["arith", "assumed", "proof", "symbols", "invariants", "summaries"];
        let relations = ["arith", "assumed", "proof", "contracts", "by"];
        node.object(&all)?;
        let arith = read_arith(&node.get("arith")?)?;
        let kind = node.get("proof")?;
        let proof = match kind.text()? {
            "unwinding" => {
                node.object(unwinding)?;
                Proof::Unwinding
            }
            "invariants" => {
                node.object(invariants)?;
                Proof::Invariants(Invariants::read(node, model)?)
            }
            "procedures" => {
                node.object(&procedures)?;
                Proof::Procedures(Procedures::read(node)?)
            }
            "relations" => {
                node.object(&relations)?;
                Proof::Relations(Relations::read(node, model)?)
            }
            other => return kind.wrong(format!("`{other}` is no kind of proof")),
        };
        let unfollowed = node.items("unfollowed", NeverTaken::read)?;
        Ok(Certificate { arith, assumed: assumed::read(node)?, proof, unfollowed })
    }
}

/// Each name stands for one thing.
fn once<'s>(node: &Node<'_>, symbols: impl Iterator<Item = &'s String>) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for symbol in symbols {
        if !names.insert(symbol) {
            return node.get("symbols")?.wrong(format!("the symbol `{symbol}` stands twice"));
        }
    }
    Ok(())
}

fn read_word(node: &Node<'_>) -> Result<Option<i32>, String> {
    let Some(word) = node.find("word") else { return Ok(None) };
    match word.number(-128, 128)? {
        0 => word.wrong("a machine integer has bits"),
        bits => Ok(Some(bits)),
    }
}

impl Procedures {
    fn read(node: &Node<'_>) -> Result<Procedures, String> {
        let symbols = node.get("symbols").and_then(|_| node.items("symbols", Symbol::read))?;
        once(node, symbols.iter().map(|s| &s.symbol))?;
        let invariant = |node: &Node<'_>| {
            node.object(&["location", "line", "formula"])?;
            Invariant::read(node)
        };
        let invariants = node.get("invariants").and_then(|_| node.items("invariants", invariant))?;
        let summaries = node.get("summaries").and_then(|_| node.items("summaries", Summary::read))?;
        Ok(Procedures { symbols, invariants, summaries })
    }
}

impl Relations {
    fn read(node: &Node<'_>, model: DataModel) -> Result<Relations, String> {
        let contracts = node.get("contracts")?;
        contracts.object(&["symbols", "invariants", "summaries"])?;
        let contracts = Procedures::read(&contracts)?;
        let by = node.get("by")?;
        let invariants = ["proof", "symbols", "invariants", "addresses", "never", "common"];
        let kind = by.get("proof")?;
        let by = match kind.text()? {
            "unwinding" => by.object(&invariants[..1]).map(|_| Proof::Unwinding)?,
            "invariants" => {
                by.object(&invariants).and_then(|by| Invariants::read(by, model)).map(Proof::Invariants)?
            }
            other => return kind.wrong(format!("`{other}` is no kind of proof here")),
        };
        Ok(Relations { contracts, by: Box::new(by) })
    }
}

impl Summary {
    fn read(node: &Node<'_>) -> Result<Summary, String> {
        node.object(&["procedure", "line", "formula"])?;
        Ok(Summary {
            procedure: node.get("procedure")?.number(0, LARGEST_ID)?,
            line: read_line(node)?,
            formula: node.get("formula")?.text()?.into(),
        })
    }
}

impl Symbol {
    fn read(node: &Node<'_>) -> Result<Symbol, String> {
        node.object(&["symbol", "sort", "moment", "variable", "offset", "word"])?;
        let moment = node.get("moment")?;
        let moment = match moment.text()? {
            "entry" => Moment::Entry,
            "now" => Moment::Now,
            "result" => Moment::Result,
            other => return moment.wrong(format!("`{other}` is no moment")),
        };
        let variable = match (moment, node.find("variable")) {
            (Moment::Result, Some(variable)) => return variable.wrong("a result is no variable"),
            (Moment::Result, None) => None,
            _ => Some(read_variable(&node.get("variable")?)?),
        };
        let symbol = Symbol {
            symbol: node.get("symbol")?.text()?.into(),
            sort: node.get("sort")?.text()?.into(),
            moment,
            variable,
            offset: node.find("offset").map_or(Ok(0), |offset| offset.number(0, u64::MAX))?,
            word: read_word(node)?,
        };
        if symbol.symbol.is_empty() { node.wrong("a symbol has a name") } else { Ok(symbol) }
    }
}

/// A variable of the source program, under no calls.
fn read_variable(node: &Node<'_>) -> Result<VarId, String> {
    let text = node.text()?;
    match read_object(text) {
        Some(ObjectKey::Var(var, calls)) if calls.is_empty() => Ok(var),
        _ => node.wrong(format!("`{text}` names no variable")),
    }
}

impl Invariants {
    fn read(node: &Node<'_>, model: DataModel) -> Result<Invariants, String> {
        let symbols = node.get("symbols").and_then(|_| node.items("symbols", Binding::read))?;
        once(node, symbols.iter().map(|binding| &binding.symbol))?;
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

fn read_line(node: &Node<'_>) -> Result<u32, String> {
    node.find("line").map_or(Ok(0), |line| line.number(0, u32::MAX))
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
            line: read_line(node)?,
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
            word: read_word(node)?,
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
