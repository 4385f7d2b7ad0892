//! A played game as one line of a journal.

use std::collections::BTreeSet;
use std::time::Duration;

use kiki_record::{EndReason, GameOutcome};
use kiki_usi::{Info, ScoreValue};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shogi_core::Color;

/// What an engine printed about one of its moves, and the time it took. [`PlayedGame`] stores these
/// by column, which is shorter and easier to plot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MoveInfo {
    /// Centipawns from the view of the engine; [`MATE`] - n is a mate in n plies.
    pub score: Option<i32>,
    /// Plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// The time from `go` to the answer.
    pub time: Duration,
    /// Principal variation: moves separated by blanks, from this one on.
    pub pv: Option<String>,
}

/// Longest principal variation that is kept, in moves. Longer ones are repetitions or mistakes.
const MAX_PV_MOVES: usize = 60;

/// The score of a mate in 0 plies.
pub const MATE: i32 = 100_000;

impl MoveInfo {
    #[must_use]
    pub fn new(info: &Info, time: Duration) -> Self {
        let score = info.score.map(|score| match score.value {
            ScoreValue::Cp(centipawns) => centipawns.clamp(1 - MATE, MATE - 1),
            ScoreValue::Mate(plies) if plies.is_positive() => (MATE - plies.get()).max(0),
            ScoreValue::Mate(plies) => (-MATE).saturating_sub(plies.get()).min(0),
        });
        // Engines print all kinds of words there; the first one that cannot be a move ends the
        // variation.
        let looks_like_a_move =
            |word: &&String| (4..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_graphic());
        let moves = info.pv.iter().take_while(looks_like_a_move).take(MAX_PV_MOVES);
        let pv = moves.map(String::as_str).collect::<Vec<_>>().join(" ");
        Self { score, depth: info.depth, nodes: info.nodes, time, pv: (!pv.is_empty()).then_some(pv) }
    }
}

/// What an engine did wrong, and the output that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineFault {
    pub engine: String,
    pub detail: String,
    /// The last lines of its output, oldest first.
    #[serde(rename = "said")]
    pub last_lines: Vec<String>,
}

/// A played game. As JSON it is a line of a journal; docs/match.md fixes the keys. A game that was
/// read has been checked: an index of one column is valid in the others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
// `remote` makes the derived functions methods: the traits below call them and add the check.
#[serde(remote = "Self")]
pub struct PlayedGame {
    /// Its number in the schedule, from 1.
    pub game: usize,
    pub black: String,
    pub white: String,
    #[serde(rename = "result")]
    pub outcome: GameOutcome,
    pub reason: EndReason,
    /// The number of the opening, from 1.
    pub opening: usize,
    /// `startpos` or `sfen ..`.
    pub root: String,
    /// Number of moves that belong to the opening.
    pub opening_plies: usize,
    /// All moves from the root.
    pub moves: Vec<String>,
    /// Scores of the moves after the opening, as [`MoveInfo::score`]. All columns have one entry
    /// for each of these moves.
    pub scores: Vec<Option<i32>>,
    /// Depths in plies.
    pub depths: Vec<Option<u32>>,
    pub nodes: Vec<Option<u64>>,
    /// To the microsecond. JSON has milliseconds with a fraction; journals of older versions have
    /// whole ones. The last entry may belong to a resignation, a declaration or an illegal move.
    #[serde(with = "milliseconds")]
    pub times: Vec<Duration>,
    /// Principal variations in USI, each from its own move on. Journals of earlier versions lack
    /// them.
    #[serde(default, skip_serializing_if = "is_empty_column")]
    pub pvs: Vec<Option<String>>,
    /// Engines that reported impossible counts of nodes or milliseconds, which were dropped.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub impossible_counts: BTreeSet<String>,
    /// When it began, in UTC (RFC 3339).
    pub started: String,
    /// What the loser did wrong, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<EngineFault>,
    /// A process failed: the game does not count and is played again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub voided: bool,
}

fn is_empty_column(column: &[Option<String>]) -> bool {
    column.iter().all(Option::is_none)
}

impl Serialize for PlayedGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for PlayedGame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let game = Self::deserialize(deserializer)?;
        game.check().map_err(D::Error::custom)?;
        Ok(game)
    }
}

