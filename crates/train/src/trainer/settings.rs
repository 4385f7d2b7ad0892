//! The settings of a training.

use std::f64::consts::PI;

use anyhow::{Result, ensure};
use clap::{ArgAction, Args};
use kiki_eval::Architecture;
use serde::{Deserialize, Serialize};

use crate::target::TrainingTarget;

/// Number of samples that a thread works on at once. Sums over a batch add up those of its parts in
/// their order.
pub(super) const PART: usize = 256;

/// Everything that a training depends on besides its data.
#[derive(Clone, PartialEq, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSettings {
    /// Features and layers, such as `HalfKP_vm 256x2-32-32` (L1 x2-H1-H2) or
    /// `SFNN_halfkahm2_1024_15_32_k3k3`
    #[arg(long, default_value = "SFNN_halfkahm2_384_15_32_k3k3")]
    #[serde(with = "shape_text")]
    pub shape: Architecture,
    /// Do not factorise: no weights shared by piece or king offset, no layers shared by stacks
    #[arg(long = "not-factorised", action = ArgAction::SetFalse)]
    pub factorised: bool,
    /// Records in a step (batch size)
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    pub batch: usize,
    /// Total number of records to learn from, repeated ones included
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub positions: u64,
    /// Learning rate: approximate maximum change of a number in a step
    #[arg(long, value_name = "RATE", default_value_t = 0.001)]
    pub learning_rate: f64,
    /// Final learning rate, as a share of the learning rate
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    pub final_rate: f64,
    /// Share of the training at the final rate, after the fall
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    #[serde(default)]
    pub tail: f64,
    /// Weight decay (AdamW): a step shrinks a weight by this share times the learning rate
    // Decoupled (Loshchilov and Hutter, 2019).
    #[arg(long, value_name = "PART", default_value_t = 0.1)]
    #[serde(default)]
    pub weight_decay: f64,
    /// Epsilon of Adam for feature weights: those of rare features move in proportion to gradients
    // With 0 a rare feature would move as far as a frequent one and memorise its few games.
    #[arg(long, value_name = "SIZE", default_value_t = 6e-4)]
    pub row_epsilon: f64,
    /// Weight of the score in the target; the result of the game has the rest (mixed scores include
    /// the result)
    #[arg(long, value_name = "PART", default_value_t = 1.0)]
    pub lambda: f64,
    /// The score in the data that means 75 percent of the points, in centipawns (600 in games, and
    /// after `kiki-lab data returns`)
    #[arg(long, value_name = "CP", default_value_t = 600.0)]
    pub score_scale: f64,
    /// The value of the network (at FV_SCALE 16) that means 75 percent of the points, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 800.0)]
    pub network_scale: f64,
    /// Seed of the order of records and of the initial weights
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl TrainingSettings {
    /// Checks the ranges. The error names the first setting out of range.
    pub fn check(&self) -> Result<()> {
        if let Architecture::Sfnn(shape) = self.shape {
            ensure!(
                !shape.choice.has_progress() && shape.shards.is_none(),
                "{} cannot be trained here: stacks by progress and shards are not learned",
                self.shape
            );
        }
        let &Self { batch, positions, .. } = self;
        let is_whole = batch > 0 && batch.is_multiple_of(PART);
        ensure!(is_whole, "a batch of {batch} records: expected a multiple of {PART}");
        ensure!(positions >= batch as u64, "{positions} positions are less than a batch of {batch}");
        for (name, rate) in [("learning_rate", self.learning_rate), ("final_rate", self.final_rate)] {
            ensure!(rate > 0.0 && rate <= 1.0, "{name} = {rate}: expected more than 0, at most 1");
        }
        for (name, value, range, unit) in [
            ("tail", self.tail, 0.0..=0.9, ""),
            ("weight_decay", self.weight_decay, 0.0..=1.0, ""),
            ("row_epsilon", self.row_epsilon, 0.0..=1.0, ""),
            ("lambda", self.lambda, 0.0..=1.0, ""),
            ("score_scale", self.score_scale, 1.0..=100_000.0, " centipawns"),
            ("network_scale", self.network_scale, 1.0..=100_000.0, " centipawns"),
        ] {
            let (least, most) = (range.start(), range.end());
            ensure!(range.contains(&value), "{name} = {value}: expected {least} to {most}{unit}");
        }
        Ok(())
    }

    /// Number of steps of the whole training.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.positions / self.batch as u64
    }

    /// The learning rate of a step, counted from 0: it rises during the first hundredth, then falls
    /// along half a cosine, and stays there in the tail.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        let steps = self.steps() as f64;
        let warm_up = ((step + 1) as f64 / (steps / 100.0).max(1.0)).min(1.0);
        let part = (step as f64 / (steps * (1.0 - self.tail))).min(1.0);
        let fallen = (1.0 - (PI * part).cos()) / 2.0;
        self.learning_rate * warm_up * (1.0 - (1.0 - self.final_rate) * fallen)
    }

    #[must_use]
    pub fn target(&self) -> TrainingTarget {
        TrainingTarget { lambda: self.lambda, score_scale: self.score_scale }
    }
}

