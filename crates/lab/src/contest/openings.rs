//! The positions that games start from.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::ValueEnum;
use kiki_board::{GameRepetition, Position};
use kiki_usi::{Command, PositionSpec, set_up};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;
use serde::Deserialize;

/// The order of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Shuffled by the seed.
    Random,
    /// As they stand in the file.
    Sequential,
}

/// The openings of a file, in its order: one a line, as `startpos moves ..`, `sfen .. moves ..` or a bare SFEN. Empty lines and lines that
/// start with `#` are left out.
///
/// # Errors
/// Names file, line and token of what is no opening: text that is no position, an illegal move, a game that is over.
pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("openings {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

/// The same for the text of such a file.
pub(crate) fn parse(text: &str) -> Result<Vec<String>> {
    let mut openings = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("position ").unwrap_or(line);
        position(line).with_context(|| format!("line {}", index + 1))?;
        openings.push(line.to_owned());
    }
    ensure!(!openings.is_empty(), "there is no opening in it");
    Ok(openings)
}

/// One opening as the text of `position` and as a position to go on from.
pub(crate) fn position(line: &str) -> Result<(PositionSpec, Position)> {
    let command = Command::parse(format!("position {line}").as_bytes()).map_err(|error| anyhow!("{error}"))?;
    let Command::Position(spec) = command else { bail!("`{line}` is no position") };
    let position = set_up(&spec).map_err(|error| anyhow!("{error}"))?;
    ensure!(!position.legal_moves().is_empty(), "the game is over: the side to move has no legal move");
    ensure!(position.game_repetition() == GameRepetition::None, "the game is over by repetition");
    Ok((spec, position))
}

/// Puts openings into an order that depends on nothing but the seed.
pub(crate) fn shuffle(openings: &mut [String], seed: u64) {
    openings.shuffle(&mut Pcg64::seed_from_u64(seed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_position_is_an_opening() {
        let text = "\u{feff}# a comment\r\nstartpos moves 7g7f 3c3d\r\n\nposition startpos\n\
                    sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h\n4k4/9/9/9/9/9/9/9/4K4 w - 2\n";
        assert_eq!(parse(text).unwrap().len(), 4);
    }

    #[test]
    fn what_is_no_opening_is_named_with_its_line() {
        for (text, expected) in [
            ("startpos\nstartpos moves 7g7f 7g7f", "line 2: move 2 of the position command is illegal: 7g7f"),
            ("nonsense", "line 1"),
            ("", "no opening"),
            ("# nothing", "no opening"),
            ("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "game is over"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
    }

    #[test]
    fn an_order_is_fixed_by_its_seed() {
        let sorted: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let shuffled = |seed| {
            let mut openings = sorted.clone();
            shuffle(&mut openings, seed);
            openings
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        assert_ne!(shuffled(1), sorted);
    }
}
