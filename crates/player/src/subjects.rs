//! What to study first: the kinds of mistakes that cost the player most.
//!
//! A subject is a class of reasons, or a weakness. Costly groups and phases fill up: what is hard
//! for everybody says less. The cost of a subject is what its mistakes lose, per game.

use std::collections::{BTreeMap, BTreeSet};

use kiki_stats::means::{Mean, OfGame};
use serde::Serialize;
use strum::VariantArray as _;

use crate::LEVEL;
use crate::findings::{Finding, FindingKind};
use crate::groups::MeanReport;
use crate::moves::{Circumstance, GroupedMove, Grouping};
use crate::quiz::QuestionGroup;
use crate::reason_class::ReasonClass;
use crate::words::Bilingual;

/// Number of subjects.
const MOST_SUBJECTS: usize = 3;
/// Minimum number of mistakes of a subject.
const LEAST_MISTAKES: usize = 2;
/// Maximum part of its cost that a subject shares with those before it.
const MOST_SHARED: f64 = 0.5;

/// A kind of mistakes to study.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Subject {
    /// Its questions have this group.
    #[serde(flatten)]
    pub group: QuestionGroup,
    pub words: Bilingual,
    /// Number of mistakes and blunders.
    pub mistakes: usize,
    /// Number of games with them.
    pub games: usize,
    /// The winning probability that they lose, per game.
    pub cost: MeanReport,
    /// The same of opponents; `None` with too few games to compare.
    pub opponents_cost: Option<MeanReport>,
    /// Whether opponents lose as much, as far as the games tell; `None` as above, and if opponents
    /// lose less than half, but the games are too few to be sure.
    pub for_everyone: Option<bool>,
    pub sentence: Bilingual,
}

/// What a subject may be about.
#[derive(Clone, PartialEq, Debug)]
enum Topic {
    Reason(ReasonClass),
    Group(Circumstance),
}

impl Topic {
    fn has(&self, played: &GroupedMove) -> bool {
        match self {
            Self::Reason(class) => played.class == Some(*class),
            Self::Group(circumstance) => played.circumstances.contains(circumstance),
        }
    }

    fn group(&self) -> QuestionGroup {
        match self {
            Self::Reason(class) => QuestionGroup::of_class(*class),
            Self::Group(circumstance) => QuestionGroup::of(circumstance),
        }
    }

    fn words(&self) -> Bilingual {
        match self {
            Self::Reason(class) => class.words(),
            Self::Group(Circumstance { grouping: Grouping::Phase, words, .. }) => {
                Bilingual::new(format!("{}のミス", words.ja), format!("Mistakes in the {}", words.en))
            }
            Self::Group(Circumstance { grouping, words, .. }) => {
                let of = grouping.words();
                Bilingual::new(format!("{}: {}", of.ja, words.ja), format!("{}: {}", of.en, words.en))
            }
        }
    }
}

/// The mistakes of a topic.
struct Candidate {
    topic: Topic,
    /// Whether opponents certainly lose less in this group.
    is_weakness: bool,
    /// The loss of each mistake, by game and ply.
    mistakes: BTreeMap<(usize, usize), f64>,
}

impl Candidate {
    fn new(topic: Topic, is_weakness: bool, moves: &[GroupedMove]) -> Option<Self> {
        let mistakes = moves.iter().filter(|played| played.is_mistake() && topic.has(played));
        let mistakes: BTreeMap<_, _> =
            mistakes.map(|played| ((played.game, played.ply), played.judgement.loss)).collect();
        (mistakes.len() >= LEAST_MISTAKES).then_some(Self { topic, is_weakness, mistakes })
    }

    fn cost(&self) -> f64 {
        self.mistakes.values().sum()
    }

