//! A [`PositionSpec`] played out on a board: here legality is decided.

use std::borrow::Cow;
use std::fmt;

use kiki_board::{Position, SfenError};

use crate::position::{PositionRoot, PositionSpec};
use crate::text::{clamped, excerpt, excerpt_of, number};

/// The largest move counter that is taken over. Nobody plays that long, and the board can go on counting from it.
const LARGEST_COUNTER: u32 = 1_000_000;

/// Why a [`PositionSpec`] could not be played out. The text is ASCII and one line.
#[derive(Clone, thiserror::Error)]
pub enum PositionError {
    /// The root is no position.
    #[error("cannot set up the position: {}", excerpt_of(&.0.to_string(), 200))]
    Root(SfenError),
    /// A move cannot be read or is illegal.
    #[error("move {ply} of the position command is illegal: {token}")]
    IllegalMove {
        /// The move, shortened to quote it.
        token: String,
        /// Its place among the moves of the command; the first is 1.
        ply: usize,
        /// The last legal position: all moves before this one are made.
        reached: Box<Position>,
    },
}

/// A position has no `Debug`; the text for people says enough.
impl fmt::Debug for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Sets up the root and makes the moves, so that the result knows its full history for repetition. Every legal move counts,
/// unpromoted pawns, bishops and rooks too.
///
/// # Errors
/// A root that is no position leaves nothing to go on with. An illegal move leaves the last legal
/// position of the line as `reached`, to be used or not as the caller likes.
///
/// ```
/// use kiki_usi::{PositionError, PositionSpec, set_up};
///
/// let mut spec = PositionSpec::startpos();
/// spec.moves = ["7g7f", "3c3d", "5e5d"].map(String::from).to_vec();
/// let Err(PositionError::IllegalMove { token, ply, reached }) = set_up(&spec) else { unreachable!() };
/// assert_eq!((token.as_str(), ply, reached.moves_made()), ("5e5d", 3, 2));
/// ```
pub fn set_up(spec: &PositionSpec) -> Result<Position, PositionError> {
    let mut position = match &spec.root {
        PositionRoot::Startpos => Position::startpos(),
        PositionRoot::Sfen(sfen) => Position::from_sfen(&with_bounded_counter(sfen)).map_err(PositionError::Root)?,
    };
    for (index, token) in spec.moves.iter().enumerate() {
        let Ok(mv) = position.parse_move(token) else {
            return Err(PositionError::IllegalMove {
                token: excerpt(token),
                ply: index + 1,
                reached: Box::new(position),
            });
        };
        position.make(mv);
    }
    Ok(position)
}

/// Move counters below 1 and beyond reason occur; they are no grounds to refuse a position.
fn with_bounded_counter(sfen: &str) -> Cow<'_, str> {
    let counter = sfen.rsplit_once(' ').and_then(|(fields, last)| {
        let counter = number(last)?;
        Some((fields, counter))
    });
    match counter {
        Some((fields, counter)) => format!("{fields} {}", clamped(counter, 1, LARGEST_COUNTER)).into(),
        None => sfen.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(sfen: &str, moves: &[&str]) -> PositionSpec {
        PositionSpec {
            root: PositionRoot::Sfen(sfen.to_owned()),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
        }
    }

    #[test]
    fn matsuri_is_a_position_with_207_moves() {
        let position = set_up(&PositionSpec::matsuri()).unwrap();
        assert_eq!(position.legal_moves().len(), 207);
    }

    #[test]
    fn any_move_counter_will_do() {
        for counter in ["", " 0", " -7", " 4294967295", " 99999999999999999999999"] {
            let spec = spec(&format!("4k4/9/9/9/9/9/9/9/4K4 b -{counter}"), &["5i5h", "5a5b"]);
            let position = set_up(&spec).unwrap();
            assert_eq!(position.moves_made(), 2, "{counter}");
        }
    }

    #[test]
    fn a_root_that_is_no_position_is_named_in_ascii() {
        for sfen in ["", "x", "9/9 b", &"歩".repeat(100_000), "4k4/9/9/9/9/9/9/9/4K4 歩 -"] {
            let error = set_up(&spec(sfen, &[])).err().unwrap();
            assert!(matches!(error, PositionError::Root(_)));
            let text = error.to_string();
            assert!(text.is_ascii() && text.len() < 300, "{text}");
        }
    }

    #[test]
    fn a_malformed_move_is_illegal_at_its_ply() {
        let mut spec = PositionSpec::startpos();
        spec.moves = vec!["7g7f".to_owned(), "歩".repeat(1000)];
        let error = set_up(&spec).err().unwrap();
        assert!(error.to_string().is_ascii());
        let PositionError::IllegalMove { ply: 2, reached, .. } = error else { panic!("{error}") };
        assert_eq!(reached.moves_made(), 1);
    }
}