impl PlayedGame {
    /// All columns must be equally long, so that no reader of a broken journal indexes past an end.
    fn check(&self) -> Result<(), String> {
        let (plies, moves) = (self.opening_plies, self.moves.len());
        if plies > moves {
            return Err(format!("{plies} moves of the opening are more than the {moves} of the game"));
        }
        let times = self.times.len();
        let mut columns =
            vec![("scores", self.scores.len()), ("depths", self.depths.len()), ("nodes", self.nodes.len())];
        if !self.pvs.is_empty() {
            columns.push(("pvs", self.pvs.len()));
        }
        match columns.into_iter().find(|&(_, length)| length != times) {
            Some((name, length)) => Err(format!("`{name}` has {length} entries, but `times` has {times}")),
            None => Ok(()),
        }
    }

    pub fn push(&mut self, info: MoveInfo) {
        self.scores.push(info.score);
        self.depths.push(info.depth);
        self.nodes.push(info.nodes);
        self.times.push(Duration::from_micros(info.time.as_micros() as u64));
        self.pvs.push(info.pv);
    }

    /// The indices of a side's moves in the columns.
    pub fn columns_of(&self, side: Color) -> impl Iterator<Item = usize> + use<> {
        let white_begins = self.root.split(' ').nth(2) == Some("w");
        let first = (self.opening_plies + side.array_index() + usize::from(white_begins)) % 2;
        (first..self.times.len()).step_by(2)
    }

    /// Time and nodes of the moves that measure a side's speed: with nodes, and a time known to 5%.
    /// Shorter times mostly show the clock's resolution, which is a millisecond in some journals.
    #[must_use]
    pub fn measured_search(&self, side: Color) -> (Duration, u64) {
        const LEAST_STEPS: u32 = 20;
        let is_whole = |time: &Duration| time.as_micros().is_multiple_of(1000);
        let resolution =
            if self.times.iter().all(is_whole) { Duration::from_millis(1) } else { Duration::from_micros(1) };
        let searches = self.columns_of(side).filter_map(|column| Some((self.times[column], self.nodes[column]?)));
        searches
            .filter(|search| search.0 >= LEAST_STEPS * resolution)
            .fold((Duration::ZERO, 0), |sum, search| (sum.0 + search.0, sum.1 + search.1))
    }

    #[must_use]
    pub fn loser(&self) -> Option<&str> {
        match self.outcome.winner()? {
            Color::Black => Some(&self.white),
            Color::White => Some(&self.black),
        }
    }
}

