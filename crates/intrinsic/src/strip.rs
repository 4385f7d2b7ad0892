//! The moves of one game, judged.

use std::path::Path;

use anyhow::{Result, ensure};

use super::judging::{Judgement, Judging};
use super::players::{PlayerRating, RatingSettings, choice, is_lopsided};
use kiki_plot::{Grid, GridCell, GridPicture, GridRow, RowNames};

/// Moves in a row of the picture.
const MOVES_IN_ROW: usize = 20;

/// A move of a game, judged or not.
#[derive(Clone, Debug)]
pub(crate) struct JudgedMove {
    /// Of the game, from 1.
    pub(crate) ply: u32,
    pub(crate) player: String,
    pub(crate) played: String,
    /// What the judge says, or why it says nothing.
    pub(crate) outcome: Result<MoveNumbers, &'static str>,
}

/// What the judge says about a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MoveNumbers {
    /// The value of the best move in centipawns for its player.
    pub(crate) best: i32,
    /// That of the move that was played.
    pub(crate) value: i32,
    pub(crate) error: f64,
    /// The probability with which its player finds the best move by the fitted model; low where that is difficult.
    pub(crate) probability_of_best: Option<f64>,
}

/// The moves of a game in their order; `players` are rated by the same games.
///
/// # Errors
/// If there is no such game.
pub(crate) fn moves_of_game(
    judging: &Judging,
    game: u64,
    players: &[PlayerRating],
    settings: &RatingSettings,
) -> Result<Vec<JudgedMove>> {
    let mut moves = Vec::new();
    for (index, turn) in judging.turns.iter().enumerate().filter(|(_, turn)| turn.game == game) {
        let outcome = match (turn.unjudged, judging.judgements.get(&index)) {
            (Some(reason), _) => Err(reason.name()),
            (None, None) => Err("not_judged"),
            (None, Some(Judgement::Mate)) => Err("mate"),
            (None, Some(Judgement::Lopsided)) => Err("lopsided"),
            (None, Some(Judgement::Values { values, .. })) if is_lopsided(values, settings.lopsided) => Err("lopsided"),
            (None, Some(Judgement::Values { values, played })) => {
                let choice = choice(values, *played, settings.unit)?;
                let rated = players.iter().find(|player| player.moves.name == turn.player);
                let model = rated.and_then(|player| player.fit.as_ref().ok()).map(|fit| fit.model);
                let probability = |model: crate::model::ChoiceModel| {
                    model.probabilities(&choice.errors).first().copied().unwrap_or(1.0)
                };
                Ok(MoveNumbers {
                    best: values[0],
                    value: values[*played],
                    error: choice.errors[*played],
                    probability_of_best: model.map(probability),
                })
            }
        };
        let (player, played) = (turn.player.clone(), turn.played.clone());
        moves.push(JudgedMove { ply: turn.ply, player, played, outcome });
    }
    ensure!(!moves.is_empty(), "there is no game {game}; games count from 0");
    Ok(moves)
}

/// Draws a strip of the moves: the darker the greater the error, with the percentage of the probability to find the best move.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_strip(path: &Path, game: u64, moves: &[JudgedMove]) -> Result<()> {
    let mut sides: Vec<&str> = Vec::new();
    for judged in moves {
        if !sides.contains(&judged.player.as_str()) {
            sides.push(&judged.player);
        }
    }
    let grid = |side: &&str| {
        let own: Vec<&JudgedMove> = moves.iter().filter(|judged| judged.player == **side).collect();
        let row = |moves: &[&JudgedMove]| GridRow {
            name: moves.first().map_or_else(String::new, |first| format!("ply {}", first.ply)),
            cells: moves.iter().map(|judged| cell(judged)).collect(),
        };
        Grid {
            title: (*side).to_owned(),
            captions: [String::new(), String::new()],
            columns: vec![String::new(); MOVES_IN_ROW],
            rows: own.chunks(MOVES_IN_ROW).map(row).collect(),
            cell: (36, 26),
            names: RowNames::Left(70),
        }
    };
    GridPicture {
        title: format!("Errors of the moves of game {game}"),
        rows: sides.iter().map(|side| vec![grid(side)]).collect(),
        meanings: [
            "the darker, the greater the scaled error; the number is how likely (percent) its player finds the best move, - for moves that do not count"
                .to_owned(),
            String::new(),
        ],
    }
    .write(path)
}

fn cell(judged: &JudgedMove) -> GridCell {
    match &judged.outcome {
        Ok(numbers) => GridCell {
            mark: None,
            text: numbers.probability_of_best.map_or_else(String::new, |p| format!("{:.0}", 100.0 * p)),
            shade: numbers.error,
        },
        Err(_) => GridCell { mark: None, text: "-".to_owned(), shade: 0.0 },
    }
}
