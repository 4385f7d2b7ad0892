//! Means by groups of moves, and what they say: strengths and weaknesses that are beyond chance.

use std::collections::BTreeMap;

use kiki_analysis::judgement::Thresholds;
use serde::Serialize;

use crate::moves::{Circumstance, Grouping, PlayerMove};
use crate::statistics::{Difference, LEVEL, Mean, OfGame};
use crate::words::{Words, percent};

/// A group is compared if it and the other moves have as many moves and games as this.
pub const LEAST_MOVES: usize = 30;
/// See [`LEAST_MOVES`].
pub const LEAST_GAMES: usize = 4;
/// A smaller difference of mean losses is no strength or weakness, however sure it is.
pub const LEAST_DIFFERENCE: f64 = 0.005;

/// A mean with its interval.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MeanReport {
    /// The mean.
    pub value: f64,
    /// The 95 % interval; `None` with few games.
    pub interval: Option<[f64; 2]>,
}

/// The play in some moves.
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

/// A group of moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupReport {
    /// The name of the group.
    pub key: String,
    /// The same for people.
    pub words: Words,
    /// The play in them.
    #[serde(flatten)]
    pub play: PlayReport,
}

/// All groups of a kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupingReport {
    /// What the moves are grouped by.
    pub key: &'static str,
    /// The same for people.
    pub words: Words,
    /// The groups.
    pub groups: Vec<GroupReport>,
}

/// A group in which the player loses clearly less or more than in the other moves of this grouping.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// Whether the group is a strength, else it is a weakness.
    pub is_strength: bool,
    /// What the moves are grouped by.
    pub grouping: &'static str,
    /// The name of the group.
    pub group: String,
    /// How much more is lost a move than in the others; negative for a strength.
    pub difference: f64,
    /// Its interval.
    pub interval: [f64; 2],
    /// All of it in a sentence.
    pub sentence: Words,
}

/// Strengths and weaknesses.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Findings {
    /// How many groups could be compared with the other moves.
    pub comparisons: usize,
    /// The level of each interval, so that all of them together hold 95 %.
    pub level: f64,
    /// Those beyond chance, the greatest difference first.
    pub findings: Vec<Finding>,
}

impl Grouping {
    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Phase => "phase",
            Self::Color => "color",
            Self::Time => "time",
            Self::Standing => "standing",
            Self::Best => "best",
        }
    }

    fn words(self) -> Words {
        let (ja, en) = match self {
            Self::Opening => ("戦型", "Opening"),
            Self::Phase => ("局面の段階", "Phase"),
            Self::Color => ("手番", "Side"),
            Self::Time => ("一手の消費時間", "Time of the move"),
            Self::Standing => ("指す前の形勢", "Standing before the move"),
            Self::Best => ("最善手の種類", "Kind of the best move"),
        };
        Words::new(ja, en)
    }
}

impl From<Mean> for MeanReport {
    fn from(mean: Mean) -> Self {
        Self { value: mean.value, interval: mean.interval(LEVEL) }
    }
}

fn sample(moves: &[&PlayerMove], value: impl Fn(f64) -> f64) -> Vec<OfGame> {
    moves.iter().map(|played| OfGame { game: played.game, value: value(played.judgement.loss) }).collect()
}

fn losses(moves: &[&PlayerMove]) -> Vec<OfGame> {
    sample(moves, |loss| loss)
}

