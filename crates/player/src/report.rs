//! All that the games say about a player. docs/player.md documents the keys of its JSON.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context as _, Result};
use kiki_analysis::game::AnalyzedGame;
use kiki_analysis::reasons::MoveKey;
use kiki_analysis::report::{EngineFacts, GameReport};
use kiki_analysis::searched::{RunSettings, SearchSettings, SearchedGames};
use kiki_judgement::Thresholds;
use kiki_run::PROGRAM;
use kiki_run::files::free_name;
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::means::{Mean, Ratio};
use kiki_stats::tally::MatchScore;
use serde::{Deserialize, Serialize};

use crate::LEVEL;
use crate::findings::{Finding, FindingKind, Findings, costly, strengths_and_weaknesses};
use crate::found::mover;
use crate::groups::{GroupingReport, PlayReport, groupings, losses};
use crate::moves::{GroupedMove, Mover, judged_moves, turns};
use crate::names::PlayerName;
use crate::progress::{Month, Progress, progress};
use crate::quiz::{Question, QuestionGroup, chosen};
use crate::rating::{Choices, MoveRating};
use crate::subjects::{Subject, subjects};
use crate::words::{Bilingual, percent};

/// The folder of the pages of games.
pub(crate) const PAGES: &str = "games";
/// The kind of file, in its first key.
pub const FORMAT: &str = "kiki-player";
/// The version of the keys. It increases when a key is removed or changes its meaning.
pub const VERSION: u32 = 3;

/// What the games say about a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerReport {
    pub format: &'static str,
    pub version: u32,
    pub program: &'static str,
    /// The player, as the command names it.
    pub name: String,
    /// The names in the records that are the player's.
    pub names: Vec<NameReport>,
    pub games: usize,
    /// Whether all positions were searched.
    pub complete: bool,
    pub engine: EngineFacts,
    /// Number of lines requested from the engine.
    pub lines: usize,
    pub thresholds: Thresholds,
    /// What to study first, at most three.
    pub subjects: Vec<Subject>,
    /// `None` without judged moves.
    pub play: Option<PlayReport>,
    /// The opponents in the same games; `None` without judged moves.
    pub opponents: Option<OpponentsReport>,
    /// The player's play by groups of moves.
    pub groupings: Vec<GroupingReport>,
    /// Strengths and weaknesses, in comparison with opponents.
    pub findings: Findings,
    /// Groups in which the player loses more than in other moves.
    pub costly: Findings,
    /// How evenly the losses are spread.
    pub spread: Option<LossSpread>,
    /// Mates that the engine saw.
    pub mates: Option<MateReport>,
    /// `None` if the games do not tell two months.
    pub progress: Option<Progress>,
    /// The positions to study.
    pub questions: Vec<Question>,
    pub rating: MoveRating,
    /// What the report does not say.
    pub caveat: Bilingual,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NameReport {
    pub name: String,
    pub games: usize,
}

/// All opponents together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpponentsReport {
    /// Their play in all judged moves.
    pub play: PlayReport,
    /// Their rating by moves; `None` with too few positions or games.
    pub rating: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// What the player loses in comparison with them.
    pub comparison: Option<OverallComparison>,
}

/// The player's mean loss over that of opponents.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OverallComparison {
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    pub sentence: Bilingual,
}

/// How few moves make half of the whole loss.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LossSpread {
    /// Number of these moves, the worst ones.
    pub worst_moves: usize,
    pub sentence: Bilingual,
}

/// Mates that the engine saw, and those that the player kept.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MateReport {
    /// Number of positions in which the engine saw a mate for the player.
    pub seen: usize,
    /// In how many of them a mate remained after the player's move.
    pub kept: usize,
    /// The 95 % interval of the share (Wilson), as if positions were independent.
    pub interval: [f64; 2],
    pub sentence: Bilingual,
}

/// Settings beside those of the searches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerSettings {
    pub player: PlayerName,
}

