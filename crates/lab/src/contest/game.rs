//! A game that was played, as one line of the journal.

use kiki_record::GameOutcome;
use kiki_usi::{Info, ScoreValue};
use serde::{Deserialize, Serialize};

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Black,
    White,
    Draw,
}

impl Verdict {
    /// The win of a side: 0 is Black.
    pub(crate) fn win_of(side: usize) -> Self {
        if side == 0 { Self::Black } else { Self::White }
    }

    /// Black's points.
    pub(crate) fn points_of_black(self) -> f64 {
        match self {
            Self::Black => 1.0,
            Self::White => 0.0,
            Self::Draw => 0.5,
        }
    }
}

impl From<Verdict> for GameOutcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Black => Self::BlackWins,
            Verdict::White => Self::WhiteWins,
            Verdict::Draw => Self::Draw,
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    /// The loser gave up.
    Resignation,
    /// The loser has no legal move.
    Checkmate,
    /// The winner declared with its entered king.
    Declaration,
    /// The loser declared and had no right to.
    FalseDeclaration,
    /// The loser played what is no legal move.
    IllegalMove,
    /// The loser answered too late.
    Time,
    /// The loser did not answer at all.
    Hang,
    /// The loser's process ended, or its output closed.
    Crash,
    /// The loser's process did not get ready for the game.
    NotReady,
    /// The fourth occurrence of a position.
    Sennichite,
    /// The fourth occurrence of a position, by nothing but the loser's checks.
    PerpetualCheck,
    /// The game became too long.
    MaxPlies,
    /// The loser's own scores had been hopeless for long enough.
    ResignRule,
    /// Both scores had been near zero for long enough.
    DrawRule,
}

impl Reason {
    /// Whether the loser did what no engine should ever do.
    pub(crate) fn is_fault(self) -> bool {
        matches!(
            self,
            Self::FalseDeclaration | Self::IllegalMove | Self::Time | Self::Hang | Self::Crash | Self::NotReady
        )
    }

    /// Whether the process failed, so that the game says nothing about play and may be played again: it ended, gave no answer, or did not
    /// get ready. An illegal move or an answer too late is the engine's own.
    pub(crate) fn is_process_fault(self) -> bool {
        matches!(self, Self::Hang | Self::Crash | Self::NotReady)
    }

    /// As it is written in the journal.
    pub(crate) fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// What an engine told and took for one of its moves. Lists of these are kept by column, which is shorter and easier to plot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Thought {
    pub(crate) score: Option<i32>,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) milliseconds: u64,
    /// The principal variation with blanks, from the move itself on.
    pub(crate) pv: Option<String>,
}

/// The part of a principal variation that is kept, in moves. Longer ones are repetitions or mistakes.
const LONGEST_PV: usize = 60;

/// A mate in no plies.
pub(crate) const MATE: i32 = 100_000;

impl Thought {
    pub(crate) fn new(info: &Info, milliseconds: u64) -> Self {
        let score = info.score.map(|score| match score.value {
            ScoreValue::Cp(centipawns) => centipawns.clamp(1 - MATE, MATE - 1),
            ScoreValue::Mate(plies) if plies.is_positive() => (MATE - plies.get()).max(0),
            ScoreValue::Mate(plies) => (-MATE).saturating_sub(plies.get()).min(0),
        });
        // What an engine prints there may be anything; what looks like no move ends it.
        let looks_like_a_move =
            |word: &&String| (4..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_graphic());
        let moves = info.pv.iter().take_while(looks_like_a_move).take(LONGEST_PV);
        let pv = moves.map(String::as_str).collect::<Vec<_>>().join(" ");
        Self { score, depth: info.depth, nodes: info.nodes, milliseconds, pv: (!pv.is_empty()).then_some(pv) }
    }

    /// Of an answer that never came.
    pub(crate) fn none(milliseconds: u64) -> Self {
        Self { score: None, depth: None, nodes: None, milliseconds, pv: None }
    }
}

/// What an engine did wrong, and what it said before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Fault {
    /// The name of the engine.
    pub(crate) engine: String,
    /// For people.
    pub(crate) detail: String,
    /// The last lines of its output, oldest first.
    pub(crate) said: Vec<String>,
}

