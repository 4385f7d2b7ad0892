//! The positions that games start from.

use std::fmt::Display;

use kiki_board::{GameRepetition, Position};
use kiki_usi::{Command, PositionSpec, set_up};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;

/// Why a text holds no opening; it names the line or the word at fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpeningError(String);

fn error(reason: impl Display) -> OpeningError {
    OpeningError(format!("{reason}"))
}

/// Reads one opening a line: `startpos moves ..`, `sfen .. moves ..` or a bare SFEN. Skips empty
/// lines and lines that start with `#`. Refuses illegal moves and finished games.
pub fn parse(text: &str) -> Result<Vec<String>, OpeningError> {
    let openings: Vec<String> = read(text).map(|opening| Ok(opening?.0.to_owned())).collect::<Result<_, _>>()?;
    if openings.is_empty() { Err(error("there is no opening in it")) } else { Ok(openings) }
}

/// The same line by line, with the positions after the moves.
pub fn read(text: &str) -> impl Iterator<Item = Result<(&str, Position), OpeningError>> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(number, line): (u64, _)| {
        let line = line.strip_prefix("position ").unwrap_or(line);
        let read = position(line).map_err(|problem| error(format_args!("line {number}: {problem}")));
        Ok((line, read?.1))
    })
}

/// Reads one opening: the arguments of `position`, and the position after its moves. Refuses a
/// finished game.
pub fn position(line: &str) -> Result<(PositionSpec, Position), OpeningError> {
    let Command::Position(spec) = Command::parse(format!("position {line}").as_bytes()).map_err(error)? else {
        return Err(error(format_args!("`{line}` is no position")));
    };
    let position = set_up(&spec).map_err(error)?;
    if position.legal_moves().is_empty() {
        return Err(error("the game is over: the side to move has no legal move"));
    }
    if position.game_repetition() != GameRepetition::None {
        return Err(error("the game is over by repetition"));
    }
    Ok((spec, position))
}

/// The order depends only on the number of openings and on the seed.
pub fn shuffle(openings: &mut [String], seed: u64) {
    openings.shuffle(&mut Pcg64::seed_from_u64(seed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_position_is_an_opening() {
        let text = "# a comment\r\nstartpos moves 7g7f 3c3d\r\n\nposition startpos\n\
                    sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h\n4k4/9/9/9/9/9/9/9/4K4 w - 2\n";
        assert_eq!(parse(text).unwrap().len(), 4);
    }

    #[test]
    fn invalid_openings_are_named_with_their_line() {
        for (text, expected) in [
            ("startpos\nstartpos moves 7g7f 7g7f", "line 2: move 2 of the position command is illegal: 7g7f"),
            ("nonsense", "line 1"),
            ("", "no opening"),
            ("# nothing", "no opening"),
            ("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "game is over"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
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
