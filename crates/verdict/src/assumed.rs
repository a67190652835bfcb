//! Operations that a proof takes to be defined, as certificates list them.
//!
//! A proof that lists some speaks of the program in which they are assumed ([`craig_cfa::pass::guard()`]): checker and gate make that program themselves from the
//! source program and the list, and nothing else is assumed.

use crate::certificate::{Certificate, LARGEST_ID};
use crate::outcome::{Reason, Refusal};
use crate::tree::Node;
use craig_base::Budget;
use craig_cfa::defined::Rule;
use craig_cfa::pass::{Guard, guard};
use craig_cfa::{EdgeId, Program};
use serde::ser::{SerializeSeq, Serializer};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The program that a certificate speaks of.
pub fn program<'a>(
    source: &'a Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Cow<'a, Program>, Reason> {
    let guards = &certificate.assumed;
    if guards.is_empty() {
        return Ok(Cow::Borrowed(source));
    }
    if let Some(beyond) = guards.iter().find(|guard| guard.edge.index() >= source.edges.len()) {
        return Err(Refusal::Edge { edge: beyond.edge.raw() }.into());
    }
    Ok(Cow::Owned(guard(source, guards, budget)?))
}

pub(crate) fn serialize<S: Serializer>(guards: &BTreeSet<Guard>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Assumed {
        edge: u32,
        rule: &'static str,
    }
    let mut list = serializer.serialize_seq(Some(guards.len()))?;
    for Guard { edge, rule } in guards {
        list.serialize_element(&Assumed { edge: edge.raw(), rule: rule.name() })?;
    }
    list.end()
}

/// The list of a certificate in a file.
pub(crate) fn read(node: &Node<'_>) -> Result<BTreeSet<Guard>, String> {
    let guard = |node: &Node<'_>| {
        node.object(&["edge", "rule"])?;
        let rule = node.get("rule")?;
        let Some(kept) = Rule::named(rule.text()?) else {
            return rule.wrong(format!("`{}` is no rule", rule.text()?));
        };
        Ok(Guard { edge: EdgeId::from_raw(node.get("edge")?.number(0, LARGEST_ID)?), rule: kept })
    };
    let all = node.items("assumed", guard)?;
    if let Some(twice) = (1..all.len()).find(|i| all[..*i].contains(&all[*i])) {
        return node.get("assumed")?.wrong(format!("edge {} stands twice", all[twice].edge.raw()));
    }
    Ok(all.into_iter().collect())
}