mod shape_text {
    use kiki_eval::Architecture;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(shape: &Architecture, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(shape)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Architecture, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::settings;
    use super::*;

    #[test]
    fn the_rate_rises_and_falls_to_its_last_part() {
        let settings = TrainingSettings { positions: 1_000 * 512, batch: 512, ..settings() };
        let rates: Vec<f64> = (0..settings.steps()).map(|step| settings.rate(step)).collect();
        assert_eq!(rates.len(), 1_000);
        assert!(rates[0] < settings.learning_rate * 0.11);
        assert!(rates[10] > settings.learning_rate * 0.99);
        assert!(rates[10..].is_sorted_by(|before, after| before > after));
        assert!((rates[999] / settings.learning_rate - settings.final_rate).abs() < 1e-4);

        let with_tail = TrainingSettings { tail: 0.25, ..settings.clone() };
        let last = settings.learning_rate * settings.final_rate;
        let is_last = |step: &u64| (with_tail.rate(*step) / last - 1.0).abs() < 1e-9;
        assert_eq!((10..1_000).filter(is_last).collect::<Vec<_>>(), (750..1_000).collect::<Vec<_>>());
        // Before the tail the rates are those of a shorter training, except for the rise.
        let shorter = TrainingSettings { positions: 750 * 512, ..settings };
        assert!((10..750).all(|step| (with_tail.rate(step) - shorter.rate(step)).abs() < 1e-12));
    }

    #[test]
    fn settings_keep_their_form_and_say_what_is_wrong() {
        let text = serde_json::to_string(&settings()).unwrap();
        assert_eq!(serde_json::from_str::<TrainingSettings>(&text).unwrap(), settings());
        assert!(serde_json::from_str::<TrainingSettings>(&text.replace("2-8-8", "2-8")).is_err());
        // Older notes lack these two.
        let older = text.replace(r#""tail":0.0,"weight_decay":0.0,"#, "");
        assert!(older.len() < text.len());
        assert_eq!(serde_json::from_str::<TrainingSettings>(&older).unwrap(), settings());
        settings().check().unwrap();
        let wrong = |settings: TrainingSettings| settings.check().unwrap_err().to_string();
        assert!(wrong(TrainingSettings { batch: 100, ..settings() }).contains("batch of 100"));
        assert!(wrong(TrainingSettings { positions: 100, ..settings() }).contains("100 positions"));
        assert!(wrong(TrainingSettings { lambda: 1.5, ..settings() }).contains("lambda = 1.5"));
        assert!(wrong(TrainingSettings { tail: 1.0, ..settings() }).contains("tail = 1"));
        assert!(wrong(TrainingSettings { weight_decay: -0.1, ..settings() }).contains("weight_decay = -0.1"));
        assert!(wrong(TrainingSettings { network_scale: f64::NAN, ..settings() }).contains("network_scale"));
    }
}