/// The report of searched games, complete or not.
pub fn report(searched: &SearchedGames<PlayerSettings>) -> Result<PlayerReport> {
    let RunSettings { own: PlayerSettings { player }, search } = searched.settings();
    let SearchSettings { lines, thresholds, .. } = search;
    let mut found = PlayerFacts::default();
    for (number, game) in searched.games().iter().enumerate() {
        found.add(&searched.report(number)?, number, thresholds, |ply| mover(game, ply, player))?;
    }
    let PlayerFacts { engine, player: side, opponents, questions, mates: seen_and_kept } = found;
    let findings = strengths_and_weaknesses(&side.moves, &opponents.moves);
    let costly = costly(&side.moves, &opponents.moves, &findings);
    let weaknesses: Vec<&Finding> =
        findings.findings.iter().chain(&costly.findings).filter(|found| found.kind != FindingKind::Strength).collect();
    let subjects = subjects(&side.moves, &opponents.moves, &weaknesses);
    let of_weaknesses =
        weaknesses.iter().map(|found| QuestionGroup { grouping: found.grouping, group: found.group.clone() });
    let practice: Vec<QuestionGroup> =
        subjects.iter().map(|subject| subject.group.clone()).chain(of_weaknesses).collect();
    let months: Vec<Option<Month>> = searched.games().iter().map(|game| Month::of(&game.head.start_time)).collect();
    let mut questions = chosen(questions, &practice, thresholds);
    name_pages(&mut questions);
    let (all, done) = searched.progress();
    Ok(PlayerReport {
        format: FORMAT,
        version: VERSION,
        program: PROGRAM,
        name: player.name.clone(),
        names: names(searched.games(), player),
        games: searched.games().len(),
        complete: all == done,
        engine: engine.context("there are no games")?,
        lines: *lines,
        thresholds: *thresholds,
        subjects,
        play: side.play(thresholds),
        groupings: groupings(&side.moves, &opponents.moves, thresholds),
        costly,
        spread: spread(&side.moves),
        progress: progress(&side.moves, &opponents.moves, &months, thresholds),
        opponents: OpponentsReport::new(opponents, &side.moves, thresholds)?,
        rating: side.choices.rating()?,
        findings,
        mates: mates(seen_and_kept),
        questions,
        caveat: caveat(),
    })
}

/// The moves that get reasons: mistakes of both sides, and mates that the player missed.
pub(crate) fn to_explain(searched: &SearchedGames<PlayerSettings>) -> Result<Vec<MoveKey>> {
    let player = &searched.settings().own.player;
    let mut keys = Vec::new();
    for (number, game) in searched.games().iter().enumerate() {
        let report = searched.report(number)?;
        let wanted = turns(&report, |_| true).filter(|turn| match mover(game, turn.position.ply, player) {
            Some(Mover::Player) => turn.is_marked() || turn.missed_mate().is_some(),
            Some(Mover::Opponent) => turn.is_marked(),
            None => false,
        });
        keys.extend(wanted.map(|turn| MoveKey { game: number, ply: turn.position.ply }));
    }
    Ok(keys)
}

/// Gives each game of a question a page.
fn name_pages(questions: &mut [Question]) {
    let (mut taken, mut pages) = (HashSet::new(), BTreeMap::new());
    for question in questions {
        let new = || format!("{PAGES}/{}.html", free_name(&question.game, &mut taken));
        question.page = Some(pages.entry(question.number).or_insert_with(new).clone());
    }
}

/// What was found in the games so far.
#[derive(Default)]
struct PlayerFacts {
    engine: Option<EngineFacts>,
    player: SideMoves,
    opponents: SideMoves,
    questions: Vec<Question>,
    /// How many mates were seen, and how many remained.
    mates: [usize; 2],
}

/// The moves of the player, or of all opponents.
#[derive(Default)]
struct SideMoves {
    moves: Vec<GroupedMove>,
    choices: Choices,
}

impl SideMoves {
    fn play(&self, thresholds: &Thresholds) -> Option<PlayReport> {
        PlayReport::new(&self.moves.iter().collect::<Vec<_>>(), thresholds)
    }
}

impl OpponentsReport {
    fn new(side: SideMoves, player: &[GroupedMove], thresholds: &Thresholds) -> Result<Option<Self>> {
        let (play, comparison) = (side.play(thresholds), OverallComparison::new(player, &side.moves));
        let MoveRating { rating, interval, .. } = side.choices.rating()?;
        Ok(play.map(|play| Self { play, rating, interval, comparison }))
    }
}

impl OverallComparison {
    /// `None` with fewer than two games, or without a loss.
    fn new(player: &[GroupedMove], opponents: &[GroupedMove]) -> Option<Self> {
        let [player, opponents] = [player, opponents].map(|moves| losses(&moves.iter().collect::<Vec<_>>()));
        let Ratio { value: ratio, interval } = Ratio::new([&player[..]], [&opponents[..]], LEVEL)?;
        let [own, other] = [Mean::new(&player)?, Mean::new(&opponents)?].map(|mean| percent(mean.value));
        let [times, low, high] = [ratio, interval[0], interval[1]].map(|number| format!("{number:.2}"));
        let sentence = Bilingual::new(
            format!("一手ごとに失う勝率は平均{own}、同じ対局の相手は{other}です（{times}倍、95%区間 {low}〜{high}）。"),
            format!(
                "A move loses {own} of the winning chances on average, one of the opponents in the same games {other} ({times} times as much, 95% interval {low} to {high})."
            ),
        );
        Some(Self { ratio, interval, sentence })
    }
}

