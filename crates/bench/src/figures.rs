//! One picture of several runs program by program, a self-contained SVG: sizes of the programs, which of them each run decided,
//! refinements and time (SLICE, Figures 8 to 11).
//!
//! Unlike in the paper an impulse also says which verdict it was (up SAFE, down UNSAFE), time is logarithmic, and what was not decided
//! has no mark in place of one at zero. Runs differ by shape as well as by colour.

use crate::svg::{self, escape};
use std::fmt::Write as _;

#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub name: String,
    pub locations: Option<f64>,
    pub loops: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub name: String,
    /// For each program; `None` is one that was not decided.
    pub marks: Vec<Option<Mark>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub safe: bool,
    /// An engine that does not refine has none.
    pub refinements: Option<f64>,
    pub cpu_s: f64,
}

const LEFT: f64 = 150.0;
const WIDTH: f64 = 860.0;
const RIGHT: f64 = 30.0;
/// Of a panel with an axis, of the row of a run, and of what stands above and below a panel.
const HEIGHT: f64 = 180.0;
const ROW: f64 = 34.0;
const ABOVE: f64 = 34.0;
const BELOW: f64 = 26.0;
/// Shorter times are drawn at the edge.
const SHORTEST_S: f64 = 0.01;

const STYLE: &str = "\
.m0{fill:#3b8ed8;stroke:#3b8ed8}.m1{fill:#d98324;stroke:#d98324}.m2{fill:#2fa36b;stroke:#2fa36b}\
.m3{fill:#b05cc8;stroke:#b05cc8}.m4{fill:#c8504f;stroke:#c8504f}.m5{fill:#8a8f3a;stroke:#8a8f3a}\
path{fill-opacity:.7}.impulse{stroke-width:2}.end{text-anchor:end}.middle{text-anchor:middle}";
const COLOURS: usize = 6;

/// `programs` in the order of the x-axis.
pub fn svg(programs: &[Program], runs: &[Run]) -> String {
    let panels = [HEIGHT, ROW * runs.len() as f64, HEIGHT, HEIGHT];
    let height = panels.iter().map(|h| ABOVE + h + BELOW).sum::<f64>() + 20.0;
    let mut picture = Picture {
        text: svg::head(LEFT + WIDTH + RIGHT, height, "Program by program", STYLE),
        programs,
        bottom: 0.0,
    };
    picture.sizes();
    picture.verdicts(runs);
    picture.refinements(runs);
    picture.times(runs);
    let _ = writeln!(
        picture.text,
        "<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">number of the program, the smallest first</text>\n</svg>",
        LEFT + WIDTH / 2.0,
        height - 8.0
    );
    picture.text
}

/// A logarithmic axis. Counts begin with 1 and have a place for 0 below it.
struct Scale {
    low: f64,
    high: f64,
    has_zero: bool,
}

impl Scale {
    fn new(low: f64, has_zero: bool, values: impl Iterator<Item = f64>) -> Self {
        // The next power of ten: ticks at both ends.
        let most = values.fold(low * 10.0, f64::max);
        Scale { low, high: 10_f64.powf(most.log10().ceil()), has_zero }
    }

    /// Height above the bottom.
    fn at(&self, value: f64) -> f64 {
        let zero = if self.has_zero { 0.08 } else { 0.0 };
        if value <= 0.0 {
            return 0.0;
        }
        let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        (zero + share * (1.0 - zero)) * HEIGHT
    }

    fn ticks(&self) -> Vec<f64> {
        let powers = (0..).map(|n| self.low * 10_f64.powi(n)).take_while(|t| *t <= self.high * 1.000_001);
        self.has_zero.then_some(0.0).into_iter().chain(powers).collect()
    }
}

struct Picture<'a> {
    text: String,
    programs: &'a [Program],
    /// Of the panel that was begun last.
    bottom: f64,
}

