//! One set of tasks with several options: what each counted, task by task, in one table.

use crate::record::Record;
use crate::results::Results;
use crate::table::Table;

/// A row for each task and a column for each run; the cells have these counters, or why there are none.
pub fn to_markdown(names: &[String], runs: &[Results], counters: &[String]) -> String {
    let mut table = Table::new(&[&["task".to_string()], names].concat());
    let first = runs.first().map_or(&[][..], |run| run.records.as_slice());
    let known: Vec<_> = runs.iter().map(Results::by_key).collect();
    for record in first {
        let key = record.key();
        let cells = known.iter().map(|run| run.get(&key).map_or(String::new(), |r| cell(r, counters)));
        table.row([record.task.clone()].into_iter().chain(cells));
    }
    format!("Each: {}\n\n{}", counters.join(", "), table.to_markdown())
}

fn cell(record: &Record, counters: &[String]) -> String {
    if !record.class.is_solved() {
        return record.reason();
    }
    let counter = |name: &String| match value(record, name) {
        None => "-".to_string(),
        Some(value) if value.fract() == 0.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    };
    counters.iter().map(counter).collect::<Vec<_>>().join(", ")
}

/// A counter of the engine, or what the process used.
fn value(record: &Record, name: &str) -> Option<f64> {
    match name {
        "cpu_s" => Some(record.cpu_s),
        "wall_s" => Some(record.wall_s),
        "max_rss_mb" => Some(record.max_rss_mb),
        _ => record.stat(name),
    }
}
