//! The two answers to `go`.

use std::fmt;

use crate::text::write_words;

/// The answer to `go`. Its `Display` is the line.
///
/// ```
/// use kiki_usi::BestMove;
///
/// assert_eq!(BestMove::new("7g7f").to_string(), "bestmove 7g7f");
/// assert_eq!(BestMove::with_ponder("7g7f", "3c3d").to_string(), "bestmove 7g7f ponder 3c3d");
/// assert_eq!(BestMove::Win.to_string(), "bestmove win");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BestMove {
    /// A move.
    Move {
        /// The move to play.
        best: String,
        /// The expected answer; it must be legal after the move.
        ponder: Option<String>,
    },
    /// The side to move gives up.
    Resign,
    /// The side to move declares victory by its entered king.
    Win,
}

impl BestMove {
    /// A move without an expected answer.
    #[must_use]
    pub fn new(best: impl fmt::Display) -> Self {
        Self::Move { best: best.to_string(), ponder: None }
    }

    /// A move and the expected answer.
    #[must_use]
    pub fn with_ponder(best: impl fmt::Display, ponder: impl fmt::Display) -> Self {
        Self::Move { best: best.to_string(), ponder: Some(ponder.to_string()) }
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { best, ponder: None } => write!(f, "bestmove {best}"),
            Self::Move { best, ponder: Some(ponder) } => write!(f, "bestmove {best} ponder {ponder}"),
            Self::Resign => f.write_str("bestmove resign"),
            Self::Win => f.write_str("bestmove win"),
        }
    }
}

/// The answer to `go mate`. Its `Display` is the line.
///
/// ```
/// use kiki_usi::CheckmateReply;
///
/// assert_eq!(CheckmateReply::Moves(vec!["G*5b".to_owned()]).to_string(), "checkmate G*5b");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckmateReply {
    /// The moves of both sides up to the mate. No moves at all are written as no mate.
    Moves(Vec<String>),
    /// There is no mate.
    NoMate,
    /// The time was too short to tell, or `stop` came.
    Timeout,
    /// The engine cannot look for mates.
    NotImplemented,
}

impl fmt::Display for CheckmateReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("checkmate")?;
        match self {
            Self::Moves(moves) if !moves.is_empty() => write_words(f, moves),
            Self::Moves(_) | Self::NoMate => f.write_str(" nomate"),
            Self::Timeout => f.write_str(" timeout"),
            Self::NotImplemented => f.write_str(" notimplemented"),
        }
    }
}
