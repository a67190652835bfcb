//! Several sweeps program by program: what SLICE shows in its Table 2 and Figures 8 to 11 (section 6).
//!
//! Only programs with a result in every run are looked at, the smallest first. *Decided* is a SAFE or UNSAFE that counts, see
//! [`Class::is_solved`](crate::record::Class::is_solved). Costs of programs that were not decided tell of the limit and nothing else, so totals are over programs that all runs
//! decided, and over those that both of two runs did.

use crate::figures::{self, Mark, Program, Run};
use crate::record::{Record, VerdictWord};
use crate::results::Results;
use crate::table::Table;
use std::fmt::Write as _;

#[derive(Debug)]
pub struct Programs<'a> {
    names: Vec<String>,
    sides: Vec<&'a Results>,
    /// One record for each run.
    rows: Vec<Vec<&'a Record>>,
}

/// A figure that is summed up over decided programs.
struct Cost {
    title: &'static str,
    decimals: usize,
    of: fn(&Record) -> Option<f64>,
}

const COSTS: [Cost; 3] = [
    Cost { title: "CPU s", decimals: 2, of: |r| Some(r.cpu_s) },
    Cost { title: "refinements", decimals: 0, of: refinements },
    Cost { title: "solver calls", decimals: 0, of: |r| r.stat("solver_calls") },
];

fn refinements(record: &Record) -> Option<f64> {
    record.stat("refinements")
}

/// The size of a program: of the largest of what the runs prepared from it, because those that join operations into blocks keep fewer.
fn size(row: &[&Record], what: &str) -> Option<f64> {
    row.iter().filter_map(|r| r.stat(what)).reduce(f64::max)
}

fn count(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |v| format!("{v:.0}"))
}

impl<'a> Programs<'a> {
    /// The names stand in titles: those of the folders, say.
    pub fn new(names: Vec<String>, sides: &'a [Results]) -> Self {
        let known: Vec<_> = sides.iter().map(Results::by_key).collect();
        let first = sides.first().map_or(&[][..], |s| s.records.as_slice());
        let mut rows: Vec<Vec<&Record>> = first
            .iter()
            .filter_map(|record| known.iter().map(|side| side.get(&record.key()).copied()).collect())
            .collect();
        rows.sort_by_key(|row| size(row, "locations").map(|n| n as u64));
        Programs { names, sides: sides.iter().collect(), rows }
    }

    /// For `programs.md`.
    pub fn to_markdown(&self) -> String {
        let mut text = self.totals();
        let _ = write!(text, "\nProgram by program, the smallest first:\n\n{}", self.table().to_markdown());
        text
    }

    /// How each run did, all of them on common ground, and each two.
    pub fn totals(&self) -> String {
        let mut text = format!("# {}\n\n", self.names.join(", "));
        for (name, side) in self.names.iter().zip(&self.sides) {
            let _ = writeln!(text, "- {name}: {}, {} results", side.header, side.records.len());
        }
        let _ = writeln!(text, "\n{} programs have a result in every run.", self.rows.len());
        let decided = |row: &&Vec<&Record>| row.iter().all(|r| r.class.is_solved());
        let by_all: Vec<&Vec<&Record>> = self.rows.iter().filter(decided).collect();
        let _ = write!(text, "\nVerdicts:\n\n{}", self.verdicts().to_markdown());
        let _ = write!(
            text,
            "\nCost on the programs that every run decided ({}):\n\n{}",
            by_all.len(),
            self.costs(&by_all).to_markdown()
        );
        if self.names.len() > 2 {
            let _ = write!(
                text,
                "\nEach two on the programs that both decided, ratios are second / first:\n\n{}",
                self.pairs().to_markdown()
            );
        }
        text
    }

    /// Figures 8 to 11.
    pub fn to_svg(&self) -> String {
        let programs = self.rows.iter().map(|row| Program {
            name: row[0].task.clone(),
            locations: size(row, "locations"),
            loops: size(row, "loops"),
        });
        let runs = self.names.iter().enumerate().map(|(n, name)| Run {
            name: name.clone(),
            marks: self.rows.iter().map(|row| mark(row[n])).collect(),
        });
        figures::svg(&programs.collect::<Vec<_>>(), &runs.collect::<Vec<_>>())
    }

    fn columns(&self, first: &[&str]) -> Vec<String> {
        first.iter().map(ToString::to_string).chain(self.names.iter().cloned()).collect()
    }

    fn verdicts(&self) -> Table {
        let mut table = Table::new(&self.columns(&[""]));
        let mut row = |title: &str, counts: &dyn Fn(&Record) -> bool| {
            let of = |n: usize| self.rows.iter().filter(|row| counts(row[n])).count().to_string();
            table.row([title.to_string()].into_iter().chain((0..self.names.len()).map(of)));
        };
        for verdict in [VerdictWord::Unsafe, VerdictWord::Safe] {
            row(&verdict.to_string(), &|r| r.class.is_solved() && r.verdict() == Some(verdict));
        }
        row("undecided", &|r| !r.class.is_solved());
        table
    }

    fn costs(&self, rows: &[&Vec<&Record>]) -> Table {
        let mut table = Table::new(&self.columns(&[""]));
        for cost in COSTS {
            let sum = |n: usize| match rows.iter().map(|row| (cost.of)(row[n])).sum::<Option<f64>>() {
                Some(sum) => format!("{:.*}", cost.decimals, sum + 0.0),
                None => "-".into(),
            };
            table.row([cost.title.to_string()].into_iter().chain((0..self.names.len()).map(sum)));
        }
        table
    }

