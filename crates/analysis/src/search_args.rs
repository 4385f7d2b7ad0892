//! Arguments of commands that search games with engines.

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{RunArgs, WaitArgs, warn_if_crowded};
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_run::interrupt::Interrupt;
use kiki_run::output::name_option;

use crate::judgement::Thresholds;
use crate::search::{AnalysisEngine, PlayedMoveSearch, prepare_engines};

/// Seconds to wait for an engine that no clock bounds.
const DEFAULT_PATIENCE: u64 = 3600;

/// Engines and how to ask them. The command has `--resume`; beside it only waits and concurrency
/// may be given.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// An engine, written as for `match`; may be given several times
    #[arg(long = "engine", value_name = "WORDS", required_unless_present = "resume", conflicts_with = "resume")]
    engines: Vec<String>,
    /// Settings for every engine that does not set its own
    #[arg(long, value_name = "WORDS", conflicts_with = "resume")]
    each: Option<String>,
    /// Where the value of a played move outside the best lines comes from
    #[arg(long, value_enum, default_value_t = PlayedArg::Searchmoves, conflicts_with = "resume")]
    played: PlayedArg,
    #[command(flatten)]
    thresholds: ThresholdArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    waits: WaitArgs,
}

/// Where the value of a played move outside the lines comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PlayedArg {
    /// A search of this move alone.
    Searchmoves,
    /// The value of the next position.
    Next,
}

/// Thresholds of bad moves.
#[derive(Args, Debug)]
struct ThresholdArgs {
    /// Centipawns that correspond to winning odds of e to 1 [default: 600]
    #[arg(long, value_name = "CP", conflicts_with = "resume")]
    scale: Option<f64>,
    /// Least losses of winning probability for an inaccuracy, a mistake and a blunder, from 0 to 1
    /// [default: 0.05,0.1,0.2]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', num_args = 1, conflicts_with = "resume")]
    losses: Option<Vec<f64>>,
}

impl SearchArgs {
    pub fn run_options(&self) -> Result<RunOptions> {
        self.run.with_timeouts(self.waits.timeouts()?)
    }

    /// Milliseconds to wait for an engine beyond its time.
    pub fn patience(&self) -> Result<u64> {
        self.waits.patience(None, DEFAULT_PATIENCE)
    }

    /// The patience, if the command line names one.
    pub fn named_patience(&self) -> Result<Option<u64>> {
        self.waits.has_patience().then(|| self.patience()).transpose()
    }

    pub fn played(&self) -> PlayedMoveSearch {
        match self.played {
            PlayedArg::Searchmoves => PlayedMoveSearch::Searchmoves,
            PlayedArg::Next => PlayedMoveSearch::Next,
        }
    }

    pub fn thresholds(&self) -> Result<Thresholds> {
        let ThresholdArgs { scale, losses } = &self.thresholds;
        let usual = Thresholds::default();
        let [inaccuracy, mistake, blunder] = match losses.as_deref() {
            None => [usual.inaccuracy, usual.mistake, usual.blunder],
            Some(&[inaccuracy, mistake, blunder]) => [inaccuracy, mistake, blunder],
            Some(other) => bail!("--losses takes three numbers, not {}", other.len()),
        };
        let scale = scale.unwrap_or(usual.scale);
        let thresholds = Thresholds { scale, inaccuracy, mistake, blunder, ..usual };
        thresholds.check().context("--scale, --losses")?;
        Ok(thresholds)
    }

    /// The engines, each started once.
    pub fn engines(&self, lines: usize, options: &RunOptions, interrupt: &Interrupt) -> Result<Vec<AnalysisEngine>> {
        let specs = self.specs()?;
        warn_if_crowded(&specs, options.concurrency);
        prepare_engines(&specs, lines, options, &interrupt.cancellation).map_err(name_option)
    }

    /// The engines. Their names must differ, and their search limits must be above 0.
    fn specs(&self) -> Result<Vec<PlayerSpec>> {
        let each = EngineWords::parse(self.each.as_deref().unwrap_or_default()).context("--each")?;
        let mut engines: Vec<PlayerSpec> = Vec::with_capacity(self.engines.len());
        for text in &self.engines {
            let words = EngineWords::parse(text).and_then(|words| words.complete(&each));
            let spec = words.with_context(|| format!("--engine {text}"))?;
            let limit = spec.limits;
            let is_nothing = limit.depth == Some(0) || [limit.nodes, limit.movetime].contains(&Some(0));
            ensure!(!is_nothing, "--engine {text}: a search of 0 plies, nodes or milliseconds finds nothing");
            ensure!(!spec.ponder, "--engine {text}: nobody ponders in an analysis");
            let is_twice = engines.iter().any(|other| other.name == spec.name);
            ensure!(!is_twice, "two engines are named `{}`: give them names by name=..", spec.name);
            engines.push(spec);
        }
        Ok(engines)
    }
}
