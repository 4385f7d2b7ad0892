//! The log: everything to a file, and what people want to know to the terminal.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use kiki_driver::{LineDirection, LineLogger};
use tracing::level_filters::LevelFilter;
use tracing::{debug, trace};
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::live_line::LiveLine;
use crate::queued_output::QueuedOutput;
use crate::settings::LogSettings;

/// Begins to log. Times in the file are UTC. What is returned writes the file, if there is one.
///
/// # Errors
/// The file cannot be opened.
pub fn begin(settings: &LogSettings, terminal: &LiveLine, quiet: bool) -> Result<Option<QueuedOutput>> {
    let level: LevelFilter = settings.level.parse().with_context(|| format!("log.level `{}`", settings.level))?;
    let console_level = if quiet { LevelFilter::WARN } else { LevelFilter::INFO };
    let terminal = terminal.clone();
    let console = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_writer(move || terminal.clone())
        .with_filter(console_level);
    let output = open(&settings.file)?.map(QueuedOutput::new);
    let file = output.clone().map(|output| {
        tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_target(false)
            .with_writer(move || output.clone())
            .with_filter(level)
    });
    tracing_subscriber::registry().with(console).with(file).try_init().context("the log")?;
    Ok(output)
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