    /// The part of its cost that these have too.
    fn shared(&self, others: &[&Self]) -> f64 {
        let is_shared = |place: &(usize, usize)| others.iter().any(|other| other.mistakes.contains_key(place));
        self.mistakes.iter().filter(|(place, _)| is_shared(place)).map(|(_, loss)| loss).sum::<f64>() / self.cost()
    }
}

/// The subjects that cost most. `findings` are the weaknesses and the costly groups.
pub fn subjects(moves: &[GroupedMove], of_opponents: &[GroupedMove], findings: &[&Finding]) -> Vec<Subject> {
    let circumstances: BTreeSet<&Circumstance> = moves.iter().flat_map(|played| &played.circumstances).collect();
    let found = circumstances.iter().filter_map(|&circumstance| {
        let is_of = |finding: &&&Finding| {
            (finding.grouping, &finding.group) == (circumstance.grouping.key(), &circumstance.key)
        };
        let finding = findings.iter().find(is_of)?;
        Some((Topic::Group(circumstance.clone()), finding.kind == FindingKind::Weakness))
    });
    let classes = ReasonClass::VARIANTS.iter().map(|&class| (Topic::Reason(class), false));
    let by_cost = |topics: &mut dyn Iterator<Item = (Topic, bool)>| {
        let mut candidates: Vec<Candidate> =
            topics.filter_map(|(topic, is_weakness)| Candidate::new(topic, is_weakness, moves)).collect();
        candidates.sort_by(|a, b| b.cost().total_cmp(&a.cost()));
        candidates
    };
    let phases = circumstances.iter().filter(|circumstance| circumstance.grouping == Grouping::Phase);
    let (weaknesses, costly): (Vec<_>, Vec<_>) = found.partition(|(_, is_weakness)| *is_weakness);
    let first = by_cost(&mut classes.chain(weaknesses));
    let costly = by_cost(&mut costly.into_iter());
    let phases = by_cost(&mut phases.map(|&circumstance| (Topic::Group(circumstance.clone()), false)));
    let mut chosen: Vec<&Candidate> = Vec::new();
    for candidate in first.iter().chain(&costly).chain(&phases) {
        if chosen.len() < MOST_SUBJECTS && candidate.shared(&chosen) <= MOST_SHARED {
            chosen.push(candidate);
        }
    }
    let games: BTreeSet<usize> = moves.iter().map(|played| played.game).collect();
    let level = 1.0 - (1.0 - LEVEL) / (first.len() + costly.len() + phases.len()).max(1) as f64;
    chosen.into_iter().filter_map(|candidate| subject(candidate, of_opponents, &games, level)).collect()
}

/// What the mistakes lose in each game.
fn costs(mistakes: impl Iterator<Item = (usize, f64)>, games: &BTreeSet<usize>) -> BTreeMap<usize, f64> {
    let mut costs: BTreeMap<usize, f64> = games.iter().map(|&game| (game, 0.0)).collect();
    mistakes.for_each(|(game, loss)| *costs.entry(game).or_default() += loss);
    costs
}

fn mean(costs: &BTreeMap<usize, f64>) -> Option<Mean> {
    Mean::new(&costs.iter().map(|(&game, &value)| OfGame { game, value }).collect::<Vec<_>>())
}

