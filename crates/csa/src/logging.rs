//! The log: everything to a file, and what people want to know to the terminal.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kiki_driver::{LineDirection, LineLogger};
use tracing::level_filters::LevelFilter;
use tracing::{debug, trace};
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::live_line::LiveLine;
use crate::log_writer::{LogLimits, LogWriter};
use crate::queued_output::QueuedOutput;
use crate::settings::LogSettings;

/// What each module may write to the file: half a day's worth of lines fits a disk, whoever is on the other side.
const FILE_LIMITS: LogLimits = LogLimits { burst: 4_194_304.0, rate: 65_536.0 };

/// What each module may write to the terminal, where nobody reads faster.
const TERMINAL_LIMITS: LogLimits = LogLimits { burst: 1_048_576.0, rate: 4096.0 };

/// A log that is being written.
pub struct Log {
    terminal: LogWriter<LiveLine>,
    file: Option<(LogWriter<QueuedOutput>, QueuedOutput)>,
}

impl Log {
    /// Writes the rest, and waits for it no longer than this.
    ///
    /// # Errors
    /// Not all of the file could be written.
    pub fn finish(&self, patience: Duration) -> Result<()> {
        self.terminal.finish();
        if let Some((writer, output)) = &self.file {
            writer.finish();
            output.flush_within(patience);
            ensure!(!output.has_failed(), "the log could not be written");
        }
        Ok(())
    }
}

/// Begins to log. Times in the file are UTC. A file that cannot be written any more is told once on the terminal.
///
/// # Errors
/// The file cannot be opened.
pub fn begin(settings: &LogSettings, terminal: &LiveLine, quiet: bool) -> Result<Log> {
    let level: LevelFilter = settings.level.parse().with_context(|| format!("log.level `{}`", settings.level))?;
    let console_level = if quiet { LevelFilter::WARN } else { LevelFilter::INFO };
    let writer = LogWriter::new(terminal.clone(), false, TERMINAL_LIMITS);
    let console = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_writer(writer.clone())
        .with_filter(console_level);
    let (path, told) = (settings.file.display().to_string(), terminal.clone());
    let tell = move |error: &io::Error| told.print(format!("the log {path} cannot be written: {error}\n").as_bytes());
    let output = open(&settings.file)?.map(|file| QueuedOutput::with_report(file, tell));
    let log = Log {
        terminal: writer,
        file: output.map(|output| (LogWriter::new(output.clone(), true, FILE_LIMITS), output)),
    };
    let file = log.file.as_ref().map(|(writer, _)| {
        tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_target(false)
            .with_writer(writer.clone())
            .with_filter(level)
    });
    tracing_subscriber::registry().with(console).with(file).try_init().context("the log")?;
    Ok(log)
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
#[must_use]
pub fn engine_lines() -> LineLogger {
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
