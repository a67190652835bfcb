//! What the pictures share: self-contained SVG in colours of middle lightness on no background, so that they read on light and on dark pages.

/// Colour of text and of axes.
pub const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#808890}\
.title{font-size:15px;font-weight:600}\
.grid{stroke:#808890;stroke-opacity:.25}\
.axis{fill:none;stroke:#808890}";

/// The beginning of a picture; `</svg>` ends it.
pub fn head(width: f64, height: f64, title: &str, style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<title>{title}</title>\n<style>{STYLE}{style}</style>\n"
    )
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
