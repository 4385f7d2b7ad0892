//! `kiki-lab data returns`: scores mixed with the later ones of their games.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;
use crate::{LambdaReturn, is_same_game};
use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;

use super::result_file::{ResultCounts, ResultFile, write_note};
use super::sources::{SourceFile, Sources};
use kiki_run::interrupt::exit_code;
use kiki_run::say;

/// Files with fewer records per game than this are not in the order of their games.
const FEWEST_RECORDS: u64 = 4;

#[derive(Args, Debug)]
pub(super) struct ReturnsArgs {
    /// Files of records as self-play writes them, game by game
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file for the result; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Weight of the position's own score; later scores have the rest
    #[arg(long, value_name = "PART", default_value_t = 0.5, value_parser = part)]
    own: f64,
    /// For each ply, weight of everything after the next ply; the result comes last
    #[arg(long, value_name = "PART", default_value_t = 0.95, value_parser = part)]
    decay: f64,
    /// The old score, in centipawns, that means 75 percent of the points; in the new scores this is 600
    #[arg(long, value_name = "CP", default_value_t = 1000.0, value_parser = centipawns)]
    score_scale: f64,
}

/// The note beside the result.
#[derive(Serialize)]
struct ReturnsNote<'a> {
    made_by: &'static str,
    own: f64,
    decay: f64,
    score_scale: f64,
    sources: &'a [SourceFile],
    games: u64,
    #[serde(flatten)]
    counts: ResultCounts,
}

/// The records of a game in their order.
struct CurrentGame {
    how: LambdaReturn,
    records: Vec<TrainingRecord>,
    games: u64,
}

impl CurrentGame {
    /// Writes the game with its new scores.
    fn end(&mut self, result: &mut ResultFile) -> Result<()> {
        if !self.records.is_empty() {
            self.how.apply(&mut self.records);
            self.games += 1;
        }
        let bytes: Vec<RecordBytes> = self.records.drain(..).map(|record| record.to_bytes()).collect();
        result.write(&bytes)
    }
}

/// Runs `data returns`.
pub(super) fn run(arguments: &ReturnsArgs) -> Result<ExitCode> {
    let ReturnsArgs { files, out, own, decay, score_scale } = arguments;
    let (own, decay, score_scale) = (*own, *decay, *score_scale);
    let mut sources = Sources::open(files)?;
    let mut result = ResultFile::new(out)?;
    let how = LambdaReturn { own, decay, score_scale };
    let mut game = CurrentGame { how, records: Vec::new(), games: 0 };
    let read = sources.read_sound(|place, record| {
        let record = TrainingRecord::from_bytes(record);
        let goes_on = place.record > 0 && game.records.last().is_some_and(|last| is_same_game(last, &record));
        if !goes_on {
            game.end(&mut result)?;
        }
        game.records.push(record);
        Ok(())
    })?;
    let Some(read) = read else { return Ok(exit_code(true)) };
    game.end(&mut result)?;
    let games = game.games;
    let records: u64 = read.iter().map(|file| file.records).sum();
    ensure!(
        records >= FEWEST_RECORDS * games,
        "{records} records in {games} games: these files are not in the order of their games (returns first, then shuffle)"
    );
    let counts = result.publish()?;
    write_note(out, &ReturnsNote { made_by: "data returns", own, decay, score_scale, sources: &read, games, counts })?;
    say!("{}: {records} records of {games} games", out.display());
    Ok(ExitCode::SUCCESS)
}

fn part(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(|| "expected 0 to 1".to_owned())
}

fn centipawns(text: &str) -> Result<f64, String> {
    let sound = |centipawns: &f64| (1.0..=100_000.0).contains(centipawns);
    text.parse().ok().filter(sound).ok_or_else(|| "expected 1 to 100000 centipawns".to_owned())
}