/// `level` is that of the comparison with opponents.
fn subject(
    candidate: &Candidate,
    of_opponents: &[GroupedMove],
    games: &BTreeSet<usize>,
    level: f64,
) -> Option<Subject> {
    let Candidate { topic, is_weakness, mistakes } = candidate;
    let own = costs(mistakes.iter().map(|(&(game, _), &loss)| (game, loss)), games);
    let theirs = of_opponents.iter().filter(|played| played.is_mistake() && topic.has(played));
    let theirs = costs(theirs.map(|played| (played.game, played.judgement.loss)), games);
    let differences = games.iter().map(|game| (*game, own[game] - theirs[game])).collect();
    let difference = mean(&differences)?.interval(level).filter(|_| !of_opponents.is_empty());
    let cost = MeanReport::from(mean(&own)?);
    let opponents = mean(&theirs).map(MeanReport::from).filter(|_| difference.is_some());
    let games_with = mistakes.keys().map(|(game, _)| game).collect::<BTreeSet<_>>().len();
    let [all, count] = [games.len(), mistakes.len()];
    let error = cost.interval.map(|[low, high]| points((high - low) / 2.0));
    let [error_ja, error_en] = [("（±", "）"), (" (± ", ")")]
        .map(|(open, close)| error.as_ref().map_or_else(String::new, |error| format!("{open}{error}{close}")));
    let value = points(cost.value);
    let (mut ja, mut en) = (
        format!("{all}局中{games_with}局で{count}回。失った勝率は、一局の合計で平均{value}%{error_ja}です。"),
        format!(
            "{count} mistakes in {games_with} of {all} games. They cost {value}%{error_en} of winning chances a game."
        ),
    );
    let mut for_everyone = None;
    if let (Some([low, high]), Some(opponents)) = (difference, &opponents) {
        let other = points(opponents.value);
        let (everyone, also_ja, also_en) = if *is_weakness || low > 0.0 {
            (
                Some(false),
                format!("相手は{other}%です。ここが本人の弱点です。"),
                format!("Opponents lose {other}%: a weakness of this player."),
            )
        } else if high < 0.0 {
            (Some(false), format!("相手は{other}%で、もっと失っています。"), format!("Opponents lose more: {other}%."))
        } else if opponents.value < cost.value / 2.0 {
            (
                None,
                format!("相手は{other}%です。本人の弱点かどうかは、局数が増えれば分かります。"),
                format!("Opponents lose {other}%: more games would tell whether this is a weakness."),
            )
        } else {
            (
                Some(true),
                format!("相手は{other}%で、はっきりした差はありません。だれにとっても難しい所です。"),
                format!("Opponents lose {other}%, no clear difference: hard for everyone."),
            )
        };
        for_everyone = everyone;
        ja += &also_ja;
        en = format!("{en} {also_en}");
    }
    Some(Subject {
        group: topic.group(),
        words: topic.words(),
        mistakes: count,
        games: games_with,
        cost,
        opponents_cost: opponents,
        for_everyone,
        sentence: Bilingual::new(ja, en),
    })
}

/// A winning probability in hundredths.
fn points(share: f64) -> String {
    let points = 100.0 * share;
    if points < 9.95 { format!("{points:.1}") } else { format!("{points:.0}") }
}

#[cfg(test)]
mod tests {
    use kiki_judgement::{Judgement, Mark};

    use super::*;

    /// Mistakes of a class in `games` games, that lose this much.
    fn mistakes(class: ReasonClass, games: usize, loss: f64, first_ply: usize) -> Vec<GroupedMove> {
        let mistake = |game| GroupedMove {
            game,
            ply: first_ply,
            judgement: Judgement { loss, mark: Some(Mark::Mistake), unjudged: None },
            is_best: false,
            circumstances: Vec::new(),
            class: Some(class),
        };
        (0..games).map(mistake).collect()
    }

    /// A sound move in each of ten games.
    fn sound() -> Vec<GroupedMove> {
        let mut moves = mistakes(ReasonClass::Promotion, 10, 0.0, 1);
        moves.iter_mut().for_each(|played| played.judgement.mark = None);
        moves
    }

    fn told(moves: &[GroupedMove], of_opponents: &[GroupedMove]) -> Vec<(String, Option<bool>)> {
        let found = subjects(moves, of_opponents, &[]);
        found.into_iter().map(|subject| (subject.group.group, subject.for_everyone)).collect()
    }

