//! The output of runs: numbers, tables and JSON, warnings, and a progress line. Text from outside
//! is made printable.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdout};
use std::process::exit;
use std::time::{Duration, Instant};

use anyhow::Result;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use indicatif::{ProgressBar, ProgressStyle};
use kiki_driver::EngineError;
use kiki_play::PlayError;
use kiki_stats::Interval;
use kiki_text::{is_printable, printable};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// A time in milliseconds: whole ones from 10 on, below that with decimals: `35`, `3.4`, `0.041`.
pub fn milliseconds(time: Duration) -> String {
    let milliseconds = 1000.0 * time.as_secs_f64();
    match milliseconds {
        0.0 | 10.0.. => format!("{milliseconds:.0}"),
        1.0.. => format!("{milliseconds:.1}"),
        _ => format!("{milliseconds:.3}"),
    }
}

/// A number of seconds, as `2 h 05 min` or `5 min 12 s`.
pub fn time_in_words(seconds: f64) -> String {
    let seconds = Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {:02} s", seconds % 60) }
}

/// `-` for an unknown value.
pub fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A number with its noun: `1 file`, `2 files`.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
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

pub fn json_interval(interval: Interval) -> Value {
    Value::Array(vec![json(interval.low), json(interval.high)])
}

/// In JSON, a value that could not be computed is an object with the reason.
pub fn json_or_reason<T>(value: &kiki_stats::Result<T>, write: impl FnOnce(&T) -> Value) -> Value {
    match value {
        Ok(value) => write(value),
        Err(error) => serde_json::json!({ "undefined": error.to_string() }),
    }
}

/// Prints lines, with text from outside made printable. Exits if the reader closes the pipe early,
/// as `head` does.
pub fn print_line(line: std::fmt::Arguments<'_>) {
    print_text(&printable_lines(&line.to_string()));
}

fn print_text(text: &str) {
    exit_unless_printed(writeln!(stdout(), "{text}"));
}

/// Prints bytes that need not be UTF-8; see [`print_line`].
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
    ($($argument:tt)*) => { $crate::output::print_line(format_args!($($argument)*)) };
}

pub fn print_json(value: &impl Serialize) -> Result<()> {
    print_text(&printable_json(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// A table. A column is text if it is the first, or if most of its cells are not numbers. Texts are
/// aligned to the left, numbers to the right. Long texts are wrapped at the width of the terminal,
/// or at 100 characters.
pub fn table(header: &[impl AsRef<str>], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let are_text: Vec<bool> = (0..header.len()).map(|column| column == 0 || is_text(cells(column))).collect();
    let cell = |(column, text): (usize, &str)| {
        let is_text = are_text.get(column) == Some(&true);
        Cell::new(printable(text)).set_alignment(if is_text { CellAlignment::Left } else { CellAlignment::Right })
    };
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    let style = TableStyle::new().header_separator(line).bottom_border(line);
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(AsRef::as_ref).enumerate().map(cell));
    for row in &rows {
        table.add_row(row.iter().map(String::as_str).enumerate().map(cell));
    }
    wrap(&mut table, &are_text);
    table
}

/// Whether most cells are not numbers. Empty ones and dashes do not count.
fn is_text<'a>(cells: impl Iterator<Item = &'a String>) -> bool {
    let (numbers, texts): (Vec<&String>, Vec<&String>) =
        cells.filter(|cell| !["", "-"].contains(&cell.trim())).partition(|cell| is_number(cell));
    texts.len() > numbers.len()
}

/// Whether a cell has numbers only, with units and signs.
fn is_number(cell: &str) -> bool {
    cell.split_whitespace().all(|word| {
        let plain = word.trim_matches(['[', ']', '(', ')', ',', '+']);
        let has_letters = plain.chars().any(char::is_alphabetic);
        !has_letters || plain.parse::<f64>().is_ok() || ["h", "min", "s", "ms", "Elo"].contains(&plain)
    })
}

/// Wraps the texts of a table that is too wide, but none to less than 24 characters. The first
/// column, of names, stays whole.
fn wrap(table: &mut Table, are_text: &[bool]) {
    const WIDTH: u16 = 100;
    const LEAST: u16 = 24;
    const GAP: u16 = 3;
    const PADDING: u16 = 2;
    let limit = table.width().unwrap_or(WIDTH);
    let widths = table.column_max_content_widths();
    let capped =
        |column: usize, cap: u16| if column > 0 && are_text[column] { widths[column].min(cap) } else { widths[column] };
    let is_narrow = |&cap: &u16| {
        (0..widths.len()).fold(0, |sum: u16, column| sum.saturating_add(capped(column, cap)).saturating_add(GAP))
            <= limit
    };
    let cap = (LEAST..=limit.max(LEAST)).rev().find(is_narrow).unwrap_or(LEAST);
    for (column, &width) in widths.iter().enumerate() {
        if capped(column, cap) < width
            && let Some(column) = table.column_mut(column)
        {
            column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(cap + PADDING)));
        }
    }
}

