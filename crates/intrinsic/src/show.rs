//! `kiki-lab intrinsic show`: the judged moves of one game.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use kiki_plot::{Grid, GridCell, GridPicture, GridRow, RowNames};
use kiki_run::output::{print_json, table};
use kiki_run::say;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::choice::ChoiceModel;
use crate::judge::{self, Judging};
use crate::players::{IntrinsicRating, RatingSettings, choice, judged_values, players_of, rate_player};

/// Shows the judged moves of one game
#[derive(Args, Debug)]
pub(crate) struct ShowGameArgs {
    /// The folder of the judgements
    folder: PathBuf,
    /// The game; games count from 0, in the order in which they were read
    #[arg(long)]
    game: u64,
    #[command(flatten)]
    settings: RatingSettings,
    /// Draw the errors as a strip (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ShowGameArgs) -> Result<()> {
    let judging = judge::read(&arguments.folder)?;
    let moves = players_of(&judging, &arguments.settings)?;
    let players: Vec<IntrinsicRating> = moves.into_iter().map(rate_player).collect();
    let moves = moves_of_game(&judging, arguments.game, &players, &arguments.settings)?;
    if let Some(path) = &arguments.plot {
        write_strip(path, arguments.game, &moves)?;
    }
    if arguments.json {
        return print_json(&json!({ "game": arguments.game, "moves": moves }));
    }
    say!("{}", table(&["ply", "player", "move", "best", "value", "error", "finds the best"], moves.iter().map(cells)));
    Ok(())
}

fn cells(judged: &ShownMove) -> Vec<String> {
    let mut cells = vec![judged.ply.to_string(), judged.player.clone(), judged.played.clone()];
    match &judged.outcome {
        Ok(numbers) => {
            cells.extend([numbers.best.to_string(), numbers.value.to_string(), format!("{:.3}", numbers.error)]);
            cells.push(numbers.probability_of_best.map_or_else(|| "-".to_owned(), |p| format!("{:.0} %", 100.0 * p)));
        }
        Err(reason) => cells.extend(["-", "-", "-", reason].map(str::to_owned)),
    }
    cells
}

const MOVES_IN_ROW: usize = 20;

/// A move of a game, judged or left out.
#[derive(Serialize)]
struct ShownMove {
    /// Of the game, from 1.
    ply: u32,
    player: String,
    #[serde(rename = "move")]
    played: String,
    /// The judgement, or why the move does not count.
    #[serde(flatten, serialize_with = "outcome_keys")]
    outcome: Result<MoveNumbers, &'static str>,
}

fn outcome_keys<S: Serializer>(outcome: &Result<MoveNumbers, &'static str>, to: S) -> Result<S::Ok, S::Error> {
    json!({ "left_out": outcome.as_ref().err(), "judged": outcome.as_ref().ok() }).serialize(to)
}

#[derive(Serialize)]
struct MoveNumbers {
    /// The value of the best move in centipawns for its player.
    best: i32,
    value: i32,
    error: f64,
    /// The probability with which its player finds the best move by the fitted model; low where
    /// that is difficult.
    probability_of_best: Option<f64>,
}

/// The moves of a game in their order; `players` are rated by the same games.
fn moves_of_game(
    judging: &Judging,
    game: u64,
    players: &[IntrinsicRating],
    settings: &RatingSettings,
) -> Result<Vec<ShownMove>> {
    let mut moves = Vec::new();
    for (index, turn) in judging.items.iter().enumerate().filter(|(_, turn)| turn.game == game) {
        let judged = |(values, played): (&[i32], usize)| -> Result<MoveNumbers> {
            let choice = choice(values, played, settings.unit)?;
            let rated = players.iter().find(|player| player.moves.name == turn.player);
            let model = rated.and_then(|player| player.fit.as_ref().ok()).map(|fit| fit.model);
            let of_best = |model: ChoiceModel| model.probabilities(&choice.errors).first().copied().unwrap_or(1.0);
            Ok(MoveNumbers {
                best: values[0],
                value: values[played],
                error: choice.errors[played],
                probability_of_best: model.map(of_best),
            })
        };
        let outcome = match judged_values(judging, index, settings) {
            Ok(values) => Ok(judged(values)?),
            Err(reason) => Err(reason),
        };
        let (player, played) = (turn.player.clone(), turn.played.clone());
        moves.push(ShownMove { ply: turn.ply, player, played, outcome });
    }
    ensure!(!moves.is_empty(), "there is no game {game}; games count from 0");
    Ok(moves)
}

/// Draws a strip of the moves: the darker the greater the error, with the percentage of the
/// probability to find the best move.
fn write_strip(path: &Path, game: u64, moves: &[ShownMove]) -> Result<()> {
    let mut sides: Vec<&str> = Vec::new();
    for judged in moves {
        if !sides.contains(&judged.player.as_str()) {
            sides.push(&judged.player);
        }
    }
    let grid = |side: &&str| {
        let own: Vec<&ShownMove> = moves.iter().filter(|judged| judged.player == **side).collect();
        let row = |moves: &[&ShownMove]| GridRow {
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
            "darker: a greater scaled error; the number: the probability (percent) that its player finds the best move; -: moves that do not count"
                .to_owned(),
            String::new(),
        ],
    }
    .write(path)
}

fn cell(judged: &ShownMove) -> GridCell {
    let Ok(numbers) = &judged.outcome else { return GridCell { mark: None, text: "-".to_owned(), shade: 0.0 } };
    let text = numbers.probability_of_best.map_or_else(String::new, |p| format!("{:.0}", 100.0 * p));
    GridCell { mark: None, text, shade: numbers.error }
}
