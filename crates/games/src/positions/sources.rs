//! Where positions come from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_board::{Move, Position};
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_play::openings;
use kiki_train::games::GameFile;
use kiki_train::psv::TrainingRecord;
use kiki_train::recorded::TrainingFile;

use super::SampledPosition;
use super::reservoir::Reservoir;
use crate::played_games::{for_each_new_game, holds_games};
use kiki_run::input_errors::InputErrors;
use kiki_run::repeats::SeenGames;

/// Middle games and endgames of self-play.
const MIDDLE_GAMES: &str = include_str!("../../../../tests/fixtures/midgame.tsv");

/// At most `count` positions of several sources, all with the same probability; without a source,
/// of the middle games of the fixtures. `ply` (from 1) selects positions with that ply to play.
/// Reports unreadable input and uses the rest; training data counts up to the fault. A game counts
/// once. No position at all is an error.
pub fn sampled_from(
    sources: &[PathBuf],
    count: usize,
    seed: u64,
    ply: Option<u32>,
    errors: &mut InputErrors,
) -> Result<Vec<SampledPosition>> {
    let mut reservoir = Reservoir::new(count, seed, ply);
    if sources.is_empty() {
        offer_table(&mut reservoir, MIDDLE_GAMES, "the middle games", errors)?;
    }
    let mut seen = SeenGames::default();
    for path in sources {
        if holds_games(path) {
            for_each_new_game(path, &mut seen, errors, |game| {
                offer_game(&mut reservoir, game.root, &game.moves, game.opening_plies)
            });
        } else if seen.is_new_file(path) {
            let offered = offer_list(&mut reservoir, path, errors).with_context(|| path.display().to_string());
            errors.readable(offered);
        }
    }
    seen.repeats.warn();
    ensure!(!reservoir.kept.is_empty(), "there are no positions");
    Ok(reservoir.kept)
}

fn offer_list(reservoir: &mut Reservoir, path: &Path, errors: &mut InputErrors) -> Result<()> {
    let place = path.display().to_string();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("psv") => return offer_records(reservoir, path),
        _ if GameFile::is_one(path)? => return offer_records(reservoir, path),
        Some("tsv") => return offer_table(reservoir, &read_regular_text(path, MOST_RECORDS)?, &place, errors),
        _ => {}
    }
    let text = read_regular_text(path, MOST_RECORDS)?;
    let rows = openings::read(&text).map(|opening| without_history(&opening?.1));
    errors.each_row(&place, rows, |position| {
        let game = reservoir.next_game();
        reservoir.offer(None, || Ok(SampledPosition { position, game, progress: None, played: None }))
    });
    Ok(())
}

/// Offers the positions of a game before its moves, from ply `from` on and without their history.
fn offer_game(reservoir: &mut Reservoir, mut position: Position, moves: &[Move], from: usize) -> Result<()> {
    let game = reservoir.next_game();
    for (ply, &mv) in moves.iter().enumerate() {
        if ply >= from {
            let progress = Some(ply as f32 / moves.len() as f32);
            reservoir.offer(Some(position.ply()), || {
                Ok(SampledPosition { position: without_history(&position)?, game, progress, played: Some(mv) })
            })?;
        }
        position.make(mv);
    }
    Ok(())
}

/// In shuffled files nearly every record counts as a game of its own.
fn offer_records(reservoir: &mut Reservoir, path: &Path) -> Result<()> {
    for game in TrainingFile::open(path)?.into_games() {
        offer_recorded_game(reservoir, &game?)?;
    }
    Ok(())
}

fn offer_recorded_game(reservoir: &mut Reservoir, records: &[TrainingRecord]) -> Result<()> {
    let Some(last) = records.last() else { return Ok(()) };
    let game = reservoir.next_game();
    for record in records {
        // The game length of a single record is unknown.
        let progress = (records.len() > 1).then(|| f32::from(record.ply) / f32::from(last.ply.max(1)));
        reservoir.offer(Some(record.ply.into()), || {
            Ok(SampledPosition { position: record.position()?, game, progress, played: Some(record.played()) })
        })?;
    }
    Ok(())
}

