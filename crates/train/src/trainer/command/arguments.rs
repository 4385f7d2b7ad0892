//! Arguments of `train`.

use std::path::PathBuf;

use crate::data::ReturnsWeights;
use crate::trainer::TrainingSettings;
use anyhow::{Result, ensure};
use clap::parser::ValueSource;
use clap::{Args, Command, FromArgMatches as _};
use kiki_run::evaluation::ThreadArgs;
use serde::{Deserialize, Serialize};

const EXAMPLE: &str = "\
Example:
  kiki-lab train --data results/data/formula-1.games --held-out results/data/formula-2.games --out results/network-1 --positions 4000000

DIR gets nn.bin (the best network on the held-out records), training.json (settings, data with
checksums, results), curve.jsonl and curves.svg (loss curves), checkpoint.bin. Ctrl-C stops cleanly
(exit status 130); `kiki-lab resume DIR` continues and makes the same network as an uninterrupted
run. The network does not depend on the number of threads. docs/networks.md tells more.";

/// Train a network on games or records
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct TrainArgs {
    /// Training data: files of games, or of records from `kiki-lab data returns`, whose scores are
    /// mixed already
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    /// Held-out games or records, to measure the network
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub held_out: Vec<PathBuf>,
    /// The folder for the results; it must not exist yet
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub options: TrainOptions,
}

/// A training apart from its files.
#[derive(Args, Debug)]
pub struct TrainOptions {
    /// Start from the checkpoint of the training in this folder, or from this network file
    #[arg(long, value_name = "PATH")]
    pub(super) start: Option<PathBuf>,
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
    /// The commit of the program, for the note
    #[arg(long, value_name = "HASH")]
    pub(super) commit: Option<String>,
    #[command(flatten)]
    pub settings: TrainingSettings,
    #[command(flatten)]
    pub returns: ReturnsWeights,
    #[command(flatten)]
    pub(super) evaluation: EvaluationPlan,
}

/// How a training is measured, and when it ends early.
#[derive(Clone, Copy, Args, Debug, Serialize, Deserialize)]
pub(super) struct EvaluationPlan {
    /// Number of records between two evaluations on the held-out records
    #[arg(long, value_name = "N", default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) evaluate_every: u64,
    /// Maximum number of held-out records to evaluate
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) held_out_positions: u64,
    /// Stop after this number of evaluations in a row without a new best
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) patience: u32,
}

impl TrainOptions {
    /// Reads words of a command line. Refuses the options of `settled`, which are set elsewhere.
    pub fn read(words: &[String], settled: &[&str]) -> Result<Self> {
        let matches = Self::augment_args(Command::new("train").no_binary_name(true)).try_get_matches_from(words)?;
        for id in settled {
            ensure!(matches.value_source(id) != Some(ValueSource::CommandLine), "--{id} has a setting of its own");
        }
        Ok(Self::from_arg_matches(&matches)?)
    }
}
