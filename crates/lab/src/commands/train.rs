//! `kiki-lab train`: a network learned from records.

mod curve;
mod folder;
mod note;
mod record_files;
mod training;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use kiki_eval::Shape;
use kiki_train::trainer::{Learner, TrainingSettings};

use crate::interrupt::exit_code;
use folder::TrainingFolder;
use note::TrainingNote;
use training::{Training, TrainingData};

const EXAMPLE: &str = "\
Example:
  kiki-lab train --data results/data/shuffled.psv --held-out results/data/formula-9.psv --out results/network-1 --positions 200000000

DIR gets nn.bin (the network that was best on the held-out records), training.json (settings, data with their sums, results), curve.jsonl and
curves.svg (losses as they went), checkpoint.bin. Ctrl-C stops cleanly (exit status 130); `kiki-lab train --resume DIR` goes on, with the same
network as without a stop. The network does not depend on the number of threads. docs/networks.md tells more.";

/// Train a network on records (PSV)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct TrainArgs {
    /// Records to learn from, in random order (`kiki-lab data shuffle`)
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    data: Vec<PathBuf>,
    /// Records of other games to measure the network by
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    held_out: Vec<PathBuf>,
    /// The folder for the results; it must not exist yet
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// Begin with the numbers that the training in this folder has come to
    #[arg(long, value_name = "DIR")]
    start: Option<PathBuf>,
    /// Go on with this training; the settings in its note hold
    #[arg(long, value_name = "DIR", conflicts_with_all = ["data", "held_out", "out", "start", "commit"])]
    resume: Option<PathBuf>,
    /// Threads to compute on [default: all processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The commit of the program, for the note
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    #[command(flatten)]
    numbers: TrainingNumbers,
}

/// What the network and the way of learning are.
#[derive(Args, Debug)]
struct TrainingNumbers {
    /// Features and layers: `HalfKP` or `HalfKP_vm` (files mirrored), L1 x2-H1-H2
    #[arg(long, default_value = "HalfKP_vm 256x2-32-32", conflicts_with = "resume")]
    shape: Shape,
    /// Learn no weights of pieces for all king squares together
    #[arg(long, conflicts_with = "resume")]
    not_factorised: bool,
    /// Records to learn from in all, repeated ones included
    #[arg(long, value_name = "N", default_value_t = 100_000_000, conflicts_with = "resume")]
    positions: u64,
    /// Records to learn from at once
    #[arg(long, value_name = "N", default_value_t = 16_384, conflicts_with = "resume")]
    batch: usize,
    /// The greatest change of a number in a step, about
    #[arg(long, value_name = "RATE", default_value_t = 0.001, conflicts_with = "resume")]
    learning_rate: f64,
    /// The part of the learning rate that is left at the end
    #[arg(long, value_name = "PART", default_value_t = 0.1, conflicts_with = "resume")]
    final_rate: f64,
    /// Features whose gradients are smaller than this, because few positions have them, move in proportion to them
    #[arg(long, value_name = "SIZE", default_value_t = 1e-5, conflicts_with = "resume")]
    row_epsilon: f64,
    /// How much the score counts in what is learned; the rest is the result of the game
    #[arg(long, value_name = "PART", default_value_t = 0.7, conflicts_with = "resume")]
    lambda: f64,
    /// The centipawns of a score in the data that stand for 75 percent of the points (`kiki-lab data stats` shows it)
    #[arg(long, value_name = "CP", default_value_t = 600.0, conflicts_with = "resume")]
    score_scale: f64,
    /// The centipawns of the network's value (at FV_SCALE 16) that stand for 75 percent of the points
    #[arg(long, value_name = "CP", default_value_t = 600.0, conflicts_with = "resume")]
    network_scale: f64,
    /// What the order of records and the first numbers follow from
    #[arg(long, default_value_t = 1, conflicts_with = "resume")]
    seed: u64,
    /// Records between two looks at the held-out records
    #[arg(long, value_name = "N", default_value_t = 2_000_000, conflicts_with = "resume")]
    evaluate_every: u64,
    /// So many held-out records are looked at, at most
    #[arg(long, value_name = "N", default_value_t = 200_000, conflicts_with = "resume")]
    held_out_positions: u64,
    /// Stop after so many looks at the held-out records in a row that were no better than the best
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "resume")]
    patience: u32,
}

impl TrainingNumbers {
    fn settings(&self) -> TrainingSettings {
        TrainingSettings {
            shape: self.shape,
            factorised: !self.not_factorised,
            batch: self.batch,
            positions: self.positions,
            learning_rate: self.learning_rate,
            final_rate: self.final_rate,
            row_epsilon: self.row_epsilon,
            lambda: self.lambda,
            score_scale: self.score_scale,
            network_scale: self.network_scale,
            seed: self.seed,
        }
    }
}

/// Runs `train`.
pub(crate) fn run(arguments: &TrainArgs) -> Result<ExitCode> {
    if let Some(threads) = arguments.threads {
        ensure!((1..=1024).contains(&threads), "--threads {threads}: expected 1 to 1024");
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let mut training = match &arguments.resume {
        Some(path) => resume(path.clone())?,
        None => begin(arguments)?,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))?;
    let ended = training.run(&stop)?;
    training.report()?;
    Ok(exit_code(!ended))
}

fn begin(arguments: &TrainArgs) -> Result<Training> {
    let path = arguments.out.clone().ok_or_else(|| anyhow!("--out DIR says where the results go"))?;
    let numbers = &arguments.numbers;
    ensure!(numbers.evaluate_every >= 1, "--evaluate-every 0: expected at least 1");
    let (learner, start) = match &arguments.start {
        Some(start) => {
            let other = TrainingFolder::open(start.clone())?;
            let learner = Learner::after(numbers.settings(), other.read_checkpoint(&other.read_note()?.settings)?)?;
            (learner, Some(other.checkpoint_file()?))
        }
        None => (Learner::new(numbers.settings())?, None),
    };
    let note = TrainingNote::new(arguments, learner.settings().clone(), start)?;
    let data = TrainingData::open(&note)?;
    let mut training = Training::new(TrainingFolder::create(path)?, note, data, learner)?;
    training.save()?;
    Ok(training)
}

fn resume(path: PathBuf) -> Result<Training> {
    let folder = TrainingFolder::open(path)?;
    let note = folder.read_note()?;
    note.check_data()?;
    let learner = folder.read_checkpoint(&note.settings)?;
    let data = TrainingData::open(&note)?;
    Training::new(folder, note, data, learner)
}