/// Offers a table. Its header names the column `sfen`, and maybe `source` for the game.
fn offer_table(reservoir: &mut Reservoir, text: &str, place: &str, errors: &mut InputErrors) -> Result<()> {
    let mut lines = (1..).zip(text.lines());
    let header: Vec<&str> = lines.next().unwrap_or_default().1.split('\t').collect();
    let column = |name: &str| header.iter().position(|title| *title == name);
    let sfen = column("sfen").context("there is no column `sfen`")?;
    let source = column("source");
    let rows = lines.filter(|(_, line)| !line.is_empty()).map(|(number, line): (u64, &str)| {
        let cells: Vec<&str> = line.split('\t').collect();
        let line = || format!("line {number}");
        let position = Position::from_sfen(cells.get(sfen).with_context(line)?).with_context(line)?;
        let name = source.and_then(|column| cells.get(column)).map_or_else(line, |&name| name.to_owned());
        Ok((name, position))
    });
    let mut games = BTreeMap::new();
    errors.each_row(place, rows, |(name, position)| {
        let game = *games.entry(name).or_insert_with(|| reservoir.next_game());
        reservoir.offer(None, || Ok(SampledPosition { position, game, progress: None, played: None }))
    });
    Ok(())
}

fn without_history(position: &Position) -> Result<Position> {
    Ok(Position::from_sfen(&position.to_sfen())?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_middle_games_are_the_usual_positions() {
        let drawn = |count| sampled_from(&[], count, 1, None, &mut InputErrors::default()).unwrap().len();
        assert_eq!((drawn(100_000), drawn(7)), (MIDDLE_GAMES.lines().count() - 1, 7));
    }

    #[test]
    fn a_game_record_gives_every_position_with_its_place_in_the_game() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.csa"), "V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n").unwrap();
        fs::write(folder.path().join("a.csa"), "V2.2\nPI\n+\n+2726FU\n%TORYO\n").unwrap();
        let sampled = |folder: &Path, ply| {
            let mut errors = InputErrors::default();
            let drawn = sampled_from(&[folder.to_owned()], 100, 1, ply, &mut errors);
            (drawn, errors.texts().join(", "))
        };
        let drawn = sampled(folder.path(), None).0.unwrap();
        let places: Vec<_> = drawn.iter().map(|sampled| (sampled.game, sampled.progress)).collect();
        assert_eq!(places, [(0, Some(0.0)), (1, Some(0.0)), (1, Some(0.5))]);
        assert!(drawn[2].position.to_sfen().contains("/2P6/"));
        let second = sampled(folder.path(), Some(2)).0.unwrap();
        assert_eq!(second.iter().map(|sampled| sampled.position.ply()).collect::<Vec<_>>(), [2]);
        let empty = tempfile::tempdir().unwrap();
        let (drawn, told) = sampled(empty.path(), None);
        assert!(drawn.is_err() && told.contains("there are no game records in this folder"), "{told}");
    }

    #[test]
    fn a_bad_line_of_a_list_is_told_and_the_others_count() {
        let folder = tempfile::tempdir().unwrap();
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (header, words) = ("\u{feff}sfen\n", "startpos moves 7g7f");
        for path in [
            write("a.tsv", &format!("{header}{sfen}\nBROKEN\n{sfen}\n{sfen}\n")),
            write("b.txt", &format!("# list\n{words}\nBROKEN\n{words}\n\n{words}\n")),
        ] {
            // Whichever positions are drawn.
            for (count, kept) in [(1, 1), (100, 3)] {
                let mut errors = InputErrors::default();
                let drawn = sampled_from(&[path.clone(), path.clone()], count, 1, None, &mut errors).unwrap();
                let told = errors.texts().join(", ");
                assert_eq!((drawn.len(), errors.count()), (kept, 1), "{told}");
                assert!(told.contains(": line 3: "), "{told}");
            }
        }
    }
}