    #[test]
    fn the_three_costliest_reasons_are_subjects() {
        let moves = [
            sound(),
            mistakes(ReasonClass::MissedMate, 4, 0.3, 11),
            mistakes(ReasonClass::HungPiece, 6, 0.3, 21),
            mistakes(ReasonClass::IgnoredThreat, 5, 0.3, 31),
            mistakes(ReasonClass::LostPieces, 3, 0.3, 41),
            mistakes(ReasonClass::KingInDanger, 1, 0.9, 51),
        ]
        .concat();
        let found = subjects(&moves, &[], &[]);
        let keys: Vec<&str> = found.iter().map(|subject| subject.group.group.as_str()).collect();
        assert_eq!(keys, ["hung_piece", "ignored_threat", "missed_mate"], "one mistake is no subject");
        let first = &found[0];
        assert_eq!((first.mistakes, first.games, first.for_everyone), (6, 6, None));
        assert!((first.cost.value - 0.18).abs() < 1e-9, "six times 0.3 in ten games: {first:?}");
        assert!(first.sentence.en.starts_with("6 mistakes in 6 of 10 games. They cost 18% (± 11) of"), "{first:?}");
        assert!(first.sentence.en.ends_with("a game."), "nobody to compare with: {first:?}");
    }

    #[test]
    fn what_opponents_lose_too_is_advice_for_everyone() {
        let hung = |games| [sound(), mistakes(ReasonClass::HungPiece, games, 0.3, 21)].concat();
        assert_eq!(told(&hung(5), &hung(5)), [("hung_piece".to_owned(), Some(true))]);
        assert_eq!(told(&hung(5), &hung(4)), [("hung_piece".to_owned(), Some(true))], "by chance");
        assert_eq!(told(&hung(3), &hung(1)), [("hung_piece".to_owned(), None)], "too few to tell");
        assert_eq!(told(&hung(9), &sound()), [("hung_piece".to_owned(), Some(false))]);
        assert_eq!(told(&hung(2), &hung(10)), [("hung_piece".to_owned(), Some(false))], "opponents lose more");
        let found = subjects(&hung(9), &sound(), &[]);
        assert!(found[0].sentence.en.ends_with("Opponents lose 0.0%: a weakness of this player."), "{found:?}");
    }

    fn phase(key: &str, place: usize) -> Circumstance {
        Circumstance { grouping: Grouping::Phase, place, key: key.to_owned(), words: Bilingual::new(key, key) }
    }

    #[test]
    fn reasons_come_before_costly_groups_but_not_before_weaknesses() {
        let hung = mistakes(ReasonClass::HungPiece, 5, 0.1, 11);
        let mut others = mistakes(ReasonClass::HungPiece, 5, 0.3, 90);
        for played in &mut others {
            (played.class, played.circumstances) = (None, vec![phase("end", 2)]);
        }
        let keys = |kind| {
            let finding = Finding {
                kind,
                grouping: Grouping::Phase.key(),
                group: "end".to_owned(),
                loss: 0.3,
                compared: 0.1,
                interval: [2.0, 4.0],
                sentence: Bilingual::default(),
            };
            let found = subjects(&[hung.clone(), others.clone()].concat(), &[], &[&finding]);
            found.into_iter().map(|subject| subject.group.group).collect::<Vec<_>>()
        };
        assert_eq!(keys(FindingKind::Costly), ["hung_piece", "end"]);
        assert_eq!(keys(FindingKind::Weakness), ["end", "hung_piece"]);
    }

    #[test]
    fn phases_fill_up_without_repeating_a_subject() {
        let mut moves = mistakes(ReasonClass::HungPiece, 5, 0.3, 11);
        let mut others = mistakes(ReasonClass::HungPiece, 5, 0.2, 90);
        moves.iter_mut().for_each(|played| played.circumstances = vec![phase("opening", 0)]);
        for played in &mut others {
            (played.class, played.circumstances) = (None, vec![phase("end", 2)]);
        }
        let keys: Vec<String> = told(&[moves, others].concat(), &[]).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["hung_piece", "end"], "the mistakes of the opening are those of the pieces");
    }
}
