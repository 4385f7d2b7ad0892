//! The `info` line: written, and read leniently from any engine.

use std::fmt::{self, Write as _};
use std::num::NonZeroI32;
use std::ops::Neg;

use serde::{Deserialize, Serialize};

use crate::text::{GREATEST_INTEGER, OneAsciiLine, Words, clamped, middle_cut, number, write_field, write_words};

/// The distance written for a mate of unknown length, because some programs cannot read a sign
/// without a number.
pub const UNKNOWN_MATE_PLIES: i32 = 1000;

/// An `info` line; `None` or empty for what is missing.
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
    /// The filled part of the transposition table, in per mille.
    pub hashfull: Option<u32>,
    /// The time since the search began, in milliseconds.
    pub time_ms: Option<u64>,
    /// The root move that is being searched.
    pub currmove: Option<String>,
    /// The expected line of play.
    pub pv: Vec<String>,
    /// A text for people, always written last.
    pub string: Option<String>,
    /// Whether a count of nodes or milliseconds was left out because no search reaches it.
    pub has_impossible_count: bool,
}

/// A score for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsiScore {
    /// The value.
    pub value: ScoreValue,
    /// Whether it is exact.
    pub bound: ScoreBound,
}

/// A value from the view of one side: the two kinds of scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreValue {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Plies to mate: positive for a win, negative for a loss. Never 0, because its sign would be
    /// lost.
    Mate(NonZeroI32),
}

impl ScoreValue {
    /// A mate in this number of plies, negative if the side is mated. 0, being mated already,
    /// becomes -1.
    #[must_use]
    pub const fn mate(plies: i32) -> Self {
        const MATED: NonZeroI32 = NonZeroI32::new(-1).unwrap();
        Self::Mate(match NonZeroI32::new(plies) {
            Some(plies) => plies,
            None => MATED,
        })
    }

    /// The value for the side that moved last; a mate is one ply farther away.
    ///
    /// ```
    /// use kiki_usi::ScoreValue;
    ///
    /// assert_eq!(ScoreValue::mate(-2).of_move_before(), ScoreValue::mate(3));
    /// assert_eq!(ScoreValue::mate(3).of_move_before(), ScoreValue::mate(-4));
    /// assert_eq!(ScoreValue::Cp(120).of_move_before(), ScoreValue::Cp(-120));
    /// assert_eq!(-ScoreValue::Cp(i32::MIN), ScoreValue::Cp(i32::MAX));
    /// ```
    #[must_use]
    pub fn of_move_before(self) -> Self {
        match -self {
            Self::Mate(plies) => Self::mate(plies.get().saturating_add(plies.get().signum())),
            centipawns => centipawns,
        }
    }

    /// A sort key that grows with the value: quick mates beat slow ones, late losses early ones.
    ///
    /// ```
    /// use kiki_usi::ScoreValue;
    ///
    /// let [cp, mate] = [ScoreValue::Cp, ScoreValue::mate];
    /// let ranked = [mate(1), mate(9), cp(31_000), cp(-5), mate(-8), mate(-2)];
    /// assert!(ranked.is_sorted_by(|better, worse| better.rank() > worse.rank()));
    /// ```
    #[must_use]
    pub fn rank(self) -> (i32, i32) {
        match self {
            Self::Cp(centipawns) => (0, centipawns),
            Self::Mate(plies) => (plies.get().signum(), plies.get().saturating_neg()),
        }
    }
}

/// The value for the other side.
impl Neg for ScoreValue {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Cp(centipawns) => Self::Cp(centipawns.saturating_neg()),
            Self::Mate(plies) => Self::Mate(plies.saturating_neg()),
        }
    }
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

    /// An exact score of [`ScoreValue::mate`].
    #[must_use]
    pub const fn mate(plies: i32) -> Self {
        Self { value: ScoreValue::mate(plies), bound: ScoreBound::Exact }
    }

    /// This score as a bound.
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

/// The most characters of a text for people. Longer texts keep beginning and end.
const LONGEST_TEXT: usize = 1000;

/// The line `info string ..` for any text: in ASCII, on one line, and of limited length.
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
        write!(OneAsciiLine(f), "{}", middle_cut(&self.0.to_string(), LONGEST_TEXT))
    }
}

/// Words that end a line of play.
const KEYWORDS: [&str; 17] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "lowerbound",
    "upperbound",
    "nodes",
    "nps",
    "hashfull",
    "time",
    "currmove",
    "currmovenumber",
    "cpuload",
    "tbhits",
    "refutation",
    "currline",
    "string",
];

