//! The log: everything goes to a file, and important messages to the terminal.
//!
//! Servers and engines are not trusted. What they say is made printable and cut, repeated lines are
//! counted, and lines that come too fast are left out and counted.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use kiki_driver::{LineDirection, LineLogger};
use kiki_text::excerpt_of;
use parking_lot::Mutex;
use tracing::level_filters::LevelFilter;
use tracing::{Metadata, debug, trace};
use tracing_subscriber::Layer as _;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output::{LiveLine, QueuedOutput};
use crate::settings::LogSettings;

const LONGEST_LINE: usize = 2000;

/// How often the count of a repeated line is written.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
struct LogLimits {
    /// Bytes at once.
    burst: f64,
    /// Bytes a second after that.
    rate: f64,
}

/// A writer of log lines for `tracing`. Clones share it.
#[derive(Clone)]
struct LogWriter(Arc<Mutex<LogState>>);

struct LogState {
    /// Gets whole lines.
    out: Box<dyn Fn(&str) + Send>,
    /// Whether each line begins with a time and a blank.
    has_times: bool,
    limits: LogLimits,
    /// The last line without its time, the number of its repeats not yet written, and when that
    /// number was last written.
    last: String,
    repeats: u64,
    reported: Instant,
    budgets: HashMap<String, LogBudget>,
}

struct LogBudget {
    left: f64,
    filled: Instant,
    left_out: u64,
}

impl LogWriter {
    fn new(out: impl Fn(&str) + Send + 'static, has_times: bool, limits: LogLimits) -> Self {
        let (last, reported, budgets) = (String::new(), Instant::now(), HashMap::new());
        let out = Box::new(out);
        Self(Arc::new(Mutex::new(LogState { out, has_times, limits, last, repeats: 0, reported, budgets })))
    }

    fn finish(&self) {
        let mut state = self.0.lock();
        let mut text = state.repeats();
        for budget in state.budgets.values_mut() {
            text += &budget.left_out();
        }
        state.write(&text);
    }
}

impl LogState {
    fn put(&mut self, module: &str, text: &str, now: Instant) {
        let message = if self.has_times { text.split_once(' ').map_or(text, |(_, rest)| rest) } else { text };
        if message == self.last {
            self.repeats += 1;
            if now.saturating_duration_since(self.reported) >= REPORT_INTERVAL {
                self.reported = now;
                let text = self.repeats();
                self.write(&text);
            }
            return;
        }
        message.clone_into(&mut self.last);
        let mut before = self.repeats();
        self.reported = now;
        let limits = self.limits;
        let full = || LogBudget { left: limits.burst, filled: now, left_out: 0 };
        let budget = self.budgets.entry(module.to_owned()).or_insert_with(full);
        if budget.take(text.len(), limits, now) {
            before += &budget.left_out();
            before += &printable_lines(text);
        } else {
            budget.left_out += 1;
        }
        self.write(&before);
    }

    fn repeats(&mut self) -> String {
        match std::mem::take(&mut self.repeats) {
            0 => String::new(),
            1 => "(the last line came once more)\n".to_owned(),
            count => format!("(the last line came {count} times more)\n"),
        }
    }

    fn write(&self, text: &str) {
        if !text.is_empty() {
            (self.out)(text);
        }
    }
}

impl LogBudget {
    fn take(&mut self, bytes: usize, limits: LogLimits, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        (self.left, self.filled) = ((self.left + passed * limits.rate).min(limits.burst), now);
        let is_enough = self.left >= bytes as f64;
        if is_enough {
            self.left -= bytes as f64;
        }
        is_enough
    }

    fn left_out(&mut self) -> String {
        let count = std::mem::take(&mut self.left_out);
        if count == 0 { String::new() } else { format!("({count} lines are left out: too many at once)\n") }
    }
}

/// Foreign text with every line made printable and cut, and with a line break at its end.
#[must_use]
pub fn printable_lines(text: &str) -> String {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    lines.map(|line| excerpt_of(line, LONGEST_LINE) + "\n").collect()
}

struct LogLine {
    log: LogWriter,
    module: String,
}

