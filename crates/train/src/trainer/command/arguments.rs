//! Arguments of `train`.

use std::path::PathBuf;

use crate::data::{ReturnsWeights, part};
use crate::trainer::TrainingSettings;
use clap::Args;
use kiki_eval::{Architecture, ArchitectureError, ShapeError};

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
    /// Training data: files of games, or of records from `kiki-lab data returns`
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    pub(super) data: Vec<PathBuf>,
    /// Held-out games or records, to measure the network
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    pub(super) held_out: Vec<PathBuf>,
    /// The folder for the results; it must not exist yet
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    pub(super) out: Option<PathBuf>,
    /// Start from the checkpoint of the training in this folder, or from this network file
    #[arg(long, value_name = "PATH")]
    pub(super) start: Option<PathBuf>,
    /// Continue this training with the settings in its note
    #[arg(long, hide = true, value_name = "DIR", conflicts_with_all = ["data", "held_out", "out", "start", "commit"])]
    pub(super) resume: Option<PathBuf>,
    /// Number of threads [default: all processors]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// The commit of the program, for the note
    #[arg(long, value_name = "HASH")]
    pub(super) commit: Option<String>,
    #[command(flatten)]
    pub(super) numbers: TrainingNumbers,
}

/// Parses a shape of either form.
fn shape(text: &str) -> Result<Architecture, String> {
    if text.trim().to_ascii_lowercase().starts_with("sfnn") {
        return text.parse().map_err(|error: ArchitectureError| error.to_string());
    }
    text.parse().map(Architecture::Classic).map_err(|error: ShapeError| error.to_string())
}

/// The form of the network and the method of learning.
#[derive(Args, Debug)]
pub(super) struct TrainingNumbers {
    /// Features and layers, such as `HalfKP_vm 256x2-32-32` (L1 x2-H1-H2) or
    /// `SFNN_halfkahm2_1024_15_32_k3k3`
    #[arg(long, default_value = "SFNN_halfkahm2_384_15_32_k3k3", conflicts_with = "resume", value_parser = shape)]
    pub(super) shape: Architecture,
    /// Do not factorise: no weights shared by piece or king offset, no layers shared by stacks
    #[arg(long, conflicts_with = "resume")]
    pub(super) not_factorised: bool,
    /// Total number of records to learn from, repeated ones included
    #[arg(long, value_name = "N", default_value_t = 100_000_000, conflicts_with = "resume")]
    pub(super) positions: u64,
    /// Records in a step (batch size)
    #[arg(long, value_name = "N", default_value_t = 4_096, conflicts_with = "resume")]
    pub(super) batch: usize,
    /// Learning rate: approximate maximum change of a number in a step
    #[arg(long, value_name = "RATE", default_value_t = 0.001, conflicts_with = "resume")]
    pub(super) learning_rate: f64,
    /// Final learning rate, as a share of the learning rate
    #[arg(long, value_name = "PART", default_value_t = 0.01, conflicts_with = "resume")]
    pub(super) final_rate: f64,
    /// Share of the training at the final rate, after the fall
    #[arg(long, value_name = "PART", default_value_t = 0.0, conflicts_with = "resume")]
    pub(super) tail: f64,
    /// Weight decay (AdamW): a step shrinks a weight by this share times the learning rate
    #[arg(long, value_name = "PART", default_value_t = 0.1, conflicts_with = "resume")]
    pub(super) weight_decay: f64,
    /// Epsilon of Adam for feature weights: those of rare features move in proportion to gradients
    #[arg(long, value_name = "SIZE", default_value_t = 6e-4, conflicts_with = "resume")]
    pub(super) row_epsilon: f64,
    /// For games: weight of a position's own score in its target; later scores have the rest
    #[arg(long, value_name = "PART", default_value_t = ReturnsWeights::default().own, conflicts_with = "resume", value_parser = part)]
    pub(super) own: f64,
    /// For games: weight of what follows the next score, per ply; 0: that score alone, 1: the
    /// result
    #[arg(long, value_name = "PART", default_value_t = ReturnsWeights::default().decay, conflicts_with = "resume", value_parser = part)]
    pub(super) decay: f64,
    /// Weight of the score in the target; the result of the game has the rest (mixed scores include
    /// the result)
    #[arg(long, value_name = "PART", default_value_t = 1.0, conflicts_with = "resume")]
    pub(super) lambda: f64,
    /// The score in the data that means 75 percent of the points, in centipawns (600 in games, and after `kiki-lab data returns`)
    #[arg(long, value_name = "CP", default_value_t = 600.0, conflicts_with = "resume")]
    pub(super) score_scale: f64,
    /// The value of the network (at FV_SCALE 16) that means 75 percent of the points, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 800.0, conflicts_with = "resume")]
    pub(super) network_scale: f64,
    /// Seed of the order of records and of the initial weights
    #[arg(long, default_value_t = 1, conflicts_with = "resume")]
    pub(super) seed: u64,
    /// Number of records between two evaluations on the held-out records
    #[arg(long, value_name = "N", default_value_t = 2_000_000, conflicts_with = "resume")]
    pub(super) evaluate_every: u64,
    /// Maximum number of held-out records to evaluate
    #[arg(long, value_name = "N", default_value_t = 200_000, conflicts_with = "resume")]
    pub(super) held_out_positions: u64,
    /// Stop after this number of evaluations in a row without a new best
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "resume")]
    pub(super) patience: u32,
}

impl TrainingNumbers {
    pub(super) fn returns(&self) -> ReturnsWeights {
        ReturnsWeights { own: self.own, decay: self.decay }
    }

    pub(super) fn settings(&self) -> TrainingSettings {
        TrainingSettings {
            shape: self.shape,
            factorised: !self.not_factorised,
            batch: self.batch,
            positions: self.positions,
            learning_rate: self.learning_rate,
            final_rate: self.final_rate,
            tail: self.tail,
            weight_decay: self.weight_decay,
            row_epsilon: self.row_epsilon,
            lambda: self.lambda,
            score_scale: self.score_scale,
            network_scale: self.network_scale,
            seed: self.seed,
        }
    }
}