impl Info {
    /// Reads the text after the word `info`. Missing, malformed or unknown parts are left out.
    pub(crate) fn parse(mut words: Words<'_>) -> Self {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = count(&mut words).or(info.depth),
                "seldepth" => info.seldepth = count(&mut words).or(info.seldepth),
                "multipv" => info.multipv = count(&mut words).or(info.multipv),
                "score" => info.score = score(&mut words).or(info.score),
                "nodes" => info.nodes = info.large_count(&mut words).or(info.nodes),
                "nps" => info.nps = info.large_count(&mut words).or(info.nps),
                "hashfull" => info.hashfull = count(&mut words).or(info.hashfull),
                "time" => info.time_ms = info.large_count(&mut words).or(info.time_ms),
                "currmove" => info.currmove = words.next().map(str::to_owned),
                "pv" => info.pv = line_of_play(&mut words),
                // Some engines do not put the bound right after the score.
                "lowerbound" => set_bound(info.score.as_mut(), ScoreBound::Lower),
                "upperbound" => set_bound(info.score.as_mut(), ScoreBound::Upper),
                "string" => {
                    info.string = Some(words.rest().to_owned());
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// Reads a count of nodes or milliseconds. Drops counts that no search reaches.
    fn large_count(&mut self, words: &mut Words<'_>) -> Option<u64> {
        let count = words.next_number().map(|number| clamped(number, 0, u64::MAX));
        let possible = count.filter(|&count| count <= GREATEST_INTEGER.unsigned_abs());
        self.has_impossible_count |= possible != count;
        possible
    }
}

fn set_bound(score: Option<&mut UsiScore>, bound: ScoreBound) {
    if let Some(score) = score {
        score.bound = bound;
    }
}

fn count(words: &mut Words<'_>) -> Option<u32> {
    words.next_number().map(|number| clamped(number, 0, u32::MAX))
}

fn score(words: &mut Words<'_>) -> Option<UsiScore> {
    match words.peek()? {
        "cp" => {
            words.next();
            let centipawns = words.next_number()?;
            Some(UsiScore::cp(clamped(centipawns, i32::MIN, i32::MAX)))
        }
        "mate" => {
            words.next();
            let plies = mate_plies(words.peek()?)?;
            words.next();
            Some(UsiScore::mate(plies))
        }
        _ => None,
    }
}

/// Reads `5` and `-4`; `+` and `-`, a mate of unknown length; `+0` and `-0`, whose sign says who
/// mates. A bare `0` means that the side to move is mated, as in [`UsiScore::mate`].
fn mate_plies(word: &str) -> Option<i32> {
    match word {
        "+" => Some(UNKNOWN_MATE_PLIES),
        "-" => Some(-UNKNOWN_MATE_PLIES),
        _ => match clamped(number(word)?, i32::MIN, i32::MAX) {
            0 if word.starts_with('+') => Some(1),
            plies => Some(plies),
        },
    }
}

fn line_of_play(words: &mut Words<'_>) -> Vec<String> {
    let mut moves = Vec::new();
    while let Some(word) = words.peek().filter(|word| !KEYWORDS.contains(word)) {
        moves.push(word.to_owned());
        words.next();
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_info_line_is_one_line_of_ascii() {
        let info = Info { depth: Some(1), string: Some("利き\r\nbestmove".to_owned()), ..Info::default() };
        assert_eq!(info.to_string(), "info depth 1 string \\u{5229}\\u{304d}  bestmove");
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_are_told() {
        let name = "歩".repeat(300_000);
        let line = InfoString(format_args!("EvalFile {name}: no such file")).to_string();
        assert!(
            line.starts_with("info string EvalFile \\u{6b69}") && line.ends_with("\\u{6b69}: no such file"),
            "{line}"
        );
        assert!(line.contains("...") && line.len() < 9 * LONGEST_TEXT, "{}", line.len());
        let fits = "x".repeat(LONGEST_TEXT);
        assert_eq!(InfoString(&fits).to_string(), format!("info string {fits}"));
    }

    fn parse(text: &str) -> Info {
        Info::parse(Words::new(text))
    }

    #[test]
    fn mates_of_every_spelling_keep_their_sign() {
        for (text, plies) in [
            ("5", 5),
            ("+5", 5),
            ("-4", -4),
            ("+", UNKNOWN_MATE_PLIES),
            ("-", -UNKNOWN_MATE_PLIES),
            ("+0", 1),
            ("-0", -1),
            ("0", -1),
            ("00", -1),
            ("-99999999999", i32::MIN),
        ] {
            assert_eq!(parse(&format!("score mate {text} pv 7g7f")).score, Some(UsiScore::mate(plies)), "{text}");
        }
        for text in ["", "?", "pv"] {
            assert_eq!(parse(&format!("score mate {text}")).score, None);
        }
    }

    #[test]
    fn a_bound_may_stand_anywhere_behind_its_score() {
        let bound = |text| parse(text).score.map(|score| score.bound);
        assert_eq!(bound("score cp 5 lowerbound nodes 1"), Some(ScoreBound::Lower));
        assert_eq!(bound("score cp 5 nodes 1 upperbound"), Some(ScoreBound::Upper));
        assert_eq!(bound("score cp 5 pv 7g7f lowerbound"), Some(ScoreBound::Lower));
        assert_eq!(bound("lowerbound"), None);
    }

    #[test]
    fn unknown_and_malformed_words_are_skipped() {
        let info = parse("foo depth x seldepth 9 cpuload 500 nps -3 score 30 multipv");
        assert_eq!(info, Info { seldepth: Some(9), nps: Some(0), ..Info::default() });
    }

    #[test]
    fn counts_that_no_search_reaches_are_left_out() {
        for count in ["nodes 1e400", "nps 9007199254740992", "time 99999999999999999999999"] {
            assert_eq!(parse(count), Info { has_impossible_count: true, ..Info::default() }, "{count}");
        }
        assert_eq!(parse("nodes 9007199254740991 nodes 1e400").nodes, Some(GREATEST_INTEGER as u64));
    }

    #[test]
    fn a_line_of_play_ends_where_numbers_go_on() {
        let info = parse("pv 7g7f 3c3d nodes 5 string pv nodes");
        assert_eq!(info.pv, ["7g7f", "3c3d"]);
        assert_eq!(info.nodes, Some(5));
        assert_eq!(info.string.as_deref(), Some("pv nodes"));
    }
}
