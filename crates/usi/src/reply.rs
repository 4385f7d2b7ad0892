//! The output of engines: the answers to `go`, and any line for programs that drive engines.

use std::fmt;

use crate::info::Info;
use crate::option_declaration::OptionDeclaration;
use crate::text::{Words, decode, trim, write_words};

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
        /// The expected reply; it must be legal after the move.
        ponder: Option<String>,
    },
    /// The side to move resigns.
    Resign,
    /// The side to move declares a win by its entered king.
    Win,
}

impl BestMove {
    /// A move without an expected reply.
    #[must_use]
    pub fn new(best: impl fmt::Display) -> Self {
        Self::Move { best: best.to_string(), ponder: None }
    }

    /// A move and the expected reply.
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
    /// The moves of both sides up to the mate. An empty list is written as no mate.
    Moves(Vec<String>),
    /// There is no mate.
    NoMate,
    /// Time ran out, or `stop` came.
    Timeout,
    /// The engine cannot search for mates.
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

/// One line of an engine's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// `id name ..`.
    IdName(String),
    /// `id author ..`.
    IdAuthor(String),
    /// `option name ..`.
    Option(OptionDeclaration),
    /// `usiok`.
    UsiOk,
    /// `readyok`.
    ReadyOk,
    /// `info ..`.
    Info(Box<Info>),
    /// `bestmove ..`. The moves are texts: programs write `none` and worse.
    BestMove(BestMove),
    /// `checkmate ..`.
    Checkmate(CheckmateReply),
    /// An empty line, which engines send as a sign of life.
    Blank,
    /// Anything else, such as debug text. Bytes that are not UTF-8 become U+FFFD.
    Other(String),
}

impl Reply {
    /// Reads one line, with or without its line break. The first word must be at the start of the
    /// line, so that debug text like `sent: bestmove 7g7f` is not taken for an answer.
    ///
    /// ```
    /// use kiki_usi::{BestMove, CheckmateReply, Reply};
    ///
    /// assert_eq!(Reply::parse(b"bestmove 7g7f\r\n"), Reply::BestMove(BestMove::new("7g7f")));
    /// assert_eq!(Reply::parse(b"checkmate none"), Reply::Checkmate(CheckmateReply::NoMate));
    /// assert!(matches!(Reply::parse(b"sent: bestmove 7g7f"), Reply::Other(_)));
    /// ```
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        let text = decode(line);
        let mut words = Words::new(&text);
        let Some(word) = words.next() else {
            return Self::Blank;
        };
        let reply = if text.starts_with(word) { Self::from_words(word, words) } else { None };
        reply.unwrap_or_else(|| Self::Other(trim(&text).to_owned()))
    }

    fn from_words(word: &str, mut words: Words<'_>) -> Option<Self> {
        match word {
            "id" => match words.next()? {
                "name" => Some(Self::IdName(words.rest().to_owned())),
                "author" => Some(Self::IdAuthor(words.rest().to_owned())),
                _ => None,
            },
            "option" => OptionDeclaration::parse(words).map(Self::Option),
            "usiok" => Some(Self::UsiOk),
            "readyok" => Some(Self::ReadyOk),
            "info" => Some(Self::Info(Box::new(Info::parse(words)))),
            "bestmove" => best_move(words).map(Self::BestMove),
            _ => checkmate(word.strip_prefix("checkmate")?, words).map(Self::Checkmate),
        }
    }
}

fn best_move(mut words: Words<'_>) -> Option<BestMove> {
    Some(match words.next()? {
        "resign" => BestMove::Resign,
        "win" => BestMove::Win,
        best => {
            let ponder = if words.next() == Some("ponder") { words.next() } else { None };
            BestMove::Move { best: best.to_owned(), ponder: ponder.map(str::to_owned) }
        }
    })
}

/// `glued` is the text directly after `checkmate`: some programs write `checkmatenomate`.
fn checkmate(glued: &str, mut words: Words<'_>) -> Option<CheckmateReply> {
    let verdict = |word: &str| match word {
        "nomate" | "none" => Some(CheckmateReply::NoMate),
        "timeout" => Some(CheckmateReply::Timeout),
        "notimplemented" => Some(CheckmateReply::NotImplemented),
        _ => None,
    };
    if !glued.is_empty() {
        return verdict(glued);
    }
    let Some(first) = words.next() else {
        return Some(CheckmateReply::NoMate);
    };
    let moves = || [first].into_iter().chain(words).map(str::to_owned).collect();
    Some(verdict(first).unwrap_or_else(|| CheckmateReply::Moves(moves())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_that_starts_with_bestmove_is_an_answer() {
        for line in
            ["sent: bestmove 7g7f", " bestmove 7g7f", "bestmove", "bestmoves 7g7f", "BESTMOVE 7g7f", "info", "\u{6b69}"]
        {
            assert!(!matches!(Reply::parse(line.as_bytes()), Reply::BestMove(_)), "{line}");
        }
        assert_eq!(Reply::parse(b"bestmove resign"), Reply::BestMove(BestMove::Resign));
        assert_eq!(Reply::parse(b"bestmove win\r"), Reply::BestMove(BestMove::Win));
        assert_eq!(Reply::parse(b"bestmove none"), Reply::BestMove(BestMove::new("none")));
        assert_eq!(Reply::parse(b"bestmove 7g7f ponder"), Reply::BestMove(BestMove::new("7g7f")));
        let ponder = BestMove::with_ponder("7g7f", "3c3d");
        assert_eq!(Reply::parse(b"bestmove 7g7f  ponder 3c3d"), Reply::BestMove(ponder));
    }

    #[test]
    fn every_way_to_say_no_mate_is_understood() {
        for line in ["checkmate nomate", "checkmate none", "checkmatenomate", "checkmatenone", "checkmate"] {
            assert_eq!(Reply::parse(line.as_bytes()), Reply::Checkmate(CheckmateReply::NoMate), "{line}");
        }
        assert_eq!(Reply::parse(b"checkmate timeout"), Reply::Checkmate(CheckmateReply::Timeout));
        assert_eq!(Reply::parse(b"checkmate notimplemented"), Reply::Checkmate(CheckmateReply::NotImplemented));
        let moves = CheckmateReply::Moves(vec!["G*5b".to_owned(), "5a4a".to_owned()]);
        assert_eq!(Reply::parse(b"checkmate G*5b 5a4a"), Reply::Checkmate(moves));
        assert_eq!(Reply::parse(b"checkmates"), Reply::Other("checkmates".to_owned()));
    }

    #[test]
    fn handshakes_are_understood() {
        assert_eq!(Reply::parse(b"id name Some Engine 1.0\r\n"), Reply::IdName("Some Engine 1.0".to_owned()));
        assert_eq!(Reply::parse(b"id author A, B"), Reply::IdAuthor("A, B".to_owned()));
        assert_eq!(Reply::parse(b"usiok"), Reply::UsiOk);
        assert_eq!(Reply::parse(b"readyok"), Reply::ReadyOk);
        assert_eq!(Reply::parse(b"\r\n"), Reply::Blank);
        assert_eq!(Reply::parse(b"id"), Reply::Other("id".to_owned()));
    }
}
