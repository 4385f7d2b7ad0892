//! What an engine says about one position.

use kiki_board::{Position, excerpt};
use kiki_driver::EngineAnswer;
use kiki_usi::{BestMove, Info, ScoreBound};
use serde::{Deserialize, Serialize};

use crate::value::Value;

/// Longest line of play that is kept, in moves.
const MAX_PV_MOVES: usize = 32;

/// What is said instead of a move.
pub(crate) const RESIGN: &str = "resign";
pub(crate) const WIN: &str = "win";

/// An engine's answer about one position. Values are from the view of the side to move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The move that it would play in USI, or `resign` or `win`.
    pub best: String,
    /// Lines of play with different first moves, that of `best` first if it told one; empty if it told none.
    pub lines: Vec<Line>,
    /// How far the value of the best line may be off, in centipawns, if it tells (`info string sigma N`).
    pub sigma: Option<f64>,
    /// Positions that were searched.
    pub nodes: Option<u64>,
    /// The time that the search took.
    pub milliseconds: u64,
    /// The move that was played, searched alone, if it is not among the lines.
    pub played: Option<Line>,
}

/// A line of play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The moves in USI, all legal; at least one.
    pub moves: Vec<String>,
    /// For the side to move.
    pub value: Value,
    /// Whether the value is a bound.
    pub bound: Option<LineBound>,
    /// Plies.
    pub depth: Option<u32>,
    /// Plies of the deepest line.
    pub seldepth: Option<u32>,
    /// Positions searched when the line was told.
    pub nodes: Option<u64>,
}

/// A value that is not exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineBound {
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

impl LineBound {
    /// The same bound for the other side.
    #[must_use]
    pub fn of_other_side(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

/// An answer that names an illegal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("names the illegal move `{}`", excerpt(.0))]
pub struct IllegalBestMove(pub String);

impl Answer {
    /// What an engine has answered about a position, with at most so many lines.
    ///
    /// # Errors
    /// Its best move is illegal.
    pub fn new(answer: &EngineAnswer, position: &Position, most_lines: usize) -> Result<Self, IllegalBestMove> {
        let best = match &answer.best {
            BestMove::Move { best, .. } if position.parse_move(best).is_err() => {
                return Err(IllegalBestMove(best.clone()));
            }
            BestMove::Move { best, .. } => best.clone(),
            BestMove::Resign => RESIGN.to_owned(),
            BestMove::Win => WIN.to_owned(),
        };
        let mut lines = Vec::new();
        for info in &answer.lines {
            let line = Line::new(info, position);
            // A rank of an older iteration may begin with a move that has risen since.
            let is_new = |line: &Line| lines.iter().all(|known: &Line| known.moves[0] != line.moves[0]);
            lines.extend(line.filter(is_new));
        }
        // An engine may tell a score without a line of play.
        if lines.is_empty() {
            lines.extend(Line::new(&Info { pv: vec![best.clone()], ..answer.info.clone() }, position));
        }
        sort_behind_best(&mut lines, &best);
        lines.truncate(most_lines);
        let sigma = answer.texts.iter().rev().find_map(|text| sigma_of(text));
        Ok(Self {
            best,
            lines,
            sigma,
            nodes: answer.info.nodes,
            milliseconds: u64::try_from(answer.elapsed.as_millis()).unwrap_or(u64::MAX),
            played: None,
        })
    }

    /// The line that begins with a move.
    #[must_use]
    pub fn line_of(&self, mv: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.moves.first().is_some_and(|first| first == mv))
    }

    /// The value of the position for the side to move; `None` if the engine told none. A declaration wins.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        if self.best == WIN { Some(Value::Mate(1)) } else { self.lines.first().map(|line| line.value) }
    }
}

impl Line {
    /// The line of an `info`; `None` if it has no score or does not begin with a legal move.
    fn new(info: &Info, position: &Position) -> Option<Self> {
        let score = info.score?;
        let mut after = position.clone();
        let mut next = |text: &String| {
            let mv = after.parse_move(text).ok()?;
            after.make(mv);
            Some(mv.to_string())
        };
        let moves: Vec<String> = info.pv.iter().take(MAX_PV_MOVES).map_while(&mut next).collect();
        let bound = match score.bound {
            ScoreBound::Exact => None,
            ScoreBound::Lower => Some(LineBound::Lower),
            ScoreBound::Upper => Some(LineBound::Upper),
        };
        let (value, depth, seldepth, nodes) = (Value::of_score(score), info.depth, info.seldepth, info.nodes);
        (!moves.is_empty()).then_some(Self { moves, value, bound, depth, seldepth, nodes })
    }
}

