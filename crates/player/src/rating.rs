//! The rating by moves: the method of kiki-intrinsic on the player's positions, and what the rating
//! is worth.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context as _, Result};
use kiki_analysis::report::{GameReport, ValueReport};
use kiki_board::Position;
use kiki_intrinsic::choice::{Projection, descending_values};
use kiki_intrinsic::line::{RatingLine, shogi_line};
use kiki_intrinsic::players::{
    LOPSIDED, MATE, NOT_JUDGED, PlayerMoves, RatingSettings, choice, is_lopsided, rate_player,
};
use kiki_intrinsic::turns::{OPENING_PLIES, unjudged};
use kiki_stats::means::{student, sum_of_errors};
use kiki_usi::ScoreValue;
use serde::Serialize;

use crate::LEVEL;
use crate::moves::{Turn, turns};
use crate::words::Bilingual;

/// Minimum number of positions for a rating.
pub const LEAST_POSITIONS: usize = 50;
/// Minimum number of games for a rating.
pub const LEAST_GAMES: usize = 3;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveRating {
    /// Number of positions that count.
    pub positions: usize,
    /// Number of games with such positions.
    pub games: usize,
    /// Number of the player's positions left out, by reason.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Match rate and mean scaled error; `None` without positions.
    pub projection: Option<Projection>,
    /// `None` with too few positions or games.
    pub rating: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// What it is worth.
    pub worth: Bilingual,
    /// What its numbers mean.
    pub scale: Bilingual,
}

/// Collects the player's choices, game by game.
#[derive(Debug, Default)]
pub struct Choices {
    moves: PlayerMoves,
    settings: RatingSettings,
}

impl Choices {
    /// Adds the choices of game `number`; `is_turn` selects the player's plies.
    pub fn add(&mut self, game: &GameReport, number: usize, is_turn: impl Fn(usize) -> bool) -> Result<()> {
        let mut before = HashSet::new();
        let turns: BTreeMap<usize, Turn<'_>> = turns(game, &is_turn).map(|turn| (turn.position.ply, turn)).collect();
        for report in &game.positions {
            let position = &Position::from_sfen(&report.sfen).with_context(|| report.sfen.clone())?;
            let is_new = before.insert(position.key());
            if !is_turn(report.ply) {
                continue;
            }
            let is_opening = position.ply() <= OPENING_PLIES;
            let values = match (unjudged(position, is_opening, is_new), turns.get(&report.ply)) {
                (Some(reason), _) => Err(reason.name()),
                (None, None) => Err(NOT_JUDGED),
                (None, Some(turn)) => values_of(turn, self.settings.lopsided),
            };
            match values {
                Ok((values, played)) => {
                    self.moves.choices.push(choice(&values, played, self.settings.unit)?);
                    self.moves.games.push(number);
                }
                Err(reason) => *self.moves.left_out.entry(reason).or_default() += 1,
            }
        }
        Ok(())
    }

    /// Never fails: line and level are constants.
    pub fn rating(self) -> Result<MoveRating> {
        let Self { moves, .. } = self;
        let positions = moves.choices.len();
        let games = moves.games.iter().collect::<HashSet<_>>().len();
        let left_out = moves.left_out.clone();
        let report = |projection, rating, interval, worth| {
            let scale = scale();
            MoveRating { positions, games, left_out, projection, rating, interval, worth, scale }
        };
        if positions < LEAST_POSITIONS || games < LEAST_GAMES {
            let projection = Projection::new(None, &moves.choices).ok();
            return Ok(report(projection, None, None, too_few(positions, games)));
        }
        let rated = rate_player(moves);
        let line = shogi_line()?;
        let mean_error = rated.mean_error();
        let rating = mean_error.map(|error| RatingLine::from(&line).rating(error));
        // The line is one of the mean errors of other players, so that its error is independent.
        let half = mean_error.zip(rated.mean_error_deviation).and_then(|(error, deviation)| {
            let of_line = (line.prediction_deviation(error), (line.points - 2) as f64);
            let of_moves = (line.slope * deviation, (games - 1) as f64);
            let (spread, freedom) = sum_of_errors(&[of_line, of_moves])?;
            Some(student(freedom, LEVEL) * spread)
        });
        let interval = rating.zip(half).map(|(rating, half)| [rating - half, rating + half]);
        Ok(report(rated.projection, rating, interval, worth()))
    }
}