impl PlayReport {
    /// The play in these moves; `None` without moves.
    pub fn new(moves: &[&PlayerMove], thresholds: &Thresholds) -> Option<Self> {
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
type Grouped<'a> = BTreeMap<Grouping, BTreeMap<&'a Circumstance, Vec<&'a PlayerMove>>>;

fn grouped(moves: &[PlayerMove]) -> Grouped<'_> {
    let mut grouped = Grouped::new();
    for played in moves {
        for circumstance in &played.circumstances {
            grouped.entry(circumstance.grouping).or_default().entry(circumstance).or_default().push(played);
        }
    }
    grouped
}

/// The play in all groups.
pub fn groupings(moves: &[PlayerMove], thresholds: &Thresholds) -> Vec<GroupingReport> {
    let group = |(circumstance, moves): (&Circumstance, Vec<&PlayerMove>)| {
        let play = PlayReport::new(&moves, thresholds)?;
        Some(GroupReport { key: circumstance.key.clone(), words: circumstance.words.clone(), play })
    };
    let grouping = |(grouping, groups): (Grouping, BTreeMap<_, _>)| GroupingReport {
        key: grouping.key(),
        words: grouping.words(),
        groups: groups.into_iter().filter_map(group).collect(),
    };
    grouped(moves).into_iter().map(grouping).collect()
}

/// A group and the other moves of its grouping.
struct Comparison<'a> {
    circumstance: &'a Circumstance,
    moves: Vec<OfGame>,
    others: Vec<OfGame>,
}

/// The groups that differ from the other moves beyond chance. With m comparisons each interval has the level 1 - 0.05 / m (Bonferroni), so that
/// all of them hold with a probability of 95 %.
pub fn findings(moves: &[PlayerMove]) -> Findings {
    let grouped = grouped(moves);
    let comparisons: Vec<Comparison<'_>> = grouped.values().flat_map(comparisons).collect();
    let level = 1.0 - (1.0 - LEVEL) / comparisons.len().max(1) as f64;
    let mut findings: Vec<Finding> = comparisons.iter().filter_map(|comparison| comparison.finding(level)).collect();
    findings.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
    Findings { comparisons: comparisons.len(), level, findings }
}

fn comparisons<'a>(groups: &BTreeMap<&'a Circumstance, Vec<&'a PlayerMove>>) -> Vec<Comparison<'a>> {
    let is_enough = |sample: &[OfGame]| {
        Mean::new(sample).is_some_and(|mean| mean.moves >= LEAST_MOVES && mean.games >= LEAST_GAMES)
    };
    let comparison = |(circumstance, moves): (&&'a Circumstance, &Vec<&PlayerMove>)| {
        let others = groups.iter().filter(|(other, _)| *other != circumstance).flat_map(|(_, moves)| losses(moves));
        let comparison = Comparison { circumstance, moves: losses(moves), others: others.collect() };
        (is_enough(&comparison.moves) && is_enough(&comparison.others)).then_some(comparison)
    };
    groups.iter().filter_map(comparison).collect()
}

