//! `craig explain`: what the words of an answer mean.

use crate::args::Explain;
use crate::code::Code;
use crate::host;
use craig_report::explain::{TOPICS, Topic, topic};

/// Columns of a text.
const WIDTH: usize = 100;

pub fn run(args: &Explain) -> Code {
    let text = match &args.topic {
        None => list(),
        Some(name) => match topic(name) {
            Some(topic) => about(topic),
            None => {
                host::eprint(&format!(
                    "error: there is nothing to say of `{name}`; `craig explain` lists all topics"
                ));
                return Code::Usage;
            }
        },
    };
    host::print(|out| out.write_all(text.as_bytes())).map_or_else(|code| code, |()| Code::Safe)
}

fn about(topic: &Topic) -> String {
    let mut out = format!("{}: {}\n\n", topic.name, topic.short);
    let mut column = 0;
    for word in topic.text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

fn list() -> String {
    let mut out = String::new();
    let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let mut kind = None;
    for topic in TOPICS {
        if kind != Some(topic.kind) {
            let gap = if kind.is_some() { "\n" } else { "" };
            out.push_str(&format!("{gap}{}:\n", topic.kind.title()));
            kind = Some(topic.kind);
        }
        out.push_str(&format!("  {:<width$}  {}\n", topic.name, topic.short));
    }
    out
}
