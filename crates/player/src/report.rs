//! All that the games say about a player. docs/player.md documents the keys of its JSON.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use kiki_analysis::game::AnalyzedGame;
use kiki_analysis::judgement::Thresholds;
use kiki_analysis::report::{EngineFacts, GameReport, PROGRAM, ReportSettings, build};
use kiki_analysis::search::{AnalysisEngine, SearchKey};
use kiki_analysis::searched::SearchedGames;
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::tally::MatchScore;
use serde::Serialize;

use crate::found::is_turn;
use crate::groups::{Findings, GroupingReport, PlayReport, findings, groupings};
use crate::moves::{PlayerMove, judged_moves, turns};
use crate::names::PlayerName;
use crate::quiz::{Question, chosen};
use crate::rating::{Choices, RatingReport};
use crate::statistics::LEVEL;
use crate::words::Words;

/// The kind of file, in its first key.
pub const FORMAT: &str = "kiki-player";
/// The version of the keys. It increases when a key is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// What the games say about a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerReport {
    /// [`FORMAT`].
    pub format: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub program: &'static str,
    /// The player, as the command names it.
    pub name: String,
    /// The names in the records that are the player's.
    pub names: Vec<NameReport>,
    /// Number of games.
    pub games: usize,
    /// Whether all positions were searched.
    pub complete: bool,
    /// The engine.
    pub engine: EngineFacts,
    /// How many lines it was asked for.
    pub lines: usize,
    /// Scale and thresholds of the judgement.
    pub thresholds: Thresholds,
    /// The rating by moves.
    pub rating: RatingReport,
    /// The play in all judged moves; `None` without any.
    pub play: Option<PlayReport>,
    /// The same by groups of moves.
    pub groupings: Vec<GroupingReport>,
    /// Strengths and weaknesses.
    pub findings: Findings,
    /// How evenly the losses are spread.
    pub spread: Option<LossSpread>,
    /// Mates that the engine saw.
    pub mates: Option<MateReport>,
    /// The positions to study.
    pub questions: Vec<Question>,
    /// What none of it says.
    pub caveat: Words,
}

/// A name in the records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NameReport {
    /// The name.
    pub name: String,
    /// Number of games.
    pub games: usize,
}

/// How few moves make half of the whole loss.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LossSpread {
    /// Number of those moves, the worst ones.
    pub worst_moves: usize,
    /// All of it in a sentence.
    pub sentence: Words,
}

/// What became of mates.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MateReport {
    /// Number of positions in which the engine saw a mate for the player.
    pub seen: usize,
    /// In how many of them a mate remained after the player's move.
    pub kept: usize,
    /// The 95 % interval of the share (Wilson), as if positions were independent.
    pub interval: [f64; 2],
    /// All of it in a sentence.
    pub sentence: Words,
}

/// What the report is made with.
#[derive(Clone, Copy, Debug)]
pub struct PlayerSettings<'a> {
    /// The player.
    pub player: &'a PlayerName,
    /// The engine.
    pub engines: &'a [AnalysisEngine],
    /// How many lines it was asked for.
    pub lines: usize,
    /// Scale and thresholds.
    pub thresholds: &'a Thresholds,
}

/// The report of searched games, complete or not.
///
/// # Errors
/// A game breaks the rules.
pub fn report(searched: &SearchedGames, settings: &PlayerSettings<'_>) -> Result<PlayerReport> {
    let PlayerSettings { player, engines, lines, thresholds } = *settings;
    let game_settings = ReportSettings { program: PROGRAM, lines, thresholds, engines };
    let mut found = Found::default();
    for (number, game) in searched.games().iter().enumerate() {
        let answer = |engine, ply| searched.answer(SearchKey { game: number, ply, engine });
        found.add(&build(game, &game_settings, answer)?, number, thresholds, |ply| is_turn(game, ply, player))?;
    }
    let moves = found.moves;
    let (all, done) = searched.progress();
    Ok(PlayerReport {
        format: FORMAT,
        version: VERSION,
        program: PROGRAM,
        name: player.name.clone(),
        names: names(searched.games(), player),
        games: searched.games().len(),
        complete: all == done,
        engine: found.engine.context("there are no games")?,
        lines,
        thresholds: *thresholds,
        rating: found.choices.rating()?,
        play: PlayReport::new(&moves.iter().collect::<Vec<_>>(), thresholds),
        groupings: groupings(&moves, thresholds),
        findings: findings(&moves),
        spread: spread(&moves),
        mates: mates(found.mates),
        questions: chosen(found.questions),
        caveat: caveat(),
    })
}