/// Sorts what an interrupted iteration has left unsorted. The line of the move to play is first, even where its rank was not; without one that of the
/// first rank.
fn sort_behind_best(lines: &mut [Line], best: &str) {
    let first = lines.iter().position(|line| line.moves[0] == best).unwrap_or(0);
    if let Some(ranks) = lines.get_mut(..=first) {
        ranks.rotate_right(1);
    }
    if let Some((_, behind)) = lines.split_first_mut() {
        behind.sort_by_key(|line| std::cmp::Reverse(line.value.rank()));
    }
}

/// The number of `sigma N`.
fn sigma_of(text: &str) -> Option<f64> {
    let number: f64 = text.strip_prefix("sigma ")?.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kiki_usi::UsiScore;

    use super::*;

    fn info(rank: u32, score: UsiScore, pv: &[&str]) -> Info {
        let pv = pv.iter().map(|&mv| mv.to_owned()).collect();
        Info { multipv: Some(rank), score: Some(score), depth: Some(9), nodes: Some(5), pv, ..Info::default() }
    }

    fn answer(best: BestMove, lines: Vec<Info>, texts: &[&str]) -> Result<Answer, IllegalBestMove> {
        let answer = EngineAnswer {
            best,
            elapsed: Duration::from_millis(12),
            info: lines.first().cloned().unwrap_or_default(),
            lines,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        };
        Answer::new(&answer, &Position::startpos(), 3)
    }

    #[test]
    fn lines_are_legal_different_and_sorted_behind_the_first() {
        let lines = vec![
            info(1, UsiScore::cp(30), &["7g7f", "3c3d", "5e5d", "2g2f"]),
            info(2, UsiScore::cp(-50), &["9g9f"]),
            info(3, UsiScore::cp(20), &["7g7f"]),
            info(4, UsiScore::cp(10).with_bound(ScoreBound::Upper), &["2g2f"]),
            info(5, UsiScore::cp(90), &["5e5d"]),
            info(6, UsiScore::cp(-90), &["1g1f"]),
        ];
        let found = answer(BestMove::new("7g7f"), lines, &["sigma 80", "eval x", "sigma 120.5"]).unwrap();
        let firsts: Vec<&str> = found.lines.iter().map(|line| line.moves[0].as_str()).collect();
        assert_eq!(firsts, ["7g7f", "2g2f", "9g9f"]);
        assert_eq!(found.lines[0].moves, ["7g7f", "3c3d"], "an illegal move ends a line");
        assert_eq!(found.lines[1].bound, Some(LineBound::Upper));
        assert_eq!((found.sigma, found.value(), found.milliseconds), (Some(120.5), Some(Value::Cp(30)), 12));
        assert_eq!(found.line_of("9g9f").map(|line| line.value), Some(Value::Cp(-50)));
    }

    #[test]
    fn the_line_of_the_move_to_play_is_first() {
        let lines = vec![
            info(1, UsiScore::cp(30), &["7g7f"]),
            info(2, UsiScore::cp(20), &["2g2f"]),
            info(3, UsiScore::cp(10), &["9g9f"]),
        ];
        let changed = answer(BestMove::new("9g9f"), lines, &[]).unwrap();
        let firsts: Vec<&str> = changed.lines.iter().map(|line| line.moves[0].as_str()).collect();
        assert_eq!((firsts, changed.value()), (vec!["9g9f", "7g7f", "2g2f"], Some(Value::Cp(10))));
    }

    #[test]
    fn an_answer_may_lack_everything_but_the_move() {
        let bare = answer(BestMove::new("7g7f"), Vec::new(), &["sigma many", "sigma -3"]).unwrap();
        assert_eq!((bare.lines.len(), bare.value(), bare.sigma), (0, None, None));
        let score_alone = vec![Info { pv: Vec::new(), ..info(1, UsiScore::cp(7), &[]) }];
        let line = answer(BestMove::new("7g7f"), score_alone, &[]).unwrap().lines.remove(0);
        assert_eq!((line.moves, line.value), (vec!["7g7f".to_owned()], Value::Cp(7)));
        assert_eq!(answer(BestMove::Win, Vec::new(), &[]).unwrap().value(), Some(Value::Mate(1)));
        assert_eq!(answer(BestMove::Resign, Vec::new(), &[]).unwrap().value(), None);
        assert_eq!(answer(BestMove::new("5e5d"), Vec::new(), &[]), Err(IllegalBestMove("5e5d".to_owned())));
    }
}