impl Comparison<'_> {
    /// `None` if the difference may be chance, or is small.
    fn finding(&self, level: f64) -> Option<Finding> {
        let Difference { value, interval: [low, high] } = Difference::new(&self.moves, &self.others, level)?;
        if (low <= 0.0 && high >= 0.0) || value.abs() < LEAST_DIFFERENCE {
            return None;
        }
        Some(Finding {
            is_strength: value < 0.0,
            grouping: self.circumstance.grouping.key(),
            group: self.circumstance.key.clone(),
            difference: value,
            interval: [low, high],
            sentence: self.sentence(value, [low, high])?,
        })
    }

    fn sentence(&self, value: f64, interval: [f64; 2]) -> Option<Words> {
        let Mean { value: loss, moves, games, .. } = Mean::new(&self.moves)?;
        let others = percent(Mean::new(&self.others)?.value);
        let mut bounds = interval.map(f64::abs);
        bounds.sort_by(f64::total_cmp);
        let [least, most] = bounds.map(percent);
        let (loss, difference) = (percent(loss), percent(value.abs()));
        let Circumstance { grouping, words, .. } = self.circumstance;
        let kind = grouping.words();
        let (ja, en) = if value < 0.0 { ("小さい", "less") } else { ("大きい", "more") };
        Some(Words::new(
            format!(
                "{}「{}」: 一手ごとに勝率を平均{loss}失い、ほかの手では{others}です。偶然を超えて{ja}と言えます（差 {difference}、区間 {least}〜{most}、{games}局の{moves}手）。",
                kind.ja, words.ja
            ),
            format!(
                "{}, {}: a move loses {loss} of the winning chances on average, other moves {others}. That is {en}, beyond chance (by {difference}, interval {least} to {most}; {moves} moves of {games} games).",
                kind.en, words.en
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use kiki_analysis::judgement::Judgement;
    use kiki_stats::random::stream;
    use rand::RngExt as _;

    use super::*;

    fn circumstance(key: &str) -> Circumstance {
        Circumstance { grouping: Grouping::Phase, place: 0, key: key.to_owned(), words: Words::new(key, key) }
    }

    /// Ten moves of each group in every game. Losses swing by a tenth of `swing` from game to game.
    fn moves(games: usize, losses: [(&str, f64); 2], swing: f64) -> Vec<PlayerMove> {
        let of_game = |game: usize| {
            losses.into_iter().flat_map(move |(key, loss)| {
                let swung = if key == "a" && game.is_multiple_of(2) { loss + swing } else { loss };
                (0..10).map(move |ply| PlayerMove {
                    game,
                    ply,
                    judgement: Judgement { loss: swung, mark: None, unjudged: None },
                    is_best: false,
                    circumstances: vec![circumstance(key)],
                })
            })
        };
        (0..games).flat_map(of_game).collect()
    }

    #[test]
    fn a_clear_difference_is_told_from_both_sides() {
        let found = findings(&moves(10, [("a", 0.10), ("b", 0.02)], 0.01));
        assert_eq!((found.comparisons, found.level), (2, 0.975));
        let told: Vec<(&str, bool)> =
            found.findings.iter().map(|finding| (finding.group.as_str(), finding.is_strength)).collect();
        assert_eq!(told, [("a", false), ("b", true)]);
        assert!(found.findings[0].sentence.en.contains("That is more, beyond chance (by 8.5%"), "{found:?}");
        assert!(found.findings[1].sentence.ja.contains("小さい"), "{found:?}");
    }

    #[test]
    fn chance_small_differences_and_few_games_are_no_findings() {
        let count = |moves: &[PlayerMove]| findings(moves).findings.len();
        assert_eq!(count(&moves(10, [("a", 0.02), ("b", 0.04)], 0.08)), 0, "the games differ as much");
        assert_eq!(count(&moves(10, [("a", 0.022), ("b", 0.02)], 0.0)), 0, "sure and small");
        assert_eq!(findings(&moves(3, [("a", 0.10), ("b", 0.02)], 0.0)).comparisons, 0, "three games");
    }

    /// Games with a level of their own, and moves that lose by chance, whatever their group.
    fn by_chance(seed: u64) -> Vec<PlayerMove> {
        let mut random = stream(seed, 0);
        let mut moves = moves(12, [("a", 0.0), ("b", 0.0)], 0.0);
        let levels: Vec<f64> = (0..12).map(|_| random.random::<f64>()).collect();
        for played in &mut moves {
            played.judgement.loss = 0.1 * levels[played.game] * random.random::<f64>() * random.random::<f64>();
        }
        moves
    }

    #[test]
    fn one_page_of_twenty_has_a_finding_by_chance() {
        let pages = (0..400).filter(|&seed| !findings(&by_chance(seed)).findings.is_empty()).count();
        assert!(pages <= 30, "{pages} of 400");
    }

    #[test]
    fn groups_have_means_and_counts() {
        let found = groupings(&moves(3, [("a", 0.2), ("b", 0.0)], 0.0), &Thresholds::default());
        let [a, b] = &found[0].groups[..] else { panic!("{found:?}") };
        assert_eq!((found[0].key, a.play.moves, a.play.games), ("phase", 30, 3));
        assert!((a.play.accuracy.value - 36.788).abs() < 1e-3 && b.play.accuracy.value == 100.0);
        assert_eq!(b.play.mean_loss.interval, Some([0.0, 0.0]));
    }
}
