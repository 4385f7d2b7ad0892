//! Numbers as people read them.

use std::io::{ErrorKind, Write as _, stdout};
use std::process::exit;
use std::time::Duration;

use anyhow::Result;
use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use kiki_board::printable;
use kiki_stats::Interval;
use serde::Serialize;
use serde_json::Value;

use crate::terminal_text::{printable_json, printable_lines};

/// With a sign and one decimal: `+12.3`.
pub fn signed(value: f64) -> String {
    if value.is_finite() { format!("{value:+.1}") } else { infinity(value).to_owned() }
}

/// `[-5.0, +30.1]`.
pub fn interval(interval: Interval) -> String {
    format!("[{}, {}]", signed(interval.low), signed(interval.high))
}

/// `54.0 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A time in milliseconds: whole ones from 10 on, below that with the digits that tell moves apart: `35`, `3.4`, `0.041`.
pub fn milliseconds(time: Duration) -> String {
    let milliseconds = 1000.0 * time.as_secs_f64();
    match milliseconds {
        0.0 | 10.0.. => format!("{milliseconds:.0}"),
        1.0.. => format!("{milliseconds:.1}"),
        _ => format!("{milliseconds:.3}"),
    }
}

/// A number of points, which may be a half: `7`, `7.5`.
pub fn points(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn infinity(value: f64) -> &'static str {
    if value > 0.0 {
        "+inf"
    } else if value < 0.0 {
        "-inf"
    } else {
        "-"
    }
}

/// A number for JSON, which has no infinities: they are the texts `"inf"` and `"-inf"`.
pub fn json(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| infinity(value).trim_start_matches('+').into(), Value::Number)
}

/// Both ends for JSON.
pub fn json_interval(interval: Interval) -> Value {
    Value::Array(vec![json(interval.low), json(interval.high)])
}

/// What could not be computed stands in JSON as an object with its reason.
pub fn json_or_reason<T>(value: &kiki_stats::Result<T>, write: impl FnOnce(&T) -> Value) -> Value {
    match value {
        Ok(value) => write(value),
        Err(error) => serde_json::json!({ "undefined": error.to_string() }),
    }
}

/// Prints a line, or several, printable whatever words from outside it holds. Whoever reads may have had enough, as `head` has; then there is nothing left to do.
pub fn print_line(line: std::fmt::Arguments<'_>) {
    print_text(&printable_lines(&line.to_string()));
}

fn print_text(text: &str) {
    exit_unless_printed(writeln!(stdout(), "{text}"));
}

/// Prints what need not be UTF-8; see [`print_line`].
pub fn print_bytes(bytes: &[u8]) {
    exit_unless_printed(stdout().write_all(bytes).and_then(|()| stdout().flush()));
}

fn exit_unless_printed(printed: std::io::Result<()>) {
    if let Err(error) = printed {
        exit(if error.kind() == ErrorKind::BrokenPipe { 0 } else { 1 });
    }
}

/// `println!` without its panic; see [`print_line`].
#[macro_export]
macro_rules! say {
    ($($argument:tt)*) => { $crate::numbers::print_line(format_args!($($argument)*)) };
}

/// Prints a value as JSON for programs and people.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print_text(&printable_json(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// A table whose first column is text and whose other columns are numbers.
pub fn table(header: &[impl AsRef<str>], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    let style = TableStyle::new().header_separator(line).bottom_border(line);
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().enumerate().map(|(column, text)| cell(column, text.as_ref())));
    for row in rows {
        table.add_row(row.iter().enumerate().map(|(column, text)| cell(column, text)));
    }
    table
}

fn cell(column: usize, text: &str) -> Cell {
    Cell::new(printable(text)).set_alignment(if column == 0 { CellAlignment::Left } else { CellAlignment::Right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinities_have_a_text_of_their_own() {
        assert_eq!(interval(Interval { low: f64::NEG_INFINITY, high: -3.25 }), "[-inf, -3.2]");
        assert_eq!(json(f64::NEG_INFINITY), Value::from("-inf"));
        assert_eq!(json(f64::INFINITY), Value::from("inf"));
        assert_eq!(json(0.5), Value::from(0.5));
    }

    #[test]
    fn short_times_show_their_fraction() {
        let shown = |microseconds| milliseconds(Duration::from_micros(microseconds));
        assert_eq!([0, 41, 3_440, 35_102].map(shown), ["0", "0.041", "3.4", "35"]);
    }

    #[test]
    fn half_points_show_their_half() {
        assert_eq!((points(7.0), points(7.5)), ("7".to_owned(), "7.5".to_owned()));
    }
}