/// A game that came to its end. The keys are documented in docs/lab.md and stay as they are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Game {
    /// The place in the schedule, from 1.
    pub(crate) game: usize,
    pub(crate) black: String,
    pub(crate) white: String,
    pub(crate) result: Verdict,
    pub(crate) reason: Reason,
    /// The number of the opening, from 1.
    pub(crate) opening: usize,
    /// `startpos` or `sfen ..`.
    pub(crate) root: String,
    /// How many of the moves belong to the opening.
    pub(crate) opening_plies: usize,
    /// All moves from the root.
    pub(crate) moves: Vec<String>,
    /// A column for each thing that was told of each move after the opening: centipawns for the side that moved, where 100000 - n is a
    /// mate in n plies.
    pub(crate) scores: Vec<Option<i32>>,
    pub(crate) depths: Vec<Option<u32>>,
    pub(crate) nodes: Vec<Option<u64>>,
    /// Milliseconds. The last one may be that of an answer that is no move: resignation, declaration, an illegal move.
    pub(crate) times: Vec<u64>,
    /// Principal variations in USI, each from its own move on. Journals of earlier versions have none.
    #[serde(default, skip_serializing_if = "tells_nothing")]
    pub(crate) pvs: Vec<Option<String>>,
    /// When it began, in UTC.
    pub(crate) started: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
    /// Ended by a fault, does not count and is played again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) voided: bool,
}

/// Whether no engine told any.
fn tells_nothing(column: &[Option<String>]) -> bool {
    column.iter().all(Option::is_none)
}

impl Game {
    /// Adds what was told of a move.
    pub(crate) fn push(&mut self, thought: Thought) {
        self.scores.push(thought.score);
        self.depths.push(thought.depth);
        self.nodes.push(thought.nodes);
        self.times.push(thought.milliseconds);
        self.pvs.push(thought.pv);
    }

    /// The places of a side's moves (0 Black, 1 White) in the columns.
    pub(crate) fn columns_of(&self, side: usize) -> impl Iterator<Item = usize> + use<> {
        let white_begins = self.root.split(' ').nth(2) == Some("w");
        let first = (self.opening_plies + side + usize::from(white_begins)) % 2;
        (first..self.times.len()).step_by(2)
    }

    /// The name of the loser; none in a draw.
    pub(crate) fn loser(&self) -> Option<&str> {
        match self.result {
            Verdict::Black => Some(&self.white),
            Verdict::White => Some(&self.black),
            Verdict::Draw => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::Score;

    use super::*;

    #[test]
    fn mates_are_scores_beyond_all_others() {
        let score = |score| Thought::new(&Info { score: Some(score), ..Info::default() }, 0).score.unwrap();
        assert_eq!(score(Score::mate(3)), 99_997);
        assert_eq!(score(Score::mate(-4)), -99_996);
        assert_eq!(score(Score::mate(i32::MIN)), 0);
        assert_eq!(score(Score::mate(i32::MAX)), 0);
        assert_eq!(score(Score::cp(i32::MAX)), 99_999);
        assert_eq!(score(Score::cp(-31)), -31);
    }

    #[test]
    fn a_variation_ends_where_it_is_no_more_moves_and_not_too_late() {
        let pv = |words: &str| {
            let pv = words.split(' ').map(str::to_owned).collect();
            Thought::new(&Info { pv, ..Info::default() }, 0).pv
        };
        assert_eq!(pv("7g7f 3c3d 8h2b+ P*5e").as_deref(), Some("7g7f 3c3d 8h2b+ P*5e"));
        assert_eq!(pv("7g7f (71.3%) 3c3d").as_deref(), Some("7g7f"));
        assert_eq!(pv("resign"), None);
        assert_eq!(pv(&["7g7f"; 1000].join(" ")).unwrap().split(' ').count(), LONGEST_PV);
    }

    #[test]
    fn reasons_have_the_names_of_the_journal() {
        assert_eq!(Reason::PerpetualCheck.name(), "perpetual-check");
        assert_eq!(serde_json::from_str::<Reason>("\"max-plies\"").unwrap(), Reason::MaxPlies);
    }
}
