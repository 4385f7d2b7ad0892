//! What an engine says about one position: scores, variations, sigma, the variation of the move
//! that was played.

use anyhow::{Result, bail};
use kiki_board::Position;
use kiki_driver::EngineAnswer;
use kiki_text::excerpt;
use kiki_usi::{BestMove, Info, ScoreBound, ScoreValue};
use serde::{Deserialize, Serialize};

const MAX_PV_MOVES: usize = 32;

/// Words in place of a best move.
pub(crate) const RESIGN: &str = "resign";
pub const WIN: &str = "win";

/// An engine's answer about one position. Values are from the view of the side to move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionAnswer {
    /// Its move in USI, or `resign` or `win`.
    pub best: String,
    /// Variations with different first moves, that of `best` first; empty if the engine reported
    /// none.
    pub lines: Vec<SearchedLine>,
    /// Standard error of the value of the best variation, in centipawns, if the engine reports it
    /// (`info string sigma N`).
    pub sigma: Option<f64>,
    pub nodes: Option<u64>,
    pub milliseconds: u64,
    /// The variation of the played move, searched alone, if it is not among `lines`.
    pub played: Option<SearchedLine>,
}

/// A line of play with its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchedLine {
    /// The moves in USI, all legal; at least one.
    pub moves: Vec<String>,
    /// For the side to move.
    pub value: ScoreValue,
    /// `None` if the value is exact.
    pub bound: Option<LineBound>,
    /// Plies.
    pub depth: Option<u32>,
    /// Plies of the deepest line.
    pub seldepth: Option<u32>,
    /// Number of positions searched when the engine reported it.
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
    #[must_use]
    pub fn of_other_side(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

impl PositionAnswer {
    /// Reads what an engine says about a position; keeps at most `most_lines` variations.
    pub fn new(answer: &EngineAnswer, position: &Position, most_lines: usize) -> Result<Self> {
        let best = match &answer.best {
            BestMove::Move { best, .. } if position.parse_move(best).is_err() => {
                bail!("names the illegal move `{}`", excerpt(best));
            }
            BestMove::Move { best, .. } => best.clone(),
            BestMove::Resign => RESIGN.to_owned(),
            BestMove::Win => WIN.to_owned(),
        };
        let mut lines = Vec::new();
        for info in &answer.lines {
            let line = SearchedLine::new(info, position);
            // A rank of an older iteration may begin with a move that now has a better rank.
            let is_new = |line: &SearchedLine| lines.iter().all(|known: &SearchedLine| known.moves[0] != line.moves[0]);
            lines.extend(line.filter(is_new));
        }
        // An engine may report a score without moves.
        if lines.is_empty() {
            lines.extend(SearchedLine::new(&Info { pv: vec![best.clone()], ..answer.info.clone() }, position));
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

    /// The variation that begins with `mv`.
    #[must_use]
    pub fn line_of(&self, mv: &str) -> Option<&SearchedLine> {
        self.lines.iter().find(|line| line.moves.first().is_some_and(|first| first == mv))
    }

    /// The value for the side to move, mate in 1 for a declared win; `None` if none was reported.
    #[must_use]
    pub fn value(&self) -> Option<ScoreValue> {
        if self.best == WIN { Some(ScoreValue::mate(1)) } else { self.lines.first().map(|line| line.value) }
    }
}

impl SearchedLine {
    /// The variation of an `info`; `None` without a score or a legal first move.
    fn new(info: &Info, position: &Position) -> Option<Self> {
        let score = info.score?;
        let legal = position.legal_line(info.pv.iter().take(MAX_PV_MOVES));
        let moves: Vec<String> = legal.iter().map(ToString::to_string).collect();
        let bound = match score.bound {
            ScoreBound::Exact => None,
            ScoreBound::Lower => Some(LineBound::Lower),
            ScoreBound::Upper => Some(LineBound::Upper),
        };
        let (value, depth, seldepth, nodes) = (score.value, info.depth, info.seldepth, info.nodes);
        (!moves.is_empty()).then_some(Self { moves, value, bound, depth, seldepth, nodes })
    }
}

/// Puts the variation of the best move first, else the first one, and sorts the others by value: an
/// interrupted iteration leaves them unsorted.
fn sort_behind_best(lines: &mut [SearchedLine], best: &str) {
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
    use super::*;
    use kiki_usi::UsiScore;
    use std::time::Duration;

    fn info(rank: u32, score: UsiScore, pv: &[&str]) -> Info {
        let pv = pv.iter().map(|&mv| mv.to_owned()).collect();
        Info { multipv: Some(rank), score: Some(score), depth: Some(9), nodes: Some(5), pv, ..Info::default() }
    }

    fn answer(best: BestMove, lines: Vec<Info>, texts: &[&str]) -> Result<PositionAnswer> {
        let answer = EngineAnswer {
            best,
            elapsed: Duration::from_millis(12),
            info: lines.first().cloned().unwrap_or_default(),
            lines,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        };
        PositionAnswer::new(&answer, &Position::startpos(), 3)
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
        assert_eq!((found.sigma, found.value(), found.milliseconds), (Some(120.5), Some(ScoreValue::Cp(30)), 12));
        assert_eq!(found.line_of("9g9f").map(|line| line.value), Some(ScoreValue::Cp(-50)));
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
        assert_eq!((firsts, changed.value()), (vec!["9g9f", "7g7f", "2g2f"], Some(ScoreValue::Cp(10))));
    }

    #[test]
    fn an_answer_may_lack_everything_but_the_move() {
        let bare = answer(BestMove::new("7g7f"), Vec::new(), &["sigma many", "sigma -3"]).unwrap();
        assert_eq!((bare.lines.len(), bare.value(), bare.sigma), (0, None, None));
        let score_alone = vec![Info { pv: Vec::new(), ..info(1, UsiScore::cp(7), &[]) }];
        let line = answer(BestMove::new("7g7f"), score_alone, &[]).unwrap().lines.remove(0);
        assert_eq!((line.moves, line.value), (vec!["7g7f".to_owned()], ScoreValue::Cp(7)));
        assert_eq!(answer(BestMove::Win, Vec::new(), &[]).unwrap().value(), Some(ScoreValue::mate(1)));
        assert_eq!(answer(BestMove::Resign, Vec::new(), &[]).unwrap().value(), None);
        let refused = answer(BestMove::new("5e5d"), Vec::new(), &[]).unwrap_err();
        assert_eq!(refused.to_string(), "names the illegal move `5e5d`");
    }
}