/// Times as JSON has them: milliseconds, with a fraction where they are not whole.
mod milliseconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

    /// Numbers that can be written and read again without loss.
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Milliseconds {
        Whole(u64),
        Fraction(f64),
    }

    pub(super) fn serialize<S: Serializer>(times: &[Duration], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(times.iter().map(|time| {
            let microseconds = time.as_micros() as u64;
            if microseconds.is_multiple_of(1000) {
                Milliseconds::Whole(microseconds / 1000)
            } else {
                Milliseconds::Fraction(microseconds as f64 / 1000.0)
            }
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Duration>, D::Error> {
        /// Thirty thousand years.
        const MOST: f64 = 1e15;
        let times = Vec::<f64>::deserialize(deserializer)?;
        let read = |time: f64| match (0.0..=MOST).contains(&time) {
            true => Ok(Duration::from_micros((1000.0 * time).round() as u64)),
            false => Err(D::Error::custom(format!("`times`: {time} is no time"))),
        };
        times.into_iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::UsiScore;

    use super::*;

    /// A game of two moves a side, by its journal.
    fn game(times: &str) -> Result<PlayedGame, serde_json::Error> {
        serde_json::from_str(&format!(
            r#"{{"game":1,"black":"a","white":"b","result":"draw","reason":"max-plies","opening":1,"root":"startpos",
            "opening_plies":0,"moves":["7g7f","3c3d","2g2f","8c8d"],"scores":[1,2,3,4],"depths":[1,2,3,4],"nodes":[100,200,null,400],
            "times":{times},"started":"2026-01-02T03:04:05Z"}}"#
        ))
    }

    #[test]
    fn times_are_kept_to_the_microsecond_and_whole_milliseconds_are_read() {
        let read = game("[0.25,3,12.345,0]").unwrap();
        assert_eq!(read.times, [250, 3000, 12_345, 0].map(Duration::from_micros));
        let written = serde_json::to_string(&read).unwrap();
        assert!(written.contains(r#""times":[0.25,3,12.345,0]"#), "{written}");
        let mut longer = read;
        longer.push(MoveInfo { time: Duration::from_nanos(1_234_567), ..MoveInfo::default() });
        assert_eq!(longer.times[4], Duration::from_micros(1234), "as it will be read");
        for wrong in ["[1,2,3,-1]", "[1,2,3,1e300]", "[1,2,3,null]", "[1,2,3,\"4\"]"] {
            assert!(game(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_speed_rests_on_times_that_are_known() {
        let speed = |times: &str, side| game(times).unwrap().measured_search(side);
        // The third move reports no nodes.
        assert_eq!(speed("[0.5,0.3,0.4,0.015]", Color::Black), (Duration::from_micros(500), 100));
        assert_eq!(speed("[0.5,0.3,0.4,0.015]", Color::White), (Duration::from_micros(300), 200));
        // Whole milliseconds: 0 and 1 say nothing of the speed.
        assert_eq!(speed("[0,1,0,30]", Color::Black), (Duration::ZERO, 0));
        assert_eq!(speed("[0,1,0,30]", Color::White), (Duration::from_millis(30), 400));
    }

    #[test]
    fn a_line_with_columns_of_different_lengths_is_no_game() {
        let line = r#"{"game":1,"black":"a","white":"b","result":"draw","reason":"max-plies","opening":1,"root":"startpos",
            "opening_plies":1,"moves":["7g7f","3c3d","2g2f"],"scores":[1,2],"depths":[1,2],"nodes":[null,2],"times":[3,4],
            "started":"2026-01-02T03:04:05Z"}"#;
        let read = |line: &str| serde_json::from_str::<PlayedGame>(line);
        let game = read(line).unwrap();
        assert_eq!(read(&serde_json::to_string(&game).unwrap()).unwrap(), game);
        for (right, wrong, expected) in [
            ("\"scores\":[1,2]", "\"scores\":[1]", "`scores` has 1 entries, but `times` has 2"),
            ("\"depths\":[1,2]", "\"depths\":[]", "`depths` has 0"),
            ("\"nodes\":[null,2]", "\"nodes\":[1,2,3]", "`nodes` has 3"),
            ("\"times\":[3,4]", "\"times\":[3,4,5]", "`scores` has 2 entries, but `times` has 3"),
            ("\"started\"", "\"pvs\":[null],\"started\"", "`pvs` has 1"),
            ("\"opening_plies\":1", "\"opening_plies\":4", "4 moves of the opening"),
        ] {
            let error = read(&line.replace(right, wrong)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn mates_are_scores_beyond_all_others() {
        let score =
            |score| MoveInfo::new(&Info { score: Some(score), ..Info::default() }, Duration::ZERO).score.unwrap();
        assert_eq!(score(UsiScore::mate(3)), 99_997);
        assert_eq!(score(UsiScore::mate(-4)), -99_996);
        assert_eq!(score(UsiScore::mate(i32::MIN)), 0);
        assert_eq!(score(UsiScore::mate(i32::MAX)), 0);
        assert_eq!(score(UsiScore::cp(i32::MAX)), 99_999);
        assert_eq!(score(UsiScore::cp(-31)), -31);
    }

    #[test]
    fn a_variation_ends_where_it_is_no_more_moves_and_not_too_late() {
        let pv = |words: &str| {
            let pv = words.split(' ').map(str::to_owned).collect();
            MoveInfo::new(&Info { pv, ..Info::default() }, Duration::ZERO).pv
        };
        assert_eq!(pv("7g7f 3c3d 8h2b+ P*5e").as_deref(), Some("7g7f 3c3d 8h2b+ P*5e"));
        assert_eq!(pv("7g7f (71.3%) 3c3d").as_deref(), Some("7g7f"));
        assert_eq!(pv("resign"), None);
        assert_eq!(pv(&["7g7f"; 1000].join(" ")).unwrap().split(' ').count(), MAX_PV_MOVES);
    }
}