impl Picture<'_> {
    /// The middle of a program's place.
    fn x(&self, program: usize) -> f64 {
        LEFT + (program as f64 + 0.5) * self.slot()
    }

    fn slot(&self) -> f64 {
        WIDTH / self.programs.len().max(1) as f64
    }

    /// The place of the n-th of several marks for one program: beside each other where there is room.
    fn beside(&self, program: usize, n: usize, of: usize) -> f64 {
        let step = (self.slot() / (of as f64 + 1.0)).min(9.0);
        self.x(program) + (n as f64 - (of as f64 - 1.0) / 2.0) * step
    }

    fn label(&self, program: usize) -> String {
        format!("{}: {}", program + 1, escape(&self.programs[program].name))
    }

    /// Title and frame of the next panel, and the numbers below it.
    fn panel(&mut self, title: &str, height: f64) {
        let top = self.bottom + if self.bottom > 0.0 { BELOW } else { 0.0 } + ABOVE;
        self.bottom = top + height;
        let _ = writeln!(
            self.text,
            "<text class=\"title\" x=\"{LEFT}\" y=\"{:.1}\">{title}</text>\n\
             <rect class=\"axis\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{height:.1}\"/>",
            top - 10.0
        );
        let count = self.programs.len();
        let step = [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|s| count / s <= 20).unwrap_or(1000);
        for number in (1..=count).filter(|n| *n == 1 || n % step == 0) {
            let _ = writeln!(
                self.text,
                "<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{number}</text>",
                self.x(number - 1),
                self.bottom + 16.0
            );
        }
    }

    fn axis(&mut self, name: &str, scale: &Scale) {
        for tick in scale.ticks() {
            let y = self.bottom - scale.at(tick);
            let _ = writeln!(
                self.text,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{tick}</text>",
                LEFT + WIDTH,
                LEFT - 8.0,
                y + 4.0
            );
        }
        let (x, y) = (LEFT - 60.0, self.bottom - HEIGHT / 2.0);
        let _ = writeln!(
            self.text,
            "<text class=\"middle\" x=\"{x}\" y=\"{y:.1}\" transform=\"rotate(-90 {x} {y:.1})\">{name}</text>"
        );
    }

    /// A vertical line; `what` is shown where the pointer rests on it.
    fn impulse(&mut self, colour: usize, x: f64, y1: f64, y2: f64, what: &str) {
        let _ = writeln!(
            self.text,
            "<line class=\"impulse m{}\" x1=\"{x:.1}\" y1=\"{y1:.1}\" x2=\"{x:.1}\" y2=\"{y2:.1}\"><title>{what}</title></line>",
            colour % COLOURS
        );
    }

    /// The shape of a run.
    fn mark(&mut self, run: usize, x: f64, y: f64, what: &str) {
        let shape = match run % 4 {
            0 => "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
            1 => "m-3 -3h6v6h-6z",
            2 => "m0 -4l4 7h-8z",
            _ => "m0 -4.5l4 4.5l-4 4.5l-4 -4.5z",
        };
        let _ = writeln!(
            self.text,
            "<path class=\"m{}\" d=\"M{x:.1} {y:.1}{shape}\"><title>{what}</title></path>",
            run % COLOURS
        );
    }

    fn sizes(&mut self) {
        let series = [("locations", 0), ("loops", 1)];
        self.panel("Locations (blue) and loops (orange)", HEIGHT);
        let value = |program: &Program, n: usize| if n == 0 { program.locations } else { program.loops };
        let all = self.programs.iter().flat_map(|p| [p.locations, p.loops]).flatten();
        let scale = Scale::new(1.0, true, all);
        self.axis("count", &scale);
        for (number, program) in self.programs.iter().enumerate() {
            for (title, n) in series {
                let Some(value) = value(program, n) else { continue };
                let (x, y) = (self.beside(number, n, series.len()), self.bottom - scale.at(value));
                let what = format!("{}: {value} {title}", self.label(number));
                self.impulse(n, x, self.bottom, y, &what);
            }
        }
    }

    fn verdicts(&mut self, runs: &[Run]) {
        self.panel("Decided: up SAFE, down UNSAFE", ROW * runs.len() as f64);
        let top = self.bottom - ROW * runs.len() as f64;
        for (n, run) in runs.iter().enumerate() {
            let middle = top + (n as f64 + 0.5) * ROW;
            let name: String = run.name.chars().take(16).collect();
            let decided = run.marks.iter().flatten().count();
            let _ = writeln!(
                self.text,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\"/>\
                 <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{} ({decided})</text>",
                LEFT + WIDTH,
                LEFT - 20.0,
                middle + 4.0,
                escape(&name)
            );
            self.mark(n, LEFT - 9.0, middle, &escape(&run.name));
            for (number, mark) in run.marks.iter().enumerate() {
                let Some(mark) = mark else { continue };
                let (word, length) = if mark.safe { ("SAFE", -0.4 * ROW) } else { ("UNSAFE", 0.4 * ROW) };
                let what = format!("{}: {word}", self.label(number));
                self.impulse(n, self.x(number), middle, middle + length, &what);
            }
        }
    }

    /// The marks of all runs over an axis.
    fn marks(&mut self, runs: &[Run], scale: &Scale, unit: &str, value: impl Fn(&Mark) -> Option<f64>) {
        for (n, run) in runs.iter().enumerate() {
            for (number, mark) in run.marks.iter().enumerate() {
                let Some(value) = mark.as_ref().and_then(&value) else { continue };
                let (x, y) = (self.beside(number, n, runs.len()), self.bottom - scale.at(value));
                let what = format!("{}: {} {value} {unit}", self.label(number), escape(&run.name));
                self.mark(n, x, y, &what);
            }
        }
    }

    fn refinements(&mut self, runs: &[Run]) {
        self.panel("Refinements of the decided programs", HEIGHT);
        let value = |mark: &Mark| mark.refinements;
        let all = runs.iter().flat_map(|run| run.marks.iter().flatten().filter_map(value));
        let scale = Scale::new(1.0, true, all);
        self.axis("refinements", &scale);
        self.marks(runs, &scale, "refinements", value);
    }

    fn times(&mut self, runs: &[Run]) {
        self.panel("Time of the decided programs", HEIGHT);
        let value = |mark: &Mark| Some(mark.cpu_s.max(SHORTEST_S));
        let all = runs.iter().flat_map(|run| run.marks.iter().flatten().filter_map(value));
        let scale = Scale::new(SHORTEST_S, false, all);
        self.axis("CPU s", &scale);
        self.marks(runs, &scale, "s", |mark| Some(mark.cpu_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_inside_and_names_are_escaped() {
        let programs =
            [0.0, 1e6].map(|n| Program { name: "a<b>.bpl".into(), locations: Some(n), loops: None });
        let mark = |refinements, cpu_s| Some(Mark { safe: true, refinements, cpu_s });
        let runs = [("x & y", mark(Some(0.0), 0.0)), ("z", mark(Some(1e9), 1e9)), ("none", mark(None, 1.0))]
            .map(|(name, mark)| Run { name: name.into(), marks: vec![mark, None] });
        let text = svg(&programs, &runs);
        assert!(text.contains("x &amp; y (1)") && text.contains("1: a&lt;b&gt;.bpl: SAFE"), "{text}");
        // Three marks in the legend, two with refinements, three with a time.
        assert_eq!(text.matches("<path").count(), 3 + 2 + 3);
        let bottom: f64 =
            text.split("viewBox=\"").nth(1).unwrap().split(['"', ' ']).nth(3).unwrap().parse().unwrap();
        for place in text.split(" d=\"M").skip(1) {
            let numbers: Vec<f64> = place.split(['m', ' ']).take(2).map(|n| n.parse().unwrap()).collect();
            assert!(numbers[0] > 0.0 && numbers[0] < LEFT + WIDTH, "{numbers:?}");
            assert!(numbers[1] > 0.0 && numbers[1] < bottom, "{numbers:?}");
        }
        assert!(svg(&[], &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn an_axis_ends_with_a_power_of_ten() {
        let scale = Scale::new(1.0, true, [3.0, 250.0].into_iter());
        assert_eq!(scale.ticks(), [0.0, 1.0, 10.0, 100.0, 1000.0]);
        assert_eq!((scale.at(0.0), scale.at(1000.0)), (0.0, HEIGHT));
        assert!(scale.at(1.0) > 0.0 && scale.at(1.0) < scale.at(2.0));
    }
}
