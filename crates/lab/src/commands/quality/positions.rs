//! Positions drawn at random from what people have.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_board::Position;
use kiki_play::game::PlayedGame;
use kiki_play::openings;
use kiki_train::psv::TrainingRecord;
use kiki_train::shards::RecordStream;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::contest::settings::ContestSettings;
use crate::journal::{CONTEST, Journal};
use crate::quality::measure::SampledPosition;

/// Middle games and endgames of self-play.
const MIDDLE_GAMES: &str = include_str!("../../../../../tests/fixtures/midgame.tsv");

/// Keeps so many of all that it is offered, each with the same probability, in no special order (Vitter's algorithm R, 1985).
struct Reservoir {
    count: usize,
    offered: usize,
    random: Pcg64,
    kept: Vec<SampledPosition>,
}

impl Reservoir {
    fn new(count: usize, seed: u64) -> Self {
        Self { count, offered: 0, random: Pcg64::seed_from_u64(seed), kept: Vec::new() }
    }

    /// `make` is only called for a position that is kept.
    fn offer(&mut self, game: u64, make: impl FnOnce() -> Result<Position>) -> Result<()> {
        self.offered += 1;
        if self.kept.len() < self.count {
            self.kept.push(SampledPosition { position: make()?, game });
            return Ok(());
        }
        let place = self.random.random_range(0..self.offered);
        if place < self.count {
            self.kept[place] = SampledPosition { position: make()?, game };
        }
        Ok(())
    }
}

/// At most so many positions of a source; of the middle games of the fixtures if there is none.
///
/// # Errors
/// What cannot be read, with its place, and a source without positions.
pub(super) fn sampled(source: Option<&Path>, count: usize, seed: u64) -> Result<Vec<SampledPosition>> {
    let mut reservoir = Reservoir::new(count, seed);
    match source {
        None => offer_table(&mut reservoir, MIDDLE_GAMES)?,
        Some(path) => offer_path(&mut reservoir, path).with_context(|| format!("positions {}", path.display()))?,
    }
    ensure!(!reservoir.kept.is_empty(), "there are no positions");
    Ok(reservoir.kept)
}

fn offer_path(reservoir: &mut Reservoir, path: &Path) -> Result<()> {
    if path.is_dir() {
        return offer_match(reservoir, path);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("psv") => offer_records(reservoir, path),
        Some("tsv") => offer_table(reservoir, &fs::read_to_string(path)?),
        _ => {
            for (game, line) in openings::parse(&fs::read_to_string(path)?)?.iter().enumerate() {
                reservoir.offer(game as u64, || without_history(&openings::position(line)?.1))?;
            }
            Ok(())
        }
    }
}

/// All positions of a match that an engine had to move in. A search knows nothing of the moves before.
fn offer_match(reservoir: &mut Reservoir, folder: &Path) -> Result<()> {
    let (mut journal, _, _) = Journal::read::<ContestSettings>(folder, CONTEST)?;
    journal.replay(|game: PlayedGame| {
        let (_, mut position) = openings::position(&game.root)?;
        for (index, text) in game.moves.iter().enumerate().filter(|_| !game.voided) {
            if index >= game.opening_plies {
                reservoir.offer(game.game as u64, || without_history(&position))?;
            }
            let illegal = |_| anyhow!("game {}, move {}: `{text}` is illegal", game.game, index + 1);
            position.make(position.parse_move(text).map_err(illegal)?);
        }
        Ok(())
    })
}

/// Records say nothing of games: each counts as one of its own.
fn offer_records(reservoir: &mut Reservoir, path: &Path) -> Result<()> {
    for (number, bytes) in RecordStream::new(BufReader::new(File::open(path)?)).enumerate() {
        let record = TrainingRecord::from_bytes(&bytes?);
        let place = || format!("record {}", number + 1);
        reservoir.offer(number as u64, || record.position().with_context(place))?;
    }
    Ok(())
}

/// A table with a header that names the column `sfen` and perhaps `source`, the game.
fn offer_table(reservoir: &mut Reservoir, text: &str) -> Result<()> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|title| *title == name);
    let sfen = column("sfen").context("there is no column `sfen`")?;
    let source = column("source");
    let mut games = BTreeMap::new();
    for (number, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let place = || format!("line {}", number + 2);
        let text = *cells.get(sfen).with_context(place)?;
        let name = source.and_then(|column| cells.get(column)).map_or_else(|| number.to_string(), |&name| name.into());
        let next = games.len() as u64;
        let game = *games.entry(name).or_insert(next);
        reservoir.offer(game, || Position::from_sfen(text).with_context(place))?;
    }
    Ok(())
}

fn without_history(position: &Position) -> Result<Position> {
    Ok(Position::from_sfen(&position.to_sfen())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_each_position_with_the_same_probability() {
        let mut counts = [0; 10];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(3, seed);
            for game in 0..10 {
                reservoir.offer(game, || Ok(Position::startpos())).unwrap();
            }
            reservoir.kept.iter().for_each(|sampled| counts[sampled.game as usize] += 1);
        }
        // 1200 each, with a standard deviation of 29.
        assert!(counts.iter().all(|count| (1080..=1320).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_middle_games_are_the_usual_positions() {
        assert_eq!(sampled(None, 100_000, 1).unwrap().len(), MIDDLE_GAMES.lines().count() - 1);
        assert_eq!(sampled(None, 7, 1).unwrap().len(), 7);
    }
}
