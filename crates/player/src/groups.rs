//! Means by groups of moves.

use std::collections::BTreeMap;

use kiki_judgement::Thresholds;
use kiki_stats::means::{Mean, OfGame};
use serde::Serialize;

use crate::LEVEL;
use crate::moves::{Circumstance, GroupedMove, Grouping};
use crate::words::Bilingual;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MeanReport {
    pub value: f64,
    /// The 95 % interval; `None` with few games.
    pub interval: Option<[f64; 2]>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayReport {
    /// Number of judged moves.
    pub moves: usize,
    /// Number of games with such moves.
    pub games: usize,
    /// The mean lost winning probability.
    pub mean_loss: MeanReport,
    /// The mean accuracy, from 0 to 100.
    pub accuracy: MeanReport,
    /// Number of moves that are the engine's own choice.
    pub best_moves: usize,
    /// Number of mistakes and blunders.
    pub mistakes: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupReport {
    pub key: String,
    pub words: Bilingual,
    #[serde(flatten)]
    pub play: PlayReport,
    /// What opponents lose in such moves; `None` if they made none.
    pub opponents_mean_loss: Option<MeanReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupingReport {
    /// What the moves are grouped by.
    pub key: &'static str,
    pub words: Bilingual,
    pub groups: Vec<GroupReport>,
}

impl Grouping {
    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }

    pub fn words(self) -> Bilingual {
        let (ja, en) = match self {
            Self::Opening => ("戦型", "Opening system"),
            Self::Phase => ("局面の段階", "Phase"),
            Self::Color => ("手番", "Side"),
            Self::Time => ("一手の消費時間", "Time of the move"),
            Self::Standing => ("指す前の形勢", "Standing before the move"),
            Self::Best => ("最善手の種類", "Kind of the best move"),
        };
        Bilingual::new(ja, en)
    }
}

impl From<Mean> for MeanReport {
    fn from(mean: Mean) -> Self {
        Self { value: mean.value, interval: mean.interval(LEVEL) }
    }
}

fn sample(moves: &[&GroupedMove], value: impl Fn(f64) -> f64) -> Vec<OfGame> {
    moves.iter().map(|played| OfGame { game: played.game, value: value(played.judgement.loss) }).collect()
}

/// The loss of each move, with its game.
pub(crate) fn losses(moves: &[&GroupedMove]) -> Vec<OfGame> {
    sample(moves, |loss| loss)
}

impl PlayReport {
    /// `None` without moves.
    pub fn new(moves: &[&GroupedMove], thresholds: &Thresholds) -> Option<Self> {
        let mean_loss = Mean::new(&losses(moves))?;
        let accuracy = Mean::new(&sample(moves, |loss| thresholds.accuracy_of(loss)))?;
        Some(Self {
            moves: moves.len(),
            games: mean_loss.games,
            mean_loss: mean_loss.into(),
            accuracy: accuracy.into(),
            best_moves: moves.iter().filter(|played| played.is_best).count(),
            mistakes: moves.iter().filter(|played| played.is_mistake()).count(),
        })
    }
}

/// Moves by grouping and group.
pub(crate) type Grouped<'a> = BTreeMap<Grouping, BTreeMap<&'a Circumstance, Vec<&'a GroupedMove>>>;

pub(crate) fn grouped(moves: &[GroupedMove]) -> Grouped<'_> {
    let mut grouped = Grouped::new();
    for played in moves {
        for circumstance in &played.circumstances {
            grouped.entry(circumstance.grouping).or_default().entry(circumstance).or_default().push(played);
        }
    }
    grouped
}

/// The play in all groups of the player's moves.
pub fn groupings(moves: &[GroupedMove], of_opponents: &[GroupedMove], thresholds: &Thresholds) -> Vec<GroupingReport> {
    let of_opponents = grouped(of_opponents);
    let report = |(grouping, groups): (Grouping, BTreeMap<&Circumstance, Vec<&GroupedMove>>)| {
        let group = |(circumstance, moves): (&Circumstance, Vec<&GroupedMove>)| {
            let same = of_opponents.get(&grouping).and_then(|groups| groups.get(circumstance));
            Some(GroupReport {
                key: circumstance.key.clone(),
                words: circumstance.words.clone(),
                play: PlayReport::new(&moves, thresholds)?,
                opponents_mean_loss: same.and_then(|moves| Mean::new(&losses(moves))).map(MeanReport::from),
            })
        };
        let groups = groups.into_iter().filter_map(group).collect();
        GroupingReport { key: grouping.key(), words: grouping.words(), groups }
    };
    grouped(moves).into_iter().map(report).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::tests::moves;

    #[test]
    fn groups_have_means_and_counts() {
        let opponents = moves(3, [("a", 0.1), ("c", 0.3)], 0.0);
        let found = groupings(&moves(3, [("a", 0.2), ("b", 0.0)], 0.0), &opponents, &Thresholds::default());
        let [a, b] = &found[0].groups[..] else { panic!("{found:?}") };
        assert_eq!((found[0].key, a.play.moves, a.play.games), ("phase", 30, 3));
        assert!((a.play.accuracy.value - 36.788).abs() < 1e-3 && b.play.accuracy.value == 100.0);
        assert_eq!(b.play.mean_loss.interval, Some([0.0, 0.0]));
        let of_opponents = [a, b].map(|group| group.opponents_mean_loss.as_ref().map(|mean| mean.value));
        assert!((of_opponents[0].unwrap() - 0.1).abs() < 1e-9 && of_opponents[1].is_none(), "{of_opponents:?}");
    }
}