/// What was found in the games so far.
#[derive(Default)]
struct Found {
    engine: Option<EngineFacts>,
    moves: Vec<PlayerMove>,
    choices: Choices,
    questions: Vec<Question>,
    /// How many mates were seen, and how many remained.
    mates: [usize; 2],
}

impl Found {
    fn add(
        &mut self,
        game: &GameReport,
        number: usize,
        thresholds: &Thresholds,
        is_turn: impl Fn(usize) -> bool,
    ) -> Result<()> {
        self.engine = game.engines.first().cloned();
        let judged = judged_moves(game, number, &is_turn)?;
        self.choices.add(game, number, &is_turn)?;
        for turn in turns(game, &is_turn) {
            let circumstances = judged.iter().find(|found| found.ply == turn.position.ply);
            let circumstances = circumstances.map_or(&[][..], |found| &found.circumstances);
            self.questions.extend(Question::new(game, &turn, circumstances, thresholds));
            let has_mate = |mate: Option<i32>| mate.is_some_and(|plies| plies > 0);
            let (before, after) = (turn.search.value, turn.judged.value);
            if has_mate(before.and_then(|value| value.mate)) && after.is_some() {
                self.mates[0] += 1;
                self.mates[1] += usize::from(has_mate(after.and_then(|value| value.mate)));
            }
        }
        self.moves.extend(judged);
        Ok(())
    }
}

fn names(games: &[AnalyzedGame], player: &PlayerName) -> Vec<NameReport> {
    let mut names: BTreeMap<&String, usize> = BTreeMap::new();
    for name in games.iter().flat_map(|game| [&game.black, &game.white]).filter(|name| player.is(name)) {
        *names.entry(name).or_default() += 1;
    }
    names.into_iter().map(|(name, games)| NameReport { name: name.clone(), games }).collect()
}

/// `None` if nothing was lost.
fn spread(moves: &[PlayerMove]) -> Option<LossSpread> {
    let mut losses: Vec<f64> = moves.iter().map(|played| played.judgement.loss).collect();
    losses.sort_by(|a, b| b.total_cmp(a));
    let half = losses.iter().sum::<f64>() / 2.0;
    let reached = losses.iter().scan(0.0, |sum, loss| {
        *sum += loss;
        Some(*sum)
    });
    let worst_moves = 1 + reached.take_while(|&sum| sum < half).count();
    let all = losses.len();
    let sentence = Words::new(
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
    let sentence = Words::new(
        format!(
            "エンジンに詰みが見えた{seen}局面のうち、{kept}局面で詰みのある手を指しました（割合の区間 {low}〜{high}）。"
        ),
        format!(
            "Positions with a mate that the engine saw: {seen}. A mate remained after {kept} of the moves (interval of the share {low} to {high})."
        ),
    );
    Some(MateReport { seen, kept, interval: [interval.low, interval.high], sentence })
}

fn caveat() -> Words {
    Words::new(
        "このページは不正について何も判定しません。エンジンとの一致や損失の小ささは、本人がどうやって手を選んだかを示しません。",
        "This page gives no verdict on cheating. Agreement with an engine and small losses do not show how a player found the moves.",
    )
}

#[cfg(test)]
mod tests {
    use kiki_analysis::judgement::Judgement;

    use super::*;

    #[test]
    fn the_worst_moves_make_half_of_the_loss() {
        let played = |loss| PlayerMove {
            game: 0,
            ply: 0,
            judgement: Judgement { loss, mark: None, unjudged: None },
            is_best: false,
            circumstances: Vec::new(),
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
