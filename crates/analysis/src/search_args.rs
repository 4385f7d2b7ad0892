//! Arguments of commands that search games with engines.

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{RunArgs, patience, warn_if_crowded};
use kiki_machines::workforce::MachinesArgs;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_run::input_errors::tell_left_out;
use kiki_run::interrupt::Interrupt;
use kiki_run::output::name_option;
use kiki_run::usage::wrong_usage;
use kiki_run::{bail_usage, ensure_usage};

use crate::search::{AnalysisEngine, PlayedMoveSearch, prepare_engines};
use crate::searched::{SearchOptions, SearchSettings};
use kiki_judgement::Thresholds;

/// Seconds to wait for an engine that no clock bounds.
const DEFAULT_PATIENCE: u64 = 3600;

/// Engines and how to ask them.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// An engine, written as for `match`; may be given several times
    #[arg(long = "engine", value_name = "WORDS", required = true)]
    engines: Vec<String>,
    /// Settings for every engine that does not set its own
    #[arg(long, value_name = "WORDS")]
    each: Option<String>,
    /// Where the value of a played move outside the best lines comes from
    #[arg(long, value_enum, default_value_t = PlayedMoveSearch::Searchmoves)]
    played: PlayedMoveSearch,
    /// Centipawns that correspond to winning odds of e to 1 [default: 600]
    #[arg(long, value_name = "CP")]
    scale: Option<f64>,
    /// Least losses of winning probability for an inaccuracy, a mistake and a blunder, from 0 to 1
    /// [default: 0.05,0.1,0.2]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', num_args = 1)]
    losses: Option<Vec<f64>>,
    /// Give no reasons for bad moves, which Kiki finds by searches of its own
    #[arg(long)]
    no_reasons: bool,
    #[command(flatten)]
    pub run: PatientRunArgs,
}

/// How a run searches; a resumed one may change it.
#[derive(Args, Debug)]
pub struct PatientRunArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Seconds to wait for an engine that no clock limits [default: 3600, or as the run began]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    #[command(flatten)]
    machines: MachinesArgs,
}

impl PatientRunArgs {
    pub fn options(&self) -> Result<SearchOptions> {
        let run = self.run.options()?;
        self.machines.check(&run)?;
        Ok(SearchOptions { run, machines: self.machines.clone() })
    }

    /// Changes the settings of an earlier run, and reports what it left out.
    pub fn change(&self, settings: &mut SearchSettings) -> Result<()> {
        if let Some(seconds) = self.patience {
            settings.patience = patience(seconds)?;
        }
        tell_left_out(&settings.left_out);
        Ok(())
    }
}

impl SearchArgs {
    /// The settings of searches with this number of lines; starts each engine once.
    pub fn settings(&self, lines: usize, left_out: &[String], interrupt: &Interrupt) -> Result<SearchSettings> {
        Ok(SearchSettings {
            thresholds: self.thresholds()?,
            patience: patience(self.run.patience.unwrap_or(DEFAULT_PATIENCE))?,
            engines: self.engines(lines, &self.run.options()?.run, interrupt)?,
            lines,
            played: self.played,
            reasons: !self.no_reasons,
            left_out: left_out.to_vec(),
        })
    }

    fn thresholds(&self) -> Result<Thresholds> {
        let usual = Thresholds::default();
        let [inaccuracy, mistake, blunder] = match self.losses.as_deref() {
            None => [usual.inaccuracy, usual.mistake, usual.blunder],
            Some(&[inaccuracy, mistake, blunder]) => [inaccuracy, mistake, blunder],
            Some(other) => bail_usage!("--losses takes three numbers, not {}", other.len()),
        };
        let scale = self.scale.unwrap_or(usual.scale);
        let thresholds = Thresholds { scale, inaccuracy, mistake, blunder, ..usual };
        thresholds.check().context("--scale, --losses").map_err(wrong_usage)?;
        Ok(thresholds)
    }

    /// The engines, each started once.
    fn engines(&self, lines: usize, options: &RunOptions, interrupt: &Interrupt) -> Result<Vec<AnalysisEngine>> {
        let specs = self.specs()?;
        warn_if_crowded(&specs, options.concurrency);
        prepare_engines(&specs, lines, options, &interrupt.cancellation).map_err(name_option)
    }

    /// The engines. Their names must differ, and their search limits must be above 0.
    fn specs(&self) -> Result<Vec<PlayerSpec>> {
        let each =
            EngineWords::parse(self.each.as_deref().unwrap_or_default()).context("--each").map_err(wrong_usage)?;
        let mut engines: Vec<PlayerSpec> = Vec::with_capacity(self.engines.len());
        for text in &self.engines {
            let words = EngineWords::parse(text).and_then(|words| words.complete(&each));
            let spec = words.with_context(|| format!("--engine {text}")).map_err(wrong_usage)?;
            let limit = spec.limits;
            let is_nothing = limit.depth == Some(0) || [limit.nodes, limit.movetime].contains(&Some(0));
            ensure_usage!(!is_nothing, "--engine {text}: a search of 0 plies, nodes or milliseconds finds nothing");
            ensure_usage!(!spec.ponder, "--engine {text}: nobody ponders in an analysis");
            let is_twice = engines.iter().any(|other| other.name == spec.name);
            ensure_usage!(!is_twice, "two engines are named `{}`: give them names by name=..", spec.name);
            engines.push(spec);
        }
        Ok(engines)
    }
}