/// Makes each line printable. Line ends and tabs stay, so those within text from outside must be
/// escaped before.
pub fn printable_lines(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(printable).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Makes JSON printable by JSON escapes, which keep its values.
fn printable_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || is_printable(character) {
            shown.push(character);
        } else {
            // Only JSON strings hold such characters.
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

/// Adds the option that caused the error.
pub fn name_option(error: PlayError) -> anyhow::Error {
    let option = match &error {
        PlayError::Log { .. } => "--log",
        PlayError::Affinity(_) => "--affinity",
        PlayError::Engine { reason, .. } if matches!(reason.engine_error(), Some(EngineError::TimedOut { .. })) => {
            "--ready-timeout"
        }
        PlayError::Engine { .. } | PlayError::Option(_) | PlayError::Cancelled => return error.into(),
    };
    anyhow::Error::new(error).context(option)
}

/// Prints a warning on standard error, as when a log can no longer be written.
pub fn print_warning(text: &str) {
    let line = printable_lines(&warning(text));
    match &*SHOWN.lock() {
        Some(bar) => bar.println(line),
        None => write_line(&line),
    }
}

/// A warning as it is printed.
pub fn warning(text: &str) -> String {
    format!("kiki-lab: {text}")
}

/// Interval between lines where standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The progress bar on the terminal: warnings are printed above it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// How far the run of a process is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub unit: String,
    pub done: u64,
    pub scheduled: u64,
    /// Units done by this process, each second.
    pub speed: f64,
}

impl Progress {
    /// The expected time to the end in seconds; `None` before the first unit.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        (self.speed > 0.0).then(|| self.scheduled.saturating_sub(self.done) as f64 / self.speed)
    }
}

static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);

/// What the progress line of this process shows.
pub fn progress() -> Option<Progress> {
    PROGRESS.lock().clone()
}

/// What the workers of a run do. The progress line shows it after its message.
static WORKER_STATUS: Mutex<String> = Mutex::new(String::new());

/// Sets what the progress line shows about the workers of a run.
pub fn set_worker_status(text: String) {
    *WORKER_STATUS.lock() = text;
}

