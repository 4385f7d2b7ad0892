//! `kiki-lab data returns`: mixes scores with later scores of the same game.

use anyhow::{Result, ensure};
use clap::Args;
use kiki_run::say;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::result_file::{RewriteArgs, write_records};
use super::sources::Sources;
use crate::LambdaReturn;
use crate::psv::TrainingRecord;

/// With fewer records per game than this, files are taken to be shuffled.
const FEWEST_RECORDS: u64 = 4;

#[derive(Args, Debug)]
pub(super) struct ReturnsArgs {
    #[command(flatten)]
    paths: RewriteArgs,
    #[command(flatten)]
    weights: ReturnsWeights,
    /// The old score that means 75 percent of the points, in centipawns; in the new scores it is
    /// 600 [default: as a file of games says, 1000 for records]
    #[arg(long, value_name = "CP", value_parser = centipawns)]
    score_scale: Option<f64>,
}

/// How scores are mixed with later ones.
#[derive(Args, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReturnsWeights {
    /// Weight of a position's own score; later scores have the rest
    #[arg(long, value_name = "PART", default_value_t = Self::default().own, value_parser = part)]
    pub own: f64,
    /// Weight of what follows the next score, per ply; 0: that score alone, 1: the result
    #[arg(long, value_name = "PART", default_value_t = Self::default().decay, value_parser = part)]
    pub decay: f64,
}

impl Default for ReturnsWeights {
    fn default() -> Self {
        Self { own: 0.5, decay: 0.8 }
    }
}

impl ReturnsWeights {
    pub(crate) fn returns(self, score_scale: f64) -> LambdaReturn {
        LambdaReturn { own: self.own, decay: self.decay, score_scale }
    }
}

/// The scale assumed for records, which do not state theirs.
const RECORDS_SCALE: f64 = 1000.0;

pub(super) fn run(arguments: &ReturnsArgs) -> Result<()> {
    let &ReturnsArgs { paths: RewriteArgs { ref files, ref out }, weights, score_scale } = arguments;
    let sources = Sources::open(files)?;
    let mut games = 0;
    let records = write_records(out, "data returns", |result| {
        let read = sources.read_sound(|place, game| {
            let mut game = game.to_vec();
            weights.returns(score_scale.or(place.score_scale).unwrap_or(RECORDS_SCALE)).apply(&mut game);
            games += 1;
            result.write(&game.iter().map(TrainingRecord::to_bytes).collect::<Vec<_>>())
        })?;
        let records: u64 = read.iter().map(|file| file.records).sum();
        ensure!(
            records >= FEWEST_RECORDS * games,
            "{records} records in {games} games: these files are not in the order of their games (returns first, then shuffle)"
        );
        let ReturnsWeights { own, decay } = weights;
        // Without a scale it is that of each file.
        Ok((read, json!({ "own": own, "decay": decay, "score_scale": score_scale, "games": games })))
    })?;
    say!("{}: {records} records of {games} games", out.display());
    Ok(())
}

/// Parses a share, 0 to 1.
pub(crate) fn part(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(|| "expected 0 to 1".to_owned())
}

/// Parses a scale of scores, in centipawns.
pub(crate) fn centipawns(text: &str) -> Result<f64, String> {
    let sound = |centipawns: &f64| (1.0..=100_000.0).contains(centipawns);
    text.parse().ok().filter(sound).ok_or_else(|| "expected 1 to 100000 centipawns".to_owned())
}