    fn pairs(&self) -> Table {
        let mut titles = ["first", "second", "both", "only first", "only second"].map(String::from).to_vec();
        titles.extend(COSTS.iter().map(|cost| cost.title.to_string()));
        let mut table = Table::new(&titles);
        for a in 0..self.names.len() {
            for b in a + 1..self.names.len() {
                let part = |first: bool, second: bool| {
                    let wanted = move |row: &&Vec<&Record>| {
                        (row[a].class.is_solved(), row[b].class.is_solved()) == (first, second)
                    };
                    self.rows.iter().filter(wanted).collect::<Vec<_>>()
                };
                let both = part(true, true);
                let ratio = |cost: &Cost| {
                    let sum = |n: usize| both.iter().map(|row| (cost.of)(row[n])).sum::<Option<f64>>();
                    match (sum(a), sum(b)) {
                        (Some(x), Some(y)) if x > 0.0 => {
                            format!("{x:.0$} : {y:.0$} = {1:.2}", cost.decimals, y / x)
                        }
                        _ => "-".into(),
                    }
                };
                let mut cells = vec![self.names[a].clone(), self.names[b].clone()];
                cells.extend([&both, &part(true, false), &part(false, true)].map(|p| p.len().to_string()));
                cells.extend(COSTS.iter().map(ratio));
                table.row(cells);
            }
        }
        table
    }

    fn table(&self) -> Table {
        let mut titles = ["no.", "program", "locations", "loops"].map(String::from).to_vec();
        for name in &self.names {
            titles.extend(["result", "CPU s", "refinements"].map(|what| format!("{name}: {what}")));
        }
        let mut table = Table::new(&titles);
        for (number, row) in (1..).zip(&self.rows) {
            let mut cells = vec![
                number.to_string(),
                row[0].task.clone(),
                count(size(row, "locations")),
                count(size(row, "loops")),
            ];
            for record in row {
                let result = match (record.class.is_solved(), record.verdict()) {
                    (true, Some(verdict)) => verdict.to_string(),
                    _ => record.class.to_string(),
                };
                cells.extend([result, format!("{:.2}", record.cpu_s), count(refinements(record))]);
            }
            table.row(cells);
        }
        table
    }
}

/// What the pictures show of a result.
fn mark(record: &Record) -> Option<Mark> {
    record.class.is_solved().then(|| Mark {
        safe: record.verdict() == Some(VerdictWord::Safe),
        refinements: refinements(record),
        cpu_s: record.cpu_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::solved;
    use crate::results::tests::header;
    use crate::task::Expected;
    use serde_json::json;

    /// A run on some programs: locations, loops, verdict, CPU seconds, refinements.
    fn run(engine: &str, tasks: &[(&str, u64, u64, VerdictWord, f64, u64)]) -> Results {
        let mut header = header();
        header.options = vec!["--engine".into(), engine.into()];
        let records = tasks.iter().map(|&(name, locations, loops, verdict, cpu, refinements)| {
            let mut record = solved(name, Expected::Unknown, verdict, cpu, 10 * refinements);
            let stats = json!({"locations": locations, "loops": loops, "refinements": refinements});
            let known = record.check.as_mut().unwrap()["stats"].as_object_mut().unwrap();
            known.extend(stats.as_object().unwrap().clone());
            record
        });
        Results { header, records: records.collect() }
    }

    fn runs() -> Vec<Results> {
        use VerdictWord::{Safe, Unknown, Unsafe};
        let mut without = run("bmc", &[("d.bpl", 4, 1, Safe, 0.5, 0), ("c.bpl", 9, 2, Unsafe, 0.25, 0)]);
        for record in &mut without.records {
            let stats = record.check.as_mut().unwrap()["stats"].as_object_mut().unwrap();
            stats.remove("refinements");
        }
        without.records.extend(
            run("bmc", &[("a.bpl", 2, 0, Unknown, 15.0, 0), ("b.bpl", 3, 1, Unknown, 15.0, 0)]).records,
        );
        vec![
            run(
                "predicate",
                &[
                    ("c.bpl", 50, 2, Unsafe, 2.0, 120),
                    ("a.bpl", 12, 0, Unsafe, 0.1, 0),
                    ("b.bpl", 20, 1, Safe, 0.5, 3),
                    ("d.bpl", 90, 4, Unknown, 15.0, 900),
                    ("only-here.bpl", 1, 0, Safe, 1.0, 1),
                ],
            ),
            run(
                "slicing",
                &[
                    ("a.bpl", 2, 0, Unsafe, 0.2, 0),
                    ("b.bpl", 3, 1, Safe, 0.25, 1),
                    ("c.bpl", 9, 2, Unsafe, 1.0, 20),
                    ("d.bpl", 14, 4, Safe, 4.0, 70),
                ],
            ),
            without,
        ]
    }

    fn named(sides: &[Results]) -> Programs<'_> {
        let names = ["predicate", "slicing", "bmc"].map(String::from);
        Programs::new(names[..sides.len()].to_vec(), sides)
    }

    #[test]
    fn three_runs_read_well() {
        let sides = runs();
        let programs = named(&sides);
        insta::assert_snapshot!(programs.to_markdown());
        insta::assert_snapshot!(programs.to_svg());
    }

    #[test]
    fn two_runs_need_no_table_of_pairs() {
        let sides = runs();
        let text = named(&sides[..2]).to_markdown();
        assert!(text.contains("Cost on the programs that every run decided (3)"), "{text}");
        assert!(text.contains("| refinements  | 123       | 21      |"), "{text}");
        assert!(!text.contains("Each two"), "{text}");
    }

    #[test]
    fn nothing_in_common_is_no_drama() {
        let sides = [runs().remove(0), Results { header: header(), records: Vec::new() }];
        let programs = named(&sides);
        assert!(programs.to_markdown().contains("0 programs have a result in every run"));
        assert!(programs.to_svg().ends_with("</svg>\n"));
    }
}
