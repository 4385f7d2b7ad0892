//! The `info` line of an engine.

use std::fmt::{self, Write as _};
use std::num::NonZeroI32;

use crate::text::{OneAsciiLine, write_field, write_words};

/// The distance written for a mate of unknown length, because some programs cannot read a sign without a number.
pub const UNKNOWN_MATE_PLIES: i32 = 1000;

/// An `info` line; `None` or empty for what it does not contain.
///
/// ```
/// use kiki_usi::{Info, UsiScore};
///
/// let info = Info {
///     depth: Some(12),
///     score: Some(UsiScore::cp(-30)),
///     nodes: Some(1_000_000),
///     pv: vec!["7g7f".to_owned(), "3c3d".to_owned()],
///     ..Info::default()
/// };
/// assert_eq!(info.to_string(), "info depth 12 score cp -30 nodes 1000000 pv 7g7f 3c3d");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// The iteration in plies.
    pub depth: Option<u32>,
    /// The deepest line in plies.
    pub seldepth: Option<u32>,
    /// Which of several best lines this is; the best is 1.
    pub multipv: Option<u32>,
    /// The score for the side to move.
    pub score: Option<UsiScore>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited a second.
    pub nps: Option<u64>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// The time since the search began, in milliseconds.
    pub time_ms: Option<u64>,
    /// The root move that is being searched.
    pub currmove: Option<String>,
    /// The expected line of play.
    pub pv: Vec<String>,
    /// A text for people. It is always written last.
    pub string: Option<String>,
}

/// A score for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsiScore {
    /// The value.
    pub value: ScoreValue,
    /// Whether it is exact.
    pub bound: ScoreBound,
}

/// The two kinds of scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreValue {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Plies to mate: positive for a win, negative for a loss. Never 0, because its sign would be lost.
    Mate(NonZeroI32),
}

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScoreBound {
    /// It is exact.
    #[default]
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

impl UsiScore {
    /// An exact score in hundredths of a pawn.
    #[must_use]
    pub const fn cp(centipawns: i32) -> Self {
        Self { value: ScoreValue::Cp(centipawns), bound: ScoreBound::Exact }
    }

    /// A mate in so many plies, negative if the side to move is mated. 0, being mated already, becomes -1.
    #[must_use]
    pub const fn mate(plies: i32) -> Self {
        const MATED: NonZeroI32 = NonZeroI32::new(-1).unwrap();
        let plies = match NonZeroI32::new(plies) {
            Some(plies) => plies,
            None => MATED,
        };
        Self { value: ScoreValue::Mate(plies), bound: ScoreBound::Exact }
    }

    /// The same score as a bound.
    #[must_use]
    pub const fn with_bound(self, bound: ScoreBound) -> Self {
        Self { bound, ..self }
    }
}

/// `cp 30`, `mate -5 upperbound`.
impl fmt::Display for UsiScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            ScoreValue::Cp(centipawns) => write!(f, "cp {centipawns}")?,
            ScoreValue::Mate(plies) => write!(f, "mate {plies}")?,
        }
        f.write_str(match self.bound {
            ScoreBound::Exact => "",
            ScoreBound::Lower => " lowerbound",
            ScoreBound::Upper => " upperbound",
        })
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        write_field(f, "depth", self.depth.as_ref())?;
        write_field(f, "seldepth", self.seldepth.as_ref())?;
        write_field(f, "multipv", self.multipv.as_ref())?;
        write_field(f, "score", self.score.as_ref())?;
        write_field(f, "nodes", self.nodes.as_ref())?;
        write_field(f, "nps", self.nps.as_ref())?;
        write_field(f, "hashfull", self.hashfull.as_ref())?;
        write_field(f, "time", self.time_ms.as_ref())?;
        write_field(f, "currmove", self.currmove.as_ref())?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
            write_words(f, &self.pv)?;
        }
        match &self.string {
            Some(text) => write!(OneAsciiLine(f), " string {text}"),
            None => Ok(()),
        }
    }
}

/// The line `info string ..` for any text: in ASCII and without line breaks, whatever the text holds.
///
/// ```
/// use kiki_usi::InfoString;
///
/// assert_eq!(InfoString("a\nb 歩").to_string(), "info string a b \\u{6b69}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InfoString<T>(pub T);

impl<T: fmt::Display> fmt::Display for InfoString<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info string ")?;
        write!(OneAsciiLine(f), "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_always_has_a_number_other_than_zero() {
        assert_eq!(UsiScore::mate(0).to_string(), "mate -1");
        assert_eq!(UsiScore::mate(5).to_string(), "mate 5");
        assert_eq!(UsiScore::mate(-6).with_bound(ScoreBound::Upper).to_string(), "mate -6 upperbound");
    }

    #[test]
    fn an_info_line_is_one_line_of_ascii() {
        let info = Info { depth: Some(1), string: Some("利き\r\nbestmove".to_owned()), ..Info::default() };
        assert_eq!(info.to_string(), "info depth 1 string \\u{5229}\\u{304d}  bestmove");
    }

    #[test]
    fn a_line_of_play_comes_after_the_numbers() {
        let info = Info {
            depth: Some(3),
            seldepth: Some(5),
            multipv: Some(1),
            score: Some(UsiScore::cp(12).with_bound(ScoreBound::Lower)),
            nodes: Some(9),
            nps: Some(8),
            hashfull: Some(7),
            time_ms: Some(6),
            currmove: Some("2g2f".to_owned()),
            pv: vec!["7g7f".to_owned()],
            string: None,
        };
        let line = "info depth 3 seldepth 5 multipv 1 score cp 12 lowerbound nodes 9 nps 8 hashfull 7 time 6 currmove 2g2f pv 7g7f";
        assert_eq!(info.to_string(), line);
    }
}