/// The speed, a message, and the status of the workers.
fn with_speed_and_workers(speed: f64, message: &str) -> String {
    let status = WORKER_STATUS.lock();
    let speed = if speed < 10.0 { format!("{speed:.2} a second") } else { format!("{speed:.0} a second") };
    let parts = [&speed, message, status.as_str()];
    printable_lines(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "))
}

/// A progress bar, or a new line now and then if standard error is no terminal.
pub struct ProgressLine {
    bar: ProgressBar,
    unit: &'static str,
    /// Without a terminal: when the last line was written.
    last_line: Option<Instant>,
    /// Units that an earlier run had done.
    before: u64,
}

impl ProgressLine {
    /// The progress line of `scheduled` units of work; an earlier run has done `before` of them.
    pub fn new(unit: &'static str, scheduled: u64, before: u64) -> Self {
        let bar = ProgressBar::new(scheduled);
        let template = format!("{{elapsed_precise}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left\n{{msg}}");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(before);
        // The speed is that of this run.
        bar.reset_eta();
        let last_line = (!stderr().is_terminal()).then(Instant::now);
        if last_line.is_none() {
            *SHOWN.lock() = Some(bar.clone());
        }
        Self { bar, unit, last_line, before }
    }

    /// Updates the number of units done, and a message about the results.
    pub fn show(&mut self, done: u64, message: impl FnOnce() -> String) {
        let speed = done.saturating_sub(self.before) as f64 / self.bar.elapsed().as_secs_f64().max(1e-9);
        let scheduled = self.bar.length().unwrap_or(0);
        let progress = Progress { unit: self.unit.to_owned(), done, scheduled, speed };
        let left = progress.seconds_left();
        *PROGRESS.lock() = Some(progress);
        let Some(last) = self.last_line else {
            self.bar.set_position(done);
            self.bar.set_message(with_speed_and_workers(speed, &message()));
            return;
        };
        if last.elapsed() >= LINE_EVERY {
            self.last_line = Some(Instant::now());
            let left = left.map_or_else(|| "time unknown".to_owned(), |left| format!("{} left", time_in_words(left)));
            let message = with_speed_and_workers(speed, &message());
            write_line(&format!("{done}/{scheduled} {}, {left}; {message}", self.unit));
        }
    }

    /// Sets the expected number of units, which determines the bar and the time left.
    pub fn expect(&self, units: u64) {
        self.bar.set_length(units);
    }

    /// Prints a line at once.
    pub fn print(&self, line: impl Display) {
        let line = printable_lines(&line.to_string());
        if self.last_line.is_some() { write_line(&line) } else { self.bar.println(line) }
    }

    /// Removes the line from the terminal.
    pub fn finish(&self) {
        *SHOWN.lock() = None;
        *PROGRESS.lock() = None;
        self.bar.finish_and_clear();
    }
}

/// A closed standard error does not end long work, as it would with `eprintln!`.
fn write_line(line: &str) {
    let _ = writeln!(stderr(), "{line}");
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
    fn one_thing_is_singular() {
        let files = |count: usize| counted(count, "file");
        assert_eq!([0, 1, 2].map(files), ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn half_points_show_their_half() {
        assert_eq!((points(7.0), points(7.5)), ("7".to_owned(), "7.5".to_owned()));
    }

    fn lines_of_table(header: [&str; 4], rows: &[[&str; 4]]) -> Vec<String> {
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        table(&header, rows).to_string().lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn texts_are_left_aligned_and_numbers_right_aligned() {
        let rows = [
            ["razoring", "+12.5", "use_razoring=0", "[-5.0, +inf]"],
            ["null-move", "-", "-", "1 min 05 s"],
            ["x", "7", "a=1", "12 %"],
        ];
        let lines = lines_of_table(["step", "value", "switched off by", "left"], &rows);
        assert_eq!(lines[0], " step        value   switched off by           left");
        assert_eq!(lines[2], " razoring    +12.5   use_razoring=0    [-5.0, +inf]");
        assert_eq!(lines[3], " null-move       -   -                   1 min 05 s");
        assert_eq!(lines[4], " x               7   a=1                       12 %");
    }

    #[test]
    fn a_table_wider_than_100_characters_wraps_its_long_texts() {
        let long = "nodes far above beta are cut ".repeat(9);
        let lines = lines_of_table(["step", "value", "what", "by"], &[["a", "1", &long, "use_x=0"]]);
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:#?}");
        assert_eq!(lines.iter().map(|line| line.matches("beta").count()).sum::<usize>(), 9, "{lines:#?}");
        assert!(lines[2].contains("use_x=0"), "{lines:#?}");
    }

    const HOSTILE: &str = "a\x1b[2J\u{9b}31m\u{202e}\u{e0041}\u{7f}歩";

    #[test]
    fn lines_stay_lines_and_hold_nothing_that_is_obeyed() {
        assert_eq!(printable_lines("a\tb\r\n\x1b\n"), "a\tb\\u{d}\n\\u{1b}\n");
        assert_eq!(printable_lines(HOSTILE), printable(HOSTILE));
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, "\n\t\"\\"], "n": 1.5 });
        let text = printable_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(printable_lines(&text), text);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