impl Write for LogLine {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.log.0.lock().put(&self.module, &String::from_utf8_lossy(text), Instant::now());
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogWriter {
    type Writer = LogLine;

    fn make_writer(&self) -> LogLine {
        LogLine { log: self.clone(), module: String::new() }
    }

    fn make_writer_for(&self, metadata: &Metadata<'_>) -> LogLine {
        LogLine { log: self.clone(), module: metadata.target().to_owned() }
    }
}

/// Limits of each module for the file. Half a day of lines fits on a disk, whatever the other side
/// sends.
const FILE_LIMITS: LogLimits = LogLimits { burst: 4_194_304.0, rate: 65_536.0 };

/// Limits of each module for the terminal: no user reads faster.
const TERMINAL_LIMITS: LogLimits = LogLimits { burst: 1_048_576.0, rate: 4096.0 };

pub struct Log {
    terminal: LogWriter,
    file: Option<(LogWriter, QueuedOutput)>,
}

impl Log {
    /// Writes the rest, and waits for it at most this long. Fails if not all of the file could be
    /// written.
    pub fn finish(&self, limit: Duration) -> Result<()> {
        self.terminal.finish();
        if let Some((writer, output)) = &self.file {
            writer.finish();
            output.flush_within(limit);
            ensure!(!output.has_failed(), "the log could not be written");
        }
        Ok(())
    }
}

/// Begins to log. Times in the file are UTC. If the file can no longer be written, the terminal
/// shows this once.
pub fn begin(settings: &LogSettings, terminal: &LiveLine, quiet: bool) -> Result<Log> {
    let level: LevelFilter = settings.level.parse().with_context(|| format!("log.level `{}`", settings.level))?;
    let console_level = if quiet { LevelFilter::WARN } else { LevelFilter::INFO };
    let screen = terminal.clone();
    let writer = LogWriter::new(move |lines| screen.print(lines.as_bytes()), false, TERMINAL_LIMITS);
    let plain = || tracing_subscriber::fmt::layer().with_ansi(false).with_target(false);
    let mut layers = vec![plain().without_time().with_writer(writer.clone()).with_filter(console_level).boxed()];
    let (path, screen) = (settings.file.display().to_string(), terminal.clone());
    let tell = move |error: &io::Error| screen.print(format!("the log {path} cannot be written: {error}\n").as_bytes());
    let output = open(&settings.file)?.map(|file| QueuedOutput::with_report(file, tell));
    let file = output.map(|output| {
        let queue = output.clone();
        (LogWriter::new(move |text| queue.put(text.as_bytes().to_vec()), true, FILE_LIMITS), output)
    });
    layers.extend(file.as_ref().map(|(writer, _)| plain().with_writer(writer.clone()).with_filter(level).boxed()));
    tracing_subscriber::registry().with(layers).try_init().context("the log")?;
    Ok(Log { terminal: writer, file })
}

fn open(path: &Path) -> Result<Option<fs::File>> {
    if path.as_os_str().is_empty() {
        return Ok(None);
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("the folder of the log {}", path.display()))?;
    }
    let file = kiki_platform::append_to_file(path);
    file.map(Some).with_context(|| format!("the log {}", path.display()))
}

/// Logs the lines of the engine, `info` lines only at the finest level.
pub(crate) fn engine_lines() -> LineLogger {
    Arc::new(|direction, line| {
        let text = String::from_utf8_lossy(line);
        match direction {
            LineDirection::ToEngine => debug!("engine > {text}"),
            LineDirection::FromEngine if line.starts_with(b"info ") => trace!("engine < {text}"),
            LineDirection::FromEngine => debug!("engine < {text}"),
            LineDirection::StandardError => debug!("engine ! {text}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use crossbeam::channel::unbounded;

    use super::*;

    const LIMITS: LogLimits = LogLimits { burst: 1000.0, rate: 100.0 };

    /// The text written for lines that come at these milliseconds after the first.
    fn written(has_times: bool, lines: &[(u64, &'static str, String)]) -> String {
        let (sender, received) = unbounded();
        let writer = LogWriter::new(move |text| sender.send(text.to_owned()).unwrap(), has_times, LIMITS);
        let begun = Instant::now();
        for (wait, module, line) in lines {
            writer.0.lock().put(module, line, begun + Duration::from_millis(*wait));
        }
        writer.finish();
        received.try_iter().collect()
    }

    fn line(wait: u64, text: &str) -> (u64, &'static str, String) {
        (wait, "module", format!("{text}\n"))
    }

    #[test]
    fn lines_that_repeat_are_counted_whatever_their_times() {
        let lines = [line(0, "1 a"), line(1, "2 a"), line(2, "3 a"), line(3, "4 b"), line(4, "5 b"), line(5, "6 a")];
        assert_eq!(
            written(true, &lines),
            "1 a\n(the last line came 2 times more)\n4 b\n(the last line came once more)\n6 a\n"
        );
        assert_eq!(written(false, &lines[..2]), "1 a\n2 a\n");
    }

    #[test]
    fn a_line_that_repeats_for_long_is_told_meanwhile_and_at_the_end() {
        let lines: Vec<_> = (0..25).map(|second| line(1000 * second, "a")).collect();
        let times = |count| format!("(the last line came {count} times more)\n");
        assert_eq!(written(false, &lines), format!("a\n{}{}{}", times(10), times(10), times(4)));
    }

    #[test]
    fn what_comes_too_fast_is_left_out_and_the_rest_of_the_program_is_still_heard() {
        let flood = |wait, count: u64| (0..count).map(move |number| line(wait, &format!("{number:099}")));
        let mut lines: Vec<_> = flood(0, 1000).collect();
        lines.push((1, "other", "of another module\n".to_owned()));
        lines.extend(flood(2000, 3));
        let text = written(false, &lines);
        let kept: Vec<&str> = text.lines().filter(|line| line.starts_with("000")).collect();
        assert_eq!(kept.len(), 12, "{text}");
        assert!(text.contains("of another module\n(990 lines are left out: too many at once)\n000"), "{text}");
        assert!(text.ends_with("(1 lines are left out: too many at once)\n"), "{text}");
    }

    #[test]
    fn what_others_say_is_printable_and_cut() {
        let text = written(false, &[line(0, "a\u{1b}[2J\rb"), line(0, "x\ny")]);
        assert_eq!(text, "a\\u{1b}[2J\\u{d}b\nx\ny\n");
        assert_eq!(printable_lines(&"x".repeat(3000)).len(), LONGEST_LINE + "...\n".len());
    }
}
