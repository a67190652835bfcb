//! Markdown tables.

use std::fmt::Write;

/// A table with a title row; columns are padded, so that it reads well as plain text too.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(titles: &[impl ToString]) -> Self {
        Table { rows: vec![titles.iter().map(ToString::to_string).collect()] }
    }

    /// Cells beyond the titles are dropped, missing ones are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let width = self.rows[0].len();
        let mut row: Vec<String> = cells.into_iter().take(width).map(|c| escape(&c)).collect();
        row.resize(width, String::new());
        self.rows.push(row);
    }

    /// Has it no row but the titles?
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    pub fn to_markdown(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(text, "| {cell:width$} ");
            }
            text.push_str("|\n");
            if index == 0 {
                for width in &widths {
                    let _ = write!(text, "|{}", "-".repeat(width + 2));
                }
                text.push_str("|\n");
            }
        }
        text
    }
}

/// Text that would end a cell or a line.
fn escape(cell: &str) -> String {
    cell.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_and_escaped() {
        let mut table = Table::new(&["set", "n"]);
        table.row(["dev".into(), "258".into(), "dropped".into()]);
        table.row(["a|b\nc".into()]);
        assert_eq!(
            table.to_markdown(),
            "| set    | n   |\n|--------|-----|\n| dev    | 258 |\n| a\\|b c |     |\n"
        );
    }
}
