//! The rules of games and the manner of playing on the command line, for all commands that play.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_driver::Timeouts;

use super::rule_text;
use crate::affinity;
use crate::contest::Manner;
use crate::contest::rules::{Declaration, Rules};
use crate::contest::tournament_file::RuleTable;

/// No wait is longer, in seconds: about thirty years, which every clock can add to the time of day.
const LONGEST_WAIT: u64 = 1_000_000_000;

#[derive(Args, Debug)]
pub(super) struct RuleArgs {
    /// Games are drawn after so many plies [default: 320]
    #[arg(long)]
    max_plies: Option<usize>,
    /// Which declarations win [default: csa27]
    #[arg(long, value_enum)]
    declaration: Option<Declaration>,
    /// Milliseconds that a move may take beyond its time [default: 100]
    #[arg(long, value_name = "MS")]
    tolerance: Option<u64>,
    /// Seconds to wait for an engine that no clock bounds [default: 120]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// Seconds that engines may take to get ready [default: 120]
    #[arg(long, value_name = "SECONDS")]
    start_timeout: Option<u64>,
    /// A side loses after so many own scores this bad: moves=5 score=3000
    #[arg(long, value_name = "WORDS")]
    resign: Option<String>,
    /// A draw when all scores were this small for so many moves of each side: moves=8 score=20 from=120
    #[arg(long, value_name = "WORDS")]
    draw: Option<String>,
}

impl RuleArgs {
    /// How long engines may take to get ready.
    ///
    /// # Errors
    /// No time for it, or more than anybody waits.
    pub(super) fn timeouts(&self) -> Result<Timeouts> {
        let usual = Timeouts::default();
        let ready = self.start_timeout.map(|seconds| wait(seconds, "--start-timeout")).transpose()?;
        Ok(Timeouts { ready: ready.unwrap_or(usual.ready), start: ready.unwrap_or(usual.start), ..usual })
    }

    /// These rules where they are given, else those of the file, else the usual ones.
    pub(super) fn over(&self, file: &RuleTable) -> Result<Rules> {
        let resign = self.resign.as_deref().map(rule_text::resign).transpose().context("--resign")?;
        let draw = self.draw.as_deref().map(rule_text::draw).transpose().context("--draw")?;
        let max_plies = self.max_plies.or(file.max_plies).unwrap_or(320);
        ensure!((1..=9999).contains(&max_plies), "--max-plies must be from 1 to 9999, not {max_plies}");
        let patience = wait(self.patience.or(file.patience).unwrap_or(120), "--patience")?;
        let patience = u64::try_from(patience.as_millis()).map_err(|error| anyhow!("--patience: {error}"))?;
        Ok(Rules {
            max_plies,
            declaration: self.declaration.or(file.declaration).unwrap_or(Declaration::Csa27),
            tolerance: self.tolerance.or(file.tolerance).unwrap_or(100),
            patience,
            resign: resign.or(file.resign),
            draw: draw.or(file.draw),
        })
    }
}

/// How to play, without influence on what is played.
#[derive(Args, Debug)]
pub(super) struct MannerArgs {
    /// Games at the same time; of `spsa`, pairs of games [default: 1]
    #[arg(long)]
    concurrency: Option<usize>,
    /// Write what engines say and are told into this folder as it happens, a file for each game
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Give the engines of each game that is played at the same time CPUs of their own (Linux)
    #[arg(long)]
    affinity: bool,
}

/// Each game at a time is a thread and two processes.
const MOST_AT_A_TIME: usize = 1000;

impl MannerArgs {
    /// # Errors
    /// A number of games that cannot be played at a time, and CPUs that cannot be had.
    pub(super) fn manner(&self, rules: &RuleArgs, csa: bool) -> Result<Manner> {
        let concurrency = self.concurrency.unwrap_or(1);
        ensure!(
            (1..=MOST_AT_A_TIME).contains(&concurrency),
            "--concurrency must be at least 1 and at most {MOST_AT_A_TIME}, not {concurrency}"
        );
        let cpus = if self.affinity { affinity::shares(concurrency)? } else { Vec::new() };
        Ok(Manner { concurrency, timeouts: rules.timeouts()?, csa, log: self.log.clone(), cpus })
    }
}

fn wait(seconds: u64, option: &str) -> Result<Duration> {
    ensure!((1..=LONGEST_WAIT).contains(&seconds), "{option} must be from 1 to {LONGEST_WAIT} seconds, not {seconds}");
    Ok(Duration::from_secs(seconds))
}
