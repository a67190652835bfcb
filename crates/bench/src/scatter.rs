//! A scatter plot of times, one point a task, both axes logarithmic; a self-contained SVG.
//!
//! What only one side solved stands on the line of the other one's limit.

use crate::svg::{self, escape};
use std::fmt::Write as _;

/// A task; `None` is a side that did not solve it.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub name: String,
    pub x: Option<f64>,
    pub y: Option<f64>,
}

/// Length of both axes, and the space around them.
const SIDE: f64 = 480.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 60.0;
const WIDTH: f64 = LEFT + SIDE + 40.0;
const HEIGHT: f64 = TOP + SIDE + 64.0;

/// Shorter times are drawn at the edge.
const SHORTEST_S: f64 = 0.01;

const STYLE: &str = "\
.even{stroke:#808890;stroke-dasharray:none}\
.factor{stroke:#808890;stroke-opacity:.6;stroke-dasharray:2 4}\
.limit{stroke:#808890;stroke-dasharray:6 4}\
circle{fill-opacity:.65;stroke-width:1}\
.both{fill:#3b8ed8;stroke:#3b8ed8}\
.x{fill:#d98324;stroke:#d98324}\
.y{fill:#2fa36b;stroke:#2fa36b}";

/// The scale of both axes: from [`SHORTEST_S`] to the limit, and a little further for what was not solved.
struct Scale {
    limit: f64,
}

impl Scale {
    /// Part of the axis up to the limit.
    const WITHIN: f64 = 0.94;

    /// Distance from the origin along an axis.
    fn at(&self, seconds: Option<f64>) -> f64 {
        let share = match seconds {
            Some(s) => {
                let s = s.clamp(SHORTEST_S, self.limit);
                (s / SHORTEST_S).ln() / (self.limit / SHORTEST_S).ln() * Self::WITHIN
            }
            None => (1.0 + Self::WITHIN) / 2.0,
        };
        share * SIDE
    }

    fn x(&self, seconds: Option<f64>) -> f64 {
        LEFT + self.at(seconds)
    }

    fn y(&self, seconds: Option<f64>) -> f64 {
        TOP + SIDE - self.at(seconds)
    }
}

/// `names` are those of the axes, `limit_s` the longer of both limits.
pub fn svg(names: [&str; 2], points: &[Point], limit_s: f64) -> String {
    let longest = points.iter().flat_map(|p| [p.x, p.y]).flatten().fold(limit_s, f64::max);
    let scale = Scale { limit: longest.max(10.0 * SHORTEST_S) };
    let [x_name, y_name] = names.map(escape);
    let title = format!("CPU time: {x_name} against {y_name}");
    let mut text = svg::head(WIDTH, HEIGHT, &title, STYLE);
    frame(&mut text, &scale, &x_name, &y_name);
    let mut count = [0; 3];
    for point in points {
        let (group, class) = match (point.x, point.y) {
            (Some(_), Some(_)) => (0, "both"),
            (Some(_), None) => (1, "x"),
            (None, Some(_)) => (2, "y"),
            (None, None) => continue,
        };
        count[group] += 1;
        let time = |t: Option<f64>| t.map_or_else(|| "not solved".into(), |t| format!("{t:.2} s"));
        let _ = writeln!(
            text,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"><title>{}: {}, {}</title></circle>",
            scale.x(point.x),
            scale.y(point.y),
            escape(&point.name),
            time(point.x),
            time(point.y),
        );
    }
    legend(&mut text, count, &x_name, &y_name);
    text.push_str("</svg>\n");
    text
}

/// Grid, axes, lines of equal time and of ten times as much, limits.
fn frame(text: &mut String, scale: &Scale, x_name: &str, y_name: &str) {
    let (right, bottom) = (LEFT + SIDE, TOP + SIDE);
    let mut line = |class: &str, x1: f64, y1: f64, x2: f64, y2: f64| {
        let _ = writeln!(
            text,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    };
    let ticks: Vec<f64> =
        (-2..).map(|n| 10_f64.powi(n)).take_while(|t| *t <= scale.limit * 1.000_001).collect();
    for tick in &ticks {
        line("grid", scale.x(Some(*tick)), TOP, scale.x(Some(*tick)), bottom);
        line("grid", LEFT, scale.y(Some(*tick)), right, scale.y(Some(*tick)));
    }
    let (low, high) = (Some(SHORTEST_S), Some(scale.limit));
    line("even", scale.x(low), scale.y(low), scale.x(high), scale.y(high));
    let (low_10, high_10) = (Some(10.0 * SHORTEST_S), Some(scale.limit / 10.0));
    line("factor", scale.x(low), scale.y(low_10), scale.x(high_10), scale.y(high));
    line("factor", scale.x(low_10), scale.y(low), scale.x(high), scale.y(high_10));
    line("limit", scale.x(high), TOP, scale.x(high), bottom);
    line("limit", LEFT, scale.y(high), right, scale.y(high));
    let _ =
        writeln!(text, "<rect class=\"axis\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\"/>");
    for tick in &ticks {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            scale.x(Some(*tick)),
            bottom + 18.0,
            LEFT - 8.0,
            scale.y(Some(*tick)) + 4.0,
        );
    }
    let middle = TOP + SIDE / 2.0;
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x_name}: CPU s</text>\n\
         <text class=\"title\" x=\"20\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 20 {middle:.1})\">{y_name}: CPU s</text>",
        LEFT + SIDE / 2.0,
        bottom + 46.0,
    );
}

fn legend(text: &mut String, count: [usize; 3], x_name: &str, y_name: &str) {
    let entries = [
        ("both", format!("solved by both ({})", count[0])),
        ("x", format!("only by {x_name} ({})", count[1])),
        ("y", format!("only by {y_name} ({})", count[2])),
    ];
    for ((class, label), n) in entries.into_iter().zip(0..) {
        let y = 16.0 + 16.0 * f64::from(n);
        let _ = writeln!(
            text,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/><text x=\"{:.1}\" y=\"{y:.1}\">{label}</text>",
            LEFT + 4.0,
            y - 4.0,
            LEFT + 16.0,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stay_inside_and_names_are_escaped() {
        let point = |x, y| Point { name: "a<b>&\"c\".c".into(), x, y };
        let points =
            [point(Some(0.0), Some(1e9)), point(Some(0.5), None), point(None, Some(3.0)), point(None, None)];
        let text = svg(["old & \"odd\"", "new"], &points, 15.0);
        assert_eq!(text.matches("<title>a&lt;b&gt;&amp;&quot;c&quot;.c").count(), 3);
        assert!(text.contains("only by old &amp; &quot;odd&quot; (1)"), "{text}");
        for coordinate in text.split("cx=\"").skip(1).filter_map(|t| t.split('"').next()) {
            let x: f64 = coordinate.parse().unwrap();
            assert!((LEFT..=LEFT + SIDE).contains(&x), "{x}");
        }
        // Without any point, and without a sensible limit.
        assert!(svg(["a", "b"], &[], 0.0).ends_with("</svg>\n"));
    }
}
