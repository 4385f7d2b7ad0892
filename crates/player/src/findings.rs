//! What the groups say about the player: strengths, weaknesses and costly moves that are beyond
//! chance.
//!
//! Some moves are hard for everybody. So strengths and weaknesses compare the player with the
//! opponents in the same games, judged by the same engine. The measure is the player's loss in a
//! group over that in the other moves, divided by the same ratio of the opponents.

use std::collections::BTreeMap;

use kiki_stats::means::{Mean, OfGame, Ratio};
use serde::Serialize;
use strum::Display;

use crate::LEVEL;
use crate::groups::{Grouped, grouped, losses};
use crate::moves::{Circumstance, GroupedMove};
use crate::words::{Bilingual, percent};

/// Minimum number of moves in a group and in its comparison set.
pub const LEAST_MOVES: usize = 30;
/// The same for games.
pub const LEAST_GAMES: usize = 4;
/// A smaller difference of mean losses is no finding, even if it is beyond chance.
pub const LEAST_DIFFERENCE: f64 = 0.005;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, Serialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FindingKind {
    /// The player loses less than their other moves and opponents predict.
    Strength,
    /// The player loses more than that.
    Weakness,
    /// The player loses more than in the other moves of the grouping, whatever opponents do.
    Costly,
}

/// A group in which the player loses clearly less or more.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// What the moves are grouped by.
    pub grouping: &'static str,
    pub group: String,
    /// The player's mean loss in the group.
    pub loss: f64,
    /// The expected loss, or for costly groups the mean loss in the other moves.
    pub compared: f64,
    /// The interval of `loss / compared`.
    pub interval: [f64; 2],
    pub sentence: Bilingual,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Findings {
    /// Number of groups that could be compared.
    pub comparisons: usize,
    /// Level of each interval, so that all together hold with 95 %.
    pub level: f64,
    /// Those beyond chance, the greatest difference first.
    pub findings: Vec<Finding>,
}

/// The groups in which the player differs from the opponents.
pub fn strengths_and_weaknesses(moves: &[GroupedMove], of_opponents: &[GroupedMove]) -> Findings {
    let all = comparisons(moves, of_opponents);
    Findings::new(all.iter().filter(|comparison| comparison.opponents.is_some()), Comparison::with_opponents)
}

/// The groups in which the player loses more than in the other moves of the grouping, without those
/// in `known`.
pub fn costly(moves: &[GroupedMove], of_opponents: &[GroupedMove], known: &Findings) -> Findings {
    let mut found = Findings::new(comparisons(moves, of_opponents).iter(), Comparison::with_other_moves);
    let is_known = |finding: &Finding| {
        known.findings.iter().any(|known| (known.grouping, &known.group) == (finding.grouping, &finding.group))
    };
    found.findings.retain(|finding| !is_known(finding));
    found
}

impl Findings {
    /// With m comparisons each interval has the level 1 - 0.05 / m (Bonferroni), so all hold with a
    /// probability of 95 %.
    fn new<'a>(
        comparisons: impl Iterator<Item = &'a Comparison<'a>> + Clone,
        finding: impl Fn(&Comparison<'a>, f64) -> Option<Finding>,
    ) -> Self {
        let count = comparisons.clone().count();
        let level = 1.0 - (1.0 - LEVEL) / count.max(1) as f64;
        let mut findings: Vec<Finding> = comparisons.filter_map(|comparison| finding(comparison, level)).collect();
        let difference = |finding: &Finding| (finding.loss - finding.compared).abs();
        findings.sort_by(|a, b| difference(b).total_cmp(&difference(a)));
        Self { comparisons: count, level, findings }
    }
}

/// The losses in a group and in the other moves of its grouping.
struct Losses {
    group: Vec<OfGame>,
    others: Vec<OfGame>,
}

impl Losses {
    /// `None` with too few moves or games.
    fn new(grouped: &Grouped<'_>, of: &Circumstance) -> Option<Self> {
        let groups: &BTreeMap<_, _> = grouped.get(&of.grouping)?;
        let group = losses(groups.get(of)?);
        let others = groups.iter().filter(|(other, _)| **other != of);
        let others: Vec<OfGame> = others.flat_map(|(_, moves)| losses(moves)).collect();
        let is_enough = |sample: &[OfGame]| {
            Mean::new(sample).is_some_and(|mean| mean.moves >= LEAST_MOVES && mean.games >= LEAST_GAMES)
        };
        (is_enough(&group) && is_enough(&others)).then_some(Self { group, others })
    }
}

