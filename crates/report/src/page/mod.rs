//! An answer as one page that needs nothing else: verdict, source with the run stepping through it or with the proof in its margin, assumptions,
//! the control-flow automaton, what engines did.
//!
//! The page is a template (`page.html`, `page.css`, `page.js`) with the data of the answer as JSON in it ([`data`]). It asks no network for anything.

mod data;
mod graph;

use crate::Cost;
use craig_solve::Answer;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page. `text`: the program as its author wrote it, if that can be read; otherwise it is put together from what the preprocessor left.
pub fn page(file: &str, text: Option<&str>, answer: &Answer, cost: &Cost) -> String {
    let data = data::Data::new(file, text, answer, cost);
    let json = serde_json::to_string(&data).unwrap_or_else(|_| "{}".into());
    fill(&format!("{}: {}", answer.verdict.name(), file), &json)
}

/// The template with its parts. What is put in is not looked through for places to fill.
fn fill(title: &str, json: &str) -> String {
    let mut out = String::with_capacity(json.len() + TEMPLATE.len() + STYLE.len() + SCRIPT.len());
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else { break };
        match name {
            "title" => out.push_str(&escaped(title)),
            "style" => out.push_str(STYLE),
            "script" => out.push_str(SCRIPT),
            // `</script>` in a string of the program would end the data.
            _ => out.push_str(&json.replace('<', "\\u003c")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