/// The values of the engine's moves, best first, and the index of the played one; or why the
/// position does not count.
fn values_of(turn: &Turn<'_>, lopsided: i32) -> Result<(Vec<i32>, usize), &'static str> {
    // A mate is beyond every value.
    let centipawns = |report: ValueReport| match report.value {
        ScoreValue::Cp(centipawns) => centipawns,
        ScoreValue::Mate(plies) => i32::MAX / 2 * plies.get().signum(),
    };
    if turn.search.value.ok_or(NOT_JUDGED)?.mate.is_some() {
        return Err(MATE);
    }
    let lines = turn.search.lines.iter();
    let mut lines: Vec<(&str, i32)> = lines.map(|line| (line.mv.as_str(), centipawns(line.value))).collect();
    lines.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
    let played = turn.played.mv.as_str();
    if lines.iter().all(|(mv, _)| *mv != played) {
        lines.push((played, centipawns(turn.judged.value.ok_or(NOT_JUDGED)?)));
    }
    let place = lines.iter().position(|(mv, _)| *mv == played).ok_or(NOT_JUDGED)?;
    let values = descending_values(lines.into_iter().map(|(_, value)| value));
    if is_lopsided(&values, lopsided) { Err(LOPSIDED) } else { Ok((values, place)) }
}

fn too_few(positions: usize, games: usize) -> Bilingual {
    Bilingual::new(
        format!(
            "数えられる局面が{positions}（{games}局）では、指し手によるレーティングは求められません。{LEAST_POSITIONS}局面、{LEAST_GAMES}局が必要です。"
        ),
        format!(
            "{positions} positions of {games} games that count are too few for a rating by moves: it takes {LEAST_POSITIONS} of {LEAST_GAMES}."
        ),
    )
}

fn worth() -> Bilingual {
    Bilingual::new(
        "同じエンジンと条件で調べた人どうしの、おおまかな比較に使えるだけのものです。段級位や道場・サイトのレーティングではありません。",
        "It roughly compares players whom the same engine judged with the same limit. It is no grade, and no rating of a club or a site.",
    )
}

/// What the numbers of ratings mean.
fn scale() -> Bilingual {
    Bilingual::new(
        "レーティングの目盛りは14のプログラムの対局から引いた線で、1手8,000局面のKikiのネットワークが0です。区間は線からのずれを含みますが、\
         エンジンと条件が線を引いた時と違うことによるずれは含みません。エンジンが本人より明らかに強くなければ、レーティングに意味はありません。",
        "The scale of ratings is a line through games of 14 programs, where Kiki's network with 8,000 nodes a move has 0. The interval counts how far \
         programs lie from that line, but not that another engine and limit judged here. A rating means nothing if the engine is not clearly stronger \
         than the player.",
    )
}

#[cfg(test)]
mod tests {
    use kiki_intrinsic::choice::Choice;

    use super::*;

    fn rating(count: usize, games: usize, errors: [f64; 3], played: &[usize]) -> MoveRating {
        let choices = (0..count).map(|place| Choice::new(errors.to_vec(), played[place % played.len()]).unwrap());
        let moves = PlayerMoves {
            choices: choices.collect(),
            games: (0..count).map(|place| place % games).collect(),
            ..PlayerMoves::default()
        };
        Choices { moves, ..Choices::default() }.rating().unwrap()
    }

    #[test]
    fn few_positions_or_games_have_no_rating() {
        for (positions, games) in [(LEAST_POSITIONS - 1, 10), (100, 2)] {
            let found = rating(positions, games, [0.0, 0.2, 0.5], &[0, 1, 2]);
            assert_eq!((found.rating, found.interval), (None, None));
            assert!(found.worth.en.contains("too few") && found.projection.is_some(), "{found:?}");
        }
    }

    /// With errors of 0 only the line is uncertain: 12 degrees of freedom. Few games that differ
    /// much leave about as many as games less one.
    #[test]
    fn few_games_widen_the_interval() {
        let width = |rating: MoveRating| rating.interval.map_or(0.0, |[low, high]| high - low);
        let line = shogi_line().unwrap();
        let sure = width(rating(60, 3, [0.0, 0.5, 0.6], &[1]));
        assert!((sure - 2.0 * 2.1788 * line.prediction_deviation(0.5)).abs() < 0.1, "{sure}");
        // Every position of a game has the same error: 0, 2 or 4.
        let unsure = width(rating(60, 3, [0.0, 2.0, 4.0], &[0, 1, 2]));
        let of_moves = line.slope.abs() * 2.0 / 3.0_f64.sqrt();
        assert!(unsure > 2.0 * 4.0 * of_moves, "{unsure}, of moves {of_moves}");
    }

    #[test]
    fn greater_errors_lower_the_rating_and_the_line_is_uncertain() {
        let played = [0, 0, 1, 0, 2, 0, 1];
        let [good, bad] = [1.0, 3.0].map(|scale| rating(140, 10, [0.0, 0.2 * scale, 0.5 * scale], &played));
        assert!(good.rating > bad.rating, "{good:?} {bad:?}");
        let [low, high] = good.interval.unwrap();
        assert!(high - low > 2.0 * 1.96 * 214.0 && low < good.rating.unwrap(), "{good:?}");
    }
}