/// A group of the player's moves and what it is compared with.
struct Comparison<'a> {
    circumstance: &'a Circumstance,
    player: Losses,
    opponents: Option<Losses>,
}

fn comparisons<'a>(moves: &'a [GroupedMove], of_opponents: &[GroupedMove]) -> Vec<Comparison<'a>> {
    let (grouped, of_opponents) = (grouped(moves), grouped(of_opponents));
    let comparison = |&circumstance: &&'a Circumstance| {
        let player = Losses::new(&grouped, circumstance)?;
        Some(Comparison { circumstance, player, opponents: Losses::new(&of_opponents, circumstance) })
    };
    grouped.values().flat_map(BTreeMap::keys).filter_map(comparison).collect()
}

impl Comparison<'_> {
    fn with_opponents(&self, level: f64) -> Option<Finding> {
        let (player, opponents) = (&self.player, self.opponents.as_ref()?);
        let ratio =
            Ratio::new([&player.group[..], &opponents.others[..]], [&player.others[..], &opponents.group[..]], level)?;
        let kind = if ratio.value < 1.0 { FindingKind::Strength } else { FindingKind::Weakness };
        self.finding(kind, ratio)
    }

    fn with_other_moves(&self, level: f64) -> Option<Finding> {
        let ratio = Ratio::new([&self.player.group[..]], [&self.player.others[..]], level)?;
        if ratio.value > 1.0 { self.finding(FindingKind::Costly, ratio) } else { None }
    }

    /// `None` if the difference may be chance, or is small.
    fn finding(&self, kind: FindingKind, ratio: Ratio) -> Option<Finding> {
        let Mean { value: loss, moves, games, .. } = Mean::new(&self.player.group)?;
        let (compared, [low, high]) = (loss / ratio.value, ratio.interval);
        if (low <= 1.0 && high >= 1.0) || (loss - compared).abs() < LEAST_DIFFERENCE {
            return None;
        }
        let Circumstance { grouping, words, .. } = self.circumstance;
        let (name, [told, expected]) = (grouping.words(), [loss, compared].map(percent));
        let [times, low_text, high_text] = [ratio.value, low, high].map(|number| format!("{number:.2}"));
        let counted = Bilingual::new(
            format!("{times}倍、区間 {low_text}〜{high_text}、{games}局の{moves}手"),
            format!("{times} times as much, interval {low_text} to {high_text}; {moves} moves of {games} games"),
        );
        let of_opponents = self.opponents.as_ref().and_then(|losses| Mean::new(&losses.group));
        let also = of_opponents.filter(|mean| mean.value >= loss).map_or_else(Bilingual::default, |mean| {
            let loss = percent(mean.value);
            Bilingual::new(
                format!("相手もここでは{loss}失っています。だれにでも当てはまる助言です。"),
                format!(" Opponents lose {loss} here: advice for everyone."),
            )
        });
        let (ja, en) = match kind {
            FindingKind::Costly => (
                format!("ほかの手では{expected}です（{}）。{}", counted.ja, also.ja),
                format!("other moves {expected} ({}).{}", counted.en, also.en),
            ),
            FindingKind::Strength | FindingKind::Weakness => (
                format!("本人のほかの手と相手の手から見込まれるのは{expected}です（{}）。", counted.ja),
                format!("{expected} are expected by the other moves and by what opponents lose ({}).", counted.en),
            ),
        };
        let sentence = Bilingual::new(
            format!("{}「{}」: 一手ごとに勝率を平均{told}失い、{ja}", name.ja, words.ja),
            format!("{}, {}: a move loses {told} of the winning chances on average, {en}", name.en, words.en),
        );
        let (grouping, group) = (grouping.key(), self.circumstance.key.clone());
        Some(Finding { kind, grouping, group, loss, compared, interval: [low, high], sentence })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use kiki_judgement::Judgement;
    use kiki_stats::random::stream;
    use rand::RngExt as _;

    use super::*;
    use crate::moves::Grouping;

    fn circumstance(key: &str) -> Circumstance {
        Circumstance { grouping: Grouping::Phase, place: 0, key: key.to_owned(), words: Bilingual::new(key, key) }
    }

    /// Ten moves of each group in every game. In every other game those of group `a` lose `swing`
    /// more.
    pub(crate) fn moves(games: usize, losses: [(&str, f64); 2], swing: f64) -> Vec<GroupedMove> {
        let of_game = |game: usize| {
            losses.into_iter().flat_map(move |(key, loss)| {
                let swung = if key == "a" && game.is_multiple_of(2) { loss + swing } else { loss };
                (0..10).map(move |ply| GroupedMove {
                    game,
                    ply,
                    judgement: Judgement { loss: swung, mark: None, unjudged: None },
                    is_best: false,
                    circumstances: vec![circumstance(key)],
                    class: None,
                })
            })
        };
        (0..games).flat_map(of_game).collect()
    }

    fn told(findings: &Findings) -> Vec<(&str, FindingKind)> {
        findings.findings.iter().map(|finding| (finding.group.as_str(), finding.kind)).collect()
    }

    #[test]
    fn a_clear_difference_from_opponents_is_told_from_both_sides() {
        let player = moves(10, [("a", 0.10), ("b", 0.02)], 0.01);
        let found = strengths_and_weaknesses(&player, &moves(10, [("a", 0.04), ("b", 0.03)], 0.01));
        assert_eq!((found.comparisons, found.level), (2, 0.975));
        assert_eq!(told(&found), [("a", FindingKind::Weakness), ("b", FindingKind::Strength)]);
        let Finding { loss, compared, ref sentence, .. } = found.findings[0];
        // 0.105 where 0.02 times 0.045 / 0.03 are expected.
        assert!((loss - 0.105).abs() < 1e-9 && (compared - 0.03).abs() < 1e-9, "{found:?}");
        assert!(sentence.en.contains("10.5% of the winning chances on average, 3.0% are expected"), "{sentence:?}");
        assert!(sentence.en.contains("(3.50 times as much, interval 3."), "{sentence:?}");
        assert_eq!(costly(&player, &[], &found).findings, [], "it is told already");
    }

    #[test]
    fn what_is_hard_for_everybody_is_costly_and_no_weakness() {
        let [player, opponents] = [1.0, 2.0].map(|level| moves(10, [("a", 0.10 * level), ("b", 0.02 * level)], 0.0));
        let found = strengths_and_weaknesses(&player, &opponents);
        assert_eq!((found.comparisons, told(&found)), (2, vec![]));
        let costly = costly(&player, &opponents, &found);
        assert_eq!(told(&costly), [("a", FindingKind::Costly)]);
        let sentence = &costly.findings[0].sentence;
        assert!(
            sentence.en.contains("other moves 2.0% (5.00 times")
                && sentence.en.ends_with("lose 20.0% here: advice for everyone."),
            "{sentence:?}"
        );
    }

    #[test]
    fn chance_small_differences_and_few_games_are_no_findings() {
        let even = |games| moves(games, [("a", 0.02), ("b", 0.02)], 0.0);
        let count = |moves: &[GroupedMove]| strengths_and_weaknesses(moves, &even(10)).findings.len();
        assert_eq!(count(&moves(10, [("a", 0.02), ("b", 0.04)], 0.08)), 0, "the games differ as much");
        assert_eq!(count(&moves(10, [("a", 0.022), ("b", 0.02)], 0.0)), 0, "sure and small");
        let clear = [("a", 0.10), ("b", 0.02)];
        assert_eq!(strengths_and_weaknesses(&moves(3, clear, 0.0), &even(10)).comparisons, 0, "three games");
        assert_eq!(strengths_and_weaknesses(&moves(10, clear, 0.0), &even(3)).comparisons, 0, "of opponents");
        assert_eq!(strengths_and_weaknesses(&moves(10, clear, 0.0), &[]).comparisons, 0, "no opponents");
    }

    /// Games with a level of their own, and moves that lose by chance: three times as much in group
    /// `a` as in `b`.
    fn by_chance(seed: u64, side: u64) -> Vec<GroupedMove> {
        let (mut random, mut of_game) = (stream(seed, 1 + side), stream(seed, 0));
        let mut moves = moves(12, [("a", 3.0), ("b", 1.0)], 0.0);
        let levels: Vec<f64> = (0..12).map(|_| of_game.random::<f64>()).collect();
        for played in &mut moves {
            let chance = levels[played.game] * random.random::<f64>() * random.random::<f64>();
            played.judgement.loss *= 0.1 * chance;
        }
        moves
    }

    #[test]
    fn one_page_of_twenty_has_a_strength_or_weakness_by_chance() {
        let found = |seed: u64| strengths_and_weaknesses(&by_chance(seed, 0), &by_chance(seed, 1));
        let pages = (0..400).filter(|&seed| !found(seed).findings.is_empty()).count();
        assert!(pages <= 30, "{pages} of 400");
    }
}
