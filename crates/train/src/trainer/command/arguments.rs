//! Arguments of `train`.

use std::path::PathBuf;

use crate::data::{ReturnsWeights, part};
use crate::trainer::TrainingSettings;
use clap::Args;
use kiki_eval::{Architecture, ArchitectureError, ShapeError};

const EXAMPLE: &str = "\
Example:
  kiki-lab train --data results/data/formula-1.games --held-out results/data/formula-2.games --out results/network-1 --positions 4000000

DIR gets nn.bin (the network that was best on the held-out records), training.json (settings, data with their sums, results), curve.jsonl and
curves.svg (losses as they went), checkpoint.bin. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume DIR` goes on, with the same
network as without a stop. The network does not depend on the number of threads. docs/networks.md tells more.";

/// Train a network on games or records
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct TrainArgs {
    /// Files of games, or records to learn from (of `kiki-lab data returns`)
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    pub(super) data: Vec<PathBuf>,
    /// Held-out games or records, which measure the network
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "resume")]
    pub(super) held_out: Vec<PathBuf>,
    /// The folder for the results; it must not exist yet
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    pub(super) out: Option<PathBuf>,
    /// Begin with the latest numbers of the training in this folder, or with this network file
    #[arg(long, value_name = "PATH")]
    pub(super) start: Option<PathBuf>,
    /// Continue this training with the settings in its note
    #[arg(long, hide = true, value_name = "DIR", conflicts_with_all = ["data", "held_out", "out", "start", "commit"])]
    pub(super) resume: Option<PathBuf>,
    /// Threads to compute on [default: all processors]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// The commit of the program, for the note
    #[arg(long, value_name = "HASH")]
    pub(super) commit: Option<String>,
    #[command(flatten)]
    pub(super) numbers: TrainingNumbers,
}

/// A shape of either form.
fn shape(text: &str) -> Result<Architecture, String> {
    if text.trim().to_ascii_lowercase().starts_with("sfnn") {
        return text.parse().map_err(|error: ArchitectureError| error.to_string());
    }
    text.parse().map(Architecture::Classic).map_err(|error: ShapeError| error.to_string())
}

/// The form of the network and the method of learning.
#[derive(Args, Debug)]
pub(super) struct TrainingNumbers {
    /// Features and layers: `HalfKP_vm 256x2-32-32` and the like (L1 x2-H1-H2), or `SFNN_halfkahm2_1024_15_32_k3k3` and the like
    #[arg(long, default_value = "SFNN_halfkahm2_384_15_32_k3k3", conflicts_with = "resume", value_parser = shape)]
    pub(super) shape: Architecture,
    /// Learn no weights that features of a piece, or of a distance from the king, share, and no part that all stacks of layers share
    #[arg(long, conflicts_with = "resume")]
    pub(super) not_factorised: bool,
    /// Total number of records to learn from, repeated ones included
    #[arg(long, value_name = "N", default_value_t = 100_000_000, conflicts_with = "resume")]
    pub(super) positions: u64,
    /// Records in a step (batch size)
    #[arg(long, value_name = "N", default_value_t = 4_096, conflicts_with = "resume")]
    pub(super) batch: usize,
    /// Approximate greatest change of a number in a step
    #[arg(long, value_name = "RATE", default_value_t = 0.001, conflicts_with = "resume")]
    pub(super) learning_rate: f64,
    /// Share of the learning rate left at the end
    #[arg(long, value_name = "PART", default_value_t = 0.01, conflicts_with = "resume")]
    pub(super) final_rate: f64,
    /// Share of the training at that rate, after the fall
    #[arg(long, value_name = "PART", default_value_t = 0.0, conflicts_with = "resume")]
    pub(super) tail: f64,
    /// Weight decay (AdamW): in a step a weight loses the learning rate times this of its size
    #[arg(long, value_name = "PART", default_value_t = 0.1, conflicts_with = "resume")]
    pub(super) weight_decay: f64,
    /// Features whose gradients are smaller than this, because few positions have them, move in proportion to them
    #[arg(long, value_name = "SIZE", default_value_t = 6e-4, conflicts_with = "resume")]
    pub(super) row_epsilon: f64,
    /// For games: weight of a position's own score in its target; later scores have the rest
    #[arg(long, value_name = "PART", default_value_t = ReturnsWeights::default().own, conflicts_with = "resume", value_parser = part)]
    pub(super) own: f64,
    /// For games: weight of everything after the next ply, for each ply; the result comes last
    #[arg(long, value_name = "PART", default_value_t = ReturnsWeights::default().decay, conflicts_with = "resume", value_parser = part)]
    pub(super) decay: f64,
    /// Weight of the score in the target; the result of the game has the rest (scores mixed with later ones include the result)
    #[arg(long, value_name = "PART", default_value_t = 1.0, conflicts_with = "resume")]
    pub(super) lambda: f64,
    /// The score in the data that means 75 percent of the points, in centipawns (600 in games, and after `kiki-lab data returns`)
    #[arg(long, value_name = "CP", default_value_t = 600.0, conflicts_with = "resume")]
    pub(super) score_scale: f64,
    /// The value of the network (at FV_SCALE 16) that means 75 percent of the points, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 800.0, conflicts_with = "resume")]
    pub(super) network_scale: f64,
    /// Seed of the order of records and of the first numbers
    #[arg(long, default_value_t = 1, conflicts_with = "resume")]
    pub(super) seed: u64,
    /// Records learned between two evaluations on the held-out records
    #[arg(long, value_name = "N", default_value_t = 2_000_000, conflicts_with = "resume")]
    pub(super) evaluate_every: u64,
    /// Greatest number of held-out records evaluated
    #[arg(long, value_name = "N", default_value_t = 200_000, conflicts_with = "resume")]
    pub(super) held_out_positions: u64,
    /// Stop after this number of successive evaluations on the held-out records without a new best
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