impl PlayerFacts {
    fn add(
        &mut self,
        game: &GameReport,
        number: usize,
        thresholds: &Thresholds,
        mover: impl Fn(usize) -> Option<Mover>,
    ) -> Result<()> {
        self.engine = game.engines.first().cloned();
        for (who, side) in [(Mover::Player, &mut self.player), (Mover::Opponent, &mut self.opponents)] {
            let is_turn = |ply| mover(ply) == Some(who);
            side.moves.extend(judged_moves(game, number, who, is_turn)?);
            side.choices.add(game, number, is_turn)?;
        }
        let judged = &self.player.moves;
        for turn in turns(game, |ply| mover(ply) == Some(Mover::Player)) {
            let circumstances = judged.iter().find(|found| (found.game, found.ply) == (number, turn.position.ply));
            let circumstances = circumstances.map_or(&[][..], |found| &found.circumstances);
            self.questions.extend(Question::new(game, number, &turn, circumstances, thresholds));
            if turn.mate_before().is_some() && turn.judged.value.is_some() {
                self.mates[0] += 1;
                self.mates[1] += usize::from(turn.missed_mate().is_none());
            }
        }
        Ok(())
    }
}

fn names(games: &[AnalyzedGame], player: &PlayerName) -> Vec<NameReport> {
    let mut names: BTreeMap<&String, usize> = BTreeMap::new();
    for name in games.iter().flat_map(|game| [&game.head.black, &game.head.white]).filter(|name| player.is(name)) {
        *names.entry(name).or_default() += 1;
    }
    names.into_iter().map(|(name, games)| NameReport { name: name.clone(), games }).collect()
}

/// `None` if nothing was lost.
fn spread(moves: &[GroupedMove]) -> Option<LossSpread> {
    let mut losses: Vec<f64> = moves.iter().map(|played| played.judgement.loss).collect();
    losses.sort_by(|a, b| b.total_cmp(a));
    let half = losses.iter().sum::<f64>() / 2.0;
    let reached = losses.iter().scan(0.0, |sum, loss| {
        *sum += loss;
        Some(*sum)
    });
    let worst_moves = 1 + reached.take_while(|&sum| sum < half).count();
    let all = losses.len();
    let sentence = Bilingual::new(
        format!("損失の半分は、{all}手のうち最も悪い{worst_moves}手によるものです。"),
        format!("The {worst_moves} worst of {all} moves make half of the whole loss."),
    );
    (half > 0.0).then_some(LossSpread { worst_moves, sentence })
}

/// `None` if no mate was seen.
fn mates([seen, kept]: [usize; 2]) -> Option<MateReport> {
    let score = MatchScore::new(kept as f64, seen as u64).ok()?;
    let interval = score.interval(IntervalMethod::Wilson, LEVEL).ok()?;
    let [low, high] = [interval.low, interval.high].map(|share| format!("{:.0}%", 100.0 * share));
    let sentence = Bilingual::new(
        format!(
            "エンジンに詰みが見えた{seen}局面のうち、{kept}局面で詰みのある手を指しました（割合の区間 {low}〜{high}）。"
        ),
        format!(
            "Positions with a mate that the engine saw: {seen}. A mate remained after {kept} of the moves (interval of the share {low} to {high})."
        ),
    );
    Some(MateReport { seen, kept, interval: [interval.low, interval.high], sentence })
}

fn caveat() -> Bilingual {
    Bilingual::new(
        "このページは不正について何も判定しません。エンジンとの一致や損失の小ささは、本人がどうやって手を選んだかを示しません。",
        "This page gives no verdict on cheating. Agreement with an engine and small losses do not show how a player found the moves.",
    )
}

#[cfg(test)]
mod tests {
    use kiki_judgement::Judgement;

    use super::*;

    #[test]
    fn the_worst_moves_make_half_of_the_loss() {
        let played = |loss| GroupedMove {
            game: 0,
            ply: 0,
            judgement: Judgement { loss, mark: None, unjudged: None },
            is_best: false,
            circumstances: Vec::new(),
            class: None,
        };
        let worst = |losses: &[f64]| {
            spread(&losses.iter().map(|&loss| played(loss)).collect::<Vec<_>>()).map(|found| found.worst_moves)
        };
        assert_eq!(worst(&[0.1, 0.1, 0.1, 0.1]), Some(2));
        assert_eq!(worst(&[0.01, 0.5, 0.01]), Some(1));
        assert_eq!([worst(&[0.0]), worst(&[])], [None, None]);
    }

    #[test]
    fn mates_have_an_interval_by_wilson() {
        let found = mates([10, 10]).unwrap();
        assert!((found.interval[0] - 0.7225).abs() < 1e-3 && found.interval[1] == 1.0, "{found:?}");
        assert_eq!(mates([0, 0]), None);
    }
}
