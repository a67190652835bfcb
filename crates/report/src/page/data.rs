//! What a page knows of an answer.

use super::graph::Graph;
use crate::clauses::Clause;
use crate::contract::Contract;
use crate::counterexample::Row;
use crate::json::Record;
use crate::{Cost, counterexample, invariant};
use craig_base::Span;
use craig_cfa::Program;
use craig_solve::Answer;
use craig_verdict::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// Steps of a run that a page has: the first ones and the last ones.
const STEPS: usize = 20_000;

#[derive(Debug, Serialize)]
pub struct Data {
    /// What `--json` prints. Its run is replaced by the longer one of the page.
    record: Record,
    version: &'static str,
    /// The lines of the program; those that nobody knows are empty.
    lines: Vec<String>,
    steps: Vec<Step>,
    /// Steps that were left out, and behind which step.
    left_out: (usize, usize),
    invariants: Vec<Claim>,
    graph: Graph,
}

/// A source line of the run.
#[derive(Debug, Serialize)]
struct Step {
    line: u32,
    depth: usize,
    function: String,
    /// What it says, where the line is not one of the program's own file.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    values: Vec<String>,
    /// Those of them that are parameters of a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<String>,
    edges: Vec<u32>,
}

/// What the proof says of a line, or of everything.
#[derive(Debug, Serialize)]
struct Claim {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The procedure that it is a contract of.
    #[serde(skip_serializing_if = "Option::is_none")]
    procedure: Option<String>,
    conditions: Vec<String>,
}

impl Data {
    pub fn new(file: &str, text: Option<&str>, answer: &Answer, cost: &Cost) -> Data {
        let mut record = Record::new(file, answer, cost, false);
        record.trace.clear();
        let source = &answer.source;
        let lines = match text {
            Some(text) => text.lines().map(str::to_string).collect(),
            None => of_preprocessed(source),
        };
        let (mut steps, mut left_out) = (Vec::new(), (0, 0));
        if let Verdict::Unsafe(_, run) = &answer.verdict {
            steps = counterexample::rows(source, run).into_iter().map(|row| step(row, &lines)).collect();
            if let Some(more) = steps.len().checked_sub(STEPS).filter(|n| *n > 0) {
                steps.drain(STEPS / 2..STEPS / 2 + more);
                left_out = (more, STEPS / 2);
            }
        }
        let contracts = record.contracts.iter().map(of_contract);
        let mut invariants: Vec<Claim> = contracts.chain(record.invariants.iter().map(claim)).collect();
        invariants.retain(|claim| !claim.conditions.is_empty());
        let graph = Graph::new(source);
        let version = env!("CARGO_PKG_VERSION");
        Data { record, version, lines, steps, left_out, invariants, graph }
    }
}

fn step(row: Row, lines: &[String]) -> Step {
    let known = lines.get(row.line.saturating_sub(1) as usize).map(|line| line.trim());
    Step {
        line: row.line,
        depth: row.depth,
        function: row.function.to_string(),
        text: if known == Some(&row.text) { String::new() } else { row.text },
        values: row.values,
        arguments: row.arguments,
        edges: row.edges.iter().map(|edge| edge.raw()).collect(),
    }
}

fn of_contract(contract: &Contract) -> Claim {
    let said = contract.words().into_iter();
    let words = |(word, conditions): (&str, Vec<Clause>)| {
        conditions.iter().map(|c| format!("{word} {}", c.text()).trim().to_string()).collect::<Vec<_>>()
    };
    Claim {
        line: Some(contract.line),
        procedure: Some(contract.procedure.clone()),
        conditions: said.flat_map(words).collect(),
    }
}

fn claim(line: &invariant::Line) -> Claim {
    let conditions = line.conditions.iter().map(|c| c.text().to_string()).collect();
    Claim { line: line.line, procedure: None, conditions }
}

/// The lines of the file that most of a preprocessed program is from, as far as the preprocessor left them.
fn of_preprocessed(program: &Program) -> Vec<String> {
    let source = &program.source;
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for edge in &program.edges {
        *files.entry(source.position(edge.span).file).or_default() += 1;
    }
    let Some((own, _)) = files.into_iter().max_by_key(|(_, edges)| *edges) else { return Vec::new() };
    let mut lines: BTreeMap<u32, &str> = BTreeMap::new();
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let position = source.position(Span::new(at, at + 1));
        at += line.len();
        if position.file == own && !line.starts_with('#') {
            lines.insert(position.line, line.trim_end());
        }
    }
    let last = lines.keys().last().copied().unwrap_or(0);
    (1..=last).map(|line| lines.get(&line).copied().unwrap_or("").to_string()).collect()
}
